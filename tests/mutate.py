"""Seed faults into the rules and the use cases, and list what no test notices: `python -m tests.mutate`.

A fault is one token that a hand could get wrong: a comparison, an `and`, a number, a call that is left out.
Faults are drawn by a seed from all that the chosen modules could have. A first run notes which tests carry
out which lines; each fault is then tried on a copy of the repository by the tests that carry out its line, in
as many processes as there are cores. A fault that no test notices is a hole in the tests, or changes nothing:
the file `support/mutation/harmless.toml` says of each of those why.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue
from random import Random
from time import monotonic

import coverage

from tests.support.mutation.faults import Fault, faults_of

ROOT = Path(__file__).parent.parent
PACKAGES = ("domain", "services")
TESTS = ("tests/unit", "tests/conformance")
COPIED = ("domain", "services", "adapters", "tests", "proto", "docs", "pyproject.toml")
NOTES = ROOT / "build" / "mutate"
HARMLESS = Path(__file__).parent / "support" / "mutation" / "harmless.toml"
MOST_TESTS = 120
"""How many tests a fault is tried on; unit tests first, then others as the seed says."""
SECONDS = 120
"""How long they may take; a fault that makes them hang is noticed."""


class Fate(StrEnum):
    """What becomes of a fault."""

    NOTICED = "noticed"
    SURVIVED = "survived"
    NOT_COVERED = "not covered"
    HARMLESS = "harmless"


class Workshop:
    """A copy of the repository into which one fault at a time is put."""

    def __init__(self, folder: Path) -> None:
        """Copy what tests need."""
        self._folder = folder
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, folder / name)
            else:
                shutil.copy2(ROOT / name, folder / name)

    def notices(self, fault: Fault, tests: list[str]) -> bool:
        """Return whether any test fails with the fault."""
        file = self._folder / fault.path
        source = file.read_bytes()
        file.write_bytes(fault.applied(source))
        try:
            return self._fails(tests)
        finally:
            file.write_bytes(source)

    def _fails(self, tests: list[str]) -> bool:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-x",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            *tests,
        ]
        # Compiled code is not kept: of two faults within a second, the first would stand for both.
        environment = {"PYTHONPATH": str(self._folder), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command,
                cwd=self._folder,
                env=os.environ | environment,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return True
        return done.returncode != 0


def main(arguments: list[str]) -> int:
    """Try the faults; return 1 if any survived whose harmlessness nobody has explained."""
    parser = ArgumentParser(
        prog="make mutate", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "paths", nargs="*", default=PACKAGES, help="files or folders below domain and services"
    )
    parser.add_argument("--faults", type=int, default=300, help="how many; 300")
    parser.add_argument("--seed", type=int, default=1, help="which of all that there could be; 1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes; one a core")
    parser.add_argument("--minutes", type=float, default=60, help="no fault is begun after that; 60")
    parser.add_argument(
        "--keep", action="store_true", help="use the notes of the run before on what covers what"
    )
    parser.add_argument(
        "--tests", nargs="+", default=TESTS, help="where tests are looked for; unit and conformance"
    )
    asked = parser.parse_args(arguments)
    ends_at = monotonic() + asked.minutes * 60
    chance = Random(asked.seed)
    possible = [
        fault for path in _files(asked.paths) for fault in faults_of(path, (ROOT / path).read_bytes())
    ]
    chosen = sorted(chance.sample(possible, min(asked.faults, len(possible))))
    print(f"{len(chosen)} of {len(possible)} faults, seed {asked.seed}", flush=True)
    covering = Covering(asked.tests, asked.jobs, keep=asked.keep)
    harmless = _harmless()
    fates: Counter[Fate] = Counter()
    with tempfile.TemporaryDirectory(prefix="montane-mutate-") as folder:
        free: SimpleQueue[Workshop] = SimpleQueue()
        for number in range(asked.jobs):
            free.put(Workshop(Path(folder) / str(number)))

        def tried(fault: Fault) -> tuple[Fault, Fate | None]:
            if (fault.path, fault.before, fault.after) in harmless:
                return fault, Fate.HARMLESS
            tests = covering.tests(fault, Random(asked.seed))
            if not tests:
                return fault, Fate.NOT_COVERED
            if monotonic() > ends_at:
                return fault, None
            workshop = free.get()
            try:
                return fault, Fate.NOTICED if workshop.notices(fault, tests) else Fate.SURVIVED
            finally:
                free.put(workshop)

        with ThreadPoolExecutor(asked.jobs) as pool:
            for fault, fate in pool.map(tried, chosen):
                if fate is None:
                    continue
                fates[fate] += 1
                if fate in (Fate.SURVIVED, Fate.NOT_COVERED):
                    print(f"{fate}: {fault}", flush=True)
    print(", ".join(f"{fates[fate]} {fate}" for fate in Fate), f"of {fates.total()} tried")
    return int(fates[Fate.SURVIVED] + fates[Fate.NOT_COVERED] > 0)


class Covering:
    """Which tests carry out which lines."""

    def __init__(self, tests: Sequence[str], jobs: int, *, keep: bool) -> None:
        """Run the tests, unless they were run before and that is to be kept."""
        notes = NOTES / "data"
        if not (keep and notes.is_file()):
            _note(tests, jobs)
        self._data = coverage.CoverageData(str(notes))
        self._data.read()

    def tests(self, fault: Fault, chance: Random) -> list[str]:
        """Return the tests to try a fault on, those of a single thing first."""
        by_line = self._data.contexts_by_lineno(str(ROOT / fault.path))
        found = {test for test in by_line.get(fault.line, []) if test}
        if not found:
            # Carried out when the module is imported: by anyone who uses the module then.
            found = {test for tests in by_line.values() for test in tests if test}
        drawn = sorted(found)
        chance.shuffle(drawn)
        return sorted(drawn, key=lambda test: not test.startswith("tests/unit"))[:MOST_TESTS]


def _note(tests: Sequence[str], jobs: int) -> None:
    """Note which tests carry out which lines."""
    shutil.rmtree(NOTES, ignore_errors=True)
    NOTES.mkdir(parents=True)
    settings = NOTES / "coverage.toml"
    settings.write_text(
        "[tool.coverage.run]\n"
        f"data_file = '{NOTES / 'data'}'\n"
        f"source = {list(PACKAGES)}\n"
        "parallel = true\n"
        'patch = ["subprocess"]\n',
        encoding="utf-8",
    )
    begun = monotonic()
    command = [
        "-m",
        "pytest",
        "-q",
        "-n",
        str(jobs),
        "-p",
        "tests.support.mutation.contexts",
        "-m",
        "not postgres",
        *tests,
    ]
    run = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", *command]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the tests fail without any fault:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    combine = [sys.executable, "-m", "coverage", "combine", f"--rcfile={settings}", "--quiet"]
    subprocess.run(combine, cwd=ROOT, check=True)
    print(f"noted what covers what in {monotonic() - begun:.0f} s", flush=True)


def _files(paths: list[str]) -> Iterator[str]:
    """Yield the modules at paths, each from the root."""
    for path in paths:
        place = ROOT / path
        found = [place] if place.is_file() else sorted(place.rglob("*.py"))
        if not found:
            sys.exit(f"no module at {path}")
        yield from (str(file.relative_to(ROOT)) for file in found)


def _harmless() -> set[tuple[str, str, str]]:
    """Return the faults of which it is known that they change nothing that anybody could see."""
    known = tomllib.loads(HARMLESS.read_text(encoding="utf-8")).get("fault", [])
    assert all(fault["why"] for fault in known)
    return {(fault["path"], fault["before"], fault["after"]) for fault in known}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
