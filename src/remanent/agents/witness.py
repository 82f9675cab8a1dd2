"""A tool whose every call is told to somebody, whatever framework makes it."""

import json

from pydantic import JsonValue

from remanent.agents.steps import Listener, Step
from remanent.agents.tools import AgentTool, OwnKnowledge, ToolOutput
from remanent.errors import RemanentError
from remanent.language.roles.react import ToolDefinition
from remanent.model import EntryKind, Origin


class Witnessed:
    """Tells a listener of each call before it is made, and of what came of it."""

    def __init__(self, tool: AgentTool, listener: Listener) -> None:
        self._tool = tool
        self._listener = listener

    @property
    def declaration(self) -> ToolDefinition:
        """As the tool itself declares it."""
        return self._tool.declaration

    @property
    def origin(self) -> Origin:
        """As the tool itself says."""
        return self._tool.origin

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Have the tool do it."""
        name = self._tool.declaration.name
        text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        await self._listener(Step(EntryKind.TOOL_CALL, "assistant", text, Origin.AGENT, {"tool": name}))
        try:
            output = await self._tool.call(arguments)
        except RemanentError as error:
            await self._result(str(error), {"tool": name, "failed": True})
            raise
        await self._result(output.text, {"tool": name, "failed": False, **output.metadata})
        return output

    async def _result(self, text: str, about: dict[str, JsonValue]) -> None:
        whole = text.encode("utf-8", "replace").decode("utf-8")
        await self._listener(Step(EntryKind.TOOL_RESULT, "tool", whole, self._tool.origin, about))


class _WitnessedKnowledge(Witnessed, OwnKnowledge):
    """The same for a tool that shows what memory holds."""


def witnessed(tool: AgentTool, listener: Listener) -> AgentTool:
    """Return the tool with somebody listening."""
    return (_WitnessedKnowledge if isinstance(tool, OwnKnowledge) else Witnessed)(tool, listener)
