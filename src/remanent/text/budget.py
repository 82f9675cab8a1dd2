"""Filling a token budget: which texts fit, and how much of one text fits."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from remanent.errors import InvalidInput
from remanent.text.sentences import sentences
from remanent.text.tokens import TokenCounter, token_counter
from remanent.text.word_borders import sign_borders, word_borders


@dataclass(frozen=True, slots=True)
class Filling:
    """What fits into a budget: the places of the texts that were taken, in their order, and the tokens they use."""

    kept: tuple[int, ...]
    left_out: tuple[int, ...]
    used: int


def fill(texts: Sequence[str], budget: int, *, separator: str = "\n\n", counter: TokenCounter | None = None) -> Filling:
    """Take texts in the order given, which is that of their worth, leaving out what does not fit any more.

    The count is that of the taken texts joined by the separator, and it never exceeds the budget.
    """
    _require(budget)
    count = counter or token_counter()
    costs = [count(text) for text in texts]
    between = count(separator)
    kept: list[int] = []
    used = 0
    for place, cost in enumerate(costs):
        price = cost + (between if kept else 0)
        if used + price <= budget:
            kept.append(place)
            used += price
    total = count(separator.join(texts[place] for place in kept))
    if total > budget:  # joined texts may count for more than their sum
        fitting = bisect_right(
            range(1, len(kept)),
            budget,
            key=lambda size: count(separator.join(texts[place] for place in kept[:size])),
        )
        kept = kept[:fitting]
        total = count(separator.join(texts[place] for place in kept))
    taken = set(kept)
    return Filling(tuple(kept), tuple(place for place in range(len(texts)) if place not in taken), total)


def fit(text: str, budget: int, *, counter: TokenCounter | None = None) -> str:
    """Return the longest beginning of a text that fits, cut after a sentence, else after a word, else anywhere."""
    _require(budget)
    count = counter or token_counter()
    if count(text) <= budget:
        return text
    for borders in (
        [span.end for span in sentences(text)],
        word_borders(text),
        sign_borders(text),
    ):
        end = _longest(text, borders, budget, count)
        if end:
            return text[:end].rstrip()
    return ""


def _longest(text: str, borders: Sequence[int], budget: int, count: TokenCounter) -> int:
    """Return the last border up to which the text fits, found by halving; 0 when not even the first does."""
    low, high = 0, len(borders)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[: borders[middle - 1]].rstrip()) <= budget:
            low = middle
        else:
            high = middle - 1
    return borders[low - 1] if low else 0


def _require(budget: int) -> None:
    if budget < 0:
        raise InvalidInput(f"a token budget cannot be negative, as {budget} is")
