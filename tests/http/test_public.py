"""No address, name, redirect or trick leads a fetch into a private network: the counting site sees nobody."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import AddressRefused, StoreClosed, ToolFailed
from remanent.http.public import IPAddress, PublicFetcher, is_outer_name, is_public, read_address
from tests.http.site import Site, page, redirect


@pytest.mark.parametrize("text", ["8.8.8.8", "93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450::1"])
def test_addresses_of_the_internet_are_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@given(st.ip_addresses(v=4).filter(lambda address: not is_public(address)))
def test_an_address_that_carries_a_private_one_is_not_public_either(inner: ipaddress.IPv4Address) -> None:
    number = int(inner)
    carriers = [
        ipaddress.IPv6Address((0xFFFF << 32) | number),
        ipaddress.IPv6Address(number),
        ipaddress.IPv6Address((0x2002 << 112) | (number << 80)),
        ipaddress.IPv6Address((0x64FF9B << 96) | number),
        ipaddress.IPv6Address((0x20010000 << 96) | (0x08080808 << 64) | (number ^ 0xFFFF_FFFF)),
    ]
    assert [address for address in carriers if is_public(address)] == []


@given(st.ip_addresses(v=4, network="10.0.0.0/8") | st.ip_addresses(v=6, network="fc00::/7"))
def test_no_private_address_is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0177.0.0.1", "0x7f.0.0.1", "0x7f000001", "1.2.3", "1.2.3.4."])
def test_what_may_be_read_as_an_address_in_several_ways_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_address(host)


@pytest.mark.parametrize(
    ("name", "is_outer"),
    [
        ("example.com", True),
        ("xn--fiqs8s.cn", True),
        ("example.com.", True),
        ("localhost", False),
        ("a.localhost", False),
        ("metadata.google.internal", False),
        ("printer.local", False),
        ("router", False),
        ("a..b", False),
        ("a b.com", False),
        ("a%2e.com", False),
        ("", False),
    ],
)
def test_names_of_inner_networks_are_told_from_those_of_sites(name: str, is_outer: bool) -> None:
    assert is_outer_name(name) is is_outer


OUTER = ipaddress.ip_address("127.0.0.1")
"""Stands for the public internet where a test needs a site that may be visited."""
INNER = "127.0.0.2"
"""Stands for a private network; nothing makes it allowed."""

LITERALS = [
    # loopback, in every way of writing it
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "127.0.1",
    "127.255.255.254",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0x7F000001",
    "0177.0.0.1",
    "0177.0.0.01",
    "0x7f.0.0.1",
    "0x7f.1",
    "127.0x0.0.1",
    "127.00.00.01",
    "127.0.0.1.",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "%31%32%37.0.0.1",
    "0",
    "0.0.0.0",
    "00",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:ffff:127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:0:808:808::80ff:fffe]",
    "[::1%lo]",
    "[fe80::1%25eth0]",
    # private networks
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "192.168.255.255",
    "0xc0a80001",
    "3232235521",
    "[::ffff:10.0.0.1]",
    "[::ffff:192.168.1.1]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fec0::1]",
    "[2002:c0a8:101::]",
    # link-local and what clouds tell their machines
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    # shared, reserved, many at once
    "100.64.0.1",
    "198.18.0.1",
    "192.0.2.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "[ff02::1]",
    "[2001:db8::1]",
    "[100::1]",
    # names of this machine and of inner networks
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost.localdomain",
    "a.localhost",
    "metadata",
    "metadata.google.internal",
    "instance-data.ec2.internal",
    "printer.local",
    "nas.lan",
    "router.home.arpa",
    "intranet",
]
WHOLE = [
    "file:///etc/passwd",
    "ftp://127.0.0.1/",
    "gopher://127.0.0.1:{port}/_GET",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "unix:/var/run/docker.sock",
    "http:///etc/passwd",
    "//127.0.0.1:{port}/",
    "http://public.example@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@public.example/",
    "http://public.example\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\.public.example/",
    "http:\\\\127.0.0.1:{port}\\",
    "http://public.example\t@127.0.0.1:{port}/",
    "http://127.0.0.1\r\nHost: public.example",
    "http://127.0.0.1:{port}#@public.example/",
    "http://127.0.0.1:{port}?@public.example/",
    "http://[::1:{port}/",
    "http://[127.0.0.1]:{port}/",
    "http:127.0.0.1:{port}",
    "http://" + "a" * 5000 + ".example/",
    "",
    "   ",
]
RESOLVED = [
    ["127.0.0.1"],
    ["::1"],
    ["10.1.2.3"],
    ["192.168.1.1"],
    ["172.20.0.1"],
    ["169.254.169.254"],
    ["fe80::1%eth0"],
    ["fd00:ec2::254"],
    ["::ffff:127.0.0.1"],
    ["::ffff:169.254.169.254"],
    ["64:ff9b::a9fe:a9fe"],
    ["2002:7f00:1::"],
    ["0.0.0.0"],
    ["100.100.100.200"],
    ["168.63.129.16"],
    ["93.184.216.34", "127.0.0.1"],
    ["93.184.216.34", "::1"],
    ["127.0.0.1", "93.184.216.34"],
]


class Names:
    """A resolver that answers from a script and counts its questions."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.asked: list[str] = []
        self._answers = list(answers)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        if not self._answers:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


@asynccontextmanager
async def fetcher(
    names: Names | None = None, *, outer: bool = False, **settings: float
) -> AsyncIterator[PublicFetcher]:
    def allowed(address: IPAddress) -> bool:
        return is_public(address) or (outer and address == OUTER)

    made = PublicFetcher(resolver=names or Names(), allowed=allowed, timeout=settings.get("timeout", 20.0))
    try:
        yield made
    finally:
        await made.close()


async def refused(fetcher: PublicFetcher, url: str) -> None:
    for way in (fetcher.fetch, fetcher.check):
        with pytest.raises(AddressRefused):
            await way(url)


def test_there_are_more_than_sixty_ways_in() -> None:
    assert len(LITERALS) + len(WHOLE) + len(RESOLVED) >= 120


@pytest.mark.spec("BANK-25")
async def test_no_way_of_writing_a_private_address_leads_to_a_connection() -> None:
    names = Names(["127.0.0.1"])
    async with Site({"/": page("secret")}) as site, fetcher(names) as public:
        for host in LITERALS:
            await refused(public, f"http://{host}:{site.port}/")
            await refused(public, f"https://{host}/latest/meta-data/")
        for url in WHOLE:
            await refused(public, url.format(port=site.port))
        assert (site.connections, names.asked) == (0, [])


@pytest.mark.spec("BANK-25")
@pytest.mark.parametrize("addresses", RESOLVED, ids=str)
async def test_a_name_with_any_private_address_is_not_visited(addresses: list[str]) -> None:
    async with Site({"/": page("secret")}) as site, fetcher(Names(addresses)) as public:
        await refused(public, f"http://public.example:{site.port}/")
        assert site.connections == 0


@pytest.mark.spec("BANK-25")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_into_a_private_network_is_not_followed(status: int) -> None:
    async with Site({"/": page("secret")}, host=INNER) as inner, Site() as outer:
        targets = [
            inner.origin,
            f"//{INNER}:{inner.port}/",
            f"http://[::ffff:{INNER}]:{inner.port}/",
            f"http://2130706434:{inner.port}/",
            "http://169.254.169.254/latest/meta-data/",
            "file:///etc/passwd",
            "http://localhost/",
        ]
        async with fetcher(Names(["127.0.0.1"]), outer=True) as public:
            for target in targets:
                outer.serve("/", redirect(target, status=status))
                with pytest.raises((AddressRefused, ToolFailed)):
                    await public.fetch(f"http://public.example:{outer.port}/")
        assert (inner.connections, outer.connections) == (0, len(targets))


@pytest.mark.spec("BANK-25")
async def test_a_redirect_to_a_name_of_a_private_network_is_not_followed() -> None:
    async with Site({"/": page("secret")}, host=INNER) as inner, Site() as outer:
        outer.serve("/", redirect(f"http://rebound.example:{inner.port}/"))
        names = Names(["127.0.0.1"], [INNER])
        async with fetcher(names, outer=True) as public:
            with pytest.raises(AddressRefused):
                await public.fetch(f"http://public.example:{outer.port}/")
        assert (inner.connections, names.asked) == (0, ["public.example", "rebound.example"])


@pytest.mark.spec("BANK-25")
async def test_a_name_that_changes_its_address_after_the_check_is_visited_where_it_was_checked() -> None:
    async with Site({"/": page("outer")}) as outer:
        names = Names(["127.0.0.1"], [INNER])
        async with (
            Site({"/": page("inner")}, host=INNER, port=outer.port) as inner,
            fetcher(names, outer=True) as public,
        ):
            found = await public.fetch(f"http://public.example:{outer.port}/")
            assert (found.body, names.asked) == (b"outer", ["public.example"])
            await refused(public, f"http://public.example:{outer.port}/")
            assert (outer.connections, inner.connections) == (1, 0)


async def test_a_public_page_is_read_under_its_own_name_and_through_redirects() -> None:
    async with Site({"/a": redirect("/b"), "/b": page("<p>found</p>", headers="Set-Cookie: id=1\r\n")}) as site:
        async with fetcher(Names(["127.0.0.1"]), outer=True) as public:
            found = await public.fetch(f"http://public.example:{site.port}/a#part")
            again = await public.fetch(f"http://other.example:{site.port}/b")
        assert (found.url, found.body) == (f"http://public.example:{site.port}/b", b"<p>found</p>")
        assert (found.media_type, found.charset, again.status) == ("text/html", "utf-8", 200)
        assert f"host: public.example:{site.port}" in site.heads[0].lower()
        assert "cookie" not in site.heads[-1].lower()
        assert site.connections == 3


async def test_an_endless_chain_of_redirects_ends() -> None:
    async with Site({"/": redirect("/")}) as site, fetcher(Names(["127.0.0.1"]), outer=True) as public:
        with pytest.raises(ToolFailed, match="more than 5 redirects"):
            await public.fetch(f"http://public.example:{site.port}/")
        assert site.connections == 6


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "answers 404"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "are read"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n", "compressed"),
        (b"no HTTP at all\r\n\r\n", "could not be read"),
        (b"", "could not be read"),
    ],
)
async def test_what_goes_wrong_at_a_public_site_is_told(answer: bytes, complaint: str) -> None:
    async with Site({"/": answer}) as site, fetcher(Names(["127.0.0.1"]), outer=True) as public:
        with pytest.raises(ToolFailed, match=complaint):
            await public.fetch(f"http://public.example:{site.port}/")


async def test_a_name_that_nobody_knows_is_told() -> None:
    async with fetcher() as public:
        with pytest.raises(ToolFailed, match=r"unknown\.example is not known"):
            await public.fetch("http://unknown.example/")


async def test_a_resolver_that_never_answers_is_not_waited_for() -> None:
    async def silent(host: str, port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return []

    public = PublicFetcher(resolver=silent, timeout=0.01)
    for way in (public.fetch, public.check):
        with pytest.raises(ToolFailed, match="in time"):
            await way("http://public.example/")
    await public.close()


async def test_a_closed_fetcher_fetches_no_more() -> None:
    async with fetcher(Names(["93.184.216.34"])) as public:
        await public.close()
        with pytest.raises(StoreClosed):
            await public.fetch("http://public.example/")
