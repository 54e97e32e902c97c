"""What can happen in Montana; stored for good."""

from msgspec import Struct

from domain.games.montana.catalogue import Card, RedealPolicy


class Dealt(Struct, frozen=True, tag_field="type", tag="montana.dealt"):
    """The cards were laid out, and the aces taken out again (§3).

    Attributes:
        cards: 52 cards as laid, row by row, left to right; a gap is left where an ace lies.
        redeals: How many times cards may be dealt again.
        redeal_policy: When that is allowed.
        deal: The deal number, if one was given.
    """

    cards: tuple[Card, ...]
    redeals: int
    redeal_policy: RedealPolicy
    deal: int | None


class CardMoved(Struct, frozen=True, tag_field="type", tag="montana.card_moved"):
    """A card went into a gap and left one behind (§4.1, §4.5).

    Attributes:
        card: The card.
        from_row: Row that it left.
        from_column: Column that it left.
        row: Row of the gap that it went into.
        column: Column of the gap that it went into.
    """

    card: Card
    from_row: int
    from_column: int
    row: int
    column: int


class Redealt(Struct, frozen=True, tag_field="type", tag="montana.redealt"):
    """All cards outside the finished parts were shuffled and laid out again (§4.6).

    Attributes:
        cells: 52 cells, row by row, left to right, as they are now; null is a gap.
        redeals_left: How many times cards may still be dealt again.
    """

    cells: tuple[Card | None, ...]
    redeals_left: int


type Event = Dealt | CardMoved | Redealt

EVENTS: tuple[type[Event], ...] = (Dealt, CardMoved, Redealt)
