"""Signed heads kept in memory."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC
from typing import cast
from uuid import UUID

import msgspec
from eventsourcing.persistence import ApplicationRecorder

from adapters.postgres.heads import FINISHED, day_after, final_of, is_branch
from domain.match.heads import Head, Inclusion, day_of
from domain.shared.merkle import Level
from services.proof.heads import Final, Finals, SignedDay, SignedHead
from services.proof.keys import Key
from services.shared.ids import MatchId


class MemoryHeads:
    """The port `Heads` over a log in memory."""

    def __init__(self, log: ApplicationRecorder) -> None:
        """Take the log, of which nothing is signed yet."""
        self._log = log
        self._reached = 0
        self._signed: dict[str, SignedHead] = {}
        self._days: dict[str, SignedDay] = {}

    async def unsigned(self, most: int) -> Finals:
        """Return the next finished matches of the log, at most so many; branches of a match are left out."""
        newest = self._log.max_notification_id() or 0
        found = self._log.select_notifications(
            self._reached, most, newest, [FINISHED], inclusive_of_start=False
        )
        finals = []
        for stored in found:
            number = cast(UUID, stored.originator_id)
            (opening,) = self._log.select_events(number, limit=1)
            with suppress(msgspec.DecodeError):
                if not is_branch(opening.state):
                    finals.append(final_of(number, stored.originator_version, stored.state))
        more = len(found) == most
        return Finals(tuple(finals), found[-1].id if more else newest, more)

    async def keep(self, signed: Sequence[tuple[Final, Key, str]], reached: int) -> None:
        """Store signatures, the first one of each match for good, and how far in the log they reach."""
        for final, key, signature in signed:
            day = final.at.astimezone(UTC).date().isoformat()
            if self._days:
                day = max(day, day_after(max(self._days)))
            kept = SignedHead(head=final.head, date=day, key=key, signature=signature)
            self._signed.setdefault(final.head.match, kept)
        self._reached = max(self._reached, reached)

    async def open_day(self) -> str | None:
        """Return the first day that is not closed; None before the first match was signed."""
        if self._days:
            return day_after(max(self._days))
        return min((signed.date for signed in self._signed.values()), default=None)

    async def of_day(self, date: str) -> Sequence[Head]:
        """Return the heads of a day in the order of their matches."""
        return sorted(signed.head for signed in self._signed.values() if signed.date == date)

    async def close(self, day: SignedDay, tree: Sequence[Level]) -> None:
        """Store a day with the levels of its tree; one that is closed stays, and one that has grown waits."""
        if len(await self.of_day(day.date)) == day.size:
            self._days.setdefault(day.date, day)

    async def signed(self, match: MatchId) -> SignedHead | None:
        """Return the signed head of a match, once there is one."""
        return self._signed.get(match)

    async def inclusion(self, match: MatchId) -> Inclusion | None:
        """Return the proof that a match is among those of its day, once that is closed."""
        signed = self._signed.get(match)
        if signed is None or signed.date not in self._days:
            return None
        _, included = day_of(signed.date, await self.of_day(signed.date))
        return dict(included)[signed.head]

    async def day(self, date: str) -> SignedDay | None:
        """Return a day that is closed."""
        return self._days.get(date)

    async def days(self, before: str | None, limit: int) -> list[SignedDay]:
        """Return days that are closed, newest first, older than `before`."""
        ordered = sorted(self._days.values(), key=lambda day: day.date, reverse=True)
        return [day for day in ordered if before is None or day.date < before][:limit]
