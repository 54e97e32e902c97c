"""Squirrels, a toy game for testing what is said of secrets: hands, a face-down hoard, private looks.

Two or three squirrels hold nuts unseen by the others, and a hoard lies face down. First each buries one nut
unseen, all at the same time. Then they take turns: take the top nut of the hoard unseen, peek at its top
nuts, or eat alike nuts from the hand, for a point each. When the hoard is empty the buried nuts are dug up,
for two points each if all squirrels buried different ones. Most points win.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import groupby
from typing import Annotated, Literal, assert_never, get_args

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.shared.catalogues import Clause
from domain.shared.chance import Chance
from domain.shared.game import Game
from domain.shared.outcomes import Outcome, Standings, best
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat, chosen, fits, seats_in_order
from domain.shared.tuples import draw, without
from domain.shared.viewers import Viewer, ViewerKind

type Nut = Literal["hazelnut", "acorn", "beechnut"]

NUTS: tuple[Nut, ...] = get_args(Nut.__value__)


type FirstSeat = Literal["random", 0, 1, 2, 3, 4]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """How many nuts there are of each kind and in a hand, whether peeking is allowed, and who begins."""

    nuts: Annotated[tuple[Annotated[int, Meta(ge=4)], ...], Meta(min_length=3, max_length=3)] = (4, 8, 6)
    hand: Annotated[int, Meta(ge=2, le=3)] = 3
    peeking: bool = True
    first_seat: FirstSeat = "random"


class Reason(StrEnum):
    """Why a command is refused."""

    FIRST_SEAT_OUT_OF_RANGE = "FIRST_SEAT_OUT_OF_RANGE"
    BURY_FIRST = "BURY_FIRST"
    BURIED_ALREADY = "BURIED_ALREADY"
    NUT_NOT_HELD = "NUT_NOT_HELD"
    NUTS_DIFFER = "NUTS_DIFFER"
    PEEKING_NOT_ALLOWED = "PEEKING_NOT_ALLOWED"
    PEEKED_ALREADY = "PEEKED_ALREADY"
    HOARD_TOO_SMALL = "HOARD_TOO_SMALL"


class Bury(Struct, frozen=True, tag_field="type", tag="bury", forbid_unknown_fields=True):
    """Bury a nut of the hand."""

    nut: Nut


class Take(Struct, frozen=True, tag_field="type", tag="take", forbid_unknown_fields=True):
    """Take the top nut of the hoard."""


class Peek(Struct, frozen=True, tag_field="type", tag="peek", forbid_unknown_fields=True):
    """Look at the top nuts of the hoard, at one if no number is given."""

    count: Annotated[int, Meta(ge=1, le=3)] | None = None


class Eat(Struct, frozen=True, tag_field="type", tag="eat", forbid_unknown_fields=True):
    """Eat one or two alike nuts of the hand."""

    nuts: Annotated[tuple[Nut, ...], Meta(min_length=1, max_length=2)]


type Command = Bury | Take | Peek | Eat


class Dealt(Struct, frozen=True, tag_field="type", tag="squirrels.dealt"):
    """Nuts were dealt; each squirrel sees its own."""

    hands: tuple[tuple[Nut | None, ...], ...]
    hoard: tuple[Nut | None, ...]
    peeking: bool
    first: Seat


class Buried(Struct, frozen=True, tag_field="type", tag="squirrels.buried"):
    """A squirrel buried a nut; only it knows which."""

    seat: Seat
    nut: Nut | None


class Taken(Struct, frozen=True, tag_field="type", tag="squirrels.taken"):
    """A squirrel took the top nut of the hoard; only it knows which."""

    seat: Seat
    nut: Nut | None


class Peeked(Struct, frozen=True, tag_field="type", tag="squirrels.peeked"):
    """A squirrel looked at the top nuts of the hoard; only it knows them."""

    seat: Seat
    nuts: tuple[Nut | None, ...]


class Eaten(Struct, frozen=True, tag_field="type", tag="squirrels.eaten"):
    """A squirrel ate nuts before the eyes of all."""

    seat: Seat
    nuts: tuple[Nut, ...]


class DugUp(Struct, frozen=True, tag_field="type", tag="squirrels.dug_up"):
    """The buried nuts were dug up."""

    nuts: tuple[Nut, ...]
    points: int


type Event = Dealt | Buried | Taken | Peeked | Eaten | DugUp


class Squirrel(Struct, frozen=True):
    """One squirrel: its hand, sorted; what it buried; how many nuts it knows on top of the hoard; points."""

    hand: tuple[Nut, ...]
    buried: Nut | None = None
    known: int = 0
    points: int = 0


class State(Struct, frozen=True):
    """All squirrels, the hoard from its top, the nuts eaten, whose turn it is, and if nuts were dug up."""

    squirrels: tuple[Squirrel, ...]
    hoard: tuple[Nut, ...]
    eaten: tuple[Nut, ...]
    peeking: bool
    turn: int
    dug_up: bool = False


class SeenSquirrel(Struct, frozen=True):
    """A squirrel as a viewer sees it: numbers, and the nuts themselves if they are the viewer's own."""

    nuts: int
    hand: tuple[Nut, ...] | None
    buried: Nut | None
    has_buried: bool
    points: int


class Table(Struct, frozen=True, tag_field="game", tag="squirrels"):
    """The table: all squirrels, the number of nuts in the hoard, the top ones that the viewer knows."""

    squirrels: tuple[SeenSquirrel, ...]
    hoard: int
    known: tuple[Nut, ...]
    eaten: tuple[Nut, ...]
    turn: int


def _why_not_options(options: Options, seats: int) -> Reason | None:
    return None if fits(options.first_seat, seats) else Reason.FIRST_SEAT_OUT_OF_RANGE


def _begun_by(options: Options, seat: Seat) -> Options:
    return replace(options, first_seat=seat)


def _setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    first = chosen(options.first_seat, seats, chance)
    nuts = chance.shuffle(nut for nut, number in zip(NUTS, options.nuts, strict=True) for _ in range(number))
    hands = []
    for _ in range(seats):
        hand, nuts = draw(nuts, options.hand)
        hands.append(_sorted(hand))
    return (Dealt(tuple(hands), nuts, options.peeking, first),)


def _to_act(state: State) -> tuple[Seat, ...]:
    if state.dug_up:
        return ()
    burying = tuple(Seat(seat) for seat, one in enumerate(state.squirrels) if one.buried is None)
    return burying or (Seat(state.turn % len(state.squirrels)),)


def _why_not(state: State, seat: Seat, command: Command) -> Reason | None:
    own = state.squirrels[seat]
    match command:
        case Bury(nut=nut):
            if own.buried is not None:
                return Reason.BURIED_ALREADY
            return None if nut in own.hand else Reason.NUT_NOT_HELD
        case _ if own.buried is None:
            return Reason.BURY_FIRST
        case Take():
            return None
        case Peek(count=count):
            return _why_not_peek(state, own, count or 1)
        case Eat(nuts=nuts):
            if len(set(nuts)) > 1:
                return Reason.NUTS_DIFFER
            return None if own.hand.count(nuts[0]) >= len(nuts) else Reason.NUT_NOT_HELD
        case _:
            assert_never(command)


def _why_not_peek(state: State, own: Squirrel, count: int) -> Reason | None:
    if not state.peeking:
        return Reason.PEEKING_NOT_ALLOWED
    if own.known:
        return Reason.PEEKED_ALREADY
    return Reason.HOARD_TOO_SMALL if count > len(state.hoard) else None


def _legal_moves(state: State, seat: Seat) -> Iterator[Command]:
    if seat not in _to_act(state):
        return
    held = [tuple(alike) for _, alike in groupby(state.squirrels[seat].hand)]
    moves: list[Command] = [
        *(Bury(alike[0]) for alike in held),
        Take(),
        *(Peek(count) for count in (1, 2, 3)),
        *(Eat(alike[:count]) for alike in held for count in (1, 2) if count <= len(alike)),
    ]
    yield from (move for move in moves if _why_not(state, seat, move) is None)


def _decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...]:
    if reason := _why_not(state, seat, command):
        raise Rejected(reason, seat=seat)
    match command:
        case Bury(nut=nut):
            return (Buried(seat, nut),)
        case Take():
            return (Taken(seat, state.hoard[0]),)
        case Peek(count=count):
            return (Peeked(seat, state.hoard[: count or 1]),)
        case Eat(nuts=nuts):
            return (Eaten(seat, nuts),)
        case _:
            assert_never(command)


def _consequence(state: State, chance: Chance) -> Event | None:
    if state.hoard:
        return None
    buried = [nut for one in state.squirrels if (nut := one.buried)]
    return DugUp(tuple(buried), 2 if len(set(buried)) == len(buried) else 0)


def _evolve(state: State, event: Event) -> State:
    match event:
        case Dealt():
            squirrels = tuple(Squirrel(_whole(hand)) for hand in event.hands)
            return State(squirrels, _whole(event.hoard), (), event.peeking, event.first)
        case Buried(seat=seat, nut=nut):
            own = state.squirrels[seat]
            return _with(state, seat, replace(own, hand=without(own.hand, _whole((nut,))), buried=nut))
        case Taken(seat=seat, nut=nut):
            own = state.squirrels[seat]
            after = _with(state, seat, replace(own, hand=_sorted((*own.hand, *_whole((nut,))))))
            known = (replace(one, known=max(0, one.known - 1)) for one in after.squirrels)
            return replace(after, squirrels=tuple(known), hoard=state.hoard[1:], turn=state.turn + 1)
        case Peeked(seat=seat, nuts=nuts):
            after = _with(state, seat, replace(state.squirrels[seat], known=len(nuts)))
            return replace(after, turn=state.turn + 1)
        case Eaten(seat=seat, nuts=nuts):
            own = state.squirrels[seat]
            after = _with(
                state, seat, replace(own, hand=without(own.hand, nuts), points=own.points + len(nuts))
            )
            return replace(after, eaten=_sorted((*state.eaten, *nuts)), turn=state.turn + 1)
        case DugUp(points=points):
            squirrels = tuple(replace(one, points=one.points + points) for one in state.squirrels)
            return replace(state, squirrels=squirrels, dug_up=True)
        case _:
            assert_never(event)


def _with(state: State, seat: Seat, squirrel: Squirrel) -> State:
    squirrels = (*state.squirrels[:seat], squirrel, *state.squirrels[seat + 1 :])
    return replace(state, squirrels=squirrels)


def _sorted(nuts: tuple[Nut, ...]) -> tuple[Nut, ...]:
    return tuple(sorted(nuts, key=NUTS.index))


def _whole(nuts: tuple[Nut | None, ...]) -> tuple[Nut, ...]:
    """Return nuts as an event was decided: none of them is hidden."""
    return tuple(nut for nut in nuts if nut is not None)


def _sees(viewer: Viewer, seat: int) -> bool:
    return viewer.kind is ViewerKind.ALL or viewer.seat == seat


def _view(state: State, viewer: Viewer) -> Table:
    squirrels = tuple(
        SeenSquirrel(
            nuts=len(one.hand),
            hand=one.hand if _sees(viewer, seat) else None,
            buried=one.buried if _sees(viewer, seat) or state.dug_up else None,
            has_buried=one.buried is not None,
            points=one.points,
        )
        for seat, one in enumerate(state.squirrels)
    )
    known = len(state.hoard) if viewer.kind is ViewerKind.ALL else _known(state, viewer)
    return Table(squirrels, len(state.hoard), state.hoard[:known], state.eaten, state.turn)


def _known(state: State, viewer: Viewer) -> int:
    return 0 if viewer.seat is None else state.squirrels[viewer.seat].known


def _seen(event: Event, viewer: Viewer) -> Event:
    match event:
        case Dealt():
            hands = tuple(
                hand if _sees(viewer, seat) else (None,) * len(hand) for seat, hand in enumerate(event.hands)
            )
            hoard = event.hoard if viewer.kind is ViewerKind.ALL else (None,) * len(event.hoard)
            return Dealt(hands, hoard, event.peeking, event.first)
        case Buried(seat=seat, nut=nut):
            return Buried(seat, nut if _sees(viewer, seat) else None)
        case Taken(seat=seat, nut=nut):
            return Taken(seat, nut if _sees(viewer, seat) else None)
        case Peeked(seat=seat, nuts=nuts):
            return Peeked(seat, nuts if _sees(viewer, seat) else (None,) * len(nuts))
        case Eaten(seat=seat, nuts=nuts):
            return Eaten(seat, nuts)
        case DugUp(nuts=nuts, points=points):
            return DugUp(nuts, points)
        case _:
            assert_never(event)


def _determinize(state: State, viewer: Viewer, chance: Chance) -> State:
    if viewer.kind is ViewerKind.ALL or state.dug_up:
        return state
    known = _known(state, viewer)
    others = [one for seat, one in enumerate(state.squirrels) if seat != viewer.seat]
    buried = [nut for one in others if (nut := one.buried)]
    hidden = chance.shuffle((*(nut for one in others for nut in one.hand), *buried, *state.hoard[known:]))
    squirrels = []
    for seat, one in enumerate(state.squirrels):
        if seat == viewer.seat:
            squirrels.append(one)
            continue
        hand, hidden = draw(hidden, len(one.hand))
        deep, hidden = draw(hidden, 0 if one.buried is None else 1)
        squirrels.append(replace(one, hand=_sorted(hand), buried=deep[0] if deep else None))
    return replace(state, squirrels=tuple(squirrels), hoard=(*state.hoard[:known], *hidden))


def _outcome(state: State) -> Outcome | None:
    if not state.dug_up:
        return None
    kind, winners = best(_standings(state), seats_in_order(len(state.squirrels)))
    return Outcome(kind, winners, _scores(state), "hoard_empty")


def _scores(state: State) -> tuple[int, ...]:
    return tuple(one.points for one in state.squirrels)


def _standings(state: State) -> Standings:
    return tuple((points,) for points in _scores(state))


def _pieces(state: State) -> tuple[str, ...]:
    held = [nut for one in state.squirrels for nut in one.hand]
    buried = [nut for one in state.squirrels if (nut := one.buried)]
    return tuple(sorted((*held, *buried, *state.hoard, *state.eaten)))


CLAUSES: Mapping[StrEnum, str] = dict.fromkeys(Reason, "§1")

SQUIRRELS: Game[State, Command, Event, Options] = Game(
    id="squirrels",
    title="Squirrels",
    ruleset="squirrels/1",
    summary="Take, peek and eat until the hoard is empty.",
    min_seats=2,
    max_seats=3,
    options=Options,
    commands=(Bury, Take, Peek, Eat),
    events=(Dealt, Buried, Taken, Peeked, Eaten, DugUp),
    seen_events=(Dealt, Buried, Taken, Peeked, Eaten, DugUp),
    state=State,
    table=Table,
    clauses=CLAUSES,
    rules=(Clause("§1", "Most points win."),),
    data=(),
    initial=State((), (), (), True, 0),
    why_not_options=_why_not_options,
    begun_by=_begun_by,
    setup=_setup,
    to_act=_to_act,
    why_not=_why_not,
    legal_moves=_legal_moves,
    decide=_decide,
    consequence=_consequence,
    evolve=_evolve,
    view=_view,
    seen=_seen,
    determinize=_determinize,
    outcome=_outcome,
    scores=_scores,
    standings=_standings,
    defaults=(Take(),),
    pieces=_pieces,
)
