"""The loop of an agent: think, call tools, look at what they give, until there is an answer or a limit is reached."""

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from remanent.agents.limits import Ledger, Limits
from remanent.agents.steps import File, Listener, Step
from remanent.agents.tools import AgentTool, ToolOutput, carry_out
from remanent.errors import InvalidInput, LanguageError
from remanent.language.engine import Engine, Usage
from remanent.language.roles import REACT
from remanent.language.roles.react import (
    Image,
    ReactRequest,
    ReactResponse,
    ToolCall,
    ToolResult,
    Turn,
    Urgency,
    tool_responses,
)
from remanent.language.shapes import MAX_TEXT
from remanent.language.wording import abridged
from remanent.model import EntryKind, Origin
from remanent.text.budget import fit

_logger = logging.getLogger(__name__)

_CHARACTERS_PER_TOKEN = 8
"""No tokenizer puts more characters of text into a token on average: what is longer need not be counted."""


NO_USAGE = Usage()


class Stop(StrEnum):
    """Why a run ended."""

    ANSWER = "answer"
    MAX_CALLS = "max_calls"
    TOKEN_LIMIT = "token_limit"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended, and all that was said in it."""

    answer: str | None
    """None when no answer could be had: the model failed, twice."""
    reason: Stop
    detail: str = ""
    """What went wrong, when something did."""
    calls: int = 0
    tokens: int = 0
    """Of the last request, as they were counted before it was sent."""
    turns: tuple[Turn, ...] = ()
    usage: Usage = NO_USAGE
    files: tuple[File, ...] = ()
    """What tools found worth keeping whole."""

    @property
    def context(self) -> str:
        """The run as a text: thoughts, tool calls and results in their tags, the answer last."""
        parts = [part for turn in self.turns for part in (turn.said, tool_responses(turn.results)) if part]
        return "\n".join(parts)


class ReactAgent:
    """Works on a task with tools, in the form of thoughts, tool calls and an answer.

    Near the token limit the final answer is asked for; past it, and with the last call, one is forced.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        tools: Sequence[AgentTool] = (),
        limits: Limits | None = None,
        listener: Listener | None = None,
    ) -> None:
        self._engine = engine
        self._tools = _by_name(tools)
        self._declared = tuple(tool.declaration for tool in tools)
        self._limits = limits or Limits()
        self._listener = listener

    async def run(self, task: str, *, images: Sequence[Image] = ()) -> Outcome:
        """Work on a task until there is an answer, a limit is reached or the model fails."""
        return await _Run(
            engine=self._engine,
            tools=self._tools,
            limits=self._limits,
            listener=self._listener,
            request=ReactRequest(task=task, tools=self._declared, images=tuple(images)),
        ).finish()


class _Run:
    """One run: the request grows by a turn with every call."""

    def __init__(
        self,
        *,
        engine: Engine,
        tools: Mapping[str, AgentTool],
        limits: Limits,
        listener: Listener | None,
        request: ReactRequest,
    ) -> None:
        self._engine = engine
        self._tools = tools
        self._most_tokens = min(limits.max_tokens, engine.window(REACT))
        self._limits = limits
        self._listener = listener
        self._request = request
        self._count = engine.counter(REACT)
        self._ledger = Ledger(self._count, show=lambda shown: REACT.prompt(shown, tongue=REACT.tongue(shown)))
        self._calls = self._tokens = 0
        self._turns: list[Turn] = []
        self._files: list[File] = []
        self._usage: list[Usage] = []

    async def finish(self) -> Outcome:
        while True:
            request, why = self._next()
            try:
                response = await self._ask(request)
            except LanguageError as error:
                await self._tell(Step(EntryKind.EVENT, "agent", f"{Stop.ERROR}: {error}", Origin.AGENT))
                return self._outcome(None, Stop.ERROR, detail=str(error))
            await self._tell(Step(EntryKind.MESSAGE, "assistant", response.said, Origin.AGENT))
            if response.answer is not None:
                self._add(Turn(said=response.said))
                return self._outcome(response.answer, why)
            self._add(Turn(said=response.said, results=tuple(await self._results(response))))

    def _next(self) -> tuple[ReactRequest, Stop]:
        """Return what is asked next, and why the run ends if this gives an answer."""
        tokens = self._ledger.tokens(self._request)
        limits = self._limits
        is_last = self._calls >= limits.max_calls - 1
        if is_last or tokens > self._most_tokens:
            request = self._request.replace(urgency=Urgency.NOW)
            request = self._ledger.fitted(request, self._most_tokens)
            self._tokens = self._ledger.tokens(request)
            return request, Stop.MAX_CALLS if is_last else Stop.TOKEN_LIMIT
        near = tokens >= limits.answer_at * self._most_tokens
        self._tokens = tokens
        request = self._request.replace(urgency=Urgency.SOON) if near else self._request
        return request, Stop.ANSWER

    async def _ask(self, request: ReactRequest) -> ReactResponse:
        """Ask the model; a failure is noted and it is asked once more."""
        self._calls += 1
        try:
            answer = await self._engine.run(REACT, request)
        except LanguageError as error:
            _logger.warning("the agent's model failed and is asked once more: %s", error)
            answer = await self._engine.run(REACT, request)
        self._usage.append(answer.usage)
        return answer.value

    async def _results(self, response: ReactResponse) -> list[ToolResult]:
        """Make the calls of a turn, beside each other; what cannot be called is told."""
        for call in response.tool_calls:
            text = json.dumps({"name": call.name, "arguments": call.arguments}, ensure_ascii=False)
            await self._tell(Step(EntryKind.TOOL_CALL, "assistant", text, Origin.AGENT, {"tool": call.name}))
        timeout = self._limits.tool_timeout
        made = await asyncio.gather(
            *(carry_out(self._tools[call.name], call.arguments, timeout=timeout) for call in response.tool_calls)
        )
        results = []
        for call, (output, failed) in zip(response.tool_calls, made, strict=True):
            results.append(await self._told(call, output, failed=failed))
        results += [ToolResult(name="tool_call", content=problem, failed=True) for problem in response.problems]
        return results

    async def _told(self, call: ToolCall, output: ToolOutput, *, failed: bool) -> ToolResult:
        """Tell the listener all of a result, and the agent as much as it is shown."""
        self._files.extend(output.files)
        about = {"tool": call.name, "arguments": call.arguments, "failed": failed, **output.metadata}
        text = abridged(_clean(output.text), MAX_TEXT)
        origin = self._tools[call.name].origin
        await self._tell(Step(EntryKind.TOOL_RESULT, "tool", text, origin, about, output.files))
        return ToolResult(name=call.name, content=self._shown(text), failed=failed)

    def _shown(self, text: str) -> str:
        """Return as much of a result as an agent is shown at once."""
        most = self._limits.max_result
        head = text[: most * _CHARACTERS_PER_TOKEN]
        if len(head) == len(text) and (len(text) <= most or self._count(text) <= most):
            return text
        return f"{fit(head, most, counter=self._count)}\n…"

    def _add(self, turn: Turn) -> None:
        self._turns.append(turn)
        self._request = self._request.replace(turns=tuple(self._turns))

    async def _tell(self, step: Step) -> None:
        if self._listener is not None:
            await self._listener(step)

    def _outcome(self, answer: str | None, reason: Stop, *, detail: str = "") -> Outcome:
        return Outcome(
            answer=answer,
            reason=reason,
            detail=detail,
            calls=self._calls,
            tokens=self._tokens,
            turns=tuple(self._turns),
            usage=_summed(self._usage),
            files=tuple(self._files),
        )


def _by_name(tools: Sequence[AgentTool]) -> dict[str, AgentTool]:
    named = {tool.declaration.name: tool for tool in tools}
    if len(named) != len(tools):
        raise InvalidInput("two tools of an agent have the same name; give each its own")
    return named


def _clean(text: str) -> str:
    """Return a tool's text without halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _summed(usages: Sequence[Usage]) -> Usage:
    costs = [usage.cost for usage in usages if usage.cost is not None]
    return Usage(
        requests=sum(usage.requests for usage in usages),
        input_tokens=sum(usage.input_tokens for usage in usages),
        output_tokens=sum(usage.output_tokens for usage in usages),
        cost=sum(costs) if costs else None,
    )
