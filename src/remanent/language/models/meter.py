"""What language work takes, counted per role.

A part without a price makes the whole unknown: the sum of the prices that are known was passed off as the whole.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field

from remanent.errors import LanguageError, ModelRejected, ModelUnavailable, Refused
from remanent.language.engine import Usage, total_cost
from remanent.language.models.call import Completion
from remanent.values import dataclass

_KINDS = {ModelUnavailable: "unavailable", ModelRejected: "rejected", Refused: "refused", LanguageError: "other"}


@dataclass(frozen=True, slots=True)
class RoleUsage:
    """What a role took since the engine was made."""

    runs: int = 0
    requests: int = 0
    """Requests that were sent, further attempts and repairs included."""
    retries: int = 0
    repairs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """In US dollars, of the answers whose price is known; `None` when that is none of them."""
    unpriced: int = 0
    """Answers whose price is not known."""
    failures: dict[str, int] = field(default_factory=dict)
    """Runs without an answer, by the kind of error; `stopped` are those that were cancelled."""
    seconds: float = 0.0
    """All runs together."""
    longest: float = 0.0
    """The longest run, in seconds."""


@dataclass(slots=True)
class RunUsage:
    """What one run takes."""

    requests: int = 0
    retries: int = 0
    repairs: int = 0
    answers: list[Completion] = field(default_factory=list)

    @property
    def usage(self) -> Usage:
        """The run's usage, as it is given back with the answer."""
        return Usage(
            requests=self.requests,
            input_tokens=sum(answer.input_tokens for answer in self.answers),
            output_tokens=sum(answer.output_tokens for answer in self.answers),
            cost=total_cost([answer.cost for answer in self.answers]),
        )


class UsageMeter:
    """Adds up what runs take."""

    def __init__(self, *, now: Callable[[], float]) -> None:
        self._now = now
        self._roles: dict[str, RoleUsage] = {}

    def read(self) -> dict[str, RoleUsage]:
        """Return what each role took, by its name."""
        return dict(sorted(self._roles.items()))

    @contextmanager
    def run(self, role: str) -> Iterator[RunUsage]:
        """Count a run, however it ends."""
        tally = RunUsage()
        started = self._now()
        failure = ""
        try:
            yield tally
        except LanguageError as error:
            failure = next(name for kind, name in _KINDS.items() if isinstance(error, kind))
            raise
        except BaseException:
            failure = "stopped"
            raise
        finally:
            self._add(role, tally, seconds=self._now() - started, failure=failure)

    def _add(self, role: str, tally: RunUsage, *, seconds: float, failure: str) -> None:
        past = self._roles.get(role, RoleUsage())
        usage = tally.usage
        known = [answer.cost for answer in tally.answers if answer.cost is not None]
        self._roles[role] = RoleUsage(
            runs=past.runs + 1,
            requests=past.requests + tally.requests,
            retries=past.retries + tally.retries,
            repairs=past.repairs + tally.repairs,
            input_tokens=past.input_tokens + usage.input_tokens,
            output_tokens=past.output_tokens + usage.output_tokens,
            cost=(past.cost or 0.0) + sum(known) if known else past.cost,
            unpriced=past.unpriced + len(tally.answers) - len(known),
            failures=dict(Counter(past.failures) + Counter([failure] if failure else [])),
            seconds=past.seconds + seconds,
            longest=max(past.longest, seconds),
        )
