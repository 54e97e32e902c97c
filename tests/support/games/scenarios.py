"""Given / when / then, for the pure rules of any game."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Self, get_args

import pytest

from domain.shared.chance import Chance, SeededChance
from domain.shared.game import AnyGame, Game, play
from domain.shared.outcomes import Outcome
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, seats_in_order

type FirstSeat = Literal["random", 0, 1, 2, 3, 4]

FIRST_SEATS: tuple[FirstSeat, ...] = get_args(FirstSeat.__value__)
"""Every way to say who begins in a game for up to five: chance first, then the seats."""

ANN, BEN, CAM, DAN, EVE = seats_in_order(5)
"""Who sits at the tables of the tests."""


def luck(context: str = "test") -> SeededChance:
    """Return chance that is the same in every run, for tests that need some and do not care which."""
    return SeededChance(bytes(32), context)


def accepted(game: AnyGame, state: Any, seat: Seat, command: Any) -> bool:
    """Return whether a command is legal, where asking why not and deciding agree."""
    refused = game.why_not(state, seat, command)
    decided = None
    try:
        game.decide(state, seat, command, luck())
    except Rejected as refusal:
        decided = refusal.reason
    assert decided is refused
    return decided is None


@dataclass(frozen=True)
class Scenarios[S, C, E]:
    """Where a game's scenarios start: `montana.given(table).when(command).then(event)`."""

    game: Game[S, C, E, Any]

    def given(self, state: S) -> Given[S, C, E]:
        """Start from a table."""
        return Given(self.game, state)


@dataclass(frozen=True)
class Given[S, C, E]:
    """A table on which something may be asked for."""

    game: Game[S, C, E, Any]
    state: S

    def when(self, command: C, seat: int = 0, chance: Chance | None = None) -> When[S, C, E]:
        """Let a seat give a command."""
        return When(self.game, self.state, Seat(seat), command, chance or luck())

    def then_legal(self, *moves: C, seat: int = 0) -> Self:
        """The seat's legal moves are exactly these, in this order."""
        assert tuple(self.game.legal_moves(self.state, Seat(seat))) == moves
        return self

    def then_ended(self, outcome: Outcome | None) -> Self:
        """The game has ended so; None: it goes on."""
        assert self.game.outcome(self.state) == outcome
        return self


@dataclass(frozen=True)
class When[S, C, E]:
    """A command that was given; what follows is asserted."""

    game: Game[S, C, E, Any]
    state: S
    seat: Seat
    command: C
    chance: Chance = field(repr=False)

    def then(self, *events: E) -> Given[S, C, E]:
        """Exactly these events happen, forced ones too; goes on from the table that they lead to."""
        assert self.game.why_not(self.state, self.seat, self.command) is None
        happened, state = play(self.game, self.state, self.seat, self.command, self.chance)
        assert happened == events
        return Given(self.game, state)

    def then_rejected(self, reason: StrEnum, **details: int | str) -> None:
        """The rules refuse for this reason, and name these details if any are given."""
        assert self.game.why_not(self.state, self.seat, self.command) is reason
        with pytest.raises(Rejected) as refusal:
            self.game.decide(self.state, self.seat, self.command, self.chance)
        assert refusal.value.reason is reason
        if details:
            assert refusal.value.details == details
