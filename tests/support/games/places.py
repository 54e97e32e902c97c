"""Rare places of each game, and random matches that go on from there.

Random play seldom comes near the end of a pile, or to a table that is nearly won. So some matches begin at a
table that is laid there by hand, with every piece that the game has; it is played on at random, with a
liking for some commands.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain, islice
from random import Random
from typing import Any, NamedTuple

from msgspec.structs import replace

from domain.games.montana.catalogue import CELLS, COLUMNS, GAP, RANKS, TWOS
from domain.games.montana.outcome import WON
from domain.games.montana.state import State as Montana
from domain.games.montanara.catalogue import CRYSTALS_TO_WIN, SPACES, Kind
from domain.games.montanara.commands import Dig, DigHome, PlayDwarf, PlayTheft, PlayTunnel, TakeCard
from domain.games.montanara.events import (
    CardDug,
    CaveInDug,
    CaveInPlayed,
    CrystalDug,
    DrillingPlayed,
    DwarfPlayed,
    OpenPitPlayed,
    ShakingPlayed,
    TunnelPlayed,
)
from domain.games.montanara.state import Card, Display, as_hand
from domain.games.montanara.state import State as Montanara
from domain.games.montmartre.catalogue import COLLECTORS, COLOURS, FRANCS, HAND, STYLES
from domain.games.montmartre.catalogue import in_order as in_order_of_colours
from domain.games.montmartre.commands import Sell, SellOff, SellPair
from domain.games.montmartre.events import CardsPicked, ContractsOffered, PilesRenewed, TurnEnded
from domain.games.montmartre.state import State as Montmartre
from domain.games.mount_drago.catalogue import LAST_TO_ENTER, SUMMIT_SPACES
from domain.games.mount_drago.commands import DiscardSummitCards
from domain.games.mount_drago.events import CardsDrawn, DrawPileRenewed, Scored
from domain.games.mount_drago.state import Phase as DragoPhase
from domain.games.mount_drago.state import State as MountDrago
from domain.games.mount_drago.state import board
from domain.games.mountains.catalogue import CARDS as HIKING_CARDS
from domain.games.mountains.catalogue import FIRST_HIGH_DECK, CardKind
from domain.games.mountains.catalogue import in_order as in_order_of_equipment
from domain.games.mountains.commands import AcceptOffer, Ask, CompleteHike
from domain.games.mountains.events import (
    CardTurnedOver,
    EquipmentAsked,
    EquipmentBought,
    HikeCompleted,
    OfferPassedOver,
)
from domain.games.mountains.events import TurnEnded as HikerTurnEnded
from domain.games.mountains.state import State as Mountains
from domain.match import AnyMatch
from domain.shared.seats import Seat
from domain.shared.tuples import put
from tests.support.games.matches import playing
from tests.support.games.random_matches import Step, Table, luck_of, played_on, random_options

TRIES = 100
"""How often a table is laid until one is not over yet."""
COMMANDS = 24
"""How many commands are given from a rare place on."""


class Place(NamedTuple):
    """A rare place.

    Attributes:
        name: What it is like.
        lay: Lays the table of an opening there, by dice.
        liked: The commands that lead on from there.
    """

    name: str
    lay: Callable[[Any, Random], Any]
    liked: tuple[type[Any], ...] = ()


class Nearby(NamedTuple):
    """What happens near a rare place.

    Attributes:
        events: In which events.
        happens: Whether it does: the state before, the event, the state after.
    """

    events: tuple[type[Any], ...]
    happens: Callable[[Any, Any, Any], bool]


def _nearly_won(state: Montana, dice: Random) -> Montana:
    """Lay four rows but for a few cards that can be moved to where they belong, one after the other."""
    cells = bytearray(dice.choice(sorted(WON)))
    for _ in range(dice.randrange(1, 9)):
        placed = [
            cell
            for cell in range(CELLS)
            if cells[cell] != GAP
            and (cells[cell] in TWOS if cell % COLUMNS == 0 else cells[cell - 1] == cells[cell] - 1)
        ]
        cell, gap = dice.choice(placed), dice.choice([cell for cell in range(CELLS) if cells[cell] == GAP])
        cells[gap], cells[cell] = cells[cell], GAP
    return replace(state, cells=bytes(cells))


def _nearly_stuck(state: Montana, dice: Random) -> Montana:
    """Lay gaps after kings and gaps, at most one of them live."""
    numbers = [number for number in range(1, CELLS + 1) if number not in {1, 14, 27, 40}]
    dice.shuffle(numbers)
    cells = list(numbers)
    kings = [number for number in numbers if number % RANKS == 0]
    for king in kings[dice.randrange(2) :]:
        cells.insert(cells.index(king) + 1, GAP)
    while len(cells) < CELLS:
        cells.insert(dice.randrange(len(cells)), GAP)
    return replace(state, cells=bytes(cells), redeals_left=dice.randrange(3))


def _few_cards(state: Montanara, dice: Random) -> Montanara:
    """Lay a few cards on two or three mountains, all others on the discard pile; dwarfs wait in displays."""
    displays = tuple(Display(dwarfs=dice.randrange(5)) for _ in state.displays)
    dwarfs = [Kind.DWARF for display in displays for _ in range(display.dwarfs)]
    state = replace(_taken_out(state, dwarfs), displays=displays)
    sizes = [0] * SPACES
    for space in dice.sample(range(SPACES), dice.randrange(2, 4)):
        sizes[space] = dice.randrange(1, 4)
    return _cut(state, sizes)


def _cut(state: Montanara, sizes: list[int]) -> Montanara:
    left = tuple(pile[:size] for pile, size in zip(state.mountains, sizes, strict=True))
    gone = (card.kind for pile, size in zip(state.mountains, sizes, strict=True) for card in pile[size:])
    return replace(state, mountains=left, discard_pile=(*state.discard_pile, *gone))


def _nearly_found(state: Montanara, dice: Random) -> Montanara:
    """Lay two or three crystals before each seat, with dwarfs, and crystals near the tops."""
    displays = tuple(
        Display(dice.randrange(1, CRYSTALS_TO_WIN - crystals + 1), crystals)
        for crystals in (CRYSTALS_TO_WIN - 1, dice.randrange(2, CRYSTALS_TO_WIN))
    )
    cards = [
        *(Kind.DWARF for display in displays for _ in range(display.dwarfs)),
        *(Kind.CRYSTAL for display in displays for _ in range(display.crystals)),
    ]
    state = replace(_taken_out(state, cards), displays=displays)
    mountains = tuple(
        tuple(sorted(pile, key=lambda card: (card.kind is not Kind.CRYSTAL) + dice.random() * 2))
        for pile in state.mountains
    )
    return _cut(replace(state, mountains=mountains), [6] * SPACES)


def _theft_then_play(state: Montanara, dice: Random) -> Montanara:
    """Put thefts and other action cards into both hands."""
    given = [
        [Kind.THEFT, Kind.THEFT, Kind.DWARF, *dice.sample([Kind.TUNNEL, Kind.DRILLING, Kind.DWARF], 2)]
        for _ in state.hands
    ]
    state = _taken_out(state, [*given[0], *given[1]])
    hands = tuple(
        as_hand((*hand, *(Card(kind, (Seat(seat),)) for kind in cards)))
        for seat, (hand, cards) in enumerate(zip(state.hands, given, strict=True))
    )
    return replace(state, hands=hands)


def _taken_out(state: Montanara, cards: Collection[Kind]) -> Montanara:
    """Return the table without some cards of its mountains, or of its hands where those have too few."""
    mountains, hands = [list(pile) for pile in state.mountains], [list(hand) for hand in state.hands]
    for kind in cards:
        pile = next(pile for pile in (*mountains[::-1], *hands) if any(card.kind is kind for card in pile))
        pile.remove(next(card for card in pile if card.kind is kind))
    return replace(state, mountains=tuple(map(tuple, mountains)), hands=tuple(map(as_hand, hands)))


def _piles_run_out(state: Montmartre, dice: Random) -> Montmartre:
    """Lay very few cards on the piles, all others on the discard pile or into workshops."""
    sizes = dice.choice([(1, 1, 0), (0, 1, 2), (1, 1, 1), (2, 0, 1), (1, 3, 1), (2, 2, 0)])
    rest = [card for pile, size in zip(state.piles, sizes, strict=True) for card in pile[size:]]
    piles = tuple(pile[:size] for pile, size in zip(state.piles, sizes, strict=True))
    return _painted(replace(state, piles=piles), rest, dice)


def _nearly_over(state: Montmartre, dice: Random) -> Montmartre:
    """Give most collectors away, and francs; paint much."""
    painters, left = list(state.painters), list(state.collectors)
    for shelf in range(len(COLOURS)):
        for value in COLLECTORS[: dice.choice([2, 3, 4, 4])]:
            seat = dice.randrange(len(painters))
            won = put(painters[seat].collectors, shelf, (*painters[seat].collectors[shelf], value))
            painters[seat] = replace(painters[seat], collectors=won)
            left[shelf] = left[shelf][1:]
    painters = [replace(painter, francs=dice.randrange(8, FRANCS)) for painter in painters]
    rest = [card for pile in state.piles for card in pile[6:]]
    piles = tuple(pile[:6] for pile in state.piles)
    return _painted(replace(state, painters=tuple(painters), collectors=tuple(left), piles=piles), rest, dice)


def _painted(state: Montmartre, cards: list[Any], dice: Random) -> Montmartre:
    """Lay cards into workshops, at most six into each, and the others on the discard pile."""
    painters = []
    for painter in state.painters:
        mine, cards = cards[: (size := dice.randrange(7))], cards[size:]
        workshop = tuple(
            in_order_of_colours(card for card in mine if STYLES[card] is colour) for colour in COLOURS
        )
        painters.append(replace(painter, workshop=workshop))
    return replace(state, painters=tuple(painters), discard_pile=(*state.discard_pile, *cards))


def _draw_pile_runs_out(state: MountDrago, dice: Random) -> MountDrago:
    """Leave at most seven cards on the draw pile, and few in some hands."""
    size = dice.randrange(8)
    state = replace(
        state, draw_pile=state.draw_pile[:size], discard_pile=(*state.discard_pile, *state.draw_pile[size:])
    )
    return _last_cards(state, dice)


def _near_the_summit(state: MountDrago, dice: Random) -> MountDrago:
    """Let one or two dragons stand on the summit and others below it; few cards are in some hands."""
    summit = board(state).summit
    dragons = [dice.randrange(summit - 8, summit) for _ in state.dragons]
    for dragon in dice.sample(range(len(dragons)), dice.randrange(1, LAST_TO_ENTER)):
        dragons[dragon] = dice.randrange(summit, summit + SUMMIT_SPACES)
    points = dice.choice([tuple(dice.randrange(-3, 4) for _ in state.points), (2,) * len(state.points)])
    return _last_cards(replace(state, dragons=tuple(dragons), points=points), dice)


def _last_cards(state: MountDrago, dice: Random) -> MountDrago:
    """Discard cards of hands, so that some have only one or two left."""
    hands, gone = [], []
    for hand in state.hands:
        kept = dice.choice([1, 2, len(hand)])
        mine = dice.sample(range(len(hand)), kept)
        hands.append(tuple(card for place, card in enumerate(hand) if place in mine))
        gone += [card for place, card in enumerate(hand) if place not in mine]
    return replace(state, hands=tuple(hands), discard_pile=(*state.discard_pile, *gone))


def _last_hikes(state: Mountains, dice: Random) -> Mountains:
    """Leave one to three cards on each deck, so that the next empty one may end the game."""
    decks, discarded = list(state.decks), list(state.discard_piles)
    used = dice.choice([FIRST_HIGH_DECK, *range(len(decks))])
    for number, deck in enumerate(state.decks):
        size = 0 if number == used else dice.randrange(1, 3)
        decks[number], gone = deck[:size], deck[size:]
        discarded[number] = (*discarded[number], *gone)
    stamps = dice.choice([(7,) * len(state.stamps), tuple(dice.randrange(9) for _ in state.stamps)])
    return _stones(replace(state, decks=tuple(decks), discard_piles=tuple(discarded), stamps=stamps), dice)


def _at_the_huts(state: Mountains, dice: Random) -> Mountains:
    """Lay the huts on top of the decks, with at most two pieces of equipment to buy."""
    decks = tuple(
        tuple(sorted(deck, key=lambda id: HIKING_CARDS[id].kind is CardKind.HIKE)) for deck in state.decks
    )
    size = dice.randrange(3)
    hands = list(state.hands)
    for place, piece in enumerate(state.draw_pile[size:]):
        seat = place % len(hands)
        hands[seat] = in_order_of_equipment((*hands[seat], piece))
    return _stones(replace(state, decks=decks, hands=tuple(hands), draw_pile=state.draw_pile[:size]), dice)


def _stones(state: Mountains, dice: Random) -> Mountains:
    """Give everybody as many stones, few or very many, or each a few."""
    count = len(state.stones)
    return replace(
        state,
        stones=dice.choice([(0,) * count, (40,) * count, tuple(dice.randrange(4) for _ in range(count))]),
    )


PLACES: Mapping[str, tuple[Place, ...]] = {
    "montana": (
        Place("nearly won", _nearly_won),
        Place("nearly stuck", _nearly_stuck),
    ),
    "montanara": (
        Place("few cards left", _few_cards, (TakeCard, Dig)),
        Place("crystals nearly found", _nearly_found, (Dig, DigHome)),
        Place("theft then play", _theft_then_play, (PlayTheft, PlayDwarf, PlayTunnel)),
    ),
    "montmartre": (
        Place("piles run out", _piles_run_out),
        Place("nearly over", _nearly_over, (Sell, SellPair, SellOff)),
    ),
    "mount_drago": (
        Place("draw pile runs out", _draw_pile_runs_out),
        Place("near the summit", _near_the_summit, (DiscardSummitCards,)),
    ),
    "mountains": (
        Place("last hikes", _last_hikes, (CompleteHike, Ask)),
        Place("at the huts", _at_the_huts, (AcceptOffer,)),
    ),
}
"""The rare places of each game, laid by hand."""


def _out_of_a_hand(before: Montanara, event: Any, after: Montanara) -> list[Card]:
    """Return the cards that left the hand of the seat that acts, as its holder knew of them."""
    hand, left = before.hands[event.seat], list(after.hands[event.seat])
    gone = []
    for card in hand:
        if card in left:
            left.remove(card)
        else:
            gone.append(card)
    return gone


_FROM_HAND = (DwarfPlayed, CaveInPlayed, ShakingPlayed, TunnelPlayed, DrillingPlayed)

NEIGHBOURHOODS: Mapping[str, Mapping[str, Nearby]] = {
    "montana": {},
    "montanara": {
        "a given card is played": Nearby(
            _FROM_HAND,
            lambda before, event, after: any(card.given for card in _out_of_a_hand(before, event, after)),
        ),
        "a card is played that was not given": Nearby(
            _FROM_HAND,
            lambda before, event, after: (
                any(card.given for card in before.hands[event.seat])
                and not any(card.given for card in _out_of_a_hand(before, event, after))
            ),
        ),
        "a mountain has lost its last card": Nearby(
            (CardDug, CrystalDug, CaveInDug, OpenPitPlayed),
            lambda before, event, after: after.mountains.count(()) > before.mountains.count(()),
        ),
        "two cards are left": Nearby(
            (CardDug, DwarfPlayed, OpenPitPlayed),
            lambda before, event, after: sum(map(len, after.mountains)) == 2,
        ),
        "a crystal is missing": Nearby(
            (CrystalDug, CardDug),
            lambda before, event, after: after.displays[event.seat].crystals == CRYSTALS_TO_WIN - 1,
        ),
        "a dig at home": Nearby(
            (CardDug, CrystalDug, CaveInDug), lambda before, event, after: event.mountain is None
        ),
    },
    "montmartre": {
        "a pick empties a pile": Nearby((CardsPicked,), lambda before, event, after: event.top is None),
        "a pick goes on": Nearby(
            (CardsPicked,),
            lambda before, event, after: len(after.painters[event.seat].hand) < HAND,
        ),
        "new piles": Nearby((PilesRenewed,), lambda before, event, after: True),
        "the last round": Nearby((TurnEnded,), lambda before, event, after: event.ending is not None),
        "the end": Nearby((TurnEnded,), lambda before, event, after: event.next_seat is None),
        "a contract": Nearby((ContractsOffered,), lambda before, event, after: True),
    },
    "mount_drago": {
        "the draw pile has run out": Nearby(
            (CardsDrawn,), lambda before, event, after: not after.draw_pile and event.phase is DragoPhase.DRAW
        ),
        "the draw pile has run out just so": Nearby(
            (CardsDrawn,), lambda before, event, after: not after.draw_pile and event.phase is DragoPhase.PLAY
        ),
        "a card or two are left to draw": Nearby(
            (CardsDrawn,), lambda before, event, after: 0 < len(after.draw_pile) <= 2
        ),
        "a new draw pile": Nearby((DrawPileRenewed,), lambda before, event, after: True),
        "a last card is played": Nearby(
            (Scored,), lambda before, event, after: not before.hands[before.turn]
        ),
        "the end": Nearby((Scored,), lambda before, event, after: event.next_seat is None),
    },
    "mountains": {
        "the last equipment is bought": Nearby(
            (EquipmentBought,), lambda before, event, after: not after.draw_pile
        ),
        "an offer that nobody can take": Nearby(
            (OfferPassedOver,), lambda before, event, after: not after.offered
        ),
        "a deck is used up": Nearby(
            (CardTurnedOver,), lambda before, event, after: after.decks.count(()) > before.decks.count(())
        ),
        "a hike on the last stones": Nearby(
            (EquipmentAsked,), lambda before, event, after: not after.stones[event.seat]
        ),
        "many stones": Nearby((HikeCompleted,), lambda before, event, after: min(after.stones) > 30),
        "a tie on stamps at the end": Nearby(
            (HikerTurnEnded,),
            lambda before, event, after: (
                event.next_seat is None and after.stamps.count(max(after.stamps)) > 1
            ),
        ),
    },
}
"""What happens near the rare places of each game, beside what its rulings are about."""


def nearby(game: str, before: Any, event: Any, after: Any) -> Iterator[str]:
    """Yield near which rare places of a game an event happens."""
    for name, how in NEIGHBOURHOODS.get(game, {}).items():
        if type(event) in how.events and how.happens(before, event, after):
            yield name


def from_rare_places(table: Table, matches: Collection[int]) -> Iterator[tuple[Place, int, Iterator[Step]]]:
    """Yield random matches that go on from each rare place of a game, with the place and their numbers."""
    for place in PLACES.get(table.game.id, ()):
        for number in matches:
            yield place, number, from_place(table, place, number)


def from_place(table: Table, place: Place, number: int) -> Iterator[Step]:
    """Yield the steps of a random match that goes on from a rare place; the first has no events."""
    game, dice = table.game, Random(f"{place.name} {table}/{number}")
    luck = luck_of(table, number)
    _, match = playing(game, random_options(table, dice), table.seats, luck(0))
    laid = (place.lay(match.state, dice) for _ in range(TRIES))
    match = replace(match, state=next(state for state in laid if game.outcome(state) is None))
    return islice(
        chain([Step(None, None, (), match)], played_on(table, match, number, dice, luck, liked=place.liked)),
        COMMANDS + 1,
    )


def rarely(table: Table, matches: Collection[int]) -> Iterator[AnyMatch]:
    """Yield matches in play that come through rare places."""
    for _, _, steps in from_rare_places(table, matches):
        for step in steps:
            if step.match.outcome is None:
                yield step.match
