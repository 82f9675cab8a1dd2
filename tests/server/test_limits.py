"""What one organisation may have of a server while others want it, too."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.types import Message

from remanent.discipline.operation import operation
from remanent.discipline.shapes import Done, Nothing
from remanent.operations import Permission
from remanent.operations.call import ServiceCall
from remanent.operations.service import CATALOGUE
from remanent.server import limits, rest
from remanent.server.limits import (
    LARGE_BODY_BYTES,
    MAX_LARGE_BODIES_PER_ORG,
    MIN_THREADED_BYTES,
    OrgCapacity,
    RateLimit,
    body_cost,
    count_separators,
)
from remanent.settings import ServerSettings
from tests.server.rest.conftest import AGENT, running


@contextmanager
def threads_of(monkeypatch: pytest.MonkeyPatch, module: object, name: str) -> Iterator[list[bool]]:
    """Note for each call of a function whether it was done on the main thread."""
    real, noted = getattr(module, name), list[bool]()

    def noting(*args: object, **more: object) -> object:
        noted.append(threading.current_thread() is threading.main_thread())
        return real(*args, **more)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, noting)
        yield noted


@pytest.mark.spec("SAFE-02")
async def test_large_bodies_are_parsed_and_checked_off_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path) as served:
        for size, is_on_loop in ((100, True), (MIN_THREADED_BYTES, False)):
            with (
                threads_of(monkeypatch, limits, "from_json") as parsed,
                threads_of(monkeypatch, limits, "check_shape") as shaped,
                threads_of(monkeypatch, rest, "_check_types") as typed,
            ):
                answer = await served.http.post(f"{AGENT}/entries", json={"messages": ["x" * size]})
                assert answer.status_code == 200
            assert [parsed, shaped, typed] == [[is_on_loop]] * 3


@pytest.mark.spec("SAFE-02")
async def test_large_bodies_of_one_organisation_do_not_go_before_those_of_others(tmp_path: Path) -> None:
    capacity, done = OrgCapacity(ServerSettings()), list[str]()
    begun, go_on = threading.Event(), threading.Event()

    def first() -> None:
        begun.set()
        assert go_on.wait(60)

    async def read(org: str, number: int) -> None:
        await capacity.parse(org, size=MIN_THREADED_BYTES, work=lambda: done.append(f"{org}{number}"))

    busy = asyncio.create_task(capacity.parse("a", size=MIN_THREADED_BYTES, work=first))
    await asyncio.to_thread(begun.wait, 60)
    waiting = [asyncio.create_task(read("a", number)) for number in range(20)]
    await asyncio.sleep(0)
    waiting.append(asyncio.create_task(read("b", 0)))
    await asyncio.sleep(0)
    go_on.set()
    await asyncio.gather(busy, *waiting)
    assert done.index("b0") <= 1


@pytest.mark.spec("SAFE-02")
async def test_a_body_of_a_great_many_values_is_refused_before_it_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(tmp_path, max_values=1000) as served:
        with threads_of(monkeypatch, limits, "from_json") as parsed:
            answer = await served.http.post(
                f"{AGENT}/recall",
                content=b'{"query": [' + b"1," * 50_000 + b"1]}",
                headers={"content-type": "application/json"},
            )
    assert (answer.status_code, "values" in answer.json()["detail"], parsed) == (422, True, [])


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 64])
def test_commas_in_strings_separate_nothing(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_PIECE", piece)
    values = ["a,b", 'say "x, y", then', "\\", "\\,", '\\"', ["é,", {"k,\\": 1, "l": [2, 3]}], "", '\\\\\\"']
    assert count_separators(json.dumps(values).encode(), most=100) == len(values) - 1 + 1 + 1 + 1
    assert count_separators(json.dumps(values, ensure_ascii=False).encode(), most=100) == 10
    assert count_separators(b"[" + b"1," * 1000, most=7) >= 7


@pytest.mark.spec("SAFE-02")
async def test_bytes_and_values_count_against_the_rate(tmp_path: Path) -> None:
    for body in ({"query": "x" * 100_000}, {"query": "x", "tags": ["t"] * 2000}):
        async with running(tmp_path / str(len(body)), rate=0.001, burst=10) as served:
            await served.http.post(f"{AGENT}/recall", json=body)
            refused = await served.http.get(f"{AGENT}/entries")
            assert (refused.status_code, int(refused.headers["retry-after"]) > 1000) == (429, True)
        async with running(tmp_path / f"{len(body)} small", rate=0.001, burst=10) as served:
            for _ in range(10):
                small = await served.http.post(f"{AGENT}/recall", json={"query": "x" * 1000})
                assert small.status_code == 200


@pytest.mark.spec("SAFE-02")
async def test_what_is_refused_unread_costs_no_more_than_a_request(tmp_path: Path) -> None:
    async with running(tmp_path, rate=0.001, burst=10, max_body=2_000_000) as served:
        refused = await served.http.post(f"{AGENT}/recall", json={"query": "x" * 3_000_000})
        assert refused.status_code == 413
        assert (await served.http.get(f"{AGENT}/entries")).status_code != 429


def test_nobody_owes_more_than_a_full_bucket() -> None:
    now = [0.0]
    limit = RateLimit(2.0, 10, timer=lambda: now[0])
    limit.take("a")
    limit.charge("a", cost=body_cost(10**12))
    now[0] += 5.6
    limit.take("a")


@pytest.mark.spec("SAFE-02")
async def test_work_of_an_organisation_waits_for_its_own_and_not_for_others(tmp_path: Path) -> None:
    async with running(tmp_path, org_concurrency=1, rate=0) as served:
        capacity = OrgCapacity.of(served.service)
        here = f"{AGENT}/entries"
        await served.http.get(here.replace("acme", "quiet"))
        async with capacity.work_slot("greedy"):
            waiting = asyncio.create_task(served.http.get(here.replace("acme", "greedy")))
            others = [await served.http.get(here.replace("acme", org)) for org in ("quiet", "acme")]
            assert [answer.status_code for answer in others] == [200, 200]
            assert not waiting.done()
        assert (await waiting).status_code == 200


@pytest.mark.spec("SAFE-02")
async def test_large_bodies_of_one_organisation_leave_room_for_those_of_others() -> None:
    capacity = OrgCapacity(ServerSettings())
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(body(capacity, "quiet", sent(LARGE_BODY_BYTES)))
        taken = [
            asyncio.create_task(stack.enter_async_context(body(capacity, "greedy", sent(LARGE_BODY_BYTES))))
            for _ in range(50)
        ]
        await asyncio.wait(taken, return_when=asyncio.FIRST_COMPLETED)
        await stack.enter_async_context(body(capacity, "greedy", sent(LARGE_BODY_BYTES - 1)))
        await stack.enter_async_context(body(capacity, "other", sent(LARGE_BODY_BYTES)))
        assert sum(task.done() for task in taken) == MAX_LARGE_BODIES_PER_ORG
        for task in taken:
            task.cancel()
        await asyncio.gather(*taken, return_exceptions=True)


def body(capacity: OrgCapacity, org: str, request: Request) -> AbstractAsyncContextManager[bytes]:
    return capacity.body(org, request, limit=2 * LARGE_BODY_BYTES, charge=lambda _: None)


def sent(size: int) -> Request:
    """Return a request whose body is here at once; only what it says of its size counts."""

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"content-length", str(size).encode())]
    return Request({"type": "http", "method": "POST", "headers": headers}, receive)


@operation("never", zh="永不。", permission=Permission.READ, long=True)
async def never(call: ServiceCall, request: Nothing) -> Done:
    """Wait for ever."""
    del call, request
    await asyncio.Event().wait()
    return Done()


@pytest.mark.spec("SAFE-02")
async def test_streams_about_long_work_end_some_time_and_count_as_requests(tmp_path: Path) -> None:
    able = CATALOGUE.with_more([never])
    async with running(tmp_path, catalogue=able, stream_timeout=0.2, max_requests=2) as served:
        begun = await served.http.post(f"{AGENT}/never", json={})
        where = begun.headers["location"]
        told = await served.http.get(f"{where}/events")
        assert (told.status_code, told.text.count("event: progress")) == (200, 1)
        assert (await served.http.get(where)).json()["state"] == "running"
        with OrgCapacity.of(served.service).request_slot("acme"):
            assert (await served.http.get(f"{where}/events")).status_code == 429
        assert (await served.http.get(f"{where}/events")).status_code == 200
