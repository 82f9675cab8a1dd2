"""Fetching pages of the public web and of no private network: addresses are checked, at every redirect again.

An agent visits what a page or a model names. Without these checks either could have it read a cloud's metadata, a
router's settings or this very server (server-side request forgery).
"""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from remanent.errors import AddressRefused, ToolFailed
from remanent.http.client import AnswerTooLarge, LateClient, make_client
from remanent.lightweight import dataclass

if TYPE_CHECKING:
    import httpx2

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

# Beside what Python's `is_global` knows: networks that it calls global, or called so in some version. In 100.64.0.0/10,
# which providers share, lies a cloud's metadata, and so it does at 168.63.129.16, which looks public.
_REFUSED = tuple(
    map(
        ipaddress.ip_network,
        "0.0.0.0/8 100.64.0.0/10 168.63.129.16/32 192.0.0.0/24 192.88.99.0/24 198.18.0.0/15 240.0.0.0/4 ::/96 "
        "64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10".split(),
    )
)
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
# Names that resolvers of private networks answer; no public site has them.
_INNER_NAMES = "localhost local localdomain internal intranet lan home corp home.arpa onion".split()
_NAME = re.compile(r"(?=.{1,253}\Z)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


def is_public(address: IPAddress) -> bool:
    """Tell whether an address, and every other that it carries inside, belongs to the public internet."""
    return all(_is_public(each) for each in (address, *_carried(address)))


def read_address(host: str) -> IPAddress | None:
    """Return the address that a host is written as; None for a name. Raise `ValueError` for what may be either.

    Systems read `127.1`, `2130706433`, `0177.0.0.1` and `0x7f.0.0.1` as addresses, each in its own way: what ends in a
    number and is no plain address is refused.
    """
    bare = host.removeprefix("[").removesuffix("]")
    if ":" in bare:
        return ipaddress.IPv6Address(bare)
    last = bare.rstrip(".").rpartition(".")[2]
    if _NUMBER.fullmatch(last.lower()):
        return ipaddress.IPv4Address(bare)
    return None


def is_outer_name(name: str) -> bool:
    """Tell whether a name may belong to a public site: well-formed, of several parts, not of an inner network."""
    bare = name.lower().removesuffix(".")
    if not _NAME.fullmatch(bare) or "." not in bare:
        return False
    return not any(bare == inner or bare.endswith(f".{inner}") for inner in _INNER_NAMES)


def _is_public(address: IPAddress) -> bool:
    """Tell it of one address, without what it may carry inside."""
    if isinstance(address, ipaddress.IPv6Address) and (address.scope_id or address.ipv4_mapped):
        # One that carries a mapped address is judged by what it carries, but a machine has no need to write it so.
        return False
    if not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return not any(address in network for network in _REFUSED if network.version == address.version)


def _carried(address: IPAddress) -> Iterator[IPAddress]:
    """Yield the IPv4 addresses inside of an IPv6 one (6to4, Teredo, NAT64): a gateway would go there."""
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _TRANSLATED:
        yield ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)


Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
"""Returns the addresses of a name, as text."""

# Chosen by hand: browsers and servers take some thousand characters.
_LONGEST_URL = 4_000
# Chosen by hand: sites need two or three, a loop has no end.
_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What stands at an address, and where it was found in the end."""

    url: str
    status: int
    media_type: str
    charset: str
    body: bytes


async def _resolve(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a name."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))


class PublicFetcher:
    """Fetches pages of the public web.

    Names are resolved once, every address they have is checked, and the connection goes to a checked one, so that a
    name cannot mean another address a moment later. Redirects are followed here, each checked like the first address.
    """

    def __init__(
        self,
        *,
        timeout: float = 30.0,
        max_bytes: int = 8 * 1024**2,
        resolver: Resolver = _resolve,
        allowed: Callable[[IPAddress], bool] = is_public,
    ) -> None:
        self._timeout = timeout
        self._resolver = resolver
        self._allowed = allowed
        # No proxy: it would look the name up again, and nobody checks what it finds. No kept connection: two names at
        # one address would share it, and only the first one's certificate was checked.
        self._client = LateClient(
            partial(make_client, read_timeout=timeout, connect_timeout=timeout, limit=max_bytes, isolated=True),
            closed="the fetcher was closed; open the memory again",
        )

    async def check(self, url: str) -> str:
        """Return the URL in its plain form; raise `AddressRefused` when it does not lead to a public place."""
        try:
            async with asyncio.timeout(self._timeout):
                return str((await self._checked(url))[0])
        except TimeoutError as error:
            raise ToolFailed(f"the host of {_shown(url)} could not be looked up in time") from error

    async def fetch(self, url: str) -> FetchedPage:
        """Return what stands at a public address; raise `AddressRefused` or `ToolFailed`."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._follow(url)
        except TimeoutError as error:
            raise ToolFailed(f"{_shown(url)} did not answer in time") from error

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _follow(self, url: str) -> FetchedPage:
        """Fetch a page, checking the address of every redirect like the first."""
        for _ in range(_REDIRECTS + 1):
            checked, address = await self._checked(url)
            response = await self._ask(checked, address)
            target = response.headers.get("location", "")
            if not response.is_redirect or not target:
                return _page(checked, response)
            try:
                url = str(checked.join(target))
            except ValueError as error:
                raise ToolFailed(f"{_shown(url)} leads to an address that cannot be read") from error
        raise ToolFailed(f"{_shown(url)} is behind more than {_REDIRECTS} redirects")

    async def _checked(self, url: str) -> "tuple[httpx2.URL, IPAddress]":
        """Return the URL, and a checked address of its host; refuse what is no plain address of a page."""
        import httpx2

        if len(url) > _LONGEST_URL or "\\" in url:
            raise AddressRefused(f"{_shown(url)} is not a web address; give a plain http or https URL")
        try:
            parsed = httpx2.URL(url.strip())
        except (httpx2.InvalidURL, ValueError) as error:
            raise AddressRefused(f"{_shown(url)} is not a valid URL; give a plain http or https URL") from error
        if parsed.scheme not in {"http", "https"} or not parsed.host:
            raise AddressRefused(f"{_shown(url)} is not a web page: only http and https are visited")
        if parsed.userinfo:
            raise AddressRefused(f"{_shown(url)} contains a user name; remove it")
        parsed = parsed.copy_with(fragment=None)
        return parsed, await self._address(parsed)

    async def _address(self, url: "httpx2.URL") -> IPAddress:
        """Return an address of the host, when all that it has are allowed."""
        host = url.raw_host.decode("ascii")
        try:
            written = read_address(host)
        except ValueError as error:
            raise AddressRefused(f"{host} is an ambiguous way to write an address; it is not visited") from error
        if written is None and not is_outer_name(host):
            raise AddressRefused(f"{host} is not the name of a public site; it is not visited")
        addresses = [written] if written is not None else await self._resolved(host, url)
        for address in addresses:
            if not self._allowed(address):
                raise AddressRefused(f"{host} is in a private or reserved network; it is not visited")
        return addresses[0]

    async def _resolved(self, host: str, url: "httpx2.URL") -> list[IPAddress]:
        """Return every address of a name; one that cannot be read makes all of them suspect."""
        port = url.port or (443 if url.scheme == "https" else 80)
        try:
            found = await self._resolver(host.removesuffix("."), port)
        except (OSError, UnicodeError) as error:
            raise ToolFailed(f"{host} is not known; check the address") from error
        try:
            addresses = [address for text in found if (address := read_address(text)) is not None]
        except ValueError as error:
            raise AddressRefused(f"{host} has an address that cannot be read; it is not visited") from error
        if not addresses or len(addresses) != len(found):
            raise ToolFailed(f"{host} has no address; check it")
        return addresses

    async def _ask(self, url: "httpx2.URL", address: IPAddress) -> "httpx2.Response":
        """Send one request to the checked address, under the host's own name."""
        import httpx2

        client = await self._client()
        host = url.raw_host.decode("ascii")
        request = client.build_request(
            "GET",
            url.copy_with(host=str(address)),
            headers={"Host": url.netloc.decode("ascii"), "Accept": "text/html, text/*;q=0.9, */*;q=0.1"},
            # The certificate must still be that of the name, not of the address.
            extensions={"sni_hostname": host.removesuffix(".")},
        )
        request.headers.pop("Cookie", None)  # the client keeps them by address, which several sites may share
        try:
            return await client.send(request, follow_redirects=False)
        except AnswerTooLarge as error:
            raise ToolFailed(f"{_shown(str(url))}: {error}") from error
        except (httpx2.HTTPError, httpx2.StreamError, httpx2.InvalidURL, OSError, RuntimeError) as error:
            raise ToolFailed(f"{_shown(str(url))} could not be read: {str(error) or type(error).__name__}") from error


def _page(url: "httpx2.URL", response: "httpx2.Response") -> FetchedPage:
    """Return the page of a successful answer; `ToolFailed` says the status of another."""
    if not response.is_success:
        raise ToolFailed(f"{_shown(str(url))} answers {response.status_code} {response.reason_phrase}".rstrip())
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return FetchedPage(
        url=str(url),
        status=response.status_code,
        media_type=media_type or "application/octet-stream",
        charset=response.charset_encoding or "",
        body=response.content,
    )


def _shown(url: str) -> str:
    """Return a URL as an error names it: in a line, not too long."""
    line = "".join(sign if sign.isprintable() else " " for sign in url).strip()
    return line if len(line) <= 200 else f"{line[:199]}…"
