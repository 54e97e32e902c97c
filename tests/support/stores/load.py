"""Players who press on whatever happens to the service, and keep what they were told."""

import secrets
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from typing import NamedTuple

import httpx
import msgspec
import psycopg

from services.shared.ids import MatchId, match_id
from tests.support.faces.server import Client, eventually
from tests.support.games.montana import ENDLESS, WALK

PAUSE = 0.02
"""Seconds before a command is sent again."""


class Told(NamedTuple):
    """A command that was acknowledged, and the version it was told."""

    match: str
    key: str
    version: int


def endless(client: Client) -> str:
    """Return a match of the client's that can be played for ever."""
    match = client.post("/v1/matches", {"game": "montana", "options": {"deal": ENDLESS}, "seat": 0})
    return str(match["id"])


class Player(Thread):
    """A client that gives one command after another, each with its key until it is acknowledged.

    Attributes:
        match: The match.
        told: What was acknowledged.
        answers: How many answers of each status came; 0 where the connection broke instead.
        hurried: How many answers of 503 did not say when to come again.
        longest: The seconds of the longest wait for an answer.
    """

    def __init__(self, client: Client, match: str, *, url: str | None = None, careful: bool = False) -> None:
        """Begin to play.

        Args:
            client: Whose match it is.
            match: One that can be played for ever.
            url: The server to play through; the client's own if left out.
            careful: Whether commands name the version that they are meant for.
        """
        super().__init__(daemon=True)
        headers = {"Authorization": client.http.headers["Authorization"]}
        self._http = httpx.Client(base_url=url or client.http.base_url, headers=headers, timeout=30)
        self.match = match
        self._expected = 4 if careful else None
        self._enough = Event()
        self._hopeless = False
        self.told: list[Told] = []
        self.answers: Counter[int] = Counter()
        self.hurried = 0
        self.longest = 0.0
        self.start()

    def run(self) -> None:
        """Give commands until it is enough."""
        with self._http:
            while not self._enough.is_set():
                self._command(secrets.token_hex(8))

    def stop(self) -> None:
        """Have the last command acknowledged, and end."""
        self._enough.set()
        self.join(30)
        self._hopeless = self.is_alive()
        assert not self._hopeless, "its last command was never acknowledged"

    def give_up(self) -> None:
        """End without waiting for the last command."""
        self._hopeless = True
        self._enough.set()

    def _command(self, key: str) -> None:
        body = {"command": msgspec.to_builtins(WALK), "expected_version": self._expected}
        while (answer := self._sent(body, key)).status_code in (0, 503):
            if self._hopeless:
                return
            time.sleep(PAUSE)
        if answer.status_code == 200:
            self.told.append(Told(self.match, key, answer.json()["version"]))
        if self._expected is not None:
            found = answer.json()
            self._expected = found["version"] if answer.status_code == 200 else found["details"]["version"]

    def _sent(self, body: object, key: str) -> httpx.Response:
        """Return the answer to a command, one of status 0 if there was none."""
        path, headers = f"/v1/matches/{self.match}/commands", {"Idempotency-Key": key}
        begun = time.monotonic()
        try:
            answer = self._http.post(path, json=body, headers=headers)
        except httpx.TransportError:
            answer = httpx.Response(0)
        self.longest = max(self.longest, time.monotonic() - begun)
        self.answers[answer.status_code] += 1
        self.hurried += answer.status_code == 503 and "Retry-After" not in answer.headers
        return answer


@contextmanager
def playing(players: Sequence[Player]) -> Iterator[None]:
    """Let players play meanwhile, and have the last command of each acknowledged."""
    try:
        yield
    except BaseException:
        for player in players:
            player.give_up()
        raise
    for player in players:
        player.stop()


def press_on(players: Sequence[Player], commands: int, seconds: float = 30) -> None:
    """Return when each player has had so many more commands acknowledged."""
    goals = [len(player.told) + commands for player in players]
    eventually(lambda: all(len(p.told) >= goal for p, goal in zip(players, goals, strict=True)), seconds)


def keys_in_log(conninfo: str) -> dict[MatchId, list[str]]:
    """Return the idempotency keys of each match's events, in the order of versions, which have no gap."""
    query = (
        "SELECT originator_id, originator_version, convert_from(state, 'UTF8')::json ->> 'key'"
        " FROM match_events ORDER BY originator_id, originator_version"
    )
    found: dict[MatchId, list[str]] = {}
    with psycopg.connect(conninfo) as connection:
        for number, version, key in connection.execute(query):
            keys = found.setdefault(match_id(number), [])
            assert version == len(keys) + 1
            keys.append(key)
    return found


def check_log(conninfo: str, players: Sequence[Player]) -> None:
    """See that all that was acknowledged is in the log, at the version told, and no command twice."""
    log = keys_in_log(conninfo)
    for player in players:
        for match, key, version in player.told:
            assert log[MatchId(match)][version - 1] == key
    for keys in log.values():
        moves = keys[4:]
        assert len(set(moves)) == len(moves)
