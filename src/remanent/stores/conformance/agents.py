"""Whole agents: one never sees another's data, only an empty one is filled, and an export is the same on every backend.

A closed store refuses all of it.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import timedelta

import pytest

from remanent.errors import (
    IntegrityError,
    InvalidInput,
    RemanentError,
    SchemaTooNew,
    StoreBusy,
    StoreClosed,
    VersionConflict,
)
from remanent.model import JobState, Scope, Version
from remanent.stores import transaction
from remanent.stores.conformance.base import (
    MODEL,
    START,
    OpenStore,
    Samples,
    StoredAgent,
    StoreSuite,
    append,
    claim,
    everything,
    found,
    vector_bytes,
)
from remanent.stores.conformance.journal import World, make_world
from remanent.stores.queries import ConflictQuery, EntryQuery, Erasure, JobQuery, LinkQuery, RecordFilter, RecordQuery
from remanent.stores.store import Store
from remanent.stores.transaction import Change
from remanent.stores.transfer import export_lines, import_lines

LEASE = timedelta(minutes=1)
READS: dict[str, Callable[[Store, Scope], Awaitable[object]]] = {
    "entries": lambda store, scope: store.entries(scope, EntryQuery()),
    "records": lambda store, scope: store.records(scope, RecordQuery()),
    "match": lambda store, scope: store.match(scope, ["a"], RecordFilter()),
    "unembedded": lambda store, scope: store.unembedded(scope, limit=1),
    "versions": lambda store, scope: store.versions(scope, "a"),
    "past versions": lambda store, scope: store.past_versions(scope, after=None, limit=1),
    "links": lambda store, scope: store.links(scope, LinkQuery()),
    "conflicts": lambda store, scope: store.conflicts(scope, ConflictQuery()),
    "tombstones": lambda store, scope: store.tombstones(scope),
    "states": lambda store, scope: store.states(scope),
    "state": lambda store, scope: store.state(scope, "a"),
    "search": lambda store, scope: store.search_text(scope, ["a"], record_filter=RecordFilter(), limit=1),
    "term counts": lambda store, scope: store.term_counts(scope, ["a"], most=1),
    "session terms": lambda store, scope: store.session_terms(
        scope, ["a"], ["a"], record_filter=RecordFilter(), most=1
    ),
    "vector revision": lambda store, scope: store.vector_revision(scope),
    "vector changes": lambda store, scope: store.vector_changes(scope, MODEL, since=0),
    "vectors": lambda store, scope: store.vectors(scope, ["a"], model=MODEL),
    "vector models": lambda store, scope: store.vector_models(scope),
    "vector counts": lambda store, scope: store.vector_counts(scope),
    "queue": lambda store, scope: store.queue(scope),
    "jobs": lambda store, scope: store.jobs(scope, JobQuery()),
    "claim": lambda store, scope: claim(store, scope, worker="w", now=START, lease=LEASE),
    "scopes": lambda store, scope: store.scopes(),
}
WRITES: dict[str, Callable[[Store, Scope], Awaitable[object]]] = {
    "commit": lambda store, scope: store.commit(scope, [transaction.PutState("a", 1)]),
    "load": lambda store, scope: store.load(scope, batches([transaction.PutState("a", 1)])),
    "renew": lambda store, scope: store.renew(scope, job_id="a", fence=1, lease=LEASE),
    "erase": lambda store, scope: store.erase(scope, Erasure(everything=True)),
}


async def batches(*parts: Sequence[Change]) -> AsyncIterator[Sequence[Change]]:
    """Yield the parts, as an import would."""
    for part in parts:
        yield part


class ScopesConformance(StoreSuite):
    """Agent A can never read B's rows."""

    @pytest.mark.parametrize("differs", ["agent", "workspace", "org", "shared"])
    async def test_agents_do_not_meet(self, agent: StoredAgent, differs: str) -> None:
        """Every method is called for one agent with another agent's data beside it."""
        other = agent.scope.shared if differs == "shared" else agent.scope.replace(**{differs: "other"})
        world = await make_world(agent.store, agent.samples, agent.scope)
        nothing = await everything(agent.store, other)
        assert (nothing.entries, nothing.records, nothing.jobs, nothing.states) == ([], [], [], {})
        assert await found(agent.store, other, "Lisbon") == []
        assert await agent.store.match(other, [world.kept.id], RecordFilter()) == []
        assert await agent.store.versions(other, world.kept.id) == []
        assert await claim(agent.store, other, worker="w", now=agent.clock(), lease=LEASE) is None
        before = await agent.everything()
        twin = agent.samples.make_record(other, "Lisbon, in the other's words", id=world.kept.id)
        await agent.append(agent.samples.make_entry(other, "other words", caller_id="first"))
        await agent.put(twin)
        await agent.store.erase(other, Erasure(record_ids=(world.kept.id,)))
        assert await agent.everything() == before

    async def test_what_was_only_asked_for_is_not_made(self, agent: StoredAgent) -> None:
        """A typing mistake in a name must not leave a folder or a row behind."""
        for read in READS.values():
            await read(agent.store, agent.scope)
        assert await agent.store.scopes() == []

    async def test_agents_with_data_are_listed_in_a_stable_order(self, store: Store, samples: Samples) -> None:
        """Backups and workers go through them, and may be interrupted."""
        scopes = [
            samples.make_scope("bob"),
            samples.make_scope("ada"),
            samples.make_scope("小明", workspace="研究组"),
            samples.make_scope("ada:1", org="b.c"),
            samples.make_scope("shared"),
        ]
        for scope in scopes:
            await append(store, samples.make_entry(scope.within(session="s")))
        listed = await store.scopes()
        assert set(listed) == set(scopes)
        assert len(listed) == len(scopes)
        assert await store.scopes() == listed

    async def test_agents_whose_names_share_a_beginning_do_not_meet(self, store: Store, samples: Samples) -> None:
        """Backends that build keys by joining names get this wrong first."""
        names = ["a", "a.b", "a-b", "a_b", "a@b", "a:b", "a=b", "a~b", "a+b", "ab", "a3Ab"]
        for name in names:
            await append(store, samples.make_entry(samples.make_scope(name), name))
        for name in names:
            [entry] = await store.entries(samples.make_scope(name), EntryQuery())
            assert entry.text == name
            assert entry.scope == samples.make_scope(name)

    @pytest.mark.parametrize("name", [*READS, *WRITES])
    async def test_a_closed_store_refuses_everything(self, agent: StoredAgent, name: str) -> None:
        """A late call must get a clear error, and never open the files again."""
        await agent.append(agent.entry())
        await agent.store.close()
        with pytest.raises(StoreClosed):
            await {**READS, **WRITES}[name](agent.store, agent.scope)

    async def test_closing_twice_or_unused_is_harmless(self, store: Store, opened: OpenStore) -> None:
        """Error paths close what they may not have opened."""
        await store.close()
        await store.close()
        unused = await opened("elsewhere")
        await unused.close()

    async def test_a_sound_store_is_found_sound(self, agent: StoredAgent) -> None:
        """A check that cries wolf is not heeded when it matters."""
        await make_world(agent.store, agent.samples, agent.scope)
        health = await agent.check()
        assert await agent.check(quick=True) == health
        assert health.problems == ()
        assert (health.entries, health.records, health.vectors) == (1, 3, 1)

    # ── filling an unused agent ──────────────────────────────────────────────

    async def test_an_unused_agent_is_filled_with_places_and_versions_kept(self, agent: StoredAgent) -> None:
        """Sources cite places, and the next version must follow the last one."""
        entry = agent.entry(seq=41)
        old = agent.record_of(entry, "old words")
        record = agent.next_version(old.replace(version=6), content="new words")
        past = [Version(record=old.replace(version=n), superseded_at=agent.clock()) for n in range(1, 7)]
        conflict = agent.conflict([record, record]).replace(version=3)
        job = agent.job(seq=7, attempts=2, fence=5)
        await agent.load(
            batches(
                [transaction.AppendEntry(entry), transaction.PutRecord(record, "new words", 6)],
                [transaction.PutVersion(version, "old words") for version in past],
                [transaction.PutConflict(conflict, 2), transaction.PutVector(record.id, MODEL, vector_bytes(1))],
                [transaction.EnqueueJob(job, limit=10), transaction.PutState("a", 1)],
            ),
        )
        loaded = await agent.everything()
        assert (loaded.entries, loaded.records, loaded.past) == ([entry], [record], past)
        assert (loaded.conflicts, loaded.jobs, loaded.states) == ([conflict], [job], {"a": 1})
        assert await agent.found("new") == [record.id]
        assert await agent.found("old") == []
        [following] = await agent.append(agent.entry("what follows"))
        assert following.seq > 41
        assert (await agent.check()).problems == ()

    async def test_what_came_without_a_vector_waits_for_one(self, agent: StoredAgent) -> None:
        """Or it would never be found by meaning."""
        entry = agent.entry(seq=1)
        one, other = agent.record_of(entry, "one"), agent.record_of(entry, "other")
        puts = [transaction.PutRecord(record, record.content) for record in (one, other)]
        vector = transaction.PutVector(one.id, MODEL, vector_bytes(1))
        await agent.load(batches([transaction.AppendEntry(entry), *puts, vector]))
        assert await agent.unembedded(limit=10) == [other]

    USES: dict[str, Callable[[Samples, Scope], Change]] = {  # noqa: RUF012 - never changed
        "an entry": lambda samples, scope: transaction.AppendEntry(samples.make_entry(scope)),
        "a record": lambda samples, scope: transaction.PutRecord(samples.make_record(scope), ""),
        "a job": lambda samples, scope: transaction.EnqueueJob(samples.make_job(scope), limit=10),
        "a state": lambda samples, scope: transaction.PutState("cursor", 1),
        "a link": lambda samples, scope: transaction.PutLink(samples.make_link("a", "b")),
        "a tombstone": lambda samples, scope: transaction.PutTombstone(
            samples.make_tombstone(samples.make_record(scope))
        ),
        "a conflict": lambda samples, scope: transaction.PutConflict(
            samples.make_conflict(scope, [samples.make_record(scope)] * 2)
        ),
    }

    @pytest.mark.parametrize("use", USES)
    async def test_an_agent_in_use_is_not_filled(self, agent: StoredAgent, use: str) -> None:
        """Two memories in one would have two entries for one place."""
        await agent.commit(self.USES[use](agent.samples, agent.scope))
        before = await agent.everything()
        with pytest.raises(InvalidInput):
            await agent.load(batches([transaction.PutState("loaded", 1)]))
        assert await agent.everything() == before

    async def test_a_filling_that_breaks_off_leaves_nothing_and_can_be_tried_again(self, agent: StoredAgent) -> None:
        """A half-filled agent looks like a whole one to whoever asks it."""
        record = agent.record()
        good: list[Change] = [transaction.AppendEntry(agent.entry()), transaction.PutRecord(record, "word", 0)]

        async def breaks_off() -> AsyncIterator[Sequence[Change]]:
            yield good
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await agent.load(breaks_off())
        with pytest.raises(RemanentError):
            await agent.load(batches(good, [transaction.PutVector("nobody", MODEL, vector_bytes(1))]))
        left = await agent.everything()
        assert (left.entries, left.records, left.vectors) == ([], [], {})
        assert await agent.found("word") == []
        await agent.load(batches(good))
        assert (await agent.everything()).records == [record]

    async def test_what_is_filled_twice_with_the_same_is_refused(self, agent: StoredAgent) -> None:
        """Two of one id in a file: one was changed by hand, and nobody knows which."""
        record = agent.record()
        with pytest.raises((VersionConflict, InvalidInput)):
            await agent.load(batches([transaction.PutRecord(record, "", 0)], [transaction.PutRecord(record, "", 0)]))
        assert (await agent.everything()).records == []

    async def test_nothing_is_a_filling_too(self, agent: StoredAgent) -> None:
        """The export of an empty agent is imported like any other."""
        await agent.load(batches())
        assert (await agent.everything()).entries == []


async def exported(store: Store, scope: Scope) -> list[str]:
    """Return all lines of an export."""
    return [line async for line in export_lines(store, scope)]


class TransferConformance(StoreSuite):
    """A whole agent as lines of JSON, and back."""

    @pytest.fixture
    async def lived(self, agent: StoredAgent) -> World:
        """Return what is exported: a little of everything, with history and an erased entry."""
        world = await make_world(agent.store, agent.samples, agent.scope)
        tricky = "separators \u2028 \u2029 \x85 and \x00 \r\n and 中文 and 🎉"
        erased, _ = await agent.append(
            agent.within(session="s").entry("to be erased"),
            agent.within(task="t").entry(tricky, metadata={"float": 0.1, "big": 10**15}),
        )
        await agent.put(agent.record(tricky, tags=("a", "b")))
        second = await agent.update(agent.next_version(world.kept, content="She moved to Porto."))
        await agent.update(agent.next_version(second, summary="Porto"))
        await agent.erase(Erasure(entry_ids=(erased.id,)))
        await agent.do.touch([world.linked.id], accessed=3)
        return world

    async def test_the_export_of_an_import_is_the_same_to_the_byte(
        self, store: Store, opened: OpenStore, lived: World
    ) -> None:
        """The strongest proof that nothing is lost or invented on the way."""
        lines = await exported(store, lived.scope)
        elsewhere = await opened("elsewhere")
        await import_lines(elsewhere, lived.scope, lines)
        assert await exported(elsewhere, lived.scope) == lines
        assert await exported(store, lived.scope) == lines
        assert (await elsewhere.check(lived.scope)).problems == ()

    async def test_an_import_holds_everything_but_the_lease_of_a_running_job(
        self, store: Store, opened: OpenStore, lived: World
    ) -> None:
        """Its worker is in another process and cannot finish here."""
        elsewhere = await opened("elsewhere")
        await import_lines(elsewhere, lived.scope, await exported(store, lived.scope))
        before, after = await everything(store, lived.scope), await everything(elsewhere, lived.scope)
        for part in ("entries", "records", "past", "links", "conflicts", "tombstones", "states", "vectors"):
            assert getattr(after, part) == getattr(before, part), part
        freed = [
            job.replace(state=JobState.PENDING, worker=None, lease_until=None) if job.state is JobState.RUNNING else job
            for job in before.jobs
        ]
        assert after.jobs == freed

    async def test_an_import_is_found_by_its_words_and_goes_on_in_its_places(
        self, store: Store, opened: OpenStore, samples: Samples, lived: World
    ) -> None:
        """It is a living agent afterwards, not an archive."""
        elsewhere = await opened("elsewhere")
        await import_lines(elsewhere, lived.scope, await exported(store, lived.scope))
        assert await found(elsewhere, lived.scope, "Porto") == [lived.kept.id]
        assert await found(elsewhere, lived.scope, "Lisbon") == []
        assert await found(elsewhere, lived.scope, "Lisbon", as_of=lived.kept.updated_at) == await found(
            store, lived.scope, "Lisbon", as_of=lived.kept.updated_at
        )
        assert await found(elsewhere, lived.scope, "chess") == []
        [one] = await append(store, samples.make_entry(lived.scope))
        [two] = await append(elsewhere, samples.make_entry(lived.scope))
        assert one.seq == two.seq

    async def test_an_import_under_another_name_belongs_to_that_agent(
        self, store: Store, samples: Samples, lived: World
    ) -> None:
        """Copies for tests, and moving between organisations."""
        other = Scope(org="globex", workspace="annex", agent="eve")
        lines = await exported(store, lived.scope)
        await import_lines(store, other, lines)
        again = "\n".join(await exported(store, other))
        for old, new in (("acme", "globex"), ("lab", "annex"), ("ada", "eve")):
            assert f'"{old}"' not in again
            again = again.replace(f'"{new}"', f'"{old}"')
        assert again.split("\n")[:-1] == lines[:-1]

    async def test_an_empty_agent_is_a_first_and_a_last_line(self, agent: StoredAgent, opened: OpenStore) -> None:
        """And those two seal each other."""
        lines = await exported(agent.store, agent.scope)
        assert len(lines) == 2
        header = {"remanent": "export", "format": 1, "org": "acme", "workspace": "lab", "agent": "ada"}
        assert json.loads(lines[0]) == header
        elsewhere = await opened("elsewhere")
        assert set((await import_lines(elsewhere, agent.scope, lines)).values()) == {0}

    async def test_an_import_takes_lines_from_a_file_or_a_stream_and_counts_them(
        self, store: Store, opened: OpenStore, lived: World
    ) -> None:
        """The CLI reads a file, the server a request."""
        lines = await exported(store, lived.scope)

        async def stream() -> AsyncIterator[str]:
            for line in lines:
                yield line + "\n"

        counts = await import_lines(await opened("one"), lived.scope, stream())
        assert counts["entry"] == 3
        assert counts["record"] == 4
        windows = iter("\r\n".join([*lines, ""]).splitlines(keepends=True))
        assert await import_lines(await opened("two"), lived.scope, windows) == counts

    async def test_no_line_of_an_export_can_be_split(self, store: Store, lived: World) -> None:
        """Some readers take U+2028 for the end of a line; it is escaped."""
        for line in await exported(store, lived.scope):
            assert line.splitlines() == [line]
            assert json.loads(line)

    async def test_an_agent_in_use_is_not_imported_into(self, store: Store, lived: World) -> None:
        """Merging two histories has no right answer."""
        lines = await exported(store, lived.scope)
        with pytest.raises(InvalidInput):
            await import_lines(store, lived.scope, lines)
        assert await exported(store, lived.scope) == lines

    async def test_an_agent_is_exported_and_imported_as_a_whole(self, store: Store, lived: World) -> None:
        """Records of one session may rest on entries of another."""
        narrow = lived.scope.within(session="s")
        with pytest.raises(InvalidInput):
            await exported(store, narrow)
        with pytest.raises(InvalidInput):
            await import_lines(store, narrow, [])

    async def test_an_export_that_was_cut_anywhere_is_refused(
        self, store: Store, opened: OpenStore, lived: World
    ) -> None:
        """The last line counts and hashes all others, so that every cut is seen."""
        lines, elsewhere = await exported(store, lived.scope), await opened("elsewhere")
        for end in range(len(lines)):
            with pytest.raises((IntegrityError, InvalidInput)):
                await import_lines(elsewhere, lived.scope, lines[:end])
        half = [*lines[:3], lines[3][:20]]
        with pytest.raises(InvalidInput, match="line 4"):
            await import_lines(elsewhere, lived.scope, half)
        await self._check_empty(elsewhere, lived.scope)

    async def test_an_export_that_was_changed_is_refused(self, store: Store, opened: OpenStore, lived: World) -> None:
        """A backup is read on the worst of days; it must be what was written."""
        lines, elsewhere = await exported(store, lived.scope), await opened("elsewhere")
        changed = [line.replace("Porto", "Paris") for line in lines]
        swapped = [lines[0], lines[1], lines[3], lines[2], *lines[4:]]
        shorter, longer = lines[:4] + lines[5:], [*lines, '{"state":{"key":"a","value":1}}']
        for damaged in (changed, swapped, shorter, longer):
            with pytest.raises((IntegrityError, InvalidInput), match="line"):
                await import_lines(elsewhere, lived.scope, damaged)
        await self._check_empty(elsewhere, lived.scope)

    async def test_an_export_of_a_newer_format_asks_for_an_upgrade(
        self, store: Store, opened: OpenStore, lived: World
    ) -> None:
        """Reading it half would be worse than not at all."""
        lines, elsewhere = await exported(store, lived.scope), await opened("elsewhere")
        newer = [lines[0].replace('"format":1', '"format":2'), *lines[1:]]
        with pytest.raises(SchemaTooNew, match="upgrade"):
            await import_lines(elsewhere, lived.scope, newer)
        for header in ('{"format":1}', '{"remanent":"export"}', '{"remanent":"export","format":"x"}', "{}", "hello"):
            with pytest.raises(InvalidInput, match="line 1 "):
                await import_lines(elsewhere, lived.scope, [header, *lines[1:]])
        await self._check_empty(elsewhere, lived.scope)

    async def test_an_export_is_of_the_moment_at_which_it_began_whatever_is_written_meanwhile(
        self, agent: StoredAgent, lived: World, opened: OpenStore
    ) -> None:
        """A server that is never idle can be backed up, and its writers do not wait."""
        before, lines, latest = await exported(agent.store, lived.scope), [], lived.linked
        async for line in export_lines(agent.store, lived.scope):
            lines.append(line)
            entry, *_ = await agent.append(agent.entry(f"said at line {len(lines)}"))
            await agent.put(agent.record_of(entry))
            latest = await agent.update(agent.next_version(latest, content=f"changed at line {len(lines)}"))
            async with agent.transaction() as tx:
                tx.state("cursor", len(lines))
                tx.link(agent.link(lived.kept.id, entry.id))
        assert lines == before
        await import_lines(await opened("elsewhere"), lived.scope, lines)
        assert len(await exported(agent.store, lived.scope)) >= len(before) + 3 * len(lines)

    async def test_two_exports_at_a_time_are_each_of_their_own_moment(self, agent: StoredAgent, lived: World) -> None:
        """Whoever backs up does not keep others from it."""
        before = await exported(agent.store, lived.scope)
        early = export_lines(agent.store, lived.scope)
        first = await anext(early)
        await agent.append(agent.entry("said between the two"))
        assert len(await exported(agent.store, lived.scope)) == len(before) + 1
        assert [first, *[line async for line in early]] == before

    async def test_an_export_during_which_something_is_erased_ends_without_its_seal(
        self, agent: StoredAgent, lived: World
    ) -> None:
        """The erasure does not wait until whoever reads has come to the end, and what went is not sealed anywhere."""
        for erasure in (Erasure(record_ids=(lived.kept.id,)), Erasure(everything=True)):
            lines = export_lines(agent.store, lived.scope)
            await anext(lines)
            assert (await agent.store.erase(lived.scope, erasure)).record_ids
            with pytest.raises(StoreBusy, match="was erased during the export"):
                [line async for line in lines]
            whole = await exported(agent.store, lived.scope)
            assert whole[-1].startswith('{"remanent":"end"')

    async def test_an_export_that_nobody_takes_to_its_end_holds_nothing(self, agent: StoredAgent, lived: World) -> None:
        """A client may go away at any line."""
        lines = export_lines(agent.store, lived.scope)
        await anext(lines)
        await lines.aclose()
        assert (await agent.store.erase(lived.scope, Erasure(everything=True))).record_ids

    async def test_a_dead_letter_is_carried_along(self, store: Store, opened: OpenStore, lived: World) -> None:
        """Somebody still has to look at it."""
        elsewhere = await opened("elsewhere")
        await import_lines(elsewhere, lived.scope, await exported(store, lived.scope))
        [dead] = await elsewhere.jobs(lived.scope, JobQuery(states=(JobState.DEAD,)))
        assert (dead.id, dead.error) == (lived.dead.id, "broken")

    async def _check_empty(self, store: Store, scope: Scope) -> None:
        left = await everything(store, scope)
        assert (left.entries, left.records, left.past, left.jobs, left.states) == ([], [], [], [], {})
        await import_lines(store, scope, await exported(store, scope.replace(agent="nobody")))
