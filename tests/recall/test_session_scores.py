"""Ranking whole sessions."""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from remanent import assembly
from remanent.embedding import Embedder, Embedders
from remanent.memory import AsyncMemory, aopen
from remanent.model import RecallOptions
from remanent.recall.shortlist import SEEDS, session_bm25, session_likeness
from remanent.stores import SessionTerms, TermCounts

MAY = datetime(2024, 5, 1, tzinfo=UTC)
TERMS = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 50))
SESSIONS = st.dictionaries(
    st.text("xyz", min_size=1), st.builds(SessionTerms, length=st.integers(1, 500), counts=TERMS), min_size=1
)


@given(SESSIONS, st.integers(0, 1000))
def test_relevance_is_never_negative_and_covers_every_session(held: dict[str, SessionTerms], records: int) -> None:
    scores = session_bm25(held, TermCounts(records, {"a": 3, "b": 5000}))
    assert scores.keys() == held.keys()
    assert all(score >= 0 for score in scores.values())
    assert all(scores[name] == 0 for name, one in held.items() if not one.counts)


def test_the_order_in_which_a_store_tells_terms_moves_no_score() -> None:
    counts = {f"term{number}": 1 + number % 7 for number in range(40)}
    known = TermCounts(1000, {term: 3 * place for place, term in enumerate(counts)})
    orders = [counts, dict(reversed(counts.items())), dict(sorted(counts.items(), key=lambda pair: pair[1]))]
    assert len({session_bm25({"talk": SessionTerms(200, order)}, known)["talk"] for order in orders}) == 1


def test_rare_words_and_more_of_them_in_less_text_tell_more() -> None:
    known = TermCounts(100, {"heron": 2, "day": 80})
    held = {
        "rare": SessionTerms(50, {"heron": 1}),
        "common": SessionTerms(50, {"day": 1}),
        "both": SessionTerms(50, {"heron": 1, "day": 1}),
        "long": SessionTerms(500, {"heron": 1}),
    }
    scores = session_bm25(held, known)
    assert scores["both"] > scores["rare"] > scores["common"]
    assert scores["rare"] > scores["long"]
    assert session_bm25({}, known) == {}
    assert session_bm25({"empty": SessionTerms(0, {})}, known) == {"empty": 0}


async def _talk(memory: AsyncMemory, session: str, *turns: tuple[str, str]) -> None:
    messages = [{"role": role, "content": text, "occurred_at": MAY} for role, text in turns]
    await memory.agent("ada").remember(messages, session=session)


async def _ranked(memory: AsyncMemory, question: str) -> list[str | None]:
    await memory.settle()
    found = await memory.agent("ada").recall(question, grain="session", options=RecallOptions(gate=False, asked_at=MAY))
    return [item.session for item in found.items]


async def test_what_people_said_all_through_a_session_counts_beside_its_best_turns(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        await _talk(memory, "passing", ("user", "The heron is a bird."), ("user", "My desk is oak."))
        await _talk(memory, "about", *(("user", f"Day {day}: the heron came to the pond again.") for day in range(6)))
        assert await _ranked(memory, "Where does the heron come?") == ["about", "passing"]


async def test_a_speaker_who_is_named_counts_for_more(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        await _talk(memory, "a", ("Mel", "I painted the lake. Caroline watched."), ("Caroline", "I painted the hills."))
        await memory.settle()
        found = await memory.agent("ada").recall(
            "What has Caroline painted?", limit=2, options=RecallOptions(source_share=1.0, gate=False)
        )
        assert found.items[0].text == "I painted the hills."
        assert ("speaker", 1.5) in {(boost.name, boost.factor) for boost in found.items[0].boosts}


async def test_who_goes_on_talking_means_what_was_talked_about_last(tmp_path: Path) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        for day, session in ((1, "old"), (28, "new")):
            message = {"role": "user", "content": "Plan of the garden wall", "occurred_at": MAY.replace(day=day)}
            await ada.remember([message], session=session)
        await memory.settle()
        now = MAY.replace(day=29)
        talk = await ada.recall(
            "Go on with the garden wall.", grain="session", options=RecallOptions(gate=False, asked_at=now)
        )
        assert [item.session for item in talk.items] == ["new", "old"]
        assert "recency" in {boost.name for boost in talk.items[0].boosts}
        fact = await ada.recall(
            "What is the plan of the garden wall?", grain="session", options=RecallOptions(gate=False, asked_at=now)
        )
        assert "recency" not in {boost.name for item in fact.items for boost in item.boosts}


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
    gains = session_likeness(scores, held)
    assert gains["alike"] > gains["third"]
    assert gains["alike"] > 0.3
    assert gains["strange"] == gains["other"] == 0
    assert "unread" not in session_likeness(scores | {"unread": 0.1}, held)


ROWS = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).filter(lambda row: any(abs(x) > 0.01 for x in row))


@given(st.lists(st.lists(ROWS, min_size=1, max_size=3), max_size=8))
def test_a_gain_is_a_share_whatever_the_vectors_are(sessions: list[list[list[float]]]) -> None:
    held = {str(place): [_row(*row) for row in rows] for place, rows in enumerate(sessions)}
    gains = session_likeness({name: 1 / (1 + place) for place, name in enumerate(held)}, held)
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
    monkeypatch.setattr(assembly, "open_embedders", lambda _, *, embedding: Embedders(TopicEmbedder()))
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
