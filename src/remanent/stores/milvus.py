"""Vectors in Milvus, for agents with more of them than a process or a database should search; milvus-lite for a desk.

Copies only: the store keeps every vector, and what Milvus holds is written from `vector_pages`. A mark beside
an agent's rows says how far they follow the store; it is read before every search and written after the rows, so that a
server that is new, behind or emptied is filled first. Rows are never changed: one of a later revision stands beside the
old one, which goes afterwards. So processes that write at the same time, or stop half-way, can leave a row too many and
never one too few; and a row too many does no harm, since what Milvus finds is looked up in the store, by which it is
filtered and scored. When Milvus does not answer in time, or there is much to copy, the search is made without it,
slower, and the copying goes on; only an erasure waits for it.

Milvus gets ids of records and vectors. Agents and models are hashed, so that nothing of a name becomes part of a query.
"""

import asyncio
import hashlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit
from weakref import WeakValueDictionary

import numpy as np
from grpc import RpcError
from pymilvus import DataType, MilvusClient
from pymilvus.exceptions import MilvusException

from remanent.errors import InvalidInput, InvalidSettings, MissingDependency, StoreBusy, StoreClosed
from remanent.model import Scope
from remanent.stores.local_vectors import unit_question
from remanent.stores.queries import Hit, RecordFilter, VectorChanges
from remanent.stores.store import Store, vector_pages
from remanent.stores.vector_rows import normalise
from remanent.stores.vectors import Vectors, VectorSearch

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PREFIX: Final = "remanent_"
"""Before the name of every collection, so that the server may be shared."""
_TIMEOUT: Final = 10.0
"""Seconds for one request; chosen by hand."""
PAUSE: Final = 5.0
"""Seconds without a question after one that got no answer, so that a server that is away holds nobody up."""
_MAX_FOUND: Final = 16_384
"""Rows that Milvus returns for one search at the most; what needs more is searched without it."""
_SPARE, _WIDER = 16, 4
"""Candidates fetched first beyond the limit, since the filter drops some, and how much further each look goes."""
_ROWS = 1000
"""Rows of one request: 6 MB at 1536 dimensions, and Milvus takes 64."""
_SAMPLE = 32
"""Rows that are looked up before an agent's are trusted: enough to tell those of another database."""
_THREADS = 8
"""Requests of one process at a time; as many as connections to the other servers."""
_MISSING = 100
"""Milvus's code for a collection that is not there."""
_ANY_STATUS = RecordFilter(statuses=None)
_logger = logging.getLogger(__name__)
logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # it prints a page for every error that we translate
_T = TypeVar("_T")


class MilvusVectors(Vectors):
    """Searches the server of a URL: `milvus://user:password@host:19530/database?space=name&tls=1`.

    `milvus:///folder/file.db` is milvus-lite within this process. Memories that share a server and a database need a
    `space` each. `beside` searches when Milvus cannot, or has not within `patience` seconds.
    """

    def __init__(self, url: str, store: Store, *, beside: Vectors, patience: float) -> None:
        super().__init__()
        parts = urlsplit(url)
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        if parts.scheme != "milvus" or not (parts.hostname or parts.path.strip("/")) or options.keys() - _KNOWN:
            raise InvalidSettings("write the URL like milvus://host:19530/database?space=name")
        if not parts.hostname and find_spec("milvus_lite") is None:
            raise MissingDependency("a file of vectors needs milvus-lite; run: pip install milvus-lite")
        self._store, self._beside, self._patience = store, beside, patience
        self._space = options.get("space", "")
        self._target = {"uri": unquote(parts.path)}
        self._is_file = not parts.hostname
        if not self._is_file:
            scheme = "https" if options.get("tls") == "1" else "http"
            self._target = {
                "uri": f"{scheme}://{parts.hostname}:{parts.port or 19530}",
                "db_name": unquote(parts.path.strip("/")),
                "user": unquote(parts.username or ""),
                "password": unquote(parts.password or ""),
            }
        self._client: MilvusClient | None = None
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="milvus")
        # Of one agent one at a time; a collection of milvus-lite bears one writer.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._examined: set[_Place] = set()
        self._late: dict[_Place, asyncio.Task[Any]] = {}
        self._connecting = Lock()
        self._away_until = 0.0
        self._closed = False

    async def search_all(self, scope: Scope, searches: Sequence[VectorSearch]) -> list[list[Hit]]:
        """Return what each of the searches finds, in order; without Milvus where that does not answer."""
        if self._closed:
            raise StoreClosed("the vectors were closed")
        groups: dict[tuple[str, int], list[int]] = {}
        for number, search in enumerate(searches):
            if search.limit > 0:
                groups.setdefault((search.model, len(unit_question(search))), []).append(number)
        hits: list[list[Hit]] = [[] for _ in searches]

        async def look(model: str, dimension: int, numbers: list[int]) -> None:
            group = [searches[number] for number in numbers]
            try:
                found = await self._search_in_time(scope, self._place(scope, model, dimension), model, group)
            except StoreBusy as error:
                _logger.warning("searching without Milvus: %s", error)
                found = await self._beside.search_all(scope, group)
            for number, some in zip(numbers, found, strict=True):
                hits[number] = some

        await asyncio.gather(*(look(*key, numbers) for key, numbers in groups.items()))
        return hits

    async def erased(self, scope: Scope, record_ids: tuple[str, ...] | None) -> None:
        """Delete the rows of records that the store no longer has, in every collection; raises when Milvus is away.

        No search returns them from then on. Milvus frees their bytes when it compacts, and its backups keep them.
        """
        await self._beside.erased(scope, record_ids)
        if record_ids == ():
            return
        for place in await self._places(scope):
            async with self._lock(place):
                if record_ids is None:
                    await self._ask(_delete, place, f'id == "{place.agent}"')  # the mark: a new agent counts anew
                ids = list(record_ids or ()) or await self._ask(_records, place)
                alive = set(await self._store.match(scope.owner, ids, _ANY_STATUS))
                # What was put again since has rows of its own: older ones go when the store is followed.
                await self._ask(_delete_rows, place, [one for one in ids if one not in alive])
        for model, dimension in (await self._store.vector_models(scope.owner)).items():
            await self._follow(scope.owner, self._place(scope, model, dimension), model, None)

    async def check(self, scope: Scope) -> tuple[str, ...]:
        """Say which rows there are of records that the store does not have; change nothing."""
        problems = list(await self._beside.check(scope))
        for place in await self._places(scope):
            ids = await self._ask(_records, place)
            if unknown := len(ids) - len(await self._store.match(scope.owner, ids, _ANY_STATUS)):
                problems.append(f"{place.collection}: {unknown} rows of records that the store does not have")
        return tuple(problems)

    async def close(self) -> None:
        """Let go of the connection; the rows stay for others."""
        if not self._closed:
            self._closed = True
            for task in self._late.values():
                task.cancel()
            await asyncio.gather(*self._late.values(), return_exceptions=True)
            if self._client is not None:
                await asyncio.to_thread(self._client.close)
            self._pool.shutdown(wait=False)
            await self._beside.close()

    # ── searching ────────────────────────────────────────────────────────────

    async def _search_in_time(
        self, scope: Scope, place: "_Place", model: str, group: Sequence[VectorSearch]
    ) -> list[list[Hit]]:
        """Search, or refuse when that takes too long; what was begun goes on, and nobody else waits for it meanwhile.

        A search that is given up would be left out of its answer, and a copy that is given up would begin anew with
        every search and never come to its end.
        """
        if place in self._late:
            raise StoreBusy(_LATE)
        task = asyncio.create_task(self._search(scope, place, model, group))
        try:
            done, _ = await asyncio.wait({task}, timeout=self._patience)
        finally:
            if not task.done():
                self._late[place] = task
                task.add_done_callback(lambda _: self._late.pop(place))
                task.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        if not done:
            raise StoreBusy(_LATE)
        return task.result()

    async def _search(
        self, scope: Scope, place: "_Place", model: str, group: Sequence[VectorSearch]
    ) -> list[list[Hit]]:
        """Look ever further until enough pass the filter, or nothing is left to look at."""
        known = [search.revision for search in group if search.revision is not None]
        if not await self._follow(scope.owner, place, model, max(known) if len(known) == len(group) else None):
            return [[] for _ in group]
        questions = [unit_question(search) for search in group]
        count = max(search.limit for search in group) + _SPARE
        while count < _MAX_FOUND:
            near = await self._ask(_near, place, questions, count)
            found = [await self._look_up(scope, *one) for one in zip(group, questions, near, strict=True)]
            every = zip(group, near, found, strict=True)
            if all(len(hits) >= search.limit or len(rows) < count for search, rows, hits in every):
                return found
            count *= _WIDER
        return await self._beside.search_all(scope, group)

    async def _look_up(
        self, scope: Scope, search: VectorSearch, question: "NDArray[np.float32]", rows: Sequence[str]
    ) -> list[Hit]:
        """Return those that pass the filter, by the cosine of the store's own vector."""
        ids = tuple(dict.fromkeys(rows))
        vectors, places = await asyncio.gather(
            self._store.vectors(scope.owner, ids, model=search.model),
            self._store.places(scope, ids, record_filter=search.filter, neighbours=False),
        )
        passing = [place for place in places if place.record_id in vectors]
        if not passing:
            return []
        scores = normalise(np.stack([vectors[place.record_id] for place in passing])) @ question
        order = {record_id: number for number, record_id in enumerate(ids)}
        hits = [
            Hit(place.record_id, float(score), place if search.places else None)
            for place, score in zip(passing, scores, strict=True)
        ]
        return sorted(hits, key=lambda hit: (-hit.score, order[hit.record_id]))[: search.limit]

    # ── following the store ──────────────────────────────────────────────────

    async def _follow(self, owner: Scope, place: "_Place", model: str, revision: int | None) -> bool:
        """Bring an agent's rows to a revision of the store, or to a later one; return whether there may be any."""
        if revision is None:
            revision = await self._store.vector_revision(owner)
        if place in self._examined and await self._ask(_mark, place) == revision:
            return True
        async with self._lock(place):
            mark, now = await self._ask(_mark, place), await self._store.vector_revision(owner)
            # None, or beyond the store's revision, since somebody put an older database in its place: all is copied.
            since = mark if mark is not None and mark <= now and await self._are_ours(owner, place) else 0
            if mark is None and not now:
                return False  # nothing was ever kept, so that there may not even be a collection
            if since != now:
                everything, any_rows = not since, mark is not None
                async for changes in vector_pages(self._store, owner, model, since=since):
                    if changes.record_ids and changes.matrix.shape[1] != place.dimension:
                        raise InvalidInput(f"{model} makes vectors of {changes.matrix.shape[1]}, not {place.dimension}")
                    everything, any_rows = everything or changes.reset, any_rows or bool(changes.record_ids)
                    if not any_rows:
                        return False
                    await self._ask(_write, place, changes, everything)
            self._examined.add(place)
        return True

    async def _are_ours(self, owner: Scope, place: "_Place") -> bool:
        """Return whether rows come from this store, by some of them; looked at once by each process."""
        some = () if place in self._examined else await self._ask(_records, place, _SAMPLE)
        return len(await self._store.match(owner, some, _ANY_STATUS)) * 2 >= len(some)

    # ── what the rest stands on ──────────────────────────────────────────────

    def _place(self, scope: Scope, model: str, dimension: int) -> "_Place":
        agent = _hash(json.dumps([self._space, scope.org, scope.workspace, scope.agent]))
        return _Place(f"{_PREFIX}{dimension}_{_hash(model)}", agent, dimension)

    async def _places(self, scope: Scope) -> "list[_Place]":
        """Return where an agent may have rows, of models that are no longer in use, too."""
        agent = self._place(scope, "", 0).agent
        names = await self._ask(MilvusClient.list_collections)
        return [_Place(name, agent, 0) for name in names if name.startswith(_PREFIX)]

    def _lock(self, place: "_Place") -> asyncio.Lock:
        return self._locks.setdefault(place.collection + ("" if self._is_file else place.agent), asyncio.Lock())

    async def _ask(self, work: "Callable[..., _T]", *arguments: Any) -> _T:
        """Do something with the client on a thread; what it raises becomes an error of ours."""
        if time.monotonic() < self._away_until:
            raise StoreBusy(_AWAY)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, self._work, work, *arguments)
        except (MilvusException, RpcError, OSError) as error:
            self._away_until = time.monotonic() + PAUSE
            raise StoreBusy(_AWAY) from error

    def _work(self, work: "Callable[..., _T]", *arguments: Any) -> _T:
        """Ask once more after an error: a connection is given up now and then, and no request does harm twice."""
        with self._connecting:
            self._client = self._client or MilvusClient(**self._target, timeout=_TIMEOUT)
        try:
            return work(self._client, *arguments)
        except (MilvusException, RpcError):
            return work(self._client, *arguments)


class _Place(NamedTuple):
    """Where the rows of an agent and a model are."""

    collection: str
    agent: str
    dimension: int

    @property
    def filter(self) -> str:
        return f'agent == "{self.agent}"'


_AWAY = "Milvus does not answer as it should; check that the server in `vectors.url` is running"
_LATE = "Milvus is slow to answer, or the vectors are still being copied there"
_KNOWN = {"space", "tls"}
_STRONG: dict[str, Any] = {"consistency_level": "Strong", "timeout": _TIMEOUT}
"""A request sees all that was written before it."""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:40]


# ── requests ─────────────────────────────────────────────────────────────────


def _near(client: MilvusClient, place: _Place, questions: Sequence[Any], count: int) -> list[list[str]]:
    """Return the ids nearest to each question, among all that was written before (`_STRONG`)."""
    found = client.search(
        place.collection, data=list(questions), filter=place.filter, limit=count, output_fields=["record"], **_STRONG
    )
    return [[hit["entity"]["record"] for hit in hits] for hits in found]


def _mark(client: MilvusClient, place: _Place) -> int | None:
    """Return the revision that an agent's rows stand at, or `None` where there are none."""
    try:
        found = client.get(place.collection, ids=[place.agent], output_fields=["revision"], **_STRONG)
    except MilvusException as error:
        if error.code != _MISSING:
            raise
        return None
    return int(found[0]["revision"]) if found else None


def _records(client: MilvusClient, place: _Place, limit: int = -1) -> list[str]:
    """Return the records that an agent has rows of."""
    pages = client.query_iterator(
        place.collection, filter=place.filter, output_fields=["record"], batch_size=_ROWS, limit=limit, **_STRONG
    )
    found: dict[str, None] = {}
    while page := pages.next():
        found.update((row["record"], None) for row in page)
    pages.close()
    return list(found)


def _write(client: MilvusClient, place: _Place, changes: VectorChanges, everything: bool) -> None:  # noqa: FBT001
    """Write rows, remove those before them, and after the last page the mark."""
    if not client.has_collection(place.collection, timeout=_TIMEOUT):
        _make(client, place)
    revision, before = changes.revision, f" and revision < {changes.revision}"
    matrix = normalise(np.array(changes.matrix, dtype=np.float32))
    for start in range(0, len(changes.record_ids), _ROWS):
        some = zip(changes.record_ids[start : start + _ROWS], matrix[start : start + _ROWS], strict=True)
        rows = [
            _row(f"{place.agent}{_hash(one)}{revision}", place.agent, one, revision, vector) for one, vector in some
        ]
        client.upsert(place.collection, rows, timeout=_TIMEOUT)
    if not everything:
        _delete_rows(client, place, [*changes.record_ids, *changes.removed], before)
    if changes.after is not None:
        return
    if everything:
        _delete(client, place, place.filter + before)
    mark = _row(place.agent, "", "", revision, np.zeros(place.dimension, np.float32))
    client.upsert(place.collection, [mark], timeout=_TIMEOUT)


def _row(key: str, agent: str, record: str, revision: int, vector: "NDArray[np.float32]") -> dict[str, Any]:
    name = _hash(record)
    return {"id": key, "agent": agent, "name": name, "record": record, "revision": revision, "vector": vector}


def _delete(client: MilvusClient, place: _Place, wanted: str) -> None:
    client.delete(place.collection, filter=wanted, timeout=_TIMEOUT)


def _delete_rows(client: MilvusClient, place: _Place, record_ids: Sequence[str], more: str = "") -> None:
    for start in range(0, len(record_ids), _ROWS):
        names = json.dumps([_hash(one) for one in record_ids[start : start + _ROWS]])
        _delete(client, place, f"{place.filter} and name in {names}{more}")


def _make(client: MilvusClient, place: _Place) -> None:
    """Make the collection of one dimension: agents are parted by partition key, so that thousands share one."""
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", DataType.VARCHAR, max_length=128, is_primary=True)
    schema.add_field("agent", DataType.VARCHAR, max_length=64, is_partition_key=True)
    schema.add_field("name", DataType.VARCHAR, max_length=64)
    schema.add_field("record", DataType.VARCHAR, max_length=4096)
    schema.add_field("revision", DataType.INT64)
    schema.add_field("vector", DataType.FLOAT_VECTOR, dim=place.dimension)
    index = MilvusClient.prepare_index_params()
    index.add_index("vector", index_type="AUTOINDEX", metric_type="IP")
    client.create_collection(place.collection, schema=schema, index_params=index, **_STRONG)
