"""What an agent may call: a small protocol, and any typed function as a tool."""

import asyncio
import inspect
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol, get_type_hints, runtime_checkable

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticSchemaGenerationError

from remanent.agents.steps import File
from remanent.errors import InvalidInput, RemanentError
from remanent.language.exchanges.react import Tool
from remanent.model import Origin
from remanent.model.base import describe

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gives back: a text for the agent, and files that are worth keeping whole."""

    text: str
    files: tuple[File, ...] = ()
    metadata: dict[str, JsonValue] = field(default_factory=dict)
    """What the journal keeps beside the text: addresses, counts and the like."""


@runtime_checkable
class AgentTool(Protocol):
    """A tool: how it is declared, how far its results can be trusted, and what it does.

    A call that cannot be carried out raises; `ToolFailed` and `InvalidInput` are told to the agent as they are.
    """

    @property
    def declaration(self) -> Tool:
        """Its name, what it is for, and the JSON schema of its arguments."""
        ...

    @property
    def origin(self) -> Origin:
        """Where its results come from."""
        ...

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Do it."""
        ...


class OwnKnowledge:
    """Marks a tool that only shows what memory holds already: its results teach nothing new."""


class FunctionTool:
    """A typed function, async or not, as a tool: its signature gives the schema, its docstring the description.

    Arguments are checked before the function sees them. What it returns is told as text, anything but text as JSON.
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
        self._declaration = Tool(
            name=name or getattr(function, "__name__", ""),
            description=description or inspect.getdoc(function) or "",
            parameters=schema,
        )
        self._origin = origin

    @property
    def declaration(self) -> Tool:
        """Its name, what it is for, and the JSON schema of its arguments."""
        return self._declaration

    @property
    def origin(self) -> Origin:
        """Where its results come from."""
        return self._origin

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Call the function with checked arguments."""
        try:
            checked = self._arguments.model_validate(arguments)
        except ValidationError as error:
            name = self._declaration.name
            raise InvalidInput(f"invalid {name}: {describe(error, what=name)}") from error
        given = {name: getattr(checked, name) for name in type(checked).model_fields}
        # A plain function runs in a thread: it may take its time, and others must not wait for it.
        is_async = inspect.iscoroutinefunction(self._function)
        result = self._function(**given) if is_async else await asyncio.to_thread(self._function, **given)
        if inspect.isawaitable(result):
            result = await result
        return result if isinstance(result, ToolOutput) else ToolOutput(_told(result))


async def carry_out(tool: AgentTool, arguments: dict[str, JsonValue], *, timeout: float) -> tuple[ToolOutput, bool]:
    """Return what a tool gives, or why it does not, and whether it failed."""
    name = tool.declaration.name
    try:
        async with asyncio.timeout(timeout):
            return await tool.call(arguments), False
    except RemanentError as error:
        return ToolOutput(str(error)), True
    except TimeoutError:
        return ToolOutput(f"{name} took longer than {timeout:g} s"), True
    except Exception as error:  # noqa: BLE001 - a user's own tool may raise anything; the agent is told and goes on
        told = f"{name} failed: {type(error).__name__}: {error}"
        _logger.warning("the tool %s", told)
        return ToolOutput(told), True


def _arguments_of(function: Callable[..., Any]) -> type[BaseModel]:
    """Return the model of a function's parameters; every one of them has a name and, for a useful schema, a type."""
    hints = get_type_hints(function, include_extras=True)
    fields: dict[str, Any] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY}:
            raise InvalidInput(f"the parameter {name} of a tool must be one that can be given by name")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (hints.get(name, JsonValue), default)
    try:
        return create_model("Arguments", __config__=ConfigDict(extra="forbid"), **fields)
    except (PydanticSchemaGenerationError, TypeError) as error:
        raise InvalidInput("the parameters of a tool must be of types that JSON can carry") from error


def _told(result: object) -> str:
    if isinstance(result, str):
        return result
    adapter: TypeAdapter[Any] = TypeAdapter(Any)
    return json.dumps(adapter.dump_python(result, mode="json"), ensure_ascii=False)
