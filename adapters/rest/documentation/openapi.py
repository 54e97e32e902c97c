"""The OpenAPI document.

The framework describes paths and parameters. Bodies come from the same structs that are encoded and decoded,
and what depends on the game from the registry: a component a game, and a union of them under the common name.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

import msgspec

from adapters.generics import filled
from adapters.keys.signing import KeySet
from adapters.rest.answers import LINES
from adapters.rest.bodies import branches, chat, lobby, matches, players, webhooks
from adapters.rest.documentation import webhook_docs
from adapters.rest.parameters import plain
from adapters.rest.problems import ALL_KINDS, MEDIA_TYPE, Problem
from adapters.rest.streams import FORMS
from domain.match import COMMON_EVENTS, Resign
from domain.shared.catalogues import Clause, DataTable
from domain.shared.game import AnyGame
from services.chat.log import ChatMessage, ChatReport
from services.chat.stream import ChatItem
from services.lobby.invitations import Invitation
from services.matches.summaries import MatchSummary
from services.matches.views import SeenEvent, View
from services.notify.player_feed import PlayerItem
from services.notify.subscriptions import Delivery, Webhook
from services.players.accounts import PublicPlayer
from services.players.blocks import Block
from services.players.statistics import Achieved, RankedPlayer
from services.players.store import Player, Token
from services.proof.bundles import EndLine, Header
from services.proof.heads import SignedDay
from services.proof.proofs import MatchProof
from services.streams.match_stream import CaughtUp, End, Heartbeat
from services.streams.presence import PresenceItem

REFERENCE = "#/components/schemas/{name}"
HEADER = "#/components/headers/{name}"

STATIC: Mapping[str, Any] = {
    "PlayerRequest": players.PlayerRequest,
    "ProfileRequest": players.ProfileRequest,
    "Player": Player,
    "NewPlayer": players.NewPlayer,
    "PublicPlayer": PublicPlayer,
    "TokenRequest": players.TokenRequest,
    "Token": Token,
    "NewToken": players.NewToken,
    "TokenPage": matches.Items[Token],
    "Block": Block,
    "BlockPage": matches.Items[Block],
    "SeatRequest": matches.SeatRequest,
    "BranchRequest": branches.BranchRequest,
    "RematchRequest": lobby.RematchRequest,
    "InvitationRequest": lobby.InvitationRequest,
    "Invitation": Invitation,
    "BotPage": matches.Items[lobby.Bot],
    "WebhookRequest": webhooks.WebhookRequest,
    "WebhookChangesRequest": webhooks.WebhookChangesRequest,
    "Webhook": Webhook,
    "WebhookPage": matches.Items[Webhook],
    "NewWebhook": webhooks.NewWebhook,
    "WebhookSecret": webhooks.WebhookSecret,
    "Delivery": Delivery,
    "DeliveryPage": matches.Items[Delivery],
    "GamePage": matches.Items[matches.GameSummary],
    "Rules": matches.Rules,
    "PlayerEventPage": matches.PlayerEvents,
    "PlayerItem": PlayerItem.__value__,
    "Achievements": Achieved,
    "Leaderboard": matches.Items[RankedPlayer],
    "Health": matches.Health,
    "Problem": Problem,
    "SocketProblem": matches.SocketProblem,
    "MessageRequest": chat.MessageRequest,
    "ChatMessage": ChatMessage,
    "ChatPage": matches.Items[ChatMessage],
    "ChatItem": ChatItem.__value__,
    "ReportRequest": chat.ReportRequest,
    "ChatReport": ChatReport,
    "ReportPage": matches.Items[ChatReport],
    "MatchProof": MatchProof,
    "SignedDay": SignedDay,
    "DayPage": matches.Items[SignedDay],
    "KeySet": KeySet,
}
"""The bodies that are the same for every game."""

ALWAYS = (500, 503)
"""The problems that every operation may answer with."""

OWN = "/v1/"
"""How the paths begin whose requests are counted, and refused with a parameter that is not theirs."""

STANDING: Mapping[str, tuple[str, str]] = {
    "RateLimit-Policy": (
        "The budgets that counted the request: `q` in `w` seconds each.",
        '"token";q=3000;w=60, "address";q=6000;w=60',
    ),
    "RateLimit": (
        "How the caller stands with them: `r` are left, all are back in `t` seconds.",
        '"token";r=2999;t=55, "address";r=5998;t=55',
    ),
}
"""The headers of every answer to a request that was counted, with an example."""

RETRY = ("Retry-After", ("Seconds after which to come again.", "5"))
"""The header that says when a request that was refused for now may come again."""

DISCRIMINATED = {
    "Match": "game",
    "MatchRequest": "game",
    "QuickMatchRequest": "game",
    "View": "game",
    "Game": "id",
}
"""The bodies in which one field names the game."""

PUBLISHED = {"MatchStatus": "Phase"}
"""Components that clients know by another name than the code."""
RENAMED = {"state": "status"}
"""Fields that clients know by another name than the code, which describes them."""


def describes(
    *,
    answers: str | None,
    asks: str | None = None,
    streams: str | None = None,
    ends: bool = False,
    lines: str | None = None,
    fails: Sequence[int] = (),
    secured: bool = False,
    conditional: bool = False,
) -> dict[str, Any]:
    """Return a handler's option that names its bodies, by component, and the problems it may answer with.

    Args:
        answers: What it answers with; None for nothing.
        asks: What it is asked with.
        streams: The items of the stream that it answers with if it is asked for one.
        ends: Whether the stream comes to an end after which there is nothing.
        lines: What each line holds of a list that it answers with if it is asked for lines.
        fails: The statuses of its problems.
        secured: Whether it needs a token.
        conditional: Whether it may answer that the caller has it already.
    """
    return {
        "answers": answers,
        "asks": asks,
        "streams": streams,
        "ends": ends,
        "lines": lines,
        "fails": tuple(fails),
        "secured": secured,
        "conditional": conditional,
    }


def component(game: AnyGame, name: str) -> str:
    """Return the component of a game: `MontanaView`."""
    return "".join(word.capitalize() for word in game.id.split("_")) + name


def components(games: Sequence[AnyGame]) -> dict[str, Any]:
    """Return all components by name."""
    shared = _shared()
    found = dict(shared)
    for game in games:
        found |= _of_game(game, shared)
    kinds = matches.game_bodies(games[0])
    for kind in kinds:
        references = {game.id: REFERENCE.format(name=component(game, kind)) for game in games}
        choices = [{"$ref": reference} for reference in references.values()]
        # Without a field that names the game a body may be of several games: giving up, no legal move.
        found[kind] = (
            {"oneOf": choices, "discriminator": {"propertyName": DISCRIMINATED[kind], "mapping": references}}
            if kind in DISCRIMINATED
            else {"anyOf": choices}
        )
    return dict(sorted((found | {"MatchPage": _match_page(shared["GamePage"])}).items()))


def document(
    generated: dict[str, Any],
    games: Sequence[AnyGame],
    options: Mapping[str, Any],
    *,
    limited: bool = False,
) -> Any:
    """Return the finished document.

    Args:
        generated: What the framework made.
        games: The registered games.
        options: What `describes` gave, by operation id.
        limited: Whether requests are counted.
    """
    for path, operations in generated["paths"].items():
        counted, refuses = limited and path.startswith(OWN), (400, 406) if path.startswith(OWN) else ()
        for operation in operations.values():
            said = options[operation["operationId"]]
            operation["summary"], _, operation["description"] = operation["description"].partition("\n\n")
            ok = next(status for status in operation["responses"] if status.startswith("2"))
            good = (
                {"description": "Done."}
                if said["answers"] is None
                else _content("Done.", "application/json", said["answers"])
            )
            operation["responses"] = {ok: good} | {
                str(status): _content(_titles(status), MEDIA_TYPE, "Problem")
                for status in sorted({*said["fails"], *ALWAYS, *refuses, *((429,) if counted else ())})
            }
            if said["streams"]:
                schema = {"schema": {"$ref": REFERENCE.format(name=said["streams"])}}
                operation["responses"][ok]["content"] |= dict.fromkeys(FORMS, schema)
            if said["ends"]:
                operation["responses"]["204"] = {"description": "The match is over: do not come back."}
            if said["conditional"]:
                operation["responses"]["304"] = {"description": "`If-None-Match` names what it is now."}
            for parameter in operation.get("parameters", ()):
                if parameter["in"] in {"query", "path"}:
                    schema = plain(parameter["schema"])
                    parameter["schema"] = schema | _renamed(schema, PUBLISHED)
            if said["lines"]:
                line = {"schema": {"$ref": REFERENCE.format(name=said["lines"])}}
                operation["responses"][ok].setdefault("content", {})[LINES] = line
            may_call: list[dict[str, list[str]]] = [{"token": []}] if 401 in said["fails"] else []
            operation["security"] = may_call if said["secured"] or not may_call else [{}, *may_call]
            if said["asks"]:
                operation["requestBody"] = {"required": _is_required(said["asks"])} | _content(
                    None, "application/json", said["asks"]
                )
            for status, response in operation["responses"].items():
                names = [*(STANDING if counted else ()), *([RETRY[0]] if status in {"429", "503"} else ())]
                if names:
                    response["headers"] = {name: {"$ref": HEADER.format(name=name)} for name in names}
    generated["webhooks"] = webhook_docs.described({"$ref": REFERENCE.format(name="WebhookMessage")})
    generated["components"] = {
        "headers": {
            name: {"description": text, "required": True, "schema": {"type": "string"}, "example": example}
            for name, (text, example) in (*(STANDING.items() if limited else ()), RETRY)
        },
        "schemas": {name: _documented(name, schema) for name, schema in components(games).items()},
        "securitySchemes": {
            "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A player's token, `montane_...`, or one of an issuer that is trusted.",
            }
        },
    }
    return generated


def _is_required(name: str) -> bool:
    """Return whether a body has a field that must be given."""
    body = STATIC.get(name)
    return body is None or any(field.required for field in msgspec.structs.fields(body))


def _match_page(games: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the list of matches, which holds matches of any game, after that of the games."""
    properties = games["properties"]
    matches = properties["items"] | {"items": {"$ref": REFERENCE.format(name="Match")}}
    return games | {"properties": properties | {"items": matches}}


def _titles(status: int) -> str:
    return " Or: ".join(f"{kind.title}. {kind.meaning}" for kind in ALL_KINDS if kind.status == status)


def _documented(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a component under its own name, its fields described by the docstring's `Attributes`."""
    said, _, attributes = schema.get("description", "").replace("None", "null").partition("\n\nAttributes:\n")
    if not said:
        return schema
    fields: dict[str, str] = {}
    field = ""
    for line in attributes.splitlines():
        indented = line.removeprefix("    ")
        if indented.startswith("    "):
            fields[field] += f" {indented.strip()}"
        else:
            field, _, text = indented.partition(": ")
            fields[field] = text
    described = {
        field: value | {"description": fields[own]} if own in fields else value
        for field, value in schema.get("properties", {}).items()
        for own in (field if field in fields else RENAMED.get(field, field),)
    }
    titled = {key: value for key, value in schema.items() if key != "title"} | {"description": said}
    return titled | ({"properties": described} if described else {})


def _content(description: str | None, media_type: str, name: str) -> dict[str, Any]:
    content = {"content": {media_type: {"schema": {"$ref": REFERENCE.format(name=name)}}}}
    return content if description is None else {"description": description} | content


def _shared() -> dict[str, Any]:
    """Return the components that no game owns."""
    events = reduce(or_, COMMON_EVENTS)
    samples = [
        filled(SeenEvent, events),
        filled(View, Resign, None),
        PresenceItem,
        CaughtUp,
        Heartbeat,
        End,
        filled(MatchSummary, None),
        Header,
        EndLine,
        Clause,
        DataTable,
        matches.Schemas,
    ]
    references, found = _described([*STATIC.values(), *samples])
    names = dict(zip(references, STATIC, strict=False)) | PUBLISHED
    kept = {
        names.get(name, name): schema for name, schema in found.items() if name in names or name.isalnum()
    }
    return {name: _renamed(schema, names) for name, schema in kept.items()}


def _of_game(game: AnyGame, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return the components of a game, each under the game's name."""
    kinds = matches.game_bodies(game)
    references, found = _described(list(kinds.values()))
    names = {name: _named(name, game, shared) for name in found} | {
        reference: component(game, kind) for reference, kind in zip(references, kinds, strict=True)
    }
    ours = {names[name]: schema for name, schema in found.items() if names[name] not in shared}
    for kind, field in DISCRIMINATED.items():
        ours[component(game, kind)]["properties"][field] = {"const": game.id}
    return {name: _renamed(schema, names) for name, schema in ours.items()}


def _named(name: str, game: AnyGame, shared: Mapping[str, Any]) -> str:
    """Return the component of a type that msgspec has named.

    It names a generic type's parameters too, and the modules of types that have one name, as the phases of a
    match and of a game.
    """
    if name in PUBLISHED:
        return PUBLISHED[name]
    plain = name.rpartition(".")[2] if name.startswith("domain.") else name.partition("_")[0]
    is_own = plain not in shared or plain in PUBLISHED.values() or name.startswith(f"domain.games.{game.id}.")
    return component(game, plain) if is_own else plain


def _described(types: list[Any]) -> tuple[list[str], dict[str, Any]]:
    """Return the component of each type, and all components; a bare union gets one of its own."""
    schemas, found = msgspec.json.schema_components(types, ref_template=REFERENCE)
    references = []
    for number, schema in enumerate(schemas):
        if list(schema) == ["$ref"]:
            references.append(schema["$ref"].rpartition("/")[2])
        else:
            references.append(f"bare_{number}")
            found[f"bare_{number}"] = schema
    return references, found


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """Return a schema whose references follow new names, with tagged unions as `oneOf`."""
    match schema:
        case {"$ref": str(reference)}:
            name = reference.rpartition("/")[2]
            said = {key: value for key, value in schema.items() if key == "description"}
            return {"$ref": REFERENCE.format(name=names.get(name, name))} | said
        case {"propertyName": _, "mapping": dict(mapping)}:
            return schema | {
                "mapping": {tag: _renamed({"$ref": to}, names)["$ref"] for tag, to in mapping.items()}
            }
        case {"anyOf": _, "discriminator": _}:
            tagged = {"oneOf" if key == "anyOf" else key: value for key, value in schema.items()}
            return {key: _renamed(value, names) for key, value in tagged.items()}
        case dict():
            return {key: _renamed(value, names) for key, value in schema.items()}
        case list():
            return [_renamed(value, names) for value in schema]
    return schema
