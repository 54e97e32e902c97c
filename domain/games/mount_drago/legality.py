"""What is legal in Mount Drago (mount_drago §4)."""

from typing import assert_never

from domain.games.mount_drago.catalogue import CARDS, DRAGONS
from domain.games.mount_drago.commands import Command, DiscardSummitCards, Draw, PlayCard
from domain.games.mount_drago.rejections import Reason
from domain.games.mount_drago.state import Phase, State, board
from domain.shared.seats import Seat, by_seat, next_seat
from domain.shared.tuples import has_all, selections

PLAYS = {card: (PlayCard(card),) for card in CARDS}
"""How a card is played where there is no choice to ride its dragon."""

PLAYS_BY_CHOICE = {card: (PlayCard(card, ride=False), PlayCard(card, ride=True)) for card in CARDS}
"""How a card is played where there is, in the order in which moves are listed (common §9)."""


def to_act(state: State) -> tuple[Seat, ...]:
    """Return the seat that must choose: the one on turn; none while things happen by themselves (§4.4)."""
    return (state.turn,) if state.phase is Phase.PLAY or state.phase is Phase.DISCARD else ()


def turn_after(state: State) -> Seat:
    """Return the seat whose turn follows (common §1)."""
    return next_seat(state.turn, len(state.hands))


def why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    """Return why a command is refused, or None if it is legal."""
    match command:
        case PlayCard():
            return _why_not_play(state, seat, command)
        case DiscardSummitCards():
            return _why_not_discard(state, seat, command)
        case Draw():
            return None if state.phase is Phase.DISCARD else Reason.CARD_NOT_PLAYED_YET
        case _:
            assert_never(command)


def legal_moves(state: State, seat: Seat) -> list[Command]:
    """Return a seat's legal moves in the order of the rules; none unless it is to act (common §9)."""
    if seat not in to_act(state):
        return []
    hand = state.hands[seat]
    if state.phase is Phase.PLAY:
        choice = offered(state)
        moves: list[Command] = []
        for card in dict.fromkeys(hand):
            moves += (PLAYS_BY_CHOICE if DRAGONS[card] in choice else PLAYS)[card]
        return moves
    at_summit = tuple(card for card in hand if on_summit(state, DRAGONS[card]))
    return [*map(DiscardSummitCards, selections(at_summit)), Draw()]


def offered(state: State) -> set[int]:
    """Return the dragons that a seat may move without riding them: last, with ties, and free (§4.2, R2)."""
    last = min(state.dragons)
    in_last_place = {dragon for dragon, space in enumerate(state.dragons) if space == last}
    return in_last_place.difference(DRAGONS[card] for card in state.open_cards)


def rider(state: State, dragon: int) -> Seat | None:
    """Return the seat that rides a dragon; never more than one does (§3.2, §4.2)."""
    return next((seat for seat, card in by_seat(state.open_cards) if DRAGONS[card] == dragon), None)


def on_summit(state: State, dragon: int) -> bool:
    """Return whether a dragon stands on a summit space."""
    return state.dragons[dragon] >= board(state).summit


def _why_not_play(state: State, seat: Seat, play: PlayCard) -> Reason | None:
    """Return why a card may not be played so, or None (§4.1, §4.2)."""
    if state.phase is not Phase.PLAY:
        return Reason.CARD_ALREADY_PLAYED
    if play.card not in state.hands[seat]:
        return Reason.CARD_NOT_IN_HAND
    if DRAGONS[play.card] in offered(state):
        return Reason.RIDE_REQUIRED if play.ride is None else None
    return None if play.ride is None else Reason.RIDE_NOT_ALLOWED


def _why_not_discard(state: State, seat: Seat, discard: DiscardSummitCards) -> Reason | None:
    """Return why cards may not be discarded, or None (§4.4)."""
    if state.phase is not Phase.DISCARD:
        return Reason.CARD_NOT_PLAYED_YET
    if not has_all(state.hands[seat], discard.cards):
        return Reason.DISCARD_NOT_IN_HAND
    if not all(on_summit(state, DRAGONS[card]) for card in discard.cards):
        return Reason.DRAGON_NOT_ON_SUMMIT
    return None
