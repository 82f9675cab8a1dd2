"""What documents are taken from: files, folders with subfolders that are kept in sync, texts, and the public web."""

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Literal

from remanent.errors import InvalidInput, ToolFailed
from remanent.http.public import PublicFetcher
from remanent.knowledge.library import Library, NewDocument
from remanent.knowledge.model import Added, Document, Failure, SyncReport
from remanent.model import Origin, Scope, to_instant
from remanent.model.clock import Clock

MAX_FILE_BYTES = 200_000_000
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

    def __init__(self, library: Library, *, clock: Clock, fetcher: Callable[[], PublicFetcher] = PublicFetcher) -> None:
        self._library = library
        self._clock = clock
        self._new_fetcher = fetcher
        self._fetcher: PublicFetcher | None = None

    async def close(self) -> None:
        """Close connections."""
        if self._fetcher is not None:
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
            raise InvalidInput("give exactly one of a path, a text, a url and data")
        if url is not None:
            return await self._page(url, name)
        return await read_here(path=path, text=text, data=data, name=name)

    async def _page(self, url: str, name: str | None) -> NewDocument:
        """Fetch a page of the public web; its document is dated by when it was fetched."""
        if self._fetcher is None:
            self._fetcher = self._new_fetcher()
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

    async def sync(
        self,
        scope: Scope,
        collection: str,
        folder: Path,
        *,
        remove: Removal = "gone",
        on_progress: Callable[[int, int, str], None] | None = None,
        on_chunks: Callable[[str, int, int], None] | None = None,
    ) -> SyncReport:
        """Add files that are new or changed, and remove documents whose files are gone, as `remove` says.

        Cut short, it is taken up by calling it again: a document is there whole or not at all, and what is there
        already is recognised by its bytes.
        """
        root, files = await asyncio.to_thread(_files, folder)
        if remove == "gone" and not files and await self._synced(scope, collection, root):
            raise InvalidInput(
                f"{root} is empty, and all documents of it would be removed; "
                "connect the drive it lies on, or confirm with --force (remove='all')"
            )
        names = [file.relative_to(root).as_posix() for file in files]
        done = await self._add_all(scope, collection, dict(zip(names, files, strict=True)), on_progress, on_chunks)
        if on_progress is not None:
            on_progress(len(files), len(files), "")
        removed = []
        there = {file.as_posix() for file in files}
        for document in await self._synced(scope, collection, root) if remove != "never" else ():
            if document.source not in there:
                await self._library.erase(scope, document.document_id)
                removed.append(document.name)
        kept = {name: one for name in names if isinstance(one := done[name], Added)}
        return SyncReport(
            added=tuple(name for name, one in kept.items() if one.status == "added"),
            changed=tuple(name for name, one in kept.items() if one.status == "changed"),
            unchanged=sum(one.status == "unchanged" for one in kept.values()),
            removed=tuple(removed),
            failed=tuple(one for name in names if isinstance(one := done[name], Failure)),
            embedded=sum(one.embedded for one in kept.values()),
        )

    async def _add_all(
        self,
        scope: Scope,
        collection: str,
        files: Mapping[str, Path],
        on_progress: Callable[[int, int, str], None] | None,
        on_chunks: Callable[[str, int, int], None] | None,
    ) -> dict[str, Added | Failure]:
        """Add files by their names, some at a time, and return what became of each."""
        by_hand = {one.name: one for one in await self._library.documents(scope, collection) if not one.synced}
        done: dict[str, Added | Failure] = {}
        coming = enumerate(files.items())

        async def add_next() -> None:
            for number, (name, file) in coming:
                if on_progress is not None:
                    on_progress(number, len(files), name)
                try:
                    new = _claimed(await asyncio.to_thread(_file, file, name), by_hand.get(name))
                    told = None if on_chunks is None else partial(on_chunks, name)
                    done[name] = await self._library.add(scope, collection, new, on_chunks=told)
                except (InvalidInput, OSError) as error:
                    done[name] = Failure(name=name, reason=str(error))

        adding = [asyncio.create_task(add_next()) for _ in range(_AT_ONCE)]
        try:
            await asyncio.gather(*adding)
        finally:  # an error of one ends them all, as it would one after the other
            for one in adding:
                one.cancel()
            await asyncio.gather(*adding, return_exceptions=True)
        return done

    async def _synced(self, scope: Scope, collection: str, root: Path) -> list[Document]:
        """Return the documents that were taken from a folder, those that could not be read among them."""
        found = await self._library.listed(scope, collection)
        return [one for one in found if one.synced and _is_under(one.source, root)]


def _claimed(new: NewDocument, by_hand: Document | None) -> NewDocument:
    """Return a file of a folder as the folder's own; one that was added by hand stays that, with what was said of it.

    So it follows its file, and does not go with it.
    """
    if by_hand is None:
        return new.replace(synced=True)
    same = by_hand.digest == hashlib.sha256(new.data).hexdigest()
    if by_hand.source != new.source and not same:
        raise InvalidInput(
            f"a document {new.name} was added by hand, and a folder never changes those; rename the file or remove it"
        )
    return new.replace(
        source=by_hand.source, metadata=by_hand.metadata, tags=by_hand.tags, occurred_at=by_hand.occurred_at
    )


def _is_under(source: str, root: Path) -> bool:
    return source.startswith(root.as_posix().rstrip("/") + "/")


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
                f"{path.name} has {status.st_size} bytes, and {MAX_FILE_BYTES} are read at most; split it"
            )
        data = path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}; give a file that exists") from error
    return NewDocument(data=data, name=name or path.name, source=path.expanduser().resolve().as_posix())


def _files(folder: Path) -> tuple[Path, list[Path]]:
    """Return a folder and the files under it in order, without hidden ones and without links, which may lead out."""
    root = folder.expanduser().resolve()
    if not root.is_dir():
        raise InvalidInput(f"{root} is no folder; give one that exists")
    return root, sorted(_walk(root))


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = Path(folder) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path
