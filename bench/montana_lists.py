"""A minimal Montana of mutable lists: what the rules cost without events, refusals, values and a kernel.

It plays by the same rules, lists the same moves in the same order and ends with the same tables, so that it
can stand beside the real one. It trusts its caller and keeps no history.
"""

from hashlib import sha256

from domain.shared.chance import ByteStream

TWOS = (2, 15, 28, 41)


class Lists:
    """A table of Montana: cards are 1 to 52, a gap is 0; nothing fits after a multiple of 13."""

    __slots__ = ("cells", "gaps", "key", "redeals", "redeals_left", "where")

    def __init__(self, deal: int, redeals: int) -> None:
        """Lay the cards of a deal number."""
        self.key = sha256(f"montane/deal/montana/{deal}".encode()).digest()
        self.redeals = self.redeals_left = redeals
        pack = ByteStream(self.key, b"deal").shuffle(range(1, 53))
        self.lay([0 if card % 13 == 1 else card for card in pack])

    def lay(self, cells: list[int]) -> None:
        """Take a whole table."""
        self.cells = cells
        self.gaps = [cell for cell, card in enumerate(cells) if not card]
        self.where = [0] * 53
        for cell, card in enumerate(cells):
            self.where[card] = cell

    def moves(self) -> list[int]:
        """Return the legal moves, each as card x 64 + gap, rising; 0 is a redeal."""
        cells = self.cells
        found = []
        for gap in self.gaps:
            if gap % 13:
                left = cells[gap - 1]
                if left % 13:
                    found.append((left + 1) * 64 + gap)
            else:
                found += [two * 64 + gap for two in TWOS]
        found.sort()
        if not found and self.redeals_left:
            found.append(0)
        return found

    def make(self, move: int) -> None:
        """Make one of the legal moves."""
        if not move:
            self.redeal()
            return
        card, gap = move >> 6, move & 63
        origin = self.where[card]
        self.cells[gap] = card
        self.cells[origin] = 0
        self.where[card] = gap
        self.gaps[self.gaps.index(gap)] = origin

    def redeal(self) -> None:
        """Shuffle everything outside the finished parts and lay it again."""
        kept = [self.finished(row) for row in range(4)]
        gathered = [card for cell, card in enumerate(self.cells) if card and cell % 13 >= kept[cell // 13]]
        context = f"redeal/{self.redeals - self.redeals_left + 1}"
        fresh = iter(ByteStream(self.key, context.encode()).shuffle(gathered))
        laid: list[int] = []
        for row in range(4):
            stays = self.cells[row * 13 : row * 13 + kept[row]]
            laid += [*stays, 0, *(next(fresh) for _ in range(12 - kept[row]))]
        self.redeals_left -= 1
        self.lay(laid)

    def finished(self, row: int) -> int:
        """Return how many cards the finished part of a row has."""
        cells = self.cells[row * 13 : row * 13 + 12]
        if cells[0] not in TWOS:
            return 0
        length = 1
        while length < 12 and cells[length] == cells[0] + length:
            length += 1
        return length

    def score(self) -> int:
        """Return how many cards all finished parts have."""
        return sum(self.finished(row) for row in range(4))

    def over(self) -> bool:
        """Return whether the table is won; lost is anyone who has no move."""
        cells = self.cells
        return not (cells[12] or cells[25] or cells[38] or cells[51]) and self.score() == 48
