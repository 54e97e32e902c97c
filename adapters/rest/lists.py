"""Parts of lists, as one object or as lines."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from litestar.params import QueryParameter

from adapters.rest.answers import JSON, LINES, Answer, answer
from adapters.rest.bodies.matches import Items
from adapters.rest.requests import Call, preferred, visit
from services.shared.rate_limits import ROWS

PageSize = Annotated[
    int,
    QueryParameter(
        description="The most items wanted. Each 50 that come count as a request more.",
        ge=1,
        le=200,
        name="page_size",
    ),
]
PageToken = Annotated[
    str | None, QueryParameter(description="Where the part before ended.", name="page_token")
]

NEXT_PAGE = "Next-Page-Token"
"""The header that a list of lines has instead of the field."""


def listed(request: Call, items: Sequence[Any], next_page_token: str | None) -> Answer:
    """Return a part of a list as one object, and count its rows."""
    visit(request).charge(len(items) // ROWS)
    return answer(Items(tuple(items), next_page_token))


def paged(request: Call, items: Sequence[Any], next_page_token: str | None) -> Answer:
    """Return a part of a list: as one object, or as a line an item if the request accepts that."""
    if preferred(request, JSON, LINES) != LINES:
        return listed(request, items, next_page_token)
    visit(request).charge(len(items) // ROWS)
    lines = b"".join(msgspec.json.encode(item) + b"\n" for item in items)
    return Answer(200, LINES, lines, {} if next_page_token is None else {NEXT_PAGE: next_page_token})
