"""An evening at the table: found, played, out of time, rated, notified of, and played again."""

import asyncio
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from tests.e2e.test_webhooks import deliveries, kinds, subscribed
from tests.support.faces.receiver import answers, receiver
from tests.support.faces.server import Client, Server

WISH = {
    "game": "mount_drago",
    "seats": 3,
    "time_control": {"kind": "per_move", "seconds": 3},
    "entropy": "an evening",
}
PATIENCE = 60


async def test_two_people_and_a_bot_spend_an_evening(database: str) -> None:
    """They meet by quick match, one runs out of time, ratings change, webhooks come once, all play again."""
    allow = ("--database-url", database, "--webhook-private-addresses", "allow")
    async with receiver(answers(204), proves=True) as hook:
        with Server(*allow) as one, Server(*allow) as other:
            ann, ben, bot = Client(one.url, "Ann"), Client(other.url, "Ben"), Client(other.url, "Bot")
            made = bot.post("/v1/players/me/tokens", {"scopes": ["bot"]})
            bot.http.headers["Authorization"] = f"Bearer {made['token']}"
            webhook, secret = await asyncio.to_thread(subscribed, ann, hook)
            match = await asyncio.to_thread(meet, (ann, ben, bot))
            seats = {held["player"]["display_name"]: held for held in match["seats"]}
            assert (match["state"], seats["Ann"]["kind"], seats["Bot"]["kind"]) == ("playing", "human", "bot")
            await asyncio.to_thread(play, match["id"], (ann, bot), Random("evening"))
            events = ann.all_events(match["id"])
            outcome = events[-1]["payload"]["outcome"]
            out_of_time = [one["payload"]["seat"] for one in events if one["type"] == "match.timed_out"]
            assert out_of_time == [seats["Ben"]["seat"]]
            assert seats["Ben"]["seat"] not in outcome["winners"]
            await asyncio.to_thread(rated, ann, {name: held["player"]["id"] for name, held in seats.items()})
            await told(ann, webhook)
            got = list(hook.got)
            again = await asyncio.to_thread(replay, match["id"], (ann, ben, bot))
    began = next(one["payload"]["first"] for one in events if one["type"] == "match.started")
    assert (again["state"], again["options"]["first_seat"]) == ("playing", (began + 1) % 3)
    assert [held["player"] for held in again["seats"]] == [held["player"] for held in match["seats"]]
    for message in got:
        message.verified(secret)
    counted = Counter(kinds(got))
    assert set(counted.values()) == {1}
    assert Counter(kind for kind, *_ in counted)["ended"] == 1
    versions = sorted(version for kind, _, version in counted if kind == "match.event")
    assert versions == list(range(versions[0], len(events) + 1))


def meet(players: tuple[Client, ...]) -> dict[str, Any]:
    """Return the match in which players find one another, asking at the same moment."""
    with ThreadPoolExecutor(3) as together:
        found = list(together.map(lambda one: one.post("/v1/quick-match", WISH)["id"], players))
    assert len(set(found)) == 1
    match: dict[str, Any] = players[0].get(f"/v1/matches/{found[0]}")
    return match


def play(match: str, players: tuple[Client, ...], dice: Random) -> None:
    """Let players move at random, whenever they are to act, until the match is over."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for player in players:
            view = player.get(f"/v1/matches/{match}/view")
            if view["state"] == "finished":
                return
            if view["legal_moves"]:
                body = {"command": dice.choice(view["legal_moves"]), "expected_version": view["version"]}
                player.post(f"/v1/matches/{match}/commands", body)
    raise AssertionError("the match has no end")


def rated(player: Client, ids: dict[str, str]) -> None:
    """See that all have a rating by now, and that the one who ran out of time has lost by it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = {name: player.get(f"/v1/players/{id}/statistics") for name, id in ids.items()}
        if all(one["games"] and one["games"][0]["rating"] for one in found.values()):
            break
        assert time.monotonic() < deadline
        time.sleep(0.05)
    estimates = {name: one["games"][0]["rating"]["mu"] for name, one in found.items()}
    assert estimates["Ben"] == min(estimates.values()) < 25 < max(estimates.values())
    assert found["Ben"]["games"][0]["timed_out"] == 1


async def told(player: Client, webhook: str) -> None:
    """Return once the webhook was notified of the end, and nothing waits to be sent."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await deliveries(player, webhook)
            states = {one["state"] for one in found}
            if states == {"delivered"} and any(one["type"] == "ended" for one in found):
                return
            await asyncio.sleep(0.05)


def replay(match: str, players: tuple[Client, ...]) -> dict[str, Any]:
    """Return the match that players play again, asking at the same moment."""
    with ThreadPoolExecutor(3) as together:
        found = list(together.map(lambda one: one.post(f"/v1/matches/{match}/rematch", {})["id"], players))
    assert len(set(found)) == 1
    again: dict[str, Any] = players[0].get(f"/v1/matches/{found[0]}")
    return again
