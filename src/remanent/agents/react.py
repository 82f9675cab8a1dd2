"""The loop of an agent: think, call tools, look at what they give, until there is an answer or a limit is reached."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import cache

from remanent.agents.tools import AgentTool, File, call_tool
from remanent.bilingual import Bilingual, Language, locale_language, translated
from remanent.errors import InvalidInput, LanguageError
from remanent.language.prompt_blocks import abridged
from remanent.language.role import Engine, Image, Toolbox, Usage
from remanent.language.roles.react import (
    REACT,
    ReactRequest,
    ReactResponse,
    ToolResult,
    Turn,
    Urgency,
    direct_answer,
    first_search,
    search_of_claims,
    tool_responses,
)
from remanent.language.shapes import MAX_TEXT
from remanent.lightweight import dataclass
from remanent.settings import ReactSettings
from remanent.text.scripts import well_formed
from remanent.text.tokens import fit

_ANSWER_TOKENS = 2_048
_ANSWER_SHARE = 8
"""What a window keeps free for the answer: so many tokens, or this part of a small window (by hand, from BANK-25's
128,000 and from windows of 4,096)."""
_MOST_IDLE = 2
"""Turns in a row without a call or an answer, after which the answer is forced, as after two that are alike: a small
model that goes astray would say the same until its calls are used up."""
_MIN_RESULT_CHARS = 200
"""Characters that are left of a result when nothing else helps: about a sentence or two (chosen by hand)."""


class TokenLedger:
    """Counts the tokens of a conversation and shortens it where it must.

    Tokenizing is slow and a conversation only grows, so each text is counted once and its count is kept.
    """

    def __init__(self, count: Callable[[str], int]) -> None:
        self._tokens = cache(count)

    def tokens(self, request: ReactRequest) -> int:
        """Return the tokens of all that the model is shown."""
        prompt = REACT.prompt(request, language=REACT.language(request))
        return sum(map(self._tokens, (prompt.instructions, prompt.content, *(turn.text for turn in prompt.turns))))

    def fitted(self, request: ReactRequest, limit: int) -> ReactRequest:
        """Return the request in so many tokens, if need be with shorter results and without the oldest turns.

        A task that is too long by itself stays as it is: only whoever asked can shorten it.
        """
        longest = max((len(result.content) for turn in request.turns for result in turn.results), default=0)
        fitting = request
        while self.tokens(fitting) > limit and longest > _MIN_RESULT_CHARS:
            longest = max(_MIN_RESULT_CHARS, longest // 2)
            fitting = request.replace(turns=tuple(_shorter(turn, longest) for turn in request.turns))
        while self.tokens(fitting) > limit and len(fitting.turns) > 1:
            fitting = fitting.replace(turns=fitting.turns[1:])
        return fitting


def _shorter(turn: Turn, longest: int) -> Turn:
    """Return a turn whose results have at most so many characters; what the agent itself said stays whole."""
    results = (result.replace(content=abridged(result.content, longest)) for result in turn.results)
    return turn.replace(results=tuple(results))


_logger = logging.getLogger(__name__)
_CODE_ANSWERS = Bilingual(
    "the agent's answer uses nothing it was shown, or leaves the question open; the offline engine answers",
    "智能体的回答没有用到所给内容，或没有给出结论；改由规则作答",
)
_ASKED_AGAIN = Bilingual(
    "the agent's model failed and is asked once more: {error}", "智能体的模型出错，将再试一次：{error}"
)


def _language_of(request: ReactRequest) -> Language:
    """Return the language to warn in: the user's, or that of the task."""
    return "zh" if locale_language() == "zh" else REACT.language(request)


_CHARACTERS_PER_TOKEN = 8
"""No tokenizer puts more characters of ordinary text into a token on average: a text longer than that many per token
is cut before it is counted, which spares tokenizing megabytes of a tool result."""


class StopReason(StrEnum):
    """Why a run ended."""

    ANSWER = "answer"
    MAX_CALLS = "max_calls"
    TOKEN_LIMIT = "token_limit"
    NO_PROGRESS = "no_progress"
    """Two turns were alike, or two had neither a call nor an answer: the answer was forced."""
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class AgentResult:
    """How a run ended, and all that was said in it."""

    answer: str | None
    """`None` when the model failed twice in a row and there is no answer."""
    reason: StopReason
    detail: str = ""
    """What went wrong, when something did."""
    calls: int = 0
    tokens: int = 0
    """Of the last request, as counted before it was sent; providers count a little differently."""
    turns: tuple[Turn, ...] = ()
    usage: Usage = Usage()
    files: tuple[File, ...] = ()
    """The files that tools returned."""

    @property
    def context(self) -> str:
        """The whole run as text: thoughts, tool calls and results in their tags, the answer last."""
        parts = [part for turn in self.turns for part in (turn.said, tool_responses(turn.results)) if part]
        return "\n".join(parts)


class ReactAgent:
    """Works on a task with tools in the ReAct pattern: thought, tool calls, results, and in the end an answer.

    Near the token limit the final answer is asked for; past it, and with the last call, one is forced. An agent holds
    no state between runs, so one can serve several at a time.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        tools: Sequence[AgentTool] = (),
        limits: ReactSettings | None = None,
    ) -> None:
        self._engine = engine
        self._tools = {tool.declaration.name: tool for tool in tools}
        if len(self._tools) != len(tools):  # of two with one name only one could ever be called
            raise InvalidInput("two of the agent's tools have the same name; give each its own")
        self._declared = tuple(tool.declaration for tool in tools)
        self._limits = limits or ReactSettings()

    async def run(self, task: str, *, images: Sequence[Image] = ()) -> AgentResult:
        """Work on a task until there is an answer, a limit is reached or the model fails."""
        return await _ReactRun(
            engine=self._engine,
            tools=self._tools,
            limits=self._limits,
            request=ReactRequest(task=task, tools=self._declared, images=tuple(images)),
        ).finish()


class _ReactRun:
    """The state of one run: the request grows by a turn with every call of the model."""

    def __init__(
        self,
        *,
        engine: Engine,
        tools: Mapping[str, AgentTool],
        limits: ReactSettings,
        request: ReactRequest,
    ) -> None:
        self._engine = engine
        self._tools = tools
        # A limit above the model's window would only be found out by its refusal.
        window = engine.window(REACT)
        self._most_tokens = min(limits.max_tokens, window - min(_ANSWER_TOKENS, window // _ANSWER_SHARE))
        self._limits = limits
        self._request = request
        self._count = engine.counter(REACT)
        self._ledger = TokenLedger(self._count)
        self._calls = self._tokens = 0
        self._idle = 0
        """Turns in a row that brought nothing."""
        self._turns: list[Turn] = []
        self._files: list[File] = []
        self._usage: list[Usage] = []

    async def finish(self) -> AgentResult:
        """Ask and call tools, turn by turn, until there is an answer, a limit is reached or the model fails.

        A failing model ends the run with what was found so far and the reason: a run of many calls is not thrown away
        for its last one. Whatever is said is reported before it is acted on, so that the journal has it even if the
        next call fails.
        """
        if (search := search_of_claims(self._request)) is not None:
            self._add(Turn(said=search.said, results=tuple(await self._results(search))))
        while True:
            request, why = self._next()
            try:
                response = await self._ask(request)
            except LanguageError as error:
                return self._outcome(None, StopReason.ERROR, detail=str(error))
            response = first_search(request, response) or response
            if (answer := response.answer) is not None:
                self._add(Turn(said=response.said))
                # The sentence that has all that is asked where the answer tells nothing of it.
                known = await direct_answer(request, response, Toolbox())
                if known is not None:
                    _logger.warning(_CODE_ANSWERS[_language_of(request)])
                return self._outcome(answer if known is None else known, why)
            self._idle = 0 if response.tool_calls else self._idle + 1
            self._add(Turn(said=response.said, results=tuple(await self._results(response))))

    def _next(self) -> tuple[ReactRequest, StopReason]:
        """Return the next request, and the reason to report if it brings the answer."""
        tokens = self._ledger.tokens(self._request)
        limits = self._limits
        # The last call must bring the answer: another turn of tools would have nobody left to read it.
        is_last = self._calls >= limits.max_calls - 1
        is_repeated = len(self._turns) > 1 and self._turns[-1].said == self._turns[-2].said
        is_stuck = is_repeated or self._idle >= _MOST_IDLE
        if is_last or is_stuck or tokens > self._most_tokens:
            request = self._request.replace(urgency=Urgency.NOW)
            request = self._ledger.fitted(request, self._most_tokens)
            self._tokens = self._ledger.tokens(request)
            if is_last:
                return request, StopReason.MAX_CALLS
            return request, StopReason.NO_PROGRESS if is_stuck else StopReason.TOKEN_LIMIT
        near = tokens >= limits.answer_at * self._most_tokens
        self._tokens = tokens
        request = self._request.replace(urgency=Urgency.SOON) if near else self._request
        return request, StopReason.ANSWER

    async def _ask(self, request: ReactRequest) -> ReactResponse:
        """Ask the model; after one failure it is asked once more, a second one is the engine's, or the caller's."""
        self._calls += 1
        try:
            answer = await self._engine.run(REACT, request)
        except LanguageError as error:
            language = _language_of(request)
            _logger.warning(_ASKED_AGAIN.say(language, error=translated(str(error), language)))
            try:
                answer = await self._engine.run(REACT, request)
            except LanguageError as again:
                answer = await self._engine.run_instead(REACT, request, again)
        self._usage.append(answer.usage)
        return answer.value

    async def _results(self, response: ReactResponse) -> list[ToolResult]:
        """Make the calls of a turn concurrently; a call that could not be parsed becomes a failed result."""
        timeout = self._limits.tool_timeout
        made = await asyncio.gather(
            *(call_tool(self._tools[call.name], call.arguments, timeout=timeout) for call in response.tool_calls)
        )
        results = []
        for call, (output, failed) in zip(response.tool_calls, made, strict=True):
            self._files.extend(output.files)
            text = abridged(well_formed(output.text), MAX_TEXT)
            results.append(ToolResult(name=call.name, content=self._shown(text), failed=failed))
        results += [ToolResult(name="tool_call", content=problem, failed=True) for problem in response.problems]
        return results

    def _shown(self, text: str) -> str:
        """Return as much of a result as the agent is shown."""
        most = self._limits.max_result
        head = text[: most * _CHARACTERS_PER_TOKEN]
        if len(head) == len(text) and (len(text) <= most or self._count(text) <= most):
            return text
        return f"{fit(head, most, counter=self._count)}\n…"

    def _add(self, turn: Turn) -> None:
        self._turns.append(turn)
        self._request = self._request.replace(turns=tuple(self._turns))

    def _outcome(self, answer: str | None, reason: StopReason, *, detail: str = "") -> AgentResult:
        """Return how the run ended, with all that it cost."""
        return AgentResult(
            answer=answer,
            reason=reason,
            detail=detail,
            calls=self._calls,
            tokens=self._tokens,
            turns=tuple(self._turns),
            usage=Usage.total(self._usage),
            files=tuple(self._files),
        )
