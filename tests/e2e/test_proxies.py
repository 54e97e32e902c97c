"""The service after real proxies that serve it under a path: every link leads back through them."""

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.faces.proxies import BASE, PROXIES, proxy
from tests.support.faces.server import Client, Server
from tests.support.faces.streams import ServerSentEvents, Socket
from tests.support.stores.database import Databases

OLD = "nginx speaks HTTP/1.0"
MOVE = {"type": "move_card", "card": "9H", "row": 3, "column": 8}


@pytest.fixture(scope="module")
def servers(databases: Databases) -> Iterator[dict[bool, Server]]:
    """A server that knows its path by a setting, and one that is told it by a trusted proxy."""
    told = {"MONTANE_TRUSTED_PROXIES": "1"}
    with (
        databases.fresh() as database,
        Server("--database-url", database, "--base-path", BASE, face="rest") as set_to,
        Server("--database-url", database, face="rest", environment=told) as believing,
    ):
        yield {False: set_to, True: believing}


@pytest.mark.parametrize("name", [name for name in PROXIES if name != OLD])
def test_every_link_leads_back_through_the_proxy(
    servers: dict[bool, Server], name: str, tmp_path: Path
) -> None:
    """Documentation, problems, `Location`, invitations, streams, WebSockets, HEAD, conditional reads."""
    with proxy(name, servers[name.endswith("says the path")].http_port, tmp_path) as url:
        origin = url.removesuffix(BASE)
        client = Client(url)
        http = client.http

        home = http.get("/", follow_redirects=True)
        assert (home.status_code, home.url.path) == (200, f"{BASE}/docs")
        for part in home.text.split('"'):
            if part.startswith("/"):
                assert http.get(origin + part).status_code == 200, part
        document = http.get("/openapi.json")
        assert document.headers["content-encoding"] == "gzip"
        assert document.json()["servers"] == [{"url": BASE}]
        games = document.json()["servers"][0]["url"] + "/v1/games"
        assert http.get(origin + games).status_code == 200
        has = {"If-None-Match": document.headers["etag"]}
        assert http.get("/openapi.json", headers=has).status_code == 304

        problem = client.problem("GET", "/v1/matches/none")
        assert problem["type"] == f"{BASE}/problems/not-found"
        assert http.get(origin + problem["type"]).status_code == 200

        opened = http.post("/v1/matches", json={"game": "montana", "options": {"deal": 1}, "seat": 0})
        path = opened.headers["location"]
        assert http.get(origin + path).json()["id"] == opened.json()["id"]
        match = opened.json()["id"]
        link = client.get(f"/v1/matches/{match}/invitation")["path"]
        assert httpx.get(origin + link).status_code == 200
        head = http.head(f"/v1/matches/{match}/view")
        assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", '"4.0"')
        assert http.head(f"/v1/matches/{match}/events", headers={"Accept": "text/event-stream"}).is_success
        unchanged = http.get(f"/v1/matches/{match}/view", headers={"If-None-Match": '"4.0"'})
        assert unchanged.status_code == 304

        with ServerSentEvents(client, match) as events, Socket(client, match) as socket:
            events.until("caught_up")
            socket.until("caught_up")
            begun = time.monotonic()
            socket.send({"type": "command", "id": "a", "command": MOVE})
            # A proxy that buffers would hold it back until its buffer is full.
            assert events.until("event")[-1]["event"]["version"] == 5
            assert socket.until("result")[-1]["version"] == 5
            assert time.monotonic() - begun < 10
            socket.send({"type": "command", "id": "b", "command": {"type": "no"}})
            assert socket.until("problem")[-1]["problem"]["type"] == f"{BASE}/problems/malformed"
        export = http.get(f"/v1/matches/{match}/export")
        assert len(export.text.splitlines()) == 5 + 2


def test_what_the_connection_refuses_names_the_path_too(servers: dict[bool, Server]) -> None:
    """A head that is too large, of which the application never hears."""
    refused = httpx.get(f"{servers[False].url}/v1/games", headers={"X-A": "a" * 40_000})
    assert (refused.status_code, refused.headers["cache-control"]) == (431, "no-store")
    explained = httpx.get(servers[False].url + refused.json()["type"])
    assert (refused.json()["type"].startswith(f"{BASE}/problems/"), explained.status_code) == (True, 200)


def test_a_proxy_that_speaks_http_1_0(servers: dict[bool, Server], tmp_path: Path) -> None:
    """Answers and streams arrive as they are."""
    with proxy(OLD, servers[False].http_port, tmp_path) as url:
        client = Client(url)
        match = client.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})["id"]
        with ServerSentEvents(client, match) as events:
            assert events.until("caught_up")[0]["version"] == 4
        assert len(client.http.get(f"/v1/matches/{match}/export").text.splitlines()) == 4 + 2
