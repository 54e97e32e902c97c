"""The gRPC server's connections, which the library accepts by itself.

It bounds how many there are in all, but neither counts them by address nor gives one up. So they are looked
for among the open files of the process, where the system shows them, and shut down there: to the library the
client has gone.
"""

import logging
import os
import socket
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from adapters.notices import Notice
from services.shared.rate_limits import Spender, network

FILES = Path("/dev/fd")
"""Where Linux and macOS show the open files of a process."""

type Peer = tuple[str, int]

log = logging.getLogger(__name__)


class GrpcConnections:
    """The open connections of a gRPC server."""

    def __init__(self, port: int, most: int | None, per_address: int | None) -> None:
        """Take where the server listens, and how many connections there may be: in all, and from one address.

        Args:
            port: The port of the server.
            most: How many the library allows, which is told when it is met; None for any number.
            per_address: How many of one address stay open; None for any number.
        """
        self._port = port
        self._most = most
        self._per_address = per_address
        self._known: set[Peer] = set()
        self._met_all, self._met_address = Notice(log), Notice(log)

    def look(self) -> None:
        """Shut down what one address has too many of: what came last, as who is connected must go on.

        Of those that have come since the last look it is told by their files, of which each has the lowest
        number that is free.
        """
        bounds = [bound for bound in (self._most, self._per_address) if bound is not None]
        if not bounds or _files() <= min(bounds):
            return
        found: defaultdict[Spender, list[tuple[bool, int, Peer]]] = defaultdict(list)
        for one, peer, file in self._open():
            one.close()
            found[network(peer[0])].append((peer not in self._known, file, peer))
        self._known = {peer for peers in found.values() for *_, peer in peers}
        if self._most is not None and len(self._known) >= self._most:
            self._met_all.warn(
                "%d connections are open, as many as there is room for: more are refused", self._most
            )
        if self._per_address is not None:
            for key, peers in found.items():
                if len(peers) > self._per_address:
                    self._met_address.warn(
                        "%s has as many connections open as one address may have: more are refused", key
                    )
                    self.shut(peer for *_, peer in sorted(peers)[self._per_address :])

    def shut(self, peers: Iterator[Peer]) -> None:
        """Shut down the connections of these peers."""
        wanted = set(peers)
        for one, peer, _ in self._open():
            with one:
                if peer in wanted:
                    self._known.discard(peer)
                    try:
                        one.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        log.debug("%s has gone by itself", peer)

    def _open(self) -> Iterator[tuple[socket.socket, Peer, int]]:
        """Give the connections, each as a copy that is the caller's to close, its peer and its file."""
        for name in os.listdir(FILES):  # noqa: PTH208  (names alone)
            try:
                copy = os.dup(int(name))
            except OSError:
                continue
            try:
                one = socket.socket(fileno=copy)
            except OSError:
                os.close(copy)
                continue
            try:
                if one.family in (socket.AF_INET, socket.AF_INET6) and one.getsockname()[1] == self._port:
                    host, port, *_ = one.getpeername()
                    # A socket of IPv6 that takes IPv4 too writes the one as the other, the library does not.
                    yield one, (host.removeprefix("::ffff:"), port), int(name)
                    continue
            except OSError:
                pass
            one.close()


def _files() -> int:
    """Return how many files the process has open; 0 where the system does not show them."""
    try:
        return len(os.listdir(FILES))  # noqa: PTH208  (names alone)
    except OSError:
        return 0
