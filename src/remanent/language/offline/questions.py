"""Questions taken apart: the sort of answer they want, what they ask a figure of, how they read as statements.

All by patterns, first match wins, so the order of the tables counts: "how many" must be seen before "how".

Who asks how fast something was designed for is not answered by who designed it: the words that both have tell what is
spoken of, and not what is asked of it (`sought`).
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import cast

from remanent.lightweight import dataclass
from remanent.text.calendar import ANY_MONTH, ANY_WEEKDAY, MONTHS
from remanent.text.chinese import tagged
from remanent.text.keywords import content_words
from remanent.text.numbers import ENGLISH_NUMERALS, Dimension, Quantity, chinese_value, quantities, units
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han, working_language
from remanent.text.words import ENGLISH_STOP_WORDS, parts_of, stem, word_tables

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
        r"\bhow (?:many|much|old|long|tall|far|big|large|heavy|often|high)\b|\bwhat (?:number|amount|price|percentage|"
        r"age)\b|多少|多[大长高远久重贵]|几[个位次岁天年月人名条只本种台元块点]"
    ),
    AnswerType.TIME: (
        r"\bwhen\b|\bwhat (?:time|date|day|year|month)\b|\bwhich (?:day|year|month|date)\b|"
        r"什么时候|何时|哪[一]?[天年月日]|几[点号月]|什么时间|多会儿"
    ),
    AnswerType.PLACE: (
        r"\bwhere\b|\b(?:what|which) (?:city|country|place|town|room|address|location)\b|"
        r"哪里|哪儿|(?<!如)何处|什么地方|哪个(?:城市|国家|地方|省)|在哪"
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

_ASKING_WORDS = lazy_regex(
    r"\A(?:(?:can|could|would) you (?:please )?(?:tell me|say|explain)(?: to me)? |(?:do|does) (?:anyone|you) know )?"
    r"(?:(?:who|what|which|how|why|when|where)(?: of| many| much| old| long)*\s+)?"
    r"(?:(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should|shall|may|might|must)\s+)?"
    r"|\A(?:请问|请告诉我|你知道|我想知道|想问一下|问一下)[，,]?|为什么|为何|怎么会|如何|怎么样?|怎样|是?什么时候|何时|"
    r"哪一?[天年个些位里儿]|(?<=叫)什么(?:名字)?|什么|多少钱?|有没有|能不能|是不是|是否|谁|[吗呢吧呀啊]\Z",
    re.IGNORECASE,
)


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
    """Return the question without the words that ask, as the beginning of its answer.

    Forms of its own for each sort of question ("the number of … is") found nothing more in public texts.
    """
    bare = _ASKING_WORDS.sub("", question.strip().strip(_MARKS)).strip(_MARKS)
    return bare[:1].upper() + bare[1:]


# ── whether a sentence can be the answer ─────────────────────────────────────

_NUMBER = (
    rf"\d|[零一二两三四五六七八九十百千万亿半]|数[十百千万]|\b(?:{'|'.join(sorted(ENGLISH_NUMERALS))}|"
    r"(?:dozen|hundred|thousand|(?:m|b|tr)illion)s|half|halves|quarters?|once|twice|thrice|an? (?:second|minute|hour|"
    r"day|week|month|year|couple|pair)|single|double|both|several|few|many|most|all|none|no|never|always)\b"
)
_AMOUNT = lazy_regex(
    rf"{_NUMBER}|\b(?:free|without charge|every|each|daily|weekly|monthly|yearly|annual(?:ly)?|regularly)\b|"
    r"免费|不收|无需|每|全部|所有|几|多次|没有|无",
    re.IGNORECASE,
)
_TIME = lazy_regex(
    r"\d|[零〇一二两三四五六七八九十百千半][年月日号点时天周岁]|\b(?:noon|midnight|morning|afternoon|evening|night|dawn|dusk|today|"
    rf"tomorrow|yesterday|{ANY_WEEKDAY}s?|weekdays?|weekends?|{ANY_MONTH}|spring|summer|autumn|fall|winter|century|decade|"
    r"o['’]clock|always|never|daily|hours?|weeks?|months?|years?|days?|easter|christmas|war|childhood|birth|death|age|"
    r"after|before|during|until|till|since|when(?:ever)?|while|once|early|late|later|soon|immediately|at once|now)\b|"
    r"早[上晨]|上午|中午|下午|傍晚|晚上|夜|凌晨|今|明天|昨|周[一二三四五六日末]|星期|春|夏|秋|冬|世纪|年代|时期|期间|之?[前后]|以来|时候|"
    r"同时|当时|随时|全天|每[天日周月年]|战|朝|元年|初|末|立即|马上|节",
    re.IGNORECASE,
)
_CLOCK = lazy_regex(r"\bwhat time\b|几点", re.IGNORECASE)
_OF_CLOCK = lazy_regex(
    r"\d|\b(?:noon|midnight|dawn|dusk|sunrise|sunset|o['’]clock|hours?|any ?time|always|(?:one|two|three|four|five|six|"
    r"seven|eight|nine|ten|eleven|twelve)\b)|[一二两三四五六七八九十]+[点时]|中午|正午|午夜|随时|全天|天亮|日[出落]",
    re.IGNORECASE,
)

_PRICE = lazy_regex(r"\bhow much\b|多少钱", re.IGNORECASE)
_HOURS = lazy_regex(
    r"\b(?:from|between) \d{1,2}(?:[:.]\d\d)? (?:to|and|until) \d{1,2}(?:[:.]\d\d)?\b|\d{1,2}:\d\d|"
    r"\b\d{1,2} ?[ap]\.?m\b|[一二两三四五六七八九十\d]+点",
    re.IGNORECASE,
)
"""Figures that are no price."""
_FIGURES = lazy_regex(r"\d+(?:[.:]\d+)*")
_NUMBERED = lazy_regex(r"^\s*\(?\d{1,2}[.)、）]\s*")
_OTHER = lazy_regex(
    r"\s*(?:who|whose|whom|where|(?:in )?(?:which|what)(?! (?:time|year|date|day|month|century|season|decade|age)))\b",
    re.IGNORECASE,
)
"""How a question begins that asks for no time, though it may tell when something was."""


_FROM_WHERE = lazy_regex(r"(?:是|属于?)(?:哪里|哪儿|哪国|什么地方|何处|哪个?\w{1,2})的?人(?![\w])")
_OF_ORIGIN = lazy_regex(r"[^\W\d_]{2}人(?!\w)|籍|出?生[于在]|来自|祖居|家乡|故乡|老家|[^\W\d_]{2}[家员手师](?!\w)")
"""What asks in Chinese where somebody is from, and what tells it."""
_OUTCOME = lazy_regex(
    r"\bwhat (?:will |would |might |could )?happens? (?:if|when|once|after|to)\b|"
    r"会(?:怎么?样|如何|发生什么)|(?:什么|何种)后果",
    re.IGNORECASE,
)
"""How a question begins that asks what comes of something."""
_OF_A_CASE = lazy_regex(
    r"\b(?:if|when|whenever|once|after|until|unless|otherwise|without|beyond|above|over|exceed\w*|any|who|which|that|on|"
    r"fail\w*|too|else|then|will|cause[sd]?|leads?|results?|means?)\b|如|若|时|后|否则|超|逾|一旦|的话|凡|则|将|会|未|不|的",
    re.IGNORECASE,
)
"""What a sentence has that tells of a case, and what comes of it."""


def may_answer(question: str, sentence: str) -> bool:
    """Tell whether a sentence may give what a question asks for: a time, an amount or what comes of something.

    A sentence that has the words of "What time is breakfast?" may tell that it is free. It answers if it holds a time.
    """
    # What the question says itself is not what it asks for.
    told = frozenset(_FIGURES.findall(question))
    sentence = _FIGURES.sub(lambda found: "" if found[0] in told else found[0], _NUMBERED.sub("", sentence))
    if _OUTCOME.search(question) and not _OF_A_CASE.search(sentence):
        return False
    if _FROM_WHERE.search(question) and not _OF_ORIGIN.search(sentence):
        return False
    if _CLOCK.search(question):
        return _OF_CLOCK.search(sentence) is not None
    kind = answer_type(question)
    if kind is AnswerType.TIME:
        return _OTHER.match(question) is not None or _TIME.search(sentence) is not None
    if kind is AnswerType.NUMBER and _PRICE.search(question):
        sentence = _HOURS.sub("", sentence)
    return kind is not AnswerType.NUMBER or _AMOUNT.search(sentence) is not None


# ── one of a kind and not another ────────────────────────────────────────────

_NUMBERED_THING = lazy_regex(r"\b([a-z]{3,}) (\d+(?:\.\d+)*)\b(?![.,:]\d)", re.IGNORECASE)
_LETTERED_THING = lazy_regex(
    r"\b(?P<thing>(?i:[a-z]{3,})) (?P<en>[A-HJ-Z])(?![\w'’])|(?<![A-Za-z0-9])(?P<zh>[A-Z])(?P<kind>[^\W\d_a-zA-Z])"
)
"""What is told from others of its kind by a capital letter: hall D, E线."""
_CHINESE_NUMBER = r"\d+(?:\.\d+)*|[一二三四五六七八九十百]+"
_NUMBERED_KIND = lazy_regex(
    rf"第({_CHINESE_NUMBER})([^\W\d_])|(?<![\d.])({_CHINESE_NUMBER})(号[^\W\d_]|版|车间|年级)|(版本)[为是]?\s*(\d+(?:\.\d+)*)"
)
_MONTHS = {*MONTHS, *(name[:3] for name in MONTHS), "sept"}
_RANKS = {
    "deputy": r"\bdeput\w+|\bvice\b|\bunder-?secretary|\bsecond[- ]in[- ]command|副",
    "assistant": r"\bassist\w*|助理",
    "acting": (
        r"\b(?:acting|interim|caretaker|provisional|temporar\w+|stand-in)\b|代理|署理|临时|暂代|代(?=[^\W\d_]{0,3}[长任])"
    ),
    "former": (
        r"\b(?:former|formerly|ex|previous|previously|past|earlier|was|were|had been|served|until|retired|late|"
        r"predecessor)\b|(?<![目之以当提眼日])前(?![台面往])|(?<![草平高中])原|曾|历任|卸任|离任|退休|已故|(?<!现)任至"
    ),
    "next": r"\b(?:next|incoming|future|designate|elect|will|successor)\b|候任|下任|下一任|继任|接任|即将",
    "honorary": r"\b(?:honorary|emeritus|emerita)\b|名誉|荣誉",
}
_TOLD_RANK = {rank: lazy_regex(pattern, re.IGNORECASE) for rank, pattern in _RANKS.items()}
_OFFICE = (
    r"[^\W\d_]{0,3}?(?:长|经理|主任|主席|总[统裁理监]|教授|负责人|书记|主编|首相|教练|秘书|工程师|董事|会计|司令|馆员)"
)
_ASKED_RANK = {
    rank: lazy_regex(rf"\b(?:{english})[ -](?=[a-z])|(?:{chinese})(?={_OFFICE})", re.IGNORECASE)
    for rank, english, chinese in (
        ("deputy", "deputy|vice", "副"),
        ("assistant", "assistant", "助理"),
        ("acting", "acting|interim|caretaker", "代理|署理|临时|代(?!理)"),
        ("former", "former|ex|previous", "(?<![目之以当提眼日])前任?|(?<![草平高中])原"),
        ("next", "next|incoming", "候任|下一?任|继任"),
        ("honorary", "honorary", "名誉|荣誉"),
    )
}


_SECOND = lazy_regex(rf"\b(?:deputy|vice|assistant)[ -](?:[a-z]+ )??([a-z]+)|(?:副|助理)({_OFFICE})", re.IGNORECASE)


def is_of_another(question: str, told: str) -> bool:
    """Tell whether what is told is of another one of a kind than is asked for: version 3.2, not 3.1; no deputy."""
    if _of_another_number(question, told):
        return True
    asked = [rank for rank, pattern in _ASKED_RANK.items() if pattern.search(question)]
    if asked:
        return not all(_TOLD_RANK[rank].search(told) for rank in asked)
    if answer_type(question) is not AnswerType.PERSON:
        return False
    # Who the director is a deputy director does not tell.
    folded, said = told.casefold(), question.casefold()
    offices = [(found[1] or found[2]).casefold() for found in _SECOND.finditer(told)]
    return any(
        office in said and office not in ENGLISH_STOP_WORDS and folded.count(office) == offices.count(office)
        for office in offices
    )


def _of_another_number(question: str, told: str) -> bool:
    """Tell whether a thing is spoken of by other numbers than in the question: line 7 where line 9 is meant.

    Months are no such things, nor are words that stand before any figure.
    """
    asked = _numbers_of_things(question)
    return _are_others(asked, _numbers_of_things(told) if asked else {}) or is_of_another_letter(question, told)


def is_of_another_letter(question: str, told: str) -> bool:
    """Tell whether things of a kind are spoken of by other letters than in the question: lines A to C, not line E."""
    asked = _letters_of_things(question)
    return _are_others(asked, _letters_of_things(told) if asked else {})


def _are_others(asked: dict[str, set[str]], known: dict[str, set[str]]) -> bool:
    return any(thing in known and not names & known[thing] for thing, names in asked.items())


def _letters_of_things(text: str) -> dict[str, set[str]]:
    """Return the capital letters that things are called by, by what they are."""
    found: dict[str, set[str]] = {}
    for one in _LETTERED_THING.finditer(text):
        thing = one["kind"] or one["thing"].casefold()
        if thing not in ENGLISH_STOP_WORDS:
            found.setdefault(thing, set()).add(one["zh"] or one["en"])
    return found


def _numbers_of_things(text: str) -> dict[str, set[str]]:
    """Return the numbers that things are called by, by what they are."""
    found: dict[str, set[str]] = {}
    for thing, number in _NUMBERED_THING.findall(text):
        if (word := thing.casefold()) not in _MONTHS and word not in ENGLISH_STOP_WORDS:
            found.setdefault(word, set()).add(number)
    for one in _NUMBERED_KIND.finditer(text) if has_han(text) else ():
        kind, number = one[2] or one[4] or "版", one[1] or one[3] or one[6]
        found.setdefault(kind, set()).add(str(chinese_value(number) or number) if has_han(number) else number)
    return found


_EN, _ZH = (
    {
        word: cast("frozenset[Dimension]", frozenset(kinds.split()) - {"any"})
        for kinds, words in table.items()
        for word in words.split()
    }
    for table in map(parts_of, word_tables("measured_by").values())
)
_HOW_MANY = lazy_regex(
    r"\bhow many (?P<thing>(?:[a-z-]+ ){0,2}?[a-z-]+)(?=\W*\Z| (?:do|does|did|is|are|was|were|has|have|had|can|could|"
    r"will|would|may|must|should|of|in|on|at|per|for|from|to|with|a|an|the|it|they|you|we|i)\b)",
    re.IGNORECASE,
)
_MEASURE_OF = lazy_regex(
    r"\b(?:what|which) (?:is|was|are|were) (?:the|its|their|his|her) "
    rf"(?P<modifier>(?:(?!of |with )[a-z-]+ ){{0,3}}?)(?P<thing>{'|'.join(_EN)})s?"
    r"(?= (?:of|for|in|at|on|that|allowed|permitted)\b|\W*\Z)",
    re.IGNORECASE,
)
_OF_NO_KIND = frozenset(
    map(stem, "people person more other number amount kind sort type thing piece percent time".split())
)
_COUNTED = lazy_regex(
    r"(?<![第哪好])(?:几|多少)(?![元块钱年月日天周岁倍米里吨克升度点号分秒时小百千公厘毫平立]|个[小月]|[个名位]?人)(?P<sign>[^\W\d_])"
)
_MEASURED = lazy_regex(
    r"(?:一?共|总共|大约|大概|约|最[大高长多少]|至少|又){0,3}(?:是|为|有|达到?|需要?|要|花了?|用了?|占)?"
    r"(?<![第哪好])(?:多少|几|多(?P<how>[高长远久重快宽深贵]))"
)
_HOW = {"快": "速"}
_COUNT_OF = lazy_regex(r"(?<=\w\w)(?:数量|数目|总数|人数|数)\Z")
_SIGNS = frozenset("个座名位级扇条层根只家间台种项次本张片孔辆艘块颗棵栋所部套件支把门")
_AGO = lazy_regex(r"\s*(?:ago|before|after|later|earlier)\b|[之以]?[前后]", re.IGNORECASE)
"""What makes an amount of time a time."""
_NEAR = 4
"""Characters between what is measured and its figure. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class Sought:
    """The thing of which a figure is asked for and the word before it, as they are written, and how it is measured."""

    thing: str = ""
    modifier: str = ""
    dimensions: frozenset[Dimension] = frozenset()

    def is_told(self, text: str, terms: frozenset[str], about: str = "") -> bool:
        """Tell whether a text gives such a figure: it measures as the thing is measured, or it names the thing.

        What the text is about may be the thing, too; a year is no amount.
        """
        amounts = _amounts(text)
        # 果实长约15厘米 tells a length (长度), and 保留四天 no lifetime (寿命).
        is_kin = not has_han(self.thing) or any(char in text for char in self.thing)
        if is_kin and any(one.dimension in self.dimensions for one in amounts):
            return True
        is_bare = any(not one.unit for one in amounts)
        if _has(self.thing, f"{text} {about}", terms):
            return not (self.dimensions and amounts) or is_bare or any(one.dimension == "count" for one in amounts)
        return is_bare and bool(self.modifier) and _has(self.modifier, text, terms)

    def is_beside(self, text: str) -> bool:
        """Tell whether a figure stands right beside the thing in a text: 试用期为六个月, 1432毫米轨距."""
        start = text.find(self.thing) if self.thing else -1
        end = start + len(self.thing)
        return start >= 0 and any(end <= one.start <= end + _NEAR or one.end == start for one in _amounts(text))


def sought(question: str) -> Sought | None:
    """Return what a question asks a figure of; None where it asks for something else, or this is not known."""
    return _sought_in_chinese(question) if working_language(question) == "zh" else _sought_in_english(question)


def _sought_in_english(question: str) -> Sought | None:
    if found := _MEASURE_OF.search(question):
        words = found["modifier"].split()
        thing = found["thing"].casefold()
        return Sought(thing, words[-1] if words else "", _EN[thing])
    found = _HOW_MANY.search(question)
    thing = found["thing"].split()[-1].casefold() if found else ""
    if not thing or stem(thing) in _OF_NO_KIND:
        return None
    unit = units().get(thing)
    return Sought(dimensions=frozenset({unit.dimension})) if unit else Sought(thing)


def _sought_in_chinese(question: str) -> Sought | None:
    if found := _COUNTED.search(question):
        behind = question[found.end() if found["sign"] in _SIGNS else found.start("sign") :]
        if thing := next((one.text for one in tagged(behind)[:1] if one.tag[:1] in "nv" and len(one.text) > 1), ""):
            return Sought(thing)
    found = _MEASURED.search(question)
    if found is None:
        return None
    before = [one for one in tagged(question[: found.start()]) if one.text.strip("的，, ")]
    nouns = [one.text if one.tag[:1] == "n" or one.tag == "vn" else "" for one in before[-2:]]
    thing = _COUNT_OF.sub("", nouns[-1]) if nouns else ""
    how = _HOW.get(found["how"] or "", found["how"] or "")
    dimensions = next((_ZH[end] for end in (thing[-2:], thing[-1:], how) if end in _ZH), frozenset())
    if len(thing) < 2:
        return None
    return Sought(thing, before[-2].text if len(before) > 1 else "", dimensions)


def _has(word: str, text: str, terms: frozenset[str]) -> bool:
    if has_han(word):
        return word in text or other_meal(word) in text
    return bool(word) and stem(word.casefold()) in terms


_MEAL = lazy_regex(r"(?<=[早午晚中])[饭餐]\Z")


def other_meal(word: str) -> str:
    """Return a Chinese word for a meal with the other character for it, 晚餐 for 晚饭; any other word as it is."""
    return _MEAL.sub(lambda found: "餐" if found[0] == "饭" else "饭", word)


@lru_cache(maxsize=2_048)
def _amounts(text: str) -> tuple[Quantity, ...]:
    """Return the amounts of a text, without years, times (three days ago) and what only says that it is one."""
    return tuple(
        one
        for one in quantities(text)
        if not (len(one.text) == 4 and one.text.isdecimal() and one.text[0] in "12")
        and not (one.dimension == "count" and one.value == 1)
        and not _AGO.match(text, one.end)
    )
