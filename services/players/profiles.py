"""What an account says of its player: a name, a picture, a language."""

import re
import unicodedata

from msgspec import UNSET, Struct, UnsetType

from domain.match import PlayerId
from services.shared.errors import FailureReason, Malformed

LONGEST_NAME = 64
LONGEST_SEED = 64
LONGEST_LOCALE = 35
DEFAULT_LOCALE = "en"
SEED_LENGTH = 8
"""How many characters of its id a player's picture is made from if it has chosen nothing else."""

BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U00016fe4\U000e0100-\U000e01ef]"
)
"""Characters that count as printable and show nothing."""

LANGUAGE_TAG = re.compile(
    r"(?P<language>[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})"
    r"(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)"
    r"(?P<extensions>(?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*)"
    r"(?P<private>-x(?:-[a-z0-9]{1,8})+)?"
)
"""A language tag in small letters (RFC 5646, 2.1), without the irregular ones of old."""


class ProfileChange(Struct, frozen=True, kw_only=True):
    """What a player wants to be otherwise; what is left out stays.

    Attributes:
        display_name: The new name.
        avatar_seed: What the picture is made from; None for what the id gives.
        locale: The new language; None for the usual one.
    """

    display_name: str | UnsetType = UNSET
    avatar_seed: str | UnsetType | None = UNSET
    locale: str | UnsetType | None = UNSET


def checked_name(text: str) -> str:
    """Return a name as it is kept: composed, and without spaces around it.

    Raises:
        Malformed: It is empty, too long, or has characters that cannot be seen.
    """
    return _seen(text, "display_name", LONGEST_NAME)


def checked_seed(text: str) -> str:
    """Return what a picture is made from, as it is kept.

    Raises:
        Malformed: It is empty, too long, or has characters that cannot be seen.
    """
    return _seen(text, "avatar_seed", LONGEST_SEED)


def checked_locale(text: str) -> str:
    """Return a language tag in the usual letters (RFC 5646, 2.1.1): `de-Latn-CH`.

    Whether a language, script or region of that name is registered is not asked.

    Raises:
        Malformed: It is no language tag, or says something twice.
    """
    tag = LANGUAGE_TAG.fullmatch(text.lower()) if len(text) <= LONGEST_LOCALE and text.isascii() else None
    if tag is None or _repeats(tag["variants"]) or _repeats(re.sub("-[^-]{2,}", "", tag["extensions"])):
        raise Malformed(
            FailureReason.INVALID_FIELD,
            field="locale",
            expected=f"a language tag such as de-CH, at most {LONGEST_LOCALE} characters",
        )
    script = "" if tag["script"] is None else f"-{tag['script'].title()}"
    region = "" if tag["region"] is None else f"-{tag['region'].upper()}"
    return f"{tag['language']}{script}{region}{tag['variants']}{tag['extensions']}{tag['private'] or ''}"


def default_seed(player: PlayerId) -> str:
    """Return what a player's picture is made from if it has chosen nothing."""
    return player[-SEED_LENGTH:]


def _seen(text: str, field: str, longest: int) -> str:
    """Return a text that can be seen as a whole, so that two that differ look different as well as may be."""
    shown = unicodedata.normalize("NFC", text.strip()) if len(text) <= longest else ""
    hides = not shown.isprintable() or BLANK.search(shown) or unicodedata.category(shown[:1] or " ")[0] == "M"
    if not shown or hides or len(shown) > longest:
        raise Malformed(
            FailureReason.INVALID_FIELD, field=field, expected=f"1 to {longest} characters that can be seen"
        )
    return shown


def _repeats(subtags: str) -> bool:
    parts = subtags.split("-")[1:]
    return len(set(parts)) < len(parts)
