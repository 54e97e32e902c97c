"""What if: branches of matches, on stores in memory."""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from adapters.keys.signing import Ed25519Signatures
from domain.games import GAMES
from domain.match import (
    BranchOf,
    ChatMode,
    Disclosure,
    HolderKind,
    MatchStatus,
    PlayerId,
    Reason,
    Resign,
    Visibility,
)
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import SPECTATOR, ViewerKind, seated
from services.lobby.match_list import MatchFilter
from services.matches.access import viewer_of
from services.matches.decisions import as_given, digest_of
from services.matches.loaded import LoadedMatch
from services.matches.store import ClaimedOpening, MatchWithoutState
from services.proof.bundle_audit import Check, verify
from services.proof.stored_audit import MatchAudit, Rules
from services.shared.errors import Forbidden, KeyReused, Malformed, NotFound
from services.shared.ids import MatchId, parsed
from services.use_cases import Services
from tests.support.stores.lobby import ANN, BEN, CAM, match_of, opened, sits
from tests.support.stores.use_cases import Stores, memory_stores, proposal

SIGNATURES = Ed25519Signatures()


@pytest.fixture
def stores() -> Stores:
    """Stores in memory."""
    return memory_stores()


@pytest.fixture
def node(stores: Stores) -> Services:
    """The use cases of one process."""
    return stores.node()


async def gives(node: Services, player: PlayerId, id: MatchId, command: Any, seat: int | None = None) -> int:
    """Give a command and return which seat gave it."""
    answer = await node.commands.submit(
        player, id, as_given(command), key=None, expected_version=None, validate_only=False, seat=seat
    )
    assert answer.viewer.seat is not None
    return answer.viewer.seat


async def goes_on(node: Services, id: MatchId, players: Iterable[PlayerId], moves: int = 1) -> None:
    """Let anyone who is to act make its first legal move, so many times."""
    by_seat = list(players)
    for _ in range(moves):
        match = await match_of(node, id)
        (seat, *_) = GAMES[match.terms.game].to_act(match.state)
        view = await node.queries.view(id, by_seat[seat], version=None, looking_as=str(seat))
        await gives(node, by_seat[seat], id, view.legal_moves[0])


async def played(node: Services, **changes: Any) -> MatchId:
    """Return a match of Mountains that Ann and Ben have begun."""
    id = await opened(node, 2, **changes)
    link = await node.invitations.link(ANN, id)
    await node.lobby.take_seat(BEN, id, 1, "", None, invitation=link.invitation)
    await goes_on(node, id, (ANN, BEN), 5)
    return id


async def branch(
    node: Services,
    player: PlayerId,
    id: MatchId,
    looking_as: str | None = None,
    version: int | None = None,
    key: str | None = None,
) -> MatchWithoutState:
    """Return a branch off a match, as it is or was."""
    at = (await live(node, id)).version if version is None else version
    _, listed = await node.branches.branch(player, id, at, looking_as, key)
    return listed


async def live(node: Services, id: MatchId) -> LoadedMatch:
    """Return a match as the store has it."""
    return await node.decisions.matches.current(id)


async def table(
    node: Services, player: PlayerId, id: MatchId, looking_as: str, version: int | None = None
) -> Any:
    """Return the table as a player sees it from somewhere."""
    return (await node.queries.view(id, player, version=version, looking_as=looking_as)).table


async def test_a_branch_is_a_match_of_its_players_own(node: Services) -> None:
    """Private, unrated, without chat; it says where it branches off, and nobody else may know of it."""
    id = await played(node)
    version = (await live(node, id)).version
    listed = await branch(node, BEN, id)
    terms = listed.match.terms
    assert listed.id != id
    assert terms.branch_of == BranchOf(id, version, ViewerKind.SEAT, Seat(1))
    assert (terms.opener, terms.visibility, terms.chat, terms.rated) == (
        BEN,
        Visibility.PRIVATE,
        ChatMode.OFF,
        False,
    )
    assert (listed.match.status, listed.version) == (MatchStatus.PLAYING, 2)
    assert {held.player for held in listed.match.holders if held is not None} == {BEN}
    assert terms.seed_commitment != (await match_of(node, id)).terms.seed_commitment
    for player in (ANN, CAM, None):
        with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
            await node.queries.read(listed.id, player)
        page = await node.match_list.page(player, MatchFilter(), after=None, size=9)
        assert [one.id for one in page.items] == [id]


async def test_it_counts_for_nothing(node: Services, stores: Stores) -> None:
    """No statistics, no turn that is waited for, nothing in the player's feed; its player finds it listed."""
    id = await played(node)
    before = await node.player_feed.page(ANN, after=None, token=None, size=99)
    made = await branch(node, ANN, id)
    assert await node.player_feed.page(ANN, after=None, token=None, size=99) == before
    mine = await node.match_list.page(ANN, MatchFilter(), after=None, size=9)
    assert [one.id for one in mine.items] == [made.id, id]
    assert mine.items[0].match.terms.is_branch
    waiting = [
        await node.match_list.page(player, MatchFilter(my_turn=True), after=None, size=9)
        for player in (ANN, BEN)
    ]
    assert {one.id for page in waiting for one in page.items} == {id}
    await gives(node, ANN, made.id, Resign())
    assert await node.player_feed.page(ANN, after=None, token=None, size=99) == before
    assert await stores.records.statistics(ANN) == []
    await gives(node, ANN, id, Resign())
    assert [one.played for one in await stores.records.statistics(ANN)] == [1]


async def test_its_player_plays_all_sides(node: Services) -> None:
    """A command is that of the lowest seat that is to act, or of the one that is named, to the end."""
    id = (await branch(node, ANN, await played(node))).id
    seats: set[int] = set()
    while (await match_of(node, id)).status is MatchStatus.PLAYING:
        moves = await node.queries.legal_moves(id, ANN)
        for waiting in {Seat(0), Seat(1)} - set(moves.to_act):
            with pytest.raises(Rejected, match=Reason.SEAT_NOT_TO_ACT):
                await gives(node, ANN, id, moves.legal_moves[0], waiting)
        assert moves.viewer == seated(moves.to_act[0])
        named = moves.viewer.seat if len(seats) % 2 else None
        seat = await gives(node, ANN, id, moves.legal_moves[0], named)
        assert seat == moves.viewer.seat
        seats.add(seat)
    assert seats == {0, 1}
    with pytest.raises(Rejected, match=Reason.MATCH_OVER):
        await gives(node, ANN, id, Resign())


async def test_a_seat_that_is_named_must_be_ones_own(node: Services) -> None:
    """In any match; one that does not exist is refused as such."""
    id = await played(node)
    for match in (id, (await branch(node, ANN, id)).id):
        with pytest.raises(Rejected, match=Reason.NO_SUCH_SEAT):
            await gives(node, ANN, match, Resign(), 2)
    with pytest.raises(Forbidden, match="NOT_YOUR_SEAT"):
        await gives(node, ANN, id, Resign(), 1)
    assert await gives(node, ANN, id, Resign(), 0) == 0


async def test_its_player_may_look_from_anywhere(node: Services) -> None:
    """By default from where it looked at the other match; at everything, as what was hidden is made up."""
    id = await played(node)
    for looking_as, viewer in (("1", seated(Seat(1))), ("spectator", SPECTATOR), (None, seated(Seat(1)))):
        made = await branch(node, BEN, id, looking_as)
        current = await live(node, made.id)
        assert viewer_of(current, BEN, None) == viewer
        for anywhere in ("0", "1", "spectator", "all"):
            shown = await node.queries.view(made.id, BEN, version=None, looking_as=anywhere)
            assert (shown.viewer.seat is None) is (anywhere in ("spectator", "all"))
            events = await node.queries.events(made.id, BEN, after=0, size=9, looking_as=anywhere)
            assert events.items[-1].payload.table == shown.table
    with pytest.raises(Malformed):
        await node.queries.view(made.id, BEN, version=None, looking_as="2")


async def test_what_its_player_cannot_know_is_drawn_anew(node: Services) -> None:
    """From its seat a branch looks like the match; the rest differs from that, and from branch to branch."""
    id = await played(node)
    at = (await live(node, id)).version
    true = await match_of(node, id)
    await goes_on(node, id, (ANN, BEN), 4)
    branches = [await branch(node, ANN, id, version=at) for _ in range(4)]
    for made in branches:
        assert await table(node, ANN, made.id, "0") == await table(node, ANN, id, "0", at)
    tables = [made.match.state for made in branches] + [true.state]
    assert len({msgspec.json.encode(state) for state in tables}) == len(tables)


async def test_the_true_table_is_for_those_who_may_see_all(node: Services) -> None:
    """Once the match is over and discloses it; by default then, and not before."""
    id = await played(node)
    at = (await live(node, id)).version
    true = await match_of(node, id)
    for player, looking_as in ((ANN, "all"), (ANN, "1"), (CAM, "0")):
        with pytest.raises(Forbidden, match="NOT_YOUR_VIEW"):
            await branch(node, player, id, looking_as)
    await gives(node, BEN, id, Resign())
    for player in (ANN, CAM):
        made = await branch(node, player, id, version=at)
        assert made.match.state == true.state
        assert made.match.terms.branch_of == BranchOf(id, at, ViewerKind.ALL, None)
    assert (await branch(node, ANN, id, "0", at)).match.state != true.state
    kept = await played(node, disclosure=Disclosure.NEVER)
    at = (await live(node, kept)).version
    await gives(node, BEN, kept, Resign())
    with pytest.raises(Forbidden, match="NOT_YOUR_VIEW"):
        await branch(node, ANN, kept, "all", at)
    made = await branch(node, ANN, kept, version=at)
    assert made.match.terms.branch_of == BranchOf(kept, at, ViewerKind.SEAT, Seat(0))


async def test_a_version_at_which_the_match_was_played(node: Services) -> None:
    """Others are refused; one in the midst of a command stands for where somebody was to choose next."""
    id = await played(node)
    current = await live(node, id)
    begun = max(done.last for done in current.done.values() if done.first <= 3)
    for version in (0, -1, current.version + 1):
        with pytest.raises(NotFound, match="NO_SUCH_VERSION"):
            await branch(node, ANN, id, version=version)
    for version in (1, begun - 1):
        with pytest.raises(Rejected, match=Reason.MATCH_NOT_PLAYED):
            await branch(node, ANN, id, version=version)
    before = current.version
    await gives(node, BEN, id, Resign())
    after = await live(node, id)
    assert after.version == before + 2
    ends = [done.last for done in after.done.values() if begun <= done.last <= before]
    for version in range(begun, before + 2):
        made = await branch(node, ANN, id, "0", version)
        assert made.match.terms.branch_of is not None
        expected = min((end for end in ends if end >= version), default=before)
        assert made.match.terms.branch_of.version == expected
    with pytest.raises(Rejected, match=Reason.MATCH_NOT_PLAYED):
        await branch(node, ANN, id, version=before + 2)


async def test_a_private_match_is_branched_by_those_who_may_know_of_it(node: Services) -> None:
    """To others there is none; anyone who shows its link looks as a spectator."""
    id = await played(node, visibility=Visibility.PRIVATE)
    with pytest.raises(NotFound, match="NO_SUCH_MATCH"):
        await branch(node, CAM, id)
    link = await node.invitations.link(ANN, id)
    at = (await live(node, id)).version
    _, made = await node.branches.branch(CAM, id, at, None, None, invitation=link.invitation)
    assert made.match.terms.branch_of == BranchOf(id, at, ViewerKind.SPECTATOR, None)


async def test_the_same_key_gives_the_same_branch(stores: Stores, node: Services) -> None:
    """Also at once, on another node, and when both have gone on; with another request it is refused."""
    id = await played(node)
    nodes = (node, stores.node(), stores.node())
    made = await asyncio.gather(*(branch(one, ANN, id, "0", key="k") for one in nodes))
    assert len({one.id for one in made}) == 1
    at = (await live(node, id)).version
    await gives(node, ANN, made[0].id, Resign())
    await goes_on(node, id, (ANN, BEN))
    again = await branch(stores.node(), ANN, id, "0", at, "k")
    assert (again.id, again.version, again.match) == (made[0].id, 2, made[0].match)
    for looking_as, version in (("spectator", at), ("0", at - 1)):
        with pytest.raises(KeyReused):
            await branch(node, ANN, id, looking_as, version, "k")
    assert (await branch(node, BEN, id, "1", at, "k")).id != made[0].id


async def test_nobody_else_comes_in(node: Services) -> None:
    """A branch has no link, no invitations, no chat, no rematch; leaving a seat gives that one up."""
    id = (await branch(node, ANN, await played(node))).id
    with pytest.raises(Rejected, match=Reason.IS_BRANCH):
        await node.invitations.link(ANN, id)
    with pytest.raises(Rejected, match=Reason.MATCH_STARTED):
        await node.lobby.take_seat(ANN, id, 0, "", None)
    await node.lobby.leave_seat(ANN, id, 1, None)
    over = await match_of(node, id)
    assert over.outcome is not None
    assert (over.resigned, over.outcome.winners) == ((1,), (0,))
    with pytest.raises(Rejected, match=Reason.IS_BRANCH):
        await node.rematches.rematch(ANN, id, "", None)


async def test_seats_that_had_given_up_have_still(node: Services) -> None:
    """They make their default moves in the branch, and are out of the ranking (common §6)."""
    id = await opened(node, 3)
    for seat, player in ((1, BEN), (2, CAM)):
        await sits(node, player, id, seat)
    await gives(node, BEN, id, Resign())
    made = await branch(node, CAM, id)
    assert made.match.resigned == (1,)
    with pytest.raises(Rejected, match=Reason.ALREADY_RESIGNED):
        await gives(node, CAM, made.id, Resign(), 1)
    await gives(node, CAM, made.id, Resign(), 0)
    over = await match_of(node, made.id)
    assert over.outcome is not None
    assert over.outcome.winners == (2,)


async def test_a_branch_of_a_branch(node: Services) -> None:
    """Goes on from the branch, and may do so from all of it: it tells no more of the match."""
    first = await branch(node, ANN, await played(node))
    await goes_on(node, first.id, (ANN, ANN), 3)
    now = await live(node, first.id)
    second = await branch(node, ANN, first.id, "all")
    assert second.match.terms.branch_of == BranchOf(first.id, now.version, ViewerKind.ALL, None)
    assert second.match.state == now.match.state
    assert (await branch(node, ANN, first.id)).match.terms.branch_of == BranchOf(
        first.id, now.version, ViewerKind.SEAT, Seat(0)
    )


@pytest.mark.parametrize("game", GAMES)
async def test_a_branch_of_every_game_is_told_again(stores: Stores, node: Services, game: str) -> None:
    """From its own seed alone, stored or exported (API "Proof"); its head is not signed; it is kept whole."""
    kind = GAMES[game]
    players = (ANN, BEN)[: kind.min_seats]
    _, listed = await node.openings.open(
        ANN, proposal(game=game, options=kind.options(), seats=len(players)), None
    )
    for seat, player in list(enumerate(players))[1:]:
        await sits(node, player, listed.id, seat)
    await goes_on(node, listed.id, players, 3)
    at = (await live(node, listed.id)).version
    _, made = await node.branches.branch(ANN, listed.id, at, None, None, kind=HolderKind.BOT)
    assert all(held is not None and held.kind is HolderKind.BOT for held in made.match.holders)
    await goes_on(node, made.id, [ANN] * len(players), 5)
    for seat in seats_in_order(max(1, len(players) - 1)):
        await gives(node, ANN, made.id, Resign(), seat)
    digest = digest_of(["branch", listed.id, at, None])
    number = parsed("match", made.id)
    assert number is not None
    audit = MatchAudit(
        Rules(dict(GAMES)), made.id, ClaimedOpening(number, await stores.seeds.secrets(made.id), digest)
    )
    for recorded in await stores.store.read(made.id):
        audit.take(recorded)
    audit.end(await stores.heads.signed(made.id), SIGNATURES, due=True)
    assert [final.head.match for final in (await stores.heads.unsigned(9)).items] == []
    for looking_as in ("0", "spectator", "all"):
        export = await node.proofs.export(made.id, ANN, looking_as=looking_as)
        lines = [line async for part in export.parts for line in part]
        passed = {one.check: one.count for one in verify(lines, dict(GAMES), SIGNATURES)}
        assert passed[Check.OUTCOME] == (1 if looking_as == "all" else None)
        assert passed[Check.SIGNATURE] is None
    await node.decisions.store.keep_snapshot(made.id, (await live(node, made.id)).snapshot())
    kept = await stores.store.snapshot(made.id)
    assert kept is not None
    assert kept.match == (await match_of(node, made.id))
