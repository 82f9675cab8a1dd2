"""Whether one model has read everything that another has: then it need not be asked beside it."""

from collections import OrderedDict
from typing import NamedTuple

from remanent.model import Scope
from remanent.stores import Store

_MOST_KNOWN = 4096
_GROWTH = 0.02
"""By which share of its vectors a store that one model has not read whole must change before it is counted again."""


class _Known(NamedTuple):
    revision: int
    covered: bool
    vectors: int


class Coverage:
    """Counts the vectors of two models; what was counted before is not counted again.

    Vectors of both are put in one unit of work, so that a store which one of them had read whole stays so as long as
    both get equally many. That one has not is only worth less speed: it may be out of date for a while.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: OrderedDict[tuple[Scope, str, str], _Known] = OrderedDict()

    async def is_whole(self, scope: Scope, model: str, *, beside: str) -> bool:
        """Return whether a model has a vector of every record of which the one beside it has one, and of any."""
        key = scope.owner, model, beside
        known, revision = self._known.get(key), await self._store.vector_revision(scope)
        if known is None or revision < known.revision:
            known = await self._count(scope, model, beside, revision)
        elif known.covered and revision > known.revision:
            fresh = await self._store.vector_counts(scope, since=known.revision)
            covered = fresh.get(model, 0) == fresh.get(beside, 0)
            known = _Known(revision, covered, known.vectors + fresh.get(beside, 0))
        elif not known.covered and revision - known.revision > _GROWTH * known.vectors:
            known = await self._count(scope, model, beside, revision)
        self._known[key] = known
        self._known.move_to_end(key)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
        return known.covered

    async def _count(self, scope: Scope, model: str, beside: str, revision: int) -> _Known:
        held = await self._store.vector_counts(scope)
        vectors = held.get(beside, 0)
        return _Known(revision, 0 < vectors <= held.get(model, 0), vectors)
