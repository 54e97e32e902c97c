"""Accounts, their tokens, and what a token allows."""

from collections.abc import Awaitable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from domain.match import PlayerId
from services.players.accounts import MOST_TOKENS, REMEMBERED, Caller, Players, PublicPlayer, hash_of
from services.players.profiles import ProfileChange
from services.players.sessions import Credential
from services.players.store import Scope, Token
from services.shared.errors import Failure, Forbidden, Malformed, NotFound, TooMany, Unauthenticated
from services.shared.ids import TokenId, new_uuid, written
from tests.support.stores.use_cases import ManualClock, Stores, memory_stores

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOBODY = PlayerId(written("player", new_uuid(NOW)))
DAY = timedelta(days=1)


class Service:
    """The use cases on stores in memory, with a clock that stands, and a guest."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self.clock = ManualClock(NOW)
        self.stores: Stores = memory_stores()
        self.players = self.node()

    def node(self) -> Players:
        """Return the use cases of one more process."""
        return self.stores.players(self.clock)

    async def prepare(self) -> None:
        """Open an account."""
        self.ann, self.token = await self.players.open_guest("Ann")
        self.caller = await self.players.authenticate(self.token, Scope.PLAY)

    async def made(self, *scopes: Scope, lasts: timedelta | None = None) -> str:
        """Return a further token of the guest."""
        expires_at = None if lasts is None else self.clock.now() + lasts
        return (await self.players.make_token(self.caller, scopes, expires_at))[1]

    async def called(self, *scopes: Scope, lasts: timedelta | None = None) -> Caller:
        """Return who calls with a further token of the guest, that the operator gave."""
        expires_at = None if lasts is None else self.clock.now() + lasts
        _, token = await self.players.issue_token(self.ann.id, scopes, expires_at)
        return await self.players.authenticate(token, scopes[0])


@pytest.fixture
async def service() -> Service:
    """The use cases with a guest."""
    service = Service()
    await service.prepare()
    return service


async def refusal(call: Awaitable[Any], kind: type[Failure]) -> tuple[str, dict[str, object]]:
    """Return why a call is refused."""
    with pytest.raises(kind) as refused:
        await call
    return refused.value.reason, refused.value.details


def allows(*scopes: Scope) -> set[Scope]:
    """Return what a token of these scopes allows."""
    caller = Caller(NOBODY, frozenset(scopes), Credential(b"", NOBODY, None))

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


async def test_a_guests_first_token_plays_reads_and_has_webhooks(service: Service) -> None:
    """It neither is a bot's nor concerns the deployment, and stays good."""
    scopes = frozenset({Scope.PLAY, Scope.READ, Scope.WEBHOOKS})
    shown = Credential(hash_of(service.token), service.ann.id, None)
    assert service.caller == Caller(service.ann.id, scopes, shown)
    for missing in (Scope.BOT, Scope.ADMIN):
        found = await refusal(service.players.authenticate(service.token, missing), Forbidden)
        assert found == ("SCOPE_MISSING", {"scope": missing})


async def test_a_token_that_is_none_is_told_from_one_that_nobody_has(service: Service) -> None:
    """No token, one of another shape, and one that is not known are refused for reasons of their own."""
    for token, reason in (
        (None, "TOKEN_MISSING"),
        ("", "TOKEN_MISSING"),
        ("montane_", "TOKEN_MALFORMED"),
        ("montane_" + "a" * 42, "TOKEN_MALFORMED"),
        ("montane_" + "a" * 42 + "=", "TOKEN_MALFORMED"),
        ("montane_" + "\u00e4" * 43, "TOKEN_MALFORMED"),
        ("Montane_" + "a" * 43, "TOKEN_MALFORMED"),
        (service.token + "a", "TOKEN_MALFORMED"),
        ("x" * 100_000, "TOKEN_MALFORMED"),
        ("a.b.c", "TOKEN_MALFORMED"),
        ("montane_" + "a" * 43, "TOKEN_UNKNOWN"),
        (service.token.swapcase().replace("MONTANE_", "montane_"), "TOKEN_UNKNOWN"),
    ):
        assert (await refusal(service.players.authenticate(token, Scope.READ), Unauthenticated))[0] == reason


async def test_a_token_is_good_until_it_expires(service: Service) -> None:
    """To the microsecond, whether it was looked up a moment before or not."""
    token = await service.made(Scope.READ, lasts=timedelta(seconds=7))
    last = timedelta(seconds=7) - datetime.resolution
    other = service.node()
    await service.players.authenticate(token, Scope.READ)
    service.clock.advance(last - timedelta(seconds=1))
    await service.players.authenticate(token, Scope.READ)
    service.clock.advance(timedelta(seconds=1))
    for node in (service.players, other):
        assert (await node.authenticate(token, Scope.READ)).id == service.ann.id
    service.clock.advance(datetime.resolution)
    for node in (service.players, other):
        assert (await refusal(node.authenticate(token, Scope.READ), Unauthenticated))[0] == "TOKEN_EXPIRED"


async def test_a_revoked_token_looks_unknown_at_once_here_and_soon_everywhere(service: Service) -> None:
    """The node that revokes it refuses it at once, another that knew it within `REMEMBERED`."""
    made, token = await service.players.make_token(service.caller, [Scope.READ], None)
    other = service.node()
    for node in (service.players, other):
        await node.authenticate(token, Scope.READ)
    await service.players.revoke(service.caller, made.id)
    unknown: tuple[str, dict[str, object]] = ("TOKEN_UNKNOWN", {})
    assert await refusal(service.players.authenticate(token, Scope.READ), Unauthenticated) == unknown
    service.clock.advance(REMEMBERED - datetime.resolution)
    await other.authenticate(token, Scope.READ)
    service.clock.advance(datetime.resolution)
    assert await refusal(other.authenticate(token, Scope.READ), Unauthenticated) == unknown
    assert timedelta(seconds=5) >= REMEMBERED


async def test_a_token_makes_what_it_has_itself_and_a_bots(service: Service) -> None:
    """Only one that plays makes tokens, and none of them more than it; a bot's is for any player to make."""
    token, _ = await service.players.make_token(
        service.caller, [Scope.READ, Scope.BOT, Scope.PLAY, Scope.READ], None
    )
    assert token.scopes == (Scope.PLAY, Scope.READ, Scope.BOT)
    assert (token.player, token.created_at, token.expires_at) == (service.ann.id, NOW, None)
    for held, asked, missing in (
        ([Scope.PLAY, Scope.READ], [Scope.WEBHOOKS], Scope.WEBHOOKS),
        ([Scope.PLAY, Scope.READ], [Scope.READ, Scope.ADMIN], Scope.ADMIN),
        ([Scope.PLAY], [Scope.READ], Scope.READ),
        ([Scope.READ, Scope.WEBHOOKS], [Scope.READ], Scope.PLAY),
        ([Scope.BOT, Scope.READ], [Scope.READ], Scope.PLAY),
    ):
        caller = await service.called(*held)
        refused = await refusal(service.players.make_token(caller, asked, None), Forbidden)
        assert refused == ("SCOPE_MISSING", {"scope": missing})
    assert (await service.called(Scope.ADMIN)).scopes == {Scope.ADMIN}


async def test_a_token_makes_none_that_outlives_it(service: Service) -> None:
    """One that expires makes only such as expire no later; one that stays good makes any."""
    caller = await service.called(Scope.PLAY, lasts=DAY)
    late = "no later than the end of the token that makes it"
    for expires_at in (None, NOW + DAY + datetime.resolution):
        refused = await refusal(service.players.make_token(caller, [Scope.PLAY], expires_at), Malformed)
        assert refused == ("INVALID_FIELD", {"field": "expires_at", "expected": late})
    token, _ = await service.players.make_token(caller, [Scope.PLAY], NOW + DAY)
    assert token.expires_at == NOW + DAY


async def test_a_token_that_cannot_be(service: Service) -> None:
    """Without scopes, or with a time that is over, there is none."""
    for scopes, expires_at, field in (([], None, "scopes"), ([Scope.READ], NOW, "expires_at")):
        refused = await refusal(service.players.make_token(service.caller, scopes, expires_at), Malformed)
        assert (refused[0], refused[1]["field"]) == ("INVALID_FIELD", field)


async def test_a_token_lasts_until_a_time_in_utc(service: Service) -> None:
    """Wherever the caller's clock hangs; a time that UTC has no date for is refused, not stored."""
    east, west = timezone(timedelta(hours=2)), timezone(-timedelta(hours=2))
    token, _ = await service.players.make_token(service.caller, [Scope.READ], (NOW + DAY).astimezone(east))
    assert str(token.expires_at) == str(NOW + DAY)
    never = datetime(9999, 12, 31, 23, tzinfo=west)
    reason, details = await refusal(
        service.players.make_token(service.caller, [Scope.READ], never), Malformed
    )
    assert (reason, details["field"]) == ("INVALID_FIELD", "expires_at")


async def test_a_player_has_so_many_tokens_and_no_more(service: Service) -> None:
    """Those whose time is over do not count, and are forgotten a day later."""
    for _ in range(MOST_TOKENS - 1):
        await service.made(Scope.READ, lasts=DAY)
    refused = await refusal(service.made(Scope.READ), TooMany)
    assert refused == ("TOO_MANY_TOKENS", {"most": MOST_TOKENS})
    service.clock.advance(DAY)
    await service.made(Scope.READ)
    listed = await service.players.tokens(service.caller, after=None, size=200)
    assert len(listed.items) == MOST_TOKENS + 1
    service.clock.advance(DAY + datetime.resolution)
    await service.made(Scope.READ)
    listed = await service.players.tokens(service.caller, after=None, size=200)
    assert len(listed.items) == 3


async def test_tokens_are_listed_page_by_page(service: Service) -> None:
    """Newest first, each once; others' tokens never."""
    await service.players.open_guest("Ben")
    for _ in range(4):
        service.clock.advance(timedelta(milliseconds=1))
        await service.made(Scope.READ)
    seen: list[Token] = []
    after = None
    while True:
        page = await service.players.tokens(service.caller, after=after, size=2)
        seen.extend(page.items)
        if (after := page.next) is None:
            break
    assert [token.created_at for token in seen] == sorted((token.created_at for token in seen), reverse=True)
    assert len({token.id for token in seen}) == 5
    assert {token.player for token in seen} == {service.ann.id}
    refused = await refusal(service.players.tokens(service.caller, after="match_x", size=2), Malformed)
    assert refused[1]["field"] == "page_token"


async def test_only_a_token_that_plays_manages_the_account(service: Service) -> None:
    """One that reads, or a bot's, neither sees nor changes any token, nor changes or erases the account."""
    for caller in (await service.called(Scope.READ), await service.called(Scope.BOT)):
        for call in (
            service.players.tokens(caller, after=None, size=1),
            service.players.make_token(caller, [Scope.READ], None),
            service.players.revoke(caller, TokenId("token_")),
            service.players.change(caller, ProfileChange()),
            service.players.erase(caller),
        ):
            refused: Awaitable[Any] = call
            assert await refusal(refused, Forbidden) == ("SCOPE_MISSING", {"scope": Scope.PLAY})
    assert await service.players.own(service.caller) == service.ann


async def test_only_ones_own_tokens_are_revoked(service: Service) -> None:
    """Another player's token, one that is gone, and what is no id, are not there."""
    ben, token = await service.players.open_guest("Ben")
    caller = await service.players.authenticate(token, Scope.PLAY)
    (theirs,) = (await service.players.tokens(caller, after=None, size=9)).items
    assert theirs.player == ben.id
    for id in (theirs.id, TokenId("token_x"), TokenId(written("token", new_uuid(NOW)))):
        refused = await refusal(service.players.revoke(service.caller, id), NotFound)
        assert refused == ("NO_SUCH_TOKEN", {"token": id})
    assert (await service.players.authenticate(token, Scope.PLAY)).id == ben.id


async def test_a_profile_changes_only_where_it_is_asked_to(service: Service) -> None:
    """What is left out stays; None gives the seed and locale back that a new account has."""
    ann = service.ann
    assert ann.avatar_seed in ann.id
    assert ann.locale == "en"
    players, caller = service.players, service.caller
    assert await players.change(caller, ProfileChange()) == ann
    changed = await players.change(caller, ProfileChange(display_name=" Anna ", locale="de-ch"))
    assert (changed.display_name, changed.avatar_seed, changed.locale) == ("Anna", ann.avatar_seed, "de-CH")
    changed = await players.change(caller, ProfileChange(avatar_seed="fox"))
    assert (changed.display_name, changed.avatar_seed, changed.locale) == ("Anna", "fox", "de-CH")
    assert await service.node().own(caller) == changed
    changed = await players.change(caller, ProfileChange(avatar_seed=None, locale=None))
    assert (changed.display_name, changed.avatar_seed, changed.locale) == ("Anna", ann.avatar_seed, "en")


async def test_everybody_sees_name_and_picture(service: Service) -> None:
    """And when the account was opened; not the language."""
    ann = service.ann
    assert await service.players.public(ann.id) == PublicPlayer(ann.id, "Ann", ann.avatar_seed, NOW)
    for id in (NOBODY, PlayerId("player_x"), PlayerId("me")):
        refused = await refusal(service.players.public(id), NotFound)
        assert refused == ("NO_SUCH_PLAYER", {"player": id})


async def test_an_erased_account_is_gone(service: Service) -> None:
    """Its tokens at once here and soon elsewhere, its profile at once everywhere; twice is no worse."""
    other = service.node()
    token = await service.made(Scope.PLAY)
    await other.authenticate(token, Scope.PLAY)
    await service.players.erase(service.caller)
    for secret in (token, service.token):
        refused = await refusal(service.players.authenticate(secret, Scope.READ), Unauthenticated)
        assert refused == ("TOKEN_UNKNOWN", {})
    caller = await other.authenticate(token, Scope.PLAY)
    for call in (
        other.own(caller),
        other.change(caller, ProfileChange(locale="de")),
        other.make_token(caller, [Scope.PLAY], None),
    ):
        late: Awaitable[Any] = call
        assert await refusal(late, Unauthenticated) == ("TOKEN_UNKNOWN", {})
    await other.erase(caller)
    assert await refusal(other.public(service.ann.id), NotFound) == (
        "NO_SUCH_PLAYER",
        {"player": service.ann.id},
    )
    assert await other.named([service.ann.id]) == {}
    service.clock.advance(REMEMBERED)
    assert (await refusal(other.authenticate(token, Scope.READ), Unauthenticated))[0] == "TOKEN_UNKNOWN"


async def test_an_operator_gives_tokens_to_players_that_exist(service: Service) -> None:
    """Of any scope; nobody else gets one."""
    caller = await service.called(Scope.ADMIN, Scope.READ)
    assert (caller.id, caller.scopes) == (service.ann.id, frozenset({Scope.ADMIN, Scope.READ}))
    refused = await refusal(service.players.issue_token(NOBODY, [Scope.READ], None), NotFound)
    assert refused == ("NO_SUCH_PLAYER", {"player": NOBODY})
