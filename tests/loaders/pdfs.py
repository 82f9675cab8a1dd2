"""Small PDF files, made here."""

_PICTURE = " q 400 0 0 400 72 72 cm BI /W 2 /H 1 /CS /G /BPC 8 /F /AHx ID 80FF> EI Q"


def pdf(*pages: str, image: int | None = None) -> bytes:
    """A PDF with a page for each text; the page of the number `image` shows a grey picture beside its text."""
    numbers = range(len(pages))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(f'{4 + 2 * n} 0 R' for n in numbers)}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        shown = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        stream = f"BT /F1 12 Tf 72 720 Td ({shown}) Tj ET" if text else ""
        stream += _PICTURE if number == image else ""
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return written(objects)


def locked_pdf() -> bytes:
    """A PDF that opens with a password only."""
    plain = pdf("The code of the safe is 4711.").decode("latin-1")
    asks = f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{'11' * 32}> /U <{'22' * 32}> >>"
    return plain.replace("/Root 1 0 R", f"/Root 1 0 R /ID [<00> <00>] /Encrypt {asks}").encode("latin-1")


def table_pdf(rows: list[tuple[str, str]]) -> bytes:
    """A PDF with a sentence, a table with lines around its cells, and another sentence."""
    lines = ["BT /F1 12 Tf 72 720 Td (Before the table.) Tj ET"]
    for number, row in enumerate(rows):
        top = 690 - 20 * number
        for column, cell in enumerate(row):
            lines.append(f"{72 + 150 * column} {top - 20} 150 20 re S")
            lines.append(f"BT /F1 12 Tf {76 + 150 * column} {top - 15} Td ({cell}) Tj ET")
    lines.append(f"BT /F1 12 Tf 72 {640 - 20 * len(rows)} Td (After the table.) Tj ET")
    stream, fonts = "\n".join(lines), "<< /Font << /F1 3 0 R >> >>"
    return written(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {fonts} /Contents 5 0 R >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    )


def written(objects: list[str]) -> bytes:
    """The file of these objects, the first of which is the catalogue."""
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    end += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return out + end.encode()


def chinese_pdf(*pages: str, radicals: bool = False, outline: tuple[tuple[str, int], ...] = ()) -> bytes:
    """A PDF in Chinese, with a table of what its glyphs mean, as browsers and office programs write it.

    With `radicals` that table says what some fonts' tables say: a radical for the character that looks like it.
    """
    signs = sorted(set("".join(pages)))
    codes = {sign: f"{number:04X}" for number, sign in enumerate(signs, 1)}
    meant = {sign: chr(0x2FA5) if radicals and sign == "里" else sign for sign in signs}
    listed = "\n".join(f"<{codes[sign]}> <{meant[sign].encode('utf-16-be').hex().upper()}>" for sign in signs)
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{len(signs)} beginbfchar\n{listed}\nendbfchar\n"
        "endcmap end end"
    )
    first = 7 + len(outline)
    kids = " ".join(f"{first + 2 * n} 0 R" for n in range(len(pages)))
    outlines = f"<< /Type /Outlines /First 7 0 R /Last {6 + len(outline)} 0 R /Count {len(outline)} >>"
    system = "<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>"
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {'/Outlines 6 0 R' if outline else ''} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /S/Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 R >>",
        f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /S /CIDSystemInfo {system} /DW 1000 >>",
        f"<< /Length {len(table)} >>\nstream\n{table}\nendstream",
        outlines if outline else "null",
    ]
    for number, (title, page) in enumerate(outline):
        later = f"/Next {8 + number} 0 R" if number + 1 < len(outline) else ""
        objects.append(
            f"<< /Title <{('FEFF' + title.encode('utf-16-be').hex()).upper()}> /Parent 6 0 R {later} "
            f"/Dest [{first + 2 * page} 0 R /Fit] >>"
        )
    for number, text in enumerate(pages):
        shown = " ".join(f"<{''.join(codes[sign] for sign in line)}> Tj 0 -20 Td" for line in text.split("\n"))
        stream = f"BT /F1 12 Tf 72 720 Td {shown} ET"
        objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {first + 2 * number + 1} 0 R >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    return written(objects)
