"""Answers taken word for word from texts: the sentences that say most about a question and have what it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from remanent.language.offline.claims import Claim, Part, read_claim
from remanent.language.offline.likeness import likeness_to
from remanent.language.offline.questions import Wanted, content_words, is_question, wanted
from remanent.language.offline.reranking import word_scores
from remanent.language.offline.statements import statements
from remanent.language.offline.toolbox import Toolbox
from remanent.language.offline.verdicts import CONFLICT, Statement, judge_statements

_MOST_SENTENCES = 400
# Only the best by words are compared by meaning, which costs more.
_COMPARED = 40
_FITTING = 0.25
_ASKING = 0.4
_PARTS = {
    Wanted.NUMBER: {Part.AMOUNT, Part.TIME},
    Wanted.TIME: {Part.TIME},
    Wanted.PERSON: {Part.NAME},
    Wanted.PLACE: {Part.NAME},
}
_GOOD = 0.45
_BESIDE = 0.75
_MOST_QUOTED = 3


@dataclass(frozen=True, slots=True)
class Found:
    """Sentences that may answer a question, best first, and how well the best of them does."""

    sentences: tuple[str, ...]
    score: float

    @property
    def is_good(self) -> bool:
        """Whether the best sentence answers, and does not just share a word."""
        return self.score >= _GOOD


async def find_answer(question: str, texts: Sequence[str], toolbox: Toolbox) -> Found:
    """Return the sentences of some texts that answer a question best."""
    every = dict.fromkeys(sentence for text in texts for sentence in statements(text, most=_MOST_SENTENCES))
    sentences = list(every)[:_MOST_SENTENCES]
    if not sentences or not question.strip():
        return Found((), 0.0)
    by_words = word_scores(" ".join(content_words(question)) or question, sentences)
    best = sorted(range(len(sentences)), key=lambda place: (-by_words[place], place))[:_COMPARED]
    alike = await likeness_to(question, [sentences[place] for place in best], toolbox)
    asked = _Asked(wanted(question), _attributes(read_claim(question)))
    scores = {
        place: _score(sentences[place], by_words[place], near, asked) for place, near in zip(best, alike, strict=True)
    }
    ranked = sorted(scores, key=lambda place: (-scores[place], place))
    top = scores[ranked[0]]
    quoted = [place for place in ranked[:_MOST_QUOTED] if scores[place] >= _BESIDE * top and by_words[place] > 0]
    return Found(tuple(sentences[place] for place in quoted), top if quoted else 0.0)


async def agreeing(found: Found, known: Sequence[str], toolbox: Toolbox) -> Found:
    """Return what was found without what contradicts what is known, or a better sentence before it."""
    kept: list[str] = []
    for sentence in found.sentences:
        pairs = [(Statement(sentence), Statement(other)) for other in (*known, *kept)]
        judgements = await judge_statements(pairs, toolbox)
        if all(judgement.conflict < CONFLICT for judgement in judgements):
            kept.append(sentence)
    return Found(tuple(kept), found.score if kept else 0.0)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question wants to know."""

    kind: Wanted
    attributes: frozenset[str]


def _attributes(claim: Claim) -> frozenset[str]:
    """Return what a claim speaks of: where somebody lives, what something costs."""
    return frozenset(name for token in claim.tokens for name in claim.lexicon.attributes.get(token.key, ()))


def _score(sentence: str, by_words: float, near: float, asked: _Asked) -> float:
    score = 0.6 * by_words + 0.4 * near
    claim = read_claim(sentence)
    if asked.kind in _PARTS:
        score += _FITTING if _has(claim, _PARTS[asked.kind]) else -_FITTING / 2
    if by_words and _attributes(claim) & asked.attributes:
        score += _FITTING
    return max(0.0, score - (_ASKING if is_question(sentence) else 0.0))


def _has(claim: Claim, parts: set[Part]) -> bool:
    return any(token.part in parts for token in claim.tokens)
