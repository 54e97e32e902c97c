"""Somebody who asks both faces for something small every 20 ms, in a process of its own."""

import subprocess
import sys
import time
from http.client import HTTPConnection
from typing import Self

import grpc

from adapters.grpc.generated.montane.v1 import catalogue_pb2
from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceStub

PAUSE = 0.02


class Bystander:
    """The process."""

    def __init__(self, url: str, grpc_target: str) -> None:
        """Let it ask the server at these addresses."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.faces.bystander", url.removeprefix("http://"), grpc_target],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.worst()

    def worst(self) -> float:
        """Return the longest wait, in seconds, since this was asked last."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def __enter__(self) -> Self:
        """Return the running process."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()


def _ask(http: HTTPConnection, stub: CatalogueServiceStub) -> float:
    """Return the longer of the two waits."""
    began = time.perf_counter()
    http.request("GET", "/v1/games/montana")
    answer = http.getresponse()
    answer.read()
    between = time.perf_counter()
    stub.ListGames(catalogue_pb2.ListGamesRequest(), timeout=60)
    if answer.status != 200:
        raise RuntimeError(answer.status)
    return max(between - began, time.perf_counter() - between)


def _run(address: str, grpc_target: str) -> None:
    import threading

    worst, lock = [0.0], threading.Lock()
    http = HTTPConnection(address, timeout=60)
    stub = CatalogueServiceStub(grpc.insecure_channel(grpc_target))
    _ask(http, stub)

    def ask() -> None:
        while True:
            waited = _ask(http, stub)
            with lock:
                worst[0] = max(worst[0], waited)
            time.sleep(PAUSE)

    threading.Thread(target=ask, daemon=True).start()
    for _ in sys.stdin:
        time.sleep(4 * PAUSE)
        with lock:
            print(worst[0], flush=True)  # noqa: T201 - what the test reads
            worst[0] = 0.0


if __name__ == "__main__":
    _run(*sys.argv[1:])
