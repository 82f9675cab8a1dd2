"""What entries were told with: metadata and tags come back, are found by, and go with their entry."""

from typing import Any

from remanent.model import Entry, Kind, MetadataCondition
from remanent.model.filters import MAX_VALUE_LENGTH, read_where
from remanent.stores.conformance.base import StoredAgent, StoreSuite
from remanent.stores.queries import EntryQuery, Erasure, RecordFilter, RecordQuery
from remanent.stores.transfer import export_lines, import_lines

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
        for entry in await agent.store.entries(agent.scope, EntryQuery()):
            meant = next(one for one in entries.values() if one.id == entry.id)
            assert (entry.metadata, entry.tags) == (meant.metadata, meant.tags)

    async def test_every_read_finds_by_metadata_what_the_condition_says(self, agent: StoredAgent) -> None:
        """The journal, lists, searches and lookups give one meaning to a condition, whatever is written in it."""
        entries = await self.told(agent)
        for asked in ASKED:
            where = read_where(asked)
            meant = {name for name, noted in NOTED.items() if all(one.holds(noted) for one in where)}
            texts = {f"tea {name}" for name in meant}
            assert {entry.text for entry in await agent.store.entries(agent.scope, EntryQuery(where=where))} == texts, (
                asked
            )
            assert set(await agent.listed(where=where)) == texts, asked
            hits = await agent.found("tea", limit=100, where=where)
            assert {(await agent.current(hit)).content for hit in hits} == texts, asked
            every = [record.id for record in await agent.store.records(agent.scope, _EVERY)]
            passing = await agent.store.match(agent.scope, every, RecordFilter(where=where))
            assert {(await agent.current(one)).content for one in passing} == texts, asked
            places = await agent.store.places(
                agent.scope, every, record_filter=RecordFilter(where=where), neighbours=False
            )
            assert {place.record_id for place in places} == set(passing), asked
        assert len(await agent.store.entries(agent.scope, EntryQuery())) == len(entries)

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
            assert {entry.text for entry in await agent.store.entries(agent.scope, EntryQuery(**query))} == texts, query
            assert set(await agent.listed(**query)) == texts, query

    async def test_a_session_narrows_further_and_no_other_agent_is_reached(self, agent: StoredAgent) -> None:
        """A condition opens nothing that the scope does not."""
        elsewhere = agent.samples.make_scope("bob")
        mine = agent.samples.make_entry(agent.scope.within(session="s1"), "mine", metadata={"user": "u1"})
        await agent.append(mine)
        await agent.append(agent.samples.make_entry(elsewhere, "theirs", metadata={"user": "u1"}))
        query = EntryQuery(where=(MetadataCondition("user", "in", ("u1",)),))
        assert [entry.text for entry in await agent.store.entries(agent.scope, query)] == ["mine"]
        assert [entry.text for entry in await agent.store.entries(agent.scope.within(session="s1"), query)] == ["mine"]
        assert await agent.store.entries(agent.scope.within(session="s2"), query) == []

    async def test_they_are_erased_with_their_entry(self, agent: StoredAgent) -> None:
        """What was noted is often more telling than what was said."""
        entries = await self.told(agent)
        await agent.store.erase(agent.scope, Erasure(entry_ids=(entries["text"].id,)))
        stub, *_ = await agent.store.entries(agent.scope, EntryQuery(entry_ids=(entries["text"].id,)))
        assert (stub.erased, stub.metadata, stub.tags) == (True, {}, ())
        where = (MetadataCondition("user", "in", ("u1",)),)
        assert [entry.text for entry in await agent.store.entries(agent.scope, EntryQuery(where=where))] == ["tea list"]
        assert await agent.store.entries(agent.scope, EntryQuery(tags=("text",))) == []
        await agent.store.erase(agent.scope, Erasure(everything=True))
        assert await agent.store.entries(agent.scope, EntryQuery(any_tags=("all",))) == []

    async def test_an_export_takes_them_along(self, agent: StoredAgent) -> None:
        """And they are found by where they are imported."""
        await self.told(agent)
        lines = [line async for line in export_lines(agent.store, agent.scope)]
        copy = agent.samples.make_scope("copy")
        await import_lines(agent.store, copy, lines)
        query = EntryQuery(where=(MetadataCondition("用户", "in", ("小明",)),), tags=("all",))
        assert [entry.text for entry in await agent.store.entries(copy, query)] == ["tea chinese"]
