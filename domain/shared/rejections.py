"""How the rules say no."""

from enum import StrEnum


class Rejected(Exception):  # noqa: N818 - a refusal is an answer of the rules, not an error
    """The rules refuse a command; nothing has changed.

    Attributes:
        reason: The stable code, a member of the game's `Reason` or of the match's.
        details: Named values that the asker may know: seats, numbers, words.
    """

    def __init__(self, reason: StrEnum, **details: int | str | None) -> None:
        """Take the reason and what it is about."""
        super().__init__(reason)
        self.reason = reason
        self.details = {name: value for name, value in details.items() if value is not None}
