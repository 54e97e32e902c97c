"""Sign the final head of each match, and each day's heads once the day is over.

Any number of processes do so at once: what is stored first stays.
"""

from datetime import datetime, timedelta

from domain.match.heads import day_over, signed_day, signed_head, tree
from services.proof.heads import Finals, Heads, Keys, SignedDay
from services.proof.keys import Signer
from services.shared.time import Clock

POLL = timedelta(seconds=5)
"""How long lies between two looks at the log, at most; there is one earlier when a match ends."""
TOGETHER = 500
"""How many heads are signed together at most."""
LOOK = timedelta(minutes=1)
"""How long lies between two looks at the key, and at the days that are to close, while no match ends."""
GRACE = timedelta(minutes=10)
"""How long after its end a day is closed: by then the log has what was decided on it."""


class HeadSigner:
    """Signs heads and days."""

    def __init__(self, heads: Heads, keys: Keys, clock: Clock) -> None:
        """Take what is signed, with which keys, and the time."""
        self._heads = heads
        self._keys = keys
        self._clock = clock
        self._looked: tuple[datetime, str] | None = None
        """When all was looked at last, and on which day."""

    async def step(self) -> timedelta:
        """Sign what the log has, close the days that are over, and return how long to wait.

        A day is closed only once the log was read to its end, at a time after the day's.

        Raises:
            KeyElsewhere: The key that signs now is not here.
        """
        now = self._clock.now()
        today = (now - GRACE).date().isoformat()
        finals = await self._heads.unsigned(TOGETHER)
        if self._is_known(now, today) and not finals.items and not finals.more:
            await self._heads.keep((), finals.reached)
            return POLL
        signer = await self._keys.signer()
        while await self._signed(finals, signer):
            finals = await self._heads.unsigned(TOGETHER)
        while (date := await self._heads.open_day()) is not None and date < today:
            await self._close(date, signer)
        self._looked = now, today
        return POLL

    def _is_known(self, now: datetime, today: str) -> bool:
        """Return whether all was looked at just now, on the same day."""
        return self._looked is not None and self._looked[1] == today and now - self._looked[0] < LOOK

    async def _signed(self, finals: Finals, signer: Signer) -> bool:
        """Sign heads, and return whether there may be more after them."""
        signed = [(final, signer.key, signer.sign(signed_head(final.head))) for final in finals.items]
        await self._heads.keep(signed, finals.reached)
        return finals.more

    async def _close(self, date: str, signer: Signer) -> None:
        built = tree(await self._heads.of_day(date))
        day = day_over(date, built)
        signed = SignedDay(
            date=date,
            size=day.size,
            root=day.root,
            kid=signer.key.kid,
            signature=signer.sign(signed_day(day)),
        )
        await self._heads.close(signed, built)
