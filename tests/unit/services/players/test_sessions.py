"""Streams end when the token that they are open by is no longer good."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from domain.match import PlayerId
from services.players import sessions as module
from services.players.accounts import Caller
from services.players.sessions import Credential
from services.players.store import Scope
from services.shared.errors import Unavailable
from services.shared.ids import MatchId
from services.streams.match_stream import CaughtUp, End, EndReason, SnapshotItem
from services.streams.presence import PresenceItem
from tests.support.stores.use_cases import ManualClock, memory_stores, proposal

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Reader:
    """A stream that only knows whether it was ended."""

    def __init__(self) -> None:
        """Begin."""
        self.left: Callable[[], None] = lambda: None
        self.ended = 0

    def revoke(self) -> None:
        """End it."""
        self.ended += 1


class Service:
    """Accounts in memory, with a clock that stands, and a guest."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self.clock = ManualClock(NOW)
        self.stores = memory_stores()
        self.players = self.stores.players(self.clock)
        self.sessions = self.players.sessions

    async def prepare(self) -> None:
        """Open an account."""
        _, token = await self.players.open_guest("Ann")
        self.ann = await self.players.authenticate(token, Scope.PLAY)

    async def caller(self, lasts: timedelta | None = None) -> Caller:
        """Return who calls with a further token of the guest, the newest."""
        self.clock.advance(timedelta(milliseconds=1))
        expires_at = None if lasts is None else self.clock.now() + lasts
        _, token = await self.players.make_token(self.ann, [Scope.READ], expires_at)
        return await self.players.authenticate(token, Scope.READ)

    def reader(self, credential: Credential) -> Reader:
        """Return a stream that is open by a token."""
        reader = Reader()
        self.sessions.hold(credential, reader)
        return reader

    async def revoke_newest(self) -> None:
        """Revoke the newest token."""
        newest = (await self.players.tokens(self.ann, after=None, size=1)).items[0]
        await self.players.revoke(self.ann, newest.id)


@pytest.fixture
async def service() -> Service:
    """The use cases with a guest."""
    service = Service()
    await service.prepare()
    return service


async def test_a_revoked_token_ends_its_streams_and_no_others(service: Service) -> None:
    """All that are open by it; each is told once."""
    caller = await service.caller()
    open_by_it = [service.reader(caller.credential) for _ in range(2)]
    other = service.reader(service.ann.credential)
    await service.sessions.look()
    assert [reader.ended for reader in (*open_by_it, other)] == [0, 0, 0]
    await service.revoke_newest()
    await service.sessions.look()
    await service.sessions.look()
    assert [reader.ended for reader in (*open_by_it, other)] == [1, 1, 0]
    open_by_it[0].left()


async def test_a_token_that_expires_ends_its_streams(service: Service) -> None:
    """At the first look from its end on, also while the store is away."""
    caller = await service.caller(timedelta(seconds=9))
    reader = service.reader(caller.credential)
    service.clock.advance(timedelta(seconds=9) - datetime.resolution)
    await service.sessions.look()
    assert reader.ended == 0
    service.clock.advance(datetime.resolution)

    async def away(_: Sequence[bytes]) -> set[bytes]:
        raise Unavailable

    service.stores.accounts.gone = away
    await service.sessions.look()
    assert reader.ended == 1


async def test_an_erased_player_is_sent_nothing_more(service: Service) -> None:
    """Whether it came with a token of our own or with an issuer's; another player's sign-in goes on."""
    until = NOW + timedelta(days=1)
    signed_in = [
        Credential(b"1", service.ann.id, until, signed_in=True),
        Credential(b"2", (await service.players.open_guest("Ben"))[0].id, until, signed_in=True),
    ]
    readers = [service.reader(one) for one in (service.ann.credential, *signed_in)]
    await service.sessions.look()
    assert [reader.ended for reader in readers] == [0, 0, 0]
    await service.players.erase(service.ann)
    await service.sessions.look()
    assert [reader.ended for reader in readers] == [1, 1, 0]


async def test_what_is_left_is_not_looked_after(service: Service) -> None:
    """A stream that is over is forgotten, and with the last one the token."""
    caller = await service.caller()
    first, second = service.reader(caller.credential), service.reader(caller.credential)
    first.left()
    await service.revoke_newest()
    await service.sessions.look()
    assert (first.ended, second.ended) == (0, 1)


async def test_a_watch_says_that_its_token_ended(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within a period, without a call of anybody; it may be resumed with a token that is good."""
    monkeypatch.setattr(module, "PERIOD", 0.001)
    caller = await service.caller()
    node = service.stores.node()
    _, opened = await node.openings.open(PlayerId(caller.id), proposal(), None)
    watch = await node.match_streams.watch(MatchId(opened.id), caller.id, after=None, looking_as=None)
    service.sessions.hold(caller.credential, watch)
    begun = [*await watch.next(), *await watch.next()]
    assert [type(told.item) for told in begun] == [SnapshotItem, PresenceItem, CaughtUp]
    await service.revoke_newest()
    async with asyncio.timeout(10):
        while not (told := await watch.next()):
            pass
    assert [one.item for one in told] == [End(opened.version, EndReason.TOKEN_ENDED, resumable=True)]
    assert watch.over
    watch.leave()
