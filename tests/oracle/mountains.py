"""Mountains: positions by depth, summed by hand (mountains §4 to §6).

Ann is to move, with 8 stones unless the table says otherwise. The hiking cards are those of `recon-1` (§1).
"""

from tests.support.games.mountains import table
from tests.support.games.positions import SetUp

SET_UPS = (
    SetUp(
        "a card is turned over",
        table("boots", "rope", used="1 2", tops="3-01 4-01 4s-09 5s-09"),
        (
            4,  # 3, 4, 4s, 5s: decks 1 and 2 are empty (R9)
            # 3-01: first-aid kit and mug are missing: ask Ben for either, or decline. 4-01: rope, pocket
            # knife, trekking poles: ask for one of three, or decline. 4s-09 and 5s-09: huts, take the offer
            # or not.
            (2 + 1) + (3 + 1) + 2 + 2,
            # 3-01: asked in vain, both are still missing: ask again, or abandon. Declined: Ben chooses a
            # deck.
            2 * (2 + 1)
            + 4
            # 4-01: Ben has the rope, two are missing then; asked in vain for another, three. Declined.
            + (2 + 1)
            + 2 * (3 + 1)
            + 4
            # Huts: Ann took it or not, and Ben can (§5.1).
            + 2 * 2
            + 2 * 2,
        ),
    ),
    SetUp(
        "a seat without stones rests",
        table(
            "boots first_aid_kit",
            "mug",
            stones=(0, 8),
            used="1 2 5s",
            tops="3-01 4-02 4s-09",
        ),
        (
            3 + 1,  # 3, 4, 4s; rest (§6.2)
            # 3-01 lacks a mug, 4-02 three pieces, but a question costs a stone: decline (R6). 4s-09: Ann
            # cannot pay and is passed over, Ben is asked. Rested: Ben chooses of three decks.
            1 + 1 + 2 + 3,
            # Declined: Ben chooses. The hut is over: Ann has another turn, still without stones (R8).
            3
            + 3
            + 2 * (3 + 1)
            # Rested. Ben's 3-01: boots and first-aid kit; 4-02: all four; 4s-09: the offer.
            + (2 + 1)
            + (4 + 1)
            + 2,
        ),
    ),
    SetUp(
        "a neighbour lends what is missing",
        table(
            "mug",
            "trekking_poles",
            "",
            card="2-02",
            used="1 2 3",
            tops="4-01 4s-10 5s-01",
        ),
        (
            2 + 1,  # ask Ben or Cam for trekking poles; decline
            # Ben displays them: complete, or abandon. Cam has none: ask Ben or Cam again, or abandon (§4.3).
            # Declined: Ben chooses of three decks.
            (1 + 1) + (2 + 1) + 3,
            # Completed or abandoned: Ben chooses. Cam, then Ben asked: complete, or abandon; Cam again: ask
            # two, or abandon; abandoned: Ben chooses.
            (3 + 3)
            + (1 + 1)
            + (2 + 1)
            + 3
            # Declined. Ben's 4-01: three pieces, two neighbours, or decline; 4s-10: the offer; 5s-01: four
            # types, of which the pair is one (R2, R3), two neighbours, or decline.
            + (3 * 2 + 1)
            + 2
            + (4 * 2 + 1),
        ),
    ),
    SetUp(
        "the second copy of a pair",
        table(
            "helmet carabiner lighter",
            "helmet",
            card="4s-01",
            used="1 2 3",
            tops="4-09 4s-09 5s-09",
        ),
        (
            1 + 1,  # ask Ben for a helmet, the second one (§4.2); decline
            (1 + 1) + 3,  # he displays it: complete, or abandon; declined: Ben chooses of three decks
            3 + 3 + (2 + 2 + 2),  # Ben chooses; or he is offered the hut that he has turned over
        ),
    ),
    SetUp(
        "two empty decks end the game with the turn",
        table(
            "boots rope pocket_knife trekking_poles",
            "",
            used="1 2 3",
            tops="4-01 4s-01 5s-01",
            discard_piles="4-02 4-03 4-04 4-05 4-06 4-07 4-08 4-09 4-10",
        ),
        # Deck 3 is empty, deck 4 has one card left.
        (
            3,  # 4, 4s, 5s
            # 4-01: nothing is missing: complete, or decline all the same (R14). 4s-01: a pair of helmets,
            # carabiner, lighter: three types. 5s-01: the second pocket knife, carabiner, canteen.
            (1 + 1) + (3 + 1) + (3 + 1),
            # 4-01: decks 3 and 4 are empty, over (§6.1). The others: asked in vain, three are still missing:
            # ask, or abandon; declined: Ben chooses.
            0 + 2 * (3 * (3 + 1) + 3),
        ),
    ),
    SetUp(
        "equipment is sold while it lasts",
        table(
            "",
            "",
            "",
            card="1-09",
            stones=(2, 1, 2),
            used="1 2 3 5s",
            draw_pile="mug",
        ),
        # Decks 3 and 5s are empty: the game ends with the turn. Ben cannot pay and is passed over (§5.1).
        (
            1 + 1,  # Ann buys, or not
            0 + (1 + 1),  # the pile is empty: Cam is passed over, over; Cam buys, or not (R7)
            0,  # over
        ),
    ),
)
