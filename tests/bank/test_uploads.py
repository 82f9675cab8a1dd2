"""Uploads: they wait, they are moved or removed, and a killed process leaves nothing behind."""

import asyncio
import sys
from pathlib import Path

import pytest

from remanent.bank.adapter.framework import Upload, Uploads, recognise
from remanent.bilingual import Language
from remanent.embedding.port import MAX_IMAGE_BYTES, ImageReader, WrittenLine
from remanent.errors import InvalidInput, NotFound, StorageError
from remanent.loaders import AttachmentType, media_type_of, type_of
from remanent.model import Attachment, id_source
from remanent.stores.blobs import AttachmentStore, FileBlobs
from tests.bank.desk import PNG, SCOPE
from tests.loaders.pdfs import pdf

TASK = "insight-1"


def uploads_in(folder: Path) -> Uploads:
    return Uploads(folder, new_id=id_source())


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.spec("BANK-23")
async def test_an_upload_waits_under_the_id_of_its_insight_doc(tmp_path: Path) -> None:
    uploads = uploads_in(tmp_path)
    picture = await uploads.add(TASK, PNG, name="../../etc/chart.png")
    code = await uploads.add(TASK, b"print(1)", name="a.py")
    assert uploads.waiting(TASK) == (picture, code)
    assert uploads.waiting("another") == ()
    assert (picture.name, picture.media_type, picture.type) == ("chart.png", "image/png", AttachmentType.IMAGE)
    assert await uploads.read(TASK, picture.upload_id) == PNG
    assert files_in(tmp_path) == [], "nobody else can open what has no name"
    uploads.discard(TASK)
    assert uploads.waiting(TASK) == ()


@pytest.mark.spec("BANK-23")
async def test_an_upload_that_was_recognised_waits_no_longer(tmp_path: Path) -> None:
    uploads = uploads_in(tmp_path)
    upload = await uploads.add(TASK, PNG, name="a.png")
    uploads.drop(TASK, upload.upload_id)
    uploads.drop(TASK, upload.upload_id)
    assert uploads.waiting(TASK) == ()
    with pytest.raises(NotFound):
        await uploads.read(TASK, upload.upload_id)
    uploads.discard(TASK)


async def test_an_upload_that_cannot_be_kept_or_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StorageError, match=r"see bank\.temp_dir"):
        await uploads_in(tmp_path / "file").add(TASK, PNG)
    uploads = uploads_in(tmp_path)
    upload = await uploads.add(TASK, PNG)

    def broken(*_: object) -> bytes:
        raise OSError("no such device")

    monkeypatch.setattr("os.pread", broken)
    with pytest.raises(StorageError, match="upload it again"):
        await uploads.read(TASK, upload.upload_id)
    uploads.discard(TASK)


@pytest.mark.parametrize("content", [b"", b"x" * (MAX_IMAGE_BYTES + 1)])
async def test_empty_and_huge_files_are_refused(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        await uploads_in(tmp_path).add(TASK, content)
    assert files_in(tmp_path) == []


KILLED = """
import asyncio, sys
from pathlib import Path
from remanent.bank.adapter.framework import Uploads
from remanent.model import id_source

async def main():
    uploads = Uploads(Path(sys.argv[1]), new_id=id_source())
    await uploads.add("killed", b"secret", name="a.txt")
    print("ready", flush=True)
    sys.stdin.readline()

asyncio.run(main())
"""


@pytest.mark.spec("BANK-23")
async def test_a_killed_process_leaves_nothing_behind(tmp_path: Path) -> None:
    program = (sys.executable, "-c", KILLED, str(tmp_path))
    other = await asyncio.create_subprocess_exec(
        *program, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert other.stdout is not None
    assert await other.stdout.readline() == b"ready\n"
    other.kill()
    await other.communicate()
    assert files_in(tmp_path) == []


@pytest.mark.spec("BANK-23")
async def test_kept_files_are_referred_to_and_go_with_the_bank_that_brought_them(tmp_path: Path) -> None:
    blobs = FileBlobs(lambda _: tmp_path)
    before = await blobs.put(SCOPE, b"was here before")
    kept = AttachmentStore(blobs, SCOPE)
    new = await kept.put(PNG, attachment_id="a1", name="a.png", media_type="image/png")
    old = await kept.put(b"was here before", attachment_id="a2", name="b.txt", media_type="text/plain")
    assert (new.uri, new.size, old.digest) == (f"blob:{new.digest}", len(PNG), before)
    assert await kept.get(new) == PNG
    await kept.clear()
    assert await blobs.digests(SCOPE) == [before]
    with pytest.raises(NotFound):
        await kept.get(new)
    with pytest.raises(NotFound, match="is stored elsewhere"):
        await kept.get(Attachment(attachment_id="a3", uri="s3://bucket/a.png"))


@pytest.mark.parametrize(
    ("content", "name", "media_type", "sort"),
    [
        (PNG, "x", "image/png", "image"),
        (b"\xff\xd8\xff\xe0", "", "image/jpeg", "image"),
        (b"RIFF\0\0\0\0WEBP", "", "image/webp", "image"),
        (b"%PDF-1.7", "paper", "application/pdf", "document"),
        (b"print(1)", "a.py", "text/x-python", "code"),
        (b"{}", "a.json", "application/json", "code"),
        (b"hello", "a.txt", "text/plain", "document"),
        (b"\0\1", "", "application/octet-stream", "document"),
    ],
)
def test_files_are_told_apart_by_their_bytes_and_their_names(
    content: bytes, name: str, media_type: str, sort: str
) -> None:
    assert media_type_of(content, name) == media_type
    assert type_of(media_type, name) == sort
    assert Upload(upload_id="u", name=name, media_type=media_type, size=1).pending.media_type == media_type


class Reader(ImageReader):
    """Reads the same lines in every picture."""

    def __init__(self, *lines: str) -> None:
        self._lines = lines

    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        if not self._lines:
            raise InvalidInput("these bytes are not a readable picture")
        return [WrittenLine(line, 0.9) for line in self._lines]


def upload(name: str, media_type: str) -> Upload:
    return Upload(upload_id="u1", name=name, media_type=media_type, size=1)


@pytest.mark.spec("BANK-23")
@pytest.mark.parametrize(
    ("name", "media_type", "content", "reader", "told", "is_read"),
    [
        ("a.png", "image/png", PNG, Reader("Total: 42", "合计"), "picture a.png:\nTotal: 42\n合计", True),
        ("a.png", "image/png", PNG, Reader(" "), "contains no legible text", True),
        ("a.png", "image/png", PNG, Reader(), "could not be read: these bytes are not a readable picture", False),
        ("a.png", "image/png", PNG, None, "could not be recognised", False),
        ("p.pdf", "application/pdf", pdf("Opened in 1932."), None, "document p.pdf says:\nOpened in 1932.", True),
        ("p.pdf", "application/pdf", b"%PDF-", None, "could not be read: this PDF cannot be read", False),
        ("a.py", "text/x-python", b"print(1)", None, "code a.py:\nprint(1)", True),
        ("a.txt", "text/plain", "﻿你好".encode(), None, "says:\n你好", True),
        (
            "a.bin",
            "application/octet-stream",
            b"\xff\xfe\0",
            None,
            "neither text nor a supported type of file",
            False,
        ),
        ("a.bin", "application/octet-stream", b"a\0b", None, "neither text nor a supported type of file", False),
    ],
)
async def test_an_upload_is_read_or_it_is_said_why_not(
    *, name: str, media_type: str, content: bytes, reader: ImageReader | None, told: str, is_read: bool
) -> None:
    found = await recognise(upload(name, media_type), content, reader=reader, language="en")
    assert told in found.text
    assert found.is_read is is_read


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_what_is_said_of_an_upload_is_in_the_language_of_the_task(language: Language) -> None:
    found = await recognise(upload("a.png", "image/png"), PNG, reader=None, language=language)
    assert ("无法识别" in found.text) is (language == "zh")
