"""Erasing what was taken down in files: bullets of ours that say what an erased entry says, wherever a copy of them is.

A bullet has no link to the entry it came from: whoever takes facts down may have the conversation from elsewhere. So it
is known by its words, and looked for before the entry goes; an erasure that was cut short then finds it again. Lines
that a person wrote, or changed since, are the person's and stay.
"""

import asyncio
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from remanent.context.scratchpad import PREFIX as PADS
from remanent.context.scratchpad import SESSION_FACTS
from remanent.discipline import Parts
from remanent.model import Entry, Kind, Record, Scope
from remanent.stores import NO_LIMIT, EntryQuery, Erasure, RecordFilter, RecordQuery
from remanent.text.terms import index_terms
from remanent.workspace.daylog import bullets_of, is_bullet, is_of, without_bullets
from remanent.workspace.files import WorkspaceFiles
from remanent.workspace.hooks import MAX_READ_CHARACTERS
from remanent.workspace.index import STATES
from remanent.workspace.roots import Roots
from remanent.workspace.scanning import scan

TAG = "workspace"
"""What marks the journal's entries that hold facts for which no file had room."""
_SHARE = 0.8
"""The share of a bullet's words that stand in what it was taken from: rules leave them as they are and add a label of
two words at most, and a model that words them anew keeps most. Chosen by hand: too many bullets gone is the lesser of
two mistakes, since what they say is still in the journal."""


class Gone:
    """What is being erased: tells whether a line says it."""

    def __init__(self, texts: Iterable[str], *, session: str | None = None, everything: bool = False) -> None:
        self.session = session
        self._everything = everything
        self._texts_with: defaultdict[str, list[int]] = defaultdict(list)
        self._count = 0
        self.add(texts)

    def add(self, texts: Iterable[str]) -> None:
        """Have more texts be erased."""
        for text in texts:
            self._count += 1
            # No more of a message is read when facts are taken down.
            for term in set(index_terms(text[:MAX_READ_CHARACTERS])):
                self._texts_with[term].append(self._count)

    def says(self, line: str) -> bool:
        """Tell whether a bullet says what is erased."""
        if self._everything:
            return True
        _, _, said = line.partition(": ")
        terms = {*index_terms(said or line)}
        shared = Counter(number for term in terms for number in self._texts_with.get(term, ()))
        return bool(terms) and max(shared.values(), default=0) >= _SHARE * len(terms)

    def is_in(self, lines: Sequence[str]) -> bool:
        """Tell whether any of these lines says it, or is the heading of what was taken down in its session."""
        return self._everything or any(
            is_of(line, self.session) or (is_bullet(line) and self.says(line)) for line in lines
        )

    def without(self, text: str) -> str:
        """Return a file's text without the bullets that say it."""
        return without_bullets(text, is_gone=self.says, session=self.session)


async def erase_copies(parts: Parts, scope: Scope, erasure: Erasure, *, roots: Roots) -> Erasure:
    """Destroy what files hold of what is being erased; return the erasure with what the store holds of the files."""
    files = await roots.existing(scope)
    if files is None:
        return erasure
    gone = Gone(
        [entry.text for entry in await _entries(parts, scope, erasure)],
        session=erasure.session,
        everything=erasure.everything and not roots.is_shared,
    )
    if erasure.everything and files.root == roots.own_folder(scope):
        await asyncio.to_thread(shutil.rmtree, files.root, ignore_errors=True)
    else:
        await asyncio.to_thread(_redact, files, gone, roots.include(scope))
    if erasure.everything:
        return erasure
    await _clear_pads(parts, scope, gone)
    noted = await parts.store.entries(scope, EntryQuery(tags=(TAG,), limit=NO_LIMIT))
    entries = [entry.id for entry in noted if gone.is_in(entry.text.splitlines())]
    records = await _forget_index(parts, scope, gone)
    more = (*erasure.record_ids, *(record.id for record in records))
    return replace(erasure, entry_ids=(*erasure.entry_ids, *entries), record_ids=more)


def _redact(files: WorkspaceFiles, gone: Gone, include: str) -> None:
    """Take out of files what says it; those that name the session come last, so that others are found by them."""
    texts = files.texts(scan(files.root, include))
    taken = {name: bullets_of(text, gone.session) if gone.session else [] for name, text in texts.items()}
    gone.add(bullet.partition(": ")[2] for bullets in taken.values() for bullet in bullets)
    files.redact(sorted(texts, key=lambda name: bool(taken[name])), gone.without, holds=gone.is_in)


async def _entries(parts: Parts, scope: Scope, erasure: Erasure) -> list[Entry]:
    """Return the entries that are named, those that named records came from, and those of a session."""
    queries = [EntryQuery(entry_ids=erasure.entry_ids, limit=NO_LIMIT)] if erasure.entry_ids else []
    queries += [EntryQuery(source_of=erasure.record_ids, limit=NO_LIMIT)] if erasure.record_ids else []
    found = [entry for query in queries for entry in await parts.store.entries(scope.owner, query)]
    if erasure.everything or erasure.session is not None:
        place = scope.owner if erasure.everything else scope.owner.within(session=erasure.session)
        found += await parts.store.entries(place, EntryQuery(limit=NO_LIMIT))
    return [entry for entry in found if not erasure.up_to or entry.seq <= erasure.up_to]


async def _clear_pads(parts: Parts, scope: Scope, gone: Gone) -> None:
    """Take the facts out of the scratchpads, where a session's facts are at hand."""
    held: Mapping[str, JsonValue] = await parts.store.states(scope, prefix=PADS)
    facts = {name: value for name, value in held.items() if name.endswith(f"/{SESSION_FACTS}")}
    async with parts.store.transaction(scope) as tx:
        for name, value in facts.items():
            lines = str(value).splitlines()
            left = [line for line in lines if not gone.says(line)]
            if len(left) < len(lines):
                tx.state(name, "\n".join(left) or None)


async def _forget_index(parts: Parts, scope: Scope, gone: Gone) -> list[Record]:
    """Have the next look build the index anew, if a passage of it says what is erased; return the records that go."""
    query = RecordQuery(filter=RecordFilter(kinds=(Kind.NOTE,), statuses=None), limit=NO_LIMIT)
    records = await parts.store.records(scope, query)
    if not any(gone.is_in(record.content.splitlines()) for record in records):
        return []
    states = await parts.store.states(scope, prefix=STATES)
    async with parts.store.transaction(scope) as tx:
        for name in states:
            tx.state(name, None)
    return records
