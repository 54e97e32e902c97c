"""Montana: positions by depth, summed by hand (montana §4)."""

from domain.games.montana.catalogue import RedealPolicy
from tests.support.games.montana import table
from tests.support.games.positions import SetUp

SET_UPS = (
    SetUp(
        "two rows lack two moves each",
        table("""
            2C 3C 4C 5C 6C 7C 8C 9C 10C JC __ QC KC
            2D 3D 4D 5D 6D 7D 8D 9D 10D JD __ QD KD
            2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH __
            2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS __
        """),
        # In a row the queen moves first, then the king, and nothing else: the gaps after kings are dead
        # (§4.2, §4.4). So a position is how the moves C C and D D are mixed.
        (
            1 + 1,  # C, D
            2 + 2,  # C: C D; D: C D
            1 + 2 + 2 + 1,  # CC: D; CD: C D; DC: C D; DD: C
            1 + 1 + 1 + 1 + 1 + 1,  # CCD, CDC, CDD, DCC, DCD, DDC: what is left
            0,  # won
        ),
    ),
    SetUp(
        "two free cells in column 0",
        table(
            """
            __ 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC 2C
            __ 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD 2D
            2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH __
            2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS __
            """,
            redeals=0,
        ),
        # Every free cell of column 0 takes each of the four 2s, wherever it lies (§4.3, R3). A 2 from after
        # its king leaves a dead gap, one from column 0 a free cell: with n free cells there are n x 4 moves,
        # n x n of them to n - 1 free cells and n x (4 - n) to n. With none the game is over.
        #   one free cell:   4,  1 x 0 + 3 x 4 = 12
        #   two free cells:  8,  4 x 4 + 4 x 8 = 48,  4 x 12 + 4 x 48 = 240
        (
            2 * 4,
            4 * 4 + 4 * 8,
            4 * 12 + 4 * 48,
        ),
    ),
    SetUp(
        "a king away from winning and redeals at any time",
        table(
            """
            2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC __ KC
            2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD __
            2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH __
            2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS __
            """,
            redeals=2,
            policy=RedealPolicy.ANY_TIME,
        ),
        # The king moves and wins; or all is gathered but the finished parts, which is the king alone, and it
        # is laid after the gap again (§4.6, R2): the same table with a redeal less.
        (
            1 + 1,  # the king; a redeal
            0 + (1 + 1),  # won; the king, a redeal
            0 + 1,  # won; the king only
            0,  # won
        ),
    ),
    SetUp(
        "stuck after kings",
        table(
            """
            2C 3C KC __ 4C 5C 6C 7C 8C 9C 10C JC QC
            2D 3D KD __ 4D 5D 6D 7D 8D 9D 10D JD QD
            2H 3H KH __ 4H 5H 6H 7H 8H 9H 10H JH QH
            2S 3S KS __ 4S 5S 6S 7S 8S 9S 10S JS QS
            """,
            redeals=1,
        ),
        # Nothing fits after a king (§4.4), so the redeal alone is left (§4.7). Then each row has 2, 3 and a
        # live gap: of its suit only the 4 fits, wherever it was laid (§4.2, §4.6).
        (
            1,  # the redeal
            1 + 1 + 1 + 1,  # 4C, 4D, 4H, 4S
        ),
    ),
    SetUp(
        "a gap after a card and one after a gap",
        table(
            """
            2C 3C 4C __ __ 6C 7C 8C 9C 10C JC QC KC
            2D 3D 4D 5D 6D 7D 8D 9D 10D JD QD KD 5C
            2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH __
            2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS __
            """,
            redeals=0,
        ),
        # Only 5C fits, after 4C; the gap after that gap takes nothing (§4.4). From then on the gap moves
        # through the row: 6C, 7C, 8C, 9C, 10C, JC, QC, KC, one move each, and the game is won.
        (*(1,) * 9, 0),
    ),
)
