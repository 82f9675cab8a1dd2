"""What a discipline declares, what it is built from, and what it does in one open memory."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, ClassVar, Protocol, TypeVar

from pydantic import JsonValue

from remanent.bilingual import Bilingual
from remanent.context import SessionEnd
from remanent.discipline.journal import Journal
from remanent.discipline.operation import Operation, Permission
from remanent.embedding import Embedder, Embedders
from remanent.jobs import Handler
from remanent.language import Engine
from remanent.lightweight import dataclass
from remanent.model import Clock, Entry, Found, Kind, Model, NewId, Receipt, Record, Scope
from remanent.model.base import Count, Text
from remanent.model.chat import Messages
from remanent.plugins import HandMadeCommand, commands_beside
from remanent.recall import Question, Recall, RecallPath, Recipe
from remanent.settings import Settings, SettingsSection
from remanent.stores import NO_LIMIT, Erased, Erasure, Store, Transaction, Vectors
from remanent.stores.blobs import Blobs
from remanent.stores.shelf import Shelf

# ── what the handler of an operation is given beside its request, as far as a discipline needs it ──

F = TypeVar("F")


class ProgressStep(Model):
    """How far long work has come."""

    done: Count = 0
    total: Count | None = None
    note: Text = ""


Report = Callable[[ProgressStep], None]
"""Is told of progress; called on the event loop."""


@dataclass(slots=True)
class Along:
    """What goes out of mind along with a record, or comes back with it."""

    forgotten: list[Record] = field(default_factory=list)
    """Whole records."""
    rewritten: list[Record] = field(default_factory=list)
    """Next versions, without some of their words or with them again."""

    def __add__(self, other: "Along") -> "Along":
        return Along([*self.forgotten, *other.forgotten], [*self.rewritten, *other.rewritten])

    def forget(self, tx: Transaction, *, at: datetime, reason: str) -> None:
        """Put it out of mind."""
        for record in self.forgotten:
            tx.forget(record, at=at, reason=reason)
        self._rewrite(tx, at)

    def restore(self, tx: Transaction, *, at: datetime) -> None:
        """Bring it back."""
        for record in self.forgotten:
            tx.restore(record, at=at)
        self._rewrite(tx, at)

    def _rewrite(self, tx: Transaction, at: datetime) -> None:
        for record in self.rewritten:
            tx.put(record.replace(updated_at=at), expects=record.version - 1)


class AnyAgent(Protocol):
    """One agent's memory, as a discipline sees it."""

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""

    def face(self, kind: type[F], /) -> F:
        """Return what a discipline gives an agent."""

    async def remember(self, messages: Messages, *, session: str | None = None, task: str | None = None) -> Receipt:
        """Keep messages for good."""

    async def recall(self, query: str, *, limit: int = 5, session: str | None = None) -> Found:
        """Return what is remembered that answers a question."""

    async def get(self, record_id: str) -> Record:
        """Return a record, whatever its status."""


class AnyMemory(Protocol):
    """An open memory, as a discipline sees it."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    @property
    def shelf(self) -> Shelf:
        """What belongs to no agent."""

    def agent(self, agent: str, *, workspace: str | None = None, org: str | None = None) -> AnyAgent:
        """Return an agent's memory."""

    def face(self, kind: type[F], /) -> F:
        """Return what a discipline gives a memory."""


class Caller(Protocol):
    """Who asks."""

    @property
    def name(self) -> str:
        """What logs and the audit log say."""

    @property
    def is_keyless(self) -> bool:
        """Whether it is whoever sits at this machine: a program and the person beside it cannot be told apart."""

    def may(self, permission: Permission) -> bool:
        """Tell whether it is allowed something."""


class Call(Protocol):
    """One call of an operation."""

    @property
    def memory(self) -> AnyMemory:
        """The memory that is open."""

    @property
    def agent(self) -> AnyAgent:
        """The memory of the agent that is meant."""

    @property
    def principal(self) -> Caller:
        """Who asks."""

    @property
    def report(self) -> Report:
        """Is told of progress."""

    @property
    def key(self) -> str | None:
        """The caller's own key for this request, by which it is known when it comes again."""

    def sent(self) -> AsyncIterator[bytes]:
        """Return what was sent beside the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that all disciplines of one open memory share."""

    settings: Settings
    store: Store
    vectors: Vectors
    blobs: Blobs
    shelf: Shelf
    embedders: Embedders | None
    """The models that embed; `None` where search is by words only."""
    engine: Engine
    journal: Journal
    clock: Clock
    new_id: NewId
    read_path: Callable[[], Recall]
    """Returns the read path; it is there when every discipline is open."""

    @property
    def embedder(self) -> Embedder | None:
        """The first of the models that embed."""
        return None if self.embedders is None else self.embedders.members[0]

    @property
    def recall(self) -> Recall:
        """The read path. A discipline asks for it when it works, not when it is opened."""
        return self.read_path()

    def watch(self, scope: Scope) -> None:
        """Have the worker look at an agent's queue."""
        self.journal.watch(scope)

    def attend(self, scope: Scope) -> None:
        """Have the worker look at an agent's queue from now on, if it does not do so already."""
        self.journal.attend(scope)

    def rest(self, scope: Scope) -> None:
        """Have the worker leave an agent's queue alone until it is watched again."""
        self.journal.rest(scope)

    def enqueue(
        self,
        tx: Transaction,
        kind: str,
        *,
        payload: dict[str, JsonValue] | None = None,
        lane: str | None = None,
        key: str | None = None,
        limit: int = NO_LIMIT,
    ) -> None:
        """Ask for a job as part of a unit of work, in a lane of its kind unless one is named; see `tx.request`."""
        tx.request(kind, job_id=self.new_id(), at=self.clock(), lane=lane, key=key, payload=payload, limit=limit)


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

        Ask for jobs here; a model must not stand between a user and the acknowledgement. What can wait until recall
        finds the entries is asked for in `on_turns`, once for many of them.
        """

    async def on_turns(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Do what follows from entries that have just got their turns, inside of that unit of work; ask for jobs here.

        However many are appended one by one, they come together; entries of this discipline are among them.
        """

    async def on_candidates(self, question: Question, record_ids: Sequence[str]) -> None:
        """Prefetch, in parallel with the candidates, what `on_found` needs of them; keep it in `beside`."""

    async def elsewhere(self, question: Question) -> Sequence[Question]:
        """Return a question for kinds of this discipline as it is asked of what is shared with the agent.

        What is found joins the agent's own; where the recall names no kinds, only what plainly answers. Leave out what
        is closed to it.
        """
        del question
        return ()

    async def on_found(self, question: Question, found: Found, *, without: Sequence[str] = ()) -> Found:
        """Reorder or annotate the items of the main recall; add none.

        `without` are entries that are to count for nothing.
        """
        return found

    def on_given(self, scope: Scope, found: Found) -> None:
        """Note what a caller is given; a recall writes nothing, so keep it short and in memory."""

    async def on_session_end(self, tx: Transaction, ended: SessionEnd) -> None:
        """Do what follows from the end of a session, inside of the unit of work that ends it; ask for jobs here.

        The session may be resumed later, and end again: `after_seq` and `last_seq` say what was said since it last did.
        """

    async def goes_along(self, scope: Scope, record: Record) -> Along:
        """Return what else goes out of mind with a record, or comes back with one that is forgotten."""
        return Along()

    async def before_erase(self, scope: Scope, erasure: Erasure) -> Erasure:
        """Destroy what was made of it outside of the store, and return the erasure with what else is to go.

        The store has everything still, also when an erasure that a crash cut short is carried on before its rows went.
        """
        return erasure

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
    settings: ClassVar[type[SettingsSection] | None] = None
    """Its section of the settings, under its name."""
    section: ClassVar[str] = ""
    """The name of that section where its own is taken by another setting."""
    agent_face: ClassVar[type[Any] | None] = None
    """The type of what `agent.face(…)` returns."""
    memory_face: ClassVar[type[Any] | None] = None
    """The type of what `memory.face(…)` returns."""

    def operations(self) -> Sequence[Operation[Any, Any]]:
        """Return what can be done with it through every interface; import them here, not before."""
        return ()

    def commands(self) -> Sequence[HandMadeCommand]:
        """Return the commands that no operation makes: `COMMANDS` of the module `commands` in the package, if any."""
        return commands_beside(type(self).__module__)

    def terms(self) -> Mapping[str, str]:
        """Return the Chinese for English words that its data holds, such as names of attributes or of events.

        Data keeps one word for one thing, in whatever language it was made; people read it in theirs.
        """
        return {}

    def open(self, parts: Parts) -> OpenDiscipline:
        """Put it to work in a memory that is being opened."""
        raise NotImplementedError
