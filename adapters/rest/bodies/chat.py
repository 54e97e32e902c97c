"""The bodies around the chat of a match."""

from typing import Annotated

from msgspec import Meta, Struct

from services.chat.log import ChatRoom, ReportReason
from services.chat.rooms import LONGEST_TEXT


class MessageRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message to write.

    Attributes:
        room: Who is to read it.
        to_seat: The seat that a whisper goes to; left out of any other message.
        text: What it says: printable characters on one line; spaces around it are not kept.
    """

    room: ChatRoom
    to_seat: Annotated[int, Meta(ge=0, le=63)] | None = None
    text: Annotated[str, Meta(min_length=1, max_length=LONGEST_TEXT)]


class ReportRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A report of a message.

    Attributes:
        reason: Why.
        text: What there is to say to it: printable characters on one line; empty if nothing.
    """

    reason: ReportReason
    text: Annotated[str, Meta(max_length=LONGEST_TEXT)] = ""
