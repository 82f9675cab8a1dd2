"""Nearest neighbours where the vectors live: an exact scan of the agent's own, or an index of a large agent's."""

from numpy import float32
from numpy.typing import NDArray

from remanent.errors import InvalidInput
from remanent.model import Scope
from remanent.stores.postgres.store import PostgresStore
from remanent.stores.queries import Hit, RecordFilter
from remanent.stores.vectors import Vectors


class PostgresVectors(Vectors):
    """Searches the store's own rows: nothing is kept beside them, and so nothing can be stale or left behind."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    async def search(
        self, scope: Scope, vector: NDArray[float32], *, model: str, record_filter: RecordFilter, limit: int
    ) -> list[Hit]:
        """Return the nearest records that pass the filter, by cosine, best first."""
        dimension = (await self._store.vector_models(scope)).get(model)
        if dimension is None or limit <= 0:
            return []
        if dimension != len(vector):
            raise InvalidInput(f"vectors of {model} have {dimension} dimensions here, not {len(vector)}")
        return await self._store.nearest(scope, vector, model=model, record_filter=record_filter, limit=limit)

    async def erased(self, scope: Scope, record_ids: tuple[str, ...] | None) -> None:
        """Do nothing: the rows went with the records."""

    async def close(self) -> None:
        """Do nothing: the store has the connections."""
