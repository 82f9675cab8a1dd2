"""The bank of one task: it ingests what happens, finds what matters, settles contradictions and plans the next step.

Everything is appended to the journal word for word before any role sees it. A role that fails, or a process that is
killed, therefore loses nothing: what was appended and not ingested is ingested with the next text.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence

from pydantic import JsonValue

from remanent.bank.conflicts import Conflicts, Merger, MergeReason, nodes_of
from remanent.bank.graph import BankFound, NodeEmbedder, QueryGraph
from remanent.bank.ingestion import ExtractedTopics, IngestReport, NodeLinker, TopicExtractor
from remanent.bank.passages import PackedMemory, PassageIndex, pack
from remanent.bank.planner import InsightDoc, Planner
from remanent.bank.runtime import BankRuntime, EventKind
from remanent.bank.settings import BankSettings
from remanent.bank.store import (
    CONTEXT,
    INGESTED,
    INGESTED_SOURCES,
    VALIDATION,
    BankDocument,
    BankStore,
    InteractionTree,
    bank_metadata,
    export_document,
    import_document,
    source_of,
)
from remanent.bilingual import Language
from remanent.discipline import Journal
from remanent.embedding import Embedders
from remanent.errors import InvalidInput, LanguageError, ModelDenied, ModelUnavailable
from remanent.language.engines import BudgetedEngine, OfflineEngine
from remanent.language.role import Engine, Toolbox
from remanent.language.roles.integration import Trigger
from remanent.language.shapes import MAX_REMARK, shortened
from remanent.model import (
    Attachment,
    Clock,
    Conflict,
    ConflictState,
    Entry,
    EntryKind,
    Model,
    NewId,
    Origin,
    Scope,
    Source,
)
from remanent.model.ids import Id
from remanent.recall import inject
from remanent.stores import Store, Vectors

_MAX_ATTEMPTS = 2
"""Validations of one conflict that may fail before it is left unresolved; else a run could not end."""


class Observed(Model):
    """What came of observing a text."""

    entry_id: Id
    node_ids: tuple[Id, ...] = ()
    """The nodes that hold it now: new ones, or those that new ones were merged into."""
    conflict_ids: tuple[Id, ...] = ()
    question: str = ""
    """The user's own question, where one was looked for and found."""


class MemoryBank:
    """The memory of one task: Insight Doc, Query Graph and Interaction Tree, and the agents that maintain them."""

    def __init__(self, runtime: BankRuntime) -> None:
        self.runtime = runtime
        self.graph: QueryGraph = runtime.graph
        self.engine: BudgetedEngine = runtime.engine
        self.tree = InteractionTree(runtime.bank_store)
        self.conflicts = Conflicts(runtime)
        self._merger = Merger(runtime, self.conflicts)
        self._linker = NodeLinker(runtime, self.conflicts, self._merger)
        self._extractor = TopicExtractor(runtime)
        self.planner = Planner(runtime, self.conflicts)
        self._passages = PassageIndex(runtime.graph)
        self._attempts: dict[str, int] = {}
        """By conflict or entry: how often its validation or its reading failed."""
        self._reading: set[str] = set()
        """The entries that are being ingested."""
        self._turn = asyncio.Event()
        """Set when the entry that was appended last is ingested."""
        self._turn.set()

    # ── ingestion ────────────────────────────────────────────────────────────

    async def start(self, goal: str, *, context: str = "") -> InsightDoc:
        """Start the task: store its goal and ingest its context.

        A goal that is too long for one is taken for a context that holds a question somewhere. The first step is
        left to `plan`, which sees the uploads as well. A start that was interrupted can be repeated: what it appended
        already is not appended again.
        """
        if len(goal) > MAX_REMARK:
            context, goal = f"{goal}\n\n{context}" if context.strip() else goal, ""
        if not goal.strip():
            goal = shortened(await self._question(context), MAX_REMARK)
            if not goal:
                raise InvalidInput("no question was found in this text; give the task on its own")
            return await self.planner.begin(goal)
        if not context.strip():
            return await self.planner.begin(goal)
        known = self._entry_with(context)
        entry = known or self.runtime.entry(
            context, source=CONTEXT, role="user", kind=EntryKind.DOCUMENT, origin=Origin.USER
        )
        insight = await self.planner.begin(goal, given=() if known else (entry,))
        await self._ingest(entry)
        return insight

    async def _question(self, context: str) -> str:
        known = self._entry_with(context)  # by a run that was cut off
        if known is None:
            return (await self.observe(context, find_question=True)).question
        await self.catch_up()
        return (await self._extractor.read(known, find_question=True)).question

    def _entry_with(self, context: str) -> Entry | None:
        """Return the entry that already holds this context, if there is one."""
        given = (entry for entry in self.tree.entries if source_of(entry) == CONTEXT)
        return next((entry for entry in given if entry.text == context), None)

    async def append(self, entries: Sequence[Entry]) -> None:
        """Append entries to the journal as they are; no node is made of them."""
        async with self.runtime.bank_store.transaction() as tx:
            for entry in entries:
                tx.append(entry.replace(scope=self.runtime.scope))

    async def note(
        self,
        text: str,
        *,
        source: str,
        kind: EntryKind = EntryKind.MESSAGE,
        role: str = "assistant",
        origin: Origin = Origin.AGENT,
        metadata: Mapping[str, JsonValue] | None = None,
    ) -> str:
        """Append a text of the run to the journal and return the entry's id; no node is made of it."""
        if source in INGESTED_SOURCES:
            raise InvalidInput(f"text from {source} becomes nodes; pass it to `observe`")
        entry = self.runtime.entry(
            text, source=source, kind=kind, role=role, origin=origin, metadata=dict(metadata or {})
        )
        await self.append([entry])
        return entry.id

    async def observe(
        self,
        text: str,
        *,
        source: str = CONTEXT,
        role: str = "user",
        origin: Origin = Origin.USER,
        attachments: Sequence[Attachment] = (),
        metadata: Mapping[str, JsonValue] | None = None,
        find_question: bool = False,
    ) -> Observed:
        """Ingest a text: append it word for word, then split it into topics, summarise and relate them.

        Attachments that the text mentions neither by id nor by name are not kept. A model that is out of reach leaves
        it to code; a key that is refused is raised, and the text, which is in the journal, is read with the next one.
        """
        if not text.strip():
            raise InvalidInput("the text is empty; give some text")
        if source not in INGESTED_SOURCES:
            raise InvalidInput(f"source must be one of {', '.join(INGESTED_SOURCES)}; pass findings to `validate`")
        kept, text = _referenced(text, attachments)
        entry = self.runtime.entry(
            text,
            source=source,
            kind=EntryKind.DOCUMENT if source == CONTEXT else EntryKind.MESSAGE,
            role=role,
            origin=origin,
            attachments=kept,
            metadata=dict(metadata or {}),
        )
        await self.catch_up()
        await self.append([entry])
        return await self._ingest(entry, find_question=find_question)

    @property
    def unread(self) -> tuple[Entry, ...]:
        """Entries that were appended and not ingested to the end: a role failed, or the process ended."""
        done = {bank_metadata(entry).get("of") for entry in self.tree.entries if source_of(entry) == INGESTED}
        return tuple(
            entry
            for entry in self.tree.entries
            if source_of(entry) in {*INGESTED_SOURCES, VALIDATION}
            and entry.id not in done
            and entry.id not in self._reading
            and entry.text.strip()
        )

    async def catch_up(self) -> tuple[Observed, ...]:
        """Ingest the entries that are still unread; one that fails again is left for later, or set aside."""
        found = []
        for entry in self.unread:
            try:
                found.append(await self._ingest(entry))
            except (ModelUnavailable, ModelDenied):
                break  # the others would wait for the same model, or for the same key
            except LanguageError:
                continue
        return tuple(found)

    async def _ingest(self, entry: Entry, *, find_question: bool = False) -> Observed:
        """Read an entry, and when all that were appended before it are done, make nodes of it and relate them.

        Reading runs side by side with that of other entries; weaving stays in order, since what a node finds depends
        on what is there. An entry that fails twice for a reason that will not pass is set aside: it stays in the
        journal, the planner is told, and nothing waits for it.
        """
        self._reading.add(entry.id)
        previous, self._turn = self._turn, asyncio.Event()
        mine = self._turn
        try:
            reading = await self._read(entry, find_question=find_question)
            await previous.wait()
            if not isinstance(reading, LanguageError):
                async with self.runtime.write_lock:
                    observed = await self._weave(entry, reading)
                if reading.failure is None:
                    return observed
                reading = reading.failure
            raise reading
        except LanguageError as error:
            if not isinstance(error, ModelUnavailable | ModelDenied):
                await self._set_aside(entry, error)
            raise
        finally:
            self._reading.discard(entry.id)
            await previous.wait()
            mine.set()

    async def _read(self, entry: Entry, *, find_question: bool) -> ExtractedTopics | LanguageError:
        """Return the topics of what no node covers yet, or why there are none."""
        covered = self._covered(entry)
        if source_of(entry) == VALIDATION or _cover_all(entry.text, covered):
            return ExtractedTopics(())
        try:
            return await self._extractor.read(
                entry, task=self.planner.aim, find_question=find_question, covered=covered
            )
        except LanguageError as error:
            return error

    async def _set_aside(self, entry: Entry, error: LanguageError) -> None:
        """Count a failure to read an entry; after the last attempt nothing waits for it any more."""
        self._attempts[entry.id] = self._attempts.get(entry.id, 0) + 1
        if self._attempts[entry.id] >= _MAX_ATTEMPTS:
            await self.append([self.runtime.entry("", source=INGESTED, of=entry.id, set_aside=str(error))])
            self.planner.notice_set_aside(entry, str(error))
            self.runtime.emit(EventKind.FAILED, str(error), entry_id=entry.id, set_aside=True)

    async def _weave(self, entry: Entry, reading: ExtractedTopics) -> Observed:
        """Make nodes of the topics of an entry, relate them, and mark the entry as ingested.

        What an interrupted attempt did is not done again: its nodes are related, and only spans of the text that no
        node covers become new ones.
        """
        task = self.planner.aim
        covered = self._covered(entry)
        known = [node.id for node in self.graph.nodes if any(source.entry_id == entry.id for source in node.sources)]
        report = IngestReport()
        for node_id in known:
            if node_id in self.graph:
                await self._linker.relate(node_id, report, task=task)
        drafts = [draft for draft in reading.drafts if not covered.issuperset(draft.sources)]
        await self._linker.add(drafts, report, task=task)
        if reading.failure is None:
            await self.append([self.runtime.entry("", source=INGESTED, of=entry.id)])
        self.planner.note(report)
        return Observed(
            entry_id=entry.id,
            node_ids=tuple(dict.fromkeys(node_id for node_id in report.node_ids if node_id in self.graph)),
            conflict_ids=tuple(report.conflict_ids),
            question=reading.question,
        )

    def _covered(self, entry: Entry) -> set[Source]:
        """Return the spans of an entry that some node was made of, live or superseded."""
        versions = (versions[-1] for versions in self.runtime.bank_store.records.values())
        return {source for record in versions for source in record.sources if source.entry_id == entry.id}

    # ── search ──────────────────────────────────────────────────────────────

    async def search(self, query: str, *, k: int | None = None, alpha: float | None = None) -> BankFound:
        """Return the best nodes for a query and their neighbours, newest first."""
        settings = self.runtime.settings
        weight = settings.alpha if alpha is None else alpha
        found = await self.graph.search(query, k=settings.top_k if k is None else k, alpha=weight)
        return found.replace(injection=inject(query, found.items, now=self.runtime.clock()))

    async def recollect(self, question: str, *, language: Language) -> PackedMemory:
        """Return what the bank holds on a question as the `<memory>` of a prompt, within `prompt_tokens`."""
        settings = self.runtime.settings
        ranked = await self._passages.rank(question, alpha=settings.alpha)
        return pack(ranked, self.graph, budget=settings.prompt_tokens, language=language)

    # ── conflicts ───────────────────────────────────────────────────────

    async def validate(
        self,
        conflict_id: str,
        finding: str,
        *,
        context: str = "",
        metadata: Mapping[str, JsonValue] | None = None,
        decided_by: str = "validation",
    ) -> Conflict:
        """Settle a conflict by what its validation found; the finding is the authority.

        Its nodes are merged into one, which is related to the graph again. When the finding settles nothing or refutes
        every side, all nodes stay, marked as unresolved, and the planner is told. `context` is what led to the finding,
        reasoning and calls; it is kept in the tree with it.
        """
        async with self.runtime.write_lock:
            conflict = self.conflicts.waiting_for(conflict_id)
            entry = self.runtime.entry(
                context.strip() or finding,
                source=VALIDATION,
                role="assistant",
                kind=EntryKind.MESSAGE,
                metadata=dict(metadata or {}),
                conflict_id=conflict_id,
            )
            await self.append([entry])
            if not finding.strip():
                return await self._unresolved(conflict, "", decided_by=decided_by, evidence="")
            reason = MergeReason(
                Trigger.CONFLICT,
                description=conflict.description,
                conflict=conflict,
                validation=finding,
                evidence=entry.id,
                decided_by=decided_by,
            )
            merged, description = await self._merger.integrate(nodes_of(conflict), reason)
            if merged is None:
                left = await self._unresolved(conflict, description, decided_by=decided_by, evidence=entry.id)
                await self.append([self.runtime.entry("", source=INGESTED, of=entry.id)])
                return left
            report = IngestReport(merges=[description])
            await self._linker.relate(merged.id, report, task=self.planner.aim)
            await self.append([self.runtime.entry("", source=INGESTED, of=entry.id)])
            self.planner.note(report)
            return self.conflicts.get(conflict_id)

    async def give_up(self, conflict_id: str, *, why: str) -> bool:
        """Record that a validation failed; the second time its conflict is left unresolved, and `True` is returned."""
        conflict = self.conflicts.waiting_for(conflict_id)
        self._attempts[conflict_id] = self._attempts.get(conflict_id, 0) + 1
        if self._attempts[conflict_id] < _MAX_ATTEMPTS:
            return False
        await self._unresolved(conflict, why, decided_by="failure", evidence="")
        return True

    async def undo(self, change_id: str) -> None:
        """Undo a merge (by the id of its event) or a verdict (by the id of its conflict)."""
        async with self.runtime.write_lock:
            conflict = self.runtime.bank_store.conflicts.get(change_id)
            if conflict is None:
                await self._merger.undo(change_id)
            elif conflict.state is ConflictState.UNRESOLVED:
                await self.conflicts.reopen(conflict)
            elif conflict.state is ConflictState.RESOLVED:
                await self._merger.undo(self._merger.event_of(change_id))
            else:
                raise InvalidInput(f"conflict {change_id} has no verdict yet, so there is nothing to undo")

    async def _unresolved(self, conflict: Conflict, why: str, *, decided_by: str, evidence: str) -> Conflict:
        left = await self.conflicts.leave_unresolved(conflict, why=why, decided_by=decided_by, evidence=evidence)
        self.planner.notice_unresolved(left)
        return left

    # ── export, resume, clear ────────────────────────────────────────────────────

    def export(self) -> str:
        """Return the whole bank as JSON; `load` makes an equal one of it."""
        return export_document(self.runtime.bank_store).to_json()

    async def load(self, text: str | bytes) -> None:
        """Load an export; this bank must be empty."""
        await import_document(self.runtime.bank_store, BankDocument.from_json(text))
        self._resume()

    async def resume(self) -> None:
        """Read back from the store what it holds of the task; `catch_up` ingests what was left unread."""
        await self.runtime.bank_store.read()
        self._resume()

    def _resume(self) -> None:
        """Go on where a bank that was read back stood: no later event may seem earlier than what is stored."""
        records = self.runtime.bank_store.records.values()
        self.runtime.advance_past([entry.recorded_at for entry in self.tree.entries])
        self.runtime.advance_past([version.updated_at for versions in records for version in versions])
        self.planner.resume()

    async def clear(self) -> None:
        """Erase everything that the task brought."""
        self.graph.clear()
        await self.runtime.bank_store.clear()
        self.planner.clear()
        self._attempts.clear()
        self.runtime.emit(EventKind.CLEARED)


def open_bank(
    scope: Scope,
    *,
    engine: Engine,
    embedders: Embedders | None,
    settings: BankSettings,
    clock: Clock,
    new_id: NewId,
    window: int = 32_000,
    store: Store | None = None,
    journal: Journal | None = None,
    vectors: Vectors | None = None,
) -> MemoryBank:
    """Return an empty bank: in memory, or on a store as well; with its embeddings in a vector database if one is given.

    `resume` reads back what a store holds of the task. With the `journal` of an open memory, what the bank writes is
    indexed for recall and announced to the other disciplines.
    """
    if vectors is not None and store is None:
        raise InvalidInput("a vector database is filled from a store; give the store as well")
    bank_store = BankStore(scope, store=store, journal=journal)
    graph = QueryGraph(bank_store, NodeEmbedder(embedders), vectors=vectors)
    offline = OfflineEngine(Toolbox(embedder=embedders.remembering if embedders is not None else None))
    return MemoryBank(
        BankRuntime(
            bank_store=bank_store,
            graph=graph,
            engine=BudgetedEngine(engine, offline, max_tokens=settings.max_tokens),
            settings=settings,
            clock=clock,
            new_id=new_id,
            window=window,
        )
    )


def _cover_all(text: str, sources: Collection[Source]) -> bool:
    """Tell whether these spans leave nothing of a text but whitespace."""
    end = 0
    for source in sorted(sources, key=lambda source: source.start or 0):
        if text[end : source.start or 0].strip():
            return False
        end = max(end, len(text) if source.end is None else source.end)
    return not text[end:].strip()


def _referenced(text: str, attachments: Sequence[Attachment]) -> tuple[tuple[Attachment, ...], str]:
    """Return the attachments that a text mentions, and the text with the ids of those that it mentions by name only.

    The id makes the reference unique: two files of a task may have the same name.
    """
    kept = []
    for attachment in attachments:
        if attachment.attachment_id in text:
            kept.append(attachment)
        elif attachment.name and attachment.name in text:
            kept.append(attachment)
            text = text.replace(attachment.name, f"{attachment.name} [{attachment.attachment_id}]", 1)
    return tuple(kept), text
