"""Where a webhook may point: addresses that the server sends to, and how its target is written."""

import re
from datetime import date
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from msgspec import Struct

from services.shared.errors import FailureReason, Malformed

LONGEST_URL = 2048

type Address = IPv4Address | IPv6Address

_NAME = re.compile(r"[a-z0-9]([a-z0-9_.-]*[a-z0-9])?\.?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""The last part of what some read as an IPv4 address, in whichever of its spellings; no name ends so."""

REGISTERED_ON = date(2025, 10, 9)
"""The day whose special-purpose address registries of IANA are below; Python's own differ by its version."""
_SPECIAL = tuple(
    (ip_network(network), reachable)
    for network, reachable in {
        # https://www.iana.org/assignments/iana-ipv4-special-registry
        "0.0.0.0/8": False,
        "0.0.0.0/32": False,
        "10.0.0.0/8": False,
        "100.64.0.0/10": False,
        "127.0.0.0/8": False,
        "169.254.0.0/16": False,
        "172.16.0.0/12": False,
        "192.0.0.0/24": False,
        "192.0.0.0/29": False,
        "192.0.0.8/32": False,
        "192.0.0.9/32": True,
        "192.0.0.10/32": True,
        "192.0.0.170/32": False,
        "192.0.0.171/32": False,
        "192.0.2.0/24": False,
        "192.31.196.0/24": True,
        "192.52.193.0/24": True,
        "192.88.99.0/24": False,
        "192.168.0.0/16": False,
        "192.175.48.0/24": True,
        "198.18.0.0/15": False,
        "198.51.100.0/24": False,
        "203.0.113.0/24": False,
        "240.0.0.0/4": False,
        "255.255.255.255/32": False,
        # https://www.iana.org/assignments/iana-ipv6-special-registry
        "::1/128": False,
        "::/128": False,
        "::ffff:0:0/96": False,
        "64:ff9b::/96": True,
        "64:ff9b:1::/48": False,
        "100::/64": False,
        "100:0:0:1::/64": False,
        "2001::/23": False,
        "2001::/32": False,
        "2001:1::1/128": True,
        "2001:1::2/128": True,
        "2001:1::3/128": True,
        "2001:2::/48": False,
        "2001:3::/32": True,
        "2001:4:112::/48": True,
        "2001:10::/28": False,
        "2001:20::/28": True,
        "2001:30::/28": True,
        "2001:db8::/32": False,
        "2002::/16": False,
        "2620:4f:8000::/48": True,
        "3fff::/20": False,
        "5f00::/16": False,
        "fc00::/7": False,
        "fe80::/10": False,
        # Not in these registries, but not one machine's on the Internet either: multicast, and where a hoster
        # tells a machine about itself, though the address is of a public range.
        "224.0.0.0/4": False,
        "168.63.129.16/32": False,
    }.items()
)
"""Special-purpose networks, and whether they are globally reachable; "N/A" (6to4, Teredo) counts as not."""
_UNICAST = IPv6Network("2000::/3")
"""All of IPv6 that is given to machines of the Internet (RFC 4291); beyond are special networks only."""
_TRANSLATED = tuple(IPv6Network(network) for network in ("64:ff9b::/96", "64:ff9b:1::/48", "::/96"))
"""Networks of which the last four bytes are an IPv4 address (RFC 6052, RFC 8215, RFC 4291 2.5.5.1)."""
_BROADCAST = IPv4Address("255.255.255.255")


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
    return not any(
        one.is_multicast or one.is_unspecified or one == _BROADCAST for one in (address, *_embedded(address))
    )


def is_private(address: Address) -> bool:
    """Return whether an address is not one of the public Internet.

    Loopback, private, link-local (and with it metadata services), shared, reserved and documentation ranges
    are private, also where they are written as IPv6 (mapped, translated).
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return True
        if (mapped := address.ipv4_mapped) is not None:
            return not _reachable(mapped)
    return not all(map(_reachable, (address, *_embedded(address))))


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
            FailureReason.INVALID_FIELD, field="url", expected=f"{expected}, at most {LONGEST_URL} characters"
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise Malformed(FailureReason.INVALID_FIELD, field="url", expected=expected) from error
    if parts.scheme not in schemes or port == 0 or "#" in url or "@" in parts.netloc or "\\" in url:
        raise Malformed(
            FailureReason.INVALID_FIELD, field="url", expected=f"{expected}, without user and fragment"
        )
    literal = literal_address(host)
    named = host.removesuffix(".")
    if literal is None and (not _NAME.fullmatch(host) or _NUMBER.fullmatch(named.rpartition(".")[2])):
        raise Malformed(FailureReason.INVALID_FIELD, field="url", expected=expected)
    inside = named == "localhost" or named.endswith(".localhost")
    if literal is not None:
        inside = is_private(literal)
    # A zone is a matter of one machine, and no part of an address of the web.
    zoned = isinstance(literal, IPv6Address) and literal.scope_id is not None
    if (inside and not private) or zoned or (literal is not None and not is_unicast(literal)):
        raise Malformed(FailureReason.ADDRESS_REFUSED, field="url")
    secure = parts.scheme == "https"
    return Target(secure, host, port or (443 if secure else 80))


def literal_address(host: str) -> Address | None:
    """Return the address that a host is written as, or None if it is a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _reachable(address: Address) -> bool:
    """Return whether the most special of the networks that an address is in is globally reachable."""
    within = [(network.prefixlen, reachable) for network, reachable in _SPECIAL if address in network]
    if within:
        return max(within)[1]
    return isinstance(address, IPv4Address) or address in _UNICAST


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that are written in an address of IPv6, and could be where it leads."""
    if isinstance(address, IPv4Address):
        return ()
    last = IPv4Address(int(address) & 0xFFFFFFFF)
    translated = last if any(address in network for network in _TRANSLATED) else None
    found = (address.ipv4_mapped, translated, address.sixtofour, *(address.teredo or ()))
    return tuple(one for one in found if one is not None)
