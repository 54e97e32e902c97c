"""Mountains: hikes for which two to five seats lend one another their equipment."""

from domain.games.mountains.catalogue import DATA, HAND_SIZES, RULESET, Options, begun_by, why_not_options
from domain.games.mountains.commands import COMMANDS, AbandonHike, Command, DeclineHike, DeclineOffer
from domain.games.mountains.decide import consequence, decide
from domain.games.mountains.events import EVENTS, Event
from domain.games.mountains.evolve import evolve
from domain.games.mountains.legality import legal_moves, to_act, why_not
from domain.games.mountains.outcome import outcome, scores, standings, stones
from domain.games.mountains.rejections import CLAUSES
from domain.games.mountains.rules import DRAWS, RULES
from domain.games.mountains.setup import setup
from domain.games.mountains.state import INITIAL, State, pieces
from domain.games.mountains.view import Table, at_end, determinize, seen, view
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
    begun_by=begun_by,
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
