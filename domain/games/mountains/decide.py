"""What a command brings about in Mountains, and what is then forced (mountains §4 to §6)."""

from itertools import chain
from typing import assert_never

from domain.games.mountains.catalogue import (
    CARDS,
    DECK_NUMBERS,
    STONES_FOR_DECLINING,
    STONES_FOR_RESTING,
    CardKind,
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
from domain.games.mountains.events import (
    CardTurnedOver,
    EquipmentAsked,
    EquipmentBought,
    Event,
    HikeAbandoned,
    HikeCompleted,
    HikeDeclined,
    OfferDeclined,
    OfferPassedOver,
    Rested,
    StampsBought,
    TurnEnded,
)
from domain.games.mountains.legality import can_take_offer, turn_after, why_not
from domain.games.mountains.outcome import decks_used_up
from domain.games.mountains.state import Phase, State, face_up
from domain.shared.chance import Chance
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.tuples import without


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...]:
    """Return what a command brings about.

    Raises:
        Rejected: The rules refuse it.
    """
    if reason := why_not(state, seat, command):
        raise Rejected(reason, seat=seat)
    match command:
        case ChooseHike():
            top = state.decks[DECK_NUMBERS[command.deck]][0]
            return (CardTurnedOver(seat, CARDS[top]),)
        case Ask():
            return (_question(state, seat, command),)
        case CompleteHike():
            return (_completion(state, seat),)
        case DeclineHike():
            return (HikeDeclined(seat, STONES_FOR_DECLINING),)
        case AbandonHike():
            return (HikeAbandoned(seat),)
        case AcceptOffer():
            return (_purchase(state, seat),)
        case DeclineOffer():
            return (OfferDeclined(seat),)
        case Rest():
            return (Rested(seat, STONES_FOR_RESTING),)
        case _:
            assert_never(command)


def consequence(state: State, chance: Chance) -> Event | None:
    """Return what happens next with no one choosing, or None: an offer passed over, the end of a turn.

    What is looked at is public, so it tells nothing (§5.1, common §3).
    """
    match state.phase:
        case Phase.OFFERING if state.offered:
            seat = state.offered[0]
            return None if can_take_offer(state, seat) else OfferPassedOver(seat)
        case Phase.OFFERING | Phase.DONE:
            return TurnEnded(state.turn, None if decks_used_up(state) else turn_after(state))
        case _:
            return None


def _question(state: State, seat: Seat, question: Ask) -> EquipmentAsked:
    """Return a question with its true answer, given by the rules (§4.3)."""
    neighbour = Seat(question.neighbour)
    return EquipmentAsked(
        seat, neighbour, question.equipment, displayed=question.equipment in state.hands[neighbour]
    )


def _completion(state: State, seat: Seat) -> HikeCompleted:
    """Return the success of a hike; the own pieces laid out are those that nobody lent (§4.4)."""
    hike = face_up(state)
    own = without(hike.equipment, chain.from_iterable(state.displayed))
    return HikeCompleted(seat, own, hike.stones, hike.stamps)


def _purchase(state: State, seat: Seat) -> EquipmentBought | StampsBought:
    """Return what a seat buys at a hut (§5.2, §5.3)."""
    hut = face_up(state)
    if hut.kind is CardKind.HUT_STAMP:
        return StampsBought(seat, hut.price, hut.stamps)
    return EquipmentBought(seat, hut.price, state.draw_pile[0])
