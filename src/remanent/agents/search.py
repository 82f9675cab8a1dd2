"""Searching the web through Serper's API."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from remanent.agents.tools import ToolOutput
from remanent.errors import InvalidInput, LanguageError, ToolFailed
from remanent.http.jsonapi import Bounds, JsonApi
from remanent.language.roles.react import ToolDefinition
from remanent.model import Origin
from remanent.settings import SearchSettings

SEARCH = "search"
LONGEST_QUERY = 500
_MOST_QUERIES = 5

DECLARATION = ToolDefinition(
    name=SEARCH,
    description="Search for what is written about something. Give one query, or several that look at it from "
    "different sides. 检索相关资料，可一次给出多个查询。",
    parameters={
        "type": "object",
        "properties": {
            "query": {
                "type": ["string", "array"],
                "items": {"type": "string"},
                "description": "what to look for, in a few words / 检索词",
            }
        },
        "required": ["query"],
    },
)


def read_queries(arguments: dict[str, JsonValue]) -> list[str]:
    """Return the queries of a call: one text or a list of some; raise `InvalidInput` when there is none."""
    given = arguments.get("query", arguments.get("queries"))
    listed = given if isinstance(given, list) else [given]
    queries = [" ".join(query.split())[:LONGEST_QUERY] for query in listed if isinstance(query, str) and query.strip()]
    if not queries:
        raise InvalidInput('search needs {"query": "what to look for"}')
    return list(dict.fromkeys(queries))[:_MOST_QUERIES]


class SerperSearch:
    """The tool `search` over the web."""

    origin = Origin.WEB
    declaration = DECLARATION

    def __init__(
        self,
        settings: SearchSettings,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._results = settings.results
        self._api = JsonApi(
            settings.base_url,
            key=settings.api_key,
            key_header="X-API-KEY",
            group="search",
            names_model=False,
            bounds=Bounds(timeout=settings.timeout, request_timeout=settings.timeout, max_answer=4 * 1024**2),
            sleep=sleep,
            chance=chance,
        )

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Search for each query, beside each other."""
        queries = read_queries(arguments)
        answers = await asyncio.gather(*(self._search(query) for query in queries))
        links = [hit.link for answer in answers for hit in answer.organic if hit.link]
        parts = [_told(query, answer) for query, answer in zip(queries, answers, strict=True)]
        return ToolOutput("\n\n".join(parts), metadata={"queries": list(queries), "links": list(dict.fromkeys(links))})

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    async def _search(self, query: str) -> "_Answer":
        try:
            body = await self._api.post("search", {"q": query, "num": self._results})
        except LanguageError as error:
            raise ToolFailed(f"the web search failed: {error}") from error
        try:
            return _Answer.model_validate(json.loads(body))
        except (ValueError, ValidationError, RecursionError) as error:
            raise ToolFailed("the web search gave an answer that cannot be read; see search.base_url") from error


_Words = Annotated[str, BeforeValidator(lambda value: " ".join(value.split()) if isinstance(value, str) else "")]


class _Part(BaseModel):
    """A part of an answer; of what the API says, only what an agent can use is read."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _Hit(_Part):
    title: _Words = ""
    link: _Words = ""
    snippet: _Words = ""
    date: _Words = ""


class _Box(_Part):
    answer: _Words = ""
    snippet: _Words = ""
    description: _Words = ""


_NOTHING = _Box()


class _Answer(_Part):
    answer_box: _Box = Field(_NOTHING, alias="answerBox")
    knowledge_graph: _Box = Field(_NOTHING, alias="knowledgeGraph")
    organic: tuple[_Hit, ...] = ()

    @property
    def direct(self) -> list[str]:
        """What the search engine says by itself, before any page does."""
        said = (self.answer_box.answer, self.answer_box.snippet, self.knowledge_graph.description)
        return [text for text in dict.fromkeys(said) if text]


def _told(query: str, answer: _Answer) -> str:
    lines = [f"# {query}", *answer.direct]
    for number, hit in enumerate(answer.organic, 1):
        when = f" ({hit.date})" if hit.date else ""
        lines.append(f"{number}. {hit.title or hit.link}{when}\n   {hit.link}\n   {hit.snippet}".rstrip())
    if len(lines) == 1:
        lines.append("no results / 没有结果")
    return "\n".join(lines)
