"""Settings of the limits, as they stand in the environment."""

import msgspec
import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from adapters.cli.app import app
from adapters.setting_values import ANY_HOST
from adapters.settings import (
    DEFAULTS,
    SETTINGS,
    Group,
    SettingError,
    Settings,
    default,
    load,
    option,
    variable,
)
from adapters.settings_table import DOCUMENT, table
from services.shared.rate_limits import UNLIMITED, Budget, Limits


def test_limits_are_on_unless_they_are_switched_off() -> None:
    """Without a setting the defaults hold; `off` sets no limit at all, whatever else is set."""
    assert load({}, {}).limits == Limits()
    off = {"MONTANE_RATE_LIMIT": "off", "MONTANE_RATE_LIMIT_TOKEN": "1/1"}
    assert load({}, off).limits == UNLIMITED
    assert load({"rate_limit": "on"}, off).limits == Limits(token=Budget(1, 1))


def test_each_budget_has_a_setting() -> None:
    """Each takes a figure, or `off`, and changes no other."""
    settings = {
        "TOKEN": ("token", "10/2", Budget(10, 2)),
        "ANONYMOUS": ("anonymous", "11/3", Budget(11, 3)),
        "ADDRESS": ("address", "12/4", Budget(12, 4)),
        "LOGIN": ("login", "13/5", Budget(13, 5)),
        "STREAMS": ("streams", "14/6", Budget(14, 6)),
        "OPEN_STREAMS": ("open_streams", "15", 15),
        "ADDRESS_STREAMS": ("address_streams", "16", 16),
    }
    for name, (field, text, budget) in settings.items():
        for said, wanted in ((text, budget), ("off", None)):
            found = load({}, {f"MONTANE_RATE_LIMIT_{name}": said}).limits
            assert found == replace(Limits(), **{field: wanted})
    assert load({}, {"MONTANE_TRUSTED_PROXIES": "2"}).limits == Limits(trusted_proxies=2)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("RATE_LIMIT", "maybe"),
        ("RATE_LIMIT_TOKEN", "600"),
        ("RATE_LIMIT_TOKEN", "0/60"),
        ("RATE_LIMIT_TOKEN", "600/0"),
        ("RATE_LIMIT_TOKEN", "600/1/2"),
        ("RATE_LIMIT_LOGIN", "many/60"),
        ("RATE_LIMIT_OPEN_STREAMS", "5/60"),
        ("RATE_LIMIT_ADDRESS_STREAMS", "0"),
        ("TRUSTED_PROXIES", "-1"),
        ("TRUSTED_PROXIES", "10"),
        ("TRUSTED_PROXIES", "\u0661"),
    ],
)
def test_a_wrong_figure_is_named(name: str, text: str) -> None:
    """What is no budget is refused, with the setting's name."""
    with pytest.raises(SettingError, match=f"MONTANE_{name}: expected"):
        load({}, {f"MONTANE_{name}": text})


def test_webhooks_stay_out_of_private_networks_unless_they_are_allowed_there() -> None:
    """One word allows it, one refuses it, and any other is a mistake."""
    variable = "MONTANE_WEBHOOK_PRIVATE_ADDRESSES"
    assert not load({}, {}).webhook_private_addresses
    assert load({}, {variable: "allow"}).webhook_private_addresses
    assert not load({}, {variable: "refuse"}).webhook_private_addresses
    with pytest.raises(SettingError, match=f"{variable}: expected allow or refuse"):
        load({}, {variable: "yes"})


def test_connections_of_an_address_are_bounded_by_default() -> None:
    """256 of one address; `0` and `off` set no bound, and neither does a service without limits."""
    name = "MONTANE_RATE_LIMIT_CONNECTIONS"
    assert load({}, {}).limits.connections == 256
    assert load({}, {name: "9"}).limits.connections == 9
    for environment in ({name: "0"}, {name: "off"}, {"MONTANE_RATE_LIMIT": "off"}):
        assert load({}, environment).limits.connections is None


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:8000", "127.0.0.1", 8000),
        ("localhost:0", "localhost", 0),
        ("games.example.:443", "games.example.", 443),
        ("[::]:8000", "::", 8000),
        ("[::1]:65535", "::1", 65535),
        ("[fe80::1%eth0]:80", "fe80::1%eth0", 80),
        (":8000", ANY_HOST, 8000),
    ],
)
def test_addresses_to_listen_at(text: str, host: str, port: int) -> None:
    """A name, an address of IPv4, one of IPv6 in brackets, or a port alone; written as they are read."""
    for name in ("http_addr", "grpc_addr"):
        address = getattr(load({name: text}, {}), name)
        assert address == (host, port)
        assert getattr(load({name: str(address)}, {}), name) == address


@pytest.mark.parametrize(
    "text",
    [
        "8000",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:\u0661",
        "::1:8000",
        "[::1]",
        "[::1:8000",
        "[localhost]:8000",
        "http://127.0.0.1:8000",
        "unix:/run/montane.sock",
        "/run/montane.sock",
        "unix:///run/montane.sock:80",
        "*:8000",
        "a b:80",
        "host\n:80",
    ],
)
def test_what_is_no_address_to_listen_at_is_refused(text: str) -> None:
    """In one line that names the setting."""
    for name in ("http_addr", "grpc_addr"):
        with pytest.raises(SettingError, match="expected host:port") as refused:
            load({}, {f"MONTANE_{name.upper()}": text})
        assert str(refused.value).count("\n") == 0


LONG = "9" * 5_000


@pytest.mark.parametrize("text", [" ", "\t", "\n", "\u00a0"])
@pytest.mark.parametrize("name", Settings.__struct_fields__)
def test_a_blank_is_no_value_of_any_setting(name: str, text: str) -> None:
    """In one line: of a blank the operating system or libpq would make something that nobody meant."""
    for flags, environment in (({name: text}, {}), ({}, {variable(name): text})):
        with pytest.raises(SettingError, match="expected") as refused:
            load(flags, environment)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["-1", "1e9", "1000000000", "0.5", "+5", "NaN", "inf", "\u0665", "5 ", LONG])
@pytest.mark.parametrize(
    "name",
    [name for name, value in msgspec.structs.asdict(Settings()).items() if type(value) is int],
)
def test_what_is_no_number_is_refused(name: str, text: str) -> None:
    """With what is expected instead, whatever it looks like."""
    with pytest.raises(SettingError, match=f"{variable(name)}: expected (a|seconds)"):
        load({}, {variable(name): text})


@pytest.mark.parametrize(
    ("name", "most"), [("open_match_hours", 876_000), ("feed_days", 36_500), ("webhook_log_days", 36_500)]
)
def test_a_length_of_time_can_be_counted_back_from_now(name: str, most: int) -> None:
    """A hundred years at most."""
    assert getattr(load({}, {variable(name): str(most)}), name) == most
    with pytest.raises(SettingError, match=f"expected a whole number from 1 to {most}"):
        load({}, {variable(name): str(most + 1)})


def test_what_is_no_text_is_refused() -> None:
    """Of names that are written to the database or compared with what others write."""
    for name in ("database_url", "database_direct_url", "database_schema", "oidc_audience"):
        with pytest.raises(SettingError, match="expected"):
            load({}, {variable(name): "\udcff"})
    with pytest.raises(SettingError, match="--database-url: expected a PostgreSQL connection string"):
        load({"database_url": ""}, {})


@pytest.mark.parametrize("name", [name for name, setting in SETTINGS.items() if setting.default is None])
def test_a_default_can_be_given_as_it_is_shown(name: str) -> None:
    """What the help and the documentation say, read again, is the default."""
    assert getattr(load({name: default(name)}, {}), name) == getattr(DEFAULTS, name)


def test_the_documentation_has_the_table_of_the_settings() -> None:
    """Otherwise: `make settings`."""
    assert table() in DOCUMENT.read_text()


@pytest.fixture(scope="module")
def help_of_serve() -> str:
    """What `montane serve --help` says, with single spaces."""
    said = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "500"}).output
    return " ".join(said.replace("\N{BOX DRAWINGS LIGHT VERTICAL}", " ").split())


@pytest.mark.parametrize("name", SETTINGS)
def test_the_help_describes_every_option(help_of_serve: str, name: str) -> None:
    """With its variable and its default; what has no option is of the environment only."""
    if SETTINGS[name].group is Group.ENVIRONMENT:
        assert option(name) not in help_of_serve.split()
    else:
        text = f"{SETTINGS[name].help} [env var: {variable(name)}] [default: {default(name)}]"
        assert f"{option(name)} <str> {text}" in help_of_serve
