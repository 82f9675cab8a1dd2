"""The files as records: which passages they have, found again by words and meaning, and brought up to date in steps.

The files are the truth and the index is derived: it can be deleted, and the next look at the folder builds it again.
A look compares names, sizes and times of change, which takes milliseconds; only files that differ are read. A file is
known by an id of its own, so that a passage keeps its record, and with it what links to it, when the file is renamed or
a part of it is edited.
"""

import asyncio
import os
import re
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime, time
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeVar

from remanent.discipline import Parts
from remanent.errors import InvalidInput, UnreadableFile
from remanent.lightweight import dataclass
from remanent.loaders.types import decoded
from remanent.model import Found, FoundItem, Kind, Link, Model, NoteData, Origin, Record, Scope
from remanent.model.base import Count, Text
from remanent.model.filters import MAX_TAG_LENGTH, MAX_TAGS
from remanent.recall import Question, inject
from remanent.stores import LinkQuery, RecordFilter, Transaction, search_terms
from remanent.text.markdown import parse_markdown
from remanent.text.terms import query_terms
from remanent.text.tokens import chunks
from remanent.workspace.files import STATES, WorkspaceFiles, lock_folder
from remanent.workspace.hooks import MARKER, bullet_key, own_bullets, without_comments
from remanent.workspace.scanning import FolderScan, mark_of

T = TypeVar("T")
SearchMode = Literal["hybrid", "fts", "semantic"]
_RECIPES: Mapping[str, str] = {"fts": "words", "semantic": "meaning", "hybrid": "hybrid"}
WIKILINK = "wikilink"
"""The relation of links between notes."""
_CHUNK_CHARACTERS = 1200
"""Characters of a passage at most: some 300 words, which is what embedding models read. Chosen by hand."""
_MAX_HITS = 500
"""Passages that one search returns at most: half of what a recall does."""
_FILES_AT_ONCE = 100
"""Files that are read and committed together; chosen by hand, so that others get their turn."""
_SAME_FILE = 0.5
"""The share of passages that a new name must have in common with a file that is gone to be the same file."""
_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class IndexReport(Model):
    """What a look at the folder changed in the index."""

    files: Count = 0
    """How many there are."""
    added: tuple[Text, ...] = ()
    changed: tuple[Text, ...] = ()
    renamed: tuple[Text, ...] = ()
    removed: tuple[Text, ...] = ()
    skipped: tuple[Text, ...] = ()
    """Too large, no text, or gone before they could be read."""


class WorkspaceHit(FoundItem):
    """A passage that was found, and where it stands in its file."""

    path: Text
    heading: Text = ""
    line: Count
    """Where it begins, from 1."""
    end_line: Count


class WorkspaceFound(Found):
    """The passages that a search of the files found, best first."""

    items: tuple[WorkspaceHit, ...] = ()


@dataclass(frozen=True, slots=True)
class FileSection:
    """A stretch of a file under one heading."""

    text: str
    heading: str
    line: int
    end_line: int
    links: tuple[str, ...]

    @property
    def digest(self) -> str:
        """What tells its text from another."""
        return sha256(self.text.encode()).hexdigest()[:16]


@dataclass(slots=True)
class _File:
    """What is known of one indexed file."""

    file_id: str
    path: str
    mark: tuple[int, int]
    """Time of change and size."""
    passages: list[tuple[str, str]] = field(default_factory=list)
    """Record and digest of each passage, in order."""
    links: dict[str, list[str]] = field(default_factory=dict)
    """By record, the names that its passage links to."""

    def to_state(self) -> dict[str, Any]:
        return {"path": self.path, "mark": list(self.mark), "passages": [list(one) for one in self.passages]} | (
            {"links": self.links} if self.links else {}
        )

    @classmethod
    def of_state(cls, file_id: str, state: Any) -> "_File":
        passages = [(record_id, digest) for record_id, digest in state["passages"]]
        return cls(file_id, state["path"], tuple(state["mark"]), passages, dict(state.get("links", {})))


@dataclass(frozen=True, slots=True)
class _Read:
    """A file as it was just read."""

    path: str
    mark: tuple[int, int]
    passages: tuple[FileSection, ...]
    tags: tuple[str, ...]
    occurred_at: datetime
    is_read: bool
    """Whether it is text, and not too large: else it has no passages, and is not read again until it changes."""


# ── reading Markdown ─────────────────────────────────────────────────────────


def passages_of(text: str) -> tuple[list[FileSection], tuple[str, ...]]:
    """Return a note's passages, each under its heading and with its lines, and the tags of its front matter.

    A fact that we took down is a passage of its own: those above and below it speak of other things.
    """
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    parsed = parse_markdown(text)
    own = own_bullets(text.split("\n")) if MARKER in text else {}
    found: list[FileSection] = []
    at_line, counted = 1, 0
    for section in parsed.sections:
        heading = " › ".join(section.path)
        for chunk in chunks(section.of(text), _CHUNK_CHARACTERS, counter=len):
            start = section.start + chunk.start
            at_line, counted = at_line + text.count("\n", counted, start), start
            titles = 1 if section.level and chunk.start == 0 else 0
            for place, run in enumerate(_runs(list(enumerate(chunk.text.split("\n"), at_line)), own)):
                said = without_comments("\n".join(one for _, one in run))
                body = said.partition("\n")[2] if titles and place == 0 else said
                if body.strip():  # a heading alone says nothing that those below it do not
                    filled = [number for number, one in run if one.strip()]
                    links = tuple(dict.fromkeys(name.strip() for name in _WIKILINK.findall(said)))
                    found.append(FileSection(said.strip(), heading, filled[0], filled[-1], links))
    return found, _tags(parsed.fields.get("tags", ""))


def _runs(lines: Sequence[tuple[int, str]], own: Mapping[int, int]) -> Iterator[list[tuple[int, str]]]:
    """Yield numbered lines as passages: what people wrote as it stands, a fact that we took down by itself."""
    run: list[tuple[int, str]] = []
    for number, line in lines:
        if number - 1 not in own:
            run.append((number, line))
            continue
        yield run
        yield [(number, line)]
        run = []
    yield run


def _tags(value: str | list[str]) -> tuple[str, ...]:
    given = re.split(r"[,\s]+", value) if isinstance(value, str) else value
    tags = (tag.strip().lstrip("#")[:MAX_TAG_LENGTH] for tag in given)
    return tuple(dict.fromkeys(tag for tag in tags if tag.strip()))[:MAX_TAGS]


def _text_of(content: bytes) -> str | None:
    """Return a note in whatever encoding it is; none where it is no text. One stray zero byte does not make it that."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        pass
    try:
        return decoded(content)
    except UnreadableFile:
        return None


# ── the index ────────────────────────────────────────────────────────────────


class WorkspaceIndex:
    """The index of one folder in one agent's store."""

    def __init__(self, parts: Parts, scope: Scope, files: WorkspaceFiles, *, include: str, max_size: int) -> None:
        self._parts = parts
        self._scope = scope.owner
        self._files = files
        self._look = FolderScan(files.root, include)
        self._max_size = max_size
        self._prefix = f"{STATES}{sha256(str(files.root).encode()).hexdigest()[:12]}"
        self._known: dict[str, _File] = {}
        self._generation: object = None
        self._understood: object = None
        """The generation of which every passage has its vectors."""
        self._derived: tuple[object, dict[str, tuple[int, int]], frozenset[str], dict[str, list[str]]] | None = None
        self._busy = asyncio.Lock()

    async def refresh(self) -> IndexReport:
        """Bring the index up to date with the files; other processes that do the same are waited for."""
        async with self._busy:
            found = await asyncio.to_thread(self._scan)
            await self._load()
            if self._summary()[0] == found:
                return IndexReport(files=len(found))
            lock = lock_folder(self._files.root, name="index.lock")
            await asyncio.to_thread(lock.__enter__)
            try:
                await self._load()
                return await self._bring_up(found)
            finally:
                lock.__exit__(None, None, None)

    async def delete(self) -> int:
        """Remove the index, and return how many passages it had; the next look builds it again."""
        async with self._busy:
            await self._load()
            records = [record_id for file in self._known.values() for record_id, _ in file.passages]
            async with self._parts.store.transaction(self._scope) as tx:
                for record_id in records:
                    tx.drop(record_id)
                for file_id in self._known:
                    tx.state(f"{self._prefix}/{file_id}", None)
                tx.state(self._prefix, None)
            self._known, self._generation = {}, None
        return len(records)

    async def search(self, query: str, *, limit: int, mode: SearchMode, gated: bool = True) -> WorkspaceFound:
        """Find passages; edits are taken up first. Words alone (`fts`) find what has them, whatever answers."""
        if not query.strip() or not 1 <= limit <= _MAX_HITS:
            raise InvalidInput(f"the query must not be empty, and the limit must be between 1 and {_MAX_HITS}")
        if mode not in _RECIPES:
            raise InvalidInput(f"unknown mode {mode!r}; choose one of {', '.join(_RECIPES)}")
        if mode == "semantic" and self._parts.embedders is None:
            raise InvalidInput("search by meaning needs an embedder; set `embedder` to other than none")
        await self.refresh()
        now = self._parts.clock()
        wanted = RecordFilter(kinds=(Kind.NOTE,), alive_at=now)
        answer = WorkspaceFound(query=query, recipe=_RECIPES[mode])
        if mode == "fts":
            # The text index alone: half of what a recall takes, and all that words by themselves can tell.
            terms = query_terms(query)
            hits = await self._parts.store.search_text(self._scope, terms, record_filter=wanted, limit=2 * limit)
            ranked = [(hit.record_id, hit.score) for hit in hits]
        else:
            if self._understood != self._generation:  # what somebody has just edited is understood as well
                self._understood = self._generation if await self._parts.journal.embed_few(self._scope) else None
            question = Question(query, self._scope, wanted, asked_at=now)
            found = await self._parts.recall.find(question, limit=2 * limit, recipe=_RECIPES[mode], gated=gated)
            ranked = [(item.record_id, item.score) for item in found.items]
            answer = answer.replace(left_out=found.left_out, gate=found.gate)
        # Twice as many are asked for: the agent may have notes of other folders, and the same fact in two files.
        _, own, names = self._summary()
        best = [one for one in ranked if one[0] in own]
        # Who asks for a note by its name wants the note, before those that link to it and are shorter.
        named = names.get(_name(query), [])
        best = [*((one, best[0][1] if best else 1.0) for one in named), *(one for one in best if one[0] not in named)]
        passages: dict[str, WorkspaceHit] = {}
        for some in (best[:limit], best[limit:]):
            if some and len(passages) < limit:
                records = await self._parts.store.records_by_id(self._scope, [record_id for record_id, _ in some])
                for record_id, score in some:
                    if record_id in records:  # the facts of a day stand in MEMORY.md as well
                        passages.setdefault(bullet_key(records[record_id].content), _hit(records[record_id], score))
        items = [hit.replace(rank=rank) for rank, hit in enumerate(list(passages.values())[:limit], start=1)]
        return answer.replace(items=tuple(items), injection=inject(query, items, now=now))

    def _summary(self) -> tuple[dict[str, tuple[int, int]], frozenset[str], dict[str, list[str]]]:
        """Return the files with their marks, the records of this folder, and the first of each file by its names.

        Made once for each state of the index.
        """
        if self._derived is None or self._derived[0] != self._generation:
            files = self._known.values()
            marks = {file.path: file.mark for file in files}
            records = frozenset(record_id for file in files for record_id, _ in file.passages)
            names: dict[str, list[str]] = {}
            for file in self._known.values():
                for name in {*_names(file.path)} if file.passages else ():
                    names.setdefault(name, []).append(file.passages[0][0])
            self._derived = self._generation, marks, records, names
        return self._derived[1:]

    async def counts(self) -> tuple[int, int]:
        """Return how many files and passages the index has."""
        await self._load()
        return len(self._known), sum(len(file.passages) for file in self._known.values())

    # ── bringing it up to date ───────────────────────────────────────────────

    async def _load(self) -> None:
        """Read what is indexed, unless nobody changed it since the last time."""
        generation = await self._parts.store.state(self._scope, self._prefix)
        if generation == self._generation:
            return
        states = await self._parts.store.states(self._scope, prefix=f"{self._prefix}/")
        known = {name.rpartition("/")[2]: state for name, state in states.items()}
        self._known = {file_id: _File.of_state(file_id, state) for file_id, state in known.items()}
        self._generation = generation

    async def _bring_up(self, found: Mapping[str, tuple[int, int]]) -> IndexReport:
        """Read what changed, a few files at a time, so that others get their turn and a crash repeats little."""
        by_path = {file.path: file for file in self._known.values()}
        gone = {file.file_id: file for file in self._known.values() if file.path not in found}
        stale = [path for path, mark in found.items() if path not in by_path or by_path[path].mark != mark]
        report: dict[str, list[str]] = {name: [] for name in ("added", "changed", "renamed", "removed", "skipped")}
        touched: set[str] = set()
        for start in range(0, len(stale), _FILES_AT_ONCE):
            batch = stale[start : start + _FILES_AT_ONCE]
            read = await asyncio.to_thread(self._read, batch)
            report["skipped"] += sorted({*batch} - {one.path for one in read})
            pairs = []
            for one in read:
                file, became = by_path.get(one.path), "changed"
                if file is None and (file := _same(one, gone.values())) is not None:
                    del gone[file.file_id]
                    became = "renamed"
                elif file is None:
                    file, became = _File(self._parts.new_id(), one.path, one.mark), "added"
                report[became if one.is_read else "skipped"].append(one.path)
                pairs.append((file, one))
            touched |= await self._commit(pairs)
        report["removed"] = [file.path for file in gone.values()]
        touched |= await self._remove(list(gone.values()))
        await self._link(touched, {*stale})
        self._parts.watch(self._scope)
        return IndexReport.model_validate({"files": len(found), **report})

    def _scan(self) -> dict[str, tuple[int, int]]:
        found = self._look()
        return self._look() if self._files.bring_over(found) else found

    def _read(self, paths: Sequence[str]) -> list[_Read]:
        """Read files; one that is too large or no text is known and has no passages."""
        found = []
        for path in paths:
            file = self._files.root / self._look.odd.get(path, path)
            try:
                about = os.stat(file)
                fits = about.st_size <= 4 * self._max_size  # a sign has at most four bytes
                text = _text_of(file.read_bytes()) if fits else None
            except OSError:
                continue
            is_read = text is not None and len(text) <= self._max_size
            passages, tags = passages_of(text) if text is not None and is_read else ([], ())
            at = datetime.fromtimestamp(about.st_mtime, UTC)
            found.append(_Read(path, mark_of(about), tuple(passages), tags, _occurred(path, at), is_read))
        return found

    async def _commit(self, pairs: Sequence[tuple[_File, _Read]]) -> set[str]:
        """Put the passages of files that were read, and return the names whose first record is another now."""
        held = [record_id for file, _ in pairs for record_id, _ in file.passages]
        olds = await self._parts.store.records_by_id(self._scope, held)
        first = {file.file_id: file.passages[:1] for file, _ in pairs}
        names = {name for file, _ in pairs for name in _names(file.path)}
        prepared = await asyncio.to_thread(lambda: [self._prepare(file, read, olds) for file, read in pairs])
        async with self._parts.store.transaction(self._scope) as tx:
            for (file, _), (fresh, puts) in zip(pairs, prepared, strict=True):
                kept = {record_id for record_id, _ in fresh.passages}
                for record_id, _ in file.passages:
                    if record_id not in kept and record_id in olds:
                        tx.drop(record_id)
                for record, terms in puts:
                    tx.put(record, expects=record.version - 1, terms=terms)
                self._note(tx, fresh)
            if any(puts for _, puts in prepared):
                self._parts.journal.index(tx)
            self._next_generation(tx)
        return {
            name
            for fresh, _ in prepared
            if [one[0] for one in fresh.passages[:1]] != [one[0] for one in first[fresh.file_id]]
            or not {*_names(fresh.path)} <= names
            for name in (*_names(fresh.path), *names)
        }

    def _prepare(self, file: _File, read: _Read, olds: Mapping[str, Record]) -> tuple[_File, list[tuple[Record, str]]]:
        """Return a file as it will be known, with the records that differ and their search terms."""
        fresh = _File(file.file_id, read.path, read.mark)
        held = [one for one in file.passages if one[0] in olds]
        puts: list[tuple[Record, str]] = []
        for passage, record_id in zip(read.passages, _matched(held, read.passages), strict=True):
            record = self._record(read, passage, olds.get(record_id) if record_id else None)
            if record is not None:
                puts.append((record, search_terms(record)))
            kept_id = record_id or (record.id if record else "")
            fresh.passages.append((kept_id, passage.digest))
            if passage.links:
                fresh.links[kept_id] = list(passage.links)
        return fresh, puts

    def _record(self, read: _Read, passage: FileSection, old: Record | None) -> Record | None:
        """Return the record of a passage; `None` where it is as it was."""
        now = self._parts.clock()
        data = NoteData(path=read.path, heading=passage.heading, line=passage.line, end_line=passage.end_line)
        about: dict[str, Any] = {
            "content": passage.text,
            "keywords": (Path(read.path).stem, *filter(None, [passage.heading])),
            "tags": read.tags,
            "data": data,
            "occurred_at": read.occurred_at,
            # What an agent takes down of a day is its own word, whatever else lies here is the user's.
            "trust": Origin.AGENT if _DAY.fullmatch(Path(read.path).stem) else Origin.USER,
        }
        if old is None:
            return Record(
                id=self._parts.new_id(), scope=self._scope, kind=Kind.NOTE, created_at=now, updated_at=now, **about
            )
        unchanged = all(getattr(old, name) == value for name, value in about.items() if name != "occurred_at")
        return None if unchanged else old.replace(**about, version=old.version + 1, updated_at=now)

    async def _remove(self, gone: Sequence[_File]) -> set[str]:
        """Drop the passages of files that are gone; return the names that links to them go by."""
        if gone:
            async with self._parts.store.transaction(self._scope) as tx:
                for file in gone:
                    for record_id, _ in file.passages:
                        tx.drop(record_id)
                    tx.state(f"{self._prefix}/{file.file_id}", None)
                    self._known.pop(file.file_id, None)
                self._next_generation(tx)
        return {name for file in gone for name in _names(file.path)}

    async def _link(self, touched: set[str], changed: set[str]) -> None:
        """Have links between notes follow what the files say, as far as it may differ from before."""
        affected = [
            file
            for file in self._known.values()
            if file.path in changed or any(_name(name) in touched for names in file.links.values() for name in names)
        ]
        sources = tuple(record_id for file in affected for record_id, _ in file.passages)
        if not sources:
            return
        targets = self._targets()
        wanted = {
            (record_id, target)
            for file in affected
            for record_id, names in file.links.items()
            for name in names
            if (target := targets.get(_name(name))) is not None and target != record_id
        }
        held = await self._parts.store.links(self._scope, LinkQuery(from_ids=sources))
        there = {(link.from_id, link.to_id) for link in held if link.relation == WIKILINK}
        now = self._parts.clock()
        async with self._parts.store.transaction(self._scope) as tx:
            for from_id, to_id in there - wanted:
                tx.unlink(from_id, to_id, relation=WIKILINK)
            for from_id, to_id in sorted(wanted - there):
                tx.link(Link(from_id=from_id, to_id=to_id, relation=WIKILINK, created_at=now, updated_at=now))

    def _targets(self) -> dict[str, str]:
        """Return by the names that a link may use the first record of the file; of two, the shorter path has it."""
        found: dict[str, str] = {}
        for file in sorted(self._known.values(), key=lambda one: (-len(one.path), one.path)):
            if file.passages:
                found |= dict.fromkeys(_names(file.path), file.passages[0][0])
        return found

    def _note(self, tx: Transaction, file: _File) -> None:
        tx.state(f"{self._prefix}/{file.file_id}", file.to_state())
        self._known[file.file_id] = file

    def _next_generation(self, tx: Transaction) -> None:
        self._generation = self._parts.new_id()
        tx.state(self._prefix, str(self._generation))


def _matched(held: Sequence[tuple[str, str]], passages: Sequence[FileSection]) -> list[str | None]:
    """Return for each passage the record that it keeps: that of the same text, else one whose text is gone."""
    free: dict[str, list[str]] = {}
    for record_id, digest in held:
        free.setdefault(digest, []).append(record_id)
    kept = [free[one.digest].pop(0) if free.get(one.digest) else None for one in passages]
    taken = set(kept)
    left = iter([record_id for record_id, _ in held if record_id not in taken])
    return [one if one is not None else next(left, None) for one in kept]


def _same(read: _Read, gone: Iterable[_File]) -> _File | None:
    """Return the file that is gone under another name and is this one: most of its passages are here."""
    digests = {one.digest for one in read.passages}
    shares = {
        file.file_id: (len(digests & held) / max(len(digests), len(held)), file)
        for file in gone
        if (held := {digest for _, digest in file.passages}) and digests
    }
    share, best = max(shares.values(), key=lambda one: one[0], default=(0.0, None))
    return best if share >= _SAME_FILE else None


def _hit(record: Record, score: float) -> WorkspaceHit:
    """Return a passage as it is found, with its place in the file."""
    note = record.data if isinstance(record.data, NoteData) else NoteData()
    return WorkspaceHit.of(
        record, (), path=note.path, heading=note.heading, line=note.line, end_line=note.end_line, score=score
    )


def _occurred(path: str, changed_at: datetime) -> datetime:
    """Return when what a file tells of happened: on its day where it is named by one, else when it was written."""
    stem = Path(path).stem
    if not _DAY.fullmatch(stem) or changed_at.astimezone().strftime("%Y-%m-%d") == stem:
        return changed_at
    try:
        return datetime.combine(datetime.fromisoformat(stem), time(12)).astimezone()
    except ValueError:
        return changed_at


def _name(name: str) -> str:
    return name.strip().casefold().removesuffix(".md")


def _names(path: str) -> tuple[str, str]:
    """Return how a link may call a file: by its path, or by its name alone."""
    return _name(path), _name(path.rpartition("/")[2])


OpenIndex = Callable[[str | os.PathLike[str] | None], Awaitable[WorkspaceIndex]]
"""Returns the index of a folder, or of the agent's own where none is named."""


class WorkspaceMemoryStore:
    """Searches the files of an agent's workspace; for code with an event loop, and by `…_sync` for code without one.

    The names are those of the design.
    """

    def __init__(self, open_index: OpenIndex, loop: asyncio.AbstractEventLoop) -> None:
        self._open = open_index
        self._loop = loop

    async def index_workspace(self, workspace_dir: str | os.PathLike[str] | None = None) -> IndexReport:
        """Bring the index up to date with the files; only those that changed are read."""
        return await (await self._open(workspace_dir)).refresh()

    async def search(
        self,
        query: str,
        *,
        limit: int = 5,
        mode: SearchMode = "hybrid",
        workspace_dir: str | os.PathLike[str] | None = None,
        gated: bool = True,
    ) -> WorkspaceFound:
        """Find passages by words (`fts`), by meaning (`semantic`) or by both (`hybrid`); edits are taken up first.

        Unless `gated` is false, meaning finds nothing where nothing answers, and `gate` says why.
        """
        index = await self._open(workspace_dir)
        return await index.search(query, limit=limit, mode=mode, gated=gated)

    async def counts(self) -> tuple[int, int]:
        """Return how many files and passages are indexed."""
        return await (await self._open(None)).counts()

    async def delete_index(self, workspace_dir: str | os.PathLike[str] | None = None) -> int:
        """Remove the index, and return how many passages it had; the next look builds it again."""
        return await (await self._open(workspace_dir)).delete()

    async def watch(self, *, every: float = 1.0) -> AsyncIterator[IndexReport]:
        """Look at the folder every so many seconds, and yield what changed; ends when nobody asks any more."""
        while True:
            report = await self.index_workspace()
            if report != IndexReport(files=report.files):
                yield report
            await asyncio.sleep(every)

    def index_workspace_sync(self, workspace_dir: str | os.PathLike[str] | None = None) -> IndexReport:
        """Do the same as `index_workspace` from a thread without an event loop."""
        return self._wait(self.index_workspace(workspace_dir))

    def search_sync(
        self,
        query: str,
        *,
        limit: int = 5,
        mode: SearchMode = "hybrid",
        workspace_dir: str | os.PathLike[str] | None = None,
    ) -> WorkspaceFound:
        """Do the same as `search` from a thread without an event loop."""
        return self._wait(self.search(query, limit=limit, mode=mode, workspace_dir=workspace_dir))

    def _wait(self, doing: Coroutine[Any, Any, T]) -> T:
        """Wait for something on the memory's event loop; in its own thread that would never end, and is refused."""
        if threading.get_ident() == getattr(self._loop, "_thread_id", None):
            doing.close()
            raise InvalidInput("the memory's event loop runs in this thread; await the method without _sync")
        return asyncio.run_coroutine_threadsafe(doing, self._loop).result()
