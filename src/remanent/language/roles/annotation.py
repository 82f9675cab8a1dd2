"""Annotation: a model gives a phrase and keywords, and compresses when asked; code holds lengths and numbers."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from remanent.errors import Refused
from remanent.language.offline.questions import content_words
from remanent.language.offline.salience import key_phrases, salient_sentences
from remanent.language.replies import Prose, Words
from remanent.language.role import Defaults, Prompt, Role, Tier, Toolbox
from remanent.language.shapes import Keyword, LongText
from remanent.language.tidying import keywords, line, remark, shortened
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, block, prompt
from remanent.model import Model
from remanent.model.base import Text
from remanent.text.boundaries import grapheme_boundaries, word_boundaries
from remanent.text.keywords import keywords as keywords_of
from remanent.text.numbers import quantities
from remanent.text.scripts import fold
from remanent.text.summary import compress
from remanent.text.wordlists import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS

MAX_PHRASE = 20
MAX_ANNOTATED_KEYWORDS = 5


class AnnotationRequest(Model):
    """A text, and the number of characters that it is to be compressed to, if it is."""

    text: LongText
    target_length: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class AnnotationResponse(Model):
    """The text, compressed if that was asked for, with a phrase of 10 to 20 characters and 3 to 5 keywords."""

    content: Annotated[Text, Field(min_length=1)]
    """Exactly the text when no length was asked for or it is short enough; else at most so many characters."""
    phrase: Annotated[Text, Field(min_length=1, max_length=MAX_PHRASE)]
    """Shorter than 10 characters only when the text says no more."""
    keywords: Annotated[tuple[Keyword, ...], Field(max_length=MAX_ANNOTATED_KEYWORDS)]
    """Fewer than 3 only when the text has no more; most telling first."""


_FEWEST_KEYWORDS = 3
_NUMBER = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?")
_INSTRUCTIONS: Wording = {
    "zh": """
你负责给一条记忆写标注。
字段：
phrase：概括这条记忆的短语，10 到 20 个字。
keywords：3 到 5 个关键词，名词或名词短语，最重要的在前。
使用原文的语言，不添加原文没有的内容。
示例：{"phrase": "小丽五月搬到杭州工作", "keywords": ["小丽", "搬家", "杭州"]}
""",
    "en": """
You annotate a memory.
Fields:
phrase: a phrase of 10 to 20 characters (two to four words) that says what it is about.
keywords: 3 to 5 keywords, nouns or noun phrases, the most important first.
Write in the language of the text and add nothing that is not in it.
Example: {"phrase": "Lily moved to Leeds", "keywords": ["Lily", "move", "Leeds"]}
""",
}
_COMPRESSING: Wording = {
    "zh": """
你负责把一条记忆压缩到指定长度，并写标注。
字段：
content：压缩后的内容，不超过 <limit> 指定的字符数，句子完整。先保留谁、做了什么、结论、数字、日期、否定，\
再舍弃细节和修饰；数字和名称照原文，不添加原文没有的内容。
phrase：概括这条记忆的短语，10 到 20 个字。
keywords：3 到 5 个关键词，名词或名词短语，最重要的在前。
使用原文的语言。
示例：{"content": "小丽 5 月搬到杭州，没有换工作。", "phrase": "小丽五月搬到杭州居住", "keywords": ["小丽", "搬家", \
"杭州"]}
""",
    "en": """
You compress a memory to a given length and annotate it.
Fields:
content: the compressed memory, at most as many characters as <limit> says, in whole sentences. Keep who did what, \
conclusions, numbers, dates and negations before details and ornament; numbers and names as in the text; add \
nothing that is not in it.
phrase: a phrase of 10 to 20 characters (two to four words) that says what it is about.
keywords: 3 to 5 keywords, nouns or noun phrases, the most important first.
Write in the language of the text.
Example: {"content": "Lily moved to Leeds in May and kept her job.", "phrase": "Lily moved to Leeds", "keywords": \
["Lily", "move", "Leeds"]}
""",
}


class AnnotationReply(Model):
    """A memory's annotation, with its compressed content where that was asked for."""

    content: Prose = ""
    phrase: Prose
    keywords: Words


class Annotation(Role[AnnotationRequest, AnnotationReply, AnnotationResponse]):
    """Give a memory its phrase and keywords, and fewer characters if it must have fewer."""

    name = "annotation"
    defaults = Defaults(tier=Tier.COMPRESSION, temperature=0.1, top_p=0.9, max_tokens=2048)
    request = AnnotationRequest
    reply = AnnotationReply

    def tongue(self, request: AnnotationRequest) -> Tongue:
        """Speak the language of the text."""
        return tongue_of(request.text)

    def prompt(self, request: AnnotationRequest, *, tongue: Tongue) -> Prompt:
        """Show the text, and the length that it must come down to."""
        target = _target(request)
        if target is None:
            return prompt(_INSTRUCTIONS[tongue], [block("text", request.text)], tongue=tongue)
        parts = [block("text", request.text), block("limit", str(target))]
        return prompt(_COMPRESSING[tongue], parts, tongue=tongue)

    def read(self, request: AnnotationRequest, reply: AnnotationReply) -> AnnotationResponse:
        """Hold the lengths; refuse a compression that is none or that brings in numbers of its own."""
        target = _target(request)
        phrase = line(reply.phrase, MAX_PHRASE)
        if not phrase:
            raise Refused("phrase must not be empty")
        return AnnotationResponse(
            content=request.text if target is None else _compressed(request.text, reply.content, target),
            phrase=phrase,
            keywords=_enough(keywords(reply.keywords, most=MAX_ANNOTATED_KEYWORDS), request.text),
        )

    async def offline(self, request: AnnotationRequest, toolbox: Toolbox) -> AnnotationResponse:
        """Take keywords and a phrase from the text, and keep its most telling sentences."""
        return await annotate(request, toolbox)


def _target(request: AnnotationRequest) -> int | None:
    """Return the length to compress to, or nothing when the text is short enough as it is."""
    target = request.target_length
    return target if target is not None and target < len(request.text) else None


def _enough(words: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return the words, and where a model gave too few, the most telling ones of the text after them."""
    if len(words) >= _FEWEST_KEYWORDS:
        return words
    found = (keyword.text for keyword in keywords_of(text, limit=MAX_ANNOTATED_KEYWORDS))
    return keywords((*words, *found), most=_FEWEST_KEYWORDS)


def _new_numbers(content: str, text: str) -> list[str]:
    """Return the numbers that the content has and the text has not, neither as written nor in words."""
    known = set(_NUMBER.findall(fold(text)))
    values = {value for quantity in quantities(text) for value in (quantity.value, quantity.base_value)}
    numbers = [number for number in _NUMBER.findall(fold(content)) if number not in known]
    return [number for number in numbers if float(number.replace(",", "")) not in values]


def _compressed(text: str, content: str, target: int) -> str:
    content = remark(content, len(text))
    if not content:
        raise Refused(f"content must hold the text in at most {target} characters")
    invented = _new_numbers(content, text)
    if invented:
        raise Refused(f"content has numbers that the text has not: {', '.join(invented[:5])}; keep numbers as written")
    return shortened(content, target)


_SHORTEST_PHRASE = 10

_READ = 20_000
_LABEL = re.compile(r"\A\s*[^\W\d_][\w.'’ -]{0,40}[:：]\s*")
_ROLE = re.compile(r"\A\s*(?:user|assistant|agent|tool|system|用户|助手|工具|系统)[:：]\s*", re.IGNORECASE)
# What segmentation writes behind "yesterday" is no word of the speaker.
_ADDED_DATE = re.compile(r"\s?[(（]\d{4}-\d\d-\d\d[)）]")
_PAUSE = re.compile(r"[,，;；:：–—]")
_MARKS = "& \t\n。.,，;；:：!！?？\"'“”‘’「」《》()（）[]-–—•*#"


async def annotate(request: AnnotationRequest, toolbox: Toolbox) -> AnnotationResponse:
    """Annotate a memory; its content changes only when it must become shorter."""
    text, target = request.text, request.target_length
    # What is read begins with the first word: a text may begin with more blanks than are read of it.
    read = _ADDED_DATE.sub("", _ROLE.sub("", text.lstrip()[:_READ])) or text.lstrip()[:_READ]
    words = keywords([*key_phrases(read, most=MAX_ANNOTATED_KEYWORDS), *_more_words(read)], most=MAX_ANNOTATED_KEYWORDS)
    return AnnotationResponse(
        content=compressed(text, target) if target is not None else text,
        phrase=_phrase(read, words),
        keywords=words,
    )


def compressed(text: str, target: int) -> str:
    """Return at most so many characters that say the most of a text; the text itself when it is short enough."""
    if len(text) <= target:
        return text
    short = compress(text, target)
    if len(short) <= target:
        return short
    # Not even one word is short enough: then it is cut, between signs.
    return short[: max((border for border in grapheme_boundaries(short) if border <= target), default=target)]


def _more_words(text: str) -> list[str]:
    """Return words of the text for where it has too few key phrases."""
    found = key_phrases(text, most=_FEWEST_KEYWORDS)
    known = " ".join(found).casefold()
    rest = [word for word in content_words(text) if word.casefold() not in known]
    return rest[: max(0, _FEWEST_KEYWORDS - len(found))]


def _phrase(text: str, words: tuple[str, ...]) -> str:
    """Return 10 to 20 characters that say what the text is about; fewer only when it says no more.

    They are words that follow each other in the text: of all such runs the one that holds most of the keywords,
    preferably without a pause in it, and of equals the longest. It neither begins nor ends with an empty word.
    """
    body = _LABEL.sub("", text) or text
    keys = [folded for word in words if (folded := word.casefold())]
    best, most = "", 0.0
    for sentence in salient_sentences(body, most=3) or [body]:
        for run in _runs(sentence):
            said = run.casefold()
            weight = sum(len(key) for key in keys if key in said) + len(run) / 100 - 4 * len(_PAUSE.findall(run))
            if weight > most or not best:
                best, most = run, weight
    return best or compressed(body.strip(), MAX_PHRASE).strip(_MARKS) or line(text, MAX_PHRASE)


def _runs(sentence: str) -> Iterator[str]:
    """Yield every run of words of a sentence that has the length of a phrase."""
    borders = [0, *word_boundaries(sentence)]
    cores = [sentence[start:end].strip(_MARKS) for start, end in pairwise(borders)]
    says = [bool(core) and core.casefold() not in _EMPTY for core in cores]
    for first in range(len(cores)):
        for last in range(first, len(cores)):
            run = sentence[borders[first] : borders[last + 1]].strip(_MARKS)
            if len(run) > MAX_PHRASE:
                break
            if says[first] and says[last] and len(run) >= _SHORTEST_PHRASE and "\n" not in run:
                yield run


_EMPTY = ENGLISH_STOP_WORDS | CHINESE_STOP_WORDS
