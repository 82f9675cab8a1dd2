"""Documents read: pages of PDF through the process that parses them."""

import asyncio
import time

from bench.corpus import Corpus
from bench.figures import Figure, Report, at_least
from remanent.loaders import load

PAGES = 300
LINES = 45
"""Lines of a printed page."""


def run_documents_bench(*, report: Report = lambda _: None) -> list[Figure]:
    """Read a long PDF."""
    return asyncio.run(_measure(report))


async def _measure(report: Report) -> list[Figure]:
    words = [text for text in Corpus().texts(2 * PAGES * LINES) if text.isascii()]
    content = _pdf(words)
    await load(_pdf(words[:LINES]), name="first.pdf")  # starts the process that reads
    report(f"read a PDF of {PAGES} pages")
    begun = time.perf_counter()
    document = await load(content, name="long.pdf")
    pages = (document.places[-1].place.page or 0) / (time.perf_counter() - begun)
    return [at_least(f"documents, a PDF of {PAGES} pages read", pages, "pages/s", 40)]


def _pdf(lines: list[str]) -> bytes:
    """Return a plain PDF of these lines in English."""
    pages = [lines[at : at + LINES] for at in range(0, len(lines), LINES)][:PAGES]
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} /MediaBox [0 0 612 792] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, page in enumerate(pages):
        stream = "BT /F1 9 Tf 12 TL 40 760 Td " + " ".join(f"({line[:110]}) Tj T*" for line in page) + " ET"
        fonts = "<< /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R /Resources {fonts} /Contents {5 + 2 * number} 0 R >>")
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"
    return f"{out}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("latin-1")
