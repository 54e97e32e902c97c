"""How the value of a setting is read from its text, and written again.

Each reader returns a value, or raises `ValueError` that says what is expected.
"""

import re
import socket
from collections.abc import Callable
from ipaddress import IPv6Address
from pathlib import Path
from typing import NamedTuple

from adapters.faces.base_path import is_own, is_path
from services.shared.rate_limits import Budget

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
LEVELS = ", ".join(LOG_LEVELS)


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


def address(text: str) -> Address:
    """Return an address to listen at."""
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


def count(text: str) -> int:
    """Return a whole number above 0."""
    if not (number := _digits(text)):
        raise ValueError("expected a whole number above 0")
    return number


def count_up_to(most: int) -> Callable[[str], int]:
    """Return what reads a whole number from 1 up to `most`."""

    def read(text: str) -> int:
        if not 0 < (_digits(text) or 0) <= most:
            raise ValueError(f"expected a whole number from 1 to {most}")
        return int(text)

    return read


def words(text: str) -> str:
    """Return characters that can be seen."""
    if not text.strip() or not text.isprintable():
        raise ValueError("expected characters that can be seen")
    return text


def path(text: str) -> Path:
    """Return the path of a file or folder."""
    if not text.strip():
        raise ValueError("expected a path")
    return Path(text)


def switch(text: str) -> bool:
    """Return whether something is on."""
    if text.lower() not in {"on", "off"}:
        raise ValueError("expected on or off")
    return text.lower() == "on"


def budget(text: str) -> Budget | None:
    """Return a budget; None for off."""
    if text.lower() == "off":
        return None
    quota, slash, window = text.partition("/")
    if not slash:
        raise ValueError("expected requests/seconds or off")
    return Budget(count(quota), count(window))


def most(text: str) -> int | None:
    """Return a whole number above 0; None for off."""
    return None if text.lower() == "off" else count(text)


def most_or_any(text: str) -> int | None:
    """Return a whole number above 0; None for 0 or off."""
    return None if text == "0" else most(text)


def proxies(text: str) -> int:
    """Return a number of proxies."""
    if (number := _digits(text)) is None or number > 9:
        raise ValueError("expected a number from 0 to 9")
    return number


def base_path(text: str) -> str:
    """Return a path in front of all others, without a slash at its end."""
    path = text.rstrip("/")
    if path and not is_path(path):
        raise ValueError("expected a path such as /montane")
    if path and is_own(path):
        raise ValueError("expected a path that begins with no path of the server's own")
    return path


def allowed(text: str) -> bool:
    """Return whether something is allowed."""
    if text not in ("allow", "refuse"):
        raise ValueError("expected allow or refuse")
    return text == "allow"


def seconds(text: str) -> int:
    """Return seconds by which clocks may differ."""
    if (number := _digits(text)) is None or number > LONGEST_SKEW:
        raise ValueError(f"expected seconds, at most {LONGEST_SKEW}")
    return number


def web_address(text: str) -> str:
    """Return a web address that can be trusted."""
    from adapters.keys.openid import trustworthy

    if not trustworthy(text):
        raise ValueError("expected an https address, or an http one of this machine")
    return text


def level(text: str) -> str:
    """Return a level of the log."""
    if text.upper() not in LOG_LEVELS:
        raise ValueError(f"expected one of {LEVELS}")
    return text.upper()


def database(text: str) -> str:
    """Return a connection string of PostgreSQL."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        # Of one that says nothing libpq takes whatever server it finds.
        if text.strip() and conninfo_to_dict(text) is not None:
            return text
    except (ProgrammingError, UnicodeEncodeError) as error:
        raise ValueError("expected a PostgreSQL connection string") from error
    raise ValueError("expected a PostgreSQL connection string")


def text_of(value: object) -> str:
    """Return a value as it is written in a setting."""
    match value:
        case bool():
            return "on" if value else "off"
        case Budget(quota=quota, window=window):
            return f"{quota}/{window}"
        case _:
            return str(value)
