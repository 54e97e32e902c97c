"""Bundles as they are exported: read from the store as they are taken, in parts."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from domain.match import Resign, Visibility
from services.matches.decisions import as_given
from services.matches.loaded import TOGETHER
from services.matches.store import Recorded
from services.proof import proofs
from services.proof.proofs import Proofs
from services.shared.errors import NotFound, Unavailable
from services.shared.ids import MatchId
from tests.support.stores.lobby import ANN, BEN, opened, wanted
from tests.support.stores.use_cases import memory_stores, proposal


class Reading:
    """A store that counts what is read of it, and can lose what it has."""

    def __init__(self, store: Any) -> None:
        """Take the store."""
        self._store = store
        self.read_up_to: list[int | None] = []
        self.lost = False

    async def read(self, match: MatchId, after: int = 0, up_to: int | None = None) -> list[Recorded]:
        """Return a match's events after version `after`, up to and with `up_to`, in order."""
        self.read_up_to.append(up_to)
        return [] if self.lost else await self._store.read(match, after, up_to)

    def __getattr__(self, name: str) -> Any:
        """Return whatever else the store has."""
        return getattr(self._store, name)


async def test_a_bundle_is_read_as_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than a page is in memory, and the match may go on meanwhile: the bundle ends where it began."""
    monkeypatch.setattr(proofs, "PAGE", 2)
    stores = memory_stores()
    node = stores.node()
    _, listed = await node.openings.open(ANN, proposal(), None)
    reading = Reading(stores.store)
    export = await Proofs(node.queries, node.decisions, reading, stores.heads, stores.keys).export(
        listed.id, ANN, looking_as=None
    )
    lengths = list[int]()
    async for part in export.parts:
        if not lengths:
            assert reading.read_up_to == []
            await node.commands.submit(
                ANN, listed.id, as_given(Resign()), key=None, expected_version=None, validate_only=False
            )
        lengths.append(len(part))
    assert listed.version == 4
    assert lengths == [1, 2, 2, 1]
    assert reading.read_up_to == [2, 4]


async def test_a_bundle_whose_events_are_gone_does_not_end() -> None:
    """It says that the store is away, and gives no end."""
    stores = memory_stores()
    node = stores.node()
    _, listed = await node.openings.open(ANN, proposal(), None)
    reading = Reading(stores.store)
    export = await Proofs(node.queries, node.decisions, reading, stores.heads, stores.keys).export(
        listed.id, ANN, looking_as=None
    )
    reading.lost = True
    assert len(await anext(export.parts)) == 1
    with pytest.raises(Unavailable):
        await anext(export.parts)


async def test_others_get_their_turn_while_a_match_is_read_and_written_down() -> None:
    """Folding a long match, and writing its bundle down, hold nobody up for longer than some events take."""
    stores = memory_stores()
    node = stores.node()
    _, listed = await node.openings.open(ANN, wanted(), None)
    for _ in range(420):
        await node.invitations.renew(ANN, listed.id, None)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    waiting = asyncio.create_task(others())
    await asyncio.sleep(0)
    cold, before = stores.node(), turns
    await cold.queries.read(listed.id, ANN)
    assert turns - before >= 420 // TOGETHER
    export = await cold.proofs.export(listed.id, ANN, looking_as=None)
    before = turns
    lines = sum([len(part) async for part in export.parts])
    assert lines == 420 + 4
    assert turns - before >= 420 // proofs.TOGETHER
    waiting.cancel()


class Meanwhile(Reading):
    """A store in which something happens while it is asked whether a match is complete."""

    def __init__(self, store: Any, happens: Callable[[], Awaitable[object]]) -> None:
        """Take the store, and what happens."""
        super().__init__(store)
        self._happens = happens

    async def complete(self, match: MatchId, up_to: int) -> None:
        """Let it happen, then answer."""
        await self._happens()
        await self._store.complete(match, up_to)


async def test_who_loses_a_private_match_meanwhile_gets_no_bundle() -> None:
    """Who may know of the match is asked of it as it stands when the bundle begins."""
    stores = memory_stores()
    node = stores.node()
    match = await opened(node, seats=3, visibility=Visibility.PRIVATE)
    shown = (await node.invitations.link(ANN, match)).invitation
    await node.lobby.take_seat(BEN, match, 1, "", None, invitation=shown)

    async def leave() -> None:
        await node.lobby.leave_seat(BEN, match, 1, None)

    reading = Meanwhile(stores.store, leave)
    export = Proofs(node.queries, node.decisions, reading, stores.heads, stores.keys).export
    with pytest.raises(NotFound):
        await export(match, BEN, looking_as=None)
