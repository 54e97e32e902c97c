"""Mount Drago §4.1 and §4.2: playing a card, moving a dragon, changing dragons."""

import pytest

from domain.games.mount_drago.catalogue import Options
from domain.games.mount_drago.commands import PlayCard
from domain.games.mount_drago.events import CardPlayed
from domain.games.mount_drago.state import Phase
from domain.shared.game import begin
from tests.support.games.mount_drago import SPACES, cards, drew, mount_drago, riding, table
from tests.support.games.scenarios import ANN, luck


def played(card: str, space: int, *, on_top: bool) -> CardPlayed:
    """Return how Ann played a card that brought no scoring."""
    return CardPlayed(ANN, cards(card)[0], on_top, space, None, Phase.DRAW)


def test_a_card_moves_the_dragon_of_its_colour() -> None:
    """The dragon moves as many spaces as the card says; the card leaves the hand (§4.1)."""
    reached = (
        mount_drago.given(riding())
        .when(PlayCard("black-1"))
        .then(played("black-1", 5, on_top=True), drew(0, "orange-1", next_seat=1))
    )
    assert reached.state == table(
        """
        black-1 / red-1 | blue-1 black-1 red-2 green-4 white-3 orange-1
        blue-2 | red-1
        """,
        dragons=SPACES.replace("black 4", "black 5"),
        draw_pile="orange-2",
        turn=1,
    )


@pytest.mark.parametrize(
    ("seats", "before", "card", "after"),
    [
        (2, 24, "black-3", 27),
        (2, 24, "black-5", 28),
        (2, 27, "black-3", 28),
        (2, 28, "black-1", 28),
        (4, 23, "black-3", 26),
        (4, 24, "black-4", 26),
        (4, 26, "black-5", 26),
    ],
)
def test_surplus_movement_is_lost(seats: int, before: int, card: str, after: int) -> None:
    """No dragon goes beyond the last space; one that stands there may be moved and stays (§4.1, R7)."""
    others = ("blue-1", "green-1", "white-1")[: seats - 1]
    state = table("\n".join([f"red-1 | {card} red-5", *others]), dragons=f"black {before}")
    (event,) = mount_drago.game.decide(state, ANN, PlayCard(cards(card)[0]), luck())
    assert isinstance(event, CardPlayed)
    assert event.space == after
    assert mount_drago.game.evolve(state, event).dragons == (0, 0, after, 0, 0, 0, 0, 0, 0, 0)


def test_a_dragon_that_another_seat_rides_keeps_its_rider() -> None:
    """The card goes under the own open card; what lies before the other seat stays as it is (§4.2)."""
    reached = (
        mount_drago.given(riding())
        .when(PlayCard("blue-1"))
        .then(played("blue-1", 5, on_top=False), drew(0, "orange-1", next_seat=1))
    )
    assert reached.state.open_cards == cards("red-1 blue-2")
    assert reached.state.under == (cards("blue-1"), ())


def test_a_card_of_the_own_dragon_goes_on_top() -> None:
    """Ann rides red and goes on riding it, without a choice though red is last (§4.2)."""
    reached = (
        mount_drago.given(riding())
        .when(PlayCard("red-2"))
        .then(played("red-2", 4, on_top=True), drew(0, "orange-1", next_seat=1))
    )
    assert reached.state.open_cards == cards("red-2 blue-2")
    assert reached.state.under == (cards("red-1"), ())


def test_a_free_dragon_gets_the_seat_as_its_rider() -> None:
    """The example of the rulebook: a blue 1 that nobody has goes on the red card (§4.2)."""
    lukas_on_red = table(
        """
        red-1 / black-2 | blue-1 red-3
        green-2
        """,
        dragons=SPACES,
        draw_pile="orange-1 orange-1 orange-2 orange-2 orange-3",
    )
    reached = (
        mount_drago.given(lukas_on_red)
        .when(PlayCard("blue-1"))
        .then(
            played("blue-1", 5, on_top=True),
            drew(0, "orange-1 orange-1 orange-2 orange-2 orange-3", next_seat=1),
        )
    )
    assert reached.state.open_cards == cards("blue-1 green-2")
    assert reached.state.under == (cards("red-1 black-2"), ())


@pytest.mark.parametrize("ride", [False, True])
def test_a_free_dragon_in_last_place_may_be_left(ride: bool) -> None:
    """The example of the rulebook: black and white are last, and black 4 goes under the blue card (§4.2)."""
    state = table(
        """
        blue-1 | black-4 red-3
        green-2
        """,
        dragons=SPACES.replace("red 2", "red 5").replace("black 4", "black 2").replace("blue 4", "blue 9"),
        draw_pile="orange-1 orange-1 orange-2 orange-2 orange-3",
    )
    given = mount_drago.given(state).then_legal(
        PlayCard("black-4", ride=False), PlayCard("black-4", ride=True), PlayCard("red-3")
    )
    (event,) = mount_drago.game.decide(state, ANN, PlayCard("black-4", ride=ride), luck())
    reached = mount_drago.game.evolve(given.state, event)
    assert reached.open_cards == cards("black-4 green-2" if ride else "blue-1 green-2")
    assert reached.under == (cards("blue-1" if ride else "black-4"), ())
    assert reached.dragons[2] == 6


def test_the_choice_is_open_in_last_place_only() -> None:
    """White shares the last place and is free; black is ahead, red and blue are ridden (§4.2, R2)."""
    mount_drago.given(riding()).then_legal(
        PlayCard("blue-1"),
        PlayCard("black-1"),
        PlayCard("red-2"),
        PlayCard("green-4"),
        PlayCard("white-3", ride=False),
        PlayCard("white-3", ride=True),
    )


def test_a_ridden_dragon_alone_in_last_place_gives_nobody_the_choice() -> None:
    """Blue, which Ben rides, is last alone: no choice for those before it, nor for blue (R2)."""
    mount_drago.given(riding(SPACES.replace("blue 4", "blue 1"))).then_legal(
        PlayCard("blue-1"),
        PlayCard("black-1"),
        PlayCard("red-2"),
        PlayCard("green-4"),
        PlayCard("white-3"),
    )


def test_dragons_that_nobody_has_cards_of_count_for_the_last_place() -> None:
    """Orange, which no hand holds, stands on space 1: white on 2 is not last (R2)."""
    assert PlayCard("white-3") in mount_drago.game.legal_moves(
        riding(SPACES.replace("orange 3", "orange 1")), ANN
    )


def test_at_the_start_every_free_dragon_is_in_last_place() -> None:
    """The first play of a match asks for ride, if of a colour that nobody rides (§8)."""
    _, state = begin(mount_drago.game, Options(0), 3, luck())
    ridden = {card.rpartition("-")[0] for card in state.open_cards}
    for move in mount_drago.game.legal_moves(state, ANN):
        assert isinstance(move, PlayCard)
        assert (move.ride is None) == (move.card.rpartition("-")[0] in ridden)


def test_the_last_place_is_looked_at_anew_for_each_card() -> None:
    """After a yellow 1 with ride false, a yellow 2 asks nothing: yellow is not last any more (§8)."""
    state = table(
        """
        red-1 | yellow-1 red-5
        blue-1 | yellow-2 green-3
        """,
        draw_pile="orange-1 orange-1 orange-2 orange-2 orange-3",
    )
    (
        mount_drago.given(state)
        .when(PlayCard("yellow-1", ride=False))
        .then(
            played("yellow-1", 1, on_top=False),
            drew(0, "orange-1 orange-1 orange-2 orange-2 orange-3", next_seat=1),
        )
        .then_legal(
            PlayCard("yellow-2"), PlayCard("green-3", ride=False), PlayCard("green-3", ride=True), seat=1
        )
    )


def test_only_the_seat_on_turn_has_moves() -> None:
    """The other seat is not to act, though it holds cards (common §1)."""
    assert mount_drago.game.to_act(riding()) == (ANN,)
    mount_drago.given(riding()).then_legal(seat=1)
