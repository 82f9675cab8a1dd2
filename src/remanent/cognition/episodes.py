"""Episodes: what a session was about, who took part and what came of it, made when the session ends."""

from remanent.cognition.model import memory_id
from remanent.cognition.settings import CognitionSettings
from remanent.discipline import Parts
from remanent.language.offline.statements import is_secret
from remanent.language.roles.summary import MARKS, SUMMARY, SummaryLevel, SummaryRequest
from remanent.language.shapes import Utterance
from remanent.model import Entry, EntryKind, EpisodicData, Job, Kind, Origin, Record, Source, Status, least_trusted
from remanent.model.filters import user_in
from remanent.stores import EntryQuery, Transaction
from remanent.text.scripts import alphanumeric
from remanent.text.talk import is_small_talk, only_asks

_MAX_ENTRIES = 200
"""Entries of a session that are read, the last ones; chosen by hand."""
_MIN_ENTRIES = 3
"""Below that a session is no event but a remark."""
_MAX_TEXT = 2000
"""Characters of one message that a session is summed up from: what a program printed must not crowd out the talk."""
_TALK = frozenset({Origin.USER, Origin.AGENT, Origin.UNTRUSTED})
_LONGEST = 300
"""Characters of the last answer that stand for how the session ended."""


async def make_episode(parts: Parts, settings: CognitionSettings, job: Job, tx: Transaction) -> None:
    """Keep what a session was about for each who took part as user, in place of what was kept when it last ended."""
    session = str(job.payload.get("session", ""))
    scope = job.scope.owner.within(session=session)
    found = await parts.store.entries(scope, EntryQuery(newest_first=True, limit=_MAX_ENTRIES))
    entries = [entry for entry in reversed(found) if _counts(entry)]
    if not settings.learn:
        return
    users = dict.fromkeys(user for entry in entries if (user := user_in(entry.metadata)))
    for user in users or [""]:
        # What says nothing of whose it is belongs to the only one who is named, and to nobody among several.
        own = [
            entry
            for entry in entries
            if user_in(entry.metadata) == user or (len(users) == 1 and not user_in(entry.metadata))
        ]
        own, sources = await _remembered(parts, own) if own else ([], [])
        if len(own) >= _MIN_ENTRIES:
            await _make_episode_of(parts, own, sources, tx, user=user)


async def _make_episode_of(
    parts: Parts, entries: list[Entry], sources: list[Source], tx: Transaction, *, user: str
) -> None:
    """Make an episode of a session, or its next version where more was said since; the same summary again is none.

    Secrets are left out: what a summary says outlives the words that it was made of.
    """
    scope = entries[-1].scope
    request = SummaryRequest(
        level=SummaryLevel.SEGMENT,
        utterances=tuple(
            Utterance(speaker=entry.role, text=entry.text[:_MAX_TEXT], occurred_at=entry.occurred_at)
            for entry in entries
        ),
    )
    answer = await parts.engine.run(SUMMARY, request)
    mark = MARKS[SummaryLevel.SEGMENT]
    event = answer.value.text.removeprefix(mark.en).removeprefix(mark.zh).strip()
    if not event or is_secret(event):
        return
    record_id = memory_id(user, "session", scope.session or "")
    known = (await parts.store.records_by_id(scope.owner, (record_id,))).get(record_id)
    if known is not None and alphanumeric(known.content) == alphanumeric(event):
        return
    now, last = parts.clock(), entries[-1]
    answers = [entry for entry in entries if entry.origin is Origin.AGENT]
    record = Record(
        id=record_id,
        scope=last.scope,
        kind=Kind.EPISODIC,
        content=event,
        importance=0.5,
        confidence=0.8,
        created_at=now if known is None else known.created_at,
        updated_at=now,
        occurred_at=entries[0].occurred_at,
        version=1 if known is None else known.version + 1,
        sources=tuple(sources),
        trust=least_trusted(entry.origin for entry in entries),  # no more than the least trusted of what it rests on
        made_by=answer.made_by,
        data=EpisodicData(
            user=user,
            subject=last.scope.session or "",
            attribute="session",
            value=event,
            participants=tuple(dict.fromkeys(user_in(entry.metadata) or entry.role for entry in entries)),
            outcome=answers[-1].text[:_LONGEST] if answers else "",
            artifacts=tuple(file.name or file.attachment_id for entry in entries for file in entry.attachments),
        ),
    )
    tx.put(record, expects=record.version - 1)
    parts.journal.index(tx)


async def _remembered(parts: Parts, entries: list[Entry]) -> tuple[list[Entry], list[Source]]:
    """Return entries without what was forgotten of them, and where what is left stands in the journal."""
    turns = await parts.store.records_by_id(entries[-1].scope.owner, [entry.id for entry in entries])
    kept, sources = list[Entry](), list[Source]()
    for entry in entries:
        turn = turns.get(entry.id)
        if turn is None or turn.kind is not Kind.TURN or turn.status is not Status.ACTIVE:
            if turn is None or turn.status is not Status.FORGOTTEN:
                kept.append(entry)
                sources.append(Source(entry_id=entry.id, end=len(entry.text)))
        else:
            kept.append(entry.replace(text=turn.content))
            sources += turn.sources
    return kept, sources


def _counts(entry: Entry) -> bool:
    talk = entry.kind is EntryKind.MESSAGE and entry.origin in _TALK and not entry.erased
    return talk and bool(entry.text) and not (only_asks(entry.text) or is_small_talk(entry.text))
