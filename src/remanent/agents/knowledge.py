"""The tool `search` over texts at hand, for agents that have no web search: no key, no network.

It answers to the same name and takes the same arguments as the search of the web, so that an agent need not know which
of the two it was given.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from remanent.agents.tools import MemoryBackedTool, ToolOutput
from remanent.agents.web import DECLARATION, read_queries
from remanent.embedding import Embedder
from remanent.language.offline.similarity import word_scores
from remanent.language.role import Toolbox
from remanent.language.roles.reranking import PassageToRank, RerankingRequest, rerank
from remanent.model import Origin
from remanent.text.budget import chunks
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
    into passages again.
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
        self._cut: dict[str, tuple[str, list[str]]] = {}

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Return the best passages for each query, each with the id of the text that it comes from."""
        queries = read_queries(arguments)
        passages = self._passages()
        parts: list[str] = []
        found: list[str] = []
        new: list[str] = []
        for query in queries:
            best = await self._best(query, passages)
            found += [passages[place][0].text_id for place in best]
            parts.append(_render_passages(query, [passages[place] for place in best]))
            new += [_titled(*passages[place]) for place in best if not passages[place][0].is_known]
        text_ids: list[JsonValue] = list(dict.fromkeys(found))
        output = "\n\n".join(parts)
        self._news[output] = "\n\n".join(dict.fromkeys(new))
        while len(self._news) > _MAX_REMEMBERED:
            self._news.popitem(last=False)
        return ToolOutput(output, metadata={"queries": list(queries), "found": text_ids})

    def news(self, content: str) -> str:
        """Return the passages of a result that come from texts which memory does not hold."""
        return self._news.get(content, "")

    def _passages(self) -> list[tuple[SearchableText, str]]:
        passages: list[tuple[SearchableText, str]] = []
        for text in self._texts():
            known = self._cut.get(text.text_id)
            if known is None or known[0] != text.text:
                parts = [part.text.strip() for part in chunks(text.text, _PASSAGE_TOKENS, counter=ESTIMATE)]
                known = self._cut[text.text_id] = (text.text, [part for part in parts if part])
            passages += [(text, part) for part in known[1]]
        return passages

    async def _best(self, query: str, passages: list[tuple[SearchableText, str]]) -> list[int]:
        """Return the indexes of the best passages, best first: by words first, then by words and meaning together."""
        if not passages:
            return []
        # In a thread, since counting the words of some hundred thousand passages would hold up the event loop.
        words = await asyncio.to_thread(word_scores, query, [passage for _, passage in passages])
        likely = sorted(range(len(passages)), key=lambda place: (-words[place], place))[:_MAX_COMPARED]
        likely = [place for place in likely if words[place] > 0] or likely[: self._results]
        request = RerankingRequest(
            query=query,
            passages=tuple(PassageToRank(passage_id=str(place), text=passages[place][1]) for place in likely),
        )
        ranked = await rerank(request, self._toolbox)
        return [int(item.passage_id) for item in ranked.ranked if item.score > 0][: self._results]


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
