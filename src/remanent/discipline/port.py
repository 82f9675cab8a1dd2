"""The port: what a way of remembering declares, and what it does in an open memory."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from remanent.bilingual import Bilingual
from remanent.discipline.call import AnyAgent, AnyMemory
from remanent.discipline.operation import Operation
from remanent.discipline.parts import Parts
from remanent.jobs import Handler
from remanent.model import Entry, Kind, Scope
from remanent.recall import RecallPath, Recipe
from remanent.settings import Section
from remanent.stores import Erased, Transaction


class OpenDiscipline:
    """A discipline at work in one open memory. What is not overridden does nothing."""

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """The jobs that it does, by kind; begin their names with the discipline's."""
        return {}

    @property
    def paths(self) -> Sequence[RecallPath]:
        """The ways on which recall finds its records beside words, vectors and the others."""
        return ()

    @property
    def recipes(self) -> Sequence[Recipe]:
        """Ways to recall that can be asked for by name; begin their names with the discipline's."""
        return ()

    async def on_append(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Do what follows from entries that somebody else appends, inside of that unit of work.

        Ask for jobs here; a model must not stand between a user and the acknowledgement.
        """

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        """Let go of what this process holds of what was erased; the store has destroyed its records already."""

    def source_of(self, entry: Entry) -> str:
        """Return where an entry that this discipline wrote came from; empty for those of others."""
        del entry
        return ""

    def agent_face(self, agent: AnyAgent) -> Any:
        """Return what it gives an agent: an instance of `Discipline.agent_face`."""
        raise NotImplementedError

    def memory_face(self, memory: AnyMemory) -> Any:
        """Return what it gives a memory: an instance of `Discipline.memory_face`."""
        raise NotImplementedError

    async def close(self) -> None:
        """Let go of what it holds open."""


class Discipline:
    """One way of remembering, as it is declared. It can be opened any number of times."""

    name: ClassVar[str]
    """A word: it begins the names of its operations, its settings, its jobs."""
    purpose: ClassVar[Bilingual]
    """What it is for, in a sentence."""
    kinds: ClassVar[Sequence[Kind]] = ()
    """The kinds of its records, as `register_kind` returned them."""
    settings: ClassVar[type[Section] | None] = None
    """Its section of the settings, under its name."""
    agent_face: ClassVar[type[Any] | None] = None
    """The type of what `agent.face(…)` returns."""
    memory_face: ClassVar[type[Any] | None] = None
    """The type of what `memory.face(…)` returns."""

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it through every interface; import them here, not before."""
        return ()

    def open(self, parts: Parts) -> OpenDiscipline:
        """Put it to work in a memory that is being opened."""
        raise NotImplementedError
