import pytest

from remanent.embedding import Embedders
from tests.embedding.fakes import HashEmbedder

GENERAL, ENGLISH = HashEmbedder(model_id="general"), HashEmbedder(model_id="english")


async def test_each_text_gets_the_vectors_of_the_models_that_suit_its_language() -> None:
    both = Embedders(GENERAL, english=ENGLISH)
    found = await both.embed(["I moved to Lisbon.", "我搬到了里斯本。", "我用 Python 和 Rust 写代码 every day at work"])
    assert [sorted(vectors) for vectors in found] == [["english", "general"], ["general"], ["english", "general"]]
    assert found[0]["general"].tolist() == (await GENERAL.embed(["I moved to Lisbon."]))[0].tolist()


async def test_the_models_can_be_bounded() -> None:
    found = await Embedders(GENERAL, english=ENGLISH).embed(["One.", "二。"], among=["english"])
    assert [sorted(vectors) for vectors in found] == [["english"], []]


@pytest.mark.parametrize(
    ("question", "general", "english"), [("Where do I live?", 0.3, 1.0), ("我住在哪里？", 1.0, 0.0)]
)
def test_a_model_counts_by_how_well_it_knows_the_language(question: str, general: float, english: float) -> None:
    both = Embedders(GENERAL, english=ENGLISH)
    assert both.weight(GENERAL, question) == general
    assert both.weight(ENGLISH, question) == english
    assert Embedders(GENERAL).weight(GENERAL, question) == 1.0


async def test_closing_closes_every_model() -> None:
    members = HashEmbedder(model_id="a"), HashEmbedder(model_id="b")
    await Embedders(members[0], english=members[1]).close()
    assert all(member.closed for member in members)
