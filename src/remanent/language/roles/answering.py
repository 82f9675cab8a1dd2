"""Answering: which passages answer a question best, and the answer from them, sentence by sentence.

Code puts the passages in the order of a model's scores and loses none. What a model names as the grounds of an answer
is a claim like any other: whoever shows the answer checks it against the passages.

Only citations of passages that say the same are kept, by the rule of `verify`, which accepts .95 right pairs of the
English inference set and .72 of the Chinese one at equal shares; a model that says nothing which is borne out gives way
to the documents' own sentences.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, model_validator

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidInput
from remanent.language import shapes
from remanent.language.offline.answer_finding import find_answer
from remanent.language.offline.salience import word_scores
from remanent.language.offline.values import case_told
from remanent.language.prompt_blocks import abridged, block, group, passage_blocks
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import MAX_ITEMS, known_numbers, numbered, one_line, require_known
from remanent.model import Model
from remanent.model.base import Share
from remanent.model.ids import Id
from remanent.text.scripts import working_language


class RankedPassage(Model):
    """A passage and how well it answers, from 0 to 1."""

    passage_id: Id
    score: Share


class PassageToRank(Model):
    """A passage that may answer the question."""

    passage_id: Id
    text: shapes.LongText


class RerankingRequest(Model):
    """A question and passages, in the order in which they were found."""

    query: Annotated[shapes.Remark, Field(min_length=1)]
    passages: Annotated[tuple[PassageToRank, ...], Field(min_length=1, max_length=100)]

    @model_validator(mode="after")
    def _check_the_ids(self) -> "RerankingRequest":
        if len({passage.passage_id for passage in self.passages}) < len(self.passages):
            raise InvalidInput("a passage is given twice; every passage needs an id of its own")
        return self


class RerankingResponse(Model):
    """Every passage once, best first; those of equal score stay in the order in which they were given."""

    ranked: tuple[RankedPassage, ...]


_LONGEST_RANKED = 1_200
"""Characters of a passage that a model is shown; of a longer one, beginning and end."""
_BEST = 10
"""The highest score that a model is asked for; in the response it is 1."""


_SCORE_BOUNDS: Bilingual = Bilingual(
    "There are {n} passages, numbered 1 to {n}; write one item for each.", "共 {n} 个段落，编号 1 到 {n}；每个写一项。"
)


class ScoreReply(Model):
    """How well one passage answers."""

    passage: Annotated[int, Field(ge=0)]
    score: Annotated[float, Field(ge=0, le=_BEST)]


_BLANK = '{"scores": [{"passage": 1, "score": 0}, {"passage": 2, "score": 0}]}'


class RerankingReply(Model):
    """How well the passages answer."""

    scores: Annotated[tuple[ScoreReply, ...], Field(max_length=MAX_ITEMS)]


class Reranking(Role[RerankingRequest, RerankingReply, RerankingResponse]):
    """Order passages by how well they answer."""

    name = "reranking"
    defaults = Defaults(tier=Tier.RERANK, temperature=0.0, top_p=0.9, max_tokens=2048)
    instructions = Bilingual(
        """
You judge how far each passage (<p n="number">) helps to answer a question (<query>).
score: 10 answers it directly and fully; 7 answers a part; 4 is on the topic without an answer; 0 has nothing to do \
with it. Go by what is said, not by shared words.
Field scores: a list with one item per passage, each with passage (its number) and score (a whole number, 0 to 10).
""",
        """
你负责判断每个段落（<p n="编号">）对回答问题（<query>）有多大用处。
score：10 表示直接、完整地回答；7 表示回答了一部分；4 表示同一主题但没有答案；0 表示无关。看内容，不看字面相似。
字段 scores：列表，每个段落一项，含 passage（编号）和 score（0 到 10 的整数）。
""",
    )
    form_shown = Bilingual(_BLANK, _BLANK)

    def language(self, request: RerankingRequest) -> Language:
        """Speak the language of the question."""
        return working_language(request.query, *(passage.text for passage in request.passages))

    def material(self, request: RerankingRequest, *, language: Language) -> list[str]:
        """Show the passages with their numbers, then the question."""
        shown = [abridged(passage.text, _LONGEST_RANKED) for passage in request.passages]
        bounds = _SCORE_BOUNDS[language].format(n=len(shown))
        return [group("passages", passage_blocks(shown)), block("query", request.query), bounds]

    def bounds(self, request: RerankingRequest) -> Bounds:
        """Hold the list to one score for each passage."""
        count = len(request.passages)
        return {"scores": {"minItems": count, "maxItems": count}, "scores.passage": {"minimum": 1, "maximum": count}}

    def read(self, request: RerankingRequest, reply: RerankingReply) -> RerankingResponse:
        """Order by score; a passage without one comes last."""
        require_known([score.passage for score in reply.scores], shown=len(request.passages))
        scores: dict[int, float] = {}
        for score in reply.scores:
            scores.setdefault(score.passage, score.score / _BEST)
        return _ranked(request, [scores.get(number, 0.0) for number in range(1, len(request.passages) + 1)])

    async def offline(self, request: RerankingRequest, toolbox: Toolbox) -> RerankingResponse:
        """Score by shared words and by vectors; equal ones stay in the order in which they came."""
        texts = [passage.text for passage in request.passages]
        scores = word_scores(request.query, texts)
        if toolbox.embedder is not None:
            vectors = await toolbox.embedder.embed([request.query, *texts])
            meanings = [max(0.0, min(1.0, float(value))) for value in vectors[1:] @ vectors[0]]
            scores = [
                _BY_WORDS * words + (1 - _BY_WORDS) * meaning for words, meaning in zip(scores, meanings, strict=True)
            ]
        return _ranked(request, [round(score, 6) for score in scores])


def _ranked(request: RerankingRequest, scores: Sequence[float]) -> RerankingResponse:
    ranked = [
        RankedPassage(passage_id=passage.passage_id, score=score)
        for passage, score in zip(request.passages, scores, strict=True)
    ]
    return RerankingResponse(ranked=tuple(sorted(ranked, key=lambda passage: -passage.score)))


_BY_WORDS = 0.5
"""The share of shared words in a score, the rest being meaning; chosen by hand."""


RERANKING = Reranking()


_MAX_SENTENCES = 20
_LONGEST_SENTENCE = 1_000
"""Characters of a sentence; above, sentences of an answer that are kept, of which a model is asked for five. Chosen by
hand."""


class SourcePassage(Model):
    """A passage to answer from, and what its document is called."""

    title: shapes.Remark = ""
    text: shapes.LongText


class AnsweringRequest(Model):
    """A question, and the passages that may answer it, best first."""

    question: Annotated[shapes.Remark, Field(min_length=1)]
    passages: Annotated[tuple[SourcePassage, ...], Field(min_length=1, max_length=100)]


class WrittenSentence(Model):
    """A sentence of an answer, and the numbers from 1 of the passages that it is said to rest on."""

    text: shapes.Remark
    passages: tuple[Annotated[int, Field(ge=1)], ...] = ()


class AnsweringResponse(Model):
    """The sentences of an answer; none where the passages do not answer."""

    sentences: tuple[WrittenSentence, ...] = ()


_SHOWN = 40_000
"""Characters of all passages together: with the rest about half of the smallest window in use."""
_LEAST_SHOWN = 300
"""Characters of a passage that are shown in any case, however many passages there are."""


_BOUNDS: Bilingual = Bilingual("The passages are numbered 1 to {n}.", "段落编号为 1 到 {n}。")


class SentenceReply(Model):
    """One sentence and the passages it rests on."""

    text: shapes.Prose
    passages: shapes.Numbers = ()


class AnsweringReply(Model):
    """The answer, sentence by sentence."""

    sentences: Annotated[tuple[SentenceReply, ...], Field(max_length=MAX_ITEMS)] = ()


_ANSWERED = 0.5
"""The share of a question from which on a sentence answers it: less than where nothing was searched, since passages
are found by their meaning, too."""


class Answering(Role[AnsweringRequest, AnsweringReply, AnsweringResponse]):
    """Answer from passages."""

    name = "answering"
    defaults = Defaults(temperature=0.0, top_p=0.9, max_tokens=1024)
    instructions = Bilingual(
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
    form_shown = Bilingual(
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
        """Quote the sentences that answer best, each with the passages that it stands in; none where none answers."""
        texts, titles = [one.text for one in request.passages], [one.title for one in request.passages]
        best = find_answer(request.question, texts, titles=titles)
        if not best.sentences or best.score < _ANSWERED:
            return AnsweringResponse()
        told = []
        for sentence, source in zip(best.sentences, best.sources, strict=True):
            said = one_line(sentence.strip(), _LONGEST_SENTENCE)
            # The passage that it was taken from, and others that say the same word for word.
            held = [n for n, text in enumerate(texts) if n == source or sentence.strip() in text]
            case = case_told(request.question, said)
            if case != "":  # of several cases, only the one that is asked of
                told.append(WrittenSentence(text=said if case is None else case, passages=tuple(n + 1 for n in held)))
        return AnsweringResponse(sentences=tuple(told))


def titled(passages: Sequence[SourcePassage]) -> list[str]:
    """Return the texts of passages, each behind the title of its document."""
    return [f"{one.title}. {one.text}" if one.title else one.text for one in passages]


ANSWERING = Answering()
