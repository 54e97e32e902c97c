"""The service as its own process, for benchmarks, and what it costs."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from adapters.postgres.migrate import migrate
from adapters.postgres.own_server.embedded import EmbeddedPostgres

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


class Serving:
    """A running server.

    Attributes:
        http: Host and port of REST.
        grpc: Where gRPC is, `host:port`.
    """

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Take the process and read where it listens."""
        self._process = process
        self.http = ("127.0.0.1", 0)
        self.grpc = ""
        if process.stdout is None:
            raise RuntimeError("the server's greeting is not read")
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.http = ("127.0.0.1", int(found[1]))
            if found := re.match(r"  gRPC  (127\.0\.0\.1:\d+)", line):
                self.grpc = found[1]
            if line.startswith("Ctrl-C"):
                return
        raise RuntimeError("the server did not start")

    def cpu(self) -> float:
        """Return the seconds of processor time that it has taken."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self) -> int:
        """Return how many bytes of memory it holds."""
        return int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]) * PAGE


@contextmanager
def database() -> Iterator[str]:
    """Give where a fresh, durable, migrated database is."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedPostgres.start(Path(folder) / "data", settings={"max_connections": "200"}) as server,
    ):
        migrate(server.conninfo)
        yield server.conninfo


@contextmanager
def serving(conninfo: str, *module: str, flags: Sequence[str] = ()) -> Iterator[Serving]:
    """Give a server on a database: Montane's with these flags, or a module of our own that greets like it."""
    montane = [str(Path(sys.executable).with_name("montane")), "serve", "all", "--database-url", conninfo]
    montane += ["--http-addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0", "--log-level", "WARNING"]
    montane += ["--rate-limit", "off", *flags]
    command = [sys.executable, "-m", *module, conninfo] if module else montane
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - ours
    try:
        yield Serving(process)
    finally:
        process.terminate()
        process.wait(10)
