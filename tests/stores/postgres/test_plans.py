"""How much the engine does for a search in tables that nobody has analysed yet, counted in rows."""

import json
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import psycopg
import pytest

from bench.corpus import Corpus
from remanent.model import Kind, Scope
from remanent.stores.conformance.base import MODEL, Samples
from remanent.stores.postgres import PostgresStore
from remanent.stores.postgres.reads import POSTGRES_ANSWERS, PostgresDialect
from remanent.stores.queries import RecordFilter, TextQuery
from remanent.stores.transaction import Change, PutRecord, PutVector
from remanent.stores.vectors import VectorSearch
from tests.servers import PostgresServer

SIZE, DIMENSION = 400, 8
NOTES = RecordFilter(kinds=(Kind.NOTE, Kind.TURN))
WORDS = ("common", "plain")


def _rows_of(node: dict[str, Any]) -> float:
    """Return how many rows a plan has handled, those that it threw away included."""
    thrown = sum(node.get(name, 0) for name in ("Rows Removed by Filter", "Rows Removed by Join Filter"))
    own: float = node["Actual Loops"] * (node["Actual Rows"] + thrown)
    return own + sum(_rows_of(part) for part in node.get("Plans", ()))


def _handled(url: str, scope: Scope, question: Any) -> float:
    """Return the rows that were handled for the first statement of a question."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute("SELECT id FROM remanent.agents").fetchone()
        assert row is not None
        [asked] = next(POSTGRES_ANSWERS[type(question)](PostgresDialect(row[0], {}), scope, question))
        connection.execute("SET search_path = remanent, public; SET ROLE remanent_app")
        connection.execute("SELECT set_config('remanent.agent', %s, false)", (str(row[0]),))
        values = dict(asked.values)
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                values[name] = json.dumps(value.tolist())
        found = connection.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {asked.sql}".encode(), values).fetchone()
    assert found is not None
    return _rows_of(found[0][0]["Plan"])


@pytest.mark.parametrize("question", ["text", "vector"])
async def test_a_filtered_search_costs_some_rows_for_each_record_before_anything_was_analysed(
    postgres_server: PostgresServer, question: str
) -> None:
    url, samples = postgres_server.make_database(), Samples()  # a new one: nothing is known of its tables yet
    store, scope = PostgresStore(url), samples.make_scope()
    await store.scopes()  # makes the tables
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("records", "entries", "postings", "vectors"):
            connection.execute(f"ALTER TABLE remanent.{table} SET (autovacuum_enabled = false)".encode())
    records = [samples.make_record(scope, f"common plain thing {n}", kind=Kind.NOTE) for n in range(SIZE)]
    async with store.transaction(scope) as tx:
        for record in records:
            tx.put(record)
    vectors = Corpus(dimension=DIMENSION).vectors(SIZE)
    await store.commit(
        scope, [PutVector(one.id, MODEL, row.tobytes()) for one, row in zip(records, vectors, strict=True)]
    )
    await store.close()
    asked = {
        "text": TextQuery(WORDS, NOTES, 10, places=True),
        "vector": VectorSearch(vectors[0], MODEL, NOTES, 10, places=True),
    }[question]
    assert _handled(url, scope, asked) < 30 * SIZE


def _read(url: str) -> int:
    """Return how many rows of all tables have been read since the tables were made."""
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(
            "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables"
        ).fetchone()
    assert row is not None
    return int(row[0])


async def test_a_bulk_load_does_not_read_again_what_it_has_loaded_so_far(postgres_server: PostgresServer) -> None:
    url, samples = postgres_server.make_database(), Samples()
    store, scope = PostgresStore(url), samples.make_scope()
    await store.scopes()  # makes the tables
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("records", "entries", "postings"):
            connection.execute(f"ALTER TABLE remanent.{table} SET (autovacuum_enabled = false)".encode())
    texts = [f"common plain thing {n}" for n in range(SIZE)]

    async def batches() -> AsyncIterator[list[Change]]:
        for start in range(0, SIZE, 50):
            records = [samples.make_record(scope, text, kind=Kind.NOTE) for text in texts[start : start + 50]]
            yield [PutRecord(record, record.content) for record in records]

    before = _read(url)
    await store.load(scope, batches())
    await store.close()  # with its connections its counts are told
    assert _read(url) - before < 100 * SIZE
