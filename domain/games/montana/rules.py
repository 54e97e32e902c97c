"""The clauses and rulings of `montana/1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause, DrawRule

RULES = (
    Clause(
        "§1",
        "Components. 52 cards: ranks A, 2, 3 to 10, J, Q, K in the suits clubs, diamonds, hearts, spades, "
        "written rank first (2C, 10D, KS). Before the first shuffle they lie by suit in this order, ace "
        "to king in each. One seat.",
    ),
    Clause(
        "§2",
        "Options. redeals: 0 to 9, 2 by default. redeal_policy: when_stuck by default, or any_time (R1). "
        "deal: a deal number from 0 to 4294967295, absent by default; then the match's seed deals (R6).",
    ),
    Clause("§3", "Setup. The deal, then the aces."),
    Clause(
        "§3.1",
        "Shuffle the 52 cards; lay four rows of 13 face up, row by row, left to right. Rows and columns "
        "are numbered from 0.",
    ),
    Clause("§3.2", "Take the four aces out: four gaps. They are out of the game."),
    Clause(
        "§4",
        "Commands. In this order: move_card(card, row, column), redeal(). resign() is open too.",
    ),
    Clause(
        "§4.1",
        "move_card puts a card into the gap at row and column. The target may be left out when exactly "
        "one gap accepts the card, the card when exactly one card fits the gap; row and column only "
        "together. Legal moves are listed with all three.",
    ),
    Clause(
        "§4.2",
        "In a gap with a card to its left only the card of the same suit and next higher rank fits.",
    ),
    Clause(
        "§4.3",
        "In a gap in column 0 any 2 fits, wherever it lies, in column 0 of another row too (R3).",
    ),
    Clause("§4.4", "A gap to the right of a king, or of another gap, accepts nothing."),
    Clause("§4.5", "The place the card came from becomes a gap."),
    Clause(
        "§4.6",
        "Redeal, while redeals are left and the policy allows it; when_stuck: when no card can be moved "
        "by 4.2 to 4.4. In each row the finished part stays: the longest run 2, 3, 4 ... of one suit from "
        "column 0. All other cards are gathered row by row, left to right, shuffled, and laid into the "
        "free cells in the same way, leaving one gap a row: directly behind its finished part, which is "
        "column 0 if there is none and column 12 if the row is complete.",
    ),
    Clause(
        "§4.7",
        "Resigning loses (kind lost, reason resigned); the score counts. A stuck table with redeals left "
        "waits for the redeal.",
    ),
    Clause("§5", "End. Won or lost, with a score."),
    Clause(
        "§5.1",
        "Won: every row holds one suit from 2 to K in columns 0 to 11 (R7). Checked after the deal and "
        "after every move.",
    ),
    Clause(
        "§5.2",
        "Lost: no move, and no redeal left. Checked after the deal and after every move. A redeal neither "
        "wins nor loses: the gap behind the finished part of an unfinished row accepts a card.",
    ),
    Clause("§5.3", "Score, won or lost: the number of cards in finished parts, 0 to 48."),
    Clause(
        "§6",
        "Visibility. Everything on the table is public. The order of a redeal is known to nobody before "
        "it, unless a deal number was given (R6).",
    ),
    Clause("§7", "Rulings. Where the rulebook is silent R1 to R7 hold; there is no R4."),
    Clause("R1", "Redeal only when nothing can be moved; any_time is the option some tables play."),
    Clause("R2", "The gap after a redeal stands directly behind each finished part."),
    Clause(
        "R3",
        "Finished parts are not locked: any 2 may go to any free cell of column 0. The first 2 decides a "
        "row's suit for as long as it lies there.",
    ),
    Clause(
        "R5",
        "A position may repeat, by a 2 that walks between free cells of column 0. No legal move means "
        "exactly that all four gaps are dead: right of a king or of a gap. A gap in column 0 never is. "
        "The rules set no limit to a match; without walking 2s there are at most 312 moves between "
        "redeals.",
    ),
    Clause(
        "R6",
        "A deal number fixes the deal and every redeal, so nothing is secret then, and the match says so. "
        "The draws say from which key; the same number of gathered cards is permuted in the same way. "
        "Deal 1 begins 2C 3S 2S QC AD JC 4C 8C 5H 2H 5D 2D 6D, deal 0 begins 5D 4C JH 8D 6H 4H 8S 3S AD "
        "2C 2D AH 3C. Numbers of other programs are not matched.",
    ),
    Clause(
        "R7",
        "A row counts only in columns 0 to 11: it is built from the left edge without a gap between.",
    ),
    Clause(
        "§8",
        "Examples. A row 2C 3C 4D has a finished part of two cards. A row with a gap in column 0 and 2C "
        "to KC behind it is not complete, nor is 2C to QC, a gap, KC. With two redeals, only when stuck, "
        "and 2s in column 0 left alone, random legal moves win 3.5 % of deals and place 26.8 cards on "
        "average; choosing, where possible, moves after which the place the card left is not dead wins "
        "8.1 % and places 31.5.",
    ),
)

DRAWS = (
    DrawRule(
        "The deal",
        "One shuffle of the 52 cards in the order of the pack; laid row by row, left to right. With a "
        "deal number d it takes the stream of the key SHA-256(montane/deal/montana/d) and the context "
        "deal instead.",
    ),
    DrawRule(
        "A redeal",
        "One shuffle of the gathered cards, which are all but the finished parts, row by row, left to "
        "right; laid into the free cells in the same way. With a deal number d the k-th redeal, k from 1, "
        "takes the stream of the same key and the context redeal/k instead.",
    ),
)
"""All that the rules ask of chance (common §4)."""
