"""What a command brings about in Mount Drago, and what is then forced (mount_drago §4)."""

from typing import assert_never

from domain.games.mount_drago.catalogue import DRAGONS, HAND, VALUES, Scoring, in_order
from domain.games.mount_drago.commands import Command, DiscardSummitCards, Draw, PlayCard
from domain.games.mount_drago.events import (
    CardPlayed,
    CardsDrawn,
    DrawPileRenewed,
    Event,
    Scored,
    SummitCardsDiscarded,
)
from domain.games.mount_drago.legality import rider, turn_after, why_not
from domain.games.mount_drago.outcome import last_has_entered, winnings
from domain.games.mount_drago.state import Phase, State, board
from domain.shared.chance import Chance
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.tuples import draw


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...]:
    """Return what a command brings about.

    Raises:
        Rejected: The rules refuse it.
    """
    if reason := why_not(state, seat, command):
        raise Rejected(reason, seat=seat)
    match command:
        case PlayCard():
            return (_play(state, seat, command),)
        case DiscardSummitCards():
            return (SummitCardsDiscarded(seat, in_order(command.cards)),)
        case Draw():
            return (_draw(state, chance),)
        case _:
            assert_never(command)


def consequence(state: State, chance: Chance) -> Event | None:
    """Return what happens next with no one choosing, or None: a scoring, the next part of a draw."""
    if state.scoring:
        return _score(state, state.scoring)
    if state.phase is Phase.DRAW:
        return _draw(state, chance)
    return None


def _play(state: State, seat: Seat, play: PlayCard) -> CardPlayed:
    """Return the move of a dragon, and who rides it then (§4.1, §4.2)."""
    dragon = DRAGONS[play.card]
    path = board(state)
    before = state.dragons[dragon]
    space = min(before + VALUES[play.card], len(path.values) - 1)
    on_top = rider(state, dragon) in (None, seat) if play.ride is None else play.ride
    # On the summit already, it enters no more: moving on scores nothing (§4.3).
    scoring = None if before >= path.summit else path.scorings[space]
    phase = Phase.DRAW
    if scoring:
        phase = Phase.SCORE
    elif len(state.hands[seat]) > 1 and max(space, *state.dragons) >= path.summit:
        phase = Phase.DISCARD
    return CardPlayed(seat, play.card, on_top, space, scoring, phase)


def _score(state: State, scoring: Scoring) -> Scored:
    """Return what a scoring brings, and what comes next: the end, a draw after a last card, or the next turn.

    The seat draws only if it has played its last card (§4.4, R8), and not once the game is over (§5.1).
    """
    points = winnings(state, scoring)
    if scoring is Scoring.SUMMIT and last_has_entered(state):
        return Scored(scoring, points, None, Phase.OVER)
    if not state.hands[state.turn]:
        return Scored(scoring, points, state.turn, Phase.DRAW)
    return Scored(scoring, points, turn_after(state), Phase.PLAY)


def _draw(state: State, chance: Chance) -> CardsDrawn | DrawPileRenewed:
    """Return the draw that fills the hand, as far as the draw pile goes, or a new pile (§4.4, R6)."""
    if not state.draw_pile:
        under = (card for pile in state.under for card in pile)
        pile = chance.shuffle((*state.discard_pile, *under))
        return DrawPileRenewed(pile)
    missing = HAND - len(state.hands[state.turn])
    cards, _ = draw(state.draw_pile, missing)
    drawn = in_order(cards)
    if len(cards) < missing:
        return CardsDrawn(state.turn, drawn, state.turn, Phase.DRAW)
    return CardsDrawn(state.turn, drawn, turn_after(state), Phase.PLAY)
