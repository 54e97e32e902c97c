"""The command `montane verify`: the audit of a bundle in words."""

from collections.abc import Callable
from typing import BinaryIO

import msgspec

from adapters.keys.signing import Ed25519Signatures, KeySet, TrustedSignatures
from domain.games import GAMES
from services.proof.bundle_audit import Altered, verify
from services.proof.bundles import lines_of
from services.proof.keys import Key, Signatures


class KeysError(Exception):
    """The keys to trust cannot be read."""


def checked(bundle: BinaryIO, keys: BinaryIO | None, say: Callable[[str], None]) -> bool:
    """Say, a line a check, whether a bundle holds, and return it.

    Args:
        bundle: The bundle.
        keys: A set of keys, of which one must have signed; None takes any.
        say: Takes each line.

    Raises:
        KeysError: There are no keys in what should hold them.
    """
    signatures: Signatures = Ed25519Signatures() if keys is None else TrustedSignatures(_read(keys))
    try:
        passed = verify(lines_of(bundle), dict(GAMES), signatures)
    except Altered as found:
        say(f"{found.check:<12}FAILED at version {found.version}: {found.what}")
        return False
    for one in passed:
        told = "-   not in this bundle" if one.count is None else f"ok  {one.count:,} {one.of}"
        say(f"{one.check:<12}{told}")
    return True


def _read(keys: BinaryIO) -> tuple[Key, ...]:
    try:
        return msgspec.json.decode(keys.read(), type=KeySet).keys
    except msgspec.DecodeError as error:
        raise KeysError(f"the keys cannot be read: {error}") from error
