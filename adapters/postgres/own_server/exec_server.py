"""Become a PostgreSQL program: drop root, tie one's life to the parent, execute.

Run as a script of its own by `embedded.py`, and importing the standard library only. A child
process is used rather than `preexec_fn` because that one may deadlock, and warns, in a process with threads.

    python -I -S exec_server.py PARENT UID GID PROGRAM ARGUMENT...

UID and GID are `-` where the account stays as it is.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Execute the program named in the arguments; never returns.

    Args:
        arguments: Process id of the parent, uid, gid, the program's absolute path, its own arguments.

    Raises:
        OSError: The account cannot be taken on, or the program not be executed.
    """
    parent, uid, gid, *command = arguments
    # Loaded while still root: the interpreter may lie where the server's account cannot read.
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    os.umask(0o077)
    if uid != "-":
        os.setgroups([])
        os.setgid(int(gid))
        os.setuid(int(uid))
    if libc is not None:
        # After setuid, which clears it. SIGINT asks PostgreSQL for a fast shutdown.
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)
    if os.getppid() != int(parent):
        # The parent died before the line above: nobody would ever send that signal.
        sys.exit(1)
    os.execv(command[0], command)  # noqa: S606  (no shell is wanted)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.exit(f"cannot start {sys.argv[4]}: {error}")
