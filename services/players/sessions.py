"""Streams that are open by a token, ended when the token is no longer good.

All that are open are looked after together: one question to the store every `PERIOD`, however many there are.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Protocol

from msgspec import Struct

from domain.match import PlayerId
from services.players.store import Accounts
from services.shared.errors import Unavailable
from services.shared.time import Clock

PERIOD = 2.0
"""Seconds between two looks at all tokens that streams are open by: with it, revoking one is felt in 5 s."""

log = logging.getLogger(__name__)


class Credential(Struct, frozen=True):
    """A token that somebody calls with.

    Attributes:
        hash: SHA-256 of it.
        player: Whom it names.
        expires_at: From when on it is no longer good, UTC; None if it stays good until it is revoked.
        signed_in: Whether it is a trusted issuer's, which cannot be revoked here.
    """

    hash: bytes
    player: PlayerId
    expires_at: datetime | None
    signed_in: bool = False


class Stream(Protocol):
    """What is open by a token.

    Attributes:
        left: Called, once, when it is over.
    """

    left: Callable[[], None]

    def revoke(self) -> None:
        """End it, as its token is no longer good."""


class Sessions:
    """The open streams of a process, by their tokens."""

    def __init__(self, accounts: Accounts, clock: Clock) -> None:
        """Begin with none."""
        self._accounts = accounts
        self._clock = clock
        self._open: dict[Credential, set[Stream]] = {}
        self._watching: asyncio.Task[None] | None = None

    def hold(self, credential: Credential, stream: Stream) -> None:
        """Let a stream be open as long as a token is good."""
        self._open.setdefault(credential, set()).add(stream)
        stream.left = partial(self._let_go, credential, stream)
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())

    async def look(self) -> None:
        """End the streams whose tokens are no longer good."""
        now = self._clock.now()
        over = {one for one in self._open if one.expires_at is not None and one.expires_at <= now}
        try:
            over |= await self._gone(list(self._open))
        except Unavailable:
            log.info("whether tokens were revoked is not known, as the store is away")
        for credential in over:
            for stream in self._open.pop(credential, ()):
                stream.revoke()

    async def _gone(self, used: list[Credential]) -> set[Credential]:
        """Return the tokens that were revoked, or whose players were erased."""
        revoked = await self._accounts.gone([one.hash for one in used if not one.signed_in])
        signed_in = sorted({one.player for one in used if one.signed_in})
        known = await self._accounts.named(signed_in) if signed_in else {}
        return {one for one in used if (one.player not in known if one.signed_in else one.hash in revoked)}

    def _let_go(self, credential: Credential, stream: Stream) -> None:
        if streams := self._open.get(credential):
            streams.discard(stream)
            if not streams:
                del self._open[credential]

    async def _watch(self) -> None:
        """Look after all that is open, as long as anything is."""
        while self._open:
            await asyncio.sleep(PERIOD)
            try:
                await self.look()
            except Exception:
                log.exception("tokens cannot be looked after")
