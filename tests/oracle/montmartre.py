"""Montmartre: positions by depth, summed by hand (montmartre §4 to §7).

Ann is to move. Hands of four cards of value 6 and more give four moves, as no two add up to 5 or less (§4.1).
Every pile has cards, so a pick has three moves, and the hand is filled whatever the cards are (§4.3).
"""

from domain.games.montmartre.catalogue import Colour
from tests.support.games.montmartre import table
from tests.support.games.positions import SetUp

SET_UPS = (
    SetUp(
        "a card is painted",
        table("""
            b8 g8 p8 y8
            b7 g7 p7 y7
        """),
        (
            4,
            4 * (1 + 3),  # sell off the one painting; pick (§4.2, §4.3)
            4 * 1 * 3 + 4 * 3 * 4,  # sold off: pick; picked: Ben paints
        ),
    ),
    SetUp(
        "two cards up to five are painted",
        table(
            """
            b0 b1 b4 b5
            b8 g8 p8 y8
            """,
        ),
        # 0 1, 0 4, 0 5 and 1 4 go together, 1 5, 4 5 do not (§4.1). A painting can be sold
        # off, of two of a colour one, the other or both.
        (
            4 + 4,
            4 * (1 + 3) + 4 * (3 + 3),  # one painted; two painted
            4 * 1 * 3 + 4 * 3 * 3 + 8 * 3 * 4,  # sold off: pick; picked: Ben paints
        ),
    ),
    SetUp(
        "alike cards are one choice",
        table("""
            b0 b0 b1 b5
            b8 g8 p8 y8
        """),
        (
            3 + 3,  # 0, 1, 5; 0 0, 0 1, 0 5 (common §2)
            3 * (1 + 3) + (2 + 3) + 2 * (3 + 3),  # of 0 0 one or both are sold off
            (3 * 1 + 2 + 2 * 3) * 3 + 6 * 3 * 4,  # sold off: pick; picked: Ben paints
        ),
    ),
    SetUp(
        "a painting is sold to a collector",
        table("""
            b8 g8 p8 y8 | b3 g2
            b7 g7 p7 y7 | b4
            b6 g6 p6 y6
        """),
        # Blue: one painting each, and 4 beats 3, so Ben may sell and Ann may not; green is hers alone (§5.1).
        (
            4 + 1,  # paint; sell green
            # Blue 8 or green 8 painted: three choices of two paintings and one of one, or pick. Pink or
            # yellow: one of each of three. Green sold: Ben paints four or sells blue; Vollard stands at green
            # (§5.2).
            2 * (3 + 1 + 3) + 2 * (1 + 1 + 1 + 3) + (4 + 1),
            # Sold off: pick. Picked: Ben paints four or sells blue, but not if Ann has painted blue 8: 11
            # beats 4.
            (4 + 4 + 3 + 3) * 3
            + 3 * (4 + 0)
            + 3 * 3 * (4 + 1)
            # Green sold; Ben painted blue 7: three choices; green, pink or yellow 7: one of each of two; or
            # pick. He sold blue: Cam paints four.
            + (3 + 3)
            + 3 * (1 + 1 + 3)
            + 4,
        ),
    ),
    SetUp(
        "a collector that Vollard stands next to buys nothing",
        table(
            """
            b8 g8 p8 y8 | b1 g1
            b7 g7 p7 y7
            b6 g6 p6 y6
            """,
            vollard=Colour.BLUE,
        ),
        (
            4 + 1,  # paint; sell green, not blue (§5.1, R8)
            # Blue 8 or green 8 painted: three choices of two paintings and one of one, or pick. Pink or
            # yellow: one of each of three. Green sold: Ben paints.
            2 * (3 + 1 + 3) + 2 * (1 + 1 + 1 + 3) + 4,
        ),
    ),
    SetUp(
        "a painting worth nothing sells if nobody else has one",
        table("""
            b8 g8 p8 y8 | b0 g1
            b7 g7 p7 y7 | g1
            b6 g6 p6 y6
        """),
        (
            4 + 1,  # paint; sell blue (§5.1). Of green both have as many and as much (R13)
            # Blue 8 or green 8 painted: three choices of two paintings and one of one. Blue sold: Ben paints;
            # he has no majority either.
            2 * (3 + 1 + 3) + 2 * (1 + 1 + 1 + 3) + 4,
        ),
    ),
    SetUp(
        "a second colour opens the contract window",
        table("""
            b8 g8 p8 y8 | b1 | g2
            b7 g7 p7 y7
            b6 g6 p6 y6
        """),
        (
            4 + 1,  # paint; sell blue
            # Blue 8 painted: three choices, or pick; others: one of each of two. Sold: the white contract, or
            # none (§5.4).
            (3 + 3) + 3 * (1 + 1 + 3) + (1 + 1),
            (3 + 3 * 2) * 3 + 4 * 3 * 4 + 2 * 4,  # sold off: pick; picked, window closed: Ben paints
        ),
    ),
    SetUp(
        "a third colour opens two contracts",
        table("""
            b8 g8 p8 y8 | b1 | g2 p2
            b7 g7 p7 y7
            b6 g6 p6 y6
        """),
        (
            4 + 1,  # paint; sell blue
            (3 + 3) + 3 * (1 + 1 + 3) + (2 + 1),  # as before, but both grey contracts, or none
        ),
    ),
    SetUp(
        "more than six paintings must be sold off",
        table("""
            y5 y6 y7 y8 | b1 b2 g1 g2 p1 p2
            b7 g7 p7 b8
            b6 g6 p6 g8
        """),
        (
            4 + 3,  # paint; sell blue, green, pink
            # A seventh painting: three choices of two, for three colours, or the yellow one; no pick before
            # (§4.2). Sold: Ben paints.
            4 * (3 + 3 + 3 + 1) + 3 * 4,
            4 * 10 * 3 + 3 * 4 * (1 + 3),  # sold off: pick; Ben painted: sell it off, or pick
        ),
    ),
    SetUp(
        "eight paintings go down to six",
        table("""
            y0 y5 y6 y7 | b1 b2 g1 g2 p1 p2
            b7 g7 p7 b8
            b6 g6 p6 g8
        """),
        (
            (4 + 1) + 3,  # paint one or 0 5; sell blue, green, pink
            # Seven: as above. Eight: two at least, so both of a colour. Sold: Ben paints.
            4 * (3 + 3 + 3 + 1) + (1 + 1 + 1 + 1) + 3 * 4,
        ),
    ),
    SetUp(
        "two seats sell two paintings at a time",
        table("""
            b8 g8 p8 y8 | b1 g1 p1
            b7 g7 p7 y7
        """),
        (
            4 + 3,  # paint; sell blue green, blue pink, green pink (§6.1)
            # Blue, green or pink 8 painted: three choices of two paintings, one of each other; yellow: four
            # single ones; or pick. Sold: no pair of collectors, no window (§6.2); Ben paints.
            3 * (3 + 1 + 1 + 3) + (4 + 3) + 3 * 4,
            (3 * 5 + 4) * 3 + 4 * 3 * 4 + 3 * 4 * (1 + 3),  # pick; Ben paints; he sells it off, or picks
        ),
    ),
    SetUp(
        "a pair of collectors opens a contract for two seats",
        table("""
            b8 g8 p8 y8 | b1 g1 | b2 g2
            b7 g7 p7 y7
        """),
        (
            4 + 1,  # paint; sell blue green
            # Blue or green 8 painted: three and one; pink or yellow: three single ones; or pick. Sold: from
            # no pair to two only white opens (§6.2): take it, or none.
            2 * (3 + 1 + 3) + 2 * (3 + 3) + (1 + 1),
        ),
    ),
    SetUp(
        "a pile runs out",
        table(
            """
            b0 b5 g8 p8
            b7 g7 p7 y7
            """,
            piles="b1 / g1 g2 g3 / p1 p2 p3",
        ),
        (
            4 + 1,  # paint one, or 0 5
            4 * (1 + 3) + (3 + 3),  # sell off, or pick
            # Sold off: pick. One painted and picked: Ben paints. Two painted: of the pile of one card comes
            # one, and one of two others gives the last (§4.3); a pile of three gives both, and Ben paints.
            (4 * 1 + 3) * 3 + 4 * 3 * 4 + (2 + 2 * 4),
        ),
    ),
    SetUp(
        "fifteen francs end the game with the round",
        table(
            """
            b7 g7 p7 y7
            b6 g6 p6 y6
            b8 g8 p8 y8 || | 14
            """,
            turn=2,
        ),
        # Cam is to move, the last seat of the round.
        (
            4,
            4 * (1 + 3),  # sell off, or pick
            4 * 3 + 4 * 3 * 4,  # sold off: pick; picked: Ann paints
            0 + 4 * 3 * 4 * (1 + 3),  # fifteen francs, over (§7.1, §7.2); Ann sells off, or picks
        ),
    ),
    SetUp(
        "fifteen francs let the round go on",
        table(
            """
            b8 g8 p8 y8 || | 14
            b7 g7 p7 y7
            """,
        ),
        (
            4,
            4 * (1 + 3),  # sell off, or pick
            4 * 3 + 4 * 3 * 4,  # sold off: pick; picked: Ben paints
            4 * 3 * 4 + 4 * 3 * 4 * (1 + 3),  # Ben has a turn too (§7.2) and paints; he sells off, or picks
        ),
    ),
)
