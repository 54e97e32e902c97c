"""Players, and matches that wait for them, for tests of the use cases."""

from typing import Any
from uuid import UUID

from domain.games import GAMES
from domain.match import AnyMatch, PlayerId
from services.matches.opening import Proposal
from services.shared.ids import MatchId, written
from services.use_cases import Services
from tests.support.stores.use_cases import proposal


def player(number: int) -> PlayerId:
    """Return a player's id."""
    return PlayerId(written("player", UUID(int=number)))


ANN, BEN, CAM, DOT = map(player, range(1, 5))


def wanted(game: str = "mountains", seats: int = 2, **changes: Any) -> Proposal:
    """Return a proposal of a match that its opener sits in, with changes."""
    return proposal(game=game, options=GAMES[game].options(), seats=seats, **changes)


async def opened(node: Services, seats: int = 2, **changes: Any) -> MatchId:
    """Return a match of Mountains that Ann opened and sits in."""
    _, listed = await node.openings.open(ANN, wanted(seats=seats, **changes), None)
    return listed.id


async def sits(node: Services, player: PlayerId, id: MatchId, seat: int) -> None:
    """Sit a player down."""
    await node.lobby.take_seat(player, id, seat, "", None)


async def match_of(node: Services, id: MatchId) -> AnyMatch:
    """Return a match as the store has it."""
    return (await node.decisions.matches.current(id)).match


def seated(match: AnyMatch) -> list[PlayerId | None]:
    """Return who holds each seat."""
    return [None if holder is None else holder.player for holder in match.holders]
