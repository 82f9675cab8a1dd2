import pytest

from remanent.language.exchanges.react import ReactRequest, ReactResponse, Tool, ToolResult, Turn, Urgency
from remanent.language.offline.reacting import question_of, react
from remanent.language.offline.toolbox import Toolbox
from remanent.language.tags import parse

SEARCH = Tool(
    name="search",
    description="Search the web",
    parameters={"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}}},
)
DEEP = Tool(
    name="deep_retrieval", description="Open a node", parameters={"properties": {"node_id": {"type": "string"}}}
)
KNOWN = "<task>goal: Where does Ada live?</task>\n<memory>Ada moved to Lisbon in May. Ada has a cat.</memory>"
UNKNOWN = "<task>Who wrote the novel Dune?</task>\n<memory>Ada has a cat.</memory>"


async def turn(
    task: str, *results: str, tools: tuple[Tool, ...] = (DEEP, SEARCH), urgency: Urgency = Urgency.NONE
) -> ReactResponse:
    turns = (Turn(said="…", results=tuple(ToolResult(name="search", content=text) for text in results)),)
    request = ReactRequest(task=task, tools=tools, turns=turns if results else (), urgency=urgency)
    return await react(request, Toolbox())


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
    read = parse(found.said, tools=["search"])
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
