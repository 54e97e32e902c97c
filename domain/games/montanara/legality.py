"""What is legal in Montanara (montanara §4)."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import permutations
from typing import assert_never

from domain.games.montanara.catalogue import DISPLAY_LIMIT, NEIGHBOURS, PLACES, SPACES, Kind, in_order
from domain.games.montanara.commands import (
    ArrangeTunnel,
    Command,
    DeclineLook,
    Dig,
    DigHome,
    Drill,
    LookAtMountain,
    Place,
    PlaceDrilled,
    PlayCaveIn,
    PlayDrilling,
    PlayDwarf,
    PlayOpenPit,
    PlayShaking,
    PlayTheft,
    PlayTunnel,
    StopDrilling,
    TakeCard,
)
from domain.games.montanara.rejections import Reason
from domain.games.montanara.state import Phase, State, in_tunnel
from domain.shared.seats import Seat

PHASES: Mapping[type[Command], Phase] = {
    LookAtMountain: Phase.LOOK,
    DeclineLook: Phase.LOOK,
    ArrangeTunnel: Phase.TUNNEL,
    PlaceDrilled: Phase.DRILLING,
    Drill: Phase.DRILLING,
    StopDrilling: Phase.DRILLING,
}
"""The phase of each command that does not begin a turn (§4.0)."""

TAKE_CARD = tuple(TakeCard(mountain) for mountain in range(SPACES))
LOOK = tuple(LookAtMountain(mountain) for mountain in range(SPACES))
PLAY_TUNNEL = tuple(PlayTunnel(mountain) for mountain in range(SPACES))
PLAY_DRILLING = tuple(PlayDrilling(mountain) for mountain in range(SPACES))
DRILL = tuple(Drill(mountain) for mountain in range(SPACES))
PLAY_OPEN_PIT = tuple(PlayOpenPit(mountain) for mountain in range(SPACES))
DIG = tuple(Dig(mountain) for mountain in range(SPACES))
PLACE_DRILLED = tuple(PlaceDrilled(on) for on in Place)


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seat that must choose: the next that may look, or else the one on turn (§4.0)."""
    return state.lookers[:1] or (state.turn,)


def why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    """Return why a command is refused, or None if it is legal."""
    if PHASES.get(type(command), Phase.TURN) is not state.phase:
        return Reason.WRONG_PHASE
    match command:
        case TakeCard(mountain=mountain):
            return _why_not_there(state, mountain)
        case PlayDwarf():
            if not holds(state, seat, Kind.DWARF):
                return Reason.NO_DWARF_IN_HAND
            return None if has_room(state, seat) else Reason.DISPLAY_FULL
        case PlayCaveIn():
            return _why_not_played(state, seat, Kind.CAVE_IN)
        case LookAtMountain(mountain=mountain):
            return Reason.ALREADY_LOOKED_AT if mountain in state.visited else _why_not_there(state, mountain)
        case DeclineLook():
            return None
        case PlayTheft():
            if reason := _why_not_played(state, seat, Kind.THEFT):
                return reason
            return None if len(state.hands[seat]) > 1 else Reason.NO_OTHER_CARD_IN_HAND
        case PlayShaking():
            return _why_not_played(state, seat, Kind.SHAKING) or _why_not_shaken(state, command)
        case PlayTunnel(mountain=mountain):
            return _why_not_played(state, seat, Kind.TUNNEL) or _why_not_there(state, mountain)
        case ArrangeTunnel(order=order):
            fitting = Counter(order) == Counter(in_tunnel(state, state.visited[-1]))
            return None if fitting else Reason.NOT_THE_CARDS_SEEN
        case PlayDrilling(mountain=mountain):
            return _why_not_played(state, seat, Kind.DRILLING) or _why_not_there(state, mountain)
        case PlaceDrilled():
            return None if state.lifted else Reason.NO_CARD_LIFTED
        case Drill(mountain=mountain):
            if state.lifted:
                return Reason.CARD_LIFTED
            return Reason.ALREADY_DRILLED if mountain in state.visited else _why_not_there(state, mountain)
        case StopDrilling():
            return Reason.CARD_LIFTED if state.lifted else None
        case PlayOpenPit(mountain=mountain):
            return _why_not_played(state, seat, Kind.OPEN_PIT) or _why_not_there(state, mountain)
        case Dig(mountain=mountain):
            return _why_no_dig(state, seat) or _why_not_there(state, mountain)
        case DigHome():
            return _why_no_dig(state, seat) or (None if state.hands[seat] else Reason.HAND_EMPTY)
        case _:
            assert_never(command)


def legal_moves(state: State, seat: Seat) -> list[Command]:
    """Return a seat's legal moves in the order of the rules; none unless it is to act (common §9)."""
    if seat not in to_act(state):
        return []
    if state.phase is Phase.LOOK:
        return [*(LOOK[mountain] for mountain in unvisited(state)), DeclineLook()]
    if state.phase is Phase.TUNNEL:
        return [*_arrangements(in_order(in_tunnel(state, state.visited[-1])))]
    if state.phase is Phase.DRILLING:
        if state.lifted:
            return [*PLACE_DRILLED]
        return [*(DRILL[mountain] for mountain in unvisited(state)), StopDrilling()]
    return _turns(state, seat)


def standing(state: State) -> list[int]:
    """Return the mountains that have cards, by space."""
    return [mountain for mountain, cards in enumerate(state.mountains) if cards]


def unvisited(state: State) -> list[int]:
    """Return the mountains that have cards and were not looked at or drilled in this turn (§4.3, §4.7)."""
    return [mountain for mountain in standing(state) if mountain not in state.visited]


def holds(state: State, seat: Seat, kind: Kind) -> bool:
    """Return whether a seat has a card of a kind in hand."""
    return any(card.kind is kind for card in state.hands[seat])


def has_room(state: State, seat: Seat) -> bool:
    """Return whether a dwarf may come into a seat's display: dwarfs and crystals count (§4.2)."""
    display = state.displays[seat]
    return display.dwarfs + display.crystals < DISPLAY_LIMIT


def shakable(state: State, first: int, second: int) -> bool:
    """Return whether two spaces can be shaken: both have cards, or one has two or more (§4.5, R8)."""
    return len(state.mountains[first]) + len(state.mountains[second]) > 1


def odd(state: State, first: int, second: int) -> bool:
    """Return whether shaking two spaces leaves an extra card (§4.5)."""
    return (len(state.mountains[first]) + len(state.mountains[second])) % 2 == 1


def _turns(state: State, seat: Seat) -> list[Command]:
    """Return the moves that begin a turn, in the order of the rules."""
    there = standing(state)
    held = {card.kind for card in state.hands[seat]}
    moves: list[Command] = [TAKE_CARD[mountain] for mountain in there]
    if Kind.DWARF in held and has_room(state, seat):
        moves.append(PlayDwarf())
    if Kind.CAVE_IN in held:
        moves.append(PlayCaveIn())
    if Kind.THEFT in held and len(state.hands[seat]) > 1:
        moves.append(PlayTheft())
    if Kind.SHAKING in held:
        for first, second in NEIGHBOURS:
            if shakable(state, first, second):
                extras = (first, second) if odd(state, first, second) else (first,)
                moves += [PlayShaking(first, second, extra) for extra in extras]
    if Kind.TUNNEL in held:
        moves += [PLAY_TUNNEL[mountain] for mountain in there]
    if Kind.DRILLING in held:
        moves += [PLAY_DRILLING[mountain] for mountain in there]
    if Kind.OPEN_PIT in held:
        moves += [PLAY_OPEN_PIT[mountain] for mountain in there]
    if state.displays[seat].dwarfs:
        moves += [DIG[mountain] for mountain in there]
        if held:
            moves.append(DigHome())
    return moves


@cache
def _arrangements(cards: tuple[Kind, ...]) -> tuple[ArrangeTunnel, ...]:
    """Return all different orders of some cards; the cards come by kind."""
    orders = sorted(set(permutations(cards)), key=lambda order: [PLACES[kind] for kind in order])
    return tuple(ArrangeTunnel(order) for order in orders)


def _why_not_there(state: State, mountain: int) -> Reason | None:
    return None if state.mountains[mountain] else Reason.MOUNTAIN_EMPTY


def _why_not_played(state: State, seat: Seat, kind: Kind) -> Reason | None:
    return None if holds(state, seat, kind) else Reason.CARD_NOT_IN_HAND


def _why_not_shaken(state: State, shaking: PlayShaking) -> Reason | None:
    """Return why two spaces cannot be shaken so, or None (§4.5, R1)."""
    first, second = sorted((shaking.first, shaking.second))
    if (first, second) not in NEIGHBOURS:
        return Reason.NOT_NEIGHBOURS
    if not shakable(state, first, second):
        return Reason.TOO_FEW_CARDS_TO_SHAKE
    if shaking.extra not in (None, first, second):
        return Reason.EXTRA_ELSEWHERE
    if shaking.extra == second and not odd(state, first, second):
        return Reason.NO_EXTRA_CARD
    return None


def _why_no_dig(state: State, seat: Seat) -> Reason | None:
    return None if state.displays[seat].dwarfs else Reason.NO_DWARF_IN_DISPLAY
