"""The bodies of requests and answers around a match, before it begins and after its end."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from domain.match import PlayConditions


class QuickMatchRequest[O](PlayConditions, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match to join, or to open if none fits; it is public, and starts by itself.

    Attributes:
        game: The game's id.
        options: The game's options; those left out have their defaults.
        seats: Number of seats; the game's fewest if left out.
        entropy: The caller's own contribution to chance, at most 256 printable characters. It is public and
            kept for ever, as all of the match is, though the account be erased: put nothing personal here.
    """

    game: str
    options: O | msgspec.UnsetType = msgspec.UNSET
    seats: Annotated[int, Meta(ge=1, le=64)] | None = None
    entropy: str = ""


class RematchRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A match to play again.

    Attributes:
        entropy: The caller's own contribution to chance, at most 256 printable characters. It is public and
            kept for ever, as all of the match is, though the account be erased: put nothing personal here.
    """

    entropy: str = ""


class InvitationRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A player to invite.

    Attributes:
        player: Who is invited, `player_...`.
    """

    player: str


class Bot(Struct, frozen=True):
    """A bot of the server, which can be given a seat.

    Attributes:
        name: What it is asked for by, as `bot` of a seat that it shall take.
        description: How it plays, in one sentence.
    """

    name: str
    description: str
