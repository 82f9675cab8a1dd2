"""Many processes write to one agent while another reads: `… crowd <home> <processes> <writes>`.

Every writer also tries units of work that must be refused half-way. Prints as JSON what each was told.
"""

import asyncio
import json
import os
import sys
from collections.abc import Coroutine
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from remanent.errors import RemanentError, VersionConflict
from remanent.stores import EntryQuery, RecordQuery, search_terms
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import checksums_available
from remanent.text.terms import index_terms
from tests.chaos.support.units import ANY, COMMON, EVERYTHING, commit_unit, erase_unit, scope_of, unit_of

SCOPE = scope_of("ada")
PER_PROCESS = 100_000
REFUSED = 50_000
"""Added to the number of a unit that must be refused."""


@dataclass
class Told:
    """What one process was told."""

    acknowledged: list[int] = field(default_factory=list)
    erased: list[int] = field(default_factory=list)
    refused: int = 0
    looks: int = 0
    problems: list[str] = field(default_factory=list)


async def _write(home: Path, first: int, count: int) -> Told:
    told, store = Told(), SqliteStore(home)

    async def client(numbers: range) -> None:
        for number in numbers:
            try:
                await commit_unit(store, SCOPE, number)
                told.acknowledged.append(number)
                if number % 10 == 0:
                    await _be_refused(store, number, told)
                if first == 0 and number % 25 == 7:
                    await erase_unit(store, SCOPE, number)
                    told.erased.append(number)
            except RemanentError as error:
                told.problems.append(f"unit {number}: {error!r}")

    await asyncio.gather(*(client(range(first + part, first + count, 2)) for part in (0, 1)))
    await store.close()
    return told


async def _be_refused(store: SqliteStore, number: int, told: Told) -> None:
    """Try a unit of work whose last change contradicts what is stored: none of it may stay."""
    refused, known = unit_of(SCOPE, number + REFUSED), unit_of(SCOPE, number).records[0]
    try:
        async with store.transaction(SCOPE) as work:
            work.append(refused.entries[0])
            work.put(refused.records[0])
            work.put(known)
    except VersionConflict:
        told.refused += 1
    else:
        told.problems.append(f"unit {number} could be put twice")


async def _read(home: Path, total: int) -> Told:
    """Look again and again until everything is there; what was seen once must stay.

    Every look opens the files anew, in the middle of what others write: none of that may be taken for damage.
    """
    told = Told()
    seen = 0
    while seen < 2 * total and not told.problems:
        store = SqliteStore(home)
        try:
            entries = await store.entries(SCOPE, EntryQuery(limit=EVERYTHING))
            records = await store.records(SCOPE, RecordQuery(filter=ANY, limit=EVERYTHING))
            hits = await store.search_text(SCOPE, index_terms(COMMON), record_filter=ANY, limit=EVERYTHING)
            told.looks += 1
            if len(entries) < seen:
                told.problems.append(f"{seen} entries, then {len(entries)}")
            if len(records) % 3 or len(hits) % 3 or len(entries) % 2:
                told.problems.append("half of a unit of work was to be seen")
            seen = len(entries)
        except RemanentError as error:
            told.problems.append(f"reader: {error!r}")
        finally:
            await store.close()
    return told


def _fork(work: Coroutine[Any, Any, Told]) -> tuple[int, int]:
    """Run work in a child; return its process id and where it will say what it was told."""
    ours, theirs = os.pipe()
    process_id = os.fork()
    if process_id:
        os.close(theirs)
        work.close()
        return process_id, ours
    status = 70
    try:
        with os.fdopen(theirs, "w") as output:
            json.dump(asdict(asyncio.run(work)), output)
        status = 0
    finally:
        os._exit(status)


def main(home: Path, processes: int, writes: int) -> None:
    """Start them all, hear them all."""
    for record in unit_of(scope_of("warm"), 0).records:
        search_terms(record)
    checksums_available()
    children = [_fork(_write(home, number * PER_PROCESS, writes)) for number in range(processes)]
    children.append(_fork(_read(home, processes * writes)))
    told = []
    for process_id, output in children:
        with os.fdopen(output) as said:
            text = said.read()
        _, status = os.waitpid(process_id, 0)
        told.append(json.loads(text) if status == 0 else {"problems": [f"a process ended with status {status}"]})
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
