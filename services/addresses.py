"""Where a webhook may point: addresses that the server sends to, and how its target is written."""

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from msgspec import Struct

from services.errors import Malformed

LONGEST_URL = 2048

type Address = IPv4Address | IPv6Address

_NAME = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?\.?")
_TRANSLATED = tuple(IPv6Network(network) for network in ("64:ff9b::/96", "64:ff9b:1::/48"))
"""Networks of which the last four bytes are an IPv4 address (RFC 6052, RFC 8215)."""
_HOSTERS = ip_network("168.63.129.16/32")
"""Where a hoster tells a machine about itself, though the address is of a public range."""


class Target(Struct, frozen=True):
    """Where a webhook points.

    Attributes:
        secure: Whether it is spoken to over TLS.
        host: A name, or an address without brackets; in lower case.
        port: Its port.
    """

    secure: bool
    host: str
    port: int

    def __str__(self) -> str:
        """Return what counts as one target when messages are sent: host and port."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def is_unicast(address: Address) -> bool:
    """Return whether an address can be that of one machine."""
    return not any(one.is_multicast or one.is_unspecified for one in _meant(address))


def is_private(address: Address) -> bool:
    """Return whether an address is not one of the public Internet.

    Loopback, private, link-local (and with it metadata services), shared, reserved and documentation ranges
    are private, also where they are written as IPv6 (mapped, translated, 6to4, Teredo).
    """
    return any(
        not one.is_global
        or one.is_reserved
        or (isinstance(one, IPv6Address) and one.is_site_local)
        or one in _HOSTERS
        for one in _meant(address)
    )


def target_of(url: str, *, private: bool) -> Target:
    """Return where an address of the web points.

    Args:
        url: As a client gave it.
        private: Whether private addresses, and http to them, are allowed.

    Raises:
        Malformed: It is not written as it must be, or names an address that nothing is sent to.
    """
    schemes = ("https", "http") if private else ("https",)
    expected = f"an address that begins with {' or '.join(f'{scheme}://' for scheme in schemes)}"
    if len(url) > LONGEST_URL or not url.isascii() or not url.isprintable() or " " in url:
        raise Malformed(
            "INVALID_FIELD", field="url", expected=f"{expected}, at most {LONGEST_URL} characters"
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise Malformed("INVALID_FIELD", field="url", expected=expected) from error
    if parts.scheme not in schemes or port == 0 or "#" in url or "@" in parts.netloc or "\\" in url:
        raise Malformed("INVALID_FIELD", field="url", expected=f"{expected}, without user and fragment")
    literal = literal_address(host)
    if literal is None and not _NAME.fullmatch(host):
        raise Malformed("INVALID_FIELD", field="url", expected=expected)
    named = host.removesuffix(".")
    inside = named == "localhost" or named.endswith(".localhost")
    if literal is not None:
        inside = is_private(literal)
    if (inside and not private) or (literal is not None and not is_unicast(literal)):
        raise Malformed("ADDRESS_REFUSED", field="url")
    secure = parts.scheme == "https"
    return Target(secure, host, port or (443 if secure else 80))


def literal_address(host: str) -> Address | None:
    """Return the address that a host is written as, or None if it is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _meant(address: Address) -> tuple[Address, ...]:
    """Return an address with the IPv4 addresses that are written in it."""
    if isinstance(address, IPv4Address):
        return (address,)
    if (mapped := address.ipv4_mapped) is not None:
        return (mapped,)
    within: list[Address] = [address]
    if any(address in network for network in _TRANSLATED):
        within = [IPv4Address(int(address) & 0xFFFFFFFF)]
    within += [inner for inner in (address.sixtofour, *(address.teredo or ())) if inner is not None]
    return tuple(within)
