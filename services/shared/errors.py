"""How a use case fails. The rules' own refusals are `domain.shared.rejections.Rejected`."""

from enum import StrEnum


class FailureReason(StrEnum):
    """Why a use case cannot be carried out; stable codes, part of the API."""

    MALFORMED_REQUEST = "MALFORMED_REQUEST"
    NO_SUCH_RESOURCE = "NO_SUCH_RESOURCE"
    MISSING_FIELD = "MISSING_FIELD"
    UNKNOWN_FIELD = "UNKNOWN_FIELD"
    INVALID_FIELD = "INVALID_FIELD"
    INVALID_IDEMPOTENCY_KEY = "INVALID_IDEMPOTENCY_KEY"
    TOKEN_MISSING = "TOKEN_MISSING"  # noqa: S105 - no token
    TOKEN_UNKNOWN = "TOKEN_UNKNOWN"  # noqa: S105 - no token
    ADDRESS_REFUSED = "ADDRESS_REFUSED"
    NO_SUCH_WEBHOOK = "NO_SUCH_WEBHOOK"
    TOO_MANY_WEBHOOKS = "TOO_MANY_WEBHOOKS"
    TOKEN_MALFORMED = "TOKEN_MALFORMED"  # noqa: S105 - no token
    TOKEN_FOREIGN = "TOKEN_FOREIGN"  # noqa: S105 - no token
    TOKEN_NOT_YET_VALID = "TOKEN_NOT_YET_VALID"  # noqa: S105 - no token
    ISSUER_UNAVAILABLE = "ISSUER_UNAVAILABLE"
    TOKEN_EXPIRED = "TOKEN_EXPIRED"  # noqa: S105 - no token
    SCOPE_MISSING = "SCOPE_MISSING"
    NO_SUCH_TOKEN = "NO_SUCH_TOKEN"  # noqa: S105 - no token
    TOO_MANY_TOKENS = "TOO_MANY_TOKENS"
    NOT_SEATED = "NOT_SEATED"
    NOT_YOUR_VIEW = "NOT_YOUR_VIEW"
    NOT_THE_OPENER = "NOT_THE_OPENER"
    NOT_YOUR_SEAT = "NOT_YOUR_SEAT"
    NOT_INVITED = "NOT_INVITED"
    NO_SUCH_PLAYER = "NO_SUCH_PLAYER"
    NO_SUCH_BLOCK = "NO_SUCH_BLOCK"
    TOO_MANY_BLOCKS = "TOO_MANY_BLOCKS"
    TOO_MANY_OPEN_MATCHES = "TOO_MANY_OPEN_MATCHES"
    TOO_MANY_BOT_MATCHES = "TOO_MANY_BOT_MATCHES"
    TOO_MANY_INVITATIONS = "TOO_MANY_INVITATIONS"
    NO_SUCH_BOT = "NO_SUCH_BOT"
    NO_SUCH_GAME = "NO_SUCH_GAME"
    NO_SUCH_RULESET = "NO_SUCH_RULESET"
    RULESET_UNKNOWN = "RULESET_UNKNOWN"
    NO_SUCH_MATCH = "NO_SUCH_MATCH"
    MATCH_SET_ASIDE = "MATCH_SET_ASIDE"
    NO_SUCH_DAY = "NO_SUCH_DAY"
    NO_SUCH_VERSION = "NO_SUCH_VERSION"
    VERSION_CONFLICT = "VERSION_CONFLICT"
    IDEMPOTENCY_KEY_REUSED = "IDEMPOTENCY_KEY_REUSED"
    NOT_YOUR_ROOM = "NOT_YOUR_ROOM"
    NO_SUCH_MESSAGE = "NO_SUCH_MESSAGE"
    CHAT_TOO_FAST = "CHAT_TOO_FAST"
    RATE_LIMITED = "RATE_LIMITED"
    STREAMS_LATE = "STREAMS_LATE"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"


class Failure(Exception):  # noqa: N818 - the base of answers, not a fault of the program
    """A use case cannot be carried out; nothing has changed.

    Attributes:
        reason: Why.
        details: Named values that the asker may know.
    """

    def __init__(self, reason: FailureReason, **details: object) -> None:
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
        super().__init__(FailureReason.IDEMPOTENCY_KEY_REUSED)


class RateLimited(Failure):
    """The caller has spent one of its budgets; `details` has which, and in how many seconds to come again."""

    def __init__(
        self, policy: str, retry_after: int, reason: FailureReason = FailureReason.RATE_LIMITED
    ) -> None:
        """Take the budget's name, the seconds, and a reason of its own if it has one."""
        super().__init__(reason, policy=policy, retry_after=retry_after)
        self.retry_after = retry_after


class TooMany(Failure):
    """The caller has as many of something as it may have; `details` says how many that is."""


class SetAside(Failure):
    """A match cannot be read, as an event of it is missing or not understood; trying again does not help."""

    def __init__(self, match: str) -> None:
        """Take the match."""
        super().__init__(FailureReason.MATCH_SET_ASIDE, match=match)


class Unavailable(Failure):
    """The store is away or too busy, or what the service relies on besides.

    Nothing happened, or the idempotency key makes retrying safe.
    """

    def __init__(self, reason: FailureReason = FailureReason.STORE_UNAVAILABLE, **details: object) -> None:
        """Take what is away, usually the store; `retry_after` says in how many seconds to try again."""
        super().__init__(reason, **details)
