"""OpenAPI and the protos say the same: names, fields, kinds and values of everything that both faces show."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from adapters.grpc.generated.montane.v1 import (
    catalogue_pb2,
    chat_pb2,
    match_pb2,
    matches_pb2,
    player_feed_pb2,
    players_pb2,
    proofs_pb2,
    statistics_pb2,
    webhooks_pb2,
)
from adapters.grpc.mapping import COMMAND, PAYLOAD, enum_of, message_of
from adapters.rest.app import build
from adapters.rest.documentation.openapi import component
from domain.games import GAMES
from tests.support.stores.use_cases import memory_stores

STORES = memory_stores()
SCHEMAS: dict[str, Any] = json.loads(build(STORES.node(), "0").state.openapi)["components"]["schemas"]

TAGS = {"type", "game"}
"""The fields by which JSON tells the members of a union apart; in a oneof the field does that."""

SHARED: dict[str, Descriptor] = {
    "Player": players_pb2.Player.DESCRIPTOR,
    "PublicPlayer": players_pb2.PublicPlayer.DESCRIPTOR,
    "PlayerRequest": players_pb2.CreatePlayerRequest.DESCRIPTOR,
    "NewPlayer": players_pb2.CreatePlayerResponse.DESCRIPTOR,
    "ProfileRequest": players_pb2.UpdateMeRequest.DESCRIPTOR,
    "Token": players_pb2.Token.DESCRIPTOR,
    "TokenRequest": players_pb2.CreateTokenRequest.DESCRIPTOR,
    "NewToken": players_pb2.CreateTokenResponse.DESCRIPTOR,
    "TokenPage": players_pb2.ListTokensResponse.DESCRIPTOR,
    "Block": players_pb2.Block.DESCRIPTOR,
    "BlockPage": players_pb2.ListBlocksResponse.DESCRIPTOR,
    "Rules": catalogue_pb2.GetRulesResponse.DESCRIPTOR,
    "RefusalReason": catalogue_pb2.RefusalReason.DESCRIPTOR,
    "Clause": catalogue_pb2.Clause.DESCRIPTOR,
    "DataTable": catalogue_pb2.DataTable.DESCRIPTOR,
    "Resign": match_pb2.Resign.DESCRIPTOR,
    "SeatTaken": match_pb2.SeatTaken.DESCRIPTOR,
    "Started": match_pb2.Started.DESCRIPTOR,
    "Resigned": match_pb2.Resigned.DESCRIPTOR,
    "TimeControl": match_pb2.TimeControl.DESCRIPTOR,
    "Clocks": match_pb2.Clocks.DESCRIPTOR,
    "ClocksSet": match_pb2.ClocksSet.DESCRIPTOR,
    "DeadlineMoved": match_pb2.DeadlineMoved.DESCRIPTOR,
    "TimedOut": match_pb2.TimedOut.DESCRIPTOR,
    "Finished": match_pb2.Finished.DESCRIPTOR,
    "Outcome": match_pb2.Outcome.DESCRIPTOR,
    "Holder": match_pb2.Holder.DESCRIPTOR,
    "BranchOf": match_pb2.BranchOf.DESCRIPTOR,
    "MatchSeat": matches_pb2.MatchSeat.DESCRIPTOR,
    "SeatedPlayer": matches_pb2.SeatedPlayer.DESCRIPTOR,
    "Viewer": matches_pb2.Viewer.DESCRIPTOR,
    "PlayerEventPage": player_feed_pb2.ListPlayerEventsResponse.DESCRIPTOR,
    "PlayerEvent": player_feed_pb2.PlayerEvent.DESCRIPTOR,
    "PlayerEventItem": player_feed_pb2.PlayerEventItem.DESCRIPTOR,
    "PlayerCaughtUp": player_feed_pb2.PlayerCaughtUp.DESCRIPTOR,
    "PlayerHeartbeat": player_feed_pb2.PlayerHeartbeat.DESCRIPTOR,
    "PlayerEnd": player_feed_pb2.PlayerEnd.DESCRIPTOR,
    "Achievements": statistics_pb2.GetStatisticsResponse.DESCRIPTOR,
    "PlayerStatistics": statistics_pb2.PlayerStatistics.DESCRIPTOR,
    "Rating": statistics_pb2.Rating.DESCRIPTOR,
    "Leaderboard": statistics_pb2.GetLeaderboardResponse.DESCRIPTOR,
    "RankedPlayer": statistics_pb2.RankedPlayer.DESCRIPTOR,
    "ChatMessage": chat_pb2.ChatMessage.DESCRIPTOR,
    "ChatReport": chat_pb2.ChatReport.DESCRIPTOR,
    "ChatMessageItem": chat_pb2.ChatMessageItem.DESCRIPTOR,
    "ChatCaughtUp": chat_pb2.ChatCaughtUp.DESCRIPTOR,
    "ChatHeartbeat": chat_pb2.ChatHeartbeat.DESCRIPTOR,
    "ChatEnd": chat_pb2.ChatEnd.DESCRIPTOR,
    "Invitation": matches_pb2.GetInvitationResponse.DESCRIPTOR,
    "Bot": catalogue_pb2.Bot.DESCRIPTOR,
    "MatchProof": proofs_pb2.MatchProof.DESCRIPTOR,
    "SignedDay": proofs_pb2.SignedDay.DESCRIPTOR,
    "DayPage": proofs_pb2.ListDaysResponse.DESCRIPTOR,
    "Inclusion": proofs_pb2.Inclusion.DESCRIPTOR,
    "KeySet": proofs_pb2.ListKeysResponse.DESCRIPTOR,
    "Key": proofs_pb2.Key.DESCRIPTOR,
    "Webhook": webhooks_pb2.Webhook.DESCRIPTOR,
    "Delivery": webhooks_pb2.Delivery.DESCRIPTOR,
    "Attempt": webhooks_pb2.Attempt.DESCRIPTOR,
}
OF_A_GAME: dict[str, Descriptor] = {
    "View": matches_pb2.View.DESCRIPTOR,
    "Event": matches_pb2.Event.DESCRIPTOR,
    "Match": matches_pb2.Match.DESCRIPTOR,
    "MatchRequest": matches_pb2.CreateMatchRequest.DESCRIPTOR,
    "QuickMatchRequest": matches_pb2.QuickMatchRequest.DESCRIPTOR,
    "Opened": match_pb2.Opened.DESCRIPTOR,
    "Terms": match_pb2.Terms.DESCRIPTOR,
    "Branched": match_pb2.Branched.DESCRIPTOR,
}


def pairs() -> Iterator[tuple[str, Descriptor]]:
    """Yield every component with the message that shows the same."""
    yield from SHARED.items()
    for game in GAMES.values():
        yield from ((component(game, name), message) for name, message in OF_A_GAME.items())
        command, event = (message_of(union.fields_by_name[game.id]) for union in (COMMAND, PAYLOAD))
        for union in (command, event):
            for field in union.fields:
                message = message_of(field)
                yield component(game, message.name), message
        for message in command.file.message_types_by_name.values():
            if message.name not in {"Command", "Event"} and not is_list(message):
                yield component(game, message.name), message


def is_list(message: Descriptor) -> bool:
    """Return whether a message stands for a list within a list."""
    return list(message.fields_by_name) == ["items"]


@pytest.mark.parametrize(("name", "message"), sorted(dict(pairs()).items()))
def test_a_component_and_its_message_agree(name: str, message: Descriptor) -> None:
    """Both have the same fields, of the same kinds, with the same values."""
    schema = SCHEMAS[name]
    fields = set(schema["properties"])
    if schema["properties"].keys() - set(message.fields_by_name) <= TAGS:
        fields -= TAGS - set(message.fields_by_name)
    assert fields == set(message.fields_by_name)
    for field in message.fields:
        assert list(differences(schema["properties"][field.name], field)) == []


def differences(schema: dict[str, Any], field: FieldDescriptor) -> Iterator[str]:
    """Yield what is not the same in a property and a field."""
    inner, nullable = without_null(schema)
    if field.is_repeated:
        if inner.get("type") != "array":
            yield f"{field.full_name}: repeated, but {schema}"
            return
        inner, _ = without_null(inner["items"])
    elif nullable and not field.has_presence:
        yield f"{field.full_name}: may be null in JSON, but is always there in the message"
    if inner.get("type") == "array":
        (items,) = message_of(field).fields
        yield from differences(inner, items)
        return
    shape = SCHEMAS[inner["$ref"].rpartition("/")[2]] if "$ref" in inner else inner
    if field.type == FieldDescriptor.TYPE_ENUM:
        prefix = enum_of(field).values[0].name.removesuffix("UNSPECIFIED")
        values = {value.name.removeprefix(prefix) for value in enum_of(field).values if value.number}
        if values != {re.sub("[-.]", "_", str(value).upper()) for value in shape["enum"]}:
            yield f"{field.full_name}: {values} are not {shape['enum']}"
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        timestamp = message_of(field).full_name == "google.protobuf.Timestamp"
        if timestamp != (shape.get("format") == "date-time"):
            yield f"{field.full_name}: a time on one side only"
        elif not timestamp and not ({"properties", "oneOf", "anyOf"} & set(shape)):
            yield f"{field.full_name}: a message, but {shape}"
    else:
        kind = {
            FieldDescriptor.TYPE_STRING: "string",
            FieldDescriptor.TYPE_BOOL: "boolean",
            FieldDescriptor.TYPE_DOUBLE: "number",
        }.get(field.type, "integer")
        if shape.get("type", "string" if {"const", "enum"} & set(shape) else None) != kind:
            yield f"{field.full_name}: {kind}, but {shape}"


def without_null(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return a schema without the choice of null, and whether it had that."""
    choices = schema.get("anyOf", [schema])
    others = [choice for choice in choices if choice.get("type") != "null"]
    return (others[0] if len(others) == 1 else schema), len(others) < len(choices)


@pytest.mark.parametrize("game", list(GAMES.values()), ids=list(GAMES))
def test_unions_have_the_same_members(game: Any) -> None:
    """A command, or an event's payload, is one of the same on both faces."""
    for union, schema in (
        (COMMAND, SCHEMAS[component(game, "Command")]),
        (PAYLOAD, SCHEMAS[component(game, "Event")]["properties"]["payload"]),
    ):
        tags = {tag.rpartition(".")[2] for tag in schema["discriminator"]["mapping"]}
        own = message_of(union.fields_by_name[game.id])
        common = {field.name for field in union.fields if field.name not in GAMES}
        assert tags == common | {field.name for field in own.fields}
