"""A knowledge base over a clock that ticks, without a model that embeds: words alone decide."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from remanent.knowledge.face import AsyncKnowledgeBases, AsyncKnowledgeCollection
from remanent.memory import AsyncMemory, aopen
from remanent.model import to_instant
from remanent.stores import EntryQuery, JobQuery, RecordFilter, RecordQuery

MAY = datetime(2024, 5, 1, tzinfo=UTC)
MANUAL = """# Pump manual

The pump moves water from the cellar to the garden.

## Maintenance

Clean the filter every month. Replace the gasket every second year.

## Safety

Never run the pump dry. The motor switches off at 90 degrees.
"""


class Ticking:
    """A clock that goes on by a second with every look."""

    def __init__(self) -> None:
        self.now = to_instant(MAY)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


@asynccontextmanager
async def opened(home: Path, **settings: Any) -> AsyncIterator[tuple[AsyncMemory, AsyncKnowledgeCollection]]:
    """Open a memory and the knowledge base that its workspace shares."""
    async with aopen(home, clock=Ticking(), **{"embedder": "none", **settings}) as memory:
        yield memory, base_of(memory)


def base_of(memory: AsyncMemory, collection: str = "default") -> AsyncKnowledgeCollection:
    """Return a collection of the workspace."""
    return memory.face(AsyncKnowledgeBases)(collection, workspace="lab")


async def left_behind(base: AsyncKnowledgeCollection) -> tuple[list[Any], ...]:
    """Return what the store keeps of documents: bytes, entries, records and jobs."""
    parts = base._services.library._parts
    everything = RecordQuery(filter=RecordFilter(statuses=None))
    return (
        await parts.blobs.digests(base.scope),
        [entry for entry in await parts.store.entries(base.scope, EntryQuery()) if not entry.erased],
        await parts.store.records(base.scope, everything),
        await parts.store.jobs(base.scope, JobQuery()),
    )
