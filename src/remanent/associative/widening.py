"""The default recall: it enters the graph by words and by meaning anywhere, and tells how far away a thing was.

The design's search knows only what lies within two hops of what is in focus: after 200 messages of real talk a
fifteenth of the graph. Here words and meaning say where to look, links say what belongs to it, and the way from the
focuses is measured afterwards. An explicit depth is the design's exact search (`search.py`)."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import thread_time
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from remanent.associative.graph import Graph, Graphs, Vertex
from remanent.associative.model import TRACE, Forgotten, Knowledge
from remanent.associative.search import (
    MAX_ONCE_KNOWN,
    GraphQuery,
    Matcher,
    SearchEngine,
    SearchHit,
    SearchResult,
    StrongestPaths,
    dangling_links,
)
from remanent.bilingual import Language
from remanent.embedding import Embedders
from remanent.model import GateReason, GateVerdict, Kind, Record, Scope
from remanent.recall import Gate, Question
from remanent.recall.gate import TYPICAL_NEARNESS, GateInputs, is_common, read_measures
from remanent.stores import Hit, RecordFilter, Store, Vectors
from remanent.text.dates_english import MONTH
from remanent.text.mentions import mentions
from remanent.text.scripts import working_language
from remanent.text.terms import query_terms

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remanent.associative.settings import AssociativeSettings

_Meaning = Awaitable["NDArray[np.float32] | None"]
"""The vector of what is asked, `None` without a model."""

POOL = 200
"""Nodes that are taken from each of words and meaning before they are ranked together. On LoCoMo, 100 lose one answer
in a hundred, 50 lose three."""
SPREAD = 0.3
"""How much of its score a node lends to the one that was said next and is linked with it: an answer follows what it
answers. On LoCoMo (four chats of 200 messages) .2 to .4 all bring 5 to 8 more answers in a hundred than none."""
SPREADING = 100
"""Of how many of the best nodes; chosen by hand, more than a reader gets to."""
NEAR_FOCUS = 0.05
"""What a path of full strength from a focus adds to a score, of which words and meaning give about 1 each: of two
nodes that answer alike the one that a focus reaches comes first, and no better answer falls behind for it."""
LINK_BUDGET = 20_000
"""Links that are looked at to tell how far away something is, once until the graph changes: some 18 ms, and nine times
what lies within two hops of five focuses with twenty links to a node. With half of it one of 76 questions of LoCoMo was
lost, which may be chance. What lies beyond is found all the same."""
SECONDS = 0.05
"""Of the processor that one question may spend on the same, should links cost more than they did there; the next one
goes on where it stopped. Not by the clock: how far away a thing is must not depend on what else a machine does."""
TOP = 3
"""Of how many of the best it is told that they were linked with something forgotten; chosen by hand, since in an old
memory nearly every node is."""
READ_BY_GATE = 8
"""Of each of words and meaning, how many of the best the gate reads; the same as in the main recall."""
UNMEASURED_SIMILARITY = 0.5
"""The cosine that counts as near for a model that nobody has measured yet; chosen by hand."""
LENIENCE: dict[Language, float] = {"en": 2.0, "zh": 1.0}
"""How far below the gate's threshold keywords may stay: it was fitted to whole questions, of which a list of words
leaves out a part. Chosen, like the next, on questions to LoCoMo and MemDaily and strangers' to the same memories."""
UNHEARD: dict[Language, float] = {"en": 0.0, "zh": -2.0}
"""The same where the question names what nobody here ever spoke of, as nearly every stranger's does in English and
every second in Chinese; of the questions that belong here one in ten does."""
NAMED_SHARE = 0.5
"""The share of the keywords that a tombstone's own few words must hold, where the journal has nothing to go by."""
VECTOR = "vector"
"""The gate's name for the model that knows every language."""


@dataclass(frozen=True, slots=True)
class Matches:
    """What words and meaning found among the records of one kind, each best first."""

    words: list[Hit]
    near: list[Hit]

    def only(self, record_ids: Collection[str]) -> "Matches":
        """Return those of the given records."""
        return Matches(
            [hit for hit in self.words if hit.record_id in record_ids],
            [hit for hit in self.near if hit.record_id in record_ids],
        )

    @property
    def best(self) -> tuple[str, ...]:
        """The ids of those that the gate reads."""
        ids = [hit.record_id for hits in (self.words, self.near) for hit in hits[:READ_BY_GATE]]
        return tuple(dict.fromkeys(ids))


class WideningSearch:
    """Searches by words, meaning and links at once."""

    def __init__(
        self,
        store: Store,
        graphs: Graphs,
        *,
        vectors: Vectors | None,
        embedders: Embedders | None,
        settings: "AssociativeSettings",
        timer: Callable[[], float] = thread_time,
    ) -> None:
        self._timer = timer
        self._store = store
        self._graphs = graphs
        self._vectors = vectors
        self._embedder = None if embedders is None or vectors is None else embedders.members[0]
        self._settings = settings
        self._paths: WeakKeyDictionary[Graph, tuple[int, StrongestPaths]] = WeakKeyDictionary()
        """By graph, with the revision at which they were found; they go with it."""
        ids = () if embedders is None else embedders.model_ids
        self._gate = Gate(store, models={VECTOR if n == 0 else f"{VECTOR}:{name}": name for n, name in enumerate(ids)})

    @property
    def knows_meaning(self) -> bool:
        """Whether nodes can be found by meaning at all."""
        return self._embedder is not None

    async def search(self, scope: Scope, wanted: GraphQuery) -> SearchResult:
        """Return what answers, best first, wherever it is; or what is left of it; or nothing, if it was never told."""
        graph = await self._graphs.at(scope)
        if not graph.focused() or not any(keyword.strip() for keyword in wanted.keywords):
            return SearchEngine(graph).search(replace(wanted, depth=self._settings.default_search_depth))
        if wanted.relations is not None:
            return self._along(graph, wanted)
        question = Question(" ".join(wanted.keywords), scope.owner)
        meaning = asyncio.ensure_future(self._embedded(question))  # once for all that is looked for by it
        of_nodes, of_turns, inputs = await asyncio.gather(
            self._matches(question, wanted, TRACE, meaning, limit=POOL),
            self._matches(question, wanted, Kind.TURN, meaning, limit=READ_BY_GATE if graph.memorials else 0),
            self._gate.look(question),
        )
        matcher = Matcher(wanted)
        of_nodes = self._with_exact_words(graph, matcher, of_nodes, inputs)
        known = self._judge(question, of_nodes, await self._store.records_by_id(question.scope, of_nodes.best), inputs)
        lenience = (UNHEARD if _names_unheard(question.text, inputs) else LENIENCE)[working_language(question.text)]
        lost, verdict = await self._lost(graph, matcher, question, of_turns, inputs, lenience=lenience)
        items: tuple[SearchHit, ...] = ()
        if _passes(known, lenience) or self._holds_every_word(graph, matcher, of_nodes):
            ranked = self._ranked(graph, of_nodes, self._near_enough(inputs, question))
            items = self._with_paths(graph, matcher, ranked, wanted, of_nodes)
        is_lost = bool(lost) and (not items or known.score < verdict.score)
        state = Knowledge.FORGOTTEN if is_lost else self._state(items)
        dangling = dangling_links(graph, [item.vertex.id for item in items[:TOP]])
        return SearchResult(items=items, dangling=dangling, once_known=lost, knowledge=state, gate=known)

    async def similar(self, scope: Scope, text: str) -> dict[str, float]:
        """Return the nodes that are near a text in meaning, with their cosine."""
        question = Question(text, scope.owner)
        if not text.strip():
            return {}
        meaning = self._embedded(question)
        hits, inputs = await asyncio.gather(
            self._near(question, RecordFilter(kinds=(TRACE,)), meaning, limit=POOL), self._gate.look(question)
        )
        least = self._near_enough(inputs, question)
        return {hit.record_id: hit.score for hit in hits if hit.score >= least}

    # ── finding ──────────────────────────────────────────────────────────────

    async def _matches(
        self, question: Question, wanted: GraphQuery, kind: Kind, meaning: _Meaning, *, limit: int
    ) -> Matches:
        if not limit:
            return Matches([], [])
        counted = RecordFilter(kinds=(kind,), occurred_from=wanted.since, occurred_before=wanted.until)
        words, near = await asyncio.gather(
            self._store.search_text(question.scope, question.terms, record_filter=counted, limit=limit),
            self._near(question, counted, meaning, limit=limit),
        )
        return Matches(words, near)

    async def _embedded(self, question: Question) -> "NDArray[np.float32] | None":
        return None if self._embedder is None else (await self._embedder.embed([question.text]))[0]

    async def _near(
        self, question: Question, record_filter: RecordFilter, meaning: _Meaning, *, limit: int
    ) -> list[Hit]:
        vector = await meaning
        if self._vectors is None or self._embedder is None or vector is None:
            return []
        return await self._vectors.search(
            question.scope, vector, model=self._embedder.model_id, record_filter=record_filter, limit=limit
        )

    def _with_exact_words(self, graph: Graph, matcher: Matcher, found: Matches, inputs: GateInputs) -> Matches:
        """Add nodes that hold a keyword inside of a word, as the design matches it: “auth” in “authentication”.

        Only for keywords that the index finds nowhere, since this goes through every node.
        """
        if all(inputs.counts.holding.get(term, 0) for term in inputs.wanted.terms) and inputs.wanted.terms:
            return found
        listed = {hit.record_id for hit in found.words}
        more = [Hit(vertex.id, 0.0) for vertex in matcher.among(graph.nodes()) if vertex.id not in listed]
        return Matches([*found.words, *more[:POOL]], found.near)

    def _holds_every_word(self, graph: Graph, matcher: Matcher, found: Matches) -> bool:
        """Tell whether a node holds all keywords: then it is no stranger's question, however odd it looks."""
        vertices = (graph.find(hit.record_id) for hit in found.words)
        return any(vertex is not None and matcher.share(vertex.searched) == 1 for vertex in vertices)

    # ── judging ──────────────────────────────────────────────────────────────

    def _judge(
        self, question: Question, found: Matches, records: Mapping[str, Record], inputs: GateInputs
    ) -> GateVerdict:
        paths = {"keyword": found.words, VECTOR: found.near}
        return self._gate.judge(question, paths, records, inputs)

    def _near_enough(self, inputs: GateInputs, question: Question) -> float:
        """Return the cosine from which a node counts: as near as a stranger's best hit seldom comes, by this model."""
        if self._settings.similarity is not None or self._embedder is None:
            return self._settings.similarity or 0.0
        measures = read_measures(inputs.kept, working_language(question.text), models=self._gate.models)
        if measures is not None and VECTOR in measures.near:
            return measures.near[VECTOR].middle
        usual = TYPICAL_NEARNESS.get(self._embedder.model_id)
        return UNMEASURED_SIMILARITY if usual is None else usual.of(inputs.counts.records).middle

    async def _lost(
        self,
        graph: Graph,
        matcher: Matcher,
        question: Question,
        turns: Matches,
        inputs: GateInputs,
        *,
        lenience: float,
    ) -> tuple[tuple[Forgotten, ...], GateVerdict]:
        """Return what is left of the deleted nodes that the question is about, with how much speaks for them.

        A tombstone keeps a phrase and a few words; what was said still stands in the journal, and tells whether it was
        this that is asked for.
        """
        buried = {entry_id: stones for entry_id in turns.best if (stones := graph.buried_from(entry_id))}
        found = turns.only(buried)
        records = await self._store.records_by_id(question.scope, tuple(buried))
        spans = {entry_id: _of_forgotten(records[entry_id], buried[entry_id]) for entry_id in records}
        verdict = self._judge(question, found, spans, inputs)
        lost = (
            [stone for entry_id in found.best for stone in buried[entry_id]]
            if spans and _passes(verdict, lenience)
            else []
        )
        named = [one.forgotten for one in graph.memorials.values() if matcher.share(one.searched) >= NAMED_SHARE]
        return tuple({stone.node_id: stone for stone in (*lost, *named)}.values())[:MAX_ONCE_KNOWN], verdict

    # ── ranking ──────────────────────────────────────────────────────────────

    def _ranked(self, graph: Graph, found: Matches, least: float) -> list[tuple[Vertex, float]]:
        """Return the nodes that answer with their scores, best first.

        The best by words counts 1, and what meaning adds is how much nearer a node is than the last of the pool.
        """
        top = found.words[0].score if found.words else 0.0
        scores = {hit.record_id: (hit.score / top if top > 0 else 1.0) for hit in found.words}
        floor = found.near[-1].score if len(found.near) == POOL else 0.0
        for hit in found.near:
            if hit.record_id in scores or hit.score >= least:
                scores[hit.record_id] = scores.get(hit.record_id, 0.0) + max(0.0, hit.score - floor)
        own = {vertex: score for node_id, score in scores.items() if (vertex := graph.find(node_id)) is not None}
        total = dict(own)
        for vertex in sorted(own, key=lambda vertex: -own[vertex])[:SPREADING]:
            if (following := graph.following(vertex)) is not None:
                total[following] = total.get(following, 0.0) + SPREAD * own[vertex]
        return sorted(total.items(), key=lambda pair: (-pair[1], -pair[0].order))

    def _with_paths(
        self,
        graph: Graph,
        matcher: Matcher,
        ranked: Sequence[tuple[Vertex, float]],
        wanted: GraphQuery,
        found: Matches,
    ) -> tuple[SearchHit, ...]:
        """Return so many as are wanted, each with its way from a focus where that is not too far."""
        in_time = matcher.in_time
        shown = [(vertex, score) for vertex, score in ranked if in_time(vertex)][: wanted.limit or None]
        paths = self._paths_of(graph).to({vertex for vertex, _ in shown})
        near = {hit.record_id: hit.score for hit in found.near}
        hits = [
            SearchHit(vertex, paths.get(vertex), matcher.matched(vertex.searched), near.get(vertex.id), score)
            for vertex, score in shown
        ]
        return tuple(sorted(hits, key=lambda hit: -(hit.score + NEAR_FOCUS * hit.strength)))

    def _paths_of(self, graph: Graph) -> StrongestPaths:
        """Return the paths of a graph as it stands, those that earlier questions had found included."""
        revision, paths = self._paths.get(graph, (-1, None))
        if paths is None or revision != graph.revision:
            paths = self._strongest(graph)
            self._paths[graph] = (graph.revision, paths)
        return paths

    def _strongest(self, graph: Graph, relations: Collection[str] | None = None) -> StrongestPaths:
        return StrongestPaths(graph, budget=LINK_BUDGET, seconds=SECONDS, timer=self._timer, relations=relations)

    def _along(self, graph: Graph, wanted: GraphQuery) -> SearchResult:
        """Search along links of certain relations: as far as the design goes, and further while nothing answers."""
        engine = SearchEngine(graph)
        found = engine.search(replace(wanted, depth=self._settings.default_search_depth))
        if found.items:
            return found
        matcher = Matcher(wanted)
        targets = matcher.among(graph.nodes())
        paths = self._strongest(graph, wanted.relations).to(targets)
        items = [SearchHit(vertex, label, matcher.matched(vertex.searched)) for vertex, label in paths.items()]
        items = items[: wanted.limit or None]
        return replace(found, items=tuple(items), knowledge=self._state(items)) if items else found

    def _state(self, items: Iterable[SearchHit]) -> Knowledge:
        """Say whether the best lies where the design's search would have looked, or further away."""
        best = next(iter(items), None)
        if best is None:
            return Knowledge.NEVER_TOLD
        within = best.distance is not None and best.distance <= self._settings.default_search_depth
        return Knowledge.KNOWN if within else Knowledge.FURTHER_AWAY


_MONTH = re.compile(MONTH, re.IGNORECASE)


def _names_unheard(text: str, inputs: GateInputs) -> bool:
    """Tell whether a question names somebody or something that is in nothing that was ever said.

    A list of English keywords has no capitals: there it is any word that is not a common one.
    """
    names = [term for mention in mentions(text) for term in query_terms(mention.text)]
    names += [term for term in inputs.wanted.terms if term.isascii() and term.isalpha() and not is_common(term)]
    unheard = {term for term in inputs.wanted.terms if len(term) > 1 and not inputs.counts.holding.get(term)}
    return any(term in unheard and not _MONTH.fullmatch(term) for term in names)


def _passes(verdict: GateVerdict, lenience: float) -> bool:
    if verdict.reason not in {GateReason.NEAR, GateReason.STRANGE}:
        return verdict.passed
    # Of a small store the threshold is low already: half of it is as far as leniency goes.
    return verdict.score >= max(verdict.threshold - lenience, verdict.threshold / 2, 0.1)


def _of_forgotten(turn: Record, stones: Sequence[Forgotten]) -> Record:
    """Return what was said with only those words that deleted nodes were made of."""
    sources = [source for stone in stones for source in stone.sources if source.entry_id == turn.id]
    spans = sorted({(source.start, source.end) for source in sources})
    return turn.replace(content="\n".join(turn.content[start:end] for start, end in spans))
