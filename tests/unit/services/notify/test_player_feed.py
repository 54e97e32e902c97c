"""What concerns a player: whom an event concerns, pages, streams, and how they go on."""

import asyncio
from typing import Any

import pytest

from domain.games import GAMES
from domain.match import (
    Cancel,
    CancelReason,
    Invite,
    LeaveSeat,
    PlayerId,
    Resign,
    StartMode,
)
from domain.shared.seats import Seat
from services.chat.log import ChatRoom
from services.matches.loaded import LoadedMatch
from services.matches.store import Secrets
from services.notify import player_feed
from services.notify.player_feed import (
    PlayerCaughtUp,
    PlayerEnd,
    PlayerEndReason,
    PlayerEvent,
    PlayerEventItem,
    PlayerEventKind,
    PlayerHeartbeat,
    PlayerReading,
)
from services.shared.errors import Malformed, Unavailable
from services.shared.ids import MatchId
from services.streams import channels
from tests.support.stores.use_cases import memory_stores, proposal

K = PlayerEventKind
MOUNTAINS = GAMES["mountains"].options()


class Table:
    """Players, matches and what is notified of them."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.stores = memory_stores()
        self.services = self.stores.node()
        self.feed = self.services.player_feed

    async def guests(self, *names: str) -> list[PlayerId]:
        """Return new players."""
        return [(await self.services.players.open_guest(name))[0].id for name in names]

    async def open(self, *players: PlayerId, **terms: Any) -> MatchId:
        """Open a match of Mountains of two seats in which some sit down."""
        wanted = proposal(game="mountains", options=MOUNTAINS, seats=2, **terms)
        _, opened = await self.services.openings.open(players[0], wanted, None)
        for seat, player in enumerate(players[1:], start=1):
            await self.services.lobby.take_seat(player, opened.id, seat, "", None)
        self.hear(*players)
        return opened.id

    async def do(self, match: MatchId, command: Any, by: PlayerId, seat: int | None = None) -> None:
        """Carry out a command in a match."""

        def order(live: LoadedMatch, secrets: Secrets) -> tuple[Seat | None, Any]:
            return None if seat is None else Seat(seat), command

        await self.services.decisions.carry_out(
            match, order, by=by, key=f"{match}{command}", asked=lambda _: 0
        )

    async def says(self, match: MatchId, player: PlayerId, text: str) -> None:
        """Write a message to the other players."""
        await self.services.chat.post(player, match, room=ChatRoom.PLAYERS, to_seat=None, text=text, key=None)

    def hear(self, *players: PlayerId) -> None:
        """Wake the streams of players, as the tails do."""
        for player in players:
            self.feed.channels.hear(player, 1)

    async def told(self, player: PlayerId, after: str | None = None) -> list[PlayerEvent]:
        """Return all that concerns a player."""
        return list((await self.feed.page(player, after=after, token=None, size=200)).items)


def kinds(events: list[PlayerEvent]) -> list[str]:
    """Return what has happened."""
    return [event.kind.value for event in events]


async def taken(reading: PlayerReading, count: int) -> list[Any]:
    """Return the next so many items."""
    items: list[Any] = []
    while len(items) < count:
        async with asyncio.timeout(5):
            items += [told.item for told in await reading.next()]
    assert len(items) == count
    return items


async def test_a_player_is_told_of_a_whole_match() -> None:
    """From the invitation to the end, all matches together, in order, with seats and versions."""
    table = Table()
    ann, ben = await table.guests("Ann", "Ben")
    match = await table.open(ann, start=StartMode.MANUAL)
    await table.do(match, Invite(ben), ann)
    await table.services.lobby.take_seat(ben, match, 1, "", None)
    await table.do(match, LeaveSeat(Seat(1), barred=True), ann)
    other = await table.open(ben, ann)
    await table.do(other, Resign(), ann, 1)
    await table.do(match, Cancel(CancelReason.BY_OPENER), ann)
    of_ann, of_ben = await table.told(ann), await table.told(ben)
    turns = [event for event in (*of_ann, *of_ben) if event.kind is K.YOUR_TURN]
    assert [turn.match for turn in turns] == [other]
    assert [kind for kind in kinds(of_ann) if kind != "your_turn"] == [
        *("seat_taken", "seat_left", "started", "ended", "cancelled")
    ]
    assert [kind for kind in kinds(of_ben) if kind != "your_turn"] == [
        *("invited", "kicked", "seat_taken", "started", "ended", "cancelled")
    ]
    assert [event.position for event in of_ann] == [str(number + 1) for number in range(len(of_ann))]
    started = next(event for event in of_ann if event.kind is K.STARTED)
    assert (started.match, started.game, started.seat) == (other, "mountains", Seat(1))


async def test_turns_and_talk_come_in_one_feed() -> None:
    """Messages for a player join what happens, in the order of time, and name their message."""
    table = Table()
    ann, ben = await table.guests("Ann", "Ben")
    match = await table.open(ann, ben)
    await table.says(match, ann, "hello")
    await table.says(match, ben, "good luck")
    await table.do(match, Resign(), ann, 0)
    told = await table.told(ben)
    said = [event for event in told if event.kind is K.CHAT]
    assert "hello" in [event.message.text for event in said if event.message]
    assert [told[-1].kind, told[-2].kind] == [K.ENDED, K.CHAT]
    assert [event.at for event in told] == sorted(event.at for event in told)


async def test_a_feed_goes_on_behind_every_place() -> None:
    """Whatever the place and the size of the pages, what is behind it comes, once, and no more."""
    table = Table()
    ann, ben = await table.guests("Ann", "Ben")
    for number in range(3):
        match = await table.open(ann, ben)
        await table.says(match, ann, str(number))
        await table.do(match, Resign(), ann, 0)
    whole = await table.told(ben)
    assert len({event.position for event in whole}) == len(whole) > 8
    for number, event in enumerate(whole):
        assert await table.told(ben, event.position) == whole[number + 1 :]
    for size in (1, 2, 3, len(whole)):
        parts: list[PlayerEvent] = []
        token: str | None = None
        while True:
            page = await table.feed.page(ben, after=None, token=token, size=size)
            parts += page.items
            if (token := page.next) is None:
                break
        assert parts == whole


async def test_a_place_of_another_feed_is_refused() -> None:
    """What is no place, lies behind all, or names a message that is not for the player, is refused."""
    table = Table()
    ann, ben, cam = await table.guests("Ann", "Ben", "Cam")
    match = await table.open(ann, ben)
    await table.says(match, ann, "hello")
    last = (await table.told(ben))[-1].position
    wrong = ["", "x", "-1", "01", "1.", "1.message_0", "99", f"{last} ", "٣", "1" * 30, f"9{last}"]
    for place in wrong:
        with pytest.raises(Malformed, match="INVALID_FIELD"):
            await table.feed.page(ben, after=place, token=None, size=1)
        with pytest.raises(Malformed, match="INVALID_FIELD"):
            await table.feed.watch(ben, after=place)
    with pytest.raises(Malformed, match="INVALID_FIELD"):
        await table.feed.page(cam, after=f"0.{last.partition('.')[2]}", token=None, size=1)
    token = (await table.feed.page(ben, after=None, token=None, size=1)).next
    assert token is not None
    for player, after, page in ((cam, None, token), (ben, "0", token), (ben, None, token[1:])):
        with pytest.raises(Malformed, match="INVALID_FIELD"):
            await table.feed.page(player, after=after, token=page, size=1)


async def test_a_stream_begins_now_and_goes_on() -> None:
    """Without a place it tells where it begins; then comes each event, and a new one resumes after any."""
    table = Table()
    ann, ben = await table.guests("Ann", "Ben")
    before = await table.open(ann, ben)
    reading = await table.feed.watch(ann, after=None)
    (edge,) = await taken(reading, 1)
    assert edge == PlayerCaughtUp((await table.told(ann))[-1].position)
    await table.do(before, Resign(), ben, 1)
    await table.says(before, ben, "well played")
    table.hear(ann)
    items = await taken(reading, 2)
    assert items == [PlayerEventItem(event) for event in await table.told(ann, edge.position)]
    reading.leave()
    resumed = await table.feed.watch(ann, after=items[0].event.position)
    assert await taken(resumed, 2) == [items[1], PlayerCaughtUp(items[1].event.position)]
    resumed.leave()


async def test_a_long_feed_is_sent_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much has happened, all of it comes, in order, before the live edge."""
    monkeypatch.setattr(player_feed, "PAGE", 2)
    table = Table()
    ann, ben = await table.guests("Ann", "Ben")
    for _ in range(3):
        await table.says(await table.open(ann, ben), ben, "hello")
    whole = await table.told(ann)
    reading = await table.feed.watch(ann, after="0")
    *items, edge = await taken(reading, len(whole) + 1)
    assert items == [PlayerEventItem(event) for event in whole]
    assert edge == PlayerCaughtUp(whole[-1].position)
    reading.leave()


async def test_a_quiet_stream_is_alive_and_ends_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats come while nothing happens; when the server stops, the stream tells."""
    monkeypatch.setattr(channels, "TICK", 0.01)
    table = Table()
    (ann,) = await table.guests("Ann")
    reading = await table.feed.watch(ann, after=None)
    edge, beat = await taken(reading, 2)
    assert (edge, beat.position) == (PlayerCaughtUp("0"), "0")
    assert isinstance(beat, PlayerHeartbeat)
    closing = asyncio.create_task(table.feed.channels.close(5))
    await asyncio.sleep(0)
    assert await taken(reading, 1) == [PlayerEnd("0", PlayerEndReason.SERVER_STOPPING)]
    assert reading.over
    reading.leave()
    await closing


async def test_a_stream_ends_with_its_token() -> None:
    """When its token is no longer good a stream says so, at once, and from where another may go on."""
    table = Table()
    (ann,) = await table.guests("Ann")
    reading = await table.feed.watch(ann, after=None)
    await taken(reading, 1)
    left: list[bool] = []
    reading.left = lambda: left.append(True)
    waiting = asyncio.create_task(reading.next())
    await asyncio.sleep(0)
    reading.revoke()
    assert [told.item for told in await waiting] == [PlayerEnd("0", PlayerEndReason.TOKEN_ENDED)]
    for _ in range(2):
        reading.leave()
    assert left == [True]


async def test_a_reader_that_takes_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not sent in time ends its reader, and no other."""
    monkeypatch.setattr(channels, "TICK", 0.01)
    table = Table()
    (ann,) = await table.guests("Ann")
    cut_off = asyncio.Event()
    slow = await table.feed.watch(ann, after=None)
    slow.cut_off = cut_off.set
    await taken(slow, 1)
    async with asyncio.timeout(5):
        await cut_off.wait()
    slow.leave()


async def test_a_store_that_is_away_ends_the_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream says why it ends, and from where to go on."""
    table = Table()
    ann, ben = await table.guests("Ann", "Ben")
    reading = await table.feed.watch(ann, after=None)
    await taken(reading, 1)

    async def away(*_: Any, **__: Any) -> None:
        raise Unavailable

    monkeypatch.setattr(table.stores.player_log, "entries", away)
    await table.open(ann, ben)
    assert await taken(reading, 1) == [PlayerEnd("0", PlayerEndReason.STORE_UNAVAILABLE)]
    reading.leave()


async def test_whom_nothing_concerns_is_not_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among many who wait, only those are read for whom something concerns."""
    table = Table()
    ann, ben, *others = await table.guests(*"abcdefgh")
    readings = [await table.feed.watch(player, after=None) for player in (ann, *others)]
    for reading in readings:
        await taken(reading, 1)
    waiting = [asyncio.create_task(reading.next()) for reading in readings]
    await asyncio.sleep(0)
    read: list[PlayerId] = []
    entries = table.stores.player_log.entries

    async def counted(player: PlayerId, **asked: Any) -> Any:
        read.append(player)
        return await entries(player, **asked)

    monkeypatch.setattr(table.stores.player_log, "entries", counted)
    await table.open(ann, ben)
    await waiting[0]
    await asyncio.sleep(0)
    assert set(read) == {ann}
    assert not any(task.done() for task in waiting[1:])
    for task, reading in zip(waiting, readings, strict=True):
        task.cancel()
        reading.leave()
