"""What executes a step: three methods, whatever the framework is."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from remanent.agents.react import AgentResult, Limits, ReactAgent, StopReason
from remanent.agents.tools import AgentTool, File, MemoryBackedTool, StepListener
from remanent.bank.adapter.prompt import EnhancedPrompt
from remanent.bank.uploads import recognise
from remanent.embedding.port import ImageReader
from remanent.language.engine import Engine
from remanent.language.exchanges.react import ToolCall
from remanent.language.roles import REACT
from remanent.language.tags import parse
from remanent.loaders import AttachmentType

StepT = TypeVar("StepT")
StepResultT = TypeVar("StepResultT")


@dataclass(frozen=True, slots=True)
class Execution:
    """What came of a step."""

    answer: str
    """What the step found out; of a cross-validation its verdict, of a recognition the description."""
    context: str = ""
    """The whole execution as text: reasoning, tool calls, results; what memory said already need not be in it."""
    failed: bool = False
    detail: str = ""
    """Why it failed, or ended before it was done."""
    tool_calls: tuple[ToolCall, ...] = ()
    recognised: Mapping[str, str] = field(default_factory=dict)
    """By upload id, what each says, when that is known one by one."""
    files: tuple[File, ...] = ()
    """Files that tools gave; those that the context names are kept."""


class Framework(Protocol[StepT, StepResultT]):
    """How another agent framework is put to work on a bank's steps.

    `present` brings a prompt into the framework's form, pictures included; `execute` has it done; `capture` reads what
    came of it. Errors that `execute` raises as `RemanentError` mark the step as failed, and the run goes on.
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


class Transcript:
    """Gathers what was thought, called and found; what memory said itself is left out, or it would learn it twice."""

    def __init__(self, tools: Sequence[AgentTool]) -> None:
        self._own = {tool.declaration.name for tool in tools if isinstance(tool, MemoryBackedTool)}
        self._parts: list[str] = []
        self.calls: list[ToolCall] = []
        self.files: list[File] = []

    def say(self, text: str) -> None:
        """Add something that the agent thought or said on the way."""
        self._parts.append(text)

    def call(self, call: ToolCall) -> None:
        """Add a tool call."""
        self.calls.append(call)
        if call.name not in self._own:
            self._parts.append(f"{call.name} {json.dumps(call.arguments, ensure_ascii=False)}")

    def result(self, name: str, content: str, *, failed: bool = False) -> None:
        """Add what a tool gave."""
        if name not in self._own and not failed:
            self._parts.append(content)

    def text(self, answer: str) -> str:
        """Return the whole, the answer last."""
        return "\n\n".join(part.strip() for part in (*self._parts, answer) if part.strip())


@dataclass(frozen=True, slots=True)
class ReactStep:
    """A step as the built-in agent takes it."""

    prompt: EnhancedPrompt
    tools: tuple[AgentTool, ...]


@dataclass(frozen=True, slots=True)
class ReactStepResult:
    """What came of a step: a run of the agent, or what was recognised without one."""

    step: ReactStep
    outcome: AgentResult | None = None
    recognised: Mapping[str, str] = field(default_factory=dict)


class BuiltinReact:
    """Has steps done by the built-in agent, on whichever engine there is.

    Pictures are shown to a model that sees; otherwise what is written in them is read, if a reader is installed.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        limits: Limits | None = None,
        reader: ImageReader | None = None,
        listener: StepListener | None = None,
    ) -> None:
        self._engine = engine
        self._limits = limits
        self._reader = reader
        self._listener = listener

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> ReactStep:
        """Return the prompt with the tools of the step."""
        return ReactStep(prompt, tuple(tools))

    async def execute(self, step: ReactStep) -> ReactStepResult:
        """Run the agent; a recognition that nobody can see is done by reading."""
        prompt = step.prompt
        if prompt.uploads and not (prompt.images and self._engine.sees(REACT)):
            return ReactStepResult(step, recognised=await self._read(prompt))
        agent = ReactAgent(self._engine, tools=step.tools, limits=self._limits, listener=self._listener)
        return ReactStepResult(step, outcome=await agent.run(prompt.text, images=prompt.images))

    def capture(self, result: ReactStepResult) -> Execution:
        """Return what the agent found, with its reasoning, its calls and what they brought from outside."""
        outcome = result.outcome
        if outcome is None:
            told = "\n\n".join(result.recognised.values())
            return Execution(answer=told, context=told, recognised=result.recognised)
        if outcome.answer is None:
            return Execution(answer="", failed=True, detail=outcome.detail or outcome.reason.value)
        transcript = self._transcript(outcome, result.step.tools)
        return Execution(
            answer=outcome.answer,
            context=transcript.text(outcome.answer),
            detail="" if outcome.reason is StopReason.ANSWER else outcome.reason.value,
            tool_calls=tuple(transcript.calls),
            files=outcome.files,
        )

    async def _read(self, prompt: EnhancedPrompt) -> dict[str, str]:
        pictures = iter(prompt.images)
        told: dict[str, str] = {}
        for upload in prompt.uploads:
            if upload.type is AttachmentType.IMAGE:
                image = next(pictures)
                read = await recognise(upload, image.content, reader=self._reader, tongue=prompt.insight.tongue)
                told[upload.upload_id] = read.text
        return told

    def _transcript(self, outcome: AgentResult, tools: Sequence[AgentTool]) -> Transcript:
        transcript = Transcript(tools)
        names = [tool.declaration.name for tool in tools]
        # The engine without a model has no thoughts, only set phrases.
        thinks = self._engine.name != "offline"
        for turn in outcome.turns:
            said = parse(turn.said, tools=names)
            transcript.say(said.thought if thinks else "")
            for call in said.tool_calls:
                transcript.call(call)
            for result in turn.results:
                transcript.result(result.name, result.content, failed=result.failed)
        return transcript
