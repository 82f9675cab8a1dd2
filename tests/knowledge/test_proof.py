"""Answers with proof, and texts held against the documents."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.errors import InvalidInput
from remanent.knowledge.face import AsyncKnowledgeCollection
from tests.knowledge.world import MANUAL, opened


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[AsyncKnowledgeCollection]:
    async with opened(tmp_path / "home") as (_, base):
        await base.add(text=MANUAL, name="pump.md")
        await base.add(text="Vasa. The Vasa is a warship that sank in Stockholm in 1628.", name="vasa.txt")
        await base.add(text="里斯本是葡萄牙的首都。里斯本大学成立于1911年。", name="里斯本.txt")
        yield base


async def test_an_answer_cites_the_passage_that_it_stands_in(base: AsyncKnowledgeCollection) -> None:
    answer = await base.ask("Where did the Vasa sink?")
    assert answer.answered
    (sentence,) = answer.sentences
    (number,) = sentence.citations
    cited = answer.passages[number - 1]
    assert (cited.document, cited.place.line) == ("vasa.txt", 1)
    assert sentence.text in (await base.original("vasa.txt")).decode()
    assert answer.text.endswith(f"[{number}]")


async def test_the_first_sentence_of_a_document_without_a_title_is_cited_as_any_other(
    base: AsyncKnowledgeCollection,
) -> None:
    first = "黄蝉（学名：'）别称为硬枝黄蝉、夹竹桃叶黄蝉、小花黄蝉、丛立黄蝉及黄兰蝉。"
    added = await base.add(text=first + "喜欢高温、多湿、阳光充足的地方。" * 9, name="黄蝉")
    assert added.document.title == first.rstrip("。")
    answer = await base.ask("黄蝉的别称叫什么？")
    assert answer.text == f"{first} [1]"


async def test_a_sentence_speaks_of_what_its_heading_names(base: AsyncKnowledgeCollection) -> None:
    policy = "# Travel policy\n\n## Hotels\n\nThe limit for a night is 140 euros, in Oslo and Zurich 210 euros.\n"
    await base.add(text=policy, name="policy.md")
    answer = await base.ask("What may a hotel cost in Oslo?")
    assert answer.text == "The limit for a night is 140 euros, in Oslo and Zurich 210 euros. [1]"


async def test_what_is_told_of_two_things_in_short_cites_both(base: AsyncKnowledgeCollection) -> None:
    told = "is the seat of the oldest of the three universities of mining that the country has"
    await base.add(text=f"Velmora. Velmora (or Vell) is a city in Tarrin province, and {told}.", name="v.txt")
    await base.add(text=f"Ostrelle. Ostrelle (or Ostr) is a city in Torrin province, and {told}.", name="o.txt")
    answer = await base.ask("Are Velmora and Ostrelle both in the same province?")
    assert answer.answered
    assert answer.text.startswith("No: Velmora is a city in Tarrin province")
    cited = [answer.passages[number - 1].document for one in answer.sentences for number in one.citations]
    assert cited == ["v.txt", "o.txt"]


async def test_that_nothing_here_answers_is_an_answer_in_the_language_of_the_question(
    base: AsyncKnowledgeCollection,
) -> None:
    english = await base.ask("Who won the chess championship in Reykjavik?")
    assert (english.answered, english.text) == (False, "Nothing here answers that.")
    # What was held back is no answer; where the words of the question stand somewhere, it is shown all the same.
    nearest = await base.ask("Which pump won the chess championship in Reykjavik?")
    assert (nearest.answered, nearest.passages[0].document) == (False, "pump.md")
    chinese = await base.ask("谁赢得了国际象棋锦标赛？")
    assert (chinese.answered, chinese.text) == (False, "这里没有能回答该问题的内容。")


@pytest.mark.spec("KB-04")
@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("Salim Hall is a residential hall of a university in which city?", True),
        ("Sallim Hall is a residential hall of a university in which city?", True),  # misspelt
        ("Toad Hall is a residential hall of a university in which city?", False),
        ("Is Salim Hall in a university of the same city as Toad Hall?", False),
        ("In which Bulgarian city is the university of Salim Hall?", True),  # what is asked for need not be named
    ],
)
async def test_what_is_told_of_another_name_answers_nothing(
    base: AsyncKnowledgeCollection, asked: str, answered: bool
) -> None:
    await base.add(text="Salim Hall is a residential hall of a university in the city of Varna.", name="hall.txt")
    answer = await base.ask(asked)
    assert answer.answered is answered
    assert ("Varna" in answer.text) is answered
    assert "hall.txt" in [passage.document for passage in answer.passages]  # shown all the same


async def test_each_sentence_of_a_text_is_supported_contradicted_or_not_mentioned(
    base: AsyncKnowledgeCollection,
) -> None:
    text = "The Vasa sank in Stockholm in 1628. The Vasa sank in Stockholm in 1682. Penguins live in the south."
    checked = await base.verify(text)
    assert [one.verdict for one in checked.sentences] == ["supported", "contradicted", "not_mentioned"]
    assert checked.sentences[1].citation == "vasa.txt, line 1"
    assert "1628" in checked.sentences[1].evidence
    assert checked.count("contradicted") == 1


async def test_a_sentence_that_stands_in_a_document_is_supported_whatever_words_it_writes_as_names(
    base: AsyncKnowledgeCollection,
) -> None:
    said = 'Marl made her "Hurry Up" debut in the 1950s (screened in the UK as "Kites and the Sailor").'
    await base.add(text=f"{said} It ran for years.", name="film.txt")
    (checked,) = (await base.verify(said)).sentences
    assert (checked.verdict, checked.evidence) == ("supported", said)
    (altered,) = (await base.verify(said.replace("1950s", "1970s"))).sentences
    assert altered.verdict == "contradicted"


async def test_a_changed_figure_contradicts_in_chinese_as_well(base: AsyncKnowledgeCollection) -> None:
    checked = await base.verify("里斯本大学成立于1911年。里斯本大学成立于1950年。")
    assert [one.verdict for one in checked.sentences] == ["supported", "contradicted"]


async def test_a_text_without_a_sentence_is_refused(base: AsyncKnowledgeCollection) -> None:
    with pytest.raises(InvalidInput):
        await base.verify(" ")


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("Deploys happen on Fridays.", "No deploys on Fridays."),
        ("Daniel Ortiz leads Orion.", "Sarah Kim leads Orion."),
        ("周五可以上线。", "周五禁止上线。"),
    ],
)
async def test_a_rule_contradicts_what_it_forbids_and_a_holder_another_one(
    base: AsyncKnowledgeCollection, said: str, rule: str
) -> None:
    await base.add(text=rule, name="rule.txt")
    (checked,) = (await base.verify(said)).sentences
    assert (checked.verdict, checked.evidence) == ("contradicted", rule)
