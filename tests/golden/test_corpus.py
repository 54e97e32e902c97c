"""The ruleset gate: what was decided once under a ruleset is decided so for ever.

Finished matches of every ruleset there ever was, of every number of seats and every value of every option,
are decided again. Who changes a rule gives the game a new ruleset id, and keeps the edition before it.
"""

from collections import Counter
from itertools import product
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import OnTimeOut, Resign, TimeControlKind, TimeOut
from domain.shared.canonical import canonical
from domain.shared.chance import Chance, SeededChance
from domain.shared.game import AnyGame
from domain.shared.outcomes import Outcome
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from tests import corpus
from tests.support.games.corpus import (
    RULE,
    AnyFinished,
    Course,
    Difference,
    difference,
    edition_of,
    keep,
    kept_rulesets,
    load,
    path_of,
)
from tests.support.games.random_matches import random_options, tables
from tests.support.games.shapes import shapes_of

PARTS = 4
"""Into how many tests the matches of a ruleset are cut, so that all cores decide them."""
MOST_BYTES = 3_000_000
"""What the matches of all rulesets may take together."""
ENOUGH = 500
"""How many matches each has at least."""
STEP = 40
"""A changed rule must show among one match in so many."""
PROPOSALS = 2_000
"""How many random options are tried to find out which values go together."""
DIFFERENT = 10
"""How many values an option has that has too many to try them all."""

EDITIONS = [known for game in GAMES.values() for known in (game, *game.earlier)]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("ruleset", kept_rulesets())
def test_matches_are_decided_as_they_were(ruleset: str, part: int) -> None:
    """Every match that is kept has the same outcome, and the same hash of all that happened in it."""
    game = edition_of(GAMES.values(), ruleset)
    found = [different for match in load(game, part, PARTS) if (different := difference(game, match))]
    assert not found, f"{len(found)} matches differ. The first is {found[0]}"


def test_every_ruleset_has_its_matches() -> None:
    """No edition is without matches, `make corpus` plays them; no matches are without their edition."""
    assert sorted(kept_rulesets()) == sorted(game.ruleset for game in EDITIONS)


def test_the_matches_are_many_and_small() -> None:
    """Each ruleset has some hundred, and together they are small enough for a repository."""
    assert sum(path_of(ruleset).stat().st_size for ruleset in kept_rulesets()) < MOST_BYTES
    for game in EDITIONS:
        assert sum(1 for _ in load(game)) >= ENOUGH


@pytest.mark.parametrize("game", EDITIONS, ids=lambda game: game.ruleset)
class TestEveryRuleset:
    """What the matches of a ruleset have among them."""

    def test_all_options(self, game: AnyGame) -> None:
        """For each number of seats each value of each option, and any two values that go together."""
        agreed = [match.agreed for match in load(game)]
        shapes = shapes_of(game.options)
        for table in tables(game):
            dice = Random(str(table))
            possible = [random_options(table, dice) for _ in range(PROPOSALS)]
            met = [one.options for one in agreed if one.seats == table.seats]
            assert game.options() in met
            for one, other in product(shapes, repeat=2):
                pairs = {(getattr(options, one), getattr(options, other)) for options in met}
                if max(shapes[one].size, shapes[other].size) <= corpus.FEW:
                    wanted = {(getattr(options, one), getattr(options, other)) for options in possible}
                    assert pairs == wanted
                else:
                    assert len(pairs) >= DIFFERENT

    def test_all_ways_to_run_out_of_time(self, game: AnyGame) -> None:
        """For each number of seats each time control with either consequence, and time-outs in each."""
        matches = list(load(game))
        limited = set(TimeControlKind) - {TimeControlKind.NONE}
        for table in tables(game):
            late = {
                (match.agreed.time_control.kind, match.agreed.on_time_out)
                for match in matches
                if match.agreed.seats == table.seats
                and any(isinstance(asked.command, TimeOut) for asked in match.asked)
            }
            assert late == set(product(limited, OnTimeOut))

    def test_all_commands_and_events(self, game: AnyGame) -> None:
        """Every command of the game, giving up, entropy of every seat, and every event."""
        asked, happened, entropies = set[type[Any]](), set[type[Any]](), Counter[Seat]()
        for match in reversed(list(load(game))):
            asked |= {type(one.command) for one in match.asked}
            entropies.update(Seat(seat) for seat, entropy in enumerate(match.agreed.entropies) if entropy)
            if not happened.issuperset(game.events):
                course = Course(game, match.agreed)
                happened.update(map(type, course.events))
                for one in match.asked:
                    course.give(one)
                    happened.update(map(type, course.events))
        assert asked == {Resign, TimeOut, *game.commands}
        assert happened.issuperset(game.events)
        assert len(entropies) == game.max_seats


def some(game: AnyGame) -> list[AnyFinished]:
    """Return some matches of a ruleset."""
    return list(load(game, 0, STEP - 1))


def found(changed: AnyGame, matches: list[AnyFinished]) -> list[Difference]:
    """Return what the gate says of a game whose rules were changed under the same ruleset id."""
    differences = [different for match in matches if (different := difference(changed, match))]
    for different in differences:
        assert f"{changed.ruleset}, match {different.finished.agreed.number} " in str(different)
        assert RULE in str(different)
    return differences


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
class TestTheGateSpeaks:
    """A rule that is changed in a copy of a game shows in its matches, at the command where it does."""

    def test_another_deal(self, game: AnyGame) -> None:
        """What chance gives at the beginning is dealt otherwise: no match begins as it did."""

        def setup(options: Any, seats: int, chance: Chance) -> Any:
            chance.below(2)
            return game.setup(options, seats, chance)

        matches = some(game)
        differences = found(replace(game, setup=setup), matches)
        assert {different.place for different in differences} == {0}
        unlucky = [match for match in matches if getattr(match.agreed.options, "deal", None) is None]
        assert len(differences) == len(unlucky)

    def test_a_command_that_is_no_longer_legal(self, game: AnyGame) -> None:
        """The first command of the kind is named, as refused."""
        matches = some(game)
        kinds = Counter(type(one.command) for match in matches for one in match.asked if one.seat is not None)
        ((kind, _),) = kinds.most_common(1)

        def decide(state: Any, seat: Seat, command: Any, chance: Chance) -> Any:
            if type(command) is kind:
                raise Rejected(next(iter(game.clauses)), seat=seat)
            return game.decide(state, seat, command, chance)

        differences = found(replace(game, decide=decide), matches)
        assert differences
        for different in differences:
            assert "refuse" in different.what
            earlier = different.finished.asked[: different.place - 1]
            assert kind not in [type(one.command) for one in earlier]

    def test_another_end(self, game: AnyGame) -> None:
        """What is written of the end is different, and what it was is told."""

        def outcome(state: Any) -> Outcome | None:
            ended = game.outcome(state)
            return None if ended is None else replace(ended, reason="by_decree")

        matches = some(game)
        differences = found(replace(game, outcome=outcome), matches)
        assert differences
        for different in differences:
            assert different.place == len(different.finished.asked)
            was = canonical(different.finished.outcome).decode()
            assert f"it ended by {was}, and ends by" in different.what
            assert "by_decree" in different.what

    def test_other_points(self, game: AnyGame) -> None:
        """Points that are counted otherwise show where a match ends by giving up or by time."""
        more = replace(game, scores=lambda state: tuple(score + 1 for score in game.scores(state)))
        assert any("it ended by" in different.what for different in found(more, some(game)))

    def test_nothing_where_nothing_was_changed(self, game: AnyGame) -> None:
        """A copy with the same rules passes, and so does the old edition beside a new one."""
        matches = some(game)
        assert found(replace(game), matches) == []
        changed = replace(game, ruleset=f"{game.id}/next", outcome=lambda state: None, earlier=(game,))
        assert found(edition_of([changed], game.ruleset), matches) == []

    def test_an_edition_that_is_gone(self, game: AnyGame) -> None:
        """Who gives changed rules a new ruleset id without keeping the old edition is told so."""
        with pytest.raises(LookupError, match=r"no edition of a registered game\. .* new ruleset id"):
            edition_of([replace(game, ruleset=f"{game.id}/next")], game.ruleset)

    def test_matches_are_never_made_anew(
        self, game: AnyGame, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """`make corpus` refuses a ruleset that has its matches, and their file is never written again."""
        monkeypatch.setattr("sys.argv", ["corpus", game.ruleset])
        before = path_of(game.ruleset).read_bytes()
        with pytest.raises(SystemExit):
            corpus.main()
        assert "need a new ruleset id" in capsys.readouterr().err
        with pytest.raises(FileExistsError):
            keep(game.ruleset, [])
        assert path_of(game.ruleset).read_bytes() == before


def changed_rule(ruleset: str) -> AnyGame:
    """Return a copy of a game in which one rule of its own is changed."""
    game = edition_of(GAMES.values(), ruleset)

    def one_redeal_more(options: Any, seats: int, chance: Chance) -> Any:
        return game.setup(replace(options, redeals=options.redeals + 1), seats, chance)

    def seat_0_begins(options: Any, seats: int, chance: Chance) -> Any:
        return game.setup(replace(options, first_seat=0), seats, chance)

    def luckless(state: Any, chance: Chance) -> Any:
        return game.consequence(state, SeededChance(b"", ""))

    match game.id:
        case "montana":
            return replace(game, setup=one_redeal_more)
        case "mount_drago":
            return replace(game, setup=seat_0_begins)
        case "mountains":
            return replace(game, defaults=())
        case _:
            return replace(game, consequence=luckless)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_a_rule_of_its_own(game: AnyGame) -> None:
    """A redeal more, another first seat, another default move, another refill: each is found."""
    differences = found(changed_rule(game.ruleset), list(load(game, 3, STEP // 4)))
    assert differences
