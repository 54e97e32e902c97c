"""Whole deals of Montana over gRPC, on real sockets and PostgreSQL."""

import random
from typing import Any

import msgspec

from adapters.grpc.generated.montane.montana.v1 import montana_pb2
from adapters.grpc.generated.montane.v1 import games_pb2, match_pb2, matches_pb2, options_pb2
from adapters.grpc.mapping import Mapper
from adapters.rest.bodies import event_type
from domain.games import GAMES
from domain.match import evolve
from domain.shared.seats import Seat
from domain.shared.viewers import seated
from services.ids import MatchId
from services.views import view
from tests.support.grpc_client import GrpcClient
from tests.support.server import Client, Server

DEALS = 20


def test_random_deals_played_to_their_end(database: str) -> None:
    """Deals play to their end, replay from their events at every version, and outlive a crash."""
    with Server("--database-url", database) as server:
        ann = GrpcClient(server.grpc_target)
        onlooker = Client(server.url, name=None)
        crash = random.Random(2).randrange(5, 20)
        for deal in range(DEALS):
            chance = random.Random(deal)
            options = options_pb2.Options(montana=montana_pb2.Options(redeals=deal % 3))
            request = matches_pb2.CreateMatchRequest(game="montana", options=options, seat=0)
            match = ann.call(ann.matches.CreateMatch, request).match
            looking = matches_pb2.GetViewRequest(match=match.id)
            now, plays = ann.call(ann.matches.GetView, looking).view, 0
            while now.state == match_pb2.PHASE_PLAYING:
                answer = ann.call(
                    ann.matches.SubmitCommand,
                    matches_pb2.SubmitCommandRequest(
                        match=match.id, command=chosen(chance, now), expected_version=now.version
                    ),
                )
                assert answer.version == now.version + len(answer.events)
                now, plays = answer.view, plays + 1
                if deal == DEALS // 2 and plays == crash:
                    ann.close()
                    server.kill()
                    server.restart()
                    ann.reconnect()
                    assert ann.call(ann.matches.GetView, looking).view == now
            assert now.outcome.reason in {"rows_complete", "stuck"}
            replays(ann, onlooker, now)


def chosen(chance: random.Random, now: matches_pb2.View) -> games_pb2.Command:
    """Return a random legal move, but let no two walk within column 0: that could go on for ever."""
    first_column = [row.cells[0] for row in now.table.montana.rows]

    def walks(move: montana_pb2.MoveCard) -> bool:
        return move.HasField("card") and move.column == 0 and move.card in first_column

    return chance.choice([one for one in now.legal_moves if not walks(one.montana.move_card)])


def replays(player: GrpcClient, onlooker: Client, last: matches_pb2.View) -> None:
    """Fold a match from its events as REST tells them, and compare with gRPC's view at every version."""
    game, mapper = GAMES["montana"], Mapper(dict(GAMES))
    told = onlooker.all_events(last.match)
    events = list(all_events(player, last.match))
    assert [event.version for event in events] == list(range(1, last.version + 1))
    folded: Any = None
    for event, same in zip(events, told, strict=True):
        assert (event.type, event.version) == (same["type"], same["version"])
        payload = msgspec.convert(same["payload"], event_type(game))
        folded = evolve(game, folded, payload)
        seen = mapper.view(view(game, MatchId(last.match), folded, event.version, seated(Seat(0))))
        request = matches_pb2.GetViewRequest(match=last.match, version=event.version)
        served = player.call(player.matches.GetView, request).view
        assert served == seen
    assert served == last


def all_events(player: GrpcClient, match: str) -> Any:
    """Give all events of a match, page by page."""
    token = None
    while True:
        request = matches_pb2.ListEventsRequest(match=match, page_size=200, page_token=token)
        page = player.call(player.matches.ListEvents, request)
        yield from page.items
        if not page.HasField("next_page_token"):
            return
        token = page.next_page_token
