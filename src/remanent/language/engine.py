"""The port of whatever runs roles: a model, or no model at all.

There is always one: without a model the offline engine runs every role, so that no caller asks whether a model is
there.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic

from remanent.errors import LanguageError
from remanent.language.role import ReplyT, RequestT, ResponseT, Role
from remanent.model import Maker, RoleFigures
from remanent.text.tokens import TokenCounter, token_counter
from remanent.values import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """In US dollars; `None` when the model's price is not known."""

    @classmethod
    def total(cls, usages: Sequence["Usage"]) -> "Usage":
        """Return the sum of several usages; what was done without a model costs nothing and leaves the cost known."""
        paid = [usage for usage in usages if usage.requests or usage.input_tokens or usage.cost is not None]
        return cls(
            requests=sum(usage.requests for usage in usages),
            input_tokens=sum(usage.input_tokens for usage in usages),
            output_tokens=sum(usage.output_tokens for usage in usages),
            cost=total_cost([usage.cost for usage in paid]),
        )


def total_cost(costs: Sequence[float | None]) -> float | None:
    """Return the sum, or None where a part of it is not known: a sum of the rest would be too low a bill."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None


@dataclass(frozen=True, slots=True)
class Answer(Generic[ResponseT]):
    """A role's response, who gave it, and what it cost."""

    value: ResponseT
    made_by: Maker
    """Role, engine (`offline`, or the model's name) and version, as kept on what is derived from the answer."""
    usage: Usage = Usage()


Listener = Callable[[str], Awaitable[None]]
"""Is told the pieces of a text as they come."""


class Engine(ABC):
    """Runs roles. Failures are `LanguageError` and its kin, never a provider's own exception."""

    name: str

    @abstractmethod
    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the checked response of a role to a request."""

    async def run_whole(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Do the same and raise `ModelRejected` when a request is too much, for whoever can ask for less."""
        return await self.run(role, request)

    async def stream(
        self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT, *, listener: Listener
    ) -> Answer[ResponseT]:
        """Run a role of the form `text` and tell its pieces on the way.

        An engine that has its answer all at once tells none, so the answer is what counts.
        """
        return await self.run(role, request)

    async def run_instead(
        self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT, error: LanguageError
    ) -> Answer[ResponseT]:
        """Do a role in another way after its model failed for good, or raise the failure where there is none."""
        raise error

    @property
    def figures(self) -> tuple[RoleFigures, ...]:
        """What each role took of a model; empty where none is asked."""
        return ()

    def sees(self, role: Role[RequestT, ReplyT, ResponseT]) -> bool:
        """Tell whether whoever does a role's work can be shown pictures."""
        return False

    def window(self, role: Role[RequestT, ReplyT, ResponseT]) -> int:
        """Return the tokens that a request of a role may have."""
        return role.defaults.window

    def counter(self, role: Role[RequestT, ReplyT, ResponseT]) -> TokenCounter:
        """Return what counts the tokens of a role's requests."""
        return token_counter()

    @abstractmethod
    async def close(self) -> None:
        """Let go of connections."""
