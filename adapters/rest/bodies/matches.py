"""The bodies of requests and answers; what depends on the game is typed by the registry."""

from functools import cache, reduce
from operator import or_
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from adapters.generics import filled
from adapters.rest.bodies.lobby import QuickMatchRequest
from adapters.rest.problems import Problem
from domain.match import (
    Conditions,
    Resign,
    seen_event_types,
)
from domain.shared.catalogues import Clause, DataTable, DrawRule
from domain.shared.game import AnyGame
from services.matches.summaries import MatchSummary
from services.matches.views import SeenEvent, View
from services.notify.player_feed import PlayerEvent
from services.notify.webhook_messages import WebhookMessage
from services.proof.bundles import EndLine, EventLine, Header
from services.shared.health import Degraded
from services.streams.match_stream import CaughtUp, End, EventItem, Heartbeat, SnapshotItem
from services.streams.presence import PresenceItem


class MatchRequest[O](Conditions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match to open.

    Attributes:
        game: The game's id.
        options: The game's options; those left out have their defaults.
        seats: Number of seats; the game's fewest if left out.
        seat: The seat that the caller takes; none if left out.
        entropy: The caller's own contribution to chance, at most 256 printable characters. It is public and
            kept for ever, as all of the match is, though the account be erased: put nothing personal here.
    """

    game: str
    options: O | msgspec.UnsetType = msgspec.UNSET
    seats: Annotated[int, Meta(ge=1, le=64)] | None = None
    seat: Annotated[int, Meta(ge=0, le=63)] | None = None
    entropy: str = ""


class SeatRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat to take.

    Attributes:
        entropy: The seat's own contribution to chance, at most 256 printable characters. It is public and
            kept for ever, as all of the match is, though the account be erased: put nothing personal here.
        bot: The name of the server's bot that takes the seat, at the opener's request; the caller if left
            out.
    """

    entropy: str = ""
    bot: str | None = None


class CommandRequest[C](Struct, frozen=True, forbid_unknown_fields=True):
    """A command of the caller's seat.

    Attributes:
        command: What the seat asks for.
        expected_version: The version that the caller decided on; refused if the match is at another.
        validate_only: Only say whether the command would be accepted.
        seat: The seat that gives it, for a caller who holds several, as in a branch; the caller's own if left
            out, or the lowest of them that is to act.
    """

    command: C
    expected_version: Annotated[int, Meta(ge=0)] | None = None
    validate_only: bool = False
    seat: Annotated[int, Meta(ge=0, le=63)] | None = None


class CommandResult[C, P, T](Struct, frozen=True):
    """What a command led to.

    Attributes:
        version: Version of the match after the command's last event.
        events: What happened, as the acting seat may see it; none if it was only validated.
        view: The match at that version as the acting seat may see it.
    """

    version: int
    events: tuple[SeenEvent[P], ...]
    view: View[C, T]


class SocketCommand[C](Struct, frozen=True, tag_field="type", tag="command", forbid_unknown_fields=True):
    """A command of the caller's seat, as a client sends it.

    Attributes:
        command: What the seat asks for.
        id: The client's own name for this message, repeated in the answer.
        expected_version: The version that the caller decided on; refused if the match is at another.
        validate_only: Only say whether the command would be accepted.
        without_view: Leave the view out of the answer, which a client that folds the events does not need.
        key: The idempotency key; the server makes one if it is left out.
        seat: The seat that gives it, for a caller who holds several, as in a branch; the caller's own if left
            out, or the lowest of them that is to act.
    """

    command: C
    id: Annotated[str, Meta(max_length=255)] = ""
    expected_version: Annotated[int, Meta(ge=0)] | None = None
    validate_only: bool = False
    without_view: bool = False
    key: str | None = None
    seat: Annotated[int, Meta(ge=0, le=63)] | None = None


class SocketResult[C, P, T](Struct, frozen=True, tag_field="type", tag="result"):
    """What a command led to. Its events come with it and not as items too, or were sent as items already.

    To a stream that looks from elsewhere than the acting seat they come as items too.

    Attributes:
        id: The client's name for the command.
        key: The command's idempotency key.
        version: Version of the match after the command's last event.
        events: What happened, as the acting seat may see it; none if it was only validated.
        view: The match at that version as the acting seat may see it; null if the command wanted none.
    """

    id: str
    key: str
    version: int
    events: tuple[SeenEvent[P], ...]
    view: View[C, T] | None


class SocketProblem(Struct, frozen=True, tag_field="type", tag="problem"):
    """A command, or the socket itself, that was refused.

    Attributes:
        id: The client's name for the command; empty if it could not be read, or the socket itself is refused.
        problem: Why.
    """

    id: str
    problem: Problem


class LegalMoves[C](Struct, frozen=True):
    """The moves of the caller's seat.

    Attributes:
        version: The version at which they are legal.
        legal_moves: In full form, in the stated order.
    """

    version: int
    legal_moves: tuple[C, ...]


class Items[Item](Struct, frozen=True):
    """A part of a list.

    Attributes:
        items: In the list's order.
        next_page_token: What to send as `page_token` to go on; null after the last part.
    """

    items: tuple[Item, ...]
    next_page_token: str | None


class PlayerEvents(Items[PlayerEvent], frozen=True):
    """A part of what concerns the caller.

    Attributes:
        items: What has happened, in order.
        next_page_token: What to send as `page_token` to go on; null after the last part.
        oldest: The position after which all is kept; what was before is forgotten.
    """

    oldest: str


class GameSummary(Struct, frozen=True, kw_only=True):
    """A game that can be played.

    Attributes:
        id: The game's id.
        title: Name as players know it.
        ruleset: Edition of the rules for new matches.
        summary: What it is, in one sentence.
        min_seats: Fewest seats.
        max_seats: Most seats.
        max_commands: Most commands of a match from the beginning of play; then it ends: solo it is lost, else
            shared by all who have not resigned, unrated. Null if there is no limit.
    """

    id: str
    title: str
    ruleset: str
    summary: str
    min_seats: int
    max_seats: int
    max_commands: int | None


class Schemas(Struct, frozen=True):
    """Where the game's types stand in the OpenAPI document.

    Attributes:
        options: Options of a match.
        command: Commands of a seat.
        event: Events as a viewer sees them.
        view: View of a match.
    """

    options: str
    command: str
    event: str
    view: str


class GameBody[O](GameSummary, frozen=True, kw_only=True):
    """A game with what a client needs to offer it.

    Attributes:
        id: The game's id.
        title: Name as players know it.
        ruleset: Edition of the rules for new matches.
        summary: What it is, in one sentence.
        min_seats: Fewest seats.
        max_seats: Most seats.
        max_commands: Most commands of a match from the beginning of play; then it ends: solo it is lost, else
            shared by all who have not resigned, unrated. Null if there is no limit.
        default_options: The options of a match that sets none.
        schemas: Where the game's types stand in the OpenAPI document.
    """

    default_options: O
    schemas: Schemas


class RefusalReason(Struct, frozen=True):
    """A reason for which a game refuses a command.

    Attributes:
        reason: Stable code.
        clause: The clause that it enforces, `§4.4`.
    """

    reason: str
    clause: str


class Rules(Struct, frozen=True):
    """A game's rules and data.

    Attributes:
        game: The game's id; `common` for what all games have in common.
        ruleset: Edition of the rules.
        clauses: Sections and rulings, in their order.
        common: The clauses that all games have in common, which come with every game's own; none of `common`.
        reasons: Every reason for which the game refuses a command, in the order of the rules.
        data: The ruleset's tables with their grade.
        draws: All that the rules ask of chance, in the order of the rules.
    """

    game: str
    ruleset: str
    clauses: tuple[Clause, ...]
    common: tuple[Clause, ...]
    reasons: tuple[RefusalReason, ...]
    data: tuple[DataTable, ...]
    draws: tuple[DrawRule, ...]


class Health(Struct, frozen=True, omit_defaults=True):
    """Whether the server works.

    Attributes:
        status: `live` or `ready`.
        degraded: What does not go well though requests are served; absent if there is nothing.
    """

    status: str
    degraded: tuple[Degraded, ...] = ()


@cache
def command_type(game: str, commands: tuple[type[Any], ...]) -> Any:
    """Return the union of a game's commands and those of every match."""
    return reduce(or_, (Resign, *commands))


def game_bodies(game: AnyGame) -> dict[str, Any]:
    """Return the bodies that depend on the game, by what they are."""
    command, event, options = (
        command_type(game.id, game.commands),
        reduce(or_, seen_event_types(game)),
        game.options,
    )
    move = reduce(or_, game.commands)
    return {
        "Options": options,
        "Command": command,
        "Event": filled(SeenEvent, event),
        "View": filled(View, move, game.table),
        "Match": filled(MatchSummary, options),
        "MatchRequest": filled(MatchRequest, options),
        "QuickMatchRequest": filled(QuickMatchRequest, options),
        "EventPage": filled(Items, filled(SeenEvent, event)),
        "CommandRequest": filled(CommandRequest, command),
        "CommandResult": filled(CommandResult, move, event, game.table),
        "LegalMoves": filled(LegalMoves, move),
        "StreamItem": filled(SnapshotItem, move, game.table)
        | filled(EventItem, event)
        | PresenceItem
        | CaughtUp
        | Heartbeat
        | End,
        "BundleLine": Header | filled(EventLine, event) | EndLine,
        "Game": filled(GameBody, options),
        "SocketCommand": filled(SocketCommand, command),
        "SocketResult": filled(SocketResult, move, event, game.table),
        "WebhookMessage": filled(WebhookMessage, event),
    }


def game_summary(game: AnyGame, max_commands: int | None) -> GameSummary:
    """Return a game as lists show it, with the limit of new matches."""
    return GameSummary(
        id=game.id,
        title=game.title,
        ruleset=game.ruleset,
        summary=game.summary,
        min_seats=game.min_seats,
        max_seats=game.max_seats,
        max_commands=max_commands,
    )


RawCommandRequest = CommandRequest[Raw]
RawMatchRequest = MatchRequest[Raw]
