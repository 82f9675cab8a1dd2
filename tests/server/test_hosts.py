"""Names, origins and peers, read so strictly that nothing passes for another."""

import ipaddress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidSettings, OriginRefused
from remanent.server.hosts import Authority, SameOrigin, allowed_origins, is_local, name_of, read_authority
from remanent.settings import ServerSettings
from tests.server.attacks import HOSTS

OWN = Authority("127.0.0.1", 8765)


def scope(*headers: tuple[str, str], method: str = "GET", path: str = "/v1/models", **more: Any) -> dict[str, Any]:
    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    return {"type": "http", "method": method, "path": path, "headers": raw, "client": ("127.0.0.1", 1), **more}


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(
    ("header", "read"),
    [
        ("Localhost", Authority("localhost")),
        ("memory.example:8443", Authority("memory.example", 8443)),
        ("my_service-1:80", Authority("my_service-1", 80)),
        ("[::1]:65535", Authority("[::1]", 65535)),
        ("[0:0:0:0:0:0:0:1]", Authority("[::1]")),
    ],
)
def test_a_name_or_an_address_with_perhaps_a_port_is_read(header: str, read: Authority) -> None:
    assert read_authority(header) == read


BAD = [line.removeprefix("Host:").strip() for attack in HOSTS if len(attack.host) == 1 for line in attack.host]


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(
    "header",
    [
        *(header for header in BAD if header != "evil.example"),
        *(" localhost", "localhost\n", "local host", "-a", "a..b", ".a", "münchen", "[::1%lo]", "[1.2.3.4]", "a:080"),
        *("٣.example", "a:٣", "x" * 64, ".".join(["x" * 50] * 6)),
    ],
)
def test_what_is_not_exactly_a_name_is_none(header: str) -> None:
    assert name_of(header) is None


@given(st.text(alphabet="[]:.@/#?1aA-_%\\ \t\x00é,", max_size=20))
def test_what_is_read_says_the_same_written_back(text: str) -> None:
    read = read_authority(text)
    if read is None:
        return
    written = read.name if read.port is None else f"{read.name}:{read.port}"
    assert read_authority(written) == read
    assert not set(written) & set("@/#?\\ ,%")
    if not read.name.startswith("["):
        assert written == text.lower()
    else:
        ipaddress.IPv6Address(read.name.strip("[]"))


def refused(asked: dict[str, Any], *, allowed: str = "", host: Authority = OWN) -> bool:
    try:
        SameOrigin(allowed_origins(ServerSettings(allowed_origins=allowed))).check(asked, host)
    except OriginRefused:
        return True
    return False


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(
    ("origin", "host", "is_refused"),
    [
        ("http://127.0.0.1:8765", OWN, False),
        ("HTTP://127.0.0.1:8765", OWN, False),
        ("https://memory.example", Authority("memory.example"), False),
        ("https://memory.example", Authority("memory.example", 443), False),
        ("http://[::1]:8765", Authority("[::1]", 8765), False),
        ("http://memory.example", Authority("memory.example", 443), True),
        ("http://127.0.0.1", OWN, True),
        ("http://127.0.0.1:8766", OWN, True),
        ("http://localhost:8765", OWN, True),
        ("http://127.0.0.1:8765/", OWN, True),
        ("http://127.0.0.1:8765.evil.example", OWN, True),
        ("http://evil.example#127.0.0.1:8765", OWN, True),
        ("http://x@127.0.0.1:8765", OWN, True),
        ("file://127.0.0.1:8765", OWN, True),
        ("null", OWN, True),
        ("", OWN, True),
        ("127.0.0.1:8765", OWN, True),
    ],
)
def test_only_the_origin_that_the_request_was_sent_to_is_the_own(
    origin: str, host: Authority, is_refused: bool
) -> None:
    assert refused(scope(("Origin", origin), method="POST"), host=host) is is_refused


@pytest.mark.spec("SAFE-01")
def test_origins_of_the_settings_may_ask_and_their_likes_may_not() -> None:
    both = "https://app.example, chrome-extension://abc"
    cross = ("Sec-Fetch-Site", "cross-site")
    assert not refused(scope(("Origin", "https://app.example"), cross), allowed=both)
    assert not refused(scope(("Origin", "chrome-extension://abc"), cross), allowed=both)
    for origin in ("http://app.example", "https://app.example.evil", "https://app.example:444", "null"):
        assert refused(scope(("Origin", origin), cross), allowed=both)
    for origin in ("*", "null", "app.example", "https://app.example/path", "https://u@app.example"):
        with pytest.raises(InvalidSettings, match="allowed_origins"):
            allowed_origins(ServerSettings(allowed_origins=origin))


@pytest.mark.spec("SAFE-01")
def test_of_what_another_site_has_a_browser_fetch_only_a_link_to_a_page_passes() -> None:
    link = (("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))
    assert not refused(scope())
    assert not refused(scope(("Sec-Fetch-Site", "same-origin"), method="POST"))
    assert not refused(scope(("Sec-Fetch-Site", "none")))
    assert not refused(scope(*link, path="/docs"))
    assert refused(scope(*link))
    assert refused(scope(*link, path="/docs", method="POST"))
    assert refused(scope(*link[:2], ("Sec-Fetch-Dest", "iframe"), path="/docs"))
    assert refused(scope(link[0], path="/docs"))
    assert refused(scope(("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "cross-site")))
    assert refused(scope(("Sec-Fetch-Site", "")))


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(
    ("client", "server", "local"),
    [
        (("127.0.0.1", 1), ("127.0.0.1", 8765), True),
        (("127.9.9.9", 1), ("0.0.0.0", 8765), True),
        (("::1", 1), ("::", 8765), True),
        (("::ffff:127.0.0.1", 1), ("::", 8765), True),
        (None, ("/run/remanent.sock", None), True),
        (("192.0.2.1", 1), ("127.0.0.1", 8765), False),
        (("::ffff:192.0.2.1", 1), ("::", 8765), False),
        (("localhost", 1), ("127.0.0.1", 8765), False),
        (("testclient", 1), ("testserver", 80), False),
        (None, ("127.0.0.1", 8765), False),
        (None, None, False),
    ],
)
def test_local_is_whose_end_of_the_connection_is_on_this_machine(client: object, server: object, local: bool) -> None:
    assert is_local(scope(client=client, server=server)) is local


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(
    "name", ["Forwarded", "X-Forwarded-For", "x_forwarded_for", "X-Forwarded-Anything", "X-Real-IP", "Via", "CF-Ray"]
)
def test_behind_a_proxy_nobody_is_local_whatever_it_says(name: str) -> None:
    assert is_local(scope())
    for value in ("127.0.0.1", "", "for=127.0.0.1"):
        assert not is_local(scope((name, value)))
