"""What a seat may ask for in Montanara (montanara §4)."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from domain.games.montanara.catalogue import SPACES, TUNNEL_LENGTH, Kind

type Mountain = Annotated[int, Meta(ge=0, le=SPACES - 1)]
"""A mountain by its space, 0 to 3."""


class Place(StrEnum):
    """Where a drilled card goes (§4.7)."""

    TOP = "top"
    BOTTOM = "bottom"


class TakeCard(Struct, frozen=True, tag_field="type", tag="take_card", forbid_unknown_fields=True):
    """Take the top card of a mountain into hand, unseen by the opponent (§4.1).

    Attributes:
        mountain: The mountain, 0 to 3.
    """

    mountain: Mountain


class PlayDwarf(Struct, frozen=True, tag_field="type", tag="play_dwarf", forbid_unknown_fields=True):
    """Play a dwarf into the own display (§4.2)."""


class PlayCaveIn(Struct, frozen=True, tag_field="type", tag="play_cave_in", forbid_unknown_fields=True):
    """Make all dwarfs of both displays run away; then each seat may look at a mountain (§4.3)."""


class LookAtMountain(
    Struct, frozen=True, tag_field="type", tag="look_at_mountain", forbid_unknown_fields=True
):
    """Look at all cards of a mountain, in their order (§4.3, §4.12).

    Attributes:
        mountain: The mountain, 0 to 3.
    """

    mountain: Mountain


class DeclineLook(Struct, frozen=True, tag_field="type", tag="decline_look", forbid_unknown_fields=True):
    """Look at no mountain (§4.3, R7)."""


class PlayTheft(Struct, frozen=True, tag_field="type", tag="play_theft", forbid_unknown_fields=True):
    """Swap hands with the opponent (§4.4)."""


class PlayShaking(Struct, frozen=True, tag_field="type", tag="play_shaking", forbid_unknown_fields=True):
    """Shuffle two neighbouring mountains together and divide them again (§4.5).

    Attributes:
        first: One of the two spaces, 0 to 3.
        second: The other one.
        extra: Where the extra card of an odd number goes; the lower-numbered space if left out.
    """

    first: Mountain
    second: Mountain
    extra: Mountain | None = None


class PlayTunnel(Struct, frozen=True, tag_field="type", tag="play_tunnel", forbid_unknown_fields=True):
    """See the top four cards of a mountain and put them back (§4.6).

    Attributes:
        mountain: The mountain, 0 to 3.
    """

    mountain: Mountain


class ArrangeTunnel(Struct, frozen=True, tag_field="type", tag="arrange_tunnel", forbid_unknown_fields=True):
    """Give the order in which the cards of a tunnel go back (§4.6, R9).

    Attributes:
        order: The cards that were seen, the new top card first.
    """

    order: Annotated[tuple[Kind, ...], Meta(min_length=2, max_length=TUNNEL_LENGTH)]


class PlayDrilling(Struct, frozen=True, tag_field="type", tag="play_drilling", forbid_unknown_fields=True):
    """See the bottom card of a mountain, the first of as many as the seat likes (§4.7, R10).

    Attributes:
        mountain: The mountain, 0 to 3.
    """

    mountain: Mountain


class PlaceDrilled(Struct, frozen=True, tag_field="type", tag="place_drilled", forbid_unknown_fields=True):
    """Put the lifted card back under its mountain or on top of it (§4.7).

    Attributes:
        on: Where it goes.
    """

    on: Place


class Drill(Struct, frozen=True, tag_field="type", tag="drill", forbid_unknown_fields=True):
    """See the bottom card of another mountain (§4.7).

    Attributes:
        mountain: A mountain not yet drilled this turn, 0 to 3.
    """

    mountain: Mountain


class StopDrilling(Struct, frozen=True, tag_field="type", tag="stop_drilling", forbid_unknown_fields=True):
    """Drill no further mountain (§4.7, R10)."""


class PlayOpenPit(Struct, frozen=True, tag_field="type", tag="play_open_pit", forbid_unknown_fields=True):
    """Reverse a mountain unseen and take its new top card (§4.8).

    Attributes:
        mountain: The mountain, 0 to 3.
    """

    mountain: Mountain


class Dig(Struct, frozen=True, tag_field="type", tag="dig", forbid_unknown_fields=True):
    """Turn over a card of a mountain for each dwarf in the own display (§4.9).

    Attributes:
        mountain: The mountain, 0 to 3.
    """

    mountain: Mountain


class DigHome(Struct, frozen=True, tag_field="type", tag="dig_home", forbid_unknown_fields=True):
    """Turn over a card of the own shuffled hand for each dwarf in the own display (§4.9, R15)."""


type Command = (
    TakeCard
    | PlayDwarf
    | PlayCaveIn
    | LookAtMountain
    | DeclineLook
    | PlayTheft
    | PlayShaking
    | PlayTunnel
    | ArrangeTunnel
    | PlayDrilling
    | PlaceDrilled
    | Drill
    | StopDrilling
    | PlayOpenPit
    | Dig
    | DigHome
)

COMMANDS: tuple[type[Command], ...] = (
    TakeCard,
    PlayDwarf,
    PlayCaveIn,
    LookAtMountain,
    DeclineLook,
    PlayTheft,
    PlayShaking,
    PlayTunnel,
    ArrangeTunnel,
    PlayDrilling,
    PlaceDrilled,
    Drill,
    StopDrilling,
    PlayOpenPit,
    Dig,
    DigHome,
)
