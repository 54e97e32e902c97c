"""REST as ordinary clients use it: curl, Node's fetch, Python's own; each with its defaults."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.support.faces.server import Client, Server
from tests.support.stores.database import Databases

LARGEST = 2**63 - 1


@pytest.fixture(scope="module")
def ann(databases: Databases) -> Iterator[Client]:
    """A player on a running service."""
    with databases.fresh() as database, Server("--database-url", database, face="rest") as server:
        yield Client(server.url)


@pytest.fixture(scope="module")
def match(ann: Client) -> str:
    """A match of Ann's."""
    return str(ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})["id"])


def url(client: Client, path: str) -> str:
    """Return the address of a path."""
    return str(client.http.base_url).rstrip("/") + path


def curl(client: Client, *arguments: str) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body of what curl gets, as the player of a client."""
    if (binary := shutil.which("curl")) is None:
        pytest.skip("curl is not installed")
    shown = f"Authorization: {client.http.headers['Authorization']}"
    command = [binary, "--silent", "--show-error", "--include", "--max-time", "20", "-H", shown, *arguments]
    done = subprocess.run(command, capture_output=True, check=True)
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    while head.startswith(b"HTTP/1.1 1"):
        head, _, body = body.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    return int(status.split()[1]), dict(line.lower().split(": ", 1) for line in lines), body


def open_seats(client: Client) -> str:
    """Return the address of the first seat of a match that waits."""
    match = client.post("/v1/matches", {"game": "mountains", "seats": 2})["id"]
    return url(client, f"/v1/matches/{match}/seats/0")


def test_curl_sends_no_body_or_an_empty_one(ann: Client) -> None:
    """`-X PUT`, `-d ''`, which is a form, and an empty file are all a body of defaults."""
    json_type = ("-H", "Content-Type: application/json")
    for sent in (
        ("-X", "PUT"),
        ("-X", "PUT", "-d", ""),
        ("-T", "/dev/null"),
        ("-X", "PUT", "-d", "", *json_type),
    ):
        status, _, body = curl(ann, *sent, open_seats(ann))
        assert (status, json.loads(body)["seats"][0]["kind"]) == (200, "human"), sent
    status, _, body = curl(ann, "-X", "PUT", "-d", '{"entropy": "x"}', open_seats(ann))
    assert (status, json.loads(body)["reason"]) == (415, "UNSUPPORTED_MEDIA_TYPE")


def test_curl_asks_for_heads_parts_and_what_is_new(ann: Client, match: str, tmp_path: Path) -> None:
    """`-I`, a range that is not served, `--compressed`, and tags that curl keeps in files."""
    view = url(ann, f"/v1/matches/{match}/view")
    status, headers, body = curl(ann, "-I", view)
    assert (status, body, headers["etag"]) == (200, b"", '"4.0"')
    assert int(headers["content-length"]) == len(curl(ann, view)[2])
    status, headers, _ = curl(
        ann, "-I", "-H", "Accept: text/event-stream", url(ann, f"/v1/matches/{match}/events")
    )
    assert (status, headers["content-type"]) == (200, "text/event-stream")
    status, headers, body = curl(ann, "-r", "0-9", view)
    assert (status, json.loads(body)["version"], "content-range" in headers) == (200, 4, False)
    for path in (f"/v1/matches/{match}/view", "/openapi.json", "/docs/assets/swagger-ui.css"):
        tag = tmp_path / "tag"
        assert curl(ann, "--compressed", "--etag-save", str(tag), url(ann, path))[0] == 200
        status, headers, body = curl(ann, "--compressed", "--etag-compare", str(tag), url(ann, path))
        assert (status, body) == (304, b""), path
    status, headers, body = curl(ann, "--compressed", url(ann, "/openapi.json"))
    assert (headers["content-encoding"], json.loads(body)["openapi"][:3]) == ("gzip", "3.1")


def test_curl_names_paths_in_odd_ways(ann: Client) -> None:
    """What is the same path is the same; what is not is nowhere."""
    for path, status in (
        ("/v1/games/", 200),
        ("//v1///games", 200),
        ("/v1/g%61mes", 200),
        ("/v1/games?", 200),
        ("/v1/games#x", 200),
        ("/v1%2fgames", 404),
        ("/v1%2Fgames", 404),
        ("/v1/../v1/games", 404),
        ("/v1/./games", 404),
        ("/v1/games%00", 404),
        ("/v1/games%ff", 404),
        ("/v1/games;a=b", 404),
        ("/V1/games", 404),
    ):
        assert curl(ann, "--path-as-is", url(ann, path))[0] == status, path


def test_numbers_at_their_bounds(ann: Client, match: str) -> None:
    """The largest whole number is one, of which the store knows nothing; one more is none."""
    for query in ("version", "after"):
        path = f"/v1/matches/{match}/{'view' if query == 'version' else 'events'}"
        found = ann.http.get(path, params={query: LARGEST})
        assert found.status_code == (404 if query == "version" else 200), found.text
        assert ann.problem("GET", path, params={query: LARGEST + 1})["details"]["field"] == query
    paths = {
        f"/v1/matches/{match}/events": "page_token",
        "/v1/matches": "page_token",
        "/v1/players/me/events": "after",
        f"/v1/matches/{match}/chat": "after",
    }
    for path, field in paths.items():
        for text in ("1.0", "9" * 30, "\x00", "\u0661", "-1"):
            found = ann.http.get(path, params={field: text})
            assert found.status_code in {400, 404}, (path, text, found.text)
    for time in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2016-12-31T23:59:60Z"):
        assert ann.http.get("/v1/matches", params={"created_after": time}).status_code == 200


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("after=1.0", "after"),
        ("after=%2B1", "after"),
        ("after=1_0", "after"),
        ("after=" + "9" * 30, "after"),
        ("after=1&after=1", "after"),
        ("as=0&as=0", "as"),
        ("invitation=a&invitation=b", "invitation"),
        ("page_size=1", "page_size"),
    ],
)
def test_the_address_of_a_socket_is_as_strict(ann: Client, match: str, query: str, field: str) -> None:
    """A parameter of a WebSocket is given once, known, and what it must be."""
    address = url(ann, f"/v1/matches/{match}/socket?{query}").replace("http", "ws", 1)
    with connect(address, additional_headers={"Authorization": ann.http.headers["Authorization"]}) as socket:
        problem = json.loads(socket.recv(timeout=20))["problem"]
    assert (problem["status"], problem["details"]["field"]) == (400, field)


@pytest.mark.parametrize(
    ("headers", "subprotocols", "field"),
    [
        ([("Authorization", "Bearer a")] * 2, [], "Authorization"),
        ([], ["montane.bearer.a", "montane.bearer.b"], "Sec-WebSocket-Protocol"),
    ],
)
def test_a_socket_takes_one_token(
    ann: Client, match: str, headers: list[tuple[str, str]], subprotocols: list[str], field: str
) -> None:
    """Of two, one would be counted and the other believed."""
    address = url(ann, f"/v1/matches/{match}/socket").replace("http", "ws", 1)
    offered = [Subprotocol(name) for name in ("montane.v1", *subprotocols)]
    with connect(address, additional_headers=headers, subprotocols=offered) as socket:
        problem = json.loads(socket.recv(timeout=20))["problem"]
    assert (problem["status"], problem["details"]) == (400, {"field": field, "expected": "given only once"})


FETCH = """
const [url, authorization] = process.argv.slice(2);
const said = async (path, options = {}) => {
  const answer = await fetch(url + path, { ...options, headers: { authorization, ...options.headers } });
  return [answer.status, answer.headers.get("content-type"), (await answer.text()).length];
};
const seat = async (options) => {
  const opened = await fetch(url + "/v1/matches", {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ game: "mountains", seats: 2 }),
  });
  return said(opened.headers.get("location") + "/seats/0", { method: "PUT", ...options });
};
console.log(JSON.stringify({
  head: await said("/v1/games", { method: "HEAD" }),
  nothing: await seat({}),
  empty: await seat({ body: "" }),
  text: await seat({ body: "{}" }),
  packed: await said("/openapi.json"),
  language: await said("/v1/games", { headers: { accept: "text/html, */*;q=0.1" } }),
}));
"""


def test_fetch_of_node(ann: Client, tmp_path: Path) -> None:
    """HEAD, no body, an empty string, which `fetch` calls text, and what is compressed."""
    if (node := shutil.which("node")) is None:
        pytest.skip("Node is not installed")
    script = tmp_path / "fetch.mjs"
    script.write_text(FETCH)
    arguments = [node, str(script), url(ann, ""), ann.http.headers["Authorization"]]
    done = subprocess.run(arguments, capture_output=True, check=True, timeout=60)
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["head"] == [200, "application/json", 0]
    assert said["nothing"][0] == said["empty"][0] == 200, said
    assert said["text"][0] == 415
    assert said["packed"][0] == 200
    assert said["packed"][2] > 100_000
    assert said["language"][:2] == [200, "application/json"]


def test_the_client_of_python(ann: Client, match: str) -> None:
    """`http.client` with its defaults: `Accept-Encoding: identity`, and length 0 for an empty body."""
    shown = {"Authorization": ann.http.headers["Authorization"]}
    with closing(HTTPConnection("127.0.0.1", ann.http.base_url.port)) as connection:
        for method, path, status in (
            ("GET", "/docs", 200),
            ("HEAD", f"/v1/matches/{match}", 200),
            ("PUT", httpx.URL(open_seats(ann)).path, 200),
            ("OPTIONS", "/docs", 204),
            ("GET", "/", 302),
        ):
            connection.request(method, path, b"" if method == "PUT" else None, headers=shown)
            answer = connection.getresponse()
            assert answer.status == status, path
            assert "content-encoding" not in answer.headers
            assert (answer.read() == b"") == (status != 200 or method == "HEAD")
