"""`montane replay` against a running server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.support.faces.server import Client, Server
from tests.support.stores.database import Databases

NONE = "match_" + "0" * 26


@pytest.fixture(scope="module")
def server(databases: Databases) -> Iterator[Server]:
    """A server."""
    with databases.fresh() as conninfo, Server("--database-url", conninfo) as server:
        yield server


def replay(server: Server, match: str, *flags: str, by: Client | None = None) -> tuple[int, str]:
    """Return how the command ends, and what it prints: on the output if that is good, else the message."""
    montane = str(Path(sys.executable).with_name("montane"))
    # Wide enough for every hand: a line that is broken in a table mixes its words with those beside it.
    given = {"COLUMNS": "300"}
    if by is not None:
        given["MONTANE_TOKEN"] = by.http.headers["Authorization"].removeprefix("Bearer ")
    done = subprocess.run(
        [montane, "replay", match, "--url", server.url, *flags],
        env={name: value for name, value in os.environ.items() if name != "MONTANE_TOKEN"} | given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(done.stdout) == (done.returncode == 0) == (not done.stderr)
    return done.returncode, done.stdout or done.stderr


def test_a_match_is_replayed_by_whoever_may_see_it(server: Server) -> None:
    """While it goes on from the own seat or as a spectator; after the end from everywhere."""
    ann, ben, dice = Client(server.url), Client(server.url, "Ben"), Random(1)
    asked = {"game": "montanara", "options": {"first_seat": 0}, "seat": 0}
    match = ann.post("/v1/matches", asked)["id"]
    path = f"/v1/matches/{match}"
    ben.http.put(f"{path}/seats/1", json={})
    for _ in range(6):
        mover = (ann, ben)[ann.get(f"{path}/view")["to_act"][0]]
        moves = mover.get(f"{path}/legal-moves")["legal_moves"]
        mover.post(f"{path}/commands", {"command": dice.choice(moves)})
    view = ann.get(f"{path}/view")
    hand = " ".join(view["table"]["seats"][0]["hand"])

    code, told = replay(server, match, by=ann)
    assert code == 0
    pages = told.split("move ")[1:]
    assert [page.split()[0] for page in pages] == [f"{n}/{len(pages)}" for n in range(1, len(pages) + 1)]
    assert f"version {view['version']}\nmontanara/1, as seat 0," in pages[-1]
    assert "Ann (0)" in pages[-1]
    assert "Ben (1)" in pages[-1]
    assert " ".join(hand.split()) in " ".join(pages[-1].split())
    assert replay(server, match, "--as", "seat", "--all", by=ann) == (0, told)
    assert "as seat 1," in replay(server, match, "--as", "seat", "--at", "5", by=ben)[1]
    _, public = replay(server, match, "--at", str(view["version"]))
    assert "as a spectator," in public
    assert public == replay(server, match, "--as", "spectator", "--at", str(view["version"]), by=ben)[1]
    assert " ".join(hand.split()) not in " ".join(public.split())

    assert replay(server, match, "--as", "all", by=ann) == (
        1,
        "montane: The caller may not look at this match from there. (NOT_YOUR_VIEW)\n",
    )
    own = "montane: the caller has no seat in this match: MONTANE_TOKEN says who calls\n"
    assert replay(server, match, "--as", "seat") == (1, own)
    ann.post(f"{path}/commands", {"command": {"type": "resign"}})
    code, whole = replay(server, match, "--as", "all")
    assert code == 0
    assert "resigned, won by Ben (1)" in whole
    assert " ".join(hand.split()) in " ".join(whole.split())


def test_what_cannot_be_replayed_is_said(server: Server) -> None:
    """No such match, no such version, a private match without its invitation, a bad token."""
    ann = Client(server.url)
    asked = {"game": "montana", "options": {"deal": 1}, "seat": 0, "visibility": "private"}
    match = ann.post("/v1/matches", asked)["id"]
    missing = "or none that the caller may know of. (NO_SUCH_MATCH)"
    for code, told in (replay(server, NONE), replay(server, match), replay(server, "no match")):
        assert code == 1
        assert missing in told
    shown = ann.get(f"/v1/matches/{match}/invitation")["invitation"]
    code, told = replay(server, match, "--invitation", shown)
    assert code == 0
    assert "as a spectator," in told
    code, told = replay(server, match, "--at", "5", by=ann)
    assert (code, told) == (1, "montane: the match has no version 5; the latest is 4\n")
    code, told = replay(server, match, "--token", "nonsense")
    assert code == 1
    assert "TOKEN_" in told
    assert replay(server, match, "--url", f"{server.url}/docs")[0] == 1
