"""How a server bears load: recalls of a few and of very many clients at once, over real HTTP on loopback."""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bench.corpus import Corpus
from bench.figures import Figure, Report, at_most
from bench.store import fill
from remanent.recall.evaluation import percentile

FEW, MANY = 10, 1000
EACH_OF_FEW = 20
WARMING = 50
_PATH = "/v1/orgs/bench/workspaces/bench/agents/bench/recall"
_WELL, _SERVER_FAULT = 200, 500


@dataclass(slots=True)
class _Outcome:
    """What clients saw."""

    waits: list[float] = field(default_factory=list)
    refused: int = 0
    faults: int = 0
    lacking: int = 0
    """Answers that say of a path that it was left out."""


def run_server_bench(home: Path, *, size: int = 100_000, report: Report = lambda _: None) -> list[Figure]:
    """Fill an agent, serve it from a process of its own, and ask it by words from many clients at once.

    Every question is asked once only, so that no kept answer helps.
    """
    report(f"load {size} records")
    asyncio.run(fill(home, size))
    with serving(home) as (url, process):
        return asyncio.run(_measure(url, process, size, report))


@contextmanager
def serving(home: Path) -> Iterator[tuple[str, int]]:
    """Serve a home from a process of its own; yield its address and its process."""
    environment = {**os.environ, "REMANENT_EMBEDDER": "none", "REMANENT_SERVER__RATE": "0"}
    command = [sys.executable, "-m", "remanent", "serve", "--port", "0", "--json", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as server:
        try:
            assert server.stdout is not None
            yield str(json.loads(server.stdout.readline())["url"]), server.pid
        finally:
            server.terminate()


async def _measure(url: str, process: int, size: int, report: Report) -> list[Figure]:
    texts = Corpus().questions(WARMING + FEW * EACH_OF_FEW + MANY)
    questions = [" ".join(text.split()[:4]) for text in texts]
    await _ask(url, questions[:WARMING], clients=FEW)
    report(f"{FEW} clients")
    few = await _ask(url, questions[WARMING:-MANY], clients=FEW)
    report(f"{MANY} clients")
    begin, spent = time.perf_counter(), _cpu_seconds(process)
    many = await _ask(url, questions[-MANY:], clients=MANY)
    lasted, spent = time.perf_counter() - begin, _cpu_seconds(process) - spent
    name = f"recall by words among {size:,}"
    return [
        at_most(f"{name}, {FEW} clients at once, p95", 1000 * percentile(few.waits, 0.95), "ms", 100),
        at_most(f"{name}, {MANY} clients at once, p99", percentile(many.waits, 0.99), "s", 5),
        at_most(f"{name}, answers of status 5xx", float(few.faults + many.faults), "", 0),
        at_most(f"{name}, refused or failed requests", float(few.refused + many.refused), "", 0),
        at_most(f"{name}, answers that lack a path", float(few.lacking + many.lacking), "", 0),
        Figure(f"{name}, {MANY} clients at once, throughput", round(MANY / lasted, 1), "recalls/s"),
        Figure(f"{name}, {MANY} clients at once, processor time of the server", round(1000 * spent / MANY, 2), "ms"),
    ]


async def _ask(url: str, questions: Sequence[str], *, clients: int) -> _Outcome:
    """Ask all questions from so many clients, each with a connection of its own and one question at a time."""
    waiting, outcome = list(questions), _Outcome()

    async def client() -> None:
        async with asyncio.timeout(120):
            await _converse(url, waiting, outcome)

    await asyncio.gather(*(client() for _ in range(clients)))
    return outcome


async def _converse(url: str, waiting: list[str], outcome: _Outcome) -> None:
    """Ask one question after the other, as long as any wait, in as few steps as HTTP allows.

    A client library would take more of the machine's time than the server that is to be measured.
    """
    host = urlsplit(url)
    reader, writer = await asyncio.open_connection(host.hostname, host.port, limit=2**20)
    while waiting:
        body = json.dumps({"query": waiting.pop()}).encode()
        head = f"POST {_PATH} HTTP/1.1\r\nHost: {host.netloc}\r\nContent-Type: application/json\r\n"
        begin = time.perf_counter()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        status, answer = await _answer(reader)
        outcome.waits.append(time.perf_counter() - begin)
        outcome.faults += status >= _SERVER_FAULT
        outcome.refused += _WELL != status < _SERVER_FAULT
        outcome.lacking += status == _WELL and b'"left_out":[]' not in answer
    writer.close()
    await writer.wait_closed()


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    lines = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
    lengths = [int(line.partition(b":")[2]) for line in lines if line.startswith(b"content-length:")]
    return int(lines[0].split()[1]), await reader.readexactly(lengths[0])


def _cpu_seconds(process: int) -> float:
    """Return the processor time that a process has taken; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
