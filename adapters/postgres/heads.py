"""Signed heads and days in PostgreSQL or in memory."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast
from uuid import UUID

import msgspec
from msgspec import Struct
from psycopg import Cursor, sql

from adapters.event_store.mapper import tag
from adapters.event_store.store import uuid_of
from adapters.keys.signing import key_of
from adapters.postgres.connection.datastore import Datastore, hold
from adapters.postgres.log.recorders import EVENTS
from adapters.postgres.log.set_aside import put_aside
from adapters.postgres.read_models.reader import newest
from domain.match import BranchOf, Finished
from domain.match.heads import Head, Inclusion
from domain.shared.chain import read, written
from domain.shared.merkle import Level, neighbours
from services.proof.heads import Final, Finals, SignedDay, SignedHead
from services.proof.keys import Key
from services.shared.ids import MatchId, match_id

NAME = "signatures"
"""Names the position in the log up to which heads are signed."""


FINISHED = tag(Finished)


HASH_SIZE = 32


REACHED = "SELECT notification_id AS reached FROM match_tracking WHERE application_name = %s"


LEVEL = sql.SQL(
    "SELECT coalesce((SELECT notification_id FROM match_tracking WHERE application_name = %s), 0) AS reached,"
    " coalesce((SELECT max(notification_id) FROM {}), 0) AS newest"
).format(sql.Identifier(EVENTS))


TRACK = (
    "INSERT INTO match_tracking (application_name, notification_id) VALUES (%s, %s)"
    " ON CONFLICT (application_name) DO UPDATE SET notification_id = excluded.notification_id"
    " WHERE match_tracking.notification_id < excluded.notification_id"
)


FINALS = sql.SQL(
    "SELECT last.notification_id, last.originator_id, last.originator_version, last.state,"
    " first.state AS opening"
    " FROM {events} AS last JOIN {events} AS first"
    " ON first.originator_id = last.originator_id AND first.originator_version = 1"
    " WHERE last.notification_id > %s AND last.notification_id <= %s AND last.topic = %s"
    " ORDER BY last.notification_id LIMIT %s"
).format(events=sql.Identifier(EVENTS))


ALONE = "signed_heads"
"""Held while a head or a day is stored, so that no head comes to a day that is being closed."""


KEEP = (
    "INSERT INTO signed_heads (match_id, version, head, date, kid, signature)"
    " SELECT %s, %s, %s, greatest(%s, (SELECT max(date) + 1 FROM signed_days)), %s, %s"
    " ON CONFLICT (match_id) DO NOTHING"
)


CLOSE = (
    "INSERT INTO signed_days (date, size, root, kid, signature) SELECT %(date)s, %(size)s, %(root)s,"
    " %(kid)s, %(signature)s WHERE (SELECT count(*) FROM signed_heads WHERE date = %(date)s) = %(size)s"
    " ON CONFLICT (date) DO NOTHING"
)


HEADS = "SELECT match_id, version, head FROM signed_heads WHERE date = %s ORDER BY match_id"


DAYS = "SELECT date, size, root, kid, signature FROM signed_days"


SIGNED = "SELECT match_id, version, head, date, x, signature FROM signed_heads JOIN signing_keys USING (kid)"


class PostgresHeads:
    """The port `Heads`."""

    def __init__(self, datastore: Datastore) -> None:
        """Take the connections."""
        self._datastore = datastore
        self._reached = 0

    async def unsigned(self, most: int) -> Finals:
        """Return the next finished matches of the log, at most so many; branches of a match are left out."""

        def work() -> Finals:
            with self._datastore.get_connection() as connection:
                row = connection.execute(LEVEL, (NAME,)).fetchone()
            if row is not None and row["reached"] == row["newest"]:
                return Finals((), row["newest"], more=False)
            with self._datastore.transaction() as cursor:
                return _finals(cursor, most)

        return await self._datastore.run(work)

    async def keep(self, signed: Sequence[tuple[Final, Key, str]], reached: int) -> None:
        """Store signatures, the first one of each match for good, and how far in the log they reach."""
        rows = [
            (
                uuid_of(MatchId(final.head.match)),
                final.head.version,
                final.head.head,
                final.at.astimezone(UTC).date(),
                key.kid,
                signature,
            )
            for final, key, signature in signed
        ]

        if not rows and reached <= self._reached:
            return

        def work() -> None:
            with self._datastore.transaction() as cursor:
                if rows:
                    hold(cursor, ALONE)
                    cursor.executemany(KEEP, rows)
                cursor.execute(TRACK, (NAME, reached))

        await self._datastore.run(work)
        self._reached = reached

    async def open_day(self) -> str | None:
        """Return the first day that is not closed; None before the first match was signed."""
        (row,) = await self._datastore.execute(
            "SELECT coalesce((SELECT max(date) + 1 FROM signed_days), (SELECT min(date) FROM signed_heads))"
            " AS open"
        )
        return None if row["open"] is None else cast(date, row["open"]).isoformat()

    async def of_day(self, date: str) -> Sequence[Head]:
        """Return the heads of a day in the order of their matches."""
        return [head_in(row) for row in await self._datastore.execute(HEADS, (date,))]

    async def close(self, day: SignedDay, tree: Sequence[Level]) -> None:
        """Store a day with the levels of its tree; one that is closed stays, and one that has grown waits."""

        def work() -> None:
            with self._datastore.transaction() as cursor:
                hold(cursor, ALONE)
                if cursor.execute(CLOSE, msgspec.structs.asdict(day)).rowcount:
                    cursor.executemany(
                        "INSERT INTO day_levels (date, level, hashes) VALUES (%s, %s, %s)",
                        [(day.date, number, b"".join(level)) for number, level in enumerate(tree)],
                    )

        await self._datastore.run(work)

    async def signed(self, match: MatchId) -> SignedHead | None:
        """Return the signed head of a match, once there is one."""
        rows = await self._datastore.execute(f"{SIGNED} WHERE match_id = %s", (uuid_of(match),))
        return signed_in(rows[0]) if rows else None

    async def inclusion(self, match: MatchId) -> Inclusion | None:
        """Return the proof that a match is among those of its day, once that is closed."""
        rows = await self._datastore.execute(
            "SELECT date, size, (SELECT count(*) FROM signed_heads AS before"
            " WHERE before.date = day.date AND before.match_id < head.match_id) AS place"
            " FROM signed_heads AS head JOIN signed_days AS day USING (date) WHERE match_id = %s",
            (uuid_of(match),),
        )
        if not rows:
            return None
        day, size, place = (rows[0][field] for field in ("date", "size", "place"))
        wanted = list(neighbours(place, size))
        hashes = await self._datastore.execute(
            "SELECT substring(hashes FROM wanted.place * %s + 1 FOR %s) AS hash"
            " FROM unnest(%s::int[], %s::int[]) AS wanted (level, place)"
            " JOIN day_levels ON day_levels.date = %s AND day_levels.level = wanted.level"
            " ORDER BY wanted.level",
            (HASH_SIZE, HASH_SIZE, [level for level, _ in wanted], [place for _, place in wanted], day),
        )
        return Inclusion(place=place, path=tuple(written(bytes(row["hash"])) for row in hashes))

    async def day(self, date: str) -> SignedDay | None:
        """Return a day that is closed."""
        rows = await self._datastore.execute(f"{DAYS} WHERE date = %s", (date,))
        return day_in(rows[0]) if rows else None

    async def days(self, before: str | None, limit: int) -> list[SignedDay]:
        """Return days that are closed, newest first, older than `before`."""
        rows = await self._datastore.execute(
            f"{DAYS} WHERE %s::date IS NULL OR date < %s ORDER BY date DESC LIMIT %s", (before, before, limit)
        )
        return [day_in(row) for row in rows]


class Ending(Struct):
    """The part of a stored event that is signed."""

    at: datetime
    hash: str


class OpeningTerms(Struct):
    """The part of a match's terms that says whether it is signed."""

    branch_of: BranchOf | None = None


class OpeningEvent(Struct):
    """The part of a match's first event that has its terms."""

    terms: OpeningTerms


class Opening(Struct):
    """The part of a match's first stored event that has its terms."""

    event: OpeningEvent


_ENDING = msgspec.json.Decoder(Ending)


_OPENING = msgspec.json.Decoder(Opening)


def is_branch(opening: bytes) -> bool:
    """Return whether a match, of which this is the first stored event, is a branch: those are not signed."""
    return _OPENING.decode(opening).event.terms.branch_of is not None


def final_of(number: UUID, version: int, state: bytes) -> Final:
    """Return what is signed of a match whose last stored event this is."""
    ending = _ENDING.decode(state)
    return Final(head=Head(match=match_id(number), version=version, head=ending.hash), at=ending.at)


def signed_in(row: dict[str, Any]) -> SignedHead:
    """Return the signed head in a row of `SIGNED`."""
    return SignedHead(
        head=head_in(row),
        date=row["date"].isoformat(),
        key=key_of(read(row["x"])),
        signature=row["signature"],
    )


def day_in(row: dict[str, Any]) -> SignedDay:
    """Return the day in a row of `DAYS`."""
    return SignedDay(**{**row, "date": row["date"].isoformat()})


def head_in(row: dict[str, Any]) -> Head:
    """Return the head in a row of `HEADS` or `SIGNED`."""
    return Head(match=match_id(row["match_id"]), version=row["version"], head=row["head"])


def _finals(cursor: Cursor[Any], most: int) -> Finals:
    reached = cursor.execute(REACHED, (NAME,)).fetchone()
    after = 0 if reached is None else reached["reached"]
    up_to = newest(cursor)
    # Planned again each time: a plan made while the log was small reads all of it later on.
    rows = cursor.execute(FINALS, (after, up_to, FINISHED, most), prepare=False).fetchall()
    finals = []
    for row in rows:
        number, version = row["originator_id"], row["originator_version"]
        try:
            if not is_branch(bytes(row["opening"])):
                finals.append(final_of(number, version, bytes(row["state"])))
        except (msgspec.DecodeError, RecursionError, TypeError) as error:
            put_aside(cursor, number, version, f"it cannot be signed: {error}")
    more = len(rows) == most
    return Finals(tuple(finals), rows[-1]["notification_id"] if more else up_to, more)


def day_after(day: str) -> str:
    """Return the day after a day."""
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()
