"""Links, conflicts and the small named values of disciplines; and history: what was believed at any moment."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from remanent.errors import InvalidInput, VersionConflict
from remanent.model import Claim, ConflictState, Kind, Record, Status, Verdict, Version
from remanent.stores.conformance.base import StoredAgent, StoreSuite
from remanent.stores.queries import ConflictQuery, Erasure, LinkQuery, RecordFilter, RecordQuery
from remanent.stores.transaction import Committed, PutConflict, PutLink, PutState, Transaction


async def ends(agent: StoredAgent, **query: Any) -> list[tuple[str, str, str]]:
    """Return the links that a query finds, by their ends and relation."""
    return [(link.from_id, link.to_id, link.relation) for link in await agent.links(LinkQuery(**query))]


class GraphConformance(StoreSuite):
    """How records hang together, and where they contradict each other."""

    @pytest.fixture
    async def abc(self, agent: StoredAgent) -> list[Record]:
        """Return the stored records a, b and c."""
        return await agent.put(*(agent.record(name, id=name) for name in "abc"))

    @pytest.fixture
    async def linked(self, agent: StoredAgent, abc: list[Record]) -> None:
        """Link them in several ways."""
        async with agent.transaction() as tx:
            tx.link(agent.link("b", "c", "causes", strength=0.9))
            tx.link(agent.link("a", "c", "about", strength=0.2))
            tx.link(agent.link("a", "b", "因为", strength=0.5))
            tx.link(agent.link("a", "b", "about", strength=0.0))

    async def test_links_come_back_in_order(self, agent: StoredAgent, linked: None) -> None:
        """By their ends, so that exports and graphs in memory are alike on every backend."""
        assert await ends(agent) == [
            ("a", "b", "about"),
            ("a", "b", "因为"),
            ("a", "c", "about"),
            ("b", "c", "causes"),
        ]
        link = agent.link("b", "c", "causes", strength=0.9)
        assert await agent.links(LinkQuery(from_ids=("b",))) == [link]

    async def test_links_are_found_by_their_ends_relation_and_strength(self, agent: StoredAgent, linked: None) -> None:
        """Walking a graph asks from either end; weak links are left out inside the store."""
        assert await ends(agent, from_ids=("b",)) == [("b", "c", "causes")]
        assert await ends(agent, to_ids=("c",)) == [("a", "c", "about"), ("b", "c", "causes")]
        assert await ends(agent, from_ids=("a",), to_ids=("b", "c"), relations=("about",)) == [
            ("a", "b", "about"),
            ("a", "c", "about"),
        ]
        assert await ends(agent, min_strength=0.5) == [("a", "b", "因为"), ("b", "c", "causes")]
        assert await ends(agent, limit=1) == [("a", "b", "about")]
        assert await ends(agent, from_ids=()) == []
        assert await ends(agent, from_ids=("nobody",)) == []

    async def test_a_link_of_the_same_ends_and_relation_is_replaced(self, agent: StoredAgent, linked: None) -> None:
        """Strengthening a link is writing it again; there must never be two."""
        stronger = agent.link("a", "c", "about", strength=1.0)
        await agent.commit(PutLink(stronger))
        assert await agent.links(LinkQuery(from_ids=("a",), to_ids=("c",))) == [stronger]

    async def test_a_removed_link_is_gone_and_removing_it_again_is_harmless(
        self, agent: StoredAgent, linked: None
    ) -> None:
        """Two maintenance jobs may come to the same conclusion."""
        for _ in range(2):
            await agent.do.unlink("a", "b", relation="about")
        assert ("a", "b", "about") not in await ends(agent)
        assert ("a", "b", "因为") in await ends(agent)

    async def test_links_that_leave_a_record_fade_and_those_that_were_too_weak_go(
        self, agent: StoredAgent, linked: None
    ) -> None:
        """Fading happens inside the store: a graph has too many links to read and write each."""
        await agent.do.fade(["a", "a"], factor=0.5, floor=0.2, at=agent.clock.advance(seconds=1))
        assert [(link.to_id, link.relation, link.strength) for link in await agent.links(LinkQuery())] == [
            ("b", "因为", 0.25),
            ("c", "about", 0.1),
            ("c", "causes", 0.9),
        ]
        await agent.do.fade(["a", "nobody"], factor=0.5, floor=0.2, at=agent.clock.advance(seconds=1))
        assert await ends(agent) == [("a", "b", "因为"), ("b", "c", "causes")]

    async def test_a_factor_that_would_make_links_stronger_is_refused(self, agent: StoredAgent) -> None:
        """A factor above 1 would compound with every scan until it overflows."""
        tx = agent.transaction()
        with pytest.raises(InvalidInput):
            tx.fade(["a"], factor=1.5, floor=0.0, at=datetime(2025, 1, 1, tzinfo=UTC))

    async def test_the_graph_of_a_kind_has_a_revision_that_rises_with_its_records_and_their_links(
        self, agent: StoredAgent
    ) -> None:
        """Disciplines keep their graph in memory, and load it anew only when this number has changed."""
        assert await agent.graph_revision(Kind.NOTE) == 0
        trace = agent.record("trace", id="t", kind=Kind.NOTE)
        turn = agent.record("turn", id="u", kind=Kind.TURN)
        async with agent.transaction() as tx:
            tx.put(trace)
        last = tx.committed.graphs[Kind.NOTE]
        assert await agent.graph_revision(Kind.NOTE) == last
        await agent.put(turn)
        async with agent.transaction() as tx:
            tx.touch(["t"], accessed=1)
            tx.link(agent.link("u", "t"))
        assert await agent.graph_revision(Kind.NOTE) == last, "another kind's graph, and an access"
        changes: tuple[Callable[[Transaction], None], ...] = (
            lambda tx: tx.touch(["t"], scanned=1),
            lambda tx: tx.link(agent.link("t", "u")),
            lambda tx: tx.fade(["t"], factor=0.5, floor=0.0, at=agent.clock.advance(seconds=1)),
            lambda tx: tx.unlink("t", "u", relation="about"),
            lambda tx: tx.drop("t"),
        )
        for change in changes:
            async with agent.transaction() as tx:
                change(tx)
            last += 1
            assert tx.committed.graphs[Kind.NOTE] == last
            assert await agent.graph_revision(Kind.NOTE) == last
        await agent.erase(Erasure(everything=True))
        assert await agent.graph_revision(Kind.NOTE) > last

    async def test_erasing_a_record_raises_the_revision_of_its_kinds_graph(self, agent: StoredAgent) -> None:
        """Else a graph in the memory of another process would keep the erased record."""
        await agent.put(agent.record("trace", id="t", kind=Kind.NOTE))
        before = await agent.graph_revision(Kind.NOTE)
        await agent.erase(Erasure(record_ids=("t",)))
        assert await agent.graph_revision(Kind.NOTE) > before

    async def test_what_is_to_follow_a_unit_of_work_follows_when_it_is_durable_and_not_when_it_fails(
        self, agent: StoredAgent
    ) -> None:
        """Caches in the process are changed by such effects, and must never run ahead of the disk."""
        told: list[Committed] = []
        record = agent.record("trace", id="t", kind=Kind.NOTE)
        async with agent.transaction() as tx:
            tx.put(record)
            tx.then(told.append)
            assert told == []
        assert told == [tx.committed]
        refused = agent.transaction()
        refused.put(record)
        refused.then(told.append)
        with pytest.raises(VersionConflict):
            await refused.__aexit__(None, None, None)
        assert len(told) == 1

    async def test_a_link_has_a_direction(self, agent: StoredAgent, abc: list[Record]) -> None:
        """'Alice manages Bob' does not say that Bob manages Alice."""
        await agent.commit(PutLink(agent.link("a", "b", "about")), PutLink(agent.link("b", "a", "about")))
        await agent.do.unlink("a", "b", relation="about")
        assert await ends(agent) == [("b", "a", "about")]

    async def test_a_conflict_comes_back_as_it_was_put(self, agent: StoredAgent, abc: list[Record]) -> None:
        """With the claims word for word: they are what a person is shown to decide."""
        conflict = agent.within(session="s").conflict(abc[:2], description="谁对？")
        await agent.commit(PutConflict(conflict))
        assert await agent.conflicts(ConflictQuery()) == [conflict]

    async def test_a_verdict_takes_the_place_of_the_open_conflict(self, agent: StoredAgent, abc: list[Record]) -> None:
        """By version, like a record: two judges must not overrule each other unseen."""
        conflict = agent.conflict(abc[:2])
        await agent.commit(PutConflict(conflict))
        verdict = Verdict(text="a", upheld=("a",), decided_by="code", decided_at=agent.clock(), undo={"b": 1})
        settled = conflict.replace(state=ConflictState.RESOLVED, verdict=verdict, version=2)
        await agent.commit(PutConflict(settled, 1))
        assert await agent.conflicts(ConflictQuery()) == [settled]
        assert await agent.conflicts(ConflictQuery(states=(ConflictState.OPEN,))) == []

    async def test_conflicts_are_found_by_id_state_and_record_oldest_first(
        self, agent: StoredAgent, abc: list[Record]
    ) -> None:
        """The oldest has waited for longest, and is settled first."""
        a, b, c = abc
        pairs = [([a, b], ConflictState.OPEN), ([b, c], ConflictState.VALIDATING), ([a, c], ConflictState.OPEN)]
        conflicts = []
        for pair, state in pairs:
            conflicts.append(agent.conflict(pair, state=state))
            agent.clock.advance(seconds=1)
            await agent.commit(PutConflict(conflicts[-1]))
        first, second, third = conflicts
        assert await agent.conflicts(ConflictQuery()) == conflicts
        assert await agent.conflicts(ConflictQuery(limit=1)) == [first]
        assert await agent.conflicts(ConflictQuery(states=(ConflictState.OPEN,))) == [first, third]
        assert await agent.conflicts(ConflictQuery(record_id="b")) == [first, second]
        assert await agent.conflicts(ConflictQuery(conflict_ids=(third.id, "nobody"))) == [third]
        assert await agent.conflicts(ConflictQuery(conflict_ids=())) == []
        assert await agent.conflicts(ConflictQuery(record_id="nobody")) == []

    async def test_a_conflict_is_no_longer_found_by_a_record_that_left_it(
        self, agent: StoredAgent, abc: list[Record]
    ) -> None:
        """The index from records to conflicts is apart from the conflict itself, and must follow it."""
        conflict = agent.conflict(abc[:2])
        await agent.commit(PutConflict(conflict))
        claims = (conflict.claims[0], Claim(record_id="c", text="c"))
        await agent.commit(PutConflict(conflict.replace(claims=claims, version=2), 1))
        assert len(await agent.conflicts(ConflictQuery(record_id="c"))) == 1
        assert await agent.conflicts(ConflictQuery(record_id="b")) == []

    async def test_states_are_kept_replaced_and_removed(self, agent: StoredAgent) -> None:
        """Cursors and settings of a discipline; `None` removes, so that no key is left behind."""
        values: dict[str, Any] = {"b": {"深": [1, 2.5, "x", None, False]}, "a": 0, "空": "", "no": False}
        async with agent.transaction() as tx:
            for key, value in values.items():
                tx.state(key, value)
        assert await agent.states() == values
        assert list(await agent.states()) == sorted(values)
        for prefix in ("a", "空", "n", "none such"):
            wanted = {key: value for key, value in values.items() if key.startswith(prefix)}
            assert await agent.states(prefix=prefix) == wanted
        assert {key: await agent.state(key) for key in values} == values
        assert await agent.state("nobody") is None
        await agent.commit(PutState("a", 1), PutState("b", None), PutState("nobody", None))
        assert await agent.states() == {"a": 1, "空": "", "no": False}

    async def test_a_state_is_written_only_while_it_is_what_was_read(self, agent: StoredAgent) -> None:
        """Two writers that read the same value: the slower one is told, and nothing of its unit of work happens."""
        values: list[Any] = [None, {"step": "读", "tries": [1, 2.5]}, "x", False]
        for before, after in pairwise(values):
            await agent.do.state("a", after, expects=before)
            for wrong in (before, "another"):
                with pytest.raises(VersionConflict):
                    await agent.commit(PutState("beside", 1), PutState("a", "late", wrong))
        await agent.do.state("a", None, expects=await agent.state("a"))
        assert await agent.states() == {}


SECOND = timedelta(seconds=1)


class HistoryConformance(StoreSuite):
    """What was remembered before."""

    @pytest.fixture
    async def changed(self, agent: StoredAgent) -> list[Record]:
        """Return the three versions of a record, written ten seconds apart."""
        [first] = await agent.put(agent.record("She lives in Lisbon.", tags=("home",)))
        agent.clock.advance(seconds=10)
        second = await agent.update(agent.next_version(first, content="She lives in Porto.", kind=Kind.TURN))
        agent.clock.advance(seconds=10)
        third = await agent.update(agent.next_version(second, content="She lives in Faro.", tags=("away",)))
        return [first, second, third]

    async def test_all_versions_are_kept_oldest_first_the_current_one_last(
        self, agent: StoredAgent, changed: list[Record]
    ) -> None:
        """Whoever asks how a belief changed reads them in the order in which it did."""
        first, second, third = changed
        assert await agent.versions(first.id) == [
            Version(record=first, superseded_at=second.updated_at),
            Version(record=second, superseded_at=third.updated_at),
            Version(record=third),
        ]

    async def test_an_unknown_record_has_no_versions(self, agent: StoredAgent, changed: list[Record]) -> None:
        """And is no error: the record may have been erased."""
        assert await agent.versions("nobody") == []

    async def test_superseded_versions_of_all_records_are_read_page_by_page(
        self, agent: StoredAgent, changed: list[Record]
    ) -> None:
        """An export reads all of history, which need not fit into memory."""
        [other] = await agent.put(agent.record("other"))
        latest = other
        for number in range(3):
            latest = await agent.update(agent.next_version(latest, content=f"other {number}"))
        met: list[Version] = []
        while page := await agent.past_versions(after=(met[-1].record.id, met[-1].number) if met else None, limit=2):
            met += page
        places = [(version.record.id, version.number) for version in met]
        wanted = [(changed[0].id, 1), (changed[0].id, 2), (other.id, 1), (other.id, 2), (other.id, 3)]
        assert places == sorted(wanted)

    async def test_a_record_is_read_as_it_stood(self, agent: StoredAgent, changed: list[Record]) -> None:
        """What was believed at a moment can be asked for later, to tell why an agent did what it did."""
        first, second, third = changed

        async def stood(moment: datetime) -> Any:
            return await agent.records(RecordQuery(RecordFilter(as_of=moment)))

        assert await stood(first.updated_at - SECOND) == []
        assert await stood(first.updated_at) == [first]
        assert await stood(second.updated_at - SECOND) == [first]
        assert await stood(second.updated_at) == [second]
        assert await stood(third.updated_at - SECOND) == [second]
        assert await stood(third.updated_at) == [third]
        assert await stood(third.updated_at + timedelta(days=999)) == [third]

    async def test_a_filter_looks_at_the_record_as_it_stood(self, agent: StoredAgent, changed: list[Record]) -> None:
        """Tags and status of today say nothing about yesterday."""
        first, _, third = changed
        early, late = first.updated_at, third.updated_at
        assert await agent.listed(as_of=early, tags=("home",)) == [first.content]
        assert await agent.listed(as_of=late, tags=("home",)) == []
        assert await agent.listed(as_of=early, tags=("away",)) == []
        assert await agent.match([first.id], RecordFilter(as_of=early, tags=("home",))) == [first.id]
        assert await agent.match([first.id], RecordFilter(as_of=late, tags=("home",))) == []
        assert await agent.match([first.id], RecordFilter(as_of=early - SECOND)) == []

    async def test_a_search_looks_at_the_words_as_they_stood(self, agent: StoredAgent, changed: list[Record]) -> None:
        """Past versions have search terms of their own."""
        first, second, third = changed
        later = agent.record("He lives in Lisbon too.")
        agent.clock.advance(seconds=10)
        later = later.replace(created_at=agent.clock(), updated_at=agent.clock())
        await agent.put(later)
        assert await agent.found("Lisbon", as_of=first.updated_at) == [first.id]
        assert await agent.found("Porto", as_of=first.updated_at) == []
        assert await agent.found("Porto", as_of=second.updated_at) == [first.id]
        assert await agent.found("Lisbon", as_of=third.updated_at) == []
        assert await agent.found("Lisbon", as_of=later.updated_at) == [later.id]

    async def test_records_stood_in_the_order_they_were_made(self, agent: StoredAgent) -> None:
        """Paging through the past must be as stable as through the present."""
        records = []
        for content in "abcdef":
            records.append(agent.record(content))
            agent.clock.advance(seconds=1)
        await agent.put(*records)
        moment = agent.clock()
        for record in records[::2]:
            agent.clock.advance(seconds=1)
            await agent.update(agent.next_version(record, content=record.content.upper()))
        assert await agent.listed(as_of=moment) == list("abcdef")
        assert await agent.listed(as_of=moment, limit=2) == list("ab")
        assert await agent.listed(as_of=moment, limit=3, after_id=records[1].id) == list("cde")
        assert await agent.listed(as_of=agent.clock()) == list("AbCdEf")

    async def test_a_forgotten_record_leaves_a_tombstone_and_can_still_be_read(self, agent: StoredAgent) -> None:
        """Forgetting can be taken back; only erasing is for good."""
        [entry] = await agent.append(agent.entry())
        [record] = await agent.put(agent.record_of(entry, "She lives in Lisbon.", summary="home", keywords=("Lisbon",)))
        at = agent.clock.advance(seconds=10)
        await agent.do.forget(record, at=at, reason="not used")
        [stone] = await agent.tombstones()
        assert (stone.record_id, stone.about, stone.reason) == (record.id, "home", "not used")
        assert (stone.learned_at, stone.forgotten_at) == (record.created_at, at)
        assert (stone.keywords, stone.sources, stone.size) == (record.keywords, record.sources, len(record.content))
        assert await agent.listed() == []
        assert await agent.listed(statuses=(Status.FORGOTTEN,)) == [record.content]

    async def test_what_is_forgotten_still_stood_before(self, agent: StoredAgent) -> None:
        """Forgetting is an event in time as well, and does not rewrite what was known before it."""
        [record] = await agent.put(agent.record())
        forgotten_at = agent.clock.advance(seconds=10)
        await agent.do.forget(record, at=forgotten_at)
        restored_at = agent.clock.advance(seconds=10)
        await agent.do.restore(await agent.current(record.id), at=restored_at)
        assert await agent.listed(as_of=forgotten_at - SECOND) == [record.content]
        assert await agent.listed(as_of=forgotten_at) == []
        assert await agent.found("Lisbon", as_of=forgotten_at - SECOND) == [record.id]
        assert await agent.found("Lisbon", as_of=forgotten_at) == []
        assert await agent.found("Lisbon", as_of=restored_at) == [record.id]
        assert await agent.listed(as_of=restored_at) == [record.content]

    async def test_a_restored_record_is_back_without_its_tombstone(self, agent: StoredAgent) -> None:
        """Found again by its words, and no longer listed as forgotten."""
        [record] = await agent.put(agent.record())
        await agent.forget(record)
        await agent.do.restore(await agent.current(record.id), at=agent.clock.advance(seconds=1))
        back = await agent.current(record.id)
        assert back == record.replace(version=3, updated_at=agent.clock())
        assert await agent.tombstones() == []
        assert await agent.found("Lisbon") == [record.id]
        assert [version.record.status for version in await agent.versions(record.id)] == [
            Status.ACTIVE,
            Status.FORGOTTEN,
            Status.ACTIVE,
        ]

    async def test_tombstones_are_read_in_order_or_by_their_records(self, agent: StoredAgent) -> None:
        """An agent can tell that it once knew something without saying what."""
        records = await agent.put(*(agent.record(content) for content in "abc"))
        for record in reversed(records):
            await agent.forget(record)
        ids = [record.id for record in records]
        assert [stone.record_id for stone in await agent.tombstones()] == sorted(ids)
        assert [stone.record_id for stone in await agent.tombstones([ids[1], "nobody"])] == [ids[1]]
        assert await agent.tombstones([]) == []
