"""Learning: the job that finds statements in new entries, and makes, strengthens or replaces memories by them.

It is asked for when turns are made. `drafts.py` says what one statement becomes; here it is held against what is known
already, and contradictions, premises and what they make stale are written with it. A model may propose what to
remember, and code disposes: a memory quotes words that were said, or it is none.
"""

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Literal, cast

from remanent.bilingual import Bilingual
from remanent.cognition import drafts
from remanent.cognition.drafts import Draft
from remanent.cognition.forgetting import STANDING, Forgetting, Wanted, both, is_talk
from remanent.cognition.model import (
    ATTRIBUTE_NAMES,
    LEARN,
    MEMORIES,
    PREMISE,
    may_repeat,
    may_state,
    request_learning,
    speaker_of,
)
from remanent.cognition.settings import CognitionSettings
from remanent.discipline import Along, Parts
from remanent.errors import LanguageError
from remanent.language.engines import is_offline
from remanent.language.offline.changes import changes as changes_told
from remanent.language.offline.changes import retractions
from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import (
    Statement,
    StatementKind,
    canonical,
    other_names,
    person_and_name,
    subject_name,
    words_for,
)
from remanent.language.offline.statements import (
    corrected,
    is_played,
    is_secret,
    only_confirms,
    plain_sentences,
    statements,
)
from remanent.language.roles.extraction import EXTRACTION, ExtractedFact, ExtractionRequest, FactKind
from remanent.language.shapes import Utterance
from remanent.lightweight import dataclass
from remanent.model import (
    Claim,
    Conflict,
    ConflictState,
    Entry,
    Job,
    Kind,
    Link,
    Maker,
    MemoryData,
    Origin,
    Record,
    Scope,
    Status,
    TurnData,
    Verdict,
)
from remanent.model.filters import USER_KEY, MetadataCondition, user_in
from remanent.recall.indexing import TURNS
from remanent.stores import NO_LIMIT, EntryQuery, LinkQuery, RecordFilter, RecordQuery, Transaction
from remanent.stores.queries import StateQuery
from remanent.text.keywords import WordIndex
from remanent.text.regex import lazy_regex
from remanent.text.scripts import alphanumeric, working_language
from remanent.text.spans import Span
from remanent.text.terms import index_terms, query_terms

BATCH = 200
"""Entries that one job reads; the next job goes on from there."""
LOOK_BACK = 6
"""Entries before those that "remember this" may mean."""
_LOOKED_AT = 50
"""Turns and memories that are looked at for what somebody takes back; those that hold its words come first."""
DECIDER = "cognition"
ASKED = "the user asked for it"
UNDONE = "how a contradiction was settled was undone"


def read_entries(
    entries: Sequence[Entry], earlier: Sequence[Entry], turns: Mapping[str, Record], settings: CognitionSettings
) -> list[Draft]:
    """Return what entries state, in order; `turns` tell what of each only repeats what was recalled."""
    found: list[Draft] = []
    before = list(earlier)
    for entry in entries:
        if may_state(entry):
            found += _of_entry(entry, before, turns.get(entry.id), settings)
        before.append(entry)
    return found


def _of_entry(
    entry: Entry, before: Sequence[Entry], turn: Record | None, settings: CognitionSettings
) -> Iterable[Draft]:
    """Return what an entry states, ends or confirms, as drafts of memories; what the settings forbid is left out.

    Of an entry that repeats in part what was recalled only the new part counts: else memory would confirm itself.
    """
    if turn is not None and turn.status is not Status.ACTIVE:
        return []  # an echo of what was recalled, or out of mind already
    is_user = entry.origin is Origin.USER
    speaker = speaker_of(entry)
    if is_user and only_confirms(entry.text):
        last = next((one for one in reversed(before) if _same_talk(one, entry)), None)
        if last is None:
            return []
        made = statements(f"{last.text}\n{entry.text}", speaker=speaker)
        return [Draft(one, last) for one in made if one.confirmed and drafts.allowed(one, settings)]
    made = statements(entry.text, speaker=speaker, is_user=is_user)
    if turn is not None and isinstance(turn.data, TurnData) and turn.data.repeats:
        spans = [(source.start, len(entry.text) if source.end is None else source.end) for source in turn.sources]
        made = [one for one in made if any(start <= one.start and one.end <= end for start, end in spans)]
    stated = [Draft(one, entry) for one in made]
    known = {draft.record_id for draft in stated}
    # "I left Rome for Oslo" is a new value and no end; what only ends is taken first.
    retracted = list(_retracted(entry, before))
    taken_back = [draft for draft in retracted if draft.retracts == "forgets" or draft.record_id not in known]
    taken_back += _corrected(entry, before)
    taken_back += [_left_to_end(draft, stated) for draft in _changed(entry)]
    talk = [one.text for one in reversed(before[-LOOK_BACK:]) if _same_talk(one, entry)]
    is_serious = not (is_played(talk) and is_played([entry.text, *talk]))
    # A secret may be forgotten that would not be learned.
    return [
        draft
        for draft in (*taken_back, *stated)
        if draft.retracts == "forgets" or (is_serious and drafts.allowed(draft.statement, settings))
    ]


def _echoes(turn: Record | None) -> bool:
    if turn is None:
        return False
    return turn.status is not Status.ACTIVE or (isinstance(turn.data, TurnData) and bool(turn.data.repeats))


_SAID = lazy_regex(
    r"\b(?:said|told|wrote|sent|message|last|previous|mentioned)\b|刚|[这那][句条段]|上面|前面|[上前]一?[句条段]|最后",
    re.IGNORECASE,
)
"""Whoever wants forgotten what they just said means all of it, learned or not."""
_MATTER = Bilingual("{}: {}", "{}：{}")
_DOUBTED = Bilingual("may have changed since: newer words say otherwise", "可能已有变化：后来的话另有说法")
_NO_MORE = Bilingual("{} (no longer true)", "{}（已不再成立）")


def _retracted(entry: Entry, before: Sequence[Entry]) -> Iterable[Draft]:
    """Yield what an entry takes back: what it names, or what its speaker stated right before it."""
    speaker = speaker_of(entry)
    for one in retractions(entry.text, speaker=speaker, is_user=entry.origin is Origin.USER):
        what: Literal["ends", "forgets"] = "forgets" if one.forgets else "ends"
        if not one.is_last:
            named = () if one.statement.value else other_names(one.statement.attribute)
            wanted = Wanted(one.about, one.is_thing, one.is_name, other_names=named) if one.about else None
            yield Draft(one.statement, entry, what, wanted=wanted)
            continue
        is_said = one.forgets and _SAID.search(one.statement.content) is not None
        talk = (earlier for earlier in reversed(before) if earlier.scope.session == entry.scope.session)
        # What its speaker said last stands before the answer to it.
        last = next((earlier for earlier in talk if not is_said or _same_talk(earlier, entry)), None)
        if last is None or not _same_talk(last, entry):
            continue  # "that's wrong" is said of an answer more often than of one's own words
        if is_said:
            wanted = Wanted(last.text, entry_id=last.id)
            yield Draft(one.statement, entry, what, wanted=wanted)
            continue
        for stated in statements(last.text, speaker=speaker)[-1:]:
            content = _NO_MORE[working_language(stated.content)].format(stated.content)
            again = replace(stated, content=content, start=one.statement.start, end=one.statement.end)
            yield Draft(again, entry, what)


def _corrected(entry: Entry, before: Sequence[Entry]) -> Iterable[Draft]:
    """Yield what an entry that begins by that puts right of what its speaker stated last."""
    first = next(plain_sentences(entry.text), None)
    last = next((one for one in reversed(before[-LOOK_BACK:]) if _same_talk(one, entry)), None)
    if first is None or last is None:
        return
    for stated in reversed(statements(last.text, speaker=speaker_of(last))):
        right = corrected(stated, first.of(entry.text))
        if right is not None:
            told = replace(stated, content=right.content, start=first.start, end=first.end)
            yield Draft(told, entry, "ends", right=right.value)
            return


def _changed(entry: Entry) -> Iterable[Draft]:
    """Yield what an entry says is otherwise now: it ends what was known of that."""
    speaker = speaker_of(entry)
    for one in changes_told(entry.text, speaker=speaker):
        told = Statement("fact", one.subject, one.thing, one.was, one.content, one.start, one.end)
        yield Draft(told, entry, "ends", change=one)


def _left_to_end(changed: Draft, stated: Sequence[Draft]) -> Draft:
    """Return a change, marked where its sentence gives the new value itself, which takes the place of the old one."""
    given = next((one.statement.subject for one in stated if one.statement.single and _overlap(one, changed)), "")
    if changed.change is None or not given:
        return changed
    return replace(changed, change=replace(changed.change, stated=given))


def _overlap(one: Draft, other: Draft) -> bool:
    same = one.entry.id == other.entry.id
    return same and one.statement.start < other.statement.end and other.statement.start < one.statement.end


def _same_talk(one: Entry, entry: Entry) -> bool:
    """Tell whether two entries are of one speaker in one session: a "yes" confirms only what its own speaker said."""
    whose, own = ((said.scope.session, user_in(said.metadata), said.role) for said in (one, entry))
    return may_state(one) and whose == own


def _doubted(known: Record, draft: Draft, *, now: datetime) -> Record:
    """Return a memory with the mark that it may no longer hold."""
    # The words stay with who said them: erased there, they stand nowhere else.
    data = known.memory.replace(stale=_DOUBTED[working_language(known.content)], newer=draft.entry.id)
    return known.replace(data=data, version=known.version + 1, updated_at=now)


def _is_reason(other: Draft, draft: Draft) -> bool:
    """Tell whether a statement is what another was said to follow from; a model gives the reason in its own words."""
    words = other.entry.text[other.statement.start : other.statement.end]
    if draft.made_by == drafts.BY_PATTERNS:
        return other.entry.id == draft.entry.id and alphanumeric(words) in alphanumeric(draft.statement.because)
    return other.user == draft.user and WordIndex(f"{words}\n{other.statement.content}").holds(draft.statement.because)


@dataclass(slots=True)
class Changes:
    """What a batch of statements changes, kept in memory until it is written."""

    known: dict[str, Record]
    """By id, as far as they were read or made."""
    puts: list[Record] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    forgotten: dict[str, Record] = field(default_factory=dict)
    rewritten: dict[str, Record] = field(default_factory=dict)
    """Turns and episodes without what is forgotten."""
    changed: list[str] = field(default_factory=list)
    """The memories whose value is another one now: what was said to follow from them may no longer hold."""
    reason: str = ASKED
    """Why those go that are forgotten."""

    def put(self, record: Record) -> None:
        """Note the next version of a memory."""
        self.known[record.id] = record
        self.puts.append(record)
        self.forgotten.pop(record.id, None)  # it was told again since

    def forget(self, along: Along) -> None:
        """Note what goes out of mind, whole or in part; what goes whole is not rewritten as well."""
        self.forgotten |= {one.id: one for one in along.forgotten if one.status in STANDING}
        for one in along.rewritten:
            again = self.rewritten.get(one.id)
            self.rewritten[one.id] = one if again is None else both(again, one)

    def as_they_are(self, records: Iterable[Record]) -> list[Record]:
        """Return those of some records that still stand, as they do: the same batch may have changed them."""
        by_now = {one.id: self.known.get(one.id, one) for one in records}
        return [one for one in by_now.values() if one.status in STANDING and one.id not in self.forgotten]

    def content_of(self, record: Record) -> str:
        """Return what a turn or an episode still says."""
        return self.rewritten.get(record.id, record).content

    def said_since(self, premises: Sequence[str]) -> set[str]:
        """Return what was put after the last of the premises, and so was said knowing better."""
        last = max((place for place, record in enumerate(self.puts) if record.id in premises), default=len(self.puts))
        return {record.id for record in self.puts[last + 1 :]}

    def write(self, tx: Transaction, *, now: datetime) -> None:
        """Write it all."""
        for record in self.puts:
            tx.put(record, expects=record.version - 1)
        for conflict in self.conflicts:
            tx.conflict(conflict)
        for link in self.links:
            tx.link(link)
        rewritten = [one for one in self.rewritten.values() if one.id not in self.forgotten]
        Along(list(self.forgotten.values()), rewritten).forget(tx, at=now, reason=self.reason)


class MemoryWriter:
    """Learns: takes up statements, gives them their place among what is known, and marks what no longer follows."""

    def __init__(self, parts: Parts, settings: CognitionSettings) -> None:
        self._parts = parts
        self.settings = settings
        self.forgetting = Forgetting(parts.store)
        self._store = parts.store

    async def learn(self, job: Job, tx: Transaction) -> None:
        """Make memories of the next entries."""
        scope = job.scope.owner
        state, turned = await self._store.read(scope, [StateQuery(LEARN), StateQuery(TURNS)])
        read, indexed = (one if isinstance(one, int) else 0 for one in (state, turned))
        entries = await self._store.entries(
            scope, EntryQuery(after_seq=max(0, read - LOOK_BACK), limit=BATCH + LOOK_BACK)
        )
        earlier = [entry for entry in entries if entry.seq <= read]
        fresh = [entry for entry in entries if read < entry.seq <= indexed]
        every = self.settings.learn_every
        has_turnless = bool(entries) and entries[-1].seq > indexed
        # What has no turn yet is learnt from when its turn is made, or by a job behind that one in its lane.
        if every > 1 if has_turnless else len(entries) == BATCH + LOOK_BACK:
            request_learning(self._parts, tx, every=every)
        if not fresh:
            return
        ids = tuple(entry.id for entry in fresh if may_state(entry))
        turns = await self.records(scope, ids)
        made = await asyncio.to_thread(read_entries, fresh, earlier, turns, self.settings)
        made = [*made, *await self._proposed(fresh, turns, made)]
        # What only may end something comes last of its message: what is stated there is known by then.
        made.sort(key=lambda draft: (draft.entry.seq, draft.may_end, draft.statement.start))
        changes = await self.take(scope, made)
        await self._unsay(scope, changes, [*earlier, *fresh], fresh=len(fresh))
        if changes.forgotten or changes.rewritten:
            gone = Along(list(changes.forgotten.values()), list(changes.rewritten.values()))
            changes.rewritten = {one.id: one for one in (await self.forgetting.with_episodes(scope, gone)).rewritten}
        changes.write(tx, now=self._parts.clock())
        tx.state(LEARN, fresh[-1].seq)

    async def _proposed(
        self, entries: Sequence[Entry], turns: Mapping[str, Record], made: Sequence[Draft]
    ) -> list[Draft]:
        """Return what a model adds to what patterns found: nothing of words that they read, or that are echoes."""
        read = {(draft.entry.id, draft.statement.start, draft.statement.end) for draft in made}
        own = [entry for entry in entries if may_state(entry) and not _echoes(turns.get(entry.id))]
        return [
            draft
            for draft in (await proposed(self._parts, own) if own else [])
            if drafts.allowed(draft.statement, self.settings)
            and not any(
                draft.entry.id == entry_id and start < draft.statement.end and draft.statement.start < end
                for entry_id, start, end in read
            )
        ]

    async def take(self, scope: Scope, made: Sequence[Draft]) -> Changes:
        """Return what statements change among the memories that are there."""
        replacing = [drafts.instead(draft) for draft in made if draft.statement.adds]
        known = await self.records(scope, tuple({draft.record_id for draft in (*made, *replacing)}))
        changes, now = Changes(known), self._parts.clock()
        told: list[Draft] = []
        for stated in made:
            draft = await self._of_whom(scope, changes, stated, now=now)
            draft = self._beside(changes, draft, now=now) if draft.statement.adds else draft
            if draft.retracts:
                ended = await self._take_back(scope, changes, draft, now=now)
                told += [draft] if ended else []
            elif any(_overlap(draft, end) and (end.change or draft.statement.kind == "event") for end in told):
                continue  # one sentence, one memory: it stands where the change does
            elif not await self._restate(scope, changes, draft, now=now):
                self._take_one(changes, draft, now=now)
        # What was said to follow from something is linked to the memory of that, where there is one.
        changes.links += [
            Link(from_id=draft.record_id, to_id=other.record_id, relation=PREMISE, created_at=now, updated_at=now)
            for draft in made
            if draft.statement.because
            for other in made
            if other.record_id != draft.record_id and _is_reason(other, draft)
        ]
        for changed in changes.changed:
            await self.mark_stale(scope, changes, (changed,), now=now)
        return changes

    async def records(self, scope: Scope, record_ids: Sequence[str]) -> dict[str, Record]:
        """Return records by id, whatever their status."""
        return await self._store.records_by_id(scope.owner, record_ids)

    async def _of_whom(self, scope: Scope, changes: Changes, draft: Draft, *, now: datetime) -> Draft:
        """Return a statement of somebody under the name that is known of them, and doubt what it may change."""
        if draft.retracts or not drafts.may_be_unnamed(draft.statement):
            return draft
        words = query_terms(" ".join(words_for(person_and_name(draft.statement.subject)[0])))
        changes.known = {**await self._about(scope, draft, words), **changes.known}
        standing = [one for one in changes.known.values() if one.status in STANDING and one.kind in MEMORIES]
        named, doubted = drafts.of_the_unnamed(draft, standing)
        if named.record_id not in changes.known:
            changes.known |= await self.records(scope, [named.record_id])
        for known in doubted:
            if draft.entry.told_at >= known.occurred_at and not known.memory.pinned:
                changes.put(_doubted(known, draft, now=now))
        return named

    def _beside(self, changes: Changes, draft: Draft, *, now: datetime) -> Draft:
        """Return a statement that adds to what is known: the same again where that is known, else beside it."""
        instead = drafts.instead(draft)
        known = changes.known.get(instead.record_id)
        if known is None or known.status not in STANDING:
            return draft
        if drafts.says_the_same(known, drafts.value_of(draft.statement)):
            return instead
        if drafts.is_of_change(draft) and draft.entry.told_at >= known.occurred_at and not known.memory.pinned:
            changes.put(_doubted(known, draft, now=now))
        return draft

    async def _restate(self, scope: Scope, changes: Changes, draft: Draft, *, now: datetime) -> bool:
        """Tell whether a statement gave something known another number or day, and give it that."""
        if draft.record_id in changes.known or not drafts.may_restate(draft):
            return False
        changes.known = {**await self._about(scope, draft), **changes.known}
        for known in list(changes.known.values()):
            standing = known.status in STANDING and draft.entry.told_at >= known.occurred_at
            if standing and drafts.is_restated(known, draft) and self._may_end(known, draft):
                changes.conflicts.append(self._conflict(known, draft, now=now, settled=True))
                again = drafts.ended(known, draft, self.settings, now=now)
                data = again.data.replace(value=drafts.value_of(draft.statement))
                changes.put(again.replace(data=data))
                changes.changed.append(known.id)
                return True
        return False

    def _may_end(self, known: Record, draft: Draft) -> bool:
        return not known.memory.pinned and not drafts.is_less_trusted(draft, known)

    async def _take_back(self, scope: Scope, changes: Changes, draft: Draft, *, now: datetime) -> bool:
        """End or forget the memories that a statement takes back, and tell whether there are any."""
        before, meant = len(changes.changed), list[Record]()
        found = await self._about(scope, draft)
        changes.known = {**found, **changes.known}
        about = [one for one in changes.known.values() if one.status in STANDING and drafts.is_meant(one, draft)]
        may_end = draft.may_end or drafts.is_of_several(draft, about)
        for known in about:
            forgets = draft.retracts == "forgets"
            if any(
                source.entry_id == draft.entry.id and not (forgets and source.start < draft.statement.start)
                for source in known.sources
            ):
                continue  # taken before, or by the same words
            if draft.entry.told_at < known.occurred_at:
                continue
            if forgets:
                meant.append(known)
                continue
            if may_end:
                changes.put(_doubted(known, draft, now=now))
                continue
            settled = self._may_end(known, draft)
            changes.conflicts.append(self._conflict(known, draft, now=now, settled=settled))
            if settled:
                changes.put(drafts.ended(known, draft, self.settings, now=now))
                changes.changed.append(known.id)
        if draft.retracts == "forgets":
            await self._forget(scope, changes, draft, meant)
        return len(changes.changed) > before

    async def _about(self, scope: Scope, draft: Draft, terms: Sequence[str] = ()) -> dict[str, Record]:
        """Return the memories that may be meant: those that hold the words, or were made of turns that do."""
        terms = terms or query_terms(draft.statement.value or " ".join(draft.names))
        user = draft.entry.metadata.get(USER_KEY)
        whose = (MetadataCondition(USER_KEY, "in", (user,)),) if isinstance(user, str | int) else ()
        wanted = RecordFilter(kinds=(*MEMORIES, Kind.TURN), where=whose)
        hits = await self._store.search_text(scope.owner, terms, record_filter=wanted, limit=_LOOKED_AT)
        ids = tuple(hit.record_id for hit in hits)
        query = RecordQuery(filter=RecordFilter(kinds=MEMORIES), source_entry_ids=ids, limit=NO_LIMIT)
        made = await self._store.records(scope.owner, query) if ids else []
        by_id = await self.records(scope, (*ids, draft.record_id, *draft.of_one_value))
        return {record.id: record for record in (*made, *by_id.values()) if record.kind in MEMORIES}

    async def _forget(self, scope: Scope, changes: Changes, draft: Draft, meant: Sequence[Record]) -> None:
        """Put what an order names out of mind, with whatever tells it; the order itself, too, if it did any good."""
        forgetting, wanted, order, before = self.forgetting, draft.wanted, draft.statement, draft.entry.seq
        told = await forgetting.told(scope, wanted, user=draft.user, before=before) if wanted is not None else []
        if wanted is not None and wanted.entry_id:
            changes.forget(await forgetting.whole(scope, wanted.entry_id))
        told += [
            one for one in changes.known.values() if isinstance(one.data, MemoryData) and one.data.user == draft.user
        ]
        told = [one for one in changes.as_they_are(told) if wanted and wanted.spans_in(changes.content_of(one))]
        if wanted is not None and not wanted.is_somebody(one.content for one in told):
            return
        known = {one.id: one for one in (*meant, *told) if not is_talk(one)}
        for one in known.values():
            along = forgetting.along(
                scope,
                one,
                without=tuple(known.values()),
                beside=changes.known,
                unstored=[made for made in changes.puts if made.id == one.id],
                before=before,
            )
            changes.forget(Along([one]) + await along)
            changes.known[one.id] = one.replace(status=Status.FORGOTTEN)
            changes.changed.append(one.id)
        for one in told:
            if wanted is not None and is_talk(one):
                changes.forget(forgetting.without(one, wanted.spans_in(one.content)))
        # A memory goes with the clause that it rests on, and no clause without it.
        gone = [one.id for one in changes.forgotten.values() if one.kind is Kind.TURN]
        for one in changes.as_they_are(await forgetting.unsupported(scope, gone, changes.rewritten)):
            changes.forget(Along([one]) + await forgetting.along(scope, one, beside=changes.known, before=before))
            changes.known[one.id] = one.replace(status=Status.FORGOTTEN)
            changes.changed.append(one.id)
        # "Forget my last mail" may be about no memory at all, and is then as good a question as any.
        if known or told or (wanted is not None and not wanted.is_thing):
            end = order.end or len(draft.entry.text)
            changes.forget(await forgetting.said(scope, draft.entry, order.start, end, wanted))

    async def _unsay(self, scope: Scope, changes: Changes, entries: Sequence[Entry], *, fresh: int) -> None:
        """Take what an order names out of the answer to it as well: "I have forgotten that you …" says it again."""
        for asked, entry in list(pairwise(entries))[-fresh:]:
            if not (may_repeat(entry) and may_state(asked)) or asked.scope.session != entry.scope.session:
                continue
            for draft in _retracted(asked, ()):
                turn = (await self.records(scope, [entry.id])).get(entry.id)
                if draft.wanted is not None and turn is not None and turn.status in STANDING:
                    changes.forget(self.forgetting.without(turn, draft.wanted.spans_in(turn.content)))

    def _take_one(self, changes: Changes, draft: Draft, *, now: datetime) -> None:
        """Take one statement in: a new memory, more evidence for a known one, its next version, or an open conflict.

        A later statement replaces an earlier one by itself and can be undone; it does not where a person pinned or
        settled the earlier one, or where it comes from a less trusted source.
        """
        known = changes.known.get(draft.record_id)
        if known is None:
            changes.put(drafts.record_of(draft, self.settings, now=now))
            return
        if known.kind not in MEMORIES or any(source.entry_id == draft.entry.id for source in known.sources):
            if draft.statement.confirmed and known.kind in MEMORIES and known.confidence < drafts.CONFIRMED:
                changes.put(drafts.stronger(known, draft, self.settings, now=now).replace(sources=known.sources))
            return  # this very statement was taken before
        if drafts.says_the_same(known, drafts.value_of(draft.statement)):
            if known.status is not Status.FORGOTTEN or draft.statement.confirmed:
                changes.put(drafts.stronger(known, draft, self.settings, now=now))
            return
        if draft.entry.told_at < known.occurred_at:  # no news, but what was so before
            for version in drafts.recalled_late(known, draft, self.settings, now=now):
                changes.put(version)
            return
        data = known.memory
        if data.holds and alphanumeric(data.replaces) == alphanumeric(drafts.value_of(draft.statement)):
            return  # the other of two that hold in places of their own, as was settled
        # What a person settled is not undone by a word in passing.
        if data.pinned or data.holds or (drafts.is_less_trusted(draft, known) and not draft.statement.confirmed):
            changes.conflicts.append(self._conflict(known, draft, now=now, settled=False))
            return
        changes.conflicts.append(self._conflict(known, draft, now=now, settled=True))
        changes.put(drafts.successor(known, draft, self.settings, now=now))
        changes.changed.append(known.id)

    def _conflict(self, known: Record, draft: Draft, *, now: datetime, settled: bool) -> Conflict:
        """Return the contradiction: settled for the newer word, or open where that one is not simply to be believed."""
        one, language = draft.statement, working_language(draft.statement.content)
        # A change in a life names no attribute: it is that of the memory which it bears on.
        attribute = canonical(one.attribute or known.memory.attribute).replace("_", " ") or one.value
        if language == "zh":
            attribute = ATTRIBUTE_NAMES.get(attribute, attribute)
        fresh = drafts.record_of(draft, self.settings, now=now)
        claims = (
            Claim(record_id=known.id, text=known.content, evidence=known.sources),
            Claim(record_id=known.id, text=one.content, evidence=fresh.sources),
        )
        verdict = Verdict(
            text=one.content, upheld=(known.id,), decided_by=DECIDER, decided_at=now, undo={known.id: known.version}
        )
        return Conflict(
            id=self._parts.new_id(),
            scope=known.scope.owner,
            claims=claims,
            description=_MATTER[language].format(one.subject, attribute),
            state=ConflictState.RESOLVED if settled else ConflictState.OPEN,
            verdict=verdict if settled else None,
            created_at=now,
            updated_at=now,
        )

    async def mark_stale(
        self, scope: Scope, changes: Changes, premises: Sequence[str], *, now: datetime, stale: bool = True
    ) -> None:
        """Mark, or clear, what was said to follow from memories that changed, and what follows from that."""
        seen, border = set(premises), list(premises)
        fresh = changes.said_since(premises)
        while border:
            links = await self._store.links(scope, LinkQuery(to_ids=tuple(border), relations=(PREMISE,)))
            links += [link for link in changes.links if link.to_id in border]
            found = [link for link in links if link.from_id not in seen]
            seen |= {link.from_id for link in found}
            missing = [link.from_id for link in found if link.from_id not in changes.known]
            changes.known |= await self.records(scope, missing)
            border = []
            for link in found:
                record = changes.known.get(link.from_id)
                if record is None or not isinstance(record.data, MemoryData) or record.id in fresh:
                    continue
                border.append(record.id)
                because = changes.known.get(link.to_id)
                reason = (because.content if because is not None else link.to_id) if stale else ""
                if bool(record.data.stale) != stale:
                    data = record.data.replace(stale=reason)
                    changes.put(record.replace(data=data, version=record.version + 1, updated_at=now))


# ── what a model proposes ────────────────────────────────────────────────────

_logger = logging.getLogger(__name__)
_PROPOSED = (FactKind.FACT, FactKind.PREFERENCE, FactKind.DECISION, FactKind.FOLLOW_UP, FactKind.MOOD)
"""What a model is asked for; statements call their kinds the same."""
_AT_ONCE = 40
"""Utterances that a model is shown together; chosen by hand: a session's worth, far below any window."""
_SUPPORT = 0.6
"""The share of a proposal's terms that its quote must hold; chosen by hand, above the role's own half: what is kept is
told as the user's word."""
_NAMED = re.compile(r"\d+|(?<=\s)[A-Z][\w'’-]+")
"""What no wording may add: figures, and names in the middle of a sentence."""


@cache
def _of_speaker() -> frozenset[str]:
    """The terms that name whoever speaks; read when first asked for, because Chinese words need their dictionary."""
    return frozenset(index_terms("the user users user's 用户"))


async def proposed(parts: Parts, entries: Sequence[Entry]) -> list[Draft]:
    """Return what a model finds worth keeping in what users said, each with the sentence that says so.

    Without a model, or with one that refuses, fails or answers nonsense, there is nothing: patterns have read the same
    words already.
    """
    if not parts.settings.uses_model or is_offline(parts.settings.model, EXTRACTION):
        return []
    found: list[Draft] = []
    for start in range(0, len(entries), _AT_ONCE):
        shown = entries[start : start + _AT_ONCE]
        request = ExtractionRequest(
            utterances=tuple(
                Utterance(speaker=entry.role, text=entry.text, occurred_at=entry.occurred_at, origin=entry.origin)
                for entry in shown
            ),
            kinds=_PROPOSED,
        )
        try:
            answer = await parts.engine.run(EXTRACTION, request)
        except LanguageError as error:
            _logger.warning("the model extracts nothing, patterns do: %s", type(error).__name__)
            return found
        if answer.made_by.engine != "offline":
            made = (_draft(fact, shown, answer.made_by) for fact in answer.value.facts)
            found += [draft for draft in made if draft is not None]
    return found


def _draft(fact: ExtractedFact, shown: Sequence[Entry], made_by: Maker) -> Draft | None:
    """Return a proposal with its quote; `None` for one that nobody said in one sentence, and for secrets."""
    for place in fact.sources:
        entry = shown[place]
        quote = _quote(fact.content, entry.text)
        if quote is None or is_secret(f"{quote.of(entry.text)} {fact.content}"):
            continue
        speaker = speaker_of(entry)
        subject = subject_name(speaker, zh=working_language(fact.content) == "zh")
        confirmed = fact.confirmed and entry.origin is Origin.USER
        statement = Statement(
            cast(StatementKind, fact.kind.value),
            subject,
            attribute="",
            value="",
            content=fact.content,
            start=quote.start,
            end=quote.end,
            confirmed=confirmed,
            because=fact.reason,
        )
        return Draft(statement, entry, made_by=made_by)
    return None


def _quote(content: str, text: str) -> Span | None:
    """Return the sentence that says what a proposal says: it holds most of its terms, all figures and all names."""
    terms = set(index_terms(content)) - _of_speaker()
    named = {one.casefold() for one in _NAMED.findall(content)} - _of_speaker()
    best, share = None, _SUPPORT
    for span in plain_sentences(text):
        said = span.of(text)
        held = len(terms & set(index_terms(said))) / len(terms) if terms else 0.0
        if held >= share and all(one in said.casefold() for one in named) and not is_question(said):
            best, share = span, held
    return best
