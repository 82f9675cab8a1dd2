"""Adapter: the steps that a task bank plans, carried out by an agent of the OpenAI Agents SDK.

The SDK runs the loop of the model and its tools; this module hands it our tools and makes a transcript of what was said
and called, which the bank takes in like that of its own agent.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from remanent.agents.tools import AgentTool, call_tool
from remanent.bank.adapter.framework import EnhancedPrompt, Execution, Transcript
from remanent.bilingual import Language
from remanent.errors import InvalidInput, MissingDependency, ToolFailed
from remanent.language.tagged_turns import ToolCall
from remanent.lightweight import dataclass

if TYPE_CHECKING:
    from agents import Agent, FunctionTool, RunConfig, RunResult, TResponseInputItem


@dataclass(frozen=True, slots=True)
class SdkStep:
    """A step in the form that the SDK takes: the agent with the step's tools, and the input."""

    agent: "Agent[Any]"
    items: "list[TResponseInputItem]"
    transcript: Transcript


@dataclass(frozen=True, slots=True)
class SdkStepResult:
    """The result of an agent's run for a step."""

    result: "RunResult"
    transcript: Transcript


class OpenAIAgentsFramework:
    """Executes steps with an agent of the user's, which gets the tools of the step in addition to its own.

    Nothing is sent to a tracing service unless `run_config` says so.
    """

    def __init__(
        self,
        agent: "Agent[Any]",
        *,
        max_turns: int = 60,
        run_config: "RunConfig | None" = None,
        tool_timeout: float = 120.0,
    ) -> None:
        if max_turns < 1 or tool_timeout <= 0:
            raise InvalidInput("max_turns and tool_timeout must be positive")
        self._agent = agent
        self._max_turns = max_turns
        self._run_config = run_config
        self._tool_timeout = tool_timeout

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> SdkStep:
        """Return the agent with the tools of the step, and its input with text and pictures."""
        transcript = Transcript(tools)
        own = [self._tool(tool, transcript, prompt.insight.language) for tool in tools]
        agent = self._agent.clone(tools=[*self._agent.tools, *own])
        content: list[Any] = [{"type": "input_text", "text": prompt.text}]
        content += [
            {
                "type": "input_image",
                "detail": "auto",
                "image_url": f"data:{image.media_type};base64,{image.data}",
            }
            for image in prompt.images
        ]
        return SdkStep(agent, [{"role": "user", "content": content}], transcript)

    async def execute(self, step: SdkStep) -> SdkStepResult:
        """Run the agent; whatever it raises becomes `ToolFailed`."""
        from agents import RunConfig, Runner

        # The SDK sends traces to its vendor unless it is told not to; memory must not leave the machine unasked.
        config = self._run_config or RunConfig(tracing_disabled=True)
        try:
            result = await Runner.run(step.agent, step.items, max_turns=self._max_turns, run_config=config)
        except Exception as error:
            # An agent, its model and its tools may raise anything; the step failed, and the run goes on.
            raise ToolFailed(f"the agent failed: {type(error).__name__}: {error}") from error
        return SdkStepResult(result, step.transcript)

    def capture(self, result: SdkStepResult) -> Execution:
        """Return the final output as the answer, and everything said and called as text."""
        from agents import ItemHelpers, MessageOutputItem, ToolCallItem, ToolCallOutputItem

        transcript = result.transcript
        names: dict[str, str] = {}
        output = result.result.final_output
        answer = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str)
        for item in result.result.new_items:
            if isinstance(item, MessageOutputItem):
                text = ItemHelpers.text_message_output(item)
                # The answer is put last by itself; said twice it would weigh twice.
                transcript.say("" if text == answer else text)
            elif isinstance(item, ToolCallItem):
                call = _call_of(item.raw_item)
                names[_field(item.raw_item, "call_id")] = call.name
                transcript.call(call)
            elif isinstance(item, ToolCallOutputItem):
                transcript.result(names.get(_field(item.raw_item, "call_id"), ""), str(item.output))
        return transcript.execution(answer)

    def _tool(self, tool: AgentTool, transcript: Transcript, language: Language) -> "FunctionTool":
        """Return a tool of ours as the SDK calls it; arguments that are no JSON object are answered, and not raised.

        The SDK hands over what the model wrote: raising there would end the run, while a model that is told mends its
        call.
        """
        try:
            from agents import FunctionTool
        except ImportError as error:
            raise MissingDependency(
                "the OpenAI Agents SDK is not installed: pip install 'remanent[openai-agents]'"
            ) from error

        async def call(_: Any, written: str) -> str:
            try:
                arguments = json.loads(written or "{}")
            except ValueError:
                return "error: the arguments are not a JSON object"
            if not isinstance(arguments, dict):
                return "error: the arguments are not a JSON object"
            output, failed = await call_tool(tool, arguments, timeout=self._tool_timeout)
            transcript.files.extend(output.files)
            return f"error: {output.text}" if failed else output.text

        declared = tool.declaration.told(language)
        return FunctionTool(
            name=declared.name,
            description=declared.description,
            params_json_schema=dict(declared.parameters or {"type": "object", "properties": {}}),
            on_invoke_tool=call,
            # Strict schemas allow no optional parameters, which `deep_retrieval` and most users' tools have.
            strict_json_schema=False,
        )


def _call_of(raw: Any) -> ToolCall:
    """Return a call as it was asked for; arguments that cannot be read count as none: this only tells what was done."""
    try:
        arguments = json.loads(_field(raw, "arguments") or "{}")
    except ValueError:
        arguments = {}
    return ToolCall(name=_field(raw, "name"), arguments=arguments if isinstance(arguments, dict) else {})


def _field(raw: Any, name: str) -> str:
    """Return a field of an item; the SDK has both objects and dictionaries."""
    value = raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)
    return value if isinstance(value, str) else ""
