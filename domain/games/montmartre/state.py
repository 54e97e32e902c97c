"""The whole table of Montmartre, hidden parts too (montmartre §3, §8)."""

from enum import StrEnum

from msgspec import Struct

from domain.games.montmartre.catalogue import COLLECTORS, COLOURS, CONTRACTS, WORKSHOP_LIMIT, Card, Colour
from domain.shared.seats import Seat


class Phase(StrEnum):
    """What has been done in a turn; `over` once the game has come to its own end."""

    BEGUN = "begun"
    PAINTED = "painted"
    SOLD_OFF = "sold_off"
    PICKED = "picked"
    OFFERED = "offered"
    DONE = "done"
    OVER = "over"


class Ending(StrEnum):
    """What brings the end (§7.1)."""

    COLLECTORS_GONE = "collectors_gone"
    FRANCS_EARNED = "francs_earned"


class Painter(Struct, frozen=True):
    """What a seat has.

    Attributes:
        hand: Cards in order.
        workshop: Paintings by colour, each shelf in order.
        francs: Earned at the market.
        collectors: Values of the collector cards won, by colour, rising.
        contract: Value of the contract taken, or None.
    """

    hand: tuple[Card, ...]
    workshop: tuple[tuple[Card, ...], ...]
    francs: int
    collectors: tuple[tuple[int, ...], ...]
    contract: int | None


class State(Struct, frozen=True):
    """The table.

    Attributes:
        first_seat: The seat that began.
        turn: The seat whose turn it is; the last one's once the game is over.
        phase: What has been done in the turn; `over` once the game is.
        painters: One a seat.
        piles: Three piles of Muse cards, the top card first.
        discard_pile: The discard pile, the oldest card first.
        collectors: Values of the collectors left, by colour, top first.
        vollard: Next to whose collectors Vollard stands; None before the first sale, and with two seats.
        contracts: Contracts left, rising.
        offered: Contracts that the seat may take now, rising; none unless the window is open.
        ending: What brings the end, once something does: this is the last round then.
    """

    first_seat: Seat
    turn: Seat
    phase: Phase
    painters: tuple[Painter, ...]
    piles: tuple[tuple[Card, ...], ...]
    discard_pile: tuple[Card, ...]
    collectors: tuple[tuple[int, ...], ...]
    vollard: Colour | None
    contracts: tuple[int, ...]
    offered: tuple[int, ...]
    ending: Ending | None


INITIAL = State(
    first_seat=Seat(0),
    turn=Seat(0),
    phase=Phase.BEGUN,
    painters=(),
    piles=(),
    discard_pile=(),
    collectors=(COLLECTORS,) * len(COLOURS),
    vollard=None,
    contracts=CONTRACTS,
    offered=(),
    ending=None,
)
"""Before the deal: nobody at the table and no Muse card on it."""


def paintings(painter: Painter) -> tuple[Card, ...]:
    """Return all paintings in a workshop, in order."""
    blue, green, pink, yellow = painter.workshop
    return (*blue, *green, *pink, *yellow)


def excess(painter: Painter) -> int:
    """Return how many paintings a workshop holds above its limit, 0 if none (§4.2)."""
    return max(0, sum(map(len, painter.workshop)) - WORKSHOP_LIMIT)


def pieces(state: State) -> tuple[str, ...]:
    """Return the names of all Muse cards, collectors and contracts, sorted, wherever they are (§1)."""
    names: list[str] = [*state.discard_pile]
    for pile in state.piles:
        names += pile
    for painter in state.painters:
        names += (*painter.hand, *paintings(painter))
        if painter.contract is not None:
            names.append(f"contract-{painter.contract}")
    for values in (state.collectors, *(painter.collectors for painter in state.painters)):
        for colour, shelf in zip(COLOURS, values, strict=True):
            names += (f"collector-{colour}-{value}" for value in shelf)
    names += (f"contract-{value}" for value in state.contracts)
    return tuple(sorted(names))
