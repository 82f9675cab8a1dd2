"""A bank's steps done by LangGraph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from remanent.agents.tools import AgentTool, carry_out
from remanent.bank.adapter.framework import Execution
from remanent.bank.adapter.prompt import EnhancedPrompt
from remanent.bank.adapter.transcript import Transcript
from remanent.errors import InvalidInput, MissingDependency, ToolFailed
from remanent.language.roles.react import ToolCall

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage, HumanMessage
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool

Build = Callable[[Sequence["BaseTool"]], "Runnable[Any, Any]"]
"""Returns a compiled graph over `messages` that has these tools among its own."""


@dataclass(frozen=True, slots=True)
class Presented:
    """A step as a graph takes it."""

    graph: "Runnable[Any, Any]"
    message: "HumanMessage"
    transcript: Transcript


@dataclass(frozen=True, slots=True)
class Done:
    """What a graph made of a step."""

    messages: "Sequence[BaseMessage]"
    transcript: Transcript


class LangGraphFramework:
    """Has steps done by a graph of the user's, or by the usual loop of model and tools over a chat model.

    Pictures go along as `image_url` parts with base64, as chat models take them.
    """

    def __init__(self, build: Build, *, max_steps: int = 120, tool_timeout: float = 120.0) -> None:
        if max_steps < 1 or tool_timeout <= 0:
            raise InvalidInput("max_steps and tool_timeout must be positive")
        self._build = build
        self._max_steps = max_steps
        self._tool_timeout = tool_timeout

    @classmethod
    def on_model(cls, model: "BaseChatModel", **options: Any) -> "LangGraphFramework":
        """Return the framework with the usual loop: the model is asked, its tool calls are made, until it answers."""
        return cls(lambda tools: _loop(model, tools), **options)

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> Presented:
        """Return a message with text and pictures, and the graph with the tools of the step."""
        try:
            from langchain_core.messages import HumanMessage
        except ImportError as error:
            raise MissingDependency("LangGraph is not installed: pip install 'remanent[langgraph]'") from error
        transcript = Transcript(tools)
        graph = self._build([self._tool(tool, transcript) for tool in tools])
        if not prompt.images:
            return Presented(graph, HumanMessage(content=prompt.text), transcript)
        parts: list[str | dict[Any, Any]] = [{"type": "text", "text": prompt.text}]
        parts += [
            {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{image.data}"}}
            for image in prompt.images
        ]
        return Presented(graph, HumanMessage(content=parts), transcript)

    async def execute(self, presented: Presented) -> Done:
        """Run the graph; whatever it raises is told as `ToolFailed`."""
        try:
            state = await presented.graph.ainvoke(
                {"messages": [presented.message]}, {"recursion_limit": self._max_steps}
            )
        except Exception as error:
            # A graph, its model and its tools may raise anything; the step failed, and the run goes on.
            raise ToolFailed(f"the graph failed: {type(error).__name__}: {error}") from error
        return Done(state["messages"][1:], presented.transcript)

    def capture(self, result: Done) -> Execution:
        """Return the last thing that the model said, and all messages as text."""
        from langchain_core.messages import AIMessage, ToolMessage

        transcript = result.transcript
        answer = ""
        for message in result.messages:
            if isinstance(message, AIMessage):
                transcript.say(answer)  # what was said before is no answer yet
                answer = message.text
                for call in message.tool_calls:
                    transcript.call(ToolCall(name=call["name"], arguments=call["args"]))
            elif isinstance(message, ToolMessage):
                transcript.result(message.name or "", message.text, failed=message.status == "error")
        return Execution(
            answer=answer,
            context=transcript.text(answer),
            tool_calls=tuple(transcript.calls),
            files=tuple(transcript.files),
        )

    def _tool(self, tool: AgentTool, transcript: Transcript) -> "BaseTool":
        from langchain_core.tools import StructuredTool, ToolException

        async def call(**arguments: Any) -> str:
            output, failed = await carry_out(tool, arguments, timeout=self._tool_timeout)
            if failed:
                raise ToolException(output.text)
            transcript.files.extend(output.files)
            return output.text

        declared = tool.declaration
        return StructuredTool(
            name=declared.name,
            description=declared.description,
            args_schema=declared.parameters or {"type": "object", "properties": {}},
            coroutine=call,
            handle_tool_error=True,
        )


def _loop(model: "BaseChatModel", tools: "Sequence[BaseTool]") -> "Runnable[Any, Any]":
    """Return the graph that asks a model and makes its tool calls until it answers."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    bound = model.bind_tools(list(tools)) if tools else model

    async def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [await bound.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode(list(tools)))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()
