"""A primary and a standby that follows it asynchronously, and the failover from one to the other."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo

from adapters.postgres.own_server.binaries import find_binaries
from adapters.postgres.own_server.data_folder import DataFolder
from tests.support.faces.server import eventually, free_port

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "wal_level": "replica",
    "synchronous_commit": "local",
    "shared_buffers": "16MB",
    "autovacuum": "off",
}


class Pair:
    """The two servers.

    Attributes:
        conninfo: Leads to whichever of them takes writes.
    """

    def __init__(self, folder: Path) -> None:
        """Start the primary in a folder, and copy the standby from it."""
        lock = DataFolder.taken(folder / "lock")
        self._account = lock.account()
        lock.release()
        self._programs = find_binaries(None, self._account)
        shutil.chown(folder, self._account.uid, self._account.gid)
        self._folders = [folder / "primary", folder / "standby"]
        self._ports = [free_port(), free_port()]
        self._servers: list[subprocess.Popen[bytes]] = []
        self._run("initdb", "-D", self._folders[0], "--auth=trust", "--username=postgres", "--no-sync")
        self._start(0)
        source = ["-h", "127.0.0.1", "-p", str(self._ports[0]), "-U", "postgres"]
        self._run("pg_basebackup", "-D", self._folders[1], *source, "-R", "-X", "stream", "-c", "fast", "-N")
        self._start(1)
        self.conninfo = make_conninfo(
            host="127.0.0.1,127.0.0.1",
            port=",".join(map(str, self._ports)),
            user="postgres",
            dbname="postgres",
            target_session_attrs="read-write",
        )
        eventually(lambda: self._rows(0, "SELECT state FROM pg_stat_replication") == [("streaming",)])

    def caught_up(self) -> None:
        """Wait until the standby has all that the primary has."""
        query = "SELECT replay_lsn = pg_current_wal_lsn() FROM pg_stat_replication"
        eventually(lambda: self._rows(0, query) == [(True,)])

    def part(self) -> None:
        """Let nothing reach the standby any more."""
        self._rows(1, "ALTER SYSTEM SET primary_conninfo = ''")
        self._rows(1, "SELECT pg_reload_conf()")
        eventually(lambda: self._rows(1, "SELECT count(*) FROM pg_stat_wal_receiver") == [(0,)])

    def fail_over(self) -> None:
        """Let the primary die and the standby take its place."""
        self._servers[0].kill()
        self._servers[0].wait()
        self._rows(1, "SELECT pg_promote()")

    def stop(self) -> None:
        """End both."""
        for server in self._servers:
            server.kill()
            server.wait()

    def _start(self, number: int) -> None:
        options = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        folder = self._folders[number]
        self._servers.append(
            subprocess.Popen(
                [self._programs / "postgres", "-D", folder, "-p", str(self._ports[number]), *options],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                user=self._account.uid,
                group=self._account.gid,
            )
        )
        eventually(lambda: self._answers(number), 30)

    def _run(self, program: str, *arguments: object) -> None:
        command = [str(self._programs / program), *map(str, arguments)]
        user, group = self._account.uid, self._account.gid
        subprocess.run(command, check=True, capture_output=True, cwd="/", user=user, group=group)

    def _answers(self, number: int) -> bool:
        try:
            return self._rows(number, "SELECT 1") == [(1,)]
        except psycopg.OperationalError:
            return False

    def _rows(self, number: int, query: str) -> list[tuple[object, ...]]:
        conninfo = make_conninfo(
            host="127.0.0.1", port=self._ports[number], user="postgres", dbname="postgres"
        )
        with psycopg.connect(conninfo, autocommit=True) as connection:
            cursor = connection.execute(query.encode())
            return cursor.fetchall() if cursor.description else []


@contextmanager
def pair() -> Iterator[Pair]:
    """Give the two servers, in a folder that their account can enter."""
    folder = Path(tempfile.mkdtemp(prefix="montane-pair-"))
    servers = None
    try:
        servers = Pair(folder)
        yield servers
    finally:
        if servers is not None:
            servers.stop()
        shutil.rmtree(folder, ignore_errors=True)
