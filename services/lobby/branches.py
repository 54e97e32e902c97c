"""What if: a match played on from one of its past versions, as a match of its own."""

from collections.abc import Sequence

from msgspec import UNSET

from domain.match import BranchOf, Holder, HolderKind, MatchStatus, PlayerId, branch_off, branch_terms
from domain.shared.chance import decision_chance, seed_commitment
from domain.shared.viewers import ALL_SEEING, Viewer
from services.matches.access import is_disclosed, viewer_of
from services.matches.catalogue import Catalogue
from services.matches.decisions import checked_key, digest_of
from services.matches.loaded import LoadedMatch, LoadedMatches
from services.matches.opening import Openings, opening_events
from services.matches.queries import Queries
from services.matches.store import ClaimedOpening, MatchWithoutState, Recorded
from services.shared.errors import FailureReason, NotFound
from services.shared.ids import MatchId, match_id, new_uuid, number_of
from services.shared.time import Clock


class Branches:
    """The use case of playing a match on from a past version."""

    def __init__(
        self, catalogue: Catalogue, openings: Openings, queries: Queries, live: LoadedMatches, clock: Clock
    ) -> None:
        """Take the games, what opens, reads and remembers matches, and the time."""
        self._catalogue = catalogue
        self._openings = openings
        self._queries = queries
        self._live = live
        self._clock = clock

    async def branch(
        self,
        player: PlayerId,
        id: MatchId,
        version: int,
        looking_as: str | None,
        key: str | None,
        *,
        kind: HolderKind = HolderKind.HUMAN,
        invitation: str | None = None,
    ) -> tuple[str, MatchWithoutState]:
        """Open a branch, in which the player holds all seats.

        What the player cannot know from where it looks is drawn again; nothing else of the match is in it.

        Args:
            player: Who wants to play on.
            id: The match.
            version: How many events it had. In the midst of what a command brought about it stands for the
                version after that, or for the one before if the match ended with it.
            looking_as: From where, as for a view; if it is None, from everywhere if the match discloses that.
            key: The idempotency key; None for a fresh one.
            kind: What the seats are held by.
            invitation: The invitation to a private match, if it is shown.

        Returns:
            The idempotency key, and the branch as it was then.

        Raises:
            NotFound: There is no such match or version, or none that the player may know of.
            Malformed: There is no such viewer.
            Forbidden: The player may not look from there.
            Rejected: The match was not being played at that version.
            KeyReused: The key came with something else before.
        """
        key = checked_key(key)
        live = await self._queries.known(id, player, invitation)
        viewer = _viewer(live, player, looking_as)
        past = await self._past(live, version)
        now, match, game = self._clock.now(), past.match, live.game
        branch_of = BranchOf(id, past.version, viewer.kind, viewer.seat)
        holder = Holder(player, kind, "")

        def events_of(opening: ClaimedOpening) -> Sequence[Recorded]:
            seed = opening.secrets.seed
            chance = decision_chance(seed, match_id(opening.match), ("",) * match.terms.seats, 0)
            limit = self._catalogue.max_commands
            terms = branch_terms(
                match.terms, player, seed_commitment(seed), branch_of, UNSET if limit is None else limit
            )
            begun = branch_off(game, match, viewer, holder, chance)
            return opening_events(game, terms, opening, (begun,), player, key, now)

        digest = digest_of(["branch", id, version, looking_as])
        return key, await self._openings.opened(
            number_of("player", player), key, digest, events_of, new_uuid(now), player
        )

    async def _past(self, live: LoadedMatch, version: int) -> LoadedMatch:
        """Return a match as it stood when somebody was to choose, at a version or close to it.

        Raises:
            NotFound: There is no such version.
        """
        if not 1 <= version <= live.version:
            raise NotFound(FailureReason.NO_SUCH_VERSION, version=version, latest=live.version)
        past = await self._live.at_version(live.id, version)
        if past.match.status is MatchStatus.PLAYING:
            command = next(done for done in live.done.values() if done.first <= version <= done.last)
            for reached in filter(None, (command.last, command.first - 1)):
                whole = await self._live.at_version(live.id, reached)
                if whole.match.status is MatchStatus.PLAYING:
                    return whole
        return past


def _viewer(live: LoadedMatch, player: PlayerId, looking_as: str | None) -> Viewer:
    """Return from where a player looks: from everywhere if the match discloses that, as for a view if not."""
    if looking_as is None and is_disclosed(live.match):
        return ALL_SEEING
    return viewer_of(live, player, looking_as)
