"""The settings of the service: each is described once, in the field that holds it.

From that description come its environment variable, its option of the command line with its help
(`adapters/cli/options.py`), and its row in the table of the documentation (`adapters/settings_table.py`).
"""

import os
from collections.abc import Callable, Mapping
from enum import Enum, auto
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_type_hints

from msgspec import Struct

from adapters import setting_values as read
from adapters.faces.base_path import Place
from adapters.setting_values import Address, text_of
from services.players.quotas import QuotaKind
from services.shared.rate_limits import UNLIMITED, Budget, Limits

LIMITS = Limits()


class SettingError(Exception):
    """A setting is wrong; the message names it."""


class Group(Enum):
    """Settings whose options a command takes together."""

    DATABASE = auto()
    NODE = auto()
    """Of every process that works on matches."""
    FACE = auto()
    """Of a process that answers clients."""
    ENVIRONMENT = auto()
    """Of the environment only: no command has an option for them."""


class Setting(NamedTuple):
    """The description of a setting, in the annotation of its field.

    Attributes:
        read: Reads the value from a text.
        group: The options among which it is.
        help: What it is, for people; a sentence or two.
        default: The default in words, where it is not the value of the field.
        secret: Whether the value may hold a password: a refusal does not repeat it.
    """

    read: Callable[[str], Any]
    group: Group
    help: str
    default: str | None = None
    secret: bool = False


class Settings(Struct, frozen=True, kw_only=True):
    """All settings, in the order in which they are listed."""

    database_url: Annotated[
        str | None,
        Setting(
            read.database,
            Group.DATABASE,
            "PostgreSQL to use, 15 or newer.",
            default="a PostgreSQL of its own",
            secret=True,
        ),
    ] = None
    database_direct_url: Annotated[
        str | None,
        Setting(
            read.database,
            Group.DATABASE,
            "The server itself, where the other URL names a pooler.",
            default="the other URL",
            secret=True,
        ),
    ] = None
    database_schema: Annotated[
        str | None,
        Setting(
            read.words,
            Group.DATABASE,
            "Schema of all tables; it is made if it is missing.",
            default="that of the URL's search_path, else the server's",
        ),
    ] = None
    data_dir: Annotated[
        Path, Setting(read.path, Group.DATABASE, "Folder with the data of its own PostgreSQL.")
    ] = Path(".montane")
    http_addr: Annotated[
        Address,
        Setting(
            read.address,
            Group.FACE,
            "Address of REST: host:port; to listen also a name for all its addresses, [::]:port or :port for"
            " IPv4 and IPv6.",
        ),
    ] = Address("127.0.0.1", 8000)
    grpc_addr: Annotated[Address, Setting(read.address, Group.FACE, "Address of gRPC, in the same form.")] = (
        Address("127.0.0.1", 50051)
    )
    pool_size: Annotated[int, Setting(read.count, Group.NODE, "Most connections to PostgreSQL.")] = 8
    append_queue: Annotated[
        int, Setting(read.count, Group.NODE, "Events that may wait to be written; beyond, answers are 503.")
    ] = 5_000
    remembered_matches: Annotated[int, Setting(read.count, Group.NODE, "Matches kept in memory.")] = 10_000
    remembered_events: Annotated[
        int,
        Setting(
            read.count,
            Group.NODE,
            "Events that these have in all, some 350 bytes each; those used last are kept.",
        ),
    ] = 1_000_000
    snapshot_every: Annotated[
        int, Setting(read.count, Group.NODE, "Events between two snapshots of a match.")
    ] = 500
    max_commands: Annotated[
        int | None,
        Setting(
            read.most,
            Group.FACE,
            "Most commands of a match from the beginning of play, or off; fixed when it opens, then it ends.",
        ),
    ] = 10_000
    max_open_matches: Annotated[
        int | None,
        Setting(read.most, Group.FACE, "Most matches of a player that wait to begin, or off."),
    ] = 20
    max_bot_matches: Annotated[
        int | None,
        Setting(read.most, Group.FACE, "Most matches of a player that only bots of the server play, or off."),
    ] = 5
    max_invitations: Annotated[
        int | None, Setting(read.most, Group.FACE, "Most pending invitations of a player, or off.")
    ] = 50
    open_match_hours: Annotated[
        int,
        Setting(
            read.count_up_to(read.LONGEST_DAYS * 24),
            Group.NODE,
            "Hours that a match may wait for players; then it is cancelled.",
        ),
    ] = 24
    bot_pause: Annotated[
        int,
        Setting(read.count, Group.NODE, "Milliseconds between two moves of a bot in a match, at least."),
    ] = 100
    signing_key_file: Annotated[
        Path | None,
        Setting(
            read.path,
            Group.NODE,
            "PEM file of the key that signs heads and days, the same on every node.",
            default="a key in the database",
        ),
    ] = None
    feed_days: Annotated[
        int,
        Setting(
            read.count_up_to(read.LONGEST_DAYS),
            Group.NODE,
            "Days that players' feeds go back.",
        ),
    ] = 90
    webhook_private_addresses: Annotated[
        bool,
        Setting(
            read.allowed,
            Group.NODE,
            "allow or refuse: whether webhooks may point into private networks, and be of http there.",
            default="refuse",
        ),
    ] = False
    webhook_log_days: Annotated[
        int,
        Setting(
            read.count_up_to(read.LONGEST_DAYS),
            Group.NODE,
            "Days that the log of what was sent to webhooks goes back.",
        ),
    ] = 30
    webhook_log_messages: Annotated[
        int,
        Setting(read.count, Group.NODE, "Messages that the log of a webhook holds, besides pending ones."),
    ] = 10_000
    oidc_issuer: Annotated[
        str | None,
        Setting(
            read.web_address,
            Group.FACE,
            "OpenID Connect issuer whose tokens name players too.",
            default="none",
        ),
    ] = None
    oidc_audience: Annotated[
        str | None,
        Setting(read.words, Group.FACE, "What its tokens must name as their audience.", default="none"),
    ] = None
    oidc_jwks_url: Annotated[
        str | None,
        Setting(read.web_address, Group.FACE, "Where its keys are.", default="where the issuer says"),
    ] = None
    oidc_clock_skew: Annotated[
        int,
        Setting(
            read.seconds,
            Group.FACE,
            f"Seconds by which its clock may differ, at most {read.LONGEST_SKEW}.",
        ),
    ] = 60
    rate_limit: Annotated[
        bool,
        Setting(
            read.switch, Group.FACE, "Limits by token and address: on or off; off overrides each of them."
        ),
    ] = True
    rate_limit_token: Annotated[
        Budget | None,
        Setting(
            read.budget,
            Group.ENVIRONMENT,
            "Requests with one token: requests/seconds or off, as of all that follow.",
        ),
    ] = LIMITS.token
    rate_limit_anonymous: Annotated[
        Budget | None,
        Setting(read.budget, Group.ENVIRONMENT, "Requests without a token from one address."),
    ] = LIMITS.anonymous
    rate_limit_address: Annotated[
        Budget | None, Setting(read.budget, Group.ENVIRONMENT, "Requests of all kinds from one address.")
    ] = LIMITS.address
    rate_limit_login: Annotated[
        Budget | None,
        Setting(
            read.budget,
            Group.ENVIRONMENT,
            "Accounts opened, tokens made and wrong tokens shown, from one address.",
        ),
    ] = LIMITS.login
    rate_limit_streams: Annotated[
        Budget | None,
        Setting(
            read.budget,
            Group.ENVIRONMENT,
            "Streams opened with one token, or without a token from one address.",
        ),
    ] = LIMITS.streams
    rate_limit_open_streams: Annotated[
        int | None,
        Setting(
            read.most,
            Group.ENVIRONMENT,
            "Streams open at once with one token, or without a token from one address; or off.",
        ),
    ] = LIMITS.open_streams
    rate_limit_address_streams: Annotated[
        int | None,
        Setting(read.most, Group.ENVIRONMENT, "Streams open at once from one address, or off."),
    ] = LIMITS.address_streams
    rate_limit_connections: Annotated[
        int | None,
        Setting(
            read.most_or_any,
            Group.ENVIRONMENT,
            "Connections open at once from one address, for REST and gRPC each; 0 or off for any number, as"
            " with trusted proxies.",
        ),
    ] = LIMITS.connections
    trusted_proxies: Annotated[
        int,
        Setting(
            read.proxies,
            Group.FACE,
            "Proxies in front; X-Forwarded-For, counted from the right, then says who calls.",
        ),
    ] = LIMITS.trusted_proxies
    base_path: Annotated[
        str,
        Setting(
            read.base_path,
            Group.FACE,
            "Path that clients see in front of all others, as /montane, where a proxy serves REST under one.",
            default="none, or what X-Forwarded-Prefix of trusted proxies says",
        ),
    ] = ""
    log_level: Annotated[
        str, Setting(read.level, Group.NODE, f"Least important messages that are logged: {read.LEVELS}.")
    ] = "INFO"

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


DEFAULTS = Settings()

SETTINGS: Mapping[str, Setting] = {
    name: next(note for note in hint.__metadata__ if isinstance(note, Setting))
    for name, hint in get_type_hints(Settings, include_extras=True).items()
}
"""The description of each setting by its name, in the order of the fields."""


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"MONTANE_{name.upper()}"


def option(name: str) -> str:
    """Return the option of a setting on the command line."""
    return "--" + name.replace("_", "-")


def default(name: str) -> str:
    """Return the default of a setting, for people."""
    return SETTINGS[name].default or text_of(getattr(DEFAULTS, name))


def load(flags: Mapping[str, str | None], environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings: flags go before the environment, which goes before the defaults.

    Args:
        flags: By setting; None where the flag was not given.
        environment: By variable; an empty one counts as not set.

    Raises:
        SettingError: One of them is wrong.
    """
    chosen: dict[str, Any] = {}
    for name, setting in SETTINGS.items():
        flag = flags.get(name)
        text = environment.get(variable(name)) or None if flag is None else flag
        if text is not None:
            try:
                chosen[name] = setting.read(text)
            except ValueError as error:
                source = variable(name) if flag is None else option(name)
                given = "" if setting.secret else f", not {text!r}"
                raise SettingError(f"{source}: {error}{given}") from error
    settings = Settings(**chosen)
    if settings.database_direct_url is not None and settings.database_url is None:
        raise SettingError(
            f"{variable('database_url')}: must be set, as {variable('database_direct_url')} is"
        )
    if settings.oidc_issuer is not None and settings.oidc_audience is None:
        raise SettingError(f"{variable('oidc_audience')}: must be set, as {variable('oidc_issuer')} is")
    return settings


OF_A_DATABASE = (
    *(name for name, setting in SETTINGS.items() if setting.group is Group.DATABASE),
    "pool_size",
    "append_queue",
    "feed_days",
)
"""What says nothing of a service that keeps everything in memory, and forgets nothing before its end."""


def refuse_those_of_a_database(settings: Settings) -> None:
    """Refuse settings that mean nothing to a service in memory.

    Raises:
        SettingError: One of them differs from its default.
    """
    for name in OF_A_DATABASE:
        if getattr(settings, name) != getattr(DEFAULTS, name):
            raise SettingError(
                f"--memory: has no database, so {option(name)} or {variable(name)} must not be set"
            )
