import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.loaders.pdf import read_pdf
from tests.loaders.pdfs import pdf


def test_the_words_of_every_page_are_read_in_order() -> None:
    read = read_pdf(pdf("The bridge was opened in 1932.", "", "It is (still) there."))
    assert read.pages == ("The bridge was opened in 1932.", "", "It is (still) there.")
    assert read.text == "The bridge was opened in 1932.\n\nIt is (still) there."


@pytest.mark.parametrize("content", [b"", b"no pdf", b"%PDF-1.4\n", pdf("x")[:60], b"\xff" * 100])
def test_what_is_no_pdf_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInput, match="no PDF that can be read"):
        read_pdf(content)


@given(st.integers(min_value=9, max_value=500), st.binary(min_size=1, max_size=20))
def test_a_damaged_pdf_is_read_or_refused_and_never_ends_otherwise(place: int, damage: bytes) -> None:
    whole = pdf("The bridge was opened in 1932.")
    with contextlib.suppress(InvalidInput):
        assert len(read_pdf(whole[:place] + damage + whole[place + len(damage) :]).pages) <= 1
