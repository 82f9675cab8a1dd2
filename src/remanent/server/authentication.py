"""Who sends a request, and whose memory it means: the key, the rate it is allowed, and the names in headers.

Organisations and strangers have buckets of their own, which all interfaces of one server share: whoever is slowed down
at one door does not get in faster by another, or with another key. A wrong key costs its address twenty requests, so
that guessing is slow and a typing error is not punished.
"""

import time
from collections.abc import Callable, Mapping
from urllib.parse import unquote_to_bytes
from weakref import WeakKeyDictionary

from starlette.requests import Request

from remanent.errors import InvalidScope, NotAuthenticated, NotPermitted
from remanent.model import Scope
from remanent.model.filters import check_user
from remanent.model.scope import check_label
from remanent.operations import Permission, Principal, Service, Target
from remanent.server.hosts import is_local
from remanent.server.limits import RateLimit
from remanent.server.page_sessions import PageSessions
from remanent.server.problems import Refusal
from remanent.settings import ServerSettings, Settings

_WRONG_KEY_COST = 20.0
"""What a wrong key costs of the address's own bucket: guessing is slow."""


_RATES: WeakKeyDictionary[Service, tuple[RateLimit, RateLimit]] = WeakKeyDictionary()
"""The buckets of organisations and of strangers: REST, MCP and the proxy of one server share them."""


class Authenticator:
    """Lets in whoever has a key, or whoever sits at the machine until the first key is made."""

    def __init__(
        self, service: Service, settings: ServerSettings, *, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._service = service
        self._sessions = PageSessions.of(service)
        if service not in _RATES:
            orgs, strangers = (RateLimit(settings.rate, settings.burst, timer=timer) for _ in range(2))
            _RATES[service] = (orgs, strangers)
        self._rate, self._strangers = _RATES[service]

    @staticmethod
    def bearer(request: Request) -> str | None:
        """Return the key that a request brings in its header, if it brings one."""
        if "authorization" not in request.headers:
            return None
        scheme, _, token = request.headers["authorization"].partition(" ")
        given = token.strip() if scheme.lower() == "bearer" and token.strip() else None
        if given is None and scheme:
            raise NotAuthenticated("send the key as Authorization: Bearer …")
        return given

    async def principal(self, request: Request, *, key: Callable[[Request], str | None] | None = None) -> Principal:
        """Return who asks, by a key or by the cookie of the pages; `key` finds it where it stands elsewhere."""
        client = request.client.host if request.client is not None else "?"
        nearby = is_local(request.scope)
        try:
            token = (key or self.bearer)(request)
            session = None if key or "authorization" in request.headers else await self._sessions.key(request)
            if session is None:
                principal = await self._service.authenticate(token, is_local=nearby)
            else:
                principal = await self._service.recognise(session, is_local=nearby)
        except NotAuthenticated:
            self._strangers.take(client, cost=_WRONG_KEY_COST)
            raise
        request.state.who = principal.name
        request.state.payer = _payer(principal)
        self._rate.take(_payer(principal))
        if getattr(request.state, "reserve", False) and not principal.may(Permission.ADMIN):
            raise Refusal(503, "too many requests are under way", {"Retry-After": "1"})
        return principal

    async def operator(self, request: Request) -> Principal:
        """Return who asks for what concerns the whole server: a key of one organisation must not see the others'."""
        principal = await self.principal(request)
        if principal.reach.org is not None or not principal.may(Permission.METRICS):
            raise NotPermitted(
                "this tells of all organisations; make a key at the machine: "
                "remanent keys create NAME --permission metrics --everywhere"
            )
        return principal

    def charge(self, principal: Principal, *, cost: float) -> None:
        """Count what a body costs against the rate of whoever sent it."""
        self._rate.charge(_payer(principal), cost=cost)


def _payer(principal: Principal) -> str:
    """Return whose rate a request counts against: however many keys an organisation makes, it has one."""
    org = principal.reach.org
    return f"key {principal.name}" if org is None else f"org {org}"


NAMES = ("org", "workspace", "agent", "session", "task")
"""What headers (`x-remanent-agent: ada`) and the query of MCP's address can name."""
_PREFIX = "x-remanent-"
"""Each of the names has a header: `x-remanent-agent: ada`."""


def _header(headers: Mapping[str, str], name: str) -> str | None:
    """Return a name that a header holds: plain, as UTF-8, or with percent signs; None when it is absent or empty."""
    value = headers.get(f"{_PREFIX}{name}", "").strip()
    try:
        # Headers come as Latin-1. No scope name holds a percent sign, so that one always means an encoded byte.
        return unquote_to_bytes(value.encode("latin-1")).decode() or None
    except UnicodeEncodeError:
        return value  # it came from elsewhere and is text already
    except UnicodeDecodeError as error:
        raise InvalidScope(
            f"the header {_PREFIX}{name} is not UTF-8; encode it, with percent signs if need be"
        ) from error


def user_of(headers: Mapping[str, str]) -> str | None:
    """Return the user that a header names (`x-remanent-user`), where an agent has several."""
    user = _header(headers, "user")
    return None if user is None else check_user(user)


def scope_of(headers: Mapping[str, str], default: Scope) -> Scope:
    """Return the scope that headers name; what they leave open is as in the default."""
    return Scope(
        org=_header(headers, "org") or default.org,
        workspace=_header(headers, "workspace") or default.workspace,
        agent=_header(headers, "agent") or default.agent,
        session=check_label(_header(headers, "session"), what="session"),
        task=check_label(_header(headers, "task"), what="task"),
    )


def default_scope(settings: Settings, principal: Principal) -> Scope:
    """Return the scope that is meant when nothing is said: that of the key, where it has one, else that of settings."""
    reach = principal.reach
    return Scope(
        org=reach.org or settings.org,
        workspace=reach.workspace or settings.workspace,
        agent=reach.agent or settings.agent,
    )


def place_of(scope: Scope) -> Target:
    """Return a scope as the place of an operation."""
    return Target(org=scope.org, workspace=scope.workspace, agent=scope.agent)
