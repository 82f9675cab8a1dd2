"""Texts have the order of bytes everywhere, whatever order the database has where nothing is said."""

import re
from collections.abc import AsyncIterator, Callable
from importlib import resources
from pathlib import Path
from typing import Any

import psycopg
import pytest

from remanent import stores
from remanent.model import Scope
from remanent.stores.conformance.base import Samples, put, vector_bytes
from remanent.stores.postgres import PostgresStore
from remanent.stores.postgres.store import migrate_now
from remanent.stores.queries import LinkQuery, Order, RecordFilter, RecordQuery, TextQuery
from remanent.stores.sqlite import SqliteStore
from remanent.stores.store import Store
from remanent.stores.transaction import PutLink, PutState, PutTombstone, PutVector
from tests.servers import LOCALE

IDS = ("zebra", "Zebra", "ab", "aB", "a-b", "a_b", "a-c", "B")
NAMES = (*IDS, "中文", "啊", "阿姨", "中-文")
"""A Chinese locale puts 啊 before 中, both before all letters, "B" between "ab" and "zebra", and "a-c" behind "ab"."""


@pytest.fixture
def shared(database: Callable[[str], str]) -> str:
    """Return a database that would order texts by a locale."""
    url = database("here")
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT datcollate FROM pg_database WHERE datname = current_database()").fetchone()
    if row != (LOCALE,):
        pytest.skip(f"{LOCALE} cannot be made here: install what describes it (on Debian: apt install locales)")
    return url


async def _fill(store: Store, scope: Scope) -> None:
    """Put something into a store under every name, wherever a text is ordered by."""
    samples = Samples()
    for name in IDS:
        record = samples.make_record(scope, "the same words", id=name)
        await put(store, record)
        async with store.transaction(scope) as tx:
            tx.put(samples.next_version(record), expects=1)
        links = (samples.make_link(name, other, relation) for other in ("a-b", "aB") for relation in NAMES)
        await store.commit(scope, [PutTombstone(samples.make_tombstone(record)), *map(PutLink, links)])
    for name in NAMES:
        await store.commit(scope, [PutState(name, 1), PutVector("ab", name, vector_bytes(1))])
        await store.commit(samples.make_scope(name), [PutState("there", 1)])


@pytest.fixture
async def both(shared: str, tmp_path: Path) -> AsyncIterator[tuple[Store, Store]]:
    """Return both stores with the same names in them."""
    opened = SqliteStore(tmp_path), PostgresStore(shared)
    for store in opened:
        await _fill(store, Samples().make_scope("lister"))
    yield opened
    for store in opened:
        await store.close()


async def _listings(store: Store, scope: Scope) -> dict[str, list[Any]]:
    """Return everything that a store lists by a text."""
    past = RecordFilter(as_of=Samples().clock())
    text = await store.ask(scope, TextQuery(("same", "words"), past, 100))
    return {
        "agents": [one.agent for one in await store.scopes()],
        "states": list(await store.states(scope)),
        "states with a prefix": list(await store.states(scope, prefix="a")),
        "tombstones": [one.record_id for one in await store.tombstones(scope)],
        "links": [(one.from_id, one.to_id, one.relation) for one in await store.links(scope, LinkQuery())],
        "versions": [one.record.id for one in await store.past_versions(scope, after=None, limit=100)],
        "versions behind one": [one.record.id for one in await store.past_versions(scope, after=("a-c", 1), limit=100)],
        "models": list(await store.vector_models(scope)),
        "vectors": list(await store.vector_counts(scope)),
        "records as they stood": [one.id for one in await store.records(scope, RecordQuery(filter=past))],
        "latest as they stood": [
            one.id for one in await store.records(scope, RecordQuery(filter=past, order=Order.LAST_OCCURRED))
        ],
        "found as they stood": [hit.record_id for hit in text],
    }


@pytest.mark.spec("COG-18")
async def test_both_stores_list_names_of_any_script_in_the_same_order(both: tuple[Store, Store]) -> None:
    scope = Samples().make_scope("lister")
    files, shared = [await _listings(store, scope) for store in both]
    assert shared == files
    assert files["states"] == sorted(NAMES)
    assert sorted(files["found as they stood"]) == sorted(IDS)


_ORDERED = re.compile(
    r"ORDER BY ([a-z_.,\s]+)"
    r"|\.listing\(f?\"[^\"]*\", f?\"([a-z_., ]+)"
    r"|\(([a-z, ]+)\) [<>]|\b([a-z]+) (?:[<>]|>=) (?:\{|%\()"
)


def test_every_column_that_is_ordered_or_compared_by_has_the_order_of_bytes(shared: str) -> None:
    """Also what no listing shows today: a column that loses it is found before anybody orders a page by it."""
    folder = resources.files(stores)
    texts = [(folder / "sql.py").read_text("utf-8"), (folder / "postgres" / "reads.py").read_text("utf-8")]
    texts += [file.read_text("utf-8") for file in (folder / "postgres" / "sql").iterdir()]
    found = {
        name
        for text in texts
        for groups in _ORDERED.findall(text)
        for name in re.findall(r"(?:\w+\.)?(\w+)", " ".join(groups))
    } - {"state"}  # of documents it is a number; of jobs and conflicts nothing is ordered by it
    assert {"agent", "key", "from_id", "relation", "record_id", "name", "lane", "id"} <= found
    migrate_now(shared, only_from_nothing=True)
    with psycopg.connect(shared) as connection:
        others = connection.execute(
            """
            SELECT a.attrelid::regclass::text, a.attname FROM pg_attribute a
            JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r' AND c.relnamespace = 'remanent'::regnamespace
            WHERE a.attnum > 0 AND a.attname = ANY (%s) AND a.attcollation NOT IN (0, '"C"'::regcollation)
            """,
            (sorted(found),),
        ).fetchall()
    assert others == []
