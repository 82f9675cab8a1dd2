import io
import struct
import zlib
from importlib.util import find_spec
from typing import Any

import pytest

from remanent.embedding.rapidocr import RapidOcrReader
from remanent.errors import InvalidInput, MissingDependency

# The package with what it needs takes some 300 MB, so it is no part of the requirements for development.
with_rapidocr = pytest.mark.skipif(
    find_spec("rapidocr") is None, reason="rapidocr is not installed: pip install 'remanent[ocr]'"
)


def picture(*lines: str, form: str = "PNG", **options: Any) -> bytes:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (520, 60 * max(len(lines), 1)), "white")
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((10, 10 + 55 * number), line, fill="black", font_size=32)
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def bomb(width: int, height: int) -> bytes:
    """A PNG of few bytes that says it is huge."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("missing", ["rapidocr", "onnxruntime"])
def test_a_missing_package_is_named_with_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("remanent.embedding.rapidocr.find_spec", lambda name: None if name == missing else object())
    with pytest.raises(MissingDependency, match=rf"{missing}: pip install 'remanent\[ocr\]'"):
        RapidOcrReader()


@with_rapidocr
@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"])
async def test_what_is_written_is_read_from_the_top(form: str) -> None:
    lines = await RapidOcrReader().read(picture("Invoice 2026-0042", "Total: 118.50 EUR", form=form))
    assert [line.text for line in lines] == ["Invoice 2026-0042", "Total: 118.50 EUR"]
    assert all(0.8 < line.confidence <= 1 for line in lines)


@with_rapidocr
async def test_text_on_a_transparent_ground_is_read() -> None:
    from PIL import Image, ImageDraw

    image = Image.new("RGBA", (520, 60), (0, 0, 0, 0))
    ImageDraw.Draw(image).text((10, 10), "Invoice 2026-0042", fill="black", font_size=32)
    file = io.BytesIO()
    image.save(file, "PNG")
    assert await RapidOcrReader().read_text(file.getvalue()) == "Invoice 2026-0042"


@with_rapidocr
async def test_a_picture_that_lies_on_its_side_is_turned_as_it_says() -> None:
    from PIL import Image

    image = Image.open(io.BytesIO(picture("Invoice 2026-0042"))).rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    image.save(file, "JPEG", exif=exif)
    assert await RapidOcrReader().read_text(file.getvalue()) == "Invoice 2026-0042"


@with_rapidocr
async def test_a_picture_without_text_has_no_lines() -> None:
    assert await RapidOcrReader().read(picture()) == []


@with_rapidocr
@pytest.mark.parametrize("size", [(1, 1), (1, 2000), (2000, 1)])
async def test_a_picture_without_room_for_text_has_no_lines_and_takes_no_long_time(size: tuple[int, int]) -> None:
    from PIL import Image

    file = io.BytesIO()
    Image.new("L", size, "white").save(file, "PNG")
    assert await RapidOcrReader().read(file.getvalue()) == []


@with_rapidocr
@pytest.mark.parametrize(
    "image",
    [
        b"not a picture",
        b"%!PS-Adobe-3.0 EPSF-3.0\n",
        b"\x89PNG\r\n\x1a\n" + b"0" * 30,
        bomb(8_000, 8_000),
        bomb(100_000, 100_000),
        bomb(30_000, 1),
        bomb(0, 10),
        bomb(100, 100),
    ],
)
async def test_what_is_no_whole_picture_is_refused(image: bytes) -> None:
    with pytest.raises(InvalidInput):
        await RapidOcrReader().read(image)


@with_rapidocr
@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF"])
async def test_a_picture_that_breaks_off_is_refused(form: str) -> None:
    whole = picture("Invoice 2026-0042", form=form)
    for share in (0.05, 0.3, 0.9):
        with pytest.raises(InvalidInput):
            await RapidOcrReader().read(whole[: int(len(whole) * share)])
