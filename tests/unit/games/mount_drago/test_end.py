"""Mount Drago §5: the end; and §7 of the common rules for seats that gave up."""

import pytest

from domain.games.mount_drago.catalogue import Options, Scoring
from domain.games.mount_drago.commands import PlayCard
from domain.games.mount_drago.events import CardPlayed, CardsDrawn, Scored
from domain.games.mount_drago.state import Phase, State
from domain.match import Finished, Resign, Resigned, submit, to_act
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import Seat
from tests.support.games.matches import NOW, playing
from tests.support.games.mount_drago import mount_drago, table
from tests.support.games.scenarios import ANN, BEN, luck


def nearly_over(dragons: str, points: tuple[int, ...], hand: str = "red-3 green-1") -> State:
    """Return a table at which the first seat of three, on red, is to play."""
    return table(f"red-1 | {hand}\nwhite-1\nbrown-1", dragons=dragons, points=points)


@pytest.mark.parametrize(
    ("points", "kind", "winners", "scores"),
    [
        ((10, 5, 0), OutcomeKind.WON, (0,), (13, 4, 3)),
        ((0, 20, 0), OutcomeKind.WON, (1,), (3, 19, 3)),
        ((1, 5, 0), OutcomeKind.SHARED, (0, 1), (4, 4, 3)),
        ((2, 6, 2), OutcomeKind.SHARED, (0, 1, 2), (5, 5, 5)),
        ((-5, -1, -5), OutcomeKind.SHARED, (0, 1, 2), (-2, -2, -2)),
        ((97, 101, 96), OutcomeKind.SHARED, (0, 1), (100, 100, 99)),
        ((-8, -9, -9), OutcomeKind.WON, (0,), (-5, -10, -6)),
    ],
)
def test_the_third_dragon_at_the_summit_ends_the_game(
    points: tuple[int, ...], kind: OutcomeKind, winners: tuple[Seat, ...], scores: tuple[int, ...]
) -> None:
    """After its scoring, in the middle of a round; most points win, ties share (§5.1, §5.2, R3)."""
    reached = (
        mount_drago.given(nearly_over("red 24, blue 25, black 28, white 4, brown 5", points))
        .then_ended(None)
        .when(PlayCard("red-3"))
        .then(
            CardPlayed(ANN, "red-3", True, 27, Scoring.SUMMIT, Phase.SCORE),
            Scored(Scoring.SUMMIT, (3, -1, 3), None, Phase.OVER),
        )
        .then_ended(Outcome(kind, winners, scores, "summit_reached"))
        .then_legal()
    )
    assert mount_drago.game.to_act(reached.state) == ()


def test_the_second_dragon_does_not() -> None:
    """Its scoring is done and play goes on (§5.1)."""
    mount_drago.given(nearly_over("red 24, blue 25", (0, 0, 0))).when(PlayCard("red-3")).then(
        CardPlayed(ANN, "red-3", True, 27, Scoring.SUMMIT, Phase.SCORE),
        Scored(Scoring.SUMMIT, (3, 0, 0), BEN, Phase.PLAY),
    ).then_ended(None)


def test_a_dragon_enters_once() -> None:
    """Two dragons at the summit that move on and on are two (§5.1)."""
    mount_drago.given(nearly_over("red 25, blue 25", (0, 0, 0))).when(PlayCard("red-3")).then(
        CardPlayed(ANN, "red-3", True, 28, None, Phase.DISCARD)
    ).then_ended(None)


def test_another_scoring_does_not_end_the_game() -> None:
    """With two dragons at the summit a green space brings its scoring and nothing more (§5.1)."""
    mount_drago.given(nearly_over("red 13, blue 25, black 25", (0, 0, 0))).when(PlayCard("red-3")).then(
        CardPlayed(ANN, "red-3", True, 16, Scoring.LARGE, Phase.SCORE),
        Scored(Scoring.LARGE, (5, 0, 0), BEN, Phase.PLAY),
    ).then_ended(None)


def test_nothing_is_drawn_once_the_game_is_over() -> None:
    """Not even by a seat that ends it with its last card (§5.1, R8)."""
    reached = (
        mount_drago.given(nearly_over("red 24, blue 25, black 28", (0, 0, 0), hand="red-3"))
        .when(PlayCard("red-3"))
        .then(
            CardPlayed(ANN, "red-3", True, 27, Scoring.SUMMIT, Phase.SCORE),
            Scored(Scoring.SUMMIT, (3, 0, 0), None, Phase.OVER),
        )
    )
    assert reached.state.hands == ((), (), ())


def test_the_summit_of_the_other_board() -> None:
    """With four seats the summit begins on space 23 (§1, §3.1, §5.1)."""
    state = table("red-1 | red-2\nwhite-1\nbrown-1\ngreen-1", dragons="red 21, blue 23, black 26, brown 19")
    mount_drago.given(state).when(PlayCard("red-2")).then(
        CardPlayed(ANN, "red-2", True, 23, Scoring.SUMMIT, Phase.SCORE),
        Scored(Scoring.SUMMIT, (4, 0, 8, 0), None, Phase.OVER),
    ).then_ended(Outcome(OutcomeKind.WON, (Seat(2),), (4, 0, 8, 0), "summit_reached"))


def test_a_seat_that_gave_up_goes_on_by_default_moves() -> None:
    """With two others left it plays its first listed card and draws, by itself (common §6, §7)."""
    _, match = playing(mount_drago.game, Options(0), 3)
    first, *_ = mount_drago.game.legal_moves(match.state, ANN)
    events, match = submit(mount_drago.game, match, ANN, Resign(), luck(), NOW)
    resigned, played, drawn = events
    assert resigned == Resigned(ANN)
    assert isinstance(played, CardPlayed)
    assert isinstance(drawn, CardsDrawn)
    assert isinstance(first, PlayCard)
    assert played.card == first.card
    assert to_act(mount_drago.game, match) == (BEN,)


def test_with_one_other_seat_left_that_seat_wins() -> None:
    """Of two seats one resigns: the other wins, points as they stand (common §6)."""
    _, match = playing(mount_drago.game, Options(), 2)
    events, match = submit(mount_drago.game, match, BEN, Resign(), luck(), NOW)
    outcome = Outcome(OutcomeKind.RESIGNED, (ANN,), (0, 0), "resigned")
    assert events == (Resigned(BEN), Finished(outcome))
    assert match.outcome == outcome


def test_points_rank_the_seats() -> None:
    """Standings are points and nothing else (§5.2)."""
    state = nearly_over("", (3, -1, 3))
    assert mount_drago.game.standings(state) == ((3,), (-1,), (3,))
    assert mount_drago.game.scores(state) == (3, -1, 3)
