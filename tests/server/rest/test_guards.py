"""What keeps a server upright: keys, names, rates, sizes, shapes; and what it says of itself."""

import json
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput, InvalidSettings, RateLimited
from remanent.server.app import JsonLines
from remanent.server.hosts import allowed_hosts, is_loopback, name_of
from remanent.server.limits import RateLimit, check_shape
from remanent.server.serving import check_address
from remanent.settings import ServerSettings, load_settings
from remanent.stores import shelf
from tests.server.rest.conftest import AGENT, Served, Start


async def test_with_a_key_in_the_house_nobody_comes_in_without_one(served: Served) -> None:
    assert (await served.http.get(f"{AGENT}/entries")).status_code == 200
    key = await served.key("read")
    bare = await served.http.get(f"{AGENT}/entries")
    assert (bare.status_code, bare.headers["www-authenticate"]) == (401, 'Bearer realm="remanent"')
    assert (await served.http.get(f"{AGENT}/entries", headers=key)).status_code == 200
    assert (await served.http.post(f"{AGENT}/entries", json={"messages": ["x"]}, headers=key)).status_code == 403
    for wrong in ("Bearer", "Bearer x", "Basic abc", key["authorization"] + "0"):
        refused = await served.http.get(f"{AGENT}/entries", headers={"authorization": wrong})
        assert refused.status_code == 401


async def test_a_key_that_is_revoked_elsewhere_opens_nothing_at_once(served: Served) -> None:
    admin = await served.key("admin")
    made = await served.http.post("/v1/orgs/acme/keys", json={"name": "guest"}, headers=admin)
    guest = {"authorization": f"Bearer {made.json()['token']}"}
    assert (await served.http.get(f"{AGENT}/entries", headers=guest)).status_code == 200
    key_id = made.json()["key"]["key_id"]
    assert (await served.http.delete(f"/v1/orgs/acme/keys/{key_id}", headers=admin)).status_code == 200
    assert (await served.http.get(f"{AGENT}/entries", headers=guest)).status_code == 401


async def test_a_request_for_another_name_is_refused(served: Served) -> None:
    lured = await served.http.get("/livez", headers={"host": "evil.example"})
    assert lured.status_code == 421
    assert (await served.http.get("/livez", headers={"host": "localhost:1"})).status_code == 200


async def test_too_many_requests_are_told_when_to_come_back(start: Start) -> None:
    served = await start(rate=0.001, burst=2)
    answers = [await served.http.get(f"{AGENT}/entries") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[-1].headers["retry-after"]) >= 1
    assert (await served.http.get("/livez")).status_code == 200


async def test_what_is_too_large_too_deep_or_too_much_is_refused(start: Start) -> None:
    served = await start(max_body=2000, max_depth=6, max_values=100)
    recall = f"{AGENT}/recall"
    assert (await served.http.post(recall, json={"query": "x" * 3000})).status_code == 413

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b"x" * 1000

    streamed = await served.http.post(recall, content=endless(), headers={"content-type": "application/json"})
    assert streamed.status_code == 413
    deep = json.loads("[" * 8 + "]" * 8)
    assert (await served.http.post(recall, json={"query": deep})).status_code == 422
    many = {"query": "x", "tags": ["t"] * 101}
    answer = await served.http.post(recall, json=many)
    assert (answer.status_code, "values" in answer.json()["detail"]) == (422, True)


async def test_nesting_that_no_parser_should_see_is_refused(served: Served) -> None:
    bomb = b'{"query":' + b"[" * 100_000
    answer = await served.http.post(f"{AGENT}/recall", content=bomb, headers={"content-type": "application/json"})
    assert answer.status_code == 400


async def test_the_server_says_how_it_is_without_naming_anybody(served: Served) -> None:
    await served.told("the word is swordfish")
    assert (await served.http.get("/livez")).text == "ok\n"
    ready = await served.until_ready()
    assert (ready.status_code, ready.json()["ready"]) == (200, True)
    assert {check["check"] for check in ready.json()["checks"]} == {"write", "schema", "queue", "models", "audit"}
    figures = (await served.http.get("/metrics")).text
    assert 'remanent_requests_total{route="/v1/orgs/{org}/workspaces/{workspace}/agents/{agent}/entries"' in figures
    for told in (figures, ready.text):
        for word in ("acme", "lab", "ada", "swordfish"):
            assert word not in told.replace("label", "")


async def test_a_server_that_cannot_write_is_not_ready(served: Served) -> None:
    home = served.service.memory.settings.home
    assert not home.exists()
    home.write_text("not a folder", encoding="utf-8")
    answer = await served.http.get("/readyz")
    assert (answer.status_code, answer.json()["ready"]) == (503, False)
    home.unlink()
    assert (await served.until_ready()).status_code == 200


@pytest.mark.spec("SAFE-03")
async def test_a_damaged_audit_log_holds_up_nobody_and_is_told_as_degraded(served: Served) -> None:
    await served.told("one", "two")
    file = served.service.memory.settings.home / ".access" / "audit" / "acme.jsonl"
    file.write_bytes(b"?" + file.read_bytes())
    for text in ("three", "four"):
        answer = await served.http.post(f"{AGENT}/entries", json={"messages": [text]}, timeout=30)
        assert answer.status_code == 200
        ready = await served.until_ready()
        assert (ready.status_code, ready.json()["ready"], ready.json()["degraded"]) == (200, True, True)
        assert "acme" not in ready.text
    assert not (await served.http.get("/v1/orgs/acme/audit/verify")).json()["intact"]


def in_the_way(place: Path) -> Callable[[], None]:
    """Put a file where a folder belongs, or a folder where a file does; return what undoes it."""
    away, is_folder = place.with_name("away"), place.is_dir()
    place.rename(away)
    place.write_text("in the way") if is_folder else place.mkdir()

    def undo() -> None:
        place.unlink() if is_folder else place.rmdir()
        away.rename(place)

    return undo


@pytest.mark.spec("SAFE-03")
@pytest.mark.parametrize(
    "place",
    [".access/audit", ".access/audit/acme.jsonl", ".secrets/audit", ".secrets/audit/acme.head", ".secrets/audit.key"],
)
async def test_a_server_whose_audit_log_cannot_be_written_is_not_ready_and_says_so(served: Served, place: str) -> None:
    async def told() -> tuple[int, dict[str, Any], bool]:
        answer = await served.until_ready()
        checks = {check["check"]: check for check in answer.json()["checks"]}
        return answer.status_code, checks["audit"], answer.json()["degraded"]

    await served.told("one")
    undo = in_the_way(served.service.memory.settings.home / place)
    status, audit, degraded = await told()
    assert (status, audit["ok"], degraded) == (503, False, False), "before anybody tried to write"
    assert "cannot be written" in audit["detail"]
    assert "acme" not in audit["detail"]
    assert (await served.http.post(f"{AGENT}/entries", json={"messages": ["two"]}, timeout=30)).status_code == 500
    assert (await told())[0] == 503
    undo()
    assert (await told())[0] == 200, "a server that is not ready is asked nothing: it must find out by itself"
    assert (await served.http.get("/v1/orgs/acme/audit/verify")).json()["intact"]


@pytest.mark.spec("SAFE-03")
async def test_a_server_that_could_note_nothing_is_not_ready_before_its_first_organisation(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await served.until_ready()).status_code == 200
    monkeypatch.setattr(shelf, "ROOM", 1 << 62)
    assert (await served.until_ready()).status_code == 503
    monkeypatch.undo()
    (served.service.memory.settings.home / ".access").write_text("in the way")
    assert (await served.until_ready()).status_code == 503


@pytest.mark.spec("SAFE-03")
async def test_a_write_that_cannot_be_audited_is_refused_and_not_stored(served: Served) -> None:
    await served.told("one")
    folder = served.service.memory.settings.home / ".access" / "audit"
    folder.rename(folder.with_name("away"))
    folder.write_text("in the way")
    answer = await served.http.post(f"{AGENT}/entries", json={"messages": ["two"]}, timeout=30)
    assert (answer.status_code, answer.json()["title"]) == (500, "The storage failed")
    entries = (await served.http.get(f"{AGENT}/entries")).json()["items"]
    assert [entry["text"] for entry in entries] == ["one"]
    ready = await served.until_ready()
    assert (ready.status_code, ready.json()["ready"]) == (503, False)


async def test_logs_tell_of_requests_and_never_of_what_was_said(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="remanent"):
        await served.told("the word is swordfish")
        await served.http.post(f"{AGENT}/recall", json={"query": "swordfish"})
        await served.http.get(f"{AGENT}/records/swordfish")
    lines = [json.loads(JsonLines().format(record)) for record in caplog.records]
    requests = [line for line in lines if line["says"] == "request"]
    assert [(line["status"], line["who"]) for line in requests] == [(200, "local"), (200, "local"), (404, "local")]
    assert "swordfish" not in json.dumps(lines)


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("10.1.1.1", False),
    ],
)
def test_only_loopback_is_the_machines_own(host: str, own: bool) -> None:
    assert is_loopback(host) is own


def test_other_addresses_are_refused_until_there_is_a_key(tmp_path: Path) -> None:
    settings = load_settings(home=str(tmp_path), server={"host": "0.0.0.0"})
    with pytest.raises(InvalidSettings, match="remanent keys create"):
        check_address(settings)


def test_the_names_of_a_server_are_loopback_its_address_and_those_that_are_given() -> None:
    hosts = allowed_hosts(ServerSettings(host="0.0.0.0", allowed_hosts="memory.example, Other.Example"))
    assert hosts == {"localhost", "127.0.0.1", "[::1]", "memory.example", "other.example"}
    assert name_of("Memory.Example:80") == "memory.example"
    assert name_of("[::1]:80") == "[::1]"
    for item in ("memory.example/x", "*", "a b"):
        with pytest.raises(InvalidSettings, match="allowed_hosts"):
            allowed_hosts(ServerSettings(allowed_hosts=item))


def test_a_bucket_fills_again_with_time() -> None:
    now = [0.0]
    limit = RateLimit(2.0, 2, timer=lambda: now[0])
    limit.take("a")
    limit.take("a")
    limit.take("b")
    with pytest.raises(RateLimited) as refused:
        limit.take("a")
    assert refused.value.retry_after == 0.5
    now[0] += 0.5
    limit.take("a")
    with pytest.raises(RateLimited):
        limit.take("a")


NESTED = st.recursive(
    st.integers(), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4)
)


def _depth(value: object) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + max(map(_depth, inner), default=0) if inner else 1


def _count(value: object) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return 1 + sum(map(_count, inner))


@given(value=NESTED, depth=st.integers(1, 6), values=st.integers(1, 20))
def test_a_shape_is_refused_exactly_when_it_is_too_deep_or_too_much(value: object, depth: int, values: int) -> None:
    fits = _depth(value) <= depth + 1 and _count(value) <= values
    if fits:
        check_shape(value, depth=depth, values=values)
    else:
        with pytest.raises(InvalidInput):
            check_shape(value, depth=depth, values=values)
