"""Views: a match as one viewer may see it."""

from msgspec.structs import replace

from domain.match import Match, MemoryAid
from domain.shared.seats import Seat
from domain.shared.viewers import seated
from services.ids import MatchId
from services.views import View, view
from tests.support.matches import playing
from tests.support.pebbles import PEBBLES, Options, State, Take


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
