"""Keys that callers give their requests: done once, answered alike, also by a server that was started since."""

import asyncio
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest

from remanent.discipline.operation import operation
from remanent.discipline.shapes import Done, Nothing
from remanent.model import Scope
from remanent.operations import CATALOGUE, Body, Level, Permission
from remanent.operations.call import ServiceCall
from remanent.server.idempotency import _ShelfNotes
from remanent.stores.notes import NotedAnswer, NotedAnswers
from remanent.stores.shelf import FolderShelf
from remanent.stores.sqlite import SqliteStore
from tests.power import Disk, fills_up
from tests.server.rest.conftest import AGENT, FILE, LINES, Served, Start


@operation("go_on", zh="不停。", permission=Permission.WRITE, long=True)
async def go_on(call: ServiceCall, request: Nothing) -> Done:
    """Go on for ever."""
    del call, request
    await asyncio.Event().wait()
    return Done()


ADA = Scope(org="acme", workspace="lab", agent="ada")


def keyed(name: str = "k") -> dict[str, str]:
    return {"idempotency-key": name}


async def prepared(served: Served) -> dict[str, Any]:
    """An agent with something to change, and how each writing operation is called on it."""
    one, other, third = await served.told("the first", "the second", "the third")
    await served.http.post(f"{AGENT}/records/{third}/forget", json={})
    return {
        "remember": ("POST", "entries", {"messages": ["only once"]}),
        "link": ("POST", "links", {"from_id": one, "to_id": other, "relation": "then"}),
        "forget": ("POST", f"records/{one}/forget", {"reason": "over"}),
        "restore": ("POST", f"records/{third}/restore", {}),
        "scratchpad.write": ("POST", "scratchpad", {"key": "a", "value": "b"}),
        "erase": ("POST", "erase", {"entry_ids": [other]}),
    }


@pytest.mark.parametrize("name", ["remember", "link", "forget", "restore", "scratchpad.write", "erase"])
async def test_a_server_that_was_started_since_gives_the_first_answer(start: Start, name: str) -> None:
    first = await start()
    method, path, body = (await prepared(first))[name]
    assert CATALOGUE[name].changes
    before = await first.http.request(method, f"{AGENT}/{path}", json=body, headers=keyed())
    assert before.status_code == 200, before.text
    await first.service.memory.settle()
    state = (await first.http.get(f"{AGENT}/entries")).text
    second = await start()
    after = await second.http.request(method, f"{AGENT}/{path}", json=body, headers=keyed())
    assert (after.status_code, after.content) == (before.status_code, before.content)
    assert after.headers["idempotency-replayed"] == "true"
    assert after.headers.get("etag") == before.headers.get("etag")
    assert (await second.http.get(f"{AGENT}/entries")).text == state


async def test_another_body_with_the_same_key_is_refused_after_a_restart_too(start: Start) -> None:
    first = await start()
    await first.http.post(f"{AGENT}/scratchpad", json={"key": "a", "value": "b"}, headers=keyed())
    second = await start()
    other = await second.http.post(f"{AGENT}/scratchpad", json={"key": "a", "value": "c"}, headers=keyed())
    assert other.status_code == 422
    assert other.json()["type"] == "urn:remanent:error:InvalidInput"
    assert "a different request" in other.json()["detail"]
    assert (await second.http.get(f"{AGENT}/scratchpad")).json()["values"] == {"a": "b"}


async def test_a_file_is_held_against_the_one_that_came_first(start: Start) -> None:
    first = await start()
    before = await first.http.post(f"{AGENT}/attachments?name=a", content=b"x" * 3_000_000, headers=keyed() | FILE)
    assert before.status_code == 200
    second = await start()
    after = await second.http.post(f"{AGENT}/attachments?name=a", content=b"x" * 3_000_000, headers=keyed() | FILE)
    assert (after.content, "idempotency-replayed" in after.headers) == (before.content, True)
    other = await second.http.post(f"{AGENT}/attachments?name=a", content=b"y", headers=keyed() | FILE)
    assert other.status_code == 422
    lines = (await second.http.get(f"{AGENT}/export")).content
    load = f"{AGENT.replace('ada', 'bob')}/import"
    loaded = [await second.http.post(load, content=lines, headers=keyed("load") | LINES) for _ in range(2)]
    assert [answer.status_code for answer in loaded] == [200, 200]
    assert loaded[0].content == loaded[1].content


async def test_a_new_key_of_the_server_is_made_once_and_never_written_down(start: Start, tmp_path: Path) -> None:
    body = {"name": "agent", "permissions": ["read"]}
    first = await start()
    admin = await first.key("admin")
    before = await first.http.post("/v1/orgs/acme/keys", json=body, headers=keyed() | admin)
    assert before.status_code == 200
    again = await first.http.post("/v1/orgs/acme/keys", json=body, headers=keyed() | admin)
    assert again.content == before.content
    second = await start()
    after = await second.http.post("/v1/orgs/acme/keys", json=body, headers=keyed() | admin)
    assert (after.status_code, after.content) == (200, before.content)
    assert after.headers["idempotency-replayed"] == "true"
    other = await second.http.post("/v1/orgs/acme/keys", json={**body, "name": "b"}, headers=keyed() | admin)
    assert (other.status_code, "a different request" in other.json()["detail"]) == (422, True)
    secret = before.json()["token"].rpartition("_")[2].encode()
    home = first.service.memory.settings.home
    assert [file for file in home.rglob("*") if file.is_file() and secret in file.read_bytes()] == []
    assert len((await second.http.get("/v1/orgs/acme/keys", headers=admin)).json()["items"]) == 2


async def test_a_token_is_changed_once_whatever_happens_to_its_key_meanwhile(start: Start) -> None:
    first = await start()
    admin = await first.key("admin")
    made = (await first.http.post("/v1/orgs/acme/keys", json={"name": "agent"}, headers=admin)).json()
    rotate = f"/v1/orgs/acme/keys/{made['key']['key_id']}/rotate"
    before = await first.http.post(rotate, json={}, headers=keyed("once") | admin)
    second = await start()
    after = await second.http.post(rotate, json={}, headers=keyed("once") | admin)
    assert (before.status_code, after.content) == (200, before.content)
    later = await second.http.post(rotate, json={}, headers=keyed("twice") | admin)
    assert later.json()["token"] != before.json()["token"]
    third = await start()
    again = await third.http.post(rotate, json={}, headers=keyed("once") | admin)
    assert again.json()["token"] == before.json()["token"]
    bearer = {"authorization": f"Bearer {later.json()['token']}"}
    assert (await third.http.get("/v1/orgs/acme/workspaces/lab/agents", headers=bearer)).status_code == 200
    revoke = f"/v1/orgs/acme/keys/{made['key']['key_id']}"
    gone = await third.http.delete(revoke, headers=keyed("gone") | admin)
    fourth = await start()
    assert (await fourth.http.delete(revoke, headers=keyed("gone") | admin)).content == gone.content


@pytest.mark.needs("bank")
async def test_long_work_is_not_begun_again_after_a_restart(start: Start) -> None:
    first = await start()
    body = {"task": "How high is Mount Kelt?", "context": "Mount Kelt is 3,412 metres high."}
    begun = await first.http.post(f"{AGENT}/banks", json=body, headers=keyed())
    assert begun.status_code == 202
    assert (await first.http.post(f"{AGENT}/banks", json=body, headers=keyed())).content == begun.content
    where = begun.headers["location"]
    events = await first.http.get(f"{where}/events")
    assert "event: done" in events.text
    before = await first.http.get(where)
    await first.service.runs.close()
    second = await start()
    again = await second.http.post(f"{AGENT}/banks", json=body, headers=keyed())
    assert (again.status_code, again.content, again.headers["location"]) == (202, begun.content, where)
    after = (await second.http.get(where)).json()
    assert after == {**before.json(), "step": {**before.json()["step"], "note": ""}}
    assert "3,412" in before.text


async def test_long_work_that_a_restart_broke_off_says_so(start: Start) -> None:
    first = await start(catalogue=CATALOGUE.with_more([go_on]))
    begun = await first.http.post(f"{AGENT}/go-on", json={}, headers=keyed())
    await first.service.runs.close()
    second = await start(catalogue=CATALOGUE.with_more([go_on]))
    again = await second.http.post(f"{AGENT}/go-on", json={}, headers=keyed())
    assert (again.status_code, again.content) == (202, begun.content)
    told = (await second.http.get(begun.headers["location"])).json()
    assert (told["state"], told["response"]) == ("interrupted", None)
    assert "event: interrupted" in (await second.http.get(f"{begun.headers['location']}/events")).text


async def test_what_an_answer_said_is_erased_with_the_rest(start: Start) -> None:
    first = await start()
    (record_id,) = await first.told("the canary 5d1e77")
    await first.http.post(f"{AGENT}/records/{record_id}/forget", json={})
    restored = await first.http.post(f"{AGENT}/records/{record_id}/restore", json={}, headers=keyed())
    assert "5d1e77" in restored.text
    await first.service.memory.settle()
    erased = await first.http.post(f"{AGENT}/erase", json={"record_ids": [record_id]}, headers=keyed("e"))
    assert erased.status_code == 200
    home = first.service.memory.settings.home
    assert [file for file in home.rglob("*") if file.is_file() and b"5d1e77" in file.read_bytes()] == []
    second = await start()
    again = await second.http.post(f"{AGENT}/records/{record_id}/restore", json={}, headers=keyed())
    assert again.status_code == 422
    assert "no longer available" in again.json()["detail"]


async def test_a_key_means_each_callers_own_requests(served: Served) -> None:
    keys = [await served.key("read", "write") for _ in range(2)]
    answers = [
        await served.http.post(f"{AGENT}/scratchpad", json={"key": "a", "value": f"{n}"}, headers=keyed() | key)
        for n, key in enumerate(keys)
    ]
    assert [answer.status_code for answer in answers] == [200, 200]


async def test_no_export_holds_the_answers_and_no_import_brings_some(served: Served) -> None:
    await served.http.post(f"{AGENT}/entries", json={"messages": ["x"]}, headers=keyed())
    await served.service.memory.settle()
    lines = (await served.http.get(f"{AGENT}/export")).text
    assert "note/" not in lines
    assert "fingerprint" not in lines.partition("\n")[2]


def test_every_writing_operation_has_an_answer_that_can_be_kept() -> None:
    for name, one in CATALOGUE.items():
        if one.changes:
            assert one.answers is Body.JSON, name
            assert one.level in {Level.AGENT, Level.ORG, Level.WORKSPACE}


async def test_notes_live_for_a_day_and_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from remanent.stores import notes as module

    now = datetime(2026, 3, 1, tzinfo=UTC)
    monkeypatch.setattr(module, "MAX_NOTES", 12)
    monkeypatch.setattr(module, "_TIDY_EVERY", 4)
    store = SqliteStore(tmp_path)
    kept = NotedAnswers(store, clock=lambda: now)
    for number in range(30):
        now += timedelta(minutes=1)
        await kept.keep(ADA, f"n{number}", NotedAnswer(fingerprint="f", at=now, status=200, content="{}"))
        assert await kept.find(ADA, f"n{number}") is not None
    assert len(await store.states(ADA)) <= 12
    assert await kept.find(ADA, "n0") is None
    assert await kept.find(ADA, "n29") is not None
    now += timedelta(days=1)
    assert await kept.find(ADA, "n29") is None
    await store.close()


async def test_erasing_blanks_notes_once_and_they_are_known_further_on(tmp_path: Path) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    store = SqliteStore(tmp_path)
    kept = NotedAnswers(store, clock=lambda: now)
    for name, content in (("told", "secret words"), ("untold", None)):
        await kept.keep(ADA, name, NotedAnswer(fingerprint=name, at=now, status=200, content=content))
    await kept.blank(ADA)
    revision = (await store.standing(ADA)).revision
    await kept.blank(ADA)
    assert (await store.standing(ADA)).revision == revision  # nothing was left to do
    for name in ("told", "untold"):
        note = await kept.find(ADA, name)
        assert note is not None
        assert (note.fingerprint, note.content) == (name, None)
    await store.close()


async def test_many_at_once_with_one_key_are_done_once(served: Served) -> None:
    body = json.dumps({"messages": ["only once"]}).encode()

    async def post() -> httpx2.Response:
        headers = keyed() | {"content-type": "application/json"}
        return await served.http.post(f"{AGENT}/entries", content=body, headers=headers)

    answers = await asyncio.gather(*(post() for _ in range(8)))
    assert len({answer.content for answer in answers}) == 1
    assert len((await served.http.get(f"{AGENT}/entries")).json()["items"]) == 1


@pytest.mark.spec("SAFE-06")
async def test_a_key_that_is_used_again_after_an_erasure_gives_no_erased_id(start: Start) -> None:
    first, second = await start(), await start()
    body = {"messages": ["the canary 5d1e77"]}
    told = await first.http.post(f"{AGENT}/entries", json=body, headers=keyed())
    (entry_id,) = told.json()["entry_ids"]
    again = await first.http.post(f"{AGENT}/entries", json=body, headers=keyed())
    assert (again.json(), again.headers["idempotency-replayed"]) == (told.json(), "true")
    # Another process erases, and one that remembers the answer is asked.
    await second.http.post(f"{AGENT}/erase", json={"entry_ids": [entry_id]}, headers=keyed("e"))
    for server in (first, second):
        again = await server.http.post(f"{AGENT}/entries", json=body, headers=keyed())
        assert entry_id not in again.text
        assert (again.status_code, "no longer available" in again.json()["detail"]) == (422, True)
    assert [entry["erased"] for entry in (await first.http.get(f"{AGENT}/entries")).json()["items"]] == [True]


@pytest.mark.spec("SAFE-06")
async def test_a_key_that_is_used_again_after_all_was_erased_gives_no_erased_id(served: Served) -> None:
    body = {"messages": ["the canary 5d1e77"]}
    told = await served.http.post(f"{AGENT}/entries", json=body, headers=keyed())
    await served.http.post(f"{AGENT}/erase", json={"everything": True})
    again = await served.http.post(f"{AGENT}/entries", json=body, headers=keyed())
    assert told.json()["entry_ids"][0] not in again.text


@pytest.mark.spec("SAFE-06")
async def test_what_was_answered_for_an_organisation_is_known_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    now = datetime(2026, 3, 1, tzinfo=UTC)
    note = NotedAnswer(fingerprint="f", at=now, status=200, content="{}")
    await _ShelfNotes(FolderShelf(disk.root), now=now).keep("a", note)
    left = disk.image(tmp_path / "after")
    assert await _ShelfNotes(FolderShelf(left), now=now).find("a") == note


@pytest.mark.spec("SAFE-03")
async def test_what_was_done_and_could_not_be_noted_is_not_done_again_under_its_key(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = await served.told("Ada lives in Lisbon.", "Ada lives in Porto.")
    body = {"from_id": one, "to_id": other, "relation": "then"}
    headers = {**keyed(), "accept-language": "zh-CN"}
    with monkeypatch.context() as patch:
        fills_up(patch)
        answer = await served.http.post(f"{AGENT}/links", json=body, headers=headers)
    assert (answer.status_code, answer.json()["title"]) == (500, "已完成，但未能记录")
    assert answer.json()["detail"].startswith("link 已完成，但未能记入审计日志：")
    assert "未作任何更改" not in answer.text
    again = await served.http.post(f"{AGENT}/links", json=body, headers=keyed())
    assert (again.status_code, "was carried out" in again.json()["detail"]) == (422, True)
    links = (await served.http.get(f"{AGENT}/records/{one}/links")).json()["items"]
    assert len(links) == 1
