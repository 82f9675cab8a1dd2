"""Messages that have no room alone: what is left of them, that it is told, and that nothing else breaks."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from remanent.context.compaction import Compactor, ContextView
from remanent.language.engines import OfflineEngine
from remanent.model import Scope, system_clock
from remanent.model.statistics import Strategy
from remanent.settings import ContextSettings
from remanent.stores.cache import InProcessCache

ADA = Scope(org="o", workspace="w", agent="ada")
NOTES = [f"Day {day}: the ferry to Hven left at {day} o'clock and the wind came from the west." for day in range(400)]
NEEDED = "The password of the harbour office was changed to Kingfisher by Runa."
REPORT = "\n".join([*NOTES[:200], NEEDED, *NOTES[200:], "End of the report."])
ZH_REPORT = (
    "。".join(f"第{day}天，去汶岛的渡轮照常开出，风从西边来" for day in range(300))
    + "。港务处的密码由鲁娜改成了翠鸟。"
    + "天气很好。" * 300
)


async def view_of(messages: list[dict[str, Any]], budget: int) -> ContextView:
    compactor = Compactor(OfflineEngine(), cache=InProcessCache(clock=system_clock), settings=ContextSettings())
    return await compactor.view(ADA, messages, budget=budget)


@pytest.mark.parametrize("budget", [60, 300, 2_000])
async def test_a_message_longer_than_the_budget_is_cut_visibly_and_can_be_opened(budget: int) -> None:
    said = {"role": "user", "content": f"{REPORT}\nWho changed the password of the harbour office?"}
    talk = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hello Ida."}, said]
    view = await view_of(talk, budget)

    assert view.fits
    shown = str(view.messages[-1]["content"])
    assert shown.startswith("Day 0: the ferry")
    assert view.original(len(view.messages) - 1) == [said]
    assert Strategy.CUTTING in {saving.strategy for saving in view.report}
    if budget >= 300:
        assert "characters left out; the whole is message 3 of the conversation]" in shown
        assert shown.endswith("Who changed the password of the harbour office?")
        assert NEEDED in shown, "what the question needs"
        assert view.tokens > budget * 0.6, "the room is used"


async def test_a_chinese_message_is_cut_in_chinese() -> None:
    view = await view_of([{"role": "user", "content": f"{ZH_REPORT}\n港务处的密码是谁改的？"}], 400)

    shown = str(view.messages[-1]["content"])
    assert view.fits
    assert "个字符，全文见对话的第 1 条消息]" in shown
    assert "港务处的密码由鲁娜改成了翠鸟。" in shown
    assert shown.endswith("港务处的密码是谁改的？")


@pytest.mark.parametrize("style", ["openai", "anthropic"])
async def test_newest_results_are_cut_and_stay_with_their_calls_whose_arguments_stay_whole_json(style: str) -> None:
    wanted = {"path": "/notes.txt", "text": REPORT}
    asked: dict[str, Any] = {"role": "user", "content": "Write the notes. What did Runa do with the password?"}
    call: dict[str, Any]
    if style == "openai":
        function = {"name": "write", "arguments": json.dumps(wanted)}
        call = {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": function}],
        }
        result: dict[str, Any] = {"role": "tool", "tool_call_id": "c", "content": REPORT}
    else:
        call = {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "write", "input": wanted}]}
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": REPORT}]}
    view = await view_of([{"role": "user", "content": "Old talk. " * 400}, asked, call, result], 900)

    assert view.fits
    assert asked in view.messages
    shown_call, shown_result = view.messages[-2:]
    sent = shown_call["tool_calls"][0]["function"]["arguments"] if style == "openai" else None
    written = json.loads(sent) if sent is not None else shown_call["content"][0]["input"]
    assert written["path"] == "/notes.txt"
    assert "characters left out" in written["text"]
    assert NEEDED in str(shown_result["content"])
    assert view.original(len(view.messages) - 1) == [result]


async def test_the_system_prompt_is_cut_last_and_never_dropped() -> None:
    short = {"role": "system", "content": "Answer in one sentence. " * 20}
    asked = {"role": "user", "content": REPORT}
    view = await view_of([short, asked], 400)
    assert view.fits
    assert view.messages[0] == short
    long = {"role": "system", "content": f"Rules of the office.\n{REPORT}"}
    view = await view_of([long, {"role": "user", "content": "Who changed the password?"}], 400)
    assert view.fits
    assert str(view.messages[0]["content"]).startswith("Rules of the office.")
    assert NEEDED in str(view.messages[0]["content"])
    assert view.messages[-1]["content"] == "Who changed the password?"


async def test_a_long_message_leaves_room_for_the_conversation_before_it() -> None:
    talk = [{"role": "user", "content": f"My sister Ida keeps hive {turn} in Bergen."} for turn in range(40)]
    view = await view_of([*talk, {"role": "user", "content": REPORT}], 800)

    assert view.fits
    assert sum(f"hive {turn} in Bergen" in str(view.messages[0]["content"]) for turn in range(40)) >= 8


async def test_a_picture_that_has_no_room_is_described() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/harbour.png"}}
    view = await view_of([{"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]}], 200)

    assert view.fits
    assert "[picture: https://example.org/harbour.png]" in str(view.messages[0]["content"])
    assert "What is this?" in str(view.messages[0]["content"])


# ── any conversation, any budget ─────────────────────────────────────────────

LETTERS = "渡轮照常开出风从西边来港务处的人换了密码大家都等着看海鸥飞过码头"
KINDS: dict[str, Callable[[random.Random, int], str]] = {
    "sentences": lambda rng, size: " ".join(f"On day {n} Ida rowed {rng.randrange(99)} miles." for n in range(size)),
    "句子": lambda rng, size: "".join(f"第{n}天，艾达划了{rng.randrange(99)}海里。" for n in range(size)),
    "code": lambda rng, size: "```\n" + "\n".join(f"x{n} = f({rng.randrange(9**6)})" for n in range(size)) + "\n```",
    "one line": lambda rng, size: " ".join(str(rng.randrange(9**6)) for _ in range(4 * size)),
    "一行": lambda rng, size: "".join(rng.choices(LETTERS, k=10 * size)),
    "the same": lambda rng, size: "Noted. " * size,
}


def talk_of(rng: random.Random) -> list[dict[str, Any]]:
    """Return a talk of any length and form: prompts, long and short messages, tools, whoever speaks last."""
    kinds = rng.sample(sorted(KINDS), k=rng.choice([1, 2, 5]))
    longest = rng.choice([1, 10, 60])
    talk: list[dict[str, Any]] = []

    def say(role: str, longest: int = longest, **more: Any) -> None:
        said = KINDS[rng.choice(kinds)](rng, 1 + int(longest * rng.random() ** 2))
        talk.append({"role": role, "content": f"{len(talk)} {said}", **more})

    if rng.random() < 0.5:
        say("system", longest=20)
    for _ in range(rng.choice([2, 10, 30])):
        say("user")
        for call in range(rng.choice([0, 0, 0, 1, 8])):
            named = f"c{len(talk)}.{call}"
            function = {"name": "look", "arguments": "{}"}
            calls = [{"id": named, "type": "function", "function": function}]
            talk.append({"role": "assistant", "content": None, "tool_calls": calls})
            say("tool", tool_call_id=named)
        for _ in range(rng.choice([0, 1, 1, 1, 3])):
            say("assistant")
    if rng.random() < 0.3:
        say("assistant", longest=200)
    return talk


@pytest.mark.spec("COG-02")
@pytest.mark.parametrize("seed", range(24))
async def test_a_view_takes_most_of_its_budget_and_has_what_the_user_said_last_whatever_was_said(seed: int) -> None:
    rng = random.Random(seed)
    talk = talk_of(rng)
    asked = next(one for one in reversed(talk) if one["role"] == "user")
    for budget in (200, rng.randrange(300, 3_000)):
        view = await view_of(talk, budget)

        assert view.tokens <= budget
        assert any(
            one["role"] == "user" and one["content"].split()[0] == asked["content"].split()[0] for one in view.messages
        )
        assert view.messages[-1]["content"].split()[0] == talk[-1]["content"].split()[0], "what came last"
        if view.tokens_before > budget:
            assert view.tokens >= 0.7 * budget, view.report
        for part in view.replaced:
            assert view.original(part.place), "each opens what it stands for"


@pytest.mark.parametrize("budget", [800, 1_200])
async def test_a_long_reply_at_the_end_is_cut_and_leaves_room_for_the_conversation_before_it(budget: int) -> None:
    talk = [{"role": "user", "content": f"My sister Ida keeps hive {turn} in Bergen."} for turn in range(40)]
    asked = {"role": "user", "content": "What did Runa do with the password?"}
    view = await view_of([*talk, asked, {"role": "assistant", "content": REPORT}], budget)

    assert view.fits
    assert asked in view.messages
    shown = str(view.messages[-1]["content"])
    assert shown.startswith("Day 0: the ferry")
    assert shown.endswith("End of the report.")
    assert NEEDED in shown
    assert "characters left out; the whole is message 42 of the conversation]" in shown
    assert sum(f"hive {turn} in Bergen" in str(view.messages[0]["content"]) for turn in range(40)) >= 8


async def test_what_the_user_said_last_stays_however_much_came_after_it() -> None:
    asked = {"role": "user", "content": "Name the migration 0042_orders."}
    notes = [{"role": "assistant", "content": f"{n}. {line}"} for n, line in enumerate(NOTES[:60])]
    view = await view_of([{"role": "user", "content": REPORT}, asked, *notes], 700)

    assert asked in view.messages
    places = [talk["content"].split(".")[0] for talk in view.messages if talk["role"] == "assistant"]
    assert places == [str(number) for number in range(60 - len(places), 60)], "in their order"
