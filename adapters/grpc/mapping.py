"""Domain values as messages and back, derived from struct fields and descriptors of the same names.

Every game has messages `Options`, `Command`, `Event` and `Table` in a package of its own, and the unions over
the games have a field of the game's id for each. A tagged struct is the field of its tag's last part in the
oneof of its union. A list within a list is a message whose only field is the list `items`. A list that a
struct may lack is left out when it is empty. Converters are compiled once a type, when the mapping is made.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple, TypeAliasType, cast, get_args, get_origin

import msgspec
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp
from msgspec import UNSET, Struct
from msgspec.inspect import (
    AnyType,
    BoolType,
    DateTimeType,
    EnumType,
    IntType,
    LiteralType,
    Metadata,
    NoneType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from adapters.grpc.generated.montane.v1 import (
    chat_pb2,
    games_pb2,
    matches_pb2,
    options_pb2,
    player_feed_pb2,
    tables_pb2,
)
from domain.match import MATCH_EVENTS, Resign
from domain.shared.game import Games
from services.chat.stream import ChatItem
from services.matches.summaries import MatchSummary
from services.matches.views import SeenEvent, View
from services.notify.player_feed import PlayerItem
from services.shared.errors import FailureReason, Malformed
from services.streams.match_stream import Item

OPTIONS = options_pb2.Options.DESCRIPTOR
COMMAND = games_pb2.Command.DESCRIPTOR
PAYLOAD = games_pb2.EventPayload.DESCRIPTOR
TABLE = tables_pb2.Table.DESCRIPTOR
MOVES = 10_000
"""How many moves are kept as messages."""


class Converter(NamedTuple):
    """How values of one type are written and read.

    Attributes:
        to_proto: A domain value to what a message's field takes.
        from_proto: What a field has, and the field's path, to what msgspec converts into a domain value;
            raises `Malformed` with the path of what is wrong.
    """

    to_proto: Callable[[Any], Any]
    from_proto: Callable[[Any, str], Any]


class Mapper:
    """Writes what the use cases give as messages, and reads commands and options."""

    def __init__(self, games: Games) -> None:
        """Compile the converters of the registered games."""
        self._unions: dict[str, Converter] = {}
        self._read: dict[type[Struct], Converter] = {}
        self._written: dict[type[Struct], Converter] = {}
        for union, common, own in (
            (OPTIONS, (), {game.id: game.options for game in games.values()}),
            (COMMAND, (Resign,), {game.id: game.commands for game in games.values()}),
            (TABLE, (), {game.id: game.table for game in games.values()}),
            (PAYLOAD, MATCH_EVENTS, {game.id: game.seen_events for game in games.values()}),
        ):
            self._unions[union.full_name] = self._over_games(union, common, own)
        # The same moves are listed again and again, and making their messages is most of what a view takes.
        moves = self._unions[COMMAND.full_name]
        self._unions[COMMAND.full_name] = moves._replace(to_proto=lru_cache(MOVES)(moves.to_proto))
        self._view = self._struct(View, matches_pb2.View.DESCRIPTOR)
        self._event = self._struct(SeenEvent, matches_pb2.Event.DESCRIPTOR)
        self._item = self._items(matches_pb2.StreamItem.DESCRIPTOR, Item)
        self._chat_item = self._items(chat_pb2.ChatItem.DESCRIPTOR, ChatItem)
        self._player_item = self._items(player_feed_pb2.PlayerItem.DESCRIPTOR, PlayerItem)
        self._summary = self._struct(MatchSummary, matches_pb2.Match.DESCRIPTOR)

    def summary(self, summary: MatchSummary[Any]) -> matches_pb2.Match:
        """Return a match without its table as a message."""
        return cast(matches_pb2.Match, self._summary.to_proto(summary))

    def view(self, view: View[Any, Any]) -> matches_pb2.View:
        """Return a view as a message."""
        return cast(matches_pb2.View, self._view.to_proto(view))

    def event(self, event: SeenEvent[Any]) -> matches_pb2.Event:
        """Return an event as a message."""
        return cast(matches_pb2.Event, self._event.to_proto(event))

    def watched(self, item: Item) -> matches_pb2.WatchMatchResponse:
        """Return an item of a match's stream as the stream sends it."""
        return matches_pb2.WatchMatchResponse(item=self._item.to_proto(item))

    def played(self, item: Item) -> matches_pb2.PlayResponse:
        """Return an item of a match's stream as a stream sends it that takes commands."""
        return matches_pb2.PlayResponse(item=self._item.to_proto(item))

    def listened(self, item: ChatItem) -> chat_pb2.WatchMessagesResponse:
        """Return an item of a chat's stream as the stream sends it."""
        return chat_pb2.WatchMessagesResponse(item=self._chat_item.to_proto(item))

    def concerning(self, item: PlayerItem) -> player_feed_pb2.WatchPlayerResponse:
        """Return an item of a player's stream as the stream sends it."""
        return player_feed_pb2.WatchPlayerResponse(item=self._player_item.to_proto(item))

    def options(self, options: Any) -> options_pb2.Options:
        """Return a game's options as a message."""
        return cast(options_pb2.Options, self._unions[OPTIONS.full_name].to_proto(options))

    def read[Value: Struct](self, struct: type[Value], message: Message, path: str) -> Value:
        """Return the struct that a message of the same fields holds.

        Args:
            struct: The struct's type.
            message: The message.
            path: Where it stands in the request.

        Raises:
            Malformed: A field has no such value; the details name it.
        """
        if (converter := self._read.get(struct)) is None:
            converter = self._read[struct] = self._checked(struct, cast(Descriptor, message.DESCRIPTOR))
        return cast(Value, converter.from_proto(message, path))

    def write[Written: Message](self, value: Struct, message: type[Written]) -> Written:
        """Return a struct as a message of the same fields."""
        if (converter := self._written.get(type(value))) is None:
            described = cast(Descriptor, message.DESCRIPTOR)
            converter = self._written[type(value)] = self._struct(type(value), described)
        return cast(Written, converter.to_proto(value))

    def to_message(self, union: Descriptor, value: Any) -> Message:
        """Return a value of any game as a message of a union over the games."""
        return cast(Message, self._unions[union.full_name].to_proto(value))

    def from_message(self, message: Message, path: str) -> Any:
        """Return the value that a message of a union over the games holds.

        Args:
            message: The message.
            path: Where it stands in the request.

        Raises:
            Malformed: A field is missing or has no such value; the details name it.
        """
        return self._unions[message.DESCRIPTOR.full_name].from_proto(message, path)

    def _over_games(
        self,
        union: Descriptor,
        common: Iterable[type[Struct]],
        own: Mapping[str, type[Any] | tuple[type[Any], ...]],
    ) -> Converter:
        """Return the converter of a union over what all games share and what each has of its own."""
        branches = self._tagged(union, common)
        for game, types in own.items():
            message = message_of(union.fields_by_name[game])
            if isinstance(types, tuple):
                branches.append((game, types, _choice(message, self._tagged(message, types))))
            else:
                branches.append((game, (types,), self._checked(types, message)))
        return _choice(union, branches)

    def _items(self, union: Descriptor, items: TypeAliasType) -> Converter:
        """Return the converter of the items of a stream."""
        structs = (get_origin(item) or item for item in get_args(items.__value__))
        return _choice(union, self._tagged(union, structs))

    def _tagged(
        self, union: Descriptor, types: Iterable[type[Struct]]
    ) -> list[tuple[str, tuple[type[Struct], ...], Converter]]:
        """Return the branches of a union of tagged structs."""
        branches: list[tuple[str, tuple[type[Struct], ...], Converter]] = []
        for struct in types:
            name = field_of(struct)
            branches.append((name, (struct,), self._checked(struct, message_of(union.fields_by_name[name]))))
        return branches

    def _checked(self, struct: type[Any], message: Descriptor) -> Converter:
        """Return the converter of a struct whose reading gives the struct itself, its constraints checked."""
        to_proto, read = self._struct(struct, message)

        def from_proto(value: Any, path: str) -> Any:
            built = read(value, path)
            try:
                return msgspec.convert(built, struct)
            except msgspec.ValidationError as error:
                raise _malformed(error, path) from error

        return Converter(to_proto, from_proto)

    def _struct(self, struct: type[Any], message: Descriptor) -> Converter:
        """Return the converter of a struct; reading gives a dictionary."""
        shape = type_info(struct)
        if not isinstance(shape, StructType):
            raise TypeError(f"{struct} is no struct")
        tag = {} if shape.tag_field is None else {shape.tag_field: shape.tag}
        fields = [
            (field, _presence(proto, field.required), self._field(field.type, proto))
            for field in shape.fields
            for proto in (message.fields_by_name[field.encode_name],)
        ]
        readers = [
            (field.encode_name, field.required, is_there, converter.from_proto)
            for field, is_there, converter in fields
        ]
        make = GetMessageClass(message)
        # What is written as it stands is not handed through a function: most fields are.
        writers = [
            (field.name, field.encode_name, None if converter.to_proto is _same else converter.to_proto)
            for field, _, converter in fields
        ]

        def to_proto(value: Any) -> Any:
            given = {}
            for own, name, write in writers:
                if (inner := getattr(value, own)) is not None and inner is not UNSET:
                    given[name] = inner if write is None else write(inner)
            return make(**given)

        def from_proto(value: Any, path: str) -> Any:
            built: dict[str, Any] = dict(tag)
            for name, required, is_there, read in readers:
                if is_there(value):
                    built[name] = read(getattr(value, name), f"{path}.{name}")
                elif required:
                    built[name] = None
            return built

        return Converter(to_proto, from_proto)

    def _field(self, kind: Type, proto: FieldDescriptor) -> Converter:
        """Return the converter of a struct's field."""
        kind, _ = without_none(kind)
        if not isinstance(kind, VarTupleType):
            return self._value(kind, proto, None)
        item, nullable = without_none(kind.item_type)
        to_proto, from_proto = self._value(item, proto, 0 if nullable else None)
        return Converter(
            _same if to_proto is _same else lambda values: list(map(to_proto, values)),
            lambda values, path: [
                from_proto(value, f"{path}[{index}]") for index, value in enumerate(values)
            ],
        )

    def _list(self, kind: VarTupleType, message: Descriptor) -> Converter:
        """Return the converter of a list within a list."""
        to_proto, from_proto = self._field(kind, message.fields_by_name["items"])
        make: Any = GetMessageClass(message)
        return Converter(
            lambda values: make(items=to_proto(values)),
            lambda value, path: from_proto(value.items, f"{path}.items"),
        )

    def _value(self, kind: Type, proto: FieldDescriptor, null: int | None) -> Converter:
        """Return the converter of one value; `null` is the number that stands for None, if there is one."""
        match kind:
            case AnyType():
                return self._unions[message_of(proto).full_name]
            case StructType(cls=struct):
                return self._struct(struct, message_of(proto))
            case UnionType(types=types):
                structs = [inner.cls for inner in types if isinstance(inner, StructType)]
                return _choice(message_of(proto), self._tagged(message_of(proto), structs))
            case EnumType() | LiteralType():
                return _enum(enum_of(proto), values_of(kind), null)
            case VarTupleType():
                return self._list(kind, message_of(proto))
            case DateTimeType():
                return Converter(timestamp_of, lambda at, path: at.ToDatetime(UTC))
            case IntType() | StrType() | BoolType():
                return Converter(_same, lambda value, path: value)
            case _:
                raise TypeError(f"no message has a field for {kind}")


def _same(value: Any) -> Any:
    """Return what a message's field takes as it stands."""
    return value


def _presence(field: FieldDescriptor, required: bool) -> Callable[[Any], bool]:
    """Return what tells whether a message has a field that the struct requires, or does not."""
    name = field.name
    if field.has_presence:
        return lambda message: bool(message.HasField(name))
    if field.is_repeated and not required:
        return lambda message: bool(getattr(message, name))
    return lambda message: True


def message_of(field: FieldDescriptor) -> Descriptor:
    """Return the type of message that a field takes."""
    if field.message_type is None:
        raise TypeError(f"{field.full_name} takes no message")
    return field.message_type


def enum_of(field: FieldDescriptor) -> EnumDescriptor:
    """Return the enumeration that a field takes a value of."""
    if field.enum_type is None:
        raise TypeError(f"{field.full_name} takes no value of an enumeration")
    return field.enum_type


def timestamp_of(at: datetime) -> Timestamp:
    """Return a time as a message."""
    timestamp = Timestamp()
    timestamp.FromDatetime(at)
    return timestamp


def field_of(struct: type[Struct]) -> str:
    """Return the field that a tagged struct has in the oneof of its union: its tag's last part."""
    return str(struct.__struct_config__.tag).rpartition(".")[2]


def without_none(kind: Type) -> tuple[Type, bool]:
    """Return a type without descriptions and None, and whether it had None."""
    if isinstance(kind, Metadata):
        return without_none(kind.type)
    if not isinstance(kind, UnionType):
        return kind, False
    others = tuple(inner for inner in kind.types if not isinstance(inner, NoneType))
    nullable = len(others) < len(kind.types)
    return (without_none(others[0])[0] if len(others) == 1 else UnionType(others)), nullable


def values_of(kind: EnumType | LiteralType) -> tuple[str | int, ...]:
    """Return the values of an enumeration, as the domain writes them."""
    if isinstance(kind, EnumType):
        return tuple(str(member.value) for member in kind.cls)
    return tuple(value for value in kind.values if isinstance(value, str | int))


def numbers_of[Value: str | int](enum: EnumDescriptor, values: Iterable[Value]) -> dict[Value, int]:
    """Return the number in a message of each value of an enumeration."""
    prefix = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", enum.name).upper()
    names = {value: f"{prefix}_{re.sub('[-.]', '_', str(value).upper())}" for value in values}
    return {value: enum.values_by_name[name].number for value, name in names.items()}


def member_of[Member: StrEnum](members: type[Member], enum: EnumDescriptor, number: int) -> Member:
    """Return the member that a number in a message means."""
    numbers = numbers_of(enum, members)
    return next(member for member in members if numbers[member] == number)


def members_of[Member: StrEnum](
    members: type[Member], enum: EnumDescriptor, numbers: Iterable[int], field: str
) -> list[Member]:
    """Return the members that the numbers in a list mean, in order.

    Raises:
        Malformed: One is none; names the list.
    """
    known = {number: member for member, number in numbers_of(enum, members).items()}
    try:
        return [known[number] for number in numbers]
    except KeyError:
        raise Malformed(FailureReason.INVALID_FIELD, field=field, expected=field) from None


def _enum(enum: EnumDescriptor, values: Iterable[str | int], null: int | None) -> Converter:
    numbers: dict[Any, int] = {**numbers_of(enum, values)}
    if null is not None:
        numbers[None] = null
    texts = {number: text for text, number in numbers.items()}

    def from_proto(number: int, path: str) -> Any:
        try:
            return texts[number]
        except KeyError:
            raise Malformed(
                FailureReason.INVALID_FIELD, field=path, expected=f"a known {enum.name}"
            ) from None

    return Converter(numbers.__getitem__, from_proto)


def _choice(union: Descriptor, branches: Iterable[tuple[str, tuple[type[Any], ...], Converter]]) -> Converter:
    """Return the converter of a message that is one of several, each a field of its only oneof."""
    make = GetMessageClass(union)
    (oneof,) = union.oneofs
    branches = list(branches)
    writers = {
        struct: (name, converter.to_proto) for name, structs, converter in branches for struct in structs
    }
    readers = {name: converter.from_proto for name, _, converter in branches}

    def to_proto(value: Any) -> Any:
        name, write = writers[type(value)]
        return make(**{name: write(value)})

    def from_proto(value: Any, path: str) -> Any:
        name = value.WhichOneof(oneof.name)
        if name is None:
            expected = "one of " + ", ".join(field.name for field in oneof.fields)
            raise Malformed(FailureReason.MISSING_FIELD, field=path, expected=expected)
        return readers[name](getattr(value, name), f"{path}.{name}")

    return Converter(to_proto, from_proto)


def _malformed(error: msgspec.ValidationError, path: str) -> Malformed:
    """Return what msgspec says of a value as a failure that names the field of the request."""
    said, _, inner = str(error).partition(" - at `$")
    expected = said.removeprefix("Expected ").partition(", got")[0].replace("`", "")
    return Malformed(FailureReason.INVALID_FIELD, field=path + inner.removesuffix("`"), expected=expected)
