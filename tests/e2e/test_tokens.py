"""Tokens of a running service: those that its operator gives, and those of an issuer that it trusts."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import connect

from tests.support.faces.issuer import AUDIENCE, serving
from tests.support.faces.server import Server

MONTANE = str(Path(sys.executable).with_name("montane"))
FOREVER_GONE = "2020-01-01T00:00:00Z"


def test_an_operator_and_an_issuer_give_tokens(tmp_path: Path) -> None:
    """Both while the service runs; the operator's is of any scope, and what is wrong is told in one line."""
    data = ("--data-dir", str(tmp_path / "data"))
    with serving() as issuer:
        trust = ("--oidc-issuer", issuer.url, "--oidc-audience", AUDIENCE)
        with Server(*data, *trust, face="rest") as server, httpx.Client(base_url=server.url) as http:

            def get(path: str, token: str) -> Any:
                return http.get(path, headers={"Authorization": f"Bearer {token}"}).json()

            now = int(time.time())
            signed_in = issuer.token(nickname="Annie", iat=now, exp=now + 600)
            me = get("/v1/players/me", signed_in)
            assert me["display_name"] == "Annie"
            assert get("/v1/players/me", issuer.token(aud="other"))["reason"] == "TOKEN_FOREIGN"

            made = montane("token", me["id"], "--scope", "admin", "--scope", "play", *data)
            secret = made.stdout.strip()
            assert (made.returncode, made.stdout, made.stderr) == (0, f"{secret}\n", "")
            assert get("/v1/players/me", secret) == me
            (listed,) = get("/v1/players/me/tokens", secret)["items"]
            assert (listed["scopes"], listed["expires_at"]) == (["play", "admin"], None)

            for arguments, said in (
                (("player_x", "--scope", "read"), "montane: There is no player player_x."),
                (
                    (me["id"], "--scope", "read", "--expires-at", "soon"),
                    "montane: --expires-at: expected a time such as 2027-01-31T00:00:00Z, not 'soon'",
                ),
                (
                    (me["id"], "--scope", "read", "--expires-at", FOREVER_GONE),
                    "montane: expires_at must be a time to come.",
                ),
            ):
                failed = montane("token", *arguments, *data)
                assert (failed.returncode, failed.stdout, failed.stderr) == (1, "", f"{said}\n")
    until = montane("token", me["id"], "--scope", "bot", "--expires-at", "2100-01-01T00:00:00+01:00", *data)
    assert until.stdout.startswith("montane_")


def test_streams_end_with_their_token(tmp_path: Path) -> None:
    """Lines and a WebSocket, within 5 seconds of revoking it."""
    with (
        Server("--data-dir", str(tmp_path / "data"), face="rest") as server,
        httpx.Client(base_url=server.url, timeout=30) as http,
    ):
        token = http.post("/v1/players", json={"display_name": "Ann"}).json()["token"]
        http.headers["Authorization"] = f"Bearer {token}"
        made = http.post("/v1/players/me/tokens", json={"scopes": ["play"]}).json()
        match = http.post("/v1/matches", json={"game": "montana", "seat": 0}).json()["id"]
        path, shown = f"/v1/matches/{match}", {"Authorization": f"Bearer {made['token']}"}
        socket_url = f"{server.url.replace('http', 'ws', 1)}{path}/socket"
        lines_wanted = shown | {"Accept": "application/x-ndjson"}
        with (
            http.stream("GET", f"{path}/events", headers=lines_wanted) as lines,
            connect(socket_url, additional_headers=shown) as socket,
        ):
            revoked = time.monotonic()
            assert http.delete(f"/v1/players/me/tokens/{made['details']['id']}").status_code == 204
            ends = [list(map(json.loads, told))[-1] for told in (lines.iter_lines(), socket)]
            assert time.monotonic() - revoked < 5
        for end in ends:
            assert (end["type"], end["reason"], end["resumable"]) == ("end", "TOKEN_ENDED", True)


def montane(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Return what a command that ends by itself printed."""
    return subprocess.run([MONTANE, *arguments], capture_output=True, text=True, timeout=60, check=False)
