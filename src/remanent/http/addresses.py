"""Which addresses are public: neither this machine, nor a private network, nor what a cloud tells its machines.

An address that carries another inside (IPv4 in IPv6, 6to4, Teredo, NAT64) is as public as the one it carries.
"""

import ipaddress
import re
from collections.abc import Iterator

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_REFUSED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # shared by providers; a cloud's metadata among them
        "168.63.129.16/32",  # a cloud's metadata at an address that looks public
        "192.0.0.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "240.0.0.0/4",
        "::/96",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
    )
)
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
_INNER_NAMES = (
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "home.arpa",
    "onion",
)
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
    if isinstance(address, ipaddress.IPv6Address) and (address.scope_id or address.ipv4_mapped):
        # One that carries a mapped address is judged by what it carries, but a machine has no need to write it so.
        return False
    if not address.is_global or address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return not any(address in network for network in _REFUSED if network.version == address.version)


def _carried(address: IPAddress) -> Iterator[IPAddress]:
    if isinstance(address, ipaddress.IPv4Address):
        return
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    if address in _TRANSLATED:
        yield ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
