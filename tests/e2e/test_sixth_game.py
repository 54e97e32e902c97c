"""A sixth game: its own folder, one line in the registry and one proto file, and both faces play it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.faces.server import Client, Server

ROOT = Path(__file__).parents[2]
SIXTH_GAME = ROOT / "tests" / "support" / "sixth_game"
"""What the game adds: a package of the domain and a proto, at their places."""
LAST_LINE = '        "mountains",\n'
GAME_LINE = '        "high_card",\n'
UNSEEN = "CARD_UNSPECIFIED"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources of the service with the sixth game, and the code that is generated from them."""
    ignored = shutil.ignore_patterns("__pycache__")
    for package in ("domain", "services", "adapters", "proto"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=ignored)
    shutil.copytree(SIXTH_GAME, tmp_path, ignore=ignored, dirs_exist_ok=True)
    registry = tmp_path / "domain" / "games" / "__init__.py"
    before = registry.read_text(encoding="utf-8")
    after = before.replace(LAST_LINE, LAST_LINE + GAME_LINE)
    assert len(after.splitlines()) == len(before.splitlines()) + 1
    registry.write_text(after, encoding="utf-8")
    run(tmp_path, str(tmp_path / "proto" / "generate.py"))
    return tmp_path


def run(copy: Path, *arguments: str, **environment: str) -> str:
    """Return what Python prints in the copy."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(copy)} | environment,
        cwd=copy,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def changed(copy: Path) -> set[str]:
    """Return what is not as it is here, but for what the game adds and what is generated."""
    return {
        str(path.relative_to(copy))
        for folder in ("domain", "services", "adapters", "proto")
        for path in (copy / folder).rglob("*.*")
        if "__pycache__" not in path.parts and "generated" not in path.parts
        if not (SIXTH_GAME / path.relative_to(copy)).exists()
        if path.read_bytes() != (ROOT / path.relative_to(copy)).read_bytes()
    }


class Caller:
    """A player who speaks gRPC, by `montane call`."""

    def __init__(self, copy: Path, server: Server, name: str) -> None:
        """Open a guest account of this name."""
        self._copy, self._server, self._token = copy, server, ""
        self._token = self.call("PlayerService.CreatePlayer", {"display_name": name})["token"]

    def call(self, method: str, request: Mapping[str, Any]) -> Any:
        """Return a method's answer."""
        command = ["call", method, json.dumps(request), "--grpc-addr", self._server.grpc_target]
        main = "from adapters.cli.app import main; main()"
        return json.loads(run(self._copy, "-c", main, *command, MONTANE_TOKEN=self._token))


def test_a_sixth_game_is_played_over_rest_and_grpc(copy: Path, database: str) -> None:
    """Ann plays over REST and Ben over gRPC, to the end; each sees its own cards and not the other's."""
    unions = {f"proto/montane/v1/{union}.proto" for union in ("games", "options", "tables")}
    assert changed(copy) == {"domain/games/__init__.py", *unions}
    with Server("--database-url", database, environment={"PYTHONPATH": str(copy)}) as server:
        ann, ben = Client(server.url), Caller(copy, server, "Ben")
        listed = [game["id"] for game in ann.get("/v1/games")["items"]]
        assert listed[-2:] == ["mountains", "high_card"]

        asked = {"game": "high_card", "options": {"first_seat": 0}, "seat": 0}
        match = ann.post("/v1/matches", asked)["id"]
        ben.call("MatchService.TakeSeat", {"match": match, "seat": 1})
        path = f"/v1/matches/{match}"
        shown = ann.get(f"{path}/view")["table"]
        dealt = next(event for event in ann.all_events(match) if event["type"] == "high_card.dealt")[
            "payload"
        ]
        assert dealt == {
            "type": "high_card.dealt",
            "first_seat": 0,
            "hands": [shown["seats"][0]["hand"], [None, None, None]],
            "stock": [None, None],
        }
        events = ben.call("MatchService.ListEvents", {"match": match})["items"]
        (told,) = [event["payload"]["high_card"] for event in events if "high_card" in event["payload"]]
        assert told["dealt"]["hands"][0] == {"items": [UNSEEN] * 3}
        assert UNSEEN not in told["dealt"]["hands"][1]["items"]

        lacking = next(card for card in "12345678" if card not in shown["seats"][0]["hand"])
        refused = ann.problem(
            "POST", f"{path}/commands", json={"command": {"type": "play_card", "card": lacking}}
        )
        assert (refused["reason"], refused["clause"]) == ("CARD_NOT_IN_HAND", "high_card §4.1")

        for _ in range(6):
            view = ann.get(f"{path}/view")
            if view["to_act"] == [0]:
                ann.post(f"{path}/commands", {"command": view["legal_moves"][0]})
            else:
                moves = ben.call("MatchService.ListLegalMoves", {"match": match})["legal_moves"]
                ben.call("MatchService.SubmitCommand", {"match": match, "command": moves[-1]})

        over = ann.get(f"{path}/view")
        same = ben.call("MatchService.GetView", {"match": match})["view"]
        tricks = [seat["tricks"] for seat in over["table"]["seats"]]
        assert sum(tricks) == 3
        assert over["outcome"]["scores"] == tricks == same["outcome"]["scores"]
        assert (over["outcome"]["reason"], over["table"]["turn"]) == ("hands_empty", None)
        assert len(over["table"]["discard_pile"]) == len(same["table"]["high_card"]["discard_pile"]) == 6
