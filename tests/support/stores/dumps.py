"""Stores a database as a version of the service writes it: `make dump`, or `make dump ARGS=REVISION`.

The service is run, of a revision in git or as it lies here, on a database of its own; players use all that it
offers, by its own description; what it wrote is kept as SQL in `tests/golden/databases/`, named by its last
migration, with what the players know in the first line. The tokens therein are of that database only.
"""

import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import httpx
import msgspec

from adapters.postgres.own_server.binaries import Account, find_binaries
from adapters.postgres.own_server.embedded import EmbeddedPostgres
from tests.support.faces.server import Client, Server, eventually

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "tests" / "golden" / "databases"
MIGRATIONS = Path("adapters") / "postgres" / "migrations"
MARK = "-- known: "
"""Begins the line with what the players know."""
SUFFIX = ".sql.xz"
UNKNOWN_BEFORE = ("SET transaction_timeout", "\\restrict", "\\unrestrict", "-- Dumped ")
"""How lines begin that older servers do not know, that are for psql, or that differ from run to run."""
SETTLING = 3.0
"""Seconds in which all that follows the log is up with it."""
MOVES, MOVES_TO_END = 5, 24
"""How many moves are made in matches that stay in play, and before a seat gives up."""


class Known(msgspec.Struct):
    """What the players know.

    Attributes:
        players: Id and token by name.
        repeated: Requests with a key, and their answers.
        views: What a player saw at the end: name, match, view.
        events: How many events each could be read: name, match, number.
        chat: What was said: name, match, messages.
        erased: Id of an account that was erased; None if there was none.
    """

    players: dict[str, tuple[str, str]] = {}
    repeated: list[tuple[str, str, dict[str, Any], str, Any]] = []
    views: list[tuple[str, str, dict[str, Any]]] = []
    events: list[tuple[str, str, int]] = []
    chat: list[tuple[str, str, list[dict[str, Any]]]] = []
    erased: str | None = None


class Evening:
    """Players who use all that a server offers."""

    def __init__(self, server: Server) -> None:
        """Ask what it offers, and come in."""
        self.known = Known()
        described = httpx.get(f"{server.url}/openapi.json").json()
        self._paths, self._words = described["paths"], json.dumps(described)
        self.ann, self.ben, self.cam, self.dot = (
            Client(server.url, name) for name in ("Ann", "Ben", "Cam", "Dot")
        )
        self._matches: list[str] = []

    def offers(self, method: str, path: str) -> bool:
        """Return whether there is such a call."""
        return method in self._paths.get(path, {})

    def spend(self) -> Known:
        """Play matches of all games, and all around them; return what the players know in the end."""
        self._watch()
        games = self.ann.get("/v1/games")["items"]
        for game in games:
            self._games(game)
        if several := [game for game in games if game["max_seats"] > 1]:
            self._lobby(several[-1])
            self._people(several[-1])
        time.sleep(SETTLING)
        self._remember()
        return self.known

    def _open(self, game: str, seats: int, **wishes: Any) -> str:
        """Open a match with those of the wishes that can be had; Ann, Ben and Cam sit down."""
        body = {"game": game, "seats": seats, "seat": 0}
        body |= {wish: value for wish, value in wishes.items() if f'"{wish}"' in self._words}
        match = str(self._repeated(self.ann, "/v1/matches", body)["id"])
        link = ""
        if self.offers("get", "/v1/matches/{match}/invitation"):
            link = f"?invitation={self.ann.get(f'/v1/matches/{match}/invitation')['invitation']}"
        for seat, player in zip(range(1, seats), (self.ben, self.cam), strict=False):
            self._put(player, f"/v1/matches/{match}/seats/{seat}{link}", {})
        return match

    def _games(self, game: dict[str, Any]) -> None:
        """Leave one match of a game finished, and one in play, in private and with clocks."""
        least, most = game["min_seats"], min(game["max_seats"], 3)
        finished = self._open(game["id"], least, rated=True)
        self._play(finished, MOVES_TO_END)
        if self.ann.get(f"/v1/matches/{finished}/view")["to_act"]:
            self.ann.post(f"/v1/matches/{finished}/commands", {"command": {"type": "resign"}})
        # A seat of three may stay when the first has resigned.
        if self.ann.get(f"/v1/matches/{finished}/view")["to_act"]:
            self.ben.post(f"/v1/matches/{finished}/commands", {"command": {"type": "resign"}})
        clock = {"kind": "days", "days": 30}
        # Without an invitation nobody else knows of a private match.
        hidden = most == 1 or self.offers("get", "/v1/matches/{match}/invitation")
        visibility = "private" if hidden else "public"
        playing = self._open(game["id"], most, visibility=visibility, time_control=clock)
        self._play(playing, MOVES)
        if self.offers("post", "/v1/matches/{match}/branches"):
            branch = self.ann.post(f"/v1/matches/{finished}/branches", {"version": 6})
            self._matches.append(branch["id"])
        if self.offers("post", "/v1/matches/{match}/rematch"):
            self._matches.append(self.ann.post(f"/v1/matches/{finished}/rematch", {})["id"])

    def _play(self, match: str, moves: int) -> None:
        """Make some moves for the seat that is to act; remember the match."""
        self._matches.append(match)
        seated = (self.ann, self.ben, self.cam)
        for step in range(moves):
            to_act = self.ann.get(f"/v1/matches/{match}/view")["to_act"]
            if not to_act:
                return
            player = seated[to_act[0]]
            legal = player.get(f"/v1/matches/{match}/legal-moves")["legal_moves"]
            body = {"command": legal[step * 7 % len(legal)]}
            self._repeated(player, f"/v1/matches/{match}/commands", body, keep=step == 0)

    def _lobby(self, game: dict[str, Any]) -> None:
        """Leave matches open and cancelled, made by quick-match, and with a bot."""
        alone = {"game": game["id"], "seats": game["min_seats"], "seat": 0}
        self._matches.append(self.ann.post("/v1/matches", alone)["id"])
        if self.offers("post", "/v1/matches/{match}/cancel"):
            off = self.ann.post("/v1/matches", alone)["id"]
            self._matches.append(off)
            assert self.ann.http.post(f"/v1/matches/{off}/cancel").is_success
        if self.offers("post", "/v1/matches/{match}/invitations"):
            invited = self.ann.post("/v1/matches", alone | {"visibility": "private"})["id"]
            self._matches.append(invited)
            self.ann.post(f"/v1/matches/{invited}/invitations", {"player": self.cam.player["id"]})
        if self.offers("post", "/v1/quick-match"):
            for player in (self.ben, self.cam):
                body = {"game": game["id"], "seats": game["min_seats"]}
                self._repeated(player, "/v1/quick-match", body)
        if self.offers("get", "/v1/bots"):
            with_bot = self.ann.post("/v1/matches", alone)["id"]
            self._matches.append(with_bot)
            bot = self.ann.get("/v1/bots")["items"][0]["name"]
            self._put(self.ann, f"/v1/matches/{with_bot}/seats/1", {"bot": bot})
            eventually(lambda: self.ann.get(f"/v1/matches/{with_bot}/view")["to_act"] == [0])

    def _watch(self) -> None:
        """Have Ann told by a webhook that nobody answers."""
        if self.offers("post", "/v1/webhooks"):
            types = [one for one in ("started", "your_turn", "ended", "chat") if f'"{one}"' in self._words]
            hook = {"url": "https://hooks.invalid/montane", "events": types}
            self.ann.post("/v1/webhooks", hook)

    def _people(self, game: dict[str, Any]) -> None:
        """Talk, block, make a token, and erase an account that has played."""
        body = {"game": game["id"], "seats": game["min_seats"], "seat": 0}
        match = self.ann.post("/v1/matches", body)["id"]
        self._matches.append(match)
        self._put(self.dot, f"/v1/matches/{match}/seats/1", {})
        if self.offers("post", "/v1/matches/{match}/chat"):
            path = f"/v1/matches/{match}/chat"
            said = self.ann.post(path, {"room": "players", "text": "Good luck to all of us"})
            self.dot.post(path, {"room": "seat", "to_seat": 0, "text": "To you too"})
            self.cam.post(path, {"room": "spectators", "text": "May I watch?"})
            self.dot.post(f"{path}/{said['id']}/report", {"reason": "spam"})
        if self.offers("put", "/v1/players/me/blocks/{player}"):
            self._put(self.ben, f"/v1/players/me/blocks/{self.dot.player['id']}", None)
        if self.offers("post", "/v1/players/me/tokens"):
            token = self.ben.post("/v1/players/me/tokens", {"scopes": ["read"]})["token"]
            self.known.players["Ben's reader"] = (self.ben.player["id"], token)
        if self.offers("delete", "/v1/players/me"):
            assert self.dot.http.delete("/v1/players/me").is_success
            self.known.erased = self.dot.player["id"]

    def _remember(self) -> None:
        """Note what everybody sees."""
        stay = (self.ann, self.ben, self.cam)
        for player in stay:
            name = player.player["display_name"]
            token = player.http.headers["Authorization"].removeprefix("Bearer ")
            self.known.players[name] = (player.player["id"], token)
            for match in self._matches:
                found = player.http.get(f"/v1/matches/{match}/view")
                if found.is_success:
                    self.known.views.append((name, match, found.json()))
                    self.known.events.append((name, match, len(player.all_events(match))))
                if self.offers("get", "/v1/matches/{match}/chat"):
                    said = player.http.get(f"/v1/matches/{match}/chat")
                    if said.is_success and said.json()["items"]:
                        self.known.chat.append((name, match, said.json()["items"]))

    def _repeated(self, player: Client, path: str, body: dict[str, Any], *, keep: bool = True) -> Any:
        """Return the answer to a request with a key, and note both."""
        key = f"key-{len(self.known.repeated)}-{time.monotonic_ns()}"
        answer = player.post(path, body, Idempotency_Key=key)
        if keep:
            self.known.repeated.append((player.player["display_name"], path, body, key, answer))
        return answer

    def _put(self, player: Client, path: str, body: Any) -> None:
        said = player.http.put(path, json=body)
        assert said.is_success, (path, said.text)


def last_migration(checkout: Path) -> str:
    """Return the name of the last migration that a version has."""
    return max(file.stem for file in (checkout / MIGRATIONS).glob("*.sql"))


def dumped(checkout: Path, folder: Path) -> str:
    """Return the dump of a database that a version has written.

    Args:
        checkout: Where the version lies.
        folder: For the server's data.
    """
    script = tomllib.loads((checkout / "pyproject.toml").read_text())["project"]["scripts"]["montane"]
    module, _, function = script.partition(":")
    run = f"import sys; sys.argv[0] = 'montane'; from {module} import {function}; {function}()"
    with EmbeddedPostgres.start(folder, durable=False) as postgres:
        with Server(
            *("--database-url", postgres.conninfo),
            environment={"PYTHONPATH": str(checkout)},
            program=(sys.executable, "-P", "-c", run),
        ) as server:
            known = Evening(server).spend()
        programs = find_binaries(None, Account(os.geteuid(), os.getegid()))
        kinds = ("--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=100")
        found = subprocess.run(
            [programs / "pg_dump", *kinds, postgres.conninfo], check=True, capture_output=True, text=True
        )
    lines = found.stdout.splitlines(keepends=True)
    kept = "".join(line for line in lines if not line.startswith(UNKNOWN_BEFORE))
    return f"{MARK}{msgspec.json.encode(known).decode()}\n{kept}"


def read(name: str) -> tuple[str, Known]:
    """Return a stored dump, and what the players know of it."""
    text = lzma.decompress((FOLDER / f"{name}{SUFFIX}").read_bytes()).decode()
    return text, msgspec.json.decode(text.splitlines()[0].removeprefix(MARK), type=Known)


def stored() -> list[str]:
    """Return the names of the dumps that are stored."""
    return sorted(file.name.removesuffix(SUFFIX) for file in FOLDER.glob(f"*{SUFFIX}"))


def main(arguments: list[str]) -> None:
    """Store the dump of a revision, or of what lies here."""
    parser = ArgumentParser(prog="make dump", description=__doc__)
    parser.add_argument("revision", nargs="?", help="of git; what lies here if left out")
    revision = parser.parse_args(arguments).revision
    with tempfile.TemporaryDirectory(prefix="montane-dump-") as name:
        folder, checkout = Path(name), ROOT
        # The server runs under an account of its own, which must reach its data.
        folder.chmod(0o755)
        if revision is not None:
            checkout = folder / "checkout"
            archive = subprocess.run(
                ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
            ).stdout
            with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
                packed.extractall(checkout, filter="data")
        text = dumped(checkout, folder / "data")
        FOLDER.mkdir(exist_ok=True)
        target = FOLDER / f"{last_migration(checkout)}{SUFFIX}"
        target.write_bytes(lzma.compress(text.encode()))
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
