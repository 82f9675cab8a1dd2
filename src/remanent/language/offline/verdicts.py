"""Judging many pairs of statements at once: each is read once, and what must be embedded is embedded together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.language.offline.claims import Claim, Token, read_claim
from remanent.language.offline.comparing import Comparison, Difference, compare
from remanent.language.offline.judging import Alike, Judgement, beside, judge
from remanent.language.offline.raw import LONGEST_SENTENCE
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
        (number, _phrases(comparison, difference), _frames(comparison, difference))
        for number, comparison in enumerate(comparisons)
        for difference in comparison.differences
        if judge(comparison, _ALIKE).conflict > judgements[number].conflict
    ]
    texts = list(dict.fromkeys(text for _, phrases, frames in asked for text in (*phrases, *frames) if text))
    vectors = await toolbox.embedder.embed(texts)
    rows = dict(zip(texts, vectors, strict=True))

    def nearness(pair: tuple[str, str]) -> float | None:
        return float(rows[pair[0]] @ rows[pair[1]]) if all(pair) else None

    for number, phrases, frames in asked:
        known = judge(comparisons[number], Alike(predicates=nearness(phrases), frames=nearness(frames)))
        if known.conflict > judgements[number].conflict:
            judgements[number] = known
    return judgements


_ALIKE = Alike(predicates=1.0, frames=1.0)
"""As alike as can be: where even that changes nothing, nothing needs to be embedded."""


def _phrases(comparison: Comparison, difference: Difference) -> tuple[str, str]:
    one, other = beside(comparison, difference)
    return _phrase(one, comparison), _phrase(other, comparison)


def _frames(comparison: Comparison, difference: Difference) -> tuple[str, str]:
    return _without(comparison.one, difference.one), _without(comparison.other, difference.other)


def _without(claim: Claim, tokens: Sequence[Token]) -> str:
    """Return the words of a claim without those of a value."""
    text = claim.text[:LONGEST_SENTENCE]
    for start, end in sorted({(token.start, token.end) for token in tokens}, reverse=True):
        text = text[:start] + text[end:]
    return text.strip(" .。")


def _phrase(tokens: Sequence[Token], comparison: Comparison) -> str:
    return ("" if comparison.one.tongue == "zh" else " ").join(token.text for token in tokens)


def value_of(difference: Difference, *, side: int) -> str:
    """Return the words of one side of a difference, for people to read."""
    tokens = difference.one if side == 0 else difference.other
    return " ".join(dict.fromkeys(token.text for token in tokens))
