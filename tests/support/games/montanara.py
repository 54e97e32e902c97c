"""Tables of Montanara as text, and Montanara's scenarios."""

from msgspec.structs import replace

from domain.games.montanara import GAME
from domain.games.montanara.catalogue import Kind, TunnelOrder
from domain.games.montanara.commands import Command
from domain.games.montanara.events import Event
from domain.games.montanara.state import BOTH, INITIAL, Card, Display, State, as_hand, opponent
from domain.games.montanara.view import Table
from domain.shared.chance import Chance
from domain.shared.game import play
from domain.shared.seats import Seat
from domain.shared.viewers import ALL_SEEING, seated
from tests.support.games.rigged import StackedChance
from tests.support.games.scenarios import ANN, Scenarios, luck

montanara: Scenarios[State, Command, Event] = Scenarios(GAME)


def cards(text: str) -> tuple[Kind, ...]:
    """Return the cards that a text names, by kind: `dwarf cave_in dwarf`."""
    return tuple(map(Kind, text.split()))


def piles(text: str) -> tuple[tuple[Kind, ...], ...]:
    """Return the piles that a text names, parted by strokes: `dwarf theft / crystal`."""
    return tuple(map(cards, text.split("/")))


def table(
    *,
    hands: str = "/",
    mountains: str = "dwarf dwarf / dwarf dwarf / dwarf dwarf / dwarf dwarf",
    displays: str = "/",
    discard_pile: str = "",
    turn: Seat = ANN,
    tunnel_order: TunnelOrder = TunnelOrder.RANDOM,
) -> State:
    """Return the table that texts show.

    Args:
        hands: Both hands, known to their seats. `dwarf*` is a card that the other seat gave.
        mountains: The mountains on spaces 0 to 3, the top card first. `dwarf*01` is known to both seats.
        displays: The dwarfs and crystals in both displays.
        discard_pile: The oldest card first.
        turn: The seat whose turn it is.
        tunnel_order: How the cards of a tunnel go back.
    """
    return replace(
        INITIAL,
        hands=tuple(
            as_hand(_held(word, seat) for word in hand.split())
            for seat, hand in zip(BOTH, hands.split("/"), strict=True)
        ),
        mountains=tuple(tuple(map(_lying, pile.split())) for pile in mountains.split("/")),
        displays=tuple(
            Display(display.count(Kind.DWARF), display.count(Kind.CRYSTAL)) for display in piles(displays)
        ),
        discard_pile=cards(discard_pile),
        turn=turn,
        tunnel_order=tunnel_order,
    )


def laid(state: State) -> Table:
    """Return all cards of a table where they lie, anyone who knows them."""
    table: Table = GAME.view(state, ALL_SEEING)
    return table


def known(state: State) -> str:
    """Return what the seats know of the mountains (R14), as `table` takes it; `?` is known to neither."""
    first, second = (_aid(state, seat) for seat in BOTH)
    return " / ".join(
        " ".join(_known(*both) for both in zip(*pair, strict=True))
        for pair in zip(first, second, strict=True)
    )


def known_hand(state: State, seat: Seat) -> tuple[Kind, ...]:
    """Return what a seat knows of the other hand (R14)."""
    table: Table = GAME.view(state, seated(seat))
    assert table.known is not None
    return table.known.hand


def after(state: State, *commands: Command, chance: Chance | None = None) -> State:
    """Return the table after commands, each of the seat that is to act."""
    for command in commands:
        (seat,) = GAME.to_act(state)
        _, state = play(GAME, state, seat, command, chance or luck())
    return state


def shuffled(text: str) -> StackedChance:
    """Return chance whose shuffles give the cards that a text names, in this order."""
    return StackedChance(cards(text))


def _held(word: str, seat: Seat) -> Card:
    kind, star, _ = word.partition("*")
    return Card(Kind(kind), (opponent(seat), seat), True) if star else Card(Kind(kind), (seat,))


def _lying(word: str) -> Card:
    kind, _, seats = word.partition("*")
    return Card(Kind(kind), tuple(Seat(int(seat)) for seat in seats))


def _aid(state: State, seat: Seat) -> tuple[tuple[Kind | None, ...], ...]:
    table: Table = GAME.view(state, seated(seat))
    assert table.known is not None
    return table.known.mountains


def _known(first: Kind | None, second: Kind | None) -> str:
    """Return what two seats know of one card."""
    kind = first or second
    seats = "".join(str(seat) for seat, card in zip(BOTH, (first, second), strict=True) if card)
    return f"{kind}*{seats}" if kind else "?"
