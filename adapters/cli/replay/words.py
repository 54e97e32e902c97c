"""Events and tables of any game in words and columns."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from services.matches.views import SeenEvent

NOTHING = "-"
UNKNOWN = "·"
"""What stands in a list for what is not there, or not seen."""
WHO = ("seat", "seats", "turn", "winners", "running")
"""How fields end that say which seats."""


def sentence(event: SeenEvent[Any], names: Sequence[str]) -> Text:
    """Return an event as a line: who, what, and with what."""
    kind, fields = event.payload["type"], {k: v for k, v in event.payload.items() if k != "type"}
    text = Text(f"{event.version:>5}  ", style="dim")
    if event.seat is not None:
        text.append(f"{named(event.seat, names)}  ", style="bold cyan")
    text.append(in_words(kind.rpartition(".")[2]), style="bold")
    if fields.get("seat") == event.seat:
        fields.pop("seat", None)
    if fields:
        text.append("  " + fields_in_words(fields, names))
    return text


def table(shown: dict[str, Any], names: Sequence[str]) -> RenderableType:
    """Return a game's view: single values in a line, lists of things as columns, all else a line each."""
    return Group(*_parts(shown, names))


def _parts(shown: dict[str, Any], names: Sequence[str]) -> Iterator[RenderableType]:
    fields = {name: value for name, value in shown.items() if name != "game"}
    single = {name: value for name, value in fields.items() if not isinstance(value, dict | list)}
    if single:
        yield Text(fields_in_words(single, names))
    for name, value in fields.items():
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
            yield _columns(name, value, names)
        elif name not in single:
            yield Text.assemble((in_words(name), "bold"), f"  {said(value, names)}")


def _columns(name: str, rows: list[dict[str, Any]], names: Sequence[str]) -> Table:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    made = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    made.add_column(Text(in_words(name), "bold"))
    for column in columns:
        made.add_column(in_words(column))
    for place, row in enumerate(rows):
        who = named(place, names) if name == "seats" else str(place)
        made.add_row(Text(who, "cyan"), *(Text(said(row.get(column), names)) for column in columns))
    return made


def clocks(shown: dict[str, Any], names: Sequence[str]) -> Text:
    """Return the time that seats have left."""
    times = []
    for seat, left in enumerate(shown["remaining"]):
        running = " (running)" if seat in shown["running"] else ""
        times.append(f"{named(seat, names)} {left // 60_000}:{left // 1000 % 60:02}{running}")
    return Text.assemble(("clocks", "bold"), "  " + ", ".join(times))


def ending(outcome: dict[str, Any], names: Sequence[str]) -> Text:
    """Return how the match ended."""
    text = Text(in_words(outcome["kind"]), style="bold green")
    if outcome["winners"]:
        # Of the others the word says how they lost.
        by = " by" if outcome["kind"] in {"won", "shared"} else ", won by"
        text.append(f"{by} {', '.join(named(seat, names) for seat in outcome['winners'])}")
    rest = {name: value for name, value in outcome.items() if name not in {"kind", "winners"} and value != []}
    # What no game and no seat brought about is spelt as codes are: `COMMAND_LIMIT`.
    rest["reason"] = outcome["reason"].lower()
    return text.append(f", {fields_in_words(rest, names)}", style="not bold")


def named(seat: int, names: Sequence[str]) -> str:
    """Return a seat with the name of anyone who sits there."""
    name = names[seat]
    return name if name == f"seat {seat}" else f"{name} ({seat})"


def in_words(name: str) -> str:
    """Return a name of the API as people write it."""
    return name.replace("_", " ")


def fields_in_words(fields: dict[str, Any], names: Sequence[str]) -> str:
    """Return fields with their names."""
    return ", ".join(
        f"{in_words(name)} {_who(value, names) if name.endswith(WHO) else said(value, names)}"
        for name, value in fields.items()
    )


def said(value: Any, names: Sequence[str]) -> str:
    """Return a value as people write it."""
    match value:
        case None:
            return NOTHING
        case bool():
            return "yes" if value else "no"
        case []:
            return "none"
        case list() if any(isinstance(item, dict | list) for item in value):
            return "; ".join(said(item, names) for item in value)
        case list():
            return " ".join(UNKNOWN if item is None else said(item, names) for item in value)
        case dict():
            return fields_in_words(value, names)
        case _:
            return str(value)


def _who(value: Any, names: Sequence[str]) -> str:
    """Return which seats a value names; anything else as it stands."""
    match value:
        case int() if not isinstance(value, bool) and 0 <= value < len(names):
            return named(value, names)
        case [*seats] if seats and all(isinstance(seat, int) for seat in seats):
            return ", ".join(_who(seat, names) for seat in seats)
        case _:
            return said(value, names)
