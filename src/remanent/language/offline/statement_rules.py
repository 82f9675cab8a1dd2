"""The rules by which statements are found: tables of clause forms, how they are read, and what a match becomes.

`statements_english.py` and `statements_chinese.py` hold the tables, one row for each way of saying something ("I live
in …", 我住在…); here is what they have in common: how a row becomes a pattern, where in a sentence it is tried, and
what a statement is. Whoever adds a form writes a line.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Literal, cast

from remanent.lightweight import dataclass
from remanent.model.entry import chat_role
from remanent.text.regex import lazy_regex
from remanent.text.words import COMMON_ENGLISH, parts_of, word_tables

StatementKind = Literal["fact", "preference", "decision", "follow_up", "mood", "event", "instruction", "procedure"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One thing that somebody said holds, with the place of the words in the text."""

    kind: StatementKind
    subject: str
    """Whom or what it is about, in the third person."""
    attribute: str
    value: str
    content: str
    start: int
    end: int
    single: bool = False
    """Whether the attribute has one value at a time, so that another one replaces it."""
    adds: bool = False
    """Whether it was said to hold beside what else does: "I also work at a gym" ends no other job."""
    confirmed: bool = False
    """Whether it was said that it is to be remembered."""
    because: str = ""
    """What it was said to follow from, in the same breath."""
    steps: tuple[str, ...] = ()


@dataclass(frozen=True)
class StatementRule:
    """A form of clause: `v` is its value; `s`, where it has one, is about whom; `a`, where it has one, of what."""

    kind: StatementKind
    attribute: str
    source: str
    parts: Mapping[str, str]
    """What stands for each `{name}` in the source; a part may be made of others."""
    single: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The form, compiled when it is first looked for: a command that learns nothing pays for none of them."""
        form = expanded_form(self.source, self.parts)
        # A form may say in several places where its value or its subject stands: `group` looks at all of them, and
        # what is said again there (`(?P=r)`) is what was said last.
        numbered = 0

        def number(found: re.Match[str]) -> str:
            nonlocal numbered
            numbered += not found["again"]
            return f"{found[0]}_{numbered}"

        return re.compile(_GROUP.sub(number, form))


_ROW = re.compile(r"^(?P<kind>\w+) (?P<attribute>[^=\n]*?)(?P<single>!?) ?= (?P<form>.+(?:\n +.+)*)$", re.MULTILINE)
_PART = re.compile(r"\{([a-z_]+)\}")
_GROUP = re.compile(r"\(\?P(?P<again>=?)<?[a-z]+(?=[>)])")


def expanded_form(form: str, parts: Mapping[str, str]) -> str:
    """Return a form with what stands for each `{name}` in it."""
    while _PART.search(form):
        form = _PART.sub(lambda found: parts[found[1]], form)
    return form


def pairs_of(words: str) -> dict[str, str]:
    """Return what stands for each word, of pairs such as `am:is`."""
    return {word: other for word, _, other in (pair.partition(":") for pair in words.split())}


def rules_of(table: str, parts: Mapping[str, str]) -> tuple[StatementRule, ...]:
    """Read a table of forms: `kind attribute = form`, further lines of it indented.

    `!` stands behind an attribute that has one value at a time; one without a name is named by the form's `a`.
    """
    return tuple(
        StatementRule(
            cast(StatementKind, row["kind"]),
            row["attribute"],
            re.sub(r"\n +", "", row["form"]),
            parts,
            bool(row["single"]),
        )
        for row in _ROW.finditer(table)
    )


MakeStatement = Callable[[StatementRule, re.Match[str], int, int], Statement | None]
"""Makes a statement of a match and where its clause stands, or refuses it."""


def apply(
    rules: Iterable[StatementRule], sentence: str, *, starts: Sequence[int], make: MakeStatement
) -> Iterator[Statement]:
    """Yield what the first fitting rule says of each stretch of a sentence; none takes words of another.

    A rule is tried only where a clause may begin: looking for all of them everywhere takes several times as long.

    The order of the rules decides, so that special forms stand before general ones.
    """
    taken: list[tuple[int, int]] = []
    found: list[Statement] = []
    for rule in rules:
        for place in starts:
            match = rule.pattern.match(sentence, place)
            if match is None:
                continue
            start, end = match.span()
            if any(start < other_end and other_start < end for other_start, other_end in taken):
                continue
            one = make(rule, match, start, end)
            if one is not None:
                taken.append((start, end))
                found.append(one)
    yield from sorted(found, key=lambda one: one.start)


def carried_on(
    told: Iterable[Statement],
    sentence: str,
    *,
    joint: re.Pattern[str],
    subject: Callable[[Statement, str], str],
    rules: Iterable[StatementRule],
    make: MakeStatement,
) -> Iterator[Statement]:
    """Yield what is told, and what the same breath goes on to say of the same person without naming them again.

    `subject` gives the words that would name them before what follows, none where that may be about somebody else;
    `joint` is what stands between two clauses when the second one begins with what is said.

    "The user works at Fidelity and live in Boston" was kept as the employer while the second clause was taken for a
    part of the first.
    """
    found = list(told)
    taken = {one.start for one in found}
    for one in found:  # which grows: I live in Leeds and work at the hospital and have two cats
        then = joint.match(sentence, one.end)
        words = "" if then is None else subject(one, sentence[then.end() :])
        if not words or then is None or any(one.end <= start <= then.end() for start in taken):
            continue
        place = then.end()
        for more in apply(rules, words + sentence[place:], starts=(0,), make=make):
            taken.add(place)
            more = beside(more, then[0])  # noqa: PLW2901
            found.append(replace(more, start=place, end=place + more.end - len(words)))
    yield from sorted(found, key=lambda one: one.start)


_ADDS = lazy_regex(
    r"\b(?:also|as well|besides|on the side|in addition|part[- ]time|(?:second|other|side) job|(?:on|at) (?:the "
    r")?weekends)\b|\btoo\b(?=\W*$)|也(?!许)|还(?![是没不有])|另外|此外|同时|兼[职任]|副业|周末|业余",
    re.IGNORECASE,
)


def beside(one: Statement, said: str) -> Statement:
    """Return a statement as one that adds to what is so, where the words for that are among those it was said in."""
    return replace(one, single=False, adds=True) if _ADDS.search(said) else one


def subject_name(speaker: str, *, zh: bool) -> str:
    """Return what somebody is called in the third person: the name, or "the user"."""
    if chat_role(speaker) == "user" or speaker.casefold() in {"me", "i"}:
        return "用户" if zh else "The user"
    return speaker


def first_of_row(table: str) -> dict[str, str]:
    """Return for each word of a table the first of its row; rows are parted by semicolons."""
    return {word: words[0] for words in map(str.split, table.split(";")) for word in words}


_ATTRIBUTES, _MATTERS, _PEOPLE = word_tables("attributes_and_people").values()
_SAME = first_of_row(_ATTRIBUTES)
"""The names of each attribute that has several, its own first. A memory takes the place of another of the same
attribute, so that 住址 and "address" must be one: else a move would leave both addresses standing."""


def canonical(attribute: str) -> str:
    """Return the one name of an attribute that has several, in either language."""
    return _SAME.get(attribute.replace(" ", "_"), attribute)


_SAME_PERSON = first_of_row(re.sub("[/,]", ";", _PEOPLE.replace("=", "")))


_TOO_GENERAL = frozenset("number time date place name company position job 时间 日期 地点 位置 单位 号 病 车".split())
"""What names much else than something of somebody's own."""


@cache
def _other_names() -> dict[str, list[str]]:
    """Return by each name what the other language calls the same."""
    found: dict[str, list[str]] = {}
    for row in re.sub("[=,/]", " ", f"{_ATTRIBUTES};{_MATTERS};{_PEOPLE}").split(";"):
        names = [name.replace("_", " ") for name in row.split()]
        for one in names:
            others = [name for name in names if name.isascii() is not one.isascii() and name not in _TOO_GENERAL]
            found.setdefault(one, []).extend(others)
    return found


def other_names(thing: str) -> tuple[str, ...]:
    """Return what the other language calls something of somebody's: 姐姐 and 妹妹 of a sister, "salary" of 工资."""
    return tuple(_other_names().get(thing.lower(), ()))


def people(*, zh: bool, kept: bool = False) -> str:
    """Return a form of the words for those whom somebody has; of those only who is called so wherever they go."""
    rows = [row.strip() for row in _PEOPLE.split(";")]
    words = {word for row in rows if row.startswith("=") or not kept for word in re.split(r"[=/,\s]+", row) if word}
    chosen = sorted((word for word in words if word.isascii() is not zh), key=lambda word: (-len(word), word))
    return "|".join(chosen).replace("_", " ")


_ONLY_ONE = (
    *("'s mom", "'s dad", "'s parents", "'s partner", "'s boyfriend", "'s girlfriend", "'s boss", "'s manager"),
    *("的妈妈", "的爸爸", "的父母", "的爱人", "的男朋友", "的女朋友"),
)


@cache
def _of_whom() -> re.Pattern[str]:
    return re.compile(
        r"(?P<whose>.*'s )(?P<age>(?:older|younger|little|big|oldest|youngest) )?(?P<who>[^\W\d_A-Z][\w-]*"
        r"(?: [^\W\d_A-Z][\w-]*)*)(?: (?:(?:Mr|Mrs|Ms|Dr|Prof)\.? )?(?P<name>[A-Z\u4e00-\u9fff][\w'’-]*).*)?"
        rf"|(?P<whose_zh>.*的)(?:(?P<who_zh>{people(zh=True)})(?P<name_zh>[^的]*)|(?P<other_zh>[^的]+))"
    )


def person_and_name(subject: str) -> tuple[str, str]:
    """Return whom a statement is about by what they are to somebody, under one word of several, and their first name.

    "The user's older sister Eva Marie" is the sister Eva: two sisters of different names are two people.
    """
    found = _of_whom().fullmatch(subject)
    if found is None:
        return subject, ""
    whose, who = found["whose"] or found["whose_zh"], found["who"] or found["who_zh"] or found["other_zh"]
    who = _SAME_PERSON.get(who, who)
    name = found["name"] or found["name_zh"] or ""
    return f"{whose}{'' if name else found['age'] or ''}{who}", name


def is_kin(name: str) -> bool:
    """Tell whether a word is for somebody whom people have: a sister, a boss, a dog."""
    return name.lower() in _SAME_PERSON


def person(subject: str) -> str:
    """Return the one name of whom a statement is about, where they are called by several: "The user's mother"."""
    whom, name = person_and_name(subject)
    return f"{whom} {name}" if name else whom


def is_only_one(whom: str) -> bool:
    """Tell whether there is one of somebody at a time: whose mother is told of with a name has no other without."""
    return whom.endswith(_ONLY_ONE)


def words_for(whom: str) -> tuple[str, ...]:
    """Return what somebody may be called by what they are to another: "dog" and "puppy"; nothing for a thing."""
    who = whom.partition("'s ")[2].split(" ")[-1] if "'s " in whom else whom.rpartition("的")[2]
    return tuple(word for word, first in _SAME_PERSON.items() if first == _SAME_PERSON.get(who))


def group(match: re.Match[str], name: str) -> str:
    """Return what the part of a match with a name holds, empty where there is none."""
    found = (match[key] for key in match.re.groupindex if key.partition("_")[0] == name)
    return next((text.strip() for text in found if text), "")


# ── what stands where a town, an employer or a name would stand, and is none: 我和老公住在一起, "I work at night" ──
# What there is one of at a time is replaced by the next value told. So what says only with whom, near what, when or how
# must not be taken for one: it had erased the town and the employer of whoever said it. What describes a thing names no
# other one either ("My phone is dead").

_PARTS = parts_of(r"""
kin = 爸爸?|妈妈?|爸妈|父母|爷爷|奶奶|外[公婆]|姥[姥爷]|哥哥?|姐姐?|弟弟?|妹妹?|叔叔?|姑姑?|舅舅?|姨妈?|
    阿姨|老[公婆]|丈夫|妻子|公婆|岳父母?|丈母娘|[男女]朋?友|对象|儿子|女儿|孩子|朋友|闺蜜|同[事学]|[室舍]友|客户|老板|房东
whose = 离|靠近|和|跟|我们?|自己|别人|人家|亲戚|家人|同[一个家]*|[这那一][个家间套栋]?|原来|现在|
    以前|(?:很|挺|比较|特别|非常)?[远近吵静小大旧新老破]|{kin}|单位|公司|学校|大学|地铁站?|车站|公园|超市|市场|的|个|间
somewhere = (?:{whose}){0,6}(?:一起|一块儿?|家里?|家中|楼[上下]|附近|周边|旁边|边上|隔壁|对面|外[面边头地]|里[面边]|
    国[内外]|[这那][里边儿]|(?:学生|员工)?宿舍|酒店|宾馆|民宿|医院|学校|校[内外]|公司|单位|市[里区中]心?|郊[区外]|乡下|农村|
    城里|村里|镇上|[老新]家|(?:房子|小区|公寓|出租屋|地方)里?|[\d一二三四五六七八九十]+号?[楼层栋幢室])住?
sometime = [早晚]上|白天|夜[里间晚]|凌晨|[上中下]午|周末|[节假]+[日期]|工作日|[寒暑]假|[春夏秋冬]天|
    [今昨明]天|[今去明]年
how = 努力|认真|安心|专心|专注|好好|拼命|埋头|远程|居家|线上|[兼全]职|[倒轮夜白]班
desk = 办公室|工位|.{0,3}前|.{0,2}[床车机铁路脑]上
joined = .*(?:群聊?|会员|健身房|俱乐部|社团|[队团组班课]|项目|活动|会议|购物车|计划)
called = [了醒].*|(?:停|外卖|快递|出租车|网约车|救护车|车|滴滴|代驾|服务员|保[安洁]|警察|苦|屈|好|冤)[了来]?
span = (?:(?:many|long|several|a few|a couple of|\d+|two|three|four|five|six|eight|ten) )?
    (?:hours|days|weeks|months|years)
wages = (?:home|nights?|noon|midnight|work|weekends|times|fun|money|free|pay|food|myself|ourselves|a living|life|
    (?:the|my|our) (?:office|desk|moment|weekend|same .+)|(?:full|top|high|low|my own) .+|{span}.*|
    \d[\d:.]*(?: ?[ap]m)?)
    (?: sometimes| often| a lot| too| again)?
at = (?:on|in|at|out of|from|under|near|about|with) [a-z].*
plain = dead|dirty|clean|hard|easy|slow|fast|long|short|fun|tight|close|soon|over|up|here|there|nice|mean|cold|hot|warm|
    loud|quiet|small|big|huge|tiny|old|new|broken|fine|good|great|bad|awful|ok|okay|boring|tiring|exhausting|hiring|growing|
    closed|open|full|busy|secret|private|different|important|expensive|cheap|safe|gone|lost|missing|ringing|charging|
    done|far|late|early|[a-z]+(?:ful|ous|ible|able|ish|less|ive)
like = (?:(?:very|so|too|really|pretty|quite|a bit|always|almost|nearly|still|not|no) )*(?:{plain})
    (?: (?:today|now|again|lately|enough|to \w+|for me|this \w+))*
""")
_NONE = {
    attribute: lazy_regex(expanded_form(form, _PARTS))
    for attributes, form in (
        ("住址", "{somewhere}|.*(?:酒店|宾馆|民宿|医院)|.{0,3}[排组座位]|[院校]|[得过了不满下].*"),
        ("工作单位", "{somewhere}|{sometime}|{how}|{desk}|{joined}"),
        ("姓名", "{called}"),
        ("家乡", "本地|当地|外[地国]|城[里市]|农村|乡下|[南北]方|己.*"),
        ("出生地 成长地", "{somewhere}|{sometime}|.*家庭"),
        ("employer", "{wages}|{like}"),
        ("name nickname phone number email car laptop", "{at}|{like}"),
        ("address job birthday major school university company office", "{like}"),
        ("hobby budget deadline diet commute weight height wedding anniversary", "{like}"),
        ("field", "shifts|silence|private|secret|pairs|teams"),
    )
    for attribute in attributes.split()
}


_OLDEST = 120
"""Years: who says to be older jests."""


def is_no_value(attribute: str, value: str) -> bool:
    """Tell whether words can be no value of an attribute that has one at a time, although they stand in its place."""
    if attribute in {"residence", "home", "birthplace"}:
        return value in COMMON_ENGLISH  # "I live in fear", "we're based in reality": towns are rarer words
    if attribute in {"age", "年龄"} and (years := re.match(r"\d+", value)):
        return int(years[0]) > _OLDEST
    none = _NONE.get(attribute)
    return none is not None and none.fullmatch(value) is not None
