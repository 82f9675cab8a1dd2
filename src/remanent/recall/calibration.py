"""Measuring a store for its gate, in the background: its own questions against those of strangers.

A store's own questions are made of what it holds: a sentence with half of its words dropped, as a paraphrase would drop
them. Strangers' questions are of three sorts: sense from elsewhere, words without sense, and letters without words.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pydantic import JsonValue

from remanent.language.tongue import Tongue, tongue_of
from remanent.model import Job, Record, Scope
from remanent.recall.evidence import Wording, asked, strength
from remanent.recall.gate import (
    BOUNDS,
    FOREIGN,
    GATE,
    MOST_READ,
    VERSION,
    WORDS_ALONE,
    Bounds,
    Gate,
    Measures,
    Near,
    best_of,
)
from remanent.recall.path import Candidate, RecallPath
from remanent.recall.question import Question
from remanent.recall.strangers import STRANGERS
from remanent.recall.turns import indexed_through
from remanent.stores import Order, RecordFilter, RecordQuery, Store, Transaction
from remanent.text.chinese import cut
from remanent.text.sentences import sentence_texts
from remanent.text.terms import query_terms

FEWEST_RECORDS = 24
"""A smaller store is not measured: what is usual says more of it than it says itself."""

GROWTH = 1.5
"""A store is measured again when it has grown by this factor."""

SAMPLE = 40
"""How many questions of its own a store is asked at the most."""

FEWEST_OWN = 8
"""With fewer in a language, a store is not at home in it."""

EDGE = 200
"""Records at either end of the store from which its own questions are made."""

FEWEST_TERMS = 4
"""A sentence with fewer search terms makes no question."""

SALADS, GIBBERISH = 12, 12
"""Strangers' questions without sense, by language: of words, and of letters."""

NARROWEST = 0.03
"""The least spread of nearness that is believed."""

_LETTERS = "aeioubcdfghklmnprstvwyz"
_HAN = range(0x4E00, 0x9FA0)
_LONGEST = 2000
_MOST_WORDS = 24


@dataclass(frozen=True, slots=True)
class _Heard:
    """What came of one question."""

    tongue: Tongue
    words: Wording
    best: dict[str, float]
    """The score of the best hit by vector path."""


class Calibration:
    """The job that measures a store, and when it is due."""

    def __init__(self, store: Store, gate: Gate, paths: Sequence[RecallPath]) -> None:
        """Take the paths that the gate goes by: words and vectors."""
        self._store = store
        self._gate = gate
        self._paths = [path for path in paths if path.name == "keyword" or path.name in gate.models]

    async def is_due(self, scope: Scope, *, seq: int) -> bool:
        """Tell whether a journal that has come to this place should be measured."""
        if seq < FEWEST_RECORDS:
            return False
        kept = await self._store.state(scope, GATE)
        if (
            not isinstance(kept, dict)
            or kept.get("version") != VERSION
            or kept.get("models") != dict(self._gate.models)
        ):
            return True
        measured = kept.get("seq")
        if not isinstance(measured, int) or seq >= measured * GROWTH:
            return True
        return kept.get("asked") != await self._asked(scope)

    async def _asked(self, scope: Scope) -> JsonValue:
        """Return the paths that are asked in each language: with others, what was measured says nothing."""
        asked: dict[str, JsonValue] = {}
        for tongue, questions in STRANGERS.items():
            question = Question(questions[0], scope)
            asked[tongue] = [path.name for path in await self._asked_for(question)]
        return asked

    async def _asked_for(self, question: Question) -> list[RecallPath]:
        return [path for path in self._paths if path.share(question) > 0 and await path.needed(question)]

    async def measure(self, job: Job, tx: Transaction) -> None:
        """Ask the store strangers' questions and its own, and keep what comes of it."""
        scope = job.scope.owner
        seq = await indexed_through(self._store, scope)
        chance = random.Random(seq)
        own = [await self._hear(scope, text) for text in own_questions(await self._sample(scope), chance)]
        tongues: dict[str, JsonValue] = {}
        for tongue in STRANGERS:
            strange = [await self._hear(scope, text) for text in strangers(tongue)]
            of_tongue = [heard for heard in own if heard.tongue == tongue]
            tongues[tongue] = self._measures(strange, of_tongue, tongue=tongue).as_json()
        models: dict[str, JsonValue] = dict(self._gate.models)
        asked = await self._asked(scope)
        tx.state(GATE, {"version": VERSION, "seq": seq, "models": models, "asked": asked, "tongues": tongues})

    async def _sample(self, scope: Scope) -> list[Record]:
        edges = [
            await self._store.records(scope, RecordQuery(order=order, limit=EDGE))
            for order in (Order.FIRST_CREATED, Order.LAST_CREATED)
        ]
        return list({record.id: record for records in edges for record in records}.values())

    async def _hear(self, scope: Scope, text: str) -> _Heard:
        question = Question(text, scope)
        found: dict[str, list[Candidate]] = {}
        for path in await self._asked_for(question):
            found[path.name] = await path.find(question, limit=MOST_READ)
        ids = tuple(dict.fromkeys(hit.record_id for hits in found.values() for hit in hits))
        query = RecordQuery(filter=RecordFilter(statuses=None), record_ids=ids, limit=len(ids))
        records = {record.id: record for record in await self._store.records(scope, query)} if ids else {}
        words = await self._gate.words(scope, asked(text), best_of(found, records)[:MOST_READ])
        best = {path: hits[0].score for path, hits in found.items() if hits and path in self._gate.models}
        return _Heard(tongue_of(text), words, best)

    def _measures(self, strange: Sequence[_Heard], own: Sequence[_Heard], *, tongue: Tongue) -> Measures:
        near = {path: _near([heard.best[path] for heard in strange if path in heard.best]) for path in _paths(strange)}
        threshold = threshold_of(
            [self._score(heard, near) for heard in strange],
            [self._score(heard, near) for heard in own],
            bounds=BOUNDS[tongue] if len(own) >= FEWEST_OWN else FOREIGN,
            lower=0.0 if near else WORDS_ALONE,
        )
        return Measures(near, threshold)

    def _score(self, heard: _Heard, near: dict[str, Near]) -> float:
        deviations = {path: near[path].deviations(cosine) for path, cosine in heard.best.items() if path in near}
        return strength(heard.words, self._gate.telling(heard.words, deviations))


def threshold_of(strange: Sequence[float], own: Sequence[float], *, bounds: Bounds, lower: float = 0.0) -> float:
    """Return the score from which on a question is thought to be answered.

    It stands above what strangers come to, and not above what most of the store's own questions come to: a store at
    home in a stranger's subject, or a model that tells nothing apart, must not shut itself off.
    """
    ordered = sorted(strange)
    middle, high = _quantile(ordered, 0.5), _quantile(ordered, 0.95)
    threshold = min(max(high + (high - middle) / 2, bounds.lowest - lower), bounds.highest - lower)
    return min(threshold, _quantile(sorted(own), 0.05)) if len(own) >= FEWEST_OWN else threshold


def _paths(heard: Sequence[_Heard]) -> list[str]:
    return sorted({path for one in heard for path in one.best})


def _near(cosines: Sequence[float]) -> Near:
    ordered = sorted(cosines)
    middle = _quantile(ordered, 0.5)
    # The upper side alone: what strangers share with the store lies above, and nine tenths of a bell within 1.28.
    return Near(middle, max(NARROWEST, (_quantile(ordered, 0.9) - middle) / 1.28))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


# ── questions ────────────────────────────────────────────────────────────────


@cache
def strangers(tongue: Tongue) -> tuple[str, ...]:
    """Return the questions of strangers in a language: the same each time, so that their vectors are kept."""
    chance = random.Random(f"strangers {tongue}")
    sense = STRANGERS[tongue]
    words = [word for question in sense for word in _words(question, tongue)]
    salads = [_join(chance.sample(words, chance.randint(3, 7)), tongue) for _ in range(SALADS)]
    return (*sense, *salads, *(_gibberish(chance, tongue) for _ in range(GIBBERISH)))


def own_questions(records: Sequence[Record], chance: random.Random) -> Iterator[str]:
    """Yield questions that records answer: the most telling sentence of each with half of its words dropped."""
    for record in chance.sample(records, min(SAMPLE, len(records))):
        telling = max(sentence_texts(record.content[:_LONGEST]), key=lambda text: len(query_terms(text)), default="")
        tongue = tongue_of(telling)
        words = _words(telling, tongue)[:_MOST_WORDS]
        if len(query_terms(telling)) >= FEWEST_TERMS:
            kept = sorted(chance.sample(range(len(words)), (len(words) + 1) // 2))
            yield _join([words[place] for place in kept], tongue)


def _words(text: str, tongue: Tongue) -> list[str]:
    words = cut(text) if tongue == "zh" else text.split()
    return [word for word in words if any(sign.isalnum() for sign in word)]


def _join(words: Sequence[str], tongue: Tongue) -> str:
    return ("" if tongue == "zh" else " ").join(words)


def _gibberish(chance: random.Random, tongue: Tongue) -> str:
    if tongue == "zh":
        return "".join(chr(chance.choice(_HAN)) for _ in range(chance.randint(4, 12)))
    return " ".join(
        "".join(chance.choice(_LETTERS) for _ in range(chance.randint(3, 9))) for _ in range(chance.randint(2, 6))
    )
