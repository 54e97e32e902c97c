"""`montane serve --memory`: the whole service without a database, for authors of games and clients."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.faces.receiver import Receiver, answers, receiver
from tests.support.faces.server import Client, Server, eventually
from tests.support.faces.streams import Calls, Lines, streaming_client
from tests.support.stores.deployments import montane, played, refusal

START_SECONDS = 10.0
"""How long a start may take on a busy machine; alone it takes less than two seconds."""
GAMES = {"montana", "montanara", "montmartre", "mount_drago", "mountains"}


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service in memory, begun in an empty folder."""
    folder = tmp_path_factory.mktemp("empty")
    began = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        server = Server("--memory", "--webhook-private-addresses", "allow")
    with server:
        assert Client(server.url, None).get("/health/ready")["status"] == "ready"
        assert time.monotonic() - began < START_SECONDS
        yield server
    assert list(folder.iterdir()) == []


def test_it_says_loudly_that_nothing_is_kept(node: Server) -> None:
    """In the log, and in the greeting."""
    warning, greeting = (line for line in node.greeting.splitlines() if "nothing is kept" in line)
    assert "WARNING" in warning
    assert greeting.startswith("  data  ")


def test_all_games_are_there(node: Server) -> None:
    """As of any other service."""
    assert {game["id"] for game in Client(node.url, None).get("/v1/games")["items"]} == GAMES


def test_people_play_chat_and_watch(node: Server) -> None:
    """A match is played, streamed over REST and gRPC, listed, counted, and its end signed."""
    played(node, node)


def test_a_bot_plays_against_a_client(node: Server) -> None:
    """Its moves come over both faces as they happen, and the turn on the player's own feed."""
    ann = streaming_client(node, "Ann")
    match = str(ann.post("/v1/matches", {"game": "mountains", "options": {"first_seat": 1}, "seat": 0})["id"])
    with Lines(ann, match) as lines, Calls(ann, match) as calls:
        assert ann.http.put(f"/v1/matches/{match}/seats/1", json={"bot": "random"}).is_success
        eventually(lambda: ann.get(f"/v1/matches/{match}/view")["to_act"] == [0])
        ann.post(f"/v1/matches/{match}/commands", {"command": {"type": "resign"}})
        for stream in (lines, calls):
            *_, end = stream.until("end")
            assert end["reason"] == "MATCH_OVER"
    kinds = [event["kind"] for event in ann.get("/v1/players/me/events")["items"]]
    assert "your_turn" in kinds
    assert kinds[-1] == "ended"


def test_a_feed_and_a_chat_are_live(node: Server) -> None:
    """What is said and what happens reaches a player who waits for it, without being asked for again."""
    ann, ben = streaming_client(node, "Ann"), streaming_client(node, "Ben")
    match = str(ann.post("/v1/matches", {"game": "mount_drago", "seat": 0})["id"])
    heard: list[str] = []
    with ann.http.stream("GET", "/v1/players/me/events", headers={"Accept": "application/x-ndjson"}) as feed:
        lines = feed.iter_lines()
        while '"caught_up"' not in next(lines):
            pass
        assert ben.http.put(f"/v1/matches/{match}/seats/1", json={}).is_success
        ben.post(f"/v1/matches/{match}/chat", {"room": "players", "text": "hello"})
        while '"kind":"chat"' not in (line := next(lines)):
            heard.append(line)
    assert any('"kind":"started"' in line for line in heard)


def test_a_seat_whose_time_is_up_loses_it(node: Server) -> None:
    """The clock runs though nobody asks."""
    ann, ben = Client(node.url, "Ann"), Client(node.url, "Ben")
    limit = {"kind": "per_move", "seconds": 1}
    match = ann.post("/v1/matches", {"game": "mount_drago", "seat": 0, "time_control": limit})["id"]
    assert ben.http.put(f"/v1/matches/{match}/seats/1", json={}).is_success
    eventually(lambda: "match.timed_out" in [event["type"] for event in ann.all_events(match)])


def test_quick_match_brings_two_together(node: Server) -> None:
    """Who wants the same gets the same match."""
    wanted = {"game": "montanara"}
    one, two = (Client(node.url, name).post("/v1/quick-match", wanted) for name in ("Ann", "Ben"))
    assert one["id"] == two["id"]


async def test_a_webhook_is_notified(node: Server) -> None:
    """Its target proves itself, and what happens arrives."""
    async with receiver(answers(204), proves=True) as target:
        await asyncio.to_thread(notified, node, target)


def notified(node: Server, target: Receiver) -> None:
    """Open and end a match, and wait until a webhook knows of its end."""
    ann = Client(node.url, "Ann")
    hook = {"url": f"http://127.0.0.1:{target.port}/hook", "events": ["ended"]}
    made = ann.post("/v1/webhooks", hook)
    eventually(lambda: ann.get(f"/v1/webhooks/{made['webhook']['id']}")["state"] == "active")
    match = ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})["id"]
    ann.post(f"/v1/matches/{match}/commands", {"command": {"type": "resign"}})
    eventually(lambda: target.got)
    target.got[0].verified(made["secret"])


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--database-url", "postgresql://localhost/x"], "--database-url"),
        (["--data-dir", "elsewhere"], "--data-dir"),
        (["--pool-size", "3"], "MONTANE_POOL_SIZE"),
        (["--no-workers"], "--no-workers"),
    ],
)
def test_what_is_said_of_a_database_is_refused(flags: list[str], named: str) -> None:
    """In one line that names it."""
    assert named in refusal("serve", "--memory", *flags)


def test_a_database_of_the_environment_is_refused_too(tmp_path: Path) -> None:
    """Anyone who set it means to keep something."""
    done = montane("serve", "--memory", environment={"MONTANE_DATA_DIR": str(tmp_path)})
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "MONTANE_DATA_DIR" in done.stderr
