"""Montmartre: painters who sell to collectors; two to five seats."""

from domain.games.montmartre.catalogue import DATA, RULESET, Options, begun_by, why_not_options
from domain.games.montmartre.commands import COMMANDS, Command, DeclineContract, Pick
from domain.games.montmartre.decide import consequence, decide
from domain.games.montmartre.events import EVENTS, Event
from domain.games.montmartre.evolve import evolve
from domain.games.montmartre.legality import legal_moves, to_act, why_not
from domain.games.montmartre.outcome import outcome, scores, standings
from domain.games.montmartre.rejections import CLAUSES
from domain.games.montmartre.rules import DRAWS, RULES
from domain.games.montmartre.setup import setup
from domain.games.montmartre.state import INITIAL, State, pieces
from domain.games.montmartre.view import Table, determinize, seen, view
from domain.shared.game import Game

GAME: Game[State, Command, Event, Options] = Game(
    id="montmartre",
    title="Montmartre",
    ruleset=RULESET,
    summary="Paint, and sell your paintings to collectors while nobody has more or better of their colour.",
    min_seats=2,
    max_seats=5,
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
    defaults=(DeclineContract(), Pick),
    pieces=pieces,
)
