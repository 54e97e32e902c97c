"""Sign the final head of each match, and each day's heads once the day is over.

Any number of processes do so at once: what is stored first stays.
"""

from datetime import timedelta

from domain.match.heads import day_over, signed_day, signed_head, tree
from services.heads import Heads, Keys, SignedDay
from services.ports import Clock, Signer

POLL = timedelta(seconds=5)
"""How long lies between two looks at the log, at most; there is one earlier when a match ends."""
TOGETHER = 500
"""How many heads are signed together at most."""
GRACE = timedelta(minutes=10)
"""How long behind its end a day is closed: by then the log has what was decided on it."""


class HeadSigner:
    """Signs heads and days."""

    def __init__(self, heads: Heads, keys: Keys, clock: Clock) -> None:
        """Take what is signed, with which keys, and the time."""
        self._heads = heads
        self._keys = keys
        self._clock = clock

    async def step(self) -> timedelta:
        """Sign what the log has, close the days that are over, and return how long to wait.

        A day is closed only once the log was read to its end, at a time behind the day's.

        Raises:
            KeyElsewhere: The key that signs now is not here.
        """
        today = (self._clock.now() - GRACE).date().isoformat()
        signer = await self._keys.signer()
        while await self._signed(signer):
            pass
        while (date := await self._heads.open_day()) is not None and date < today:
            await self._close(date, signer)
        return POLL

    async def _signed(self, signer: Signer) -> bool:
        """Sign the next heads, and return whether there may be more."""
        finals = await self._heads.unsigned(TOGETHER)
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
