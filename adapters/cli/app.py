"""The command `montane`."""

import os
import sys
from datetime import datetime
from enum import StrEnum
from importlib.metadata import version as installed_version
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec
import typer

from adapters.cli.options import takes
from adapters.settings import Group, SettingError, Settings
from domain.match import PlayerId
from services.players.store import Scope
from services.shared.ids import MatchId
from services.shared.time import Time

app = typer.Typer(
    help="Montane: board and card games as a service, over REST and gRPC.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Face(StrEnum):
    """What is served."""

    ALL = "all"
    REST = "rest"
    GRPC = "grpc"


@app.command()
@takes(Group.DATABASE, Group.NODE, Group.FACE)
def serve(
    settings: Settings,
    face: Annotated[Face, typer.Argument(help="What to serve.")] = Face.ALL,
    workers: Annotated[
        bool | None,
        typer.Option(
            help="Also handle lists, clocks, bots, webhooks and signatures here. Default: yes for all, no for"
            " rest or grpc alone, which leave that to `montane work`.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        bool,
        typer.Option(
            "--memory", help="Keep everything in memory, and nothing when it ends; no PostgreSQL runs."
        ),
    ] = False,
) -> None:
    """Serve the games until Ctrl-C, with an embedded PostgreSQL unless another is named.

    `serve rest` and `serve grpc` serve one face only: run any number of them, and of `montane work`.
    `serve --memory` needs no database and keeps nothing: for authors of games and clients, and for tests.
    """
    from adapters.main import Duties, serve, serve_in_memory

    if memory and workers is False:
        _fail("--memory: no other process can do the work, so --no-workers must not be given")
    working = memory or face is Face.ALL if workers is None else workers
    duties = Duties(rest=face is not Face.GRPC, grpc=face is not Face.REST, workers=working)
    (serve_in_memory if memory else serve)(settings, duties)


@app.command()
@takes(Group.DATABASE, Group.NODE)
def work(settings: Settings) -> None:
    """Do in the background what has to be done, until Ctrl-C: lists, clocks, bots, webhooks, signatures.

    Any number may run at once, also beside `montane serve`: everything is done once.
    """
    from adapters.main import work

    work(settings)


@app.command()
@takes(Group.DATABASE)
def migrate(settings: Settings) -> None:
    """Bring the database to the shape that this version needs."""
    from adapters.cli.operating import migrate

    done = migrate(settings)
    for name in done:
        typer.echo(f"applied {name}")
    typer.echo("the database is up to date")


@app.command()
@takes(Group.DATABASE)
def token(
    settings: Settings,
    player: Annotated[str, typer.Argument(help="Whose: player_...")],
    scope: Annotated[
        list[Scope], typer.Option(help="What it allows; once for each. admin is given here only.")
    ],
    expires_at: Annotated[
        str | None, typer.Option(help="Until when, such as 2027-01-31T00:00:00Z. For good if left out.")
    ] = None,
) -> None:
    """Make a token of a player, of any scope, and print it; it is shown this once only.

    Safe while the service runs.
    """
    from adapters.cli.operating import issue_token
    from adapters.faces.sentences import describe
    from services.shared.errors import Failure

    try:
        _, secret = issue_token(settings, PlayerId(player), scope, _time(expires_at))
    except Failure as failed:
        _fail(describe(failed)[1])
    typer.echo(secret)


@app.command(name="rotate-key")
@takes(Group.DATABASE, "signing_key_file")
def rotate_key(settings: Settings) -> None:
    """Let a fresh key sign matches from now on, on all nodes; those before stay published.

    Safe while the service runs.
    """
    from adapters.cli.operating import rotate_key

    key = rotate_key(settings)
    typer.echo(f"the key {key.kid} signs from now on")


@app.command()
@takes(Group.DATABASE)
def rebuild(
    settings: Settings,
    names: Annotated[list[str] | None, typer.Argument(help="Read models; all if left out.")] = None,
    only_list: Annotated[
        bool, typer.Option("--list", help="Only say how far in the log each read model is.")
    ] = False,
    afresh: Annotated[
        bool, typer.Option(help="Begin again, not where a rebuilding that was ended had come.")
    ] = False,
) -> None:
    """Build read models again from the log: the same rows, and those that differed put right.

    Safe while the service runs: what is in use stays until the new one is complete. If it is ended before,
    the next one goes on from there.
    """
    from rich.progress import Progress, TaskID

    from adapters.cli.operating import rebuild, standing

    if only_list:
        for name, position, behind in standing(settings):
            typer.echo(f"{name}: at {position:,}, {behind:,} events behind")
        return
    with Progress() as bars:
        tasks: dict[str, TaskID] = {}

        def progress(name: str, position: int, newest: int) -> None:
            if name not in tasks:
                tasks[name] = bars.add_task(name)
            bars.update(tasks[name], completed=position, total=newest)

        done = rebuild(settings, names or [], afresh=afresh, progress=progress)
    for name, rebuilt in done.items():
        typer.echo(f"{name}: {rebuilt.rows:,} rows, {rebuilt.removed:,} removed, {rebuilt.added:,} added")


@app.command()
@takes("grpc_addr")
def call(
    settings: Settings,
    method: Annotated[str, typer.Argument(help="Such as MatchService.GetView.")],
    request: Annotated[str, typer.Argument(help="The request as JSON.")] = "{}",
    token: Annotated[str | None, typer.Option(envvar="MONTANE_TOKEN", help="The caller's token.")] = None,
    key: Annotated[str | None, typer.Option(help="The call's idempotency key.")] = None,
) -> None:
    """Call one gRPC method of a running server; request and answer are JSON."""
    from adapters.grpc.call import CallFailed, call

    try:
        typer.echo(call(method, request, address=str(settings.grpc_addr), token=token, key=key))
    except CallFailed as failed:
        _fail(str(failed))


@app.command()
@takes(Group.DATABASE)
def audit(
    settings: Settings,
    match: Annotated[str | None, typer.Option(help="Only this match: match_...")] = None,
    jobs: Annotated[int, typer.Option(help="How many processes.", min=1, max=256)] = 1,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep in this file how far it is, and go on there; it is deleted at the end."),
    ] = None,
    after: Annotated[str | None, typer.Option("--from", help="Begin after this match: match_...")] = None,
) -> None:
    """Verify all stored matches again: everything that can be recomputed is, down to the signatures.

    Safe while the service runs. A line a fault, with match and version; the status is 1 if there is any.
    """
    from adapters.cli.audit import AuditError, Plan
    from adapters.cli.operating import audit

    plan = Plan(jobs=jobs, file=resume, after=None if after is None else MatchId(after))
    try:
        holds = audit(settings, plan, None if match is None else MatchId(match), typer.echo)
    except AuditError as error:
        _fail(str(error))
    if not holds:
        sys.exit(1)


@app.command()
def verify(
    file: Annotated[typer.FileBinaryRead, typer.Argument(help="The bundle; - for standard input.")],
    keys: Annotated[
        typer.FileBinaryRead | None, typer.Option(help="The server's published keys, to trust no other.")
    ] = None,
) -> None:
    """Check the bundle of a match without a server: whatever it says is worked out again."""
    from adapters.cli.verify import KeysError, checked

    try:
        holds = checked(file, keys, typer.echo)
    except KeysError as error:
        _fail(str(error))
    if not holds:
        sys.exit(1)


@app.command()
@takes("http_addr")
def replay(
    settings: Settings,
    match: Annotated[str, typer.Argument(help="The match's id, or the file of its bundle.")],
    looking_as: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="seat for your own, a seat's number, spectator or all; your own or else a spectator if left"
            " out.",
        ),
    ] = None,
    at: Annotated[int | None, typer.Option(help="Show this version only.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Show all moves at once.")] = False,
    speed: Annotated[
        float | None, typer.Option(min=0.01, help="Moves a second, without waiting for a key.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Where REST is. Default: http:// and the address of REST.")
    ] = None,
    token: Annotated[str | None, typer.Option(envvar="MONTANE_TOKEN", help="The caller's token.")] = None,
    invitation: Annotated[str | None, typer.Option(help="The invitation to a private match.")] = None,
) -> None:
    """Show a match move by move: what happened, and the table after it.

    In a terminal Enter or the right arrow goes on, the left arrow back, q ends. Elsewhere all are shown.
    """
    from time import sleep

    from rich.console import Console

    from adapters.cli.replay.show import show_all, show_by_keys, show_version
    from adapters.cli.replay.stories import ReplayFailed, bundled, served

    console, path = Console(highlight=False), Path(match)
    try:
        if path.is_file():
            story = bundled(path, looking_as=looking_as)
        else:
            story = served(
                url or f"http://{settings.http_addr}",
                match,
                token=token,
                looking_as=looking_as,
                invitation=invitation,
            )
        if at is not None:
            show_version(story, at, console)
        elif speed is not None:
            show_all(story, console, lambda: sleep(1 / speed))
        elif every or not console.is_terminal:
            show_all(story, console)
        else:
            show_by_keys(story, console, typer.getchar)
    except ReplayFailed as failed:
        _fail(str(failed))


@app.command()
@takes(Group.DATABASE, "pool_size")
def doctor(settings: Settings) -> None:
    """Look whether all that the service stands on is as it must be, and say what to do where it is not.

    Safe while the service runs; nothing is changed. A line for each thing looked at: ok, warn or fail; the
    status is 1 if there is any fail.
    """
    from adapters.cli.doctor import Verdict, findings

    well = True
    for finding in findings(settings):
        typer.echo(str(finding))
        well &= finding.verdict is not Verdict.FAIL
    if not well:
        sys.exit(1)


@app.command()
def version() -> None:
    """Print the version."""
    typer.echo(f"montane {installed_version('montane')}")


def main() -> None:
    """Run the command; what is set wrong, or what the database refuses, is one line."""
    # The library of gRPC writes lines of its own beside ours, which say no more.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        app()
    except SettingError as error:
        _fail(str(error))
    except Exception as error:
        from adapters.databases import failure

        if (line := failure(error)) is None:
            raise
        _fail(line)


def _time(text: str | None) -> datetime | None:
    """Return the time that an option says."""
    if text is None:
        return None
    try:
        time: datetime = msgspec.convert(text, Time)
    except msgspec.ValidationError:
        _fail(f"--expires-at: expected a time such as 2027-01-31T00:00:00Z, not {text!r}")
    return time


def _fail(message: str) -> NoReturn:
    typer.echo(f"montane: {message}", err=True)
    sys.exit(1)
