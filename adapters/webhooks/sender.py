"""Send a webhook's message over HTTP, to where it may go and nowhere else."""

import asyncio
import email.utils
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Thread
from typing import Any, NamedTuple

import httpx
from standardwebhooks import Webhook

from services.notify.addresses import Address, Target, is_private, is_unicast, literal_address, target_of
from services.notify.deliveries import CONCURRENCY, Parcel, Reply
from services.notify.subscriptions import AttemptError, MessageType, written_secret
from services.shared.errors import Malformed

TIMEOUT = 10.0
"""Seconds that an attempt may take in all: finding the address, connecting, sending, and the answer."""
LARGEST_BODY = 64 * 1024
"""Bytes of an answer that are read, and dropped; the rest is not read."""
LONGEST_BODY = 2.0
"""Seconds for which they are read."""
LONGEST_ECHO = 1024
"""Bytes of them that are looked at, for the echo of a challenge."""
MOST_LOOKUPS = 2 * CONCURRENCY
"""How many names are looked up at once, those that nobody waits for any more included."""
AGENT = "Montane-Webhooks/1"

type Resolve = Callable[[str, int], list[str]]
"""Gives the addresses of a name; raises OSError if it has none."""


class RefusedAddress(Exception):  # noqa: N818 - an answer, not a fault of the program
    """A target has no address that messages may be sent to."""


def resolved(host: str, port: int) -> list[str]:
    """Return the addresses that the system finds for a name.

    Raises:
        OSError: It finds none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class TargetAnswer(NamedTuple):
    """What a target answered.

    Attributes:
        status: The HTTP status.
        retry_after: How long it asks to be left alone.
        body: Where its body begins.
    """

    status: int
    retry_after: timedelta | None
    body: bytes


class HttpSender:
    """The port `Sender`.

    The name is resolved here, and the connection goes to the very address that was checked, so that a name
    cannot mean something else a moment later. Redirects are not followed. Each attempt has a connection of
    its own, nothing is remembered of an answer, and no proxy of the environment is used.
    """

    def __init__(
        self,
        *,
        private: bool,
        timeout: float = TIMEOUT,
        resolve: Resolve = resolved,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Take what may be sent to, and how.

        Args:
            private: Whether private addresses are allowed, and http to them.
            timeout: Seconds that an attempt may take in all.
            resolve: What finds the addresses of a name.
            tls: How targets are verified; None for the authorities that come along.
        """
        self._private = private
        self._timeout = timeout
        self._resolve = resolve
        self._tls = httpx.create_ssl_context() if tls is None else tls
        self._lookups = 0

    async def send(self, parcel: Parcel, at: datetime) -> Reply:
        """Send a message once and return what came of it, whatever the target does, within seconds."""
        begun = time.monotonic()
        answered: TargetAnswer | None = None
        error: AttemptError | None = None
        try:
            async with asyncio.timeout(self._timeout):
                target = target_of(parcel.url, private=self._private)
                addresses = await self._allowed(target)
                answered = await self._post(parcel, target, addresses, at)
        except (TimeoutError, httpx.TimeoutException):
            error = AttemptError.TIMED_OUT
        except (Malformed, RefusedAddress):
            error = AttemptError.ADDRESS_REFUSED
        except (socket.gaierror, UnicodeError):
            error = AttemptError.NAME_UNKNOWN
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as failed:
            error = AttemptError.TLS_FAILED if _of_tls(failed) else AttemptError.CONNECTION_FAILED
        latency = round((time.monotonic() - begun) * 1000)
        if answered is None:
            return Reply(latency_ms=latency, error=error)
        status = answered.status
        if not 200 <= status < 300:
            error = AttemptError.REDIRECTED if 300 <= status < 400 else AttemptError.BAD_STATUS
        return Reply(
            latency_ms=latency,
            status=status,
            error=error,
            retry_after=answered.retry_after,
            body=answered.body if parcel.type is MessageType.CHALLENGE else b"",
        )

    async def _allowed(self, target: Target) -> list[Address]:
        """Return the addresses of a target that messages may be sent to.

        Raises:
            RefusedAddress: It has none.
            OSError: The name has no address at all.
        """
        literal = literal_address(target.host)
        found: list[Address | None] = [literal]
        if literal is None:
            found = [literal_address(name) for name in await self._looked_up(target)]
        allowed = [one for one in found if one is not None and is_unicast(one) and self._may(one, target)]
        if not allowed:
            raise RefusedAddress
        return allowed

    async def _looked_up(self, target: Target) -> list[str]:
        """Return the addresses of a name.

        A lookup cannot be cut off, so each has a thread that nobody waits for, neither another lookup nor the
        end of the process.

        Raises:
            OSError: The name has none, or too many others hang.
        """
        if self._lookups >= MOST_LOOKUPS:
            raise socket.gaierror(socket.EAI_AGAIN, "too many lookups hang")
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[list[str]] = loop.create_future()

        def settle(found: list[str] | None, error: Exception | None) -> None:
            self._lookups -= 1
            if answer.done():
                return
            if error is None:
                answer.set_result(found or [])
            else:
                answer.set_exception(error)

        def look_up() -> None:
            found, error = None, None
            try:
                found = self._resolve(target.host, target.port)
            except Exception as failed:  # noqa: BLE001
                error = failed
            with suppress(RuntimeError):  # The loop has ended meanwhile.
                loop.call_soon_threadsafe(settle, found, error)

        self._lookups += 1
        Thread(target=look_up, name="look up", daemon=True).start()
        return await answer

    def _may(self, address: Address, target: Target) -> bool:
        return self._private if is_private(address) else target.secure

    async def _post(
        self, parcel: Parcel, target: Target, addresses: list[Address], at: datetime
    ) -> TargetAnswer:
        """Return the answer.

        Of several addresses the next is tried when one cannot be connected to.
        """
        *others, last = addresses
        patience = self._timeout / len(addresses)
        for address in others:
            try:
                return await self._post_to(parcel, target, address, at, patience)
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
        return await self._post_to(parcel, target, last, at, patience)

    async def _post_to(
        self, parcel: Parcel, target: Target, address: Address, at: datetime, patience: float
    ) -> TargetAnswer:
        url = httpx.URL(parcel.url)
        request = httpx.Request(
            "POST",
            url.copy_with(host=str(address)),
            headers={**signed(parcel, at), "Host": url.netloc.decode(), "Connection": "close"},
            content=parcel.body,
            extensions={"sni_hostname": target.host, "timeout": {"connect": patience}},
        )
        transport = httpx.AsyncHTTPTransport(verify=self._tls, trust_env=False)
        try:
            answer = await transport.handle_async_request(request)
            try:
                body = await _read(answer)
            finally:
                await answer.aclose()
        finally:
            await transport.aclose()
        return TargetAnswer(answer.status_code, _retry_after(answer, at), body)


def signed(parcel: Parcel, at: datetime) -> dict[str, str]:
    """Return the headers of a message by the scheme of Standard Webhooks, signed with each of its secrets."""
    body = parcel.body.decode()
    signatures = [
        Webhook(written_secret(secret)).sign(msg_id=parcel.id, timestamp=at, data=body)
        for secret in parcel.secrets
    ]
    return {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "webhook-id": parcel.id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


async def _read(answer: httpx.Response) -> bytes:
    """Read some of an answer's body and return where it begins, whatever follows."""
    size, beginning = 0, b""
    with suppress(httpx.HTTPError, TimeoutError):
        async with asyncio.timeout(LONGEST_BODY):
            async for part in answer.aiter_raw():
                size += len(part)
                beginning += part[: LONGEST_ECHO - len(beginning)]
                if size >= LARGEST_BODY:
                    break
    return beginning


def _retry_after(answer: httpx.Response, at: datetime) -> timedelta | None:
    """Return how long an answer asks for patience: seconds, or until a date."""
    said = answer.headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return timedelta(seconds=min(int(said), 10**6)) if len(said) < 10 else timedelta(seconds=10**6)
    try:
        return email.utils.parsedate_to_datetime(said) - at
    except (ValueError, TypeError, OverflowError):
        return None


def _of_tls(error: BaseException | None) -> bool:
    """Return whether an error, or one that it was made of, is of TLS."""
    seen: Any = error
    while seen is not None:
        if isinstance(seen, ssl.SSLError):
            return True
        seen = seen.__cause__ or seen.__context__
    return False
