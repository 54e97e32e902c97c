"""The path that clients see in front of all others: by a setting, or told by trusted proxies."""

import pytest

from adapters.faces.base_path import forwarded
from adapters.settings import SettingError, load


@pytest.mark.parametrize(
    ("text", "path"),
    [("/montane", "/montane"), ("/games/board-games/", "/games/board-games"), ("/", ""), ("", "")],
)
def test_the_path_in_front_is_a_plain_path(text: str, path: str) -> None:
    """With a slash after it or without."""
    assert load({}, {"MONTANE_BASE_PATH": text}).place.base == path


@pytest.mark.parametrize(
    "text",
    ["montane", "//evil", "/a/../b", "/.", "/a b", "/a?b", "//a.example/b", "/v1", "/docs/x", "/%41"],
)
def test_a_path_in_front_that_misleads_is_refused(text: str) -> None:
    """What is no plain path, or cannot be told from the server's own."""
    with pytest.raises(SettingError, match="MONTANE_BASE_PATH: expected a path"):
        load({}, {"MONTANE_BASE_PATH": text})


@pytest.mark.parametrize(
    ("values", "proxies", "path"),
    [
        ((), 1, ""),
        (("/a",), 1, "/a"),
        (("/a/",), 1, "/a"),
        (("/evil", "/a"), 1, "/a"),
        (("/evil, /a",), 1, "/a"),
        (("/evil", "/a", "/b"), 2, "/a/b"),
        (("/",), 1, ""),
        (("//evil.example",), 1, ""),
        (("/a/../b",), 1, ""),
        (("/a\xff",), 1, ""),
        (("/" + "a" * 300,), 1, ""),
    ],
)
def test_only_trusted_proxies_are_believed(values: tuple[str, ...], proxies: int, path: str) -> None:
    """The last ones, each with its part; anything but a plain path counts as none."""
    headers = [(b"x-forwarded-prefix", value.encode("latin-1")) for value in values]
    assert forwarded([(b"host", b"x"), *headers], proxies) == path
