"""Episodes: a session told in a few sentences, not said again."""

import pytest

from remanent.memory import AsyncAgent
from remanent.model import EpisodicData

ENGLISH = (
    ("user", "I need help with the garden party of our choir."),
    ("assistant", "When is it, and who takes part?"),
    ("user", "Okay. Nora handles the drinks. We decided to meet on 9 July. I have no idea about music yet, honestly."),
    ("assistant", "Noted: drinks by Nora, party on 9 July."),
)
CHINESE = (
    ("user", "我想请你帮忙筹备合唱团的花园聚会。"),
    ("assistant", "什么时候？谁参加？"),
    ("user", "嗯，是这样的。陈静负责饮料。我们决定7月9日聚会。音乐方面我还没有什么想法。"),
    ("assistant", "已记下：陈静负责饮料，7月9日聚会。"),
)


@pytest.mark.spec("COG-09")
@pytest.mark.parametrize(
    ("talk", "who", "told", "outcome"),
    [
        (ENGLISH, "The user and the assistant talked about", "the user decided to meet on 9 July", "It ended with:"),
        (CHINESE, "用户和助手谈了", "用户等人决定7月9日聚会", "结果："),
    ],
)
async def test_an_episode_tells_who_spoke_of_what_and_what_came_of_it(
    ada: AsyncAgent, talk: tuple[tuple[str, str], ...], who: str, told: str, outcome: str
) -> None:
    await ada.remember([{"role": role, "content": text} for role, text in talk], session="monday")
    await ada.end_session("monday")
    await ada.settle()
    (episode,) = [
        one
        for one in await ada.cognition.memories(kinds=["episodic"])
        if isinstance(one.data, EpisodicData) and one.data.attribute == "session"
    ]
    assert episode.content.startswith(who)
    assert told in episode.content
    assert outcome in episode.content
    assert "honestly" not in episode.content
    assert "想法" not in episode.content
    assert len(episode.content) < sum(len(text) for _, text in talk) + len(who)
