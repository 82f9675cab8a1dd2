"""Erasure: the words go, with all that came from them; the rest stays."""

from datetime import timedelta

import pytest

from remanent.errors import VersionConflict
from remanent.lightweight import dataclass
from remanent.model import Attachment, Entry, Job, Record, Source
from remanent.stores.conformance.base import (
    MODEL,
    OpenStore,
    StoredAgent,
    StoreSuite,
    claim,
    found,
    listed,
    vector_bytes,
)
from remanent.stores.queries import ConflictQuery, EntryQuery, Erasure, ErasureDepth, LinkQuery
from remanent.stores.transaction import PutVector

SECRET = "zanzibar"
ONLY_HERE, SHARED_FILE = "1" * 64, "2" * 64


@dataclass(frozen=True)
class Case:
    """A secret with all that came from it, beside something that did not."""

    entry: Entry
    other: Entry
    secret: Record
    forgotten: Record
    merged: Record
    innocent: Record


class ErasureConformance(StoreSuite):
    """The right to be forgotten."""

    depth = ErasureDepth.UNREADABLE
    """How far the store's erasures reach; a backend that reaches further says so."""

    @pytest.fixture
    async def case(self, agent: StoredAgent) -> Case:
        """Return a stored secret in session `private`, and something harmless in session `public`."""
        private, public = agent.scope.within(session="private"), agent.scope.within(session="public")
        files = [Attachment(attachment_id=SECRET, digest=digest) for digest in (ONLY_HERE, SHARED_FILE)]
        told = agent.samples.make_entry(private, f"The word is {SECRET}.", metadata={"topic": SECRET}, caller_id="m1")
        harmless = agent.samples.make_entry(public, "Tea is ready.", caller_id="m2", attachments=(files[1],))
        entry, other = await agent.append(
            told.replace(attachments=tuple(files)),
            harmless.replace(attachments=(files[1].replace(attachment_id="plain"),)),
        )
        secret = agent.record_of(entry, f"{SECRET} is the word.", tags=(SECRET,))
        forgotten = agent.record_of(entry, f"{SECRET} was mentioned.", summary=SECRET)
        merged = agent.samples.make_record(public, "tea and secrets", sources=(Source(entry_id=other.id),))
        innocent = agent.record_of(other, "tea")
        await agent.put(secret, forgotten, merged, innocent)
        case = Case(entry, other, secret, forgotten, merged, innocent)
        await self._entangle(agent, case)
        return case

    async def test_what_was_made_of_a_text_before_it_was_erased_is_refused_after(
        self, agent: StoredAgent, case: Case
    ) -> None:
        """A job that read the text before the erasure must not write it back after it."""
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        before = await agent.everything()
        late = agent.record_of(case.entry, f"{SECRET}, as it was read before")
        sources = (*case.innocent.sources, Source(entry_id=case.entry.id))
        mixed = agent.next_version(case.innocent, content=f"tea and {SECRET}", sources=sources)
        with pytest.raises(VersionConflict, match="was erased"):
            await agent.put(late)
        with pytest.raises(VersionConflict, match="was erased"):
            await agent.update(mixed)
        assert await agent.everything() == before

    async def _entangle(self, agent: StoredAgent, case: Case) -> None:
        sources = (*case.merged.sources, Source(entry_id=case.entry.id))
        with_secret = agent.next_version(case.merged, content=f"tea and {SECRET}", sources=sources)
        await agent.update(with_secret)
        await agent.update(agent.next_version(with_secret, content="tea", sources=case.merged.sources))
        await agent.update(agent.next_version(case.secret, content=f"{SECRET}, again"))
        async with agent.transaction() as tx:
            tx.forget(case.forgotten, at=agent.clock(), reason=f"{SECRET} is old")
            tx.link(agent.link(case.secret.id, case.innocent.id, SECRET))
            tx.link(agent.link(case.innocent.id, case.innocent.id, "itself"))
            tx.conflict(agent.conflict([case.secret, case.innocent], description=SECRET))
            tx.changes.append(PutVector(case.secret.id, MODEL, vector_bytes(1)))
            tx.changes.append(PutVector(case.innocent.id, MODEL, vector_bytes(2)))
            tx.enqueue(agent.job(), limit=10)

    async def _check_gone(self, agent: StoredAgent, case: Case) -> None:
        """Check that the secret is nowhere and that what has nothing to do with it is still there."""
        left = await agent.everything()
        assert SECRET not in left
        assert await agent.found(SECRET, statuses=None) == []
        assert await agent.found(SECRET, as_of=case.secret.updated_at) == []
        assert left.vectors == {(MODEL, case.innocent.id): vector_bytes(2)}
        assert (left.tombstones, left.conflicts, left.past) == ([], [], [])
        assert case.innocent in left.records
        assert case.other in left.entries
        assert await agent.found("tea") == [case.innocent.id]
        assert len(left.jobs) == 1

    @pytest.mark.parametrize("by", ["entry", "record", "forgotten record", "session"])
    async def test_nothing_is_left_of_what_is_erased(self, agent: StoredAgent, case: Case, by: str) -> None:
        """Every way to name what goes, and every place in which its words can stand."""
        erasure = {
            "entry": Erasure(entry_ids=(case.entry.id,)),
            "record": Erasure(record_ids=(case.secret.id,)),
            "forgotten record": Erasure(record_ids=(case.forgotten.id,)),
            "session": Erasure(session="private"),
        }[by]
        erased = await agent.erase(erasure)
        await self._check_gone(agent, case)
        assert erased.entry_ids == (case.entry.id,)
        assert set(erased.record_ids) == {case.secret.id, case.forgotten.id, case.merged.id}
        assert erased.digests == (ONLY_HERE,)

    @pytest.mark.parametrize("how", ["retried before", "buried before", "retried meanwhile", "buried meanwhile"])
    async def test_no_error_of_a_job_quotes_what_was_erased(self, agent: StoredAgent, case: Case, how: str) -> None:
        """Errors of parsers and models quote their input, and the queue keeps errors."""
        now = agent.clock()
        job = await claim(agent.store, agent.scope, worker="w1", now=now, lease=timedelta(seconds=60))
        assert job is not None

        async def fail(job: Job) -> None:
            error = f"Refused: no sense in {SECRET}"
            async with agent.transaction() as tx:
                if how.startswith("retried"):
                    tx.retry(job, not_before=now, error=error)
                else:
                    tx.bury(job, error=error)

        if how.endswith("before"):
            await fail(job)
            assert SECRET in await agent.everything()
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        if how.endswith("meanwhile"):
            await fail(job)
        left = await agent.everything()
        assert SECRET not in left
        assert [one.error for one in left.jobs] == ["Refused"]

    async def test_an_erased_entry_leaves_a_stub_in_its_place(self, agent: StoredAgent, case: Case) -> None:
        """Places of the journal are cited and paged by; a hole would look like damage."""
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        stub, other = await agent.entries(EntryQuery())
        assert (stub.id, stub.seq, stub.scope, stub.kind) == (
            case.entry.id,
            case.entry.seq,
            case.entry.scope,
            case.entry.kind,
        )
        assert (stub.erased, stub.text, stub.metadata, stub.attachments) == (True, "", {}, ())
        assert other == case.other

    async def test_erasing_everything_leaves_no_word_at_all(self, agent: StoredAgent, case: Case) -> None:
        """Tags, states and jobs can hold words, too: the whole agent is looked through."""
        erased = await agent.erase(Erasure(everything=True))
        left = await agent.everything()
        assert SECRET not in left
        assert "tea" not in left
        assert (left.records, left.past, left.links, left.conflicts) == ([], [], [], [])
        assert (left.tombstones, left.jobs) == ([], [])
        assert (left.states, left.vectors) == ({}, {})
        assert all(entry.erased for entry in left.entries)
        assert set(erased.entry_ids) == {case.entry.id, case.other.id}
        assert set(erased.digests) == {ONLY_HERE, SHARED_FILE}
        [fresh] = await agent.append(agent.entry("A new life."))
        assert fresh.seq > case.other.seq

    async def test_what_is_erased_stays_erased_when_the_store_is_opened_again(
        self, agent: StoredAgent, opened: OpenStore, case: Case
    ) -> None:
        """A log that is replayed must not bring it back."""
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        await agent.store.close()
        await self._check_gone(agent.through(await opened("here")), case)

    async def test_another_handle_sees_at_once_what_is_erased(
        self, agent: StoredAgent, opened: OpenStore, case: Case
    ) -> None:
        """Another process may hold a snapshot or a cache from before."""
        other = await opened("here")
        assert await found(other, agent.scope, SECRET) != []
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        await self._check_gone(agent.through(other), case)

    async def test_erasing_again_erases_nothing_more(self, agent: StoredAgent, case: Case) -> None:
        """Whoever is told that an erasure failed tries again."""
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        before = await agent.everything()
        again = await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        assert (again.entry_ids, again.record_ids, again.digests) == ((), (), ())
        assert await agent.everything() == before

    async def test_erasing_what_is_not_there_erases_nothing(self, agent: StoredAgent, case: Case) -> None:
        """An id of another agent is not there either."""
        before = await agent.everything()
        erasure = Erasure(entry_ids=("nobody",), record_ids=("nobody",), session="nobody")
        erased = await agent.erase(erasure)
        assert (erased.entry_ids, erased.record_ids, erased.digests) == ((), (), ())
        assert await agent.everything() == before

    async def test_erasing_nothing_erases_nothing(self, agent: StoredAgent, case: Case) -> None:
        """An empty request must never be taken for 'everything'."""
        before = await agent.everything()
        await agent.erase(Erasure())
        assert await agent.everything() == before

    async def test_what_was_erased_does_not_come_back_under_its_callers_id(
        self, agent: StoredAgent, case: Case
    ) -> None:
        """Clients send again what they believe was lost; erased is erased."""
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        again = agent.samples.make_entry(case.entry.scope, case.entry.text, caller_id=case.entry.caller_id)
        async with agent.transaction() as tx:
            tx.append(again)
        assert tx.committed.entry_ids == (case.entry.id,)
        assert SECRET not in await agent.everything()

    async def test_an_erasure_says_how_far_it_has_reached(self, agent: StoredAgent, case: Case) -> None:
        """Whoever must prove that words are gone relies on it; it never claims more than the store does."""
        nobody = agent.samples.make_scope("nobody")
        erasures = Erasure(entry_ids=(case.entry.id,)), Erasure(entry_ids=("unknown",)), Erasure(everything=True)
        depths = {(await agent.erase(erasure)).depth for erasure in erasures}
        assert depths | {(await agent.store.erase(nobody, Erasure(everything=True))).depth} == {self.depth}

    async def test_an_erasure_stays_within_its_agent(self, agent: StoredAgent, case: Case) -> None:
        """Two agents may have been told the same words."""
        bob = agent.samples.make_scope("bob")
        [entry] = await agent.append(agent.samples.make_entry(bob.within(session="private"), "Bob's own words."))
        [record] = await agent.put(agent.record_of(entry))
        await agent.erase(Erasure(session="private", entry_ids=(entry.id,), record_ids=(record.id,)))
        assert await listed(agent.store, bob) == [record.content]
        assert await agent.store.entries(bob, EntryQuery()) == [entry]

    async def test_links_of_what_is_erased_are_gone_and_others_stay(self, agent: StoredAgent, case: Case) -> None:
        """A link names what it leads to, and its relation may be a word of the text."""
        await agent.erase(Erasure(entry_ids=(case.entry.id,)))
        assert [link.relation for link in await agent.links(LinkQuery())] == ["itself"]
        assert await agent.conflicts(ConflictQuery()) == []
        assert await agent.vectors() == {(MODEL, case.innocent.id): vector_bytes(2)}
