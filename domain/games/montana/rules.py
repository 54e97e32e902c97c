"""The clauses and rulings of `montana/1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause, DrawRule

RULES = (
    Clause("§1", "52 cards: ranks A 2 3 ... 10 J Q K in clubs, diamonds, hearts and spades. One seat."),
    Clause(
        "§2",
        "Options: redeals, 0 to 9, two by default; redeal_policy, when_stuck by default or any_time; deal, "
        "a deal number from 0 to 4294967295, absent by default.",
    ),
    Clause("§3.1", "Shuffle 52 cards; lay four rows of 13 face up, row by row, left to right."),
    Clause("§3.2", "Take the four aces out: four gaps. They are out of the game."),
    Clause(
        "§4.1",
        "Put a card into a gap. The target may be left out when exactly one gap accepts the card, the card "
        "when exactly one card fits the gap; row and column only together.",
    ),
    Clause(
        "§4.2",
        "In a gap with a card to its left only the card of the same suit and next higher rank fits.",
    ),
    Clause("§4.3", "In a gap in column 0 any 2 fits, wherever it lies."),
    Clause("§4.4", "A gap to the right of a king, or of another gap, accepts nothing."),
    Clause("§4.5", "The place the card came from becomes a gap."),
    Clause(
        "§4.6",
        "Redeal, while redeals are left and the policy allows it. In each row the finished part stays: the "
        "longest run 2, 3, 4 ... of one suit from column 0. All other cards are gathered row by row, "
        "shuffled and laid into the free cells, leaving one gap a row, directly behind its finished part.",
    ),
    Clause(
        "§4.7", "Resigning loses; the score counts. A stuck table with redeals left waits for the redeal."
    ),
    Clause("§5.1", "Won: every row holds one suit from 2 to K in columns 0 to 11."),
    Clause("§5.2", "Lost: no move, and no redeal left."),
    Clause("§5.3", "Score: the number of cards in finished parts, 0 to 48."),
    Clause("§6", "Everything on the table is public. The order of a redeal is known to nobody before it."),
    Clause("R1", "Redeal only when nothing can be moved; any_time is the option some tables play."),
    Clause("R2", "The gap after a redeal stands directly behind each finished part."),
    Clause("R3", "Finished parts are not locked: any 2 may go to any free cell of column 0."),
    Clause(
        "R5",
        "A position may repeat. No legal move means exactly that all four gaps are dead; a gap in column 0 "
        "never is. The rules set no limit to a match.",
    ),
    Clause("R6", "A deal number fixes the deal and every redeal; nothing is secret then."),
    Clause("R7", "A row counts only in columns 0 to 11."),
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
