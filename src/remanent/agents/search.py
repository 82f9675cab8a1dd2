"""The tools that find and read: `search` over the web or over texts at hand, and `visit` for one public page.

The search of texts at hand, for agents without a key for the web, answers to the same name and takes the same
arguments, so that an agent need not know which of the two it was given. Serper and Jina Reader are HTTP APIs of few
fields: the project's own small client is enough. Whatever goes wrong becomes `ToolFailed` with a setting to look at:
the agent reads it, and so does whoever reads the journal.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError

from remanent.agents.tools import MemoryBackedTool, ToolOutput
from remanent.embedding import Embedder
from remanent.errors import InvalidInput, LanguageError, ToolFailed
from remanent.http.client import JsonApi, RequestLimits
from remanent.http.public import FetchedPage, PublicFetcher
from remanent.language.role import Toolbox
from remanent.language.roles.answering import RERANKING, PassageToRank, RerankingRequest
from remanent.language.roles.react import ToolDefinition
from remanent.lightweight import dataclass
from remanent.loaders import load
from remanent.model import Origin, Scope, system_clock
from remanent.recall import PATIENT, AnswerOptions, InMemoryPath, PathUse, Question, Ranker, Recipe, RowTable
from remanent.settings import ReaderSettings, SearchSettings
from remanent.text.terms import KeywordIndex, index_terms, query_terms
from remanent.text.tokens import ESTIMATE, chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SEARCH = "search"
_MAX_QUERY_CHARS = 500
"""A longer query is a pasted text; search engines ignore the rest anyway."""
_MAX_QUERIES = 5
"""Queries of one call: each costs a request, and models like to list variants (chosen by hand)."""

DECLARATION = ToolDefinition(
    name=_SEARCH,
    description="Search for what is written about something. Give one query, or "
    "several that approach it from different angles.",
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
        """Return what the search engine found."""
        with _service_errors("the web search failed", "the web search", "search.base_url"):
            body = await self._api.post("search", {"q": query, "num": self._results})
            return _SerperResponse.model_validate(json.loads(body))


@contextmanager
def _service_errors(failed: str, service: str, setting: str) -> Iterator[None]:
    """Turn the failures of a service into `ToolFailed`, which the model is told of."""
    try:
        yield
    except LanguageError as error:
        raise ToolFailed(f"{failed}: {error}") from error
    except (ValueError, ValidationError, RecursionError) as error:
        raise ToolFailed(f"{service} sent an answer that cannot be read; see {setting}") from error


_OneLine = Annotated[str, BeforeValidator(lambda value: " ".join(value.split()) if isinstance(value, str) else "")]


class _AnswerPart(BaseModel):
    """A part of a service's response. Only the fields that an agent can use are read; the rest may change at will."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class _SerperHit(_AnswerPart):
    title: _OneLine = ""
    link: _OneLine = ""
    snippet: _OneLine = ""
    date: _OneLine = ""


class _SerperBox(_AnswerPart):
    answer: _OneLine = ""
    snippet: _OneLine = ""
    description: _OneLine = ""


_EMPTY_BOX = _SerperBox()


class _SerperResponse(_AnswerPart):
    answer_box: _SerperBox = Field(_EMPTY_BOX, alias="answerBox")
    knowledge_graph: _SerperBox = Field(_EMPTY_BOX, alias="knowledgeGraph")
    organic: tuple[_SerperHit, ...] = ()


def _render_results(query: str, answer: _SerperResponse) -> str:
    """Return hits as a model reads them: numbered, with address, date and snippet, direct answers before all."""
    box, graph = answer.answer_box, answer.knowledge_graph
    direct = dict.fromkeys((box.answer, box.snippet, graph.description))
    lines = [f"# {query}", *filter(None, direct)]
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
        description="Read a public web page in full, for example one found by a search.",
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
            asked = {"url": await self._fetcher.check(url)}
            with _service_errors("the page could not be read", "the page reader", "reader.base_url"):
                read = _JinaResponse.model_validate(json.loads(await self._jina.post("", asked))).data
            title, text = read.title.strip(), read.content.strip()
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


class _JinaPage(_AnswerPart):
    title: str = ""
    content: str = ""


class _JinaResponse(_AnswerPart):
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
        raise ToolFailed(f"{page.url} is {page.media_type}, which cannot be read as a page")
    try:
        found = await load(page.body, name=urlsplit(page.url).path, media_type=page.media_type, charset=page.charset)
    except InvalidInput as error:
        raise ToolFailed(f"{page.url} is {page.media_type}, which cannot be read as a page: {error}") from error
    return found.title or "", found.text.strip()


# ── texts at hand ────────────────────────────────────────────────────────────

_PASSAGE_TOKENS = 250
"""Tokens of a passage: a long paragraph, so that what is found can be read by itself. Chosen by hand."""
_MAX_RESULTS = 5
"""Passages that one query is answered with."""
_MAX_COMPARED = 30
"""Only so many of the best by words are compared by meaning: embedding all passages would take seconds. Chosen by hand;
five are shown in the end."""

_TEXTS = Recipe(
    name="texts",
    paths={"keyword": PathUse(limit=_MAX_COMPARED)},
    strict=True,
    other=None,
    fusion="sum",
    flood_share=1.0,
)
"""By words alone; what they find is then read again for its meaning."""
_AT_HAND = Scope(org="texts", workspace="texts", agent="texts")
"""Texts at hand belong to no agent's memory."""

_MAX_REMEMBERED = 200
"""Results whose new passages are remembered until their step ends; a step makes at most 60 calls."""


@dataclass(frozen=True, slots=True)
class SearchableText:
    """A text that can be searched, and the id by which an agent refers to it."""

    text_id: str
    text: str
    title: str = ""
    is_known: bool = True
    """Whether memory holds it; what is found in any other text is evidence that a bank must keep."""


class TextSearch(MemoryBackedTool):
    """The tool `search` over texts at hand.

    The texts are asked for with every call, since a bank learns during a run; those that did not change are not cut
    into passages again, nor are their words counted again.
    """

    origin = Origin.TOOL

    def __init__(
        self,
        texts: Callable[[], Iterable[SearchableText]],
        *,
        embedder: Embedder | None = None,
        name: str = DECLARATION.name,
    ) -> None:
        self.declaration = DECLARATION.replace(name=name)
        self._texts = texts
        self._news: OrderedDict[str, str] = OrderedDict()
        self._toolbox = Toolbox(embedder=embedder)
        self._passages = _PassageWords()
        self._ranker = Ranker([self._passages], PATIENT, clock=system_clock)

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Return the best passages for each query, each with the id of the text that it comes from."""
        queries = read_queries(arguments)
        await self._passages.read(list(self._texts()))
        parts: list[str] = []
        found: list[str] = []
        new: list[str] = []
        for query in queries:
            best = await self._best(query)
            found += [text.text_id for text, _ in best]
            parts.append(_render_passages(query, best))
            new += [f"{text.title}\n{passage}".lstrip("\n") for text, passage in best if not text.is_known]
        text_ids: list[JsonValue] = list(dict.fromkeys(found))
        output = "\n\n".join(parts)
        self._news[output] = "\n\n".join(dict.fromkeys(new))
        while len(self._news) > _MAX_REMEMBERED:
            self._news.popitem(last=False)
        return ToolOutput(output, metadata={"queries": list(queries), "found": text_ids})

    def news(self, content: str) -> str:
        """Return the passages of a result that come from texts which memory does not hold."""
        return self._news.get(content, "")

    async def _best(self, query: str) -> list[tuple[SearchableText, str]]:
        """Return the best passages, best first: by words first, then by words and meaning together."""
        options = AnswerOptions(_TEXTS, limit=_MAX_RESULTS, depth=_MAX_COMPARED)
        ranked = await self._ranker.rank(Question(query, _AT_HAND), options)
        held = self._passages.held
        # A text that was changed meanwhile, for another search, has other passages now.
        found = [one.record_id for one in ranked.candidates if one.record_id in held] or islice(held, _MAX_RESULTS)
        passages = {passage_id: held[passage_id] for passage_id in found}
        if not passages:
            return []
        request = RerankingRequest(
            query=query,
            passages=tuple(
                PassageToRank(passage_id=passage_id, text=text) for passage_id, (_, text) in passages.items()
            ),
        )
        reread = await RERANKING.offline(request, self._toolbox)
        return [passages[item.passage_id] for item in reread.ranked if item.score > 0][:_MAX_RESULTS]


class _PassageWords(InMemoryPath):
    """The passages of texts by their words; in a thread, since some hundred thousand would hold up the event loop."""

    name = "keyword"

    def __init__(self) -> None:
        super().__init__(RowTable())
        self.held: dict[str, tuple[SearchableText, str]] = {}
        self._passages_of: dict[str, tuple[SearchableText, list[str]]] = {}
        self._made = count()
        self._index = KeywordIndex()
        self._reading = asyncio.Lock()

    async def read(self, texts: Sequence[SearchableText]) -> None:
        """Bring the index up to date with the texts."""
        async with self._reading:
            await asyncio.to_thread(self._read, texts)

    async def scores(self, question: Question) -> "NDArray[np.float32]":
        """Score every passage."""
        async with self._reading:
            terms = query_terms(question.text)
            return await asyncio.to_thread(self._index.scores, terms, size=len(self._rows.ids))

    def _read(self, texts: Sequence[SearchableText]) -> None:
        """Bring the index up to date: passages of texts that changed or went are dropped, those of new ones added.

        Texts that stay as they are keep their passages, because an agent searches the same ones many times in a run.
        """
        current = {text.text_id: text for text in texts}
        for text_id, (known, passage_ids) in list(self._passages_of.items()):
            if current.get(text_id) != known:
                del self._passages_of[text_id]
                for passage_id in passage_ids:
                    del self.held[passage_id]
                    self._index.drop(self._rows[passage_id])
                    self._rows.remove(passage_id)
        for text_id, text in current.items():
            if text_id in self._passages_of:
                continue
            parts = [part.text.strip() for part in chunks(text.text, _PASSAGE_TOKENS, counter=ESTIMATE)]
            passage_ids = []
            for part in filter(None, parts):
                passage_id = f"{next(self._made):012}"  # of equals, the first that was read comes first
                self.held[passage_id] = (text, part)
                self._index.put(self._rows.add(passage_id), index_terms(part))
                passage_ids.append(passage_id)
            self._passages_of[text_id] = (text, passage_ids)


def _render_passages(query: str, passages: list[tuple[SearchableText, str]]) -> str:
    """Return passages as a model reads them: numbered, each with the id by which its text can be cited.

    The words for an empty result are in both languages, because the language of the task is not known here.
    """
    lines = [f"# {query}"]
    for number, (text, passage) in enumerate(passages, 1):
        title = f" {text.title}" if text.title else ""
        lines.append(f"{number}. [{text.text_id}]{title}\n{passage}")
    if not passages:
        lines.append("no results / 没有结果")
    return "\n".join(lines)
