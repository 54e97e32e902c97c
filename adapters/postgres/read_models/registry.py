"""The read models: one line each."""

from adapters.postgres.read_models.agenda import AgendaModel
from adapters.postgres.read_models.match_list import MatchListModel
from adapters.postgres.read_models.model import ReadModel
from adapters.postgres.read_models.ratings import RatingsModel
from adapters.postgres.read_models.statistics import StatisticsModel
from adapters.postgres.read_models.turns import TurnsModel
from domain.games import GAMES


def read_models() -> tuple[ReadModel, ...]:
    """Return all read models."""
    return MatchListModel(), AgendaModel(dict(GAMES)), TurnsModel(), StatisticsModel(), RatingsModel()
