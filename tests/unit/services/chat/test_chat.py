"""Talk in a match, on stores in memory: who may read and write where, how fast, and what is done about it."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from domain.match import ChatMode, MatchStatus, PlayerId, Reason, Resign, Visibility
from domain.shared.rejections import Rejected
from services.chat import stream
from services.chat.chat import PACE, Chat
from services.chat.log import ChatMessage, ChatRoom, MessageId, Reader, ReportReason
from services.chat.rooms import ChatReason, reader_of
from services.chat.stream import (
    ChatCaughtUp,
    ChatEnd,
    ChatEndReason,
    ChatHeartbeat,
    ChatItem,
    ChatMessageItem,
    Listener,
)
from services.matches.decisions import as_given
from services.players.names import SeatedPlayer
from services.shared.errors import (
    Failure,
    Forbidden,
    KeyReused,
    Malformed,
    NotFound,
    RateLimited,
    Unavailable,
)
from services.shared.ids import MatchId
from services.streams import channels
from services.use_cases import Services
from tests.support.stores.use_cases import Stores, memory_stores, proposal

PLAYERS, SEAT, SPECTATORS = ChatRoom


class Table:
    """A match of Mountains for three, in which Ann, Ben and Cid sit; Dan looks on."""

    def __init__(self) -> None:
        """Make the use cases of one process."""
        self.stores: Stores = memory_stores()
        self.services: Services = self.stores.node()
        self.chat: Chat = self.services.chat

    async def prepare(self) -> None:
        """Open the accounts and the match."""
        players = self.stores.players()
        self.ann, self.ben, self.cid, self.dan = [
            (await players.open_guest(name))[0].id for name in ("Ann", "Ben", "Cid", "Dan")
        ]
        self.match = await self.opened(self.ann, self.ben, self.cid)

    async def opened(self, *seated: PlayerId, seats: int = 3, **changes: Any) -> MatchId:
        """Return a match that Ann opened, with these players at its first seats."""
        fields = {
            "game": "mountains",
            "options": self.services.catalogue.games["mountains"].options(),
            "seat": None,
        }
        _, listed = await self.services.openings.open(
            self.ann, proposal(**fields, seats=seats, **changes), None
        )
        for seat, player in enumerate(seated):
            await self.services.lobby.take_seat(player, listed.id, seat, "", None)
        return listed.id

    async def ends(self) -> None:
        """Let all but one give up, which ends the match."""
        for player in (self.ben, self.cid):
            await self.services.commands.submit(
                player, self.match, as_given(Resign()), key=None, expected_version=None, validate_only=False
            )

    async def says(
        self,
        player: PlayerId,
        text: str,
        room: ChatRoom = PLAYERS,
        to_seat: int | None = None,
        *,
        match: MatchId | None = None,
        key: str | None = None,
    ) -> ChatMessage:
        """Return the message that a player writes."""
        _, message = await self.chat.post(
            player, match or self.match, room=room, to_seat=to_seat, text=text, key=key
        )
        return message

    async def reads(
        self, player: PlayerId | None, room: ChatRoom | None = None, match: MatchId | None = None
    ) -> list[str]:
        """Return the texts that a player may read, page by page."""
        texts: list[str] = []
        token = None
        while True:
            page = await self.chat.page(
                match or self.match, player, room=room, after=None, token=token, size=2
            )
            texts += [message.text for message in page.items]
            if (token := page.next) is None:
                return texts

    async def listens(self, player: PlayerId | None, **asked: Any) -> Listener:
        """Return a stream of what a player may read."""
        return await self.chat.listen(self.match, player, **({"room": None, "after": None} | asked))


@pytest.fixture
async def table() -> Table:
    """A match that is being played."""
    table = Table()
    await table.prepare()
    return table


async def taken(listener: Listener, count: int) -> list[ChatItem]:
    """Return the next so many items."""
    items: list[ChatItem] = []
    while len(items) < count:
        async with asyncio.timeout(5):
            items += [told.item for told in await listener.next()]
    assert len(items) == count
    return items


def texts(items: list[ChatItem]) -> list[str]:
    """Return what the messages among the items say."""
    return [item.message.text for item in items if isinstance(item, ChatMessageItem)]


async def test_a_message_says_who_wrote_it_from_where(table: Table) -> None:
    """It has its writer and seat, its room, and an id of its own; spaces around the text are not kept."""
    first = await table.says(table.ben, "  I hold three stones ")
    second = await table.says(table.dan, "she does not", SPECTATORS)
    assert first == ChatMessage(
        id=first.id,
        match=table.match,
        room=PLAYERS,
        player=SeatedPlayer(table.ben, "Ben"),
        seat=first.seat,
        to_seat=None,
        text="I hold three stones",
        removed=False,
        sent_at=first.sent_at,
    )
    assert (first.seat, second.seat) == (1, None)
    assert first.id.startswith("message_")
    assert first.id < second.id


async def test_who_reads_which_room_during_play(table: Table) -> None:
    """Seats read `players`, two of them a whisper, and those who look on their own room and nothing else."""
    await table.says(table.ann, "to all seats")
    await table.says(table.ann, "to Ben", SEAT, 1)
    await table.says(table.cid, "to Ann", SEAT, 0)
    await table.says(table.dan, "advice", SPECTATORS)
    assert await table.reads(table.ann) == ["to all seats", "to Ben", "to Ann"]
    assert await table.reads(table.ben) == ["to all seats", "to Ben"]
    assert await table.reads(table.cid) == ["to all seats", "to Ann"]
    assert await table.reads(table.dan) == await table.reads(None) == ["advice"]
    assert await table.reads(table.ben, SEAT) == ["to Ben"]
    assert await table.reads(table.dan, SEAT) == []
    for player, room in ((table.ann, SPECTATORS), (table.dan, PLAYERS), (None, PLAYERS), (None, SEAT)):
        with pytest.raises(Forbidden, match="NOT_YOUR_ROOM"):
            await table.reads(player, room)


async def test_who_reads_which_room_after_the_end(table: Table) -> None:
    """The seats read what those who looked on have said; whispers and `players` stay where they were."""
    await table.says(table.ann, "to all seats")
    await table.says(table.ann, "to Ben", SEAT, 1)
    await table.says(table.dan, "advice", SPECTATORS)
    await table.ends()
    assert await table.reads(table.ann) == ["to all seats", "to Ben", "advice"]
    assert await table.reads(table.cid) == ["to all seats", "advice"]
    assert await table.reads(table.dan) == await table.reads(None) == ["advice"]
    assert (await table.says(table.cid, "well played", SPECTATORS)).seat == 2


async def test_a_cancelled_match_is_over_too(table: Table) -> None:
    """There is nothing to give away any more: the seats may read all but what is whispered among others."""
    live = await table.services.decisions.matches.at_version(table.match)
    live.match = replace(live.match, status=MatchStatus.CANCELLED)
    assert reader_of(live, table.ann, None) == Reader(table.ann, (PLAYERS, SEAT, SPECTATORS))


async def test_who_may_not_write(table: Table) -> None:
    """Only seats write to seats, and nobody at the table to those who look on before the match is over."""
    for player, room, to_seat, reason in (
        (table.dan, PLAYERS, None, "NOT_SEATED"),
        (table.dan, SEAT, 0, "NOT_SEATED"),
        (table.ann, SPECTATORS, None, "NOT_YOUR_ROOM"),
    ):
        with pytest.raises(Forbidden, match=reason):
            await table.says(player, "no", room, to_seat)
    assert await table.reads(table.ann) == await table.reads(table.dan) == []


async def test_a_whisper_goes_to_another_seat_that_is_held(table: Table) -> None:
    """A seat must be named, of this match, held by somebody else; and of a whisper only."""
    match = await table.opened(table.ann)
    for to_seat, reason in (
        (0, ChatReason.WHISPER_TO_SELF),
        (1, Reason.SEAT_FREE),
        (3, Reason.NO_SUCH_SEAT),
        (-1, Reason.NO_SUCH_SEAT),
    ):
        with pytest.raises(Rejected) as refused:
            await table.says(table.ann, "no", SEAT, to_seat, match=match)
        assert refused.value.reason is reason
    for room, to in ((SEAT, None), (PLAYERS, 1)):
        with pytest.raises(Malformed) as malformed:
            await table.says(table.ann, "no", room, to)
        assert malformed.value.details["field"] == "to_seat"


async def test_whoever_sits_down_stops_reading_advice(table: Table) -> None:
    """Before the start a seat may be taken: from then on what those who look on say is not for it."""
    match = await table.opened(table.ann)
    await table.says(table.dan, "hello", SPECTATORS, match=match)
    assert await table.reads(table.dan, match=match) == ["hello"]
    await table.services.lobby.take_seat(table.dan, match, 1, "", None)
    assert await table.reads(table.dan, match=match) == []
    with pytest.raises(Forbidden, match="NOT_YOUR_ROOM"):
        await table.says(table.dan, "and on", SPECTATORS, match=match)


async def test_a_message_of_a_room_that_one_may_not_read_is_not_there(table: Table) -> None:
    """As a place to begin behind, to report, or as a page's token it is like one that does not exist."""
    whisper = await table.says(table.ann, "to Ben", SEAT, 1)
    advice = await table.says(table.dan, "advice", SPECTATORS)
    unknown = MessageId("message_01j00000000000000000000000")
    for player, message in ((table.cid, whisper), (table.dan, whisper), (None, whisper), (table.cid, advice)):
        answers = [await refusals(table, player, id) for id in (message.id, unknown)]
        assert answers[0] == answers[1]
        assert [reason for reason, _ in answers[0]] == ["NO_SUCH_MESSAGE", "NO_SUCH_MESSAGE", "INVALID_FIELD"]
    with pytest.raises(NotFound, match="NO_SUCH_MESSAGE"):
        await table.chat.report(table.cid, table.match, whisper.id, ReportReason.SPAM, "")
    assert (await table.chat.reports(after=None, size=9)).items == ()


async def refusals(table: Table, player: PlayerId | None, id: MessageId) -> list[tuple[str, object]]:
    """Return how a message is refused in each place that takes one."""
    found: list[tuple[str, object]] = []
    for ask in (
        table.chat.page(table.match, player, room=None, after=id, token=None, size=9),
        table.chat.listen(table.match, player, room=None, after=id),
        table.chat.page(table.match, player, room=None, after=None, token=id, size=9),
    ):
        with pytest.raises(Failure) as refused:
            await ask
        details = {name: value for name, value in refused.value.details.items() if value != id}
        found.append((refused.value.reason, details))
    return found


async def test_pages_tell_nothing_of_what_is_left_out(table: Table) -> None:
    """They are as full as if nothing else had been said, and the last one has no token."""
    for number in range(3):
        await table.says(table.ann, f"to all {number}")
        await table.says(table.ann, f"to Ben {number}", SEAT, 1)
    page = await table.chat.page(table.match, table.cid, room=None, after=None, token=None, size=3)
    assert [message.text for message in page.items] == ["to all 0", "to all 1", "to all 2"]
    assert page.next is None


async def test_a_private_match_has_a_private_chat(table: Table) -> None:
    """To those who may not know of the match there is none, whatever they ask."""
    match = await table.opened(table.ann, visibility=Visibility.PRIVATE)
    message = await table.says(table.ann, "psst", match=match)
    for player in (table.dan, None):
        for ask in (
            table.chat.page(match, player, room=None, after=None, token=None, size=9),
            table.chat.listen(match, player, room=None, after=None),
            table.chat.report(table.dan, match, message.id, ReportReason.HATE, ""),
            table.chat.post(table.dan, match, room=SPECTATORS, to_seat=None, text="hi", key=None),
        ):
            with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
                await ask


async def test_a_private_chat_is_read_by_its_link(table: Table) -> None:
    """A viewer with the invitation reads as a spectator does, live too, and from any message on."""
    match = await table.opened(table.ann, visibility=Visibility.PRIVATE)
    await table.services.invitations.invite(table.ann, match, table.dan, None)
    shown = (await table.services.invitations.link(table.ann, match)).invitation
    await table.says(table.ann, "at the table", match=match)
    said = [await table.says(table.dan, "one", SPECTATORS, match=match)]
    for reader in (table.ben, None):
        page = await table.chat.page(
            match, reader, room=None, after=None, token=None, size=9, invitation=shown
        )
        assert list(page.items) == said
        listener = await table.chat.listen(match, reader, room=None, after=said[-1].id, invitation=shown)
        said.append(await table.says(table.dan, "more", SPECTATORS, match=match))
        assert texts(await taken(listener, 2)) == ["more"]
        listener.leave()
    with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
        await table.chat.listen(match, None, room=None, after=None, invitation=shown[1:])


async def test_a_match_without_chat(table: Table) -> None:
    """Neither written nor read, by anybody."""
    match = await table.opened(table.ann, table.ben, chat=ChatMode.OFF)
    for ask in (
        table.chat.page(match, table.ann, room=None, after=None, token=None, size=9),
        table.chat.listen(match, None, room=None, after=None),
        table.chat.post(table.ann, match, room=PLAYERS, to_seat=None, text="hi", key=None),
    ):
        with pytest.raises(Rejected) as refused:
            await ask
        assert refused.value.reason is ChatReason.CHAT_OFF


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\u3000",
        "x" * 501,
        "two\nlines",
        "a\x00b",
        "\x1b[31m",
        "\u202eevil",
        "a\u2066b",
        "\u200d",
        "\u200bx",
    ],
)
async def test_a_text_that_cannot_be_shown(table: Table, text: str) -> None:
    """Empty, long, of several lines, with control characters or such as turn the direction of the text."""
    with pytest.raises(Malformed) as refused:
        await table.says(table.ann, text)
    assert refused.value.details["field"] == "text"


@pytest.mark.parametrize(
    "text", ["x" * 500, "שלום", "👩\u200d🚀!", "mon\u00a0ami ?", "\u0645\u06cc\u200c\u062e\u0648"]
)
async def test_people_write_as_they_do(table: Table, text: str) -> None:
    """Scripts of both directions, joined emoji, and spaces that do not break are taken as they are."""
    assert (await table.says(table.ann, text)).text == text


async def test_a_key_gives_the_same_message(table: Table) -> None:
    """Sent twice it is written once, also if it could not be written any more; another text is refused."""
    match = await table.opened(table.ann)
    said = await table.says(table.dan, "hello", SPECTATORS, match=match, key="k")
    assert await table.says(table.dan, "hello", SPECTATORS, match=match, key="k") == said
    await table.services.lobby.take_seat(table.dan, match, 1, "", None)
    assert await table.says(table.dan, "hello", SPECTATORS, match=match, key="k") == said
    assert await table.reads(None, match=match) == ["hello"]
    for text, where in (("other", match), ("hello", table.match)):
        with pytest.raises(KeyReused):
            await table.says(table.dan, text, SPECTATORS, match=where, key="k")
    await table.says(table.cid, "mine", key="k")


async def test_whoever_writes_too_fast_is_told_when_to_come_again(table: Table) -> None:
    """So many at once in one match; a repeat is answered all the same, and nobody else is held up."""
    clock = table.stores.clock
    start = clock.now()
    for number in range(PACE.messages):
        await table.says(table.ann, str(number), key=str(number))
    with pytest.raises(RateLimited, match="CHAT_TOO_FAST") as refused:
        await table.says(table.ann, "more")
    passed = clock.now() - start
    assert timedelta(seconds=refused.value.retry_after) <= PACE.within - passed + timedelta(seconds=3)
    await table.says(table.ann, "0", key="0")
    await table.says(table.ben, "I may")
    await table.says(table.ann, "elsewhere", SPECTATORS, match=await table.opened(table.ben))
    while clock.now() - start < PACE.within:
        pass
    await table.says(table.ann, "more")


async def test_a_report_is_made_once(table: Table) -> None:
    """It holds who, when and why, with the message; the same again is the same, another one is refused."""
    said = await table.says(table.ben, "rude")
    report = await table.chat.report(table.ann, table.match, said.id, ReportReason.HARASSMENT, " rude ")
    assert (report.message, report.reporter) == (said, SeatedPlayer(table.ann, "Ann"))
    assert (report.reason, report.text) == (ReportReason.HARASSMENT, "rude")
    assert report.reported_at > said.sent_at
    again = await table.chat.report(table.ann, table.match, said.id, ReportReason.HARASSMENT, "rude")
    assert again == report
    with pytest.raises(Rejected) as refused:
        await table.chat.report(table.ann, table.match, said.id, ReportReason.SPAM, "rude")
    assert refused.value.reason is ChatReason.ALREADY_REPORTED
    other = await table.chat.report(table.cid, table.match, said.id, ReportReason.OTHER, "")
    page = await table.chat.reports(after=None, size=1)
    assert page.items == (other,)
    assert (await table.chat.reports(after=page.next, size=9)).items == (report,)
    with pytest.raises(Malformed):
        await table.chat.reports(after="report_x", size=9)


async def test_a_message_that_is_removed_keeps_its_place(table: Table) -> None:
    """Its text is gone for everybody, in reports too; the messages around it stay."""
    for text in ("one", "two", "three"):
        said = await table.says(table.ann, text, key=text)
        await table.chat.report(table.ben, table.match, said.id, ReportReason.SPAM, "")
    second = (await table.chat.page(table.match, table.ben, room=None, after=None, token=None, size=9)).items[
        1
    ]
    removed = await table.chat.remove(table.match, second.id)
    assert (removed.id, removed.text, removed.removed) == (second.id, "", True)
    assert await table.chat.remove(table.match, second.id) == removed
    assert await table.reads(table.ben) == ["one", "", "three"]
    assert await table.says(table.ann, "two", key="two") == removed
    reports = (await table.chat.reports(after=None, size=9)).items
    assert [report.message.text for report in reports] == ["three", "", "one"]
    for match, id in ((table.match, "message_x"), (await table.opened(table.ann), second.id)):
        with pytest.raises(NotFound, match="NO_SUCH_MESSAGE"):
            await table.chat.remove(match, id)


async def test_a_stream_begins_with_what_was_said_and_goes_on_live(table: Table) -> None:
    """All of it, the live edge, then each message as it is written; after a message if one is named."""
    first = await table.says(table.ann, "one")
    listener = await table.listens(table.ben)
    assert await taken(listener, 2) == [ChatMessageItem(first), ChatCaughtUp(first.id)]
    second = await table.says(table.cid, "two")
    assert await taken(listener, 1) == [ChatMessageItem(second)]
    behind = await table.listens(table.ben, after=first.id)
    assert await taken(behind, 2) == [ChatMessageItem(second), ChatCaughtUp(second.id)]
    listener.leave()
    behind.leave()


async def test_a_stream_gives_what_its_reader_may_read(table: Table) -> None:
    """The same as the list, live: nothing else, not even a sign that there is something."""
    streams = {
        player: await table.listens(player) for player in (table.ann, table.ben, table.cid, table.dan, None)
    }
    for listener in streams.values():
        assert await taken(listener, 1) == [ChatCaughtUp(None)]
    await table.says(table.ann, "to Ben", SEAT, 1)
    await table.says(table.dan, "advice", SPECTATORS)
    quiet = asyncio.create_task(streams[table.cid].next())
    for player, heard in (
        (table.ann, "to Ben"),
        (table.ben, "to Ben"),
        (table.dan, "advice"),
        (None, "advice"),
    ):
        assert texts(await taken(streams[player], 1)) == [heard]
    assert not quiet.done()
    await table.says(table.ann, "to all")
    assert [told.item.message.text for told in await quiet] == ["to all"]
    for listener in streams.values():
        listener.leave()


async def test_a_stream_opens_up_with_the_end_of_the_match(table: Table) -> None:
    """From the end on a seat hears those who look on; what they said before is in the list."""
    listener = await table.listens(table.ann)
    assert await taken(listener, 1) == [ChatCaughtUp(None)]
    await table.says(table.dan, "advice", SPECTATORS)
    await table.says(table.ben, "to all")
    assert texts(await taken(listener, 1)) == ["to all"]
    await table.ends()
    await table.says(table.dan, "well played", SPECTATORS)
    assert texts(await taken(listener, 1)) == ["well played"]
    assert await table.reads(table.ann) == ["advice", "to all", "well played"]
    listener.leave()


async def test_one_room_alone_can_be_listened_to(table: Table) -> None:
    """A stream of a room has that room only, and anyone who may not read it gets none."""
    listener = await table.listens(table.ben, room=SEAT)
    await table.says(table.ann, "to all")
    await table.says(table.ann, "to Ben", SEAT, 1)
    assert texts(await taken(listener, 2)) == ["to Ben"]
    listener.leave()
    with pytest.raises(Forbidden, match="NOT_YOUR_ROOM"):
        await table.listens(table.ben, room=SPECTATORS)


async def test_a_stream_follows_its_reader_to_the_table(table: Table) -> None:
    """Anyone who sits down hears no more advice, by no stream; a stream of that room alone ends for good."""
    match = table.match = await table.opened(table.ann)
    whole, advice = await table.listens(table.dan), await table.listens(table.dan, room=SPECTATORS)
    for listener in (whole, advice):
        assert await taken(listener, 1) == [ChatCaughtUp(None)]
    hello = await table.says(table.cid, "hello", SPECTATORS, match=match)
    for listener in (whole, advice):
        assert texts(await taken(listener, 1)) == ["hello"]
    await table.services.lobby.take_seat(table.dan, match, 1, "", None)
    await table.says(table.cid, "advice", SPECTATORS, match=match)
    assert await taken(advice, 1) == [ChatEnd(hello.id, ChatEndReason.NOT_YOURS_ANY_MORE, resumable=False)]
    assert advice.over
    await table.says(table.ann, "welcome", match=match)
    assert texts(await taken(whole, 1)) == ["welcome"]
    for listener in (whole, advice):
        listener.leave()


async def test_what_another_process_writes_is_read_when_it_is_heard_of(table: Table) -> None:
    """In order and once, also if it is heard of late, or after what was written here."""
    there = table.stores.node().chat
    listener = await table.listens(table.ben)
    assert await taken(listener, 1) == [ChatCaughtUp(None)]
    await there.post(table.ann, table.match, room=PLAYERS, to_seat=None, text="there", key=None)
    await table.says(table.ann, "here")
    assert texts(await taken(listener, 2)) == ["there", "here"]
    table.chat.channels.hear(table.match, 1)
    await there.post(table.ann, table.match, room=PLAYERS, to_seat=None, text="again", key=None)
    table.chat.channels.hear(table.match, 3)
    assert texts(await taken(listener, 1)) == ["again"]
    listener.leave()


async def test_a_long_chat_is_sent_in_parts(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """However much was said, all of it comes, in order, before the live edge."""
    monkeypatch.setattr(stream, "PAGE", 3)
    for number in range(8):
        await table.says(table.ann, str(number))
    listener = await table.listens(table.ben)
    *said, edge = await taken(listener, 9)
    assert texts(said) == list("01234567")
    assert isinstance(edge, ChatCaughtUp)
    listener.leave()


async def test_all_who_stand_at_one_place_are_given_the_same(table: Table) -> None:
    """A message is read and encoded once for all who listen live."""
    streams = [await table.listens(player) for player in (table.ann, table.ben, table.cid)]
    for listener in streams:
        await taken(listener, 1)
    await table.says(table.ann, "to all")
    told = [(await listener.next())[0] for listener in streams]
    assert told[0] is told[1] is told[2]
    for listener in streams:
        listener.leave()


async def test_a_quiet_stream_shows_that_it_is_alive(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a message there comes a heartbeat with the time."""
    monkeypatch.setattr(channels, "TICK", 0.01)
    listener = await table.listens(table.ann)
    edge, beat = await taken(listener, 2)
    assert isinstance(edge, ChatCaughtUp)
    assert isinstance(beat, ChatHeartbeat)
    listener.leave()


async def test_a_reader_that_takes_nothing_is_cut_off(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it was given must be sent in time; one that has left is not cut off."""
    monkeypatch.setattr(channels, "TICK", 0.01)
    cut: list[int] = []
    done = asyncio.Event()
    slow, gone = await table.listens(table.ann), await table.listens(table.ben)

    def cut_slow() -> None:
        cut.append(1)
        done.set()

    slow.cut_off, gone.cut_off = cut_slow, lambda: cut.append(2)
    await gone.next()
    gone.leave()
    await slow.next()
    async with asyncio.timeout(5):
        await done.wait()
    assert cut == [1]
    slow.leave()


async def test_a_nudge_wakes_a_reader(table: Table) -> None:
    """Nudged, `next` returns at once with nothing."""
    listener = await table.listens(table.ann)
    await taken(listener, 1)
    waiting = asyncio.create_task(listener.next())
    await asyncio.sleep(0)
    listener.nudge()
    assert await waiting == []
    listener.leave()


async def test_streams_end_when_the_server_stops_or_the_store_is_away(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are told, with where to go on; anyone who does not take it in is cut off."""
    said = await table.says(table.ann, "one")
    listener, stuck = await table.listens(table.ann), await table.listens(table.ben)
    await taken(listener, 2)
    cut: list[int] = []
    stuck.cut_off = lambda: cut.append(1)
    closing = asyncio.create_task(table.chat.channels.close(0.05))
    assert await taken(listener, 1) == [ChatEnd(said.id, ChatEndReason.SERVER_STOPPING, resumable=True)]
    listener.leave()
    await closing
    assert cut == [1]

    async def away(*_: object, **__: object) -> None:
        raise Unavailable

    other = table.stores.node().chat
    listener = await other.listen(table.match, table.ann, room=None, after=None)
    monkeypatch.setattr(table.stores.chat_log, "read", away)
    assert await taken(listener, 1) == [ChatEnd(None, ChatEndReason.STORE_UNAVAILABLE, resumable=True)]
    listener.leave()
    await other.channels.close(1)
