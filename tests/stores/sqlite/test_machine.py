import asyncio
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

from remanent.stores.conformance.machine import StoreMachine
from remanent.stores.sqlite import SqliteStore
from remanent.stores.store import Store
from tests.folders import MEMORY


class SqliteMachine(StoreMachine):
    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(dir=MEMORY, prefix="remanent-machine-")
        self._lives = 0
        self._abandoned: list[Store] = []

    @property
    def home(self) -> Path:
        return Path(self._folder.name) / f"life-{self._lives}"

    async def open(self) -> Store:
        return SqliteStore(self.home)

    async def crash(self) -> Store:
        """Go on with a copy of the files as they lie there, log and all, while the old store still has them open."""
        left = self.home
        self._abandoned.append(self.store)
        self._lives += 1
        if left.exists():
            await asyncio.to_thread(shutil.copytree, left, self.home)
        return await self.open()

    def teardown(self) -> None:
        for store in self._abandoned:
            self.run(store.close())
        super().teardown()
        self._folder.cleanup()


def life(*, lives: int, steps: int, derandomize: bool = False) -> settings:
    return settings(
        max_examples=lives,
        stateful_step_count=steps,
        derandomize=derandomize,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )


TestLifeOfASqliteStore = SqliteMachine.TestCase
TestLifeOfASqliteStore.settings = life(lives=25, steps=30, derandomize=True)
