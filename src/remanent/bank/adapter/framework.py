"""What a framework is given for a step and what it gives back: prompt, uploads, protocol, and the built-in agent.

Any agent framework can execute the steps of a bank: it implements three methods and needs to know nothing of memory.
The built-in ReAct agent is one of them and has no privileges.
"""

import asyncio
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol, TypeVar

from remanent.agents.react import AgentResult, ReactAgent, StopReason
from remanent.agents.tools import AgentTool, File, MemoryBackedTool
from remanent.bank.graph import RetrievedNode
from remanent.bank.passages import without_spaces
from remanent.bank.planner import InsightDoc
from remanent.bilingual import Bilingual, Language, in_language
from remanent.embedding.port import MAX_IMAGE_BYTES, ImageReader
from remanent.errors import InvalidInput, NotFound, StorageError
from remanent.language.prompt_blocks import abridged, block, group
from remanent.language.role import Engine, Image
from remanent.language.roles.next_step import PendingUpload, PlannedTask, TaskType
from remanent.language.roles.react import REACT, SET_PHRASES, ReactRequest, ToolDefinition, parse_turn
from remanent.language.tagged_turns import ToolCall
from remanent.lightweight import dataclass
from remanent.loaders import AttachmentType, decoded, load, media_type_of, type_of
from remanent.model import Conflict, Model, NewId
from remanent.model.base import Count, Text
from remanent.model.ids import Id
from remanent.settings import ReactSettings
from remanent.text.sentences import sentence_texts

SAID = "said"
"""The metadata key for the places, as pairs of start and end, at which an entry has the agent's own words."""
_MAX_UPLOAD_CHARS = 20_000
"""Characters of a document that go into the prompt of the step that recognises it; all of them become nodes."""
_NORMAL: Bilingual = Bilingual(
    "Do only the current task above, using memory and tool results. Where a summary is not "
    "enough, read the original text behind its node with deep_retrieval.",
    "请只执行上面的当前任务，依据已有记忆和工具结果作答。摘要不够详细时，用 deep_retrieval 读取节点原文。",
)
_VALIDATE: Bilingual = Bilingual(
    "This is a cross-validation: the claims above contradict each other. Read the original text behind "
    "their nodes with deep_retrieval, consult several sources, compare how reliable and how recent they "
    "are, and say plainly which claim is right and why; if none is, or if it cannot be determined, say so.",
    "这是交叉验证：上面的说法互相矛盾。请先用 deep_retrieval 读取各节点的原文，再查阅多个来源，"
    "比较其可靠性与时间，明确写出哪一种说法正确、依据是什么；如果都不正确或无法判断，也请如实说明。",
)
_RECOGNISE: Bilingual = Bilingual(
    "Recognise the uploads listed above (pictures follow): describe in detail the text, "
    "numbers and charts and what they mean, and name the file.",
    "请识别上面列出的上传内容（图片附在后面），详细描述其中的文字、数字、图表与含义，并写出文件名。",
)


# ── uploads ──────────────────────────────────────────────────────────────────

_MAX_NAME_CHARS = 200
"""Characters of a file's name that are kept. Chosen by hand."""


class Upload(Model):
    """A file that a user gave and that waits to be recognised."""

    upload_id: Id
    name: Text
    media_type: Text
    size: Count

    @property
    def type(self) -> AttachmentType:
        """Image, document or code."""
        return type_of(self.media_type, self.name)

    @property
    def pending(self) -> PendingUpload:
        """The upload as the planner sees it."""
        return PendingUpload(upload_id=self.upload_id, name=self.name, media_type=self.media_type[:100])


class Uploads:
    """The temporary storage: files without a name, by the id of their task's Insight Doc.

    The kernel removes what has no name when its process ends, however it ends, so nothing is left to sweep up.
    """

    def __init__(self, folder: Path | None = None, *, new_id: NewId) -> None:
        self._folder = folder
        self._new_id = new_id
        self._waiting: dict[str, dict[str, tuple[Upload, IO[bytes]]]] = {}

    async def add(self, insight_id: str, content: bytes, *, name: str = "", media_type: str = "") -> Upload:
        """Store a file until it is recognised; its name is only a label."""
        if not content:
            raise InvalidInput("the file is empty; upload one with content")
        if len(content) > MAX_IMAGE_BYTES:
            raise InvalidInput(
                f"the file has {len(content)} bytes, but at most {MAX_IMAGE_BYTES} are accepted; make it smaller"
            )
        media_type = media_type.partition(";")[0].strip().lower()
        # Browsers of Windows send whole paths.
        plain = Path(name.replace("\\", "/")).name.strip()[:_MAX_NAME_CHARS]
        upload = Upload(
            upload_id=self._new_id(),
            name=plain or "upload",
            media_type=media_type or media_type_of(content, plain),
            size=len(content),
        )
        file = await asyncio.to_thread(_kept, self._folder, content)
        self._waiting.setdefault(insight_id, {})[upload.upload_id] = upload, file
        return upload

    def waiting(self, insight_id: str) -> tuple[Upload, ...]:
        """Return what waits to be recognised in a task, in the order in which it came."""
        return tuple(upload for upload, _ in self._waiting.get(insight_id, {}).values())

    async def read(self, insight_id: str, upload_id: str) -> bytes:
        """Return the bytes of an upload; one of another task is refused like one that never was."""
        upload, file = self._waiting.get(insight_id, {}).get(upload_id, (None, None))
        if upload is None or file is None:
            raise NotFound(f"no upload {upload_id} is waiting in this task")
        try:
            return await asyncio.to_thread(os.pread, file.fileno(), upload.size, 0)
        except OSError as error:
            raise StorageError(f"the upload {upload_id} cannot be read any more; upload it again") from error

    def drop(self, insight_id: str, upload_id: str) -> None:
        """Remove an upload that was recognised or given up."""
        _, file = self._waiting.get(insight_id, {}).pop(upload_id, (None, None))
        if file is not None:
            file.close()

    def discard(self, insight_id: str) -> None:
        """Remove all uploads of a task."""
        for _, file in self._waiting.pop(insight_id, {}).values():
            file.close()


def _kept(folder: Path | None, content: bytes) -> IO[bytes]:
    """Return a file without a name that holds an upload."""
    try:
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = TemporaryFile(dir=folder)  # noqa: SIM115 - it is open as long as it waits
        try:
            file.write(content)
            file.flush()
        except BaseException:
            file.close()
            raise
    except OSError as error:
        raise StorageError(f"the upload cannot be stored: {error.strerror}; see bank.temp_dir") from error
    return file


_TEXTS = {
    "image": Bilingual("The text in the picture {name}:\n{text}", "图片 {name} 中的文字：\n{text}"),
    "blank": Bilingual("The picture {name} contains no legible text.", "图片 {name} 中没有可识别的文字。"),
    "document": Bilingual("The document {name} says:\n{text}", "文档 {name} 的内容：\n{text}"),
    "code": Bilingual("The code {name}:\n{text}", "代码 {name}：\n{text}"),
    "unseen": Bilingual(
        "The picture {name} could not be recognised: no vision model is configured (model.vision), and "
        "text recognition is not enabled (remanent[ocr], image_reader).",
        "图片 {name} 无法识别：没有配置能看图的模型（model.vision），"
        "也没有启用文字识别（remanent[ocr]，image_reader）。",
    ),
    "broken": Bilingual("The file {name} could not be read: {why}", "文件 {name} 无法读取：{why}"),
}


@dataclass(frozen=True, slots=True)
class Recognition:
    """The text of an upload, or a sentence that says why there is none."""

    text: str
    is_read: bool = True


async def recognise(upload: Upload, content: bytes, *, reader: ImageReader | None, language: Language) -> Recognition:
    """Return the text of an upload; where it cannot be read, a sentence that says so, since the step must go on."""
    texts = in_language(_TEXTS, language)
    try:
        text = await _words(upload, content, reader)
    except InvalidInput as error:
        return Recognition(texts["broken"].format(name=upload.name, why=error), is_read=False)
    if text is None:
        return Recognition(texts["unseen"].format(name=upload.name), is_read=False)
    if not text.strip():
        return Recognition(texts["blank"].format(name=upload.name))
    return Recognition(texts[upload.type.value].format(name=upload.name, text=text.strip()))


async def _words(upload: Upload, content: bytes, reader: ImageReader | None) -> str | None:
    """Return what is written in an upload, or nothing for a picture where nothing reads pictures."""
    if upload.type is AttachmentType.IMAGE:
        return await reader.read_text(content) if reader is not None else None
    if upload.type is AttachmentType.CODE:
        return decoded(content)
    return (await load(content, name=upload.name, read_image=reader.read_text if reader else None)).text


# ── a step ───────────────────────────────────────────────────────────────────


class EnhancedPrompt(Model):
    """What a framework is given for one step; stored text in it is escaped and cannot leave its tag."""

    insight: InsightDoc
    nodes: tuple[RetrievedNode, ...] = ()
    """What memory holds about the step, newest first, as far as it fits."""
    task: Text
    """`<task>` with the whole Insight Doc."""
    memory: Text
    """`<memory>`: under each node the passages that matter to the step, with its context and keywords where there is
    room."""
    details: Text = ""
    """`<conflict>` or `<uploads>`, where the step is about one."""
    instruction: Text = ""
    uploads: tuple[Upload, ...] = ()
    """The uploads to recognise in this step."""
    images: tuple[Image, ...] = ()
    """The images among the uploads, in their order."""
    tools: tuple[ToolDefinition, ...] = ()
    """The tools of memory itself, declared by JSON schema."""

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return "\n".join(part for part in (self.task, self.memory, self.details, self.instruction) if part)


def task_block(insight: InsightDoc) -> str:
    """Return the Insight Doc in its tag."""
    return block("task", tidy_insight(insight).render())


def tidy_insight(insight: InsightDoc) -> InsightDoc:
    """Return the Insight Doc with each value on one line: a line break in a result could fake another sub-task."""
    return insight.replace(
        goal=_one_line(insight.goal),
        completed=tuple(
            task.replace(description=_one_line(task.description), context=_one_line(task.context))
            for task in insight.completed
        ),
        current=insight.current.replace(description=_one_line(insight.current.description))
        if insight.current
        else None,
    )


def conflict_block(conflict: Conflict) -> str:
    """Return the claims of a conflict, each under the id of its node."""
    claims = [block("claim", claim.text, node=claim.record_id) for claim in conflict.claims]
    return group("conflict", [block("description", conflict.description), *claims], id=conflict.id)


def uploads_block(uploads: Sequence[tuple[Upload, str]]) -> str:
    """Return the list of uploads, each with its text where it can be read without vision."""
    return group(
        "uploads",
        [
            block("upload", abridged(words or upload.name, _MAX_UPLOAD_CHARS), id=upload.upload_id, name=upload.name)
            for upload, words in uploads
        ],
    )


def instruction_for(task: PlannedTask | None, *, language: Language) -> str:
    """Return the instruction for a step, by its type."""
    if task is not None and task.type is TaskType.CROSS_VALIDATE:
        return _VALIDATE[language]
    return _RECOGNISE[language] if task is not None and task.upload_ids else _NORMAL[language]


def _one_line(text: str) -> str:
    return " ".join(text.split())


StepT = TypeVar("StepT")
StepResultT = TypeVar("StepResultT")


@dataclass(frozen=True, slots=True)
class Execution:
    """What a framework made of a step."""

    answer: str
    """The result of the step: of a cross-validation the verdict, of a recognition the description."""
    context: str = ""
    """The whole execution as text: reasoning, tool calls, results. The bank learns from it; what its own tools said
    should be left out."""
    said: tuple[str, ...] = ()
    """The parts of the context that are the agent's own words, and no evidence. The answer is in any case, and where no
    tool was called all of it."""
    said_at: tuple[tuple[int, int], ...] | None = None
    """The same as places in the context: words that a tool has told stay evidence where it told them."""
    failed: bool = False
    detail: str = ""
    """Why it failed, or ended early."""
    tool_calls: tuple[ToolCall, ...] = ()
    recognised: Mapping[str, str] = field(default_factory=dict)
    """The text of each upload by its id, where they were recognised one by one."""
    files: tuple[File, ...] = ()
    """Files that tools returned; those that the context mentions by name are kept."""


class Framework(Protocol[StepT, StepResultT]):
    """An agent framework that executes the steps of a bank.

    `present` puts a prompt into the framework's form, images included; `execute` runs it; `capture` reads the result.
    A `RemanentError` that `execute` raises marks the step as failed, and the run goes on; anything else ends it.
    """

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> StepT:
        """Return the prompt as the framework takes it."""
        ...

    async def execute(self, step: StepT) -> StepResultT:
        """Do the step."""
        ...

    def capture(self, result: StepResultT) -> Execution:
        """Return what came of it."""
        ...


def places_of(parts: Iterable[str], text: str) -> tuple[tuple[int, int], ...]:
    """Return every place at which parts stand in a text, as pairs of start and end: an agent thinks what it answers."""
    found = (re.finditer(re.escape(part.strip()), text) for part in parts if part.strip())
    return tuple(place.span() for places in found for place in places)


class Transcript:
    """Collects the thoughts, calls and results of a step as the text that the bank learns from.

    Calls of memory-backed tools are left out, and what memory holds already of their results: the bank would learn its
    own words as news.
    """

    def __init__(self, tools: Sequence[AgentTool]) -> None:
        self._own = {tool.declaration.name: tool for tool in tools if isinstance(tool, MemoryBackedTool)}
        self._parts: list[tuple[str, int | None]] = []
        """What was said and told in its order; with what a tool told, how many arguments it had been given."""
        self._given: list[str] = []
        self.calls: list[ToolCall] = []
        self.files: list[File] = []

    def say(self, text: str) -> None:
        """Add something that the agent thought or said before its answer."""
        self._parts.append((text.strip(), None))

    def call(self, call: ToolCall) -> None:
        """Add a tool call."""
        self.calls.append(call)
        self._given += map(str, call.arguments.values())
        if call.name not in self._own:
            self.say(f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}")

    def result(self, name: str, content: str, *, failed: bool = False) -> None:
        """Add the result of a tool call, as far as it is news to memory; a failed one taught nothing."""
        if not failed:
            news = self._own[name].news(content) if name in self._own else content
            self._parts.append((news.strip(), len(self._given)))

    def execution(self, answer: str, *, detail: str = "", files: Sequence[File] = ()) -> Execution:
        """Return the step with the whole transcript, the answer last, and the files that its tools gave."""
        parts = [part for part in (*self._parts, (answer.strip(), None)) if part[0]]
        said = dict.fromkeys(text for text, given in parts if given is None)
        places: list[tuple[int, int]] = []
        context = ""
        for text, given in parts:
            context += "\n\n" if context else ""
            # What a tool only gives back is the agent's word still.
            own = [text] if given is None else [one for one in said if any(one in arg for arg in self._given[:given])]
            places += [(len(context) + start, len(context) + end) for start, end in places_of(own, text)]
            context += text
        calls, files = tuple(self.calls), (*self.files, *files)
        return Execution(answer, context, tuple(said), tuple(places), detail=detail, tool_calls=calls, files=files)


@dataclass(frozen=True, slots=True)
class ReactStep:
    """A step in the form of the built-in agent."""

    prompt: EnhancedPrompt
    tools: tuple[AgentTool, ...]


@dataclass(frozen=True, slots=True)
class ReactStepResult:
    """The result of a step: a run of the agent, or uploads that were read without one."""

    step: ReactStep
    outcome: AgentResult | None = None
    recognised: Mapping[str, str] = field(default_factory=dict)


def _own_words(thought: str, told: str) -> str:
    """Return a thought without the sentences that the agent was told: small models repeat their rules and memory."""
    known = without_spaces(told)
    return "\n".join(sentence for sentence in sentence_texts(thought) if without_spaces(sentence) not in known)


class BuiltinReact:
    """Executes steps with the built-in agent, on whichever engine is configured.

    Images are shown to a model with vision; without one the text in them is read, if a reader is installed.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        limits: ReactSettings | None = None,
        reader: ImageReader | None = None,
    ) -> None:
        self._engine = engine
        self._limits = limits
        self._reader = reader

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> ReactStep:
        """Return the prompt with the tools of the step."""
        return ReactStep(prompt, tuple(tools))

    async def execute(self, step: ReactStep) -> ReactStepResult:
        """Run the agent; uploads that its model cannot see are read without it."""
        prompt = step.prompt
        if prompt.uploads and not (prompt.images and self._engine.sees(REACT)):
            return ReactStepResult(step, recognised=await self._read(prompt))
        agent = ReactAgent(self._engine, tools=step.tools, limits=self._limits)
        return ReactStepResult(step, outcome=await agent.run(prompt.text, images=prompt.images))

    def capture(self, result: ReactStepResult) -> Execution:
        """Return the answer with the reasoning, the calls and their results."""
        outcome = result.outcome
        if outcome is None:
            text = "\n\n".join(result.recognised.values())
            return Execution(answer=text, context=text, recognised=result.recognised)
        if outcome.answer is None:
            return Execution(answer="", failed=True, detail=outcome.detail or outcome.reason.value)
        detail = "" if outcome.reason is StopReason.ANSWER else outcome.reason.value
        return self._transcript(outcome, result.step).execution(outcome.answer, detail=detail, files=outcome.files)

    async def _read(self, prompt: EnhancedPrompt) -> dict[str, str]:
        """Return what is read in the pictures of a prompt, by upload; the step's own model is given words only."""
        pictures = iter(prompt.images)
        texts: dict[str, str] = {}
        for upload in prompt.uploads:
            if upload.type is AttachmentType.IMAGE:
                image = next(pictures)
                read = await recognise(upload, image.content, reader=self._reader, language=prompt.insight.language)
                texts[upload.upload_id] = read.text
        return texts

    def _transcript(self, outcome: AgentResult, step: ReactStep) -> Transcript:
        """Return what an agent said and did as a text that a bank takes in, without the words that we gave it.

        What only repeats the prompt would come back as a finding of the agent's own.
        """
        transcript = Transcript(step.tools)
        names = [tool.declaration.name for tool in step.tools]
        shown = REACT.prompt(ReactRequest(task=step.prompt.text), language=step.prompt.insight.language)
        told = "\n".join([shown.instructions, shown.content, *SET_PHRASES])
        # The offline engine has no thoughts, only set phrases, which would become nodes of no use.
        thinks = self._engine.name != "offline"
        for turn in outcome.turns:
            parsed = parse_turn(turn.said, tools=names)
            transcript.say(_own_words(parsed.thought, told) if thinks else "")
            for call in parsed.tool_calls:
                transcript.call(call)
            for result in turn.results:
                transcript.result(result.name, result.content, failed=result.failed)
        return transcript
