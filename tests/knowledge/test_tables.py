"""What is asked of tables: the row and the column that are meant, and that they are not there."""

import pytest

from remanent.knowledge.face import AsyncKnowledgeCollection
from tests.knowledge.test_proof import base
from tests.loaders.made import pptx, xlsx

__all__ = ["base"]

Rows = list[list[str]]
LINES = [
    ["Line", "Opened", "Closed", "Length"],
    ["Line 4", "1988", "", "12 km"],
    ["Line 7", "1990", "2004", "9 km"],
    ["Line 9", "1999", "", "7 km"],
]
LINES_ZH = [
    ["线路", "开通", "停运", "长度"],
    ["4号线", "1988年", "", "12公里"],
    ["7号线", "1990年", "2004年", "9公里"],
    ["9号线", "1999年", "", "7公里"],
]
STOCKS = [["仓库", "库存", "负责人"], ["甲库", "120 箱", "王芳"], ["乙库", "80 箱", "李强"]]
HOUSES = [
    ["Warehouse", "Stock", "Manager"],
    ["Warehouse A", "120 boxes", "Ann Lee"],
    ["Warehouse B", "80 boxes", "Bob Ray"],
]


def _sheet(rows: Rows) -> dict[str, str | int | float]:
    return {
        f"{chr(65 + at)}{number}": cell for number, row in enumerate(rows, 1) for at, cell in enumerate(row) if cell
    }


def _cells(rows: Rows, tag: str) -> str:
    return "".join("<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in row) + "</tr>" for row in rows)


FORMS = {
    "stock.csv": lambda rows: "".join(",".join(row) + "\n" for row in rows).encode(),
    "stock.md": lambda rows: "".join(
        f"| {' | '.join(row)} |\n" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    ).encode(),
    "stock.html": lambda rows: f"<table>{_cells(rows[:1], 'th')}{_cells(rows[1:], 'td')}</table>".encode(),
    "stock.xlsx": lambda rows: xlsx({"Sheet1": _sheet(rows)}),
}
"""A table as each sort of file has it, by its name."""


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("rows", "question", "told"),
    [
        (LINES, "When was line 7 closed?", "Line: Line 7, Opened: 1990, Closed: 2004, Length: 9 km. [1]"),
        (STOCKS, "甲库的库存是多少？", "仓库：甲库，库存：120 箱，负责人：王芳。 [1]"),
        (STOCKS, "谁负责乙库？", "仓库：乙库，库存：80 箱，负责人：李强。 [1]"),
        (HOUSES, "Who manages warehouse B?", "Warehouse: Warehouse B, Stock: 80 boxes, Manager: Bob Ray. [1]"),
    ],
)
async def test_a_row_answers_under_its_head_whatever_file_it_is_of(
    base: AsyncKnowledgeCollection, name: str, rows: Rows, question: str, told: str
) -> None:
    await base.add(data=FORMS[name](rows), name=name)
    answer = await base.ask(question)
    assert (answer.answered, answer.text) == (True, told)


async def test_the_rows_of_each_sheet_are_read_under_its_own_head(base: AsyncKnowledgeCollection) -> None:
    parts = [["Stock of May"], ["Part", "Price", "Shelf"]] + [[f"Valve V{n}", str(3 * n), f"S{n}"] for n in range(150)]
    staff = [["Name", "Role"]] + [[f"Dana D{n}", "Driver" if n % 2 else ""] for n in range(150)]
    await base.add(data=xlsx({"Parts": _sheet(parts), "Staff": _sheet(staff)}), name="book.xlsx")
    assert (await base.ask("What is the price of valve V140?")).text == (
        "Part: Valve V140, Price: 420, Shelf: S140. [1]"
    )
    assert (await base.ask("What is the role of Dana D141?")).text == "Name: Dana D141, Role: Driver. [1]"


async def test_labels_before_their_cells_are_no_head(base: AsyncKnowledgeCollection) -> None:
    told = [["Owner", "Ann Lee"], ["Opened", "1988"], ["Colour", "blue"]]
    await base.add(data=xlsx({"Ferry": _sheet(told)}), name="ferry.xlsx")
    answer = await base.ask("What is the colour of the ferry?")
    assert "Ann Lee: blue" not in answer.text
    assert "Colour | blue" in answer.text


async def test_the_table_on_a_slide_is_read_under_its_head(base: AsyncKnowledgeCollection) -> None:
    await base.add(data=pptx(LINES), name="lines.pptx")
    answer = await base.ask("When was line 7 closed?")
    assert answer.text == "Line: Line 7, Opened: 1990, Closed: 2004, Length: 9 km. [1]"
    assert answer.passages[0].place.slide == 2
