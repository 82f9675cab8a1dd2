"""What is wrong with a request, in the form that OpenAI-compatible clients read."""

import json
import math

from remanent.errors import InvalidSettings, ModelUnavailable, RemanentError
from remanent.server.problems import RETRY_SECONDS, Refusal, log_failure, row_of
from remanent.server.proxy.upstream import Headers

_NAMES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    502: "upstream_unavailable",
    503: "proxy_not_configured",
}


def refusal(error: RemanentError | Refusal) -> tuple[int, Headers, bytes]:
    """Return status, headers and body that say what is wrong."""
    status, message = _said(error)
    if isinstance(error, RemanentError):
        log_failure(error, status=status)
    kind = _NAMES.get(status, "invalid_request_error" if status < 500 else "server_error")
    body = json.dumps({"error": {"message": message, "type": kind, "param": None, "code": kind}}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 429:
        seconds = getattr(error, "retry_after", None) or RETRY_SECONDS
        headers.append((b"retry-after", str(math.ceil(seconds)).encode()))
    return status, headers, body


def _said(error: RemanentError | Refusal) -> tuple[int, str]:
    if isinstance(error, Refusal):
        return error.status, error.detail
    if isinstance(error, ModelUnavailable):
        return 502, str(error)  # here the model is what stands behind, and not what is asked
    if isinstance(error, InvalidSettings):
        return 503, str(error)
    row = row_of(error)
    return row.status, str(error) if row.tells else row.title
