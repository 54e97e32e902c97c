"""The body of a request to play a match on from a past version."""

from typing import Annotated

from msgspec import Meta, Struct


class BranchRequest(Struct, frozen=True, forbid_unknown_fields=True, rename={"looking_as": "as"}):
    """A past version of a match, to be played on from.

    Attributes:
        version: How many events the match had.
        as: From where the caller looks, and what it cannot know from there is drawn again: a seat's number,
            `spectator` or `all`. Left out, `all` of a match that is over and discloses everything, else the
            caller's own seat, or a spectator.
    """

    version: Annotated[int, Meta(ge=0)]
    looking_as: Annotated[int, Meta(ge=0, le=63)] | str | None = None
