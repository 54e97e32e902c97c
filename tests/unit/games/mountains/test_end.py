"""Mountains §6: rest days, the end, and who wins; common §6 and §7: giving up."""

import pytest

from domain.games.mountains.catalogue import CARDS, DECKS, Options
from domain.games.mountains.commands import AbandonHike, ChooseHike, DeclineHike, DeclineOffer, Rest
from domain.games.mountains.events import CardTurnedOver, HikeDeclined, OfferDeclined, Rested, TurnEnded
from domain.games.mountains.outcome import outcome
from domain.games.mountains.rejections import Reason
from domain.games.mountains.state import INITIAL, Phase
from domain.match import Finished, Resign, Resigned, submit
from domain.shared.game import default_move
from domain.shared.outcomes import Outcome, OutcomeKind
from tests.support.games.matches import NOW, playing
from tests.support.games.mountains import hiking_card, mountains, table
from tests.support.games.scenarios import ANN, BEN, CAM, luck


def test_a_rest_day_gives_three_stones() -> None:
    """No card is turned over, and the turn ends (§6.2)."""
    given = mountains.given(table("mug", "boots", stones=(0, 8)))
    reached = given.when(Rest()).then(Rested(ANN, 3), TurnEnded(ANN, BEN))
    assert reached.state == table("mug", "boots", turn=1, stones=(3, 8))


def test_without_stones_a_seat_may_hike_instead() -> None:
    """A rest day is a choice beside the decks (§6.2)."""
    given = mountains.given(table("mug", "boots", stones=(0, 8)))
    given.then_legal(*(ChooseHike(deck) for deck in DECKS), Rest())
    given.when(ChooseHike("1")).then(CardTurnedOver(ANN, CARDS["1-01"]))


def test_a_rest_day_needs_exactly_no_stones() -> None:
    """One stone is too many (§6.2)."""
    given = mountains.given(table("mug", "boots", stones=(1, 8)))
    given.then_legal(*(ChooseHike(deck) for deck in DECKS))
    given.when(Rest()).then_rejected(Reason.HAS_STONES, seat=0)


@pytest.mark.parametrize("card", ["1-04", "1-09"])
def test_a_rest_day_is_for_the_beginning_of_a_turn(card: str) -> None:
    """Once a card lies face up it is too late (§6.2)."""
    given = mountains.given(table("mug", "boots", card=card, stones=(0, 8), offered=()))
    given.when(Rest()).then_rejected(Reason.TOO_LATE_TO_REST, seat=0)


@pytest.mark.parametrize(("first", "second"), [("3", "4"), ("3", "4s"), ("4", "5s"), ("4s", "5s")])
def test_two_empty_high_decks_end_the_game_with_the_turn(first: str, second: str) -> None:
    """Not when the last card is turned over, but when that turn ends (§6.1, R10)."""
    last = f"{second}-01"
    above = " ".join(id for id in CARDS if CARDS[id].deck == second and id != last)
    reached = (
        mountains.given(table("mug", "boots", tops=last, used=first, discard_piles=above))
        .then_ended(None)
        .when(ChooseHike(second))  # type: ignore[arg-type]
        .then(CardTurnedOver(ANN, hiking_card(last)))
        .then_ended(None)
        .when(DeclineHike())
        .then(HikeDeclined(ANN, 1), TurnEnded(ANN, None))
        .then_ended(Outcome(OutcomeKind.WON, (ANN,), (0, 0), "decks_used_up", (9, 8)))
        .then_legal(seat=0)
        .then_legal(seat=1)
    )
    assert reached.state.phase is Phase.OVER
    assert mountains.game.to_act(reached.state) == ()


@pytest.mark.parametrize("used", ["1 2", "1 2 3", "2 5s", ""])
def test_low_decks_do_not_count(used: str) -> None:
    """Empty decks 1 and 2 end nothing, nor does a single high one (§6.1)."""
    given = mountains.given(table("mug", "boots", card="4-01", used=used))
    given.when(DeclineHike()).then(HikeDeclined(ANN, 1), TurnEnded(ANN, BEN)).then_ended(None)


@pytest.mark.parametrize(
    ("stamps", "stones", "kind", "winners"),
    [
        ((3, 5, 4), (20, 0, 3), OutcomeKind.WON, (BEN,)),
        ((5, 5, 4), (7, 8, 20), OutcomeKind.WON, (BEN,)),
        ((5, 4, 5), (8, 20, 8), OutcomeKind.SHARED, (ANN, CAM)),
        ((0, 0, 0), (8, 8, 8), OutcomeKind.SHARED, (ANN, BEN, CAM)),
        ((5, 5, 5), (9, 10, 2), OutcomeKind.WON, (BEN,)),
        ((5, 5, 4), (0, 1, 50), OutcomeKind.WON, (BEN,)),
        ((9, 10, 8), (134, 0, 120), OutcomeKind.WON, (BEN,)),
        ((7, 7, 7), (134, 133, 120), OutcomeKind.WON, (ANN,)),
        ((7, 7, 7), (120, 134, 134), OutcomeKind.SHARED, (BEN, CAM)),
        ((21, 20, 21), (100, 134, 100), OutcomeKind.SHARED, (ANN, CAM)),
    ],
)
def test_most_stamps_then_most_stones_win(
    stamps: tuple[int, ...], stones: tuple[int, ...], kind: OutcomeKind, winners: tuple[int, ...]
) -> None:
    """Scores are the stamps; a tie on both is shared; the stones are told too (§6.3, R12)."""
    over = table("mug", "boots", "tent", phase=Phase.OVER, stamps=stamps, stones=stones)
    ended = Outcome(kind, winners, stamps, "decks_used_up", stones)  # type: ignore[arg-type]
    mountains.given(over).then_ended(ended)
    assert mountains.game.scores(over) == stamps
    assert mountains.game.standings(over) == tuple(zip(stamps, stones, strict=True))


def test_the_game_has_not_ended_before_it_began() -> None:
    """Before the deal no deck has a card, and yet nothing is over (§6.1)."""
    assert outcome(INITIAL) is None


@pytest.mark.parametrize(
    ("card", "asked", "move"),
    [
        ("1-04", False, DeclineHike()),
        ("1-04", True, AbandonHike()),
        ("1-09", False, DeclineOffer()),
        ("5s-09", False, DeclineOffer()),
        ("", False, ChooseHike("1")),
    ],
)
@pytest.mark.parametrize("stones", [(8, 8), (0, 0), (1, 40)])
def test_a_seat_that_does_not_choose_declines(
    card: str, asked: bool, move: object, stones: tuple[int, ...]
) -> None:
    """The default move declines or abandons, else it is the first that is legal (common §7).

    That nothing is missing for the hike, or that the seat has no stones, makes no difference.
    """
    given = table("rope", "boots", card=card, asked=asked, stones=stones)
    assert default_move(mountains.game, given, ANN) == move


def test_without_a_first_deck_the_next_is_chosen() -> None:
    """The first listed move is the first deck with cards (common §7, §9)."""
    assert default_move(mountains.game, table("rope", "boots", used="1 2"), ANN) == ChooseHike("3")


def test_a_seat_that_resigned_plays_on_by_default_moves() -> None:
    """With three seats the match goes on; the resigned one turns cards over and declines them (common §6)."""
    _, match = playing(mountains.game, Options(first_seat=0), 3)
    events, match = submit(mountains.game, match, ANN, Resign(), luck(), NOW)
    assert events[0] == Resigned(ANN)
    assert isinstance(events[1], CardTurnedOver)
    assert {type(event) for event in events[2:]} <= {
        *(CardTurnedOver, HikeDeclined, OfferDeclined, TurnEnded)
    }
    assert mountains.game.to_act(match.state) != (ANN,)


def test_the_last_seat_that_stays_wins() -> None:
    """Of two seats one gives up: the other wins at once, and the stones are told (§6.3, common §6)."""
    _, match = playing(mountains.game, Options(), 2)
    events, _ = submit(mountains.game, match, BEN, Resign(), luck(), NOW)
    assert events == (
        Resigned(BEN),
        Finished(Outcome(OutcomeKind.RESIGNED, (ANN,), (0, 0), "resigned", (8, 8))),
    )
