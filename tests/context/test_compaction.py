"""Conversations made to fit: by three levels, or by the thresholds of the design's compactor."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.context import Compactor, ContextView, Strategy
from remanent.context.compaction import ContextCompactor
from remanent.context.messages import MESSAGE_TOKENS, read_messages
from remanent.errors import InvalidInput, ModelUnavailable
from remanent.language.engines import OfflineEngine
from remanent.language.role import Answer, Engine, ReplyT, RequestT, ResponseT, Role
from remanent.language.roles.summary import MARKS, SummaryLevel, SummaryRequest, SummaryResponse
from remanent.memory import aopen
from remanent.model import Maker, Scope
from remanent.plugins import ours_available
from remanent.settings import ContextSettings
from remanent.stores.cache import InProcessCache
from remanent.text.sentences import sentence_texts
from remanent.text.summary import DialogueSentence, ranked
from remanent.text.tokens import TokenCounter, token_counter
from tests.context.dialogues import PLANTED, dialogue

ADA = Scope(org="lab", workspace="main", agent="ada")
COUNT = token_counter()


class ScriptedEngine(Engine):
    """A model that summarises as told, or fails."""

    name = "scripted"

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.requests: list[SummaryRequest] = []
        self.asked, self.may_answer = asyncio.Event(), asyncio.Event()
        self.may_answer.set()

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        assert isinstance(request, SummaryRequest)
        self.requests.append(request)
        self.asked.set()
        await self.may_answer.wait()
        if self.fails:
            raise ModelUnavailable("the provider is down")
        mark = {"segment": "[summary]", "session": "[session digest]", "compaction": "[compacted]"}[request.level]
        value = SummaryResponse(text=f"{mark} by the model, number {len(self.requests)}\nDecisions:\n- none")
        return Answer(value, Maker(role=role.name, engine=self.name, version=role.version))  # type: ignore[arg-type]

    async def close(self) -> None:
        """Nothing is open."""


def compactor(engine: Engine | None = None, *, counter: TokenCounter | None = None, **settings: Any) -> Compactor:
    cache = InProcessCache(clock=lambda: datetime(2026, 5, 1, tzinfo=UTC))
    return Compactor(engine or OfflineEngine(), cache=cache, settings=ContextSettings(**settings), counter=counter)


def texts(messages: Sequence[dict[str, Any]]) -> str:
    return "\n".join(str(message["content"]) for message in messages)


def assert_pairs_are_whole(view: ContextView) -> None:
    calls = [call["id"] for message in view.messages for call in message.get("tool_calls") or ()]
    results = [message["tool_call_id"] for message in view.messages if message["role"] == "tool"]
    assert calls == results


# ── the three levels ─────────────────────────────────────────────────────────


@pytest.mark.spec("COG-04", "COG-03")
@pytest.mark.parametrize(("language", "wanted"), [("en", 50_000), ("zh", 47_300)])
async def test_the_seeds_example_shrinks_as_the_seed_says(language: str, wanted: int) -> None:
    messages = dialogue(language, tokens=wanted)
    shrinking = compactor()
    before = (await shrinking.view(ADA, messages, level=0)).tokens
    views = [await shrinking.view(ADA, messages, level=level) for level in (1, 2, 3)]

    assert len(messages) == 200
    assert 50_000 <= before < 51_000
    assert [view.level for view in views] == [1, 2, 3]
    for view, most in zip(views, (35_000, 8_000, 3_300), strict=True):
        assert view.tokens <= most
        assert sum(COUNT(str(message.get("content") or "")) for message in view.messages) <= most
        assert_pairs_are_whole(view)
    held = [said for said in PLANTED[language] if said.casefold().rstrip(".。") in texts(views[2].messages).casefold()]
    assert len(held) >= 18


@pytest.mark.spec("COG-03")
async def test_the_second_level_keeps_the_last_ten_and_marks_what_stands_for_ten_others() -> None:
    for language, mark in (("en", "[summary]"), ("zh", "[摘要]")):
        messages = dialogue(language, messages=60, tokens=9_000)
        view = await compactor().view(ADA, messages, level=2)

        assert list(view.messages[-10:]) == messages[-10:]
        standing = [view.messages[part.place] for part in view.replaced]
        assert len(standing) == 5
        assert all(message["content"].startswith(mark) for message in standing)
        assert view.original(0) == messages[: len(view.original(0))]
        assert len(view.original(0)) in (10, 11, 12)


@pytest.mark.spec("COG-03")
async def test_the_third_level_is_one_digest_and_the_last_five() -> None:
    messages = dialogue("zh", messages=60, tokens=9_000)
    view = await compactor().view(ADA, [{"role": "system", "content": "你是助手"}, *messages], level=3)

    system, digest, *tail = view.messages
    assert system["content"] == "你是助手"
    assert digest["content"].startswith("[会话概要]")
    assert "决策：" in digest["content"]
    assert tail[-5:] == messages[-5:]
    assert view.original(1) == messages[: 60 - len(tail)]


@pytest.mark.spec("COG-03")
async def test_the_first_level_drops_older_versions_of_the_system_prompt_and_describes_pictures() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    old, new = "You help with the garden. Be brief.", "You help with the garden. Be very brief."
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": old},
        {"role": "user", "content": [{"type": "text", "text": "What grows here?"}, picture]},
        {"role": "assistant", "content": "Roses."},
        {"role": "system", "content": new},
        {"role": "user", "content": [{"type": "text", "text": "And here?"}, picture]},
    ]
    view = await compactor().view(ADA, messages, level=1)

    assert [message["content"] for message in view.messages if message["role"] == "system"] == [new]
    assert view.messages[0]["content"][1] == {"type": "text", "text": "[picture]"}
    assert view.messages[-1]["content"][1] == picture  # what the user asks about just now is still shown
    assert {saving.strategy for saving in view.report} == {Strategy.SYSTEM_PROMPTS, Strategy.ATTACHMENTS}


@pytest.mark.spec("COG-03")
async def test_levels_begin_at_their_shares_of_the_budget() -> None:
    messages = dialogue("en", messages=100, tokens=20_000)
    shrinking = compactor()
    whole = (await shrinking.view(ADA, messages, level=0)).tokens
    trimmed = (await shrinking.view(ADA, messages, level=1)).tokens

    levels = {
        budget: (await shrinking.view(ADA, messages, budget=budget)).level
        for budget in (int(whole / 0.59), int(whole / 0.61), int(trimmed / 0.74), int(trimmed / 0.76), 1_500)
    }
    assert list(levels.values()) == [0, 1, 1, 2, 3]


@pytest.mark.spec("COG-03")
async def test_what_older_messages_tell_is_ranked_once_however_their_room_shrinks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []

    def counted(said: Sequence[DialogueSentence]) -> list[int]:
        calls.append(len(said))
        return ranked(said)

    monkeypatch.setattr("remanent.context.digests.ranked", counted)
    messages = dialogue("en", messages=100, tokens=20_000)
    shrinking = compactor()
    for budget in (9_000, 8_000, 7_000, 6_000):
        assert (await shrinking.view(ADA, messages, level=2, budget=budget)).tokens
    stretches = len(calls)
    assert 0 < stretches <= 10, "each ten messages once, whatever the budget"
    fresh = await compactor().view(ADA, messages, level=2, budget=6_000)
    assert (await shrinking.view(ADA, messages, level=2, budget=6_000)).messages == fresh.messages


@pytest.mark.spec("COG-03")
async def test_a_new_message_has_no_older_one_parted_into_sentences_again_nor_the_digest_counted_as_a_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parted: list[str] = []
    digests: list[str] = []

    def sentences(text: str) -> list[str]:
        parted.append(text)
        return sentence_texts(text)

    def count(text: str) -> int:
        if text.startswith(MARKS[SummaryLevel.SESSION]["en"]):
            digests.append(text)
        return COUNT(text)

    monkeypatch.setattr("remanent.context.digests.sentence_texts", sentences)
    growing = compactor(counter=count)
    messages = dialogue("en", messages=60, tokens=12_000)
    for length in range(40, 60):
        assert (await growing.view(ADA, messages[:length], level=3)).level == 3
    assert parted
    assert len(parted) == len(set(parted))
    assert {text.rstrip() for text in digests} == {MARKS[SummaryLevel.SESSION]["en"]}  # its first line, never all of it
    assert len(digests) == len(set(digests))


@pytest.mark.spec("COG-02")
async def test_without_a_budget_the_window_of_the_settings_decides() -> None:
    view = await compactor(window=10_000).view(ADA, dialogue("en", messages=100, tokens=20_000))

    assert view.budget == 7_000
    assert view.tokens <= 7_000


@pytest.mark.spec("COG-02")
async def test_the_last_fifty_messages_stay_and_summaries_stand_for_older_ones() -> None:
    messages = [{"role": "system", "content": "Be brief."}, *dialogue("en", messages=62, tokens=6000)]
    roomy = compactor(window=200_000)

    view = await roomy.view(ADA, messages)
    assert list(view.messages[-50:]) == messages[-50:]
    assert [one["content"].split("]")[0] for one in view.messages[:-50]] == ["Be brief.", *["[summary"] * 2]
    assert view.original(1) == messages[1:12]
    assert (await roomy.view(ADA, messages[:51])).messages == tuple(messages[:51])
    assert (await roomy.view(ADA, messages, budget=100_000)).messages == tuple(messages)


@pytest.mark.spec("COG-02")
async def test_what_must_go_goes_by_rank_history_first() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "blue sky"},
        {"role": "assistant", "content": "old talk " * 30},
        {"role": "user", "content": "And now?"},
    ]
    cost = {len(kept): (await compactor().view(ADA, kept, level=0)).tokens for kept in (messages[:3], messages[4:])}

    view = await compactor().view(ADA, messages, budget=cost[3] + cost[1])
    assert [message["role"] for message in view.messages] == ["system", "assistant", "tool", "user"]
    assert_pairs_are_whole(view)
    smaller = await compactor().view(ADA, messages, budget=cost[3] + cost[1] - 1)
    assert [message["role"] for message in smaller.messages] == ["system", "user"]


async def test_long_newest_replies_leave_half_of_a_budget_to_what_was_said_before_them() -> None:
    talk = [
        {"role": role, "content": f"{words} number {turn}. " * (30 if role == "assistant" else 1)}
        for turn in range(40)
        for role, words in (("user", f"My sister Ida keeps hive {turn} in Bergen,"), ("assistant", "A long reply,"))
    ]
    talk.append({"role": "user", "content": "And what about the last hive?"})
    view = await compactor().view(ADA, talk, budget=1_000)

    assert view.fits
    assert view.messages[-1] == talk[-1]
    digest = str(view.messages[0]["content"])
    assert digest.startswith(MARKS[SummaryLevel.SESSION]["en"])
    assert COUNT(digest) >= 500 - 64, "what binds and tells of eighty messages"
    assert sum(f"hive {turn} in Bergen" in texts(view.messages) for turn in range(40)) >= 20


async def test_of_a_coding_agents_chat_what_the_user_wants_is_kept_before_what_was_tried() -> None:
    wants = ["The orders page times out.", "Don't change the public JSON format.", "Name the migration 0042_orders."]
    talk: list[dict[str, Any]] = [{"role": "user", "content": " ".join(wants)}]
    for place in range(40):
        call = {"name": "bash", "arguments": f'{{"command": "sed -n {place}0,{place}9p src/export/csv.py"}}'}
        lines = "\n".join(f"{place}{line}: row.append(order.field_{line})" for line in range(40))
        talk += [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": f"c{place}", "type": "function", "function": call}],
            },
            {"role": "tool", "tool_call_id": f"c{place}", "content": lines},
            {"role": "assistant", "content": f"Looked at lines {place}0 to {place}9 of the export."},
        ]
    talk.append({"role": "user", "content": "Write the description now."})
    view = await compactor().view(ADA, talk, budget=700)

    digest = str(view.messages[0]["content"])
    assert [one for one in wants if one not in digest] == []
    assert "bash(" not in digest
    assert "shortened from" not in digest


async def test_a_heading_is_no_to_do() -> None:
    reply = "### Next Steps to Do\n\nTODO: ask Dana about the rule.\n\n**Next steps we need to do**\n\nIt works."
    talk = [{"role": "assistant", "content": f"{reply} Run {turn}."} for turn in range(12)]
    digest = str((await compactor().view(ADA, talk, level=3)).messages[0]["content"])

    assert "- Assistant: TODO: ask Dana about the rule." in digest
    assert "Next" not in digest


def coding(talk: Sequence[dict[str, Any]], *, results: int, lines: int) -> list[dict[str, Any]]:
    """Return a coding agent's chat: so many results of tools after each of the messages."""
    made: list[dict[str, Any]] = []
    for said in talk:
        made.append(said)
        for _ in range(results):
            call = {"id": f"c{len(made)}", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
            output = "\n".join(f"step {len(made)}: value_{line} = {line * len(made)}" for line in range(lines))
            made += [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": call["id"], "content": output},
            ]
    return [*made, {"role": "user", "content": talk[-1]["content"]}]


async def test_the_newest_results_stay_whole_while_the_budget_allows() -> None:
    messages = coding(in_turn("Port the module.", "I read it.", "Go on.", "Done."), results=6, lines=60)
    whole = (await compactor().view(ADA, messages, level=0)).tokens
    given = [message["content"] for message in messages if message["role"] == "tool"]
    view = await compactor().view(ADA, messages, budget=whole // 3)

    assert 0.85 * whole // 3 <= view.tokens <= whole // 3
    shown = [message["content"] for message in view.messages if message["role"] == "tool"]
    kept = [number for number, text in enumerate(given) if text in shown]
    assert kept == list(range(24 - len(kept), 24))
    assert len(kept) >= 4
    border = int(whole / 0.7)
    roomy = await compactor().view(ADA, messages, budget=border)
    assert roomy.level == 1
    assert 0.5 * border <= roomy.tokens <= 0.6 * border, "the oldest are shortened, to the border of the level"


@pytest.mark.parametrize("share", [0.5, 0.8])
async def test_where_there_is_room_more_than_the_last_ten_stay_in_their_own_words(share: float) -> None:
    things = ("boat", "garden", "violin", "bakery", "mountain", "library", "harbour", "lantern", "meadow", "tram")
    said = [
        f"Hey there! Long time. We saw the {one} of {other} on day {place}. So good."
        for one in things
        for place, other in enumerate(things)
    ]
    messages = in_turn(*said, *(text.replace("saw", "sold") for text in said))
    whole = (await compactor().view(ADA, messages, level=0)).tokens
    view = await compactor().view(ADA, messages, budget=int(share * whole))

    assert 0.88 * share * whole <= view.tokens <= share * whole
    kept = sum(message in messages for message in view.messages)
    assert kept >= (share - 0.4) / 0.6 * len(messages) - 20
    assert list(view.messages[-kept:]) == messages[-kept:]
    told = texts(view.messages)
    assert sum(f"{text.split('. ')[1]}." in told for text in (m["content"] for m in messages)) >= 0.7 * len(messages)


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_what_tools_returned_is_not_told_as_the_users_words_and_sets_no_language(language: str) -> None:
    said = {
        "en": [
            "Port the payments module to FastAPI.",
            "The module is read.",
            "Go on with the handlers.",
            "They are done.",
        ],
        "zh": ["把支付模块迁移到 FastAPI。", "模块已经读完。", "继续处理接口。", "接口都改好了。"],
    }[language]
    messages = coding(in_turn(*said), results=8, lines=40)
    summaries = [
        str(message["content"])
        for message in (await compactor().view(ADA, messages, level=2)).messages
        if str(message["content"]).startswith(MARKS[SummaryLevel.SEGMENT][language])  # type: ignore[index]
    ]
    assert len(summaries) >= 4
    discussed, returned = {"en": ("discussed: ", "Tools returned: "), "zh": ("讨论了：", "工具返回了：")}[language]
    for text in summaries:
        assert "step" not in text.split(discussed)[-1].split(returned)[0] or discussed not in text
        assert "value_" not in text or returned in text
        assert "; step" in text or text.count("step") < 2
    digest = str((await compactor().view(ADA, messages, level=3)).messages[0]["content"])
    assert digest.startswith(MARKS[SummaryLevel.SESSION][language])  # type: ignore[index]


@pytest.mark.spec("COG-17")
async def test_the_report_adds_up_from_what_was_given_to_what_is_sent() -> None:
    view = await compactor().view(ADA, dialogue("en", messages=100, tokens=20_000), budget=1_500)

    assert [saving.strategy for saving in view.report] == [Strategy.TOOL_RESULTS, Strategy.DIGEST]
    assert view.report[0].before == view.tokens_before
    assert view.report[-1].after == view.tokens <= 1_500
    for one, other in zip(view.report, view.report[1:], strict=False):
        assert one.after == other.before


@pytest.mark.parametrize("kind", ["tool_use", "image", "document", "text"])
async def test_a_list_in_anthropics_style_gets_no_system_message(kind: str) -> None:
    said = {"type": "text", "text": "What is this?"}
    use = {"type": "tool_use", "id": "c1", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "blue"}
    messages: list[dict[str, Any]] = (
        [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
        if kind == "tool_use"
        else [{"role": "user", "content": [said] if kind == "text" else [said, {"type": kind, "source": {}}]}]
    )
    messages += [{"role": ("user", "assistant")[n % 2], "content": f"Line {n} on apples."} for n in range(40)]
    view = await compactor().view(ADA, messages, level=3)

    assert {message["role"] for message in view.messages} == {"user", "assistant"}
    assert view.messages[0]["content"].startswith("[session digest]")


@pytest.mark.parametrize("wrong", [{"budget": 0}, {"level": 4}, {"level": -1}])
async def test_a_budget_or_a_level_that_cannot_be_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        await compactor().view(ADA, [{"role": "user", "content": "hi"}], **wrong)


# ── what is kept, and models ─────────────────────────────────────────────────


@pytest.mark.spec("COG-03", "COG-16")
async def test_a_model_is_never_waited_for_and_asked_once_for_each_stretch() -> None:
    model = ScriptedEngine()
    shrinking = compactor(model)
    messages = [
        {"role": ("user", "assistant")[n % 2], "content": f"Fact {n}: apples cost {n} euros."} for n in range(40)
    ]

    first = await shrinking.view(ADA, messages, level=2)
    assert "by the model" not in texts(first.messages)
    await shrinking.settle()
    asked = len(model.requests)
    second = await shrinking.view(ADA, messages, level=2)
    longer = await shrinking.view(ADA, [*messages, {"role": "user", "content": "And pears?"}], level=2)
    await shrinking.settle()

    assert asked == 3
    assert texts(second.messages).count("by the model") == 3
    assert texts(longer.messages).count("by the model") == 3
    assert len(model.requests) == asked  # one message more reads nothing anew


@pytest.mark.spec("COG-03")
async def test_a_model_that_fails_changes_nothing() -> None:
    messages = dialogue("en", messages=60, tokens=9_000)
    failing = compactor(ScriptedEngine(fails=True))
    await failing.view(ADA, messages, level=3)
    await failing.settle()

    assert (await failing.view(ADA, messages, level=3)).messages == (
        await compactor().view(ADA, messages, level=3)
    ).messages


async def test_what_was_made_for_an_agent_is_let_go_with_its_memory() -> None:
    model = ScriptedEngine()
    shrinking = compactor(model)
    messages = [{"role": "user", "content": f"Fact {n}."} for n in range(30)]
    await shrinking.view(ADA, messages, level=2)
    await shrinking.settle()
    asked = len(model.requests)

    await shrinking.forget(ADA)
    view = await shrinking.view(ADA, messages, level=2)
    await shrinking.settle()

    assert "by the model" not in texts(view.messages)
    assert len(model.requests) == 2 * asked


@pytest.mark.spec("COG-03")
async def test_what_a_model_made_lives_as_long_as_its_session_is_used_and_goes_with_its_end() -> None:
    now = [datetime(2026, 5, 1, tzinfo=UTC)]
    model = ScriptedEngine()
    shrinking = Compactor(model, cache=InProcessCache(clock=lambda: now[0]), settings=ContextSettings())
    monday, tuesday = ADA.within(session="monday"), ADA.within(session="mon")
    messages = [{"role": "user", "content": f"Fact {n}."} for n in range(30)]

    async def made_after(minutes: int, scope: Scope) -> int:
        """Return how many summaries of a view a model made; what is missing is made behind it."""
        now[0] += timedelta(minutes=minutes)
        view = await shrinking.view(scope, messages, level=2)
        await shrinking.settle()
        return texts(view.messages).count("by the model")

    assert [await made_after(0, scope) for scope in (monday, tuesday)] == [0, 0]
    assert [await made_after(20, monday) for _ in range(4)] == [2] * 4  # 80 minutes after they were made
    assert await made_after(0, tuesday) == 0
    assert await made_after(31, monday) == 0
    assert await made_after(0, tuesday) == 0
    await shrinking.forget(monday)
    assert [await made_after(0, scope) for scope in (monday, tuesday)] == [0, 2]


@pytest.mark.spec("COG-03")
async def test_the_end_of_a_session_lets_go_of_what_a_model_made_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ScriptedEngine()
    monkeypatch.setattr("remanent.assembly.open_engine", lambda *_, **__: model)
    messages = [{"role": "user", "content": f"Fact {n}."} for n in range(30)]
    quiet: dict[str, Any] = {"cognition": {"learn": False}} if "cognition" in ours_available() else {}
    async with aopen(tmp_path, embedder="none", **quiet) as memory:
        ada = memory.agent("ada")
        for session in ("monday", "tuesday"):
            await ada.begin_session(session)
            await ada.context(messages, level=2, session=session)
        await memory._parts.compactor().settle()
        await ada.end_session("monday")
        left = [texts((await ada.context(messages, level=2, session=one)).messages) for one in ("monday", "tuesday")]
        assert ["by the model" in one for one in left] == [False, True]


async def test_a_model_that_is_still_at_it_puts_nothing_back_after_erasing() -> None:
    model = ScriptedEngine()
    model.may_answer.clear()
    shrinking = compactor(model)
    messages = [{"role": "user", "content": f"Fact {n}."} for n in range(30)]
    await shrinking.view(ADA, messages, level=2)
    await model.asked.wait()

    await shrinking.forget(ADA)
    model.may_answer.set()
    await shrinking.settle()
    view = await shrinking.view(ADA, messages, level=2)

    assert "by the model" not in texts(view.messages)


# ── thresholds ───────────────────────────────────────────────────────────────


def talk(count: int, *, length: int = 20) -> list[dict[str, Any]]:
    return [{"role": ("user", "assistant")[n % 2], "content": f"Line {n}: " + "x" * length} for n in range(count)]


@pytest.mark.spec("WORK-09")
async def test_twenty_messages_stay_and_one_more_compacts_all_but_the_last_eight() -> None:
    assert await ContextCompactor().maybe_compact(talk(20)) == talk(20)

    head, *tail = await ContextCompactor().maybe_compact(talk(21))
    assert head["role"] == "system"
    assert head["content"].startswith("[compacted]")
    assert tail == talk(21)[-8:]


@pytest.mark.spec("WORK-09")
async def test_too_many_characters_compact_too() -> None:
    assert await ContextCompactor().maybe_compact(talk(10, length=4_000)) == talk(10, length=4_000)
    assert len(await ContextCompactor().maybe_compact(talk(10, length=5_000))) == 9


@pytest.mark.spec("WORK-09")
async def test_thresholds_have_floors() -> None:
    lowest = ContextCompactor(threshold_messages=1, threshold_chars=1, retain_recent_messages=1)

    assert (lowest.threshold_messages, lowest.threshold_chars, lowest.retain_recent_messages) == (8, 4000, 4)


@pytest.mark.spec("WORK-09")
async def test_the_model_is_asked_at_the_level_of_compaction_and_only_for_what_is_new() -> None:
    model = ScriptedEngine()
    compact = ContextCompactor(model)
    await compact.maybe_compact(talk(21))
    await compact.maybe_compact(talk(25))

    first, second = model.requests
    assert first.level is SummaryLevel.COMPACTION
    assert (first.limit, len(first.utterances)) == (400, 13)
    assert [one.text for one in second.utterances] == [message["content"] for message in talk(25)[13:17]]
    assert second.earlier[0].startswith("[compacted] by the model, number 1")


@pytest.mark.spec("WORK-09")
async def test_when_the_model_fails_short_pieces_stand_in() -> None:
    head, *_ = await ContextCompactor(ScriptedEngine(fails=True)).maybe_compact(talk(21, length=500))

    assert head["content"].startswith("[compacted] user: Line 0: xxx")
    assert "Line 12" in head["content"]
    assert len(head["content"]) < 13 * 130


@pytest.mark.spec("WORK-09")
async def test_compacting_never_parts_a_call_from_its_result() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = talk(21)
    messages[12:14] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "blue"},
    ]
    _, *tail = await ContextCompactor().maybe_compact(messages)

    assert tail == messages[12:]


async def test_many_conversations_at_once_do_not_mix() -> None:
    shrinking = compactor()
    scopes = [Scope(org="lab", workspace="main", agent=f"a{number}") for number in range(5)]
    said = [[{"role": "user", "content": f"Agent {number} grows plant {n}."} for n in range(40)] for number in range(5)]
    views = await asyncio.gather(
        *(shrinking.view(scope, messages, level=3) for scope, messages in zip(scopes, said, strict=True))
    )

    for number, view in enumerate(views):
        assert all(f"Agent {other}" not in texts(view.messages) for other in range(5) if other != number)


@pytest.mark.spec("COG-03")
@pytest.mark.parametrize("how", [{"level": 3}, {"level": 2}, {"budget": 10_000}], ids=str)
async def test_one_new_message_extends_a_view_and_nothing_older_is_counted_or_read_again(how: dict[str, int]) -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return COUNT(text)

    made = compactor()
    made.count = count
    messages = dialogue("en")
    extended = await made.view(ADA, messages, **how)
    cold = sum(counted)
    more: list[int] = []
    for number in range(5):
        messages = [*messages, {"role": "user", "content": f"And what about plan {number}?"}]
        counted.clear()
        extended = await made.view(ADA, messages, **how)
        more.append(sum(counted))
    assert sorted(more)[2] < cold / 20  # now and then there is room for other sentences, and they are counted
    assert max(more) < cold / 5
    anew = await compactor().view(ADA, messages, **how)
    assert abs(extended.tokens - anew.tokens) <= 0.1 * anew.tokens


@pytest.mark.spec("COG-02")
async def test_a_digest_of_short_sentences_takes_most_of_the_budget() -> None:
    things = ("boat", "garden", "violin", "bakery", "mountain", "library", "harbour", "lantern", "meadow", "tram")
    said = [f"Tom: We saw the {one} of {other} on day {place}." for one in things for place, other in enumerate(things)]
    messages = [{"role": "user", "content": " ".join(said[at : at + 4])} for at in range(0, 100, 4)] * 4
    messages = [{**one, "content": f"{one['content']} It was number {at}."} for at, one in enumerate(messages)]
    view = await compactor().view(ADA, messages, budget=1_200)
    assert view.level == 3
    assert 0.86 * 1_200 <= view.tokens <= 1_200


@pytest.mark.spec("COG-17")
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_digest_has_as_many_tokens_as_the_tokenizer_says_though_its_lines_are_counted_apart(
    language: str,
) -> None:
    messages = dialogue(language)
    messages[4] = {"role": "user", "content": "We decided to keep it!\n/srv/data is where it lies.\n\n    So it is."}
    made = compactor()
    view = await made.view(ADA, messages, budget=6_000)
    (digest,) = read_messages(view.messages[:1])
    assert digest.text.count("\n") > 20
    assert made.notes_of(ADA).size(digest) == COUNT(digest.text) + MESSAGE_TOKENS


@pytest.mark.spec("COG-03")
async def test_others_get_their_turn_while_a_long_conversation_is_shortened() -> None:
    shortening = asyncio.create_task(compactor().view(ADA, dialogue("en"), level=3))
    turns = 0
    while not shortening.done():
        turns += 1
        await asyncio.sleep(0)
    assert turns > 60  # one for each result of a tool, each stretch, and so many characters that are counted


def in_turn(*said: str) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[number % 2], "content": text} for number, text in enumerate(said)]


async def digest_of(messages: Sequence[dict[str, str]], budget: int) -> str:
    view = await compactor().view(ADA, messages, budget=budget)
    assert view.level == 3
    assert view.fits
    return str(view.messages[0]["content"])


async def test_reports_that_are_nearly_the_same_leave_their_room_to_the_rest() -> None:
    rooms, things = (
        ("alpha", "beta", "gamma", "delta"),
        ("boat", "violin", "bakery", "tram", "harbour", "lantern", "meadow"),
    )
    reports = [f"The nightly build on server {rooms[n % 4]} passed all checks in {n + 3} minutes." for n in range(60)]
    tales = [f"Ida saw a {things[n % 7]} near the {things[n % 5]} of uncle {rooms[n % 4]}, day {n}." for n in range(60)]
    digest = await digest_of(in_turn(*reports, *tales), 900)
    assert digest.count("nightly build") <= 8
    assert digest.count("Ida saw") >= 35
    areas = [f"第{n}次巡检：机房{'甲乙丙丁'[n % 4]}区温度正常，无告警。" for n in range(60)]
    assert (await digest_of(in_turn(*areas, *tales), 900)).count("巡检") <= 8


async def test_a_digest_names_roles_in_one_language_and_tells_nothing_twice() -> None:
    filler = [f"关于第{n}章的{'甲乙丙丁戊己庚辛壬癸'[n % 10]}段，我们谈了不少别的事情。" for n in range(60)]
    said = [
        *filler[:20],
        "I decided to move to Porto in June.",
        *filler[20:],
        "我决定六月搬到波尔图，房子已经租好。",
        *filler[:9],
    ]
    digest = await digest_of(in_turn(*said), 500)
    assert "用户：I decided to move to Porto in June." in digest
    assert "User" not in digest
    assert digest.count("Porto") == digest.count("房子已经租好") == 1


async def test_what_was_taken_back_is_told_no_more() -> None:
    filler = [
        f"Chapter {n} tells of {word} and of what became of it later on." for n, word in enumerate("abcdefgh" * 6)
    ]
    said = [
        *filler[:12],
        "We decided to use Redis for the cache.",
        *filler[12:],
        "不用Redis了，改用Memcached。",
        *filler[:9],
    ]
    digest = await digest_of(in_turn(*said), 500)
    assert "We decided to use Redis" not in digest
    assert "- Assistant: 不用Redis了，改用Memcached。" in digest


async def test_a_decision_after_a_colon_is_one_until_it_is_scrapped() -> None:
    filler = [f"Handler {n} reads {word} and checks what became of it." for n, word in enumerate("abcdefgh" * 6)]
    decided, scrapped = "We decided: use SQLAlchemy for storage.", "Actually, scrap SQLAlchemy: use asyncpg instead."
    digest = await digest_of(in_turn(*filler[:12], decided, *filler[12:]), 500)
    assert f"Decisions:\n- User: {decided}" in digest
    labelled = ["Decision: the night train.", "Agreement: reviews within a day.", "TODO: ask Dana about hive seven."]
    digest = await digest_of(in_turn(*filler[:12], " ".join(labelled), *filler[12:]), 500)
    assert [one for one in labelled if f"- User: {one}" not in digest] == []
    digest = await digest_of(in_turn(*filler[:12], decided, *filler[12:29], scrapped, *filler[29:]), 500)
    assert f"- User: {scrapped}" in digest
    assert decided not in digest


async def test_what_only_cheers_has_no_line_of_a_digest() -> None:
    cheers = (
        "Can't wait.",
        "Long time no talk!",
        "Wow, that's awesome.",
        "Sounds great, Mel!",
        "好久不见！",
        "真期待。",
    )
    said = [
        f"{cheers[n % 6]} Uncle {word} sold boat {n} in Bergen. {cheers[n % 5]}" for n, word in enumerate("abcdef" * 9)
    ]
    digest = await digest_of(in_turn(*said), 700)
    assert digest.count("in Bergen") >= 20
    assert [cheer for cheer in cheers if cheer in digest] == []


@pytest.mark.parametrize("budget", [100, 150, 300])
async def test_a_small_budget_is_filled_with_what_tells(budget: int) -> None:
    names, towns = (
        ("李强", "王思琪", "赵立华", "刘宇轩", "张丽娟", "周敏"),
        ("广州天河", "上海浦东", "山西太原", "河北石家庄", "江西南昌"),
    )
    said = [f"{names[n % 6]}{n}是我的同事，其家乡是{towns[n % 5]}第{n}街。" for n in range(200)]
    view = await compactor().view(ADA, in_turn(*said), budget=budget)
    assert 0.75 * budget <= view.tokens <= budget
    assert str(view.messages[0]["content"]).startswith(MARKS[SummaryLevel.SESSION]["zh"])


async def test_what_is_no_conversation_or_no_budget_is_refused_with_what_to_do() -> None:
    shaping = compactor()
    for given in (None, "hello", {"role": "user", "content": "hello"}, 7):
        with pytest.raises(InvalidInput, match="list of objects with `role` and `content`"):
            await shaping.view(ADA, given)  # type: ignore[arg-type]
    for budget in ("x", 2.5, True, 0):
        with pytest.raises(InvalidInput, match="whole number of tokens"):
            await shaping.view(ADA, [], budget=budget)  # type: ignore[arg-type]
