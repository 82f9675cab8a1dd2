"""Who sends a request, and whose memory it means: the key, the rate it is allowed, and the names in headers.

Organisations and strangers have buckets of their own, which all interfaces of one server share: whoever is slowed down
at one door does not get in faster by another, or with another key. A wrong key costs its address twenty requests, so
that guessing is slow and a typing error is not punished.

At the pages a key is typed once, and a cookie stands for it until its session is closed or idle. A session stores a
proof of the key, never the key, and is checked at every request, and again while a long answer to one goes on: a key
which was revoked, rotated or has expired opens nothing, whatever cookie stands for it. Requests that change anything
must also send the session's CSRF token, which no page of another site can read. Sessions lie in this process's memory,
or on the shelf where several servers share one: whichever is asked next knows them.
"""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from datetime import timedelta
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeVar
from urllib.parse import unquote_to_bytes
from weakref import WeakKeyDictionary

from starlette.requests import Request

from remanent.errors import BusyError, IntegrityError, InvalidScope, NotAuthenticated, NotPermitted, StorageError
from remanent.model import Clock, Instant, Model, Scope
from remanent.model.filters import check_user
from remanent.model.scope import check_label
from remanent.operations import Permission, Principal, Service, Target
from remanent.server.hosts import is_local
from remanent.server.limits import RateLimit
from remanent.server.problems import Refusal
from remanent.settings import ServerSettings, Settings
from remanent.stores.shelf import Shelf

T = TypeVar("T")

COOKIE = "remanent_session"
CSRF = "x-remanent-csrf"
"""The header that carries a session's word."""
IDLE_SECONDS = 12 * 3600.0
"""A working day: who comes back the next morning types the key again (chosen by hand)."""
MAX_SESSIONS = 1000
"""Beyond these one is closed, so that memory stays bounded: the one idle longest of whoever has most. An organisation
that signs in over and over closes its own, and not the others'."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class Session(Model):
    """One person at one browser."""

    key: str
    """By what the key is known: `KeyRing.proof`."""
    csrf: str
    payer: str = ""
    """Whose it is: an organisation, however many keys it has."""


class _SharedSession(Model):
    """A session as the shelf keeps it."""

    session: Session
    used_at: Instant


class PageSessions:
    """The open sessions of one server."""

    def __init__(self, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._open: OrderedDict[str, tuple[Session, float]] = OrderedDict()
        """By the hash of the cookie's word: what is read out of this process opens nothing."""

    @classmethod
    def of(cls, service: Service) -> "PageSessions":
        """Return the page sessions of a server."""
        if service not in _SESSIONS:
            shelf = service.memory.shelf
            _SESSIONS[service] = SharedPageSessions(shelf, clock=service.clock) if shelf.is_shared else cls()
        return _SESSIONS[service]

    async def begin(self, key: str, *, payer: str = "") -> tuple[str, Session]:
        """Open a session for a key that was found to be good; return the cookie's word and the session."""
        word, session = secrets.token_urlsafe(32), Session(key=key, csrf=secrets.token_urlsafe(32), payer=payer)
        self._open[_hash(word)] = (session, self._timer())
        if len(self._open) > MAX_SESSIONS:
            [(most, _)] = Counter(one.payer for one, _ in self._open.values()).most_common(1)
            del self._open[next(name for name, (one, _) in self._open.items() if one.payer == most)]
        return word, session

    async def find(self, request: Request) -> Session | None:
        """Return the session of a request's cookie, if it is open; it counts as used now."""
        name = _hash(_word(request))
        session, used = self._open.get(name, (None, 0.0))
        if session is None:
            return None
        if self._timer() - used > IDLE_SECONDS:
            del self._open[name]
            return None
        self._open[name] = (session, self._timer())
        self._open.move_to_end(name)
        return session

    async def key(self, request: Request) -> str | None:
        """Return the key that a request's cookie stands for, None without a cookie."""
        session = await self.find(request)
        if session is None:  # none, or one that has ended: the request is judged as one without a key
            return None
        given = request.headers.get(CSRF, "")
        if request.method not in _SAFE and not hmac.compare_digest(given.encode(), session.csrf.encode()):
            raise Refusal(403, f"this session's CSRF token is missing or wrong: send it as {CSRF}")
        return session.key

    async def end(self, request: Request) -> None:
        """Close the session of a request, if there is one."""
        self._open.pop(_hash(_word(request)), None)


_SHELVED = ".access/sessions"
_TOUCH_AFTER = timedelta(minutes=10)
"""A session in use is written again after so long, and not at every request."""


class SharedPageSessions(PageSessions):
    """The open sessions of all servers that share a shelf."""

    def __init__(self, shelf: Shelf, *, clock: Clock) -> None:
        super().__init__()
        self._shelf = shelf
        self._clock = clock

    async def begin(self, key: str, *, payer: str = "") -> tuple[str, Session]:
        """Open a session; those beyond the number that is kept, which were idle longest, are closed."""
        word, session = secrets.token_urlsafe(32), Session(key=key, csrf=secrets.token_urlsafe(32), payer=payer)

        def put() -> None:
            for name in self._shelf.names(_SHELVED)[: 1 - MAX_SESSIONS]:
                self._shelf.remove(name)
            self._put(_name(word), session)

        await self._shelf.call(put)
        return word, session

    async def find(self, request: Request) -> Session | None:
        """Return the session of a request's cookie, if it is open; it counts as used now."""
        word = _word(request)
        return await self._shelf.call(self._find, _name(word)) if word else None

    async def end(self, request: Request) -> None:
        """Close the session of a request, if there is one."""
        await self._shelf.call(self._shelf.remove, _name(_word(request)))

    def _put(self, name: str, session: Session) -> None:
        self._shelf.write(name, _SharedSession(session=session, used_at=self._clock()).to_json().encode())

    def _find(self, name: str) -> Session | None:
        """Return a session that is not idle for too long; that it is used is noted now and then."""
        content = self._shelf.read(name)
        if content is None:
            return None
        found = _SharedSession.from_json(content)
        idle = self._clock() - found.used_at
        if idle > timedelta(seconds=IDLE_SECONDS):
            self._shelf.remove(name)
            return None
        if idle > _TOUCH_AFTER:
            self._put(name, found.session)
        return found.session


def _name(word: str) -> str:
    return f"{_SHELVED}/{_hash(word)}.json"


def cookie_name(request: Request) -> str:
    """Return what our cookie is called: browsers send it to every port of a host, and each may be another server."""
    return f"{COOKIE}_{request.url.port or 0}"


def _word(request: Request) -> str:
    """Return what our cookie holds. Read here and not by the framework, which takes a damaged header for no cookie."""
    try:
        morsel = SimpleCookie(request.headers.get("cookie", "")).get(cookie_name(request))
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value


def _hash(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()


_SESSIONS: WeakKeyDictionary[Service, PageSessions] = WeakKeyDictionary()


LOOK_AGAIN = 1.0
"""Seconds after which a key is looked at again while an answer to it goes on: revoking one should be felt at once, and
a look costs some microseconds (a statement, where servers share keys). Chosen by hand."""


class KeyWatch:
    """Sees whether somebody who was let in still would be, while an answer that was begun for them goes on."""

    def __init__(self, again: Callable[[], Awaitable[object]], *, timer: Callable[[], float] = time.monotonic) -> None:
        self._again = again
        self._timer = timer
        self._seen = timer()

    async def check(self) -> None:
        """Refuse whom the key no longer lets in; however often this is asked, it is looked at now and then."""
        if self._timer() - self._seen < LOOK_AGAIN:
            return
        try:
            await self._again()
        except (NotAuthenticated, IntegrityError):
            raise
        except (BusyError, StorageError, OSError):
            pass  # nobody can tell for the moment, which is told to requests that come now
        self._seen = self._timer()

    async def during(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work as long as the key holds; then it is cancelled, and may clean up."""
        working = asyncio.ensure_future(work)
        try:
            await self.check()
            while not (await asyncio.wait({working}, timeout=LOOK_AGAIN))[0]:
                await self.check()
        finally:
            if not working.done():
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)
        return working.result()

    async def watched(self, steps: AsyncIterator[T], *, longest: float) -> AsyncIterator[T]:
        """Yield what comes, however long it takes, at most for so long and while the key holds."""
        end = self._timer() + longest
        coming: asyncio.Future[T] | None = None
        try:
            while (left := end - self._timer()) > 0:
                coming = coming or asyncio.ensure_future(anext(steps))
                await asyncio.wait({coming}, timeout=min(LOOK_AGAIN, left))
                await self.check()
                if coming.done():
                    step, coming = coming, None
                    yield step.result()
        except StopAsyncIteration:
            return
        finally:
            if coming is not None:
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)


def watch_of(request: Request) -> KeyWatch:
    """Return what sees whether the key of a request still holds, once it was let in."""
    watch: KeyWatch = request.state.watch
    return watch


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

        async def recognise() -> Principal:
            """Tell who asks as of now: asked again while an answer goes on, it refuses whose key is over meanwhile."""
            token = (key or self.bearer)(request)
            session = None if key or "authorization" in request.headers else await self._sessions.key(request)
            if session is None:
                return await self._service.authenticate(token, is_local=nearby)
            return await self._service.recognise(session, is_local=nearby)

        try:
            principal = await recognise()
        except NotAuthenticated:
            self._strangers.take(client, cost=_WRONG_KEY_COST)
            raise
        request.state.watch = KeyWatch(recognise)
        request.state.who = principal.name
        request.state.payer = _payer(principal)
        self._rate.take(_payer(principal))
        if getattr(request.state, "reserve", False) and not principal.may(Permission.ADMIN):
            raise Refusal(503, "too many requests are in progress", {"Retry-After": "1"})
        return principal

    async def operator(self, request: Request) -> Principal:
        """Return who asks for what concerns the whole server: a key of one organisation must not see the others'."""
        principal = await self.principal(request)
        if principal.reach.org is not None or not principal.may(Permission.METRICS):
            raise NotPermitted(
                "this covers all organisations; create a key on the server's machine: "
                "remanent keys create NAME --permission metrics --everywhere"
            )
        return principal

    def charge(self, principal: Principal, cost: float) -> None:
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
            f"the header {_PREFIX}{name} is not UTF-8; encode it, with percent-encoding if needed"
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
