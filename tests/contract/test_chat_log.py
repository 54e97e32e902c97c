"""What every log of chats promises, in memory and in PostgreSQL alike."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from adapters.postgres.chat import MESSAGES, PostgresChatLog
from adapters.postgres.connection.datastore import Datastore
from adapters.postgres.log import tail as tails
from adapters.postgres.log.tail import Followed, Tail
from domain.match import PlayerId
from domain.shared.seats import Seat
from services.chat.log import (
    ChatLog,
    ChatRoom,
    MessageId,
    Pace,
    Reader,
    Report,
    ReportId,
    ReportReason,
    StoredMessage,
    TooFast,
)
from services.shared.errors import Unauthenticated
from services.shared.ids import MatchId, match_id, new_uuid, written
from tests.support.stores.use_cases import memory_stores, postgres_stores

NOW = datetime(2026, 11, 30, 10, 0, 0, 123456, tzinfo=UTC)
PACE = Pace(3, timedelta(seconds=30))
PLAYERS, SEAT, SPECTATORS = ChatRoom


class Talk:
    """A log of chats, three accounts and a match."""

    def __init__(self, log: ChatLog, players: list[PlayerId]) -> None:
        """Take the log and the players."""
        self.log = log
        self.ann, self.ben, self.cid = players
        self.match = match_id(new_uuid(NOW))
        self.keys = 0

    async def says(
        self,
        author: PlayerId,
        text: str = "hi",
        *,
        room: ChatRoom = PLAYERS,
        to: PlayerId | None = None,
        match: MatchId | None = None,
        at: float = 0,
        key: str | None = None,
        recipients: tuple[PlayerId, ...] = (),
    ) -> StoredMessage:
        """Return a message as it was stored, its key new unless one is given."""
        self.keys += 1
        posted = await self.log.post(
            message(author, text, room=room, addressee=to, match=match or self.match, at=at),
            key=key or str(self.keys),
            digest=text,
            recipients=recipients,
            pace=PACE,
        )
        assert posted.digest == text
        return posted.message


def message(author: PlayerId, text: str, *, match: MatchId, at: float = 0, **fields: Any) -> StoredMessage:
    """Return a message that is not stored yet."""
    given = {"room": PLAYERS, "addressee": None} | fields
    return StoredMessage(
        id=MessageId(written("message", new_uuid(NOW))),
        position=0,
        match=match,
        author=author,
        seat=Seat(2),
        to_seat=None if given["addressee"] is None else Seat(1),
        text=text,
        removed=False,
        sent_at=NOW + timedelta(seconds=at),
        **given,
    )


@pytest.fixture(params=["memory", "postgres"])
async def talk(request: pytest.FixtureRequest) -> AsyncIterator[Talk]:
    """A log of each kind."""
    if request.param == "memory":
        stores = memory_stores()
        yield Talk(stores.chat_log, await accounts(stores.players()))
    else:
        async with postgres_stores(request.getfixturevalue("database")) as stores:
            yield Talk(stores.chat_log, await accounts(stores.players()))


async def accounts(players: Any) -> list[PlayerId]:
    """Return three new players."""
    return [(await players.open_guest(name))[0].id for name in ("Ann", "Ben", "Cid")]


async def test_messages_come_back_as_they_were_stored(talk: Talk) -> None:
    """Every part survives, in the order of positions, match by match."""
    first = await talk.says(talk.ann, "one")
    whisper = await talk.says(talk.ben, "two", room=SEAT, to=talk.ann)
    elsewhere = await talk.says(talk.ann, "three", match=match_id(new_uuid(NOW)))
    assert first.position < whisper.position < elsewhere.position
    wanted = message(talk.ben, "two", room=SEAT, addressee=talk.ann, match=talk.match)
    assert whisper == replace(wanted, id=whisper.id, position=whisper.position)
    assert await talk.log.read(talk.match, after=0, limit=9) == [first, whisper]
    assert await talk.log.read(talk.match, after=0, limit=1) == [first]
    assert await talk.log.read(talk.match, after=first.position, limit=9) == [whisper]
    assert await talk.log.message(talk.match, first.id) == first
    assert await talk.log.message(elsewhere.match, first.id) is None
    for id in ("", "message_x", whisper.match):
        assert await talk.log.message(talk.match, MessageId(id)) is None
    assert await talk.log.read(MatchId("x"), after=0, limit=9) == []


async def test_a_reader_is_given_what_it_may_read(talk: Talk) -> None:
    """The log and `Reader.may_read` agree on every message for every reader."""
    for author, room, to in (
        (talk.ann, PLAYERS, None),
        (talk.ann, SEAT, talk.ben),
        (talk.cid, SEAT, talk.ann),
        (talk.cid, SPECTATORS, None),
    ):
        await talk.says(author, room=room, to=to)
    everything = await talk.log.read(talk.match, after=0, limit=9)
    assert len(everything) == 4
    counts = {}
    for player in (talk.ann, talk.ben, talk.cid, None):
        for rooms in ((), (PLAYERS,), (SEAT,), (SPECTATORS,), (PLAYERS, SEAT), tuple(ChatRoom)):
            reader = Reader(player, rooms)
            found = await talk.log.read(talk.match, after=0, limit=9, reader=reader)
            assert found == [one for one in everything if reader.may_read(one)]
            counts[player, rooms] = len(found)
    assert counts[talk.ann, (SEAT,)] == 2
    assert counts[talk.ben, (SEAT,)] == counts[talk.cid, (SEAT,)] == 1
    assert counts[None, (SEAT,)] == 0
    assert counts[talk.ben, tuple(ChatRoom)] == 3


async def test_a_key_counts_once(talk: Talk) -> None:
    """The first message of an author and key stays; another author may use the same key."""
    first = await talk.says(talk.ann, "one", key="k")
    again = await talk.log.post(
        message(talk.ann, "two", match=match_id(new_uuid(NOW))),
        key="k",
        digest="other",
        recipients=(),
        pace=PACE,
    )
    assert (again.message, again.digest) == (first, "one")
    assert await talk.log.posted(talk.ann, "k") == again
    assert await talk.log.posted(talk.ben, "k") is None
    assert (await talk.says(talk.ben, "three", key="k")).text == "three"
    assert [one.text for one in await talk.log.read(talk.match, after=0, limit=9)] == ["one", "three"]


async def test_the_pace_is_by_author_and_match(talk: Talk) -> None:
    """As many as are allowed in any such time, and then nothing is stored until the first of them is past."""
    for at in (0, 5, 10):
        await talk.says(talk.ann, at=at, key=str(at))
    with pytest.raises(TooFast) as fast:
        await talk.says(talk.ann, at=29.9)
    assert fast.value.free_at == NOW + timedelta(seconds=30)
    assert (await talk.says(talk.ann, at=29.9, key="5")).sent_at == NOW + timedelta(seconds=5)
    assert len(await talk.log.read(talk.match, after=0, limit=9)) == 3
    await talk.says(talk.ben, at=11)
    await talk.says(talk.ann, at=11, match=match_id(new_uuid(NOW)))
    await talk.says(talk.ann, at=30)
    with pytest.raises(TooFast) as fast:
        await talk.says(talk.ann, at=31)
    assert fast.value.free_at == NOW + timedelta(seconds=35)


async def test_a_removed_message_keeps_its_place(talk: Talk) -> None:
    """The text is gone, and nothing else."""
    first, second = await talk.says(talk.ann, "one", key="k"), await talk.says(talk.ann, "two")
    left = replace(first, text="", removed=True)
    assert await talk.log.remove(talk.match, first.id) == left
    assert await talk.log.read(talk.match, after=0, limit=9) == [left, second]
    posted = await talk.log.posted(talk.ann, "k")
    assert posted is not None
    assert posted.message == left
    assert await talk.log.remove(match_id(new_uuid(NOW)), second.id) is None
    assert await talk.log.remove(talk.match, MessageId("message_x")) is None


async def test_a_report_counts_once(talk: Talk) -> None:
    """One for each message and reporter, newest first, with the message as it stands."""
    said = await talk.says(talk.ann, "rude")
    times = [NOW + timedelta(seconds=second) for second in range(3)]
    first, second, third = (
        Report(
            id=ReportId(written("report", new_uuid(at))),
            message=said,
            reporter=reporter,
            reason=ReportReason.HATE,
            text="see",
            reported_at=at,
        )
        for at, reporter in zip(times, (talk.ben, talk.ben, talk.cid), strict=True)
    )
    assert await talk.log.report(first) == first
    assert await talk.log.report(second) == first
    assert await talk.log.report(third) == third
    assert await talk.log.reports(before=None, limit=9) == [third, first]
    assert await talk.log.reports(before=None, limit=1) == [third]
    assert await talk.log.reports(before=third.id, limit=9) == [first]
    left = await talk.log.remove(talk.match, said.id)
    assert [report.message for report in await talk.log.reports(before=None, limit=9)] == [left, left]


async def test_a_player_finds_what_is_for_it(talk: Talk) -> None:
    """Over all matches, in the order of positions, and nothing that is for others."""
    other = match_id(new_uuid(NOW))
    first = await talk.says(talk.ann, "one", recipients=(talk.ben, talk.cid))
    await talk.says(talk.ben, "two", recipients=(talk.ann,))
    third = await talk.says(talk.ann, "three", match=other, recipients=(talk.ben,))
    assert await talk.log.for_player(talk.ben, after=0, limit=9) == [first, third]
    assert await talk.log.for_player(talk.ben, after=0, limit=1) == [first]
    assert await talk.log.for_player(talk.ben, after=first.position, limit=9) == [third]
    assert await talk.log.for_player(talk.cid, after=0, limit=9) == [first]


async def test_many_write_at_once(talk: Talk) -> None:
    """One of many with the same key is stored, and never more than the pace allows."""
    same = [talk.says(talk.ann, "one", key="k") for _ in range(8)]
    assert len({stored.id for stored in await asyncio.gather(*same)}) == 1
    results = await asyncio.gather(*(talk.says(talk.ben) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(result, StoredMessage) for result in results) == PACE.messages
    assert sum(isinstance(result, TooFast) for result in results) == 8 - PACE.messages


async def test_with_an_account_goes_what_its_player_wrote(database: str) -> None:
    """Texts and reports, and the name on them; the places stay, and the other ends of whispers."""
    async with postgres_stores(database) as stores:
        talk = Talk(stores.chat_log, await accounts(stores.players()))
        mine = await talk.says(talk.ann, "mine", key="k", recipients=(talk.ben,))
        theirs = await talk.says(talk.ben, "theirs", room=SEAT, to=talk.ann, recipients=(talk.ann,))
        report = Report(
            id=ReportId(written("report", new_uuid(NOW))),
            message=theirs,
            reporter=talk.ann,
            reason=ReportReason.SPAM,
            text="why",
            reported_at=NOW,
        )
        await talk.log.report(report)
        await stores.accounts.erase(talk.ann)
        gone = replace(mine, author=None, text="", removed=True)
        left = replace(theirs, addressee=None)
        assert await talk.log.read(talk.match, after=0, limit=9) == [gone, left]
        assert await talk.log.posted(talk.ann, "k") is None
        assert await talk.log.for_player(talk.ann, after=0, limit=9) == []
        (kept,) = await talk.log.reports(before=None, limit=9)
        assert kept == replace(report, message=left, reporter=None, text="")
        datastore = Datastore(database, 1)
        traces = await datastore.execute("SELECT key, digest FROM chat_messages WHERE author IS NULL")
        assert traces == [{"key": "", "digest": ""}]
        with pytest.raises(Unauthenticated):
            await talk.says(talk.ann)
        with pytest.raises(Unauthenticated):
            await talk.log.report(replace(report, id=ReportId(written("report", new_uuid(NOW)))))
        whisper = await talk.says(talk.ben, room=SEAT, to=talk.ann, recipients=(talk.ann,))
        assert whisper.addressee is None
        datastore.close()


async def test_positions_are_in_the_order_of_commits(database: str) -> None:
    """Anyone who reads forward misses nothing, though many write, each over a connection of its own."""
    datastore = Datastore(database, 6)
    async with postgres_stores(database) as stores:
        talk = Talk(PostgresChatLog(datastore), await accounts(stores.players()))
        done = asyncio.Event()
        seen: list[StoredMessage] = []

        async def read() -> None:
            while True:
                last = done.is_set()
                position = seen[-1].position if seen else 0
                found = await talk.log.read(talk.match, after=position, limit=50)
                seen.extend(found)
                if last and not found:
                    return

        reading = asyncio.create_task(read())
        wide = Pace(10_000, timedelta(seconds=1))
        await asyncio.gather(
            *(
                talk.log.post(
                    message(talk.ann, str(number), match=talk.match),
                    key=str(number),
                    digest="",
                    recipients=(talk.ben,),
                    pace=wide,
                )
                for number in range(200)
            )
        )
        done.set()
        await reading
        assert len({one.id for one in seen}) == 200
        assert len(await talk.log.for_player(talk.ben, after=0, limit=999)) == 200
        datastore.close()


async def test_every_process_hears_of_a_message(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At once by its NOTIFY, with the match and its position."""
    monkeypatch.setattr(tails, "POLL", 1e6)
    heard: dict[MatchId, int] = {}
    news = asyncio.Event()

    def hear(match: MatchId, position: int) -> None:
        heard[match] = position
        news.set()

    async with postgres_stores(database) as stores:
        talk = Talk(stores.chat_log, await accounts(stores.players()))
        tail = Tail(database, Followed(hear, MESSAGES))
        await tail.start()
        for text in ("one", "two"):
            said = await talk.says(talk.ann, text)
            async with asyncio.timeout(5):
                while heard.get(talk.match) != said.position:
                    await news.wait()
                    news.clear()
        await tail.stop()
