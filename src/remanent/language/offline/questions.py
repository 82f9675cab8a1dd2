"""Questions taken apart: what they are about, what sort of answer they want, how they read as statements.

All by patterns, first match wins, so the order of the tables counts: "how many" must be seen before "how".
"""

import re
from enum import StrEnum

from remanent.text.keywords import content_words
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN

_MARKS = " \t\n?？!！。.,，;；:："


class AnswerType(StrEnum):
    """What sort of answer a question wants."""

    PERSON = "person"
    PLACE = "place"
    TIME = "time"
    NUMBER = "number"
    REASON = "reason"
    WAY = "way"
    WHETHER = "whether"
    THING = "thing"


_ASKING: dict[AnswerType, str] = {
    AnswerType.NUMBER: (
        r"\bhow (?:many|much|old|long|tall|far|big|large|heavy|often|high)\b|"
        r"\bwhat (?:number|amount|price|percentage|age)\b|多少|多[大长高远久重贵]|"
        r"几[个位次岁天年月人名条只本种台元块点]"
    ),
    AnswerType.TIME: (
        r"\bwhen\b|\bwhat (?:time|date|day|year|month)\b|\bwhich (?:day|year|month|date)\b|"
        r"什么时候|何时|哪[一]?[天年月日]|几[点号月]|什么时间|多会儿"
    ),
    AnswerType.PLACE: (
        r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|room|address|location)\b|"
        r"哪里|哪儿|何处|什么地方|哪个(?:城市|国家|地方|省)|在哪"
    ),
    AnswerType.PERSON: r"\bwho(?:m|se)?\b|\bwhich (?:person|people|one of them)\b|谁|哪[位些]人?|何人|什么人",
    AnswerType.REASON: r"\bwhy\b|\bwhat (?:causes?|caused|is the reason)\b|为什么|为何|什么原因|怎么会",
    AnswerType.WAY: r"\bhow (?:do|does|can|could|should|to|would|did|is|are)\b|怎么(?!会)|如何|怎样|什么办法",
    AnswerType.THING: r"\b(?:what|which)\b|什么|哪|啥",
    AnswerType.WHETHER: (
        r"\A\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)\b|"
        r"吗[?？]?\s*\Z|是否|是不是|有没有|能不能|会不会|要不要"
    ),
}
_WANTED = {kind: lazy_regex(pattern, re.IGNORECASE) for kind, pattern in _ASKING.items()}

_QUESTION = lazy_regex(
    r"[?？]\s*+[\"”’)）]*+\s*+\Z|\A\s*(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|"
    r"could|will|would|should|has|have)\b(?!.*\.\s*\Z)|(?:吗|呢|什么|谁|哪里|哪儿|多少|怎么样|为什么|"
    r"如何)\s*+[。]?\s*+\Z",
    re.IGNORECASE,
)

_AUXILIARY = r"is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must"
_SUBJECT = r"(?:(?:the|a|an|my|our|your|his|her|their)\s+)?\S+"
_STATEMENTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_regex(pattern, re.IGNORECASE), statement)
    for pattern, statement in (
        (r"(?:can|could|would) you (?:please )?(?:tell me|say|explain)(?: to me)? (?P<rest>.+)", r"\g<rest>"),
        (r"(?:do|does) (?:anyone|somebody|you) know (?P<rest>.+)", r"\g<rest>"),
        (r"how (?:many|much) (?P<what>.+?) (?:do|does|did|is|are|was|were|has|have|had) (?P<rest>.+)",
         r"the number of \g<what> \g<rest> is"),
        (r"how old (?:is|are|was|were) (?P<rest>.+)", r"the age of \g<rest> is"),
        (r"how long (?:do|does|did|is|was|will) (?P<rest>.+)", r"\g<rest> takes"),
        (r"how (?:do|can|should|could|would) (?:i|we|you|one) (?P<rest>.+)", r"to \g<rest>"),
        (r"(?:how|why|when|where) (?:do|does|did) (?P<rest>.+)", r"\g<rest>"),
        (rf"(?:how|why|when|where) (?P<aux>{_AUXILIARY}) (?P<who>{_SUBJECT}) (?P<rest>.+)",
         r"\g<who> \g<aux> \g<rest>"),
        (rf"(?:who|what|which|how|why|when|where) (?P<aux>{_AUXILIARY}) (?P<rest>.+)", r"\g<rest> \g<aux>"),
        (r"(?:what|which) (?P<what>.+?) (?:do|does|did) (?P<rest>.+)", r"the \g<what> \g<rest>"),
        (r"(?:who|what|which)(?: of)? (?P<rest>.+)", r"\g<rest>"),
        (r"(?:do|does|did) (?P<rest>.+)", r"\g<rest>"),
        (rf"(?P<aux>{_AUXILIARY}) (?P<who>{_SUBJECT}) (?P<rest>.+)",
         r"\g<who> \g<aux> \g<rest>"),
    )
)  # fmt: skip
_CHINESE_STATEMENTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (lazy_regex(pattern), statement)
    for pattern, statement in (
        (r"\A(?:请问|请告诉我|你知道|我想知道|想问一下|问一下)[，,]?", ""),
        (r"(?:为什么|为何|怎么会)(?P<rest>.+)", r"\g<rest>的原因是"),
        (r"(?:如何|怎么样?|怎样)(?:才能|可以|能)?(?P<rest>.+)", r"\g<rest>的方法是"),
        (r"(?:是什么时候|什么时候|何时|哪一?天|哪一?年)(?P<rest>.+?)的?\Z", r"\g<rest>的时间是"),
        (r"\A谁(?P<rest>.+)", r"\g<rest>的人是"),
        (r"(?:是谁|是什么|是哪[里儿个位]|是多少|有多少|有哪些|叫什么(?:名字)?|多少钱|多大|多久|怎么样)\Z",
         "是"),
        (r"在哪[里儿]?\Z", "在"),
        (r"什么|哪[个些位里儿]|多少|几(?=[个位次岁天年月人名])|谁", ""),
        (r"[吗呢吧呀啊]\Z", ""),
        (r"是否|是不是", "是"),
        (r"有没有", "有"),
        (r"能不能", "能"),
    )
)  # fmt: skip


def is_question(sentence: str) -> bool:
    """Tell whether a sentence asks something."""
    return _QUESTION.search(sentence.strip()) is not None


def answer_type(question: str) -> AnswerType:
    """Tell what sort of answer a question wants."""
    return next((kind for kind, pattern in _WANTED.items() if pattern.search(question)), AnswerType.THING)


def keyword_form(question: str) -> str:
    """Return the words that the question is about, in their order."""
    return " ".join(content_words(question))


def statement_form(question: str) -> str:
    """Return the question as the beginning of its answer: what is asked for is left open."""
    bare = question.strip().strip(_MARKS)
    if re.search(rf"[{HAN}]", bare):
        return _chinese_statement(bare)
    for pattern, statement in _STATEMENTS:
        if pattern.fullmatch(bare):
            bare = pattern.sub(statement, bare).strip()
            if not is_question(bare) or pattern is not _STATEMENTS[0][0]:
                break
    return bare[:1].upper() + bare[1:]


def _chinese_statement(bare: str) -> str:
    for pattern, statement in _CHINESE_STATEMENTS:
        bare = pattern.sub(statement, bare, count=1)
    return bare.strip(_MARKS)
