"""Events of every game: they survive storing, fold to the match at every version, and keep every piece."""

from datetime import UTC, datetime
from functools import reduce
from operator import or_
from typing import Any
from uuid import UUID

import msgspec

from adapters.event_store.mapper import EventMapper, LoggedEvent, SnapshotMapper, tag
from domain.match import AnyMatch, PlayerId, evolve, seen, seen_event_types
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, seated
from services.matches.store import Recorded, Snapshot
from tests.support.faces.differences import plain
from tests.support.games.matches import LINK
from tests.support.games.random_matches import Table, played

MATCHES = range(10)
ID = UUID(int=0)
AT = datetime(2026, 1, 1, tzinfo=UTC)


def test_stored_events_fold_to_the_match_at_every_version(table: Table) -> None:
    """Written to the log and read back, events are the same and lead through the same matches.

    Nothing raises on the way: `evolve` is total over what was decided.
    """
    mapper, snapshots = EventMapper({table.game.id: table.game}), SnapshotMapper({table.game.id: table.game})
    for number in MATCHES:
        folded: Any = None
        version = 0
        for step in played(table, number):
            for event in step.events:
                version += 1
                logged = LoggedEvent(ID, recorded(version, step.seat, event))
                read = mapper.to_domain_event(mapper.to_stored_event(logged))
                assert read == logged
                folded = evolve(table.game, folded, read.recorded.event)
            assert folded == step.match
            snapshot = Snapshot(
                version=version, match=folded, opened_at=AT, head=LINK.hash, commands=3, done=()
            )
            assert snapshots.to_snapshot(snapshots.to_stored(ID, snapshot)) == snapshot


def test_no_piece_is_lost_or_doubled(table: Table) -> None:
    """All pieces of the opening are there after every single event, wherever they are."""
    for number in MATCHES:
        match: AnyMatch | None = None
        for step in played(table, number):
            if match is None:
                match = step.match
                pieces = table.game.pieces(match.state)
                assert list(pieces) == sorted(pieces)
                continue
            for event in step.events:
                match = evolve(table.game, match, event)
                assert table.game.pieces(match.state) == pieces


def test_every_viewer_sees_every_event(table: Table) -> None:
    """An event may be emptied for a viewer, never dropped or renamed; the all-seeing eye sees it whole."""
    viewers = (SPECTATOR, *map(seated, seats_in_order(table.seats)))
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(reduce(or_, seen_event_types(table.game)))
    for number in MATCHES:
        for step in played(table, number):
            for event in step.events:
                assert plain(seen(table.game, event, ALL_SEEING)) == plain(event)
                for viewer in viewers:
                    shown = seen(table.game, event, viewer)
                    assert tag(type(shown)) == tag(type(event))
                    assert type(event) not in table.game.events or type(shown) in table.game.seen_events
                    assert decoder.decode(msgspec.json.encode(shown)) == shown


def test_every_view_is_of_the_table_type(table: Table) -> None:
    """A view survives being sent, and does not depend on anything but state and viewer."""
    viewers = (ALL_SEEING, SPECTATOR, *map(seated, seats_in_order(table.seats)))
    for number in MATCHES:
        for step in played(table, number):
            for viewer in viewers:
                view = table.game.view(step.match.state, viewer)
                assert msgspec.json.decode(msgspec.json.encode(view), type=table.game.table) == view
                assert table.game.view(step.match.state, viewer) == view


def recorded(version: int, seat: Seat | None, event: object) -> Recorded:
    """Return an event with an envelope."""
    return Recorded(
        version=version,
        at=AT,
        seat=seat,
        event=event,
        link=LINK,
        by=PlayerId("player_0"),
        key="key",
        digest="digest",
    )
