"""The search for leaks finds every leak that is made on purpose."""

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from domain.shared.chance import Chance
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR
from tests.support.games.leaks import leaking_variants
from tests.support.games.random_matches import Table, reached, varied
from tests.support.games.squirrels import SQUIRRELS, Eaten, Event, State
from tests.support.games.twins import Leak, Parts, hidden_parts, look_for_leaks

SHOWING = range(100)
"""The matches among which some show what is hidden."""
SEARCHED = range(100, 250)
"""The matches among which leaks are looked for in some."""


def test_every_leak_is_found(smallest: Table) -> None:
    """A game that tells anybody anything hidden, in whatever way, does not pass (common §5)."""
    showing, searched = varied(smallest, SHOWING, enough=2), varied(smallest, SEARCHED, enough=4)
    further = varied(smallest, SEARCHED, enough=10)
    hidden = hidden_parts(smallest, showing)
    variants = list(leaking_variants(smallest, showing, hidden))
    unnoticed = []
    for how, game in variants:
        # A few leaks show so seldom that it takes more matches to meet them.
        if not any(leaks(Table(game, smallest.seats), matches, hidden) for matches in (searched, further)):
            unnoticed.append(how)
    assert not unnoticed, f"{len(unnoticed)} of {len(variants)}"
    assert bool(variants) is hides_something(smallest, showing)


def leaks(table: Table, matches: Iterable[int], hidden: Parts) -> bool:
    """Return whether a leak shows in some matches."""
    try:
        look_for_leaks(table, matches, hidden)
    except Leak:
        return True
    return False


@pytest.mark.parametrize("seats", [2, 3])
def test_an_event_that_is_forced_by_a_secret_is_found(seats: int) -> None:
    """Whether something happens by itself may not depend on what is hidden (common §3, §5)."""

    def consequence(state: State, chance: Chance) -> Event | None:
        if forced := SQUIRRELS.consequence(state, chance):
            return forced
        waits = all(squirrel.buried for squirrel in state.squirrels) and state.turn % 4 == 0
        return Eaten(Seat(0), ()) if waits and state.hoard[-1] == "acorn" else None

    table = Table(replace(SQUIRRELS, consequence=consequence), seats)
    with pytest.raises(Leak):
        look_for_leaks(table, SHOWING, frozenset())


def hides_something(table: Table, matches: Iterable[int]) -> bool:
    """Return whether a spectator is shown less than there is, at any time."""
    view = table.game.view
    return any(
        view(match.state, SPECTATOR) != view(match.state, ALL_SEEING)
        for match in reached(table, matches, share=1)
    )
