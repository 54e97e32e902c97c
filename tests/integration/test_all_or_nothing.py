"""What takes several statements is done as a whole or not at all, wherever the connection breaks."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from eventsourcing.persistence import OperationalError
from msgspec.structs import replace

from adapters.postgres.connection.connections import SeveralStatementsError
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.quotas import MostHeld
from adapters.postgres.read_models.registry import read_models
from domain.games import GAMES
from domain.match import PlayerId, Resign
from domain.match.heads import day_over, tree
from domain.shared.seats import Seat
from services.background.timekeeper import Due
from services.bots.accounts import ACCOUNTS
from services.chat.log import ChatRoom, MessageId, Pace, Report, ReportId, ReportReason, StoredMessage
from services.lobby.match_list import MatchFilter
from services.lobby.waiting import Wish
from services.matches.decisions import as_given
from services.matches.outages import Outage
from services.matches.store import ClaimedOpening, Secrets, Snapshot
from services.notify.addresses import Target
from services.notify.deliveries import Parcel, Reply, Sent, sent
from services.notify.subscriptions import (
    AttemptError,
    Challenge,
    Changes,
    Delivery,
    MessageType,
    Reach,
    Webhook,
    WebhookId,
    WebhookOwner,
    new_challenge,
    new_delivery_id,
)
from services.players.block_list import Blocked
from services.players.quotas import Holding, QuotaKind
from services.players.store import Player, Scope, Token
from services.proof.head_signer import HeadSigner
from services.proof.heads import SignedDay
from services.shared.errors import Failure, SetAside
from services.shared.ids import MatchId, TokenId, match_id, new_uuid, written
from services.streams.presence import Count
from tests.support.faces.proving import proved
from tests.support.stores.breaking import Breaking, contents, done, methods, stores
from tests.support.stores.database import Databases, prepare_template
from tests.support.stores.use_cases import MOST_HELD, PostgresStores, postgres_stores, proposal

NOW = datetime(2027, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)

STORES = stores()
METHODS = [(name, method) for name, store in STORES.items() for method in methods(store)]


class Scene:
    """Copies of a database in which there is something to do for every method.

    Attributes:
        samples: An argument for every parameter.
        before: What is in each copy.
    """

    def __init__(self, databases: Databases, samples: dict[Any, Any]) -> None:
        """Take what makes the copies, and the samples."""
        self._databases = databases
        self._stack = ExitStack()
        self.samples = samples
        self.copy()
        self.before = contents(self._copy)

    def copy(self) -> None:
        """Take a copy in which nothing was changed."""
        self._stack.close()
        self._copy = self._stack.enter_context(self._databases.fresh())

    async def do(self, store: str, method: str, breaking: int | None = None) -> dict[str, list[str]]:
        """Do what a method does, broken before so many questions to the server; return what is there then."""
        Breaking.last = breaking
        try:
            # What is refused when all goes well is refused for good.
            with suppress(Failure, OperationalError) if breaking else suppress(SetAside):
                await done(STORES[store], method, self._copy, self.samples)
        finally:
            Breaking.last = None
        found = contents(self._copy)
        if found != self.before:
            self.copy()
        return found

    def close(self) -> None:
        """Drop the copy."""
        self._stack.close()
        self._databases.close()


@pytest.fixture(scope="module")
def scene(postgres_server: str) -> Iterator[Scene]:
    """Databases with something to do."""
    samples: dict[Any, Any] = {}

    def prepare(conninfo: str) -> None:
        prepare_template(conninfo)
        samples.update(asyncio.run(staged(conninfo)))

    made = Scene(Databases(postgres_server, prepare), samples)
    yield made
    made.close()


async def staged(conninfo: str) -> dict[Any, Any]:
    """Open, play, say, sign and recorded something, and return samples of everything."""
    async with postgres_stores(conninfo) as made:
        return await _samples(made)


async def _samples(made: PostgresStores) -> dict[Any, Any]:
    services = made.node()
    (ann, _), (ben, _) = [await services.players.open_guest(name) for name in ("Ann", "Ben")]
    cam = (await services.players.open_guest("Cam"))[0].id
    token, _ = await services.players.issue_token(ann.id, [Scope.PLAY], None)
    reach = Reach(ann.id, deployment=False)
    url, every = "https://ann.example/hook", list(MessageType)
    webhook, _ = await services.webhooks.create(reach, WebhookOwner.PLAYER, url, every, "")
    await proved(made.webhooks, made.clock, webhook.id)
    await services.webhooks.test(reach, webhook.id)

    async def played() -> MatchId:
        opened = proposal(game="mountains", options=GAMES["mountains"].options(), seats=2)
        match = (await services.openings.open(ann.id, opened, None))[1].id
        await services.lobby.take_seat(ben.id, match, 1, "", None)
        await services.chat.post(ben.id, match, room=ChatRoom.PLAYERS, to_seat=None, text="hello", key=None)
        await services.commands.submit(
            ben.id, match, as_given(Resign()), key=None, expected_version=None, validate_only=False
        )
        return match

    await played()
    made.catch_up()
    await HeadSigner(made.heads, made.keys, made.clock).step()
    match = await played()
    wish = Wish(player=ben.id, key="key", digest="digest", fit="fit", game="mountains", seats=3, at=NOW)
    await made.quick_matches.place(wish, match, without=(), only_open=False)
    await made.quotas.note(Holding(ann.id, QuotaKind.BOTS, match, NOW))
    await made.block_list.add(ann.id, Blocked(ben.id, NOW), 10)
    finals = await made.heads.unsigned(10)
    signer = await made.keys.signer()
    open_day = await made.heads.open_day()
    assert open_day is not None
    levels = tree(await made.heads.of_day(open_day))
    (message,) = await made.chat_log.read(match, after=0, limit=10)
    now = made.clock.now() + DAY
    parcels = await made.webhooks.take(now, now + DAY, most=1, per_target=1, under_way={})
    events = await made.store.read(match)
    heads = await made.heads.of_day(open_day)
    (delivery, *_) = (await services.webhooks.deliveries(reach, webhook.id, after=None, size=10)).items
    live = await services.decisions.matches.current(match)
    newcomer = Player(
        id=PlayerId(written("player", new_uuid(NOW))),
        display_name="Cid",
        avatar_seed="cid",
        locale="en",
        created_at=NOW,
    )
    gone = Reply(latency_ms=1, status=410, error=AttemptError.BAD_STATUS)
    return {
        "after": 0,
        "before": None,
        "place": None,
        "up_to": None,
        "reader": None,
        "limit": 10,
        "most": 10,
        "per_target": 10,
        "reached": finals.reached,
        "under_way": {},
        "key": "another key",
        "digest": "digest",
        "fit": "fit",
        "game": "mountains",
        "date": open_day,
        "issuer": "issuer",
        "subject": "subject",
        "body": b"body",
        "secret": b"secret",
        "display_name": "Anna",
        "avatar_seed": "anna",
        "locale": "de",
        "games": dict(GAMES),
        "model": read_models()[0],
        "models": read_models(),
        "append_queue": 100,
        "lock": "lock",
        "batch": 100,
        "afresh": False,
        "forgotten": 0,
        "own": None,
        "wake": lambda: None,
        ("up_to", datetime): now,
        ("up_to", int): 1,
        ("after", Due): None,
        ("before", datetime): now + 365 * DAY,
        "bots": [player.id for player in ACCOUNTS],
        "token_hash": b"hash",
        "token_hashes": [b"hash"],
        "players": [ann.id, ben.id],
        "recipients": [ann.id],
        "owner": UUID(int=1),
        "both_until": now + DAY,
        "until": now + DAY,
        "signed": [(final, signer.key, "signature") for final in finals.items],
        "events": [replace(events[-1], version=events[-1].version + 1)],
        "tree": levels,
        "version": 1,
        "why": "it is broken",
        "feed": DAY,
        "open_for": DAY,
        "number": UUID(int=1),
        "stored_events": (),
        datetime: now,
        Outage: Outage(1, NOW, NOW),
        PlayerId: ann.id,
        ("other", PlayerId): ben.id,
        ("by", PlayerId): ben.id,
        ("about", PlayerId): None,
        ("after", PlayerId): None,
        "about": None,
        "most_open": 10,
        ("most", MostHeld): MOST_HELD,
        "holding": Holding(ann.id, QuotaKind.OPEN, match, NOW),
        "kind": QuotaKind.OPEN,
        "kinds": [QuotaKind.BOTS],
        "wish": replace(wish, player=ann.id, key="fresh"),
        "fresh": match_id(new_uuid(NOW + DAY)),
        "without": (),
        "counts": [Count(match, None, 1, NOW), Count(match, Seat(0), 0, NOW)],
        "matches": [match],
        "end": 1,
        "steps": {"lists": timedelta(seconds=1)},
        "only_open": False,
        "full": True,
        "blocked": Blocked(cam, NOW),
        MatchId: match,
        MessageId: message.id,
        TokenId: token.id,
        WebhookId: webhook.id,
        Player: newcomer,
        ("player", PlayerId): ann.id,
        Token: Token(
            id=TokenId(written("token", new_uuid(NOW))),
            player=ann.id,
            scopes=(Scope.PLAY,),
            created_at=NOW,
            expires_at=None,
        ),
        StoredMessage: replace(message, id=MessageId(written("message", new_uuid(NOW)))),
        Pace: Pace(10, timedelta(seconds=1)),
        Report: Report(
            id=ReportId(written("report", new_uuid(NOW))),
            message=message,
            reporter=ann.id,
            reason=ReportReason.OTHER,
            text="",
            reported_at=NOW,
        ),
        ClaimedOpening: ClaimedOpening(new_uuid(NOW), Secrets(b"seed", b"invitation"), "digest"),
        Snapshot: live.snapshot(),
        Reach: reach,
        Webhook: replace(webhook, id=WebhookId(written("webhook", new_uuid(NOW)))),
        Delivery: replace(delivery, id=new_delivery_id(now)),
        Challenge: new_challenge(now),
        Changes: Changes(enabled=False, url="https://ann.example:444/"),
        Target: Target(True, "ann.example", 444),
        Parcel: parcels[0],
        Sent: sent(parcels[0], gone, now, now, 0.0),
        MatchFilter: MatchFilter(),
        SignedDay: SignedDay(
            date=open_day,
            size=len(heads),
            root=day_over(open_day, levels).root,
            kid=signer.key.kid,
            signature="",
        ),
    }


@pytest.mark.parametrize(("store", "method"), METHODS, ids=[".".join(names) for names in METHODS])
async def test_what_breaks_is_done_wholly_or_not_at_all(scene: Scene, store: str, method: str) -> None:
    """Every method of every store, broken before each thing that it asks the server but the first."""
    after = await scene.do(store, method)
    asked = Breaking.asked
    for step in range(1, asked):
        assert await scene.do(store, method, step) in (scene.before, after), (
            f"broken before {step} of {asked}"
        )


def test_a_datastore_gives_a_connection_for_one_statement(database: str) -> None:
    """A second one outside a transaction is refused; within one there may be any number."""
    with closing(Datastore(database, 1)) as datastore:
        with datastore.get_connection() as connection:
            connection.execute("SELECT 1")
            for statement in ("SELECT 2", "COPY players TO STDOUT"):
                with pytest.raises(SeveralStatementsError):
                    connection.execute(statement)
        with datastore.get_connection() as connection:
            connection.execute("SELECT 1")
            with pytest.raises(SeveralStatementsError), connection.cursor().copy("COPY players TO STDOUT"):
                pass
            with pytest.raises(SeveralStatementsError):
                next(connection.cursor().stream("SELECT 1"))
        with datastore.get_connection() as connection, pytest.raises(SeveralStatementsError):
            connection.cursor().executemany("SELECT %s", [(1,), (2,)])
        with datastore.transaction() as cursor:
            cursor.execute("INSERT INTO match_tracking VALUES ('one', 1)")
            cursor.execute("INSERT INTO match_tracking VALUES ('two', 2)")
        with datastore.transaction() as cursor:
            assert cursor.execute("SELECT count(*) AS rows FROM match_tracking").fetchall() == [{"rows": 2}]


def test_a_failure_leaves_nothing_of_a_transaction(database: str) -> None:
    """Whatever fails."""
    with closing(Datastore(database, 1)) as datastore:
        with suppress(ZeroDivisionError), datastore.transaction() as cursor:
            cursor.execute("INSERT INTO match_tracking VALUES ('one', 1)")
            raise ZeroDivisionError
        with datastore.transaction() as cursor:
            assert cursor.execute("SELECT FROM match_tracking").rowcount == 0
