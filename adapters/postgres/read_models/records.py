"""What players have achieved, as the read models tell it."""

from collections.abc import Mapping
from math import inf

from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.read_models.ratings import rating_in
from adapters.postgres.read_models.statistics import statistics_in
from domain.match import PlayerId
from services.players.records import Ranked, Rating, Statistics
from services.shared.ids import parsed, written


class PostgresRecords:
    """The port `Records`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def statistics(self, player: PlayerId) -> list[Statistics]:
        """Return a player's statistics, one for each game that it has played, by the game's id."""
        rows = await self._datastore.execute(
            'SELECT * FROM statistics WHERE player_id = %s ORDER BY game COLLATE "C"',
            (parsed("player", player),),
        )
        return [statistics_in(row) for row in rows]

    async def ratings(self, player: PlayerId) -> Mapping[str, Rating]:
        """Return a player's rating in each game in which it has one."""
        rows = await self._datastore.execute(
            "SELECT * FROM ratings WHERE player_id = %s", (parsed("player", player),)
        )
        return {row["game"]: rating_in(row) for row in rows}

    async def leaderboard(
        self, game: str, *, place: tuple[float, PlayerId] | None, limit: int
    ) -> list[Ranked]:
        """Return those who have a rating in a game, the highest estimate first."""
        estimate, player = place or (inf, None)
        rows = await self._datastore.execute(
            "SELECT * FROM ratings WHERE game = %s AND estimate <= %s AND (estimate < %s OR player_id > %s)"
            " ORDER BY estimate DESC, player_id LIMIT %s",
            (game, estimate, estimate, None if player is None else parsed("player", player), limit),
        )
        return [Ranked(PlayerId(written("player", row["player_id"])), rating_in(row)) for row in rows]
