"""What a viewer may know of Montanara (montanara §6, R14).

Anyone who may not see a card sees that it is there: its number in a view, null in an event.
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from domain.games.montanara.catalogue import SEATS, Kind
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
from domain.games.montanara.outcome import outcome
from domain.games.montanara.state import BOTH, Card, Phase, State, as_hand, in_tunnel, kinds, opponent
from domain.shared.chance import Chance
from domain.shared.seats import Seat, by_seat
from domain.shared.viewers import Seen, TablePile, Viewer, each_its_own, face_down, sees, sees_all, shown


class TableSeat(Struct, frozen=True):
    """What a seat has.

    Attributes:
        hand_size: How many cards it has in hand.
        hand: Those cards by kind; the seat sees them, to others this is empty.
        dwarfs: How many dwarfs lie in its display.
        crystals: How many crystals lie in its display.
    """

    hand_size: int
    hand: tuple[Kind, ...]
    dwarfs: int
    crystals: int


class Known(Struct, frozen=True):
    """What a seat was shown and is still true (R14).

    Attributes:
        mountains: The cards of mountains 0 to 3, the top card first; null where the seat does not know.
        hand: Cards of the opponent's hand that the seat gave in the latest theft and that have not left, by
            kind.
    """

    mountains: tuple[tuple[Kind | None, ...], ...]
    hand: tuple[Kind, ...]


class Table(Struct, frozen=True, tag_field="game", tag="montanara"):
    """The table as a viewer may see it.

    Attributes:
        turn: The seat whose turn it is; null once the game has come to its own end. A match that ends
            otherwise, by resignation or time, leaves it as it was.
        phase: What is to be chosen; `over` once the game has come to its own end. A match that ends otherwise
            leaves it as it was.
        seats: What each seat has.
        mountains: Mountains 0 to 3.
        discard_pile: The discard pile, the oldest card first.
        played: The action card that lies open while its phase goes on.
        visited: The mountains that the action has been to, in order: the one that was looked at, that of the
            tunnel, those that were drilled, the one that is dug.
        lifted: Whether the bottom card of the mountain drilled last is still to be placed.
        left: How many cards are still to be turned over in a dig; 0 while nobody digs.
        shown: The cards that the seat on turn is being shown: those of the tunnel, the top card first, or the
            lifted one; to others this is empty.
        known: What the viewer's seat was shown and is still true; none for others, or without memory aid.
    """

    turn: Seat | None
    phase: Phase
    seats: tuple[TableSeat, ...]
    mountains: tuple[TablePile[Kind], ...]
    discard_pile: tuple[Kind, ...]
    played: Kind | None
    visited: tuple[int, ...]
    lifted: bool
    left: int
    shown: tuple[Kind, ...]
    known: Known | None


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    over = outcome(state) is not None
    return Table(
        turn=None if over else state.turn,
        phase=Phase.OVER if over else state.phase,
        seats=tuple(_seat(state, seat, viewer) for seat in BOTH),
        mountains=tuple(face_down(kinds(pile), viewer) for pile in state.mountains),
        discard_pile=state.discard_pile,
        played=state.played,
        visited=state.visited,
        lifted=state.lifted,
        left=state.left,
        shown=_shown(state) if sees(viewer, state.turn) else (),
        known=None if viewer.seat is None else _known(state, viewer.seat),
    )


def unaided(table: Table) -> Table:
    """Return a view without what its seat was shown before (R14)."""
    return replace(table, known=None)


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            hands = each_its_own(event.hands, viewer)
            mountains = tuple(shown(pile, visible=sees_all(viewer)) for pile in event.mountains)
            return Dealt(event.first_seat, event.tunnel_order, hands, mountains)
        case CardTaken(seat=seat):
            return CardTaken(seat, event.mountain, event.card if sees(viewer, seat) else None)
        case DwarfPlayed():
            return DwarfPlayed(event.seat)
        case CaveInPlayed():
            return CaveInPlayed(event.seat, event.dwarfs)
        case MountainLookedAt(seat=seat):
            return MountainLookedAt(seat, event.mountain, shown(event.cards, visible=sees(viewer, seat)))
        case LookDeclined():
            return LookDeclined(event.seat)
        case TheftPlayed():
            return TheftPlayed(event.seat, each_its_own(event.hands, viewer))
        case ShakingPlayed(seat=seat):
            mountains = tuple(_top(pile, seat, viewer) for pile in event.mountains)
            return ShakingPlayed(seat, event.first, event.second, mountains)
        case TunnelPlayed(seat=seat):
            return TunnelPlayed(seat, event.mountain, shown(event.cards, visible=sees(viewer, seat)))
        case TunnelArranged(seat=seat, chosen=chosen):
            visible = sees(viewer, seat) if chosen else sees_all(viewer)
            return TunnelArranged(seat, event.mountain, shown(event.cards, visible=visible), chosen)
        case DrillingPlayed():
            return DrillingPlayed(event.seat)
        case CardLifted(seat=seat):
            return CardLifted(seat, event.mountain, event.card if sees(viewer, seat) else None)
        case CardPlaced():
            return CardPlaced(event.seat, event.mountain, event.on)
        case DrillingEnded():
            return DrillingEnded(event.seat)
        case OpenPitPlayed(seat=seat):
            return OpenPitPlayed(seat, event.mountain, event.card if sees(viewer, seat) else None)
        case DigBegun():
            return DigBegun(event.seat, event.mountain, event.cards)
        case CardDug():
            return CardDug(event.seat, event.mountain, event.card, event.left)
        case CrystalDug():
            return CrystalDug(event.seat, event.mountain)
        case CaveInDug():
            return CaveInDug(event.seat, event.mountain, event.dwarfs)
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return another table that the viewer cannot tell from this one (§6, R14).

    All cards that the viewer does not know are shuffled and laid again in their places. Those that it knows
    stay: what it was shown, and what follows for a single card from what everybody saw, as who took one that
    the viewer knew. Who knows which places of the mountains is public, and stays as well. Of a hand it is
    not: whether a card that was played was one that the other seat knew shows in what is left. So of a card
    in a hand that the viewer does not know, it can only say that the hand's seat knows it.
    """
    if sees_all(viewer):
        return state
    hands = tuple(tuple(_as_held(card, seat, viewer) for card in hand) for seat, hand in by_seat(state.hands))
    piles = (*hands, *state.mountains)
    hidden = [card.kind for pile in piles for card in pile if viewer.seat not in card.known_to]
    drawn = iter(chance.shuffle(hidden))
    laid = [
        tuple(card if viewer.seat in card.known_to else replace(card, kind=next(drawn)) for card in pile)
        for pile in piles
    ]
    return replace(state, hands=tuple(map(as_hand, laid[:SEATS])), mountains=tuple(laid[SEATS:]))


def _as_held(card: Card, seat: Seat, viewer: Viewer) -> Card:
    """Return a card of a seat's hand with what the viewer can say of who knows it (R14)."""
    return card if viewer.seat in card.known_to else Card(card.kind, (seat,))


def _seat(state: State, seat: Seat, viewer: Viewer) -> TableSeat:
    """Return what a seat has, as the viewer may see it."""
    hand, display = state.hands[seat], state.displays[seat]
    return TableSeat(
        hand_size=len(hand),
        hand=kinds(hand) if sees(viewer, seat) else (),
        dwarfs=display.dwarfs,
        crystals=display.crystals,
    )


def _shown(state: State) -> tuple[Kind, ...]:
    """Return the cards that the seat on turn is being shown (§4.6, §4.7)."""
    if state.phase is Phase.TUNNEL:
        return in_tunnel(state, state.visited[-1])
    return kinds(state.mountains[state.visited[-1]][-1:]) if state.lifted else ()


def _known(state: State, seat: Seat) -> Known:
    """Return what a seat was shown and is still true (R14)."""
    mountains = tuple(
        tuple(card.kind if seat in card.known_to else None for card in pile) for pile in state.mountains
    )
    return Known(mountains, kinds(card for card in state.hands[opponent(seat)] if card.given))


def _top(pile: Seen[Kind], seat: Seat, viewer: Viewer) -> Seen[Kind]:
    """Return a mountain of which a seat sees the top card."""
    top = shown(pile[:1], visible=sees(viewer, seat))
    return (*top, *shown(pile[1:], visible=sees_all(viewer)))
