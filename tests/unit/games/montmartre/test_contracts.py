"""Montmartre §5.4: drawing for a newspaper."""

import pytest

from domain.games.montmartre.catalogue import Colour
from domain.games.montmartre.commands import DeclineContract, Paint, Pick, Sell, SellOff, TakeContract
from domain.games.montmartre.events import (
    ContractDeclined,
    ContractsOffered,
    ContractTaken,
    Event,
    PaintingSold,
    TurnEnded,
    VollardMoved,
)
from domain.games.montmartre.rejections import Reason
from domain.games.montmartre.state import Phase, State
from domain.shared.game import play
from tests.support.games.montmartre import card, cards, montmartre, table
from tests.support.games.scenarios import ANN, BEN, luck

ANN_TO_BEN = TurnEnded(ANN, BEN, None)


SECOND_COLOUR = "... | y1 | b2\n...\n..."
THIRD_COLOUR = "... | y1 | b2 g2\n...\n..."
FOURTH_COLOUR = "... | y1 | b2 g2 p2\n...\n..."


def sold(colour: Colour = Colour.YELLOW, collector: int = 2) -> tuple[Event, ...]:
    """Return the events of Ann's sale of her only painting of a colour, a 1."""
    painting = card(f"{colour[0]}1")
    return VollardMoved(colour), PaintingSold(ANN, colour, painting, collector)


@pytest.mark.parametrize(
    ("before", "contracts"),
    [(SECOND_COLOUR, (4,)), (THIRD_COLOUR, (3, 7)), (FOURTH_COLOUR, (5, 12))],
)
def test_a_new_colour_opens_its_tier(before: str, contracts: tuple[int, ...]) -> None:
    """The second colour opens white, the third grey, the fourth brown; the choice waits (§5.4)."""
    (
        montmartre.given(table(before))
        .when(Sell(Colour.YELLOW))
        .then(*sold(), ContractsOffered(ANN, contracts))
        .then_legal(*map(TakeContract, contracts), DeclineContract())
    )


@pytest.mark.parametrize("contract", [3, 7])
def test_taking_a_contract(contract: int) -> None:
    """The contract goes to the seat, and its turn is over (§5.4, §5.5)."""
    before = table("b0 b0 b1 b1 | | g2 p2 y2\n...\n...", phase=Phase.OFFERED, offered=(3, 7))
    after = table(f"b0 b0 b1 b1 | | g2 p2 y2 | | {contract}\n...\n...", turn=1)
    reached = (
        montmartre.given(before).when(TakeContract(contract)).then(ContractTaken(ANN, contract), ANN_TO_BEN)
    )
    assert reached.state == after


def test_declining_closes_the_window() -> None:
    """A seat may take none; the contracts stay for others, and its turn is over (§5.4)."""
    before = table("... | | g2 p2 y2\n...\n...", phase=Phase.OFFERED, offered=(3, 7))
    reached = montmartre.given(before).when(DeclineContract()).then(ContractDeclined(ANN), ANN_TO_BEN)
    assert reached.state == table("... | | g2 p2 y2\n...\n...", turn=1)


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("... | y1 |\n...\n...", "a first colour opens nothing"),
        ("... | y1 | b2 y2\n...\n...", "a second card of a colour is no new colour"),
        ("... | y1 | b2 | 0 | 12\n...\n...", "the seat has a contract"),
        ("... | y1 | b2\n... | | | 0 | 4\n...", "the white contract is gone"),
        ("... | y1 | b2 g2\n... | | | 0 | 3\n... | | | 0 | 7", "both grey contracts are gone"),
        ("... | y1 | b2 g2 p2\n... | | | 0 | 12\n... | | | 0 | 5", "both brown contracts are gone"),
    ],
)
def test_the_window_stays_closed(before: str, why: str) -> None:
    """The turn ends with the sale unless a tier is reached, one is left and the seat has none (§5.4)."""
    state = table(before)
    events, reached = play(montmartre.game, state, ANN, Sell(Colour.YELLOW), luck())
    assert events == (*sold(collector=state.collectors[3][0]), ANN_TO_BEN), why
    assert reached.offered == ()


@pytest.mark.parametrize(
    ("before", "contracts"),
    [
        ("... | y1 | b2 g2\n... | | | 0 | 3\n...", (7,)),
        ("... | y1 | b2 g2\n... | | | 0 | 7\n...", (3,)),
        ("... | y1 | b2 g2 p2\n... | | | 0 | 5\n... | | | 0 | 4", (12,)),
    ],
)
def test_only_those_left_of_a_tier_are_offered(before: str, contracts: tuple[int, ...]) -> None:
    """A contract that another seat has is not left (§5.4)."""
    montmartre.given(table(before)).when(Sell(Colour.YELLOW)).then(*sold(), ContractsOffered(ANN, contracts))


def test_a_tier_is_open_only_in_the_turn_in_which_it_is_reached() -> None:
    """Anyone who declined white, or could not take it, never may again; grey opens with the third (§5.4)."""
    state = table("... | p1 y1 | b2 g2\n...\n...", vollard=Colour.GREEN)
    (
        montmartre.given(state)
        .when(Sell(Colour.YELLOW))
        .then(*sold(), ContractsOffered(ANN, (3, 7)))
        .when(TakeContract(4))
        .then_rejected(Reason.CONTRACT_NOT_OFFERED)
    )
    second_card = table("... | y1 | b2 y2\n...\n...")
    montmartre.given(second_card).when(Sell(Colour.YELLOW)).then(*sold(collector=4), ANN_TO_BEN)


def test_one_contract_a_seat_a_game() -> None:
    """With white taken the third and fourth colour open nothing (§5.4)."""
    for before in ("... | y1 | b2 g2 | 0 | 4\n...\n...", "... | y1 | b2 g2 p2 | 0 | 4\n...\n..."):
        montmartre.given(table(before)).when(Sell(Colour.YELLOW)).then(*sold(), ANN_TO_BEN)


@pytest.mark.parametrize(
    "command",
    [Paint(cards("b0")), SellOff(Colour.YELLOW, cards("y2")), Pick(0), Sell(Colour.BLUE)],
)
def test_in_the_window_nothing_else_can_be_done(
    command: Paint | SellOff | Pick | Sell,
) -> None:
    """Action B has no painting, selling off, picking or second sale in it (§4.0, §5.5)."""
    before = table("b0 b1 b1 b2 | b8 y2 | g2 p2 y2\n...\n...", phase=Phase.OFFERED, offered=(3, 7))
    reason = Reason.TURN_HAS_BEGUN if isinstance(command, Paint | Sell) else Reason.NOTHING_PAINTED
    montmartre.given(before).when(command).then_rejected(reason)


@pytest.mark.parametrize("phase", [Phase.BEGUN, Phase.PAINTED, Phase.SOLD_OFF, Phase.PICKED])
def test_without_a_window_there_is_no_contract(phase: Phase) -> None:
    """Contracts can be taken, and declined, only when a sale has opened some (§5.4)."""
    state: State = table("b0 | y2 | g2 p2 y2\n...\n...", phase=phase)
    for command in (TakeContract(4), DeclineContract()):
        montmartre.given(state).when(command).then_rejected(Reason.NO_CONTRACT_OFFERED)
