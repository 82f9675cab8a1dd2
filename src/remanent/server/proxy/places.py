"""Whose memory a request means: headers, then the key, then settings."""

from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from remanent.errors import InvalidScope
from remanent.model import Scope
from remanent.model.scope import check_label

AGENT = "x-remanent-agent"
SESSION = "x-remanent-session"
TASK = "x-remanent-task"
ORG = "x-remanent-org"
WORKSPACE = "x-remanent-workspace"


def header(headers: Mapping[str, str], name: str) -> str | None:
    """Return a name that a header holds: plain, as UTF-8, or with percent signs; None when it is absent or empty."""
    value = headers.get(name, "").strip()
    if not value:
        return None
    try:
        # No scope name holds a percent sign, so that one always means an encoded byte.
        return unquote_to_bytes(value.encode("latin-1")).decode()
    except UnicodeDecodeError as error:
        raise InvalidScope(f"the header {name} is not UTF-8; encode it, with percent signs if need be") from error


def scope_of(headers: Mapping[str, str], default: Scope) -> Scope:
    """Return the scope that headers name; what they leave open is as in the default."""
    return Scope(
        org=header(headers, ORG) or default.org,
        workspace=header(headers, WORKSPACE) or default.workspace,
        agent=header(headers, AGENT) or default.agent,
        session=check_label(header(headers, SESSION), what="session"),
        task=check_label(header(headers, TASK), what="task"),
    )
