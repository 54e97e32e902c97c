"""Games that leak on purpose: variants of a game, each of which tells a viewer something hidden from it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from adapters.event_store.mapper import tag
from domain.match import submit
from domain.shared.game import AnyGame
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, Viewer, ViewerKind, seated
from tests.support.faces.differences import ABSENT, Path, differences, of_any, part, plain, written
from tests.support.games.matches import NOW
from tests.support.games.random_matches import Table, played, reached
from tests.support.games.scenarios import luck
from tests.support.games.twins import Parts, viewers

type Secret = Callable[[Any], Any]
"""What leaks of a state, as plain data."""
type Bit = Callable[[Any], bool]
"""One bit that leaks of a state."""
type States = list[tuple[Any, Any]]
"""States with twins, as plain data."""

SHARE = 0.1
"""How many of the states that random play comes through show what is hidden."""


class Leaking(NamedTuple):
    """A game that leaks, and how."""

    how: str
    game: AnyGame


class Shown(Struct, frozen=True):
    """A view and something that should not be in it."""

    table: Any
    leaked: Any


def leaking_variants(table: Table, matches: Iterable[int], hidden: Parts) -> Iterator[Leaking]:
    """Yield variants of a game, each leaking one thing, of all that the matches show to be hidden.

    Every place of the state that a twin changes leaks in turn: what lies there, how many of a kind, in which
    order, all in the view; and one bit of it through the details of a refusal, its reason, the order of the
    legal moves, or their number. Every part of an event that is not shown to all leaks too.
    """
    game = table.game
    states = list(_with_twins(table, matches, viewers(table)))
    # Only a seat is refused something, and has moves: what differs for others alone cannot leak there.
    of_seats = list(_with_twins(table, matches, viewers(table)[1:]))
    places: dict[Path, Path] = {}
    for state, twin in states:
        for difference in differences(state, twin):
            places.setdefault(of_any(difference.path), difference.path)
    for path in places.values():
        for name, secret in _secrets(path, states):
            if any(secret(state) != secret(twin) for state, twin in states):
                yield Leaking(f"{name} of {written(path)} in the view", _in_view(game, secret))
        if all(part(state, path) == part(twin, path) for state, twin in of_seats):
            continue
        bit = _bit(path, of_seats)
        for name, leaking in (
            ("details of refusals", _in_refusals),
            ("reasons of refusals", _by_reasons),
            ("order of moves", _by_order_of_moves),
            ("number of moves", _by_number_of_moves),
        ):
            yield Leaking(f"a bit of {written(path)} in the {name}", leaking(game, bit))
    for event, field in sorted({(event, str(path[0])) for event, path in hidden}):
        yield Leaking(f"{event} shows {field}", _in_events(game, event, field, to_all=True))
    for event, field in sorted(set(_unknown_to_its_seat(table, matches))):
        yield Leaking(
            f"{event} shows {field} to the seat that acted", _in_events(game, event, field, to_all=False)
        )


def _secrets(path: Path, states: States) -> Iterator[tuple[str, Secret]]:
    """Yield what can be notified of a place of the state."""
    yield "contents", lambda state: part(state, path)
    yield "count", _count(path, [part(state, path) for pair in states for state in pair])
    yield "order", _order(path)


def _with_twins(table: Table, matches: Iterable[int], eyes: Iterable[Viewer]) -> Iterator[tuple[Any, Any]]:
    """Yield states with twins for each of these viewers, all as plain data."""
    watching = tuple(eyes)
    for match in reached(table, matches, SHARE):
        for viewer in watching:
            twin = table.game.determinize(match.state, viewer, luck("leak"))
            yield plain(match.state), plain(twin)


def _count(path: Path, contents: Iterable[Any]) -> Secret:
    """Return how many of the kind that is most common in a place lie there."""
    common = Counter(item for value in contents if isinstance(value, list) for item in value).most_common(1)
    kind = common[0][0] if common else ABSENT

    def count(state: Any) -> Any:
        value = part(state, path)
        return value.count(kind) if isinstance(value, list) else ABSENT

    return count


def _order(path: Path) -> Secret:
    """Return in which order the items of a place lie, without what they are."""

    def order(state: Any) -> Any:
        value = part(state, path)
        if not isinstance(value, list):
            return ABSENT
        return sorted(range(len(value)), key=lambda place: (str(value[place]), place))

    return order


def _bit(path: Path, states: States) -> Bit:
    """Return a bit of what a place holds, one that tells some state from its twin."""

    def number(state: Any) -> int:
        return crc32(msgspec.json.encode(part(state, path)))

    told = next(differing for state, twin in states if (differing := number(state) ^ number(twin)))
    return lambda state: bool(number(plain(state)) & told & -told)


def _in_view(game: AnyGame, secret: Secret) -> AnyGame:
    def view(state: Any, viewer: Viewer) -> Any:
        shown = game.view(state, viewer)
        return shown if viewer.kind is ViewerKind.ALL else Shown(shown, secret(plain(state)))

    return replace(game, view=view)


def _in_refusals(game: AnyGame, bit: Bit) -> AnyGame:
    def decide(state: Any, seat: Seat, command: Any, chance: Any) -> Any:
        try:
            return game.decide(state, seat, command, chance)
        except Rejected as refusal:
            raise Rejected(refusal.reason, **refusal.details, leaked=int(bit(state))) from None

    return replace(game, decide=decide)


def _by_reasons(game: AnyGame, bit: Bit) -> AnyGame:
    reasons = list(game.clauses)

    def why_not(state: Any, seat: Seat, command: Any) -> Any:
        reason = game.why_not(state, seat, command)
        return reasons[reasons.index(reason) - 1] if reason and bit(state) else reason

    return replace(game, why_not=why_not)


def _by_order_of_moves(game: AnyGame, bit: Bit) -> AnyGame:
    def legal_moves(state: Any, seat: Seat) -> Any:
        moves = tuple(game.legal_moves(state, seat))
        return moves[::-1] if bit(state) else moves

    return replace(game, legal_moves=legal_moves)


def _by_number_of_moves(game: AnyGame, bit: Bit) -> AnyGame:
    def legal_moves(state: Any, seat: Seat) -> Any:
        moves = tuple(game.legal_moves(state, seat))
        return moves[:-1] if len(moves) > 1 and bit(state) else moves

    return replace(game, legal_moves=legal_moves)


def _unknown_to_its_seat(table: Table, matches: Iterable[int]) -> Iterator[tuple[str, str]]:
    """Yield the fields of events of a seat that this seat cannot know itself, with the events."""
    game = table.game
    for number in matches:
        for before, step in pairwise(played(table, number)):
            if step.seat is None or type(step.command) not in game.commands:
                continue
            own, match = seated(step.seat), before.match
            twin = replace(match, state=game.determinize(match.state, own, luck("twin")))
            others, _ = submit(game, twin, step.seat, step.command, luck("in twin"), NOW)
            for event, other in zip(step.events, others, strict=False):
                if type(event) is not type(other) or getattr(event, "seat", None) != step.seat:
                    continue
                yield from (
                    (tag(type(event)), field)
                    for field in differing(game.seen(event, ALL_SEEING), game.seen(other, ALL_SEEING))
                    if field not in differing(game.seen(event, own), game.seen(other, own))
                )


def differing(one: Any, other: Any) -> set[str]:
    """Return the fields in which two structs of a type differ."""
    return {name for name in type(one).__struct_fields__ if getattr(one, name) != getattr(other, name)}


def _in_events(game: AnyGame, event: str, field: str, *, to_all: bool) -> AnyGame:
    def seen(decided: Any, viewer: Viewer) -> Any:
        shown = game.seen(decided, viewer)
        if tag(type(decided)) != event or not (to_all or decided.seat == viewer.seat):
            return shown
        return replace(shown, **{field: getattr(game.seen(decided, ALL_SEEING), field)})

    return replace(game, seen=seen)
