"""The read path: paths beside each other, joined, weighed, chosen, and answered with their sources."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from remanent.embedding.port import Reranker
from remanent.errors import InvalidInput, RemanentError
from remanent.fairness import FairSlots
from remanent.model import CacheFigures, Clock, Found, FoundItem, Grain, ItemOrder, LeftOut, Record, Scope
from remanent.recall import ranking
from remanent.recall.answer import Answering
from remanent.recall.cache import KeptAnswers
from remanent.recall.diversity import are_twins, crowds, overlap, share_of, spread, units, unlike
from remanent.recall.gate import Gate, Look
from remanent.recall.gathering import Gathered, Gathering, Reading
from remanent.recall.path import RecallPath
from remanent.recall.question import READ_ON_THE_LOOP, Question
from remanent.recall.ranking import Weighed
from remanent.recall.recipe import Recipe, Recipes, built_in
from remanent.recall.sessions import by_their_likeness, by_their_turns, by_their_words
from remanent.recall.vector_path import VectorPath
from remanent.settings import RecallSettings
from remanent.stores import Place, Store

_logger = logging.getLogger(__name__)

MOST = 1000
AT_ONCE = 32
"""Questions that are worked on at the same time; more only make each other late, so that paths would be left out."""
AT_ONCE_OF_ONE = 2
"""Of one organisation, while others ask, too: as many as there are cores in the smallest machine that is served from,
so that a question of somebody else shares them with two others and not with 31."""
SHORTLIST = 4
"""How many times the wanted number is read whole, to be boosted, compared and chosen from."""
SHORTEST_LIST = 20
CONSIDERED = 20
"""How many times the wanted number is looked up, the best by what the paths say."""
FEWEST_CONSIDERED = 100
READ_FOR_LIKENESS = 2000
"""Characters by which texts are compared; twins show early."""
WIDEST = 1000
"""How many candidates are gathered and read where near-duplicates crowd the shortlist: what stands behind more of them
than that is not found."""


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """Everything but the question itself that decides an answer."""

    recipe: Recipe
    limit: int
    grain: Grain = "item"
    order: ItemOrder = "relevance"
    source_share: float | None = None
    """In place of the recipe's."""
    gated: bool = True
    """Whether a question that nothing answers gets an empty answer."""

    @property
    def cache_key(self) -> str:
        """What a cached answer depends on beside the question and the state of the store."""
        return f"{self.recipe.cache_key} {self.limit} {self.grain} {self.order} {self.source_share} {self.gated}"

    def share(self, question: Question) -> float:
        """How much one session may fill, of the answer and of the candidates; all, where just one is asked."""
        if question.scope.session is not None:
            return 1.0
        return self.source_share if self.source_share is not None else self.recipe.source_share

    @property
    def considered(self) -> int | None:
        """How many candidates are looked up, so that who said them, when and where can count; a session needs all."""
        return None if self.grain == "session" else max(FEWEST_CONSIDERED, CONSIDERED * self.limit)

    @property
    def shortlist(self) -> int:
        """How many candidates are read whole."""
        read = self.recipe.rerank.candidates if self.recipe.rerank is not None else 0
        return max(SHORTEST_LIST, SHORTLIST * self.limit, read)


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
        kept: KeptAnswers | None = None,
        gate: Gate | None = None,
    ) -> None:
        self.recipes = recipes if recipes is not None else built_in(settings.recipe)
        self._store = store
        self._settings = settings
        self._clock = clock
        self._reading = Reading(store)
        self._gathering = Gathering(paths, settings, clock=clock, sessions_of=self._reading.sessions)
        self._answering = Answering(self._reading)
        self._reranker = reranker
        self._kept = kept
        self._gate = gate
        self._turns = FairSlots(AT_ONCE, shared=AT_ONCE_OF_ONE)

    def register(self, path: RecallPath) -> None:
        """Have one more path asked; a path of the same name is replaced."""
        paths = self._gathering.paths
        paths[:] = [known for known in paths if known.name != path.name] + [path]

    @property
    def _models(self) -> dict[str, str]:
        """The model of each path that goes by vectors."""
        return {path.name: path.model_id for path in self._gathering.paths if isinstance(path, VectorPath)}

    @property
    def figures(self) -> CacheFigures:
        """How often a kept answer was there."""
        return CacheFigures(name="recall") if self._kept is None else self._kept.figures

    async def prepare(self, scope: Scope) -> None:
        """Load what the first question about an agent would wait for; questions tell of what cannot be loaded."""
        for path in self._gathering.paths:
            try:
                await path.prepare(scope)
            except RemanentError as error:
                _logger.warning("recall path %s cannot be made ready: %s", path.name, type(error).__name__)

    async def erased(self, scope: Scope) -> None:
        """Let go of kept answers, which may quote what was erased."""
        if self._kept is not None:
            await self._kept.erased(scope)

    async def find(
        self,
        question: Question,
        *,
        limit: int = 5,
        recipe: Recipe | str | None = None,
        grain: Grain = "item",
        order: ItemOrder | Literal["auto"] = "auto",
        source_share: float | None = None,
        gated: bool = True,
        cached: bool = True,
    ) -> Found:
        """Return the best items; a path that fails is left out, and the answer says so.

        Unless `gated` is false, a question that nothing answers gets no items, and `gate` says why. Unless `cached` is
        false, an answer is kept for a while and given again while nothing was written; a discipline that searches its
        own records, a few milliseconds' work, has no use for that.

        `order` "auto" is by relevance, and by time when the question asks for a course of events. `source_share` bounds
        how much of the answer one session may fill, in place of what the recipe says; a question that is asked of one
        session has no such bound.
        """
        if not question.text.strip():
            raise InvalidInput("the question is empty; ask something")
        if not 1 <= limit <= MOST:
            raise InvalidInput(f"limit must be between 1 and {MOST}, not {limit}")
        if source_share is not None and not 0 < source_share <= 1:
            raise InvalidInput(f"source_share must be above 0 and at most 1, not {source_share}")
        options = RecallOptions(
            recipe=recipe if isinstance(recipe, Recipe) else self._named(recipe, grain),
            limit=limit,
            grain=_one_of(grain, ("item", "turns", "session"), "grain"),
            order=_order_of(order, question),
            source_share=source_share,
            gated=gated and self._gate is not None,
        )
        if self._kept is None or not cached:
            return (await self._answer_in_turn(question, options))[0]
        key = self._kept.key(
            question, revision=await self._store.revision(question.scope), options_key=options.cache_key
        )
        found = await self._kept.get(key)
        if found is None:
            found, until = await self._answer_in_turn(question, options)
            if not found.left_out:
                await self._kept.keep(key, found, scope=question.scope, until=until)
        return found

    def _named(self, name: str | None, grain: Grain) -> Recipe:
        """Return the recipe of a name, or the usual one: its variety for the grain, if it has one."""
        recipe = self.recipes[name if name is not None else self.recipes.default]
        return self.recipes.choose(discipline=recipe.name, intent=grain)

    # ── answering ────────────────────────────────────────────────────────────

    async def _answer_in_turn(self, question: Question, options: RecallOptions) -> tuple[Found, datetime | None]:
        async with self._turns.hold(question.scope.org):
            if len(question.read) > READ_ON_THE_LOOP:
                await asyncio.to_thread(question.analyse)
            with self._store.visit(question.scope):
                return await self._answer(question, options)

    async def _answer(self, question: Question, options: RecallOptions) -> tuple[Found, datetime | None]:
        """Return the answer, and until when everything in it lives."""
        recipe = options.recipe
        gathered, weighed = await self._weighed(question, options, width=2 * options.limit)
        records, look = await self._read(question, weighed[: options.shortlist], options)
        crowd_of = self._crowds(question, weighed, records, options)
        if crowd_of:
            gathered, weighed = await self._uncrowded(question, records, crowd_of, options)
        # What was there a moment ago and is not any more is no answer.
        weighed = [one for one in weighed[: options.shortlist] if one.record_id in records] + weighed[
            options.shortlist :
        ]
        verdict = None
        if self._gate is not None and look is not None and records:
            verdict = self._gate.judge(question, gathered.found, records, look)
            if not verdict.passed:
                weighed, records = [], {}
        shortlist, rest = weighed[: len(records)], weighed[len(records) :]
        left_out = list(gathered.left_out)
        trouble = await self._refine(question, shortlist, records, recipe)
        if trouble is not None:
            left_out.append(trouble)
        items = await self._items(question, shortlist, rest, records, options, crowd_of=crowd_of)
        items = [item.model_copy(update={"rank": rank}) for rank, item in enumerate(items, start=1)]
        if options.order == "time":
            items.sort(key=lambda item: (item.occurred_at, item.record_id))
        answered = [records[item.record_id].expires_at for item in items if item.record_id in records]
        found = Found(
            query=question.text,
            items=tuple(items),
            left_out=tuple(left_out),
            recipe=recipe.name,
            grain=options.grain,
            order=options.order,
            gate=verdict,
        )
        return found, min((end for end in answered if end is not None), default=None)

    async def _weighed(
        self, question: Question, options: RecallOptions, *, width: int, all_of_them: bool = False
    ) -> tuple[Gathered, list[Weighed]]:
        """Ask the paths and weigh what they found, best first: as many as are read, or all."""
        recipe, share = options.recipe, options.share(question)
        gathered = await self._gathering.gather(question, recipe, width=width, share=share)
        fused = ranking.fuse(gathered, recipe)
        considered = None if all_of_them else options.considered
        fused, places = await self._considered(question, fused, options, most=considered)
        now = question.asked_at or self._clock()
        most = None if options.grain == "session" or all_of_them else options.shortlist
        return gathered, ranking.weigh(
            question, gathered, places, fused, recipe, now=now, most=most, share=options.share(question)
        )

    async def _considered(
        self, question: Question, fused: dict[str, float], options: RecallOptions, *, most: int | None
    ) -> tuple[dict[str, float], dict[str, Place]]:
        """Return the best by what the paths say, none of them beyond its session's share, and where they stand."""
        reach = 1 if options.recipe.surroundings.neighbours or options.grain == "turns" else 0
        if most is None or len(fused) <= most:
            return fused, await self._reading.places(question, list(fused), reach=reach)
        places = await self._reading.places(question, list(fused), reach=0)
        best = spread(
            (one for one in fused if one in places),
            lambda one: places[one].session,
            share=options.share(question),
            limit=most,
        )
        kept = set(best)
        fused = {one: score for one, score in fused.items() if one in kept}
        if reach:
            return fused, await self._reading.places(question, best, reach=reach)
        return fused, {one: places[one] for one in fused}

    def _crowds(
        self, question: Question, weighed: Sequence[Weighed], records: Mapping[str, Record], options: RecallOptions
    ) -> dict[str, str]:
        """Return by record the crowd of near-duplicates that it stands in, where these fill more than their share."""
        share = options.share(question)
        if options.grain == "session" or share >= 1 or len(weighed) < options.shortlist:
            return {}  # what there is fits in: nothing is pushed out
        terms = {one.record_id: _terms(records[one.record_id]) for one in weighed if one.record_id in records}
        found = crowds(terms, twins=options.recipe.twins, most=share_of(options.shortlist, share))
        return {member: first for first, members in found.items() for member in members}

    async def _uncrowded(
        self, question: Question, records: dict[str, Record], crowd_of: dict[str, str], options: RecallOptions
    ) -> tuple[Gathered, list[Weighed]]:
        """Look further than near-duplicates reach, and return what they leave room for; the records read are added."""
        gathered, weighed = await self._weighed(question, options, width=WIDEST, all_of_them=True)
        weighed = weighed[:WIDEST]
        unread = [one.record_id for one in weighed if one.record_id not in records]
        read = await self._reading.records(question, unread)
        firsts = {first: _terms(records[first]) for first in dict.fromkeys(crowd_of.values())}
        for record_id, record in read.items():
            terms = _terms(record)
            twins = options.recipe.twins
            first = next((one for one, own in firsts.items() if are_twins(own, terms, twins=twins)), None)
            if first is not None:
                crowd_of[record_id] = first
        session_of = {one.record_id: one.place.session for one in weighed}
        chosen = set(
            spread(
                (one.record_id for one in weighed),
                session_of.get,
                share=options.share(question),
                limit=options.shortlist,
                crowd_of=crowd_of.get,
            )
        )
        records |= read
        for record_id in records.keys() - chosen:
            del records[record_id]
        return gathered, [one for one in weighed if one.record_id in chosen]

    async def _read(
        self, question: Question, shortlist: Sequence[Weighed], options: RecallOptions
    ) -> tuple[dict[str, Record], Look | None]:
        """Return the records of a shortlist and, where the gate is to judge, what it needs: in one trip if possible."""
        reading = self._reading.records(question, [one.record_id for one in shortlist])
        if not options.gated or self._gate is None or not shortlist:
            return await reading, None
        return await asyncio.gather(reading, self._gate.look(question))

    async def _refine(
        self, question: Question, shortlist: list[Weighed], records: Mapping[str, Record], recipe: Recipe
    ) -> LeftOut | None:
        """Boost and rerank the candidates that were read whole."""
        ranking.boost(shortlist, records, recipe)
        if recipe.rerank is None or not shortlist:
            return None
        return await ranking.rerank(
            question,
            shortlist,
            records,
            rerank=recipe.rerank,
            reranker=self._reranker,
            timeout=self._settings.path_timeout,
            load_timeout=self._settings.load_timeout,
        )

    async def _items(
        self,
        question: Question,
        shortlist: list[Weighed],
        rest: list[Weighed],
        records: dict[str, Record],
        options: RecallOptions,
        *,
        crowd_of: Mapping[str, str],
    ) -> list[FoundItem]:
        if options.grain == "session":
            return await self._sessions(question, [*shortlist, *rest], records, options)
        chosen = self._chosen(question, shortlist, records, options, crowd_of=crowd_of)
        answer = self._answering.turns if options.grain == "turns" else self._answering.items
        return await answer(question.scope, chosen, records)

    def _chosen(
        self,
        question: Question,
        shortlist: Sequence[Weighed],
        records: Mapping[str, Record],
        options: RecallOptions,
        *,
        crowd_of: Mapping[str, str],
    ) -> list[Weighed]:
        """Choose from the best without twins and without one source's filling the answer."""
        recipe = options.recipe
        by_id = {one.record_id: one for one in shortlist}
        terms: dict[str, frozenset[str]] = {}

        def terms_of(record_id: str) -> frozenset[str]:
            if record_id not in terms:
                terms[record_id] = _terms(records[record_id])
            return terms[record_id]

        ranked = unlike(
            {one.record_id: one.score for one in shortlist},
            likeness=lambda first, second: overlap(terms_of(first), terms_of(second)),
            strength=recipe.diversity,
            twins=recipe.twins,
        )
        chosen = spread(
            ranked,
            lambda one: by_id[one].place.session,
            share=options.share(question),
            limit=options.limit,
            crowd_of=crowd_of.get,
        )
        return [by_id[record_id] for record_id in chosen]

    async def _sessions(
        self, question: Question, weighed: Sequence[Weighed], records: dict[str, Record], options: RecallOptions
    ) -> list[FoundItem]:
        """Rank sessions by the evidence that all candidates of each give together, then by the words of the whole.

        Where a message goes on talking, those like the best ones count instead of words.
        """
        groups: dict[str, list[Weighed]] = {}
        for one in weighed:
            groups.setdefault(one.place.session or f"\0{one.record_id}", []).append(one)
        around = options.recipe.surroundings
        scores = by_their_turns(groups, around)
        scores = await by_their_words(self._store, question, scores, around)
        scores = await by_their_likeness(self._store, question, scores, groups, around, models=self._models)
        best = sorted(groups, key=lambda name: (-scores[name], name))[: options.limit]
        unread = [groups[name][0].record_id for name in best if groups[name][0].record_id not in records]
        records |= await self._reading.records(question, unread)
        best = [name for name in best if groups[name][0].record_id in records]
        return await self._answering.sessions(
            question.scope, [groups[name] for name in best], records, [scores[name] for name in best]
        )


def _terms(record: Record) -> frozenset[str]:
    return units(record.content[:READ_FOR_LIKENESS])


def _one_of(value: Grain, known: tuple[Grain, ...], what: str) -> Grain:
    if value not in known:
        raise InvalidInput(f"there is no {what} {value!r}; it is one of {', '.join(known)}")
    return value


def _order_of(order: ItemOrder | Literal["auto"], question: Question) -> ItemOrder:
    if order == "auto":
        return "time" if question.asks_for_order else "relevance"
    if order not in {"relevance", "time"}:
        raise InvalidInput(f"there is no order {order!r}; it is one of auto, relevance, time")
    return order
