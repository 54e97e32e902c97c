"""Signatures: those of RFC 8032 and RFC 8037, and nothing else."""

import msgspec
import pytest
from msgspec.structs import replace

from adapters.keys.signing import Ed25519Signatures, Ed25519Signer, new_secret
from domain.shared.chain import read, written

SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
"""The first secret key of RFC 8032 §7.1, that of RFC 8037 as well."""
SIGNER = Ed25519Signer(SECRET)
KEYS = Ed25519Signatures()
MESSAGE = b'{"tag":"montane/head/1"}'


def test_a_key_is_published_as_rfc_8037_has_it() -> None:
    """Its id is the thumbprint of RFC 8037 A.3."""
    assert msgspec.to_builtins(SIGNER.key) == {
        "crv": "Ed25519",
        "kid": "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        "kty": "OKP",
        "use": "sig",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    }


def test_a_signature_is_that_of_rfc_8032() -> None:
    """That of the empty message with the first key of §7.1."""
    assert read(SIGNER.sign(b"")).hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )


def test_a_signature_is_checked_by_its_key() -> None:
    """Also if the key is one that was just made."""
    for signer in (SIGNER, Ed25519Signer(new_secret())):
        assert KEYS.signed(MESSAGE, signer.sign(MESSAGE), signer.key)


def test_secrets_differ() -> None:
    """A new key is a key of its own."""
    assert len({new_secret() for _ in range(10)}) == 10


@pytest.mark.parametrize("signature", ["", "A", "A" * 86, "A" * 85 + "B", "é", SIGNER.sign(b"")])
def test_any_other_signature_is_refused(signature: str) -> None:
    """One of something else, one that is none, text that stands for no bytes."""
    assert not KEYS.signed(MESSAGE, signature, SIGNER.key)


@pytest.mark.parametrize(
    "change",
    [
        {"x": Ed25519Signer(bytes(32)).key.x},
        {"x": ""},
        {"x": "A"},
        {"kid": "A" * 43},
        {"kid": written(SECRET)},
    ],
    ids=str,
)
def test_any_other_key_is_refused(change: dict[str, str]) -> None:
    """The key of somebody else, one that is none, one whose id is not its own."""
    assert not KEYS.signed(MESSAGE, SIGNER.sign(MESSAGE), replace(SIGNER.key, **change))
