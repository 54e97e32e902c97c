"""A client of the gRPC face, for tests."""

from typing import Any

import grpc
from google.rpc.error_details_pb2 import ErrorInfo  # type: ignore[import-untyped]
from grpc_status import rpc_status

from adapters.grpc.generated.montane.v1.catalogue_pb2_grpc import CatalogueServiceStub
from adapters.grpc.generated.montane.v1.matches_pb2_grpc import MatchServiceStub
from adapters.grpc.generated.montane.v1.players_pb2 import CreatePlayerRequest
from adapters.grpc.generated.montane.v1.players_pb2_grpc import PlayerServiceStub

TIMEOUT = 30


class GrpcClient:
    """A player who speaks gRPC."""

    def __init__(self, target: str, name: str | None = "Ann") -> None:
        """Open a guest account of this name; None stays nameless and without a token."""
        self.target = target
        self.reconnect()
        self.metadata: tuple[tuple[str, str], ...] = ()
        if name is not None:
            answer = self.players.CreatePlayer(CreatePlayerRequest(display_name=name), timeout=TIMEOUT)
            self.metadata = (("authorization", f"Bearer {answer.token}"),)

    def reconnect(self) -> None:
        """Connect, once more if need be; the player stays who it is."""
        self.channel = grpc.insecure_channel(self.target)
        self.catalogue = CatalogueServiceStub(self.channel)
        self.players = PlayerServiceStub(self.channel)
        self.matches = MatchServiceStub(self.channel)

    def call(self, method: Any, request: Any, *, key: str | None = None) -> Any:
        """Return a method's answer to the player."""
        metadata = self.metadata + ((("idempotency-key", key),) if key is not None else ())
        return method(request, metadata=metadata, timeout=TIMEOUT)

    def refusal(
        self, method: Any, request: Any, *, key: str | None = None
    ) -> tuple[str, str, dict[str, str]]:
        """Return the code, the reason and the named values with which a call fails."""
        try:
            answer = self.call(method, request, key=key)
        except grpc.RpcError as error:
            return refusal_of(error)
        raise AssertionError(f"not refused: {answer}")

    def close(self) -> None:
        """Close the connection."""
        self.channel.close()


def refusal_of(error: Any) -> tuple[str, str, dict[str, str]]:
    """Return the code, the reason and the named values of a failed call."""
    status = rpc_status.from_call(error)
    for detail in () if status is None else status.details:
        info = ErrorInfo()
        if detail.Unpack(info):
            assert info.domain == "montane"
            return error.code().name, info.reason, dict(info.metadata)
    return error.code().name, "", {}
