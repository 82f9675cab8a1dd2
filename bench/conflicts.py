"""How well conflicts between statements are told without a model: precision, recall and the curve between them."""

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.pairs import MemoryPair, PairKind, memory_pairs
from remanent.errors import InvalidInput
from remanent.language.offline.judgement import CONFLICT, DatedStatement, judge_statements

LEAST_PRECISION = 0.70


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two sentences and whether the second contradicts the first."""

    one: str
    other: str
    is_contradiction: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """How sure the judge is of a conflict, and whether there is one."""

    score: float
    is_conflict: bool


@dataclass(frozen=True, slots=True)
class Point:
    """What is reached when everything from a score upwards is called a conflict."""

    threshold: float
    precision: float
    recall: float
    called: int

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True, slots=True)
class PairStudy:
    """Sentence pairs of one file: the threshold was chosen on the first half, the rest is measured on the second."""

    name: str
    chosen: Point
    """The lowest threshold that was precise enough on the first half, on the second half."""
    shipped: Point
    """The threshold that ships, on the second half."""
    curve: tuple[Point, ...]
    pairs: int


@dataclass(frozen=True, slots=True)
class MemoryStudy:
    """Generated pairs of memories."""

    point: Point
    called: dict[tuple[str, PairKind], tuple[int, int]]
    """Of each language and kind: how many were called conflicts, of how many."""
    curve: tuple[Point, ...]

    @property
    def called_paraphrases(self) -> int:
        """How many paraphrases were called conflicts."""
        return sum(called for (_, kind), (called, _) in self.called.items() if kind is PairKind.PARAPHRASE)


def load_pairs(path: Path) -> list[LabelledPair]:
    """Read a file of sentence pairs, one JSON object `{"a", "b", "label"}` per line, gzipped or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    try:
        return [LabelledPair(row["a"], row["b"], row["label"] == "contradiction") for row in rows]
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"{path} is no file of sentence pairs: each line needs a, b and label") from error


def study_pairs(name: str, pairs: Sequence[LabelledPair]) -> PairStudy:
    """Choose a threshold on every other pair and measure on the rest."""
    scored = [
        Scored(judge_statements(DatedStatement(pair.one), DatedStatement(pair.other)).conflict, pair.is_contradiction)
        for pair in pairs
    ]
    first, second = scored[::2], scored[1::2]
    precise = [point for point in curve(first) if point.precision >= LEAST_PRECISION]
    threshold = max(precise, key=lambda point: point.recall).threshold if precise else CONFLICT
    return PairStudy(name, point_at(second, threshold), point_at(second, CONFLICT), tuple(curve(second)), len(second))


def study_memories(pairs: Sequence[MemoryPair] | None = None) -> MemoryStudy:
    """Judge generated pairs of memories with the threshold that ships."""
    pairs = memory_pairs() if pairs is None else pairs
    judgements = [
        judge_statements(DatedStatement(pair.older, pair.older_at), DatedStatement(pair.newer, pair.newer_at))
        for pair in pairs
    ]
    scored = [Scored(judgement.conflict, pair.is_conflict) for judgement, pair in zip(judgements, pairs, strict=True)]
    called: dict[tuple[str, PairKind], tuple[int, int]] = {}
    for pair, judged in zip(pairs, scored, strict=True):
        yes, all_of_them = called.get((pair.language, pair.kind), (0, 0))
        called[pair.language, pair.kind] = (yes + (judged.score >= CONFLICT), all_of_them + 1)
    return MemoryStudy(point_at(scored, CONFLICT), called, tuple(curve(scored)))


def point_at(scored: Sequence[Scored], threshold: float) -> Point:
    """Return what is reached with a threshold."""
    called = [one.is_conflict for one in scored if one.score >= threshold]
    conflicts = sum(one.is_conflict for one in scored)
    precision = sum(called) / len(called) if called else 0.0
    return Point(threshold, precision, sum(called) / conflicts if conflicts else 0.0, len(called))


def curve(scored: Sequence[Scored]) -> list[Point]:
    """Return what is reached with every threshold that makes a difference, the highest first."""
    scores = sorted({one.score for one in scored if one.score > 0}, reverse=True)
    return [point_at(scored, score) for score in scores]
