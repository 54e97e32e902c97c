"""What proves a match, and the keys that signed it."""

from typing import Any

from litestar import Response, get
from litestar.params import FromPath

from adapters.keys.signing import KeySet
from adapters.rest.answers import JSON, LINES, PUBLIC, Answer, answer, reading
from adapters.rest.documentation.openapi import describes
from adapters.rest.downloads import Download
from adapters.rest.lists import PageSize, PageToken, paged
from adapters.rest.requests import Call, caller_if_any, services, visit
from adapters.rest.routes.common import LookingAs, Shown
from adapters.rest.streams import encoded
from domain.shared.viewers import SPECTATOR
from services.shared.ids import MatchId
from services.shared.rate_limits import EVENTS, HEADS

FOR_A_WHILE = {"Cache-Control": "public, max-age=300", "Vary": "Origin"}
"""Keys may be remembered so long: one that is new signs nothing that a verifier could not look up again."""


@get(
    "/matches/{match:str}/export", opt=describes(answers=None, lines="BundleLine", fails=(400, 401, 403, 404))
)
async def export_match(
    request: Call, match: FromPath[str], looking_as: LookingAs = None, shown: Shown = None
) -> Response[Any]:
    """Export a match as one viewer may see it, to be checked without this server.

    A bundle, `montane/bundle/1`: a header, every event with its proof, and an end with the head and, once
    the match has finished, its signature. A line each, in canonical JSON. `as=all` holds the seed and all
    that was hidden, after the end of a match that discloses. `montane verify` checks it; so does any program
    written after the document on fairness. It counts as a stream, and as a
    request more for each 100 events.
    """
    player = await caller_if_any(request)
    visit(request).stream()
    export = await services(request).proofs.export(
        MatchId(match), None if player is None else player.id, looking_as=looking_as, invitation=shown
    )
    visit(request).weigh(export.events // EVENTS)
    return Download(export.parts, LINES, export.name)


@get(
    "/matches/{match:str}/proof",
    opt=describes(answers="MatchProof", conditional=True, fails=(400, 401, 403, 404)),
)
async def get_proof(request: Call, match: FromPath[str], shown: Shown = None) -> Response[bytes]:
    """Tell what the server stands by of a match.

    Its head now; once it has finished the seed, if it discloses, and the signature of its head; and once its
    day is closed, some minutes after midnight UTC, the proof that it is among the matches of that day.
    """
    player = await caller_if_any(request)
    proof = await services(request).proofs.proof(MatchId(match), None if player is None else player.id, shown)
    visit(request).charge((proof.day.size if proof.day else 0) // HEADS)
    # It is signed, and its day closed, without a version.
    return reading(request, proof, proof.version, SPECTATOR, changes_between_versions=True)


@get("/proofs/days", opt=describes(answers="DayPage", lines="SignedDay", fails=(400,)))
async def list_days(request: Call, page_size: PageSize = 50, page_token: PageToken = None) -> Response[bytes]:
    """List the days that are closed, newest first, none left out since the first match.

    With `Accept: application/x-ndjson` each day is a line, and the token of the next page the header
    `Next-Page-Token`.
    """
    page = await services(request).proofs.days(after=page_token, size=page_size)
    return paged(request, page.items, page.next)


@get("/proofs/days/{date:str}", opt=describes(answers="SignedDay", fails=(400, 404)))
async def get_day(request: Call, date: FromPath[str]) -> Response[bytes]:
    """Tell what is signed of a day: how many matches finished on it, and the Merkle root over their heads."""
    return answer(await services(request).proofs.day(date))


@get("/.well-known/jwks.json", opt=describes(answers="KeySet"))
async def list_keys(request: Call) -> Response[bytes]:
    """List the keys that sign heads and days: the one that does now, then all that did before."""
    keys = KeySet(tuple(await services(request).proofs.keys()))
    return Answer(200, JSON, encoded(keys), FOR_A_WHILE, PUBLIC)


ROUTES = (export_match, get_proof, list_days, get_day)
WELL_KNOWN = (list_keys,)
