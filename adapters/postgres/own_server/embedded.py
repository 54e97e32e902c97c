"""A PostgreSQL embedded server, started as a child process; nothing has to be installed for it.

The server listens on a Unix socket in a folder only its account may enter, and on no network address.
On Linux it is shut down when the process that started it dies, however it dies. Elsewhere that is so when
the interpreter ends in an orderly way (`atexit`), not after SIGKILL.
"""

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from adapters.postgres.own_server import exec_server
from adapters.postgres.own_server.binaries import Account, BinariesNotFoundError, find_binaries
from adapters.postgres.own_server.data_folder import SOCKET_PREFIX, DataFolder, EmbeddedPostgresError

__all__ = ["DATABASE", "SUPERUSER", "EmbeddedPostgres", "EmbeddedPostgresError"]

DATABASE = "montane"
SUPERUSER = "postgres"

_DURABLE = MappingProxyType(
    {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "wal_level": "replica"}
)
_FAST = MappingProxyType(
    {
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "wal_level": "minimal",
        "max_wal_senders": "0",
        "autovacuum": "off",
    }
)
_NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
_START_SECONDS = 120.0
_POLL_SECONDS = 0.005
# PostgreSQL keeps paths in buffers of 1024 bytes and appends file names to them.
_LONGEST_PATH = 800
# A socket's whole path has to fit 104 bytes on macOS, 108 on Linux; its name takes 17 of them.
_LONGEST_SOCKET_FOLDER = 80


class EmbeddedPostgres:
    """A running server and the data folder it holds; use `start` to make one.

    In the data folder lie `cluster/` (PostgreSQL's own), `server.log` and `lock`. The lock is handed down to
    every process of the server and so held until the last of them is gone.
    """

    def __init__(
        self, spawn: "Callable[[], subprocess.Popen[bytes]]", folder: DataFolder, sockets: Path
    ) -> None:
        """Spawn the server."""
        self._spawn = spawn
        self._server = spawn()
        self._folder = folder
        self._sockets = sockets
        self._owner = os.getpid()
        self._stopped = False
        atexit.register(self.stop)

    @classmethod
    def start(
        cls,
        data_dir: Path,
        *,
        durable: bool = True,
        bindir: Path | None = None,
        settings: Mapping[str, str] = _NO_SETTINGS,
    ) -> Self:
        """Start a server on a data folder, made if it is missing; ready for connections on return.

        To be called from the main thread: on Linux the server ends with the *thread* that started it.
        As root the server runs under the account that owns the cluster already, or else `postgres` or
        `nobody`; neither folders above the data folder nor their permissions matter for that.

        Args:
            data_dir: Holds everything that outlives this process. One server at a time.
            durable: False gives up safety after a crash of the machine, for throw-away data.
            bindir: Folder of `initdb` and `postgres`; see `find_binaries` for the default.
            settings: Server settings that go before those chosen here, as in `postgresql.conf`.

        Raises:
            EmbeddedPostgresError: The folder is in use or not ours, or the server does not come up.
        """
        if threading.current_thread() is not threading.main_thread():
            raise EmbeddedPostgresError("the embedded PostgreSQL has to be started from the main thread")
        folder = DataFolder.taken(data_dir.absolute())
        try:
            return cls._start_in(folder, durable=durable, bindir=bindir, settings=settings)
        except (OSError, subprocess.SubprocessError, BinariesNotFoundError, psycopg.Error) as error:
            folder.release()
            raise EmbeddedPostgresError(
                f"cannot start PostgreSQL in {folder.path}: {' '.join(str(error).split())}"
            ) from error
        except BaseException:
            folder.release()
            raise

    @staticmethod
    def running(data_dir: Path) -> str | None:
        """Return what connects to the server that another process runs on a data folder, if there is one."""
        sockets = DataFolder.sockets_of(data_dir.absolute())
        return None if sockets is None else _conninfo(sockets, DATABASE)

    @classmethod
    def _start_in(
        cls, folder: DataFolder, *, durable: bool, bindir: Path | None, settings: Mapping[str, str]
    ) -> Self:
        account = folder.account()
        programs = find_binaries(bindir, account)
        folder.refuse_foreign_server()
        if not (folder.cluster / "PG_VERSION").exists():
            _initialise(folder, account, programs, durable=durable)
        folder.hand_over(account)
        sockets = _socket_folder(account)
        folder.note_holder(sockets)
        chosen = {
            "listen_addresses": "",
            "port": "5432",
            "unix_socket_directories": str(sockets),
            "unix_socket_permissions": "0700",
            "max_connections": "100",
            "timezone": "UTC",
            "log_timezone": "UTC",
            # It writes what waits for no disk, beats above all: five times a second would be for nothing.
            "wal_writer_delay": "1s",
            **(_DURABLE if durable else _FAST),
            **settings,
        }
        options = [part for name, value in chosen.items() for part in ("-c", f"{name}={value}")]

        def spawn() -> "subprocess.Popen[bytes]":
            return _spawn(folder, account, programs / "postgres", folder.cluster, options)

        try:
            started = cls(spawn, folder, sockets)
        except BaseException:
            shutil.rmtree(sockets)
            raise
        try:
            started._wait_until_ready()
            started._create_database()
        except BaseException:
            started.stop()
            raise
        return started

    @property
    def conninfo(self) -> str:
        """What `psycopg` connects to: database `montane`, as the superuser."""
        return self.conninfo_for(DATABASE)

    def conninfo_for(self, dbname: str) -> str:
        """Return what `psycopg` connects to for another database of this server."""
        return _conninfo(self._sockets, dbname)

    @property
    def pid(self) -> int:
        """Process id of the server's first process."""
        return self._server.pid

    @property
    def log_file(self) -> Path:
        """Where the server writes its log."""
        return self._folder.log

    def alive(self) -> bool:
        """Return whether the server's first process is running."""
        return self._server.poll() is None

    def restart(self) -> None:
        """Start the server again after it has ended by itself, at the same address.

        To be called from the main thread, as `start`. Does not wait: recovery may take long, and the caller
        may have others to answer. A server that does not come up ends, as `alive` tells.

        Raises:
            EmbeddedPostgresError: The server runs, or another one does on the cluster.
        """
        if self._stopped or self.alive():
            raise EmbeddedPostgresError(f"the server of {self._folder.path} was not found dead")
        self._folder.refuse_foreign_server()
        self._server = self._spawn()

    def stop(self, timeout: float = 5.0) -> None:
        """Shut the server down: orderly, else at once, else by force. Does nothing the second time.

        Args:
            timeout: Seconds this may take in all.
        """
        if self._stopped or os.getpid() != self._owner:
            return
        self._stopped = True
        atexit.unregister(self.stop)
        # Fast shutdown ends the sessions; immediate leaves recovery to the next start, and loses nothing.
        for signal_number, share in ((signal.SIGINT, 0.7), (signal.SIGQUIT, 0.25), (signal.SIGKILL, 0.05)):
            if self.alive():
                self._server.send_signal(signal_number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._server.wait(timeout * share)
        shutil.rmtree(self._sockets, ignore_errors=True)
        self._folder.release(gone=self._server.poll() == 0)

    def __enter__(self) -> Self:
        """Return the running server."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server."""
        self.stop()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not self._folder.says_ready(self.pid):
            if not self.alive():
                raise self._folder.failure(f"the server ended with code {self._server.returncode}")
            if time.monotonic() > deadline:
                raise self._folder.failure(f"the server was not ready after {_START_SECONDS:.0f} s")
            time.sleep(_POLL_SECONDS)

    def _create_database(self) -> None:
        with psycopg.connect(self.conninfo_for("postgres"), autocommit=True) as connection:
            found = connection.execute("select 1 from pg_database where datname = %s", [DATABASE]).fetchone()
            if found is None:
                connection.execute(sql.SQL("create database {}").format(sql.Identifier(DATABASE)))


def _conninfo(sockets: Path, dbname: str) -> str:
    return make_conninfo(host=str(sockets), port=5432, user=SUPERUSER, dbname=dbname)


def _initialise(folder: DataFolder, account: Account, programs: Path, *, durable: bool) -> None:
    """Make the cluster beside its place and move it there when it is whole."""
    draft = folder.path / "cluster.new"
    draft.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(draft, account.uid, account.gid)
    options = [
        "--auth=trust",
        f"--username={SUPERUSER}",
        "--encoding=UTF8",
        "--locale=C",
        "--no-instructions",
    ]
    if not durable:
        options.append("--no-sync")
    maker = _spawn(folder, account, programs / "initdb", draft, options)
    try:
        code = maker.wait(_START_SECONDS)
    except BaseException:
        maker.kill()
        maker.wait()
        raise
    if code != 0:
        raise folder.failure(f"initdb ended with code {code}")
    draft.rename(folder.cluster)
    if durable:
        descriptor = os.open(folder.path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _spawn(
    folder: DataFolder, account: Account, program: Path, cluster: Path, options: list[str]
) -> "subprocess.Popen[bytes]":
    """Start a program on a cluster under an account, its output going to the log.

    Args:
        folder: Whose log it is, and whose lock is handed down.
        account: Taken on if we are root.
        program: `initdb` or `postgres`.
        cluster: What `-D` is to mean.
        options: Further arguments.
    """
    drops = os.geteuid() == 0
    inherited = [folder.lock.fileno()]
    location = str(cluster)
    if sys.platform == "linux" and (drops or len(os.fsencode(location)) > _LONGEST_PATH):
        # Opened here, with our rights: through /proc the server gets into its folder without passing those
        # above it, which it may have no right to pass, and whose names may be too long for it.
        inherited.append(os.open(cluster, os.O_RDONLY | os.O_DIRECTORY))
        location = f"/proc/self/fd/{inherited[-1]}"
    elif drops and not account.reaches(cluster):
        raise EmbeddedPostgresError(
            f"the data folder {folder.path} lies where user id {account.uid}, which is to run the server, "
            "cannot go: name another by MONTANE_DATA_DIR"
        )
    command = [
        *(sys.executable, "-I", "-S", exec_server.__file__, str(os.getpid())),
        *((str(account.uid), str(account.gid)) if drops else ("-", "-")),
        *(str(program), "-D", location, *options),
    ]
    environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
    if libraries := os.environ.get("LD_LIBRARY_PATH"):
        environment["LD_LIBRARY_PATH"] = libraries
    try:
        with folder.log.open("ab") as log:
            return subprocess.Popen(  # noqa: S603  (no shell; the program is one we looked up)
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=environment,
                pass_fds=inherited,
                # A Ctrl-C in the terminal is ours to answer; the server is stopped after its clients.
                start_new_session=True,
            )
    finally:
        for descriptor in inherited[1:]:
            os.close(descriptor)


def _socket_folder(account: Account) -> Path:
    """Return a new folder, its path short enough for a socket in it, that only the account may enter."""
    usual = Path(tempfile.gettempdir()).resolve()
    short = len(os.fsencode(usual)) + len(SOCKET_PREFIX) + 9 < _LONGEST_SOCKET_FOLDER
    parent = usual if short and account.reaches(usual) else Path("/tmp")  # noqa: S108  (mkdtemp is safe there)
    folder = Path(tempfile.mkdtemp(prefix=SOCKET_PREFIX, dir=parent))
    if os.geteuid() == 0:
        os.chown(folder, account.uid, account.gid)
    return folder
