"""Runs tests of the whole memory over PostgreSQL, Valkey and object storage: `pytest -p tests.scale`.

Whatever opens a memory in this process gets, for its home, a database and a place in the bucket of its own; tests know
nothing of it. What a test starts as another process keeps the embedded store.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import NamedTuple

import pytest
from pydantic import SecretStr

from remanent import memory
from remanent.model import Clock
from remanent.settings import Settings
from remanent.stores import registry
from remanent.stores.cache import Cache
from remanent.stores.shelf import FolderShelf
from tests.servers import BUCKET, ServerProcess, object_store, postgres, valkey
from tests.stores.postgres.conftest import Databases


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what looks into files that there are none of here."""
    embedded = [item for item in items if item.get_closest_marker("embedded") is not None]
    if embedded:
        config.hook.pytest_deselected(items=embedded)
        items[:] = [item for item in items if item not in embedded]


class Servers(NamedTuple):
    """What is started once for all tests of a worker."""

    databases: Databases
    cache: ServerProcess
    files: ServerProcess


@pytest.fixture(scope="session")
def scale_servers() -> Iterator[Servers]:
    """Start them."""
    with postgres() as rows, valkey() as cache, object_store() as files, ExitStack() as stack:
        yield Servers(Databases(rows, stack), cache, files)


@pytest.fixture(autouse=True)
def scaled(scale_servers: Servers, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have every memory that is opened keep its data in the servers."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")

    def at_scale(settings: Settings) -> Settings:
        if settings.store.get_secret_value() != "sqlite":
            return settings
        place = hashlib.sha256(os.fsencode(settings.home)).hexdigest()[:16]
        endpoint = f"http://127.0.0.1:{scale_servers.files.port}"
        urls = {
            "store": SecretStr(scale_servers.databases.named(str(settings.home))),
            "cache": SecretStr(f"redis://127.0.0.1:{scale_servers.cache.port}/0"),
            "blobs": f"s3://{BUCKET}/{place}?endpoint={endpoint}&region=us-east-1",
        }
        return settings.model_copy(update=urls)

    def open_stores(settings: Settings) -> registry.Stores:
        # Keys and logs stay files: many tests look into them, or change them from another process. That they work as
        # rows is shown by tests/server/test_two_servers.py and the conformance of shelves.
        return registry.open_stores(at_scale(settings))._replace(shelf=FolderShelf(settings.home))

    def open_cache(settings: Settings, *, clock: Clock) -> Cache:
        return registry.open_cache(at_scale(settings), clock=clock)

    monkeypatch.setattr(memory, "open_stores", open_stores)
    monkeypatch.setattr(memory, "open_cache", open_cache)
    yield
    scale_servers.databases.give_back()
