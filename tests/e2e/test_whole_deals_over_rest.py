"""Whole deals of Montana over REST, on real sockets and PostgreSQL."""

import random
from typing import Any

import msgspec

from adapters.rest.bodies import event_type
from domain.games import GAMES
from domain.match import evolve
from domain.shared.seats import Seat
from domain.shared.viewers import seated
from services.ids import MatchId
from services.views import view
from tests.support.server import Client, Server

DEALS = 20


def test_random_deals_played_to_their_end(database: str) -> None:
    """Deals play to their end, replay from their events at every version, and outlive a crash."""
    with Server("--database-url", database, face="rest") as server:
        ann = Client(server.url)
        crash = random.Random(1).randrange(5, 20)
        for deal in range(DEALS):
            chance = random.Random(deal)
            match = ann.post("/v1/matches", {"game": "montana", "options": {"redeals": deal % 3}, "seat": 0})
            version, plays = match["version"], 0
            now = ann.get(f"/v1/matches/{match['id']}/view")
            while now["state"] == "playing":
                command = chosen(chance, now)
                answer = ann.post(
                    f"/v1/matches/{match['id']}/commands", {"command": command, "expected_version": version}
                )
                assert answer["version"] == version + len(answer["events"])
                version, now, plays = answer["version"], answer["view"], plays + 1
                if deal == DEALS // 2 and plays == crash:
                    server.kill()
                    server.restart()
                    assert ann.get(f"/v1/matches/{match['id']}/view") == now
            assert now["outcome"]["reason"] in {"rows_complete", "stuck"}
            replays(ann, match["id"], now)


def chosen(chance: random.Random, now: dict[str, Any]) -> dict[str, Any]:
    """Return a random legal move, but let no two walk within column 0: that could go on for ever."""
    first_column = [row["cells"][0] for row in now["table"]["rows"]]
    moves = [
        move
        for move in now["legal_moves"]
        if move["type"] != "move_card" or move["column"] != 0 or move["card"] not in first_column
    ]
    return dict(chance.choice(moves))


def replays(player: Client, match: str, last: dict[str, Any]) -> None:
    """Fold a match from its events and compare with the server's view at every version."""
    game = GAMES["montana"]
    events = player.all_events(match)
    assert [event["version"] for event in events] == list(range(1, last["version"] + 1))
    folded = None
    for event in events:
        folded = evolve(game, folded, msgspec.convert(event["payload"], event_type(game)))
        seen = view(game, MatchId(match), folded, event["version"], seated(Seat(0)))
        served = player.get(f"/v1/matches/{match}/view", version=event["version"], as_=0)
        assert served == msgspec.json.decode(msgspec.json.encode(seen))
    assert served == last
