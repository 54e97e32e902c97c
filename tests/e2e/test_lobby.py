"""Players who come together through different nodes, on real sockets and PostgreSQL."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.faces.server import Client, Server
from tests.support.faces.streams import READERS, streaming_client


@pytest.fixture(scope="module")
def nodes(databases: Any) -> Iterator[tuple[Server, Server]]:
    """Two servers on one database."""
    with (
        databases.fresh() as database,
        Server("--database-url", database) as one,
        Server("--database-url", database) as other,
    ):
        yield one, other


def test_two_people_and_a_third_find_one_another_and_play_again(nodes: tuple[Server, Server]) -> None:
    """They ask at the same moment, on two nodes, and end in one match; and in one rematch."""
    clients = [Client(nodes[number % 2].url, name) for number, name in enumerate(("Ann", "Ben", "Cam"))]
    wish = {"game": "mountains", "seats": 3}
    with ThreadPoolExecutor(3) as together:
        found = list(together.map(lambda one: one.post("/v1/quick-match", wish)["id"], clients))
        assert len(set(found)) == 1
        path = f"/v1/matches/{found[0]}"
        match = clients[0].get(path)
        assert match["state"] == "playing"
        names = [seat["player"]["display_name"] for seat in match["seats"]]
        assert sorted(names) == ["Ann", "Ben", "Cam"]
        for client in clients[:2]:
            seat = names.index(client.player["display_name"])
            assert client.http.delete(f"{path}/seats/{seat}").is_success
        again = list(together.map(lambda one: one.post(f"{path}/rematch", {})["id"], clients))
    assert len(set(again)) == 1
    rematch = clients[2].get(f"/v1/matches/{again[0]}")
    assert (rematch["state"], rematch["rematch_of"]) == ("playing", found[0])
    assert [seat["player"]["display_name"] for seat in rematch["seats"]] == names


@pytest.mark.parametrize("reader", READERS, ids=list(READERS))
def test_a_private_match_is_watched_by_its_link(nodes: tuple[Server, Server], reader: str) -> None:
    """Every kind of stream opens to anyone who shows it, also on another node, and to nobody else."""
    ann = Client(nodes[0].url)
    opened = ann.post("/v1/matches", {"game": "mountains", "seat": 0, "visibility": "private"})
    link = ann.get(f"/v1/matches/{opened['id']}/invitation")
    for name in ("Ben", None):
        onlooker = streaming_client(nodes[1], name)
        with READERS[reader](onlooker, opened["id"], invitation=link["invitation"]) as stream:
            assert stream.until("caught_up")[-1]["version"] == 2
    assert Client(nodes[1].url, "Cam").http.get(link["path"]).json()["id"] == opened["id"]
    refused = Client(nodes[1].url, "Dot").problem("GET", f"/v1/matches/{opened['id']}?invitation=none")
    assert refused["reason"] == "NO_SUCH_MATCH"
