"""Open, join and play matches; read them as a viewer."""

import asyncio
from collections.abc import Callable, Sequence
from hashlib import sha256
from secrets import token_bytes, token_hex
from typing import Any

import msgspec
from msgspec import Struct

from domain.match import (
    Disclosure,
    Holder,
    HolderKind,
    Match,
    MemoryAid,
    Phase,
    PlayerId,
    Resign,
    Terms,
    Visibility,
    open_match,
    submit,
    take_seat,
    why_not,
)
from domain.shared.chance import Chance, decision_chance, seed_commitment
from domain.shared.game import Game
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer, seated
from services.access import check_known_to, seat_held, seat_of, viewer_of
from services.errors import Conflict, Failure, KeyReused, Malformed, NotFound, Unavailable
from services.feeds import Feeds, Watch
from services.ids import MatchId, match_id, new_uuid, parsed
from services.live import Games, Live, LiveMatches, opened
from services.paging import Page
from services.ports import (
    Clock,
    EventStore,
    Listed,
    MatchList,
    Opening,
    Recorded,
    Seeds,
    VersionTaken,
)
from services.views import SeenEvent, View, seen_events, view

ATTEMPTS = 5
"""How often a command is decided again after another process was faster."""
MISSED_EVENTS = 200
"""How many missed events a conflict carries at most."""
LONGEST_KEY = 255
LONGEST_ENTROPY = 256

type Decide = Callable[[Live, Any], tuple[Sequence[Any], Match[Any, Any]]]


class Proposal(Struct, frozen=True, kw_only=True):
    """A match that a player wants to open.

    Attributes:
        game: The game's id.
        options: The game's options.
        seats: Number of seats; None for the game's fewest.
        seat: The seat that the opener takes; None for none.
        visibility: Who may know of the match.
        disclosure: What everybody may see after the end.
        memory_aid: Whether views of a game that has a memory aid show it.
        entropy: The opener's own contribution to chance.
    """

    game: str
    options: Any
    seats: int | None
    seat: int | None
    visibility: Visibility
    disclosure: Disclosure
    memory_aid: MemoryAid
    entropy: str


class Answer(Struct, frozen=True, kw_only=True):
    """What a command led to.

    Attributes:
        key: The idempotency key, the server's own if the caller gave none.
        version: Version of the match behind the command's last event.
        events: What happened, as the acting seat may see it; empty if it was only validated.
        id: The match.
        match: The match at that version.
        game: Its game.
        viewer: The acting seat.
    """

    key: str
    version: int
    events: tuple[SeenEvent[Any], ...]
    id: MatchId
    match: Match[Any, Any]
    game: Game[Any, Any, Any, Any]
    viewer: Viewer

    @property
    def view(self) -> View[Any, Any]:
        """The match at that version as the acting seat may see it; made when it is asked for."""
        return view(self.game, self.id, self.match, self.version, self.viewer)


class Matches:
    """The use cases around a match; everything a face of the API calls.

    Attributes:
        games: The registered games by id.
        feeds: What happens in the matches that are watched.
    """

    def __init__(
        self,
        *,
        games: Games,
        store: EventStore,
        seeds: Seeds,
        match_list: MatchList,
        clock: Clock,
        remembered: int,
        snapshot_every: int,
    ) -> None:
        """Take what the use cases need.

        Args:
            games: The registered games by id.
            store: The log of all matches.
            seeds: The secrets of matches.
            match_list: The list of matches.
            clock: The time.
            remembered: How many folded matches are kept in memory.
            snapshot_every: How many events lie between two snapshots of a match.
        """
        self.games = games
        self.feeds = Feeds(store, clock)
        self._store = store
        self._seeds = seeds
        self._match_list = match_list
        self._clock = clock
        self._live = LiveMatches(games, store, remembered)
        self._snapshot_every = snapshot_every
        self._background: set[asyncio.Task[None]] = set()

    def game(self, id: str) -> Game[Any, Any, Any, Any]:
        """Return a game.

        Raises:
            NotFound: There is none of this id.
        """
        if game := self.games.get(id):
            return game
        raise NotFound("NO_SUCH_GAME", game=id)

    async def open(self, player: PlayerId, proposal: Proposal, key: str | None) -> tuple[str, Listed]:
        """Open a match, seat its opener, and start it if that fills it.

        Returns:
            The idempotency key and the match as it was then: a key used before gives the same answer again.

        Raises:
            NotFound: There is no such game.
            Rejected: The game is not played by that many, or has no such seat.
            KeyReused: The key came with another proposal before.
        """
        game = self.game(proposal.game)
        key = _checked_key(key)
        _check_entropy(proposal.entropy)
        now = self._clock.now()
        wanted = Opening(new_uuid(now), token_bytes(32), _digest(proposal))
        # What cannot be opened is refused here, before anything is put down.
        _opening_events(game, player, proposal, wanted)
        opening = await self._seeds.claim(player, key, wanted)
        if opening.digest != wanted.digest:
            raise KeyReused
        events = [
            Recorded(
                version=version,
                at=now,
                seat=None if proposal.seat is None or version == 1 else Seat(proposal.seat),
                key=key,
                digest=opening.digest,
                command=None,
                event=event,
            )
            for version, event in enumerate(_opening_events(game, player, proposal, opening), start=1)
        ]
        id = match_id(opening.match)
        entry = self._live.entry(id)
        async with entry.lock:
            if entry.live is None:
                entry.live = await self._stored_opening(id, events)
            if entry.live.version == len(events):
                return key, _listed(entry.live)
            return key, _listed(await self._live.at_version(id, len(events)))

    async def _stored_opening(self, id: MatchId, events: Sequence[Recorded]) -> Live:
        """Store the opening of a match, and return the match; one that was opened before stays as it is."""
        try:
            return await self._live.at_version(id)
        except NotFound:
            pass
        try:
            await self._append(id, events)
        except VersionTaken:
            return await self._live.at_version(id)
        return opened(self.games, id, events)

    async def take_seat(
        self, player: PlayerId, id: MatchId, seat: int, entropy: str, key: str | None
    ) -> tuple[str, Listed]:
        """Sit a player down; the last one to do so starts the match.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Rejected: The match has begun, has no such seat, or the seat or player is taken.
        """
        _check_entropy(entropy)
        holder = Holder(player, HolderKind.HUMAN, entropy)

        def decide(live: Live, seed: bytes) -> tuple[Sequence[Any], Match[Any, Any]]:
            chance = _chance(live.match, seed, id, live.version, Seat(seat), holder)
            return take_seat(live.game, live.match, Seat(seat), holder, chance)

        def authorise(live: Live) -> Seat:
            check_known_to(live, player)
            return Seat(seat)

        key = _checked_key(key)
        digest = _digest(["take_seat", player, seat, entropy])
        live, _, (events, match) = await self._carry_out(
            player, id, authorise, key, digest, None, None, decide
        )
        version = events[-1].version
        return key, Listed(id=id, opened_at=live.opened_at, match=match, version=version)

    async def submit(
        self,
        player: PlayerId,
        id: MatchId,
        command: Any,
        *,
        key: str | None,
        expected_version: int | None,
        validate_only: bool,
    ) -> Answer:
        """Carry out a command of the player's seat, or only say whether it would be accepted.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player has no seat in it.
            Malformed: The command is of another game.
            Rejected: The rules refuse it.
            Conflict: The match is not at the expected version.
            KeyReused: The key came with another command before.
        """
        key = _checked_key(key)

        def decide(live: Live, seed: bytes) -> tuple[Sequence[Any], Match[Any, Any]]:
            chance = _chance(live.match, seed, id, live.version)
            seat = seat_of(live.match, player)
            return submit(live.game, live.match, seat, command, chance)

        def authorise(live: Live) -> Seat:
            check_known_to(live, player)
            if not isinstance(command, (Resign, *live.game.commands)):
                raise Malformed("INVALID_FIELD", field="command", expected=f"a command of {live.game.id}")
            return seat_of(live.match, player)

        if validate_only:
            return await self._validated(id, authorise, command, key, expected_version)
        digest = _digest([command, expected_version])
        raw = msgspec.json.encode(command)
        live, seat, done = await self._carry_out(
            player, id, authorise, key, digest, raw, expected_version, decide
        )
        viewer = seated(seat)
        events, match = done
        return Answer(
            key=key,
            version=events[-1].version,
            events=seen_events(live.game, events, viewer),
            id=id,
            match=match,
            game=live.game,
            viewer=viewer,
        )

    async def _validated(
        self,
        id: MatchId,
        authorise: Callable[[Live], Seat],
        command: Any,
        key: str,
        expected_version: int | None,
    ) -> Answer:
        live = await self._live.current(id)
        seat = authorise(live)
        if expected_version is not None and expected_version != live.version:
            raise await self._conflict(live, seat, expected_version)
        if reason := why_not(live.game, live.match, seat, command):
            raise Rejected(reason, seat=seat)
        return Answer(
            key=key,
            version=live.version,
            events=(),
            id=id,
            match=live.match,
            game=live.game,
            viewer=seated(seat),
        )

    async def _carry_out(
        self,
        player: PlayerId,
        id: MatchId,
        authorise: Callable[[Live], Seat],
        key: str,
        digest: str,
        command: bytes | None,
        expected_version: int | None,
        decide: Decide,
    ) -> tuple[Live, Seat, tuple[Sequence[Recorded], Match[Any, Any]]]:
        """Decide and store a command, once for its key, and return what happened and the match behind it.

        A refusal counts only against the match as the store has it, so what this process remembers is brought
        up to date before anything is refused.
        """
        entry = self._live.entry(id)
        async with entry.lock:
            live = await self._live.loaded(entry, id)
            fresh = False
            for _ in range(ATTEMPTS):
                try:
                    seat = authorise(live)
                    # Only the holder's own keys are looked up: to others they tell nothing.
                    holds = seat_held(live.match, player) == seat
                    if holds and (done := live.done.get((seat, key))):
                        if done.digest != digest:
                            raise KeyReused
                        past = await self._live.at_version(id, done.last)
                        events = await self._store.read(id, done.first - 1, done.last)
                        return live, seat, (events, past.match)
                    if expected_version is not None and expected_version != live.version:
                        raise await self._conflict(live, seat, expected_version)
                    if entry.seed is None:
                        entry.seed = await self._seeds.seed(id)
                    decided, match = decide(live, entry.seed)
                except (Failure, Rejected):
                    if fresh or not await self._live.refresh(live):
                        raise
                    continue
                now = self._clock.now()
                recorded = [
                    Recorded(
                        version=version,
                        at=now,
                        seat=seat,
                        key=key,
                        digest=digest,
                        command=command if version == live.version + 1 else None,
                        event=event,
                    )
                    for version, event in enumerate(decided, start=live.version + 1)
                ]
                try:
                    await self._append(id, recorded)
                except VersionTaken:
                    fresh = await self._live.refresh(live)
                    continue
                live.advance(match, recorded)
                self.feeds.publish(id, recorded)
                self._snapshot_if_due(live)
                return live, seat, (recorded, match)
            raise await self._conflict(live, authorise(live), expected_version or live.version)

    async def _append(self, id: MatchId, events: Sequence[Recorded]) -> None:
        """Store events, also if the caller goes away; forget the match if it is unknown whether they were."""
        try:
            await self._store.append(id, events)
        except VersionTaken:
            raise
        except BaseException:
            self._live.forget(id)
            raise

    def _snapshot_if_due(self, live: Live) -> None:
        if live.version - live.snapshot_version >= self._snapshot_every:
            live.snapshot_version = live.version
            task = asyncio.create_task(self._store.keep_snapshot(live.id, live.snapshot()))
            self._background.add(task)
            task.add_done_callback(self._snapshot_kept)

    def _snapshot_kept(self, task: asyncio.Task[None]) -> None:
        """Let a snapshot go whether it was kept or not: it only saves work."""
        self._background.discard(task)
        task.cancelled() or task.exception()

    async def ready(self) -> bool:
        """Return whether the store answers."""
        try:
            return await self._store.answers()
        except Unavailable:
            return False

    async def drain(self) -> None:
        """Finish what is being stored; nothing more may be asked for."""
        await asyncio.gather(*self._background, return_exceptions=True)
        await self._store.close()

    async def _conflict(self, live: Live, seat: Seat, expected_version: int) -> Conflict:
        after = min(expected_version, live.version)
        up_to = min(after + MISSED_EVENTS, live.version)
        missed = await self._store.read(live.id, after, up_to)
        return Conflict(
            "VERSION_CONFLICT",
            version=live.version,
            expected_version=expected_version,
            events=seen_events(live.game, missed, seated(seat)),
            truncated=up_to < live.version,
        )

    async def game_of(self, id: MatchId, player: PlayerId) -> Game[Any, Any, Any, Any]:
        """Return the game of a match.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        entry = self._live.entry(id)
        live = entry.live or await self._live.current(id)
        try:
            check_known_to(live, player)
        except NotFound:
            check_known_to(await self._live.current(id), player)
        return live.game

    async def read(self, id: MatchId, player: PlayerId | None) -> Listed:
        """Return a match without its table.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        live = await self._live.current(id)
        check_known_to(live, player)
        return _listed(live)

    async def page(
        self,
        player: PlayerId | None,
        *,
        game: str | None,
        phase: Phase | None,
        after: str | None,
        size: int,
    ) -> Page[Listed]:
        """Return matches that the player may know of, newest first.

        Raises:
            NotFound: There is no game of this id.
            Malformed: `after` is not where a page ended.
        """
        if game is not None:
            self.game(game)
        if after is not None and parsed("match", after) is None:
            raise Malformed("INVALID_FIELD", field="page_token", expected="a token that a page gave")
        before = None if after is None else MatchId(after)
        found = await self._match_list.page(player, game=game, phase=phase, before=before, limit=size + 1)
        return Page(tuple(found[:size]), found[size - 1].id if len(found) > size else None)

    async def view(
        self, id: MatchId, player: PlayerId | None, *, version: int | None, looking_as: str | None
    ) -> View[Any, Any]:
        """Return a match as a viewer may see it, now or at a version.

        Raises:
            NotFound: There is no such match or version, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        live = await self._live.current(id)
        viewer = viewer_of(live, player, looking_as)
        if version is None or version == live.version:
            return view(live.game, id, live.match, live.version, viewer)
        if not 1 <= version < live.version:
            raise NotFound("NO_SUCH_VERSION", version=version, latest=live.version)
        past = await self._live.at_version(id, version)
        return view(past.game, id, past.match, version, viewer)

    async def legal_moves(self, id: MatchId, player: PlayerId) -> View[Any, Any]:
        """Return the view of the player's seat, with its legal moves.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player has no seat in it.
        """
        live = await self._live.current(id)
        check_known_to(live, player)
        return view(live.game, id, live.match, live.version, seated(seat_of(live.match, player)))

    async def events(
        self, id: MatchId, player: PlayerId | None, *, after: int, size: int, looking_as: str | None
    ) -> Page[SeenEvent[Any]]:
        """Return the events behind a version as a viewer may see them, in order.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        live = await self._live.current(id)
        viewer = viewer_of(live, player, looking_as)
        events = await self._store.read(id, after, after + size)
        last = events[-1].version if events else after
        return Page(seen_events(live.game, events, viewer), str(last) if last < live.version else None)

    async def watch(
        self, id: MatchId, player: PlayerId | None, *, after: int | None, looking_as: str | None
    ) -> Watch:
        """Return a watch of a match as a viewer may see it; whoever takes it must `leave` it.

        Args:
            id: The match.
            player: Who watches; None without an account.
            after: The version behind which to begin; None begins with a snapshot.
            looking_as: From where, as for `view`.

        Raises:
            NotFound: There is no such match or version, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        channel = self.feeds.join(id)
        try:
            live = await self._live.current(id)
            return self.feeds.watch(channel, live, viewer_of(live, player, looking_as), after)
        except BaseException:
            self.feeds.part(channel)
            raise


def _opening_events(
    game: Game[Any, Any, Any, Any], opener: PlayerId, proposal: Proposal, opening: Opening
) -> Sequence[object]:
    """Return the events that open a match as proposed, and seat its opener.

    Raises:
        Rejected: The game is not played by that many, or has no such seat.
    """
    terms = Terms(
        game=game.id,
        ruleset=game.ruleset,
        options=proposal.options,
        seats=game.min_seats if proposal.seats is None else proposal.seats,
        opener=opener,
        visibility=proposal.visibility,
        disclosure=proposal.disclosure,
        memory_aid=proposal.memory_aid,
        seed_commitment=seed_commitment(opening.seed),
    )
    events, match = open_match(game, terms)
    if proposal.seat is None:
        return events
    holder = Holder(opener, HolderKind.HUMAN, proposal.entropy)
    chance = _chance(match, opening.seed, match_id(opening.match), len(events), Seat(proposal.seat), holder)
    seating, _ = take_seat(game, match, Seat(proposal.seat), holder, chance)
    return (*events, *seating)


def _chance(
    match: Match[Any, Any],
    seed: bytes,
    id: MatchId,
    version: int,
    seat: Seat | None = None,
    holder: Holder | None = None,
) -> Chance:
    """Return the chance of the decision at a version, with the entropy of the holder who sits down in it."""
    holders = [holder if number == seat else held for number, held in enumerate(match.holders)]
    entropies = ["" if held is None else held.entropy for held in holders]
    return decision_chance(seed, id, entropies, version)


def _listed(live: Live) -> Listed:
    return Listed(id=live.id, opened_at=live.opened_at, match=live.match, version=live.version)


def _checked_key(key: str | None) -> str:
    """Return the caller's idempotency key, or a fresh one if it gave none."""
    if key is None:
        return token_hex(16)
    if not 0 < len(key) <= LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise Malformed("INVALID_IDEMPOTENCY_KEY", expected="1 to 255 printable ASCII characters")
    return key


def _check_entropy(entropy: str) -> None:
    if len(entropy) > LONGEST_ENTROPY or not entropy.isprintable():
        raise Malformed("INVALID_FIELD", field="entropy", expected="at most 256 printable characters")


def _digest(asked: Any) -> str:
    """Return SHA-256 of what was asked, as JSON with sorted names, in hexadecimal."""
    return sha256(msgspec.json.encode(asked, order="deterministic")).hexdigest()
