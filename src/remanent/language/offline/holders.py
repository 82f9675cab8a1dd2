"""Who holds what only one holds: leads a project, is the mayor of a town, translated a book; 由谁翻译，谁负责.

The general comparison of two claims lays whole sentences side by side and asks for many words that agree. What one
person alone is or did is told in three words and in many forms (leads it, is led by, its leader is), often in a clause
of a sentence on something else. These forms are read by patterns, clause by clause.

A stranger's first tries were missed without it: "Sarah Kim leads Orion", then "Daniel leads Orion now"; 由张伟翻译,
then 李娜 译.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from remanent.text.chinese import tagged
from remanent.text.numerals import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.terms import query_terms
from remanent.values import dataclass


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody, what they are or did, and of what."""

    role: str
    thing: frozenset[str]
    names: frozenset[str]
    text: str
    """The name as it stands in the sentence."""


def _roles(table: str) -> dict[str, str]:
    """Return the one word for each of a line of words: first of them."""
    return {word: words[0] for row in table.split(";") if (words := row.replace("_", " ").split()) for word in words}


_OFFICES = _roles(
    "lead leads led leader leading head heads headed; manage manages managed manager; run runs; chair chairs chaired "
    "chairman chairwoman chairperson; captain captains captained; coach coaches coached; direct directs; "
    "oversee oversees overseen; mayor; governor; principal headteacher; ceo; cto; cfo; coo; president; chancellor; "
    "dean; owner; editor-in-chief; curator; treasurer; goalkeeper; capital; "
    "负责 负责人 主管; 管理 管理者; 领导 带领 领导人; 主持 主持人; 校长; 院长; 董事长; 总经理; 经理; 主任; 主编; 队长; "
    "市长; 省长; 县长; 班长; 组长; 店长; 馆长; 教练; 总裁; 所长; 首都; 省会"
)
"""What one holds at a time: who held it before contradicts nobody."""
_ACTS = _roles(
    "translate translated translator; direct directed director; compose composed composer; paint painted painter; "
    "invent invented inventor; illustrate illustrated illustrator; narrate narrated narrator; "
    "翻译 译者 译; 执导 导演 导; 主演 领衔主演; 创作 撰写 著 作者 编写; 设计 设计师 设计者 建筑师; 编剧; 作曲; "
    "作词; 配音; 插画"
)
"""What was done once, whenever that is told."""
_ROLES = _ACTS | _OFFICES
_NOT_NOW = re.compile(
    r"\b(?:was|were|had|former(?:ly)?|previous(?:ly)?|ex|until|from \d{4}|in \d{4}|acting|interim|deputy|vice|co)\b|"
    r"曾|副|代理|[前原](?=任|[总校院董经市省县队主])|以前|从前|此前|当时|时任|历任|\d{4}\s*年",
    re.IGNORECASE,
)
"""Where an office is told of another time, or of another rank."""
_SHARED = re.compile(
    r"\b(?:and|or|with|among|one of|several|part|partly|both)\b|[、和与及]|等|之一|共同|联合", re.IGNORECASE
)
"""Where several hold it, each of two tellers may name another one."""

_LONGEST_CHINESE_NAME = 4
_LONGEST_CLAUSE = 120
_NAME = r"(?P<h>(?-i:(?:[A-Z][\w'’.-]*)(?: (?:de |van |von |da |al-)?[A-Z][\w'’.-]*){0,3}))"
_THING = r"(?P<t>(?:the |our |my |their |this )?[\w'’&.-]+(?: [\w'’&.-]+){0,4}?)"
_END = r"(?: (?:into|in) [A-Z]\w+)?(?: (?:now|currently|today|again|instead|these days|since \w.*))?\s*[.!]?$"
_SINCE = r"^(?:(?:now|today|currently|(?:since|as of|from) \w+),? )?"
_BE = (
    r" (?:is|was|has been|became|becomes|(?:is|was|has been) (?:named|appointed|elected|made)|remains)"
    r"(?: now| currently)?"
)

_GETS = r" (?:is|was|is being|has been)(?: now| currently| an? [^,]{1,60}?)?"


def _alternatives(roles: dict[str, str], *, ending: str = "") -> str:
    words = sorted((word for word in roles if word.isascii() and re.search(f"(?:{ending})$", word)), key=len)
    return "|".join(map(re.escape, reversed(words)))


_DOES, _DONE = (
    _alternatives(_ROLES, ending="s|translated|composed|painted|invented|illustrated|directed"),
    "|".join(word for word in _ROLES if word.endswith("ed") or word in {"led", "run", "overseen"}),
)
_IS = "|".join(
    re.escape(word) for word in _ROLES if word.isascii() and not word.endswith(("ed", "s", "ing")) and word != "run"
)
_ENGLISH = tuple(
    lazy_regex(form, re.IGNORECASE)
    for form in (
        rf"{_SINCE}{_NAME}(?: now| currently)? (?P<r>{_DOES}) {_THING}{_END}",
        rf"{_SINCE}{_THING}{_GETS} (?P<r>{_DONE}) by {_NAME}{_END}",
        rf"^{_NAME}{_BE} (?:the |its )?(?:new |current |present )?(?P<r>{_IS}) (?:of|at|for) {_THING}{_END}",
        rf"^{_THING}['’]s? (?:new |current )?(?P<r>{_IS}) (?:is|was)(?: now| currently)? {_NAME}{_END}",
        rf"^(?:the )?(?:new |current )?(?P<r>{_IS}) (?:of|at|for) {_THING} (?:is|was)(?: now)? {_NAME}{_END}",
    )
)
_ROLE_ZH = "|".join(sorted((word for word in _ROLES if not word.isascii() or word == "ceo"), key=len, reverse=True))
_VERB_ZH = "翻译|执导|导演|领衔主演|主演|创作|撰写|编写|设计|编剧|作曲|作词|配音|负责|主管|管理|领导|带领|主持"
_NOW_ZH = "(?:现在|目前|如今|现|改|已|已经|将|都|全部|主要){0,3}"
_CHINESE = tuple(
    lazy_regex(form, re.IGNORECASE)
    for form in (
        rf"^(?P<t>[^由，,]{{1,20}}?){_NOW_ZH}由(?P<h>[^由，,的]{{2,12}}?)(?:来|进行)?(?P<r>{_VERB_ZH})(?:完成|的)?$",
        rf"^(?P<t>[^由，,]{{1,20}}?){_NOW_ZH}由(?P<h>[^由，,的]{{2,12}}?)(?:担任|出任|接任|任)(?P<r>{_ROLE_ZH})$",
        rf"^(?P<t>[^，,]{{1,20}}?)的?(?:现任|新任|新)?(?P<r>{_ROLE_ZH}){_NOW_ZH}(?:是|为|：|:|换成了?|改为)(?P<h>[^，,的是]{{2,12}})$",
        rf"^{_NOW_ZH}(?P<h>[^，,的是由]{{2,12}}?){_NOW_ZH}(?P<r>{_VERB_ZH})了?(?P<t>[^，,的]{{1,20}})$",
        rf"^{_NOW_ZH}(?P<h>[^，,的是由]{{2,12}}?){_NOW_ZH}(?:是|担任|出任|接任|任)(?P<t>[^，,]{{1,20}}?)的?(?:现任|新任|新)?(?P<r>{_ROLE_ZH})$",
    )
)
_IMPRINT = lazy_regex(r"(?P<t>《[^《》]{1,60}》)[^。《》]{0,60}?(?<![\w])(?P<h>[\w·]{2,12}?)\s*(?P<r>译|著|导)(?![\w])")
"""How a book says whose it is: 《三体》，刘慈欣 著，李娜 译。"""
_BARE_IMPRINT = lazy_regex(
    r"^(?P<t>[^\s，,。《》：:]{2,20})[，,：:\s]+(?:[\w·]{2,12}\s+[著编][，,\s]*)?(?P<h>[\w·]{2,12})\s+(?P<r>译|著|导)(?!\w)"
)
"""The same without the marks of a title, where a gap parts the name from what was done: 三体，李娜 译。"""
_CLAUSE = {
    "en": re.compile(r"(?:[,;:.!]|\s[–—-])\s+(?:(?:and|but|so)\s)?|\s(?:and|but|while|because|so)\s"),
    "zh": re.compile(r"[，,；;。！!]\s*"),
}


@cache
def _generic() -> frozenset[str]:
    """Return what a thing may be called beside its name; by that alone it is anything."""
    words = "project team company department group new 项目 团队 公司 小组 一书 中文版"
    works = "film movie book novel song album series show play game story 该片 影片 电影 小说 该书 专辑 歌曲"
    return frozenset(query_terms(f"{words} {works}"))


_PRONOUN = re.compile(
    r"^(?:I|he|she|it|they|we|you|there|who|what|an?|nobody|no|everyone)\b|^[他她它我你这那谁本该]", re.IGNORECASE
)


@lru_cache(maxsize=4_096)
def holders(text: str) -> tuple[Holder, ...]:
    """Return who holds what by a sentence."""
    language = working_language(text)
    if language == "en":
        return tuple(one for clause in _CLAUSE["en"].split(text) for one in _read(clause, _ENGLISH))
    told = [one for clause in _CLAUSE["zh"].split(text) for one in _read(clause, _CHINESE)]
    imprints = [*_IMPRINT.finditer(text), *_BARE_IMPRINT.finditer(text)]
    imprint = (_holder(found, found[0]) for found in imprints if _is_person(found["h"]))
    return (*told, *filter(None, imprint))


def _read(clause: str, forms: Iterable[re.Pattern[str]]) -> Iterator[Holder]:
    clause = clause.strip(" 。.!")
    if len(clause) > _LONGEST_CLAUSE:
        return
    for form in forms:
        found = form.search(clause)
        # 由 says that somebody follows; a Chinese clause may begin with anything.
        if found is not None and (found["h"].isascii() or f"由{found['h']}" in clause or _is_person(found["h"])):
            held = _holder(found, clause)
            if held is not None:
                yield held
            return


def _holder(found: re.Match[str], clause: str) -> Holder | None:
    """Return who holds what by a match, nothing where it was at another time or is shared."""
    name, role = found["h"].strip(), found["r"].lower()
    if role not in _ACTS and _NOT_NOW.search(clause.replace(name, "")):
        return None
    if _PRONOUN.match(found["t"]) or _PRONOUN.match(name) or _SHARED.search(name) or not _may_be_name(name):
        return None
    thing, names = _words(found["t"]) - _generic(), _words(name)
    return Holder(_ROLES[role], thing, names, name) if names and thing and not names & thing else None


def _words(text: str) -> frozenset[str]:
    """Return the terms of a name or a thing without single characters: two people of one surname are two."""
    terms = frozenset(query_terms(text))
    return frozenset(term for term in terms if term.isascii() or len(term) > 1) or terms


def _may_be_name(name: str) -> bool:
    """Tell whether some words may be one name: a Chinese one has not more than four characters."""
    known = name.isascii() or "·" in name or len(name) <= _LONGEST_CHINESE_NAME
    return known and not has_digit(name)


def _is_person(name: str) -> bool:
    """Tell whether some Chinese characters are a name: of the segmenter's, or a foreigner's."""
    return "·" in name or all(word.tag in {"nr", "nrt", "nrfg"} for word in tagged(name))


def rivals(one: str, other: str) -> tuple[str, str] | None:
    """Return the names of those who are said to hold one thing by two sentences, where they are different ones."""
    for first in holders(one):
        for second in holders(other):
            if first.role == second.role and first.thing == second.thing and not first.names & second.names:
                return first.text, second.text
    return None
