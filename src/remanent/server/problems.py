"""Errors as HTTP answers: one table of statuses, one form (RFC 9457, problem details).

What concerns the caller is told; what went wrong inside is logged, and only its title is told. Messages of other
libraries are kept out of both, because they may repeat what somebody said.
"""

import json
import logging
import math
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from remanent.errors import (
    BusyError,
    CallerError,
    DamagedExport,
    DatabaseMissing,
    DuplicateEntry,
    InvalidInput,
    JobFailed,
    KeysDamaged,
    LanguageError,
    MissingDependency,
    ModelUnavailable,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    OriginRefused,
    QueueFull,
    RateLimited,
    RemanentError,
    SetupError,
    StorageError,
    StorageFull,
    StoreClosed,
    VersionConflict,
)
from remanent.jobs.failure import describe_failure

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1.0
"""When a busy server is worth another try, unless it is known better."""

_logger = logging.getLogger("remanent.server")


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One kind of error: its status, what it is called, and whether what it says is for the caller."""

    status: int
    title: str
    tells: bool = True


PROBLEM_TYPES: Mapping[type[BaseException], ProblemType] = {
    CallerError: ProblemType(400, "The request is wrong"),
    NotAuthenticated: ProblemType(401, "A key is needed"),
    NotPermitted: ProblemType(403, "The key does not allow this"),
    OriginRefused: ProblemType(403, "Pages of other sites are refused"),
    NotFound: ProblemType(404, "There is no such thing here"),
    VersionConflict: ProblemType(409, "Somebody else changed it first"),
    DuplicateEntry: ProblemType(409, "The id is taken by another text"),
    InvalidInput: ProblemType(422, "A value is malformed or out of range"),
    DamagedExport: ProblemType(422, "The export is damaged"),
    DatabaseMissing: ProblemType(500, "The database of this agent is missing", tells=False),
    JobFailed: ProblemType(424, "Background work gave up"),
    RateLimited: ProblemType(429, "Too many requests"),
    QueueFull: ProblemType(429, "Too much work waits"),
    RemanentError: ProblemType(500, "Something went wrong", tells=False),
    SetupError: ProblemType(500, "The server is not set up for this"),
    MissingDependency: ProblemType(501, "The server lacks what this needs"),
    StorageError: ProblemType(500, "The storage failed", tells=False),
    KeysDamaged: ProblemType(500, "The keys are damaged"),
    LanguageError: ProblemType(502, "The model did not do its part"),
    BusyError: ProblemType(503, "Busy"),
    ModelUnavailable: ProblemType(503, "The model cannot be reached"),
    StoreClosed: ProblemType(503, "The server is stopping"),
    StorageFull: ProblemType(507, "No room is left"),
}

# What the protocol itself can refuse, beside the errors above.
PROTOCOL_TITLES: Mapping[int, str] = {
    400: "The request cannot be read",
    404: "There is no such address",
    405: "This address does not take this method",
    412: "Somebody else changed it first",
    413: "The request is too large",
    415: "The request is in another format",
    421: "This server does not answer under that name",
    431: "The headers are too large",
    503: "Busy",
}


@dataclass(slots=True)
class Refusal(Exception):
    """A refusal by the protocol and not by the library."""

    status: int
    detail: str
    headers: dict[str, str] = field(default_factory=dict)


def problem_type_of(error: BaseException) -> ProblemType:
    """Return the row of an error: that of its nearest class in the table."""
    return next(
        (PROBLEM_TYPES[kind] for kind in type(error).__mro__ if kind in PROBLEM_TYPES), PROBLEM_TYPES[RemanentError]
    )


def problem(error: BaseException, *, request_id: str = "") -> Response:
    """Return an error as an answer; what went wrong inside of the server stays inside."""
    if isinstance(error, Refusal):
        title = PROTOCOL_TITLES.get(error.status, "Refused")
        body = {"type": "about:blank", "title": title, "status": error.status, "detail": error.detail}
        return _answer(body, request_id=request_id, headers=error.headers)
    row = problem_type_of(error)
    log_failure(error, status=row.status, request_id=request_id)
    headers = {}
    if row.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="remanent"'
    if row.status in {429, 503}:
        seconds = getattr(error, "retry_after", None) or RETRY_SECONDS
        headers["Retry-After"] = str(math.ceil(seconds))
    name = type(error).__name__ if isinstance(error, RemanentError) else "InternalError"
    detail = (
        str(error) if row.tells and isinstance(error, RemanentError) else f"{row.title}; the server's log says more"
    )
    body = {"type": f"urn:remanent:error:{name}", "title": row.title, "status": row.status, "detail": detail}
    return _answer(body, request_id=request_id, headers=headers)


def log_failure(error: BaseException, *, status: int = 500, request_id: str = "") -> None:
    """Log why a request failed, when that is the server's affair; a busy server and a wrong request are not.

    Messages of other packages are left out, because they may hold what somebody said; the places tell enough.
    """
    if status < 500 or status == 503:
        return
    reasons = [describe_failure(one) for one in _chain(error)]
    told = {
        "request_id": request_id,
        "error": type(error).__name__,
        "reasons": reasons,
        "where": traceback_lines(error),
    }
    if isinstance(error, RemanentError):
        _logger.error("a request failed: %s", "; from ".join(reasons), extra={"fields": told})
    else:
        said = "a request failed for a reason nobody foresaw: %s"
        _logger.critical(said, "; from ".join(reasons), extra={"fields": told})


def traceback_lines(error: BaseException) -> list[str]:
    """Return where an error happened and what it came from; messages are left out, see `log_failure`."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for one in _chain(error)
        for frame in traceback.extract_tb(one.__traceback__)
    ]


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it came from."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _answer(body: dict[str, Any], *, request_id: str, headers: Mapping[str, str]) -> Response:
    """Return the problem as RFC 9457 writes it, with the id by which its request is found in the log."""
    if request_id:
        body["instance"] = f"urn:remanent:request:{request_id}"
    content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    return Response(content, status_code=body["status"], media_type=MEDIA_TYPE, headers=dict(headers))
