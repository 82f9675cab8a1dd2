"""Rewriting, made-up answers and reranking without a model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.language.offline.salience import word_scores
from remanent.language.role import Toolbox
from remanent.language.roles.answering import RERANKING, PassageToRank, RerankingRequest
from remanent.language.roles.queries import HYDE, LONGEST_PASSAGE, REWRITING, HydeRequest, RewritingRequest
from remanent.language.shapes import Utterance
from tests.language.offline.fakes import WordEmbedder

BLIND = Toolbox()


async def queries(query: str, *earlier: str, count: int = 3) -> tuple[str, ...]:
    said = tuple(Utterance(text=text) for text in earlier)
    return (await REWRITING.offline(RewritingRequest(query=query, earlier=said, count=count), BLIND)).queries


async def test_a_question_is_put_in_other_words_and_never_repeated() -> None:
    found = await queries("Where did Ada buy the red bike?")
    assert "Ada buy red bike" in found
    assert "Where did Ada buy the red bike?" not in found
    assert len(found) == len(set(found)) <= 3


async def test_a_word_is_exchanged_for_one_that_means_the_same() -> None:
    assert any("purchase" in query for query in await queries("Where did Ada buy the red bike?", count=10))
    assert any("购买" in query for query in await queries("小王在哪里买的手机？", count=10))


async def test_a_question_that_points_back_gets_the_words_that_it_points_to() -> None:
    (first, *_) = await queries("And how much is it?", "Tell me about the flat in Porto.")
    assert "flat" in first
    assert "Porto" in first
    (first, *_) = await queries("它多少钱？", "介绍一下波尔图的公寓")
    assert "公寓" in first


async def test_a_question_that_stands_alone_is_left_alone() -> None:
    found = await queries("What does the red bike of Ada cost?", "Tell me about the flat in Porto.")
    assert not any("Porto" in query for query in found)


@given(st.text(min_size=1, max_size=200), st.integers(1, 10))
async def test_any_question_gets_at_most_as_many_as_were_asked_for(query: str, count: int) -> None:
    found = await queries(query.replace("\ud800", "") or "x", count=count)
    assert len(found) <= count
    assert query not in found


@pytest.mark.parametrize(
    ("question", "words"),
    [("What is the capital of France?", ["capital", "France"]), ("谁负责计费项目？", ["负责", "项目"])],
)
async def test_a_made_up_answer_has_the_words_of_the_question_and_asks_nothing(question: str, words: list[str]) -> None:
    passage = (await HYDE.offline(HydeRequest(question=question), BLIND)).passage
    assert all(word in passage for word in words)
    assert "?" not in passage
    assert "？" not in passage


async def test_a_made_up_answer_is_never_too_long() -> None:
    assert len((await HYDE.offline(HydeRequest(question="why " * 480), BLIND)).passage) <= LONGEST_PASSAGE


def ranking(*texts: str) -> RerankingRequest:
    passages = tuple(PassageToRank(passage_id=f"p{number}", text=text) for number, text in enumerate(texts))
    return RerankingRequest(query="Where does Ada live?", passages=passages)


@pytest.mark.parametrize("toolbox", [BLIND, Toolbox(WordEmbedder())])
async def test_the_passage_that_answers_comes_first_and_none_is_lost(toolbox: Toolbox) -> None:
    request = ranking("The printer is broken.", "Ada likes tea.", "Ada lives in Lisbon, where she has lived for years.")
    ranked = (await RERANKING.offline(request, toolbox)).ranked
    assert ranked[0].passage_id == "p2"
    assert {passage.passage_id for passage in ranked} == {"p0", "p1", "p2"}
    assert [passage.score for passage in ranked] == sorted((passage.score for passage in ranked), reverse=True)


async def test_passages_of_equal_worth_keep_their_order() -> None:
    ranked = (await RERANKING.offline(ranking("one", "two", "three"), BLIND)).ranked
    assert [passage.passage_id for passage in ranked] == ["p0", "p1", "p2"]


def test_a_question_without_words_tells_nothing() -> None:
    assert word_scores("???", ["one", "two"]) == [0.0, 0.0]
