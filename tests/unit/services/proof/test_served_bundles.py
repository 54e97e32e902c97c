"""Matches as the use cases serve them: what every viewer is sent is a bundle that holds."""

from random import Random
from typing import Any

import pytest

from adapters.keys.signing import Ed25519Signatures
from domain.games import GAMES
from domain.match import MatchStatus, PlayerId, Resign
from domain.match.heads import Head, signed_head
from domain.shared.chain import written
from domain.shared.seats import Seat, seats_in_order
from domain.shared.viewers import ALL_SEEING, SPECTATOR, Viewer, seated
from services.matches.decisions import as_given
from services.matches.views import SeenEvent
from services.proof.bundle_audit import Check, verify
from services.proof.bundles import Header, bundle
from services.shared.ids import MatchId, new_uuid
from services.shared.ids import written as id_written
from services.use_cases import Services
from tests.support.proof.bundles import SIGNER
from tests.support.stores.use_cases import Stores, memory_stores, proposal

MOVES = 40
"""How many moves are made before all but one give up."""


async def events_of(
    matches: Services, id: MatchId, player: PlayerId, looking_as: str
) -> list[SeenEvent[Any]]:
    """Return all events of a match as a viewer is sent them."""
    found: list[SeenEvent[Any]] = []
    while True:
        page = await matches.queries.events(id, player, after=len(found), size=7, looking_as=looking_as)
        found += page.items
        if page.next is None:
            return found


async def played(stores: Stores, game: str) -> tuple[Services, MatchId, list[PlayerId]]:
    """Return a match that was played to its end, and its players by seat."""
    services, dice = stores.node(), Random(game)
    matches, kind = services, GAMES[game]
    players = [PlayerId(id_written("player", new_uuid(stores.clock.now()))) for _ in range(kind.max_seats)]
    wanted = proposal(game=game, options=kind.options(), seats=len(players), entropy="red")
    _, listed = await matches.openings.open(players[0], wanted, None)
    for seat in seats_in_order(len(players))[1:]:
        await services.lobby.take_seat(players[seat], listed.id, seat, f"entropy {seat}", None)
    for number in range(MOVES + len(players)):
        view = await matches.queries.view(listed.id, players[0], version=None, looking_as=None)
        if view.status is MatchStatus.FINISHED:
            break
        seat = dice.choice(view.to_act)
        own = await matches.queries.legal_moves(listed.id, players[seat])
        command = dice.choice(own.legal_moves) if number < MOVES else Resign()
        await matches.commands.submit(
            players[seat], listed.id, as_given(command), key=None, expected_version=None, validate_only=False
        )
    return matches, listed.id, players


@pytest.mark.parametrize("game", GAMES)
async def test_what_every_viewer_was_sent_is_a_bundle_that_holds(game: str) -> None:
    """As seats and as a spectator, and with the seed everything is decided again (API "Proof")."""
    stores = memory_stores()
    matches, id, players = await played(stores, game)
    secrets = await stores.seeds.secrets(id)
    looking: list[tuple[Viewer, PlayerId, str]] = [
        (SPECTATOR, players[0], "spectator"),
        (ALL_SEEING, players[0], "all"),
        *((seated(Seat(seat)), player, str(seat)) for seat, player in enumerate(players)),
    ]
    for viewer, player, name in looking:
        events = await events_of(matches, id, player, name)
        last = events[-1]
        head = Head(match=id, version=last.version, head=last.proof.hash)
        header = Header(
            game=game,
            match=id,
            ruleset=GAMES[game].ruleset,
            seats=len(players),
            seed=written(secrets.seed) if viewer == ALL_SEEING else None,
            viewer=viewer,
        )
        lines = bundle(header, events, SIGNER.key, SIGNER.sign(signed_head(head)))
        passed = {one.check: one.count for one in verify(lines, dict(GAMES), Ed25519Signatures())}
        assert (passed[Check.CHAIN], passed[Check.SIGNATURE]) == (len(events), 1)
        assert passed[Check.PARTS] == (None if viewer == SPECTATOR else len(events))
        assert passed[Check.OUTCOME] == (1 if viewer == ALL_SEEING else None)
