"""From a shortlist to an answer: without twins and floods, read again by a cross-encoder, or as whole sessions.

Sessions answer a question by their best turns and by the words of all that was said in them. Where a message goes on
talking, likeness to the best session counts too: what people talk on about runs through many.
"""

import asyncio
import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from remanent.embedding.port import Reranker
from remanent.errors import RemanentError
from remanent.model import Kind, LeftOut, Origin, Record
from remanent.recall.question import Question
from remanent.recall.recipe import Rerank, Surroundings
from remanent.recall.scoring import ROUNDING, Factor, RankedCandidate, discounted, min_max, sort_key
from remanent.recall.windows import as_spoken
from remanent.stores import SessionTerms, Store, TermCounts
from remanent.text.regex import lazy_regex
from remanent.text.scripts import UNSPACED
from remanent.text.terms import rarity, saturation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_UNIT = lazy_regex(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_SPACED_UNIT = lazy_regex(r"\w+")
_ASCII_WORDS = bytes(code if chr(code).isalnum() or chr(code) == "_" else ord(" ") for code in range(128)).ljust(256)
_FIRST_UNSPACED = "\u0e00"

TwinsOf = Callable[[str], Mapping[str, float]]
"""The candidates that say nearly the same as one, and how alike they are, up to 1."""


_FULL_WEIGHT_TURNS = 2
"""Turns of one conversation that count in full before each further one counts less."""


def marginal_relevance(
    scores: Mapping[str, float],
    *,
    twins_of: TwinsOf,
    strength: float,
    talk_of: Callable[[str], Hashable | None] = lambda _: None,
    further: float = 0.0,
) -> Iterator[str]:
    """Yield the ids by maximal marginal relevance, best first; what nobody takes is not worked out.

    A candidate's score falls by up to `strength` of it with its likeness to the nearest twin chosen before. From the
    third of one talk on, it falls by `further` with each that was chosen. With equal scores the order of the mapping
    decides.
    """
    if not strength and not further:
        yield from scores
        return
    left = dict(scores)
    nearest = dict.fromkeys(left, 0.0)
    talks = {one: talk_of(one) for one in left}
    weight = dict.fromkeys(talks.values(), 1.0)
    count = dict.fromkeys(weight, 0)
    places = {one: place for place, one in enumerate(left)}
    queue = [(-score, places[one], one) for one, score in left.items()]
    heapify(queue)
    while left:
        less, _, best = heappop(queue)
        if left.get(best) != -less:
            continue  # it has been taken, or has fallen since
        del left[best]
        yield best
        fallen = set[str]()
        for other, alike in twins_of(best).items():
            if other in left:
                nearest[other] = max(nearest[other], alike)
                fallen.add(other)
        talk = talks[best]
        count[talk] += 1
        if talk is not None and count[talk] >= _FULL_WEIGHT_TURNS:
            weight[talk] *= 1 - further
            fallen.update(one for one in left if talks[one] == talk)
        for one in fallen:
            left[one] = scores[one] * (1 - strength * nearest[one]) * weight[talks[one]]
            heappush(queue, (-left[one], places[one], one))


def crowds(sizes: Mapping[str, int], twins_of: TwinsOf, *, twins: float, most: int) -> dict[str, list[str]]:
    """Return the groups of near-duplicates that hold more than `most` of the texts, each by its first one.

    A text belongs to the first one that it is a twin of. Where no size has so many others near it, nothing is compared:
    twins are about as long as each other. What says nothing, of the size 0, stands alone.
    """
    if not _may_crowd(sorted(sizes.values()), twins=twins, most=most):
        return {}
    groups: dict[str, list[str]] = {}
    for record_id in sizes:
        alike = twins_of(record_id)
        first = next((one for one in groups if one in alike), record_id) if alike else record_id
        groups.setdefault(first, []).append(record_id)
    return {first: members for first, members in groups.items() if len(members) > most}


def _may_crowd(sizes: list[int], *, twins: float, most: int) -> bool:
    """Tell whether more than `most` of the sizes, sorted, are as near to one of them as those of twins are."""
    if not twins:
        return True
    bounds = ((size * twins - ROUNDING, size / twins + ROUNDING) for size in set(sizes))
    return any(bisect_right(sizes, high) - bisect_left(sizes, low) > most for low, high in bounds)


def may_be_twins(one: int, other: int, *, twins: float) -> bool:
    """Tell by the sizes of two texts whether they may overlap by `twins`: most pairs may not."""
    return one >= twins * other and other >= twins * one


def twins_among(texts: Mapping[str, frozenset[str]], *, twins: float) -> dict[str, dict[str, float]]:
    """Return for each text, given by its units, the others that overlap with it by `twins`, and by how much.

    In the order of their sizes, so that a text is held against those only that may be its twins. Of a twin's units so
    few are missing that one more than those are enough to rule most of the others out.
    """
    found: dict[str, dict[str, float]] = {one: {} for one in texts}
    by_size = sorted(((one, own) for one, own in texts.items() if own), key=lambda pair: len(pair[1]))
    end = 0
    for place, (one, own) in enumerate(by_size, start=1):
        size = len(own)
        while end < len(by_size) and may_be_twins(size, len(by_size[end][1]), twins=twins):
            end += 1
        some = tuple(islice(own, math.floor(size * (1 - twins) / (1 + twins) + ROUNDING) + 1))
        near = by_size[place:end]
        for other, others in [pair for pair in near if not pair[1].isdisjoint(some)] if twins else near:
            alike = overlap(own, others)
            if alike >= twins:
                found[one][other] = found[other][one] = alike
    return found


def units(text: str) -> frozenset[str]:
    """Return what a text is compared by: its words, and characters with their neighbours where words are not spaced.

    Coarser than search terms and many times quicker: twins are alike by any measure.
    """
    if text.isascii():  # the same words as the pattern's, in a third of its time
        return frozenset(text.encode().lower().translate(_ASCII_WORDS).decode().split())
    # To compile the other pattern takes 4 ms, which most commands can spare.
    if max(text) < _FIRST_UNSPACED:
        return frozenset(_SPACED_UNIT.findall(text.casefold()))
    found = _UNIT.findall(text.casefold())
    if any(one >= _FIRST_UNSPACED for one in found):
        found += [first + second for first, second in pairwise(found)]
    return frozenset(found)


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return how many of all terms of two texts both hold."""
    if not first or not second:
        return 0.0
    both = len(first & second)
    return both / (len(first) + len(second) - both)


_COMPARED_CHARACTERS = 300
"""Characters by which texts are compared; twins show early, and every pair of the shortlist is compared."""


class ComparedTexts:
    """The records that were read, and what each is compared by, worked out once for all comparisons."""

    def __init__(self, records: dict[str, Record], *, twins: float) -> None:
        self.records = records
        self._twins = twins
        self._units: dict[str, frozenset[str]] = {}
        self._twins_of: dict[str, dict[str, float]] = {}

    def units(self, record_id: str) -> frozenset[str]:
        """Return what a record is compared by."""
        found = self._units.get(record_id)
        if found is None:
            found = self._units[record_id] = units(self.records[record_id].content[:_COMPARED_CHARACTERS])
        return found

    def likeness(self, one: str, other: str) -> float:
        """Return how alike two records are, 0 where they cannot be twins."""
        first, second = self.units(one), self.units(other)
        return overlap(first, second) if may_be_twins(len(first), len(second), twins=self._twins) else 0.0

    def twins_of(self, record_id: str) -> Mapping[str, float]:
        """Return the records that say nearly the same as one, and how alike they are."""
        if len(self._twins_of) != len(self.records) or self._twins_of.keys() != self.records.keys():
            self._twins_of = twins_among({one: self.units(one) for one in self.records}, twins=self._twins)
        return self._twins_of[record_id]


def talks_with_agents(candidates: Sequence[RankedCandidate]) -> dict[str, str | None]:
    """Return by record the session of what a user and an agent say to each other.

    Who talks with an agent tells a thing once and goes on with it; people among themselves, and a diary that nobody
    replies to, have the whole answer in one place.

    Where no agent's turn is found in a session nothing of it gives way: a user's messages alone are a diary, and a
    tenth of MemDaily's questions lost a part of their evidence while diaries gave way like talks.
    """
    places = [one.place for one in candidates if one.place.kind is Kind.TURN]
    answered = {place.session for place in places if place.trust is Origin.AGENT}
    said = (place for place in places if place.trust in (Origin.USER, Origin.AGENT))
    return {place.record_id: place.session for place in said if place.session in answered}


# ── whole sessions ──

_MAX_RECORDS = 4000
"""Records of all sessions together that are read for their words; bounds the time that one huge session can take."""
_MAX_COUNTED = 20_000
"""A term that as many records hold tells nothing."""
# An assistant's long answers hold every word of a field; what a session is about is what people said in it.
_PEOPLE = (Origin.USER, Origin.IMPORT, Origin.TOOL, Origin.UNTRUSTED)


def by_their_turns(groups: Mapping[str, Sequence[RankedCandidate]], around: Surroundings) -> dict[str, float]:
    """Return how much the candidates of each session speak for it."""
    is_reranked = any(one.reranked is not None for group in groups.values() for one in group)
    return {
        name: discounted(
            (one.score if is_reranked else one.own for one in group),
            discount=around.grain_discount,
            depth=around.grain_depth,
        )
        for name, group in groups.items()
    }


async def by_their_words(
    store: Store, question: Question, scores: Mapping[str, float], around: Surroundings
) -> dict[str, float]:
    """Return the scores with the words of whole sessions weighed in; of all but the best, the scores as they are.

    Only of the best, because reading the words of a session costs, and only for facts: who goes on talking uses the
    words of every talk.
    """
    best = sorted(scores, key=lambda name: (-scores[name], name))[: around.words_of]
    if not around.words or not question.asks_for_a_fact or len(best) < 2:
        return dict(scores)
    held = await store.session_terms(
        question.scope,
        best,
        question.terms,
        record_filter=question.record_filter,
        origins=None if question.asks_the_agent else _PEOPLE,
        most=_MAX_RECORDS,
    )
    if not held:
        return dict(scores)
    known = await store.term_counts(question.scope.owner, question.terms, most=_MAX_COUNTED)
    words = min_max(session_bm25(held, known))
    turns = min_max({name: scores[name] for name in best})
    # From 1 to 2, so that all of the rest fit between 0 and 1.
    lead = max(scores.values()) or 1.0
    rest = {name: score / lead for name, score in scores.items()}
    return rest | {name: 1 + (1 - around.words) * turns[name] + around.words * words.get(name, 0.0) for name in best}


def session_bm25(held: Mapping[str, SessionTerms], known: TermCounts) -> dict[str, float]:
    """Return the BM25 of each session as one text among the others, rarity taken from single records."""
    mean = sum(one.length for one in held.values()) / len(held) if held else 0.0
    if not mean:
        return dict.fromkeys(held, 0.0)
    return {
        # The exact sum: the same whatever order a store tells the terms in.
        name: math.fsum(
            rarity(known.holding.get(term, 0), known.records) * saturation(count, one.length / mean)
            for term, count in one.counts.items()
        )
        for name, one in held.items()
    }


SEEDS = 3
"""The sessions that the others are compared with: the best. Chosen by hand."""
_TURNS = 5
"""How many of its best turns stand for a session. Chosen by hand."""
_LEAST = 1e-9
"""Keeps what has no length from being divided by nothing."""


async def by_their_likeness(
    store: Store,
    question: Question,
    scores: Mapping[str, float],
    groups: Mapping[str, Sequence[RankedCandidate]],
    around: Surroundings,
    *,
    models: Mapping[str, str],
) -> dict[str, float]:
    """Return the scores with the likeness to the best weighed in, and note it in the best turn of each session.

    `models` names the model of each path that goes by vectors; the one that found most of the turns compares them.
    """
    best = sorted(scores, key=lambda name: (-scores[name], name))[: around.likeness_of]
    turns = {name: groups[name][:_TURNS] for name in best}
    finders = Counter(path for group in turns.values() for one in group for path, _, _ in one.found if path in models)
    if not around.likeness or question.asks_for_a_fact or len(best) <= SEEDS or not finders:
        return dict(scores)
    model = models[finders.most_common(1)[0][0]]
    vectors = await store.vectors(
        question.scope, [one.record_id for group in turns.values() for one in group], model=model
    )
    held = {
        name: [vectors[one.record_id] for one in group if one.record_id in vectors] for name, group in turns.items()
    }
    lifts = session_likeness({name: scores[name] for name in best}, {name: rows for name, rows in held.items() if rows})
    lead = scores[best[0]] or 1.0
    lifted = {name: score / lead + around.likeness * lifts.get(name, 0.0) for name, score in scores.items()}
    for name, gain in lifts.items():
        if gain > 0 and scores[name] > 0:
            groups[name][0].boost(Factor("likeness", lifted[name] * lead / scores[name]))
    return lifted


def session_likeness(
    scores: Mapping[str, float], held: "Mapping[str, Sequence[NDArray[np.float32]]]"
) -> dict[str, float]:
    """Return how like the best sessions each is, from 0 to 1: what half of all pairs have in common counts nothing.

    `scores` go from the best down; `held` are the vectors that stand for a session, one of length 1 for each turn.
    """
    import numpy as np

    names = [name for name in scores if name in held]
    if len(names) <= SEEDS:
        return {}
    middles = np.stack([np.mean(held[name], axis=0) for name in names])
    middles /= np.maximum(np.linalg.norm(middles, axis=1, keepdims=True), _LEAST)
    alike = middles @ middles.T
    usual = float(np.median(alike[~np.eye(len(names), dtype=bool)]))
    alike = np.clip((alike - usual) / max(1 - usual, _LEAST), 0.0, 1.0)
    np.fill_diagonal(alike, 0.0)
    seeds = np.array([scores[name] for name in names[:SEEDS]])
    gains = alike[:, :SEEDS] @ seeds / max(float(seeds.sum()), _LEAST)
    return {name: float(gain) for name, gain in zip(names, gains, strict=True)}


# ── the cross-encoder ──

_READ_TOGETHER = 800
"""Characters of a turn that the cross-encoder reads; its time grows with them, and what a turn is about shows early."""


async def rerank_shortlist(
    question: Question,
    weighed: list[RankedCandidate],
    records: Mapping[str, Record],
    *,
    rerank: Rerank,
    reranker: Reranker | None,
    timeout: float,
    load_timeout: float,
) -> LeftOut | None:
    """Have the cross-encoder read the best candidates; without it they stay as they are, and the answer says why.

    It reads a shortlist only, because it takes some milliseconds a pair; and a reranker that is missing, does not know
    the language or is late costs its own say and nothing else, since the order before it is an answer already.
    """
    if reranker is None:
        return LeftOut(path="reranker", reason="no cross-encoder is configured; set recall.reranker")
    if not reranker.knows(question.language):
        return LeftOut(path="reranker", reason="the cross-encoder does not know the question's language")
    best = weighed[: rerank.candidates]
    try:
        async with asyncio.timeout(load_timeout):
            await reranker.prepare()
        async with asyncio.timeout(timeout):
            texts = [as_spoken(records[one.record_id], most=_READ_TOGETHER) for one in best]
            judged = await reranker.score(question.asked, texts)
    except (RemanentError, TimeoutError) as error:
        return LeftOut(path="reranker", reason=f"{type(error).__name__}: {error}" if str(error) else "not in time")
    for one, score in zip(best, judged, strict=True):
        one.reranked = score
    _blend(best, weighed[len(best) :], share=rerank.share)
    weighed.sort(key=sort_key)
    return None


def _blend(best: Sequence[RankedCandidate], rest: Sequence[RankedCandidate], *, share: float) -> None:
    """Give each read candidate a score between the cross-encoder's and its own; the unread stay behind them all."""
    before = min_max({one.record_id: one.score for one in best})
    odds = min_max({one.record_id: _odds(one.reranked or 0.0) for one in best})
    lead = max((one.score for one in rest), default=0.0) or 1.0
    for one in best:
        # From 1 to 2, so that all of the rest fit between 0 and 1.
        one.score = 1 + share * odds[one.record_id] + (1 - share) * before[one.record_id]
    for one in rest:
        one.score /= lead


def _odds(score: float) -> float:
    bounded = min(max(score, _LEAST), 1 - _LEAST)
    return math.log(bounded / (1 - bounded))
