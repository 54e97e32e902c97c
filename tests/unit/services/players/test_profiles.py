"""What an account may say of its player."""

from collections.abc import Callable

import pytest

from services.players.profiles import checked_locale, checked_name, checked_seed
from services.shared.errors import Malformed


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ann", "Ann"),
        ("  Ann\n", "Ann"),
        ("Ann of the Hills", "Ann of the Hills"),
        ("\u65e5\u672c\u8a9e", "\u65e5\u672c\u8a9e"),
        ("Zoe\u0308", "Zo\u00eb"),
        ("\u05d3\u05df", "\u05d3\u05df"),
        ("\U0001f44d\U0001f3fd", "\U0001f44d\U0001f3fd"),
        ("x" * 64, "x" * 64),
    ],
)
def test_a_name_is_kept_composed_and_without_spaces_around_it(given: str, kept: str) -> None:
    """Names of all languages are kept, in the form in which equal ones are equal."""
    assert checked_name(given) == kept
    assert checked_seed(given) == kept


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("  \u00a0\u3000\t", id="only spaces"),
        pytest.param("x" * 65, id="too long"),
        pytest.param("x" * 10_000, id="10 kB"),
        pytest.param(" " * 10_000 + "x", id="10 kB of spaces"),
        pytest.param("\ufb2c" * 64, id="too long when composed"),
        pytest.param("a\x00b", id="null"),
        pytest.param("a\nb", id="line feed"),
        pytest.param("a\u0085b", id="next line"),
        pytest.param("a\x1b[31mb", id="escape"),
        pytest.param("a\x7fb", id="delete"),
        pytest.param("a\u2028b", id="line separator"),
        pytest.param("a\u00a0b", id="no-break space"),
        pytest.param("\u202eevil", id="right-to-left override"),
        pytest.param("a\u2066b\u2069", id="isolates"),
        pytest.param("a\u200fb", id="right-to-left mark"),
        pytest.param("a\u200bb", id="zero-width space"),
        pytest.param("a\u200db", id="zero-width joiner"),
        pytest.param("\ufeffa", id="byte order mark"),
        pytest.param("a\u00adb", id="soft hyphen"),
        pytest.param("a\ufe0f", id="variation selector"),
        pytest.param("a\u034fb", id="grapheme joiner"),
        pytest.param("\u3164", id="Hangul filler"),
        pytest.param("\u2800", id="blank Braille"),
        pytest.param("\U000e0061a", id="tag"),
        pytest.param("\u0301a", id="mark without a letter"),
        pytest.param("a\ue000", id="private use"),
        pytest.param("a\udc80", id="half of a pair"),
        pytest.param("a\U000e0100", id="ideographic selector"),
    ],
)
@pytest.mark.parametrize(("check", "field"), [(checked_name, "display_name"), (checked_seed, "avatar_seed")])
def test_what_cannot_be_seen_is_refused(text: str, check: Callable[[str], str], field: str) -> None:
    """Nothing empty, long or hidden, and nothing that changes how others' text is shown."""
    with pytest.raises(Malformed) as refused:
        check(text)
    assert refused.value.reason == "INVALID_FIELD"
    assert refused.value.details == {"field": field, "expected": "1 to 64 characters that can be seen"}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("en", "en"),
        ("DE-ch", "de-CH"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("zh-cmn-hans-cn", "zh-cmn-Hans-CN"),
        ("es-419", "es-419"),
        ("sl-rozaj-biske-1994", "sl-rozaj-biske-1994"),
        ("de-DE-u-co-phonebk", "de-DE-u-co-phonebk"),
        ("en-a-bbb-x-a-ccc", "en-a-bbb-x-a-ccc"),
    ],
)
def test_a_language_tag_is_kept_in_the_usual_letters(given: str, kept: str) -> None:
    """Script and region have their capitals, whatever was given (RFC 5646, 2.1.1)."""
    assert checked_locale(given) == kept


@pytest.mark.parametrize(
    "text",
    [
        *("", "e", "en_US", "en-", "-en", "en--US", "en-x", "englishlanguage", "e\u0144", "\u017ft"),
        *("x-private", "i-klingon", "en-US-US", "sl-rozaj-rozaj", "de-a-bb-a-cc", "en-u", "a" * 9, "en US"),
        *("en-" + "-".join(["abcde"] * 7), "en\n"),
    ],
)
def test_what_is_no_language_tag_is_refused(text: str) -> None:
    """Wrong shapes, what is said twice (RFC 5646, 2.2.5 and 2.2.6), and tags of no language."""
    with pytest.raises(Malformed) as refused:
        checked_locale(text)
    assert (refused.value.reason, refused.value.details["field"]) == ("INVALID_FIELD", "locale")
