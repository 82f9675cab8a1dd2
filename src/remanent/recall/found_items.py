"""Making answers of what was chosen: the memory itself, the turn with its neighbours, or the whole session.

A hit becomes a `Candidate` in its path, a `RankedCandidate` once for all paths, and a `FoundItem` here, with its rank.
"""

import asyncio
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from remanent.model import Boost, Entry, FoundItem, FoundSource, Kind, Origin, Record, Scope, Source, is_ahead
from remanent.model.filters import USER_KEY, MetadataCondition
from remanent.recall.gathering import CandidateReader
from remanent.recall.packing import GAP
from remanent.recall.question import Question
from remanent.recall.scoring import RankedCandidate
from remanent.text.dated import with_dates
from remanent.text.escaping import escape_name
from remanent.text.talk import LONGEST_ASKING, share_asked

_MAX_SESSION_ENTRIES = 2000
"""Entries of a session that one answer holds at the most."""
_NEAR_ENOUGH = 0.4
"""Of what a turn counts by itself, what another counts at the least that takes no place of its own beside it. Half of
LongMemEval's pool chose it: any lower and what is told grows without another answer, any higher and places are lost."""
MAX_TWINS = 8
"""Further places that one item names where the same words were said; who wants all of them lists entries."""


def exchanges(
    chosen: Iterable[RankedCandidate], known: Iterable[RankedCandidate], records: Mapping[str, Record]
) -> tuple[list[RankedCandidate], dict[str, list[RankedCandidate]]]:
    """Fold turns that belong together into one result; return what is left, and the turns folded into each.

    A short question and what somebody says to it are one answer: "three years now" says nothing without "how long have
    you had them?". What an agent says to a question is a text of its own; what a user tells it before and behind that
    is one matter, and takes one place where both are near to the question.

    LoCoMo, plain call, 580 questions: any@5 and all@5 were .776 and .671 with each turn alone, .795 and .695 with a
    question and its answer as one item. A diary is left apart: where the user speaks in every place of a session nobody
    replies, and what stands two apart there is no matter told in two messages.
    """
    turns = {(one.place.session, one.place.seq): one for one in known if one.place.kind is Kind.TURN and one.place.seq}
    alone = _without_replies(turns)
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
            if abs(step) == 1:
                belongs = _answers(other, one, records) if step < 0 else _answers(one, other, records)
            else:
                between = turns.get((one.place.session, one.place.seq + step // 2))
                replied = between.place.trust is Origin.AGENT if between else one.place.session not in alone
                belongs = replied and _goes_on(one, other)
            if belongs:
                beside.setdefault(one.record_id, []).append(other)
                told.add(other.record_id)
    return kept, beside


def _without_replies(turns: Mapping[tuple[str | None, int], RankedCandidate]) -> set[str | None]:
    """Return the sessions in which a user speaks in odd and in even places: nobody replies to each message there."""
    spoken = {(session, seq % 2) for (session, seq), one in turns.items() if one.place.trust is Origin.USER}
    return {session for session, is_odd in spoken if (session, 1 - is_odd) in spoken}


def _goes_on(one: RankedCandidate, other: RankedCandidate) -> bool:
    """Tell whether a user said both to an agent, and the other is near enough to the question to stand beside it."""
    same = one.place.trust is Origin.USER is other.place.trust and one.place.role == other.place.role
    return same and other.own > 0 and other.own >= _NEAR_ENOUGH * one.own


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
    """Return the turns of exactly the same words, a group for each, in their order.

    Somebody else's words are another statement, as are those that mean another day each time ("yesterday"), and the
    same answer to another question. Texts are compared whole only where `likeness_key` says that they may be the same.

    What was said twice was shown with one of its places, and whoever looked it up by its source found the wrong one; as
    one item with all of them, any@5 of MemDaily went from .92 to .94 (100 questions).
    """
    alike: dict[Hashable, list[RankedCandidate]] = {}
    for one in chosen:
        if one.place.kind is Kind.TURN:
            alike.setdefault((likeness_key(one.record_id), one.place.role, one.place.trust), []).append(one)
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
            text, spans = record.content, _spans(record, entries)
            if others := beside.get(one.record_id):
                said = sorted((one, *others), key=lambda each: each.place.seq)
                text = _conversation([(each.place.role, records[each.record_id].content) for each in said])
                spans += tuple(span for other in others for span in _spans(records[other.record_id], entries))
            item = _item(one, record, text=text, spans=spans, rank=rank)
            if again := twins.get(one.record_id):
                spans += tuple(span for other in again for span in _spans(records[other.record_id], entries))
                evidence = (*item.evidence, *(other.record_id for other in again))
                item = item.replace(sources=spans, evidence=evidence)
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
                if one.record_id in entries:
                    of_user.setdefault(repr(entries[one.record_id].metadata.get(USER_KEY)), []).append(one)
            for best, *others in of_user.values():
                same = [best, *others]
                if not question.times:
                    same.sort(key=lambda one: (one.place.occurred_at, one.place.seq), reverse=True)
                shown[best.record_id] = replace(best, place=same[0].place)
                dropped.update(one.record_id for one in others)
                if others:
                    twins[same[0].record_id] = same[1 : MAX_TWINS + 1]
        kept = [shown.get(one.record_id, one) for one in chosen if one.record_id not in dropped]
        return kept, twins

    async def turns(
        self,
        scope: Scope,
        chosen: Sequence[RankedCandidate],
        records: Mapping[str, Record],
        *,
        known: Mapping[str, Entry],
        whose: Sequence[MetadataCondition] = (),
    ) -> list[FoundItem]:
        """Return each turn with the one before and the one after; what stands in a better answer is not said again.

        Where it is asked `whose`, nothing of another user stands beside it.
        """
        wanted = [
            entry_id
            for one in chosen
            for entry_id in (one.place.before_id, one.record_id, one.place.after_id)
            if entry_id is not None
        ]
        derived = [source.entry_id for one in chosen for source in records[one.record_id].sources]
        entries = await self._reader.entries(scope, [*wanted, *derived], known=known)
        entries = {entry_id: entry for entry_id, entry in entries.items() if _is_of(entry, whose)}
        items: list[FoundItem] = []
        holder: dict[str, int] = {}
        for one in chosen:
            if one.record_id in holder:
                place = holder[one.record_id]
                items[place] = items[place].replace(evidence=(*items[place].evidence, one.record_id))
                continue
            record = records[one.record_id]
            around = [one.place.before_id, one.record_id, one.place.after_id] if one.place.seq else []
            told = [entries[entry_id] for entry_id in around if entry_id in entries and entry_id not in holder]
            if told:
                text, spans = _transcript(told), tuple(map(_span, told))
            else:
                text, spans = record.content, _spans(record, entries)
            items.append(_item(one, record, text=text, spans=spans, rank=len(items) + 1))
            holder.update((entry.id, len(items) - 1) for entry in told)
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
            entries = [entry for entry in next(transcripts) if _is_of(entry, whose)]
            spans = tuple(map(_span, entries))
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
        score=one.score,
        metadata={key: value for span in reversed(spans) for key, value in span.metadata.items()},
        dated_ahead=is_ahead(record.occurred_at, recorded_at=record.created_at) or any(map(_is_ahead, spans)),
        ranks=one.ranks,
        fused=one.fused,
        context=one.context,
        boosts=tuple(Boost(name=name, factor=factor) for name, factor in one.boosts),
        reranked=one.reranked,
        rank=rank,
    )


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


def _spans(record: Record, entries: Mapping[str, Entry]) -> tuple[FoundSource, ...]:
    return tuple(_span(entries[source.entry_id], source) for source in record.sources if source.entry_id in entries)


def _span(entry: Entry, source: Source | None = None) -> FoundSource:
    return FoundSource.of(entry, source)


def _is_ahead(span: FoundSource) -> bool:
    return span.recorded_at is not None and is_ahead(span.occurred_at, recorded_at=span.recorded_at)
