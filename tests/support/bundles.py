"""Bundles of random matches of any game."""

from adapters.signing import Ed25519Signer
from domain.match import Phase
from domain.match.heads import Head, signed_head
from domain.shared.chain import written
from domain.shared.viewers import ALL_SEEING, Viewer
from services.bundles import Header, bundle
from tests.support.chains import MATCH, SEED, chained, fair, shown
from tests.support.random_matches import Table

SIGNER = Ed25519Signer(bytes(range(32)))


def bundled(table: Table, number: int, viewer: Viewer = ALL_SEEING, most: int | None = None) -> list[bytes]:
    """Return the lines of a bundle of the random match of that number.

    Args:
        table: The game and how many play it.
        number: Which match.
        viewer: For whom.
        most: With how many of its events; None for all, and the signature.
    """
    steps = list(fair(table, number))
    linked = list(chained(table, steps))[:most]
    match = steps[-1].match
    last = linked[-1]
    head = Head(match=MATCH, version=last.fact.version, head=last.link.hash)
    header = Header(
        game=table.game.id,
        match=MATCH,
        ruleset=table.game.ruleset,
        seats=table.seats,
        seed=written(SEED) if viewer == ALL_SEEING else None,
        viewer=viewer,
    )
    signed = most is None and match.phase is Phase.FINISHED
    return list(
        bundle(
            header,
            (shown(table, one, viewer) for one in linked),
            key=SIGNER.key if signed else None,
            signature=SIGNER.sign(signed_head(head)) if signed else None,
        )
    )
