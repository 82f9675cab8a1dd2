"""Answers that a model writes, over real HTTP: what it says is checked against the passages, whatever it cites."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from remanent.knowledge.face import AsyncKnowledgeCollection
from tests.knowledge.world import MANUAL, opened
from tests.language.models.samples import KEY
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, fails, gives

MANUAL_ZH = """# 水泵手册

水泵把水从地窖送到花园。

## 维护

滤网每月清洗一次。垫圈每两年更换一次。

## 安全

水泵不得空转。电机在90度时自动断电。
"""
HOW_OFTEN = "How often is the filter cleaned?"
HOW_OFTEN_ZH = "滤网多久清洗一次？"


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@asynccontextmanager
async def asked_of(home: Path, *steps: Step) -> AsyncIterator[AsyncKnowledgeCollection]:
    """A knowledge base whose model is at a scripted server that does these steps, all of them and no others."""
    async with ScriptedServer(*steps) as server:
        model = {"provider": "openai", "name": "scripted", "base_url": server.base_url, "api_key": KEY}
        async with opened(home, model=model) as (_, base):
            await base.add(text=MANUAL, name="pump.md")
            await base.add(text=MANUAL_ZH, name="水泵.md")
            await base.add(text="Vasa. The Vasa is a warship that sank in Stockholm in 1628.", name="vasa.txt")
            yield base


def writes(*sentences: tuple[str, list[int]]) -> Step:
    return gives({"sentences": [{"text": text, "passages": cited} for text, cited in sentences]})


async def test_every_sentence_of_a_model_cites_a_passage_that_says_it_or_is_marked(tmp_path: Path) -> None:
    step = writes(
        ("The filter is cleaned every month.", [1]),
        # It says so, and names a passage that speaks of something like it.
        ("The filter is cleaned every week.", [1]),
        ("The motor switches off at 70 degrees.", [1]),
        ("A new filter costs 30 euros.", [1]),
    )
    async with asked_of(tmp_path, step.expecting("Clean the filter every month")) as base:
        answer = await base.ask(HOW_OFTEN)
    first, *lies = answer.sentences
    assert answer.answered
    assert [answer.passages[number - 1].document for number in first.citations] == ["pump.md"]
    assert [one.supported for one in lies] == [False, False, False]
    assert answer.text.startswith("The filter is cleaned every month. [")
    assert answer.text.count("[unsupported]") == 3
    assert answer.made_by.engine == "scripted"


async def test_a_chinese_answer_is_held_to_the_same(tmp_path: Path) -> None:
    step = writes(("滤网每月清洗一次。", [1]), ("电机在70度时自动断电。", [1]), ("滤网由小王负责清洗。", [1]))
    async with asked_of(tmp_path, step.expecting("滤网每月清洗一次")) as base:
        answer = await base.ask(HOW_OFTEN_ZH)
    assert [one.supported for one in answer.sentences] == [True, False, False]
    assert answer.passages[answer.sentences[0].citations[0] - 1].document == "水泵.md"
    assert answer.text.count("［无依据］") == 2


async def test_a_true_sentence_with_a_wrong_number_gets_the_right_one(tmp_path: Path) -> None:
    async with asked_of(tmp_path, writes(("The Vasa sank in Stockholm in 1628.", [2]))) as base:
        answer = await base.ask("Where did the Vasa sink, and is there a pump in the garden?")
    (sentence,) = answer.sentences
    assert [answer.passages[number - 1].document for number in sentence.citations] == ["vasa.txt"]


async def test_of_a_model_that_says_nothing_true_the_documents_own_sentences_are_given(tmp_path: Path) -> None:
    async with asked_of(tmp_path, writes(("The filter is washed each Friday by Ada.", [1]))) as base:
        answer = await base.ask(HOW_OFTEN)
    assert "Clean the filter every month." in answer.text
    assert "Friday" not in answer.text
    assert answer.made_by.engine == "offline"


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param((fails(400),), id="rejects"),
        pytest.param((fails(401),), id="denies"),
        pytest.param((writes(("Every month.", [77])), writes(("Every month.", [77]))), id="names what was not shown"),
    ],
)
async def test_where_a_model_fails_the_documents_own_sentences_are_given(
    tmp_path: Path, steps: tuple[Step, ...]
) -> None:
    async with asked_of(tmp_path, *steps) as base:
        answer = await base.ask(HOW_OFTEN)
    assert answer.answered
    assert "Clean the filter every month." in answer.text
    assert all(one.supported for one in answer.sentences)
    assert answer.made_by.engine == "offline"


async def test_a_model_that_finds_no_answer_in_the_passages_is_believed(tmp_path: Path) -> None:
    async with asked_of(tmp_path, writes(), writes()) as base:
        english, chinese = await base.ask(HOW_OFTEN), await base.ask(HOW_OFTEN_ZH)
    assert (english.answered, english.text) == (False, "Nothing here answers that.")
    assert (chinese.answered, chinese.text) == (False, "这里没有能回答该问题的内容。")


async def test_a_model_words_the_question_anew_and_what_it_took_is_told(tmp_path: Path) -> None:
    steps = (gives({"queries": ["filter cleaning interval", "washing the sieve"]}), fails(400))
    async with asked_of(tmp_path, *steps) as base:
        found = await base.search(HOW_OFTEN, rewrite=True)
        assert found.queries == (HOW_OFTEN, "filter cleaning interval", "washing the sieve")
        (technique,) = found.techniques
        assert (technique.engine, technique.tokens > 0) == ("scripted", True)
        # A model that fails costs a search its other wordings, not its answer.
        found = await base.search(HOW_OFTEN, rewrite=True)
    assert found.items[0].document == "pump.md"
    assert (found.techniques[0].engine, found.techniques[0].tokens) == ("offline", 0)


@pytest.mark.spec("KB-03")
async def test_an_imagined_answer_finds_what_the_question_does_not_name(tmp_path: Path) -> None:
    async with asked_of(tmp_path, gives({"text": "The sieve is rinsed with hot water each Sunday."})) as base:
        await base.add(text="On Sunday rinse the sieve under hot water.", name="sieve.txt")
        plain = await base.search("How is the strainer kept hygienic?", limit=20)
        assert "sieve.txt" not in [item.document for item in plain.items]
        found = await base.search("How is the strainer kept hygienic?", limit=20, hyde=True)
    assert "sieve.txt" in [item.document for item in found.items]
    (technique,) = found.techniques
    assert (technique.name, technique.engine, technique.tokens > 0) == ("hyde", "scripted", True)


async def test_a_written_figure_of_another_column_cites_no_row(tmp_path: Path) -> None:
    step = writes(("The retail price of Lamp L2 is 45.", [1]), ("The wholesale price of Lamp L2 is 45.", [1]))
    async with asked_of(tmp_path, step) as base:
        table = "# Lamps\n\n| Product | Retail price | Wholesale price |\n|---|---|---|\n| Lamp L2 | 45 | 30 |\n"
        await base.add(text=table, name="lamps.md")
        answer = await base.ask("What is the price of Lamp L2?")
    assert [one.supported for one in answer.sentences] == [True, False]
