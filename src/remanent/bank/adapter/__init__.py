"""The Adapter between a bank and a framework: it builds the prompt of a step and routes what comes back.

What comes back goes one of three ways: the finding of a cross-validation to integration, recognised uploads to the
attachment flow, everything else to ingestion.
"""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import JsonValue

from remanent.agents.deep_retrieval import DeepRetrieval, DeepRetrievalTool
from remanent.agents.tools import AgentStep, File
from remanent.bank.adapter.framework import (
    SAID,
    EnhancedPrompt,
    Execution,
    Recognition,
    Upload,
    Uploads,
    conflict_block,
    instruction_for,
    places_of,
    recognise,
    task_block,
    uploads_block,
)
from remanent.bank.bank import MemoryBank, Observed
from remanent.bank.conflicts import sides_of
from remanent.bank.passages import without_spaces
from remanent.bank.planner import InsightDoc
from remanent.bank.runtime import EventKind
from remanent.bank.store import EXECUTION, INGESTED_SOURCES, RECOGNITION, source_of
from remanent.bilingual import Language
from remanent.errors import LanguageError
from remanent.language.role import Image
from remanent.language.roles.next_step import FinishedTask, PlannedTask, TaskType
from remanent.language.roles.react import ToolDefinition
from remanent.language.shapes import MAX_TEXT, shortened
from remanent.lightweight import dataclass
from remanent.loaders import AttachmentType, media_type_of
from remanent.model import Attachment, Conflict, NewId, Origin
from remanent.stores.blobs import AttachmentStore
from remanent.text.escaping import escape
from remanent.text.regex import lazy_regex
from remanent.text.sentences import sentence_texts

_logger = logging.getLogger(__name__)

_STEP = "step"
"""The source of a tool call and of what it gave."""
_REPETITION = "repetition"
"""The source of what a step said that had been ingested before, word for word."""
_FAILURE = "failure"
"""The source of what a failed step said."""
_OWNED_FILES = "brought"
"""The metadata key for the digests of files that this run stored first: they are removed when the bank is cleared,
while files that were there before stay. Stored banks hold the word."""
_NO_ANSWER = "the step gave no answer"
_MAX_ATTEMPTS = 2
"""Attempts to recognise an upload before it is given up; else the planner would plan it forever."""


@dataclass(frozen=True, slots=True)
class RoutedStep:
    """Where the outcome of a step went."""

    route: str
    """`validation`, `recognition` or `execution`."""
    node_ids: tuple[str, ...] = ()
    entry_ids: tuple[str, ...] = ()
    problem: str = ""
    """Why the step counts as failed, if it does."""
    learned: str = ""
    """What was learned besides the answer: the text of documents."""


class AsyncAdapter:
    """Three methods: `upload` before or during a run, `enhance` before a step, `intercept` after it.

    Looping over them until the Insight Doc has no current task is a whole run; `close` cleans up after it. `BankRun` is
    that loop; a program with a loop of its own calls them itself.
    """

    def __init__(self, bank: MemoryBank, *, uploads: Uploads, kept: AttachmentStore, new_id: NewId) -> None:
        self._bank = bank
        self._uploads = uploads
        self._kept = kept
        self._new_id = new_id
        self._task_id: str | None = None
        self._attempts: dict[str, int] = {}
        self.deep = DeepRetrieval(bank.tree.of, kept)
        self.tool = DeepRetrievalTool(self.deep)
        self.tools: tuple[ToolDefinition, ...] = (self.tool.declaration,)
        """The tools that steps may use; whoever executes them says which."""
        self.routed: list[RoutedStep] = []
        """Where the outcome of each step went, in order."""

    @property
    def bank(self) -> MemoryBank:
        """The bank whose steps are executed."""
        return self._bank

    @property
    def waiting(self) -> tuple[Upload, ...]:
        """The uploads that wait to be recognised."""
        return self._uploads.waiting(self._bank.planner.insight.id)

    @property
    def recognised(self) -> frozenset[str]:
        """The names of the uploads that were recognised."""
        noted = [entry.metadata.get("uploads") for entry in self._bank.tree.entries if source_of(entry) == RECOGNITION]
        return frozenset(str(name) for names in noted if isinstance(names, list) for name in names)

    async def upload(self, content: bytes, *, name: str = "", media_type: str = "") -> Upload:
        """Store a file until a step recognises it; the task must have been started."""
        self._task_id = self._bank.planner.insight.id
        return await self._uploads.add(self._task_id, content, name=name, media_type=media_type)

    async def read_upload(self, upload_id: str) -> bytes:
        """Return the bytes of an upload that waits."""
        return await self._uploads.read(self._bank.planner.insight.id, upload_id)

    async def plan(self, finished: FinishedTask | None = None) -> InsightDoc:
        """Decide on the next step; the planner sees the uploads that wait and the tools that it may name."""
        told = [tool.told(self._bank.planner.insight.language) for tool in self.tools]
        tools = [f"{tool.name}: {tool.description}" for tool in told]
        return await self._bank.planner.plan(finished, uploads=[upload.pending for upload in self.waiting], tools=tools)

    async def record_step(self, step: AgentStep) -> None:
        """Append a tool call or its result to the journal, and emit an event."""
        await self._bank.note(
            step.text, source=_STEP, kind=step.kind, role=step.role, origin=step.origin, metadata=step.metadata
        )
        about = {name: step.metadata[name] for name in ("tool", "failed") if name in step.metadata}
        self._bank.runtime.emit(EventKind.TOOL, shortened(step.text, 300), step=step.kind.value, **about)

    async def enhance(self) -> EnhancedPrompt:
        """Return the prompt of the current step."""
        insight = self._bank.planner.insight
        language = insight.language
        task = insight.current
        memory = await self._bank.recollect(_question(insight), language=language)
        details = ""
        images: tuple[Image, ...] = ()
        chosen: tuple[Upload, ...] = ()
        if task is not None and task.conflict_id is not None:
            details = conflict_block(self._bank.conflicts.get(task.conflict_id))
        elif task is not None and task.upload_ids:
            chosen = self._uploads_of(task)
            details = uploads_block([(item, (await self._words(item, language)).text) for item in chosen])
            images = tuple(
                [
                    Image.of(await self.read_upload(item.upload_id), media_type=item.media_type)
                    for item in chosen
                    if item.type is AttachmentType.IMAGE
                ]
            )
        return EnhancedPrompt(
            insight=insight,
            nodes=memory.nodes,
            task=task_block(insight),
            memory=memory.text,
            details=details,
            instruction=instruction_for(task, language=language),
            uploads=chosen,
            images=images,
            tools=(self.tool.declaration.told(language),),
        )

    async def intercept(self, execution: Execution) -> InsightDoc:
        """Route the outcome of the current step, and return the Insight Doc with the next one."""
        task = self._bank.planner.insight.current
        if task is None:
            return self._bank.planner.insight
        problem = (execution.detail or _NO_ANSWER) if execution.failed else ""
        routed = await self._route(task, execution, problem)
        self.routed.append(routed)
        if routed.problem:
            self._bank.runtime.emit(EventKind.FAILED, routed.problem, route=routed.route)
        return await self.plan(
            FinishedTask(
                type=task.type,
                description=task.description,
                result=(execution.answer.strip() or routed.problem or routed.learned)[:MAX_TEXT],
                failed=bool(routed.problem),
            )
        )

    async def close(self) -> None:
        """Remove the temporary files of the run; called at its end, however it ends."""
        if self._task_id is not None:
            self._uploads.discard(self._task_id)

    async def clear(self) -> None:
        """Remove every file that the run stored, temporary or not."""
        noted = [entry.metadata.get(_OWNED_FILES) for entry in self._bank.tree.entries]
        await self.close()
        await self._kept.clear(str(digest) for digests in noted if isinstance(digests, list) for digest in digests)

    # ── routes ───────────────────────────────────────────────────────

    async def _route(self, task: PlannedTask, execution: Execution, problem: str) -> RoutedStep:
        """Put what came of a step where it belongs: a verdict, recognised files, or new words.

        A model that fails while that is read does not fail the step: its words are in the journal, and are read with
        the next.
        """
        try:
            if task.type is TaskType.CROSS_VALIDATE:
                return await self._route_validation(task, execution, problem)
            if task.upload_ids:
                return await self._route_recognition(task, execution, problem)
            return await self._route_execution(task, execution, problem)
        except LanguageError as error:
            _logger.warning("what came of a step is kept but not understood yet: %s", error)
            route = "validation" if task.conflict_id else RECOGNITION if task.upload_ids else EXECUTION
            return RoutedStep(route, problem=str(error))

    async def _route_validation(self, task: PlannedTask, execution: Execution, problem: str) -> RoutedStep:
        """Settle a conflict by what a validation found, or give it up for this time where it found nothing.

        `give_up` counts the attempts; without that, a conflict that cannot be settled would be planned for ever.
        """
        assert task.conflict_id is not None, "a cross-validation must name its conflict"
        problem = problem or ("" if execution.answer.strip() else _NO_ANSWER)
        if problem:
            await self._bank.give_up(task.conflict_id, why=problem)
            return RoutedStep("validation", problem=problem)
        before = self._bank.conflicts.get(task.conflict_id)
        finding, context = (_as_stored(text, before) for text in (execution.answer, execution.context))
        try:
            conflict = await self._bank.validate(
                task.conflict_id,
                finding,
                context=context,
                metadata=_about(task, execution, context.strip() or finding),
            )
        except LanguageError as error:
            # The finding is in the journal; a conflict whose integration keeps failing must not be planned forever.
            await self._bank.give_up(task.conflict_id, why=str(error))
            return RoutedStep("validation", problem=str(error))
        return RoutedStep("validation", node_ids=conflict.verdict.upheld if conflict.verdict else ())

    async def _route_execution(self, task: PlannedTask, execution: Execution, problem: str) -> RoutedStep:
        """Take in what a step brought; what failed and what is known already is noted and makes no node.

        Notes keep the journal complete, and a node that only repeats another would be compared with every later one.
        """
        text = execution.context.strip() or execution.answer.strip()
        problem = problem or ("" if execution.answer.strip() else _NO_ANSWER)
        about = _about(task, execution, text)
        if problem:
            kept = [await self._bank.note(text, source=_FAILURE, metadata=about)] if text else []
            return RoutedStep(EXECUTION, entry_ids=tuple(kept), problem=problem)
        attachments = [await self._store_file(file) for file in execution.files if file.name and file.name in text]
        if not attachments and self._says_nothing_new(text):
            entry_id = await self._bank.note(text, source=_REPETITION, metadata=about)
            return RoutedStep(EXECUTION, entry_ids=(entry_id,))
        about[_OWNED_FILES] = list(self._kept.brought(attachments))
        observed = await self._bank.observe(
            text,
            source=EXECUTION,
            role="assistant",
            origin=Origin.AGENT,
            attachments=attachments,
            metadata=about,
        )
        return _route_of(EXECUTION, [observed])

    def _says_nothing_new(self, text: str) -> bool:
        """Tell whether every clause was ingested before, word for word: a quote is not a second source.

        Nor is it one behind a yes or a no (with the "no" it would deny what it quotes), or behind whose words it tells.
        """
        known = without_spaces(
            "\n".join(entry.text for entry in self._bank.tree.entries if source_of(entry) in INGESTED_SOURCES)
        )
        said = [clause for part in sentence_texts(_VERDICT.sub("", text)) for clause in _CLAUSE.split(part)]
        return all(without_spaces(_SOURCE.sub("", clause)) in known for clause in said)

    async def _route_recognition(self, task: PlannedTask, execution: Execution, problem: str) -> RoutedStep:
        """Move recognised files to permanent storage; each file and its text become one tree."""
        chosen = self._uploads_of(task)
        if not chosen:
            return RoutedStep(RECOGNITION, problem="the uploads of this step are gone; upload them again")
        language = self._bank.planner.insight.language
        words = {item.upload_id: await self._words(item, language) for item in chosen}
        texts = {name: execution.recognised.get(name, "") or said.text for name, said in words.items()}
        together = [item for item in chosen if not texts[item.upload_id].strip()]
        if together and not execution.answer.strip():
            problem = problem or _NO_ANSWER
        if problem:
            for item in chosen:
                # After the last attempt an upload is removed.
                self._attempts[item.upload_id] = self._attempts.get(item.upload_id, 0) + 1
                if self._attempts[item.upload_id] >= _MAX_ATTEMPTS:
                    self._uploads.drop(self._bank.planner.insight.id, item.upload_id)
            return RoutedStep(RECOGNITION, problem=problem)
        observed = [await self._ingest([item], texts[item.upload_id]) for item in chosen if item not in together]
        if together:
            observed.append(await self._ingest(together, execution.answer))
        # One file that cannot be read is no failure of a step that read the others.
        read = [text for name, text in texts.items() if text and words[name].is_read]
        learned = "\n\n".join(read or filter(None, texts.values()))
        return replace(_route_of(RECOGNITION, observed), learned=learned)

    async def _ingest(self, items: Sequence[Upload], text: str) -> Observed:
        """Take in the text that was recognised in uploads, with the files themselves as its attachments."""
        attachments = [
            await self._kept.put(
                await self.read_upload(item.upload_id),
                attachment_id=item.upload_id,
                name=item.name,
                media_type=item.media_type,
            )
            for item in items
        ]
        references = "\n".join(f"{item.name} [{item.attachment_id}]" for item in attachments)
        try:
            return await self._bank.observe(
                f"{text.strip()}\n{references}",
                source=RECOGNITION,
                role="assistant",
                origin=Origin.AGENT,
                attachments=attachments,
                metadata={
                    "uploads": [item.name for item in items],
                    _OWNED_FILES: list(self._kept.brought(attachments)),
                },
            )
        finally:
            # Text and files are stored even if ingestion failed, and are ingested with the next text; a second upload
            # would only repeat them.
            for item in items:
                self._uploads.drop(self._bank.planner.insight.id, item.upload_id)

    async def _store_file(self, file: File) -> Attachment:
        media_type = file.media_type or media_type_of(file.content, file.name)
        return await self._kept.put(file.content, attachment_id=self._new_id(), name=file.name, media_type=media_type)

    # ── uploads ─────────────────────────────────────────────────────────

    def _uploads_of(self, task: PlannedTask) -> tuple[Upload, ...]:
        return tuple(item for item in self.waiting if item.upload_id in task.upload_ids)

    async def _words(self, item: Upload, language: Language) -> Recognition:
        """Return the text of a document or of code; empty for an image, which has to be seen."""
        if item.type is AttachmentType.IMAGE:
            return Recognition("")
        content = await self.read_upload(item.upload_id)
        return await recognise(item, content, reader=None, language=language)


def _question(insight: InsightDoc) -> str:
    """Return what memory is asked for a step: the step itself, unless the goal says it better.

    A recognition is described by file names, which find nothing, and a step that repeats the goal only adds words of
    its own ("search for …") to it.
    """
    task = insight.current
    if task is None or task.upload_ids or " ".join(insight.goal.split()) in " ".join(task.description.split()):
        return insight.goal
    return task.description


def _as_stored(finding: str, conflict: Conflict) -> str:
    """Return a finding with the statements of its conflict as memory holds them.

    A prompt shows them escaped ("user∶ I moved" for "user: I moved"), and a finding quotes what the prompt showed; the
    integration could not tell which node such a quote upholds.
    """
    for statement in (*sides_of(conflict), *(claim.text for claim in conflict.claims)):
        finding = finding.replace(escape(statement), statement)
    return finding


_VERDICT = lazy_regex(
    r"^\s*(?:(?:yes|no)\s*[:,.—]\s*|(?:不是|是的?|否|不对|对)[。，：,:]\s*)", re.IGNORECASE | re.MULTILINE
)
_CLAUSE = lazy_regex(r"[：；，。！？（）“”\"]|[:;,.!?()](?=\s|$)|\s\(")
_SOURCE = lazy_regex(r"^\s*(?:according to|as per|per|(?:根据|依据|按照|据)(?=\S))\s*", re.IGNORECASE)


def _about(task: PlannedTask, execution: Execution, text: str) -> dict[str, JsonValue]:
    """Return what is noted of a step with its text: its task, its calls, and what of the text is the agent's own."""
    calls: list[JsonValue] = [{"name": call.name, "arguments": call.arguments} for call in execution.tool_calls]
    if calls and execution.said_at is not None and text == execution.context:
        places = execution.said_at
    else:
        places = places_of((*execution.said, execution.answer) if calls else (text,), text)
    return {"task": task.description, "tool_calls": calls, SAID: [list(place) for place in places]}


def _route_of(route: str, observed: Sequence[Observed]) -> RoutedStep:
    """Return the route of texts that were taken in, with every node once, in the order in which they were touched."""
    return RoutedStep(
        route,
        node_ids=tuple(dict.fromkeys(node_id for item in observed for node_id in item.node_ids)),
        entry_ids=tuple(item.entry_id for item in observed),
    )
