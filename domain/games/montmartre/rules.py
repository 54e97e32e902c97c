"""The clauses and rulings of `montmartre/1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause, DrawRule

RULES = (
    Clause(
        "§1",
        "60 Muse cards: blue, green, pink and yellow, in each the values 0 to 5 twice and 6, 7, 8 once. Per "
        "colour five collectors, 2, 4, 6, 8, 10, the 2 on top. Contracts: white 4; grey 7 and 3; brown 12 "
        "and 5. Two to five seats.",
    ),
    Clause("§2", "Options: first_seat, random by default or a seat of the match."),
    Clause(
        "§3.1",
        "Deal four Muse cards to each seat. The rest forms three face-up piles as equal as possible, of "
        "which only the top cards are visible.",
    ),
    Clause(
        "§3.2",
        "Four collector piles, five contracts. Vollard stands next to nobody; with two seats there is no "
        "Vollard.",
    ),
    Clause("§4.0", "A turn is one action: A, paint, perhaps sell off, and pick; or B, sell."),
    Clause(
        "§4.1",
        "Paint one card of any value, or two whose values add up to 5 or less, face up into the own "
        "workshop.",
    ),
    Clause(
        "§4.2",
        "After painting, at most once a turn, one or more paintings of one colour may be sold off for a "
        "franc each. If the workshop holds more than six it is mandatory, and at least down to six.",
    ),
    Clause(
        "§4.3",
        "Pick: draw from the top of one pile until the hand has four. If the pile runs out first, the seat "
        "goes on with another one, by itself if only one is left. Nothing is sold off once the pick has "
        "begun.",
    ),
    Clause(
        "§4.4",
        "At the end of the turn, unless the match ends with it: if two or three piles are empty, the rest "
        "and the discard pile are shuffled into three new piles.",
    ),
    Clause(
        "§5.1",
        "Sell, with three to five seats, to a collector of a pile that is not empty and next to which "
        "Vollard does not stand, with strictly more paintings of the colour than every other seat, or a "
        "strictly higher total value than every other seat's total.",
    ),
    Clause("§5.2", "Vollard moves next to this collector."),
    Clause(
        "§5.3",
        "The seat's highest painting of the colour is discarded, and it gets the top card of the pile.",
    ),
    Clause(
        "§5.4",
        "If by this sale the number of the seat's different collector colours rises to two (white), three "
        "(grey) or four (brown), it may take a contract of that tier if one is left and it has none yet; "
        "only in this turn, one a game.",
    ),
    Clause("§5.5", "No card is drawn after a sale."),
    Clause(
        "§6.1",
        "With two seats paintings are sold in pairs: to two collectors of different colours, for both of "
        "which the seat has the majority and the pile is not empty. Nobody blocks a collector.",
    ),
    Clause(
        "§6.2",
        "With two seats contracts count the colours of which the seat holds at least two collectors: the "
        "second opens white, the third grey, the fourth brown. A sale that reaches two tiers opens both.",
    ),
    Clause(
        "§7.1",
        "The end is brought by a turn after which two or more collector piles are empty or a seat has 15 "
        "francs or more.",
    ),
    Clause("§7.2", "Play goes on until all seats have had the same number of turns."),
    Clause("§7.3", "Score: collectors, francs and contract. The highest wins; ties share."),
    Clause(
        "§8",
        "A hand is seen by its own seat, others see its number. Of a pile the top card and the number are "
        "seen. Everything else is public; so are cards at the moment they are picked.",
    ),
    Clause("R1", "One colour a sell-off, once a turn."),
    Clause("R2", "Selling off below six is allowed."),
    Clause("R3", "New piles are made only at the end of a turn, after the pick is complete."),
    Clause(
        "R4",
        "A pick never fails: when a turn begins two piles have cards, and at most two cards are drawn. Every "
        "hand has four cards then, so action A is always possible.",
    ),
    Clause("R5", "Equal highest paintings are alike."),
    Clause(
        "R6", "Collector cards lie face down, but the order of every pile is known: who has what is public."
    ),
    Clause("R7", "Forgetting to pick does not exist."),
    Clause(
        "R8",
        "The collector whom Vollard approaches is the buyer, and must be another than the one next to whom "
        "the last sale left him.",
    ),
    Clause("R9", "Pairs: the reading under which the rulebook's example of the green card is right."),
    Clause("R10", "What would bring the end in the last round changes nothing."),
    Clause("R11", "Francs are not limited by the 27 coins."),
    Clause("R12", "Unequal piles: the larger first."),
    Clause("R13", "A higher total than the other players' is compared with each of them alone."),
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
