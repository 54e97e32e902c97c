"""What a command brings about in Montanara, and what is then forced (montanara §4)."""

from typing import assert_never

from domain.games.montanara.catalogue import Kind, TunnelOrder
from domain.games.montanara.commands import (
    ArrangeTunnel,
    Command,
    DeclineLook,
    Dig,
    DigHome,
    Drill,
    LookAtMountain,
    PlaceDrilled,
    PlayCaveIn,
    PlayDrilling,
    PlayDwarf,
    PlayOpenPit,
    PlayShaking,
    PlayTheft,
    PlayTunnel,
    StopDrilling,
    TakeCard,
)
from domain.games.montanara.events import (
    CardDug,
    CardLifted,
    CardPlaced,
    CardTaken,
    CaveInDug,
    CaveInPlayed,
    CrystalDug,
    DigBegun,
    DrillingEnded,
    DrillingPlayed,
    DwarfPlayed,
    Event,
    LookDeclined,
    MountainLookedAt,
    OpenPitPlayed,
    ShakingPlayed,
    TheftPlayed,
    TunnelArranged,
    TunnelPlayed,
)
from domain.games.montanara.legality import odd, unvisited, why_not
from domain.games.montanara.state import Phase, State, in_tunnel, kinds
from domain.shared.chance import Chance
from domain.shared.rejections import Rejected
from domain.shared.seats import Seat
from domain.shared.tuples import draw, without


def decide(state: State, seat: Seat, command: Command, chance: Chance) -> tuple[Event, ...]:
    """Return what a command brings about.

    Raises:
        Rejected: The rules refuse it.
    """
    if reason := why_not(state, seat, command):
        raise Rejected(reason, seat=seat)
    match command:
        case TakeCard(mountain=mountain):
            return (CardTaken(seat, mountain, state.mountains[mountain][0].kind),)
        case PlayDwarf():
            return (DwarfPlayed(seat),)
        case PlayCaveIn():
            return (CaveInPlayed(seat, tuple(display.dwarfs for display in state.displays)),)
        case LookAtMountain(mountain=mountain):
            return (MountainLookedAt(seat, mountain, kinds(state.mountains[mountain])),)
        case DeclineLook():
            return (LookDeclined(seat),)
        case PlayTheft():
            return (_theft(state, seat),)
        case PlayShaking():
            return (_shaking(state, seat, command, chance),)
        case PlayTunnel(mountain=mountain):
            return (TunnelPlayed(seat, mountain, in_tunnel(state, mountain)),)
        case ArrangeTunnel(order=order):
            return (TunnelArranged(seat, state.visited[-1], order, chosen=True),)
        case PlayDrilling(mountain=mountain):
            return (DrillingPlayed(seat), _lift(state, seat, mountain))
        case PlaceDrilled(on=on):
            return (CardPlaced(seat, state.visited[-1], on),)
        case Drill(mountain=mountain):
            return (_lift(state, seat, mountain),)
        case StopDrilling():
            return (DrillingEnded(seat),)
        case PlayOpenPit(mountain=mountain):
            return (OpenPitPlayed(seat, mountain, state.mountains[mountain][-1].kind),)
        case Dig(mountain=mountain):
            return (_dig(state, seat, mountain, len(state.mountains[mountain])),)
        case DigHome():
            return (_dig(state, seat, None, len(state.hands[seat])),)
        case _:
            assert_never(command)


def consequence(state: State, chance: Chance) -> Event | None:
    """Return what happens next with no one choosing, or None: a dig, a tunnel, the end of drilling."""
    if state.left:
        return _turn_over(state, chance)
    if state.phase is Phase.TUNNEL and state.tunnel_order is TunnelOrder.RANDOM:
        mountain = state.visited[-1]
        order = chance.shuffle(in_tunnel(state, mountain))
        return TunnelArranged(state.turn, mountain, order, chosen=False)
    if state.phase is Phase.DRILLING and not state.lifted and not unvisited(state):
        return DrillingEnded(state.turn)
    return None


def _theft(state: State, seat: Seat) -> TheftPlayed:
    """Return the swap of both hands without the theft card (§4.4)."""
    hands = [kinds(hand) for hand in state.hands]
    hands[seat] = without(hands[seat], (Kind.THEFT,))
    return TheftPlayed(seat, tuple(reversed(hands)))


def _shaking(state: State, seat: Seat, shaking: PlayShaking, chance: Chance) -> ShakingPlayed:
    """Return the two mountains that shaking gives: the upper part lies on the lower-numbered space (§4.5)."""
    first, second = sorted((shaking.first, shaking.second))
    cards = chance.shuffle(kinds((*state.mountains[first], *state.mountains[second])))
    extra = odd(state, first, second) and shaking.extra != second
    return ShakingPlayed(seat, first, second, draw(cards, len(cards) // 2 + extra))


def _lift(state: State, seat: Seat, mountain: int) -> CardLifted:
    return CardLifted(seat, mountain, state.mountains[mountain][-1].kind)


def _dig(state: State, seat: Seat, mountain: int | None, cards: int) -> DigBegun:
    """Return the beginning of a dig: a card for each dwarf, or as many as there are (R3, R4)."""
    return DigBegun(seat, mountain, min(cards, state.displays[seat].dwarfs))


def _turn_over(state: State, chance: Chance) -> Event:
    """Return what turning over the next card of a dig brings about (§4.9)."""
    seat = state.turn
    if state.visited:
        mountain: int | None = state.visited[-1]
        card = state.mountains[state.visited[-1]][0].kind
    else:
        # The top card of the shuffled hand is any of its cards, each equally likely.
        mountain, hand = None, state.hands[seat]
        card = hand[chance.below(len(hand))].kind
    match card:
        case Kind.CRYSTAL:
            return CrystalDug(seat, mountain)
        case Kind.CAVE_IN:
            return CaveInDug(seat, mountain, state.displays[seat].dwarfs)
        case _:
            return CardDug(seat, mountain, card, state.left - 1)
