"""Tokens of pages: taken by the list that gave them, as they were given."""

import pytest

from services.lobby.match_list import MatchFilter
from services.shared.errors import Malformed
from services.shared.ids import MatchId
from services.shared.pages import Page, cut, ended_at, page_token, position_of
from tests.support.stores.use_cases import memory_stores

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def test_a_token_names_its_place() -> None:
    """The list that gave a token finds the place again, whatever is written there."""
    for position in ("", "7", "match_01", "0x1.8p+4 player_é"):
        assert position_of(page_token(position, "list", 3), str, "list", 3) == position


def test_another_list_refuses_it() -> None:
    """A token belongs to what was asked for when it was given."""
    token = page_token("7", "list", {"game": "montana"})
    for asked in ((), ("list",), ("list", {"game": "mountains"}), ("list", {"game": "montana"}, None)):
        with pytest.raises(Malformed):
            position_of(token, str, *asked)


def test_a_token_that_was_changed_is_refused() -> None:
    """Whichever character is changed, added or left out, the token is refused and the field named."""
    token = page_token("match_01", "list")
    changed = {
        token[:place] + other + token[place + 1 :] for place in range(len(token)) for other in ALPHABET
    } - {token}
    shorter = {token[:place] for place in range(len(token))}
    odd = {token + more for more in ("A", "=", "==", "AAAA", " ", "é")} | {"é", "\x00", "*", "=" * 5}
    for wrong in changed | shorter | odd:
        with pytest.raises(Malformed) as raised:
            position_of(wrong, str, "list")
        assert (raised.value.reason, raised.value.details["field"]) == ("INVALID_FIELD", "page_token")


@pytest.mark.parametrize(
    "written",
    [
        "",
        "x",
        "1 2 3",
        "2026-01-01 x",
        f"2026-01-01T00:00:00 match_{'0' * 26}",
        "0x1p99999 x",
        "0x1p0 player_x",
    ],
)
async def test_a_token_that_somebody_made_is_refused(written: str) -> None:
    """The check can be worked out by anybody: what is written is looked at too, and is no fault."""
    services = memory_stores().node()
    wanted = MatchFilter()
    listed = page_token(written, "matches", wanted)
    ranked = page_token(written, "leaderboard", "montana")
    with pytest.raises(Malformed):
        await services.match_list.page(None, wanted, after=listed, size=1)
    with pytest.raises(Malformed):
        await services.achievements.leaderboard("montana", after=ranked, size=1)


@pytest.mark.parametrize(("found", "following"), [("", None), ("ab", None), ("abc", "b!")])
def test_a_part_says_where_the_following_one_begins(found: str, following: str | None) -> None:
    """One more is found than the part holds if there is more; of other items the place is the same."""
    page = cut(found, 2, lambda last: f"{last}!")
    assert page == Page(tuple(found[:2]), following)
    assert page.of(item.upper() for item in page.items) == Page(tuple(found[:2].upper()), following)


def test_a_part_ended_at_an_id() -> None:
    """The token of the following part is the id of the last item; anything else is refused."""
    id = "match_" + "0" * 26
    assert ended_at("match", None, MatchId) is None
    assert ended_at("match", id, MatchId) == MatchId(id)
    for wrong in ("", id[1:], f"player_{'0' * 26}"):
        with pytest.raises(Malformed, match="INVALID_FIELD"):
            ended_at("match", wrong, MatchId)
