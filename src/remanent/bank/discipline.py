"""Task banks as a discipline: what they declare to the registry, and how an open memory gets its banks.

Words go to the journal first, then are cut to the window, sorted by topic and summarised side by side; nodes are
woven into the graph in the order of the text, whatever finishes first. A contradiction becomes a durable `Conflict`;
what tells the same is merged, and the merge can be undone. A run that was killed is resumed by reading what is not
marked as read.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from remanent.bank.node import BANK, QUERY_NODE
from remanent.bank.settings import BankSettings
from remanent.bilingual import Bilingual
from remanent.discipline import AnyMemory, Discipline, OpenDiscipline, Operation, Parts
from remanent.embedding import open_image_reader
from remanent.lightweight import late_class
from remanent.model import Entry
from remanent.recall import Recipe

if TYPE_CHECKING:
    from remanent.bank.face import AsyncBanks


class TaskBank(Discipline):
    """The memory of one long task, which cross-checks what it learns."""

    name = "bank"
    purpose = Bilingual(
        "Work on one long task with a memory that cross-checks what it learns.", "用会交叉核对的记忆处理一项长任务。"
    )
    kinds = (QUERY_NODE,)
    settings = BankSettings
    memory_face = late_class("remanent.bank.face", "AsyncBanks")

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return the operations; imported late, since most programs never call one."""
        from remanent.bank.operations import OPERATIONS

        return OPERATIONS

    def terms(self) -> Mapping[str, str]:
        """Return what events are called: notes of a run's progress begin with one."""
        from remanent.bank.runtime import EVENT_NAMES

        return EVENT_NAMES

    def open(self, parts: Parts) -> OpenDiscipline:
        """Return the discipline at work in one open memory."""
        return OpenTaskBank(parts)


class OpenTaskBank(OpenDiscipline):
    """The banks of one open memory.

    Banks are opened per task by their face and need no jobs of their own, so there is nothing to start or to stop here.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def source_of(self, entry: Entry) -> str:
        """Return where an entry of a bank came from."""
        from remanent.bank.store import source_of

        return source_of(entry)

    @property
    def recipes(self) -> Sequence[Recipe]:
        """The one by which banks search their nodes."""
        return (BANK,)

    def memory_face(self, memory: AnyMemory) -> "AsyncBanks":
        """Return what opens banks."""
        from remanent.bank.face import AsyncBanks

        return AsyncBanks(self._parts, memory, reader=open_image_reader(self._parts.settings.image_reader))
