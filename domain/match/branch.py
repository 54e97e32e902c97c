"""Tables that are played on in a match of their own, for analysis.

A branch shows its player everything, and at its end the seed that all of its chance came from. So what is
drawn again must follow from that chance and from what the viewer knew, and from nothing else: anyone who
knows how cards were shuffled could else tell where they lay before.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from domain.match.commands import Branch
from domain.match.events import Branched
from domain.match.rejections import Reason
from domain.match.state import (
    BranchOf,
    ChatMode,
    Disclosure,
    Holder,
    Match,
    MatchStatus,
    PlayerId,
    Terms,
    Visibility,
)
from domain.shared.canonical import canonical
from domain.shared.chance import Chance
from domain.shared.game import AnyGame, Game
from domain.shared.rejections import Rejected
from domain.shared.viewers import Viewer, sees_all

SCHEMA = "schema"
"""Beside the fields of a stored table: the number of its shape. No table has a field of this name."""
FIRST_SCHEMA = 1
"""The shape of tables that were stored without a number."""


def branch_terms[O](
    terms: Terms[O],
    opener: PlayerId,
    seed_commitment: str,
    branch_of: BranchOf,
    max_commands: int | UnsetType = UNSET,
) -> Terms[O]:
    """Return the terms of a branch off a match on these terms: the same game, for its player's eyes only.

    It has a limit of its own, and begins to count at its beginning.
    """
    return Terms(
        game=terms.game,
        ruleset=terms.ruleset,
        options=terms.options,
        seats=terms.seats,
        opener=opener,
        visibility=Visibility.PRIVATE,
        disclosure=Disclosure.AT_END,
        seed_commitment=seed_commitment,
        chat=ChatMode.OFF,
        rated=False,
        branch_of=branch_of,
        max_commands=max_commands,
    )


class Sorting:
    """Chance that sorts what it shuffles, so that nothing is left of the order that it had before."""

    def __init__(self, chance: Chance) -> None:
        """Take the chance that shuffles and draws."""
        self._chance = chance

    def shuffle[Item](self, items: Iterable[Item]) -> tuple[Item, ...]:
        """Return the items in an order of which each is equally likely."""
        return self._chance.shuffle(sorted(items, key=canonical))

    def below(self, bound: int) -> int:
        """Return a number from 0 to `bound` - 1, each equally likely."""
        return self._chance.below(bound)


def resampled[S](game: Game[S, Any, Any, Any], table: S, viewer: Viewer, chance: Chance) -> S:
    """Return a table that a viewer cannot tell from this one, though it may know how chance fell."""
    return game.determinize(table, viewer, Sorting(chance))


def branch_off[S, O](
    game: Game[S, Any, Any, O], match: Match[S, O], viewer: Viewer, holder: Holder, chance: Chance
) -> Branch:
    """Return how a branch begins that goes on where a match stands, as far as a viewer can know it.

    Args:
        game: The match's game.
        match: The match.
        viewer: From where the branch's player looks at it.
        holder: Who is to hold all seats of the branch.
        chance: The branch's own.

    Raises:
        Rejected: The match is not being played.
    """
    if match.status is not MatchStatus.PLAYING or match.first is None:
        raise Rejected(Reason.MATCH_NOT_PLAYED)
    table = resampled(game, match.state, viewer, chance)
    return Branch(holder, match.first, match.resigned, written_table(game, table))


def branched(game: AnyGame, begun: Branch | Branched[Any], viewer: Viewer) -> Branched[Any]:
    """Return how a table begins to be played on, as a viewer may see it.

    Raises:
        Rejected: The table is none of the game.
    """
    return Branched(
        holder=begun.holder,
        first=begun.first,
        resigned=begun.resigned,
        table=game.view(table_of(game, begun.state), viewer),
        state=begun.state if sees_all(viewer) else None,
    )


def table_of[S](game: Game[S, Any, Any, Any], state: str | None) -> S:
    """Return the table that a text in canonical JSON stands for.

    Raises:
        Rejected: It is no table of the game.
    """
    try:
        return read_table(game, state)
    except msgspec.DecodeError as error:
        raise Rejected(Reason.NO_SUCH_TABLE) from error


def written_table[S](game: Game[S, Any, Any, Any], table: S) -> str:
    """Return a table as a text that loads for ever: canonical JSON with the number of its shape."""
    plain = msgspec.json.decode(canonical(table))
    return canonical(plain | {SCHEMA: len(game.upcasts) + 1}).decode()


def read_table[S](game: Game[S, Any, Any, Any], state: str | None) -> S:
    """Return the table that a stored text stands for, whatever shape tables had then.

    Raises:
        msgspec.DecodeError: It is no table of the game, or of a shape that is not known here.
    """
    plain = msgspec.json.decode(state or "", type=dict[str, Any])
    schema = plain.pop(SCHEMA, FIRST_SCHEMA)
    if schema not in range(FIRST_SCHEMA, len(game.upcasts) + 2):
        raise msgspec.DecodeError(f"tables of the shape {schema!r} are not known")
    for upcast in game.upcasts[schema - 1 :]:
        plain = upcast(plain)
    return msgspec.json.decode(canonical(plain), type=game.state)
