"""The built-in agent as the framework that does a bank's steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remanent.agents.limits import Limits
from remanent.agents.react import Outcome, ReactAgent, Stop
from remanent.agents.steps import Listener
from remanent.agents.tools import AgentTool
from remanent.bank.adapter.framework import Execution
from remanent.bank.adapter.prompt import EnhancedPrompt
from remanent.bank.adapter.transcript import Transcript
from remanent.bank.recognition import recognise
from remanent.embedding.port import ImageReader
from remanent.language.engine import Engine
from remanent.language.roles import REACT
from remanent.language.roles.react import parse
from remanent.loaders import AttachmentType


@dataclass(frozen=True, slots=True)
class Presented:
    """A step as the built-in agent takes it."""

    prompt: EnhancedPrompt
    tools: tuple[AgentTool, ...]


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a step: a run of the agent, or what was recognised without one."""

    presented: Presented
    outcome: Outcome | None = None
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
        listener: Listener | None = None,
    ) -> None:
        self._engine = engine
        self._limits = limits
        self._reader = reader
        self._listener = listener

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> Presented:
        """Return the prompt with the tools of the step."""
        return Presented(prompt, tuple(tools))

    async def execute(self, presented: Presented) -> Done:
        """Run the agent; a recognition that nobody can see is done by reading."""
        prompt = presented.prompt
        if prompt.uploads and not (prompt.images and self._engine.sees(REACT)):
            return Done(presented, recognised=await self._read(prompt))
        agent = ReactAgent(self._engine, tools=presented.tools, limits=self._limits, listener=self._listener)
        return Done(presented, outcome=await agent.run(prompt.text, images=prompt.images))

    def capture(self, result: Done) -> Execution:
        """Return what the agent found, with its reasoning, its calls and what they brought from outside."""
        outcome = result.outcome
        if outcome is None:
            told = "\n\n".join(result.recognised.values())
            return Execution(answer=told, context=told, recognised=result.recognised)
        if outcome.answer is None:
            return Execution(answer="", failed=True, detail=outcome.detail or outcome.reason.value)
        transcript = self._transcript(outcome, result.presented.tools)
        return Execution(
            answer=outcome.answer,
            context=transcript.text(outcome.answer),
            detail="" if outcome.reason is Stop.ANSWER else outcome.reason.value,
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

    def _transcript(self, outcome: Outcome, tools: Sequence[AgentTool]) -> Transcript:
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
