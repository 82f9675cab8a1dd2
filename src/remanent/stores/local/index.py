"""The index over one model's vectors of one agent: sealed cells, and beside them rows compared one by one.

New vectors are compared one by one, which is exact; when there are many, they are sealed together with the cells into
new cells. Removed ones are masked in the cells and overwritten in the file. So the index is right after every change,
and the only thing that waits for the background is speed.
"""

import itertools
import logging
import math
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from remanent.errors import InvalidInput
from remanent.model import Kind
from remanent.stores.local import files
from remanent.stores.local.cells import Cells, Damaged, kind_code
from remanent.stores.local.clustering import IndexSnapshot
from remanent.stores.local.files import CellsFile, CellsWriter
from remanent.stores.local.products import ProductPool
from remanent.stores.local.rows import Rows
from remanent.stores.queries import VectorChanges
from remanent.values import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

_logger = logging.getLogger(__name__)
_DIGITS = 6
"""Decimals of a score. What lies beyond is rounding of the machine; equal scores are put in order by id."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """What one look found, and how far it can be relied on: that decides whether another look is needed."""

    found: list[tuple[str, float]]
    """Ids and cosines, best first."""
    all_there_is: bool
    """Nothing more of these kinds is in the index."""
    exact: bool
    """Nothing nearer can have been missed."""


class Index:
    """Holds one model's vectors of one agent. Not for more than one thread at a time, except while sealing."""

    def __init__(self, model: str, *, path: Path | None, exact_limit: int) -> None:
        self.model = model
        self.path = path
        self.revision = 0
        """Of the store, up to which everything is here."""
        self._exact_limit = exact_limit
        self._rows: Rows | None = None
        self._cells: Cells | None = None
        self._touched: set[str] | None = None
        """What changed since sealing began."""
        self._stop = threading.Event()
        self._put_off = 0

    def __len__(self) -> int:
        """Return how many vectors are here."""
        rows = len(self._rows) if self._rows is not None else 0
        return rows + (len(self._cells) if self._cells is not None else 0)

    @property
    def nbytes(self) -> int:
        """The memory taken, about."""
        rows = self._rows.nbytes if self._rows is not None else 0
        return rows + (self._cells.nbytes if self._cells is not None else 0)

    @property
    def has_file(self) -> bool:
        """Whether it holds a file open."""
        return self._cells is not None and self._cells.file is not None

    @property
    def compares_all(self) -> bool:
        """Whether it holds so few vectors that none can be missed."""
        return self._cells is None or len(self) <= self._exact_limit

    # ── following the store ──────────────────────────────────────────────────

    def open(self) -> None:
        """Map the file of an earlier time if there is a sound one; what changed since must be asked of the store."""
        if self.path is None:
            return
        try:
            self._cells = CellsFile.open(self.path, model=self.model).cells()
        except FileNotFoundError:
            return
        except (Damaged, OSError) as error:
            _logger.info("building the vector index %s anew: %s", self.path.name, error)
            return
        self.revision = self._cells.revision
        self._rows = Rows(self._cells.parts.matrix.shape[1])

    def clear(self) -> None:
        """Forget everything, the file too: it is to be loaded from the store."""
        self.release()
        if self.path is not None:
            files.remove(self.path)

    def stop(self) -> None:
        """Have sealing give up."""
        self._stop.set()

    def release(self) -> None:
        """Give up memory and files; the file itself stays."""
        self._stop.set()
        self._touched = None
        if self._cells is not None and self._cells.file is not None:
            self._cells.file.close()
        self._rows = self._cells = None
        self.revision = self._put_off = 0

    def apply(self, changes: VectorChanges) -> None:
        """Take in what happened in the store; what is gone or replaced is overwritten, here and in the file."""
        rows = self._rows
        if changes.reset or (rows is not None and changes.record_ids and changes.matrix.shape[1] != rows.dimension):
            self.clear()
        if changes.record_ids and self._rows is None:
            self._rows = Rows(changes.matrix.shape[1])
        touched = [*changes.removed, *changes.record_ids]
        if self._touched is not None:
            self._touched.update(touched)
        if self._rows is not None:
            self._rows.remove(changes.removed)
            kinds = np.array([kind_code(kind) for kind in changes.kinds], dtype=np.uint8)
            self._rows.put(changes.record_ids, kinds, changes.matrix)
        self._remove_sealed(touched)
        if changes.after is None:  # until all of it is here, it is as old as before
            self.revision = changes.revision
        if self._cells is not None and len(self) <= self._exact_limit // 2:
            self._unseal()

    def _remove_sealed(self, ids: Iterable[str]) -> None:
        """Mask vectors in the cells, and overwrite them in the file so that no copy outlives their removal."""
        if self._cells is None:
            return
        rows = self._cells.remove(ids)
        if len(rows) and self._cells.file is not None:
            self._cells.file.overwrite(rows)

    def _unseal(self) -> None:
        """Go back to rows alone, when few vectors are left."""
        assert self._cells is not None
        assert self._rows is not None
        cells = self._cells
        cells.verify()
        rows = np.flatnonzero(cells.alive)
        self._rows.put(cells.names.at(rows), cells.parts.kinds[rows], cells.parts.matrix[rows])
        rest, revision = self._rows, self.revision
        rest.held = False
        self.clear()
        self._rows, self.revision = rest, revision

    def sample(self, size: int) -> list[str]:
        """Return some ids from the file, the newest among them: the store must know them all."""
        if self._cells is None:
            return []
        alive = np.flatnonzero(self._cells.alive)
        spread = alive[np.linspace(0, len(alive) - 1, min(size, len(alive))).astype(np.int64)]
        # Ids of ours begin with their time.
        begin = self._cells.parts.names.view(">u8").reshape(self._cells.end, -1)[alive, 0].astype(np.uint64)
        newest = alive[np.argpartition(begin, len(alive) - len(spread))[-len(spread) :]]
        return self._cells.names.at(np.unique(np.concatenate([spread, newest])))

    # ── searching ────────────────────────────────────────────────────────────

    def near(
        self,
        products: ProductPool,
        vector: "NDArray[np.float32]",
        *,
        kinds: tuple[Kind, ...] | None,
        count: int,
        effort: float,
    ) -> Neighbours:
        """Return the nearest vectors of the kinds; with cells, an effort of 1 finds nearly all of them."""
        if self._rows is None:
            return Neighbours([], all_there_is=True, exact=True)
        if len(vector) != self._rows.dimension:
            raise InvalidInput(
                f"the question has {len(vector)} dimensions, the vectors of {self.model} have {self._rows.dimension}; "
                "embed the question with the same model"
            )
        of_kinds = None
        if kinds is not None:
            of_kinds = np.zeros(256, dtype=np.bool_)
            of_kinds[[kind_code(kind) for kind in kinds]] = True
        rows, scores, everything = self._rows.near(products, vector, of_kinds=of_kinds, count=count)
        of_rows, exact = len(rows), True
        if self._cells is not None:
            if self.compares_all:
                effort = math.inf
            sealed, their_scores, exact = self._cells.fill(products, vector, of_kinds=of_kinds, effort=effort)
            rows, scores = np.concatenate([rows, sealed]), np.concatenate([scores, their_scores])
        best = np.argpartition(scores, len(scores) - count)[-count:] if count < len(scores) else np.arange(len(scores))
        outside = best[best < of_rows]
        ids = self._rows.ids_at(rows[outside])
        picked = scores[outside]
        if self._cells is not None:
            inside = best[best >= of_rows]
            ids += self._cells.names.at(rows[inside])
            picked = np.concatenate([picked, scores[inside]])
        return Neighbours(_ranked(ids, picked), all_there_is=everything and exact and count >= len(scores), exact=exact)

    # ── sealing ──────────────────────────────────────────────────────────────

    @property
    def sealing(self) -> bool:
        """Whether new cells are being made."""
        return self._touched is not None

    @property
    def wants_sealing(self) -> bool:
        """Whether so much lies outside cells, or so many holes in them, that new cells are worth it."""
        if self._rows is None or self.sealing or len(self) <= self._exact_limit:
            return False
        sealed = len(self._cells) if self._cells is not None else 0
        few = max(self._exact_limit // 10, min(self._exact_limit, sealed // 5))
        return self._loose > few + self._put_off

    @property
    def _loose(self) -> int:
        rows = len(self._rows) if self._rows is not None else 0
        return rows + (self._cells.dead if self._cells is not None else 0)

    def put_off_sealing(self) -> None:
        """After a failure, wait until the reason to try has grown by as much again."""
        self._put_off = self._loose

    def start_sealing(self) -> IndexSnapshot:
        """Return what is held now; until the end every change is noted.

        Sealing takes long, in a thread of its own, while searches and writes go on; what they touch meanwhile is
        applied to the sealed cells when they take over.
        """
        assert self._rows is not None
        self._touched = set()
        self._stop = threading.Event()
        self._rows.held = True
        live = self._rows.live()
        sealed = np.flatnonzero(self._cells.alive) if self._cells is not None else np.empty(0, dtype=np.int64)
        sealed_kinds = self._cells.parts.kinds[sealed] if self._cells is not None else np.empty(0, dtype=np.uint8)
        return IndexSnapshot(
            model=self.model,
            revision=self.revision,
            cells=self._cells,
            cell_rows=sealed,
            rows=self._rows,
            row_rows=live,
            ids=self._rows.ids_at(live),
            kinds=np.concatenate([sealed_kinds, self._rows.kinds_at(live)]),
            stop=self._stop,
        )

    def finish_sealing(self, snapshot: IndexSnapshot, cells: Cells | None, writer: CellsWriter | None) -> None:
        """Use new cells, with what changed meanwhile; `None` when there are none."""
        wanted = self._touched is not None and snapshot.stop is self._stop and not self._stop.is_set()
        if wanted and cells is not None and writer is not None:
            try:
                writer.publish()
            except FileNotFoundError:  # something was erased meanwhile: the next search begins again
                cells = None
            except OSError as error:
                _logger.warning("cannot name the vector index %s: %s", self.path, error)
                self.put_off_sealing()
                cells = None
        if writer is not None:
            writer.abandon()
        if wanted:
            self._use(snapshot, cells)
        elif cells is not None and cells.file is not None:
            cells.file.close()

    def _use(self, snapshot: IndexSnapshot, cells: Cells | None) -> None:
        """Put new cells in the place of the old ones; rows that came while they were made stay outside of them.

        What was touched meanwhile is removed from the new cells: it is among those rows in its newer form, or gone.
        """
        assert self._rows is not None
        assert self._touched is not None
        touched, self._touched = self._touched, None
        self._rows.held = False
        if cells is None:
            return
        self._put_off = 0
        if self._cells is not None and self._cells.file is not None:
            self._cells.file.close()
        start = int(snapshot.row_rows[-1]) + 1 if len(snapshot.row_rows) else 0
        self._rows = self._rows.after(start)
        self._cells = cells
        self._remove_sealed(touched)


def _ranked(ids: list[str], scores: "NDArray[np.float32]") -> list[tuple[str, float]]:
    """Return ids with their rounded scores, the best first and equal ones by id."""
    rounded = np.round(np.clip(scores.astype(np.float64), -1, 1), _DIGITS)
    order = np.argsort(-rounded, kind="stable")
    ranked = [(ids[place], score) for place, score in zip(order.tolist(), rounded[order].tolist(), strict=True)]
    bounds = np.flatnonzero(np.diff(rounded[order], prepend=np.nan, append=np.nan))
    for start, end in itertools.pairwise(bounds.tolist()):
        if end - start > 1:
            ranked[start:end] = sorted(ranked[start:end])
    return ranked
