"""The service's keys."""

from typing import Literal, Protocol

from msgspec import Struct


class Key(Struct, frozen=True, kw_only=True):
    """A public key as it is published, a JSON Web Key (RFC 8037).

    Attributes:
        crv: The curve.
        kid: Its id: its thumbprint (RFC 7638).
        kty: The kind of key.
        use: What it is for: checking signatures.
        x: The key, 32 bytes in base64url.
    """

    crv: Literal["Ed25519"] = "Ed25519"
    kid: str
    kty: Literal["OKP"] = "OKP"
    use: Literal["sig"] = "sig"
    x: str


class Signer(Protocol):
    """Signs in the server's name."""

    @property
    def key(self) -> Key:
        """The public key that checks its signatures."""

    def sign(self, message: bytes) -> str:
        """Return the signature of a message, in base64url without padding."""


class Signatures(Protocol):
    """Checks signatures."""

    def signed(self, message: bytes, signature: str, key: Key) -> bool:
        """Return whether a signature of a message is by the holder of a key, and the key is what it says."""
