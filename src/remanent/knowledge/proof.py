"""Answers with proof: the sentences that answer a question, each with its place, and a text held against the documents.

Without a model an answer is extractive: it stands in a document word for word. With one, code checks each sentence
against the passages and cites those that say the same; what none of them says is marked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import PurePath

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
from remanent.knowledge.search import Searcher, SearchOptions, SearchPlace, is_foreign
from remanent.knowledge.tables import begins_within, cell_readings, is_separated, labels, table_head, with_its_rows_read
from remanent.language.engines import OfflineEngine, run_or_offline
from remanent.language.offline.answer_finding import speak_of_names
from remanent.language.offline.evidence import UNSUPPORTED, bearing, bears_out
from remanent.language.offline.questions import AnswerType, answer_type, may_answer
from remanent.language.role import Toolbox
from remanent.language.roles.answering import ANSWERING, AnsweringRequest, SourcePassage, WrittenSentence
from remanent.language.shapes import MAX_REMARK
from remanent.model import Maker
from remanent.recall.untold import is_vague
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.spans import excerpt
from remanent.text.terms import query_terms
from remanent.text.words import ENGLISH_STOP_WORDS, stem, word_set
from remanent.values import dataclass

_OFFLINE = Maker(role=ANSWERING.name, engine="offline", version=ANSWERING.version)
_NOTHING = Bilingual("Nothing here answers that.", "这里没有能回答该问题的内容。")
_QUOTED = Bilingual(
    "No sentence here answers that for certain; the documents say: “{quoted}”",
    "没有一句能确定回答该问题；文档原文：“{quoted}”",
)
_LONGEST_QUOTED = 240
"""Characters of a passage that are quoted around the sentence that is nearest to a question; whole sentences."""
_NEAR_ENOUGH, _HELD_BACK = 0.2, 0.5
"""The share of a question's words that a passage has which is quoted; and where the search itself held it back."""
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
            heads = await self._heads(places, nearest, options)
            return _nearest(question, nearest, heads, least=_HELD_BACK)
        heads = await self._heads(places, found, options)
        shown = tuple(
            SourcePassage(title=_heading(one)[:MAX_REMARK], text=with_its_rows_read(one, heads.get(one.record_id, "")))
            for one in found.items
        )
        request = AnsweringRequest(question=question[:MAX_REMARK], passages=shown)
        toolbox = Toolbox(embedder=self._parts.embedder)
        answer = await run_or_offline(self._parts.engine, ANSWERING, request, toolbox)
        if answer.made_by.engine == "offline":
            said = await self._quoted(request, answer.value.sentences, toolbox) or await self._foreign(question, found)
            return _told(question, found, said, answer.made_by) if said else _nearest(question, found, heads)
        # A model may name grounds that do not bear it out: what counts is what the passages say.
        written = [
            AnswerSentence(text=one.text, citations=_bearing_out(one.text, found, heads))
            for one in answer.value.sentences
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
        for one in best if not all(_of_another_kind(question, one.text, request) for one in best) else ():
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
            if may_answer(question, sentence) and not sentence.startswith("#")
        ]
        if not said:
            return []
        asked, *vectors = await embedder.embed([question, *(sentence for _, sentence in said)])
        _, number, sentence = max(
            (nearness[number] + float(vector @ asked), -number, sentence)
            for (number, sentence), vector in zip(said, vectors, strict=True)
        )
        return [AnswerSentence(text=sentence, citations=(-number,))]

    async def _heads(
        self, places: Sequence[SearchPlace], found: KnowledgeFound, options: SearchOptions
    ) -> dict[str, str]:
        """Return the heads of the tables that go on in passages, by their ids: each stands in a passage before."""
        within = [passage for passage in found.items if begins_within(passage)]
        heads = {}
        for passage in within:
            before = await self._searcher.before(places, passage, options)
            heads[passage.record_id] = table_head(passage, before)
        return heads

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
        heads = await self._heads(places, found, options)
        evidence = [
            one for passage in found.items for one in _evidence(sentence, passage, heads.get(passage.record_id, ""))
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


def _evidence(claim: str, passage: Passage, head: str) -> Iterator[_ProofEvidence]:
    """Yield what a passage says with how it bears on a claim; of a row that it names, only the cells that it names."""
    rows = set[str]()
    for cells in cell_readings(passage, head, claim):
        rows.update(sentence_texts(cells.row))
        if cells.quoted:
            yield _ProofEvidence(cells.quoted, passage, cells.coverage, cells.verdict)
    for said in (*sentence_texts(with_its_rows_read(passage, head)), *labels(passage.text, claim)):
        if said not in rows:
            yield _ProofEvidence(said, passage, *bearing(claim, said, title=passage.title))


def _bearing_out(sentence: str, found: KnowledgeFound, heads: Mapping[str, str]) -> tuple[int, ...]:
    """Return the numbers of the passages of which a sentence, or two that follow each other, say the same.

    Of a table with the row that it speaks of, the cells that it names count, and not whatever figure the row has.
    """

    def is_so(one: Passage) -> bool:
        head = heads.get(one.record_id, "")
        if any(cells.quoted for cells in cell_readings(one, head, sentence)):
            return any(said.verdict == "supported" for said in _evidence(sentence, one, head))
        return bears_out(sentence, one.text, title=one.title)

    return tuple(number for number, one in enumerate(found.items, start=1) if is_so(one))


_KIND_OF_THING = lazy_regex(r"(?=\b([a-z]{3,}) ([a-z]{3,})\b)")
_WORD = lazy_regex(r"[a-z][a-z'’-]*", re.IGNORECASE)
_OF_NO_KIND = word_set(
    "actual current exact full main maximum minimum new official original overall specific total whole"
)


def _of_another_kind(question: str, sentence: str, request: AnsweringRequest) -> bool:
    """Tell whether a figure is that of another kind of thing: the days of paid leave, where sick leave is asked for.

    So it is where the kind asked for stands in no passage, and the sentence has another before the thing. In English,
    where two words name it: of 302 texts that answer a question for a figure (LoCoMo, LongMemEval, BEAM, two-hop) 2 are
    taken for such.
    """
    if answer_type(question) is not AnswerType.NUMBER:
        return False
    known = frozenset(term for one in request.passages for term in query_terms(f"{one.title}\n{one.text}"))
    asked, words = frozenset(query_terms(question)), [stem(word.casefold()) for word in _WORD.findall(sentence)]
    return any(
        _tells_a_kind(kind)
        and _tells_a_kind(thing)
        and stem(kind) not in known
        and any(_tells_a_kind(one) and one not in asked and behind == stem(thing) for one, behind in pairwise(words))
        for kind, thing in _KIND_OF_THING.findall(question)
    )


def _tells_a_kind(word: str) -> bool:
    return word not in ENGLISH_STOP_WORDS and word not in _OF_NO_KIND and not is_vague(stem(word))


def _shares_a_word(question: str, said: WrittenSentence, request: AnsweringRequest) -> bool:
    """Tell whether a sentence itself speaks of what is asked, and not just the heading that it stands under."""
    headings = " ".join(request.passages[number - 1].title for number in said.passages)
    return bool((set(query_terms(question)) - set(query_terms(headings))) & set(query_terms(said.text)))


def _told(question: str, found: KnowledgeFound, sentences: Sequence[AnswerSentence], made_by: Maker) -> KnowledgeAnswer:
    """Put an answer together; sentences without a citation are marked, and do not answer by themselves."""
    if not sentences:
        return _nothing(question, found, made_by=made_by)
    mark = " " + UNSUPPORTED.say(working_language(question))
    text = " ".join(one.text + ("".join(f" [{number}]" for number in one.citations) or mark) for one in sentences)
    return KnowledgeAnswer(
        question=question, answered=any(one.citations for one in sentences), text=text, sentences=tuple(sentences),
        passages=found.items, made_by=made_by,
    )  # fmt: skip


def _nearest(
    question: str, found: KnowledgeFound, heads: Mapping[str, str], *, least: float = _NEAR_ENOUGH
) -> KnowledgeAnswer:
    """Quote the best passage where no sentence is sure to answer: who asks would rather read it than hear of none.

    It is no answer, and says so; a passage without the names of the question, or with few of its words, is not quoted.
    """
    if not found.items:
        return _nothing(question, found)
    best = found.items[0]
    head = heads.get(best.record_id, "")
    asked = frozenset(term for term in query_terms(question) if len(term) > 1)
    heading = _heading(best)
    parts = [part for part in sentence_texts(with_its_rows_read(best, head)) if not part.startswith("#")] or [best.text]
    held = [_held(asked, part) for part in parts]
    shared = frozenset[str]().union(_held(asked, heading), *held)
    if not shared or len(shared) < least * len(asked) or not speak_of_names(question, [best.text], titles=[heading]):
        return _nothing(question, found)
    first = last = max(range(len(parts)), key=lambda at: (len(held[at]) + may_answer(question, parts[at]) / 2, -at))
    while last + 1 < len(parts) and sum(map(len, parts[first : last + 2])) <= _LONGEST_QUOTED:
        last += 1
    while first > 0 and sum(map(len, parts[first - 1 : last + 1])) <= _LONGEST_QUOTED:
        first -= 1
    between = "" if working_language(best.text) == "zh" and not is_separated(best) else " "
    quoted = excerpt(between.join(parts[first : last + 1]), 2 * _LONGEST_QUOTED)
    text = _QUOTED.say(working_language(question), quoted=quoted) + " [1]"
    told = (AnswerSentence(text=quoted, citations=(1,)),)
    return KnowledgeAnswer(
        question=question, answered=False, text=text, sentences=told, passages=found.items, made_by=_OFFLINE
    )


def _held(asked: frozenset[str], text: str) -> frozenset[str]:
    """Return which of the terms of a question stand in a text, wherever Chinese words end there."""
    own = frozenset(query_terms(text))
    return frozenset(term for term in asked if term in own or (not term.isascii() and term in text))


def _nearness(passage: Passage) -> float:
    return next((rank.score for rank in passage.ranks if rank.path == "vector"), 0.0)


def _heading(passage: Passage) -> str:
    """Return the headings that a passage stands under; nothing where its own first words are the document's title."""
    if is_separated(passage):
        return PurePath(passage.document).stem  # its first row is no title of the others
    heading = " › ".join(passage.path) or passage.title
    # The first row of a table is no title of the others.
    return "" if heading.startswith("|") or passage.text.startswith(heading.rstrip("….")) else heading


def _nothing(question: str, found: KnowledgeFound, *, made_by: Maker = _OFFLINE) -> KnowledgeAnswer:
    said = _NOTHING.say(working_language(question))
    return KnowledgeAnswer(question=question, answered=False, text=said, passages=found.items, made_by=made_by)


# ── lists within a passage ───────────────────────────────────────────────────
# How something is done stands in steps, of which one is no answer.

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
