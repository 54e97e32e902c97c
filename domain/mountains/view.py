"""What a viewer may know of Mountains (mountains §7)."""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from domain.mountains.catalogue import CARDS, DECKS, Deck, Equipment, HikingCard, SummitBooks, in_order
from domain.mountains.events import (
    CardTurnedOver,
    Dealt,
    DealtDeck,
    DealtHand,
    DealtPile,
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
from domain.mountains.state import Phase, State
from domain.shared.chance import Chance
from domain.shared.piles import mixed, put
from domain.shared.seats import Seat, by_seat
from domain.shared.viewers import Viewer, sees, sees_all


class TableSeat(Struct, frozen=True):
    """What one seat has.

    Attributes:
        hand_size: How many equipment cards it holds, without those on display.
        hand: Which, in the order of §1; empty unless the viewer is the seat or everything is disclosed.
        displayed: Its equipment on display, in the order of §1.
        stones: How many.
        stamps: How many; null with secret summit books while the game goes on, except for the seat itself.
    """

    hand_size: int
    hand: tuple[Equipment, ...]
    displayed: tuple[Equipment, ...]
    stones: int
    stamps: int | None


class TableDeck(Struct, frozen=True):
    """One deck of hiking cards and its discard pile.

    Attributes:
        deck: Which.
        size: How many cards lie face down.
        cards: Their ids, top card first; empty unless everything is disclosed.
        discarded: Ids of the cards face up on its discard pile, oldest first.
    """

    deck: Deck
    size: int
    cards: tuple[str, ...]
    discarded: tuple[str, ...]


class Table(Struct, frozen=True, tag_field="game", tag="mountains"):
    """The table as a viewer may see it.

    Attributes:
        summit_books: Whether the others may see a seat's total of stamps.
        seats: What each seat has, in seat order; none before the deal.
        pile_size: How many cards the equipment draw pile has.
        pile: Which, top card first; empty unless everything is disclosed.
        decks: Six decks, in the order of §1.
        turn: The seat on turn; null once the game is over.
        card: The hiking card that lies face up, if there is one.
        asked: Whether a question was asked for this hike.
        offered: The seats that a hut is still to be offered to, in that order; the first must choose.
    """

    summit_books: SummitBooks
    seats: tuple[TableSeat, ...]
    pile_size: int
    pile: tuple[Equipment, ...]
    decks: tuple[TableDeck, ...]
    turn: Seat | None
    card: HikingCard | None
    asked: bool
    offered: tuple[Seat, ...]


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    disclosed = sees_all(viewer)
    over = state.phase is Phase.OVER
    return Table(
        summit_books=state.summit_books,
        seats=tuple(_seat(state, seat, viewer) for seat, _ in by_seat(state.hands)),
        pile_size=len(state.pile),
        pile=state.pile if disclosed else (),
        decks=tuple(
            TableDeck(deck, len(cards), cards if disclosed else (), discarded)
            for deck, cards, discarded in zip(DECKS, state.decks, state.discards, strict=True)
        ),
        turn=None if over else state.turn,
        card=state.card,
        asked=state.asked,
        offered=state.offered,
    )


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            return _seen_deal(event, viewer)
        case CardTurnedOver():
            return CardTurnedOver(event.seat, event.card)
        case EquipmentAsked():
            return EquipmentAsked(event.seat, event.neighbour, event.equipment, event.displayed)
        case HikeCompleted():
            return HikeCompleted(event.seat, event.equipment, event.stones, event.stamps)
        case HikeDeclined():
            return HikeDeclined(event.seat, event.stones)
        case HikeAbandoned():
            return HikeAbandoned(event.seat)
        case EquipmentBought():
            equipment = event.equipment if sees(viewer, event.seat) else None
            return EquipmentBought(event.seat, event.stones, equipment)
        case StampsBought():
            return StampsBought(event.seat, event.stones, event.stamps)
        case OfferDeclined():
            return OfferDeclined(event.seat)
        case OfferPassedOver():
            return OfferPassedOver(event.seat)
        case Rested():
            return Rested(event.seat, event.stones)
        case TurnEnded():
            return TurnEnded(event.seat, event.next_seat)
        case _:
            assert_never(event)


def determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    """Return another table that the viewer cannot tell from this one (§7).

    The other hands and the pile are mixed and dealt again in their sizes, each deck is shuffled, and totals
    that the view withholds are guessed. Earlier answers and displays are in the log, not in the view.
    """
    if sees_all(viewer):
        return state
    others = [seat for seat, _ in by_seat(state.hands) if not sees(viewer, seat)]
    *dealt, pile = mixed((*(state.hands[seat] for seat in others), state.pile), chance)
    hands = state.hands
    for seat, hand in zip(others, dealt, strict=True):
        hands = put(hands, seat, in_order(hand))
    return replace(
        state,
        hands=hands,
        pile=pile,
        decks=tuple(chance.shuffle(deck) for deck in state.decks),
        stamps=_guessed_stamps(state, viewer, chance),
    )


def _seat(state: State, seat: Seat, viewer: Viewer) -> TableSeat:
    """Return what a seat has, as the viewer may see it."""
    hand = state.hands[seat]
    return TableSeat(
        hand_size=len(hand),
        hand=hand if sees(viewer, seat) else (),
        displayed=state.displayed[seat],
        stones=state.stones[seat],
        stamps=state.stamps[seat] if _sees_stamps(state, viewer, seat) else None,
    )


def _guessed_stamps(state: State, viewer: Viewer, chance: Chance) -> tuple[int, ...]:
    """Return the totals with those anew that the viewer may not see (§7).

    The stamps of the cards discarded so far are dealt out among these seats and nobody. Nothing before the
    end depends on totals; then they are disclosed, and a twin's differ.
    """
    secret = [seat for seat, _ in by_seat(state.stamps) if not _sees_stamps(state, viewer, seat)]
    if not secret:
        return state.stamps
    won = chance.shuffle(CARDS[id].stamps for pile in state.discards for id in pile)
    stamps = list(state.stamps)
    for share, seat in enumerate(secret):
        stamps[seat] = sum(won[share :: len(secret) + 1])
    return tuple(stamps)


def _seen_deal(event: Dealt, viewer: Viewer) -> Dealt:
    """Return the deal with the viewer's own hand only; with everything, once that is disclosed."""
    disclosed = sees_all(viewer)
    return Dealt(
        first_seat=event.first_seat,
        summit_books=event.summit_books,
        stones=event.stones,
        hands=tuple(
            DealtHand(hand.size, hand.equipment if sees(viewer, seat) else ())
            for seat, hand in by_seat(event.hands)
        ),
        pile=DealtPile(event.pile.size, event.pile.equipment if disclosed else ()),
        decks=tuple(DealtDeck(deck.deck, deck.size, deck.cards if disclosed else ()) for deck in event.decks),
    )


def _sees_stamps(state: State, viewer: Viewer, seat: Seat) -> bool:
    """Return whether the viewer may see a seat's total: the own one, open ones, all after the end (§7)."""
    return state.summit_books is SummitBooks.OPEN or state.phase is Phase.OVER or sees(viewer, seat)
