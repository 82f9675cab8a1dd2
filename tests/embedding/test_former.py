"""Models that are not bundled: noted while they are in force, opened again after a change, without their keys."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from remanent import aopen
from remanent.embedding import KnownEmbedders
from remanent.errors import MissingDependency, StorageError
from remanent.memory import AsyncMemory
from remanent.model import Found, RecallOptions, Scope
from remanent.recall import indexing
from remanent.settings import EmbeddingSettings
from remanent.stores.conformance.base import claim
from remanent.stores.shelf import FolderShelf
from tests.embedding.fakes import StandInSentenceTransformer
from tests.language.scripted.places import nobody
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import embeds
from tests.power import Disk

KEY = "canary-77ab0e41"
OTHER_KEY = "canary-0a55e1d2"
SCOPE = Scope(org="default", workspace="default", agent="ada")
ANIMALS = ("cat", "dog", "cow", "hen", "bee", "fox", "owl", "bat", "elk", "eel")
TEXTS = [f"The {animal} sleeps in the barn." for animal in ANIMALS]
ALIASES = {
    "feline": "cat", "canine": "dog", "bovine": "cow", "poultry": "hen", "apian": "bee",
    "vulpine": "fox", "strigine": "owl", "chiropteran": "bat", "cervine": "elk", "anguilline": "eel",
}  # fmt: skip
"""Words that stand in no text: only vectors lead from them to an animal."""


def by_animal(texts: list[str]) -> list[list[float]]:
    """A meaning of a number per animal, for its name and for its alias."""
    rows = []
    for text in texts:
        words = {ALIASES.get(word, word) for word in text.lower().strip(".?").split()}
        rows.append([1.0 if animal in words else 0.01 for animal in ANIMALS])
    return rows


def at(server: ScriptedServer | str, name: str, *, key: str | None = KEY, **more: Any) -> EmbeddingSettings:
    base_url = server if isinstance(server, str) else server.base_url
    return EmbeddingSettings(
        base_url=base_url,
        name=name,
        dimension=len(ANIMALS),
        api_key=None if key is None else SecretStr(key),
        attempts=1,
        **more,
    )


def known(folder: Path, settings: EmbeddingSettings, *, kind: str = "http") -> KnownEmbedders:
    return KnownEmbedders(FolderShelf(folder), kind=kind, settings=settings)


def paths(found: Found) -> dict[str, set[str]]:
    """The paths that found each text."""
    return {item.text: {rank.path for rank in item.ranks} for item in found.items}


async def step(memory: AsyncMemory) -> None:
    """Do one step of the walk over all records, as the worker would."""
    parts = memory._parts
    job = await claim(parts.store, SCOPE, worker="w", now=parts.clock(), lease=timedelta(minutes=9))
    assert job is not None
    assert job.kind == indexing.REEMBED
    async with parts.store.transaction(SCOPE) as tx:
        await parts.indexing.reembed(job, tx)
        tx.finish(job)


async def models(memory: AsyncMemory) -> set[str]:
    return set(await memory._parts.store.vector_models(SCOPE))


async def ask(memory: AsyncMemory, question: str) -> Found:
    return await memory.agent("ada").recall(question, options=RecallOptions(gate=False))


async def fill(home: Path, **settings: Any) -> None:
    async with aopen(home, **settings) as memory:
        await memory.agent("ada").remember(TEXTS)
        await memory.settle()


async def test_after_a_change_of_the_api_the_former_model_answers_before_and_while_new_vectors_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as old, ScriptedServer(forever=embeds(by_animal)) as new:
        await fill(tmp_path, embedder="http", embedding=at(old, "old-model").model_dump())
        old.requests.clear()
        changed = at(new, "new-model", key=OTHER_KEY, former_api_key=SecretStr(KEY))
        monkeypatch.setattr(indexing, "RECORD_BATCH", 4)
        async with aopen(tmp_path, embedder="http", embedding=changed.model_dump()) as memory:
            await memory._parts.worker.stop()
            before = paths(await ask(memory, "feline"))
            assert "vector:former" in before[TEXTS[0]]
            assert "vector" not in before[TEXTS[0]]
            await step(memory)
            assert await models(memory) == {f"http:{name}:10" for name in ("old-model", "new-model")}
            during = [paths(await ask(memory, alias))[text] for alias, text in zip(ALIASES, TEXTS, strict=True)]
            assert sum("vector" in by for by in during) == 4
            assert sum("vector:former" in by for by in during) == 6
            while "http:old-model:10" in await models(memory):
                await step(memory)
            assert await models(memory) == {"http:new-model:10"}
            asked = len(old.requests)
            after = paths(await ask(memory, "the feline one"))
            assert "vector" in after[TEXTS[0]]
            assert "vector:former" not in after[TEXTS[0]]
        assert len(old.requests) == asked > 0
    assert {request.headers["authorization"] for request in old.requests} == {f"Bearer {KEY}"}
    assert {request.body["model"] for request in old.requests} == {"old-model"}
    assert {request.headers["authorization"] for request in new.requests} == {f"Bearer {OTHER_KEY}"}


async def test_after_a_change_to_a_bundled_model_the_api_goes_on_answering(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as old:
        settings = at(old, "old-model").model_dump()
        await fill(tmp_path, embedder="http", embedding=settings)
        async with aopen(tmp_path, embedder="multilingual", embedding=settings) as memory:
            await memory._parts.worker.stop()
            assert "vector:former" in paths(await ask(memory, "feline"))[TEXTS[0]]
        async with aopen(tmp_path, embedder="multilingual") as memory:
            await ask(memory, "feline")
            await memory.settle()
            assert await models(memory) == {"use-multilingual-v3"}


async def test_a_former_folder_of_sentence_transformers_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stand_in: type[StandInSentenceTransformer]
) -> None:
    (tmp_path / "somewhere").mkdir()
    monkeypatch.chdir(tmp_path / "somewhere")
    await fill(tmp_path / "home", embedder="sentence-transformers", embedding={"name": "./tiny", "dimension": 3})
    monkeypatch.chdir(tmp_path)
    stand_in.made.clear()
    async with aopen(tmp_path / "home", embedder="multilingual") as memory:
        await memory._parts.worker.stop()
        found = await ask(memory, TEXTS[0])
        assert "vector:former" in paths(found)[TEXTS[0]]
        await ask(memory, TEXTS[1])
    assert [name for name, _ in stand_in.made] == [str(tmp_path / "somewhere" / "tiny")]


async def test_a_former_model_that_does_not_answer_is_told_and_words_answer(tmp_path: Path) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as old:
        await fill(tmp_path, embedder="http", embedding=at(old, "old-model").model_dump())
    async with aopen(tmp_path, embedder="multilingual") as memory:
        await memory._parts.worker.stop()
        found = await ask(memory, "cat in the barn")
        assert found.items[0].text == TEXTS[0]
        (left_out,) = found.left_out
        assert left_out.path == "vector:former"
        assert left_out.reason.startswith("ModelUnavailable")


async def test_a_former_model_that_nobody_noted_is_told_and_words_answer(tmp_path: Path) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as old:
        await fill(tmp_path, embedder="http", embedding=at(old, "old-model").model_dump())
    for note in (tmp_path / ".embedders").iterdir():
        note.unlink()
    async with aopen(tmp_path, embedder="multilingual") as memory:
        await memory._parts.worker.stop()
        found = await ask(memory, "cat in the barn")
        assert found.items[0].text == TEXTS[0]
        (left_out,) = found.left_out
        assert left_out.reason.startswith("MissingDependency: the embedding model http:old-model:10")


async def test_an_imported_export_names_no_address_that_is_asked(tmp_path: Path) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as theirs:
        address = theirs.base_url
        await fill(tmp_path / "theirs", embedder="http", embedding=at(theirs, "old-model").model_dump())
        async with aopen(tmp_path / "theirs", embedder="none") as memory:
            lines = [line async for line in memory.agent("ada").export()]
        theirs.requests.clear()
        async with aopen(tmp_path / "ours", embedder="multilingual") as memory:
            await memory._parts.worker.stop()
            await memory.agent("ada").load(lines)
            await ask(memory, "feline")
    assert theirs.requests == []
    assert [line for line in lines if address in line] == []


async def test_the_store_of_an_earlier_version_gets_its_note_when_it_is_used(tmp_path: Path) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as server:
        settings = at(server, "m").model_dump()
        await fill(tmp_path, embedder="http", embedding=settings)
        (note,) = (tmp_path / ".embedders").iterdir()
        note.unlink()
        async with aopen(tmp_path, embedder="http", embedding=settings) as memory:
            await ask(memory, "feline")
        assert note.exists()


def test_a_note_holds_the_address_and_no_key(tmp_path: Path) -> None:
    settings = at("http://127.0.0.1:9/v1", "m", former_api_key=SecretStr(OTHER_KEY))
    known(tmp_path / "notes", settings).note()
    (note,) = (tmp_path / "notes").iterdir()
    text = note.read_text()
    assert "http://127.0.0.1:9/v1" in text
    assert KEY not in text
    assert OTHER_KEY not in text
    assert note.stat().st_mode & 0o077 == 0


def test_a_bundled_model_needs_no_note_and_is_opened_by_the_name_of_its_vectors(tmp_path: Path) -> None:
    notes = known(tmp_path / "notes", EmbeddingSettings(), kind="auto")
    notes.note()
    assert not (tmp_path / "notes").exists()
    assert notes.open("all-MiniLM-L6-v2").model_id == "all-MiniLM-L6-v2"
    assert notes.open("all-MiniLM-L6-v2") is notes.open("all-MiniLM-L6-v2")
    with pytest.raises(MissingDependency, match="some-model-of-yesterday"):
        notes.open("some-model-of-yesterday")


@pytest.mark.parametrize("now_at", ["http://other.example/v1", "https://127.0.0.1/v1", None])
async def test_a_key_goes_only_to_the_host_that_it_was_given_for(tmp_path: Path, now_at: str | None) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as old:
        known(tmp_path, at(old, "m")).note()
        now = known(tmp_path, EmbeddingSettings(base_url=now_at, api_key=SecretStr(OTHER_KEY)), kind="auto")
        await now.open("http:m:10").embed(["cat"])
        await now.close()
    assert "authorization" not in old.requests[0].headers


async def test_at_the_same_host_one_key_serves_both_models(tmp_path: Path) -> None:
    async with ScriptedServer(forever=embeds(by_animal)) as server:
        known(tmp_path, at(server, "m")).note()
        now = known(tmp_path, at(f"{server.origin}/v2", "n", key=OTHER_KEY))
        await now.open("http:m:10").embed(["cat"])
        await now.close()
    assert server.requests[0].headers["authorization"] == f"Bearer {OTHER_KEY}"


async def test_a_model_that_moved_is_asked_where_it_was_last(tmp_path: Path) -> None:
    with nobody() as gone:
        known(tmp_path, at(gone, "m")).note()
        async with ScriptedServer(forever=embeds(by_animal)) as server:
            known(tmp_path, at(server, "m")).note()
            later = known(tmp_path, EmbeddingSettings(), kind="auto")
            await later.open("http:m:10").embed(["cat"])
            await later.close()
    assert len(server.requests) == 1


@pytest.mark.parametrize("damage", [b"", b"{", b'{"model_id": "http:m:10"}'])
def test_a_damaged_note_counts_as_none_and_is_written_anew(tmp_path: Path, damage: bytes) -> None:
    known(tmp_path, at("http://127.0.0.1:9/v1", "m")).note()
    (note,) = tmp_path.iterdir()
    sound = note.read_bytes()
    note.write_bytes(damage)
    with pytest.raises(MissingDependency):
        known(tmp_path, EmbeddingSettings(), kind="auto").open("http:m:10")
    known(tmp_path, at("http://127.0.0.1:9/v1", "m")).note()
    assert note.read_bytes() == sound


@pytest.mark.parametrize(("old", "new"), [(':"m"', ':"x"'), ("http://127.0.0.1:9/v1", "file:///etc")])
def test_a_note_that_opens_another_model_is_not_trusted(tmp_path: Path, old: str, new: str) -> None:
    known(tmp_path, at("http://127.0.0.1:9/v1", "m")).note()
    (note,) = tmp_path.iterdir()
    text = note.read_text()
    assert old in text
    note.write_text(text.replace(old, new))
    with pytest.raises(MissingDependency):
        known(tmp_path, EmbeddingSettings(), kind="auto").open("http:m:10")


def test_a_folder_that_cannot_be_written_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("a file where a folder should be")
    with pytest.raises(StorageError, match="notes"):
        known(tmp_path / "notes", at("http://127.0.0.1:9/v1", "m")).note()


def test_a_note_survives_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are kept for good; what asks them again must be known as long."""
    settings = at("http://127.0.0.1:9", "animals")
    disk = Disk(tmp_path / "home", monkeypatch)
    known(tmp_path / "home" / ".embedders", settings).note()
    [note] = (tmp_path / "home" / ".embedders").iterdir()
    left = disk.image(tmp_path / "left") / ".embedders" / note.name
    assert left.read_bytes() == note.read_bytes()
