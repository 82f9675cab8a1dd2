"""Files of every type through the public door: what their text and structure are, and how bad ones are refused."""

import ast
import json
import random
import subprocess
import sys
from datetime import date
from io import BytesIO
from pathlib import Path

import pytest

from remanent import loaders
from remanent.bilingual import translated
from remanent.errors import MissingDependency, UnreadableFile
from remanent.loaders import LoadedDocument, Place, load
from remanent.loaders.document import LoadLimits
from remanent.loaders.types import readable_name
from tests.loaders.made import PAGE, SAMPLES, docx, epub, mail, packed, paragraph, pptx, table, xlsx
from tests.loaders.pdfs import chinese_pdf, locked_pdf, pdf, table_pdf

_SENTENCE = "The bridge was opened in 1932 after ten years of work, and it is painted grey every year. "
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20


def where(document: LoadedDocument, words: str) -> Place:
    return document.place(document.text.index(words))


def blocks(document: LoadedDocument) -> list[tuple[str, list[str]]]:
    """The blocks with the parts that their borders make of them."""
    return [
        (
            block.kind,
            [
                document.text[start:end]
                for start, end in zip((block.start, *block.borders), (*block.borders, block.end), strict=True)
            ],
        )
        for block in document.blocks
    ]


def paths(document: LoadedDocument) -> list[tuple[str, ...]]:
    return [section.path for section in document.sections]


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("name", sorted(SAMPLES))
async def test_every_type_is_read_and_each_section_and_block_lies_in_the_text(name: str) -> None:
    found = await load(SAMPLES[name], name=name)
    assert found.text.strip()
    ends = [0]
    for section in found.sections:
        assert ends[-1] <= section.start < section.end <= len(found.text)
        assert section.title in found.text[section.start : section.end]
        assert section.path[-1] == section.title
        assert section.place == found.place(section.start)
        ends.append(section.end)
    for block in found.blocks:
        assert block.start < block.end <= len(found.text)
        assert list(block.borders) == sorted(set(block.borders))
        assert all(block.start < border < block.end for border in block.borders)
    assert LoadedDocument.from_json(found.to_json()) == found


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("name", sorted(set(SAMPLES) - {"a.txt", "a.csv", "a.md", "a.jsonl", "a.py"}))
@pytest.mark.parametrize("called", ["scan.bin", "letter.txt", "figures.xlsx"])
async def test_what_is_in_a_file_is_believed_before_its_name(name: str, called: str) -> None:
    assert (await load(SAMPLES[name], name=called)).text == (await load(SAMPLES[name], name=name)).text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030", "gbk"])
async def test_simplified_chinese_is_read_in_every_usual_encoding(encoding: str) -> None:
    text = "第 12 届年会于五月在里斯本举行，来自各国的代表讨论了桥梁的维护与安全。The end."
    assert (await load(text.encode(encoding), name="a.txt")).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("第十二屆年會於五月在里斯本舉行，來自各國的代表討論了橋樑的維護與安全。", "big5"),
        ("Le pont a été inauguré en 1932 ; c’est là qu’il résiste encore.", "cp1252"),
        ("Die Brücke wurde 1932 eröffnet.", "cp1252"),
    ],
)
async def test_other_encodings_are_found_by_what_they_make_of_the_bytes(text: str, encoding: str) -> None:
    assert (await load(text.encode(encoding), name="a.txt")).text == text


async def test_text_with_a_few_damaged_bytes_is_still_utf8() -> None:
    found = await load(("大桥通车。" * 50).encode() + b"\xe5\xa4", name="a.txt")
    assert found.text.startswith("大桥通车。大桥")


@pytest.mark.spec("KB-01")
async def test_chinese_in_a_pdf_is_found_though_the_font_names_radicals() -> None:
    found = await load(
        chinese_pdf("第一章 桥\n里斯本的大桥", "第二章 河\n里斯本", radicals=True, outline=(("桥", 0), ("河", 1))),
        name="a.pdf",
    )
    assert found.text.count("里斯本") == 2
    assert paths(found) == [("桥",), ("河",)]
    assert found.text[found.sections[1].start :].startswith("第二章 河")
    assert where(found, "第二章") == Place(page=2)


async def test_a_table_in_a_pdf_is_a_block_that_is_cut_between_rows() -> None:
    found = await load(table_pdf([("city", "opened in"), ("Lisbon", "1966"), ("New York", "1883")]), name="a.pdf")
    assert [(kind, [" ".join(row.split()) for row in rows]) for kind, rows in blocks(found)] == [
        ("table", ["city opened in", "Lisbon 1966", "New York 1883"])
    ]


async def test_of_a_web_page_the_article_is_read_and_of_a_short_one_everything() -> None:
    article = "<h1>The bridge</h1>" + "".join(f"<p>{_SENTENCE * 4}</p><h2>{part}</h2>" for part in ("钢", "石"))
    around = "<div class='menu'><ul><li><a href='/'>Home</a></li></ul></div>{}<div id='footer'>Cookies, terms</div>"
    page = (
        f"<html><head><title>Bridge</title></head><body>{around.format(f'<div>{article}<p>{_SENTENCE * 4}</p></div>')}"
    )
    found = await load(page.encode(), name="a.html")
    assert (found.title, paths(found)) == ("Bridge", [("The bridge",), ("The bridge", "钢"), ("The bridge", "石")])
    assert "Cookies" not in found.text
    assert found.text.count("opened in 1932") == 12
    short = await load(f"<html><body>{around.format('<p>Opened.</p>')}".encode(), name="a.html")
    assert "Cookies" in short.text


async def test_a_listing_of_a_document_keeps_its_lines_and_their_indentation() -> None:
    def code(*lines: str) -> str:
        """One paragraph, as pandoc writes a listing."""
        runs = "<w:r><w:br/></w:r>".join(f'<w:r><w:t xml:space="preserve">{one}</w:t></w:r>' for one in lines)
        return f'<w:p><w:pPr><w:pStyle w:val="SourceCode"/></w:pPr>{runs}</w:p>'

    found = await load(
        docx(
            paragraph("Before."),
            code("def start(pump):", "    if pump.dry:", "        stop()"),
            paragraph("Between."),
            code("{"), code('  "一": 1'), code("}"),  # a paragraph for each line, as LibreOffice does
            paragraph("Behind."),
        ),
        name="code.docx",
    )  # fmt: skip
    assert "def start(pump):\n    if pump.dry:\n        stop()\n" in found.text
    assert '{\n  "一": 1\n}\n' in found.text
    assert [block.kind for block in found.blocks] == ["code", "code"]
    assert where(found, "Between.") == Place(paragraph=3)
    assert where(found, "Behind.") == Place(paragraph=7)
    broken = await load(b"<pre>a<br>  b\n    c</pre>", name="a.html")
    assert broken.text == "a\n  b\n    c"


async def test_a_document_has_its_headings_tables_and_the_numbers_of_its_paragraphs() -> None:
    body = [
        paragraph("Bridges", "Heading1"),
        "<w:p/>",
        paragraph("They span rivers."),
        paragraph("钢桥", "Heading2"),
        table(("span", "year"), ("503 m", "1932")),
        paragraph("The end."),
    ]
    found = await load(docx(*body, title="On &amp; bridges"), name="a.docx")
    assert found.title == "On & bridges"
    assert paths(found) == [("Bridges",), ("Bridges", "钢桥")]
    assert where(found, "They") == Place(paragraph=3)
    assert blocks(found) == [("table", ["| span | year\n", "| 503 m | 1932"])]
    assert where(found, "The end.") == Place(paragraph=9)


async def test_a_presentation_has_its_slides_notes_and_tables() -> None:
    found = await load(pptx(), name="a.pptx")
    assert paths(found) == [("The bridge",), ("Figures",)]
    assert where(found, "长江大桥") == where(found, "Say who") == Place(slide=1)
    assert blocks(found) == [("table", ["span | 503 m\n", "height | 134 m"])]
    assert where(found, "134") == Place(slide=2)


@pytest.mark.spec("KB-01")
async def test_cells_know_their_sheet_and_row_though_rows_are_empty() -> None:
    sheets = {"Sales": {"A3": "city", "B3": "year", "A4": "Lisbon", "B4": 1966, "A9": "Porto", "B9": 1.5}, "空": {}}
    found = await load(xlsx(sheets), name="a.xlsx")  # type: ignore[arg-type]
    assert found.text == "Sales\n\ncity | year\nLisbon | 1966\nPorto | 1.5\n\n空"
    assert where(found, "city") == Place(sheet="Sales", line=3)
    assert where(found, "1966") == Place(sheet="Sales", line=4)
    assert where(found, "1.5") == Place(sheet="Sales", line=9)
    assert paths(found) == [("Sales",), ("空",)]


async def test_a_workbook_made_by_another_program_is_read() -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    out = BytesIO()
    book = xlsxwriter.Workbook(out, {"in_memory": True})
    sheet = book.add_worksheet("年度")
    sheet.write_row(0, 0, ["city", "opened"])
    sheet.write(1, 0, "里斯本")
    sheet.write_datetime(1, 1, date(1966, 8, 6), book.add_format({"num_format": "yyyy-mm-dd"}))
    book.close()
    assert "里斯本 | 1966-08-06" in (await load(out.getvalue(), name="a.xlsx")).text


async def test_a_book_is_read_in_the_order_of_its_chapters() -> None:
    found = await load(epub("<h1>One</h1><p>First.</p>", "<h1>二</h1><p>Second.</p>"), name="a.epub")
    assert (found.title, found.metadata, paths(found)) == ("On bridges", {"creator": "Ada"}, [("One",), ("二",)])
    assert where(found, "Second") == Place(part="OEBPS/text/chapter 2.xhtml", paragraph=2)


@pytest.mark.parametrize("html", [False, True])
async def test_a_message_is_read_with_what_is_attached_to_it_and_to_that(html: bool) -> None:
    found = await load(mail(html=html), name="a.eml")
    assert found.title == "关于大桥 / the bridge"
    assert found.metadata["from"] == "Ada <ada@example.org>"
    assert where(found, "503 m") == Place(part="plan.pdf", page=1)
    assert found.section(found.text.index("503 m")).title == "plan.pdf"  # type: ignore[union-attr]
    assert "It costs 4 million." in found.text


async def test_messages_within_messages_are_read_to_a_depth() -> None:
    inner = b"From: a@b.example\nTo: c@d.example\nSubject: deepest\n\nthe innermost words\n"
    for level in range(12):
        inner = (
            b"From: a@b.example\nTo: c@d.example\nSubject: level\nMIME-Version: 1.0\n"
            b'Content-Type: multipart/mixed; boundary="x%d"\n\n--x%d\nContent-Type: message/rfc822\n\n'
            % (level, level)
            + inner
            + b"\n--x%d--\n" % level
        )
    assert "innermost" not in (await load(inner, name="a.eml")).text


async def test_each_message_of_a_chat_is_a_section_that_says_who_speaks() -> None:
    found = await load(SAMPLES["a.jsonl"], name="a.jsonl")
    assert [(part.title, part.place.line) for part in found.sections] == [("user", 1), ("assistant", 2)]
    assert where(found, "there") == Place(line=2)
    records = b'{"city": "Lisbon"}\n{"city": "Porto"}\n'
    assert (await load(records, name="a.jsonl")).text == records.decode()


async def test_all_words_of_a_message_in_parts_are_read() -> None:
    """A part that is a text by itself, and a refusal, were lost."""
    parts = ["Ada moved.", {"type": "text", "text": "To Leeds."}, {"type": "refusal", "refusal": "Not to York."}]
    parts += [{"type": "thinking", "thinking": "hm", "text": "hm"}, {"type": "image_url", "image_url": {"url": "u"}}]
    chat = json.dumps({"role": "assistant", "content": parts}).encode()
    assert (await load(chat, name="a.jsonl")).text == "assistant: Ada moved.\nTo Leeds.\nNot to York."


async def test_a_table_of_values_is_cut_between_rows_though_a_field_has_several_lines() -> None:
    found = await load(SAMPLES["a.csv"], name="a.csv")
    assert blocks(found) == [("table", ["city,year\n", "Lisbon,1966\n", '"New\nYork",1883\n'])]


async def test_code_is_cut_between_functions_with_what_belongs_to_them() -> None:
    python = SAMPLES["a.py"].replace(b"def one", b"# why\n@cached\ndef one")
    found = await load(python, name="a.py")
    assert paths(found) == [("one",), ("Two",), ("Two", "three")]
    assert blocks(found)[0][1][1].startswith("# why\n@cached\ndef one")
    other = "package main\n\nfunc Add(a int) int {\n\treturn a\n}\n\nfunc (s *T) Run() {\n}\n\ntype T struct {\n}\n"
    assert paths(await load(other.encode(), name="a.go")) == [("Add",), ("Run",), ("T",)]
    broken = await load(b"def broken(:\n    pass\n", name="a.py")
    assert broken.text.startswith("def broken")


async def test_tables_and_listings_of_markdown_are_blocks() -> None:
    found = await load(SAMPLES["a.md"], name="a.md")
    assert blocks(found) == [
        ("table", ["| a | b |\n|---|---|\n", "| 1 | 2 |\n"]),
        ("code", ["```py\nx = 1\n```\n"]),
    ]
    assert where(found, "span") == Place(line=3)


async def test_a_page_has_its_headings_tables_and_listings() -> None:
    found = await load(PAGE.encode(), name="page")
    assert (found.title, paths(found)) == ("Bridges", [("Bridges",), ("Bridges", "Steel")])
    assert blocks(found) == [
        ("table", ["| span | year\n", "| 503 m | 1932"]),
        ("code", ["def f():\n    return 1"]),
    ]
    assert "Home" not in found.text


async def test_the_encoding_that_a_page_names_is_believed() -> None:
    page = '<html><head><meta charset="big5"><title>橋</title></head><body><p>大橋</p></body></html>'
    assert (await load(page.encode("big5"), name="a.html")).text == "大橋"


# ── pictures ──


async def written(image: bytes) -> str:
    assert image.startswith(b"\x89PNG")
    return "Total: 42"


async def test_a_picture_is_read_by_whoever_can_and_else_said_to_be_unread() -> None:
    assert (await load(PNG, name="a.png", read_image=written)).text == "Total: 42"
    found = await load(PNG, name="a.png")
    assert (found.text, found.unread) == ("", (Place(),))


async def test_a_scanned_page_is_shown_to_the_reader_of_pictures() -> None:
    scanned = pdf("The first page.", "", image=1)
    found = await load(scanned, name="a.pdf", read_image=written)
    assert found.text == "The first page.\n\nTotal: 42"
    assert where(found, "Total") == Place(page=2)
    unread = await load(scanned, name="a.pdf")
    assert (unread.text, unread.unread) == ("The first page.", (Place(page=2),))


async def test_a_reader_of_pictures_that_fails_is_heard_and_the_next_file_is_read() -> None:
    async def fails(_image: bytes) -> str:
        raise MissingDependency("no reader")

    with pytest.raises(MissingDependency, match="no reader"):
        await load(pdf("", image=0), name="a.pdf", read_image=fails)
    assert (await load(pdf("x"), name="a.pdf")).text == "x"


# ── what is refused ──


def bomb() -> bytes:
    """A document of a few kilobytes that would unpack to 300 MB."""
    return packed({"[Content_Types].xml": "", "word/document.xml": b"\0" * 300_000_000})


def locked() -> bytes:
    content = bytearray(SAMPLES["a.docx"])
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        content[at + 8] |= 1
        at = content.find(b"PK\x01\x02", at + 4)
    return bytes(content)


@pytest.mark.spec("KB-01")
@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (b"", "a.txt", "empty"),
        (b" \r\n\n", "a.txt", "empty"),
        (b"\xef\xbb\xbf\n", "a.txt", "empty"),
        (b"x" * 2_000, "a.txt", "too_large"),
        (b"\xff\xfe\0", "a.txt", "unknown_type"),
        (random.Random(1).randbytes(500), "a.pdf", "unknown_type"),
        (random.Random(2).randbytes(500), "a.txt", "unknown_type"),
        (b"%PDF-1.7\nnothing", "a.pdf", "damaged"),
        (SAMPLES["a.docx"][:500], "a.docx", "unknown_type"),
        (packed({"notes.txt": "x"}), "a.zip", "unknown_type"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "a.docx", "locked"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 100, "a.doc", "unknown_type"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "Workbook".encode("utf-16-le"), "a.xls", "damaged"),
        (b"{\\rtf1 x}", "a.rtf", "unknown_type"),
    ],
)
async def test_a_bad_file_is_refused_with_the_reason(content: bytes, name: str, reason: str) -> None:
    with pytest.raises(UnreadableFile) as refused:
        await load(content, name=name, limits=LoadLimits(max_bytes=1_500))
    assert refused.value.reason == reason


@pytest.mark.spec("KB-01")
async def test_what_would_unpack_to_too_much_is_not_unpacked() -> None:
    content = bomb()
    assert len(content) < 400_000
    with pytest.raises(UnreadableFile, match="too much") as refused:
        await load(content, name="a.docx")
    assert refused.value.reason == "too_large"


async def test_locked_archives_and_books_are_said_to_be_locked() -> None:
    chapter = "OEBPS/text/chapter 1.xhtml"
    book = epub("<p>x</p>", encrypted=chapter)
    for content, name in ((locked(), "a.docx"), (book, "a.epub"), (locked_pdf(), "a.pdf")):
        with pytest.raises(UnreadableFile) as refused:
            await load(content, name=name)
        assert refused.value.reason == "locked"


async def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from remanent.loaders import packed
    from remanent.loaders.document import Reading
    from remanent.loaders.types import PPTX

    monkeypatch.setitem(sys.modules, "pptx", None)
    with pytest.raises(MissingDependency, match=r"pip install 'remanent\[documents\]'"):
        packed.read_slides(SAMPLES["a.pptx"], Reading("a.pptx", PPTX))


def test_a_program_without_a_guard_for_its_main_module_can_read_files(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(pdf("The bridge."))
    program = tmp_path / "program.py"
    program.write_text(
        "import asyncio, pathlib\nfrom remanent.loaders import load\n"
        "print(asyncio.run(load(pathlib.Path('a.pdf').read_bytes(), name='a.pdf')).text)\n"
    )
    ran = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr, ran.returncode) == ("The bridge.\n", "", 0)


def test_every_reason_for_which_a_file_is_refused_is_told_in_chinese_too() -> None:
    """`tests/cli/test_wording.py` has the other direction: what is in the table is said somewhere."""
    told = []
    for file in Path(loaders.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in {"refuse", "UnreadableFile"}:
                continue
            for message in node.args:
                parts = message.values if isinstance(message, ast.JoinedStr) else [message]
                said = "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in parts)
                told += [said] if " " in said else []
    assert len(told) > 15
    assert [said for said in told if translated(said, "zh") == said] == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("报告.md", "报告.md"),
        (b"\xb1\xa8\xb8\xe6.md".decode("utf-8", "surrogateescape"), "报告.md"),
        ("half \ud800 of a pair.md", "half ? of a pair.md"),
    ],
)
def test_a_name_can_be_told_whatever_its_bytes_are(name: str, told: str) -> None:
    assert readable_name(name) == told
