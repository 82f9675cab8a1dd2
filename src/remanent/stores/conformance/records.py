"""Records: written by version, listed by any filter, in any order; and where each stands among what was said."""

import itertools
from datetime import timedelta
from typing import Any

import pytest

from remanent.model import Kind, Maker, Origin, Record, Source, Status
from remanent.model.kinds import PassageData, SemanticData, ShortTermData, standing_mark
from remanent.stores.conformance.base import ANY_STATUS, StoredAgent, StoreSuite
from remanent.stores.queries import EntryQuery, Erasure, LinkQuery, Order, RecordFilter, RecordQuery
from remanent.stores.transaction import PutLink, TouchRecords

DAY = timedelta(days=1)


class RecordsConformance(StoreSuite):
    """What is remembered."""

    async def test_a_record_comes_back_as_it_was_put(self, agent: StoredAgent) -> None:
        """To the last field, since a record that is read is written back with changes."""
        [entry] = await agent.append(agent.entry())
        record = agent.within(session="s", task="t").record(
            "她住在里斯本。\x00 '; DROP TABLE records; -- 🎉",
            kind=Kind.SEMANTIC,
            summary="lives in Lisbon",
            keywords=("里斯本", "home"),
            tags=("where", "where", "谁"),
            confidence=0.1 + 0.2,
            importance=3.5,
            evidence_count=4,
            access_count=5,
            scan_count=6,
            valid_from=agent.clock() - DAY,
            valid_to=agent.clock() + DAY,
            expires_at=agent.clock() + 2 * DAY,
            status=Status.PROVISIONAL,
            sources=(Source(entry_id=entry.id, start=2, end=5),),
            trust=Origin.TOOL,
            made_by=Maker(role="extraction", engine="offline", version="2"),
            data=SemanticData(category="住所", first_observed=agent.clock(), related=("x",)),
        )
        await agent.put(record)
        assert await agent.current(record.id) == record

    @pytest.mark.parametrize("kind", list(Kind))
    async def test_a_record_of_every_kind_keeps_its_typed_data(self, agent: StoredAgent, kind: Kind) -> None:
        """Kinds are an open set: data of a discipline that is not installed must survive as well."""
        [record] = await agent.put(agent.record(kind=kind))
        assert type((await agent.current(record.id)).data) is kind.data

    async def test_the_next_version_takes_the_place_of_the_record(self, agent: StoredAgent) -> None:
        """There is one current version, whatever was asked for meanwhile."""
        [record] = await agent.put(agent.record("She lives in Lisbon.", tags=("old",)))
        agent.clock.advance(seconds=1)
        second = await agent.update(agent.next_version(record, content="She lives in Porto.", tags=("new",)))
        assert await agent.records(RecordQuery(ANY_STATUS)) == [second]
        assert await agent.listed(tags=("old",)) == []
        assert await agent.listed(tags=("new",)) == ["She lives in Porto."]

    async def test_counting_makes_no_version_and_the_next_version_keeps_the_counts(self, agent: StoredAgent) -> None:
        """Reading is frequent; a version for every access would bury the history that matters."""
        record, other = await agent.put(agent.record(), agent.record())
        agent.clock.advance(seconds=1)
        await agent.do.touch([record.id, record.id, "nobody"], accessed=1, scanned=2)
        assert await agent.current(record.id) == record.replace(access_count=2, scan_count=4)
        assert await agent.current(other.id) == other
        assert len(await agent.versions(record.id)) == 1
        await agent.update(agent.next_version(record, summary="written by who saw no counts"))
        kept = await agent.current(record.id)
        assert (kept.access_count, kept.scan_count) == (2, 4)

    @pytest.fixture
    async def shelf(self, agent: StoredAgent) -> dict[str, Record]:
        """Return records that differ in every way a filter can tell, by their content."""
        now = agent.clock()
        fields: dict[str, dict[str, Any]] = {
            "plain": {},
            "note": {"kind": Kind.NOTE},
            "chunk": {"kind": Kind.CHUNK, "data": PassageData(title="x")},
            "red": {"tags": ("red",)},
            "red and big": {"tags": ("red", "big")},
            "provisional": {"status": Status.PROVISIONAL},
            "pending": {"status": Status.PENDING},
            "superseded": {"status": Status.SUPERSEDED},
            "quarantined": {"status": Status.QUARANTINED},
            "forgotten": {"status": Status.FORGOTTEN},
            "expired": {"status": Status.EXPIRED},
            "yesterday": {"occurred_at": now - DAY},
            "tomorrow": {"occurred_at": now + DAY},
            "valid from tomorrow": {"valid_from": now + DAY},
            "valid to yesterday": {"valid_to": now - DAY},
            "valid today": {"valid_from": now - DAY, "valid_to": now + DAY},
            "past its end": {"expires_at": now - DAY},
            "expires tomorrow": {"expires_at": now + DAY},
        }
        shelf = {content: agent.record(content, **given) for content, given in fields.items()}
        await agent.put(*shelf.values())
        return shelf

    async def _passing(self, agent: StoredAgent, shelf: dict[str, Record], **wanted: Any) -> set[str]:
        """Return the contents that pass, having checked that listing and matching agree."""
        contents = await agent.listed(**wanted)
        ids = [record.id for record in reversed(shelf.values())]
        matched = await agent.match(ids, RecordFilter(**wanted))
        assert matched == [shelf[content].id for content in reversed(contents)]
        return set(contents)

    async def test_by_default_only_records_that_answer_questions_are_listed(
        self, agent: StoredAgent, shelf: dict[str, Record]
    ) -> None:
        """Whoever forgets to name a status must not be shown what was forgotten."""
        passing = await self._passing(agent, shelf)
        assert passing == set(shelf) - {"pending", "superseded", "quarantined", "forgotten", "expired"}

    async def test_records_are_listed_by_status(self, agent: StoredAgent, shelf: dict[str, Record]) -> None:
        """Upkeep looks at what others do not see."""
        assert await self._passing(agent, shelf, statuses=None) == set(shelf)
        assert await self._passing(agent, shelf, statuses=()) == set()
        for status in set(Status) - {Status.ACTIVE}:
            assert await self._passing(agent, shelf, statuses=(status,)) == {status.value}
        wanted = (Status.PENDING, Status.FORGOTTEN)
        assert await self._passing(agent, shelf, statuses=wanted) == {"pending", "forgotten"}

    async def test_records_are_counted_by_kind_and_status_with_the_flags_of_their_data(
        self, agent: StoredAgent
    ) -> None:
        """A report about a hundred thousand records must not read them."""
        made: dict[str, dict[str, Any]] = {
            "pinned": {"data": SemanticData(pinned=True), "confidence": 0.5},
            "stale": {"data": SemanticData(stale="its premise is gone")},
            "related": {"data": SemanticData(related=("a",))},
            "plain": {"data": SemanticData()},
        }
        records = [agent.record(text, kind=Kind.SEMANTIC, **given) for text, given in made.items()]
        gone = agent.record("gone", kind=Kind.SEMANTIC, status=Status.FORGOTTEN)
        await agent.put(*records, gone, agent.record("a turn"))
        flags = ("pinned", "stale", "related", "nothing of the sort")
        found = sorted(await agent.tally((Kind.SEMANTIC,), flags=flags), key=lambda one: one.count)
        assert [(one.kind, one.status, one.count, one.confidence) for one in found] == [
            (Kind.SEMANTIC, Status.FORGOTTEN, 1, 1.0),
            (Kind.SEMANTIC, Status.ACTIVE, 4, 3.5),
        ]
        assert found[1].flags == {"pinned": 1, "stale": 1, "related": 1, "nothing of the sort": 0}
        assert await agent.store.tally(agent.samples.make_scope("nobody"), (Kind.SEMANTIC,)) == []

    async def test_memories_that_are_told_whatever_the_words_are_listed_by_why_and_by_user(
        self, agent: StoredAgent
    ) -> None:
        """Every briefing asks for them, and an agent may have a hundred thousand memories of which none is."""
        made: dict[str, dict[str, Any]] = {
            "pinned": {"kind": Kind.SEMANTIC, "data": SemanticData(pinned=True, user="ann"), "tags": ("red",)},
            "lasting": {"kind": Kind.SEMANTIC, "data": SemanticData(category="user_preference")},
            "passing": {"kind": Kind.PREFERENCE, "data": ShortTermData(user="ann")},
            "decided": {"kind": Kind.DECISION, "data": ShortTermData(user="ann")},
            "plain": {"kind": Kind.SEMANTIC, "data": SemanticData(user="ann"), "tags": ("pinned",)},
        }
        records = {text: agent.record(text, **given) for text, given in made.items()}
        await agent.put(*records.values())
        assert await agent.listed(tags=(standing_mark("pinned"),)) == ["pinned"]
        assert await agent.listed(tags=(standing_mark("preference"),)) == ["lasting", "passing"]
        assert await agent.listed(tags=(standing_mark("preference", "ann"),)) == ["passing"]
        assert await agent.listed(tags=(standing_mark("preference", ""),)) == ["lasting"]
        assert await agent.listed(tags=(standing_mark("pinned", "ann"), "red")) == ["pinned"]
        let_go = agent.next_version(records["pinned"], data=SemanticData(user="ann"))
        await agent.update(let_go)
        assert await agent.listed(tags=(standing_mark("pinned"),)) == []
        assert let_go.tags == ("red",)

    async def test_records_are_listed_by_kind(self, agent: StoredAgent, shelf: dict[str, Record]) -> None:
        """Disciplines share a store and list their own kinds only."""
        assert await self._passing(agent, shelf, kinds=(Kind.NOTE,)) == {"note"}
        assert await self._passing(agent, shelf, kinds=(Kind.NOTE, Kind.CHUNK)) == {"note", "chunk"}
        assert await self._passing(agent, shelf, kinds=(Kind.MOOD,)) == set()
        assert await self._passing(agent, shelf, kinds=()) == set()

    async def test_records_are_listed_that_have_all_of_the_tags(
        self, agent: StoredAgent, shelf: dict[str, Record]
    ) -> None:
        """All, not any: tags narrow."""
        assert await self._passing(agent, shelf, tags=("red",)) == {"red", "red and big"}
        assert await self._passing(agent, shelf, tags=("big", "red")) == {"red and big"}
        assert await self._passing(agent, shelf, tags=("red", "blue")) == set()
        assert await self._passing(agent, shelf, tags=("re",)) == set()

    async def test_records_are_listed_by_when_it_happened_with_the_end_left_out(
        self, agent: StoredAgent, shelf: dict[str, Record]
    ) -> None:
        """Half-open, as everywhere."""
        now = agent.clock()
        assert await self._passing(agent, shelf, occurred_before=now) == {"yesterday"}
        assert await self._passing(agent, shelf, occurred_from=now + DAY) == {"tomorrow"}
        today = await self._passing(agent, shelf, occurred_from=now, occurred_before=now + DAY)
        assert "plain" in today
        assert not today & {"yesterday", "tomorrow"}

    async def test_records_are_listed_that_were_valid_at_a_moment(
        self, agent: StoredAgent, shelf: dict[str, Record]
    ) -> None:
        """A fact without an end is valid until told otherwise."""
        now, named = agent.clock(), {"valid from tomorrow", "valid to yesterday", "valid today"}

        async def valid(moment: Any) -> set[str]:
            passing = await self._passing(agent, shelf, valid_at=moment)
            assert "plain" in passing
            return passing & named

        assert await valid(now) == {"valid today"}
        assert await valid(now - 2 * DAY) == {"valid to yesterday"}
        assert await valid(now - DAY) == {"valid today"}
        assert await valid(now + DAY) == {"valid from tomorrow"}

    async def test_records_are_listed_that_are_alive_at_a_moment(
        self, agent: StoredAgent, shelf: dict[str, Record]
    ) -> None:
        """What has expired is hidden at once, before any job removes it."""
        now, named = agent.clock(), {"past its end", "expires tomorrow"}
        assert await self._passing(agent, shelf, alive_at=now) & named == {"expires tomorrow"}
        assert await self._passing(agent, shelf, alive_at=now - 2 * DAY) & named == named
        assert await self._passing(agent, shelf, alive_at=now + DAY) & named == set()
        assert "plain" in await self._passing(agent, shelf, alive_at=now + 1000 * DAY)

    async def test_every_condition_of_a_filter_must_hold(self, agent: StoredAgent, shelf: dict[str, Record]) -> None:
        """Conditions only ever narrow."""
        now = agent.clock()
        wanted: dict[str, Any] = {"tags": ("red",), "kinds": (Kind.TURN,), "valid_at": now, "alive_at": now}
        assert await self._passing(agent, shelf, **wanted) == {"red", "red and big"}
        assert await self._passing(agent, shelf, **wanted, occurred_from=now + DAY) == set()

    async def test_records_are_read_by_their_ids(self, agent: StoredAgent, shelf: dict[str, Record]) -> None:
        """In the order of listing; ids that are not there are left out."""
        ids = (shelf["red"].id, "nobody", shelf["plain"].id)
        assert await agent.listed(record_ids=ids) == ["plain", "red"]
        assert await agent.listed(record_ids=()) == []
        assert await agent.listed(record_ids=(shelf["forgotten"].id,)) == []

    async def test_matching_keeps_the_given_order_and_leaves_out_strangers(
        self, agent: StoredAgent, shelf: dict[str, Record]
    ) -> None:
        """The caller has ranked the ids, and the filter must not rank them anew."""
        ids = [shelf["red"].id, "nobody", shelf["pending"].id, shelf["plain"].id]
        assert await agent.match(ids, RecordFilter()) == [ids[0], ids[3]]
        assert await agent.match([], RecordFilter()) == []

    async def test_records_are_found_by_the_entries_they_came_from(self, agent: StoredAgent) -> None:
        """Corrections and erasures start from the journal."""
        one, two = await agent.append(agent.entry("one"), agent.entry("two"))
        both = tuple(Source(entry_id=entry.id) for entry in (one, two))
        await agent.put(
            agent.record_of(one, "from one"),
            agent.record_of(two, "from two"),
            agent.record("from both", sources=both),
            agent.record("from nothing"),
        )
        assert await agent.listed(source_entry_ids=(one.id,)) == ["from one", "from both"]
        assert await agent.listed(source_entry_ids=(one.id, two.id)) == ["from one", "from two", "from both"]
        assert await agent.listed(source_entry_ids=()) == []

    async def test_a_scope_narrows_records_to_its_session_and_task(self, agent: StoredAgent) -> None:
        """As in the journal."""
        places = {"bare": agent.scope, "s": agent.scope.within(session="s"), "t": agent.scope.within(task="t")}
        places["s t"] = agent.scope.within(session="s", task="t")
        records = {name: agent.samples.make_record(place, name) for name, place in places.items()}
        await agent.put(*records.values())
        assert await agent.listed() == ["bare", "s", "t", "s t"]
        assert await agent.within(session="s").listed() == ["s", "s t"]
        assert await agent.within(task="t").listed() == ["t", "s t"]
        assert await agent.within(session="s", task="t").listed() == ["s t"]
        assert await agent.within(session="s").listed(record_ids=(records["bare"].id,)) == []
        ids = [record.id for record in records.values()]
        assert await agent.within(session="s").match(ids, RecordFilter()) == [
            records["s"].id,
            records["s t"].id,
        ]
        assert await agent.within(session="s").versions(records["bare"].id) == []

    async def test_records_are_listed_in_the_order_asked_for(self, agent: StoredAgent) -> None:
        """Each order has a tie-breaker, so that two backends list alike."""
        now = agent.clock()
        records = []
        for content, happened, scans in (("a", 3, 5), ("b", 1, 0), ("c", 2, 5), ("d", 2, 1)):
            when = now + happened * DAY
            records.append(agent.record(content, occurred_at=when, scan_count=scans))
            agent.clock.advance(seconds=1)
        await agent.put(*records)
        assert await agent.listed(order=Order.FIRST_CREATED) == ["a", "b", "c", "d"]
        assert await agent.listed(order=Order.LAST_CREATED) == ["d", "c", "b", "a"]
        assert await agent.listed(order=Order.LAST_OCCURRED) == ["a", "d", "c", "b"]
        assert await agent.listed(order=Order.LEAST_SCANNED) == ["b", "d", "a", "c"]
        assert await agent.listed(order=Order.LAST_OCCURRED, limit=2) == ["a", "d"]
        assert await agent.listed(limit=0) == []

    async def test_an_update_does_not_change_a_records_place(self, agent: StoredAgent) -> None:
        """Else paging through records while they change would skip some or meet some twice."""
        records = await agent.put(*(agent.record(content) for content in "abc"))
        await agent.update(agent.next_version(records[0], content="a again"))
        assert await agent.listed() == ["a again", "b", "c"]

    @pytest.mark.parametrize("order", [Order.FIRST_CREATED, Order.LAST_CREATED])
    async def test_paging_through_records_meets_each_once(self, agent: StoredAgent, order: Order) -> None:
        """By id, not by offset: an offset slips when something is dropped."""
        records = await agent.put(*(agent.record(str(number)) for number in range(10)))
        met: list[Record] = []
        while page := await agent.records(RecordQuery(order=order, after_id=met[-1].id if met else None, limit=3)):
            met += page
        assert met == (records if order is Order.FIRST_CREATED else records[::-1])

    async def test_a_dropped_record_is_gone_with_its_versions_and_its_outgoing_links(self, agent: StoredAgent) -> None:
        """Derived records are made anew by the thousand; leftovers would pile up."""
        record, other = await agent.put(agent.record("dropped"), agent.record("other"))
        await agent.update(agent.next_version(record, content="dropped later"))
        there, back = agent.link(record.id, other.id), agent.link(other.id, record.id)
        await agent.commit(PutLink(there), PutLink(back))
        await agent.do.drop(record.id)
        assert await agent.listed(statuses=None) == ["other"]
        assert await agent.versions(record.id) == []
        assert await agent.past_versions(after=None, limit=10) == []
        assert await agent.links(LinkQuery()) == [back]

    async def test_a_dropped_record_can_be_put_anew(self, agent: StoredAgent) -> None:
        """Derived ids are often worked out from what they derive from, and come again."""
        [record] = await agent.put(agent.record())
        await agent.do.drop(record.id)
        await agent.put(record)
        assert await agent.current(record.id) == record
        assert len(await agent.versions(record.id)) == 1


class PlacesConformance(StoreSuite):
    """Neighbours and revisions."""

    async def test_a_turn_knows_its_neighbours_in_its_session(self, agent: StoredAgent) -> None:
        """The turn before it in the journal may be of another conversation."""
        turns = await _turns(agent, ["a", "b", "a", "a", "b"])
        ids = [turn.id for turn in turns]
        places = await agent.places([ids[2], ids[0]], record_filter=RecordFilter())
        assert [place.record_id for place in places] == [ids[2], ids[0]]
        middle, first = places
        assert (middle.session, middle.before_id, middle.after_id) == ("a", ids[0], ids[3])
        assert (first.before_id, first.after_id) == (None, ids[2])
        assert (middle.kind, middle.trust, middle.occurred_at) == (Kind.TURN, Origin.USER, turns[2].occurred_at)
        assert 0 < first.seq < middle.seq
        assert middle.role == "user"
        entries = await agent.entries(EntryQuery(entry_ids=(ids[0],)))
        assert first.recorded_at == entries[0].recorded_at

    async def test_neighbours_come_along_as_far_as_asked_and_as_they_pass(self, agent: StoredAgent) -> None:
        """A turn is often understood only with the ones around it, and the filter holds for these, too."""
        turns = await _turns(agent, ["a"] * 6)
        ids = [turn.id for turn in turns]

        async def reached(reach: int) -> set[str]:
            found = await agent.places([ids[2]], record_filter=RecordFilter(), reach=reach)
            return {place.record_id for place in found}

        assert await reached(0) == {ids[2]}
        assert await reached(1) == set(ids[1:4])
        assert await reached(2) == set(ids[:5])
        await agent.forget(turns[1])
        assert await reached(1) == {ids[2], ids[3]}

    async def test_what_belongs_to_no_session_has_its_neighbours_in_the_journal(self, agent: StoredAgent) -> None:
        """Without sessions the journal is the one conversation."""
        turns = await _turns(agent, [None, None, "a", None])
        ids = [turn.id for turn in turns]
        places = {place.record_id: place for place in await agent.places(ids, record_filter=ANY_STATUS)}
        assert (places[ids[0]].before_id, places[ids[0]].after_id) == (None, ids[1])
        assert places[ids[3]].before_id is None

    async def test_a_record_that_is_no_turn_has_a_place_without_neighbours(self, agent: StoredAgent) -> None:
        """A fact stands nowhere in a conversation, and still has a time and an origin."""
        [record] = await agent.put(agent.record(kind=Kind.SEMANTIC, trust=Origin.WEB))
        (place,) = await agent.places([record.id, "unknown"], record_filter=RecordFilter(), reach=1)
        assert (place.kind, place.trust, place.seq, place.before_id) == (Kind.SEMANTIC, Origin.WEB, 0, None)

    async def test_a_place_without_neighbours_says_all_else(self, agent: StoredAgent) -> None:
        """Finding neighbours costs the most, and most candidates of a question do not need them."""
        turns = await _turns(agent, ["a", None, "a"])
        [record] = await agent.put(agent.record(kind=Kind.SEMANTIC, trust=Origin.WEB))
        ids = [record.id, "unknown", *(turn.id for turn in turns)]
        whole = await agent.places(ids, record_filter=RecordFilter())
        alone = await agent.places(ids, record_filter=RecordFilter(), neighbours=False)
        assert alone == [place._replace(before_id=None, after_id=None) for place in whole]
        assert any(place.before_id for place in whole)

    async def test_the_revision_rises_with_every_change_that_can_be_read(self, agent: StoredAgent) -> None:
        """Kept answers are valid exactly as long as this number stays."""
        assert await agent.revision() == 0
        (turn,) = await _turns(agent, ["a"])
        seen = [await agent.revision()]
        [other] = await agent.put(agent.record())
        seen.append(await agent.revision())
        await agent.commit(PutLink(agent.link(turn.id, other.id)))
        seen.append(await agent.revision())
        await agent.forget(other)
        seen.append(await agent.revision())
        await agent.erase(Erasure(record_ids=(turn.id,)))
        seen.append(await agent.revision())
        await agent.erase(Erasure(everything=True))
        seen.append(await agent.revision())
        assert all(before < after for before, after in itertools.pairwise(seen))

    async def test_counting_accesses_and_the_queue_do_not_raise_the_revision(self, agent: StoredAgent) -> None:
        """Else reading would invalidate the answers that reading has just kept."""
        (turn,) = await _turns(agent, ["a"])
        before = await agent.revision()
        await agent.commit(TouchRecords((turn.id,), accessed=1))
        await agent.do.enqueue(agent.job(), limit=10)
        assert await agent.revision() == before


async def _turns(agent: StoredAgent, sessions: list[str | None]) -> list[Record]:
    """Say something in each session in turn, and return the turns."""
    entries = []
    for number, session in enumerate(sessions):
        agent.clock.advance(seconds=60)
        within = agent.scope if session is None else agent.scope.within(session=session)
        entries.append(agent.samples.make_entry(within, f"word {number}"))
    said = await agent.append(*entries)
    return await agent.put(*(agent.record_of(one, id=one.id, occurred_at=one.occurred_at) for one in said))
