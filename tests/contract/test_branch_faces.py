"""Branches are the same over REST and gRPC: what can be asked for, what they are, and what is refused why."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from services.players.store import Scope
from tests.support.faces.lobby_faces import Rest, Table, Told, over_grpc, rest
from tests.support.stores.use_cases import memory_stores


@pytest.fixture(params=["rest", "grpc"])
async def table(request: pytest.FixtureRequest) -> AsyncIterator[Table]:
    """Players at each face."""
    stores = memory_stores()
    async with (rest if request.param == "rest" else over_grpc)(stores) as face:
        table = Table(face, stores)
        await table.gather()
        yield table


async def version_of(table: Table, match: str) -> int:
    """Return how many events a match has."""
    version: int = (await table.done("Ann", "GetMatch", match=match)).content["version"]
    return version


async def shown(table: Table, match: str, **fields: Any) -> dict[str, Any]:
    """Return a match as Ann sees it."""
    told = (await table.done("Ann", "GetView", match=match, **fields)).content
    view: dict[str, Any] = told.get("view", told)
    return view


async def moves(table: Table, match: str, **fields: Any) -> Told:
    """Return what becomes of Ann's first legal move."""
    legal = (await table.done("Ann", "ListLegalMoves", match=match)).content["legal_moves"]
    return await table.ask("Ann", "SubmitCommand", match=match, command=legal[0], **fields)


async def test_a_branch_from_its_beginning_to_its_end(table: Table) -> None:
    """Opened at a version, its player's own, looked at from anywhere, played on all sides, given up."""
    id = await table.begun()
    version = await version_of(table, id)
    branch = await table.done("Ann", "BranchMatch", match=id, version=version, key="k")
    said = {name: branch.content[name] for name in ("visibility", "rated", "chat", "state", "version")}
    assert said == {"visibility": "private", "rated": False, "chat": "off", "state": "playing", "version": 2}
    assert branch.content["branch_of"] == {"match": id, "version": version, "viewer": "seat", "seat": 0}
    assert branch.seated == ["Ann", "Ann"]
    again = await table.done("Ann", "BranchMatch", match=id, version=version, key="k")
    assert again.content == branch.content
    assert await table.refused("Ben", "GetMatch", match=branch.id) == ("404", "NO_SUCH_MATCH")

    there = await shown(table, id)
    for fields in ({}, {"as": "0"}):
        view = await shown(table, branch.id, **fields)
        assert {name: view[name] for name in ("table", "to_act", "legal_moves", "viewer")} == {
            name: there[name] for name in ("table", "to_act", "legal_moves", "viewer")
        }
    for viewer in ("1", "spectator", "all"):
        await shown(table, branch.id, **{"as": viewer})
    events = (await table.done("Ann", "ListEvents", match=branch.id, **{"as": "all"})).content["items"]
    begun = events[1]["payload"]
    assert begun.get("branched", begun)["state"].startswith("{")
    events = (await table.done("Ann", "ListEvents", match=branch.id)).content["items"]
    begun = events[1]["payload"]
    begun = begun.get("branched", begun)
    assert begun.get("state") is None
    assert begun["table"] == there["table"]

    (acting,) = view["to_act"]
    assert (await moves(table, branch.id, seat=1 - acting)).reason == "SEAT_NOT_TO_ACT"
    told = await moves(table, branch.id)
    assert not told.code
    assert told.content["view"]["viewer"]["seat"] == acting
    resigned = await table.done(
        "Ann", "SubmitCommand", match=branch.id, command=resign(table), seat=1 - acting
    )
    assert resigned.content["view"]["viewer"]["seat"] == 1 - acting
    assert (await table.done("Ann", "GetMatch", match=branch.id)).content["outcome"]["winners"] == [acting]
    assert (await table.done("Ann", "GetMatch", match=id)).content.get("outcome") is None


def resign(table: Table) -> dict[str, Any]:
    """Return the command of giving up, as the face has it."""
    return {"type": "resign"} if isinstance(table.face, Rest) else {"resign": {}}


@pytest.mark.parametrize("terms", [{}, {"disclosure": "never"}], ids=["disclosed", "never disclosed"])
async def test_totals_are_shown_when_a_match_was_given_up(table: Table, terms: dict[str, Any]) -> None:
    """A view after the end has all stamps of Mountains, as the outcome; earlier views stay as they were."""
    id = await table.opened(**terms)
    await table.done("Ben", "TakeSeat", match=id, seat=1)
    before = await shown(table, id)
    seats = before["table"].get("mountains", before["table"])["seats"]
    assert [seat.get("stamps") for seat in seats] == [0, None]
    await table.done("Ben", "SubmitCommand", match=id, command=resign(table))
    over = await shown(table, id)
    seats = over["table"].get("mountains", over["table"])["seats"]
    assert [seat.get("stamps") for seat in seats] == over["outcome"]["scores"] == [0, 0]
    assert over["version"] == before["version"] + 2
    for version in (before["version"], before["version"] + 1):
        earlier = await shown(table, id, version=version)
        assert earlier["table"] == before["table"]


async def test_all_of_a_match_that_is_over(table: Table) -> None:
    """By default the branch has the true table then; a spectator's has not."""
    id = await table.begun()
    version = await version_of(table, id)
    await table.done("Ann", "LeaveSeat", match=id, seat=0)
    for who, fields, viewer in (
        ("Cam", {}, "all"),
        ("Cam", {"as": "all"}, "all"),
        ("Cam", {"as": "spectator"}, "spectator"),
        ("Ann", {"as": "0"}, "seat"),
    ):
        branch = await table.done(who, "BranchMatch", match=id, version=version, **fields)
        assert branch.content["branch_of"]["viewer"] == viewer
        assert set(branch.seated) == {who}


async def test_what_is_refused(table: Table) -> None:
    """What is not known, not the caller's to see, or not played; and what makes no sense in a branch."""
    id = await table.begun()
    version = await version_of(table, id)
    branch = (await table.done("Ann", "BranchMatch", match=id, version=version, key="k")).id
    hidden, gives_up = await table.opened(visibility="private"), resign(table)
    refused: tuple[tuple[str | None, str, dict[str, Any], tuple[str, str]], ...] = (
        (None, "BranchMatch", {"match": id, "version": version}, ("401", "TOKEN_MISSING")),
        ("Ann", "BranchMatch", {"match": "match_0", "version": 1}, ("404", "NO_SUCH_MATCH")),
        ("Cam", "BranchMatch", {"match": hidden, "version": 1}, ("404", "NO_SUCH_MATCH")),
        ("Ben", "BranchMatch", {"match": branch, "version": 2}, ("404", "NO_SUCH_MATCH")),
        ("Ann", "BranchMatch", {"match": id, "version": 0}, ("404", "NO_SUCH_VERSION")),
        ("Ann", "BranchMatch", {"match": id, "version": version + 1}, ("404", "NO_SUCH_VERSION")),
        ("Ann", "BranchMatch", {"match": id, "version": 1}, ("422", "MATCH_NOT_PLAYED")),
        ("Ann", "BranchMatch", {"match": hidden, "version": 1}, ("422", "MATCH_NOT_PLAYED")),
        ("Ann", "BranchMatch", {"match": id, "version": version, "as": "1"}, ("403", "NOT_YOUR_VIEW")),
        ("Ann", "BranchMatch", {"match": id, "version": version, "as": "all"}, ("403", "NOT_YOUR_VIEW")),
        ("Ann", "BranchMatch", {"match": id, "version": version, "as": "7"}, ("400", "INVALID_FIELD")),
        (
            "Ann",
            "BranchMatch",
            {"match": id, "version": version, "as": "0", "key": "k"},
            ("422", "IDEMPOTENCY_KEY_REUSED"),
        ),
        ("Ann", "GetInvitation", {"match": branch}, ("422", "IS_BRANCH")),
        ("Ann", "Rematch", {"match": branch}, ("422", "IS_BRANCH")),
        ("Ann", "TakeSeat", {"match": branch, "seat": 0}, ("422", "MATCH_STARTED")),
        (
            "Ann",
            "SubmitCommand",
            {"match": branch, "command": gives_up, "seat": 2},
            ("422", "NO_SUCH_SEAT"),
        ),
        (
            "Ann",
            "SubmitCommand",
            {"match": id, "command": gives_up, "seat": 1},
            ("403", "NOT_YOUR_SEAT"),
        ),
    )
    for who, call, fields, expected in refused:
        assert await table.refused(who, call, **fields) == expected, (call, fields)
    await table.limit("Ann", Scope.READ)
    assert (await table.refused("Ann", "BranchMatch", match=id, version=version))[0] == "403"


async def test_from_where_may_be_a_number_or_a_word_over_rest() -> None:
    """As in a query; what is neither, or no version, is refused with its field."""
    stores = memory_stores()
    async with rest(stores) as face:
        table = Table(face, stores)
        await table.gather()
        id = await table.begun()
        version = await version_of(table, id)
        for seat in (0, "0"):
            branch = await table.done("Ann", "BranchMatch", match=id, version=version, **{"as": seat})
            assert branch.content["branch_of"]["seat"] == 0
        for fields, reason in (
            ({"version": version, "as": -1}, "INVALID_FIELD"),
            ({"version": version, "as": "me"}, "INVALID_FIELD"),
            ({"version": version, "as": 1.5}, "INVALID_FIELD"),
            ({"version": "x"}, "INVALID_FIELD"),
            ({"version": -1}, "INVALID_FIELD"),
            ({}, "MISSING_FIELD"),
            ({"version": version, "seat": 0}, "UNKNOWN_FIELD"),
        ):
            assert await table.refused("Ann", "BranchMatch", match=id, **fields) == ("400", reason), fields
