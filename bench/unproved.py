"""The service without its chain: what commands cost if nothing is proved.

`python -m bench.unproved CONNINFO` serves until it is terminated.
"""

import sys
from typing import Any

import services.matches.envelopes
import services.matches.views
from adapters.cli.app import app
from domain.match.proof import Link, Proof

LINK = Link(previous="", hash="", commitments=())
PROOF: Proof[Any] = Proof(schema=1, previous="", hash="", commitments=())


def main(conninfo: str) -> None:
    """Serve on a database, with nothing hashed, committed to or shown as proof."""
    vars(services.matches.envelopes).update(
        link=lambda *_: LINK, salts=lambda *_: (), request_hash=lambda *_: ""
    )
    vars(services.matches.views).update(proof=lambda *_: PROOF, salt=lambda *_: b"")
    addresses = ["--http-addr", "127.0.0.1:0", "--grpc-addr", "127.0.0.1:0"]
    quiet = ["--log-level", "WARNING", "--rate-limit", "off"]
    app(["serve", "all", "--database-url", conninfo, *addresses, *quiet])


if __name__ == "__main__":
    main(sys.argv[1])
