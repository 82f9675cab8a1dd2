"""Whose memory a request means: headers, then the key, then settings."""

from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from remanent.errors import InvalidScope
from remanent.model import Scope
from remanent.model.scope import check_label
from remanent.operations import Place, Principal
from remanent.settings import Settings

NAMES = ("org", "workspace", "agent", "session", "task")
PREFIX = "x-remanent-"
"""Each of the names has a header: `x-remanent-agent: ada`."""


def _named(headers: Mapping[str, str], name: str) -> str | None:
    """Return a name that a header holds: plain, as UTF-8, or with percent signs; None when it is absent or empty."""
    value = headers.get(f"{PREFIX}{name}", "").strip()
    try:
        # Headers come as Latin-1. No scope name holds a percent sign, so that one always means an encoded byte.
        return unquote_to_bytes(value.encode("latin-1")).decode() or None
    except UnicodeEncodeError:
        return value  # it came from elsewhere and is text already
    except UnicodeDecodeError as error:
        raise InvalidScope(
            f"the header {PREFIX}{name} is not UTF-8; encode it, with percent signs if need be"
        ) from error


def scope_of(headers: Mapping[str, str], default: Scope) -> Scope:
    """Return the scope that headers name; what they leave open is as in the default."""
    return Scope(
        org=_named(headers, "org") or default.org,
        workspace=_named(headers, "workspace") or default.workspace,
        agent=_named(headers, "agent") or default.agent,
        session=check_label(_named(headers, "session"), what="session"),
        task=check_label(_named(headers, "task"), what="task"),
    )


def default_scope(settings: Settings, principal: Principal) -> Scope:
    """Return the scope that is meant when nothing is said: that of the key, where it has one, else that of settings."""
    reach = principal.reach
    return Scope(
        org=reach.org or settings.org,
        workspace=reach.workspace or settings.workspace,
        agent=reach.agent or settings.agent,
    )


def place_of(scope: Scope) -> Place:
    """Return a scope as the place of an operation."""
    return Place(org=scope.org, workspace=scope.workspace, agent=scope.agent)
