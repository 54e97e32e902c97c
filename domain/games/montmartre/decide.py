"""What a command brings about in Montmartre, and what is then forced (montmartre §4 to §7)."""

from typing import assert_never

from domain.games.montmartre.catalogue import (
    EMPTY_PILES,
    HAND,
    MARKET_PRICE,
    SHELVES,
    TIERS,
    Colour,
    in_order,
)
from domain.games.montmartre.commands import (
    Command,
    DeclineContract,
    Paint,
    Pick,
    Sell,
    SellOff,
    SellPair,
    TakeContract,
)
from domain.games.montmartre.events import (
    CardsPicked,
    ContractDeclined,
    ContractsOffered,
    ContractTaken,
    Event,
    Painted,
    PaintingSold,
    PilesRenewed,
    SoldOff,
    TurnEnded,
    VollardMoved,
)
from domain.games.montmartre.legality import turn_after, why_not
from domain.games.montmartre.outcome import last_round_over, what_ends
from domain.games.montmartre.setup import laid
from domain.games.montmartre.state import Phase, State
from domain.shared.chance import Chance
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.tuples import draw


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...]:
    """Return what a command brings about.

    Raises:
        Rejected: The rules refuse it.
    """
    if reason := why_not(state, seat, command):
        raise Rejected(reason, seat=seat)
    match command:
        case Paint(cards=cards):
            return (Painted(seat, in_order(cards)),)
        case SellOff(colour=colour, cards=cards):
            return (SoldOff(seat, colour, in_order(cards), MARKET_PRICE * len(cards)),)
        case Pick(pile=pile):
            return (_pick(state, seat, pile),)
        case Sell(colour=colour):
            return (VollardMoved(colour), *_sale(state, seat, (colour,)))
        case TakeContract(value=value):
            return (ContractTaken(seat, value),)
        case DeclineContract():
            return (ContractDeclined(seat),)
        case SellPair(colours=colours):
            return _sale(state, seat, tuple(sorted(colours, key=SHELVES.__getitem__)))
        case _:
            assert_never(command)


def consequence(state: State, chance: Chance) -> Event | None:
    """Return what happens next with no one choosing, or None: the rest of a pick, the end of a turn.

    A pick goes on by itself if one pile is left (§4.3).
    """
    if state.phase is Phase.PICKED and len(state.painters[state.turn].hand) < HAND:
        left = [number for number, pile in enumerate(state.piles) if pile]
        return _pick(state, state.turn, left[0]) if len(left) == 1 else None
    return _end_of_turn(state, chance) if state.phase in (Phase.PICKED, Phase.DONE) else None


def _pick(state: State, seat: Seat, number: int) -> CardsPicked:
    """Return the draw of what the hand lacks, or of all that a pile has (§4.3)."""
    cards, rest = draw(state.piles[number], HAND - len(state.painters[seat].hand))
    return CardsPicked(seat, number, cards, rest[0] if rest else None)


def _sale(state: State, seat: Seat, colours: tuple[Colour, ...]) -> tuple[Event, ...]:
    """Return the sale of the highest painting of each colour, and what contracts it opens (§5.3, §5.4)."""
    sales = tuple(_sold(state, seat, colour) for colour in colours)
    offered = _opened(state, seat, colours)
    return (*sales, ContractsOffered(seat, offered)) if offered else sales


def _sold(state: State, seat: Seat, colour: Colour) -> PaintingSold:
    """Return the sale of the highest painting of a colour for the collector on top (§5.3)."""
    shelf = SHELVES[colour]
    return PaintingSold(seat, colour, state.painters[seat].workshop[shelf][-1], state.collectors[shelf][0])


def _opened(state: State, seat: Seat, colours: tuple[Colour, ...]) -> tuple[int, ...]:
    """Return the contracts that a sale opens to a seat, rising (§5.4, §6.2, R9).

    They are those left of the tiers that the seat reaches by it; none if it has a contract.
    """
    painter = state.painters[seat]
    if painter.contract is not None:
        return ()
    needed = 2 if len(state.painters) == 2 else 1
    counts = [len(values) for values in painter.collectors]
    before = sum(count >= needed for count in counts)
    after = before + sum(counts[SHELVES[colour]] + 1 == needed for colour in colours)
    values = [value for tier in range(before + 1, after + 1) for value in TIERS.get(tier, ())]
    return tuple(value for value in state.contracts if value in values)


def _end_of_turn(state: State, chance: Chance) -> PilesRenewed | TurnEnded:
    """Return the new piles if they are due, else the end of the turn and perhaps of the game (§4.4, §7)."""
    over = last_round_over(state)
    if not over and state.piles.count(()) >= EMPTY_PILES:
        left = (card for pile in state.piles for card in pile)
        return PilesRenewed(laid(chance.shuffle((*left, *state.discard_pile))))
    return TurnEnded(state.turn, None if over else turn_after(state), what_ends(state))
