"""The associative memory over another store than the usual one: it knows the port and nothing behind it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from remanent.model import Scope
from remanent.stores import Claims, Store
from remanent.stores.sqlite import SqliteStore
from tests.associative.world import MemoryWorld, picture
from tests.jobs.world import ADA, BOB
from tests.servers import PostgresServer, has_postgres, postgres

LOGIN = "用户系统的登录模块采用JWT方案，由张伟负责。"
CRANE = "The harbour master moved the crane to the northern pier."


class Split:
    """Keeps every other agent in another place, as a store over several machines does."""

    def __init__(self, homes: Iterable[Path]) -> None:
        super().__init__()
        self._parts = [SqliteStore(home) for home in homes]

    def at(self, scope: Scope) -> Store:
        return self._parts[ord(scope.agent[0]) % len(self._parts)]

    async def claim_any(self, *, among: Sequence[Scope] | None = None, **options: Any) -> Claims:
        """Claim of the first asked for; a worker looks at the others again."""
        assert among
        return await self.at(among[0]).claim_any(among=among[:1], **options)

    async def scopes(self) -> list[Scope]:
        return [scope for part in self._parts for scope in await part.scopes()]

    def on_enqueue(self, notify: Callable[[Scope], None]) -> None:
        for part in self._parts:
            part.on_enqueue(notify)

    async def close(self) -> None:
        for part in self._parts:
            await part.close()


def _passed_on(name: str) -> Callable[..., Awaitable[Any]]:
    async def call(self: Any, scope: Scope, *arguments: Any, **options: Any) -> Any:
        return await getattr(self.at(scope), name)(scope, *arguments, **options)

    return call


OWN = {"claim_any", "scopes", "on_enqueue", "close"}
SplitStore: Any = type(
    "SplitStore", (Split, Store), {name: _passed_on(name) for name in Store.__abstractmethods__ if name not in OWN}
)
"""All that the port asks for, and no more: what is not of the port is not there."""


class SplitWorld(MemoryWorld):
    def make_store(self) -> Store:
        store: Store = SplitStore([self.home / "one", self.home / "two"])
        return store


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres() as running:
        yield running


def postgres_world(home: Path, url: str) -> MemoryWorld:
    class PostgresWorld(MemoryWorld):
        def make_store(self) -> Store:
            from remanent.stores.postgres import PostgresStore

            return PostgresStore(url)

    return PostgresWorld(home)


@pytest.fixture(params=["two folders", "PostgreSQL"])
async def world(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[MemoryWorld]:
    made: MemoryWorld
    if request.param == "PostgreSQL":
        if not has_postgres():
            pytest.skip("no PostgreSQL here")
        made = postgres_world(tmp_path, request.getfixturevalue("server").make_database())
    else:
        made = SplitWorld(tmp_path)
    yield made
    await made.close()


@pytest.mark.spec("ASSOC-15")
async def test_everything_works_over_another_store(world: MemoryWorld) -> None:
    await world.say(LOGIN, CRANE)
    await world.say(CRANE, scope=BOB)
    assert "JWT" in await world.memory().recall(["登录"])
    assert "JWT" not in await world.memory(BOB).recall(["登录"])
    if isinstance(world, SplitWorld):
        one, two = (world.home / name / "lab/home" for name in ("one", "two"))
        assert (two / "ada/memory.db").exists() != (one / "ada/memory.db").exists()
        assert (one / "bob/memory.db").exists() != (one / "ada/memory.db").exists()
    else:
        assert not list(world.home.rglob("*.db")), "all of it is in the database"
    fresh = await world.associate(world.open_store()).graphs.at(ADA)
    assert picture(fresh) == picture(await world.graph())


@pytest.mark.spec("ASSOC-15")
async def test_forgetting_and_restoring_work_over_another_store(world: MemoryWorld) -> None:
    await world.plant({"a": CRANE, "b": LOGIN}, [("b", "a", 0.5)], focuses=["b"])
    await world.plant({"lonely": "nothing holds this memory here"})
    await world.compress()
    (stone,) = await world.memory().forgotten()
    assert stone.node_id == "lonely"
    assert await world.strengths() == {("b", "a"): 0.5}
    assert (await world.memory().restore("lonely")).content == "nothing holds this memory here"
    lines = await world.memory().triples()
    await world.memory(BOB).load_triples(lines)
    assert await world.memory(BOB).triples() == lines
