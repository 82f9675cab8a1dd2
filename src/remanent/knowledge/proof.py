"""Answers with proof: the sentences that answer a question, each with its place, and a text held against the documents.

Without a model an answer is extractive: it stands in a document word for word. With one, code checks each sentence
against the passages and cites those that say the same; what none of them says is marked.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from remanent.bilingual import Bilingual
from remanent.discipline import Parts
from remanent.errors import InvalidInput
from remanent.knowledge.model import (
    AnswerSentence,
    CheckedSentence,
    KnowledgeAnswer,
    Passage,
    Verification,
)
from remanent.knowledge.search import Searcher, SearchOptions, SearchPlace, is_foreign
from remanent.knowledge.tables import (
    ReadPassage,
    asked_rows,
    begins_within,
    cell_readings,
    is_separated,
    labels,
    table_head,
)
from remanent.language.engines import OfflineEngine, run_or_offline
from remanent.language.offline.answer_finding import speak_of_names
from remanent.language.offline.claims import read_claim
from remanent.language.offline.comparison import DifferenceKind, compare
from remanent.language.offline.evidence import UNSUPPORTED, bearing, bears_out
from remanent.language.offline.questions import AnswerType, answer_type, is_of_another, is_of_another_letter, may_answer
from remanent.language.role import Toolbox
from remanent.language.roles.answering import ANSWERING, AnsweringRequest, SourcePassage, WrittenSentence
from remanent.language.shapes import MAX_REMARK
from remanent.lightweight import dataclass
from remanent.model import Maker
from remanent.recall.answerability import is_vague
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han, working_language
from remanent.text.sentences import sentence_texts
from remanent.text.spans import excerpt
from remanent.text.terms import query_terms
from remanent.text.words import ENGLISH_STOP_WORDS, stem, word_set

_OFFLINE = Maker(role=ANSWERING.name, engine="offline", version=ANSWERING.version)
_NOTHING = Bilingual("Nothing here answers that.", "这里没有能回答该问题的内容。")
_QUOTED = Bilingual(
    "No sentence here answers that with certainty; the documents say: “{quoted}”",
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
_DECISIVE: tuple[Literal["supported"], Literal["contradicted"]] = ("supported", "contradicted")
_MOST_ROWS = 3
"""Rows of tables that are told as the answer to one question. Chosen by hand."""
_MAX_SENTENCES = 200
"""Sentences of one text that are checked; each is a search."""


@dataclass(frozen=True, slots=True)
class _TableRows:
    """What the rows of tables among some passages say to a question."""

    told: tuple[AnswerSentence, ...]
    """Those that answer it."""
    silent: frozenset[str]
    """The sentences of those that do not: rows of other things, and such whose cell is empty."""

    @classmethod
    def of(cls, read: Sequence[ReadPassage], question: str) -> "_TableRows":
        """Hold each row of some passages against a question."""
        held = [(row, number) for number, one in enumerate(read, start=1) for row in asked_rows(one, question)]
        told: dict[str, tuple[int, ...]] = {}
        for row, number in held:
            if row.answers:
                told[row.text] = (*told.get(row.text, ()), number)
        may_tell = {_bare(part) for row, _ in held if row.answers is not False for part in sentence_texts(row.text)}
        silent = {_bare(part) for row, _ in held if row.answers is False for part in sentence_texts(row.text)}
        answering = [AnswerSentence(text=text, citations=numbers) for text, numbers in told.items()]
        return cls(tuple(answering[:_MOST_ROWS]), frozenset(silent - may_tell))


def _bare(text: str) -> str:
    return " ".join(text.split())


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
        read = await self._read(places, question, options)
        if not read:
            nearest = await self._read(places, question, replace(options, gated=False))
            # Few words of a question stand in a short row, but all that counts.
            near = [SourcePassage(title=one.heading[:MAX_REMARK], text=one.text) for one in nearest]
            if told := _TableRows.of(nearest, question).told or _listed(question, near):
                return _told(question, nearest, told)
            return _nearest(question, nearest, least=_HELD_BACK)
        shown = tuple(SourcePassage(title=one.heading[:MAX_REMARK], text=one.text) for one in read)
        request = AnsweringRequest(question=question[:MAX_REMARK], passages=shown)
        toolbox, rows = Toolbox(embedder=self._parts.embedder), _TableRows.of(read, question)
        answer = await run_or_offline(self._parts.engine, ANSWERING, request, toolbox)
        if answer.made_by.engine == "offline":
            said = await self._quoted(request, answer.value.sentences, toolbox, rows)
            said = said or await self._foreign(question, read, rows)
            return _told(question, read, said, answer.made_by) if said else _nearest(question, read)
        # A model may name grounds that do not bear it out: what counts is what the passages say.
        written = [
            AnswerSentence(text=one.text, citations=_bearing_out(one.text, read)) for one in answer.value.sentences
        ]
        if written and not any(one.citations for one in written):
            quoted = await OfflineEngine(toolbox).run(ANSWERING, request)
            if said := await self._quoted(request, quoted.value.sentences, toolbox, rows):
                return _told(question, read, said, quoted.made_by)
            written += await self._foreign(question, read, rows)
        return _told(question, read, written, answer.made_by)

    async def _read(self, places: Sequence[SearchPlace], question: str, options: SearchOptions) -> list[ReadPassage]:
        """Return the passages that fit, those that begin within a table with its head from a passage before."""
        found = (await self._searcher.search(places, question, options)).items
        before = await self._searcher.before(places, [one for one in found if begins_within(one)])
        return [ReadPassage(one, table_head(one, before.get(one.record_id, ()))) for one in found]

    async def _quoted(
        self, request: AnsweringRequest, best: Sequence[WrittenSentence], toolbox: Toolbox, rows: _TableRows
    ) -> list[AnswerSentence]:
        """Return the sentences that answer best, if they give what is asked for, else the best of those that do.

        Of a list of steps, all are given where one of them answers how something is done. A row that answers by the
        cell that is asked for goes before what only has more words of the question, but not before prose that was
        found before it.
        """
        question = request.question
        if listed := _listed(question, request.passages):
            return listed
        if is_of_another_letter(question, "\n".join(f"{one.title}\n{one.text}" for one in request.passages)):
            return []  # whose contact stands beside lines A to C is not told to be that of line E

        def fits(text: str, heading: str) -> bool:
            return _is_what_is_asked_for(question, text, heading) and _bare(text) not in rows.silent

        def heading_of(said: WrittenSentence) -> str:
            return "\n".join(request.passages[number - 1].title for number in said.passages)

        silent = any(_bare(one.text) in rows.silent for one in best)
        if best and (silent or not any(fits(one.text, heading_of(one)) for one in best)):
            fitting = [
                one.replace(
                    text="\n".join(part for part in sentence_texts(one.text) if fits(part, one.title)) or _LEFT_OUT
                )
                for one in request.passages
            ]
            other = await OfflineEngine(toolbox).run(ANSWERING, request.replace(passages=tuple(fitting)))
            best = [one for one in other.value.sentences if _shares_a_word(question, one, request)]
        told: list[AnswerSentence] = []
        best = [one for one in best if not _is_strange_step(question, one, request)]
        best = [one for one in best if not _tells_another(question, one.text, heading_of(one))]
        for one in best if not all(_of_another_kind(question, one.text, request) for one in best) else ():
            list_of = (steps(question, one.text, request.passages[number - 1].text) for number in one.passages)
            texts = next(filter(None, list_of), (one.text,))
            told += [AnswerSentence(text=text, citations=one.passages) for text in texts]
        if rows.told and not any(min(one.citations) < rows.told[0].citations[0] for one in told):
            return list(rows.told)
        return list({one.text: one for one in told}.values())

    async def _foreign(self, question: str, read: Sequence[ReadPassage], rows: _TableRows) -> list[AnswerSentence]:
        """Return the nearest sentence of passages in another language than the question, which share no words with it.

        Nothing where none of them is near.
        """
        embedder, passages = self._parts.embedder, [one.passage for one in read]
        nearness = {number: _nearness(passage) for number, passage in enumerate(passages, start=1)}
        least = None if embedder is None else _NEAR.get(embedder.model_id)
        if embedder is None or least is None or max(nearness.values(), default=0) < least:
            return []
        if not is_foreign(question, passages):
            return []
        said = [
            (number, sentence)
            for number, one in enumerate(read, start=1)
            for sentence in sentence_texts(one.text)
            if _is_what_is_asked_for(question, sentence, one.heading) and not sentence.startswith("#")
            if _bare(sentence) not in rows.silent
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
            raise InvalidInput("the text is empty; give the text to check")
        if len(sentences) > _MAX_SENTENCES:
            raise InvalidInput(
                f"the text has {len(sentences)} sentences, but at most {_MAX_SENTENCES} are checked at once; split it"
            )
        return Verification(sentences=tuple([await self._check(places, one, options) for one in sentences]))

    async def _check(self, places: Sequence[SearchPlace], sentence: str, options: SearchOptions) -> CheckedSentence:
        """Judge one sentence by what documents say: one that supports it counts before one that contradicts it."""
        read = await self._read(places, sentence, options)
        evidence = [said for one in read for said in _evidence(sentence, one)]
        for verdict in _DECISIVE:
            fitting = [one for one in evidence if one.verdict == verdict]
            if fitting:
                best = max(fitting, key=lambda one: one.coverage)
                return CheckedSentence(
                    text=sentence,
                    verdict=verdict,
                    confidence=best.coverage,
                    evidence=best.text,
                    citation=best.passage.cite(working_language(sentence)),
                    document=best.passage.document,
                )
        return CheckedSentence(text=sentence, verdict="not_mentioned")


def _evidence(claim: str, read: ReadPassage) -> Iterator[_ProofEvidence]:
    """Yield what a passage says with how it bears on a claim; of a row that it names, only the cells that it names."""
    rows, passage = set[str](), read.passage
    for cells in cell_readings(read, claim):
        rows.update(sentence_texts(cells.row))
        if cells.quoted:
            yield _ProofEvidence(cells.quoted, passage, cells.coverage, cells.verdict)
    for said in (*sentence_texts(read.text), *labels(passage.text, claim)):
        if said not in rows:
            yield _ProofEvidence(said, passage, *bearing(claim, said, title=passage.title))


def _bearing_out(sentence: str, read: Sequence[ReadPassage]) -> tuple[int, ...]:
    """Return the numbers of the passages of which a sentence, or two that follow each other, say the same.

    Of a table with the row that it speaks of, the cells that it names count, and not whatever figure the row has.
    """

    def is_so(one: ReadPassage) -> bool:
        if any(cells.quoted for cells in cell_readings(one, sentence)):
            return any(said.verdict == "supported" for said in _evidence(sentence, one))
        return bears_out(sentence, one.passage.text, title=one.passage.title)

    return tuple(number for number, one in enumerate(read, start=1) if is_so(one))


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


def _is_what_is_asked_for(question: str, sentence: str, heading: str) -> bool:
    return may_answer(question, sentence) and not _tells_another(question, sentence, heading)


def _tells_another(question: str, sentence: str, heading: str) -> bool:
    """Tell whether a sentence speaks of another thing than is asked for, or says the opposite of what is asked about.

    When a line was opened is not when it was closed; whether it is open, that may tell. Of 463 sentences that answered
    questions over CMRC, two-hop documents and our own guides, the comparison holds none for the opposite.
    """
    if is_of_another(question, f"{heading}\n{sentence}"):
        return True
    if answer_type(question) not in {AnswerType.TIME, AnswerType.NUMBER}:
        return False
    differences = compare(read_claim(sentence), read_claim(question)).differences
    return any(one.kind is DifferenceKind.OPPOSITE for one in differences)


def _tells_a_kind(word: str) -> bool:
    return word not in ENGLISH_STOP_WORDS and word not in _OF_NO_KIND and not is_vague(stem(word))


def _shares_a_word(question: str, said: WrittenSentence, request: AnsweringRequest) -> bool:
    """Tell whether a sentence itself speaks of what is asked, and not just the heading that it stands under."""
    headings = " ".join(request.passages[number - 1].title for number in said.passages)
    return bool((set(query_terms(question)) - set(query_terms(headings))) & set(query_terms(said.text)))


def _told(
    question: str, read: Sequence[ReadPassage], sentences: Sequence[AnswerSentence], made_by: Maker = _OFFLINE
) -> KnowledgeAnswer:
    """Put an answer together; sentences without a citation are marked, and do not answer by themselves."""
    language = working_language(question)
    mark = " " + UNSUPPORTED.say(language)
    text = " ".join(one.text + ("".join(f" [{number}]" for number in one.citations) or mark) for one in sentences)
    return KnowledgeAnswer(
        question=question, answered=any(one.citations for one in sentences), text=text or _NOTHING.say(language),
        sentences=tuple(sentences), passages=tuple(one.passage for one in read), made_by=made_by,
    )  # fmt: skip


def _nearest(question: str, read: Sequence[ReadPassage], *, least: float = _NEAR_ENOUGH) -> KnowledgeAnswer:
    """Quote the best passage where no sentence is sure to answer: who asks would rather read it than hear of none.

    It is no answer, and says so; a passage without the names of the question, or with few of its words, is not quoted.
    """
    nothing = _told(question, read, ())
    if not read:
        return nothing
    best, heading = read[0].passage, read[0].heading
    asked = frozenset(term for term in query_terms(question) if len(term) > 1)
    parts = [part for part in sentence_texts(read[0].text) if not part.startswith("#")] or [best.text]
    held = [_held(asked, part) for part in parts]
    shared = frozenset[str]().union(_held(asked, heading), *held)
    if not shared or len(shared) < least * len(asked) or not speak_of_names(question, [best.text], titles=[heading]):
        return nothing
    first = last = max(range(len(parts)), key=lambda at: (len(held[at]) + may_answer(question, parts[at]) / 2, -at))
    while last + 1 < len(parts) and sum(map(len, parts[first : last + 2])) <= _LONGEST_QUOTED:
        last += 1
    while first > 0 and sum(map(len, parts[first - 1 : last + 1])) <= _LONGEST_QUOTED:
        first -= 1
    between = "" if working_language(best.text) == "zh" and not is_separated(best) else " "
    quoted = excerpt(between.join(parts[first : last + 1]), 2 * _LONGEST_QUOTED)
    text = _QUOTED.say(working_language(question), quoted=quoted) + " [1]"
    return nothing.replace(text=text, sentences=(AnswerSentence(text=quoted, citations=(1,)),))


def _held(asked: frozenset[str], text: str) -> frozenset[str]:
    """Return which of the terms of a question stand in a text, wherever Chinese words end there."""
    own = frozenset(query_terms(text))
    return frozenset(term for term in asked if term in own or (not term.isascii() and term in text))


def _nearness(passage: Passage) -> float:
    return next((rank.score for rank in passage.ranks if rank.path == "vector"), 0.0)


# ── lists within a passage ───────────────────────────────────────────────────
# How something is done stands in steps, of which one is no answer.

_STEP = lazy_regex(
    r"\s*(?:\(?\d{1,2}[.)、）:：]\s*|[-*•·]\s+|(?:step\s+\d+|第[一二三四五六七八九十\d]+步)[.:：、，,]?\s*)\S",
    re.IGNORECASE,
)
_MAX_STEPS = 30
"""Steps of one list that are given. Chosen by hand."""
_WHAT_TO_DO = lazy_regex(
    r"\bwhat (?:(?:do|should|must|shall|can|ought|am|are|is) )?"
    r"(?:(?:I|we|you|one|people|staff|everyone|employees|guests|visitors|users) )?"
    r"(?:(?:have|need|ought|supposed|to|be) ){0,3}(?:do|done)\b|"
    r"\b(?:what|which)(?:['’]s| is| are)? (?:the )?(?:\w+ )?(?:steps?|procedures?|process|instructions?)\b|"
    r"怎么办|怎么做|[该应要需得][^？?，。]{0,3}做(?:什么|些什么|哪些)|步骤|流程|程序",
    re.IGNORECASE,
)
_ASKING = word_set(
    "step procedure process instruction react handle deal respond proceed case event happen occur take staff people "
    "employee everyone somebody someone anyone visitor guest user must should need supposed during there way what how "
    "do"
)
_ASKING_CHINESE = lazy_regex(
    r"怎么[办做样]?|应该|应当|需要|什么|哪些|步骤|流程|程序|方法|处理|处置|应对|操作|如何|怎样|发生|收到|遇到|出现|时候?|情况下?|我们?|员工|"
    r"具体|进行|正确|之?后|[的了是有该应要需得做些办请问在当若如被将把吗呢]"
)


def _core(text: str) -> list[str]:
    """Return what a question for a way, or a heading, is about, without the words that ask for one."""
    if working_language(text) == "zh":
        return [part for part in re.split(r"[\W\d_]+", _ASKING_CHINESE.sub(" ", text)) if part]
    words = (word for word in _WORD.findall(text) if word.casefold() not in ENGLISH_STOP_WORDS)
    return [term for term in map(stem, map(str.casefold, words)) if term not in map(stem, _ASKING)]


def _are_told(words: Sequence[str], text: str) -> bool:
    """Tell whether a text has all of some words, of Chinese ones all signs."""
    known = frozenset(stem(word.casefold()) for word in _WORD.findall(text))
    return all(set(word) <= set(text) if has_han(word) else word in known for word in words)


def steps_under_heading(question: str, text: str, heading: str) -> Sequence[str]:
    """Return all steps of the list of a passage that stands under what a question for a way is about.

    Each word of that heading must be in the question, and each of the question in the heading, the steps or the line
    before them: how to clean the filter is not told by a list on the filter that says nothing of cleaning.
    """
    if answer_type(question) is not AnswerType.WAY and not _WHAT_TO_DO.search(question):
        return ()
    asked, above = _core(question), heading.rpartition(" › ")[2]
    before, found = "", list[str]()
    for line in [*filter(str.strip, text.splitlines()), ""]:
        if _STEP.match(line):
            found.append(line.strip())
            continue
        if len(found) > 1 and asked:
            own, whole = _core(above), "\n".join((heading, above, before, *found))
            named = bool(own) and _are_told(own, question) and _are_told(asked, whole)
            if named or (before.rstrip().endswith((":", "：")) and _are_told(asked, before)):
                return found[:_MAX_STEPS]
        found = []
        before = line
        if line.startswith("#"):
            above, before = line.strip("# "), ""
    return ()


def _is_strange_step(question: str, said: WrittenSentence, request: AnsweringRequest) -> bool:
    """Tell whether one step of a list is all that is said to who asks what to do, and has not all that they ask of.

    Those under the heading of what is asked were found before.
    """
    if not _WHAT_TO_DO.search(question) or _are_told(_core(question), said.text):
        return False
    lines = (line for number in said.passages for line in request.passages[number - 1].text.splitlines())
    return any(_STEP.match(line) and said.text.strip() in line for line in lines)


def _listed(question: str, passages: Sequence[SourcePassage]) -> list[AnswerSentence]:
    """Return the steps that stand under what a question is about, of the first passage that has such."""
    for number, one in enumerate(passages, start=1):
        if told := steps_under_heading(question, one.text, one.title):
            return [AnswerSentence(text=text, citations=(number,)) for text in told]
    return []


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
