"""Failures as statuses: canonical code, reason and details."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import (  # type: ignore[import-untyped]
    BadRequest,
    ErrorInfo,
    PreconditionFailure,
    RetryInfo,
)
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from grpc_status import rpc_status

from adapters.faces.reasons import FaceReason
from adapters.faces.sentences import BUG, LONGEST, clause_cited, clause_path, describe
from adapters.grpc.generated.montane.v1.matches_pb2 import Event, PlayRefusal, VersionConflict
from domain.shared.rejections import Rejected
from services.matches.views import SeenEvent
from services.shared.errors import (
    Conflict,
    Failure,
    FailureReason,
    Forbidden,
    KeyReused,
    Malformed,
    NotFound,
    RateLimited,
    SetAside,
    TooMany,
    Unauthenticated,
    Unavailable,
)
from services.streams.match_stream import EndReason

CODES: Mapping[type[Exception], grpc.StatusCode] = {
    Malformed: grpc.StatusCode.INVALID_ARGUMENT,
    Unauthenticated: grpc.StatusCode.UNAUTHENTICATED,
    Forbidden: grpc.StatusCode.PERMISSION_DENIED,
    NotFound: grpc.StatusCode.NOT_FOUND,
    RateLimited: grpc.StatusCode.RESOURCE_EXHAUSTED,
    Conflict: grpc.StatusCode.ABORTED,
    KeyReused: grpc.StatusCode.FAILED_PRECONDITION,
    Rejected: grpc.StatusCode.FAILED_PRECONDITION,
    TooMany: grpc.StatusCode.FAILED_PRECONDITION,
    Unavailable: grpc.StatusCode.UNAVAILABLE,
    SetAside: grpc.StatusCode.DATA_LOSS,
}
"""The code of each kind of failure; anything else is INTERNAL."""

DOMAIN = "montane"
KEY = "idempotency-key"
"""Where the metadata of a call has its idempotency key."""

RETRY_AFTER = Duration(seconds=1)
ROOM = 3_000
"""Bytes that missed events may take: peers refuse trailers above 8 KiB, and in them bytes grow by a third."""


def status_of(
    failed: Failure | Rejected, to_event: Callable[[SeenEvent[Any]], Event], base_path: str = ""
) -> grpc.Status:
    """Return a failure as a status, with its reason and all that the asker may know.

    Args:
        failed: What failed.
        to_event: Writes an event that was missed.
        base_path: The path that clients of REST see in front of all others.
    """
    _, sentence = describe(failed)
    status = Status(code=CODES[type(failed)].value[0], message=sentence)
    for detail in (_info(failed, base_path), *_details(failed, sentence, to_event)):
        status.details.add().Pack(detail)
    return rpc_status.to_status(status)


def refusal_of(
    id: str, failed: Failure | Rejected, to_event: Callable[[SeenEvent[Any]], Event], base_path: str = ""
) -> PlayRefusal:
    """Return a failure as a stream tells it that goes on."""
    info = _info(failed, base_path)
    return PlayRefusal(
        id=id,
        code=CODES[type(failed)].value[0],
        message=describe(failed)[1],
        reason=info.reason,
        metadata=dict(info.metadata),
        conflict=_conflict(failed.details, to_event) if isinstance(failed, Conflict) else None,
    )


def bug_refusal(id: str) -> PlayRefusal:
    """Return, for a stream that goes on, that something went wrong without meaning to."""
    return PlayRefusal(
        id=id, code=grpc.StatusCode.INTERNAL.value[0], message=BUG[1], reason=FaceReason.INTERNAL
    )


def too_slow() -> grpc.Status:
    """Return the status of a stream whose reader is cut off; a new one may go on."""
    reason = EndReason.TOO_SLOW
    sentence = "The reader fell too far behind; a new stream may go on after the last version that it got."
    status = Status(code=grpc.StatusCode.UNAVAILABLE.value[0], message=sentence)
    for detail in (ErrorInfo(reason=reason, domain=DOMAIN), RetryInfo(retry_delay=RETRY_AFTER)):
        status.details.add().Pack(detail)
    return rpc_status.to_status(status)


def request_too_slow() -> grpc.Status:
    """Return the status of a call whose request did not come in time."""
    status = Status(
        code=grpc.StatusCode.DEADLINE_EXCEEDED.value[0], message="The request did not come within 10 seconds."
    )
    status.details.add().Pack(ErrorInfo(reason=FaceReason.REQUEST_TOO_SLOW, domain=DOMAIN))
    return rpc_status.to_status(status)


def bug() -> grpc.Status:
    """Return the status of anything that went wrong without meaning to: it tells nothing."""
    return rpc_status.to_status(Status(code=grpc.StatusCode.INTERNAL.value[0], message=BUG[1]))


def _info(failed: Failure | Rejected, base_path: str) -> ErrorInfo:
    metadata = {
        name: str(value)[:LONGEST]
        for name, value in failed.details.items()
        if isinstance(value, int | str) and not isinstance(value, bool)
    }
    if clause := clause_cited(failed):
        metadata["clause"] = clause
        if path := clause_path(clause):
            metadata["clause_url"] = base_path + path
    return ErrorInfo(reason=failed.reason, domain=DOMAIN, metadata=metadata)


def _details(
    failed: Failure | Rejected, sentence: str, to_event: Callable[[SeenEvent[Any]], Event]
) -> tuple[Message, ...]:
    """Return what the kind of failure adds to its reason."""
    match failed:
        case Malformed(details={"field": str(field)}):
            return (_bad_request(field[:LONGEST], failed.reason, sentence),)
        case Malformed(reason=FailureReason.INVALID_IDEMPOTENCY_KEY):
            return (_bad_request(KEY, failed.reason, sentence),)
        case Rejected():
            return (_precondition(failed.reason, clause_cited(failed) or "", sentence),)
        case TooMany():
            return (_precondition(failed.reason, "", sentence),)
        case KeyReused():
            return (_precondition(failed.reason, KEY, sentence),)
        case Conflict(details=details):
            return (_conflict(details, to_event),)
        case RateLimited(retry_after=seconds) | Unavailable(details={"retry_after": int(seconds)}):
            return (RetryInfo(retry_delay=Duration(seconds=seconds)),)
        case Unavailable():
            return (RetryInfo(retry_delay=RETRY_AFTER),)
        case _:
            return ()


def _bad_request(field: str, reason: str, sentence: str) -> BadRequest:
    violation = BadRequest.FieldViolation(field=field, description=sentence, reason=reason)
    return BadRequest(field_violations=[violation])


def _precondition(reason: str, subject: str, sentence: str) -> PreconditionFailure:
    violation = PreconditionFailure.Violation(type=reason, subject=subject, description=sentence)
    return PreconditionFailure(violations=[violation])


def _conflict(details: Mapping[str, Any], to_event: Callable[[SeenEvent[Any]], Event]) -> VersionConflict:
    missed: Sequence[SeenEvent[Any]] = details["events"]
    conflict = VersionConflict(
        version=details["version"],
        expected_version=details["expected_version"],
        truncated=details["truncated"],
    )
    for event in missed:
        message = to_event(event)
        if conflict.ByteSize() + message.ByteSize() > ROOM:
            conflict.truncated = True
            break
        conflict.events.append(message)
    return conflict
