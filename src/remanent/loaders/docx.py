"""DOCX, by mammoth: headings, lists and tables of the document, with the numbers of its paragraphs."""

from io import BytesIO

from remanent.loaders.archive import open_archive, properties
from remanent.loaders.document import LoadedDocument
from remanent.loaders.html import NEXT_PARAGRAPH, read_html
from remanent.loaders.reading import Reading
from remanent.loaders.types import DOCX

_LISTINGS = (
    "Source Code",
    "Preformatted Text",
    "HTML Preformatted",
    "Code",
    "HTML 预设格式",
    "预设格式",
    "源代码",
    "代码",
)
"""What programs call the style of listings, whose lines keep their indentation."""
# Built-in styles are mapped by mammoth; these are what other programs and languages call them.
_STYLES = "\n".join(
    [
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='标题'] => h1:fresh",
        *(f"p[style-name='{name}'] => pre:separator('{NEXT_PARAGRAPH}')" for name in _LISTINGS),
        *(f"p[style-name='{name} {level}'] => h{level}:fresh" for name in ("标题", "標題") for level in range(1, 7)),
    ]
)


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a document; empty paragraphs are counted, so that the numbers are those of the original."""
    import mammoth

    with open_archive(data, reading.limits) as archive:
        said = properties(archive)
    made = mammoth.convert_to_html(
        BytesIO(data),
        style_map=_STYLES,
        ignore_empty_paragraphs=False,
        convert_image=mammoth.images.img_element(lambda image: {}),
    )
    document = read_html(made.value)
    title = said.pop("title", None) or document.title
    return document.model_copy(update={"media_type": DOCX, "title": title, "metadata": said})
