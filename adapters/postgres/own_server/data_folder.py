"""The folder an embedded PostgreSQL server keeps its data in, and who holds it."""

import contextlib
import fcntl
import os
import pwd
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Self

from adapters.postgres.own_server.binaries import Account

SOCKET_PREFIX = "montane-pg-"

# A process killed a moment ago is still there for a little while.
_GRACE_SECONDS = 1.0
_WIND_DOWN_SECONDS = 10.0
_POLL_SECONDS = 0.005
_LOG_LINES = 15
_LOG_BYTES = 10_000_000


class EmbeddedPostgresError(Exception):
    """The server cannot be started; the message names the folder, the cause and what to do."""


class DataFolder:
    """The folder that holds a cluster, locked for this process."""

    def __init__(self, path: Path, lock: IO[str]) -> None:
        """Take a folder and its open lock."""
        self.path = path
        self.lock = lock
        self.cluster = path / "cluster"
        self.log = path / "server.log"
        with contextlib.suppress(FileNotFoundError):
            if self.log.stat().st_size > _LOG_BYTES:
                self.log.replace(path / "server.log.1")
        self._log_start = self.log.stat().st_size if self.log.exists() else 0

    @classmethod
    def taken(cls, path: Path) -> Self:
        """Return the folder, made if missing and locked.

        A holder that has just died leaves a server shutting down behind, which is waited for.

        Raises:
            EmbeddedPostgresError: Another living process holds it, or it is not to be written to.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            # Held as long as the server runs.
            lock = (path / "lock").open("a+", encoding="utf-8")
        except OSError as error:
            raise EmbeddedPostgresError(
                f"the data folder {path} is not usable ({error.strerror}): name another by MONTANE_DATA_DIR"
            ) from error
        began = time.monotonic()
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                holder = lock.readline().strip()
                patience = _GRACE_SECONDS if _is_alive(holder) else _WIND_DOWN_SECONDS
                if time.monotonic() > began + patience:
                    lock.close()
                    raise EmbeddedPostgresError(
                        f"the data folder {path} is in use by process {holder or '(unknown)'}: stop it, or "
                        "name another folder by MONTANE_DATA_DIR"
                    ) from None
                time.sleep(_POLL_SECONDS)
            except OSError as error:
                lock.close()
                raise EmbeddedPostgresError(
                    f"the data folder {path} cannot be locked ({error.strerror}): name one on a local disk "
                    "by MONTANE_DATA_DIR"
                ) from error
            else:
                folder = cls(path, lock)
                folder._sweep()
                folder.note_holder()
                return folder

    @staticmethod
    def sockets_of(path: Path) -> Path | None:
        """Return where the server listens that runs on a folder; None if nobody holds the folder."""
        try:
            with (path / "lock").open(encoding="utf-8") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    _, _, sockets = lock.read().partition("\n")
                    return Path(sockets.strip()) if sockets.strip() else None
        except OSError:
            return None
        return None

    def _sweep(self) -> None:
        """Remove what an earlier holder, killed, left behind."""
        self.lock.seek(0)
        noted = self.lock.read().splitlines()
        if len(noted) > 1 and Path(noted[1]).name.startswith(SOCKET_PREFIX):
            shutil.rmtree(noted[1], ignore_errors=True)
        shutil.rmtree(self.path / "cluster.new", ignore_errors=True)

    def note_holder(self, sockets: Path | None = None) -> None:
        """Write down who holds the folder, for others' messages and the next sweep."""
        self.lock.truncate(0)
        self.lock.write(f"{os.getpid()}\n{sockets or ''}\n")
        self.lock.flush()

    def release(self, *, gone: bool = True) -> None:
        """Give the folder back.

        Args:
            gone: Whether all of the server's processes are known to be gone. If not, those left keep the
                lock, and the next start waits for them.
        """
        if self.lock.closed:
            return
        self.lock.truncate(0)
        if gone:
            fcntl.flock(self.lock, fcntl.LOCK_UN)
        self.lock.close()

    def account(self) -> Account:
        """Return the account to run the server under: our own, or for root an unprivileged one.

        Raises:
            EmbeddedPostgresError: The cluster is another account's, or root has none to change to.
        """
        own = Account(os.geteuid(), os.getegid())
        owner = self.cluster.stat() if self.cluster.exists() else None
        if own.uid != 0:
            if owner is not None and owner.st_uid != own.uid:
                raise EmbeddedPostgresError(
                    f"the data folder {self.path} belongs to user id {owner.st_uid}, not {own.uid}: name "
                    "another by MONTANE_DATA_DIR"
                )
            return own
        if owner is not None and owner.st_uid != 0:
            return Account(owner.st_uid, owner.st_gid)
        for name in ("postgres", "nobody"):
            with contextlib.suppress(KeyError):
                entry = pwd.getpwnam(name)
                return Account(entry.pw_uid, entry.pw_gid)
        raise EmbeddedPostgresError(
            "PostgreSQL does not run as root, and there is no account postgres or nobody to run it under: "
            "start as an ordinary user"
        )

    def hand_over(self, account: Account) -> None:
        """Make the cluster the account's, where root copied it here from somewhere."""
        if os.geteuid() == 0 and self.cluster.stat().st_uid == 0:
            for folder, _, files in os.walk(self.cluster):
                for path in (Path(folder), *(Path(folder, name) for name in files)):
                    os.chown(path, account.uid, account.gid, follow_symlinks=False)

    def refuse_foreign_server(self) -> None:
        """Remove a `postmaster.pid` left by a dead server.

        PostgreSQL itself takes any living process of that number and account for a server.

        Raises:
            EmbeddedPostgresError: A server not started by us is running on the cluster.
        """
        pid_file = self.cluster / "postmaster.pid"
        with contextlib.suppress(FileNotFoundError):
            pid = pid_file.read_text().split("\n", 1)[0].strip()
            if _is_alive(pid) and _serves(pid, self.cluster):
                raise EmbeddedPostgresError(
                    f"the data folder {self.path} is in use by the PostgreSQL server with process id {pid}"
                )
            pid_file.unlink()

    def says_ready(self, pid: int) -> bool:
        """Return whether the server of that process id has written that it takes connections."""
        try:
            lines = (self.cluster / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"

    def failure(self, what: str) -> EmbeddedPostgresError:
        """Return the error for a start that failed, with the end of the log."""
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            end = log.read(_LOG_BYTES).decode(errors="replace").splitlines()[-_LOG_LINES:]
        return EmbeddedPostgresError(
            "\n".join([f"{what}; data folder {self.path}; end of {self.log}:", *end])
        )


def _is_alive(pid: str) -> bool:
    if not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            # A zombie, dead but not yet waited for, holds nothing any more.
            return not Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].startswith(" Z")
    return True


def _serves(pid: str, cluster: Path) -> bool:
    """Return whether a living process is a server on the cluster: servers work inside their folder."""
    if sys.platform == "linux":
        try:
            inside = Path(f"/proc/{pid}/cwd").stat()
        except OSError:
            # Gone, or another account's: an embedded server would run under the account that owns the
            # cluster.
            return False
        there = cluster.stat()
        return stat.S_ISDIR(inside.st_mode) and (inside.st_dev, inside.st_ino) == (there.st_dev, there.st_ino)
    shown = subprocess.run(  # noqa: S603
        ["ps", "-o", "command=", "-p", pid],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    return "postgres" in shown.stdout
