"""How much one caller may ask for, and what is spent of it.

A budget allows so much within a window of time that begins with the first request, for each caller apart.
All is counted in this process alone: where several serve, each allows as much.

Written by hand, though the library `limits` has the same strategy: its memory wakes a thread after every hit
that looks through all callers, so that a hit costs 1,100 us of processor time while 100,000 addresses are
known, and it grows without a bound. Here a request costs some 4 us: two budgets, and what is said of them.
"""

from collections import Counter, OrderedDict
from collections.abc import Callable, Sized
from hashlib import sha256
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from time import monotonic_ns

from msgspec import Struct

from services.shared.errors import Conflict, RateLimited, Unauthenticated

SECOND = 1_000_000_000
"""Nanoseconds."""
MOST_CALLERS = 50_000
"""How many callers one budget knows; the one whose window ends first makes room, and begins again."""
AGAIN = 10
"""Seconds after which to try again where it is not time that brings the budget back."""

LONGEST_ADDRESS = 64
"""Characters that are kept of what a proxy says and is no address."""

MAPPED = bytes(10) + b"\xff\xff"
"""How an address of IPv4 begins that is written as one of IPv6."""

BRANCH = 10
"""What it costs to open a branch, as so many requests."""
BOT = 10
"""What it costs to seat a bot of the server, which plays a whole match."""
ERASURE = 10
"""What it costs to erase an account, which leaves all its seats."""
EVENTS = 100
"""How many events of an export, a past view or a stream that catches up cost one request more."""
MOST_EVENTS = 10_000
"""How many events are counted for a version that may not be there."""
ROWS = 50
"""How many rows of a list cost one request more."""
DESCRIPTION_OF_API = 15
"""What it costs to write and compress the description of the API for a path in front of the server."""
HEADS = 20_000
"""How many heads of a day, which a proof counts, cost one request more."""

type Spender = str | bytes
"""An address's network, or the hash of a token."""
type Now = Callable[[], int]
"""Nanoseconds since whenever, never going back."""


class Budget(Struct, frozen=True):
    """How much is allowed.

    Attributes:
        quota: How many requests.
        window: Within how many seconds.
    """

    quota: int
    window: int


class Limits(Struct, frozen=True, kw_only=True):
    """All budgets; None sets no limit.

    Attributes:
        token: Requests with one token.
        anonymous: Requests without a token from one address.
        address: Requests from one address, with tokens or without.
        login: Accounts opened, tokens made and wrong tokens shown from one address.
        streams: Streams opened with one token, or without a token from one address.
        open_streams: Streams open at once with one token, or without a token from one address.
        address_streams: Streams open at once from one address, with tokens or without.
        connections: Connections open at once from one address, of each of REST and gRPC; not counted where
            proxies stand in front, from which all of them come.
        trusted_proxies: How many proxies stand in front, each of which says for whom it calls.
    """

    token: Budget | None = Budget(3_000, 60)
    anonymous: Budget | None = Budget(600, 60)
    address: Budget | None = Budget(6_000, 60)
    login: Budget | None = Budget(120, 300)
    streams: Budget | None = Budget(600, 60)
    open_streams: int | None = 200
    address_streams: int | None = 1_000
    connections: int | None = 256
    trusted_proxies: int = 0


UNLIMITED = Limits(
    token=None,
    anonymous=None,
    address=None,
    login=None,
    streams=None,
    open_streams=None,
    address_streams=None,
    connections=None,
)
"""No limits at all."""


class Standing(Struct, frozen=True):
    """How a caller stands with a budget.

    Attributes:
        left: How many more are allowed; negative if not even this one was.
        seconds: When all of it is back; None where time does not bring it back.
    """

    left: int
    seconds: int | None = None


class Meter:
    """A budget, and what each caller has spent of it.

    Attributes:
        name: What the budget is called.
        policy: The budget as `RateLimit-Policy` tells it.
    """

    def __init__(self, name: str, budget: Budget) -> None:
        """Begin with nothing spent."""
        self.name = name
        self.policy = f'"{name}";q={budget.quota};w={budget.window}'
        self._quota = budget.quota
        self._window = budget.window * SECOND
        self._spent: OrderedDict[Spender, tuple[int, int]] = OrderedDict()

    def __len__(self) -> int:
        """Return how many callers are known."""
        return len(self._spent)

    def spend(self, key: Spender, now: int, cost: int = 1, *, done: bool = False) -> Standing:
        """Count what a caller asks for, if it is allowed, and return how the caller stands.

        Args:
            key: The caller.
            now: What time it is.
            cost: As how many requests it counts; never as more than a fresh budget has for it.
            done: Whether it is done already: then it counts though it may be more than is left.
        """
        ends, spent = self._spent.get(key, (0, 0))
        if ends <= now:
            self._make_room(now)
            ends, spent = now + self._window, 0
        cost = max(1, min(cost, self._quota - 1))
        left = self._quota - spent - cost
        if left >= 0 or done:
            self._spent[key] = ends, spent + cost
        return Standing(max(0, left) if done else left, -((now - ends) // SECOND))

    def _make_room(self, now: int) -> None:
        """Forget whose window is over; windows are kept in the order in which they end."""
        while self._spent:
            key = next(iter(self._spent))
            if self._spent[key][0] > now and len(self._spent) < MOST_CALLERS:
                return
            del self._spent[key]


class Gauge:
    """How much each caller may have at once, and has.

    Attributes:
        name: What the budget is called.
        policy: The budget as `RateLimit-Policy` tells it.
    """

    def __init__(self, name: str, most: int) -> None:
        """Begin with nobody having any."""
        self.name = name
        self.policy = f'"{name}";q={most};qu="concurrent-requests"'
        self._most = most
        self._open: Counter[Spender] = Counter()

    def __len__(self) -> int:
        """Return how many callers are known."""
        return len(self._open)

    def take(self, key: Spender) -> Standing:
        """Count one more, if it is allowed, and return how the caller stands."""
        left = self._most - self._open[key] - 1
        if left >= 0:
            self._open[key] += 1
        return Standing(left)

    def give_back(self, key: Spender) -> None:
        """Count one less."""
        self._open[key] -= 1
        if not self._open[key]:
            del self._open[key]


class Limiter:
    """All budgets of a process, and what is spent of them; for one event loop.

    Attributes:
        limits: What they allow.
        now: What time it is.
    """

    def __init__(self, limits: Limits = UNLIMITED, now: Now = monotonic_ns) -> None:
        """Take what is allowed; nothing is spent."""
        self.limits = limits
        self.now = now
        self.token = _meter("token", limits.token)
        self.anonymous = _meter("anonymous", limits.anonymous)
        self.address = _meter("address", limits.address)
        self.login = _meter("login", limits.login)
        self.streams = _meter("streams", limits.streams)
        self.open_streams = _gauge("open-streams", limits.open_streams)
        self.address_streams = _gauge("address-streams", limits.address_streams)

    def visit(self, peer: str, forwarded: str, token: str | None) -> "Visit":
        """Return a call that is about to be counted.

        Args:
            peer: The address that the connection comes from.
            forwarded: What the call's `X-Forwarded-For` says; empty if it has none.
            token: The token that it shows, of whomever; None for none.
        """
        return Visit(self, network(self._caller(peer, forwarded)), token)

    def _caller(self, peer: str, forwarded: str) -> str:
        """Return who called the first of the trusted proxies: each puts who called it after the others."""
        if not (proxies := self.limits.trusted_proxies):
            return peer
        hops = forwarded.split(",")
        return hops[-proxies].strip() or peer if len(hops) >= proxies else peer


def missed(failed: Exception) -> int:
    """Return as how many requests more a failure counts: a conflict tells what was missed."""
    events = failed.details["events"] if isinstance(failed, Conflict) else ()
    return len(events) // ROWS if isinstance(events, Sized) else 0


class Visit:
    """One call, which may become a stream, and whom it is counted for."""

    __slots__ = ("_address", "_has_token", "_limiter", "_own", "_standings", "_taken")

    def __init__(self, limiter: Limiter, address: str, token: str | None) -> None:
        """Take the network that it comes from and the token that it shows; nothing is counted yet."""
        self._limiter = limiter
        self._address = address
        self._has_token = token is not None
        self._own: Spender = address if token is None else sha256(token.encode()).digest()
        self._standings: dict[Meter | Gauge, Standing] = {}
        self._taken: list[tuple[Gauge, Spender]] = []

    def request(self) -> None:
        """Count a request, or a command within a stream.

        Raises:
            RateLimited: There have been too many.
        """
        self._spend_both(1)

    def weigh(self, more: int) -> None:
        """Count as so many requests more what a request asks for, before it is done.

        Raises:
            RateLimited: It would be too many.
        """
        if more > 0:
            self._spend_both(more)

    def charge(self, more: int) -> None:
        """Count as so many requests more what was done for a request: what follows may be too many."""
        if more > 0:
            self._spend_both(more, done=True)

    def _spend_both(self, cost: int, *, done: bool = False) -> None:
        limiter = self._limiter
        self._spend(limiter.token if self._has_token else limiter.anonymous, self._own, cost, done=done)
        self._spend(limiter.address, self._address, cost, done=done)

    def login(self) -> None:
        """Count what gives a token, or tries one.

        Raises:
            RateLimited: There have been too many.
        """
        self._spend(self._limiter.login, self._address)

    def stream(self) -> None:
        """Count a stream, which is open until `leave`.

        Raises:
            RateLimited: There have been too many, or too many are open.
        """
        limiter = self._limiter
        self._spend(limiter.streams, self._own)
        self._take(limiter.open_streams, self._own)
        self._take(limiter.address_streams, self._address)

    def leave(self) -> None:
        """End the call, and what is open with it."""
        while self._taken:
            gauge, key = self._taken.pop()
            gauge.give_back(key)

    def told[Failed: Exception](self, failed: Failed) -> Failed | RateLimited:
        """Return what a failed call is told: a wrong token is a try to log in, and there may be too many."""
        if isinstance(failed, Unauthenticated) and self._has_token:
            try:
                self.login()
            except RateLimited as limited:
                return limited
        return failed

    def fields(self) -> tuple[str, str] | None:
        """Return `RateLimit-Policy` and `RateLimit` by the budgets that were asked; None for none."""
        if not self._standings:
            return None
        policies = ", ".join([budget.policy for budget in self._standings])
        return policies, ", ".join(
            [_written(budget, standing) for budget, standing in self._standings.items()]
        )

    def _spend(self, meter: Meter | None, key: Spender, cost: int = 1, *, done: bool = False) -> None:
        if meter is not None:
            self._judge(meter, meter.spend(key, self._limiter.now(), cost, done=done))

    def _take(self, gauge: Gauge | None, key: Spender) -> None:
        if gauge is not None:
            self._judge(gauge, gauge.take(key))
            self._taken.append((gauge, key))

    def _judge(self, budget: Meter | Gauge, standing: Standing) -> None:
        self._standings[budget] = standing
        if standing.left < 0:
            raise RateLimited(budget.name, AGAIN if standing.seconds is None else standing.seconds)


def network(address: str) -> str:
    """Return the network that an address counts for: itself, of IPv6 the 64 bits that one customer has.

    Args:
        address: An address, within brackets or with a port as some proxies write it; or whatever was sent.
    """
    host, _, port = address.rpartition(":")
    if address.startswith("["):
        address = address[1:].partition("]")[0]
    elif "." in address and port.isdigit():
        address = host
    if ":" not in address:
        return address[:LONGEST_ADDRESS]
    try:
        packed = inet_pton(AF_INET6, address.partition("%")[0])
    except (OSError, ValueError):
        return address[:LONGEST_ADDRESS]
    return inet_ntop(AF_INET, packed[12:]) if packed.startswith(MAPPED) else f"{packed[:8].hex(':', 2)}::/64"


def _meter(name: str, budget: Budget | None) -> Meter | None:
    return None if budget is None else Meter(name, budget)


def _gauge(name: str, most: int | None) -> Gauge | None:
    return None if most is None else Gauge(name, most)


def _written(budget: Meter | Gauge, standing: Standing) -> str:
    left = max(0, standing.left)
    return (
        f'"{budget.name}";r={left}'
        if standing.seconds is None
        else f'"{budget.name}";r={left};t={standing.seconds}'
    )
