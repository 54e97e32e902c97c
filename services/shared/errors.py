"""How a use case fails. The rules' own refusals are `domain.shared.rejections.Rejected`."""


class Failure(Exception):  # noqa: N818 - the base of answers, not a fault of the program
    """A use case cannot be carried out; nothing has changed.

    Attributes:
        reason: Stable code, part of the API.
        details: Named values that the asker may know.
    """

    def __init__(self, reason: str, **details: object) -> None:
        """Take the reason and what it is about."""
        super().__init__(reason)
        self.reason = reason
        self.details = details


class Malformed(Failure):
    """The request does not say what it must; `details` names the field."""


class Unauthenticated(Failure):
    """There is no token, or none that is known."""


class Forbidden(Failure):
    """Not the caller's seat, or not its match to change."""


class NotFound(Failure):
    """There is no such thing, or none that the caller may know of."""


class Conflict(Failure):
    """The match has moved on; read and try again."""


class KeyReused(Failure):
    """The idempotency key came with another body before."""

    def __init__(self) -> None:
        """Take nothing: the reason is always the same."""
        super().__init__("IDEMPOTENCY_KEY_REUSED")


class RateLimited(Failure):
    """The caller has spent one of its budgets; `details` has which, and in how many seconds to come again."""

    def __init__(self, policy: str, retry_after: int, reason: str = "RATE_LIMITED") -> None:
        """Take the budget's name, the seconds, and a reason of its own if it has one."""
        super().__init__(reason, policy=policy, retry_after=retry_after)
        self.retry_after = retry_after


class TooMany(Failure):
    """The caller has as many of something as it may have; `details` says how many that is."""


class SetAside(Failure):
    """A match cannot be read, as an event of it is missing or not understood; trying again does not help."""

    def __init__(self, match: str) -> None:
        """Take the match."""
        super().__init__("MATCH_SET_ASIDE", match=match)


class Unavailable(Failure):
    """The store is away or too busy, or what the service relies on besides.

    Nothing happened, or the idempotency key makes retrying safe.
    """

    def __init__(self, reason: str = "STORE_UNAVAILABLE", **details: object) -> None:
        """Take what is away, usually the store; `retry_after` says in how many seconds to try again."""
        super().__init__(reason, **details)
