"""What a viewer is shown may not depend on what it may not know: a match beside a twin of it.

A twin is a match whose table the game says its viewer cannot tell from the true one (`determinize`). Both
are played on with the same chance, by the same commands but for what other seats may choose unseen. As long
as the viewer is shown the same in both, all it can get must be the same, byte for byte: views, events, legal
moves, refusals, numbers and order of these. That ends where something hidden comes to light. Then what the
viewer is shown differs, and it must be entitled to it: it acted itself, or the event hides that part from
nobody, or it lies on the viewer's table from then on.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise, zip_longest
from random import Random
from typing import Any

import msgspec
from msgspec.inspect import (
    Metadata,
    NoneType,
    StructType,
    TupleType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)
from msgspec.structs import replace

from adapters.grpc.mapping import Mapper
from adapters.postgres.mapper import tag
from domain.games import GAMES
from domain.match import Phase, Resign, evolve, legal_moves, submit, to_act, why_not
from domain.shared.chance import SeededChance
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.ids import MatchId
from services.ports import Recorded
from services.views import SeenEvent, View, seen_events, view
from tests.support.commands import asked_for
from tests.support.differences import Path, differences, of_any, plain, scalars, written
from tests.support.matches import playing
from tests.support.random_matches import RESIGNING, AnyGame, AnyMatch, Table, random_options

ID = MatchId("match_0")
AT = datetime(2026, 1, 1, tzinfo=UTC)

ASKED = 20
"""How many commands of a type are tried where a seat's refusals are compared."""
OFTEN = 0.2
"""How often refusals are compared, and how often a twin is given up for a new one."""
ENOUGH = 3
"""How often something must have been shown to be judged."""
MOSTLY = 0.7
"""How much of what an event shows to some only must lie on the table of those who did not act.

All of it, but that a value may lie there in the true match and in the twin, in another place each.
"""

type Bytes = tuple[bytes, ...]
type Kept = tuple[str, Path, str]
"""What is judged by itself: an event's name, a part of it, and what kind of viewer was shown that."""


class Leak(AssertionError):  # noqa: N818 - what is found, as the message says it
    """A viewer can tell what it may not know."""


@dataclass
class Compared:
    """What comparing matches with their twins came to.

    Attributes:
        twins: How many twins were made for a viewer from whom something was hidden.
        changed: How many of them differ from the true match.
        hidden: The parts of the whole table that a viewer's table leaves empty.
        redrawn: The parts of the whole table in which twins differ from the true match.
        shown: How often parts of events that are hidden from some differed for a viewer that did not act.
        on_table: How often they stood on the table from then on.
    """

    twins: int = 0
    changed: int = 0
    hidden: set[Path] = field(default_factory=set)
    redrawn: set[Path] = field(default_factory=set)
    shown: Counter[Kept] = field(default_factory=Counter)
    on_table: Counter[Kept] = field(default_factory=Counter)

    @property
    def never_redrawn(self) -> list[Path]:
        """Return the parts that are hidden from a viewer and the same in all its twins."""
        return [path for path in self.hidden if not any(part[: len(path)] == path for part in self.redrawn)]

    def judge(self) -> None:
        """Refuse what an event showed without the table showing it.

        Raises:
            Leak: There is such a part.
        """
        for kept, number in self.shown.items():
            if number >= ENOUGH and self.on_table[kept] < MOSTLY * number:
                event, path, viewer = kept
                raise Leak(f"{event} shows {written(path)} to a {viewer} that the table does not show")


def look_for_leaks(table: Table, matches: range) -> Compared:
    """Play random matches, each once for every viewer, beside twins that this viewer cannot tell apart.

    Raises:
        Leak: A viewer can tell what it may not know.
    """
    compared = Compared()
    for viewer in (SPECTATOR, *map(seated, seats_in_order(table.seats))):
        compare_openings(table, viewer, compared)
        for number in matches:
            _Pair(table, viewer, Random(f"{table}/{number}/{viewer}"), compared).play_out()
        compared.judge()
    return compared


def faces(game: AnyGame) -> tuple[tuple[Callable[[Any], bytes], Callable[[Any], bytes]], ...]:
    """Return how views and events are written by each face that knows the game: REST, and gRPC."""
    json = msgspec.json.encode
    if game is not GAMES.get(game.id):
        return ((json, json),)
    mapper = _mapper()
    return (json, json), (_binary(mapper.view), _binary(mapper.event))


class _Pair:
    """A match and its twin for a viewer."""

    def __init__(self, table: Table, viewer: Viewer, dice: Random, compared: Compared) -> None:
        self._game, self._viewer, self._dice, self._compared = table.game, viewer, dice, compared
        self._faces = faces(table.game)
        self._key, self._version = dice.randbytes(32), 0
        options = random_options(table, dice)
        events, self._true = playing(table.game, options, table.seats, self._chance())
        self._version = len(events)
        self._renew()

    def play_out(self) -> None:
        """Play the match to its end, with a new twin whenever the viewer has learnt something."""
        while self._true.phase is Phase.PLAYING:
            if self._dice.random() < OFTEN:
                self._renew()
            self._same("its view", self._view(self._true), self._view(self._twin))
            if self._dice.random() < OFTEN:
                self._same_refusals()
            self._same_step(*self._move())

    def _chance(self) -> SeededChance:
        """Return the chance of the decision at this version, the same for both matches."""
        return SeededChance(self._key, str(self._version))

    def _renew(self) -> None:
        """Make a twin."""
        true, viewer = self._true, self._viewer
        table = self._game.determinize(true.table, viewer, SeededChance(self._key, f"twin {self._version}"))
        self._twin = replace(true, table=table)
        whole, shown = (plain(self._game.view(true.table, eye)) for eye in (ALL_SEEING, viewer))
        if whole != shown:
            self._compared.twins += 1
            self._compared.changed += table != true.table
            self._compared.hidden |= {
                of_any(path) for path, all_of_it, seen in differences(whole, shown) if all_of_it and not seen
            }
            in_twin = plain(self._game.view(table, ALL_SEEING))
            self._compared.redrawn |= {of_any(path) for path, _, _ in differences(whole, in_twin)}

    def _same_refusals(self) -> None:
        """Assert that the viewer is refused the same for the same reasons."""
        seat = self._viewer.seat
        if seat is None or seat not in to_act(self._game, self._true):
            return
        moves = legal_moves(self._game, self._true, seat)
        for command in asked_for(self._game, self._true.table, seat, moves, self._dice, ASKED):
            self._same(
                f"the answer to {command}",
                self._refusal(self._true, seat, command),
                self._refusal(self._twin, seat, command),
            )

    def _move(self) -> tuple[Seat, Any, Any]:
        """Return a seat, a command for it, and one for it in the twin; the viewer does the same in both.

        So does another seat half of the time; else it makes any move of the same kind in the twin, for what
        it chooses may be hidden too. Where it has no such move there, the twin becomes a copy.
        """
        game, dice = self._game, self._dice
        left = [seat for seat in seats_in_order(len(self._true.holders)) if seat not in self._true.resigned]
        if dice.random() < RESIGNING:
            return dice.choice(left), Resign(), Resign()
        seat = dice.choice(to_act(game, self._true))
        move = dice.choice(legal_moves(game, self._true, seat))
        if why_not(game, self._twin, seat, move) is None and (
            seat == self._viewer.seat or dice.random() < 0.5
        ):
            return seat, move, move
        if alike := [one for one in legal_moves(game, self._twin, seat) if type(one) is type(move)]:
            return seat, move, dice.choice(alike)
        self._twin = self._true
        return seat, move, move

    def _same_step(self, seat: Seat, command: Any, command_in_twin: Any) -> None:
        """Carry commands out, and compare what the viewer is shown until that differs."""
        game, first = self._game, self._version
        happened, after = submit(game, self._true, seat, command, self._chance())
        in_twin, _ = submit(game, self._twin, seat, command_in_twin, self._chance())
        for event, other in zip_longest(happened, in_twin):
            self._version += 1
            if event is None or other is None:
                raise Leak(f"{self._viewer} sees how many events {command} brings about")
            shown, as_well = self._seen(event, seat), self._seen(other, seat)
            self._true = evolve(game, self._true, event)
            self._twin = evolve(game, self._twin, other)
            if self._event(shown) != self._event(as_well):
                if seat != self._viewer.seat:
                    self._keep(shown.payload, as_well.payload)
                self._true, self._version = after, first + len(happened)
                self._renew()
                return
            # What the end discloses is judged with the event that tells of the end.
            if self._true.phase is Phase.FINISHED or not self._over():
                self._same(f"its view after {tag(type(event))}", *map(self._view, (self._true, self._twin)))

    def _over(self) -> bool:
        return any(self._game.outcome(match.table) is not None for match in (self._true, self._twin))

    def _keep(self, shown: Any, as_well: Any) -> None:
        """Put down which parts of an event differ, and whether the viewer's table shows them."""
        tables = (
            self._game.view(self._true.table, self._viewer),
            self._game.view(self._twin.table, self._viewer),
        )
        keep(self._game, self._compared, self._viewer.kind, (shown, as_well), tables)

    def _same(self, what: str, one: Any, other: Any) -> None:
        if one != other:
            raise Leak(f"{self._viewer} is told apart by {what}: {one!r} or {other!r}")

    def _view(self, match: AnyMatch) -> Bytes:
        shown: View[Any, Any] = view(self._game, ID, match, self._version, self._viewer)
        return tuple(write(shown) for write, _ in self._faces)

    def _seen(self, event: Any, seat: Seat) -> SeenEvent[Any]:
        recorded = Recorded(
            version=self._version, at=AT, seat=seat, key="", digest="", command=None, event=event
        )
        return seen_events(self._game, [recorded], self._viewer)[0]

    def _event(self, shown: SeenEvent[Any]) -> Bytes:
        return tuple(write(shown) for _, write in self._faces)

    def _refusal(self, match: AnyMatch, seat: Seat, command: Any) -> tuple[str, object] | None:
        """Return reason and details of a refusal; None for what would be accepted."""
        if (reason := why_not(self._game, match, seat, command)) is None:
            return None
        try:
            submit(self._game, match, seat, command, self._chance())
        except Rejected as refusal:
            return reason, (refusal.reason, refusal.details)
        return reason, None


def compare_openings(table: Table, viewer: Viewer, compared: Compared) -> None:
    """Put down which hidden parts of opening events a viewer is shown, and whether its table shows them."""
    game, dice = table.game, Random(f"openings {viewer}")
    options = random_options(table, dice)
    openings = [
        playing(game, options, table.seats, SeededChance(dice.randbytes(32), "opening"))
        for _ in range(2 * ENOUGH)
    ]
    for (events, match), (others, twin) in pairwise(openings):
        tables = game.view(match.table, viewer), game.view(twin.table, viewer)
        for event, other in zip(events, others, strict=False):
            if type(event) in game.events and type(other) in game.events:
                shown = game.seen(event, viewer), game.seen(other, viewer)
                keep(game, compared, f"{viewer.kind} {viewer.seat}", shown, tables)


def keep(
    game: AnyGame, compared: Compared, viewer: str, shown: tuple[Any, Any], tables: tuple[Any, Any]
) -> None:
    """Put down which hidden parts of an event differ, and whether the viewer's table shows them."""
    kind: Any = type(shown[0])
    if kind is not type(shown[1]) or kind not in game.seen_events:
        return
    shape = type_info(kind)
    standing = list(differences(*map(plain, tables)))
    here = {None, *(value for difference in standing for value in scalars(difference.one))}
    there = {None, *(value for difference in standing for value in scalars(difference.other))}
    for path, one, other in differences(*map(plain, shown), items=True):
        if any(isinstance(within, NoneType) for within in _kinds(shape, path)):
            part = tag(kind), path, viewer
            compared.shown[part] += 1
            compared.on_table[part] += here.issuperset(scalars(one)) and there.issuperset(scalars(other))


def _kinds(kind: Type, path: Path) -> Iterator[Type]:
    """Yield the types of all that a path leads through, members of unions each."""
    yield kind
    match kind:
        case Metadata(type=inner):
            yield from _kinds(inner, path)
        case UnionType(types=types):
            for inner in types:
                yield from _kinds(inner, path)
        case StructType(fields=fields) if path:
            for inner_field in fields:
                if inner_field.encode_name == path[0]:
                    yield from _kinds(inner_field.type, path[1:])
        case VarTupleType(item_type=item) if path:
            yield from _kinds(item, path[1:])
        case TupleType(item_types=items) if path:
            yield from _kinds(items[int(path[0])], path[1:])
        case _:
            return


@cache
def _mapper() -> Mapper:
    return Mapper(dict(GAMES))


def _binary(convert: Callable[[Any], Any]) -> Callable[[Any], bytes]:
    return lambda value: bytes(convert(value).SerializeToString(deterministic=True))
