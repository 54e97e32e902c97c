"""Sentences for people, made from a reason and its details; no code reads them."""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from domain.games import GAMES, clause_of
from domain.match import Reason
from domain.match.rules import COMMON, RULES
from domain.shared.catalogues import clause_about
from domain.shared.rejections import Rejected
from services.chat.rooms import ChatReason
from services.shared.errors import (
    Conflict,
    Failure,
    FailureReason,
    Forbidden,
    KeyReused,
    Malformed,
    NotFound,
    RateLimited,
    SetAside,
    TooMany,
    Unauthenticated,
    Unavailable,
)

TITLES: Mapping[type[Exception], str] = {
    Malformed: "The request is malformed",
    Unauthenticated: "The caller is unknown",
    Forbidden: "The caller may not do this",
    NotFound: "There is no such thing",
    Conflict: "The match has moved on",
    KeyReused: "The idempotency key was used before",
    Rejected: "The rules refuse",
    RateLimited: "Too many requests",
    TooMany: "There are enough already",
    Unavailable: "Something that is needed is away",
    SetAside: "The match is set aside",
}
"""What each kind of failure says in short."""

BUG = ("Something went wrong", "The fault is the server's; it has been recorded.")
"""What is said of anything else: nothing about it."""

SENTENCES: Mapping[StrEnum, str] = {
    FailureReason.MALFORMED_REQUEST: "The request cannot be read.",
    FailureReason.NO_SUCH_RESOURCE: "There is nothing at this address.",
    FailureReason.MISSING_FIELD: "{field} must be given.",
    FailureReason.UNKNOWN_FIELD: "There is no field {field}.",
    FailureReason.INVALID_FIELD: "{field} must be {expected}.",
    FailureReason.INVALID_IDEMPOTENCY_KEY: "The idempotency key must be {expected}.",
    FailureReason.TOKEN_MISSING: "A bearer token is needed; opening a guest account gives one.",
    FailureReason.TOKEN_UNKNOWN: "Nobody has this token.",
    FailureReason.ADDRESS_REFUSED: "{field} names an address that this server sends nothing to.",
    FailureReason.NO_SUCH_WEBHOOK: "There is no webhook {webhook}, or none that the caller may know of.",
    FailureReason.TOO_MANY_WEBHOOKS: (
        "There may be {most} webhooks of one owner; remove one that is not needed."
    ),
    FailureReason.TOKEN_MALFORMED: "This is no token of this server.",
    FailureReason.TOKEN_FOREIGN: "This token is from another issuer, or for another service.",
    FailureReason.TOKEN_NOT_YET_VALID: "This token is not good yet.",
    FailureReason.ISSUER_UNAVAILABLE: (
        "The issuer of this token does not answer, and its key is not known here."
    ),
    FailureReason.TOKEN_EXPIRED: "This token is no longer good: its time is over.",
    FailureReason.SCOPE_MISSING: "The token does not have the scope {scope}.",
    FailureReason.NO_SUCH_TOKEN: "The caller has no token {token}.",
    FailureReason.TOO_MANY_TOKENS: "A player may have {most} tokens; revoke one that is not needed.",
    FailureReason.NOT_SEATED: "The caller has no seat in this match.",
    FailureReason.NOT_YOUR_VIEW: "The caller may not look at this match from there.",
    FailureReason.NOT_THE_OPENER: "Only the player who opened the match may do this.",
    FailureReason.NOT_YOUR_SEAT: "Seat {seat} is another's.",
    FailureReason.NOT_INVITED: "The match is played again by others; the caller has not been invited.",
    FailureReason.NO_SUCH_PLAYER: "There is no player {player}.",
    FailureReason.NO_SUCH_BLOCK: "The caller has not blocked {player}.",
    FailureReason.TOO_MANY_BLOCKS: "A player may block {most} others; unblock one first.",
    FailureReason.TOO_MANY_OPEN_MATCHES: "A player may have {most} open matches; start or cancel one first.",
    FailureReason.TOO_MANY_BOT_MATCHES: "Bots alone may play {most} matches of a player at a time.",
    FailureReason.TOO_MANY_INVITATIONS: "{most} invitations of a player may be pending at a time.",
    FailureReason.NO_SUCH_BOT: "The server has no bot {bot}.",
    FailureReason.NO_SUCH_GAME: "There is no game {game}.",
    FailureReason.NO_SUCH_RULESET: "The game has no ruleset {ruleset}.",
    FailureReason.RULESET_UNKNOWN: "This server does not know the ruleset {ruleset}; a newer one does.",
    FailureReason.NO_SUCH_MATCH: "There is no match {match}, or none that the caller may know of.",
    FailureReason.MATCH_SET_ASIDE: (
        "Not all of the match {match} can be read; the operator has to repair it."
    ),
    FailureReason.NO_SUCH_DAY: "The day {date} is not closed yet, or was before the first match.",
    FailureReason.NO_SUCH_VERSION: "The match has no version {version}; the latest is {latest}.",
    FailureReason.VERSION_CONFLICT: "The match is at version {version}, not at {expected_version}.",
    FailureReason.IDEMPOTENCY_KEY_REUSED: "The idempotency key came with another request before.",
    FailureReason.NOT_YOUR_ROOM: (
        "The caller may neither read nor write in the room {room} of this match now."
    ),
    FailureReason.NO_SUCH_MESSAGE: "There is no message {message}, or none that the caller may read.",
    FailureReason.CHAT_TOO_FAST: (
        "The caller writes too fast; the next message is taken in {retry_after} seconds."
    ),
    FailureReason.RATE_LIMITED: "The budget {policy} is spent; come again in {retry_after} seconds.",
    FailureReason.STREAMS_LATE: "The server does not hear of what happens elsewhere; another one may.",
    FailureReason.STORE_UNAVAILABLE: (
        "The store does not answer; trying again with the same idempotency key is safe."
    ),
    ChatReason.CHAT_OFF: "There is no chat in this match.",
    ChatReason.WHISPER_TO_SELF: "A whisper goes to another seat.",
    ChatReason.ALREADY_REPORTED: "The caller has reported this message before, for another reason.",
    Reason.MATCH_NOT_STARTED: "The match has not begun: not all seats are taken.",
    Reason.MATCH_STARTED: "The match has begun.",
    Reason.MATCH_OVER: "The match is over.",
    Reason.NO_SUCH_SEAT: "The match has no seat {seat}.",
    Reason.SEAT_TAKEN: "Seat {seat} is taken.",
    Reason.ALREADY_SEATED: "The player has a seat already.",
    Reason.SEAT_NOT_TO_ACT: "Seat {seat} is not to act now.",
    Reason.ALREADY_RESIGNED: "Seat {seat} has resigned.",
    Reason.SEATS_OUT_OF_RANGE: "The game is played by {minimum} to {maximum}.",
    Reason.MATCH_CANCELLED: "The match was cancelled.",
    Reason.MATCH_NOT_OVER: "The match is not over.",
    Reason.MATCH_NOT_PLAYED: "The match was not being played then.",
    Reason.IS_BRANCH: "The match is a branch of another, for the eyes of its player only.",
    Reason.NO_BRANCH: "The match is no branch of another.",
    Reason.NO_SUCH_TABLE: "The game has no such table.",
    Reason.SEAT_FREE: "Nobody holds seat {seat}.",
    Reason.SEATS_FREE: "Seat {seat} is free; all must be taken.",
    Reason.PLAYER_BARRED: "The opener has taken the player's seat away.",
    Reason.ALREADY_INVITED: "The player has been invited already.",
    Reason.TOO_MANY_INVITED: "No more than {most} players may be invited to one match.",
    Reason.TOO_MANY_LOBBY_COMMANDS: "After {most} commands before it begins nobody else may come.",
    Reason.OUT_OF_TIME: "The time of seat {seat} is up.",
    Reason.TIME_NOT_UP: "The time of seat {seat} is not up.",
    Reason.TIME_CONTROL_INVALID: "The time control has numbers that are not of its kind, or out of range.",
}

_OF_A_GAME = re.compile(rf"(?:^|\.)(command|options)\.({'|'.join(GAMES)})(?:\.|$)")
"""A field of a command or of options that names their game, as messages of gRPC do."""

LONGEST = 100
"""How much of a value is repeated, so that a long one does not blow up an answer."""


def describe(failed: Failure | Rejected) -> tuple[str, str]:
    """Return what a failure is in short, and what is wrong in one sentence.

    A refusal by a game's own rules is told in the words of the clause that it enforces.
    """
    title = TITLES[type(failed)]
    if isinstance(failed, Rejected) and (text := _clause_text(failed.reason)):
        return title, text
    if said := failed.details.get("message"):
        return title, _Shown(message=said)["message"]
    sentence = SENTENCES.get(failed.reason)
    if sentence is None:
        return title, f"{title}."
    return title, sentence.format_map(_Shown(failed.details))


def clause_cited(failed: Failure | Rejected) -> str | None:
    """Return the clause that a failure cites, or None if no rule speaks (common §1).

    A refusal cites the clause that it enforces. What is malformed within a command or within options of a
    game cites the section of its rules that says which there are: §4, §2.
    """
    if isinstance(failed, Rejected):
        return clause_of(failed)
    if not isinstance(failed, Malformed):
        return None
    if (clause := failed.details.get("clause")) is not None:
        return str(clause)
    named = _OF_A_GAME.search(str(failed.details.get("field")))
    return clause_about("command" if named[1] == "command" else "options", named[2]) if named else None


@cache
def clause_path(clause: str) -> str | None:
    """Return where a clause can be read, as a path with the place in what is there; None if it is nowhere."""
    rules, _, cited = clause.partition(" ")
    clauses = RULES if rules == COMMON else GAMES[rules].rules if rules in GAMES else ()
    for number, one in enumerate(clauses):
        if one.id == cited:
            return f"/v1/games/{rules}/rules#/clauses/{number}"
    return None


class _Shown(dict[str, object]):
    """Details as a sentence shows them: long ones cut, missing ones as dots."""

    def __getitem__(self, name: str) -> str:
        text = str(self.get(name, "..."))
        return text if len(text) <= LONGEST else text[:LONGEST] + "..."


def _clause_text(reason: StrEnum) -> str | None:
    for game in GAMES.values():
        if isinstance(reason, type(next(iter(game.clauses)))):
            return next((rule.text for rule in game.rules if rule.id == game.clauses[reason]), None)
    return None
