"""Signing keys kept in memory."""

from collections.abc import Sequence

from adapters.keys.signing import Ed25519Signer, new_secret
from services.proof.keys import Key, Signer


class MemoryKeys:
    """The port `Keys`, gone with the process."""

    def __init__(self, signer: Signer | None = None) -> None:
        """Begin with one key; None for a fresh one."""
        self._signers = [signer or Ed25519Signer(new_secret())]

    async def signer(self) -> Signer:
        """Return what signs now."""
        return self._signers[-1]

    async def rotate(self) -> Key:
        """Let a fresh key sign from now on, and return it; those before stay published."""
        self._signers.append(Ed25519Signer(new_secret()))
        return self._signers[-1].key

    async def published(self) -> Sequence[Key]:
        """Return all keys: the one that signs now, then those that did before, newest first."""
        return [signer.key for signer in reversed(self._signers)]
