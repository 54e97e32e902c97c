"""The read models: one line each."""

from adapters.postgres.read_models.match_list import MatchListModel
from adapters.postgres.read_models.model import ReadModel
from adapters.postgres.read_models.player_feed import PlayerFeedModel
from adapters.postgres.read_models.ratings import RatingsModel
from adapters.postgres.read_models.statistics import StatisticsModel
from adapters.postgres.read_models.turns import TurnsModel


def read_models() -> tuple[ReadModel, ...]:
    """Return all read models."""
    return MatchListModel(), TurnsModel(), PlayerFeedModel(), StatisticsModel(), RatingsModel()
