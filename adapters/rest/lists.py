"""Parts of lists, as one object or as lines."""

from collections.abc import Sequence
from typing import Any

import msgspec

from adapters.rest.answers import LINES, Answer, answer
from adapters.rest.bodies import Items
from adapters.rest.requests import Call, accepted

NEXT_PAGE = "Next-Page-Token"
"""The header that a list of lines has instead of the field."""


def paged(request: Call, items: Sequence[Any], next_page_token: str | None) -> Answer:
    """Return a part of a list: as one object, or as a line an item if the request accepts that."""
    if LINES not in accepted(request):
        return answer(Items(tuple(items), next_page_token))
    lines = b"".join(msgspec.json.encode(item) + b"\n" for item in items)
    return Answer(200, LINES, lines, {} if next_page_token is None else {NEXT_PAGE: next_page_token})
