"""What a seat may ask for in Mount Drago (mount_drago §4)."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.games.mount_drago.catalogue import HAND, Card


class PlayCard(Struct, frozen=True, tag_field="type", tag="play_card", forbid_unknown_fields=True):
    """Play a card and move the dragon of its colour (§4.1).

    Attributes:
        card: Any card in hand.
        ride: Whether to ride that dragon from now on. Required exactly if it is in last place before the move
            and nobody rides it, else refused (§4.2).
    """

    card: Card
    ride: bool | None = None


class DiscardSummitCards(
    Struct, frozen=True, tag_field="type", tag="discard_summit_cards", forbid_unknown_fields=True
):
    """Discard cards of dragons on summit spaces; the draw follows by itself (§4.4).

    Attributes:
        cards: One to five cards in hand, in any order.
    """

    cards: Annotated[tuple[Card, ...], Meta(min_length=1, max_length=HAND - 1)]


class Draw(Struct, frozen=True, tag_field="type", tag="draw", forbid_unknown_fields=True):
    """Keep all cards and fill the hand (§4.4)."""


type Command = PlayCard | DiscardSummitCards | Draw

COMMANDS: tuple[type[Command], ...] = (PlayCard, DiscardSummitCards, Draw)
