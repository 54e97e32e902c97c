"""What a deployment does when all is well, played on whatever database it stands on."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.faces.server import Client, Server, eventually
from tests.support.faces.streams import Calls, Lines, streaming_client

RUN_SECONDS = 60


def montane(
    *arguments: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Return what the command `montane` has to say."""
    return subprocess.run(
        [str(Path(sys.executable).with_name("montane")), *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        env={**os.environ, **(environment or {})},
    )


def refusal(*arguments: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the line with which `montane` refuses, and fail if it does not, or says more."""
    done = montane(*arguments, environment=environment)
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert done.stderr.startswith("montane: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def played(node: Server, other: Server) -> str:
    """Play a match on one node, watched on another over both faces; return its id once all is up to date."""
    ann, ben = streaming_client(node, "Ann"), streaming_client(other, "Ben")
    wanted = {"game": "mountains", "options": {"first_seat": 0}, "seat": 0, "rated": True}
    match = str(ann.post("/v1/matches", wanted)["id"])
    with Lines(ben, match) as lines, Calls(ben, match) as calls:
        lines.until("caught_up")
        calls.until("caught_up")
        assert ben.http.put(f"/v1/matches/{match}/seats/1", json={}).is_success
        said = ann.post(f"/v1/matches/{match}/chat", {"room": "players", "text": "hello"})
        for _ in range(3):
            view = ann.get(f"/v1/matches/{match}/view")
            mover = (ann, ben)[view["to_act"][0]]
            move = mover.get(f"/v1/matches/{match}/view")["legal_moves"][0]
            mover.post(f"/v1/matches/{match}/commands", {"command": move})
        ben.post(f"/v1/matches/{match}/commands", {"command": {"type": "resign"}})
        for stream in (lines, calls):
            *_, end = stream.until("end")
            assert end["reason"] == "MATCH_OVER"
    assert ben.get(f"/v1/matches/{match}/chat")["items"][0]["id"] == said["id"]
    me = ann.player["id"]
    eventually(lambda: ann.get(f"/v1/players/{me}/statistics")["games"])
    eventually(lambda: state_in_list(ben, match) == "finished")
    eventually(lambda: ann.get(f"/v1/matches/{match}/proof")["signature"])
    return match


def listed(node: Server) -> set[str]:
    """Return the matches that a node lists."""
    return {one["id"] for one in Client(node.url, "Eve").get("/v1/matches")["items"]}


def state_in_list(client: Client, match: str) -> Any:
    """Return how far a match is, by the list."""
    return {one["id"]: one["state"] for one in client.get("/v1/matches")["items"]}.get(match)


def well(*where: str, environment: Mapping[str, str] | None = None) -> None:
    """Rebuild and audit, and find nothing that differs."""
    for arguments in (["rebuild"], ["rebuild", "--list"], ["audit"]):
        done = montane(*arguments, *where, environment=environment)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        if arguments == ["rebuild"]:
            assert done.stdout.count(", 0 removed, 0 added") == done.stdout.count(" rows, "), done.stdout
        if arguments == ["audit"]:
            assert "no fault" in done.stdout
