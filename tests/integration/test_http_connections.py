"""What the HTTP server takes from a connection: RFC 9112, within bounds of size, number and time."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest
import pytest_asyncio
from websockets.asyncio.client import connect
from websockets.frames import Frame, Opcode

from adapters.main import start_rest
from adapters.rest.server import bounds, connections
from adapters.rest.server.bounds import HttpConnections
from adapters.setting_values import Address
from services.use_cases import Services
from tests.support.stores.use_cases import memory_stores

pytestmark = pytest.mark.asyncio(loop_scope="module")

BODY = b'{"display_name": "Ann"}'
CHUNKS = b"17\r\n" + BODY + b"\r\n0\r\n"
GET = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
LENGTH = b"Content-Length: 23\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
SOCKET = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
)
HTTP2 = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABk\r\n"
END = b"\r\n"
SOON = 10.0
"""Seconds within which what is to happen at once must happen on a busy machine."""


class Face:
    """REST on stores in memory.

    Attributes:
        address: Where it listens.
        open: The connections that it counts.
        services: The use cases.
    """

    def __init__(self, address: Address, connections: HttpConnections, services: Services) -> None:
        """Take where it is."""
        self.address = address
        self.open = connections
        self.services = services

    async def connected(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a new connection."""
        return await asyncio.open_connection(*self.address)

    async def ask(self, *parts: bytes, end: bool = False) -> list[bytes]:
        """Send parts, with a pause between them, and return what comes, by answers; `end` closes one side."""
        reader, writer = await self.connected()
        try:
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.02 if len(parts) > 1 else 0)
            if end:
                writer.write_eof()
            async with asyncio.timeout(SOON):
                given = b""
                while not given or not end:
                    more = await reader.read(1 << 20)
                    given += more
                    if not more or (not end and b"\r\n\r\n" in given):
                        break
                if end:
                    given += await reader.read()
            return [b"HTTP/1.1 " + one for one in given.split(b"HTTP/1.1 ")[1:]]
        finally:
            writer.close()

    async def status(self, *parts: bytes) -> int:
        """Return the status of the answer to a request."""
        return int((await self.ask(*parts))[0].split()[1])


@asynccontextmanager
async def serving(**most: int) -> AsyncIterator[Face]:
    """Give REST on stores in memory, with these bounds."""
    services = memory_stores().node()
    counted = HttpConnections(**most)
    address, stop = await start_rest(Address("127.0.0.1", 0), services, connections=counted)
    try:
        yield Face(address, counted, services)
    finally:
        await stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def face() -> AsyncIterator[Face]:
    """REST without bounds of number."""
    async with serving() as face:
        yield face


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that waits for a client waits a fraction of a second."""
    monkeypatch.setattr(bounds, "LOOK", 0.05)
    monkeypatch.setattr(bounds, "SEND_SECONDS", 0.3)
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(connections, "LINGER_SECONDS", 0.3)
    monkeypatch.setattr(connections, "IDLE_SECONDS", 1.0)


async def test_a_request_needs_one_host_that_is_one(face: Face) -> None:
    """A missing, doubled or malformed `Host` is 400, an empty one is not; HTTP/1.0 needs none (3.2)."""
    line = b"GET /health/live HTTP/1.1\r\n"
    hosts = {
        b"": 400,
        b"Host: a\r\nHost: a\r\n": 400,
        b"Host: a b\r\n": 400,
        b"Host: a/b\r\n": 400,
        b"Host: user@a\r\n": 400,
        b"Host: a:b\r\n": 400,
        b"Host: a\xc3\xa9\r\n": 400,
        b"Host: [::1\r\n": 400,
        b"Host:\r\n": 200,
        b"Host: a\r\n": 200,
        b"Host: 127.0.0.1:8000\r\n": 200,
        b"Host: [::1]:8000\r\n": 200,
        b"Host: a_b-c.example:\r\n": 200,
    }
    assert {host: await face.status(line + host + END) for host in hosts} == hosts
    assert await face.status(b"GET /health/live HTTP/1.0\r\n\r\n") == 200
    assert await face.status(b"GET /health/live HTTP/1.0\r\nHost: a b\r\n\r\n") == 400
    (socket,) = await face.ask(b"GET /v1/matches/x/socket HTTP/1.1\r\n" + SOCKET + END)
    assert socket.startswith(b"HTTP/1.1 400")


async def test_a_target_may_have_an_authority(face: Face) -> None:
    """Clients of proxies send it; it goes before `Host` (RFC 9112, 3.2.2), and `OPTIONS *` is answered."""
    targets = {
        b"GET http://montane.example/health/live": 200,
        b"GET HTTPS://montane.example:443/health/live": 200,
        b"GET http://montane.example": 302,
        b"GET http://montane.example?a=b": 302,
        b"GET http://": 400,
        b"GET http://user@montane.example/": 400,
        b"GET health/live": 400,
        b"GET *": 400,
        b"OPTIONS *": 204,
        b"CONNECT montane.example:80": 501,
    }
    given = {target: await face.status(target + b" HTTP/1.1\r\nHost: x\r\n\r\n") for target in targets}
    assert given == targets


async def test_the_framing_of_a_body_leaves_no_doubt(face: Face) -> None:
    """What could be read in two ways is refused, and so is a coding that nobody could undo (RFC 9112, 6)."""
    framed = {
        LENGTH + END + BODY: 201,
        CHUNKED + END + CHUNKS + END: 201,
        CHUNKED + END + b"17;name=value\r\n" + BODY + b"\r\n0\r\nX-Trailer: 1\r\n\r\n": 201,
        LENGTH + CHUNKED + END + CHUNKS + END: 400,
        LENGTH + LENGTH + END + BODY: 400,
        b"Content-Length: +23\r\n\r\n" + BODY: 400,
        b"Content-Length: 99999999999999999999999\r\n\r\n" + BODY: 400,
        b"Transfer-Encoding: gzip, chunked\r\n\r\n" + CHUNKS + END: 501,
        b"Transfer-Encoding: identity\r\n\r\n" + BODY: 501,
        CHUNKED + CHUNKED + END + CHUNKS + END: 400,
        CHUNKED + END + b"FFFFFFFFFFFFFFFFF\r\n" + BODY: 400,
        CHUNKED + b"X-Folded: a\r\n b\r\n" + END + CHUNKS + END: 400,
        b"Content-Length : 23\r\n\r\n" + BODY: 400,
    }
    assert {rest: await face.status(POST + rest) for rest in framed} == framed
    old = POST.replace(b"1.1", b"1.0")
    assert await face.status(old + CHUNKED + END + CHUNKS + END) == 400
    assert await face.status(b"GET /health/live HTTP/2.0\r\nHost: x\r\n\r\n") == 505


async def test_a_trailer_is_no_part_of_the_head(face: Face) -> None:
    """A token in a trailer names nobody."""
    _, token = await face.services.players.open_guest("Ann")
    bearer = b"Authorization: Bearer " + token.encode() + END
    opened = b'{"game": "montana", "seat": 0}'
    line = b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + CHUNKED
    body = b"%x\r\n%b\r\n0\r\n" % (len(opened), opened)
    assert await face.status(line + END + body + bearer + END) == 401
    assert await face.status(line + bearer + END + body + END) == 201


async def test_an_upgrade_that_is_not_wanted_is_ignored(face: Face) -> None:
    """Java's client offers HTTP/2 with each first request, and expects an answer to it (RFC 9110, 7.8)."""
    for offer in (HTTP2, HTTP2.replace(b"h2c", b"websocket"), HTTP2.replace(b"h2c", b"TLS/1.3, x")):
        assert await face.status(POST + LENGTH + offer + END + BODY) == 201
        assert await face.status(POST + LENGTH + offer + END, BODY) == 201
        assert await face.status(POST + CHUNKED + offer + END, CHUNKS, END) == 201
    first, second = await face.ask(GET + HTTP2 + END + GET + END, end=True)
    assert (first[9:12], second[9:12]) == (b"200", b"200")


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"/v1/games", 200),
        (b"/docs", 200),
        (b"/v1/games?socket=/v1/matches/a/socket", 400),
        (b"/v1/players/me", 401),
        (b"/v1/quick-match", 405),
        (b"/nothing", 404),
        (b"/v1/matches/a%2Fb/socket/more", 404),
        (b"/v1/matches/none/socket", 101),
        (b"//v1/matches/none/socket/?x=1", 101),
        (b"http://y/v1/matches/none/socket", 101),
    ],
)
async def test_only_a_match_has_a_socket(face: Face, target: bytes, status: int) -> None:
    """Elsewhere the wish to switch is ignored too: what is there is answered, or said not to be."""
    answer, *_ = await face.ask(b"GET " + target + b" HTTP/1.1\r\nHost: x\r\n" + SOCKET + END)
    assert int(answer.split()[1]) == status
    if status >= 400:
        assert b"content-type: application/problem+json\r\n" in answer


@pytest.mark.parametrize(
    "framing", [b"", b"Content-Length: 0\r\n", b"Content-Length: 00\r\n", CHUNKED], ids=repr
)
async def test_a_body_that_is_not_sent_has_no_type(face: Face, framing: bytes) -> None:
    """Clients name one though they send nothing, and say so in each way that there is."""
    _, token = await face.services.players.open_guest("Ann")
    line = b"PATCH /v1/players/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token.encode() + END
    empty = b"0\r\n\r\n" if framing is CHUNKED else b""
    for media_type in (b"text/plain", b"application/x-www-form-urlencoded", b"application/json"):
        named = b"Content-Type: " + media_type + END
        assert await face.status(line + named + framing + END + empty) == 200
    text = b"Content-Type: text/plain\r\n"
    assert await face.status(line + text + LENGTH + END + BODY) == 415
    assert await face.status(line + text + CHUNKED + END + CHUNKS + END) == 415


async def test_a_client_may_ask_whether_to_go_on(face: Face) -> None:
    """It is told to with 100, or answered; the connection then closes, as its body may come or not."""
    careful = POST + LENGTH + b"Expect: 100-continue\r\n"
    go_on, answer = await face.ask(careful + END, BODY, end=True)
    assert (go_on, answer[9:12]) == (b"HTTP/1.1 100 Continue\r\n\r\n", b"201")
    reader, writer = await face.connected()
    writer.write(careful.replace(b"application/json", b"text/plain") + END)
    async with asyncio.timeout(SOON):
        refused = await reader.read()
    writer.close()
    assert (refused[9:12], b"connection: close" in refused) == (b"415", True)
    assert await face.status(careful.replace(b"100-continue", b"a-miracle") + END) == 417


async def test_what_is_sent_to_an_old_client_ends_with_the_connection(face: Face) -> None:
    """HTTP/1.0 knows no chunks: nginx still speaks it to servers after it, if nothing else is set."""
    _, token = await face.services.players.open_guest("Ann")
    bearer = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=f"http://{face.address}", headers=bearer) as http:
        match = (await http.post("/v1/matches", json={"game": "montana", "seat": 0})).json()["id"]
        await http.post(f"/v1/matches/{match}/commands", json={"command": {"type": "resign"}})
    line = f"GET /v1/matches/{match}/events HTTP/1.0\r\nAccept: application/x-ndjson\r\n"
    (answer,) = await face.ask(
        line.encode() + b"Authorization: Bearer " + token.encode() + END + END, end=True
    )
    head, _, body = answer.partition(b"\r\n\r\n")
    assert (b"transfer-encoding" in head, b"connection: close" in head) == (False, True)
    assert [json.loads(item)["type"] for item in body.splitlines()][-1:] == ["end"]


@pytest.mark.parametrize("size", [1, 7, 1_000])
async def test_a_request_may_come_in_any_pieces(face: Face, size: int) -> None:
    """Head, chunks and what is pipelined are read alike, however they are cut."""
    whole = (POST + CHUNKED + HTTP2 + END + CHUNKS + END) + (POST + LENGTH + END + BODY) + (GET + END)
    reader, writer = await face.connected()
    for first in range(0, len(whole), size):
        writer.write(whole[first : first + size])
        await asyncio.sleep(0)
    writer.write_eof()
    async with asyncio.timeout(SOON):
        given = await reader.read()
    writer.close()
    assert [one.split()[0] for one in given.split(b"HTTP/1.1 ")[1:]] == [b"201", b"201", b"200"]


async def test_what_was_sent_whole_is_answered_though_its_sender_sends_no_more(face: Face) -> None:
    """A command, two of them, one and a half: each whole one is answered, then the connection is closed."""
    whole = POST + LENGTH + END + BODY
    for sent, answered in ((whole, 1), (whole + whole, 2), (whole + whole[:-9], 1), (whole + whole[:9], 1)):
        answers = await face.ask(sent, end=True)
        assert [one.split()[1] for one in answers] == [b"201"] * answered
    assert await face.ask(whole[:-9], end=True) == []


async def test_a_command_over_a_socket_is_answered_though_its_sender_sends_no_more(face: Face) -> None:
    """The command and end of file at once: its result comes, then the socket is closed."""
    _, token = await face.services.players.open_guest("Ann")
    auth = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=f"http://{face.address}", headers=auth) as http:
        asked = {"game": "montana", "options": {"deal": 1}, "seat": 0}
        match = (await http.post("/v1/matches", json=asked)).json()["id"]
        async with connect(
            f"ws://{face.address}/v1/matches/{match}/socket?after=4", additional_headers=auth
        ) as socket:
            assert [json.loads(await socket.recv())["type"] for _ in range(2)] == ["presence", "caught_up"]
            command = {"id": "a", "command": {"type": "move_card", "card": "9H", "row": 3, "column": 8}}
            await socket.send(json.dumps(command))
            socket.transport.write_eof()
            async with asyncio.timeout(SOON):
                answer = json.loads(await socket.recv())
                assert [item async for item in socket] == []
            assert socket.close_code == 1000
    assert (answer["type"], answer["id"], answer["version"]) == ("result", "a", 5)


def flood(what: bytes, size: int = 200_000) -> bytes:
    """Return something over and over."""
    return what * (size // len(what))


REASONS = {414: "TARGET_TOO_LONG", 431: "HEAD_TOO_LARGE"}

HEADS: dict[str, tuple[int, bytes]] = {
    "target": (414, b"GET /" + flood(b"a")),
    "query": (414, b"GET /health/live?" + flood(b"a=b&")),
    "whole target": (414, b"GET /" + flood(b"a", 9_000) + b" HTTP/1.1\r\n"),
    "name": (431, GET + flood(b"a")),
    "value": (431, GET + b"X-A: " + flood(b"a")),
    "cookie": (431, GET + b"Cookie: " + flood(b"a=b; ")),
    "whole value": (431, GET + b"X-A: " + flood(b"a", 8_300) + b"\r\nX-B: b\r\n"),
    "lines": (431, GET + flood(b"a: b\r\n", 700)),
    "long lines": (431, GET + flood(b"X-A: " + b"a" * 7_000 + b"\r\n", 40_000)),
    "blanks": (431, GET + b"X-A:" + flood(b" ")),
    "socket": (431, b"GET /v1/matches/x/socket HTTP/1.1\r\nHost: x\r\n" + SOCKET + b"X-A: " + flood(b"a")),
    "trailer": (431, POST + CHUNKED + END + CHUNKS + b"X-A: " + flood(b"a")),
    "trailers": (431, POST + CHUNKED + END + CHUNKS + flood(b"a: b\r\n")),
    "extension": (431, POST + CHUNKED + END + b"17;" + flood(b"a")),
}


@pytest.mark.parametrize("name", HEADS)
async def test_a_head_is_bounded_while_it_comes(face: Face, name: str) -> None:
    """Of whatever it consists, it is refused before it is whole, and the connection closed."""
    status, head = HEADS[name]
    reader, writer = await face.connected()
    for first in range(0, len(head), 1_400):
        writer.write(head[first : first + 1_400])
        await asyncio.sleep(0)
    async with asyncio.timeout(SOON):
        answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    problem = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (problem["status"], problem["reason"]) == (status, REASONS[status])
    listed = (await face.ask(b"GET " + problem["type"].encode() + b" HTTP/1.1\r\nHost: x\r\n\r\n"))[0]
    assert listed.startswith(b"HTTP/1.1 200")


async def test_an_ordinary_head_is_far_below_the_bounds(face: Face) -> None:
    """Sixty lines, a cookie of 4 kB, a token of 7 kB and a query of 4 kB are taken."""
    lines = b"".join(b"X-Name-%d: value\r\n" % number for number in range(60))
    cookie = b"Cookie: " + b"a" * 4_096 + END
    assert await face.status(GET + lines + cookie + END) == 200
    assert await face.status(GET + b"Authorization: Bearer " + b"a" * 7_000 + END + END) == 200
    assert await face.status(b"GET /health/live?" + b"a" * 4_096 + b" HTTP/1.1\r\nHost: x\r\n\r\n") == 200


async def test_requests_are_answered_in_turn_however_many_are_sent_at_once(face: Face) -> None:
    """Ten thousand in one go are answered one by one; meanwhile no more are read, and others are served."""
    asked = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
    reader, writer = await face.connected()
    writer.write(asked * 10_000)
    writer.write_eof()
    for _ in range(20):
        assert await face.status(GET + END) == 200
    given = 0
    async with asyncio.timeout(60):
        while more := await reader.readuntil(b'{"status":"live"}') if given < 10_000 else b"":
            assert more.startswith(b"HTTP/1.1 200")
            given += 1
            for one in face.open._open:
                assert len(getattr(one, "pipeline", ())) <= connections.PIECE // len(asked) + 1
        assert await reader.read() == b""
    writer.close()
    assert given == 10_000


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", None),
        (b"\r\n", None),
        (b"GET / HT", 408),
        (GET + b"X-A: b", 408),
        (POST + LENGTH + END, 408),
        (POST + CHUNKED + END + b"17\r\n" + BODY[:9], 408),
        (POST + CHUNKED + END + CHUNKS + b"X-A", 408),
        (b"GET /v1/matches/x/socket HTTP/1.1\r\nHost: x\r\n" + SOCKET, 408),
    ],
    ids=["nothing", "blank line", "target", "head", "body", "chunk", "trailer", "socket"],
)
async def test_who_does_not_finish_a_request_is_cut_off(face: Face, sent: bytes, status: int | None) -> None:
    """Whatever is left unfinished is answered with 408 if anything of a request came, and closed."""
    reader, writer = await face.connected()
    writer.write(sent)
    async with asyncio.timeout(SOON):
        answer = await reader.read()
    writer.close()
    assert answer[9:12] == (b"" if status is None else b"%d" % status)
    await until(lambda: len(face.open) == 0)


@pytest.mark.usefixtures("hasty")
async def test_a_body_that_drips_is_cut_off(face: Face) -> None:
    """A byte now and then is too slow, after the time that a head has; what comes fast enough is not."""
    reader, writer = await face.connected()
    writer.write(POST + b"Content-Length: 60000\r\n\r\n")
    reading = asyncio.create_task(reader.read())
    async with asyncio.timeout(SOON):
        while not reading.done():
            writer.write(b" ")
            await asyncio.sleep(0.05)
    writer.close()
    assert (await reading).startswith(b"HTTP/1.1 408")
    reader, writer = await face.connected()
    long = BODY + b" " * 8_000
    writer.write(POST + b"Content-Length: %d\r\n\r\n" % len(long))
    for first in range(0, len(long), 1_000):
        writer.write(long[first : first + 1_000])
        await asyncio.sleep(0.1)
    assert (await reader.readline()).startswith(b"HTTP/1.1 201")
    writer.close()


@pytest.mark.usefixtures("hasty")
async def test_an_idle_connection_is_closed_after_a_while(face: Face) -> None:
    """It is kept longer between two requests than before the first."""
    reader, writer = await face.connected()
    for _ in range(2):
        writer.write(GET + END)
        assert (await reader.readuntil(b'{"status":"live"}')).startswith(b"HTTP/1.1 200")
        await asyncio.sleep(0.5)
    async with asyncio.timeout(SOON):
        assert await reader.read() == b""
    writer.close()


@pytest.mark.usefixtures("hasty")
async def test_a_reader_of_plain_answers_that_does_not_read_is_cut_off(face: Face) -> None:
    """What waits for it is thrown away, though the connection was to be kept or closed."""
    for line in (b"", b"Connection: close\r\n"):
        _, writer = await face.connected()
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        document = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n"
        writer.write((document + END) * 20 + document + line + END)
        await until(lambda: len(face.open) == 1)
        await until(lambda: len(face.open) == 0)
        writer.close()


@pytest.mark.usefixtures("hasty")
async def test_what_is_answered_before_it_was_read_is_not_read_for_ever(face: Face) -> None:
    """A body that is too large is answered at once; its sender may go on for a while, then it is cut off."""
    reader, writer = await face.connected()
    writer.write(POST + b"Content-Length: 1000000000\r\n\r\n")
    assert (await reader.readline()).startswith(b"HTTP/1.1 413")
    sent = 0
    async with asyncio.timeout(SOON):
        try:
            while sent < 100 << 20:
                writer.write(bytes(65_536))
                await writer.drain()
                sent += 65_536
        except ConnectionError:
            pass
    writer.close()
    assert sent < 50 << 20


async def test_there_are_only_so_many_connections(caplog: pytest.LogCaptureFixture) -> None:
    """Of one address, and in all: who is connected goes on, one that closes makes room, a line is logged."""
    for most, reason in (({"per_address": 5}, "one address"), ({"most": 5}, "there is room")):
        caplog.clear()
        async with serving(**most) as face:
            kept = [await face.connected() for _ in range(5)]
            await until(lambda: len(face.open) == 5)
            for _ in range(20):
                reader, writer = await face.connected()
                refused = await reader.read()
                writer.close()
                assert (refused[9:12], b"retry-after: 10" in refused) == (b"503", True)
                assert json.loads(refused.partition(b"\r\n\r\n")[2])["reason"] == "TOO_MANY_CONNECTIONS"
            for reader, writer in kept:
                writer.write(GET + END)
                assert (await reader.readline()).startswith(b"HTTP/1.1 200")
            kept[0][1].close()
            await until(lambda: len(face.open) == 4)
            assert await face.status(GET + END) == 200
            for _, writer in kept:
                writer.close()
        (line,) = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
        assert reason in line


def frame(opcode: Opcode, data: bytes = b"", fin: bool = True) -> bytes:
    """Return a frame as a client sends it."""
    return Frame(opcode, data, fin).serialize(mask=True)


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(Opcode.PING) * 20, None),
        (frame(Opcode.PING) * 21, 1008),
        (frame(Opcode.PING) * 30_000, 1008),
        (frame(Opcode.PONG) * 30_000, 1008),
        (frame(Opcode.TEXT, b"{", False) + frame(Opcode.CONT, b"", False) * 30_000, 1008),
        (frame(Opcode.TEXT, b"{", False) + frame(Opcode.PING) * 30, 1008),
        (frame(Opcode.TEXT, b"\xff"), 1007),
        (frame(Opcode.TEXT, b"a" * 65_537), 1009),
        (frame(Opcode.CONT, b"a"), 1002),
        (b"\xff" * 1_000, 1002),
    ],
    ids=[
        "20",
        "21",
        "pings",
        "pongs",
        "fragments",
        "between",
        "not text",
        "large",
        "out of turn",
        "no frame",
    ],
)
async def test_a_socket_takes_no_flood_of_frames(
    face: Face, caplog: pytest.LogCaptureFixture, sent: bytes, code: int | None
) -> None:
    """Pings and pongs are bounded, and so are the parts of a message; none of it is an error here."""
    _, token = await face.services.players.open_guest("Ann")
    auth = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=f"http://{face.address}", headers=auth) as http:
        match = (await http.post("/v1/matches", json={"game": "montana", "seat": 0})).json()["id"]
    reader, writer = await face.connected()
    writer.write(f"GET /v1/matches/{match}/socket HTTP/1.1\r\nHost: x\r\n".encode() + SOCKET + END)
    await reader.readuntil(b"\r\n\r\n")
    writer.write(sent)
    if code is None:
        writer.write(frame(Opcode.CLOSE, b"\x03\xe8"))
    async with asyncio.timeout(SOON):
        given = await read_all(reader)
    writer.close()
    assert (1_000 if code is None else code).to_bytes(2) in given[-125:]
    await until(lambda: len(face.open) == 0)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_messages_wait_unread_until_those_before_are_answered(face: Face) -> None:
    """A thousand commands in one go are answered in order, though the server reads a few at a time."""
    _, token = await face.services.players.open_guest("Ann")
    auth = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=f"http://{face.address}", headers=auth) as http:
        match = (await http.post("/v1/matches", json={"game": "montana", "seat": 0})).json()["id"]
    async with connect(f"ws://{face.address}/v1/matches/{match}/socket", additional_headers=auth) as socket:
        for number in range(1_000):
            await socket.send(json.dumps({"id": str(number), "command": {"type": "nothing"}}))
        ids: list[str] = []
        async with asyncio.timeout(60):
            while len(ids) < 1_000:
                item = json.loads(await socket.recv())
                if item["type"] == "problem":
                    ids.append(item["id"])
    assert ids == [str(number) for number in range(1_000)]


async def test_a_client_that_goes_away_is_no_error(face: Face, caplog: pytest.LogCaptureFixture) -> None:
    """In the midst of a head, a body, an answer, a stream or a handshake: nothing is logged."""
    caplog.set_level(logging.WARNING)
    _, token = await face.services.players.open_guest("Ann")
    auth = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=f"http://{face.address}", headers=auth) as http:
        match = (await http.post("/v1/matches", json={"game": "montana", "seat": 0})).json()["id"]
    at = f" /v1/matches/{match}".encode()
    bearer = b" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token.encode() + END
    requests = [
        POST + LENGTH + END + BODY,
        POST + CHUNKED + END + CHUNKS + END,
        b"GET" + at + b"/events" + bearer + b"Accept: text/event-stream\r\n" + END,
        b"GET" + at + b"/events" + bearer + b"Accept: application/x-ndjson\r\n" + END,
        b"GET" + at + b"/export?as=spectator" + bearer + END,
        b"GET /v1/players/me/events" + bearer + b"Accept: text/event-stream\r\n" + END,
        b"GET" + at + b"/chat" + bearer + b"Accept: text/event-stream\r\n" + END,
        b"GET" + at + b"/socket" + bearer + SOCKET + END + frame(Opcode.TEXT, b"{}") * 5,
    ]
    for request in requests:
        for length in (10, len(request) - 3, len(request)):
            for reset in (False, True):
                _, writer = await face.connected()
                writer.write(request[:length])
                await asyncio.sleep(0.01)
                if reset:
                    writer.transport.abort()
                writer.close()
    await until(lambda: len(face.open) == 0)
    assert [record.getMessage() for record in caplog.records] == []


async def read_all(reader: asyncio.StreamReader) -> bytes:
    """Return what comes until the connection is closed or reset."""
    given = b""
    try:
        while more := await reader.read(65_536):
            given += more
    except ConnectionError:
        pass
    return given


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(SOON):
        while not holds():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.01)
