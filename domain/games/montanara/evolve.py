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
from domain.games.montanara.legality import turn_after
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
        case CardTaken():
            return _turn_ended(_top_taken(state, event.seat, event.mountain))
        case DwarfPlayed():
            return _dwarf_played(state, event)
        case CaveInPlayed():
            return _cave_in_played(state, event)
        case MountainLookedAt():
            return _mountain_looked_at(state, event)
        case LookDeclined():
            return _looked(state, ())
        case TheftPlayed():
            return _theft_played(state, event)
        case ShakingPlayed():
            return _shaking_played(state, event)
        case TunnelPlayed():
            return _tunnel_played(state, event)
        case TunnelArranged():
            return _tunnel_arranged(state, event)
        case DrillingPlayed():
            return replace(_played(state, event.seat, Kind.DRILLING), phase=Phase.DRILLING)
        case CardLifted():
            return _card_lifted(state, event)
        case CardPlaced():
            return _card_placed(state, event)
        case DrillingEnded():
            return _turn_ended(state)
        case OpenPitPlayed():
            return _open_pit_played(state, event)
        case DigBegun(mountain=mountain):
            return replace(state, visited=() if mountain is None else (mountain,), left=event.cards)
        case CardDug():
            return _card_dug(state, event)
        case CrystalDug():
            return _crystal_dug(state, event)
        case CaveInDug():
            return _cave_in_dug(state, event)
        case Dealt():
            return _dealt(event)
        case _:
            assert_never(event)


def _dealt(event: Dealt) -> State:
    """Return the table after the deal (§3)."""
    return replace(
        INITIAL,
        tunnel_order=event.tunnel_order,
        turn=event.first_seat,
        hands=tuple(_dealt_hand(hand, seat) for seat, hand in by_seat(event.hands)),
        mountains=tuple(map(_face_down, event.mountains)),
    )


def _dwarf_played(state: State, event: DwarfPlayed) -> State:
    """Return the table after a dwarf went from a hand into its display (§4.2)."""
    after = _out_of_hand(state, event.seat, Kind.DWARF)
    return _turn_ended(_displayed(after, event.seat, dwarfs=1))


def _cave_in_played(state: State, event: CaveInPlayed) -> State:
    """Return the table after all dwarfs ran away: both seats may look, the opponent first (§4.3)."""
    after = _played(state, event.seat, Kind.CAVE_IN)
    for side, fled in by_seat(event.dwarfs):
        after = _fled(after, side, fled)
    return replace(after, phase=Phase.LOOK, lookers=(opponent(event.seat), event.seat))


def _mountain_looked_at(state: State, event: MountainLookedAt) -> State:
    """Return the table after a seat got to know a mountain (§4.3, §4.12)."""
    pile = _learnt(state.mountains[event.mountain], event.seat)
    return _looked(_with_mountain(state, event.mountain, pile), (event.mountain,))


def _theft_played(state: State, event: TheftPlayed) -> State:
    """Return the table after the hands were swapped (§4.4)."""
    after = _played(state, event.seat, Kind.THEFT)
    first, second = after.hands
    return _turn_ended(replace(after, hands=(_given(second, BOTH[0]), _given(first, BOTH[1]))))


def _shaking_played(state: State, event: ShakingPlayed) -> State:
    """Return the table after two mountains were shuffled: the seat saw the two top cards (§4.5)."""
    after = _played(state, event.seat, Kind.SHAKING)
    for mountain, cards in zip((event.first, event.second), event.mountains, strict=True):
        top, *others = _face_down(cards)
        after = _with_mountain(after, mountain, (*_learnt((top,), event.seat), *others))
    return _turn_ended(after)


def _tunnel_played(state: State, event: TunnelPlayed) -> State:
    """Return the table after a seat saw what a tunnel shows; one card has no order (§4.6)."""
    pile = state.mountains[event.mountain]
    pile = (*_learnt(pile[:TUNNEL_LENGTH], event.seat), *pile[TUNNEL_LENGTH:])
    after = _with_mountain(_played(state, event.seat, Kind.TUNNEL), event.mountain, pile)
    if len(event.cards) == 1:
        return _turn_ended(after)
    return replace(after, phase=Phase.TUNNEL, visited=(event.mountain,))


def _tunnel_arranged(state: State, event: TunnelArranged) -> State:
    """Return the table after the cards of a tunnel went back; the seat knows an order it chose (§4.6)."""
    moved = _face_down(event.cards)
    if event.chosen:
        moved = _learnt(moved, event.seat)
    pile = (*moved, *state.mountains[event.mountain][len(moved) :])
    return _turn_ended(_with_mountain(state, event.mountain, pile))


def _card_lifted(state: State, event: CardLifted) -> State:
    """Return the table after a seat saw the bottom card of a mountain (§4.7)."""
    pile = state.mountains[event.mountain]
    after = _with_mountain(state, event.mountain, (*pile[:-1], *_learnt(pile[-1:], event.seat)))
    return replace(after, visited=(*state.visited, event.mountain), lifted=True)


def _card_placed(state: State, event: CardPlaced) -> State:
    """Return the table after the bottom card of a mountain went on top of it, or back (§4.7)."""
    pile = state.mountains[event.mountain]
    if event.on is Place.TOP:
        pile = (*pile[-1:], *pile[:-1])
    return replace(_with_mountain(state, event.mountain, pile), lifted=False)


def _open_pit_played(state: State, event: OpenPitPlayed) -> State:
    """Return the table after a mountain was reversed and its new top card taken (§4.8)."""
    after = _played(state, event.seat, Kind.OPEN_PIT)
    after = _with_mountain(after, event.mountain, after.mountains[event.mountain][::-1])
    return _turn_ended(_top_taken(after, event.seat, event.mountain))


def _card_dug(state: State, event: CardDug) -> State:
    """Return the table after a card without effect: the dig goes on while any are left (§4.9)."""
    after = _discarded(_dug_out(state, event.seat, event.mountain, event.card), (event.card,))
    return replace(after, left=event.left) if event.left else _turn_ended(after)


def _crystal_dug(state: State, event: CrystalDug) -> State:
    """Return the table after a crystal was changed for a dwarf of the display (§4.9)."""
    after = _dug_out(state, event.seat, event.mountain, Kind.CRYSTAL)
    return _turn_ended(_fled(_displayed(after, event.seat, crystals=1), event.seat, 1))


def _cave_in_dug(state: State, event: CaveInDug) -> State:
    """Return the table after the digger's dwarfs ran away: it may look at a mountain (§4.9)."""
    after = _discarded(_dug_out(state, event.seat, event.mountain, Kind.CAVE_IN), (Kind.CAVE_IN,))
    after = _fled(after, event.seat, event.dwarfs)
    return replace(after, phase=Phase.LOOK, visited=(), lookers=(event.seat,), left=0)


def _turn_ended(state: State) -> State:
    """Return the table after an action: its card is discarded, and the turn passes (§4.0, §4.10).

    No event of its own says so. That an action is over shows in the event that ends it, and with two seats
    the turn always passes to the other one.
    """
    after = state if state.played is None else _discarded(state, (state.played,))
    return replace(
        after,
        turn=turn_after(state),
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
    return replace(state, visited=visited, lookers=lookers) if lookers else _turn_ended(state)


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
    """Return the table with the top card of a mountain in a hand; anyone who knew it there knows it still."""
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


def _dealt_hand(hand: Seen[Kind], seat: Seat) -> Hand:
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
