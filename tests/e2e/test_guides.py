"""The guides, followed word by word on a copy: what they say to write works."""

import json
import re
from pathlib import Path

import psycopg

from domain.games import GAMES
from tests.support.faces.server import Client, Server, eventually
from tests.support.guides import ROOT, copied, follow, run

MAIN = "from adapters.cli.app import main; main()"


def test_an_operation_is_at_most_five_places(tmp_path: Path, database: str) -> None:
    """The guide's operation answers over both faces, and is in the OpenAPI document."""
    copy = copied(tmp_path)
    touched = follow("an-operation.md", copy)
    assert len(touched) <= 5
    run(copy, str(copy / "proto" / "generate.py"))
    with Server("--database-url", database, environment={"PYTHONPATH": str(copy)}) as server:
        ann = Client(server.url)
        path = f"/v1/players/{ann.player['id']}/statistics/montana"
        answer = ann.get(path)
        assert (answer["game"], answer["played"], answer["rating"]) == ("montana", 0, None)
        assert ann.problem("GET", path.replace("montana", "chess"))["reason"] == "NO_SUCH_GAME"
        described = ann.get("/openapi.json")["paths"]
        assert described["/v1/players/{player}/statistics/{game}"]["get"]["responses"]["200"]
        request = json.dumps({"player": ann.player["id"], "game": "montana"})
        call = ["call", "StatisticsService.GetStatisticsInGame", request, "--grpc-addr", server.grpc_target]
        token = ann.http.headers["Authorization"].removeprefix("Bearer ")
        assert (
            json.loads(run(copy, "-c", MAIN, *call, MONTANE_TOKEN=token))["statistics"]["game"] == "montana"
        )


def test_a_read_model_is_three_places(tmp_path: Path, database: str) -> None:
    """The guide's table follows the log, and is the same when it is built again."""
    copy = copied(tmp_path)
    assert len(follow("a-read-model.md", copy)) == 3
    here = {"PYTHONPATH": str(copy)}

    def counted() -> list[tuple[str, int]]:
        with psycopg.connect(database) as connection:
            return connection.execute("SELECT game, matches FROM finished_matches").fetchall()

    with Server("--database-url", database, environment=here) as server:
        ann = Client(server.url)
        for _ in range(2):
            match = ann.post("/v1/matches", {"game": "montana", "seat": 0})["id"]
            ann.post(f"/v1/matches/{match}/commands", {"command": {"type": "resign"}})
        assert eventually(lambda: counted() == [("montana", 2)])
    run(copy, "-c", MAIN, "rebuild", "finished_matches", "--database-url", database)
    assert counted() == [("montana", 2)]


def test_the_guide_to_a_game_names_the_modules_of_all_games() -> None:
    """Those that every game has, the sixth one of the tests too, and no others."""
    guide = (ROOT / "docs" / "guides" / "a-game.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\S+)` \|", guide, re.MULTILINE))
    games = [ROOT / "domain" / "games" / game for game in GAMES]
    games.append(ROOT / "tests" / "support" / "sixth_game" / "domain" / "games" / "high_card")
    for game in games:
        there = {path.name for path in game.iterdir() if path.is_file()}
        assert named <= there, game
