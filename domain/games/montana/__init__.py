"""Montana, also Gaps, Spaces, Addiction: a solitaire of four rows."""

from domain.games.montana.catalogue import DATA, RULESET, Options, why_not_options
from domain.games.montana.commands import COMMANDS, Command
from domain.games.montana.decide import consequence, decide
from domain.games.montana.events import EVENTS, Event
from domain.games.montana.evolve import evolve
from domain.games.montana.legality import legal_moves, to_act, why_not
from domain.games.montana.outcome import outcome, scores, standings
from domain.games.montana.rejections import CLAUSES
from domain.games.montana.rules import DRAWS, RULES
from domain.games.montana.setup import setup
from domain.games.montana.state import INITIAL, State, pieces
from domain.games.montana.view import Table, determinize, seen, view
from domain.shared.game import Game

GAME: Game[State, Command, Event, Options] = Game(
    id="montana",
    title="Montana",
    ruleset=RULESET,
    summary="A solitaire: fill the gaps until each of the four rows runs from 2 to king in one suit.",
    min_seats=1,
    max_seats=1,
    options=Options,
    commands=COMMANDS,
    events=EVENTS,
    seen_events=EVENTS,
    state=State,
    table=Table,
    clauses=CLAUSES,
    rules=RULES,
    data=DATA,
    draws=DRAWS,
    initial=INITIAL,
    why_not_options=why_not_options,
    setup=setup,
    to_act=to_act,
    why_not=why_not,
    legal_moves=legal_moves,
    decide=decide,
    consequence=consequence,
    evolve=evolve,
    view=view,
    seen=seen,
    determinize=determinize,
    outcome=outcome,
    scores=scores,
    standings=standings,
    defaults=(),
    pieces=pieces,
)
