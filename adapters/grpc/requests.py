"""What every request must be, whatever it asks for."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.protobuf.unknown_fields import UnknownFieldSet

from services.shared.errors import FailureReason, Malformed

PAGE_SIZE = 50
LARGEST_PAGE = 200
FEW = 6
"""How many values of an enumeration are listed when one is wrong."""

type MessageCheck = Callable[[Any, str], None]
"""Checks a message, or a field's value, at a path."""


def check(message: Message) -> None:
    """Refuse a request that has unknown fields or values, or lacks what is not optional.

    Raises:
        Malformed: The details name the field.
    """
    # Whether there are unknown fields at all is told by one copy without them; where, by a slower search.
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    if known.ByteSize() != message.ByteSize():
        _refuse_unknown(message, "")
    _checked(message.DESCRIPTOR)(message, "")


def page_size(request: Any) -> int:
    """Return how many items a request for a page wants.

    Raises:
        Malformed: Less than one, or more than a page may have.
    """
    if not request.HasField("page_size"):
        return PAGE_SIZE
    size: int = request.page_size
    if not 1 <= size <= LARGEST_PAGE:
        raise Malformed(FailureReason.INVALID_FIELD, field="page_size", expected=f"1 to {LARGEST_PAGE}")
    return size


def invitation_in(request: Any) -> str | None:
    """Return the invitation to a match that is shown with a request, if one is."""
    return request.invitation if request.HasField("invitation") else None


def time_in(at: Timestamp, field: str) -> datetime:
    """Return the time that a message says.

    Raises:
        Malformed: It is none: before the year 1 or after 9999, or with parts of a second beyond a second.
    """
    try:
        return at.ToDatetime(UTC)
    except (ValueError, OverflowError) as error:
        raise Malformed(FailureReason.INVALID_FIELD, field=field, expected="a time") from error


def _refuse_unknown(message: Message, path: str) -> None:
    if unknown := UnknownFieldSet(message):
        raise Malformed(FailureReason.UNKNOWN_FIELD, field=f"{path}{unknown[0].field_number}")
    for field, value in message.ListFields():
        if field.message_type is not None and field.is_repeated:
            for index, part in enumerate(value):
                _refuse_unknown(part, f"{path}{field.name}[{index}].")
        elif field.message_type is not None:
            _refuse_unknown(value, f"{path}{field.name}.")


@cache
def _checked(descriptor: Descriptor) -> MessageCheck:
    """Return what checks a message of a type, its path with a dot after it."""
    oneofs = [
        (oneof.name, "one of " + ", ".join(field.name for field in oneof.fields))
        for oneof in descriptor.oneofs
        if not _made_for_optional(oneof)
    ]
    fields = [
        (field.name, field.is_repeated, field.has_presence, field.containing_oneof is None, checked)
        for field in descriptor.fields
        if (checked := _value(field)) is not None
    ]

    def check(message: Any, path: str) -> None:
        for name, expected in oneofs:
            if message.WhichOneof(name) is None:
                raise Malformed(
                    FailureReason.MISSING_FIELD, field=path.removesuffix(".") or name, expected=expected
                )
        for name, repeated, has_presence, required, checked in fields:
            if repeated:
                for index, value in enumerate(getattr(message, name)):
                    checked(value, f"{path}{name}[{index}]")
            elif not has_presence or message.HasField(name):
                checked(getattr(message, name), path + name)
            elif required:
                expected = _expected(message.DESCRIPTOR.fields_by_name[name])
                raise Malformed(FailureReason.MISSING_FIELD, field=path + name, expected=expected)

    return check


def _value(field: FieldDescriptor) -> MessageCheck | None:
    """Return what checks a value of a field, or None if every value is good."""
    if (kind := field.message_type) is not None:
        return lambda value, path: _checked(kind)(value, f"{path}.")
    null = field.is_repeated
    if (enum := field.enum_type) is not None:
        good = {number for number in enum.values_by_number if number or null}

        def check_enum(value: int, path: str) -> None:
            if value not in good:
                given = value or field.has_presence
                reason = FailureReason.INVALID_FIELD if given else FailureReason.MISSING_FIELD
                raise Malformed(reason, field=path, expected=_expected(field))

        return check_enum
    if field.type == FieldDescriptor.TYPE_STRING and not field.has_presence and not null:

        def check_text(value: str, path: str) -> None:
            if not value:
                raise Malformed(FailureReason.MISSING_FIELD, field=path, expected=_expected(field))

        return check_text
    return None


def _made_for_optional(oneof: Any) -> bool:
    """Return whether a oneof was not written, but stands for a field marked `optional`."""
    return len(oneof.fields) == 1 and oneof.name == f"_{oneof.fields[0].name}"


def _expected(field: FieldDescriptor) -> str:
    if field.enum_type is not None:
        names = [value.name for value in field.enum_type.values if value.number]
        return "one of " + ", ".join(names if len(names) <= FEW else [*names[:FEW], "..."])
    return f"a {field.message_type.name}" if field.message_type is not None else "not empty"
