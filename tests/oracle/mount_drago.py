"""Mount Drago: positions by depth, summed by hand (mount_drago §4).

Two seats, Ann is to move. A card of a dragon that nobody rides has two moves if the dragon is in last place,
else one, as one of a dragon that is ridden has (§4.2). The board is that of two and three seats: spaces 6,
12, 18 and 22 are blue, 8, 16 and 24 green, 25 to 28 the summit (§1).
"""

from tests.support.games.mount_drago import table
from tests.support.games.positions import SetUp

ONES = "blue 1, brown 1, black 1, yellow 1, green 1, white 1, light_blue 1, purple 1, orange 1"
"""All dragons but red stand on space 1."""

SET_UPS = (
    SetUp(
        "all dragons are at the start",
        table(
            """
            red-1 | blue-1 red-2 green-3
            blue-2 | red-3 yellow-4
            """,
            draw_pile="orange-1 orange-1 orange-2 orange-2",
        ),
        # All dragons are in last place (R2); Ann rides red, Ben blue. Ann draws four orange cards of two
        # values: four moves at depth 3, as nobody moves orange.
        (
            1 + 1 + 2,  # blue 1, Ben's; red 2, her own; green 3: she rides it or not
            # Ben has red 3 and yellow 4, yellow by choice. Red is ridden after blue 1, red 2 and green 3 not
            # ridden; after green 3 ridden it is free and last: by choice.
            (1 + 2) + (1 + 2) + (1 + 2) + (2 + 2),
            # Blue 1; then Ben's red 3, yellow 4 unridden, yellow 4 ridden: red 2 is Ann's own, green 3 by
            # choice.
            3 * (1 + 2 + 4)
            # Red 2; then the same: blue 1 is Ben's, but by choice once he rides yellow; green 3 by choice.
            + (1 + 2 + 4)
            + (1 + 2 + 4)
            + (2 + 2 + 4)
            # Green 3 unridden; then the same: blue 1 as before, red 2 her own.
            + (1 + 1 + 4)
            + (1 + 1 + 4)
            + (2 + 1 + 4)
            # Green 3 ridden. Red 3 unridden: red is free on space 3, not last. Red 3 ridden: red is Ben's,
            # blue by choice. Yellow 4 unridden: red by choice. Yellow 4 ridden: blue and red by choice.
            + (1 + 1 + 4)
            + (2 + 1 + 4)
            + (1 + 2 + 4)
            + (2 + 2 + 4),
        ),
    ),
    SetUp(
        "alike cards are one choice",
        table("""
            red-1 | green-3 green-3 green-3 red-2 red-2 blue-1
            blue-2 | red-3
        """),
        (
            2 + 1 + 1,  # green 3 by choice; red 2; blue 1 (common §2)
            # Red 3: by choice once Ann rides green and leaves red free at the start; else red is hers.
            1 + 2 + 1 + 1,
        ),
    ),
    SetUp(
        "a ridden dragon alone in last place",
        table(
            """
            red-1 | blue-1 green-1 red-1
            blue-2 | green-2 red-2
            """,
            dragons=f"red 0, {ONES}",
        ),
        # Red is last alone and Ann's: she has no choice (R2).
        (
            1 + 1 + 1,  # blue 1 Ben's; green 1, which she rides then; red 1 her own
            # Blue 1: red is still last: green 2, red 2 one each. Green 1 ridden: red is free and last alone,
            # green hers. Red 1: all but blue, which is his, are last on space 1; green is free, red hers.
            (1 + 1) + (1 + 2) + (2 + 1),
        ),
    ),
    SetUp(
        "a dragon on the summit lets cards be discarded",
        table(
            """
            red-1 | red-1 black-3 black-3
            blue-1 | red-2 green-2
            """,
            dragons=f"red 0, {ONES.replace('black 1', 'black 25')}",
        ),
        # Red is last alone and ridden: no choice (R2).
        (
            1 + 1,  # red 1; black 3, which she rides then, and which scores nothing on the summit (§4.3)
            # Red 1: one black card, both, or draw (§4.4). Black 3: the other one, or draw.
            (2 + 1) + (1 + 1),
            # Red on space 1 is hers; green is last with others: two. Or red is free, last alone: two; green
            # on space 1 is not last: one.
            3 * (1 + 2) + 2 * (2 + 1),
        ),
    ),
    SetUp(
        "the third dragon on the summit ends the game",
        table(
            """
            red-1 | red-3 red-1 green-1
            blue-1 | black-1 blue-1
            """,
            dragons="red 22, blue 3, black 25, white 25",
        ),
        # Five dragons stand at the start: green is last and free.
        (
            1 + 1 + 2,  # red 3 to the summit; red 1 to space 23; green 1 by choice
            0 + 1 + 1 + 1,  # over (§5.1); no card of a dragon on the summit: asked all the same, draw (§4.4)
            3 * (1 + 1),  # Ben: black 1, not last; blue 1, his own
            3 * (1 + (1 + 1)),  # blue 1 is left: draw; black 1 is left: discard it, or draw
        ),
    ),
    SetUp(
        "a scoring leaves no draw",
        table(
            """
            red-3 | red-1 red-2
            blue-1 | red-4 green-5
            """,
            dragons=f"red 5, {ONES}",
            draw_pile="orange-1 orange-1 orange-2 orange-2 orange-3",
        ),
        (
            1 + 1,  # red 1 to blue space 6: small scoring; red 2 to space 7
            2 * (1 + 2),  # Ben: red 4, Ann's; green 5 by choice, last on space 1
            # Scored: only red 2 is left, whatever Ben did. Drawn: red 1, and orange 1, 2, 3 by choice: orange
            # is still last on space 1.
            3 * 1 + 3 * (1 + 2 + 2 + 2),
        ),
    ),
    SetUp(
        "a last card that scores is followed by a draw",
        table(
            """
            red-3 | red-1
            blue-1 | red-4 green-5
            """,
            dragons=f"red 5, {ONES}",
            draw_pile="orange-1 orange-1 orange-2 orange-2 orange-3 orange-3",
        ),
        (
            1,  # red 1 to blue space 6: small scoring, and she draws six (R8)
            1 + 2,  # Ben: red 4; green 5 by choice
            3 * (2 + 2 + 2),  # orange 1, 2, 3 by choice
        ),
    ),
)
