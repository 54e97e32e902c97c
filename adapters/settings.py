"""The settings of the service, from `MONTANE_*` in the environment and from flags."""

import os
import re
import socket
from collections.abc import Callable, Mapping
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from adapters.faces.base_path import Place, is_own, is_path
from services.players.quotas import QuotaKind
from services.shared.rate_limits import UNLIMITED, Budget, Limits

DEFAULTS = Limits()


class SettingError(Exception):
    """A setting is wrong; the message names it."""


class Address(NamedTuple):
    """Where a server listens.

    Attributes:
        host: A name or an address.
        port: 0 for any free one.
    """

    host: str
    port: int

    def __str__(self) -> str:
        """Return it as it is written in a setting."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Settings(Struct, frozen=True, kw_only=True):
    """All settings.

    Attributes:
        database_url: Where PostgreSQL is; None for one of our own.
        database_direct_url: Where it is without the pooler that `database_url` names; None without one.
        database_schema: The schema of our tables; None for that of the URL's search_path, or the server's.
        data_dir: Where the PostgreSQL of our own keeps its data.
        http_addr: Where REST is served.
        grpc_addr: Where gRPC is served.
        pool_size: The most connections to PostgreSQL.
        append_queue: The most events that may wait to be written; beyond, commands are told to come again.
        remembered_matches: How many matches are kept folded in memory.
        remembered_events: How many events these may have in all.
        snapshot_every: How many events lie between two snapshots of a match.
        max_commands: The most commands of a match from the beginning of play; None sets no limit.
        max_open_matches: The most matches of a player that wait to begin; this and what follows: None sets no
            limit.
        max_bot_matches: The most matches of a player that bots of the server play alone.
        max_invitations: The most players whom one has invited and who have not sat down.
        open_match_hours: How many hours a match may wait for players before it is called off.
        bot_pause: How many milliseconds a bot waits behind its move before it makes another, at least.
        signing_key_file: File with the private key that heads are signed with, in PEM; None for keys of our
            own, kept in the database.
        feed_days: How many days what concerns a player goes back in its feed.
        webhook_private_addresses: Whether webhooks may point into private networks, and be of http there.
        webhook_log_days: How many days the log of what was sent to webhooks goes back.
        webhook_log_messages: How many messages of a webhook it holds, beside those that are pending.
        oidc_issuer: The OpenID Connect issuer whose tokens name players too; None for none.
        oidc_audience: What its tokens must name as their audience.
        oidc_jwks_url: Where its keys are; None if it tells that itself.
        oidc_clock_skew: By how many seconds its clock and ours may differ.
        log_level: The least important messages that are logged.
        rate_limit: Whether there are limits at all.
        rate_limit_token: Requests with one token; this and what follows: None sets no limit.
        rate_limit_anonymous: Requests without a token from one address.
        rate_limit_address: Requests from one address.
        rate_limit_login: Accounts opened, tokens made and wrong tokens shown from one address.
        rate_limit_streams: Streams opened with one token, or without a token from one address.
        rate_limit_open_streams: Streams open at once with one token, or without a token from one address.
        rate_limit_address_streams: Streams open at once from one address.
        rate_limit_connections: Connections open at once from one address, if no proxies are trusted.
        trusted_proxies: How many proxies stand in front, whose `X-Forwarded-For` says who calls.
        base_path: The path that clients see in front of all others; empty for none, or if the trusted proxies
            say it by `X-Forwarded-Prefix`.
    """

    database_url: str | None = None
    database_direct_url: str | None = None
    database_schema: str | None = None
    data_dir: Path = Path(".montane")
    http_addr: Address = Address("127.0.0.1", 8000)
    grpc_addr: Address = Address("127.0.0.1", 50051)
    pool_size: int = 8
    append_queue: int = 5_000
    remembered_matches: int = 10_000
    remembered_events: int = 1_000_000
    snapshot_every: int = 500
    max_commands: int | None = 10_000
    max_open_matches: int | None = 20
    max_bot_matches: int | None = 5
    max_invitations: int | None = 50
    open_match_hours: int = 24
    bot_pause: int = 100
    signing_key_file: Path | None = None
    feed_days: int = 90
    webhook_private_addresses: bool = False
    webhook_log_days: int = 30
    webhook_log_messages: int = 10_000
    oidc_issuer: str | None = None
    oidc_audience: str | None = None
    oidc_jwks_url: str | None = None
    oidc_clock_skew: int = 60
    log_level: str = "INFO"
    rate_limit: bool = True
    rate_limit_token: Budget | None = DEFAULTS.token
    rate_limit_anonymous: Budget | None = DEFAULTS.anonymous
    rate_limit_address: Budget | None = DEFAULTS.address
    rate_limit_login: Budget | None = DEFAULTS.login
    rate_limit_streams: Budget | None = DEFAULTS.streams
    rate_limit_open_streams: int | None = DEFAULTS.open_streams
    rate_limit_address_streams: int | None = DEFAULTS.address_streams
    rate_limit_connections: int | None = DEFAULTS.connections
    trusted_proxies: int = DEFAULTS.trusted_proxies
    base_path: str = ""

    @property
    def place(self) -> Place:
        """Where clients find the server."""
        return Place(self.base_path, self.trusted_proxies)

    @property
    def quotas(self) -> Mapping[QuotaKind, int | None]:
        """How much of each kind a player may have at a time."""
        return {
            QuotaKind.OPEN: self.max_open_matches,
            QuotaKind.BOTS: self.max_bot_matches,
            QuotaKind.INVITATION: self.max_invitations,
        }

    @property
    def limits(self) -> Limits:
        """What one caller may ask for."""
        if not self.rate_limit:
            return UNLIMITED
        return Limits(
            token=self.rate_limit_token,
            anonymous=self.rate_limit_anonymous,
            address=self.rate_limit_address,
            login=self.rate_limit_login,
            streams=self.rate_limit_streams,
            open_streams=self.rate_limit_open_streams,
            address_streams=self.rate_limit_address_streams,
            connections=self.rate_limit_connections,
            trusted_proxies=self.trusted_proxies,
        )


SECRET = frozenset({"database_url", "database_direct_url"})
"""Settings that may hold a password."""

ANY_HOST = "::" if socket.has_dualstack_ipv6() else "0.0.0.0"  # noqa: S104 - asked for
"""Where a server listens that is told a port only: at all addresses of the machine."""

_ADDRESS = re.compile(
    r"(?:\[(?P<ip>[^\[\]]+)\]|(?P<name>[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9.])?)?):(?P<port>[0-9]{1,5})"
)

LONGEST_SKEW = 600
"""Seconds."""
LONGEST_DAYS = 36_500
"""What is a hundred years ago can be said as a time."""

LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"MONTANE_{name.upper()}"


def load(flags: Mapping[str, str | None], environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings: flags go before the environment, which goes before the defaults.

    Args:
        flags: By setting; None where the flag was not given.
        environment: By variable; an empty one counts as not set.

    Raises:
        SettingError: One of them is wrong.
    """
    chosen: dict[str, Any] = {}
    for name in Settings.__struct_fields__:
        flag = flags.get(name)
        text = environment.get(variable(name)) or None if flag is None else flag
        if text is not None:
            try:
                chosen[name] = _READERS[name](text)
            except ValueError as error:
                source = variable(name) if flag is None else "--" + name.replace("_", "-")
                given = "" if name in SECRET else f", not {text!r}"
                raise SettingError(f"{source}: {error}{given}") from error
    settings = Settings(**chosen)
    if settings.database_direct_url is not None and settings.database_url is None:
        raise SettingError(
            f"{variable('database_url')}: must be set, as {variable('database_direct_url')} is"
        )
    if settings.oidc_issuer is not None and settings.oidc_audience is None:
        raise SettingError(f"{variable('oidc_audience')}: must be set, as {variable('oidc_issuer')} is")
    return settings


def _address(text: str) -> Address:
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) >= 65536 or (found["ip"] and not _is_ipv6(found["ip"])):
        raise ValueError("expected host:port")
    return Address(found["ip"] or found["name"] or ANY_HOST, int(found["port"]))


def _is_ipv6(text: str) -> bool:
    try:
        return bool(IPv6Address(text))
    except ValueError:
        return False


def _digits(text: str) -> int | None:
    """Return a whole number below 10**9; None of any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _count(text: str) -> int:
    if not (number := _digits(text)):
        raise ValueError("expected a whole number above 0")
    return number


def _count_up_to(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not 0 < (_digits(text) or 0) <= most:
            raise ValueError(f"expected a whole number from 1 to {most}")
        return int(text)

    return read


def _words(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("expected characters that can be seen")
    return text


def _path(text: str) -> Path:
    if not text.strip():
        raise ValueError("expected a path")
    return Path(text)


def _switch(text: str) -> bool:
    if text.lower() not in {"on", "off"}:
        raise ValueError("expected on or off")
    return text.lower() == "on"


def _budget(text: str) -> Budget | None:
    if text.lower() == "off":
        return None
    quota, slash, window = text.partition("/")
    if not slash:
        raise ValueError("expected requests/seconds or off")
    return Budget(_count(quota), _count(window))


def _most(text: str) -> int | None:
    return None if text.lower() == "off" else _count(text)


def _most_or_any(text: str) -> int | None:
    return None if text == "0" else _most(text)


def _proxies(text: str) -> int:
    if (number := _digits(text)) is None or number > 9:
        raise ValueError("expected a number from 0 to 9")
    return number


def _base_path(text: str) -> str:
    path = text.rstrip("/")
    if path and not is_path(path):
        raise ValueError("expected a path such as /montane")
    if path and is_own(path):
        raise ValueError("expected a path that begins with no path of the server's own")
    return path


def _allowed(text: str) -> bool:
    if text not in ("allow", "refuse"):
        raise ValueError("expected allow or refuse")
    return text == "allow"


def _seconds(text: str) -> int:
    if (number := _digits(text)) is None or number > LONGEST_SKEW:
        raise ValueError(f"expected seconds, at most {LONGEST_SKEW}")
    return number


def _web_address(text: str) -> str:
    from adapters.keys.openid import trustworthy

    if not trustworthy(text):
        raise ValueError("expected an https address, or an http one of this machine")
    return text


def _level(text: str) -> str:
    if text.upper() not in LOG_LEVELS:
        raise ValueError(f"expected one of {', '.join(LOG_LEVELS)}")
    return text.upper()


def _database(text: str) -> str:
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        # Of one that says nothing libpq takes whatever server it finds.
        if text.strip() and conninfo_to_dict(text) is not None:
            return text
    except (ProgrammingError, UnicodeEncodeError) as error:
        raise ValueError("expected a PostgreSQL connection string") from error
    raise ValueError("expected a PostgreSQL connection string")


_READERS: Mapping[str, Any] = {
    "database_url": _database,
    "database_direct_url": _database,
    "database_schema": _words,
    "data_dir": _path,
    "http_addr": _address,
    "grpc_addr": _address,
    "pool_size": _count,
    "append_queue": _count,
    "remembered_matches": _count,
    "remembered_events": _count,
    "snapshot_every": _count,
    "max_commands": _most,
    "max_open_matches": _most,
    "max_bot_matches": _most,
    "max_invitations": _most,
    "open_match_hours": _count_up_to(LONGEST_DAYS * 24),
    "bot_pause": _count,
    "signing_key_file": _path,
    "feed_days": _count_up_to(LONGEST_DAYS),
    "webhook_private_addresses": _allowed,
    "webhook_log_days": _count_up_to(LONGEST_DAYS),
    "webhook_log_messages": _count,
    "oidc_issuer": _web_address,
    "oidc_audience": _words,
    "oidc_jwks_url": _web_address,
    "oidc_clock_skew": _seconds,
    "log_level": _level,
    "rate_limit": _switch,
    "rate_limit_token": _budget,
    "rate_limit_anonymous": _budget,
    "rate_limit_address": _budget,
    "rate_limit_login": _budget,
    "rate_limit_streams": _budget,
    "rate_limit_open_streams": _most,
    "rate_limit_address_streams": _most,
    "rate_limit_connections": _most_or_any,
    "trusted_proxies": _proxies,
    "base_path": _base_path,
}
