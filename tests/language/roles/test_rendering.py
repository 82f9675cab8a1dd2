"""Summaries have one form, whoever wrote their parts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.bilingual import Language
from remanent.errors import InvalidInput
from remanent.language.offline.commitments import Commitments
from remanent.language.roles.summary import SummaryLevel, SummaryRequest, render, render_topic, segment_text, unmarked
from remanent.language.shapes import Utterance
from remanent.text.summary import statements
from remanent.text.tokens import ESTIMATE

SAID = (Utterance(text="小丽搬到了杭州。"),)
ITEMS = st.lists(st.text(max_size=400), max_size=40)


@pytest.mark.spec("BANK-04", "BANK-14")
def test_a_structured_summary_has_its_headings() -> None:
    assert render_topic(facts=["甲", "乙"], evidence=["丙"], reasoning="丁", language="zh") == (
        "要点：\n- 甲\n- 乙\n证据：\n- 丙\n逻辑：丁"
    )
    assert render_topic(facts=["a"], evidence=[], reasoning="b", language="en") == "Key facts:\n- a\nReasoning: b"


@pytest.mark.parametrize(
    ("facts", "evidence", "reasoning", "kept"),
    [
        pytest.param(4, 4, "because", (4, 1, 1), id="only as much evidence as must go"),
        pytest.param(6, 3, "because", (6, 0, 0), id="all evidence, then the reasoning"),
        pytest.param(9, 2, "because", (6, 0, 0), id="then facts from the end"),
    ],
)
def test_a_structured_summary_keeps_its_bound_by_leaving_out_what_matters_least(
    facts: int, evidence: int, reasoning: str, kept: tuple[int, int, int]
) -> None:
    long = "x" * 3000
    text = render_topic(
        facts=[f"fact {long}"] * facts,
        evidence=[f"quote {long}"] * evidence,
        reasoning=f"{reasoning} {long}",
        language="en",
    )
    assert len(text) <= 20_000
    assert (text.count("- fact"), text.count("- quote"), text.count("Reasoning:")) == kept


def test_a_single_fact_that_is_too_long_is_cut() -> None:
    text = render_topic(facts=["x" * 30_000], evidence=[], reasoning="", language="zh")
    assert len(text) == 20_000
    assert text.startswith("要点：\n- xxx")


@pytest.mark.spec("COG-03")
def test_the_marks_of_the_levels_are_literal() -> None:
    marks = {
        (level, language): render(
            SummaryRequest(level=level, utterances=SAID), "x", Commitments(), language=language
        ).text
        for level in SummaryLevel
        for language in ("zh", "en")
    }
    assert marks == {
        (SummaryLevel.SEGMENT, "zh"): "[摘要] x",
        (SummaryLevel.SEGMENT, "en"): "[summary] x",
        (SummaryLevel.SESSION, "zh"): "[会话概要] x",
        (SummaryLevel.SESSION, "en"): "[session digest] x",
        (SummaryLevel.COMPACTION, "zh"): "[compacted] x",
        (SummaryLevel.COMPACTION, "en"): "[compacted] x",
    }


def test_a_mark_that_a_model_wrote_is_not_doubled() -> None:
    assert unmarked(" [摘要] [Summary] 用户搬家") == "用户搬家"
    assert (
        render(SummaryRequest(utterances=SAID), "[摘要] 用户搬家", Commitments(), language="zh").text
        == "[摘要] 用户搬家"
    )


@pytest.mark.spec("COG-03")
def test_a_sessions_digest_lists_decisions_to_dos_and_agreements() -> None:
    request = SummaryRequest(level=SummaryLevel.SESSION, utterances=SAID)
    made = render(request, "在搬家", Commitments(("搬",), ("打包", "打包"), ("周五",)), language="zh")
    assert made.text == "[会话概要] 在搬家\n决策：\n- 搬\n待办：\n- 打包\n约定：\n- 周五"
    assert (made.decisions, made.todos, made.agreements) == (("搬",), ("打包",), ("周五",))


@settings(deadline=None, max_examples=50)
@given(
    text=st.text(max_size=3000),
    decisions=ITEMS,
    todos=ITEMS,
    agreements=ITEMS,
    limit=st.integers(20, 900),
    level=st.sampled_from(SummaryLevel),
)
def test_no_summary_is_longer_than_its_tokens(
    *, text: str, decisions: list[str], todos: list[str], agreements: list[str], limit: int, level: SummaryLevel
) -> None:
    request = SummaryRequest(level=level, utterances=SAID, max_tokens=limit)
    made = render(request, text, Commitments(tuple(decisions), tuple(todos), tuple(agreements)), language="en")
    assert ESTIMATE(made.text) <= limit


def test_there_must_be_something_to_summarise() -> None:
    with pytest.raises(InvalidInput, match="nothing to summarise"):
        SummaryRequest(utterances=(Utterance(text="  "),))


@pytest.mark.spec("COG-03")
def test_a_segment_says_whose_a_decision_was_and_says_it_once() -> None:
    """What a user had agreed with a friend stood there twice, as "The agent decided: User: We agreed to meet"."""
    said = ["We agreed to meet Clara on Friday.", "Decision: the night train.", "I will book it.", "I keep both notes."]
    speakers = ["user", "Ben", "assistant", "assistant"]
    chosen = [one for number, text in enumerate(said) for one in statements(text, message=number)]
    decisions = [f"User: {said[0]}", said[1], f"Assistant: {said[2]}"]
    assert segment_text(chosen, speakers, decisions, "en") == (
        "[summary] The user decided: We agreed to meet Clara on Friday. Ben decided: Decision: the night train. "
        "The agent decided: I will book it. Key conclusion: I keep both notes."
    )


@pytest.mark.parametrize(("person", "machine"), [("user", "assistant"), ("human", "bot"), ("用户", "Chatbot")])
def test_a_segment_knows_the_agent_by_every_name_that_chat_formats_have_for_it(person: str, machine: str) -> None:
    said = ["Where shall we store the files?", "They go to the cellar.", "The cellar is dry."]
    chosen = [one for number, text in enumerate(said) for one in statements(text, message=number)]
    assert segment_text(chosen, [person, machine, machine], (), "en") == (
        "[summary] The user discussed: Where shall we store the files? The agent decided: They go to the cellar. "
        "Key conclusion: The cellar is dry."
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            ["我们去了海边看日落。", "真浪漫！", "海边的日落最好看。"],
            "用户讨论了：我们去了海边看日落。Agent 说：真浪漫！关键结论是：海边的日落最好看。",
        ),
        (
            ["We saw the sunset by the sea.", "How romantic!", "The sea is best then."],
            (
                " The user discussed: We saw the sunset by the sea. The agent said: How romantic! "
                "Key conclusion: The sea is best then."
            ),
        ),
    ],
)
def test_what_is_only_answered_is_no_decision(said: list[str], told: str) -> None:
    chosen = [one for number, text in enumerate(said) for one in statements(text, message=number)]
    language: Language = "en" if told.startswith(" ") else "zh"
    text = segment_text(chosen, ["user", "assistant", "assistant"], (), language)
    assert text.removeprefix("[摘要]").removeprefix("[summary]") == told


@pytest.mark.spec("COG-03")
def test_a_chinese_segment_keeps_the_words_of_its_form() -> None:
    said = ["数据库先这样。", "我们约定周五见面。", "决定用 PostgreSQL。", "两条都先留着。"]
    speakers = ["user", "user", "assistant", "assistant"]
    chosen = [one for number, text in enumerate(said) for one in statements(text, message=number)]
    assert segment_text(chosen, speakers, [f"用户：{said[1]}", said[2]], "zh") == (
        "[摘要]用户讨论了：数据库先这样。用户决定了：我们约定周五见面。"
        "Agent 决定了：决定用 PostgreSQL。关键结论是：两条都先留着。"
    )
