"""The envelopes of a match's events: numbered, dated, and chained to all that came before."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from domain.match import AnyMatch, PlayerId, to_act
from domain.match.proof import Fact, link, request_hash
from domain.shared.canonical import canonical
from domain.shared.chain import genesis, salts
from domain.shared.game import AnyGame
from domain.shared.seats import Seat
from services.matches.store import Recorded
from services.shared.ids import MatchId


class Decision(Struct, frozen=True, kw_only=True):
    """A command that was decided.

    Attributes:
        at: When, UTC.
        seat: The seat that gave it; None if it was no seat's.
        command: The command; None for an opening.
        by: Who gave it; None for the service itself.
        key: Its idempotency key.
        digest: SHA-256 of what was asked with that key, in hexadecimal.
    """

    at: datetime
    seat: Seat | None
    command: Any
    by: PlayerId | None
    key: str
    digest: str


class Envelopes:
    """Puts the events of a match into envelopes, decision after decision."""

    def __init__(
        self,
        game: AnyGame,
        id: MatchId,
        seed: bytes,
        *,
        match: AnyMatch | None = None,
        version: int = 0,
        head: str | None = None,
    ) -> None:
        """Take where the match stands: before its opening, or at a version whose event has this hash."""
        self._game = game
        self._id = id
        self._seed = seed
        self._acting = () if match is None else to_act(game, match)
        self._version = version
        self._head = genesis(id) if head is None else head

    def wrap(self, decision: Decision, events: Sequence[object], after: AnyMatch) -> list[Recorded]:
        """Return the events of a decision that led to a match, each in its envelope."""
        acting, before = to_act(self._game, after), self._acting
        self._acting = acting
        command = None if decision.command is None else canonical(decision.command)
        request = request_hash(decision.by, decision.key, decision.digest)
        last = len(events) - 1
        wrapped = []
        for place, event in enumerate(events):
            first = place == 0
            self._version += 1
            fact = Fact(
                version=self._version,
                at=decision.at,
                seat=decision.seat,
                event=event,
                command=command if first else None,
                request=request if first else None,
            )
            of_the_event = salts(self._seed, self._id, self._version, after.terms.seats)
            linked = link(self._game, self._head, fact, of_the_event)
            self._head = linked.hash
            wrapped.append(
                Recorded(
                    version=self._version,
                    at=decision.at,
                    seat=decision.seat,
                    event=event,
                    link=linked,
                    by=decision.by if first else None,
                    key=decision.key if first else None,
                    digest=decision.digest if first else None,
                    command=fact.command,
                    to_act=acting if place == last and acting != before else None,
                )
            )
        return wrapped


def fact_of(recorded: Recorded, *, whole: bool = True) -> Fact:
    """Return what the hash of a stored event covers; unless it is wanted whole, without who asked for it."""
    request = None
    if whole and recorded.key is not None:
        request = request_hash(recorded.by, recorded.key, recorded.digest)
    return Fact(
        version=recorded.version,
        at=recorded.at,
        seat=recorded.seat,
        event=recorded.event,
        command=recorded.command,
        request=request,
    )
