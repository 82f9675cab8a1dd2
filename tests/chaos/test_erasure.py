"""What was erased is gone from every byte of every file: texts, their words, vectors, attachments, copies."""

import random
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent.memory import aopen
from remanent.model import Attachment, Claim, Conflict, Entry, Job, Kind, Record, SemanticData, Source, TurnData
from remanent.stores import Erasure, RecordFilter
from remanent.stores.blobs import FileBlobs
from remanent.stores.local_vectors import LocalVectors
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import MIGRATIONS
from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import fast_folder
from tests.chaos.support.power import NEXT_STEP
from tests.chaos.support.remains import remains_of, secret_text
from tests.chaos.support.units import EVERYTHING, START, scope_of

pytestmark = pytest.mark.chaos

ADA = scope_of("ada")
MODEL = "random-48"
DIMENSION = 48
LIVES = times(2, full=60)
BUSY = times(12, full=40)
"""How much is said at the most between two erasures."""
ANY = RecordFilter(statuses=None)


class Life:
    """A random life of an agent, with everything that can hold a text or a vector."""

    def __init__(self, home: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.store = SqliteStore(home)
        self.vectors = LocalVectors(self.store)
        self.blobs = FileBlobs(self.store.layout.own_folder)
        self.texts: dict[str, list[str]] = {}
        """Every text that hangs on an entry, by the entry's id."""
        self.kept: dict[str, list[NDArray[np.float32]]] = {}
        self._made = 0

    async def say(self) -> None:
        """Append an entry and derive from it; ids are random, so that pages of every tree are split in the middle."""
        self._made += 1
        at = START + timedelta(minutes=self._made)
        name = f"{self.rng.getrandbits(64):016x}"
        session = self.rng.choice((None, "morning", "evening"))
        scope = ADA.within(session=session)
        texts = [secret_text(self.rng, words=self.rng.choice((6, 12, 60, 300))) for _ in range(4)]
        content = texts[3].encode()
        digest = await self.blobs.put(ADA, content)
        entry = Entry(
            id=f"e{name}", scope=scope, text=texts[0], occurred_at=at, recorded_at=at, metadata={"note": texts[1]},
            attachments=(Attachment(attachment_id="a", digest=digest, name=texts[1][:40], size=len(content)),),
        )  # fmt: skip
        turn = Record(
            id=f"t{name}", scope=scope, kind=Kind.TURN, content=texts[0], created_at=at, updated_at=at, occurred_at=at,
            sources=(Source(entry_id=entry.id),), data=TurnData(),
        )  # fmt: skip
        fact = Record(
            id=f"f{name}", scope=scope, kind=Kind.SEMANTIC, content=texts[2], summary=texts[2][:60], created_at=at,
            updated_at=at, occurred_at=at, sources=(Source(entry_id=entry.id),), data=SemanticData(),
            keywords=tuple(texts[2].split()[:3]), tags=(texts[2].split()[0],),
        )  # fmt: skip
        vectors = [self.numbers.standard_normal(DIMENSION, dtype=np.float32) for _ in range(2)]
        claims = (Claim(record_id=turn.id, text=texts[0][:80]), Claim(record_id=fact.id, text=texts[2][:80]))
        async with self.store.transaction(scope) as work:
            work.append(entry)
            for record, vector in zip((turn, fact), vectors, strict=True):
                work.put(record)
                work.vector(record.id, model=MODEL, values=vector)
            work.conflict(Conflict(id=f"c{name}", scope=scope, claims=claims, created_at=at, updated_at=at))
            work.enqueue(Job(id=f"j{name}", scope=scope, kind="test", enqueued_at=at), limit=EVERYTHING)
        self.texts[entry.id], self.kept[entry.id] = texts, vectors
        if self.rng.random() < 0.3:
            await self._revise(fact, entry.id, at + timedelta(seconds=30))

    async def _revise(self, fact: Record, entry_id: str, at: object) -> None:
        text = secret_text(self.rng, words=20)
        newer = fact.replace(content=text, version=2, updated_at=at)
        async with self.store.transaction(ADA) as work:
            work.put(newer, expects=1)
            if self.rng.random() < 0.5:
                work.forget(newer, at=newer.updated_at + timedelta(seconds=1), reason="test")
        self.texts[entry_id].append(text)

    async def search(self) -> None:
        """Search, so that the index of vectors is made."""
        question = self.numbers.standard_normal(DIMENSION, dtype=np.float32)
        await self.vectors.search(ADA, question, model=MODEL, record_filter=ANY, limit=5)
        await self.vectors.settle()

    async def erase(self, erasure: Erasure) -> tuple[list[str], list[NDArray[np.float32]]]:
        """Erase as the façade does, and return what must be gone."""
        erased = await self.store.erase(ADA, erasure)
        await self.vectors.erased(ADA, erased.record_ids)
        for digest in erased.digests:
            await self.blobs.delete(ADA, digest)
        texts = [text for entry_id in erased.entry_ids for text in self.texts.pop(entry_id, [])]
        return texts, [vector for entry_id in erased.entry_ids for vector in self.kept.pop(entry_id, [])]

    def choose(self) -> Erasure:
        """Choose what to erase next."""
        entry_ids = sorted(self.texts)
        chosen = self.rng.sample(entry_ids, min(len(entry_ids), self.rng.randint(1, 5)))
        return self.rng.choice(
            (
                Erasure(entry_ids=tuple(chosen)),
                Erasure(record_ids=tuple("f" + entry_id[1:] for entry_id in chosen[:2])),
                Erasure(entry_ids=tuple(chosen), session=self.rng.choice(("morning", "evening"))),
            )
        )

    async def close(self) -> None:
        await self.vectors.close()
        await self.store.close()


@pytest.mark.parametrize("number", range(LIVES))
async def test_no_byte_of_what_was_erased_is_left_in_any_file(number: int) -> None:
    seed = SEED + number
    with fast_folder() as home:
        life = Life(home, seed)
        for step in range(4):
            for _ in range(life.rng.randint(10, BUSY)):
                await life.say()
            await life.search()
            texts, vectors = await life.erase(life.choose() if step < 3 else Erasure(everything=True))
            assert texts
            left = remains_of(home, texts, vectors)
            assert not left, f"seed {seed}, step {step}: {left[:5]}"
            await life.search()
            left = remains_of(home, texts, vectors)
            assert not left, f"seed {seed}, step {step}, after a search: {left[:5]}"
            living = [text for texts in life.texts.values() for text in texts[:1]]
            assert step == 3 or len(remains_of(home, living[:1])) > 0, "the look for remains is blind"
        await life.close()


async def test_copies_of_a_database_go_with_what_is_erased(tmp_path: Path) -> None:
    life = Life(tmp_path, SEED)
    for _ in range(5):
        await life.say()
    await life.store.repair(ADA)
    await life.close()
    # A newer release migrates, and leaves a backup; a crash while it was made leaves an unfinished one.
    life.store = SqliteStore(tmp_path, migrations=(*MIGRATIONS, NEXT_STEP))
    life.vectors = LocalVectors(life.store)
    folder = tmp_path / "org/lab/ada"
    await life.search()
    backup = next(folder.glob("memory.db.backup-*"))
    (folder / f".{backup.name}.part").write_bytes(backup.read_bytes())
    for name in ("vectors-0.idx", "vectors-0.idx.1.tmp"):  # a state before the first release kept vectors in such files
        (folder / name).write_bytes(life.kept[min(life.texts)][0].tobytes())
    texts, vectors = await life.erase(Erasure(entry_ids=(min(life.texts),)))
    assert not remains_of(tmp_path, texts, vectors)
    await life.close()


async def test_what_the_facade_erases_is_gone_while_it_is_open_and_after(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    texts = [secret_text(rng, words=12) for _ in range(6)]
    async with aopen(tmp_path) as memory:
        agent = memory.agent("ada", workspace="lab", org="org")
        receipts = [await agent.remember(text) for text in texts]
        await memory.settle()
        assert (await agent.recall(texts[4][:30])).items
        changes = {}
        for model in await agent._parts.store.vector_models(agent.scope):
            changes[model] = await agent._parts.store.vector_changes(agent.scope, model, since=0)
        erased = await agent.erase(entry_ids=receipts[4].entry_ids)
        vectors = [
            row
            for change in changes.values()
            for record_id, row in zip(change.record_ids, change.matrix, strict=True)
            if record_id in erased.record_ids
        ]
        assert vectors
        assert not remains_of(tmp_path, texts[4:5], vectors)
        assert texts[4] not in (await agent.recall(texts[4], limit=20)).text
    assert not remains_of(tmp_path, texts[4:5], vectors)
