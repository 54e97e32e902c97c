"""Beats and outages in PostgreSQL, by its clock."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from psycopg.errors import ReadOnlySqlTransaction

from adapters.postgres.connection.datastore import Datastore
from services.matches.outages import BEAT, OUTAGE, Outage

GIVE = "SELECT beat(%s, %s) AS ago, current_setting('transaction_read_only')::boolean AS only_reads"
OUTAGES = "SELECT outage_id, began_at, ended_at FROM outages"


class PostgresOutages:
    """The port `Outages`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore

    async def beat(self) -> timedelta:
        """Say that the service works, unless another process just did; return how long ago that was."""

        def work() -> timedelta:
            with self._datastore.get_connection() as connection:
                row = connection.execute(GIVE, (BEAT, OUTAGE)).fetchone()
                if row is None or row["only_reads"]:
                    # A standby that reads what others have written, where nothing can be played.
                    raise ReadOnlySqlTransaction("the server only reads")
                return cast(timedelta, row["ago"])

        return await self._datastore.run(work)

    async def since(self, at: datetime) -> Sequence[Outage]:
        """Return the outages that ended later than a time, oldest first."""
        return _outages(
            await self._datastore.execute(f"{OUTAGES} WHERE ended_at > %s ORDER BY outage_id", (at,))
        )

    async def unsettled(self) -> Sequence[Outage]:
        """Return the outages of which not every match was looked at, oldest first."""
        return _outages(await self._datastore.execute(f"{OUTAGES} WHERE NOT settled ORDER BY outage_id"))

    async def settle(self, outage: Outage) -> None:
        """Record that every match was looked at."""
        await self._datastore.execute("UPDATE outages SET settled = true WHERE outage_id = %s", (outage.id,))


def _outages(rows: Iterable[dict[str, Any]]) -> list[Outage]:
    return [Outage(row["outage_id"], row["began_at"], row["ended_at"]) for row in rows]
