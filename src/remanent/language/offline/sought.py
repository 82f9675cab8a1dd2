"""What a question wants a figure of, and whether a sentence has that: a speed, a load, a number of piers.

Who asks how fast something was designed for is not answered by who designed it: the words that both have tell what is
spoken of, and not what is asked of it.
"""

import re
from functools import lru_cache

from remanent.text.chinese import tagged
from remanent.text.numbers import Dimension, Quantity, quantities, units
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han, working_language
from remanent.text.words import stem
from remanent.values import dataclass

_MEASURES: tuple[tuple[str, str, frozenset[Dimension]], ...] = (
    ("speed velocity", "速 速度", frozenset({"speed"})),
    ("weight load mass payload tonnage", "重 重量 荷载 载荷 荷重 载重量", frozenset({"mass"})),
    (
        "height width depth distance diameter altitude elevation thickness clearance",
        "高 高度 宽 宽度 深 深度 远 距离 跨度 射程 里程 直径 海拔 厚度 净空 半径",
        frozenset({"length"}),
    ),
    ("length", "长 长度", frozenset({"length", "time"})),
    ("area", "面积", frozenset({"area"})),
    ("volume", "容积 体积", frozenset({"volume"})),
    ("power wattage", "功率", frozenset({"power"})),
    ("temperature", "温度 气温 水温", frozenset({"temperature"})),
    ("frequency", "频率", frozenset({"frequency"})),
    ("duration lifetime lifespan", "久 时长 工期 寿命 年限", frozenset({"time"})),
    ("price cost fee fare rent salary", "价 价格 单价 造价 费用 成本 租金 工资 薪水", frozenset({"money"})),
    ("limit capacity size rate budget", "", frozenset()),
)
_EN = {word: dimensions for words, _, dimensions in _MEASURES for word in words.split()}
_ZH = {word: dimensions for _, words, dimensions in _MEASURES for word in words.split()}
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
        is_kin = not has_han(self.thing) or any(sign in text for sign in self.thing)
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
    return bool(word) and (word in text if has_han(word) else stem(word.casefold()) in terms)


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
