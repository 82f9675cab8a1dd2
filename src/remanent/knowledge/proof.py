"""Answers with proof: the sentences that answer a question, each with its place, and a text held against the documents.

Without a model an answer is extractive: it stands in a document word for word. With one, code checks each sentence
against the passages and cites those that say the same; what none of them says is marked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from remanent.bilingual import Bilingual
from remanent.discipline import Parts
from remanent.errors import InvalidInput
from remanent.knowledge.bearing import bearing
from remanent.knowledge.model import (
    AnswerSentence,
    CheckedSentence,
    KnowledgeAnswer,
    KnowledgeFound,
    Passage,
    Verification,
)
from remanent.knowledge.search import Searcher, SearchOptions, SearchPlace, is_foreign
from remanent.language.engines import OfflineEngine, run_or_offline
from remanent.language.offline.questions import AnswerType, answer_type, may_answer
from remanent.language.role import Toolbox
from remanent.language.roles.answering import ANSWERING, AnsweringRequest, SourcePassage, WrittenSentence
from remanent.language.shapes import MAX_REMARK
from remanent.model import Maker
from remanent.text.numerals import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.terms import query_terms
from remanent.values import dataclass

_OFFLINE = Maker(role=ANSWERING.name, engine="offline", version=ANSWERING.version)
_UNSUPPORTED = Bilingual("[unsupported]", "［无依据］")
_NOTHING = Bilingual("Nothing here answers that.", "这里没有能回答该问题的内容。")
_NEAR: Mapping[str, float] = {"use-multilingual-v3": 0.28}
"""How near in meaning, by a model's cosine, a passage in another language must be to answer; by a model that was not
measured none is. Chosen with all in sight of 31 questions with an answer and 24 without: 29 and 4 of them pass."""
_LEFT_OUT = "…"
"""What stands for a passage of which nothing is of the kind asked for, so that the others keep their numbers."""
_MAX_SENTENCES = 200
"""Sentences of one text that are checked; each is a search."""


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
        """Return an answer: a model's, each sentence checked against the passages, or sentences of the passages."""
        found = await self._searcher.search(places, question, options)
        if not found.items:
            nearest = await self._searcher.search(places, question, replace(options, gated=False))
            return _nothing(question, nearest)
        shown = tuple(
            SourcePassage(title=_heading(one)[:MAX_REMARK], text=with_rows_read(one.text)) for one in found.items
        )
        request = AnsweringRequest(question=question[:MAX_REMARK], passages=shown)
        toolbox = Toolbox(embedder=self._parts.embedder)
        answer = await run_or_offline(self._parts.engine, ANSWERING, request, toolbox)
        if answer.made_by.engine == "offline":
            said = await self._quoted(request, answer.value.sentences, toolbox) or await self._foreign(question, found)
            return _told(question, found, said, answer.made_by)
        # A model may name grounds that do not bear it out: what counts is what the passages say.
        written = [
            AnswerSentence(text=one.text, citations=_bearing_out(one.text, found)) for one in answer.value.sentences
        ]
        if not written:
            return _nothing(question, found, made_by=answer.made_by)
        if not any(one.citations for one in written):
            quoted = await OfflineEngine(toolbox).run(ANSWERING, request)
            if said := await self._quoted(request, quoted.value.sentences, toolbox):
                return _told(question, found, said, quoted.made_by)
            written += await self._foreign(question, found)
        return _told(question, found, written, answer.made_by)

    async def _quoted(
        self, request: AnsweringRequest, best: Sequence[WrittenSentence], toolbox: Toolbox
    ) -> list[AnswerSentence]:
        """Return the sentences that answer best, if they give what is asked for, else the best of those that do.

        Of a list of steps, all are given where one of them answers how something is done.
        """
        question = request.question
        fits = partial(may_answer, question)
        if best and not any(fits(one.text) for one in best):
            fitting = [
                one.replace(text="\n".join(filter(fits, sentence_texts(one.text))) or _LEFT_OUT)
                for one in request.passages
            ]
            other = await OfflineEngine(toolbox).run(ANSWERING, request.replace(passages=tuple(fitting)))
            best = [one for one in other.value.sentences if _shares_a_word(question, one, request)]
        told: list[AnswerSentence] = []
        for one in best:
            list_of = (steps(question, one.text, request.passages[number - 1].text) for number in one.passages)
            texts = next(filter(None, list_of), (one.text,))
            told += [AnswerSentence(text=text, citations=one.passages) for text in texts]
        return list({one.text: one for one in told}.values())

    async def _foreign(self, question: str, found: KnowledgeFound) -> list[AnswerSentence]:
        """Return the nearest sentence of passages in another language than the question, which share no words with it.

        Nothing where none of them is near.
        """
        embedder = self._parts.embedder
        nearness = {number: _nearness(passage) for number, passage in enumerate(found.items, start=1)}
        least = None if embedder is None else _NEAR.get(embedder.model_id)
        if embedder is None or least is None or max(nearness.values(), default=0) < least:
            return []
        if not is_foreign(question, found.items):
            return []
        said = [
            (number, sentence)
            for number, passage in enumerate(found.items, start=1)
            for sentence in sentence_texts(passage.text)
            if may_answer(question, sentence)
        ]
        if not said:
            return []
        asked, *vectors = await embedder.embed([question, *(sentence for _, sentence in said)])
        _, number, sentence = max(
            (nearness[number] + float(vector @ asked), -number, sentence)
            for (number, sentence), vector in zip(said, vectors, strict=True)
        )
        return [AnswerSentence(text=sentence, citations=(-number,))]

    async def verify(self, places: Sequence[SearchPlace], text: str, options: SearchOptions) -> Verification:
        """Say of every sentence whether the documents support, contradict or do not mention it."""
        sentences = sentence_texts(text)
        if not sentences:
            raise InvalidInput("the text is empty; give what is to be checked")
        if len(sentences) > _MAX_SENTENCES:
            raise InvalidInput(
                f"{len(sentences)} sentences are more than the {_MAX_SENTENCES} checked at once; split it"
            )
        return Verification(sentences=tuple([await self._check(places, one, options) for one in sentences]))

    async def _check(self, places: Sequence[SearchPlace], sentence: str, options: SearchOptions) -> CheckedSentence:
        """Judge one sentence by what documents say: one that supports it counts before one that contradicts it."""
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
                    citation=best.passage.cite(working_language(sentence)),
                    document=best.passage.document,
                )
        return CheckedSentence(text=sentence, verdict="not_mentioned")


def _bearing_out(sentence: str, found: KnowledgeFound) -> tuple[int, ...]:
    """Return the numbers of the passages of which a sentence, or two that follow each other, say the same."""
    numbers = []
    for number, passage in enumerate(found.items, start=1):
        said = sentence_texts(passage.text)
        pairs = [f"{one} {other}" for one, other in pairwise(said)]
        if any(bearing(sentence, one, title=passage.title)[1] == "supported" for one in (*said, *pairs)):
            numbers.append(number)
    return tuple(numbers)


def _shares_a_word(question: str, said: WrittenSentence, request: AnsweringRequest) -> bool:
    """Tell whether a sentence itself speaks of what is asked, and not just the heading that it stands under."""
    headings = " ".join(request.passages[number - 1].title for number in said.passages)
    return bool((set(query_terms(question)) - set(query_terms(headings))) & set(query_terms(said.text)))


def _told(question: str, found: KnowledgeFound, sentences: Sequence[AnswerSentence], made_by: Maker) -> KnowledgeAnswer:
    """Put an answer together; sentences without a citation are marked, and do not answer by themselves."""
    if not sentences:
        return _nothing(question, found, made_by=made_by)
    mark = " " + _UNSUPPORTED.say(working_language(question))
    text = " ".join(one.text + ("".join(f" [{number}]" for number in one.citations) or mark) for one in sentences)
    return KnowledgeAnswer(
        question=question, answered=any(one.citations for one in sentences), text=text, sentences=tuple(sentences),
        passages=found.items, made_by=made_by,
    )  # fmt: skip


def _nearness(passage: Passage) -> float:
    return next((rank.score for rank in passage.ranks if rank.path == "vector"), 0.0)


def _heading(passage: Passage) -> str:
    """Return the headings that a passage stands under; nothing where its own first words are the document's title."""
    heading = " › ".join(passage.path) or passage.title
    return "" if passage.text.startswith(heading.rstrip("….")) else heading


def _nothing(question: str, found: KnowledgeFound, *, made_by: Maker = _OFFLINE) -> KnowledgeAnswer:
    said = _NOTHING.say(working_language(question))
    return KnowledgeAnswer(question=question, answered=False, text=said, passages=found.items, made_by=made_by)


# ── lists and tables within a passage ────────────────────────────────────────
# How something is done stands in steps, and one of them is no answer; a cell tells nothing without the head above it.

_STEP = lazy_regex(
    r"\s*(?:\(?\d{1,2}[.)、）:：]\s*|[-*•·]\s+|(?:step\s+\d+|第[一二三四五六七八九十\d]+步)[.:：、，,]?\s*)\S",
    re.IGNORECASE,
)
_MAX_STEPS = 30
"""Steps of one list that are given. Chosen by hand."""


def steps(question: str, sentence: str, text: str) -> Sequence[str]:
    """Return all steps of the list that a sentence of a passage is in or stands right before, if a way is asked for."""
    lines = [line for line in text.splitlines() if line.strip()]
    if answer_type(question) is not AnswerType.WAY:
        return ()
    bare = " ".join(sentence.split())
    at = next((place for place, line in enumerate(lines) if _same(bare, " ".join(line.split()))), None)
    if at is None:
        return ()
    if not _STEP.match(lines[at]):
        at += 1
    first = at
    while first > 0 and _STEP.match(lines[first - 1]):
        first -= 1
    found = []
    for line in lines[first : first + _MAX_STEPS]:
        if not _STEP.match(line):
            break
        found.append(line.strip())
    return found if len(found) > 1 else ()


def _same(sentence: str, line: str) -> bool:
    """Tell whether a sentence stands in a line, or begins with what the line says."""
    return bool(line) and (sentence in line or line in sentence)


# ── tables ───────────────────────────────────────────────────────────────────

_TABLE = lazy_regex(r"(?:^[ \t]*+\|[^\n]*+(?:\n|\Z)){2,}+", re.MULTILINE)
_RULE = lazy_regex(r"[\s|:-]*")
"""The line between a table's head and its rows."""
_FULLER = 6
"""How many times as long as its table what is read of it may be: a head may be longer than all rows."""


def with_rows_read(text: str) -> str:
    """Return a text with each row of its tables as a sentence under the head: Grade: Senior, Bonus: 9 %.

    Without a line below it, a first row with figures, or one above rows without any, may be no head: such a table stays
    as it is.
    """
    return _TABLE.sub(lambda table: _rows_of(table[0]) or table[0], text)


def _rows_of(table: str) -> str:
    """Return the rows of a table as sentences, or nothing where it has no head or they would be far too long."""
    lines = table.splitlines()
    ruled = _RULE.fullmatch(lines[1]) is not None
    cells = [
        [cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)
    ]
    head, rows = next(iter(cells), []), cells[1:]
    told_apart = not any(map(has_digit, head)) and all(any(map(has_digit, row)) for row in rows)
    if not rows or not (ruled or told_apart):
        return ""
    chinese = working_language(table) == "zh"
    colon, comma, stop = ("：", "，", "。") if chinese else (": ", ", ", ".")
    read = (
        comma.join(f"{name}{colon}{cell}" if name else cell for name, cell in zip(head, row, strict=False) if cell)
        for row in rows
    )
    told = "\n".join(f"{row}{stop}" for row in read) + "\n"
    return told if len(told) <= _FULLER * len(table) else ""
