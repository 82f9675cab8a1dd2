"""Answering: a model answers a question from passages, sentence by sentence, each with the passages that it rests on.

What a model names as its grounds is a claim like any other: whoever shows the answer checks it against the passages.

Only citations of passages that say the same are kept, by the rule of `verify`, which accepts .94 right pairs of the
English inference set and .69 of the Chinese one at equal shares; a model that says nothing which is borne out gives way
to the documents' own sentences.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.language.offline.answer_finding import find_answer
from remanent.language.reply_fields import MAX_ITEMS, Numbers, Prose, known_numbers, numbered, require_known
from remanent.language.role import Bounds, Defaults, Role, Toolbox
from remanent.language.shapes import LongText, Remark
from remanent.language.tidying import one_line
from remanent.language.wording import abridged, block, group, passage_blocks
from remanent.model import Model
from remanent.text.scripts import working_language

_MAX_SENTENCES = 20
_LONGEST_SENTENCE = 1_000
"""Characters of a sentence; above, sentences of an answer that are kept, of which a model is asked for five. Chosen by
hand."""


class SourcePassage(Model):
    """A passage to answer from, and what its document is called."""

    title: Remark = ""
    text: LongText


class AnsweringRequest(Model):
    """A question, and the passages that may answer it, best first."""

    question: Annotated[Remark, Field(min_length=1)]
    passages: Annotated[tuple[SourcePassage, ...], Field(min_length=1, max_length=100)]


class WrittenSentence(Model):
    """A sentence of an answer, and the numbers from 1 of the passages that it is said to rest on."""

    text: Remark
    passages: tuple[Annotated[int, Field(ge=1)], ...] = ()


class AnsweringResponse(Model):
    """The sentences of an answer; none where the passages do not answer."""

    sentences: tuple[WrittenSentence, ...] = ()


_SHOWN = 40_000
"""Characters of all passages together: with the rest about half of the smallest window in use."""
_LEAST_SHOWN = 300
"""Characters of a passage that are shown in any case, however many passages there are."""
_INSTRUCTIONS: Bilingual = Bilingual(
    """
You answer a question (<question>) from the passages that are given (<p n="number">) and from nothing else.
Rules:
1. Write only what the passages say; use no knowledge of your own and guess nothing; keep figures, dates, names and \
negations as they are.
2. One sentence says one thing, in the passages' own words as far as you can; name the passages that it rests on.
3. Answer first, then add the details that are needed; at most five sentences.
4. If the passages do not answer the question, sentences is []; do not make up an answer.
Write in the language of the question.
Field sentences: a list; each item has text (one sentence, no numbers of passages) and passages (their numbers).
""",
    """
你负责只根据给出的段落（<p n="编号">）回答问题（<question>）。
规则：
1. 只写段落里说了的内容，不用自己的知识，不推测；数字、日期、名称、否定照原文。
2. 一句话只说一件事，尽量沿用段落的说法；在 passages 里写明它依据的段落编号。
3. 先直接回答，再补充必要的细节，最多五句。
4. 段落没有回答这个问题时，sentences 写 []；不要凑答案。
使用问题的语言。
字段 sentences：列表，每项含 text（一句话，不写编号）和 passages（编号列表）。
""",
)


_BOUNDS: Bilingual = Bilingual("The passages are numbered 1 to {n}.", "段落编号为 1 到 {n}。")


class SentenceReply(Model):
    """One sentence and the passages it rests on."""

    text: Prose
    passages: Numbers = ()


class AnsweringReply(Model):
    """The answer, sentence by sentence."""

    sentences: Annotated[tuple[SentenceReply, ...], Field(max_length=MAX_ITEMS)] = ()


_ANSWERED = 0.5
"""The share of a question from which on a sentence answers it: less than where nothing was searched, since passages
are found by their meaning, too. Of 140 public Chinese questions whose passage is there 130 are answered, of the same
without it 10; of 100 English ones over several documents 75, and 13."""


class Answering(Role[AnsweringRequest, AnsweringReply, AnsweringResponse]):
    """Answer from passages."""

    name = "answering"
    defaults = Defaults(temperature=0.0, top_p=0.9, max_tokens=1024)
    instructions = _INSTRUCTIONS
    form_shown: ClassVar[Bilingual | None] = Bilingual(
        '{"sentences": [{"text": "[one sentence]", "passages": [1]}]}',
        '{"sentences": [{"text": "【一句话】", "passages": [1]}]}',
    )

    def language(self, request: AnsweringRequest) -> Language:
        """Speak the language of the question."""
        return working_language(request.question)

    def material(self, request: AnsweringRequest, *, language: Language) -> list[str]:
        """Show the passages with their numbers, then the question."""
        longest = max(_LEAST_SHOWN, _SHOWN // len(request.passages))
        shown = [abridged(text, longest) for text in titled(request.passages)]
        bounds = _BOUNDS[language].format(n=len(shown))
        return [group("passages", passage_blocks(shown)), block("question", request.question), bounds]

    def bounds(self, request: AnsweringRequest) -> Bounds:
        """Hold the numbers to those of the passages."""
        return {"sentences": {"maxItems": _MAX_SENTENCES}, "sentences.passages": numbered(len(request.passages))}

    def read(self, request: AnsweringRequest, reply: AnsweringReply) -> AnsweringResponse:
        """Keep what says something; passages that were not shown are passed over."""
        named = [number for said in reply.sentences for number in said.passages]
        require_known(named, shown=len(request.passages))
        sentences = []
        for said in reply.sentences[:_MAX_SENTENCES]:
            known = known_numbers(said.passages, shown=len(request.passages))
            if text := one_line(said.text, _LONGEST_SENTENCE):
                sentences.append(WrittenSentence(text=text, passages=tuple(known)))
        return AnsweringResponse(sentences=tuple(sentences))

    async def offline(self, request: AnsweringRequest, toolbox: Toolbox) -> AnsweringResponse:
        """Give the sentences of the passages that answer best, word for word."""
        return await quote(request, toolbox)


def titled(passages: Sequence[SourcePassage]) -> list[str]:
    """Return the texts of passages, each behind the title of its document."""
    return [f"{one.title}. {one.text}" if one.title else one.text for one in passages]


async def quote(request: AnsweringRequest, toolbox: Toolbox) -> AnsweringResponse:
    """Return the sentences that answer best with the passages that they stand in; none where none answers."""
    texts, titles = [one.text for one in request.passages], [one.title for one in request.passages]
    best = find_answer(request.question, texts, titles=titles)
    if not best.sentences or best.score < _ANSWERED:
        return AnsweringResponse()
    found = zip(best.sentences, best.sources, strict=True)
    return AnsweringResponse(sentences=tuple(_quoted(one.strip(), source, texts) for one, source in found))


def _quoted(sentence: str, source: int, texts: Sequence[str]) -> WrittenSentence:
    """Return a sentence with the passage that it was taken from, and others that say the same word for word."""
    held = [number for number, text in enumerate(texts, 1) if number == source + 1 or sentence in text]
    return WrittenSentence(text=one_line(sentence, _LONGEST_SENTENCE), passages=tuple(held))


ANSWERING = Answering()
