"""Montana §1: the pack, and what the catalogue tells of it."""

from domain.games.montana import GAME
from domain.games.montana.catalogue import CARDS
from domain.shared.catalogues import Grade


def test_the_pack_has_four_suits_from_ace_to_king() -> None:
    """52 cards: clubs, diamonds, hearts, spades, A to K in each (§1)."""
    assert (
        *("AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "10C", "JC", "QC", "KC"),
        *("AD", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "10D", "JD", "QD", "KD"),
        *("AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H", "JH", "QH", "KH"),
        *("AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "10S", "JS", "QS", "KS"),
    ) == CARDS


def test_montana_is_a_game_for_one() -> None:
    """One seat; the ruleset is montana/1 (§1)."""
    assert (GAME.id, GAME.ruleset, GAME.min_seats, GAME.max_seats) == ("montana", "montana/1", 1, 1)


def test_the_catalogue_says_how_sure_each_table_is() -> None:
    """Cards and board stand in the rulebook: grade given (§1)."""
    assert {data.name: data.grade for data in GAME.data} == {"cards": Grade.GIVEN, "board": Grade.GIVEN}


def test_the_catalogue_lists_the_data() -> None:
    """What is served as text is the data that is played with (§1, §3)."""
    rows = {data.name: data.rows for data in GAME.data}
    assert rows["cards"] == tuple(f"{card}: 1" for card in CARDS)
    assert rows["board"] == ("rows: 4", "columns: 13", "gaps: 4")


def test_the_catalogue_lists_every_section_and_ruling() -> None:
    """Clauses come in the order of the rules, the rulings in their chapter; there is no R4 (§7)."""
    assert tuple(clause.id for clause in GAME.rules) == (
        *("§1", "§2", "§3", "§3.1", "§3.2"),
        *("§4", "§4.1", "§4.2", "§4.3", "§4.4", "§4.5", "§4.6", "§4.7"),
        *("§5", "§5.1", "§5.2", "§5.3", "§6", "§7", "R1", "R2", "R3", "R5", "R6", "R7", "§8"),
    )
