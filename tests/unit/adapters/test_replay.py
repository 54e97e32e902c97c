"""The command `montane replay`: a match of any game, move by move, as one viewer may see it."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.console import Console
from typer.testing import CliRunner, Result

from adapters.cli.app import app
from adapters.cli.replay.show import KEYS, moves_of, show_all, show_by_keys, show_version
from adapters.cli.replay.stories import ReplayFailed, Story, bundled
from domain.games import GAMES
from domain.shared.game import AnyGame
from domain.shared.viewers import SPECTATOR
from tests.support.games.random_matches import Table
from tests.support.proof.bundles import bundled as bundle_of

BUNDLES = Path(__file__).parents[3] / "docs" / "vectors" / "bundles"
MONTANA = BUNDLES / "montana.ndjson"
WIDE = 2_000


def recording(width: int = WIDE) -> Console:
    """Return a console that keeps what it shows."""
    return Console(record=True, width=width, file=StringIO())


def replayed(*arguments: str | Path) -> Result:
    """Return how the command ends, where its output is no terminal."""
    return CliRunner().invoke(app, ["replay", *map(str, arguments)])


def words_in(value: Any) -> Iterator[str]:
    """Yield all that a table says."""
    match value:
        case dict():
            for name, inner in value.items():
                yield from () if name == "game" else words_in(inner)
        case list():
            for inner in value:
                yield from words_in(inner)
        case str() | int() if not isinstance(value, bool):
            yield str(value)


@pytest.fixture(params=list(GAMES.values()), ids=list(GAMES))
def story(request: pytest.FixtureRequest, tmp_path: Path) -> Story:
    """A whole random match of each game, as everybody may see it after the end."""
    game: AnyGame = request.param
    path = tmp_path / "bundle.ndjson"
    path.write_bytes(b"".join(bundle_of(Table(game, game.max_seats), 1)))
    return bundled(path, looking_as=None)


def test_every_move_is_shown_with_the_table_behind_it(story: Story) -> None:
    """Progress, each event by its version and its words, and all that the table says."""
    console = recording()
    show_all(story, console)
    pages = console.export_text().split("move ")[1:]
    moves = moves_of(story)
    assert len(pages) == len(moves) > 3
    assert [event.version for move in moves for event in move.events] == list(range(1, len(story.events) + 1))
    for page, move in zip(pages, moves, strict=True):
        assert page.startswith(f"{move.number}/{len(moves)} ")
        for event in move.events:
            assert f"\n{event.version:>5}  " in page
            assert event.payload["type"].rpartition(".")[2].replace("_", " ") in page
        view = story.view(move.version)
        assert view is not None
        assert set(words_in(view["table"])) <= set(page.replace(",", " ").split())
        assert all(f"seat {seat}" in page for seat in view["to_act"])
    assert story.view(len(story.events))["outcome"]["reason"] in pages[-1]  # type: ignore[index]


def test_it_can_be_looked_at_from_a_seat(tmp_path: Path) -> None:
    """What the others hold is not in it; the events are as the seat saw them."""
    path = BUNDLES / "montanara.ndjson"
    story = bundled(path, looking_as="1")
    console = recording()
    show_version(story, 8, console)
    whole = bundled(path, looking_as="all").view(8)
    seen = story.view(8)
    assert whole is not None
    assert seen is not None
    assert whole["table"]["seats"][0]["hand"]
    assert seen["table"]["seats"][0]["hand"] == []
    assert whole["table"]["seats"][1] == seen["table"]["seats"][1]
    row = next(line for line in console.export_text().splitlines() if line.startswith("seat 0 "))
    assert row.split()[:4] == ["seat", "0", str(len(whole["table"]["seats"][0]["hand"])), "none"]
    assert "as seat 1," in replayed(path, "--as", "1", "--at", "8").stdout


def test_one_version_is_shown_alone() -> None:
    """With the events of its move up to then, and the table at just that version."""
    story = bundled(MONTANA, looking_as=None)
    console = recording()
    show_version(story, 10, console)
    text = console.export_text()
    assert text.count("move ") == 1
    assert "version 10\n" in text
    for wrong in ("0", "99"):
        done = replayed(MONTANA, "--at", wrong)
        assert (done.exit_code, done.stderr) == (
            1,
            f"montane: the match has no version {wrong}; the latest is {len(story.events)}\n",
        )


def test_keys_go_on_and_back_and_end_it() -> None:
    """Enter, space and arrows; unknown keys do nothing; after the last move it is over."""
    story = bundled(MONTANA, looking_as=None)
    total = len(moves_of(story))

    def shown(*pressed: str) -> list[int]:
        console, keys = recording(), iter(pressed)
        show_by_keys(story, console, lambda: next(keys))
        text = console.export_text()
        numbers = [int(part.partition("/")[0]) for part in text.split("move ")[1:]]
        assert text.count(KEYS) == len(numbers)
        assert next(keys, None) is None
        return numbers

    assert shown("\r", "\x1b[C", "?", "\x1b[D", "q") == [1, 2, 3, 2]
    assert shown("\x1b[D", " ", "\x03") == [1, 1, 2]
    assert shown(*"\n" * total) == list(range(1, total + 1))


def test_elsewhere_than_in_a_terminal_all_is_shown() -> None:
    """In 80 columns, with no key asked for."""
    done = replayed(MONTANA)
    total = len(moves_of(bundled(MONTANA, looking_as=None)))
    assert done.exit_code == 0
    assert [f"move {number}/{total} " in done.stdout for number in range(1, total + 1)] == [True] * total
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert replayed(MONTANA, "--speed", "1000").stdout == done.stdout


def test_a_bundle_of_one_viewer_has_no_table() -> None:
    """It shows what happened as its viewer saw it, and as nobody else."""
    path = BUNDLES / "montanara_seat.ndjson"
    done = replayed(path)
    assert done.exit_code == 0
    assert "discard pile" not in done.stdout
    for other in ("1", "all", "spectator"):
        assert "as seat 0 saw it only" in replayed(path, "--as", other).stderr
    assert "--as must be a seat's number below 2" in replayed(path, "--as", "2").stderr


@pytest.mark.parametrize("content", [b"", b"{}\n", b"no bundle\n", MONTANA.read_bytes()[:3_000]])
def test_a_file_that_is_no_bundle(tmp_path: Path, content: bytes) -> None:
    """It is said in one line which file that is."""
    path = tmp_path / "file.ndjson"
    path.write_bytes(content)
    done = replayed(path)
    assert done.exit_code == 1
    assert done.stderr.startswith(f"montane: {path} ")
    assert done.stderr.count("\n") == 1


def test_a_bundle_of_unknown_rules(tmp_path: Path) -> None:
    """Its table cannot be worked out here."""
    path = tmp_path / "bundle.ndjson"
    path.write_bytes(MONTANA.read_bytes().replace(b'"montana/1"', b'"montana/9"', 1))
    with pytest.raises(ReplayFailed, match="montana under montana/9 is not known here"):
        bundled(path, looking_as=None)


def test_names_are_shown_as_they_are() -> None:
    """What looks like markup in a name is a part of the name."""
    first = bundled(MONTANA, looking_as=None).events[0]
    told = replace(first, seat=0, payload={"type": "match.resigned", "seat": 0})
    story = Story("match", "montana/1", SPECTATOR, ("[red]Ann[/red]",), (told,), lambda version: None)
    console = recording()
    show_all(story, console)
    assert "[red]Ann[/red] (0)  resigned" in console.export_text()


def test_a_server_that_is_away() -> None:
    """It is said where no answer came from."""
    done = replayed("match_" + "0" * 26, "--url", "http://127.0.0.1:9")
    assert done.exit_code == 1
    assert done.stderr.startswith("montane: no answer from http://127.0.0.1:9/v1/: ")
