"""Montanara §4.6: tunnel construction."""

import pytest

from domain.games.montanara.catalogue import Kind, TunnelOrder
from domain.games.montanara.commands import ArrangeTunnel, Command, DeclineLook, PlayTunnel
from domain.games.montanara.events import TunnelArranged, TunnelPlayed
from domain.games.montanara.rejections import Reason
from domain.games.montanara.state import State
from tests.support.games.montanara import cards, laid, montanara, shuffled, table
from tests.support.games.scenarios import ANN, BEN

MOUNTAINS = "crystal theft dwarf theft open_pit / dwarf theft / dwarf / "


def holding(order: TunnelOrder, mountains: str = MOUNTAINS) -> State:
    """Return a table on which Ann holds a tunnel."""
    return table(hands="tunnel / ", mountains=mountains, tunnel_order=order)


def test_the_top_four_go_back_at_random() -> None:
    """Four are seen and shuffled by chance at once; the card is discarded (§4.6, R9)."""
    dug = (
        montanara.given(holding(TunnelOrder.RANDOM))
        .when(PlayTunnel(0), ANN, shuffled("theft theft crystal dwarf"))
        .then(
            TunnelPlayed(ANN, 0, cards("crystal theft dwarf theft")),
            TunnelArranged(ANN, 0, cards("theft theft crystal dwarf"), chosen=False),
        )
    )
    assert laid(dug.state) == laid(
        table(
            mountains="theft theft crystal dwarf open_pit / dwarf theft / dwarf / ",
            discard_pile="tunnel",
            turn=BEN,
        )
    )


def test_a_smaller_mountain_shows_all_it_has() -> None:
    """Fewer than four if there are fewer (§4.6, R15)."""
    (
        montanara.given(holding(TunnelOrder.RANDOM))
        .when(PlayTunnel(1), ANN, shuffled("theft dwarf"))
        .then(
            TunnelPlayed(ANN, 1, cards("dwarf theft")),
            TunnelArranged(ANN, 1, cards("theft dwarf"), chosen=False),
        )
    )


def test_the_seat_may_choose_the_order() -> None:
    """All different orders are listed; meanwhile the card lies open, then it is discarded (§4.6, §4.10)."""
    waiting = (
        montanara.given(holding(TunnelOrder.CHOSEN, "theft crystal theft / dwarf / / "))
        .when(PlayTunnel(0), ANN)
        .then(TunnelPlayed(ANN, 0, cards("theft crystal theft")))
        .then_legal(
            ArrangeTunnel(cards("crystal theft theft")),
            ArrangeTunnel(cards("theft crystal theft")),
            ArrangeTunnel(cards("theft theft crystal")),
            seat=ANN,
        )
    )
    assert (laid(waiting.state).played, laid(waiting.state).discard_pile) == (Kind.TUNNEL, ())
    assert montanara.game.to_act(waiting.state) == (ANN,)
    over = waiting.when(ArrangeTunnel(cards("theft theft crystal")), ANN).then(
        TunnelArranged(ANN, 0, cards("theft theft crystal"), chosen=True)
    )
    assert laid(over.state) == laid(
        table(
            mountains="theft theft crystal / dwarf / / ",
            discard_pile="tunnel",
            turn=BEN,
            tunnel_order=TunnelOrder.CHOSEN,
        )
    )


def test_four_different_cards_have_24_orders() -> None:
    """By their first difference, kinds in the order of the rules (§4.6, common §9)."""
    four = "open_pit crystal dwarf theft"
    waiting = (
        montanara.given(holding(TunnelOrder.CHOSEN, f"{four} / dwarf / / "))
        .when(PlayTunnel(0), ANN)
        .then(TunnelPlayed(ANN, 0, cards(four)))
    )
    moves = list(montanara.game.legal_moves(waiting.state, ANN))
    assert len(moves) == len(set(moves)) == 24
    assert moves[:3] == [
        ArrangeTunnel(cards("dwarf crystal theft open_pit")),
        ArrangeTunnel(cards("dwarf crystal open_pit theft")),
        ArrangeTunnel(cards("dwarf theft crystal open_pit")),
    ]
    assert moves[-1] == ArrangeTunnel(cards("open_pit theft crystal dwarf"))


@pytest.mark.parametrize("pile", ["dwarf dwarf", "theft theft theft theft"])
def test_alike_cards_are_asked_for_as_well(pile: str) -> None:
    """Whether a seat is asked never tells that its cards are alike (§4.6, common §3)."""
    (
        montanara.given(holding(TunnelOrder.CHOSEN, f"{pile} / dwarf / / "))
        .when(PlayTunnel(0), ANN)
        .then(TunnelPlayed(ANN, 0, cards(pile)))
        .then_legal(ArrangeTunnel(cards(pile)), seat=ANN)
    )


@pytest.mark.parametrize("order", TunnelOrder)
def test_of_one_card_there_is_no_order(order: TunnelOrder) -> None:
    """A mountain of one card is seen, and the turn is over (§4.6)."""
    dug = montanara.given(holding(order)).when(PlayTunnel(2), ANN).then(TunnelPlayed(ANN, 2, cards("dwarf")))
    assert laid(dug.state).discard_pile == cards("tunnel")
    assert montanara.game.to_act(dug.state) == (BEN,)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (ArrangeTunnel(cards("crystal theft dwarf")), Reason.NOT_THE_CARDS_SEEN),
        (ArrangeTunnel(cards("crystal theft dwarf dwarf")), Reason.NOT_THE_CARDS_SEEN),
        (ArrangeTunnel(cards("crystal theft theft dwarf theft")), Reason.NOT_THE_CARDS_SEEN),
        (PlayTunnel(0), Reason.WRONG_PHASE),
        (DeclineLook(), Reason.WRONG_PHASE),
    ],
)
def test_the_order_has_exactly_the_cards_seen(command: Command, reason: Reason) -> None:
    """Not one more, less or other; and nothing else may be done (§4.0, §4.6)."""
    (
        montanara.given(holding(TunnelOrder.CHOSEN))
        .when(PlayTunnel(0), ANN)
        .then(TunnelPlayed(ANN, 0, cards("crystal theft dwarf theft")))
        .when(command, ANN)
        .then_rejected(reason)
    )


def test_a_tunnel_needs_the_card_and_a_mountain() -> None:
    """It is played from the hand, at a mountain that has cards (§4.6, §4.10)."""
    given = montanara.given(holding(TunnelOrder.RANDOM))
    given.when(PlayTunnel(3), ANN).then_rejected(Reason.MOUNTAIN_EMPTY)
    given = montanara.given(table(hands="dwarf / tunnel"))
    given.when(PlayTunnel(0), ANN).then_rejected(Reason.CARD_NOT_IN_HAND)
