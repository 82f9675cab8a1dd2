"""A turn of an agent without a model: answer from memory or results word for word, else search once, else say so."""

import json
import re
from collections.abc import Sequence

from pydantic import JsonValue

from remanent.language.exchanges.react import ReactRequest, ReactResponse, Tool, ToolCall, Urgency
from remanent.language.offline.answering import Found, agreeing, find_answer
from remanent.language.offline.questions import is_question, keyword_form
from remanent.language.offline.toolbox import Toolbox
from remanent.language.offline.validating import Matter, matter_of, settle_matter
from remanent.language.tidying import line
from remanent.language.tongue import Tongue, tongue_of
from remanent.text.sentences import sentence_texts

_SEARCHING = re.compile(r"search|recall|find|query|lookup|look_up|搜索|检索", re.IGNORECASE)
_QUERY_NAMES = ("query", "q", "queries", "keywords", "question", "text", "input", "search_query", "term")
_TASK = re.compile(r"<task\b[^<>]*>(?P<body>.*?)</task>", re.DOTALL | re.IGNORECASE)
_MEMORY = re.compile(r"<memory\b[^<>]*>(?P<body>.*?)</memory>", re.DOTALL | re.IGNORECASE)
_ABOUT = {
    name: re.compile(rf"<{name}\b[^<>]*>.*?</{name}>", re.DOTALL | re.IGNORECASE) for name in ("keywords", "context")
}
_STEP = re.compile(
    r"^[^\w\n]*(?:current[ _]task|next step|当前任务|下一步)\W*[:：]\s*(?P<rest>.+)$", re.MULTILINE | re.IGNORECASE
)
_GOAL = re.compile(
    r"^[^\w\n]*(?:task[ _]goal|goal|question|目标|任务目标|问题)\W*[:：]\s*(?P<rest>.+)$", re.MULTILINE | re.IGNORECASE
)
_TAGS = re.compile(r"</?[A-Za-z_][^<>]{0,200}>")
_LONGEST_QUERY = 200
_LONGEST_QUESTION = 600

_SAID: dict[Tongue, dict[str, str]] = {
    "zh": {
        "from_memory": "已有记忆中有相关内容，直接引用作答。",
        "from_results": "工具结果中有相关内容，引用作答。",
        "search": "记忆中没有足够的信息，先检索。",
        "compare": "两种说法矛盾，先看看各来源怎么说。",
        "compared": "比较各来源后得出结论。",
        "nothing": "没有找到答案。",
        "unknown": "根据已有的记忆和检索结果，没有找到能回答这个问题的内容。",
    },
    "en": {
        "from_memory": "Memory has what is asked for; the answer quotes it.",
        "from_results": "The results have what is asked for; the answer quotes them.",
        "search": "Memory does not hold enough; search first.",
        "compare": "Two statements contradict each other; see what sources say.",
        "compared": "The sources were compared.",
        "nothing": "No answer was found.",
        "unknown": "Neither memory nor the results hold an answer to this.",
    },
}


async def react(request: ReactRequest, toolbox: Toolbox) -> ReactResponse:
    """Take one turn; nothing is said that does not stand in the task, the memory or a result."""
    tongue = tongue_of(asked := question_of(request.task))
    said = _SAID[tongue]
    results = [result.content for turn in request.turns for result in turn.results if not result.failed]
    matter = matter_of(request.task)
    if matter is not None:
        return await _validation(request, matter, results, toolbox)
    # What nodes are found by is no sentence that could answer.
    memory = [
        _without_elements(
            _without_elements(match["body"], "keywords", _ABOUT["keywords"]), "context", _ABOUT["context"]
        )
        for match in _MEMORY.finditer(request.task, 0, _last_closing(request.task, "memory"))
    ]
    memory = memory or [_without_question(request.task, asked)]
    from_memory = await find_answer(asked, [_TAGS.sub("\n", text) for text in memory], toolbox)
    from_memory = await agreeing(from_memory, (), toolbox)
    # What memory holds was checked against the rest; a result that contradicts it was not.
    from_results = await agreeing(await find_answer(asked, results, toolbox), from_memory.sentences, toolbox)
    if from_memory.is_good and from_memory.score >= from_results.score:
        return _answer(said["from_memory"], from_memory, tongue)
    if from_results.sentences:
        return _answer(said["from_results"], from_results, tongue)
    tool = _search_tool(request.tools)
    searched = any(result.name == tool.name for turn in request.turns for result in turn.results) if tool else True
    if tool is not None and not searched and request.urgency is Urgency.NONE:
        return _call(said["search"], tool, asked)
    if from_memory.sentences:
        return _answer(said["from_memory"], from_memory, tongue)
    return _answer(said["nothing"], Found((said["unknown"],), 0.0), tongue)


async def _validation(request: ReactRequest, matter: Matter, results: Sequence[str], toolbox: Toolbox) -> ReactResponse:
    """Look once at what others say of a contradiction, then settle it or say that it cannot be settled."""
    tongue = tongue_of(matter.newer, matter.older)
    tool = _search_tool(request.tools)
    if tool is not None and not results and request.urgency is Urgency.NONE:
        return _call(_SAID[tongue]["compare"], tool, matter.query)
    verdict = await settle_matter(matter, results, toolbox)
    return _answer(_SAID[tongue]["compared"], Found((verdict,), 1.0), tongue)


def question_of(task: str) -> str:
    """Return what a task asks for: its current step, else its goal, else its last question, else its beginning."""
    inside = _TASK.search(task, 0, _last_closing(task, "task"))
    text = _TAGS.sub("\n", inside["body"] if inside else _without_elements(task, "memory", _MEMORY)).strip()
    for pattern in (_STEP, _GOAL):
        named = pattern.search(text)
        if named:
            return line(named["rest"], _LONGEST_QUESTION)
    sentences = sentence_texts(text)
    asked = [sentence for sentence in sentences if is_question(sentence)]
    return line((asked or sentences[:1] or [task])[-1], _LONGEST_QUESTION)


def _last_closing(text: str, name: str) -> int:
    """Return where the last element of a name is closed; beyond it, looking for the end of one would be in vain."""
    closing = f"</{name}>"
    return max((found.end() for found in re.finditer(closing, text, re.IGNORECASE)), default=0)


def _without_elements(text: str, name: str, element: re.Pattern[str]) -> str:
    end = _last_closing(text, name)
    return element.sub("\n", text[:end]) + text[end:]


def _without_question(task: str, asked: str) -> str:
    return "\n".join(sentence for sentence in sentence_texts(_TAGS.sub("\n", task)) if sentence != asked)


def _search_tool(tools: tuple[Tool, ...]) -> Tool | None:
    """Return the tool that looks for words; one that only opens what is already known is none."""
    for tool in tools:
        if _SEARCHING.search(tool.name) and _query_name(tool) is not None:
            return tool
    return None


def _query_name(tool: Tool) -> str | None:
    properties = tool.parameters.get("properties")
    if not isinstance(properties, dict):
        return "query"
    texts = [name for name, schema in properties.items() if not isinstance(schema, dict) or _takes_text(schema)]
    return next((name for name in _QUERY_NAMES if name in texts), None)


def _takes_text(schema: dict[str, JsonValue]) -> bool:
    types = schema.get("type", "string")
    return any(sort in {"string", "array"} for sort in (types if isinstance(types, list) else [types]))


def _call(thought: str, tool: Tool, asked: str) -> ReactResponse:
    name = _query_name(tool) or "query"
    properties = tool.parameters.get("properties")
    schema = properties.get(name) if isinstance(properties, dict) else None
    query = line(keyword_form(asked) or asked, _LONGEST_QUERY)
    listed = isinstance(schema, dict) and schema.get("type") == "array"
    arguments: dict[str, JsonValue] = {name: [query] if listed else query}
    written = json.dumps({"name": tool.name, "arguments": arguments}, ensure_ascii=False)
    # Words of the task in a call must not be read as tags.
    written = written.replace("<", "\\u003c").replace(">", "\\u003e")
    return ReactResponse(
        said=f"<think>{thought}</think>\n<tool_call>{written}</tool_call>",
        thought=thought,
        tool_calls=(ToolCall(name=tool.name, arguments=arguments),),
    )


def _answer(thought: str, found: Found, tongue: Tongue) -> ReactResponse:
    answer = ("" if tongue == "zh" else " ").join(found.sentences)
    shown = _TAGS.sub("", answer)
    return ReactResponse(said=f"<think>{thought}</think>\n<answer>{shown}</answer>", thought=thought, answer=answer)
