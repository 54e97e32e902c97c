"""The clauses and rulings of `mountains/recon-1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause, DrawRule

RULES = (
    Clause(
        "§1",
        "Components. 16 types of equipment, two copies each, in this order: boots, rope, carabiner, "
        "helmet, ice_axe, crampons, tent, sunglasses, compass, pocket_knife, lighter, first_aid_kit, "
        "canteen, lantern, mug, trekking_poles. Decks of hiking cards 1, 2, 3, 4, 4*, 5* (ids 1, 2, 3, 4, "
        "4s, 5s): the number is how many pieces a hike needs, a star means one pair among them. Stones, "
        "counted one by one; the stockpile never runs out (R13). Two to five seats.",
    ),
    Clause(
        "§2",
        "Options. summit_books: secret by default, or open. first_seat: random by default, or a seat of "
        "the match.",
    ),
    Clause("§3", "Setup. Decks, equipment and stones."),
    Clause(
        "§3.1",
        "Each deck is shuffled face down. Equipment is shuffled; each seat gets 8, 6, 4 or 3 cards with "
        "2, 3, 4 or 5 seats; the rest is the draw pile.",
    ),
    Clause("§3.2", "Each seat has 8 stones and no stamps."),
    Clause(
        "§4",
        "Commands. In this order: choose_hike(deck), ask(neighbour, equipment), complete_hike(), "
        "decline_hike(), abandon_hike(), accept_offer(), decline_offer(), rest(). resign() is open too. A "
        "turn is a hike, a hut (§5) or a rest day (§6).",
    ),
    Clause(
        "§4.1",
        "A turn begins with turning over the top card of a deck that is not empty; it lies face up before "
        "the seat.",
    ),
    Clause(
        "§4.2",
        "A hike asks for its pieces. A piece is covered if the seat holds it or another seat has "
        "displayed it this turn; a pair needs both copies.",
    ),
    Clause(
        "§4.3",
        "Ask any other seat for one missing piece: one stone, paid to that seat first, whatever the "
        "answer. If it holds the piece, but for copies that it has displayed, it displays it face up; "
        "else it says so. It keeps the stone. The answer is always true and is given by the rules. One "
        "stone a piece, two questions for a pair. The same seat may be asked again.",
    ),
    Clause(
        "§4.4",
        "When nothing is missing the hike may be completed: the seat lays out its own pieces face up and "
        "gets the stones and stamps of the card.",
    ),
    Clause("§4.5", "Before the first question the hike may be declined for 1 stone; the turn ends."),
    Clause(
        "§4.6",
        "After a question the hike may be abandoned for nothing; stones paid stay paid, and the turn ends.",
    ),
    Clause(
        "§4.7",
        "At the end of the turn the card goes face up on its deck's discard pile, and all displayed "
        "pieces go back to their hands.",
    ),
    Clause("§5", "Huts. Some hiking cards are huts, which sell equipment or a stamp."),
    Clause(
        "§5.1",
        "A hut is offered to the seat on turn, then to the others clockwise, once each; each accepts or "
        "declines. A seat that cannot pay, or is offered equipment when the pile is empty, is passed over "
        "by itself.",
    ),
    Clause(
        "§5.2",
        "Equipment hut: 2 stones, to the stockpile, for the top card of the equipment pile, while it lasts.",
    ),
    Clause("§5.3", "Stamp hut: the printed price for the printed stamps."),
    Clause(
        "§5.4",
        "The hut card is discarded, that turn is over (6.1 is checked), and the same seat has another turn.",
    ),
    Clause("§6", "Rest day and end. The last decks, and the most stamps."),
    Clause("§6.1", "The game ends at the end of a turn when two of the decks 3, 4, 4*, 5* are empty."),
    Clause(
        "§6.2",
        "A rest day may be taken at the beginning of a turn with exactly 0 stones: no card is turned "
        "over, 3 stones, the turn ends. Such a seat may hike instead.",
    ),
    Clause(
        "§6.3",
        "Most stamps wins, then most stones, else shared. The scores are the stamps; the outcome has the "
        "stones too.",
    ),
    Clause(
        "§7",
        "Visibility. Hands are seen by their own seat only, decks and pile by nobody, a bought equipment "
        "card by its buyer; their numbers are public. So are the hiking card, questions and answers, "
        "pieces on display during a turn, purchases, stones, discarded hiking cards and who is still to "
        "be offered a hut. With secret summit books a view has the own total of stamps only, though what "
        "each hike gave was public when it happened; with open ones, and after the end, all totals. What "
        "was displayed in earlier turns is in the events, not in the view.",
    ),
    Clause("§8", "Rulings. Where the rulebook is silent R1 to R15 hold."),
    Clause("R1", "The two fields named 4 are 4 and 4*."),
    Clause("R2", "One stone a question, also for the second copy of a pair."),
    Clause(
        "R3",
        "Only a missing piece may be asked for. Missing is what the hike needs, less copies in the own "
        "hand, less copies displayed by others this turn.",
    ),
    Clause("R4", "Own pieces are shown only on completion."),
    Clause("R5", "To sit out a round means that this turn ends."),
    Clause(
        "R6",
        "Without stones and with a piece missing a seat can only abandon, or decline before the first "
        "question. It does so by command: if it happened by itself it would tell what the hand lacks.",
    ),
    Clause(
        "R7",
        "Each seat may buy once at a hut; equipment goes in turn order until the pile is empty.",
    ),
    Clause(
        "R8",
        "After a hut comes a new turn of the same seat: the end is checked between, and a rest day is "
        "possible with 0 stones.",
    ),
    Clause(
        "R9",
        "A deck that is empty cannot be chosen; if no deck has a card the game has ended before.",
    ),
    Clause("R10", "Turn counts may be unequal at the end."),
    Clause("R11", "Bluffing is table talk; it has no effect."),
    Clause("R12", "A tie on stamps and stones is shared."),
    Clause(
        "R13",
        "The stockpile of stones is unlimited; the printed ones are worth 120, and play can exceed that.",
    ),
    Clause("R14", "A hike may be declined or abandoned although nothing is missing."),
    Clause("R15", "The two copies of a type are alike; their colour is in no event and no view."),
    Clause(
        "§9",
        "Hiking cards. The 62 cards are in the table hiking_cards: 10, 10, 12, 10, 10 and 10 by deck; 50 "
        "hikes, six huts with equipment and six with a stamp. They are reconstructed. The hikes give 82 "
        "stamps and ask for 142 pieces, ice_axe and lantern on 8 of them, every other type on 9. A type "
        "that is named twice is the pair. A price is what a hut asks for; equipment huts give one card, "
        "stamp huts one stamp.",
    ),
)

DRAWS = (
    DrawRule(
        "The deal",
        "Who begins: a number below the number of seats, only if first_seat is random. Then a shuffle of "
        "each deck 1, 2, 3, 4, 4s, 5s in the order of its cards, each from its top. Then one shuffle of "
        "the 32 pieces of equipment in the order of the pack: 8, 6, 4 or 3 to each seat for 2, 3, 4 or 5 "
        "seats, then the draw pile from its top.",
    ),
)
"""All that the rules ask of chance (common §4)."""
