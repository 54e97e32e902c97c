"""Matches held folded in memory."""

import gc

from domain.match import PlayerId
from services.ids import MatchId
from services.live import Live
from services.matches import Matches
from tests.support.use_cases import memory_stores, proposal

ANN = PlayerId("player_00000000000000000000000001")


async def opened(node: Matches) -> MatchId:
    """Return a match that Ann opened."""
    return (await node.open(ANN, proposal(), None))[1].id


def folded() -> set[MatchId]:
    """Return the matches that are folded somewhere in this process."""
    gc.collect()
    return {found.id for found in gc.get_objects() if type(found) is Live}


async def test_so_many_matches_are_remembered_and_no_more() -> None:
    """However many are opened and looked at, those used last stay in memory, as many as the setting says."""
    node = memory_stores().node(remembered=3)
    matches = [await opened(node) for _ in range(10)]
    assert folded() & set(matches) == set(matches[-3:])
    for match in (*matches, matches[0]):
        await node.read(match, ANN)
    assert folded() & set(matches) == {matches[8], matches[9], matches[0]}
