"""What a viewer is shown may not depend on what it may not know: a match beside a twin of it.

A twin is a match whose table the game says its viewer cannot tell from the true one (`determinize`). Both
are played on by the same commands, but for what other seats or chance may do unseen. As long as the viewer is
shown the same in both, all it can get must be the same, byte for byte: views, events, legal moves, refusals,
numbers and order of these. That ends where something hidden comes to light. Then what the viewer is shown
differs, and it must be entitled to it: either the event hides that part from nobody, or it lies on the
viewer's table from then on.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from adapters.event_store.mapper import tag
from adapters.grpc.mapping import Mapper
from domain.games import GAMES
from domain.match import AnyMatch, MatchStatus, Resign, evolve, legal_moves, submit, to_act, why_not
from domain.match.branch import resampled
from domain.shared.chance import Chance, SeededChance
from domain.shared.game import AnyGame
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.matches.store import Recorded
from services.matches.views import SeenEvent, Source, View, seen_event, view
from services.shared.ids import MatchId
from tests.support.faces.differences import Path, differences, of_any, plain, scalars, written
from tests.support.games.commands import asked_for
from tests.support.games.matches import LINK, NOW, playing
from tests.support.games.places import from_place, from_rare_places, nearby
from tests.support.games.random_matches import Luck, Step, Table, luck_of, played, random_options
from tests.support.games.rulings import shown_by

ID = MatchId("match_0")
SEED = bytes(32)
AT = datetime(2026, 1, 1, tzinfo=UTC)

LOOKING = 3
"""For how many viewers a match is played."""
ASKED = 20
"""How many commands of a type are tried where a seat's refusals are compared."""
OFTEN = 0.2
"""How often refusals are compared, a twin is given up for a new one, and a new one is looked into."""
ENOUGH = 3
"""How often something must have been shown to be judged."""
MOSTLY = 0.7
"""How much of what an event shows to some only must lie on their tables.

All of it, but that a value may lie there in the true match and in the twin, in another place each.
"""

type Bytes = tuple[bytes, ...]
type Parts = frozenset[tuple[str, Path]]
"""Parts of events, each by the event's name and the path to it without numbers."""
type Kept = tuple[str, Path, str]
"""What is judged by itself: an event's name, a part of it, and what kind of viewer was shown that."""


class Leak(AssertionError):  # noqa: N818 - what is found, as the message says it
    """A viewer can tell what it may not know."""


@dataclass
class Compared:
    """What comparing matches with their twins came to.

    Attributes:
        hidden_parts: The parts of events that are not for every viewer.
        twins: How many twins were made for a viewer from whom something was hidden.
        changed: How many of them differ from the true match.
        hidden: The parts of the whole table that a viewer's table leaves empty.
        redrawn: The parts of the whole table in which twins differ from the true match.
        shown: How often parts of events that are hidden from some differed for a viewer.
        on_table: How often they lay on that viewer's table from then on.
        near: How often an event was compared that shows a ruling, or happens near a rare place.
    """

    hidden_parts: Parts
    twins: int = 0
    changed: int = 0
    hidden: set[Path] = field(default_factory=set)
    redrawn: set[Path] = field(default_factory=set)
    shown: Counter[Kept] = field(default_factory=Counter)
    on_table: Counter[Kept] = field(default_factory=Counter)
    near: Counter[str] = field(default_factory=Counter)

    @property
    def never_redrawn(self) -> list[Path]:
        """Return the parts that are hidden from a viewer and the same in all its twins."""
        return [path for path in self.hidden if not any(part[: len(path)] == path for part in self.redrawn)]

    def note(self, game: AnyGame, before: Any, event: Any, after: Any) -> None:
        """Count an event that is compared by what it is about."""
        if type(event) in game.events:
            self.near.update(shown_by(game.id, before, event, after))
            self.near.update(nearby(game.id, before, event, after))

    def judge(self) -> None:
        """Refuse what an event showed without the table showing it.

        Raises:
            Leak: There is such a part.
        """
        for kept, number in self.shown.items():
            if number >= ENOUGH and self.on_table[kept] < MOSTLY * number:
                event, path, viewer = kept
                raise Leak(f"{event} shows {written(path)} to a {viewer} that the table does not show")


def hidden_parts(table: Table, matches: Iterable[int]) -> Parts:
    """Return the parts of events that are not shown to every viewer, as random matches have them."""
    return hidden_in(table, (step for number in matches for step in played(table, number)))


def hidden_in(table: Table, steps: Iterable[Step]) -> Parts:
    """Return the parts of events that are not shown to every viewer, as these steps have them."""
    game = table.game
    return frozenset(
        (tag(type(event)), of_any(path))
        for step in steps
        for event in step.events
        if type(event) in game.events
        for viewer in viewers(table)
        for path, _, _ in differences(
            plain(game.seen(event, ALL_SEEING)), plain(game.seen(event, viewer)), items=True
        )
    )


def look_for_leaks(table: Table, matches: Iterable[int], hidden: Parts) -> Compared:
    """Play random matches, each for some viewers, beside twins that this viewer cannot tell apart.

    Args:
        table: The game and how many play it.
        matches: Which matches.
        hidden: The parts of events that are not for every viewer.

    Raises:
        Leak: A viewer can tell what it may not know.
    """
    compared = Compared(hidden)
    for viewer in viewers(table):
        compare_openings(table, viewer, compared)
        compared.judge()
    for number in matches:
        dice = Random(f"{table}/{number}")
        for viewer in dice.sample(viewers(table), min(LOOKING, table.seats + 1)):
            _Pair(
                table, f"{number}", played(table, number), luck_of(table, number), viewer, compared
            ).play_out()
            compared.judge()
    return compared


def look_in_rare_places(table: Table, matches: Collection[int]) -> Compared:
    """Play random matches that go on from rare places, each for some viewers, beside twins.

    Args:
        table: The game and how many play it.
        matches: Which matches from each place.

    Raises:
        Leak: A viewer can tell what it may not know.
    """
    compared = Compared(
        hidden_in(table, (step for _, _, steps in from_rare_places(table, matches) for step in steps))
    )
    for viewer in viewers(table):
        compare_openings(table, viewer, compared)
    for place, number, _ in from_rare_places(table, matches):
        dice = Random(f"{place.name} {table}/{number}")
        for viewer in dice.sample(viewers(table), min(LOOKING, table.seats + 1)):
            steps, luck = from_place(table, place, number), luck_of(table, number)
            _Pair(table, f"{place.name} {number}", steps, luck, viewer, compared).play_out()
            compared.judge()
    return compared


def viewers(table: Table) -> tuple[Viewer, ...]:
    """Return everybody who may look before the end: a spectator, and every seat."""
    return (SPECTATOR, *map(seated, seats_in_order(table.seats)))


def faces(game: AnyGame) -> tuple[tuple[Callable[[Any], bytes], Callable[[Any], bytes]], ...]:
    """Return how views and events are written by each face that knows the game: REST, and gRPC."""
    json = msgspec.json.encode
    if game is not GAMES.get(game.id):
        return ((json, json),)
    mapper = _mapper()
    return (json, json), (_binary(mapper.view), _binary(mapper.event))


class _Pair:
    """A random match and its twin for a viewer."""

    def __init__(
        self,
        table: Table,
        name: str,
        steps: Iterator[Step],
        luck: Luck,
        viewer: Viewer,
        compared: Compared,
    ) -> None:
        self._viewer, self._compared = viewer, compared
        self._game, self._faces = table.game, faces(table.game)
        self._luck = luck
        self._dice = Random(f"{table}/{name}/{viewer}")
        self._steps = steps
        opening = next(self._steps)
        self._true, self._version = opening.match, len(opening.events)
        self._place = 0
        self._renew()

    def play_out(self) -> None:
        """Follow the match to its end, with a new twin whenever the viewer has learnt something."""
        for step in self._steps:
            self._place += 1
            if self._dice.random() < OFTEN:
                self._renew()
            self._same("its view", self._view(self._true), self._view(self._twin))
            if self._dice.random() < OFTEN:
                self._same_refusals()
            assert step.seat is not None
            self._same_step(step.seat, step.command, step.events)

    def _chance(self) -> Chance:
        """Return the chance of this step."""
        return self._luck(self._place)

    def _chance_in_twin(self) -> Chance:
        """Return the same chance, or as often any other: what it gave may be hidden too."""
        return self._chance() if self._dice.random() < 0.5 else self._other_chance()

    def _other_chance(self) -> SeededChance:
        """Return chance that has nothing to do with that of the match."""
        return SeededChance(self._dice.randbytes(32), "twin")

    def _renew(self) -> None:
        """Make a twin."""
        true = self._true
        table = self._game.determinize(true.state, self._viewer, self._other_chance())
        self._twin = replace(true, state=table)
        if self._dice.random() < OFTEN:
            self._look_into(table)

    def _look_into(self, twin: Any) -> None:
        """Record what is hidden from the viewer, and what of it is another in a table's twin."""
        table = self._true.state
        whole, shown, in_twin = (
            plain(self._game.view(state, eye))
            for state, eye in ((table, ALL_SEEING), (table, self._viewer), (twin, ALL_SEEING))
        )
        if whole != shown:
            self._compared.twins += 1
            self._compared.changed += twin != table
            self._compared.redrawn |= {of_any(path) for path, _, _ in differences(whole, in_twin)}
            self._compared.hidden |= {
                of_any(path) for path, there, seen in differences(whole, shown) if there and not seen
            }

    def _same_refusals(self) -> None:
        """Assert that the viewer is refused the same for the same reasons."""
        seat = self._viewer.seat
        if seat is None or seat not in to_act(self._game, self._true):
            return
        moves = legal_moves(self._game, self._true, seat)
        for command in asked_for(self._game, self._true.state, seat, moves, self._dice, ASKED):
            self._same(
                f"the answer to {command}",
                self._refusal(self._true, seat, command),
                self._refusal(self._twin, seat, command),
            )

    def _in_twin(self, seat: Seat, command: Any) -> Any:
        """Return a command of the same kind for the twin, whose copy becomes the match where it has none.

        The viewer does the same in both, and so does another seat half of the time; else it makes any move,
        for what it chooses may be hidden too.
        """
        game, dice = self._game, self._dice
        if type(command) is Resign:
            return command
        same = seat == self._viewer.seat or dice.random() < 0.5
        if same and why_not(game, self._twin, seat, command, NOW) is None:
            return command
        if alike := [move for move in legal_moves(game, self._twin, seat) if type(move) is type(command)]:
            return dice.choice(alike)
        self._twin = self._true
        return command

    def _same_step(self, seat: Seat, command: Any, happened: tuple[Any, ...]) -> None:
        """Carry a command out in the twin, and compare what the viewer is shown until that differs."""
        game, before, alike = self._game, self._true, True
        command_in_twin = self._in_twin(seat, command)
        in_twin, _ = submit(game, self._twin, seat, command_in_twin, self._chance_in_twin(), NOW)
        forcing = not before.resigned and type(command) in game.commands
        decided = len(game.decide(before.state, seat, command, self._chance())) if forcing else 0
        for place, event in enumerate(happened):
            self._version += 1
            earlier, self._true = self._true.state, evolve(game, self._true, event)
            self._compared.note(game, earlier, event, self._true.state)
            self._same_at_once()
            if alike:
                if place == len(in_twin):
                    raise Leak(f"{self._viewer} sees that {command} brings about more")
                self._twin = evolve(game, self._twin, in_twin[place])
                alike = self._same_event(seat, (event, in_twin[place]), (self._true, self._twin))
            if forcing and place + 1 >= decided:
                self._same_forced(seat)
        if alike and len(in_twin) > len(happened):
            raise Leak(f"{self._viewer} sees that {command} brings about less")
        if alike:
            self._same_branch()
        else:
            self._renew()

    def _same_event(self, seat: Seat, events: tuple[Any, Any], matches: tuple[AnyMatch, AnyMatch]) -> bool:
        """Return whether the viewer is shown the same of both events, the matches after them alike then."""
        shown, as_well = (self._seen(event, seat) for event in events)
        if self._event(shown) != self._event(as_well):
            one, other = (self._game.view(match.state, self._viewer) for match in matches)
            who = "seat that acted" if seat == self._viewer.seat else self._viewer.kind
            keep(self._game, self._compared, who, (shown.payload, as_well.payload), (one, other))
            return False
        # What the end discloses is judged with the event that tells of the end.
        over = any(self._game.outcome(match.state) is not None for match in matches)
        if matches[0].status is MatchStatus.FINISHED or not over:
            self._same(f"its view after {shown.type}", *map(self._view, matches))
        return True

    def _same_at_once(self) -> None:
        """Assert that the viewer sees the same in a new twin, in the midst of a command's events too."""
        table = self._true.state
        twin = self._game.determinize(table, self._viewer, self._other_chance())
        if self._game.view(twin, self._viewer) != self._game.view(table, self._viewer):
            self._same("its view", self._view(self._true), self._view(replace(self._true, state=twin)))

    def _same_forced(self, seat: Seat) -> None:
        """Assert that what is forced next, or that nothing is, does not depend on what is hidden.

        A rare event is seldom reached with a twin that is still alike, so this makes a new one.
        """
        game, table = self._game, self._true.state
        if game.outcome(table) is not None:
            return
        twin = game.determinize(table, self._viewer, self._other_chance())
        event = game.consequence(table, self._chance())
        other = game.consequence(twin, self._chance_in_twin())
        if event is None or other is None:
            self._same("what is forced", event, other)
            return
        matches = (
            evolve(game, self._true, event),
            evolve(game, replace(self._true, state=twin), other),
        )
        self._same_event(seat, (event, other), matches)

    def _same_branch(self) -> None:
        """Assert that a branch off both begins on the same table, if chance is the same.

        All that is shown of the branch later, from whichever seat, follows from that table.
        """
        if self._true.status is not MatchStatus.PLAYING:
            return
        one, other = (
            resampled(self._game, match.state, self._viewer, SeededChance(SEED, f"branch/{self._version}"))
            for match in (self._true, self._twin)
        )
        self._same("the table of its branch", one, other)

    def _same(self, what: str, one: Any, other: Any) -> None:
        if one != other:
            raise Leak(f"{self._viewer} is told apart by {what}: {one!r} or {other!r}")

    def _view(self, match: AnyMatch) -> Bytes:
        shown: View[Any, Any] = view(self._game, ID, match, self._version, self._viewer)
        return tuple(write(shown) for write, _ in self._faces)

    def _seen(self, event: Any, seat: Seat) -> SeenEvent[Any]:
        recorded = Recorded(version=self._version, at=AT, seat=seat, event=event, link=LINK)
        return seen_event(Source(self._game, ID, self._true.terms.seats, SEED), recorded, self._viewer)

    def _event(self, shown: SeenEvent[Any]) -> Bytes:
        return tuple(write(shown) for _, write in self._faces)

    def _refusal(self, match: AnyMatch, seat: Seat, command: Any) -> tuple[str, object] | None:
        """Return reason and details of a refusal; None for what would be accepted."""
        if (reason := why_not(self._game, match, seat, command, NOW)) is None:
            return None
        try:
            submit(self._game, match, seat, command, self._chance(), NOW)
        except Rejected as refusal:
            return reason, (refusal.reason, refusal.details)
        return reason, None


def compare_openings(table: Table, viewer: Viewer, compared: Compared) -> None:
    """Record which hidden parts of opening events a viewer is shown, and whether its table shows them."""
    game, dice = table.game, Random(f"openings {viewer}")
    options = random_options(table, dice)
    openings = [
        playing(game, options, table.seats, SeededChance(dice.randbytes(32), "opening"))
        for _ in range(2 * ENOUGH)
    ]
    for (events, match), (others, twin) in pairwise(openings):
        tables = game.view(match.state, viewer), game.view(twin.state, viewer)
        for event, other in zip(events, others, strict=False):
            if type(event) in game.events and type(other) in game.events:
                compared.note(game, game.initial, event, game.evolve(game.initial, event))
                shown = game.seen(event, viewer), game.seen(other, viewer)
                keep(game, compared, f"{viewer.kind} {viewer.seat}", shown, tables)


def keep(
    game: AnyGame, compared: Compared, viewer: str, shown: tuple[Any, Any], tables: tuple[Any, Any]
) -> None:
    """Record which hidden parts of an event differ, and whether the viewer's table shows them."""
    kind: Any = type(shown[0])
    if kind is not type(shown[1]) or kind not in game.seen_events:
        return
    standing = list(differences(*map(plain, tables)))
    here = {None, *(value for difference in standing for value in scalars(difference.one))}
    there = {None, *(value for difference in standing for value in scalars(difference.other))}
    for path, one, other in differences(*map(plain, shown), items=True):
        if _within(compared.hidden_parts, tag(kind), of_any(path)):
            part = tag(kind), path, viewer
            compared.shown[part] += 1
            compared.on_table[part] += here.issuperset(scalars(one)) and there.issuperset(scalars(other))


def _within(parts: Parts, event: str, path: Path) -> bool:
    return any((event, path[:length]) in parts for length in range(1, len(path) + 1))


@cache
def _mapper() -> Mapper:
    return Mapper(dict(GAMES))


def _binary(convert: Callable[[Any], Any]) -> Callable[[Any], bytes]:
    return lambda value: bytes(convert(value).SerializeToString(deterministic=True))
