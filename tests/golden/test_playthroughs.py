"""Whole matches of every game, step by step, against playthroughs that were read and found right."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from adapters.event_store.mapper import tag
from domain.games import GAMES
from domain.match import AnyMatch, MatchStatus, Resign, legal_moves, seen, submit, to_act
from domain.shared.chance import SeededChance
from domain.shared.game import AnyGame, play
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import SPECTATOR, Viewer, seated
from tests.support.faces.differences import differences, plain, written
from tests.support.games.matches import NOW, playing
from tests.support.games.montana import text_of
from tests.support.games.shapes import Fields, Maybe, Number, Shape, Words, shape_of

MOST_STEPS = 2_000
"""A match that takes longer has no end."""
RESIGNING_STEP = 20
"""When seat 0 gives up, in a match of three or more whose options are not the defaults."""

TEXTS: Mapping[str, Callable[[Any], str]] = {"montana": text_of}
"""How the tables of some games are written as text, which then stands for the lists of their views."""


def other_options(game: AnyGame, seats: int) -> Any:
    """Return options of which each, where that is possible, is not the default."""
    shape, options = shape_of(game.options), game.options()
    assert isinstance(shape, Fields)
    for name, inner in zip(shape.names or (), shape.shapes, strict=True):
        for value in others(inner, getattr(options, name)):
            changed_options = replace(options, **{name: value})
            if game.why_not_options(changed_options, seats) is None:
                options = changed_options
                break
    return options


def others(shape: Shape, default: Any) -> list[Any]:
    """Return values of an option that are not its default, those first that are worth a match."""
    match shape:
        case Words(words=words):
            return [word for word in words if word != default]
        case Number(lowest=lowest) if default is None:
            return [lowest or 0]
        case Number():
            return [default + 1, default - 1]
        case Maybe(inner=inner):
            return others(inner, default)
        case _:
            return [default[::-1]]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_match_with_defaults_goes_as_it_was_recorded(
    golden: Callable[[str, str], None], game: AnyGame
) -> None:
    """Events, what each viewer saw of them, every change of its view, and legal moves, to the end."""
    lines = recorded(game, game.min_seats, game.options())
    golden(f"{game.id}/defaults.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_match_with_other_options_goes_as_it_was_recorded(
    golden: Callable[[str, str], None], game: AnyGame
) -> None:
    """The same with as many seats as there can be, of which one gives up (common §6)."""
    lines = recorded(game, game.max_seats, other_options(game, game.max_seats), RESIGNING_STEP)
    golden(f"{game.id}/other_options.txt", "\n".join(lines) + "\n")


def recorded(game: AnyGame, seats: int, options: Any, resigning_step: int | None = None) -> Iterator[str]:
    """Yield a match as lines of text.

    After each event stands what viewers saw otherwise; after all events of a step, what has changed in
    whose view. The first views are told by that of a spectator, and how a seat's differs from it. Seats make
    the first listed move that brings them points, else any move, the same in every run.
    """
    dice, key = Random(f"{game.id} {seats}"), f"{game.id} {seats}".encode()
    viewers = (SPECTATOR, *map(seated, seats_in_order(seats)))
    events, match = playing(game, options, seats, SeededChance(key, "0"))
    table = plain(game.view(match.state, SPECTATOR))
    views: dict[Viewer, Any] = dict.fromkeys(viewers, table) | {SPECTATOR: {}}
    yield f"{game.title}, seats: {seats}, options: {json(options)}"
    for step in range(1, MOST_STEPS):
        for event in events:
            yield f"  {json(event)}"
            yield from (f"      {line}" for line in grouped(seen_otherwise(game, event, viewers)))
        if text := TEXTS.get(game.id):
            yield from (f"    {line}" for line in text(match.state).splitlines())
        shown = {viewer: plain(game.view(match.state, viewer)) for viewer in viewers}
        changes = {viewer: changed(game, views[viewer], shown[viewer]) for viewer in viewers}
        yield from (f"    {line}" for line in grouped(changes))
        views = shown
        if match.status is MatchStatus.FINISHED:
            return
        for seat in to_act(game, match):
            yield f"  legal {seat}: {', '.join(map(words, legal_moves(game, match, seat)))}"
        seat = dice.choice(to_act(game, match))
        command = chosen(game, match, seat, dice)
        if step == resigning_step and seats > 2:
            seat, command = Seat(0), Resign()
        yield f"\n{step}. seat {seat}: {words(command)}"
        events, match = submit(game, match, seat, command, SeededChance(key, str(step)), NOW)
    raise AssertionError(f"{game.id} goes on after {MOST_STEPS} steps")


def chosen(game: AnyGame, match: AnyMatch, seat: Seat, dice: Random) -> Any:
    """Return the first listed move that brings the seat points, else any."""
    moves = legal_moves(game, match, seat)
    for move in moves:
        _, after = play(game, match.state, seat, move, SeededChance(b"", "looking ahead"))
        if game.scores(after)[seat] > game.scores(match.state)[seat]:
            return move
    return dice.choice(moves)


def seen_otherwise(game: AnyGame, event: Any, viewers: Iterable[Viewer]) -> dict[Viewer, list[str]]:
    """Return the parts of an event that viewers saw otherwise, as they saw them."""
    return {
        viewer: [
            f"{written(path)} {json(shown)}"
            for path, _, shown in differences(plain(event), plain(seen(game, event, viewer)))
        ]
        for viewer in viewers
    }


def changed(game: AnyGame, before: Any, after: Any) -> list[str]:
    """Return every part of a view that is no longer as it was; a list that only grew by what is new."""
    lines = []
    for path, was, is_now in differences(before, after):
        if isinstance(is_now, list) and was and is_now[: len(was)] == was:
            lines.append(f"{written(path)} + {json(is_now[len(was) :])}")
        elif not (game.id in TEXTS and isinstance(is_now, list)):
            lines.append(f"{written(path)} {json(is_now)}")
    return lines


def grouped(lines: Mapping[Viewer, list[str]]) -> Iterator[str]:
    """Yield lines in their order, each once, with the viewers that have it."""
    having: dict[str, list[str]] = {}
    for viewer, its in lines.items():
        for line in its:
            having.setdefault(line, []).append("spectator" if viewer.seat is None else str(viewer.seat))
    for line, names in having.items():
        yield f"{'all' if len(names) == len(lines) else ' '.join(names)}: {line}"


def words(command: Any) -> str:
    """Return a command in short: its name and what it names."""
    given = [getattr(command, name) for name in command.__struct_fields__]
    return " ".join([tag(type(command)), *(json(value).replace('"', "") for value in given)])


def json(value: Any) -> str:
    """Return a value as JSON."""
    return msgspec.json.encode(value).decode()
