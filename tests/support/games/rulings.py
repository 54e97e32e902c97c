"""How each ruling of each game is met: by steps of play that show it, or by a test where no step can.

A step is a state, an event and the state after it. A ruling counts in the steps in which a table without it
would do something else, or in those that it is about.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain, pairwise
from typing import Any, NamedTuple

from domain.games import GAMES
from domain.games.montana import events as laid_out
from domain.games.montana.catalogue import COMPLETE, ROWS
from domain.games.montana.legality import stuck
from domain.games.montana.outcome import finished_part
from domain.games.montanara import events as dug
from domain.games.montanara.catalogue import TUNNEL_LENGTH, Kind
from domain.games.montanara.legality import standing, unvisited
from domain.games.montmartre import events as painted
from domain.games.montmartre.catalogue import (
    COINS,
    EMPTY_COLLECTORS,
    EMPTY_PILES,
    FRANCS,
    HAND,
    SHELVES,
    WORKSHOP_LIMIT,
)
from domain.games.montmartre.legality import total
from domain.games.montmartre.state import State, paintings
from domain.games.mount_drago import events as flown
from domain.games.mount_drago.catalogue import DRAGONS, Scoring
from domain.games.mount_drago.legality import offered
from domain.games.mount_drago.state import Phase, board
from domain.games.mountains import events as hiked
from domain.games.mountains.catalogue import NEEDS
from domain.games.mountains.legality import missing
from domain.games.mountains.outcome import outcome
from domain.shared.game import AnyGame

type Step = Callable[[Any, Any, Any], bool]
"""Whether a ruling shows in a step: the state before, the event, the state after."""


class Played(NamedTuple):
    """A ruling that shows in play.

    Attributes:
        events: In which events it may show.
        shows: Whether it does.
    """

    events: tuple[type[Any], ...]
    shows: Step


class Proved(NamedTuple):
    """A ruling that no single step shows.

    Attributes:
        by: The test that holds it, `file::function`.
    """

    by: str


type Met = Played | Proved


def always(before: Any, event: Any, after: Any) -> bool:
    """Return True, for a ruling that shows in every event of a type."""
    return True


def _completed(before: Any, event: Any, after: Any) -> bool:
    """Return whether a row has become complete (montana R7)."""
    return finished_part(after, event.row) == COMPLETE > finished_part(before, event.row)


def _redealt_behind(before: Any, event: Any, after: Any) -> bool:
    """Return whether a finished part stayed, so that a gap stands after it (montana R2)."""
    return any(finished_part(before, row) for row in range(ROWS))


MONTANA: Mapping[str, Met] = {
    "R1": Played((laid_out.Redealt,), always),
    "R2": Played((laid_out.Redealt,), _redealt_behind),
    "R3": Played((laid_out.CardMoved,), lambda before, event, after: event.from_column == event.column == 0),
    "R5": Played((laid_out.CardMoved, laid_out.Redealt), lambda before, event, after: stuck(after)),
    "R6": Played((laid_out.Dealt, laid_out.Redealt), lambda before, event, after: after.deal is not None),
    "R7": Played((laid_out.CardMoved,), _completed),
}


def _separated(before: Any, event: Any, after: Any) -> bool:
    """Return whether two mountains with an empty space between them were no neighbours (montanara R1)."""
    there = standing(before)
    return any(second - first > 1 for first, second in pairwise(there))


def _forgotten(before: Any, event: Any, after: Any) -> bool:
    """Return whether somebody knew cards of mountains that are shuffled (montanara R14)."""
    return any(card.known_to for space in (event.first, event.second) for card in before.mountains[space])


MONTANARA: Mapping[str, Met] = {
    "R1": Played((dug.ShakingPlayed,), _separated),
    "R2": Played((dug.CardDug,), lambda before, event, after: event.left > 0),
    "R3": Played(
        (dug.DigBegun,), lambda before, event, after: event.cards < before.displays[event.seat].dwarfs
    ),
    "R4": Played((dug.CardDug,), lambda before, event, after: event.card is Kind.DWARF),
    "R5": Played((dug.CaveInPlayed,), lambda before, event, after: not any(event.dwarfs)),
    "R6": Played(
        (dug.MountainLookedAt,),
        lambda before, event, after: before.played is Kind.CAVE_IN and len(before.lookers) == 1,
    ),
    "R7": Played((dug.LookDeclined,), always),
    "R8": Played(
        (dug.ShakingPlayed,),
        lambda before, event, after: not (before.mountains[event.first] and before.mountains[event.second]),
    ),
    "R9": Played((dug.TunnelArranged,), lambda before, event, after: event.chosen),
    "R10": Played((dug.DrillingEnded,), lambda before, event, after: bool(unvisited(before))),
    "R11": Proved("tests/property/test_montanara.py::test_a_game_is_bounded"),
    "R12": Played(
        (dug.CardTaken, dug.OpenPitPlayed), lambda before, event, after: not after.mountains[event.mountain]
    ),
    "R13": Proved(
        "tests/property/test_montanara.py::test_listed_moves_are_sorted_unique_and_all_there_are",
    ),
    "R14": Played((dug.ShakingPlayed,), _forgotten),
    "R15": Played(
        (dug.DigBegun, dug.TunnelPlayed),
        lambda before, event, after: (
            event.mountain is None
            or (isinstance(event, dug.TunnelPlayed) and len(event.cards) < TUNNEL_LENGTH)
        ),
    ),
}


def _other_colours(before: Any, event: Any, after: Any) -> bool:
    """Return whether a sell-off left paintings of another colour where they are (montmartre R1)."""
    workshop = before.painters[event.seat].workshop
    return any(shelf for number, shelf in enumerate(workshop) if number != SHELVES[event.colour])


def _picks_on(before: Any, event: Any, after: Any) -> bool:
    """Return whether two piles are empty and yet the pick goes on (montmartre R3)."""
    return after.piles.count(()) >= EMPTY_PILES and len(after.painters[event.seat].hand) < HAND


def _equals(before: Any, event: Any, after: Any) -> bool:
    """Return whether the painting sold was one of several highest (montmartre R5)."""
    return bool(before.painters[event.seat].workshop[SHELVES[event.colour]].count(event.painting) > 1)


def _again(before: Any, event: Any, after: Any) -> bool:
    """Return whether something in the last round would bring the end (montmartre R10)."""
    return before.ending is not None and _endings(after) > _endings(before)


def _endings(state: State) -> int:
    """Return how many seats and collectors would bring the end."""
    gone = state.collectors.count(()) >= EMPTY_COLLECTORS
    return gone + sum(painter.francs >= FRANCS for painter in state.painters)


def _above_each_alone(before: Any, event: Any, after: Any) -> bool:
    """Return whether a total decided that beats each other one, and not all together (montmartre R13)."""
    shelves = [painter.workshop[SHELVES[event.colour]] for painter in before.painters]
    own = shelves.pop(event.seat)
    return len(own) <= max(map(len, shelves)) and total(own) <= total(chain.from_iterable(shelves))


MONTMARTRE: Mapping[str, Met] = {
    "R1": Played((painted.SoldOff,), _other_colours),
    "R2": Played(
        (painted.SoldOff,),
        lambda before, event, after: len(paintings(after.painters[event.seat])) < WORKSHOP_LIMIT,
    ),
    "R3": Played((painted.CardsPicked,), _picks_on),
    "R4": Proved(
        "tests/property/test_montmartre.py::test_a_turn_always_begins_with_full_hands_and_two_piles"
    ),
    "R5": Played((painted.PaintingSold,), _equals),
    "R6": Proved("tests/property/test_montmartre.py::test_who_follows_its_events_arrives_at_its_view"),
    "R7": Proved("tests/property/test_montmartre.py::test_a_turn_picks_at_most_two_cards"),
    "R8": Played((painted.VollardMoved,), lambda before, event, after: before.vollard is not None),
    "R9": Played((painted.ContractsOffered,), lambda before, event, after: len(before.painters) == 2),
    "R10": Played((painted.SoldOff, painted.PaintingSold), _again),
    "R11": Played(
        (painted.SoldOff,),
        lambda before, event, after: sum(painter.francs for painter in after.painters) > COINS,
    ),
    "R12": Played(
        (painted.Dealt, painted.PilesRenewed),
        lambda before, event, after: len(event.piles[0]) > len(event.piles[-1]),
    ),
    "R13": Played((painted.PaintingSold,), _above_each_alone),
}


def _from_the_last_space(before: Any, event: Any, after: Any) -> bool:
    """Return whether a dragon was moved that stands on the last space (mount_drago R7)."""
    return bool(before.dragons[DRAGONS[event.card]] == len(board(before).values) - 1)


MOUNT_DRAGO: Mapping[str, Met] = {
    "R1": Played((flown.Dealt,), always),
    "R2": Played((flown.CardPlayed,), lambda before, event, after: not offered(before)),
    "R3": Played((flown.Scored,), lambda before, event, after: min(after.points) < 0),
    "R4": Played(
        (flown.Scored,),
        lambda before, event, after: event.scoring is Scoring.SMALL and min(event.points) < 0,
    ),
    "R5": Played((flown.SummitCardsDiscarded,), always),
    "R6": Played((flown.DrawPileRenewed,), always),
    "R7": Played((flown.CardPlayed,), _from_the_last_space),
    "R8": Played((flown.Scored,), lambda before, event, after: event.phase is Phase.DRAW),
    "R9": Played((flown.Scored,), lambda before, event, after: event.scoring is Scoring.SUMMIT),
}


def _second_copy(before: Any, event: Any, after: Any) -> bool:
    """Return whether the other copy of the piece is on display already (mountains R2)."""
    return event.equipment in chain.from_iterable(before.displayed)


def _less_than_needed(before: Any, event: Any, after: Any) -> bool:
    """Return whether the hike needs more than the seat may ask for (mountains R3)."""
    return len(missing(before)) < len(NEEDS[before.card.id])


def _cannot_go_on(before: Any, event: Any, after: Any) -> bool:
    """Return whether nothing else was left to do (mountains R6)."""
    return not before.stones[event.seat] and bool(missing(before))


def _shared(before: Any, event: Any, after: Any) -> bool:
    """Return whether seats share a win (mountains R12)."""
    ended = outcome(after)
    return ended is not None and len(ended.winners) > 1


MOUNTAINS: Mapping[str, Met] = {
    "R1": Played((hiked.CardTurnedOver,), lambda before, event, after: event.card.deck == "4s"),
    "R2": Played((hiked.EquipmentAsked,), _second_copy),
    "R3": Played((hiked.EquipmentAsked,), _less_than_needed),
    "R4": Played((hiked.HikeCompleted,), lambda before, event, after: bool(event.equipment)),
    "R5": Played((hiked.HikeDeclined,), always),
    "R6": Played((hiked.HikeDeclined, hiked.HikeAbandoned), _cannot_go_on),
    "R7": Played(
        (hiked.EquipmentBought, hiked.StampsBought), lambda before, event, after: event.seat != before.turn
    ),
    "R8": Played((hiked.TurnEnded,), lambda before, event, after: event.next_seat == event.seat),
    "R9": Played((hiked.CardTurnedOver,), lambda before, event, after: () in before.decks),
    "R10": Proved("tests/property/test_mountains.py::test_the_game_goes_on_until_two_high_decks_are_empty"),
    "R11": Proved("tests/unit/games/mountains/test_hike.py::test_a_neighbour_that_has_the_piece_displays_it"),
    "R12": Played((hiked.TurnEnded,), _shared),
    "R13": Proved("tests/property/test_mountains.py::test_stones_and_stamps_are_those_of_the_events"),
    "R14": Played(
        (hiked.HikeDeclined, hiked.HikeAbandoned), lambda before, event, after: not missing(before)
    ),
    "R15": Proved("tests/unit/games/mountains/test_view.py::test_no_colour_is_anywhere"),
}

RULINGS: Mapping[str, Mapping[str, Met]] = {
    "montana": MONTANA,
    "montanara": MONTANARA,
    "montmartre": MONTMARTRE,
    "mount_drago": MOUNT_DRAGO,
    "mountains": MOUNTAINS,
}
"""How each ruling of a game is met."""


def shown(game: AnyGame, state: Any, events: Iterable[object]) -> Iterator[str]:
    """Yield the rulings that show in what happens from a state on, each as often as it does."""
    by_event = _by_event(game.id)
    for event in events:
        if type(event) in by_event:
            after = game.evolve(state, event)
            yield from shown_by(game.id, state, event, after)
            state = after


def shown_by(game: str, before: Any, event: Any, after: Any) -> Iterator[str]:
    """Yield the rulings that an event of a game shows; none of a game that is not registered."""
    for ruling, shows in _by_event(game).get(type(event), ()):
        if shows(before, event, after):
            yield ruling


@cache
def _by_event(game: str) -> Mapping[type[Any], tuple[tuple[str, Step], ...]]:
    """Return the rulings that may show in each type of event of a game."""
    met = [(ruling, how) for ruling, how in RULINGS.get(game, {}).items() if isinstance(how, Played)]
    kinds = {kind for _, how in met for kind in how.events}
    if game in GAMES:
        kinds.update(GAMES[game].events)
    return {kind: tuple((ruling, how.shows) for ruling, how in met if kind in how.events) for kind in kinds}
