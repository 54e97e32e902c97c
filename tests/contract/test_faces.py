"""REST and gRPC offer the same: an operation is a method of the same name, and both take the same fields."""

import json
from typing import Any

import pytest
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.descriptor_pool import Default

from adapters.grpc.server import SERVICES
from adapters.rest.app import build
from adapters.rest.documentation.openapi import component
from domain.games import GAMES
from tests.support.stores.use_cases import memory_stores

DOCUMENT: dict[str, Any] = json.loads(build(memory_stores().node(), "0").state.openapi)
OPERATIONS: dict[str, dict[str, Any]] = {
    "".join(word.capitalize() for word in operation["operationId"].split("_")): operation
    for path in DOCUMENT["paths"].values()
    for operation in path.values()
}
METHODS: dict[str, MethodDescriptor] = {
    method.name: method for service in SERVICES for method in Default().FindServiceByName(service).methods
}

HEALTH = {"Live", "Ready"}
"""What gRPC has the standard health service for."""
STREAMS = {
    "WatchMatch": "ListEvents",
    "Play": "ListEvents",
    "WatchMessages": "ListMessages",
    "WatchPlayer": "ListPlayerEvents",
}
"""What REST gives by the operation of this name as another media type, or over the WebSocket."""


def test_every_operation_is_a_method_and_every_method_an_operation() -> None:
    """Nothing can be done over one face only, and it is called the same on both."""
    assert OPERATIONS.keys() - METHODS.keys() == HEALTH
    assert METHODS.keys() - OPERATIONS.keys() == STREAMS.keys()
    assert OPERATIONS.keys() >= set(STREAMS.values())


@pytest.mark.parametrize("name", sorted(OPERATIONS.keys() & METHODS.keys()))
def test_both_take_the_same_fields(name: str) -> None:
    """What a path, a query and a body say together is what the request's message says."""
    operation = OPERATIONS[name]
    fields = {given["name"] for given in operation.get("parameters", ()) if given["in"] in {"path", "query"}}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        fields |= properties(content["schema"]["$ref"].rpartition("/")[2])
    assert fields == {field.name for field in METHODS[name].input_type.fields}


def properties(body: str) -> set[str]:
    """Return the fields of a body; one that depends on the game has the same whichever it is."""
    schemas = DOCUMENT["components"]["schemas"]
    found = [schemas.get(component(game, body)) for game in GAMES.values()]
    (fields,) = {frozenset((one or schemas[body])["properties"]) for one in found}
    return set(fields)
