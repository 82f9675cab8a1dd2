"""A step's execution as the text that memory learns from."""

import json
from collections.abc import Sequence

from remanent.agents.steps import File
from remanent.agents.tools import AgentTool, OwnKnowledge
from remanent.language.roles.react import ToolCall


class Transcript:
    """Gathers what was thought, called and found; what memory said itself is left out, or it would learn it twice."""

    def __init__(self, tools: Sequence[AgentTool]) -> None:
        self._own = {tool.declaration.name for tool in tools if isinstance(tool, OwnKnowledge)}
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
