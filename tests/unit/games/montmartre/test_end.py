"""Montmartre §7: the end, and who wins."""

import pytest

from domain.games.montmartre.catalogue import Colour, Options
from domain.games.montmartre.commands import Command, DeclineContract, Paint, Pick, Sell, SellOff, SellPair
from domain.games.montmartre.events import CardsPicked, PaintingSold, TurnEnded, VollardMoved
from domain.games.montmartre.state import Ending, Phase, State, paintings
from domain.match import Finished, Resign, Resigned, submit, to_act
from domain.shared.game import default_move
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import Seat
from tests.support.games.matches import NOW, playing
from tests.support.games.montmartre import card, cards, montmartre, table
from tests.support.games.scenarios import ANN, BEN, CAM, luck

PILES = "g1 g2 / p2 / y2"


def about_to_pick(*francs: int, first_seat: int = 0, turn: int = 0, ending: Ending | None = None) -> State:
    """Return a table at which the seat on turn has painted, and each seat has so many francs."""
    lines = [f"{'y8 y7 y6' if seat == turn else '...'} | | | {paid}" for seat, paid in enumerate(francs)]
    return table(
        "\n".join(lines), piles=PILES, first_seat=first_seat, turn=turn, phase=Phase.PAINTED, ending=ending
    )


def picked(seat: Seat) -> CardsPicked:
    """Return a seat's pick of the top card of pile 0."""
    return CardsPicked(seat, 0, cards("g1"), card("g2"))


@pytest.mark.parametrize(
    ("francs", "ending"), [(14, None), (15, Ending.FRANCS_EARNED), (16, Ending.FRANCS_EARNED)]
)
def test_fifteen_francs_bring_the_end(francs: int, ending: Ending | None) -> None:
    """At the end of a turn after which a seat has 15 francs or more the last round begins (§7.1)."""
    (
        montmartre.given(about_to_pick(francs, 0, 0))
        .when(Pick(0))
        .then(picked(ANN), TurnEnded(ANN, BEN, ending))
        .then_ended(None)
    )


def test_only_francs_from_the_market_count() -> None:
    """Collectors and contracts are no francs (§7.1)."""
    rich = table("y8 y7 y6 | | b10 g10 | 14 | 12\n...\n...", piles=PILES, phase=Phase.PAINTED)
    montmartre.given(rich).when(Pick(0)).then(picked(ANN), TurnEnded(ANN, BEN, None))


def test_two_empty_collector_piles_bring_the_end() -> None:
    """The sale that empties the second pile begins the last round; one empty pile does not (§7.1)."""
    first = table("... | g1 | b2 b4 b6 b8 | 0 | 4\n... | | g2 g4 g6 g8\n...")
    (
        montmartre.given(first)
        .when(Sell(Colour.GREEN))
        .then(
            VollardMoved(Colour.GREEN),
            PaintingSold(ANN, Colour.GREEN, card("g1"), 10),
            TurnEnded(ANN, BEN, None),
        )
    )
    second = table("... | g1 | b2 b4 b6 b8 b10 | 0 | 4\n... | | g2 g4 g6 g8\n...")
    (
        montmartre.given(second)
        .when(Sell(Colour.GREEN))
        .then(
            VollardMoved(Colour.GREEN),
            PaintingSold(ANN, Colour.GREEN, card("g1"), 10),
            TurnEnded(ANN, BEN, Ending.COLLECTORS_GONE),
        )
        .then_ended(None)
    )


def test_a_pair_may_empty_two_piles_at_once() -> None:
    """With two seats one turn may empty both; Ben still has his turn (§6.1, §7.1, §7.2)."""
    state = table("... | b1 g1 | b2 b4 b6 b8 g2 g4 g6 g8 | 0 | 4\n...")
    (
        montmartre.given(state)
        .when(SellPair((Colour.BLUE, Colour.GREEN)))
        .then(
            PaintingSold(ANN, Colour.BLUE, card("b1"), 10),
            PaintingSold(ANN, Colour.GREEN, card("g1"), 10),
            TurnEnded(ANN, BEN, Ending.COLLECTORS_GONE),
        )
    )


@pytest.mark.parametrize(
    ("first_seat", "turn", "next_seat"),
    [(0, 0, BEN), (0, 1, CAM), (0, 2, None), (1, 2, ANN), (1, 0, None), (2, 0, BEN), (2, 1, None)],
)
def test_all_seats_have_the_same_number_of_turns(first_seat: int, turn: int, next_seat: Seat | None) -> None:
    """Play goes on to the seat before the one that began, and ends with its turn (§7.2)."""
    francs = [15 if seat == turn else 0 for seat in range(3)]
    (
        montmartre.given(about_to_pick(*francs, first_seat=first_seat, turn=turn))
        .when(Pick(0), seat=turn)
        .then(picked(Seat(turn)), TurnEnded(Seat(turn), next_seat, Ending.FRANCS_EARNED))
    )


def test_after_the_last_turn_nobody_is_to_act() -> None:
    """The game is over, and no seat has a move (§7.2)."""
    last = about_to_pick(0, 0, 15, turn=2)
    reached = montmartre.given(last).when(Pick(0), seat=2)
    over = reached.then(picked(CAM), TurnEnded(CAM, None, Ending.FRANCS_EARNED))
    assert montmartre.game.to_act(over.state) == ()
    for seat in range(3):
        over.then_legal(seat=seat)


def test_what_happens_in_the_last_round_changes_nothing() -> None:
    """A second trigger neither prolongs the round nor counts as what brought the end (R10)."""
    second = about_to_pick(0, 15, 0, turn=1, ending=Ending.COLLECTORS_GONE)
    (
        montmartre.given(second)
        .when(Pick(0), seat=1)
        .then(picked(BEN), TurnEnded(BEN, CAM, Ending.COLLECTORS_GONE))
    )


def test_the_score_counts_collectors_francs_and_contract() -> None:
    """2 + 4 + 2 and 3 francs and the contract of 7 make 18; paintings and cards count nothing (§7.3)."""
    state = table("b8 b7 b6 y8 | y7 | b2 b4 g2 | 3 | 7\n... | | p2 p4 p6 p8 p10\n... | | | 0 | 12")
    assert montmartre.game.scores(state) == (18, 30, 12)
    assert montmartre.game.standings(state) == ((18,), (30,), (12,))


def ended(text: str) -> Outcome | None:
    """Return the outcome when the last turn, Cam's, is over."""
    state = table(text, piles=PILES, turn=2, phase=Phase.PAINTED)
    reached = montmartre.given(state).when(Pick(0), seat=2)
    return montmartre.game.outcome(
        reached.then(picked(CAM), TurnEnded(CAM, None, Ending.FRANCS_EARNED)).state
    )


def test_the_highest_score_wins() -> None:
    """Anyone who has most wins, not anyone who brought the end (§7.3)."""
    assert ended("... | | b2 | 15\n... | | g8 g10\ny8 y7 y6") == Outcome(
        OutcomeKind.WON, (BEN,), (17, 18, 0), "francs_earned"
    )


def test_ties_share() -> None:
    """Those that have most share the win; nothing breaks a tie (§7.3)."""
    assert ended("... | | b2 | 15\n... | | g8 | 4 | 5\ny8 y7 y6") == Outcome(
        OutcomeKind.SHARED, (ANN, BEN), (17, 17, 0), "francs_earned"
    )


@pytest.mark.parametrize(
    ("last", "winners"),
    [
        ("... | | b2 | 15\n... | | g8 | 4 | 5\ny8 y7 y6 | | p10 | 7", (ANN, BEN, CAM)),
        ("... | | b2 | 15\n... | | g8 | 4 | 5\ny8 y7 y6 | | p10 | 8", (CAM,)),
        ("... | | b2 | 15\n... | | g8 | 4 | 4\ny8 y7 y6 | | p10 | 7", (ANN, CAM)),
        ("... | | | 16\n... | | g6 g10\ny8 y7 y6 | | | 4 | 12", (ANN, BEN, CAM)),
    ],
)
def test_nothing_breaks_a_tie(last: str, winners: tuple[Seat, ...]) -> None:
    """Francs, collectors, their number and contracts count alike: only their sum does (§7.3)."""
    outcome = ended(last)
    assert outcome is not None
    assert outcome.winners == winners
    assert outcome.kind is (OutcomeKind.SHARED if len(winners) > 1 else OutcomeKind.WON)


def test_the_reason_tells_what_brought_the_end() -> None:
    """An end by the collectors is told as such, with the scores as they stand (§7.1, §7.3)."""
    last = table("...\n... | | b2 b4 b6 b8 b10\n... | g1 | g2 g4 g6 g8 | 0 | 4", turn=2)
    (
        montmartre.given(last)
        .when(Sell(Colour.GREEN), seat=2)
        .then(
            VollardMoved(Colour.GREEN),
            PaintingSold(CAM, Colour.GREEN, card("g1"), 10),
            TurnEnded(CAM, None, Ending.COLLECTORS_GONE),
        )
        .then_ended(Outcome(OutcomeKind.WON, (CAM,), (0, 30, 34), "collectors_gone"))
    )


def test_a_seat_that_resigned_goes_on_by_default_moves() -> None:
    """It paints its first card alone and picks from the first pile it can; the others play on (common §6)."""
    _, match = playing(montmartre.game, Options(0), 3)
    hand = match.state.painters[ANN].hand
    pile = match.state.piles[0]
    events, after = submit(montmartre.game, match, ANN, Resign(), luck(), NOW)
    assert [type(event).__name__ for event in events] == ["Resigned", "Painted", "CardsPicked", "TurnEnded"]
    assert paintings(after.state.painters[ANN]) == hand[:1]
    assert after.state.painters[ANN].hand == tuple(sorted((*hand[1:], pile[0])))
    assert to_act(montmartre.game, after) == (BEN,)


def test_the_last_one_left_wins() -> None:
    """With one seat left the match ends at once, whatever the scores (common §6)."""
    _, match = playing(montmartre.game, Options(0), 2)
    events, after = submit(montmartre.game, match, BEN, Resign(), luck(), NOW)
    outcome = Outcome(OutcomeKind.RESIGNED, (ANN,), (0, 0), "resigned")
    assert events == (Resigned(BEN), Finished(outcome))
    assert after.outcome == outcome


@pytest.mark.parametrize(
    ("state", "move"),
    [
        (table("... | | g2 p2 y2\n...\n...", phase=Phase.OFFERED, offered=(3, 7)), DeclineContract()),
        (table("y6 y7 y8 | b1\n...\n...", piles="/ g1 / g2", phase=Phase.PAINTED), Pick(1)),
        (
            table("y6 y7 y8 | b1 b2 b3 b3 g1 g2 g3\n...\n...", phase=Phase.PAINTED),
            SellOff(Colour.BLUE, cards("b1")),
        ),
        (table("b1 y6 y7 y8 | b2\n...\n..."), Paint(cards("b1"))),
    ],
)
def test_default_moves(state: State, move: Command) -> None:
    """No contract, else a pick, else the first listed move: a sell-off that must be, a card (common §7)."""
    assert default_move(montmartre.game, state, ANN) == move
