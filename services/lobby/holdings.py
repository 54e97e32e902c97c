"""What players have of which they may have so much at a time, kept up with what happens in matches."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any

from domain.match import AnyMatch, Cancelled, Finished, MatchStatus, Resigned, SeatLeft, SeatTaken, Started
from domain.shared.seats import by_seat
from services.bots.accounts import bot_of
from services.matches.decisions import Decided, Decisions
from services.players.quotas import Holding, QuotaKind, Quotas
from services.shared.errors import Failure, Unavailable
from services.shared.ids import MatchId
from services.shared.time import Clock

WAITING = (QuotaKind.OPEN, QuotaKind.INVITATION)
"""What a player has no more once the match begins."""


class Needed(Exception):  # noqa: N818 - a question of a command, not a fault
    """A command is refused unless its player may have one more.

    Attributes:
        holding: Of what.
        is_taken: Whether the player has it by the command; else the command only needs that it might.
    """

    def __init__(self, holding: Holding, *, is_taken: bool = True) -> None:
        """Take what is needed."""
        super().__init__(holding)
        self.holding = holding
        self.is_taken = is_taken


class Holdings:
    """Counts what players have.

    What is counted is recorded before the command that brings it about, and let go after the one that ends
    it. What a crash leaves behind is found by the log when a player has as much as it may have.
    """

    def __init__(self, decisions: Decisions, quotas: Quotas, clock: Clock) -> None:
        """Take what carries out commands, where it is counted, and the time."""
        self.clock = clock
        self._quotas = quotas
        self._live = decisions.matches
        self._tasks: set[asyncio.Task[None]] = set()
        decisions.observers.append(self._observe)

    async def within(self, attempt: Callable[[bool], Awaitable[Decided]]) -> Decided:
        """Return what a command brought about.

        Args:
            attempt: Carries the command out, and is told whether what it needs is counted already; raises
                `Needed` if it is not.

        Raises:
            TooMany: The player has as many as it may have.
        """
        try:
            return await attempt(False)
        except Needed as needed:
            holding = needed.holding
            if not needed.is_taken:
                await self._quotas.check(holding)
                return await attempt(True)
        await self._quotas.take(holding)
        try:
            return await attempt(True)
        except Exception:
            with suppress(Failure):
                await self._release_unless_held(holding)
            raise

    async def drain(self) -> None:
        """Finish what is being recorded."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _release_unless_held(self, holding: Holding) -> None:
        """Let go what was taken for a command that was refused, unless another brought it about."""
        match = (await self._live.current(holding.match)).match
        held = is_left_to_bots(match) if holding.kind is QuotaKind.BOTS else holding.about in match.invited
        if not held:
            await self._quotas.release(holding.match, [holding.kind], about=holding.about)

    def _observe(self, id: MatchId, events: Sequence[object], match: AnyMatch) -> None:
        for event in events:
            match event:
                case SeatTaken(holder=holder) if holder.player in match.invited:
                    self._do(self._quotas.release(id, [QuotaKind.INVITATION], about=holder.player))
                case SeatLeft(player=player) if bot_of(player) is not None:
                    self._do(self._release_unless_held(Holding(player, QuotaKind.BOTS, id, self.clock.now())))
                case Started():
                    self._do(self._quotas.release(id, WAITING))
                case Cancelled():
                    self._do(self._quotas.release(id, tuple(QuotaKind)))
                case Finished() if any(held is not None and bot_of(held.player) for held in match.holders):
                    self._do(self._quotas.release(id, [QuotaKind.BOTS]))
                case Resigned() if match.status is MatchStatus.PLAYING and is_left_to_bots(match):
                    opener = match.terms.opener
                    self._do(self._quotas.note(Holding(opener, QuotaKind.BOTS, id, self.clock.now())))
                case _:
                    pass

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_tried(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _tried(work: Coroutine[Any, Any, None]) -> None:
    """Record what can be: what is not, as the store is away, is found by the log."""
    with suppress(Unavailable):
        await work


def is_left_to_bots(match: AnyMatch) -> bool:
    """Return whether only bots of the server are left to play a match."""
    return all(_bots(match))


def _bots(match: AnyMatch) -> list[bool]:
    """Return of each seat that has not resigned whether a bot of the server holds it."""
    return [
        holder is not None and bot_of(holder.player) is not None
        for seat, holder in by_seat(match.holders)
        if seat not in match.resigned
    ]
