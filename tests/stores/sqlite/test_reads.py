"""How much the engine does for a page of records, counted in its own steps, however busy the machine is."""

from pathlib import Path

import pytest

from remanent.model import Kind, Scope
from remanent.stores.conformance.base import Samples, put
from remanent.stores.queries import Order, RecordFilter, RecordQuery
from remanent.stores.sqlite import SqliteStore, reads
from tests.stores.sqlite.steps import count_steps

SHOWN = (Kind.TURN, Kind.SEMANTIC, Kind.EPISODIC)


def _steps(home: Path, scope: Scope, query: RecordQuery) -> tuple[int, list[str]]:
    steps, found = count_steps(home, lambda connection: reads.records(connection, scope, query))
    return steps, [record.content for record in found]


@pytest.mark.parametrize("order", [Order.LAST_CREATED, Order.FIRST_CREATED])
async def test_a_page_of_common_kinds_costs_the_same_however_many_records_there_are(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch, order: Order
) -> None:
    monkeypatch.setattr(reads, "_COMMON", 100)
    query = RecordQuery(filter=RecordFilter(kinds=SHOWN), order=order, limit=20)
    costs = []
    for size in (200, 800):
        samples, home = Samples(), quick_folder / str(size)
        scope, store = samples.make_scope(), SqliteStore(home)
        kinds = [SHOWN[number % 2] for number in range(size)]
        await put(store, *(samples.make_record(scope, str(n), kind=kind) for n, kind in enumerate(kinds)))
        await store.close()
        cost, page = _steps(home, scope, query)
        first = range(20) if order is Order.FIRST_CREATED else range(size - 1, size - 21, -1)
        assert page == [str(number) for number in first]
        costs.append(cost)
    assert costs[1] <= 1.2 * costs[0]
