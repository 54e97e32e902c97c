"""What happens though nobody calls: time runs out, bots move, lists follow; whichever processes there are."""

import signal
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from adapters.grpc.generated.montane.v1.matches_pb2 import ListEventsRequest
from tests.support.faces.grpc_client import GrpcClient
from tests.support.faces.server import Client, Server, eventually
from tests.support.faces.streams import READERS, Lines, streaming_client

SOON = timedelta(seconds=3)
"""How late a time-out may be on a machine that is busy."""


@pytest.fixture(scope="module")
def server(databases: Any) -> Iterator[Server]:
    """A server that does everything."""
    with databases.fresh() as database, Server("--database-url", database, "--bot-pause", "1") as server:
        yield server


@pytest.fixture(params=READERS, ids=list(READERS))
def reader(request: pytest.FixtureRequest) -> Any:
    """Each way in which a stream is read."""
    return READERS[request.param]


def duel(ann: Client, ben: Client, time_control: dict[str, Any], **terms: Any) -> str:
    """Return a match of Mountains in which Ann is to act first, against Ben."""
    wanted = {"game": "mountains", "options": {"first_seat": 0}, "seat": 0, "time_control": time_control}
    match = ann.post("/v1/matches", wanted | terms)["id"]
    assert ben.http.put(f"/v1/matches/{match}/seats/1", json={}).is_success
    return str(match)


def second_a_move(ann: Client, ben: Client, **terms: Any) -> str:
    """Return a duel in which each move must come within a second."""
    return duel(ann, ben, {"kind": "per_move", "seconds": 1}, **terms)


def against_bots(ann: Client, *seats: int, own: int | None = None) -> str:
    """Return a match of Montmartre with bots at these seats, and maybe Ann at another."""
    count = len(seats) + (own is not None)
    wanted = {"game": "montmartre", "seats": count, "seat": own, "options": {"first_seat": 0}}
    match = ann.post("/v1/matches", wanted)["id"]
    for seat in seats:
        assert ann.http.put(f"/v1/matches/{match}/seats/{seat}", json={"bot": "random"}).is_success
    return str(match)


def state_of(client: Client, match: str) -> str:
    """Return how far a match is."""
    return str(client.get(f"/v1/matches/{match}")["state"])


def time_outs(client: Client, match: str) -> list[timedelta]:
    """Return how long after the deadline each time-out of a match came, in order."""
    late, deadline = [], None
    for event in client.all_events(match):
        if event["type"] == "match.clocks_set":
            clocks = event["payload"]["clocks"]
            left = timedelta(milliseconds=min(clocks["remaining"][seat] for seat in clocks["running"]))
            deadline = datetime.fromisoformat(clocks["at"]) + left
        if event["type"] == "match.timed_out":
            assert deadline is not None
            late.append(datetime.fromisoformat(event["at"]) - deadline)
            # The next one must have a deadline of its own: of one deadline there is one time-out.
            deadline = None
    return late


def test_nobody_loses_while_the_service_is_down(databases: Any) -> None:
    """Killed with seconds on the clock, and back when they are over: the deadline moves, for all to see."""
    with databases.fresh() as database, Server("--database-url", database) as server:
        ann, ben = Client(server.url), Client(server.url, "Ben")
        match = duel(ann, ben, {"kind": "per_move", "seconds": 5})
        time.sleep(2.5)
        server.kill()
        time.sleep(7)
        server.restart()

        def moved() -> list[dict[str, Any]]:
            return [event for event in ann.all_events(match) if event["type"] == "match.deadline_moved"]

        (event,) = eventually(moved)
        began, ended = (datetime.fromisoformat(event["payload"][name]) for name in ("began_at", "ended_at"))
        assert timedelta(seconds=6) < ended - began < timedelta(seconds=30)
        view = ann.get(f"/v1/matches/{match}/view")
        longer = (ended - began + timedelta(seconds=10)) // timedelta(milliseconds=1)
        assert view["clocks"]["remaining"] == [5_000 + longer, 5_000]
        rpc = GrpcClient(server.grpc_target)
        listed = rpc.call(rpc.matches.ListEvents, ListEventsRequest(match=match)).items
        assert [one.type for one in listed].count("match.deadline_moved") == 1
        rpc.close()
        move = ann.get(f"/v1/matches/{match}/legal-moves")["legal_moves"][0]
        ann.post(f"/v1/matches/{match}/commands", {"command": move})
        assert state_of(ann, match) == "playing"


def test_a_snapshot_shows_the_clocks(server: Server, reader: Any) -> None:
    """In every form of a stream it says whose time runs since when, and what each seat had left."""
    ann, ben = streaming_client(server), Client(server.url, "Ben")
    match = duel(ann, ben, {"kind": "reserve", "seconds": 600, "increment": 5})
    expected = ann.get(f"/v1/matches/{match}/view")["clocks"]
    assert (expected["running"], expected["remaining"]) == ([0], [600_000, 600_000])
    with reader(ann, match) as stream:
        clocks = stream.until("caught_up")[0]["view"]["clocks"]
    assert datetime.fromisoformat(clocks["at"]) == datetime.fromisoformat(expected["at"])
    assert (clocks["running"], [int(left) for left in clocks["remaining"]]) == ([0], [600_000, 600_000])


def test_time_runs_out_though_nobody_calls(server: Server) -> None:
    """Anyone who watches is told within moments of the deadline, and the match is over."""
    ann, ben = streaming_client(server), Client(server.url, "Ben")
    match = second_a_move(ann, ben)
    with Lines(ann, match) as stream:
        *_, end = stream.until("end")
    assert end["reason"] == "MATCH_OVER"
    (late,) = time_outs(ann, match)
    assert timedelta() <= late < SOON
    outcome = ben.get(f"/v1/matches/{match}")["outcome"]
    assert (outcome["kind"], outcome["winners"]) == ("timed_out", [1])


def test_a_default_move_is_made_for_who_does_not_come(server: Server) -> None:
    """Where the match says so it goes on, a time-out at each deadline."""
    ann, ben = streaming_client(server), Client(server.url, "Ben")
    match = second_a_move(ann, ben, on_time_out="default_move")
    eventually(lambda: len(time_outs(ann, match)) >= 2)
    assert state_of(ann, match) == "playing"
    assert all(timedelta() <= late < SOON for late in time_outs(ann, match))


def test_bots_play_with_people(server: Server) -> None:
    """Whenever a bot is to act it moves, until it is a person's turn again or the match is over."""
    ann = streaming_client(server)
    match = against_bots(ann, 1, 2, own=0)
    with Lines(ann, match) as stream:
        stream.until("caught_up")
        item = {"type": ""}
        while item["type"] != "end":
            view = ann.get(f"/v1/matches/{match}/view")
            if view["to_act"] == [0]:
                move = {"command": view["legal_moves"][0], "expected_version": view["version"]}
                ann.post(f"/v1/matches/{match}/commands", move)
            item = stream.next()
    assert {event["seat"] for event in ann.all_events(match)} >= {0, 1, 2}
    assert ann.get(f"/v1/matches/{match}")["outcome"]["kind"] in {"won", "shared"}


def test_each_face_and_the_workers_run_alone(database: str) -> None:
    """One process a face and two that work: all is done, and done once, also when a worker is killed."""
    where = ("--database-url", database)
    with (
        Server(*where, face="rest") as rest,
        Server(*where, face="grpc") as grpc,
        Server(*where, "--bot-pause", "1", face="work") as one,
        Server(*where, "--bot-pause", "1", face="work") as other,
    ):
        assert "montane work" in rest.greeting
        assert "montane work" in grpc.greeting
        assert "lists, clocks, bots" in one.greeting
        ann, ben = Client(rest.url), Client(rest.url, "Ben")
        match = second_a_move(ann, ben)
        eventually(lambda: state_of(ann, match) == "finished")
        assert len(time_outs(ann, match)) == 1
        eventually(lambda: _listed(ann) == {match: "finished"})

        bots = against_bots(ann, 0, 1)
        again = second_a_move(ann, ben, on_time_out="default_move")
        eventually(lambda: time_outs(ann, again))
        one.kill()
        before = len(time_outs(ann, again))
        eventually(lambda: len(time_outs(ann, again)) > before + 1)
        eventually(lambda: state_of(ann, bots) == "finished", seconds=60)
        eventually(lambda: _listed(ann) == {one: state_of(ann, one) for one in (match, bots, again)})
        other.stop(signal.SIGTERM)
        assert other.process.returncode == 0


def test_time_stands_until_somebody_works(tmp_path: Path) -> None:
    """A face alone handles nothing; a worker started beside it, on its own PostgreSQL, catches up."""
    where = ("--data-dir", str(tmp_path / "data"))
    with Server(*where, face="rest") as server:
        ann, ben = Client(server.url), Client(server.url, "Ben")
        match = second_a_move(ann, ben)
        with Server(*where, face="work"):
            eventually(lambda: state_of(ann, match) == "finished")
            eventually(lambda: _listed(ann) == {match: "finished"})
        assert len(time_outs(ann, match)) == 1


def _listed(client: Client) -> dict[str, str]:
    return {one["id"]: one["state"] for one in client.get("/v1/matches")["items"]}
