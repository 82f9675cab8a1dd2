"""Topics of a text: which of its passages belong together, told from how alike they are.

Passages that follow each other belong together more often than not, so neighbours get a bonus; then the two groups
that are most alike on average are joined, again and again, until no two are alike enough. How many groups there are
comes out of the text.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.errors import InvalidInput
from remanent.language.offline.likeness import likeness
from remanent.language.offline.toolbox import Toolbox
from remanent.text.scripts import HAN

_HAN = re.compile(rf"[{HAN}]")

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# A long passage says more about its topic than a short one, up to this many characters.
_FULL_WEIGHT = 300
# A group with fewer characters than this is a remark on its neighbour's topic, not a topic.
_SMALLEST = 60
MOST_TEXTS = 1_000
"""Joining groups takes the cube of their number; a text has at most 200 passages."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """How alike groups must be to be one topic, and what being neighbours adds."""

    least: float
    neighbours: float


# Chosen on paragraphs of encyclopedia articles and long chat answers, put together one to four at a time.
BY_MEANING = Closeness(least=0.17, neighbours=0.1)
BY_WORDS = Closeness(least=0.016, neighbours=0.02)


async def topics(texts: Sequence[str], toolbox: Toolbox) -> list[list[int]]:
    """Return the places of at most `MOST_TEXTS` texts in groups of one topic each, in the order of their first text."""
    if len(texts) > MOST_TEXTS:
        raise InvalidInput(f"at most {MOST_TEXTS} passages are put into topics, not {len(texts)}; join some of them")
    if len(texts) < 2:
        return [[place] for place in range(len(texts))]
    closeness = BY_WORDS if toolbox.embedder is None else BY_MEANING
    return grouped(await likeness(texts, toolbox), [size(text) for text in texts], closeness)


def size(text: str) -> int:
    """Return how much a text says, in letters; a Chinese character says about as much as two."""
    return len(text) + len(_HAN.findall(text))


def grouped(alike: "NDArray[np.float32]", lengths: Sequence[int], closeness: Closeness) -> list[list[int]]:
    """Join groups from single places upwards, the most alike first, by the average over their members."""
    import numpy as np

    count = len(lengths)
    table = alike.astype(np.float64)
    for place in range(count - 1):
        table[place, place + 1] += closeness.neighbours
        table[place + 1, place] += closeness.neighbours
    np.fill_diagonal(table, -1)
    groups: list[list[int]] = [[place] for place in range(count)]
    weights = [min(max(length, 1), _FULL_WEIGHT) ** 0.5 for length in lengths]
    while len(groups) > 1:
        one, other = divmod(int(np.argmax(table)), len(groups))
        if table[one, other] < closeness.least:
            break
        table, groups, weights = _joined(table, groups, weights, min(one, other), max(one, other))
    groups = _without_small(groups, table, weights, lengths)
    return sorted(sorted(group) for group in groups)


def _joined(
    table: "NDArray[np.float64]", groups: list[list[int]], weights: list[float], keep: int, drop: int
) -> "tuple[NDArray[np.float64], list[list[int]], list[float]]":
    import numpy as np

    total = weights[keep] + weights[drop]
    row = (weights[keep] * table[keep] + weights[drop] * table[drop]) / total
    table[keep], table[:, keep] = row, row
    table[keep, keep] = -1
    groups[keep] += groups.pop(drop)
    weights[keep] = total
    weights.pop(drop)
    return np.delete(np.delete(table, drop, 0), drop, 1), groups, weights


def _without_small(
    groups: list[list[int]], table: "NDArray[np.float64]", weights: list[float], lengths: Sequence[int]
) -> list[list[int]]:
    """Give each group that is too small to be a topic to the one it is most alike to."""
    import numpy as np

    while len(groups) > 1:
        sizes = [sum(lengths[place] for place in group) for group in groups]
        smallest = sizes.index(min(sizes))
        if sizes[smallest] >= _SMALLEST:
            break
        nearest = int(np.argmax(table[smallest]))
        table, groups, weights = _joined(table, groups, weights, min(smallest, nearest), max(smallest, nearest))
    return groups
