"""Reading what candidates are, in few trips to the store."""

from collections.abc import Sequence
from dataclasses import replace

from remanent.model import Entry, Kind, Record, Scope, Status
from remanent.recall.question import Question
from remanent.recall.turns import turn_of
from remanent.stores import EntryQuery, Place, RecordFilter, RecordQuery, Store


class Reading:
    """Looks up places, records and entries; an entry that is not indexed yet stands for its turn."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def places(self, question: Question, record_ids: Sequence[str], *, reach: int) -> dict[str, Place]:
        """Return where candidates and their neighbours stand; what does not pass the filter is missing."""
        places = await self._places(question, record_ids, reach=reach)
        missing = [record_id for record_id in record_ids if record_id not in places]
        if missing:
            fresh = await self._unindexed(question, missing)
            for entry in fresh:
                places[entry.id] = Place(
                    entry.id,
                    Kind.TURN,
                    entry.scope.session,
                    entry.occurred_at,
                    entry.origin,
                    entry.seq,
                    role=entry.role,
                    recorded_at=entry.recorded_at,
                )
            # What is neither there nor fresh did not pass, or was indexed a moment ago: a second look tells which.
            places |= await self._places(question, [one for one in missing if one not in places], reach=reach)
        return places

    async def _places(self, question: Question, record_ids: Sequence[str], *, reach: int) -> dict[str, Place]:
        if not record_ids:
            return {}
        found = await self._store.places(
            question.scope, record_ids, record_filter=question.record_filter, reach=reach, neighbours=reach > 0
        )
        return {place.record_id: place for place in found}

    async def sessions(self, question: Question, record_ids: Sequence[str]) -> dict[str, str | None]:
        """Return the sessions of candidates."""
        return {one: place.session for one, place in (await self.places(question, record_ids, reach=0)).items()}

    async def records(self, question: Question, record_ids: Sequence[str]) -> dict[str, Record]:
        """Return the records of the ids as the question sees them."""
        records = await self._records(question, record_ids)
        missing = [record_id for record_id in record_ids if record_id not in records]
        if missing:
            records |= {entry.id: turn_of(entry) for entry in await self._unindexed(question, missing)}
            records |= await self._records(question, [one for one in missing if one not in records])
        return {record_id: record for record_id, record in records.items() if record.status is not Status.FORGOTTEN}

    async def _records(self, question: Question, record_ids: Sequence[str]) -> dict[str, Record]:
        if not record_ids:
            return {}
        wanted = RecordFilter(statuses=None, as_of=question.record_filter.as_of)
        query = RecordQuery(filter=wanted, record_ids=tuple(record_ids), limit=len(record_ids))
        return {record.id: record for record in await self._store.records(question.scope, query)}

    async def entries(self, scope: Scope, entry_ids: Sequence[str]) -> dict[str, Entry]:
        """Return the entries of the ids, without the erased."""
        wanted = tuple(dict.fromkeys(entry_ids))
        if not wanted:
            return {}
        entries = await self._store.entries(scope.owner, EntryQuery(entry_ids=wanted, limit=len(wanted)))
        return {entry.id: entry for entry in entries if not entry.erased}

    async def session(self, scope: Scope, session: str, *, most: int) -> list[Entry]:
        """Return what was said in a session, in order."""
        entries = await self._store.entries(scope.owner.within(session=session), EntryQuery(limit=most))
        return [entry for entry in entries if entry.text and not entry.erased]

    async def _unindexed(self, question: Question, record_ids: Sequence[str]) -> list[Entry]:
        """Return those of the ids that are entries without any record; a record that was filtered out stays out."""
        if not record_ids or question.record_filter.as_of is not None:
            return []
        every = replace(question.record_filter, kinds=None, statuses=None, tags=(), alive_at=None, valid_at=None)
        every = replace(every, occurred_from=None, occurred_before=None)
        known = set(await self._store.match(question.scope.owner, record_ids, every))
        fresh = tuple(record_id for record_id in record_ids if record_id not in known)
        if not fresh:
            return []
        entries = await self._store.entries(question.scope, EntryQuery(entry_ids=fresh, limit=len(fresh)))
        return [entry for entry in entries if entry.text and not entry.erased]
