"""What an open memory is made of, as far as a discipline is built from it."""

from collections.abc import Callable
from dataclasses import dataclass

from pydantic import JsonValue

from remanent.discipline.journal import Journal
from remanent.embedding import Embedder, Embedders
from remanent.language import Engine
from remanent.model import Clock, Job, NewId, Scope
from remanent.recall import Recall
from remanent.settings import Settings
from remanent.stores import NO_LIMIT, Store, Transaction, Vectors
from remanent.stores.blobs import Blobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts that all disciplines of one open memory share."""

    settings: Settings
    store: Store
    vectors: Vectors
    blobs: Blobs
    embedders: Embedders | None
    """The models that embed; `None` where search is by words only."""
    engine: Engine
    journal: Journal
    clock: Clock
    new_id: NewId
    read_path: Callable[[], Recall]
    """Returns the read path; it is there when every discipline is open."""

    @property
    def embedder(self) -> Embedder | None:
        """The first of the models that embed."""
        return None if self.embedders is None else self.embedders.members[0]

    @property
    def recall(self) -> Recall:
        """The read path. A discipline asks for it when it works, not when it is opened."""
        return self.read_path()

    def watch(self, scope: Scope) -> None:
        """Have the worker look at an agent's queue."""
        self.journal.watch(scope)

    def enqueue(
        self,
        tx: Transaction,
        kind: str,
        *,
        payload: dict[str, JsonValue] | None = None,
        key: str | None = None,
        limit: int = NO_LIMIT,
    ) -> None:
        """Ask for a job as part of a unit of work; its kind is its lane, and one of the same key is not added twice."""
        job = Job(
            id=self.new_id(),
            scope=tx.scope.owner,
            kind=kind,
            lane=kind,
            key=key,
            payload=payload or {},
            enqueued_at=self.clock(),
        )
        tx.enqueue(job, limit=limit)
