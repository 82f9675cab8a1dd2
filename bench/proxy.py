"""What the proxy adds to a chat beyond recall itself: a real server, a model that answers at once, one client."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from bench.corpus import Corpus
from bench.figures import Figure, Report, at_most
from remanent.http.client import make_client
from remanent.memory import aopen
from remanent.recall.evaluation import percentile

CHATS = 200
MEMORIES = 5000
_WARM = 10
_ANSWER = "Somewhere in Lisbon, I believe."


def run_proxy_bench(home: Path, *, report: Report = lambda _: None) -> list[Figure]:
    """Measure in a fresh folder: chats straight to the model and through the proxy, whole and streamed."""
    report(f"remember {MEMORIES} messages")
    asyncio.run(_fill(home))
    return asyncio.run(_measure(home, report))


async def _fill(home: Path) -> None:
    async with aopen(home, embedder="none") as memory:
        texts = list(Corpus().texts(MEMORIES))
        for start in range(0, len(texts), 500):
            await memory.agent("default").remember(texts[start : start + 500])
        await memory.settle()


async def _measure(home: Path, report: Report) -> list[Figure]:
    figures: list[Figure] = []
    async with _model() as model:
        with _server(home, model) as address:
            for is_stream in (False, True):
                name = "streamed" if is_stream else "whole"
                report(f"{CHATS} chats, {name}, straight and through the proxy")
                waits = await _chats(model, f"{address}/v1", is_stream=is_stream)
                figures += [
                    Figure(f"chat straight to the model, {name}, p50", _ms(waits["direct"], 0.5), "ms"),
                    Figure(f"chat through the proxy, {name}, p50", _ms(waits["through"], 0.5), "ms"),
                    Figure(f"recall inside of it, {name}, p50", _ms(waits["recall"], 0.5), "ms"),
                    Figure(f"added beyond recall, {name}, p50", _ms(waits["added"], 0.5), "ms"),
                    at_most(f"added beyond recall, {name}, p95", _ms(waits["added"], 0.95), "ms", 50),
                ]
    return figures


def _ms(waits: list[float], share: float) -> float:
    return round(1000 * percentile(waits, share), 2)


async def _chats(model: str, proxy: str, *, is_stream: bool) -> dict[str, list[float]]:
    """Ask both in turn, so that what else the machine does falls on both alike."""
    client = make_client(read_timeout=60, connect_timeout=10, limit=2**24)
    waits: dict[str, list[float]] = {"direct": [], "through": [], "recall": [], "added": []}
    questions = list(Corpus().questions(CHATS + _WARM))

    async def ask(base: str, number: int) -> tuple[float, float]:
        message = {"role": "user", "content": f"{questions[number]} (chat {number}, stream {is_stream})"}
        body = {"model": "instant", "stream": is_stream, "messages": [message]}
        begin = time.perf_counter()
        answer = await client.post(f"{base}/chat/completions", json=body)
        seconds = time.perf_counter() - begin
        answer.raise_for_status()
        timing = answer.headers.get("server-timing", "")
        return seconds, float(timing.partition("dur=")[2] or 0) / 1000

    try:
        for number in range(CHATS + _WARM):
            direct, _ = await ask(model, number)
            through, recall = await ask(proxy, number)
            if number >= _WARM:
                waits["direct"].append(direct)
                waits["through"].append(through)
                waits["recall"].append(recall)
                waits["added"].append(max(0.0, through - recall - direct))
    finally:
        await client.aclose()
    return waits


@contextmanager
def _server(home: Path, model: str) -> Iterator[str]:
    """Run a server of its own process, as users have it."""
    variables = {"REMANENT_PROXY__BASE_URL": model, "REMANENT_EMBEDDER": "none", "REMANENT_LANGUAGE": "en"}
    command = [sys.executable, "-m", "remanent", "serve", "--home", str(home), "--port", "0", "--json"]
    with subprocess.Popen(
        command, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            assert process.stdout is not None
            yield _address(os.read(process.stdout.fileno(), 65_536))
        finally:
            process.terminate()


def _address(said: bytes) -> str:
    address: str = json.loads(said)["url"]
    return address


@asynccontextmanager
async def _model() -> AsyncIterator[str]:
    """Be a model that answers at once, over real HTTP."""
    server = await asyncio.start_server(_talk, "127.0.0.1", 0, limit=2**22)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length:")[2].partition("\r\n")[0])
            asked = json.loads(await reader.readexactly(length))
            kind, body = _answer(is_stream=bool(asked.get("stream")))
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode())
            writer.write(body)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
        writer.close()  # a handler that ends cancelled would be told of as a fault


def _answer(*, is_stream: bool) -> tuple[str, bytes]:
    if not is_stream:
        choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": _ANSWER}}
        return "application/json", json.dumps({"choices": [{**choice, "finish_reason": "stop"}]}).encode()
    pieces = [{"index": 0, "delta": {"content": f"{word} "}, "finish_reason": None} for word in _ANSWER.split()]
    events = [json.dumps({"choices": [piece]}) for piece in pieces] + ["[DONE]"]
    return "text/event-stream", "".join(f"data: {event}\n\n" for event in events).encode()
