"""Tokens of an OpenID Connect issuer that the deployment trusts, verified with the issuer's public keys.

The keys are read when a token names one that is not known, at most once in a `PAUSE` however many tokens do,
and again when they have grown old. While the issuer is away, tokens signed with a known key are good as ever.
"""

import asyncio
import logging
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import httpx
import msgspec
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key
from msgspec import Meta, Struct

from services.players.store import Identity
from services.shared.errors import FailureReason, Unauthenticated, Unavailable
from services.shared.time import Clock

PAUSE = timedelta(seconds=5)
"""The least time between two attempts to read the issuer's keys."""
OLD = timedelta(minutes=10)
"""After how long known keys are read again: the issuer may have withdrawn one."""
TIMEOUT = 5.0
"""Seconds that reading the keys may take."""
LARGEST_DOCUMENT = 256 * 1024
LONGEST_TOKEN = 16 * 1024
LONGEST_HEADER = 4 * 1024
LONGEST_SUBJECT = 255
LEAST_RSA_BITS = 2048
MOST_KEYS = 20

ALGORITHMS = {"RS256": "RSA", "ES256": "EC", "Ed25519": "OKP"}
"""What a token may be signed with, and the type of key that takes."""
CURVES = {"RSA": None, "EC": "P-256", "OKP": "Ed25519"}
"""The curve of a key, by its type."""
MEMBERS = {"kty", "kid", "n", "e", "crv", "x", "y"}
"""What is taken of a key: its public parts and its name."""
ALIASES = {"EdDSA": "Ed25519"}
"""Older names of algorithms (RFC 9864)."""
TYPES = {"jwt", "at+jwt", "application/at+jwt"}
"""What a token may say that it is: an issuer signs other things too, such as news that a session is over."""

type Seconds = Annotated[float, Meta(ge=0, lt=253_370_764_800)]
"""Since 1970, up to the year 9998, so that the skew may be added."""

log = logging.getLogger(__name__)


class Claims(Struct, frozen=True):
    """What a token says, as far as it matters here."""

    iss: str
    sub: Annotated[str, Meta(min_length=1, max_length=LONGEST_SUBJECT, pattern="^[\x20-\x7e]+$")]
    aud: str | list[str]
    exp: Seconds
    nbf: Seconds = 0
    iat: Seconds = 0
    nickname: str | None = None
    preferred_username: str | None = None
    locale: str | None = None


class Discovery(Struct, frozen=True):
    """What an issuer tells about itself."""

    issuer: str
    jwks_uri: str


class IssuerKeys(Struct, frozen=True):
    """An issuer's public keys."""

    keys: list[dict[str, Any]]


class OpenIdIssuer:
    """The port `Issuer`."""

    def __init__(
        self, issuer: str, *, audience: str, jwks_url: str | None, clock_skew: int, clock: Clock
    ) -> None:
        """Take whom to trust; nothing is read yet.

        Args:
            issuer: What its tokens name as `iss`, and where it tells about itself.
            audience: What its tokens must name as `aud`.
            jwks_url: Where its keys are; None if it tells that itself.
            clock_skew: By how many seconds its clock and ours may differ.
            clock: The time.
        """
        self._issuer = issuer
        self._audience = audience
        self._jwks_url = jwks_url
        self._skew = timedelta(seconds=clock_skew)
        self._clock = clock
        self._http = httpx.AsyncClient(timeout=TIMEOUT)
        self._keys: list[Key] = []
        self._read_at = self._tried_at = datetime.min.replace(tzinfo=UTC)
        self._reading: asyncio.Task[None] | None = None

    async def identity(self, token: str) -> Identity:
        """Return whom a token names.

        Raises:
            Unauthenticated: It is no token of the issuer for us, or not good now.
            Unavailable: Its key is not known, and the issuer is away.
        """
        signed, claims = _read(token)
        if claims.iss != self._issuer:
            raise Unauthenticated(FailureReason.TOKEN_FOREIGN)
        if not any(_verifies(key, signed) for key in await self._keys_for(signed)):
            raise Unauthenticated(FailureReason.TOKEN_UNKNOWN)
        if self._audience not in ([claims.aud] if isinstance(claims.aud, str) else claims.aud):
            raise Unauthenticated(FailureReason.TOKEN_FOREIGN)
        now = self._clock.now()
        expires_at = datetime.fromtimestamp(claims.exp, UTC) + self._skew
        if expires_at <= now:
            raise Unauthenticated(FailureReason.TOKEN_EXPIRED)
        if datetime.fromtimestamp(max(claims.nbf, claims.iat), UTC) - self._skew > now:
            raise Unauthenticated(FailureReason.TOKEN_NOT_YET_VALID)
        return Identity(
            issuer=claims.iss,
            subject=claims.sub,
            expires_at=expires_at,
            names=tuple(name for name in (claims.nickname, claims.preferred_username) if name),
            locale=claims.locale,
        )

    async def settled(self) -> None:
        """Return when its keys are not being read."""
        if self._reading is not None:
            await asyncio.shield(self._reading)

    async def close(self) -> None:
        """Hang up."""
        if self._reading is not None:
            self._reading.cancel()
        await self._http.aclose()

    async def _keys_for(self, signed: jws.CompactSignature) -> list[Key]:
        """Return the keys that a token may be signed with, reading them if none is known.

        Raises:
            Unavailable: None is known, and they cannot be read.
        """
        if keys := self._known_for(signed):
            if self._clock.now() - self._read_at > OLD:
                self._begin_reading()
            return keys
        self._begin_reading()
        await self.settled()
        if not (keys := self._known_for(signed)) and self._read_at < self._tried_at:
            raise Unavailable(FailureReason.ISSUER_UNAVAILABLE, retry_after=int(PAUSE.total_seconds()))
        return keys

    def _known_for(self, signed: jws.CompactSignature) -> list[Key]:
        header = signed.headers()
        kind, name = ALGORITHMS[header["alg"]], header.get("kid")
        return [key for key in self._keys if key.key_type == kind and name in (None, key.kid)]

    def _begin_reading(self) -> None:
        """Read the keys, unless that is being done or was just tried."""
        now = self._clock.now()
        if self._reading is None and now - self._tried_at >= PAUSE:
            self._tried_at = now
            self._reading = asyncio.create_task(self._read_keys(now))
            self._reading.add_done_callback(self._reading_done)

    def _reading_done(self, reading: asyncio.Task[None]) -> None:
        self._reading = None

    async def _read_keys(self, now: datetime) -> None:
        """Take the issuer's keys in place of those known; leave these if that cannot be."""
        try:
            async with asyncio.timeout(TIMEOUT):
                address = self._jwks_url or await self._discovered()
                found = await self._get(address, IssuerKeys)
            keys = [key for data in found.keys[:MOST_KEYS] if (key := _usable(data)) is not None]
            if not keys:
                raise ValueError("it has no key that can be used")
        except (httpx.HTTPError, httpx.InvalidURL, msgspec.DecodeError, ValueError, TimeoutError) as error:
            log.warning("the keys of %s cannot be read: %s", self._issuer, error or type(error).__name__)
        else:
            self._keys, self._read_at = keys, now

    async def _discovered(self) -> str:
        """Return where the issuer says that its keys are."""
        told = await self._get(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration", Discovery)
        if told.issuer != self._issuer:
            raise ValueError(f"it says that it is {told.issuer}")
        if not trustworthy(told.jwks_uri):
            raise ValueError(f"its keys are at {told.jwks_uri}, where anybody could change them on the way")
        return told.jwks_uri

    async def _get[Document](self, address: str, type: type[Document]) -> Document:
        """Return a document of the issuer's, of bounded size."""
        async with self._http.stream("GET", address) as answer:
            if answer.status_code != 200:
                raise ValueError(f"{address} answers {answer.status_code}")
            body = b""
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > LARGEST_DOCUMENT:
                    raise ValueError(f"{address} answers more than {LARGEST_DOCUMENT} bytes")
        return msgspec.json.decode(body, type=type)


def trustworthy(address: str) -> bool:
    """Return whether nobody can change on the way what is at an address: by https, or on this machine."""
    try:
        url = httpx.URL(address)
    except httpx.InvalidURL:
        return False
    own = url.host in {"localhost", "127.0.0.1", "::1"}
    return bool(url.host) and (url.scheme == "https" or (url.scheme == "http" and own))


class _Registry(jws.JWSRegistry):
    """Takes the algorithms named above and no others, `none` and shared secrets least of all."""

    max_header_length = LONGEST_HEADER


_REGISTRY = _Registry(algorithms=list(ALGORITHMS), strict_check_header=False)


def _read(token: str) -> tuple[jws.CompactSignature, Claims]:
    """Return a token taken apart, nothing of it verified.

    Raises:
        Unauthenticated: It is none, or none of a kind that is taken.
    """
    try:
        if len(token) > LONGEST_TOKEN:
            raise ValueError("it is too long")
        signed = jws.extract_compact(token.encode(), None, _REGISTRY)
        header = signed.headers()
        alg = header["alg"] = ALIASES.get(header["alg"], header["alg"])
        if (
            alg not in ALGORITHMS
            or header.get("typ", "jwt").lower() not in TYPES
            or {"crit", "b64"} & header.keys()
        ):
            raise ValueError("it is of another kind")
        return signed, msgspec.json.decode(signed.payload, type=Claims)
    except (JoseError, ValueError, TypeError, AttributeError, msgspec.DecodeError, RecursionError) as error:
        raise Unauthenticated(FailureReason.TOKEN_MALFORMED) from error


def _verifies(key: Key, signed: jws.CompactSignature) -> bool:
    try:
        return jws.validate_compact(signed, key, registry=_REGISTRY)
    except JoseError:
        return False


def _usable(data: dict[str, Any]) -> Key | None:
    """Return a key that signs tokens, or None if it is of another kind, for another use, or weak."""
    try:
        kind = data["kty"]
        alg = data.get("alg")
        if (
            kind not in CURVES
            or data.get("crv") != CURVES[kind]
            or data.get("use", "sig") != "sig"
            or "verify" not in data.get("key_ops", ["verify"])
            or (alg is not None and ALGORITHMS.get(ALIASES.get(alg, alg)) != kind)
        ):
            return None
        key = JWKRegistry.import_key({name: value for name, value in data.items() if name in MEMBERS})
        raw = key.raw_value
    except (JoseError, LookupError, ValueError, TypeError, AttributeError) as error:
        log.warning("a key of the issuer cannot be read: %s", error)
        return None
    return None if isinstance(raw, RSAPublicKey) and raw.key_size < LEAST_RSA_BITS else key
