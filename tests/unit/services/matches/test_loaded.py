"""Matches held folded in memory."""

import gc
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from adapters.event_store.mapper import SnapshotMapper
from domain.games import GAMES
from domain.match import PlayerId, Resign, legal_moves
from domain.shared.seats import Seat
from services.matches.decisions import as_given
from services.matches.loaded import LoadedMatch
from services.shared.errors import KeyReused
from services.shared.ids import MatchId
from services.use_cases import Services
from tests.support.stores.use_cases import memory_stores, proposal

ANN = PlayerId("player_00000000000000000000000001")


async def opened(node: Services) -> MatchId:
    """Return a match that Ann opened."""
    return (await node.openings.open(ANN, proposal(), None))[1].id


def folded() -> set[MatchId]:
    """Return the matches that are folded somewhere in this process."""
    gc.collect()
    return {found.id for found in gc.get_objects() if type(found) is LoadedMatch}


async def test_so_many_matches_are_remembered_and_no_more() -> None:
    """However many are opened and looked at, those used last stay in memory, as many as the setting says."""
    node = memory_stores().node(remembered=3)
    matches = [await opened(node) for _ in range(10)]
    assert folded() & set(matches) == set(matches[-3:])
    for match in (*matches, matches[0]):
        await node.queries.read(match, ANN)
    assert folded() & set(matches) == {matches[8], matches[9], matches[0]}


async def test_a_key_is_kept_as_long_as_its_match_and_costs_24_bytes() -> None:
    """However long keys and match are, a snapshot grows by the same each time, and any key is answered."""
    stores = memory_stores()
    node = stores.node(snapshot_every=1)
    id = await opened(node)
    told, sizes = {}, []
    for number in range(30):
        live = await node.decisions.matches.current(id)
        command = legal_moves(live.game, live.match, Seat(0))[0]
        key = f"{number} ".ljust(255, "k")
        told[key] = command, await submitted(node, id, command, key)
        await node.decisions.matches.current(id)
        kept = SnapshotMapper(dict(GAMES)).to_stored(UUID(int=0), live.snapshot())
        bare = SnapshotMapper(dict(GAMES)).to_stored(UUID(int=0), replace(live.snapshot(), done=()))
        sizes.append(len(kept.state) - len(bare.state))
    assert sizes == [(24 * (number + 2) + 2) // 3 * 4 for number in range(30)]
    await node.drain()
    other = stores.node()
    for key, (command, version) in told.items():
        assert await submitted(other, id, command, key) == version
    with pytest.raises(KeyReused):
        await submitted(other, id, Resign(), key)


async def submitted(node: Services, id: MatchId, command: Any, key: str) -> int:
    """Return the version after a command of Ann's."""
    answer = await node.commands.submit(
        ANN, id, as_given(command), key=key, expected_version=None, validate_only=False
    )
    return answer.version


async def test_matches_are_remembered_up_to_so_many_events() -> None:
    """Those used last stay, with as many events in all as the setting says; one stays however long it is."""
    node = memory_stores().node(remembered_events=10)
    matches = [await opened(node) for _ in range(4)]
    for match in matches:
        assert (await node.queries.read(match, ANN)).version == 4
    assert folded() & set(matches) == set(matches[-2:])
    await node.commands.submit(
        ANN, matches[0], as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    await node.queries.read(matches[0], ANN)
    assert folded() & set(matches) == {matches[3], matches[0]}
    alone = memory_stores().node(remembered_events=1)
    match = await opened(alone)
    for _ in range(2):
        await alone.queries.read(match, ANN)
        assert match in folded()


async def test_a_long_match_is_read_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pages it has, it is the same at every version, with snapshots and without."""
    stores = memory_stores()
    node = stores.node(snapshot_every=7)
    id = await opened(node)
    for number in range(12):
        live = await node.decisions.matches.current(id)
        await submitted(node, id, legal_moves(live.game, live.match, Seat(0))[0], f"{number}")
    await node.drain()
    bare = stores.node().decisions.matches
    whole = [(await bare.at_version(id, version)).match for version in range(1, live.version + 1)]
    for page in (1, 2, 3, 1_000):
        monkeypatch.setattr("services.matches.loaded.PAGE", page)
        for version, match in enumerate(whole, 1):
            assert (await stores.node().decisions.matches.at_version(id, version)).match == match
        assert (await stores.node().decisions.matches.at_version(id)).version == live.version
