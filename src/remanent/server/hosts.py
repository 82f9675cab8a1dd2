"""Which host names a server answers to, which origins may send requests, and which callers are on its own machine.

Everything here is read strictly: what is not written exactly as a browser or a client writes it is nobody's name.
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import lru_cache

from starlette.types import Scope

from remanent.errors import InvalidSettings, OriginRefused
from remanent.lightweight import dataclass
from remanent.settings import ServerSettings

_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_PAGES = frozenset({"/", "/docs", "/openapi.json"})
"""What people read in a browser: a link on another site may lead there. They show nothing of anybody by
themselves; so do the pages under /org/, which ask for what they show, and whose cookie no other site's link brings."""

RawHeaders = Iterable[tuple[bytes, bytes]]

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_AUTHORITY = re.compile(
    rf"(?P<name>{_LABEL}(?:\.{_LABEL})*|\[(?P<six>[0-9a-f:.]{{2,45}})\])(?::(?P<port>[1-9][0-9]{{0,4}}))?", re.ASCII
)
_ORIGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<authority>[^/?#@\s]+)", re.ASCII)
_MAX_NAME_LENGTH = 253
"""Characters of a name in the DNS (RFC 1035)."""
_PORTS: Mapping[str, int] = {"http": 80, "https": 443}

# Each is set by some reverse proxy, load balancer or tunnel; a caller that sends one is not believed to be anywhere.
_FORWARDED = frozenset(
    {
        b"cf-connecting-ip", b"cf-ray", b"client-ip", b"fastly-client-ip", b"fly-client-ip", b"forwarded",
        b"forwarded-for", b"true-client-ip", b"via", b"x-client-ip", b"x-cluster-client-ip",
        b"x-original-forwarded-for", b"x-original-host", b"x-proxyuser-ip", b"x-real-ip",
    }
)  # fmt: skip
_FORWARDED_PREFIX = b"x-forwarded"


@dataclass(frozen=True, slots=True)
class Authority:
    """A host and perhaps a port, as they stand in a Host header or an origin."""

    name: str
    port: int | None = None

    def port_for(self, scheme: str) -> int | None:
        """Return the port that is meant under a scheme."""
        return self.port if self.port is not None else _PORTS.get(scheme)


def read_authority(text: str) -> Authority | None:
    """Return the host and port of a text that is nothing else; none for a user, a trailing dot, a port out of range."""
    found = _AUTHORITY.fullmatch(text.lower())
    if found is None or len(found["name"]) > _MAX_NAME_LENGTH:
        return None
    port = None if found["port"] is None else int(found["port"])
    if port is not None and port > 65_535:
        return None
    if found["six"] is None:
        return Authority(found["name"], port)
    try:
        return Authority(f"[{ipaddress.IPv6Address(found['six'])}]", port)
    except ValueError:
        return None


def name_of(header: str) -> str | None:
    """Return the name in a Host header without its port, or none where it cannot be read."""
    authority = read_authority(header)
    return None if authority is None else authority.name


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches the address."""
    return host == "localhost" or _is_loopback_address(host.strip("[]"))


@lru_cache(maxsize=1024)
def _is_loopback_address(text: str) -> bool:
    """Whether an address is this machine's own, also in IPv6's way of writing IPv4."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool(address.is_loopback or (mapped is not None and mapped.is_loopback))


def is_local(scope: Scope) -> bool:
    """Return whether the caller sits at this machine: its end of the connection is here, and no proxy is between."""
    if any(_is_forwarded(name) for name, _ in scope["headers"]):
        return False
    client, server = scope.get("client"), scope.get("server")
    if client is None:
        # A socket in the file system has no peer's address, and no port itself. A peer that is merely gone has none
        # either, and may have been anywhere.
        return server is not None and server[1] is None
    return _is_loopback_address(client[0])


def _is_forwarded(name: bytes) -> bool:
    # Some servers take an underscore for a hyphen; who sends one means the same.
    plain = name.lower().replace(b"_", b"-")
    return plain in _FORWARDED or plain.startswith(_FORWARDED_PREFIX)


def _listed(setting: str) -> list[str]:
    return [item.strip().lower() for item in setting.split(",") if item.strip()]


def allowed_hosts(settings: ServerSettings) -> frozenset[str]:
    """Return the names that a request may be sent to; a browser that was lured here sends another."""
    own = settings.host.lower().strip("[]")
    bound = name_of(f"[{own}]" if ":" in own else own)
    given = {item: name_of(item) for item in _listed(settings.allowed_hosts)}
    for item, name in given.items():
        if name is None:
            raise InvalidSettings(f"server.allowed_hosts: {item!a} is not a host name; write it like memory.example")
    names = {*_LOOPBACK, bound, *given.values()} - {None, "0.0.0.0", "[::]"}
    return frozenset(name for name in names if name is not None)


def allowed_origins(settings: ServerSettings) -> frozenset[str]:
    """Return the origins, beside the server's own, whose pages may ask it."""
    given = _listed(settings.allowed_origins)
    for item in given:
        if _ORIGIN.fullmatch(item) is None:
            raise InvalidSettings(
                f"server.allowed_origins: {item!a} is not an origin; write it like https://app.example"
            )
    return frozenset(given)


@dataclass(frozen=True, slots=True)
class SameOrigin:
    """Refuses what a page of another site has a browser send; programs, which send no such headers, pass."""

    allowed: frozenset[str] = field(default_factory=frozenset)

    def check(self, scope: Scope, host: Authority) -> None:
        """Refuse a foreign Origin, and a Sec-Fetch-Site that is not ours unless somebody follows a link to a page."""
        headers = scope["headers"]
        origins = header_values(headers, b"origin")
        if len(origins) == 1 and origins[0].lower() in self.allowed:
            return
        if origins and not (len(origins) == 1 and _is_own(origins[0].lower(), host)):
            raise OriginRefused(
                "this comes from a page of another origin; add that origin to `server.allowed_origins` to allow it"
            )
        sites = {site.lower() for site in header_values(headers, b"sec-fetch-site")}
        if sites <= {"same-origin", "none"} or _is_link(scope):
            return
        raise OriginRefused("this was sent from a page of another site; open the address yourself, or use a program")


def _is_own(origin: str, host: Authority) -> bool:
    """Whether an origin is that of the name and port which the request was sent to."""
    found = _ORIGIN.fullmatch(origin)
    if found is None or found["scheme"] not in _PORTS:
        return False
    scheme, page = found["scheme"], read_authority(found["authority"])
    return page is not None and (page.name, page.port_for(scheme)) == (host.name, host.port_for(scheme))


def _is_link(scope: Scope) -> bool:
    """Whether somebody goes to a page, in a window and not in a frame of another site's."""
    headers = scope["headers"]
    return (
        scope["method"] in {"GET", "HEAD"}
        and (scope["path"] in _PAGES or scope["path"].startswith("/org/"))
        and header_values(headers, b"sec-fetch-mode") == ["navigate"]
        and header_values(headers, b"sec-fetch-dest") == ["document"]
    )


def header_values(headers: RawHeaders, name: bytes) -> list[str]:
    """Return every value of a header."""
    return [value.decode("latin-1").strip() for key, value in headers if key.lower() == name]
