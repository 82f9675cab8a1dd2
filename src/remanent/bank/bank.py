"""The bank of one task: it takes in what happens, finds what matters, settles what disagrees, plans the next step."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from pydantic import JsonValue

from remanent.bank.conflicts import Conflicts, nodes_of
from remanent.bank.embeddings import InNode, InVectors, Meaning
from remanent.bank.events import EventKind, EventListener
from remanent.bank.graph import QueryGraph, Retrieved
from remanent.bank.insight import InsightDoc
from remanent.bank.ledger import Ledger
from remanent.bank.merging import Grounds, Merger
from remanent.bank.planning import Planner
from remanent.bank.portable import BankDocument, document_of, take_in
from remanent.bank.reading import Reader, Reading
from remanent.bank.settings import BankSettings
from remanent.bank.tree import InteractionTree, bank_said, source_of
from remanent.bank.weaving import Weaver, Woven
from remanent.bank.workbench import Workbench
from remanent.discipline import Journal
from remanent.embedding import Embedders
from remanent.errors import InvalidInput
from remanent.language.engine import Engine
from remanent.language.roles.integration import Trigger
from remanent.language.roles.planning import FinishedTask, PendingUpload
from remanent.language.shapes import MAX_REMARK
from remanent.language.tidying import shortened
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
from remanent.stores import Store, Vectors

CONTEXT = "context"
"""The source of what a user gave."""
EXECUTION = "execution"
"""The source of what a step's execution said and did."""
VALIDATION = "validation"
"""The source of what the validation of a conflict found."""
WOVEN = "woven"
"""The source of the mark that an entry has been read and related as a whole."""
READ = (CONTEXT, EXECUTION, "recognition")
"""The sources of entries that become nodes."""
_MOST_ATTEMPTS = 2


class Observed(Model):
    """What came of taking something in."""

    entry_id: Id
    node_ids: tuple[Id, ...] = ()
    """The nodes that hold it now: new ones, or those that it was merged into."""
    conflict_ids: tuple[Id, ...] = ()
    question: str = ""
    """The user's own question, where one was looked for and found."""


class Bank:
    """The memory of one task: Insight Doc, Query Graph and Interaction Tree, and the agents that keep them."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self.graph: QueryGraph = bench.graph
        self.tree = InteractionTree(bench.ledger)
        self.conflicts = Conflicts(bench)
        self._merger = Merger(bench, self.conflicts)
        self._weaver = Weaver(bench, self.conflicts, self._merger)
        self._reader = Reader(bench)
        self._planner = Planner(bench, self.conflicts)
        self._attempts: dict[str, int] = {}

    # ── how it stands ────────────────────────────────────────────────────────

    @property
    def scope(self) -> Scope:
        """The scope of the task."""
        return self._bench.scope

    @property
    def settings(self) -> BankSettings:
        """How this bank works."""
        return self._bench.settings

    @property
    def has_task(self) -> bool:
        """Whether a task was begun."""
        return self._planner.has_task

    @property
    def insight(self) -> InsightDoc:
        """The Insight Doc as it stands."""
        return self._planner.insight

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each role was asked."""
        return dict(self._bench.calls)

    def listen(self, listener: EventListener) -> None:
        """Have every event told."""
        self._bench.listeners.append(listener)

    def tell(self, kind: EventKind, text: str = "", **data: JsonValue) -> None:
        """Tell those who listen."""
        self._bench.tell(kind, text, **data)

    # ── taking in ────────────────────────────────────────────────────────────

    async def start(self, goal: str, *, context: str = "") -> InsightDoc:
        """Begin the task: keep its goal, take in its context. What is too long for a goal is a context with a question.

        The first step is planned by `plan`, when uploads are known, too. What a killed start kept is not kept twice.
        """
        if len(goal) > MAX_REMARK:
            context, goal = f"{goal}\n\n{context}" if context.strip() else goal, ""
        if not goal.strip():
            goal = shortened(await self._question(context), MAX_REMARK)
            if not goal:
                raise InvalidInput("no question was found in this text; give the task on its own")
            return await self._planner.begin(goal)
        if not context.strip():
            return await self._planner.begin(goal)
        async with self._bench.writing:
            known = self._given(context)
            entry = known or self._bench.entry(
                context, source=CONTEXT, role="user", kind=EntryKind.DOCUMENT, origin=Origin.USER
            )
            insight = await self._planner.begin(goal, given=() if known else (entry,))
            await self._take_in(entry)
        return insight

    async def _question(self, context: str) -> str:
        known = self._given(context)
        if known is None:
            return (await self.observe(context, find_question=True)).question
        await self.catch_up()
        return (await self._reader.read(known, find_question=True)).question

    def _given(self, context: str) -> Entry | None:
        """Return the entry that holds this context already."""
        given = (entry for entry in self.tree.entries if source_of(entry) == CONTEXT)
        return next((entry for entry in given if entry.text == context), None)

    async def append(self, entries: Sequence[Entry]) -> None:
        """Keep entries in the journal as they are; no node is made of them."""
        async with self._bench.ledger.transaction() as tx:
            for entry in entries:
                tx.append(entry.replace(scope=self.scope))

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
        """Keep a text of the run in the journal, word for word, and return its entry's id; no node is made of it."""
        if source in READ:
            raise InvalidInput(f"what comes from {source} is taken in; give it to `observe`")
        entry = self._bench.entry(
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
        occurred_at: datetime | None = None,
        find_question: bool = False,
    ) -> Observed:
        """Take something in: it is kept word for word first, then sorted by topics, summarised and related.

        Only those attachments are kept that the text refers to, by their id or by their name.
        When a role fails twice its `LanguageError` is raised; the words are kept and read again with what comes next.
        """
        if not text.strip():
            raise InvalidInput("there is nothing to take in; give a text")
        if source not in READ:
            raise InvalidInput(f"a text comes from one of {', '.join(READ)}; validations go to `validate`")
        kept, text = _referred(text, attachments)
        entry = self._bench.entry(
            text,
            source=source,
            kind=EntryKind.DOCUMENT if source == CONTEXT else EntryKind.MESSAGE,
            role=role,
            origin=origin,
            attachments=kept,
            occurred_at=occurred_at,
            metadata=dict(metadata or {}),
        )
        async with self._bench.writing:
            unread = self.unread
            await self.append([entry])
            for earlier in unread:
                await self._take_in(earlier)
            return await self._take_in(entry, find_question=find_question)

    @property
    def unread(self) -> tuple[Entry, ...]:
        """What was kept and not read and related to its end: a role failed, or the process ended in between."""
        woven = {bank_said(entry).get("of") for entry in self.tree.entries if source_of(entry) == WOVEN}
        return tuple(
            entry
            for entry in self.tree.entries
            if source_of(entry) in {*READ, VALIDATION} and entry.id not in woven and entry.text.strip()
        )

    async def catch_up(self) -> tuple[Observed, ...]:
        """Read and relate what was kept and was not got to."""
        async with self._bench.writing:
            return tuple([await self._take_in(entry) for entry in self.unread])

    async def _take_in(self, entry: Entry, *, find_question: bool = False) -> Observed:
        """Make nodes of an entry, relate them, and mark the entry; what an earlier attempt did is not done again."""
        task = self._planner.aim
        known = [node.id for node in self.graph.nodes if any(source.entry_id == entry.id for source in node.sources)]
        covered = self._covered(entry)
        reading = Reading(())
        if source_of(entry) != VALIDATION and not _covers(entry.text, covered):
            reading = await self._reader.read(entry, task=task, find_question=find_question)
        woven = Woven()
        for node_id in known:
            if node_id in self.graph:
                await self._weaver.relate(node_id, woven, task=task)
        drafts = [draft for draft in reading.drafts if not covered.issuperset(draft.sources)]
        await self._weaver.add(drafts, woven, task=task)
        await self.append([self._bench.entry("", source=WOVEN, of=entry.id)])
        self._planner.note(woven)
        return Observed(
            entry_id=entry.id,
            node_ids=tuple(dict.fromkeys(node_id for node_id in woven.node_ids if node_id in self.graph)),
            conflict_ids=tuple(woven.conflict_ids),
            question=reading.question,
        )

    def _covered(self, entry: Entry) -> set[Source]:
        """Return the stretches of an entry that some node was made of, live or not."""
        versions = (versions[-1] for versions in self._bench.ledger.records.values())
        return {source for record in versions for source in record.sources if source.entry_id == entry.id}

    # ── finding ──────────────────────────────────────────────────────────────

    async def search(self, query: str, *, k: int | None = None, alpha: float | None = None) -> Retrieved:
        """Return the nodes that matter for a question and those beside them, newest first."""
        settings = self._bench.settings
        return await self.graph.search(
            query, k=settings.top_k if k is None else k, alpha=settings.alpha if alpha is None else alpha
        )

    # ── planning ─────────────────────────────────────────────────────────────

    async def plan(self, finished: FinishedTask | None = None, *, uploads: Sequence[PendingUpload] = ()) -> InsightDoc:
        """Note how the current step ended, if one did, and decide on the next."""
        return await self._planner.plan(finished, uploads=uploads)

    # ── contradictions ───────────────────────────────────────────────────────

    async def validate(
        self, conflict_id: str, finding: str, *, decided_by: str = "validation", origin: Origin = Origin.AGENT
    ) -> Conflict:
        """Settle a conflict by what its validation found: the finding is the authority.

        One node comes of it, which is related to the graph anew; or, when the finding settles nothing or refutes
        every side, all nodes stay, marked, and the planner is told.
        """
        async with self._bench.writing:
            conflict = self.conflicts.waiting_for(conflict_id)
            entry = self._bench.entry(
                finding,
                source=VALIDATION,
                role="assistant",
                kind=EntryKind.MESSAGE,
                origin=origin,
                conflict_id=conflict_id,
            )
            await self.append([entry])
            if not finding.strip():
                return await self._unresolved(conflict, "", decided_by=decided_by, evidence="")
            grounds = Grounds(
                Trigger.CONFLICT,
                description=conflict.description,
                conflict=conflict,
                validation=finding,
                evidence=entry.id,
                decided_by=decided_by,
            )
            merged, said = await self._merger.integrate(nodes_of(conflict), grounds)
            if merged is None:
                left = await self._unresolved(conflict, said, decided_by=decided_by, evidence=entry.id)
                await self.append([self._bench.entry("", source=WOVEN, of=entry.id)])
                return left
            woven = Woven(merges=[said])
            await self._weaver.relate(merged.id, woven, task=self._planner.aim)
            await self.append([self._bench.entry("", source=WOVEN, of=entry.id)])
            self._planner.note(woven)
            return self.conflicts.get(conflict_id)

    async def give_up(self, conflict_id: str, *, why: str) -> bool:
        """Note that a validation failed; after the second time its conflict is left unresolved. Tell whether it was."""
        conflict = self.conflicts.waiting_for(conflict_id)
        self._attempts[conflict_id] = self._attempts.get(conflict_id, 0) + 1
        if self._attempts[conflict_id] < _MOST_ATTEMPTS:
            return False
        await self._unresolved(conflict, why, decided_by="failure", evidence="")
        return True

    async def undo(self, change_id: str) -> None:
        """Take back a merge (by its event's id) or a verdict (by its conflict's id)."""
        async with self._bench.writing:
            conflict = self._bench.ledger.conflicts.get(change_id)
            if conflict is None:
                await self._merger.undo(change_id)
            elif conflict.state is ConflictState.UNRESOLVED:
                await self.conflicts.reopen(conflict)
            elif conflict.state is ConflictState.RESOLVED:
                await self._merger.undo(self._merger.event_of(change_id))
            else:
                raise InvalidInput(f"conflict {change_id} has no verdict yet; there is nothing to take back")

    async def _unresolved(self, conflict: Conflict, why: str, *, decided_by: str, evidence: str) -> Conflict:
        left = await self.conflicts.leave_unresolved(conflict, why=why, decided_by=decided_by, evidence=evidence)
        self._planner.notice_unresolved(left)
        return left

    # ── moving and ending ────────────────────────────────────────────────────

    def export(self) -> str:
        """Return the whole bank as JSON; `load` gives back an equal one."""
        return document_of(self._bench.ledger).to_json()

    async def load(self, text: str | bytes) -> None:
        """Take in an export; this bank must be empty."""
        await take_in(self._bench.ledger, BankDocument.from_json(text))
        self._resume()

    async def resume(self) -> None:
        """Go on where a bank that lies in a store was: read it back, and read what it had not got to."""
        await self._bench.ledger.read()
        self._resume()

    def _resume(self) -> None:
        self._bench.seen([entry.recorded_at for entry in self.tree.entries])
        self._bench.seen([v.updated_at for versions in self._bench.ledger.records.values() for v in versions])
        self._planner.resume()

    async def clear(self) -> None:
        """Forget everything: the task is over."""
        self.graph.clear()
        await self._bench.ledger.clear()
        self._planner.clear()
        self._attempts.clear()
        self._bench.tell(EventKind.CLEARED)


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
) -> Bank:
    """Return an empty bank: in memory, or on a store as well; with its embeddings in a vector database if one is given.

    `resume` reads back what a store holds of the task. With the `journal` of an open memory, what is written to the
    store is indexed and told to other disciplines.
    """
    if vectors is not None and store is None:
        raise InvalidInput("a vector database is filled from a store; give the store, too")
    ledger = Ledger(scope, store=store, journal=journal)
    embeddings = InNode() if vectors is None else InVectors(vectors, scope)
    graph = QueryGraph(ledger, Meaning(embedders), embeddings=embeddings)
    return Bank(
        Workbench(
            ledger=ledger,
            graph=graph,
            engine=engine,
            settings=settings,
            clock=clock,
            new_id=new_id,
            window=window,
        )
    )


def _covers(text: str, sources: Collection[Source]) -> bool:
    """Tell whether stretches leave nothing of a text but spaces."""
    end = 0
    for source in sorted(sources, key=lambda source: source.start or 0):
        if text[end : source.start or 0].strip():
            return False
        end = max(end, len(text) if source.end is None else source.end)
    return not text[end:].strip()


def _referred(text: str, attachments: Sequence[Attachment]) -> tuple[tuple[Attachment, ...], str]:
    """Return the attachments that a text refers to, and the text with the ids of those that it only names."""
    kept = []
    for attachment in attachments:
        if attachment.attachment_id in text:
            kept.append(attachment)
        elif attachment.name and attachment.name in text:
            kept.append(attachment)
            text = text.replace(attachment.name, f"{attachment.name} [{attachment.attachment_id}]", 1)
    return tuple(kept), text
