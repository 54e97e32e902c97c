"""The time."""

from datetime import UTC, datetime


class SystemClock:
    """The port `Clock`."""

    def now(self) -> datetime:
        """Return the time, UTC."""
        return datetime.now(UTC)
