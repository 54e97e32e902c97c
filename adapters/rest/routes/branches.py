"""What if: play a match on from a past version."""

from litestar import Response, post
from litestar.params import FromPath

from adapters.rest.bodies.branches import BranchRequest
from adapters.rest.documentation.openapi import describes
from adapters.rest.requests import Call, body, caller, link, services, visit
from adapters.rest.routes.common import Key, Shown, match_answer
from services.players.store import Scope
from services.shared.ids import MatchId
from services.shared.rate_limits import BRANCH


@post(
    "/matches/{match:str}/branches",
    opt=describes(
        asks="BranchRequest", answers="Match", fails=(400, 401, 403, 404, 413, 415, 422), secured=True
    ),
)
async def branch_match(
    request: Call, match: FromPath[str], key: Key = None, shown: Shown = None
) -> Response[bytes]:
    """Play a match on from a past version.

    The branch is a match of its own with chance of its own, private to the caller, who holds all its seats
    and may look from anywhere. It is unrated, without chat and time control, and `branch_of` says where it
    branches off. What the caller cannot know of the match from where it looks is drawn again, so a branch
    tells nothing of it. A version in the midst of what a command brought about stands for the one after
    that, or for the one before if the match ended with it. It counts as 10 requests.
    """
    player = await caller(request, Scope.PLAY)
    asked = await body(request, BranchRequest)
    visit(request).weigh(BRANCH - 1)
    looking_as = None if asked.looking_as is None else str(asked.looking_as)
    used, listed = await services(request).branches.branch(
        player.id, MatchId(match), asked.version, looking_as, key, kind=player.holder_kind, invitation=shown
    )
    headers = {"Location": link(request, f"/v1/matches/{listed.id}"), "Idempotency-Key": used}
    return await match_answer(request, listed, status=201, headers=headers)


ROUTES = (branch_match,)
