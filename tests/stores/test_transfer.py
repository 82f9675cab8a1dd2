import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import IntegrityError, InvalidInput, StorageFull, StoreBusy, StoreClosed
from remanent.model import Scope
from remanent.stores import transfer
from remanent.stores.conformance.base import Samples, append, claim, everything, put, update
from remanent.stores.conformance.journal import make_world
from remanent.stores.queries import EntryQuery, Erasure, ErasureDepth, JobQuery, RecordQuery
from remanent.stores.query_steps import Snapshot
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.database import Database
from remanent.stores.store import Store
from remanent.stores.transfer import IMPORTED_KINDS, export_lines, import_lines

SAMPLES = Samples()
SCOPE = SAMPLES.make_scope()


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "here")
    yield store
    await store.close()


@pytest.fixture
async def elsewhere(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(tmp_path / "elsewhere")
    yield store
    await store.close()


@pytest.fixture
async def lines(store: SqliteStore) -> list[str]:
    """Return the export of a little of everything."""
    world = await make_world(store, Samples(), SCOPE)
    await update(store, world.samples.next_version(world.kept, summary="Lisbon"))
    return await exported(store)


async def exported(store: Store) -> list[str]:
    return [line async for line in export_lines(store, SCOPE)]


def resealed(lines: list[str]) -> list[str]:
    """Return an export with a last line that fits the others; written here anew, to hold the format fast."""
    counts = Counter(next(iter(json.loads(line))) for line in lines[1:-1] if line.startswith('{"'))
    seal = hashlib.sha256("".join(f"{line}\n" for line in lines[:-1]).encode()).hexdigest()
    trailer = {"remanent": "end", "counts": {sort: counts[sort] for sort in IMPORTED_KINDS}, "sha256": seal}
    return [*lines[:-1], json.dumps(trailer, separators=(",", ":"))]


def edited(lines: list[str], sort: str, edit: Callable[[dict[str, Any]], object]) -> tuple[list[str], int]:
    """Return the export with the last line of a sort edited, and that line's number."""
    place = max(number for number, line in enumerate(lines) if line.startswith(f'{{"{sort}":'))
    value = json.loads(lines[place])
    edit(value[sort])
    changed = [*lines]
    changed[place] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return resealed(changed), place + 1


async def test_the_last_line_counts_and_seals_the_others(lines: list[str]) -> None:
    assert lines == resealed(lines)
    assert lines[0] == '{"remanent":"export","format":1,"org":"acme","workspace":"lab","agent":"ada"}'
    sorts = [next(iter(json.loads(line))) for line in lines[1:-1]]
    assert sorts == sorted(sorts, key=list(IMPORTED_KINDS).index)
    assert set(sorts) == set(IMPORTED_KINDS)


async def test_an_export_that_was_saved_with_a_byte_order_mark_is_welcome(
    elsewhere: SqliteStore, lines: list[str]
) -> None:
    await import_lines(elsewhere, SCOPE, ["\ufeff" + lines[0], *lines[1:]])
    assert await exported(elsewhere) == lines


async def test_an_edited_export_with_a_new_seal_is_welcome(elsewhere: SqliteStore, lines: list[str]) -> None:
    changed, _ = edited(lines, "record", lambda body: body.update(content="Edited by hand."))
    await import_lines(elsewhere, SCOPE, changed)
    assert await exported(elsewhere) == changed


Edit = Callable[[dict[str, Any]], object]
MALFORMED: list[tuple[str, Edit]] = [
    ("entry", lambda body: body.pop("text")),
    ("entry", lambda body: body.update(unheard_of=1)),
    ("entry", lambda body: body.update(seq=0)),
    ("entry", lambda body: body.pop("scope")),
    ("entry", lambda body: body.update(scope="ada")),
    ("entry", lambda body: body["scope"].update(agent="bob")),
    ("entry", lambda body: body["scope"].update(session=["a", "list"])),
    ("entry", lambda body: body["scope"].update(session="bad\nlabel")),
    ("entry", lambda body: body.update(occurred_at="yesterday")),
    ("record", lambda body: body.update(confidence=7)),
    ("record", lambda body: body.update(kind="no kind!")),
    ("record", lambda body: body.update(version=0)),
    ("version", lambda body: body.update(superseded_at=None)),
    ("version", lambda body: body.update(record=None)),
    ("version", lambda body: body["record"]["scope"].update(org="other")),
    ("link", lambda body: body.update(strength=2)),
    ("conflict", lambda body: body.update(claims=[])),
    ("tombstone", lambda body: body.update(size=-1)),
    ("vector", lambda body: body.update(values="not base64!")),
    ("vector", lambda body: body.update(values=None)),
    ("vector", lambda body: body.update(more=1)),
    ("state", lambda body: body.update(value=None)),
    ("state", lambda body: body.update(key=7)),
    ("job", lambda body: body.update(state="running")),
    ("job", lambda body: body.update(kind=None)),
]


async def test_a_record_of_a_kind_that_nobody_knows_here_is_carried_along(
    elsewhere: SqliteStore, lines: list[str]
) -> None:
    changed, _ = edited(lines, "record", lambda body: body.update(kind="opinion"))
    await import_lines(elsewhere, SCOPE, changed)
    assert await exported(elsewhere) == changed


@pytest.mark.parametrize("case", MALFORMED, ids=[f"{sort}-{place}" for place, (sort, _) in enumerate(MALFORMED)])
async def test_a_malformed_line_is_named_and_nothing_is_written(
    elsewhere: SqliteStore, lines: list[str], case: tuple[str, Edit]
) -> None:
    changed, number = edited(lines, *case)
    with pytest.raises(InvalidInput, match=rf"^line {number} of the export: "):
        await import_lines(elsewhere, SCOPE, changed)
    assert await elsewhere.entries(SCOPE, EntryQuery()) == []


@pytest.mark.parametrize(
    "line",
    [
        "",
        "  ",
        "nonsense",
        "[]",
        "7",
        "{}",
        '{"rumour":{}}',
        '{"entry":[]}',
        '{"link":{},"entry":{}}',
        '{"x":',
        "\ud83d",
    ],
    ids=ascii,
)
async def test_a_line_that_is_no_word_is_named(elsewhere: SqliteStore, lines: list[str], line: str) -> None:
    with pytest.raises(InvalidInput, match=r"^line 3 of the export: "):
        await import_lines(elsewhere, SCOPE, [*lines[:2], line, *lines[2:]])
    assert (await everything(elsewhere, SCOPE)).entries == []


async def test_lines_out_of_their_order_are_refused(elsewhere: SqliteStore, lines: list[str]) -> None:
    moved = resealed([lines[0], lines[-2], *lines[1:-2], lines[-1]])
    with pytest.raises(InvalidInput, match=r"line 3 .*too late"):
        await import_lines(elsewhere, SCOPE, moved)


async def test_places_of_the_journal_must_rise(elsewhere: SqliteStore, lines: list[str]) -> None:
    twice = resealed([lines[0], lines[1], *lines[1:]])
    with pytest.raises(InvalidInput, match=r"line 3 .*place"):
        await import_lines(elsewhere, SCOPE, twice)


async def test_blank_lines_may_follow_the_last_line_and_nothing_else(elsewhere: SqliteStore, lines: list[str]) -> None:
    with pytest.raises(InvalidInput, match=f"line {len(lines) + 2} "):
        await import_lines(elsewhere, SCOPE, [*lines, "", lines[-1]])
    await import_lines(elsewhere, SCOPE, [*lines, "", "\n"])
    assert await exported(elsewhere) == lines


async def test_nothing_at_all_is_no_export(elsewhere: SqliteStore) -> None:
    with pytest.raises(IntegrityError, match="cut"):
        await import_lines(elsewhere, SCOPE, [])


async def test_an_export_beside_four_writers_imports_whole_and_holds_what_was_acknowledged_before(
    store: SqliteStore, elsewhere: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every writer of them comes between any two lines, for as long as the export lasts."""
    monkeypatch.setattr(transfer, "PAGE", 3)
    monkeypatch.setattr("remanent.stores.store.PAGE", 3)
    samples, acknowledged = Samples(), list[str]()

    async def write(writer: int) -> None:
        [entry] = await append(store, samples.make_entry(SCOPE, f"writer {writer} said {len(acknowledged)}"))
        await put(store, samples.make_record_of(entry))
        acknowledged.append(entry.id)

    for number in range(20):
        await write(number % 4)
    before, lines = set(acknowledged), []
    async for line in export_lines(store, SCOPE):
        lines.append(line)
        await asyncio.gather(*map(write, range(4)))
    assert lines == resealed(lines)
    await import_lines(elsewhere, SCOPE, lines)
    assert {entry.id for entry in await elsewhere.entries(SCOPE, EntryQuery(limit=10_000))} == before
    assert (await elsewhere.check(SCOPE)).problems == ()
    assert len(acknowledged) == 20 + 4 * len(lines)


async def test_another_process_that_erases_ends_an_export_that_nobody_goes_on_reading(
    store: SqliteStore, tmp_path: Path
) -> None:
    await append(store, Samples().make_entry(SCOPE))
    beside, lines = SqliteStore(tmp_path / "here"), export_lines(store, SCOPE)
    await anext(lines)
    assert (await beside.erase(SCOPE, Erasure(everything=True))).depth is ErasureDepth.OVERWRITTEN
    with pytest.raises(StoreBusy, match="erased"):
        await anext(lines)
    await beside.close()


async def test_a_store_is_closed_under_an_export(store: SqliteStore) -> None:
    await append(store, Samples().make_entry(SCOPE))
    lines = export_lines(store, SCOPE)
    await anext(lines)
    await store.close()
    with pytest.raises(StoreClosed):
        await anext(lines)


async def test_on_a_disk_without_room_for_another_reader_an_export_is_refused_once_something_changed(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Database) -> None:
        raise StorageFull("no room is left")

    monkeypatch.setattr(Database, "hold", refuse)
    samples = Samples()
    await append(store, samples.make_entry(SCOPE))
    assert (await exported(store))[-1].startswith('{"remanent":"end"')
    lines = export_lines(store, SCOPE)
    await anext(lines)
    await anext(lines)
    await append(store, samples.make_entry(SCOPE))
    with pytest.raises(StoreBusy, match="changed during"):
        [line async for line in lines]


async def test_a_running_job_is_exported_without_the_twin_that_waits_behind_it(
    store: SqliteStore, elsewhere: SqliteStore
) -> None:
    samples = Samples()
    first, twin, other = (samples.make_job(SCOPE, key=key) for key in ("k", "k", "other"))
    async with store.transaction(SCOPE) as tx:
        tx.enqueue(first, limit=10)
    await claim(store, SCOPE, worker="w", now=samples.clock(), lease=timedelta(minutes=1))
    async with store.transaction(SCOPE) as tx:
        tx.enqueue(twin, limit=10)
        tx.enqueue(other, limit=10)
    await import_lines(elsewhere, SCOPE, await exported(store))
    assert [job.id for job in await elsewhere.jobs(SCOPE, JobQuery())] == [first.id, other.id]
    assert await exported(elsewhere) == await exported(store)


@pytest.mark.parametrize(("page", "batch"), [(1, 1), (7, 5), (10, 10), (1000, 1000)])
async def test_an_agent_is_read_and_filled_page_by_page(
    store: SqliteStore, elsewhere: SqliteStore, monkeypatch: pytest.MonkeyPatch, page: int, batch: int
) -> None:
    monkeypatch.setattr(transfer, "PAGE", page)
    monkeypatch.setattr("remanent.stores.store.PAGE", page)
    monkeypatch.setattr(transfer, "BATCH", batch)
    samples, sizes = Samples(), set[int]()
    read = Snapshot.read

    async def watched(snapshot: Snapshot, scope: Scope, queries: Sequence[Any]) -> list[Any]:
        sizes.update(query.limit for query in queries if isinstance(query, EntryQuery | RecordQuery))
        return await read(snapshot, scope, queries)

    entries = await append(store, *(samples.make_entry(SCOPE, f"entry {number}") for number in range(20)))
    records = [samples.make_record_of(entry) for entry in entries]
    await put(store, *records)
    for record in records[:10]:
        await update(store, samples.next_version(record, content=f"{record.content} again"))
    monkeypatch.setattr(Snapshot, "read", watched)
    lines = await exported(store)
    assert sizes == {page}
    counts = await import_lines(elsewhere, SCOPE, iter(lines))
    assert counts == {**dict.fromkeys(IMPORTED_KINDS, 0), "entry": 20, "record": 20, "version": 10}
    assert await exported(elsewhere) == lines
    assert await everything(elsewhere, SCOPE) == await everything(store, SCOPE)
