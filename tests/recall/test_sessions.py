"""Ranking whole sessions."""

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from remanent.memory import AsyncMemory, aopen
from remanent.model import RecallOptions
from remanent.recall.sessions import relevance
from remanent.stores import SessionTerms, TermCounts

MAY = datetime(2024, 5, 1, tzinfo=UTC)
TERMS = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 50))
SESSIONS = st.dictionaries(
    st.text("xyz", min_size=1), st.builds(SessionTerms, length=st.integers(1, 500), counts=TERMS), min_size=1
)


@given(SESSIONS, st.integers(0, 1000))
def test_relevance_is_never_negative_and_covers_every_session(held: dict[str, SessionTerms], records: int) -> None:
    scores = relevance(held, TermCounts(records, {"a": 3, "b": 5000}))
    assert scores.keys() == held.keys()
    assert all(score >= 0 for score in scores.values())
    assert all(scores[name] == 0 for name, one in held.items() if not one.counts)


def test_rare_words_and_more_of_them_in_less_text_tell_more() -> None:
    known = TermCounts(100, {"heron": 2, "day": 80})
    held = {
        "rare": SessionTerms(50, {"heron": 1}),
        "common": SessionTerms(50, {"day": 1}),
        "both": SessionTerms(50, {"heron": 1, "day": 1}),
        "long": SessionTerms(500, {"heron": 1}),
    }
    scores = relevance(held, known)
    assert scores["both"] > scores["rare"] > scores["common"]
    assert scores["rare"] > scores["long"]
    assert relevance({}, known) == {}
    assert relevance({"empty": SessionTerms(0, {})}, known) == {"empty": 0}


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
