"""The web tools of agents: searching through Serper, reading a public page through Jina Reader or on our own.

Both are HTTP APIs of few fields, so the project's own small client is enough and no SDK is needed. Whatever goes wrong
becomes `ToolFailed` with a setting to look at: the agent reads it, and so does whoever reads the journal.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from remanent.agents.tools import ToolOutput
from remanent.errors import InvalidInput, LanguageError, ToolFailed
from remanent.http.json_client import JsonApi, RequestLimits
from remanent.http.public import FetchedPage, PublicFetcher
from remanent.language.roles.react import ToolDefinition
from remanent.loaders import load
from remanent.model import Origin
from remanent.settings import ReaderSettings, SearchSettings

_SEARCH = "search"
_MAX_QUERY_CHARS = 500
"""A longer query is a pasted text; search engines ignore the rest anyway."""
_MAX_QUERIES = 5
"""Queries of one call: each costs a request, and models like to list variants (chosen by hand)."""

DECLARATION = ToolDefinition(
    name=_SEARCH,
    description="Search for what is written about something. Give one query, or several that look at it from "
    "different sides.",
    parameters={
        "type": "object",
        "properties": {
            "query": {
                "type": ["string", "array"],
                "items": {"type": "string"},
                "description": "what to look for, in a few words",
            }
        },
        "required": ["query"],
    },
    chinese={"": "检索相关资料，可一次给出多个查询。", "query": "检索词"},
)


def read_queries(arguments: dict[str, JsonValue]) -> list[str]:
    """Return the queries of a call; `InvalidInput` when there is none.

    Models send one string or a list, and some say `queries`; all of it is accepted rather than argued about.
    """
    given = arguments.get("query", arguments.get("queries"))
    listed = given if isinstance(given, list) else [given]
    queries = [
        " ".join(query.split())[:_MAX_QUERY_CHARS] for query in listed if isinstance(query, str) and query.strip()
    ]
    if not queries:
        raise InvalidInput('search needs {"query": "what to look for"}')
    return list(dict.fromkeys(queries))[:_MAX_QUERIES]


class SerperSearch:
    """The tool `search` over the web, through Serper's API."""

    origin = Origin.WEB
    declaration = DECLARATION

    def __init__(self, settings: SearchSettings, *, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        self._results = settings.results
        self._api = JsonApi(
            settings.base_url,
            key=settings.api_key,
            key_header="X-API-KEY",
            group="search",
            names_model=False,
            bounds=RequestLimits(timeout=settings.timeout, request_timeout=settings.timeout, max_answer=4 * 1024**2),
            sleep=sleep,
        )

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Run all queries concurrently; if one of them fails, the call fails."""
        queries = read_queries(arguments)
        answers = await asyncio.gather(*(self._search(query) for query in queries))
        links = [hit.link for answer in answers for hit in answer.organic if hit.link]
        parts = [_render_results(query, answer) for query, answer in zip(queries, answers, strict=True)]
        return ToolOutput("\n\n".join(parts), metadata={"queries": list(queries), "links": list(dict.fromkeys(links))})

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()

    async def _search(self, query: str) -> "_SerperResponse":
        """Return what the search engine found; its failures become `ToolFailed`, which the model is told of."""
        try:
            body = await self._api.post("search", {"q": query, "num": self._results})
        except LanguageError as error:
            raise ToolFailed(f"the web search failed: {error}") from error
        try:
            return _SerperResponse.model_validate(json.loads(body))
        except (ValueError, ValidationError, RecursionError) as error:
            raise ToolFailed("the web search gave an answer that cannot be read; see search.base_url") from error


_OneLine = Annotated[str, BeforeValidator(lambda value: " ".join(value.split()) if isinstance(value, str) else "")]


class _SerperPart(BaseModel):
    """A part of the API's response. Only the fields that an agent can use are read; the rest may change at will."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _SerperHit(_SerperPart):
    title: _OneLine = ""
    link: _OneLine = ""
    snippet: _OneLine = ""
    date: _OneLine = ""


class _SerperBox(_SerperPart):
    answer: _OneLine = ""
    snippet: _OneLine = ""
    description: _OneLine = ""


_EMPTY_BOX = _SerperBox()


class _SerperResponse(_SerperPart):
    answer_box: _SerperBox = Field(_EMPTY_BOX, alias="answerBox")
    knowledge_graph: _SerperBox = Field(_EMPTY_BOX, alias="knowledgeGraph")
    organic: tuple[_SerperHit, ...] = ()

    @property
    def direct(self) -> list[str]:
        """What the search engine answers itself, before any page does."""
        texts = (self.answer_box.answer, self.answer_box.snippet, self.knowledge_graph.description)
        return [text for text in dict.fromkeys(texts) if text]


def _render_results(query: str, answer: _SerperResponse) -> str:
    """Return hits as a model reads them: numbered, with address, date and snippet, direct answers before all."""
    lines = [f"# {query}", *answer.direct]
    for number, hit in enumerate(answer.organic, 1):
        when = f" ({hit.date})" if hit.date else ""
        lines.append(f"{number}. {hit.title or hit.link}{when}\n   {hit.link}\n   {hit.snippet}".rstrip())
    if len(lines) == 1:
        lines.append("no results / 没有结果")
    return "\n".join(lines)


_VISIT = "visit"


class Visit:
    """The tool `visit`: the text of one public web page, and never one of a private network."""

    origin = Origin.WEB
    declaration = ToolDefinition(
        name=_VISIT,
        description="Read a public web page in full, for example one that a search found.",
        parameters={
            "type": "object",
            "properties": {"url": {"type": "string", "description": "its address, http or https"}},
            "required": ["url"],
        },
        chinese={"": "读取一个公开网页的全文，例如检索到的网页。", "url": "网址，以 http 或 https 开头"},
    )

    def __init__(
        self,
        settings: ReaderSettings,
        *,
        fetcher: PublicFetcher | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._fetcher = fetcher or PublicFetcher(timeout=settings.timeout, max_bytes=int(settings.max_page))
        through_jina = settings.mode == "jina" or (settings.mode == "auto" and settings.api_key is not None)
        self._jina = _jina(settings, sleep=sleep) if through_jina else None

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Read the page; `AddressRefused` when it does not lie in the public web."""
        url = arguments.get("url")
        if not isinstance(url, str) or not url.strip():
            raise InvalidInput('visit needs {"url": "https://…"}')
        # Checked here even where Jina fetches it: a reader hosted in our own network must not reach into it for us.
        if self._jina is not None:
            title, text = await self._read_through(self._jina, await self._fetcher.check(url))
        else:
            page = await self._fetcher.fetch(url)
            title, text = await _page_text(page)
            url = page.url
        if not text:
            raise ToolFailed(f"{url} has no text that can be read")
        return ToolOutput(f"{title}\n{url}\n\n{text}".strip(), metadata={"url": url, "title": title})

    async def close(self) -> None:
        """Close the connections."""
        await self._fetcher.close()
        if self._jina is not None:
            await self._jina.close()

    async def _read_through(self, jina: JsonApi, url: str) -> tuple[str, str]:
        """Return title and text of a page as the reading service gives them; its failures are told to the model."""
        try:
            answer = _JinaResponse.model_validate(json.loads(await jina.post("", {"url": url})))
        except LanguageError as error:
            raise ToolFailed(f"the page could not be read: {error}") from error
        except (ValueError, ValidationError, RecursionError) as error:
            raise ToolFailed("the page reader gave an answer that cannot be read; see reader.base_url") from error
        return answer.data.title.strip(), answer.data.content.strip()


class _JinaPage(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    title: str = ""
    content: str = ""


class _JinaResponse(BaseModel):
    """Jina Reader's response; only the fields that an agent can use are read."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    data: _JinaPage


def _jina(settings: ReaderSettings, *, sleep: Callable[[float], Awaitable[None]]) -> JsonApi:
    """Return the client of the reading service.

    Two attempts and the setting's time for both together: a page that takes longer is worth less than the next hit.
    """
    return JsonApi(
        settings.base_url,
        key=settings.api_key,
        group="reader",
        names_model=False,
        bounds=RequestLimits(
            timeout=settings.timeout, request_timeout=settings.timeout, max_answer=int(settings.max_page), attempts=2
        ),
        sleep=sleep,
    )


async def _page_text(page: FetchedPage) -> tuple[str, str]:
    """Return the title and the text of a page, or of the document that an address leads to."""
    if page.media_type.startswith("image/"):
        raise ToolFailed(f"{page.url} is {page.media_type}, which is not read as a page")
    try:
        found = await load(page.body, name=urlsplit(page.url).path, media_type=page.media_type, charset=page.charset)
    except InvalidInput as error:
        raise ToolFailed(f"{page.url} is {page.media_type}, which is not read as a page: {error}") from error
    return found.title or "", found.text.strip()
