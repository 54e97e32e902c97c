"""`montane` without the cyclic garbage collector, which counts its objects when it is asked to.

What a server that runs by `python -m tests.support.faces.uncollected` drops must be free of reference
cycles, or it
stays.
"""

import gc
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from tests.support.faces.server import Server, eventually

COUNTS = "MONTANE_TEST_COUNTS"
"""The variable that names the file to which SIGUSR1 writes how many objects there are of each type."""


class UncollectedServer(Server):
    """A server whose garbage is freed by reference counts alone."""

    def __init__(self, *flags: str, counts: Path) -> None:
        """Start it with these flags; `counts` is a file for it to write to."""
        self._counts = counts
        program = [sys.executable, "-m", "tests.support.faces.uncollected"]
        super().__init__(*flags, environment={COUNTS: str(counts)}, program=program)

    def objects(self) -> Counter[str]:
        """Return how many objects there are of each type, by its full name."""
        self._counts.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        eventually(self._counts.exists)
        return Counter(msgspec.json.decode(self._counts.read_bytes(), type=dict[str, int]))

    def memory(self) -> int:
        """Return how many bytes of memory it holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


def write_counts(*_: Any) -> None:
    """Write how many objects there are of each type."""
    counts = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())
    target = Path(os.environ[COUNTS])
    unfinished = target.with_suffix(".unfinished")
    unfinished.write_bytes(msgspec.json.encode(counts))
    unfinished.rename(target)


def main() -> None:
    """Run the command line that is given, with a collector that does nothing."""
    gc.disable()
    gc.enable = lambda: None
    gc.collect = lambda generation=2: 0
    signal.signal(signal.SIGUSR1, write_counts)
    from adapters.cli.app import main as montane

    montane()


if __name__ == "__main__":
    main()
