import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.http.addresses import is_outer_name, is_public, read_address


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
