"""Matches as lists show them."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.match import (
    BranchOf,
    ChatMode,
    Disclosure,
    HolderKind,
    MatchStatus,
    MemoryAid,
    OnTimeOut,
    PlayerId,
    StartMode,
    TimeControl,
    Visibility,
    conditions_of,
    limit_of,
)
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat
from services.matches.store import MatchWithoutState
from services.players.accounts import Players
from services.players.names import SeatedPlayer, seated_player
from services.players.store import Player
from services.shared.ids import MatchId
from services.shared.time import Time


class MatchSeat(Struct, frozen=True):
    """A seat and who holds it.

    Attributes:
        seat: The seat.
        player: Who holds it; None while it is free.
        kind: What holds it; None while it is free.
    """

    seat: Seat
    player: SeatedPlayer | None
    kind: HolderKind | None


class MatchSummary[O](Struct, frozen=True, kw_only=True, rename={"status": "state"}):
    """A match without its table.

    Attributes:
        id: `match_...`.
        game: The game's id.
        ruleset: Edition of the rules, fixed when the match opened.
        options: The game's options, all of them.
        status: How far it is.
        version: How many events it has.
        seats: Every seat, in turn order.
        visibility: Who may know of it.
        disclosure: What everybody may see after the end.
        memory_aid: Whether views of a game that has a memory aid show it.
        start: What begins the match once its seats are taken.
        time_control: How much time the seats have.
        on_time_out: What becomes of a seat whose time is up.
        chat: Whether there is talk.
        rated: Whether the outcome counts for ratings.
        opener: Who opened it.
        rematch_of: The match that this one is played again after; None for the first.
        branch_of: Where it branches off from another match; None for one that is played for its own sake.
        max_commands: The most commands from the beginning of play, then it ends; None if there is no limit.
        seed_commitment: SHA-256 of the seed that all chance comes from.
        created_at: When it was opened, UTC.
        outcome: How it ended, once it has.
    """

    id: MatchId
    game: str
    ruleset: str
    options: O
    status: MatchStatus
    version: int
    seats: tuple[MatchSeat, ...]
    visibility: Visibility
    disclosure: Disclosure
    memory_aid: MemoryAid
    start: StartMode
    time_control: TimeControl
    on_time_out: OnTimeOut
    chat: ChatMode
    rated: bool
    opener: PlayerId
    rematch_of: MatchId | None
    branch_of: BranchOf | None
    max_commands: int | None
    seed_commitment: str
    created_at: Time
    outcome: Outcome | None


async def summaries(listed: Sequence[MatchWithoutState], players: Players) -> tuple[MatchSummary[Any], ...]:
    """Return the matches with the names of those who play, in the order given."""
    ids = {holder.player for one in listed for holder in one.match.holders if holder is not None}
    names = await players.named(sorted(ids))
    return tuple(_summary(one, names) for one in listed)


def _summary(listed: MatchWithoutState, names: Mapping[PlayerId, Player]) -> MatchSummary[Any]:
    match = listed.match
    seats = tuple(
        MatchSeat(Seat(seat), None, None)
        if holder is None
        else MatchSeat(Seat(seat), seated_player(holder.player, names), holder.kind)
        for seat, holder in enumerate(match.holders)
    )
    return MatchSummary(
        id=listed.id,
        game=match.terms.game,
        ruleset=match.terms.ruleset,
        options=match.terms.options,
        status=match.status,
        version=listed.version,
        seats=seats,
        opener=match.terms.opener,
        rematch_of=None if match.terms.rematch_of is None else MatchId(match.terms.rematch_of),
        branch_of=match.terms.branch_of,
        max_commands=limit_of(match.terms),
        seed_commitment=match.terms.seed_commitment,
        created_at=listed.opened_at,
        outcome=match.outcome,
        **conditions_of(match.terms),
    )
