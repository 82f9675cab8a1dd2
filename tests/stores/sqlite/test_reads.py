"""How much the engine does for a page of records, counted in its own steps, however busy the machine is."""

from datetime import timedelta
from pathlib import Path

import pytest

from remanent.model import Kind, Scope
from remanent.stores.conformance.base import Samples, put
from remanent.stores.queries import (
    LatestQuery,
    MatchQuery,
    Order,
    PlaceQuery,
    RecordFilter,
    RecordQuery,
    StandingQuery,
)
from remanent.stores.sqlite import SqliteStore, reads
from tests.stores.sqlite.steps import count_steps

DAY = timedelta(days=1)
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


@pytest.mark.parametrize("kinds", [None, (Kind.TURN,), SHOWN])
async def test_what_happened_last_costs_the_same_however_many_records_of_a_kind_there_are(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch, kinds: tuple[Kind, ...] | None
) -> None:
    monkeypatch.setattr(reads, "_COMMON", 100)
    costs = []
    for size in (200, 800):
        samples, home = Samples(), quick_folder / str(size)
        scope, store = samples.make_scope(), SqliteStore(home)
        made = [samples.make_record(scope, str(number), kind=Kind.TURN) for number in range(size)]
        await put(store, *(one.replace(occurred_at=one.occurred_at + number * DAY) for number, one in enumerate(made)))
        await store.close()
        # As recall asks: nothing that has not come yet, and nothing that is over.
        now = made[-1].occurred_at + size * DAY
        query = LatestQuery(RecordFilter(kinds=kinds, occurred_before=now, alive_at=now), 20)
        steps, found = count_steps(home, lambda connection: reads.latest(connection, scope, query))  # noqa: B023
        assert [place.record_id for place in found] == [one.id for one in made[:-21:-1]]
        costs.append(steps)
    assert costs[1] <= 1.2 * costs[0]


async def test_one_statement_is_read_without_a_transaction_and_several_on_one_snapshot(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples, store = Samples(), SqliteStore(quick_folder)
    scope = samples.make_scope()
    await put(store, samples.make_record(scope, "rain"))
    for kind in (MatchQuery, PlaceQuery, StandingQuery):
        monkeypatch.setitem(reads.SQLITE_ANSWERS, kind, lambda connection, *_: connection.in_transaction)
    match = MatchQuery(("a",), RecordFilter())
    beside, alone = (PlaceQuery(("a",), RecordFilter(), neighbours=near) for near in (True, False))
    for query in (match, alone, StandingQuery()):
        assert await store.read(scope, [query]) == [False]
    for query in (beside, StandingQuery(("key",))):  # these take a second statement
        assert await store.read(scope, [query]) == [True]
    assert await store.read(scope, [match, match]) == [True, True]
    await store.close()
