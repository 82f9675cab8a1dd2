"""One answer of several memories: the agent's own, and what is shared with it."""

from collections.abc import Sequence

from remanent.model import Found, FoundItem, GateReason
from remanent.text.terms import query_terms

_LONGEST_READ = 2000
"""Characters of an item by which it is told how much of a question it holds. Chosen by hand."""


def comparable_relevance(question: str, item: FoundItem) -> float:
    """Return how much of a question an item holds and how near it is, which compares items of different memories.

    Scores of one answer are relative to its best: the best of a memory which knows nothing would come first.
    """
    asked = frozenset(query_terms(question))
    if not asked:
        return 1.0
    held = frozenset(query_terms(item.text[:_LONGEST_READ]))
    near = max((rank.score for rank in item.ranks if rank.path.startswith("vector")), default=0.0)
    return len(asked & held) / len(asked) + max(0.0, near)


def merged_answers(answers: Sequence[Found], *, most: int, is_named: bool) -> Found:
    """Return one answer of several to the same question: the best items, and what all of them left out.

    The first is the agent's own. Unless the others were asked for by name, they are told where they are near to what is
    asked, not to fill an answer.

    Each memory answered under its own revision and by its own threshold; what is put together of them is not kept,
    since neither revision says when it changes.
    """
    first, *others = answers
    answers = [first, *(one for one in others if is_named or (one.gate and one.gate.reason is GateReason.NEAR))]
    scored = [(item.score * comparable_relevance(first.query, item), item) for found in answers for item in found.items]
    scored.sort(key=lambda one: (-one[0], -one[1].score, one[1].record_id))
    items = [item.replace(score=score, rank=rank) for rank, (score, item) in enumerate(scored[:most], start=1)]
    if first.order == "time":
        items.sort(key=lambda item: (item.occurred_at, item.record_id))
    return first.replace(
        items=tuple(items),
        left_out=tuple({one.path: one for found in answers for one in found.left_out}.values()),
        cached=all(found.cached for found in answers),
        gate=next((found.gate for found in answers if found.items), first.gate),
    )
