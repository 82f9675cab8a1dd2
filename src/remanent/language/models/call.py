"""One request to a model and what it said, in our own words: no provider's types."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from remanent.language.role import Said

Output = Literal["schema", "tool", "json", "text"]
"""How an answer is asked for: by JSON schema, as a tool call, as any JSON, or in words alone."""

Finish = Literal["stop", "length", "filter", "tool", "other"]
"""Why a model stopped: it was done, at its limit, its answer was withheld, it wants a tool."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a model is asked."""

    model: str
    instructions: str
    turns: tuple[Said, ...]
    name: str
    """What the answer is called where it needs a name."""
    schema: dict[str, Any] | None = field(default=None, repr=False)
    """What the answer must fit; none when it is plain text."""
    output: Output = "text"
    temperature: float = 0.6
    top_p: float = 0.95
    max_tokens: int = 4096
    stop: tuple[str, ...] = ()

    def following(self, *turns: Said) -> "Call":
        """Return the call that goes on with these turns."""
        return replace(self, turns=(*self.turns, *turns))


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered and what that took."""

    text: str
    """The arguments, when the answer came as the tool call that was asked for."""
    finish: Finish = "stop"
    tool: str = ""
    """A tool that it wants and that it was not offered."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
