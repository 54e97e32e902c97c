"""Montanara §6, R14: other tables that a viewer cannot tell from this one."""

from collections import Counter

import pytest

from domain.games.montanara.catalogue import Kind, Options, TunnelOrder
from domain.games.montanara.commands import PlayDrilling, PlayDwarf, PlayTheft, PlayTunnel, TakeCard
from domain.games.montanara.state import State
from domain.games.montanara.view import determinize, view
from domain.match.branch import resampled
from domain.shared.game import begin
from domain.shared.seats import by_seat
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from tests.support.games.montanara import after, cards, known_hand, laid, montanara, shuffled, table
from tests.support.games.scenarios import ANN, BEN, luck

MOUNTAINS = "theft*0 tunnel / crystal*1 dwarf*01 / open_pit / drilling shaking"
STATE = table(hands="dwarf theft / crystal cave_in cave_in*", mountains=MOUNTAINS)


def twins(state: State, viewer: Viewer) -> list[State]:
    """Return many tables that a viewer cannot tell from one, each of which it sees as that one."""
    found = [determinize(state, viewer, luck(f"{number}")) for number in range(200)]
    assert all(view(twin, viewer) == view(state, viewer) for twin in found)
    assert all(montanara.game.pieces(twin) == montanara.game.pieces(state) for twin in found)
    return found


def at(twins: list[State], mountain: int, place: int) -> set[Kind]:
    """Return what lies at a place of a mountain."""
    return {laid(twin).mountains[mountain].cards[place] for twin in twins}


HIDDEN_FROM_ANN = {"crystal", "cave_in", "tunnel", "open_pit", "drilling", "shaking"}


def test_what_a_seat_does_not_know_is_redrawn() -> None:
    """Any hidden card may lie at any hidden place, of the mountains and of the other hand (§6)."""
    found = twins(STATE, seated(ANN))
    assert at(found, 0, 1) == at(found, 1, 0) == at(found, 2, 0) == at(found, 3, 0) == HIDDEN_FROM_ANN
    assert {card for twin in found for card in laid(twin).seats[1].hand} == HIDDEN_FROM_ANN


def test_what_a_seat_knows_stays() -> None:
    """Its own hand, the places it was shown, and the cards that it gave (R14)."""
    found = twins(STATE, seated(ANN))
    assert {laid(twin).seats[0].hand for twin in found} == {laid(STATE).seats[0].hand}
    assert (at(found, 0, 0), at(found, 1, 1)) == ({Kind.THEFT}, {Kind.DWARF})
    assert all(Kind.CAVE_IN in laid(twin).seats[1].hand for twin in found)


def test_who_knows_which_place_stays() -> None:
    """What the other seat was shown it still knows, whatever lies there (R14)."""
    for twin in twins(STATE, seated(ANN)):
        assert [[card.known_to for card in pile] for pile in twin.mountains] == [
            [card.known_to for card in pile] for pile in STATE.mountains
        ]


def test_a_spectator_knows_no_card() -> None:
    """All hands and mountains are redrawn together (§6)."""
    found = twins(STATE, SPECTATOR)
    assert at(found, 0, 0) == at(found, 1, 1) == set(laid(STATE).seats[0].hand) | HIDDEN_FROM_ANN
    assert len({laid(twin).seats[0].hand for twin in found}) > 20


def test_the_dwarf_that_each_seat_took_stays() -> None:
    """Everybody knows of it until a dwarf leaves that hand (§3.1)."""
    _, state = begin(montanara.game, Options(), 2, luck())
    for viewer in (seated(ANN), seated(BEN), SPECTATOR):
        found = twins(state, viewer)
        for seat in (ANN, BEN):
            assert all(Kind.DWARF in laid(twin).seats[seat].hand for twin in found)
        hands = Counter(laid(twin).seats[1 - (viewer.seat or 0)].hand for twin in found)
        assert len(hands) > 20


def test_of_a_dwarf_that_has_left_nobody_knows_any_more() -> None:
    """Ann took a dwarf before all eyes and has another; when one is played none is certain (§3.1)."""
    options = Options(first_seat=0)
    _, state = begin(montanara.game, options, 2, shuffled("dwarf theft theft"))
    played = after(state, PlayDwarf())
    assert laid(played).seats[0].hand == cards("dwarf theft theft")
    for viewer in (seated(BEN), SPECTATOR):
        assert all(Kind.DWARF in laid(twin).seats[0].hand for twin in twins(state, viewer))
        assert not all(Kind.DWARF in laid(twin).seats[0].hand for twin in twins(played, viewer))


def test_a_card_that_was_known_where_it_was_taken_stays() -> None:
    """Ann knew the top card that Ben took: he has it, though the memory aid does not say so (R14)."""
    state = after(
        table(hands=" / theft", mountains="crystal*0 / dwarf dwarf / tunnel / open_pit", turn=BEN),
        TakeCard(0),
    )
    assert all(Kind.CRYSTAL in laid(twin).seats[1].hand for twin in twins(state, seated(ANN)))
    assert not all(Kind.CRYSTAL in laid(twin).seats[1].hand for twin in twins(state, SPECTATOR))


def test_a_given_hand_stays_whole() -> None:
    """After a theft each seat knows the hand it gave, and the spectator neither (R14)."""
    state = after(table(hands="dwarf theft tunnel / crystal drilling"), PlayTheft())
    for seat in (ANN, BEN):
        assert {laid(twin).seats for twin in twins(state, seated(seat))} == {laid(state).seats}
    assert len({laid(twin).seats for twin in twins(state, SPECTATOR)}) > 20


@pytest.mark.parametrize(
    ("played", "taken"), [("tunnel", "dwarf"), ("dwarf", "tunnel")], ids=["given", "taken since"]
)
def test_a_spectators_twin_does_not_tell_if_a_played_card_was_given(played: str, taken: str) -> None:
    """Ann gave Ben a card, and he took one; whether he plays the one or the other, only Ann can tell (R14).

    The tables after it differ in what Ann knows of the card that is left, which a spectator does not see.
    """
    state = after(
        table(
            hands=f"theft {played} / drilling",
            mountains=f"{taken} open_pit / open_pit / crystal / crystal",
        ),
        PlayTheft(),
        TakeCard(0),
        TakeCard(1),
    )
    for command in (PlayTunnel(2), PlayDwarf()):
        left = after(state, command)
        other = after(
            table(
                hands=f"theft {taken} / drilling",
                mountains=f"{played} open_pit / open_pit / crystal / crystal",
            ),
            PlayTheft(),
            TakeCard(0),
            TakeCard(1),
            command,
        )
        assert known_hand(left, ANN) != known_hand(other, ANN)
        assert view(left, SPECTATOR) == view(other, SPECTATOR)
        for number in range(20):
            one, twin = (
                resampled(montanara.game, each, SPECTATOR, luck(f"{number}")) for each in (left, other)
            )
            assert one == twin
            assert known_hand(one, ANN) == ()


def test_of_a_hidden_hand_a_viewer_knows_who_holds_it() -> None:
    """Nothing else of who knows its cards, whatever the other seat gave or saw (R14)."""
    state = table(hands="dwarf* theft / crystal cave_in*", mountains=MOUNTAINS)
    for twin in twins(state, SPECTATOR):
        for seat, hand in by_seat(twin.hands):
            assert {(card.known_to, card.given) for card in hand} == {((seat,), False)}


def test_what_a_seat_is_being_shown_stays() -> None:
    """Its moves are the same in every twin: orders of the tunnel seen, the lifted card (§4.6, §4.7)."""
    mountains = "theft crystal open_pit / dwarf dwarf / tunnel / shaking"
    before = table(
        hands="tunnel drilling / cave_in cave_in", mountains=mountains, tunnel_order=TunnelOrder.CHOSEN
    )
    for command in (PlayTunnel(0), PlayDrilling(0)):
        state = after(before, command)
        moves = list(montanara.game.legal_moves(state, ANN))
        for twin in twins(state, seated(ANN)):
            assert list(montanara.game.legal_moves(twin, ANN)) == moves


def test_nothing_is_hidden_from_the_eye_that_sees_all() -> None:
    """The only table that it cannot tell from this one is this one (§6)."""
    assert determinize(STATE, ALL_SEEING, luck()) == STATE
