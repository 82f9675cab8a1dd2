"""The tool `search` over texts at hand, for agents that have no web search: no key, no network.

It answers to the same name and takes the same arguments as the search of the web, so that an agent need not know which
of the two it was given.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING

from pydantic import JsonValue

from remanent.agents.tools import MemoryBackedTool, ToolOutput
from remanent.agents.web import DECLARATION, read_queries
from remanent.embedding import Embedder
from remanent.language.role import Toolbox
from remanent.language.roles.reranking import PassageToRank, RerankingRequest, rerank
from remanent.model import Origin, Scope, system_clock
from remanent.recall import PATIENT, AnswerOptions, InMemoryPath, PathUse, Question, Ranker, Recipe, RowTable
from remanent.text.bm25 import KeywordIndex
from remanent.text.budget import chunks
from remanent.text.terms import index_terms, query_terms
from remanent.text.tokens import ESTIMATE
from remanent.values import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
        reread = await rerank(request, self._toolbox)
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
