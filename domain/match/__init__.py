"""A match whatever the game: opening, seating, start, resignation, end."""

from domain.match.commands import Resign
from domain.match.decide import (
    legal_moves,
    open_match,
    submit,
    take_seat,
    to_act,
    why_not,
)
from domain.match.events import (
    MATCH_EVENTS,
    Finished,
    MatchEvent,
    Opened,
    Resigned,
    SeatTaken,
    Started,
)
from domain.match.evolve import evolve, fold
from domain.match.rejections import CLAUSES, Reason
from domain.match.results import Result, ranks, result
from domain.match.state import (
    Disclosure,
    Holder,
    HolderKind,
    Match,
    MemoryAid,
    Phase,
    PlayerId,
    Terms,
    Visibility,
)
from domain.match.view import seen

__all__ = [
    "CLAUSES",
    "MATCH_EVENTS",
    "Disclosure",
    "Finished",
    "Holder",
    "HolderKind",
    "Match",
    "MatchEvent",
    "MemoryAid",
    "Opened",
    "Phase",
    "PlayerId",
    "Reason",
    "Resign",
    "Resigned",
    "Result",
    "SeatTaken",
    "Started",
    "Terms",
    "Visibility",
    "evolve",
    "fold",
    "legal_moves",
    "open_match",
    "ranks",
    "result",
    "seen",
    "submit",
    "take_seat",
    "to_act",
    "why_not",
]
