"""The service as a process: how it starts, stops, and lives through the loss of its database."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from adapters.grpc.generated.montane.v1 import matches_pb2, players_pb2
from adapters.postgres.own_server.embedded import EmbeddedPostgres
from services.shared.health import AWAY_SECONDS
from tests.support.faces.grpc_client import GrpcClient
from tests.support.faces.server import Client, Server, children, descendants, eventually, free_port

MONTANE = str(Path(sys.executable).with_name("montane"))


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Return what a `montane` command that ends by itself printed."""
    return subprocess.run(
        [MONTANE, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **environment},
        check=False,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_and_all_it_started(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, or a termination, ends the server and its PostgreSQL within 5 s."""
    with Server("--data-dir", str(tmp_path / "data")) as server:
        started = list(descendants(server.process.pid))
        assert started
        server.stop(number)
        assert server.process.returncode == 0
        eventually(lambda: not any(_runs(pid) for pid in started))


def test_no_process_is_left_after_a_kill(tmp_path: Path) -> None:
    """When the server is killed its PostgreSQL ends too, and the next start finds every move."""
    with Server("--data-dir", str(tmp_path / "data"), face="rest") as server:
        ann = Client(server.url)
        match = ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})
        move = {"command": {"type": "move_card", "card": "9H"}}
        played = ann.post(f"/v1/matches/{match['id']}/commands", move)
        started = list(descendants(server.process.pid))
        server.kill()
        eventually(lambda: not any(_runs(pid) for pid in started))
        server.restart()
        assert ann.get(f"/v1/matches/{match['id']}/view") == played["view"]


def test_the_greeting_tells_where_to_begin(tmp_path: Path) -> None:
    """What is printed names both addresses, the documentation and a first command."""
    with Server("--data-dir", str(tmp_path / "data")) as server:
        printed = server.greeting
    assert f"http://127.0.0.1:{server.http_port}/docs" in printed
    assert f"127.0.0.1:{server.grpc_port}" in printed
    assert "curl" in printed


def test_it_says_503_while_the_database_is_away_and_resumes(tmp_path: Path) -> None:
    """Without PostgreSQL answers are 503 and UNAVAILABLE; once it is back, play goes on."""
    with (
        EmbeddedPostgres.start(tmp_path / "data") as postgres,
        Server("--database-url", postgres.conninfo) as server,
    ):
        ann, onlooker = Client(server.url), GrpcClient(server.grpc_target, name=None)
        match = ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})
        path = f"/v1/matches/{match['id']}"
        looking = matches_pb2.GetViewRequest(match=match["id"])
        move = {"command": {"type": "move_card", "card": "9H"}, "expected_version": 4}
        key = {"Idempotency-Key": "once"}
        os.kill(postgres.pid, signal.SIGKILL)
        eventually(lambda: not postgres.alive())

        away = ann.http.post(f"{path}/commands", json=move, headers=key)
        assert (away.status_code, away.json()["reason"]) == (503, "STORE_UNAVAILABLE")
        assert away.headers["Retry-After"]
        refused = onlooker.refusal(onlooker.matches.GetView, looking)
        assert refused[:2] == ("UNAVAILABLE", "STORE_UNAVAILABLE")
        # Others are asked only once that has lasted.
        assert ann.http.get("/health/ready").status_code == 200
        assert ann.http.get("/health/live").status_code == 200
        assert eventually(lambda: ann.http.get("/health/ready").status_code == 503, AWAY_SECONDS + 15)

        postgres.restart()

        def played() -> httpx.Response | None:
            answer = ann.http.post(f"{path}/commands", json=move, headers=key)
            return answer if answer.status_code == 200 else None

        assert eventually(played).json()["version"] == 5
        assert ann.get(f"{path}/view")["version"] == 5
        assert onlooker.call(onlooker.matches.GetView, looking).view.version == 5
        onlooker.close()


def test_it_starts_its_own_database_again(tmp_path: Path) -> None:
    """When the PostgreSQL of its own dies, the server starts it again and finds every move."""
    with Server("--data-dir", str(tmp_path / "data"), face="rest") as server:
        ann = Client(server.url)
        match = ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})
        (postmaster,) = children(server.process.pid)
        os.kill(postmaster, signal.SIGKILL)
        assert ann.http.get("/health/live").json() == {"status": "live"}
        # It is ready all the while: the database is away for less than 15 seconds.
        eventually(lambda: ann.http.get(f"/v1/matches/{match['id']}/view").status_code == 200)
        assert ann.get(f"/v1/matches/{match['id']}/view")["version"] == 4


def test_an_address_that_is_taken_is_one_line(tmp_path: Path, database: str) -> None:
    """A port in use is named with its setting and the reason, and the exit status says so."""
    with Server("--database-url", database) as server:
        for face, flag, address in (
            ("rest", "http-addr", f"127.0.0.1:{server.http_port}"),
            ("grpc", "grpc-addr", server.grpc_target),
        ):
            failed = run("serve", face, "--database-url", database, f"--{flag}", address)
            assert failed.returncode == 1
            (line,) = failed.stderr.splitlines()
            setting = f"MONTANE_{flag.replace('-', '_').upper()}"
            assert line.startswith(f"montane: {setting}: cannot listen on {address}: Address already in use")


@pytest.mark.parametrize("command", [("serve", "rest"), ("work",), ("rotate-key",)])
def test_a_key_that_is_none_ends_the_process(tmp_path: Path, database: str, command: tuple[str, ...]) -> None:
    """With one line, whatever is wrong with its file."""
    (tmp_path / "text").write_text("no key")
    for name, why in (("text", "not a private key"), ("nothing", "No such file"), ("", "Is a directory")):
        file = str(tmp_path / name)
        failed = run(*command, "--database-url", database, MONTANE_SIGNING_KEY_FILE=file)
        assert failed.returncode == 1
        (line,) = failed.stderr.splitlines()
        assert line.startswith("montane: MONTANE_SIGNING_KEY_FILE: ")
        assert why in line


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        ((), {"MONTANE_HTTP_ADDR": "here"}, "MONTANE_HTTP_ADDR: expected host:port, not 'here'"),
        (("--grpc-addr", "x:70000"), {}, "--grpc-addr: expected host:port, not 'x:70000'"),
        (("--pool-size", "0"), {}, "--pool-size: expected a whole number above 0, not '0'"),
        ((), {"MONTANE_LOG_LEVEL": "loud"}, "MONTANE_LOG_LEVEL: expected one of DEBUG"),
        (("--rate-limit", "no"), {}, "--rate-limit: expected on or off, not 'no'"),
        (("--trusted-proxies", "-1"), {}, "--trusted-proxies: expected a number from 0 to 9, not '-1'"),
        (("--database-url", "://"), {}, "--database-url: expected a PostgreSQL connection string"),
    ],
)
def test_a_wrong_setting_is_one_line(
    arguments: tuple[str, ...], environment: dict[str, str], said: str
) -> None:
    """A wrong setting is named in a single line, and nothing is started."""
    failed = run("serve", *arguments, **environment)
    assert failed.returncode == 1
    assert failed.stdout == ""
    (line,) = failed.stderr.splitlines()
    assert line.startswith(f"montane: {said}")


def test_limits_hold_for_all_that_it_serves(database: str) -> None:
    """The budgets are on and those of the settings, one count for REST and gRPC."""
    settings = {"MONTANE_RATE_LIMIT": "on", "MONTANE_RATE_LIMIT_LOGIN": "2/60"}
    with Server("--database-url", database, environment=settings) as server:
        ann = Client(server.url)
        assert ann.http.get("/v1/games").headers["RateLimit-Policy"] == (
            '"token";q=3000;w=60, "address";q=6000;w=60'
        )
        ben = GrpcClient(server.grpc_target, "Ben")
        cleo = players_pb2.CreatePlayerRequest(display_name="Cleo")
        code, reason, named = ben.refusal(ben.players.CreatePlayer, cleo)
        assert (code, reason, named["policy"]) == ("RESOURCE_EXHAUSTED", "RATE_LIMITED", "login")
        refused = ann.problem("POST", "/v1/players", json={"display_name": "Cleo"})
        assert (refused["status"], refused["details"]["policy"]) == (429, "login")
        ben.close()


def test_a_database_that_cannot_be_reached_is_one_line() -> None:
    """Without the named database the service does not start, and says why."""
    failed = run("serve", "--database-url", f"postgresql://127.0.0.1:{free_port()}/none")
    assert failed.returncode == 1
    (line,) = failed.stderr.splitlines()
    assert line.startswith("montane: MONTANE_DATABASE_URL: cannot connect:")


def test_migrate_says_what_it_did(tmp_path: Path) -> None:
    """`montane migrate` brings a database into shape, once."""
    first = run("migrate", "--data-dir", str(tmp_path / "data"))
    again = run("migrate", "--data-dir", str(tmp_path / "data"))
    assert "applied 0001_events" in first.stdout
    assert again.stdout == "the database is up to date\n"


def test_read_models_are_rebuilt_beside_a_running_service(tmp_path: Path) -> None:
    """`montane rebuild` reaches the service's own PostgreSQL, and says what came of it."""
    data = str(tmp_path / "data")
    with Server("--data-dir", data, "--workers", face="rest") as server:
        ann = Client(server.url)
        match = ann.post("/v1/matches", {"game": "montana", "options": {"deal": 1}, "seat": 0})
        eventually(lambda: ann.get("/v1/matches")["items"])
        done = run("rebuild", "match_list", "--data-dir", data)
        assert "match_list: 2 rows, 0 removed, 0 added" in done.stdout
        assert [one["id"] for one in ann.get("/v1/matches")["items"]] == [match["id"]]
        assert "match_list: at 4, 0 events behind" in run("rebuild", "--list", "--data-dir", data).stdout
    unknown = run("rebuild", "match_lists", "--data-dir", data)
    assert unknown.returncode == 1
    assert unknown.stderr.startswith("montane: there is no read model match_lists; there are match_list")


def test_help_and_version() -> None:
    """Every command explains itself."""
    assert run("version").stdout.startswith("montane 0.")
    commands = ("serve", "work", "migrate", "rebuild", "token", "version")
    for arguments in (("--help",), *((name, "--help") for name in commands)):
        assert "Usage" in run(*arguments).stdout


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
