"""Open and play matches; read them as a viewer."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from secrets import token_bytes
from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.match import (
    AnyMatch,
    Branched,
    ChatMode,
    Disclosure,
    Holder,
    HolderKind,
    LobbyCommand,
    MemoryAid,
    OnTimeOut,
    Opened,
    PlayerId,
    Reason,
    Resign,
    Started,
    StartMode,
    TakeSeat,
    Terms,
    TimeControl,
    Visibility,
    decide,
    open_match,
    why_not,
)
from domain.shared.catalogues import clause_about
from domain.shared.chance import seed_commitment
from domain.shared.game import AnyGame, Game, Games, edition
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer, seated
from services.lobby.match_list import ListPlace, MatchFilter, MatchList
from services.matches.access import acting_seat, check_known_to, may_know, viewer_of
from services.matches.decisions import Decisions, chance_of, checked_key, digest_of
from services.matches.envelopes import Decision, Envelopes
from services.matches.loaded import Live, opened
from services.matches.outages import NoOutages, Outages
from services.matches.same_terms import fit_of
from services.matches.store import EventStore, Listed, Opening, Recorded, Secrets, Seeds, VersionTaken
from services.matches.views import SeenEvent, View, seen_events, source, view
from services.players.quotas import Holding, QuotaKind
from services.shared.errors import KeyReused, Malformed, NotFound, Unauthenticated, Unavailable
from services.shared.ids import MatchId, match_id, new_uuid, parsed
from services.shared.pages import Page, page_token, position_of
from services.shared.remembered import Remembered
from services.shared.time import Clock
from services.streams.match_stream import Watch
from services.streams.presence import PresenceLog

LONGEST_ENTROPY = 256
READINESS = 1.0
"""Seconds for which it is remembered whether the store answers."""


class Proposal(Struct, frozen=True, kw_only=True):
    """A match that a player wants to open.

    Attributes:
        game: The game's id.
        options: The game's options.
        seats: Number of seats; None for the game's fewest.
        seat: The seat that the opener takes; None for none.
        visibility: Who may know of the match.
        disclosure: What everybody may see after the end.
        memory_aid: Whether views of a game that has a memory aid show it.
        start: What begins the match once its seats are taken.
        time_control: How much time the seats have.
        on_time_out: What becomes of a seat whose time is up.
        chat: Whether there is talk.
        rated: Whether the outcome counts for ratings, if the match is public and has more than one seat.
        entropy: The opener's own contribution to chance.
        kind: What the opener's seat is held by.
        rematch_of: The match that is played again; None for none.
    """

    game: str
    options: Any
    seats: int | None = None
    seat: int | None = None
    visibility: Visibility = Visibility.PUBLIC
    disclosure: Disclosure = Disclosure.AT_END
    memory_aid: MemoryAid = MemoryAid.ON
    start: StartMode = StartMode.AUTO
    time_control: TimeControl = TimeControl()
    on_time_out: OnTimeOut = OnTimeOut.RESIGN
    chat: ChatMode = ChatMode.ON
    rated: bool = True
    entropy: str = ""
    kind: HolderKind = HolderKind.HUMAN
    rematch_of: MatchId | None = None


class Answer(Struct, frozen=True, kw_only=True):
    """What a command led to.

    Attributes:
        key: The idempotency key, the server's own if the caller gave none.
        version: Version of the match behind the command's last event.
        events: What happened, as the acting seat may see it; empty if it was only validated.
        id: The match.
        match: The match at that version.
        game: Its game.
        viewer: The acting seat.
    """

    key: str
    version: int
    events: tuple[SeenEvent[Any], ...]
    id: MatchId
    match: AnyMatch
    game: AnyGame
    viewer: Viewer

    @property
    def view(self) -> View[Any, Any]:
        """The match at that version as the acting seat may see it; made when it is asked for."""
        return view(self.game, self.id, self.match, self.version, self.viewer)


class Matches:
    """The use cases around a match; with the lobby, everything that a face of the API calls.

    Attributes:
        games: The registered games by id.
        max_commands: The most commands of a match that is opened from now on; None for no limit.
        decisions: What carries out commands.
        feeds: What happens in the matches that are watched.
        ready: Whether the store answers.
    """

    def __init__(
        self,
        *,
        games: Games,
        store: EventStore,
        seeds: Seeds,
        match_list: MatchList,
        presence: PresenceLog,
        clock: Clock,
        remembered: int,
        remembered_events: int,
        snapshot_every: int,
        max_commands: int | None = None,
        outages: Outages | None = None,
    ) -> None:
        """Take what the use cases need.

        Args:
            games: The registered games by id.
            store: The log of all matches.
            seeds: The secrets of matches.
            match_list: The list of matches.
            presence: What processes share of who is there.
            clock: The time.
            remembered: How many folded matches are kept in memory.
            remembered_events: How many events these may have in all.
            snapshot_every: How many events lie between two snapshots of a match.
            max_commands: The most commands of a match that is opened from now on; None for no limit.
            outages: When the service was away; None for never.
        """
        self.games = games
        self.max_commands = max_commands
        self.decisions = Decisions(
            games=games,
            store=store,
            seeds=seeds,
            presence=presence,
            clock=clock,
            remembered=remembered,
            remembered_events=remembered_events,
            snapshot_every=snapshot_every,
            outages=outages or NoOutages(),
        )
        self.feeds = self.decisions.feeds
        self._store = store
        self._seeds = seeds
        self._match_list = match_list
        self._clock = clock
        self._live = self.decisions.live
        self.ready = Remembered(self._answers, READINESS)

    def game(self, id: str, ruleset: str | None = None) -> AnyGame:
        """Return a game, in its newest edition or in that of a ruleset.

        Raises:
            NotFound: There is none of this id, or it has no such ruleset.
        """
        if (game := self.games.get(id)) is None:
            raise NotFound("NO_SUCH_GAME", game=id)
        if (found := edition(game, game.ruleset if ruleset is None else ruleset)) is None:
            raise NotFound("NO_SUCH_RULESET", game=id, ruleset=ruleset)
        return found

    async def open(
        self,
        player: PlayerId,
        proposal: Proposal,
        key: str | None,
        *,
        number: UUID | None = None,
        owner: UUID | None = None,
        then: Sequence[LobbyCommand] = (),
    ) -> tuple[str, Listed]:
        """Open a match, seat its opener, and start it if that fills it.

        Args:
            player: Who opens it.
            proposal: What is wanted.
            key: The idempotency key; None for a fresh one.
            number: What the match's id is made from; None for a fresh one. A key used before keeps its match.
            owner: The match whose key it is instead of the opener's; whoever opens first is the opener.
            then: What is done in the same step, behind the opening.

        Returns:
            The idempotency key and the match as it was then: a key used before gives the same answer again.

        Raises:
            NotFound: There is no such game.
            Rejected: The game is not played by that many, has no such seat, or not with these terms.
            TooMany: It waits for others, and the player has as many such matches as it may have.
            KeyReused: The key came with another proposal before.
        """
        game = self.game(proposal.game)
        key = checked_key(key)
        check_entropy(proposal.entropy)
        now = self._clock.now()
        if proposal.seat is not None:
            then = (TakeSeat(Seat(proposal.seat), Holder(player, proposal.kind, proposal.entropy)), *then)
        by = player if owner is None else None

        def events_of(opening: Opening) -> Sequence[Recorded]:
            terms = terms_of(game, player, proposal, opening.secrets, self.max_commands)
            return opening_events(game, terms, opening, then, by, key, now)

        return key, await self.opened(
            owner or uuid_of(player), key, digest_of(proposal), events_of, number or new_uuid(now), player
        )

    async def opened(
        self,
        owner: UUID,
        key: str,
        digest: str,
        events_of: Callable[[Opening], Sequence[Recorded]],
        number: UUID,
        opener: PlayerId,
    ) -> Listed:
        """Open a match with these events, once for its owner and key.

        Args:
            owner: The player or match whose key it is.
            key: The idempotency key.
            digest: SHA-256 of what was asked, in hexadecimal.
            events_of: Gives the events of the match that was put down; fails if it cannot be opened.
            number: What the match's id is made from, unless the key was used before.
            opener: Who opens it.

        Returns:
            The match as it was then.

        Raises:
            TooMany: The match waits for others, and its opener has as many such as it may have.
            KeyReused: The key came with something else before.
        """
        wanted = Opening(number, Secrets(token_bytes(32), token_bytes(16)), digest)
        # What cannot be opened is refused here, before anything is put down.
        holding = _held(opener, number, events_of(wanted))
        opening = await self._seeds.claim(owner, key, wanted, self._clock.now(), holding)
        if opening.digest != wanted.digest:
            raise KeyReused
        events = events_of(opening)
        id = match_id(opening.match)
        entry = self._live.entry(id)
        async with entry.lock:
            if entry.live is not None:
                # What is remembered may be lost, all of it.
                with suppress(NotFound):
                    await self._live.refresh(entry.live)
                    return await self._as_opened(entry.live, len(events))
            live = self._live.keep(entry, await self._stored_opening(id, events))
            return await self._as_opened(live, len(events))

    async def _as_opened(self, live: Live, version: int) -> Listed:
        """Return a match as it was behind its opening."""
        if live.version == version:
            return live.listed
        return (await self._live.at_version(live.id, version)).listed

    async def _stored_opening(self, id: MatchId, events: Sequence[Recorded]) -> Live:
        """Store the opening of a match, and return the match; one that was opened before stays as it is."""
        try:
            return await self._live.at_version(id)
        except NotFound:
            pass
        try:
            await self.decisions.append(id, events)
        except VersionTaken:
            return await self._live.at_version(id)
        return opened(self.games, id, events)

    async def submit(
        self,
        player: PlayerId,
        id: MatchId,
        command: Any,
        *,
        key: str | None,
        expected_version: int | None,
        validate_only: bool,
        seat: int | None = None,
    ) -> Answer:
        """Carry out a command of the player's seat, or only say whether it would be accepted.

        Args:
            player: Who gives the command.
            id: The match.
            command: The command.
            key: The idempotency key; None for a fresh one.
            expected_version: The version that the player decided on; None for whichever it is.
            validate_only: Whether nothing shall happen.
            seat: The seat, for a player who holds several; None for its own, or the lowest that is to act.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player has no seat in it, or not that one.
            Malformed: The command is of another game.
            Rejected: The rules refuse it.
            Conflict: The match is not at the expected version.
            KeyReused: The key came with another command before.
        """
        key = checked_key(key)

        def authorise(live: Live) -> Seat:
            check_known_to(live, player)
            if not isinstance(command, (Resign, *live.game.commands)):
                raise Malformed(
                    "INVALID_FIELD",
                    field="command",
                    expected=f"a command of {live.game.id}",
                    clause=clause_about("command", live.game.id),
                )
            return acting_seat(live.game, live.match, player, seat)

        if validate_only:
            return await self._validated(id, authorise, command, key, expected_version)
        done = await self.decisions.carry_out(
            id,
            lambda live, _: (authorise(live), command),
            by=player,
            key=key,
            asked=[command, expected_version, seat],
            expected_version=expected_version,
        )
        if done.seat is None:
            raise ValueError("a seat's command has a seat")
        viewer = seated(done.seat)
        return Answer(
            key=key,
            version=done.version,
            events=seen_events(source(done.live, done.secrets), done.events, viewer),
            id=id,
            match=done.match,
            game=done.live.game,
            viewer=viewer,
        )

    async def _validated(
        self,
        id: MatchId,
        authorise: Callable[[Live], Seat],
        command: Any,
        key: str,
        expected_version: int | None,
    ) -> Answer:
        live = await self._live.current(id)
        seat = authorise(live)
        if expected_version is not None and not live.stands_at(expected_version):
            raise await self.decisions.conflict(live, seat, expected_version)
        reason = why_not(live.game, live.match, seat, command, self._clock.now())
        if reason is Reason.OUT_OF_TIME and await self.decisions.settle(id):
            reason = why_not(live.game, live.match, seat, command, self._clock.now())
        if reason:
            raise Rejected(reason, seat=seat)
        return Answer(
            key=key,
            version=live.version,
            events=(),
            id=id,
            match=live.match,
            game=live.game,
            viewer=seated(seat),
        )

    async def _answers(self) -> bool:
        try:
            return await self._store.answers()
        except Unavailable:
            return False

    async def drain(self) -> None:
        """Finish what is being stored; nothing more may be asked for."""
        await self.decisions.drain()

    async def game_of(self, id: MatchId, player: PlayerId) -> AnyGame:
        """Return the game of a match.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        entry = self._live.entry(id)
        live = entry.live or await self._live.current(id)
        try:
            check_known_to(live, player)
        except NotFound:
            check_known_to(await self._live.current(id), player)
        return live.game

    async def read(self, id: MatchId, player: PlayerId | None, invitation: str | None = None) -> Listed:
        """Return a match without its table.

        Args:
            id: The match.
            player: Who asks; None without an account.
            invitation: The invitation to a private match, if it is shown.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        return (await self.known(id, player, invitation)).listed

    async def known(self, id: MatchId, player: PlayerId | None, invitation: str | None = None) -> Live:
        """Return a match as the store has it now, to a player who may know of it.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
        """
        live = await self._live.current(id)
        secrets = None if invitation is None else await self.decisions.secrets(id)
        check_known_to(live, player, secrets, invitation)
        return live

    async def page(
        self,
        player: PlayerId | None,
        wanted: MatchFilter,
        *,
        after: str | None,
        size: int,
    ) -> Page[Listed]:
        """Return matches that the player may know of, newest first.

        Raises:
            NotFound: There is no game of this id.
            Unauthenticated: Whose turn it should be is not known.
            Malformed: The player that is wanted is none, or no page of this list gave `after`.
        """
        if wanted.game is not None:
            self.game(wanted.game)
        if wanted.player is not None and parsed("player", wanted.player) is None:
            raise Malformed("INVALID_FIELD", field="player", expected="a player's id")
        if wanted.my_turn and player is None:
            raise Unauthenticated("TOKEN_MISSING")
        behind = None
        if after is not None:
            behind = position_of(after, _place, "matches", wanted)
        found = await self._match_list.page(player, wanted, behind=behind, limit=size + 1)
        if len(found) <= size:
            return Page(tuple(found), None)
        last = found[size - 1]
        position = f"{last.opened_at.isoformat()} {last.id}"
        return Page(tuple(found[:size]), page_token(position, "matches", wanted))

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
            raise NotFound("NO_SUCH_VERSION", version=version, latest=live.version)
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
        """Return the events behind a version as a viewer may see them, in order.

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
        seen = seen_events(source(live, await self.decisions.secrets(id)), events, viewer)
        return Page(seen, str(last) if last < latest else None)

    async def watch(
        self,
        id: MatchId,
        player: PlayerId | None,
        *,
        after: int | None,
        looking_as: str | None,
        invitation: str | None = None,
        unseen: bool = False,
    ) -> Watch:
        """Return a watch of a match as a viewer may see it; whoever takes it must `leave` it.

        Args:
            id: The match.
            player: Who watches; None without an account.
            after: The version behind which to begin; None begins with a snapshot.
            looking_as: From where, as for `view`.
            invitation: The invitation to a private match, if it is shown.
            unseen: Whether nobody is told that the player is there: it wants to know only what would come.

        Raises:
            NotFound: There is no such match or version, or none that the player may know of.
            Forbidden: The player may not look from there.
        """
        channel = self.feeds.join(id)
        try:
            live = await self.known(id, player, invitation)
            secrets = await self.decisions.secrets(id)
            await self.feeds.presences.load(id, channel)
            # As it stands now: while the secrets were read the player may have lost its seat.
            check_known_to(live, player, secrets, invitation)
            viewer = viewer_of(live, player, looking_as)
            by_link = not may_know(live.match, player)
            await self._store.complete(id, live.version)
            return self.feeds.watch(
                channel, live, secrets, player, viewer, after, by_link=by_link, unseen=unseen
            )
        except BaseException:
            self.feeds.part(channel)
            raise


def _held(opener: PlayerId, number: UUID, events: Sequence[Recorded]) -> Holding | None:
    """Return the open match that a player has by opening it so; None if it begins at once."""
    first = events[0].event
    if not isinstance(first, Opened) or any(isinstance(one.event, Started | Branched) for one in events):
        return None
    fit = fit_of(first.terms)
    return Holding(opener, QuotaKind.OPEN, match_id(number), events[0].at, fit=fit)


def check_entropy(entropy: str) -> None:
    """Refuse entropy that cannot be shown.

    Raises:
        Malformed: It is too long, or has characters that cannot be shown.
    """
    if len(entropy) > LONGEST_ENTROPY or not entropy.isprintable():
        raise Malformed("INVALID_FIELD", field="entropy", expected="at most 256 printable characters")


def terms_of[O](
    game: Game[Any, Any, Any, O],
    opener: PlayerId,
    proposal: Proposal,
    secrets: Secrets,
    max_commands: int | None = None,
) -> Terms[O]:
    """Return the terms of a match that is opened as proposed, with so many commands at most."""
    seats = game.min_seats if proposal.seats is None else proposal.seats
    return Terms(
        game=game.id,
        ruleset=game.ruleset,
        options=proposal.options,
        seats=seats,
        opener=opener,
        visibility=proposal.visibility,
        disclosure=proposal.disclosure,
        memory_aid=proposal.memory_aid,
        seed_commitment=seed_commitment(secrets.seed),
        start=proposal.start,
        time_control=proposal.time_control,
        on_time_out=proposal.on_time_out,
        chat=proposal.chat,
        # A private match is nobody's business but its players': no number that others see may tell of it.
        rated=proposal.rated and seats > 1 and proposal.visibility is Visibility.PUBLIC,
        rematch_of=proposal.rematch_of,
        max_commands=UNSET if max_commands is None else max_commands,
    )


def opening_events(
    game: AnyGame,
    terms: Terms[Any],
    opening: Opening,
    then: Sequence[LobbyCommand],
    by: PlayerId | None,
    key: str,
    at: datetime,
) -> Sequence[Recorded]:
    """Return the events that open a match on its terms, and those of the commands that follow at once.

    Raises:
        Rejected: The game is not played by that many, has no such seat, or not with these terms.
    """
    id, seed = match_id(opening.match), opening.secrets.seed
    envelopes = Envelopes(game, id, seed)
    opening_of = Decision(at=at, seat=None, command=None, by=by, key=key, digest=opening.digest)
    events, match = open_match(game, terms)
    recorded = envelopes.wrap(opening_of, events, match)
    for number, command in enumerate(then):
        chance = chance_of(match, seed, id, len(recorded), command)
        events, match = decide(game, match, None, command, chance, at, commands=number)
        seat = command.seat if isinstance(command, TakeSeat) else None
        recorded += envelopes.wrap(replace(opening_of, seat=seat, command=command), events, match)
    return recorded


def _place(written: str) -> ListPlace:
    """Return the place in the list of matches that a token's text names: when one was opened, and its id."""
    at, match = written.split()
    opened_at = datetime.fromisoformat(at)
    if opened_at.tzinfo is None or parsed("match", match) is None:
        raise ValueError(f"{written} is no place in the list")
    return ListPlace(opened_at, MatchId(match))


def uuid_of(player: PlayerId) -> UUID:
    """Return what a player's id is made from."""
    number = parsed("player", player)
    if number is None:
        raise ValueError(f"{player} is no player")
    return number
