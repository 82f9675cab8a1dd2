"""Measuring a store for its gate, in the background: its own questions against those of strangers.

A store's own questions are made of what it holds: a sentence with half of its words dropped, as a paraphrase would drop
them. Strangers' questions are of three sorts: sense from elsewhere, words without sense, and letters without words.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from functools import cache, partial
from importlib.resources import files

from pydantic import JsonValue

from remanent.bilingual import Language
from remanent.lightweight import dataclass
from remanent.model import Job, Kind, Record, Scope
from remanent.recall.gate import (
    BOUNDS,
    FOREIGN,
    GATE,
    MAX_READ,
    MIN_RECORDS,
    VERSION,
    WORDS_ALONE,
    Gate,
    KnownTerms,
    Measures,
    Nearness,
    TermMatch,
    TermsOfRecords,
    ThresholdBounds,
    best_of,
    informative_terms,
    of_models,
    strength,
)
from remanent.recall.indexing import TURNS, indexed_through
from remanent.recall.paths import RecallPath
from remanent.recall.question import Question
from remanent.recall.windows import PARTS
from remanent.stores import Order, RecordQuery, Store, Transaction
from remanent.text.chinese import cut
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.terms import query_terms

_GROWTH = 1.5
"""A store is measured again when it has grown by this factor: nearness rises with the logarithm of its size.
Chosen by hand."""

_SAMPLE = 40
"""How many questions of its own a store is asked at the most; the 5th percentile of 40 is the second lowest score."""

_MIN_OWN = 8
"""With fewer in a language, a store is not at home in it. Chosen by hand."""

_EDGE = 200
"""Records at either end of the store from which its own questions are made: what was told first and last, read
without going through all of it."""

_MIN_TERMS = 4
"""A sentence with fewer search terms makes no question."""

RANDOM_WORDS, RANDOM_LETTERS = 12, 12
"""Strangers' questions without sense, by language: of words drawn at random, and of letters."""

_TOGETHER = 44
"""Questions that are asked at a time: each step of them is one call of the store, and some tenths of a second of its
time where an agent has 100,000 records. Chosen by hand: strangers of a language are asked in two goes."""

_MIN_SPREAD = 0.03
"""The least spread of nearness that is believed: about half of what is typical of the bundled models, so that a store
of look-alikes does not turn every hit into a near one."""

_LETTERS = "aeioubcdfghklmnprstvwyz"
_HAN = range(0x4E00, 0x9FA0)
# Of a long record its first sentences make the question, and of a long sentence its first words: people ask briefly.
_LONGEST = 2000
_MAX_WORDS = 24


@dataclass(frozen=True, slots=True)
class _ProbeOutcome:
    """What came of one question."""

    language: Language
    words: TermMatch
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
        """Tell whether a journal that has come to this place should be measured.

        A look at one state, since every indexing job asks: measuring itself takes two hundred questions.
        """
        if seq < MIN_RECORDS:
            return False
        kept = of_models(await self._store.state(scope, GATE), self._gate.models)
        measured = kept.get("seq")
        if not isinstance(measured, int) or seq >= measured * _GROWTH:
            return True
        return kept.get("asked") != await self._asked(scope)

    async def _asked(self, scope: Scope) -> JsonValue:
        """Return the paths that are asked in each language: with others, what was measured says nothing."""
        asked: dict[str, JsonValue] = {}
        for language, questions in _strange_questions().items():
            question = Question(questions[0], scope)
            asked[language] = [path.name for path in await self._asked_for(question)]
        return asked

    async def _asked_for(self, question: Question) -> list[RecallPath]:
        return [path for path in self._paths if path.share(question) > 0 and await path.needed(question)]

    async def measure(self, job: Job, tx: Transaction) -> None:
        """Ask the store strangers' questions and its own, and keep what comes of it."""
        scope = job.scope.owner
        seq = await indexed_through(self._store, scope)
        if not await self.is_due(scope, seq=seq):
            return  # asked for again while it was being measured
        chance = random.Random(seq)
        # The same records answer many of the questions: taking each apart once saves most of the time.
        known: KnownTerms = {}
        own = await self._outcomes(scope, list(own_questions(await self._sample(scope), chance)), known)
        languages: dict[str, JsonValue] = {}
        for language in _strange_questions():
            strange = await self._outcomes(scope, strangers(language), known)
            in_language = [one for one in own if one.language == language]
            languages[language] = self._measures(strange, in_language, language=language).as_json()
        models: dict[str, JsonValue] = dict(self._gate.models)
        asked = await self._asked(scope)
        tx.state(GATE, {"version": VERSION, "seq": seq, "models": models, "asked": asked, "tongues": languages})

    async def _sample(self, scope: Scope) -> list[Record]:
        edges = await asyncio.gather(
            *(
                self._store.records(scope, RecordQuery(order=order, limit=_EDGE))
                for order in (Order.FIRST_CREATED, Order.LAST_CREATED)
            )
        )
        known = list({record.id: record for records in edges for record in records}.values())
        # A fact that was learned of a turn says less in other words: a question made of it would open the gate wide.
        said = [record for record in known if record.kind is Kind.TURN]
        return said if len(said) >= _MIN_OWN else known

    async def _outcomes(self, scope: Scope, texts: Sequence[str], known: KnownTerms) -> list[_ProbeOutcome]:
        """Ask questions, as many at a time as `_TOGETHER` says, and return what came of each."""
        standing = await self._store.standing(scope, states=(TURNS, PARTS))
        outcomes: list[_ProbeOutcome] = []
        for start in range(0, len(texts), _TOGETHER):
            questions = [Question(text, scope, standing=standing) for text in texts[start : start + _TOGETHER]]
            paths = [await self._asked_for(question) for question in questions]
            for path in self._paths:
                # In one go, so that they are searched in one go as well.
                await path.expect([one for one, asked in zip(questions, paths, strict=True) if path in asked])
            outcomes += await asyncio.gather(*map(partial(self._probe, known=known), questions, paths))
        return outcomes

    async def _probe(self, question: Question, paths: Sequence[RecallPath], *, known: KnownTerms) -> _ProbeOutcome:
        wanted = informative_terms(question.text)
        counts, answers = await asyncio.gather(
            self._gate.counts(question.scope, wanted),
            asyncio.gather(*(path.find(question, limit=MAX_READ) for path in paths)),
        )
        found = {path.name: hits for path, hits in zip(paths, answers, strict=True)}
        ids = [hit.record_id for hits in found.values() for hit in hits]
        records = await self._store.records_by_id(question.scope, ids)
        words = TermsOfRecords(wanted, counts, known).match(best_of(found, records)[:MAX_READ])
        best = {path: hits[0].score for path, hits in found.items() if hits and path in self._gate.models}
        return _ProbeOutcome(working_language(question.text), words, best)

    def _measures(
        self, strange: Sequence[_ProbeOutcome], own: Sequence[_ProbeOutcome], *, language: Language
    ) -> Measures:
        near = {path: _near([one.best[path] for one in strange if path in one.best]) for path in _paths(strange)}
        threshold = threshold_of(
            [self._score(one, near) for one in strange],
            [self._score(one, near) for one in own],
            bounds=BOUNDS[language] if len(own) >= _MIN_OWN else FOREIGN,
            lower=0.0 if near else WORDS_ALONE,
        )
        return Measures(near, threshold)

    def _score(self, outcome: _ProbeOutcome, near: dict[str, Nearness]) -> float:
        deviations = {path: near[path].deviations(cosine) for path, cosine in outcome.best.items() if path in near}
        return strength(outcome.words, self._gate.telling(outcome.words, deviations))


def threshold_of(
    strange: Sequence[float], own: Sequence[float], *, bounds: ThresholdBounds, lower: float = 0.0
) -> float:
    """Return the score from which on a question is thought to be answered.

    It stands above what strangers come to, and not above what most of the store's own questions come to: a store at
    home in a stranger's subject, or a model that tells nothing apart, must not shut itself off.
    """
    ordered = sorted(strange)
    middle, high = _quantile(ordered, 0.5), _quantile(ordered, 0.95)
    threshold = min(max(high + (high - middle) / 2, bounds.lowest - lower), bounds.highest - lower)
    return min(threshold, _quantile(sorted(own), 0.05)) if len(own) >= _MIN_OWN else threshold


def _paths(outcomes: Sequence[_ProbeOutcome]) -> list[str]:
    return sorted({path for one in outcomes for path in one.best})


def _near(cosines: Sequence[float]) -> Nearness:
    ordered = sorted(cosines)
    middle = _quantile(ordered, 0.5)
    # The upper side alone: what strangers share with the store lies above, and nine tenths of a bell within 1.28.
    return Nearness(middle, max(_MIN_SPREAD, (_quantile(ordered, 0.9) - middle) / 1.28))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


# ── questions ────────────────────────────────────────────────────────────────


@cache
def _strange_questions() -> dict[Language, tuple[str, ...]]:
    """Read the questions of strangers: those in English, an empty line, the same in Chinese."""
    english, chinese = files("remanent.recall").joinpath("strangers.txt").read_text("utf-8").split("\n\n")
    return {"en": tuple(english.splitlines()), "zh": tuple(chinese.splitlines())}


@cache
def strangers(language: Language) -> tuple[str, ...]:
    """Return the questions of strangers in a language: the same each time, so that their vectors are kept."""
    chance = random.Random(f"strangers {language}")
    sense = _strange_questions()[language]
    words = [word for question in sense for word in _words(question, language)]
    shuffled = [_join(chance.sample(words, chance.randint(3, 7)), language) for _ in range(RANDOM_WORDS)]
    return (*sense, *shuffled, *(_gibberish(chance, language) for _ in range(RANDOM_LETTERS)))


def own_questions(records: Sequence[Record], chance: random.Random) -> Iterator[str]:
    """Yield questions that records answer: the most telling sentence of each with half of its words dropped."""
    for record in chance.sample(records, min(_SAMPLE, len(records))):
        telling = max(sentence_texts(record.content[:_LONGEST]), key=lambda text: len(query_terms(text)), default="")
        language = working_language(telling)
        words = _words(telling, language)[:_MAX_WORDS]
        if len(query_terms(telling)) >= _MIN_TERMS:
            kept = sorted(chance.sample(range(len(words)), (len(words) + 1) // 2))
            yield _join([words[place] for place in kept], language)


def _words(text: str, language: Language) -> list[str]:
    words = cut(text) if language == "zh" else text.split()
    return [word for word in words if any(sign.isalnum() for sign in word)]


def _join(words: Sequence[str], language: Language) -> str:
    return ("" if language == "zh" else " ").join(words)


def _gibberish(chance: random.Random, language: Language) -> str:
    if language == "zh":
        return "".join(chr(chance.choice(_HAN)) for _ in range(chance.randint(4, 12)))
    return " ".join(
        "".join(chance.choice(_LETTERS) for _ in range(chance.randint(3, 9))) for _ in range(chance.randint(2, 6))
    )
