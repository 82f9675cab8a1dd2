"""What the pages are made of, over HTTP: the shell, the files it loads (`web/static`), and signing in.

Nothing is built, and nothing is fetched from another host: what we did not write lies in `static/vendor`, as its
authors published it, with its licences and its hashes.

The app itself asks REST like any program: what a page shows, a key allows, and nothing is rendered here that would have
to be escaped. Files are read and packed once; their addresses are allowed by the policy, and no others.
"""

import base64
import gzip
import hashlib
import json
from functools import cache
from html import escape
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from remanent.bilingual import prefers_chinese
from remanent.discipline import registry
from remanent.errors import InvalidInput, NotAuthenticated
from remanent.operations import Permission, Principal, Service
from remanent.server.authentication import IDLE_SECONDS, Authenticator, PageSessions, cookie_name, default_scope
from remanent.server.documentation import about
from remanent.server.limits import json_body, read_body
from remanent.server.problems import Refusal

_TYPES: Final = {".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}
_IMPORTS: Final = {"preact": "preact", "preact/hooks": "hooks", "htm": "htm"}
"""The bare names under which published modules name each other."""
_MAX_BODY: Final = 4096
"""Bytes of a sign-in: a key and a little more."""


def counted_as(route: str, endpoint: Any) -> Any:
    """Note a route's own name, under which its requests are counted: an address as sent could name a tenant."""

    async def counted(request: Request) -> Response:
        request.state.route = route
        answer: Response = await endpoint(request)
        return answer

    return counted


def wants_chinese(request: Request) -> bool:
    """Tell the language of a page that is asked for: as its address says, else as the browser's user reads."""
    return prefers_chinese(request.query_params.get("lang") or request.headers.get("accept-language", ""))


class Pages:
    """Serves the pages of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._authenticator = Authenticator(service, service.memory.settings.server)
        self._sessions = PageSessions.of(service)

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the pages; the root is the application's."""
        return [
            Route("/org/{rest:path}", counted_as("/org/…", self.shell), methods=["GET"]),
            Route("/static/{name:path}", counted_as("/static/…", self._static), methods=["GET"]),
            Route("/session", counted_as("/session", self._session), methods=["GET", "POST", "DELETE"]),
        ]

    async def shell(self, request: Request) -> Response:
        """Answer with the one page that all pages are; what it shows is asked for by its modules."""
        return HTMLResponse(_shell(chinese=wants_chinese(request)), headers={"Content-Security-Policy": _policy()})

    async def _static(self, request: Request) -> Response:
        """Answer with a file of the pages, as it was compressed once where the browser takes that."""
        found = _files().get(request.path_params["name"])
        if found is None:
            raise Refusal(404, "there is no such file")
        media_type, plain, packed = found
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(packed, media_type=media_type, headers={"Content-Encoding": "gzip"})
        return Response(plain, media_type=media_type)

    # ── sessions ─────────────────────────────────────────────────────────────

    async def _session(self, request: Request) -> Response:
        """Open, tell of or close a session."""
        if request.method == "POST":
            return await self._sign_in(request)
        if request.method == "DELETE":
            await self._sessions.key(request)  # refuses without the session's word: nobody is signed out by a lure
            await self._sessions.end(request)
            answer = JSONResponse({"signed_in": False})
            answer.delete_cookie(cookie_name(request), path="/", httponly=True, samesite="strict")
            return answer
        try:
            principal = await self._authenticator.principal(request)
        except NotAuthenticated:
            return JSONResponse({"signed_in": False})
        session = await self._sessions.find(request)
        return JSONResponse(self._about(principal) | {"csrf": session.csrf if session else ""})

    async def _sign_in(self, request: Request) -> Response:
        """Take a key once, and give a session for it that a script on another page can neither read nor use."""
        body = await read_body(request, limit=_MAX_BODY)
        key = json_body(request, body, depth=2, values=10).read().get("key")
        if not isinstance(key, str) or not key:
            raise InvalidInput('send the key as {"key": "…"}')
        principal = await self._authenticator.principal(request, key=lambda _: key)
        await self._sessions.end(request)  # a word that somebody planted before does not become this person's
        word, session = await self._sessions.begin(self._service.keys.proof(key), payer=request.state.payer)
        answer = JSONResponse(self._about(principal) | {"csrf": session.csrf})
        answer.set_cookie(
            cookie_name(request),
            word,
            max_age=int(IDLE_SECONDS),
            path="/",
            httponly=True,
            samesite="strict",
            # Behind a proxy that speaks TLS with the browser, only its header tells; a forged one makes it stricter.
            secure="https" in {request.url.scheme, request.headers.get("x-forwarded-proto", "")},
        )
        return answer

    def _about(self, principal: Principal) -> dict[str, Any]:
        """Return who is there, what they may do, and where they are when nothing is said."""
        scope = default_scope(self._service.memory.settings, principal)
        return {
            "signed_in": True,
            "who": principal.name,
            "permissions": [one for one in Permission if principal.may(one)],
            "org": scope.org,
            "workspace": scope.workspace,
            "agent": scope.agent,
            "one_agent": principal.reach.agent is not None,  # nothing is asked of other agents, nor of the workspace
            "operations": {name: [one.title.en, one.title.zh] for name, one in self._service.catalogue.items()},
            "terms": registry.terms(),
        }


# ── files ────────────────────────────────────────────────────────────────────


@cache
def _files() -> dict[str, tuple[str, bytes, bytes]]:
    """Return every file of the pages by its name: type, bytes, and the bytes compressed."""
    found: dict[str, tuple[str, bytes, bytes]] = {}

    def gather(folder: Traversable, prefix: str) -> None:
        """Read every file of a type that pages load, packed once and not for each request."""
        for entry in folder.iterdir():
            name = f"{prefix}{entry.name}"
            suffix = "." + entry.name.rpartition(".")[2]
            if entry.is_dir():
                gather(entry, f"{name}/")
            elif suffix in _TYPES:
                content = entry.read_bytes()
                found[name] = (_TYPES[suffix], content, gzip.compress(content, mtime=0))

    gather(resources.files(__package__) / "web" / "static", "")
    return found


@cache
def _import_map() -> str:
    return json.dumps({"imports": {name: f"/static/vendor/{file}.mjs" for name, file in _IMPORTS.items()}})


@cache
def _policy() -> str:
    """Return what the page may do: load our own files and ask our own server, and nothing else."""
    hashed = base64.b64encode(hashlib.sha256(_import_map().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'self' 'sha256-{hashed}'; style-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types remanent-layout"
    )


@cache
def _shell(*, chinese: bool) -> str:
    """Return the page that loads the app; without JavaScript it says so, and what the server is."""
    language, needs = ("zh-CN", "此页面需要 JavaScript。") if chinese else ("en", "These pages need JavaScript.")
    here = escape(about("zh" if chinese else "en"))
    # The modules of the first view, so that a browser asks for all at once and not for one after another.
    first = [f"vendor/{file}" for file in _IMPORTS.values()] + ["api", "words", "parts", "home", "memory"]
    preloads = "".join(f'<link rel="modulepreload" href="/static/{name}.mjs">' for name in first)
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<title>Remanent</title><link rel="icon" href="/static/icon.svg"><link rel="stylesheet" href="/static/app.css">'
        f'<script type="importmap">{_import_map()}</script>'
        f"{preloads}"
        '<script type="module" src="/static/app.mjs"></script></head>'
        f'<body><div id="app"></div><noscript><p>{needs}</p><pre>{here}</pre></noscript></body></html>'
    )
