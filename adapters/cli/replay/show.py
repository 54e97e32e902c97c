"""A match shown move by move, at the reader's pace or at one of its own."""

from collections.abc import Callable
from itertools import groupby
from typing import Any, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from adapters.cli.replay import words
from adapters.cli.replay.stories import ReplayFailed, Story, called
from services.matches.views import SeenEvent

NEXT = frozenset({"\r", "\n", " ", "n", "\x1b[C", "\x00M", "\xe0M"})
BACK = frozenset({"b", "p", "\x7f", "\b", "\x1b[D", "\x00K", "\xe0K"})
QUIT = frozenset({"q", "\x03", "\x04", "\x1b"})
"""The keys that go on, go back and end, as terminals send them."""
KEYS = "Enter or → goes on, ← back, q ends"
BAR = 24


class Move(NamedTuple):
    """What was decided at once.

    Attributes:
        number: Which move it is, from 1.
        events: What it brought about, in order.
    """

    number: int
    events: tuple[SeenEvent[Any], ...]

    @property
    def version(self) -> int:
        """Version of the match after it."""
        return self.events[-1].version


def moves_of(story: Story) -> tuple[Move, ...]:
    """Return the moves of a match: what happened at one time, of one seat."""
    groups = groupby(story.events, key=lambda event: (event.at, event.seat))
    return tuple(Move(number, tuple(events)) for number, (_, events) in enumerate(groups, start=1))


def show_all(story: Story, console: Console, pause: Callable[[], None] = lambda: None) -> None:
    """Show all moves, one below the other, with a pause between two."""
    moves = moves_of(story)
    for move in moves:
        if move.number > 1:
            pause()
        console.print(page(story, move, len(moves)))


def show_version(story: Story, version: int, console: Console) -> None:
    """Show the match at one version.

    Raises:
        ReplayFailed: It has no such version.
    """
    if not 1 <= version <= len(story.events):
        raise ReplayFailed(f"the match has no version {version}; the latest is {len(story.events)}")
    moves = moves_of(story)
    move = next(move for move in moves if move.version >= version)
    so_far = Move(move.number, tuple(event for event in move.events if event.version <= version))
    console.print(page(story, so_far, len(moves)))


def show_by_keys(story: Story, console: Console, key: Callable[[], str]) -> None:
    """Show a move, and another as the reader's keys say, until the last or until the reader ends it."""
    moves, place = moves_of(story), 0
    while place < len(moves):
        console.clear()
        console.print(page(story, moves[place], len(moves)))
        console.print(Text(KEYS, "dim"))
        pressed = key()
        while pressed not in NEXT | BACK | QUIT:
            pressed = key()
        if pressed in QUIT:
            return
        place = place + 1 if pressed in NEXT else max(0, place - 1)


def page(story: Story, move: Move, moves: int) -> RenderableType:
    """Return a move: where it stands, what happened, and how the table is behind it."""
    progress = Table.grid(padding=(0, 2))
    progress.add_row(
        Text(f"move {move.number}/{moves}", "bold"),
        ProgressBar(total=moves, completed=move.number, width=BAR),
        Text(f"version {move.version}"),
    )
    at = f"{move.events[-1].at:%Y-%m-%d %H:%M:%S}"
    where = Text(f"{story.ruleset}, as {called(story.viewer)}, {at}", "dim")
    parts: list[RenderableType] = [progress, where]
    parts += [words.sentence(event, story.names) for event in move.events]
    view = story.view(move.version)
    if view is not None:
        if view["table"] is not None:
            parts += [Text(), words.table(view["table"], story.names)]
        if view["clocks"] is not None:
            parts.append(words.clocks(view["clocks"], story.names))
        if view["to_act"]:
            who = ", ".join(words.named(seat, story.names) for seat in view["to_act"])
            parts.append(Text.assemble((who, "bold cyan"), " to choose"))
        if view["outcome"] is not None:
            parts.append(words.ending(view["outcome"], story.names))
    return Group(*parts, Text())
