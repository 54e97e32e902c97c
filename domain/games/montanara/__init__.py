"""Montanara: two seats dig crystals out of four mountains of face-down cards."""

from domain.games.montanara.catalogue import DATA, RULESET, SEATS, Options, begun_by, why_not_options
from domain.games.montanara.commands import COMMANDS, Command, DeclineLook, Place, PlaceDrilled, StopDrilling
from domain.games.montanara.decide import consequence, decide
from domain.games.montanara.events import EVENTS, Event
from domain.games.montanara.evolve import evolve
from domain.games.montanara.legality import legal_moves, to_act, why_not
from domain.games.montanara.outcome import outcome, scores, standings
from domain.games.montanara.rejections import CLAUSES
from domain.games.montanara.rules import DRAWS, RULES
from domain.games.montanara.setup import setup
from domain.games.montanara.state import INITIAL, State, pieces
from domain.games.montanara.view import Table, determinize, seen, unaided, view
from domain.shared.game import Game

GAME: Game[State, Command, Event, Options] = Game(
    id="montanara",
    title="Montanara",
    ruleset=RULESET,
    summary="For two: dig crystals out of four mountains of face-down cards, or out of your own hand.",
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
    unaided=unaided,
    seen=seen,
    determinize=determinize,
    outcome=outcome,
    scores=scores,
    standings=standings,
    defaults=(DeclineLook(), StopDrilling(), PlaceDrilled(Place.BOTTOM)),
    pieces=pieces,
)
