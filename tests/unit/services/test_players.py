"""Who calls, and what its token allows."""

from datetime import UTC, datetime

import pytest

from domain.match import PlayerId
from services.errors import Forbidden, Unauthenticated
from services.ids import new_uuid, written
from services.players import Caller
from services.ports import Scope
from tests.support.use_cases import memory_stores

ANN = PlayerId(written("player", new_uuid(datetime(2026, 1, 1, tzinfo=UTC))))


def allows(*scopes: Scope) -> set[Scope]:
    """Return what a token of these scopes allows."""
    caller = Caller(ANN, frozenset(scopes), None)

    def allowed(scope: Scope) -> bool:
        try:
            caller.demand(scope)
        except Forbidden:
            return False
        return True

    return {scope for scope in Scope if allowed(scope)}


def test_a_scope_allows_itself_and_what_it_includes() -> None:
    """Who plays may read, and a bot plays; nothing else follows from anything."""
    assert allows() == set()
    assert allows(Scope.READ) == {Scope.READ}
    assert allows(Scope.PLAY) == {Scope.PLAY, Scope.READ}
    assert allows(Scope.BOT) == {Scope.BOT, Scope.PLAY, Scope.READ}
    assert allows(Scope.WEBHOOKS) == {Scope.WEBHOOKS}
    assert allows(Scope.ADMIN) == {Scope.ADMIN}


async def test_a_guests_first_token_plays_reads_and_has_webhooks() -> None:
    """It neither is a bot's nor concerns the deployment, and stays good."""
    players = memory_stores().players()
    ann, token = await players.open_guest("Ann")
    caller = await players.authenticate(token, Scope.PLAY)
    scopes = frozenset({Scope.PLAY, Scope.READ, Scope.WEBHOOKS})
    assert caller == Caller(ann.id, scopes, None)
    for missing in (Scope.BOT, Scope.ADMIN):
        with pytest.raises(Forbidden) as refused:
            await players.authenticate(token, missing)
        assert (refused.value.reason, refused.value.details) == ("SCOPE_MISSING", {"scope": missing})


async def test_no_token_and_an_unknown_one_are_told_apart() -> None:
    """Both are refused, for reasons of their own."""
    players = memory_stores().players()
    for token, reason in ((None, "TOKEN_MISSING"), ("", "TOKEN_MISSING"), ("montane_x", "TOKEN_UNKNOWN")):
        with pytest.raises(Unauthenticated) as refused:
            await players.authenticate(token, Scope.READ)
        assert refused.value.reason == reason
