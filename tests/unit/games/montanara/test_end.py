"""Montanara §5: the end; and §4.11: resigning."""

from itertools import product

import pytest
from msgspec.structs import replace

from domain.games.montanara.catalogue import Kind, Options, TunnelOrder
from domain.games.montanara.commands import (
    ArrangeTunnel,
    Command,
    DeclineLook,
    Dig,
    DigHome,
    LookAtMountain,
    Place,
    PlaceDrilled,
    PlayCaveIn,
    PlayDrilling,
    PlayDwarf,
    PlayOpenPit,
    PlayShaking,
    PlayTunnel,
    StopDrilling,
    TakeCard,
)
from domain.games.montanara.events import CardDug, CardTaken, CaveInDug, CrystalDug, DigBegun, OpenPitPlayed
from domain.games.montanara.outcome import outcome, scores, standings
from domain.match import Finished, Resign, Resigned, submit
from domain.shared.game import default_move, play
from domain.shared.outcomes import Outcome, OutcomeKind
from domain.shared.seats import Seat
from tests.support.games.matches import NOW, playing
from tests.support.games.montanara import after, cards, laid, montanara, table
from tests.support.games.rigged import StackedChance
from tests.support.games.scenarios import ANN, BEN, luck


def won(seat: Seat, crystals: tuple[int, int], reason: str) -> Outcome:
    """Return how a game ends that a seat wins."""
    return Outcome(OutcomeKind.WON, (seat,), crystals, reason)


def test_four_crystals_win_at_once() -> None:
    """The dig ends with the fourth, although the other mountains have cards (§5.1)."""
    (
        montanara.given(
            table(
                mountains="crystal dwarf / dwarf / dwarf / dwarf", displays="crystal crystal crystal dwarf / "
            )
        )
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 1), CrystalDug(ANN, 0))
        .then_ended(won(ANN, (4, 0), "four_crystals"))
    )


def test_four_crystals_may_come_from_home() -> None:
    """What is left of the dug hand is in hand when the match ends (§4.9, §5.1)."""
    ended = (
        montanara.given(table(hands="crystal theft tunnel / ", displays="crystal crystal crystal dwarf / "))
        .when(DigHome(), ANN, StackedChance(numbers=(0,)))
        .then(DigBegun(ANN, None, 1), CrystalDug(ANN, None))
        .then_ended(won(ANN, (4, 0), "four_crystals"))
    )
    assert laid(ended.state).seats[0].hand == cards("theft tunnel")


def test_four_crystals_come_before_the_last_mountain() -> None:
    """3 crystals and 1 dwarf: the fourth is the last card of the second-to-last mountain (§5.3, §8)."""
    (
        montanara.given(table(mountains="crystal / / / dwarf", displays="crystal crystal crystal dwarf / "))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 1), CrystalDug(ANN, 0))
        .then_ended(won(ANN, (4, 0), "four_crystals"))
    )


def test_the_game_ends_within_a_dig() -> None:
    """As soon as the second-to-last mountain is used up, with no card left to turn over (§5.2, §5.3)."""
    (
        montanara.given(table(mountains="theft tunnel / / / dwarf", displays="dwarf dwarf dwarf / crystal"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 2), CardDug(ANN, 0, Kind.THEFT, 1), CardDug(ANN, 0, Kind.TUNNEL, 0))
        .then_ended(won(BEN, (0, 1), "one_mountain_left"))
    )


def test_the_last_card_counts_before_the_end() -> None:
    """A crystal is in the display, its dwarf gone, before the displays are compared (§5.3)."""
    (
        montanara.given(table(mountains="crystal / / / dwarf", displays="dwarf / crystal"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 1), CrystalDug(ANN, 0))
        .then_ended(Outcome(OutcomeKind.DRAWN, (), (1, 1), "one_mountain_left"))
    )
    (
        montanara.given(table(mountains="cave_in / / / dwarf", displays="dwarf dwarf / dwarf"))
        .when(Dig(0), ANN)
        .then(DigBegun(ANN, 0, 1), CaveInDug(ANN, 0, 2))
        .then_ended(won(BEN, (0, 0), "one_mountain_left"))
    )


def test_taking_the_last_card_of_a_mountain_ends_the_game() -> None:
    """When exactly one mountain still has cards (§5.2, R12); cards in hand do not count."""
    (
        montanara.given(
            table(hands="crystal / ", mountains="/ dwarf / / crystal", displays="dwarf / crystal")
        )
        .when(TakeCard(1), ANN)
        .then(CardTaken(ANN, 1, Kind.DWARF))
        .then_ended(won(BEN, (0, 1), "one_mountain_left"))
    )


def test_an_open_pit_may_end_the_game() -> None:
    """The card is on the discard pile before the end is checked (§4.10, §5.3, R12)."""
    ended = (
        montanara.given(table(hands="open_pit / ", mountains="/ dwarf / / crystal", displays="dwarf / "))
        .when(PlayOpenPit(1), ANN)
        .then(OpenPitPlayed(ANN, 1, Kind.DWARF))
        .then_ended(won(ANN, (0, 0), "one_mountain_left"))
    )
    seen = laid(ended.state)
    assert (seen.discard_pile, seen.played) == (cards("open_pit"), None)
    assert montanara.game.pieces(ended.state).count("open_pit") == 1


@pytest.mark.parametrize(
    ("displays", "kind", "winners"),
    [
        ("crystal crystal / crystal dwarf dwarf dwarf", OutcomeKind.WON, (ANN,)),
        ("crystal dwarf / crystal dwarf dwarf", OutcomeKind.WON, (BEN,)),
        ("dwarf / ", OutcomeKind.WON, (ANN,)),
        ("crystal dwarf / crystal dwarf", OutcomeKind.DRAWN, ()),
        (" / ", OutcomeKind.DRAWN, ()),
    ],
)
def test_crystals_then_dwarfs_decide(displays: str, kind: OutcomeKind, winners: tuple[Seat, ...]) -> None:
    """More crystals win, then more dwarfs in the display; else it is a draw without winners (§5.2)."""
    ended = table(mountains="/ / dwarf / ", displays=displays)
    assert outcome(ended) == Outcome(kind, winners, scores(ended), "one_mountain_left")


def test_scores_are_crystals() -> None:
    """Crystals of each display; dwarfs rank after them (§5.2)."""
    state = table(displays="crystal crystal dwarf / dwarf dwarf")
    assert scores(state) == (2, 0)
    assert standings(state) == ((2, 1), (0, 2))


@pytest.mark.parametrize("mountains", ["dwarf / / / dwarf", "dwarf / dwarf / dwarf / dwarf"])
def test_the_game_goes_on_with_two_mountains(mountains: str) -> None:
    """Two or more mountains with cards, fewer than 4 crystals (§5)."""
    montanara.given(table(mountains=mountains, displays="crystal crystal crystal / ")).then_ended(None)


def test_an_outstanding_look_lapses() -> None:
    """A match that a cave-in ends is over: nobody is asked for a look (§5.3)."""
    state = table(mountains="cave_in / / / dwarf", displays="dwarf / ")
    _, match = playing(montanara.game, Options())
    dug, _ = submit(montanara.game, replace(match, state=state), ANN, Dig(0), luck(), NOW)
    drawn = Outcome(OutcomeKind.DRAWN, (), (0, 0), "one_mountain_left")
    assert dug == (DigBegun(ANN, 0, 1), CaveInDug(ANN, 0, 1), Finished(drawn))


@pytest.mark.parametrize(
    "command", [PlayShaking(2, 3), PlayTunnel(0), PlayDrilling(0), PlayDwarf(), PlayCaveIn()]
)
def test_nothing_else_uses_a_mountain_up(command: Command) -> None:
    """Shaking, tunnel, drilling and the others leave as many mountains as there were, or more (§5.3)."""
    hand = "dwarf cave_in shaking tunnel drilling"
    before = table(hands=f"{hand} / ", mountains="dwarf / / dwarf theft / ")
    _, played = play(montanara.game, before, ANN, command, luck())
    assert sum(map(bool, played.mountains)) >= 2
    assert outcome(played) is None


def test_resigning_gives_the_match_to_the_other_seat() -> None:
    """At any time, on turn or not; the table stays as it is, a lifted card too (§4.11, common §6, §10)."""
    _, match = playing(montanara.game, Options())
    lifted = replace(match, state=table(hands="drilling / "))
    _, lifted = submit(montanara.game, lifted, ANN, PlayDrilling(0), luck(), NOW)
    for quitter, winner in ((ANN, BEN), (BEN, ANN)):
        events, over = submit(montanara.game, lifted, quitter, Resign(), luck(), NOW)
        assert events == (
            Resigned(quitter),
            Finished(Outcome(OutcomeKind.RESIGNED, (winner,), (0, 0), "resigned")),
        )
        assert over.state == lifted.state
        assert (laid(over.state).played, laid(over.state).lifted) == (Kind.DRILLING, True)


LAID = "theft / dwarf dwarf / / tunnel crystal"


@pytest.mark.parametrize(
    ("commands", "seat", "move"),
    [
        ((), ANN, TakeCard(0)),
        ((PlayCaveIn(),), BEN, DeclineLook()),
        ((PlayCaveIn(), LookAtMountain(1)), ANN, DeclineLook()),
        ((PlayDrilling(1),), ANN, PlaceDrilled(Place.BOTTOM)),
        ((PlayDrilling(1), PlaceDrilled(Place.TOP)), ANN, StopDrilling()),
        ((PlayTunnel(3),), ANN, ArrangeTunnel(cards("crystal tunnel"))),
    ],
)
def test_default_moves(commands: tuple[Command, ...], seat: Seat, move: Command) -> None:
    """A look is declined, drilling stopped, a lifted card goes to the bottom; else the first (common §7)."""
    state = table(
        hands="cave_in drilling tunnel dwarf / dwarf",
        mountains=LAID,
        displays="dwarf / dwarf",
        tunnel_order=TunnelOrder.CHOSEN,
    )
    reached = after(state, *commands)
    assert montanara.game.to_act(reached) == (seat,)
    assert default_move(montanara.game, reached, seat) == move


def test_the_first_mountain_with_cards_is_taken_from_by_default() -> None:
    """It is the first listed move, whatever the hand holds (common §7, §9)."""
    state = table(hands="dwarf theft / ", mountains="/ / dwarf theft / tunnel tunnel", displays="dwarf / ")
    assert default_move(montanara.game, state, ANN) == TakeCard(2)


def test_every_pair_of_displays_is_ranked() -> None:
    """Crystals before dwarfs, each counted whole; level on both is a draw (§5.2)."""
    displays = [(crystals, dwarfs) for crystals in range(4) for dwarfs in range(5 - crystals)]
    for ann, ben in product(displays, repeat=2):
        shown = " / ".join("crystal " * crystals + "dwarf " * dwarfs for crystals, dwarfs in (ann, ben))
        ended = outcome(table(mountains="/ / dwarf / ", displays=shown))
        assert ended is not None
        if ann == ben:
            assert (ended.kind, ended.winners) == (OutcomeKind.DRAWN, ())
        elif ann[0] != ben[0]:
            assert (ended.kind, ended.winners) == (OutcomeKind.WON, (ANN if ann[0] > ben[0] else BEN,))
        else:
            assert (ended.kind, ended.winners) == (OutcomeKind.WON, (ANN if ann[1] > ben[1] else BEN,))
