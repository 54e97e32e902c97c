"""What happens in a match, sent to those who watch it, without a gap.

A match that is watched has one channel in the process. Its watches read it at their own speed and hold no
queue, only the version that they have reached. The latest events lie in the channel's window, each redacted
and encoded once for all watches that look from the same place; older ones are read from the store.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any

from msgspec import Struct

from domain.match import Cancelled, Finished, InvitationRenewed, Invited, PlayerId, SeatLeft, SeatTaken
from domain.match.concerns import may_know
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer
from services.matches.access import check_known_to, seats_of, viewer_of
from services.matches.decisions import Decisions
from services.matches.loaded import LoadedMatch
from services.matches.queries import Queries
from services.matches.store import EventStore, Recorded, Secrets
from services.matches.views import SeenEvent, Source, View, seen_event, source, view
from services.shared.errors import NotFound, SetAside, Unavailable
from services.shared.ids import MatchId
from services.shared.time import Clock, Time
from services.streams.presence import Attendance, PresenceItem, PresenceLog, Presences

WINDOW = 256
"""How many of a match's latest events are held for its watches. One that was live and falls further behind is
too slow."""
PAGE = 200
"""The most items that a watch is given at once."""
TICK = 5.0
"""Seconds between two looks at all watches."""
TICKS_A_HEARTBEAT = 2
TICKS_TO_SEND = 4
"""How long what a watch was given may take to be sent; then its reader is cut off."""
APART = 1.0
"""Seconds between two times that a stream tells who is there, at least."""
CROWD = 500
"""How many may watch a match and still be told once a second how many look on."""
TOGETHER = 256
"""How many watches are woken in one turn of the event loop, so that commands get their turn too."""


class SnapshotItem[C, T](Struct, frozen=True, tag_field="type", tag="snapshot"):
    """The match as it stands: where a stream begins that was not asked for events behind a version.

    Attributes:
        version: How many events the match has.
        view: The match as the viewer may see it, with its legal moves.
        presence: Seats whose players have a stream of this match open, on any server, rising.
    """

    version: int
    view: View[C, T]
    presence: tuple[Seat, ...]


class EventItem[P](Struct, frozen=True, tag_field="type", tag="event"):
    """An event as the viewer may see it; none is ever left out."""

    event: SeenEvent[P]


class CaughtUp(Struct, frozen=True, tag_field="type", tag="caught_up"):
    """All that has happened was sent; what follows is live.

    Attributes:
        version: How many events the match has.
    """

    version: int


class Heartbeat(Struct, frozen=True, tag_field="type", tag="heartbeat"):
    """The stream is alive, though nothing happens.

    Attributes:
        version: How many events the match has.
        at: The server's time, UTC.
    """

    version: int
    at: Time


class EndReason(StrEnum):
    """Why a stream ends."""

    MATCH_OVER = "MATCH_OVER"
    SERVER_STOPPING = "SERVER_STOPPING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    TOO_SLOW = "TOO_SLOW"
    SEAT_LEFT = "SEAT_LEFT"
    INVITATION_RENEWED = "INVITATION_RENEWED"
    TOKEN_ENDED = "TOKEN_ENDED"  # noqa: S105 - no token
    EVENTS_LOST = "EVENTS_LOST"
    MATCH_SET_ASIDE = "MATCH_SET_ASIDE"


FINAL = (EndReason.MATCH_OVER, EndReason.MATCH_SET_ASIDE)
"""The reasons behind which nothing more comes, of a new stream either."""


class End(Struct, frozen=True, tag_field="type", tag="end"):
    """Nothing more comes.

    Attributes:
        version: The last version that was sent; of `EVENTS_LOST` the last of them that still holds.
        reason: Why the stream ends.
        resumable: Whether there may be more behind `version`, to be asked for by a new stream.
    """

    version: int
    reason: EndReason
    resumable: bool


type Item = SnapshotItem[Any, Any] | EventItem[Any] | PresenceItem | CaughtUp | Heartbeat | End


class Encoded:
    """An item on its way to any number of watches.

    Attributes:
        item: What is told.
    """

    __slots__ = ("_forms", "item")

    def __init__(self, item: Any) -> None:
        """Take the item, of whatever kind of stream; it is encoded when the first watch asks for it."""
        self.item = item
        self._forms: dict[Callable[[Any], Any], Any] = {}

    def encoded[Form](self, encode: Callable[[Any], Form]) -> Form:
        """Return what `encode` makes of the item; it is made once."""
        try:
            form: Form = self._forms[encode]
        except KeyError:
            form = self._forms[encode] = encode(self.item)
        return form


class Latest:
    """One of a match's latest events, redacted once for each place that is looked from."""

    __slots__ = ("_told", "recorded")

    def __init__(self, recorded: Recorded) -> None:
        """Take the event."""
        self.recorded = recorded
        self._told: dict[Viewer, Encoded] = {}

    def told(self, source: Source, viewer: Viewer) -> Encoded:
        """Return the event as the viewer may see it."""
        if (told := self._told.get(viewer)) is None:
            told = self._told[viewer] = Encoded(EventItem(seen_event(source, self.recorded, viewer)))
        return told


class MatchChannel:
    """What is known of a match that is watched.

    Attributes:
        id: The match.
        users: How many watch or are about to.
        heard: The highest version that exists, as far as is known.
        watches: Those who watch.
        attendance: Who is there, on any node.
        shown: Who was there when that was shown last.
        shows: How often that was shown.
        doubted: Whether events that are known here may be lost, and others stand in their place.
        losses: The versions behind which events were lost, in the order in which that was found.
    """

    def __init__(self, id: MatchId, store: EventStore) -> None:
        """Begin before anything is known of the match."""
        self.doubted = False
        self.losses: list[int] = []
        self.id = id
        self.users = 0
        self.heard = 0
        self.watches: set[Watch] = set()
        self.attendance = Attendance()
        self.shown: Encoded | None = None
        self.shows = 0
        self._shown_at = -APART
        self._stirring: asyncio.TimerHandle | None = None
        self._store = store
        self._source: Source | None = None
        self._window: deque[Latest] = deque(maxlen=WINDOW)
        self._last = 0
        self._head: str | None = None
        self._filling = asyncio.Lock()
        self._snapshots: dict[Viewer, Encoded] = {}
        self._asleep: list[asyncio.Future[None]] = []
        self._heartbeat: Encoded | None = None

    def begin(self, live: LoadedMatch, secrets: Secrets) -> None:
        """Take in where the match stands when the first watch begins."""
        if self._source is None:
            self._source = source(live, secrets)
            self._last, self._head = live.version, live.head
        self.hear(live.version)

    def hear(self, version: int) -> None:
        """Learn that the match has reached a version, and wake the watches."""
        if version > self.heard:
            self.heard = version
            self.wake()

    def publish(self, events: Sequence[Recorded]) -> None:
        """Take in events that are committed; those that do not follow are read when they are wanted."""
        if self._source is not None and events[0].version <= self._last + 1:
            if events[0].version == self._last + 1 and self._head in (None, events[0].link.previous):
                self._window.extend(map(Latest, events))
                self._last, self._head = events[-1].version, events[-1].link.hash
            else:
                self.doubt()
        self.hear(events[-1].version)

    def doubt(self) -> None:
        """Learn that events which are known here may be lost."""
        self.doubted = True
        self.wake()

    def shaken(self, losses: int) -> bool:
        """Return whether events may be lost, beyond so many losses that are known."""
        return self.doubted or losses < len(self.losses)

    async def recheck(self) -> None:
        """Forget the events that are known here and are not stored; `losses` says behind which version.

        Raises:
            Unavailable: The store is away.
            SetAside: The match cannot be read.
        """
        async with self._filling:
            if not self.doubted:
                return
            known, end = self._last, 0
            oldest = known - len(self._window)
            hashes: dict[int, str] = {}
            for recorded in await self._store.read(self.id, max(0, oldest - 1)):
                end = recorded.version
                hashes[end] = recorded.link.hash
            while self._window and hashes.get(self._last) != self._head:
                self._head = self._window.pop().recorded.link.previous
                self._last -= 1
            kept = self._last
            if kept > end or (self._head is not None and hashes.get(kept) != self._head):
                # All that is known here is lost, and how far back that goes cannot be told.
                kept, self._last, self._head = 0, end, hashes.get(end)
            if kept < known or self.heard > end:
                self.losses.append(kept)
            self.heard = end
            self._snapshots.clear()
            self.doubted = False

    async def events_after(self, version: int, viewer: Viewer) -> list[Encoded]:
        """Return the next events behind a version that was passed already, in order, without a gap.

        There are none while the channel is doubted.

        Raises:
            Unavailable: They have to be read, and the store is away.
            SetAside: They have to be read, and cannot be.
        """
        if self._source is None:
            raise RuntimeError("the channel has not begun")
        shown = self._source
        if self._last < self.heard:
            async with self._filling:
                while self._last < self.heard and not self.doubted:
                    await self._fill()
        if self.doubted:
            return []
        oldest = self._last - len(self._window) + 1
        if version + 1 >= oldest:
            wanted = islice(self._window, version + 1 - oldest, version + 1 - oldest + PAGE)
            return [latest.told(shown, viewer) for latest in wanted]
        read = await self._store.read(self.id, version, min(version + PAGE, oldest - 1))
        return [Encoded(EventItem(seen_event(shown, recorded, viewer))) for recorded in read]

    async def _fill(self) -> None:
        """Read what was heard of but not published here; of much, only the latest."""
        if self.heard - self._last > WINDOW:
            self._window.clear()
            self._last, self._head = self.heard - WINDOW, None
        read = await self._store.read(self.id, self._last, self.heard)
        if not read:
            raise Unavailable
        if read[0].version == self._last + 1:
            self.publish(read)

    def present(self) -> Encoded:
        """Return who is there now."""
        if self._source is None:
            raise RuntimeError("the channel has not begun")
        item = self.attendance.item(self._source.seats)
        return Encoded(item) if self.shown is None or self.shown.item != item else self.shown

    def stir(self) -> None:
        """Show who is there, if that has changed; not twice within a second.

        How many look on is shown the less often the more watch: each time is told to all of them.
        """
        if self._source is None:
            return
        loop = asyncio.get_running_loop()
        seats = self.attendance.item(self._source.seats).seats
        same = self.shown is not None and self.shown.item.seats == seats
        due = self._shown_at + (max(APART, APART * len(self.watches) / CROWD) if same else APART)
        if self._stirring is not None:
            if self._stirring.when() <= due:
                return
            self._stirring.cancel()
            self._stirring = None
        if due > loop.time():
            self._stirring = loop.call_at(due, self._show)
        else:
            self._show()

    def end(self) -> None:
        """End the channel: nobody watches any more."""
        if self._stirring is not None:
            self._stirring.cancel()
            self._stirring = None

    def _show(self) -> None:
        self._stirring = None
        if (present := self.present()) is not self.shown:
            self.shown, self._shown_at = present, asyncio.get_running_loop().time()
            self.shows += 1
            self.wake()

    def snapshot(self, live: LoadedMatch, viewer: Viewer) -> Encoded:
        """Return the match as the viewer may see it; those who ask at the same version share it."""
        presence = tuple(
            Seat(seat) for seat in range(live.match.terms.seats) if self.attendance.streams(Seat(seat))
        )
        told = self._snapshots.get(viewer)
        if told is not None and _stands_at(told.item) == (live.version, presence):
            return told
        seen = view(live.game, live.id, live.match, live.version, viewer)
        told = self._snapshots[viewer] = Encoded(SnapshotItem(live.version, seen, presence))
        return told

    def heartbeat(self) -> Encoded:
        """Return the sign of life that all watches get at this tick."""
        if self._heartbeat is None:
            raise RuntimeError("there was no tick")
        return self._heartbeat

    def beat(self, clock: Clock) -> None:
        """Make the next sign of life."""
        self._heartbeat = Encoded(Heartbeat(self.heard, clock.now()))

    def wake(self) -> None:
        """Let all watches look at what is new, some at a time."""
        asleep, self._asleep = self._asleep, []
        _rouse(asleep, 0)

    def sleep(self) -> asyncio.Future[None]:
        """Return what is done when there is something to look at."""
        sleeping = asyncio.get_running_loop().create_future()
        self._asleep.append(sleeping)
        return sleeping


class Watch:
    """One reader of a match's stream.

    It ends when its player leaves its seat, or loses it: what happens at the seat from then on is another's,
    and of a private match the player may know no more. One that is open by the match's link alone ends when
    the link is renewed.

    Attributes:
        viewer: From where it looks.
        seats: The seats that its player holds, which it shows as present; None alone for one who looks on.
        version: The last version that it was given.
        finished: Whether it was given the match's last event, or began behind it.
        over: Whether it was given its last item.
        cut_off: Called, once, when what it was given is not sent in time.
        left: Called, once, when it is left.
    """

    def __init__(
        self,
        feeds: "MatchChannels",
        channel: MatchChannel,
        live: LoadedMatch,
        player: PlayerId | None,
        viewer: Viewer,
        after: int | None,
        *,
        by_link: bool,
        unseen: bool,
    ) -> None:
        """Begin behind a version; None begins with a snapshot."""
        self.viewer = viewer
        self.version = live.version if after is None else after
        self.over = False
        self.cut_off: Callable[[], None] = _nothing
        self.left: Callable[[], None] = _nothing
        self._revoked = False
        self._player = player
        self._begun = live.version
        self._by_link = by_link
        self._ends: EndReason | None = None
        self._feeds = feeds
        self._channel = channel
        self._first: Encoded | None = None
        self.finished = live.match.status.over and self.version == live.version
        self._live = False
        self._held: int | None = None
        self._nudged = False
        self._beats = feeds.beats
        self._sleeping: asyncio.Future[None] | None = None
        self._given_at: int | None = None
        self._losses = len(channel.losses)
        held = () if player is None else seats_of(live.match, player)
        self.seats: tuple[Seat | None, ...] = () if unseen else held or (None,)
        self._present: Encoded | None = None
        self._shows = 0
        self._present_at = -APART
        self._waking: asyncio.TimerHandle | None = None

    @property
    def backlog(self) -> int:
        """How many events have happened already that it is to be given."""
        return max(0, self._begun - self.version)

    def begin(self, snapshot: Encoded) -> None:
        """Give this first."""
        self._first = snapshot

    async def next(self) -> Sequence[Encoded]:
        """Return the next items, as soon as there are some; none if `nudge` was called or all is over."""
        self._given_at = None
        told = await self._next()
        self._given_at = self._feeds.ticks
        return told

    def nudge(self) -> None:
        """Let `next` return at once, with what there is."""
        self._nudged = True
        if self._sleeping is not None and not self._sleeping.done():
            self._sleeping.set_result(None)

    def revoke(self) -> None:
        """End it: the token that it is open by is no longer good."""
        self._revoked = True
        self.nudge()

    def hold(self, version: int) -> None:
        """Give no event behind a version: it comes another way, and `passed` says so."""
        self._held = version

    def passed(self, version: int, *, finished: bool) -> None:
        """Go on behind a version: the events up to it have come another way.

        Args:
            version: The version; one that is behind already changes nothing.
            finished: Whether it is the match's last.
        """
        self._held = None
        if version > self.version:
            self.version = version
            self.finished = finished

    def leave(self) -> None:
        """Stop watching; may be called again."""
        if self in self._channel.watches:
            self._channel.watches.discard(self)
            if self._waking is not None:
                self._waking.cancel()
                self._waking = None
            self._feeds.presences.go(self._channel.id, self._channel, self.seats)
            self._feeds.part(self._channel)
            # What is called knows its connection or this watch: kept, it would keep the channel's events too.
            left, self.left, self.cut_off = self.left, _nothing, _nothing
            left()

    def look(self, ticks: int) -> None:
        """Cut the reader off if what it was given has waited too long to be sent."""
        if self._given_at is not None and ticks - self._given_at > TICKS_TO_SEND:
            self._given_at = None
            self.cut_off()

    async def _next(self) -> Sequence[Encoded]:
        if self._first is not None:
            first, self._first = self._first, None
            return [first]
        while not self.over:
            if self._feeds.closed:
                return self._end(EndReason.SERVER_STOPPING)
            if self._revoked:
                return self._end(EndReason.TOKEN_ENDED)
            if self._channel.shaken(self._losses) and (lost := await self._lost()):
                return lost
            if self._ends is not None:
                return self._end(self._ends)
            if self.finished:
                edge = [] if self._live else self._caught_up()
                return [*edge, *self._end(EndReason.MATCH_OVER)]
            if self.version < self._edge():
                if (told := await self._events()) or self.over:
                    return told
                continue
            if self._nudged:
                break
            if not self._live:
                self._live = True
                return self._caught_up()
            if self._shows < self._channel.shows and (told := self._news_of_presence()):
                return told
            if self._beats < self._feeds.beats:
                self._beats = self._feeds.beats
                return [self._channel.heartbeat()]
            self._sleeping = self._channel.sleep()
            await self._sleeping
        self._nudged = False
        return []

    def _caught_up(self) -> list[Encoded]:
        """Return who is there, and that all that has happened was sent."""
        self._shows, self._present = self._channel.shows, self._channel.present()
        self._present_at = asyncio.get_running_loop().time()
        return [self._present, Encoded(CaughtUp(self.version))]

    def _news_of_presence(self) -> list[Encoded]:
        """Return who is there if that has changed; nothing while the last time is less than a second ago."""
        loop = asyncio.get_running_loop()
        if (wait := self._present_at + APART - loop.time()) > 0:
            if self._waking is None:
                self._waking = loop.call_later(wait, self._wake)
            return []
        self._shows = self._channel.shows
        shown, given = self._channel.shown, self._present
        if shown is None or given is None or shown.item == given.item:
            return []
        self._present, self._present_at = shown, loop.time()
        return [shown]

    def _wake(self) -> None:
        """Look at what is new."""
        self._waking = None
        if self._sleeping is not None and not self._sleeping.done():
            self._sleeping.set_result(None)

    async def _lost(self) -> Sequence[Encoded]:
        """Return the end if events that were given are lost, or the match cannot be read; else nothing."""
        channel = self._channel
        if channel.doubted:
            try:
                await channel.recheck()
            except Unavailable:
                return self._end(EndReason.STORE_UNAVAILABLE)
            except SetAside:
                return self._end(EndReason.MATCH_SET_ASIDE)
        losses = channel.losses[self._losses :]
        self._losses += len(losses)
        if not losses or self.version <= min(losses):
            return []
        self.version = min(losses)
        return self._end(EndReason.EVENTS_LOST)

    def _edge(self) -> int:
        """Return the version up to which events may be given now."""
        heard = self._channel.heard
        return heard if self._held is None else min(heard, self._held)

    async def _events(self) -> Sequence[Encoded]:
        if self._live and self._channel.heard - self.version > WINDOW:
            return self._end(EndReason.TOO_SLOW)
        try:
            told = await self._channel.events_after(self.version, self.viewer)
        except Unavailable:
            return self._end(EndReason.STORE_UNAVAILABLE)
        except SetAside:
            return self._end(EndReason.MATCH_SET_ASIDE)
        told = self._until_shut_out(told[: max(0, self._edge() - self.version)])
        for one in told[-1:]:
            if isinstance(one.item, EventItem):
                self.version = one.item.event.version
                self.finished = isinstance(one.item.event.payload, Finished | Cancelled)
        return told

    def _until_shut_out(self, told: list[Encoded]) -> list[Encoded]:
        """Return the events up to the one by which the player may look no longer."""
        for place, one in enumerate(told):
            if isinstance(one.item, EventItem) and one.item.event.version > self._begun:
                self._ends = self._shut_out(one.item.event.payload)
                if self._ends is not None:
                    return told[: place + 1]
        return told

    def _shut_out(self, event: Any) -> EndReason | None:
        """Return why the stream ends with an event, or None if it goes on."""
        match event:
            case SeatLeft(player=player) if player == self._player:
                return EndReason.SEAT_LEFT
            case SeatLeft(barred=True) | InvitationRenewed() if self._by_link:
                return EndReason.INVITATION_RENEWED
            case Invited(player=player) if player == self._player:
                self._by_link = False
            case SeatTaken(holder=holder) if holder.player == self._player:
                self._by_link = False
            case _:
                pass
        return None

    def _end(self, reason: EndReason) -> Sequence[Encoded]:
        self.over = True
        return [Encoded(End(self.version, reason, reason not in FINAL))]


class MatchChannels:
    """All channels of the process.

    Attributes:
        closed: Whether the process is about to stop.
        ticks: How often all watches were looked at.
        beats: How many signs of life there were.
        presences: Who is there.
        moved: Called with each match that has reached a version, in whatever process.
    """

    def __init__(self, store: EventStore, presence: PresenceLog, clock: Clock) -> None:
        """Take the log, what is shared of who is there, and the time."""
        self.closed = False
        self.ticks = 0
        self.beats = 0
        self.moved: Callable[[MatchId, int], None] = _nobody
        self._store = store
        self._clock = clock
        self._channels: dict[MatchId, MatchChannel] = {}
        self.presences = Presences(presence, clock, self._channels)
        self._timer: asyncio.TimerHandle | None = None
        self._empty = asyncio.Event()
        self._empty.set()

    @property
    def watched(self) -> bool:
        """Whether anybody watches any match."""
        return bool(self._channels)

    def publish(self, id: MatchId, events: Sequence[Recorded]) -> None:
        """Tell the watches of a match what was committed."""
        if channel := self._channels.get(id):
            channel.publish(events)
        self.moved(id, events[-1].version)

    def hear(self, id: MatchId, version: int) -> None:
        """Learn that a match has reached a version, in whatever process."""
        if channel := self._channels.get(id):
            channel.hear(version)
        self.moved(id, version)

    def doubt(self, id: MatchId) -> None:
        """Learn that the store lacks versions of a match that were known here."""
        if channel := self._channels.get(id):
            channel.doubt()

    def doubt_all(self) -> None:
        """Learn that the store was away: another may stand in its place, which lacks what came last."""
        for channel in self._channels.values():
            channel.doubt()

    async def idle(self) -> None:
        """Return when no match is watched."""
        await self._empty.wait()

    def join(self, id: MatchId) -> MatchChannel:
        """Return the channel of a match, for a watch to come; `part` if none comes.

        The channel hears what happens from now on: whoever reads the match then and watches misses nothing.
        """
        if (channel := self._channels.get(id)) is None:
            channel = self._channels[id] = MatchChannel(id, self._store)
            self._empty.clear()
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(TICK, self._tick)
        channel.users += 1
        return channel

    def part(self, channel: MatchChannel) -> None:
        """Give a channel up; with the last who does, it ends."""
        channel.users -= 1
        if not channel.users:
            channel.end()
            del self._channels[channel.id]
            if not self._channels:
                self._empty.set()

    def watch(
        self,
        channel: MatchChannel,
        live: LoadedMatch,
        secrets: Secrets,
        player: PlayerId | None,
        viewer: Viewer,
        after: int | None,
        *,
        by_link: bool = False,
        unseen: bool = False,
    ) -> Watch:
        """Return a new watch on a channel that was joined, for a player who may look from there now.

        Whoever is `unseen` is not told to be there.

        Raises:
            NotFound: The match has not come as far as `after`.
        """
        if after is not None and after > live.version:
            raise NotFound("NO_SUCH_VERSION", version=after, latest=live.version)
        channel.begin(live, secrets)
        watch = Watch(self, channel, live, player, viewer, after, by_link=by_link, unseen=unseen)
        channel.watches.add(watch)
        self.presences.come(channel.id, channel, watch.seats)
        if after is None:
            watch.begin(channel.snapshot(live, viewer))
        return watch

    async def close(self, seconds: float) -> None:
        """End all streams, and wait until their readers were told; at most so long."""
        self.closed = True
        for channel in self._channels.values():
            channel.wake()
        if self._timer is not None:
            self._timer.cancel()
        try:
            async with asyncio.timeout(seconds):
                await self.idle()
        except TimeoutError:
            for channel in tuple(self._channels.values()):
                for watch in tuple(channel.watches):
                    watch.cut_off()
        await self.presences.close()

    def _tick(self) -> None:
        self.ticks += 1
        beats = self.ticks % TICKS_A_HEARTBEAT == 0
        self.beats += beats
        for channel in tuple(self._channels.values()):
            if beats:
                channel.beat(self._clock)
                channel.wake()
            for watch in tuple(channel.watches):
                watch.look(self.ticks)
        self._timer = asyncio.get_running_loop().call_later(TICK, self._tick) if self._channels else None


class MatchStreams:
    """The use case of watching a match.

    Attributes:
        channels: What happens in the matches that are watched.
    """

    def __init__(self, channels: MatchChannels, queries: Queries, decisions: Decisions) -> None:
        """Take the channels of matches, what may be seen of them, and what holds their log and secrets."""
        self.channels = channels
        self._queries = queries
        self._decisions = decisions

    async def watch(
        self,
        id: MatchId,
        player: PlayerId | None,
        *,
        after: int | None,
        looking_as: str | None,
        invitation: str | None = None,
        unseen: bool = False,
    ) -> Watch:
        """Return a watch of a match as a viewer may see it; whoever takes it must `leave` it.

        Args:
            id: The match.
            player: Who watches; None without an account.
            after: The version behind which to begin; None begins with a snapshot.
            looking_as: From where, as for `view`.
            invitation: The invitation to a private match, if it is shown.
            unseen: Whether nobody is told that the player is there: it wants to know only what would come.

        Raises:
            NotFound: There is no such match or version, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        channel = self.channels.join(id)
        try:
            live = await self._queries.known(id, player, invitation)
            secrets = await self._decisions.secrets(id)
            await self.channels.presences.load(id, channel)
            # As it stands now: while the secrets were read the player may have lost its seat.
            check_known_to(live, player, secrets, invitation)
            viewer = viewer_of(live, player, looking_as)
            by_link = not may_know(live.match, player)
            await self._decisions.store.complete(id, live.version)
            return self.channels.watch(
                channel, live, secrets, player, viewer, after, by_link=by_link, unseen=unseen
            )
        except BaseException:
            self.channels.part(channel)
            raise


def _rouse(asleep: list[asyncio.Future[None]], first: int) -> None:
    for sleeping in islice(asleep, first, first + TOGETHER):
        if not sleeping.done():
            sleeping.set_result(None)
    if first + TOGETHER < len(asleep):
        asyncio.get_running_loop().call_soon(_rouse, asleep, first + TOGETHER)


def _stands_at(item: Item) -> tuple[int, tuple[Seat, ...]] | None:
    return (item.version, item.presence) if isinstance(item, SnapshotItem) else None


def _nobody(_: MatchId, __: int) -> None:
    """Do nothing: nobody else wants to know how far a match is."""


def _nothing() -> None:
    """Do nothing: nobody is there to be told."""
