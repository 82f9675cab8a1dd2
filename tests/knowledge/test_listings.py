"""An answer is of the kind asked for: a time, an amount, all steps; in another language, what means the same."""

from pathlib import Path

import pytest

from remanent import assembly
from remanent.embedding import Embedders
from remanent.knowledge.proof import steps
from remanent.text.markdown import with_rows_read
from tests.embedding.fakes import HashEmbedder
from tests.knowledge.test_languages import CHINESE, ENGLISH
from tests.knowledge.world import opened

HOTEL = (
    "Breakfast is free of charge for all guests. Breakfast is served in the garden room from 7 to 10. "
    "Pets are not allowed."
)
HOTEL_ZH = "早餐对住客免费。早餐在花园厅供应，七点开始，十点结束。泳池在二楼。"
CAKE = (
    "# Lemon cake\n\nThis is how to make the lemon cake:\n\n"
    "1. Heat the oven to 180 degrees.\n2. Beat butter and sugar.\n"
    "3. Add the eggs and the lemon juice.\n4. Bake the cake for 40 minutes.\n\nServe it cold."
)
PORK = (
    "# 红烧肉\n\n红烧肉的做法：\n\n1. 五花肉切块焯水。\n2. 冰糖炒出糖色。\n"
    "3. 放入肉块，加酱油和料酒。\n4. 小火炖一小时。\n"
)


@pytest.mark.spec("KB-05")
async def test_the_sentence_of_the_kind_asked_for_answers(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, base):
        for name, text in {"hotel": HOTEL, "酒店": HOTEL_ZH, "cake": CAKE}.items():
            await base.add(text=text, name=name)
        assert "from 7 to 10" in (await base.ask("What time is breakfast?")).text
        assert "七点开始" in (await base.ask("早餐是几点？")).text
        assert "free of charge" in (await base.ask("How much is breakfast?")).text
        assert not (await base.ask("How many eggs are in the lemon cake?")).answered


@pytest.mark.spec("KB-05")
async def test_passages_without_anything_of_the_kind_asked_for_answer_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, base):
        await base.add(text="Breakfast is free of charge. Breakfast is in the garden room.", name="one")
        assert not (await base.ask("What time is breakfast?")).answered
        await base.add(text="The breakfast of the staff is over at nine o'clock. It is simple.", name="two")
        assert "nine" in (await base.ask("What time is breakfast?")).text


@pytest.mark.parametrize(
    ("text", "question", "sentence", "count"),
    [
        (CAKE, "How do I make the lemon cake?", "Beat butter and sugar.", 4),
        (CAKE, "How do I make the lemon cake?", "This is how to make the lemon cake:", 4),
        (CAKE, "How do I make the lemon cake?", "Serve it cold.", 0),
        (CAKE, "Who makes the lemon cake?", "Beat butter and sugar.", 0),
        (PORK, "红烧肉怎么做？", "冰糖炒出糖色。", 4),
    ],
)
def test_all_steps_of_a_list_are_given_where_one_answers(text: str, question: str, sentence: str, count: int) -> None:
    assert len(steps(question, sentence, text)) == count


@pytest.mark.spec("KB-05")
@pytest.mark.parametrize(
    ("text", "question", "last"),
    [(CAKE, "How do I make the lemon cake?", "40 minutes"), (PORK, "红烧肉怎么做？", "一小时")],
)
async def test_how_something_is_done_is_told_to_the_last_step(
    tmp_path: Path, text: str, question: str, last: str
) -> None:
    async with opened(tmp_path) as (_, base):
        await base.add(text=text, name="recipe.md")
        told = await base.ask(question)
        assert len(told.sentences) == 4
        assert last in told.text
        assert all(one.citations == (1,) for one in told.sentences)


@pytest.mark.spec("KB-05")
@pytest.mark.parametrize(
    ("texts", "asked", "stranger"),
    [
        (ENGLISH, {"刮大风时船只还能进入港口吗？": "harbour", "早上哪里可以买到新鲜面包？": "bread"},
         "打印机怎么换墨盒？"),
        (CHINESE, {"May boats enter the harbour in a strong wind?": "港口", "Who sells fresh bread?": "面包"},
         "How do I reset my router password?"),
    ],
    ids=["Chinese on English", "English on Chinese"],
)  # fmt: skip
async def test_a_question_in_another_language_is_answered_by_the_sentence_that_means_it(
    tmp_path: Path, texts: dict[str, str], asked: dict[str, str], stranger: str
) -> None:
    async with opened(tmp_path, embedder="auto") as (memory, base):
        for name, text in texts.items():
            await base.add(text=text, name=name)
        await memory.settle()
        for question, document in asked.items():
            told = await base.ask(question)
            assert [told.passages[number - 1].document for one in told.sentences for number in one.citations] == [
                document
            ]
        assert not (await base.ask(stranger)).answered


@pytest.mark.spec("KB-05")
async def test_by_a_model_whose_cosines_nobody_measured_no_foreign_sentence_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    high = Embedders(HashEmbedder(model_id="of-a-provider"))  # any two texts are near: numbers above nought alone
    monkeypatch.setattr(assembly, "open_embedders", lambda _, embedding: high)
    async with opened(tmp_path, embedder="auto") as (memory, base):
        await base.add(text=ENGLISH["harbour"], name="harbour")
        await memory.settle()
        assert not (await base.ask("打印机怎么换墨盒？")).answered


STAFF = (
    "# 5 Leaving\n\nThe notice period is three months, during probation two weeks. "
    "The probation period lasts six months.\n\n| Grade | Bonus\n| Junior | 4 %\n| Senior | 9 %\n| Principal | 15 %\n"
)
STAFF_ZH = "# 奖金\n\n| 职级 | 奖金比例 |\n|---|---|\n| 初级 | 4% |\n| 高级 | 9% |\n"


@pytest.mark.spec("KB-05")
async def test_a_row_of_a_table_answers_with_its_head_and_a_sentence_what_it_is_about(tmp_path: Path) -> None:
    async with opened(tmp_path) as (_, base):
        await base.add(text=STAFF, name="handbook")
        await base.add(text=STAFF_ZH, name="手册")
        assert (await base.ask("What's the bonus for a senior?")).text == "Grade: Senior, Bonus: 9 %. [1]"
        assert "职级：高级，奖金比例：9%。" in (await base.ask("高级的奖金比例是多少？")).text
        assert (await base.ask("How long is probation?")).text == "The probation period lasts six months. [1]"


@pytest.mark.parametrize(
    "table", ["| Ana | 4\n| Bo | 5\n", "| Name | Town\n| Ana | Ghent\n", "|||\n|---|\n", "| a |\n"]
)
def test_what_may_be_no_table_with_a_head_stays_as_it_is(table: str) -> None:
    assert with_rows_read(f"Before.\n{table}") == f"Before.\n{table}"
