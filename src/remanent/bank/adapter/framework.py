"""What executes a step: three methods, whatever the framework is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from remanent.agents.steps import File
from remanent.agents.tools import AgentTool
from remanent.bank.adapter.prompt import EnhancedPrompt
from remanent.language.roles.react import ToolCall

PresentedT = TypeVar("PresentedT")
ResultT = TypeVar("ResultT")


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


class Framework(Protocol[PresentedT, ResultT]):
    """How another agent framework is put to work on a bank's steps.

    `present` brings a prompt into the framework's form, pictures included; `execute` has it done; `capture` reads what
    came of it. Errors that `execute` raises as `RemanentError` mark the step as failed, and the run goes on.
    """

    def present(self, prompt: EnhancedPrompt, *, tools: Sequence[AgentTool]) -> PresentedT:
        """Return the prompt as the framework takes it."""
        ...

    async def execute(self, presented: PresentedT) -> ResultT:
        """Do the step."""
        ...

    def capture(self, result: ResultT) -> Execution:
        """Return what came of it."""
        ...
