"""Answers with proof: the sentences that answer a question, each with its place, and a text held against the documents.

Both are extractive: what is answered stands in a document word for word, so that every sentence can cite it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from remanent.bilingual import Bilingual
from remanent.discipline import Parts
from remanent.errors import InvalidInput
from remanent.knowledge.model import (
    AnswerSentence,
    CheckedSentence,
    KnowledgeAnswer,
    KnowledgeFound,
    Passage,
    Verification,
)
from remanent.knowledge.search import Searcher, SearchOptions, SearchPlace
from remanent.language.offline.answers import find_answer
from remanent.language.offline.claims import read_claim
from remanent.language.offline.judgement import CONFLICT, compare, judge
from remanent.language.role import Toolbox
from remanent.language.tongue import tongue_of
from remanent.text.sentences import sentence_texts
from remanent.text.terms import query_terms

NOTHING = Bilingual("Nothing here answers that.", "这里没有能回答该问题的内容。")
MAX_SENTENCES = 200
"""Sentences of one text that are checked; each is a search."""
SUPPORTED = 0.85
"""The share of a sentence's words from which on another says the same, if it has all names and figures of it."""
ALIKE = 0.7
"""The share of the words that are no names and figures from which on two sentences speak of the same."""
RECIPROCAL = 0.4
"""The share of the evidence's own words that the sentence must have, so that a clause of a long sentence about
something else contradicts nobody. These three were chosen by hand."""
_VALUE = re.compile(r"\d[\d.,:]*|(?<![.!?。]\s)(?<!^)\b[A-Z][\w'’-]+")
"""Figures, and words written as names within a sentence."""


@dataclass(frozen=True, slots=True)
class _ProofEvidence:
    """A sentence of a passage, and how it bears on the one that is checked."""

    text: str
    passage: Passage
    coverage: float
    verdict: str


class Prover:
    """Answers questions, and checks texts, by what documents say."""

    def __init__(self, parts: Parts, searcher: Searcher) -> None:
        self._parts = parts
        self._searcher = searcher

    async def ask(self, places: Sequence[SearchPlace], question: str, options: SearchOptions) -> KnowledgeAnswer:
        """Return the sentences that answer a question, each with the passages that it stands in."""
        found = await self._searcher.search(places, question, options)
        texts = [f"{one.title}. {one.text}" if one.title else one.text for one in found.items]
        best = await find_answer(question, texts, Toolbox(embedder=self._parts.embedder))
        if not best.sentences or not best.is_good:
            said = NOTHING.say(tongue_of(question))
            return KnowledgeAnswer(question=question, answered=False, text=said, passages=found.items)
        sentences = tuple(_cited(sentence, found) for sentence in best.sentences)
        text = " ".join(
            sentence.text + "".join(f" [{number}]" for number in sentence.citations) for sentence in sentences
        )
        return KnowledgeAnswer(question=question, answered=True, text=text, sentences=sentences, passages=found.items)

    async def verify(self, places: Sequence[SearchPlace], text: str, options: SearchOptions) -> Verification:
        """Say of every sentence whether the documents support, contradict or do not mention it."""
        sentences = sentence_texts(text)
        if not sentences:
            raise InvalidInput("the text is empty; give what is to be checked")
        if len(sentences) > MAX_SENTENCES:
            raise InvalidInput(
                f"{len(sentences)} sentences are more than the {MAX_SENTENCES} checked at once; split it"
            )
        return Verification(sentences=tuple([await self._check(places, one, options) for one in sentences]))

    async def _check(self, places: Sequence[SearchPlace], sentence: str, options: SearchOptions) -> CheckedSentence:
        found = await self._searcher.search(places, sentence, options)
        evidence = [
            _ProofEvidence(said, passage, *bearing(sentence, said, title=passage.title))
            for passage in found.items
            for said in sentence_texts(passage.text)
        ]
        for verdict in ("supported", "contradicted"):
            fitting = [one for one in evidence if one.verdict == verdict]
            if fitting:
                best = max(fitting, key=lambda one: one.coverage)
                return CheckedSentence(
                    text=sentence,
                    verdict="supported" if verdict == "supported" else "contradicted",
                    confidence=best.coverage,
                    evidence=best.text,
                    citation=best.passage.citation,
                    document=best.passage.document,
                )
        return CheckedSentence(text=sentence, verdict="not_mentioned")


def bearing(claim: str, evidence: str, *, title: str = "") -> tuple[float, str]:
    """Return how much of a claim a sentence covers, and whether it supports or contradicts it, or neither."""
    asked, said = frozenset(query_terms(claim)), frozenset(query_terms(evidence))
    if not asked or not said:
        return 0.0, ""
    known = said | frozenset(query_terms(title))
    coverage = len(asked & known) / len(asked)
    values, others = _values(claim), _values(evidence)
    lacking = values - known
    plain = asked - values
    alike = len(plain & known) / len(plain) if plain else 0.0
    mutual = len(asked & said) / len(said)
    if not lacking and coverage >= SUPPORTED and not _conflict(claim, evidence):
        return coverage, "supported"
    if alike < ALIKE or mutual < RECIPROCAL:
        return coverage, ""
    # The same is said with another figure or another name in the place of one.
    replaced = any(any(_is_figure(one) == _is_figure(other) for other in others - values - asked) for one in lacking)
    return coverage, "contradicted" if replaced or _conflict(claim, evidence) else ""


def _conflict(claim: str, evidence: str) -> bool:
    return judge(compare(read_claim(evidence), read_claim(claim))).conflict >= CONFLICT


def _values(text: str) -> frozenset[str]:
    return frozenset(term for value in _VALUE.findall(text) for term in query_terms(value))


def _is_figure(term: str) -> bool:
    return any(character.isdigit() for character in term)


def _cited(sentence: str, found: KnowledgeFound) -> AnswerSentence:
    """Return a sentence of an answer with the numbers of the passages that hold it."""
    bare = sentence.strip()
    spoken = bare.partition(": ")[2] or bare
    held = [number for number, one in enumerate(found.items, start=1) if bare in one.text or spoken in one.text]
    return AnswerSentence(text=bare, citations=tuple(held))
