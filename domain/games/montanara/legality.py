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
from domain.games.montanara.state import Phase, State, in_tunnel, opponent
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

PLAYED: Mapping[type[Command], Kind] = {
    PlayCaveIn: Kind.CAVE_IN,
    PlayTheft: Kind.THEFT,
    PlayShaking: Kind.SHAKING,
    PlayTunnel: Kind.TUNNEL,
    PlayDrilling: Kind.DRILLING,
    PlayOpenPit: Kind.OPEN_PIT,
}
"""The action card that a command plays out of the hand (§4.10)."""

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


def turn_after(state: State) -> Seat:
    """Return the seat whose turn follows: the other one (§4.0)."""
    return opponent(state.turn)


def why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    """Return why a command is refused, or None if it is legal."""
    if PHASES.get(type(command), Phase.TURN) is not state.phase:
        return Reason.WRONG_PHASE
    if (kind := PLAYED.get(type(command))) and not holds(state, seat, kind):
        return Reason.CARD_NOT_IN_HAND
    match command:
        case TakeCard() | PlayTunnel() | PlayDrilling() | PlayOpenPit():
            return _why_not_there(state, command.mountain)
        case PlayDwarf():
            return _why_not_dwarf(state, seat)
        case PlayCaveIn() | DeclineLook():
            return None
        case LookAtMountain():
            return _why_not_look(state, command)
        case PlayTheft():
            return None if len(state.hands[seat]) > 1 else Reason.NO_OTHER_CARD_IN_HAND
        case PlayShaking():
            return _why_not_shaking(state, command)
        case ArrangeTunnel():
            return _why_not_arrange(state, command)
        case PlaceDrilled():
            return None if state.lifted else Reason.NO_CARD_LIFTED
        case Drill():
            return _why_not_drill(state, command)
        case StopDrilling():
            return Reason.CARD_LIFTED if state.lifted else None
        case Dig() | DigHome():
            return _why_not_dig(state, seat, command)
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
    """Return why nothing can be done at a mountain, or None (§4.1)."""
    return None if state.mountains[mountain] else Reason.MOUNTAIN_EMPTY


def _why_not_dwarf(state: State, seat: Seat) -> Reason | None:
    """Return why a dwarf may not be played, or None (§4.2)."""
    if not holds(state, seat, Kind.DWARF):
        return Reason.NO_DWARF_IN_HAND
    return None if has_room(state, seat) else Reason.DISPLAY_FULL


def _why_not_look(state: State, look: LookAtMountain) -> Reason | None:
    """Return why a mountain may not be looked at, or None (§4.3, R6)."""
    if look.mountain in state.visited:
        return Reason.ALREADY_LOOKED_AT
    return _why_not_there(state, look.mountain)


def _why_not_shaking(state: State, shaking: PlayShaking) -> Reason | None:
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


def _why_not_arrange(state: State, arrange: ArrangeTunnel) -> Reason | None:
    """Return why the cards of a tunnel cannot go back so, or None (§4.6)."""
    fitting = Counter(arrange.order) == Counter(in_tunnel(state, state.visited[-1]))
    return None if fitting else Reason.NOT_THE_CARDS_SEEN


def _why_not_drill(state: State, drill: Drill) -> Reason | None:
    """Return why another mountain may not be drilled, or None (§4.7)."""
    if state.lifted:
        return Reason.CARD_LIFTED
    if drill.mountain in state.visited:
        return Reason.ALREADY_DRILLED
    return _why_not_there(state, drill.mountain)


def _why_not_dig(state: State, seat: Seat, dig: Dig | DigHome) -> Reason | None:
    """Return why a seat may not dig, or None (§4.9, R15)."""
    if not state.displays[seat].dwarfs:
        return Reason.NO_DWARF_IN_DISPLAY
    if isinstance(dig, Dig):
        return _why_not_there(state, dig.mountain)
    return None if state.hands[seat] else Reason.HAND_EMPTY
