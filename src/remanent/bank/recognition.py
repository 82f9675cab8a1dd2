"""Recognising uploads without a model that sees: words in pictures, in PDF files, and plain text as it is."""

from dataclasses import dataclass

from remanent.bank.attachments import Upload
from remanent.embedding.port import ImageReader
from remanent.errors import InvalidInput
from remanent.language.tongue import Tongue
from remanent.loaders import AttachmentType, read_document

_SAID: dict[Tongue, dict[str, str]] = {
    "zh": {
        "image": "图片 {name} 中的文字：\n{text}",
        "blank": "图片 {name} 中没有可识别的文字。",
        "document": "文档 {name} 的内容：\n{text}",
        "code": "代码 {name}：\n{text}",
        "unseen": "图片 {name} 无法识别：没有配置能看图的模型（model.vision），"
        "也没有启用文字识别（remanent[ocr]，image_reader）。",
        "broken": "文件 {name} 无法读取：{why}",
    },
    "en": {
        "image": "What is written in the picture {name}:\n{text}",
        "blank": "The picture {name} has no writing that can be read.",
        "document": "What the document {name} says:\n{text}",
        "code": "The code {name}:\n{text}",
        "unseen": "The picture {name} could not be recognised: no model that sees is configured (model.vision), "
        "and no reader of writing is in use (remanent[ocr], image_reader).",
        "broken": "The file {name} could not be read: {why}",
    },
}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What an upload says, or why that is not known."""

    text: str
    is_read: bool = True


async def recognise(upload: Upload, content: bytes, *, reader: ImageReader | None, tongue: Tongue) -> Recognised:
    """Return what an upload says; never fails: what cannot be read is said."""
    said = _SAID[tongue]
    try:
        text = await _words(upload, content, reader)
    except InvalidInput as error:
        return Recognised(said["broken"].format(name=upload.name, why=error), is_read=False)
    if text is None:
        return Recognised(said["unseen"].format(name=upload.name), is_read=False)
    if not text.strip():
        return Recognised(said["blank"].format(name=upload.name))
    return Recognised(said[upload.type.value].format(name=upload.name, text=text.strip()))


async def _words(upload: Upload, content: bytes, reader: ImageReader | None) -> str | None:
    if upload.type is AttachmentType.IMAGE:
        return await reader.read_text(content) if reader is not None else None
    return read_document(content, media_type=upload.media_type)
