"""When that is done which is done now and then: all of it at the same moments.

To be woken costs an idle process more than what it is woken for, and costs it once however much there is.
"""

from time import monotonic

BEHIND = 0.002
"""How many seconds after its moment a tick is: no timer is so early that it would find itself before it."""


def until(period: float) -> float:
    """Return how many seconds it is to the next tick of a period; those of all processes are the same."""
    return period - monotonic() % period + BEHIND


def ticked(period: float, since: float, now: float) -> bool:
    """Return whether there was a tick of a period between two times, in seconds that only grow."""
    return (now - BEHIND / 2) // period > (since - BEHIND / 2) // period
