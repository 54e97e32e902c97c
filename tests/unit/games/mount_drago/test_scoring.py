"""Mount Drago §4.3: scorings."""

import pytest

from domain.games.mount_drago.catalogue import Scoring
from domain.games.mount_drago.commands import PlayCard
from domain.games.mount_drago.events import CardPlayed, Scored
from domain.games.mount_drago.state import Phase, State
from domain.shared.game import play
from domain.shared.seats import Seat
from tests.support.games.mount_drago import cards, mount_drago, table
from tests.support.games.scenarios import ANN, luck

RIDING = """
    blue-1 | green-1 red-1 red-2 red-3 red-4 red-5
    red-1
"""
"""Ann rides blue, Ben red, which Ann moves."""


def riding(spaces: str) -> State:
    """Return a table at which Ann is to play, the dragons that are not named on the start."""
    return table(RIDING, dragons=spaces)


def scored(state: State, card: str, *, ride: bool | None = None) -> Scored | None:
    """Return the scoring that a card of seat 0 brings, if any."""
    events, _ = play(mount_drago.game, state, ANN, PlayCard(cards(card)[0], ride), luck())
    return next((event for event in events if isinstance(event, Scored)), None)


def test_the_examples_of_the_rulebook() -> None:
    """Black 4 brings a small scoring: 3, 0 and 2; then blue 3 a large one: 4, 6 and 2 (§8).

    Lukas rides blue, Marie white and Nina black.
    """
    state = table(
        """
        blue-1 | black-4 red-1
        white-1 | blue-3 red-2
        black-1 | red-3
        """,
        dragons="black 2, blue 5, white 9",
    )
    reached = (
        mount_drago.given(state)
        .when(PlayCard("black-4"), seat=0)
        .then(
            CardPlayed(Seat(0), "black-4", False, 6, Scoring.SMALL, Phase.SCORE),
            Scored(Scoring.SMALL, (3, 0, 2), Seat(1), Phase.PLAY),
        )
        .when(PlayCard("blue-3"), seat=1)
        .then(
            CardPlayed(Seat(1), "blue-3", False, 8, Scoring.LARGE, Phase.SCORE),
            Scored(Scoring.LARGE, (4, 6, 2), Seat(2), Phase.PLAY),
        )
    )
    assert reached.state == table(
        """
        blue-1 / black-4 | red-1
        white-1 / blue-3 | red-2
        black-1 | red-3
        """,
        dragons="black 6, blue 8, white 9",
        points=(7, 6, 4),
        turn=2,
    )


@pytest.mark.parametrize(
    ("space", "won"), [(0, 0), (1, 1), (2, 3), (4, -1), (11, -2), (8, 0), (15, 0), (25, 0), (27, 3)]
)
def test_a_small_scoring_counts_values_up_to_3(space: int, won: int) -> None:
    """On blue: 3 and lower count, also below 0; a higher value gives nothing (§4.3, R3, R4)."""
    assert scored(riding(f"blue {space}, red 5"), "red-1") == Scored(
        Scoring.SMALL, (won, 2), Seat(1), Phase.PLAY
    )


@pytest.mark.parametrize(
    ("space", "won"), [(0, 0), (1, 1), (2, 3), (4, -1), (11, -2), (8, 4), (15, 8), (25, 4), (27, 3)]
)
def test_a_large_scoring_counts_every_value(space: int, won: int) -> None:
    """On green: every seat gets the value of its dragon's space, also below 0 (§4.3, R3)."""
    assert scored(riding(f"blue {space}, red 7"), "red-1") == Scored(
        Scoring.LARGE, (won, 4), Seat(1), Phase.PLAY
    )


@pytest.mark.parametrize(
    ("space", "won"), [(0, 0), (1, 1), (2, 3), (4, -1), (11, -2), (8, 4), (15, 8), (25, 4), (27, 3)]
)
def test_entering_the_summit_counts_every_value(space: int, won: int) -> None:
    """A dragon that enters a summit space brings a large scoring, by its own name (§4.3, R9)."""
    assert scored(riding(f"blue {space}, red 24"), "red-3") == Scored(
        Scoring.SUMMIT, (won, 3), Seat(1), Phase.PLAY
    )


@pytest.mark.parametrize(
    ("before", "card"),
    [
        (0, "red-5"),
        (5, "red-2"),
        (7, "red-2"),
        (15, "red-4"),
        (25, "red-1"),
        (25, "red-3"),
        (27, "red-5"),
        (28, "red-1"),
    ],
)
def test_no_other_move_brings_a_scoring(before: int, card: str) -> None:
    """Plain spaces, passing over others, and moving on or staying at the summit score nothing (§4.3)."""
    assert scored(riding(f"red {before}"), card) is None


@pytest.mark.parametrize(
    ("seats", "scoring", "spaces"),
    [
        (2, Scoring.SMALL, [6, 12, 18, 22]),
        (2, Scoring.LARGE, [8, 16, 24]),
        (2, Scoring.SUMMIT, [25, 26, 27, 28]),
        (4, Scoring.SMALL, [5, 12, 18, 21]),
        (4, Scoring.LARGE, [9, 15, 22]),
        (4, Scoring.SUMMIT, [23, 24, 25, 26]),
    ],
)
def test_each_coloured_space_brings_its_scoring(seats: int, scoring: Scoring, spaces: list[int]) -> None:
    """Both boards: a dragon that ends there from one, two or three spaces below brings it (§4.3, §1)."""
    text = "\n".join(["blue-1 | red-1 red-2 red-3 red-4 red-5", "red-1", "brown-1", "black-1"][:seats])
    summit = 25 if seats == 2 else 23
    for before in range(summit):
        for value in (1, 2, 3):
            state = table(text, dragons=f"red {before}")
            event = scored(state, f"red-{value}")
            assert (event is not None and event.scoring is scoring) == (before + value in spaces)


def test_who_rides_after_the_change_is_scored() -> None:
    """Ann gets on green with the card that brings the scoring, and green's space counts for her (§4.3)."""
    state = riding("blue 9, red 2, green 7")
    assert scored(state, "green-1") == Scored(Scoring.LARGE, (4, 3), Seat(1), Phase.PLAY)


@pytest.mark.parametrize(("ride", "won"), [(True, 4), (False, 6)])
def test_whoever_declines_to_ride_is_scored_for_the_old_dragon(ride: bool, won: int) -> None:
    """Green leaves the last place for a green space, and Ann chooses which dragon counts (§4.2, §4.3)."""
    ahead = "blue 9, brown 9, black 9, red 9, yellow 9, white 9, light_blue 9, purple 9, orange 9, green 7"
    assert scored(riding(ahead), "green-1", ride=ride) == Scored(Scoring.LARGE, (won, 6), Seat(1), Phase.PLAY)


def test_a_second_dragon_at_the_summit_scores_again() -> None:
    """Each dragon that enters brings its scoring, wherever on the summit others stand (§4.3)."""
    state = riding("blue 26, red 24")
    assert scored(state, "red-5") == Scored(Scoring.SUMMIT, (5, 4), Seat(1), Phase.PLAY)


def test_points_add_up() -> None:
    """What a scoring brings is added to what a seat has (§4.3)."""
    state = table(RIDING, dragons="blue 11, red 5", points=(-1, 7))
    _, reached = play(mount_drago.game, state, ANN, PlayCard("red-1"), luck())
    assert mount_drago.game.scores(reached) == (-3, 9)
