"""Tables of Montmartre as text, and Montmartre's scenarios."""

from domain.games.montmartre import GAME
from domain.games.montmartre.catalogue import (
    CARDS,
    COLLECTORS,
    COLOURS,
    CONTRACTS,
    HAND,
    PACK,
    STYLES,
    Card,
    Colour,
)
from domain.games.montmartre.commands import Command
from domain.games.montmartre.events import Event
from domain.games.montmartre.setup import laid
from domain.games.montmartre.state import Ending, Painter, Phase, State
from domain.shared.seats import Seat
from domain.shared.tuples import draw, without
from tests.support.games.scenarios import Scenarios

montmartre: Scenarios[State, Command, Event] = Scenarios(GAME)

SHORT = {f"{card[0]}{card[-1]}": card for card in CARDS}
"""The cards by what they are called in a text: `b0` for `blue-0`."""


def card(text: str) -> Card:
    """Return the card that a text names."""
    return SHORT[text]


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards that a text names, parted by blanks, in its order."""
    return tuple(SHORT[word] for word in text.split())


def table(
    text: str,
    *,
    piles: str | None = None,
    discard_pile: str = "",
    first_seat: int = 0,
    turn: int = 0,
    phase: Phase = Phase.BEGUN,
    vollard: Colour | None = None,
    offered: tuple[int, ...] = (),
    ending: Ending | None = None,
) -> State:
    """Return the table that a text shows, with every piece once.

    Args:
        text: A line a seat: hand | workshop | collectors won | francs | contract; what is left out at its end
            is empty. `...` is a hand of four cards that the text does not name.
        piles: Three piles, top first, parted by `/`. Left out, they are made of all cards not named.
        discard_pile: The newest cards of the discard pile, oldest first; with piles given, all cards not
            named lie under them.
        first_seat: Who began.
        turn: Whose turn it is.
        phase: What has been done in the turn.
        vollard: Next to whose collectors Vollard stands.
        offered: Contracts that the seat may take.
        ending: What brings the end.
    """
    lines = [[part.strip() for part in f"{line}||||".split("|")] for line in text.strip().splitlines()]
    named = " ".join(word for line in lines for word in line[:2] if word != "...")
    others = without(PACK, cards(f"{named} {discard_pile} {(piles or '').replace('/', ' ')}"))
    painters = []
    for hand, workshop, collectors, francs, contract, *_ in lines:
        drawn, others = draw(others, HAND if hand == "..." else 0)
        painters.append(
            Painter(
                hand=tuple(sorted(drawn or cards(hand))),
                workshop=tuple(
                    tuple(sorted(card for card in cards(workshop) if STYLES[card] is colour))
                    for colour in COLOURS
                ),
                francs=int(francs or 0),
                collectors=_by_colour(collectors),
                contract=int(contract) if contract else None,
            )
        )
    won = [value for painter in painters for value in (painter.contract,) if value is not None]
    return State(
        first_seat=Seat(first_seat),
        turn=Seat(turn),
        phase=phase,
        painters=tuple(painters),
        piles=laid(others) if piles is None else tuple(cards(pile) for pile in piles.split("/")),
        discard_pile=(() if piles is None else others) + cards(discard_pile),
        collectors=tuple(
            without(COLLECTORS, (value for painter in painters for value in painter.collectors[shelf]))
            for shelf in range(len(COLOURS))
        ),
        vollard=vollard,
        contracts=without(CONTRACTS, won),
        offered=offered,
        ending=ending,
    )


def _by_colour(collectors: str) -> tuple[tuple[int, ...], ...]:
    words = collectors.split()
    return tuple(tuple(sorted(int(word[1:]) for word in words if word[0] == colour[0])) for colour in COLOURS)
