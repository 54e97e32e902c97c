"""The list of matches, made in memory."""

from msgspec.structs import replace

from adapters.memory.history import MemoryHistory
from adapters.postgres.read_models.match_list import Standing, seated_in, standing_of
from adapters.postgres.read_models.match_pages import standings_of
from adapters.postgres.read_models.model import Happened
from domain.match import PlayerId, Visibility
from domain.match.concerns import may_know
from services.lobby.match_list import ListPlace, MatchFilter
from services.matches.same_terms import fit_of
from services.matches.store import MatchWithoutState
from services.shared.ids import MatchId, match_id


class MemoryMatchList:
    """The port `MatchList` over what has happened."""

    def __init__(self, history: MemoryHistory) -> None:
        """Take what has happened."""
        self._history = history

    async def page(
        self, viewer: PlayerId | None, wanted: MatchFilter, *, place: ListPlace | None, limit: int
    ) -> list[MatchWithoutState]:
        """Return matches that the viewer may know of, newest first."""

        def is_wanted(one: Happened) -> bool:
            match = one.match
            return (
                may_know(match, viewer)
                and wanted.game in (None, match.terms.game)
                and standing_of(match) in standings_of(wanted)
                and (wanted.player is None or wanted.player in seated_in(match))
                and (not wanted.my_turn or viewer in _acting(one))
                and (wanted.created_after is None or one.opened_at > wanted.created_after)
                and (wanted.created_before is None or one.opened_at < wanted.created_before)
                and (place is None or _place(one) < place)
            )

        found = sorted(filter(is_wanted, self._history.last.values()), key=_place, reverse=True)
        return [
            MatchWithoutState(
                id=match_id(one.number),
                opened_at=one.opened_at,
                match=replace(one.match, clocks=None),
                version=one.recorded.version,
            )
            for one in found[:limit]
        ]

    def fitting(self, fit: str) -> dict[MatchId, list[PlayerId]]:
        """Return who sits in the public matches on the same terms with a free seat, the fullest first."""
        found = [
            one
            for one in self._history.last.values()
            if one.match.terms.visibility is Visibility.PUBLIC
            and standing_of(one.match) is Standing.OPEN
            and fit_of(one.match.terms) == fit
        ]
        found.sort(key=lambda one: (one.match.holders.count(None), _place(one)))
        return {match_id(one.number): seated_in(one.match) for one in found}


def _place(one: Happened) -> ListPlace:
    return ListPlace(one.opened_at, match_id(one.number))


def _acting(one: Happened) -> list[PlayerId]:
    return [holder.player for seat in one.to_act if (holder := one.match.holders[seat]) is not None]
