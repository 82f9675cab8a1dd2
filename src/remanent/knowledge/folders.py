"""What documents are taken from: files, folders with subfolders that are kept in sync, texts, and the public web."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Protocol

from remanent.errors import InvalidInput, ToolFailed
from remanent.http.public import PublicFetcher
from remanent.jobs import Progress
from remanent.knowledge.model import Added, Document, Failure, SyncReport
from remanent.knowledge.records import NewDocument
from remanent.loaders.types import readable_name
from remanent.model import Origin, to_instant
from remanent.model.clock import Clock, Moment

MAX_FILE_BYTES = 200_000_000
"""Bytes of one file. Chosen by hand."""
Removal = Literal["never", "gone", "all"]
"""Which documents of a folder go: none, those whose files are gone, or these even where no file is left: a drive that
is not connected looks like an empty folder."""
_FINE = 200
"""The status of an answer over HTTP that holds what was asked for."""
_AT_ONCE = 4
"""Files of a folder that are added at the same time: each waits for the disk to have its bytes and its records, and
those of several are committed together. More would hold more large files in memory. Chosen by hand."""
_MARKDOWN_SIGNS = ("# ", "## ", "```", "---\n")


class Folders:
    """Reads what is to be added."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._fetcher = PublicFetcher()

    async def close(self) -> None:
        """Close connections."""
        await self._fetcher.close()

    async def read(
        self,
        *,
        path: str | PathLike[str] | None,
        text: str | None,
        url: str | None,
        data: bytes | None,
        name: str | None,
    ) -> NewDocument:
        """Return what is to be added, from exactly one of a path, a text, an address and bytes."""
        if sum(given is not None for given in (path, text, url, data)) != 1:
            raise InvalidInput("give exactly one of path, text, url and data")
        if url is not None:
            return await self._page(url, name)
        return await read_here(path=path, text=text, data=data, name=name)

    async def _page(self, url: str, name: str | None) -> NewDocument:
        """Fetch a page of the public web; its document is dated by when it was fetched."""
        page = await self._fetcher.fetch(url)
        if page.status != _FINE:
            raise ToolFailed(f"the address answered with status {page.status}; nothing was added")
        return NewDocument(
            data=page.body,
            name=name or page.url,
            source=page.url,
            media_type=page.media_type,
            charset=page.charset,
            occurred_at=to_instant(self._clock()),
            origin=Origin.WEB,
        )


class DocumentPlace(Protocol):
    """A collection that a folder is brought together with: one of this process, or one on a server."""

    async def list(self) -> Sequence[Document]:
        """Return its documents, those that could not be read among them."""

    async def upload(
        self,
        content: bytes,
        *,
        name: str,
        metadata: Mapping[str, Any] | None,
        tags: Sequence[str],
        occurred_at: Moment | None,
        source: str,
        synced: bool,
        on_progress: Callable[[Progress], None] | None,
    ) -> Added:
        """Add the bytes of a file."""

    async def remove(self, document: str) -> Document:
        """Erase a document."""


async def sync_folder(
    place: DocumentPlace,
    folder: str | PathLike[str],
    *,
    remove: Removal = "gone",
    on_progress: Callable[[int, int, str], None] | None = None,
    on_chunks: Callable[[str, int, int], None] | None = None,
    machine: str = "",
) -> SyncReport:
    """Add files that are new or changed, and remove documents whose files are gone, as `remove` says.

    Cut short, it is taken up by calling it again: a document is there whole or not at all, and what is there already is
    recognised by its bytes. For a server, `machine` is where the folder lies: several have folders of one path, and
    what the server has already is not sent again.
    """
    root, files = await asyncio.to_thread(_files, Path(folder))
    known = {one.name: one for one in await place.list()}
    above = machine + readable_name(root.as_posix()).rstrip("/") + "/"
    if remove == "gone" and not files and any(_is_under(one, above) for one in known.values()):
        raise InvalidInput(
            f"{root} is empty, so all its documents would be removed; connect the drive "
            "it is on, or confirm with --force (remove='all')"
        )
    names = {readable_name(file.relative_to(root).as_posix()): file for file in files}
    add = partial(_add, place=place, known=known, machine=machine, on_chunks=on_chunks)
    done = await _add_all(names, add, on_progress)
    removed = []
    if remove != "never":
        there = {machine + readable_name(file.as_posix()) for file in files}
        gone = [one for one in await place.list() if _is_under(one, above) and one.source not in there]
        removed = [(await place.remove(one.document_id)).name for one in gone]
    return _report(names, done, removed)


async def sync_repeatedly(sync: Callable[[], Awaitable[SyncReport]], *, seconds: float) -> AsyncIterator[SyncReport]:
    """Bring a folder and a collection together again and again, and yield what was done whenever that is something."""
    while True:
        report = await sync()
        if report.added or report.changed or report.removed or report.failed:
            yield report
        await asyncio.sleep(seconds)


async def _add_all(
    files: Mapping[str, Path],
    add: Callable[[str, Path], Awaitable[Added]],
    on_progress: Callable[[int, int, str], None] | None,
) -> dict[str, Added | Failure]:
    """Add files by their names, some at a time, and return what became of each."""
    done: dict[str, Added | Failure] = {}
    tell = on_progress or (lambda *_: None)
    coming = enumerate(files.items())

    async def add_next() -> None:
        for number, (name, file) in coming:
            tell(number, len(files), name)
            try:
                done[name] = await add(name, file)
            except (InvalidInput, OSError) as error:
                done[name] = Failure(name=name, reason=str(error))

    adding = [asyncio.create_task(add_next()) for _ in range(_AT_ONCE)]
    try:
        await asyncio.gather(*adding)
    finally:  # an error of one ends them all, as it would one after the other
        for one in adding:
            one.cancel()
        await asyncio.gather(*adding, return_exceptions=True)
    tell(len(files), len(files), "")
    return done


async def _add(
    name: str,
    file: Path,
    *,
    place: DocumentPlace,
    known: Mapping[str, Document],
    machine: str,
    on_chunks: Callable[[str, int, int], None] | None,
) -> Added:
    """Add a file of a folder."""
    new = await asyncio.to_thread(_file, file, name)
    new = _claimed(new.replace(source=machine + new.source), known.get(name))
    if machine and name in known and _is_same(known[name], new):
        return Added(document=known[name], status="unchanged", kept=known[name].chunks)

    def told(progress: Progress) -> None:
        if on_chunks is not None:
            on_chunks(name, progress.done, progress.done + progress.pending)

    return await place.upload(
        new.data,
        name=name,
        metadata=new.metadata,
        tags=new.tags,
        occurred_at=new.occurred_at,
        source=new.source,
        synced=new.synced,
        on_progress=told,
    )


def _report(names: Iterable[str], done: Mapping[str, Added | Failure], removed: Sequence[str]) -> SyncReport:
    """Return what became of a folder's files, in the order of their names."""
    kept = {name: one for name in names if isinstance(one := done[name], Added)}
    return SyncReport(
        added=tuple(name for name, one in kept.items() if one.status == "added"),
        changed=tuple(name for name, one in kept.items() if one.status == "changed"),
        unchanged=sum(one.status == "unchanged" for one in kept.values()),
        removed=tuple(removed),
        failed=tuple(one for name in names if isinstance(one := done[name], Failure)),
        embedded=sum(one.embedded for one in kept.values()),
    )


def _is_same(known: Document, new: NewDocument) -> bool:
    """Tell whether a document is there as the file is; one that could not be read is tried again."""
    is_there = known.status != "failed" and known.source == new.source
    return is_there and known.digest == new.digest


def _claimed(new: NewDocument, known: Document | None) -> NewDocument:
    """Return a file of a folder as the folder's own; one that was added by hand stays that, with what was said of it.

    So it follows its file, and does not go with it.
    """
    if known is None or known.synced or not known.digest:
        return new.replace(synced=True)
    same = known.digest == new.digest
    if known.source != new.source and not same:
        raise InvalidInput(
            f"a document {new.name} was added by hand, and syncing a folder "
            "never changes those; rename the file or remove it"
        )
    return new.replace(source=known.source, metadata=known.metadata, tags=known.tags, occurred_at=known.occurred_at)


def _is_under(document: Document, above: str) -> bool:
    """Tell whether a document was taken from a folder."""
    return document.synced and document.source.startswith(above)


async def read_here(
    *, path: str | PathLike[str] | None, text: str | None, data: bytes | None, name: str | None
) -> NewDocument:
    """Return what is to be added, from a file of this machine, a text or bytes."""
    if path is not None:
        return await asyncio.to_thread(_file, Path(path), name)
    if name is None:
        raise InvalidInput("name: a text or bytes need a name, by which the document is found and replaced")
    if text is not None:
        marked = any(text.startswith(sign) or f"\n{sign}" in text for sign in _MARKDOWN_SIGNS)
        return NewDocument(
            data=text.encode(), name=name, media_type="text/markdown" if marked else "text/plain", charset="utf-8"
        )
    return NewDocument(data=data or b"", name=name)


def _file(path: Path, name: str | None) -> NewDocument:
    """Read a file; its document is dated by when it was changed last."""
    try:
        status = path.stat()
        if status.st_size > MAX_FILE_BYTES:
            raise InvalidInput(
                f"{path.name} has {status.st_size} bytes, but at most {MAX_FILE_BYTES} are read; split it"
            )
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}; give a file that exists") from error
    source = readable_name(path.expanduser().resolve().as_posix())
    return NewDocument(data=data, name=name or readable_name(path.name), source=source)


def _files(folder: Path) -> tuple[Path, list[Path]]:
    """Return a folder and the files under it in order, without hidden ones and without links, which may lead out."""
    root = folder.expanduser().resolve()
    if not root.is_dir():
        raise InvalidInput(f"{root} is not a folder; give one that exists")
    return root, sorted(_walk(root))


def _walk(root: Path) -> Iterator[Path]:
    """Yield the files below a folder; hidden ones, links and packages are passed over: no content, or outside of it."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "node_modules"]
        for name in names:
            path = Path(folder) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path
