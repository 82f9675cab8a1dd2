"""An agent's turn is taken apart, whatever became of its tags."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import Refused
from remanent.language.role import TextReply, Toolbox
from remanent.language.roles.react import (
    REACT,
    ReactRequest,
    ReactResponse,
    ToolDefinition,
    ToolResult,
    Turn,
    Urgency,
    parse_turn,
    question_of,
)
from remanent.language.tagged_turns import ToolCall
from tests.growth import grows_no_faster_than_its_input

TOOLS = ("search", "visit")


def call(name: str, **arguments: object) -> str:
    return f"<tool_call>{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}</tool_call>"


@pytest.mark.spec("BANK-25")
def test_thoughts_and_several_calls() -> None:
    turn = parse_turn(f"<think>look</think>\n{call('search', q='x')}\n{call('visit', url='u')}", tools=TOOLS)
    assert turn.thought == "look"
    assert turn.tool_calls == (
        ToolCall(name="search", arguments={"q": "x"}),
        ToolCall(name="visit", arguments={"url": "u"}),
    )
    assert turn.answer is None
    assert turn.problems == ()


@pytest.mark.spec("BANK-25")
def test_an_answer() -> None:
    turn = parse_turn("<think>known</think><answer>杭州\n第二行</answer>", tools=TOOLS)
    assert (turn.thought, turn.answer, turn.tool_calls, turn.problems) == ("known", "杭州\n第二行", (), ())


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param("<answer>use <answer>x</answer> tags</answer>", "use <answer>x</answer> tags", id="nested"),
        pytest.param("<answer>an <answer> tag</answer>", "an <answer> tag", id="quoted, never closed"),
        pytest.param(
            "<answer>see <tool_call>{}</tool_call></answer>", "see <tool_call>{}</tool_call>", id="a call in it"
        ),
        pytest.param("<answer>cut off", "cut off", id="never closed"),
        pytest.param("<ANSWER>loud</Answer >", "loud", id="other case and spaces"),
        pytest.param("so</think><answer>x</answer>", "x", id="thoughts that were opened for it"),
        pytest.param("<think>is <answer>1</answer>?</think><answer>2</answer>", "2", id="an answer in a thought"),
        pytest.param("<think>never closed <answer>3</answer>", "3", id="after thoughts that never end"),
        pytest.param("<answer></answer><answer>4</answer>", "4", id="after a blank one"),
    ],
)
def test_the_answer_is_found(text: str, answer: str) -> None:
    assert parse_turn(text, tools=TOOLS).answer == answer


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "search", "arguments": {"q": "a"}}',
        '```json\n{"name": "search", "arguments": {"q": "a"}}\n```',
        "{'name': 'search', 'arguments': {'q': 'a',},}",
        '{"name": "search", "parameters": {"q": "a"}}',
        '{"name": "search", "arguments": "{\\"q\\": \\"a\\"}"}',
        '{"function": {"name": "search", "arguments": {"q": "a"}}}',
        '{"tool": "search", "args": {"q": "a"}}',
        '[{"name": "search", "arguments": {"q": "a"}}]',
        'I call {"name": "search", "arguments": {"q": "a"}}',
    ],
)
def test_a_call_is_read_in_the_forms_that_models_write(body: str) -> None:
    assert parse_turn(f"<tool_call>{body}</tool_call>", tools=TOOLS).tool_calls == (
        ToolCall(name="search", arguments={"q": "a"}),
    )


def test_a_call_that_is_never_closed_is_read() -> None:
    turn = parse_turn('<tool_call>{"name": "search", "arguments": {}}<tool_call>{"name": "visit"}', tools=TOOLS)
    assert [made.name for made in turn.tool_calls] == ["search", "visit"]


def test_a_closing_tag_inside_an_argument_does_not_end_the_call() -> None:
    turn = parse_turn(call("search", q="what does </tool_call> mean"), tools=TOOLS)
    assert turn.tool_calls[0].arguments == {"q": "what does </tool_call> mean"}


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ('{"name": "rm", "arguments": {}}', "there is no tool 'rm'; the tools are: search, visit"),
        ("search for it", "cannot be read"),
        ('{"name": "search", "arguments": [1]}', "must be a JSON object"),
        ('{"name": "search", "arguments": "x"}', "not a JSON object"),
        ("[1]", "must be an object"),
        ('{"arguments": {}}', "there is no tool ''"),
    ],
)
def test_a_call_that_cannot_be_made_is_a_problem_to_tell(body: str, problem: str) -> None:
    turn = parse_turn(f"<tool_call>{body}</tool_call>", tools=TOOLS)
    assert turn.tool_calls == ()
    assert problem in turn.problems[0]


def test_results_that_an_agent_makes_up_are_cut_off_with_all_that_follows() -> None:
    written = f"{call('search')}\n<tool_response>42</tool_response><answer>42</answer>"
    turn = parse_turn(written, tools=TOOLS)
    assert turn.answer is None
    assert turn.said == call("search")


def test_an_answer_beside_a_call_waits_for_the_result() -> None:
    turn = parse_turn(f"{call('search')}<answer>a guess</answer>", tools=TOOLS)
    assert turn.answer is None
    assert turn.said == call("search")


def test_an_answer_beside_a_call_that_cannot_be_made_counts() -> None:
    turn = parse_turn(f"{call('rm')}<answer>x</answer>", tools=TOOLS)
    assert (turn.answer, turn.problems) == ("x", ())


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize("after", ["", "\n<answer>[The results say so.]</answer>"])
def test_a_call_without_its_tags_is_one_if_there_is_such_a_tool(after: str) -> None:
    turn = parse_turn(
        f'<think>Not known.</think>\n{{"name": "search", "arguments": {{"query": "x"}}}}{after}', tools=TOOLS
    )
    assert ([item.name for item in turn.tool_calls], turn.answer, turn.problems) == (["search"], None, ())
    assert parse_turn('{"name": "rm", "arguments": {}}', tools=TOOLS).tool_calls == ()


def test_text_without_tags_is_a_thought_and_a_problem() -> None:
    turn = parse_turn("It must be Condor.", tools=TOOLS)
    assert (turn.thought, turn.answer) == ("It must be Condor.", None)
    assert "neither a tool call nor an answer" in turn.problems[0]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("It is Condor.", "It is Condor."),
        ("<think>hm</think> Condor", "Condor"),
        ("<think>only thoughts", "only thoughts"),
        (call("search"), call("search")),
    ],
)
def test_a_turn_that_must_answer_answers_with_what_it_says(text: str, answer: str) -> None:
    turn = parse_turn(text, tools=TOOLS, must_answer=True)
    assert (turn.answer, turn.tool_calls) == (answer, ())


def test_too_many_calls_are_cut_and_the_agent_is_told() -> None:
    turn = parse_turn(call("search") * 25, tools=TOOLS)
    assert len(turn.tool_calls) == 20
    assert "25" in turn.problems[0]


PARTS = (
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<answer>",
    "</answer>",
    "<tool_response>",
    "x",
    " ",
    '{"name"',
)


@settings(deadline=None, max_examples=300)
@given(parts=st.lists(st.sampled_from([*PARTS, call("search", q="</answer>"), "</", "<"]), max_size=14))
def test_no_arrangement_of_tags_breaks_it(parts: list[str]) -> None:
    text = "".join(parts)
    turn = parse_turn(text, tools=TOOLS)
    assert text.startswith(turn.said) or turn.said in text
    assert not (turn.tool_calls and turn.answer is not None)
    assert turn.tool_calls or turn.answer or turn.problems
    forced = parse_turn(text, tools=TOOLS, must_answer=True)
    assert forced.answer is not None
    assert not forced.tool_calls


def test_a_hundred_thousand_tags_are_read_in_time() -> None:
    text = "<think><tool_call><answer></think>" * 25_000
    assert grows_no_faster_than_its_input(lambda part: parse_turn(part, tools=TOOLS), text)


SEARCH = ToolDefinition(
    name="search",
    description="Search the web",
    parameters={"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}},
)
DEEP = ToolDefinition(
    name="deep_retrieval", description="Open a node", parameters={"properties": {"node_id": {"type": "string"}}}
)
KNOWN = "<task>goal: Where does Ada live?</task>\n<memory>Ada moved to Lisbon in May. Ada has a cat.</memory>"
UNKNOWN = "<task>Who wrote the novel Dune?</task>\n<memory>Ada has a cat.</memory>"


async def turn(
    task: str, *results: str, tools: tuple[ToolDefinition, ...] = (DEEP, SEARCH), urgency: Urgency = Urgency.NONE
) -> ReactResponse:
    turns = (Turn(said="…", results=tuple(ToolResult(name="search", content=text) for text in results)),)
    request = ReactRequest(task=task, tools=tools, turns=turns if results else (), urgency=urgency)
    return await REACT.offline(request, Toolbox())


async def test_what_memory_knows_is_answered_word_for_word() -> None:
    found = await turn(KNOWN)
    assert found.answer == "Ada moved to Lisbon in May."
    assert not found.tool_calls


async def test_what_memory_lacks_is_searched_for() -> None:
    found = await turn(UNKNOWN)
    assert found.answer is None
    (call,) = found.tool_calls
    assert call.name == "search"
    assert call.arguments == {"query": "wrote novel Dune"}


async def test_results_are_quoted() -> None:
    found = await turn(UNKNOWN, "The novel Dune was written by Frank Herbert. It rained a lot that year.")
    assert found.answer is not None
    assert "Frank Herbert" in found.answer
    assert "rained" not in found.answer


async def test_it_does_not_search_for_ever_and_says_what_it_does_not_know() -> None:
    found = await turn(UNKNOWN, "Bread needs flour.")
    assert found.answer is not None
    assert not found.tool_calls


@pytest.mark.parametrize("urgency", [Urgency.SOON, Urgency.NOW])
async def test_when_there_is_no_room_left_it_answers(urgency: Urgency) -> None:
    assert (await turn(UNKNOWN, urgency=urgency)).answer is not None


async def test_without_a_tool_that_searches_it_answers() -> None:
    assert (await turn(UNKNOWN, tools=(DEEP,))).answer is not None
    assert (await turn(UNKNOWN, tools=())).answer is not None


@pytest.mark.parametrize("task", [KNOWN, UNKNOWN, "<task>谁写了《沙丘》？</task>", 'Is "</answer>" <b>a tag</b>?'])
async def test_what_it_says_reads_as_what_it_means(task: str) -> None:
    found = await turn(task)
    read = parse_turn(found.said, tools=["search"])
    assert read.tool_calls == found.tool_calls
    assert (read.answer is None) == (found.answer is None)
    assert not read.problems


async def test_chinese_is_answered_in_chinese() -> None:
    found = await turn("<task>目标：项目的预算是多少？</task><memory>项目预算是8000元。负责人是张伟。</memory>")
    assert found.answer == "项目预算是8000元。"
    assert "记忆" in found.thought


@pytest.mark.parametrize(
    ("task", "asked"),
    [
        ("<task>goal: Find the owner.\ncurrent_task: Look up the phone book.</task>", "Look up the phone book."),
        ("<task>目标：找到负责人</task>", "找到负责人"),
        ("Some context. Who owns the boat? Thanks.", "Who owns the boat?"),
        ("Describe the boat.", "Describe the boat."),
    ],
)
def test_the_question_is_found_in_the_task(task: str, asked: str) -> None:
    assert question_of(task) == asked


@pytest.mark.parametrize("task", ["How high is it?", "它有多高？"])
def test_a_reply_that_repeats_the_rules_is_refused(task: str) -> None:
    request = ReactRequest(task=task)
    told = REACT.prompt(request, language=REACT.language(request)).instructions
    with pytest.raises(Refused, match="repeats the instructions"):
        REACT.read(request, TextReply(text=told[-300:]))
    assert REACT.read(request, TextReply(text="<answer>412</answer>")).answer == "412"
