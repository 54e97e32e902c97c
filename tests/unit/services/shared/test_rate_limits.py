"""Budgets: what is allowed, what is notified of it, when it comes back, and for whom it counts."""

from typing import Any

import pytest
from msgspec.structs import replace

from services.shared import rate_limits
from services.shared.errors import FailureReason, Forbidden, RateLimited, Unauthenticated
from services.shared.rate_limits import SECOND, UNLIMITED, Budget, Limiter, network

TOKEN = "montane_ann"  # noqa: S105 - made up
HOME = "192.0.2.1"


class HandClock:
    """Time that goes on when it is told to."""

    def __init__(self) -> None:
        """Begin some time after nought."""
        self.nanoseconds = 1_000 * SECOND + 1

    def __call__(self) -> int:
        """Return what time it is."""
        return self.nanoseconds

    def go_on(self, seconds: float) -> None:
        """Let time pass."""
        self.nanoseconds += int(seconds * SECOND)


@pytest.fixture
def clock() -> HandClock:
    """A clock that a test turns."""
    return HandClock()


def only(clock: HandClock, **budgets: Any) -> Limiter:
    """Return a limiter with these budgets alone."""
    return Limiter(replace(UNLIMITED, **budgets), clock)


def count(limiter: Limiter, address: str = HOME, token: str | None = None) -> tuple[str, str] | None:
    """Count a request and return what is notified of it."""
    visit = limiter.visit(address, "", token)
    visit.request()
    return visit.fields()


def refused(limiter: Limiter, address: str = HOME, token: str | None = None) -> dict[str, object]:
    """Return the details with which a request is refused."""
    with pytest.raises(RateLimited) as raised:
        count(limiter, address, token)
    assert raised.value.reason == "RATE_LIMITED"
    return raised.value.details


def test_a_budget_allows_its_quota_in_its_window(clock: HandClock) -> None:
    """So many requests pass, whenever within the window; the next is refused, and told when to come again."""
    limiter = only(clock, anonymous=Budget(3, 60))
    told = [count(limiter), count(limiter)]
    clock.go_on(50.5)
    told.append(count(limiter))
    policy = '"anonymous";q=3;w=60'
    assert told == [
        (policy, '"anonymous";r=2;t=60'),
        (policy, '"anonymous";r=1;t=60'),
        (policy, '"anonymous";r=0;t=10'),
    ]
    assert refused(limiter) == {"policy": "anonymous", "retry_after": 10}


def test_who_comes_again_when_told_is_served(clock: HandClock) -> None:
    """A window ends exactly when it was said to, not before; what was refused meanwhile cost nothing."""
    limiter = only(clock, anonymous=Budget(1, 60))
    count(limiter)
    clock.go_on(59.999999)
    assert [refused(limiter)["retry_after"] for _ in range(5)] == [1] * 5
    clock.go_on(0.000001)
    assert count(limiter) == ('"anonymous";q=1;w=60', '"anonymous";r=0;t=60')


def test_what_is_refused_is_told_how_it_stands(clock: HandClock) -> None:
    """Nothing is left, and both headers' times agree."""
    limiter = only(clock, anonymous=Budget(1, 60))
    count(limiter)
    visit = limiter.visit(HOME, "", None)
    with pytest.raises(RateLimited):
        visit.request()
    assert visit.fields() == ('"anonymous";q=1;w=60', '"anonymous";r=0;t=60')


def test_callers_are_counted_apart(clock: HandClock) -> None:
    """One token's requests are not another's, and an address's without a token are neither's."""
    limiter = only(clock, token=Budget(1, 60), anonymous=Budget(1, 60))
    for token in ("ann", "ben", None):
        count(limiter, token=token)
    for token, policy in (("ann", "token"), ("ben", "token"), (None, "anonymous")):
        assert refused(limiter, token=token)["policy"] == policy
    count(limiter, "192.0.2.2")


def test_a_token_counts_from_wherever_it_comes(clock: HandClock) -> None:
    """A token has one budget, though it moves from address to address."""
    limiter = only(clock, token=Budget(2, 60), address=Budget(9, 60))
    count(limiter, "192.0.2.1", TOKEN)
    told = count(limiter, "192.0.2.2", TOKEN)
    assert told == ('"token";q=2;w=60, "address";q=9;w=60', '"token";r=0;t=60, "address";r=8;t=60')
    assert refused(limiter, "192.0.2.3", TOKEN)["policy"] == "token"


def test_an_address_counts_whatever_tokens_it_shows(clock: HandClock) -> None:
    """Made-up tokens, and none, all count for their address; what a token is refused does not."""
    limiter = only(clock, token=Budget(1, 60), address=Budget(3, 60))
    count(limiter, HOME, "a")
    refused(limiter, HOME, "a")
    count(limiter, HOME, "b")
    count(limiter, HOME)
    assert refused(limiter, HOME, "c")["policy"] == "address"


def test_a_try_to_log_in_costs_its_address(clock: HandClock) -> None:
    """A wrong token spends the budget of accounts and tokens, and beyond is told so; nothing else does."""
    limiter = only(clock, login=Budget(2, 300))
    wrong = Unauthenticated(FailureReason.TOKEN_UNKNOWN)
    limiter.visit(HOME, "", None).login()
    assert limiter.visit(HOME, "", TOKEN).told(wrong) is wrong
    told = limiter.visit(HOME, "", "another").told(wrong)
    assert isinstance(told, RateLimited)
    assert told.details == {"policy": "login", "retry_after": 300}
    with pytest.raises(RateLimited):
        limiter.visit(HOME, "", None).login()
    for token, failed in (
        (None, Unauthenticated(FailureReason.TOKEN_MISSING)),
        (TOKEN, Forbidden(FailureReason.NOT_SEATED)),
    ):
        assert limiter.visit(HOME, "", token).told(failed) is failed
    assert limiter.visit("192.0.2.2", "", TOKEN).told(wrong) is wrong


def test_so_many_streams_are_open_at_once(clock: HandClock) -> None:
    """Of one token and of one address; a stream that ends makes room, and a refused one takes none."""
    limiter = only(clock, open_streams=2, address_streams=3)
    first, second, third = (limiter.visit(HOME, "", "ann") for _ in range(3))
    first.stream()
    second.stream()
    assert second.fields() == (
        '"open-streams";q=2;qu="concurrent-requests", "address-streams";q=3;qu="concurrent-requests"',
        '"open-streams";r=0, "address-streams";r=1',
    )
    with pytest.raises(RateLimited) as raised:
        third.stream()
    assert raised.value.details == {"policy": "open-streams", "retry_after": rate_limits.AGAIN}
    third.leave()
    limiter.visit(HOME, "", "ben").stream()
    cleo = limiter.visit(HOME, "", "cleo")
    with pytest.raises(RateLimited) as raised:
        cleo.stream()
    assert raised.value.details["policy"] == "address-streams"
    cleo.leave()
    first.leave()
    first.leave()
    limiter.visit(HOME, "", "cleo").stream()


def test_streams_are_opened_on_a_budget_of_their_own(clock: HandClock) -> None:
    """Opening and leaving again and again is refused at last, though none is open."""
    limiter = only(clock, streams=Budget(2, 60), open_streams=1)
    for _ in range(2):
        visit = limiter.visit(HOME, "", TOKEN)
        visit.stream()
        visit.leave()
    with pytest.raises(RateLimited) as raised:
        limiter.visit(HOME, "", TOKEN).stream()
    assert raised.value.details == {"policy": "streams", "retry_after": 60}
    assert limiter.open_streams is not None
    assert len(limiter.open_streams) == 0


def test_memory_has_a_bound(clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many addresses displace the oldest ones, and are forgotten when their windows are over."""
    monkeypatch.setattr(rate_limits, "MOST_CALLERS", 100)
    limiter = only(clock, anonymous=Budget(1, 60))
    assert limiter.anonymous is not None
    for number in range(1_000):
        count(limiter, f"10.0.{number // 250}.{number % 250}")
        assert len(limiter.anonymous) <= 100
    assert refused(limiter, "10.0.3.249")
    count(limiter, "10.0.0.0")
    clock.go_on(61)
    count(limiter, "10.0.0.1")
    assert len(limiter.anonymous) == 1


def test_without_limits_nothing_is_told(clock: HandClock) -> None:
    """A limiter without budgets counts nothing and remembers nobody."""
    visit = Limiter(UNLIMITED, clock).visit(HOME, "", TOKEN)
    visit.request()
    visit.login()
    visit.stream()
    assert visit.fields() is None
    visit.leave()


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("192.0.2.1:5050", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002::/64"),
        ("2001:db8:1:2::1", "2001:0db8:0001:0002::/64"),
        ("[2001:db8:1:2::9]:443", "2001:0db8:0001:0002::/64"),
        ("2001:db8:1:3::1", "2001:0db8:0001:0003::/64"),
        ("fe80::1%eth0", "fe80:0000:0000:0000::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("[::ffff:192.0.2.1]:5050", "192.0.2.1"),
        ("unknown", "unknown"),
        ("", ""),
        ("not:an:address", "not:an:address"),
        ("::\x00", "::\x00"),
        ("::\u0661", "::\u0661"),
        ("x" * 5_000, "x" * rate_limits.LONGEST_ADDRESS),
        (":" * 5_000, ":" * rate_limits.LONGEST_ADDRESS),
    ],
)
def test_an_address_counts_for_its_network(address: str, counted: str) -> None:
    """An address of IPv4 counts alone, of IPv6 with its 64 bits; whatever else was sent, cut, for itself."""
    assert network(address) == counted


@pytest.mark.parametrize(
    ("proxies", "forwarded", "counted"),
    [
        (0, "198.51.100.7", "192.0.2.1"),
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.5, 198.51.100.7", "198.51.100.7"),
        (2, "203.0.113.5, 198.51.100.7", "203.0.113.5"),
        (2, "6.6.6.6, 203.0.113.5, 198.51.100.7", "203.0.113.5"),
        (2, "198.51.100.7", "192.0.2.1"),
        (1, "", "192.0.2.1"),
        (1, "6.6.6.6, ", "192.0.2.1"),
    ],
)
def test_only_trusted_proxies_say_who_calls(
    clock: HandClock, proxies: int, forwarded: str, counted: str
) -> None:
    """As many as a setting names are believed, counted from the right; what a caller makes up is not."""
    limiter = only(clock, anonymous=Budget(1, 60), trusted_proxies=proxies)
    limiter.visit(HOME, forwarded, None).request()
    with pytest.raises(RateLimited):
        limiter.visit(counted, "", None).request()
    limiter.visit("192.0.2.9", "", None).request()
