"""The use cases around a match, on stores in memory."""

import asyncio
from typing import Any

import pytest

from domain.games.montana.commands import MoveCard, Redeal
from domain.games.montana.rejections import Reason as MontanaReason
from domain.match import Disclosure, MatchStatus, MemoryAid, PlayerId, Reason, Resign, Visibility
from domain.shared.rejections import Rejected
from domain.shared.viewers import SPECTATOR, Viewer, ViewerKind
from services.matches.commands import Answer
from services.matches.decisions import as_given
from services.shared.errors import Conflict, Forbidden, KeyReused, Malformed, NotFound
from services.shared.ids import MatchId, match_id, new_uuid, parsed
from services.use_cases import Services
from tests.support.stores.use_cases import Stores, TickingClock, lobby_of, memory_stores, proposal

ANN, BEN = PlayerId("player_00000000000000000000000001"), PlayerId("player_00000000000000000000000002")
NINE = MoveCard("9H")
SEVEN = MoveCard("7C", 1, 3)


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


async def opened(node: Services, **changes: object) -> MatchId:
    """Return a match that Ann opened: of deal 1, at version 4."""
    _, listed = await node.openings.open(ANN, proposal(**changes), None)
    return listed.id


async def gives(
    node: Services,
    match: MatchId,
    command: object,
    key: str | None = None,
    expected: int | None = None,
    *,
    player: PlayerId = ANN,
    validate_only: bool = False,
) -> Answer:
    """Return the answer to a command."""
    return await node.commands.submit(
        player, match, as_given(command), key=key, expected_version=expected, validate_only=validate_only
    )


async def test_opening_seats_the_opener_and_starts_a_full_match(stores: Stores) -> None:
    """A match for one is being played as soon as its opener sits, and pins all it was opened on."""
    _, listed = await stores.node().openings.open(ANN, proposal(), None)
    assert listed.version == 4
    assert listed.match.status is MatchStatus.PLAYING
    assert (listed.match.terms.game, listed.match.terms.ruleset) == ("montana", "montana/1")
    assert listed.match.terms.seed_commitment.startswith("sha256:")
    names = [
        event.type
        for event in (
            await stores.node().queries.events(listed.id, ANN, after=0, size=9, looking_as=None)
        ).items
    ]
    assert names == ["match.opened", "match.seat_taken", "montana.dealt", "match.started"]


async def test_a_match_keeps_what_it_was_opened_on(stores: Stores) -> None:
    """Who may know of it, what is shown at the end, and the memory aid stay as they were chosen."""
    chosen = proposal(visibility=Visibility.PRIVATE, disclosure=Disclosure.NEVER, memory_aid=MemoryAid.OFF)
    _, listed = await stores.node().openings.open(ANN, chosen, None)
    terms = (await stores.node().queries.read(listed.id, ANN)).match.terms
    assert (terms.visibility, terms.disclosure) == (Visibility.PRIVATE, Disclosure.NEVER)
    assert terms.memory_aid is MemoryAid.OFF


async def test_a_match_waits_for_its_seats(stores: Stores) -> None:
    """Opened without a seat, a match is open until one is taken; no command is accepted before."""
    node = stores.node()
    match = await opened(node, seat=None)
    assert (await node.queries.view(match, ANN, version=None, looking_as=None)).table is None
    with pytest.raises(Forbidden, match="NOT_SEATED"):
        await gives(node, match, NINE)
    seated = await lobby_of(node).take_seat(BEN, match, 0, "luck", "k")
    assert seated[1].match.status is MatchStatus.PLAYING
    await gives(node, match, Resign(), player=BEN)
    assert await lobby_of(stores.node()).take_seat(BEN, match, 0, "luck", "k") == seated
    match = await opened(node, seat=None)
    await lobby_of(node).take_seat(BEN, match, 0, "luck", None)
    for player, seat, reason in ((ANN, 0, Reason.MATCH_STARTED), (ANN, 5, Reason.NO_SUCH_SEAT)):
        with pytest.raises(Rejected) as refused:
            await lobby_of(node).take_seat(player, match, seat, "", None)
        assert refused.value.reason is reason


async def test_the_same_key_opens_one_match(stores: Stores) -> None:
    """Opening again with the key, on any node and at the same moment, gives the match of the first time."""
    one, other = stores.node(), stores.node()
    answers = await asyncio.gather(*(node.openings.open(ANN, proposal(), "k") for node in (one, other, one)))
    assert len({listed.id for _, listed in answers}) == 1
    with pytest.raises(KeyReused):
        await one.openings.open(ANN, proposal(seat=None), "k")
    await gives(one, answers[0][1].id, NINE)
    for node in (one, other):
        assert await node.openings.open(ANN, proposal(), "k") == answers[0]
    _, bens = await one.openings.open(BEN, proposal(), "k")
    assert bens.id != answers[0][1].id


async def test_a_refused_opening_leaves_nothing(stores: Stores) -> None:
    """What cannot be opened is refused before anything is recorded, so that the key stays free."""
    node = stores.node()
    for changes, reason in (({"seats": 2}, Reason.SEATS_OUT_OF_RANGE), ({"seat": 1}, Reason.NO_SUCH_SEAT)):
        with pytest.raises(Rejected) as refused:
            await node.openings.open(ANN, proposal(**changes), "k")
        assert refused.value.reason is reason
    with pytest.raises(NotFound, match="NO_SUCH_GAME"):
        await node.openings.open(ANN, proposal(game="chess"), "k")
    with pytest.raises(Malformed):
        await node.openings.open(ANN, proposal(entropy="x" * 257), "k")
    await node.openings.open(ANN, proposal(), "k")


async def test_a_command_answers_with_what_happened(stores: Stores) -> None:
    """The answer holds the new version, its events and the view at it."""
    node = stores.node()
    answer = await gives(node, await opened(node), NINE, expected=4)
    assert answer.version == answer.view.version == 5
    assert [event.type for event in answer.events] == ["montana.card_moved"]
    assert answer.view.to_act == (0,)
    assert MoveCard("7C", 1, 3) in answer.view.legal_moves


async def test_a_repeat_gives_the_same_answer_on_any_node(stores: Stores) -> None:
    """Same key and command: the same answer, once in the log, also later, elsewhere, and after a crash."""
    node = stores.node()
    match = await opened(node)
    first = await gives(node, match, NINE, "k", 4)
    await gives(node, match, SEVEN)
    for other in (node, stores.node(), stores.node(snapshot_every=1)):
        assert await gives(other, match, NINE, "k", 4) == first
    assert (await node.queries.read(match, ANN)).version == 6
    for command, expected in ((SEVEN, 4), (NINE, None), (NINE, 5)):
        with pytest.raises(KeyReused):
            await gives(node, match, command, "k", expected)


async def test_a_key_tells_nothing_to_others(stores: Stores) -> None:
    """Anyone who tries a seat with its holder's key is answered as with any other key (common §5)."""
    node = stores.node()
    match = await opened(node, seat=None)
    await lobby_of(node).take_seat(ANN, match, 0, "", "sat")
    await gives(node, match, NINE, "moved")
    for key in ("sat", "moved", "other"):
        with pytest.raises(Rejected) as refused:
            await lobby_of(node).take_seat(BEN, match, 0, "", key)
        assert refused.value.reason is Reason.MATCH_STARTED


async def test_a_conflict_carries_what_was_missed(stores: Stores) -> None:
    """A command for another version is refused with the events after that version."""
    one, other = stores.node(), stores.node()
    match = await opened(one)
    await gives(one, match, NINE)
    with pytest.raises(Conflict) as conflict:
        await gives(other, match, NINE, expected=4)
    assert conflict.value.details["version"] == 5
    assert [event.version for event in conflict.value.details["events"]] == [5]  # type: ignore[attr-defined]
    assert conflict.value.details["truncated"] is False
    with pytest.raises(Conflict):
        await gives(one, match, NINE, expected=6)


async def test_a_conflict_carries_so_many_events_and_no_more(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many missed events the first are told, and that there are more."""
    monkeypatch.setattr("services.matches.decisions.MISSED_EVENTS", 3)
    node = stores.node()
    match = await opened(node)
    for expected, told, truncated in ((0, [1, 2, 3], True), (1, [2, 3, 4], False), (9, [], False)):
        with pytest.raises(Conflict) as conflict:
            await gives(node, match, NINE, expected=expected)
        details: dict[str, Any] = conflict.value.details
        assert ([event.version for event in details["events"]], details["truncated"]) == (told, truncated)


async def test_nodes_see_what_others_wrote(stores: Stores) -> None:
    """A node that remembers a match decides, refuses and shows by what the store has now."""
    one, other = stores.node(), stores.node()
    match = await opened(one)
    await other.queries.read(match, ANN)
    await gives(one, match, NINE)
    assert (await gives(other, match, SEVEN, expected=5)).version == 6
    assert (await one.queries.view(match, ANN, version=None, looking_as=None)).version == 6
    await gives(one, match, Resign())
    with pytest.raises(Rejected) as refused:
        await gives(other, match, Resign())
    assert refused.value.reason is Reason.MATCH_OVER


async def test_commands_at_the_same_moment_keep_the_order(stores: Stores) -> None:
    """Many callers on two nodes: every acknowledged command has versions of its own, without a gap."""
    nodes = [stores.node(), stores.node()]
    match = await opened(nodes[0], options=proposal().options)

    async def play(number: int) -> int:
        for _ in range(20):
            now = await nodes[number % 2].queries.view(match, ANN, version=None, looking_as=None)
            try:
                return (
                    await gives(nodes[number % 2], match, now.legal_moves[0], expected=now.version)
                ).version
            except Conflict:
                continue
        raise AssertionError("no turn came")

    versions = await asyncio.gather(*(play(number) for number in range(8)))
    assert sorted(versions) == list(range(5, 13))


async def test_validating_changes_nothing(stores: Stores) -> None:
    """`validate_only` accepts and refuses as the command itself would, and leaves the match as it is."""
    node = stores.node()
    match = await opened(node)
    answer = await gives(node, match, NINE, "k", 4, validate_only=True)
    assert (answer.version, answer.events) == (4, ())
    for validate_only in (True, False):
        with pytest.raises(Rejected) as refused:
            await gives(node, match, Redeal(), validate_only=validate_only)
        assert (refused.value.reason, refused.value.details) == (MontanaReason.NOT_STUCK, {"seat": 0})
    with pytest.raises(Conflict):
        await gives(node, match, NINE, None, 3, validate_only=True)
    assert (await node.queries.read(match, ANN)).version == 4


async def test_only_the_seat_may_act_and_only_in_its_game(stores: Stores) -> None:
    """Others are told that they have no seat; a value that is no command of the game is malformed."""
    node = stores.node()
    match = await opened(node)
    with pytest.raises(Forbidden, match="NOT_SEATED"):
        await gives(node, match, NINE, player=BEN)
    with pytest.raises(Forbidden, match="NOT_SEATED"):
        await node.queries.legal_moves(match, BEN)
    with pytest.raises(Malformed):
        await gives(node, match, "move")


async def test_a_private_match_is_unknown_to_others(stores: Stores) -> None:
    """To others a private match answers just as one that does not exist."""
    node = stores.node()
    match = await opened(node, visibility=Visibility.PRIVATE)
    nowhere = match_id(new_uuid(TickingClock().now()))
    for player in (BEN, None):
        for unknown in (match, nowhere):
            with pytest.raises(NotFound, match="NO_SUCH_MATCH") as missing:
                await node.queries.view(unknown, player, version=None, looking_as=None)
            assert missing.value.details == {"match": unknown}
            with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
                await node.queries.events(unknown, player, after=0, size=5, looking_as=None)
            with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
                await node.queries.read(unknown, player)
    with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
        await gives(node, match, NINE, player=BEN)
    with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
        await lobby_of(node).take_seat(BEN, match, 0, "", None)
    assert (await node.queries.read(match, ANN)).id == match


async def test_who_may_look_from_where(stores: Stores) -> None:
    """Own seat by default, a spectator always, another seat or all only after the end and if disclosed."""
    node = stores.node()
    for disclosure, seen_after in ((Disclosure.AT_END, True), (Disclosure.NEVER, False)):
        match = await opened(node, disclosure=disclosure)

        async def viewer(player: PlayerId | None, looking_as: str | None, match: MatchId = match) -> Viewer:
            return (await node.queries.view(match, player, version=None, looking_as=looking_as)).viewer

        assert await viewer(ANN, None) == await viewer(ANN, "0") == Viewer(ViewerKind.SEAT, 0)  # type: ignore[arg-type]
        assert await viewer(BEN, None) == await viewer(ANN, "spectator") == SPECTATOR
        for player, looking_as in ((BEN, "0"), (None, "all"), (ANN, "all")):
            with pytest.raises(Forbidden, match="NOT_YOUR_VIEW"):
                await viewer(player, looking_as)
        for wrong in ("1", "-1", "me", "", "٣"):
            with pytest.raises(Malformed):
                await viewer(ANN, wrong)
        await gives(node, match, Resign())
        if seen_after:
            assert (await viewer(None, "all")).kind is ViewerKind.ALL
            assert await viewer(BEN, "0") == Viewer(ViewerKind.SEAT, 0)  # type: ignore[arg-type]
        else:
            with pytest.raises(Forbidden, match="NOT_YOUR_VIEW"):
                await viewer(BEN, "all")


async def test_looking_back(stores: Stores) -> None:
    """A view at a version is the view that was served then; versions that do not exist are not found."""
    node = stores.node(snapshot_every=2)
    match = await opened(node)
    then = (await node.queries.view(match, ANN, version=None, looking_as=None)).table
    for _ in range(6):
        now = await node.queries.view(match, ANN, version=None, looking_as=None)
        await gives(node, match, now.legal_moves[0])
    await node.drain()
    assert (await node.queries.view(match, ANN, version=4, looking_as=None)).table == then
    assert (await stores.node().queries.view(match, ANN, version=9, looking_as=None)).version == 9
    for version in (0, -1, 11):
        with pytest.raises(NotFound, match="NO_SUCH_VERSION"):
            await node.queries.view(match, ANN, version=version, looking_as=None)


async def test_snapshots_are_taken_and_used(stores: Stores) -> None:
    """Every so many events a snapshot is kept, and a node that loads it knows all that others do."""
    node = stores.node(snapshot_every=3)
    match = await opened(node)
    first = await gives(node, match, NINE, "k")
    for _ in range(5):
        now = await node.queries.view(match, ANN, version=None, looking_as=None)
        await gives(node, match, now.legal_moves[0])
    await node.drain()
    snapshot = await stores.store.snapshot(match)
    assert snapshot is not None
    assert snapshot.version == 8
    late = stores.node()
    assert await gives(late, match, NINE, "k") == first
    assert (await late.queries.view(match, ANN, version=None, looking_as=None)).version == 10


async def test_memory_is_bounded(stores: Stores) -> None:
    """However few matches are remembered, all can be played."""
    node = stores.node(remembered=1)
    matches = [await opened(node) for _ in range(3)]
    for match in matches * 2:
        now = await node.queries.view(match, ANN, version=None, looking_as=None)
        await gives(node, match, now.legal_moves[0], expected=now.version)
    assert [(await node.queries.read(match, ANN)).version for match in matches] == [6, 6, 6]


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb", "ä"])
async def test_a_key_is_printable_and_short(stores: Stores, key: str) -> None:
    """A key that cannot be one is malformed."""
    with pytest.raises(Malformed, match="INVALID_IDEMPOTENCY_KEY"):
        await stores.node().openings.open(ANN, proposal(), key)


async def test_a_key_is_made_for_those_who_bring_none(stores: Stores) -> None:
    """Without a key the server makes one, tells it, and recognises it."""
    node = stores.node()
    used, listed = await node.openings.open(ANN, proposal(), None)
    assert used
    assert (await node.openings.open(ANN, proposal(), used))[1].id == listed.id
    answer = await gives(node, listed.id, NINE)
    assert await gives(node, listed.id, NINE, answer.key) == answer


async def test_the_seed_is_told_to_nobody(stores: Stores) -> None:
    """Neither events nor views nor the match hold the seed while it is a secret (API, Proof)."""
    node = stores.node()
    match = await opened(node, options=proposal().options)
    secrets = await stores.seeds.secrets(match)
    shown = repr(
        [
            await node.queries.read(match, ANN),
            await node.queries.view(match, ANN, version=None, looking_as=None),
            await node.queries.events(match, ANN, after=0, size=10, looking_as=None),
            await stores.store.read(match),
        ]
    )
    for secret in (secrets.seed, secrets.invitation):
        assert secret.hex() not in shown
        assert repr(secret) not in shown


def test_ids_sort_by_age_and_are_read_back() -> None:
    """Ids are a prefix and 26 digits, rise with time, and name their UUID."""
    clock = TickingClock()
    numbers = [new_uuid(clock.now()) for _ in range(20)]
    texts = [match_id(number) for number in numbers]
    assert texts == sorted(texts)
    assert [parsed("match", text) for text in texts] == numbers
    assert all(number.version == 7 and number.variant == "specified in RFC 4122" for number in numbers)
    assert parsed("player", texts[0]) is None
