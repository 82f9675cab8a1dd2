"""What is measured on each set, and what must be reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bench.retrieval.sets import Question
from remanent.recall.evaluation import all_at, any_at

Grain = Literal["turn", "session"]
"""What a ranking is made of."""


@dataclass(frozen=True, slots=True)
class Goal:
    """A share of questions for which any or all of the evidence is among the first k, and what it should be."""

    measure: Literal["any", "all"]
    k: int
    least: float | None = None
    """None where nothing was promised."""
    type: str | None = None
    """Only questions of this type count."""

    @property
    def name(self) -> str:
        """As people write it: any@5, all@5 multi-hop."""
        return f"{self.measure}@{self.k}" + (f" {self.type}" if self.type else "")

    def of(self, ranking: list[str], wanted: frozenset[str]) -> float:
        """Return 1 or 0 for one question."""
        return (any_at if self.measure == "any" else all_at)(ranking, wanted, self.k)

    def counts(self, question: Question) -> bool:
        """Tell whether a question belongs to this share."""
        return self.type is None or question.type == self.type


USUAL = (Goal("any", 5), Goal("all", 5), Goal("any", 10))
"""What every study is measured by."""


@dataclass(frozen=True, slots=True)
class Study:
    """One set asked at one grain."""

    data: str
    grain: Grain
    goals: tuple[Goal, ...]
    by_text: bool = False
    """Whether a turn of the same words as one that answers counts for it."""

    @property
    def name(self) -> str:
        """The set and the grain."""
        return f"{self.data}, {self.grain}" + (" by text" if self.by_text else "")

    @property
    def measures(self) -> tuple[Goal, ...]:
        """What is measured: the usual shares, and those that only this study has a goal for."""
        promised = {goal.name: goal for goal in self.goals}
        usual = [promised.pop(goal.name, goal) for goal in USUAL]
        return (*usual, *promised.values())

    def wanted(self, question: Question) -> frozenset[str]:
        """Return what answers a question; nothing when it cannot be answered."""
        if not question.answerable:
            return frozenset()
        return question.turns if self.grain == "turn" else question.sessions

    def ranking(self, question: Question, ranking: Sequence[str]) -> list[str]:
        """Return a ranking as this study counts it."""
        twins = question.twins if self.by_text else {}
        return list(dict.fromkeys(twins.get(one, one) for one in ranking))


STUDIES = (
    Study("locomo", "turn", (Goal("any", 5, 0.72), Goal("all", 5, 0.60), Goal("any", 10, 0.80))),
    Study("locomo", "session", (Goal("any", 5, 0.95), Goal("all", 5, 0.86), Goal("all", 5, 0.45, "multi-hop"))),
    Study("longmemeval-pool", "session", (Goal("any", 5, 0.92), Goal("all", 5, 0.75))),
    Study("longmemeval-s", "session", (Goal("all", 5, 0.93),)),
    Study("beam", "turn", (Goal("any", 5, 0.62), Goal("any", 10, 0.72))),
    Study("realmem", "session", (Goal("any", 5, 0.78), Goal("all", 5, 0.58))),
    Study("memdaily", "turn", (Goal("any", 5, 0.83), Goal("all", 5, 0.30), Goal("any", 10, 0.91))),
    Study("memdaily", "turn", (), by_text=True),
    Study("cmrc", "turn", (Goal("any", 1, 0.965),)),
)
SETS = tuple(dict.fromkeys(study.data for study in STUDIES))
