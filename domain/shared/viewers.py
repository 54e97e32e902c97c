"""Whoever is looking at a match."""

from enum import StrEnum

from msgspec import Struct

from domain.shared.seats import Seat


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
