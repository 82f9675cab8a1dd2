"""The REST interface over real HTTP: reading, writing, paging, preconditions, repeated and long requests."""

import asyncio
import json
from collections.abc import MutableMapping, Sequence
from typing import Any

import httpx2
import pytest
from starlette.routing import Match, Route

import remanent
from remanent.discipline.operation import operation
from remanent.discipline.shapes import Done, Nothing
from remanent.errors import StoreBusy
from remanent.model import Found, GateVerdict, Scope
from remanent.operations import Permission, ProgressStep
from remanent.operations.call import ServiceCall
from remanent.operations.service import CATALOGUE
from remanent.server.rest import Rest
from remanent.server.telemetry import Tracer
from remanent.stores.query_steps import Snapshot
from tests.server.rest.conftest import AGENT, FILE, LINES, TRIPLES, Served, Start


async def test_what_is_remembered_is_recalled_with_its_sources(served: Served) -> None:
    (entry_id,) = await served.told("I moved to Lisbon in May.")
    answer = await served.http.post(f"{AGENT}/recall", json={"query": "Lisbon", "limit": 1})
    (item,) = answer.json()["items"]
    assert (item["text"], item["sources"][0]["entry_id"]) == ("I moved to Lisbon in May.", entry_id)


async def test_an_answer_tells_the_gates_verdict_as_the_library_does(served: Served) -> None:
    await served.told("I moved to Lisbon in May.")
    answer = (await served.http.post(f"{AGENT}/recall", json={"query": "Lisbon"})).json()
    assert answer["gate"]["verdict"] == "near"
    assert Found.model_validate(answer).gate == GateVerdict.model_validate(answer["gate"])


async def test_pages_are_walked_by_their_cursor(served: Served) -> None:
    ids = await served.told(*(f"thing {number}" for number in range(5)))
    seen, query = [], {"limit": "2"}
    while True:
        page = (await served.http.get(f"{AGENT}/entries", params=query)).json()
        seen += [entry["id"] for entry in page["items"]]
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert seen == ids


async def test_a_record_is_changed_only_at_the_version_that_was_read(served: Served) -> None:
    (record_id,) = await served.told("old news")
    read = await served.http.get(f"{AGENT}/records/{record_id}")
    tag = read.headers["etag"]
    again = await served.http.get(f"{AGENT}/records/{record_id}", headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    forget = f"{AGENT}/records/{record_id}/forget"
    assert (await served.http.post(forget, json={}, headers={"if-match": tag})).status_code == 200
    stale = await served.http.post(f"{AGENT}/records/{record_id}/restore", json={}, headers={"if-match": tag})
    assert stale.status_code == 412
    assert stale.headers["content-type"] == "application/problem+json"
    for wrong in ('"x"', "", '"0"', '"99999999999999999999"'):
        assert (await served.http.post(forget, json={}, headers={"if-match": wrong})).status_code == 412


async def test_a_repeated_key_is_answered_alike_and_done_once(served: Served) -> None:
    key = {"idempotency-key": "k-1"}
    body = {"messages": ["only once"]}
    answers = await asyncio.gather(*(served.http.post(f"{AGENT}/entries", json=body, headers=key) for _ in range(5)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.text for answer in answers}) == 1
    assert sum("idempotency-replayed" in answer.headers for answer in answers) == 4
    assert len((await served.http.get(f"{AGENT}/entries")).json()["items"]) == 1
    other = await served.http.post(f"{AGENT}/entries", json={"messages": ["another"]}, headers=key)
    assert other.status_code == 422


async def test_a_repeated_key_is_known_even_after_the_server_was_started_again(start: Start) -> None:
    key = {"idempotency-key": "k-2"}
    first = await start()
    before = await first.http.post(f"{AGENT}/entries", json={"messages": ["only once"]}, headers=key)
    second = await start()
    after = await second.http.post(f"{AGENT}/entries", json={"messages": ["only once"]}, headers=key)
    assert after.content == before.content


async def test_what_failed_may_be_tried_again_with_the_same_key(served: Served) -> None:
    (record_id,) = await served.told("x")
    key = {"idempotency-key": "k-3"}
    restore = f"{AGENT}/records/{record_id}/restore"
    assert (await served.http.post(restore, json={}, headers=key)).status_code == 422
    await served.http.post(f"{AGENT}/records/{record_id}/forget", json={})
    assert (await served.http.post(restore, json={}, headers=key)).status_code == 200


@pytest.mark.spec("ASSOC-14")
async def test_an_associative_graph_goes_out_as_triples_and_comes_in_elsewhere(served: Served) -> None:
    other = AGENT.replace("ada", "bob")
    await served.http.post(f"{AGENT}/associative/remember", json={"messages": ["团子住在杭州。", "Crane 7 moved."]})
    await served.service.memory.settle()
    lines = await served.http.get(f"{AGENT}/associative/triples")
    taken = await served.http.post(f"{other}/associative/triples", content=lines.content, headers=TRIPLES)
    assert taken.status_code == 200, taken.text
    assert taken.json()["nodes"] == 2
    assert (await served.http.get(f"{other}/associative/triples")).content == lines.content
    refused = await served.http.post(f"{other}/associative/triples", content=b"# fine\nno triple\n", headers=TRIPLES)
    assert refused.status_code == 422
    assert "line 2" in refused.json()["detail"]


async def test_an_export_is_lines_and_fills_another_agent(served: Served) -> None:
    await served.told("one", "two")
    lines = await served.http.get(f"{AGENT}/export")
    assert lines.headers["content-type"].startswith("application/x-ndjson")
    other = AGENT.replace("ada", "bob")
    loaded = await served.http.post(f"{other}/import", content=lines.content, headers=LINES)
    assert loaded.json()["counts"]["entry"] == 2
    texts = [entry["text"] for entry in (await served.http.get(f"{other}/entries")).json()["items"]]
    assert texts == ["one", "two"]
    again = await served.http.post(f"{other}/import", content=lines.content, headers=LINES)
    assert again.status_code == 422


async def test_an_export_is_of_one_moment_while_four_clients_write(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They write between its pages, which are small here, for as long as it lasts."""
    monkeypatch.setattr("remanent.stores.store.PAGE", 2)
    acknowledged = await served.told("one", "two", "three", "four", "five")
    before = set(acknowledged)

    async def write(writer: int) -> None:
        said = await served.http.post(f"{AGENT}/entries", json={"messages": [f"writer {writer}: {len(acknowledged)}"]})
        acknowledged.extend(said.json()["entry_ids"])

    read = Snapshot.read

    async def beside(snapshot: Snapshot, scope: Scope, queries: Sequence[Any]) -> list[Any]:
        await asyncio.gather(*map(write, range(4)))
        return await read(snapshot, scope, queries)

    monkeypatch.setattr(Snapshot, "read", beside)
    lines = (await served.http.get(f"{AGENT}/export")).content
    monkeypatch.undo()
    assert len(acknowledged) >= len(before) + 4 * 10
    other = AGENT.replace("ada", "bob")
    loaded = await served.http.post(f"{other}/import", content=lines, headers=LINES)
    assert loaded.status_code == 200, loaded.text
    found = await served.http.get(f"{other}/entries", params={"limit": 100})
    assert {entry["id"] for entry in found.json()["items"]} == before


async def _follow(served: Served, said: list[str]) -> None:
    async with served.http.stream("GET", f"{AGENT}/export") as answer:
        async for line in answer.aiter_lines():
            said.append(line)  # noqa: PERF401 - what came before it was broken off is looked at


async def test_an_export_that_fails_half_way_says_why_and_is_broken_off(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = await served.told("one", "two")
    read, erased = Snapshot.read, False

    async def beside(snapshot: Snapshot, scope: Scope, queries: Sequence[Any]) -> list[Any]:
        nonlocal erased
        found = await read(snapshot, scope, queries)
        if not erased:
            erased = True
            await served.http.post(f"{AGENT}/erase", json={"entry_ids": ids[:1]})
        return found

    monkeypatch.setattr(Snapshot, "read", beside)
    said: list[str] = []
    with pytest.raises(httpx2.RemoteProtocolError):
        await _follow(served, said)
    assert "was erased during the export" in json.loads(said[-1])["detail"]
    erased = False
    with pytest.raises(StoreBusy, match="was erased during the export"):
        async with remanent.aconnect(served.url) as memory:
            [line async for line in memory.agent("ada", workspace="lab", org="acme").export()]


async def test_a_file_is_kept_and_given_back(served: Served) -> None:
    content = bytes(range(256)) * 10
    kept = await served.http.post(f"{AGENT}/attachments", params={"name": "all.bin"}, content=content, headers=FILE)
    reference = kept.json()
    assert (reference["name"], reference["size"]) == ("all.bin", len(content))
    given = await served.http.get(f"{AGENT}/attachments/{reference['digest']}")
    assert given.content == content
    assert (await served.http.get(f"{AGENT}/attachments/{'0' * 64}")).status_code == 404


@operation("never", zh="永不。", permission=Permission.WRITE, long=True, changes=False)
async def never(call: ServiceCall, request: Nothing) -> Done:
    """Wait for ever, after one step."""
    del request
    call.report(ProgressStep(done=1, total=2, note="half"))
    await asyncio.Event().wait()
    return Done()


async def test_long_work_is_followed_by_events_until_it_is_cancelled(start: Start) -> None:
    served = await start(catalogue=CATALOGUE.with_more([never]))
    begun = await served.http.post(f"{AGENT}/never", json={})
    assert begun.status_code == 202
    where = begun.headers["location"]
    seen = []
    async with served.http.stream("GET", f"{where}/events") as events:
        assert events.headers["content-type"].startswith("text/event-stream")
        async for line in events.aiter_lines():
            if not line.startswith("data: "):
                continue
            run = json.loads(line.removeprefix("data: "))
            seen.append(run["state"])
            if run["step"]["done"] == 1 and run["state"] == "running":
                assert (await served.http.delete(where)).json()["state"] == "cancelled"
    assert seen[-1] == "cancelled"
    assert (await served.http.get(where)).json()["state"] == "cancelled"
    listed = (await served.http.get(where.rpartition("/")[0])).json()["items"]
    assert [run["operation"] for run in listed] == ["never"]


async def test_long_work_that_ends_can_be_fetched(served: Served) -> None:
    await served.told("x")
    begun = await served.http.post(f"{AGENT}/settle", json={})
    async with served.http.stream("GET", begun.headers["location"] + "/events") as events:
        names = [line async for line in events.aiter_lines() if line.startswith("event: ")]
    assert names[-1] == "event: done"
    assert (await served.http.get(begun.headers["location"])).json()["response"] == {"done": True}


@pytest.mark.parametrize(
    ("method", "path", "sent", "status"),
    [
        ("POST", f"{AGENT}/recall", {"json": {"query": "x", "limit": "5"}}, 422),
        ("POST", f"{AGENT}/recall", {"json": {"query": "x", "unknown": 1}}, 422),
        ("POST", f"{AGENT}/recall", {"json": ["x"]}, 422),
        ("POST", f"{AGENT}/recall", {"json": {"query": "x"}, "params": {"limit": "1"}}, 422),
        ("POST", f"{AGENT}/recall", {"content": b"{", "headers": {"content-type": "application/json"}}, 400),
        ("POST", f"{AGENT}/recall", {"content": b'{"query":"x"}', "headers": {"content-type": "text/plain"}}, 415),
        (
            "POST",
            f"{AGENT}/recall",
            {"content": b'{"query":NaN}', "headers": {"content-type": "application/json"}},
            400,
        ),
        ("GET", f"{AGENT}/entries", {"params": {"limit": "0"}}, 422),
        ("GET", f"{AGENT}/entries", {"params": {"unknown": "0"}}, 422),
        ("GET", f"{AGENT}/entries?limit=1&limit=2", {}, 422),
        ("GET", f"{AGENT}/records/{'x' * 65}", {}, 422),
        ("GET", f"{AGENT}/records/none", {}, 404),
        ("POST", f"{AGENT}/records/none/forget", {"json": {"record_id": "none"}}, 422),
        ("GET", "/v1/orgs/acme/workspaces/lab/agents/..%2Fx/entries", {}, 404),
        ("GET", "/v1/orgs/acme/workspaces/lab/agents/a b!/entries", {}, 422),
        ("GET", "/nowhere", {}, 404),
        ("PUT", f"{AGENT}/recall", {}, 405),
        ("OPTIONS", f"{AGENT}/recall", {}, 405),
        ("OPTIONS", f"{AGENT}/recall", {"headers": {"origin": "http://evil.example"}}, 403),
        ("POST", f"{AGENT}/attachments", {"content": b"x", "headers": {"content-type": "image/png"}}, 415),
        ("POST", f"{AGENT}/import", {"content": b"{}", "headers": {"content-type": "application/json"}}, 415),
    ],
)
async def test_every_refusal_is_a_problem_with_its_status(
    served: Served, method: str, path: str, sent: dict[str, object], status: int
) -> None:
    answer = await served.http.request(method, path, **sent)  # type: ignore[arg-type]
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert {"type", "title", "detail", "instance"} <= set(body)
    assert not [name for name in answer.headers if name.startswith("access-control")]


async def test_a_word_in_an_address_is_not_taken_for_an_id(served: Served) -> None:
    rest = Rest(served.service, served.service.memory.settings.server, tracer=Tracer())
    routes = [route for route in rest.routes() if isinstance(route, Route)]
    for place, route in enumerate(routes):
        later = [other.path for other in routes[place + 1 :]]
        assert [path for path in later if route.path_regex.fullmatch(path) and "{" not in path[len(AGENT) :]] == []


async def test_a_path_is_compared_with_few_of_the_routes_however_it_is_written(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    matches = Route.matches

    def counted(route: Route, scope: MutableMapping[str, Any]) -> tuple[Match, MutableMapping[str, Any]]:
        compared.append(route.path)
        return matches(route, scope)

    monkeypatch.setattr(Route, "matches", counted)
    for path, status in ((f"{AGENT}/entries", 200), (f"{AGENT}/records/x/history", 404), ("/livez", 200)):
        compared.clear()
        assert (await served.http.get(path)).status_code == status
        assert len([one for one in compared if one.startswith("/v1/")]) <= 10
    assert (await served.http.get(f"{AGENT}/%65ntries")).status_code == 200
    assert (await served.http.get(f"{AGENT}/entries/")).status_code == 404


@pytest.mark.needs("cognition")
async def test_a_change_that_can_be_held_to_no_version_is_refused_with_one(served: Served) -> None:
    await served.told("I live in Lisbon.")
    (memory,) = (await served.http.get(f"{AGENT}/memories")).json()["items"]
    where = f"{AGENT}/memories/{memory['id']}"
    for path, body in (
        (f"{where}/forget", {}),
        (f"{where}/pin", {}),
        (f"{AGENT}/scratchpad", {"key": "a", "value": "b"}),
    ):
        answer = await served.http.post(path, json=body, headers={"if-match": '"1"', "accept-language": "zh"})
        assert (answer.status_code, answer.json()["detail"][:14]) == (422, "此处不支持 If-Match")
    assert (await served.http.get(where)).json()["version"] == memory["version"]
    assert (await served.http.post(f"{where}/forget", json={}, headers={"if-match": "*"})).status_code == 200
    assert (await served.http.get(f"{AGENT}/entries", headers={"if-match": '"1"'})).status_code == 200
