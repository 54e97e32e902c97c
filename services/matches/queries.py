"""Read a match as a viewer."""

from typing import Any

from domain.match import (
    PlayerId,
)
from domain.shared.viewers import seated
from services.matches.access import acting_seat, check_known_to, viewer_of
from services.matches.decisions import Decisions
from services.matches.loaded import LoadedMatch
from services.matches.store import MatchWithoutState
from services.matches.views import SeenEvent, View, seen_events, source, view
from services.shared.errors import FailureReason, NotFound
from services.shared.ids import MatchId
from services.shared.pages import Page


class Queries:
    """What can be asked of a match."""

    def __init__(self, decisions: Decisions) -> None:
        """Take what holds matches, their log and their secrets."""
        self._live = decisions.matches
        self._store = decisions.store
        self._decisions = decisions

    async def read(
        self, id: MatchId, player: PlayerId | None, invitation: str | None = None
    ) -> MatchWithoutState:
        """Return a match without its table.

        Args:
            id: The match.
            player: Who asks; None without an account.
            invitation: The invitation to a private match, if it is shown.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        return (await self.known(id, player, invitation)).listed

    async def known(self, id: MatchId, player: PlayerId | None, invitation: str | None = None) -> LoadedMatch:
        """Return a match as the store has it now, to a player who may know of it.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        live = await self._live.current(id)
        secrets = None if invitation is None else await self._decisions.secrets(id)
        check_known_to(live, player, secrets, invitation)
        return live

    async def view(
        self,
        id: MatchId,
        player: PlayerId | None,
        *,
        version: int | None,
        looking_as: str | None,
        invitation: str | None = None,
    ) -> View[Any, Any]:
        """Return a match as a viewer may see it, now or at a version.

        Raises:
            NotFound: There is no such match or version, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        live = await self.known(id, player, invitation)
        viewer = viewer_of(live, player, looking_as)
        if version is None or version == live.version:
            return view(live.game, id, live.match, live.version, viewer)
        if not 1 <= version < live.version:
            raise NotFound(FailureReason.NO_SUCH_VERSION, version=version, latest=live.version)
        await self._store.complete(id, live.version)
        past = await self._live.at_version(id, version)
        return view(past.game, id, past.match, version, viewer)

    async def legal_moves(
        self, id: MatchId, player: PlayerId, invitation: str | None = None
    ) -> View[Any, Any]:
        """Return the view of the player's seat, with its legal moves; in a branch of the lowest to act.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player has no seat in it.
        """
        live = await self.known(id, player, invitation)
        seat = acting_seat(live.game, live.match, player, None)
        return view(live.game, id, live.match, live.version, seated(seat))

    async def events(
        self,
        id: MatchId,
        player: PlayerId | None,
        *,
        after: int,
        size: int,
        looking_as: str | None,
        invitation: str | None = None,
    ) -> Page[SeenEvent[Any]]:
        """Return the events after a version as a viewer may see them, in order.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        live = await self.known(id, player, invitation)
        viewer, latest = viewer_of(live, player, looking_as), live.version
        await self._store.complete(id, latest)
        # None of those that follow meanwhile: the seat may be another's by then.
        events = await self._store.read(id, after, min(after + size, latest))
        last = events[-1].version if events else after
        seen = seen_events(source(live, await self._decisions.secrets(id)), events, viewer)
        return Page(seen, str(last) if last < latest else None)
