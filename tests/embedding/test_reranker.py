import pytest

from remanent.embedding.onnx import LocalReranker


async def test_the_text_that_answers_comes_first() -> None:
    texts = ["The bakery opens at seven.", "", "Caroline moved to Lisbon in May.", "Lisbon \ud800"]
    scores = await LocalReranker().score("Where does Caroline live?", texts)
    assert max(range(4), key=scores.__getitem__) == 2
    assert scores[1] == 0
    assert all(0 <= score <= 1 for score in scores)


@pytest.mark.parametrize(("question", "texts"), [("", ["a"]), ("a", []), ("a", [" "])])
async def test_nothing_to_compare_scores_nothing(question: str, texts: list[str]) -> None:
    assert await LocalReranker().score(question, texts) == [0.0] * len(texts)
