"""The server's own bots: what they are called, and the accounts that they play under.

A bot has an account for each place at a table, so that it can hold several seats of one match. The accounts
are there from the beginning, with fixed ids (`0011_lobby.sql`); nobody has a token for them.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from uuid import UUID

from msgspec import Struct

from domain.match import PlayerId
from services.bots.policies import Policy, at_random
from services.players.profiles import DEFAULT_LOCALE
from services.players.store import Player
from services.shared.ids import written

PLACES = 8
"""How many seats of one match a bot can hold."""
SINCE = datetime(2026, 11, 30, tzinfo=UTC)
"""When the accounts were opened."""

_FIRST = 0x7 << 76 | 0b10 << 62
"""The smallest UUIDv7; the bot's number and the place are its last bytes."""


class Bot(Struct, frozen=True):
    """A bot of the server.

    Attributes:
        name: What it is asked for by.
        number: What its accounts' ids are made from; never given again.
        title: As its accounts are called, with the place's number after it.
        description: How it plays, in one sentence.
        policy: How it plays.
    """

    name: str
    number: int
    title: str
    description: str
    policy: Policy


BOTS: Mapping[str, Bot] = {
    bot.name: bot
    for bot in (
        Bot("random", 1, "Random bot", "Makes any legal move, each as likely as the others.", at_random),
    )
}
"""The server's bots by name."""


def account(bot: Bot, place: int) -> PlayerId:
    """Return the account under which a bot holds the seat of that number."""
    return PlayerId(written("player", UUID(int=_FIRST | bot.number << 8 | place % PLACES)))


def bot_of(player: PlayerId) -> Bot | None:
    """Return the bot that plays under an account; None if it is nobody's of the server."""
    return _BY_ACCOUNT.get(player)


_BY_ACCOUNT = {account(bot, place): bot for bot in BOTS.values() for place in range(PLACES)}

POLICIES: Mapping[PlayerId, Policy] = {id: bot.policy for id, bot in _BY_ACCOUNT.items()}
"""How each account of a bot plays."""

ACCOUNTS: tuple[Player, ...] = tuple(
    Player(
        id=account(bot, place),
        display_name=f"{bot.title} {place + 1}",
        avatar_seed=f"{bot.name}-{place + 1}",
        locale=DEFAULT_LOCALE,
        created_at=SINCE,
    )
    for bot in BOTS.values()
    for place in range(PLACES)
)
"""The accounts of all bots."""
