"""Where webhooks may point."""

from ipaddress import ip_address

import pytest

from services.notify.addresses import LONGEST_URL, Target, is_private, is_unicast, target_of
from services.shared.errors import Malformed

PUBLIC = [
    "8.8.8.8",
    "93.184.216.34",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.0.9",
    "192.0.0.10",
    "192.0.1.0",
    "192.31.196.1",
    "192.52.193.1",
    "192.175.48.1",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700::1",
    "2001:1::1",
    "2001:1::2",
    "2001:1::3",
    "2001:3::1",
    "2001:4:112::1",
    "2001:20::1",
    "2001:3f::1",
    "2001:200::1",
    "2001:db7:ffff::1",
    "2620:4f:8000::1",
    "3ffe::1",
    "3fff:1000::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]
PRIVATE = [
    "0.1.2.3",
    "127.0.0.1",
    "127.1.2.3",
    "10.0.0.1",
    "172.16.3.4",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.0",
    "192.0.0.1",
    "192.0.0.8",
    "192.0.0.11",
    "192.0.0.170",
    "192.0.0.171",
    "192.0.0.192",
    "192.0.0.255",
    "192.0.2.1",
    "192.88.99.1",
    "192.88.99.2",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.4",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::2",
    "::127.0.0.1",
    "::8.8.8.8",
    "::ffff:0:127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:192.0.0.192",
    "64:ff9b::7f00:1",
    "64:ff9b::c000:c0",
    "64:ff9b:0:1::808:808",
    "64:ff9b:1::a00:1",
    "64:ff9b:1::808:808",
    "64:ff9b:1:ffff::1",
    "100::1",
    "100:0:0:1::1",
    "100:0:0:2::1",
    "200::1",
    "1fff:ffff::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:0:808:808::f7f7:f7f7",
    "2001:1::",
    "2001:1::4",
    "2001:2::1",
    "2001:2:1::1",
    "2001:4:113::1",
    "2001:5::1",
    "2001:10::1",
    "2001:1f:ffff::1",
    "2001:40::1",
    "2001:1ff:ffff::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "3fff:fff:ffff::1",
    "4000::1",
    "5f00::1",
    "5eff::1",
    "8000::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe00::1",
    "fe80::1",
    "fe80::1%eth0",
    "febf::1",
    "fec0::1",
    "ff02::1",
    "2606:4700::1%eth0",
    "::ffff:8.8.8.8%eth0",
]
NOBODY = [
    "0.0.0.0",  # noqa: S104 - nobody listens
    "::",
    "224.0.0.1",
    "ff02::1",
    "ff0e::1",
    "255.255.255.255",
    "::ffff:0.0.0.0",
    "::ffff:224.0.0.1",
    "::ffff:255.255.255.255",
    "64:ff9b::e000:1",
    "64:ff9b:1::e000:1",
    "2002:e000:1::1",
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
        "https://2130706433/",
        "https://127.1/",
        "https://127.0.0.1./",
        "https://0177.0.0.1/",
        "https://127.0.0.0x1/",
        "https://0x7f000001/",
        "https://8.8.8.8.8/",
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
        "https://192.0.0.192/",
        "https://[3fff::1]/",
        "https://[5f00::1]/",
        "https://[64:ff9b:1::808:808]/",
        "https://[100:0:0:1::1]/",
        "https://[2002:7f00:1::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://[FE80::1%25eth0]/",
        "https://[2606:4700::1%25eth0]/",
        "https://[ff02::1]/",
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
    assert target_of("http://[3fff::1]/", private=True) == Target(False, "3fff::1", 80)
    for nobody in ["0.0.0.0", "255.255.255.255", "[fe80::1%25eth0]"]:  # noqa: S104 - nobody listens
        with pytest.raises(Malformed):
            target_of(f"https://{nobody}/", private=True)
