"""Who is there is told by every kind of stream, whichever server they are open at."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.faces.server import Client, Server
from tests.support.faces.streams import (
    READERS,
    Lines,
    Playing,
    Reader,
    ServerSentEvents,
    item_of,
    streaming_client,
)


@pytest.fixture(scope="module")
def servers(databases: Any) -> Iterator[tuple[Server, Server]]:
    """Two servers of one deployment."""
    with (
        databases.fresh() as database,
        Server("--database-url", database) as one,
        Server("--database-url", database) as other,
    ):
        yield one, other


@pytest.fixture(params=READERS, ids=list(READERS))
def reader(request: pytest.FixtureRequest) -> Any:
    """Each way in which a stream is read."""
    return READERS[request.param]


def opened(ann: Client, ben: Client) -> str:
    """Return a match of Mountains that Ann opened and Ben joined."""
    body = {"game": "mountains", "seats": 2, "seat": 0, "start": "manual"}
    match = str(ann.post("/v1/matches", body)["id"])
    ben.http.put(f"/v1/matches/{match}/seats/1", json={}).raise_for_status()
    return match


def told(stream: Reader, *present: bool, onlookers: int) -> dict[str, Any]:
    """Return the next item that says that these seats are there, and so many look on."""
    while True:
        (*_, item) = stream.until("presence")
        if [seat["present"] for seat in item["seats"]] == [*present] and item["onlookers"] == onlookers:
            return item


def test_every_stream_tells_who_is_there(servers: tuple[Server, Server], reader: Any) -> None:
    """Before it is live and when it changes, also elsewhere; a seat that is left is told with its time."""
    one, other = servers
    ann, ben, cam = streaming_client(one), streaming_client(other, "Ben"), streaming_client(other, "Cam")
    match = opened(ann, ben)
    with reader(ann, match) as stream:
        first = [stream.next() for _ in range(3)]
        assert [item["type"] for item in first] == ["snapshot", "presence", "caught_up"]
        assert first[0]["presence"] == [0]
        assert [seat["seat"] for seat in first[1]["seats"]] == [0, 1]
        assert [seat["present"] for seat in first[1]["seats"]] == [True, False]
        with Lines(cam, match), reader(ben, match, after=1) as there:
            there.until("caught_up")
            told(stream, True, True, onlookers=1)
            with ServerSentEvents(cam, match) as late:
                assert late.next()["presence"] == [0, 1]
        away = told(stream, True, False, onlookers=0)
        assert away["seats"][1]["away_since"] is not None
        assert away["seats"][0].get("away_since") is None


def test_a_stream_that_plays_tells_who_is_there(servers: tuple[Server, Server]) -> None:
    """As the others do."""
    one, other = servers
    ann, ben = streaming_client(one), streaming_client(other, "Ben")
    match = opened(ann, ben)
    with Playing(ann, match) as stream:
        items = [item_of(part.item) for part in stream.until("caught_up")]
        assert [item["type"] for item in items] == ["snapshot", "presence", "caught_up"]
        with Lines(ben, match):
            (*_, part) = stream.until("presence")
            assert [seat.present for seat in part.item.presence.seats] == [True, True]


def test_a_server_that_stops_takes_its_streams_along(servers: tuple[Server, Server], databases: Any) -> None:
    """At once, without waiting for its lease to end."""
    with databases.fresh() as database, Server("--database-url", database) as stays:
        ann = streaming_client(stays)
        with Server("--database-url", database) as stops:
            ben = streaming_client(stops, "Ben")
            match = opened(ann, ben)
            with Lines(ann, match) as stream, Lines(ben, match):
                told(stream, True, True, onlookers=0)
                stops.stop()
                told(stream, True, False, onlookers=0)
