"""Matches held folded in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

from domain.match import AnyMatch, DeadlineMoved, Opened, PlayerId, Terms, commands_after, evolve
from domain.shared.game import AnyGame, Games, edition
from services.matches.store import EventStore, MatchWithoutState, Recorded, Secrets, Snapshot, StoredCommand
from services.shared.errors import Failure, FailureReason, NotFound, SetAside, Unavailable
from services.shared.ids import MatchId

TOGETHER = 200
"""How many events are folded in one turn of the event loop."""
NAME_BYTES = 16
PAGE = 1_000
"""How many events of a match are read and folded at once; between two pages others have their turn."""


def command_name(by: PlayerId | None, key: str) -> bytes:
    """Return what a command is remembered by: the beginning of SHA-256 of who gave it and its key.

    Keys have up to 255 characters and are kept for as long as their match is.
    """
    return sha256(f"{by or ''} {key}".encode()).digest()[:NAME_BYTES]


class LoadedMatch:
    """A match as this process knows it; the store alone knows if it has moved on.

    Attributes:
        id: The match.
        game: Its game.
        match: The folded match.
        version: How many events it holds.
        steady: The version since which nothing but deadlines has changed.
        opened_at: When it was opened, UTC.
        head: Hash of its last event.
        commands: How many commands it has had (`domain.match.limit`).
        done: What was done for each player and idempotency key, by `command_name`.
        snapshot_version: Version of the latest snapshot known, 0 if none.
    """

    __slots__ = (
        "_last",
        "commands",
        "done",
        "game",
        "head",
        "id",
        "match",
        "opened_at",
        "snapshot_version",
        "steady",
        "version",
    )

    def __init__(self, id: MatchId, game: AnyGame, snapshot: Snapshot) -> None:
        """Begin where a snapshot ends."""
        self.id = id
        self.game = game
        self.match: AnyMatch = snapshot.match
        self.version = self.steady = snapshot.version
        self.opened_at: datetime = snapshot.opened_at
        self.head = snapshot.head
        self.commands = snapshot.commands
        self.done: dict[bytes, StoredCommand] = dict(snapshot.done)
        self._last = b""
        self.snapshot_version = 0

    def fold(self, events: Sequence[Recorded]) -> None:
        """Take in events that follow without a gap."""
        match = self.match
        for recorded in events:
            match = evolve(self.game, match, recorded.event)
        self.advance(match, events)

    def become(self, other: "LoadedMatch") -> None:
        """Take over all that another knows of the same match."""
        for name in self.__slots__:
            setattr(self, name, getattr(other, name))

    def advance(self, match: AnyMatch, events: Sequence[Recorded]) -> None:
        """Take in events that lead to a match which is folded already."""
        self.match = match
        for recorded in events:
            # Only the first of a command's events names it.
            if recorded.key is not None:
                self._last = command_name(recorded.by, recorded.key)
            known = self.done.get(self._last)
            first = recorded.version if known is None else known.first
            self.done[self._last] = StoredCommand(first, recorded.version)
            first_of_command = recorded.command is not None
            self.commands = commands_after(self.commands, recorded.event, first=first_of_command)
            self.version = recorded.version
            if not isinstance(recorded.event, DeadlineMoved):
                self.steady = recorded.version
            self.head = recorded.link.hash

    def stands_at(self, version: int) -> bool:
        """Return whether the match is at a version, or has but other deadlines since."""
        return self.steady <= version <= self.version

    def done_for(self, by: PlayerId | None, key: str) -> StoredCommand | None:
        """Return what was done for a player and idempotency key; None if nothing was."""
        return self.done.get(command_name(by, key))

    @property
    def listed(self) -> MatchWithoutState:
        """The match without its table."""
        return MatchWithoutState(id=self.id, opened_at=self.opened_at, match=self.match, version=self.version)

    def snapshot(self) -> Snapshot:
        """Return all of it as a snapshot."""
        return Snapshot(
            version=self.version,
            match=self.match,
            opened_at=self.opened_at,
            head=self.head,
            commands=self.commands,
            done=tuple(self.done.items()),
        )


def _page(after: int, version: int | None) -> int:
    """Return up to where the page after a version goes, on the way to another one or to the end."""
    return after + PAGE if version is None else min(after + PAGE, version)


def game_of(games: Games, terms: Terms[Any]) -> AnyGame:
    """Return the game of a match, in the edition that the match was opened with.

    Raises:
        Unavailable: This server does not know that edition; it is older than the match.
    """
    if (game := edition(games[terms.game], terms.ruleset)) is None:
        raise Unavailable(FailureReason.RULESET_UNKNOWN, ruleset=terms.ruleset)
    return game


def opened(games: Games, id: MatchId, events: Sequence[Recorded]) -> LoadedMatch:
    """Return a match folded from all its events.

    Raises:
        Unavailable: This server does not know its edition of the game.
    """
    first, *others = events
    if not isinstance(first.event, Opened):
        raise TypeError(f"{id} begins with {type(first.event).__name__}")
    game = game_of(games, first.event.terms)
    match = evolve(game, None, first.event)
    beginning = Snapshot(
        version=0, match=match, opened_at=first.at, head=first.link.previous, commands=0, done=()
    )
    live = LoadedMatch(id, game, beginning)
    live.advance(live.match, [first])
    live.fold(others)
    return live


def _unfolded(error: Exception) -> str:
    return f"it makes no sense in the match: {error!r}"


def _nothing(id: MatchId) -> None:
    """Do nothing: nobody is told."""


class Slot:
    """A place in memory for one match, and the lock that orders its commands within this process.

    The secrets stand beside the folded match, in none of its states.

    Attributes:
        lock: Orders commands.
        live: The match, once it is loaded.
        secrets: What it keeps to itself, once that is read.
        counted: How many of its events the memory counts; None if it is in the memory no more.
    """

    __slots__ = ("counted", "live", "lock", "secrets")

    def __init__(self) -> None:
        """Begin empty: the match is loaded when it is first needed."""
        self.lock = asyncio.Lock()
        self.live: LoadedMatch | None = None
        self.secrets: Secrets | None = None
        self.counted: int | None = 0


class Memory:
    """The matches used most recently, at most so many, with at most so many events in all.

    What a match takes grows with its events, as it knows the keys of all its commands.
    """

    def __init__(self, capacity: int, events: int) -> None:
        """Take how many matches are kept, and how many events they may have; one is kept however long."""
        self._capacity = capacity
        self._most_events = events
        self._events = 0
        self._entries: OrderedDict[MatchId, Slot] = OrderedDict()

    def entry(self, id: MatchId) -> Slot:
        """Return the place of a match, making one if needed."""
        entry = self._entries.get(id)
        if entry is None:
            entry = self._entries[id] = Slot()
            if len(self._entries) > self._capacity:
                self._drop_oldest()
        else:
            self._entries.move_to_end(id)
            self.count(entry)
        return entry

    def count(self, entry: Slot) -> None:
        """Count the events that a match has got since it was last used, and make room for them."""
        if entry.counted is None:
            return
        events = 0 if entry.live is None else entry.live.version
        self._events += events - entry.counted
        entry.counted = events
        while self._events > self._most_events and len(self._entries) > 1:
            self._drop_oldest()

    def forget(self, id: MatchId) -> None:
        """Drop a match: what is known of it may be wrong, or there is none."""
        if (entry := self._entries.pop(id, None)) is not None:
            self._dropped(entry)

    def _drop_oldest(self) -> None:
        _, entry = self._entries.popitem(last=False)
        self._dropped(entry)

    def _dropped(self, entry: Slot) -> None:
        self._events -= entry.counted or 0
        entry.counted = None


class LoadedMatches:
    """The matches of this process, folded: from memory, or else from the store."""

    def __init__(
        self,
        games: Games,
        store: EventStore,
        remembered: int,
        remembered_events: int,
        lost: Callable[[MatchId], None] = _nothing,
    ) -> None:
        """Take the registered games, the log, how many folded matches are kept, and whom losses concern.

        Args:
            games: The registered games by id.
            store: The log.
            remembered: How many folded matches are kept.
            remembered_events: How many events these may have in all.
            lost: Told a match of which the store lacks versions that were known here.
        """
        self._games = games
        self._store = store
        self._memory = Memory(remembered, remembered_events)
        self._lost = lost

    def entry(self, id: MatchId) -> Slot:
        """Return the place of a match, whether it is loaded or not."""
        return self._memory.entry(id)

    def forget(self, id: MatchId) -> None:
        """Drop a match: what is known of it may be wrong."""
        self._memory.forget(id)

    async def loaded(self, entry: Slot, id: MatchId) -> LoadedMatch:
        """Return a match from memory or else from the store; the entry's lock is held.

        Raises:
            NotFound: There is no such match.
        """
        if entry.live is None:
            try:
                return self.keep(entry, await self.at_version(id))
            except BaseException:
                self._memory.forget(id)
                raise
        return entry.live

    def keep(self, entry: Slot, live: LoadedMatch) -> LoadedMatch:
        """Keep a match in its place, and return it."""
        entry.live = live
        self._memory.count(entry)
        return live

    async def refresh(self, live: LoadedMatch) -> bool:
        """Take in what other processes have written; return whether there was anything.

        A failover may have taken versions that are known here, and others may stand in their place. So what
        is known must end with an event that is stored; else it is forgotten, and the match read again.

        Raises:
            NotFound: The store has lost all of the match.
            SetAside: The match cannot be read.
        """
        try:
            stored = await self._store.read(live.id, live.version - 1)
            if stored and stored[0].link.hash == live.head:
                await self._fold(live, stored[1:])
                return len(stored) > 1
            live.become(await self.at_version(live.id))
        except (NotFound, SetAside):
            self._memory.forget(live.id)
            raise
        self._lost(live.id)
        return True

    async def current(self, id: MatchId) -> LoadedMatch:
        """Return a match as the store has it now.

        Raises:
            NotFound: There is no such match.
        """
        entry = self._memory.entry(id)
        async with entry.lock:
            live = await self.loaded(entry, id)
            await self.refresh(live)
            return live

    async def at_version(self, id: MatchId, version: int | None = None) -> LoadedMatch:
        """Return a match as it stood at a version, or as it stands, apart from the one in memory.

        Raises:
            NotFound: There is no such match, or it has not come as far.
            SetAside: The match cannot be read.
        """
        snapshot = await self._store.snapshot(id, version)
        if snapshot is None:
            events = await self._store.read(id, 0, _page(0, version))
            if not events:
                raise NotFound(FailureReason.NO_SUCH_MATCH, match=id)
            live = await self._opened(id, events)
            more = len(events) == PAGE
        else:
            live = LoadedMatch(id, game_of(self._games, snapshot.match.terms), snapshot)
            live.snapshot_version = snapshot.version
            more = True
        while more and live.version != version:
            events = await self._store.read(id, live.version, _page(live.version, version))
            await self._fold(live, events)
            more = len(events) == PAGE
        if version is not None and live.version != version:
            raise NotFound(FailureReason.NO_SUCH_VERSION, version=version, latest=live.version)
        return live

    async def check(self, id: MatchId) -> None:
        """Read a match from its first event, without a snapshot, and set it aside if that is not possible.

        Raises:
            NotFound: There is no such match.
            SetAside: It cannot be read.
        """
        events = await self._store.read(id)
        if not events:
            raise NotFound(FailureReason.NO_SUCH_MATCH, match=id)
        await self._opened(id, events)

    async def _opened(self, id: MatchId, events: Sequence[Recorded]) -> LoadedMatch:
        try:
            live = opened(self._games, id, events[:1])
        except Failure:
            raise
        except Exception as error:  # noqa: BLE001
            await self._store.set_aside(id, 1, _unfolded(error))
        await self._fold(live, events[1:])
        return live

    async def _fold(self, live: LoadedMatch, events: Sequence[Recorded]) -> None:
        """Take in events that follow; the match is set aside if one of them makes no sense in it."""
        if events and events[0].link.previous != live.head:
            await self._store.set_aside(live.id, events[0].version, "it does not follow from the one before")
        try:
            for first in range(0, len(events), TOGETHER):
                live.fold(events[first : first + TOGETHER])
                if first + TOGETHER < len(events):
                    await asyncio.sleep(0)
        except Exception as error:  # noqa: BLE001
            # What is stored was decided by the rules, so nothing but damage or a fault of our own comes here.
            await self._store.set_aside(live.id, live.version + 1, _unfolded(error))
