"""Measurements that users see: what a running memory's parts did, and how well questions are answered."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from remanent.model.base import Count, Model, Share, Text
from remanent.model.clock import Instant
from remanent.model.ids import Id


class CacheFigures(Model):
    """How often a cache had what was asked for, since the memory was opened."""

    name: Text
    hits: Count = 0
    misses: Count = 0

    @property
    def rate(self) -> float | None:
        """The share of questions that were answered from the cache; `None` before the first."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else None

    def counted(self, *, hits: int, misses: int) -> "CacheFigures":
        """Return them with what was asked since."""
        return self.amended(hits=self.hits + hits, misses=self.misses + misses)


class EmbeddingFigures(Model):
    """What a model embedded since the memory was opened."""

    model: Text
    texts: Count = 0
    characters: Count = 0
    seconds: float = 0.0
    """From asking to answer, waiting included."""
    failures: Count = 0


class RoleFigures(Model):
    """What a role of language work took since the memory was opened."""

    role: Text
    runs: Count = 0
    requests: Count = 0
    """Requests to a model, further attempts and repairs included."""
    input_tokens: Count = 0
    output_tokens: Count = 0
    cost: float | None = None
    """In US dollars, of the answers whose price is known; `None` when that is none of them."""
    failures: Count = 0
    seconds: float = 0.0


class UsageFigures(Model):
    """What models took: by embedding model, and by role; the roles are empty where no model is asked."""

    embedding: tuple[EmbeddingFigures, ...] = ()
    roles: tuple[RoleFigures, ...] = ()


class Probe(Model):
    """A question, and what should answer it; one with neither ids nor texts has no answer here."""

    question: Annotated[Text, Field(min_length=1, max_length=10_000)]
    ids: Annotated[tuple[Text, ...], Field(max_length=100)] = ()
    """Of entries or records, or the caller's own of messages."""
    texts: Annotated[tuple[Annotated[Text, Field(min_length=1)], ...], Field(max_length=100)] = ()
    """Words that a memory must hold to be an answer, whatever its id; case does not count."""
    asked_at: Instant | None = None
    """When it is asked; now unless given."""


class Probed(Model):
    """What one question found."""

    question: Text
    rank: Count | None = None
    """Where the first of what was wanted stands; `None` when it is not among the first ten."""
    found: Count = 0
    """How much of what was wanted is among the first ten."""
    wanted: Count = 0
    answered: bool = True
    """Whether anything is answered when answering nothing is allowed."""
    first_id: Id | None = None
    """What stood first."""
    first_text: Text = ""
    """What the first says; ids differ between two memories that were told the same."""
    ms: float = 0.0


class Evaluation(Model):
    """How well and how fast questions were answered; shares are from 0 to 1."""

    questions: Count
    answerable: Count
    any_at_1: Share = 0.0
    any_at_5: Share = 0.0
    any_at_10: Share = 0.0
    all_at_5: Share = 0.0
    mrr: Share = 0.0
    ndcg_at_10: Share = 0.0
    any_at_5_between: tuple[float, float] = (0.0, 0.0)
    """The 95% confidence interval of `any_at_5`."""
    answered: Share = 0.0
    """How many of the answerable questions are answered at all."""
    unanswerable: Count = 0
    refused: Share = 0.0
    """How many of the unanswerable questions get no answer, as they should."""
    auroc: Share | None = None
    """How often an answerable question has more evidence than an unanswerable one; `None` without either."""
    ms_p50: float = 0.0
    ms_p95: float = 0.0
    lacking: Count = 0
    """Answers that lack a path, which was late or failed."""
    results: tuple[Probed, ...] = ()
    """Question by question, in the order in which they were given."""

    def changed_since(self, before: "Evaluation") -> tuple[tuple[Probed, Probed], ...]:
        """Return the questions that are answered otherwise than before, as they were and as they are.

        Otherwise is: something else stands first, less of what is wanted is found, or the question is answered no
        longer or for the first time. A question that was not asked before has not changed.
        """
        asked: dict[str, list[Probed]] = {}
        for one in before.results:
            asked.setdefault(one.question, []).append(one)
        pairs = [(asked[one.question].pop(0), one) for one in self.results if asked.get(one.question)]
        return tuple(
            (old, new)
            for old, new in pairs
            if (old.answered, old.first_text) != (new.answered, new.first_text) or new.found < old.found
        )


# ── what was saved, in tokens, by which strategy ──
# Of conversations made to fit, and of briefings. It stands apart from the compactor, which is slow to import.


class Strategy(StrEnum):
    """What made a conversation, or what a model is told beside it, shorter."""

    CLEANING = "cleaning"
    """Messages that a provider would refuse, or that stood there twice, went."""
    SYSTEM_PROMPTS = "system prompts"
    TOOL_RESULTS = "tool results"
    ATTACHMENTS = "attachments"
    SUMMARIES = "summaries"
    DIGEST = "digest"
    CUTTING = "cutting"
    """Of a message that has no room alone, the beginning, what the question needs, and the end stayed."""
    RETENTION = "retention"
    """What had no room went by its rank: history first, then results of tools."""
    RECALL = "on-demand recall"
    """What belongs to the message was told in place of all memories."""
    SHARING = "shared context"
    """What the workspace shares and the agent knows itself was told once."""


class Saving(Model):
    """What one strategy did to the number of tokens."""

    strategy: Strategy
    before: Count
    after: Count
