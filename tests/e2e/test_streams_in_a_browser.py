"""Streams as a page in a real browser reads them: an EventSource, and a WebSocket."""

from typing import Any

from playwright.sync_api import Page

from tests.support.faces.browser import chromium, needs_chromium
from tests.support.faces.server import Client, Server

pytestmark = needs_chromium

WATCH = """url => {
    window.seen = [];
    const source = new EventSource(url);
    for (const name of ["snapshot", "event", "caught_up", "end"])
        source.addEventListener(name, message => window.seen.push([name, message.lastEventId]));
    source.addEventListener("error", () => { window.stopped = source.readyState === EventSource.CLOSED });
}"""
PLAY = """([url, protocols]) => new Promise((resolve, reject) => {
    const socket = new WebSocket(url, protocols);
    socket.onerror = reject;
    socket.onmessage = message => {
        const item = JSON.parse(message.data);
        if (item.type === "caught_up")
            socket.send(JSON.stringify({type: "command", command: {type: "move_card", card: "9H"}}));
        if (item.type === "result") resolve(item.version);
    };
})"""


def until(page: Page, holds: str) -> None:
    """Wait until a condition holds in the page."""
    page.wait_for_function(holds, timeout=15_000)


def test_an_event_source_goes_on_by_itself(database: str) -> None:
    """When the server comes back from a crash the browser resumes, and it stops when the match is over."""
    with chromium() as browser, Server("--database-url", database, face="rest") as server:
        ann = Client(server.url)
        match = ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})["id"]
        page = browser.new_page()
        page.goto(f"{server.url}/problems")
        page.evaluate(WATCH, f"/v1/matches/{match}/events")
        until(page, "window.seen.length == 2")
        play(ann, match, {"type": "move_card", "card": "9H"})
        until(page, "window.seen.length == 3")
        server.kill()
        server.restart()
        play(ann, match, {"type": "resign"})
        until(page, "window.stopped && window.seen.at(-1)[0] == 'end'")
        seen = page.evaluate("window.seen")
        assert [tuple(one) for one in seen if one[0] != "caught_up"] == [
            ("snapshot", "4"),
            ("event", "5"),
            ("event", "6"),
            ("event", "7"),
            ("end", "7"),
        ]


def play(client: Client, match: str, command: dict[str, Any]) -> None:
    """Give a command."""
    client.post(f"/v1/matches/{match}/commands", {"command": command})


def test_a_page_plays_over_a_websocket(database: str) -> None:
    """Its token goes as a subprotocol, as a page can set no header."""
    with chromium() as browser, Server("--database-url", database, face="rest") as server:
        ann = Client(server.url)
        match = ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})["id"]
        page = browser.new_page()
        page.goto(f"{server.url}/problems")
        url = f"{server.url.replace('http', 'ws', 1)}/v1/matches/{match}/socket"
        token = ann.http.headers["Authorization"].removeprefix("Bearer ")
        assert page.evaluate(PLAY, [url, ["montane.v1", f"montane.bearer.{token}"]]) == 5
        assert ann.get(f"/v1/matches/{match}/view")["version"] == 5
