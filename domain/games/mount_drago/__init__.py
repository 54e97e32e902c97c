"""Mount Drago: ten dragons race to the summit, and riders change from one to another; two to five seats."""

from domain.games.mount_drago.catalogue import DATA, RULESET, Options, begun_by, why_not_options
from domain.games.mount_drago.commands import COMMANDS, Command, Draw
from domain.games.mount_drago.decide import consequence, decide
from domain.games.mount_drago.events import EVENTS, Event
from domain.games.mount_drago.evolve import evolve
from domain.games.mount_drago.legality import legal_moves, to_act, why_not
from domain.games.mount_drago.outcome import outcome, scores, standings
from domain.games.mount_drago.rejections import CLAUSES
from domain.games.mount_drago.rules import DRAWS, RULES
from domain.games.mount_drago.setup import setup
from domain.games.mount_drago.state import INITIAL, State, pieces
from domain.games.mount_drago.view import Table, determinize, seen, view
from domain.shared.game import Game

GAME: Game[State, Command, Event, Options] = Game(
    id="mount_drago",
    title="Mount Drago",
    ruleset=RULESET,
    summary="A race of ten dragons to the summit: ride the right one whenever a scoring comes.",
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
    defaults=(Draw,),
    pieces=pieces,
)
