"""Montana §5: winning, losing, score; and §4.7: giving up."""

import pytest

from domain.games.montana.catalogue import Options, RedealPolicy
from domain.games.montana.commands import Command, MoveCard, Redeal
from domain.games.montana.events import CardMoved, Dealt
from domain.games.montana.outcome import finished_part, outcome, scores, standings
from domain.match import Finished, Resign, Resigned, Started, submit
from domain.shared.game import default_move, play
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import Seat
from tests.support.games.matches import NOW, playing
from tests.support.games.montana import montana, table
from tests.support.games.rigged import RiggedChance
from tests.support.games.scenarios import luck

WON = Outcome(OutcomeKind.WON, (Seat(0),), (48,), "rows_complete")

COMPLETE = """
    2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC __
    2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH __
    2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD __
    2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS __
"""

ONE_MOVE_AWAY = COMPLETE.replace("QC KC __", "QC __ KC")

LAST_MOVE = """
    2C  3C  KC  __  4C  5C  6C  7C  8C  9C  10C JC  QC
    2D  KD  __  3D  4D  5D  6D  7D  8D  9D  10D JD  QD
    KH  __  2H  3H  4H  5H  6H  7H  8H  9H  10H JH  QH
    2S  3S  __  KS  4S  5S  6S  7S  8S  9S  10S JS  QS
"""
"""One card can be moved, the 4 of spades, and then none."""


def test_won_when_every_row_runs_from_2_to_king_in_one_suit() -> None:
    """The last king brought home wins with all 48 cards (§5.1, R7)."""
    (
        montana.given(table(ONE_MOVE_AWAY))
        .then_ended(None)
        .when(MoveCard("KC", 0, 11))
        .then(CardMoved("KC", 0, 12, 0, 11))
        .then_ended(WON)
    )


def test_which_suit_lies_in_which_row_does_not_matter() -> None:
    """Any suit may lie in any row, also with no redeal left (§5.1)."""
    montana.given(table(COMPLETE, redeals=0)).then_ended(WON)


@pytest.mark.parametrize(
    "row", ["__ 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC", "2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC __ KC"]
)
def test_a_row_with_a_gap_in_it_is_not_complete(row: str) -> None:
    """A row counts only in columns 0 to 11: not one column further right, not with a gap within (R7, §8)."""
    text = COMPLETE.replace("2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC __", row)
    montana.given(table(text)).then_ended(None)


def test_lost_when_nothing_moves_and_no_redeal_is_left() -> None:
    """The move that leaves four dead gaps loses, the score counts (§5.2, §5.3)."""
    (
        montana.given(table(LAST_MOVE.replace("__  KS  4S", "__  4S  KS"), redeals=0))
        .then_ended(None)
        .when(MoveCard("4S", 3, 2))
        .then(CardMoved("4S", 3, 3, 3, 2))
        .then_legal(MoveCard("5S", 3, 3))
        .then_ended(None)
    )
    (
        montana.given(table(LAST_MOVE, redeals=0))
        .when(MoveCard("4S", 3, 2))
        .then(CardMoved("4S", 3, 4, 3, 2))
        .then_legal()
        .then_ended(Outcome(OutcomeKind.LOST, (), (6,), "stuck"))
    )


def test_not_lost_while_a_redeal_is_left() -> None:
    """A stuck table with a redeal left goes on (§5.2, §4.7)."""
    (
        montana.given(table(LAST_MOVE, redeals=1))
        .when(MoveCard("4S", 3, 2))
        .then(CardMoved("4S", 3, 4, 3, 2))
        .then_legal(Redeal())
        .then_ended(None)
    )


def test_a_redeal_neither_wins_nor_loses() -> None:
    """After every finished part of an unfinished row stands a live gap, whatever was dealt (§5.2)."""
    stuck = table(LAST_MOVE.replace("__  KS  4S", "4S  KS  __"), redeals=1)
    for number in range(50):
        _, state = play(montana.game, stuck, Seat(0), Redeal(), luck(f"{number}"))
        assert state.redeals_left == 0
        assert outcome(state) is None


@pytest.mark.parametrize(
    ("row", "finished"),
    [
        ("2C 3C 4D ...", 2),
        ("2C 4C ...", 1),
        ("2C 3C 4C __ 5C ...", 3),
        ("2H 3C ...", 1),
        ("3C 4C 5C ...", 0),
        ("KC 2C 3C ...", 0),
        ("__ 2C 3C ...", 0),
        ("2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC 2D", 12),
        ("2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC __ KC", 11),
    ],
)
def test_a_finished_part_is_the_run_from_2_at_the_left_edge(row: str, finished: int) -> None:
    """The longest run 2, 3, 4 ... of one suit from column 0 (§4.6, §8)."""
    gaps = " ".join(["__"] * (4 - row.count("__")))
    assert finished_part(table(f"{row}\n ...\n {gaps} ...\n ..."), 0) == finished


def test_the_score_counts_the_cards_in_finished_parts() -> None:
    """Two and one and none and two make five; a whole table 48, an empty row 0 (§5.3)."""
    assert scores(table(LAST_MOVE)) == (5,)
    assert scores(table(COMPLETE)) == (48,)
    assert scores(table("__ ...\n__ ...\n__ ...\n__ ...")) == (0,)


def dealt(text: str) -> RiggedChance:
    """Return chance that deals a table, with an ace where it has a gap."""
    aces = iter(("AC", "AD", "AH", "AS"))
    return RiggedChance(next(aces) if word == "__" else word for word in text.split())


def test_a_deal_may_win_at_once() -> None:
    """The end is checked after the deal: a match dealt in order is over before its first move (§5.1)."""
    events, match = playing(montana.game, Options(), chance=dealt(COMPLETE))
    assert [type(event) for event in events[-3:]] == [Dealt, Started, Finished]
    assert match.outcome == WON


@pytest.mark.parametrize("redeals", [0, 1])
def test_a_deal_with_four_dead_gaps(redeals: int) -> None:
    """Such a deal is lost at once with no redeals, else it waits for one (§5.2, §4.7)."""
    text = LAST_MOVE.replace("__  KS  4S", "4S  KS  __")
    _, match = playing(montana.game, Options(redeals=redeals), chance=dealt(text))
    lost = Outcome(OutcomeKind.LOST, (), (6,), "stuck")
    assert match.outcome == (None if redeals else lost)


def test_giving_up_loses_and_the_score_counts() -> None:
    """Resigning ends the game as lost, reason resigned, with the cards placed so far (§4.7)."""
    _, match = playing(montana.game, Options(), chance=dealt(LAST_MOVE))
    events, given_up = submit(montana.game, match, Seat(0), Resign(), luck(), NOW)
    lost = Outcome(OutcomeKind.LOST, (), (5,), "resigned")
    assert events == (Resigned(Seat(0)), Finished(lost))
    assert given_up.outcome == lost


@pytest.mark.parametrize(
    ("text", "redeals", "policy", "move"),
    [
        (LAST_MOVE, 1, RedealPolicy.WHEN_STUCK, MoveCard("4S", 3, 2)),
        (LAST_MOVE, 1, RedealPolicy.ANY_TIME, MoveCard("4S", 3, 2)),
        (LAST_MOVE.replace("__  KS  4S", "4S  KS  __"), 1, RedealPolicy.WHEN_STUCK, Redeal()),
        (ONE_MOVE_AWAY, 0, RedealPolicy.WHEN_STUCK, MoveCard("KC", 0, 11)),
        (COMPLETE.replace("2H 3H", "__ 3H").replace("KH __", "KH 2H"), 0, RedealPolicy.WHEN_STUCK, None),
    ],
)
def test_default_moves(text: str, redeals: int, policy: RedealPolicy, move: Command | None) -> None:
    """The first listed move: the lowest card that can be moved, a redeal only if none can (common §7, §9)."""
    state = table(text, redeals=redeals, policy=policy)
    first = next(iter(montana.game.legal_moves(state, Seat(0))))
    assert default_move(montana.game, state, Seat(0)) == first == (move or MoveCard("2C", 1, 0))


def test_the_only_seat_is_ranked_by_its_score() -> None:
    """There is nothing to tie with: the score alone (§5.3)."""
    assert standings(table(LAST_MOVE)) == ((5,),)
