"""High Card: two seats play a card each, and the higher one takes the trick."""

from domain.shared.game import Game

from .catalogue import DATA, RULESET, SEATS, Options, begun_by, why_not_options
from .commands import COMMANDS, Command
from .decide import consequence, decide
from .events import EVENTS, Event
from .evolve import evolve
from .legality import legal_moves, to_act, why_not
from .outcome import outcome, scores, standings
from .rejections import CLAUSES
from .rules import RULES
from .setup import setup
from .state import INITIAL, State, pieces
from .view import Table, determinize, seen, view

GAME: Game[State, Command, Event, Options] = Game(
    id="high_card",
    title="High Card",
    ruleset=RULESET,
    summary="Play a card each; the higher one takes the trick.",
    min_seats=SEATS,
    max_seats=SEATS,
    options=Options,
    commands=COMMANDS,
    events=EVENTS,
    seen_events=EVENTS,
    state=State,
    table=Table,
    clauses=CLAUSES,
    rules=RULES,
    data=DATA,
    initial=INITIAL,
    why_not_options=why_not_options,
    begun_by=begun_by,
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
