"""Montmartre §1: cards, collectors and contracts, and what the catalogue tells of them."""

from domain.games.montmartre import GAME
from domain.games.montmartre.catalogue import (
    CARDS,
    COLLECTORS,
    COLOURS,
    CONTRACTS,
    PACK,
    STYLES,
    TIERS,
    VALUES,
)
from domain.shared.catalogues import Grade


def test_a_colour_has_fifteen_muse_cards() -> None:
    """In each colour the values 0 to 5 are there twice, 6, 7 and 8 once (§1)."""
    for colour in COLOURS:
        values = [VALUES[card] for card in PACK if STYLES[card] is colour]
        assert values == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8]


def test_the_pack_has_60_cards_and_204_pips() -> None:
    """4 x 15 cards, 4 x (2 x (0 + 1 + 2 + 3 + 4 + 5) + 6 + 7 + 8) = 4 x 51 pips (§1)."""
    assert len(PACK) == 4 * 15 == 60
    assert sum(map(VALUES.__getitem__, PACK)) == 4 * 51 == 204


def test_cards_sort_as_texts() -> None:
    """Blue, green, pink, yellow, then value: the order of §1 is that of the names (common §9)."""
    assert [str(colour) for colour in COLOURS] == ["blue", "green", "pink", "yellow"]
    assert tuple(f"{colour}-{value}" for colour in COLOURS for value in range(9)) == CARDS
    assert tuple(sorted(CARDS)) == CARDS
    assert tuple(sorted(PACK)) == PACK


def test_collectors_and_contracts() -> None:
    """Five collectors a colour, the 2 on top; white 4, grey 7 and 3, brown 12 and 5 (§1, §5.4)."""
    assert COLLECTORS == (2, 4, 6, 8, 10)
    assert TIERS == {2: (4,), 3: (3, 7), 4: (5, 12)}
    assert tuple(sorted(value for tier in TIERS.values() for value in tier)) == CONTRACTS


def test_montmartre_is_a_game_for_two_to_five() -> None:
    """Two to five seats; the ruleset is montmartre/1."""
    assert (GAME.id, GAME.ruleset, GAME.min_seats, GAME.max_seats) == ("montmartre", "montmartre/1", 2, 5)


def test_the_catalogue_says_how_sure_each_table_is() -> None:
    """The Muse cards were found, all else stands in the rulebook (§1)."""
    assert {data.name: data.grade for data in GAME.data} == {
        "cards": Grade.FOUND,
        "collectors": Grade.GIVEN,
        "contracts": Grade.GIVEN,
        "money": Grade.GIVEN,
    }


def test_the_catalogue_lists_the_data() -> None:
    """What is served as text is the data that is played with (§1)."""
    rows = {data.name: data.rows for data in GAME.data}
    assert rows["cards"] == tuple(f"{card}: {PACK.count(card)}" for card in CARDS)
    assert rows["collectors"] == tuple(f"{colour}: 2, 4, 6, 8, 10" for colour in COLOURS)
    assert rows["contracts"] == ("white: 4", "grey: 3, 7", "brown: 5, 12")
    assert rows["money"] == ("coins: 27",)


def test_the_catalogue_lists_every_section_and_ruling() -> None:
    """Clauses come in the order of the rules, the rulings in their chapter (§9)."""
    assert tuple(clause.id for clause in GAME.rules) == (
        *("§1", "§2", "§3", "§3.1", "§3.2", "§4", "§4.0", "§4.1", "§4.2", "§4.3", "§4.4"),
        *("§5", "§5.1", "§5.2", "§5.3", "§5.4", "§5.5", "§6", "§6.1", "§6.2"),
        *("§7", "§7.1", "§7.2", "§7.3", "§8", "§9"),
        *(f"R{number}" for number in range(1, 14)),
        "§10",
    )
