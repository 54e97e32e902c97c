"""Commands end to end, over REST, unary gRPC and one stream a match, each durable when it is answered.

The limit beside each, in the same run, is `bare.py`: the same framework and group commit, nothing between.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from statistics import median
from typing import Any
from uuid import uuid4

import grpc
import msgspec
import psycopg
import uvloop

from adapters.grpc.generated.montane.montana.v1 import montana_pb2
from adapters.grpc.generated.montane.v1 import games_pb2
from adapters.grpc.generated.montane.v1 import matches_pb2 as pb
from bench.load import FIRST, Load, Player, account, command, connected, opened, played, played_for
from bench.serving import Serving, database, serving

IN_FLIGHT = (1, 16, 128)
SERVICE = "/montane.v1.MatchService/"
RESULT = b"\x12"
"""How a `PlayResponse` begins that answers a command."""

type Face = Callable[[Serving, int], AbstractAsyncContextManager[list[Player]]]
"""Opens so many matches at a server and gives how each is played."""


@asynccontextmanager
async def rest(server: Serving, matches: int) -> AsyncIterator[list[Player]]:
    """Give how matches are played over REST: with a key and an expected version each."""
    async with AsyncExitStack() as open_ones:
        connections = [await open_ones.enter_async_context(connected(server.http)) for _ in range(matches)]
        headers = f"Authorization: Bearer {await account(connections[0])}\r\n"

        async def player(connection: Any) -> Player:
            match = await opened(connection, headers)
            path = f"/v1/matches/{match}/commands"

            async def send(number: int) -> None:
                body = msgspec.json.encode({"command": command(number), "expected_version": FIRST + number})
                await connection.request("POST", path, body, f"{headers}Idempotency-Key: {number}\r\n")

            return Player(match, send)

        yield [await player(connection) for connection in connections]


@asynccontextmanager
async def unary(server: Serving, matches: int) -> AsyncIterator[list[Player]]:
    """Give how matches are played over unary gRPC."""
    token, ids = await _accounted(server, matches)
    async with grpc.aio.insecure_channel(server.grpc) as channel:
        call: Any = channel.unary_unary(
            f"{SERVICE}SubmitCommand",
            request_serializer=pb.SubmitCommandRequest.SerializeToString,
            response_deserializer=None,
        )

        def player(match: str) -> Player:
            async def send(number: int) -> None:
                asked = pb.SubmitCommandRequest(
                    match=match, command=_command(number), expected_version=FIRST + number
                )
                await call(asked, metadata=(*token, ("idempotency-key", str(number))))

            return Player(match, send)

        yield [player(match) for match in ids]


@asynccontextmanager
async def streams(server: Serving, matches: int) -> AsyncIterator[list[Player]]:
    """Give how matches are played over one bidirectional stream each, by clients that fold the events."""
    token, ids = await _accounted(server, matches)
    async with grpc.aio.insecure_channel(server.grpc) as channel:
        play: Any = channel.stream_stream(
            f"{SERVICE}Play",
            request_serializer=pb.PlayRequest.SerializeToString,
            response_deserializer=None,
        )

        async def player(match: str) -> Player:
            stream = play(metadata=token)
            await stream.write(pb.PlayRequest(watch=pb.WatchMatchRequest(match=match, after=FIRST)))

            async def send(number: int) -> None:
                asked = pb.PlayCommand(
                    command=_command(number),
                    expected_version=FIRST + number,
                    idempotency_key=str(number),
                    without_view=True,
                )
                await stream.write(pb.PlayRequest(command=asked))
                while not (await stream.read()).startswith(RESULT):
                    pass

            return Player(match, send)

        yield [await player(match) for match in ids]


@asynccontextmanager
async def bare_rest(server: Serving, matches: int) -> AsyncIterator[list[Player]]:
    """Give how events are appended by the barest server of HTTP."""
    async with AsyncExitStack() as open_ones:

        async def player() -> Player:
            connection = await open_ones.enter_async_context(connected(server.http))
            match = str(uuid4())

            async def send(number: int) -> None:
                await connection.request("POST", "/commands", _append(match, number))

            return Player(match, send)

        yield [await player() for _ in range(matches)]


@asynccontextmanager
async def bare_unary(server: Serving, matches: int) -> AsyncIterator[list[Player]]:
    """Give how events are appended by the barest server of gRPC."""
    async with grpc.aio.insecure_channel(server.grpc) as channel:
        call: Any = channel.unary_unary("/bare/Append", request_serializer=None, response_deserializer=None)

        def player(match: str) -> Player:
            async def send(number: int) -> None:
                await call(_append(match, number))

            return Player(match, send)

        yield [player(str(uuid4())) for _ in range(matches)]


@asynccontextmanager
async def bare_streams(server: Serving, matches: int) -> AsyncIterator[list[Player]]:
    """Give how events are appended over streams of the barest server of gRPC."""
    async with grpc.aio.insecure_channel(server.grpc) as channel:
        append: Any = channel.stream_stream(
            "/bare/Appends", request_serializer=None, response_deserializer=None
        )

        def player(match: str) -> Player:
            stream = append()

            async def send(number: int) -> None:
                await stream.write(_append(match, number))
                await stream.read()

            return Player(match, send)

        yield [player(str(uuid4())) for _ in range(matches)]


def compare(seconds: float, rounds: int) -> None:
    """Print commands a second of each face, by the number of matches in flight, beside its barest server."""
    with database() as conninfo, serving(conninfo) as ours, serving(conninfo, "bench.bare") as barest:
        faces: dict[str, tuple[Face, Face]] = {
            "REST": (rest, bare_rest),
            "gRPC": (unary, bare_unary),
            "stream": (streams, bare_streams),
        }
        print(f"durable commands a second, {rounds} rounds of {seconds:g} s, median\n")
        print(f"{'':>8}{'in flight':>10}{'commands/s':>12}{'p50 ms':>8}{'p95 ms':>8}{'p99 ms':>8}", end="")
        print(f"{'CPU us':>8}{'of REST':>9}{'bare':>8}{'CPU us':>8}{'of bare':>9}")
        for matches in IN_FLIGHT:
            rows: dict[str, list[tuple[Load, float]]] = {name: [] for name in faces}
            bare: dict[str, list[tuple[Load, float]]] = {name: [] for name in faces}
            for _ in range(rounds):
                for name, (face, barest_face) in faces.items():
                    rows[name].append(uvloop.run(_one_round(ours, face, matches, seconds)))
                    bare[name].append(uvloop.run(_one_round(barest, barest_face, matches, seconds)))
            rates = {name: median(load.rate for load, _ in row) for name, row in rows.items()}
            for name, row in rows.items():
                load = sorted((load for load, _ in row), key=lambda load: load.rate)[len(row) // 2]
                limit = median(load.rate for load, _ in bare[name])
                print(
                    f"{name:>8}{matches:>10}{rates[name]:>12,.0f}{load.quantile(0.5):>8.2f}"
                    f"{load.quantile(0.95):>8.2f}{load.quantile(0.99):>8.2f}"
                    f"{median(cpu for _, cpu in row):>8.0f}{rates[name] / rates['REST']:>9.2f}"
                    f"{limit:>8,.0f}{median(cpu for _, cpu in bare[name]):>8.0f}{rates[name] / limit:>9.2f}"
                )
        _alone(conninfo, ours)


def proved(seconds: float, rounds: int) -> None:
    """Print the rate with chain and proofs beside that of the same service without."""
    with database() as conninfo, serving(conninfo) as ours, serving(conninfo, "bench.unproved") as bare:
        print(
            f"\n{'':>8}{'in flight':>10}{'proved/s':>10}{'CPU us':>8}{'unproved/s':>12}{'CPU us':>8}", end=""
        )
        print(f"{'ratio':>7}{'of CPU':>8}")
        for matches in IN_FLIGHT:
            rows: dict[Serving, list[tuple[float, float]]] = {ours: [], bare: []}
            for _ in range(rounds):
                for server, row in rows.items():
                    load, cpu = uvloop.run(_one_round(server, rest, matches, seconds))
                    row.append((load.rate, cpu))
            (rate, cpu), (bare_rate, bare_cpu) = (
                tuple(map(median, zip(*row, strict=True))) for row in rows.values()
            )
            print(
                f"{'REST':>8}{matches:>10}{rate:>10,.0f}{cpu:>8.0f}{bare_rate:>12,.0f}{bare_cpu:>8.0f}"
                f"{rate / bare_rate:>7.2f}{cpu / bare_cpu:>8.2f}"
            )


def long_matches(rounds: int) -> None:
    """Print the rate of moves 401 to 420 beside that of moves 1 to 20."""
    with database() as conninfo, serving(conninfo) as server:
        early, late = zip(*(uvloop.run(_early_and_late(server)) for _ in range(rounds)), strict=True)
        print(f"\nmoves 1 to 20: {median(early):,.0f} commands/s, 401 to 420: {median(late):,.0f};", end="")
        print(f" ratio {median(late) / median(early):.2f}, {rounds} rounds, 16 matches at once")


def many_matches(few: int, many: int, seconds: float, rounds: int) -> None:
    """Print the rate with many stored matches beside that with few."""
    with database() as small, database() as large:
        for conninfo, stored in ((small, few), (large, many)):
            _fill(conninfo, stored)
        with serving(small) as few_stored, serving(large) as many_stored:
            rates: dict[int, list[float]] = {few: [], many: []}
            for _ in range(rounds):
                for stored, server in ((few, few_stored), (many, many_stored)):
                    load, _ = uvloop.run(_one_round(server, rest, 16, seconds))
                    rates[stored].append(load.rate)
        print(f"\n{few:,} stored matches: {median(rates[few]):,.0f} commands/s,", end="")
        print(f" {many:,}: {median(rates[many]):,.0f}; ratio {median(rates[many]) / median(rates[few]):.2f}")


async def _one_round(server: Serving, face: Face, matches: int, seconds: float) -> tuple[Load, float]:
    """Return a load and the server's processor time for each of its commands, in microseconds."""
    async with face(server, matches) as players:
        await played(players, 0, 10)
        before = server.cpu()
        load = await played_for(players, 10, seconds)
        return load, (server.cpu() - before) / load.commands * 1e6


async def _early_and_late(server: Serving) -> tuple[float, float]:
    async with rest(server, 16) as old:
        await played(old, 0, 400)
        async with rest(server, 16) as fresh:
            early = await played(fresh, 0, 20)
        late = await played(old, 400, 20)
        return early.rate, late.rate


def _alone(conninfo: str, server: Serving) -> None:
    """Print what one command at a time costs the database."""
    commands = 2_000

    async def load() -> None:
        async with rest(server, 1) as players:
            await played(players, 0, 10)
            before = _written(conninfo)
            await played(players, 10, commands)
            after = _written(conninfo)
            wal, transactions = (last - first for first, last in zip(before, after, strict=True))
            print(f"\nalone: {wal / commands / 1000:.2f} kB of WAL and", end="")
            print(f" {transactions / commands:.2f} writing transactions a command")

    uvloop.run(load())


def _written(conninfo: str) -> tuple[int, int]:
    """Return bytes of WAL and writing transactions so far."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        row = connection.execute(
            "SELECT (pg_current_wal_lsn() - '0/0')::bigint,"
            " pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
        ).fetchone()
    if row is None:
        raise RuntimeError("the server counts nothing")
    return row[0], row[1]


def _fill(conninfo: str, matches: int) -> None:
    """Store copies of one match, so many, of 24 events each."""
    with serving(conninfo) as server:

        async def one() -> None:
            async with rest(server, 1) as players:
                await played(players, 0, 20)

        uvloop.run(one())
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(
            "CREATE TEMP TABLE copies AS SELECT gen_random_uuid() AS id FROM generate_series(1, %s)",
            (matches,),
        )
        connection.execute(
            "INSERT INTO match_events (originator_id, originator_version, topic, state)"
            " SELECT id, originator_version, topic, state FROM copies CROSS JOIN"
            " (SELECT * FROM match_events ORDER BY originator_version) AS events"
            " ORDER BY id, originator_version"
        )
        connection.execute("VACUUM ANALYZE match_events")


async def _accounted(server: Serving, matches: int) -> tuple[tuple[tuple[str, str], ...], list[str]]:
    """Return the metadata of a new player, and matches that it has opened."""
    async with connected(server.http) as connection:
        token = await account(connection)
        headers = f"Authorization: Bearer {token}\r\n"
        ids = [await opened(connection, headers) for _ in range(matches)]
    return (("authorization", f"Bearer {token}"),), ids


def _append(match: str, number: int) -> bytes:
    return msgspec.json.encode({"match": match, "version": number + 1})


def _command(number: int) -> games_pb2.Command:
    row = 1 if number % 2 == 0 else 3
    move = montana_pb2.MoveCard(card=montana_pb2.CARD_2C, row=row, column=0)
    return games_pb2.Command(montana=montana_pb2.Command(move_card=move))
