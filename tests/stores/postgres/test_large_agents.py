from collections.abc import Callable

import numpy as np
import pytest

from bench.corpus import Corpus
from remanent.errors import InvalidInput
from remanent.model import Kind
from remanent.stores.conformance.base import MODEL, Samples, put
from remanent.stores.postgres import PostgresStore, PostgresVectors
from remanent.stores.postgres.store import index_large_agents
from remanent.stores.queries import RecordFilter
from remanent.stores.transaction import PutVector

SIZE, DIMENSION, LIMIT = 600, 16, 10


async def test_a_large_agent_gets_an_index_that_finds_nearly_all_of_the_nearest_and_sees_every_write(
    database: Callable[[str], str],
) -> None:
    url, samples = database("here"), Samples()
    store = PostgresStore(url)
    scope, small = samples.make_scope(), samples.make_scope("bob")
    vectors = Corpus(dimension=DIMENSION).vectors(SIZE)
    records = [samples.make_record(scope, f"{n}", kind=Kind.NOTE if n % 2 else Kind.TURN) for n in range(SIZE)]
    await put(store, *records)
    await put(store, other := samples.make_record(small))
    kept = [PutVector(one.id, MODEL, row.astype("<f4").tobytes()) for one, row in zip(records, vectors, strict=True)]
    await store.commit(scope, kept)
    await store.commit(small, [PutVector(other.id, MODEL, vectors[0].astype("<f4").tobytes())])
    questions = vectors[::30] + np.float32(0.05)

    async def found(store: PostgresStore, wanted: RecordFilter) -> list[list[str]]:
        near = PostgresVectors(store)
        hits = [
            await near.search(scope, question, model=MODEL, record_filter=wanted, limit=LIMIT) for question in questions
        ]
        return [[hit.record_id for hit in one] for one in hits]

    notes = RecordFilter(kinds=(Kind.NOTE,))
    exact, exact_notes = await found(store, RecordFilter()), await found(store, notes)
    await store.close()
    assert await index_large_agents(url, at_least=SIZE) == 1
    assert await index_large_agents(url, at_least=SIZE) == 0
    # So few rows are sorted at no cost; without that the engine takes an index where it fits what is asked.
    store = PostgresStore(f"{url}?options=-cenable_sort%3Doff")
    near = PostgresVectors(store)
    indexed = await found(store, RecordFilter())
    shared = sum(len(set(one) & set(two)) for one, two in zip(exact, indexed, strict=True))
    assert shared >= 0.9 * len(questions) * LIMIT
    assert await _index_scans(store) >= len(questions), "an exact search would pass, too"
    assert await found(store, notes) == exact_notes
    # What is written later is in the index at once; a model of another size takes the place of the first.
    late = samples.make_record(scope, "late")
    await put(store, late)
    await store.commit(scope, [PutVector(late.id, MODEL, questions[0].astype("<f4").tobytes())])
    [first, *_] = await near.search(scope, questions[0], model=MODEL, record_filter=RecordFilter(), limit=LIMIT)
    assert first.record_id == late.id
    with pytest.raises(InvalidInput):
        await near.search(scope, questions[0][:3], model=MODEL, record_filter=RecordFilter(), limit=LIMIT)
    async with store.transaction(scope) as tx:
        tx.drop_vectors(MODEL)
    await store.commit(scope, [PutVector(late.id, MODEL, np.ones(4, "<f4").tobytes())])
    [again] = await near.search(scope, np.ones(4, np.float32), model=MODEL, record_filter=RecordFilter(), limit=LIMIT)
    assert again.record_id == late.id
    assert again.score == pytest.approx(1)
    await store.close()


async def _index_scans(store: PostgresStore) -> int:
    """Return how often the indexes of large agents were searched."""
    async with store._connections.connection() as connection:
        await connection.execute("SELECT pg_stat_force_next_flush()")
        cursor = await connection.execute(
            "SELECT sum(idx_scan)::bigint FROM pg_stat_user_indexes WHERE indexrelname LIKE 'vectors\\_of\\_%'"
        )
        [(scans,)] = await cursor.fetchall()
    return int(scans)
