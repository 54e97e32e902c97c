"""The protos say what the domain says: the same names, fields, kinds and values."""

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any, get_args

import msgspec
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.inspect import (
    AnyType,
    BoolType,
    DateTimeType,
    EnumType,
    IntType,
    LiteralType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from adapters.generics import filled
from adapters.grpc.generated.montane.montanara.v1 import montanara_pb2
from adapters.grpc.generated.montane.v1 import (
    catalogue_pb2,
    chat_pb2,
    games_pb2,
    matches_pb2,
    options_pb2,
    player_feed_pb2,
    players_pb2,
    webhooks_pb2,
)
from adapters.grpc.mapping import (
    COMMAND,
    OPTIONS,
    PAYLOAD,
    TABLE,
    Mapper,
    enum_of,
    field_of,
    message_of,
    numbers_of,
    values_of,
    without_none,
)
from domain.games import GAMES
from domain.match import MATCH_EVENTS, Branched, MatchStatus, Opened, Resign
from domain.shared.catalogues import Clause, DataTable
from services.chat.log import ChatMessage, ChatReport
from services.chat.stream import ChatItem
from services.matches.summaries import MatchSummary
from services.matches.views import SeenEvent, View
from services.notify.player_feed import PlayerEvent, PlayerItem
from services.notify.subscriptions import Delivery, Webhook
from services.players.store import Player
from services.shared.errors import Malformed

UNIONS = {union.full_name for union in (OPTIONS, COMMAND, PAYLOAD, TABLE)}
INTEGERS = {
    FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
    FieldDescriptor.TYPE_INT64: (-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
}


def pairs() -> Iterator[tuple[type[Any], Descriptor]]:
    """Yield every struct that the API shows, with the message that shows it."""
    yield View, matches_pb2.View.DESCRIPTOR
    yield SeenEvent, matches_pb2.Event.DESCRIPTOR
    yield MatchSummary, matches_pb2.Match.DESCRIPTOR
    yield Player, players_pb2.Player.DESCRIPTOR
    for shown in (ChatMessage, ChatReport, *get_args(ChatItem.__value__)):
        yield shown, chat_pb2.DESCRIPTOR.message_types_by_name[shown.__name__]
    for told in (PlayerEvent, *get_args(PlayerItem.__value__)):
        yield told, player_feed_pb2.DESCRIPTOR.message_types_by_name[told.__name__]
    yield Clause, catalogue_pb2.Clause.DESCRIPTOR
    yield DataTable, catalogue_pb2.DataTable.DESCRIPTOR
    yield Webhook, webhooks_pb2.Webhook.DESCRIPTOR
    yield Delivery, webhooks_pb2.Delivery.DESCRIPTOR
    yield Resign, message_of(COMMAND.fields_by_name[field_of(Resign)])
    for event in MATCH_EVENTS:
        yield event, message_of(PAYLOAD.fields_by_name[field_of(event)])
    for game in GAMES.values():
        yield game.options, message_of(OPTIONS.fields_by_name[game.id])
        yield game.table, message_of(TABLE.fields_by_name[game.id])
        for structs, union in ((game.commands, COMMAND), (game.seen_events, PAYLOAD)):
            own = message_of(union.fields_by_name[game.id])
            yield from ((struct, message_of(own.fields_by_name[field_of(struct)])) for struct in structs)


def named(pair: object) -> str | None:
    """Return how a case is called in the report."""
    return f"{pair.__module__}.{pair.__name__}" if isinstance(pair, type) else None


@pytest.mark.parametrize(("struct", "message"), list(pairs()), ids=named)
def test_a_message_has_the_fields_of_its_struct(struct: type[Any], message: Descriptor) -> None:
    """Struct and message agree in names, kinds and values, all the way down."""
    assert list(differences(type_info(struct), message, message.name)) == []


def differences(struct: Type, message: Descriptor, path: str) -> Iterator[str]:
    """Yield what is not the same in a struct and a message."""
    assert isinstance(struct, StructType)
    # A viewer sees every event as its message and a match by its summary, so messages do without saying so.
    if message.name != struct.cls.__name__.removeprefix("Seen").removesuffix("Summary"):
        yield f"{path}: {struct.cls.__name__} is {message.name}"
    fields = {field.encode_name: field for field in struct.fields}
    if one_sided := fields.keys() ^ set(message.fields_by_name):
        yield f"{path}: {sorted(one_sided)} on one side only"
        return
    for name, field in fields.items():
        proto = message.fields_by_name[name]
        yield from field_differences(field, proto, f"{path}.{name}")


def field_differences(field: msgspec.inspect.Field, proto: FieldDescriptor, path: str) -> Iterator[str]:
    """Yield what is not the same in a field of a struct and of a message."""
    kind, nullable = without_none(field.type)
    repeated = isinstance(kind, VarTupleType)
    if repeated != proto.is_repeated:
        yield f"{path}: repeated on one side only"
        return
    optional = proto.has_presence and proto.containing_oneof is not None
    may_lack = nullable or not field.required or (isinstance(kind, AnyType) and path == "View.table")
    if not repeated and may_lack != optional:
        yield f"{path}: optional on one side only"
    if isinstance(kind, VarTupleType):
        yield from item_differences(kind, proto, path)
    else:
        yield from value_differences(kind, proto, path)


def item_differences(kind: VarTupleType, proto: FieldDescriptor, path: str) -> Iterator[str]:
    """Yield what is not the same in what a list of a struct and of a message holds."""
    item, gaps = without_none(kind.item_type)
    if gaps and not isinstance(item, EnumType | LiteralType):
        yield f"{path}: only a list of enumerated values can have gaps"
    yield from value_differences(item, proto, path)


def value_differences(kind: Type, proto: FieldDescriptor, path: str) -> Iterator[str]:
    """Yield what is not the same in what a field of a struct and of a message holds."""
    match kind:
        case AnyType():
            agree = message_of(proto).full_name in UNIONS
        case StructType():
            yield from differences(kind, message_of(proto), path)
            return
        case VarTupleType():
            (items,) = message_of(proto).fields
            if items.name != "items" or not items.is_repeated:
                yield f"{path}: {message_of(proto).name} is no list"
            yield from item_differences(kind, items, f"{path}.items")
            return
        case UnionType(types=types):
            tagged = {field_of(inner.cls): inner for inner in types if isinstance(inner, StructType)}
            fields = message_of(proto).fields_by_name
            agree = len(tagged) == len(types) and tagged.keys() == set(fields)
            for name in tagged.keys() & set(fields):
                yield from differences(tagged[name], message_of(fields[name]), f"{path}.{name}")
        case EnumType() | LiteralType():
            values = enum_of(proto).values
            numbers = numbers_of(enum_of(proto), values_of(kind))
            agree = values[0].name.endswith("_UNSPECIFIED") and set(numbers.values()) == {
                value.number for value in values if value.number
            }
            if isinstance(kind, EnumType):
                name = "Phase" if kind.cls is MatchStatus else kind.cls.__name__
                agree = agree and enum_of(proto).name == name
        case IntType(ge=least, le=most):
            lowest, highest = INTEGERS[proto.type]
            agree = (least is None or lowest <= least) and (most is None or most <= highest)
        case StrType():
            agree = proto.type == FieldDescriptor.TYPE_STRING
        case BoolType():
            agree = proto.type == FieldDescriptor.TYPE_BOOL
        case DateTimeType():
            agree = message_of(proto).full_name == "google.protobuf.Timestamp"
        case _:
            agree = False
    if not agree:
        yield f"{path}: {kind} is no {proto.type}"


def test_the_unions_hold_every_game_and_nothing_else() -> None:
    """Each union over the games has a field a game, at a number that follows the registry's order."""
    for union in (OPTIONS, COMMAND, PAYLOAD, TABLE):
        own = {field.name: field.number for field in union.fields if field.number >= 16}
        assert own == {game: number for number, game in enumerate(GAMES, start=16)}
    common = {field.name for field in COMMAND.fields if field.number < 16}
    assert common == {field_of(Resign)}
    common = {field.name for field in PAYLOAD.fields if field.number < 16}
    assert common == {field_of(event) for event in MATCH_EVENTS}


@pytest.mark.parametrize("game", list(GAMES.values()), ids=list(GAMES))
def test_a_game_s_unions_hold_its_commands_and_events(game: Any) -> None:
    """A game's `Command` and `Event` are one of its commands and events."""
    for union, structs in ((COMMAND, game.commands), (PAYLOAD, game.seen_events)):
        own = message_of(union.fields_by_name[game.id])
        (oneof,) = own.oneofs
        assert {field.name for field in oneof.fields} == {field_of(struct) for struct in structs}
        assert len(own.fields) == len(oneof.fields)


@cache
def mapper() -> Mapper:
    """Return the mapping of all registered games."""
    return Mapper(dict(GAMES))


def shown_values() -> st.SearchStrategy[tuple[Descriptor, Any]]:
    """Generate values that a union over the games can hold, with the union."""
    cases: list[tuple[Descriptor, Any]] = [(COMMAND, Resign)]
    for game in GAMES.values():
        cases += [(OPTIONS, game.options), (TABLE, game.table)]
        cases += [(COMMAND, command) for command in game.commands]
        cases += [(PAYLOAD, event) for event in (*MATCH_EVENTS, *game.seen_events)]
    return st.sampled_from(cases).flatmap(
        lambda case: values(type_info(whole(case[1])), case[0]).map(lambda value: (case[0], value))
    )


def whole(struct: Any) -> Any:
    """Return a struct type with a game's options or table filled in, where it has them."""
    game = next(iter(GAMES.values()))
    own = {Opened: game.options, Branched: game.table}
    return filled(struct, own[struct]) if struct in own else struct


def values(kind: Type, union: Descriptor | None = None) -> st.SearchStrategy[Any]:
    """Generate values of a type; integers as far as every field of the protos takes them."""
    inner, nullable = without_none(kind)
    some: st.SearchStrategy[Any]
    match inner:
        case StructType(cls=cls, fields=fields):
            some = st.builds(cls, **{field.name: values(field.type) for field in fields})
        case VarTupleType(item_type=item, min_length=fewest, max_length=most):
            some = st.lists(values(item), min_size=fewest or 0, max_size=most or 60).map(tuple)
        case EnumType(cls=members):
            some = st.sampled_from(list(members))
        case LiteralType(values=literals):
            some = st.sampled_from(literals)
        case IntType(ge=least, le=most):
            some = st.integers(least or 0, 2**31 - 1 if most is None else most)
        case StrType():
            some = st.text(max_size=20)
        case BoolType():
            some = st.booleans()
        case DateTimeType():
            some = st.datetimes(datetime(1970, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
        case UnionType(types=types):
            some = st.one_of(*map(values, types))
        case _:
            raise TypeError(f"no values of {kind}")
    return st.none() | some if nullable else some


@given(shown=shown_values())
@settings(deadline=None)
def test_a_value_survives_its_message(shown: tuple[Descriptor, Any]) -> None:
    """What is written as a message, sent and read again is what it was."""
    union, value = shown
    message = mapper().to_message(union, value)
    received: Message = type(message).FromString(message.SerializeToString())
    assert mapper().from_message(received, "value") == value


@pytest.mark.parametrize("game", list(GAMES.values()), ids=list(GAMES))
def test_options_that_are_left_out_have_their_defaults(game: Any) -> None:
    """Lists too: an empty one is left out."""
    options = options_pb2.Options()
    getattr(options, game.id).SetInParent()
    assert mapper().from_message(options, "options") == game.options()


def test_a_wrong_item_of_a_list_within_a_list_is_named() -> None:
    """The path of a failure goes down into the inner list."""
    hands = [montanara_pb2.Cards(items=[montanara_pb2.KIND_DWARF, montanara_pb2.Kind.ValueType(99)])]
    event = montanara_pb2.Event(theft_played=montanara_pb2.TheftPlayed(hands=hands))
    with pytest.raises(Malformed) as failure:
        mapper().from_message(games_pb2.EventPayload(montanara=event), "payload")
    assert failure.value.details["field"] == "payload.montanara.theft_played.hands[0].items[1]"
