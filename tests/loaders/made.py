"""Small files of every type, made here: by hand where the format is simple, else by the library of that format."""

import zipfile
from collections.abc import Sequence
from email.message import EmailMessage
from io import BytesIO

from tests.loaders.pdfs import chinese_pdf, pdf

_TYPES = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{}</Types>'
_RELATIONS = (
    '<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    "{}</Relationships>"
)
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def packed(files: dict[str, str | bytes], *, first: str = "") -> bytes:
    """A ZIP archive; the file named first is not compressed."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name == first else zipfile.ZIP_DEFLATED)
    return out.getvalue()


def paragraph(text: str, style: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(*body: str, title: str = "") -> bytes:
    """A document of these paragraphs and tables, with the styles of Word."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    styles += '<w:style w:type="paragraph" w:styleId="SourceCode"><w:name w:val="Source Code"/></w:style>'
    return packed(
        {
            "[Content_Types].xml": _TYPES.format(
                '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
                '<Default Extension="xml" ContentType="application/xml"/>'
            ),
            "_rels/.rels": _RELATIONS.format(
                f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/>'
            ),
            "word/_rels/document.xml.rels": _RELATIONS.format(
                f'<Relationship Id="r1" Type="{_OFFICE}/styles" Target="styles.xml"/>'
            ),
            "word/styles.xml": f'<w:styles xmlns:w="{_W}">{styles}</w:styles>',
            "word/document.xml": f'<w:document xmlns:w="{_W}"><w:body>{"".join(body)}</w:body></w:document>',
            "docProps/core.xml": f"<cp:coreProperties><dc:title>{title}</dc:title></cp:coreProperties>",
        }
    )


def table(*rows: tuple[str, ...]) -> str:
    """A table of a DOCX document."""
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def xlsx(sheets: dict[str, dict[str, str | int | float]]) -> bytes:
    """A workbook of sheets, each with its cells by their names: A1, B2."""
    files: dict[str, str | bytes] = {
        "[Content_Types].xml": _TYPES.format('<Default Extension="xml" ContentType="application/xml"/>'),
        "_rels/.rels": _RELATIONS.format(
            f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
        ),
    }
    listed = linked = ""
    for number, (name, cells) in enumerate(sheets.items(), 1):
        listed += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
        linked += f'<Relationship Id="r{number}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{number}.xml"/>'
        rows: dict[int, str] = {}
        for place, value in cells.items():
            row = int(place.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            shown = (
                f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'
                if isinstance(value, str)
                else f'<c r="{place}"><v>{value}</v></c>'
            )
            rows[row] = rows.get(row, "") + shown
        body = "".join(f'<row r="{row}">{said}</row>' for row, said in sorted(rows.items()))
        files[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
        )
    files["xl/_rels/workbook.xml.rels"] = _RELATIONS.format(linked)
    files["xl/workbook.xml"] = f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>'
    return packed(files)


def pptx(table: Sequence[Sequence[str]] = (("span", "503 m"), ("height", "134 m"))) -> bytes:
    """Two slides: a title with a text and notes, then a table."""
    from pptx import Presentation
    from pptx.util import Inches

    made = Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "The bridge"
    first.placeholders[1].text = "Opened in 1932\n长江大桥"
    first.notes_slide.notes_text_frame.text = "Say who built it."
    second = made.slides.add_slide(made.slide_layouts[5])
    second.shapes.title.text = "Figures"
    grid = second.shapes.add_table(len(table), len(table[0]), Inches(1), Inches(2), Inches(4), Inches(1)).table
    for row, cells in enumerate(table):
        for column, text in enumerate(cells):
            grid.cell(row, column).text = text
    out = BytesIO()
    made.save(out)
    return out.getvalue()


def epub(*chapters: str, encrypted: str = "") -> bytes:
    """A book of chapters in HTML."""
    numbers = range(1, len(chapters) + 1)
    files: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<metadata><dc:title>On bridges</dc:title><dc:creator>Ada</dc:creator></metadata><manifest>"
        + "".join(f'<item id="c{n}" href="text/chapter%20{n}.xhtml"/>' for n in numbers)
        + "</manifest><spine>"
        + "".join(f'<itemref idref="c{n}"/>' for n in numbers)
        + "</spine></package>",
    }
    files |= {
        f"OEBPS/text/chapter {n}.xhtml": f"<html><body>{body}</body></html>" for n, body in enumerate(chapters, 1)
    }
    if encrypted:
        files["META-INF/encryption.xml"] = f'<encryption><CipherReference URI="{encrypted}"/></encryption>'
    return packed(files, first="mimetype")


def mail(*, html: bool = False) -> bytes:
    """A message with a PDF and a forwarded message attached."""
    message = EmailMessage()
    message["From"] = "Ada <ada@example.org>"
    message["To"] = "bob@example.org"
    message["Subject"] = "关于大桥 / the bridge"
    message["Date"] = "Fri, 01 Mar 2024 10:00:00 +0000"
    message["Message-ID"] = "<1@example.org>"
    body = "<h2>News</h2><p>The plan is attached.</p>" if html else "The plan is attached.\n\n计划见附件。"
    message.set_content(body, subtype="html" if html else "plain")
    message.add_attachment(pdf("The span is 503 m."), maintype="application", subtype="pdf", filename="plan.pdf")
    inner = EmailMessage()
    inner["From"] = "carol@example.org"
    inner["To"] = "ada@example.org"
    inner["Subject"] = "Costs"
    inner.set_content("It costs 4 million.")
    message.add_attachment(inner)
    return message.as_bytes()


PAGE = """<!doctype html><html><head><title>Bridges</title></head><body><nav>Home</nav><main><h1>Bridges</h1>
<p>They span rivers.</p><h2>Steel</h2><p>Opened in 1932.</p><table><tr><th>span</th><th>year</th></tr>
<tr><td>503 m</td><td>1932</td></tr></table><pre>def f():
    return 1</pre></main></body></html>"""

SAMPLES: dict[str, bytes] = {
    "a.pdf": pdf("The bridge was opened in 1932.", "It is still there."),
    "zh.pdf": chinese_pdf("里斯本的大桥于一九六六年通车。"),
    "a.docx": docx(paragraph("Bridges", "Heading1"), paragraph("They span rivers."), table(("a", "b"), ("1", "2"))),
    "a.pptx": pptx(),
    "a.xlsx": xlsx({"Sales": {"A1": "city", "B1": "year", "A2": "Lisbon", "B2": 1966}}),
    "a.epub": epub("<h1>One</h1><p>First.</p>", "<h1>Two</h1><p>Second.</p>"),
    "a.eml": mail(),
    "a.html": PAGE.encode(),
    "a.md": b"# Bridges\n\nThey span rivers.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n",
    "a.txt": "大桥于一九六六年通车。".encode("gb18030"),
    "a.csv": b'city,year\nLisbon,1966\n"New\nYork",1883\n',
    "a.jsonl": b'{"role": "user", "content": "Hello"}\n{"role": "assistant", "content": "Hi\\nthere"}\n',
    "a.py": b"import os\n\n\ndef one():\n    return 1\n\n\nclass Two:\n    def three(self):\n        return 3\n",
}
"""One file of each type that is read as text."""
