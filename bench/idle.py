"""What a service costs that nobody uses, and how soon it is there.

Counted is the processor time of the server and of all processes of its PostgreSQL together, as a share of one
core. A start is timed from the command to the greeting, on a database that is there already.
"""

from pathlib import Path
from statistics import median
from time import monotonic, sleep

from bench.serving import database, serving

STARTS = 5
SECONDS = 60.0


def measure(settle: float) -> None:
    """Print how long a start takes, and the share of a core that the service takes then."""
    with database() as conninfo:
        starts = [_started(conninfo) for _ in range(STARTS)]
        with serving(conninfo):
            sleep(settle)
            before, began = _used(), monotonic()
            sleep(SECONDS)
            after, seconds = _used(), monotonic() - began
    shares = {name: (after[name] - before.get(name, 0.0)) / seconds for name in after}
    print(f"\nstart: {median(starts):.2f} s, of {STARTS} the median; the fastest {min(starts):.2f} s")
    print(f"idle: {sum(shares.values()):.2%} of a core over {seconds:.0f} s, {settle:.0f} s after the start")
    for name, share in sorted(shares.items(), key=lambda one: -one[1]):
        if share:
            print(f"{share:>10.3%}  {name}")


def _started(conninfo: str) -> float:
    began = monotonic()
    with serving(conninfo):
        return monotonic() - began


def _used() -> dict[str, float]:
    """Return the processor time of all processes that this one has started, by number and name.

    By the scheduler's own count, in nanoseconds: the usual one is in hundredths of a second, and there are a
    dozen processes with a few of these each.
    """
    used: dict[str, float] = {}
    waiting = _children(Path("/proc/self").resolve().name)
    while waiting:
        number = waiting.pop()
        try:
            tasks = [task.read_text().split() for task in Path(f"/proc/{number}/task").glob("*/schedstat")]
            name = Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ")[:60].strip()
            waiting += _children(number)
        except (FileNotFoundError, ProcessLookupError):
            continue
        used[f"{number} {name}"] = sum(int(nanoseconds) for nanoseconds, *_ in tasks) / 1e9
    return used


def _children(number: str) -> list[str]:
    tasks = Path(f"/proc/{number}/task").glob("*/children")
    return [child for task in tasks for child in task.read_text().split()]
