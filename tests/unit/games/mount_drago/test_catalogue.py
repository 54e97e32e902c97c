"""Mount Drago §1: cards and boards, and what the catalogue tells of them."""

from collections import Counter

import pytest

from domain.games.mount_drago import GAME
from domain.games.mount_drago.catalogue import (
    CARDS,
    COLOURS,
    DRAGONS,
    PACK,
    VALUES,
    Board,
    Scoring,
    board_for,
    in_order,
)
from domain.shared.catalogues import Grade

SIDES = [(2, board_for(2)), (3, board_for(3)), (4, board_for(4)), (5, board_for(5))]


def spaces_of(board: Board, scoring: Scoring) -> list[int]:
    """Return the spaces that bring a scoring, rising."""
    return [space for space, brings in enumerate(board.scorings) if brings is scoring]


def test_there_are_ten_colours_of_eleven_cards() -> None:
    """110 cards: in each colour 1 and 2 twice, 3 three times, 4 and 5 twice; 33 pips (§1)."""
    assert len(PACK) == 110
    assert Counter(PACK) == {
        f"{colour}-{value}": count
        for colour in COLOURS
        for value, count in {1: 2, 2: 2, 3: 3, 4: 2, 5: 2}.items()
    }
    for dragon in range(10):
        own = [card for card in PACK if DRAGONS[card] == dragon]
        assert len(own) == 11
        assert sum(VALUES[card] for card in own) == 33


def test_colours_come_in_the_order_of_the_rules() -> None:
    """Blue, brown, black, red, yellow, green, white, light blue, purple, orange (§1, common §9)."""
    assert (
        *("blue", "brown", "black", "red", "yellow"),
        *("green", "white", "light_blue", "purple", "orange"),
    ) == COLOURS
    assert [f"{colour}-{value}" for colour in COLOURS for value in range(1, 6)] == list(CARDS)


def test_cards_are_sorted_by_colour_then_value() -> None:
    """In the order of the rules, not of the alphabet; alike cards side by side (common §2, §9)."""
    assert in_order(("orange-1", "brown-5", "blue-2", "orange-1", "brown-3", "black-1")) == (
        *("blue-2", "brown-3", "brown-5", "black-1", "orange-1", "orange-1"),
    )


@pytest.mark.parametrize("seats", [2, 3])
def test_the_board_for_two_and_three(seats: int) -> None:
    """29 spaces that add up to 82; four blue, three green, the last four summit spaces (§1, §3.1)."""
    board = board_for(seats)
    assert board.values == (
        *(0, 1, 3, 2, -1, 3, 2, 1, 4, 6, 3, -2, 3, 5, 2, 8, 5, 1, 2, -1, 7, 3, 1, 6, 2, 4, 5, 3, 4),
    )
    assert (len(board.values), sum(board.values), board.summit) == (29, 82, 25)
    assert spaces_of(board, Scoring.SMALL) == [6, 12, 18, 22]
    assert spaces_of(board, Scoring.LARGE) == [8, 16, 24]
    assert spaces_of(board, Scoring.SUMMIT) == [25, 26, 27, 28]


@pytest.mark.parametrize("seats", [4, 5])
def test_the_board_for_four_and_five(seats: int) -> None:
    """27 spaces that add up to 73; four blue, three green, the last four summit spaces (§1, §3.1)."""
    board = board_for(seats)
    assert board.values == (
        *(0, 2, 1, 3, -1, 2, 3, 6, 1, 4, 3, -2, 2, 7, 1, 5, 3, -1, 1, 8, 2, 3, 4, 4, 5, 3, 4),
    )
    assert (len(board.values), sum(board.values), board.summit) == (27, 73, 23)
    assert spaces_of(board, Scoring.SMALL) == [5, 12, 18, 21]
    assert spaces_of(board, Scoring.LARGE) == [9, 15, 22]
    assert spaces_of(board, Scoring.SUMMIT) == [23, 24, 25, 26]


@pytest.mark.parametrize(("seats", "board"), SIDES)
def test_what_both_boards_have_in_common(seats: int, board: Board) -> None:
    """Values from -2 to 8, start 0; four blue, three green and four summit spaces (§1)."""
    assert (board.values[0], min(board.values), max(board.values)) == (0, -2, 8)
    counts = Counter(board.scorings)
    assert (counts[Scoring.SMALL], counts[Scoring.LARGE], counts[Scoring.SUMMIT]) == (4, 3, 4)
    assert board.scorings[0] is None


def test_mount_drago_is_a_game_for_two_to_five() -> None:
    """Two to five seats; the ruleset says that it is reconstructed (§1)."""
    assert (GAME.id, GAME.ruleset) == ("mount_drago", "mount_drago/recon-1")
    assert (GAME.min_seats, GAME.max_seats) == (2, 5)


def test_the_catalogue_says_how_sure_each_table_is() -> None:
    """Cards and dragons are found, both boards reconstructed (§1)."""
    assert {data.name: data.grade for data in GAME.data} == {
        "cards": Grade.FOUND,
        "dragons": Grade.FOUND,
        "board_2_3": Grade.RECONSTRUCTED,
        "board_4_5": Grade.RECONSTRUCTED,
    }


def test_the_catalogue_lists_the_data() -> None:
    """What is served as text is the data that is played with (§1)."""
    rows = {data.name: data.rows for data in GAME.data}
    assert rows["cards"] == tuple(f"{card}: {PACK.count(card)}" for card in CARDS)
    assert rows["dragons"] == tuple(f"{colour}: 1" for colour in COLOURS)
    assert len(rows["board_2_3"]) == 29
    assert rows["board_4_5"][20:] == (
        *("space 20: 2", "space 21: 3, small", "space 22: 4, large", "space 23: 4, summit"),
        *("space 24: 5, summit", "space 25: 3, summit", "space 26: 4, summit"),
    )


def test_the_catalogue_lists_every_section_and_ruling() -> None:
    """Clauses come in the order of the rules, the rulings in their chapter (§7)."""
    assert tuple(clause.id for clause in GAME.rules) == (
        *("§1", "§2", "§3", "§3.1", "§3.2", "§4", "§4.1", "§4.2", "§4.3", "§4.4"),
        *("§5", "§5.1", "§5.2", "§6", "§7"),
        *("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "§8"),
    )
