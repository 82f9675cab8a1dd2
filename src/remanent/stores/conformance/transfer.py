"""Export and import: the same bytes come out again, and a damaged file goes nowhere."""

import json
from collections.abc import AsyncIterator

import pytest

from remanent.errors import IntegrityError, InvalidInput, SchemaTooNew, StoreBusy
from remanent.model import JobState, Scope
from remanent.stores.conformance.base import OpenStore, Samples, StoredAgent, StoreSuite, append, everything, found
from remanent.stores.conformance.journal import World, make_world
from remanent.stores.queries import Erasure, JobQuery
from remanent.stores.store import Store
from remanent.stores.transfer import export_lines, import_lines


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
            agent.samples.make_entry(agent.scope.within(session="s"), "to be erased"),
            agent.samples.make_entry(agent.scope.within(task="t"), tricky, metadata={"float": 0.1, "big": 10**15}),
        )
        await agent.put(agent.record(tricky, tags=("a", "b")))
        second = await agent.update(agent.next_version(world.kept, content="She moved to Porto."))
        await agent.update(agent.next_version(second, summary="Porto"))
        await agent.store.erase(agent.scope, Erasure(entry_ids=(erased.id,)))
        async with agent.transaction() as tx:
            tx.touch([world.linked.id], accessed=3)
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
            entry, *_ = await agent.append(agent.samples.make_entry(agent.scope, f"said at line {len(lines)}"))
            await agent.put(agent.samples.make_record_of(entry))
            latest = await agent.update(agent.next_version(latest, content=f"changed at line {len(lines)}"))
            async with agent.transaction() as tx:
                tx.state("cursor", len(lines))
                tx.link(agent.samples.make_link(lived.kept.id, entry.id))
        assert lines == before
        await import_lines(await opened("elsewhere"), lived.scope, lines)
        assert len(await exported(agent.store, lived.scope)) >= len(before) + 3 * len(lines)

    async def test_two_exports_at_a_time_are_each_of_their_own_moment(self, agent: StoredAgent, lived: World) -> None:
        """Whoever backs up does not keep others from it."""
        before = await exported(agent.store, lived.scope)
        early = export_lines(agent.store, lived.scope)
        first = await anext(early)
        await agent.append(agent.samples.make_entry(agent.scope, "said between the two"))
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
            with pytest.raises(StoreBusy, match="was erased while it was exported"):
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
