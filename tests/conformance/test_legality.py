"""What every game lists as legal is accepted, and nothing else is."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import Any

import msgspec

from domain.match import AnyMatch, Reason, legal_moves, submit, to_act, why_not
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import seated
from tests.support.games.commands import asked_for
from tests.support.games.matches import NOW
from tests.support.games.places import rarely
from tests.support.games.random_matches import Table, reached
from tests.support.games.scenarios import luck
from tests.support.games.shapes import orders

MATCHES = range(20)
SHARE = 0.05
"""How many of the matches that random play comes through are looked at."""
NEARBY = range(2)
"""The matches from each rare place whose tables are looked at."""
COMMANDS = 100
"""How many commands of a type are tried where there are too many to try them all."""


def test_listed_moves_are_accepted_and_nothing_else(table: Table) -> None:
    """Of all commands in full form just the listed ones are legal; the refusal is why it says it would be.

    A command that leaves something out, or names it in another order, may mean a listed move; then it brings
    about the same.
    """
    dice, reasons = Random(0), Counter[str]()
    for match in met(table):
        for seat in to_act(table.game, match):
            moves = legal_moves(table.game, match, seat)
            assert all(answer(table, match, seat, move) is None for move in moves)
            for command in asked_for(table.game, match.state, seat, moves, dice, COMMANDS):
                reason = answer(table, match, seat, command)
                reasons[str(reason)] += 1
                if reason is None and command not in moves:
                    assert any(means(table, match, seat, command, move) for move in moves), command
    assert len(reasons) > 1, "nothing was refused"


def test_moves_are_listed_in_order(table: Table) -> None:
    """Moves come by command, then argument, each once (common §9), in a form that a client may send back."""
    order = orders(table.game.commands)
    for match in met(table):
        for seat in to_act(table.game, match):
            moves = legal_moves(table.game, match, seat)
            keys = [order(move) for move in moves]
            assert keys == sorted(keys)
            assert len(set(moves)) == len(moves) > 0
            for move in moves:
                assert msgspec.json.decode(msgspec.json.encode(move), type=type(move)) == move


def test_only_seats_that_are_to_act_have_moves(company: Table) -> None:
    """Anyone who is not to act has no move, and whatever it asks for is refused for that (common §1)."""
    dice = Random(0)
    for match in met(company):
        for seat in set(seats_in_order(company.seats)) - set(to_act(company.game, match)):
            assert tuple(company.game.legal_moves(match.state, seat)) == ()
            for command in asked_for(company.game, match.state, seat, (), dice, 5):
                expected = Reason.ALREADY_RESIGNED if seat in match.resigned else Reason.SEAT_NOT_TO_ACT
                assert answer(company, match, seat, command) is expected


def test_listing_moves_depends_on_nothing_hidden_from_the_seat(table: Table) -> None:
    """A twin that the seat cannot tell apart lists the same moves in the same order (common §5)."""
    for match in met(table):
        for seat in to_act(table.game, match):
            twin = table.game.determinize(match.state, seated(seat), luck())
            assert tuple(table.game.legal_moves(twin, seat)) == legal_moves(table.game, match, seat)


def met(table: Table) -> Iterator[AnyMatch]:
    """Yield matches in play, as random play comes through them, and some in rare places."""
    return chain(reached(table, MATCHES, SHARE), rarely(table, NEARBY))


def answer(table: Table, match: AnyMatch, seat: Seat, command: Any) -> Any:
    """Return why a command is refused, or None, where asking and deciding agree."""
    expected = why_not(table.game, match, seat, command, NOW)
    decided = None
    try:
        submit(table.game, match, seat, command, luck(), NOW)
    except Rejected as refusal:
        decided = refusal.reason
    assert decided is expected, command
    return expected


def means(table: Table, match: AnyMatch, seat: Seat, command: Any, move: Any) -> bool:
    """Return whether a command names nothing but what a move names, and brings about the same."""
    if type(command) is not type(move) or Counter(named(command)) - Counter(named(move)):
        return False
    return submit(table.game, match, seat, command, luck(), NOW) == submit(
        table.game, match, seat, move, luck(), NOW
    )


def named(command: Any) -> Iterator[Any]:
    """Yield what a command gives, each list as a multiset."""
    for name in command.__struct_fields__:
        value = getattr(command, name)
        if value is not None:
            yield tuple(sorted(map(str, value))) if isinstance(value, tuple) else value
