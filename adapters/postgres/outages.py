"""Beats and outages in PostgreSQL, by its clock."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from adapters.postgres.datastore import Datastore
from services.outages import BEAT, OUTAGE, Outage

OUTAGES = "SELECT outage_id, began_at, ended_at FROM outages"


class PostgresOutages:
    """The port `Outages`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def beat(self) -> timedelta:
        """Say that the service works, unless another process just did; return how long ago that was."""
        (row,) = await self._datastore.execute("SELECT beat(%s, %s) AS ago", (BEAT, OUTAGE))
        return cast(timedelta, row["ago"])

    async def since(self, at: datetime) -> Sequence[Outage]:
        """Return the outages that ended later than a time, oldest first."""
        return _outages(
            await self._datastore.execute(f"{OUTAGES} WHERE ended_at > %s ORDER BY outage_id", (at,))
        )

    async def unsettled(self) -> Sequence[Outage]:
        """Return the outages of which not every match was looked at, oldest first."""
        return _outages(await self._datastore.execute(f"{OUTAGES} WHERE NOT settled ORDER BY outage_id"))

    async def settle(self, outage: Outage) -> None:
        """Put down that every match was looked at."""
        await self._datastore.execute("UPDATE outages SET settled = true WHERE outage_id = %s", (outage.id,))


def _outages(rows: Iterable[dict[str, Any]]) -> list[Outage]:
    return [Outage(row["outage_id"], row["began_at"], row["ended_at"]) for row in rows]
