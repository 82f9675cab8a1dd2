"""The index over the real store: other handles, reopening, erasure down to the bytes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.model import Record, Scope
from remanent.stores.conformance.base import Samples
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.queries import Erasure, RecordFilter
from remanent.stores.sqlite import SqliteStore
from remanent.stores.transaction import PutRecord, PutVector
from tests.stores.local.world import Matrix, random_vectors, rows_on_disk, unit_bytes

MODEL = "eight"
COUNT = 240


class Process:
    """A store and an index of its own, as another process has them."""

    def __init__(self, home: Path) -> None:
        self.store = SqliteStore(home)
        self.vectors = LocalVectors(self.store)

    async def nearest(self, scope: Scope, values: Matrix, *, limit: int = 1) -> list[str]:
        hits = await self.vectors.search(scope, values, model=MODEL, record_filter=RecordFilter(), limit=limit)
        return [hit.record_id for hit in hits]

    async def close(self) -> None:
        await self.vectors.close()
        await self.store.close()


@pytest.fixture
def samples() -> Samples:
    return Samples()


@pytest.fixture
def scope(samples: Samples) -> Scope:
    return samples.make_scope()


@pytest.fixture
async def processes(quick_folder: Path) -> AsyncIterator[list[Process]]:
    processes = [Process(quick_folder), Process(quick_folder)]
    yield processes
    for process in processes:
        await process.close()


async def keep(process: Process, samples: Samples, scope: Scope, *, seed: int = 0) -> dict[str, Matrix]:
    """Keep records with vectors, and return these by id."""
    kept: dict[str, Matrix] = {}
    changes: list[PutRecord | PutVector] = []
    for values in random_vectors(COUNT, seed=seed).values():
        record: Record = samples.make_record(scope)
        kept[record.id] = values
        changes += [PutRecord(record, "word"), PutVector(record.id, MODEL, values.tobytes())]
    await process.store.commit(scope, changes)
    return kept


async def test_what_one_process_writes_another_finds_at_once(
    processes: list[Process], samples: Samples, scope: Scope
) -> None:
    kept: dict[str, Matrix] = {}
    for seed in range(4):
        fresh = await keep(processes[seed % 2], samples, scope, seed=seed)
        kept |= fresh
        for process in processes:
            for record_id in list(fresh)[:5]:
                assert await process.nearest(scope, kept[record_id]) == [record_id]
    for process in processes:
        for record_id in list(kept)[::20]:
            assert await process.nearest(scope, kept[record_id]) == [record_id]


@pytest.mark.parametrize("opened", [True, False])
async def test_erased_vectors_leave_no_byte_in_the_folder(
    processes: list[Process], samples: Samples, scope: Scope, quick_folder: Path, opened: bool
) -> None:
    one, other = processes
    kept = await keep(one, samples, scope)
    gone, *rest = kept
    await one.nearest(scope, kept[gone])
    eraser = one if opened else other
    assert unit_bytes(kept[gone]) in rows_on_disk(quick_folder)
    erased = await eraser.store.erase(scope, Erasure(record_ids=(gone,)))
    await eraser.vectors.erased(scope, erased.record_ids)
    assert unit_bytes(kept[gone]) not in rows_on_disk(quick_folder)
    assert unit_bytes(kept[rest[0]]) in rows_on_disk(quick_folder)
    for process in processes:
        assert gone not in await process.nearest(scope, kept[gone], limit=COUNT)
    assert unit_bytes(kept[gone]) not in rows_on_disk(quick_folder)


async def test_an_agent_erased_as_a_whole_leaves_no_vector(
    processes: list[Process], samples: Samples, scope: Scope, quick_folder: Path
) -> None:
    one, other = processes
    kept = await keep(one, samples, scope)
    question = next(iter(kept.values()))
    for process in processes:
        await process.nearest(scope, question)
    erased = await one.store.erase(scope, Erasure(everything=True))
    await one.vectors.erased(scope, erased.record_ids)
    on_disk = rows_on_disk(quick_folder)
    assert not any(unit_bytes(values) in on_disk for values in kept.values())
    for process in processes:
        assert await process.nearest(scope, question) == []
    again = await keep(other, samples, scope, seed=9)
    for process in processes:
        assert await process.nearest(scope, again[next(iter(again))]) == [next(iter(again))]
