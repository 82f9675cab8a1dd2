"""Cutting documents: at borders that make sense, with places that lead back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.knowledge.chunking import STRETCH, cut, weight
from remanent.loaders import LoadedDocument, load
from tests.growth import grows_no_faster_than_its_input


async def read(text: str, name: str = "a.md") -> LoadedDocument:
    return await load(text.encode(), name=name)


def texts(document: LoadedDocument, size: int) -> list[str]:
    return [piece.of(document.text) for piece in cut(document, size=size)]


@pytest.mark.spec("KB-01")
async def test_chunks_end_where_sentences_do_in_english_and_chinese() -> None:
    english = await read("Dr. Ho paid 3.50 dollars. She left at noon. Nobody saw her again that day.", "a.txt")
    assert texts(english, 40) == [
        "Dr. Ho paid 3.50 dollars.",
        "She left at noon.",
        "Nobody saw her again that day.",
    ]
    chinese = await read("里斯本是葡萄牙的首都。它位于特茹河口！人口约五十万吗？是的。", "a.txt")
    assert all(part[-1] in "。！？" for part in texts(chinese, 24))
    assert "".join(texts(chinese, 24)) == chinese.text


@pytest.mark.spec("KB-01")
async def test_no_chunk_reaches_across_a_heading_and_each_knows_the_headings_above_it() -> None:
    document = await read("# Pump\n\nIt moves water.\n\n## Care\n\nClean it.\n\n### Filter\n\nWash it.\n")
    pieces = cut(document, size=600)
    assert [piece.path for piece in pieces] == [("Pump",), ("Pump", "Care"), ("Pump", "Care", "Filter")]
    assert [document.place(piece.start).line for piece in pieces] == [1, 5, 9]


@pytest.mark.spec("KB-01")
async def test_a_table_that_fits_stays_whole_and_a_long_one_is_cut_between_rows() -> None:
    rows = [f"| part {number} | {number} bolts |" for number in range(40)]
    table = "\n".join(["| part | needs |", "|---|---|", *rows])
    document = await read(f"Some words before it. And more of them.\n\n{table}\n\nAnd after it.\n")
    assert any(table in part for part in texts(document, 1200))
    for part in texts(document, 200):
        assert all(line.startswith("| part") or "|" not in line or "---" in line for line in part.splitlines())
        assert all(line.count("|") in {0, 3} for line in part.splitlines())


@pytest.mark.spec("KB-01")
async def test_a_function_that_fits_is_not_cut() -> None:
    functions = [f"def call_{n}(x):\n    y = x + {n}\n    return y * {n}\n" for n in range(12)]
    document = await read("\n\n".join(functions), "a.py")
    parts = texts(document, 160)
    assert len(parts) > 1
    for function in functions:
        assert any(function.strip() in part for part in parts)


@given(st.text(alphabet="ab. \n#你好。|-`", max_size=400), st.sampled_from([100, 160, 300]))
async def test_chunks_are_in_order_do_not_overlap_and_leave_out_only_white_space(text: str, size: int) -> None:
    if not text.strip():
        return
    document = await read(f"x {text}")
    at = 0
    for piece in cut(document, size=size):
        assert not document.text[at : piece.start].strip()
        assert piece.of(document.text).strip()
        assert weight(piece.of(document.text)) <= 2 * STRETCH * size
        at = piece.end
    assert not document.text[at:].strip()


def test_what_has_no_border_at_all_is_cut_all_the_same() -> None:
    document = LoadedDocument(text="x" * 10_000, media_type="text/plain")
    parts = texts(document, 500)
    assert "".join(parts) == document.text
    assert max(map(len, parts)) <= 1000


def test_the_work_grows_with_the_length_of_the_text() -> None:
    def work(text: str) -> None:
        cut(LoadedDocument(text=text, media_type="text/plain"), size=600)

    assert grows_no_faster_than_its_input(work, "One more sentence about pumps. " * 4000)
