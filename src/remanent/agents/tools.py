"""What a model can call: the `AgentTool` protocol, any typed function as a tool, and calls within a time limit.

One small protocol serves the built-in agent and every framework that a bank is put on: an adapter wraps an `AgentTool`
into its framework's own kind of tool, so that a tool is written once.
"""

import asyncio
import inspect
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import field
from typing import Any, Protocol, get_type_hints, runtime_checkable

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError, create_model
from pydantic.errors import PydanticSchemaGenerationError
from pydantic_core import to_jsonable_python

from remanent.errors import InvalidInput, RemanentError
from remanent.language.roles.react import ToolDefinition
from remanent.lightweight import dataclass
from remanent.model import EntryKind, Origin
from remanent.model.base import describe
from remanent.text.scripts import well_formed


@dataclass(frozen=True, slots=True)
class File:
    """A file that a tool returned with its text, because an excerpt of it would not do."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class AgentStep:
    """One thing that happened in a run: a tool call, or a tool's result.

    It carries what a journal entry needs, so that a listener can store it without knowing the agent.
    """

    kind: EntryKind
    role: str
    text: str
    origin: Origin
    metadata: dict[str, JsonValue] = field(default_factory=dict)


StepListener = Callable[[AgentStep], Awaitable[None]]
"""Receives every step when it happens and is awaited before the next one, so that the journal is never behind."""


_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool returns: text for the agent to read, and files to keep whole."""

    text: str
    files: tuple[File, ...] = ()
    metadata: dict[str, JsonValue] = field(default_factory=dict)
    """Stored with the journal entry, never shown to the agent: addresses, counts and the like."""


@runtime_checkable
class AgentTool(Protocol):
    """A tool: how it is declared to the model, how far its results can be trusted, and what it does.

    A call that cannot be made raises. The messages of `ToolFailed` and `InvalidInput` are shown to the agent as they
    are, so that it can correct its call; they should say what to do.
    """

    @property
    def declaration(self) -> ToolDefinition:
        """Its name, what it is for, and the JSON schema of its arguments."""
        ...

    @property
    def origin(self) -> Origin:
        """Where its results come from; memory trusts the web less than a person."""
        ...

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Do it."""
        ...


class MemoryBackedTool:
    """Marks a tool that shows what memory already holds.

    Its results are left out of what a bank learns from a step: a memory that learns what it said itself would count
    one source twice.
    """

    def news(self, content: str) -> str:
        """Return the part of a result that memory does not hold; unless overridden there is none."""
        del self, content
        return ""


class FunctionTool:
    """A typed function, async or not, as a tool: its signature gives the schema, its docstring the description.

    Arguments are validated before the function sees them, because models do send wrong types. What it returns becomes
    text; anything but a string is written as JSON.
    """

    def __init__(
        self,
        function: Callable[..., Any] | Callable[..., Awaitable[Any]],
        *,
        name: str = "",
        description: str = "",
        origin: Origin = Origin.TOOL,
    ) -> None:
        self._function = function
        self._arguments = _arguments_of(function)
        schema = self._arguments.model_json_schema()
        schema.pop("title", None)
        self.declaration = ToolDefinition(
            name=name or getattr(function, "__name__", ""),
            description=description or inspect.getdoc(function) or "",
            parameters=schema,
        )
        self.origin = origin

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Call the function with checked arguments."""
        try:
            checked = self._arguments.model_validate(arguments)
        except ValidationError as error:
            name = self.declaration.name
            raise InvalidInput(f"invalid {name}: {describe(error, what=name)}") from error
        given = {name: getattr(checked, name) for name in type(checked).model_fields}
        # A plain function may block; in a thread of its own it delays nobody else on the event loop.
        is_async = inspect.iscoroutinefunction(self._function)
        result = self._function(**given) if is_async else await asyncio.to_thread(self._function, **given)
        if inspect.isawaitable(result):
            result = await result
        return result if isinstance(result, ToolOutput) else ToolOutput(_to_text(result))


async def call_tool(tool: AgentTool, arguments: dict[str, JsonValue], *, timeout: float) -> tuple[ToolOutput, bool]:
    """Return a tool's output, or the reason it has none, and whether it failed.

    Nothing but cancellation gets out: a failing tool is news for the agent, not the end of its run.
    """
    name = tool.declaration.name
    try:
        async with asyncio.timeout(timeout):
            return await tool.call(arguments), False
    except RemanentError as error:
        return ToolOutput(str(error)), True
    except TimeoutError:
        return ToolOutput(f"{name} took longer than {timeout:g} s"), True
    except Exception as error:  # noqa: BLE001 - a user's own tool may raise anything; the agent is told and goes on
        message = f"{name} failed: {type(error).__name__}: {error}"
        _logger.warning("the tool %s", message)
        return ToolOutput(message), True


def _arguments_of(function: Callable[..., Any]) -> type[BaseModel]:
    """Return the model of a function's parameters; without a type hint a parameter accepts any JSON value."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
            raise InvalidInput(
                f"the parameter {name} of a tool cannot be passed by name; make it an ordinary parameter"
            )
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (hints.get(name, JsonValue), default)
    try:
        return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)
    except (PydanticSchemaGenerationError, TypeError) as error:
        raise InvalidInput("the parameters of a tool must have types that JSON can represent") from error


def _to_text(result: object) -> str:
    """Return what a function returned as a model reads it: text as it is, all else as JSON."""
    return result if isinstance(result, str) else json.dumps(to_jsonable_python(result), ensure_ascii=False)


class ListenedTool:
    """Reports each call of a tool to a listener before it is made, and its result afterwards.

    The wrapper sits on the tool and not in the agent, so that calls are journaled whichever framework makes them.
    """

    def __init__(self, tool: AgentTool, listener: StepListener) -> None:
        self._tool = tool
        self._listener = listener
        self.declaration = tool.declaration
        self.origin = tool.origin

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Have the tool do it."""
        name = self.declaration.name
        text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
        await self._listener(AgentStep(EntryKind.TOOL_CALL, "assistant", text, Origin.AGENT, {"tool": name}))
        try:
            output = await self._tool.call(arguments)
        except RemanentError as error:
            await self._result(str(error), {"tool": name, "failed": True})
            raise
        await self._result(output.text, {"tool": name, "failed": False, **output.metadata})
        return output

    async def _result(self, text: str, about: dict[str, JsonValue]) -> None:
        whole = well_formed(text)
        await self._listener(AgentStep(EntryKind.TOOL_RESULT, "tool", whole, self.origin, about))


class _ListenedMemoryTool(ListenedTool, MemoryBackedTool):
    """The same for a tool that shows what memory holds: the mark must survive the wrapping."""

    def news(self, content: str) -> str:
        """As the tool itself says."""
        return self._tool.news(content) if isinstance(self._tool, MemoryBackedTool) else ""


def with_listener(tool: AgentTool, listener: StepListener) -> AgentTool:
    """Return the tool so that its calls and results are reported to a listener."""
    return (_ListenedMemoryTool if isinstance(tool, MemoryBackedTool) else ListenedTool)(tool, listener)
