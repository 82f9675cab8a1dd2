"""Questions in another language than the documents, with the bundled models: meaning decides, not a shared figure."""

from pathlib import Path

import pytest

from remanent.knowledge.face import AsyncKnowledgeCollection
from remanent.knowledge.search import is_foreign
from remanent.model import FoundItem, Kind, PathRank
from tests.knowledge.world import MAY, opened

ENGLISH = {
    "harbour": "The harbour is closed to all boats when the wind is stronger than eight.",
    "council": "In 1973 the city council had 311 members, who met in the old library.",
    "bridge": "The bridge was painted grey after ten years of work.",
    "bread": "The baker sells fresh bread every morning from six o'clock.",
}
CHINESE = {
    "港口": "风力超过八级时，港口对所有船只关闭。",
    "议会": "1973年市议会有311名议员，他们在旧图书馆开会，使用 Linux 系统。",
    "桥": "经过十年施工，大桥被漆成灰色。",
    "面包": "面包师每天早上六点开始出售新鲜面包。",
}


async def first(base: AsyncKnowledgeCollection, question: str) -> str:
    return (await base.search(question, limit=2)).items[0].document


@pytest.mark.parametrize(
    ("texts", "asked"),
    [
        (
            ENGLISH,
            {"311号公告：刮大风时船只还能进入港口吗？": "harbour", "早上哪里可以买到新鲜面包？": "bread"},
        ),
        (
            CHINESE,
            {"Notice 311: may boats enter the harbour in a strong wind?": "港口", "Who sells fresh bread?": "面包"},
        ),
    ],
    ids=["Chinese on English", "English on Chinese"],
)
async def test_a_question_in_another_language_finds_what_means_the_same(
    tmp_path: Path, texts: dict[str, str], asked: dict[str, str]
) -> None:
    async with opened(tmp_path, embedder="auto") as (memory, base):
        for name, text in texts.items():
            await base.add(text=text, name=name)
        await memory.settle()
        assert {question: await first(base, question) for question in asked} == asked


def _found(*texts: str) -> list[FoundItem]:
    return [
        FoundItem(
            record_id=f"r{rank}", kind=Kind.CHUNK, text=text, score=1.0, occurred_at=MAY,
            ranks=(PathRank(path="vector", rank=rank, score=1 / rank),),
        )
        for rank, text in enumerate(texts, 1)
    ]  # fmt: skip


def test_documents_are_foreign_to_a_question_when_most_of_the_nearest_are_in_another_language() -> None:
    english, chinese = "The harbour is closed.", "港口已经关闭。"
    assert is_foreign("港口什么时候关闭？", _found(english, english, chinese))
    assert not is_foreign("港口什么时候关闭？", _found(chinese, english, chinese))
    assert is_foreign("When does the harbour close?", _found(chinese, chinese))
    assert not is_foreign("When does the harbour close?", [])
    assert not is_foreign("1973?", _found(chinese))
