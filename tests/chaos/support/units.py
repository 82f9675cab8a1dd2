"""Units of work with many parts, all of whose content follows from their number, and how to tell whole from half."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from remanent.model import Entry, Job, Kind, Link, Record, Scope, SemanticData, Source, TurnData
from remanent.stores import EntryQuery, Erasure, JobQuery, LinkQuery, RecordFilter, RecordQuery, Store
from remanent.text.terms import index_terms

if TYPE_CHECKING:
    from pydantic import JsonValue

MODEL = "chaos-8"
DIMENSION = 8
EVERYTHING = 1_000_000
START = datetime(2026, 1, 1, tzinfo=UTC)
ANY = RecordFilter(statuses=None)
COMMON = "perennial"
"""A word that every record holds."""

_WORDS = (
    "harbour", "lantern", "copper", "orchard", "velvet", "thunder", "meadow", "glacier", "saffron", "pebble",
    "记忆", "灯塔", "港口", "青铜", "果园", "雷声", "冰川", "玻璃", "咖啡", "火车", "moved", "Lisbon", "train",
)  # fmt: skip


def scope_of(agent: str) -> Scope:
    """Return the scope of an agent in the tests' workspace."""
    return Scope(org="org", workspace="lab", agent=agent)


def token(number: int) -> str:
    """Return a word that only this unit holds."""
    return f"unit{number:07d}mark"


def text_of(number: int, part: int) -> str:
    """Return the text of a part: mostly short, every few units longer than a page of the database."""
    rng = random.Random(number * 10 + part)
    length = 900 if number % 9 == 4 and part == 0 else rng.randint(5, 40)
    return f"{COMMON} {token(number)} part {part}: " + " ".join(rng.choices(_WORDS, k=length))


def vector_of(number: int, part: int) -> np.ndarray:
    """Return the vector of a record."""
    return np.random.default_rng([number, part]).standard_normal(DIMENSION, dtype=np.float32)


@dataclass(frozen=True)
class Unit:
    """Everything one unit of work puts into the store."""

    number: int
    entries: tuple[Entry, ...]
    records: tuple[Record, ...]
    links: tuple[Link, ...]
    job: Job


@lru_cache(maxsize=4096)
def unit_of(scope: Scope, number: int) -> Unit:
    """Return the unit of a number: two entries, a record of each, one derived from both, links, vectors, a job."""
    at = START + timedelta(seconds=number)
    entries = tuple(
        Entry(
            id=f"e{number}-{part}", scope=scope, text=text_of(number, part), occurred_at=at, recorded_at=at,
            caller_id=f"caller-{number}-{part}", metadata={"unit": number},
        )
        for part in (0, 1)
    )  # fmt: skip
    turns = tuple(
        Record(
            id=f"r{number}-{part}", scope=scope, kind=Kind.TURN, content=entry.text, created_at=at, updated_at=at,
            occurred_at=at, sources=(Source(entry_id=entry.id),), data=TurnData(), tags=(f"tag{number % 5}",),
        )
        for part, entry in enumerate(entries)
    )  # fmt: skip
    derived = Record(
        id=f"r{number}-2", scope=scope, kind=Kind.SEMANTIC, content=text_of(number, 2), created_at=at, updated_at=at,
        occurred_at=at, sources=tuple(Source(entry_id=entry.id) for entry in entries), data=SemanticData(),
    )  # fmt: skip
    links = tuple(
        Link(from_id=derived.id, to_id=turn.id, relation="from", created_at=at, updated_at=at) for turn in turns
    )
    job = Job(id=f"j{number}", scope=scope, kind="test", payload={"unit": number}, enqueued_at=at)
    return Unit(number, entries, (*turns, derived), links, job)


async def commit_unit(store: Store, scope: Scope, number: int) -> None:
    """Write a unit of work; on return it is acknowledged."""
    unit = unit_of(scope, number)
    async with store.transaction(scope) as work:
        for entry in unit.entries:
            work.append(entry)
        for part, record in enumerate(unit.records):
            work.put(record)
            work.vector(record.id, model=MODEL, values=vector_of(number, part))
        for link in unit.links:
            work.link(link)
        work.state(f"unit/{number}", number)
        work.enqueue(unit.job, limit=EVERYTHING)


async def erase_unit(store: Store, scope: Scope, number: int) -> None:
    """Erase the entries of a unit, and with them all that came from them."""
    await store.erase(scope, Erasure(entry_ids=tuple(entry.id for entry in unit_of(scope, number).entries)))


@dataclass
class Contents:
    """All that a store answers about an agent."""

    entries: dict[str, Entry] = field(default_factory=dict)
    records: dict[str, Record] = field(default_factory=dict)
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    jobs: dict[str, Job] = field(default_factory=dict)
    states: "dict[str, JsonValue]" = field(default_factory=dict)
    vectors: dict[str, bytes] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    """Records that full-text search finds by the common word."""
    seqs: list[int] = field(default_factory=list)

    def numbers(self) -> set[int]:
        """Return the numbers of all units of which anything is there."""
        ids = [*self.entries, *self.records, *self.jobs, *self.vectors, *self.found]
        numbers = {int(name[1:].split("-")[0]) for name in ids}
        numbers |= {int(key.removeprefix("unit/")) for key in self.states}
        return numbers | {int(key[0][1:].split("-")[0]) for key in self.links}


async def read_contents(store: Store, scope: Scope) -> Contents:
    """Ask a store for everything, by every way of asking."""
    contents = Contents()
    entries = await store.entries(scope, EntryQuery(limit=EVERYTHING))
    contents.seqs = [entry.seq for entry in entries]
    contents.entries = {entry.id: entry.replace(seq=0) for entry in entries}
    records = await store.records(scope, RecordQuery(filter=ANY, limit=EVERYTHING))
    contents.records = {record.id: record for record in records}
    for link in await store.links(scope, LinkQuery()):
        contents.links[link.from_id, link.to_id, link.relation] = link
    jobs = await store.jobs(scope, JobQuery(limit=EVERYTHING))
    contents.jobs = {job.id: job.replace(seq=0) for job in jobs}
    contents.states = await store.states(scope)
    vectors = await store.vector_changes(scope, MODEL, since=0)
    contents.vectors = {name: row.tobytes() for name, row in zip(vectors.record_ids, vectors.matrix, strict=True)}
    hits = await store.search_text(scope, index_terms(COMMON), record_filter=ANY, limit=EVERYTHING)
    contents.found = {hit.record_id for hit in hits}
    return contents


def state_of(contents: Contents, scope: Scope, number: int) -> str:
    """Return "whole", "erased" or "absent", or what is wrong with a unit."""
    unit = unit_of(scope, number)
    rest = {
        "jobs": contents.jobs.get(unit.job.id) == unit.job,
        "states": contents.states.get(f"unit/{number}") == number,
    }
    whole = {
        **rest,
        "entries": all(contents.entries.get(entry.id) == entry for entry in unit.entries),
        "records": all(contents.records.get(record.id) == record for record in unit.records),
        "links": all(_same(contents.links, link) for link in unit.links),
        "vectors": all(
            contents.vectors.get(record.id) == vector_of(number, part).tobytes()
            for part, record in enumerate(unit.records)
        ),
        "search": all(record.id in contents.found for record in unit.records),
    }
    if all(whole.values()):
        return "whole"
    record_ids = {record.id for record in unit.records}
    gone = not (record_ids & (contents.records.keys() | contents.vectors.keys() | contents.found)) and not any(
        (link.from_id, link.to_id, link.relation) in contents.links for link in unit.links
    )
    entries = [contents.entries.get(entry.id) for entry in unit.entries]
    if gone and all(rest.values()) and all(entry and entry.erased and not entry.text for entry in entries):
        return "erased"
    present = unit.job.id in contents.jobs or f"unit/{number}" in contents.states or any(entries)
    if gone and not present:
        return "absent"
    return "half: wrong in " + ", ".join(name for name, right in whole.items() if not right)


def _same(links: dict[tuple[str, str, str], Link], link: Link) -> bool:
    return links.get((link.from_id, link.to_id, link.relation)) == link


@dataclass
class Ledger:
    """What was promised, kept outside the store."""

    acknowledged: set[int] = field(default_factory=set)
    erasing: set[int] = field(default_factory=set)
    """Erasures that were begun."""
    erased: set[int] = field(default_factory=set)
    """Erasures that were acknowledged."""

    def faults(self, contents: Contents, scope: Scope, *, attempted: Iterable[int] | None = None) -> list[str]:
        """Return every way in which contents break the promises: empty when all is well."""
        found = []
        for number in sorted(self.acknowledged | contents.numbers()):
            state = state_of(contents, scope, number)
            if not self._allows(number)(state):
                found.append(f"unit {number} is {state}")
        if attempted is not None:
            strange = contents.numbers() - set(attempted)
            found += [f"unit {number} was never written" for number in sorted(strange)]
        if len(set(contents.seqs)) != len(contents.seqs) or contents.seqs != sorted(contents.seqs):
            found.append("places in the journal are repeated or out of order")
        return found

    def _allows(self, number: int) -> Callable[[str], bool]:
        if number in self.erased:
            return {"erased"}.__contains__
        allowed = {"whole"}
        if number in self.erasing:
            allowed.add("erased")
        if number not in self.acknowledged:
            allowed.add("absent")
        return allowed.__contains__


async def faults_of(store: Store, scope: Scope, ledger: Ledger, *, attempted: Iterable[int] | None = None) -> list[str]:
    """Read everything, examine every page, and return all that is wrong."""
    contents = await read_contents(store, scope)
    found = ledger.faults(contents, scope, attempted=attempted)
    if contents.entries or ledger.acknowledged:
        health = await store.check(scope)
        found += [f"check: {problem}" for problem in health.problems]
    return found
