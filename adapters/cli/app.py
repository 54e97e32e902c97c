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

from adapters.settings import SettingError, Settings, load, variable
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


def _flag(name: str, text: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        "--" + name.replace("_", "-"), help=f"{text} [env: {variable(name)}]", show_default=False
    )
    return option


DatabaseUrl = Annotated[str | None, _flag("database_url", "PostgreSQL to use; our own if left out.")]
DatabaseDirectUrl = Annotated[
    str | None, _flag("database_direct_url", "The server itself, where the other URL names a pooler.")
]
DatabaseSchema = Annotated[
    str | None, _flag("database_schema", "Schema of our tables. Default: that of the search_path")
]
DataDir = Annotated[str | None, _flag("data_dir", "Folder of our own PostgreSQL. Default: .montane")]
PoolSize = Annotated[str | None, _flag("pool_size", "Most connections to PostgreSQL. Default: 8")]
AppendQueue = Annotated[str | None, _flag("append_queue", "Events that may wait. Default: 5000")]
RememberedMatches = Annotated[
    str | None, _flag("remembered_matches", "Matches kept in memory. Default: 10000")
]
RememberedEvents = Annotated[
    str | None, _flag("remembered_events", "Events that these may have in all. Default: 1000000")
]
SnapshotEvery = Annotated[
    str | None, _flag("snapshot_every", "Events between two snapshots of a match. Default: 500")
]
MaxCommands = Annotated[
    str | None, _flag("max_commands", "Most commands of a match, or off; then it ends. Default: 10000")
]
MaxOpenMatches = Annotated[
    str | None, _flag("max_open_matches", "Most matches of a player that wait to begin, or off. Default: 20")
]
MaxBotMatches = Annotated[
    str | None, _flag("max_bot_matches", "Most matches of a player that only bots play, or off. Default: 5")
]
MaxInvitations = Annotated[
    str | None, _flag("max_invitations", "Most pending invitations of a player, or off. Default: 50")
]
OpenMatchHours = Annotated[
    str | None,
    _flag("open_match_hours", "Hours that a match may wait for players; then it is called off. Default: 24"),
]
FeedDays = Annotated[str | None, _flag("feed_days", "Days that players' feeds go back. Default: 90")]
WebhookPrivateAddresses = Annotated[
    str | None,
    _flag("webhook_private_addresses", "Let webhooks into private networks: allow. Default: refuse"),
]
WebhookLogMessages = Annotated[
    str | None, _flag("webhook_log_messages", "Messages that the log of a webhook holds. Default: 10000")
]
WebhookLogDays = Annotated[
    str | None, _flag("webhook_log_days", "Days that the log of webhooks goes back. Default: 30")
]
BotPause = Annotated[
    str | None, _flag("bot_pause", "Milliseconds between two moves of a bot in a match. Default: 100")
]
SigningKeyFile = Annotated[
    str | None,
    _flag("signing_key_file", "PEM file of the key that signs; our own, in the database, if left out."),
]
LogLevel = Annotated[str | None, _flag("log_level", "DEBUG, INFO, WARNING or ERROR. Default: INFO")]


@app.command()
def serve(
    face: Annotated[Face, typer.Argument(help="What to serve.")] = Face.ALL,
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
    http_addr: Annotated[str | None, _flag("http_addr", "REST. Default: 127.0.0.1:8000")] = None,
    grpc_addr: Annotated[str | None, _flag("grpc_addr", "gRPC. Default: 127.0.0.1:50051")] = None,
    pool_size: PoolSize = None,
    append_queue: AppendQueue = None,
    remembered_matches: RememberedMatches = None,
    remembered_events: RememberedEvents = None,
    snapshot_every: SnapshotEvery = None,
    max_commands: MaxCommands = None,
    max_open_matches: MaxOpenMatches = None,
    max_bot_matches: MaxBotMatches = None,
    max_invitations: MaxInvitations = None,
    open_match_hours: OpenMatchHours = None,
    bot_pause: BotPause = None,
    signing_key_file: SigningKeyFile = None,
    feed_days: FeedDays = None,
    webhook_private_addresses: WebhookPrivateAddresses = None,
    webhook_log_days: WebhookLogDays = None,
    webhook_log_messages: WebhookLogMessages = None,
    oidc_issuer: Annotated[
        str | None, _flag("oidc_issuer", "OpenID Connect issuer whose tokens name players too.")
    ] = None,
    oidc_audience: Annotated[
        str | None, _flag("oidc_audience", "What its tokens must name as their audience.")
    ] = None,
    oidc_jwks_url: Annotated[
        str | None, _flag("oidc_jwks_url", "Its keys, if it does not tell itself where they are.")
    ] = None,
    oidc_clock_skew: Annotated[
        str | None, _flag("oidc_clock_skew", "Seconds by which its clock may differ. Default: 60")
    ] = None,
    log_level: LogLevel = None,
    workers: Annotated[
        bool | None,
        typer.Option(
            help="Also see to lists, clocks, bots, webhooks and signatures here. Default: yes for all, no for"
            " rest or grpc alone, which leave that to `montane work`.",
            show_default=False,
        ),
    ] = None,
    rate_limit: Annotated[
        str | None, _flag("rate_limit", "Limits by token and address: on or off. Default: on")
    ] = None,
    trusted_proxies: Annotated[str | None, _flag("trusted_proxies", "Proxies in front. Default: 0")] = None,
    base_path: Annotated[
        str | None, _flag("base_path", "Path that clients see in front of all others. Default: none")
    ] = None,
) -> None:
    """Serve the games until Ctrl-C, with a PostgreSQL of our own unless another is named.

    `serve rest` and `serve grpc` serve one face only: run any number of them, and of `montane work`.
    """
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
        http_addr=http_addr,
        grpc_addr=grpc_addr,
        pool_size=pool_size,
        append_queue=append_queue,
        remembered_matches=remembered_matches,
        remembered_events=remembered_events,
        snapshot_every=snapshot_every,
        max_commands=max_commands,
        max_open_matches=max_open_matches,
        max_bot_matches=max_bot_matches,
        max_invitations=max_invitations,
        open_match_hours=open_match_hours,
        bot_pause=bot_pause,
        signing_key_file=signing_key_file,
        feed_days=feed_days,
        webhook_private_addresses=webhook_private_addresses,
        webhook_log_days=webhook_log_days,
        webhook_log_messages=webhook_log_messages,
        oidc_issuer=oidc_issuer,
        oidc_audience=oidc_audience,
        oidc_jwks_url=oidc_jwks_url,
        oidc_clock_skew=oidc_clock_skew,
        log_level=log_level,
        rate_limit=rate_limit,
        trusted_proxies=trusted_proxies,
        base_path=base_path,
    )
    from adapters.databases import StartError
    from adapters.main import Duties, serve

    working = face is Face.ALL if workers is None else workers
    try:
        serve(settings, Duties(rest=face is not Face.GRPC, grpc=face is not Face.REST, workers=working))
    except StartError as error:
        _fail(str(error))


@app.command()
def work(
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
    pool_size: PoolSize = None,
    append_queue: AppendQueue = None,
    remembered_matches: RememberedMatches = None,
    remembered_events: RememberedEvents = None,
    snapshot_every: SnapshotEvery = None,
    open_match_hours: OpenMatchHours = None,
    bot_pause: BotPause = None,
    signing_key_file: SigningKeyFile = None,
    feed_days: FeedDays = None,
    webhook_private_addresses: WebhookPrivateAddresses = None,
    webhook_log_days: WebhookLogDays = None,
    webhook_log_messages: WebhookLogMessages = None,
    log_level: LogLevel = None,
) -> None:
    """Do in the background what has to be done, until Ctrl-C: lists, clocks, bots, webhooks, signatures.

    Any number may run at once, also beside `montane serve`: everything is done once.
    """
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
        pool_size=pool_size,
        append_queue=append_queue,
        remembered_matches=remembered_matches,
        remembered_events=remembered_events,
        snapshot_every=snapshot_every,
        open_match_hours=open_match_hours,
        bot_pause=bot_pause,
        signing_key_file=signing_key_file,
        feed_days=feed_days,
        webhook_private_addresses=webhook_private_addresses,
        webhook_log_days=webhook_log_days,
        webhook_log_messages=webhook_log_messages,
        log_level=log_level,
    )
    from adapters.databases import StartError
    from adapters.main import work

    try:
        work(settings)
    except StartError as error:
        _fail(str(error))


@app.command()
def migrate(
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
) -> None:
    """Bring the database to the shape that this version needs."""
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
    )
    from adapters.cli.operating import migrate
    from adapters.databases import StartError

    try:
        done = migrate(settings)
    except StartError as error:
        _fail(str(error))
    for name in done:
        typer.echo(f"applied {name}")
    typer.echo("the database is up to date")


@app.command()
def token(
    player: Annotated[str, typer.Argument(help="Whose: player_...")],
    scope: Annotated[
        list[Scope], typer.Option(help="What it allows; once for each. admin is given here only.")
    ],
    expires_at: Annotated[
        str | None, typer.Option(help="Until when, such as 2027-01-31T00:00:00Z. For good if left out.")
    ] = None,
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
) -> None:
    """Make a token of a player, of any scope, and print it; it is told this once only.

    Safe while the service runs.
    """
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
    )
    from adapters.cli.operating import issue_token
    from adapters.databases import StartError
    from adapters.faces.sentences import describe
    from services.shared.errors import Failure

    try:
        _, secret = issue_token(settings, PlayerId(player), scope, _time(expires_at))
    except StartError as error:
        _fail(str(error))
    except Failure as failed:
        _fail(describe(failed)[1])
    typer.echo(secret)


@app.command(name="rotate-key")
def rotate_key(
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
    signing_key_file: SigningKeyFile = None,
) -> None:
    """Let a fresh key sign matches from now on, on all nodes; those before stay published.

    Safe while the service runs.
    """
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
        signing_key_file=signing_key_file,
    )
    from adapters.cli.operating import rotate_key
    from adapters.databases import StartError

    try:
        key = rotate_key(settings)
    except StartError as error:
        _fail(str(error))
    typer.echo(f"the key {key.kid} signs from now on")


@app.command()
def rebuild(
    names: Annotated[list[str] | None, typer.Argument(help="Read models; all if left out.")] = None,
    only_list: Annotated[
        bool, typer.Option("--list", help="Only say how far in the log each read model is.")
    ] = False,
    afresh: Annotated[
        bool, typer.Option(help="Begin anew, not where a rebuilding that was ended had come.")
    ] = False,
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
) -> None:
    """Build read models anew from the log: the same rows, and those that differed put right.

    Safe while the service runs: what is in use stays until the new one is complete. If it is ended before,
    the next one goes on from there.
    """
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
    )
    from rich.progress import Progress, TaskID

    from adapters.cli.operating import rebuild, standing
    from adapters.databases import StartError

    try:
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
    except StartError as error:
        _fail(str(error))
    for name, rebuilt in done.items():
        typer.echo(f"{name}: {rebuilt.rows:,} rows, {rebuilt.removed:,} removed, {rebuilt.added:,} added")


@app.command()
def call(
    method: Annotated[str, typer.Argument(help="Such as MatchService.GetView.")],
    request: Annotated[str, typer.Argument(help="The request as JSON.")] = "{}",
    grpc_addr: Annotated[str | None, _flag("grpc_addr", "The server. Default: 127.0.0.1:50051")] = None,
    token: Annotated[str | None, typer.Option(envvar="MONTANE_TOKEN", help="The caller's token.")] = None,
    key: Annotated[str | None, typer.Option(help="The call's idempotency key.")] = None,
) -> None:
    """Call one gRPC method of a running server; request and answer are JSON."""
    settings = _settings(grpc_addr=grpc_addr)
    from adapters.grpc.call import CallFailed, call

    try:
        typer.echo(call(method, request, address=str(settings.grpc_addr), token=token, key=key))
    except CallFailed as failed:
        _fail(str(failed))


@app.command()
def audit(
    match: Annotated[str | None, typer.Option(help="Only this match: match_...")] = None,
    jobs: Annotated[int, typer.Option(help="How many processes.", min=1, max=256)] = 1,
    resume: Annotated[
        Path | None,
        typer.Option(help="Keep in this file how far it is, and go on there; it is deleted at the end."),
    ] = None,
    after: Annotated[str | None, typer.Option("--from", help="Begin behind this match: match_...")] = None,
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
) -> None:
    """Verify all stored matches again: everything that can be recomputed is, down to the signatures.

    Safe while the service runs. A line a fault, with match and version; the status is 1 if there is any.
    """
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
    )
    from adapters.cli.audit import AuditError, Plan
    from adapters.cli.operating import audit
    from adapters.databases import StartError

    plan = Plan(jobs=jobs, file=resume, after=None if after is None else MatchId(after))
    try:
        holds = audit(settings, plan, None if match is None else MatchId(match), typer.echo)
    except (StartError, AuditError) as error:
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
def replay(
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
        str | None, typer.Option(help="Where REST is. Default: http:// and the address that follows.")
    ] = None,
    http_addr: Annotated[str | None, _flag("http_addr", "The server. Default: 127.0.0.1:8000")] = None,
    token: Annotated[str | None, typer.Option(envvar="MONTANE_TOKEN", help="The caller's token.")] = None,
    invitation: Annotated[str | None, typer.Option(help="The invitation to a private match.")] = None,
) -> None:
    """Show a match move by move: what happened, and the table behind it.

    In a terminal Enter or the right arrow goes on, the left arrow back, q ends. Elsewhere all are shown.
    """
    settings = _settings(http_addr=http_addr)
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
def doctor(
    database_url: DatabaseUrl = None,
    database_direct_url: DatabaseDirectUrl = None,
    database_schema: DatabaseSchema = None,
    data_dir: DataDir = None,
    pool_size: PoolSize = None,
) -> None:
    """Look whether all that the service stands on is as it must be, and say what to do where it is not.

    Safe while the service runs; nothing is changed. A line for each thing looked at: ok, warn or fail; the
    status is 1 if there is any fail.
    """
    settings = _settings(
        database_url=database_url,
        database_direct_url=database_direct_url,
        database_schema=database_schema,
        data_dir=data_dir,
        pool_size=pool_size,
    )
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
    """Run the command; what the database refuses is one line."""
    # The library of gRPC writes lines of its own beside ours, which say no more.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        app()
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


def _settings(**flags: str | None) -> Settings:
    try:
        return load(flags)
    except SettingError as error:
        _fail(str(error))


def _fail(message: str) -> NoReturn:
    typer.echo(f"montane: {message}", err=True)
    sys.exit(1)
