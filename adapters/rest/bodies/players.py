"""What clients send and get around accounts."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from services.players.profiles import LONGEST_LOCALE, LONGEST_NAME, LONGEST_SEED
from services.players.store import Player, Scope, Token
from services.shared.time import Time

type Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
type Seed = Annotated[str, Meta(min_length=1, max_length=LONGEST_SEED)]
type Locale = Annotated[str, Meta(min_length=2, max_length=LONGEST_LOCALE)]


class PlayerRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A guest account to open.

    Attributes:
        display_name: As the player wants to be called: 1 to 64 characters that can be seen.
    """

    display_name: Name


class ProfileRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be otherwise in an account; what is left out stays as it is.

    Attributes:
        display_name: As the player wants to be called: 1 to 64 characters that can be seen.
        avatar_seed: What a picture of the player is made from, by those who show it: 1 to 64 characters that
            can be seen. null for the one that the account had at first.
        locale: The language that the player reads best, as a language tag (BCP 47) such as `de-CH`. null for
            `en`.
    """

    display_name: Name | UnsetType = UNSET
    avatar_seed: Seed | UnsetType | None = UNSET
    locale: Locale | UnsetType | None = UNSET


class NewPlayer(Struct, frozen=True):
    """A fresh account.

    Attributes:
        player: The account.
        token: Its bearer token. It is shown this once.
    """

    player: Player
    token: str


class TokenRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A token to make.

    Attributes:
        scopes: What it is to allow, of what the caller's own token allows; `bot` too.
        expires_at: From when on it is no longer good; null if it stays good until it is revoked. A token that
            expires makes none that outlives it.
    """

    scopes: Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=len(Scope))]
    expires_at: Time | None = None


class NewToken(Struct, frozen=True):
    """A fresh token.

    Attributes:
        details: What it allows and until when.
        token: The bearer token itself. It is shown this once.
    """

    details: Token
    token: str
