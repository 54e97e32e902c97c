"""Parts of lists, as one object or as lines."""

from collections.abc import Sequence
from typing import Any

import msgspec
from litestar import Request

from adapters.rest.answers import LINES, Answer, answer
from adapters.rest.bodies import Items

NEXT_PAGE = "Next-Page-Token"
"""The header that a list of lines has instead of the field."""


def paged(request: Request[Any, Any, Any], items: Sequence[Any], next_page_token: str | None) -> Answer:
    """Return a part of a list: as one object, or as a line an item if the request accepts that."""
    if not accepts(request, LINES):
        return answer(Items(tuple(items), next_page_token))
    lines = b"".join(msgspec.json.encode(item) + b"\n" for item in items)
    return Answer(200, LINES, lines, {} if next_page_token is None else {NEXT_PAGE: next_page_token})


def accepts(request: Request[Any, Any, Any], media_type: str) -> bool:
    """Return whether a request names a media type among those that it accepts."""
    accepted = request.headers.get("accept", "").split(",")
    return any(part.partition(";")[0].strip().lower() == media_type for part in accepted)
