"""Looking after memories: why each is there, how all of them stand, and how contradictions end."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from remanent.cognition.drafts import CONFIRMED, Draft, says_the_same, slot, value_of
from remanent.cognition.learning import UNDONE, Changes, MemoryWriter
from remanent.cognition.model import MEMORIES, PREMISE, Flaw, MemoryHealth, Quote, Why, memory_id, speaker_of
from remanent.cognition.review import entries_of
from remanent.discipline import Along, Parts
from remanent.errors import InvalidInput, NotFound
from remanent.language.offline.changes import changes, retractions
from remanent.language.offline.questions import is_question
from remanent.language.offline.statements import statements
from remanent.lightweight import dataclass
from remanent.model import (
    Conflict,
    ConflictState,
    Entry,
    Kind,
    MemoryData,
    Origin,
    Record,
    Scope,
    SemanticData,
    Status,
    Verdict,
)
from remanent.model.record import BY_HAND
from remanent.stores import LIVE, NO_LIMIT, ConflictQuery, LinkQuery, Order, RecordFilter, RecordQuery, Store
from remanent.text.scripts import alphanumeric, working_language
from remanent.text.talk import is_small_talk

_EXAMPLES = 3
"""Memories that a report shows of what is wrong."""
_MOST_RELATED = 10
"""Memories that a fact names as related to it: the newest; chosen by hand."""
_READ_AGAIN = 500
"""Memories whose words are read again for a report: the newest; a report must not take minutes."""
_COMPARED = 2_000
"""Memories that a report compares with each other: the newest. Reading one takes some 60 µs."""


async def why(store: Store, scope: Scope, record: Record) -> Why:
    """Return how a memory came about."""
    entries = await entries_of(store, scope, record)
    quotes = [
        Quote(
            entry_id=entry.id,
            role=entry.role,
            occurred_at=entry.occurred_at,
            text=entry.text[source.start : source.end],
        )
        for source in record.sources
        if (entry := entries.get(source.entry_id)) is not None
    ]
    written = await _written(store, scope, record)
    following = await store.links(scope, LinkQuery(to_ids=(record.id,), relations=(PREMISE,)))
    dependants = await store.records_by_id(scope, [link.from_id for link in following])
    return Why(
        record=record,
        made_by=record.made_by,
        quotes=tuple(quotes),
        premises=await _premises(store, scope, record),
        dependants=tuple(dependants.values()),
        conflicts=tuple(await conflicts(store, scope, record_id=record.id)),
        rotten=_is_rotten(record, entries),
        by_hand_at=None if written is None else written.updated_at,
        by_hand_of="" if written is None else written.changed_by,
    )


async def _written(store: Store, scope: Scope, record: Record) -> Record | None:
    """Return the version in which a person wrote what a memory says, `None` where nobody did."""
    if record.made_by != BY_HAND:
        return None
    written = record
    for version in reversed(await store.versions(scope, record.id)):
        if version.record.content != record.content:
            break
        written = version.record
    return written


async def corrected(store: Store, scope: Scope, record: Record, text: str, *, value: str | None) -> Record:
    """Return a memory as a person says that it is: as the version that said so, or else in words that nobody said.

    It then rests on no turn, so that those that it was made of are found to say otherwise; which ones they were, its
    versions tell, and it goes with them when they are erased.
    """
    data = record.memory
    had = data.value or record.content
    for version in reversed(await store.versions(scope, record.id)):
        was = version.record
        if was.content == text and record.content != text and value is None and isinstance(was.data, MemoryData):
            kept = was.data.replace(replaces=had, stale="", pinned=data.pinned)
            return was.replace(data=kept, created_at=record.created_at, status=Status.ACTIVE)
    reads = value or _value_in(record, data, text)
    again = bool(reads) and says_the_same(record, reads)
    return record.replace(
        content=text,
        confidence=CONFIRMED,
        made_by=BY_HAND,
        sources=(),
        evidence_count=0,
        data=data.replace(value=reads, replaces=data.replaces if again else had, quoted=False, stale=""),
    )


def _value_in(record: Record, data: MemoryData, text: str) -> str:
    """Return the value that a memory's new words tell, where they are formed like those it had, or like those it is
    made of; else nothing, since a sentence is no value.
    """
    before, had, after = record.content.partition(data.value) if data.value else ("", "", "")
    said = text.strip().rstrip(".。")
    if had and said.startswith(before) and said.endswith(after) and len(said) > len(before) + len(after):
        return said[len(before) : len(said) - len(after)].strip()
    made = statements(text, speaker="user")
    return next((value_of(one) for one in made if memory_id(data.user, *slot(one)) == record.id), "")


async def with_related(store: Store, scope: Scope, records: Sequence[Record]) -> list[Record]:
    """Return memories, facts with the newest of those that were made of the same words.

    Read and not kept: what is erased, expired or forgotten since is then named nowhere.
    """
    facts = [one for one in records if isinstance(one.data, SemanticData)]
    entry_ids = tuple({source.entry_id for one in facts for source in one.sources})
    if not entry_ids:
        return list(records)
    wanted = RecordFilter(kinds=tuple(kind for kind in MEMORIES if kind is not Kind.EPISODIC))
    query = RecordQuery(filter=wanted, source_entry_ids=entry_ids, limit=NO_LIMIT)
    made_of: dict[str, list[str]] = {}
    for one in await store.records(scope, query):
        for source in one.sources:
            made_of.setdefault(source.entry_id, []).append(one.id)

    def named(record: Record) -> Record:
        if not isinstance(record.data, SemanticData):
            return record
        near = dict.fromkeys(one for source in record.sources for one in made_of.get(source.entry_id, ()))
        near.pop(record.id, None)
        return record.replace(data=record.data.replace(related=tuple(near)[-_MOST_RELATED:]))

    return list(map(named, records))


async def _premises(store: Store, scope: Scope, record: Record) -> tuple[Record, ...]:
    """Return what a memory was said to follow from, as that was then; `valid_to` tells since when it is otherwise."""
    links = await store.links(scope, LinkQuery(from_ids=(record.id,), relations=(PREMISE,)))
    found = await store.records_by_id(scope, [link.to_id for link in links])
    said = {source.entry_id for source in record.sources}
    premises: list[Record] = []
    for link in links:
        if (current := found.get(link.to_id)) is None:
            continue
        versions = sorted(await store.versions(scope, current.id), key=lambda one: one.number)
        # What the same words stated; where a person linked the two, what stood at that time.
        then = [one for one in versions if said & {source.entry_id for source in one.record.sources}][-1:]
        then += [one for one in versions if one.superseded_at is None or one.superseded_at >= link.created_at]
        was = then[0] if then else None
        if was is None or was.superseded_at is None or was.record.content == current.content:
            premises.append(current)
        else:
            begun = was.record.valid_from or was.superseded_at
            premises.append(was.record.replace(valid_to=max(begun, was.superseded_at)))
    return tuple(premises)


def _is_rotten(record: Record, entries: dict[str, Entry]) -> bool:
    """Tell whether a memory would not be made of its words today: they are gone, or say something else."""
    data = record.data
    if not isinstance(data, MemoryData) or not data.quoted or not record.sources:
        return False
    for source in record.sources:
        entry = entries.get(source.entry_id)
        if entry is None:
            continue
        speaker = speaker_of(entry)
        made = statements(entry.text, speaker=speaker, is_user=entry.origin is Origin.USER)
        if any(Draft(one, entry).record_id == record.id for one in made):
            return False
        if record.made_by.engine not in {"offline", "code"}:
            return False  # a model's wording: as long as what it quotes stands, so does it
        if data.replaces and (
            any(changes(entry.text, speaker=speaker))
            or retractions(entry.text, speaker=speaker, is_user=entry.origin is Origin.USER)
        ):
            return False
        if record.confidence >= CONFIRMED:  # confirmed by a message behind it
            return False
    return True


async def health(store: Store, scope: Scope) -> MemoryHealth:
    """Return how an agent's memories stand.

    The store counts all of them; only the newest are read for what cannot be counted, however many there are.
    """
    counts, turns, waiting = await asyncio.gather(
        store.tally(scope, MEMORIES, flags=("stale", "pinned")),
        store.tally(scope, (Kind.TURN,), flags=("repeats",)),
        conflicts(store, scope, open_only=True),
    )
    live = [one for one in counts if one.status in LIVE]
    total, turn_count = sum(one.count for one in live), sum(one.count for one in turns)
    stale = sum(one.flags["stale"] for one in live)
    by_kind: Counter[str] = Counter()
    for one in live:
        by_kind[str(one.kind)] += one.count
    newest = await _newest(store, scope)
    wrong = {flaw: await _with_flaw(store, scope, newest, flaw) for flaw in Flaw if flaw is not Flaw.UNSURE}
    examples = {flaw.value: tuple(one.content for one in found[:_EXAMPLES]) for flaw, found in wrong.items()}
    examples["conflicts"] = tuple(conflict.claims[-1].text for conflict in waiting[:_EXAMPLES])
    return MemoryHealth(
        total=total,
        by_kind=dict(by_kind),
        mean_confidence=min(1.0, sum(one.confidence for one in live) / total) if total else 0.0,
        expired=sum(one.count for one in counts if one.status is Status.EXPIRED),
        forgotten=sum(one.count for one in counts if one.status is Status.FORGOTTEN),
        pinned=sum(one.flags["pinned"] for one in live),
        stale=stale,
        open_conflicts=len(waiting),
        duplicates=len(wrong[Flaw.DUPLICATES]),
        rotten=len(wrong[Flaw.ROTTEN]),
        junk=len(wrong[Flaw.JUNK]) / len(newest) if newest else 0.0,
        compared=len(newest),
        reread=min(_READ_AGAIN, len(newest)),
        echoes=sum(one.flags["repeats"] for one in turns) / turn_count if turn_count else 0.0,
        examples={name: texts for name, texts in examples.items() if texts},
    )


async def flawed(store: Store, scope: Scope, flaw: Flaw) -> list[Record]:
    """Return the memories that a figure of a report counts: all that are stale, of the rest those among the newest."""
    newest = await _newest(store, scope, limit=NO_LIMIT if flaw in {Flaw.STALE, Flaw.UNSURE} else _COMPARED)
    return await _with_flaw(store, scope, newest, flaw)


async def _newest(store: Store, scope: Scope, *, limit: int = _COMPARED) -> list[Record]:
    query = RecordQuery(filter=RecordFilter(kinds=MEMORIES), order=Order.LAST_CREATED, limit=limit)
    return await store.records(scope, query)


async def _with_flaw(store: Store, scope: Scope, newest: Sequence[Record], flaw: Flaw) -> list[Record]:
    """Return those of the newest memories with which something is wrong, the oldest first."""
    oldest_first = newest[::-1]
    if flaw is Flaw.STALE:
        return [one for one in oldest_first if one.memory.stale]
    if flaw is Flaw.DUPLICATES:
        return _doubles(oldest_first)
    if flaw is Flaw.ROTTEN:
        reread = newest[_READ_AGAIN - 1 :: -1]
        return [one for one in reread if _is_rotten(one, await entries_of(store, scope, one))]
    if flaw is Flaw.JUNK:
        return [one for one in oldest_first if is_small_talk(one.content) or is_question(one.content)]
    mean = sum(one.confidence for one in newest) / len(newest) if newest else 0.0
    return sorted((one for one in newest if one.confidence < mean), key=lambda one: one.confidence)


def _doubles(records: Sequence[Record]) -> list[Record]:
    """Return the memories of one user that say what another of them says."""

    def said(record: Record) -> tuple[str, str]:
        return record.memory.user, alphanumeric(record.content)

    times = Counter(map(said, records))
    return [record for record in records if times[said(record)] > 1]


# ── contradictions ───────────────────────────────────────────────────────────


async def conflicts(
    store: Store,
    scope: Scope,
    *,
    open_only: bool = False,
    record_id: str | None = None,
    conflict_id: str | None = None,
    user: str | None = None,
) -> list[Conflict]:
    """Return the contradictions between memories; of a user, none that is another's."""
    query = ConflictQuery(
        conflict_ids=None if conflict_id is None else (conflict_id,),
        states=(ConflictState.OPEN,) if open_only else None,
        record_id=record_id,
        limit=NO_LIMIT,
    )
    found = await store.conflicts_among(scope, query, RecordFilter(kinds=MEMORIES, statuses=None))
    if user is None:
        return found
    ids = list({claim.record_id for conflict in found for claim in conflict.claims})
    theirs = {record.id for record in (await store.records_by_id(scope, ids)).values() if record.memory.user == user}
    return [conflict for conflict in found if all(claim.record_id in theirs for claim in conflict.claims)]


async def conflict_by_id(store: Store, scope: Scope, conflict_id: str, *, user: str | None = None) -> Conflict:
    """Return a contradiction by its id; who names a user reaches none that is another's."""
    found = await conflicts(store, scope, conflict_id=conflict_id, user=user)
    if not found:
        raise NotFound(f"there is no conflict {conflict_id} here; `conflicts` lists those there are")
    return found[0]


@dataclass(frozen=True, slots=True)
class ConflictEnding:
    """How a contradiction is to end."""

    how: str
    """choose, merge, keep_both or undo."""
    by: str
    claim: int = 1
    """Which claim is chosen, from 0."""
    text: str = ""
    """What holds when both are merged."""
    scopes: tuple[str, ...] = ()
    """Where or when each claim holds when both are kept, in the order of the claims."""


async def resolve(parts: Parts, writer: MemoryWriter, scope: Scope, conflict: Conflict, ending: ConflictEnding) -> None:
    """Settle a contradiction, or undo how it was settled."""
    now, undo = parts.clock(), ending.how == "undo"
    record_id = conflict.claims[0].record_id
    record = (await writer.records(scope, (record_id,)))[record_id]
    changes, settled = Changes({record_id: record}, reason=UNDONE), conflict
    if undo:
        after, settled = await _undone(parts.store, scope, conflict, record)
        added = [one for one in (conflict.verdict.undo if conflict.verdict else {}) if one != record_id]
        changes.forget(Along(list((await writer.records(scope, added)).values())))
    else:
        after, *more = await _settled(parts.store, scope, conflict, record, ending)
        known = await writer.records(scope, [one.id for one in more])
        for one in more:
            version = known[one.id].version if one.id in known else 0
            changes.put(one.replace(version=version + 1, created_at=now, updated_at=now))
        verdict = Verdict(
            text="; ".join(one.content for one in (*more, after)),
            upheld=(record_id, *(one.id for one in more)),
            decided_by=ending.by,
            decided_at=now,
            undo={record_id: record.version, **{one.id: 0 for one in more}},
        )
        settled = conflict.replace(state=ConflictState.RESOLVED, verdict=verdict)
    if after is not record:
        changes.put(after.replace(version=record.version + 1, updated_at=now, created_at=record.created_at))
        changes.changed.append(record_id)
    await writer.mark_stale(scope, changes, changes.changed, now=now, stale=not undo)
    async with parts.store.transaction(scope) as tx:
        changes.write(tx, now=now)
        tx.conflict(settled.replace(version=conflict.version + 1, updated_at=now), expects=conflict.version)
        parts.journal.index(tx)
    parts.watch(scope)


async def _settled(
    store: Store, scope: Scope, conflict: Conflict, record: Record, ending: ConflictEnding
) -> tuple[Record, ...]:
    """Return the memory as it is to be once its contradiction is settled, and behind it one that is added."""
    how, claim, text = ending.how, ending.claim, ending.text
    data = record.memory
    if how == "keep_both":
        return await _both(store, scope, conflict, record, ending.scopes)
    if how == "merge":
        if not text.strip():
            raise InvalidInput("text: say what is true once both are merged")
        return (record.replace(content=text, data=data.replace(quoted=False, value=text)),)
    if how != "choose":
        raise InvalidInput(f"how: must be one of choose, merge, keep_both, undo, not {how!r}")
    if not 0 <= claim < len(conflict.claims):
        raise InvalidInput(f"claim: must be a number from 0 to {len(conflict.claims) - 1}, not {claim}")
    return (await _as_claimed(store, scope, record, conflict.claims[claim].text),)


async def _both(
    store: Store, scope: Scope, conflict: Conflict, record: Record, scopes: Sequence[str]
) -> tuple[Record, ...]:
    """Return the two claims as two memories, each with where it holds; the newer one stays the one that was there."""
    names = [one.strip() for one in scopes]
    if len(names) != len(conflict.claims) or not all(names) or len({alphanumeric(one) for one in names}) < len(names):
        raise InvalidInput("scopes: say where each of the two claims holds, in order, such as 'at work', 'at home'")
    kept = [await _as_claimed(store, scope, record, claim.text) for claim in conflict.claims]
    values = [one.memory.value for one in kept]
    made = []
    for place, (one, name, claim) in enumerate(zip(kept, names, conflict.claims, strict=True)):
        data = one.memory
        mark = "：" if working_language(claim.text) == "zh" else ": "
        made.append(
            one.replace(
                id=record.id if place else memory_id(data.user, record.id, name),
                content=f"{name}{mark}{claim.text}",
                sources=claim.evidence or one.sources,
                status=Status.ACTIVE,
                data=data.replace(quoted=False, holds=name, replaces=values[1 - place]),
            )
        )
    return tuple(reversed(made))


async def _undone(store: Store, scope: Scope, conflict: Conflict, record: Record) -> tuple[Record, Conflict]:
    """Return the memory as it was before the verdict, and the conflict open again."""
    if conflict.verdict is None or record.id not in conflict.verdict.undo:
        raise InvalidInput(f"conflict {conflict.id} has not been settled, so there is nothing to undo")
    number = conflict.verdict.undo[record.id]
    for version in await store.versions(scope, record.id):
        if version.number == number:
            return version.record, conflict.replace(state=ConflictState.OPEN, verdict=None)
    raise NotFound(f"version {number} of memory {record.id} is gone; edit the memory instead")


async def _as_claimed(store: Store, scope: Scope, record: Record, text: str) -> Record:
    """Return the memory as the version that made a claim has it, or with the claim's words where none did."""
    if record.content == text:
        return record
    for version in await store.versions(scope, record.id):
        if version.record.content == text:
            return version.record.replace(status=Status.ACTIVE)
    data = record.memory
    return record.replace(content=text, data=data.replace(value=text, replaces=data.value, quoted=False))
