"""How much memory a remembered match takes, by the number of its events.

Matches of Montana are played at random, stored, and folded from what was stored, as a process does that takes
them up. Counted is what Python allocates for them, each with its place in memory and its secret.
"""

import gc
import tracemalloc
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random
from secrets import token_bytes, token_hex

import msgspec
from eventsourcing.persistence import StoredEvent

from adapters.event_store.mapper import EventMapper, LoggedEvent
from adapters.settings import Settings
from domain.games import GAMES
from domain.games.montana import GAME
from domain.games.montana.catalogue import Options
from domain.match import (
    Disclosure,
    Holder,
    HolderKind,
    MatchStatus,
    PlayerId,
    Terms,
    Visibility,
    legal_moves,
    open_match,
    submit,
    take_seat,
)
from domain.match.proof import Link
from domain.shared.chance import SeededChance
from domain.shared.seats import Seat
from services.matches.loaded import Memory, opened
from services.matches.store import Recorded, Secrets
from services.shared.ids import match_id, new_uuid, written
from tests.support.games.matches import NOW

LENGTHS = (4, 25, 50, 100, 200)
"""Events after which a match is left as it stands; the longest do not last all matches."""
MATCHES = 200
SEAT = Seat(0)


def by_length() -> None:
    """Print bytes a match, and what as many take as a process remembers unless it is told otherwise."""
    remembered = Settings().remembered_matches
    print(f"memory of folded matches, {MATCHES} of each length\n")
    print(f"{'events':>6}{'bytes a match':>15}{'bytes an event':>16}{f'{remembered} matches, MB':>22}")
    mapper = EventMapper(dict(GAMES))
    for length in LENGTHS:
        streams = [_stored(mapper, number, length) for number in range(MATCHES)]
        events = sum(map(len, streams)) / MATCHES
        size = _bytes_a_match(mapper, streams)
        print(f"{events:>6.0f}{size:>15,.0f}{size / events:>16,.0f}{size * remembered / 1e6:>22,.0f}")


HASH = "0" * 43
LINK = Link(previous=HASH, hash=HASH, commitments=(HASH, HASH))


def _bytes_a_match(mapper: EventMapper, streams: Sequence[Sequence[StoredEvent]]) -> float:
    memory = Memory(len(streams), sum(map(len, streams)))
    gc.collect()
    tracemalloc.start()
    for stream in streams:
        id = match_id(new_uuid(datetime.now(UTC)))
        entry = memory.entry(id)
        entry.live = opened(dict(GAMES), id, mapper.recorded(stream))
        entry.secrets = Secrets(token_bytes(32), token_bytes(16))
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / len(streams)


def _stored(mapper: EventMapper, number: int, length: int) -> list[StoredEvent]:
    """Return the events of a match that is played at random, as they are stored; at most so many."""
    dice, chance = Random(number), SeededChance(bytes(32), str(number))
    now = datetime.now(UTC)
    match_number, player = new_uuid(now), PlayerId(written("player", new_uuid(now)))
    terms = Terms(
        game=GAME.id,
        ruleset=GAME.ruleset,
        options=Options(redeals=9, deal=number),
        seats=1,
        opener=player,
        visibility=Visibility.PUBLIC,
        disclosure=Disclosure.AT_END,
        seed_commitment="sha256:" + token_hex(32),
    )
    opening, match = open_match(GAME, terms)
    seating, match = take_seat(GAME, match, SEAT, Holder(player, HolderKind.HUMAN, ""), chance, NOW)
    recorded: list[Recorded] = []

    def record(events: Sequence[object], command: bytes | None) -> None:
        key, digest = token_hex(16), token_hex(32)
        for event in events:
            version = len(recorded) + 1
            recorded.append(
                Recorded(
                    version=version,
                    at=now,
                    seat=SEAT,
                    event=event,
                    link=LINK,
                    by=player if event is events[0] else None,
                    key=key if event is events[0] else None,
                    digest=digest if event is events[0] else None,
                    command=command if event is events[0] else None,
                )
            )

    record((*opening, *seating), None)
    while len(recorded) < length and match.status is MatchStatus.PLAYING:
        command = dice.choice(list(legal_moves(GAME, match, SEAT)))
        events, match = submit(GAME, match, SEAT, command, chance, NOW)
        record(events, msgspec.json.encode(command))
    return [mapper.to_stored_event(LoggedEvent(match_number, one)) for one in recorded[:length]]
