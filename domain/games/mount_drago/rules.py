"""The clauses and rulings of `mount_drago/recon-1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause, DrawRule

RULES = (
    Clause(
        "§1",
        "Components. 110 cards: ten colours of eleven, values 1 and 2 twice, 3 three times, 4 and 5 "
        "twice. Ten dragons, one a colour: blue, brown, black, red, yellow, green, white, light_blue, "
        "purple, orange. Two boards, reconstructed: spaces from 0, each with a value, some blue or green; "
        "the last four are summit spaces. Two to five seats.",
    ),
    Clause("§2", "Options. first_seat: random by default, or a seat of the match."),
    Clause("§3", "Setup. The board, then the cards."),
    Clause(
        "§3.1",
        "All ten dragons stand on space 0. One side of the board is for two and three seats, the other "
        "for four and five.",
    ),
    Clause(
        "§3.2",
        "Each seat, from seat 0 on, gets a card of a colour of its own, at random, face up: it rides that "
        "dragon, and the card's value does not matter. The rest is shuffled, six cards are dealt to each, "
        "the remainder is the draw pile.",
    ),
    Clause(
        "§4",
        "Commands. In this order: play_card(card, ride), discard_summit_cards(cards), draw(). resign() is "
        "open too. A turn is one card, then a scoring or a draw.",
    ),
    Clause(
        "§4.1",
        "Play one card a turn, any in hand. The dragon of its colour moves as many spaces as its value "
        "towards the summit; what would lead beyond the last space is lost. Any dragon may be moved.",
    ),
    Clause(
        "§4.2",
        "If another seat rides the dragon, the card goes under the own open card. If the seat itself "
        "rides it, the card goes on top. If nobody rides it, the card goes on top and the seat rides that "
        "dragon now; but if it was in last place before the move (no dragon lower, R2), the seat chooses "
        "by ride, which is required then and refused otherwise: true to ride it, false to put the card "
        "under.",
    ),
    Clause(
        "§4.3",
        "By the space on which the moved dragon ends. Blue, small scoring: each seat gets the value of "
        "its dragon's space if that is 3 or lower. Green, large scoring: each seat gets that value. "
        "Summit, large scoring: only when a dragon enters that was on no summit space. Riders are those "
        "after 4.2. Space 0 gives 0; passing over a space scores nothing.",
    ),
    Clause(
        "§4.4",
        "After a turn without a scoring the hand is filled to six cards. If a dragon stands on a summit "
        "space and the seat has a card, it may first discard one or more cards of such dragons, all at "
        "once, or draw at once; this is asked whether or not it holds such cards. Else the draw happens "
        "by itself. After a scoring there is no draw, except for a seat that has played its last card "
        "(R8).",
    ),
    Clause("§5", "End. The third dragon on the summit."),
    Clause(
        "§5.1",
        "The game ends when a third dragon has entered a summit space and its scoring is done; the round "
        "is not completed.",
    ),
    Clause("§5.2", "Most points win; ties share."),
    Clause(
        "§6",
        "Visibility. A hand is known to its seat only, the draw pile to nobody; their numbers are public, "
        "and so is all else: dragons, points, discard pile, open cards and, as cards were played openly, "
        "what lies under them. The view has the number of cards under each.",
    ),
    Clause("§7", "Rulings. Where the rulebook is silent R1 to R9 hold."),
    Clause("R1", "Setup cards are drawn at random with different colours, then the rest is shuffled."),
    Clause(
        "R2",
        "Last place counts all ten dragons and includes ties; a ridden dragon alone in last place gives "
        "nobody the choice.",
    ),
    Clause("R3", "Points may become negative."),
    Clause("R4", "-2 and -1 are 3 or lower."),
    Clause(
        "R5",
        "Discards only in a turn in which the seat draws, before the draw; they go to the discard pile. "
        "Discarding all cards is not playing the last one.",
    ),
    Clause(
        "R6",
        "When a card is to be drawn and the draw pile is empty, the discard pile and all cards under open "
        "cards are shuffled into a new one and the draw goes on. At least 75 cards are there then.",
    ),
    Clause("R7", "A dragon on the last space may be moved and stays there."),
    Clause("R8", "The draw after the last card happens by itself: without it the seat could not play."),
    Clause("R9", "A scoring is small, large or summit; summit counts like large."),
    Clause(
        "§8",
        "Examples. On the board of two and three seats black stands on space 2, blue on 5 (value 3), "
        "white on 9 (value 6), each ridden. Blue's rider plays black-4: space 6, blue, value 2; the card "
        "goes under its open card. Small scoring: blue's rider 3, black's 2, white's nothing. Then "
        "white's rider plays blue-3, under its open card: space 8, green, value 4. Large scoring: white "
        "6, blue 4, black 2. In the first turn of a match every dragon is in last place, so ride is asked "
        "for if nobody rides the card's colour; after yellow-1 with ride false, yellow-2 of the next seat "
        "does not ask.",
    ),
)

DRAWS = (
    DrawRule(
        "The deal",
        "Who begins: a number below the number of seats, only if first_seat is random. Then for each "
        "seat, from seat 0, a number below the number of cards of colours that no seat has yet, which "
        "takes the card at that place, from 0, of these in the order of the pack. Then one shuffle of all "
        "other cards in the order of the pack: six to each seat, then the draw pile from its top.",
    ),
    DrawRule(
        "A new draw pile",
        "One shuffle of the discard pile, the oldest card first, followed by the cards under the open "
        "card of each seat, from seat 0, the newest card first; the draw pile from its top.",
    ),
)
"""All that the rules ask of chance (common §4)."""
