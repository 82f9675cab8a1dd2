"""Adapter: the steps that a task bank plans, carried out by an agent of LangGraph.

LangGraph runs the loop of the model and its tools; this module hands it our tools and makes a transcript of what was
said and called, which the bank takes in like that of its own agent.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from remanent.agents.tools import AgentTool, call_tool
from remanent.bank.adapter.framework import EnhancedPrompt, Execution, Transcript
from remanent.bilingual import Language
from remanent.errors import InvalidInput, MissingDependency, ToolFailed
from remanent.language.tagged_turns import ToolCall
from remanent.lightweight import dataclass

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage, HumanMessage
    from langchain_core.runnables import Runnable
    from langchain_core.tools import BaseTool

Build = Callable[[Sequence["BaseTool"]], "Runnable[Any, Any]"]
"""Returns a compiled graph over `messages` that has these tools among its own."""


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A step in the form that a graph takes: the graph with its tools, and the message."""

    graph: "Runnable[Any, Any]"
    message: "HumanMessage"
    transcript: Transcript


@dataclass(frozen=True, slots=True)
class GraphStepResult:
    """The messages that a graph added for a step."""

    messages: "Sequence[BaseMessage]"
    transcript: Transcript


class LangGraphFramework:
    """Executes steps with a graph of the user's, or with the usual loop of model and tools over a chat model.

    The graph is built for each step, because the tools of a step are known only then. Images go along as base64 in
    `image_url` parts, the form that most chat models accept.
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

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> GraphStep:
        """Return a message with text and pictures, and the graph with the tools of the step."""
        try:
            from langchain_core.messages import HumanMessage
        except ImportError as error:
            raise MissingDependency("LangGraph is not installed: pip install 'remanent[langgraph]'") from error
        transcript = Transcript(tools)
        graph = self._build([self._tool(tool, transcript, prompt.insight.language) for tool in tools])
        if not prompt.images:
            return GraphStep(graph, HumanMessage(content=prompt.text), transcript)
        parts: list[str | dict[Any, Any]] = [{"type": "text", "text": prompt.text}]
        parts += [
            {"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{image.data}"}}
            for image in prompt.images
        ]
        return GraphStep(graph, HumanMessage(content=parts), transcript)

    async def execute(self, step: GraphStep) -> GraphStepResult:
        """Run the graph; whatever it raises becomes `ToolFailed`."""
        try:
            state = await step.graph.ainvoke({"messages": [step.message]}, {"recursion_limit": self._max_steps})
        except Exception as error:
            # A graph, its model and its tools may raise anything; the step failed, and the run goes on.
            raise ToolFailed(f"the graph failed: {type(error).__name__}: {error}") from error
        # The first message is the prompt itself.
        return GraphStepResult(state["messages"][1:], step.transcript)

    def capture(self, result: GraphStepResult) -> Execution:
        """Return the last message of the model as the answer, and all messages as text."""
        from langchain_core.messages import AIMessage, ToolMessage

        transcript = result.transcript
        answer = ""
        for message in result.messages:
            if isinstance(message, AIMessage):
                transcript.say(answer)  # an earlier message was not the answer
                answer = message.text
                for call in message.tool_calls:
                    transcript.call(ToolCall(name=call["name"], arguments=call["args"]))
            elif isinstance(message, ToolMessage):
                transcript.result(message.name or "", message.text, failed=message.status == "error")
        return transcript.execution(answer)

    def _tool(self, tool: AgentTool, transcript: Transcript, language: Language) -> "BaseTool":
        """Return a tool of ours as LangChain calls it; a failure is told to the model, and ends nothing."""
        from langchain_core.tools import StructuredTool, ToolException

        async def call(**arguments: Any) -> str:
            output, failed = await call_tool(tool, arguments, timeout=self._tool_timeout)
            if failed:
                raise ToolException(output.text)
            transcript.files.extend(output.files)
            return output.text

        declared = tool.declaration.told(language)
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
