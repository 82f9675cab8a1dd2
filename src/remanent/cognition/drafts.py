"""From a statement to a memory: its kind, its key, and what becomes of one that is there already. Pure functions.

A memory's id follows from what it is about (whose, subject, attribute), so that the same thing said again is found
without a search, and a new value is a new version of the same record.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal

from remanent.cognition.forgetting import THE_USERS, Wanted
from remanent.cognition.model import INSTRUCTION, SHORT_TERM, InstructionData, memory_id
from remanent.cognition.settings import CognitionSettings
from remanent.language.offline.changes import ROWS, SINGLE, Change, bears_on
from remanent.language.offline.doubts import is_doubted
from remanent.language.offline.statement_rules import (
    expanded_form,
    is_only_one,
    other_names,
    person,
    person_and_name,
    words_for,
)
from remanent.language.offline.statements import Statement, canonical, is_secret
from remanent.language.offline.statements_chinese import PARTS as CHINESE
from remanent.language.offline.statements_english import PARTS as ENGLISH
from remanent.lightweight import dataclass
from remanent.model import (
    Entry,
    EpisodicData,
    Kind,
    Maker,
    MemoryData,
    Origin,
    ProceduralData,
    Record,
    SemanticData,
    ShortTermData,
    Source,
    Status,
)
from remanent.model.filters import user_in
from remanent.text.calendar import ANY_MONTH, ANY_WEEKDAY
from remanent.text.dates import find_dates, with_dates
from remanent.text.dates_chinese import COMING
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, alphanumeric
from remanent.text.terms import query_terms
from remanent.text.words import parts_of

_KINDS: dict[str, Kind] = {
    "fact": Kind.SEMANTIC,
    "preference": Kind.PREFERENCE,
    "decision": Kind.DECISION,
    "follow_up": Kind.FOLLOW_UP,
    "mood": Kind.MOOD,
    "event": Kind.EPISODIC,
    "instruction": INSTRUCTION,
    "procedure": Kind.PROCEDURAL,
}
# How important a memory is by itself, chosen by hand: what binds the agent before what only describes.
_IMPORTANCE: dict[Kind, float] = {
    INSTRUCTION: 0.9,
    Kind.PROCEDURAL: 0.8,
    Kind.DECISION: 0.7,
    Kind.SEMANTIC: 0.6,
    Kind.PREFERENCE: 0.6,
    Kind.FOLLOW_UP: 0.6,
    Kind.EPISODIC: 0.4,
    Kind.MOOD: 0.3,
}
# How sure a memory is by who said it; chosen by hand. A name as role may be anybody's.
_CONFIDENCE = {Origin.USER: 0.9, Origin.UNTRUSTED: 0.75, Origin.IMPORT: 0.75, Origin.AGENT: 0.6}
CONFIRMED = 0.98
"""How sure a memory is that its user confirmed or wrote down."""
_EVIDENCE = 0.4
"""The share of doubt that is left when something is said again; chosen by hand."""
_SURE = 0.99
"""As sure as repetition makes: what is said often is still not proven."""
_TRUSTED = list(Origin)
BY_PATTERNS = Maker(role="extraction", engine="offline", version="3")
_MAX_SOURCES = 20
"""Sources that a memory names; the newest, where it was said more often."""
_HAN = re.compile(f"[{HAN}]")
_PROJECT = re.compile(r"^(?:the|our) |项目|系统|团队|公司|产品|后端|前端|服务|网站|应用|会$|盛典|论坛|峰会")


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement with the entry that it was made in."""

    statement: Statement
    entry: Entry
    retracts: Literal["", "ends", "forgets"] = ""
    """Whether it takes back what it states: as something that is over, or that is to be forgotten."""
    made_by: Maker = BY_PATTERNS
    change: Change | None = None
    """What it says has changed, where it states nothing by itself."""
    wanted: Wanted | None = None
    """What it orders to be forgotten, where it says that in words."""

    right: str = ""
    """What holds instead of what it takes back, where it puts that right."""

    @property
    def user(self) -> str:
        """Whose it is; empty for the agent's only user."""
        return user_in(self.entry.metadata)

    @property
    def record_id(self) -> str:
        """The id that follows from what it is about."""
        return memory_id(self.user, *slot(self.statement))

    @property
    def names(self) -> tuple[str, ...]:
        """What it is that is taken back; what is to be forgotten is that in either language."""
        one = self.statement.attribute
        if self.retracts != "forgets" or self.statement.value:
            return (one,)
        # Whoever tells where they work tells of their job.
        work = ("employer", "workplace") if canonical(one) in {"job", "work", "employer"} else ()
        return (one, *other_names(one), *work)

    @property
    def of_one_value(self) -> tuple[str, ...]:
        """The ids of the memories of one value at a time that a change in a life bears on, or an order to forget."""
        if self.retracts == "forgets":
            whose = ("The user", "用户", self.statement.subject)
            return tuple(memory_id(self.user, one, canonical(name)) for one in whose for name in self.names if name)
        if self.change is None or not self.change.life:
            return ()
        row = ROWS[self.change.life]
        return tuple(memory_id(self.user, self.change.subject, name) for name in SINGLE if name in row.attributes)

    @property
    def may_end(self) -> bool:
        """Whether it is only likely that what it bears on is over."""
        one = self.change
        return one is not None and (one.doubt or one.meant or (bool(one.life) and not ROWS[one.life].ends))


def slot(one: Statement) -> tuple[str, ...]:
    """Return what a statement is about: the same for every value of an attribute that has one at a time."""
    subject, attribute = person(one.subject), canonical(one.attribute)
    if one.kind == "preference":
        return subject, "attitude", one.value or one.content
    if one.kind == "procedure":
        return subject, "procedure", attribute
    if one.single:
        return subject, attribute
    return subject, attribute, one.value or one.content


def _same_subject(one: str, other: str) -> bool:
    """Tell whether two subjects may be one: the sister is the sister Eva, who is not the sister Ida."""
    (whom, name), (whom_too, name_too) = person_and_name(one), person_and_name(other)
    same = not name or not name_too or alphanumeric(name) == alphanumeric(name_too)
    return same and alphanumeric(whom) == alphanumeric(whom_too)


_NAMED_IN = re.compile(rf"\b[A-Z]\w+|(?:^|叫|[、和])(?P<zh>[{HAN}]{{2,4}}?)(?=$|[、和])")


def instead(draft: Draft) -> Draft:
    """Return a statement as it were if it did not only add to what is so: "I also work at a gym"."""
    return replace(draft, statement=replace(draft.statement, single=True, adds=False))


def is_of_change(draft: Draft) -> bool:
    """Tell whether what is told in addition is a change: "We've also moved to Lyon" may end that they live in Ghent."""
    return _TURNED.search(draft.statement.content) is not None


_TURNED = re.compile(
    r"\b(?:moved|relocated|turned|became|switched|changed|promoted|started|joined|now|new)\b|[搬换改变]|跳槽|入职|成了|现在"
)


_ONE_OF_MANY = lazy_regex(rf"(?:'s (?:.* )?)(?:{ENGLISH['several']})$|的[^的]*(?:{CHINESE['several']})[^的]*$")


def may_be_unnamed(one: Statement) -> bool:
    """Tell whether a statement is of somebody who may be known by a name: any colleague may be another one."""
    whom = person_and_name(one.subject)[0]
    return canonical(one.attribute) != "name" and bool(words_for(whom)) and not _ONE_OF_MANY.search(whom)


def _as_of(draft: Draft, name: str) -> Draft:
    """Return a statement of somebody as it is under a name, or under none."""
    whom, _ = person_and_name(draft.statement.subject)
    subject = f"{whom}{'' if _HAN.search(whom) else ' '}{name}" if name else whom
    return replace(draft, statement=replace(draft.statement, subject=subject))


def _told_by_name(draft: Draft, name: str) -> Draft:
    """Return a statement with a name in its words: those whose place it takes have it, too."""
    one, named = draft.statement, _as_of(draft, name)
    if one.content.startswith(one.subject):
        called = named.statement.subject.removeprefix(person_and_name(one.subject)[0])
        content = f"{one.subject}{called}{one.content.removeprefix(one.subject)}"
        return replace(named, statement=replace(named.statement, content=content))
    return named


def of_the_unnamed(draft: Draft, known: Iterable[Record]) -> tuple[Draft, list[Record]]:
    """Return a statement under the name of whom it is about, as far as that is known, and what it lets doubt.

    "My sister moved to Lyon" is news of the sister Eva where no other is known. Of two it is that of whom the same is
    known already; else it is not said whose it is, and either may have moved. Where a name is told only now, it is
    likely that of the sister of whom was told before, but she may as well be another.
    """
    one = draft.statement
    whom, name = person_and_name(one.subject)
    told = [record for record in known if record.memory.user == draft.user]
    names, slots = names_told(told, whom), {record.id: record for record in told}
    unnamed = slots.get(_as_of(draft, "").record_id)

    def says_it(record: Record | None) -> bool:
        return record is not None and says_the_same(record, value_of(one))

    if name:
        if unnamed is None or says_it(unnamed) or names - {name}:
            return draft, []
        told_apart = any(person_and_name(record.memory.subject) == (whom, name) for record in told)
        if is_only_one(whom) or (names and not told_apart):
            return _as_of(draft, ""), []  # "My sister is called Eva" names whom was told of all along
        return draft, [unnamed] if one.single else []
    if unnamed is not None or not names:
        return draft, []
    had = {called: slots.get(_as_of(draft, called).record_id) for called in sorted(names)}
    same = [called for called, record in had.items() if says_it(record)]
    if len(same) == 1 or len(names) == 1:
        called = (same or [*had])[0]
        before = had[called]
        return (_told_by_name if before and called in before.content else _as_of)(draft, called), []
    return draft, [record for record in had.values() if record is not None and one.single]


def is_of_several(draft: Draft, known: Iterable[Record]) -> bool:
    """Tell whether memories of several people are meant by what is told of one who is not named."""
    whom, name = person_and_name(draft.statement.subject)
    told = {person(one.memory.subject) for one in known}
    return bool(words_for(whom)) and not name and len({one for one in told if person_and_name(one)[0] == whom}) > 1


def names_told(known: Iterable[Record], whom: str) -> set[str]:
    """Return the names that are known of those who are something to somebody: of "The user's sister" Eva and Ida."""
    owner = whom.partition("'s ")[0] if "'s " in whom else whom.rpartition("的")[0]
    words, found = words_for(whom), set[str]()
    for one in known:
        data = one.memory
        of, name = person_and_name(data.subject)
        is_theirs = of == whom or (of == f"{whom}s" and data.attribute == "name")
        if is_theirs and name:
            found.add(name)
        elif (is_theirs and data.attribute == "name") or (
            data.subject == owner and data.attribute == "family" and any(word in data.value for word in words)
        ):
            found |= {named["zh"] or named[0] for named in _NAMED_IN.finditer(data.value)}
    return found


def value_of(one: Statement) -> str:
    """Return what is compared with what is known: of a preference whether it is liked, else the value."""
    if one.kind == "preference":
        return "dislikes" if canonical(one.attribute) in {"dislikes", "不喜欢"} else "likes"
    return one.value or one.content


def allowed(one: Statement, settings: CognitionSettings) -> bool:
    """Tell whether a statement may become a memory: no secret, and within the topics that the settings allow."""
    words = f"{one.content} {one.value}".casefold()
    if is_secret(words) or any(topic in words for topic in _topics(settings.exclude)):
        return False
    wanted = _topics(settings.include)
    return not wanted or any(topic in words for topic in wanted)


def _topics(listed: str) -> list[str]:
    return [topic for part in re.split("[,，]", listed.casefold()) if (topic := part.strip())]


def lifetime(kind: Kind, settings: CognitionSettings) -> timedelta | None:
    """Return how long a memory of a kind lives; `None` for ever."""
    days = {
        Kind.PREFERENCE: settings.preference_days,
        Kind.DECISION: settings.decision_days,
        Kind.FOLLOW_UP: settings.follow_up_days,
        Kind.MOOD: settings.mood_days,
    }.get(kind)
    return None if days is None else timedelta(days=days)


def record_of(draft: Draft, settings: CognitionSettings, *, now: datetime) -> Record:
    """Return the memory that a statement makes where none is known yet."""
    one, entry = draft.statement, draft.entry
    kind = _KINDS[one.kind]
    if one.confirmed and kind in SHORT_TERM:
        kind = Kind.SEMANTIC
    life = lifetime(kind, settings)
    content = one.content
    # Who reads "yesterday" or "next Thursday" later would take it for another day.
    is_dated = kind is Kind.SEMANTIC and canonical(one.attribute) in _SORTS["dated"] and _RELATIVE_DAY.search(one.value)
    if kind is Kind.EPISODIC or kind in SHORT_TERM or is_dated:
        content = with_dates(content, entry.occurred_at, is_dated=False)
    return Record(
        id=draft.record_id,
        scope=entry.scope if kind is Kind.EPISODIC else entry.scope.owner,
        kind=kind,
        content=content,
        confidence=CONFIRMED if one.confirmed else _CONFIDENCE.get(entry.origin, 0.5),
        importance=min(1.0, _IMPORTANCE[kind] + 0.2 * one.confirmed),
        created_at=now,
        updated_at=now,
        occurred_at=_happened(draft) if kind is Kind.EPISODIC else entry.told_at,
        expires_at=None if life is None else _expiry(draft, kind, life),
        sources=(Source(entry_id=entry.id, start=one.start, end=one.end),),
        tags=entry.tags,
        trust=entry.origin,
        made_by=draft.made_by,
        data=_data(draft, kind, now=now),
    )


def _data(draft: Draft, kind: Kind, *, now: datetime) -> MemoryData:
    """Return the typed data of a memory by the tier that it belongs to."""
    one = draft.statement
    common: dict[str, Any] = {
        "user": draft.user,
        "subject": one.subject,
        "attribute": canonical(one.attribute),
        "value": value_of(one),
        "quoted": True,
    }
    if kind is Kind.SEMANTIC:
        at = draft.entry.told_at
        return SemanticData(**common, category=_category(one), first_observed=at, last_confirmed=at)
    if kind is Kind.EPISODIC:
        return EpisodicData(**common, participants=(draft.user or one.subject,))
    if kind is Kind.PROCEDURAL:
        return ProceduralData(**common, name=one.attribute, trigger=one.attribute, steps=one.steps)
    if kind is INSTRUCTION:
        return InstructionData(**common)
    return ShortTermData(**common, reason=one.because, confirmed=one.confirmed)


def _category(one: Statement) -> str:
    """Return what a fact is about, in the design's words."""
    if one.kind == "preference":
        return "user_preference"
    if one.kind in {"decision", "follow_up"} or _PROJECT.search(one.subject):
        return "project"
    return "profile"


def _happened(draft: Draft) -> datetime:
    """Return when an event was, by its own words; else when it was told."""
    said = draft.entry.occurred_at
    mentions = find_dates(draft.statement.content, reference=said)
    return next((mention.begin for mention in mentions if mention.begin <= said), said)


def _expiry(draft: Draft, kind: Kind, life: timedelta) -> datetime:
    """Return when a short-term memory ends: a plan not before the day that it names is over.

    A mood is of the day on which it was told, also where old talk is taken in; what else is short-lived counts from
    when it was noted, since a preference of last year that is heard of today is news.
    """
    entry = draft.entry
    end = (entry.told_at if kind is Kind.MOOD else entry.recorded_at) + life
    if kind is not Kind.FOLLOW_UP:
        return end
    days = find_dates(draft.statement.content, reference=draft.entry.occurred_at)
    return max([end, *(mention.finish for mention in days)])


# ── what is known already ────────────────────────────────────────────────────


def says_the_same(known: Record, value: str) -> bool:
    """Tell whether a value is the one that is known, perhaps told more or less fully."""
    had = alphanumeric(known.memory.value)
    new = alphanumeric(value)
    if had == new or had.isdigit() or new.isdigit():
        return had == new
    return min(len(had), len(new)) > 2 and (had.startswith(new) or new.startswith(had))


_ARTICLE = re.compile(r"^(?:an?|the|some|any) |^[一两二三四五\d]+[只个条位匹]")


_ATTRIBUTES = parts_of("""
who = name family has 家庭 身份
work = employer workplace
habit = habit does 习惯
does = does 情况
done = {habit} doing 在做
had = owns has uses phone laptop car bike computer tablet camera watch 使用 拥有 开的 用的 手机 车
kept_up = {had} {done} family diet health 健康 情况 饮食 家庭
planned = plan doing decision task event 计划 在做 决定 待办 约定
allergy = allergy 过敏
dated = time deadline birthday
""")
_SORTS = {sort: frozenset(expanded_form(words, _ATTRIBUTES).split()) for sort, words in _ATTRIBUTES.items()}
"""The attributes of each sort, by the one name that each has. What somebody had they may have sold or swapped, what is
planned they mean to do or are at, and a habit holds until they say otherwise; where they live or were born is none."""


_PARTNER = re.compile(
    r"\b(?:wife|husband|spouse|partner|girlfriend|boyfriend|fianc[eé]e?)\b|老婆|老公|妻子?|丈夫|爱人|太太|先生|[男女]朋?友|对象|未婚夫",
    re.IGNORECASE,
)


def is_meant(known: Record, draft: Draft) -> bool:
    """Tell whether a memory is what a statement takes back: of the same user, matter and value as far as it names one.

    Without a value all that is known of something is meant: "forget my birthday", "forget about my dog".
    """
    data, one = known.data, draft.statement
    if not isinstance(data, MemoryData) or data.user != draft.user:
        return False
    if draft.change is not None:
        return _is_changed(known, data, draft.change)
    if not one.value:
        return _is_about(data, draft)
    if not _same_subject(data.subject, one.subject) or data.attribute != canonical(one.attribute):
        return False
    had = data.value if one.kind != "preference" else known.content
    denied, held = (_ARTICLE.sub("", text) for text in (one.value, had))
    if data.attribute in _SORTS["allergy"] and len(_several(held)) > 1:
        # None of several is over by a word within another.
        return alphanumeric(held) == alphanumeric(denied) or bool(_left_of(data, denied))
    # Who no longer plays the cello solo in one piece plays the cello; who left a firm in Ulm left the firm.
    is_all = one.kind != "preference" and data.attribute not in _SORTS["done"]
    return _holds(held, denied.removesuffix(" at all")) or (is_all and _holds(denied, held))


def _is_about(data: MemoryData, draft: Draft) -> bool:
    """Tell whether a memory is about what a statement names without a value."""
    one = draft.statement
    if draft.retracts == "ends":
        if data.attribute not in _SORTS["who"]:
            return False  # that somebody died ends who they are to the user, and not what they liked
        told = f"{data.subject} {data.value}"
        if person(one.subject).endswith(("'s partner", "的爱人")) and not _PARTNER.search(told):
            return False
    return any(_is_named(data, name, forgets=draft.retracts == "forgets") for name in draft.names)


def _is_named(data: MemoryData, name: str, *, forgets: bool) -> bool:
    """Tell whether a memory is of what has a name; 狗 is a part of many another word."""
    topic = canonical(name)
    if not topic or (forgets and _is_of_another(data, topic)):
        return False
    if len(name) == 1 and _HAN.match(name):
        return data.subject.endswith(name) or re.search(f"[只条匹]{name}", data.value) is not None
    return data.attribute == topic or any(_holds(text, topic) for text in (data.subject, data.value))


def _is_of_another(data: MemoryData, topic: str) -> bool:
    """Tell whether a memory is of the birthday of somebody else than the user: "my birthday" is not my mother's."""
    before = THE_USERS.sub("", data.subject).casefold().partition(topic)[0]
    return (
        "'s " in before
        or "’s " in before
        or "的" in before
        or (data.attribute == topic and bool(data.subject) and THE_USERS.fullmatch(data.subject) is None)
    )


_FAVOURITE = re.compile("favou?rite|最喜欢的|最爱的")
_CALLED = re.compile("(?:老师|先生|女士|小姐|医生|师傅|教练|总)$")
_AND = re.compile(r"\s*(?:以及|还有|[,，、和与及]|\b(?:and|or)\b)\s*")
_TAKES = frozenset(
    "drink eat use drive take play ride study learn read watch wear smoke buy order practice do go attend".split()
)
_AMOUNT = re.compile(
    r"\b(?:(?:\d+|one|two|three|four|five|six|a|an|my|some|a few|lots? of|a lot of|too much|too many) )*"
    r"(?:cups?|glass(?:es)?|bottles?|cans?|packs?|bowls?|bars?|pieces?|pots?|mugs?|shots?) of "
    r"|[一二两三四五六七八九十几半\d]+(?:杯|瓶|包|碗|支|根|罐|斤|公里|个|次|顿|小时|分钟)的?",
    re.IGNORECASE,
)
"""How much of it: who gave up coffee drinks no three cups of it either."""
_COUNTED = re.compile(
    r"\d|[一二三四五六七八九十百千万两]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|noon|midnight|"
    rf"{ANY_WEEKDAY}s?|{ANY_MONTH}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_DAYTIME = re.compile(
    r"\b(?:(?:in|at|on|every|each) (?:the )?(?:single )?)?(?:morning|afternoon|evening|night|noon|weekend|weekday)s?\b"
    r"|每[天周月]|(?:早|晚)[上起]?|[上中下]午|凌晨|傍晚|睡前|点半?|周末",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:from now on|now|nowadays|these days|instead of|rather than|instead|any ?more|no longer|by now)\b"
    r"|从今|从现在|以后都|现在|如今|改(?:到|成|为)|不再",
    re.IGNORECASE,
)
_OFTEN = frozenset(query_terms("every each single other on at in the a usually always day week"))
_RELATIVE_DAY = re.compile(
    r"\b(?:tomorrow|tonight|next (?:week|weekend|month|year|\w+day)|this (?:week|weekend|\w+day)|day after tomorrow)\b"
    rf"|{COMING}|[本这]个?(?:周|星期|礼拜)|明年|今[天早晚]",
    re.IGNORECASE,
)
_EVENTS = frozenset(query_terms("class lesson session practice course meeting appointment training"))
"""What "yoga" may be called more fully."""
_STOP = re.compile(r"[.!?。！？\n]")
_OLD_VALUE = re.compile(r"(?:,? (?:instead of|rather than) .*| (?:now|these days|nowadays))+$", re.IGNORECASE)


def _is_changed(known: Record, data: MemoryData, change: Change) -> bool:
    """Tell whether a memory is what a change is of: the same thing of the same person, or what it says was so."""
    if change.doubt:
        return _is_doubted(known, data, change)
    if change.safe:
        return _is_safe_now(known, data, change)
    if change.name:
        return data.attribute == change.thing and person_and_name(data.subject)[1] == change.name
    if change.thing:
        return _is_of_thing(data, change)
    if change.life:
        whose, of = data.subject.startswith(change.subject), data.subject
        said, content = change.content, known.content
        return whose and bears_on(change.life, change.value, said, of=of, attribute=data.attribute, content=content)
    if change.stated or not _same_subject(data.subject, change.subject):
        return False
    if change.done and data.attribute == "event":
        return False
    return _is_planned(known, data, change) if change.plan or change.done else _is_kept_up(data, change)


def _is_doubted(known: Record, data: MemoryData, change: Change) -> bool:
    """Tell whether a memory is of what is doubted: of what was, and of what somebody ordered, nothing is."""
    if data.pinned or known.kind in {Kind.EPISODIC, Kind.MOOD, Kind.PROCEDURAL, INSTRUCTION}:
        return False
    if change.subject not in {"The user", "用户"} and change.subject not in f"{data.subject} {known.content}":
        return False
    return is_doubted(change.was, subject=data.subject, attribute=data.attribute, value=data.value)


_HAS = re.compile(r"(?:drives?|rides?|owns?|has|have) |[开骑有养](?!始|心)", re.IGNORECASE)
"""How it is told of what somebody does that there is a thing of theirs: 开一辆大众帕萨特."""
_HAS_SEVERAL = re.compile(r"[开骑有养]了?[两二三四五六七八九十几\d]")
"""Of two one may be left."""


def _is_kept_up(data: MemoryData, change: Change) -> bool:
    """Tell whether a memory is of what somebody did, used or had until a change."""
    if change.value and _FAVOURITE.match(data.attribute):
        return alphanumeric(change.was) == alphanumeric(data.value)
    if change.work:
        return data.attribute in _SORTS["work"] and _holds(data.value, change.was)
    if _HAS_SEVERAL.match(data.value):
        return False
    has_it = change.sold and data.attribute in _SORTS["does"] and _HAS.match(data.value) is not None
    if not has_it and data.attribute not in _SORTS["had" if change.sold else "kept_up"]:
        return False
    if _HAN.search(change.was):
        does = alphanumeric(_AMOUNT.sub("", data.value))
        return alphanumeric(change.was.removesuffix("步")) in does or alphanumeric(change.was[1:]) == does
    was, had = query_terms(change.was), query_terms(_AMOUNT.sub("", data.value))
    if not was or not set(was) <= set(had[: len(was) + 2]):
        return data.attribute == canonical(change.was.casefold())
    # "I sold the car" ends that there is one; not that its windows are cleaned on Sundays.
    return had[0] in was or had[0] in _TAKES or data.attribute not in _SORTS["habit"]


def _is_planned(known: Record, data: MemoryData, change: Change) -> bool:
    """Tell whether a memory is of what somebody no longer means to do."""
    if data.attribute not in _SORTS["planned"]:
        return False
    if _HAN.search(change.was):
        return alphanumeric(change.was) in alphanumeric(known.content)
    was = set(query_terms(change.was)) - set(query_terms("trip plan visit vacation holiday"))
    return bool(was) and was <= set(query_terms(known.content))


def _is_of_thing(data: MemoryData, change: Change) -> bool:
    """Tell whether a memory is of the thing that there is another of, or another value of."""
    counted = _COUNTED.search(data.value) is not None and _COUNTED.search(change.value) is not None
    # "The meeting is on Friday now" after "We have the meeting every Thursday"
    if change.stated and data.attribute in _SORTS["habit"]:
        return counted and alphanumeric(data.value).endswith(alphanumeric(change.thing))
    if change.stated and _same_subject(change.stated, data.subject):
        return False
    of = (f"{change.subject}'s {change.thing}", f"the {change.thing}", f"our {change.thing}")
    owned = {
        alphanumeric(person_and_name(text)[0]) for text in (*of, f"{change.subject}的{change.thing}", change.thing)
    }
    if _same_subject(data.subject, change.subject) and data.attribute == canonical(change.thing):
        return change.renewed or change.corrected or counted
    # "the kitchen budget" is "my budget for the kitchen"
    words = set(query_terms(data.subject)) - set(query_terms(change.subject))
    thing = set(query_terms(change.thing))
    is_it = data.subject.startswith(change.subject) and words - _EVENTS == thing - _EVENTS and bool(thing)
    is_who = data.attribute in _SORTS["who"] or _CALLED.search(data.value) is not None
    return (is_it or alphanumeric(person_and_name(data.subject)[0]) in owned) and (
        is_who if change.renewed else counted
    )


def _is_safe_now(known: Record, data: MemoryData, change: Change) -> bool:
    """Tell whether a memory is that somebody is allergic to what they may eat again, and to nothing else beside it."""
    if not data.attribute and _HAN.search(change.was):  # kept word for word: "remember: …"
        said = alphanumeric(known.content)
        return (
            change.subject != data.subject
            and f"{alphanumeric(change.subject)}对{alphanumeric(change.safe)}过敏" in said
        )
    whose = _same_subject(data.subject, change.subject)
    by_name = change.subject not in {"The user", "用户"} and data.subject != "The user"
    if not whose and not (by_name and _holds(known.content, change.subject)):
        return False
    if data.attribute not in _SORTS["allergy"]:
        return False
    return set(query_terms(change.safe)) == set(query_terms(data.value)) or bool(_left_of(data, change.safe))


def _several(value: str) -> list[str]:
    return [part for part in _AND.split(value) if part.strip()]


def _left_of(data: MemoryData, denied: str) -> str:
    """Return what somebody is still allergic to where they named several and take one back, else nothing."""
    parts = _several(data.value)
    left = [part for part in parts if set(query_terms(part)) != set(query_terms(denied))]
    if data.attribute not in _SORTS["allergy"] or not 0 < len(left) < len(parts):
        return ""
    return ("和" if _HAN.search(data.value) else " and ").join(left)


def may_restate(draft: Draft) -> bool:
    """Tell whether a statement says since when, and how often, how many or when: that may be otherwise than it was."""
    one = draft.statement
    before, behind = draft.entry.text[: one.start], draft.entry.text[one.end :]
    said = f"{_STOP.split(before)[-1]}{draft.entry.text[one.start : one.end]}{_STOP.split(behind, maxsplit=1)[0]}"
    told = one.kind == "fact" and not one.single and not one.adds and not draft.retracts
    return (
        told
        and _SINCE.search(said) is not None
        and (_times(one.value) != one.value or bool(_one_at_a_time(one.content)))
    )


_ONE_AT_A_TIME = re.compile(
    r"^(?:The user|[A-Z]\w+) (?:(?:now|currently) )?(?P<en>stud(?:y|ies)|drives?|rides?|commutes?|rents?) "
    r"(?!.*\b(?:at (?:work|night)|on|for work|during|when)\b)"
    r"|^[^，。]{1,6}?(?:现在|如今)(?P<zh>[开骑读学租])(?!.*的时候)|^[^，。]{1,6}?(?P<zh_>[开骑读学租])(?:着?一)"
)
"""What somebody does one of at a time: who drives another car now drives the old one no more."""


def _one_at_a_time(content: str) -> str:
    found = _ONE_AT_A_TIME.match(content)
    return "" if found is None else next(filter(None, found.groups()))


def is_restated(known: Record, draft: Draft) -> bool:
    """Tell whether a statement says the same as a memory but for its numbers, days or hours."""
    data, one = known.data, draft.statement
    if not isinstance(data, MemoryData) or data.user != draft.user or not _same_subject(data.subject, one.subject):
        return False
    if data.attribute != canonical(one.attribute) or says_the_same(known, one.value):
        return False
    if verb := _one_at_a_time(one.content):
        return verb == _one_at_a_time(known.content)
    if _times(data.value) == data.value:
        return False
    had, new = (_times(_OLD_VALUE.sub("", text)) for text in (data.value, one.value))
    if data.attribute in _SORTS["habit"] and _HAN.search(new):  # 每天早上六点起床跑步, 改成晚上跑步了
        done, does = (alphanumeric(text.replace("#", "")) for text in (had, new))
        return len(does) > 1 and done.endswith(does)
    if data.attribute in _SORTS["habit"]:  # "I go to the gym every Monday", "on Wednesdays now"
        done, does = (" ".join(sorted(set(query_terms(text)) - _OFTEN)) for text in (had, new))
        return bool(does) and done == does
    return alphanumeric(had) == alphanumeric(new)


def _times(text: str) -> str:
    """Return a value without its numbers, days and hours."""
    return _DAYTIME.sub("#", _COUNTED.sub("#", text))


def _holds(text: str, words: str) -> bool:
    """Tell whether words stand in a text as words, not as a part of others: "Rome" is not in "Romeo"."""
    if _HAN.search(words):
        return alphanumeric(words) in alphanumeric(text)
    return re.search(rf"(?<!\w){re.escape(words.casefold())}(?!\w)", text.casefold()) is not None


def ended(known: Record, draft: Draft, settings: CognitionSettings, *, now: datetime) -> Record:
    """Return a memory of which it was said that it holds no more: it tells that, and what held stays as a version."""
    fresh = record_of(draft, settings, now=now)
    data = known.memory
    life = lifetime(known.kind, settings)
    value = draft.right or draft.statement.content
    if draft.change is not None and draft.change.name:  # who that is, is known
        whom = data.subject.removesuffix(draft.change.name).strip()
        fresh = fresh.replace(content=f"{whom}{'' if _HAN.search(whom) else ' '}{fresh.content}")
    if draft.change is not None and draft.change.corrected:
        value = draft.change.value
    if left := _left_of(data, draft.statement.value):
        still = known.content.replace(data.value, left)
        fresh = fresh.replace(content=f"{still}{'；' if _HAN.search(still) else '; '}{fresh.content}")
        value = left
    elif draft.change is None and not draft.statement.value and len(_several(data.value)) > 1:
        # Of two cats one died: the other is there.
        fresh = fresh.replace(content=f"{known.content}{'；' if _HAN.search(known.content) else '; '}{fresh.content}")
        value = data.value
    return fresh.replace(
        id=known.id,
        scope=known.scope,
        kind=known.kind,
        data=data.replace(value=value, replaces=data.value, stale="", quoted=True),
        expires_at=None if life is None else _expiry(draft, known.kind, life),
        created_at=known.created_at,
        tags=known.tags,
        version=known.version + 1,
    )


def is_less_trusted(draft: Draft, known: Record) -> bool:
    """Tell whether whoever says otherwise is to be believed less than whoever said what is known."""
    return _TRUSTED.index(draft.entry.origin) > _TRUSTED.index(known.trust)


def stronger(known: Record, draft: Draft, settings: CognitionSettings, *, now: datetime) -> Record:
    """Return a memory that was said once more: surer, with one source more, alive for longer, and not twice."""
    fresh = record_of(draft, settings, now=now)
    data: MemoryData = known.memory
    kind = known.kind
    if draft.statement.confirmed and kind in SHORT_TERM:
        kind, data = Kind.SEMANTIC, fresh.memory
    elif isinstance(data, SemanticData):
        last = data.last_confirmed or known.occurred_at
        data = data.replace(last_confirmed=max(last, draft.entry.told_at))
    ends = [end for end in (known.expires_at, fresh.expires_at) if end is not None]
    # The words are those of whoever is trusted most, and so is the trust: else a user's "in Lisbon" would vouch for
    # all that a page had said of it.
    is_better = _TRUSTED.index(fresh.trust) < _TRUSTED.index(known.trust)
    if is_better:
        data = data.replace(value=value_of(draft.statement))
    return known.replace(
        kind=kind,
        content=fresh.content if is_better else known.content,
        data=data.replace(stale=""),
        confidence=more_sure(known.confidence, fresh.confidence),
        evidence_count=known.evidence_count + 1,
        expires_at=max(ends) if ends and kind in SHORT_TERM else None,
        sources=(*known.sources, *fresh.sources)[-_MAX_SOURCES:],
        status=Status.ACTIVE if known.status is Status.EXPIRED else known.status,
        trust=fresh.trust if is_better else known.trust,
        version=known.version + 1,
        updated_at=now,
    )


def more_sure(confidence: float, evidence: float) -> float:
    """Return how sure something is after more evidence for it: never less than before, never certain."""
    raised = 1 - (1 - confidence) * (1 - evidence * (1 - _EVIDENCE))
    return min(_SURE, max(confidence, evidence, raised)) if confidence < _SURE else confidence


def successor(known: Record, draft: Draft, settings: CognitionSettings, *, now: datetime) -> Record:
    """Return the next version of a memory whose value changed; what was before stays readable as a version."""
    fresh = record_of(draft, settings, now=now)
    kind = known.kind if known.kind is Kind.SEMANTIC else fresh.kind
    data = fresh.data if kind is fresh.kind else _data(draft, kind, now=now)
    return fresh.replace(
        kind=kind,
        data=data.replace(replaces=known.memory.value),
        expires_at=fresh.expires_at if kind is fresh.kind else None,
        created_at=known.created_at,
        tags=known.tags,
        version=known.version + 1,
    )


def recalled_late(known: Record, draft: Draft, settings: CognitionSettings, *, now: datetime) -> tuple[Record, Record]:
    """Return two versions of a memory: what held before the one that stands, told only now, and that one again."""
    earlier = successor(known, draft, settings, now=now)
    data = known.memory
    earlier = earlier.replace(data=earlier.data.replace(replaces=""))
    again = data.replace(replaces=data.replaces or value_of(draft.statement))
    return earlier, known.replace(data=again, version=earlier.version + 1, updated_at=now)
