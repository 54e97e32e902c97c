"""The deal of Montana, and the chance that deals (montana §3, R6)."""

from hashlib import sha256

from domain.games.montana.catalogue import CARDS, Options
from domain.games.montana.events import Dealt, Event
from domain.shared.chance import ByteStream, Chance


def setup(options: Options, seats: int, chance: Chance) -> tuple[Event, ...]:
    """Return the opening deal: 52 cards shuffled and laid in four rows of 13 (§3.1)."""
    cards = shuffled(CARDS, options.deal, "deal", chance)
    return (Dealt(cards, options.redeals, options.redeal_policy, options.deal),)


def shuffled[Item](
    items: tuple[Item, ...], deal: int | None, context: str, chance: Chance
) -> tuple[Item, ...]:
    """Return the items shuffled by the match's chance or, with a deal number, by that number (R6)."""
    if deal is None:
        return chance.shuffle(items)
    key = sha256(f"montane/deal/montana/{deal}".encode()).digest()
    return ByteStream(key, context.encode()).shuffle(items)
