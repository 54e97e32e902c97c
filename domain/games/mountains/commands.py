"""What a seat may ask for in Mountains (mountains §4 to §6)."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.games.mountains.catalogue import HAND_SIZES, Deck, Equipment

type Neighbour = Annotated[int, Meta(ge=0, le=max(HAND_SIZES) - 1)]


class ChooseHike(Struct, frozen=True, tag_field="type", tag="choose_hike", forbid_unknown_fields=True):
    """Turn over the top card of a deck (§4.1).

    Attributes:
        deck: The deck; it must have a card.
    """

    deck: Deck


class Ask(Struct, frozen=True, tag_field="type", tag="ask", forbid_unknown_fields=True):
    """Pay another seat one stone, then ask it for a missing piece (§4.3).

    Attributes:
        neighbour: Any other seat.
        equipment: A type that the hike needs and that the asker misses.
    """

    neighbour: Neighbour
    equipment: Equipment


class CompleteHike(Struct, frozen=True, tag_field="type", tag="complete_hike", forbid_unknown_fields=True):
    """Lay out the own pieces of a hike that misses nothing, for its stones and stamps (§4.4)."""


class DeclineHike(Struct, frozen=True, tag_field="type", tag="decline_hike", forbid_unknown_fields=True):
    """Do not start the hike, before the first question, for one stone (§4.5)."""


class AbandonHike(Struct, frozen=True, tag_field="type", tag="abandon_hike", forbid_unknown_fields=True):
    """Give the hike up, after the first question, for nothing (§4.6)."""


class AcceptOffer(Struct, frozen=True, tag_field="type", tag="accept_offer", forbid_unknown_fields=True):
    """Buy what the hut sells (§5.1)."""


class DeclineOffer(Struct, frozen=True, tag_field="type", tag="decline_offer", forbid_unknown_fields=True):
    """Buy nothing at the hut (§5.1)."""


class Rest(Struct, frozen=True, tag_field="type", tag="rest", forbid_unknown_fields=True):
    """Take a rest day, at the beginning of a turn without stones, for three (§6.2)."""


type Command = ChooseHike | Ask | CompleteHike | DeclineHike | AbandonHike | AcceptOffer | DeclineOffer | Rest

COMMANDS: tuple[type[Command], ...] = (
    ChooseHike,
    Ask,
    CompleteHike,
    DeclineHike,
    AbandonHike,
    AcceptOffer,
    DeclineOffer,
    Rest,
)
