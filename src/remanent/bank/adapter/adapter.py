"""The Adapter: what goes to a framework before a step, and where what comes back belongs."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from remanent.agents.deep_retrieval import DeepRetrieval, DeepRetrievalTool
from remanent.agents.steps import File, Step
from remanent.bank.adapter.framework import Execution
from remanent.bank.adapter.prompt import (
    EnhancedPrompt,
    conflict_block,
    instruction_for,
    memory_block,
    task_block,
    uploads_block,
)
from remanent.bank.attachments import Upload, Uploads
from remanent.bank.bank import EXECUTION, READ, Bank, Observed
from remanent.bank.events import EventKind
from remanent.bank.insight import InsightDoc
from remanent.bank.recognition import recognise
from remanent.bank.tree import source_of
from remanent.errors import LanguageError
from remanent.language.roles.planning import FinishedTask, PlannedTask, TaskType
from remanent.language.roles.react import Image
from remanent.language.shapes import MAX_TEXT
from remanent.language.tidying import shortened
from remanent.language.tongue import Tongue
from remanent.loaders import AttachmentType, media_type_of
from remanent.model import Attachment, NewId, Origin
from remanent.stores.kept import Kept
from remanent.text.sentences import sentence_texts

_logger = logging.getLogger(__name__)

RECOGNITION = "recognition"
"""The source of what was recognised in an upload."""
STEP = "step"
"""The source of a tool call and of what it gave."""
REPETITION = "repetition"
"""The source of what a step said that was taken in before, word for word."""
FAILURE = "failure"
"""The source of what a step said that failed."""
BROUGHT = "brought"
"""The key of an entry's metadata under which the digests stand of files that go when the bank is cleared."""
NO_ANSWER = "the step gave no answer"
_MOST_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class Routed:
    """Where what came back from a step went."""

    route: str
    """`validation`, `recognition` or `execution`."""
    node_ids: tuple[str, ...] = ()
    entry_ids: tuple[str, ...] = ()
    problem: str = ""
    """Why the step counts as failed, when it does."""
    learned: str = ""
    """What was learned beside the answer: the words of documents."""


class Adapter:
    """Three methods: `upload` before or during a run, `enhance` before a step, `intercept` after it.

    A loop over them until the Insight Doc has no current task is a whole run; `close` cleans up after it.
    """

    def __init__(self, bank: Bank, *, uploads: Uploads, kept: Kept, new_id: NewId) -> None:
        self._bank = bank
        self._uploads = uploads
        self._kept = kept
        self._new_id = new_id
        self._task_id: str | None = None
        self._attempts: dict[str, int] = {}
        self.deep = DeepRetrieval(bank.tree.of, kept)
        self.tool = DeepRetrievalTool(self.deep)
        self.routed: list[Routed] = []
        """Where each step went, in order."""

    @property
    def bank(self) -> Bank:
        """The bank that steps are done for."""
        return self._bank

    @property
    def waiting(self) -> tuple[Upload, ...]:
        """The uploads that wait to be recognised."""
        return self._uploads.waiting(self._bank.insight.id)

    @property
    def recognised(self) -> frozenset[str]:
        """The names of the uploads that were recognised."""
        told = [entry.metadata.get("uploads") for entry in self._bank.tree.entries if source_of(entry) == RECOGNITION]
        return frozenset(str(name) for names in told if isinstance(names, list) for name in names)

    async def upload(self, content: bytes, *, name: str = "", media_type: str = "") -> Upload:
        """Keep a file until a step recognises it; the task must have begun."""
        self._task_id = self._bank.insight.id
        return await self._uploads.add(self._task_id, content, name=name, media_type=media_type)

    async def read_upload(self, upload_id: str) -> bytes:
        """Return the bytes of an upload that waits."""
        return await self._uploads.read(self._bank.insight.id, upload_id)

    async def plan(self, finished: FinishedTask | None = None) -> InsightDoc:
        """Have the next step decided, the uploads that wait in view."""
        return await self._bank.plan(finished, uploads=[upload.pending for upload in self.waiting])

    async def witness(self, step: Step) -> None:
        """Keep a tool call or what it gave in the journal, and tell of it."""
        await self._bank.note(
            step.text, source=STEP, kind=step.kind, role=step.role, origin=step.origin, metadata=step.metadata
        )
        about = {name: step.metadata[name] for name in ("tool", "failed") if name in step.metadata}
        self._bank.tell(EventKind.TOOL, shortened(step.text, 300), step=step.kind.value, **about)

    async def enhance(self) -> EnhancedPrompt:
        """Return the prompt of the current step."""
        insight = self._bank.insight
        tongue = insight.tongue
        task = insight.current
        # The name of a file says little about what it is wanted for; the goal does.
        is_recognition = task is not None and bool(task.upload_ids)
        retrieved = await self._bank.search(insight.goal if is_recognition else insight.current_task or insight.goal)
        nodes, memory = memory_block(retrieved.nodes, tongue=tongue)
        matter = ""
        images: tuple[Image, ...] = ()
        chosen: tuple[Upload, ...] = ()
        if task is not None and task.conflict_id is not None:
            matter = conflict_block(self._bank.conflicts.get(task.conflict_id))
        elif task is not None and task.upload_ids:
            chosen = self._chosen(task)
            matter = uploads_block([(item, await self._words(item, tongue)) for item in chosen])
            images = tuple([await self._image(item) for item in chosen if item.type is AttachmentType.IMAGE])
        return EnhancedPrompt(
            insight=insight,
            nodes=nodes,
            task=task_block(insight),
            memory=memory,
            matter=matter,
            instruction=instruction_for(task, tongue=tongue),
            uploads=chosen,
            images=images,
            tools=(self.tool.declaration,),
        )

    async def intercept(self, execution: Execution) -> InsightDoc:
        """Take in what came of the current step, and return the Insight Doc with the next one."""
        task = self._bank.insight.current
        if task is None:
            return self._bank.insight
        problem = (execution.detail or NO_ANSWER) if execution.failed else ""
        routed = await self._route(task, execution, problem)
        self.routed.append(routed)
        if routed.problem:
            self._bank.tell(EventKind.FAILED, routed.problem, route=routed.route)
        return await self.plan(
            FinishedTask(
                type=task.type,
                description=task.description,
                result=(execution.answer.strip() or routed.problem or routed.learned)[:MAX_TEXT],
                failed=bool(routed.problem),
            )
        )

    async def close(self) -> None:
        """Remove what the run kept for a while; called at its end, however it ends."""
        if self._task_id is not None:
            await self._uploads.discard(self._task_id)

    async def clear(self) -> None:
        """Remove every file that the run brought, temporary or not."""
        noted = [entry.metadata.get(BROUGHT) for entry in self._bank.tree.entries]
        await self.close()
        await self._kept.clear(str(digest) for digests in noted if isinstance(digests, list) for digest in digests)

    # ── the three ways ───────────────────────────────────────────────────────

    async def _route(self, task: PlannedTask, execution: Execution, problem: str) -> Routed:
        try:
            if task.type is TaskType.CROSS_VALIDATE:
                return await self._validated(task, execution, problem)
            if task.upload_ids:
                return await self._recognised(task, execution, problem)
            return await self._executed(task, execution, problem)
        except LanguageError as error:
            _logger.warning("what came of a step is kept but not understood yet: %s", error)
            route = "validation" if task.conflict_id else RECOGNITION if task.upload_ids else EXECUTION
            return Routed(route, problem=str(error))

    async def _validated(self, task: PlannedTask, execution: Execution, problem: str) -> Routed:
        assert task.conflict_id is not None, "a cross-validation names its conflict"
        problem = problem or ("" if execution.answer.strip() else NO_ANSWER)
        if problem:
            await self._bank.give_up(task.conflict_id, why=problem)
            return Routed("validation", problem=problem)
        conflict = await self._bank.validate(task.conflict_id, execution.answer)
        return Routed("validation", node_ids=conflict.verdict.upheld if conflict.verdict else ())

    async def _executed(self, task: PlannedTask, execution: Execution, problem: str) -> Routed:
        text = execution.context.strip() or execution.answer.strip()
        problem = problem or ("" if execution.answer.strip() else NO_ANSWER)
        about: dict[str, JsonValue] = {"task": task.description, "tool_calls": _told_calls(execution)}
        if problem:
            kept = [await self._bank.note(text, source=FAILURE, metadata=about)] if text else []
            return Routed(EXECUTION, entry_ids=tuple(kept), problem=problem)
        attachments = [await self._file(file) for file in execution.files if file.name and file.name in text]
        if not attachments and self._says_nothing_new(text):
            entry_id = await self._bank.note(text, source=REPETITION, metadata=about)
            return Routed(EXECUTION, entry_ids=(entry_id,))
        about[BROUGHT] = list(self._kept.brought(attachments))
        observed = await self._bank.observe(
            text,
            source=EXECUTION,
            role="assistant",
            origin=Origin.AGENT,
            attachments=attachments,
            metadata=about,
        )
        return _routed(EXECUTION, [observed])

    def _says_nothing_new(self, text: str) -> bool:
        """Tell whether every sentence stands word for word in what was taken in: a quote is no second source."""
        known = _folded("\n".join(entry.text for entry in self._bank.tree.entries if source_of(entry) in READ))
        return all(_folded(sentence) in known for sentence in sentence_texts(text))

    async def _recognised(self, task: PlannedTask, execution: Execution, problem: str) -> Routed:
        """Move what was recognised to where files are kept, each file and its text as one tree."""
        chosen = self._chosen(task)
        if not chosen:
            return Routed(RECOGNITION, problem="the uploads of this step are gone; upload them again")
        tongue = self._bank.insight.tongue
        told = {
            item.upload_id: execution.recognised.get(item.upload_id, "") or await self._words(item, tongue)
            for item in chosen
        }
        together = [item for item in chosen if not told[item.upload_id].strip()]
        if together and not execution.answer.strip():
            problem = problem or NO_ANSWER
        if problem:
            for item in chosen:
                await self._give_up(item)
            return Routed(RECOGNITION, problem=problem)
        observed = [await self._take_in([item], told[item.upload_id]) for item in chosen if item not in together]
        if together:
            observed.append(await self._take_in(together, execution.answer))
        learned = "\n\n".join(text for text in told.values() if text)
        return replace(_routed(RECOGNITION, observed), learned=learned)

    async def _take_in(self, items: Sequence[Upload], text: str) -> Observed:
        attachments = [await self._moved(item) for item in items]
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
                    BROUGHT: list(self._kept.brought(attachments)),
                },
            )
        finally:
            # The words and the files are kept even if no role understood them; they are read with what comes next.
            for item in items:
                await self._uploads.drop(self._bank.insight.id, item.upload_id)

    async def _moved(self, item: Upload) -> Attachment:
        content = await self.read_upload(item.upload_id)
        return await self._kept.put(content, attachment_id=item.upload_id, name=item.name, media_type=item.media_type)

    async def _file(self, file: File) -> Attachment:
        media_type = file.media_type or media_type_of(file.content, file.name)
        return await self._kept.put(file.content, attachment_id=self._new_id(), name=file.name, media_type=media_type)

    async def _give_up(self, item: Upload) -> None:
        """Count a failed recognition; after the second one the upload no longer waits, or the plan would never end."""
        self._attempts[item.upload_id] = self._attempts.get(item.upload_id, 0) + 1
        if self._attempts[item.upload_id] >= _MOST_ATTEMPTS:
            await self._uploads.drop(self._bank.insight.id, item.upload_id)

    # ── small things ─────────────────────────────────────────────────────────

    def _chosen(self, task: PlannedTask) -> tuple[Upload, ...]:
        return tuple(item for item in self.waiting if item.upload_id in task.upload_ids)

    async def _words(self, item: Upload, tongue: Tongue) -> str:
        """Return what a document or a piece of code says; nothing of a picture, which has to be seen."""
        if item.type is AttachmentType.IMAGE:
            return ""
        content = await self.read_upload(item.upload_id)
        return (await recognise(item, content, reader=None, tongue=tongue)).text

    async def _image(self, item: Upload) -> Image:
        return Image.of(await self.read_upload(item.upload_id), media_type=item.media_type)


def _folded(text: str) -> str:
    return "".join(text.casefold().split())


def _told_calls(execution: Execution) -> list[JsonValue]:
    return [{"name": call.name, "arguments": call.arguments} for call in execution.tool_calls]


def _routed(route: str, observed: Sequence[Observed]) -> Routed:
    return Routed(
        route,
        node_ids=tuple(dict.fromkeys(node_id for item in observed for node_id in item.node_ids)),
        entry_ids=tuple(item.entry_id for item in observed),
    )
