"""What happens in a match, sent to those who watch it, without a gap.

The latest events lie in the channel's window, each redacted and encoded once for all watches that look from
the same place; older ones are read from the store.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, override

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
from services.shared.errors import FailureReason, NotFound, SetAside, Unavailable
from services.shared.ids import MatchId
from services.shared.time import Clock, Time
from services.streams.channels import Channel, Channels, Encoded, Reading, StreamItem
from services.streams.presence import Attendance, PresenceItem, PresenceLog, Presences

WINDOW = 256
"""How many of a match's latest events are held for its watches. One that was live and falls further behind is
too slow."""
PAGE = 200
"""The most items that a watch is given at once."""
APART = 1.0
"""Seconds between two times that a stream tells who is there, at least."""
CROWD = 500
"""How many may watch a match and still be told once a second how many look on."""


class SnapshotItem[C, T](StreamItem, frozen=True, tag="snapshot"):
    """The match as it stands: where a stream begins that was not asked for events after a version.

    Attributes:
        version: How many events the match has.
        view: The match as the viewer may see it, with its legal moves.
        presence: Seats whose players have a stream of this match open, on any server, rising.
    """

    version: int
    view: View[C, T]
    presence: tuple[Seat, ...]

    @property
    @override
    def place(self) -> str:
        """The version after which a new stream goes on."""
        return str(self.version)


class EventItem[P](StreamItem, frozen=True, tag="event"):
    """An event as the viewer may see it; none is ever left out."""

    event: SeenEvent[P]

    @property
    @override
    def place(self) -> str:
        """The version after which a new stream goes on."""
        return str(self.event.version)


class CaughtUp(StreamItem, frozen=True, tag="caught_up"):
    """All that has happened was sent; what follows is live.

    Attributes:
        version: How many events the match has.
    """

    version: int

    @property
    @override
    def place(self) -> str:
        """The version after which a new stream goes on."""
        return str(self.version)


class Heartbeat(StreamItem, frozen=True, tag="heartbeat"):
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
"""The reasons after which nothing more comes, of a new stream either."""


class End(StreamItem, frozen=True, tag="end"):
    """Nothing more comes.

    Attributes:
        version: The last version that was sent; of `EVENTS_LOST` the last of them that still holds.
        reason: Why the stream ends.
        resumable: Whether there may be more after `version`, to be asked for by a new stream.
    """

    version: int
    reason: EndReason
    resumable: bool


type Item = SnapshotItem[Any, Any] | EventItem[Any] | PresenceItem | CaughtUp | Heartbeat | End


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


class MatchChannel(Channel[MatchId]):
    """What is known of a match that is watched.

    Attributes:
        id: The match.
        users: How many watch or are about to.
        readers: Those who watch.
        heard: The highest version that exists, as far as is known.
        attendance: Who is there, on any node.
        shown: Who was there when that was shown last.
        shows: How often that was shown.
        doubted: Whether events that are known here may be lost, and others stand in their place.
        losses: The versions after which events were lost, in the order in which that was found.
    """

    def __init__(self, id: MatchId, store: EventStore) -> None:
        """Begin before anything is known of the match."""
        super().__init__(id)
        self.doubted = False
        self.losses: list[int] = []
        self.heard = 0
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
        """Forget the events that are known here and are not stored; `losses` says after which version.

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
        """Return the next events after a version that was passed already, in order, without a gap.

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
        due = self._shown_at + (max(APART, APART * len(self.readers) / CROWD) if same else APART)
        if self._stirring is not None:
            if self._stirring.when() <= due:
                return
            self._stirring.cancel()
            self._stirring = None
        if due > loop.time():
            self._stirring = loop.call_at(due, self._show)
        else:
            self._show()

    @override
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

    def heartbeat(self, at: Time) -> Encoded:
        """Return the sign of life of a time, the same for all watches."""
        item = Heartbeat(self.heard, at)
        if self._heartbeat is None or self._heartbeat.item != item:
            self._heartbeat = Encoded(item)
        return self._heartbeat


class Watch(Reading[MatchChannel]):
    """One reader of a match's stream.

    It ends when its player leaves its seat, or loses it: what happens at the seat from then on is another's,
    and of a private match the player may know no more. One that is open by the match's link alone ends when
    the link is renewed.

    Attributes:
        viewer: From where it looks.
        seats: The seats that its player holds, which it shows as present; None alone for one who looks on.
        version: The last version that it was given.
        finished: Whether it was given the match's last event, or began after it.
        over: Whether it was given its last item.
        cut_off: Called, once, when what it was given is not sent in time.
        left: Called, once, when it is left.
    """

    def __init__(
        self,
        channels: "MatchChannels",
        channel: MatchChannel,
        live: LoadedMatch,
        player: PlayerId | None,
        viewer: Viewer,
        after: int | None,
        *,
        by_link: bool,
        unseen: bool,
    ) -> None:
        """Begin after a version; None begins with a snapshot."""
        super().__init__(channels, channel)
        held = () if player is None else seats_of(live.match, player)
        self.viewer = viewer
        self.seats: tuple[Seat | None, ...] = () if unseen else held or (None,)
        self.version = live.version if after is None else after
        self.finished = live.match.status.over and self.version == live.version
        self._player = player
        self._begun = live.version
        self._by_link = by_link
        self._ends: EndReason | None = None
        self._held: int | None = None
        self._losses = len(channel.losses)
        self._present: Encoded | None = None
        self._shows = 0
        self._present_at = -APART
        self._waking: asyncio.TimerHandle | None = None
        self._presences = channels.presences
        self._presences.come(channel.id, channel, self.seats)
        if after is None:
            self._first = channel.snapshot(live, viewer)

    @property
    def backlog(self) -> int:
        """How many events have happened already that it is to be given."""
        return max(0, self._begun - self.version)

    def hold(self, version: int) -> None:
        """Give no event after a version: it comes another way, and `passed` says so."""
        self._held = version

    def passed(self, version: int, *, finished: bool) -> None:
        """Go on after a version: the events up to it have come another way.

        Args:
            version: The version; one that is behind already changes nothing.
            finished: Whether it is the match's last.
        """
        self._held = None
        if version > self.version:
            self.version = version
            self.finished = finished

    @override
    def gone(self) -> None:
        """Let its seats be away."""
        if self._waking is not None:
            self._waking.cancel()
            self._waking = None
        self._presences.go(self._channel.id, self._channel, self.seats)

    @override
    def has_news(self) -> bool:
        """Return whether there are events after its version, or it ends."""
        return (
            self.version < self._edge()
            or self._channel.shaken(self._losses)
            or self.finished
            or self._ends is not None
        )

    @override
    async def news(self) -> Sequence[Encoded]:
        """Return the events after its version, or the end."""
        try:
            if self._channel.shaken(self._losses) and (lost := await self._lost()):
                return lost
            if self._ends is not None:
                return self.end(self._ends)
            if self.finished:
                edge = [] if self._live else self.caught_up()
                return [*edge, *self.end(EndReason.MATCH_OVER)]
            return await self._events() if self.version < self._edge() else []
        except SetAside:
            return self.end(EndReason.MATCH_SET_ASIDE)

    @override
    def caught_up(self) -> Sequence[Encoded]:
        """Return who is there, and that all that has happened was sent."""
        self._shows, self._present = self._channel.shows, self._channel.present()
        self._present_at = asyncio.get_running_loop().time()
        return [self._present, Encoded(CaughtUp(self.version))]

    @override
    def aside(self) -> Sequence[Encoded]:
        """Return who is there if that has changed; nothing while the last time is less than a second ago."""
        if self._shows == self._channel.shows:
            return ()
        loop = asyncio.get_running_loop()
        if (wait := self._present_at + APART - loop.time()) > 0:
            if self._waking is None:
                self._waking = loop.call_later(wait, self._look_up)
            return ()
        self._shows = self._channel.shows
        shown, given = self._channel.shown, self._present
        if shown is None or given is None or shown.item == given.item:
            return ()
        self._present, self._present_at = shown, loop.time()
        return [shown]

    @override
    def heartbeat(self, at: Time) -> Encoded:
        """Return the sign of life of a time."""
        return self._channel.heartbeat(at)

    @override
    def ended(self, reason: StrEnum) -> End:
        """Return the item that ends the stream."""
        why = EndReason(reason)
        return End(self.version, why, why not in FINAL)

    def _look_up(self) -> None:
        """Look at what is new, a second after the last time that was told who is there."""
        self._waking = None
        self.wake()

    async def _lost(self) -> Sequence[Encoded]:
        """Return the end if events that were given are lost; else nothing."""
        channel = self._channel
        if channel.doubted:
            await channel.recheck()
        losses = channel.losses[self._losses :]
        self._losses += len(losses)
        if not losses or self.version <= min(losses):
            return []
        self.version = min(losses)
        return self.end(EndReason.EVENTS_LOST)

    def _edge(self) -> int:
        """Return the version up to which events may be given now."""
        heard = self._channel.heard
        return heard if self._held is None else min(heard, self._held)

    async def _events(self) -> Sequence[Encoded]:
        if self._live and self._channel.heard - self.version > WINDOW:
            return self.end(EndReason.TOO_SLOW)
        told = await self._channel.events_after(self.version, self.viewer)
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
            case SeatTaken(seat=seat, holder=holder) if holder.player == self._player:
                self._by_link = False
                self._sit(seat)
            case _:
                pass
        return None

    def _sit(self, seat: Seat) -> None:
        """Be present at a seat that the player has taken since this began, and look on no longer."""
        if self.seats and seat not in self.seats and self in self._channel.readers:
            before, self.seats = self.seats, (*(held for held in self.seats if held is not None), seat)
            left = (None,) if None in before else ()
            self._presences.move(self._channel.id, self._channel, left, (seat,))


class MatchChannels(Channels[MatchId, MatchChannel]):
    """All matches of the process that are watched.

    Attributes:
        presences: Who is there.
        moved: Called with each match that has reached a version, in whatever process.
    """

    def __init__(self, store: EventStore, presence: PresenceLog, clock: Clock) -> None:
        """Take the log, what is shared of who is there, and the time."""
        super().__init__(clock)
        self.moved: Callable[[MatchId, int], None] = _nobody
        self.presences = Presences(presence, clock, self._open)
        self._store = store

    @override
    def made(self, id: MatchId) -> MatchChannel:
        """Return a new channel of a match."""
        return MatchChannel(id, self._store)

    def publish(self, id: MatchId, events: Sequence[Recorded]) -> None:
        """Tell the watches of a match what was committed."""
        if channel := self.channel(id):
            channel.publish(events)
        self.moved(id, events[-1].version)

    def hear(self, id: MatchId, version: int) -> None:
        """Learn that a match has reached a version, in whatever process."""
        if channel := self.channel(id):
            channel.hear(version)
        self.moved(id, version)

    def doubt(self, id: MatchId) -> None:
        """Learn that the store lacks versions of a match that were known here."""
        if channel := self.channel(id):
            channel.doubt()

    def doubt_all(self) -> None:
        """Learn that the store was away: another may stand in its place, which lacks what came last."""
        for channel in self._open.values():
            channel.doubt()

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

        Anyone who is `unseen` is not told to be there.

        Raises:
            NotFound: The match has not come as far as `after`.
        """
        if after is not None and after > live.version:
            raise NotFound(FailureReason.NO_SUCH_VERSION, version=after, latest=live.version)
        channel.begin(live, secrets)
        return Watch(self, channel, live, player, viewer, after, by_link=by_link, unseen=unseen)

    @override
    async def close(self, seconds: float) -> None:
        """End all streams, wait until their last items were taken, at most so long, and be away."""
        await super().close(seconds)
        await self.presences.close()


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
        """Return a watch of a match as a viewer may see it; anyone who takes it must `leave` it.

        Args:
            id: The match.
            player: Who watches; None without an account.
            after: The version after which to begin; None begins with a snapshot.
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


def _stands_at(item: Item) -> tuple[int, tuple[Seat, ...]] | None:
    return (item.version, item.presence) if isinstance(item, SnapshotItem) else None


def _nobody(_: MatchId, __: int) -> None:
    """Do nothing: nobody else wants to know how far a match is."""
