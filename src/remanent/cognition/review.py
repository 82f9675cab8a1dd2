"""What memories say of what recall found: a fact and its turn are one answer, and what holds comes before what held."""

import asyncio
from collections.abc import Collection, Sequence
from datetime import datetime

from remanent.cognition.model import MEMORIES
from remanent.model import Entry, Found, FoundItem, FoundSource, Kind, MemoryData, Record, Scope, Status
from remanent.recall import Question
from remanent.stores import LIVE, NO_LIMIT, RecordFilter, RecordQuery, Store
from remanent.text.terms import index_terms

_HALF = 0.5
"""The share of a turn that a statement must fill for the turn to be about it; chosen by hand."""


_BESIDE = "cognition"


async def read_along(store: Store, question: Question, record_ids: Sequence[str]) -> None:
    """Read the memories of candidates beside them: a turn has the id of its entry."""
    question.beside[_BESIDE] = (frozenset(record_ids), await _made_of(store, question, record_ids))


async def _made_of(store: Store, question: Question, entry_ids: Sequence[str]) -> list[Record]:
    """Return the memories that were made of entries, now or in an earlier version."""
    if not entry_ids:
        return []
    query = RecordQuery(
        filter=RecordFilter(kinds=MEMORIES, statuses=(*LIVE, Status.EXPIRED), as_of=question.record_filter.as_of),
        source_entry_ids=tuple(entry_ids),
        limit=NO_LIMIT,
    )
    return await store.records(question.scope.owner, query)


async def _memories(store: Store, question: Question, entry_ids: Sequence[str]) -> list[Record]:
    """Return the memories of what was found, from what was read beside the candidates where that holds them all."""
    asked, read = question.beside.get(_BESIDE, (frozenset(), []))
    if not asked.issuperset(entry_ids):
        return await _made_of(store, question, entry_ids)
    others = asked.difference(entry_ids)
    # Of those that rest on candidates nothing is said that did not come into the answer.
    return [
        one for one in read if not any(source.entry_id in others for source in one.sources) or _rests_on(one, entry_ids)
    ]


def _rests_on(record: Record, entry_ids: Sequence[str]) -> bool:
    return any(source.entry_id in entry_ids for source in record.sources)


async def review(
    store: Store, question: Question, found: Found, *, alive_at: datetime, without: Collection[str] = ()
) -> Found:
    """Return an answer with the memories that were made of its turns, what is out of date behind what is not.

    What rests on nothing but the entries `without` which it is asked does not count.
    """
    without = frozenset(without)
    entry_ids = tuple(
        dict.fromkeys(source.entry_id for item in found.items if item.kind is Kind.TURN for source in item.sources)
    )
    if not entry_ids or found.grain != "item":
        return found
    memories = [
        one
        for one in await _memories(store, question, entry_ids)
        if one.status in LIVE
        and (one.expires_at is None or one.expires_at > alive_at)
        and not (one.sources and without.issuperset(source.entry_id for source in one.sources))
    ]
    if not memories:
        return found
    return await _Review(store, question, memories).apply(found)


class _Review:
    """One answer, looked through."""

    def __init__(self, store: Store, question: Question, memories: Sequence[Record]) -> None:
        self._store = store
        self._question = question
        self._memories = memories
        self._current: dict[str, list[Record]] = {}
        """By entry, the memories that rest on it now."""
        for record in memories:
            for source in record.sources:
                self._current.setdefault(source.entry_id, []).append(record)

    async def apply(self, found: Found) -> Found:
        """Return the answer with its items in their new order."""
        items = [self._with_memories(item) for item in sorted(found.items, key=lambda item: item.rank)]
        items = self._once(items)
        for record, old in await self._outdated(items):
            items = await self._current_first(items, record, old)
        ranked = [item.replace(rank=rank) for rank, item in enumerate(items, start=1)]
        if found.order == "time":
            ranked.sort(key=lambda item: (item.occurred_at, item.record_id))
        return found.replace(items=tuple(ranked))

    def _with_memories(self, item: FoundItem) -> FoundItem:
        """Return a turn with the ids of the memories that were made of it, and why one of them no longer holds."""
        if item.kind is not Kind.TURN:
            return item
        made = [record for source in item.sources for record in self._current.get(source.entry_id, ())]
        if not made:
            return item
        stale = next((one.data.stale for one in made if isinstance(one.data, MemoryData) and one.data.stale), "")
        ids = tuple(dict.fromkeys(record.id for record in made))
        return item.replace(memory_ids=ids, stale=stale)

    def _once(self, items: Sequence[FoundItem]) -> list[FoundItem]:
        """Leave out a memory whose turn stands before it, and a turn of which a memory that stands before it tells."""
        seen: set[str] = set()
        kept = []
        for item in items:
            about = {source.entry_id for source in item.sources}
            if item.kind in MEMORIES and about and about <= seen:
                continue
            if item.kind is Kind.TURN and item.record_id in seen:
                continue
            seen |= about
            kept.append(item)
        return kept

    async def _outdated(self, items: Sequence[FoundItem]) -> list[tuple[Record, FoundItem]]:
        """Return the turns whose statement was replaced since, each with the memory as it is now."""
        found = []
        changed = [one for one in self._memories if isinstance(one.data, MemoryData) and one.data.replaces]
        for record, quotes in zip(changed, await asyncio.gather(*map(self._past_quotes, changed)), strict=True):
            now_from = {source.entry_id for source in record.sources}
            for item in items:
                entry_id = item.sources[0].entry_id if item.sources else ""
                if item.kind is not Kind.TURN or entry_id not in quotes:
                    continue
                if any(one.entry_id in now_from for one in item.repeated):
                    continue  # said again since: it holds again
                if self._is_about(item.sources[0].text, quotes[entry_id]):
                    found.append((record, item))
        return found

    async def _past_quotes(self, record: Record) -> dict[str, tuple[int, int]]:
        """Return by entry where the words of a memory's versions stand that hold no more."""
        versions = await self._store.versions(self._question.scope.owner, record.id)
        return {
            source.entry_id: (source.start, len(one.record.content) if source.end is None else source.end)
            for one in versions
            if one.record.updated_at <= record.updated_at and isinstance(one.record.data, MemoryData)
            for source in one.record.sources
        }

    def _is_about(self, text: str, quote: tuple[int, int]) -> bool:
        """Tell whether the question is about what a turn says in its quote, and not about the rest of it."""
        start, end = quote
        if end - start >= _HALF * len(text):
            return True
        asked = set(self._question.terms)
        said, rest = set(index_terms(text[start:end])), set(index_terms(f"{text[:start]} {text[end:]}"))
        return len(asked & said) > len(asked & (rest - said))

    async def _current_first(self, items: list[FoundItem], record: Record, old: FoundItem) -> list[FoundItem]:
        """Put what says how it is now before what says how it was: there, where that is what is asked for.

        What came along by its likeness alone brings nothing with it: it only goes behind what holds.
        """
        place = next((number for number, item in enumerate(items) if item.record_id == old.record_id), None)
        if place is None:
            return items
        now_from = {source.entry_id for source in record.sources}
        newer = next((item for item in items if item.sources and item.sources[0].entry_id in now_from), None)
        newer = newer or next((item for item in items if item.record_id == record.id), None)
        outdated = items[place].replace(outdated_by=record.id)
        is_asked = place == 0 or not old.ranks or any(not one.path.startswith("vector") for one in old.ranks)
        if newer is None and is_asked:
            newer = await self._item(record, like=old)
        elif newer is None or items.index(newer) < place:
            items[place] = outdated
            return items
        elif not is_asked:
            place = items.index(newer) - 1
        rest = [item for item in items if item.record_id not in {old.record_id, newer.record_id}]
        return [*rest[:place], newer, outdated, *rest[place:]]

    async def _item(self, record: Record, *, like: FoundItem) -> FoundItem:
        entries = await entries_of(self._store, self._question.scope, record)
        return item_of(record, entries, score=like.score)


async def entries_of(store: Store, scope: Scope, record: Record) -> dict[str, Entry]:
    """Return what a memory came from, without the erased."""
    read = await store.entries_by_id(scope.owner, [source.entry_id for source in record.sources])
    return {entry_id: entry for entry_id, entry in read.items() if not entry.erased}


def item_of(record: Record, entries: dict[str, Entry], *, score: float) -> FoundItem:
    """Return a memory as an answer."""
    stale = record.data.stale if isinstance(record.data, MemoryData) else ""
    sources = FoundSource.all_of(record, entries)
    return FoundItem.of(record, sources, score=score, trust=record.trust, memory_ids=(record.id,), stale=stale)
