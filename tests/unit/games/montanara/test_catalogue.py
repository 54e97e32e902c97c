"""Montanara §1: the cards, and what the catalogue tells of them."""

from collections import Counter

from domain.games.montanara import GAME
from domain.games.montanara.catalogue import NEIGHBOURS, PACK, Kind
from domain.shared.catalogues import Grade

COUNTS = {
    "dwarf": 23,
    "crystal": 9,
    "cave_in": 7,
    "theft": 9,
    "shaking": 7,
    "tunnel": 9,
    "drilling": 9,
    "open_pit": 7,
}


def test_there_are_80_cards_of_eight_kinds() -> None:
    """23 dwarfs, 9 crystals and 48 action cards, cave-ins among them (§1)."""
    assert list(Kind) == list(COUNTS)
    assert Counter(PACK) == COUNTS
    assert len(PACK) == 80
    assert len(PACK) - COUNTS["dwarf"] - COUNTS["crystal"] == 48


def test_spaces_are_a_row() -> None:
    """Neighbours are 0 and 1, 1 and 2, 2 and 3: the row is no ring (R1)."""
    assert NEIGHBOURS == ((0, 1), (1, 2), (2, 3))


def test_montanara_is_a_game_for_two() -> None:
    """Two seats; the ruleset is montanara/1 (§1)."""
    assert (GAME.id, GAME.ruleset, GAME.min_seats, GAME.max_seats) == ("montanara", "montanara/1", 2, 2)


def test_the_catalogue_says_how_sure_each_table_is() -> None:
    """Cards with their borders, and the board, stand in the rulebook: grade given (§1)."""
    assert {data.name: data.grade for data in GAME.data} == {"cards": Grade.GIVEN, "board": Grade.GIVEN}


def test_the_catalogue_lists_the_data() -> None:
    """What is served as text is the data that is played with (§1)."""
    rows = {data.name: data.rows for data in GAME.data}
    assert rows["cards"] == (
        "dwarf: 23, green",
        "crystal: 9, yellow",
        "cave_in: 7, blue and yellow",
        "theft: 9, blue",
        "shaking: 7, blue",
        "tunnel: 9, blue",
        "drilling: 9, blue",
        "open_pit: 7, blue",
    )
    assert rows["board"] == ("spaces: 4",)


def test_the_catalogue_lists_every_section_and_ruling() -> None:
    """Clauses come in the order of the rules, the rulings in their chapter (§7)."""
    assert tuple(clause.id for clause in GAME.rules) == (
        *("§1", "§2", "§3", "§3.1", "§3.2", "§4"),
        *(f"§4.{number}" for number in range(13)),
        *("§5", "§5.1", "§5.2", "§5.3", "§6", "§7"),
        *(f"R{number}" for number in range(1, 16)),
        "§8",
    )
