"""The embedded store and the shared one give the same answers to the same questions."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.corpus import Corpus
from remanent.errors import CallerError
from remanent.memory import aopen
from remanent.model import Kind, Scope
from remanent.stores.conformance.base import Samples, put
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.postgres import PostgresStore, PostgresVectors, reads
from remanent.stores.queries import ErasureDepth, RecordFilter
from remanent.stores.search_terms import search_terms
from remanent.stores.sqlite import SqliteStore
from remanent.stores.store import FileStore, Store
from remanent.stores.transaction import Change, PutRecord, PutVector
from remanent.stores.vectors import Vectors
from remanent.text.terms import query_terms
from tests.servers import PostgresServer

SIZE, MODEL = 400, "corpus"
FILTERS = [
    RecordFilter(),
    RecordFilter(kinds=(Kind.NOTE,)),
    RecordFilter(tags=("odd",), statuses=None),
    RecordFilter(not_sessions=("s1",)),
]
Both = list[tuple[Store, Vectors]]


SCOPE = Samples().make_scope()


@pytest.fixture
def scope() -> Scope:
    return SCOPE


@pytest.fixture(scope="module")
def loaded(postgres_server: PostgresServer) -> Iterator[tuple[Path, str]]:
    """Fill both stores once with the same generated texts and vectors; tests only ask them."""
    with tempfile.TemporaryDirectory(prefix="remanent-test-") as folder:
        url = postgres_server.make_database()
        asyncio.run(_load(SqliteStore(Path(folder)), PostgresStore(url)))
        yield Path(folder), url


async def _load(*stores: Store) -> None:
    corpus, samples = Corpus(dimension=16), Samples()
    vectors = corpus.vectors(SIZE)
    changes: list[Change] = []
    for number, text in enumerate(corpus.texts(SIZE)):
        place = SCOPE.within(session=f"s{number % 5}")
        tags = ("odd",) if number % 2 else ()
        record = samples.make_record(place, text, tags=tags, kind=Kind.NOTE if number % 3 else Kind.TURN)
        changes.append(PutRecord(record, search_terms(record)))
        changes.append(PutVector(record.id, MODEL, vectors[number].astype("<f4").tobytes()))

    async def batches() -> AsyncIterator[Sequence[Change]]:
        for start in range(0, len(changes), 200):
            yield changes[start : start + 200]

    for store in stores:
        await store.load(SCOPE, batches())
        await store.close()


@pytest.fixture
async def both(loaded: tuple[Path, str]) -> AsyncIterator[Both]:
    """Return both stores, filled."""
    folder, url = loaded
    files, shared = SqliteStore(folder), PostgresStore(url)
    opened: Both = [(files, LocalVectors(files)), (shared, PostgresVectors(shared))]
    yield opened
    for store, index in opened:
        await index.close()
        await store.close()


@pytest.mark.parametrize("wanted", FILTERS)
async def test_words_find_the_same_records_with_the_same_scores(both: Both, scope: Scope, wanted: RecordFilter) -> None:
    for question in Corpus(dimension=16).questions(40):
        terms = query_terms(question)
        files, shared = [
            await store.search_text(scope, terms, record_filter=wanted, limit=10, places=True) for store, _ in both
        ]
        assert [(hit.record_id, hit.place) for hit in shared] == [(hit.record_id, hit.place) for hit in files]
        assert [hit.score for hit in shared] == pytest.approx([hit.score for hit in files], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("wanted", FILTERS)
async def test_vectors_find_the_same_records_with_the_same_scores(
    both: Both, scope: Scope, wanted: RecordFilter
) -> None:
    for vector in np.random.default_rng(3).normal(size=(20, 16)).astype(np.float32):
        files, shared = [
            await index.search(scope, vector, model=MODEL, record_filter=wanted, limit=10) for _, index in both
        ]
        assert [hit.record_id for hit in shared] == [hit.record_id for hit in files]
        assert [hit.score for hit in shared] == pytest.approx([hit.score for hit in files], abs=1e-5)


async def test_in_a_large_agent_words_that_most_texts_hold_are_not_searched_for_beside_rarer_ones(
    database: Callable[[str], str], scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, samples = PostgresStore(database("here")), Samples()
    rare = [samples.make_record(scope, f"common heron {number}") for number in range(3)]
    await put(store, *rare, *(samples.make_record(scope, f"common thing {number}") for number in range(9)))

    async def found(*terms: str) -> list[str]:
        hits = await store.search_text(scope, terms, record_filter=RecordFilter(), limit=20)
        return [hit.record_id for hit in hits]

    small = await found("common", "heron")
    assert len(small) == 12, "in a small one every word counts"
    monkeypatch.setattr(reads, "_LARGE", 12)
    assert await found("common", "heron") == small[:3] == [record.id for record in rare]
    assert len(await found("common")) == 12, "there is no rarer one"
    await store.close()


MESSAGES = (
    "I moved to Lisbon in May.", "My sister Ana lives in Porto and works as a nurse.", "The office kettle is broken.",
    "她搬到里斯本以后，每天早上喝绿茶。", "I prefer green tea over coffee in the morning.",
    "The deadline is the 3rd of June.",
    "He plays the violin on Sundays.", "The cat is called Miso.", "We had dinner at Casa Velha with Ana.",
    "I am allergic to peanuts.",
)  # fmt: skip
QUESTIONS = ("Where does she live?", "green tea", "里斯本", "Who is allergic?", "What is the cat called?", "Ana's job")


@pytest.mark.spec("COG-18")
async def test_a_memory_recalls_the_same_from_either_store(database: Callable[[str], str], tmp_path: Path) -> None:
    answers = []
    for store in ("sqlite", database("facade")):
        async with aopen(tmp_path / store[:6], store=store, embedder="multilingual") as memory:
            ada = memory.agent("ada", workspace="lab")
            receipt = await ada.remember([{"role": "user", "content": text} for text in MESSAGES])
            await memory.settle()
            found = [await ada.recall(question, limit=5) for question in QUESTIONS]
            answers.append([[(item.text, item.score) for item in one.items] for one in found])
            erased = await ada.erase(entry_ids=[receipt.entry_ids[0]])
            reached = ErasureDepth.OVERWRITTEN if store == "sqlite" else ErasureDepth.UNREADABLE
            assert erased.depth is reached
            assert all(item.text != MESSAGES[0] for item in (await ada.recall("Lisbon", limit=10)).items)
    files, shared = answers
    for mine, theirs in zip(shared, files, strict=True):
        assert [text for text, _ in mine] == [text for text, _ in theirs]
        assert [score for _, score in mine] == pytest.approx([score for _, score in theirs], rel=1e-4)
    assert sum(map(len, files)) > len(QUESTIONS)


async def test_a_store_without_files_of_its_own_says_who_can_repair_it(
    database: Callable[[str], str], tmp_path: Path
) -> None:
    async with aopen(tmp_path, store=database("here"), embedder="none") as memory:
        ada = memory.agent("ada")
        await ada.remember("The cat is called Miso.")
        assert not isinstance(memory._parts.store, FileStore)
        with pytest.raises(CallerError, match="the tools of its database"):
            await ada.admin.repair()
