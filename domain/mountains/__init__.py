"""Mountains: hikes for which two to five seats lend one another their equipment."""

from domain.mountains.catalogue import DATA, HAND_SIZES, RULESET, Options, why_not_options
from domain.mountains.commands import COMMANDS, AbandonHike, Command, DeclineHike, DeclineOffer
from domain.mountains.decide import consequence, decide
from domain.mountains.events import EVENTS, Event
from domain.mountains.evolve import evolve
from domain.mountains.legality import legal_moves, to_act, why_not
from domain.mountains.outcome import outcome, scores, standings, stones
from domain.mountains.rejections import CLAUSES
from domain.mountains.rules import DRAWS, RULES
from domain.mountains.setup import setup
from domain.mountains.state import INITIAL, State, pieces
from domain.mountains.view import Table, at_end, determinize, seen, view
from domain.shared.game import Game

GAME: Game[State, Command, Event, Options] = Game(
    id="mountains",
    title="Mountains",
    ruleset=RULESET,
    summary="Put together equipment for day hikes, with what others must lend you, and collect stamps.",
    min_seats=min(HAND_SIZES),
    max_seats=max(HAND_SIZES),
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
    at_end=at_end,
    seen=seen,
    determinize=determinize,
    outcome=outcome,
    scores=scores,
    stones=stones,
    standings=standings,
    defaults=(DeclineHike(), AbandonHike(), DeclineOffer()),
    pieces=pieces,
)
