"""The audit of a bundle: what it checks, what it says, and that every byte counts."""

from io import BytesIO
from itertools import islice
from typing import Any

import pytest
from msgspec.structs import replace

from adapters.keys.signing import Ed25519Signatures, Ed25519Signer
from domain.shared.chance import Chance
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.proof.bundle_audit import Altered, Check, Passed, verify
from services.proof.bundles import LONGEST_LINE, lines_of
from tests.support.games.random_matches import Table
from tests.support.games.scenarios import luck
from tests.support.games.squirrels import SQUIRRELS, Buried, DugUp
from tests.support.proof.bundles import SIGNER, bundle_of, bundled
from tests.support.proof.chains import MATCH, fair

GAMES = {"squirrels": SQUIRRELS}
SIGNATURES = Ed25519Signatures()
TABLE = Table(SQUIRRELS, 2)
WHOLE = bundled(TABLE, 1)
OWN = bundled(TABLE, 1, seated(Seat(1)))
PUBLIC = bundled(TABLE, 1, SPECTATOR)
EVENTS = len(WHOLE) - 2
COMMANDS = sum(b'"command":' in line for line in WHOLE)


def found_in(lines: list[bytes]) -> tuple[Check, int]:
    """Return what fails in a bundle, and at which version."""
    with pytest.raises(Altered) as found:
        verify(lines, GAMES, SIGNATURES)
    return found.value.check, found.value.version


def changed(lines: list[bytes], number: int, old: str, new: str) -> list[bytes]:
    """Return a bundle in one line of which a text stands in the place of another."""
    line = lines[number].replace(old.encode(), new.encode(), 1)
    assert line != lines[number]
    return [*lines[:number], line, *lines[number + 1 :]]


def test_a_whole_bundle_is_checked_in_all_that_it_says() -> None:
    """Lines, chain, parts, seed, draws, decisions, outcome, every audience, signature (API "Proof")."""
    assert verify(WHOLE, GAMES, SIGNATURES) == (
        Passed(Check.LINES, EVENTS + 2, "lines"),
        Passed(Check.CHAIN, EVENTS, "events"),
        Passed(Check.PARTS, EVENTS, "events"),
        Passed(Check.SEED, 1, "seed"),
        Passed(Check.CHANCE, 1, "shuffles and draws"),
        Passed(Check.DECISIONS, COMMANDS, "commands"),
        Passed(Check.OUTCOME, 1, "outcome"),
        Passed(Check.AUDIENCES, EVENTS, "events"),
        Passed(Check.SIGNATURE, 1, f"signature by the key {SIGNER.key.kid}"),
    )


def test_a_bundle_is_checked_under_its_own_ruleset() -> None:
    """A later edition with other rules changes nothing for the matches of the one before."""
    later = replace(SQUIRRELS, ruleset="squirrels/later", outcome=lambda state: None, earlier=(SQUIRRELS,))
    assert verify(WHOLE, {"squirrels": later}, SIGNATURES) == verify(WHOLE, GAMES, SIGNATURES)
    with pytest.raises(Altered, match="is not known here"):
        verify(WHOLE, {"squirrels": replace(later, earlier=())}, SIGNATURES)


def test_the_bundle_of_a_match_in_play_has_neither_seed_nor_signature() -> None:
    """Both come with the end of the match."""
    lines = bundled(TABLE, 1, seated(Seat(0)), 9)
    events = len(lines) - 2
    passed = verify(lines, GAMES, SIGNATURES)
    assert [one.count for one in passed] == [events + 2, events, events, *[None] * 6]


def test_a_spectators_bundle_has_no_parts_of_its_own() -> None:
    """All that it was shown is in the records."""
    counts = [one.count for one in verify(PUBLIC, GAMES, SIGNATURES)]
    assert counts == [EVENTS + 2, EVENTS, *[None] * 6, 1]


@pytest.mark.parametrize("viewer", [ALL_SEEING, seated(Seat(0)), SPECTATOR], ids=lambda viewer: viewer.kind)
def test_every_byte_of_a_small_bundle_counts(viewer: Viewer) -> None:
    """Whichever is flipped, it is found in its line; the match's id shows at the first event."""
    lines = bundled(TABLE, 1, viewer, 3)
    data, place = b"".join(lines), 0
    for number, line in enumerate(lines):
        for _ in line:
            flipped = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
            _, version = found_in(list(lines_of(BytesIO(flipped))))
            assert version == number or (number, version) == (0, 1)
            place += 1


@pytest.mark.parametrize(
    ("lines", "number", "old", "new", "found"),
    [
        (WHOLE, 0, "bundle/1", "bundle/2", (Check.LINES, 0)),
        (WHOLE, 0, '"game":"squirrels"', '"game":"mice"', (Check.LINES, 0)),
        (WHOLE, 0, "squirrels/", "squirrels/x", (Check.LINES, 0)),
        (WHOLE, 0, '"seats":2', '"seats":3', (Check.PARTS, 1)),
        (WHOLE, 0, '"seat":null', '"seat":0', (Check.LINES, 0)),
        (WHOLE, 0, '"seed":"AAEC', '"seed":"AAED', (Check.SEED, 1)),
        (WHOLE, 0, '"seed":"', '"seed":"?', (Check.SEED, 0)),
        (WHOLE, 0, '"all"', '"spectator"', (Check.LINES, 0)),
        (OWN, 0, '"seed":null', '"seed":"AAEC"', (Check.LINES, 0)),
        (OWN, 0, '"seat":1', '"seat":0', (Check.PARTS, 1)),
        (OWN, 0, '"seat":1', '"seat":2', (Check.LINES, 0)),
        (OWN, 0, '"seat":1', '"seat":null', (Check.LINES, 0)),
        (OWN, 0, MATCH, MATCH[:-1] + "1", (Check.CHAIN, 1)),
        (OWN, 4, '"version":4', '"version":5', (Check.CHAIN, 4)),
        (OWN, 4, "}\n", "}\r\n", (Check.LINES, 4)),
        (OWN, 4, "}\n", ',"x":0}\n', (Check.LINES, 4)),
        (OWN, 4, ":", ": ", (Check.LINES, 4)),
        (OWN, 4, '"event"', '"end"', (Check.LINES, 4)),
        (OWN, EVENTS + 1, f'"version":{EVENTS}', '"version":1', (Check.CHAIN, EVENTS + 1)),
        (OWN, EVENTS + 1, '"head":"', '"head":"A', (Check.CHAIN, EVENTS + 1)),
        (OWN, EVENTS + 1, SIGNER.key.x, Ed25519Signer(bytes(32)).key.x, (Check.SIGNATURE, EVENTS + 1)),
        (OWN, EVENTS + 1, SIGNER.key.kid, "A", (Check.SIGNATURE, EVENTS + 1)),
        (OWN, EVENTS + 1, '"signature":"', '"signature":"A', (Check.SIGNATURE, EVENTS + 1)),
    ],
)
def test_what_is_wrong_is_named(
    lines: list[bytes], number: int, old: str, new: str, found: tuple[Check, int]
) -> None:
    """The check that fails, and the version at which."""
    assert found_in(changed(lines, number, old, new)) == found


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([], (Check.LINES, 1)),
        (WHOLE[1:], (Check.LINES, 0)),
        (WHOLE[:-1], (Check.LINES, EVENTS + 1)),
        ([WHOLE[0], WHOLE[-1]], (Check.LINES, 1)),
        ([WHOLE[0], *WHOLE], (Check.LINES, 1)),
        ([*WHOLE, WHOLE[-1]], (Check.LINES, EVENTS + 1)),
        ([*WHOLE, WHOLE[-2]], (Check.LINES, EVENTS + 1)),
        ([*WHOLE[:5], *WHOLE[6:]], (Check.CHAIN, 5)),
        ([*WHOLE[:5], WHOLE[4], *WHOLE[5:]], (Check.CHAIN, 5)),
        ([*WHOLE[:4], b"\n", *WHOLE[4:]], (Check.LINES, 4)),
        ([*WHOLE[:-2], WHOLE[-1]], (Check.CHAIN, EVENTS)),
        ([*WHOLE[:-1], WHOLE[-1][:-1]], (Check.LINES, EVENTS + 1)),
        ([WHOLE[0], b"[" * 100_000], (Check.LINES, 1)),
        ([WHOLE[0], b'{"line":"event","payload":' + b"[" * 100_000], (Check.LINES, 1)),
        ([WHOLE[0], b" " * (LONGEST_LINE + 1)], (Check.LINES, 1)),
        ([WHOLE[0], b"\xff\n"], (Check.LINES, 1)),
    ],
)
def test_lines_that_are_missing_doubled_or_none_are_named(
    lines: list[bytes], found: tuple[Check, int]
) -> None:
    """A bundle is a header, every event once and in order, and an end."""
    assert found_in(lines) == found


def test_parts_of_another_match_are_no_parts_of_this_one() -> None:
    """An event that is whole in itself does not stand after this match's events."""
    other = bundled(TABLE, 2)
    assert found_in([*WHOLE[:5], other[5], *WHOLE[6:]]) == (Check.CHAIN, 5)


def line_of(lines: list[bytes], event: str) -> int:
    """Return the number of the line with the first event of that name, which is its version."""
    return next(number for number, line in enumerate(lines) if f'"type":"squirrels.{event}"'.encode() in line)


def test_a_server_that_shows_more_than_it_may_is_found_out() -> None:
    """A chain that is sound in itself does not pass if a seat was shown what the rules hide from it."""
    leaky = replace(SQUIRRELS, seen=lambda event, viewer: event)
    lines = bundled(Table(leaky, 2), 1)
    assert found_in(lines) == (Check.AUDIENCES, line_of(lines, "dealt"))


def test_a_server_that_draws_otherwise_is_found_out() -> None:
    """A deal that does not come from the seed is not what had to happen."""
    unlucky = replace(SQUIRRELS, setup=lambda options, seats, _: SQUIRRELS.setup(options, seats, luck()))
    lines = bundled(Table(unlucky, 2), 1)
    assert found_in(lines) == (Check.DECISIONS, line_of(lines, "dealt"))


def test_a_server_that_decides_otherwise_is_found_out() -> None:
    """An event that the rules do not bring about is named where it stands."""

    def generous(state: Any, chance: Chance) -> Any:
        forced = SQUIRRELS.consequence(state, chance)
        return replace(forced, points=forced.points + 1) if isinstance(forced, DugUp) else forced

    lines = bundled(Table(replace(SQUIRRELS, consequence=generous), 2), 1)
    assert found_in(lines) == (Check.DECISIONS, line_of(lines, "dug_up"))


def test_a_server_that_takes_what_the_rules_refuse_is_found_out() -> None:
    """A command that was refused did not happen."""
    bold = replace(SQUIRRELS, max_seats=4)
    assert found_in(bundled(Table(bold, 4), 1)) == (Check.DECISIONS, 1)


def test_a_server_that_leaves_out_what_had_to_happen_is_found_out() -> None:
    """Before the next command, or at the end of the bundle."""
    steps = list(fair(TABLE, 1))
    number = next(number for number, step in enumerate(steps) if isinstance(step.events[0], Buried))
    assert len(steps[number].events) > 1
    short = [*steps[:number], steps[number]._replace(events=steps[number].events[:-1])]
    lines = bundle_of(TABLE, short)
    assert found_in(lines) == (Check.DECISIONS, len(lines) - 1)
    lines = bundle_of(TABLE, [*short, steps[number + 1]])
    assert found_in(lines) == (Check.DECISIONS, len(lines) - 1 - len(steps[number + 1].events))


def test_a_server_that_adds_what_did_not_have_to_happen_is_found_out() -> None:
    """An event after a command that has brought about all it does."""
    steps = list(islice(fair(TABLE, 1), 6))
    lines = bundle_of(TABLE, [*steps[:-1], steps[-1]._replace(events=steps[-1].events * 2)])
    assert found_in(lines) == (Check.DECISIONS, len(lines) - 1 - len(steps[-1].events))


def test_a_move_of_nobody_is_found_out() -> None:
    """Only a seat may give a command of the game."""
    steps = list(islice(fair(TABLE, 1), 6))
    lines = bundle_of(TABLE, [*steps[:-1], steps[-1]._replace(seat=None)])
    assert found_in(lines) == (Check.DECISIONS, len(lines) - 1 - len(steps[-1].events))


def test_an_event_at_another_time_than_its_command_is_found_out() -> None:
    """All that follows from a command happens at its time, and is its seat's."""
    steps = list(islice(fair(TABLE, 1), 4))
    *others, last = steps
    torn = [last._replace(events=last.events[:1]), last._replace(command=None, events=last.events[1:])]
    lines = bundle_of(TABLE, [*others, *torn])
    assert found_in(lines) == (Check.DECISIONS, len(lines) - 2)
