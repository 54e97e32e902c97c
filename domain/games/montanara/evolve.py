"""How each event changes the table of Montanara, and what the seats know of it (R14)."""

from collections.abc import Iterable
from typing import assert_never

from msgspec.structs import replace

from domain.games.montanara.catalogue import TUNNEL_LENGTH, Kind
from domain.games.montanara.commands import Place
from domain.games.montanara.events import (
    CardDug,
    CardLifted,
    CardPlaced,
    CardTaken,
    CaveInDug,
    CaveInPlayed,
    CrystalDug,
    Dealt,
    DigBegun,
    DrillingEnded,
    DrillingPlayed,
    DwarfPlayed,
    Event,
    LookDeclined,
    MountainLookedAt,
    OpenPitPlayed,
    ShakingPlayed,
    TheftPlayed,
    TunnelArranged,
    TunnelPlayed,
)
from domain.games.montanara.state import (
    BOTH,
    EVERYBODY,
    INITIAL,
    Card,
    Display,
    Hand,
    Phase,
    Pile,
    State,
    as_hand,
    opponent,
)
from domain.shared.seats import Seat, by_seat
from domain.shared.tuples import put
from domain.shared.viewers import Seen, revealed


def evolve(state: State, event: Event) -> State:
    """Return the table after an event as it was decided: with no card hidden."""
    match event:
        case CardTaken(seat=seat, mountain=mountain):
            return _turn_over(_top_taken(state, seat, mountain))
        case DwarfPlayed(seat=seat):
            after = _out_of_hand(state, seat, Kind.DWARF)
            return _turn_over(_displayed(after, seat, dwarfs=1))
        case CaveInPlayed(seat=seat, dwarfs=dwarfs):
            after = _played(state, seat, Kind.CAVE_IN)
            for side, fled in by_seat(dwarfs):
                after = _fled(after, side, fled)
            return replace(after, phase=Phase.LOOK, lookers=(opponent(seat), seat))
        case MountainLookedAt(seat=seat, mountain=mountain):
            pile = _learnt(state.mountains[mountain], seat)
            return _looked(_with_mountain(state, mountain, pile), (mountain,))
        case LookDeclined():
            return _looked(state, ())
        case TheftPlayed(seat=seat):
            after = _played(state, seat, Kind.THEFT)
            first, second = after.hands
            return _turn_over(replace(after, hands=(_given(second, BOTH[0]), _given(first, BOTH[1]))))
        case ShakingPlayed(seat=seat, first=first, second=second, mountains=piles):
            after = _played(state, seat, Kind.SHAKING)
            for mountain, cards in zip((first, second), piles, strict=True):
                pile = _face_down(cards)
                pile = (*_learnt(pile[:1], seat), *pile[1:])
                after = _with_mountain(after, mountain, pile)
            return _turn_over(after)
        case TunnelPlayed(seat=seat, mountain=mountain, cards=cards):
            after = _played(state, seat, Kind.TUNNEL)
            pile = after.mountains[mountain]
            pile = (*_learnt(pile[:TUNNEL_LENGTH], seat), *pile[TUNNEL_LENGTH:])
            after = _with_mountain(after, mountain, pile)
            if len(cards) == 1:
                return _turn_over(after)
            return replace(after, phase=Phase.TUNNEL, visited=(mountain,))
        case TunnelArranged(seat=seat, mountain=mountain, cards=cards, chosen=chosen):
            moved = _face_down(cards)
            if chosen:
                moved = _learnt(moved, seat)
            pile = (*moved, *state.mountains[mountain][len(moved) :])
            return _turn_over(_with_mountain(state, mountain, pile))
        case DrillingPlayed(seat=seat):
            return replace(_played(state, seat, Kind.DRILLING), phase=Phase.DRILLING)
        case CardLifted(seat=seat, mountain=mountain):
            pile = state.mountains[mountain]
            after = _with_mountain(state, mountain, (*pile[:-1], *_learnt(pile[-1:], seat)))
            return replace(after, visited=(*state.visited, mountain), lifted=True)
        case CardPlaced(mountain=mountain, on=on):
            pile = state.mountains[mountain]
            if on is Place.TOP:
                pile = (*pile[-1:], *pile[:-1])
            return replace(_with_mountain(state, mountain, pile), lifted=False)
        case DrillingEnded():
            return _turn_over(state)
        case OpenPitPlayed(seat=seat, mountain=mountain):
            after = _played(state, seat, Kind.OPEN_PIT)
            after = _with_mountain(after, mountain, after.mountains[mountain][::-1])
            return _turn_over(_top_taken(after, seat, mountain))
        case DigBegun(mountain=mountain, cards=left):
            return replace(state, visited=() if mountain is None else (mountain,), left=left)
        case CardDug(seat=seat, mountain=mountain, card=card, left=left):
            after = _discarded(_dug_out(state, seat, mountain, card), (card,))
            return replace(after, left=left) if left else _turn_over(after)
        case CrystalDug(seat=seat, mountain=mountain):
            after = _dug_out(state, seat, mountain, Kind.CRYSTAL)
            return _turn_over(_fled(_displayed(after, seat, crystals=1), seat, 1))
        case CaveInDug(seat=seat, mountain=mountain, dwarfs=fled):
            after = _discarded(_dug_out(state, seat, mountain, Kind.CAVE_IN), (Kind.CAVE_IN,))
            return replace(_fled(after, seat, fled), phase=Phase.LOOK, visited=(), lookers=(seat,), left=0)
        case Dealt():
            return replace(
                INITIAL,
                hands=tuple(_dealt(hand, seat) for seat, hand in by_seat(event.hands)),
                mountains=tuple(map(_face_down, event.mountains)),
                turn=event.first_seat,
                tunnel_order=event.tunnel_order,
            )
        case _:
            assert_never(event)


def _turn_over(state: State) -> State:
    """Return the table after an action: its card is discarded, and the turn passes (§4.0, §4.10)."""
    after = state if state.played is None else _discarded(state, (state.played,))
    return replace(
        after,
        turn=opponent(state.turn),
        phase=Phase.TURN,
        played=None,
        visited=(),
        lookers=(),
        lifted=False,
        left=0,
    )


def _looked(state: State, visited: tuple[int, ...]) -> State:
    """Return the table after a seat has looked or declined: the next one may look, or the turn is over."""
    lookers = state.lookers[1:]
    return replace(state, visited=visited, lookers=lookers) if lookers else _turn_over(state)


def _played(state: State, seat: Seat, kind: Kind) -> State:
    """Return the table with an action card taken out of a hand and laid open (§4.10)."""
    return replace(_out_of_hand(state, seat, kind), played=kind)


def _out_of_hand(state: State, seat: Seat, kind: Kind) -> State:
    """Return the table without one card of a kind in a hand: the one that most know of (R14)."""
    hand = state.hands[seat]
    place = next(place for place, card in enumerate(hand) if card.kind is kind)
    return _with_hand(state, seat, (*hand[:place], *hand[place + 1 :]))


def _dug_out(state: State, seat: Seat, mountain: int | None, kind: Kind) -> State:
    """Return the table without the card that a dig turned over: from a mountain's top, or from the hand."""
    if mountain is None:
        return _out_of_hand(state, seat, kind)
    return _with_mountain(state, mountain, state.mountains[mountain][1:])


def _top_taken(state: State, seat: Seat, mountain: int) -> State:
    """Return the table with the top card of a mountain in a hand; whoever knew it there knows it still."""
    card, *left = state.mountains[mountain]
    hand = as_hand((*state.hands[seat], *_learnt((card,), seat)))
    return _with_hand(_with_mountain(state, mountain, tuple(left)), seat, hand)


def _displayed(state: State, seat: Seat, dwarfs: int = 0, crystals: int = 0) -> State:
    """Return the table with more or fewer dwarfs and crystals in a seat's display."""
    display = state.displays[seat]
    changed = Display(display.dwarfs + dwarfs, display.crystals + crystals)
    return replace(state, displays=put(state.displays, seat, changed))


def _fled(state: State, seat: Seat, dwarfs: int) -> State:
    """Return the table with dwarfs of a display on the discard pile."""
    return _discarded(_displayed(state, seat, dwarfs=-dwarfs), (Kind.DWARF,) * dwarfs)


def _discarded(state: State, cards: Iterable[Kind]) -> State:
    return replace(state, discard_pile=(*state.discard_pile, *cards))


def _with_hand(state: State, seat: Seat, hand: Hand) -> State:
    return replace(state, hands=put(state.hands, seat, hand))


def _with_mountain(state: State, mountain: int, pile: Pile) -> State:
    return replace(state, mountains=put(state.mountains, mountain, pile))


def _face_down(cards: Seen[Kind]) -> Pile:
    """Return cards in an order that nobody knows."""
    return tuple(map(Card, revealed(cards)))


def _dealt(hand: Seen[Kind], seat: Seat) -> Hand:
    """Return a dealt hand: all know of the dwarf that comes first in it (§3.1)."""
    dwarf, *others = _face_down(hand)
    return as_hand((replace(dwarf, known_to=EVERYBODY), *_learnt(others, seat)))


def _learnt(cards: Iterable[Card], seat: Seat) -> Pile:
    """Return cards that a seat now knows too."""
    return tuple(
        card if seat in card.known_to else Card(card.kind, (*card.known_to, seat), card.given)
        for card in cards
    )


def _given(hand: Hand, taker: Seat) -> Hand:
    """Return a hand that its taker was given: the giver knows each card of it still (R14)."""
    return as_hand(Card(card.kind, card.known_to, True) for card in _learnt(hand, taker))
