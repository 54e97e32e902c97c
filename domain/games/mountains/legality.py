"""What is legal in Mountains (mountains §4 to §6)."""

from collections.abc import Sequence
from itertools import chain
from typing import assert_never

from domain.games.mountains.catalogue import (
    DECK_NUMBERS,
    DECKS,
    EQUIPMENT,
    HAND_SIZES,
    NEEDS,
    CardKind,
    Equipment,
)
from domain.games.mountains.commands import (
    AbandonHike,
    AcceptOffer,
    Ask,
    ChooseHike,
    Command,
    CompleteHike,
    DeclineHike,
    DeclineOffer,
    Rest,
)
from domain.games.mountains.rejections import Reason
from domain.games.mountains.state import Phase, State, face_up
from domain.shared.seats import Seat, next_seat

CHOICES = tuple(ChooseHike(deck) for deck in DECKS)
"""The choice of each deck, in the order of the decks."""

QUESTIONS = tuple(
    {equipment: Ask(neighbour, equipment) for equipment in EQUIPMENT} for neighbour in range(max(HAND_SIZES))
)
"""Every question, by neighbour and equipment."""


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seat that must choose: the one on turn, or that a hut is offered to (§4, §5.1)."""
    match state.phase:
        case Phase.CHOOSING | Phase.HIKING:
            return (state.turn,)
        case Phase.OFFERING:
            return state.offered[:1]
        case Phase.DONE | Phase.OVER:
            return ()
        case _:
            assert_never(state.phase)


def turn_after(state: State) -> Seat:
    """Return the seat whose turn follows: after a hut the same one (§5.4, R8, common §1)."""
    return state.turn if state.phase is Phase.OFFERING else next_seat(state.turn, len(state.hands))


def why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    """Return why a command is refused, or None if it is legal."""
    match command:
        case ChooseHike():
            return _why_not_choose(state, command)
        case Rest():
            return _why_not_rest(state)
        case AcceptOffer() | DeclineOffer():
            return None if state.phase is Phase.OFFERING else Reason.NO_OFFER
        case Ask() | CompleteHike() | DeclineHike() | AbandonHike() if state.phase is not Phase.HIKING:
            return Reason.NO_HIKE
        case Ask():
            return _why_not_ask(state, command)
        case CompleteHike():
            return Reason.EQUIPMENT_MISSING if missing(state) else None
        case DeclineHike():
            return Reason.ALREADY_ASKED if state.asked else None
        case AbandonHike():
            return None if state.asked else Reason.NOTHING_ASKED
        case _:
            assert_never(command)


def legal_moves(state: State, seat: Seat) -> list[Command]:
    """Return a seat's legal moves in the order of the rules; none unless it is to act (common §9)."""
    if seat not in to_act(state):
        return []
    if state.phase is Phase.OFFERING:
        return [AcceptOffer(), DeclineOffer()]
    moves: list[Command]
    if state.phase is Phase.CHOOSING:
        moves = [choice for choice, deck in zip(CHOICES, state.decks, strict=True) if deck]
        return moves if state.stones[seat] else [*moves, Rest()]
    lacking = missing(state)
    moves = _questions(state, lacking) if lacking else [CompleteHike()]
    return [*moves, AbandonHike() if state.asked else DeclineHike()]


def missing(state: State) -> list[Equipment]:
    """Return what the seat on turn misses for its hike, in the order of §1, each type once (R3).

    A type is missing while the own hand and the display together have fewer copies than the hike needs.
    """
    there = (*state.hands[state.turn], *chain.from_iterable(state.displayed))
    return [equipment for equipment, copies in NEEDS[face_up(state).id] if there.count(equipment) < copies]


def can_take_offer(state: State, seat: Seat) -> bool:
    """Return whether a seat can pay what a hut asks for, and there is something to buy (§5.1, §5.2)."""
    hut = face_up(state)
    return state.stones[seat] >= hut.price and (hut.kind is CardKind.HUT_STAMP or bool(state.draw_pile))


def _questions(state: State, lacking: Sequence[Equipment]) -> list[Command]:
    """Return what the seat on turn may ask: each other seat for each missing type (§4.3, R6)."""
    if not state.stones[state.turn]:
        return []
    return [
        QUESTIONS[neighbour][equipment]
        for neighbour in range(len(state.hands))
        if neighbour != state.turn
        for equipment in lacking
    ]


def _why_not_choose(state: State, command: ChooseHike) -> Reason | None:
    """Return why a deck may not be chosen, or None (§4.1, R9)."""
    if state.phase is not Phase.CHOOSING:
        return Reason.HIKE_ALREADY_CHOSEN
    return None if state.decks[DECK_NUMBERS[command.deck]] else Reason.DECK_EMPTY


def _why_not_ask(state: State, command: Ask) -> Reason | None:
    """Return why a question may not be asked, or None (§4.3, R3)."""
    if command.neighbour == state.turn or command.neighbour >= len(state.hands):
        return Reason.NOT_A_NEIGHBOUR
    if command.equipment not in missing(state):
        return Reason.NOT_MISSING
    return None if state.stones[state.turn] else Reason.NO_STONES


def _why_not_rest(state: State) -> Reason | None:
    """Return why a rest day may not be taken, or None (§6.2)."""
    if state.phase is not Phase.CHOOSING:
        return Reason.TOO_LATE_TO_REST
    return Reason.HAS_STONES if state.stones[state.turn] else None
