"""What concerns a player: alike in memory and PostgreSQL, complete across nodes, the same by both faces."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import httpx
import pytest

from adapters.grpc.generated.montane.v1 import player_feed_pb2 as pb
from adapters.grpc.generated.montane.v1.player_feed_pb2_grpc import PlayerFeedServiceStub
from adapters.grpc.mapping import timestamp_of
from adapters.grpc.server import GrpcServer
from adapters.main import start_rest
from adapters.postgres.log.tail import Followed, Tail
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.follower import Follower
from adapters.postgres.read_models.player_feed import FEEDS, TALK
from adapters.postgres.read_models.registry import read_models
from adapters.setting_values import Address
from domain.games import GAMES
from domain.match import PlayerId, Resign
from services.chat.log import ChatRoom
from services.matches.decisions import as_given
from services.notify.player_feed import Place, PlayerEvent, PlayerEventItem, PlayerEventKind, PlayerReading
from services.players.store import Scope
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.faces.server import eventually
from tests.support.stores.database import end_sessions
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores, proposal

MOUNTAINS = GAMES["mountains"].options()


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


async def guests(services: Services, *names: str) -> list[PlayerId]:
    """Return new players of these names."""
    return [(await services.players.open_guest(name))[0].id for name in names]


async def begun(services: Services, ann: PlayerId, ben: PlayerId) -> MatchId:
    """Return a match of Mountains that Ann has opened, with Ben."""
    _, opened = await services.openings.open(
        ann, proposal(game="mountains", options=MOUNTAINS, seats=2), None
    )
    await services.lobby.take_seat(ben, opened.id, 1, "", None)
    return opened.id


async def given_up(services: Services, match: MatchId, player: PlayerId) -> None:
    """Let a player give a match up."""
    await services.commands.submit(
        player, match, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )


async def says(services: Services, match: MatchId, player: PlayerId, text: str) -> None:
    """Write a message to the other players."""
    await services.chat.post(player, match, room=ChatRoom.PLAYERS, to_seat=None, text=text, key=None)


async def test_every_store_numbers_what_concerns_a_player(stores: Stores) -> None:
    """From 1 without a gap, in the order of the log, a part at a time; nobody else's is among it."""
    services = stores.node()
    ann, ben, cam = await guests(services, "Ann", "Ben", "Cam")
    for other in (ben, cam, ben):
        await given_up(services, await begun(services, ann, other), other)
        stores.catch_up()
    entries = await stores.player_log.entries(ann, after=0, limit=100)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    kinds = [entry.kind for entry in entries if entry.kind is not PlayerEventKind.YOUR_TURN]
    once = [PlayerEventKind.SEAT_TAKEN, PlayerEventKind.STARTED, PlayerEventKind.ENDED]
    assert kinds == once * 3
    assert len({entry.match for entry in entries}) == 3
    assert await stores.player_log.entries(ann, after=2, limit=3) == entries[2:5]
    assert await stores.player_log.latest(ann) == len(entries)
    of_cam = await stores.player_log.entries(cam, after=0, limit=100)
    assert {entry.match for entry in of_cam} == {entries[len(entries) // 2].match}
    assert (await stores.player_log.latest(PlayerId("player_" + "0" * 26))) == 0


async def test_every_store_finds_the_talk_for_a_player(stores: Stores) -> None:
    """The last message, and any by its id, but none that is not for the player."""
    services = stores.node()
    ann, ben, cam = await guests(services, "Ann", "Ben", "Cam")
    match = await begun(services, ann, ben)
    assert await stores.chat_log.latest_for(ben) is None
    for text in ("one", "two"):
        await says(services, match, ann, text)
    one, two = await stores.chat_log.for_player(ben, after=0, limit=9)
    assert await stores.chat_log.latest_for(ben) == two
    assert await stores.chat_log.message_for(ben, one.id) == one
    assert await stores.chat_log.message_for(cam, one.id) is None
    assert await stores.chat_log.latest_for(cam) is None


@asynccontextmanager
async def told(database: str, services: Services) -> AsyncIterator[None]:
    """Let a node hear what concerns players, whichever node writes it."""
    hear = services.player_feed.channels.hear
    tail = Tail(database, Followed(hear, FEEDS), Followed(hear, TALK))
    await tail.start()
    try:
        yield
    finally:
        await tail.stop()


async def until_ended(reading: PlayerReading, matches: int) -> list[PlayerEvent]:
    """Return what a stream gives until so many matches are over and were talked about."""
    events: list[PlayerEvent] = []
    while sum(event.kind in (PlayerEventKind.ENDED, PlayerEventKind.CHAT) for event in events) < 2 * matches:
        async with asyncio.timeout(20):
            items = [told.item for told in await reading.next()]
        events += [item.event for item in items if isinstance(item, PlayerEventItem)]
    return events


async def test_a_stream_on_another_node_has_no_gap(database: str) -> None:
    """What one node writes, a stream on another gives once and in order, also while connections are lost."""
    async with postgres_stores(database) as here, postgres_stores(database) as there:
        writing, watching = here.node(), there.node()
        ann, ben = await guests(writing, "Ann", "Ben")
        models = ReadModels(dict(GAMES), here.datastore, read_models())
        follower = Follower(models.catch_up)
        follower.start()
        async with told(database, watching):
            reading = await watching.player_feed.watch(ann, after=None)
            stream = asyncio.create_task(until_ended(reading, 6))
            for number in range(6):
                match = await begun(writing, ann, ben)
                if number in (2, 4):
                    end_sessions(database)
                await says(writing, match, ben, str(number))
                await given_up(writing, match, ben)
            events = await stream
            reading.leave()
        await asyncio.to_thread(follower.stop)
        numbers = [int(event.position.partition(".")[0]) for event in events]
        assert sorted(set(numbers)) == list(range(min(numbers), max(numbers) + 1))
        assert len({event.position for event in events}) == len(events)
        assert numbers == sorted(numbers)
        texts = [event.message.text for event in events if event.message is not None]
        assert texts == list("012345")


class Faces:
    """Both faces on stores in memory, and a player of each."""

    def __init__(
        self, stores: Stores, services: Services, http: httpx.AsyncClient, calls: Any, token: str
    ) -> None:
        """Take what they stand on, and how they are reached."""
        self.stores = stores
        self.services, self.http, self.calls = services, http, calls
        self.bearer = {"authorization": f"Bearer {token}"}

    async def listed(self, **query: Any) -> Any:
        """Return a page over REST."""
        return await self.http.get("/v1/players/me/events", params=query, headers=self.bearer)

    async def streamed(self, media_type: str, count: int, **headers: str) -> list[str]:
        """Return the first parts of a stream over REST."""
        parts: list[str] = []
        asked = self.bearer | {"accept": media_type} | headers
        end = "\n\n" if media_type == "text/event-stream" else "\n"
        async with self.http.stream("GET", "/v1/players/me/events", headers=asked) as answer:
            assert answer.headers["content-type"] == media_type
            text = ""
            async for more in answer.aiter_text():
                text += more
                *parts, _ = text.split(end)
                if len(parts) >= count:
                    break
        return parts[:count]


@pytest.fixture
async def faces() -> AsyncIterator[Faces]:
    """Both faces."""
    stores = memory_stores()
    services = stores.node()
    _, token = await services.players.open_guest("Ann")
    address, stop = await start_rest(Address("127.0.0.1", 0), services)
    server = GrpcServer(services, "127.0.0.1:0")
    await server.start()
    async with (
        httpx.AsyncClient(base_url=f"http://{address}", timeout=10) as http,
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        yield Faces(stores, services, http, PlayerFeedServiceStub(channel), token)
    await services.player_feed.channels.close(1)
    await server.stop(0)
    await stop()


async def test_both_faces_tell_the_same(faces: Faces) -> None:
    """Pages and streams of REST and gRPC hold the same items, and go on after the same positions."""
    ann = (await faces.services.players.authenticate(faces.bearer["authorization"][7:], Scope.READ)).id
    (ben,) = await guests(faces.services, "Ben")
    match = await begun(faces.services, ann, ben)
    await says(faces.services, match, ben, "hello")
    await given_up(faces.services, match, ben)
    metadata = tuple(faces.bearer.items())

    items = (await faces.listed(page_size=200)).json()["items"]
    same = await faces.calls.ListPlayerEvents(pb.ListPlayerEventsRequest(page_size=200), metadata=metadata)
    assert [plain(item) for item in same.items] == [
        item | {"message": item["message"] and item["message"]["text"]} for item in items
    ]
    first = (await faces.listed(page_size=1)).json()
    again = await faces.calls.ListPlayerEvents(pb.ListPlayerEventsRequest(page_size=1), metadata=metadata)
    assert first["next_page_token"] == again.next_page_token
    second = (await faces.listed(page_size=1, page_token=first["next_page_token"])).json()
    assert second["items"] == items[1:2]

    lines = await faces.streamed("application/x-ndjson", len(items), **{"last-event-id": "1"})
    assert [json.loads(line) for line in lines] == [
        *({"type": "event", "event": item} for item in items[1:]),
        {"type": "caught_up", "position": items[-1]["position"]},
    ]
    _, *parts = await faces.streamed("text/event-stream", 3, **{"last-event-id": items[-2]["position"]})
    assert [part.splitlines()[:2] for part in parts] == [
        [f"id: {items[-1]['position']}", "event: event"],
        [f"id: {items[-1]['position']}", "event: caught_up"],
    ]
    watched = faces.calls.WatchPlayer(pb.WatchPlayerRequest(after="1"), metadata=metadata)
    sent = [(await watched.read()).item for _ in items]
    assert [plain(item.event.event) for item in sent[:-1]] == [plain(item) for item in same.items[1:]]
    assert sent[-1].caught_up.position == items[-1]["position"]
    watched.cancel()


async def test_both_faces_tell_what_is_forgotten(faces: Faces) -> None:
    """Lists say from where on all is kept, and every stream that was to begin before says so first."""
    ann = (await faces.services.players.authenticate(faces.bearer["authorization"][7:], Scope.READ)).id
    (ben,) = await guests(faces.services, "Ben")
    await given_up(faces.services, await begun(faces.services, ann, ben), ben)
    metadata = tuple(faces.bearer.items())
    whole = (await faces.listed()).json()
    assert whole["oldest"] == "0"
    faces.stores.player_log.starts[ann] = Place(2)
    page = (await faces.listed(after="0")).json()
    assert (page["oldest"], page["items"]) == ("2", whole["items"][2:])
    same = await faces.calls.ListPlayerEvents(pb.ListPlayerEventsRequest(after="1"), metadata=metadata)
    assert (same.oldest, len(same.items)) == ("2", len(page["items"]))

    lines = await faces.streamed("application/x-ndjson", 2, **{"last-event-id": "1"})
    assert json.loads(lines[0]) == {"type": "truncated", "oldest": "2"}
    assert json.loads(lines[1]) == {"type": "event", "event": page["items"][0]}
    parts = await faces.streamed("text/event-stream", 3, **{"last-event-id": "0"})
    part = next(part for part in parts if "truncated" in part)
    assert part.splitlines() == ["event: truncated", 'data: {"type":"truncated","oldest":"2"}']
    watched = faces.calls.WatchPlayer(pb.WatchPlayerRequest(after="1"), metadata=metadata)
    assert (await watched.read()).item.truncated.oldest == "2"
    assert (await watched.read()).item.event.event.position == "3"
    watched.cancel()
    lines = await faces.streamed("application/x-ndjson", 1, **{"last-event-id": "2"})
    assert json.loads(lines[0])["type"] == "event"


async def test_streams_end_with_their_token(faces: Faces) -> None:
    """A token that is revoked ends the streams that were opened with it, on both faces."""
    players = faces.services.players
    ann = await players.authenticate(faces.bearer["authorization"][7:], Scope.READ)
    watched = faces.calls.WatchPlayer(pb.WatchPlayerRequest(), metadata=tuple(faces.bearer.items()))
    assert (await watched.read()).item.HasField("caught_up")
    lines = asyncio.create_task(faces.streamed("application/x-ndjson", 2))
    channel = faces.services.player_feed.channels.channel(ann.id)
    assert channel is not None
    await asyncio.to_thread(eventually, lambda: len(channel.readers) == 2)
    (token,) = (await players.tokens(ann, after=None, size=2)).items
    await players.revoke(ann, token.id)
    await players.sessions.look()
    assert (await watched.read()).item.end.reason == pb.PLAYER_END_REASON_TOKEN_ENDED
    assert json.loads((await lines)[1]) == {"type": "end", "position": "0", "reason": "TOKEN_ENDED"}


async def test_both_faces_refuse_the_same(faces: Faces) -> None:
    """Nobody's feed, a place that is none, a token that was changed."""
    nobody = await faces.http.get("/v1/players/me/events")
    assert (nobody.status_code, nobody.json()["reason"]) == (401, "TOKEN_MISSING")
    for query in ({"after": "x"}, {"after": "5"}, {"page_token": "x"}, {"page_size": 0}):
        refused = await faces.listed(**query)
        assert (refused.status_code, refused.json()["reason"]) == (400, "INVALID_FIELD"), query
    metadata = tuple(faces.bearer.items())
    for request, given, code in (
        (pb.ListPlayerEventsRequest(), (), grpc.StatusCode.UNAUTHENTICATED),
        (pb.ListPlayerEventsRequest(after="x"), metadata, grpc.StatusCode.INVALID_ARGUMENT),
        (pb.ListPlayerEventsRequest(page_size=0), metadata, grpc.StatusCode.INVALID_ARGUMENT),
        (pb.ListPlayerEventsRequest(page_token="x"), metadata, grpc.StatusCode.INVALID_ARGUMENT),  # noqa: S106
    ):
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await faces.calls.ListPlayerEvents(request, metadata=given)
        assert raised.value.code() is code
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await faces.calls.WatchPlayer(pb.WatchPlayerRequest(after="7"), metadata=metadata).read()
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def plain(event: Any) -> dict[str, Any]:
    """Return an event of a feed as JSON has it, of a message only its text."""
    seconds = event.at.ToDatetime()
    assert timestamp_of(seconds) == event.at
    return {
        "position": event.position,
        "kind": pb.PlayerEventKind.Name(event.kind).removeprefix("PLAYER_EVENT_KIND_").lower(),
        "match": event.match if event.HasField("match") else None,
        "game": event.game if event.HasField("game") else None,
        "version": event.version if event.HasField("version") else None,
        "seat": event.seat if event.HasField("seat") else None,
        "message": event.message.text if event.HasField("message") else None,
        "webhook": event.webhook if event.HasField("webhook") else None,
        "at": seconds.isoformat() + "Z",
    }
