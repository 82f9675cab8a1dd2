"""Who holds what only one holds: leads a project, is the mayor of a town, founded a firm; 由谁翻译，谁负责.

The general comparison of two claims lays whole sentences side by side and asks for many words that agree. What one
person alone is or did is told in three words and in many forms (leads it, is led by, its leader is), often in a clause
of a sentence on something else. These forms are read by patterns, clause by clause.

A stranger's first tries were missed without it: "Sarah Kim leads Orion", then "Daniel leads Orion now"; 由张伟翻译,
then 李娜 译.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from remanent.language.offline.statement_rules import first_of_row
from remanent.lightweight import dataclass
from remanent.text.chinese import COMMON_SURNAMES, is_unknown_name, tagged
from remanent.text.numbers import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, working_language
from remanent.text.terms import query_terms
from remanent.text.words import word_tables


@dataclass(frozen=True, slots=True)
class Holder:
    """Somebody, what they are or did, and of what."""

    role: str
    thing: frozenset[str]
    names: frozenset[str]
    text: str
    """The name as it stands in the sentence."""


_TABLES = word_tables("offices_and_deeds")
_OFFICES = first_of_row(_TABLES["offices"]) | dict.fromkeys(("chief executive", "chief executive officer"), "ceo")
"""What one holds at a time: who held it before contradicts nobody."""
_ACTS = first_of_row(_TABLES["acts"])
"""What was done once, whenever that is told."""
_WRITTEN = dict.fromkeys(("novel", "book", "poem", "memoir", "novella"), "write")
"""What a writer's work is called where nobody says that it was written: a novel by her."""
_COURSES = first_of_row(_TABLES["courses"])
"""Where a river ends, which is one place, too."""
_TOLD_ONCE = _ACTS | _WRITTEN | _COURSES
_DEEDS = frozenset(_TOLD_ONCE.values())
_ROLES = _ACTS | _OFFICES
_NOT_NOW = re.compile(
    r"\b(?:was|were|had|former(?:ly)?|previous(?:ly)?|ex|until|from \d{4}|in \d{4}|acting|interim|deputy|vice|co)\b|"
    r"曾|副|代理|[前原](?=任|[总校院董经市省县队主])|以前|从前|此前|当时|时任|历任|\d{4}\s*年",
    re.IGNORECASE,
)
"""Where an office is told of another time, or of another rank."""
_FORMER = re.compile(
    r"\b(?:former|ex|erstwhile)[- ](?:[\w'’-]+ ){0,3}?(?P<role>[\w'’-]{3,})"
    r"(?=\s*(?:[,.;:)]|\Z|(?:of|at|for|in|from|who|and|or|is|was|has|had|lives?)\b|(?-i:[A-Z])))|"
    rf"(?<![目之以提当此日从先年天月周门面眼生史空])前任?(?P<office>[{HAN}]{{0,2}}?(?:[长席裁记]|主任|经理|总理|总统|教练|主编))",
    re.IGNORECASE,
)
"""An office that somebody held before: the former mayor, an ex-director, 前镇长."""
_BEFORE = re.compile(
    r"\b(?:was|were|had|did|used|former(?:ly)?|once|previous(?:ly)?|ex|until|then|later)\b|曾|前|原|卸任|离任|过|担任了",
    re.IGNORECASE,
)
"""What says of an office that it is not, or need not be, held now."""
_HOLDS = re.compile(
    rf"['’]s\b|\b(?:is|are|serves|works|acts|holds|remains|now|current(?:ly)?)\b|[{HAN}]", re.IGNORECASE
)


def tells_former_only(said: str, told: str) -> bool:
    """Tell whether a sentence calls only former what another text speaks of as held: the mayor, of the former mayor."""
    if _BEFORE.search(said) or not _HOLDS.search(said):
        return False
    roles = [(found["role"] or found["office"]).casefold() for found in _FORMER.finditer(told)]
    return any(
        _office(role).search(said.casefold()) and len(_office(role).findall(told.casefold())) == roles.count(role)
        for role in roles
    )


def _office(role: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(role)}\b" if role.isascii() else re.escape(role))


JOINT = re.compile(
    r"\b(?:co-?(?:found|writ|wrote|author|design|develop|discover|own|direct|lead|led)\w*|together|jointly|others|"
    r"one of|along with)\b|联合|共同|之一|等人|合著|合作",
    re.IGNORECASE,
)
_SHARED = re.compile(
    r"\b(?:and|or|with|among|one of|several|part|partly|both)\b|[、和与及]|等|之一|共同|联合", re.IGNORECASE
)
"""Where several hold it, each of two tellers may name another one."""
_ONE_OF_A_LIST = (
    re.compile(r"[A-Z][\w.'’-]* (?:and|&) \Z|[A-Z][\w.'’-]*, [A-Z][^,]{1,40},? (?:and|&) \Z"),
    re.compile(
        r"(?:,? (?:and|with|as well as)| &|,) (?:(?=[A-Z])|(?:his|her|their|an?|two|three|four|several|some|other)\b)"
    ),
)
"""What stands right before and right behind a name that is one of several who did it."""

_LONGEST_CHINESE_NAME = 4
"""Characters: a surname of one or two, a name of one or two."""
_LONGEST_CLAUSE = 120
"""Characters of a clause that is read; a longer one says more than who did it. Chosen by hand."""
_NAME = r"(?P<h>(?-i:(?:[A-Z][\w'’.-]*)(?: (?:de |van |von |da |al-)?[A-Z][\w'’.-]*){0,3}))"
_THING = r"(?P<t>(?:the |our |my |their |this )?[\w'’&.-]+(?: [\w'’&.-]+){0,4}?)"
_DEFINITE = r"(?P<t>(?-i:(?:[Tt]he |[Oo]ur |[Mm]y |[Tt]heir |[Tt]his )|(?=[A-Z0-9]))[\w'’&.-]+(?: [\w'’&.-]+){0,4}?)"
_DATE = r"(?: (?:in|on|around|during) (?:[\w.]+ ){0,3}\d{4})?"
_BEFORE_NAME = r"(?:(?:the |an? )?(?:[\w-]+ ){0,2}(?-i:[a-z]{4,}) )?"
"""What says of what trade somebody is: by the Danish architect."""
_END = rf"(?: (?:into|in) [A-Z]\w+)?{_DATE}(?: (?:now|currently|today|again|instead|these days|since \w.*))?\s*[.!]?$"
_SINCE = r"^(?:(?:now|today|currently|(?:since|as of|from) \w+),? )?"
_BE = (
    r" (?:is|was|has been|became|becomes|(?:is|was|has been) (?:named|appointed|elected|made)|remains)"
    r"(?: now| currently)?"
)

_GETS = r" (?:is|was|is being|has been)(?: now| currently| an? [^,]{1,60}?)?"

_IRREGULAR = frozenset({"written", "built", "bought"})


def _alternatives(roles: dict[str, str], *, ending: str = "") -> str:
    words = sorted((word for word in roles if word.isascii() and re.search(f"(?:{ending})$", word)), key=len)
    return "|".join(map(re.escape, reversed(words)))


_DOES, _DID, _DONE = (
    _alternatives(_OFFICES, ending="s"),
    _alternatives(_ACTS, ending="(?<!start)ed|wrote|built|bought"),
    "|".join(word for word in _ROLES if word.endswith("ed") or word in {"led", "run", "overseen", *_IRREGULAR}),
)
_IS = "|".join(
    re.escape(word)
    for word in sorted(_ROLES, key=len, reverse=True)
    if word.isascii() and not word.endswith(("ed", "s", "ing", "wrote")) and word not in {"run", *_IRREGULAR}
)
_ENGLISH = tuple(
    lazy_regex(form, re.IGNORECASE)
    for form in (
        rf"{_SINCE}{_NAME} (?:runs|leads|heads|manages) {_THING} as (?:its )?(?P<r>{_IS}){_END}",
        rf"{_SINCE}{_NAME}(?: now| currently)? (?P<r>{_DOES}) {_THING}{_END}",
        rf"^(?:it (?:is|was) )?{_NAME}(?: who)? (?P<r>{_DID}) {_DEFINITE}{_END}",
        rf"^{_THING} (?:is|was) (?:led|run|headed) by (?:its|the) (?P<r>{_IS}),? {_NAME}{_END}",
        rf"{_SINCE}{_THING}{_GETS} (?P<r>{_DONE}){_DATE} by {_BEFORE_NAME}{_NAME}{_END}",
        rf"^{_THING} (?:is|was) an? (?:[\w-]+ ){{0,3}}(?P<r>{'|'.join(_WRITTEN)}) by {_BEFORE_NAME}{_NAME}{_END}",
        rf"^{_THING} (?P<r>flows|empties|drains) into (?:the )?{_NAME}{_END}",
        rf"^{_NAME}{_BE} (?:the |its )?(?:new |current |present )?(?P<r>{_IS}) (?:of|at|for) {_THING}{_END}",
        rf"^{_THING}['’]s? (?:new |current )?(?P<r>{_IS}) (?:is|was)(?: now| currently)? {_NAME}{_END}",
        rf"^(?:the )?(?:new |current )?(?P<r>{_IS}) (?:of|at|for) {_THING} (?:is|was)(?: now)? {_NAME}{_END}",
    )
)
_ROLE_ZH = "|".join(sorted((word for word in _ROLES if not word.isascii() or word == "ceo"), key=len, reverse=True))
_VERB_ZH = (
    "翻译|执导|导演|领衔主演|主演|创作|撰写|编写|设计|编剧|作曲|作词|配音|负责|主管|管理|领导|带领|主持|创立|创办|创建"
)
_DONE_ZH = f"{_VERB_ZH}|成立|写成?|建造|修建|兴建|发现|研制|研发|开发|发明|收购"
"""What is said with 由, 被 or 是…的 alone: 谁发现了问题 is of any problem."""
_DATE_ZH = r"(?:于?\d{4}年[\d月日]*)?"
_TRADE_ZH = (
    "(?:作家|诗人|画家|高僧|僧人|工匠|商人|企业家|建筑师|工程师|设计师|科学家|天文学家|学者|教授|博士|医生|导演|记者|"
    "学生|皇帝)?"
)
_NOW_ZH = "(?:现在|目前|如今|现|改|已|已经|将|都|全部|主要){0,3}"
_CHINESE = tuple(
    lazy_regex(form, re.IGNORECASE)
    for form in (
        rf"^(?P<t>[^由被，,]{{1,20}}?){_NOW_ZH}{_DATE_ZH}是?[由被]{_TRADE_ZH}(?P<h>[^由，,的]{{2,12}}?){_DATE_ZH}(?:来|进行)?(?P<r>{_DONE_ZH})(?:完成|的)?$",
        rf"^(?P<t>[^由被，,是]{{1,20}}?)是{_TRADE_ZH}(?P<h>[^由，,的是]{{2,12}}?){_DATE_ZH}(?P<r>{_DONE_ZH})的$",
        r"^(?P<t>[^，,]{1,12}?)(?P<r>流入|注入|汇入)(?P<h>[^，,的]{2,8})$",
        rf"^(?P<t>[^由，,]{{1,20}}?){_NOW_ZH}由(?P<h>[^由，,的]{{2,12}}?)(?:担任|出任|接任|任)(?P<r>{_ROLE_ZH})$",
        rf"^(?P<t>[^，,]{{1,20}}?)的?(?:现任|新任|新)?(?P<r>{_ROLE_ZH}){_NOW_ZH}(?:是|为|：|:|换成了?|改为){_TRADE_ZH}(?P<h>[^，,的是]{{2,12}})$",
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
    # What stands before a colon is the source, or what the name behind it is of: 登记：甲由乙创办；作者：乙.
    "zh": re.compile(r"[，,；;。！!]\s*|[：:](?=[^，,；;。：:]*[由被是为])"),
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
    if JOINT.search(text):
        return ()
    if language == "en":
        told = [one for clause in _CLAUSE["en"].split(text) for one in _read(clause, _ENGLISH)]
        return tuple(one for one in told if not _is_listed(one.text, text))
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
        if found is not None and (found["h"].isascii() or _is_led(found, clause) or _is_person(found["h"])):
            held = _holder(found, clause)
            if held is not None:
                yield held
            return


def _is_listed(name: str, text: str) -> bool:
    """Tell whether a name stands in a list of several in a sentence, of which a clause has only one."""
    start = text.find(name)
    before, behind = _ONE_OF_A_LIST
    return before.search(text, max(0, start - 80), start) is not None or bool(behind.match(text, start + len(name)))


def _is_led(found: re.Match[str], clause: str) -> bool:
    """Tell whether a word before some Chinese characters says that they name somebody or something."""
    before, name = clause[: found.start("h")], found["h"]
    if found["r"] in _COURSES or re.search(f"[由被]|{_TRADE_ZH[:-1]}$", before) is not None:
        return True
    # Behind a role, what begins with a surname and is no word is a name that the segmenter does not know.
    is_named = is_unknown_name(name)
    return is_named and re.search(r"(?:[者人师长裁]|经理|主[编管任])(?:是|为)$", before) is not None


def _holder(found: re.Match[str], clause: str) -> Holder | None:
    """Return who holds what by a match, nothing where it was at another time or is shared."""
    name, role = found["h"].strip(), found["r"].lower()
    if role not in _TOLD_ONCE and _NOT_NOW.search(clause.replace(name, "")):
        return None
    if _PRONOUN.match(found["t"]) or _PRONOUN.match(name) or _SHARED.search(name) or not _may_be_name(name):
        return None
    thing, names = _words(found["t"]) - _generic(), _words(name)
    role = (_OFFICES | _TOLD_ONCE)[role]
    if role == "buy" and len(thing) < 2:
        return None  # lunch is bought by another one every day
    return Holder(role, thing, names, name) if names and thing and not names & thing else None


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
    words = tagged(name)
    if len(words) == 2 and words[0].text in COMMON_SURNAMES:
        words = words[1:]  # 韩 松涛: a surname by itself is an abbreviation to the segmenter
    return "·" in name or is_unknown_name(name) or all(word.tag in {"nr", "nrt", "nrfg"} for word in words)


def rivals(one: str, other: str) -> tuple[str, str] | None:
    """Return the names of those who are said to hold one thing by two sentences, where they are different ones."""
    return None if _are_of_two_years(one, other) else _two_names(one, other)


def are_two_deeds(one: str, other: str) -> bool:
    """Tell whether two sentences tell of one deed of two people in two years: a firm may be bought twice."""
    return _are_of_two_years(one, other) and _two_names(one, other) is not None


def holds_another(one: str, other: str) -> bool:
    """Tell whether two sentences give one person two offices of one sort: who runs one firm may run another one."""
    return any(
        first.role == second.role and first.names == second.names and first.thing != second.thing
        for first in holders(one)
        for second in holders(other)
    )


def _are_of_two_years(one: str, other: str) -> bool:
    years = [set(_YEAR.findall(text)) for text in (one, other)]
    return all(years) and years[0].isdisjoint(years[1])


def _two_names(one: str, other: str) -> tuple[str, str] | None:
    for first in holders(one):
        for second in holders(other):
            alike = first.role == second.role and first.thing == second.thing and not first.names & second.names
            named = first.role in _DEEDS and (_has_name(one, second.text) or _has_name(other, first.text))
            if alike and not named:
                return first.text, second.text
    return None


_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def _has_name(text: str, name: str) -> bool:
    """Tell whether a sentence has any word of a name: whoever is named there, too, may have had a part in it."""
    return any(word in text for word in name.split() if len(word) > 1)
