"""Bad input over REST: each is a typed problem that names what is wrong, and changes nothing."""

import re
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx
import pytest

from adapters.rest.app import build
from adapters.rest.problems import ALL_KINDS
from domain.games import GAMES
from domain.match.rules import RULES
from services.shared.errors import Unavailable
from tests.support.stores.use_cases import Stores, memory_stores

JSON = {"Content-Type": "application/json"}
NINE = {"command": {"type": "move_card", "card": "9H"}}


class Rest:
    """The application on stores in memory, with a player and a match of deal 1."""

    def __init__(self, stores: Stores) -> None:
        """Build it."""
        self.stores = stores
        app = build(stores.node(), "0")
        self.http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=cast(Any, app), raise_app_exceptions=False),
            base_url="http://montane",
        )

    async def prepare(self) -> None:
        """Open an account and a match."""
        self.token = await self.account("Ann")
        self.auth = {"Authorization": f"Bearer {self.token}"}
        match = await self.http.post(
            "/v1/matches", json={"game": "montana", "options": {"deal": 1}, "seat": 0}, headers=self.auth
        )
        self.match: str = match.json()["id"]
        self.path = f"/v1/matches/{self.match}"

    async def account(self, name: str) -> str:
        """Return the token of a new account."""
        token: str = (await self.http.post("/v1/players", json={"display_name": name})).json()["token"]
        return token

    async def problem(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """Return the problem that a request by Ann meets."""
        request["headers"] = self.auth | request.get("headers", {})
        answer = await self.http.request(method, path, **request)
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        found: dict[str, Any] = answer.json()
        assert found["status"] == answer.status_code
        assert found["detail"]
        assert found["title"] in {kind.title for kind in ALL_KINDS}
        documentation = await self.http.get(found["type"])
        assert documentation.status_code == 200
        assert found["title"] in documentation.text
        return found

    async def text_at(self, url: str | None) -> str | None:
        """Return the text that is where a problem says that its clause is; None for none."""
        if url is None:
            return None
        path, pointer = url.split("#")
        found = (await self.http.get(path)).json()
        for part in pointer.removeprefix("/").split("/"):
            found = found[int(part) if isinstance(found, list) else part]
        text: str = found["text"]
        return text


def text_cited(clause: str | None) -> str | None:
    """Return the text of a clause as it is cited, `montana §4.2`; None for none."""
    if clause is None:
        return None
    rules, _, id = clause.partition(" ")
    clauses = RULES if rules == "common" else GAMES[rules].rules
    return next(one.text for one in clauses if one.id == id)


@pytest.fixture
async def rest() -> AsyncIterator[Rest]:
    """A prepared application, whose match must still be as it was when the test is over."""
    rest = Rest(memory_stores())
    await rest.prepare()
    yield rest
    assert (await rest.http.get(f"{rest.path}/view")).json()["version"] == 4
    await rest.http.aclose()


def command(**fields: object) -> dict[str, object]:
    """Return the body of a command that moves a card."""
    return {"command": {"type": "move_card"} | fields}


@pytest.mark.parametrize(
    ("body", "reason", "field"),
    [
        (b"", "MALFORMED_REQUEST", "body"),
        (b"{", "MALFORMED_REQUEST", "body"),
        (b"\xff\xfe", "MALFORMED_REQUEST", "body"),
        (b'{"command": "\xff"}', "INVALID_FIELD", "command"),
        (b"[" * 60_000, "INVALID_FIELD", "body"),
        (b'{"command":' + b"[" * 60_000, "MALFORMED_REQUEST", "body"),
        (b'{"command":' + b"[" * 30_000 + b"]" * 30_000 + b"}", "MALFORMED_REQUEST", "body"),
        (b'{"command":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}", "MALFORMED_REQUEST", "body"),
        (b"[]", "INVALID_FIELD", "body"),
        (b"null", "INVALID_FIELD", "body"),
        (b"{}", "MISSING_FIELD", "command"),
        (b'{"command": 1}', "INVALID_FIELD", "command"),
        (b'{"command": {}}', "MISSING_FIELD", "command.type"),
        (b'{"command": {"type": "dig"}}', "INVALID_FIELD", "command.type"),
        (b'{"command": {"type": 7}}', "INVALID_FIELD", "command.type"),
        (b'{"command": {"type": "move_card", "cart": "9H"}}', "UNKNOWN_FIELD", "command.cart"),
        (b'{"command": {"type": "move_card", "card": "1H"}}', "INVALID_FIELD", "command.card"),
        (b'{"command": {"type": "move_card", "card": 9}}', "INVALID_FIELD", "command.card"),
        (b'{"command": {"type": "move_card", "row": 4, "column": 0}}', "INVALID_FIELD", "command.row"),
        (b'{"command": {"type": "move_card", "row": 0, "column": -1}}', "INVALID_FIELD", "command.column"),
        (b'{"command": {"type": "move_card", "row": 0, "column": 1e3}}', "INVALID_FIELD", "command.column"),
        (b'{"command": {"type": "redeal", "row": 0}}', "UNKNOWN_FIELD", "command.row"),
        (b'{"command": {"type": "redeal"}, "expected": 4}', "UNKNOWN_FIELD", "expected"),
        (b'{"command": {"type": "redeal"}, "expected_version": "4"}', "INVALID_FIELD", "expected_version"),
        (b'{"command": {"type": "redeal"}, "expected_version": -1}', "INVALID_FIELD", "expected_version"),
        (b'{"command": {"type": "redeal"}, "validate_only": 1}', "INVALID_FIELD", "validate_only"),
    ],
)
async def test_a_malformed_command_names_the_field(rest: Rest, body: bytes, reason: str, field: str) -> None:
    """What does not parse is 400, never 500, and says which field."""
    found = await rest.problem("POST", f"{rest.path}/commands", content=body, headers=JSON)
    assert (found["status"], found["reason"], found["details"]["field"]) == (400, reason, field)


@pytest.mark.parametrize(
    ("path", "body", "field", "clause"),
    [
        ("commands", {"command": {"type": "dig"}}, "command.type", "montana §4"),
        ("commands", {"command": {}}, "command.type", "montana §4"),
        ("commands", {"command": {"type": "redeal", "montanara": 0}}, "command.montanara", "montana §4"),
        ("commands", {"command": {"type": "move_card", "card": "1H"}}, "command.card", "montana §4"),
        ("commands", {"command": {"type": "resign", "why": 1}}, "command.why", "montana §4"),
        ("commands", {"command": {"type": "redeal"}, "expected": 4}, "expected", None),
        ("commands", {}, "command", None),
        ("", {"game": "montana", "options": {"jokers": 1}}, "options.jokers", "montana §2"),
        ("", {"game": "mountains", "options": {"first_seat": 7}}, "options.first_seat", "mountains §2"),
        ("", {"game": "montana", "visibility": "secret"}, "visibility", None),
        ("", {"game": "montana", "seats": 2}, None, "montana §2"),
        ("", {"game": "mountains", "seats": 9}, None, "mountains §2"),
        ("", {"game": "mountains", "seats": 2, "options": {"first_seat": 2}}, None, "mountains §2"),
        ("", {"game": "montana", "seat": 1}, None, "common §1"),
    ],
)
async def test_a_clause_is_cited_by_one_rule(
    rest: Rest, path: str, body: dict[str, object], field: str | None, clause: str | None
) -> None:
    """Within a command the game's §4, within options and for the number of seats its §2 (common §1)."""
    found = await rest.problem("POST", f"{rest.path}/{path}" if path else "/v1/matches", json=body)
    assert (found["details"].get("field"), found.get("clause")) == (field, clause)
    assert "clause" not in found["details"]
    assert await rest.text_at(found.get("clause_url")) == text_cited(clause)


@pytest.mark.parametrize(
    ("body", "status", "reason", "field"),
    [
        ({"game": "chess"}, 404, "NO_SUCH_GAME", None),
        ({}, 400, "MISSING_FIELD", "game"),
        ({"game": "montana", "options": {"redeals": 10}}, 400, "INVALID_FIELD", "options.redeals"),
        ({"game": "montana", "options": {"deal": -1}}, 400, "INVALID_FIELD", "options.deal"),
        ({"game": "montana", "options": {"deal": 2**32}}, 400, "INVALID_FIELD", "options.deal"),
        ({"game": "montana", "options": {"jokers": 1}}, 400, "UNKNOWN_FIELD", "options.jokers"),
        ({"game": "montana", "options": []}, 400, "INVALID_FIELD", "options"),
        ({"game": "montana", "seats": 2}, 422, "SEATS_OUT_OF_RANGE", None),
        ({"game": "montana", "seats": 0}, 400, "INVALID_FIELD", "seats"),
        ({"game": "montana", "seat": 1}, 422, "NO_SUCH_SEAT", None),
        ({"game": "montana", "visibility": "secret"}, 400, "INVALID_FIELD", "visibility"),
        ({"game": "montana", "memory_aid": "none"}, 400, "INVALID_FIELD", "memory_aid"),
        ({"game": "montana", "entropy": "x" * 257}, 400, "INVALID_FIELD", "entropy"),
    ],
)
async def test_a_match_that_cannot_be_opened(
    rest: Rest, body: dict[str, object], status: int, reason: str, field: str | None
) -> None:
    """Options, seats and games that do not exist are named."""
    found = await rest.problem("POST", "/v1/matches", json=body)
    assert (found["status"], found["reason"], found["details"].get("field")) == (status, reason, field)


@pytest.mark.parametrize(
    ("fields", "reason", "clause"),
    [
        ({"card": "5D", "row": 0, "column": 0}, "CELL_OCCUPIED", "montana §4.1"),
        ({"card": "5D", "row": 0, "column": 4}, "CARD_DOES_NOT_FIT", "montana §4.2"),
        ({"card": "AC", "row": 0, "column": 4}, "ACE_IS_OUT", "montana §3.2"),
        ({"card": "5D"}, "NO_GAP_ACCEPTS_CARD", "montana §4.1"),
        ({"card": "5D", "row": 0}, "TARGET_INCOMPLETE", "montana §4.1"),
        ({"row": 2, "column": 1}, "GAP_IS_DEAD", "montana §4.4"),
    ],
)
async def test_the_rules_refuse(rest: Rest, fields: dict[str, object], reason: str, clause: str) -> None:
    """A refusal is 422 with its reason and the clause that it enforces."""
    found = await rest.problem("POST", f"{rest.path}/commands", json=command(**fields))
    assert (found["status"], found["reason"], found["clause"]) == (422, reason, clause)
    assert await rest.text_at(found["clause_url"]) == text_cited(clause) == found["detail"]


async def test_who_may_not(rest: Rest) -> None:
    """No token, an unknown one, or a player without a seat."""
    for headers in ({"Authorization": ""}, {"Authorization": "Basic x"}):
        found = await rest.problem("POST", f"{rest.path}/commands", json=NINE, headers=headers)
        assert (found["status"], found["reason"]) == (401, "TOKEN_MISSING")
    for path in (f"{rest.path}/view", "/v1/players/me", "/v1/matches"):
        found = await rest.problem("GET", path, headers={"Authorization": f"Bearer montane_{'n' * 43}"})
        assert (found["status"], found["reason"]) == (401, "TOKEN_UNKNOWN")
    ben = {"Authorization": f"Bearer {await rest.account('Ben')}"}
    found = await rest.problem("POST", f"{rest.path}/commands", json=NINE, headers=ben)
    assert (found["status"], found["reason"]) == (403, "NOT_SEATED")
    found = await rest.problem("GET", f"{rest.path}/view?as=0", headers=ben)
    assert (found["status"], found["reason"]) == (403, "NOT_YOUR_VIEW")


async def test_what_is_not_there(rest: Rest) -> None:
    """Unknown matches, versions, paths and files, and a private match of others, are 404."""
    private = await rest.http.post(
        "/v1/matches", json={"game": "montana", "visibility": "private"}, headers=rest.auth
    )
    ben = {"Authorization": f"Bearer {await rest.account('Ben')}"}
    for path, reason in (
        (f"/v1/matches/{private.json()['id']}/view", "NO_SUCH_MATCH"),
        ("/v1/matches/match_01j00000000000000000000000", "NO_SUCH_MATCH"),
        ("/v1/matches/none/view", "NO_SUCH_MATCH"),
        (f"{rest.path}/view?version=5", "NO_SUCH_VERSION"),
        ("/v1/games/chess", "NO_SUCH_GAME"),
        ("/v1/matches?game=chess", "NO_SUCH_GAME"),
        ("/v1/nothing", "NO_SUCH_RESOURCE"),
        ("/docs/assets/..%2Fapp.py", "NO_SUCH_RESOURCE"),
        ("/problems/none", "NO_SUCH_RESOURCE"),
    ):
        found = await rest.problem("GET", path, headers=ben)
        assert (found["status"], found["reason"]) == (404, reason), path


async def test_a_version_conflict_carries_what_was_missed(
    rest: Rest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """409 with the current version and the events after the expected one, not all if they are many."""
    found = await rest.problem("POST", f"{rest.path}/commands", json=NINE | {"expected_version": 2})
    assert (found["status"], found["reason"]) == (409, "VERSION_CONFLICT")
    details = found["details"]
    assert (details["version"], details["expected_version"], details["truncated"]) == (4, 2, False)
    assert [event["version"] for event in details["events"]] == [3, 4]
    monkeypatch.setattr("services.matches.decisions.MISSED_EVENTS", 1)
    found = await rest.problem("POST", f"{rest.path}/commands", json=NINE | {"expected_version": 2})
    assert [event["version"] for event in found["details"]["events"]] == [3]
    assert found["details"]["truncated"] is True


async def test_a_key_used_for_something_else(rest: Rest) -> None:
    """422 for the same key with another body."""
    key = {"Idempotency-Key": "k"}
    body: dict[str, object] = {"game": "montana", "seat": 0}
    first = await rest.http.post("/v1/matches", json=body, headers=rest.auth | key)
    again = await rest.http.post("/v1/matches", json=body, headers=rest.auth | key)
    assert (first.status_code, first.json()) == (201, again.json())
    assert first.headers["Idempotency-Key"] == "k"
    found = await rest.problem("POST", "/v1/matches", json=body | {"seat": None}, headers=key)
    assert (found["status"], found["reason"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    found = await rest.problem(
        "POST", f"{rest.path}/commands", json=NINE, headers={"Idempotency-Key": "x" * 256}
    )
    assert found["status"] == 400


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("view?version=x", "version"),
        ("view?version=0", "version"),
        ("view?as=me", "as"),
        ("events?page_size=0", "page_size"),
        ("events?page_size=201", "page_size"),
        ("events?after=-1", "after"),
        ("events?page_token=x", "page_token"),
    ],
)
async def test_a_wrong_parameter_is_named(rest: Rest, query: str, field: str) -> None:
    """Parameters of the wrong type or range, and misspelt ones, are 400."""
    found = await rest.problem("GET", f"{rest.path}/{query}")
    assert (found["status"], found["reason"], found["details"]["field"]) == (400, "INVALID_FIELD", field)


async def test_an_unknown_parameter_is_named(rest: Rest) -> None:
    """A parameter that an operation does not have is 400, in its documentation too: it is a slip."""
    document = (await rest.http.get("/openapi.json")).json()
    asked = [
        (method, path, operation)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if path.startswith("/v1/")
    ]
    assert len(asked) > 40
    for method, path, operation in asked:
        found = await rest.problem(method.upper(), re.sub("{.*?}", "0", path) + "?verison=3")
        assert (found["reason"], found["details"]) == ("UNKNOWN_FIELD", {"field": "verison"}), path
        assert "400" in operation["responses"], path


async def test_wrong_parameters_of_the_list(rest: Rest) -> None:
    """A state that does not exist and a page token that no page gave are 400."""
    for query, field in (("state=won", "state"), ("page_token=match_x", "page_token")):
        found = await rest.problem("GET", f"/v1/matches?{query}")
        assert (found["status"], found["details"]["field"]) == (400, field)


async def test_methods_sizes_and_media_types(rest: Rest) -> None:
    """405, 413 and 415, each by its name."""
    path = f"{rest.path}/commands"
    assert (await rest.problem("GET", path))["reason"] == "METHOD_NOT_ALLOWED"
    assert (await rest.problem("DELETE", "/v1/players"))["status"] == 405
    found = await rest.problem("POST", path, content=b"x" * 1_000_000, headers=JSON)
    assert (found["status"], found["reason"]) == (413, "BODY_TOO_LARGE")
    for media_type in ("text/plain", "application/x-www-form-urlencoded", ""):
        found = await rest.problem("POST", path, content=b"{}", headers={"Content-Type": media_type})
        assert (found["status"], found["reason"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "a\x00b", "a\nb", "\u202eevil"])
async def test_a_name_that_cannot_be_shown(rest: Rest, name: str) -> None:
    """Empty, long and unprintable names are 400."""
    found = await rest.problem("POST", "/v1/players", json={"display_name": name})
    assert (found["status"], found["details"]["field"]) == (400, "display_name")


async def test_a_store_that_is_away(rest: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    """503 with a hint when to try again."""

    async def away(*_: object) -> None:
        raise Unavailable

    with monkeypatch.context() as patch:
        patch.setattr(rest.stores.store, "append", away)
        answer = await rest.http.post(f"{rest.path}/commands", json=NINE, headers=rest.auth)
    assert (answer.status_code, answer.json()["reason"]) == (503, "STORE_UNAVAILABLE")
    assert answer.headers["Retry-After"] == "1"


async def test_a_fault_tells_nothing(
    rest: Rest, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """500 says nothing of the cause, which is logged once."""

    async def broken(*_: object) -> None:
        raise ZeroDivisionError("secret")

    with monkeypatch.context() as patch:
        patch.setattr(rest.stores.store, "append", broken)
        answer = await rest.http.post(f"{rest.path}/commands", json=NINE, headers=rest.auth)
    assert (answer.status_code, answer.json()["reason"]) == (500, "INTERNAL")
    assert "secret" not in answer.text
    assert len([record for record in caplog.records if record.exc_info]) == 1
