"""What proves a match, and the keys that signed it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import override

from adapters.grpc.calls import CUT_OFF, onlooker
from adapters.grpc.generated.montane.v1 import proofs_pb2 as pb
from adapters.grpc.generated.montane.v1.proofs_pb2_grpc import ProofServiceServicer
from adapters.grpc.matches import looking_as
from adapters.grpc.rate_limits import VISIT, Context
from adapters.grpc.requests import invitation_in, page_size
from services.players.accounts import Players
from services.proof.heads import SignedDay
from services.proof.keys import Key
from services.proof.proofs import MatchProof, Proofs
from services.shared.ids import MatchId
from services.shared.rate_limits import EVENTS, HEADS

SECONDS_TO_SEND = 20
"""How long a line may take to be sent; then its reader is cut off."""


class ProofCalls(ProofServiceServicer):
    """The service `ProofService`."""

    def __init__(self, proofs: Proofs, players: Players) -> None:
        """Take the use cases."""
        self._proofs = proofs
        self._players = players

    @override
    async def ExportMatch(
        self, request: pb.ExportMatchRequest, context: Context
    ) -> AsyncGenerator[pb.ExportMatchResponse]:
        """Send the bundle of a match."""
        player = await onlooker(self._players)
        export = await self._proofs.export(
            MatchId(request.match),
            player,
            looking_as=looking_as(request),
            invitation=invitation_in(request),
        )
        VISIT.get().weigh(export.events // EVENTS)
        cut_off, loop = CUT_OFF.get(), asyncio.get_running_loop()
        async with aclosing(export.parts) as parts:
            async for part in parts:
                for line in part:
                    late = loop.call_later(SECONDS_TO_SEND, cut_off)
                    try:
                        yield pb.ExportMatchResponse(line=line)
                    finally:
                        late.cancel()

    @override
    async def GetProof(self, request: pb.GetProofRequest, context: Context) -> pb.GetProofResponse:
        """Return what the server stands by of a match."""
        player = await onlooker(self._players)
        proof = await self._proofs.proof(MatchId(request.match), player, invitation_in(request))
        VISIT.get().charge((proof.day.size if proof.day else 0) // HEADS)
        return pb.GetProofResponse(proof=_proof(proof))

    @override
    async def ListDays(self, request: pb.ListDaysRequest, context: Context) -> pb.ListDaysResponse:
        """Return a page of days."""
        after = request.page_token if request.HasField("page_token") else None
        page = await self._proofs.days(after=after, size=page_size(request))
        return pb.ListDaysResponse(items=map(_day, page.items), next_page_token=page.next)

    @override
    async def GetDay(self, request: pb.GetDayRequest, context: Context) -> pb.GetDayResponse:
        """Return a day."""
        return pb.GetDayResponse(day=_day(await self._proofs.day(request.date)))

    @override
    async def ListKeys(self, request: pb.ListKeysRequest, context: Context) -> pb.ListKeysResponse:
        """Return the keys."""
        return pb.ListKeysResponse(keys=map(_key, await self._proofs.keys()))


def _proof(proof: MatchProof) -> pb.MatchProof:
    inclusion = proof.inclusion
    return pb.MatchProof(
        match=proof.match,
        version=proof.version,
        head=proof.head,
        seed_commitment=proof.seed_commitment,
        seed=proof.seed,
        kid=proof.kid,
        signature=proof.signature,
        day=None if proof.day is None else _day(proof.day),
        inclusion=None if inclusion is None else pb.Inclusion(place=inclusion.place, path=inclusion.path),
    )


def _day(day: SignedDay) -> pb.SignedDay:
    return pb.SignedDay(date=day.date, size=day.size, root=day.root, kid=day.kid, signature=day.signature)


def _key(key: Key) -> pb.Key:
    return pb.Key(crv=key.crv, kid=key.kid, kty=key.kty, use=key.use, x=key.x)
