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


LET = [
    ["合同编号", "承租方", "起租日", "月租金"],
    ["HT-01", "蓝海公司", "2024年3月1日", "12000 元"],
    ["HT-02", "星河科技", "2024年6月15日", "-"],
]
STAFF = [
    ["Name", "Office", "Salary", "Start date"],
    ["Anna Berg", "Oslo", "5200", "2019-03-01"],
    ["Bo Li", "Taipei", "", "2021-11-15"],
    ["Carla Diaz", "Madrid", "4700", "2020-07-01"],
]


@pytest.mark.spec("KB-04")
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("rows", "question"),
    [
        (STOCKS, "丙库的库存是多少？"),
        (STOCKS, "丙库由谁负责？"),
        (HOUSES, "How many boxes are in warehouse C?"),
        (HOUSES, "who manages warehouse c"),
        (HOUSES[:2], "Who manages warehouse B?"),
        (LINES, "When was line 5 opened?"),
        (LINES_ZH, "5号线哪年开通？"),
        (STAFF, "What is Carla Li's salary?"),
        (STAFF, "Who started on 5 May 2022?"),
        (LET, "红日公司的月租金是多少？"),
    ],
)
async def test_a_row_on_another_thing_answers_nothing(
    base: AsyncKnowledgeCollection, name: str, rows: Rows, question: str
) -> None:
    await base.add(data=FORMS[name](rows), name=name)
    answer = await base.ask(question)
    assert not answer.answered, answer.text


@pytest.mark.spec("KB-04")
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("rows", "question"),
    [
        (LINES, "When was line 9 closed?"),
        (LINES_ZH, "4号线哪年停运的？"),
        (STAFF, "How much is Bo Li's salary?"),
        (STAFF, "When was Anna Berg born?"),  # a column that is not there
        (STAFF, "What is Bo Li's phone number?"),
        (STOCKS, "甲库的最低库存是多少？"),
        (LET, "星河科技的月租金是多少？"),
    ],
)
async def test_a_row_whose_asked_cell_is_empty_answers_nothing(
    base: AsyncKnowledgeCollection, name: str, rows: Rows, question: str
) -> None:
    await base.add(data=FORMS[name](rows), name=name)
    answer = await base.ask(question)
    assert not answer.answered, answer.text


async def test_what_prose_says_of_an_empty_cell_answers(base: AsyncKnowledgeCollection) -> None:
    await base.add(data=FORMS["stock.csv"](LINES), name="lines.csv")
    await base.add(text="Line 9 was closed in 2021 after the flood.", name="news.txt")
    answer = await base.ask("When was line 9 closed?")
    assert answer.answered
    assert answer.text.startswith("Line 9 was closed in 2021 after the flood.")


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    ("rows", "question", "told"),
    [
        (LINES_ZH, "9号线有多长？", "线路：9号线，开通：1999年，长度：7公里。 [1]"),
        (LINES, "How long is line 9?", "Line: Line 9, Opened: 1999, Length: 7 km. [1]"),
        (STOCKS, "甲库有多少箱？", "仓库：甲库，库存：120 箱，负责人：王芳。 [1]"),
        (
            HOUSES,
            "How many boxes are in warehouse A?",
            "Warehouse: Warehouse A, Stock: 120 boxes, Manager: Ann Lee. [1]",
        ),
        (STAFF, "Who started on 1 March 2019?",
         "Name: Anna Berg, Office: Oslo, Salary: 5200, Start date: 2019-03-01. [1]"),
        (STAFF, "Which office does Bo Li work in?", "Name: Bo Li, Office: Taipei, Start date: 2021-11-15. [1]"),
        (LET, "合同HT-01的月租金是多少？",
         "合同编号：HT-01，承租方：蓝海公司，起租日：2024年3月1日，月租金：12000 元。 [1]"),
    ],
)  # fmt: skip
async def test_a_cell_that_is_asked_for_answers_with_its_row_alone(
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


LEAVES = [["Leave", "Days"], ["Sick leave", "12"], ["Paid sick leave", "5"]]
LEAVES_ZH = [["假别", "天数"], ["产假", "158天"], ["陪产假", "15天"]]
PREFIXED_ZH = [["项目", "标准"], ["陪产假", "15天"], ["带薪年假", "10天"]]
RATES = [["Product", "Pallets", "Rate per day", "Contact"], ["Prawns", "40", "12 euros", "Ann Lee"],
         ["Cod", "25", "9 euros", "Bob Ray"]]  # fmt: skip
ROTA = [["Week", "Early", "Night"], ["40", "Marta Ruiz", "Ivan Petrov"], ["41", "Chen Wu", "Dora Klein"]]
OWNERS_ZH = [["产线", "负责人", "产品"], ["A线", "王小军", "轴承"], ["B线", "刘敏", "齿轮"]]
OWNERS = [["Line", "Manager", "Opened"], ["Line 4", "Ann Lee", "1988"], ["Line 7", "Bob Ray", "1990"]]


@pytest.mark.parametrize(
    ("rows", "question", "told"),
    [
        (LEAVES, "How many days of sick leave are there?", "Leave: Sick leave, Days: 12. [1]"),
        (LEAVES, "How many days of paid sick leave are there?", "Leave: Paid sick leave, Days: 5. [1]"),
        (LEAVES_ZH, "产假多少天？", "假别：产假，天数：158天。 [1]"),
        (LEAVES_ZH, "陪产假多少天？", "假别：陪产假，天数：15天。 [1]"),
        (PREFIXED_ZH, "产假多少天？", ""),
        (PREFIXED_ZH, "年假多少天？", "项目：带薪年假，标准：10天。 [1]"),
        (RATES, "What is the daily rate for prawns?",
         "Product: Prawns, Pallets: 40, Rate per day: 12 euros, Contact: Ann Lee. [1]"),
        (RATES, "What is the monthly rate for prawns?", ""),
        (ROTA, "Who works nights in week 41?", "Week: 41, Early: Chen Wu, Night: Dora Klein. [1]"),
        (ROTA, "Who is on night shift in week 41?", "Week: 41, Early: Chen Wu, Night: Dora Klein. [1]"),
        (ROTA, "Who works nights in week 45?", ""),
        (ROTA, "Who works the late shift in week 41?", ""),
        (OWNERS_ZH, "王小军负责哪条产线？", "产线：A线，负责人：王小军，产品：轴承。 [1]"),
        (OWNERS_ZH, "李强负责哪条产线？", ""),
        (OWNERS, "Which line does Bob Ray manage?", "Line: Line 7, Manager: Bob Ray, Opened: 1990. [1]"),
        (OWNERS, "Which line does Cy Dow manage?", ""),
    ],
)  # fmt: skip
async def test_the_row_that_is_called_so_answers_and_not_one_with_a_longer_name(
    base: AsyncKnowledgeCollection, rows: Rows, question: str, told: str
) -> None:
    await base.add(data=FORMS["stock.md"](rows), name="stock.md")
    answer = await base.ask(question)
    assert (answer.answered, answer.text if answer.answered else "") == (bool(told), told), answer.text
