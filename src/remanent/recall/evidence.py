"""How much speaks for a question's having an answer here: pure mathematics over words and nearness.

A question is covered as far as one candidate names what it asks for, rare words counting more. In a long message the
best covered sentence counts: most of what people write before they ask is not looked for.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.text.chinese import is_known
from remanent.text.chinese import rarity as chinese_rarity
from remanent.text.dates import find_dates
from remanent.text.english import stem
from remanent.text.sentences import sentence_texts
from remanent.text.terms import query_terms
from remanent.text.wordlists import (
    CHINESE_STOP_WORDS,
    CHINESE_WEAK_WORDS,
    COMMON_ENGLISH,
    ENGLISH_STOP_WORDS,
    FILLERS,
    VERB_STEMS,
    WEAK_WORDS,
    word_set,
)

SMOOTHING = 50
"""Records that are thought to be there besides: of three records, none tells which words are rare."""

PLAIN_WORDS = 2
"""How many common words a plain question has at the most."""

FEWEST_TERMS = 2
"""A sentence with fewer informative terms says too little to be covered by itself."""

# Weights that separate answered questions from strange ones, and how far each sign may carry; fitted to questions in
# Chinese and English on stores of 1 to 700 records.
NEARNESS_WEIGHT = 1.4
FARTHEST = 5.0
COVERAGE_WEIGHT = 5.0
MATCHED_WEIGHT = 2.0
MOST_MATCHED = 3.0
KNOWN_SPEAKER = 1.0
"""What it tells that a question names one of those who spoke: it is likely meant for this store."""
LEAD_WEIGHT = 4.0
LAG_WEIGHT = 12.0
"""How much it tells who said it, of a question about one of those who spoke: what another said is likely another's."""
DATE_SHARE = 0.3
"""How much of a word a part of a date is."""
UNSPACED_WORD = 0.6
"""How much of a word a term is in scripts without spaces, where the terms of a text overlap."""

# What can be asked of any memory: a question made of these alone names nothing that could be missing.
_ASKED_OF_ALL = word_set(
    "address age birthday call chat conversation do favorite favourite happen history home job know last latest like "
    "live mention name next old plan prefer preference recap recent recently remember say summarise summarize summary "
    "talk tell tonight update work"
) | word_set("""
    住 住址 偏好 几岁 计划 记得 家 工作 喜欢 上次 聊 次聊 聊过 最近 名字 年龄 年纪 生日 总结 回顾 概括 发生 提到 提过
    说过 谈 谈过 谈到 讨论 历史 情况 近况 事情 安排 打算 爱好 昨天 今天 明天 之前 以前
""")
_VAGUE = (
    frozenset(stem(word) for word in _ASKED_OF_ALL | FILLERS | WEAK_WORDS if word.isascii())
    | VERB_STEMS
    | CHINESE_WEAK_WORDS
    | frozenset(word for word in _ASKED_OF_ALL if not word.isascii())
)

COMMON_CHINESE = 9.0
"""Rarity below which everybody uses a Chinese word."""
_COMMON_STEMS = frozenset(stem(word) for word in COMMON_ENGLISH)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for: the informative terms of the whole, and of each of its sentences."""

    terms: tuple[str, ...]
    sentences: tuple[tuple[str, ...], ...] = ()
    dates: frozenset[str] = frozenset()
    """Those that belong to a date: they say when, and most memories do not repeat in words when they were made."""

    @property
    def vague(self) -> bool:
        """Whether no term tells what is looked for."""
        return _VAGUE.issuperset(term for term in self.terms if term not in self.dates)

    @property
    def plain(self) -> bool:
        """Whether it is asked in one or two words that everybody uses, of which any paraphrase may do without."""
        named = [term for term in self.terms if term not in self.dates]
        words = [term for term in named if term.isascii() or is_known(term)]
        return len(words) <= PLAIN_WORDS and all(_is_common(term) for term in words) and len(named) < len(words) + 2

    def without(self, terms: Collection[str]) -> "Asked":
        """Return the same without some terms."""
        sentences = (tuple(term for term in part if term not in terms) for part in self.sentences)
        left = tuple(part for part in sentences if len(part) >= FEWEST_TERMS)
        return Asked(tuple(term for term in self.terms if term not in terms), left, self.dates)


@dataclass(frozen=True, slots=True)
class Wording:
    """How far candidates name what is asked for."""

    coverage: float = 0.0
    """The share of the question, or of its best sentence, that the best candidate holds."""
    matched: float = 0.0
    """How many rare words' worth the best candidate holds."""


def asked(text: str, *, asked_at: datetime | None = None) -> Asked:
    """Return the informative terms of a question; dates are seen as from the moment of asking."""
    dates = [] if asked_at is None else find_dates(text, reference=asked_at)
    dated = frozenset(term for mention in dates for term in query_terms(mention.text))
    sentences = (_informative(sentence) for sentence in sentence_texts(text))
    return Asked(_informative(text), tuple(part for part in sentences if len(part) >= FEWEST_TERMS), dated)


def _informative(text: str) -> tuple[str, ...]:
    """Return the terms of a text, without stop words, and without characters that stand in a longer term."""
    terms = [term for term in query_terms(text) if term not in ENGLISH_STOP_WORDS and term not in CHINESE_STOP_WORDS]
    longer = "\n".join(term for term in terms if len(term) > 1 and not term.isascii())
    return tuple(term for term in terms if len(term) > 1 or term.isascii() or term not in longer)


def rarity(holding: int, *, records: int) -> float:
    """Return the weight of a term that so many of the records hold."""
    return math.log(1 + (records + SMOOTHING - holding + 0.5) / (holding + 0.5))


def wording(
    question: Asked, holding: Mapping[str, int], candidates: Sequence[Collection[str]], *, records: int
) -> Wording:
    """Return how far any of the candidates, each given by its terms, names what is asked for.

    `holding` says for each term how many of the records hold it.
    """
    weights = {
        term: rarity(holding.get(term, 0), records=records) * (DATE_SHARE if term in question.dates else 1.0)
        for term in question.terms
    }
    rare = math.log(1 + records + SMOOTHING)
    coverage = matched = 0.0
    for terms in candidates:
        coverage = max(coverage, *(_share(part, weights, terms) for part in (question.terms, *question.sentences)))
        held = sum(weights[term] * _word_share(term) for term in question.terms if term in terms)
        matched = max(matched, held / rare)
    return Wording(coverage, matched)


def _share(asked_terms: Sequence[str], weights: Mapping[str, float], terms: Collection[str]) -> float:
    total = sum(weights.get(term, 0.0) for term in asked_terms)
    return sum(weights.get(term, 0.0) for term in asked_terms if term in terms) / total if total else 0.0


def _is_common(term: str) -> bool:
    return term in _COMMON_STEMS if term.isascii() else chinese_rarity(term) < COMMON_CHINESE


def _word_share(term: str) -> float:
    return 1.0 if term.isascii() else UNSPACED_WORD


def strength(words: Wording, nearness: Collection[float], *, speaker_lead: float | None = None) -> float:
    """Return how much speaks for an answer: by words, who said them, and how much nearer the best is than a stranger's.

    `speaker_lead` says how much more of the question the words of the one whom it names cover than those of others.
    """
    said = 0.0
    if speaker_lead is not None:
        said = KNOWN_SPEAKER + speaker_lead * (LAG_WEIGHT if speaker_lead < 0 else LEAD_WEIGHT)
    near = sum(max(-FARTHEST, min(FARTHEST, value)) for value in nearness) / len(nearness) if nearness else 0.0
    held = COVERAGE_WEIGHT * words.coverage + MATCHED_WEIGHT * min(words.matched, MOST_MATCHED)
    return NEARNESS_WEIGHT * near + held + said
