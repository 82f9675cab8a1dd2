"""How far an agent may go, and making what it was told fit into that."""

from collections.abc import Callable
from dataclasses import dataclass

from remanent.errors import InvalidInput
from remanent.language.role import Prompt
from remanent.language.roles.react import ReactRequest, ToolResult, Turn
from remanent.language.wording import abridged
from remanent.settings import ReactSettings

MOST_CALLS = 1_000
_SHORTEST_RESULT = 200
"""Characters of a result that are left when nothing else helps."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many calls and tokens a run may take; the defaults are those of the settings."""

    max_calls: int = 60
    max_tokens: int = 128_000
    answer_at: float = 0.9
    """The share of the tokens from which on the final answer is asked for."""
    max_result: int = 8_000
    """Tokens of one result that the agent is shown."""
    tool_timeout: float = 120.0

    @classmethod
    def of(cls, settings: ReactSettings) -> "Limits":
        """Return the limits that settings give."""
        return cls(
            max_calls=settings.max_calls,
            max_tokens=settings.max_tokens,
            answer_at=settings.answer_at,
            max_result=settings.max_result,
            tool_timeout=settings.tool_timeout,
        )

    def __post_init__(self) -> None:
        if self.max_calls < 1 or self.max_tokens < 1 or self.max_result < 1 or self.tool_timeout <= 0:
            raise InvalidInput("the limits of an agent must be positive")
        if self.max_calls > MOST_CALLS:
            raise InvalidInput(f"an agent makes at most {MOST_CALLS} calls in one run")
        if not 0 < self.answer_at <= 1:
            raise InvalidInput("answer_at is a share above 0, at most 1")


class Ledger:
    """Counts the tokens of a conversation; a text that comes again is counted once."""

    def __init__(self, count: Callable[[str], int], *, show: Callable[[ReactRequest], Prompt]) -> None:
        self._count = count
        self._show = show
        self._counted: dict[str, int] = {}

    def tokens(self, request: ReactRequest) -> int:
        """Return the tokens of all that the model is shown."""
        prompt = self._show(request)
        return sum(map(self._tokens, (prompt.instructions, prompt.content, *(turn.text for turn in prompt.turns))))

    def fitted(self, request: ReactRequest, limit: int) -> ReactRequest:
        """Return the request in so many tokens, if need be with shorter results and without the oldest turns.

        A task that is too long by itself stays as it is: only whoever asked can shorten it.
        """
        longest = max((len(result.content) for turn in request.turns for result in turn.results), default=0)
        fitting = request
        while self.tokens(fitting) > limit and longest > _SHORTEST_RESULT:
            longest = max(_SHORTEST_RESULT, longest // 2)
            fitting = request.replace(turns=tuple(_shorter(turn, longest) for turn in request.turns))
        while self.tokens(fitting) > limit and len(fitting.turns) > 1:
            fitting = fitting.replace(turns=fitting.turns[1:])
        return fitting

    def _tokens(self, text: str) -> int:
        if text not in self._counted:
            self._counted[text] = self._count(text)
        return self._counted[text]


def _shorter(turn: Turn, longest: int) -> Turn:
    results = (
        ToolResult(name=result.name, content=abridged(result.content, longest), failed=result.failed)
        for result in turn.results
    )
    return Turn(said=turn.said, results=tuple(results))
