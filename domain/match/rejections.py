"""Every reason for which a match of any game says no."""

from collections.abc import Mapping
from enum import StrEnum


class Reason(StrEnum):
    """Why a command is refused whatever the game."""

    MATCH_NOT_STARTED = "MATCH_NOT_STARTED"
    MATCH_STARTED = "MATCH_STARTED"
    MATCH_OVER = "MATCH_OVER"
    NO_SUCH_SEAT = "NO_SUCH_SEAT"
    SEAT_TAKEN = "SEAT_TAKEN"
    ALREADY_SEATED = "ALREADY_SEATED"
    SEAT_NOT_TO_ACT = "SEAT_NOT_TO_ACT"
    ALREADY_RESIGNED = "ALREADY_RESIGNED"
    SEATS_OUT_OF_RANGE = "SEATS_OUT_OF_RANGE"
    MATCH_CANCELLED = "MATCH_CANCELLED"
    SEAT_FREE = "SEAT_FREE"
    SEATS_FREE = "SEATS_FREE"
    PLAYER_BARRED = "PLAYER_BARRED"
    ALREADY_INVITED = "ALREADY_INVITED"
    TOO_MANY_INVITED = "TOO_MANY_INVITED"
    TOO_MANY_LOBBY_COMMANDS = "TOO_MANY_LOBBY_COMMANDS"
    TIME_CONTROL_INVALID = "TIME_CONTROL_INVALID"
    OUT_OF_TIME = "OUT_OF_TIME"
    TIME_NOT_UP = "TIME_NOT_UP"
    MATCH_NOT_OVER = "MATCH_NOT_OVER"
    MATCH_NOT_PLAYED = "MATCH_NOT_PLAYED"
    IS_BRANCH = "IS_BRANCH"
    NO_BRANCH = "NO_BRANCH"
    NO_SUCH_TABLE = "NO_SUCH_TABLE"


CLAUSES: Mapping[Reason, str] = {
    Reason.MATCH_NOT_STARTED: "§1",
    Reason.MATCH_STARTED: "§1",
    Reason.MATCH_OVER: "§1",
    Reason.NO_SUCH_SEAT: "§1",
    Reason.SEAT_TAKEN: "§1",
    Reason.ALREADY_SEATED: "§1",
    Reason.SEAT_NOT_TO_ACT: "§1",
    Reason.ALREADY_RESIGNED: "§6",
    Reason.SEATS_OUT_OF_RANGE: "§2",
    Reason.MATCH_CANCELLED: "§1",
    Reason.SEAT_FREE: "§1",
    Reason.SEATS_FREE: "§1",
    Reason.PLAYER_BARRED: "§1",
    Reason.ALREADY_INVITED: "§1",
    Reason.TOO_MANY_INVITED: "§1",
    Reason.TOO_MANY_LOBBY_COMMANDS: "§1",
    Reason.TIME_CONTROL_INVALID: "§7",
    Reason.OUT_OF_TIME: "§7",
    Reason.TIME_NOT_UP: "§7",
    Reason.MATCH_NOT_OVER: "§1",
    Reason.MATCH_NOT_PLAYED: "§1",
    Reason.IS_BRANCH: "§1",
    Reason.NO_BRANCH: "§1",
    Reason.NO_SUCH_TABLE: "§1",
}
"""The clause that each reason enforces, of the common rules but for those `OF_THE_GAME`."""

OF_THE_GAME = frozenset({Reason.SEATS_OUT_OF_RANGE})
"""The reasons that enforce a clause of the game's own rules (common §1); their details name the `game`."""
