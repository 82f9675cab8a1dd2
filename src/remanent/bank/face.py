"""The bank as users of the library see it: a task with its inputs, a run, and the result.

The blocking face is generated from this one. What a bank needs from an open memory comes in as `Parts`, so that this
package never imports the memory that opens it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import JsonValue

from remanent.agents.deep_retrieval import DeepRetrieved, TreeEntry
from remanent.agents.search import SearchableText
from remanent.agents.tools import AgentTool
from remanent.bank.adapter import AsyncAdapter
from remanent.bank.adapter.framework import BuiltinReact, Framework, Uploads
from remanent.bank.bank import MemoryBank, Observed, open_bank
from remanent.bank.graph import BankFound
from remanent.bank.node import QueryNode
from remanent.bank.planner import InsightDoc, insight_in
from remanent.bank.run import BankRun, GivenFile, RunResult, close_tools, default_tools
from remanent.bank.runtime import EventListener
from remanent.bank.settings import MAX_PROMPT_TOKENS, MIN_PROMPT_TOKENS, BankSettings
from remanent.bank.store import CONTEXT
from remanent.bilingual import Bilingual
from remanent.discipline import AnyMemory, Parts
from remanent.embedding.port import ImageReader
from remanent.errors import InvalidInput
from remanent.language.models.call import model_selection
from remanent.language.roles.classification import CLASSIFICATION
from remanent.language.shapes import shortened
from remanent.lightweight import dataclass
from remanent.model import Conflict, EntryKind, Instant, Model, Scope
from remanent.model.base import Count, Text
from remanent.model.ids import Id
from remanent.settings import Settings
from remanent.stores import EntryQuery, every_entry
from remanent.stores.blobs import AttachmentStore, FileBlobs


@dataclass(frozen=True, slots=True)
class TaskInput:
    """The inputs of a task."""

    task: str = ""
    context: str = ""
    files: tuple[GivenFile, ...] = ()
    sources: tuple[SearchableText, ...] = ()
    """Texts that can be searched and are not ingested."""


class BankInfo(Model):
    """One of the banks that an agent keeps."""

    bank_id: Id
    goal: Text
    steps: Count
    """Sub-tasks that were completed or given up."""
    is_done: bool
    """Whether no step is left."""
    updated_at: Instant


class AsyncBanks:
    """Opens banks: called with a task, it returns the bank of that task."""

    def __init__(self, parts: Parts, memory: AnyMemory, *, reader: ImageReader | None = None) -> None:
        self._parts = parts
        self._memory = memory
        self._reader = reader

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._memory}>"

    def __call__(
        self,
        task: str = "",
        *,
        context: str = "",
        files: Sequence[str | Path | bytes | GivenFile] = (),
        sources: Mapping[str, str] | None = None,
        prompt_tokens: int | None = None,
        bank_id: str | None = None,
        agent: str = "bank",
        workspace: str | None = None,
        org: str | None = None,
    ) -> "AsyncBank":
        """Return the bank of one long task: it reads the context, cross-checks what it learns, and works on the task.

        `sources` are texts, by name, that its agent can search and that are not ingested. `prompt_tokens` bounds what
        memory takes in the prompt of a step. Everything lives in memory and is cleared at the end; with a `bank_id` it
        is stored as well, and `resume` continues it.
        """
        owner = self._memory.agent(agent, workspace=workspace, org=org).scope
        texts = tuple(SearchableText(name, text, title=name, is_known=False) for name, text in (sources or {}).items())
        task_input = TaskInput(task=task, context=context, files=tuple(map(_read_file, files)), sources=texts)
        scope = owner.within(task=bank_id or self._parts.new_id())
        settings = self._parts.settings.section(BankSettings)
        if prompt_tokens is not None and not MIN_PROMPT_TOKENS <= prompt_tokens <= MAX_PROMPT_TOKENS:
            raise InvalidInput(f"prompt_tokens must be a number from {MIN_PROMPT_TOKENS} to {MAX_PROMPT_TOKENS:,}")
        if prompt_tokens is not None:
            settings = settings.model_copy(update={"prompt_tokens": prompt_tokens})
        return AsyncBank(
            self._parts, scope, task_input, settings=settings, reader=self._reader, stored=bank_id is not None
        )

    async def stored(
        self, *, agent: str = "bank", workspace: str | None = None, org: str | None = None, limit: int = 100
    ) -> list[BankInfo]:
        """Return the banks that an agent keeps, those that were worked on last first."""
        scope = self._memory.agent(agent, workspace=workspace, org=org).scope
        found: dict[str, BankInfo] = {}
        query = EntryQuery(kinds=(EntryKind.EVENT,), newest_first=True)
        async for entry in every_entry(self._parts.store, scope, query):
            if len(found) >= limit:
                break
            # The last Insight Doc of a task says how it stands.
            name = entry.scope.task
            insight = insight_in(entry) if name is not None and name not in found else None
            if name is not None and insight is not None:
                found[name] = BankInfo(
                    bank_id=name,
                    goal=insight.goal,
                    steps=len(insight.completed),
                    is_done=insight.current is None,
                    updated_at=entry.recorded_at,
                )
        return [*found.values()]


class AsyncBank:
    """The memory of one long task and the run that works on it.

    Use it in a `with` block: at its end, and where an error leaves it, temporary files are removed, and a bank that is
    not stored is cleared; the error then says how to keep it.
    """

    def __init__(
        self,
        parts: Parts,
        scope: Scope,
        task_input: TaskInput,
        *,
        settings: BankSettings,
        reader: ImageReader | None = None,
        stored: bool = False,
    ) -> None:
        self._parts = parts
        self._reader = reader
        """Reads the text in images, for engines without vision."""
        self._input = task_input
        self._stored = stored
        self._bank: MemoryBank = open_bank(
            scope,
            engine=parts.engine,
            embedders=parts.embedders,
            settings=settings,
            clock=parts.clock,
            new_id=parts.new_id,
            window=_window(parts.settings),
            store=parts.store if stored else None,
            journal=parts.journal if stored else None,
            vectors=parts.vectors if stored and settings.embeddings == "database" else None,
        )
        self._uploads = Uploads(settings.temp_dir, new_id=parts.new_id)
        folder = settings.storage_dir
        self._blobs = parts.blobs if folder is None else FileBlobs(lambda of: folder / of.org / of.workspace / of.agent)
        self._adapter = AsyncAdapter(
            self._bank, uploads=self._uploads, kept=AttachmentStore(self._blobs, scope), new_id=parts.new_id
        )

    def __repr__(self) -> str:
        planner, conflicts = self._bank.planner, self._bank.conflicts
        goal = planner.insight.goal if planner.has_task else self._input.task
        waiting = f" ({len(conflicts.waiting)} waiting)" if conflicts.waiting else ""
        held = f"nodes: {len(self.nodes)}, contradictions: {len(conflicts.all)}{waiting}"
        return f"<{type(self).__name__} {self.bank_id}, {shortened(goal, _SHOWN_GOAL)!r}, {held}>"

    # ── state ────────────────────────────────────────────────────────

    @property
    def bank_id(self) -> str:
        """The name under which a stored bank is found again."""
        return str(self._bank.runtime.scope.task)

    @property
    def insight(self) -> InsightDoc:
        """The Insight Doc as it stands."""
        return self._bank.planner.insight

    @property
    def nodes(self) -> tuple[QueryNode, ...]:
        """Every node of the Query Graph, oldest first."""
        return self._bank.graph.nodes

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Every edge of the Query Graph."""
        return self._bank.graph.edges

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Every contradiction that was found, settled or not."""
        return self._bank.conflicts.all

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each language role was asked."""
        return dict(self._bank.runtime.calls)

    @property
    def adapter(self) -> AsyncAdapter:
        """For running a framework of your own: `enhance` before a step, `intercept` after it."""
        return self._adapter

    def tree(self, node_id: str) -> tuple[TreeEntry, ...]:
        """Return the raw entries behind a node, by time."""
        return self._bank.tree.of(node_id)

    # ── run ──────────────────────────────────────────────────────────────

    async def start(self) -> InsightDoc:
        """Ingest the inputs of the task and plan the first step; `run` does this itself."""
        await self._blobs.sweep(self._bank.runtime.scope)
        await self._bank.start(self._input.task, context=self._input.context)
        for file in self._input.files:
            await self._adapter.upload(file.content, name=file.name, media_type=file.media_type)
        return await self._adapter.plan()

    async def run(
        self,
        *,
        framework: Framework[Any, Any] | None = None,
        tools: Sequence[AgentTool] = (),
        keep: bool = False,
        on_event: EventListener | None = None,
    ) -> RunResult:
        """Work on the task until it is done, with the built-in agent or with a framework of your own.

        A bank that was started or resumed, or that the store holds under its name, continues where it was. At the end
        everything is cleared unless `keep` is set.
        """
        if on_event is not None:
            self._bank.runtime.listeners.append(on_event)
        await self._blobs.sweep(self._bank.runtime.scope)
        if self._stored and not self._bank.planner.has_task and await self.is_stored():
            # It may hold texts alone: what was observed before the task was begun.
            await self._bank.resume()
            await self._bank.catch_up()
        parts = self._parts
        defaults = default_tools(parts.settings, self._bank, embedder=parts.embedder, sources=self._input.sources)
        builtin = BuiltinReact(self._bank.engine, limits=parts.settings.react, reader=self._reader)
        run = BankRun(self._adapter, framework or builtin, tools=[*tools, *defaults])
        try:
            if self._bank.planner.has_task:
                result = await run.resume(files=self._input.files if not self._adapter.waiting else ())
            else:
                task = self._input
                result = await run.run(task.task, context=task.context, files=task.files)
        finally:
            await close_tools(defaults)
        if not keep:
            await self.clear()
        return result

    # ── single steps ─────────────────────────────────────────────────────────

    async def observe(
        self, text: str, *, source: str = CONTEXT, metadata: Mapping[str, JsonValue] | None = None
    ) -> Observed:
        """Ingest a text: it is kept word for word, then split into topics, summarised and related."""
        return await self._bank.observe(text, source=source, metadata=metadata)

    async def search(self, query: str, *, k: int | None = None, alpha: float | None = None) -> BankFound:
        """Return the best nodes for a query and their neighbours, newest first."""
        return await self._bank.search(query, k=k, alpha=alpha)

    async def plan(self) -> InsightDoc:
        """Decide on the next step."""
        return await self._adapter.plan()

    async def resolve(self, conflict_id: str, finding: str, *, decided_by: str = "user") -> Conflict:
        """Settle a conflict by what you know; the finding is the authority."""
        return await self._bank.validate(conflict_id, finding, decided_by=decided_by)

    async def undo(self, change_id: str) -> None:
        """Undo a merge (by the id of its event) or a verdict (by the id of its conflict)."""
        await self._bank.undo(change_id)

    async def deep_retrieval(
        self,
        node_id: str,
        *,
        attachment_id: str | None = None,
        offset: int = 0,
        limit: int | None = None,
        query: str = "",
    ) -> DeepRetrieved:
        """Return every entry behind a node with the content of its files, or of one of them.

        A long tree can be read in pages of `limit` characters; with a `query`, only its sentences about that are given.
        """
        return await self._adapter.deep.retrieve(
            node_id, attachment_id=attachment_id, offset=offset, limit=limit, query=query
        )

    # ── export, resume, clear ────────────────────────────────────────────────────

    async def export(self) -> str:
        """Return the whole bank as JSON; uploads that wait to be recognised are not part of it."""
        return self._bank.export()

    async def load(self, text: str | bytes) -> InsightDoc:
        """Load an export; this bank must be empty."""
        await self._bank.load(text)
        return self._bank.planner.insight

    async def is_stored(self) -> bool:
        """Tell whether the store holds a bank of this name."""
        query = EntryQuery(limit=1)
        found = await self._parts.store.entries(self._bank.runtime.scope, query) if self._stored else []
        return any(not entry.erased for entry in found)

    async def resume(self) -> InsightDoc:
        """Continue a stored bank where it was; what was appended and not ingested yet is ingested now."""
        await self._bank.resume()
        await self._bank.catch_up()
        return self._bank.planner.insight

    async def clear(self) -> None:
        """Erase everything that the task brought, files included."""
        await self._adapter.clear()
        await self._bank.clear()

    async def aclose(self) -> None:
        """Remove temporary files; a bank that is not stored is cleared."""
        await self._adapter.close()
        if not self._stored:
            await self.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and not self._stored and self._bank.tree.entries:
            error.add_note(_LOST.say(self._bank.planner.insight.language if self._bank.planner.has_task else "en"))
        await self.aclose()


_SHOWN_GOAL = 60
"""Characters of its task by which a bank that is printed is known."""
_LOST = Bilingual(
    "This bank was kept only in memory and was cleared when its `with` block ended; open it with "
    "bank_id='a-name' to keep what it has read, and bank.run() will continue from there.",
    "这个记忆库只在内存中，离开 with 代码块时已清除；用 bank_id='名称' 打开即可保留读入的内容，"
    "之后 bank.run() 会接着进行。",
)


def _read_file(file: str | Path | bytes | GivenFile) -> GivenFile:
    """Return a file that is given by its path, as bytes, or as it is."""
    if isinstance(file, GivenFile):
        return file
    if isinstance(file, bytes):
        return GivenFile(file)
    try:
        return GivenFile(Path(file).read_bytes(), name=Path(file).name)
    except OSError as error:
        raise InvalidInput(f"the file {file} cannot be read: {error.strerror}; give one that exists") from error


def _window(settings: Settings) -> int:
    if settings.uses_model:
        return model_selection(settings.model, role=CLASSIFICATION.name, defaults=CLASSIFICATION.defaults).window
    return settings.model.window or CLASSIFICATION.defaults.window
