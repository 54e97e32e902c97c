"""Look for reference cycles in garbage: rarely, but for certain, and when it disturbs least.

What the service drops goes at once, as it refers to itself nowhere; some libraries leave cycles, as gRPC does
with every call. Python finds the young ones often and soon. Looking through all objects stops everybody, and
takes the longer the more matches are remembered: that is done here, with its pause measured.
"""

import gc
import logging
from collections.abc import Callable
from datetime import timedelta
from time import monotonic, perf_counter, process_time

LOOK = timedelta(minutes=1)
"""How long lies between two looks whether the moment is good."""
SOONEST = 600.0
"""Seconds after a full collection before which there is no other."""
LATEST = 3_600.0
"""Seconds after a full collection after which the next is made however busy the process is."""
QUIET = 0.1
"""The share of a core below which a process is quiet."""
YOUNG = (50_000, 20, 1_000)
"""Objects that come before Python looks at the young ones by itself, and how rarely it looks at older ones.

Its own full collections are no more than a last resort.
"""
NOTABLE = 0.1
"""Seconds of pause from which on a full collection is logged as information, not for debugging only."""

log = logging.getLogger("montane.collector")


class Collector:
    """Makes full collections when the process is quiet, and at the latest after `LATEST`.

    Attributes:
        pause: Seconds that the last full collection took.
        found: How many objects it let go.
    """

    def __init__(
        self, clock: Callable[[], float] = monotonic, cpu: Callable[[], float] = process_time
    ) -> None:
        """Take the time, and the processor time that the process has taken, in seconds."""
        self.pause = 0.0
        self.found = 0
        self._clock = clock
        self._cpu = cpu
        self._looked_at = self._collected_at = clock()
        self._used = cpu()
        self._rounds = _rounds()

    def begin(self) -> None:
        """Let go of what starting has left, and never look again at what stays of it."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(*YOUNG)

    async def step(self) -> timedelta:
        """Make a full collection if one is due, and return how long to wait until the next look."""
        now, used = self._clock(), self._cpu()
        quiet = used - self._used < QUIET * (now - self._looked_at)
        self._looked_at, self._used = now, used
        since = now - self._collected_at
        # Without a round of young objects there are too few new ones to be worth a look.
        if _rounds() != self._rounds and (since >= LATEST or (quiet and since >= SOONEST)):
            self._collect()
            self._collected_at = now
        return LOOK

    def _collect(self) -> None:
        began = perf_counter()
        self.found = gc.collect()
        self.pause = perf_counter() - began
        self._rounds = _rounds()
        level = logging.INFO if self.pause >= NOTABLE else logging.DEBUG
        log.log(level, "a full collection let %d objects go and took %.3f s", self.found, self.pause)


def _rounds() -> int:
    """Return how often Python has looked at young objects."""
    rounds: int = gc.get_stats()[0]["collections"]
    return rounds
