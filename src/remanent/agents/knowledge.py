"""Searching what is at hand instead of the web: no key, no network."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import JsonValue

from remanent.agents.search import DECLARATION, read_queries
from remanent.agents.tools import OwnKnowledge, ToolOutput
from remanent.embedding import Embedder
from remanent.language.offline.similarity import word_scores
from remanent.language.role import Toolbox
from remanent.language.roles.reranking import Passage, RerankingRequest, rerank
from remanent.model import Origin
from remanent.text.chunks import chunks
from remanent.text.tokens import ESTIMATE

_PASSAGE_TOKENS = 250
_COMPARED = 30
"""Only the best by words are compared by meaning, which costs more."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that may be searched, and the name by which an agent refers to it."""

    text_id: str
    text: str
    title: str = ""


class KnowledgeSearch(OwnKnowledge):
    """The tool `search` over texts at hand; they are asked for with every call, so that new ones are found too."""

    origin = Origin.TOOL
    declaration = DECLARATION

    def __init__(
        self, texts: Callable[[], Iterable[Text]], *, embedder: Embedder | None = None, results: int = 5
    ) -> None:
        self._texts = texts
        self._toolbox = Toolbox(embedder=embedder)
        self._results = results
        self._cut: dict[str, tuple[str, list[str]]] = {}

    async def call(self, arguments: dict[str, JsonValue]) -> ToolOutput:
        """Return the passages that say most about each query, each with the id of the text it stands in."""
        queries = read_queries(arguments)
        passages = self._passages()
        parts: list[str] = []
        found: list[str] = []
        for query in queries:
            best = await self._best(query, passages)
            found += [passages[place][0].text_id for place in best]
            parts.append(_told(query, [passages[place] for place in best]))
        told: list[JsonValue] = list(dict.fromkeys(found))
        return ToolOutput("\n\n".join(parts), metadata={"queries": list(queries), "found": told})

    def _passages(self) -> list[tuple[Text, str]]:
        passages: list[tuple[Text, str]] = []
        for text in self._texts():
            known = self._cut.get(text.text_id)
            if known is None or known[0] != text.text:
                parts = [part.text.strip() for part in chunks(text.text, _PASSAGE_TOKENS, counter=ESTIMATE)]
                known = self._cut[text.text_id] = (text.text, [part for part in parts if part])
            passages += [(text, part) for part in known[1]]
        return passages

    async def _best(self, query: str, passages: list[tuple[Text, str]]) -> list[int]:
        """Return the places of the best passages, best first."""
        if not passages:
            return []
        words = await asyncio.to_thread(word_scores, query, [passage for _, passage in passages])
        likely = sorted(range(len(passages)), key=lambda place: (-words[place], place))[:_COMPARED]
        likely = [place for place in likely if words[place] > 0] or likely[: self._results]
        request = RerankingRequest(
            query=query, passages=tuple(Passage(passage_id=str(place), text=passages[place][1]) for place in likely)
        )
        ranked = await rerank(request, self._toolbox)
        return [int(item.passage_id) for item in ranked.ranked if item.score > 0][: self._results]


def _told(query: str, passages: list[tuple[Text, str]]) -> str:
    lines = [f"# {query}"]
    for number, (text, passage) in enumerate(passages, 1):
        title = f" {text.title}" if text.title else ""
        lines.append(f"{number}. [{text.text_id}]{title}\n{passage}")
    if not passages:
        lines.append("no results / 没有结果")
    return "\n".join(lines)
