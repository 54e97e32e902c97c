"""What a seat may ask for in High Card (high_card §4)."""

from msgspec import Struct

from .catalogue import Card


class PlayCard(Struct, frozen=True, tag_field="type", tag="play_card", forbid_unknown_fields=True):
    """Play a card to the trick (§4.1).

    Attributes:
        card: Any card in hand.
    """

    card: Card


type Command = PlayCard

COMMANDS: tuple[type[Command], ...] = (PlayCard,)
