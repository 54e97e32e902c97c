"""What the routes around a match share: their parameters, and the answer that tells a match."""

from collections.abc import Mapping
from typing import Annotated

from litestar import Response
from litestar.params import HeaderParameter, QueryParameter

from adapters.rest.answers import NO_HEADERS, answer
from adapters.rest.requests import Call, services
from services.matches.decisions import LONGEST_KEY
from services.matches.store import MatchWithoutState
from services.matches.summaries import summaries

Key = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        description="1 to 255 printable characters. The same key and request again get the same answer.",
        max_length=LONGEST_KEY,
    ),
]
LookingAs = Annotated[
    str | None,
    QueryParameter(
        name="as",
        description="A seat's number, `spectator` or `all`; left out, your own seat or else a spectator.",
    ),
]
Shown = Annotated[
    str | None,
    QueryParameter(name="invitation", description="The invitation to the match, which its link carries."),
]


async def match_answer(
    request: Call, listed: MatchWithoutState, *, status: int = 200, headers: Mapping[str, str] = NO_HEADERS
) -> Response[bytes]:
    """Return the answer that tells a match without its table."""
    (summary,) = await summaries([listed], services(request).players)
    return answer(summary, status=status, version=listed.version, headers=headers)
