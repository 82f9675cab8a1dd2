"""Finding passages: the one read path with a recipe of its own, and the techniques that can stand around it.

Every technique can be switched per query and says what it did. None is on by default: whether one pays on somebody's
documents, `python -m bench knowledge` measures.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Any, Literal

from remanent.discipline import Parts
from remanent.errors import InvalidInput
from remanent.knowledge.library import Library
from remanent.knowledge.model import KnowledgeFound, Passage, Technique
from remanent.knowledge.records import about_of, collection_scope, path_of, place_of
from remanent.knowledge.settings import KNOWLEDGE, MEANING
from remanent.language.engines import run_or_offline
from remanent.language.role import Answer, Toolbox
from remanent.language.roles.queries import HYDE, REWRITING, HydeRequest, RewritingRequest
from remanent.language.shapes import MAX_REMARK
from remanent.lightweight import dataclass
from remanent.model import (
    SHARED,
    Found,
    FoundItem,
    FoundSource,
    Kind,
    MetadataCondition,
    PassageData,
    PathRank,
    Record,
    Scope,
    Status,
    to_instant,
)
from remanent.model.clock import Moment, read_span
from remanent.model.filters import read_tags, read_where
from remanent.recall import Question, inject
from remanent.recall.answers import comparable_relevance
from remanent.recall.scoring import limited_per_source
from remanent.recall.shortlist import overlap, units
from remanent.stores import RecordFilter
from remanent.text.keywords import content_words
from remanent.text.scripts import language_of

_DOCUMENT_SHARE = 0.4
"""How much of an answer one document may fill while others have something to say. Chosen by hand."""
_STRETCH = 6_000
"""Characters from which on a document counts as several: about as many as an article has. Chosen by hand."""
_TWINS = 0.9
"""The share of their words from which on two passages say the same, and one of them is given."""
_DEPTH = 4
"""How many times as many passages are considered as are wanted: what twins and the share of a document leave out is
taken from there."""
_MIN_DEPTH = 20
"""At least so many, however few are wanted: of four passages, twins of the first may be all."""
_OTHER_WORDINGS = 2
"""Other wordings that are asked beside the question; each costs a search."""
_OTHER_WEIGHT = 0.4
"""How much another wording counts beside the question itself. Chosen by hand."""
_BEST_DOCUMENTS = 10
"""Documents whose summaries fit best, and speak for their chunks."""
_SUMMARY_WEIGHT = 0.3
"""How much a summary that fits best adds to a chunk's score, beside the best chunk's. Chosen by hand."""
FEEDBACK_PASSAGES, FEEDBACK_WORDS = 3, 4
"""From how many of the first passages words are taken that keep company with the question's, and how many."""
_NEAREST = 5
"""Passages by which it is told that they are written in another language than the question. Chosen by hand."""
_LOOKED_BACK = 40
"""Chunks before one in which the head of its table is looked for. Chosen by hand."""
_LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """Everything but the question that a search goes by; techniques that are `None` go by the settings."""

    limit: int = 5
    where: Mapping[str, Any] | None = None
    tags: Sequence[str] = ()
    any_tags: Sequence[str] = ()
    since: Moment | None = None
    until: Moment | None = None
    as_of: datetime | None = None
    prefix: str = ""
    """Only documents whose path begins so."""
    hybrid: bool | None = None
    rewrite: bool | None = None
    hyde: bool | None = None
    parents: bool | None = None
    summaries: bool | None = None
    gated: bool = False
    """Whether a question that nothing here answers gets no passages."""
    documents: tuple[str, ...] = ()
    """Only documents of these names."""

    def filter(self, kinds: tuple[Kind, ...], collections: Iterable[str] | None) -> RecordFilter:
        """Return which records count."""
        since, until = read_span(self.since, self.until)
        where = list(read_where(self.where))
        if self.prefix:
            where.append(MetadataCondition("path", "gte", (self.prefix,)))
            where.append(MetadataCondition("path", "lt", (self.prefix + _LAST,)))
        if self.documents:
            where.append(MetadataCondition("name", "in", self.documents))
        if collections is not None:
            where.append(MetadataCondition("collection", "in", tuple(collections)))
        return RecordFilter(
            kinds=kinds,
            where=tuple(where),
            tags=read_tags(tuple(self.tags)),
            any_tags=read_tags(tuple(self.any_tags)),
            occurred_from=since,
            occurred_before=until,
            as_of=self.as_of,
        )


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """Part of the memory that is searched: an agent's or a workspace's documents, of these collections or of all."""

    scope: Scope
    collections: tuple[str, ...] | None = None


@dataclass(slots=True)
class _Trail:
    """What a search did on its way."""

    queries: list[str]
    techniques: list[Technique] = field(default_factory=list)

    def note(self, name: Any, began: float, detail: str, *, by: Answer[Any] | None = None) -> None:
        """Note what a technique did and what it cost, so that an answer can say why it holds what it holds."""
        elapsed = 1000 * (time.perf_counter() - began)
        told = Technique(name=name, detail=detail, milliseconds=round(elapsed, 2))
        if by is not None:
            told = told.replace(engine=by.made_by.engine, tokens=by.usage.input_tokens + by.usage.output_tokens)
        self.techniques.append(told)


@dataclass(slots=True)
class _Scored:
    """A candidate with what all wordings of the question gave it."""

    item: FoundItem
    scope: Scope
    score: float = 0.0
    ranks: list[PathRank] = field(default_factory=list)

    @property
    def key(self) -> "_Key":
        """Whose it is, and its id: of documents of the same name an agent's and its workspace's have the same ids."""
        return self.scope, self.item.record_id


_Key = tuple[Scope, str]


class Searcher:
    """Searches knowledge bases."""

    def __init__(self, parts: Parts, library: Library) -> None:
        self._parts = parts
        self._library = library

    async def search(self, places: Sequence[SearchPlace], question: str, options: SearchOptions) -> KnowledgeFound:
        """Return the best passages of all places, with what was done to find them."""
        if not question.strip():
            raise InvalidInput("the question is empty; ask something")
        chosen = self._library.settings
        use = {
            name: getattr(chosen, name) if getattr(options, name) is None else bool(getattr(options, name))
            for name in ("hybrid", "rewrite", "hyde", "parents", "summaries")
        }
        options = replace(options, hybrid=use["hybrid"] or self._parts.embedders is None)
        trail = _Trail([question])
        first = await self._everywhere(places, question, options)
        if use["rewrite"]:
            await self._rewrite(question, first, trail)
        if use["hyde"]:
            await self._imagine(question, trail)
        others = [await self._everywhere(places, query, options) for query in trail.queries[1:]]
        merged = _merged([first, *others])
        if len(places) > 1:
            for one in merged.values():
                one.score *= comparable_relevance(question, one.item)
        ranked = sorted(merged.values(), key=lambda one: (-one.score, one.item.record_id))
        if use["summaries"]:
            ranked = await self._within_the_best(places, question, options, ranked, trail)
        best = _chosen(question, ranked, options.limit, trail)
        passages = await self._passages(best, options)
        if use["parents"]:
            passages = await self._with_parents(passages, best, options, trail)
        found = first[0][1]
        return KnowledgeFound(
            query=question,
            items=tuple(passages),
            left_out=tuple({one.path: one for _, part in first for one in part.left_out}.values()),
            recipe=found.recipe,
            gate=found.gate,
            injection=inject(question, passages, now=self._parts.clock()),
            techniques=tuple(trail.techniques),
            queries=tuple(trail.queries),
        )

    async def _everywhere(
        self,
        places: Sequence[SearchPlace],
        query: str,
        options: SearchOptions,
        *,
        kinds: tuple[Kind, ...] = (Kind.CHUNK,),
    ) -> list[tuple[Scope, Found]]:
        """Ask one wording of all places."""
        return await asyncio.gather(*(self._ask(place, query, options, kinds=kinds) for place in places))

    async def _ask(
        self, place: SearchPlace, query: str, options: SearchOptions, *, kinds: tuple[Kind, ...]
    ) -> tuple[Scope, Found]:
        """Ask one place; where question and documents are in different languages, by the model that knows both."""
        named = place.collections
        one = named is not None and len(named) == 1
        scope = collection_scope(place.scope, named[0]) if named is not None and one else place.scope.owner
        wanted = options.filter(kinds, None if one else named)
        self._parts.watch(place.scope.owner)
        asked = Question(query, scope, wanted, asked_at=to_instant(self._parts.clock()))
        found = await self._find(asked, options, gated=options.gated)
        if self._parts.embedders is not None:
            # What the gate held back may be held back because it is written in another language.
            near = found if found.items or not options.gated else await self._find(asked, options, gated=False)
            if is_foreign(query, near.items):
                return place.scope.owner, await self._find(asked.amended(foreign=True), options, gated=False)
        return place.scope.owner, found

    async def _find(self, asked: Question, options: SearchOptions, *, gated: bool) -> Found:
        """Ask the one read path for more than is wanted: twins and a document's share leave some out afterwards."""
        return await self._parts.recall.find(
            asked,
            limit=max(_MIN_DEPTH, _DEPTH * options.limit),
            recipe=KNOWLEDGE if options.hybrid else MEANING,
            order="relevance",
            gated=gated,
            cached=not asked.foreign,
        )

    # ── techniques ───────────────────────────────────────────────────────────

    async def _rewrite(self, question: str, first: list[tuple[Scope, Found]], trail: _Trail) -> None:
        """Word the question in other ways: by a model, or by what keeps company with its words in this store."""
        began = time.perf_counter()
        asked = RewritingRequest(query=question[:MAX_REMARK], count=_OTHER_WORDINGS)
        answer = await run_or_offline(self._parts.engine, REWRITING, asked, Toolbox(embedder=self._parts.embedder))
        others = [query for query in answer.value.queries if query.casefold() != question.casefold()]
        if answer.made_by.engine == "offline":
            # Without a model the best other wording is the question with the words of what it found first.
            company = _company(question, [item.text for _, found in first for item in found.items])
            others = [f"{question} {' '.join(company)}", *others[:1]] if company else others[:_OTHER_WORDINGS]
        trail.queries += others[:_OTHER_WORDINGS]
        trail.note("rewrite", began, " | ".join(others[:_OTHER_WORDINGS]), by=answer)

    async def _imagine(self, question: str, trail: _Trail) -> None:
        """Look for what an ideal answer would say."""
        began = time.perf_counter()
        asked = HydeRequest(question=question[:MAX_REMARK])
        answer = await run_or_offline(self._parts.engine, HYDE, asked, Toolbox(embedder=self._parts.embedder))
        trail.queries.append(answer.value.passage)
        trail.note("hyde", began, answer.value.passage, by=answer)

    async def _within_the_best(
        self,
        places: Sequence[SearchPlace],
        question: str,
        options: SearchOptions,
        ranked: list[_Scored],
        trail: _Trail,
    ) -> list[_Scored]:
        """Match summaries of documents and sections, then look for chunks inside the best of them.

        A summary speaks for the chunks of its document as far as it fits. Chunks of other documents stay: with them
        left out, of 80 public questions all right documents were found for .43 in place of .64.
        """
        began = time.perf_counter()
        about = await self._everywhere(places, question, options, kinds=(Kind.DOCUMENT, Kind.SECTION))
        fitting = sorted((item for _, found in about for item in found.items), key=lambda item: -item.score)
        best: dict[str | None, tuple[float, str]] = {}
        for item in fitting[: 2 * _BEST_DOCUMENTS]:
            fit = item.score / fitting[0].score if fitting[0].score > 0 else 0.0
            best.setdefault(item.session, (fit, str(item.metadata.get("name", ""))))
        chosen = dict(list(best.items())[:_BEST_DOCUMENTS])
        known = {one.key: one for one in ranked}
        top, least = (ranked[0].score, ranked[-1].score) if ranked else (0.0, 0.0)
        brought = 0
        if chosen:
            inside = replace(options, documents=tuple(name for _, name in chosen.values()))
            for key, one in _merged([await self._everywhere(places, question, inside)]).items():
                if key not in known:
                    # Behind so many others that it was not considered: the summary alone speaks for it.
                    known[key] = replace(one, score=least)
                    brought += 1
        trail.note("summaries", began, f"{len(chosen)} documents by their summaries, {brought} more of their chunks")
        for one in known.values():
            one.score += _SUMMARY_WEIGHT * top * chosen.get(one.item.session, (0.0, ""))[0]
        return sorted(known.values(), key=lambda one: (-one.score, one.item.record_id))

    async def _with_parents(
        self, passages: list[Passage], best: Sequence[_Scored], options: SearchOptions, trail: _Trail
    ) -> list[Passage]:
        """Give each passage what stands before and after it, as far as the budget goes."""
        began = time.perf_counter()
        budget = self._library.settings.parent_budget
        scope_of = {_owner(one.scope): one.scope for one in best}
        within = [(scope_of[one.agent], one) for one in passages]
        around = await self._around(
            within, lambda order, at: (order[at - 1] if at else "", *order[at + 1 : at + 2]), as_of=options.as_of
        )
        given = []
        for one in passages:
            left = max(0, budget - len(one.text)) // 2
            before, after = (*around[one.record_id], "", "")[:2]
            given.append(one.replace(before=before[-left:] if left else "", after=after[:left]))
        trail.note("parents", began, f"up to {budget} characters each")
        return given

    async def before(self, places: Sequence[SearchPlace], passages: Sequence[Passage]) -> dict[str, list[str]]:
        """Return what stands before passages in their documents, nearest first: the last few chunks, and the first."""
        scope_of = {_owner(place.scope): place.scope.owner for place in places}
        within = [(scope_of[one.agent], one) for one in passages]

        def pick(order: Sequence[str], at: int) -> Iterable[str]:
            return dict.fromkeys([*order[max(0, at - _LOOKED_BACK) : at][::-1], *order[: min(at, 1)]])

        around = await self._around(within, pick)
        return {record_id: [text for text in texts if text] for record_id, texts in around.items()}

    async def _around(
        self,
        passages: Sequence[tuple[Scope, Passage]],
        pick: Callable[[Sequence[str], int], Iterable[str]],
        *,
        as_of: datetime | None = None,
    ) -> dict[str, list[str]]:
        """Return by passages what other chunks of their documents say, picked from the order by the passage's place.

        Of a chunk that is not there, or was switched off, it is empty.
        """
        documents = await self._records(((scope, one.document_id) for scope, one in passages), as_of=as_of)
        picked: dict[str, list[str]] = {}
        for scope, one in passages:
            document = documents.get((scope, one.document_id))
            order = about_of(document).chunks if document is not None else ()
            picked[one.record_id] = [*pick(order, order.index(one.record_id))] if one.record_id in order else []
        near = ((scope, chunk) for scope, one in passages for chunk in picked[one.record_id] if chunk)
        found = await self._records(near, as_of=as_of)
        texts = {key: one.content for key, one in found.items() if one.status is not Status.QUARANTINED}
        return {
            one.record_id: [texts.get((scope, chunk), "") for chunk in picked[one.record_id]] for scope, one in passages
        }

    # ── putting the answer together ──────────────────────────────────────────

    async def _passages(self, best: Sequence[_Scored], options: SearchOptions) -> list[Passage]:
        """Return candidates as passages with their places."""
        records = await self._records(((one.scope, one.item.record_id) for one in best), as_of=options.as_of)
        # What was removed since the search is no answer.
        shown = [one for one in best if one.key in records]
        return _told_apart([_passage(one, records[one.key], rank=rank) for rank, one in enumerate(shown, start=1)])

    async def _records(self, wanted: Iterable[_Key], *, as_of: datetime | None) -> dict[_Key, Record]:
        """Return records, each from the part of the memory that it lies in."""
        by_scope: dict[Scope, list[str]] = {}
        for scope, record_id in wanted:
            by_scope.setdefault(scope, []).append(record_id)
        found: dict[_Key, Record] = {}
        for scope, record_ids in by_scope.items():
            held = await self._parts.store.records_by_id(scope, record_ids, as_of=as_of)
            found |= {(scope, record_id): record for record_id, record in held.items()}
        return found


def is_foreign(question: str, items: Sequence[FoundItem]) -> bool:
    """Tell whether the passages that are nearest in meaning are mostly written in another language than the question.

    Words then find what has a figure in common, and a model that knows one language finds what has letters of it.
    """
    language = language_of(question)
    if language not in {"zh", "en"}:
        return False
    near = {item.record_id: rank.score for item in items for rank in item.ranks if rank.path == "vector"}
    nearest = sorted((item for item in items if item.record_id in near), key=lambda one: -near[one.record_id])
    others = [language_of(item.text) not in {language, "other"} for item in nearest[:_NEAREST]]
    return 2 * sum(others) > len(others)


def _merged(answers: Sequence[list[tuple[Scope, Found]]]) -> dict[_Key, _Scored]:
    """Add up what each wording of the question gave every candidate; the question itself counts most."""
    merged: dict[_Key, _Scored] = {}
    for number, answer in enumerate(answers):
        weight = _OTHER_WEIGHT if number else 1.0
        for scope, found in answer:
            top = found.items[0].score if found.items else 0.0
            for item in found.items:
                one = merged.setdefault((scope, item.record_id), _Scored(item, scope))
                one.score += weight * (item.score / top if number and top > 0 else item.score)
                if number:
                    one.ranks.append(PathRank(path=f"query:{number + 1}", rank=item.rank, score=item.score))
    return merged


def _chosen(question: str, ranked: Sequence[_Scored], limit: int, trail: _Trail) -> list[_Scored]:
    """Return the best, each text once, and no document beyond its share while others have something to say."""
    began, dropped = time.perf_counter(), 0
    kept: list[tuple[_Scored, frozenset[str]]] = []
    for one in ranked:
        said = units(one.item.text)
        if any(overlap(said, other) >= _TWINS for _, other in kept):
            dropped += 1
            continue
        kept.append((one, said))
        if len(kept) >= max(_MIN_DEPTH, 2 * limit):
            break
    if dropped:
        trail.note("twins", began, f"{dropped} passages that say the same again")
    kept = _led_on(question, kept)
    by_id = {one.item.record_id: one for one, _ in kept}  # of two with one id only the first is kept: they say the same
    best = limited_per_source(by_id, lambda one: _stretch(by_id[one]), share=_DOCUMENT_SHARE, limit=limit)
    return [by_id[record_id] for record_id in best]


def _led_on(question: str, kept: list[tuple[_Scored, frozenset[str]]]) -> list[tuple[_Scored, frozenset[str]]]:
    """Return passages, given with their words, in an order in which those count more that the first leads on to.

    What a question is to be answered by in two steps mostly shares a name with the passage that it finds first: a word
    that was not asked for and that few others of the passages hold. Further passages of the first's own document need
    no name to be found by, and of few passages two share many words by chance. None comes before the first.

    At the most one counts twice: where no third passage holds the name. Of the 100 tasks of docs/guides/documents.md,
    one half of which chose that, all documents were among the first five for .58 in place of .54, four points more in
    either half; the first was a right one for .87 either way, any of the first five for .97 in place of .98.
    """
    if 2 * len(kept) < _MIN_DEPTH:
        return kept
    (first, said), asked = kept[0], units(question)
    holding = Counter(word for _, words in kept for word in words)
    for one, words in kept[1:]:
        named = [holding[word] for word in (words & said) - asked if len(word) > 1]
        if named and (one.scope, one.item.session) != (first.scope, first.item.session):
            one.score = min(first.score, one.score * (1 + 2 / min(named)))
    return sorted(kept, key=lambda pair: -pair[0].score)


def _stretch(one: _Scored) -> tuple[Scope, str | None, int]:
    """Return the part of a document that a passage is of: the chapters of a book are no more one source than books."""
    return one.scope, one.item.session, one.item.sources[0].start // _STRETCH if one.item.sources else 0


def _owner(scope: Scope) -> str | None:
    """Return the agent whose documents lie there; none where a workspace shares them."""
    return None if scope.agent == SHARED else scope.agent


def _told_apart(passages: list[Passage]) -> list[Passage]:
    """Return passages with what tells their documents from others of the same name among them."""
    told: dict[str, tuple[set[str | None], set[str]]] = {}
    for one in passages:
        agents, collections = told.setdefault(one.document, (set(), set()))
        agents.add(one.agent)
        collections.add(one.collection)
    by: dict[str, tuple[Literal["agent", "collection"], ...]] = {
        name: (*(("agent",) if len(agents) > 1 else ()), *(("collection",) if len(collections) > 1 else ()))
        for name, (agents, collections) in told.items()
    }
    return [one.replace(told_apart_by=by[one.document]) if by[one.document] else one for one in passages]


def _company(question: str, texts: Sequence[str]) -> list[str]:
    """Return words that stand in several of the best passages and not in the question."""
    asked = {word.casefold() for word in content_words(question)}
    counts: Counter[str] = Counter()
    for text in texts[:FEEDBACK_PASSAGES]:
        # In the order of the text, by which words that are as frequent come.
        counts.update({word.casefold(): 1 for word in content_words(text)})
    told = [word for word, count in counts.most_common() if count > 1 and len(word) > 1]
    return [word for word in told if word not in asked][:FEEDBACK_WORDS]


def _passage(one: _Scored, record: Record, *, rank: int) -> Passage:
    """Return a hit as a passage: what it rests on is its place in the document."""
    item = one.item
    data = record.data if isinstance(record.data, PassageData) else PassageData()
    about = item.metadata
    # The journal's entry holds bytes, not words: what the passage rests on is itself, at its place in the document.
    sources = tuple(
        FoundSource.model_validate(
            {**dict(source), "start": data.start, "end": max(data.start, data.end), "text": item.text}
        )
        for source in item.sources
    )
    fields = {name: getattr(item, name) for name in FoundItem.model_fields}
    fields |= {"sources": sources, "rank": rank, "score": one.score, "ranks": (*item.ranks, *one.ranks)}
    return Passage(
        **fields,
        document=str(about.get("name", "")),
        document_id=data.document_id,
        collection=str(about.get("collection", "")),
        agent=_owner(one.scope),
        title=data.title,
        path=path_of(data),
        place=place_of(data),
        start=data.start,
        end=data.end,
        source=str(about.get("source", "")),
    )
