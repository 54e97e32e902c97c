"""How fast commands are made durable: the group commit beside `pgbench` that inserts single rows.

Both write the same rows into the same table of one server with the same durability, in alternating rounds of
one run. `pgbench` keeps no order of the log; the group commit does. The median counts.
"""

import asyncio
import os
import re
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from uuid import uuid4

import uvloop
from eventsourcing.persistence import StoredEvent

from adapters.postgres.log.group_commit import GroupCommit
from adapters.postgres.migrate import migrate
from adapters.postgres.own_server.binaries import Account, find_binaries
from adapters.postgres.own_server.embedded import EmbeddedPostgres

CLIENTS = (1, 8, 16, 32, 128)
STATE = b"x" * 200
"""About what the move of a card takes with its envelope."""

INSERT = """INSERT INTO match_events (originator_id, originator_version, topic, state)
VALUES (gen_random_uuid(), 1, 'bench', repeat('x', 200)::bytea);
"""


def compare(seconds: float, rounds: int) -> None:
    """Print durable commits a second of both, by the number of commands in flight."""
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedPostgres.start(Path(folder) / "data", settings={"max_connections": "200"}) as server,
    ):
        migrate(server.conninfo)
        script = Path(folder) / "insert.sql"
        script.write_text(INSERT)
        print(f"durable commits a second, {rounds} rounds of {seconds:g} s, median\n")
        print(f"{'in flight':>9}{'pgbench':>12}{'group commit':>14}{'p50 ms':>9}{'p99 ms':>9}{'ratio':>8}")
        for clients in CLIENTS:
            plain: list[float] = []
            grouped: list[float] = []
            waits: list[float] = []
            for _ in range(rounds):
                plain.append(_pgbench(server.conninfo, script, clients, seconds))
                rate, waited = uvloop.run(_grouped(server.conninfo, clients, seconds))
                grouped.append(rate)
                waits += waited
            waits.sort()
            print(
                f"{clients:>9}{median(plain):>12,.0f}{median(grouped):>14,.0f}"
                f"{waits[len(waits) // 2] * 1000:>9.2f}{waits[len(waits) * 99 // 100] * 1000:>9.2f}"
                f"{median(grouped) / median(plain):>8.2f}"
            )


def _pgbench(conninfo: str, script: Path, clients: int, seconds: float) -> float:
    """Return the transactions a second of `pgbench`."""
    program = find_binaries(None, Account(os.geteuid(), os.getegid())) / "pgbench"
    jobs = str(min(2, clients))
    flags = ["--no-vacuum", "--protocol=prepared", f"--client={clients}", f"--jobs={jobs}"]
    flags += [f"--time={max(1, round(seconds))}", f"--file={script}", conninfo]
    done = subprocess.run([program, *flags], capture_output=True, text=True, check=True)  # noqa: S603 - ours
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    if found is None:
        raise RuntimeError(f"pgbench said no rate: {done.stdout}")
    return float(found[1])


async def _grouped(conninfo: str, clients: int, seconds: float) -> tuple[float, list[float]]:
    """Return the commands a second of a group commit, and how long each waited in seconds."""
    commits = GroupCommit(conninfo, 10_000)
    await commits.append([StoredEvent(uuid4(), 1, "bench", STATE)])
    waits: list[float] = []
    begun = perf_counter()

    async def client() -> None:
        match, version = uuid4(), 0
        while (now := perf_counter()) < begun + seconds:
            version += 1
            await commits.append([StoredEvent(match, version, "bench", STATE)])
            waits.append(perf_counter() - now)

    await asyncio.gather(*(client() for _ in range(clients)))
    rate = len(waits) / (perf_counter() - begun)
    await commits.close()
    return rate, waits
