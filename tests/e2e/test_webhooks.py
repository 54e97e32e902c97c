"""Webhooks of a running service: what happens arrives, signed, once, anyone who else hangs."""

import asyncio
import json
from collections import Counter
from typing import Any

from tests.support.faces.receiver import Got, Receiver, answers, hangs, receiver
from tests.support.faces.server import Client, Server, eventually

MATCHES = 4
MONTANA = {"game": "montana", "options": {"deal": 1}, "seat": 0}
TYPES = ["started", "ended", "your_turn", "match.event"]
PATIENCE = 30


async def test_messages_arrive_once_each(database: str) -> None:
    """Two nodes share the work: every message comes once and verifies, whatever hangs beside it."""
    allow = ("--database-url", database, "--webhook-private-addresses", "allow")
    async with receiver(answers(204), proves=True) as good, receiver(hangs, proves=True) as hanging:
        with Server(*allow) as one, Server(*allow) as other:
            ann, elsewhere = Client(one.url), Client(other.url, None)
            elsewhere.http.headers = ann.http.headers
            silent = await asyncio.to_thread(subscribed, ann, hanging)
            webhook, secret = await asyncio.to_thread(subscribed, ann, good)
            ids = await asyncio.to_thread(played, elsewhere)
            log = await delivered(ann, webhook)
            got = list(good.got)
            told = await asyncio.to_thread(expected, ann, ids)
            stuck = {d["state"] for d in await deliveries(ann, silent[0])}
    assert {delivery["id"] for delivery in log} == {one.headers["webhook-id"] for one in got}
    assert len(got) == len(log)
    assert {len(delivery["attempts"]) for delivery in log} == {1}
    for message in got:
        message.verified(secret)
    assert Counter(kinds(got)) == Counter(told)
    assert stuck == {"pending"}


def subscribed(player: Client, target: Receiver) -> tuple[str, str]:
    """Return the id and the secret of a new webhook of a player, whose target has echoed its challenge."""
    body = {"url": f"http://127.0.0.1:{target.port}/hook", "events": TYPES}
    made = player.post("/v1/webhooks", body)
    path = f"/v1/webhooks/{made['webhook']['id']}"
    eventually(lambda: player.get(path)["state"] == "active")
    (challenge,) = target.challenges
    challenge.verified(made["secret"])
    return made["webhook"]["id"], made["secret"]


def played(player: Client) -> list[str]:
    """Return matches that a player opened, moved in and gave up."""
    ids = []
    for _ in range(MATCHES):
        id = player.post("/v1/matches", MONTANA)["id"]
        for command in ({"type": "move_card", "card": "9H"}, {"type": "resign"}):
            player.post(f"/v1/matches/{id}/commands", {"command": command})
        ids.append(id)
    return ids


async def deliveries(player: Client, webhook: str) -> list[dict[str, Any]]:
    """Return all messages to a webhook."""
    page = await asyncio.to_thread(player.get, f"/v1/webhooks/{webhook}/deliveries", page_size=200)
    found: list[dict[str, Any]] = page["items"]
    return [delivery for delivery in found if delivery["match"]]


async def delivered(player: Client, webhook: str) -> list[dict[str, Any]]:
    """Return all messages to a webhook, once they tell of the end of every match and are delivered."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await deliveries(player, webhook)
            ended = [delivery for delivery in found if delivery["type"] == "ended"]
            if len(ended) == MATCHES and {delivery["state"] for delivery in found} == {"delivered"}:
                return found
            await asyncio.sleep(0.05)


def kinds(got: list[Got]) -> list[tuple[str, str, int]]:
    """Return type, match and version of each message."""
    bodies = [json.loads(one.body) for one in got]
    return [(body["type"], body["data"]["match"], body["data"]["version"]) for body in bodies]


def expected(player: Client, ids: list[str]) -> list[tuple[str, str, int]]:
    """Return what is to be notified of matches: each event after the first, beginning, turn and end."""
    told = []
    names = {"match.started": ("started", "your_turn"), "match.finished": ("ended",)}
    for id in ids:
        for event in player.get(f"/v1/matches/{id}/events", page_size=200)["items"][1:]:
            told += [(name, id, event["version"]) for name in ("match.event", *names.get(event["type"], ()))]
    return told
