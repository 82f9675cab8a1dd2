"""The read path: paths beside each other, joined, ranked, chosen, and answered with their sources.

Disciplines search their own records by it as well: with a plain recipe, `gated=False` and `cached=False`, over any
store, an answer is nothing but the fused scores of the paths.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Literal

from remanent.embedding.port import Reranker
from remanent.errors import InvalidInput, RemanentError
from remanent.fairness import FairSlots, Shares
from remanent.lightweight import dataclass
from remanent.model import (
    CacheFigures,
    Clock,
    Entry,
    Found,
    FoundItem,
    GateReason,
    GateVerdict,
    Grain,
    ItemOrder,
    Kind,
    LeftOut,
    Record,
    Scope,
)
from remanent.recall import scoring
from remanent.recall.answers import (
    AnswerBuilder,
    AnswerCache,
    CandidateReader,
    exchanges,
    maybe_replied,
    merged_answers,
    said_again,
)
from remanent.recall.gate import Gate, without_unsure
from remanent.recall.paths import RecallPath
from remanent.recall.question import READ_ON_THE_LOOP, Question
from remanent.recall.ranker import STATES, AnswerOptions, Ranker
from remanent.recall.recipe import Recipe, Recipes, built_in
from remanent.recall.scoring import Gathered, RankedCandidate, limited_per_source, share_of
from remanent.recall.shortlist import (
    ComparedTexts,
    by_their_likeness,
    by_their_turns,
    by_their_words,
    crowds,
    marginal_relevance,
    rerank_shortlist,
    talks_with_agents,
)
from remanent.recall.vector_path import VectorPath
from remanent.settings import RecallSettings
from remanent.stores import Store
from remanent.stores.queries import StandingQuery
from remanent.text.talk import asks_what_was_asked, is_small_talk

_logger = logging.getLogger(__name__)

_MAX_LIMIT = 1000
"""Items of one answer; whoever wants more lists records."""
MAX_CONCURRENT = 32
"""Questions that are worked on at the same time; more only make each other late, so that paths would be left out."""
_MAX_CONCURRENT_PER_ORG = 2
"""Of one organisation, while others ask, too: as many as there are cores in the smallest machine that is served from,
so that a question of somebody else shares them with two others and not with 31."""
_MAX_WIDTH = 1000
"""How many candidates are gathered and read where near-duplicates crowd the shortlist: what stands behind more of them
than that is not found. It bounds one more search of all paths, which only a flood causes."""


_KNOWN = GateVerdict(passed=True, reason=GateReason.KNOWN)
"""The verdict on what was looked up."""
_EMPTY = GateVerdict(passed=False, reason=GateReason.EMPTY)
"""The verdict where there is nothing to judge, so that whoever asks for a verdict always gets one."""
BEFORE_ALL = StandingQuery(STATES)
"""What a search reads before all else: the counters of an agent, and the named values that paths go by."""
READ_WHOLE = "recall"
"""Where a question keeps beside it the records that were read for its answer, by id."""


@dataclass(frozen=True, slots=True)
class Finish:
    """What is made of an answer before it is kept, so that a kept one needs no more work."""

    make: Callable[[Found], Awaitable[Found]]
    cache_key: str
    """All that it depends on beside the answer."""


OnCandidates = Callable[[Question, Sequence[str]], Awaitable[None]]
"""Is told the candidates while their records are read, and may read what belongs to them at the same time."""


Elsewhere = Callable[[Question], Awaitable[Sequence[Question]]]
"""Returns a question as it is asked of what is shared with the agent; nothing where no such kind is asked for."""


@dataclass(frozen=True, slots=True)
class _Shortlist:
    """The candidates that an answer is chosen from."""

    best: list[RankedCandidate]
    """The candidates whose records were read whole."""
    rest: list[RankedCandidate]
    """The candidates behind them, which count where whole sessions are ranked."""
    texts: ComparedTexts
    entries: dict[str, Entry]
    """What most of them came from."""
    crowd_of: dict[str, str]
    verdict: GateVerdict | None
    left_out: list[LeftOut]

    @property
    def records(self) -> dict[str, Record]:
        """What was read, by id."""
        return self.texts.records


class Recall:
    """Answers questions from everything that an agent remembers."""

    def __init__(
        self,
        store: Store,
        paths: Sequence[RecallPath],
        *,
        settings: RecallSettings,
        clock: Clock,
        recipes: Recipes | None = None,
        reranker: Reranker | None = None,
        cache: AnswerCache | None = None,
        gate: Gate | None = None,
        on_candidates: OnCandidates | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._on_candidates = on_candidates
        self._elsewhere = elsewhere
        self.recipes = recipes if recipes is not None else built_in(settings.recipe)
        self._store = store
        self._settings = settings
        self._clock = clock
        self._reader = CandidateReader(store)
        self._ranker = Ranker(paths, settings, clock=clock, places_of=self._reader.places)
        self._answers = AnswerBuilder(self._reader)
        self._reranker = reranker
        self._cache = cache
        self._gate = gate
        self.shares = Shares()
        """How much of the process each organisation had; other work for them is counted here as well."""
        self._slots = FairSlots(MAX_CONCURRENT, shared=_MAX_CONCURRENT_PER_ORG, shares=self.shares)

    def register(self, path: RecallPath) -> None:
        """Have one more path asked; a path of the same name is replaced."""
        paths = self._ranker.paths
        paths[:] = [known for known in paths if known.name != path.name] + [path]

    @property
    def figures(self) -> CacheFigures:
        """How often a cached answer was there."""
        return CacheFigures(name="recall") if self._cache is None else self._cache.figures

    @property
    def is_asked(self) -> bool:
        """Whether a question is being worked on: what can wait gives way to it."""
        return self._slots.is_busy

    async def prepare(self, scope: Scope) -> None:
        """Load what the first question about an agent would wait for; questions tell of what cannot be loaded."""
        for path in self._ranker.paths:
            try:
                await path.prepare(scope)
            except RemanentError as error:
                _logger.warning("recall path %s could not be prepared: %s", path.name, type(error).__name__)

    async def erased(self, scope: Scope) -> None:
        """Let go of kept answers, which may quote what was erased."""
        if self._cache is not None:
            await self._cache.erased(scope)

    async def find(
        self,
        question: Question,
        *,
        limit: int = 5,
        depth: int = 0,
        recipe: Recipe | str | None = None,
        grain: Grain = "item",
        order: ItemOrder | Literal["auto"] = "auto",
        source_share: float | None = None,
        gated: bool = True,
        cached: bool = True,
        shared: bool = False,
        finish: Finish | None = None,
    ) -> Found:
        """Return the best items; a path that fails is left out, and the answer says so.

        Unless `gated` is false, a question that nothing answers gets no items, and `gate` says why. Unless `cached` is
        false, an answer is kept for a while and given again while nothing was written; a discipline that searches its
        own records, a few milliseconds' work, has no use for that. With `shared`, what is shared with the agent is
        looked through as well: kinds that are asked for by name, else what plainly answers. Of a question that says how
        the agent stood (`BEFORE_ALL`), that is not read again.

        With a `depth` beyond the limit, as many items follow: a text for a model takes them while its budget lasts.

        `order` "auto" is by relevance, and by time when the question asks for a course of events. `source_share` bounds
        how much of the answer one session may fill, in place of what the recipe says; a question that is asked of one
        session has no such bound.
        """
        if not question.text.strip():
            raise InvalidInput("the question is empty; ask something")
        if not 1 <= limit <= _MAX_LIMIT:
            raise InvalidInput(f"limit must be between 1 and {_MAX_LIMIT}, not {limit}")
        if source_share is not None and not 0 < source_share <= 1:
            raise InvalidInput(f"source_share must be above 0 and at most 1, not {source_share}")
        if grain not in {"item", "turns", "session"}:
            raise InvalidInput(f"unknown grain {grain!r}; choose one of item, turns, session")
        options = AnswerOptions(
            recipe=recipe if isinstance(recipe, Recipe) else self._named(recipe, grain),
            limit=limit,
            depth=max(limit, depth),
            grain=grain,
            order=_order_of(order, question),
            source_share=source_share,
            gated=gated and self._gate is not None,
        )
        async with self._slots.hold(question.scope.org):
            others: Sequence[Question] = ()
            if shared and self._elsewhere is not None:
                # Of how the agent stands nothing is told to the others: they stand otherwise.
                apart = question.amended(standing=None, beside={})
                others = await self._elsewhere(apart)
            if not others:
                return await self._find(question, options, cached=cached, finish=finish)
            # Each is kept under the revision of its own memory; what is made of them together is not.
            every = (self._find(one, options, cached=cached, finish=None) for one in (question, *others))
            is_named = question.record_filter.kinds is not None
            found = merged_answers(await asyncio.gather(*every), most=options.depth, is_named=is_named)
            return found if finish is None else await finish.make(found)

    async def _find(self, question: Question, options: AnswerOptions, *, cached: bool, finish: Finish | None) -> Found:
        """Return an answer that was kept, or work one out.

        The counters are read first, and a kept answer is one of the same revision: whoever writes meanwhile raises it,
        so that an answer from before the write is never given after it. Answers that lack a path are not kept, because
        the path may be back for the next question.
        """
        # Before all else, so that what is written meanwhile is found twice rather than not at all.
        standing = question.standing or await self._store.standing(question.scope, states=BEFORE_ALL.states)
        question = question.amended(standing=standing)
        if self._cache is None or not cached:
            fresh, _ = await self._answer(question, options)
            return fresh if finish is None else await finish.make(fresh)
        options_key = options.cache_key if finish is None else f"{options.cache_key} {finish.cache_key}"
        key = self._cache.key(question, revision=standing.revision, options_key=options_key)
        found = await self._cache.get(key)
        if found is None:
            found, until = await self._answer(question, options)
            found = found if finish is None else await finish.make(found)
            if not found.left_out:
                await self._cache.keep(key, found, scope=question.scope, until=until)
        return found

    def _named(self, name: str | None, grain: Grain) -> Recipe:
        """Return the recipe of a name, or the usual one: its variety for the grain, if it has one."""
        recipe = self.recipes[name if name is not None else self.recipes.default]
        return self.recipes.choose(discipline=recipe.name, intent=grain)

    # ── answering ────────────────────────────────────────────────────────────

    async def _answer(self, question: Question, options: AnswerOptions) -> tuple[Found, datetime | None]:
        """Return the answer, and until when everything in it lives.

        How long everything in an answer lives is told with it: a kept answer must not outlive a memory in it.
        """
        if len(question.read) > READ_ON_THE_LOOP:
            await asyncio.to_thread(question.analyse)
        with self._store.visit(question.scope):
            shortlist = await self._shortlist(question, options)
            records = shortlist.records
            trouble = None
            if options.recipe.rerank is not None and shortlist.best:
                trouble = await rerank_shortlist(
                    question,
                    shortlist.best,
                    shortlist.records,
                    rerank=options.recipe.rerank,
                    reranker=self._reranker,
                    timeout=min(self._settings.path_timeout, question.seconds_left()),
                    load_timeout=min(self._settings.load_timeout, question.seconds_left()),
                )
            if options.grain == "session":
                items = await self._sessions(question, shortlist, options)
            else:
                chosen = self._chosen(question, shortlist, options)
                items = await self._items(question, chosen, shortlist, options)
        if options.order == "time":
            items.sort(key=lambda item: (item.occurred_at, item.record_id))
        ends = [records[item.record_id].expires_at for item in items if item.record_id in records]
        # The items were made here: of what is told, the question alone is not checked yet.
        found = Found(query=question.text).amended(
            items=tuple(items),
            left_out=tuple([*shortlist.left_out, trouble] if trouble is not None else shortlist.left_out),
            recipe=options.recipe.name,
            grain=options.grain,
            order=options.order,
            gate=shortlist.verdict,
        )
        return found, min((end for end in ends if end is not None), default=None)

    async def _shortlist(self, question: Question, options: AnswerOptions) -> _Shortlist:
        """Return the best candidates, read whole and judged by the gate.

        What can be read at the same time is: places, records, sources and the gate's own look go out together, since
        each of them is one call of the store and a store over a network charges for calls. Whatever the gate holds back
        is let go here, so that no later step can show it.
        """
        width, share = 2 * options.depth, options.flood_share(question)
        gathered = await self._ranker.gather(question, options.recipe, width=width, share=share)
        ranked = self._ranker.order(question, options, gathered)
        gate = self._gate if options.gated and ranked else None
        wanted = [one.record_id for one in ranked[: options.shortlist]]
        # What paths that follow find may change the order, seldom by much: what is best without them is read beside.
        followed, records, entries, inputs, _ = await asyncio.gather(
            self._ranker.follow(question, options.recipe, gathered, width=width, share=share),
            self._reader.records(question, wanted),
            self._reader.sources(question, wanted if options.grain != "session" else ()),
            gate.look(question) if gate is not None else _none(),
            self._on_candidates(question, wanted) if self._on_candidates is not None else _none(),
        )
        if followed:
            ranked = self._ranker.order(question, options, gathered)
            wanted = [one.record_id for one in ranked[: options.shortlist]]
            records |= await self._reader.records(question, [one for one in wanted if one not in records])
            records = {record_id: records[record_id] for record_id in wanted if record_id in records}
        question.beside[READ_WHOLE] = records
        texts = ComparedTexts(records, twins=options.recipe.twins)
        crowd_of = self._crowds(question, ranked, texts, options)
        if crowd_of:
            gathered, ranked = await self._uncrowded(question, texts, crowd_of, options)
        # What was there a moment ago and is not any more is no answer.
        best = [one for one in ranked[: options.shortlist] if one.record_id in records]
        rest = ranked[options.shortlist :]
        verdict = None
        if gate is not None and inputs is not None and records:
            sure = (path.name for path in self._ranker.paths if path.certain)
            known = any(one.record_id in records for name in sure for one in gathered.found.get(name, ()))
            verdict = _KNOWN if known else gate.judge(question, gathered.found, records, inputs)
            kinds = question.record_filter.kinds
            verdict = verdict if kinds is None or Kind.TURN in kinds else without_unsure(verdict)
            if not verdict.passed:
                best, rest = [], []
                records.clear()
        elif options.gated and not gathered.left_out:
            verdict = _EMPTY
        scoring.boost(question, best, records, options.recipe, size_of=lambda one: len(texts.units(one)))
        return _Shortlist(best, rest, texts, entries, crowd_of, verdict, gathered.left_out)

    def _crowds(
        self, question: Question, ranked: Sequence[RankedCandidate], texts: ComparedTexts, options: AnswerOptions
    ) -> dict[str, str]:
        """Return by record the crowd of near-duplicates that it stands in, where these fill more than their share."""
        share = options.flood_share(question)
        if options.grain == "session" or share >= 1 or len(ranked) < options.shortlist:
            return {}  # what there is fits in: nothing is pushed out
        sizes = {one.record_id: len(texts.units(one.record_id)) for one in ranked if one.record_id in texts.records}
        most, twins = share_of(options.shortlist, share), options.recipe.twins
        found = crowds(sizes, texts.twins_of, twins=twins, most=most)
        return {member: first for first, members in found.items() for member in members}

    async def _uncrowded(
        self, question: Question, texts: ComparedTexts, crowd_of: dict[str, str], options: AnswerOptions
    ) -> tuple[Gathered, list[RankedCandidate]]:
        """Look further than near-duplicates reach, and return what they leave room for; the records read are added.

        Asking again is worth its price only where near-duplicates fill more than their share of a full shortlist:
        otherwise nothing was pushed out.
        """
        share = options.flood_share(question)
        gathered = await self._ranker.gather(question, options.recipe, width=_MAX_WIDTH, share=share)
        await self._ranker.follow(question, options.recipe, gathered, width=_MAX_WIDTH, share=share)
        ranked = self._ranker.order(question, options, gathered, all_of_them=True)[:_MAX_WIDTH]
        records, twins = texts.records, options.recipe.twins
        unread = [one.record_id for one in ranked if one.record_id not in records]
        read = await self._reader.records(question, unread)
        firsts = tuple(dict.fromkeys(crowd_of.values()))
        records |= read
        for record_id in read:
            first = next((one for one in firsts if texts.likeness(one, record_id) >= twins), None)
            if first is not None:
                crowd_of[record_id] = first
        chosen = set(
            limited_per_source(
                (one.record_id for one in ranked),
                options.bounded(question, {one.record_id: one.place for one in ranked}),
                share=options.flood_share(question),
                limit=options.shortlist,
                crowd_of=crowd_of.get,
            )
        )
        for record_id in records.keys() - chosen:
            del records[record_id]
        return gathered, [one for one in ranked if one.record_id in chosen]

    def _chosen(self, question: Question, shortlist: _Shortlist, options: AnswerOptions) -> list[RankedCandidate]:
        """Choose from the best without twins and without one source's filling the answer."""
        by_id = {one.record_id: one for one in shortlist.best}
        ranked = list(
            marginal_relevance(
                {one.record_id: one.score for one in shortlist.best},
                twins_of=shortlist.texts.twins_of,
                strength=options.recipe.diversity,
                talk_of=talks_with_agents(shortlist.best).get,
                further=options.recipe.further,
            )
        )
        choose = partial(
            limited_per_source,
            ranked,
            options.bounded(question, {one.record_id: one.place for one in shortlist.best}),
            share=options.flood_share(question),
            crowd_of=shortlist.crowd_of.get,
        )
        # The shares hold for what is asked for, not only for what stands behind it, too.
        # More than are wanted, because some stand beside others in one answer.
        limits = (options.limit, options.depth, 2 * options.depth)
        chosen = dict.fromkeys(record_id for limit in limits for record_id in choose(limit=limit))
        return [by_id[record_id] for record_id in chosen]

    async def _items(
        self, question: Question, chosen: list[RankedCandidate], shortlist: _Shortlist, options: AnswerOptions
    ) -> list[FoundItem]:
        """Make answers of what was chosen: as it is, with its question or its answer, or with all that stands by it."""
        records, known = shortlist.records, shortlist.entries
        if options.grain == "turns":
            return await self._answers.turns(question, chosen[: options.depth], records, known=known)
        beside: dict[str, list[RankedCandidate]] = {}
        if options.recipe.surroundings.reply and not asks_what_was_asked(question.read):
            unsure = maybe_replied(chosen, shortlist.best)
            replied = await self._reader.replied(question, unsure, known=known) if unsure else ()
            # Where all that was found is read, the worst may count much; of more, it counts next to nothing.
            is_all = len(shortlist.best) < options.shortlist
            least = min((one.fused for one in shortlist.best), default=0.0) if is_all else 0.0
            chosen, beside = exchanges(
                chosen,
                shortlist.best,
                records,
                replied=replied,
                least=least,
                agent_is_asked=question.asks_the_agent,
                is_crowded=not is_all and options.share(question) == 1,
            )
        if not is_small_talk(question.read):
            # A greeting is no memory, though a small store has nothing else to fill an answer with.
            chosen = [one for one in chosen if one.score or not is_small_talk(records[one.record_id].content)]
        groups = []
        if options.recipe.diversity:
            groups = said_again(chosen, records, beside=beside, likeness_key=shortlist.texts.units)
        chosen, twins = await self._answers.without_twins(question, chosen, groups, known=known)
        chosen = chosen[: options.depth]
        beside = {one.record_id: beside[one.record_id] for one in chosen if one.record_id in beside}
        twins = {one.record_id: twins[one.record_id] for one in chosen if one.record_id in twins}
        return await self._answers.items(question.scope, chosen, records, known=known, beside=beside, twins=twins)

    async def _sessions(self, question: Question, shortlist: _Shortlist, options: AnswerOptions) -> list[FoundItem]:
        """Rank sessions by the evidence that all candidates of each give together, then by the words of the whole.

        Where a message goes on talking, those like the best ones count instead of words.
        """
        records = shortlist.records
        groups: dict[str, list[RankedCandidate]] = {}
        for one in (*shortlist.best, *shortlist.rest):
            groups.setdefault(one.place.session or f"\0{one.record_id}", []).append(one)
        around = options.recipe.surroundings
        models = {path.name: path.model_id for path in self._ranker.paths if isinstance(path, VectorPath)}
        scores = by_their_turns(groups, around)
        scores = await by_their_words(self._store, question, scores, around)
        scores = await by_their_likeness(self._store, question, scores, groups, around, models=models)
        best = sorted(groups, key=lambda name: (-scores[name], name))[: options.limit]
        unread = [groups[name][0].record_id for name in best if groups[name][0].record_id not in records]
        records |= await self._reader.records(question, unread)
        best = [name for name in best if groups[name][0].record_id in records]
        return await self._answers.whole_sessions(
            question.scope,
            [groups[name] for name in best],
            records,
            [scores[name] for name in best],
            known=shortlist.entries,
            whose=question.whose,
        )


async def _none() -> None:
    return None


def _order_of(order: ItemOrder | Literal["auto"], question: Question) -> ItemOrder:
    if order == "auto":
        return "time" if question.asks_for_order else "relevance"
    if order not in {"relevance", "time"}:
        raise InvalidInput(f"unknown order {order!r}; choose one of auto, relevance, time")
    return order
