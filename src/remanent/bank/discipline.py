"""Task banks as a discipline: what they declare, and how they are put to work."""

from collections.abc import Sequence
from typing import Any

from remanent.bank.face import AsyncBanks, Means
from remanent.bank.kinds import QUERY_NODE
from remanent.bank.settings import BankSettings
from remanent.bank.tree import source_of
from remanent.bilingual import Bilingual
from remanent.discipline import AnyMemory, Discipline, OpenDiscipline, Operation, Parts
from remanent.embedding import open_image_reader
from remanent.model import Entry


class TaskBank(Discipline):
    """The memory of one long task, which cross-checks what it learns."""

    name = "bank"
    purpose = Bilingual(
        "Work on one long task with a memory that cross-checks what it learns.", "用会交叉核对的记忆处理一项长任务。"
    )
    kinds = (QUERY_NODE,)
    settings = BankSettings
    memory_face = AsyncBanks

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it."""
        from remanent.bank.operations import OPERATIONS

        return OPERATIONS

    def open(self, parts: Parts) -> OpenDiscipline:
        """Put it to work."""
        return OpenTaskBank(parts)


class OpenTaskBank(OpenDiscipline):
    """The banks of one open memory."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def source_of(self, entry: Entry) -> str:
        """Return what an entry is to the bank that wrote it."""
        return source_of(entry)

    def memory_face(self, memory: AnyMemory) -> AsyncBanks:
        """Return what opens banks."""
        parts = self._parts
        means = Means(
            settings=parts.settings,
            store=parts.store,
            vectors=parts.vectors,
            blobs=parts.blobs,
            embedders=parts.embedders,
            engine=parts.engine,
            journal=parts.journal,
            clock=parts.clock,
            new_id=parts.new_id,
            reader=open_image_reader(parts.settings.image_reader),
        )
        return AsyncBanks(means, memory)
