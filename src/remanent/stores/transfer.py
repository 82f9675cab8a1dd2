"""A whole agent as lines of JSON, and back: for backups that outlive any database engine.

The first line names the format and the agent, the last one counts the lines of each sort and seals the rest with
a SHA-256, so that a file that was cut or changed is refused. In between, one item per line: entries in the order
of the journal, records in the order of their creation, past versions, links, conflicts, tombstones, vectors,
states, dead letters, and the jobs that wait. Nothing in it depends on when or where the export was made: exporting
what was imported gives the same bytes. Blobs are not part of it; entries keep the digests.

Each sort comes before what refers to it, so that an import can check references as it goes and needs to hold no more
than a batch in memory. Search terms are not part of it either: they are worked out again, by the rules of the version
that imports.
"""

import asyncio
import hashlib
import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from pydantic_core import from_json

from remanent.errors import IntegrityError, InvalidInput, SchemaTooNew
from remanent.lightweight import dataclass
from remanent.model import Conflict, Entry, Job, JobState, Link, Record, Scope, Tombstone, Version
from remanent.model.base import check_json
from remanent.stores.queries import ConflictQuery, JobQuery, LinkQuery, RecordFilter, RecordQuery
from remanent.stores.registry import Stores
from remanent.stores.search_terms import TermsOfTalks, indexed_terms, is_searched
from remanent.stores.shelf import Shelf
from remanent.stores.store import HIDDEN, PAGE, Store, StoreReader, every_entry, every_record, vector_pages
from remanent.stores.transaction import (
    AppendEntry,
    Change,
    EnqueueJob,
    PutConflict,
    PutLink,
    PutRecord,
    PutState,
    PutTombstone,
    PutVector,
    PutVersion,
)

_FORMAT = 1
"""Raised when an older Remanent could not read an export any more; it then says so instead of guessing."""
BATCH = 1000
"""Lines that are handed to the store at a time; the next batch is parsed while one is written."""
_ALL = 2**31
"""More than there can be: an export leaves nothing out."""
_EVERY_STATUS = RecordFilter(statuses=None)
# Line ends to `str.splitlines`, though not to a file or to JSON: written as escapes, no reader can split a line there.
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


# ── out ──────────────────────────────────────────────────────────────────────


async def export_lines(store: Store, scope: Scope) -> AsyncGenerator[str, None]:
    """Yield the lines of an agent's export, without line ends, as it stands when the first is asked for.

    What others write meanwhile is not in it. When something is erased meanwhile it ends with `StoreBusy`, unsealed.
    """
    _require_whole_agent(scope)
    seal = _Seal()
    async with store.snapshot(scope) as snapshot:
        names = {"org": scope.org, "workspace": scope.workspace, "agent": scope.agent}
        yield seal.add(_dump({"remanent": "export", "format": _FORMAT, **names}))
        async for sort, body in _words(snapshot, scope):
            yield seal.count(sort, f'{{"{sort}":{_safe(body)}}}')
        await snapshot.standing(scope)  # refused if anything of it is erased by now
    yield seal.trailer()


class _Seal:
    """Counts and hashes lines as they pass."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._hash = hashlib.sha256()

    def add(self, line: str) -> str:
        self._hash.update(line.encode())
        self._hash.update(b"\n")
        return line

    def count(self, sort: str, line: str) -> str:
        self.counts[sort] += 1
        return self.add(line)

    @property
    def by_sort(self) -> dict[str, int]:
        return {sort: self.counts[sort] for sort in IMPORTED_KINDS}

    def trailer(self) -> str:
        return _dump({"remanent": "end", "counts": self.by_sort, "sha256": self._hash.hexdigest()})


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _safe(text: str) -> str:
    """Return JSON without the three signs that Python's `splitlines` and JavaScript take for the end of a line."""
    for char, escape in _LINE_ENDS.items():
        if char in text:
            text = text.replace(char, escape)
    return text


async def _words(store: StoreReader, scope: Scope) -> AsyncIterator[tuple[str, str]]:
    """Yield the sort and the JSON of every item; journal, records and versions page by page."""
    async for entry in every_entry(store, scope):
        yield "entry", entry.to_json()
    async for record in every_record(store, scope, RecordQuery(_EVERY_STATUS)):
        yield "record", record.to_json()
    async for version in _past_versions(store, scope):
        yield "version", version.to_json()
    for link in await store.links(scope, LinkQuery()):
        yield "link", link.to_json()
    for conflict in await store.conflicts(scope, ConflictQuery(limit=_ALL)):
        yield "conflict", conflict.to_json()
    for tombstone in await store.tombstones(scope):
        yield "tombstone", tombstone.to_json()
    async for vector in _vectors(store, scope):
        yield "vector", vector
    own = {key: value for key, value in (await store.states(scope)).items() if not key.startswith(HIDDEN)}
    for key, value in sorted(own.items()):
        yield "state", _dump({"key": key, "value": value})
    for job in await _jobs(store, scope):
        yield "job", job.to_json()


async def _past_versions(store: StoreReader, scope: Scope) -> AsyncIterator[Version]:
    """Yield superseded versions, page by page."""
    last: tuple[str, int] | None = None
    while page := await store.past_versions(scope, after=last, limit=PAGE):
        for version in page:
            yield version
        last = (page[-1].record.id, page[-1].number)


async def _vectors(store: StoreReader, scope: Scope) -> AsyncIterator[str]:
    """Yield the vectors of every model in the order of their records, so that two exports are alike; page by page."""
    for model in sorted(await store.vector_models(scope)):
        ids = sorted([one async for page in vector_pages(store, scope, model) for one in page.record_ids])
        for start in range(0, len(ids), PAGE):
            held = await store.vectors(scope, ids[start : start + PAGE], model=model)
            for record_id in sorted(held):
                values = b64encode(held[record_id].astype("<f4").tobytes()).decode()
                yield _dump({"record_id": record_id, "model": model, "values": values})


async def _jobs(store: StoreReader, scope: Scope) -> list[Job]:
    """Return dead letters, then what waits; a job that runs waits in the export, as after a crash."""
    dead = await store.jobs(scope, JobQuery(states=(JobState.DEAD,), limit=_ALL))
    living = await store.jobs(scope, JobQuery(states=(JobState.PENDING, JobState.RUNNING), limit=_ALL))
    waiting: list[Job] = []
    keys: set[tuple[str, str]] = set()
    for job in living:
        if job.key is not None and (job.lane, job.key) in keys:
            continue  # it waits behind a running job with its key: waiting too, that one is the same work
        if job.key is not None:
            keys.add((job.lane, job.key))
        waiting.append(job.replace(state=JobState.PENDING, worker=None, lease_until=None))
    return dead + waiting


# ── in ───────────────────────────────────────────────────────────────────────


async def import_lines(store: Store, scope: Scope, lines: AsyncIterable[str] | Iterable[str]) -> dict[str, int]:
    """Fill an unused agent from an export, all or nothing, and return how many items of each sort there were.

    The export may be of another agent: its items then belong to this one. Search terms are worked out anew.
    """
    _require_whole_agent(scope)
    reader = _ImportReader(scope)
    batches = _batches(reader, lines)

    async def joined() -> AsyncIterator[Sequence[Change]]:
        for batch in begun:
            yield batch
        async for batch in batches:
            yield batch

    try:
        # A short export is read to its end before the store is asked: one that is refused makes no empty agent.
        begun = [batch for _ in range(2) if (batch := await anext(batches, None)) is not None]
        await store.load(scope, joined())
    finally:
        await batches.aclose()
    return reader.seal.by_sort


def _require_whole_agent(scope: Scope) -> None:
    if scope != scope.owner:
        raise InvalidInput("an agent is exported and imported as a whole; leave out session and task")


async def _batches(
    reader: "_ImportReader", lines: AsyncIterable[str] | Iterable[str]
) -> AsyncGenerator[Sequence[Change], None]:
    """Yield changes batch by batch; while the store writes one, the next is parsed on a thread."""
    chunks = _chunks(lines)

    async def parse() -> list[Change] | None:
        chunk = await anext(chunks, None)
        return None if chunk is None else await asyncio.to_thread(reader.read, chunk)

    following = asyncio.create_task(parse())
    try:
        while (batch := await following) is not None:
            following = asyncio.create_task(parse())
            yield batch
        reader.finish()
    finally:
        await asyncio.gather(following, return_exceptions=True)


async def _chunks(lines: AsyncIterable[str] | Iterable[str]) -> AsyncIterator[list[str]]:
    """Yield lines in batches; a plain file is read on a thread, since it may lie on a slow disk."""
    if isinstance(lines, AsyncIterable):
        chunk: list[str] = []
        async for line in lines:
            chunk.append(line)
            if len(chunk) == BATCH:
                yield chunk
                chunk = []
        if chunk:
            yield chunk
        return
    iterator = iter(lines)
    while chunk := await asyncio.to_thread(lambda: list(islice(iterator, BATCH))):
        yield chunk


class _ImportReader:
    """Turns lines into changes, and knows at the end whether they were all of the export and nothing else."""

    def __init__(self, target: Scope) -> None:
        self.seal = _Seal()
        self._target = target
        self._number = 0
        self._origin: tuple[str, str, str] | None = None
        self._ended = False
        self._last_seq = 0
        self._section = 0
        self._scopes: dict[tuple[str | None, str | None], Scope] = {}
        self._terms = TermsOfTalks()

    def read(self, lines: Iterable[str]) -> list[Change]:
        """Return the changes that the next lines stand for."""
        changes = []
        for line in lines:
            self._number += 1
            marked = self._number == 1 and line.startswith("\ufeff")  # as some editors and shells save a file
            try:
                change = self._line(line[marked:].rstrip("\r\n"))
            except InvalidInput as error:
                raise InvalidInput(f"line {self._number} of the export: {error}") from error
            if change is not None:
                changes.append(change)
        return changes

    def finish(self) -> None:
        """Refuse an export without its last line."""
        if not self._ended:
            raise IntegrityError(
                f"the export stops after line {self._number}, before its closing "
                "line: it was cut off; get the complete file"
            )

    def _line(self, line: str) -> Change | None:
        """Turn one line into a change; the first and the last give none."""
        if self._ended:
            if line.strip():
                raise InvalidInput("something follows the last line: the file was added to")
            return None
        try:
            value = from_json(line.encode())
        except ValueError as error:  # half of a surrogate pair is one, too
            raise InvalidInput(f"this is not JSON ({error})") from error
        if not isinstance(value, dict):
            raise InvalidInput("a JSON object was expected")
        if self._origin is None:
            self._begin(value)
            self.seal.add(line)
            return None
        if "remanent" in value:
            self._end(value)
            return None
        return self._word(line, value)

    def _begin(self, header: dict[str, Any]) -> None:
        """Read the first line: whose export it is, and whether this version can read it."""
        if header.get("remanent") != "export":
            raise InvalidInput("this is not a Remanent export: its first line does not say so")
        number = header.get("format")
        if type(number) is not int or number < 1:
            raise InvalidInput("its first line names no format")
        if number > _FORMAT:
            raise SchemaTooNew(
                f"the export has format {number}, but this version of Remanent only knows {_FORMAT}; upgrade Remanent"
            )
        origin = Scope.model_validate({name: header.get(name) for name in ("org", "workspace", "agent")})
        self._origin = (origin.org, origin.workspace, origin.agent)

    def _end(self, trailer: dict[str, Any]) -> None:
        """Compare the last line with what was counted and hashed on the way."""
        if trailer != from_json(self.seal.trailer()):
            raise IntegrityError(
                f"line {self._number} does not match the lines before it: the export was changed, or lines are missing"
            )
        self._ended = True

    def _word(self, line: str, value: dict[str, Any]) -> Change:
        """Turn a line in between into a change, if its sort may still come."""
        sort, body = next(iter(value.items()), ("", None))
        if len(value) != 1 or sort not in IMPORTED_KINDS or not isinstance(body, dict):
            raise InvalidInput(f"it must be one of {', '.join(IMPORTED_KINDS)}")
        if _PLACES[sort] < self._section:
            raise InvalidInput(f"it comes too late: each {sort} must come before whatever refers to it")
        self._section = _PLACES[sort]
        change: Change = getattr(self, sort)(body)
        self.seal.count(sort, line)
        return change

    def _owned(self, body: dict[str, Any]) -> dict[str, Any]:
        """Give an item to the agent that is filled, whoever was exported."""
        scope = body.get("scope")
        if not isinstance(scope, dict):
            raise InvalidInput("its scope is missing")
        if (scope.get("org"), scope.get("workspace"), scope.get("agent")) != self._origin:
            raise InvalidInput("it belongs to a different agent from the one in the first line")
        key = (scope.get("session"), scope.get("task"))
        try:
            known = self._scopes.get(key)
        except TypeError as error:
            raise InvalidInput("its scope is malformed") from error
        if known is None:
            # Scopes repeat from line to line, and checking one costs more than all the rest of a record.
            known = self._scopes[key] = self._target.within(session=key[0], task=key[1])
        body["scope"] = known
        return body

    # One method per sort of line.

    def entry(self, body: dict[str, Any]) -> Change:
        """Places must rise; else the journal was put together from parts."""
        entry = Entry.model_validate(self._owned(body))
        if entry.seq <= self._last_seq:
            raise InvalidInput(f"place {entry.seq} of the journal does not follow {self._last_seq}")
        self._last_seq = entry.seq
        self._terms.hear(entry)
        return AppendEntry(entry)

    def record(self, body: dict[str, Any]) -> Change:
        record = Record.model_validate(self._owned(body))
        return PutRecord(record, self._terms.of(record), record.version - 1, is_searched(record))

    def version(self, body: dict[str, Any]) -> Change:
        """A version without an end would be the current one, which has a line of its own."""
        if not isinstance(body.get("record"), dict) or body.get("superseded_at") is None:
            raise InvalidInput("a past version needs a record and the time when it was superseded")
        self._owned(body["record"])
        version = Version.model_validate(body)
        return PutVersion(version, indexed_terms(version.record))

    def link(self, body: dict[str, Any]) -> Change:
        return PutLink(Link.model_validate(body))

    def conflict(self, body: dict[str, Any]) -> Change:
        conflict = Conflict.model_validate(self._owned(body))
        return PutConflict(conflict, conflict.version - 1)

    def tombstone(self, body: dict[str, Any]) -> Change:
        return PutTombstone(Tombstone.model_validate(self._owned(body)))

    def vector(self, body: dict[str, Any]) -> Change:
        """Values are base64 of float32: exact to the bit, and half as long as digits."""
        record_id, model, values = (body.get(name) for name in ("record_id", "model", "values"))
        if len(body) != 3 or not all(isinstance(part, str) for part in (record_id, model, values)):
            raise InvalidInput("a vector needs a record_id, a model and its values")
        try:
            raw = b64decode(str(values), validate=True)
        except ValueError as error:
            raise InvalidInput("the values of a vector are float32 in base64") from error
        return PutVector(str(record_id), str(model), raw)

    def state(self, body: dict[str, Any]) -> Change:
        """Return a state to write; one of our own bookkeeping is refused, since an import must not set it."""
        key, value = body.get("key"), body.get("value")
        if len(body) != 2 or not isinstance(key, str) or value is None or key.startswith(HIDDEN):
            raise InvalidInput("a state needs a key and a value")
        return PutState(key, check_json(value))

    def job(self, body: dict[str, Any]) -> Change:
        """Return a job to enqueue; the bound on the queue does not hold for it: a whole agent comes or none."""
        job = Job.model_validate(self._owned(body))
        if job.state is JobState.RUNNING:
            raise InvalidInput("a job in an export cannot be running")
        return EnqueueJob(job, limit=_ALL)


IMPORTED_KINDS = ("entry", "record", "version", "link", "conflict", "tombstone", "vector", "state", "job")
"""The sorts of lines between the first and the last, in their order; `_ImportReader` has a method for each."""
_PLACES = {sort: place for place, sort in enumerate(IMPORTED_KINDS)}


# ── copying all agents from one store to another, whatever engines they are, and proving that the copy is one ──
# An agent is exported, imported and exported again: the same bytes come out of both, or the copy is refused. What was
# copied before is recognised by the same proof, so that a copy that broke off is simply made again. Nothing is removed
# from where it was.


@dataclass(frozen=True, slots=True)
class MovedAgent:
    """One agent that is now in both places."""

    scope: Scope
    counts: Mapping[str, int]
    """How many there are of each sort: entries, records, versions and so on."""
    sha256: str
    """Of the whole export, which is the same from both."""
    files: int
    copied: bool
    """Whether it was copied now; else it was there already, just like this."""


async def move_agents(source: Stores, target: Stores) -> AsyncIterator[MovedAgent]:
    """Copy every agent with its files, one after the other; refuse one whose place is taken by something else."""
    there = set(await target.store.scopes())
    for scope in await source.store.scopes():
        seal = await _seal(source, scope)
        copied = not (scope in there and await _seal(target, scope) == seal)
        if copied:
            lines = _Noted(export_lines(source.store, scope))  # of another moment than the seal, if others write
            await import_lines(target.store, scope, lines)
            seal = lines.last
            if await _seal(target, scope) != seal:
                raise IntegrityError(f"the copy of {scope} differs from its original; erase it and copy again")
        files = await _copy_files(source, target, scope)
        end = json.loads(seal)
        yield MovedAgent(scope, end["counts"], end["sha256"], files, copied)


async def move_shelf(source: Shelf, target: Shelf) -> int:
    """Copy what belongs to no agent, and return how many were copied: keys, audit log, runs, turns that wait, notes.

    What is there already is left as it is, and so is a log that has lines: two chains cannot be made one. Both shelves
    of this machine's files are the same one.
    """
    if not (source.is_shared or target.is_shared):
        return 0
    return await asyncio.to_thread(_move_shelf, source, target)


_SHELVED = (".access", ".access/runs", ".access/replays", ".access/heads", ".embedders", ".proxy", ".proxy/refused")
"""The folders of documents that are copied."""
_MARKER = ".keys-were-made"
_LOGS = ".access/audit"


def _move_shelf(source: Shelf, target: Shelf) -> int:
    """Copy keys, notes and audit logs, what is there already excepted, and return how many were copied.

    Logs are compared line by line afterwards: their chain is the proof of what was done, and must arrive whole.
    """
    documents = [*(pair for folder in _SHELVED for pair in source.documents(folder))]
    marker = source.read(_MARKER)
    if marker is not None:
        # First, as whenever keys are made: a copy that breaks off leaves nothing open.
        documents.insert(0, (_MARKER, marker))
    copied = 0
    for name, content in documents:
        if not target.exists(name):
            target.write(name, content)
            copied += 1
    for name in source.logs(_LOGS):
        lines, log = list(source.log(name).lines()), target.log(name)
        if lines and name.endswith(".jsonl") and log.state() is None:
            with log.held() as held:
                held.put(lines, place=0)
            if list(log.lines()) != lines:
                raise IntegrityError(f"the copy of {name} differs from its original; check the target and copy again")
            copied += 1
    return copied


class _Noted:
    """Lines on their way, of which the last is kept: it seals the others."""

    def __init__(self, lines: AsyncIterator[str]) -> None:
        self._lines = lines
        self.last = ""

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._lines:
            self.last = line
            yield line


async def _seal(stores: Stores, scope: Scope) -> str:
    """Return the last line of an agent's export, which counts and hashes all the others."""
    last = ""
    async for line in export_lines(stores.store, scope):
        last = line
    return last


async def _copy_files(source: Stores, target: Stores, scope: Scope) -> int:
    """Copy files that are not there yet; each is read and named by its hash, so that none can be another."""
    digests = await source.blobs.digests(scope)
    there = set(await target.blobs.digests(scope))
    for digest in digests:
        if digest not in there:
            await target.blobs.put(scope, await source.blobs.get(scope, digest))
    return len(digests)


def require_two(source: str, target: str) -> None:
    """Refuse to copy something to itself."""
    if source.rstrip("/") == target.rstrip("/"):
        raise InvalidInput("both URLs name the same place; nothing was copied")
