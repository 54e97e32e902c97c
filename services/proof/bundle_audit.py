"""Whether a bundle tells what happened: everything in it that can be recomputed is."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, get_origin

import msgspec
from msgspec import Struct

from domain.match import LOBBY_COMMANDS, Resign, event_types
from domain.match.heads import Head, signed_head
from domain.match.proof import Fact, Flaw, flaw
from domain.shared.canonical import canonical
from domain.shared.chain import genesis, read, salt, written
from domain.shared.chance import seed_commitment
from domain.shared.game import AnyGame, Games, edition
from domain.shared.viewers import Viewer, ViewerKind, sees_all
from services.proof.bundles import EndLine, EventLine, Header, read_line
from services.proof.keys import Signatures
from services.proof.redecision import Deviation, Retelling
from services.shared.ids import MatchId


class Check(StrEnum):
    """What is checked of a bundle."""

    LINES = "lines"
    CHAIN = "chain"
    PARTS = "parts"
    SEED = "seed"
    CHANCE = "chance"
    DECISIONS = "decisions"
    OUTCOME = "outcome"
    AUDIENCES = "audiences"
    SIGNATURE = "signature"


class Altered(Exception):  # noqa: N818 - an answer about the bundle
    """A bundle does not tell what happened.

    Attributes:
        check: What failed.
        version: The event in whose line it shows; 0 is the header, and the end stands after the last event.
        what: What is wrong, for people.
    """

    def __init__(self, check: Check, version: int, what: str) -> None:
        """Take what failed, where, and what is wrong."""
        super().__init__(f"version {version}: {what}")
        self.check = check
        self.version = version
        self.what = what


class Passed(Struct, frozen=True):
    """A check that held.

    Attributes:
        check: What was checked.
        count: How often; None where the bundle does not tell enough for it.
        of: What was counted, for people.
    """

    check: Check
    count: int | None
    of: str


RETOLD = (Check.SEED, Check.CHANCE, Check.DECISIONS, Check.OUTCOME, Check.AUDIENCES)
"""What only the seed lets be checked."""

_FLAWS: Mapping[Flaw, tuple[Check, str]] = {
    Flaw.PREVIOUS: (Check.CHAIN, "the hash before is not that of the event before, or of the match"),
    Flaw.HASH: (Check.CHAIN, "the hash is not that of the event"),
    Flaw.PROOF: (Check.PARTS, "the proof is not one for this viewer"),
    Flaw.COMMITMENT: (Check.PARTS, "what the viewer was shown is not what was committed to"),
}


class Audit:
    """The audit of one bundle, line by line."""

    def __init__(self, games: Games, signatures: Signatures) -> None:
        """Take the registered games, and what checks signatures."""
        self._games = games
        self._signatures = signatures
        self._header: Header | None = None
        self._whole: Whole | None = None
        self._version = 0
        self._head = ""
        self._end: EndLine | None = None

    def take(self, line: bytes) -> None:
        """Check the next line.

        Raises:
            Altered: Something is wrong with it; it is as if it had not come.
        """
        place = 0 if self._header is None else self._version + 1
        try:
            read = read_line(line)
        except ValueError as error:
            raise Altered(Check.LINES, place, str(error)) from error
        match read:
            case Header() if self._header is None:
                self._begin(read)
            case EventLine() if self._header is not None and self._end is None:
                self._event(self._header, read)
            case EndLine() if self._header is not None and self._version and self._end is None:
                self._close(self._header, read)
            case _:
                raise Altered(Check.LINES, place, "the line stands in the wrong place")

    def passed(self) -> tuple[Passed, ...]:
        """Return what was checked, once all lines were taken.

        Raises:
            Altered: The end is missing.
        """
        if self._end is None:
            raise Altered(Check.LINES, self._version + 1, "the end is missing")
        events, key = self._version, self._end.key
        spectator = self._header is not None and self._header.viewer.kind is ViewerKind.SPECTATOR
        return (
            Passed(Check.LINES, events + 2, "lines"),
            Passed(Check.CHAIN, events, "events"),
            Passed(Check.PARTS, None if spectator else events, "events"),
            *self._retold(),
            Passed(Check.SIGNATURE, None if key is None else 1, f"signature by the key {key and key.kid}"),
        )

    def _retold(self) -> tuple[Passed, ...]:
        if self._whole is None:
            return tuple(Passed(check, None, "") for check in RETOLD)
        told = self._whole.retelling
        counts = (1, told.draws, told.commands, int(told.outcome is not None), self._version)
        of = ("seed", "shuffles and draws", "commands", "outcome", "events")
        return tuple(map(Passed, RETOLD, counts, of))

    def _begin(self, header: Header) -> None:
        known = self._games.get(header.game)
        if known is None or (game := edition(known, header.ruleset)) is None:
            raise Altered(Check.LINES, 0, f"{header.game} under {header.ruleset} is not known here")
        if not _sits(header.viewer, header.seats) or (header.seed is None) == sees_all(header.viewer):
            raise Altered(Check.LINES, 0, "the header is of no viewer that there can be")
        if header.seed is not None:
            self._whole = Whole(game, header)
        self._header = header
        self._head = genesis(header.match)

    def _event(self, header: Header, event: EventLine[Any]) -> None:
        version = self._version + 1
        if event.version != version:
            raise Altered(Check.CHAIN, version, f"the line says version {event.version}")
        if len(event.proof.commitments) != header.seats + 1:
            raise Altered(Check.PARTS, version, "there are too few or too many commitments")
        if found := flaw(event, header.viewer, self._head):
            raise Altered(_FLAWS[found][0], version, _FLAWS[found][1])
        if version == 1:
            _check_opening(header, event)
        if self._whole is not None:
            self._whole.take(event)
        self._version, self._head = version, event.proof.hash

    def _close(self, header: Header, end: EndLine) -> None:
        place = self._version + 1
        if (end.version, end.head) != (self._version, self._head):
            raise Altered(Check.CHAIN, place, "the end is not that of the last event")
        if self._whole is not None and not self._whole.retelling.complete:
            raise Altered(Check.DECISIONS, place, "more had to happen")
        if (end.signature is None) != (end.key is None):
            raise Altered(Check.SIGNATURE, place, "signature and key come together")
        if end.signature is not None and end.key is not None:
            message = signed_head(Head(match=header.match, version=end.version, head=end.head))
            if not self._signatures.signed(message, end.signature, end.key):
                raise Altered(Check.SIGNATURE, place, "the signature is not that of the head by this key")
        self._end = end


class Whole:
    """What can be recomputed once the seed is known: all decisions, and what each audience was shown."""

    def __init__(self, game: AnyGame, header: Header) -> None:
        """Take the game and the header of a bundle with a seed.

        Raises:
            Altered: The seed is none.
        """
        try:
            self._seed = read(header.seed or "")
        except ValueError as error:
            raise Altered(Check.SEED, 0, f"the seed is {error}") from error
        self._game = game
        self._match_id = MatchId(header.match)
        self._seats = header.seats
        self._events = {_tag(kind): kind for kind in event_types(game)}
        self._commands = command_types(game)
        self.retelling = Retelling(game, self._match_id, self._seed)

    def take(self, line: EventLine[Any]) -> None:
        """Check the next event, of which the part of `all` is known to be what was committed to.

        Raises:
            Altered: Something is wrong with it; it is as if it had not come.
        """
        version, proof = line.version, line.proof
        if proof.salt != written(salt(self._seed, self._match_id, version, self._seats)):
            raise Altered(Check.AUDIENCES, version, "the salt does not come from the seed")
        fact = Fact(
            version=version,
            at=line.at,
            seat=line.seat,
            event=_typed(line.payload, self._events, version),
            command=None if proof.command is None else proof.command.encode(),
            request=proof.request,
        )
        command = None
        if proof.command is not None:
            command = _typed(msgspec.json.decode(proof.command), self._commands, version)
        try:
            made = self.retelling.take(fact, command, proof.previous)
        except Deviation as deviation:
            raise Altered(Check.DECISIONS, version, str(deviation)) from deviation
        if made.hash != proof.hash:
            raise Altered(Check.AUDIENCES, version, "an audience was not shown what the rules let it see")


class OpeningLine(Struct):
    """The part of the first event that says what the header says."""

    terms: "OpeningTerms"
    type: str


class OpeningTerms(Struct):
    """The terms that the header repeats, and the commitment to the seed."""

    game: str
    ruleset: str
    seats: int
    seed_commitment: str


def verify(lines: Iterable[bytes], games: Games, signatures: Signatures) -> tuple[Passed, ...]:
    """Return what holds of a bundle.

    Args:
        lines: Its lines, each with its line feed.
        games: The registered games.
        signatures: What checks signatures.

    Raises:
        Altered: Something does not.
    """
    audit = Audit(games, signatures)
    for line in lines:
        audit.take(line)
    return audit.passed()


def command_types(game: AnyGame) -> dict[str, Any]:
    """Return the type of each command that a match of a game can have, by its name."""
    commands: tuple[Any, ...] = (*LOBBY_COMMANDS, Resign, *game.commands)
    return {command.__struct_config__.tag: command for command in commands}


def _tag(kind: type[Any]) -> str:
    """Return the stored name of a type of events."""
    return str((get_origin(kind) or kind).__struct_config__.tag)


def _typed(plain: Any, types: Mapping[str, Any], version: int) -> Any:
    """Return an event or command as the rules know it.

    Raises:
        Altered: They know none of that name and shape.
    """
    try:
        value = msgspec.convert(plain, types[plain["type"]])
    except (KeyError, TypeError, msgspec.ValidationError) as error:
        raise Altered(Check.DECISIONS, version, f"the rules know no such thing: {error}") from error
    if canonical(value) != canonical(plain):
        raise Altered(Check.DECISIONS, version, "the rules know it with other fields")
    return value


def _sits(viewer: Viewer, seats: int) -> bool:
    """Return whether there is such a viewer at a table of so many seats."""
    if viewer.kind is ViewerKind.SEAT:
        return viewer.seat is not None and 0 <= viewer.seat < seats
    return viewer.seat is None


def _check_opening(header: Header, event: EventLine[Any]) -> None:
    """Check that the match was opened as the header says, and that the seed is the one it committed to."""
    try:
        opening = msgspec.convert(event.payload, OpeningLine)
    except msgspec.ValidationError as error:
        raise Altered(Check.LINES, 1, f"the first event opens no match: {error}") from error
    terms = opening.terms
    if (terms.game, terms.ruleset, terms.seats) != (header.game, header.ruleset, header.seats):
        raise Altered(Check.LINES, 1, "the match was opened for another game, ruleset or number of seats")
    if header.seed is not None and terms.seed_commitment != seed_commitment(read(header.seed)):
        raise Altered(Check.SEED, 1, "the seed is not the one that the match committed to")
