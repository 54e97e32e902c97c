"""Bundles of random matches of any game."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

from msgspec import UNSET, UnsetType

from adapters.keys.signing import Ed25519Signer
from domain.match import MatchStatus
from domain.match.heads import Head, signed_head
from domain.shared.chain import written
from domain.shared.viewers import ALL_SEEING, Viewer
from services.proof.bundles import Header, bundle
from tests.support.games.random_matches import Step, Table
from tests.support.proof.chains import MATCH, SEED, chained, fair, shown

SIGNER = Ed25519Signer(bytes(range(32)))


def bundled(
    table: Table,
    number: int,
    viewer: Viewer = ALL_SEEING,
    most: int | None = None,
    limit: int | UnsetType = UNSET,
    **wishes: Any,
) -> list[bytes]:
    """Return the lines of a bundle of the random match of that number.

    Args:
        table: The game and how many play it.
        number: Which match.
        viewer: For whom.
        most: With how many of its steps, of which the opening is the first; None for all.
        limit: The most commands from the beginning of play.
        wishes: What else `fair` takes.
    """
    return bundle_of(table, list(islice(fair(table, number, limit=limit, **wishes), most)), viewer)


def bundle_of(table: Table, steps: Sequence[Step], viewer: Viewer = ALL_SEEING) -> list[bytes]:
    """Return the lines of a bundle of a match that went so; its head is signed if the match is finished."""
    linked = list(chained(table, steps))
    last = linked[-1]
    message = signed_head(Head(match=MATCH, version=last.fact.version, head=last.link.hash))
    finished = steps[-1].match.status is MatchStatus.FINISHED
    header = Header(
        game=table.game.id,
        match=MATCH,
        ruleset=table.game.ruleset,
        seats=table.seats,
        seed=written(SEED) if viewer == ALL_SEEING else None,
        viewer=viewer,
    )
    return list(
        bundle(
            header,
            (shown(table, one, viewer) for one in linked),
            key=SIGNER.key if finished else None,
            signature=SIGNER.sign(message) if finished else None,
        )
    )
