"""A bank as a user of the library holds it: a task, what is given with it, a run, and what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from pydantic import JsonValue

from remanent.agents.deep_retrieval import DeepRetrieved, TreeEntry
from remanent.agents.knowledge import KnowledgeSearch, Text
from remanent.agents.limits import Limits
from remanent.agents.tools import AgentTool
from remanent.bank.adapter import Adapter, BuiltinReact, Framework
from remanent.bank.attachments import Uploads
from remanent.bank.bank import CONTEXT, Bank, Observed, open_bank
from remanent.bank.events import EventListener
from remanent.bank.graph import Retrieved
from remanent.bank.insight import InsightDoc
from remanent.bank.node import QueryNode
from remanent.bank.running import BankRun, GivenFile, RunResult, close_tools, given_texts, usual_tools
from remanent.bank.settings import BankSettings
from remanent.discipline import AnyMemory, Journal
from remanent.embedding import Embedders
from remanent.embedding.port import ImageReader
from remanent.language.engine import Engine
from remanent.language.models.call import choose
from remanent.language.roles import CLASSIFICATION
from remanent.model import Clock, Conflict, NewId, Scope
from remanent.settings import ReactSettings, Settings
from remanent.stores import EntryQuery, Store, Vectors
from remanent.stores.blobs import Blobs
from remanent.stores.files import FileBlobs
from remanent.stores.kept import Kept


@dataclass(frozen=True, slots=True)
class Means:
    """What banks are made with; one open memory makes all of its banks with the same."""

    settings: Settings
    store: Store
    vectors: Vectors
    blobs: Blobs
    embedders: Embedders | None
    engine: Engine
    journal: Journal
    clock: Clock
    new_id: NewId
    reader: ImageReader | None = None
    """Reads what is written in pictures, for engines that do not see."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a task comes with."""

    task: str = ""
    context: str = ""
    files: tuple[GivenFile, ...] = ()
    sources: tuple[Text, ...] = ()
    """Texts that can be searched and are not read in."""


class AsyncBanks:
    """Opens banks: called with a task, it returns the bank of that task."""

    def __init__(self, means: Means, memory: AnyMemory) -> None:
        self._means = means
        self._memory = memory

    def __call__(
        self,
        task: str = "",
        *,
        context: str = "",
        files: Sequence[str | Path | bytes | GivenFile] = (),
        sources: Mapping[str, str] | None = None,
        bank_id: str | None = None,
        agent: str = "bank",
        workspace: str | None = None,
        org: str | None = None,
    ) -> "AsyncBank":
        """Return the bank of one long task: it reads the context, cross-checks what it learns, and works on the task.

        `sources` are texts, by name, that its agent can search and that are not read in. Everything lives in memory
        and is cleared at the end; with a `bank_id` it lies in the store as well, and `resume` goes on with it.
        """
        owner = self._memory.agent(agent, workspace=workspace, org=org).scope
        texts = tuple(Text(name, text, title=name) for name, text in (sources or {}).items())
        given = Given(task=task, context=context, files=read_files(files), sources=texts)
        scope = owner.within(task=bank_id or self._means.new_id())
        return AsyncBank(self._means, scope, given, stored=bank_id is not None)


class AsyncBank:
    """The memory of one long task and the run that works on it. Use it in a `with` block: what it held goes with it."""

    def __init__(self, means: Means, scope: Scope, given: Given, *, stored: bool = False) -> None:
        self._means = means
        self._given = given
        self._stored = stored
        settings = means.settings
        self._bank: Bank = open_bank(
            scope,
            engine=means.engine,
            embedders=means.embedders,
            settings=settings.section(BankSettings),
            clock=means.clock,
            new_id=means.new_id,
            window=_window(settings),
            store=means.store if stored else None,
            journal=means.journal if stored else None,
        )
        self._uploads = Uploads(settings.section(BankSettings).temp_dir, new_id=means.new_id)
        self._blobs = _blobs(means)
        self._adapter = Adapter(self._bank, uploads=self._uploads, kept=Kept(self._blobs, scope), new_id=means.new_id)

    # ── how it stands ────────────────────────────────────────────────────────

    @property
    def bank_id(self) -> str:
        """The name under which a stored bank is found again."""
        return str(self._bank.scope.task)

    @property
    def insight(self) -> InsightDoc:
        """The Insight Doc as it stands."""
        return self._bank.insight

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
        return self._bank.conflicts.every

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each role was asked."""
        return self._bank.calls

    @property
    def adapter(self) -> Adapter:
        """What a framework of your own is put to work with: `enhance` before a step, `intercept` after it."""
        return self._adapter

    def tree(self, node_id: str) -> tuple[TreeEntry, ...]:
        """Return the raw words behind a node, by time."""
        return self._bank.tree.of(node_id)

    # ── the run ──────────────────────────────────────────────────────────────

    async def start(self) -> InsightDoc:
        """Take in what the task came with and plan the first step; `run` does it itself."""
        await self._sweep()
        await self._bank.start(self._given.task, context=self._given.context)
        for file in self._given.files:
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
        """Work on the task until it is done; with the built-in agent, or with a framework of your own.

        A bank that was started or resumed, or that a store holds under its name, goes on where it is. At the end
        everything is cleared unless it is kept.
        """
        if on_event is not None:
            self._bank.listen(on_event)
        await self._sweep()
        if self._stored and not self._bank.has_task and await self.is_stored():
            await self.resume()
        usual = self._usual_tools()
        run = BankRun(self._adapter, framework or self._builtin(), tools=[*tools, *usual])
        try:
            if self._bank.has_task:
                result = await run.resume(files=self._given.files if not self._adapter.waiting else ())
            else:
                given = self._given
                result = await run.run(given.task, context=given.context, files=given.files)
        finally:
            await close_tools(usual)
        if not keep:
            await self.clear()
        return result

    async def _sweep(self) -> None:
        """Remove the temporary files that killed processes left, here and where files are kept."""
        await self._uploads.sweep()
        await self._blobs.sweep(self._bank.scope)

    def _builtin(self) -> BuiltinReact:
        limits = _limits(self._means.settings.react)
        return BuiltinReact(self._means.engine, limits=limits, reader=self._means.reader)

    def _usual_tools(self) -> list[AgentTool]:
        embedders, sources = self._means.embedders, self._given.sources
        embedder = embedders.members[0] if embedders is not None else None
        if not sources:
            return usual_tools(self._means.settings, self._bank, embedder=embedder)
        return [KnowledgeSearch(lambda: [*given_texts(self._bank), *sources], embedder=embedder)]

    # ── single steps ─────────────────────────────────────────────────────────

    async def observe(
        self, text: str, *, source: str = CONTEXT, metadata: Mapping[str, JsonValue] | None = None
    ) -> Observed:
        """Take something in: kept word for word, then sorted by topics, summarised and related."""
        return await self._bank.observe(text, source=source, metadata=metadata)

    async def search(self, query: str, *, k: int | None = None, alpha: float | None = None) -> Retrieved:
        """Return the nodes that matter for a question and those beside them, newest first."""
        return await self._bank.search(query, k=k, alpha=alpha)

    async def plan(self) -> InsightDoc:
        """Have the next step decided."""
        return await self._adapter.plan()

    async def resolve(self, conflict_id: str, finding: str, *, decided_by: str = "user") -> Conflict:
        """Settle a contradiction by what you know: the finding is the authority."""
        return await self._bank.validate(conflict_id, finding, decided_by=decided_by)

    async def undo(self, change_id: str) -> None:
        """Take back a merge (by its event's id) or a verdict (by its conflict's id)."""
        await self._bank.undo(change_id)

    async def deep_retrieval(self, node_id: str, *, attachment_id: str | None = None) -> DeepRetrieved:
        """Return every entry behind a node with the contents of its files, or of one of them."""
        return await self._adapter.deep.retrieve(node_id, attachment_id=attachment_id)

    # ── moving and ending ────────────────────────────────────────────────────

    async def export(self) -> str:
        """Return the whole bank as JSON; files that wait to be recognised are not in it."""
        return self._bank.export()

    async def load(self, text: str | bytes) -> InsightDoc:
        """Take in an export; this bank must be empty."""
        await self._bank.load(text)
        return self._bank.insight

    async def is_stored(self) -> bool:
        """Tell whether the store holds a bank of this name."""
        query = EntryQuery(limit=1)
        found = await self._means.store.entries(self._bank.scope, query) if self._stored else []
        return any(not entry.erased for entry in found)

    async def resume(self) -> InsightDoc:
        """Go on where a stored bank was; what was kept and not read yet is read now."""
        await self._bank.resume()
        await self._bank.catch_up()
        return self._bank.insight

    async def clear(self) -> None:
        """Forget everything that the task brought, files included."""
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
        await self.aclose()


def read_files(files: Sequence[str | Path | bytes | GivenFile]) -> tuple[GivenFile, ...]:
    """Return files that are given by their path, as bytes, or as they are."""
    return tuple(_read_file(file) for file in files)


def _read_file(file: str | Path | bytes | GivenFile) -> GivenFile:
    if isinstance(file, GivenFile):
        return file
    return GivenFile(file) if isinstance(file, bytes) else GivenFile(Path(file).read_bytes(), name=Path(file).name)


def _window(settings: Settings) -> int:
    if settings.uses_model:
        return choose(settings.model, role=CLASSIFICATION.name, defaults=CLASSIFICATION.defaults).window
    return settings.model.window or CLASSIFICATION.defaults.window


def _limits(react: ReactSettings) -> Limits:
    return Limits(
        max_calls=react.max_calls,
        max_tokens=react.max_tokens,
        answer_at=react.answer_at,
        max_result=react.max_result,
        tool_timeout=react.tool_timeout,
    )


def _blobs(means: Means) -> Blobs:
    folder = means.settings.section(BankSettings).storage_dir
    if folder is None:
        return means.blobs
    return FileBlobs(lambda scope: folder / scope.org / scope.workspace / scope.agent)
