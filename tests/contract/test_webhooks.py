"""What webhooks and their outbox promise, in memory and in PostgreSQL alike."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import msgspec
import psycopg
import pytest

from adapters.memory import webhooks as memory_webhooks
from adapters.postgres.connection.datastore import hold
from adapters.postgres.log import ends as log_ends
from adapters.postgres.log.ends import LogEnds
from adapters.postgres.notices import notify
from adapters.postgres.read_models.player_feed import PlayerFeedModel
from adapters.postgres.read_models.rebuild import Rebuild
from adapters.postgres.webhooks import chat_outbox, outbox
from adapters.postgres.webhooks import store as postgres_webhooks
from adapters.postgres.webhooks.chat_outbox import ChatOutboxRecorder
from adapters.postgres.webhooks.outbox import OutboxRecorder
from domain.games import GAMES
from domain.match import PlayerId, Resign, Visibility
from domain.shared.seats import Seat
from domain.shared.viewers import SPECTATOR, seated
from services.chat.log import ChatRoom, MessageId
from services.matches.decisions import as_given
from services.matches.views import Source, seen_event
from services.notify.deliveries import PER_TARGET, Parcel, Reply, sent
from services.notify.player_feed import PlayerEventKind
from services.notify.subscriptions import (
    BOTH_SIGN,
    MOST,
    AttemptError,
    Changes,
    DeliveryState,
    DisabledReason,
    MessageType,
    Reach,
    Webhook,
    WebhookId,
    WebhookOwner,
    Webhooks,
    WebhookState,
    new_challenge,
    written_secret,
)
from services.shared.errors import Forbidden, Malformed, NotFound, TooMany, Unavailable
from services.shared.ids import MatchId, parsed
from services.use_cases import Services
from tests.support.faces.differences import plain
from tests.support.faces.proving import echo, proved
from tests.support.stores.use_cases import Stores, memory_stores, postgres_stores, proposal

URL = "https://ann.example/hook"
ALL = [MessageType.STARTED, MessageType.ENDED, MessageType.MATCH_EVENT]
EVERYTHING = list(MessageType)
GOOD = Reply(latency_ms=1, status=200)
BROKEN = Reply(latency_ms=1, status=500, error=AttemptError.BAD_STATUS)
MINUTE = timedelta(minutes=1)


@pytest.fixture(params=["memory", "postgres"])
async def stores(request: pytest.FixtureRequest) -> AsyncIterator[Stores]:
    """Stores of each kind."""
    if request.param == "memory":
        yield memory_stores()
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield stores


async def player(stores: Stores) -> PlayerId:
    """Return a new player."""
    return (await stores.players().open_guest("Ann"))[0].id


def own(player: PlayerId) -> Reach:
    """Return the reach of a player."""
    return Reach(player, deployment=False)


async def made(
    webhooks: Webhooks,
    reach: Reach,
    types: list[MessageType] | None = None,
    owner: WebhookOwner = WebhookOwner.PLAYER,
    url: str = URL,
) -> Webhook:
    """Return a new webhook whose target has proved that it wants messages."""
    id = (await webhooks.create(reach, owner, url, types or ALL, "for tests"))[0].id
    await proved(webhooks._store, webhooks._clock, id)
    return await webhooks.read(reach, id)


async def taken(stores: Stores, **changes: Any) -> list[Parcel]:
    """Return the messages that are due, taken."""
    stores.catch_up()
    now = stores.clock.now()
    asked: dict[str, Any] = {"most": 100, "per_target": 100, "under_way": {}}
    parcels: list[Parcel] = await stores.webhooks.take(now, now + MINUTE, **(asked | changes))
    return parcels


def told(parcel: Parcel) -> Any:
    """Return the body of a message."""
    return msgspec.json.decode(parcel.body)


async def solo(matches: Services, player: PlayerId, **changes: Any) -> MatchId:
    """Return a match that a player plays alone, and which has begun."""
    return (await matches.openings.open(player, proposal(**changes), None))[1].id


async def shown_from(stores: Stores, id: MatchId) -> Source:
    """Return a match of one seat as one whose events are shown."""
    return Source(GAMES["montana"], id, 1, (await stores.seeds.secrets(id)).seed)


async def test_a_webhook_is_kept_as_it_was_made(stores: Stores) -> None:
    """All of it is shown to its owner, but for the secret."""
    webhooks, ann = stores.webhook_cases(), await player(stores)
    webhook, secret = await webhooks.create(
        own(ann), WebhookOwner.PLAYER, URL, [MessageType.ENDED, MessageType.STARTED], "mine"
    )
    assert await webhooks.read(own(ann), webhook.id) == webhook
    assert await webhooks.all(own(ann)) == [webhook]
    assert webhook.events == (MessageType.STARTED, MessageType.ENDED)
    assert (webhook.url, webhook.description, webhook.enabled) == (URL, "mine", True)
    assert secret.startswith("whsec_")


async def test_a_webhook_is_its_owner_s_alone(stores: Stores) -> None:
    """To everybody else there is none, whatever they ask for."""
    webhooks, ann, ben = stores.webhook_cases(), own(await player(stores)), own(await player(stores))
    id = (await made(webhooks, ann)).id
    assert await webhooks.all(ben) == []
    for refused in (
        webhooks.read(ben, id),
        webhooks.change(ben, id, Changes(enabled=False)),
        webhooks.remove(ben, id),
        webhooks.rotate_secret(ben, id),
        webhooks.deliveries(ben, id, after=None, size=1),
        webhooks.test(ben, id),
        webhooks.read(ann, WebhookId("webhook_nonsense")),
        webhooks.remove(ann, WebhookId("\x00")),
    ):
        with pytest.raises(NotFound) as failure:
            await refused
        assert failure.value.reason == "NO_SUCH_WEBHOOK"
    assert (await webhooks.read(ann, id)).enabled


async def test_the_deployment_s_webhooks_are_an_administrator_s(stores: Stores) -> None:
    """It sees them beside its own, and only it makes them."""
    webhooks, ann = stores.webhook_cases(), await player(stores)
    admin = Reach(await player(stores), deployment=True)
    webhook = await made(webhooks, admin, owner=WebhookOwner.DEPLOYMENT)
    mine = await made(webhooks, admin)
    assert await webhooks.all(admin) == [webhook, mine]
    assert [one.owner for one in await webhooks.all(admin)] == [WebhookOwner.DEPLOYMENT, WebhookOwner.PLAYER]
    assert await webhooks.all(own(ann)) == []
    with pytest.raises(Forbidden):
        await made(webhooks, own(ann), owner=WebhookOwner.DEPLOYMENT)
    with pytest.raises(Malformed):
        await made(webhooks, admin, [MessageType.CHAT], owner=WebhookOwner.DEPLOYMENT)


async def test_an_owner_has_so_many_webhooks_at_most(stores: Stores) -> None:
    """However many are asked for at once; another owner's do not count."""
    webhooks, ann = stores.webhook_cases(), own(await player(stores))

    async def ask() -> Webhook:
        while True:
            # A machine that is busy may have no connection in time: anyone who asked comes again.
            with suppress(Unavailable):
                return await made(webhooks, ann)

    answers = await asyncio.gather(*[ask() for _ in range(MOST + 5)], return_exceptions=True)
    assert sum(isinstance(answer, TooMany) for answer in answers) == 5
    assert len(await webhooks.all(ann)) == MOST
    await made(webhooks, own(await player(stores)))


BAD: list[tuple[Changes, str]] = [
    (Changes(url="http://ann.example/"), "url"),
    (Changes(url="https://127.0.0.1/"), "url"),
    (Changes(events=()), "events"),
    (Changes(description="\x00"), "description"),
    (Changes(description="a" * 201), "description"),
]


async def test_bad_changes_are_refused(stores: Stores) -> None:
    """The field is named, and nothing is changed."""
    webhooks, ann = stores.webhook_cases(), own(await player(stores))
    webhook = await made(webhooks, ann)
    for changes, field in BAD:
        with pytest.raises(Malformed) as failure:
            await webhooks.change(ann, webhook.id, changes)
        assert failure.value.details["field"] == field
    assert await webhooks.read(ann, webhook.id) == webhook


async def test_a_player_is_told_of_its_own_matches(stores: Stores) -> None:
    """As its seat sees them, what its webhook asks for and nothing else, each in its place in the log."""
    webhooks, matches, ann, ben = (
        stores.webhook_cases(),
        stores.node(),
        await player(stores),
        await player(stores),
    )
    await solo(matches, ann)
    webhook = await made(webhooks, own(ann))
    few = await made(webhooks, own(ann), [MessageType.ENDED])
    id = await solo(matches, ann)
    await solo(matches, ben)
    await matches.commands.submit(
        ann, id, as_given(Resign()), key=None, expected_version=None, validate_only=False
    )
    parcels = await taken(stores)
    events = await stores.store.read(id)
    expected = [seen_event(await shown_from(stores, id), event, seated(Seat(0))) for event in events][1:]
    mine = [told(parcel) for parcel in parcels if parcel.webhook == webhook.id]
    shown = [one["data"]["event"] for one in mine if one["type"] == "match.event"]
    assert shown == plain(expected)
    assert [one["type"] for one in mine if one["type"] != "match.event"] == ["started", "ended"]
    assert [told(parcel)["type"] for parcel in parcels if parcel.webhook == few.id] == ["ended"]
    ended = next(one for one in mine if one["type"] == "ended")
    assert ended["data"]["match"] == id
    assert ended["data"]["outcome"]["kind"] == "lost"
    assert ended["timestamp"] == plain(events[-1].at)


async def test_the_deployment_is_told_of_public_matches(stores: Stores) -> None:
    """As a spectator sees them; of private ones it is told nothing."""
    webhooks, matches = stores.webhook_cases(), stores.node()
    admin = Reach(await player(stores), deployment=True)
    await made(webhooks, admin, owner=WebhookOwner.DEPLOYMENT)
    id = await solo(matches, await player(stores))
    await solo(matches, await player(stores), visibility=Visibility.PRIVATE)
    messages = [told(parcel) for parcel in await taken(stores)]
    assert {one["data"]["match"] for one in messages} == {id}
    events = await stores.store.read(id)
    expected = [seen_event(await shown_from(stores, id), event, SPECTATOR) for event in events]
    shown = [one["data"]["event"] for one in messages if one["type"] == "match.event"]
    assert shown == plain(expected)


async def test_a_turn_is_told_when_it_begins(stores: Stores) -> None:
    """To whom it is, once, however many choices the turn has; to the deployment for every seat."""
    webhooks, services = stores.webhook_cases(), stores.node()
    players = [await player(stores) for _ in "ab"]
    opened = proposal(game="mountains", options=GAMES["mountains"].options(), seats=2)
    id = (await services.openings.open(players[0], opened, None))[1].id
    admin = Reach(players[0], deployment=True)
    asking = [await made(webhooks, own(one), [MessageType.YOUR_TURN]) for one in players]
    every_turn = await made(webhooks, admin, [MessageType.YOUR_TURN], owner=WebhookOwner.DEPLOYMENT)
    await services.lobby.take_seat(players[1], id, 1, "", None)
    expected: list[tuple[int, int]] = []
    acting: tuple[Seat, ...] = ()
    for _ in range(12):
        view = await services.queries.legal_moves(id, players[0])
        expected += [(view.version, seat) for seat in view.to_act if seat not in acting]
        acting = view.to_act
        mover = players[acting[0]]
        move = (await services.queries.legal_moves(id, mover)).legal_moves[0]
        await services.commands.submit(
            mover, id, as_given(move), key=None, expected_version=None, validate_only=False
        )
    parcels = await taken(stores)

    def turns(webhook: Webhook) -> list[tuple[int, int]]:
        told_of = [told(parcel)["data"] for parcel in parcels if parcel.webhook == webhook.id]
        return [
            (one["version"], one["seat"])
            for one in told_of
            if one["version"] <= view.version and one["player"] == players[one["seat"]]
        ]

    assert turns(every_turn) == expected
    for seat, webhook in enumerate(asking):
        assert turns(webhook) == [turn for turn in expected if turn[1] == seat]


async def test_a_player_is_told_of_what_is_said_to_it(stores: Stores) -> None:
    """By id and room only: the text stays where it can be taken away. Its author is told nothing."""
    webhooks, services, ann, ben = (
        stores.webhook_cases(),
        stores.node(),
        *[await player(stores) for _ in "ab"],
    )
    opened = proposal(game="mountains", options=GAMES["mountains"].options(), seats=2)
    id = (await services.openings.open(ann, opened, None))[1].id
    await services.lobby.take_seat(ben, id, 1, "", None)

    async def say(text: str) -> MessageId:
        room = ChatRoom.PLAYERS
        return (await services.chat.post(ann, id, room=room, to_seat=None, text=text, key=None))[1].id

    await say("before")
    asking = await made(webhooks, own(ben), [MessageType.CHAT])
    await made(webhooks, own(ann), [MessageType.CHAT])
    await made(webhooks, own(ben), [MessageType.CANCELLED])
    said = await say("a secret")
    (parcel,) = await taken(stores)
    assert (parcel.webhook, parcel.type) == (asking.id, MessageType.CHAT)
    assert told(parcel)["data"] == {"match": id, "player": ben, "message": said, "room": "players"}
    assert await taken(stores) == []
    await webhooks.change(own(ben), asking.id, Changes(enabled=False))
    await say("meanwhile")
    stores.catch_up()
    await webhooks.change(own(ben), asking.id, Changes(enabled=True))
    said = await say("again")
    assert [told(parcel)["data"]["message"] for parcel in await taken(stores)] == [said]


async def test_nothing_is_told_while_a_webhook_is_disabled(stores: Stores) -> None:
    """What is pending is given up; enabled again, it is notified of what comes then."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann), [MessageType.STARTED])
    await solo(matches, ann)
    stores.catch_up()
    disabled = await webhooks.change(own(ann), webhook.id, Changes(enabled=False))
    assert (disabled.enabled, disabled.disabled_reason) == (False, DisabledReason.BY_OWNER)
    await solo(matches, ann)
    stores.catch_up()
    enabled = await webhooks.change(own(ann), webhook.id, Changes(enabled=True))
    assert enabled == webhook
    id = await solo(matches, ann)
    assert [told(parcel)["data"]["match"] for parcel in await taken(stores)] == [id]
    log = await every(webhooks, own(ann), webhook.id)
    assert [delivery.state for delivery in log] == [DeliveryState.PENDING, DeliveryState.FAILED]


async def test_a_message_is_taken_by_one(stores: Stores) -> None:
    """Of many who take at once each message goes to one; it comes back if nobody says what became of it."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    await made(webhooks, own(ann))
    await solo(matches, ann)
    stores.catch_up()
    all_taken = await asyncio.gather(*(taken(stores, most=2) for _ in range(6)))
    ids = [parcel.id for parcels in all_taken for parcel in parcels]
    assert len(ids) == len(set(ids)) > 2
    assert await taken(stores) == []
    later = stores.clock.now() + MINUTE
    again = await stores.webhooks.take(later, later + MINUTE, most=100, per_target=100, under_way={})
    assert sorted(parcel.id for parcel in again) == sorted(ids)


async def test_targets_take_turns(stores: Stores) -> None:
    """Each has its few places, those that it has taken already counted in."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    await made(webhooks, own(ann), url="https://a.example/")
    await made(webhooks, own(ann), url="https://b.example/")
    for _ in range(3):
        await solo(matches, ann)
    parcels = await taken(stores, per_target=PER_TARGET, under_way={"a.example:443": 3})
    targets = [parcel.target for parcel in parcels]
    assert sorted(targets) == ["a.example:443"] + ["b.example:443"] * PER_TARGET
    assert await taken(stores, per_target=1, under_way={"a.example:443": 1, "b.example:443": 1}) == []


async def test_an_attempt_is_noted_once(stores: Stores) -> None:
    """The log has every attempt; one of a process that was too late counts no more."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann), [MessageType.STARTED])
    await solo(matches, ann)
    (parcel,) = await taken(stores)
    now = stores.clock.now()
    assert await stores.webhooks.settle(parcel, sent(parcel, BROKEN, now, now, 0)) is None
    assert await stores.webhooks.settle(parcel, sent(parcel, GOOD, now, now, 0)) is None
    (delivery,) = await every(webhooks, own(ann), webhook.id)
    assert (delivery.state, len(delivery.attempts)) == (DeliveryState.PENDING, 1)
    assert delivery.attempts[0] == sent(parcel, BROKEN, now, now, 0).attempt
    assert (await webhooks.read(own(ann), webhook.id)).failing_since == now
    later = now + timedelta(hours=1)
    (again,) = await stores.webhooks.take(later, later + MINUTE, most=9, per_target=9, under_way={})
    assert (again.id, again.tried, again.body) == (parcel.id, 1, parcel.body)
    await stores.webhooks.settle(again, sent(again, GOOD, later, later, 0))
    (delivery,) = await every(webhooks, own(ann), webhook.id)
    assert (delivery.state, len(delivery.attempts)) == (DeliveryState.DELIVERED, 2)
    assert (await webhooks.read(own(ann), webhook.id)).failing_since is None


async def test_a_new_secret_signs_beside_the_one_before(stores: Stores) -> None:
    """For a day both do, so that a receiver can change over."""
    webhooks, ann = stores.webhook_cases(), own(await player(stores))
    webhook, first = await webhooks.create(ann, WebhookOwner.PLAYER, URL, ALL, "")
    second = await webhooks.rotate_secret(ann, webhook.id)
    await webhooks.test(ann, webhook.id)
    (parcel,) = await taken(stores)
    assert [written_secret(secret) for secret in parcel.secrets] == [second, first]
    later = stores.clock.now() + BOTH_SIGN
    (parcel,) = await stores.webhooks.take(later, later + MINUTE, most=1, per_target=1, under_way={})
    assert [written_secret(secret) for secret in parcel.secrets] == [second]


async def test_a_webhook_that_moves_takes_its_messages_along(stores: Stores) -> None:
    """What is pending goes to the new address, and counts for its target."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann), [MessageType.STARTED])
    await solo(matches, ann)
    stores.catch_up()
    await webhooks.change(own(ann), webhook.id, Changes(url="https://new.example:8443/hook"))
    assert await taken(stores, per_target=1, under_way={"new.example:8443": 1}) == []
    (parcel,) = await taken(stores)
    assert (parcel.url, parcel.target) == ("https://new.example:8443/hook", "new.example:8443")


async def test_a_webhook_that_is_removed_leaves_nothing(stores: Stores) -> None:
    """Nothing is sent any more, and what was under way is not noted."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann))
    await solo(matches, ann)
    (parcel, *_) = await taken(stores, most=1)
    await webhooks.remove(own(ann), webhook.id)
    now = stores.clock.now()
    assert await stores.webhooks.settle(parcel, sent(parcel, GOOD, now, now, 0)) is None
    assert await taken(stores) == []
    assert await webhooks.all(own(ann)) == []


async def test_the_log_comes_in_pages(stores: Stores) -> None:
    """Newest first, none twice and none left out; a page token that is none is refused."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann), [MessageType.STARTED])
    opened = [await solo(matches, ann) for _ in range(5)]
    stores.catch_up()
    seen: list[MatchId | None] = []
    after = None
    while True:
        page = await webhooks.deliveries(own(ann), webhook.id, after=after, size=2)
        seen += [delivery.match for delivery in page.items]
        if (after := page.next) is None:
            break
    assert seen == [*opened[::-1], None]
    with pytest.raises(Malformed):
        await webhooks.deliveries(own(ann), webhook.id, after="nonsense", size=2)


async def test_a_player_s_webhooks_go_with_its_account(database: str) -> None:
    """With their messages; and who is gone gets no new ones."""
    async with postgres_stores(database) as stores:
        webhooks, ann = stores.webhook_cases(), await player(stores)
        webhook = await made(webhooks, own(ann))
        await webhooks.test(own(ann), webhook.id)
        await stores.accounts.erase(ann)
        assert await webhooks.all(own(ann)) == []
        assert await taken(stores) == []
        with pytest.raises(NotFound):
            await made(webhooks, own(ann))


async def test_what_is_forgotten_is_not_told_again(database: str) -> None:
    """Reading the log again puts nothing down twice, also where the log of messages forgot it."""
    async with postgres_stores(database) as stores:
        webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
        webhook = await made(webhooks, own(ann), EVERYTHING)
        await solo(matches, ann)
        await whisper(stores, ann)
        parcels = await taken(stores)
        assert MessageType.CHAT in {parcel.type for parcel in parcels}
        now = stores.clock.now()
        for parcel in (parcels[0], parcels[-1]):
            await stores.webhooks.settle(parcel, sent(parcel, GOOD, now, now, 0))
        assert len(await every(webhooks, own(ann), webhook.id)) == len(parcels)
        await read_again(stores, database)
        assert len(await every(webhooks, own(ann), webhook.id)) == len(parcels)
        assert await stores.webhooks.purge(now + timedelta(days=400), 100) == 3
        await read_again(stores, database)
        assert len(await every(webhooks, own(ann), webhook.id)) == len(parcels) - 2


async def whisper(stores: Stores, to: PlayerId) -> None:
    """Say something to a player."""
    services, ben = stores.node(), await player(stores)
    opened = proposal(game="mountains", options=GAMES["mountains"].options(), seats=2)
    id = (await services.openings.open(ben, opened, None))[1].id
    await services.lobby.take_seat(to, id, 1, "", None)
    await services.chat.post(ben, id, room=ChatRoom.SEAT, to_seat=1, text="psst", key=None)


async def every(webhooks: Webhooks, reach: Reach, id: WebhookId) -> list[Any]:
    """Return all messages to a webhook after its challenge."""
    log = (await webhooks.deliveries(reach, id, after=None, size=200)).items
    return [delivery for delivery in log if delivery.type is not MessageType.CHALLENGE]


async def read_again(stores: Any, database: str) -> None:
    """Record what the whole log tells, as if it had never been read."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DELETE FROM match_tracking WHERE application_name LIKE 'webhooks%'")
    events = OutboxRecorder(dict(GAMES), stores.datastore, lambda: None)
    chats = ChatOutboxRecorder(stores.datastore, lambda: None)
    while any([events.catch_up(), chats.catch_up()]):
        pass


async def test_messages_wake_who_sends_them(database: str) -> None:
    """Anyone who sends is woken when there is something to send, and left alone when there is not."""
    async with postgres_stores(database) as stores:
        webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
        woken: list[datetime] = []
        recorder = OutboxRecorder(dict(GAMES), stores.datastore, lambda: woken.append(stores.clock.now()))
        await solo(matches, ann)
        assert not recorder.catch_up()
        assert woken == []
        await made(webhooks, own(ann))
        await solo(matches, ann)
        assert not recorder.catch_up()
        assert len(woken) == 1
        assert not recorder.catch_up()
        assert len(woken) == 1


async def test_it_is_known_whether_there_is_more_to_put_down(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also that what another process was recording may still be to be recorded."""
    monkeypatch.setattr(log_ends, "FRESH", 0.0)
    async with postgres_stores(database) as stores:
        matches, ann = stores.node(), await player(stores)
        events = OutboxRecorder(dict(GAMES), stores.datastore, lambda: None)
        chats = ChatOutboxRecorder(stores.datastore, lambda: None)
        ends = LogEnds(stores.datastore)

        async def play() -> None:
            await solo(matches, ann)

        async def say() -> None:
            await whisper(stores, ann)

        for recorder, log, name, happens in (
            (events, "events", outbox.NAME, play),
            (chats, "messages", chat_outbox.NAME, say),
        ):
            recorder.catch_up()
            assert recorder.grown(getattr(ends.read(), log))
            assert not recorder.grown(getattr(ends.read(), log))
            await happens()
            assert recorder.grown(getattr(ends.read(), log))
            with stores.datastore.transaction() as cursor:
                hold(cursor, name)
                recorder.catch_up()
            assert recorder.grown(getattr(ends.read(), log))
            recorder.catch_up()
            assert not recorder.grown(getattr(ends.read(), log))
            recorder.forget()
            assert recorder.grown(getattr(ends.read(), log))


async def unproved(stores: Stores, webhooks: Webhooks, reach: Reach) -> tuple[Webhook, Parcel]:
    """Return a new webhook, and the challenge to its target, taken."""
    webhook, _ = await webhooks.create(reach, WebhookOwner.PLAYER, URL, EVERYTHING, "")
    (challenge,) = await taken(stores)
    assert challenge.type is MessageType.CHALLENGE
    return webhook, challenge


async def test_nothing_of_a_match_is_sent_before_a_target_proves_itself(stores: Stores) -> None:
    """It is asked by a challenge, and notified of what happens once it has echoed it; of nothing before."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook, challenge = await unproved(stores, webhooks, own(ann))
    assert (webhook.state, webhook.enabled) == (WebhookState.UNPROVED, True)
    await solo(matches, ann)
    await whisper(stores, ann)
    assert await taken(stores) == []
    now = stores.clock.now()
    await stores.webhooks.settle(challenge, sent(challenge, echo(challenge.body), now, now, 0))
    assert (await webhooks.read(own(ann), webhook.id)).state is WebhookState.ACTIVE
    assert await taken(stores) == []
    id = await solo(matches, ann)
    assert {told(parcel)["data"]["match"] for parcel in await taken(stores)} == {id}


async def test_a_challenge_is_tried_some_times(stores: Stores) -> None:
    """An answer that is good but no echo is none; in the end the webhook is disabled, and can ask again."""
    webhooks, ann = stores.webhook_cases(), own(await player(stores))
    webhook, challenge = await unproved(stores, webhooks, ann)
    other = echo(new_challenge(stores.clock.now()).body)
    tried = [GOOD, BROKEN, other]
    for place, reply in enumerate(tried):
        now = stores.clock.now()
        disabled = await stores.webhooks.settle(challenge, sent(challenge, reply, now, now, 0))
        assert disabled == (DisabledReason.UNPROVED if reply is tried[-1] else None)
        if reply is not tried[-1]:
            later = now + timedelta(hours=1)
            (challenge,) = await stores.webhooks.take(later, later, most=9, per_target=9, under_way={})
            assert challenge.tried == place + 1
    (delivery,) = (await webhooks.deliveries(ann, webhook.id, after=None, size=9)).items
    assert [attempt.error for attempt in delivery.attempts] == [
        AttemptError.NOT_ECHOED,
        AttemptError.BAD_STATUS,
        AttemptError.NOT_ECHOED,
    ]
    over = await webhooks.read(ann, webhook.id)
    assert (over.state, over.disabled_reason) == (WebhookState.DISABLED, DisabledReason.UNPROVED)
    for changes in (Changes(enabled=True), Changes(enabled=False), Changes(enabled=True)):
        over = await webhooks.change(ann, webhook.id, changes)
    assert over.state is WebhookState.UNPROVED
    await proved(stores.webhooks, stores.clock, webhook.id)
    assert (await webhooks.read(ann, webhook.id)).state is WebhookState.ACTIVE


async def test_another_address_is_asked_again(stores: Stores) -> None:
    """What is pending waits until it has proved itself, also what was on its way to the old one."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann), [MessageType.STARTED])
    ids = [await solo(matches, ann) for _ in range(3)]
    (under_way,) = await taken(stores, most=1)
    same = await webhooks.change(own(ann), webhook.id, Changes(url=URL))
    assert same.state is WebhookState.ACTIVE
    moved = await webhooks.change(own(ann), webhook.id, Changes(url="https://new.example/"))
    assert (moved.state, moved.enabled) == (WebhookState.UNPROVED, True)
    now = stores.clock.now()
    await stores.webhooks.settle(under_way, sent(under_way, BROKEN, now, now, 0))
    later = now + timedelta(days=1)
    (challenge,) = await stores.webhooks.take(later, later, most=9, per_target=9, under_way={})
    assert (challenge.type, challenge.url) == (MessageType.CHALLENGE, "https://new.example/")
    assert {one.next_attempt_at for one in await every(webhooks, own(ann), webhook.id)} == {None}
    await stores.webhooks.settle(challenge, sent(challenge, echo(challenge.body), later, later, 0))
    parcels = await stores.webhooks.take(later, later, most=9, per_target=9, under_way={})
    assert {(told(parcel)["data"]["match"], parcel.url) for parcel in parcels} == {
        (id, "https://new.example/") for id in ids
    }


async def test_a_backlog_pauses_a_webhook(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many are pending and no more; its owner's feed tells it, and its owner resumes it."""
    for module in (outbox, memory_webhooks):
        monkeypatch.setattr(module, "MOST_PENDING", 10)
    for module in (postgres_webhooks, memory_webhooks):
        monkeypatch.setattr(module, "KEPT_PENDING", 5)
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann))
    other = await made(webhooks, own(ann), [MessageType.ENDED])
    for _ in range(8):
        await solo(matches, ann)
        stores.catch_up()
        await every(webhooks, own(ann), webhook.id)
    paused = await webhooks.read(own(ann), webhook.id)
    assert (paused.state, paused.enabled) == (WebhookState.PAUSED, False)
    assert paused.disabled_reason is DisabledReason.BACKLOG
    assert (await webhooks.read(own(ann), other.id)).state is WebhookState.ACTIVE
    pending = await every(webhooks, own(ann), webhook.id)
    assert {one.state for one in pending} == {DeliveryState.PENDING}
    assert len(pending) == 10

    feed = stores.node().player_feed
    items = (await feed.page(ann, after=None, token=None, size=200)).items
    (notice,) = [item for item in items if item.kind is PlayerEventKind.WEBHOOK_PAUSED]
    assert (notice.webhook, notice.match, notice.game, notice.version) == (webhook.id, None, None, None)
    numbers = [int(item.position) for item in items]
    assert numbers == list(range(1, len(items) + 1))
    behind = await feed.page(ann, after=notice.position, token=None, size=200)
    assert list(behind.items) == list(items[int(notice.position) :])

    resumed = await webhooks.change(own(ann), webhook.id, Changes(enabled=True))
    assert (resumed.state, resumed.disabled_reason) == (WebhookState.ACTIVE, None)
    states = [one.state for one in await every(webhooks, own(ann), webhook.id)]
    assert states == [DeliveryState.PENDING] * 5 + [DeliveryState.FAILED] * 5
    parcels = [parcel for parcel in await taken(stores) if parcel.webhook == webhook.id]
    assert len(parcels) == 5
    now = stores.clock.now()
    for parcel in parcels:
        await stores.webhooks.settle(parcel, sent(parcel, GOOD, now, now, 0))
    id = await solo(matches, ann)
    assert {told(parcel)["data"]["match"] for parcel in await taken(stores)} == {id}
    await webhooks.change(own(ann), webhook.id, Changes(enabled=False))
    assert (await webhooks.read(own(ann), webhook.id)).state is WebhookState.DISABLED


async def test_the_log_of_a_webhook_holds_so_many(stores: Stores) -> None:
    """The newest, and whatever is pending; another webhook's do not count."""
    webhooks, matches, ann = stores.webhook_cases(), stores.node(), await player(stores)
    webhook = await made(webhooks, own(ann), [MessageType.STARTED])
    other = await made(webhooks, own(ann), [MessageType.STARTED])
    for _ in range(6):
        await solo(matches, ann)
    parcels = [parcel for parcel in await taken(stores) if parcel.webhook == webhook.id]
    now = stores.clock.now()
    for parcel in parcels[1:]:
        await stores.webhooks.settle(parcel, sent(parcel, GOOD, now, now, 0))
    # Two of its own, and both challenges.
    assert await stores.webhooks.purge(now - timedelta(days=1), 3) == 4
    left = [one.id for one in await every(webhooks, own(ann), webhook.id)]
    assert left == [parcels[place].id for place in (5, 4, 3, 0)]
    assert len(await every(webhooks, own(ann), other.id)) == 6


async def test_a_pause_does_not_shift_a_feed_that_is_rebuilt(database: str) -> None:
    """What the log tells keeps its numbers, around the notice."""
    async with postgres_stores(database) as stores:
        matches, ann = stores.node(), await player(stores)
        number, feed = parsed("player", ann), stores.node().player_feed
        assert number is not None
        await solo(matches, ann)
        stores.catch_up()
        with stores.datastore.transaction() as cursor:
            notify(cursor, PlayerEventKind.WEBHOOK_PAUSED, [(number, uuid4(), stores.clock.now())])
        await solo(matches, ann)
        stores.catch_up()
        before = await feed.page(ann, after=None, token=None, size=200)
        kinds = [item.kind for item in before.items]
        assert PlayerEventKind.WEBHOOK_PAUSED in kinds[1:-1]
        with Rebuild(dict(GAMES), stores.datastore, PlayerFeedModel()) as rebuild:
            while rebuild.advance():
                pass
            rebuilt = rebuild.finish()
        assert (rebuilt.removed, rebuilt.added) == (0, 0)
        assert await feed.page(ann, after=None, token=None, size=200) == before
