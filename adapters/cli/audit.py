"""The command `montane audit`: all stored matches are verified again, part by part, by several processes."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from time import monotonic
from uuid import UUID

import msgspec
from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from adapters.postgres.log.audit import FIRST, Judged, StoredAudit
from domain.games import GAMES
from services.shared.ids import MatchId, match_id, parsed

AHEAD = 2
"""How many parts a process has waiting."""


class AuditError(Exception):
    """The audit cannot begin; the message says why."""


class Progress(Struct, frozen=True):
    """How far an audit has come.

    Attributes:
        after: The last match that was audited; None before the first part is done.
        matches: How many matches were audited.
        events: How many events these have.
        found: How many faults there are.
    """

    after: MatchId | None = None
    matches: int = 0
    events: int = 0
    found: int = 0


class Plan(Struct, frozen=True, kw_only=True):
    """How the log is gone through.

    Attributes:
        jobs: How many processes audit.
        file: Where it is kept how far the audit has come, to go on there; None for nowhere.
        after: The match after which to begin, if the file does not say; None for the first.
    """

    jobs: int = 1
    file: Path | None = None
    after: MatchId | None = None


class LogAudit:
    """Goes through the whole log, and can go on later where it was ended.

    Attributes:
        progress: How far it has come.
    """

    def __init__(self, conninfo: str, plan: Plan, say: Callable[[str], None]) -> None:
        """Take where the database is, how the log is gone through, and what takes a line for each fault.

        Raises:
            AuditError: The file is none of an audit, or there can be no such match.
        """
        self._conninfo = conninfo
        self._jobs = plan.jobs
        self._file = plan.file
        self._say = say
        self.progress = _kept(plan.file) or Progress(after=plan.after)
        self._after = FIRST if self.progress.after is None else _number(self.progress.after)

    def run(self, tell: Callable[[Progress, int | None], None]) -> Progress:
        """Audit all that is left, and return how it went.

        Args:
            tell: Takes how far it is, and about how many events there are in all.
        """
        audit = StoredAudit(self._conninfo, dict(GAMES))
        try:
            total = audit.roughly()
            tell(self.progress, total)
            for judged in self._judged(audit):
                self._take(judged)
                tell(self.progress, total)
            for found in audit.days():
                self._say(str(found))
                self.progress = msgspec.structs.replace(self.progress, found=self.progress.found + 1)
        finally:
            audit.close()
        if self._file is not None:
            self._file.unlink(missing_ok=True)
        return self.progress

    def _take(self, judged: Judged) -> None:
        for found in judged.found:
            self._say(str(found))
        before = self.progress
        self.progress = Progress(
            match_id(judged.up_to),
            before.matches + judged.matches,
            before.events + judged.events,
            before.found + len(judged.found),
        )
        if self._file is not None:
            self._file.write_bytes(msgspec.json.encode(self.progress))

    def _judged(self, audit: StoredAudit) -> Iterator[Judged]:
        """Give the parts of the log in their order, audited."""
        if self._jobs == 1:
            for after, up_to in audit.parts(self._after):
                yield audit.part(after, up_to)
            return
        with _processes(self._jobs, self._conninfo) as processes:
            under_way: deque[Future[Judged]] = deque()
            for part in audit.parts(self._after):
                under_way.append(processes.submit(_audited, *part))
                if len(under_way) >= self._jobs * AHEAD:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()


def audit_log(conninfo: str, plan: Plan, say: Callable[[str], None]) -> bool:
    """Say what is wrong in the whole log, a line a fault, and return whether nothing is; with a bar.

    Raises:
        AuditError: It cannot begin as planned.
    """
    audit = LogAudit(conninfo, plan, say)
    begun, before = monotonic(), audit.progress.events
    told = TextColumn("{task.completed:,.0f} events, {task.fields[speed]:,.0f} a second")
    columns = (BarColumn(), told, TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), redirect_stdout=False, redirect_stderr=False) as bars:
        bar = bars.add_task("audit", total=None, speed=0.0)

        def speed() -> float:
            return (audit.progress.events - before) / max(monotonic() - begun, 0.001)

        def tell(progress: Progress, total: int | None) -> None:
            most = None if total is None else max(total, progress.events)
            bars.update(bar, completed=progress.events, total=most, speed=speed())

        done = audit.run(tell)
    of = f"{done.events:,} events of {done.matches:,} matches"
    say(f"{of}: {_faults(done.found)}; {speed():,.0f} events a second")
    return not done.found


def audit_match(conninfo: str, id: MatchId, say: Callable[[str], None]) -> bool:
    """Say what is wrong with one match, and return whether nothing is.

    Raises:
        AuditError: There is no such match.
    """
    audit = StoredAudit(conninfo, dict(GAMES))
    try:
        judged = audit.match(_number(id))
    finally:
        audit.close()
    if not judged.matches and not judged.found:
        raise AuditError(f"there is no match {id}")
    for found in judged.found:
        say(str(found))
    say(f"{judged.events:,} events of {id}: {_faults(len(judged.found))}")
    return not judged.found


def _faults(count: int) -> str:
    return "no fault" if not count else "1 fault" if count == 1 else f"{count:,} faults"


@contextmanager
def _processes(jobs: int, conninfo: str) -> Iterator[Executor]:
    """Give processes that audit; what they have not begun is dropped if one fails."""
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (conninfo,))
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


_own: StoredAudit
"""What a process of the pool audits with."""


def _begin(conninfo: str) -> None:
    global _own  # noqa: PLW0603
    _own = StoredAudit(conninfo, dict(GAMES))


def _audited(after: UUID, up_to: UUID) -> Judged:
    return _own.part(after, up_to)


def _kept(file: Path | None) -> Progress | None:
    if file is None or not file.exists():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Progress)
    except (OSError, msgspec.DecodeError) as error:
        raise AuditError(f"{file} does not say how far an audit has come: {error}") from error


def _number(id: MatchId) -> UUID:
    if (number := parsed("match", id)) is None:
        raise AuditError(f"{id} is not the id of a match")
    return number
