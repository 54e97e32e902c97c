"""Montana played by a fixed policy, step by step, against playthroughs that were read and found right."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import msgspec
import pytest

from domain.match import Phase, legal_moves, submit
from domain.montana import GAME
from domain.montana.catalogue import ACES, Options, RedealPolicy
from domain.montana.commands import Command, MoveCard, Redeal
from domain.montana.events import CardMoved, Dealt, Event, Redealt
from domain.montana.state import State
from domain.shared.seats import Seat
from tests.support.matches import playing
from tests.support.montana import DEAL_0, DEAL_1, text_of
from tests.support.scenarios import luck


def playthrough(options: Options) -> str:
    """Return a match as text: each step's command, events, table and legal moves.

    The policy makes the first listed move that lengthens a finished part, else the last that walks no 2
    from row to row, else deals anew.
    """
    events, match = playing(GAME, options)
    lines = [f"options: {_json(options)}", ""]
    for step in count():
        moves = legal_moves(GAME, match, Seat(0))
        lines += [f"{step}.", *(f"  {_json(event)}" for event in events)]
        lines += [f"    {row}" for row in text_of(match.table).splitlines()]
        lines += [f"  score {GAME.scores(match.table)[0]}, redeals left {match.table.redeals_left}"]
        lines += [f"  legal: {', '.join(map(_words, moves)) or 'nothing'}", ""]
        if match.phase is Phase.FINISHED:
            return "\n".join(lines)
        command = _choice(match.table, moves)
        lines += [f"> {_words(command)}"]
        events, match = submit(GAME, match, Seat(0), command, luck(f"{step}"))
    raise AssertionError("a playthrough ends")


def _choice(table: State, moves: tuple[Command, ...]) -> Command:
    before = GAME.scores(table)[0]
    other: Command = moves[-1]
    for move in moves:
        (event,) = GAME.decide(table, Seat(0), move, luck())
        if not isinstance(event, CardMoved):
            continue
        if GAME.scores(GAME.evolve(table, event))[0] > before:
            return move
        if event.from_column or event.column:
            other = move
    return other


def _words(command: Command) -> str:
    match command:
        case MoveCard(card=card, row=row, column=column):
            return f"{card} to {row},{column}"
        case Redeal():
            return "redeal"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("montana/deal_1.txt", Options(deal=1)),
        ("montana/deal_0_without_redeals.txt", Options(deal=0, redeals=0)),
    ],
)
def test_a_match_goes_as_it_was_recorded(
    golden: Callable[[str, str], None], name: str, options: Options
) -> None:
    """Events, table, score and legal moves of a whole match, step by step (§3 to §5, R6)."""
    golden(name, playthrough(options))


SAMPLES: tuple[Event, ...] = (
    Dealt(DEAL_1, 2, RedealPolicy.WHEN_STUCK, 1),
    Dealt(DEAL_0, 9, RedealPolicy.ANY_TIME, None),
    CardMoved("10D", 1, 12, 0, 4),
    Redealt(tuple(None if card in ACES else card for card in DEAL_0), 1),
)
"""What the stored samples say, line by line."""


def test_stored_events_load_for_ever() -> None:
    """Every event as it was ever stored still decodes, to what it said; lines are added, never changed."""
    lines = (Path(__file__).parent / "events" / "montana.jsonl").read_bytes().splitlines()
    assert tuple(msgspec.json.decode(line, type=Dealt | CardMoved | Redealt) for line in lines) == SAMPLES
    assert {type(sample) for sample in SAMPLES} == set(GAME.events)
