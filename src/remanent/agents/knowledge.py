"""The tool `search` over texts at hand, for agents that have no web search: no key, no network.

It answers to the same name and takes the same arguments as the search of the web, so that an agent need not know which
of the two it was given.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from remanent.agents.tools import MemoryBackedTool, ToolOutput
from remanent.agents.web import DECLARATION, read_queries
from remanent.embedding import Embedder
from remanent.language.role import Toolbox
from remanent.language.roles.reranking import PassageToRank, RerankingRequest, rerank
from remanent.model import Origin
from remanent.text.bm25 import KeywordIndex
from remanent.text.budget import chunks
from remanent.text.terms import index_terms, query_terms
from remanent.text.tokens import ESTIMATE

_PASSAGE_TOKENS = 250
"""Tokens of a passage: a long paragraph, so that what is found can be read by itself. Chosen by hand."""
_MAX_COMPARED = 30
"""Only so many of the best by words are compared by meaning: embedding all passages would take seconds. Chosen by hand;
five are shown in the end."""

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


class KnowledgeSearch(MemoryBackedTool):
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
        results: int = 5,
        name: str = DECLARATION.name,
    ) -> None:
        self.declaration = DECLARATION.replace(name=name)
        self._texts = texts
        self._news: OrderedDict[str, str] = OrderedDict()
        self._toolbox = Toolbox(embedder=embedder)
        self._results = results
        self._index = KeywordIndex()
        self._passages: dict[int, tuple[SearchableText, str]] = {}
        """By row of the index; a row is never used again, since texts seldom change."""
        self._rows_of: dict[str, tuple[SearchableText, list[int]]] = {}
        self._size = 0
        self._reading = asyncio.Lock()

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Return the best passages for each query, each with the id of the text that it comes from."""
        queries = read_queries(arguments)
        async with self._reading:
            # In a thread, since counting the words of some hundred thousand passages would hold up the event loop.
            await asyncio.to_thread(self._read, list(self._texts()))
        parts: list[str] = []
        found: list[str] = []
        new: list[str] = []
        for query in queries:
            best = await self._best(query)
            found += [text.text_id for text, _ in best]
            parts.append(_render_passages(query, best))
            new += [_titled(text, passage) for text, passage in best if not text.is_known]
        text_ids: list[JsonValue] = list(dict.fromkeys(found))
        output = "\n\n".join(parts)
        self._news[output] = "\n\n".join(dict.fromkeys(new))
        while len(self._news) > _MAX_REMEMBERED:
            self._news.popitem(last=False)
        return ToolOutput(output, metadata={"queries": list(queries), "found": text_ids})

    def news(self, content: str) -> str:
        """Return the passages of a result that come from texts which memory does not hold."""
        return self._news.get(content, "")

    def _read(self, texts: Sequence[SearchableText]) -> None:
        """Bring the index up to date with the texts."""
        current = {text.text_id: text for text in texts}
        for text_id, (known, rows) in list(self._rows_of.items()):
            if current.get(text_id) != known:
                del self._rows_of[text_id]
                for row in rows:
                    del self._passages[row]
                    self._index.drop(row)
        for text_id, text in current.items():
            if text_id not in self._rows_of:
                parts = [part.text.strip() for part in chunks(text.text, _PASSAGE_TOKENS, counter=ESTIMATE)]
                rows = []
                for part in filter(None, parts):
                    self._passages[self._size] = (text, part)
                    self._index.put(self._size, index_terms(part))
                    rows.append(self._size)
                    self._size += 1
                self._rows_of[text_id] = (text, rows)

    async def _best(self, query: str) -> list[tuple[SearchableText, str]]:
        """Return the best passages, best first: by words first, then by words and meaning together."""
        words = self._index.scores(query_terms(query), size=self._size)
        likely = sorted(self._passages, key=lambda row: (-words[row], row))[:_MAX_COMPARED]
        likely = [row for row in likely if words[row] > 0] or likely[: self._results]
        if not likely:
            return []
        passages = {str(row): self._passages[row] for row in likely}
        request = RerankingRequest(
            query=query,
            passages=tuple(PassageToRank(passage_id=row, text=passage) for row, (_, passage) in passages.items()),
        )
        ranked = await rerank(request, self._toolbox)
        return [passages[item.passage_id] for item in ranked.ranked if item.score > 0][: self._results]


def _titled(text: SearchableText, passage: str) -> str:
    return f"{text.title}\n{passage}" if text.title else passage


def _render_passages(query: str, passages: list[tuple[SearchableText, str]]) -> str:
    lines = [f"# {query}"]
    for number, (text, passage) in enumerate(passages, 1):
        title = f" {text.title}" if text.title else ""
        lines.append(f"{number}. [{text.text_id}]{title}\n{passage}")
    if not passages:
        lines.append("no results / 没有结果")
    return "\n".join(lines)
