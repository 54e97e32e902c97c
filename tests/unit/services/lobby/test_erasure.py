"""Players who go for good leave nobody waiting."""

import pytest

from domain.match import MatchStatus, Resigned, SeatLeft
from domain.shared.outcomes import OutcomeKind
from services.players.accounts import Caller
from services.players.store import Scope
from services.shared.errors import Forbidden
from tests.support.stores.use_cases import memory_stores, proposal


async def test_an_erased_player_leaves_its_seats() -> None:
    """Open seats are free again, what is played is given up, and what is over stays as it was."""
    node = memory_stores().node()
    (ann, token), (ben, _) = [await node.players.open_guest(name) for name in ("Ann", "Ben")]
    options = node.catalogue.games["mount_drago"].options()
    wanted = proposal(game="mount_drago", options=options, seats=2)
    _, waiting = await node.openings.open(ann.id, wanted, None)
    _, playing = await node.openings.open(ben.id, wanted, None)
    await node.lobby.take_seat(ann.id, playing.id, 1, "", None)
    _, over = await node.openings.open(ann.id, proposal(), None)
    await node.lobby.leave_seat(ann.id, over.id, 0, None)
    before = await node.queries.read(over.id, ann.id)
    await node.departures.erase(await node.players.authenticate(token, Scope.PLAY))
    open_again = await node.queries.read(waiting.id, ben.id)
    assert (open_again.match.status, open_again.match.holders) == (MatchStatus.OPEN, (None, None))
    given_up = await node.queries.read(playing.id, ben.id)
    assert given_up.match.outcome is not None
    assert (given_up.match.outcome.kind, given_up.match.outcome.winners) == (OutcomeKind.RESIGNED, (0,))
    assert await node.queries.read(over.id, ben.id) == before
    store = node.decisions.store
    events = [recorded.event for id in (waiting.id, playing.id) for recorded in await store.read(id)]
    assert [type(one) for one in events if isinstance(one, SeatLeft | Resigned)] == [SeatLeft, Resigned]
    assert ann.id not in await node.players.named([ann.id])


async def test_an_erasure_that_was_ended_midway_leaves_what_was_taken_since() -> None:
    """A seat that was left, and taken again before the account went, is left again; keys stand in no way."""
    node = memory_stores().node()
    ann, token = await node.players.open_guest("Ann")
    options = node.catalogue.games["mount_drago"].options()
    _, listed = await node.openings.open(
        ann.id, proposal(game="mount_drago", options=options, seats=2), "erased"
    )
    await node.lobby.leave_seat(ann.id, listed.id, 0, None)
    await node.lobby.take_seat(ann.id, listed.id, 0, "", None)
    await node.departures.erase(await node.players.authenticate(token, Scope.PLAY))
    assert (await node.queries.read(listed.id, None)).match.holders == (None, None)


async def test_a_token_that_manages_no_account_leaves_no_seat() -> None:
    """A bot's token erases nothing, and gives nothing up."""
    node = memory_stores().node()
    ann, token = await node.players.open_guest("Ann")
    _, listed = await node.openings.open(ann.id, proposal(), None)
    caller = await node.players.authenticate(token, Scope.PLAY)
    bot = Caller(caller.id, frozenset({Scope.BOT}), caller.credential)
    with pytest.raises(Forbidden):
        await node.departures.erase(bot)
    assert (await node.queries.read(listed.id, ann.id)).match.status is MatchStatus.PLAYING
