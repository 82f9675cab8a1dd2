"""Uploads: files that wait in a temporary folder until they are recognised, and reading them without a vision model.

A run's folder is locked by the process that runs it. Whoever starts next removes every folder whose lock nobody holds,
so a killed process leaves nothing behind for longer than that. A file lock does this without a daemon: the kernel
releases it however the process ends.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from remanent.bilingual import Bilingual, Language, in_language
from remanent.embedding.port import MAX_IMAGE_BYTES, ImageReader
from remanent.errors import InvalidInput, NotFound, StorageError
from remanent.language.roles.next_step import PendingUpload
from remanent.loaders import AttachmentType, decoded, load, media_type_of, type_of
from remanent.model import Model, NewId
from remanent.model.base import Count, Text
from remanent.model.ids import Id
from remanent.values import dataclass

_LOCK = ".lock"
_MAX_NAME_CHARS = 200
"""Characters of a file's name that are kept. Chosen by hand."""


class Upload(Model):
    """A file that a user gave and that waits to be recognised."""

    upload_id: Id
    name: Text
    media_type: Text
    size: Count

    @property
    def type(self) -> AttachmentType:
        """Image, document or code."""
        return type_of(self.media_type, self.name)

    @property
    def pending(self) -> PendingUpload:
        """The upload as the planner sees it."""
        return PendingUpload(upload_id=self.upload_id, name=self.name, media_type=self.media_type[:100])


class Uploads:
    """The temporary storage: one folder per run, named by the id of its Insight Doc."""

    def __init__(self, folder: Path | None = None, *, new_id: NewId) -> None:
        self._root = folder or Path(tempfile.gettempdir()) / f"remanent-{os.getuid()}" / "uploads"
        self._new_id = new_id
        self._locks: dict[str, int] = {}
        self._waiting: dict[str, dict[str, Upload]] = {}

    @property
    def folder(self) -> Path:
        """Where uploads wait."""
        return self._root

    async def sweep(self) -> int:
        """Remove what dead processes left behind; return of how many runs."""
        return await asyncio.to_thread(_sweep, self._root, frozenset(self._locks))

    async def add(self, insight_id: str, content: bytes, *, name: str = "", media_type: str = "") -> Upload:
        """Store a file until it is recognised.

        The name is only a label: the file on disk is called by its id, so no name can lead out of the folder.
        """
        if not content:
            raise InvalidInput("the file is empty; upload one with content")
        if len(content) > MAX_IMAGE_BYTES:
            raise InvalidInput(
                f"the file has {len(content)} bytes, and {MAX_IMAGE_BYTES} are taken at most; make it smaller"
            )
        media_type = media_type.partition(";")[0].strip().lower()
        # Browsers of Windows send whole paths.
        plain = Path(name.replace("\\", "/")).name.strip()[:_MAX_NAME_CHARS]
        upload = Upload(
            upload_id=self._new_id(),
            name=plain or "upload",
            media_type=media_type or media_type_of(content, plain),
            size=len(content),
        )
        if insight_id not in self._locks:
            self._locks[insight_id] = await asyncio.to_thread(_take, self._root, insight_id)
        await asyncio.to_thread(_write, self._path(insight_id, upload.upload_id), content)
        self._waiting.setdefault(insight_id, {})[upload.upload_id] = upload
        return upload

    def waiting(self, insight_id: str) -> tuple[Upload, ...]:
        """Return what waits to be recognised in a task, in the order in which it came."""
        return tuple(self._waiting.get(insight_id, {}).values())

    async def read(self, insight_id: str, upload_id: str) -> bytes:
        """Return the bytes of an upload."""
        self._known(insight_id, upload_id)
        try:
            return await asyncio.to_thread(self._path(insight_id, upload_id).read_bytes)
        except OSError as error:
            raise StorageError(f"the upload {upload_id} cannot be read any more; upload it again") from error

    async def drop(self, insight_id: str, upload_id: str) -> None:
        """Remove an upload that was recognised or given up."""
        self._waiting.get(insight_id, {}).pop(upload_id, None)
        await asyncio.to_thread(self._path(insight_id, upload_id).unlink, missing_ok=True)

    async def discard(self, insight_id: str) -> None:
        """Remove all uploads of a task."""
        self._waiting.pop(insight_id, None)
        lock = self._locks.pop(insight_id, None)
        if lock is not None:
            await asyncio.to_thread(_release, self._root, insight_id, lock)

    def _known(self, insight_id: str, upload_id: str) -> Upload:
        """Return an upload that waits; one of another task is refused like one that never was."""
        upload = self._waiting.get(insight_id, {}).get(upload_id)
        if upload is None:
            raise NotFound(f"no upload {upload_id} waits in this task")
        return upload

    def _path(self, insight_id: str, upload_id: str) -> Path:
        return self._root / insight_id / upload_id


# ── folders and locks ──


def _take(root: Path, insight_id: str) -> int:
    """Create a run's folder and return the descriptor of the lock that shows that its process is alive."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = root / f"{insight_id}{_LOCK}"
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            # A sweep may have removed the file after it was created and before it was locked; then this lock is on a
            # file that has no name any more, and another one is needed.
            if os.fstat(descriptor).st_ino == path.stat().st_ino:
                (root / insight_id).mkdir(mode=0o700, exist_ok=True)
                return descriptor
        os.close(descriptor)


def _release(root: Path, insight_id: str, descriptor: int) -> None:
    shutil.rmtree(root / insight_id, ignore_errors=True)
    (root / f"{insight_id}{_LOCK}").unlink(missing_ok=True)
    os.close(descriptor)


def _sweep(root: Path, own: frozenset[str]) -> int:
    """Remove the folders of tasks whose process is gone, and return how many there were.

    A living process holds the lock beside its folder, and the system lets go of it however that process ends.
    """
    if not root.is_dir():
        return 0
    removed = 0
    for path in sorted(root.glob(f"*{_LOCK}")):
        insight_id = path.name.removesuffix(_LOCK)
        if insight_id in own:
            continue
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)  # its process lives
            continue
        _release(root, insight_id, descriptor)
        removed += 1
    return removed


def _write(path: Path, content: bytes) -> None:
    """Write an upload to a file that only this user may read, or leave none."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise StorageError(f"the upload cannot be kept: {error.strerror}; see bank.temp_dir") from error


_TEXTS = {
    "image": Bilingual("What is written in the picture {name}:\n{text}", "图片 {name} 中的文字：\n{text}"),
    "blank": Bilingual("The picture {name} has no writing that can be read.", "图片 {name} 中没有可识别的文字。"),
    "document": Bilingual("What the document {name} says:\n{text}", "文档 {name} 的内容：\n{text}"),
    "code": Bilingual("The code {name}:\n{text}", "代码 {name}：\n{text}"),
    "unseen": Bilingual(
        "The picture {name} could not be recognised: no model that sees is configured (model.vision), "
        "and no reader of writing is in use (remanent[ocr], image_reader).",
        "图片 {name} 无法识别：没有配置能看图的模型（model.vision），"
        "也没有启用文字识别（remanent[ocr]，image_reader）。",
    ),
    "broken": Bilingual("The file {name} could not be read: {why}", "文件 {name} 无法读取：{why}"),
}


@dataclass(frozen=True, slots=True)
class Recognition:
    """The text of an upload, or a sentence that says why there is none."""

    text: str
    is_read: bool = True


async def recognise(upload: Upload, content: bytes, *, reader: ImageReader | None, language: Language) -> Recognition:
    """Return the text of an upload; where it cannot be read, a sentence that says so, since the step must go on."""
    texts = in_language(_TEXTS, language)
    try:
        text = await _words(upload, content, reader)
    except InvalidInput as error:
        return Recognition(texts["broken"].format(name=upload.name, why=error), is_read=False)
    if text is None:
        return Recognition(texts["unseen"].format(name=upload.name), is_read=False)
    if not text.strip():
        return Recognition(texts["blank"].format(name=upload.name))
    return Recognition(texts[upload.type.value].format(name=upload.name, text=text.strip()))


async def _words(upload: Upload, content: bytes, reader: ImageReader | None) -> str | None:
    """Return what is written in an upload, or nothing for a picture where nothing reads pictures."""
    if upload.type is AttachmentType.IMAGE:
        return await reader.read_text(content) if reader is not None else None
    if upload.type is AttachmentType.CODE:
        return decoded(content)
    return (await load(content, name=upload.name, read_image=reader.read_text if reader else None)).text
