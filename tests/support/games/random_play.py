"""Montana played at random, as the oracles of montana §8 have it."""

from collections.abc import Callable, Sequence
from random import Random

from domain.games.montana import GAME
from domain.games.montana.catalogue import COLUMNS, GAP, NUMBERS, RANKS, Options
from domain.games.montana.commands import Command, MoveCard
from domain.games.montana.state import State
from domain.shared.chance import Chance
from domain.shared.game import begin, play
from domain.shared.seats import Seat

type Policy = Callable[[State, Sequence[MoveCard], Random], MoveCard]
"""Which of the legal moves, at least one, is made."""


def uniform(state: State, moves: Sequence[MoveCard], dice: Random) -> MoveCard:
    """Return any of the moves, each equally likely."""
    return dice.choice(moves)


def careful(state: State, moves: Sequence[MoveCard], dice: Random) -> MoveCard:
    """Return any of the moves that leave no dead gap behind, each equally likely; if all do, any of all."""
    return dice.choice([move for move in moves if not _leaves_dead_gap(state, move)] or moves)


def walks(state: State, move: MoveCard) -> bool:
    """Return whether a 2 that lies in column 0 would go to another row."""
    return move.column == 0 and state.cells.index(NUMBERS[move.card]) % COLUMNS == 0


def play_out(options: Options, policy: Policy, dice: Random, chance: Chance) -> tuple[State, int]:
    """Return the table at the end of a game and the most moves made between two deals.

    2s that lie in column 0 are left alone. That never leaves a policy without a move while the table is not
    stuck: a gap in column 0 means that at most three 2s lie there, so one that lies elsewhere can move.
    """
    _, state = begin(GAME, options, 1, chance)
    moved, most = 0, 0
    while GAME.outcome(state) is None:
        legal = GAME.legal_moves(state, Seat(0))
        moves = [move for move in legal if isinstance(move, MoveCard) and not walks(state, move)]
        command: Command
        if moves:
            command, moved = policy(state, moves, dice), moved + 1
        else:
            (command,), moved = legal, 0
        most = max(most, moved)
        _, state = play(GAME, state, Seat(0), command, chance)
    return state, most


def _leaves_dead_gap(state: State, move: MoveCard) -> bool:
    """Return whether nothing fits the place that the card leaves, once it has left."""
    origin = state.cells.index(NUMBERS[move.card])
    if origin % COLUMNS == 0:
        return False
    filled = (move.row or 0) * COLUMNS + (move.column or 0) == origin - 1
    left = NUMBERS[move.card] if filled else state.cells[origin - 1]
    return left == GAP or left % RANKS == 0
