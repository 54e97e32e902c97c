"""A stream that takes commands sends every event once, in order: as an item, or with a command's answer."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from random import Random

import pytest

from adapters.faces.conversation import WAITING, Reply, conversation
from domain.match import PlayerId, Resign
from services.matches.decisions import as_given
from services.matches.views import SeenEvent
from services.shared.ids import MatchId
from services.streams.channels import Encoded
from services.streams.match_stream import End, EventItem
from services.use_cases import Services
from tests.support.games.montana import ENDLESS, WALK
from tests.support.stores.use_cases import memory_stores, proposal

ANN = PlayerId("player_00000000000000000000000001")
COMMANDS = 200


async def opened(node: Services) -> MatchId:
    """Return a match that can be played for ever, at version 4."""
    options = node.catalogue.games["montana"].options(deal=ENDLESS)
    _, listed = await node.openings.open(ANN, proposal(options=options), None)
    return listed.id


class Conversation:
    """A client that commands over its stream, while the same player commands elsewhere too.

    Attributes:
        versions: Of the events received, in order.
        ended: Whether the stream ended with the match.
    """

    def __init__(self, node: Services, match: MatchId, seed: int) -> None:
        """Take the match, and how the two take turns."""
        self.versions: list[int] = []
        self.ended = False
        self._node, self._match, self._dice = node, match, Random(seed)

    async def requests(self) -> AsyncIterator[object]:
        """Ask for moves, now and then after a pause, at last to resign, and wait for the end."""
        for _ in range(COMMANDS):
            if self._dice.random() < 0.3:
                await asyncio.sleep(0)
            yield WALK
        yield Resign()
        await asyncio.Event().wait()

    async def reply(self, command: object) -> Reply[tuple[SeenEvent[object], ...]]:
        """Carry a command out."""
        given = await self._node.commands.submit(
            ANN, self._match, as_given(command), key=None, expected_version=None, validate_only=False
        )
        return Reply(given.events, given)

    async def elsewhere(self) -> None:
        """Make moves over no stream."""
        for _ in range(COMMANDS):
            for _ in range(self._dice.randrange(4)):
                await asyncio.sleep(0)
            await self.reply(WALK)

    async def run(self) -> None:
        """Talk to the end."""
        watch = await self._node.match_streams.watch(self._match, ANN, after=0, looking_as=None)
        other = asyncio.create_task(self.elsewhere())
        async with aclosing(conversation(watch, self.requests(), self.reply)) as parts:
            async for told, messages in parts:
                self._take(told)
                for events in messages:
                    self.versions += [event.version for event in events]
                if self._dice.random() < 0.2:
                    await asyncio.sleep(0)
        other.cancel()

    def _take(self, told: Sequence[Encoded]) -> None:
        items = [one.item for one in told]
        self.versions += [item.event.version for item in items if isinstance(item, EventItem)]
        self.ended |= any(isinstance(item, End) for item in items)


@pytest.mark.parametrize("seed", range(20))
async def test_every_event_comes_once_and_in_order(seed: int) -> None:
    """However commands over the stream and elsewhere meet, no event is missed, doubled or out of turn."""
    node = memory_stores().node()
    match = await opened(node)
    talk = Conversation(node, match, seed)
    async with asyncio.timeout(30):
        await talk.run()
    last = (await node.queries.read(match, ANN)).version
    assert talk.versions == list(range(1, last + 1))
    assert talk.ended


async def test_requests_wait_while_nobody_takes_the_answers() -> None:
    """A client that sends and never reads holds up itself only: what it is owed is bounded."""
    node = memory_stores().node()
    match = await opened(node)
    watch = await node.match_streams.watch(match, ANN, after=4, looking_as=None)
    read: list[int] = []

    async def requests() -> AsyncIterator[int]:
        for number in range(1_000):
            read.append(number)
            yield number

    async def reply(number: int) -> Reply[int]:
        return Reply(number)

    async with aclosing(conversation(watch, requests(), reply)) as parts:
        await anext(parts)
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(read) <= 2 * WAITING + 1
