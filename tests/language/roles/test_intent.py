import pytest

from remanent.language.role import Toolbox
from remanent.language.roles.queries import INTENT, Intent, IntentRequest
from remanent.language.shapes import Utterance

EARLIER = (Utterance(text="Draw the floor plan of the office."), Utterance(speaker="assistant", text="Here it is."))


@pytest.mark.parametrize(
    ("message", "intent"),
    [
        ("Write a parser for CSV files.", Intent.NEW_TASK),
        ("写一个解析 CSV 的程序", Intent.NEW_TASK),
        ("The app crashes when I log in, please fix it.", Intent.BUG_FIX),
        ("登录时报错了，帮我排查一下", Intent.BUG_FIX),
        ("I prefer tabs over spaces.", Intent.PREFERENCE),
        ("以后回答都用中文", Intent.PREFERENCE),
        ("Go on.", Intent.FOLLOW_UP),
        ("继续", Intent.FOLLOW_UP),
        ("What about the second one?", Intent.FOLLOW_UP),
        ("Ask Nora to review the contract.", Intent.CROSS_AGENT),
        ("让小助去查一下价格", Intent.CROSS_AGENT),
    ],
)
async def test_a_message_gives_away_what_it_is_after(message: str, intent: Intent) -> None:
    request = IntentRequest(message=message, earlier=EARLIER, agents=("Nora", "小助"))
    assert (await INTENT.offline(request, Toolbox())).intent is intent


async def test_the_agent_that_is_addressed_is_named_and_one_that_is_spoken_of_is_not() -> None:
    for message in ("@Nora please check this", "Nora, please check this", "请Nora看一下"):
        found = await INTENT.offline(IntentRequest(message=message, agents=("No", "Nora")), Toolbox())
        assert found.target_agent == "Nora"
    found = await INTENT.offline(IntentRequest(message="What did Nora write about?", agents=("Nora",)), Toolbox())
    assert found.target_agent is None


async def test_without_anything_before_nothing_is_followed_up() -> None:
    found = await INTENT.offline(IntentRequest(message="Go on."), Toolbox())
    assert found.intent is Intent.NEW_TASK
