"""Where webhooks may point."""

from ipaddress import ip_address

import pytest

from services.addresses import LONGEST_URL, Target, is_private, is_unicast, target_of
from services.errors import Malformed

PUBLIC = ["8.8.8.8", "93.184.216.34", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
PRIVATE = [
    "127.0.0.1",
    "127.1.2.3",
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "198.18.0.1",
    "203.0.113.4",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fd00:ec2::254",
    "2001:db8::1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "2002:7f00:1::",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
]
NOBODY = [
    "0.0.0.0",  # noqa: S104 - nobody listens
    "::",
    "224.0.0.1",
    "ff02::1",
    "::ffff:224.0.0.1",
]


@pytest.mark.parametrize("text", PUBLIC)
def test_addresses_of_the_internet_are_public(text: str) -> None:
    """They are sent to."""
    assert not is_private(ip_address(text))
    assert is_unicast(ip_address(text))


@pytest.mark.parametrize("text", PRIVATE)
def test_all_other_addresses_are_private(text: str) -> None:
    """However they are written: as IPv4, as IPv6, or as the one in the other."""
    assert is_private(ip_address(text))


@pytest.mark.parametrize("text", NOBODY)
def test_some_addresses_are_no_machine_s(text: str) -> None:
    """They are sent to by nobody."""
    assert not is_unicast(ip_address(text))


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://games.example/hook?a=b", Target(True, "games.example", 443)),
        ("HTTPS://Games.Example:8443", Target(True, "games.example", 8443)),
        ("https://8.8.8.8/", Target(True, "8.8.8.8", 443)),
        ("https://[2606:4700::1]/", Target(True, "2606:4700::1", 443)),
    ],
)
def test_a_target_is_a_host_and_a_port(url: str, target: Target) -> None:
    """The port is that of the scheme unless it is given."""
    assert target_of(url, private=False) == target


@pytest.mark.parametrize(
    "url",
    [
        "",
        "games.example",
        "http://games.example/",
        "ftp://games.example/",
        "https://",
        "https:///path",
        "https://ann@games.example/",
        "https://ann:secret@games.example/",
        "https://games.example/#top",
        "https://games.example:0/",
        "https://games.example:65536/",
        "https://games.example:port/",
        "https://games.example\\@127.0.0.1/",
        "https://games.example/\r\nX-Injected: yes",
        "https://games example/",
        "https://gämes.example/",
        "https://[::1/",
        "https://-games.example/",
        "https://games.example/" + "a" * LONGEST_URL,
    ],
)
def test_what_is_no_address_of_the_web_is_refused(url: str) -> None:
    """Only https, without user, fragment, or anything that two readers could read differently."""
    with pytest.raises(Malformed) as failure:
        target_of(url, private=False)
    assert (failure.value.reason, failure.value.details["field"]) == ("INVALID_FIELD", "url")


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://a.localhost./",
        "https://0.0.0.0/",
    ],
)
def test_private_addresses_are_refused(url: str) -> None:
    """What can be seen from the address itself is refused at once."""
    with pytest.raises(Malformed) as failure:
        target_of(url, private=False)
    assert failure.value.reason == "ADDRESS_REFUSED"


def test_private_addresses_can_be_allowed() -> None:
    """A setting allows them, and http to them; what is no machine's stays refused."""
    assert target_of("http://127.0.0.1:9000/", private=True) == Target(False, "127.0.0.1", 9000)
    assert target_of("http://localhost", private=True) == Target(False, "localhost", 80)
    assert str(target_of("http://[::1]/", private=True)) == "[::1]:80"
    with pytest.raises(Malformed):
        target_of("https://0.0.0.0/", private=True)
