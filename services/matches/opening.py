"""Open matches."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from secrets import token_bytes
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.match import (
    Branched,
    ChatMode,
    Disclosure,
    Holder,
    HolderKind,
    LobbyCommand,
    MemoryAid,
    OnTimeOut,
    Opened,
    PlayerId,
    Started,
    StartMode,
    TakeSeat,
    Terms,
    TimeControl,
    Visibility,
    conditions_of,
    decide,
    open_match,
)
from domain.shared.chance import seed_commitment
from domain.shared.game import AnyGame, Game
from domain.shared.seats import Seat
from services.matches.catalogue import Catalogue
from services.matches.decisions import Decisions, chance_of, checked_key, digest_of
from services.matches.envelopes import Decision, Envelopes
from services.matches.loaded import LoadedMatch, opened
from services.matches.same_terms import fit_of
from services.matches.store import ClaimedOpening, MatchWithoutState, Recorded, Secrets, Seeds, VersionTaken
from services.players.quotas import Holding, QuotaKind
from services.shared.errors import FailureReason, KeyReused, Malformed, NotFound
from services.shared.ids import MatchId, match_id, new_uuid, number_of
from services.shared.time import Clock

LONGEST_ENTROPY = 256


class Proposal(Struct, frozen=True, kw_only=True):
    """A match that a player wants to open.

    Idempotency keys are held against a digest of it, in which its fields stand in this order.

    Attributes:
        game: The game's id.
        options: The game's options.
        seats: Number of seats; None for the game's fewest.
        seat: The seat that the opener takes; None for none.
        visibility: Who may know of the match.
        disclosure: What everybody may see after the end.
        memory_aid: Whether views of a game that has a memory aid show it.
        start: What begins the match once its seats are taken.
        time_control: How much time the seats have.
        on_time_out: What becomes of a seat whose time is up.
        chat: Whether there is talk.
        rated: Whether the outcome counts for ratings, if the match is public and has more than one seat.
        entropy: The opener's own contribution to chance.
        kind: What the opener's seat is held by.
        rematch_of: The match that is played again; None for none.
    """

    game: str
    options: Any
    seats: int | None = None
    seat: int | None = None
    visibility: Visibility = Visibility.PUBLIC
    disclosure: Disclosure = Disclosure.AT_END
    memory_aid: MemoryAid = MemoryAid.ON
    start: StartMode = StartMode.AUTO
    time_control: TimeControl = TimeControl()
    on_time_out: OnTimeOut = OnTimeOut.RESIGN
    chat: ChatMode = ChatMode.ON
    rated: bool = True
    entropy: str = ""
    kind: HolderKind = HolderKind.HUMAN
    rematch_of: MatchId | None = None


class Openings:
    """The use case of opening a match."""

    def __init__(self, catalogue: Catalogue, decisions: Decisions, seeds: Seeds, clock: Clock) -> None:
        """Take the games, what stores events, where openings are claimed, and the time."""
        self._catalogue = catalogue
        self._decisions = decisions
        self._seeds = seeds
        self._clock = clock

    async def open(
        self,
        player: PlayerId,
        proposal: Proposal,
        key: str | None,
        *,
        number: UUID | None = None,
        owner: UUID | None = None,
        then: Sequence[LobbyCommand] = (),
    ) -> tuple[str, MatchWithoutState]:
        """Open a match, seat its opener, and start it if that fills it.

        Args:
            player: Who opens it.
            proposal: What is wanted.
            key: The idempotency key; None for a fresh one.
            number: What the match's id is made from; None for a fresh one. A key used before keeps its match.
            owner: The match whose key it is instead of the opener's; anyone who opens first is the opener.
            then: What is done in the same step, after the opening.

        Returns:
            The idempotency key and the match as it was then: a key used before gives the same answer again.

        Raises:
            NotFound: There is no such game.
            Rejected: The game is not played by that many, has no such seat, or not with these terms.
            TooMany: It waits for others, and the player has as many such matches as it may have.
            KeyReused: The key came with another proposal before.
        """
        game = self._catalogue.game(proposal.game)
        key = checked_key(key)
        check_entropy(proposal.entropy)
        now = self._clock.now()
        if proposal.seat is not None:
            then = (TakeSeat(Seat(proposal.seat), Holder(player, proposal.kind, proposal.entropy)), *then)
        by = player if owner is None else None

        def events_of(opening: ClaimedOpening) -> Sequence[Recorded]:
            terms = terms_of(game, player, proposal, opening.secrets, self._catalogue.max_commands)
            return opening_events(game, terms, opening, then, by, key, now)

        return key, await self.opened(
            owner or number_of("player", player),
            key,
            digest_of(proposal),
            events_of,
            number or new_uuid(now),
            player,
        )

    async def opened(
        self,
        owner: UUID,
        key: str,
        digest: str,
        events_of: Callable[[ClaimedOpening], Sequence[Recorded]],
        number: UUID,
        opener: PlayerId,
    ) -> MatchWithoutState:
        """Open a match with these events, once for its owner and key.

        Args:
            owner: The player or match whose key it is.
            key: The idempotency key.
            digest: SHA-256 of what was asked, in hexadecimal.
            events_of: Gives the events of the match that was recorded; fails if it cannot be opened.
            number: What the match's id is made from, unless the key was used before.
            opener: Who opens it.

        Returns:
            The match as it was then.

        Raises:
            TooMany: The match waits for others, and its opener has as many such as it may have.
            KeyReused: The key came with something else before.
        """
        wanted = ClaimedOpening(number, Secrets(token_bytes(32), token_bytes(16)), digest)
        # What cannot be opened is refused here, before anything is recorded.
        holding = _held(opener, number, events_of(wanted))
        opening = await self._seeds.claim(owner, key, wanted, self._clock.now(), holding)
        if opening.digest != wanted.digest:
            raise KeyReused
        events = events_of(opening)
        id = match_id(opening.match)
        entry = self._decisions.matches.entry(id)
        async with entry.lock:
            if entry.live is not None:
                # What is remembered may be lost, all of it.
                with suppress(NotFound):
                    await self._decisions.matches.refresh(entry.live)
                    return await self._as_opened(entry.live, len(events))
            live = self._decisions.matches.keep(entry, await self._stored_opening(id, events))
            return await self._as_opened(live, len(events))

    async def _as_opened(self, live: LoadedMatch, version: int) -> MatchWithoutState:
        """Return a match as it was after its opening."""
        if live.version == version:
            return live.listed
        return (await self._decisions.matches.at_version(live.id, version)).listed

    async def _stored_opening(self, id: MatchId, events: Sequence[Recorded]) -> LoadedMatch:
        """Store the opening of a match, and return the match; one that was opened before stays as it is."""
        try:
            return await self._decisions.matches.at_version(id)
        except NotFound:
            pass
        try:
            await self._decisions.append(id, events)
        except VersionTaken:
            return await self._decisions.matches.at_version(id)
        return opened(self._catalogue.games, id, events)


def _held(opener: PlayerId, number: UUID, events: Sequence[Recorded]) -> Holding | None:
    """Return the open match that a player has by opening it so; None if it begins at once."""
    first = events[0].event
    if not isinstance(first, Opened) or any(isinstance(one.event, Started | Branched) for one in events):
        return None
    fit = fit_of(first.terms)
    return Holding(opener, QuotaKind.OPEN, match_id(number), events[0].at, fit=fit)


def check_entropy(entropy: str) -> None:
    """Refuse entropy that cannot be shown.

    Raises:
        Malformed: It is too long, or has characters that cannot be shown.
    """
    if len(entropy) > LONGEST_ENTROPY or not entropy.isprintable():
        raise Malformed(
            FailureReason.INVALID_FIELD, field="entropy", expected="at most 256 printable characters"
        )


def terms_of[O](
    game: Game[Any, Any, Any, O],
    opener: PlayerId,
    proposal: Proposal,
    secrets: Secrets,
    max_commands: int | None = None,
) -> Terms[O]:
    """Return the terms of a match that is opened as proposed, with so many commands at most."""
    seats = game.min_seats if proposal.seats is None else proposal.seats
    agreed = conditions_of(proposal)
    # A private match is nobody's business but its players': no number that others see may tell of it.
    agreed["rated"] = proposal.rated and seats > 1 and proposal.visibility is Visibility.PUBLIC
    return Terms(
        game=game.id,
        ruleset=game.ruleset,
        options=proposal.options,
        seats=seats,
        opener=opener,
        seed_commitment=seed_commitment(secrets.seed),
        rematch_of=proposal.rematch_of,
        max_commands=UNSET if max_commands is None else max_commands,
        **agreed,
    )


def opening_events(
    game: AnyGame,
    terms: Terms[Any],
    opening: ClaimedOpening,
    then: Sequence[LobbyCommand],
    by: PlayerId | None,
    key: str,
    at: datetime,
) -> Sequence[Recorded]:
    """Return the events that open a match on its terms, and those of the commands that follow at once.

    Raises:
        Rejected: The game is not played by that many, has no such seat, or not with these terms.
    """
    id, seed = match_id(opening.match), opening.secrets.seed
    envelopes = Envelopes(game, id, seed)
    opening_of = Decision(at=at, seat=None, command=None, by=by, key=key, digest=opening.digest)
    events, match = open_match(game, terms)
    recorded = envelopes.wrap(opening_of, events, match)
    for number, command in enumerate(then):
        chance = chance_of(match, seed, id, len(recorded), command)
        events, match = decide(game, match, None, command, chance, at, commands=number)
        seat = command.seat if isinstance(command, TakeSeat) else None
        recorded += envelopes.wrap(replace(opening_of, seat=seat, command=command), events, match)
    return recorded
