"""Every event as it was ever stored still loads, and says what it said."""

from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain, product
from operator import or_
from pathlib import Path
from typing import Any, get_origin

import msgspec
import pytest

from adapters.event_store.mapper import tag
from adapters.generics import filled
from domain.games import GAMES
from domain.match import COMMON_EVENTS, Branched, event_types
from domain.match.branch import SCHEMA, read_table, written_table
from domain.shared.game import AnyGame
from tests.support.games.matches import lives
from tests.support.games.random_matches import Table, played

FOLDER = Path(__file__).parent / "events"
MATCHES = range(2_000)
"""The random matches that new samples are taken from."""


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_stored_events_of_a_game_load_for_ever(rebuilding: bool, game: AnyGame) -> None:
    """A game's events, options and tables decode from every stored sample, and none is without one."""
    own = tuple(kind for kind in event_types(game) if kind not in COMMON_EVENTS)
    load(game.id, own, [game], add=rebuilding)


def test_stored_events_of_all_games_load_for_ever(rebuilding: bool) -> None:
    """What can happen to a match of any game decodes from every stored sample, and all of it has one."""
    load("match", COMMON_EVENTS, list(GAMES.values()), add=rebuilding)


def load(name: str, types: tuple[Any, ...], games: Iterable[AnyGame], *, add: bool) -> None:
    """Assert that a file's samples of these types load; add first what it lacks, if that is wanted."""
    path = FOLDER / f"{name}.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(reduce(or_, types))
    wanted = {tag(get_origin(kind) or kind) for kind in types}
    if add:
        lines += fresh(games, wanted - as_stored_today(decoder, lines))
        path.write_bytes(b"".join(line + b"\n" for line in lines))
    for line in lines:
        said, means = (
            msgspec.json.decode(line),
            msgspec.json.decode(msgspec.json.encode(decoder.decode(line))),
        )
        assert within(said, means), line
    assert as_stored_today(decoder, lines) == wanted


def tables(game: AnyGame) -> Iterator[str]:
    """Yield the whole tables, as they are stored in the samples of a game's branches."""
    decoder = msgspec.json.Decoder(filled(Branched, game.table))
    for line in (FOLDER / f"{game.id}.jsonl").read_bytes().splitlines():
        if msgspec.json.decode(line)["type"] == tag(Branched):
            yield decoder.decode(line).state or ""


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_stored_tables_of_a_game_load_for_ever(game: AnyGame) -> None:
    """The table of every stored branch decodes, and one of them is just as it would be stored now."""
    assert SCHEMA not in game.state.__struct_fields__
    stored = list(tables(game))
    as_today = [text for text in stored if written_table(game, read_table(game, text)) == text]
    assert as_today, "the shape of tables has changed: write an upcast, then `make golden`"


def test_a_renamed_field_makes_the_gate_speak() -> None:
    """A table's field by another name leaves no stored table readable, until an upcast names it so too."""
    montana = GAMES["montana"]

    def name(field: str) -> str:
        return "redealt" if field == "redeals_done" else field

    fields = [(name(field.name), field.type) for field in msgspec.structs.fields(montana.state)]
    state = msgspec.defstruct("State", fields, frozen=True)
    renamed = msgspec.structs.replace(montana, state=state)

    def upcast(table: dict[str, Any]) -> dict[str, Any]:
        return {name(field): value for field, value in table.items()}

    mended = msgspec.structs.replace(renamed, upcasts=(upcast,))
    for text in tables(montana):
        with pytest.raises(msgspec.DecodeError, match="redealt"):
            read_table(renamed, text)
        told = read_table(mended, text)
        assert told.redealt == read_table(montana, text).redeals_done
        assert read_table(mended, written_table(mended, told)) == told
        with pytest.raises(msgspec.DecodeError, match="shape 2"):
            read_table(montana, written_table(mended, told))


def as_stored_today(decoder: msgspec.json.Decoder[Any], lines: Iterable[bytes]) -> set[str]:
    """Return the events of which a line is just as it would be stored now."""
    loaded = ((line, decoder.decode(line)) for line in lines)
    return {
        tag(type(event))
        for line, event in loaded
        if msgspec.json.encode(event) == line and _table_of_today(event)
    }


def _table_of_today(event: Any) -> bool:
    """Return whether the whole table that an event may have is written as it would be now."""
    if not isinstance(event, Branched):
        return True
    game = GAMES[tag(type(event.table))]
    return written_table(game, read_table(game, event.state)) == event.state


def fresh(games: Iterable[AnyGame], wanted: set[str]) -> Iterator[bytes]:
    """Yield one sample of each of these events, as far as they come up in random matches."""
    missing = set(wanted)
    for game, number in product(games, MATCHES):
        if not missing:
            return
        steps = (event for step in played(Table(game, game.max_seats), number) for event in step.events)
        for event in chain(steps, lives(game, game.options())):
            if (name := tag(type(event))) in missing:
                missing.remove(name)
                yield msgspec.json.encode(event)


def within(part: Any, whole: Any) -> bool:
    """Return whether plain data holds all that a part of it says, at the same places."""
    if isinstance(part, dict):
        return all(name in whole and within(inner, whole[name]) for name, inner in part.items())
    if isinstance(part, list):
        return len(part) == len(whole) and all(map(within, part, whole))
    return bool(part == whole)
