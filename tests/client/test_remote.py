"""A served memory has the methods of an open one, with equal signatures, answers and errors."""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from pathlib import Path
from socket import gethostname
from typing import Any

import pytest

import remanent
from remanent.client.blocking import RemoteMemory
from remanent.client.connection import Connection
from remanent.client.remote import AsyncRemoteKnowledgeBases, AsyncRemoteMemory
from remanent.errors import (
    AnswerLost,
    InvalidInput,
    InvalidSettings,
    NotAuthenticated,
    NotFound,
    RemanentError,
    ServerUnreachable,
    StoreClosed,
    VersionConflict,
)
from remanent.model import Probe, RecallOptions
from remanent.operations import CATALOGUE, Permission, Target
from remanent.operations.access.keys import Reach
from remanent.recall import PathUse, Recipe
from tests.client.serving import serving

FACES = sorted({(one.face.part, one.face.method) for one in CATALOGUE.values() if one.face is not None})
BY_KEY = {(one.face.part, one.face.method): one.face.by_key for one in CATALOGUE.values() if one.face is not None}
OWN = {
    "": "remanent.memory:AsyncAgent",
    "admin": "remanent.memory:AsyncAgentAdmin",
    "associative": "remanent.associative.face:AsyncAssociativeMemory",
    "cognition": "remanent.cognition.face:AsyncCognition",
    "knowledge": "remanent.knowledge.face:AsyncKnowledgeCollection",
    "workspace": "remanent.workspace.face:AsyncWorkspace",
}
"""What an agent has, by its part. Imported where it is looked at, since a discipline may not be there."""


def here_and_there(part: str, *, blocking: bool = False) -> tuple[type, type]:
    """Return a part of an open memory, and that of a served one."""
    module, _, name = OWN[part].partition(":")
    there = "remanent.client.remote"
    if blocking:
        module, there = f"{module.rpartition('.')[0]}._sync", "remanent.client.blocking"
    prefix, base = "" if blocking else "Async", name.removeprefix("Async")
    return getattr(import_module(module), prefix + base), getattr(import_module(there), f"{prefix}Remote{base}")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[RemoteMemory]:
    with serving(tmp_path / "served") as served, remanent.connect(served.url) as memory:
        yield memory


@pytest.mark.parametrize("face", FACES, ids=".".join)
@pytest.mark.parametrize("blocking", [False, True], ids=["async", "blocking"])
def test_a_method_takes_and_returns_the_same_here_and_there(face: tuple[str, str], *, blocking: bool) -> None:
    def taken(kind: type) -> list[tuple[object, ...]]:
        parameters = inspect.signature(getattr(kind, name)).parameters.values()
        return [(one.name, one.kind, one.default) for one in parameters]

    part, name = face
    own, other = here_and_there(part, blocking=blocking)
    assert [one for one in taken(own) if one[0] not in BY_KEY[face]] == taken(other)
    assert inspect.getdoc(getattr(own, name)) == inspect.getdoc(getattr(other, name))


LACKING = {
    "": {"face"},
    "admin": set(),
    "associative": set(),
    "cognition": set(),
    "knowledge": set(),
    "workspace": {"hook", "mem0", "store"},
}
"""What no operation offers. A face is an object of this process, and so are hooks, the files' index and Mem0 of a
workspace."""


@pytest.mark.parametrize("part", LACKING)
@pytest.mark.parametrize("blocking", [False, True], ids=["async", "blocking"])
def test_the_client_lacks_this_and_nothing_else(part: str, *, blocking: bool) -> None:
    kinds = here_and_there(part, blocking=blocking)
    own, other = ({name for name in dir(kind) if not name.startswith("_")} for kind in kinds)
    assert own - other - {"close"} == LACKING[part]


@pytest.mark.needs("bank", "knowledge")
def test_a_memory_s_faces_are_there_too() -> None:
    from remanent.knowledge.face import AsyncKnowledgeBases

    for faces in (AsyncRemoteMemory, RemoteMemory):
        assert {"bank", "knowledge"} <= set(dir(faces))
    own = inspect.signature(AsyncKnowledgeBases.__call__).parameters.values()
    other = inspect.signature(AsyncRemoteKnowledgeBases.__call__).parameters.values()
    assert [(one.name, one.kind, one.default) for one in own] == [(one.name, one.kind, one.default) for one in other]


@pytest.mark.needs("knowledge")
@pytest.mark.parametrize("name", ["add", "preview", "of", "sync", "watch"])
def test_what_is_written_by_hand_takes_and_says_the_same(name: str) -> None:
    own, other = (getattr(kind, name) for kind in here_and_there("knowledge"))
    assert [(one.name, one.kind, one.default) for one in inspect.signature(own).parameters.values()] == [
        (one.name, one.kind, one.default) for one in inspect.signature(other).parameters.values()
    ]
    assert inspect.getdoc(own) == inspect.getdoc(other)


@pytest.mark.needs("knowledge")
def test_named_collections_are_added_to_and_searched_from_here(memory: RemoteMemory, tmp_path: Path) -> None:
    manuals = memory.knowledge("manuals")
    text = "# Kettle\n\nThe kettle holds two litres."
    assert [chunk.text for chunk in manuals.preview(text=text, name="kettle.md")]
    assert manuals.list() == []
    assert manuals.add(text=text, name="kettle.md").status == "added"
    (tmp_path / "toaster.txt").write_text("The toaster takes four slices.", encoding="utf-8")
    manuals.add(tmp_path / "toaster.txt")
    assert (manuals.collection, [one.name for one in manuals.list()]) == ("manuals", ["kettle.md", "toaster.txt"])
    assert memory.knowledge().list() == []
    for made, year in ((1, 2024), (2, 2025)):
        manuals.upload(f"Edition {made}.".encode(), name=f"{made}.txt", metadata={"year": year, "by": ["a", None]})
    assert {one.document for one in manuals.search("edition", where={"year": 2025}).items} == {"2.txt"}
    assert [one.metadata for one in manuals.list() if one.name == "1.txt"] == [{"year": 2024, "by": ["a", None]}]
    for name in ("1.txt", "2.txt"):
        manuals.remove(name)
    ada = memory.agent("ada").knowledge
    assert "two litres" in ada.of("manuals").search("How many litres does the kettle hold?").items[0].text
    assert ada.search("How many litres does the kettle hold?").items == ()
    with pytest.raises(InvalidInput, match="exactly one of"):
        manuals.add(text=text, data=b"x", name="both")
    assert manuals.show("toaster.txt").document.source == f"{gethostname()}:{(tmp_path / 'toaster.txt').resolve()}"
    (tmp_path / "toaster.txt").write_text("The toaster takes two slices.", encoding="utf-8")
    assert manuals.sync(tmp_path).changed == ("toaster.txt",), "what was added from this file follows it"


@pytest.mark.needs("knowledge")
@pytest.mark.parametrize("name", ["sub/kettle.md", "子目录/说明 1.md", "https://example.org/a?b=c#d", "50%2F50.md"])
def test_a_document_in_a_subfolder_is_shown_changed_and_removed_by_its_name(memory: RemoteMemory, name: str) -> None:
    manuals = memory.knowledge("manuals/a")
    manuals.add(text="It holds two litres.", name=name)
    manuals.add(text="Another one.", name=name.rpartition("/")[2] + "x")
    assert manuals.show(name).document.name == name
    assert manuals.original(name) == b"It holds two litres."
    assert manuals.add_chunk(name, "It whistles.").state == "added"
    assert [one.document.name for one in manuals.reindex(name)] == [name]
    assert manuals.configure(chunk_size=400).name == "manuals/a"
    assert manuals.remove(name).name == name
    with pytest.raises(NotFound):
        manuals.remove(name)


@pytest.mark.needs("knowledge")
def test_a_folder_here_and_a_collection_there_are_brought_together(memory: RemoteMemory, tmp_path: Path) -> None:
    folder = tmp_path / "manuals"
    folder.mkdir()
    for name, text in {"kettle.md": "It holds two litres.", "toaster.md": "It takes four slices."}.items():
        (folder / name).write_text(text, encoding="utf-8")
    manuals = memory.knowledge("manuals")
    manuals.add(text="Added by hand.", name="note.md")
    seen: list[tuple[int, int, str]] = []
    first = manuals.sync(folder, on_progress=lambda *step: seen.append(step))
    assert (first.added, first.removed) == (("kettle.md", "toaster.md"), ())
    assert seen[-1] == (2, 2, "")
    assert {one.source for one in manuals.list() if one.synced} == {
        f"{gethostname()}:{folder.resolve() / name}" for name in ("kettle.md", "toaster.md")
    }
    (folder / "toaster.md").unlink()
    (folder / "kettle.md").write_text("It holds three litres.", encoding="utf-8")
    second = next(iter(manuals.watch(folder)))
    assert (second.changed, second.removed, second.added) == (("kettle.md",), ("toaster.md",), ())
    assert "three litres" in manuals.search("How many litres does the kettle hold?").items[0].text
    assert [one.name for one in manuals.list()] == ["kettle.md", "note.md"]
    (folder / "kettle.md").unlink()
    with pytest.raises(InvalidInput, match="is empty"):
        manuals.sync(folder)


@pytest.mark.needs("knowledge")
def test_what_a_server_has_of_a_folder_is_not_sent_again_and_other_machines_keep_theirs(
    memory: RemoteMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "kettle.md").write_text("It holds two litres.", encoding="utf-8")
    manuals = memory.knowledge("manuals")
    manuals.upload(b"It steams.", name="iron.md", source=f"elsewhere:{folder.resolve()}/iron.md", synced=True)
    assert manuals.sync(folder).added == ("kettle.md",)
    sent: list[str] = []
    do = Connection.do

    async def noted(connection: Connection, name: str, *given: Any, **more: Any) -> Any:
        sent.append(name)
        return await do(connection, name, *given, **more)

    monkeypatch.setattr(Connection, "do", noted)
    again = manuals.sync(folder)
    assert (again.unchanged, again.removed) == (1, ())
    assert set(sent) == {"knowledge.list"}
    assert [one.name for one in manuals.list()] == ["iron.md", "kettle.md"]


@pytest.mark.needs("associative")
def test_nodes_are_looked_at_from_here(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    ada.associative.remember(["Grace keeps bees.", "The bees live in the garden."])
    memory.settle()
    nodes = ada.associative.nodes()
    assert [ada.associative.node(one.id) for one in nodes] == nodes
    ties = [ada.associative.links(one.id) for one in nodes]
    assert all(not one.dangling for one in ties)
    strength = sum(link.strength for one in ties for link in one.valid)
    assert strength > 0
    assert [ada.associative.importance(one.id) for one in nodes] == pytest.approx([strength, strength])
    assert ada.associative.jobs() == []
    assert ada.associative.initialize("ada").nodes == len(nodes)
    with pytest.raises(NotFound, match="no node"):
        ada.associative.node("nowhere")
    with pytest.raises(InvalidInput, match="memory of ada"):
        ada.associative.initialize("grace")


@pytest.mark.needs("cognition")
def test_what_is_proposed_from_here_is_approved_refused_and_revoked(memory: RemoteMemory) -> None:
    ada = memory.agent("ada").cognition
    kept, other = (ada.propose(f"We deploy on {day}.") for day in ("Mondays", "Fridays"))
    assert ada.approve(kept.id).id == kept.id
    ada.refuse(other.id, reason="not on Fridays")
    assert [one.id for one in ada.shared()] == [kept.id]
    amended = ada.amend(kept.id, "We deploy on Tuesdays.")
    assert [one.content for one in ada.shared(pending=True)] == ["We deploy on Tuesdays."]
    assert ada.approve(amended.id).content == "We deploy on Tuesdays."
    ada.revoke(kept.id)
    assert ada.shared() == []
    assert memory.agent("ada").admin.dead_letters() == []


@pytest.mark.needs("cognition")
def test_memories_are_kept_by_hand_from_here_and_roles_and_grants_are_told(memory: RemoteMemory) -> None:
    ada, bob = memory.agent("ada").cognition, memory.agent("bob").cognition
    first = ada.add("Kim lives in Rome.", subject="Kim", attribute="home", value="Rome", user="kim")
    second = ada.add("Kim lives in Oslo.", subject="Kim", attribute="home", value="Oslo", user="kim", tags=["town"])
    assert (first.id, second.version, second.tags) == (second.id, 2, ("town",))
    assert [one.record.content for one in ada.history(second.id)] == [first.content, second.content]
    with pytest.raises(InvalidInput, match="kind: must be one of"):
        ada.add("x", kind="turn")
    assert ada.role() is None
    ada.set_role("reviewer")
    assert ada.role() == "reviewer"
    ada.add("To release, tag and push.", kind="procedural", subject="release", steps=["tag", "push"])
    question = "Ask the ada agent to do the release"
    assert "tag → push" not in bob.brief(question, agents=["ada"]).text
    ada.grant("bob")
    assert "tag → push" in bob.brief(question, agents=["ada"]).text


def test_what_is_readable_of_a_damaged_file_is_saved_on_the_server(memory: RemoteMemory, tmp_path: Path) -> None:
    ada = memory.agent("ada")
    ada.remember("one")
    memory.settle()
    copy = ada.admin.repair()
    assert copy.is_relative_to(tmp_path / "served")
    assert copy.exists()


@pytest.mark.needs("cognition")
def test_a_contradiction_is_settled_from_here(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    for town in ("Rome", "Oslo"):
        ada.remember(f"I live in {town}.", user="ann")
        memory.settle()
    (own,) = ada.conflicts(user="ann")
    places = ("in summer", "in winter")
    assert ada.cognition.resolve(own.id, "keep_both", scopes=places, user="ann").id == own.id


def test_what_is_remembered_there_is_recalled_from_here(memory: RemoteMemory) -> None:
    ada = memory.agent("ada", workspace="lab")
    receipt = ada.remember([{"role": "user", "content": "I moved to Lisbon in May.", "id": "m1"}], session="monday")
    steps: list[int] = []
    memory.settle(on_progress=lambda progress: steps.append(progress.done))
    assert steps
    found = ada.recall("Lisbon", limit=3)
    assert [item.record_id for item in found.items] == list(receipt.entry_ids)
    assert found.items[0].sources[0].caller_id == "m1"
    assert found.explain()[0].ranks
    assert [entry.text for entry in ada.entries(session="monday")] == ["I moved to Lisbon in May."]
    assert ada.remember("a plain text").repeated == 0


@pytest.mark.spec("COG-01")
@pytest.mark.needs("cognition")
def test_a_user_s_contradictions_are_asked_for_from_here_too(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    for town in ("Rome", "Oslo"):
        ada.remember(f"I live in {town}.", user="ann")
        memory.settle()
    ada.remember("I live in Kiel.", user="bob")
    memory.settle()
    (own,) = ada.conflicts(user="ann")
    assert [own] == ada.conflicts() == ada.cognition.conflicts(user="ann")
    assert ada.conflicts(user="bob") == ada.conflicts(user="mallory") == []


def test_forgetting_restoring_and_their_versions(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    (record_id,) = ada.remember("old").entry_ids
    memory.settle()
    assert ada.forget(record_id, reason="stale").reason == "stale"
    assert ada.records() == []
    assert [record.id for record in ada.records(statuses=None)] == [record_id]
    with pytest.raises(VersionConflict):
        ada.restore(record_id, expects=1)
    assert ada.restore(record_id, expects=2).version == 3
    assert [version.number for version in ada.history(record_id)] == [1, 2, 3]
    with pytest.raises(NotFound, match="no record none here"):
        ada.get("none")
    with pytest.raises(InvalidInput):
        ada.recall("", limit=0)


def test_a_conversation_is_made_to_fit_and_a_session_kept_over_there(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    messages = [
        {"role": "user", "content": f"Message {number} on the red boat and its {number} sails."} for number in range(60)
    ]
    view = ada.context(messages, budget=400)
    assert (view.fits, view.messages[-1], view.level) == (True, messages[-1], 3)
    with pytest.raises(InvalidInput, match="0 to"):
        view.original(view.replaced[0].place)
    ada.begin_session("monday")
    state = ada.update_session("monday", current_goal="sail", decisions=[{"what": "at dawn"}], notes={"tries": 2})
    assert ada.session_state("monday") == state
    with pytest.raises(VersionConflict):
        ada.update_session("monday", current_step="x", expects=7)
    assert ada.end_session("monday").reason == "call"
    assert [one.session for one in ada.sessions(is_open=False)] == ["monday"]


def test_an_agent_moves_from_one_to_another(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    ada.remember(["one", "two"])
    memory.settle()
    lines = list(ada.export())
    assert memory.agent("copy").load(iter(lines))["entry"] == 2
    assert [scope.agent for scope in memory.agents()] == ["ada", "copy"]
    assert ada.admin.check().problems == ()
    assert ada.admin.queue().dead == 0
    erased = ada.erase(everything=True)
    assert len(erased.entry_ids) == 2


def test_a_file_is_kept_there(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    reference = ada.attach(b"\x00\xff" * 100, name="x.bin")
    assert ada.attachment(reference) == b"\x00\xff" * 100


def test_a_wrong_key_is_our_error(tmp_path: Path) -> None:
    with serving(tmp_path / "served") as served:
        served.service.keys.create("k", reach=Reach(), permissions=(Permission.ADMIN,))
        with remanent.connect(served.url, key="rmn_0_0") as memory, pytest.raises(NotAuthenticated):
            memory.agent("ada").entries()


def test_a_server_that_is_not_there_is_told_of() -> None:
    with remanent.connect("http://127.0.0.1:9", timeout=1) as memory, pytest.raises(ServerUnreachable):
        memory.agent("ada").remember("x")
    with pytest.raises(StoreClosed):
        memory.agent("ada")


@pytest.mark.parametrize("url", ["", "127.0.0.1:8765", "ftp://x", "http://user:pw@host", "http://host/?x=1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidSettings):
        remanent.connect(url)


PLACE = Target(org="a", workspace="b", agent="c")
WRITES: list[tuple[str, dict[str, Any]]] = [
    ("remember", {"messages": ["x"]}),
    ("remember", {"messages": [{"content": "x", "id": "1"}]}),
    ("erase", {"everything": True}),
]


async def attempted(url: str, name: str, given: dict[str, Any]) -> tuple[RemanentError, int]:
    """Return the error in which a request ends, and after how many attempts."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    connection = Connection(url, key=None, timeout=60, sleep=sleep, chance=lambda: 0.0)
    with pytest.raises(RemanentError) as raised:
        await connection.do(name, given, place=PLACE)
    await connection.close()
    return raised.value, len(waits) + 1


async def test_what_names_no_place_is_asked_for_at_the_server_itself(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        with remanent.connect(served.url) as memory:
            memory.agent("ada").remember(["hello"])
        connection = Connection(served.url, key=None, timeout=60)
        places = await connection.do("places", {}, place=PLACE)
        await connection.close()
    assert [one.agent for one in places.items] == ["ada"]


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[tuple[str, list[tuple[str, str]]]]:
    """A server that reads each request to its end, answers with these bytes and hangs up; and what it was sent."""
    sent: list[tuple[str, str]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next((line.split(":")[1] for line in head.splitlines() if line.startswith("content-length")), "0")
        key = next((line.split(": ")[1] for line in head.splitlines() if line.startswith("idempotency-key")), "")
        sent.append((key, (await reader.readexactly(int(length))).decode()))
        writer.write(answer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield "http://{}:{}".format(*server.sockets[0].getsockname()), sent


@pytest.mark.parametrize(("name", "given"), [*WRITES, ("recall", {"query": "x"})])
async def test_what_may_pass_is_tried_again_and_what_was_never_sent_is_said_to_be(
    name: str, given: dict[str, Any]
) -> None:
    error, attempts = await attempted("http://127.0.0.1:9", name, given)
    assert (type(error), attempts) == (ServerUnreachable, 4)


NO_ANSWERS = {
    "nothing": b"",
    "half a head": b"HTTP/1.1 200 OK\r\ncontent-le",
    "half a body": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    "a broken body": b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1\r\n\r\n{",
    "a proxy that waited too long": b"HTTP/1.1 504 Gateway Timeout\r\ncontent-length: 0\r\n\r\n",
}


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize("answer", NO_ANSWERS.values(), ids=NO_ANSWERS)
@pytest.mark.parametrize(("name", "given"), WRITES)
async def test_a_change_whose_answer_is_lost_may_have_been_made_and_is_sent_again_under_the_same_key(
    name: str, given: dict[str, Any], answer: bytes
) -> None:
    async with answering(answer) as (url, sent):
        error, attempts = await attempted(url, name, given)
    assert isinstance(error, AnswerLost)
    assert "may have been carried out" in str(error)
    assert (attempts, len(sent), len(set(sent))) == (4, 4, 1)
    key, body = sent[0]
    assert error.idempotency_key == (key or None)
    if name == "remember":
        assert all(message["id"] for message in json.loads(body)["messages"])
        assert "`id`" in str(error)
    else:
        assert key
        assert key in str(error)


async def test_a_question_whose_answer_is_lost_is_no_change() -> None:
    async with answering(b"") as (url, _):
        error, _ = await attempted(url, "recall", {"query": "x"})
    assert type(error) is ServerUnreachable


@pytest.mark.spec("SAFE-06")
async def test_an_answer_that_is_lost_once_leaves_one_entry_and_no_error(tmp_path: Path) -> None:
    with serving(tmp_path / "served") as served:
        lost: list[bytes] = []

        async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            """Pass on requests and their answers; the first answer comes back to nobody."""
            relays.append(asyncio.current_task())
            there, back = await asyncio.open_connection(*served.url.removeprefix("http://").split(":"))

            async def ask() -> None:
                while asked := await reader.read(1 << 16):  # a request may come in several pieces
                    back.write(asked)
                back.close()

            asking = asyncio.create_task(ask())
            while answer := await there.read(1 << 16):
                if not lost:
                    lost.append(answer)
                    break
                writer.write(answer)
            asking.cancel()
            for one in (back, writer):
                one.close()
                with suppress(ConnectionError):
                    await one.wait_closed()

        relays: list[asyncio.Task[None] | None] = []
        server = await asyncio.start_server(relay, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, remanent.aconnect(f"http://127.0.0.1:{port}") as memory:
            agent = memory.agent("ada")
            receipt = await agent.remember(["one", "two"])
            assert [entry.id for entry in await agent.entries()] == list(receipt.entry_ids)
            assert b" 200 " in lost[0]
            await memory.aclose()
            await asyncio.gather(*filter(None, relays))


def test_answers_are_measured_over_there_as_they_are_here(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    (entry_id,) = ada.remember("I moved to Lisbon in May.").entry_ids
    memory.settle()
    steps: list[int] = []
    found = ada.evaluate(
        [{"question": "Where did I move?", "ids": [entry_id]}, Probe(question="Lisbon", texts=("Porto",))],
        on_progress=lambda progress: steps.append(progress.done),
    )
    assert (found.questions, found.any_at_1) == (2, 0.5)
    assert steps
    assert [one.rank for one in found.results] == [1, None]


def test_what_is_rarely_asked_for_goes_there_in_one_object(memory: RemoteMemory) -> None:
    ada = memory.agent("ada")
    ada.remember("I moved to Lisbon in May.")
    memory.settle()
    found = ada.recall("Lisbon", options=RecallOptions(recipe="words", gate=False))
    assert (found.recipe, len(found.items), found.gate) == ("words", 1, None)
    assert ada.recall("Lisbon", options={"recipe": "words", "gate": False}).items == found.items
    assert ada.recall("Lisbon", options=RecallOptions(seen=found.injection.fingerprints)).text == ""
    with pytest.raises(InvalidInput, match="recipe"):
        ada.recall("Lisbon", options=RecallOptions(recipe=Recipe(name="own", paths={"keyword": PathUse()})))


def test_the_operators_side_is_there_too(memory: RemoteMemory) -> None:
    admin = memory.agent("ada").admin
    memory.agent("ada").remember("I moved to Lisbon in May.")
    memory.settle()
    assert admin.check().problems == ()
    assert (admin.queue().pending, admin.jobs()) == (0, [])
    with pytest.raises(NotFound):
        admin.revive("none")


def test_the_associative_memory_of_an_agent_is_there_too(memory: RemoteMemory) -> None:
    from remanent.associative.model import AssociativeFound

    ada = memory.agent("ada").associative
    receipt = ada.remember("The crane was moved to the northern pier.")
    assert ada.recall(["crane"]) == "[记忆] The crane was moved to the northern pier."
    found = ada.search(["crane"])
    assert isinstance(found, AssociativeFound)
    assert [source.entry_id for source in found.items[0].sources] == list(receipt.entry_ids)
    assert [node.id for node in ada.focus()] == [found.items[0].record_id]
    assert (ada.state().nodes, ada.forgotten()) == (1, [])
    lines = ada.triples()
    assert memory.agent("bob").associative.load_triples(lines).nodes == 1
    assert ada.drawing().startswith("<svg")
    with pytest.raises(NotFound):
        ada.restore("none")


def test_a_bank_works_over_there(memory: RemoteMemory) -> None:
    task, context = "How high is Mount Kelt?", "Mount Kelt is 3,412 metres high."
    steps: list[int] = []
    answer = memory.bank(task, context=context).run(on_progress=lambda progress: steps.append(progress.done)).answer
    assert "3,412" in answer
    with memory.bank(task, context=context, bank_id="kelt") as bank:
        assert not bank.is_stored()
        assert "3,412" in bank.run(keep=True).answer
        assert bank.state().nodes
        assert bank.search("Mount Kelt").candidates
        text = bank.export()
    other = memory.bank(bank_id="copy", agent="other")
    assert other.load(text).goal == task
    other.clear()
    assert not other.is_stored()
    with pytest.raises(InvalidInput, match="bank_id"):
        memory.bank(task).export()
