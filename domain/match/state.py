"""A match whatever the game: who sits where, how far it is, and the game's own state inside."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct

from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat

PlayerId = NewType("PlayerId", str)
"""An account, `player_...`. Names and other personal data are kept elsewhere, so that they can be erased."""


class Phase(StrEnum):
    """How far a match is."""

    OPEN = "open"
    PLAYING = "playing"
    FINISHED = "finished"


class Visibility(StrEnum):
    """Who may know of a match."""

    PUBLIC = "public"
    PRIVATE = "private"


class Disclosure(StrEnum):
    """What everybody may see after the end (common §10)."""

    AT_END = "at_end"
    NEVER = "never"


class MemoryAid(StrEnum):
    """Whether views of a game that has a memory aid show it (common §10)."""

    ON = "on"
    OFF = "off"


class HolderKind(StrEnum):
    """What holds a seat."""

    HUMAN = "human"


class Holder(Struct, frozen=True):
    """Who holds a seat.

    Attributes:
        player: The account.
        kind: What holds the seat.
        entropy: The seat's own contribution to chance; empty if it gave none.
    """

    player: PlayerId
    kind: HolderKind
    entropy: str


class Terms[O](Struct, frozen=True, kw_only=True):
    """What is fixed for good when a match opens.

    Attributes:
        game: The game's id.
        ruleset: Edition of the rules.
        options: The game's own options, all of them.
        seats: Number of seats.
        opener: Who opened the match.
        visibility: Who may know of it.
        disclosure: What everybody may see after the end.
        seed_commitment: SHA-256 of the seed that all chance comes from.
        memory_aid: Whether views of a game that has a memory aid show it.
    """

    game: str
    ruleset: str
    options: O
    seats: int
    opener: PlayerId
    visibility: Visibility
    disclosure: Disclosure
    seed_commitment: str
    memory_aid: MemoryAid = MemoryAid.ON


class Match[S, O](Struct, frozen=True):
    """A match as it stands.

    Attributes:
        terms: What was fixed at opening.
        phase: How far it is.
        holders: Who holds each seat, None where nobody does.
        table: The game's state; the game's beginning until all seats are taken.
        resigned: Seats that gave up, in the order in which they did.
        outcome: How it ended, once it has.
    """

    terms: Terms[O]
    phase: Phase
    holders: tuple[Holder | None, ...]
    table: S
    resigned: tuple[Seat, ...] = ()
    outcome: Outcome | None = None
