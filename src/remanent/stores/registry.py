"""Which adapter a URL means, for each of the ports; packages of those that are not in the base install load here, late.

| port | URLs |
|---|---|
| `Store`, `Vectors` | `sqlite` (files under `home`), `sqlite:///folder`, `postgresql://…` |
| `Cache` | `memory`, `redis://…`, `rediss://…`, `unix://…` |
| `Vectors`, apart | `milvus://host:19530/database?space=…`, `milvus:///folder/file.db` |
| `Blobs` | `files` (under `home`), `s3://bucket/prefix?endpoint=…&region=…` |
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from remanent.errors import InvalidInput, MissingDependency
from remanent.model import Clock, system_clock
from remanent.settings import Settings
from remanent.stores.blobs import Blobs, FileBlobs
from remanent.stores.cache import Cache, InProcessCache
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.shelf import FolderShelf, Shelf
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.folders import Layout
from remanent.stores.store import Store
from remanent.stores.vectors import Vectors


class Stores(NamedTuple):
    """What keeps one memory: rows, the search over their vectors, raw files, and what belongs to no agent."""

    store: Store
    vectors: Vectors
    blobs: Blobs
    shelf: Shelf


def open_stores(settings: Settings) -> Stores:
    """Open what the settings name; a folder that cannot be written to is refused here already."""
    url = settings.store.get_secret_value()
    if _scheme(url) == "sqlite":
        store, vectors = _sqlite(url, settings)
        vectors = _vectors(settings, store, vectors)
        return Stores(store, vectors, _blobs(settings) or FileBlobs(store.folder), open_shelf(settings))
    with _installed("postgres"):
        from remanent.stores.postgres import PostgresStore, PostgresVectors
    shared = PostgresStore(url, timeout=settings.busy_timeout)
    layout = Layout(settings.home)
    layout.require_writable()
    blobs = _blobs(settings) or FileBlobs(layout.folder)
    return Stores(shared, _vectors(settings, shared, PostgresVectors(shared)), blobs, open_shelf(settings))


def open_shelf(settings: Settings) -> Shelf:
    """Open what keeps keys, the audit log and the like: with the store, whatever that is."""
    url = settings.store.get_secret_value()
    if _scheme(url) == "sqlite":
        return FolderShelf(settings.home)
    with _installed("postgres"):
        from remanent.stores.postgres import PostgresShelf
    return PostgresShelf(url, timeout=settings.busy_timeout)


def open_cache(settings: Settings, *, clock: Clock = system_clock) -> Cache:
    """Open the cache that the settings name."""
    url = settings.cache.get_secret_value()
    if _scheme(url) == "memory":
        return InProcessCache(clock=clock)
    with _installed("redis"):
        from remanent.stores.redis import RedisCache
    return RedisCache(url, clock=clock)


async def migrate_store(settings: Settings, *, dry_run: bool) -> tuple[int, int]:
    """Bring the tables of a server up to date; return the steps taken before, and all that there are."""
    url = settings.store.get_secret_value()
    if is_embedded(settings):
        raise InvalidInput(
            "nothing to migrate: the embedded store brings each agent's file up to date when it is opened"
        )
    with _installed("postgres"):
        from remanent.stores.postgres.store import index_large_agents, migrate
    steps = await migrate(url, dry_run=dry_run)
    if not dry_run:
        await index_large_agents(url)
    return steps


def is_embedded(settings: Settings) -> bool:
    """Return whether the store is files of this machine."""
    return _scheme(settings.store.get_secret_value()) == "sqlite"


def _scheme(url: str) -> str:
    return url.partition(":")[0]


def _sqlite(url: str, settings: Settings) -> tuple[SqliteStore, Vectors]:
    """Open the embedded store; a URL without a path means the home of the settings."""
    path = unquote(urlsplit(url).path)
    home = Path(path) if path.strip("/") and ":" in url else settings.home
    store = SqliteStore(home, busy_timeout=settings.busy_timeout, max_open=settings.open_agents)
    store.layout.require_writable()
    return store, LocalVectors(store, memory_budget=settings.vectors.memory_budget)


def _vectors(settings: Settings, store: Store, beside: Vectors) -> Vectors:
    """Return what searches vectors: the store's own search, or a server with that beside it."""
    url = settings.vectors.url.get_secret_value()
    if url == "store":
        return beside
    with _installed("milvus"):
        from remanent.stores.milvus import MilvusVectors
    # Half of the time that a path of recall has: the other half is left for searching without it.
    return MilvusVectors(url, store, beside=beside, patience=settings.recall.path_timeout / 2)


def _blobs(settings: Settings) -> Blobs | None:
    """Return what keeps files elsewhere than in folders of this machine."""
    if _scheme(settings.blobs) == "files":
        return None
    with _installed("s3"):
        from remanent.stores.s3 import S3Blobs
    return S3Blobs(settings.blobs)


@contextmanager
def _installed(extra: str) -> Iterator[None]:
    """Say what to install when an adapter's package is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingDependency(f"{error.name} is not installed; run: pip install 'remanent[{extra}]'") from error
