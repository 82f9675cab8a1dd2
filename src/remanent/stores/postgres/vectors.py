"""Nearest neighbours where the vectors live: an exact scan of the agent's own, or an index of a large agent's."""

from collections.abc import Sequence

from remanent.model import Scope
from remanent.stores.postgres.store import PostgresStore
from remanent.stores.queries import Hit
from remanent.stores.vectors import Vectors, VectorSearch


class PostgresVectors(Vectors):
    """Searches the store's own rows: nothing is kept beside them, and so nothing can be stale or left behind."""

    def __init__(self, store: PostgresStore) -> None:
        super().__init__()
        self._store = store

    async def search_all(self, scope: Scope, searches: Sequence[VectorSearch]) -> list[list[Hit]]:
        """Return what each of the searches finds, in order, in one round trip."""
        return await self._store.read(scope, searches)

    async def erased(self, scope: Scope, record_ids: tuple[str, ...] | None) -> None:
        """Do nothing: the rows went with the records."""

    async def close(self) -> None:
        """Do nothing: the store has the connections."""
