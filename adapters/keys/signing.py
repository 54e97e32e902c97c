"""Signatures: Ed25519 (RFC 8032), and its keys as they are published (RFC 8037, RFC 7638)."""

from collections.abc import Iterable
from hashlib import sha256

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from msgspec import Struct

from domain.shared.canonical import canonical
from domain.shared.chain import read, written
from services.proof.keys import Key


class KeySet(Struct, frozen=True):
    """Public keys as they are published at `/.well-known/jwks.json` (RFC 7517).

    Attributes:
        keys: The one that signs now, then those that did before.
    """

    keys: tuple[Key, ...]


class Ed25519Signer:
    """Signs with one private key.

    Attributes:
        key: The public key that checks its signatures.
    """

    def __init__(self, secret: bytes) -> None:
        """Take the private key, 32 bytes."""
        self._private = Ed25519PrivateKey.from_private_bytes(secret)
        self.key = key_of(self._private.public_key().public_bytes_raw())

    def sign(self, message: bytes) -> str:
        """Return the signature of a message, in base64url without padding."""
        return written(self._private.sign(message))


class Ed25519Signatures:
    """Checks signatures, each by the key that it comes with."""

    def signed(self, message: bytes, signature: str, key: Key) -> bool:
        """Return whether a signature of a message is by the holder of a key."""
        try:
            public = read(key.x)
            Ed25519PublicKey.from_public_bytes(public).verify(read(signature), message)
        except (ValueError, InvalidSignature):
            return False
        return key == key_of(public)


class TrustedSignatures(Ed25519Signatures):
    """Checks signatures, of which only those by certain keys count."""

    def __init__(self, keys: Iterable[Key]) -> None:
        """Take the keys."""
        self._keys = tuple(keys)

    def signed(self, message: bytes, signature: str, key: Key) -> bool:
        """Return whether a signature of a message is by the holder of a key that is trusted."""
        return key in self._keys and super().signed(message, signature, key)


def key_of(public: bytes) -> Key:
    """Return a public key as it is published; its id is its thumbprint (RFC 7638)."""
    x = written(public)
    thumbprint = sha256(canonical({"crv": "Ed25519", "kty": "OKP", "x": x})).digest()
    return Key(kid=written(thumbprint), x=x)


def secret_in(pem: bytes) -> bytes:
    """Return the private key in a file as `openssl genpkey -algorithm ed25519` writes it, 32 bytes.

    Raises:
        ValueError: There is none in it.
    """
    try:
        key = load_pem_private_key(pem, None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ValueError("not a private key in PEM") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("not a key of Ed25519")
    return key.private_bytes_raw()


def new_secret() -> bytes:
    """Return a new private key, 32 bytes."""
    return Ed25519PrivateKey.generate().private_bytes_raw()
