"""Whole random matches of every game, by all its seats and an onlooker, on real sockets and PostgreSQL."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from random import Random
from typing import Any, NamedTuple

import pytest

from domain.games import GAMES
from domain.match import MatchStatus, Resign, evolve
from domain.match.proof import flaw
from domain.shared.chain import genesis
from domain.shared.game import AnyGame
from domain.shared.seats import seats_in_order
from domain.shared.viewers import SPECTATOR, Viewer, seated
from services.matches.commands import Answer
from services.matches.store import Recorded
from services.matches.views import Source, seen_event, view
from services.shared.ids import MatchId
from tests.support.faces.faces import PAGE, Face, Grpc, Rest, Said
from tests.support.faces.server import Server
from tests.support.games.random_matches import Table, random_options
from tests.support.stores.database import Databases
from tests.support.stores.use_cases import postgres_stores

MATCHES = 10
"""How many matches a game plays over either face, with all its numbers of seats."""
LOOKING = 0.03
"""How often those who are not on turn look at what has happened."""
CRASHING_MATCH, CRASH = 4, 12
"""In which match the server crashes, and before which command."""
MOST_COMMANDS = 3_000
"""A match that takes longer has no end."""
RESIGNING = 9
"""Before which command a seat gives up, in every second match of three or more."""


class Heard(NamedTuple):
    """Something that a client heard of a match, and how it must have been.

    Attributes:
        kind: A view, events after a version, or the answer to a command.
        at: The version of the view, that after which the events are, or that before the command.
        version: The version of the match when it was heard.
        said: What was heard.
    """

    kind: str
    at: int
    version: int
    said: Said


class Client:
    """A seat or an onlooker, and all that it heard of a match."""

    def __init__(self, face: Face, viewer: Viewer) -> None:
        """Take who it is."""
        self.face, self.viewer = face, viewer
        self.heard: list[Heard] = []
        self._followed = 0

    def look(self, match: str, version: int, back_to: int | None = None) -> Said:
        """Look at the table of a match at a version, as it is or as it was."""
        said = self.face.view(match, back_to)
        assert said.good, said
        self.heard.append(Heard("view", back_to or version, version, said))
        return said

    def follow(self, match: str, version: int) -> None:
        """Read what has happened up to a version."""
        while self._followed < version:
            said = self.face.events(match, self._followed)
            assert said.good, said
            self.heard.append(Heard("events", self._followed, version, said))
            self._followed = min(self._followed + PAGE, version)

    def command(self, match: str, command: Any, version: int) -> Said:
        """Give a command at a version."""
        said = self.face.command(match, command, key=key_at(version), expected_version=version)
        assert said.good, said
        after, _, _ = self.face.view_in(said)
        self.heard.append(Heard("answer", version, after, said))
        return said


@pytest.fixture(scope="module")
def served(databases: Databases) -> Iterator[tuple[Server, str]]:
    """A server, and its database."""
    with databases.fresh() as conninfo, Server("--database-url", conninfo) as server:
        yield server, conninfo


@pytest.mark.parametrize("speaks", [Rest, Grpc], ids=["rest", "grpc"])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_whole_matches(served: tuple[Server, str], game: AnyGame, speaks: Any) -> None:
    """Random matches are played to their end, and each client hears just what its viewer may know.

    All that it hears is, byte for byte, what the stored events say, folded and redacted for it. A match
    outlives a crash of the server, and goes on when one of three or more gives up (common §6).
    """
    server, conninfo = served
    sizes = range(game.min_seats, game.max_seats + 1)
    for number in range(MATCHES):
        seats, dice = sizes[number % len(sizes)], Random(f"{game.id} {number}")
        with ExitStack() as stack:
            clients = [
                Client(stack.enter_context(closing(speaks(server, name=f"Seat {seat}"))), seated(seat))
                for seat in seats_in_order(seats)
            ]
            onlooker = Client(stack.enter_context(closing(speaks(server))), SPECTATOR)
            options = random_options(Table(game, seats), dice)
            match = clients[0].face.open(game.id, options, seats, 0)
            for seat in range(1, seats):
                clients[seat].face.sit(match, seat)
            crash_at = CRASH if number == CRASHING_MATCH else None
            resign_at = RESIGNING if number % 2 and seats > 2 else None
            play_out(server, game, match, clients, onlooker, dice, crash_at=crash_at, resign_at=resign_at)
            stored, seed = asyncio.run(events_of(conninfo, MatchId(match)))
            source = Source(game, MatchId(match), seats, seed)
            for client in (*clients, onlooker):
                hears_what_it_may(source, client, stored)
            hear_no_secrets_of_others(source, (*clients, onlooker), stored)


def play_out(
    server: Server,
    game: AnyGame,
    match: str,
    clients: Sequence[Client],
    onlooker: Client,
    dice: Random,
    *,
    crash_at: int | None,
    resign_at: int | None,
) -> None:
    """Play a match to its end, each seat by the moves that its own view lists.

    Args:
        server: The server that is played on.
        game: The game.
        match: The match's id.
        clients: The seats' clients, in their order.
        onlooker: A spectator.
        dice: What chooses.
        crash_at: Before which command the server crashes, if it does.
        resign_at: Instead of which command seat 0 gives up, if it does.
    """
    version, state, to_act = onlooker.face.view_in(onlooker.face.view(match))
    said, latest = onlooker.look(match, version), onlooker
    commands = 0
    while state == "playing":
        if commands == crash_at:
            crash(server, match, version, [*clients, onlooker])
        client = clients[dice.choice(to_act)]
        if client is not latest:
            said = client.look(match, version)
        command = dice.choice(client.face.moves_in(game.id, said))
        if commands == resign_at:
            client, command = clients[0], Resign()
        said, latest, commands = client.command(match, command, version), client, commands + 1
        version, state, to_act = client.face.view_in(said)
        assert resign_at is None or commands <= resign_at or 0 not in to_act
        for other in (*clients, onlooker):
            if dice.random() < LOOKING:
                other.follow(match, version)
                other.look(match, version, dice.randint(1, version))
        assert commands < MOST_COMMANDS
    for client in (*clients, onlooker):
        client.follow(match, version)
        client.look(match, version)


def crash(server: Server, match: str, version: int, clients: Sequence[Client]) -> None:
    """End the server without warning and start it again; everybody sees the same as before."""
    before = [client.look(match, version).body for client in clients]
    server.kill()
    server.restart()
    for client in clients:
        client.face.reconnect()
    assert [client.look(match, version).body for client in clients] == before


async def events_of(conninfo: str, match: MatchId) -> tuple[list[Recorded], bytes]:
    """Return all events of a match as they are stored, and its seed."""
    async with postgres_stores(conninfo) as stores:
        return await stores.store.read(match), (await stores.seeds.secrets(match)).seed


def hears_what_it_may(source: Source, client: Client, stored: Sequence[Recorded]) -> None:
    """Assert that all a client heard is what the stored events say, seen by its viewer, and proved."""
    game, id = source.game, source.id
    folded: list[Any] = [None]
    for recorded in stored:
        folded.append(evolve(game, folded[-1], recorded.event))
    assert folded[-1].status is MatchStatus.FINISHED
    seen = [seen_event(source, recorded, client.viewer) for recorded in stored]
    previous = genesis(id)
    for event in seen:
        assert flaw(event, client.viewer, previous) is None
        previous = event.proof.hash
    face = client.face
    for kind, at, version, said in client.heard:
        match kind:
            case "view":
                expected = face.written_view(view(game, id, folded[at], at, client.viewer))
            case "events":
                last = min(at + PAGE, version)
                expected = face.written_page(seen[at:last], str(last) if last < version else None)
            case _:
                answer = Answer(
                    key=key_at(at),
                    version=version,
                    events=tuple(seen[at:version]),
                    id=id,
                    match=folded[version],
                    game=game,
                    viewer=client.viewer,
                )
                expected = face.written_answer(answer)
        assert said.body == expected


def hear_no_secrets_of_others(source: Source, clients: Sequence[Client], stored: Sequence[Recorded]) -> None:
    """Assert that what others saw of an event, and a client did not, is in nothing that it heard."""
    shown = [
        [client.face.written_event(seen_event(source, recorded, client.viewer)) for recorded in stored]
        for client in clients
    ]
    for client, own in zip(clients, shown, strict=True):
        heard = b"\n".join(said.body for said in client.face.heard)
        secrets = {told for others in shown for told, known in zip(others, own, strict=True) if told != known}
        assert not [told for told in secrets if told in heard]


def key_at(version: int) -> str:
    """Return the idempotency key of the command at a version."""
    return f"at {version}"
