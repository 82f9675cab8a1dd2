"""Finding: by the words of the text, in Chinese and English, and by what entries were told with (metadata, tags)."""

from functools import partial
from typing import Any

import pytest

from remanent.model import Entry, Kind, MetadataCondition, Origin, Status
from remanent.model.filters import MAX_VALUE_LENGTH, read_where
from remanent.stores import queries as q
from remanent.stores.conformance.base import START, StoredAgent, StoreSuite, check_filters, told_apart
from remanent.stores.queries import EntryQuery, Erasure, RecordFilter, RecordQuery
from remanent.stores.transfer import export_lines, import_lines
from remanent.text.terms import query_terms

SYNTAX = [
    "AND", "OR", "NOT", "NEAR", "NEAR(lisbon tea, 5)", "lisbon AND tea", '"', '""', '"lisbon', "*", "lis*", "^",
    "^lisbon", ":", "terms:lisbon", "terms : lisbon", "-terms:lisbon", "(", ")", "{", "+", "-", "'", ";", "--", "%",
    "_", "\\", "\x00", "\n", " ", "", "& | ! <->",
]  # fmt: skip


class TextConformance(StoreSuite):
    """What was said can always be found."""

    async def test_a_record_is_found_by_any_of_its_words(self, agent: StoredAgent) -> None:
        """Content, summary, keywords and tags alike."""
        record = agent.record("She moved to Lisbon.", summary="relocation", keywords=("Portugal",), tags=("travel",))
        await agent.put(record, agent.record("Unrelated words."))
        for question in ("lisbon", "LISBON", "moving", "relocation", "portugal", "travel", "Lisbon zebra"):
            assert await agent.found(question) == [record.id], question
        assert await agent.found("zebra") == []

    async def test_chinese_is_found_by_its_words(self, agent: StoredAgent) -> None:
        """No spaces part the words: the terms are worked out before the store sees them."""
        tea = agent.record("她搬到里斯本以后，每天早上喝绿茶。")
        coffee = agent.record("他在北京工作，喜欢喝咖啡。")
        await agent.put(tea, coffee)
        assert await agent.found("绿茶") == [tea.id]
        assert await agent.found("她在里斯本吗？") == [tea.id]
        assert await agent.found("谁喜欢咖啡") == [coffee.id]
        assert await agent.found("足球") == []

    async def test_mixed_writing_is_found_by_either(self, agent: StoredAgent) -> None:
        """One sentence often holds both."""
        record = agent.record("她用Python写了一个爬虫，部署在AWS上。")
        await agent.put(record, agent.record("他写Java代码。"))
        for question in ("python", "爬虫", "aws 部署", "Python爬虫"):
            assert (await agent.found(question))[:1] == [record.id], question

    async def test_a_rarer_word_counts_more(self, agent: StoredAgent) -> None:
        """The inverse document frequency of BM25."""
        common = [agent.record(f"coffee number {number}") for number in range(20)]
        rare = agent.record("zebra number 20")
        await agent.put(*common, rare)
        assert (await agent.found("coffee zebra"))[0] == rare.id

    async def test_more_of_the_words_and_a_shorter_text_count_more(self, agent: StoredAgent) -> None:
        """The saturation and length terms of BM25."""
        both = agent.record("green tea")
        long = agent.record("green " + "and then a great many other things were told " * 5)
        short = agent.record("green door")
        others = [agent.record(f"filler {number}") for number in range(10)]
        await agent.put(long, short, both, *others)
        assert await agent.found("green tea") == [both.id, short.id, long.id]

    async def test_scores_fall_from_hit_to_hit(self, agent: StoredAgent) -> None:
        """Fusion with other searches goes by rank and by score."""
        await agent.put(*(agent.record("tea " + "leaf " * number) for number in range(8)))
        hits = await agent.search_text(query_terms("tea"), record_filter=q.RecordFilter(), limit=5)
        assert len(hits) == 5
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)

    async def test_records_of_sessions_that_are_left_out_are_not_found(self, agent: StoredAgent) -> None:
        """What belongs to no session passes: it is nobody's flood."""
        records = [agent.within(session=name).record(content="heron") for name in ("a", "b", None)]
        await agent.put(*records)
        without = q.RecordFilter(not_sessions=("a", "c"))
        hits = await agent.search_text(["heron"], record_filter=without, limit=10)
        assert {hit.record_id for hit in hits} == {record.id for record in records[1:]}
        passing = await agent.match([record.id for record in records], without)
        assert passing == [record.id for record in records[1:]]

    async def test_no_more_than_the_limit_is_found(self, agent: StoredAgent) -> None:
        await agent.put(*(agent.record("tea") for _ in range(30)))
        for limit in (0, 1, 7, 30, 100):
            hits = await agent.found("tea", limit=limit)
            assert len(hits) == len(set(hits)) == min(limit, 30)

    async def test_an_updated_record_is_found_by_its_new_words_only(self, agent: StoredAgent) -> None:
        """A stale index row would quote what was corrected."""
        [record] = await agent.put(agent.record("She lives in Lisbon.", keywords=("sea",)))
        await agent.update(agent.next_version(record, content="She lives in Porto.", keywords=("river",)))
        assert await agent.found("porto") == await agent.found("river") == [record.id]
        assert await agent.found("lisbon") == await agent.found("sea") == []

    async def test_a_forgotten_record_is_not_found_even_when_asked_for(self, agent: StoredAgent) -> None:
        """It has left the index; its words must not be reachable by a filter on the status."""
        [record] = await agent.put(agent.record())
        await agent.forget(record)
        assert await agent.found("lisbon") == []
        assert await agent.found("lisbon", statuses=None) == []

    async def test_a_dropped_record_is_not_found(self, agent: StoredAgent) -> None:
        """Its terms leave the index in the same commit."""
        [record] = await agent.put(agent.record())
        await agent.do.drop(record.id)
        assert await agent.found("lisbon", statuses=None) == []

    async def test_filters_apply_to_what_is_found(self, agent: StoredAgent) -> None:
        """The same filter as for lists: one meaning everywhere."""
        records = {name: agent.record("tea", **given) for name, given in told_apart(agent.clock()).items()}
        await agent.put(*records.values())
        await check_filters(records, agent.clock(), partial(agent.found, "tea"))

    async def test_a_filter_that_leaves_out_the_best_still_finds_the_rest(self, agent: StoredAgent) -> None:
        """Backends that rank first and filter later must look further."""
        hidden = [agent.record("tea", status=Status.QUARANTINED) for _ in range(60)]
        wanted = [agent.record("tea among a number of other words") for _ in range(3)]
        await agent.put(*hidden, *wanted)
        assert sorted(await agent.found("tea", limit=3)) == [record.id for record in wanted]

    async def test_a_scope_narrows_what_is_found(self, agent: StoredAgent) -> None:
        """As everywhere."""
        mine, other = agent.scope.within(session="s1", task="t1"), agent.scope.within(session="s2")
        here, there = agent.samples.make_record(mine, "tea"), agent.samples.make_record(other, "tea")
        await agent.put(here, there)
        assert set(await agent.found("tea")) == {here.id, there.id}
        assert await agent.within(session="s1").found("tea") == [here.id]
        assert await agent.within(task="t1").found("tea") == [here.id]
        assert await agent.within(session="s2", task="t1").found("tea") == []

    @pytest.mark.parametrize("term", SYNTAX, ids=ascii)
    async def test_signs_of_a_query_language_are_harmless(self, agent: StoredAgent, term: str) -> None:
        """Questions are free text and hold quotes, stars and the words AND and NOT."""
        record, other = await agent.put(agent.record("lisbon"), agent.record("porto"))
        assert other.id not in await agent.found_by([term])
        assert await agent.found_by([term, "lisbon"]) == [record.id]
        assert await agent.found_by(["lisbon", term, term]) == [record.id]

    async def test_terms_are_counted_by_the_records_that_hold_them(self, agent: StoredAgent) -> None:
        """How rare a word is decides what it tells about a question."""
        texts = ("green tea", "black tea", "tea tea tea", "里斯本的茶")
        await agent.put(*(agent.record(text) for text in texts))
        counts = await agent.term_counts(["tea", "green", "茶", "zebra", '"', ""], most=100)
        assert counts.records == 4
        assert dict(counts.holding) == {"tea": 3, "green": 1, "茶": 1, "zebra": 0, '"': 0, "": 0}

    async def test_terms_are_counted_no_further_than_asked_and_without_the_forgotten(self, agent: StoredAgent) -> None:
        """A count only has to tell common from rare, and counting all would cost too much."""
        records = await agent.put(*(agent.record("tea") for _ in range(6)))
        await agent.forget(records[0])
        assert (await agent.term_counts(["tea"], most=3)).holding == {"tea": 3}
        assert (await agent.term_counts(["tea"], most=100)).holding == {"tea": 5}

    async def test_terms_are_counted_by_session(self, agent: StoredAgent) -> None:
        """A session that holds many of the words is likely to be the one that is meant."""
        a, b = (agent.within(session=name) for name in ("a", "b"))
        told = [a.record(text) for text in ("green tea tea", "black tea", "milk")]
        other, machine = b.record("tea"), b.record("tea tea", trust=Origin.AGENT)
        await agent.put(*told, other, machine)

        async def held(most: int = 100, origins: list[Origin] | None = None) -> Any:
            asked = (["a", "b", "none"], ["tea", "milk", '"'])
            return await agent.session_terms(*asked, record_filter=q.RecordFilter(), origins=origins, most=most)

        assert await held() == {"a": q.SessionTerms(6, {"tea": 3, "milk": 1}), "b": q.SessionTerms(3, {"tea": 3})}
        assert (await held(origins=[Origin.USER]))["b"] == q.SessionTerms(1, {"tea": 1})
        assert (await held(most=2)).keys() == {"b"}
        await agent.forget(told[0])
        assert (await held())["a"] == q.SessionTerms(3, {"tea": 1, "milk": 1})

    @pytest.mark.parametrize(
        "wanted", [q.RecordFilter(), q.RecordFilter(kinds=(Kind.TURN,)), q.RecordFilter(as_of=START)]
    )
    async def test_hits_say_where_they_stand_when_asked_to(self, agent: StoredAgent, wanted: q.RecordFilter) -> None:
        """Whoever ranks them needs that, and it saves a call."""
        [entry] = await agent.append(agent.within(session="s").entry("Lisbon in May", role="user"))
        [turn] = await agent.put(agent.record_of(entry, id=entry.id))
        [plain] = await agent.search_text(query_terms("Lisbon"), record_filter=wanted, limit=5)
        [hit] = await agent.search_text(query_terms("Lisbon"), record_filter=wanted, limit=5, places=True)
        [place] = await agent.places([turn.id], record_filter=wanted, neighbours=False)
        assert (plain.place, hit.place) == (None, place)
        assert plain[:2] == hit[:2]
        assert (place.session, place.seq, place.role) == ("s", entry.seq, "user")

    async def test_questions_of_any_sort_are_answered_together_in_order(self, agent: StoredAgent) -> None:
        """A piece of work costs as many round trips as it has steps, not as many as it has questions."""
        record = agent.record("The kettle whistles.")
        async with agent.transaction() as tx:
            tx.put(record)
            tx.state("a", 1)
        asked = [
            q.TextQuery(tuple(query_terms("kettle")), q.RecordFilter(), 5),
            q.StateQuery("a"),
            q.TextQuery(tuple(query_terms("trumpet")), q.RecordFilter(), 5),
            q.RecordQuery(record_ids=(record.id,)),
            q.TextQuery(tuple(query_terms("whistles")), q.RecordFilter(), 5),
            q.StandingQuery(("a", "b")),
        ]
        first, state, none, records, second, standing = await agent.read(asked)
        assert [[hit.record_id for hit in hits] for hits in (first, none, second)] == [[record.id], [], [record.id]]
        assert (state, records) == (1, [record])
        assert standing.states == {"a": 1}
        assert standing.revision == await agent.revision() > 0
        assert standing.graphs[Kind.TURN] == await agent.graph_revision(Kind.TURN) > 0
        assert standing.vector_revision == await agent.vector_revision()
        assert await agent.store.read(agent.samples.make_scope("nobody"), asked) == [[], None, [], [], [], q.Standing()]

    async def test_no_terms_find_nothing(self, agent: StoredAgent) -> None:
        """And do not find everything."""
        await agent.put(agent.record())
        assert await agent.found_by([]) == []

    async def test_a_great_many_terms_are_no_trouble(self, agent: StoredAgent) -> None:
        """A pasted document is a question, too."""
        [record] = await agent.put(agent.record("lisbon"))
        assert await agent.found_by(["lisbon", *(f"term{number}" for number in range(5000))]) == [record.id]


NOTED: dict[str, dict[str, Any]] = {
    "none": {},
    "text": {"user": "u1", "when": "2024-05-01"},
    "other": {"user": "u2", "when": "2025-05-01"},
    "number": {"user": 1, "year": 2024},
    "float": {"user": 1.5, "year": 2024.5},
    "true": {"user": True},
    "false": {"user": False, "year": False},
    "null": {"user": None},
    "list": {"user": ["u1", 7, True, None, ["u9"]]},
    "object": {"user": {"name": "u1"}},
    "numeral": {"user": "1", "year": "2024"},
    "chinese": {"用户": "小明", "user": "'; DROP TABLE entries; --"},
    "long": {"user": "u" * (MAX_VALUE_LENGTH + 1)},
}
ASKED: list[dict[str, Any]] = [
    {"user": "u1"},
    {"user": "u2"},
    {"user": ["u1", "u2", "nobody"]},
    {"user": []},
    {"user": 1},
    {"user": 1.0},
    {"user": 1.5},
    {"user": True},
    {"user": False},
    {"user": 0},
    {"user": "1"},
    {"user": 7},
    {"user": "u9"},
    {"user": "'; DROP TABLE entries; --"},
    {"user": "x' OR '1'='1"},
    {"用户": "小明"},
    {"user.name": "u1"},
    {"%": "u1"},
    {"when": {"gte": "2024-05-01", "lt": "2025"}},
    {"when": {"gt": "2024-05-01"}},
    {"year": {"gte": 2024}},
    {"year": {"gt": 2024, "lte": 2024.5}},
    {"year": {"lt": 2024}},
    {"year": {"lt": "3"}},
    {"user": {"gte": "u"}},
    {"user": "u1", "when": "2024-05-01"},
    {"user": "u1", "when": "2025-05-01"},
]


_EVERY = RecordQuery(limit=100)


class MetadataConformance(StoreSuite):
    """Metadata and tags of entries."""

    async def told(self, agent: StoredAgent) -> dict[str, Entry]:
        """Append an entry for each of the notes, with a record of it."""
        entries = {
            name: agent.entry(f"tea {name}", metadata=metadata, tags=(name, "all")) for name, metadata in NOTED.items()
        }
        await agent.append(*entries.values())
        await agent.put(*(agent.record_of(entry, tags=entry.tags) for entry in entries.values()))
        return entries

    async def test_they_come_back_as_they_were_told(self, agent: StoredAgent) -> None:
        """Of any sort that JSON has."""
        entries = await self.told(agent)
        for entry in await agent.entries(EntryQuery()):
            meant = next(one for one in entries.values() if one.id == entry.id)
            assert (entry.metadata, entry.tags) == (meant.metadata, meant.tags)

    async def test_every_read_finds_by_metadata_what_the_condition_says(self, agent: StoredAgent) -> None:
        """The journal, lists, searches and lookups give one meaning to a condition, whatever is written in it."""
        entries = await self.told(agent)
        for asked in ASKED:
            where = read_where(asked)
            meant = {name for name, noted in NOTED.items() if all(one.holds(noted) for one in where)}
            texts = {f"tea {name}" for name in meant}
            assert {entry.text for entry in await agent.entries(EntryQuery(where=where))} == texts, asked
            assert set(await agent.listed(where=where)) == texts, asked
            hits = await agent.found("tea", limit=100, where=where)
            assert {(await agent.current(hit)).content for hit in hits} == texts, asked
            every = [record.id for record in await agent.records(_EVERY)]
            passing = await agent.match(every, RecordFilter(where=where))
            assert {(await agent.current(one)).content for one in passing} == texts, asked
            places = await agent.places(every, record_filter=RecordFilter(where=where), neighbours=False)
            assert {place.record_id for place in places} == set(passing), asked
        assert len(await agent.entries(EntryQuery())) == len(entries)

    async def test_a_record_is_found_by_any_entry_that_it_came_from(self, agent: StoredAgent) -> None:
        """What is derived has no metadata of its own."""
        entries = await self.told(agent)
        derived = agent.record_of(entries["text"], "tea of both", kind=Kind.NOTE)
        other = agent.record_of(entries["other"]).sources
        await agent.put(derived.replace(sources=(*derived.sources, *other)))
        for user in ("u1", "u2"):
            where = (MetadataCondition("user", "in", (user,)),)
            assert "tea of both" in await agent.listed(where=where)
        assert "tea of both" not in await agent.listed(where=(MetadataCondition("user", "in", (1,)),))

    async def test_tags_are_found_by_all_or_by_any(self, agent: StoredAgent) -> None:
        """Of entries and of records alike."""
        await self.told(agent)
        for query, names in (
            ({"tags": ("all", "text")}, {"text"}),
            ({"tags": ("text", "other")}, set[str]()),
            ({"any_tags": ("text", "other", "nobody")}, {"text", "other"}),
            ({"any_tags": ("text", "other"), "tags": ("other",)}, {"other"}),
            ({"any_tags": ("nobody",)}, set[str]()),
        ):
            texts = {f"tea {name}" for name in names}
            assert {entry.text for entry in await agent.entries(EntryQuery(**query))} == texts, query
            assert set(await agent.listed(**query)) == texts, query

    async def test_a_session_narrows_further_and_no_other_agent_is_reached(self, agent: StoredAgent) -> None:
        """A condition opens nothing that the scope does not."""
        elsewhere = agent.samples.make_scope("bob")
        mine = agent.within(session="s1").entry("mine", metadata={"user": "u1"})
        await agent.append(mine)
        await agent.append(agent.samples.make_entry(elsewhere, "theirs", metadata={"user": "u1"}))
        query = EntryQuery(where=(MetadataCondition("user", "in", ("u1",)),))
        assert [entry.text for entry in await agent.entries(query)] == ["mine"]
        assert [entry.text for entry in await agent.store.entries(agent.scope.within(session="s1"), query)] == ["mine"]
        assert await agent.store.entries(agent.scope.within(session="s2"), query) == []

    async def test_they_are_erased_with_their_entry(self, agent: StoredAgent) -> None:
        """What was noted is often more telling than what was said."""
        entries = await self.told(agent)
        await agent.erase(Erasure(entry_ids=(entries["text"].id,)))
        stub, *_ = await agent.entries(EntryQuery(entry_ids=(entries["text"].id,)))
        assert (stub.erased, stub.metadata, stub.tags) == (True, {}, ())
        where = (MetadataCondition("user", "in", ("u1",)),)
        assert [entry.text for entry in await agent.entries(EntryQuery(where=where))] == ["tea list"]
        assert await agent.entries(EntryQuery(tags=("text",))) == []
        await agent.erase(Erasure(everything=True))
        assert await agent.entries(EntryQuery(any_tags=("all",))) == []

    async def test_an_export_takes_them_along(self, agent: StoredAgent) -> None:
        """And they are found by where they are imported."""
        await self.told(agent)
        lines = [line async for line in export_lines(agent.store, agent.scope)]
        copy = agent.samples.make_scope("copy")
        await import_lines(agent.store, copy, lines)
        query = EntryQuery(where=(MetadataCondition("用户", "in", ("小明",)),), tags=("all",))
        assert [entry.text for entry in await agent.store.entries(copy, query)] == ["tea chinese"]
