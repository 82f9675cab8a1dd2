"""Files full of memories, ways to damage them, and every question that a damaged file could answer wrongly."""

import random
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from remanent.errors import IntegrityError, RemanentError
from remanent.model import Claim, Conflict, Entry
from remanent.stores import ConflictQuery, EntryQuery, JobQuery, LinkQuery, Order, RecordQuery, Store
from remanent.stores.sqlite import SqliteStore
from remanent.text.terms import index_terms
from tests.chaos.support.units import (
    ANY,
    COMMON,
    EVERYTHING,
    MODEL,
    START,
    commit_unit,
    erase_unit,
    scope_of,
    text_of,
    token,
    unit_of,
)

SCOPE = scope_of("ada")
UNITS = range(30)
PAGE = 4096
SECTOR = 512


# ── a sample ─────────────────────────────────────────────────────────────────


async def make_samples(folder: Path) -> None:
    """Make `closed` (all in the file) and `killed` (much still in the log, as a kill leaves it)."""
    live = folder / "live"
    store = SqliteStore(live)
    for number in UNITS[:20]:
        await commit_unit(store, SCOPE, number)
    await _embellish(store)
    await erase_unit(store, SCOPE, 3)  # leaves the log empty
    for number in UNITS[20:]:
        await commit_unit(store, SCOPE, number)
    # Nothing is under way, so this is what a kill would leave.
    shutil.copytree(live, folder / "killed")
    await store.close()
    shutil.copytree(live, folder / "closed")
    shutil.rmtree(live)


async def _embellish(store: Store) -> None:
    """Add what units of work lack: versions, tombstones, conflicts, sessions, long values."""
    for number in UNITS[5:12]:
        record = unit_of(SCOPE, number).records[0]
        at = START + timedelta(hours=number)
        newer = record.replace(content=text_of(number, 7), version=2, updated_at=at)
        async with store.transaction(SCOPE) as work:
            work.put(newer, expects=1)
            work.forget(unit_of(SCOPE, number).records[1], at=at, reason="test")
            claims = tuple(Claim(record_id=part.id, text=part.content) for part in unit_of(SCOPE, number).records[:2])
            work.conflict(Conflict(id=f"c{number}", scope=SCOPE, claims=claims, created_at=at, updated_at=at))
            work.state(f"long/{number}", {"value": [text_of(number, 8)] * 40})
            work.append(
                Entry(
                    id=f"long{number}",
                    scope=SCOPE.within(session=f"s{number}"),
                    text=text_of(number, 9) * 20,
                    occurred_at=at,
                    recorded_at=at,
                    metadata={"notes": [text_of(number, 8)] * 30},
                )
            )


# ── damage ───────────────────────────────────────────────────────────────────

Damage = Callable[[bytearray, random.Random], None]


def _flip_a_bit(content: bytearray, rng: random.Random) -> None:
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _flip_in_the_header(content: bytearray, rng: random.Random) -> None:
    content[rng.randrange(min(100, len(content)))] ^= 1 << rng.randrange(8)


def _scribble(content: bytearray, rng: random.Random) -> None:
    length = rng.randint(2, 600)
    start = rng.randrange(max(1, len(content) - length))
    content[start : start + length] = rng.randbytes(length)[: len(content) - start]


def _zero(size: int) -> Damage:
    def zero(content: bytearray, rng: random.Random) -> None:
        start = rng.randrange(max(1, len(content) // size)) * size
        length = min(size, len(content) - start)
        content[start : start + length] = bytes(length)

    return zero


def _truncate(content: bytearray, rng: random.Random) -> None:
    del content[rng.choice((rng.randrange(len(content)), rng.randrange(len(content)) // PAGE * PAGE)) :]


def _empty(content: bytearray, _rng: random.Random) -> None:
    content.clear()


WAYS: dict[str, Damage] = {
    "bit": _flip_a_bit,
    "header bit": _flip_in_the_header,
    "scribble": _scribble,
    "zeroed page": _zero(PAGE),
    "zeroed sector": _zero(SECTOR),
    "truncation": _truncate,
    "empty": _empty,
}


@dataclass(frozen=True)
class Case:
    """One damaged file."""

    sample: str
    file: str
    way: str
    seed: int

    def inflict(self, home: Path) -> None:
        """Damage the file in a copy of the sample."""
        path = home / "org/lab/ada" / self.file
        content = bytearray(path.read_bytes())
        WAYS[self.way](content, random.Random(self.seed))
        path.write_bytes(content)


def cases(count: int, seed: int) -> list[Case]:
    """Choose so many cases, bits and zeroed pages most often, every combination sometimes."""
    rng = random.Random(seed)
    targets = [("closed", "memory.db")] * 4 + [("killed", "memory.db")] * 2 + [("killed", "memory.db-wal")] * 3
    ways = ["bit"] * 6 + ["header bit"] * 2 + ["scribble"] * 3 + ["zeroed page"] * 6 + ["zeroed sector"] * 3
    ways += ["truncation"] * 4 + ["empty"]
    return [Case(*rng.choice(targets), rng.choice(ways), rng.randrange(1 << 30)) for _ in range(count)]


# ── questions ────────────────────────────────────────────────────────────────

Question = Callable[[Store], Awaitable[object]]


def _search(term: str) -> Question:
    return lambda store: store.search_text(SCOPE, index_terms(term), record_filter=ANY, limit=EVERYTHING)


async def _vectors(store: Store) -> object:
    changes = await store.vector_changes(SCOPE, MODEL, since=0)
    rows = [row.tobytes() for row in changes.matrix]
    return changes.revision, changes.record_ids, changes.kinds, rows, await store.vector_models(SCOPE)


async def _histories(store: Store) -> object:
    return [await store.versions(SCOPE, f"r{number}-0") for number in UNITS]


QUESTIONS: dict[str, Question] = {
    "entries": lambda store: store.entries(SCOPE, EntryQuery(limit=EVERYTHING)),
    "newest entries": lambda store: store.entries(SCOPE, EntryQuery(newest_first=True, limit=7)),
    "entries by caller": lambda store: store.entries(
        SCOPE, EntryQuery(caller_ids=tuple(f"caller-{number}-1" for number in UNITS))
    ),
    "entries by id": lambda store: store.entries(
        SCOPE, EntryQuery(entry_ids=tuple(f"e{number}-0" for number in UNITS))
    ),
    "entries of a session": lambda store: store.entries(SCOPE.within(session="s7"), EntryQuery()),
    "entries by time": lambda store: store.entries(
        SCOPE, EntryQuery(occurred_from=START + timedelta(seconds=4), occurred_before=START + timedelta(seconds=25))
    ),
    "records": lambda store: store.records(SCOPE, RecordQuery(filter=ANY, limit=EVERYTHING)),
    "records by id": lambda store: store.records(
        SCOPE, RecordQuery(record_ids=tuple(f"r{number}-2" for number in UNITS))
    ),
    "records of entries": lambda store: store.records(
        SCOPE, RecordQuery(source_entry_ids=tuple(f"e{number}-1" for number in UNITS))
    ),
    "latest records": lambda store: store.records(SCOPE, RecordQuery(order=Order.LAST_OCCURRED, limit=20)),
    "histories": _histories,
    "past versions": lambda store: store.past_versions(SCOPE, after=None, limit=EVERYTHING),
    "links": lambda store: store.links(SCOPE, LinkQuery()),
    "links to": lambda store: store.links(SCOPE, LinkQuery(to_ids=tuple(f"r{number}-1" for number in UNITS))),
    "conflicts": lambda store: store.conflicts(SCOPE, ConflictQuery()),
    "tombstones": lambda store: store.tombstones(SCOPE),
    "states": lambda store: store.states(SCOPE),
    "jobs": lambda store: store.jobs(SCOPE, JobQuery(limit=EVERYTHING)),
    "queue": lambda store: store.queue(SCOPE),
    "vectors": _vectors,
    "search": _search(COMMON),
    "search in Chinese": _search("灯塔 咖啡"),
    **{f"search {number}": _search(token(number)) for number in UNITS[::3]},
}


async def ask(store: Store, name: str) -> str:
    """Return the answer as text, or "refused" when the store says that its bytes are damaged."""
    try:
        return repr(await QUESTIONS[name](store))
    except IntegrityError:
        return "refused"
    except RemanentError as error:
        return f"wrong kind of error: {error!r}"


async def ask_everything(home: Path) -> dict[str, str]:
    """Return the answer to every question, from one opened store."""
    store = SqliteStore(home)
    try:
        return {name: await ask(store, name) for name in QUESTIONS}
    finally:
        await store.close()
