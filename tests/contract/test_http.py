"""REST holds to what HTTP promises: methods, parameters, what a client accepts, what a cache may keep."""

import gzip
import json
from collections.abc import AsyncIterator
from typing import Any, cast
from urllib.parse import quote

import httpx
import pytest

from adapters.faces.base_path import Place
from adapters.rest.app import build
from adapters.rest.documentation.prepared import FEW
from domain.shared.seats import Seat
from services.shared.ids import MatchId
from services.shared.rate_limits import Budget, Limiter, Limits, Meter
from services.streams.presence import PresenceItem, SeatPresence
from tests.support.stores.use_cases import Stores, memory_stores

JSON = {"Content-Type": "application/json"}
NINE = {"command": {"type": "move_card", "card": "9H"}}
STREAM = {"Accept": "text/event-stream"}
ENOUGH = Budget(1_000_000, 60)


class Http:
    """The application on stores in memory, where Ann has a private match.

    Attributes:
        stores: The stores.
        limiter: What is counted.
        app: The application.
        http: A client without a token.
        ann: The header that names Ann.
        path: Where the match is.
    """

    def __init__(self, place: Place | None = None) -> None:
        """Build it."""
        self.stores: Stores = memory_stores()
        # A stream that stayed open would let no other begin.
        self.limiter = Limiter(
            Limits(
                token=ENOUGH, anonymous=ENOUGH, address=ENOUGH, login=ENOUGH, streams=ENOUGH, open_streams=1
            )
        )
        self.services = self.stores.node()
        self.app = app = build(self.services, "0", self.limiter, place)
        self.methods: dict[str, str] = app.state.methods
        self.document: dict[str, Any] = json.loads(app.state.openapi)
        self._transport = httpx.ASGITransport(app=cast(Any, app), raise_app_exceptions=False)
        self.connect()

    def connect(self) -> None:
        """Begin with a client without a token."""
        self.http = httpx.AsyncClient(transport=self._transport, base_url="http://montane")
        self.http.headers["Accept-Encoding"] = "identity"

    async def prepare(self) -> None:
        """Open an account and a match."""
        self.connect()
        self.ann = await self.account("Ann")
        match = await self.http.post(
            "/v1/matches",
            json={"game": "montana", "options": {"deal": 1}, "seat": 0, "visibility": "private"},
            headers=self.ann,
        )
        self.match: str = match.json()["id"]
        self.path = f"/v1/matches/{self.match}"

    async def account(self, name: str) -> dict[str, str]:
        """Return the header that names a new player."""
        token = (await self.http.post("/v1/players", json={"display_name": name})).json()["token"]
        return {"Authorization": f"Bearer {token}"}

    async def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Return the answer to a request by Ann."""
        request["headers"] = self.ann | request.get("headers", {})
        return await self.http.request(method, path, **request)


@pytest.fixture(scope="module")
def at_root() -> Http:
    """The application at the root of what clients see, which takes long to build."""
    return Http()


@pytest.fixture
async def rest(at_root: Http) -> AsyncIterator[Http]:
    """The application with a new player and a new match."""
    await at_root.prepare()
    yield at_root
    await at_root.http.aclose()


def refused(answer: httpx.Response) -> tuple[int, str, str]:
    """Return status, reason and field of a problem."""
    found = answer.json()
    return answer.status_code, found["reason"], found["details"].get("field", "")


async def test_head_is_answered_wherever_get_is(rest: Http) -> None:
    """With the head of `GET` and no body; `Allow` names it, also to `OPTIONS`."""
    ways = {
        path: allowed
        for path, allowed in rest.methods.items()
        if allowed and not path.startswith("/openapi/") and path != "/openapi"
    }
    assert len(ways) > 40
    for path, allowed in ways.items():
        at = path.replace("{match}", rest.match)
        for name in ("game", "player", "token", "message", "seat", "date", "webhook", "name", "slug"):
            at = at.replace(f"{{{name}}}", "montana" if name == "game" else "0")
        options = await rest.ask("OPTIONS", at)
        assert (options.status_code, options.headers["allow"]) == (204, allowed), path
        head = await rest.ask("HEAD", at)
        assert head.content == b"", path
        if "GET" not in allowed:
            assert (head.status_code, head.headers["allow"]) == (405, allowed), path
            continue
        assert "HEAD" in allowed
        if not at.endswith("export"):
            get = await rest.ask("GET", at)
            assert head.status_code == get.status_code, path
            untold = {"ratelimit", "date"}
            assert {name: value for name, value in head.headers.items() if name not in untold} == {
                name: value for name, value in get.headers.items() if name not in untold
            }, path


@pytest.mark.parametrize("path", ["events", "chat", "export", "/v1/players/me/events"])
async def test_head_opens_no_stream(rest: Http, path: str) -> None:
    """The head says what would come; nothing is open after it."""
    at = path if path.startswith("/") else f"{rest.path}/{path}"
    for _ in range(3):
        head = await rest.ask("HEAD", at, headers={} if path == "export" else STREAM)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] in {"text/event-stream", "application/x-ndjson"}
        assert head.headers["cache-control"] == "no-store"
    assert (await rest.ask("HEAD", "/v1/matches/none/events", headers=STREAM)).status_code == 404


async def test_who_asks_for_a_head_alone_is_not_there(rest: Http) -> None:
    """It opens no stream: nobody is told that it came, or that it went."""
    match = MatchId(rest.match)
    secrets = await rest.services.decisions.secrets(match)
    watch = await rest.services.match_streams.watch(
        match, None, after=None, looking_as=None, invitation=secrets.invitation.hex()
    )
    try:
        nobody = PresenceItem((SeatPresence(Seat(0), present=False, away_since=None),), 1)
        seen = [one.item for _ in range(2) for one in await watch.next()]
        assert seen[1] == nobody
        for _ in range(2):
            assert (await rest.ask("HEAD", f"{rest.path}/events", headers=STREAM)).status_code == 200
        assert watch._channel.present().item == nobody
    finally:
        watch.leave()


async def test_other_methods_and_paths(rest: Http) -> None:
    """A method that nothing has is 405; a WebSocket asked for as a page is told to be one."""
    for method in ("PROPFIND", "TRACE", "FOO"):
        answer = await rest.ask(method, "/v1/games")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")
    answer = await rest.ask("GET", f"{rest.path}/socket")
    assert (answer.status_code, answer.headers["upgrade"]) == (426, "websocket")
    assert answer.json()["reason"] == "UPGRADE_REQUIRED"
    # The framework's own pages, which load from other servers.
    for path in ("/openapi", "/openapi/swagger", "/openapi/openapi.json"):
        assert (await rest.ask("GET", path)).status_code == 404
    for path in ("/v1/games/", "/v1//games", "/v1/games/montana/", "/v1/g%61mes"):
        assert (await rest.ask("GET", path)).status_code == 200, path
    for path in ("/v1%2Fgames", "/v1/games%2fmontana", "/v1/games/montana%00"):
        assert (await rest.ask("GET", path)).status_code == 404, path


NUMBERS = ["1.0", "+1", " 1", "1 ", "1_000", "-1", "0x1", "1e0", "", "\u0661", "\uff11", "NaN"]
NUMBERS += [str(2**63), "9" * 400, "1\n"]
"""What is no whole number within 64 bits, though some readers take it."""


@pytest.mark.parametrize("number", NUMBERS)
async def test_a_whole_number_is_digits(rest: Http, number: str) -> None:
    """In queries, paths, page tokens and headers."""
    for path, field in (
        ("view", "version"),
        ("events", "after"),
        ("events", "page_size"),
        ("events", "page_token"),
        ("chat", "page_size"),
    ):
        answer = await rest.ask("GET", f"{rest.path}/{path}", params={field: number})
        assert refused(answer) == (400, "INVALID_FIELD", field), (path, answer.text)
    for path in ("/v1/matches", "/v1/players/me/tokens", "/v1/proofs/days", "/v1/games/montana/leaderboard"):
        answer = await rest.ask("GET", path, params={"page_size": number})
        assert refused(answer) == (400, "INVALID_FIELD", "page_size"), path
    if number.isascii() and number.isprintable():
        last = STREAM | {"Last-Event-ID": number}
        answer = await rest.ask("GET", f"{rest.path}/events", headers=last)
        assert refused(answer) == (400, "INVALID_FIELD", "Last-Event-ID")
        for headers, query, field in ((last, {}, "Last-Event-ID"), (STREAM, {"after": number}, "after")):
            answer = await rest.ask("GET", "/v1/players/me/events", params=query, headers=headers)
            assert refused(answer) == (400, "INVALID_FIELD", field)
    if number:
        for method in ("PUT", "DELETE"):
            answer = await rest.ask(method, f"{rest.path}/seats/{quote(number)}")
            assert refused(answer) == (400, "INVALID_FIELD", "seat"), answer.text


@pytest.mark.parametrize("number", ["4", "04", "0000000000000000000000004"])
async def test_digits_are_a_whole_number(rest: Http, number: str) -> None:
    """However many zeros are in front."""
    for query in ({"version": number}, {}):
        answer = await rest.ask("GET", f"{rest.path}/view", params=query)
        assert (answer.status_code, answer.json()["version"]) == (200, 4)
    answer = await rest.ask("GET", f"{rest.path}/view", params={"version": str(2**63 - 1)})
    assert refused(answer) == (404, "NO_SUCH_VERSION", "")


@pytest.mark.parametrize("field", ["open_seats", "my_turn"])
async def test_a_switch_is_true_or_false(rest: Http, field: str) -> None:
    """As JSON has it, and no other way."""
    for word in ("true", "false"):
        assert (await rest.ask("GET", "/v1/matches", params={field: word})).status_code == 200
    for word in ("1", "0", "True", "TRUE", "yes", "on", "", "null", "t"):
        answer = await rest.ask("GET", "/v1/matches", params={field: word})
        assert refused(answer) == (400, "INVALID_FIELD", field), word


@pytest.mark.parametrize(
    "time",
    [
        "2026-11-30T10:00:00Z",
        "2026-11-30 10:00:00Z",
        "2026-11-30t10:00:00z",
        "2026-11-30T10:00:00.123456789012Z",
        "2026-11-30T10:00:00+05:30",
        "2026-11-30T10:00:00-00:00",
        "2016-12-31T23:59:60Z",
        "2016-12-31T15:59:60-08:00",
        "0001-01-01T00:00:00Z",
    ],
)
async def test_a_time_is_of_rfc_3339(rest: Http, time: str) -> None:
    """With `T` or a space, in either case, with a fraction and a zone, and in a leap second."""
    for field in ("created_after", "created_before"):
        answer = await rest.ask("GET", "/v1/matches", params={field: time})
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    "time",
    [
        "",
        "2026-11-30",
        "2026-11-30T10:00Z",
        "2026-11-30T10:00:00",
        "2026-11-30T10:00:00+0100",
        "2026-11-30T10:00:00+01",
        "2026-11-30T10:00:00 01:00",
        "2026-11-30_10:00:00Z",
        "2026-11-30T10:00:00,5Z",
        "2026-11-30T10:00:00.Z",
        "2026-11-30T24:00:00Z",
        "2026-11-30T10:00:60Z",
        "2026-11-30T23:59:61Z",
        "2026-02-29T10:00:00Z",
        "2026-11-30T10:00:00+24:00",
        "0001-01-01T00:00:00+23:59",
        "9999-12-31T23:59:59-23:59",
        "9999-12-31T23:59:60Z",
        "1796032800",
        "now",
        "\u0662026-11-30T10:00:00Z",
        " 2026-11-30T10:00:00Z",
    ],
)
async def test_anything_else_is_no_time(rest: Http, time: str) -> None:
    """400, and the field by its name."""
    for field in ("created_after", "created_before"):
        answer = await rest.ask("GET", "/v1/matches", params={field: time})
        assert refused(answer) == (400, "INVALID_FIELD", field), answer.text


async def test_every_parameter_is_given_once(rest: Http) -> None:
    """Twice is 400 on every operation, the same value or another; so are headers that mean one thing."""
    asked = [
        (method.upper(), path, parameter["name"])
        for path, operations in rest.document["paths"].items()
        for method, operation in operations.items()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "query"
    ]
    assert len(asked) > 30
    for method, path, name in asked:
        at = path.replace("{match}", rest.match)
        answer = await rest.ask(method, f"{at}?{name}=1&{name}=1")
        assert refused(answer) == (400, "INVALID_FIELD", name), (method, path)
    for name in ("Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"):
        twice = [(name, "1"), (name, "1"), *(rest.ann.items() if name != "Authorization" else ())]
        for method, path in (("GET", f"{rest.path}/events"), ("POST", f"{rest.path}/commands")):
            answer = await rest.http.request(method, path, headers=twice)
            assert refused(answer) == (400, "INVALID_FIELD", name)


async def test_a_page_begins_at_one_place(rest: Http) -> None:
    """After what is named, or where a page before ended, never both."""
    for path in (f"{rest.path}/events", f"{rest.path}/chat", "/v1/players/me/events"):
        both = await rest.ask("GET", f"{path}?after=1&page_token=1")
        assert refused(both) == (400, "INVALID_FIELD", "page_token"), path


async def test_the_document_says_what_a_query_may_be(rest: Http) -> None:
    """No parameter is null, and no whole number negative or beyond 64 bits."""
    schemas = [
        parameter["schema"]
        for operations in rest.document["paths"].values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] in {"query", "path"}
    ]
    assert {"type": "null"} not in [choice for schema in schemas for choice in schema.get("oneOf", ())]
    numbers = [schema for schema in schemas if schema.get("type") == "integer"]
    assert len(numbers) > 10
    assert all(0 <= schema["minimum"] < schema["maximum"] < 2**63 for schema in numbers)


async def test_a_body_of_defaults_may_be_left_out(rest: Http) -> None:
    """Without body and type, with an empty one, whatever its type; where a field must be given it is 400."""
    optional = [
        (method.upper(), path)
        for path, operations in rest.document["paths"].items()
        for method, operation in operations.items()
        if operation.get("requestBody", {}).get("required") is False
    ]
    assert set(optional) == {
        ("PUT", "/v1/matches/{match}/seats/{seat}"),
        ("POST", "/v1/matches/{match}/rematch"),
        ("PATCH", "/v1/players/me"),
        ("PATCH", "/v1/webhooks/{webhook}"),
    }
    empties: tuple[dict[str, Any], ...] = (
        {},
        {"content": b""},
        {"headers": JSON},
        {"headers": {"Content-Type": "application/x-www-form-urlencoded"}, "content": b""},
        {"json": {}},
    )
    for request in empties:
        opened = await rest.ask("POST", "/v1/matches", json={"game": "mountains", "seats": 2})
        answer = await rest.ask("PUT", f"/v1/matches/{opened.json()['id']}/seats/0", **request)
        assert (answer.status_code, answer.json()["seats"][0]["kind"]) == (200, "human"), answer.text
        assert (await rest.ask("PATCH", "/v1/players/me", **request)).status_code == 200
        answer = await rest.ask("POST", f"{rest.path}/rematch", **request)
        assert (answer.status_code, answer.json()["reason"]) == (422, "MATCH_NOT_OVER"), answer.text
        if "json" not in request and "headers" not in request:
            answer = await rest.ask("POST", f"{rest.path}/commands", **request)
            assert refused(answer) == (400, "MALFORMED_REQUEST", "body")


@pytest.mark.parametrize(
    ("media_type", "good"),
    [
        ("application/json", True),
        ("application/json; charset=utf-8", True),
        ('APPLICATION/JSON;charset="UTF-8"', True),
        ("application/json; charset=us-ascii", True),
        ("application/json; profile=x", True),
        ("application/json; charset=utf-16", False),
        ("application/json; charset=latin-1", False),
        ("application/jsonp", False),
        ("application/vnd.api+json", False),
        ("text/json", False),
        ("text/plain", False),
        ("json", False),
    ],
)
async def test_a_body_is_json_in_utf_8(rest: Http, media_type: str, good: bool) -> None:
    """Parameters do no harm; another charset, or anything else, is 415, on all that takes a body."""
    taking = [
        (method.upper(), path.replace("{match}", rest.match).replace("{seat}", "0"))
        for path, operations in rest.document["paths"].items()
        for method, operation in operations.items()
        if "requestBody" in operation
    ]
    assert len(taking) > 10
    for method, path in taking:
        answer = await rest.ask(method, path, content=b"[]", headers={"Content-Type": media_type})
        # Whatever is there comes first: there is no such webhook or message.
        assert answer.status_code == (400 if good else 415), (method, path, answer.text)


async def test_too_much_and_what_is_coded(rest: Http) -> None:
    """413 and 415 on all operations, also on those that take no body."""
    for path, operations in rest.document["paths"].items():
        if not path.startswith("/v1/"):
            continue
        at = path.replace("{match}", rest.match)
        for method in operations:
            answer = await rest.ask(method.upper(), at, content=b" " * 65_537, headers=JSON)
            assert (answer.status_code, answer.json()["reason"]) == (413, "BODY_TOO_LARGE"), path
    packed = gzip.compress(json.dumps(NINE).encode())
    answer = await rest.ask(
        "POST", f"{rest.path}/commands", content=packed, headers=JSON | {"Content-Encoding": "gzip"}
    )
    assert (answer.status_code, answer.headers["accept-encoding"]) == (415, "identity")
    answer = await rest.ask(
        "POST", f"{rest.path}/commands", json=NINE, headers={"Content-Encoding": "identity"}
    )
    assert answer.status_code == 200


EVENTS, LINES, ONE = "text/event-stream", "application/x-ndjson", "application/json"


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", ONE),
        ("*/*", ONE),
        ("application/*", ONE),
        ("text/event-stream", EVENTS),
        ("TEXT/Event-Stream", EVENTS),
        ("text/*", EVENTS),
        ("text/event-stream, */*", EVENTS),
        ("*/*, text/event-stream", EVENTS),
        ("text/event-stream;q=0, */*", ONE),
        ("text/event-stream; q=0.000, application/json", ONE),
        ("text/event-stream;q=0.5, application/json", ONE),
        ("text/event-stream;q=0.5, application/json;q=0.4", EVENTS),
        ("application/json;q=0, */*", EVENTS),
        ("application/*;q=0, */*;q=0.1", EVENTS),
        ("application/x-ndjson, text/event-stream;q=0.9", LINES),
        ("application/*;q=0.2, application/json;q=0, text/event-stream;q=0.1", LINES),
        ("application/json;charset=utf-8", ONE),
        ("text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", ONE),
        ("text/html", ONE),
        ("application/problem+json", ONE),
        ("application/json;q=0", None),
        ("application/*;q=0, text/html", None),
        ("*/*;q=0", None),
    ],
)
async def test_accept_is_weighed(rest: Http, accept: str, media_type: str | None) -> None:
    """By weight, and by how exactly a type is named; 406 for who excludes all, before anything is done."""
    headers = {"Accept": accept} if accept else {}
    answer = await rest.ask("HEAD", f"{rest.path}/events", headers=headers)
    if media_type is None:
        assert answer.status_code == 406
        answer = await rest.ask("POST", f"{rest.path}/commands", json=NINE, headers=headers)
        assert (answer.status_code, answer.json()["reason"]) == (406, "NOT_ACCEPTABLE")
        assert (await rest.ask("GET", f"{rest.path}/view")).json()["version"] == 4
    else:
        assert answer.headers["content-type"] == media_type
        made = await rest.ask("POST", f"{rest.path}/commands", json=NINE, headers={"Accept": LINES})
        assert (made.status_code, made.headers["content-type"]) == (200, ONE)


async def test_lines_of_accept_count_together(rest: Http) -> None:
    """A header in two lines is one list."""
    headers = [("Accept", "application/json;q=0.1"), ("Accept", "application/x-ndjson"), *rest.ann.items()]
    answer = await rest.http.get("/v1/matches", headers=headers)
    assert answer.headers["content-type"] == LINES


async def test_what_is_read_is_private_and_asked_for_again(rest: Http) -> None:
    """A read is tagged by version and viewer, and 304 while it is the same; a command's answer by version."""
    for what, tag in (("view", '"4.0"'), ("legal-moves", '"4.0"'), ("view?as=spectator", '"4.spectator"')):
        answer = await rest.ask("GET", f"{rest.path}/{what}")
        assert answer.headers["etag"] == tag
        assert answer.headers["cache-control"] == "private, no-cache"
        assert answer.headers["vary"] == "authorization"
        for said in (tag, f"W/{tag}", f'"x", {tag}', f'W/"3.0",W/{tag} , "y"', "*"):
            again = await rest.ask("GET", f"{rest.path}/{what}", headers={"If-None-Match": said})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag), said
            assert again.headers["cache-control"] == "private, no-cache"
            assert "content-type" not in again.headers
            assert "content-length" not in again.headers
        for said in ('"4"', '"3.0"', '"4.1"', "4.0", "", '"*"', '"all"'):
            again = await rest.ask("GET", f"{rest.path}/{what}", headers={"If-None-Match": said})
            assert again.status_code == 200, said
    several = [("If-None-Match", '"x"'), ("If-None-Match", '"4.0"'), *rest.ann.items()]
    assert (await rest.http.get(f"{rest.path}/view", headers=several)).status_code == 304

    done = await rest.ask("POST", f"{rest.path}/commands", json=NINE)
    assert (done.headers["etag"], done.headers["vary"]) == ('"5"', "authorization")
    assert done.headers["cache-control"] == "private, no-cache"
    moved = await rest.ask("GET", f"{rest.path}/view", headers={"If-None-Match": '"4.0"'})
    assert (moved.status_code, moved.headers["etag"]) == (200, '"5.0"')


async def test_a_tag_changes_with_the_body(rest: Http) -> None:
    """A name is no version; anyone who may not look any more is not told that nothing changed."""
    first = await rest.ask("GET", rest.path)
    assert first.headers["etag"].startswith('"4.0.')
    seen = {"If-None-Match": first.headers["etag"]}
    assert (await rest.ask("GET", rest.path, headers=seen)).status_code == 304
    await rest.ask("PATCH", "/v1/players/me", json={"display_name": "Anna"})
    renamed = await rest.ask("GET", rest.path, headers=seen)
    assert (renamed.status_code, renamed.headers["etag"] != first.headers["etag"]) == (200, True)

    proof = await rest.ask("GET", f"{rest.path}/proof")
    assert proof.headers["etag"].startswith('"4.spectator.')
    again = {"If-None-Match": proof.headers["etag"]}
    assert (await rest.ask("GET", f"{rest.path}/proof", headers=again)).status_code == 304

    ben = await rest.account("Ben")
    for path in ("", "/view", "/proof", "/legal-moves"):
        for who in (ben, {}):
            told = await rest.http.get(rest.path + path, headers=who | {"If-None-Match": "*"})
            assert told.status_code in {401, 404}, path


async def test_all_else_is_kept_by_nobody(rest: Http) -> None:
    """Every answer says what a cache may do with it; what fails is never kept."""
    public = {"/v1/games", "/v1/games/{game}", "/v1/games/{game}/rules", "/v1/bots", "/.well-known/jwks.json"}
    tagged = {"", "/view", "/proof", "/legal-moves"}
    for path, operations in rest.document["paths"].items():
        at = path.replace("{match}", rest.match).replace("{game}", "montana").replace("{player}", "me")
        if "get" not in operations:
            continue
        headers = {"Accept": LINES} if path.endswith("export") else {}
        answer = await rest.ask("GET", at, headers=headers)
        said = answer.headers["cache-control"]
        if path in public:
            assert said.startswith("public, "), path
        elif path.partition("{match}")[2] in tagged and "{match}" in path:
            assert said == "private, no-cache", path
        else:
            assert (said, answer.headers["vary"]) == ("no-store", "authorization"), path
        for wrong in ({"Authorization": "Bearer montane_x"}, {"Authorization": ""}, {"Accept": "*/*;q=0"}):
            failed = await rest.http.get(at + "?no=1", headers=headers | wrong)
            if failed.is_error:
                assert failed.headers["cache-control"] == "no-store", path
    for method, path in (("GET", "/v1/nothing"), ("PUT", "/v1/games"), ("GET", "/problems/none")):
        assert (await rest.ask(method, path)).headers["cache-control"] == "no-store"
    deleted = await rest.ask("DELETE", "/v1/players/me")
    assert (deleted.status_code, deleted.headers["cache-control"], deleted.content) == (204, "no-store", b"")


DOCUMENTS = [
    "/openapi.json",
    "/docs",
    "/docs/assets/swagger-ui-bundle.js",
    "/docs/assets/swagger-ui.css",
    "/problems",
    "/problems/rejected",
    "/v1/games",
    "/v1/games/montana",
    "/v1/games/mountains/rules",
    "/v1/bots",
]


@pytest.mark.parametrize("path", [*DOCUMENTS, "/.well-known/jwks.json"])
async def test_a_cache_keeps_apart_what_pages_of_other_origins_may_read(rest: Http, path: str) -> None:
    """What is public says who may read it only to who names its origin, but always that it does so."""
    for origin in ({}, {"Origin": "https://elsewhere.example"}):
        answer = await rest.http.get(path, headers=origin)
        assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (200, bool(origin))
        assert "origin" in answer.headers["vary"].lower().replace(" ", "").split(",")


@pytest.mark.parametrize("path", DOCUMENTS)
async def test_documents_are_compressed_and_tagged(rest: Http, path: str) -> None:
    """They come compressed to who accepts it, each form with its tag, and not at all to who has it."""
    plain = await rest.http.get(path)
    assert "content-encoding" not in plain.headers
    assert "accept-encoding" in plain.headers["vary"].lower()
    assert plain.headers["cache-control"].startswith("public, ")
    for accepted in ("gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.5", "*", "identity;q=0, *", "x-gzip"):
        packed = await rest.http.get(path, headers={"Accept-Encoding": accepted})
        assert packed.content == plain.content
        assert packed.headers["content-encoding"] == "gzip", accepted
        assert int(packed.headers["content-length"]) < len(plain.content) + 20
        assert packed.headers["etag"] != plain.headers["etag"]
        for tag in (packed.headers["etag"], plain.headers["etag"], f"W/{plain.headers['etag']}", "*"):
            has = await rest.http.get(path, headers={"Accept-Encoding": accepted, "If-None-Match": tag})
            assert (has.status_code, has.content, has.headers["etag"]) == (304, b"", packed.headers["etag"])
            assert has.headers["vary"] == packed.headers["vary"]
    for accepted in (
        "gzip;q=0",
        "",
        "identity",
        "br",
        "gzip;q=0, *",
        "gzip;q=0.1, identity;q=0.2",
        "*;q=0, identity",
    ):
        answer = await rest.http.get(path, headers={"Accept-Encoding": accepted})
        assert ("content-encoding" in answer.headers, answer.content) == (False, plain.content), accepted
    none = await rest.http.get(path, headers={"Accept-Encoding": "*;q=0"})
    assert (none.status_code, none.json()["reason"]) == (406, "NOT_ACCEPTABLE")
    assert (await rest.http.get(path, headers={"If-None-Match": '"x"'})).status_code == 200


async def test_documents_are_prepared_once(rest: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anyone who asks again costs neither writing nor compressing."""
    for path in DOCUMENTS:
        await rest.http.get(path)

    def fail(*_: object, **__: object) -> bytes:
        raise AssertionError("prepared again")

    monkeypatch.setattr("adapters.rest.documentation.prepared.gzip.compress", fail)
    monkeypatch.setattr("adapters.rest.documentation.prepared.msgspec.json.encode", fail)
    for path in DOCUMENTS:
        assert (await rest.http.get(path, headers={"Accept-Encoding": "gzip"})).status_code == 200


async def test_readiness_is_asked_of_the_store_once(rest: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred who ask within a second are one question."""
    asked = 0

    async def answers() -> bool:
        nonlocal asked
        asked += 1
        return True

    monkeypatch.setattr(rest.stores.store, "answers", answers)
    for _ in range(100):
        assert (await rest.http.get("/health/ready")).status_code == 200
    assert asked <= 2


PREFIXED = ["/montane", "/games/board-games/v1"]


async def links_at(http: httpx.AsyncClient, sees: str, **headers: str) -> None:
    """Hold all links of the server at a client to the path that it sees in front."""
    http.headers.update(headers)
    assert (await http.get("/")).headers["location"] == f"{sees}/docs"
    page = (await http.get("/docs")).text
    for path in ("/docs/assets/swagger-ui.css", "/docs/assets/swagger-ui-bundle.js"):
        assert f'"{sees}{path}"' in page
    assert f"url: '{sees}/openapi.json'" in page
    document = (await http.get("/openapi.json")).json()
    assert document["servers"] == [{"url": sees or "/"}]
    assert f'"{sees}/problems/rejected"' in (await http.get("/problems")).text
    assert f'"{sees}/docs"' in (await http.get("/problems/rejected")).text
    schemas = (await http.get("/v1/games/montana")).json()["schemas"]
    assert schemas["view"] == f"{sees}/openapi.json#/components/schemas/MontanaView"
    for path in ("/v1/nothing", "/v1/players/none", "/v1/games?x=1"):
        assert (await http.get(path)).json()["type"].startswith(f"{sees}/problems/"), path
    made = await http.post("/v1/players", json={"display_name": "Ann"})
    http.headers["Authorization"] = f"Bearer {made.json()['token']}"
    match = await http.post("/v1/matches", json={"game": "montana", "seat": 0})
    id = match.json()["id"]
    assert match.headers["location"] == f"{sees}/v1/matches/{id}"
    link = (await http.get(f"/v1/matches/{id}/invitation")).json()["path"]
    assert link.startswith(f"{sees}/v1/matches/{id}?invitation=")
    branch = await http.post(f"/v1/matches/{id}/branches", json={"version": 4})
    assert branch.headers["location"] == f"{sees}/v1/matches/{branch.json()['id']}"


@pytest.mark.parametrize("base", PREFIXED)
async def test_a_path_in_front_is_in_every_link(base: str) -> None:
    """Whether the proxy cuts it off or leaves it; what a client says of it does not count."""
    rest = Http(Place(base, trusted_proxies=1))
    await links_at(rest.http, base)
    rest.http.base_url = httpx.URL(f"http://montane{base}")
    await links_at(rest.http, base, **{"X-Forwarded-Prefix": "/evil"})
    for path in (base, f"{base}/docs"):
        assert (await rest.http.get(f"http://montane{path}")).status_code in {200, 302}
    assert (await rest.http.get(f"http://montane{base}x/docs")).status_code == 404
    await rest.http.aclose()


async def test_trusted_proxies_say_the_path_in_front() -> None:
    """Each its part, counted from the server; anything but a plain path counts as none."""
    rest = Http(Place(trusted_proxies=1))
    await links_at(rest.http, "")
    await links_at(rest.http, "/montane", **{"X-Forwarded-Prefix": "/montane/"})
    await links_at(rest.http, "/montane", **{"X-Forwarded-Prefix": "/evil, /montane"})
    # A path that cannot be told from the server's own is never cut off here.
    await links_at(rest.http, "/v1", **{"X-Forwarded-Prefix": "/v1"})
    for wrong in (
        "//evil.example",
        "/a/../b",
        "/..",
        "https://evil.example",
        "/a?b",
        "/a b",
        '/"><script>',
        "/" * 3,
    ):
        await links_at(rest.http, "", **{"X-Forwarded-Prefix": wrong})
    await links_at(rest.http, "", **{"X-Forwarded-Prefix": "/" + "a" * 300})
    rest.http.base_url = httpx.URL("http://montane/shown")
    await links_at(rest.http, "/shown", **{"X-Forwarded-Prefix": "/shown"})
    await rest.http.aclose()
    chain = Http(Place(trusted_proxies=2))
    await links_at(chain.http, "/outer/inner", **{"X-Forwarded-Prefix": "/evil, /outer, /inner"})
    await chain.http.aclose()


async def test_paths_in_front_that_a_client_makes_up_cost_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy may hand on what its client says: each new path has a description of its own to write."""
    rest = Http(Place(trusted_proxies=1))
    monkeypatch.setattr(rest.limiter, "anonymous", Meter("anonymous", Budget(50, 60)))

    async def asked(base: str) -> int:
        answer = await rest.http.get("/openapi.json", headers={"X-Forwarded-Prefix": base})
        assert answer.status_code == 429 or answer.json()["servers"] == [{"url": base or "/"}]
        return answer.status_code

    assert [await asked(base) for base in ("/a", "/b", "/b", "/c", "/d", "/c", "")] == [200] * 4 + [
        429,
        200,
        200,
    ]
    monkeypatch.setattr(rest.limiter, "anonymous", Meter("anonymous", ENOUGH))
    assert {await asked(f"/{number}") for number in range(10)} == {200}
    assert len(rest.app.state.descriptions) == FEW
    await rest.http.aclose()


async def test_a_stranger_forges_no_link(rest: Http) -> None:
    """Without a trusted proxy nothing that a client sends leads anywhere else."""
    forged = {
        "X-Forwarded-Prefix": "/evil",
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "gopher",
        "X-Script-Name": "/evil",
        "Forwarded": "host=evil.example",
    }
    await links_at(rest.http, "", **forged)
    assert "evil" not in (await rest.http.get("/docs")).text
