"""What happens in a match, sent to those who watch it; on stores in memory."""

import asyncio
import gc
import weakref
from functools import partial

import msgspec
import pytest

from domain.games.montana.commands import MoveCard
from domain.match import Disclosure, Finished, MatchStatus, PlayerId, Resign, StartMode, Visibility
from domain.shared.seats import Seat
from domain.shared.viewers import SPECTATOR, seated
from services.matches.decisions import as_given
from services.matches.store import Recorded, Secrets
from services.shared.errors import Forbidden, NotFound, Unavailable
from services.shared.ids import MatchId
from services.streams import channels, match_stream
from services.streams.match_stream import (
    CaughtUp,
    End,
    EndReason,
    EventItem,
    Heartbeat,
    Item,
    SnapshotItem,
    Watch,
)
from services.streams.presence import PresenceItem
from services.use_cases import Services
from tests.support.stores.use_cases import Stores, memory_stores, proposal

ANN, BEN, CAM = (PlayerId(f"player_0000000000000000000000000{number}") for number in (1, 2, 3))
NINE, SEVEN = MoveCard("9H"), MoveCard("7C", 1, 3)


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


async def opened(node: Services, **changes: object) -> MatchId:
    """Return a match that Ann opened: of deal 1, at version 4."""
    _, listed = await node.openings.open(ANN, proposal(**changes), None)
    return listed.id


async def gives(node: Services, match: MatchId, command: object) -> None:
    """Let Ann give a command."""
    await node.commands.submit(
        ANN, match, as_given(command), key=None, expected_version=None, validate_only=False
    )


async def taken(watch: Watch, count: int) -> list[Item]:
    """Return the next so many items, but who is there."""
    items: list[Item] = []
    while len(items) < count:
        async with asyncio.timeout(5):
            told = await watch.next()
        items += [one.item for one in told if not isinstance(one.item, PresenceItem)]
    assert len(items) == count
    return items


def versions(items: list[Item]) -> list[int]:
    """Return the versions of the events among the items."""
    return [item.event.version for item in items if isinstance(item, EventItem)]


async def test_a_stream_begins_with_the_view_and_goes_on_live(stores: Stores) -> None:
    """First the full view, then that all was sent, then each event as it happens."""
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=None, looking_as=None)
    first, edge = await taken(watch, 2)
    assert first == SnapshotItem(
        4, await node.queries.view(match, ANN, version=4, looking_as=None), (Seat(0),)
    )
    assert edge == CaughtUp(4)
    await gives(node, match, NINE)
    (event,) = await taken(watch, 1)
    page = await node.queries.events(match, ANN, after=4, size=9, looking_as=None)
    assert event == EventItem(page.items[0])
    watch.leave()


async def test_a_stream_resumes_exactly_behind_a_version(stores: Stores) -> None:
    """Asked for events after a version, it sends these and no view."""
    node = stores.node()
    match = await opened(node)
    await gives(node, match, NINE)
    watch = await node.match_streams.watch(match, BEN, after=2, looking_as=None)
    items = await taken(watch, 4)
    assert versions(items) == [3, 4, 5]
    assert items[-1] == CaughtUp(5)
    watch.leave()
    with pytest.raises(NotFound, match="NO_SUCH_VERSION"):
        await node.match_streams.watch(match, BEN, after=6, looking_as=None)


async def test_a_stream_ends_with_the_match(stores: Stores) -> None:
    """After the last event it ends for good; a finished match is told and ends at once."""
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    assert await taken(watch, 1) == [CaughtUp(4)]
    await gives(node, match, Resign())
    *_, last, end = await taken(watch, 3)
    assert isinstance(last, EventItem)
    assert isinstance(last.event.payload, Finished)
    assert end == End(6, EndReason.MATCH_OVER, resumable=False)
    assert watch.over
    assert await watch.next() == []
    late = await node.match_streams.watch(match, None, after=None, looking_as=None)
    assert [type(item) for item in await taken(late, 3)] == [SnapshotItem, CaughtUp, End]
    resumed = await node.match_streams.watch(match, None, after=5, looking_as=None)
    assert [type(item) for item in await taken(resumed, 3)] == [EventItem, CaughtUp, End]


async def test_events_of_other_processes_are_read_without_a_gap(stores: Stores) -> None:
    """Events of another node come when they are heard of, and always before the next of one's own."""
    here, there = stores.node(), stores.node()
    match = await opened(here)
    watch = await here.match_streams.watch(match, ANN, after=4, looking_as=None)
    assert await taken(watch, 1) == [CaughtUp(4)]
    await gives(there, match, NINE)
    here.match_streams.channels.hear(match, 5)
    assert versions(await taken(watch, 1)) == [5]
    await gives(there, match, SEVEN)
    await gives(here, match, Resign())
    assert versions((await taken(watch, 4))[:3]) == [6, 7, 8]


async def test_what_happens_while_a_stream_begins_is_not_missed(stores: Stores) -> None:
    """A commit of another node that is heard of between reading the match and watching it is sent."""
    here, there = stores.node(), stores.node()
    match = await opened(there)
    channel = here.match_streams.channels.join(match)
    live = await here.decisions.matches.current(match)
    await gives(there, match, NINE)
    here.match_streams.channels.hear(match, 5)
    secrets = await here.decisions.secrets(match)
    watch = here.match_streams.channels.watch(channel, live, secrets, None, SPECTATOR, None)
    snapshot, event, _ = await taken(watch, 3)
    assert isinstance(snapshot, SnapshotItem)
    assert snapshot.version == 4
    assert versions([event]) == [5]


async def test_an_event_is_redacted_and_encoded_once_for_each_place(stores: Stores) -> None:
    """All spectators get the same object, so what is made of it is made once."""
    node = stores.node()
    match = await opened(node)
    watches = [
        await node.match_streams.watch(match, player, after=4, looking_as=None)
        for player in (None, BEN, None, ANN)
    ]
    for watch in watches:
        await taken(watch, 1)
    await gives(node, match, NINE)
    told = [(await watch.next())[0] for watch in watches]
    assert told[0] is told[1] is told[2]
    assert told[3] is not told[0]
    made: list[Item] = []

    def encode(item: Item) -> bytes:
        made.append(item)
        return msgspec.json.encode(item)

    assert len({told[0].encoded(encode), told[1].encoded(encode), told[2].encoded(encode)}) == 1
    assert len(made) == 1


async def test_snapshots_of_the_same_version_are_shared(stores: Stores) -> None:
    """Many who come back at once cost one view."""
    node = stores.node()
    match = await opened(node)
    first, second = [
        await node.match_streams.watch(match, None, after=None, looking_as=None) for _ in range(2)
    ]
    assert (await first.next())[0] is (await second.next())[0]


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> int:
    """A channel that holds few events."""
    monkeypatch.setattr(match_stream, "WINDOW", 3)
    return 3


async def test_a_reader_that_falls_behind_is_cut_off_and_can_resume(
    stores: Stores, small_window: int
) -> None:
    """It is told why and how far it came; a new stream goes on from there."""
    node = stores.node()
    match = await opened(node)
    slow = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    await taken(slow, 1)
    for _ in range(small_window + 1):
        for move in (await node.queries.view(match, ANN, version=None, looking_as=None)).legal_moves[:1]:
            await gives(node, match, move)
    assert await taken(slow, 1) == [End(4, EndReason.TOO_SLOW, resumable=True)]
    slow.leave()
    again = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    assert versions(await taken(again, 5)) == [5, 6, 7, 8]


async def test_a_stream_that_begins_far_back_is_not_too_slow(stores: Stores, small_window: int) -> None:
    """What is older than the window is read from the store."""
    node = stores.node()
    match = await opened(node)
    other = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    for _ in range(2 * small_window):
        moves = (await node.queries.view(match, ANN, version=None, looking_as=None)).legal_moves
        await gives(node, match, moves[0])
    watch = await node.match_streams.watch(match, ANN, after=0, looking_as=None)
    items = await taken(watch, 11)
    assert versions(items) == list(range(1, 11))
    assert items[-1] == CaughtUp(10)
    other.leave()


async def test_a_stream_gives_signs_of_life(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """When nothing happens, heartbeats come at least every 15 seconds."""
    assert channels.TICK * channels.TICKS_A_HEARTBEAT <= 15
    monkeypatch.setattr(channels, "TICK", 0.01)
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    _, first, second = await taken(watch, 3)
    assert isinstance(first, Heartbeat)
    assert isinstance(second, Heartbeat)
    assert (first.version, second.version) == (4, 4)
    assert first.at < second.at


async def test_a_reader_that_does_not_read_is_cut_off(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was given cannot be sent for too long: its connection is given up."""
    monkeypatch.setattr(channels, "TICK", 0.01)
    node = stores.node()
    match = await opened(node)
    stuck, fine = [await node.match_streams.watch(match, None, after=None, looking_as=None) for _ in range(2)]
    cut = asyncio.Event()
    stuck.cut_off = cut.set
    fine.cut_off = lambda: pytest.fail("it reads")
    await stuck.next()
    reading = asyncio.create_task(_read_on(fine))
    async with asyncio.timeout(5):
        await cut.wait()
    reading.cancel()


async def _read_on(watch: Watch) -> None:
    while True:
        await watch.next()


async def test_stopping_ends_all_streams_resumably(stores: Stores) -> None:
    """Every reader is told to come back, and stopping waits until they were told."""
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    await taken(watch, 1)
    waiting = asyncio.create_task(taken(watch, 1))
    await asyncio.sleep(0)
    closing = asyncio.create_task(node.match_streams.channels.close(5))
    assert await waiting == [End(4, EndReason.SERVER_STOPPING, resumable=True)]
    assert not closing.done()
    watch.leave()
    async with asyncio.timeout(5):
        await closing


async def test_a_reader_that_is_not_told_in_time_is_given_up(stores: Stores) -> None:
    """Stopping takes no longer than it may."""
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    cut = asyncio.Event()
    watch.cut_off = cut.set
    await node.match_streams.channels.close(0.01)
    assert cut.is_set()


async def test_a_nudge_lets_a_reader_look_up(stores: Stores) -> None:
    """Anyone who waits for events can be notified of something else."""
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    await taken(watch, 1)
    waiting = asyncio.create_task(watch.next())
    await asyncio.sleep(0)
    watch.nudge()
    assert await waiting == []


async def test_a_lost_store_ends_a_stream_resumably(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that must be read and cannot be: the reader is told to come back."""
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    await taken(watch, 1)

    async def away(*_: object) -> None:
        raise Unavailable

    monkeypatch.setattr(stores.store, "read", away)
    node.match_streams.channels.hear(match, 5)
    assert await taken(watch, 1) == [End(4, EndReason.STORE_UNAVAILABLE, resumable=True)]


async def test_only_who_may_look_may_watch(stores: Stores) -> None:
    """The same rules as for a view; what was refused leaves nothing behind."""
    node = stores.node()
    private = await opened(node, visibility=Visibility.PRIVATE)
    with pytest.raises(NotFound):
        await node.match_streams.watch(private, BEN, after=None, looking_as=None)
    public = await opened(node, disclosure=Disclosure.NEVER)
    for looking_as in ("0", "all"):
        with pytest.raises(Forbidden):
            await node.match_streams.watch(public, BEN, after=None, looking_as=looking_as)
    with pytest.raises(NotFound):
        await node.match_streams.watch(MatchId("match_" + "0" * 26), ANN, after=None, looking_as=None)
    async with asyncio.timeout(1):
        await node.match_streams.channels.idle()


async def test_presence_names_the_seats_that_watch(stores: Stores) -> None:
    """A snapshot tells which seats' players have a stream open here; leaving takes them out."""
    node = stores.node()
    match = await opened(node)
    ann = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    assert ann.viewer == seated(Seat(0))
    seen = await node.match_streams.watch(match, None, after=None, looking_as=None)
    (snapshot,) = await taken(seen, 1)
    assert isinstance(snapshot, SnapshotItem)
    assert snapshot.presence == (Seat(0),)
    ann.leave()
    ann.leave()
    seen = await node.match_streams.watch(match, None, after=None, looking_as=None)
    (snapshot,) = await taken(seen, 1)
    assert isinstance(snapshot, SnapshotItem)
    assert snapshot.presence == ()


async def test_a_stream_ends_when_its_player_loses_its_seat(stores: Stores) -> None:
    """What the next holder of the seat is dealt is not shown to the one before, nor a match that is private.

    A stream that begins later, of a player who had left and came back, is not ended by what was before.
    """
    node = stores.node()
    mountains = {"game": "mountains", "options": node.catalogue.game("mountains").options(), "seats": 2}
    manual = {"start": StartMode.MANUAL, "seat": 1}
    for visibility in Visibility:
        match = await opened(node, visibility=visibility, **mountains, **manual)
        shown = (await node.invitations.link(ANN, match)).invitation
        await node.lobby.take_seat(BEN, match, 0, "", None, invitation=shown)
        await node.lobby.leave_seat(BEN, match, 0, None)
        await node.lobby.take_seat(BEN, match, 0, "", None, invitation=shown)
        watches = [
            await node.match_streams.watch(match, BEN, after=after, looking_as=looking_as)
            for after, looking_as in ((5, None), (0, None), (5, "spectator"))
        ]
        await node.lobby.leave_seat(ANN, match, 0, None)
        fresh = (await node.invitations.link(ANN, match)).invitation
        await node.lobby.take_seat(CAM, match, 0, "", None, invitation=fresh)
        await node.lobby.start(ANN, match, None)
        assert (await node.queries.read(match, ANN)).match.status is MatchStatus.PLAYING
        for watch, first in zip(watches, (6, 1, 6), strict=True):
            items = await taken(watch, 6 - first + 2)
            assert versions(items) == list(range(first, 7))
            assert items[-1] == End(6, EndReason.SEAT_LEFT, resumable=True)
            watch.leave()


async def test_the_stream_of_a_match_that_is_called_off_ends(stores: Stores) -> None:
    """Nothing happens in it any more: live, and for who begins after its last event."""
    node = stores.node()
    match = await opened(node, start=StartMode.MANUAL)
    watch = await node.match_streams.watch(match, BEN, after=2, looking_as=None)
    await taken(watch, 1)
    await node.lobby.cancel(ANN, match, None)
    items = await taken(watch, 2)
    assert versions(items) == [3]
    assert items[-1] == End(3, EndReason.MATCH_OVER, resumable=False)
    late = await node.match_streams.watch(match, BEN, after=3, looking_as=None)
    assert late.finished
    assert await taken(late, 2) == [CaughtUp(3), End(3, EndReason.MATCH_OVER, resumable=False)]


@pytest.mark.parametrize("begins", ["stream", "bundle", "list"])
async def test_a_viewer_is_judged_on_the_match_that_it_is_shown(
    stores: Stores, monkeypatch: pytest.MonkeyPatch, begins: str
) -> None:
    """Who loses its seat while something is read is shown nothing that the next holder is dealt."""
    node = stores.node()
    wanted = {"game": "mountains", "options": node.catalogue.game("mountains").options(), "seats": 2}
    match = await opened(node, start=StartMode.MANUAL, seat=1, **wanted)
    await node.lobby.take_seat(BEN, match, 0, "", None)
    decisions, store = node.decisions, stores.store
    reads, secrets = store.read, decisions.secrets
    await secrets(match)

    async def swap() -> None:
        monkeypatch.undo()
        await node.lobby.leave_seat(BEN, match, 0, None)
        await node.lobby.take_seat(CAM, match, 0, "", None)
        await node.lobby.start(ANN, match, None)

    async def slow_secrets(id: MatchId) -> Secrets:
        await swap()
        return await secrets(id)

    async def slow_read(id: MatchId, after: int = 0, up_to: int | None = None) -> list[Recorded]:
        # The match is read to its end before, by anyone who asks for it.
        if up_to is not None:
            await swap()
        return await reads(id, after, up_to)

    monkeypatch.setattr(decisions, "secrets", slow_secrets)
    if begins == "stream":
        watch = await node.match_streams.watch(match, BEN, after=None, looking_as=None)
        assert watch.viewer == SPECTATOR
        watch.leave()
    elif begins == "bundle":
        assert (await node.proofs.export(match, BEN, looking_as=None)).viewer == SPECTATOR
    else:
        monkeypatch.setattr(decisions, "secrets", secrets)
        monkeypatch.setattr(store, "read", slow_read)
        page = await node.queries.events(match, BEN, after=0, size=50, looking_as=None)
        assert [event.version for event in page.items] == [1, 2, 3]
    assert (await node.queries.read(match, ANN)).match.status is MatchStatus.PLAYING


async def test_a_channel_goes_with_its_last_watch(stores: Stores) -> None:
    """What was held for a finished match is freed at once, by reference counts, though others knew it."""
    node = stores.node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=None, looking_as=None)
    watch.cut_off = watch.left = partial(Watch.nudge, watch)
    await taken(watch, 2)
    await gives(node, match, Resign())
    await taken(watch, 2)
    channel = node.match_streams.channels.join(match)
    node.match_streams.channels.part(channel)
    held = weakref.ref(channel), weakref.ref(watch)
    gc.disable()
    try:
        watch.leave()
        del channel, watch
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()
