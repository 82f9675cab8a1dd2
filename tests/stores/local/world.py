"""A store that holds vectors only, and the plain search that an index must agree with."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from remanent.model import Kind, Scope
from remanent.model.clock import EPOCH
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.queries import (
    VECTORS_AT_ONCE,
    Hit,
    MatchQuery,
    PlaceQuery,
    RecordFilter,
    RecordPosition,
    Standing,
    VectorChanges,
)
from remanent.stores.store import Store

MODEL = "model"
SCOPE = Scope(org="acme", workspace="lab", agent="ada")
TOLERANCE = 3e-6
Matrix = NDArray[np.float32]


@dataclass
class Kept:
    revision: int
    kind: Kind
    tags: tuple[str, ...]
    values: Matrix


class VectorStore:
    """Keeps vectors of any models for one agent, in the way the real store does."""

    def __init__(self) -> None:
        self.revision = 0
        self.floor = 0
        self.kept: dict[tuple[str, str], Kept] = {}
        self.removed: list[tuple[int, str, str]] = []
        self.models: set[str] = set()
        self.asked_since: list[int] = []
        self.page = VECTORS_AT_ONCE
        self.largest_page = 0
        self.matched: list[int] = []

    @property
    def port(self) -> Store:
        return cast(Store, self)

    def put(
        self,
        vectors: Mapping[str, Sequence[float] | Matrix],
        *,
        kind: Kind = Kind.TURN,
        tags: tuple[str, ...] = (),
        model: str = MODEL,
    ) -> None:
        self.models.add(model)
        for record_id, values in vectors.items():
            self.revision += 1
            self.kept[model, record_id] = Kept(self.revision, kind, tags, np.array(values, dtype=np.float32))

    def remove(self, record_ids: Iterable[str], *, model: str = MODEL) -> None:
        for record_id in record_ids:
            if self.kept.pop((model, record_id), None) is not None:
                self.revision += 1
                self.removed.append((self.revision, model, record_id))

    def forget_removals(self) -> None:
        """Make every index that lags behind start anew."""
        self.floor = self.revision
        self.removed.clear()

    async def vector_revision(self, scope: Scope) -> int:
        assert scope == SCOPE
        return self.revision

    async def vector_changes(
        self, scope: Scope, model: str, *, since: int, after: int = 0, limit: int = VECTORS_AT_ONCE
    ) -> VectorChanges:
        assert scope == SCOPE
        if not after:
            self.asked_since.append(since)
        reset = 0 < since < self.floor and not after
        start = after or (0 if reset else since)
        held = {key[1]: kept for key, kept in self.kept.items() if key[0] == model and kept.revision > start}
        put = dict(sorted(held.items(), key=lambda item: item[1].revision)[: min(limit, self.page)])
        self.largest_page = max(self.largest_page, len(put))
        removed = {record_id for revision, of, record_id in self.removed if of == model and revision > start}
        rows = [kept.values for kept in put.values()]
        return VectorChanges(
            revision=self.revision,
            reset=reset,
            record_ids=list(put),
            kinds=[kept.kind for kept in put.values()],
            matrix=np.array(rows, dtype=np.float32) if rows else np.empty((0, 0), dtype=np.float32),
            removed=sorted(removed - set(put)) if start and not after else [],
            after=list(put.values())[-1].revision if len(put) < len(held) else None,
        )

    async def vector_models(self, scope: Scope) -> dict[str, int]:
        assert scope == SCOPE
        return {model: len(kept.values) for (model, _), kept in self.kept.items()}

    async def standing(self, scope: Scope) -> Standing:
        return Standing(vector_revision=await self.vector_revision(scope))

    async def read(self, scope: Scope, queries: Sequence[MatchQuery | PlaceQuery]) -> list[Any]:
        known = {record_id: kept for (_, record_id), kept in self.kept.items()}
        answers: list[Any] = []
        for query in queries:
            passing = await self.match(scope, query.record_ids, query.filter)
            if isinstance(query, PlaceQuery):
                assert not query.neighbours
                answers.append([RecordPosition(one, known[one].kind, None, EPOCH) for one in passing])
            else:
                answers.append(passing)
        return answers

    async def match(self, scope: Scope, record_ids: Sequence[str], record_filter: RecordFilter) -> list[str]:
        assert scope.owner == SCOPE
        self.matched.append(len(record_ids))
        known = {record_id: kept for (_, record_id), kept in self.kept.items()}
        return [record_id for record_id in record_ids if record_id in known and passes(known[record_id], record_filter)]

    def nearest(self, question: Sequence[float] | Matrix, record_filter: RecordFilter, *, limit: int) -> list[Hit]:
        """Return what a plain search finds."""
        hits = [
            Hit(record_id, cosine(kept.values, np.array(question, dtype=np.float32)))
            for (model, record_id), kept in self.kept.items()
            if model == MODEL and passes(kept, record_filter)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, hit.record_id))[:limit]


def passes(kept: Kept, record_filter: RecordFilter) -> bool:
    return (record_filter.kinds is None or kept.kind in record_filter.kinds) and set(record_filter.tags) <= set(
        kept.tags
    )


def cosine(one: Matrix, other: Matrix) -> float:
    a, b = one.astype(np.float64), other.astype(np.float64)
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths else 0.0


async def check(
    vectors: LocalVectors,
    store: VectorStore,
    question: Sequence[float] | Matrix,
    *,
    record_filter: RecordFilter | None = None,
    limit: int = 10,
) -> list[str]:
    """Search, hold the answer against a plain search, and return the ids."""
    wanted = record_filter or RecordFilter()
    values = np.array(question, dtype=np.float32)
    hits = await vectors.search(SCOPE, values, model=MODEL, record_filter=wanted, limit=limit)
    truth = store.nearest(values, wanted, limit=limit)
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    np.testing.assert_allclose(scores, [hit.score for hit in truth], atol=TOLERANCE)
    assert len({hit.record_id for hit in hits}) == len(hits)
    for hit in hits:
        kept = store.kept[MODEL, hit.record_id]
        assert passes(kept, wanted)
        assert abs(hit.score - cosine(kept.values, values)) <= TOLERANCE
    return [hit.record_id for hit in hits]


def rows_on_disk(folder: Path) -> bytes:
    """Return every byte of every file in a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def unit_bytes(values: Sequence[float] | Matrix) -> bytes:
    """Return a vector as an index holds it, at length one."""
    row = np.array(values, dtype=np.float64)
    return (row / np.linalg.norm(row)).astype(np.float32).tobytes()


def random_vectors(count: int, *, dimension: int = 8, seed: int = 0, prefix: str = "r") -> dict[str, Matrix]:
    """Return vectors that are all different, at length one."""
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((count, dimension))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return {f"{prefix}{number:05}": row for number, row in enumerate(matrix.astype(np.float32))}
