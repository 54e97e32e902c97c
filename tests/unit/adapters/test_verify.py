"""The command `montane verify`: a line a check, and the status says it too."""

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from adapters.cli.app import app
from adapters.keys.signing import Ed25519Signer
from services.proof.bundle_audit import Check
from tests.support.proof.bundles import SIGNER

BUNDLE = Path(__file__).parents[3] / "docs" / "vectors" / "bundles" / "montana.ndjson"


def verified(*arguments: str | Path, given: bytes = b"") -> Result:
    """Return how the command ends."""
    return CliRunner().invoke(app, ["verify", *map(str, arguments)], input=given)


def key_set(folder: Path, *signers: Ed25519Signer) -> Path:
    """Return a file with the keys of signers."""
    path = folder / "keys.json"
    path.write_bytes(msgspec.json.encode({"keys": [signer.key for signer in signers]}))
    return path


def test_a_bundle_that_holds_is_told_check_by_check() -> None:
    """How often each check held; status 0."""
    done = verified(BUNDLE)
    assert done.exit_code == 0
    told = [line.split()[:2] for line in done.stdout.splitlines()]
    assert told == [[str(check), "ok"] for check in Check]
    assert done.stdout.splitlines()[-1].endswith(f"by the key {SIGNER.key.kid}")


def test_a_bundle_may_come_from_standard_input() -> None:
    """As the file `-`."""
    assert verified("-", given=BUNDLE.read_bytes()).stdout == verified(BUNDLE).stdout


def test_what_a_bundle_does_not_tell_is_said() -> None:
    """That of a spectator has neither parts nor seed."""
    lines = verified(BUNDLE.with_name("montanara_spectator.ndjson")).stdout.splitlines()
    silent = [line.split()[0] for line in lines if line.endswith("not in this bundle")]
    assert silent == ["parts", "seed", "chance", "decisions", "outcome", "audiences"]


def test_an_altered_bundle_is_named_with_its_version() -> None:
    """The check that failed, where and why; status 1."""
    data = BUNDLE.read_bytes().replace(b'"version":3}', b'"version":4}')
    done = verified("-", given=data)
    assert (done.exit_code, done.stdout) == (1, "chain       FAILED at version 3: the line says version 4\n")


def test_only_trusted_keys_count_if_they_are_given(tmp_path: Path) -> None:
    """The server's published keys, of which one must have signed."""
    other = Ed25519Signer(bytes(32))
    assert verified(BUNDLE, "--keys", key_set(tmp_path, other, SIGNER)).exit_code == 0
    done = verified(BUNDLE, "--keys", key_set(tmp_path, other))
    assert (done.exit_code, done.stdout.split()[0]) == (1, "signature")


@pytest.mark.parametrize("text", ["", "[]", '{"keys": [{"kty": "RSA"}]}'])
def test_keys_that_are_none_are_said(tmp_path: Path, text: str) -> None:
    """Nothing is checked then; status 1."""
    path = tmp_path / "keys.json"
    path.write_text(text)
    done = verified(BUNDLE, "--keys", path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("montane: the keys cannot be read")


def test_a_file_that_is_not_there_is_said() -> None:
    """Status 2, as for any argument that cannot be."""
    assert verified("nowhere.ndjson").exit_code == 2
