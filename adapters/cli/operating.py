"""What an operator asks for at the command line, beside serving."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from adapters.cli.audit import Plan, audit_log, audit_match
from adapters.clock import SystemClock
from adapters.databases import StartError, database, migrated, shared_database, signing_keys
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.players import PostgresAccounts
from adapters.postgres.read_models.catch_up import ReadModels
from adapters.postgres.read_models.rebuild import Rebuild, RebuildError, Rebuilt
from adapters.postgres.read_models.registry import read_models
from adapters.settings import Settings
from domain.games import GAMES
from domain.match import PlayerId
from services.players.accounts import Players
from services.players.store import Scope, Token
from services.proof.heads import KeyElsewhere
from services.proof.keys import Key
from services.shared.ids import MatchId


def migrate(settings: Settings) -> list[str]:
    """Bring the database to the shape that is needed; return the names of the migrations applied.

    Raises:
        StartError: The database cannot be reached, or not be migrated.
    """
    with database(settings) as (access, _):
        return migrated(access)


def issue_token(
    settings: Settings, player: PlayerId, scopes: Sequence[Scope], expires_at: datetime | None
) -> tuple[Token, str]:
    """Return a further token of a player, of whatever scopes, and its secret.

    Raises:
        StartError: The database cannot be reached, or not be migrated.
        Failure: There is no such player, it has enough tokens, or the time is over already.
    """
    with shared_database(settings) as access:
        datastore = Datastore(access.conninfo, 1, access.direct)
        players = Players(PostgresAccounts(datastore), SystemClock())
        try:
            return asyncio.run(players.issue_token(player, scopes, expires_at))
        finally:
            datastore.close()


def standing(settings: Settings) -> list[tuple[str, int, int]]:
    """Return each read model's name, its position in the log, and how many events it has to take in yet.

    Raises:
        StartError: The database cannot be reached, or not be migrated.
    """
    with shared_database(settings) as access:
        datastore = Datastore(access.conninfo, 1, access.direct)
        try:
            models = ReadModels(dict(GAMES), datastore, read_models())
            behind = models.lags()
            return [(name, position, behind[name]) for name, position in models.positions().items()]
        finally:
            datastore.close()


def rebuild(
    settings: Settings, names: Sequence[str], *, afresh: bool, progress: Callable[[str, int, int], None]
) -> dict[str, Rebuilt]:
    """Build read models again from the log, also while the service runs; return what came of each.

    Args:
        settings: Where the database is.
        names: The read models' names; none stands for all.
        afresh: Whether what a rebuilding that was ended has built is thrown away.
        progress: Told the read model's name, its position, and the log's newest.

    Raises:
        StartError: There is no such read model, another process rebuilds it, or the database cannot be
            reached, or not be migrated.
    """
    known = {model.name: model for model in read_models()}
    if unknown := sorted(set(names) - set(known)):
        raise StartError(f"there is no read model {unknown[0]}; there are {', '.join(known)}")
    done = {}
    with shared_database(settings) as access:
        datastore = Datastore(access.conninfo, 2, access.direct)
        try:
            for name in names or known:
                with Rebuild(dict(GAMES), datastore, known[name], afresh=afresh) as rebuilding:
                    while rebuilding.advance():
                        progress(name, rebuilding.position, rebuilding.newest)
                    done[name] = rebuilding.finish()
                    progress(name, rebuilding.newest, rebuilding.newest)
        except RebuildError as error:
            raise StartError(str(error)) from error
        finally:
            datastore.close()
    return done


def audit(settings: Settings, plan: Plan, match: MatchId | None, say: Callable[[str], None]) -> bool:
    """Say what is wrong in the log, or with one match of it, and return whether nothing is.

    Raises:
        StartError: The database cannot be reached, or not be migrated.
        AuditError: The audit cannot begin.
    """
    with shared_database(settings) as access:
        return (
            audit_log(access.direct, plan, say) if match is None else audit_match(access.direct, match, say)
        )


def rotate_key(settings: Settings) -> Key:
    """Let a fresh key sign from now on, on all nodes, and return it.

    Raises:
        StartError: The key is in a file, or the database cannot be reached, or not be migrated.
    """
    with shared_database(settings) as access:
        datastore = Datastore(access.conninfo, 1, access.direct)
        try:
            return asyncio.run(signing_keys(settings, datastore).rotate())
        except KeyElsewhere as error:
            raise StartError(str(error)) from error
        finally:
            datastore.close()
