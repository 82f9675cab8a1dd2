"""Runs each operation again and again while its 1st, 2nd, … call fails.

`python -m tests.chaos.support.faulty <most attempts of each manner> <seed>`

Prints for each what it did and what went wrong as JSON. Every attempt starts from the same files; after the fault is
lifted the same store must answer rightly and take new work, and so must the files when they are opened again.
"""

import asyncio
import json
import os
import random
import shutil
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import LiteralString

from remanent.errors import IntegrityError, RemanentError, StorageError, StoreBusy
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import MIGRATIONS
from tests.chaos.support.faults import Faults, Plan, Tap
from tests.chaos.support.places import fast_folder, in_child
from tests.chaos.support.units import Ledger, commit_unit, erase_unit, faults_of, read_contents, scope_of, token

SCOPE = scope_of("ada")
BASE = range(12)
OPERATIONS = ("commit", "create", "read", "erase", "migrate", "close")
TRIED, NEXT = 100, 101
NEXT_STEP: LiteralString = "CREATE TABLE later (a TEXT); CREATE INDEX later_by_a ON later (a);"
MANNERS = {"once": Plan(), "lasting": Plan(lasting=True), "full": Plan(full=True, lasting=True)}


class Attempt:
    """One operation on one copy of the files, with the promises that were made."""

    def __init__(self, home: Path, operation: str) -> None:
        self.home = home
        self.operation = operation
        self.migrations = (*MIGRATIONS, NEXT_STEP) if operation == "migrate" else MIGRATIONS
        self.ledger = Ledger(acknowledged=set() if operation == "create" else set(BASE))
        self.store = SqliteStore(home, migrations=self.migrations)

    async def warm(self) -> None:
        """Open and read first, where the fault is to strike later."""
        if self.operation in {"commit", "erase", "close"}:
            await read_contents(self.store, SCOPE)
        if self.operation in {"erase", "close"}:
            await self.commit(NEXT + 1)  # leaves something in the log

    async def commit(self, number: int) -> None:
        """Write a unit and note the promise."""
        await commit_unit(self.store, SCOPE, number)
        self.ledger.acknowledged.add(number)

    async def operate(self) -> None:
        """Do what the fault is to strike."""
        operations: dict[str, Callable[[], Awaitable[object]]] = {
            "commit": lambda: self.commit(TRIED),
            "create": lambda: self.commit(TRIED),
            "read": self.read,
            "migrate": self.read,
            "erase": self.erase,
            "close": self.store.close,
        }
        await operations[self.operation]()

    async def read(self) -> None:
        """Read everything; a wrong answer is worse than none."""
        contents = await read_contents(self.store, SCOPE)
        wrong = self.ledger.faults(contents, SCOPE)
        assert not wrong, f"answered wrongly: {wrong}"

    async def erase(self) -> None:
        """Erase a unit and note the promise."""
        self.ledger.erasing.add(BASE[3])
        await erase_unit(self.store, SCOPE, BASE[3])
        self.ledger.erased.add(BASE[3])

    async def recover(self) -> list[str]:
        """With the fault lifted, go on with the same store, then open the files again; return all that is wrong."""
        if self.operation == "close":
            await self.store.close()
            self.store = SqliteStore(self.home, migrations=self.migrations)
        else:
            found = self.ledger.faults(
                await read_contents(self.store, SCOPE), SCOPE, attempted=self.ledger.acknowledged
            )
            if found:
                return [f"right after: {fault}" for fault in found]
        await self.commit(NEXT)
        if TRIED not in self.ledger.acknowledged:
            await self.commit(TRIED)
        if self.operation == "erase":
            await self.erase()
        await self.store.close()
        self.store = SqliteStore(self.home, migrations=self.migrations)
        found = await faults_of(self.store, SCOPE, self.ledger, attempted=self.ledger.acknowledged)
        return found + self._remains()

    def _remains(self) -> list[str]:
        files = [path for path in self.home.rglob("*") if path.is_file()]
        return [
            f"{path.name} still holds erased unit {number}"
            for number in self.ledger.erased
            for path in files
            if token(number).encode() in path.read_bytes()
        ]


async def _try(base: Path, home: Path, operation: str, faults: Faults, plan: Plan) -> list[str]:
    shutil.copytree(base, home)
    attempt = Attempt(home, operation)
    found: list[str] = []
    try:
        await attempt.warm()
        try:
            with faults.during(plan):
                await attempt.operate()
        except IntegrityError as error:
            found.append(f"took a passing fault for damage: {error}")
        except (StorageError, StoreBusy):
            pass
        except (RemanentError, AssertionError, OSError) as error:
            found.append(f"raised {error!r}")
        found += await attempt.recover()
    except RemanentError as error:
        found.append(f"did not recover: {error!r} because of {error.__cause__!r}")
    finally:
        await attempt.store.close()
        shutil.rmtree(home)
    return found


async def _make_base(base: Path, operation: str) -> None:
    if operation == "create":
        return
    store = SqliteStore(base)
    for number in BASE:
        await commit_unit(store, SCOPE, number)
    await store.close()


async def _run(operation: str, most: int, seed: int) -> list[dict[str, object]]:
    rng = random.Random(seed)
    reports: list[dict[str, object]] = []
    with fast_folder() as folder:
        base, home = folder / "base", folder / "home"
        os.mkdir(base)
        faults = Faults(home)
        Tap(faults).install()
        await _make_base(base, operation)
        for manner, shape in MANNERS.items():
            problems = await _try(base, home, operation, faults, replace(shape, nth=0))
            calls = faults.calls
            assert calls, "the operation made no calls: the tap is not in place"
            chosen = sorted(rng.sample(range(1, calls + 1), min(most, calls)))
            for nth in chosen:
                found = await _try(base, home, operation, faults, replace(shape, nth=nth))
                problems += [f"call {nth} of {calls} ({', '.join(faults.failed[:3])}): {fault}" for fault in found]
            reports.append({"manner": manner, "calls": calls, "tried": len(chosen), "problems": problems})
    return reports


def main(most: int, seed: int) -> None:
    """Run each operation in a child, with a tap of its own; what all of them load is loaded before."""
    reports = {}
    for operation in OPERATIONS:
        ended, reports[operation] = in_child(partial(lambda one: asyncio.run(_run(one, most, seed)), operation))
        assert ended == 0, operation
    print(json.dumps(reports))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
