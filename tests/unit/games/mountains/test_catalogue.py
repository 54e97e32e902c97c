"""Mountains §1 and §9: equipment, decks, hiking cards, and what the catalogue tells of them."""

from collections import Counter

import pytest

from domain.games.mountains import GAME
from domain.games.mountains.catalogue import CARDS, DECKS, EQUIPMENT, HIKING_CARDS, PACK, CardKind, HikingCard
from domain.shared.catalogues import Grade
from tests.support.games.mountains import equipment

HIKES = [card for card in HIKING_CARDS if card.kind is CardKind.HIKE]


def test_mountains_is_a_game_for_two_to_five() -> None:
    """Two to five seats; the ruleset says that it is reconstructed (§1)."""
    assert (GAME.id, GAME.ruleset) == ("mountains", "mountains/recon-1")
    assert (GAME.min_seats, GAME.max_seats) == (2, 5)


def test_there_are_two_of_each_of_16_types_of_equipment() -> None:
    """32 cards; nothing tells the two copies apart (§1, R15)."""
    assert (
        *("boots", "rope", "carabiner", "helmet", "ice_axe", "crampons", "tent", "sunglasses"),
        *("compass", "pocket_knife", "lighter", "first_aid_kit", "canteen", "lantern", "mug"),
        "trekking_poles",
    ) == EQUIPMENT
    assert Counter(PACK) == dict.fromkeys(EQUIPMENT, 2)


def test_62_hiking_cards_lie_in_six_decks() -> None:
    """10 + 10 + 12 + 10 + 10 + 10, numbered from 1 in each deck (§1, §9, R1)."""
    sizes = dict(zip(DECKS, (10, 10, 12, 10, 10, 10), strict=True))
    assert DECKS == ("1", "2", "3", "4", "4s", "5s")
    assert [card.id for card in HIKING_CARDS] == [
        f"{deck}-{number:02}" for deck in DECKS for number in range(1, sizes[deck] + 1)
    ]
    assert len(HIKING_CARDS) == len(CARDS) == 62
    assert all(card.id.partition("-")[0] == card.deck for card in HIKING_CARDS)


def test_50_hikes_and_12_huts() -> None:
    """50 hikes, 6 huts that sell equipment, 6 that sell a stamp (§9)."""
    assert Counter(card.kind for card in HIKING_CARDS) == {
        CardKind.HIKE: 50,
        CardKind.HUT_EQUIPMENT: 6,
        CardKind.HUT_STAMP: 6,
    }


def test_hikes_give_82_stamps() -> None:
    """None in decks 1 and 2, then 1, 2, 3 and 4 each: 10 + 16 + 24 + 32 (§9)."""
    assert sum(card.stamps for card in HIKES) == 10 + 16 + 24 + 32 == 82


@pytest.mark.parametrize(
    ("deck", "hikes", "pieces", "stones", "stamps"),
    [
        ("1", 8, 1, 3, 0),
        ("2", 8, 2, 5, 0),
        ("3", 10, 3, 3, 1),
        ("4", 8, 4, 2, 2),
        ("4s", 8, 4, 0, 3),
        ("5s", 8, 5, 0, 4),
    ],
)
def test_hikes_of_a_deck_need_and_give_alike(
    deck: str, hikes: int, pieces: int, stones: int, stamps: int
) -> None:
    """The deck's number is how many pieces its hikes need; all give the same (§1, §9)."""
    of_deck = [card for card in HIKES if card.deck == deck]
    assert len(of_deck) == hikes
    assert {(len(card.equipment), card.stones, card.stamps) for card in of_deck} == {(pieces, stones, stamps)}
    assert {card.price for card in of_deck} == {0}


def test_a_star_means_one_identical_pair() -> None:
    """Each hike of 4* and 5* has just one pair, all other pieces differ (§1, §9)."""
    for card in HIKES:
        copies = sorted(Counter(card.equipment).values(), reverse=True)
        assert copies[0] == (2 if card.deck.endswith("s") else 1)
        assert set(copies[1:]) <= {1}


def test_142_pieces_are_asked_for() -> None:
    """Ice axe and lantern 8 times, all others 9 times; a pair counts once (§9)."""
    asked = Counter(piece for card in HIKES for piece in set(card.equipment))
    assert asked.total() == 142
    assert {piece: count for piece, count in asked.items() if count != 9} == {"ice_axe": 8, "lantern": 8}
    assert set(asked) == set(EQUIPMENT)


def test_each_type_is_the_pair_of_one_starred_hike() -> None:
    """Eight pairs in 4* and eight others in 5*, one of each type (§9)."""
    pairs = [piece for card in HIKES for piece, copies in Counter(card.equipment).items() if copies == 2]
    assert sorted(pairs) == sorted(EQUIPMENT)


def test_what_huts_ask_for() -> None:
    """Equipment costs 2 stones, a stamp the less the higher the deck (§5.2, §9)."""
    huts = {card.id: (card.kind, card.stamps, card.price) for card in HIKING_CARDS if card not in HIKES}
    assert huts == {
        **dict.fromkeys(("1-09", "1-10", "2-09", "3-11", "4-09", "4s-09"), ("hut_equipment", 0, 2)),
        **dict.fromkeys(("2-10", "3-12"), ("hut_stamp", 1, 5)),
        **dict.fromkeys(("4-10", "4s-10"), ("hut_stamp", 1, 4)),
        **dict.fromkeys(("5s-09", "5s-10"), ("hut_stamp", 1, 3)),
    }
    assert {(card.equipment, card.stones) for card in HIKING_CARDS if card not in HIKES} == {((), 0)}


@pytest.mark.parametrize(
    "card",
    [
        HikingCard("1-01", "1", CardKind.HIKE, ("pocket_knife",), 3, 0, 0),
        HikingCard("3-09", "3", CardKind.HIKE, ("carabiner", "helmet", "pocket_knife"), 3, 1, 0),
        HikingCard("4s-02", "4s", CardKind.HIKE, ("boots", "rope", "lighter", "lighter"), 0, 3, 0),
        HikingCard(
            "5s-02", "5s", CardKind.HIKE, equipment("canteen canteen tent sunglasses compass"), 0, 4, 0
        ),
        HikingCard("4-10", "4", CardKind.HUT_STAMP, (), 0, 1, 4),
    ],
    ids=lambda card: card.id,
)
def test_some_cards_whole(card: HikingCard) -> None:
    """A card lists its pieces in the order of §1 (§9, common §2)."""
    assert CARDS[card.id] == card


def test_the_catalogue_says_how_sure_each_table_is() -> None:
    """The hiking cards and the trekking poles are; equipment and decks were found (§1)."""
    assert {data.name: data.grade for data in GAME.data} == {
        "equipment": Grade.FOUND,
        "equipment_reconstructed": Grade.RECONSTRUCTED,
        "decks": Grade.FOUND,
        "hands": Grade.GIVEN,
        "stones": Grade.GIVEN,
        "hiking_cards": Grade.RECONSTRUCTED,
    }


def test_the_catalogue_lists_the_data() -> None:
    """What is served as text is the data that is played with (§1, §3, §9)."""
    rows = {data.name: data.rows for data in GAME.data}
    assert rows["equipment"] == tuple(f"{name}: 2" for name in EQUIPMENT[:-1])
    assert rows["equipment_reconstructed"] == ("trekking_poles: 2",)
    assert rows["decks"] == ("1: 1", "2: 2", "3: 3", "4: 4", "4s: 4", "5s: 5")
    assert rows["hands"] == ("2 seats: 8", "3 seats: 6", "4 seats: 4", "5 seats: 3")
    assert rows["stones"] == ("at the beginning: 8", "for declining a hike: 1", "for a rest day: 3")
    assert len(rows["hiking_cards"]) == 62
    assert rows["hiking_cards"][42] == "4s-01: hike, stones 0, stamps 3, carabiner, helmet, helmet, lighter"
    assert rows["hiking_cards"][61] == "5s-10: hut_stamp, price 3, stamps 1"


def test_the_catalogue_lists_every_section_and_ruling() -> None:
    """Clauses come in the order of the rules, the rulings in their chapter (§8)."""
    assert tuple(clause.id for clause in GAME.rules) == (
        *("§1", "§2", "§3", "§3.1", "§3.2"),
        *("§4", "§4.1", "§4.2", "§4.3", "§4.4", "§4.5", "§4.6", "§4.7"),
        *("§5", "§5.1", "§5.2", "§5.3", "§5.4", "§6", "§6.1", "§6.2", "§6.3", "§7", "§8"),
        *(f"R{number}" for number in range(1, 16)),
        "§9",
    )
