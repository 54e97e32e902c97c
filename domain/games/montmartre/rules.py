"""The clauses and rulings of `montmartre/1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause, DrawRule

RULES = (
    Clause(
        "§1",
        "Components. 60 Muse cards, 204 in all: blue, green, pink and yellow, in each the values 0 to 5 "
        "twice and 6, 7, 8 once. Per colour five collectors, 2, 4, 6, 8, 10, the 2 on top. Contracts: "
        "white 4; grey 7 and 3; brown 12 and 5. Money in whole francs; the bank never runs out (R11). Two "
        "to five seats.",
    ),
    Clause("§2", "Options. first_seat: random by default, or a seat of the match."),
    Clause("§3", "Setup. Cards, then collectors and contracts."),
    Clause(
        "§3.1",
        "Deal four Muse cards to each seat. The rest forms three face-up piles, 0 to 2, as equal as "
        "possible, the larger first (R12); of each only the top card is visible.",
    ),
    Clause(
        "§3.2",
        "Four collector piles, five contracts. Vollard stands next to nobody; with two seats there is no "
        "Vollard.",
    ),
    Clause(
        "§4",
        "Commands. In this order: paint(cards), sell_off(colour, cards), pick(pile), sell(colour), "
        "take_contract(value), decline_contract(), sell_pair(colours). resign() is open too. This chapter "
        "is action A: paint, perhaps sell off, and pick.",
    ),
    Clause("§4.0", "A turn is one action: A, paint, perhaps sell off, and pick; or B, sell."),
    Clause(
        "§4.1",
        "Paint one card of any value, or two whose values add up to 5 or less, of any colours, face up "
        "into the own workshop.",
    ),
    Clause(
        "§4.2",
        "After painting, at most once a turn, one or more paintings of one colour, which is named, may be "
        "sold off for a franc each and are discarded. If the workshop holds more than six it is "
        "mandatory, and at least down to six.",
    ),
    Clause(
        "§4.3",
        "Pick: draw from the top of one non-empty pile until the hand has four. If the pile runs out "
        "first, the seat goes on with another one, by itself if only one is left. Not optional. A seat "
        "that does not sell off picks at once; nothing is sold off once the pick has begun.",
    ),
    Clause(
        "§4.4",
        "At the end of the turn, unless the match ends with it: if two or three piles are empty, the rest "
        "and the discard pile are shuffled into three new piles as in 3.1.",
    ),
    Clause("§5", "Sell. Action B, with three to five seats; perhaps with a contract."),
    Clause(
        "§5.1",
        "Sell, with three to five seats, to a collector of a pile that is not empty and next to which "
        "Vollard does not stand, with strictly more paintings of the colour than every other seat, or a "
        "strictly higher total value than every other seat's total. Each seat is compared alone (R13), "
        "one without the colour has 0 and 0: a lone painting of value 0 is enough.",
    ),
    Clause("§5.2", "Vollard moves next to this collector."),
    Clause(
        "§5.3",
        "The seat's highest painting of the colour is discarded, and it gets the top card of the pile.",
    ),
    Clause(
        "§5.4",
        "If by this sale the number of the seat's different collector colours rises to two (white), three "
        "(grey) or four (brown), it may take a contract of that tier if one is left and it has none yet, "
        "or decline; only in this turn, one a game. It is not asked if there is nothing to take.",
    ),
    Clause("§5.5", "No card is drawn after a sale."),
    Clause("§6", "Two seats. Paintings are sold in pairs."),
    Clause(
        "§6.1",
        "With two seats paintings are sold in pairs, by sell_pair: to two collectors of different "
        "colours, for both of which the seat has the majority of 5.1 and the pile is not empty. Of each "
        "the seat gets the top card and discards its highest painting. Nobody blocks a collector.",
    ),
    Clause(
        "§6.2",
        "With two seats contracts count the colours of which the seat holds at least two collectors: the "
        "second opens white, the third grey, the fourth brown. A sale that reaches two tiers opens both; "
        "one contract in all (R9).",
    ),
    Clause("§7", "End. The last round and the score."),
    Clause(
        "§7.1",
        "The end is brought by a turn after which two or more collector piles are empty or a seat has 15 "
        "francs or more; francs of the market only.",
    ),
    Clause("§7.2", "Play goes on until all seats have had the same number of turns."),
    Clause("§7.3", "Score: values of the collectors, francs and contract. The highest wins; ties share."),
    Clause(
        "§8",
        "Visibility. A hand is seen by its own seat, others see its number. Of a pile the top card and "
        "the number are seen, its order below by nobody. Workshops, francs, collectors left and won, "
        "Vollard, contracts and the discard pile are public; so are cards at the moment they are picked, "
        "which the events tell and the view does not repeat.",
    ),
    Clause("§9", "Rulings. Where the rulebook is silent R1 to R13 hold."),
    Clause("R1", "One colour a sell-off, once a turn."),
    Clause("R2", "Selling off below six is allowed."),
    Clause("R3", "New piles are made only at the end of a turn, after the pick is complete."),
    Clause(
        "R4",
        "A pick never fails: when a turn begins two piles have cards, and at most two cards are drawn. "
        "Every hand has four cards then, so action A is always possible. At least 60 less 10 a seat lie "
        "in piles and discard pile.",
    ),
    Clause("R5", "Equal highest paintings are alike."),
    Clause(
        "R6",
        "Collector cards lie face down, but the order of every pile is known: who has what is public.",
    ),
    Clause("R7", "Forgetting to pick does not exist."),
    Clause(
        "R8",
        "The collector whom Vollard approaches is the buyer, and must be another than the one next to "
        "whom the last sale left him.",
    ),
    Clause(
        "R9",
        "Pairs: the reading under which the rulebook's example of the green card is right. From no pair "
        "to two only white opens, from one to three white and grey, from two to four grey and brown.",
    ),
    Clause("R10", "What would bring the end in the last round changes nothing."),
    Clause("R11", "Francs are not limited by the 27 coins."),
    Clause("R12", "Unequal piles: the larger first; 52 cards make 18, 17 and 17."),
    Clause("R13", "A higher total than the other players' is compared with each of them alone."),
    Clause(
        "§10",
        "Examples. Blue paintings: one seat has 1, 2 and 4, a second has 8, a third has 6. The first may "
        "sell blue, as it has most cards, the second too, as 8 is more than 7 and than 6; the third may "
        "not. Of a hand 0, 1, 4, 5 the pairs 0 and 1, 0 and 4, 0 and 5, 1 and 4 may be painted; 1 and 5 "
        "make 6.",
    ),
)

DRAWS = (
    DrawRule(
        "The deal",
        "Who begins: a number below the number of seats, only if first_seat is random. Then one shuffle "
        "of the 60 cards in the order of the pack: four cards to each seat, then piles 0 to 2, as equal "
        "as can be, the larger first, each from its top.",
    ),
    DrawRule(
        "New piles",
        "One shuffle of what is left of piles 0, 1 and 2 in this order, the top card of each first, "
        "followed by the discard pile, the oldest card first; laid into piles 0 to 2 as in the deal.",
    ),
)
"""All that the rules ask of chance (common §4)."""
