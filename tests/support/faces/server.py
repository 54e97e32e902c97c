"""The service as its own process, and a client of its REST face."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import httpx

STOP_SECONDS = 5.0
"""How long a server may take to stop when it is asked to."""


class Server:
    """A running `montane serve`, or `montane work` for the face `work`."""

    def __init__(
        self,
        *flags: str,
        face: str = "all",
        environment: Mapping[str, str] | None = None,
        program: Sequence[str] = (str(Path(sys.executable).with_name("montane")),),
    ) -> None:
        """Start it with these flags, on free ports and without limits; it answers when this returns."""
        self._serves = face != "work"
        command = ["serve", face] if self._serves else ["work"]
        self._command = [*program, *command, *flags]
        self._environment = {**os.environ, "MONTANE_RATE_LIMIT": "off", **(environment or {})}
        self.http_port = self.grpc_port = 0
        self._start()

    def _start(self) -> None:
        """Start it and read its greeting, which tells where it listens."""
        addresses = [
            *("--http-addr", f"127.0.0.1:{self.http_port}", "--grpc-addr", f"127.0.0.1:{self.grpc_port}"),
        ]
        self.process = subprocess.Popen(
            [*self._command, *(addresses if self._serves else ())],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            text=True,
        )
        assert self.process.stdout is not None
        self.greeting = ""
        for line in self.process.stdout:
            self.greeting += line
            if found := re.match(r"  REST  http://127\.0\.0\.1:(\d+)", line):
                self.http_port = int(found[1])
            if found := re.match(r"  gRPC  127\.0\.0\.1:(\d+)", line):
                self.grpc_port = int(found[1])
            if line.startswith("Ctrl-C"):
                return
        raise RuntimeError(f"the server did not start: {self.greeting}")

    @property
    def url(self) -> str:
        """Where REST is."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def grpc_target(self) -> str:
        """Where gRPC is."""
        return f"127.0.0.1:{self.grpc_port}"

    def kill(self) -> None:
        """End the server without a warning, as a crash does."""
        self.process.kill()
        self.process.communicate()

    def restart(self) -> None:
        """Start the server again at the same addresses."""
        self._start()

    def stop(self, number: signal.Signals = signal.SIGINT) -> str:
        """Ask the server to stop and return all it printed; it must end in time."""
        self.process.send_signal(number)
        try:
            return self.process.communicate(timeout=STOP_SECONDS)[0]
        finally:
            self.process.kill()

    def __enter__(self) -> Self:
        """Return the running server."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it, if a test has not."""
        if self.process.poll() is None:
            self.stop()


class Client:
    """A player who speaks REST."""

    def __init__(self, url: str, name: str | None = "Ann") -> None:
        """Open a guest account of this name; None stays nameless and without a token."""
        self.http = httpx.Client(base_url=url, timeout=30)
        self.player: dict[str, Any] = {}
        if name is not None:
            answer = self.post("/v1/players", {"display_name": name})
            self.player = answer["player"]
            self.http.headers["Authorization"] = f"Bearer {answer['token']}"

    def post(self, path: str, body: object, **headers: str) -> Any:
        """Return the answer to a body; it must be a good one."""
        response = self.http.post(
            path, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        assert response.is_success, (response.status_code, response.text)
        return response.json()

    def get(self, path: str, **query: object) -> Any:
        """Return what is at a path; it must be there."""
        response = self.http.get(path, params={name.rstrip("_"): value for name, value in query.items()})  # type: ignore[misc]
        assert response.is_success, (response.status_code, response.text)
        return response.json()

    def problem(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """Return the problem that a request meets."""
        response = self.http.request(method, path, **request)
        assert response.headers["content-type"] == "application/problem+json", response.text
        found: dict[str, Any] = response.json()
        assert found["status"] == response.status_code
        return found

    def all_events(self, match: str) -> list[dict[str, Any]]:
        """Return all events of a match, page by page."""
        events, token = [], None
        while True:
            query = {"page_size": 200} | ({"page_token": token} if token else {})
            page = self.get(f"/v1/matches/{match}/events", **query)
            events += page["items"]
            if (token := page["next_page_token"]) is None:
                return events


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def eventually(holds: Any, seconds: float = 10.0) -> Any:
    """Return what `holds` gives as soon as that is true, and fail if it is not in time."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.02)
    return found


def children(pid: int) -> list[int]:
    """Return the processes that a process has started itself."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
    return [child for child, parent in pairs if parent == pid]


def descendants(pid: int) -> Iterator[int]:
    """Give the processes that a process has started, and theirs."""
    for child in children(pid):
        yield child
        yield from descendants(child)
