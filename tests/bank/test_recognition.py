import pytest

from remanent.bank.attachments import Upload
from remanent.bank.recognition import recognise
from remanent.embedding.port import ImageReader, WrittenLine
from remanent.errors import InvalidInput
from remanent.language.tongue import Tongue
from tests.bank.desk import PNG
from tests.loaders.pdfs import pdf


class Reader(ImageReader):
    """Reads the same lines in every picture."""

    def __init__(self, *lines: str) -> None:
        self._lines = lines

    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        if not self._lines:
            raise InvalidInput("these bytes are no picture")
        return [WrittenLine(line, 0.9) for line in self._lines]


def upload(name: str, media_type: str) -> Upload:
    return Upload(upload_id="u1", name=name, media_type=media_type, size=1)


@pytest.mark.spec("BANK-23")
@pytest.mark.parametrize(
    ("name", "media_type", "content", "reader", "told", "is_read"),
    [
        ("a.png", "image/png", PNG, Reader("Total: 42", "合计"), "picture a.png:\nTotal: 42\n合计", True),
        ("a.png", "image/png", PNG, Reader(" "), "has no writing", True),
        ("a.png", "image/png", PNG, Reader(), "could not be read: these bytes are no picture", False),
        ("a.png", "image/png", PNG, None, "could not be recognised", False),
        ("p.pdf", "application/pdf", pdf("Opened in 1932."), None, "document p.pdf says:\nOpened in 1932.", True),
        ("p.pdf", "application/pdf", b"%PDF-", None, "could not be read: this file is no PDF", False),
        ("a.py", "text/x-python", b"print(1)", None, "code a.py:\nprint(1)", True),
        ("a.txt", "text/plain", "﻿你好".encode(), None, "says:\n你好", True),
        ("a.bin", "application/octet-stream", b"\xff\xfe\0", None, "neither a picture, a PDF nor text", False),
        ("a.bin", "application/octet-stream", b"a\0b", None, "neither a picture, a PDF nor text", False),
    ],
)
async def test_an_upload_is_read_or_it_is_said_why_not(
    *, name: str, media_type: str, content: bytes, reader: ImageReader | None, told: str, is_read: bool
) -> None:
    found = await recognise(upload(name, media_type), content, reader=reader, tongue="en")
    assert told in found.text
    assert found.is_read is is_read


@pytest.mark.parametrize("tongue", ["zh", "en"])
async def test_what_is_said_of_an_upload_is_in_the_language_of_the_task(tongue: Tongue) -> None:
    found = await recognise(upload("a.png", "image/png"), PNG, reader=None, tongue=tongue)
    assert ("无法识别" in found.text) is (tongue == "zh")
