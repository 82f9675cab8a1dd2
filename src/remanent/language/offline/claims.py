"""Sentences read as claims: the words that carry them, names, amounts and times, what is denied, what stands first.

A claim is a sentence taken as far apart as two of them must be to be compared, and no further. Who says so ("per the
archive", 根据…) is no part of what is said; read as its subject, a second source contradicted nothing. With more such
leads known, of the contradictions of a second generator English values found rose from 80 to 93 %, dates from 59 to 75,
names from 67 to 82 and denials from 70 to 93 (n = 46, 32, 33, 57).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise, takewhile

from remanent.bilingual import Language
from remanent.language.offline.lexicon import lexicon, stem, verbs
from remanent.language.offline.values import Amount, When, amounts, whens
from remanent.lightweight import dataclass
from remanent.model.entry import chat_role
from remanent.text.calendar import MONTHS
from remanent.text.chinese import COMMON_SURNAMES, chinese_names, cut, glued_name, is_known, tagged
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, has_han, working_language
from remanent.text.sentences import sentence_texts
from remanent.text.words import (
    CHINESE_STOP_WORDS,
    COMMON_ENGLISH,
    ENGLISH_STOP_WORDS,
    is_irregular,
    word_forms,
    word_set,
)

LONGEST_SENTENCE = 600
"""Characters of a sentence that are read: what goes on longer is no sentence, and two claims are compared word by
word."""


class TokenKind(StrEnum):
    """What sort of thing a token is."""

    WORD = "word"
    NAME = "name"
    PERSON = "person"
    """A pronoun: I, she."""
    AMOUNT = "amount"
    TIME = "time"


class Cue(StrEnum):
    """What a word does to those around it."""

    DENY = "deny"
    """Denies what follows in its clause."""
    END = "end"
    """Says that what follows in its clause held before and does not any more."""
    BREAK = "break"
    """Ends a clause."""


@dataclass(frozen=True, slots=True, eq=False)
class Token:
    """One word, name, amount or time of a claim.

    Equal to itself alone, since it has a place: comparing all its fields took a tenth of comparing two texts.
    """

    text: str
    key: str
    """What it is compared by: the stem, brought to the word that stands for all that mean the same."""
    part: TokenKind
    start: int
    end: int
    place: int = 0
    """Its place among the tokens, function words left out."""
    slot: str = ""
    """The word right before it, whatever it is: by, in, 由. Names with one slot have one part in their sentences."""
    denied: bool = False
    former: bool = False
    """Held before, as the claim says, and does not any more."""
    opening: bool = False
    """Stands before the verb of the first clause that has one: what the claim is about."""
    aside: bool = False
    """Stands in parentheses."""
    is_verb: bool = False
    amount: Amount | None = None
    when: When | None = None


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """A sentence, read."""

    text: str
    said_at: datetime | None
    language: Language
    tokens: tuple[Token, ...]
    is_question: bool = False
    is_conditional: bool = False
    is_past: bool = False
    """Speaks of what was, or used to be, not of what is."""
    is_change: bool = False
    """Speaks of something that became different."""
    has_verb: bool = True
    """Says something; a title or a list of names does not."""
    is_scene: bool = False
    """Describes something that is seen: its subject is just any (a man, two dogs)."""
    is_reported: bool = False
    """Says who says so, or that it is so after all: a blog says; in fact; 有报道称."""
    title: frozenset[str] = frozenset()
    """What the title of its text says, by keys; another title means another thing."""
    title_name: frozenset[str] = frozenset()
    """The same without what only tells it from others of that name: (film), West Virginia."""
    speaker: str = ""
    """Who says it, where a name or a role stands before it: "user: I like tea" is about no user."""
    as_of: str = ""
    """The time of the report that it stands in, by its heading: Company report 2019; 三季度报告."""

    @property
    def subject(self) -> tuple[Token, ...]:
        """What it is about: names, words and pronouns before the verb; in English numbers, too: the storm of 1896."""
        parts = NAMING | {TokenKind.PERSON}
        # 冬天的清晨，大桥…: when it is so is no part of what it is about.
        # 我参加的论坛，它的规模…: the pronoun is for what stands before the comma.
        comma = self.text.find("，")
        before = [token for token in self.tokens if token.end <= comma and token.slot != "@"]
        if before and any(token.key == "@third" and token.start == comma + 1 for token in self.tokens):
            named = tuple(token for token in before if token.part in NAMING and not token.is_verb)
            return tuple(token for token in self.tokens if token.slot == "@" and token.opening) + named
        said_when = before and before[0].when is not None and all(token.opening for token in before)
        begin = comma if said_when else 0
        return tuple(
            token
            for token in self.tokens
            if token.opening
            and (token.start >= begin or token.slot == "@")
            and (token.part in parts or (self.language == "en" and token.slot not in ADVERBIAL))
            and not token.key.endswith("ly")
        )


NAMING = frozenset({TokenKind.WORD, TokenKind.NAME})
"""What names or describes something: what two claims must have in common to be of one thing."""
# Before a time or a number they say when and where, not of what: in 2009 the airport.
ADVERBIAL = frozenset("in on at by during since from until after before between".split()) | {""}


@dataclass(frozen=True, slots=True)
class _Word:
    """One word with its place in the text; without a key it carries nothing by itself."""

    text: str
    start: int
    end: int
    key: str = ""
    part: TokenKind = TokenKind.WORD
    is_verb: bool = False
    cue: Cue | None = None


_QUESTION = lazy_regex(r"[?？]|[吗呢么]\s*[。.]?\s*\Z|是不是|有没有|是否|能否")
_CONDITION = lazy_regex(
    r"\b(?:if|unless|whether|provided|assuming|suppose|would|could|might|maybe|perhaps|possibly|probably|"
    r"not necessarily|(?:nobody|no one|none) (?:but|except))\b|"
    r"如果|要是|假如|倘若|除非|只要|否则|的话|万一|不一定|未必|可能|也许|或许|打算|除了|很?想(?![法象念])|希望",
    re.IGNORECASE,
)
_USED_TO = (
    "".join(rf"(?<!\b{one} )" for one in "is are was were be been being get often also".split()) + r"(?<!ly )used to"
)
"""What held before; a hammer is used to drive nails."""
_PAST = lazy_regex(
    rf"\b(?:when (?:I|he|she|we|they) (?:was|were)|formerly|previously|once|originally|former|previous|ex|erstwhile|"
    rf"{_USED_TO}|as a child|was a child)\b|"
    r"前任|(?<![平草高中])原[任为是系]|以前|从前|原来|原先|曾|过去|当初|当年|起初|本来|小时候|年轻时|那时",
    re.IGNORECASE,
)
_CHANGE = lazy_regex(
    r"\b(?:moved?|relocated?|switche?[sd]?|migrated?|changed?|converted|rewritten|renamed|replaced|became|becomes|shifted|"
    r"postponed|delayed|rescheduled|raised|lowered|upgraded|promoted|updated|took over|taken over|handed|"
    r"went (?:up|down|from)|"
    rf"{_USED_TO}|no longer|anymore|any more|quit|gave up|given up|stopped|left|sold|resigned|now|instead of)\b|"
    r"搬|换成|换到|改为|改成|改到|改用|改行|改名|改喝|改坐|调整|变成|变为|成了|转到|转为|转行|迁|升级|推迟|延期|提前|涨到|降到|接管|取代|更换|"
    r"跳槽|不再|戒了|戒掉|离职|辞[职去掉]|退休|放弃|取消|卖掉|现在是|"
    r"(?:以前|从前|原来|原先|之前|过去|曾经?)[^，,。；]{1,20}[，,][^。；]{0,3}(?:现在|如今|目前|眼下|后来)",
    re.IGNORECASE,
)
# Who says so is not what it is about: according to a blog; historians agree that; 有报道称.
_LEAD = lazy_regex(
    r"(?:(?:according|contrary) to [^,]{1,60},|as (?:far as|is|was|has been|\w+ (?:say|report|note|"
    r"write)s?)\b[^,]{0,40},|as (?!of\b|one\b)(?:\w+ ){1,5}(?:says?|reports?|notes?|writes?|states|records|ha(?:s|ve) "
    r"it|puts? it),|in (?:fact|reality|truth|actuality),?|(?:actually|reportedly|allegedly|apparently|supposedly|"
    r"evidently),?|(?:correction|note|update)\s*:|(?:per|based on) [^,]{1,40},|(?:however|on the contrary|to be "
    r"(?:precise|exact)),|(?:as )?(?:it )?turns out(?: that|,)?|the (?:truth|fact) is that|(?:experts|historians|"
    r"scholars|researchers|scientists|critics|people|we|many|most|some)(?: \w+){0,2} (?:believe|think|know|accept) "
    r"that|it (?:is|was|has been) (?:(?!not|never)\w+ ){0,2}(?:said|known|reported|claimed|stated|believed|thought|"
    r"noted|recorded|written|established|confirmed|reckoned|assumed|accepted) that|it (?:is|was) (?:said|reported|"
    r"claimed|stated|noted) (?:in|by) (?:\w+ ){1,4}that|(?!(?:and|but|so|because|while|although|though|when|as|"
    r"if)\b)(?:(?:an?|the|one|some|\w+)(?: \w+){0,4} (?-i:says?|said|claims?|claimed|reads?:|writes?:|wrote:)|\w+(?: "
    r"(?!(?:is|are|was|were|been)\b)\w+){0,8} (?-i:(?:reports?|reported|shows?|showed|states?|stated|notes?|noted|"
    r"indicates?|indicated|agree|confirms?|confirmed|writes?|wrote|maintains?|reveals?|suggests?|mentions?|holds?|"
    r"insists?|has it|lists?|finds?|found|(?:has|have) (?:shown|found|confirmed|revealed)|told \w+|read|heard|"
    r"learne?[dt]?)(?= that)))(?: that)?)\s+(?=\S)|(?:[但而]|不过，?|然而，?)?(?:(?:根?据|"
    r"依[据照])(?![^，。]*改编)[^，。]{1,16}[，：]|按照?[^，。]{0,12}(?:统计|说法|记载|资料|材料|记录|数据|报道)[，：]|"
    r"[^，。]{0,10}(?:称|显示|表示|表明|报道|指出|记载|写道|写着|认为|(?<!小)说|提到|发现|证实|透露|查明|更正|"
    r"消息是)[，：]|(?:另?有|另一|某)[^，。]{1,8}?(?:说|称|认为)[，：]?|[^，。]{0,6}?(?:网友|专家|学者|媒体|官方|研究|"
    r"资料|史[料书]|档案|文献|报告|调查|百科)[^，。]{0,4}?(?:指出|表示|表明|显示|记载|写道|写着|认为|"
    r"称(?![号呼为作谓])|证实|发现|提到|说(?![明法服]))[，：]?|(?:实际上|事实上|其实|[据听]说|据悉)[，：]?|(?:另外|"
    r"经查|更正|注|与此相反|恰恰相反|准确地说|确切地说)[，：])",
    re.IGNORECASE,
)
# The same behind what is said: …, the archive says; …, according to a blog.
_TAIL = lazy_regex(
    r",\s+(?:according to|as reported by|as stated by)\b[^,]{1,60}\Z|,\s+(?:an?|the|one|some|\w+)(?: \w+){0,3} "
    r"(?:says?|said|claims?|claimed|reports?|reported|writes?|wrote|notes?|noted)\s*[.!]?\Z",
    re.IGNORECASE,
)
_CODE = lazy_regex(
    r"```|(?:^|[:：])\s*(?:from [\w.]+ import |import [\w.]+\s*$|(?:async )?def \w+\(|class \w+[(:]|#include\b)|"
    r"\\(?:frac|text|binom|times|sqrt|cdot)\b"
)
"""Programs and formulas say nothing that another sentence could contradict."""
_ENDS_IN_COLON = lazy_regex(r"[:：]\s*\Z")
"""What only says that something follows."""
_SCENE = lazy_regex(
    r"\s*(?:an?|some|two|three|four|five|six|several|many|people|men|women|children|kids|\d)\b", re.IGNORECASE
)


@lru_cache(maxsize=4_096)
def read_claim(text: str, *, said_at: datetime | None = None) -> ParsedClaim:
    """Read a sentence, of a very long one the beginning; times in it are taken relative to when it was said.

    What is read once is kept: sentences of a text are compared with each other, and focuses with every new memory.
    """
    shown = " ".join(text[:LONGEST_SENTENCE].split()) if "\n" in text else text[:LONGEST_SENTENCE]
    language = working_language(shown)
    change = _CHANGE.search(shown) is not None
    counted = list(amounts(shown))
    times = [time for time in whens(shown, said_at, changed=change) if not _is_counted(shown, time, counted)]
    numbers = [one for one in counted if not any(one.start < time.end and time.start < one.end for time in times)]
    values: list[Amount | When] = [*times, *numbers]
    words = _chinese(shown, values) if language == "zh" else _english(shown, change=change)
    speaker = named_speaker(shown)
    speaker = "" if speaker.endswith(("说", "道", "问", "称")) else speaker  # who says so in a sentence of its own
    begin = _COLON.search(shown) if speaker else None
    lead = _LEAD.match(shown, begin.end() if begin else 0)
    tail = _TAIL.search(shown)
    start = lead.end() if lead else begin.end() if begin else _source_end(shown)
    end = tail.start() if tail else len(shown)
    words = [word for word in words if start <= word.start < end] if _CODE.search(shown) is None else []
    return ParsedClaim(
        text=shown,
        said_at=said_at,
        language=language,
        tokens=tuple(_tokens(shown, words, values, change=change)),
        is_question=_QUESTION.search(shown) is not None,
        is_conditional=_CONDITION.search(shown) is not None,
        is_past=_PAST.search(re.split("[,，;；]", shown)[0]) is not None,
        is_change=change,
        has_verb=_ENDS_IN_COLON.search(shown) is None and (language == "zh" or any(word.is_verb for word in words)),
        is_reported=(lead or tail) is not None,
        is_scene=language == "en" and _SCENE.match(shown, start) is not None,
        speaker=chat_role(speaker) or speaker,
    )


def _is_counted(text: str, time: When, counted: Sequence[Amount]) -> bool:
    """Tell whether what looks like a year is an amount of something: from 1200 to 1450 dollars."""
    if not _YEAR.fullmatch(text[time.start : time.end].strip()):
        return False
    return any(one.unit and one.start <= time.start and time.end <= one.end for one in counted)


_LONGEST_NAME = 4
"""Characters of a Chinese name with a compound surname or a calling before it."""
_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")
_COLON = lazy_regex(r"[:：]\s*")
_LABEL = lazy_regex(r"\A\s*([^\W\d_][\w.'’-]{0,30}(?: [A-Z][\w.'’-]{0,30}){0,2})[:：](?=\s|[^\W\da-zA-Z_])")


def named_speaker(text: str) -> str:
    """Return the name before what was said, as chats are pasted ("Caroline: …", "小王：…"); empty for "Note: …"."""
    label = _LABEL.match(text)
    if label is None:
        return ""
    name = label[1]
    # "Model: X100", "System: Linux" are the lines of a form.
    if chat_role(name) in {"user", "assistant"} and name.casefold() != "model":
        return name.lower()
    # Several Chinese words are a heading ("明天第一件事："), unless they hold a name ("客服小王：").
    several = not name.isascii() and len(cut(name)) > 1 and (len(name) > _LONGEST_NAME or not any(chinese_names(name)))
    is_word = name.lower() in COMMON_ENGLISH if name.isascii() else several or is_known(name)
    return "" if is_word or not (name[0].isupper() or not name.isascii()) else name


def _source_end(text: str) -> int:
    """Return where what is said begins behind the name of a document and a colon: Lab notebook B: it boils at …"""
    found = _NAMED.match(text)
    return found.end() if found is not None and names_a_source(found[0][:-1]) else 0


_NAMED = lazy_regex(r"[^:：.]{2,80}[:：.](?=\s*\S)")


def _tokens(text: str, words: Sequence[_Word], values: Sequence[Amount | When], *, change: bool) -> Iterator[Token]:
    """Yield the words that carry the claim, each with how it stands: denied, left behind, before the verb."""
    first = _first_verb(words, values)
    denials = ends = place = inside = 0
    before = ""
    taken: set[int] = set()
    for number, word in enumerate(words):
        inside = max(0, inside + (word.text in "(（") - (word.text in ")）"))
        if word.cue is Cue.BREAK:
            denials = ends = 0
        elif word.cue is not None:
            denials += word.cue is not Cue.END or not ends  # 把名字从…改成…: what is over is over once
            ends += word.cue is Cue.END
        elif ((word.text in _TO or (ends and word.text[-1:] in _TO)) and change) or (ends and _is_turn(words, number)):
            denials, ends = denials - bool(ends), 0  # from one to the other: what follows is what holds now
        value = next((value for value in values if value.start < word.end and word.start < value.end), None)
        said: _Word | None = None
        if value is not None and value.start not in taken:
            taken.add(value.start)
            shown = text[value.start : value.end]
            part = TokenKind.AMOUNT if isinstance(value, Amount) else TokenKind.TIME
            if shown.casefold() not in _NOW:
                said = _Word(shown, value.start, value.end, shown.casefold(), part)
        elif value is None and word.key:
            said = word
        if said is not None:
            yield Token(
                said.text,
                said.key,
                said.part,
                said.start,
                said.end,
                place=place,
                slot=before,
                denied=denials % 2 == 1,
                former=ends > 0,
                opening=number < first and not inside,
                aside=inside > 0,
                is_verb=said.is_verb,
                amount=value if isinstance(value, Amount) else None,
                when=value if isinstance(value, When) else None,
            )
            place += 1
        before = word.text.casefold()


def _is_turn(words: Sequence[_Word], number: int) -> bool:
    """Tell whether behind a word stands what somebody went over to: left A and settled in B; 从护士转行做了木匠."""
    if words[number].text == "and":
        return True
    return words[number].text in {"做", "当"} and words[number - 1].text in _TURNED


_TURNED = frozenset("转行 改行 转业".split())
_TO = frozenset("to into 到 成 为 至".split())
# When nothing else is said, everything is so now.
_NOW = frozenset("now today nowadays currently 现在 目前 如今 眼下 当前 今天".split())


_SUBJECTLESS = word_set("is was are were 是 位于 为 由 有 属于 曾 曾经 于")


def _first_verb(words: Sequence[_Word], values: Sequence[Amount | When]) -> int:
    """Return the place of the verb of the first clause that has one; all before it says what the claim is about."""
    inside = 0
    found = False
    if len(words) > 1 and words[0].text.endswith("ing") and words[1].text.lower() not in _AUXILIARY and words[1].key:
        return 0  # starring two actors: who is, the sentence does not say
    for number, word in enumerate(words):
        inside = max(0, inside + (word.text in "(（") - (word.text in ")）"))
        if word.is_verb and found and not inside:
            return number
        found = found or (bool(word.key) and not inside)
        if not found and (word.text.lower() == "there" or word.text in _SUBJECTLESS):
            return 0
    if values and words and all(word.start < values[-1].end for word in words if word.key):
        return next(number for number, word in enumerate(words) if values[-1].start < word.end)  # 二甲双胍每次1克
    keyed = [number for number, word in enumerate(words) if word.key]
    return keyed[-1] if keyed and any(has_han(word.text) for word in words) else 0


# ── what a text is about ─────────────────────────────────────────────────────

_DEFINITE = frozenset("the this these that its his her their 该 此 这 本".split())
_LOOKED_BACK = 3
"""Sentences before it in which what a value alone is said of is looked for. Chosen by hand."""
_LONGEST_TOPIC = 8
"""Words of a name at most. Chosen by hand."""


def read_claims(texts: Sequence[str], *, context: str = "", said_at: datetime | None = None) -> list[ParsedClaim]:
    """Read the sentences of one text; those about "it" or "the film" are about what the text begins with.

    Where it begins with nothing that has a name, or with a value alone, the context says what it is about.
    """
    before = [read_claim(text, said_at=said_at) for text in sentence_texts(context)]
    claims: list[ParsedClaim] = []
    for text in texts:
        claim = read_claim(text, said_at=said_at)
        claims.append(_with_value([*before, *claims][-_LOOKED_BACK:], claim) if _is_value(claim) else claim)
    if before and names_a_source(before[0].text):
        before = before[1:]
    heading = _headed(claims[0]) if len(claims) > 1 and not names_a_source(claims[1].text) else None
    if heading is not None:
        period = _period(heading)
        rest = [replace(claim, as_of=claim.as_of or period) for claim in claims[1:]]
        claims = [replace(claims[0], has_verb=False), *rest]
    if heading is not None and not heading["about"]:
        # What says something of itself is about that, whoever's words it is; "it" may be the contract.
        rest = read_claims(texts[1:], context=" ".join(claim.text for claim in before), said_at=said_at)
        rest = [replace(claim, as_of=claim.as_of or head.as_of) for claim, head in zip(rest, claims[1:], strict=True)]
        return [claims[0], *(_under(heading, claim, claims[0].tokens) for claim in rest)]
    heads = [one for one in (*(claims[:1] if len(claims) > 1 else ()), *before[:1]) if is_title(one)]
    if heads:
        title = frozenset(token.key for token in heads[0].tokens)
        cut = re.search(r"[(（,]", heads[0].text)
        name = frozenset(token.key for token in heads[0].tokens if cut is None or token.end <= cut.start())
        claims = [replace(claim, title=title, title_name=name) for claim in claims]
        if is_title(claims[0]) and len(claims) > 1:
            claims[0] = replace(claims[0], has_verb=False)  # "party leaders of the senate": whatever it looks like
    on = before[:1] if before and _SOURCE_ABOUT.fullmatch(before[0].text.strip()) else ()
    named = tuple(_named_in(claims[0], heading)) if heading is not None and claims[0].language == "zh" else ()
    topic = named or _topic(heads) or _topic(on) or _topic(claims) or _topic(before)
    if not topic:
        return claims
    sorts = {token.key for claim in claims[:2] for token in claim.tokens if not token.opening} | {t.key for t in topic}
    # What a text tells of something that it names is no description of any one scene.
    return [replace(_about(claim, topic, sorts), is_scene=False) for claim in claims]


# A heading of these words says whose words follow, not what they are about: meeting minutes; a lab report; 聊天记录.
_DOCUMENTS, _QUALIFIERS, _UNITS, _CHINESE_DOCUMENTS, _CHINESE_QUALIFIERS, _CHINESE_UNITS = word_forms(
    "documents"
).values()
_MONTHS = "|".join(map(str.title, MONTHS))
_ENGLISH_PERIOD = (
    rf"(?:Q[1-4]|H[12]|(?i:first|second|third|fourth)[- ](?i:quarter)|{_MONTHS})(?: [12]\d{{3}})?|[12]\d{{3}}"
)
_CHINESE_PERIOD = (
    r"[12]\d{3}(?:年度?)?(?![\d月日])|(?:[12]\d{3}年)?(?:[上下]半年|第?[一二三四1-4]季度|"
    r"(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?(?![\d一二三四五六七八九十]{1,3}[日号])|第?\d{1,2}周)"
)
_SHAPE = (
    rf"(?:(?i:(?:an?|the|my|our|his|her|their) )?(?:(?:{_ENGLISH_PERIOD}) )?(?:(?i:{_QUALIFIERS}|{_DOCUMENTS}) |"
    rf"(?P<of>(?i:{_UNITS})(?: team| department)?) ){{0,4}}(?:[a-z]+ )?(?i:{_DOCUMENTS})(?: (?:(?i:no\.?|nr\.?|#) "
    rf"?)?(?:[A-Z]|[IVX]{{1,4}}|\d{{1,4}}))?(?: ?\((?P<by>[^()]{{1,30}})\))?|"
    rf"(?:(?:{_CHINESE_PERIOD})的?)?(?:{_CHINESE_QUALIFIERS}){{0,3}}"
    rf"(?P<unit>{_CHINESE_UNITS})?(?:{_CHINESE_QUALIFIERS}){{0,3}}"
    rf"的?(?:(?:{_CHINESE_DOCUMENTS}){{1,2}}[甲乙丙丁A-Z\d一二三四]?|(?:新华|人民|中新|央视|澎湃|光明)(?:网|社|日报|"
    rf"新闻)|[^，。：:\s\d]{{0,4}}(?:[晚晨早时商]报|都市报|电视台|卫视|通讯社|"
    rf"新闻网))(?:[（(](?P<aside>[^（）()]{{1,20}})[）)])?)[。.!：:]?"
)
_SOURCE = lazy_regex(_SHAPE)
_DOCUMENT = lazy_regex(rf"(?:(?P<about>[^,，;；:：!！?？。]{{0,40}}?)(?<![A-Za-z]))??{_SHAPE}")
_PERIOD = lazy_regex(rf"\b(?:{_ENGLISH_PERIOD})\b|(?<!\d)(?:{_CHINESE_PERIOD})")
_NUMBERED = lazy_regex(r"[\d一二三四五六七八九十]+[号期]?(?:标段|号|期|楼|栋|车间|班|队|区)")


_WRITTEN = "报道|报纸|杂志|博客|年鉴|文章|网[站页]|手册|指南|百科|新闻|论坛|帖子"
_SOURCE_ABOUT = lazy_regex(
    rf"(?i:from (?:(?:an?|the|my|our|one) )?(?:[\w-]+ ){{0,2}}?(?:{_DOCUMENTS}) (?:about|on|of|regarding) )"
    r"(?P<about>[^:]{2,60}):|"
    rf"(?:一?[篇份本]|某)?(?:关于|有关)(?P<of>[^，。：:]{{2,20}})的[^，。：:]{{0,4}}(?:{_WRITTEN})[：:]|"
    rf"[^，。：:]{{0,4}}(?:{_WRITTEN})(?:介绍|报道|谈|写|中的|里的|上的)(?P<on>[^，。：:]{{2,20}}?)(?:条目|词条|一文)?[：:]"
)
"""A heading that says whose words follow, and on what: from a blog about Senn Bridge; 年鉴中的望江大桥条目."""


def names_a_source(text: str) -> bool:
    """Tell whether a text is nothing but the name of a sort of document: a lab report; 会议纪要.

    "Guidebook. The museum is closed on Mondays." and "Website. The museum is open on Mondays." were held for texts on
    two things, a guidebook and a website, so that nothing in them could disagree: of ten plain pairs three were found,
    with this ten.
    """
    return len(text) <= _LONGEST_TITLE and _SOURCE.fullmatch(text.strip()) is not None


def _headed(claim: ParsedClaim) -> re.Match[str] | None:
    """Return a heading that names a document, and perhaps what that is about: 启明公司2024年年度报告."""
    found = _document(claim.text.strip())
    if found is None or not found["about"]:
        return found
    if claim.language == "en":
        return None if claim.has_verb and not is_title(claim) else found
    told = [token for token in claim.tokens if token.start < found.end("about")]
    # A verb that stands first is a part of a name: 启明公司.
    return None if any((token.is_verb and token.place) or token.part is TokenKind.PERSON for token in told) else found


@lru_cache(maxsize=4_096)
def _document(text: str) -> re.Match[str] | None:
    return _DOCUMENT.fullmatch(text) if len(text) <= _LONGEST_TITLE else None


def _period(heading: re.Match[str]) -> str:
    """Return the time that a report tells of, by its heading: 2024; 三季度."""
    return " ".join(
        one[0].removeprefix("第").removesuffix("度").removesuffix("年") for one in _PERIOD.finditer(heading[0])
    )


def _named_in(claim: ParsedClaim, heading: re.Match[str]) -> Iterator[Token]:
    """Yield what the heading of a Chinese document is about; what is numbered is a name: 二号楼施工日志."""
    numbered = list(_NUMBERED.finditer(heading["about"]))
    for number in numbered:
        yield Token(number[0], number[0], TokenKind.NAME, *number.span(), opening=True)
    for token in claim.tokens:
        free = not any(token.start < number.end() and number.start() < token.end for number in numbered)
        if free and token.part in NAMING and token.end <= heading.end("about"):
            yield token


def _under(heading: re.Match[str], claim: ParsedClaim, about: Sequence[Token]) -> ParsedClaim:
    """Return what stands under the name of a document: about that only where it names nothing itself.

    What a department tells without a word on whose it is, is its own: 员工30人.
    """
    about_it = claim.subject if claim.has_verb else claim.tokens  # metformin 500 mg per dose
    own = [token for token in about_it if token.slot != "@" and token.part in NAMING | {TokenKind.PERSON}]
    named = any(
        (token.part is TokenKind.NAME and (token.place or len(own) > 1)) or token.slot == "的"
        for token in claim.tokens[: len(own) + 1]
    )
    bare = not named and any(heading[name] for name in ("of", "by", "unit", "aside"))
    is_it = not own or any(token.part is TokenKind.PERSON for token in own)
    if bare and not is_it:
        return _with_topic(claim, about, ())
    return _about(claim, about, set()) if is_it else claim


_FROM = word_set("from according source by via quote says note notes")
_LONGEST_TITLE = 80
"""Characters of a title at most, as long as those of encyclopedias."""


def is_title(claim: ParsedClaim) -> bool:
    """Tell whether a text begins with its title: a few words that say nothing, or all with capitals.

    A title taken for a statement made one of four false conflicts among 100 public tasks; a sentence taken for a title
    is lost as a statement.
    """
    words = re.findall(r"[^\W\d_][\w'’]*", claim.text)
    if claim.language == "zh" or claim.speaker or not words or len(claim.text) > _LONGEST_TITLE:
        return False
    if words[0].lower() in _FROM or claim.text.rstrip().endswith(":"):
        return False  # says whose words follow, not what they are about
    if not claim.has_verb:  # metformin 500 mg a day is a line of a list
        return not any(token.amount and token.amount.dimension in {"mass", "volume"} for token in claim.tokens)
    if any(token.amount is not None and token.amount.unit for token in claim.tokens):
        return False  # X-12 boils at 187 °C
    if all(word[0].isupper() for word in words if len(word) > 3) and not {"is", "was", "are", "were"} & set(words):
        return True
    says = any(word.lower().replace("’", "'") in _AUXILIARY or word.lower() in _PERSONS for word in words)
    verb = any(
        token.is_verb and (stem(low) in verbs() or low.endswith("ed") or is_irregular(low))
        for token in claim.tokens
        for low in [token.text.lower()]
    )
    return not says and not verb


def _is_value(claim: ParsedClaim) -> bool:
    """Tell whether somebody says a value and nothing else: a blog says 3,298."""
    return _LEAD.match(claim.text) is not None and [token.part for token in claim.tokens] == [TokenKind.AMOUNT]


def _with_value(before: Sequence[ParsedClaim], claim: ParsedClaim) -> ParsedClaim:
    """Return the last claim that has an amount with another one in its place.

    "A blog says 3,298" contradicts the height before it, and by itself says nothing of what.
    """
    (said,) = claim.tokens
    for spoken in reversed(before):
        for token in spoken.tokens:
            if token.amount is not None and said.amount is not None and said.amount.dimension == "number":
                amount = replace(said.amount, unit=token.amount.unit, dimension=token.amount.dimension)
                value = replace(token, text=said.text, key=said.key, amount=amount)
                tokens = tuple(value if one is token else one for one in spoken.tokens)
                return replace(spoken, text=claim.text, tokens=tokens, is_reported=True)
    return claim


def _topic(claims: Sequence[ParsedClaim]) -> tuple[Token, ...]:
    """Return the name that a text begins with: its title, or the subject of its first sentence.

    It is what "it" and "the population" of the other sentences mean. A text that begins with an attribute (全长4.8公里)
    does not say of what, and gives none.
    """
    if not claims or claims[0].speaker:
        return ()  # in a talk the next one speaks of something else
    first = claims[0]
    named = first.subject if first.has_verb and first.subject else first.tokens
    if (source := _SOURCE_ABOUT.fullmatch(first.text.strip())) is not None:
        start, end = source.span(source.lastgroup or 0)
        named = tuple(token for token in first.tokens if start <= token.start < end)
    if all(token.key in lexicon(first.language).attributes for token in named):
        return ()  # 全长4.8公里: of what, it does not say
    if first.language == "zh":  # 禾丰食品总部位于长沙: the rest is about the firm, not about its seat
        attributes = lexicon("zh").attributes
        named = tuple(token for token in named if token.part in NAMING and token.key not in attributes) or tuple(named)
    has_name = any(token.part is TokenKind.NAME for token in named) or first.language == "zh"
    return tuple(named) if has_name and len(named) <= _LONGEST_TOPIC else ()


def _about(claim: ParsedClaim, topic: Sequence[Token], sorts: set[str]) -> ParsedClaim:
    """Put the topic in the place of a pronoun, or of a word that says what the topic is: the film.

    Only what the text is about can be meant: a pronoun that may be somebody else's stays as it is, since a wrong
    subject makes a contradiction out of two true sentences.
    """
    subject = claim.subject
    named = {token.key for token in subject if token.part is TokenKind.NAME}
    known = {token.key for token in topic}
    if not claim.has_verb and {token.key for token in claim.tokens} >= known:
        return claim
    if named and {token.key for token in subject} < known:
        return _with_topic(claim, topic, subject)  # Hall, of Stanley Hall
    if named or claim.is_scene:
        return claim
    if any(token.part is TokenKind.PERSON and token.key != "@third" for token in subject):
        return claim
    pronoun = [token for token in subject if token.part is TokenKind.PERSON]
    sort = [token for token in subject if token.slot in _DEFINITE and token.key in sorts][:1]
    # The population, without a word on whose, is that of what the text is about.
    return (
        claim
        if {token.key for token in subject or claim.tokens} >= known
        else _with_topic(claim, topic, pronoun or sort)
    )


def _with_topic(claim: ParsedClaim, topic: Sequence[Token], instead: Sequence[Token]) -> ParsedClaim:
    gone = {id(token) for token in instead}
    kept = [token for token in claim.tokens if id(token) not in gone]
    said = {token.key for token in kept if token.opening}
    fresh = [token for token in topic if token.key not in said]
    tokens = [*(replace(token, opening=True, denied=False, former=False, slot="@") for token in fresh), *kept]
    return replace(claim, tokens=tuple(replace(token, place=place) for place, token in enumerate(tokens)))


# ── English ──────────────────────────────────────────────────────────────────

_LETTER = "A-Za-z\u00c0-\u024f"
_ENGLISH_WORD = lazy_regex(
    rf"[{_LETTER}\d][{_LETTER}\d_@]*(?:[.:@/+-][{_LETTER}\d_]+|(?<=\d),\d{{3}}(?!\d))*(?:['’][{_LETTER}]+)?|[.,;:!?()—–…\"“”]"
)
_PERSONS = {
    **dict.fromkeys("i me my mine we us our ours i'm i've i'd i'll we're we've".split(), "@first"),
    **dict.fromkeys("you your yours you're you've".split(), "@second"),
    **dict.fromkeys("he him his she her hers they them their theirs he's she's they're it its".split(), "@third"),
    **dict.fromkeys("我 我们 咱 咱们 俺 本人 我家 咱家".split(), "@first"),
    **dict.fromkeys("你 您 你们 你家".split(), "@second"),
    **dict.fromkeys("他 她 它 他们 她们 它们 他家 她家".split(), "@third"),
}
_FUNCTION = ENGLISH_STOP_WORDS | word_set(
    "onto above below among against near across along behind beyond towards toward via per still already even "
    "exactly actually basically therefore thus hence currently today nowadays instead able known particular daily "
    "weekly monthly yearly annually annual current present incumbent total altogether s t however"
)
_AUXILIARY = word_set(
    "is are was were am be been being do does did has have had will would can could may might must should shall cannot "
    "get gets got isn't aren't wasn't weren't doesn't don't didn't hasn't haven't hadn't won't wouldn't can't "
    "couldn't i'm he's she's it's they're we're you're"
)
_CAPITAL_NAMES = frozenset({"May", "Will"})
"""Auxiliaries that are names where they have a capital within a sentence."""
_MIDST = word_set("also still now already always often usually sometimes recently currently later first then soon")
_UNCHANGED = word_set("hit cut set put cost shut hurt split cast spread beat read run")
_SUBJECTS = word_set("i we you they he she it who")
_BREAKING = word_set("but although though because while whereas so who which however")
_CUES = lazy_regex(
    r"(?P<none>\b(?:(?:not|don['’]t) (?:only|just|merely)|no more than|no less than|not until|no doubt|nothing but|"
    r"(?:the )?(?:total )?number of|(?:every|each) (?:year|month|week|day))\b)|(?P<left>\bfrom(?= [^,.]{1,40} (?:to|"
    r"into) ))|(?P<end>\b(?:no longer|(?:gave|given|gives?|giving) up(?! (?:after|when|on|if))|used to|instead of|"
    r"rather than|(?:stop|quit|cease|finish)(?:s|ped|ed)?(?= \w+ing\b)|(?:quit|resigned from|withdrew from|left|"
    r"sold)(?= (?:the|her|his|their|my|our|its|(?-i:[A-Z])))|(?<=has )left(?= \w+ and ))\b)|(?P<deny>\b(?:not|never|no|"
    r"none|nobody|nothing|nowhere|neither|nor|cannot|without|lacks?|free (?:of|from)|far from|den(?:y|ies|ied)(?= "
    r"(?:\w+ ){0,3}(?:history|allerg))|(?:refused?|failed|unable) to|\w+n['’]t)\b)",
    re.IGNORECASE,
)


def _english(text: str, *, change: bool) -> list[_Word]:
    """Return the words of an English sentence in order; cues and phrases of the tables count as one."""
    cues = {match.start(): match for match in _CUES.finditer(text)}
    words: list[_Word] = []
    skipped = 0
    phrases, same = lexicon("en").phrases, lexicon("en").synonyms
    for match in _ENGLISH_WORD.finditer(text):
        if match.start() < skipped:
            continue
        cue = cues.get(match.start())
        is_purpose = cue is not None and cue[0].lower() == "used to" and _has_verb(words)  # a method used to solve it
        if cue is not None and cue.lastgroup and not is_purpose:
            skipped = cue.end()
            left = cue.lastgroup == "left" and change
            kind = Cue.END if left else {"end": Cue.END, "deny": Cue.DENY}.get(cue.lastgroup)
            if not (cue[0].lower() == "no" and text[skipped : skipped + 1] in {",", "."}):
                words.append(
                    _Word(
                        cue[0],
                        match.start(),
                        skipped,
                        cue=kind,
                        is_verb=cue.lastgroup == "end" or cue[0].endswith(("n't", "n’t", "cannot")),
                    )
                )
            continue
        words.append(_english_word(match, words, text))
    return [replace(word, key=same[word.key]) if word.key in same else word for word in _joined(words, phrases)]


def _has_verb(words: Sequence[_Word]) -> bool:
    """Tell whether the clause that words end with has a verb."""
    clause = takewhile(lambda word: word.cue is not Cue.BREAK, reversed(words))
    return any(word.is_verb for word in clause)


_TAKING_OF = frozenset(
    map(
        stem,
        "admits allows approves boasts complains conceives consists dies disapproves disposes dreams hears knows"
        " partakes permits smells speaks talks tastes tells thinks warns".split(),
    )
)
"""Verbs that go on with “of”."""


def _english_word(match: re.Match[str], words: Sequence[_Word], text: str) -> _Word:
    shown, start, end = match[0], match.start(), match.end()
    low = shown.lower().replace("’", "'")
    first = not words or words[-1].text in {".", "!", "?", ":", '"', "“"}
    if not shown[0].isalnum():
        in_title = bool(words) and words[-1].text.lower() in {"dr", "mr", "mrs", "ms", "prof", "st", "jr", "sr"}
        return _Word(shown, start, end, cue=Cue.BREAK if shown in ",;:!?()—–.…" and not in_title else None)
    if low in _PERSONS:
        return _Word(shown, start, end, _PERSONS[low], TokenKind.PERSON, is_verb="'" in low)
    if low in _AUXILIARY and (first or shown not in _CAPITAL_NAMES):
        return _Word(shown, start, end, is_verb=True)
    if low in _BREAKING:
        return _Word(shown, start, end, cue=Cue.BREAK)
    capital = shown[0].isupper() or any(char.isupper() for char in shown[1:])
    if low in _FUNCTION and (first or not capital):
        return _Word(shown, start, end)
    bare = low.removesuffix("'s").removesuffix("'")
    key = stem(bare) if bare.isascii() and bare.isalpha() else bare
    if (capital and not first) or any(char.isupper() for char in shown[1:]) or (capital and _is_rare(key, text, end)):
        return _Word(shown, start, end, key, TokenKind.NAME)
    last = next(
        (word for word in reversed(words) if word.cue not in {Cue.DENY, Cue.END} and word.text not in _MIDST), None
    )
    if last is not None and last.text.lower() in _SUBJECTS and not low.endswith("ly"):
        return _Word(shown, start, end, key, is_verb=True)
    after_noun = last is not None and (last.part is not TokenKind.WORD or (last.key and not last.text.endswith("'s")))
    verb = after_noun and (
        key in verbs()
        or low.endswith("ed")
        or (
            low.endswith("s")
            and not low.endswith(("ss", "us", "is"))
            and last is not None
            and not last.text.endswith("s")
        )
        or is_irregular(low)
        or low in _UNCHANGED
    )
    # "Faction heads of the council": of such words only few are verbs before "of".
    is_plural = low.endswith("s") and text[end : end + 4].lower() == " of " and key not in _TAKING_OF
    return _Word(shown, start, end, key, is_verb=bool(verb) and not is_plural)


def _is_rare(key: str, text: str, end: int) -> bool:
    """Tell whether a capital at the beginning of a sentence is that of a name: no table has the word."""
    words = lexicon("en")
    common = key in words.attributes or key in words.polar or key in words.groups or key in verbs()
    return not common and not re.match(r"\s+(?:of|that|in|on)\b", text[end : end + 6])


def _joined(words: Sequence[_Word], phrases: frozenset[tuple[str, ...]]) -> Iterator[_Word]:
    """Yield the words of a claim, those of a phrase as one: head office."""
    place = 0
    stems = [word.key if word.key and word.part is not TokenKind.PERSON else stem(word.text.lower()) for word in words]
    while place < len(words):
        width = next(
            (w for w in (4, 3, 2) if tuple(stems[place : place + w]) in phrases and len(stems) >= place + w), 1
        )
        first, last = words[place], words[place + width - 1]
        if width == 1:
            yield first
        else:
            shown = " ".join(word.text for word in words[place : place + width])
            yield _Word(shown, first.start, last.end, " ".join(stems[place : place + width]), is_verb=first.is_verb)
        place += width


# ── Chinese ──────────────────────────────────────────────────────────────────

_CHINESE_CUES = lazy_regex(
    r"(?P<none>最晚|最迟|最爱|最喜欢|受不了|不过(?!敏)|不仅|不但|不只|不光|不同|不少|不错|不久|不断|不论|不管|不如|不得不|不由|不幸|不满|不足|不安|不利|不便|不顾|不时|不止|"
    r"不超过|不低于|不到|非常|非洲|非法|无论|无数|无锡|无线|无限|无人机|未来|未婚|没收|别人|别的|别墅|特别|分别|级别|区别|性别|差别|个别|"
    r"南无|无非|并非不|不得了|对不起|差不多|不丹|不列颠|了不起)"
    r"|(?P<end>不再是?|戒掉|戒了|戒|放弃了?|停止|离开了?|辞去|辞掉|退出|卖掉了?|取消了?|从(?=[^，。]{1,12}(?:离职|辞职|退休|毕业|调离|搬|换|改|迁|转|推迟|涨|升|降|提[高前]|增|减|调|延))|由(?=[^，。]{1,12}(?:改到|改在|换到|搬到|迁到|移到|转到|推迟到|涨到|升到|降到|增[至到]|减[至到]|调[至到]))|(?:以前|从前|原来|原先|之前|过去|曾经?)(?=[^，,。；]{1,20}[，,][^。；]{0,3}(?:现在|如今|目前|眼下|后来|不再))|把(?=[^，。]{1,10}(?:卖|换成|改成))|险些|差点)"
    r"|(?P<said>通过(?=了?(?:[，。；！,;!]|\Z))|(?<=[我你您他她咱俺])家(?=[在住搬]|就在|位于))"
    r"|(?P<deny>从来没有|从来不|从未|从不|从没有?|尚未|还没有?|并没有|并不是?|并非|没有|否认(?=[^，,。；;]{0,12}史)|没能|未能|无法|没法|绝不|决不|毫无|毫不|不是|不会|不能够?|"
    r"不可能?|不要|不用|不必|无需|不曾|未曾|不许|不准|拒绝(?=[^了。，])|[不没未无别]|非(?=[^常洲法]))"
)
# 小郭, 老何: the segmenter takes what follows for a given name.
_NICKNAME = lazy_regex(rf"(?<![{HAN}])[小老][{COMMON_SURNAMES}]")
_TWO_WORDS = lazy_regex(r"(?<=[狗猫])(?=叫[^声唤嚷得了])|(?<=[狗猫]叫)(?![声唤嚷得了])|(?<=[取起改]名叫)(?![做作])")
"""What the segmenter takes for one word: 我的狗叫豆豆, where 狗叫 is what dogs do."""
_CHINESE_BREAKS = frozenset("，,；;。！!？?：:（）()—…")
_CHINESE_BREAKING = word_set("但 但是 可是 然而 却 所以 因为 由于 虽然 尽管 并且 而且 因此")
_NAME_TAGS = frozenset("nr ns nt nz nrt nrfg eng".split())
# Particles, prepositions, conjunctions, pronouns, measures, adverbs, numerals.
_EMPTY_TAGS = frozenset("u c p y e o x q r d f m h k ul uj uz ug ud uv".split())
_CHINESE_VERBS = word_set("是 在 为 由 被 把 用 从 有 位于 叫 担任")
_CHINESE_EMPTY = word_set("一共 总共 共 共有 达 达到 约 计划 家里 一直 现任 最 正式")
_CARRYING = word_set("左 右 唯一 总是 经常 很少 男 女 必须 一起 独自 全部 所有")


def _chinese(text: str, values: Sequence[Amount | When]) -> list[_Word]:
    """Return the words of a Chinese sentence in order; no word goes across a cue or the border of a value."""
    words: list[_Word] = []
    cues = {match.start(): match for match in _CHINESE_CUES.finditer(text)}
    borders = {0, len(text), *(at for value in values for at in (value.start, value.end))}
    borders |= {at for match in cues.values() for at in match.span()}
    borders |= {
        match.end() for match in _NICKNAME.finditer(text) if not is_known(text[match.start() : match.end() + 1])
    }
    borders |= {match.start() for match in _TWO_WORDS.finditer(text)}
    if name := glued_name(text):
        borders.add(len(name))
    same = lexicon("zh").synonyms
    starts = sorted(border for border in borders if border <= len(text))
    for start, end in pairwise(starts):
        cue = cues.get(start)
        if cue is not None and cue.lastgroup in {"end", "deny"}:
            words.append(_Word(cue[0], start, end, cue=Cue.END if cue.lastgroup == "end" else Cue.DENY, is_verb=True))
            continue
        if (
            cue is not None and cue.lastgroup == "said"
        ):  # the tests pass; 我家在: elsewhere a preposition, and a part of 我家的狗
            words.append(_Word(cue[0], start, end, same.get(cue[0], cue[0]), is_verb=True))
            continue
        if text[start:end] == name:
            words.append(_Word(name, start, end, name, TokenKind.NAME))
            continue
        for one in tagged(text[start:end]):
            word = _chinese_word(one.text, one.tag, start + one.start, start + one.end)
            words.append(replace(word, key=same[word.key]) if word.key in same else word)
    return words


def _chinese_word(text: str, tag: str, start: int, end: int) -> _Word:
    if text in _CHINESE_BREAKS or text in _CHINESE_BREAKING:
        return _Word(text, start, end, cue=Cue.BREAK)
    if text in _PERSONS:
        return _Word(text, start, end, _PERSONS[text], TokenKind.PERSON)
    verb = (tag[:1] == "v" and tag != "vn") or text in _CHINESE_VERBS
    words = lexicon("zh")
    known = len(text) > 1 and (text in words.polar or text in words.attributes or text in words.groups)
    empty = not known and (
        text in _CHINESE_EMPTY
        or text in CHINESE_STOP_WORDS
        or (tag in _EMPTY_TAGS and (len(text) == 1 or is_known(text)))
    )
    if not any(char.isalnum() for char in text) or (empty and text not in _CARRYING):
        return _Word(text, start, end, is_verb=verb)
    part = TokenKind.NAME if tag in _NAME_TAGS and not text.isdigit() else TokenKind.WORD
    key = text.casefold()
    if len(key) > 1 and key[-1] in "了着过" and not is_known(key):
        key, verb = key[:-1], True  # 签了: the segmenter glues
    return _Word(text, start, end, key, part, is_verb=verb)
