"""The protos break no client: what the baseline promises is still there, and `buf` says so if it is not."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROTO = Path(__file__).parents[2] / "proto"
BASELINE = PROTO / "baseline.binpb"
BUF = Path(sys.executable).parent / "buf"


def breaking(protos: Path) -> list[str]:
    """Return what `buf` says against protos, a line each."""
    command = [str(BUF), "breaking", str(protos), "--against", str(BASELINE)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the protos that a test may change."""
    return shutil.copytree(PROTO, tmp_path / "proto")


def test_the_protos_keep_what_the_baseline_promises() -> None:
    """Nothing that a client may rely on has gone."""
    assert breaking(PROTO) == []


def test_a_field_that_goes_is_refused(copy: Path) -> None:
    """Removing a field of a released message is a break."""
    file = copy / "montane" / "montana" / "v1" / "montana.proto"
    before = file.read_text(encoding="utf-8")
    file.write_text(before.replace("  optional uint32 redeals = 1;\n", ""), encoding="utf-8")
    (said,) = breaking(copy)
    assert 'Previously present field "1" with name "redeals" on message "Options" was deleted' in said


def test_a_field_that_comes_is_let_pass(copy: Path) -> None:
    """Adding a field is none."""
    file = copy / "montane" / "montana" / "v1" / "montana.proto"
    before = file.read_text(encoding="utf-8")
    added = before.replace("message Redeal {}", "message Redeal {\n  optional uint32 times = 1;\n}")
    assert added != before
    file.write_text(added, encoding="utf-8")
    assert breaking(copy) == []


def test_every_file_has_the_options_that_generators_ask_for() -> None:
    """A package has one name a language, and no two packages share one."""
    names: dict[str, dict[str, str]] = {}
    for file in PROTO.rglob("*.proto"):
        text = file.read_text(encoding="utf-8")
        (package,) = re.findall(r"^package (.*);$", text, re.MULTILINE)
        options = dict(re.findall(r"^option (\w+) = (.*);$", text, re.MULTILINE))
        assert options.pop("java_multiple_files") == "true"
        assert options.pop("java_outer_classname") == f'"{file.stem.title().replace("_", "")}Proto"'
        assert set(options) >= {
            "csharp_namespace",
            "go_package",
            "java_package",
            "objc_class_prefix",
            "php_namespace",
            "ruby_package",
            "swift_prefix",
        }
        for option, name in options.items():
            assert names.setdefault(option, {}).setdefault(package, name) == name
    for option, packages in names.items():
        assert len(set(packages.values())) == len(packages), option
