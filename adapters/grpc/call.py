"""Call one method of a running server, with its request and answer as JSON: `montane call`."""

import json
from typing import Any

import grpc
from google.protobuf import json_format
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import Default
from google.protobuf.message_factory import GetMessageClass
from google.rpc.error_details_pb2 import ErrorInfo  # type: ignore[import-untyped]
from grpc_status import rpc_status

from adapters.grpc.server import SERVICES
from adapters.grpc.status import KEY

TIMEOUT = 30
"""Seconds to wait for an answer."""


class CallFailed(Exception):  # noqa: N818 - an answer to be printed
    """The server refused the call, or could not be reached, or the call cannot be made."""


def method_of(name: str) -> MethodDescriptor:
    """Return the method of a name such as `MatchService.GetView`.

    Raises:
        CallFailed: There is no such method.
    """
    methods = {
        f"{service.name}.{method.name}": method
        for service in map(Default().FindServiceByName, SERVICES)
        for method in service.methods
    }
    if method := methods.get(name):
        return method
    raise CallFailed(f"no method {name}; there are {', '.join(methods)}")


def call(method: str, request: str, *, address: str, token: str | None = None, key: str | None = None) -> str:
    """Return a method's answer as JSON.

    Args:
        method: Such as `MatchService.GetView`.
        request: The request as JSON, its fields named as in the proto.
        address: `host:port` of the server.
        token: The caller's bearer token.
        key: The call's idempotency key.

    Raises:
        CallFailed: The call cannot be made, or failed.
    """
    described = method_of(method)
    answer_type = GetMessageClass(described.output_type)
    try:
        message = json_format.Parse(request, GetMessageClass(described.input_type)())
    except json_format.ParseError as error:
        raise CallFailed(f"the request: {error}") from error
    given = {"authorization": token and f"Bearer {token}", KEY: key}
    metadata = tuple((name, value) for name, value in given.items() if value)
    with grpc.insecure_channel(address) as channel:
        stub = channel.unary_unary(
            f"/{described.containing_service.full_name}/{described.name}",
            request_serializer=type(message).SerializeToString,
            response_deserializer=answer_type.FromString,
        )
        try:
            answer = stub(message, metadata=metadata, timeout=TIMEOUT)
        except grpc.RpcError as error:
            raise CallFailed(_told(error)) from error
    return json_format.MessageToJson(
        answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def _told(error: Any) -> str:
    """Return a failure in one line: its code, its reason with what belongs to it, and what it says."""
    told = f"{error.code().name}: {error.details()}"
    status = rpc_status.from_call(error)
    for detail in () if status is None else status.details:
        info = ErrorInfo()
        if detail.Unpack(info):
            told += f" [{info.reason} {json.dumps(dict(info.metadata), ensure_ascii=False, sort_keys=True)}]"
    return told
