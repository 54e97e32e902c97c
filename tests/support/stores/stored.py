"""Random matches of any game, stored in a database as the service stores them."""

from collections.abc import Iterable
from hashlib import sha256
from itertools import islice
from uuid import UUID

import psycopg
from msgspec import Struct

from adapters.event_store.mapper import EventMapper, LoggedEvent
from domain.games import GAMES
from services.matches.envelopes import Decision, Envelopes
from services.matches.store import Recorded
from services.shared.ids import MatchId, match_id
from tests.support.games.random_matches import Table
from tests.support.proof.chains import fair, time_of
from tests.support.stores.lobby import ANN


class StoredMatch(Struct, frozen=True):
    """A match as it is stored.

    Attributes:
        number: The match's UUID.
        seed: Its seed.
        events: Its events.
    """

    number: UUID
    seed: bytes
    events: tuple[Recorded, ...]

    @property
    def id(self) -> MatchId:
        """The match's id."""
        return match_id(self.number)


def random_match(table: Table, number: int, most: int | None = None) -> StoredMatch:
    """Return the random match of that number.

    Args:
        table: The game and how many play it.
        number: Which match; ids rise with it.
        most: With how many of its steps, of which the opening is the first; None for all.
    """
    seed = sha256(f"{table}/{number}".encode()).digest()
    uuid = UUID(int=(number + 1) << 80 | 0x7 << 76 | int.from_bytes(seed[:7]))
    id = match_id(uuid)
    envelopes, events = Envelopes(table.game, id, seed), list[Recorded]()
    for place, step in enumerate(islice(fair(table, number, id, seed), most)):
        decision = Decision(
            at=time_of(place),
            seat=step.seat,
            command=step.command,
            by=ANN,
            key=f"key {place}",
            digest=digest_of_step(place),
        )
        events += envelopes.wrap(decision, step.events, step.match)
    return StoredMatch(uuid, seed, tuple(events))


def digest_of_step(place: int) -> str:
    """Return the digest of what was asked at a step."""
    return f"{place:064x}"


def store(conninfo: str, matches: Iterable[StoredMatch], *, openings: bool = True) -> int:
    """Store matches, all going on at the same time, and return how many events they have.

    Args:
        conninfo: Where the database is.
        matches: The matches.
        openings: Whether what was recorded for them before their first events is stored too.
    """
    stored, mapper = list(matches), EventMapper(dict(GAMES))
    with psycopg.connect(conninfo) as connection, connection.cursor() as cursor:
        with cursor.copy(
            "COPY match_openings (owner_id, key, match_id, seed, digest, invitation) FROM STDIN"
        ) as copy:
            for match in stored if openings else ():
                copy.write_row(
                    (UUID(int=1), match.id, match.number, match.seed, digest_of_step(0), b"0" * 16)
                )
        events = sorted(
            ((event.version, match.number, event) for match in stored for event in match.events),
            key=lambda one: one[:2],
        )
        with cursor.copy(
            "COPY match_events (originator_id, originator_version, topic, state) FROM STDIN"
        ) as copy:
            for version, number, event in events:
                logged = mapper.to_stored_event(LoggedEvent(number, event))
                copy.write_row((number, version, logged.topic, logged.state))
    return len(events)
