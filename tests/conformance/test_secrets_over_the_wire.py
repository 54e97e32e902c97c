"""Two servers with twin matches tell a viewer the same, over REST and gRPC, byte for byte."""

import asyncio
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from random import Random
from typing import Any, NamedTuple

import pytest
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.message import Message
from msgspec.structs import replace

from adapters.grpc.generated.montane.v1.matches_pb2 import VersionConflict
from domain.games import GAMES
from domain.match import (
    AnyMatch,
    Resign,
    legal_moves,
    seen,
    submit,
    to_act,
    why_not,
)
from domain.shared.chance import Chance, decision_chance
from domain.shared.seats import Seat
from domain.shared.viewers import SPECTATOR, Viewer, seated
from services.matches.decisions import as_given
from services.matches.loaded import LoadedMatch, LoadedMatches
from services.matches.opening import Proposal
from services.shared.ids import MatchId
from tests.support.faces.faces import Face, Grpc, Rest, Said
from tests.support.faces.server import Server
from tests.support.games.commands import asked_for
from tests.support.games.matches import NOW
from tests.support.games.random_matches import Table, random_options, tables
from tests.support.games.scenarios import luck
from tests.support.stores.database import Databases, prepare_template
from tests.support.stores.use_cases import PostgresStores, lobby_of, postgres_stores

COMMANDS = 6
"""How many commands both matches are played on at the most."""
TRIED = 4
"""How many commands, legal or not, the viewer tries out before each of them."""

type Faces = tuple[Face, Face]
"""The same client of both servers."""


class Staged(NamedTuple):
    """A match that both servers have, each in its way.

    Attributes:
        id: The match's id.
        seed: Its secret, the same on both servers.
        tokens: The token of each seat's player.
        version: The version at which the matches part.
        matches: The true match at that version, and its twin.
    """

    id: MatchId
    seed: bytes
    tokens: tuple[str, ...]
    version: int
    matches: tuple[AnyMatch, AnyMatch]


class Twins(NamedTuple):
    """Two servers on databases of their own, and the matches that both have, by how the test is called."""

    servers: tuple[Server, Server]
    staged: dict[str, Staged]


CASES = {
    f"{table}-{viewer.kind}": (table, viewer)
    for table in tables(*GAMES.values())
    if table.seats in (table.game.min_seats, table.game.max_seats)
    for viewer in (SPECTATOR, seated(Seat(table.seats - 1)))
}


@pytest.fixture(scope="module")
def twins(postgres_server: str) -> Iterator[Twins]:
    """Stage all matches in one database, copy it, and let a snapshot say in each how they stand."""
    staged: dict[str, Staged] = {}

    def prepare(conninfo: str) -> None:
        prepare_template(conninfo)
        staged.update(asyncio.run(stage(conninfo)))

    databases = Databases(postgres_server, prepare)
    with ExitStack() as stack:
        stack.callback(databases.close)
        servers = []
        for number in range(2):
            conninfo = stack.enter_context(databases.fresh())
            asyncio.run(keep(conninfo, staged.values(), number))
            servers.append(stack.enter_context(Server("--database-url", conninfo)))
        yield Twins((servers[0], servers[1]), staged)


async def stage(conninfo: str) -> dict[str, Staged]:
    """Open a match for each case and play it some way."""
    async with postgres_stores(conninfo) as stores:
        return {name: await staged_match(stores, *case) for name, case in CASES.items()}


async def staged_match(stores: PostgresStores, table: Table, viewer: Viewer) -> Staged:
    """Open a match, seat a player on every seat, play some random moves, and make a twin for the viewer."""
    game, dice, node, accounts = table.game, Random(f"{table}/{viewer}"), stores.node(), stores.players()
    holders = [await accounts.open_guest(f"Player {seat}") for seat in range(table.seats)]
    wanted = Proposal(
        game=game.id,
        options=random_options(table, dice),
        seats=table.seats,
        seat=0,
    )
    _, listed = await node.openings.open(holders[0][0].id, wanted, None)
    for seat in range(1, table.seats):
        await lobby_of(node).take_seat(holders[seat][0].id, listed.id, seat, "", None)
    for _ in range(dice.randrange(20)):
        match = (await at_end(stores, listed.id)).match
        seat = dice.choice(to_act(game, match))
        move = dice.choice(legal_moves(game, match, seat))
        player = holders[seat][0].id
        await node.commands.submit(
            player, listed.id, as_given(move), key=None, expected_version=None, validate_only=False
        )
    live = await at_end(stores, listed.id)
    twin = replace(live.match, state=game.determinize(live.match.state, viewer, luck()))
    seed = (await stores.seeds.secrets(listed.id)).seed
    return Staged(listed.id, seed, tuple(token for _, token in holders), live.version, (live.match, twin))


async def at_end(stores: PostgresStores, id: MatchId) -> LoadedMatch:
    """Return a match as the store has it."""
    return await LoadedMatches(dict(GAMES), stores.store, 1, 1).at_version(id)


async def keep(conninfo: str, staged: Iterable[Staged], number: int) -> None:
    """Keep a snapshot of every true match, or of every twin: it is what a server loads first."""
    async with postgres_stores(conninfo) as stores:
        for one in staged:
            snapshot = (await at_end(stores, one.id)).snapshot()
            await stores.store.keep_snapshot(one.id, replace(snapshot, match=one.matches[number]))


@pytest.mark.parametrize("name", CASES)
def test_two_servers_with_twins_tell_the_same(twins: Twins, name: str) -> None:
    """All that a viewer hears of matches it cannot tell apart is the same but for times (common §5).

    Both are played on by the same commands, until the rules show the viewer something hidden.
    """
    (table, viewer), staged, dice = CASES[name], twins.staged[name], Random(name)
    with ExitStack() as stack:
        seats = [both(stack, twins.servers, token) for token in staged.tokens]
        eyes = both(stack, twins.servers, None) if viewer.seat is None else seats[viewer.seat]
        for seat, (faces, _) in enumerate(seats):
            tables = [table.game.view(match.state, seated(Seat(seat))) for match in staged.matches]
            first, second = (face.view(staged.id).content["table"] for face in faces)
            assert (first == second) is (tables[0] == tables[1])
        matches, version = staged.matches, staged.version
        for step in range(COMMANDS):
            for faces in eyes:
                look(faces, staged, viewer)
                try_out(faces, staged.id, table, viewer, matches[0], dice, f"tried {step}")
            if (move := common_move(table, matches, dice)) is None:
                break
            seat, command = move
            faces = dice.choice(seats[seat])
            answers = [face.command(staged.id, command, key=f"step {step}") for face in faces]
            assert all(answer.good for answer in answers)
            (events, true), (others, twin) = (
                submit(table.game, match, seat, command, chance_of(staged, table, version), NOW)
                for match in matches
            )
            shown, as_well = (
                [seen(table.game, event, viewer) for event in happened] for happened in (events, others)
            )
            if shown != as_well:
                break
            if seat == viewer.seat:
                assert timeless(answers[0]) == timeless(answers[1])
            matches, version = (true, twin), version + len(events)


def both(stack: ExitStack, servers: tuple[Server, Server], token: str | None) -> list[Faces]:
    """Return a player's clients of both servers, over REST and over gRPC; they are closed with the stack."""
    one, other = servers
    return [
        (
            stack.enter_context(closing(speaks(one, token))),
            stack.enter_context(closing(speaks(other, token))),
        )
        for speaks in (Rest, Grpc)
    ]


def look(faces: Faces, staged: Staged, viewer: Viewer) -> None:
    """Assert that a viewer reads the same from both servers."""
    told = [
        [
            face.match(staged.id),
            face.view(staged.id),
            face.view(staged.id, staged.version),
            face.events(staged.id, staged.version),
            face.stream(staged.id),
            face.stream(staged.id, staged.version),
            face.moves(staged.id),
            face.command(staged.id, Resign(), key="outdated", expected_version=staged.version - 1),
        ]
        for face in faces
    ]
    for one, other in zip(*told, strict=True):
        assert timeless(one) == timeless(other)
    assert [said.good for said in told[0]] == [True] * 6 + [viewer.seat is not None, False]


def try_out(
    faces: Faces, id: MatchId, table: Table, viewer: Viewer, match: AnyMatch, dice: Random, key: str
) -> None:
    """Assert that a viewer's commands would be accepted and are refused alike by both servers."""
    seat = Seat(0) if viewer.seat is None else viewer.seat
    moves = legal_moves(table.game, match, seat)
    commands = list(asked_for(table.game, match.state, seat, moves, dice, TRIED))
    for number, command in enumerate(dice.sample(commands, min(TRIED, len(commands)))):
        told = [face.command(id, command, key=f"{key}/{number}", validate_only=True) for face in faces]
        if not told[0].good:
            told += [face.command(id, command, key=f"{key}/{number}") for face in faces]
        assert len({timeless(said) for said in told}) == 1
        legal = viewer.seat is not None and why_not(table.game, match, seat, command, NOW) is None
        assert told[0].good is legal


def common_move(table: Table, matches: tuple[AnyMatch, AnyMatch], dice: Random) -> tuple[Seat, Any] | None:
    """Return a seat and a command of it that is legal in both matches, or None if there is none."""
    true, twin = matches
    moves = [
        (seat, move)
        for seat in to_act(table.game, true)
        for move in legal_moves(table.game, true, seat)
        if why_not(table.game, twin, seat, move, NOW) is None
    ]
    return dice.choice(moves) if moves else None


def chance_of(staged: Staged, table: Table, version: int) -> Chance:
    """Return the chance of the decision at a version, on either server."""
    return decision_chance(staged.seed, staged.id, [""] * table.seats, version)


HASH = re.compile(rb'"[\w-]{43}"')
HASHES = {"previous", "hash", "commitments"}


def timeless(said: Said) -> tuple[object, ...]:
    """Return an answer without the times of its events, and without hashes over what others may see."""
    parts = said.content if isinstance(said.content, tuple) else (said.content,)
    if not isinstance(parts[0], Message):
        return said.code, said.head, HASH.sub(b"null", re.sub(rb'"at":"[^"]*"', b'"at":null', said.body))
    for part in parts:
        clear_times(part)
    return said.code, said.head, *(part.SerializeToString(deterministic=True) for part in parts)


def clear_times(message: Message) -> None:
    """Empty times and hashes of a message and of those within it, what was missed at a conflict too."""
    conflict = VersionConflict()
    if isinstance(message, Packed) and message.Unpack(conflict):
        clear_times(conflict)
        message.Pack(conflict, deterministic=True)
        return
    for field, value in message.ListFields():
        if field.name == "at" or field.name in HASHES:
            message.ClearField(field.name)
        elif isinstance(value, Message):
            clear_times(value)
        elif field.is_repeated:
            for inner in value:
                if isinstance(inner, Message):
                    clear_times(inner)
