"""What is wrong with a request, in the form that OpenAI-compatible clients read."""

import json

from remanent.errors import CallerError, InvalidSettings, ModelUnavailable, NotFound, RemanentError
from remanent.server.proxy.upstream import Headers

_STATUSES: tuple[tuple[type[RemanentError], int, str], ...] = (
    (ModelUnavailable, 502, "upstream_unavailable"),
    (InvalidSettings, 503, "proxy_not_configured"),
    (NotFound, 404, "not_found"),
    (CallerError, 400, "invalid_request_error"),
)


def refusal(error: RemanentError) -> tuple[int, Headers, bytes]:
    """Return status, headers and body that say what is wrong."""
    status, kind = next(
        ((status, kind) for type_, status, kind in _STATUSES if isinstance(error, type_)), (500, "server_error")
    )
    said = {"error": {"message": str(error), "type": kind, "param": None, "code": kind}}
    body = json.dumps(said, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    return status, headers, body
