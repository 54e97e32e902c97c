"""Montana, also Gaps, Spaces, Addiction: a solitaire of four rows."""

from domain.montana.catalogue import DATA, RULESET, Options, why_not_options
from domain.montana.commands import COMMANDS, Command
from domain.montana.decide import consequence, decide
from domain.montana.events import EVENTS, Event
from domain.montana.evolve import evolve
from domain.montana.legality import legal_moves, to_act, why_not
from domain.montana.outcome import outcome, scores, standings
from domain.montana.rejections import CLAUSES
from domain.montana.rules import DRAWS, RULES
from domain.montana.setup import setup
from domain.montana.state import INITIAL, State, pieces
from domain.montana.view import Table, determinize, seen, view
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
