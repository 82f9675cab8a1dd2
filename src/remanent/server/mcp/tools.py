"""The tools that a model sees: the catalogue's own, fewer than twelve."""

import logging
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic_core import to_jsonable_python

from remanent.errors import RemanentError
from remanent.language.tongue import Tongue, tongue_of
from remanent.operations import Body, Catalogue, Operation, Place, Principal, Report, Service
from remanent.server.mcp.schemas import check_offered, input_schema, offered, texts_in
from remanent.server.mcp.telling import tell
from remanent.server.problems import log_failure, row_of
from remanent.server.telemetry import Tracer

MOST = 11
"""A model that is shown more chooses worse, and every one of them costs tokens in every request."""

_logger = logging.getLogger(__name__)


def chosen(catalogue: Catalogue) -> dict[str, Operation[Any, Any]]:
    """Return the operations that are offered as tools, by the tool's name; those that come first in the catalogue."""
    tools: dict[str, Operation[Any, Any]] = {}
    for operation in catalogue.values():
        if operation.tool is None or operation.answers is not Body.JSON or operation.reads is not Body.JSON:
            continue
        if len(tools) == MOST:
            _logger.warning("tool %s is not offered: %d are enough", operation.tool.name, MOST)
            continue
        tools[operation.tool.name] = operation
    return tools


class Tools:
    """Lists tools and calls them."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._tools = chosen(service.catalogue)
        self._tracer = Tracer()
        self._language = service.memory.settings.language

    @property
    def tongue(self) -> Tongue:
        """The language of what is said before any question is known."""
        return "zh" if self._language == "zh" else "en"

    def listed(self, principal: Principal) -> list[types.Tool]:
        """Return the tools that the principal may use at all."""
        return [
            types.Tool(
                name=name,
                description=getattr(operation.tool.description, self.tongue) if operation.tool else None,
                input_schema=input_schema(operation, tongue=self.tongue),
                annotations=types.ToolAnnotations(
                    read_only_hint=not operation.changes,
                    destructive_hint=operation.destroys,
                    idempotent_hint=not operation.changes,
                    open_world_hint=False,
                ),
            )
            for name, operation in self._tools.items()
            if principal.may(operation.permission)
        ]

    async def call(
        self, name: str, arguments: Mapping[str, Any], *, place: Place, principal: Principal, report: Report
    ) -> types.CallToolResult:
        """Do what a tool does; what goes wrong is told in the result, so that the model can do better."""
        operation = self._tools.get(name)
        if operation is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {name}; there are {', '.join(self._tools)}")
        tongue = self.spoken(arguments)
        try:
            check_offered(arguments, offered(operation))
            with self._tracer.operation(operation.name, agent=place.agent, act=operation.act):
                answer = await self._service.perform(
                    operation.name, arguments, place=place, principal=principal, report=report
                )
        except RemanentError as error:
            return _failed(error, tongue=tongue)
        value = to_jsonable_python(answer)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=_told(operation, answer, tongue))],
            structured_content=value if isinstance(value, dict) else {"result": value},
        )

    def spoken(self, arguments: object) -> Tongue:
        """Return the language that an answer is given in: as set, or that of the question."""
        return self._language if self._language != "auto" else tongue_of(*texts_in(arguments))


def _told(operation: Operation[Any, Any], answer: object, tongue: Tongue) -> str:
    """Return an answer in the words of its operation, or of its type."""
    own = operation.tool.tell if operation.tool is not None else None
    return tell(answer, tongue=tongue) if own is None else own(answer, tongue)


def _failed(error: RemanentError, *, tongue: Tongue) -> types.CallToolResult:
    """Return what went wrong, in words that help to do better; what lies inside of the server stays inside."""
    row = row_of(error)
    log_failure(error, status=row.status)
    told = str(error) if row.tells else {"en": f"{row.title}; try again later", "zh": "内部错误，请稍后再试"}[tongue]
    head = {"en": "It did not work", "zh": "未能完成"}[tongue]
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=f"{head}: {told}")],
        structured_content={"error": type(error).__name__, "message": told},
        is_error=True,
    )
