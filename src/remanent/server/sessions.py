"""Sessions of people at the pages: a key is typed once, and a cookie stands for it until it is closed or idle.

The key itself stays in this process's memory and is judged anew at every request, so that a key which was revoked or
has expired opens nothing, whatever cookie stands for it. A cookie alone changes nothing: what changes something also
carries the session's own word (CSRF), which no page of another site can read.
"""

import hashlib
import hmac
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from weakref import WeakKeyDictionary

from starlette.requests import Request

from remanent.operations import Service
from remanent.server.problems import Refusal

COOKIE = "remanent_session"
CSRF = "x-remanent-csrf"
"""The header that carries a session's word."""
IDLE_SECONDS = 12 * 3600.0
"""A working day: who comes back the next morning types the key again (chosen by hand)."""
MAX_SESSIONS = 1000
"""Beyond these one is closed, so that memory stays bounded: the one idle longest of whoever has most. An organisation
that signs in over and over closes its own, and not the others'."""
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Session:
    """One person at one browser."""

    key: str
    csrf: str
    payer: str = ""
    """Whose it is: an organisation, however many keys it has."""


class PageSessions:
    """The open sessions of one server."""

    def __init__(self, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._timer = timer
        self._open: OrderedDict[str, tuple[Session, float]] = OrderedDict()
        """By the hash of the cookie's word: what is read out of this process opens nothing."""

    @classmethod
    def of(cls, service: Service) -> "PageSessions":
        """Return those of a server."""
        if service not in _SESSIONS:
            _SESSIONS[service] = cls()
        return _SESSIONS[service]

    def begin(self, key: str, *, payer: str = "") -> tuple[str, Session]:
        """Open a session for a key that was found to be good; return the cookie's word and the session."""
        word, session = secrets.token_urlsafe(32), Session(key=key, csrf=secrets.token_urlsafe(32), payer=payer)
        self._open[_hash(word)] = (session, self._timer())
        if len(self._open) > MAX_SESSIONS:
            [(most, _)] = Counter(one.payer for one, _ in self._open.values()).most_common(1)
            del self._open[next(name for name, (one, _) in self._open.items() if one.payer == most)]
        return word, session

    def find(self, request: Request) -> Session | None:
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

    def key(self, request: Request) -> str | None:
        """Return the key that a request's cookie stands for, None without a cookie."""
        session = self.find(request)
        if session is None:  # none, or one that has ended: the request is judged as one without a key
            return None
        given = request.headers.get(CSRF, "")
        if request.method not in _SAFE and not hmac.compare_digest(given.encode(), session.csrf.encode()):
            raise Refusal(403, f"this session's word is missing: send it as {CSRF}")
        return session.key

    def end(self, request: Request) -> None:
        """Close the session of a request, if there is one."""
        self._open.pop(_hash(_word(request)), None)


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
