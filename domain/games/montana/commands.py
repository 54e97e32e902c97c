"""What the seat may ask for in Montana (montana §4)."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.games.montana.catalogue import COLUMNS, ROWS, Card

type Row = Annotated[int, Meta(ge=0, le=ROWS - 1)]
type Column = Annotated[int, Meta(ge=0, le=COLUMNS - 1)]


class MoveCard(Struct, frozen=True, tag_field="type", tag="move_card", forbid_unknown_fields=True):
    """Put a card into a gap (§4.1).

    Attributes:
        card: May be left out when exactly one card fits the gap.
        row: Row of the gap, 0 to 3 from the top. Row and column may be left out together when exactly one
            gap accepts the card.
        column: Column of the gap, 0 to 12 from the left.
    """

    card: Card | None = None
    row: Row | None = None
    column: Column | None = None


class Redeal(Struct, frozen=True, tag_field="type", tag="redeal", forbid_unknown_fields=True):
    """Gather all cards outside the finished parts, shuffle them and lay them out again (§4.6)."""


type Command = MoveCard | Redeal

COMMANDS: tuple[type[Command], ...] = (MoveCard, Redeal)
