"""Where a message goes on talking, sessions like the best ones come along."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import remanent.memory as facade
from remanent.embedding import Embedder, Embedders
from remanent.memory import AsyncMemory, aopen
from remanent.model import RecallOptions
from remanent.recall.likeness import SEEDS, lift

MAY = datetime(2024, 5, 1, tzinfo=UTC)


def _row(*values: float) -> NDArray[np.float32]:
    row = np.array(values, np.float32)
    return np.asarray(row / np.linalg.norm(row), np.float32)


def test_who_is_like_the_best_gains_and_who_is_like_nobody_does_not() -> None:
    held = {
        "best": [_row(1, 0, 0, 0)],
        "next": [_row(0.9, 0.1, 0, 0)],
        "third": [_row(0, 1, 0, 0)],
        "alike": [_row(1, 0.05, 0, 0), _row(0.95, 0, 0.05, 0)],
        "strange": [_row(0, 0, 0, 1)],
        "other": [_row(0, 0, 1, 0)],
    }
    scores = {name: 1 - 0.1 * place for place, name in enumerate(held)}
    gains = lift(scores, held)
    assert gains["alike"] > gains["third"]
    assert gains["alike"] > 0.3
    assert gains["strange"] == gains["other"] == 0
    assert "unread" not in lift(scores | {"unread": 0.1}, held)


ROWS = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(lambda row: any(abs(x) > 0.01 for x in row))


@given(st.lists(st.lists(ROWS, min_size=1, max_size=3), max_size=8))
def test_a_gain_is_a_share_whatever_the_vectors_are(sessions: list[list[list[float]]]) -> None:
    held = {str(place): [_row(*row) for row in rows] for place, rows in enumerate(sessions)}
    gains = lift({name: 1 / (1 + place) for place, name in enumerate(held)}, held)
    assert gains.keys() == (held.keys() if len(held) > SEEDS else set())
    assert all(0 <= gain <= 1 + 1e-6 for gain in gains.values())


class TopicEmbedder(Embedder):
    """Gives a text the sum of the topics that it names, by any of their words."""

    words = ("garden rose soil", "engine piston", "novel chapter", "tax form", "choir tenor", "boat sail")

    @property
    def model_id(self) -> str:
        return "topics"

    @property
    def dimension(self) -> int:
        return len(self.words) + 1

    async def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = [[sum(word in text for word in words.split()) for words in self.words] + [0.2] for text in texts]
        return np.array(rows, np.float32)


@pytest.fixture
async def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncMemory]:
    monkeypatch.setattr(facade, "open_embedders", lambda _, *, embedding: Embedders(TopicEmbedder()))
    async with aopen(tmp_path, recall={"path_timeout": 60}) as opened:
        yield opened


async def test_a_message_that_goes_on_brings_along_the_sessions_of_the_same_matter(memory: AsyncMemory) -> None:
    ada = memory.agent("ada")
    told = {
        "garden 1": ["The garden has a rose in good soil.", "We should talk of the next step."],
        "garden 2": ["The rose likes such soil, as does the garden.", "That was the last step."],
        "garden 3": ["More soil for the rose in my garden."],
        "engine": ["The engine has a piston. What is the next step with it?"],
        "novel": ["The novel has a chapter. What is the next step with it?"],
        "tax": ["The tax form is here. What is the next step with it?"],
    }
    for session, texts in told.items():
        await ada.remember([{"content": text, "occurred_at": MAY} for text in texts], session=session)
    await memory.settle()
    found = await ada.recall(
        "I planted the rose. Tell me the next step!", grain="session", options=RecallOptions(gate=False, asked_at=MAY)
    )
    ranked = [item.session for item in found.items]
    assert set(ranked[:3]) == {"garden 1", "garden 2", "garden 3"}
    gains = {item.session: boost.factor for item in found.items for boost in item.boosts if boost.name == "likeness"}
    assert gains["garden 3"] > 1
    assert "engine" not in gains
    fact = await ada.recall("What is the next step?", grain="session", options=RecallOptions(gate=False, asked_at=MAY))
    assert not any(boost.name == "likeness" for item in fact.items for boost in item.boosts)
