"""What a viewer may know of Mountains (mountains §7).

Anyone who may not see a card sees that it is there: its number in a view, null in an event.
"""

from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from domain.games.mountains.catalogue import (
    CARDS,
    DECKS,
    Deck,
    Equipment,
    HikingCard,
    HikingCardId,
    SummitBooks,
    in_order,
)
from domain.games.mountains.events import (
    CardTurnedOver,
    Dealt,
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
from domain.games.mountains.state import Phase, State
from domain.shared.chance import Chance
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat, by_seat
from domain.shared.tuples import mixed, put
from domain.shared.viewers import TablePile, Viewer, each_its_own, face_down, sees, sees_all, shown


class TableSeat(Struct, frozen=True):
    """What a seat has.

    Attributes:
        hand_size: How many equipment cards it has in hand, without those on display.
        hand: Those cards in the order of §1; the seat sees them, to others this is empty.
        displayed: Its equipment on display, in the order of §1.
        stones: How many stones it has.
        stamps: How many stamps it has; null with secret summit books while the match goes on, except for the
            seat itself. After the end, however it came, every seat's: they are the `scores` of the outcome in
            `match.finished`.
    """

    hand_size: int
    hand: tuple[Equipment, ...]
    displayed: tuple[Equipment, ...]
    stones: int
    stamps: int | None


class TableDeck(Struct, frozen=True):
    """A deck of hiking cards and its discard pile.

    Attributes:
        deck: Which deck it is.
        size: How many cards it has, face down.
        cards: Ids of those cards, the top card first; empty for all but the viewer that sees all.
        discard_pile: Ids of its discarded cards, the oldest card first.
    """

    deck: Deck
    size: int
    cards: tuple[HikingCardId, ...]
    discard_pile: tuple[HikingCardId, ...]


class Table(Struct, frozen=True, tag_field="game", tag="mountains"):
    """The table as a viewer may see it.

    Attributes:
        summit_books: Whether the others may see a seat's total of stamps.
        turn: The seat whose turn it is; null once the game has come to its own end. A match that ends
            otherwise, by resignation or time, leaves it as it was.
        phase: How far the turn is; `over` once the game has come to its own end. A match that ends otherwise
            leaves it as it was.
        seats: What each seat has, in seat order; none before the deal.
        draw_pile: The equipment draw pile.
        decks: Six decks, in the order of §1.
        card: The hiking card that lies face up, if there is one.
        asked: Whether a question was asked for this hike.
        offered: The seats that a hut is still to be offered to, in that order; the first must choose.
    """

    summit_books: SummitBooks
    turn: Seat | None
    phase: Phase
    seats: tuple[TableSeat, ...]
    draw_pile: TablePile[Equipment]
    decks: tuple[TableDeck, ...]
    card: HikingCard | None
    asked: bool
    offered: tuple[Seat, ...]


def view(state: State, viewer: Viewer) -> Table:
    """Return the table as the viewer may see it."""
    return Table(
        summit_books=state.summit_books,
        turn=None if state.phase is Phase.OVER else state.turn,
        phase=state.phase,
        seats=tuple(_seat(state, seat, viewer) for seat, _ in by_seat(state.hands)),
        draw_pile=face_down(state.draw_pile, viewer),
        decks=tuple(
            TableDeck(deck, len(cards), cards if sees_all(viewer) else (), discarded)
            for deck, cards, discarded in zip(DECKS, state.decks, state.discard_piles, strict=True)
        ),
        card=state.card,
        asked=state.asked,
        offered=state.offered,
    )


def at_end(table: Table, outcome: Outcome) -> Table:
    """Return a view with all totals, which are the scores that the outcome tells everybody (§6.3, §7)."""
    return replace(
        table,
        seats=tuple(
            replace(place, stamps=stamps) for place, stamps in zip(table.seats, outcome.scores, strict=True)
        ),
    )


def seen(event: Event, viewer: Viewer) -> Event:
    """Return an event as the viewer may see it."""
    match event:
        case Dealt():
            return Dealt(
                event.first_seat,
                event.summit_books,
                event.stones,
                each_its_own(event.hands, viewer),
                shown(event.draw_pile, visible=sees_all(viewer)),
                tuple(shown(deck, visible=sees_all(viewer)) for deck in event.decks),
            )
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

    The other hands and the draw pile are mixed and dealt again in their sizes, each deck is shuffled, and
    totals that the view withholds are guessed. Earlier answers and displays are in the log, not in the view.
    """
    if sees_all(viewer):
        return state
    others = [seat for seat, _ in by_seat(state.hands) if not sees(viewer, seat)]
    *dealt, draw_pile = mixed((*(state.hands[seat] for seat in others), state.draw_pile), chance)
    hands = state.hands
    for seat, hand in zip(others, dealt, strict=True):
        hands = put(hands, seat, in_order(hand))
    return replace(
        state,
        hands=hands,
        draw_pile=draw_pile,
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
    """Return the totals with those again that the viewer may not see (§7).

    The stamps of the cards discarded so far are dealt out among these seats and nobody. Nothing before the
    end depends on totals; then they are disclosed, and a twin's differ.
    """
    secret = [seat for seat, _ in by_seat(state.stamps) if not _sees_stamps(state, viewer, seat)]
    if not secret:
        return state.stamps
    won = chance.shuffle(CARDS[id].stamps for pile in state.discard_piles for id in pile)
    stamps = list(state.stamps)
    for share, seat in enumerate(secret):
        stamps[seat] = sum(won[share :: len(secret) + 1])
    return tuple(stamps)


def _sees_stamps(state: State, viewer: Viewer, seat: Seat) -> bool:
    """Return whether the viewer may see a seat's total: the own one, open ones, all after the end (§7)."""
    return state.summit_books is SummitBooks.OPEN or state.phase is Phase.OVER or sees(viewer, seat)
