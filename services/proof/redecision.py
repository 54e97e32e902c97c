"""A match told again from its seed: what had to happen, and what each audience had to be shown of it."""

from typing import Any

from domain.match import LOBBY_COMMANDS, AnyMatch, Opened, commands_after, decide, open_match
from domain.match.proof import Fact, Link, link
from domain.shared.chain import salts
from domain.shared.chance import Chance
from domain.shared.game import AnyGame
from domain.shared.outcomes import Outcome
from domain.shared.rejections import Rejected
from services.matches.decisions import chance_of
from services.shared.ids import MatchId


class Deviation(Exception):  # noqa: N818 - an answer about the match
    """Something else had to happen; the message says what, for people."""


class Retelling:
    """A match told again, as far as its events have been taken in.

    Attributes:
        commands: How many commands were decided again.
        draws: How many shuffles and draws that took.
    """

    __slots__ = ("_due", "_game", "_given", "_id", "_last", "_match", "_seed", "commands", "draws")

    def __init__(self, game: AnyGame, id: MatchId, seed: bytes) -> None:
        """Begin before the first event."""
        self._game = game
        self._id = id
        self._seed = seed
        self._match: AnyMatch | None = None
        self._due: tuple[object, ...] = ()
        self._last: Fact | None = None
        self.commands = 0
        self._given = 0
        self.draws = 0

    @property
    def match(self) -> AnyMatch | None:
        """The match after what was decided so far; None before it is opened."""
        return self._match

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, once it has."""
        return None if self._match is None else self._match.outcome

    @property
    def complete(self) -> bool:
        """Whether all has happened that the commands so far bring about."""
        return self._match is not None and not self._due

    def take(self, fact: Fact, command: Any, previous: str) -> Link:
        """Decide again what the next event had to be, and return its place in the chain.

        Args:
            fact: The event that happened.
            command: The command that it is the first event of, or None.
            previous: Hash of the event before.

        Raises:
            Deviation: Something else had to happen; it is as if the event had not come.
        """
        match = self._match
        draws = 0
        if match is None:
            due, after = self._opened(fact)
        elif command is not None:
            chance = chance_of(match, self._seed, self._id, fact.version - 1, command)
            due, after = self._decided(match, fact, command, chance)
            draws = chance.drawn
        else:
            due, after = self._due, match
            if self._last is None or (fact.seat, fact.at) != (self._last.seat, self._last.at):
                raise Deviation("it is not of the same seat and time as what it follows from")
        if not due:
            raise Deviation("nothing had to happen")
        if due[0] != fact.event:
            raise Deviation(f"{type(due[0]).__name__} had to happen, and not so")
        own = salts(self._seed, self._id, fact.version, after.terms.seats)
        made = link(self._game, previous, fact, own)
        self._match, self._due, self._last = after, due[1:], fact
        self._given = commands_after(self._given, fact.event, first=command is not None)
        self.commands += command is not None
        self.draws += draws
        return made

    def _opened(self, fact: Fact) -> tuple[tuple[object, ...], AnyMatch]:
        if not isinstance(fact.event, Opened):
            raise Deviation("the match is not opened")
        try:
            return open_match(self._game, fact.event.terms)
        except Rejected as refusal:
            raise Deviation(f"the rules refuse to open the match: {refusal.reason}") from refusal

    def _decided(
        self, match: AnyMatch, fact: Fact, command: Any, chance: Chance
    ) -> tuple[tuple[object, ...], AnyMatch]:
        if self._due:
            raise Deviation(f"{type(self._due[0]).__name__} had to happen first")
        if fact.seat is None and not isinstance(command, LOBBY_COMMANDS):
            raise Deviation("only a seat may ask for it")
        try:
            return decide(self._game, match, fact.seat, command, chance, fact.at, commands=self._given)
        except Rejected as refusal:
            raise Deviation(f"the rules refuse the command: {refusal.reason}") from refusal
