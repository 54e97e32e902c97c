"""What proves a match: its bundle, its head, its day, and the keys that signed them."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from datetime import date as calendar_date
from itertools import batched

from msgspec import Struct

from domain.match import MatchStatus, PlayerId
from domain.match.heads import Inclusion
from domain.shared.chain import written
from domain.shared.viewers import Viewer, sees_all
from services.matches.access import check_known_to, is_disclosed, viewer_of
from services.matches.decisions import Decisions
from services.matches.loaded import LoadedMatch
from services.matches.queries import Queries
from services.matches.store import EventStore
from services.matches.views import Source, seen_event, source
from services.proof.bundles import EndLine, Header, event_line, written_line
from services.proof.heads import Heads, Keys, SignedDay, SignedHead
from services.proof.keys import Key
from services.shared.errors import FailureReason, Malformed, NotFound, Unavailable
from services.shared.ids import MatchId
from services.shared.pages import Page, cut

PAGE = 100
"""How many events of a bundle are in memory at once."""
TOGETHER = 20
"""How many of them are written in one turn of the event loop."""


class MatchProof(Struct, frozen=True, kw_only=True):
    """What the server stands by of a match.

    Attributes:
        match: The match.
        version: How many events it has.
        head: Hash of the last one.
        seed_commitment: What the match committed to before it began: `sha256:` and SHA-256 of the seed.
        seed: The seed in base64url, once the match has finished, if it discloses; else None.
        kid: Id of the key that signed the head, once it is signed, moments after the match finished.
        signature: The signature of the head, in base64url; None before it is signed.
        day: The day under which the head is published, once that is closed.
        inclusion: What proves that the head is among those of the day, once that is closed.
    """

    match: MatchId
    version: int
    head: str
    seed_commitment: str
    seed: str | None
    kid: str | None
    signature: str | None
    day: SignedDay | None
    inclusion: Inclusion | None


class Export(Struct, frozen=True):
    """A bundle that can be fetched.

    Attributes:
        match: The match.
        viewer: For whom it is.
        events: How many events it has.
        parts: Its lines, some at a time; read as they are fetched.
    """

    match: MatchId
    viewer: Viewer
    events: int
    parts: AsyncGenerator[Sequence[bytes]]

    @property
    def name(self) -> str:
        """What a file with the bundle is called."""
        seat = "" if self.viewer.seat is None else f"-{self.viewer.seat}"
        return f"{self.match}-{self.viewer.kind}{seat}.ndjson"


class Proofs:
    """The use cases around proof."""

    def __init__(
        self, queries: Queries, decisions: Decisions, store: EventStore, heads: Heads, keys: Keys
    ) -> None:
        """Take what can be asked of matches, their secrets and log, what is signed of them, and keys."""
        self._queries = queries
        self._decisions = decisions
        self._store = store
        self._heads = heads
        self._keys = keys

    async def export(
        self, id: MatchId, player: PlayerId | None, *, looking_as: str | None, invitation: str | None = None
    ) -> Export:
        """Return the bundle of a match as a viewer may see it now.

        Args:
            id: The match.
            player: Who asks; None without an account.
            looking_as: For whom: a seat's number, `spectator` or `all`; None for the own seat or a spectator.
            invitation: The invitation to a private match, if it is shown.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        live = await self._queries.known(id, player, invitation)
        secrets, signed = await self._decisions.secrets(id), await self._signed(live)
        await self._store.complete(id, live.version)
        # From here to the end as it stands now: meanwhile the player may have lost its seat to another.
        check_known_to(live, player, secrets, invitation)
        viewer, terms = viewer_of(live, player, looking_as), live.match.terms
        header = Header(
            game=terms.game,
            match=id,
            ruleset=terms.ruleset,
            seats=terms.seats,
            seed=written(secrets.seed) if sees_all(viewer) else None,
            viewer=viewer,
        )
        end = EndLine(
            version=live.version,
            head=live.head,
            signature=None if signed is None else signed.signature,
            key=None if signed is None else signed.key,
        )
        return Export(id, viewer, live.version, self._parts(header, source(live, secrets), end))

    async def _parts(self, header: Header, shown: Source, end: EndLine) -> AsyncGenerator[Sequence[bytes]]:
        yield [written_line(header)]
        version = 0
        while version < end.version:
            events = await self._store.read(shown.id, version, min(version + PAGE, end.version))
            if not events:
                raise Unavailable
            for some in batched(events, TOGETHER):
                yield [written_line(event_line(seen_event(shown, event, header.viewer))) for event in some]
                # Anyone who takes it may not have to wait: others get their turn all the same.
                await asyncio.sleep(0)
            version = events[-1].version
        yield [written_line(end)]

    async def proof(self, id: MatchId, player: PlayerId | None, invitation: str | None = None) -> MatchProof:
        """Return what the server stands by of a match.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        live = await self._queries.known(id, player, invitation)
        terms = live.match.terms
        disclosed = is_disclosed(live.match)
        secrets = await self._decisions.secrets(id) if disclosed else None
        signed = await self._signed(live)
        inclusion = None if signed is None else await self._heads.inclusion(id)
        return MatchProof(
            match=id,
            version=live.version,
            head=live.head,
            seed_commitment=terms.seed_commitment,
            seed=None if secrets is None else written(secrets.seed),
            kid=None if signed is None else signed.key.kid,
            signature=None if signed is None else signed.signature,
            day=None if signed is None or inclusion is None else await self._heads.day(signed.date),
            inclusion=inclusion,
        )

    async def _signed(self, live: LoadedMatch) -> SignedHead | None:
        return await self._heads.signed(live.id) if live.match.status is MatchStatus.FINISHED else None

    async def day(self, date: str) -> SignedDay:
        """Return a day that is closed.

        Raises:
            Malformed: It is no date.
            NotFound: The day is not closed yet, or was before the first match.
        """
        _check_date(date, "date", "a date such as 2026-11-30")
        if found := await self._heads.day(date):
            return found
        raise NotFound(FailureReason.NO_SUCH_DAY, date=date)

    async def days(self, *, after: str | None, size: int) -> Page[SignedDay]:
        """Return the days that are closed, newest first.

        Raises:
            Malformed: `after` is not where a page ended.
        """
        if after is not None:
            _check_date(after, "page_token", "a token that a page gave")
        found = await self._heads.days(after, size + 1)
        return cut(found, size, lambda last: last.date)

    async def keys(self) -> Sequence[Key]:
        """Return all keys: the one that signs now, then those that did before."""
        return await self._keys.published()


def _check_date(text: str, field: str, expected: str) -> None:
    try:
        if calendar_date.fromisoformat(text).isoformat() == text:
            return
    except ValueError:
        pass
    raise Malformed(FailureReason.INVALID_FIELD, field=field, expected=expected)
