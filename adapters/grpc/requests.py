"""What every request must be, whatever it asks for."""

from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from services.errors import Malformed

FEW = 6
"""How many values of an enumeration are listed when one is wrong."""


def check(message: Message, path: str = "") -> None:
    """Refuse a request that has unknown fields or values, or lacks what is not optional.

    Args:
        message: The request, or a part of it.
        path: Where the part stands, with a dot behind it.

    Raises:
        Malformed: The details name the field.
    """
    if unknown := UnknownFieldSet(message):
        raise Malformed("UNKNOWN_FIELD", field=f"{path}{unknown[0].field_number}")
    for oneof in message.DESCRIPTOR.oneofs:
        if not _made_for_optional(oneof) and message.WhichOneof(oneof.name) is None:
            expected = "one of " + ", ".join(field.name for field in oneof.fields)
            raise Malformed("MISSING_FIELD", field=path.removesuffix(".") or oneof.name, expected=expected)
    for field in message.DESCRIPTOR.fields:
        if field.is_repeated:
            for index, value in enumerate(getattr(message, field.name)):
                _check_value(field, value, f"{path}{field.name}[{index}]", null=True)
        elif not field.has_presence or message.HasField(field.name):
            _check_value(field, getattr(message, field.name), f"{path}{field.name}", null=False)
        elif field.containing_oneof is None:
            raise Malformed("MISSING_FIELD", field=f"{path}{field.name}", expected=_expected(field))


def _check_value(field: Any, value: object, path: str, *, null: bool) -> None:
    if isinstance(value, Message):
        check(value, f"{path}.")
    elif field.type == FieldDescriptor.TYPE_ENUM:
        if value not in field.enum_type.values_by_number or (value == 0 and not null):
            raise Malformed(
                "INVALID_FIELD" if value or field.has_presence else "MISSING_FIELD",
                field=path,
                expected=_expected(field),
            )
    elif value == "" and not field.has_presence and not null:
        raise Malformed("MISSING_FIELD", field=path, expected=_expected(field))


def _made_for_optional(oneof: Any) -> bool:
    """Return whether a oneof was not written, but stands for a field marked `optional`."""
    return len(oneof.fields) == 1 and oneof.name == f"_{oneof.fields[0].name}"


def _expected(field: Any) -> str:
    if field.type == FieldDescriptor.TYPE_ENUM:
        names = [value.name for value in field.enum_type.values if value.number]
        return "one of " + ", ".join(names if len(names) <= FEW else [*names[:FEW], "..."])
    return f"a {field.message_type.name}" if field.type == FieldDescriptor.TYPE_MESSAGE else "not empty"
