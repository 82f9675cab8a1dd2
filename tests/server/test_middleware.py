"""The border as a hostile client meets it: every route, every attack, over bare sockets on a real server."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.routing import Route

from remanent.memory import aopen
from remanent.operations import Service
from remanent.operations.access.keys import MARKER, KeyRing, Permission, Reach
from remanent.server.app import ServerPart, create_app
from remanent.server.mcp.server import Mcp
from remanent.server.proxy import Proxy
from tests.server.attacks import (
    CROSS_SITE,
    FORMS,
    HOSTS,
    KEYLESS,
    MALFORMED,
    PROXIED,
    QUICK,
    SLOW,
    STATES,
    Attack,
    ended_by_server,
    send,
    serving,
    session_attacks,
)

OPEN = {"/", "/livez", "/readyz", "/openapi.json", "/docs"}
"""What needs no key: it tells nothing of anybody."""
OPEN_ROUTES = {f"{method} {path}" for path in OPEN for method in ("GET", "HEAD")} | {
    f"{method} {path}"
    for path, methods in {
        "/org/{rest:path}": ("GET", "HEAD"),
        "/static/{name:path}": ("GET", "HEAD"),
        "/session": ("GET", "HEAD", "POST", "DELETE"),
    }.items()
    for method in methods
}
"""The same as routes, with the shell and the files of the pages, and with signing in."""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A real server on a home where no key was ever made."""
    with serving(tmp_path_factory.mktemp("open") / "home") as port:
        yield port


def _named(attack: Attack) -> str:
    return attack.name


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("attack", CROSS_SITE, ids=_named)
def test_what_a_page_of_another_site_sends_is_refused(port: int, attack: Attack) -> None:
    status, answer = send(attack.raw(port), port=port)
    assert status == 403
    assert b"urn:remanent:error:OriginRefused" in answer
    assert b"access-control-allow" not in answer.lower()


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("attack", FORMS, ids=_named)
def test_what_a_form_can_send_is_refused(port: int, attack: Attack) -> None:
    assert send(attack.raw(port), port=port)[0] == 415


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("attack", HOSTS, ids=_named)
def test_a_host_that_is_not_exactly_ours_is_refused(port: int, attack: Attack) -> None:
    assert send(attack.raw(port), port=port)[0] in {400, 421}


@pytest.mark.spec("SAFE-02")
@pytest.mark.parametrize("attack", MALFORMED, ids=_named)
def test_what_no_client_sends_by_mistake_is_refused_and_the_server_goes_on(port: int, attack: Attack) -> None:
    status, _ = send(attack.raw(port), port=port)
    assert 400 <= status < 500
    assert status != 429
    assert send(Attack("alive", "GET", "/livez").raw(port), port=port)[0] == 200


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("attack", PROXIED, ids=_named)
def test_through_a_proxy_nobody_sits_at_the_machine(port: int, attack: Attack) -> None:
    assert send(attack.raw(port), port=port)[0] == 401


@pytest.mark.spec("SAFE-01")
def test_programs_at_the_machine_and_its_own_pages_are_served(port: int) -> None:
    read = KEYLESS[0]
    assert send(read.raw(port), port=port)[0] == 200
    own = Attack("own page", "GET", read.path, ("Origin: http://127.0.0.1:{port}", "Sec-Fetch-Site: same-origin"))
    assert send(own.raw(port), port=port)[0] == 200
    assert send(Attack("figures", "GET", "/metrics").raw(port), port=port)[0] == 200


@pytest.mark.spec("SAFE-01")
def test_a_session_of_the_pages_opens_what_its_key_does_and_to_nobody_else(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as port:
        met = {about: (status, must) for about, status, must in session_attacks(tmp_path / "home", port)}
    assert {about: status for about, (status, _) in met.items()} == {about: must for about, (_, must) in met.items()}


@pytest.mark.spec("SAFE-02")
def test_who_sends_nothing_more_is_disconnected(tmp_path: Path) -> None:
    with serving(tmp_path / "home", **QUICK) as port:
        for about, raw in SLOW:
            answered = ended_by_server(raw, port=port)
            assert not answered or b" 408 " in answered.split(b"\r\n")[0], about
        assert send(Attack("alive", "GET", "/livez").raw(port), port=port)[0] == 200


@pytest.mark.spec("SAFE-01")
def test_once_a_key_was_made_nothing_that_befalls_the_keys_opens_the_server_again(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home) as port:
        assert send(KEYLESS[0].raw(port), port=port)[0] == 200
        for state, reach in STATES:
            reach(home)
            met = {attack.name: send(attack.raw(port), port=port)[0] for attack in KEYLESS}
            assert set(met.values()) == {401}, (state, met)
        for path in OPEN - {"/readyz"}:
            assert send(Attack(path, "GET", path).raw(port), port=port)[0] == 200
    with serving(home) as port:  # and not a server that was started since
        assert send(KEYLESS[0].raw(port), port=port)[0] == 401
        _, token = KeyRing(home).create("again", reach=Reach(), permissions=(Permission.ADMIN,))
        again = Attack("with a new key", "GET", KEYLESS[0].path, (f"Authorization: Bearer {token}",))
        assert send(again.raw(port), port=port)[0] == 200
    assert (home / MARKER).exists()


async def _met(home: Path, *, peer: str, headers: dict[str, str]) -> dict[str, int]:
    """Return the status of a bare request to every method of every route of the whole application."""
    met = {}
    async with aopen(home, embedder="none", server={"rate": 0}) as memory, Service(memory) as service:
        parts: list[ServerPart] = [Mcp(service), Proxy(service)]
        app = create_app(service, parts=parts)
        transport = httpx2.ASGITransport(app=app, client=(peer, 1))
        routes = app._app.routes  # type: ignore[attr-defined]
        assert all(isinstance(route, Route) for route in routes)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as http:
            for route in routes:
                path = route.path.replace("{model:path}", "m").replace("{run_id}", "0" * 32)
                for method in sorted(route.methods):
                    answer = await http.request(method, path.replace("{", "").replace("}", ""), headers=headers)
                    met[f"{method} {route.path}"] = answer.status_code
    assert len(met) > 100
    assert {"POST /mcp", "POST /v1/chat/completions", "GET /v1/models", "GET /metrics", "GET /docs"} <= set(met)
    return met


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize(
    "headers", [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}]
)
async def test_no_route_at_all_answers_a_page_of_another_site(tmp_path: Path, headers: dict[str, str]) -> None:
    met = await _met(tmp_path, peer="127.0.0.1", headers=headers)
    assert {name: status for name, status in met.items() if status != 403} == {}


@pytest.mark.spec("SAFE-01")
async def test_every_route_that_tells_of_anybody_needs_a_key_off_loopback(tmp_path: Path) -> None:
    met = await _met(tmp_path, peer="192.0.2.7", headers={})
    assert {name for name, status in met.items() if status != 401} == OPEN_ROUTES


@pytest.mark.spec("SAFE-01")
async def test_every_route_that_tells_of_anybody_needs_a_key_once_one_was_made(tmp_path: Path) -> None:
    key, _ = KeyRing(tmp_path).create("k", reach=Reach(), permissions=(Permission.ADMIN,))
    KeyRing(tmp_path).revoke(key.key_id)
    met = await _met(tmp_path, peer="127.0.0.1", headers={})
    assert {name for name, status in met.items() if status != 401} == OPEN_ROUTES
