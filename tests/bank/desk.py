"""A bank with all that stands around it: an adapter, temporary and permanent storage, an engine without a model."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from remanent.bank.adapter import AsyncAdapter
from remanent.bank.adapter.framework import Uploads
from remanent.bank.bank import MemoryBank, open_bank
from remanent.bank.runtime import BankEvent
from remanent.bank.settings import BankSettings
from remanent.embedding import Embedders
from remanent.language.engines import OfflineEngine
from remanent.language.role import Answer, Engine, ReplyT, RequestT, ResponseT, Role, Toolbox
from remanent.model import Maker, NewId, Scope, id_source
from remanent.stores.blobs import AttachmentStore, Blobs, FileBlobs
from tests.language.offline.fakes import WordEmbedder

SCOPE = Scope(org="o", workspace="w", agent="ada", task="t1")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(40))


class Told(Engine):
    """An engine that does some roles as it is told, and the others without a model."""

    name = "told"

    def __init__(self, **roles: Callable[[Any], Any]) -> None:
        self._roles = roles
        self._else = OfflineEngine(Toolbox(embedder=WordEmbedder()))
        self.asked: list[tuple[str, Any]] = []

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        self.asked.append((role.name, request))
        if role.name in self._roles:
            return Answer(self._roles[role.name](request), Maker(role=role.name, engine=self.name))
        return await self._else.run(role, request)

    async def close(self) -> None:
        """Nothing is open."""


@dataclass
class Desk:
    """What a test works with."""

    bank: MemoryBank
    adapter: AsyncAdapter
    uploads: Uploads
    kept: AttachmentStore
    blobs: Blobs
    folder: Path
    events: list[BankEvent]
    new_id: NewId

    @property
    def temporary_files(self) -> list[IO[bytes]]:
        """The files of uploads that wait; they have no names, and are gone once they are closed."""
        return [file for kept in self.uploads._waiting.values() for _, file in kept.values()]

    async def blob_digests(self) -> list[str]:
        return await self.blobs.digests(SCOPE)


def desk(folder: Path, *, engine: Engine | None = None, **settings: Any) -> Desk:
    """Return an empty bank on a clock that ticks, with its storage under a folder."""
    moment = [datetime(2026, 5, 1, tzinfo=UTC)]

    def clock() -> datetime:
        moment[0] += timedelta(seconds=1)
        return moment[0]

    new_id = id_source(clock, seed=7)
    embedder = WordEmbedder()
    bank = open_bank(
        SCOPE,
        engine=engine or OfflineEngine(Toolbox(embedder=embedder)),
        embedders=Embedders(embedder),
        settings=BankSettings(**settings),
        clock=clock,
        new_id=new_id,
    )
    events: list[BankEvent] = []
    bank.runtime.listeners.append(events.append)
    blobs = FileBlobs(lambda _: folder / "kept")
    uploads = Uploads(folder / "waiting", new_id=new_id)
    kept = AttachmentStore(blobs, SCOPE)
    adapter = AsyncAdapter(bank, uploads=uploads, kept=kept, new_id=new_id)
    return Desk(bank, adapter, uploads, kept, blobs, folder, events, new_id)
