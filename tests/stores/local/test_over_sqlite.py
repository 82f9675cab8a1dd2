"""The index over the real store: other handles, reopening, erasure down to the bytes."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from remanent.model import Record, Scope
from remanent.stores.conformance.base import Samples
from remanent.stores.local import LocalVectors, files
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
        self.vectors = LocalVectors(self.store, self.store.layout.folder, exact_limit=50)

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
        await process.vectors.settle()
        for record_id in list(kept)[::20]:
            assert await process.nearest(scope, kept[record_id]) == [record_id]


async def test_an_index_opened_from_its_file_agrees_with_one_loaded_from_the_store(
    processes: list[Process], samples: Samples, scope: Scope, quick_folder: Path
) -> None:
    kept = await keep(processes[0], samples, scope)
    question = np.ones(8, dtype=np.float32)
    await processes[0].nearest(scope, question)
    await processes[0].vectors.settle()
    [path] = files.index_files(processes[0].store.layout.folder(scope))
    from_file = await processes[1].nearest(scope, question, limit=COUNT)
    assert processes[1].vectors._slots[scope, MODEL].index._cells is not None
    files.remove(path)
    fresh = Process(quick_folder)
    assert await fresh.nearest(scope, question, limit=COUNT) == from_file
    assert set(from_file) == set(kept)
    await fresh.close()


@pytest.mark.parametrize("opened", [True, False])
async def test_erased_vectors_leave_no_byte_in_the_folder(
    processes: list[Process], samples: Samples, scope: Scope, quick_folder: Path, opened: bool
) -> None:
    one, other = processes
    kept = await keep(one, samples, scope)
    gone, *rest = kept
    await one.nearest(scope, kept[gone])
    await one.vectors.settle()
    eraser = one if opened else other
    assert unit_bytes(kept[gone]) in rows_on_disk(quick_folder)
    erased = await eraser.store.erase(scope, Erasure(record_ids=(gone,)))
    await eraser.vectors.erased(scope, erased.record_ids)
    assert unit_bytes(kept[gone]) not in rows_on_disk(quick_folder)
    assert unit_bytes(kept[rest[0]]) in rows_on_disk(quick_folder)
    for process in processes:
        assert gone not in await process.nearest(scope, kept[gone], limit=COUNT)
        await process.vectors.settle()
    assert unit_bytes(kept[gone]) not in rows_on_disk(quick_folder)


async def test_an_agent_erased_as_a_whole_leaves_no_index(
    processes: list[Process], samples: Samples, scope: Scope, quick_folder: Path
) -> None:
    one, other = processes
    kept = await keep(one, samples, scope)
    question = next(iter(kept.values()))
    for process in processes:
        await process.nearest(scope, question)
        await process.vectors.settle()
    erased = await one.store.erase(scope, Erasure(everything=True))
    await one.vectors.erased(scope, erased.record_ids)
    assert not files.index_files(one.store.layout.folder(scope))
    on_disk = rows_on_disk(quick_folder)
    assert not any(unit_bytes(values) in on_disk for values in kept.values())
    for process in processes:
        assert await process.nearest(scope, question) == []
    again = await keep(other, samples, scope, seed=9)
    for process in processes:
        assert await process.nearest(scope, again[next(iter(again))]) == [next(iter(again))]


# ── damage: named, and no answer is wrong for it ──


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1 :]


async def sealed_file(
    process: Process, samples: Samples, scope: Scope, *, seed: int = 0
) -> tuple[Path, dict[str, Matrix]]:
    """Keep records of an agent and have their vectors sorted into a file."""
    kept = await keep(process, samples, scope, seed=seed)
    await process.nearest(scope, next(iter(kept.values())))
    await process.vectors.settle()
    [path] = files.index_files(process.store.layout.folder(scope))
    return path, kept


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("harm", ["header", "sections", "rows", "cut", "grown", "emptied", "another agent's", "gone"])
async def test_a_harmed_file_is_named_by_the_check_and_changes_no_answer(
    quick_folder: Path, samples: Samples, scope: Scope, harm: str
) -> None:
    process = Process(quick_folder)
    path, kept = await sealed_file(process, samples, scope)
    other, _ = await sealed_file(process, samples, samples.make_scope(agent="bob"), seed=5)
    assert await process.vectors.check(scope) == ()
    await process.close()
    content = path.read_bytes()
    path.write_bytes(
        {
            "header": flipped(content, 40),
            "sections": flipped(content, 4_200),
            "rows": flipped(content, len(content) - 9),
            "cut": content[:-1],
            "grown": content + b"\0",
            "another agent's": other.read_bytes(),
        }.get(harm, b"")
    )
    if harm == "gone":
        path.unlink()
    harmed = path.read_bytes() if path.exists() else None
    process = Process(quick_folder)
    named = await process.vectors.check(scope)
    assert [problem.split(":")[0] for problem in named] == ([] if harm == "gone" else [path.name])
    assert (path.read_bytes() if path.exists() else None) == harmed, "a check changes nothing"
    for record_id in list(kept)[::12]:
        assert await process.nearest(scope, kept[record_id]) == [record_id]
    await process.vectors.settle()
    assert await process.vectors.check(scope) == (), "a search had it built anew"
    await process.close()


async def test_a_file_from_before_removals_is_no_damage(quick_folder: Path, samples: Samples, scope: Scope) -> None:
    process = Process(quick_folder)
    path, kept = await sealed_file(process, samples, scope)
    before = path.read_bytes()
    await process.store.erase(scope, Erasure(record_ids=tuple(list(kept)[:3])))
    path.write_bytes(before)
    assert await process.vectors.check(scope) == ()
    await process.close()
