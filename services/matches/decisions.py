"""The command path: a command is decided on the match as it stands and stored, once for its key."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import sha256
from secrets import token_hex
from typing import Any

import msgspec
from msgspec import Struct

from domain.match import (
    AnyMatch,
    Cancelled,
    Finished,
    MoveDeadline,
    PlayerId,
    Reason,
    Resigned,
    SeatLeft,
    SeatTaken,
    Started,
    TakeSeat,
    decide,
)
from domain.shared.chance import SeededChance, decision_chance
from domain.shared.game import AnyGame, Games
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import SPECTATOR, seated
from services.matches.envelopes import Decision, Envelopes
from services.matches.loaded import LoadedMatch, LoadedMatches
from services.matches.outages import Outages
from services.matches.store import EventStore, MatchWithoutState, Recorded, Secrets, Seeds, VersionTaken
from services.matches.views import seen_events, source
from services.shared.errors import Conflict, Failure, FailureReason, KeyReused, Malformed, NotFound, SetAside
from services.shared.ids import MatchId
from services.shared.time import Clock

ATTEMPTS = 5
"""How often a command is decided again after another process was faster."""
MISSED_EVENTS = 200
"""How many missed events a conflict carries at most."""
LONGEST_KEY = 255

OBSERVED = frozenset((SeatTaken, SeatLeft, Started, Cancelled, Resigned, Finished))
"""The events that observers are called for."""

type Observer = Callable[[MatchId, Sequence[object], AnyMatch], None]
"""Is called with what a command brought about, and the match after it."""
type Publish = Callable[[MatchId, Sequence[Recorded]], None]
"""Is called with what was stored of a match."""
type Order = Callable[[LoadedMatch, Secrets], tuple[Seat | None, Any]]
"""Says which seat gives which command, on the match as it stands; fails if that may not be."""
type Asked = Callable[[AnyGame], Any]
"""Gives what was asked of a game, as JSON holds it; a key must always come with the same."""


class Decided(Struct, frozen=True):
    """A command that was carried out.

    Attributes:
        live: The match; it may have gone on.
        secrets: What it keeps to itself.
        key: The command's idempotency key.
        seat: The seat that gave it; None if it was no seat's.
        events: What happened, in order.
        match: The match after it.
    """

    live: LoadedMatch
    secrets: Secrets
    key: str
    seat: Seat | None
    events: Sequence[Recorded]
    match: AnyMatch

    @property
    def version(self) -> int:
        """Version of the match after the command's last event."""
        return self.events[-1].version

    @property
    def listed(self) -> MatchWithoutState:
        """The match after the command, without its table."""
        return MatchWithoutState(
            id=self.live.id, opened_at=self.live.opened_at, match=self.match, version=self.version
        )


class Decisions:
    """Carries out commands.

    Attributes:
        matches: The matches that this process holds.
        store: The log of all matches.
        clock: The time.
        observers: Called when something has happened that is no move.
        outages: When the service was away.
    """

    def __init__(
        self,
        *,
        games: Games,
        store: EventStore,
        seeds: Seeds,
        clock: Clock,
        remembered: int,
        remembered_events: int,
        snapshot_every: int,
        outages: Outages,
        publish: Publish,
        doubt: Callable[[MatchId], None],
    ) -> None:
        """Take what decisions need.

        Args:
            games: The registered games by id.
            store: The log of all matches.
            seeds: The secrets of matches.
            clock: The time.
            remembered: How many folded matches are kept in memory.
            remembered_events: How many events these may have in all.
            snapshot_every: How many events lie between two snapshots of a match.
            outages: When the service was away.
            publish: Called with what was stored, in the order of each match.
            doubt: Called with a match of which the store lacks versions that were known here.
        """
        self.outages = outages
        self.matches = LoadedMatches(games, store, remembered, remembered_events, doubt)
        self.store = store
        self.clock = clock
        self.observers: list[Observer] = []
        self._seeds = seeds
        self._publish = publish
        self._snapshot_every = snapshot_every
        self._background: set[asyncio.Task[None]] = set()

    async def carry_out(
        self,
        id: MatchId,
        order: Order,
        *,
        by: PlayerId | None,
        key: str,
        asked: Asked,
        expected_version: int | None = None,
    ) -> Decided:
        """Decide and store a command, once for its key.

        Nobody is out of time before what an outage took is given back.

        A refusal counts only against the match as the store has it, so what this process remembers is brought
        up to date before anything is refused.

        Args:
            id: The match.
            order: Which command it is, and of which seat.
            by: The player who gives it; None for the service itself.
            key: Its idempotency key.
            asked: Gives what was asked, which the same key must always come with.
            expected_version: The version that the caller decided on; None for whichever it is.

        Raises:
            NotFound: There is no such match.
            Rejected: The rules refuse it.
            Conflict: The match is not at the expected version.
            KeyReused: The key came with something else before.
        """
        try:
            return await self._carried_out(
                id, order, by=by, key=key, asked=asked, expected_version=expected_version
            )
        except Rejected as refusal:
            if refusal.reason is not Reason.OUT_OF_TIME or not await self.settle(id):
                raise
        return await self._carried_out(
            id, order, by=by, key=key, asked=asked, expected_version=expected_version
        )

    async def settle(self, id: MatchId) -> bool:
        """Give back what outages took of a match's time; return whether there was anything.

        That the service works now is said first: an outage that is just over counts, too.

        Raises:
            NotFound: There is no such match.
        """
        await self.outages.beat()
        live = await self.matches.current(id)
        if live.match.clocks is None:
            return False
        moved = False
        for outage in await self.outages.since(live.match.clocks.at):
            if live.done_for(None, outage.key) is None:
                command = MoveDeadline(outage.began_at, outage.ended_at)
                # Refused if the match has ended meanwhile.
                with suppress(Rejected):
                    await self._carried_out(
                        id, _always(command), by=None, key=outage.key, asked=as_given(command)
                    )
                moved = True
        return moved

    async def _carried_out(
        self,
        id: MatchId,
        order: Order,
        *,
        by: PlayerId | None,
        key: str,
        asked: Asked,
        expected_version: int | None = None,
    ) -> Decided:
        entry = self.matches.entry(id)
        async with entry.lock:
            live = await self.matches.loaded(entry, id)
            secrets = entry.secrets or await self.secrets(id)
            fresh = False
            for _ in range(ATTEMPTS):
                try:
                    # Only the player's own keys are looked up: to others they tell nothing.
                    if done := live.done_for(by, key):
                        events = await self.store.read(id, done.first - 1, done.last)
                        if len(events) <= done.last - done.first or events[0].key != key:
                            # Lost, and perhaps others stand in their place.
                            raise NotFound(
                                FailureReason.NO_SUCH_VERSION, version=done.last, latest=live.version
                            )
                        if events[0].digest != digest_of(asked(live.game)):
                            raise KeyReused
                        past = live
                        if done.last < live.version:
                            past = await self.matches.at_version(id, done.last)
                        return Decided(live, secrets, key, events[0].seat, events, past.match)
                    seat, command = order(live, secrets)
                    if expected_version is not None and not live.stands_at(expected_version):
                        raise await self.conflict(live, seat, expected_version)
                    now = self.clock.now()
                    chance = chance_of(live.match, secrets.seed, id, live.version, command)
                    decided, match = decide(
                        live.game, live.match, seat, command, chance, now, commands=live.commands
                    )
                except (Failure, Rejected) as failed:
                    if isinstance(failed, SetAside):
                        self.matches.forget(id)
                        raise
                    # What cannot be read cannot be read however the match stands.
                    if fresh or isinstance(failed, Malformed) or not await self.matches.refresh(live):
                        raise
                    continue
                envelopes = Envelopes(
                    live.game, id, secrets.seed, match=live.match, version=live.version, head=live.head
                )
                digest = digest_of(asked(live.game))
                decision = Decision(at=now, seat=seat, command=command, by=by, key=key, digest=digest)
                recorded = envelopes.wrap(decision, decided, match)
                try:
                    await self.append(id, recorded)
                except VersionTaken:
                    fresh = await self.matches.refresh(live)
                    continue
                live.advance(match, recorded)
                self._publish(id, recorded)
                if not OBSERVED.isdisjoint(map(type, decided)):
                    for observe in self.observers:
                        observe(id, decided, match)
                self._snapshot_if_due(live)
                return Decided(live, secrets, key, seat, recorded, match)
            seat, _ = order(live, secrets)
            raise await self.conflict(live, seat, expected_version or live.version)

    async def secrets(self, id: MatchId) -> Secrets:
        """Return the secrets of a match that exists."""
        entry = self.matches.entry(id)
        if entry.secrets is None:
            entry.secrets = await self._seeds.secrets(id)
        return entry.secrets

    async def append(self, id: MatchId, events: Sequence[Recorded]) -> None:
        """Store events, also if the caller goes away; forget the match if it is unknown whether they were.

        Raises:
            VersionTaken: One of the versions exists already, or the one before does not; nothing was stored.
        """
        try:
            await self.store.append(id, events)
        except VersionTaken:
            raise
        except BaseException:
            self.matches.forget(id)
            raise

    async def conflict(self, live: LoadedMatch, seat: Seat | None, expected_version: int) -> Conflict:
        """Return the answer to a command for another version, with what was missed since."""
        after = min(expected_version, live.version)
        up_to = min(after + MISSED_EVENTS, live.version)
        missed = await self.store.read(live.id, after, up_to)
        secrets = await self.secrets(live.id)
        viewer = SPECTATOR if seat is None else seated(seat)
        return Conflict(
            FailureReason.VERSION_CONFLICT,
            version=live.version,
            expected_version=expected_version,
            events=seen_events(source(live, secrets), missed, viewer),
            truncated=up_to < live.version,
        )

    async def drain(self) -> None:
        """Finish what is being stored; nothing more may be asked for."""
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.store.close()

    def _snapshot_if_due(self, live: LoadedMatch) -> None:
        if live.version - live.snapshot_version >= self._snapshot_every:
            live.snapshot_version = live.version
            task = asyncio.create_task(self.store.keep_snapshot(live.id, live.snapshot()))
            self._background.add(task)
            task.add_done_callback(self._snapshot_kept)

    def _snapshot_kept(self, task: asyncio.Task[None]) -> None:
        """Let a snapshot go whether it was kept or not: it only saves work."""
        self._background.discard(task)
        task.cancelled() or task.exception()


def as_given(asked: Any) -> Asked:
    """Return what was asked, whatever the game."""
    return lambda _: asked


def _always(command: Any) -> Order:
    """Return the order of a command that is nobody's, however the match stands."""
    return lambda *_: (None, command)


def chance_of(match: AnyMatch, seed: bytes, id: MatchId, version: int, command: Any) -> SeededChance:
    """Return the chance of the decision at a version, with the entropy of anyone who sits down in it."""
    holders = list(match.holders)
    if isinstance(command, TakeSeat) and 0 <= command.seat < len(holders):
        holders[command.seat] = command.holder
    return decision_chance(seed, id, ["" if held is None else held.entropy for held in holders], version)


def checked_key(key: str | None) -> str:
    """Return the caller's idempotency key, or a fresh one if it gave none.

    Raises:
        Malformed: It is too long, or has characters that a header cannot carry.
    """
    if key is None:
        return token_hex(16)
    if not 0 < len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise Malformed(FailureReason.INVALID_IDEMPOTENCY_KEY, expected="1 to 255 printable ASCII characters")
    return key


def digest_of(asked: Any) -> str:
    """Return SHA-256 of what was asked, in hexadecimal: as JSON, the fields of structs in their order."""
    return sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()
