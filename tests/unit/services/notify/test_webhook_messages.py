"""What webhooks are notified of the events of a match."""

from collections.abc import Iterable

import msgspec
import pytest
from msgspec.structs import replace

from domain.games import GAMES
from domain.match import (
    AnyMatch,
    BranchOf,
    Cancel,
    CancelReason,
    Invite,
    LeaveSeat,
    PlayerId,
    Resign,
    StartMode,
    TakeSeat,
    Visibility,
    evolve,
    open_match,
)
from domain.shared.game import AnyGame
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import SPECTATOR, ViewerKind, seated
from services.matches.store import Recorded
from services.matches.views import Source, seen_event
from services.notify.subscriptions import MessageType
from services.notify.webhook_messages import Notice, body, notices
from services.shared.ids import MatchId
from tests.support.faces.differences import plain
from tests.support.games.matches import LINK, at, decided, holder, playing, terms

MONTANA = GAMES["montana"]
ID = MatchId("match_01")
TWO = GAMES["mountains"]


def recorded(event: object, version: int = 1) -> Recorded:
    """Return an event with an envelope."""
    return Recorded(version=version, at=at(0), seat=None, event=event, link=LINK)


def shown_from(game: AnyGame, match: AnyMatch) -> Source:
    """Return a match as one whose events are shown."""
    return Source(game, ID, match.terms.seats, bytes(32))


def test_nobody_is_told_of_a_branch() -> None:
    """It is for its player's analysis: neither events nor turns nor the end."""
    _, match = playing(TWO, TWO.options(), 2)
    branch_of = BranchOf("match_0", 9, ViewerKind.SPECTATOR, None)
    branch = replace(match, terms=replace(match.terms, branch_of=branch_of))
    events, over = decided(TWO, branch, Resign(), Seat(0))
    assert list(notices(over, events[-1], (Seat(1),))) == []
    assert list(notices(replace(over, terms=match.terms), events[-1], (Seat(1),)))


def told(game: AnyGame, events: Iterable[object]) -> list[Notice]:
    """Return all that is notified of the events of a match, but for the events themselves."""
    match: AnyMatch | None = None
    found: list[Notice] = []
    for event in events:
        match = evolve(game, match, event)
        found += notices(match, event, ())
    return [notice for notice in found if notice.type is not MessageType.MATCH_EVENT]


def sitting(number: int) -> tuple[Seat, PlayerId]:
    """Return a seat and the player who holds it."""
    return Seat(number), holder(number).player


def everybody(kind: MessageType) -> list[Notice]:
    """Return that both players of a match are told something, and the deployment."""
    players = [Notice(kind, player, seat, player) for seat, player in map(sitting, (0, 1))]
    return [*players, Notice(kind, None)]


def test_all_who_sit_are_told_of_beginning_and_end() -> None:
    """Each for its own seat; the deployment once."""
    begun, match = playing(TWO, TWO.options())
    ended, _ = decided(TWO, match, Resign(), Seat(0))
    assert told(TWO, (*begun, *ended)) == [*everybody(MessageType.STARTED), *everybody(MessageType.ENDED)]


def test_who_was_asked_to_come_is_told_of_it_and_of_the_end() -> None:
    """An invitation concerns its player alone; that a match is cancelled, all who waited for it."""
    agreed = replace(terms(TWO, TWO.options()), start=StartMode.MANUAL, opener=holder(8).player)
    events, match = open_match(TWO, agreed)
    for command in (
        Invite(holder(9).player),
        TakeSeat(Seat(0), holder(0)),
        TakeSeat(Seat(1), holder(1)),
        LeaveSeat(Seat(1)),
        Cancel(CancelReason.BY_OPENER),
    ):
        more, match = decided(TWO, match, command)
        events = (*events, *more)
    guest, opener = holder(9).player, holder(8).player
    seat, ann = sitting(0)
    cancelled = MessageType.CANCELLED
    assert told(TWO, events) == [
        Notice(MessageType.INVITED, guest, None, guest),
        Notice(cancelled, ann, seat, ann),
        Notice(cancelled, opener, None, opener),
        Notice(cancelled, guest, None, guest),
        Notice(cancelled, None),
    ]


def test_whose_turn_it_is_now_is_told() -> None:
    """The seat's player, and the deployment of any seat; nobody where nothing changed."""
    begun, match = playing(TWO, TWO.options())
    seat, ben = sitting(1)
    assert [one for one in notices(match, begun[-1], {seat}) if one.type is MessageType.YOUR_TURN] == [
        Notice(MessageType.YOUR_TURN, ben, seat, ben),
        Notice(MessageType.YOUR_TURN, None, seat, ben),
    ]
    assert MessageType.YOUR_TURN not in {one.type for one in notices(match, begun[-1], ())}


def test_the_deployment_is_told_nothing_of_a_private_match() -> None:
    """Its own players are."""
    begun, match = playing(TWO, TWO.options())
    private = replace(match, terms=replace(match.terms, visibility=Visibility.PRIVATE))
    owners = [notice.owner for notice in notices(private, begun[-1], {Seat(0)})]
    assert None in [notice.owner for notice in notices(match, begun[-1], {Seat(0)})]
    assert None not in owners
    assert set(owners) == {holder(0).player, holder(1).player}


@pytest.mark.parametrize("game", list(GAMES.values()), ids=list(GAMES))
def test_events_are_told_as_their_subscriber_may_see_them(game: AnyGame) -> None:
    """Each seat as itself, the deployment as a spectator: just what they could read in the match itself."""
    events, match = playing(game, game.options())
    state: AnyMatch | None = None
    for version, event in enumerate(events, start=1):
        state = evolve(game, state, event)
        happened = recorded(event, version)
        shown = [notice for notice in notices(state, event, ()) if notice.type is MessageType.MATCH_EVENT]
        for notice in shown:
            viewer = SPECTATOR if notice.owner is None else seated(notice.seat or Seat(0))
            message = msgspec.json.decode(body(shown_from(game, state), state, happened, notice))
            assert message["data"]["event"] == plain(seen_event(shown_from(game, state), happened, viewer))
    owners = [notice.owner for notice in notices(match, events[-1], ())]
    assert owners.count(None) == 2
    assert len(shown) == len(seats_in_order(match.terms.seats)) + 1


def test_a_message_says_what_it_is_about() -> None:
    """Type, time and match; of the rest only what applies."""
    begun, match = playing(TWO, TWO.options())
    seat, ben = sitting(1)
    turn = Notice(MessageType.YOUR_TURN, ben, seat, ben)
    assert msgspec.json.decode(body(shown_from(TWO, match), match, recorded(begun[-1], 7), turn)) == {
        "type": "your_turn",
        "timestamp": "2026-01-01T00:00:00Z",
        "data": {"match": ID, "game": "mountains", "version": 7, "seat": 1, "player": ben},
    }
    ended, match = decided(TWO, match, Resign(), Seat(0))
    over = msgspec.json.decode(
        body(shown_from(TWO, match), match, recorded(ended[-1], 9), Notice(MessageType.ENDED, None))
    )
    assert over["data"] == {
        "match": ID,
        "game": "mountains",
        "version": 9,
        "outcome": plain(match.outcome),
    }
