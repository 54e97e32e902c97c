"""The clauses and rulings of `montanara/1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause, DrawRule

RULES = (
    Clause(
        "§1",
        "Components. 80 cards: dwarf 23, crystal 9, cave_in 7, theft 9, shaking 7, tunnel 9, drilling 9, "
        "open_pit 7. Cards of a kind are alike. The border of dwarfs is green, of crystals yellow, of "
        "cave-ins blue and yellow, of all others blue. A board of four spaces in a row, numbered 0 to 3 "
        "(R1). Two seats.",
    ),
    Clause(
        "§2",
        "Options. piles: how many cards lie on spaces 0 to 3 at first, four positive numbers with sum 72, "
        "by default 12, 16, 20 and 24. tunnel_order: random by default, or chosen (R9). first_seat: "
        "random by default, or a seat of the match.",
    ),
    Clause("§3", "Setup. Hands, then mountains."),
    Clause(
        "§3.1",
        "Each seat takes one dwarf. The other 78 cards are shuffled; the first three go to seat 0, the "
        "next three to seat 1, face down. These four are its hand; displays and discard pile are empty.",
    ),
    Clause(
        "§3.2",
        "The other 72 form the four face-down mountains by piles, spaces 0 to 3 in this order, each from "
        "its top down.",
    ),
    Clause(
        "§4",
        "Commands. In this order: take_card(mountain), play_dwarf(), play_cave_in(), "
        "look_at_mountain(mountain), decline_look(), play_theft(), play_shaking(first, second, extra), "
        "play_tunnel(mountain), arrange_tunnel(order), play_drilling(mountain), place_drilled(on), "
        "drill(mountain), stop_drilling(), play_open_pit(mountain), dig(mountain), dig_home(). resign() "
        "is open too.",
    ),
    Clause(
        "§4.0",
        "The seats take turns, one action a turn (R13). In phase turn the seat whose turn it is takes a "
        "card, plays one or digs; in phase look the next looker looks or declines, after a played cave-in "
        "the opponent, then the player, after a dig the digger; in phase tunnel the seat gives the order; "
        "in phase drilling it places the lifted card, or else drills on or stops. Then the turn passes to "
        "the other seat.",
    ),
    Clause(
        "§4.1",
        "Take the top card of a non-empty mountain into hand, unseen by the opponent. A mountain without "
        "cards cannot be named for anything. A hand has no limit.",
    ),
    Clause(
        "§4.2",
        "Play a dwarf: needs a dwarf in hand and fewer than 4 cards in the own display, dwarfs and "
        "crystals counted.",
    ),
    Clause(
        "§4.3",
        "Play a cave-in: both seats discard all dwarfs of their displays, also if there are none (R5). "
        "Then each seat may look at a mountain or decline: first the opponent, then the player, who must "
        "take a different one (R6).",
    ),
    Clause(
        "§4.4",
        "Play a theft: needs at least one other card in hand. Both hands, without the theft, are swapped; "
        "the opponent's may be empty.",
    ),
    Clause(
        "§4.5",
        "Play a shaking: two neighbouring spaces, both with cards, or one with at least 2 and the other "
        "empty. Their cards are shuffled together and divided into sizes that differ by at most 1; the "
        "upper part goes to the lower-numbered space. The extra card of an odd number goes to the space "
        "that extra names, the lower-numbered one by default; of an even number there is none, and the "
        "other space may not be named. The player sees both top cards. Listed with first below second, "
        "and with both values of extra if the number is odd, else with the lower; either order is "
        "accepted.",
    ),
    Clause(
        "§4.6",
        "Play a tunnel: the player sees the top 4 cards of a mountain, or all it has. They go back on top "
        "in random order, or, with tunnel_order chosen and two cards or more, alike or not, in the order "
        "that the seat gives by arrange_tunnel: the kinds of exactly the cards seen, the new top card "
        "first. All different orders are listed. The order is private.",
    ),
    Clause(
        "§4.7",
        "Play a drilling: the player sees the bottom card of a mountain and places it on top or at the "
        "bottom before the next look; then drills another mountain not yet drilled this turn, or stops. A "
        "lifted card stays in its mountain, and in its number, until it is placed; placing is always "
        "asked for. It ends by itself when no mountain with cards is left to drill.",
    ),
    Clause(
        "§4.8",
        "Play an open pit: the mountain's order is reversed unseen; its new top card goes into hand.",
    ),
    Clause(
        "§4.9",
        "Dig in a mountain, or at home with at least one card in hand: needs a dwarf in the own display. "
        "Cards are turned over one at a time, as many as dwarfs lie there when it begins, or as there "
        "are. A crystal ends it and goes to the display for a dwarf, which is discarded. A cave-in ends "
        "it; it and all own dwarfs are discarded, and the seat may look at a mountain. Any other card is "
        "discarded without effect. At home the hand is shuffled into an ordinary pile, and what is left "
        "returns to hand, also when the game ends.",
    ),
    Clause(
        "§4.10",
        "An action card is played from the hand. It is discarded after its effect, and while its phase "
        "goes on it lies open on the table. A cave-in that is played goes on the discard pile after the "
        "dwarfs, after the last look; one that is dug before them; an open pit before the end is checked. "
        "No card is discarded without effect: one whose effect is impossible cannot be played. Crystals "
        "are never played.",
    ),
    Clause("§4.11", "Resigning: the other seat wins."),
    Clause(
        "§4.12",
        "Looking at a mountain: any non-empty one of the range; the seat is shown all its cards in order, "
        "the top first. The order stays.",
    ),
    Clause("§5", "End. By crystals, or by the last mountain."),
    Clause("§5.1", "A seat that has 4 crystals in its display wins at once."),
    Clause(
        "§5.2",
        "When exactly one mountain still has cards, the game ends at once: more crystals in the display "
        "win, then more dwarfs in the display; else it is a draw without winners. Cards in hand do not "
        "count. The scores are the crystals of each display.",
    ),
    Clause(
        "§5.3",
        "Both are checked after a card is taken, after an open pit and after each card turned over in a "
        "dig, once it is fully resolved; 5.1 comes first. Shaking, tunnel and drilling never use up a "
        "mountain. An outstanding look lapses.",
    ),
    Clause(
        "§6",
        "Visibility. A seat sees its hand, the cards it takes, its new hand after a theft, and the cards "
        "that look, tunnel, shaking and drilling show it. Others see how many cards a hand and a mountain "
        "have, from where one was taken, at which mountain a seat looked and how many cards it saw, and "
        "whether a drilled card went to the top or the bottom. Displays, the card played and the discard "
        "pile, in its order, are public. An order after a shuffle is known to nobody until cards are "
        "turned over.",
    ),
    Clause("§7", "Rulings. Where the rulebook is silent R1 to R15 hold."),
    Clause(
        "R1",
        "Neighbouring spaces are 0 and 1, 1 and 2, 2 and 3: a row, no ring. An empty space between two "
        "mountains separates them.",
    ),
    Clause("R2", "There is no early stop when digging."),
    Clause("R3", "Fewer cards than dwarfs: turn over all there are."),
    Clause("R4", "The number of cards to turn over is fixed when the dig begins."),
    Clause("R5", "A cave-in may be played when nobody has a dwarf: the looks are its effect."),
    Clause(
        "R6",
        "The second looker may choose any mountain other than the one the first looked at; any one if the "
        "first declined. Another is always there.",
    ),
    Clause(
        "R7",
        "Looks are optional; the cards that tunnel, shaking and drilling show are always shown.",
    ),
    Clause("R8", "Shaking two spaces with 2 or more cards always gives two non-empty mountains."),
    Clause("R9", "The rulebook puts a tunnel back at random; printed editions let the player choose."),
    Clause("R10", "Drilling looks at one mountain at least; the order is free, and the seat may stop."),
    Clause(
        "R11",
        "There is always a legal action: two mountains have cards, so one can be taken. Twice the cards "
        "in the range plus the cards in both hands is 152 at first and falls every turn, so a game has at "
        "most 150 turns, of at most 8 commands each.",
    ),
    Clause("R12", "Taking a card and an open pit may empty a mountain; the end is checked then."),
    Clause("R13", "There is no passing."),
    Clause(
        "R14",
        "A seat knows, by position, what look, tunnel, shaking and drilling have shown it; its own view "
        "has this as known: mountains, four lists with the top first and null where unknown, and hand, "
        "sorted, empty before the first theft. Taking or turning over the top card shifts positions, "
        "drilling moves a card, an open pit reverses. Shaking forgets both mountains but what it shows; a "
        "random tunnel of two cards or more forgets the cards it moved, alike or not, a chosen one only "
        "for the other seat; while an order is being chosen the seat knows the cards in their old order. "
        "After a theft a seat knows the other hand as the one it gave, less one of the kind for each card "
        "played or turned over since, and not what was added; a second theft replaces it.",
    ),
    Clause("R15", "Digging at home needs a card in hand; tunnel and looks show all there is."),
    Clause(
        "§8",
        "Examples. A display of 3 dwarfs and 1 crystal: a dwarf is refused (4.2); a dig turns over 3 "
        "cards, and after a crystal the display has 2 dwarfs and 2 crystals. With 3 crystals and 1 dwarf "
        "a dig turns over a crystal that is the last card of the second-to-last mountain: the seat wins "
        "by 5.1. Mountains 0 and 3 have cards, 1 and 2 are empty: shaking 0 and 1 splits mountain 0 if it "
        "has at least 2 cards; 0 and 3 is refused.",
    ),
)

DRAWS = (
    DrawRule(
        "The deal",
        "Who begins: a number below 2, only if first_seat is random. Then one shuffle of the pack without "
        "two dwarfs: three cards to seat 0, three to seat 1, then the mountains 0 to 3 by piles, each "
        "from its top.",
    ),
    DrawRule(
        "Shaking",
        "One shuffle of the cards of the lower-numbered mountain, the top one first, followed by those of "
        "the other in the same way; the first part, from its top, lies on the lower-numbered space.",
    ),
    DrawRule(
        "A tunnel of two or more cards, with tunnel_order random",
        "One shuffle of the cards seen, the top one first; they go back in the order that it gives, the "
        "new top card first.",
    ),
    DrawRule(
        "A dig at home",
        "For each card that is turned over a number below the number of cards in hand, which takes the "
        "card at that place, from 0, of the hand in the order of the pack. The hand is never shuffled; "
        "the card leaves it before the next number.",
    ),
)
"""All that the rules ask of chance (common §4)."""
