"""Slow and silent clients: each has its time, and none keeps others out."""

import asyncio
import select
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import h11
import pytest

from remanent.server import connections, limits
from remanent.server.connections import Connections, TimedProtocol, is_excessive_head
from tests.server.rest.conftest import AGENT, Served, running

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
AGES = 3600.0
"""Seconds: a limit that no test waits for."""
SOON = 0.2
HEAD = f"POST {AGENT}/recall HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n"


@asynccontextmanager
async def connected(served: Served, sent: str = "") -> AsyncIterator[Streams]:
    """A connection over which something was sent."""
    host, port = served.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(sent.encode())
        await writer.drain()
        yield reader, writer
    finally:
        writer.close()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Return what came until the server closed the connection, however it did so."""
    received = b""
    try:
        while piece := await asyncio.wait_for(reader.read(65536), 60):
            received += piece
    except ConnectionResetError:
        pass
    return received


async def status(served: Served, path: str, headers: dict[str, str] | None = None) -> int:
    """Return how a new connection is answered."""
    async with connected(served) as (reader, writer):
        lines = [f"GET {path} HTTP/1.1", "host: localhost", "connection: close"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        answer = await ended(reader)
    return int(answer.split()[1]) if answer else 0


# ── time ─────────────────────────────────────────────────────────────────────


@pytest.mark.spec("SAFE-02")
@pytest.mark.parametrize("sent", ["", "G", "GET /livez HTTP/1.1\r\nhost: localhost\r\nx-half: "])
async def test_a_client_that_never_ends_its_headers_is_let_go(tmp_path: Path, sent: str) -> None:
    async with running(tmp_path, header_timeout=SOON) as served, connected(served, sent) as (reader, _):
        assert (b" 408 " in await ended(reader)) is bool(sent)


@pytest.mark.spec("SAFE-02")
async def test_headers_that_trickle_in_get_no_more_time_for_it(tmp_path: Path) -> None:
    async with running(tmp_path, header_timeout=SOON) as served, connected(served, "GET /") as (reader, writer):
        reading = asyncio.create_task(ended(reader))
        while not reading.done():
            writer.write(b"x")
            await asyncio.wait([reading], timeout=SOON / 10)
        assert b" 408 " in reading.result()


FLOOD = "a:b\r\n" * 10_000
"""Lines of headers that come with one read, and would take 30 ms of the event loop."""
GET = "GET /livez HTTP/1.1\r\nhost: localhost\r\n"


@pytest.mark.spec("SAFE-02")
@pytest.mark.parametrize(
    "sent",
    [
        f"{GET}{FLOOD}\r\n",
        f"{GET}x: {'x' * 40_000}\r\n\r\n",
        f"GET /{'x' * 40_000} HTTP/1.1\r\nhost: localhost\r\n\r\n",
        f"{GET}\r\n{GET}{FLOOD}\r\n",
    ],
    ids=["many", "long", "a long address", "of a second request"],
)
async def test_headers_beyond_measure_are_not_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: str
) -> None:
    parsed: list[int] = []
    next_event = h11.Connection.next_event

    def noting(connection: h11.Connection) -> Any:
        event = next_event(connection)
        if isinstance(event, h11.Request):
            parsed.append(len(event.headers))
        return event

    monkeypatch.setattr(h11.Connection, "next_event", noting)
    async with running(tmp_path) as served, connected(served, sent) as (reader, _):
        assert b" 431 " in await ended(reader)
        assert await status(served, "/livez", {f"x-{number}": "usual" for number in range(100)}) == 200
    assert all(many <= 110 for many in parsed), parsed


def test_a_large_body_is_no_large_header() -> None:
    head = f"{HEAD}\r\n".encode()
    assert not is_excessive_head(b"", head + b"\n" * 1_000_000)
    assert not is_excessive_head(head[:20], head[20:] + b"\n" * 1_000_000)
    assert not is_excessive_head(head.replace(b"\r", b"") + b"\n" * 1_000_000)
    assert is_excessive_head(head[:-2], b"a:b\n" * 1000)


@pytest.mark.spec("SAFE-02")
async def test_the_headers_of_a_second_request_have_the_same_time(tmp_path: Path) -> None:
    first = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n"
    async with running(tmp_path, header_timeout=SOON) as served, connected(served, first) as (reader, writer):
        assert (await reader.readuntil(b"ok\n")).startswith(b"HTTP/1.1 200")
        writer.write(b"GET /li")
        assert b" 408 " in await ended(reader)


@pytest.mark.spec("SAFE-02")
async def test_a_body_that_stops_half_way_is_given_up(tmp_path: Path) -> None:
    async with running(tmp_path, body_timeout=SOON) as served:
        async with connected(served, HEAD + '\r\n{"query": "half') as (reader, _):
            assert b" 408 " in await ended(reader)
        assert "remanent_requests_under_way 1\n" in (await served.http.get("/metrics")).text


@pytest.mark.spec("SAFE-02")
async def test_a_body_that_trickles_in_is_given_up(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"body_timeout": SOON, "min_speed": 1000}
    async with running(tmp_path, **limits) as served, connected(served, HEAD + "\r\n") as (reader, writer):
        reading = asyncio.create_task(ended(reader))
        while not reading.done():
            writer.write(b" ")
            await asyncio.wait([reading], timeout=SOON / 10)
        assert b" 408 " in reading.result()


async def test_a_large_body_that_keeps_coming_takes_as_long_as_it_takes(tmp_path: Path) -> None:
    head = HEAD.replace("1000", "2500000") + "\r\n"
    slow: dict[str, Any] = {"body_timeout": 1.0, "min_speed": 1}
    async with running(tmp_path, **slow) as served, connected(served, head) as (reader, writer):
        reading = asyncio.create_task(reader.readuntil(b"\r\n"))
        for _ in range(25):  # more than one stretch of time
            writer.write(b" " * 100_000)
            await asyncio.wait([reading], timeout=0.05)
        assert b" 400 " in await asyncio.wait_for(reading, 60)  # all of it was read, and it is no JSON


@pytest.mark.spec("SAFE-02")
async def test_what_is_refused_before_its_body_came_is_not_read_for_ever(tmp_path: Path) -> None:
    async with running(tmp_path, body_timeout=SOON, max_body=2000, min_speed=1) as served:
        head = HEAD.replace("1000", "1000000") + "\r\n"
        async with connected(served, head) as (reader, writer):
            reading = asyncio.create_task(ended(reader))
            while not reading.done():
                writer.write(b" " * 100)
                await asyncio.wait([reading], timeout=SOON / 10)
            assert b" 413 " in reading.result()


@pytest.mark.spec("SAFE-02")
async def test_what_follows_a_large_body_that_was_refused_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits of time would let it go on for long: the answer itself ends the connection."""
    received = 0
    parse = h11.Connection.receive_data

    def counted(self: h11.Connection, data: bytes) -> None:
        nonlocal received
        received += len(data)
        parse(self, data)

    monkeypatch.setattr(h11.Connection, "receive_data", counted)
    limits: dict[str, Any] = {"body_timeout": AGES, "idle_timeout": int(AGES), "max_body": 2000}
    head = HEAD.replace("1000", "10000000") + "\r\n"
    async with running(tmp_path, **limits) as served, connected(served, head) as (reader, writer):
        writer.write(b" " * 100_000)
        assert b" 413 " in await reader.readuntil(b"\r\n")
        writer.write(b" " * 1_000_000)
        assert (await ended(reader)).endswith(b"}")
    assert received < 300_000


@pytest.mark.spec("SAFE-02")
async def test_a_small_body_that_was_refused_leaves_its_connection_open(tmp_path: Path) -> None:
    head = HEAD.replace("1000", "3000") + "\r\n"
    async with running(tmp_path, max_body=2000) as served, connected(served, head) as (reader, writer):
        assert b" 413 " in await reader.readuntil(b"\r\n")
        writer.write(b" " * 3000 + b"GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        assert b" 200 OK\r\n" in await ended(reader)


@pytest.mark.spec("SAFE-02")
async def test_whoever_is_refused_again_and_again_waits_for_it_and_makes_room_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "REFUSALS_PER_SECOND", 1 / AGES)
    monkeypatch.setattr(limits, "LONGEST_PAUSE", AGES * AGES)
    async with running(tmp_path, rate=1e-6, burst=1, max_connections=1) as served, AsyncExitStack() as stack:
        asked = f"GET {AGENT}/entries HTTP/1.1\r\nhost: localhost\r\n\r\n"
        reader, writer = await stack.enter_async_context(connected(served))
        for expected in [b" 200 ", *[b" 429 "] * limits.REFUSALS_AT_ONCE]:
            writer.write(asked.encode())
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            assert expected in head
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split()[0]))
        writer.write(2 * asked.encode())  # the second of them is there to be read, and yet holds nothing
        waiting = asyncio.create_task(ended(reader))
        while not waiting.done():
            assert await status(served, "/livez") == 200
        assert waiting.result() == b""  # dropped for a newcomer, unanswered


@pytest.mark.spec("SAFE-02")
def test_the_first_refusals_go_at_once_and_further_ones_at_a_steady_pace() -> None:
    now = [100.0]
    pace = limits.Pace(timer=lambda: now[0])
    step = 1 / limits.REFUSALS_PER_SECOND
    at_once = [pace.pause("a") for _ in range(limits.REFUSALS_AT_ONCE)]
    assert at_once == pytest.approx([0.0] * limits.REFUSALS_AT_ONCE)
    assert [pace.pause("a") for _ in range(3)] == pytest.approx([step, 2 * step, 3 * step])
    assert pace.pause("b") == 0.0
    assert max(pace.pause("a") for _ in range(10_000)) <= limits.LONGEST_PAUSE
    now[0] += limits.LONGEST_PAUSE
    assert pace.pause("a") == 0.0


@pytest.mark.spec("SAFE-02")
async def test_a_client_that_stops_reading_is_disconnected(tmp_path: Path) -> None:
    async with running(tmp_path, read_timeout=SOON) as served:
        # More than the buffers of two sockets take.
        plain = {"content-type": "application/octet-stream"}
        kept = await served.http.post(f"{AGENT}/attachments", content=b"x" * 24_000_000, headers=plain)
        digest = kept.json()["digest"]
        host, port = served.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as client:
            request = f"GET {AGENT}/attachments/{digest} HTTP/1.1\r\nhost: localhost\r\n\r\n"
            await asyncio.get_running_loop().run_in_executor(None, client.sendall, request.encode())
            watching = select.poll()
            watching.register(client, 0)
            assert await asyncio.to_thread(watching.poll, 60_000), "the server waits for ever"
            client.settimeout(10)
            received = 0
            try:
                while piece := client.recv(1 << 20):
                    received += len(piece)
            except ConnectionResetError:
                pass
            assert received < 24_000_000


@pytest.mark.spec("SAFE-02")
async def test_an_idle_connection_is_closed(tmp_path: Path) -> None:
    asked = "GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n"
    async with running(tmp_path, idle_timeout=1) as served, connected(served, asked) as (reader, _):
        assert (await ended(reader)).endswith(b"ok\n")


# ── number ───────────────────────────────────────────────────────────────────


@pytest.mark.spec("SAFE-02")
async def test_half_headers_make_room_for_whole_requests(tmp_path: Path) -> None:
    limits: dict[str, Any] = {"header_timeout": AGES, "max_connections": 20}
    async with running(tmp_path, **limits) as served, AsyncExitStack() as stack:
        hanging = [await stack.enter_async_context(connected(served, "GET /li")) for _ in range(60)]
        assert [await status(served, "/livez") for _ in range(5)] == [200] * 5
        assert await status(served, f"{AGENT}/entries") == 200
        for reader, _ in hanging[:30]:  # the oldest went first
            assert await ended(reader) == b""


@pytest.mark.spec("SAFE-02")
async def test_a_server_counts_the_connections_of_one_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As those of a client on another machine, which no test has: loopback is held to no count of its own."""
    monkeypatch.setattr(connections, "is_loopback", lambda _: False)
    limits: dict[str, Any] = {"header_timeout": AGES, "max_connections_per_address": 3}
    async with running(tmp_path, **limits) as served, AsyncExitStack() as stack:
        hanging = [await stack.enter_async_context(connected(served, "GET /li")) for _ in range(5)]
        for reader, _ in hanging[:2]:  # the oldest made room
            assert await ended(reader) == b""
        assert await status(served, "/livez") == 200


@pytest.mark.spec("SAFE-02")
async def test_a_reserve_answers_health_checks_and_administrators(tmp_path: Path) -> None:
    """While every ordinary place is held by a request whose body does not come."""
    async with running(tmp_path, body_timeout=AGES, max_requests=4) as served, AsyncExitStack() as stack:
        admin, reader_of = await served.key("admin"), await served.key("read")
        keys = [await served.key("read", org=org) for org in ("a", "b")]
        for key, org in zip(keys * 2, "abab", strict=True):
            head = HEAD.replace("/acme/", f"/{org}/") + f"authorization: {key['authorization']}\r\n\r\n{{"
            await stack.enter_async_context(connected(served, head))
        figures = await served.key("metrics", everywhere=True)
        while (
            "remanent_requests_under_way 5\n" not in (told := await served.http.get("/metrics", headers=figures)).text
        ):
            assert told.status_code == 200
        assert await status(served, "/livez") == 200
        assert await status(served, "/readyz") in {200, 503}
        assert (await served.until_ready()).status_code == 200
        assert await status(served, f"{AGENT}/entries", reader_of) == 503
        assert await status(served, f"{AGENT}/entries", admin) == 200


@pytest.mark.spec("SAFE-02")
async def test_one_organisation_holds_at_most_half_of_the_places(tmp_path: Path) -> None:
    async with running(tmp_path, body_timeout=AGES, max_requests=4) as served, AsyncExitStack() as stack:
        greedy, other = await served.key("read", org="a"), await served.key("read")
        head = HEAD.replace("/acme/", "/a/") + f"authorization: {greedy['authorization']}\r\n\r\n{{"
        answers = []
        for _ in range(3):
            reader, _ = await stack.enter_async_context(connected(served, head))
            answers.append(asyncio.create_task(reader.readuntil(b"\r\n")))
        done, _ = await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED, timeout=60)
        assert [b" 429 " in one.result() for one in done] == [True]
        assert await status(served, f"{AGENT}/entries", other) == 200


class Peer:
    """Stands in for a connection where only the counting is looked at."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.is_counted = self.is_reserve = self.is_dropped = self.is_unread = False

    def has_unread(self) -> bool:
        return self.is_unread

    def drop(self) -> None:
        self.is_dropped = True


def admitted(known: Connections, address: str, *, has_asked: bool = False, is_waiting: bool = True) -> Any:
    """Return a peer that was let in, or None."""
    peer = Peer(address)
    if not known.admit(cast(TimedProtocol, peer)):
        return None
    known.note(cast(TimedProtocol, peer), has_asked=has_asked, is_waiting=is_waiting)
    return peer


@pytest.mark.spec("SAFE-02")
def test_one_address_holds_so_many_connections_and_its_own_make_room_first() -> None:
    known = Connections(most=10, per_address=3)
    busy = [admitted(known, "192.0.2.1", is_waiting=False) for _ in range(2)]
    waiting = admitted(known, "192.0.2.1")
    assert admitted(known, "192.0.2.1", is_waiting=False) is not None
    assert waiting.is_dropped
    assert admitted(known, "192.0.2.1") is None
    assert not any(one.is_dropped or one.is_reserve for one in busy)
    known.forget(busy[0])
    assert admitted(known, "192.0.2.1") is not None


def test_a_reverse_proxy_on_the_same_machine_may_hold_them_all() -> None:
    known = Connections(most=10, per_address=3)
    assert all(admitted(known, "127.0.0.1", is_waiting=False) for _ in range(10))


@pytest.mark.spec("SAFE-02")
def test_those_go_first_that_never_asked_and_of_whom_there_are_most() -> None:
    known = Connections(most=5, per_address=5)
    answered = admitted(known, "192.0.2.9", has_asked=True)
    single = admitted(known, "192.0.2.2")
    many = [admitted(known, "192.0.2.1") for _ in range(3)]
    for _ in range(2):
        assert admitted(known, "192.0.2.3", is_waiting=False) is not None
    assert [one.is_dropped for one in (*many, single, answered)] == [True, True, False, False, False]


@pytest.mark.spec("SAFE-02")
def test_whose_request_is_here_and_not_read_yet_is_not_dropped() -> None:
    known = Connections(most=3, per_address=9)
    answered = admitted(known, "192.0.2.9", has_asked=True)
    first, second = (admitted(known, "192.0.2.1") for _ in range(2))
    answered.is_unread = first.is_unread = True
    assert admitted(known, "192.0.2.3", is_waiting=False) is not None
    assert [one.is_dropped for one in (answered, first, second)] == [False, False, True]
    assert admitted(known, "192.0.2.3", is_waiting=False).is_reserve


@pytest.mark.spec("SAFE-02")
def test_when_all_are_at_work_newcomers_get_the_reserve_and_then_nothing() -> None:
    known = Connections(most=2, per_address=9, reserve=1)
    ordinary = [admitted(known, "192.0.2.1", is_waiting=False) for _ in range(2)]
    reserve = admitted(known, "192.0.2.1", is_waiting=False)
    assert [one.is_reserve for one in (*ordinary, reserve)] == [False, False, True]
    assert admitted(known, "192.0.2.1") is None
