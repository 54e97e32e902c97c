"""A match whatever the game: who sits where, how far it is, and the game's own state inside."""

from enum import StrEnum
from typing import Annotated, Any, NewType

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.match.clocks import Clocks, TimeControl
from domain.shared.outcomes import Outcome
from domain.shared.seats import Seat
from domain.shared.viewers import ViewerKind

PlayerId = NewType("PlayerId", str)
"""An account, `player_...`. Names and other personal data are kept elsewhere, so that they can be erased."""


class MatchStatus(StrEnum):
    """How far a match is."""

    OPEN = "open"
    PLAYING = "playing"
    FINISHED = "finished"
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        """Whether nothing happens any more."""
        return self in (MatchStatus.FINISHED, MatchStatus.CANCELLED)


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


class StartMode(StrEnum):
    """What begins a match whose seats are all taken."""

    AUTO = "auto"
    MANUAL = "manual"


class OnTimeOut(StrEnum):
    """What becomes of a seat whose time is up (common §7)."""

    RESIGN = "resign"
    DEFAULT_MOVE = "default_move"


class ChatMode(StrEnum):
    """Whether there is talk in a match."""

    ON = "on"
    OFF = "off"


class HolderKind(StrEnum):
    """What holds a seat."""

    HUMAN = "human"
    BOT = "bot"


class CancelReason(StrEnum):
    """Why a match was cancelled before it began."""

    BY_OPENER = "by_opener"
    ABANDONED = "abandoned"


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


class BranchOf(Struct, frozen=True):
    """Where a branch begins, a match that is played on from a past table of another for analysis.

    Attributes:
        match: The other match.
        version: How many events it had then.
        viewer: From where its player looked: what it could not know from there was drawn again.
        seat: The seat that it looked from, of kind `seat` only.
    """

    match: str
    version: int
    viewer: ViewerKind
    seat: Seat | None


class PlayConditions(Struct, frozen=True, kw_only=True):
    """What players agree on, anyone who may join: a quick match names these."""

    disclosure: Annotated[Disclosure, Meta(description="What everybody may see after the end.")] = (
        Disclosure.AT_END
    )
    memory_aid: Annotated[
        MemoryAid, Meta(description="Whether views of a game that has a memory aid show it.")
    ] = MemoryAid.ON
    time_control: Annotated[
        TimeControl, Meta(description="How much time the seats have; all they want if left out.")
    ] = TimeControl()
    on_time_out: Annotated[OnTimeOut, Meta(description="What becomes of a seat whose time is up.")] = (
        OnTimeOut.RESIGN
    )
    chat: Annotated[ChatMode, Meta(description="Whether there is talk.")] = ChatMode.ON
    rated: Annotated[
        bool,
        Meta(
            description="Whether the outcome counts for ratings, if the match is public and has more than one"
            " seat."
        ),
    ] = True


class Conditions(PlayConditions, frozen=True, kw_only=True):
    """What the opener of a match chooses, whatever the game."""

    visibility: Annotated[Visibility, Meta(description="Who may know of the match.")] = Visibility.PUBLIC
    start: Annotated[StartMode, Meta(description="What begins the match once its seats are taken.")] = (
        StartMode.AUTO
    )


def conditions_of(value: Any) -> dict[str, Any]:
    """Return the conditions that a value has by their names: a request's, a proposal's, a match's terms."""
    return {name: getattr(value, name) for name in Conditions.__struct_fields__ if hasattr(value, name)}


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
        start: What begins the match once its seats are taken.
        time_control: How much time the seats have.
        on_time_out: What becomes of a seat whose time is up.
        chat: Whether there is talk.
        rated: Whether the outcome counts for ratings.
        rematch_of: The match that this one is played again after; None for the first.
        branch_of: Where the match branches off from another; None for one that is played for its own sake.
        max_commands: The most commands from the beginning of play, then it ends; not set if there is none.
            Matches opened before there was a limit must be written, and hashed, as they were.
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
    start: StartMode = StartMode.AUTO
    time_control: TimeControl = TimeControl()
    on_time_out: OnTimeOut = OnTimeOut.RESIGN
    chat: ChatMode = ChatMode.ON
    rated: bool = True
    rematch_of: str | None = None
    branch_of: BranchOf | None = None
    max_commands: int | UnsetType = UNSET

    @property
    def is_branch(self) -> bool:
        """Whether the match is for analysis: it counts for nothing, and concerns nobody but its player."""
        return self.branch_of is not None


class Match[S, O](Struct, frozen=True, rename={"status": "phase", "state": "table"}):
    """A match as it stands.

    Attributes:
        terms: What was fixed at opening.
        status: How far it is; stored as `phase`.
        holders: Who holds each seat, None where nobody does.
        state: The game's whole state; its beginning until play begins. Stored as `table`.
        resigned: Seats that gave up or ran out of time for good, in the order in which they did.
        outcome: How it ended, once it has.
        invited: Players who were invited, in that order.
        barred: Players who lost their seat to the opener's request, and may not come back.
        first: The seat that was to act first; None before play.
        timed_out: Seats whose time was up, in the order in which it was; more than once if it was.
        clocks: The time that the seats have left; None without time control, and out of play.
        renewals: How often its link was renewed, at the opener's request or because a player was barred.
    """

    terms: Terms[O]
    status: MatchStatus
    holders: tuple[Holder | None, ...]
    state: S
    resigned: tuple[Seat, ...] = ()
    outcome: Outcome | None = None
    invited: tuple[PlayerId, ...] = ()
    barred: tuple[PlayerId, ...] = ()
    first: Seat | None = None
    timed_out: tuple[Seat, ...] = ()
    clocks: Clocks | None = None
    renewals: int = 0


type AnyMatch = Match[Any, Any]
"""A match of any game."""


def seat_held(match: Match[Any, Any], player: PlayerId) -> Seat | None:
    """Return the seat that a player holds, the lowest if it is a branch; or None."""
    for seat, holder in enumerate(match.holders):
        if holder is not None and holder.player == player:
            return Seat(seat)
    return None
