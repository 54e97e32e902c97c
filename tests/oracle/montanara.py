"""Montanara: positions by depth, summed by hand (montanara §4).

Mountains are of crystals, which do nothing in a hand (§4.10), and are written by their sizes: 2 1 1 0 has two
cards on space 0. Ann is to move. The game is over as soon as one mountain only has cards (§5.2).
"""

from domain.games.montanara.catalogue import TunnelOrder
from tests.support.games.montanara import table
from tests.support.games.positions import SetUp

SET_UPS = (
    SetUp(
        "cards are taken",
        table(mountains="crystal crystal / crystal / crystal /"),
        # Each mountain with cards is one move (§4.1).
        (
            3,
            3 + 2 + 2,  # left are 1 1 1 0, 2 0 1 0, 2 1 0 0
            3 * 2 + (2 + 0) + (2 + 0),  # of 1 1 1 0 two are left; of 2 0 1 0 1 and 1, or 2 alone; 2 1 0 0 too
            0,  # of two single cards one is left
        ),
    ),
    SetUp(
        "a dwarf is played and digs",
        table(hands="dwarf /", mountains="crystal crystal / crystal crystal / /"),
        (
            2 + 1,  # take 0, 1; the dwarf
            2 + 2 + 2,  # Ben has nothing and takes
            # Took twice: from one mountain, over; from both, 1 1 0 0: take 0, 1; the dwarf. In either order.
            # Dwarf, then Ben took from 0 or 1: take 0, 1; dig 0, 1 (§4.9). At home there is no card (R15).
            2 * (0 + 3) + 2 * (2 + 2),
            # Took, took, and on 1 1 0 0 one more taken is the end; or the dwarf: Ben takes 0, 1. In either
            # order. Dwarf, Ben took from 0: taking or digging the last card of 0 is the end, else Ben takes
            # 0, 1.
            2 * (0 + 0 + 2) + 2 * ((0 + 2) + (0 + 2)),
        ),
    ),
    SetUp(
        "a dwarf in the display digs at home",
        table(hands="crystal /", displays="dwarf /", mountains="crystal crystal / crystal crystal / /"),
        (
            2 + 2 + 1,  # take 0, 1; dig 0, 1; dig at home (§4.9)
            2 * 5,  # Ben takes from 0 or 1, whatever she did
            # Took, and Ben took from the same mountain: over. From the other: take 0, 1; dig 0, 1; at home.
            # Dug a crystal, which took the dwarf's place: the same, but only take 0, 1 is left. Dug at home:
            # 1 2 0 0 or 2 1 0 0, take 0, 1.
            2 * (0 + 5) + 2 * (0 + 2) + (2 + 2),
        ),
    ),
    SetUp(
        "the display is full for dwarfs",
        table(hands="dwarf /", displays="dwarf crystal crystal crystal /"),
        (
            4 + 4 + 1,  # take 0 to 3; dig 0 to 3; dig at home: a dwarf without effect. No fifth card (§4.2)
            9 * 4,  # Ben takes from 0 to 3: two dwarfs lay on each
        ),
    ),
    SetUp(
        "both look after a cave in",
        table(hands="cave_in /", mountains="crystal / crystal / crystal /"),
        (
            3 + 1,  # take 0, 1, 2; the cave-in
            3 * 2 + (3 + 1),  # Ben takes one of two; or he looks at 0, 1, 2 or declines (§4.3)
            0
            + (
                3 * (2 + 1) + (3 + 1)
            ),  # over; or Ann looks at another or declines, at any if he declined (R6)
            (3 * 3 + 4) * 3,  # Ben's turn: he takes 0, 1, 2
        ),
    ),
    SetUp(
        "a cave in is dug and lets the digger look",
        table(
            displays="dwarf dwarf / dwarf",
            mountains="cave_in crystal / crystal crystal crystal / /",
        ),
        (
            2 + 2,  # take 0, 1; dig 0, 1; her hand is empty
            # Took from 0, left 1 3 0 0, or from 1, left 2 2 0 0: Ben takes 0, 1, digs 0, 1. Dug 0: the
            # cave-in ends the dig, she looks at 0, 1 or declines (§4.9). Dug 1: the crystal ends it, Ben
            # takes 0, 1, digs 0, 1.
            (2 + 2) + (2 + 2) + (2 + 1) + (2 + 2),
        ),
    ),
    SetUp(
        "hands are swapped by a theft",
        table(hands="theft crystal / dwarf", mountains="crystal / crystal / crystal /"),
        (
            3 + 1,  # take 0, 1, 2; the theft (§4.4)
            3 * (2 + 1) + 3,  # Ben takes one of two or plays his dwarf; or has the crystal and takes 0, 1, 2
            # Took, took: over. Took, dwarf: Ann takes one of two or plays the theft, though he has no card.
            # Theft, took: Ann has the dwarf; she takes one of two or plays it.
            3 * (0 + (2 + 1)) + 3 * (2 + 1),
        ),
    ),
    SetUp(
        "a theft alone in hand cannot be played",
        table(hands="theft / theft", mountains="crystal / crystal / crystal /"),
        (
            3,  # take 0, 1, 2 (§4.4)
            3 * 2,  # Ben takes one of two
        ),
    ),
    SetUp(
        "neighbours are shaken",
        table(hands="shaking /", mountains="crystal crystal / crystal / / crystal"),
        # Neighbours are 0 1, 1 2 and 2 3 (R1); together they need two cards (R8). An odd number gives two
        # moves, for the extra card, an even one gives one (§4.5).
        (
            3 + 2,  # take 0, 1, 3; shake 0 1, three cards; 1 2 and 2 3 have one
            # Ben takes from: 1 1 0 1; 2 0 0 1; 2 1 0 0; and, shaken, 2 1 0 1; 1 2 0 1
            3 + 2 + 2 + 3 + 3,
            # Took from 0. Ben from 0: 0 1 0 1, Ann takes 1, 3; from 1: 1 0 0 1, takes 0, 3; from 3: 1 1 0 0,
            # takes 0, 1, shakes 0 1, two cards.
            (2 + 2 + (2 + 1))
            # Took from 1. Ben from 0: 1 0 0 1, takes 0, 3; from 3: over.
            + (2 + 0)
            # Took from 3. Ben from 0: 1 1 0 0, takes 0, 1, shakes 0 1; from 1: over.
            + ((2 + 1) + 0)
            # Shaken to 2 1 0 1, her hand is empty. Ben from 0: 1 1 0 1; from 1: 2 0 0 1; from 3: 2 1 0 0.
            + (3 + 2 + 2)
            # Shaken to 1 2 0 1. Ben from 0: 0 2 0 1; from 1: 1 1 0 1; from 3: 1 2 0 0.
            + (2 + 3 + 2),
        ),
    ),
    SetUp(
        "a mountain is shaken over an empty space",
        table(hands="shaking /", mountains="crystal crystal / / / crystal"),
        (
            2 + 1,  # take 0, 3; shake 0 1, two cards; not 2 3, one card, nor 0 3, no neighbours (§4.5, R1)
            2 + 0 + 3,  # Ben takes from 1 0 0 1; over; from 1 1 0 1
        ),
    ),
    SetUp(
        "the seat orders the cards of a tunnel",
        table(
            hands="tunnel /",
            mountains="crystal dwarf dwarf / crystal / /",
            tunnel_order=TunnelOrder.CHOSEN,
        ),
        (
            2 + 2,  # take 0, 1; tunnel 0, 1
            # Took from 0: Ben takes from 2 1 0 0; from 1: over. Tunnel 0: three orders of a crystal and two
            # dwarfs (§4.6). Tunnel 1: one card has no order, Ben takes 0, 1.
            2 + 0 + 3 + 2,
            # Took, Ben from 0: 1 1 0 0, Ann takes 0, 1, tunnel 0, 1; Ben from 1: over. Ordered: Ben takes 0,
            # 1. Tunnel 1, Ben from 0: Ann takes 0, 1; from 1: over.
            (4 + 0) + 3 * 2 + (2 + 0),
        ),
    ),
    SetUp(
        "chance orders the cards of a tunnel",
        table(hands="tunnel /", mountains="crystal crystal crystal / crystal / /"),
        (
            2 + 2,  # take 0, 1; tunnel 0, 1
            2 + 0 + 2 + 2,  # Ben takes from 2 1 0 0; over; after a tunnel from 3 1 0 0 (R9)
        ),
    ),
    SetUp(
        "mountains are drilled one after another",
        table(hands="drilling /", mountains="crystal crystal / crystal crystal / /"),
        (
            2 + 2,  # take 0, 1; drill 0, 1
            2 * 2 + 2 * 2,  # Ben takes 0, 1; the lifted card goes back or on top (§4.7)
            # Took, took: from one mountain, over; from both, 1 1 0 0: take 0, 1, drill 0, 1. In either order.
            # Drilled and placed: the other mountain, or stop.
            2 * (0 + 4) + 4 * (1 + 1),
            # On 1 1 0 0 a third card taken is the end; drilled 0 or 1: two places. In either order. The other
            # one drilled: two places. Stopped: Ben takes 0, 1.
            2 * (0 + 0 + 2 + 2) + 4 * (2 + 2),
            # Drilled and placed on 1 1 0 0: the other, or stop. Both drilled and placed: that ends it, and
            # Ben takes 0, 1. Stopped, and Ben took: 1 2 0 0 or 2 1 0 0, Ann takes 0, 1.
            2 * 4 * (1 + 1) + 4 * (2 * 2) + 4 * (2 + 2),
        ),
    ),
    SetUp(
        "a mountain is turned upside down",
        table(hands="open_pit /", mountains="crystal dwarf / crystal / /"),
        (
            2 + 2,  # take 0, 1; open pit 0, 1
            2 + 0 + 2 + 0,  # Ben takes from 1 1 0 0; over; from 1 1 0 0; over (R12)
            0,  # one mountain is left
        ),
    ),
    SetUp(
        "the fourth crystal wins",
        table(displays="dwarf crystal crystal crystal /", mountains="crystal / theft theft / /"),
        (
            2 + 2,  # take 0, 1; dig 0, 1
            0 + 2 + 0 + 2,  # over; Ben takes 0, 1; won (§5.1); a theft was dug, Ben takes 0, 1
            0,  # one mountain is left
        ),
    ),
)
