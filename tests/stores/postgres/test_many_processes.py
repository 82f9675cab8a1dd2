"""Several processes on one database: nothing stale after a write, no job done twice."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from remanent.memory import aopen
from remanent.model import Job
from remanent.stores.conformance.base import Samples
from remanent.stores.postgres import PostgresStore
from tests.chaos.support.counts import times

LEASE = timedelta(seconds=60)
WRITES = times(60, full=2500)
TURNS = times(10, full=2500)
"""Each is a write on one server between two recalls on the other."""


async def test_what_one_server_writes_the_other_recalls_at_once(database: Callable[[str], str], tmp_path: Path) -> None:
    url = database("two servers")
    async with (
        aopen(tmp_path / "one", store=url, embedder="none") as first,
        aopen(tmp_path / "two", store=url, embedder="none") as second,
    ):
        here, there = (memory.agent("ada", workspace="lab") for memory in (first, second))
        for number in range(TURNS):
            writer, reader = (here, there) if number % 2 else (there, here)
            question = f"heron{number}"
            assert not [item for item in (await reader.recall(question)).items if question in item.text]
            await writer.remember(f"The {question} flew over the lake.")
            assert question in (await reader.recall(question)).items[0].text
        await first.settle()
        await second.settle()


async def test_no_job_is_done_twice_by_workers_of_several_processes(database: Callable[[str], str]) -> None:
    url, samples = database("workers"), Samples()
    stores = [PostgresStore(url) for _ in range(2)]
    scopes = [samples.make_scope(f"agent{number}") for number in range(5)]
    async with asyncio.TaskGroup() as group:
        for number in range(WRITES):
            job = samples.make_job(scopes[number % 5], lane=f"lane{number % 3}")
            group.create_task(_enqueue(stores[number % 2], job))
    done: Counter[str] = Counter()

    async def work(store: PostgresStore, worker: str) -> None:
        while True:
            claims = await store.claim_any(worker=worker, limit=3, lease=LEASE)
            for job in claims.jobs:
                done[job.id] += 1
                async with store.transaction(job.scope) as tx:
                    tx.finish(job)
            if not claims.jobs and not claims.wake_at:
                return

    await asyncio.gather(*(work(store, f"w{number}") for number, store in enumerate(stores * 2)))
    assert len(done) == WRITES
    assert set(done.values()) == {1}
    for store in stores:
        await store.close()


async def _enqueue(store: PostgresStore, job: Job) -> None:
    async with store.transaction(job.scope) as tx:
        tx.enqueue(job, limit=10**6)
