"""Answers taken word for word from texts: the sentences that say most about a question and have what it asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remanent.language.offline.claims import ParsedClaim, TokenKind, read_claim
from remanent.language.offline.judgement import CONFLICT, Statement, judge_statements
from remanent.language.offline.lexicon import lexicon
from remanent.language.offline.questions import AnswerType, answer_type, content_words, is_question
from remanent.language.offline.salience import statements
from remanent.language.offline.similarity import similarities, word_scores
from remanent.language.role import Toolbox
from remanent.language.tongue import Tongue, tongue_of

_MAX_SENTENCES = 400
# The weights and thresholds of this module were chosen by hand.
# Only the best by words are compared by meaning, which costs more.
_COMPARED = 40
_FITTING = 0.25
"""What a sentence gains by having the sort of value that is asked for, or speaking of the same attribute."""
_ASKING = 0.4
"""What it loses by asking something itself: a question answers none."""
_PARTS = {
    AnswerType.NUMBER: {TokenKind.AMOUNT, TokenKind.TIME},
    AnswerType.TIME: {TokenKind.TIME},
    AnswerType.PERSON: {TokenKind.NAME},
    AnswerType.PLACE: {TokenKind.NAME},
}
_GOOD = 0.45
"""From this score on a sentence answers; below, it shares words with the question."""
_BESIDE = 0.75
"""Sentences that reach this share of the best score are quoted beside it."""
_MAX_QUOTED = 3


@dataclass(frozen=True, slots=True)
class AnswerCandidates:
    """Sentences that may answer a question, best first, and how well the best of them does."""

    sentences: tuple[str, ...]
    score: float

    @property
    def is_good(self) -> bool:
        """Whether the best sentence answers, and does not just share a word."""
        return self.score >= _GOOD


async def find_answer(question: str, texts: Sequence[str], toolbox: Toolbox) -> AnswerCandidates:
    """Return the sentences of some texts that answer a question best."""
    every = dict.fromkeys(sentence for text in texts for sentence in statements(text, most=_MAX_SENTENCES))
    sentences = list(every)[:_MAX_SENTENCES]
    if not sentences or not question.strip():
        return AnswerCandidates((), 0.0)
    by_words = word_scores(" ".join(content_words(question)) or question, sentences)
    best = sorted(range(len(sentences)), key=lambda place: (-by_words[place], place))[:_COMPARED]
    alike = await similarities(question, [sentences[place] for place in best], toolbox)
    asked = _Question(answer_type(question), _attributes(read_claim(question)))
    scores = {
        place: _score(sentences[place], by_words[place], near, asked) for place, near in zip(best, alike, strict=True)
    }
    ranked = sorted(scores, key=lambda place: (-scores[place], place))
    top = scores[ranked[0]]
    quoted = [place for place in ranked[:_MAX_QUOTED] if scores[place] >= _BESIDE * top and by_words[place] > 0]
    return AnswerCandidates(tuple(sentences[place] for place in quoted), top if quoted else 0.0)


async def agreeing(found: AnswerCandidates, known: Sequence[str], toolbox: Toolbox) -> AnswerCandidates:
    """Return what was found without what contradicts what is known, or a better sentence before it."""
    kept: list[str] = []
    for sentence in found.sentences:
        pairs = [(Statement(sentence), Statement(other)) for other in (*known, *kept)]
        judgements = await judge_statements(pairs, toolbox)
        if all(judgement.conflict < CONFLICT for judgement in judgements):
            kept.append(sentence)
    return AnswerCandidates(tuple(kept), found.score if kept else 0.0)


@dataclass(frozen=True, slots=True)
class _Question:
    """What a question wants to know."""

    kind: AnswerType
    attributes: frozenset[str]


def _attributes(claim: ParsedClaim) -> frozenset[str]:
    """Return what a claim speaks of: where somebody lives, what something costs."""
    return frozenset(name for token in claim.tokens for name in lexicon(claim.tongue).attributes.get(token.key, ()))


def _score(sentence: str, by_words: float, near: float, asked: _Question) -> float:
    score = 0.6 * by_words + 0.4 * near
    claim = read_claim(sentence)
    if asked.kind in _PARTS:
        score += _FITTING if _has(claim, _PARTS[asked.kind]) else -_FITTING / 2
    if by_words and _attributes(claim) & asked.attributes:
        score += _FITTING
    return max(0.0, score - (_ASKING if is_question(sentence) else 0.0))


def _has(claim: ParsedClaim, parts: set[TokenKind]) -> bool:
    return any(token.part in parts for token in claim.tokens)


_CONFLICT = re.compile(r"<conflict\b[^<>]*>")
_MAX_STATEMENTS = 2_000
"""Statements of all sources together that are weighed."""
_BETWEEN = " / "
_MAX_PER_SOURCE = 200
# Whoever speaks of now knows of an earlier state; this tells more than that it was said later.
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|these days|lately|no longer|any ?more|from now on|since then)\b|"
    r"现在|如今|目前|眼下|不再|改为|改成|改用",
    re.IGNORECASE,
)
# A source is what stands behind one number or heading of a result.
_SOURCE = re.compile(r"^(?:\d{1,3}\.\s*\[[^\]\n]*\]|#\s).*$", re.MULTILINE)

_VERDICTS: dict[Tongue, dict[str, str]] = {
    "zh": {
        "changed": "{right} 这是后来的情况。“{wrong}”已过时。",
        "more": "{right} 多数来源支持这一说法。“{wrong}”有误。",
        "open": "无法确认哪一种说法正确：各来源说法不一。“{one}” / “{other}”",
    },
    "en": {
        "changed": "{right} That is how it is since. “{wrong}” is outdated.",
        "more": "{right} Most sources say so. “{wrong}” is wrong.",
        "open": "It cannot be determined which is right; sources disagree: “{one}” / “{other}”",
    },
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements of which one at most holds; the first was said later."""

    newer: str
    older: str

    @property
    def query(self) -> str:
        """What to search for: what both speak of."""
        return f"{self.newer} {self.older}"


def contradiction_in(task: str) -> Contradiction | None:
    """Return what a cross-validation is about, when the task says it as two statements."""
    parts = _described(task).strip().split(_BETWEEN)
    return Contradiction(parts[0].strip(), parts[1].strip()) if len(parts) == 2 and all(map(str.strip, parts)) else None


def _described(task: str) -> str:
    """Return the description in the first conflict of a task; nothing where there is none that is closed."""
    found = _CONFLICT.search(task)
    _, opened, rest = task[found.end() :].partition("<description>") if found else ("", "", "")
    said, closed, rest = rest.partition("</description>")
    return said if opened and closed and "</conflict>" in rest else ""


async def settle_contradiction(matter: Contradiction, results: Sequence[str], toolbox: Toolbox) -> str:
    """Return a verdict in words: which statement holds, or that it cannot be told."""
    said = _VERDICTS[tongue_of(matter.newer, matter.older)]
    one, other = Statement(matter.newer), Statement(matter.older)
    (judgement,) = await judge_statements([(one, other)], toolbox)
    if _NOW.search(matter.newer) and not _NOW.search(matter.older):
        return said["changed"].format(right=matter.newer, wrong=matter.older)
    if judgement.is_update:
        # Whoever tells of a change knows both states; the one who tells of none knows the earlier one only.
        changed = one.read().is_change or not other.read().is_change
        right, wrong = (matter.newer, matter.older) if changed else (matter.older, matter.newer)
        return said["changed"].format(right=right, wrong=wrong)
    for_one, for_other = await _support(matter, _sources(results), toolbox)
    if for_one == for_other:
        return said["open"].format(one=matter.newer, other=matter.older)
    right, wrong = (matter.newer, matter.older) if for_one > for_other else (matter.older, matter.newer)
    return said["more"].format(right=right, wrong=wrong)


def _sources(results: Sequence[str]) -> list[str]:
    """Return the texts of results, each source once."""
    parts = [part.strip() for result in results for part in _SOURCE.split(result)]
    return list(dict.fromkeys(part for part in parts if part))


async def _support(matter: Contradiction, sources: Sequence[str], toolbox: Toolbox) -> tuple[int, int]:
    """Return how many sources contradict the second statement and not the first, and the other way round."""
    told = [(place, text) for place, source in enumerate(sources) for text in statements(source, most=_MAX_PER_SOURCE)]
    told = told[:_MAX_STATEMENTS]
    pairs = [(Statement(text), Statement(side)) for _, text in told for side in (matter.newer, matter.older)]
    judged = [judgement.conflict >= CONFLICT for judgement in await judge_statements(pairs, toolbox)]
    for_one: set[int] = set()
    for_other: set[int] = set()
    for number, (place, _) in enumerate(told):
        against_one, against_other = judged[2 * number], judged[2 * number + 1]
        if against_other and not against_one:
            for_one.add(place)
        elif against_one and not against_other:
            for_other.add(place)
    return len(for_one - for_other), len(for_other - for_one)
