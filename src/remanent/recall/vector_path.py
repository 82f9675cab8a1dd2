"""Finding records whose meaning is near the question's.

Where two models embed, each is a path of its own, weighed by how well it knows the question's language; the general one
is left out where the finer one has read all that it has, since it would only cost time.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from remanent.embedding import Embedder, Embedders, KnownEmbedders
from remanent.errors import LanguageError, MissingDependency, RemanentError
from remanent.model import Scope
from remanent.recall.indexing import MODELS
from remanent.recall.paths import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.recall.windows import PARTS, finer_of, models_among, vector_names
from remanent.stores import Store, Vectors

_MAX_KNOWN = 4096
"""Agents whose counts are remembered; of others they are counted anew."""
_GROWTH = 0.02
"""By which share of its vectors a store that one model has not read whole must change before it is counted again."""

_OF_PARTS = 50
"""Records that are looked for by each of their parts: what is behind as many others by its nearest is no answer."""
PART_LESS = 0.03
"""By how much less a part counts than the record itself: of many parts one is near by chance. Without it BEAM loses
three of its 144 questions (any@5), with it none, while the gain on LongMemEval's pool stays."""


class _Counted(NamedTuple):
    revision: int
    covered: bool
    vectors: int


class Coverage:
    """Counts the vectors of two models; what was counted before is not counted again.

    They are counted when nothing waits for a second reading: a store which one of them had read whole stays so as long
    as both get equally many. That one has not is only worth less speed: it may be out of date for a while.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[Scope, str, str], _Counted] = OrderedDict()

    async def is_whole(self, scope: Scope, model: str, *, beside: str, revision: int | None = None) -> bool:
        """Return whether a model has a vector of every record of which the one beside it has one, and of any.

        Counting goes through all vectors of an agent, so that only what was added since the last count is counted, and
        a model known not to have read all is not counted again until the store has grown.
        """
        key = scope.owner, model, beside
        known = self._known.get(key)
        if revision is None:
            revision = await self._store.vector_revision(scope)
        if known is None or revision < known.revision:
            known = await self._count(scope, model, beside, revision)
        elif known.covered and revision > known.revision:
            fresh = await self._store.vector_counts(scope, since=known.revision)
            covered = fresh.get(model, 0) == fresh.get(beside, 0)
            known = _Counted(revision, covered, known.vectors + fresh.get(beside, 0))
        elif not known.covered and revision - known.revision > _GROWTH * known.vectors:
            known = await self._count(scope, model, beside, revision)
        self._known[key] = known
        self._known.move_to_end(key)
        if len(self._known) > _MAX_KNOWN:
            self._known.popitem(last=False)
        return known.covered

    async def _count(self, scope: Scope, model: str, beside: str, revision: int) -> _Counted:
        held = await self._store.vector_counts(scope)
        vectors = held.get(beside, 0)
        return _Counted(revision, 0 < vectors <= held.get(model, 0), vectors)


class VectorPath(RecallPath):
    """By one of the models that embed records."""

    dispensable = True

    def __init__(
        self,
        vectors: Vectors,
        embedder: Embedder,
        *,
        among: Embedders | None = None,
        coverage: Coverage | None = None,
        places: bool = True,
    ) -> None:
        self._vectors = vectors
        self._places = places
        self._embedder = embedder
        self._among = among
        self._coverage = coverage
        first = among is None or among.model_ids[0] == embedder.model_id
        self.name = "vector" if first else f"vector:{embedder.model_id}"

    @property
    def model_id(self) -> str:
        """The model by which it measures."""
        return self._embedder.model_id

    def share(self, question: Question) -> float:
        """Weigh the model by how well it knows the question's language."""
        if question.foreign:
            return float(self.name == "vector")
        if self._among is None:
            return 1.0
        return self._among.weight(self._embedder, question.read, finer=finer_of(question.standing).usable)

    async def needed(self, question: Question) -> bool:
        """Return whether no model that knows the question's language better has read all that this one has."""
        better = (
            None
            if self._among is None or question.foreign
            else self._among.can_do_without(self._embedder, question.read)
        )
        # While the better model still reads, nothing is counted: the count would say for a while after that it has not
        # read all, and this path would be asked in vain.
        if better is None or self._coverage is None or finer_of(question.standing).left:
            return True
        return not await self._coverage.is_whole(
            question.scope, better, beside=self.model_id, revision=_revision(question)
        )

    def preparing(self, question: Question) -> bool:
        """Return whether the model or the index is still being loaded."""
        names = vector_names(self.model_id)
        return self._embedder.loading or any(self._vectors.loading(question.scope, model=name) for name in names)

    async def prepare(self, scope: Scope) -> None:
        """Load the agent's vectors; the models are the same for all agents."""
        await asyncio.gather(*(self._vectors.prepare(scope, model=name) for name in vector_names(self.model_id)))

    async def expect(self, questions: Sequence[Question]) -> None:
        """Embed all of them: they are in the cache when they are asked."""
        await self._embedder.embed([part for question in questions for part in question.parts])

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Embed the question and search its neighbours."""
        return await _nearest(self._vectors, self._embedder, question, limit=limit, places=self._places)


class FormerVectorPath(RecallPath):
    """By a model that embedded them before, until the new one has embedded them all."""

    name = "vector:former"
    # While vectors are made anew, records that have both would outweigh better ones that have but the old.
    yields = True

    def __init__(self, store: Store, vectors: Vectors, embedders: Embedders, *, known: KnownEmbedders) -> None:
        self._store = store
        self._known = known
        self._vectors = vectors
        self._wanted = set(embedders.model_ids)

    async def find(self, question: Question, *, limit: int) -> list[Candidate]:
        """Search with the first former model that can be had here; raise why when there is one and it cannot."""
        noted = await self._store.state(question.scope, MODELS)
        former = models_among(map(str, noted)) - self._wanted if isinstance(noted, list) else set()
        why: RemanentError | None = None
        for model_id in sorted(former):
            try:
                embedder = await asyncio.to_thread(self._known.open, model_id)  # it may read a note, or load a model
                return await _nearest(self._vectors, embedder, question, limit=limit)
            except (MissingDependency, LanguageError) as error:
                why = error
        if why is not None:
            raise why
        return []


def _revision(question: Question) -> int | None:
    return None if question.standing is None else question.standing.vector_revision


async def _nearest(
    vectors: Vectors, embedder: Embedder, question: Question, *, limit: int, places: bool = True
) -> list[Candidate]:
    """Search near each part of the question; a record that is near one of them with one of its own parts is near.

    Every part of the question is searched by itself, and every record is as near as the nearest of its parts: a vector
    of several matters is near to none of them.
    """
    has_parts = question.standing is None or bool(question.standing.states.get(PARTS))
    names = vector_names(embedder.model_id) if has_parts else (embedder.model_id,)
    wanted = [(vector, name) for vector in await embedder.embed(list(question.parts)) if vector.any() for name in names]
    searched = await asyncio.gather(
        *(
            vectors.search(
                question.scope,
                vector,
                model=name,
                record_filter=question.record_filter,
                limit=limit if name == embedder.model_id else min(limit, _OF_PARTS),
                places=places,
                revision=_revision(question),
            )
            for vector, name in wanted
        )
    )
    if len(searched) == 1:
        return [Candidate(record_id, score, "", place) for record_id, score, place in searched[0]]
    best: dict[str, Candidate] = {}
    for (_, name), hits in zip(wanted, searched, strict=True):
        less = 0.0 if name == embedder.model_id else PART_LESS
        for record_id, score, place in hits:
            known = best.get(record_id)
            if known is None or score - less > known.score:
                best[record_id] = Candidate(record_id, score - less, "", place)
    by_id = sorted(best.values(), key=attrgetter("record_id"))
    return sorted(by_id, key=attrgetter("score"), reverse=True)[:limit]
