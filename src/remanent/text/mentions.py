"""Who and what a text names: candidates for people, places, organisations, works, handles and acronyms; and pronouns.

Rules and lists, no model: quick enough for every message that is stored, and wrong at times. What depends on it must
bear a name too many or too few.

A fact stored without its name ("she moved to Lisbon") is found by nobody; one with a wrong name is worse. So a pronoun
is replaced only when one person within reach fits, and no unnamed one does.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal

from remanent.lightweight import dataclass
from remanent.text.calendar import MONTHS, WEEKDAYS
from remanent.text.chinese import Gender, chinese_names, tagged
from remanent.text.regex import lazy_regex, word_regex
from remanent.text.scripts import has_han
from remanent.text.sentences import sentences
from remanent.text.spans import Span, without_overlaps
from remanent.text.words import COMMON_ENGLISH, ENGLISH_STOP_WORDS, FILLERS, VERB_STEMS, stem, word_list, word_set

MentionKind = Literal["person", "place", "organisation", "work", "quoted", "handle", "acronym", "name"]


@dataclass(frozen=True, slots=True)
class Mention(Span):
    """A name as it stands in a text, what kind of name it seems to be, and the key under which its forms meet."""

    text: str
    kind: MentionKind
    key: str
    gender: Gender = "unknown"


_FEMALE_NAMES = frozenset(word_list("female_names"))
_MALE_NAMES = frozenset(word_list("male_names"))
_TITLES = word_set(
    "mr mrs ms miss mx dr prof professor president sir madam captain judge senator queen king prince princess"
)
_FEMALE_TITLES = word_set("mrs ms miss madam queen princess")
_MALE_TITLES = word_set("mr sir king prince")
_ORGANISATION_ENDINGS = word_set("""
    academy agency airlines association bank club college company corp corporation council court foundation gmbh
    group hospital hotel inc institute laboratories laboratory labs llc ltd ministry museum party plc school society
    studio studios team union university
""")

_CAPITAL = r"[A-Z\u00c0-\u00de][\w'’\u00c0-\u024f-]*"
# What may stand between two capitals of one name: "University of the Arts", "van der Berg", "J. R.".
_LINK = r"(?:\s+(?:of\s+the|of|the|de|da|van|von|der|la|le|&)\s+|[^\S\n]+|(?<=\b[A-Z])\.\s?)"
# Eight words at most: more are a heading in title case.
_CAPITALISED = lazy_regex(rf"(?<![\w@#/.])(?:[A-Z]\.\s?)*{_CAPITAL}(?:{_LINK}{_CAPITAL}){{0,7}}")
_WHERE = lazy_regex(
    r"\b(?:in|near|across|around|outside|inside|throughout|visit(?:ed|ing|s)?|(?:moved?|moving|going|go|goes|went|gone"
    r"|travel\w*|flew|fly\w*|trip|relocat\w*|came|come|drove|drive|way|return\w*)\s+(?:back\s+)?to|(?:is|am|are|was|were|'m|comes?"
    r"|came|originally)\s+from)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_AT = lazy_regex(
    r"\b(?:at|joined|(?:work|works|worked|working)\s+(?:at|for|with)|hired\s+by)\s+(?:the\s+)?\Z", re.IGNORECASE
)
_TITLE_BEFORE = lazy_regex(rf"\b(?P<title>{'|'.join(sorted(_TITLES, key=len, reverse=True))})\b\.?\s+\Z", re.IGNORECASE)
_QUOTED = lazy_regex(r"“([^“”\n]{2,40})”|「([^「」\n]{2,40})」|『([^『』\n]{2,40})』|(?<!\w)\"([^\"\n]{2,40})\"(?!\w)")
_WORK = lazy_regex(r"《([^《》\n]{1,40})》")
_HANDLE = lazy_regex(r"(?<![\w@.])@[A-Za-z0-9_][\w.-]{0,38}[A-Za-z0-9_]")
_ACRONYM = lazy_regex(r"(?<![\w@#.-])[A-Z]{2,6}\d{0,3}(?![\w])")
_POSSESSIVE = lazy_regex(r"['’]s?\Z")
# Capitals that name nothing, or something that is found elsewhere (days, months).
_NO_NAME = word_set("""
    i i'm i'll i've i'd spring summer autumn winter christmas god ok hi hello hey thanks am pm tv english chinese french
    german spanish italian japanese american british european
""").union(MONTHS, WEEKDAYS)
_NO_ACRONYM = word_set("OK AM PM LOL OMG BTW FYI ASAP TBD NB PS IDK IMO DIY AKA FAQ TODO I")


def mentions(text: str) -> list[Mention]:
    """Return the names of a text in order; where two overlap, the longer one, and what is said outright first."""
    found = [*_marked(text), *_capitalised(text)]
    if has_han(text):
        found += [Mention(one.start, one.end, one.text, one.kind, one.text, one.gender) for one in chinese_names(text)]
    return without_overlaps(found, rank=lambda one: (_rank(one), one.start - one.end))


def _rank(one: Mention) -> int:
    """Handles and titles of works are what they say; what is quoted may as well be a sentence with names in it."""
    if one.kind == "quoted":
        titled = all(word[:1].isupper() or word in ENGLISH_STOP_WORDS for word in one.text.split())
        return 0 if titled and len(one.text.split()) < 8 else 2
    return {"handle": 0, "work": 0, "acronym": 2}.get(one.kind, 1)


def name_key(name: str) -> str:
    """Return the key under which the ways to write one name meet."""
    return " ".join(_POSSESSIVE.sub("", word) for word in name.casefold().replace(".", "").split())


def _marked(text: str) -> Iterator[Mention]:
    """Yield what marks show to be a name: a handle, a title in 《》, something quoted, capitals only."""
    for found in _HANDLE.finditer(text):
        yield Mention(found.start(), found.end(), found[0], "handle", found[0].casefold())
    for found in _WORK.finditer(text):
        yield Mention(found.start(1), found.end(1), found[1], "work", found[1].casefold())
    for found in _QUOTED.finditer(text):
        group = next(number for number in range(1, 5) if found[number] is not None)
        yield Mention(found.start(group), found.end(group), found[group], "quoted", found[group].casefold())
    for found in _ACRONYM.finditer(text):
        if found[0] not in _NO_ACRONYM:
            yield Mention(found.start(), found.end(), found[0], "acronym", found[0].casefold())


# ── names in capitals ────────────────────────────────────────────────────────


def _capitalised(text: str) -> Iterator[Mention]:
    """Yield names of capitalised words; the first word of a sentence counts if it is one elsewhere, too."""
    starts = {span.trimmed(text).start for span in sentences(text)}
    found = [(match.start(), match.end()) for match in _CAPITALISED.finditer(text)]
    opening = {start for start, _ in found if _opens(text, start, starts)}
    inside = {text[start:end].split(maxsplit=1)[0] for start, end in found if start not in opening}
    for start, end in found:
        first = _after_opening_word(text, start, end, inside) if start in opening else start
        title = _TITLE_BEFORE.search(text, max(0, first - 12), first)  # "Dr.", "Mrs."
        yield from _name(text, first, end, title["title"].lower() if title else "")


def _opens(text: str, start: int, starts: set[int]) -> bool:
    """Tell whether a word stands where any word would have a capital."""
    before = text[max(0, start - 3) : start].rstrip(" \t")
    return start in starts or not before or before[-1] in ".!?:\"“”‘'(\n*-•>#"


def _after_opening_word(text: str, start: int, end: int, inside: set[str]) -> int:
    """Leave out the first word of a sentence when it has its capital from there only."""
    first, _, rest = text[start:end].partition(" ")
    lowered = _POSSESSIVE.sub("", first.lower())
    dull = lowered in ENGLISH_STOP_WORDS or lowered in FILLERS or stem(lowered) in VERB_STEMS
    if lowered in _FEMALE_NAMES or lowered in _MALE_NAMES or first in inside:
        return start if lowered not in ENGLISH_STOP_WORDS else start + len(first) + 1
    if rest:
        return start + len(first) + 1 if dull else start
    endings = lowered.endswith(("ing", "ly", "ed", "s")) or len(lowered) < 3
    return end if dull or endings or lowered in COMMON_ENGLISH else start


def _name(text: str, start: int, end: int, title: str) -> Iterator[Mention]:
    """Take the ends of a sequence of capitals off that are no part of a name, and say what kind of name is left.

    A sentence begins with a capital as well, and a title goes before a name: neither belongs to it.
    """
    words = [(start + found.start(), found[0]) for found in re.finditer(r"\S+", text[start:end])]
    idle = 0
    while idle < len(words) and not _may_stand_at_an_end(words[idle][1], alone=idle == len(words) - 1):
        idle += 1
    del words[:idle]
    while words and not _may_stand_at_an_end(words[-1][1], alone=len(words) == 1):
        words.pop()
    if not words:
        return
    first, last = words[0][0], words[-1][0] + len(_POSSESSIVE.sub("", words[-1][1]))
    name = text[first:last]
    if name.isupper() and len(words) == 1:
        return  # an acronym, or shouting
    kind, gender = _kind([word for _, word in words], title)
    if kind == "name":  # "lives in", "works at"
        where = _WHERE.search(text, max(0, first - 30), first)
        kind = "place" if where else "organisation" if _AT.search(text, max(0, first - 30), first) else kind
    yield Mention(first, last, name, kind, name_key(name), gender)


def _may_stand_at_an_end(word: str, *, alone: bool) -> bool:
    """Tell whether a word may begin or end a name."""
    return word[0].isupper() and not _is_idle(word, alone=alone)


def _is_idle(word: str, *, alone: bool) -> bool:
    """Tell whether a capitalised word is no name: a day, a month, a language, a stop word."""
    lowered = _POSSESSIVE.sub("", word.lower().rstrip("."))
    if lowered in _NO_NAME or lowered in ENGLISH_STOP_WORDS or lowered in _TITLES or "'" in lowered:
        return True
    return alone and lowered in FILLERS


def _kind(words: Sequence[str], title: str) -> tuple[MentionKind, Gender]:
    """Return what kind of name it is, and whose gender, by its words and the title before it."""
    first = _POSSESSIVE.sub("", words[0].lower())
    last = _POSSESSIVE.sub("", words[-1].lower().rstrip("."))
    if last in _ORGANISATION_ENDINGS or first in {"university", "bank", "ministry"}:
        return "organisation", "unknown"
    gender: Gender = "unknown"
    if title in _FEMALE_TITLES or (first in _FEMALE_NAMES and title not in _MALE_TITLES):
        gender = "female"
    elif title in _MALE_TITLES or first in _MALE_NAMES:
        gender = "male"
    known = gender != "unknown" or title in _TITLES
    return ("person", gender) if known and len(words) <= 4 else ("name", "unknown")


# ── pronouns ─────────────────────────────────────────────────────────────────

_PRONOUN = lazy_regex(
    r"(?<![\w'’-])(?P<he>he|him|his)(?![\w-])|(?<![\w'’-])(?P<she>she|her)(?![\w-])|(?<!其)(?:(?P<ta>他)|她)(?![们人乡国日])",
    re.IGNORECASE,
)
"""Those of one person. "It" is never certain, since it may stand for a whole sentence, and neither is "they"."""
# People who are not named but may be meant; not those that a name is said to be ("Tom is my uncle").
_SOMEBODY = lazy_regex(
    r"(?<!\bis\s)(?<!\bwas\s)\b(?:my|your|his|her|their|our|a|an|the|another|some)\s+(?:\w+\s+)?(?:(?P<male>father|dad|"
    r"brother|uncle|son|husband|boyfriend|grandfather|grandpa|nephew|boy|man|guy|king)|(?P<female>mother|mom|mum|"
    r"sister|aunt|daughter|wife|girlfriend|grandmother|grandma|niece|girl|woman|lady|queen)|(?P<any>friend|boss|"
    r"teacher|colleague|coworker|doctor|neighbou?r|cousin|child|kid|student|manager|partner|person|nurse)"
    r")\b(?!\s+[A-Z])|(?<!是我)(?<!是我的)(?<!是)(?:(?P<nan>爸爸|父亲|哥哥|弟弟|叔叔|舅舅|伯伯|爷爷|外公|丈夫|老公|"
    r"儿子|男友|男朋友|侄子|男人|男孩)|(?P<nv>妈妈|母亲|姐姐|妹妹|阿姨|姑姑|奶奶|外婆|妻子|老婆|女儿|女友|女朋友|侄女|"
    r"女人|女孩)|(?P<ren>朋友|同事|老板|老师|医生|邻居|同学|孩子|经理|领导|下属|上司|学生|室友))(?!叫|是)",
    re.IGNORECASE,
)
# Who is nameless is called by words without end (the intern, 我发小, 房东): where the name is of a sentence before,
# what stands before a pronoun in its own must leave no room for one.
_SOME_NOUN = lazy_regex(r"\b(?:my|your|our|his|her|their|an?|the|this|that|another|some|every)\s+\w", re.IGNORECASE)
_NO_NOUNS = frozenset("t tg d c f x ad m ul y e".split())
_OF_ONE_CLAUSE = _NO_NOUNS | frozenset("v r p".split())
_CLAUSE_END = lazy_regex("[，,；;：:]")
# How many sentences back whoever is meant may have been named.
_REACH = 2
# However long the sentences are.
_FARTHEST = 600
_NOUN_AFTER = lazy_regex(r"\s+[^\W\d_]")

SPEAKER_OR_HEARER = word_regex(r"i|i['’](?:m|d|ve|ll)|me|my|mine|we|us|our|you|your", r"我|你|您|咱")
"""Words whose meaning depends on who speaks: without one of them a sentence stands alone."""


def resolve(text: str, *, before: str = "") -> str:
    """Return the text with each pronoun replaced that can mean one person alone, who may be named in the text before.

    The others stay.
    """
    whole = f"{before}\n{text}" if before else text
    position = len(whole) - len(text)
    names, starts = mentions(whole), [span.start for span in sentences(whole)]
    parts: list[str] = []
    for pronoun in _PRONOUN.finditer(whole, position):
        meant = _meant(whole, pronoun, names, starts)
        if meant is not None:
            parts += whole[position : pronoun.start()], _written(whole, pronoun, meant.text)
            position = pronoun.end()
    return "".join([*parts, whole[position:]])


def _meant(text: str, pronoun: re.Match[str], names: Sequence[Mention], starts: Sequence[int]) -> Mention | None:
    """Return whom alone a pronoun can mean, if a name does and nobody without a name may."""
    sentence = bisect_right(starts, pronoun.start()) - 1
    reach = max(starts[max(0, sentence - _REACH)], pronoun.start() - _FARTHEST)
    # 他 is used for everybody whose gender is not known; 她 is not.
    gender: Gender = "unknown" if pronoun["ta"] else "male" if pronoun["he"] else "female"
    fitting = _fitting(names, reach, pronoun.start(), gender)
    if len(fitting) != 1 or fitting[0].kind != "person":
        return None
    begin = starts[max(0, sentence)]
    # 他今年三十岁，他的妻子…: the first one says whom both mean.
    first = text.find(pronoun[0], begin, pronoun.end())
    is_said_before = fitting[0].start < begin and _has_noun(text[begin:first])
    return None if is_said_before or _somebody_else(text, fitting[0], reach, pronoun) else fitting[0]


def _written(text: str, pronoun: re.Match[str], name: str) -> str:
    """Return what to write for a pronoun: the name, or the name's possessive.

    "Her" is "Anna" at the end of a clause and "Anna's" before a noun.
    """
    written = pronoun[0].lower()
    is_possessive = written == "his" or (written == "her" and _NOUN_AFTER.match(text, pronoun.end()))
    return f"{name}'s" if is_possessive else name


def _fitting(names: Sequence[Mention], reach: int, position: int, gender: Gender) -> list[Mention]:
    """Return the names within reach that a pronoun of a gender may mean; of two forms of one name the longer.

    "Ann" and "Ann Lee" in one text are one person, and would else make every "she" uncertain.
    """
    first = bisect_left(names, reach, key=lambda name: name.start)
    last = bisect_right(names, position, key=lambda name: name.end)
    found: dict[str, Mention] = {}
    for name in reversed(names[first:last]):
        may_be = gender == "unknown" or name.gender in {gender, "unknown"}
        if may_be and name.kind in {"person", "name", "handle"}:
            known = next((key for key in found if _same(key, name.key)), None)
            if known is None:
                found[name.key] = name
            elif len(name.text) > len(found[known].text):
                found[known] = name  # "Anna Weber" says more than "Anna"
    return list(found.values())


def _same(one: str, other: str) -> bool:
    """Tell whether two names are forms of one: all words of one are in the other."""
    return one == other or set(one.split()) <= set(other.split()) or set(other.split()) <= set(one.split())


def _has_noun(words: str) -> bool:
    """Tell whether words may name somebody: in Chinese all that are not known for others, in a clause of their own."""
    if words.isascii():
        return _SOME_NOUN.search(words) is not None
    allowed = _NO_NOUNS if _CLAUSE_END.search(words) else _OF_ONE_CLAUSE
    return any(word.tag not in allowed for word in tagged(words) if word.text.strip())


def _somebody_else(text: str, name: Mention, reach: int, pronoun: re.Match[str]) -> bool:
    """Tell whether somebody without a name stands nearby whom the pronoun may mean as well."""
    is_female = not (pronoun["he"] or pronoun["ta"])
    for found in _SOMEBODY.finditer(text, reach, pronoun.start()):
        male, female = bool(found["male"] or found["nan"]), bool(found["female"] or found["nv"])
        if (male and is_female) or (female and not is_female):
            continue
        if not name.start <= found.start() < name.end:
            return True
    return False
