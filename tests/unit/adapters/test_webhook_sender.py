"""Messages are sent over HTTP to where they may go, whatever waits there."""

import asyncio
import socket
import ssl
import time
from asyncio import StreamReader, StreamWriter
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from threading import Event

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace

from adapters.webhooks.sender import MOST_LOOKUPS, TIMEOUT, HttpSender
from services.notify.deliveries import Parcel, Reply
from services.notify.deliveries import sent as outcome_of
from services.notify.subscriptions import (
    AttemptError,
    DeliveryId,
    DeliveryState,
    MessageType,
    WebhookId,
    written_secret,
)
from tests.support.faces.receiver import Behave, answers, drips, floods, hangs, receiver

OLD, NEW = b"o" * 32, b"n" * 32
BODY = '{"type":"test","data":{"name":"Änne"}}'.encode()
PATIENCE = 0.3
"""Seconds after which a target is given up where a test has to wait for that."""


def parcel(url: str, *secrets: bytes) -> Parcel:
    """Return a message to an address."""
    return Parcel(
        id=DeliveryId("delivery_01"),
        webhook=WebhookId("webhook_01"),
        type=MessageType.TEST,
        url=url,
        target="a",
        secrets=secrets or (NEW,),
        body=BODY,
        tried=0,
    )


def sender(
    *,
    private: bool = True,
    timeout: float = TIMEOUT,
    found: list[str] | None = None,
    tls: ssl.SSLContext | None = None,
) -> HttpSender:
    """Return a sender for which every name has the addresses that are given."""

    def resolve(host: str, port: int) -> list[str]:
        if found is None:
            raise socket.gaierror(host)
        return found

    return HttpSender(private=private, timeout=timeout, resolve=resolve, tls=tls or NO_TLS)


NO_TLS = ssl.create_default_context()


async def sent(behave: Behave, timeout: float = TIMEOUT) -> Reply:  # noqa: ASYNC109 - the sender's own
    """Return what came of a message to a receiver that behaves so."""
    async with receiver(behave) as target:
        return await sender(timeout=timeout).send(
            parcel(f"http://127.0.0.1:{target.port}/"), datetime.now(UTC)
        )


async def test_a_receiver_can_verify_a_message() -> None:
    """It is a POST with the headers of Standard Webhooks, signed by each secret that is good."""
    async with receiver(answers(204)) as target:
        url = f"http://ann.example:{target.port}/hook?a=b"
        reply = await sender(found=["127.0.0.1"]).send(parcel(url, NEW, OLD), datetime.now(UTC))
    (got,) = target.got
    assert (reply.status, reply.error) == (204, None)
    assert got.line == "POST /hook?a=b HTTP/1.1"
    assert got.headers["host"] == f"ann.example:{target.port}"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["webhook-id"] == "delivery_01"
    assert got.body == BODY
    got.verified(written_secret(NEW))
    got.verified(written_secret(OLD))


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_a_good_status_is_success(status: int) -> None:
    """All of 2xx are."""
    reply = await sent(answers(status))
    assert (reply.status, reply.error) == (status, None)


@pytest.mark.parametrize("status", [400, 401, 404, 410, 429, 500, 503])
async def test_a_bad_status_is_none(status: int) -> None:
    """None of 4xx and 5xx are."""
    reply = await sent(answers(status))
    assert (reply.status, reply.error) == (status, AttemptError.BAD_STATUS)


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_redirects_are_not_followed(status: int) -> None:
    """A target cannot send the server on to an address within."""
    async with receiver(answers(200)) as inside:
        reply = await sent(answers(status, f"Location: http://127.0.0.1:{inside.port}/"))
    assert (reply.status, reply.error) == (status, AttemptError.REDIRECTED)
    assert inside.got == []


@pytest.mark.parametrize("behave", [hangs, drips])
async def test_a_target_that_takes_its_time_is_given_up(behave: Behave) -> None:
    """What has not answered in time is given up, also one that keeps talking."""
    begun = time.monotonic()
    reply = await sent(behave, PATIENCE)
    assert (reply.status, reply.error) == (None, AttemptError.TIMED_OUT)
    assert PATIENCE <= time.monotonic() - begun < TIMEOUT
    assert reply.latency_ms >= PATIENCE * 1000


async def test_an_endless_body_is_not_read_to_its_end() -> None:
    """The status counts; of the body little is read."""
    reply = await sent(floods)
    assert (reply.status, reply.error) == (200, None)


@pytest.mark.parametrize(
    ("said", "wait"),
    [
        ("120", timedelta(seconds=120)),
        ("99999999999999999999", timedelta(seconds=10**6)),
        ("soon", None),
        ("-5", None),
        ("Mon, 01 Jan 99999999999999999999 00:00:00 GMT", None),
        ("Mon, 99999999999 Jan 2030 00:00:00 GMT", None),
        ("Mon, 01 Jan 2030 00:00:00", None),
    ],
)
async def test_a_target_may_ask_for_patience(said: str, wait: timedelta | None) -> None:
    """`Retry-After` is understood as seconds; nonsense is none."""
    assert (await sent(answers(503, f"Retry-After: {said}"))).retry_after == wait


async def test_a_target_may_ask_for_patience_until_a_time() -> None:
    """`Retry-After` is understood as a date."""
    reply = await sent(
        answers(429, f"Retry-After: {format_datetime(datetime.now(UTC) + timedelta(hours=1))}")
    )
    assert reply.retry_after is not None
    assert timedelta(minutes=59) < reply.retry_after < timedelta(minutes=61)


async def test_a_name_is_checked_where_it_leads() -> None:
    """A name that has only private addresses is refused, and nobody is connected to."""
    async with receiver(answers(200)) as inside:
        url = f"https://ann.example:{inside.port}/"
        for found in (
            ["127.0.0.1"],
            ["::1", "169.254.169.254"],
            ["::ffff:127.0.0.1"],
            ["192.0.0.192", "3fff::1"],
            ["64:ff9b:1::808:808", "64:ff9b::7f00:1", "2002:7f00:1::1"],
            ["5f00::1", "100:0:0:1::1", "fe80::1%lo", "240.0.0.1"],
        ):
            reply = await sender(private=False, found=found).send(parcel(url), datetime.now(UTC))
            assert (reply.status, reply.error) == (None, AttemptError.ADDRESS_REFUSED)
    assert inside.got == []


async def test_the_address_that_was_checked_is_the_one_that_is_used() -> None:
    """A name is looked up once: what it means a moment later does not matter."""
    asked: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    async with receiver(answers(200)) as target:
        made = HttpSender(private=True, resolve=rebinding, tls=NO_TLS)
        reply = await made.send(parcel(f"http://ann.example:{target.port}/"), datetime.now(UTC))
    assert (reply.status, asked) == (200, ["ann.example"])


async def test_http_goes_to_private_addresses_only() -> None:
    """Even where private addresses are allowed, a public one is spoken to over TLS."""
    reply = await sender(found=["93.184.216.34"]).send(parcel("http://ann.example/"), datetime.now(UTC))
    assert reply.error is AttemptError.ADDRESS_REFUSED


async def test_of_several_addresses_one_that_answers_is_enough() -> None:
    """The next is tried where nobody listens."""
    async with receiver(answers(200)) as target:
        url = f"http://ann.example:{target.port}/"
        reply = await sender(found=["127.0.0.2", "127.0.0.1"]).send(parcel(url), datetime.now(UTC))
    assert (reply.status, reply.error) == (200, None)


async def test_what_is_not_there_is_said_so() -> None:
    """A name without addresses, and a port where nobody listens."""
    now = datetime.now(UTC)
    assert (await sender().send(parcel("http://ann.example/"), now)).error is AttemptError.NAME_UNKNOWN
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    reply = await sender().send(parcel(f"http://127.0.0.1:{port}/"), now)
    assert reply.error is AttemptError.CONNECTION_FAILED


async def test_names_that_hang_do_not_hold_up_others() -> None:
    """A lookup that does not end is left alone: others go on, until too many hang."""
    end = Event()

    def resolve(host: str, port: int) -> list[str]:
        if host == "slow.example":
            end.wait()
        return ["127.0.0.1"]

    made = HttpSender(private=True, resolve=resolve, tls=NO_TLS)

    async def hang(count: int) -> None:
        sending = [
            asyncio.create_task(made.send(parcel("http://slow.example/"), datetime.now(UTC)))
            for _ in range(count)
        ]
        await asyncio.sleep(0)
        for task in sending:
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)

    async with receiver(answers(200)) as target:
        good = parcel(f"http://ann.example:{target.port}/")
        await hang(MOST_LOOKUPS - 1)
        assert (await made.send(good, datetime.now(UTC))).status == 200
        await hang(1)
        assert (await made.send(good, datetime.now(UTC))).error is AttemptError.NAME_UNKNOWN
    end.set()


async def test_what_is_no_http_is_no_answer() -> None:
    """A target that talks nonsense, or hangs up, has not answered."""

    async def nonsense(reader: StreamReader, writer: StreamWriter) -> None:
        writer.write(b"220 mail.example ESMTP\r\n\r\n")

    async def hangs_up(reader: StreamReader, writer: StreamWriter) -> None:
        writer.close()

    for behave in (nonsense, hangs_up):
        assert (await sent(behave)).error is AttemptError.CONNECTION_FAILED


async def test_the_certificate_must_be_the_name_s(tmp_path: Path) -> None:
    """The connection goes to an address, yet the certificate must be the name's, and trusted."""
    server, trusting = tls_for("ann.example", tmp_path)
    now = datetime.now(UTC)
    async with receiver(answers(200), server) as target:
        for host, tls, error in (
            ("ann.example", trusting, None),
            ("ben.example", trusting, AttemptError.TLS_FAILED),
            ("ann.example", NO_TLS, AttemptError.TLS_FAILED),
        ):
            url = f"https://{host}:{target.port}/"
            reply = await sender(found=["127.0.0.1"], tls=tls).send(parcel(url), now)
            assert reply.error is error
    assert len(target.got) == 1


def tls_for(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Return how a server of this name speaks TLS, and how a client does that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "server.pem"
    file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(file)
    client = ssl.create_default_context()
    client.load_verify_locations(file)
    return server, client


@pytest.mark.parametrize(
    ("body", "met"),
    [
        (b'{"challenge": "abc"}', True),
        (b'{"challenge": "abc", "more": 1}\n', True),
        (b"abc", True),
        (b'"abc"', True),
        (b"", False),
        (b"abcd", False),
        (b'{"challenge": "abd"}', False),
        (b'{"data": {"challenge": "abc"}}', False),
        (b"\xff\xfe", False),
        (b"[1]", False),
        (b"x" * 5000 + b"abc", False),
    ],
)
async def test_a_challenge_is_met_by_its_echo(body: bytes, met: bool) -> None:
    """The body of a good answer holds it, as text or as JSON; of other messages no body is looked at."""
    challenge = b'{"type":"webhook.challenge","data":{"challenge":"abc"}}'
    async with receiver(answers(200, body=body)) as target:
        asked = parcel(f"http://127.0.0.1:{target.port}/")
        told = replace(asked, type=MessageType.CHALLENGE, body=challenge)
        now = datetime.now(UTC)
        reply = await sender().send(told, now)
        made = outcome_of(told, reply, now, now, 0)
        assert (await sender().send(asked, now)).body == b""
    assert (made.state is DeliveryState.DELIVERED) == met
    assert made.attempt.error == (None if met else AttemptError.NOT_ECHOED)
