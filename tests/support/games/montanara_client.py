"""A client of Montanara that keeps the table by what its viewer is shown of each event."""

from typing import assert_never

from domain.games.montanara.catalogue import Kind, in_order
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
from domain.games.montanara.state import Phase
from domain.games.montanara.view import Known, Table, TableSeat
from domain.shared.seats import Seat
from domain.shared.viewers import Seen, TablePile, Viewer, sees_all


class Client:
    """What a viewer can work out. A card that it does not know is None."""

    def __init__(self, viewer: Viewer) -> None:
        """Take the viewer whose events will come."""
        self._seat = viewer.seat
        self._sees_all = sees_all(viewer)
        self._hands: list[list[Kind | None]] = [[], []]
        self._mountains: list[list[Kind | None]] = [[], [], [], []]
        self._dwarfs, self._crystals = [0, 0], [0, 0]
        self._discarded: list[Kind] = []
        self._given: list[Kind] = []
        self._turn = Seat(0)
        self._phase = Phase.TURN
        self._played: Kind | None = None
        self._visited: list[int] = []
        self._lifted = False
        self._left = self._looks = 0
        self._shown: Seen[Kind] = ()

    def table(self) -> Table:
        """Return the table as the viewer would be shown it."""
        over = 4 in self._crystals or sum(map(bool, self._mountains)) == 1
        return Table(
            turn=None if over else self._turn,
            phase=Phase.OVER if over else self._phase,
            seats=tuple(
                TableSeat(len(hand), in_order(card for card in hand if card), dwarfs, crystals)
                for hand, dwarfs, crystals in zip(self._hands, self._dwarfs, self._crystals, strict=True)
            ),
            mountains=tuple(
                TablePile(len(pile), tuple(card for card in pile if card) if self._sees_all else ())
                for pile in self._mountains
            ),
            discard_pile=tuple(self._discarded),
            played=self._played,
            visited=tuple(self._visited),
            lifted=self._lifted,
            left=self._left,
            shown=tuple(card for card in self._shown if card),
            known=None
            if self._seat is None
            else Known(tuple(map(tuple, self._mountains)), in_order(self._given)),
        )

    def take_in(self, event: Event) -> None:
        """Take in the next event, as the viewer saw it."""
        match event:
            case Dealt():
                self._hands = [list(hand) for hand in event.hands]
                self._mountains = [list(pile) for pile in event.mountains]
                self._turn = event.first_seat
            case CardTaken(seat=seat, mountain=mountain, card=card):
                del self._mountains[mountain][0]
                self._hands[seat].append(card)
                self._end_turn()
            case DwarfPlayed(seat=seat):
                self._out_of_hand(seat, Kind.DWARF)
                self._dwarfs[seat] += 1
                self._end_turn()
            case CaveInPlayed(seat=seat, dwarfs=dwarfs):
                self._play(seat, Kind.CAVE_IN)
                for side, count in enumerate(dwarfs):
                    self._run_away(side, count)
                self._phase, self._looks = Phase.LOOK, 2
            case MountainLookedAt(mountain=mountain, cards=cards):
                self._learn(mountain, 0, cards)
                self._look([mountain])
            case LookDeclined():
                self._look([])
            case TheftPlayed(seat=seat, hands=hands):
                self._play(seat, Kind.THEFT)
                if self._seat is not None:
                    self._given = [card for card in self._hands[self._seat] if card]
                self._hands = [list(hand) for hand in hands]
                self._end_turn()
            case ShakingPlayed(seat=seat, first=first, second=second, mountains=mountains):
                self._play(seat, Kind.SHAKING)
                self._mountains[first], self._mountains[second] = map(list, mountains)
                self._end_turn()
            case TunnelPlayed(seat=seat, mountain=mountain, cards=cards):
                self._play(seat, Kind.TUNNEL)
                self._learn(mountain, 0, cards)
                if len(cards) == 1:
                    self._end_turn()
                else:
                    self._phase, self._visited, self._shown = Phase.TUNNEL, [mountain], cards
            case TunnelArranged(mountain=mountain, cards=cards):
                self._mountains[mountain][: len(cards)] = cards
                self._end_turn()
            case DrillingPlayed(seat=seat):
                self._play(seat, Kind.DRILLING)
                self._phase = Phase.DRILLING
            case CardLifted(mountain=mountain, card=card):
                self._learn(mountain, len(self._mountains[mountain]) - 1, (card,))
                self._visited.append(mountain)
                self._lifted, self._shown = True, (card,)
            case CardPlaced(mountain=mountain, on=on):
                if on is Place.TOP:
                    self._mountains[mountain].insert(0, self._mountains[mountain].pop())
                self._lifted, self._shown = False, ()
            case DrillingEnded():
                self._end_turn()
            case OpenPitPlayed(seat=seat, mountain=mountain, card=card):
                self._play(seat, Kind.OPEN_PIT)
                self._mountains[mountain].reverse()
                del self._mountains[mountain][0]
                self._hands[seat].append(card)
                self._end_turn()
            case DigBegun(mountain=mountain, cards=left):
                self._left = left
                self._visited = [] if mountain is None else [mountain]
            case CardDug(seat=seat, mountain=mountain, card=card, left=left):
                self._turn_over(seat, mountain, card)
                self._discarded.append(card)
                self._left = left
                if left == 0:
                    self._end_turn()
            case CrystalDug(seat=seat, mountain=mountain):
                self._turn_over(seat, mountain, Kind.CRYSTAL)
                self._crystals[seat] += 1
                self._run_away(seat, 1)
                self._end_turn()
            case CaveInDug(seat=seat, mountain=mountain, dwarfs=count):
                self._turn_over(seat, mountain, Kind.CAVE_IN)
                self._discarded.append(Kind.CAVE_IN)
                self._run_away(seat, count)
                self._phase, self._looks, self._left, self._visited = Phase.LOOK, 1, 0, []
            case _:
                assert_never(event)

    def _end_turn(self) -> None:
        if self._played is not None:
            self._discarded.append(self._played)
        self._turn, self._phase, self._played = Seat(1 - self._turn), Phase.TURN, None
        self._visited, self._shown, self._lifted, self._left = [], (), False, 0

    def _play(self, seat: Seat, kind: Kind) -> None:
        self._out_of_hand(seat, kind)
        self._played = kind

    def _out_of_hand(self, seat: Seat, kind: Kind) -> None:
        hand = self._hands[seat]
        hand.remove(kind if kind in hand else None)
        if seat != self._seat and kind in self._given:
            self._given.remove(kind)

    def _turn_over(self, seat: Seat, mountain: int | None, kind: Kind) -> None:
        if mountain is None:
            self._out_of_hand(seat, kind)
        else:
            del self._mountains[mountain][0]

    def _run_away(self, seat: int, count: int) -> None:
        self._dwarfs[seat] -= count
        self._discarded += [Kind.DWARF] * count

    def _learn(self, mountain: int, place: int, cards: Seen[Kind]) -> None:
        pile = self._mountains[mountain]
        for number, card in enumerate(cards, start=place):
            pile[number] = card or pile[number]

    def _look(self, visited: list[int]) -> None:
        self._looks -= 1
        if self._looks:
            self._visited = visited
        else:
            self._end_turn()
