"""The façade: what a user of the library sees of a memory, and of one agent's.

An agent is a name bound to the parts that `assembly.py` puts together, and costs nothing until it is used. `_sync.py`
is the blocking face of all of it, written by scripts/sync_face.py.
"""

import asyncio
import mimetypes
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import JsonValue

from remanent._faces import AgentFaces, MemoryFaces
from remanent.assembly import MemoryParts, assemble
from remanent.context import Decision, Scratchpad, SessionInfo, SessionState
from remanent.context.sessions import EndReason
from remanent.discipline import Discipline, chosen
from remanent.erasing import begin_user_erasure, erase_noted, finish_erasures, watch_erasures
from remanent.errors import CallerError, InvalidInput, NotFound, RemanentError, VersionConflict
from remanent.fairness import Shares
from remanent.jobs import Progress
from remanent.model import (
    Attachment,
    CacheFigures,
    Clock,
    Conflict,
    ConflictState,
    Entry,
    Evaluation,
    Found,
    Grain,
    Job,
    JobState,
    Kind,
    Link,
    NewId,
    Probe,
    RecallOptions,
    Receipt,
    Record,
    Scope,
    Status,
    Tombstone,
    UsageFigures,
    Version,
    id_source,
    local,
    system_clock,
    to_instant,
)
from remanent.model.base import read_word
from remanent.model.chat import Chat, Messages
from remanent.model.clock import Moment, read_span
from remanent.model.filters import USER_KEY, check_user, of_user, read_tags, read_where
from remanent.recall import EMBED, INJECTED_ITEMS, ROUGH, Finish, Question, Recipe, evaluate_recall, inject
from remanent.settings import Settings, load_settings, plug_in_sections
from remanent.stores import (
    LIVE,
    NO_LIMIT,
    ConflictQuery,
    EntryQuery,
    Erased,
    Erasure,
    FileStore,
    Health,
    JobQuery,
    LinkQuery,
    Order,
    QueueState,
    RecordFilter,
    RecordQuery,
    Transaction,
)
from remanent.stores.blobs import AttachmentStore
from remanent.stores.transfer import export_lines, import_lines

if TYPE_CHECKING:
    from remanent.agents.deep_retrieval import DeepRetrieved
    from remanent.context import ContextView

F = TypeVar("F")

_ANY_WORD = "ready"
"""What is embedded to have a model loaded; its vector is thrown away."""
_INDEXING_TIMEOUT = 30.0
"""Seconds to wait until something that was just said has become a record."""


class AsyncAgentAdmin:
    """The operator's side of one agent's memory: its files, and the work in its background.

    It stands apart from the verbs of `AsyncAgent` so that those stay few: nothing here remembers or recalls.
    """

    def __init__(self, parts: MemoryParts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._scope}>"

    async def check(self, *, quick: bool = False) -> Health:
        """Examine every page, index and reference of this agent's files; `quick` only tells counts and size."""
        health = await self._parts.store.check(self._scope, quick=quick)
        if quick or health.problems:  # what lies beside a damaged database cannot be judged by it
            return health
        indexes = await self._parts.vectors.check(self._scope)
        return replace(health, indexes=indexes, attachments=await self._parts.blobs.check(self._scope))

    async def repair(self) -> Path:
        """Save what is readable of a damaged file to a new one beside it, and return that."""
        store = self._parts.store
        if not isinstance(store, FileStore):
            raise CallerError("this store keeps no files of its own to repair; use the tools of its database")
        return await store.repair(self._scope)

    async def erase_preview(self, *, entry_ids: Sequence[str] = (), record_ids: Sequence[str] = ()) -> Erased:
        """Return the entries and records that `erase` would destroy for these; nothing is changed."""
        return await self._parts.journal.reach(self._scope, entry_ids=tuple(entry_ids), record_ids=tuple(record_ids))

    async def queue(self) -> QueueState:
        """Return how the agent's background work stands."""
        return await self._parts.store.queue(self._scope)

    async def jobs(self, *, states: Sequence[JobState | str] | None = None, limit: int = 100) -> list[Job]:
        """Return background work that waits, runs or was given up, in the order of the queue."""
        wanted = None if states is None else tuple(read_word(JobState, state, what="state") for state in states)
        return await self._parts.store.jobs(self._scope, JobQuery(states=wanted, limit=limit))

    async def dead_letters(self) -> list[Job]:
        """Return the background work that was given up."""
        return await self._parts.store.jobs(self._scope, JobQuery(states=(JobState.DEAD,)))

    async def revive(self, job_id: str) -> None:
        """Try given-up background work again."""
        async with self._parts.store.transaction(self._scope) as tx:
            tx.revive(job_id)


class AsyncAgent(AgentFaces):
    """One agent's memory: everything here happens in its scope and in no other."""

    def __init__(self, parts: MemoryParts, scope: Scope) -> None:
        self._parts = parts
        self._scope = scope

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._scope}>"

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""
        return self._scope

    @property
    def admin(self) -> AsyncAgentAdmin:
        """What an operator needs: checking and repairing files, and looking after background work."""
        return AsyncAgentAdmin(self._parts, self._scope)

    def face(self, kind: type[F], /) -> F:
        """Return what a discipline gives an agent, by its type."""
        return self._parts.disciplines.agent_face(kind, self)

    # ── writing ──────────────────────────────────────────────────────────────

    async def remember(
        self,
        messages: Messages,
        *,
        session: str | None = None,
        task: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        user: str | None = None,
    ) -> Receipt:
        """Keep messages for good: on return they survive any crash, and recall finds them by their words.

        A message is a text, or what OpenAI's and Anthropic's APIs have for one, tool calls and results too. It may say
        `id` (the same in a session is stored once), `occurred_at`, `metadata`, `tags`, `origin`, `kind`, `attachments`.
        `metadata` and `tags` are for all, to be found by; `user` says whose all are, where an agent has several users.
        """
        with self._parts.store.visit(self._scope):
            return await self._parts.journal.keep(
                self._scope, messages, session=session, task=task, metadata=metadata, tags=tags, user=user
            )

    async def attach(self, content: bytes, *, name: str = "", media_type: str | None = None) -> Attachment:
        """Keep a file durably and return the reference for a message's `attachments`; its name tells its type, too."""
        media_type = media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
        digest = await self._parts.blobs.put(self._scope, content)
        return Attachment(attachment_id=digest, media_type=media_type, name=name, digest=digest, size=len(content))

    async def attachment(self, attachment: Attachment) -> bytes:
        """Return the bytes of a file that was kept with `attach`."""
        if attachment.digest is None:
            raise InvalidInput("this attachment is stored elsewhere; only its uri is known")
        return await self._parts.blobs.get(self._scope, attachment.digest)

    async def scratchpad_write(self, key: str, value: str | None, *, session: str | None = None) -> None:
        """Keep a short text at hand under a key, in place of what was there; `None` removes it. Recall skips it."""
        await Scratchpad(self._parts.store, self._scope, session=session).write(key, value)

    async def begin_session(self, session: str | None = None) -> SessionInfo:
        """Begin a session, or resume one; without a name it gets one. It ends by a call, or after `idle_minutes`."""
        return await self._parts.sessions.sessions.begin(self._scope, session or self._parts.new_id())

    async def end_session(self, session: str, *, reason: EndReason = "call", user: str | None = None) -> SessionInfo:
        """End a session (in which that `user` spoke): disciplines that learn from sessions are told; it can resume."""
        if user is not None and not await self.entries(session=session, where={USER_KEY: check_user(user)}, limit=1):
            raise NotFound(f"this user has no session {session}; `remember` something in it first")
        return await self._parts.sessions.sessions.end(self._scope, session, reason=reason)

    async def update_session(
        self,
        session: str,
        *,
        current_goal: str | None = None,
        sub_goals: Sequence[str] | None = None,
        completed: Sequence[str] | None = None,
        current_step: str | None = None,
        decisions: Sequence[Decision | Mapping[str, str]] | None = None,
        blockers: Sequence[str] | None = None,
        notes: Mapping[str, JsonValue] | None = None,
        expects: int | None = None,
    ) -> SessionState:
        """Write down what the agent is at in a session: what is given replaces what was there, the rest stays.

        A decision is `{"what": …, "why": …}`; `notes` are JSON values. `expects`: only if it is still at that version.
        """
        changes = {
            "current_goal": current_goal,
            "sub_goals": sub_goals,
            "completed": completed,
            "current_step": current_step,
            "decisions": decisions,
            "blockers": blockers,
            "notes": notes,
        }
        given = {name: value for name, value in changes.items() if value is not None}
        return await self._parts.sessions.update(self._scope, session, given, expects=expects)

    async def link(self, from_id: str, to_id: str, *, relation: str = "", strength: float = 1.0) -> Link:
        """Tie two records together, from the first to the second."""
        await _current(self._parts, self._scope, from_id)
        await _current(self._parts, self._scope, to_id)
        now = self._parts.clock()
        link = Link(from_id=from_id, to_id=to_id, relation=relation, strength=strength, created_at=now, updated_at=now)
        async with self._parts.store.transaction(self._scope) as tx:
            tx.link(link)
        return link

    async def forget(self, record_id: str, *, reason: str = "", expects: int | None = None) -> Tombstone:
        """Put a record out of mind: recall no longer finds it, a tombstone tells of it, `restore` brings it back.

        With a learned memory go the turns that say little else, and from others the clauses that tell it; with a turn
        the memories that rest on it alone. With `expects`, only if the record is still at that version.
        """
        record = await _current(self._parts, self._scope, record_id, expects=expects)
        if record.status is Status.FORGOTTEN:
            raise InvalidInput(f"record {record_id} has already been forgotten; `restore` brings it back")
        along, now = await self._parts.disciplines.goes_along(self._scope, record), self._parts.clock()
        async with self._parts.store.transaction(self._scope) as tx:
            tx.forget(record, at=now, reason=reason)
            along.forget(tx, at=now, reason=reason)
            _reembed(self._parts, tx)
        (tombstone,) = await self._parts.store.tombstones(self._scope, [record_id])
        return tombstone

    async def restore(self, record_id: str, *, expects: int | None = None) -> Record:
        """Bring a forgotten record back, with what went along; with `expects`, only if it is still at that version."""
        record = await _current(self._parts, self._scope, record_id, expects=expects)
        if record.status is not Status.FORGOTTEN:
            raise InvalidInput(f"record {record_id} is not forgotten; there is nothing to restore")
        along, now = await self._parts.disciplines.goes_along(self._scope, record), self._parts.clock()
        async with self._parts.store.transaction(self._scope) as tx:
            tx.restore(record, at=now)
            along.restore(tx, at=now)
            _reembed(self._parts, tx)
        return await _current(self._parts, self._scope, record_id)

    async def erase(
        self,
        *,
        entry_ids: Sequence[str] = (),
        record_ids: Sequence[str] = (),
        session: str | None = None,
        everything: bool = False,
        user: str | None = None,
    ) -> Erased:
        """Destroy texts and all that was derived from them: no byte stays in any file, and nothing can be restored.

        With a record go the entries it came from and all else that came from those; with a `user`, all that is theirs.
        """
        others = entry_ids or record_ids or session or everything
        if user is not None and not others:
            entry_ids = await begin_user_erasure(self._parts, self._scope, user)
        elif user is not None or not others:
            raise InvalidInput("say what to erase: entry_ids, record_ids, a session, everything=True, or a user alone")
        await self._parts.compactor().forget(self._scope)
        erasure = Erasure(tuple(entry_ids), tuple(record_ids), session, everything)
        return await erase_noted(self._parts, self._scope, erasure)

    # ── reading ──────────────────────────────────────────────────────────────

    async def context(
        self, messages: Chat, *, budget: int | None = None, level: int | None = None, session: str | None = None
    ) -> "ContextView":
        """Return a conversation as it may be sent: OpenAI-style or Anthropic-style messages within a budget of tokens.

        Results of tools are shortened first, then older messages summarised, then all but the newest become one
        digest. Nothing is lost by it: `view.original(place)` gives what a summary stands for, and `view.report` says
        what was saved. With `level` (0 to 3) that much is done, whatever the length; with neither, the settings decide.
        A model's summaries are kept while they are used, and those of a `session` until it ends.
        """
        scope = self._scope.within(session=session)
        return await self._parts.compactor().view(scope, messages, budget=budget, level=level)

    async def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        kinds: Sequence[Kind | str] | None = None,
        where: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        any_tags: Sequence[str] = (),
        user: str | None = None,
        grain: Grain = "item",
        budget: int | None = None,
        options: RecallOptions | Mapping[str, Any] | None = None,
    ) -> Found:
        """Return what is remembered that answers a question, best first, each item with its sources.

        What nothing here answers gets no items, and `found.gate` says why. `found.text` is for a model, within `budget`
        tokens. `since` and `until` bound when it happened, in local time. `where` asks for metadata, as in
        `{"topic": "travel", "year": {"gte": 2020}}`; `tags`: all, `any_tags`: one. With `user`, only what is theirs
        answers. `grain`: the memory or a question with its answer ("item"), a turn and its neighbours ("turns"), the
        session ("session"). Rarer wishes (another recipe, a past moment, no gate) go into `options`.
        """
        _check_call(query, limit, budget)
        options = RecallOptions() if options is None else RecallOptions.model_validate(options)
        now = self._parts.clock()
        since, until = read_span(since, until)
        bounds = {"occurred_from": since, "occurred_before": until, "alive_at": now, "as_of": options.as_of}
        wanted = _filter(kinds, where=where, tags=tags, any_tags=any_tags, user=user, **bounds)
        # Where the embedder was changed since, records are embedded anew in the background; the question goes on.
        await self._parts.indexing.follow_models(self._scope)
        self._parts.worker.attend(self._scope)
        asked_at = to_instant(options.asked_at or now)
        answer_by = None if options.within is None else asyncio.get_running_loop().time() + options.within
        scope = self._scope.within(session=session)
        question = Question(query, scope, wanted, asked_at=asked_at, answer_by=answer_by)
        found = await self._parts.recall.find(
            question,
            limit=limit,
            depth=INJECTED_ITEMS if grain == "item" else 0,
            recipe=_recipe(options),
            grain=grain,
            order=options.order,
            source_share=options.source_share,
            gated=self._parts.settings.recall.gate if options.gate is None else options.gate,
            shared=True,
            finish=_with_text(self._parts, question, options, now=now, limit=limit, budget=budget),
        )
        self._parts.disciplines.on_given(self._scope, found)
        # What a model is given and repeats must not come back as something new that was said.
        self._parts.echoes.give(self._scope, found.injection.record_ids)
        return found

    async def evaluate(
        self,
        questions: Sequence[Probe | Mapping[str, Any]],
        *,
        recipe: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Evaluation:
        """Ask questions whose answers are known, and measure how well and how fast they are answered.

        A question names `ids` of what answers it, or `texts` that an answer holds, or neither if nothing answers it.
        """
        parts = self._parts

        def advance(done: int) -> None:
            if on_progress is not None:
                on_progress(Progress(pending=len(questions) - done, done=done, failed=0))

        return await evaluate_recall(
            parts.recall, self._scope, questions, recipe=recipe, clock=parts.clock, advance=advance
        )

    async def entries(
        self,
        *,
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        where: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        any_tags: Sequence[str] = (),
        after_seq: int = 0,
        before_seq: int | None = None,
        newest_first: bool = False,
        limit: int = 100,
    ) -> list[Entry]:
        """Return what was said, in order, narrowed as in `recall`; page on with `after_seq`, back with `before_seq`."""
        since, until = read_span(since, until)
        query = EntryQuery(
            occurred_from=since,
            occurred_before=until,
            where=read_where(where),
            tags=read_tags(tags),
            any_tags=read_tags(any_tags),
            after_seq=after_seq,
            before_seq=before_seq,
            newest_first=newest_first,
            limit=limit,
        )
        return await self._parts.store.entries(self._scope.within(session=session), query)

    async def deep_retrieval(self, record_id: str, *, attachment_id: str | None = None) -> "DeepRetrieved":
        """Return every word that a record came from, with the contents of its files; long ones only if asked for."""
        from remanent.agents.deep_retrieval import retrieve_record

        record = await _readable(self._parts, self._scope, record_id)
        owner, came_from = record.scope.owner, [source.entry_id for source in record.sources]
        entries = list((await self._parts.store.entries_by_id(owner, came_from)).values())
        kept = AttachmentStore(self._parts.blobs, owner)
        source_of = self._parts.disciplines.source_of
        return await retrieve_record(record, entries, kept=kept, attachment_id=attachment_id, source_of=source_of)

    async def scratchpad_read(self, key: str | None = None, *, session: str | None = None) -> dict[str, JsonValue]:
        """Return the scratchpad of a session, or the one that belongs to none: all values by key, or one of them."""
        values = await Scratchpad(self._parts.store, self._scope, session=session).read()
        return values if key is None else {name: value for name, value in values.items() if name == key}

    async def session_state(self, session: str) -> SessionState:
        """Return what the agent is at in a session; nothing of one that is over."""
        return await self._parts.sessions.read(self._scope, session)

    async def sessions(self, *, is_open: bool | None = None, limit: int = 100) -> list[SessionInfo]:
        """Return sessions, those that were used last first; only open ones, or only those that are over, if asked."""
        return await self._parts.sessions.sessions.infos(self._scope, is_open=is_open, limit=limit)

    async def get(self, record_id: str) -> Record:
        """Return a record, whatever its status: the agent's own, or one of a document that its workspace shares."""
        return await _readable(self._parts, self._scope, record_id)

    async def records(
        self,
        *,
        kinds: Sequence[Kind | str] | None = None,
        statuses: Sequence[Status | str] | None = LIVE,
        where: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        any_tags: Sequence[str] = (),
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        valid_at: Moment | None = None,
        as_of: Moment | None = None,
        order: Order = Order.LAST_CREATED,
        after_id: str | None = None,
        limit: int = 100,
    ) -> list[Record]:
        """Return records, newest first; page on with `after_id`. `since` and `until` bound when it happened."""
        since, until = read_span(since, until)
        valid_at, as_of = read_span(valid_at, as_of)
        wanted = _filter(
            kinds,
            where=where,
            tags=tags,
            any_tags=any_tags,
            statuses=None if statuses is None else tuple(read_word(Status, one, what="status") for one in statuses),
            occurred_from=since,
            occurred_before=until,
            valid_at=valid_at,
            as_of=as_of,
        )
        query = RecordQuery(filter=wanted, order=order, after_id=after_id, limit=limit)
        return await self._parts.store.records(self._scope.within(session=session), query)

    async def history(self, record_id: str) -> list[Version]:
        """Return every version of a record, the current one last."""
        versions = await self._parts.store.versions(self._scope, record_id)
        if not versions:
            shared = await _readable(self._parts, self._scope, record_id)
            versions = await self._parts.store.versions(shared.scope.owner, record_id)
        return versions

    async def links(self, record_id: str) -> list[Link]:
        """Return the links from and to a record."""
        leaving = await self._parts.store.links(self._scope, LinkQuery(from_ids=(record_id,)))
        return leaving + await self._parts.store.links(self._scope, LinkQuery(to_ids=(record_id,)))

    async def conflicts(
        self,
        *,
        states: Sequence[ConflictState | str] | None = None,
        record_id: str | None = None,
        user: str | None = None,
        limit: int = 100,
    ) -> list[Conflict]:
        """Return contradictions between records, oldest first; of one record or one user, none that is another's."""
        wanted = None if states is None else tuple(ConflictState(state) for state in states)
        query = ConflictQuery(states=wanted, record_id=record_id, limit=limit)
        if user is None:
            return await self._parts.store.conflicts(self._scope, query)
        own = RecordFilter(statuses=None, where=of_user(user))
        return (await self._parts.store.conflicts_among(self._scope, replace(query, limit=NO_LIMIT), own))[:limit]

    async def tombstones(self) -> list[Tombstone]:
        """Return what is left of everything forgotten."""
        return await self._parts.store.tombstones(self._scope)

    # ── moving and waiting ───────────────────────────────────────────────────

    async def export(self) -> AsyncIterator[str]:
        """Yield all that is remembered now as JSON lines; `StoreBusy`, unsealed, if something is erased meanwhile."""
        async with aclosing(export_lines(self._parts.store, self._scope)) as lines:
            async for line in lines:
                yield line

    async def load(self, lines: Iterable[str]) -> dict[str, int]:
        """Take in an export, all of it or nothing, and return how many of each sort; this agent must be empty."""
        return await import_lines(self._parts.store, self._scope, lines)

    async def settle(
        self, *, timeout: float | None = None, on_progress: Callable[[Progress], None] | None = None
    ) -> None:
        """Wait until this agent's background work is done; raises `JobFailed` when some of it was given up."""
        await self._parts.worker.settle([self._scope], timeout=timeout, on_progress=on_progress)


def _reembed(parts: MemoryParts, tx: Transaction) -> None:
    """Ask for the vectors of what has other words now."""
    if parts.embedders is not None:
        parts.indexing.request(tx, EMBED)


async def _current(parts: MemoryParts, scope: Scope, record_id: str, *, expects: int | None = None) -> Record:
    """Return a record as it stands, at the version that the caller expects if one is named."""
    store = parts.store
    record = (await store.records_by_id(scope, (record_id,))).get(record_id)
    if record is None and await store.entries_by_id(scope, (record_id,)):
        # Recall shows what was said a moment ago under the id that its record will have.
        await parts.worker.settle([scope], timeout=_INDEXING_TIMEOUT)
        record = (await store.records_by_id(scope, (record_id,))).get(record_id)
    if record is None:
        raise NotFound(f"there is no record {record_id} here")
    if expects is not None and record.version != expects:
        raise VersionConflict(f"record {record_id} is at version {record.version}, not {expects}; read it again")
    return record


async def _readable(parts: MemoryParts, scope: Scope, record_id: str) -> Record:
    """Return a record that an agent may read: its own, or one that is shared with it, which recall gives as well."""
    try:
        return await _current(parts, scope, record_id)
    except NotFound:
        anything = Question("", scope, RecordFilter(kinds=tuple(Kind), statuses=None))
        for shared in await parts.disciplines.elsewhere(anything):
            query = RecordQuery(filter=shared.record_filter, record_ids=(record_id,), limit=1)
            for record in await parts.store.records(shared.scope, query):
                return record
        raise


def _filter(
    kinds: Sequence[Kind | str] | None,
    *,
    where: Mapping[str, Any] | None,
    tags: Sequence[str],
    any_tags: Sequence[str],
    user: str | None = None,
    **more: Any,
) -> RecordFilter:
    """Return what a caller limits records to, checked; a single kind need not stand in a list."""
    return RecordFilter(
        kinds=None if kinds is None else tuple(map(Kind.known, [kinds] if isinstance(kinds, str) else kinds)),
        where=(*read_where(where), *of_user(user)),
        tags=read_tags(tags),
        any_tags=read_tags(any_tags),
        **more,
    )


def _with_text(
    parts: MemoryParts, question: Question, options: RecallOptions, *, now: datetime, limit: int, budget: int | None
) -> Finish:
    """Return what has disciplines look through an answer, cuts it to its limit and adds the text for a model."""
    tokens, counter = (parts.settings.recall.budget, ROUGH) if budget is None else (budget, None)
    seen, without = frozenset(options.seen), options.without

    async def finished(found: Found) -> Found:
        found = await parts.disciplines.on_found(
            question, found.without(without) if without else found, without=without
        )
        is_unsure = found.gate is not None and found.gate.verdict == "unsure"
        injection = inject(
            question.text, found.items, now=now, budget=tokens, seen=seen, counter=counter, is_unsure=is_unsure
        )
        return found.replace(items=tuple(item for item in found.items if item.rank <= limit), injection=injection)

    # The day: the text says how many days ago something was.
    return Finish(finished, f"{tokens} {budget is None} {sorted(seen)} {sorted(without)} {local(now):%Y-%m-%d}")


def _check_call(query: object, limit: object, budget: int | None) -> None:
    """Refuse what is no question, without repeating it: in the depths it would look like a path that failed."""
    if not isinstance(query, str):
        raise InvalidInput(f"query: must be text, not {'None' if query is None else type(query).__name__}")
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise InvalidInput(f"limit: must be a whole number, not {type(limit).__name__}")
    if budget is not None and budget < 0:
        raise InvalidInput(f"budget must not be negative, but is {budget}")


def _recipe(options: RecallOptions) -> str | Recipe | None:
    """Return the recipe that is asked for; the model package does not know what a recipe is, so it is checked here."""
    recipe = options.recipe
    if recipe is None or isinstance(recipe, str | Recipe):
        return recipe
    raise InvalidInput(f"recipe must be a name or a Recipe, not {type(recipe).__name__}")


class AsyncMemory(MemoryFaces):
    """An open memory: agents, and the background work they share."""

    def __init__(self, parts: MemoryParts) -> None:
        self._parts = parts
        self.notes = parts.notes
        parts.journal.erase_noted = partial(erase_noted, parts)
        self.shelf = parts.shelf
        look = parts.erasures.is_shared or parts.erasures.has_any()
        self._finishing = asyncio.create_task(finish_erasures(parts)) if look else None
        self._is_home_attended = False
        """Whether the queues of all agents of the home are worked on, and not only of those that were used here."""
        self._minding = asyncio.create_task(watch_erasures(parts)) if parts.erasures.is_shared else None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._parts.settings.home}>"

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._parts.settings

    def agent(self, agent: str, *, workspace: str | None = None, org: str | None = None) -> AsyncAgent:
        """Return an agent's memory; it comes into being with the first thing remembered."""
        settings = self._parts.settings
        scope = Scope(
            org=settings.org if org is None else org,
            workspace=settings.workspace if workspace is None else workspace,
            agent=agent,
        )
        return AsyncAgent(self._parts, scope)

    def face(self, kind: type[F], /) -> F:
        """Return what a discipline gives a memory, by its type."""
        return self._parts.disciplines.memory_face(kind, self)

    async def agents(self) -> list[Scope]:
        """Return every agent that remembers something here."""
        return await self._parts.store.scopes()

    async def settle(
        self, *, timeout: float | None = None, on_progress: Callable[[Progress], None] | None = None
    ) -> None:
        """Wait until background work is done, that which an earlier process left behind included.

        Raises `JobFailed` when some of it was given up.
        """
        if self._finishing is not None:
            await self._finishing
        if not self._is_home_attended:
            for scope in await self._parts.store.scopes():
                self._parts.worker.attend(scope)
            self._is_home_attended = True
        await self._parts.worker.settle(timeout=timeout, on_progress=on_progress)

    async def warm(self, *, agents: int = 64) -> int:
        """Load what first questions would wait for: the models, and the indexes of the agents that were used last.

        Background work that an earlier process left in their queues is taken up, too. Returns for how many agents that
        is done; a model or an index that cannot be loaded is told of by the questions that need it.
        """
        for embedder in self._parts.questions:
            if embedder.loading:
                with suppress(RemanentError):
                    await embedder.embed([_ANY_WORD])
        scopes = await self._parts.store.latest(limit=agents)
        for scope in scopes:
            self._parts.worker.attend(scope)
            await self._parts.recall.prepare(scope)
        return len(scopes)

    @property
    def shares(self) -> Shares:
        """Which organisations asked for something lately, and how much of the process each had."""
        return self._parts.recall.shares

    async def backlog(self, *, limit: int = 100) -> list[QueueState]:
        """Return how the background work of the agents in use stands, without saying whose it is."""
        return [await self._parts.store.queue(scope) for scope in self._parts.worker.watched[:limit]]

    def outages(self) -> list[str]:
        """Return why background work is postponed: which providers are out of order, but not whose work it is."""
        return self._parts.worker.outages

    def caches(self) -> tuple[CacheFigures, ...]:
        """Return how often answers and questions' vectors were there already, since this memory was opened."""
        return (self._parts.recall.figures, *(embedder.figures for embedder in self._parts.questions))

    def usage(self) -> UsageFigures:
        """Return what models took since this memory was opened: texts embedded, tokens and cost by role."""
        embedders = self._parts.embedders
        return UsageFigures(embedding=() if embedders is None else embedders.figures, roles=self._parts.engine.figures)

    async def aclose(self) -> None:
        """Let running work end, then let go of every file; nothing acknowledged is lost either way."""
        # The worker first, since its jobs use all the rest; then what writes to the store, then the store.
        if self._minding is not None:
            self._minding.cancel()
            await asyncio.wait([self._minding])
        if self._finishing is not None:
            await self._finishing
        await self._parts.worker.stop()
        await self._parts.disciplines.close()
        await self._parts.cache.close()
        await self._parts.vectors.close()
        await self._parts.store.close()
        self._parts.shelf.close()
        if self._parts.compactor.made is not None:
            await self._parts.compactor.made.close()
        await self._parts.engine.close()
        await self._parts.known.close()
        if self._parts.embedders is not None:
            await self._parts.embedders.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def aopen(
    home: str | PathLike[str] | None = None,
    *,
    settings: Settings | None = None,
    clock: Clock = system_clock,
    new_id: NewId | None = None,
    disciplines: Sequence[Discipline] = (),
    **overrides: Any,
) -> AsyncMemory:
    """Open the memory under a folder; it is made when something is remembered. Use it in a `with` block, or close it.

    Settings come from the arguments, then the environment, then configuration files, unless given whole. Every
    discipline that is installed is at work; those given here take the place of the ones of their names.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError as error:
        raise CallerError("aopen needs a running event loop; call it in a coroutine, or use remanent.open") from error
    plug_in_sections(disciplines)
    if settings is None:
        settings = load_settings(home=home, **overrides)
    elif home is not None or overrides:
        raise InvalidInput("give either settings or individual values, not both")
    parts = assemble(settings, chosen(disciplines), clock=clock, new_id=new_id or id_source(clock))
    if settings.jobs.enabled:
        parts.worker.start()
    return AsyncMemory(parts)
