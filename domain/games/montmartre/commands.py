"""What a seat may ask for in Montmartre (montmartre §4 to §6)."""

from typing import Annotated

from msgspec import Meta, Struct

from domain.games.montmartre.catalogue import CONTRACTS, PILES, Card, Colour

type PileNumber = Annotated[int, Meta(ge=0, le=PILES - 1)]
type Contract = Annotated[int, Meta(ge=CONTRACTS[0], le=CONTRACTS[-1])]


class Paint(Struct, frozen=True, tag_field="type", tag="paint", forbid_unknown_fields=True):
    """Put cards from the hand into the own workshop (§4.1).

    Attributes:
        cards: One card, or two whose values add up to 5 or less.
    """

    cards: Annotated[tuple[Card, ...], Meta(min_length=1, max_length=2)]


class SellOff(Struct, frozen=True, tag_field="type", tag="sell_off", forbid_unknown_fields=True):
    """Sell paintings at the market, for a franc each (§4.2).

    Attributes:
        colour: The colour of all of them.
        cards: One or more paintings in the own workshop.
    """

    colour: Colour
    cards: Annotated[tuple[Card, ...], Meta(min_length=1)]


class Pick(Struct, frozen=True, tag_field="type", tag="pick", forbid_unknown_fields=True):
    """Draw cards from a pile until the hand has four or the pile has none (§4.3).

    Attributes:
        pile: The pile, 0 to 2.
    """

    pile: PileNumber


class Sell(Struct, frozen=True, tag_field="type", tag="sell", forbid_unknown_fields=True):
    """Sell the highest painting of a colour to its collector; three to five seats (§5.1).

    Attributes:
        colour: The collector's colour.
    """

    colour: Colour


class TakeContract(Struct, frozen=True, tag_field="type", tag="take_contract", forbid_unknown_fields=True):
    """Take one of the contracts that a sale has opened (§5.4).

    Attributes:
        value: What the contract is worth, by which it is known.
    """

    value: Contract


class DeclineContract(
    Struct, frozen=True, tag_field="type", tag="decline_contract", forbid_unknown_fields=True
):
    """Take none of the contracts that a sale has opened (§5.4)."""


class SellPair(Struct, frozen=True, tag_field="type", tag="sell_pair", forbid_unknown_fields=True):
    """Sell the highest painting of each of two colours to their collectors; two seats (§6.1).

    Attributes:
        colours: Two different colours.
    """

    colours: Annotated[tuple[Colour, ...], Meta(min_length=2, max_length=2)]


type Command = Paint | SellOff | Pick | Sell | TakeContract | DeclineContract | SellPair

COMMANDS: tuple[type[Command], ...] = (Paint, SellOff, Pick, Sell, TakeContract, DeclineContract, SellPair)
