"""The default recall: it enters the graph by words and by meaning anywhere, and tells how far away a thing was.

The design's search knows only what lies within two hops of what is in focus: after 200 messages of real talk a
fifteenth of the graph. Here words and meaning say where to look, links say what belongs to it, and the way from the
focuses is measured afterwards. An explicit depth is the design's exact search (`search.py`)."""

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from time import thread_time
from typing import TYPE_CHECKING, NamedTuple
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
from remanent.model import GateReason, GateVerdict, Kind, Record, Scope, system_clock
from remanent.recall import (
    AnswerOptions,
    Candidate,
    Gate,
    KeywordPath,
    PathUse,
    Question,
    Ranker,
    RecallPath,
    Recipe,
    VectorPath,
)
from remanent.recall.gate import TYPICAL_NEARNESS, GateInputs, is_common, read_measures
from remanent.recall.paths import placeless
from remanent.recall.ranker import PATIENT, STATES
from remanent.recall.scoring import Gathered
from remanent.stores import RecordFilter, Store, Vectors
from remanent.text.dates_english import MONTH
from remanent.text.keywords import content_words
from remanent.text.mentions import mentions
from remanent.text.scripts import caseless, working_language
from remanent.text.talk import is_small_talk
from remanent.text.terms import index_terms, query_terms

if TYPE_CHECKING:
    from remanent.associative.settings import AssociativeSettings

_POOL = 200
"""Nodes that are taken from each of words and meaning before they are ranked together. On LoCoMo, 100 lose one answer
in a hundred, 50 lose three."""
_SPREAD = 0.3
"""How much of its score a node lends to the one that was said next and is linked with it: an answer follows what it
answers. On LoCoMo (four chats of 200 messages) .2 to .4 all bring 5 to 8 more answers in a hundred than none."""
_SPREADING = 100
"""Of how many of the best nodes; chosen by hand, more than a reader gets to."""
_NEAR_FOCUS = 0.05
"""What a path of full strength from a focus adds to a score, of which words and meaning give about 1 each: of two
nodes that answer alike the one that a focus reaches comes first, and no better answer falls behind for it."""
_LINK_BUDGET = 20_000
"""Links that are looked at to tell how far away something is, once until the graph changes: some 18 ms, and nine times
what lies within two hops of five focuses with twenty links to a node. With half of it one of 76 questions of LoCoMo was
lost, which may be chance. What lies beyond is found all the same."""
_SECONDS = 0.05
"""Of the processor that one question may spend on the same, should links cost more than they did there; the next one
goes on where it stopped. Not by the clock: how far away a thing is must not depend on what else a machine does."""
_TOP = 3
"""Of how many of the best it is told that they were linked with something forgotten; chosen by hand, since in an old
memory nearly every node is."""
_READ_BY_GATE = 8
"""Of each of words and meaning, how many of the best the gate reads; the same as in the main recall."""
_UNMEASURED_SIMILARITY = 0.5
"""The cosine that counts as near for a model that nobody has measured yet; chosen by hand."""
_LENIENCE: dict[Language, float] = {"en": 2.0, "zh": 1.0}
"""How far below the gate's threshold keywords may stay: it was fitted to whole questions, of which a list of words
leaves out a part. Chosen, like the next, on questions to LoCoMo and MemDaily and strangers' to the same memories."""
_UNHEARD: dict[Language, float] = {"en": 0.0, "zh": -2.0}
"""The same where the question names what nobody here ever spoke of, as nearly every stranger's does in English and
every second in Chinese; of the questions that belong here one in ten does."""
_BARELY: dict[Language, float] = {"en": 0.0, "zh": 0.2}
"""The share of a question that must be found to be lenient at all. Chinese is asked as it is, so that nothing was left
out of it: of 240 strangers' questions (CMRC) to eight memories of MemDaily this holds back six more, and of 141 that
belong there none; .2 to .3 do the same, .1 half of it."""
_SAME_TALK = timedelta(days=1)
"""What was told at most so long before the newest focus is not far away, however many hops: each message links with the
five before it, so that in a talk of a hundred messages two hops reach the last fifteen. Chosen by hand."""
_NAMED_SHARE = 0.5
"""The share of the keywords that a tombstone's own few words must hold, where the journal has nothing to go by."""
_FEW_WORDS = 2
"""So many words name a thing (“dance shoes”), and a part of them another; more make a question."""
_LONGEST_ABOUT = 20
"""Characters of what is told of a deleted node, as of its phrase."""
KEYWORD, VECTOR = "keyword", "vector"
"""The paths: words, and the model that knows every language, as the gate names it, too."""
_ASSOCIATIVE = Recipe(
    name="associative",
    paths={KEYWORD: PathUse(limit=_POOL, scale="best"), VECTOR: PathUse(limit=_POOL, scale="rise")},
    strict=True,
    other=None,
    fusion="sum",
    flood_share=1.0,
)
"""The best by words counts 1, and what meaning adds is how much nearer a node is than the last of the pool."""
_TURNS_READ = _ASSOCIATIVE.replace(paths={name: PathUse(limit=_READ_BY_GATE) for name in _ASSOCIATIVE.paths})
"""The same for what was said, of which the gate alone reads the best."""


_EVERY = AnswerOptions(_ASSOCIATIVE, limit=_POOL, depth=_POOL)
_Found = Mapping[str, Sequence[Candidate]]
"""What each path found, best first."""


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
        self._embedder = None if embedders is None or vectors is None else embedders.members[0]
        self._settings = settings
        self._paths: WeakKeyDictionary[Graph, tuple[int, StrongestPaths]] = WeakKeyDictionary()
        """By graph, with the revision at which they were found; they go with it."""
        paths: list[RecallPath] = [KeywordPath(store, places=False)]
        if vectors is not None and self._embedder is not None:
            paths.append(VectorPath(vectors, self._embedder, places=False))
        self._ranker = Ranker(paths, PATIENT, clock=system_clock)
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
        question = await self._question(scope, " ".join(wanted.keywords), TRACE, wanted)
        of_nodes, of_turns, inputs = await asyncio.gather(
            self._ranker.gather(question, _ASSOCIATIVE, width=_POOL),
            self._turns(graph, scope, question.text, wanted),
            self._gate.look(question),
        )
        matcher = Matcher(wanted)
        self._add_exact_words(graph, matcher, of_nodes, inputs)
        found = of_nodes.found
        records = await self._store.records_by_id(question.scope, _read_by_gate(found))
        known = self._gate.judge(question, found, records, inputs)
        lenience = _lenience(question.text, inputs)
        lost, verdict = await self._lost(graph, wanted.keywords, question, of_turns.found, inputs, lenience=lenience)
        items: tuple[SearchHit, ...] = ()
        # Where a node holds all keywords it is no stranger's question, however odd it looks.
        in_words = (graph.find(one.record_id) for one in found[KEYWORD])
        is_named = any(vertex is not None and matcher.share(vertex.searched) == 1 for vertex in in_words)
        if _passes(known, lenience) or is_named:
            ranked = self._ranked(graph, question, of_nodes, self._near_enough(inputs, question))
            items = self._with_paths(graph, matcher, ranked, wanted, found)
        # What a living node names in the very words asked for is not forgotten, whatever else was.
        is_lost = bool(lost) and (not items or (known.score < verdict.score and not is_named))
        state: Knowledge | None = Knowledge.FORGOTTEN if is_lost else self._state(graph, items)
        if state is Knowledge.NEVER_TOLD and not _could_be_found(graph, question.text):
            state = None
        dangling = dangling_links(graph, [item.vertex.id for item in items[:_TOP]])
        left_out = tuple(of_nodes.left_out)
        return SearchResult(
            items=items, dangling=dangling, once_known=lost, knowledge=state, gate=known, left_out=left_out
        )

    async def similar(self, scope: Scope, text: str) -> dict[str, float]:
        """Return the nodes that are near a text in meaning, with their cosine."""
        if not text.strip():
            return {}
        question = await self._question(scope, text, TRACE)
        gathered, inputs = await asyncio.gather(
            self._ranker.gather(question, _ASSOCIATIVE.with_alpha(0), width=_POOL), self._gate.look(question)
        )
        least = self._near_enough(inputs, question)
        return {one.record_id: one.score for one in gathered.found.get(VECTOR, ()) if one.score >= least}

    # ── finding ──────────────────────────────────────────────────────────────

    async def _question(self, scope: Scope, text: str, kind: Kind, wanted: GraphQuery | None = None) -> Question:
        """Return a question for records of one kind within the time that is asked for."""
        since, until = (wanted.since, wanted.until) if wanted is not None else (None, None)
        counted = RecordFilter(kinds=(kind,), occurred_from=since, occurred_before=until)
        standing = await self._store.standing(scope.owner, states=STATES)
        return Question(text, scope.owner, counted, standing=standing)

    async def _turns(self, graph: Graph, scope: Scope, text: str, wanted: GraphQuery) -> Gathered:
        """Return the words of the journal that the gate reads; they tell of nothing where nothing was forgotten."""
        if not graph.memorials:
            return Gathered()
        question = await self._question(scope, text, Kind.TURN, wanted)
        return await self._ranker.gather(question, _TURNS_READ, width=_READ_BY_GATE)

    def _add_exact_words(self, graph: Graph, matcher: Matcher, gathered: Gathered, inputs: GateInputs) -> None:
        """Add nodes that hold a keyword inside of a word, as the design matches it: “auth” in “authentication”.

        Only for keywords that the index finds nowhere, since this goes through every node.
        """
        if all(inputs.counts.holding.get(term, 0) for term in inputs.wanted.terms) and inputs.wanted.terms:
            return
        listed = {one.record_id for one in gathered.found[KEYWORD]}
        more = [vertex for vertex in matcher.among(graph.nodes()) if vertex.id not in listed]
        for vertex in more[:_POOL]:
            gathered.found[KEYWORD].append(Candidate(vertex.id, 0.0))
            gathered.places[vertex.id] = placeless(vertex.id)
            gathered.adding.add(vertex.id)

    # ── judging ──────────────────────────────────────────────────────────────

    def _near_enough(self, inputs: GateInputs, question: Question) -> float:
        """Return the cosine from which a node counts: as near as a stranger's best hit seldom comes, by this model."""
        if self._settings.similarity is not None or self._embedder is None:
            return self._settings.similarity or 0.0
        measures = read_measures(inputs.kept, working_language(question.text), models=self._gate.models)
        if measures is not None and VECTOR in measures.near:
            return measures.near[VECTOR].middle
        usual = TYPICAL_NEARNESS.get(self._embedder.model_id)
        return _UNMEASURED_SIMILARITY if usual is None else usual.of(inputs.counts.records).middle

    async def _lost(
        self,
        graph: Graph,
        wanted: Sequence[str],
        question: Question,
        turns: _Found,
        inputs: GateInputs,
        *,
        lenience: "_Lenience",
    ) -> tuple[tuple[Forgotten, ...], GateVerdict]:
        """Return what is left of the deleted nodes that the question is about, with how much speaks for them.

        A tombstone keeps a phrase and a few words; what was said still stands in the journal, and tells whether it was
        this that is asked for.
        """
        matcher = Matcher(GraphQuery(keywords=tuple(wanted)))
        read = _read_by_gate(turns)
        buried = {entry_id: stones for entry_id in read if (stones := graph.buried_from(entry_id))}
        found = {path: [one for one in hits if one.record_id in buried] for path, hits in turns.items()}
        records = await self._store.records_by_id(question.scope, tuple(buried))
        spans = {entry_id: _of_forgotten(records[entry_id], buried[entry_id]) for entry_id in records}
        verdict = self._gate.judge(question, found, spans, inputs)
        asked = [content_words(keyword) or [keyword] for keyword in wanted]
        passes = bool(spans) and _passes(verdict, lenience)
        # A tombstone whose own words are asked for needs no more; of others the journal says what they were made of.
        own = [one.forgotten for one in graph.memorials.values() if matcher.share(one.searched) >= _NAMED_SHARE]
        said = {stone.node_id: "" for stone in own}
        for entry_id in filter(records.__contains__, _read_by_gate(found)):
            for stone in buried[entry_id]:
                words = _of_forgotten(records[entry_id], [stone]).content
                if passes or _held(asked, words) == 1:
                    said[stone.node_id] = words
        named = [_named(graph.memorials[node_id].forgotten, words, asked) for node_id, words in said.items()]
        named.sort(key=lambda one: (one.own, one.said, one.stone.forgotten_at), reverse=True)
        # Where some tombstones have the words that are asked for, others from the same talk are not spoken of.
        held = [one for one in named if (one.own if named[0].own else one.said)]
        # A whole question may be put in other words than the answer; then the gate's word stands.
        if not held and sum(map(len, asked)) > _FEW_WORDS:
            held = named
        return tuple(one.stone for one in held[:MAX_ONCE_KNOWN]), verdict

    # ── ranking ──────────────────────────────────────────────────────────────

    def _ranked(self, graph: Graph, question: Question, gathered: Gathered, least: float) -> list[tuple[Vertex, float]]:
        """Return the nodes that answer with their scores, best first: what is said next gets a share of them."""
        ranked = self._ranker.order(question, _EVERY, gathered, all_of_them=True)
        own: dict[Vertex, float] = {}
        for one in ranked:
            # What only meaning found counts if it is near enough.
            counts = any(path == KEYWORD or candidate.score >= least for path, _, candidate in one.found)
            if counts and (vertex := graph.find(one.record_id)) is not None:
                own[vertex] = one.score
        total = dict(own)
        for vertex in sorted(own, key=lambda vertex: -own[vertex])[:_SPREADING]:
            if (following := graph.following(vertex)) is not None:
                total[following] = total.get(following, 0.0) + _SPREAD * own[vertex]
        return sorted(total.items(), key=lambda pair: (-pair[1], -pair[0].order))

    def _with_paths(
        self,
        graph: Graph,
        matcher: Matcher,
        ranked: Sequence[tuple[Vertex, float]],
        wanted: GraphQuery,
        found: _Found,
    ) -> tuple[SearchHit, ...]:
        """Return so many as are wanted, each with its way from a focus where that is not too far; no small talk."""
        in_time = matcher.in_time
        told = [one for one in ranked if in_time(one[0]) and not is_small_talk(one[0].content)]
        shown = told[: wanted.limit or None]
        paths = self._paths_of(graph).to({vertex for vertex, _ in shown})
        near = {one.record_id: one.score for one in found.get(VECTOR, ())}
        hits = [
            SearchHit(vertex, paths.get(vertex), matcher.matched(vertex.searched), near.get(vertex.id), score)
            for vertex, score in shown
        ]
        return tuple(sorted(hits, key=lambda hit: -(hit.score + _NEAR_FOCUS * hit.strength)))

    def _paths_of(self, graph: Graph) -> StrongestPaths:
        """Return the paths of a graph as it stands, those that earlier questions had found included."""
        revision, paths = self._paths.get(graph, (-1, None))
        if paths is None or revision != graph.revision:
            paths = self._strongest(graph)
            self._paths[graph] = (graph.revision, paths)
        return paths

    def _strongest(self, graph: Graph, relations: Collection[str] | None = None) -> StrongestPaths:
        return StrongestPaths(graph, budget=_LINK_BUDGET, seconds=_SECONDS, timer=self._timer, relations=relations)

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
        return replace(found, items=tuple(items), knowledge=self._state(graph, items)) if items else found

    def _state(self, graph: Graph, items: Iterable[SearchHit]) -> Knowledge:
        """Say whether the best lies where the design's search would have looked or was just told, or further away."""
        best = next(iter(items), None)
        if best is None:
            return Knowledge.NEVER_TOLD
        within = best.distance is not None and best.distance <= self._settings.default_search_depth
        told = [one.occurred_at for one in graph.focused() if one.occurred_at is not None]
        at = best.vertex.occurred_at
        is_of_same_talk = bool(told) and at is not None and at >= max(told) - _SAME_TALK
        return Knowledge.KNOWN if within or is_of_same_talk else Knowledge.FURTHER_AWAY


def _could_be_found(graph: Graph, text: str) -> bool:
    """Tell whether words would be found had they been told: not a few in a language that nothing of the graph is in.

    A whole question is near by its meaning, single words are not: of an English talk of camping, “露营” came no nearer
    than “潜艇” (submarine), .28 and .29.
    """
    language = working_language(text)
    told = chain((one.content for one in graph.nodes()), (one.searched for one in graph.memorials.values()))
    return len(content_words(text)) > _FEW_WORDS or any(working_language(content) == language for content in told)


def _read_by_gate(found: _Found) -> tuple[str, ...]:
    """Return the ids of those that the gate reads."""
    return tuple(dict.fromkeys(one.record_id for hits in found.values() for one in hits[:_READ_BY_GATE]))


_MONTH = re.compile(MONTH, re.IGNORECASE)


def _names_unheard(text: str, inputs: GateInputs) -> bool:
    """Tell whether a question names somebody or something that is in nothing that was ever said.

    A list of English keywords has no capitals: there it is any word that is not a common one.
    """
    names = [term for mention in mentions(text) for term in query_terms(mention.text)]
    # A model has digits in its name (POWER6), an age or a size begins with them.
    names += [term for term in inputs.wanted.terms if term.isascii() and term[0].isalpha() and not is_common(term)]
    unheard = {term for term in inputs.wanted.terms if len(term) > 1 and not inputs.counts.holding.get(term)}
    return any(term in unheard and not _MONTH.fullmatch(term) for term in names)


class _Lenience(NamedTuple):
    """How far below the gate's threshold a question may stay, and how much of it must be found for that."""

    margin: float
    barely: float


def _lenience(text: str, inputs: GateInputs) -> _Lenience:
    language = working_language(text)
    return _Lenience((_UNHEARD if _names_unheard(text, inputs) else _LENIENCE)[language], _BARELY[language])


def _passes(verdict: GateVerdict, lenience: _Lenience) -> bool:
    """Tell whether the gate lets an answer pass, with the leniency that a list of keywords gets.

    Only a verdict by score can be softened: where nothing was measured or nothing was asked, the gate's word stands.
    """
    if verdict.reason not in {GateReason.NEAR, GateReason.UNSURE, GateReason.UNSPOKEN, GateReason.STRANGE}:
        return verdict.passed
    margin = min(lenience.margin, 0.0) if verdict.coverage < lenience.barely else lenience.margin
    # Of a small store the threshold is low already: half of it is as far as leniency goes.
    return verdict.score >= max(verdict.threshold - margin, verdict.threshold / 2, 0.1)


class _ToldTombstone(NamedTuple):
    """A tombstone as it is told of, with how much of what is asked stands on it, and in the words it was made of."""

    stone: Forgotten
    own: float
    said: float


def _named(stone: Forgotten, said: str, asked: Sequence[Sequence[str]]) -> _ToldTombstone:
    """Measure a tombstone; one that has lost the words asked for is told of by those, not by what it had left."""
    own = _held(asked, "\n".join([stone.about, *stone.keywords]))
    heard = _held(asked, said)
    words = [word for keyword in asked for word in keyword if _held([[word]], said)]
    told = stone if own or not words else stone.replace(about=" ".join(words)[:_LONGEST_ABOUT])
    return _ToldTombstone(told, own, heard)


def _held(asked: Sequence[Sequence[str]], text: str) -> float:
    """Return how much of the keywords a text holds; of one of two words (“dance shoes”) both or nothing."""
    terms, folded = set(index_terms(text)), caseless(text)
    total = 0.0
    for words in asked:
        held = [
            all(term in terms for term in query_terms(word)) if word.isascii() else caseless(word) in folded
            for word in words
        ]
        total += sum(held) / len(held) if len(held) > _FEW_WORDS or all(held) else 0.0
    return total / max(1, len(asked))


def _of_forgotten(turn: Record, stones: Sequence[Forgotten]) -> Record:
    """Return what was said with only those words that deleted nodes were made of."""
    sources = [source for stone in stones for source in stone.sources if source.entry_id == turn.id]
    spans = sorted({(source.start, source.end) for source in sources})
    return turn.replace(content="\n".join(turn.content[start:end] for start, end in spans))
