"""Signing in at the pages: what a cookie opens, and everything that it does not."""

import hashlib
from pathlib import Path

import httpx2
import pytest
from starlette.requests import Request

from remanent.operations import Permission
from remanent.server.authentication import COOKIE, CSRF, IDLE_SECONDS, MAX_SESSIONS, PageSessions
from remanent.server.problems import Refusal
from tests.server.rest.conftest import AGENT, Start

STATIC = Path(__file__).parents[3] / "src" / "remanent" / "server" / "web" / "static"


def request(*, cookie: str = "", method: str = "GET", csrf: str = "") -> Request:
    headers = [(b"host", b"localhost:8765")]
    headers += [(b"cookie", f"{COOKIE}_8765={cookie}".encode())] if cookie else []
    headers += [(CSRF.encode(), csrf.encode())] if csrf else []
    return Request({"type": "http", "method": method, "path": "/", "headers": headers, "query_string": b""})


async def key_of(start: Start, *permissions: str) -> tuple[httpx2.AsyncClient, str]:
    served = await start()
    header = await served.key(*permissions)
    return served.http, header["authorization"].removeprefix("Bearer ")


async def test_a_key_typed_once_opens_the_pages_without_being_sent_again(start: Start) -> None:
    http, key = await key_of(start, "read", "write")
    assert (await http.get("/session")).json() == {"signed_in": False}
    assert (await http.get(f"{AGENT}/entries")).status_code == 401
    signed = await http.post("/session", json={"key": key})
    assert signed.status_code == 200
    cookie = signed.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert key not in signed.headers["set-cookie"]
    assert key not in signed.text
    assert (await http.get(f"{AGENT}/entries")).status_code == 200


async def test_a_cookie_alone_changes_nothing(start: Start) -> None:
    http, key = await key_of(start, "read", "write")
    word = (await http.post("/session", json={"key": key})).json()["csrf"]
    body = {"messages": ["I live in Lisbon."]}
    assert (await http.post(f"{AGENT}/entries", json=body)).status_code == 403
    assert (await http.post(f"{AGENT}/entries", json=body, headers={CSRF: "wrong"})).status_code == 403
    assert (await http.delete("/session")).status_code == 403
    assert (await http.get(f"{AGENT}/entries")).json()["items"] == []
    assert (await http.post(f"{AGENT}/entries", json=body, headers={CSRF: word})).status_code == 200


async def test_a_revoked_key_closes_its_sessions_at_once(start: Start) -> None:
    served = await start()
    await served.key("admin")
    header = await served.key("read")
    key = header["authorization"].removeprefix("Bearer ")
    await served.http.post("/session", json={"key": key})
    assert (await served.http.get(f"{AGENT}/entries")).status_code == 200
    (mine,) = [one for one in served.service.keys.list() if [*one.permissions] == [Permission.READ]]
    served.service.keys.revoke(mine.key_id)
    assert (await served.http.get(f"{AGENT}/entries")).status_code == 401
    assert (await served.http.get("/session")).json() == {"signed_in": False}


async def test_signing_out_ends_the_session_for_good(start: Start) -> None:
    http, key = await key_of(start, "read")
    signed = await http.post("/session", json={"key": key})
    ((name, kept),) = http.cookies.items()
    assert (await http.delete("/session", headers={CSRF: signed.json()["csrf"]})).json() == {"signed_in": False}
    http.cookies.set(name, kept)
    assert (await http.get(f"{AGENT}/entries")).status_code == 401


async def test_a_planted_cookie_does_not_become_somebodys_session(start: Start) -> None:
    http, key = await key_of(start, "read")
    first = await http.post("/session", json={"key": key})
    ((name, planted),) = http.cookies.items()
    await http.post("/session", json={"key": key})
    assert http.cookies[name] != planted
    http.cookies.clear()
    assert (await http.get(f"{AGENT}/entries", headers={"cookie": f"{name}={planted}"})).status_code == 401
    assert first.status_code == 200


async def test_a_session_sees_no_further_than_its_key(start: Start) -> None:
    served = await start()
    await served.told("ours")
    await served.told("theirs", at="/v1/orgs/other/workspaces/lab/agents/eve")
    header = await served.key("read", within_workspace="lab")
    await served.http.post("/session", json={"key": header["authorization"].removeprefix("Bearer ")})
    places = (await served.http.get("/v1/places")).json()["items"]
    assert [(one["org"], one["workspace"], one["agent"]) for one in places] == [("acme", "lab", "ada")]
    assert (await served.http.get("/v1/orgs/other/workspaces/lab/agents/eve/entries")).status_code == 404


async def test_a_session_says_whether_its_key_is_for_one_agent(start: Start) -> None:
    served = await start()
    for within, agent, alone in (
        ({"within_workspace": "lab", "within_agent": "lin"}, "lin", True),
        ({"within_workspace": "lab"}, "me", False),
    ):
        header = await served.key("read", **within)
        about = (await served.http.get("/session", headers=header)).json()
        assert (about["workspace"], about["one_agent"]) == ("lab", alone)
        assert not alone or about["agent"] == agent


@pytest.mark.parametrize("body", [{}, {"key": ""}, {"key": 5}, {"key": "nonsense"}])
async def test_a_wrong_key_opens_nothing(start: Start, body: dict[str, object]) -> None:
    served = await start()
    await served.key("admin")
    answer = await served.http.post("/session", json=body)
    assert answer.status_code in {401, 422}
    assert "set-cookie" not in answer.headers


async def test_an_idle_session_ends_and_the_oldest_make_room() -> None:
    now = 0.0
    sessions = PageSessions(timer=lambda: now)
    word, session = await sessions.begin("key")
    now = IDLE_SECONDS - 1
    assert await sessions.key(request(cookie=word)) == "key"
    now += IDLE_SECONDS + 1
    assert await sessions.key(request(cookie=word)) is None
    words = [(await sessions.begin(f"key {number}"))[0] for number in range(MAX_SESSIONS + 1)]
    assert await sessions.find(request(cookie=words[0])) is None
    assert await sessions.find(request(cookie=words[-1])) is not None
    assert session.csrf not in word


@pytest.mark.spec("SAFE-02")
async def test_who_signs_in_over_and_over_closes_their_own_sessions_and_nobody_elses() -> None:
    sessions = PageSessions()
    word, _ = await sessions.begin("key", payer="org quiet")
    for number in range(2 * MAX_SESSIONS):
        await sessions.begin(f"key {number}", payer="org loud")
    assert await sessions.key(request(cookie=word)) == "key"


async def test_behind_a_proxy_that_speaks_tls_the_cookie_is_never_sent_without(start: Start) -> None:
    http, key = await key_of(start, "read")
    for proto, is_secure in (("https", True), ("http", False)):
        signed = await http.post("/session", json={"key": key}, headers={"x-forwarded-proto": proto})
        assert ("secure" in signed.headers["set-cookie"].lower()) is is_secure


async def test_a_cookie_of_another_server_on_this_machine_locks_nobody_out(start: Start) -> None:
    served = await start()
    port = served.url.rpartition(":")[2]
    for name in (f"{COOKIE}_{port}", f"{COOKIE}_1"):
        answer = await served.http.get("/session", headers={"cookie": f"{name}=left-from-before"})
        assert answer.json()["signed_in"] is True


async def test_what_changes_something_needs_the_sessions_word() -> None:
    sessions = PageSessions()
    word, session = await sessions.begin("key")
    with pytest.raises(Refusal):
        await sessions.key(request(cookie=word, method="POST"))
    assert await sessions.key(request(cookie=word, method="POST", csrf=session.csrf)) == "key"
    assert await sessions.key(request()) is None


async def test_the_pages_may_be_framed_by_nobody_and_load_nothing_from_elsewhere(start: Start) -> None:
    served = await start()
    for path in ("/", "/org/acme/ws/lab/memory"):
        answer = await served.http.get(path, headers={"accept": "text/html"})
        policy = answer.headers["content-security-policy"]
        for wanted in ("default-src 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"):
            assert wanted in policy
        assert "unsafe" not in policy
        assert "://" not in answer.text


async def test_files_are_served_with_their_types_and_nothing_outside_the_folder(start: Start) -> None:
    served = await start()
    script = await served.http.get("/static/app.mjs")
    assert script.headers["content-type"].startswith("text/javascript")
    assert (await served.http.get("/static/app.css")).headers["content-type"].startswith("text/css")
    for name in ("..%2f..%2fapp.py", "../app.py", "vendor", "nothing.mjs", "vendor/SHA256SUMS"):
        assert (await served.http.get(f"/static/{name}")).status_code == 404


def test_what_we_did_not_write_is_as_its_authors_published_it() -> None:
    folder = STATIC / "vendor"
    lines = (folder / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    listed = {name: digest for digest, name in (line.split() for line in lines)}
    assert {path.name for path in folder.glob("*.mjs")} == set(listed)
    for name, digest in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    licences = (folder / "LICENSES.txt").read_text(encoding="utf-8")
    for name in ("preact", "htm"):
        assert name in licences
