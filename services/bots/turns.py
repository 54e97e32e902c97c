"""Move for the bots of the server, which see and may do no more than any client at their seats.

Any number of processes do so at once. A move's key names the seat and the version that it was decided on, so
a bot never moves twice, anyone who else moves for it.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Protocol

from domain.match import PlayerId
from domain.shared.rejections import Rejected
from services.bots.policies import Policy
from services.matches.commands import Commands
from services.matches.decisions import as_given
from services.matches.queries import Queries
from services.shared.errors import Conflict, KeyReused, SetAside
from services.shared.ids import MatchId

MOST = 64
"""How many bots are given their turn together."""
IDLE = timedelta(seconds=5)
"""How long lies between two looks for bots that are to act, at most: a turn that comes brings on the next."""
AT_ONCE = 4
"""How many of them a process moves for at once."""


class BotTurns(Protocol):
    """In which matches bots are to act; it follows the log within moments."""

    async def waiting(self, bots: Collection[PlayerId], most: int) -> Sequence[tuple[MatchId, PlayerId]]:
        """Return where which of the bots is to act: any, at most so many, not always the same ones."""


class BotPlayers:
    """Makes the moves of bots."""

    def __init__(
        self,
        commands: Commands,
        queries: Queries,
        turns: BotTurns,
        policies: Mapping[PlayerId, Policy],
        pause: timedelta,
    ) -> None:
        """Take the use cases that all players have, whose turn it is, and how each bot plays.

        Args:
            commands: How bots move, as clients do.
            queries: What bots see, as clients do.
            turns: In which matches bots are to act.
            policies: How each bot chooses, by its account.
            pause: How long a bot waits after its move before it makes another, at least.
        """
        self._commands = commands
        self._queries = queries
        self._turns = turns
        self._policies = policies
        self._pause = pause
        self._chance = Random()
        self._at_once = asyncio.Semaphore(AT_ONCE)

    async def step(self) -> timedelta:
        """Move for bots that are to act, once for each, and return how long to wait then at most.

        Raises:
            Exception: What failed first, after everything that did not.
        """
        waiting = await self._turns.waiting(self._policies.keys(), MOST)
        ended = await asyncio.gather(*(self._turn(*one) for one in waiting), return_exceptions=True)
        for error in ended:
            if error is not None:
                raise error
        return self._pause if waiting else IDLE

    async def _turn(self, id: MatchId, bot: PlayerId) -> None:
        """Move for a bot, and rest for as long as that took: people's commands have the other half."""
        async with self._at_once:
            clock = asyncio.get_running_loop().time
            began = clock()
            # Refused if the bot has moved or its match has gone on: then it is not its turn any more.
            with suppress(Rejected, Conflict, KeyReused, SetAside):
                await self._move(id, bot)
            await asyncio.sleep(clock() - began)

    async def _move(self, id: MatchId, bot: PlayerId) -> None:
        view = await self._queries.legal_moves(id, bot)
        if not view.legal_moves:
            return
        await self._commands.submit(
            bot,
            id,
            as_given(self._policies[bot](view, self._chance)),
            key=f"bot:{view.viewer.seat}:{view.version}",
            expected_version=view.version,
            validate_only=False,
        )
