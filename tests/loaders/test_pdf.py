import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import UnreadableFile
from remanent.loaders import LoadedDocument, Place
from remanent.loaders import pdf as loader
from remanent.loaders.document import Reading
from remanent.loaders.types import PDF
from tests.loaders.pdfs import pdf


def read(content: bytes) -> LoadedDocument:
    return loader.read(content, Reading("a.pdf", PDF))


def test_the_words_of_every_page_are_read_in_order_and_know_their_page() -> None:
    found = read(pdf("The bridge was opened in 1932.", "", "It is (still) there."))
    assert found.text == "The bridge was opened in 1932.\n\nIt is (still) there."
    assert found.place(found.text.index("1932")) == Place(page=1)
    assert found.place(found.text.index("still")) == Place(page=3)


@pytest.mark.parametrize("content", [b"", b"no pdf", b"%PDF-1.4\n", pdf("x")[:60], b"\xff" * 100])
def test_what_is_no_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableFile, match="this PDF cannot be read"):
        read(content)


@given(st.integers(min_value=9, max_value=500), st.binary(min_size=1, max_size=20))
def test_a_damaged_pdf_is_read_or_refused_and_never_ends_otherwise(place: int, damage: bytes) -> None:
    whole = pdf("The bridge was opened in 1932.")
    with contextlib.suppress(UnreadableFile):
        read(whole[:place] + damage + whole[place + len(damage) :])
