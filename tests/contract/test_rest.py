"""REST does what its description says."""

import json
from typing import Any, cast

import httpx
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from litestar import Litestar
from schemathesis.specs.openapi.checks import positive_data_acceptance

from adapters.rest.app import build
from adapters.rest.bodies.matches import game_bodies
from adapters.rest.documentation.openapi import component
from domain.games import GAMES
from services.shared.rate_limits import Budget, Limiter, Limits
from tests.support.stores.use_cases import memory_stores

ENOUGH = Budget(1_000_000, 60)
GENEROUS = Limits(token=ENOUGH, anonymous=ENOUGH, address=ENOUGH, login=ENOUGH, streams=ENOUGH)
"""Budgets that are told with every answer, and that no test spends."""


def application() -> Litestar:
    """Return the application on stores in memory."""
    stores = memory_stores()
    return build(stores.node(), "0", Limiter(GENEROUS))


APP = application()
TRANSPORT = httpx.ASGITransport(app=cast(Any, APP))
DOCUMENT: dict[str, Any] = json.loads(APP.state.openapi)
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", APP)


@SCHEMA.parametrize()
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_request_is_answered_as_described(case: schemathesis.Case[Any]) -> None:
    """Made-up requests, good and bad, get a status, media type and body that the document names."""
    # What a name or a page token may be cannot all be said in a schema, so some that fit it are refused.
    case.call_and_validate(excluded_checks=[positive_data_acceptance])


UNREFERENCED = {"Options", "Command", "Event", "SocketCommand", "SocketResult", "SocketProblem"}
"""Unions that say what a game brings, and what passes over a WebSocket, for which OpenAPI has no place."""


def test_the_document_is_whole() -> None:
    """OpenAPI 3.1; every reference leads somewhere and every component is used."""
    components = {
        f"#/components/{kind}/{name}"
        for kind in ("schemas", "headers")
        for name in DOCUMENT["components"][kind]
    }
    assert DOCUMENT["openapi"].startswith("3.1")
    text = json.dumps(DOCUMENT)
    for name in DOCUMENT["components"]["schemas"]:
        assert name.isalnum()
        assert f'"#/components/schemas/{name}"' in text or name in UNREFERENCED, name
    references = {part.partition('"')[0] for part in text.split('"$ref": "')[1:]}
    assert references <= components
    assert all(f"#/components/headers/{name}" in references for name in DOCUMENT["components"]["headers"])


def test_every_operation_is_described() -> None:
    """Each has a summary, a tag, its problems, and names who may call."""
    for path in DOCUMENT["paths"].values():
        for operation in path.values():
            assert operation["summary"].endswith(".")
            assert operation["tags"]
            assert "security" in operation
            assert {"500", "503"} <= set(operation["responses"])


def test_nothing_is_untyped() -> None:
    """No body has a part that may be anything, but for the named values in a problem's details."""

    def untyped(schema: Any, where: str) -> list[str]:
        if schema in ({}, {"type": "object"}):
            return [where]
        if isinstance(schema, dict):
            return [one for key, value in schema.items() for one in untyped(value, f"{where}.{key}")]
        if isinstance(schema, list):
            return [one for value in schema for one in untyped(value, where)]
        return []

    found = {name: untyped(schema, name) for name, schema in DOCUMENT["components"]["schemas"].items()}
    assert {name for name, places in found.items() if places} <= {"Problem"}


def test_a_list_may_hold_matches_of_several_games() -> None:
    """Each item of the list of matches is a match of whatever game."""
    page = DOCUMENT["components"]["schemas"]["MatchPage"]
    assert page["properties"]["items"]["items"] == {"$ref": "#/components/schemas/Match"}


@pytest.mark.parametrize("name", list(game_bodies(next(iter(GAMES.values())))))
def test_a_body_is_of_one_game_only_where_it_names_it(name: str) -> None:
    """Giving up, or a list without items, fits every game: just what names its game fits that one alone."""
    schema = DOCUMENT["components"]["schemas"][name]
    named = "discriminator" in schema
    choices = schema["oneOf" if named else "anyOf"]
    assert choices == [{"$ref": f"#/components/schemas/{component(game, name)}"} for game in GAMES.values()]
    for choice in choices:
        of_game = DOCUMENT["components"]["schemas"][choice["$ref"].rpartition("/")[2]]
        consts = [part for part in of_game.get("properties", {}).values() if part.get("const") in GAMES]
        assert len(consts) == named


def test_bodies_refuse_unknown_fields_as_described() -> None:
    """What a client sends is closed; the document says so."""
    for name, schema in DOCUMENT["components"]["schemas"].items():
        if name.endswith("Request") and not {"oneOf", "anyOf"} & schema.keys():
            assert schema["additionalProperties"] is False, name


async def test_browsers_may_call() -> None:
    """A page of another origin may call, and may read the headers that matter."""
    async with httpx.AsyncClient(transport=TRANSPORT, base_url="http://montane") as http:
        preflight = await http.options(
            "/v1/matches",
            headers={
                "Origin": "https://games.example",
                "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization, content-type, idempotency-key",
            },
        )
        assert preflight.status_code in {200, 204}
        assert preflight.headers["Access-Control-Allow-Origin"] == "*"
        answer = await http.get("/v1/games", headers={"Origin": "https://games.example"})
        assert "ETag" in answer.headers["Access-Control-Expose-Headers"]


async def test_the_documentation_needs_no_other_server() -> None:
    """The pages and what they load come from here, and name no other host."""
    async with httpx.AsyncClient(transport=TRANSPORT, base_url="http://montane") as http:
        assert (await http.get("/")).headers["Location"] == "/docs"
        for path in ("/docs", "/problems", "/problems/rejected"):
            page = await http.get(path)
            assert page.headers["content-type"].startswith("text/html")
            assert "://" not in page.text
        for asset in ("swagger-ui-bundle.js", "swagger-ui.css"):
            assert len((await http.get(f"/docs/assets/{asset}")).content) > 100_000


@pytest.mark.parametrize("path", ["/v1/games", "/v1/games/montana", "/v1/games/montana/rules"])
async def test_the_catalogue_is_open(path: str) -> None:
    """Games, their data with grades, and their clauses can be read without an account."""
    async with httpx.AsyncClient(transport=TRANSPORT, base_url="http://montane") as http:
        answer = await http.get(path)
    assert answer.status_code == 200
    assert "montana/1" in answer.text
    if path.endswith("rules"):
        assert {table["grade"] for table in answer.json()["data"]} == {"given"}
        assert {"reason": "GAP_IS_DEAD", "clause": "§4.4"} in answer.json()["reasons"]
        assert [clause["id"] for clause in answer.json()["common"]] == [
            f"§{number}" for number in range(1, 11)
        ]
        assert [draw["when"] for draw in answer.json()["draws"]] == ["The deal", "A redeal"]
    if path.endswith("montana"):
        assert answer.json()["default_options"] == msgspec.to_builtins(
            {"redeals": 2, "redeal_policy": "when_stuck", "deal": None}
        )


async def test_a_list_comes_as_lines_too() -> None:
    """With `application/x-ndjson` each match is a line, and a header says where the next page begins."""
    async with httpx.AsyncClient(transport=TRANSPORT, base_url="http://montane") as http:
        token = (await http.post("/v1/players", json={"display_name": "Ann"})).json()["token"]
        auth = {"Authorization": f"Bearer {token}"}
        for _ in range(3):
            await http.post("/v1/matches", json={"game": "montana", "seat": 0}, headers=auth)
        whole = (await http.get("/v1/matches", headers=auth)).json()["items"]
        page = await http.get("/v1/matches?page_size=2", headers=auth | {"Accept": "application/x-ndjson"})
        assert page.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line) for line in page.text.splitlines()] == whole[:2]
        token = page.headers["next-page-token"]
        rest = await http.get(
            f"/v1/matches?page_token={token}", headers=auth | {"Accept": "application/x-ndjson"}
        )
        assert [json.loads(line) for line in rest.text.splitlines()] == whole[2:]
        assert "next-page-token" not in rest.headers
