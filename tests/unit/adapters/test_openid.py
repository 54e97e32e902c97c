"""Tokens of a trusted issuer, against a real one on this machine."""

import asyncio
import base64
import hmac
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from adapters.keys import openid
from adapters.keys.openid import OLD, PAUSE, OpenIdIssuer, trustworthy
from adapters.main import openid_issuer
from adapters.settings import SettingError, load
from domain.match import PlayerId
from services.players.accounts import GUEST_SCOPES, REMEMBERED, Caller, Players, hash_of
from services.players.sessions import Credential
from services.players.store import Identity, Scope
from services.shared.errors import Unauthenticated, Unavailable
from tests.support.faces.issuer import AUDIENCE, LocalIssuer, edwards, elliptic, rsa, serving, signed
from tests.support.stores.use_cases import ManualClock, memory_stores, postgres_stores

NOW = datetime(2026, 7, 1, tzinfo=UTC)
AT = int(NOW.timestamp())
SKEW = 60


class Trust:
    """An issuer, and what trusts it, with a clock that stands."""

    def __init__(self, issuer: LocalIssuer) -> None:
        """Trust the issuer."""
        self.issuer = issuer
        self.clock = ManualClock(NOW)
        self.trusted = self.node()

    def node(self, *, jwks_url: str | None = None) -> OpenIdIssuer:
        """Return what trusts the issuer in one more process."""
        return OpenIdIssuer(
            self.issuer.url, audience=AUDIENCE, jwks_url=jwks_url, clock_skew=SKEW, clock=self.clock
        )

    async def refusal(self, token: str) -> str:
        """Return why a token is refused."""
        with pytest.raises(Unauthenticated) as refused:
            await self.trusted.identity(token)
        assert refused.value.details == {}
        return refused.value.reason


@pytest.fixture(scope="module")
def _serving() -> Iterator[LocalIssuer]:
    """An issuer for all tests: its keys take long to make."""
    with serving() as issuer:
        yield issuer


@pytest.fixture
async def trust(_serving: LocalIssuer) -> AsyncIterator[Trust]:
    """A trusted issuer, as it was at first."""
    issuer, keys = _serving, list(_serving.keys)
    issuer.asked.clear()
    trust = Trust(issuer)
    yield trust
    await trust.trusted.close()
    issuer.keys[:] = keys
    issuer.published, issuer.told, issuer.status, issuer.hangs = None, {}, 200, False


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
async def test_a_token_names_its_subject(trust: Trust) -> None:
    """Signed with a key of any type that is taken; it is good as long as it says, and the skew besides."""
    for key in trust.issuer.keys:
        token = trust.issuer.token(key=key, exp=AT + 100, nickname="Annie", locale="de")
        assert await trust.trusted.identity(token) == Identity(
            issuer=trust.issuer.url,
            subject="ann",
            expires_at=NOW + timedelta(seconds=100 + SKEW),
            names=("Annie",),
            locale="de",
        )
    old_name = trust.issuer.token(key=trust.issuer.keys[2], header={"alg": "EdDSA"})
    assert (await trust.trusted.identity(old_name)).subject == "ann"
    for header in ({"typ": None}, {"typ": "at+jwt"}, {"typ": "application/at+jwt"}, {"x5t": "x"}):
        assert (await trust.trusted.identity(trust.issuer.token(header=header))).subject == "ann"
    several = trust.issuer.token(aud=["other", AUDIENCE], sub="b|1", exp=AT + 0.5)
    assert (await trust.trusted.identity(several)).subject == "b|1"
    assert trust.issuer.asked == ["/.well-known/openid-configuration", "/keys"]


async def test_a_token_without_a_keys_name_is_good_by_any_key(trust: Trust) -> None:
    """Of its type."""
    trust.issuer.keys.append(rsa("rsa-2"))
    token = trust.issuer.token(key=trust.issuer.keys[-1], header={"kid": None})
    assert (await trust.trusted.identity(token)).subject == "ann"


async def test_a_token_of_others_is_foreign(trust: Trust) -> None:
    """From another issuer, for which no key is looked up, or for another service."""
    assert await trust.refusal(trust.issuer.token(iss="https://other.example")) == "TOKEN_FOREIGN"
    assert await trust.refusal(trust.issuer.token(iss=trust.issuer.url + "/")) == "TOKEN_FOREIGN"
    assert trust.issuer.asked == []
    for audience in ("other", [], ["other", "montane "], "MONTANE"):
        assert await trust.refusal(trust.issuer.token(aud=audience)) == "TOKEN_FOREIGN"


async def test_a_token_is_good_in_its_time(trust: Trust) -> None:
    """From `nbf` and `iat` to `exp`, each by the skew earlier or later, to the second."""
    cases: tuple[tuple[dict[str, Any], str | None], ...] = (
        ({"exp": AT - SKEW}, "TOKEN_EXPIRED"),
        ({"exp": AT - SKEW + 1}, None),
        ({"nbf": AT + SKEW + 1}, "TOKEN_NOT_YET_VALID"),
        ({"nbf": AT + SKEW}, None),
        ({"iat": AT + SKEW + 1}, "TOKEN_NOT_YET_VALID"),
        ({"iat": AT + SKEW, "nbf": AT}, None),
    )
    for claims, reason in cases:
        token = trust.issuer.token(**claims)
        if reason is None:
            assert (await trust.trusted.identity(token)).subject == "ann", claims
        else:
            assert await trust.refusal(token) == reason, claims


async def test_a_signature_of_anybody_else_is_unknown(trust: Trust) -> None:
    """Another key under a known name or its own, and a payload or signature that was changed."""
    for forger in (rsa("rsa-1"), elliptic("ec-1"), edwards("ed-1"), rsa("rsa-9")):
        assert await trust.refusal(trust.issuer.token(key=forger)) == "TOKEN_UNKNOWN"
    token = trust.issuer.token(sub="ann")
    other = trust.issuer.token(sub="ben")
    mixed = ".".join((*token.split(".")[:2], other.split(".")[2]))
    head, payload, signature = token.split(".")
    flipped = "B" if signature[0] == "A" else "A"
    for changed in (mixed, f"{head}.{payload}.{flipped}{signature[1:]}", f"{head}.{payload}."):
        assert await trust.refusal(changed) == "TOKEN_UNKNOWN"


async def test_a_public_key_is_no_secret(trust: Trust) -> None:
    """A token signed with it as a shared secret, or not at all, is none; nor by another algorithm."""
    key = trust.issuer.keys[0]
    raw: Any = key.public_key
    _, payload, signature = trust.issuer.token().split(".")
    for form in (PublicFormat.SubjectPublicKeyInfo, PublicFormat.PKCS1):
        shared = encoded({"alg": "HS256", "kid": "rsa-1"}) + "." + payload
        mac = hmac.digest(raw.public_bytes(Encoding.PEM, form), shared.encode(), "sha256")
        forged = base64.urlsafe_b64encode(mac).rstrip(b"=").decode()
        assert await trust.refusal(f"{shared}.{forged}") == "TOKEN_MALFORMED"
    algorithms: list[Any] = ["none", "None", "HS256", "RS1", "", None, ["RS256"], {}]
    for algorithm in algorithms:
        unsigned = encoded({"alg": algorithm, "kid": "rsa-1"})
        for end in ("", signature):
            assert await trust.refusal(f"{unsigned}.{payload}.{end}") == "TOKEN_MALFORMED"
    for algorithm in ("RS512", "PS256"):
        token = trust.issuer.token(header={"alg": algorithm})
        assert await trust.refusal(token) == "TOKEN_MALFORMED"
    crossed = encoded({"alg": "ES256", "kid": "rsa-1"})
    assert await trust.refusal(f"{crossed}.{payload}.{signature}") == "TOKEN_UNKNOWN"


async def test_what_is_no_token_is_malformed(trust: Trust) -> None:
    """Wrong parts, no JSON, claims that are missing or of a wrong kind, and what is signed for other ends."""
    token = trust.issuer.token()
    head, payload, signature = token.split(".")
    for text in (
        *("x", "..", "a.b.c", f"{head}.{payload}", f"{token}.x", f"{head}..{signature}", f" {token}"),
        *("\u00e4.b.c", "\udc80.b.c", "x" * 100_000, "e30.e30.e30", "W10.e30.", "WyJhbGciXQ.e30.e30"),
        f"{head}.{'A' * 20_000}.{signature}",
        f"{encoded('[' * 3_000)}.{payload}.{signature}",
    ):
        assert await trust.refusal(text) == "TOKEN_MALFORMED", text[:80]
    for header in (
        *({"typ": "logout+jwt"}, {"typ": "secevent+jwt"}, {"typ": 1}, {"crit": ["exp"], "exp": 1}),
        *({"b64": False, "crit": ["b64"]}, {"b64": True}),
    ):
        text = f"{encoded({'alg': 'RS256', 'kid': 'rsa-1'} | header)}.{payload}.{signature}"
        assert await trust.refusal(text) == "TOKEN_MALFORMED", header
    wrong: tuple[dict[str, Any], ...] = (
        *({"exp": None}, {"exp": "soon"}, {"exp": True}, {"exp": -1}, {"exp": 10**20}, {"sub": None}),
        *({"sub": ""}, {"sub": "x" * 256}, {"sub": "a\x00"}, {"sub": "\u00e4"}, {"sub": 7}, {"aud": None}),
        *({"aud": 1}, {"iss": None}, {"nbf": "now"}, {"iat": []}),
    )
    for claims in wrong:
        assert await trust.refusal(trust.issuer.token(**claims)) == "TOKEN_MALFORMED", claims
    for raw in (b"", b"[]", b"\xff", b'{"exp": NaN}', b"[" * 5_000):
        text = signed(trust.issuer.keys[0], raw, {})
        assert await trust.refusal(text) == "TOKEN_MALFORMED", raw[:20]


async def test_a_new_key_is_found(trust: Trust) -> None:
    """By the first token that names it; one that is withdrawn is good until the keys are read again."""
    old = trust.issuer.token()
    await trust.trusted.identity(old)
    trust.issuer.keys[:] = [rsa("rsa-2")]
    trust.clock.advance(PAUSE)
    assert (await trust.trusted.identity(trust.issuer.token())).subject == "ann"
    assert await trust.refusal(old) == "TOKEN_UNKNOWN"
    assert trust.issuer.asked.count("/keys") == 2


async def test_known_keys_grow_old(trust: Trust) -> None:
    """They are read again beside the calls, none of which waits."""
    old = trust.issuer.token()
    await trust.trusted.identity(old)
    trust.issuer.keys[:] = trust.issuer.keys[1:]
    trust.clock.advance(OLD)
    await trust.trusted.identity(old)
    assert trust.issuer.asked.count("/keys") == 1
    trust.clock.advance(datetime.resolution)
    await trust.trusted.identity(old)
    await trust.trusted.settled()
    assert await trust.refusal(old) == "TOKEN_UNKNOWN"
    assert trust.issuer.asked.count("/keys") == 2


async def test_unknown_keys_do_not_burden_the_issuer(trust: Trust) -> None:
    """However many tokens name one, at once or one after the other, it is asked once in a while."""
    forged = [trust.issuer.token(key=edwards(f"ed-{number}")) for number in range(2, 12)]
    reasons = await asyncio.gather(*map(trust.refusal, forged))
    assert set(reasons) == {"TOKEN_UNKNOWN"}
    for token in forged:
        assert await trust.refusal(token) == "TOKEN_UNKNOWN"
    assert trust.issuer.asked.count("/keys") == 1
    trust.clock.advance(PAUSE)
    assert await trust.refusal(forged[0]) == "TOKEN_UNKNOWN"
    assert trust.issuer.asked.count("/keys") == 2


async def test_an_issuer_that_is_away_leaves_known_keys_good(trust: Trust) -> None:
    """Only a token of an unknown key has to come again, and is told so at once from the second time on."""
    known, unknown = trust.issuer.token(), trust.issuer.token(key=edwards("ed-9"))
    await trust.trusted.identity(known)
    trust.issuer.status = 500
    trust.clock.advance(OLD * 2)
    for _ in range(2):
        with pytest.raises(Unavailable) as away:
            await trust.trusted.identity(unknown)
        assert (away.value.reason, away.value.details) == ("ISSUER_UNAVAILABLE", {"retry_after": 5})
        assert (await trust.trusted.identity(known)).subject == "ann"
        assert trust.issuer.asked.count("/.well-known/openid-configuration") == 2
    trust.issuer.status = 200
    trust.clock.advance(PAUSE)
    assert await trust.refusal(unknown) == "TOKEN_UNKNOWN"


async def test_an_issuer_that_hangs_holds_nobody_else_up(
    trust: Trust, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop goes on, known keys are good, and who waits for it is told after a while."""
    monkeypatch.setattr(openid, "TIMEOUT", 0.2)
    known, unknown = trust.issuer.token(), trust.issuer.token(key=edwards("ed-9"))
    await trust.trusted.identity(known)
    trust.issuer.hangs = True
    trust.clock.advance(PAUSE)
    waiting = [asyncio.create_task(trust.trusted.identity(unknown)) for _ in range(3)]
    waiting[0].cancel()
    turns, begun = 0, time.monotonic()
    while not waiting[1].done():
        assert (await trust.trusted.identity(known)).subject == "ann"
        await asyncio.sleep(0)
        turns += 1
    assert turns > 10
    assert time.monotonic() - begun < 5
    for waited in waiting[1:]:
        with pytest.raises(Unavailable):
            await waited
    assert trust.issuer.asked.count("/.well-known/openid-configuration") == 2
    trust.issuer.go_on.set()


@pytest.mark.parametrize(
    "published",
    [
        *({}, [], {"keys": []}, {"keys": {}}, {"keys": [1]}, b"", b"\xff", b"{", b" " * 300_000),
        {"keys": [{"kty": "oct", "kid": "rsa-1", "k": "c2VjcmV0"}]},
        {"keys": [{"kty": ["RSA"]}, {"kty": "RSA", "kid": "rsa-1", "n": 5, "e": "AQAB"}, {}]},
        {"keys": [{"kty": "EC", "crv": "P-256", "kid": "ec-1", "x": "AA", "y": "AA"}]},
        {"keys": [{"kty": "RSA", "key_ops": 5, "n": "", "e": ""}, {"kty": "RSA", "alg": {}}]},
    ],
)
async def test_keys_that_cannot_be_read_change_nothing(trust: Trust, published: Any) -> None:
    """Nothing, rubbish, too much, or keys that are none: the issuer counts as away, with its old keys."""
    known, unknown = trust.issuer.token(), trust.issuer.token(key=edwards("ed-9"))
    await trust.trusted.identity(known)
    trust.issuer.published = published
    trust.clock.advance(PAUSE)
    with pytest.raises(Unavailable):
        await trust.trusted.identity(unknown)
    assert (await trust.trusted.identity(known)).subject == "ann"


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
async def test_only_keys_that_sign_tokens_are_taken(trust: Trust) -> None:
    """None for another use or algorithm, none that is weak; what else is published does not disturb."""
    weak, good = rsa("weak", 1024), trust.issuer.keys[0]
    for_use: list[tuple[Any, dict[str, Any]]] = [
        (edwards("enc"), {"use": "enc"}),
        (edwards("ops"), {"key_ops": ["deriveKey"]}),
        (edwards("alg"), {"alg": "ES256"}),
        (elliptic("p384"), {"crv": "P-384"}),
        (weak, {}),
    ]
    public = [{**key.as_dict(private=False), **more} for key, more in for_use]
    private = good.as_dict(private=True)
    later = {"kty": "AKP", "kid": "later", "alg": "ML-DSA-44"}
    trust.issuer.published = {"keys": [later, *public, {**private, "alg": "RS256", "key_ops": ["verify"]}]}
    assert (await trust.trusted.identity(trust.issuer.token())).subject == "ann"
    for key, _ in for_use:
        assert await trust.refusal(trust.issuer.token(key=key)) == "TOKEN_UNKNOWN", key.kid


async def test_what_the_issuer_tells_about_itself_must_be_so(trust: Trust) -> None:
    """It is who it is thought to be, and nobody can change its keys on the way."""
    for told in ({"issuer": "https://other.example"}, {"jwks_uri": "http://keys.example/"}, {"jwks_uri": 5}):
        trust.issuer.told = told
        with pytest.raises(Unavailable):
            await trust.trusted.identity(trust.issuer.token())
        trust.clock.advance(PAUSE)
    assert "/keys" not in trust.issuer.asked


async def test_the_keys_may_be_named_in_the_settings(trust: Trust) -> None:
    """Then the issuer is not asked about itself."""
    node = trust.node(jwks_url=f"{trust.issuer.url}/keys")
    assert (await node.identity(trust.issuer.token())).subject == "ann"
    assert trust.issuer.asked == ["/keys"]
    await node.close()


def test_what_is_trustworthy() -> None:
    """Addresses by https, and those of this machine."""
    good = (
        "https://issuer.example",
        "https://issuer.example/realm?x=1",
        "http://127.0.0.1:1/",
        "http://[::1]:8",
    )
    bad = (
        "http://issuer.example",
        "issuer.example",
        "",
        "https://",
        "ftp://x",
        "http://localhost.example",
        "https:x",
    )
    assert all(map(trustworthy, good))
    assert not any(map(trustworthy, bad))


def test_an_issuer_is_set_whole() -> None:
    """With an audience, at an address that nobody can change on the way, with a skew of minutes at most."""
    issuer = {"MONTANE_OIDC_ISSUER": "https://issuer.example/", "MONTANE_OIDC_AUDIENCE": "montane"}
    assert openid_issuer(load({}, {})) is None
    assert openid_issuer(load({}, issuer | {"MONTANE_OIDC_CLOCK_SKEW": "0"})) is not None
    assert load({"oidc_jwks_url": "https://keys.example"}, issuer).oidc_clock_skew == 60
    for wrong, named in (
        ({"MONTANE_OIDC_AUDIENCE": ""}, "MONTANE_OIDC_AUDIENCE"),
        ({"MONTANE_OIDC_ISSUER": "http://issuer.example"}, "MONTANE_OIDC_ISSUER"),
        ({"MONTANE_OIDC_JWKS_URL": "keys"}, "MONTANE_OIDC_JWKS_URL"),
        ({"MONTANE_OIDC_CLOCK_SKEW": "601"}, "MONTANE_OIDC_CLOCK_SKEW"),
        ({"MONTANE_OIDC_CLOCK_SKEW": "-1"}, "MONTANE_OIDC_CLOCK_SKEW"),
    ):
        with pytest.raises(SettingError, match=named):
            load({}, issuer | wrong)


@asynccontextmanager
async def two_nodes(trust: Trust, database: str | None) -> AsyncIterator[tuple[Players, Players]]:
    """Give the accounts of two processes that trust the issuer."""
    other = trust.node()
    try:
        if database is None:
            accounts = memory_stores().accounts
            yield Players(accounts, trust.clock, trust.trusted), Players(accounts, trust.clock, other)
        else:
            async with postgres_stores(database) as stores:
                accounts = stores.accounts
                yield Players(accounts, trust.clock, trust.trusted), Players(accounts, trust.clock, other)
    finally:
        await other.close()


@pytest.fixture(params=["memory", "postgres"])
async def nodes(request: pytest.FixtureRequest, trust: Trust) -> AsyncIterator[tuple[Players, Players]]:
    """The accounts of two processes that trust the issuer, on stores of each kind."""
    database = request.getfixturevalue("database") if request.param == "postgres" else None
    async with two_nodes(trust, database) as nodes:
        yield nodes


async def test_a_subject_becomes_one_player(nodes: tuple[Players, Players], trust: Trust) -> None:
    """At first sight, whichever node sees it, and the same ever after; another subject is another."""
    ann = [trust.issuer.token(nickname="Annie", locale="de-ch", exp=AT + n) for n in range(1000, 1006)]
    calls = [node.authenticate(token, Scope.PLAY) for token in ann for node in nodes]
    callers = await asyncio.gather(*calls)
    caller = callers[0]
    assert {one.id for one in callers} == {caller.id}
    until = NOW + timedelta(seconds=1000 + SKEW)
    shown = Credential(hash_of(ann[0]), caller.id, until, signed_in=True)
    assert caller == Caller(caller.id, frozenset(GUEST_SCOPES), shown)
    player = await nodes[0].own(caller)
    assert (player.display_name, player.locale) == ("Annie", "de-CH")
    ben = await nodes[1].authenticate(trust.issuer.token(sub="ben"), Scope.READ)
    assert ben.id != caller.id


async def test_a_name_is_taken_if_everybody_may_see_it(nodes: tuple[Players, Players], trust: Trust) -> None:
    """No address of mail, nothing hidden; else a player has the usual name, and a language that is none."""
    players, _ = nodes
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({}, "Player"),
        ({"name": "Ann Lee"}, "Player"),
        ({"preferred_username": "ann"}, "ann"),
        ({"preferred_username": "ann@example.org", "locale": "en_US"}, "Player"),
        ({"nickname": "a\u200bb", "preferred_username": "ann"}, "ann"),
        ({"nickname": "x" * 65, "locale": ""}, "Player"),
    )
    for number, (claims, name) in enumerate(cases):
        token = trust.issuer.token(sub=f"s{number}", **claims)
        player = await players.own(await players.authenticate(token, Scope.READ))
        assert (player.display_name, player.locale) == (name, "en")


async def test_a_sign_in_makes_tokens_that_outlive_it(nodes: tuple[Players, Players], trust: Trust) -> None:
    """A token of our own of the same player, with no end; the sign-in itself ends when it says."""
    players, _ = nodes
    sign_in = trust.issuer.token(exp=AT + 1)
    caller = await players.authenticate(sign_in, Scope.PLAY)
    _, token = await players.make_token(caller, [Scope.PLAY], None)
    trust.clock.advance(timedelta(seconds=SKEW))
    await players.authenticate(sign_in, Scope.PLAY)
    trust.clock.advance(timedelta(seconds=1))
    with pytest.raises(Unauthenticated) as refused:
        await players.authenticate(sign_in, Scope.PLAY)
    assert refused.value.reason == "TOKEN_EXPIRED"
    assert (await players.authenticate(token, Scope.PLAY)).id == caller.id


async def test_an_erased_player_is_somebody_new(nodes: tuple[Players, Players], trust: Trust) -> None:
    """Whom the issuer names goes with the rest: a later sign-in opens a fresh account on every node."""
    token = trust.issuer.token()
    before: set[PlayerId] = {(await node.authenticate(token, Scope.PLAY)).id for node in nodes}
    await nodes[0].erase(await nodes[0].authenticate(token, Scope.PLAY))
    trust.clock.advance(REMEMBERED)
    after: set[PlayerId] = {(await node.authenticate(token, Scope.PLAY)).id for node in nodes}
    assert len(before) == len(after) == 1
    assert before != after


async def test_a_token_of_ours_never_goes_to_the_issuer(nodes: tuple[Players, Players], trust: Trust) -> None:
    """Guests play on whatever becomes of the issuer; what is neither ours nor the issuer's is malformed."""
    players, _ = nodes
    trust.issuer.status = 500
    ann, token = await players.open_guest("Ann")
    assert (await players.authenticate(token, Scope.PLAY)).id == ann.id
    for text, reason in (("montane_x", "TOKEN_MALFORMED"), ("montane_" + "x" * 43, "TOKEN_UNKNOWN")):
        with pytest.raises(Unauthenticated) as refused:
            await players.authenticate(text, Scope.PLAY)
        assert refused.value.reason == reason
    assert trust.issuer.asked == []


def encoded(value: Any) -> str:
    """Return a value as a part of a token; a text as it stands."""
    text = value if isinstance(value, str) else json.dumps(value)
    return base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
