"""A real PgBouncer between us and the database."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.support.faces.server import eventually, free_port

PROGRAM = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")

CONFIGURATION = """
[databases]
* = {server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = {mode}
default_pool_size = {size}
max_client_conn = 200
"""


class Pooler:
    """A running PgBouncer."""

    def __init__(self, conninfo: str, folder: Path, mode: str, size: int) -> None:
        """Start one in front of a server.

        Args:
            conninfo: Where the server is.
            folder: Where its configuration goes.
            mode: What has a session to itself: a session, a transaction or a statement.
            size: How many sessions it has for all clients.
        """
        found = conninfo_to_dict(conninfo)
        kept = {name: found[name] for name in ("host", "port", "user", "password") if name in found}
        self._port = free_port()
        self._file = folder / "pgbouncer.ini"
        server = " ".join(f"{name}={value}" for name, value in kept.items())
        self._file.write_text(CONFIGURATION.format(server=server, port=self._port, mode=mode, size=size))
        # It does not run as root, and the socket of an embedded server is for its owner only.
        host = str(found.get("host", ""))
        self._user = None if os.geteuid() else Path(host).stat().st_uid if host.startswith("/") else 65534
        if self._user is not None:
            os.chown(folder, self._user, -1)
        self.start()

    def start(self) -> None:
        """Start it, again if it was killed."""
        assert PROGRAM is not None
        self._process = subprocess.Popen(
            [PROGRAM, "-q", str(self._file)], user=self._user, stderr=subprocess.DEVNULL, cwd="/"
        )
        eventually(self._answers)

    def kill(self) -> None:
        """End it without a warning, and with it all connections."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def conninfo_for(self, conninfo: str) -> str:
        """Return the connection string of a database through it."""
        found = conninfo_to_dict(conninfo)
        return make_conninfo(
            "", host="127.0.0.1", port=self._port, dbname=found.get("dbname"), user=found.get("user")
        )

    def _answers(self) -> bool:
        try:
            psycopg.connect(f"host=127.0.0.1 port={self._port} dbname=postgres user=postgres").close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def pooling(conninfo: str, mode: str = "transaction", size: int = 4) -> Iterator[Pooler]:
    """Give a PgBouncer in front of a server; the test is skipped where there is none to be had."""
    if PROGRAM is None:
        pytest.skip("there is no PgBouncer here (Debian: pgbouncer)")
    folder = Path(tempfile.mkdtemp(prefix="montane-pooler-"))
    try:
        pooler = Pooler(conninfo, folder, mode, size)
        try:
            yield pooler
        finally:
            pooler.kill()
    finally:
        shutil.rmtree(folder)
