"""Finished matches as they were decided once, against which the rules of today are held.

A file has the matches of one ruleset, compressed, a line each: what was agreed, what was asked for, how it
ended, and the hash of the last event in the chain, which stands for all that happened and for what each
viewer was shown of it. The chain begins after the opening, which is no decision of the rules.
"""

import lzma
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import reduce
from itertools import islice
from operator import or_
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from adapters.generics import filled
from domain.match import (
    AnyMatch,
    OnTimeOut,
    Resign,
    TakeSeat,
    TimeControl,
    TimeOut,
    decide,
    open_match,
)
from domain.shared.canonical import canonical
from domain.shared.chain import genesis, read
from domain.shared.chance import seed_commitment
from domain.shared.game import AnyGame, edition
from domain.shared.outcomes import Outcome
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from services.matches.decisions import chance_of
from services.matches.envelopes import Decision, Envelopes
from services.shared.ids import match_id
from tests.support.games.matches import at, holder, terms

FOLDER = Path(__file__).parents[2] / "golden" / "corpus"
SUFFIX = ".jsonl.xz"
CHECKED = 2
"""How many characters of the hash after each command are kept, so that what differs can be found."""
SAID = 600
"""How much of what comes of a command a message repeats."""
RULE = (
    "Stored matches were decided otherwise. A change of rules needs a new ruleset id, with the edition before"
    " it in `earlier`; the matches of a ruleset are never made again."
)


class Agreed[O](Struct, frozen=True, array_like=True):
    """What was fixed before a match.

    Attributes:
        number: Which match; its id comes of it.
        seats: How many play.
        options: The game's options.
        time_control: How much time the seats have.
        on_time_out: What becomes of a seat whose time is up.
        seed: What all chance comes from, in base64url.
        entropies: What each seat added.
    """

    number: int
    seats: int
    options: O
    time_control: TimeControl
    on_time_out: OnTimeOut
    seed: str
    entropies: tuple[str, ...]


class Asked[C](Struct, frozen=True, array_like=True):
    """A command.

    Attributes:
        seat: The seat that gave it; None if it was no seat's.
        waited: Milliseconds since the one before.
        command: The command.
    """

    seat: Seat | None
    waited: int
    command: C


class Finished[O, C](Struct, frozen=True, array_like=True):
    """A finished match.

    Attributes:
        agreed: What was fixed before.
        asked: The commands since all seats are taken.
        outcome: How it ended.
        checks: The first characters of the hash after the seating, and after each command.
        head: The hash of the last event.
    """

    agreed: Agreed[O]
    asked: tuple[Asked[C], ...]
    outcome: Outcome | None
    checks: str
    head: str


type AnyFinished = Finished[Any, Any]


class Difference(NamedTuple):
    """Where the rules of today decide something else.

    Attributes:
        ruleset: Under which ruleset.
        finished: The match.
        place: Which command, from 1; 0 is the seating.
        what: What differs, for people.
    """

    ruleset: str
    finished: AnyFinished
    place: int
    what: str

    def __str__(self) -> str:
        """Return it as a message that says what to do."""
        command = "the seating"
        if self.place:
            asked = self.finished.asked[self.place - 1]
            command = f"{canonical(asked.command).decode()} of seat {asked.seat}"
        agreed = self.finished.agreed
        where = f"{self.ruleset}, match {agreed.number} of {agreed.seats} seats, command {self.place}"
        return f"{where} ({command}): {self.what}\n{RULE}"


class Course:
    """A match on its way, decided and chained command after command.

    Attributes:
        match: The match as it stands.
        events: What the latest command brought about.
        head: Hash of the last event.
        now: When the latest command was given, UTC.
    """

    def __init__(self, game: AnyGame, agreed: Agreed[Any]) -> None:
        """Open the match and seat its players.

        Raises:
            Rejected: The rules refuse what was agreed.
        """
        self._game = game
        self._seed = read(agreed.seed)
        self._id = match_id(UUID(int=agreed.number))
        self._version = 1
        self._given = 0
        self.now: datetime = at(0)
        opened = replace(
            terms(game, agreed.options, agreed.seats),
            seed_commitment=seed_commitment(self._seed),
            time_control=agreed.time_control,
            on_time_out=agreed.on_time_out,
        )
        self.events: tuple[object, ...]
        self.match: AnyMatch
        self.events, self.match = open_match(game, opened)
        self.head = genesis(self._id)
        self._envelopes = Envelopes(
            game, self._id, self._seed, match=self.match, version=self._version, head=self.head
        )
        for seat in seats_in_order(agreed.seats):
            self.give(Asked(seat, 0, TakeSeat(seat, holder(seat, agreed.entropies[seat]))))

    def give(self, asked: Asked[Any]) -> None:
        """Decide a command.

        Raises:
            Rejected: The rules refuse it.
        """
        self.now += timedelta(milliseconds=asked.waited)
        chance = chance_of(self.match, self._seed, self._id, self._version, asked.command)
        events, match = decide(self._game, self.match, asked.seat, asked.command, chance, self.now)
        self._given += 1
        decision = Decision(
            at=self.now,
            seat=asked.seat,
            command=asked.command,
            by=None if asked.seat is None else holder(asked.seat).player,
            key=str(self._given),
            digest=f"{self._given:064x}",
        )
        recorded = self._envelopes.wrap(decision, events, match)
        self.events, self.match = events, match
        self._version, self.head = recorded[-1].version, recorded[-1].link.hash


def difference(game: AnyGame, finished: AnyFinished) -> Difference | None:
    """Return where the rules decide a match otherwise than they did, or None."""
    place = 0
    try:
        course = Course(game, finished.agreed)
        for place in range(len(finished.asked) + 1):
            if place:
                course.give(finished.asked[place - 1])
            if course.head[:CHECKED] != finished.checks[place * CHECKED : (place + 1) * CHECKED]:
                return Difference(game.ruleset, finished, place, _otherwise(course, finished))
    except Rejected as refusal:
        return Difference(game.ruleset, finished, place, f"the rules refuse it now: {refusal.reason}")
    except Exception as error:  # noqa: BLE001
        return Difference(game.ruleset, finished, place, f"it cannot be decided any more: {error!r}")
    if (course.match.outcome, course.head) != (finished.outcome, finished.head):
        return Difference(game.ruleset, finished, place, _otherwise(course, finished))
    return None


def _otherwise(course: Course, finished: AnyFinished) -> str:
    """Return what comes of the latest command now."""
    events = canonical(course.events).decode()
    said = events if len(events) <= SAID else events[:SAID] + "..."
    what = f"other events come of it now, or other things are shown of them: {said}"
    if (now := course.match.outcome) is not None and now != finished.outcome:
        what += f"; it ended by {_written(finished.outcome)}, and ends by {_written(now)} now"
    return what


def _written(outcome: Outcome | None) -> str:
    return canonical(outcome).decode()


def path_of(ruleset: str) -> Path:
    """Return where the matches of a ruleset are kept."""
    return FOLDER / f"{ruleset}{SUFFIX}"


def kept_rulesets() -> tuple[str, ...]:
    """Return the rulesets whose matches are kept."""
    paths = sorted(FOLDER.rglob(f"*{SUFFIX}"))
    return tuple(path.relative_to(FOLDER).as_posix().removesuffix(SUFFIX) for path in paths)


def edition_of(games: Iterable[AnyGame], ruleset: str) -> AnyGame:
    """Return the edition of a game that has a ruleset.

    Raises:
        LookupError: There is none any more.
    """
    for game in games:
        if (found := edition(game, ruleset)) is not None:
            return found
    raise LookupError(f"{ruleset} is in no edition of a registered game. {RULE}")


def load(game: AnyGame, first: int = 0, step: int = 1) -> Iterator[AnyFinished]:
    """Yield the matches of an edition's ruleset that are kept: one in so many from the first on."""
    commands = reduce(or_, (Resign, TimeOut, *game.commands))
    decoder: msgspec.json.Decoder[AnyFinished] = msgspec.json.Decoder(
        filled(Finished, game.options, commands)
    )
    with lzma.open(path_of(game.ruleset), "rb") as file:
        for line in islice(file, first, None, step):
            yield decoder.decode(line)


def keep(ruleset: str, matches: Iterable[AnyFinished]) -> int:
    """Write the matches of a ruleset down and return how many bytes they take.

    Raises:
        FileExistsError: It has matches already.
    """
    path = path_of(ruleset)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = b"".join(canonical(finished) + b"\n" for finished in matches)
    packed = lzma.compress(lines, preset=9 | lzma.PRESET_EXTREME)
    with path.open("xb") as file:
        file.write(packed)
    return len(packed)
