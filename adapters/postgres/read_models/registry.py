"""The read models: one line each."""

from adapters.postgres.read_models.match_list import MatchListModel
from adapters.postgres.read_models.model import ReadModel


def read_models() -> tuple[ReadModel, ...]:
    """Return all read models."""
    return (MatchListModel(),)
