import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.language.role import Toolbox
from remanent.language.roles.classification import (
    BY_MEANING,
    BY_WORDS,
    CLASSIFICATION,
    MAX_TEXTS,
    ClassificationReply,
    ClassificationRequest,
    grouped,
    text_size,
    topics,
)
from tests.language.offline.fakes import WordEmbedder

QUANTUM = "Quantum chips hold qubits, and quantum errors grow with the number of qubits on the chips of a computer."
ERRORS = "Errors of qubits are corrected when a quantum computer spends many qubits of its chips on one of them."
BREAD = "Bread dough of flour and yeast must rest overnight before the bread is baked in a very hot oven."
CRUST = "A crisp crust of bread needs steam in the oven, and dough that has a little less flour than usual."


async def test_passages_on_one_topic_are_found_even_when_they_are_apart() -> None:
    for toolbox in (Toolbox(), Toolbox(WordEmbedder())):
        assert await topics([QUANTUM, BREAD, ERRORS, CRUST], toolbox) == [[0, 2], [1, 3]]


async def test_a_text_of_one_topic_stays_whole() -> None:
    for toolbox in (Toolbox(), Toolbox(WordEmbedder())):
        assert await topics([QUANTUM, ERRORS], toolbox) == [[0, 1]]


async def test_one_passage_is_one_topic_and_none_is_none() -> None:
    assert await topics([QUANTUM], Toolbox()) == [[0]]
    assert await topics([], Toolbox()) == []


def test_a_remark_belongs_to_the_topic_it_is_nearest_to() -> None:
    alike = np.array([[1, 0.0, 0.12], [0.0, 1, 0.0], [0.12, 0.0, 1]], np.float32)
    assert grouped(alike, [200, 200, 10], BY_MEANING) == [[0, 2], [1]]


def test_a_chinese_character_says_as_much_as_two_letters() -> None:
    assert text_size("量子 ab") == 7


@given(st.integers(1, 12), st.integers(0, 2**32))
def test_every_passage_is_in_exactly_one_group(count: int, seed: int) -> None:
    values = np.random.default_rng(seed).random((count, count), np.float32)
    alike = np.asarray((values + values.T) / 2, np.float32)
    for closeness in (BY_MEANING, BY_WORDS):
        groups = grouped(alike, [80] * count, closeness)
        assert sorted(place for group in groups for place in group) == list(range(count))
        assert [group[0] for group in groups] == sorted(group[0] for group in groups)


@pytest.mark.spec("SAFE-07")
async def test_more_passages_than_can_be_put_into_topics_are_refused() -> None:
    with pytest.raises(InvalidInput, match="join some"):
        await topics(["a"] * (MAX_TEXTS + 1), Toolbox())


@pytest.mark.parametrize(
    "text",
    [
        "Mount Kelt is 3,412 metres high. It was first climbed in 1894. A blog says 3,298.",
        "环湖步道去年开放，免费。步道全长4.2公里。\n有报道称，步道全长4.8公里。",
    ],
)
@pytest.mark.spec("USE-10")
async def test_a_sentence_that_contradicts_the_text_is_a_topic_of_its_own(text: str) -> None:
    found = (await CLASSIFICATION.offline(ClassificationRequest(text=text), Toolbox())).clusters
    assert [cluster.content for cluster in found[1:]] == [text[-len(found[-1].content) :]]
    assert "".join(cluster.content for cluster in found) == text
    assert ("3,412" in found[1].context) or ("4.2" in found[1].context)


@pytest.mark.spec("USE-08")
def test_topics_that_were_parted_by_source_have_numbers_of_their_own() -> None:
    request = ClassificationRequest(text=f"Source: Daily News\n\n{QUANTUM}\n\nSource: Weekly Post\n\n{BREAD}")
    reply = ClassificationReply.model_validate({"clusters": [{"passages": "1-2", "context": "all"}]})
    assert [one.cluster_id for one in CLASSIFICATION.read(request, reply).clusters] == [1, 2]


def test_a_topic_without_keywords_gets_those_that_it_has_without_a_model() -> None:
    request = ClassificationRequest(text="Kessel Lake was dammed in 1931.")
    reply = CLASSIFICATION.reply.model_validate({"clusters": [{"passages": [1]}]})
    assert "Kessel Lake" in CLASSIFICATION.read(request, reply).clusters[0].keywords
