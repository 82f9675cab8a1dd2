"""The port of nearest-neighbour search over the vectors that a store keeps.

Apart from the store, because engines that are good at one are rarely good at the other; and never the truth, so that an
adapter may lose everything and only has to follow `store.vector_pages` again.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from remanent.lightweight import dataclass
from remanent.model import Scope
from remanent.stores.queries import ErasureDepth, Hit, RecordFilter
from remanent.stores.store import Batches

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class VectorSearch:
    """The records nearest to a vector of a model that pass the filter, by cosine, best first."""

    vector: "NDArray[np.float32]"
    model: str
    filter: RecordFilter
    limit: int
    places: bool = False
    """Whether each hit says where it stands, as for text."""
    revision: int | None = None
    """The store's vector revision that must be seen, if the caller has just read it: that saves asking again."""


class Vectors(ABC):
    """Finds the records nearest to a vector. Never the only copy: all of it can be rebuilt from the store."""

    depth: ErasureDepth = ErasureDepth.UNREADABLE
    """How far `erased` reaches in what is kept beside the store: the least, unless an adapter reaches further."""

    def __init__(self) -> None:
        self._searches: Batches[Scope, VectorSearch] = Batches(self.search_all)

    @abstractmethod
    async def search_all(self, scope: Scope, searches: Sequence[VectorSearch]) -> list[list[Hit]]:
        """Return what each of the searches finds, in order; each sees every vector that was committed before."""

    async def search(
        self,
        scope: Scope,
        vector: "NDArray[np.float32]",
        *,
        model: str,
        record_filter: RecordFilter,
        limit: int,
        places: bool = False,
        revision: int | None = None,
    ) -> list[Hit]:
        """Return the nearest records that pass the filter; those that search at the same time do so together."""
        search = VectorSearch(vector, model, record_filter, limit, places, revision)
        hits: list[Hit] = await self._searches.ask(scope, search)
        return hits

    def loading(self, scope: Scope, *, model: str) -> bool:
        """Return whether a search would have to wait until the vectors are in memory."""
        return False

    async def prepare(self, scope: Scope, *, model: str) -> None:  # noqa: B027 - most have nothing to load
        """Bring an agent's vectors into memory, if there is room for them, so that the first search need not."""

    @abstractmethod
    async def erased(self, scope: Scope, record_ids: tuple[str, ...] | None) -> None:
        """Remove every byte of these records' vectors from memory and files, before an erasure is acknowledged.

        `None` stands for all that the store no longer has, whatever that was.
        """

    async def check(self, scope: Scope) -> tuple[str, ...]:
        """Examine what is kept beside the store, and return what is wrong with it; change nothing."""
        return ()

    @abstractmethod
    async def close(self) -> None:
        """Let go of memory and files."""
