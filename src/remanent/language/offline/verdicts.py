"""Judging many pairs of statements at once: each is read once, and what must be embedded is embedded together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.language.offline.claims import Claim, Token, read_claim
from remanent.language.offline.comparing import Comparison, Difference, compare
from remanent.language.offline.judging import Alike, Judgement, beside, judge
from remanent.language.offline.toolbox import Toolbox

CONFLICT = 0.6
"""From so sure on, two statements are called a conflict. Chosen for precision: see `evaluation.conflicts`."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was said, and when if that is known."""

    text: str
    said_at: datetime | None = None

    def read(self) -> Claim:
        """Return it as a claim."""
        return read_claim(self.text, said_at=self.said_at)


async def judge_statements(pairs: Sequence[tuple[Statement, Statement]], toolbox: Toolbox) -> list[Judgement]:
    """Judge each pair of statements."""
    claims = {statement: statement.read() for pair in pairs for statement in pair}
    comparisons = [compare(claims[one], claims[other]) for one, other in pairs]
    return await judge_comparisons(comparisons, toolbox)


async def judge_comparisons(comparisons: Sequence[Comparison], toolbox: Toolbox) -> list[Judgement]:
    """Judge each comparison; where two ask for a value in different words, ask the embedder whether it is the same."""
    judgements = [judge(comparison) for comparison in comparisons]
    if toolbox.embedder is None:
        return judgements
    asked = [
        (number, _phrase(one, comparison), _phrase(other, comparison))
        for number, comparison in enumerate(comparisons)
        for difference in comparison.differences
        for one, other in [beside(comparison, difference)]
        if one and other
    ]
    texts = list(dict.fromkeys(text for _, one, other in asked for text in (one, other)))
    vectors = await toolbox.embedder.embed(texts)
    rows = dict(zip(texts, vectors, strict=True))
    for number, one, other in asked:
        known = judge(comparisons[number], Alike(predicates=float(rows[one] @ rows[other])))
        if known.conflict > judgements[number].conflict:
            judgements[number] = known
    return judgements


def _phrase(tokens: Sequence[Token], comparison: Comparison) -> str:
    return ("" if comparison.one.tongue == "zh" else " ").join(token.text for token in tokens)


def value_of(difference: Difference, *, side: int) -> str:
    """Return the words of one side of a difference, for people to read."""
    tokens = difference.one if side == 0 else difference.other
    return " ".join(dict.fromkeys(token.text for token in tokens))
