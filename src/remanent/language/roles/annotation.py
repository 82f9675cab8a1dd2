"""Annotation: a model gives a new memory a phrase and keywords, compresses it when asked, and names its relations.

Code holds lengths and numbers. Phrases were read by eye on 600 nodes of LoCoMo and 300 messages of MemDaily: they are
not torn off before what belongs to them, and whoever is spoken to and how somebody feels about it is no keyword. Fewer
than 1 in 100 nodes have fewer than three keywords; 1 in 40 English and 1 in 6 Chinese ones had.

A relation is named in a word or two. Claims are compared only of texts that have something in common: it was half of a
message's processor time.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Annotated

from pydantic import Field, JsonValue

from remanent.bilingual import Bilingual, Language
from remanent.errors import Refused
from remanent.language import shapes
from remanent.language.offline.claims import ParsedClaim, TokenKind, named_speaker
from remanent.language.offline.comparison import compare
from remanent.language.offline.judgement import CONFLICT, DatedStatement, Judgement, judge
from remanent.language.offline.salience import key_phrases, salient_sentences, similarities, summary_statements
from remanent.language.prompt_blocks import abridged, block
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import MAX_ITEMS, keywords, multi_line, one_line, shortened
from remanent.model import Model
from remanent.model.base import Text
from remanent.text.chinese import is_known
from remanent.text.keywords import content_words
from remanent.text.keywords import keywords as keywords_of
from remanent.text.numbers import quantities
from remanent.text.regex import lazy_regex, word_regex
from remanent.text.scripts import HAN, fold, working_language
from remanent.text.sentences import sentence_texts
from remanent.text.spans import first_graphemes, word_boundaries
from remanent.text.summary import compress_within
from remanent.text.talk import says_nothing_alone
from remanent.text.terms import query_terms
from remanent.text.words import CHINESE_FILLERS, CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS, FILLERS, word_set

_MAX_PHRASE = 20
"""Characters of a phrase: 10 to 20, as the design of the associative memory has it."""
_MAX_ANNOTATED_KEYWORDS = 5
"""Keywords of a memory: 3 to 5, by the same design."""


class AnnotationRequest(Model):
    """A text, and the number of characters that it is to be compressed to, if it is."""

    text: shapes.LongText
    target_length: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class AnnotationResponse(Model):
    """The text, compressed if that was asked for, with a phrase of 10 to 20 characters and 3 to 5 keywords."""

    content: Annotated[Text, Field(min_length=1)]
    """Exactly the text when no length was asked for or it is short enough; else at most so many characters."""
    phrase: Annotated[Text, Field(min_length=1, max_length=_MAX_PHRASE)]
    """Shorter than 10 characters only when the text says no more."""
    keywords: Annotated[tuple[shapes.Keyword, ...], Field(max_length=_MAX_ANNOTATED_KEYWORDS)]
    """Fewer than 3 only when the text has no more; most telling first."""


_FEWEST_KEYWORDS = 3
"""The design asks for three to five; fewer only where a text has no more words."""
_NUMBER = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?")
_INSTRUCTIONS: Bilingual = Bilingual(
    """
You annotate a memory.
Fields:
phrase: a phrase of 10 to 20 characters (two to four words) that says what it is about.
keywords: 3 to 5 keywords, nouns or noun phrases, the most important first.
Write in the language of the text and add nothing that is not in it.
""",
    """
你负责给一条记忆写标注。
字段：
phrase：概括这条记忆的短语，10 到 20 个字。
keywords：3 到 5 个关键词，名词或名词短语，最重要的在前。
使用原文的语言，不添加原文没有的内容。
""",
)
_COMPRESSING: Bilingual = Bilingual(
    """
You compress a memory to a given length and annotate it.
Fields:
content: the compressed memory, at most as many characters as <limit> says, in whole sentences. Keep who did what, \
conclusions, numbers, dates and negations before details and ornament; numbers and names as in the text; add \
nothing that is not in it.
phrase: a phrase of 10 to 20 characters (two to four words) that says what it is about.
keywords: 3 to 5 keywords, nouns or noun phrases, the most important first.
Write in the language of the text.
""",
    """
你负责把一条记忆压缩到指定长度，并写标注。
字段：
content：压缩后的内容，不超过 <limit> 指定的字符数，句子完整。先保留谁、做了什么、结论、数字、日期、否定，\
再舍弃细节和修饰；数字和名称照原文，不添加原文没有的内容。
phrase：概括这条记忆的短语，10 到 20 个字。
keywords：3 到 5 个关键词，名词或名词短语，最重要的在前。
使用原文的语言。
""",
)


_BLANK: Bilingual = Bilingual(
    '"phrase": "[phrase]", "keywords": ["[keyword]", "[keyword]", "[keyword]"]}',
    '"phrase": "【短语】", "keywords": ["【关键词】", "【关键词】", "【关键词】"]}',
)
_CONTENT_BLANK: Bilingual = Bilingual('"content": "[compressed memory]", ', '"content": "【压缩后的内容】", ')


class AnnotationReply(Model):
    """A memory's annotation, with its compressed content where that was asked for."""

    content: shapes.Prose = ""
    phrase: shapes.Prose
    keywords: shapes.Words


class Annotation(Role[AnnotationRequest, AnnotationReply, AnnotationResponse]):
    """Give a memory its phrase and keywords, and fewer characters if it must have fewer."""

    name = "annotation"
    defaults = Defaults(tier=Tier.COMPRESSION, temperature=0.1, top_p=0.9, max_tokens=2048)

    def language(self, request: AnnotationRequest) -> Language:
        """Speak the language of the text."""
        return working_language(request.text)

    def told(self, request: AnnotationRequest, *, language: Language) -> str:
        """Tell how to compress where that is to be done."""
        return (_INSTRUCTIONS if _target(request) is None else _COMPRESSING)[language]

    def material(self, request: AnnotationRequest, *, language: Language) -> list[str]:
        """Show the text, and the length that it must come down to."""
        target = _target(request)
        return [block("text", request.text), block("limit", "" if target is None else str(target))]

    def blank(self, request: AnnotationRequest, *, language: Language) -> str:
        """Show a phrase and keywords, and the content where it is to be compressed."""
        return "{" + (_CONTENT_BLANK[language] if _target(request) is not None else "") + _BLANK[language]

    def bounds(self, request: AnnotationRequest) -> Bounds:
        """Hold the keywords to as many as are kept."""
        return {"keywords": {"maxItems": _MAX_ANNOTATED_KEYWORDS}}

    def read(self, request: AnnotationRequest, reply: AnnotationReply) -> AnnotationResponse:
        """Hold the lengths; refuse a compression that is none or that brings in numbers of its own."""
        target = _target(request)
        if not one_line(reply.phrase, _MAX_PHRASE):
            raise Refused("phrase must not be empty")
        given = [word for word in reply.keywords if word.strip().casefold() not in _EMPTY]
        words = keywords(given, most=_MAX_ANNOTATED_KEYWORDS)
        if len(words) < _FEWEST_KEYWORDS:  # after them the most telling ones of the text
            found = (keyword.text for keyword in keywords_of(request.text, limit=_MAX_ANNOTATED_KEYWORDS))
            words = keywords((*words, *found), most=_FEWEST_KEYWORDS)
        return AnnotationResponse(
            content=request.text if target is None else _compressed(request.text, reply.content, target),
            phrase=_telling(reply.phrase, request.text),
            keywords=words,
        )

    async def offline(self, request: AnnotationRequest, toolbox: Toolbox) -> AnnotationResponse:
        """Take keywords and a phrase from the text, and keep its most telling sentences."""
        text, target = request.text, request.target_length
        read = _read_part(text)
        words = _topics(read)
        return AnnotationResponse(
            content=text if target is None else _shorter(text, target, words),
            phrase=_phrase(read, words),
            keywords=words,
        )


def _target(request: AnnotationRequest) -> int | None:
    """Return the length to compress to, or nothing when the text is short enough as it is."""
    target = request.target_length
    return target if target is not None and target < len(request.text) else None


def _telling(phrase: str, text: str) -> str:
    """Return a model's phrase, or where it is too short to tell anything or no phrase, the one that the text gives."""
    told = one_line(phrase, _MAX_PHRASE)
    is_long = len(one_line(phrase, len(phrase))) > _LONGEST_CUT
    if len(told) >= _SHORTEST_PHRASE and not is_long:
        return told
    read = _read_part(text)
    made = _phrase(read, _topics(read))
    return made if is_long else max(told, made, key=len)


def _compressed(text: str, content: str, target: int) -> str:
    content = multi_line(content, len(text))
    if not content:
        raise Refused(f"content must hold the text in at most {target} characters")
    # What the text has neither as written nor in words.
    known = set(_NUMBER.findall(fold(text)))
    values = {value for quantity in quantities(text) for value in (quantity.value, quantity.base_value)}
    numbers = [number for number in _NUMBER.findall(fold(content)) if number not in known]
    if invented := [number for number in numbers if float(number.replace(",", "")) not in values]:
        raise Refused(f"content has numbers that the text has not: {', '.join(invented[:5])}; keep numbers as written")
    return shortened(content, target)


_SHORTEST_PHRASE = 10
"""Characters: the design asks for 10 to 20. A model's phrase that is shorter gives way to the words of the text itself.
"""
_LONGEST_CUT = 30
"""Characters of a reply that is cut to a phrase; small models repeat the whole text, whose beginning says less. Chosen
by hand."""

_READ = 20_000
"""Characters from the beginning of a text that phrase and keywords are taken from. Chosen by hand."""
_LABEL = re.compile(r"\A\s*[^\W\d_][\w.'’ -]{0,40}[:：]\s*")
_ROLE = re.compile(r"\A\s*(?:user|assistant|agent|tool|system|用户|助手|工具|系统)[:：]\s*", re.IGNORECASE)
# What segmentation writes behind "yesterday" is no word of the speaker.
_ADDED_DATE = re.compile(r"\s?[(（]\d{4}-\d\d-\d\d[)）]")
_PAUSE = re.compile(r"[,，;；:：–—…\[\]]|\s-\s*\Z|[.!?。！？][\s\"'”’)）]*\Z")
_MARKS = "& \t\n。.,，;；:：!！?？\"'“”‘’「」《》()（）[]-–—…•*#"
_EMPTY = ENGLISH_STOP_WORDS | CHINESE_STOP_WORDS
_FILLERS = FILLERS | CHINESE_FILLERS
_EXCLAIMED = word_set("""
    absolutely agree amazing awesome congrats congratulations cool definitely exactly gonna gotta great haha hello nice
    oof sorry sure totally wanna wow yay yep yup glad good beautiful fantastic gorgeous lovely stunning wonderful
""")
"""A phrase neither begins nor ends with such a word: it says how somebody feels about what was said before."""
_ADDRESSED = re.compile(
    r"(?:\A|(?<=[.!?] ))(?:(?:hey|hi|hello|thanks|thank you|bye|wow|yeah|yes|yep|yup|congrats|sorry|okay)\b,?\s+)?"
    r"(?-i:[A-Z][a-z]+)(?=[,!?.])|(?<=, )(?-i:[A-Z][a-z]+)(?=[!?])",
    re.IGNORECASE,
)
"""Who is spoken to ("Thanks, Ann!", "Ann, look"): it is not what is spoken of."""
_DANGLING = re.compile(r",\s*(?=[!?.]|\Z)")
_CALLED = re.compile(r", [A-Z][a-z]+\W*\Z")
_MARKS_BETWEEN = " ,.!?…，。！？"
_BRACKETS = (("[", "]"), ("(", ")"), ("（", "）"), ("【", "】"), ("“", "”"), ("「", "」"), ("《", "》"))
_MAX_LABEL = 0.25
"""The share of a short text that the name of who said it may take; chosen by hand."""
_SHOWN = word_set("photo photos pic pics picture pictures shares 照片 图片 截图")
"""That something is shown is not what it shows."""
_NEXT = word_set("""
    after although and as at because before but by during for from if in on or since so than though until when where
    which while who with 是 在 和 与 但 就 也 都 还 而 以及 或 把 被 跟 从 因为 所以 但是
""")
"""Words before which a phrase can end; before others ("of", "the", "to", "的", a noun) it would be torn off."""
_DOES = re.compile(
    r"(?:\b(?:to|i|we|you|they|he|she|it|will|would|can|could|should|must|might|let['’]?s|please|never|always|just"
    r"|gonna|wanna|gotta|help)|n['’]t|['’](?:ll|d|ve|re|m))\s+(?:(?:really|just|still|also|be|been|have)\s+)*([a-z]+)"
    r"|\b([a-z]+ing)\s+(?:the|a|an|my|your|our|his|her|their|this|that|those|it|them|me|us|up|out|for|to|after|forward)\b"
    r"|\b(?:so|very|really|super|too|is|are|was|were|feels?|felt|looks?|sounds?)\s+([a-z]+)"
    r"(?=\s*(?:[.,!?;:)]|\Z|and\b|but\b|to\b|that\b|with\b|for\b|when\b|because\b))",
    re.IGNORECASE,
)
"""Words that do something, or say how something is, by the words around them: no names of what a text is about."""


def _shorter(text: str, target: int, words: Sequence[str]) -> str:
    """Return a text in so many characters: greetings go first, then what holds none of its keywords.

    Who said it stays while that takes a small part of the room: a name tells little of what was said.
    """
    if len(text) <= target:
        return text
    label = _LABEL.match(text) if named_speaker(text) else None
    stays = label is not None and label.end() <= target * _MAX_LABEL and not _ROLE.match(text)
    before = label[0] if label and stays else ""
    body = _without_greetings(text[label.end() :] if label else text)
    short = compress_within(body, target - len(before), about=words)
    for opening, closing in _BRACKETS:
        if short.count(opening) != short.count(closing):  # one lost its other half
            short = short.replace(opening, "").replace(closing, "")
    return before + short.strip()


def _without_greetings(text: str) -> str:
    """Return a text without what only greets, thanks, admires or says who is spoken to, if anything is left then."""
    told: list[str] = []
    for sentence in sentence_texts(text):
        bare = _DANGLING.sub("", _ADDRESSED.sub("", sentence)).lstrip(_MARKS_BETWEEN)
        words = content_words(_CALLED.sub("", bare))
        if words and not (says_nothing_alone(bare) or all(word.casefold() in _EXCLAIMED for word in words)):
            told.append(bare)
    return ("" if working_language(text) == "zh" else " ").join(told) or text


def _read_part(text: str) -> str:
    """Return what phrase and keywords are taken from."""
    # It begins with the first word: a text may begin with more blanks than are read of it.
    return _ADDED_DATE.sub("", _ROLE.sub("", text.lstrip()[:_READ])) or text.lstrip()[:_READ]


def _body(text: str) -> str:
    """Return a text without the name of who says it and of whom it is said to, if anything is left then."""
    body = _LABEL.sub("", text) or text
    bare = _ADDRESSED.sub("", body)
    return bare if any(char.isalnum() for char in bare) else body


def _topics(text: str) -> tuple[str, ...]:
    """Return 3 to 5 keywords, what names something first; fewer only when the text has no more words."""
    body = _body(text)
    done = {word.lower() for found in _DOES.findall(body) for word in found if word}
    found = key_phrases(body, most=2 * _MAX_ANNOTATED_KEYWORDS)
    named = [word for word in found if word.split()[0].lower() not in done and word.lower() not in _SHOWN]
    if len(named) >= _FEWEST_KEYWORDS:
        return keywords(named, most=_MAX_ANNOTATED_KEYWORDS)
    rest = [word for word in content_words(text) if not {"'", "’"} & {*word} and word.casefold() not in _FILLERS]
    longer = [word for word in rest if len(word) > 1 and word[0] not in _PERSONS and word in body]
    parts = [
        part for word in named if _HAN_ONLY.fullmatch(word) for part in map("".join, pairwise(word)) if is_known(part)
    ]
    said = "\n".join(named).casefold()
    more = [word for word in (*found, *longer) if word.casefold() not in said]
    return keywords((*named, *more, *parts, *rest, *content_words(text)), most=_FEWEST_KEYWORDS)


def _phrase(text: str, words: tuple[str, ...]) -> str:
    """Return 10 to 20 characters that say what the text is about; fewer only when it says no more.

    They are words that follow each other in the text, and of all such runs those that hold most of the keywords and
    are not torn off at either end.
    """
    body = _body(text)
    keys = [word.casefold() for word in words]
    weighed = (one for sentence in salient_sentences(body, most=3) or [body] for one in _runs(sentence, keys))
    # Of equals the first.
    _, best = max(weighed, key=lambda one: one[0], default=(0.0, ""))
    best = best or compress_within(body.strip(), _MAX_PHRASE).strip(_MARKS)
    told = one_line(body, len(body) + 1)
    if len(best) >= _SHORTEST_PHRASE or len(told) <= _MAX_PHRASE:
        return best or one_line(text, _MAX_PHRASE)
    # A word longer than a phrase (an address) leaves a single one of those before it: then the beginning says more.
    return first_graphemes(told, _MAX_PHRASE - 1) + "…"


def _runs(sentence: str, keys: Sequence[str]) -> Iterator[tuple[float, str]]:
    """Yield every run of words of a sentence that has the length of a phrase, with how well it serves as one.

    The measure is the letters of the keywords in it; what is taken off for a flaw was chosen by reading the phrases of
    real talk in both languages.
    """
    borders = [0, *word_boundaries(sentence)]
    pieces = [sentence[start:end] for start, end in pairwise(borders)]
    cores = [piece.strip(_MARKS).casefold() for piece in pieces]
    pauses = [_PAUSE.search(piece) is not None or not core for piece, core in zip(pieces, cores, strict=True)]
    opens = [place == 0 or pauses[place - 1] for place in range(len(cores))]
    closes = [place == len(cores) - 1 or pauses[place] or not cores[place + 1] for place in range(len(cores))]
    for first in range(len(cores)):
        for last in range(first, len(cores)):
            run = sentence[borders[first] : borders[last + 1]].strip(_MARKS)
            if len(run) > _MAX_PHRASE:
                break
            if len(run) < _SHORTEST_PHRASE or "\n" in run or not (cores[first] and cores[last]):
                continue
            said = run.casefold()
            weight = sum(len(key) * (1.5 if rank == 0 else 1.0) for rank, key in enumerate(keys) if key in said)
            weight += 3 * any(key.endswith(cores[last]) for key in keys)
            weight -= 6 * sum(closes[first:last])
            if opens[first] and closes[last]:
                weight += 2
            else:
                weight -= 5 * ((cores[first] in _EMPTY) + (cores[last] in _EMPTY))
            weight -= 4 * (not opens[first] and cores[first - 1] not in _EMPTY)
            weight -= 4 * (not closes[last] and cores[last + 1] not in _NEXT)
            weight -= 3 * (first == last and said.isascii()) + 6 * bool({cores[first], cores[last]} & _EXCLAIMED)
            yield weight + len(run) / 100, run


_PERSONS = "我你您他她它咱"
_HAN_ONLY = re.compile(rf"[{HAN}]{{3,}}")


ANNOTATION = Annotation()


_LONGEST_RELATION = 20
"""Characters of a relation: two to four in Chinese, by the design; two English words need as many as this."""


class RelationNamingRequest(Model):
    """A node's content and the contents of the nodes in focus; all are named in one call."""

    node: shapes.LongText
    focuses: Annotated[tuple[shapes.LongText, ...], Field(min_length=1, max_length=50)]


class RelationNamingResponse(Model):
    """A name for each focus, in their order: 2 to 4 characters in Chinese, a word or two in English, empty if none."""

    relations: tuple[Annotated[Text, Field(max_length=_LONGEST_RELATION)], ...]


_LONGEST_SHOWN = 1_000
"""Characters of a node that a model is shown: five times a piece of memory (`MAX_SEGMENT`); of a longer one, beginning
and end. Chosen by hand."""
_CHINESE = lazy_regex(rf"[{HAN}]{{2,4}}")
_ENGLISH = lazy_regex(r"[A-Za-z]{2,}(?:[ '-][A-Za-z]+){0,2}")
_AROUND = " \t\n\"'“”‘’「」《》[](){}.,，。:：;；"


class NamedReply(Model):
    """The relation to one memory in focus."""

    focus: shapes.Prose
    relation: shapes.Prose = ""


class RelationNamingReply(Model):
    """The relations to the memories in focus."""

    relations: Annotated[tuple[NamedReply, ...], Field(max_length=MAX_ITEMS)]


class RelationNaming(Role[RelationNamingRequest, RelationNamingReply, RelationNamingResponse]):
    """Name relations."""

    name = "relation_naming"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.0, top_p=0.9, max_tokens=1024)
    instructions = Bilingual(
        """
You name the relations between memories: what the new memory (<node>) has to do with each one in focus (<focus \
id="...">).
Rules:
1. A relation is one to three words, from the new memory to the focus, such as: about, part of, mentions, causes, \
adds to, contradicts.
2. Leave out those without a relation.
Field relations: a list, each with focus (its id, as "f1") and relation (the name).
""",
        """
你负责给记忆之间的关系命名：新记忆（<node>）与每个关注点（<focus id="编号">）是什么关系。
规则：
1. 关系名是 2 到 4 个汉字，从新记忆指向关注点，如：属于、关于、涉及、讨论、提到、导致、补充、反驳。
2. 看不出关系的不要列出。
字段 relations：列表，每项含 focus（编号，如 "f1"）和 relation（关系名）。
""",
    )
    form_shown = Bilingual(
        '{"relations": [{"focus": "f1", "relation": "[name of the relation]"}]}',
        '{"relations": [{"focus": "f1", "relation": "【关系名】"}]}',
    )

    def language(self, request: RelationNamingRequest) -> Language:
        """Speak the language of the new memory."""
        return working_language(request.node, *request.focuses)

    def material(self, request: RelationNamingRequest, *, language: Language) -> list[str]:
        """Show the new memory and those in focus."""
        focuses = [
            block("focus", abridged(text, _LONGEST_SHOWN), id=name)
            for name, text in zip(_aliases(request).names, request.focuses, strict=True)
        ]
        return [*focuses, block("node", abridged(request.node, _LONGEST_SHOWN))]

    def bounds(self, request: RelationNamingRequest) -> Bounds:
        """Hold the list to one relation for each focus, by its name."""
        names: list[JsonValue] = list(_aliases(request).names)
        return {"relations": {"maxItems": len(names)}, "relations.focus": {"enum": names}}

    def read(self, request: RelationNamingRequest, reply: RelationNamingReply) -> RelationNamingResponse:
        """Keep the names that are names; a focus without one stays unnamed."""
        aliases = _aliases(request)
        named = [""] * len(request.focuses)
        meant: list[int] = []
        for proposed in reply.relations:
            if (found := aliases.find(proposed.focus)) is not None:
                meant.append(int(found))
                bare = proposed.relation.strip(_AROUND)
                is_english = len(bare) <= _LONGEST_RELATION and _ENGLISH.fullmatch(bare)
                name = bare if _CHINESE.fullmatch(bare) else bare.lower() if is_english else ""
                named[meant[-1]] = named[meant[-1]] or name
        aliases.require(meant, named=[proposed.focus for proposed in reply.relations])
        return RelationNamingResponse(relations=tuple(_telling_names(request, named)))

    async def offline(self, request: RelationNamingRequest, toolbox: Toolbox) -> RelationNamingResponse:
        """Name relations by the signs of them in the words; where those give nothing away it stays unnamed."""
        language = self.language(request)
        alike = await similarities(request.node, request.focuses, toolbox)
        new = _claims(request.node)
        names = []
        for focus, near in zip(request.focuses, alike, strict=True):
            old = _claims(focus)
            # What has little in common does not contradict, and comparing claims is what the time of a memory goes to.
            judged = [judge(compare(one, other)) for one in new for other in old] if near >= _NEAR else []
            worst = max(judged, key=lambda judgement: judgement.conflict, default=Judgement(0.0))
            name = _relation(request.node, focus, worst, near, shares_name=bool(_names(new) & _names(old)))
            names.append(name if language == "en" else _IN_CHINESE[name])
        return RelationNamingResponse(relations=tuple(names))


def _aliases(request: RelationNamingRequest) -> shapes.IdAliases:
    """Return the names of the focuses, which stand for their places."""
    return shapes.IdAliases([str(place) for place in range(len(request.focuses))], prefix="f")


_DENIALS = frozenset({"contradicts", "refutes", "denies", "反驳", "矛盾", "否认"})
_FEW = 3
"""Memories of which all may well have one relation to another (chosen by hand)."""


def _telling_names(request: RelationNamingRequest, named: Sequence[str]) -> list[str]:
    """Return the names without those that tell nothing: one for all, or a denial, of what has no word in common.

    A small model gives every memory the first name of the rules, and has thanks contradict a date.
    """
    is_one_for_all = len(named) >= _FEW and len(set(named)) == 1
    words = frozenset(query_terms(request.node))
    return [
        name if not words.isdisjoint(query_terms(focus)) or not (is_one_for_all or name in _DENIALS) else ""
        for name, focus in zip(named, request.focuses, strict=True)
    ]


_STATEMENTS_READ = 12
"""Statements of a memory that are read: each is compared with each of every focus. Chosen by hand."""
# Chosen by hand: below the first, two texts have nothing to do with each other; from the second on, one repeats the
# other.
_NEAR = 0.3
_SAME = 0.75


_CAUSE = word_regex(r"because|since|due to|as a result of|caused by|owing to", r"因为|由于|起因")
_RESULT = word_regex(r"therefore|so that|thus|as a result|consequently|led to|that is why", r"因此|所以|于是|导致|结果")
_CONTRAST = word_regex(r"but|however|although|though|instead|on the other hand|yet", r"但是|但|不过|然而|却|可是|反而")
_EXAMPLE = word_regex(r"for example|for instance|e\.g\.|such as", r"例如|比如|譬如|举例")
_ASKED = lazy_regex(r"[?？]\s*\Z")

_IN_CHINESE = {
    "updates": "更新",
    "contradicts": "反驳",
    "repeats": "重复",
    "answers": "回答",
    "explains": "解释",
    "follows from": "源于",
    "contrasts with": "对比",
    "example of": "举例",
    "adds to": "补充",
    "same subject": "同一对象",
    "same topic": "同题",
    "": "",
}


def _relation(node: str, focus: str, worst: Judgement, alike: float, *, shares_name: bool) -> str:
    """Return the name of a relation by what was found out, the strongest first: what contradicts or repeats a memory is
    never only of the same topic.
    """
    if worst.conflict >= CONFLICT:
        return "updates" if worst.is_update else "contradicts"
    asked = _ASKED.search(focus.strip()) is not None and _ASKED.search(node.strip()) is None
    if alike >= _SAME and not asked:
        return "repeats"
    if alike < _NEAR and not shares_name:
        return ""
    for name, holds in (
        ("answers", asked),
        ("example of", _EXAMPLE.search(node)),
        ("explains", _CAUSE.search(node)),
        ("follows from", _RESULT.search(node)),
        ("contrasts with", _CONTRAST.match(node.strip())),
        ("adds to", alike >= _NEAR and shares_name),
        ("same subject", shares_name),
    ):
        if holds:
            return name
    return "same topic" if alike >= _NEAR else ""


@lru_cache(maxsize=32)
def _claims(text: str) -> tuple[ParsedClaim, ...]:
    """Return the claims of a memory; the same few focuses come again with every new one."""
    return tuple(DatedStatement(statement).read() for statement in summary_statements(text, most=_STATEMENTS_READ))


def _names(claims: Sequence[ParsedClaim]) -> set[str]:
    return {token.key for claim in claims for token in claim.tokens if token.part is TokenKind.NAME}


RELATION_NAMING = RelationNaming()
