"""Reading pictures with rapidocr: Chinese and English, on this machine, with the models that are in the package."""

import io
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from remanent.embedding.packaged_models import Background
from remanent.embedding.port import ImageReader, WrittenLine
from remanent.errors import InvalidInput, MissingDependency

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BACKGROUND = Background("remanent-ocr")

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
_MAX_PIXELS = 50_000_000
"""A few bytes can unpack to any number of pixels; so many take 200 MB."""
_MAX_SIDE = 12_000
_MAX_RATIO = 3
"""The reader enlarges the short side of a picture, and the long one with it: a line of pixels would become a field."""
_MALFORMED = (OSError, ArithmeticError, LookupError, SyntaxError, TypeError, ValueError)
"""What the decoder's reading of malformed bytes ends in."""
_OPTIONS = {
    "Global.log_level": "critical",
    # One thread leaves the other cores to the rest of the program.
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
}


class RapidOcrReader(ImageReader):
    """Runs on one thread of low priority; the models are loaded by the first picture, once per process."""

    def __init__(self) -> None:
        missing = [module for module in ("rapidocr", "onnxruntime") if find_spec(module) is None]
        if missing:
            raise MissingDependency(f"reading pictures needs {' and '.join(missing)}: pip install 'remanent[ocr]'")

    async def read_lines(self, image: bytes) -> list[WrittenLine]:
        """Return the lines from the top, with how sure the model is of each."""
        return await _BACKGROUND.run(partial(_read, image))


@cache
def _load() -> Any:
    """Load the models; it takes seconds, so it is done once."""
    from rapidocr import RapidOCR

    return RapidOCR(params=_OPTIONS)


def _read(image: bytes) -> list[WrittenLine]:
    """Return the lines of a picture; scores of the model may lie a little outside of 0 to 1."""
    found = _load()(_decode(image))
    if not found.txts:
        return []
    return [
        WrittenLine(text, min(1.0, max(0.0, float(score))))
        for text, score in zip(found.txts, found.scores, strict=True)
    ]


def _decode(image: bytes) -> "NDArray[np.uint8]":
    """Return the pixels, upright and on white, blue first as the model wants them."""
    import numpy as np
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(image), formats=_FORMATS) as picture:
            width, height = picture.size
            if width * height > _MAX_PIXELS or max(width, height) > _MAX_SIDE:
                raise InvalidInput(
                    f"the picture has {width} × {height} pixels, but at most {_MAX_PIXELS} are read, "
                    f"and at most {_MAX_SIDE} along one side; make it smaller"
                )
            upright = ImageOps.exif_transpose(picture).convert("RGBA")
    except (*_MALFORMED, Image.DecompressionBombError) as error:
        raise InvalidInput("these bytes are not a readable picture; give a complete PNG, JPEG or WebP") from error
    least = -(-max(upright.size) // _MAX_RATIO)
    paper = Image.new("RGBA", (max(upright.width, least), max(upright.height, least)), "white")
    paper.alpha_composite(upright)
    return np.ascontiguousarray(np.asarray(paper.convert("RGB"), np.uint8)[:, :, ::-1])
