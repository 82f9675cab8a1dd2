"""What may be otherwise since: somebody says, in whatever words, that a thing is over, off, left, sold or was never so.

A change that is told in a known form ends what was known (`changes.py`). Most are told in fresh words, and nothing ends
by a guess: "Karen quit smoking" is no end of "My boss is Karen". What is found here is only doubted. The memory stays
as it is, with a mark that newer words say otherwise, and recall puts those before it.

What ends a thing depends on its sort, more than on how it is told: a shop that burns down ends a job there, a train to
Exeter that is cancelled ends no home in it. So of each sort the words of an end are known, and a clause that holds one
of them lets doubt what it names: no bystander's matter, no chairs for the meeting, nothing of one day.
"""

import re
from collections.abc import Iterator

from remanent.language.offline.statement_rules import canonical, expanded_form, people, person_and_name
from remanent.language.offline.statements_chinese import PARTS as CHINESE
from remanent.language.offline.statements_english import PARTS as ENGLISH
from remanent.text.chinese import tagged
from remanent.text.dates_chinese import COMING
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han
from remanent.text.terms import query_terms
from remanent.text.words import parts_of, word_tables

_SORTS = parts_of("""
work = employer job workplace field business school 工作单位 职业 工作地点 就读
who = name 姓名 身份
when = time date event plan task deadline agreement starts begins leaves departs 时间 计划 待办 约定 事件
health = allergy restriction health diet is 过敏 忌口 健康 饮食
home = residence owns home 住址 拥有
has = has family 家庭
does = doing does habit practice plays studies likes uses teaches goal dream 在做 习惯 情况 使用 经历 喜欢 爱好
""")
"""The attributes of each sort; of any other the words for who and for what is done are looked for."""
_ENGLISH, _CHINESE = map(parts_of, word_tables("doubts").values())
_ENDINGS = {sort: lazy_regex(rf"\b(?:{_ENGLISH[sort]})\b|{_CHINESE[sort]}", re.IGNORECASE) for sort in _SORTS}
_SORT_OF = {canonical(word): sort for sort, words in _SORTS.items() for word in words.split()}
_ENDS = lazy_regex(rf"\b(?:{'|'.join(_ENGLISH.values())})\b|{'|'.join(_CHINESE.values())}", re.IGNORECASE)
_UNREAL = lazy_regex(
    r"\b(?:would|could|might|should|if|unless|until|once|want(?:ed)?|wish|hope|plan|planning|going to|will|wonder|"
    r"almost|nearly|when)\b|['’](?:ll|d)\b|如果|要是|想要?|希望|万一|除非|差点|别|等|的话|快要?|吗|要不要|[煮烤蒸炒熟冻]"
)
_OF_OTHERS = lazy_regex(
    r"\b(?:[Tt]he |[Aa]n)other (?:[\w-]+ )?[\w-]+['’]s\b|\b(?:his|her|their|its|your|you|they)\b|[你他她您]们?的"
)
_NEGATED = lazy_regex(
    r"\b(?:not|never|won['’]t|don['’]t|didn['’]t|can['’]t) (?:\w+ )?(?:give|quit|stop|drop|sell|leave|move)",
    re.IGNORECASE,
)
_ONE_DAY = lazy_regex(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week|weekend)|yesterday|for now|early|for lunch)\b"
    rf"|今[天晚早]|昨[天晚]|{COMING}|这[周次两几]|本周|周末|下[周次个]|国庆|元旦|[暑寒]假|春节|五一|中秋"
)
"""Who does not run today runs."""
_LASTS = lazy_regex(
    r"\b(?:cancell?ed|postponed|called off|sold|fell through|shut down|quit|gave|moved out)\b"
    r"|消|期|迟|退|卖|职|租|倒闭|搬"
)
_SOMEBODY = lazy_regex(
    expanded_form(r"(?<=\b[Mm]y )(?:{kin}|mate|neighbou?r|flatmate)|(?<=\b[Aa] )(?:{kin}|mate|neighbou?r)|", ENGLISH)
    + expanded_form("(?<=我)(?:的|家)?(?:{kin})|(?:朋友|同事|邻居|同学|孩子)", CHINESE)
)
_NAMED = lazy_regex(r",? [A-Z]|[小老阿]")
_THEM = lazy_regex("[他她]们|人家|客户|甲方")
_FAMILY = lazy_regex(rf"\b(?:{people(zh=False, kept=True)})s?\b|{people(zh=True, kept=True)}")
"""Who is called so wherever they go."""
_OURS = lazy_regex(r"\b(?:I|[Ww]e|me)\b|我")
_BESIDE = lazy_regex(r"\b(?:for|at|to|during|after|before) (?:the|my|our)\b")
"""What is done to the chairs for the meeting is not done to the meeting."""
_EMPTY = frozenset(
    query_terms(
        "work day week month year night morning time thing stuff lot people life one plan trip part way live love like "
        "user house flat place apartment back again today man woman guy bit good account lesson class learn play take"
    )
)
"""What names nothing by itself."""
_CLAUSES = lazy_regex(r"[，,。；;！!]")
_SHORT = 10
"""Characters of a Chinese clause that goes on with what the one before it names: 游泳太远，我给她停了. By hand."""


def doubts(sentence: str) -> Iterator[str]:
    """Yield the clauses that hold a word of an end, whatever of: what that is, the memories tell that it may mean."""
    if _OF_OTHERS.search(sentence) or _UNREAL.search(sentence):
        return
    before = ""
    for clause in _CLAUSES.split(sentence):
        if _ENDS.search(clause) and not _NEGATED.search(clause):
            goes_on = before and len(clause) <= _SHORT and has_han(clause)
            yield f"{before}，{clause}" if goes_on else clause
        before = clause


def somebody_in(sentence: str) -> str:
    """Return whom of others a sentence names by what they are to the speaker, if anybody: 我爸, my neighbour."""
    clause = _CLAUSES.split(sentence, maxsplit=1)[0]
    found = _SOMEBODY.search(clause) or _THEM.search(clause)
    return "" if found is None else found[0]


def is_doubted(clause: str, *, subject: str, attribute: str, value: str) -> bool:
    """Tell whether a clause holds what ends a thing of the sort of a memory, and names that thing."""
    sorts = [_SORT_OF[attribute]] if attribute in _SORT_OF else ["who", "does"]
    if not any(_ENDINGS[sort].search(clause) for sort in sorts) or ("who" in sorts and _FAMILY.search(subject)):
        return False
    if sorts[0] in {"home", "work", "health"} and subject not in {"The user", "用户"} and _OURS.search(clause):
        return False  # who left Toronto is not the brother who lives there
    if _ONE_DAY.search(clause) and not _LASTS.search(clause):
        return False
    somebody = _SOMEBODY.search(clause)
    if somebody is not None and somebody[0].lower() not in f"{subject} {value}".lower():
        return False  # my friend's marathon is not mine
    name = person_and_name(subject)[1]
    if somebody is not None and name and name not in clause and _NAMED.match(clause, somebody.end()):
        return False  # my daughter Mia is not my daughter Zoe
    if has_han(clause):
        # 小军把婚礼改到九月了 may mean when he marries; 王磊搬到楼上了 says nothing of his home.
        is_theirs = sorts == ["when"] and has_han(name) and name in clause and f"{name}的" not in clause
        return is_theirs or _names_chinese(clause, value)
    return _names(clause, subject, value)


def _names_chinese(clause: str, value: str) -> bool:
    """Tell whether a Chinese clause names a thing, and nothing of it: 天通苑的菜市场 is no home there."""
    words = [one.text for one in tagged(value) if len(one.text) > 1 and one.tag[:1] not in "pumdrct"]
    named = [part for one in words for part in {one, one[:2], one[-2:]} if part in clause]  # 打篮球 is 篮球
    return bool(named) and not any(re.search(f"{one}的(?!房|家|工作|班|课|事|活|计划)", clause) for one in named)


def _names(clause: str, subject: str, value: str) -> bool:
    """Tell whether an English clause names a thing by its value, a name as it is written, or by what it is."""
    names = re.findall(r"\b[A-Z]\w+", value)
    value = " ".join(one for one in value.split() if one not in names or one in clause)  # a kiwi is not Kiwi
    said, words = set(query_terms(clause)), set(query_terms(value)) - _EMPTY
    thing = set(query_terms(subject.partition("'s ")[2] or subject.removeprefix("the "))) - _EMPTY
    return bool(words & said) or (bool(thing & said) and not _BESIDE.search(clause))
