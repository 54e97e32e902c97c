"""Sentences for people about what is refused."""

import pytest

from adapters.faces.sentences import TITLES, describe
from domain.match import Reason
from domain.shared.rejections import Rejected
from services.chat.rooms import ChatReason


@pytest.mark.parametrize("reason", [*Reason, *ChatReason])
def test_every_refusal_of_a_match_says_why(reason: Reason | ChatReason) -> None:
    """Each reason has a sentence of its own, not only the title of all refusals."""
    title, sentence = describe(Rejected(reason))
    assert title == TITLES[Rejected]
    assert sentence.removesuffix(".") != title
