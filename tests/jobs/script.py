"""A handler that does what a test tells it."""

import asyncio
from collections import Counter
from datetime import datetime

from remanent.model import Job, Scope
from remanent.stores import Transaction
from tests.jobs.world import World


class Script:
    """Notes its runs, leaves an effect per job, and waits or raises when told to."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.runs: list[tuple[str, datetime]] = []
        self.todo: list[BaseException] = []
        """Raised by the next runs, first one first."""
        self.hold: asyncio.Event | None = None
        """Every run waits for it."""
        self.running: Counter[Scope] = Counter()
        self.most = 0

    async def __call__(self, job: Job, tx: Transaction) -> None:
        self.runs.append((job.id, self.world.time.now))
        tx.state(job.id, len(self.runs))
        self.running[job.scope.owner] += 1
        self.most = max(self.most, self.running.total())
        try:
            await asyncio.sleep(0)
            if self.hold is not None:
                await self.hold.wait()
        finally:
            self.running[job.scope.owner] -= 1
        if self.todo:
            raise self.todo.pop(0)

    @property
    def order(self) -> list[str]:
        return [job_id for job_id, _ in self.runs]

    def seconds(self) -> list[float]:
        """When it ran, counted from its first run."""
        return [(moment - self.runs[0][1]).total_seconds() for _, moment in self.runs]
