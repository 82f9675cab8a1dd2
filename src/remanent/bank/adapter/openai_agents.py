"""A bank's steps done by the OpenAI Agents SDK."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from remanent.agents.tools import AgentTool, carry_out
from remanent.bank.adapter.framework import Execution
from remanent.bank.adapter.prompt import EnhancedPrompt
from remanent.bank.adapter.transcript import Transcript
from remanent.errors import InvalidInput, MissingDependency, ToolFailed
from remanent.language.roles.react import ToolCall

if TYPE_CHECKING:
    from agents import Agent, FunctionTool, RunConfig, RunResult, TResponseInputItem


@dataclass(frozen=True, slots=True)
class Presented:
    """A step as the SDK takes it."""

    agent: "Agent[Any]"
    items: "list[TResponseInputItem]"
    transcript: Transcript


@dataclass(frozen=True, slots=True)
class Done:
    """What an agent made of a step."""

    result: "RunResult"
    transcript: Transcript


class OpenAIAgentsFramework:
    """Has steps done by an agent of the user's, which gets the tools of the step beside its own.

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

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> Presented:
        """Return the agent with the tools of the step, and its input with text and pictures."""
        transcript = Transcript(tools)
        agent = self._agent.clone(tools=[*self._agent.tools, *(self._tool(tool, transcript) for tool in tools)])
        content: list[Any] = [{"type": "input_text", "text": prompt.text}]
        content += [
            {
                "type": "input_image",
                "detail": "auto",
                "image_url": f"data:{image.media_type};base64,{image.data}",
            }
            for image in prompt.images
        ]
        return Presented(agent, [{"role": "user", "content": content}], transcript)

    async def execute(self, presented: Presented) -> Done:
        """Run the agent; whatever it raises is told as `ToolFailed`."""
        from agents import RunConfig, Runner

        config = self._run_config or RunConfig(tracing_disabled=True)
        try:
            result = await Runner.run(presented.agent, presented.items, max_turns=self._max_turns, run_config=config)
        except Exception as error:
            # An agent, its model and its tools may raise anything; the step failed, and the run goes on.
            raise ToolFailed(f"the agent failed: {type(error).__name__}: {error}") from error
        return Done(result, presented.transcript)

    def capture(self, result: Done) -> Execution:
        """Return the final output, and all that was said and called as text."""
        from agents import ItemHelpers, MessageOutputItem, ToolCallItem, ToolCallOutputItem

        transcript = result.transcript
        names: dict[str, str] = {}
        output = result.result.final_output
        answer = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False, default=str)
        for item in result.result.new_items:
            if isinstance(item, MessageOutputItem):
                text = ItemHelpers.text_message_output(item)
                transcript.say("" if text == answer else text)
            elif isinstance(item, ToolCallItem):
                call = _call_of(item.raw_item)
                names[_field(item.raw_item, "call_id")] = call.name
                transcript.call(call)
            elif isinstance(item, ToolCallOutputItem):
                transcript.result(names.get(_field(item.raw_item, "call_id"), ""), str(item.output))
        return Execution(
            answer=answer,
            context=transcript.text(answer),
            tool_calls=tuple(transcript.calls),
            files=tuple(transcript.files),
        )

    def _tool(self, tool: AgentTool, transcript: Transcript) -> "FunctionTool":
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
                return "error: the arguments are no JSON object"
            if not isinstance(arguments, dict):
                return "error: the arguments are no JSON object"
            output, failed = await carry_out(tool, arguments, timeout=self._tool_timeout)
            transcript.files.extend(output.files)
            return f"error: {output.text}" if failed else output.text

        declared = tool.declaration
        return FunctionTool(
            name=declared.name,
            description=declared.description,
            params_json_schema=dict(declared.parameters or {"type": "object", "properties": {}}),
            on_invoke_tool=call,
            strict_json_schema=False,
        )


def _call_of(raw: Any) -> ToolCall:
    try:
        arguments = json.loads(_field(raw, "arguments") or "{}")
    except ValueError:
        arguments = {}
    return ToolCall(name=_field(raw, "name"), arguments=arguments if isinstance(arguments, dict) else {})


def _field(raw: Any, name: str) -> str:
    """Return a field of an item that is an object or a dictionary, as the SDK has both."""
    value = raw.get(name) if isinstance(raw, dict) else getattr(raw, name, None)
    return value if isinstance(value, str) else ""
