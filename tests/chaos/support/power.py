"""A process that works on a recorded disk: `python -m tests.chaos.support.power <folder> <seed>`.

It writes, erases, closes, opens, migrates, and leaves in `<folder>/record` what happened and what was promised when.
"""

import asyncio
import pickle
import random
import sys
from pathlib import Path
from typing import LiteralString

from remanent.stores import Store
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import MIGRATIONS
from tests.chaos.support.counts import FULL
from tests.chaos.support.recording import record
from tests.chaos.support.scenario import Scenario
from tests.chaos.support.units import commit_unit, erase_unit, scope_of

AGENT = "ada"
NEXT_STEP: LiteralString = "CREATE TABLE later (a TEXT); CREATE INDEX later_by_a ON later (a);"
"""A step that a later release might add, so that a migration happens under the cuts."""


class _Run:
    def __init__(self, home: Path, seed: int) -> None:
        self.journal, self._vfs = record(home)
        self.scenario = Scenario()
        self._home = home
        self._rng = random.Random(seed)
        self._next = 0
        self._scope = scope_of(AGENT)

    def _note(self, what: str, number: int) -> None:
        self.scenario.moments.append((self.journal.position, what, number))

    async def play(self) -> None:
        """Open and close the store a few times, with work in between."""
        for migrations in (MIGRATIONS, MIGRATIONS, (*MIGRATIONS, NEXT_STEP)):
            store = SqliteStore(self._home, migrations=migrations)
            # At full counts long enough for the engine to move the log into the file by itself.
            for _ in range(self._rng.randint(3, 6) if not FULL else self._rng.randint(3, 30)):
                await self._write(store, self._rng.choice((1, 1, 2, 6)))
            await self._erase(store)
            await self._write(store, 3)
            await store.close()
        self.scenario.operations = self.journal.operations

    async def _write(self, store: Store, count: int) -> None:
        numbers = range(self._next, self._next + count)
        self._next += count
        await asyncio.gather(*(self._write_one(store, number) for number in numbers))

    async def _write_one(self, store: Store, number: int) -> None:
        self._note("begin", number)
        await commit_unit(store, self._scope, number)
        self._note("acknowledged", number)

    async def _erase(self, store: Store) -> None:
        ledger, _ = self.scenario.ledger(sys.maxsize)
        number = self._rng.choice(sorted(ledger.acknowledged - ledger.erased))
        self._note("erasing", number)
        await erase_unit(store, self._scope, number)
        self._note("erased", number)


def main(folder: Path, seed: int) -> None:
    """Play a scenario and leave its record."""
    home = folder / "home"
    home.mkdir(parents=True)
    run = _Run(home, seed)
    asyncio.run(run.play())
    (folder / "record").write_bytes(pickle.dumps(run.scenario))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
