"""Play a match: a seat's command, carried out or only validated."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from domain.match import (
    AnyMatch,
    PlayerId,
    Reason,
    Resign,
    why_not,
)
from domain.shared.catalogues import clause_about
from domain.shared.game import AnyGame
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import Viewer, seated
from services.matches.access import acting_seat, check_known_to
from services.matches.decisions import Decisions, checked_key
from services.matches.loaded import LoadedMatch
from services.matches.views import SeenEvent, View, seen_events, source, view
from services.shared.errors import FailureReason, Malformed
from services.shared.ids import MatchId
from services.shared.time import Clock


class Answer(Struct, frozen=True, kw_only=True):
    """What a command led to.

    Attributes:
        key: The idempotency key, the server's own if the caller gave none.
        version: Version of the match after the command's last event.
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


class Commands:
    """The use case of giving a command."""

    def __init__(self, decisions: Decisions, clock: Clock) -> None:
        """Take what carries out commands, and the time."""
        self._decisions = decisions
        self._clock = clock

    async def submit(
        self,
        player: PlayerId,
        id: MatchId,
        read: Callable[[AnyGame], Any],
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
            read: Gives the command, which is of the game; called once at most, if the player may know of it.
            key: The idempotency key; None for a fresh one.
            expected_version: The version that the player decided on; None for whichever it is.
            validate_only: Whether nothing shall happen.
            seat: The seat, for a player who holds several; None for its own, or the lowest that is to act.

        Raises:
            NotFound: There is no such match, or none that the player may know of.
            Forbidden: The player has no seat in it, or not that one.
            Malformed: The command cannot be read, or is of another game.
            Rejected: The rules refuse it.
            Conflict: The match is not at the expected version.
            KeyReused: The key came with another command before.
        """
        key = checked_key(key)
        command = _Once(read)

        def order(live: LoadedMatch) -> tuple[Seat, Any]:
            check_known_to(live, player)
            wanted = command(live.game)
            return acting_seat(live.game, live.match, player, seat), wanted

        if validate_only:
            return await self._validated(id, order, key, expected_version)
        done = await self._decisions.carry_out(
            id,
            lambda live, _: order(live),
            by=player,
            key=key,
            asked=lambda game: [command(game), expected_version, seat],
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
        order: Callable[[LoadedMatch], tuple[Seat, Any]],
        key: str,
        expected_version: int | None,
    ) -> Answer:
        live = await self._decisions.matches.current(id)
        seat, command = order(live)
        if expected_version is not None and not live.stands_at(expected_version):
            raise await self._decisions.conflict(live, seat, expected_version)
        reason = why_not(live.game, live.match, seat, command, self._clock.now())
        if reason is Reason.OUT_OF_TIME and await self._decisions.settle(id):
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


class _Once:
    """Reads a command once, however often a match is looked at."""

    def __init__(self, read: Callable[[AnyGame], Any]) -> None:
        self._read = read
        self._command: Any = None

    def __call__(self, game: AnyGame) -> Any:
        """Return the command; fails if it cannot be read, or is of another game."""
        if self._command is None:
            command = self._read(game)
            if not isinstance(command, (Resign, *game.commands)):
                raise Malformed(
                    FailureReason.INVALID_FIELD,
                    field="command",
                    expected=f"a command of {game.id}",
                    clause=clause_about("command", game.id),
                )
            self._command = command
        return self._command
