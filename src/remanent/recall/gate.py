"""The gate: a question that nothing here answers gets an empty answer rather than noise.

What speaks for an answer is held against what speaks for questions that belong to nobody here. How near
in meaning a stranger's best hit comes depends on the model, the language and the size of the store; it is measured on
the store itself in the background (`calibration.py`), and until then taken from what is usual for the bundled models.
"""

import asyncio
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import zip_longest
from typing import Any

from pydantic import JsonValue

from remanent.bilingual import Language
from remanent.lightweight import dataclass
from remanent.model import GateReason, GateVerdict, Kind, Origin, Record, Scope, TurnData
from remanent.model.entry import chat_role
from remanent.recall.answerability import is_own_fact, is_vague, lacks_mention, lacks_mention_of_named, speaks_of
from remanent.recall.paths import Candidate
from remanent.recall.question import READ_ON_THE_LOOP, Question
from remanent.stores import Store, TermCounts
from remanent.text.chinese import is_known
from remanent.text.chinese import rarity as chinese_rarity
from remanent.text.dates import TimeMention
from remanent.text.mentions import mentions
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, fold, working_language
from remanent.text.sentences import sentence_texts
from remanent.text.talk import asks_for_advice, asks_of_oneself, asks_what_was_asked, is_small_talk, only_asks
from remanent.text.terms import held_terms, index_terms, is_unspaced, query_terms, telling_part
from remanent.text.words import (
    CHINESE_STOP_WORDS,
    COMMON_ENGLISH,
    ENGLISH_STOP_WORDS,
    stem,
)

_SMOOTHING = 50
"""Records that are thought to be there besides: of three records, none tells which words are rare. Chosen by hand."""

_PLAIN_WORDS = 2
"""How many common words a plain question has at the most."""

_MIN_SENTENCE_TERMS = 2
"""A sentence with fewer informative terms says too little to be covered by itself."""

# Weights that separate answered questions from strange ones, and how far each sign may carry; fitted to questions in
# Chinese and English on stores of 1 to 700 records.
_NEARNESS_WEIGHT = 1.4
_FARTHEST = 5.0
_COVERAGE_WEIGHT = 5.0
_MATCHED_WEIGHT = 2.0
_MAX_MATCHED = 3.0
_RARE_TERM = 2.0
_RARE_SHARE = 0.01
_RARE_COVERAGE = 0.2
"""What a rare term tells that was found exactly, the share of all records that hold one at the most, and how much of a
question must be covered with it: of 454 Chinese questions (CMRC) 8 of 12 that were held back have one; made-up words
that happen to be a name cover less."""
_KNOWN_SPEAKER = 2.0
"""The weight of a question's naming somebody who spoke: it is likely meant for this store."""
_LEAD_WEIGHT = 4.0
"""How much it tells that this one said more of it than others."""
_ANOTHERS = -0.3
_CLEARLY_ANOTHERS = 0.45
"""The lead below which what was found is thought to be another's, and how much further behind it must be by terms alone
where the search for words does not see it. In talks of two (LoCoMo) this holds back 4 of 582 questions that have an
answer, and 27 of 172 about the wrong one of the two; chosen on both halves of them."""
_VETO = 25.0
"""More than all the rest can speak for an answer."""
_DATE_SHARE = 0.3
"""How much of a word a part of a date is; fitted with the weights above."""
_UNSPACED_WORD = 0.6
"""How much of a word a term is in scripts without spaces, where the terms of a text overlap."""

_COMMON_CHINESE = 9.0
_EVERYDAY_CHINESE = 11.0
_LONE_CHINESE = 15.0
"""Rarity (by the frequencies of the segmenter's dictionary) below which everybody uses a Chinese word; below which
everybody knows it and has another for it (小孩, 丈夫); and from which on a single sign names a thing; chosen by hand
from words on both sides of them."""


@cache
def _common_by_beginning() -> dict[str, list[str]]:
    """The words that everybody uses of English, by their first two letters."""
    words: dict[str, list[str]] = {}
    for word in COMMON_ENGLISH:
        words.setdefault(word[:2], []).append(word)
    return words


@cache
def _common_stems(beginning: str) -> frozenset[str]:
    """What everybody uses of English, stemmed: of 4,000 words those that begin as a question's do, which is enough."""
    return frozenset(map(stem, _common_by_beginning().get(beginning, ())))


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    """What a question asks for: the informative terms of the whole, and of each of its sentences."""

    terms: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...] = ()
    dates: frozenset[str] = frozenset()
    """The terms that belong to a date: they say when, and most memories do not repeat in words when they were made."""

    @property
    def vague(self) -> bool:
        """Whether no term tells what is looked for."""
        return all(is_vague(term) for term in self.terms if term not in self.dates)

    @property
    def named(self) -> tuple[str, ...]:
        """What may be missing here: the things that it names, else a fact that everybody has (a birthday)."""
        things = tuple(term for term in self.terms if term not in self.dates and not is_vague(term))
        return things or tuple(term for term in self.terms if is_own_fact(term))

    @property
    def _words(self) -> list[str]:
        """Its terms that are words, without dates."""
        return [term for term in self.terms if term not in self.dates and (term.isascii() or is_known(term))]

    @property
    def plain(self) -> bool:
        """Whether it is asked in one or two words that everybody uses, of which any paraphrase may do without."""
        words, named = self._words, sum(term not in self.dates for term in self.terms)
        return len(words) <= _PLAIN_WORDS and all(map(is_common, words)) and named < len(words) + 2

    @property
    def everyday(self) -> bool:
        """Whether every word of it is one that people say in others: 小孩不能吃什么 is answered by 儿子对腰果过敏."""
        words = self._words
        parts = [one for one in words if one.isascii() or not any(other in one for other in words if other != one)]
        return bool(parts) and all(is_common(part, chinese=_EVERYDAY_CHINESE) for part in parts)

    def without(self, terms: Collection[str]) -> "QuestionTerms":
        """Return the same without some terms."""
        sentences = (tuple(term for term in part if term not in terms) for part in self.sentences)
        left = tuple(part for part in sentences if len(part) >= _MIN_SENTENCE_TERMS)
        return QuestionTerms(tuple(term for term in self.terms if term not in terms), left, self.dates)


@dataclass(frozen=True, slots=True)
class TermMatch:
    """How far candidates name what is asked for."""

    coverage: float = 0.0
    """The share of the question, or of its best sentence, that the best candidate holds."""
    matched: float = 0.0
    """How many rare words' worth the best candidate holds."""
    rare: bool = False
    """Whether any candidate holds a term of the question that hardly anything else here does."""


def informative_terms(text: str, *, dates: Sequence[TimeMention] = ()) -> QuestionTerms:
    """Return the informative terms of a question that names these dates."""
    dated = frozenset(term for mention in dates for term in query_terms(mention.text))
    sentences = (_informative(sentence) for sentence in sentence_texts(text))
    parts = tuple(part for part in sentences if len(part) >= _MIN_SENTENCE_TERMS)
    return QuestionTerms(_informative(text), parts, dated)


def _wanted(question: Question) -> QuestionTerms:
    return informative_terms(question.asked, dates=question.dates_asked)


_BEFORE_WHAT = lazy_regex(rf"([{HAN}])([叫是在有])(?=什么|谁|哪|几|多少|啥)")


def _informative(text: str) -> tuple[str, ...]:
    """Return the terms of a text, without stop words, and without characters that stand in a longer term.

    One that hardly any word has stays: 蓍 of 蓍分布在哪里, where 蓍分 is no word.
    """
    # 猫叫什么 asks of a 猫, not of 猫叫, which is a word as well and which nobody said.
    asked = () if text.isascii() else _BEFORE_WHAT.finditer(fold(text))
    torn = {found[1] + found[2]: found[1] for found in asked}
    terms = [torn.get(term, term) for term in query_terms(text)]
    terms = [one for one in dict.fromkeys(terms) if one not in ENGLISH_STOP_WORDS and one not in CHINESE_STOP_WORDS]
    longer = "\n".join(term for term in terms if len(term) > 1 and not term.isascii())
    return tuple(
        term for term in terms if len(term) > 1 or term.isascii() or term not in longer or _names_a_thing(term)
    )


def _names_a_thing(sign: str) -> bool:
    """Tell whether a single Chinese sign is the name of something, as 蓍 is of a plant, and not a part of words.

    Without it 蓍分布在哪些地区 was held back although the plant's own text came first; of 150 questions of CMRC any@5
    rose from .980 to .987 with it.
    """
    return not sign.isascii() and chinese_rarity(sign) >= _LONE_CHINESE


def rarity(holding: int, *, records: int) -> float:
    """Return the weight of a term that so many of the records hold."""
    return math.log(1 + (records + _SMOOTHING - holding + 0.5) / (holding + 0.5))


def best_coverage(
    question: QuestionTerms, holding: Mapping[str, int], candidates: Sequence[Collection[str]], *, records: int
) -> TermMatch:
    """Return how far any of the candidates, each given by its terms, names what is asked for.

    `holding` says for each term how many of the records hold it.
    """
    weights = {
        term: rarity(holding.get(term, 0), records=records) * (_DATE_SHARE if term in question.dates else 1.0)
        for term in question.terms
    }
    rare = math.log(1 + records + _SMOOTHING)
    coverage = matched = 0.0
    for terms in candidates:
        coverage = max(coverage, *(_share(part, weights, terms) for part in (question.terms, *question.sentences)))
        held = sum(
            weights[term] * (1.0 if term.isascii() else _UNSPACED_WORD) for term in question.terms if term in terms
        )
        matched = max(matched, held / rare)
    telling = {term for term in question.terms if _is_rare(term, holding.get(term, 0), records=records)}
    telling -= question.dates
    is_rare = coverage >= _RARE_COVERAGE and any(not telling.isdisjoint(terms) for terms in candidates)
    return TermMatch(coverage, matched, rare=is_rare)


def _share(asked_terms: Sequence[str], weights: Mapping[str, float], terms: Collection[str]) -> float:
    total = sum(weights.get(term, 0.0) for term in asked_terms)
    return sum(weights.get(term, 0.0) for term in asked_terms if term in terms) / total if total else 0.0


def is_common(term: str, *, chinese: float = _COMMON_CHINESE) -> bool:
    """Tell whether general text often has a term: that it is missing from a store says little."""
    return term in _common_stems(term[:2]) if term.isascii() else chinese_rarity(term) < chinese


def _is_rare(term: str, holding: int, *, records: int) -> bool:
    """Tell whether a term by itself says what is asked for: a name or a word of its own that a few records hold."""
    few = records >= _SMALL and 0 < holding <= max(1, _RARE_SHARE * records)
    return few and (_names_a_thing(term) if len(term) == 1 else not is_common(term))


def strength(words: TermMatch, nearness: Collection[float], *, speaker_lead: float | None = None) -> float:
    """Return how much speaks for an answer: by words, who said them, and how much nearer the best is than a stranger's.

    `speaker_lead` says how much more of the question the words of the one whom it names cover than those of others.
    """
    said = 0.0
    if speaker_lead is not None:
        said = _KNOWN_SPEAKER + _LEAD_WEIGHT * speaker_lead - (_VETO if speaker_lead < _ANOTHERS else 0.0)
    near = sum(max(-_FARTHEST, min(_FARTHEST, value)) for value in nearness) / len(nearness) if nearness else 0.0
    held = _COVERAGE_WEIGHT * words.coverage + _MATCHED_WEIGHT * min(words.matched, _MAX_MATCHED)
    return _NEARNESS_WEIGHT * near + held + (_RARE_TERM if words.rare else 0.0) + said


GATE = "gate"
"""The job that measures a store for its gate, its lane, and the state that keeps the measures."""

VERSION = 2
"""Raise it when measures kept before say nothing any more."""

MAX_READ = 8
"""Candidates whose words are looked at: the best of each path. Taking their words apart is what the gate's time goes
to, and an answer that stands further behind is no answer that a user would see."""

_MAX_OF_EACH = 4
"""Candidates of the speaker whom a question names, and of others, whose words are held against each other: half of the
above for either side."""

_LONGEST_READ = 3000
"""Characters of a candidate that are looked at, where it names the most of what is asked for; bounds the time that one
pasted document can take. Of a longer one not the beginning is read: a fact behind it was taken for a stranger's
question."""

_MAX_SOUGHT = 16
"""Terms that are looked for in a longer candidate to find that place, the rarest of those that any record holds. To
find it in 400,000 characters takes 4 to 9 ms of processor time, in a hostile text some 35."""

_LEAST = 1e-9
"""Keeps a share of nothing finite."""

_MAX_COUNTED = 20_000
"""Records up to which it is counted how many hold a term; beyond, it is common enough."""


@dataclass(frozen=True, slots=True)
class ThresholdBounds:
    """Between what a measured threshold lies, and where one lies that was not measured."""

    lowest: float
    usual: float
    highest: float


BOUNDS: Mapping[Language, ThresholdBounds] = {
    "en": ThresholdBounds(5.4, 5.8, 6.2),
    "zh": ThresholdBounds(4.9, 5.0, 5.4),
}
"""By language: Chinese questions share more terms by chance, and are judged by one model fewer. Fitted, like the
weights above, to questions with and without an answer on stores of 1 to 700 records."""

FOREIGN = ThresholdBounds(6.2, 6.2, 6.4)
"""Of a store that holds next to nothing in the question's language: only nearness in meaning can speak for it."""

WORDS_ALONE = 2.0
"""How much lower thresholds are where only words are compared: what a near hit typically adds is missing then."""

_SMALL = 100
"""Records below which a threshold is lowered: what is asked of a small store is likely meant for it."""

_LENIENCE = 2.5
"""By how much, for a single record; it falls to 0 with the logarithm of the size. Fitted with the bounds."""

_EVERYDAY_LENIENCE = 2.0
"""By how much, for a question in everyday words: what it asks for was likely told in others, so that the words which
are missing tell little against it. A stranger asked a chat of 60 messages in other words than it was told in: 10 of 22
questions got nothing, nine of them with the right answer among the first three behind the gate. Six of the ten pass
with it; of 96 questions that belong to other chats 39 pass in place of 34, in Chinese 41 in place of 37, and of
LoCoMo's 172 unanswerable ones none more."""


_LEAST_NEAR = 1.0
"""By how many deviations the nearest record must be nearer than a stranger's where no word speaks of what is asked for.
In pieces of 2 to 50 turns of public talk (LoCoMo, RealMem, LongMemEval), other ones than those it was chosen on, this
keeps all 180 questions that had passed with their evidence there, and of 256 on what nobody told 78 pass in place of
150. English asked of English only: between languages, and in Chinese, what answers in other words is often no nearer
than a stranger's (她住在哪里 and 我搬到了里斯本: 0.8; 她不能吃什么 and "peanuts make me ill": -0.2).

The same makes a line of what is asked of oneself: from there on a memory may tell it in other words ("What medicine
must I not be given?" comes within 1.4 of an allergy to penicillin), below it is called unspoken."""


MIN_RECORDS = 24
"""A smaller store is not measured: what is usual says more of it than it says itself. Chosen by hand."""

_FEW = 12
"""Records below which what somebody asks of themselves is denied where none has a word of it nor comes near. Of more it
is not: in chats of 16 to 32 everyday messages, asked in other words than they were told in, 22 of 126 questions with an
answer got nothing while more stores were held to be few, and 3 do since."""

_NEAR_UNSPOKEN = 2.0
_NEAR_UNSPOKEN_CHINESE = 2.6
"""By how many deviations the nearest memory of so few must be nearer than a stranger's where somebody asks for a fact
of their own of which no memory has a word, and that of any store for what names a thing that none mentions to be
certain; Chinese asked of Chinese is nearer by chance. In pieces of 1 to 8
messages (LoCoMo, LongMemEval, RealMem, BEAM, MemDaily), the half not chosen on: of 525 questions of oneself that nobody
answered 92 get something (by now as unsure) in place of 198, and all 410 that had an answer get it as before. Of short
messages asked for in quite other words 319 of 326 are found still, both halves together; at 3.3 in Chinese 78 get
something, but 老家 did not find 从小在大连长大."""


_CLEAR = 2.0
"""How far above the threshold of a small store (`_SMALL`) an answer is given as one. In pieces of 8 to 120 messages
(LoCoMo, MemDaily, RealMem, LongMemEval, BEAM), with all that is below: of 400 questions of general knowledge, half of
them put with "I", 4% get a plain answer and 8% an unsure one; of 250 that belong to other stores 29% and 39%; of 170
with an answer all get one, two of them unsure."""


@dataclass(frozen=True, slots=True)
class TypicalNearness:
    """How near a stranger's best hit usually comes by a model: more so among more records."""

    start: float
    growth: float
    spread: float

    def of(self, records: int) -> "Nearness":
        """Return the measure for a store of a size."""
        return Nearness(self.start + self.growth * math.log(max(1, records)), self.spread)


TYPICAL_NEARNESS: Mapping[str, TypicalNearness] = {
    "use-multilingual-v3": TypicalNearness(0.02, 0.037, 0.055),
    "bge-small-en-v1.5": TypicalNearness(0.42, 0.025, 0.05),
}
"""By model; measured with strangers' questions on stores of 1 to 700 records in Chinese and English."""


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a stranger's best hit comes: in the middle, and how far that spreads."""

    middle: float
    spread: float

    def deviations(self, cosine: float) -> float:
        """Return by how many deviations a hit is nearer than a stranger's."""
        return (cosine - self.middle) / self.spread


@dataclass(frozen=True, slots=True)
class Measures:
    """What the gate knows of a store for one language: nearness by path, and the threshold."""

    near: Mapping[str, Nearness]
    threshold: float

    def as_json(self) -> JsonValue:
        """Return the form that is kept."""
        near: dict[str, JsonValue] = {path: [near.middle, near.spread] for path, near in self.near.items()}
        return {"near": near, "threshold": self.threshold}


@dataclass(frozen=True, slots=True)
class GateInputs:
    """What the gate reads of a store for a question, whatever is found."""

    wanted: QuestionTerms
    counts: TermCounts
    kept: JsonValue
    """The measures, if any were taken."""


class Gate:
    """Judges whether what was found answers the question."""

    def __init__(self, store: Store, *, models: Mapping[str, str]) -> None:
        """Take the vector paths by name, each with the model that it goes by."""
        self._store = store
        self.models = models

    async def look(self, question: Question) -> GateInputs:
        """Read what judging a question takes; this can be done while the records are still being read."""
        if len(question.asked) > READ_ON_THE_LOOP:
            wanted = await asyncio.to_thread(_wanted, question)
        else:
            wanted = _wanted(question)
        counts, kept = await asyncio.gather(
            self.counts(question.scope, wanted), self._store.state(question.scope, GATE)
        )
        return GateInputs(wanted, counts, kept)

    def judge(
        self,
        question: Question,
        found: Mapping[str, Sequence[Candidate]],
        records: Mapping[str, Record],
        look: GateInputs,
    ) -> GateVerdict:
        """Return whether any of the records that the paths found is an answer.

        In this order: a question without words is none; one that names nothing which could be missing passes, since
        every memory may answer it, and so does a plain one of a small memory, unless nothing comes near what either of
        them names; one whose models were never measured passes, since nothing is known against it. Only then are words,
        nearness and speakers weighed against the threshold, and every verdict says what it rests on. What stays about
        the threshold, and what may be told in other words, is given as unsure.
        """
        wanted, size = look.wanted, look.counts.records
        if not wanted.terms and not any(sign.isalnum() for sign in question.read):
            return GateVerdict(passed=False, reason=GateReason.WORDLESS)
        silent = _silent(question, records)
        everything = best_of(found, records)
        ranked = [record for record in everything if record.id not in silent]
        terms = TermsOfRecords(wanted, look.counts)
        words = terms.match(ranked[:MAX_READ])
        language = working_language(question.read)
        measures = read_measures(look.kept, language, models=self.models)
        known = self._known(measures, size)
        near = _nearest(found, known, silent)
        own = _Own(question, ranked, near, size=size)
        is_spoken_of = _speaks_of(terms, ranked[:MAX_READ])
        is_far = own.is_english and max(near.values(), default=_LEAST_NEAR) < _LEAST_NEAR and not is_spoken_of
        named = _by_what_is_named(question, wanted, ranked, own, is_far=is_far, is_spoken_of=is_spoken_of)
        if named is not None:
            return _by_nearness(words, near, *named)
        if not near and any(found.get(path) for path in self.models):
            return GateVerdict(passed=True, reason=GateReason.UNMEASURED, coverage=words.coverage)
        usual = BOUNDS[language].usual - (0.0 if near else WORDS_ALONE)
        # What was measured by some paths says nothing of a question that is searched by others, or by words alone.
        measured = measures if measures is not None and measures.near.keys() == near.keys() else None
        threshold = (usual if measured is None else measured.threshold) - lenience(size)
        threshold -= _EVERYDAY_LENIENCE if wanted.everyday and not is_far else 0.0
        scores = {hit.record_id: hit.score for hit in found.get("keyword", ())}
        lead = speaker_lead(question, terms, everything, scores)
        score = strength(words, self.telling(words, near), speaker_lead=lead)
        reason = _by_strength(score - threshold, own)
        return GateVerdict(
            passed=reason is not GateReason.STRANGE,
            reason=reason,
            score=score,
            threshold=threshold,
            measured=measured is not None,
            coverage=min(1.0, words.coverage),
            speaker_lead=lead,
            nearness=near,
        )

    def telling(self, words: TermMatch, near: Mapping[str, float]) -> list[float]:
        """Return the nearness that counts: where no word is shared, only by the model that knows every language."""
        general = next(iter(self.models), "")
        return [near[general]] if words.coverage == 0 and general in near else list(near.values())

    async def counts(self, scope: Scope, wanted: QuestionTerms) -> TermCounts:
        """Return how common the words of a question are."""
        return await self._store.term_counts(scope, wanted.terms, most=_MAX_COUNTED)

    def _known(self, measures: Measures | None, size: int) -> dict[str, Nearness]:
        usual = {
            path: TYPICAL_NEARNESS[model].of(size) for path, model in self.models.items() if model in TYPICAL_NEARNESS
        }
        return usual if measures is None else {**usual, **measures.near}


KnownTerms = dict[tuple[str, str, bool], frozenset[str]]
"""The terms of records by their ids, what was read of them, and whether Chinese was left uncut."""


class TermsOfRecords:
    """The terms that candidates answer by, worked out once for all that a verdict compares.

    Only whether they hold what is asked for counts: where that has no Chinese, theirs is not cut into words.

    To cut Chinese loads a dictionary, 0.6 s on a busy machine, for a command that asks one English question. While a
    store is measured, questions that lead to the same part of a long record share its terms: 30 records of 25,000
    Chinese characters take 0.2 s in place of 1.6.
    """

    def __init__(self, wanted: QuestionTerms, counts: TermCounts, known: KnownTerms | None = None) -> None:
        self.wanted = wanted
        self._counts = counts
        self._spaced = not any(map(is_unspaced, wanted.terms))
        self._known: KnownTerms = {} if known is None else known
        self._parts: dict[str, str] = {}
        # By which terms a place in a long record is found, and what each is worth.
        held = sorted((holding, term) for term in wanted.terms if (holding := counts.holding.get(term, 0)))
        self._sought = {term: rarity(holding, records=counts.records) for holding, term in held[:_MAX_SOUGHT]}

    def match(self, candidates: Iterable[Record], wanted: QuestionTerms | None = None) -> TermMatch:
        """Return how far candidates name what is asked for, or a part of it."""
        terms = [self(record) for record in candidates]
        return best_coverage(wanted or self.wanted, self._counts.holding, terms, records=self._counts.records)

    def __call__(self, record: Record) -> frozenset[str]:
        """Return the terms of a record: its words, and who said them."""
        part = self._parts.get(record.id)
        if part is None:
            is_long = len(record.content) > _LONGEST_READ
            part = telling_part(record.content, self._sought, length=_LONGEST_READ) if is_long else record.content
            self._parts[record.id] = part
        known = self._known.get((record.id, part, self._spaced))
        if known is None:
            speaker = record.data.speaker if isinstance(record.data, TurnData) else ""
            text = f"{part}\n{speaker}\n{' '.join(record.keywords)}"
            known = self._known[record.id, part, self._spaced] = frozenset(index_terms(text, spaced=self._spaced))
        return known


def _speaks_of(terms: TermsOfRecords, candidates: Sequence[Record]) -> bool:
    """Tell whether any candidate speaks of what a question names, or whether it names nothing that may be missing.

    That an agent's own words hold what everybody has ("live music") does not tell where somebody lives.
    """
    wanted = terms.wanted
    if not wanted.named:
        return True
    if wanted.vague:
        candidates = [record for record in candidates if record.trust is not Origin.AGENT]
    elif any(not terms(record).isdisjoint(wanted.named) for record in candidates):
        return True
    return speaks_of((record.content for record in candidates), wanted.named)


def without_unsure(verdict: GateVerdict) -> GateVerdict:
    """Return a verdict on documents: of these, what is perhaps an answer is judged as near or far."""
    if verdict.verdict != "unsure":
        return verdict
    if verdict.reason is GateReason.UNSPOKEN:
        return verdict.replace(reason=GateReason.VAGUE)
    passed = verdict.score >= verdict.threshold
    return verdict.replace(passed=passed, reason=GateReason.NEAR if passed else GateReason.STRANGE)


def _silent(question: Question, records: Mapping[str, Record]) -> frozenset[str]:
    """Return the messages of a chat that tell nothing: what only greets or asks is no answer, however near it comes.

    To "What is my blood type?" nothing is nearer than "hi", and to any question for a place an earlier one. What people
    ask each other tells what they speak of: of 150 questions of LoCoMo one more was answered by it.
    """
    if asks_what_was_asked(question.read):
        return frozenset()
    said = {
        one: record.content
        for one, record in records.items()
        if isinstance(record.data, TurnData) and chat_role(record.data.role) is not None
    }
    return frozenset(one for one, text in said.items() if is_small_talk(text) or only_asks(text))


def _nearest(
    found: Mapping[str, Sequence[Candidate]], known: Mapping[str, Nearness], silent: Collection[str]
) -> dict[str, float]:
    """Return by path by how many deviations its best is nearer than a stranger's, of what tells anything."""
    near: dict[str, float] = {}
    for path, hits in found.items():
        if hits and path in known:
            best = next((hit.score for hit in hits if hit.record_id not in silent), None)
            near[path] = -_FARTHEST if best is None else known[path].deviations(best)
    return near


def _by_nearness(
    words: TermMatch, near: dict[str, float], reason: GateReason, lack: tuple[float, float] | None
) -> GateVerdict:
    """Return the verdict on what names little: how near it comes, and how near it must."""
    nearest, bound = lack or (max(near.values(), default=0.0), 0.0)
    return GateVerdict(
        passed=reason is not GateReason.STRANGE,
        reason=reason,
        score=_NEARNESS_WEIGHT * nearest,
        threshold=_NEARNESS_WEIGHT * bound,
        coverage=min(1.0, words.coverage),
        nearness=near,
    )


def _by_strength(margin: float, own: "_Own") -> GateReason:
    """Return the verdict on how much more speaks for an answer than it takes.

    What is asked of oneself or of one's own people is not denied, since words and nearness often miss what was told in
    others; and what names a thing that nothing mentions nor comes near is never certain.
    """
    if margin >= (_CLEAR if own.size < _SMALL and own.near else 0.0):
        return GateReason.UNSURE if own.is_unmentioned else GateReason.NEAR
    if margin < 0 and not own.is_kept:
        return GateReason.STRANGE
    return GateReason.UNSURE if own.lack is None or own.nearest >= own.least else GateReason.UNSPOKEN


_OF_OWN = lazy_regex(
    r"\b(?:my|mine|our|ours|he|she|him|her|his|hers)\b|"
    r"[我咱俺](?:们|家|的|[爸妈爷奶哥姐弟妹])|[他她]",
    re.IGNORECASE,
)
# Whether something is fit for one depends on what was told of oneself, though it is asked as advice is.
_FIT_FOR_ONE = lazy_regex(
    r"^\W*(?:can|could|may|should|must|am|are)\s+(?:i|we)\b|\b(?:must|should|can|may)(?:\s+(?:i|we)\s+not|n't\s+(?:i|we))\b|"
    r"[我咱俺](?:还|也)?(?:能不能|可不可以|不?能|不?可以)[^怎如]{0,6}(?:吃|喝|用|服|碰|打)",
    re.IGNORECASE,
)
# Who asks in the past tense asks of what happened to somebody here, more likely than of the world.
_OF_THE_PAST = lazy_regex(r"\b(?:did|was|were|had)\b|[了过]", re.IGNORECASE)


class _Own:
    """Whether a question is asked of oneself or of one's own people, and whether anything mentions what it asks for."""

    def __init__(self, question: Question, ranked: Sequence[Record], near: Mapping[str, float], *, size: int) -> None:
        self._asked = question.asked
        self._ranked = ranked[:MAX_READ]
        self.near, self.size = near, size
        self.is_of_few = size < _FEW
        kinds = question.record_filter.kinds
        self._is_of_talk = kinds is None or Kind.TURN in kinds
        languages = {working_language(text) for text in (question.read, *(one.content for one in ranked[:1]))}
        self.bound = _NEAR_UNSPOKEN_CHINESE if languages == {"zh"} else _NEAR_UNSPOKEN
        self.is_english = languages == {"en"}
        self.least = self.bound if self.is_of_few else _LEAST_NEAR
        """How near one must come for what was told in other words not to be denied."""
        # Of a larger store all models have to agree: in many records one comes near by chance.
        self.nearest = (max if self.is_of_few else min)(near.values(), default=0.0)

    @property
    def is_near(self) -> bool:
        """Whether a memory comes so near that it may tell it in other words."""
        return self.nearest >= self.bound

    @cached_property
    def is_asked(self) -> bool:
        """Whether it is meant for this store; "How do I boil an egg?" is asked of anybody."""
        return _OF_OWN.search(self._asked) is not None or asks_of_oneself(self._asked)

    @cached_property
    def is_fitting(self) -> bool:
        """Whether it asks what is fit for oneself, with anything near: that may be an allergy, in any words."""
        return self.nearest >= _LEAST_NEAR and _FIT_FOR_ONE.search(self._asked) is not None

    @cached_property
    def is_kept(self) -> bool:
        """Whether what was found is given in any case, as perhaps no answer."""
        if not self._is_of_talk or not self.near:
            return False
        if self.is_fitting or asks_for_advice(self._asked):
            return self.is_fitting
        least = _LEAST_NEAR if self.is_english else self.bound
        return self.is_asked or (self.nearest >= least and _OF_THE_PAST.search(self._asked) is not None)

    @cached_property
    def lack(self) -> tuple[float, float] | None:
        """How near memories come to what somebody asks of themselves and none has a word of, and how near they must."""
        texts = [record.content for record in self._ranked]
        return (self.nearest, self.least) if lacks_mention(self._asked, texts) else None

    @cached_property
    def is_unmentioned(self) -> bool:
        """Whether it names a thing that nothing mentions, nor comes near."""
        return (self.lack is not None and not self.is_near) or self.lacks_of_named

    @cached_property
    def lacks_of_named(self) -> bool:
        """Whether of the one whom it names nothing tells such a thing."""
        texts = [
            f"{record.data.speaker}: {record.content}" if isinstance(record.data, TurnData) else record.content
            for record in self._ranked
        ]
        return lacks_mention_of_named(self._asked, texts)


def _by_what_is_named(
    question: Question,
    wanted: QuestionTerms,
    ranked: Sequence[Record],
    own: _Own,
    *,
    is_far: bool,
    is_spoken_of: bool,
) -> tuple[GateReason, tuple[float, float] | None] | None:
    """Return the verdict on what names little or what few records have no word of, and how near it comes and must.

    What few records do not tell is far, unless one comes near or names such as is asked for: then they may tell it in
    other words. What names a thing, or a time, that nothing mentions nor comes near is never certain. None where words,
    nearness and speakers are to be weighed.
    """
    is_little = wanted.vague or (wanted.plain and own.size < _SMALL)
    lack = own.lack if own.near and own.size < _SMALL else None
    if lack is None and is_little and is_far:
        lack = max(own.near.values()), _LEAST_NEAR
    if lack is not None and own.is_of_few:
        is_unsure = lack[0] >= lack[1] or own.is_fitting or _has_such(question, ranked[:MAX_READ])
        return (GateReason.UNSURE if is_unsure else GateReason.STRANGE), lack
    if not is_little:
        return None
    if lack is not None:
        is_kept = own.is_kept or not is_far
        least = GateReason.UNSPOKEN if is_kept else GateReason.STRANGE
        return (GateReason.UNSURE if lack[0] >= lack[1] else least), lack
    is_named = bool(wanted.named) and (own.is_english or not is_spoken_of)
    if own.near and not own.is_near and (is_named or _is_out_of_time(question, wanted, ranked)):
        return GateReason.UNSURE, None
    return (GateReason.UNSURE if own.near and own.lacks_of_named else GateReason.VAGUE), None


def _is_out_of_time(question: Question, wanted: QuestionTerms, candidates: Sequence[Record]) -> bool:
    """Tell whether a question names a time of which no candidate has a word, and in which none was told."""
    return bool(wanted.dates) and not any(
        any(begin <= record.occurred_at < end for begin, end in question.times)
        or held_terms(record.content[:_LONGEST_READ], wanted.dates)
        for record in candidates[:MAX_READ]
    )


_FOR_SUCH: Mapping[str, re.Pattern[str]] = {
    "person": lazy_regex(r"\b(?:who|whom|whose)\b|谁|哪位", re.IGNORECASE),
    "place": lazy_regex(
        r"\bwhere\b|\bwhich\s+(?:city|town|country|place)\b|哪里|哪儿|什么地方|哪个城市", re.IGNORECASE
    ),
}


def _has_such(question: Question, candidates: Sequence[Record]) -> bool:
    """Tell whether a candidate names somebody, or a place, where that is what a question asks for.

    Of "My line manager is Gwen" no model says that it tells who the boss is, nor that it does not.
    """
    wanted = {kind for kind, asks in _FOR_SUCH.items() if asks.search(question.asked)}
    wanted |= {"name"} if "person" in wanted else set()
    language = working_language(question.read)
    return bool(wanted) and any(
        mention.kind in wanted
        for record in candidates
        if record.trust is not Origin.AGENT and working_language(record.content) == language
        for mention in mentions(record.content[:_LONGEST_READ])
    )


def lenience(records: int) -> float:
    """Return by how much the threshold of a small store is lowered.

    By the logarithm, because that is how the nearness of a stranger's best hit grows with the store.
    """
    return _LENIENCE * max(0.0, 1 - math.log(max(1, records)) / math.log(_SMALL))


def best_of(found: Mapping[str, Sequence[Candidate]], records: Mapping[str, Record]) -> list[Record]:
    """Return the best candidates of all paths in turn, as far as they were read.

    In turn, because no two paths measure alike: the first of each is what that path would have answered.
    """
    best: dict[str, Record] = {}
    for abreast in zip_longest(*found.values()):
        for hit in abreast:
            if hit is not None and hit.record_id in records:
                best.setdefault(hit.record_id, records[hit.record_id])
        if len(best) == len(records):
            break
    return list(best.values())


def speaker_lead(
    question: Question, terms: TermsOfRecords, ranked: Sequence[Record], scores: Mapping[str, float]
) -> float | None:
    """Return how much more of a question the words of the speaker whom it names cover than the words of others.

    Where they cover less, it is the smaller lag of two, by the terms covered and by the best score that the search for
    words gave to either side, unless the terms speak clearly: what replies to another is found by the other's words as
    well. None when the question names none or several of those who spoke, or when all that was
    found was said by one.
    """
    said = [(record.data.role, record) for record in ranked if isinstance(record.data, TurnData)]
    person = question.person_among({role for role, _ in said})
    if person is None:
        return None
    own = [record for role, record in said if role == person]
    others = [record for role, record in said if role != person]
    if not others:
        return None
    rest = terms.wanted.without(index_terms(TurnData(role=person).speaker))
    sides = [terms.match(side[:_MAX_OF_EACH], rest).coverage for side in (own, others)]
    lead = sides[0] - sides[1]
    if lead < 0:
        best = [max((scores.get(record.id, 0.0) for record in side), default=0.0) for side in (own, others)]
        lag = max(lead, min(0.0, (best[0] - best[1]) / max(*best, _LEAST)))
        lead = min(lag, lead + _CLEARLY_ANOTHERS)
    return max(-1.0, min(1.0, lead))


def of_models(kept: JsonValue, models: Mapping[str, str]) -> Mapping[str, JsonValue]:
    """Return what was measured if it still says something; else nothing.

    What another version or another model measured is as good as nothing: scores of two models have no common measure.
    """
    if isinstance(kept, dict) and kept.get("version") == VERSION and kept.get("models") == dict(models):
        return kept
    return {}


def read_measures(kept: JsonValue, language: Language, *, models: Mapping[str, str]) -> Measures | None:
    """Return what was measured for a language, or None when that was never done or with other models."""
    try:
        measured: Any = of_models(kept, models)["tongues"]
        near, threshold = measured[language]["near"], measured[language]["threshold"]
        read = {path: Nearness(float(middle), float(spread)) for path, (middle, spread) in near.items()}
        return Measures(read, float(threshold))
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
