"""The clauses and rulings of `high_card/1`, as refusals and the catalogue cite them."""

from domain.shared.catalogues import Clause

RULES = (
    Clause("§1", "Eight cards, 1 to 8. Two seats."),
    Clause("§2", "Options: first_seat, random by default or a seat of the match."),
    Clause("§3", "Three cards are dealt to each seat; the rest is the stock."),
    Clause("§4", "Commands. play_card(card); resign() is open too."),
    Clause("§4.1", "The seats take turns to play a card in hand, face up."),
    Clause("§4.2", "When both have played, the higher card takes the trick; both cards are discarded."),
    Clause("§5", "When the hands are empty the game ends. Most tricks win."),
    Clause("§6", "A hand is seen by its own seat only, the stock by nobody. All else is public."),
    Clause("R1", "Anyone who took a trick leads to the next."),
)
