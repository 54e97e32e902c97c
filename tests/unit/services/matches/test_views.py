"""Views: a match as one viewer may see it."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.games.mountains import GAME as MOUNTAINS
from domain.games.mountains.catalogue import Options as MountainsOptions
from domain.games.mountains.catalogue import SummitBooks
from domain.match import AnyMatch, Finished, Match, MemoryAid, Resign, evolve, legal_moves, submit, to_act
from domain.shared.game import AnyGame
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import SPECTATOR, Viewer, seated
from services.matches.views import View, view
from services.shared.ids import MatchId
from tests.support.games.matches import NOW, playing
from tests.support.games.pebbles import PEBBLES, Options, State, Take
from tests.support.games.scenarios import luck


def viewed(match: Match[State, Options]) -> View[Take, State]:
    """Return a match as its first seat sees it."""
    return view(PEBBLES, MatchId("match_0"), match, 5, seated(Seat(0)))


def test_a_view_has_the_memory_aid_unless_the_match_is_played_without() -> None:
    """With `memory_aid` off no view shows it; all the rest stays as it is (common §10)."""
    _, match = playing(PEBBLES, Options(5), 2)
    without = replace(match, terms=replace(match.terms, memory_aid=MemoryAid.OFF))
    assert match.terms.memory_aid is MemoryAid.ON
    assert viewed(match).table == State(5, (0, 0), 0)
    assert viewed(without) == replace(viewed(match), table=State(5, (), 0))


@pytest.mark.parametrize("viewer", [seated(Seat(0)), seated(Seat(1)), SPECTATOR], ids=str)
def test_after_an_end_by_resignation_totals_that_the_outcome_tells_are_shown(viewer: Viewer) -> None:
    """However a match of Mountains ended, every viewer sees all stamps; before it only its own (§7)."""
    _, match = playing(MOUNTAINS, MountainsOptions(summit_books=SummitBooks.SECRET), 2)
    match = replace(match, state=replace(match.state, stamps=(3, 5)))
    events, ended = submit(MOUNTAINS, match, Seat(1), Resign(), luck(), NOW)
    resigned, finished = events
    before = stamps_of(MOUNTAINS, evolve(MOUNTAINS, match, resigned), viewer)
    assert before == [stamps if viewer == seated(Seat(seat)) else None for seat, stamps in enumerate((3, 5))]
    assert isinstance(finished, Finished)
    assert finished.outcome.scores == (3, 5)
    assert stamps_of(MOUNTAINS, ended, viewer) == [3, 5]


def stamps_of(game: AnyGame, match: AnyMatch, viewer: Viewer) -> list[int | None]:
    """Return the totals that a viewer is shown."""
    shown: Any = view(game, MatchId("match_0"), match, 5, viewer).table
    return [seat.stamps for seat in shown.seats]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_an_end_by_resignation_leaves_the_table_as_it_stood(game: AnyGame) -> None:
    """Turn and phase too, in the middle of one; only totals of stamps are shown as well (common §10)."""
    _, match = playing(game, game.options(), game.min_seats)
    for place in range(3):
        (seat,) = to_act(game, match)
        _, match = submit(game, match, seat, legal_moves(game, match, seat)[0], luck(f"{place}"), NOW)
    _, ended = submit(game, match, seat, Resign(), luck(), NOW)
    for viewer in (SPECTATOR, *map(seated, seats_in_order(game.min_seats))):
        table: Any = view(game, MatchId("match_0"), match, 9, viewer).table
        left: Any = view(game, MatchId("match_0"), ended, 9, viewer).table
        if game.id == "mountains":
            left = replace(
                left,
                seats=tuple(
                    replace(now, stamps=then.stamps)
                    for now, then in zip(left.seats, table.seats, strict=True)
                ),
            )
        assert left == table
