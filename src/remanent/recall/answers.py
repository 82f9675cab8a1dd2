"""Answers: what they are read from, how they are put together, joined with those of other memories, and kept.

A hit becomes a `Candidate` in its path, a `RankedCandidate` once for all paths, and a `FoundItem` here, with its rank:
the memory itself, the turn with its neighbours, or the whole session.
"""

import asyncio
from collections.abc import Awaitable, Callable, Container, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b
from operator import attrgetter
from typing import TypeVar

from remanent.errors import InvalidInput
from remanent.model import (
    Boost,
    CacheFigures,
    Clock,
    Entry,
    Found,
    FoundItem,
    FoundSource,
    GateReason,
    Kind,
    Origin,
    Record,
    Scope,
    Status,
    is_ahead,
    local,
)
from remanent.model.filters import USER_KEY, MetadataCondition
from remanent.recall.indexing import turn_of
from remanent.recall.injection import GAP
from remanent.recall.question import Question
from remanent.recall.scoring import RankedCandidate
from remanent.stores import Cache, EntryQuery, RecordFilter, RecordPosition, RecordQuery, Store
from remanent.text.dates import with_dates
from remanent.text.escaping import escape_name
from remanent.text.talk import LONGEST_ASKING, share_asked, takes_back
from remanent.text.terms import query_terms

T = TypeVar("T")

_MAX_SESSION_ENTRIES = 2000
"""Entries of a session that one answer holds at the most."""
_NEAR_ENOUGH = 0.4
"""Of what a turn counts by itself, what another counts at the least that takes no place of its own beside it. Half of
LongMemEval's pool chose it: any lower and what is told grows without another answer, any higher and places are lost."""
_GOES_ON = 2
"""How many turns stand beside another that one of several people goes on with; as many as a user's to an agent."""
_MAX_SOURCES = 4
"""Entries for each record that are read along with a shortlist; what is needed beyond them is read later. Chosen by
hand: nearly all have one."""
MAX_TWINS = 8
"""Further places that one item names where the same words were said; who wants all of them lists entries."""


_ONE_TALK = timedelta(hours=12)
"""Longer than anybody waits for a reply in one sitting; what is said next, days later, answers nothing. By hand."""


def exchanges(
    chosen: Iterable[RankedCandidate],
    known: Iterable[RankedCandidate],
    records: Mapping[str, Record],
    *,
    replied: Container[str] = (),
    least: float = 0.0,
    agent_is_asked: bool = False,
    is_crowded: bool = False,
) -> tuple[list[RankedCandidate], dict[str, list[RankedCandidate]]]:
    """Fold turns that belong together into one result; return what is left, and the turns folded into each.

    A short question and what somebody says to it are one answer: "three years now" says nothing without "how long have
    you had them?". What an agent says to a question is a text of its own; what a user tells it before and behind that
    is one matter, and takes one place where both are near to the question. `replied` are the turns that an agent
    replied to by what no path found, as `maybe_replied` asks; `least` is what counts least of all that was found.

    Where more was found than is read (`is_crowded`), what one of several people goes on with, in the next message or
    over one of another, is one matter as well. Where there is little, each has a place, and what looks near is near by
    chance. A diary's messages stay apart: many are said again elsewhere, and each of these is told once.

    LoCoMo, plain call, 580 questions: any@5 and all@5 were .776 and .671 with each turn alone, .795 and .695 with a
    question and its answer as one item. Later they were .821 and .714 without what people go on with, .838 and .728
    with it, better in either half and with no more text for a model.
    """
    turns = _turns(known)
    beside: dict[str, list[RankedCandidate]] = {}
    told: set[str] = set()
    kept = []
    for one in chosen:
        if one.record_id in told:
            continue
        kept.append(one)
        told.add(one.record_id)
        if turns.get((one.place.session, one.place.seq)) is not one:
            continue
        for step in (-1, 1, 2, -2):
            other = turns.get((one.place.session, one.place.seq + step))
            if other is None or other.record_id in told:
                continue
            earlier, later = (one, other) if step > 0 else (other, one)
            if abs(step) == 1:
                is_replied = True
                asked = agent_is_asked and earlier.place.trust is Origin.USER and later.place.trust is Origin.AGENT
                goes_on = asked or _answers(earlier, later, records)
            else:
                between = turns.get((one.place.session, one.place.seq + step // 2))
                is_replied = between.place.trust is Origin.AGENT if between else earlier.record_id in replied
                goes_on = _goes_on(one, other, by=Origin.USER, least=least)
            waited = abs(records[later.record_id].occurred_at - records[earlier.record_id].occurred_at)
            goes_on = goes_on and is_replied
            if is_crowded and len(beside.get(one.record_id, ())) < _GOES_ON:
                goes_on = goes_on or _goes_on(one, other, by=Origin.UNTRUSTED)
            if (goes_on and waited <= _ONE_TALK) or (is_replied and _takes_back(earlier, later, records)):
                beside.setdefault(one.record_id, []).append(other)
                told.add(other.record_id)
    return kept, beside


def maybe_replied(chosen: Iterable[RankedCandidate], known: Iterable[RankedCandidate]) -> list[str]:
    """Return the turns of users that were gone on with two places later, where no path found what stands between.

    Whether that is an agent's reply has to be read: a diary looks the same. Where a user speaks in odd and in even
    places of a session, it shows without that: nobody replies to each message there.
    """
    turns = _turns(known)
    spoken = {(session, seq % 2) for (session, seq), one in turns.items() if one.place.trust is Origin.USER}
    unsure: dict[str, None] = {}
    for one in chosen:
        session, seq = one.place.session, one.place.seq
        if one.place.trust is not Origin.USER or {(session, 0), (session, 1)} <= spoken:
            continue
        for step in (2, -2):
            other = turns.get((session, seq + step))
            if other is not None and other.place.trust is Origin.USER and (session, seq + step // 2) not in turns:
                unsure[(one if step > 0 else other).record_id] = None
    return list(unsure)


def _turns(known: Iterable[RankedCandidate]) -> dict[tuple[str | None, int], RankedCandidate]:
    """Return turns by where they stand."""
    return {(one.place.session, one.place.seq): one for one in known if one.place.kind is Kind.TURN and one.place.seq}


def _goes_on(one: RankedCandidate, other: RankedCandidate, *, by: Origin, least: float = 0.0) -> bool:
    """Tell whether somebody of an origin said both, and the other is near enough to the question to stand beside it.

    In a small store all that is found may count much: what lies above the least of it is what tells the two apart.
    """
    same = one.place.trust is by is other.place.trust and one.place.role == other.place.role
    return same and other.fused > least and other.fused - least >= _NEAR_ENOUGH * (one.fused - least)


def _takes_back(earlier: RankedCandidate, later: RankedCandidate, records: Mapping[str, Record]) -> bool:
    """Tell whether somebody took back in a message what they had said in the one before."""
    same = earlier.place.role == later.place.role and earlier.place.trust is later.place.trust is not Origin.AGENT
    return same and takes_back(records[later.record_id].content)


def _answers(asking: RankedCandidate, answer: RankedCandidate, records: Mapping[str, Record]) -> bool:
    if asking.place.role == answer.place.role or answer.place.trust is Origin.AGENT:
        return False
    asked = records[asking.record_id].content
    return len(asked) <= LONGEST_ASKING and share_asked(asked) > 0


def said_again(
    chosen: Iterable[RankedCandidate],
    records: Mapping[str, Record],
    *,
    beside: Mapping[str, Sequence[RankedCandidate]],
    likeness_key: Callable[[str], Hashable],
) -> list[list[RankedCandidate]]:
    """Return the turns, or the notes, of exactly the same words, a group for each, in their order.

    Somebody else's words are another statement, as are those that mean another day each time ("yesterday"), and the
    same answer to another question. Texts are compared whole only where `likeness_key` says that they may be the same.

    What was said twice was shown with one of its places, and whoever looked it up by its source found the wrong one; as
    one item with all of them, any@5 of MemDaily went from .92 to .94 (100 questions).
    """
    alike: dict[Hashable, list[RankedCandidate]] = {}
    for one in chosen:
        if one.place.kind in {Kind.TURN, Kind.NOTE}:
            by = (one.place.role, one.place.trust) if one.place.kind is Kind.TURN else ()
            alike.setdefault((likeness_key(one.record_id), one.place.kind, by), []).append(one)
    groups: dict[Hashable, list[RankedCandidate]] = {}
    for group in alike.values():
        for one in group if len(group) > 1 else ():
            said = (one, *sorted(beside.get(one.record_id, ()), key=lambda each: each.place.seq))
            words = tuple(" ".join(records[each.record_id].content.split()).casefold() for each in said)
            groups.setdefault(words, []).append(one)
    return [group for group in groups.values() if len(group) > 1 and not _means_a_day(group[0], records)]


def _means_a_day(one: RankedCandidate, records: Mapping[str, Record]) -> bool:
    text = records[one.record_id].content
    return with_dates(text, one.place.occurred_at, is_dated=False) != text


class CandidateReader:
    """Looks up places, records and entries; an entry that is not indexed yet stands for its turn."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def places(
        self, question: Question, record_ids: Sequence[str], *, neighbours: bool = False
    ) -> dict[str, RecordPosition]:
        """Return where candidates stand and who their `neighbours` are; what does not pass the filter is missing."""
        look = partial(self._store.places, question.scope, record_filter=question.record_filter, neighbours=neighbours)
        return await self._each(question, record_ids, look, _place_of, attrgetter("record_id"))

    async def records(self, question: Question, record_ids: Sequence[str]) -> dict[str, Record]:
        """Return the records of the ids as the question sees them."""
        wanted = RecordFilter(statuses=None, as_of=question.record_filter.as_of)

        def look(ids: Sequence[str]) -> Awaitable[list[Record]]:
            query = RecordQuery(filter=wanted, record_ids=tuple(ids), limit=len(ids))
            return self._store.records(question.scope, query)

        records = await self._each(question, record_ids, look, turn_of, attrgetter("id"))
        return {record_id: record for record_id, record in records.items() if record.status is not Status.FORGOTTEN}

    async def _each(
        self,
        question: Question,
        record_ids: Sequence[str],
        look: Callable[[Sequence[str]], Awaitable[Sequence[T]]],
        of_entry: Callable[[Entry], T],
        id_of: Callable[[T], str],
    ) -> dict[str, T]:
        """Return what is looked up of each id, in three looks at most.

        The index, the journal for what has no record yet, and the index again, because what was neither there nor in
        the journal may have been indexed between the two.
        """
        found = {id_of(one): one for one in await look(record_ids)} if record_ids else {}
        if missing := [record_id for record_id in record_ids if record_id not in found]:
            found |= {entry.id: of_entry(entry) for entry in await self._unindexed(question, missing)}
            if missing := [record_id for record_id in missing if record_id not in found]:
                found |= {id_of(one): one for one in await look(missing)}
        return found

    async def entries(self, scope: Scope, entry_ids: Sequence[str], *, known: Mapping[str, Entry]) -> dict[str, Entry]:
        """Return the entries of the ids, without the erased; those that are known are not read again."""
        read = await self._store.entries_by_id(scope.owner, [one for one in entry_ids if one not in known])
        return {**known, **{entry_id: entry for entry_id, entry in read.items() if not entry.erased}}

    async def replied(self, question: Question, record_ids: Sequence[str], *, known: Mapping[str, Entry]) -> set[str]:
        """Return those of the turns that an agent replied to next."""
        places = await self.places(question, record_ids, neighbours=True)
        after = {one: place.after_id for one, place in places.items() if place.after_id is not None}
        entries = await self.entries(question.scope, [*after.values()], known=known)
        return {one for one, reply in after.items() if reply in entries and entries[reply].origin is Origin.AGENT}

    async def sources(self, question: Question, record_ids: Sequence[str]) -> dict[str, Entry]:
        """Return what records came from, without the erased: of most of them that is one entry."""
        if not record_ids:
            return {}
        query = EntryQuery(source_of=tuple(record_ids), limit=_MAX_SOURCES * len(record_ids))
        return {entry.id: entry for entry in await self._store.entries(question.scope, query) if not entry.erased}

    async def session(self, scope: Scope, session: str, *, limit: int) -> list[Entry]:
        """Return what was said in a session, in order."""
        entries = await self._store.entries(scope.owner.within(session=session), EntryQuery(limit=limit))
        return [entry for entry in entries if entry.text and not entry.erased]

    async def remembered(self, scope: Scope, entries: Sequence[Entry]) -> list[tuple[Entry, tuple[FoundSource, ...]]]:
        """Return entries with what they are shown by, without what was forgotten of them: they stand beside answers."""
        turns = await self._store.records_by_id(scope.owner, [entry.id for entry in entries])
        found: list[tuple[Entry, tuple[FoundSource, ...]]] = []
        for entry in entries:
            turn = turns.get(entry.id)
            if turn is None or turn.version == 1 or turn.kind is not Kind.TURN:
                found.append((entry, (FoundSource.of(entry),)))
            elif turn.status is not Status.FORGOTTEN:
                found.append((entry.replace(text=turn.content), FoundSource.all_of(turn, {entry.id: entry})))
        return found

    async def _unindexed(self, question: Question, record_ids: Sequence[str]) -> list[Entry]:
        """Return those of the ids that are entries without any record; a record that was filtered out stays out."""
        known = set(await self._store.match(question.scope.owner, record_ids, RecordFilter(statuses=None)))
        fresh = tuple(record_id for record_id in record_ids if record_id not in known)
        if not fresh:
            return []
        wanted = question.record_filter
        query = EntryQuery(
            entry_ids=fresh, where=wanted.where, tags=wanted.tags, any_tags=wanted.any_tags, limit=len(fresh)
        )
        entries = await self._store.entries(question.scope, query)
        return [entry for entry in question.recorded(entries) if entry.text and not entry.erased]


def _place_of(entry: Entry) -> RecordPosition:
    """Return where an entry stands that has no record yet: it answers as the turn that it will be."""
    return RecordPosition(
        entry.id,
        Kind.TURN,
        entry.scope.session,
        entry.occurred_at,
        entry.origin,
        entry.seq,
        role=entry.role,
        recorded_at=entry.recorded_at,
    )


class AnswerBuilder:
    """Puts together what an item says and what it rests on."""

    def __init__(self, reader: CandidateReader) -> None:
        self._reader = reader

    async def items(
        self,
        scope: Scope,
        chosen: Sequence[RankedCandidate],
        records: Mapping[str, Record],
        *,
        known: Mapping[str, Entry],
        beside: Mapping[str, Sequence[RankedCandidate]] | None = None,
        twins: Mapping[str, Sequence[RankedCandidate]] | None = None,
    ) -> list[FoundItem]:
        """Return each record as itself, or with the question `beside` it that it answers, and the answer that it got.

        Where its `twins` say the same, they are sources of it as well. `known` are entries that were read before.
        """
        beside, twins = beside or {}, twins or {}
        every = [*chosen, *(other for others in (*beside.values(), *twins.values()) for other in others)]
        sources = [source.entry_id for one in every for source in records[one.record_id].sources]
        entries = await self._reader.entries(scope, sources, known=known)
        items = []
        for rank, one in enumerate(chosen, start=1):
            record = records[one.record_id]
            text, spans = record.content, FoundSource.all_of(record, entries)
            if others := beside.get(one.record_id):
                said = sorted((one, *others), key=lambda each: each.place.seq)
                text = _conversation([(each.place.role, records[each.record_id].content) for each in said])
                spans += _spans(others, records, entries)
            item = _item(one, record, text=text, spans=spans, rank=rank)
            if again := twins.get(one.record_id):
                spans += _spans(again, records, entries)
                evidence = (*item.evidence, *(other.record_id for other in again))
                item = item.amended(sources=spans, evidence=evidence)
            items.append(item)
        return items

    async def without_twins(
        self,
        question: Question,
        chosen: Sequence[RankedCandidate],
        groups: Sequence[Sequence[RankedCandidate]],
        *,
        known: Mapping[str, Entry],
    ) -> tuple[list[RankedCandidate], dict[str, list[RankedCandidate]]]:
        """Return what is chosen with each of the groups told once, and by that one the others that say the same.

        The newest stands for them all, in the place of the best, unless it is asked for a time: what was said again
        holds again. What two users say are two statements.
        """
        ids = [one.record_id for group in groups for one in group]
        entries = await self._reader.entries(question.scope, ids, known=known) if ids else {}
        shown: dict[str, RankedCandidate] = {}
        twins: dict[str, list[RankedCandidate]] = {}
        dropped: set[str] = set()
        for group in groups:
            of_user: dict[Hashable, list[RankedCandidate]] = {}
            for one in group:
                if one.place.kind is Kind.NOTE:  # a fact of the day's file stands in MEMORY.md as well
                    of_user.setdefault("", []).append(one)
                elif one.record_id in entries:
                    of_user.setdefault(repr(entries[one.record_id].metadata.get(USER_KEY)), []).append(one)
            for best, *others in of_user.values():
                same = [best, *others]
                if not question.times:
                    same.sort(key=lambda one: (one.place.occurred_at, one.place.seq), reverse=True)
                shown[best.record_id] = replace(best, place=same[0].place, place_boosts=None, moved=best.boosts)
                dropped.update(one.record_id for one in others)
                if others:
                    twins[same[0].record_id] = same[1 : MAX_TWINS + 1]
        kept = [shown.get(one.record_id, one) for one in chosen if one.record_id not in dropped]
        return kept, twins

    async def turns(
        self,
        question: Question,
        chosen: Sequence[RankedCandidate],
        records: Mapping[str, Record],
        *,
        known: Mapping[str, Entry],
    ) -> list[FoundItem]:
        """Return each turn with the one before and the one after; what stands in a better answer is not said again.

        Where it is asked whose it is, nothing of another user stands beside it.
        """
        places = await self._reader.places(question, [one.record_id for one in chosen], neighbours=True)
        beside = {one: (place.before_id, one, place.after_id) if place.seq else () for one, place in places.items()}
        wanted = [entry_id for around in beside.values() for entry_id in around if entry_id is not None]
        derived = [source.entry_id for one in chosen for source in records[one.record_id].sources]
        entries = await self._reader.entries(question.scope, [*wanted, *derived], known=known)
        entries = {entry_id: entry for entry_id, entry in entries.items() if _is_of(entry, question.whose)}
        near = [entry for entry_id, entry in entries.items() if entry_id in wanted]
        shown = {entry.id: (entry, spans) for entry, spans in await self._reader.remembered(question.scope, near)}
        items: list[FoundItem] = []
        holder: dict[str, int] = {}
        for one in chosen:
            if one.record_id in holder:
                place = holder[one.record_id]
                items[place] = items[place].amended(evidence=(*items[place].evidence, one.record_id))
                continue
            record = records[one.record_id]
            around = beside.get(one.record_id, ())
            told = [shown[entry_id] for entry_id in around if entry_id in shown and entry_id not in holder]
            if told:
                text, spans = _transcript([entry for entry, _ in told]), tuple(one for _, said in told for one in said)
            else:
                text, spans = record.content, FoundSource.all_of(record, entries)
            items.append(_item(one, record, text=text, spans=spans, rank=len(items) + 1))
            holder.update((entry.id, len(items) - 1) for entry, _ in told)
        return items

    async def whole_sessions(
        self,
        scope: Scope,
        chosen: Sequence[Sequence[RankedCandidate]],
        records: Mapping[str, Record],
        scores: Sequence[float],
        *,
        known: Mapping[str, Entry],
        whose: Sequence[MetadataCondition] = (),
    ) -> list[FoundItem]:
        """Return the whole session of each group of candidates; what belongs to none is an answer by itself."""
        alone = [group[0] for group in chosen if group[0].place.session is None]
        by_themselves = {item.record_id: item for item in await self.items(scope, alone, records, known=known)}
        told = await asyncio.gather(
            *(
                self._reader.session(scope, session, limit=_MAX_SESSION_ENTRIES)
                for group in chosen
                if (session := group[0].place.session) is not None
            )
        )
        transcripts = iter(told)
        items: list[FoundItem] = []
        for rank, (group, score) in enumerate(zip(chosen, scores, strict=True), start=1):
            best = group[0]
            if best.place.session is None:
                items.append(by_themselves[best.record_id].replace(score=score, rank=rank))
                continue
            said = await self._reader.remembered(scope, [entry for entry in next(transcripts) if _is_of(entry, whose)])
            entries, spans = [entry for entry, _ in said], tuple(one for _, spans in said for one in spans)
            item = _item(best, records[best.record_id], text=_transcript(entries), spans=spans, rank=rank)
            evidence = tuple(one.record_id for one in group)
            begun = entries[0].occurred_at if entries else item.occurred_at
            items.append(item.replace(score=score, evidence=evidence, occurred_at=begun))
        return items


def _item(one: RankedCandidate, record: Record, *, text: str, spans: tuple[FoundSource, ...], rank: int) -> FoundItem:
    """Return an answer with its sources and all that moved it to its place."""
    return FoundItem.of(
        record,
        spans,
        text=text,
        score=float(one.score),
        metadata={key: value for span in reversed(spans) for key, value in span.metadata.items()},
        dated_ahead=is_ahead(record.occurred_at, recorded_at=record.created_at) or any(map(_is_ahead, spans)),
        ranks=one.ranks,
        fused=one.fused,
        context=one.context,
        boosts=tuple(Boost.checked(name=name, factor=factor) for name, factor in one.boosts),
        reranked=None if one.reranked is None else float(one.reranked),
        rank=rank,
    )


def _spans(
    several: Iterable[RankedCandidate], records: Mapping[str, Record], entries: Mapping[str, Entry]
) -> tuple[FoundSource, ...]:
    """Return what candidates rest on together."""
    return tuple(span for one in several for span in FoundSource.all_of(records[one.record_id], entries))


def _is_of(entry: Entry, whose: Sequence[MetadataCondition]) -> bool:
    """Tell whether an entry may stand beside what is asked for: one that names another user may not."""
    return USER_KEY not in entry.metadata or all(one.holds(entry.metadata) for one in whose)


def _transcript(entries: Sequence[Entry]) -> str:
    """Return what was said, a turn a line; further lines of a turn are indented, so that none looks like another."""
    return "\n".join(_line(entry.role, entry.text) for entry in entries)


def _conversation(said: Sequence[tuple[str, str]]) -> str:
    """Return turns as one text: with the names where several speak, with a sign for what is between where one does."""
    if len({role for role, _ in said}) > 1:
        return "\n".join(_line(role, text) for role, text in said)
    return f"\n{GAP}\n".join(text for _, text in said)


def _line(role: str, text: str) -> str:
    said = "\n  ".join(text.splitlines())
    speaker = escape_name(role)
    return f"{speaker}: {said}" if speaker else said


def _is_ahead(span: FoundSource) -> bool:
    return span.recorded_at is not None and is_ahead(span.occurred_at, recorded_at=span.recorded_at)


# ── one answer of several memories: the agent's own, and what is shared with it ──

_LONGEST_READ = 2000
"""Characters of an item by which it is told how much of a question it holds. Chosen by hand."""


def comparable_relevance(question: str, item: FoundItem) -> float:
    """Return how much of a question an item holds and how near it is, which compares items of different memories.

    Scores of one answer are relative to its best: the best of a memory which knows nothing would come first.
    """
    asked = frozenset(query_terms(question))
    if not asked:
        return 1.0
    held = frozenset(query_terms(item.text[:_LONGEST_READ]))
    near = max((rank.score for rank in item.ranks if rank.path.startswith("vector")), default=0.0)
    return len(asked & held) / len(asked) + max(0.0, near)


def merged_answers(answers: Sequence[Found], *, most: int, is_named: bool) -> Found:
    """Return one answer of several to the same question: the best items, and what all of them left out.

    The first is the agent's own. Unless the others were asked for by name, they are told where they are near to what is
    asked, not to fill an answer.

    Each memory answered under its own revision and by its own threshold; what is put together of them is not kept,
    since neither revision says when it changes.
    """
    first, *others = answers
    answers = [first, *(one for one in others if is_named or (one.gate and one.gate.reason is GateReason.NEAR))]
    scored = [(item.score * comparable_relevance(first.query, item), item) for found in answers for item in found.items]
    scored.sort(key=lambda one: (-one[0], -one[1].score, one[1].record_id))
    items = [item.replace(score=score, rank=rank) for rank, (score, item) in enumerate(scored[:most], start=1)]
    if first.order == "time":
        items.sort(key=lambda item: (item.occurred_at, item.record_id))
    return first.replace(
        items=tuple(items),
        left_out=tuple({one.path: one for found in answers for one in found.left_out}.values()),
        cached=all(found.cached for found in answers),
        gate=next((found.gate for found in answers if found.items), first.gate),
    )


_MAX_KEYS = 100_000
"""Answers of one agent that erasing looks through: far more than anybody asks in the lifetime of one."""


class AnswerCache:
    """Keeps answers under question and revision: any write by any process raises it, so no older answer is served."""

    def __init__(self, cache: Cache, *, lifetime: timedelta, clock: Clock) -> None:
        self._cache = cache
        self._lifetime = lifetime
        self._clock = clock
        self.figures = CacheFigures(name="recall")
        """How often an answer was there."""

    def key(self, question: Question, *, revision: int, options_key: str) -> str:
        """Return the key of an answer; `options_key` says all else that it depends on."""
        wanted = question.record_filter
        # What is alive changes by the moment, but an answer is not kept longer than what is in it lives. The moment of
        # asking counts as far as the words refer to it, and by the day.
        asked = local(question.asked_at).date() if question.asked_at is not None else None
        parts = (
            question.text,
            str(question.scope),
            repr(replace(wanted, alive_at=None)),
            repr((asked, question.dates)),
            options_key,
        )
        digest = blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
        return f"{_book(question.scope)}:{revision}:{digest}"

    async def get(self, key: str) -> Found | None:
        """Return the kept answer, if there is one."""
        kept, found = await self._cache.get(key), None
        if kept is not None:
            with suppress(InvalidInput):  # another version of Remanent may have kept it
                found = Found.from_json(kept).amended(cached=True)
        self.figures = self.figures.counted(hits=found is not None, misses=found is None)
        return found

    async def keep(self, key: str, found: Found, *, scope: Scope, until: datetime | None) -> None:
        """Keep an answer, not longer than everything in it lives."""
        now = self._clock()
        lifetime = self._lifetime if until is None else min(self._lifetime, until - now)
        if lifetime <= timedelta():
            return
        await self._cache.set(key, found.to_json().encode(), ttl=lifetime)
        # One list of keys per stretch of time: it expires with the answers that it lists.
        await self._cache.rank(self._books(scope)[0], {key: now.timestamp()}, ttl=2 * self._lifetime)

    async def erased(self, scope: Scope) -> None:
        """Let go of every answer of an agent: something that it may quote was erased."""
        for book in self._books(scope):
            for key, _ in await self._cache.ranked(book, limit=_MAX_KEYS):
                await self._cache.delete(key)
            await self._cache.delete(book)

    def _books(self, scope: Scope) -> tuple[str, str]:
        """Return where the answers of this stretch of time are written down, and those of the one before."""
        stretch = int(self._clock().timestamp() / max(self._lifetime.total_seconds(), 1))
        return f"{_book(scope)}:{stretch}", f"{_book(scope)}:{stretch - 1}"


def _book(scope: Scope) -> str:
    return f"recall:{scope.owner}"
