"""Anyone who is looking at a match, and what it sees of cards."""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from domain.shared.seats import Seat, by_seat

type Seen[Card] = tuple[Card | None, ...]
"""Cards in an event: null is one that the viewer may not see. How many there are is never hidden."""


class ViewerKind(StrEnum):
    """From where a viewer looks."""

    SEAT = "seat"
    SPECTATOR = "spectator"
    ALL = "all"


class Viewer(Struct, frozen=True):
    """A seat, a spectator, or, once a match discloses it, an eye that sees all.

    Attributes:
        kind: From where the viewer looks.
        seat: The seat, of kind `seat` only.
    """

    kind: ViewerKind
    seat: Seat | None = None


class TablePile[Card](Struct, frozen=True):
    """A face-down pile on a table.

    Attributes:
        size: How many cards it has.
        cards: Those cards, the top card first; empty for all but the viewer that sees all.
    """

    size: int
    cards: tuple[Card, ...]


SPECTATOR = Viewer(ViewerKind.SPECTATOR)
ALL_SEEING = Viewer(ViewerKind.ALL)


def seated(seat: Seat) -> Viewer:
    """Return the viewer that sits at `seat`."""
    return Viewer(ViewerKind.SEAT, seat)


def sees(viewer: Viewer, seat: Seat) -> bool:
    """Return whether a viewer may see what only one seat may: it sits there, or it sees all."""
    return viewer.seat == seat or sees_all(viewer)


def sees_all(viewer: Viewer) -> bool:
    """Return whether a viewer may see what no seat may: it sees all."""
    return viewer.kind is ViewerKind.ALL


def shown[Card](cards: tuple[Card, ...], *, visible: bool) -> Seen[Card]:
    """Return the cards of an event or, if they are not visible, as many nulls."""
    return cards if visible else (None,) * len(cards)


def each_its_own[Card](hands: Iterable[tuple[Card, ...]], viewer: Viewer) -> tuple[Seen[Card], ...]:
    """Return the hands of an event, in seat order, each visible to its own seat."""
    return tuple(shown(hand, visible=sees(viewer, seat)) for seat, hand in by_seat(hands))


def revealed[Card](cards: Seen[Card]) -> tuple[Card, ...]:
    """Return the cards of an event as it was decided: none of them is hidden."""
    return tuple(card for card in cards if card is not None)


def face_down[Card](cards: tuple[Card, ...], viewer: Viewer) -> TablePile[Card]:
    """Return a face-down pile as a view shows it."""
    return TablePile(len(cards), cards if sees_all(viewer) else ())
