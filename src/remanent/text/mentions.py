"""Who and what a text names: candidates for people, places, organisations, works, handles and acronyms.

Rules and lists, no model: quick enough for every message that is stored, and wrong at times. What rests on it must
bear a name too many or too few.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from remanent.text.chinese import Gender, chinese_names
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN
from remanent.text.sentences import sentences
from remanent.text.spans import OccupiedSpans, Span
from remanent.text.stemming import stem
from remanent.text.wordlists import COMMON_ENGLISH, ENGLISH_STOP_WORDS, FILLERS, VERB_STEMS, word_set
from remanent.values import dataclass

MentionKind = Literal["person", "place", "organisation", "work", "quoted", "handle", "acronym", "name"]


@dataclass(frozen=True, slots=True)
class Mention(Span):
    """A name as it stands in a text, what kind of name it seems to be, and the key under which its forms meet."""

    text: str
    kind: MentionKind
    key: str
    gender: Gender = "unknown"


# Given names that are used for one gender nearly always; those for both are in neither list.
_FEMALE_NAMES = word_set("""
    abigail ada adriana agnes alexandra alice alicia alison amanda amber amelia amy ana andrea angela anita anna
    anne annie antonia ashley audrey barbara beatrice bella beth betty bianca bonnie brenda bridget camila carla
    carmen carol caroline carolyn catherine cathy cecilia charlotte chelsea cheryl chloe christina christine cindy
    claire clara claudia connie courtney crystal cynthia daisy dana danielle deborah denise diana diane donna dora
    doris dorothy edith eileen elaine eleanor elena elisa elise elizabeth ella ellen eloise elsa emilia emily emma
    erica erin esther eva evelyn fatima faye fiona flora florence frances francesca gabriela gabriella gemma georgia
    gina giulia gloria grace greta hannah harriet hazel heather heidi helen helena hilda holly ida ingrid irene
    irina iris isabel isabella isabelle ivy jacqueline jane janet janice jasmine jean jeanne jennifer jenny jessica
    jill joan joanna josephine joyce juanita judith judy julia juliana julie juliet karen karin karla kate katherine
    kathleen kathryn kathy katie kayla kelly kimberly kristen kristina lara laura lauren lea leah lena leslie lila
    lily linda lisa lola lori louisa louise lucia lucy luna lydia madeline madison maggie marcia margaret maria
    marie marina marta martha mary matilda maya megan melanie melinda melissa mercedes mia michelle mildred miriam
    molly monica nadia nancy naomi natalie natasha nicole nina nora norah olga olivia paige pamela patricia paula
    pauline penelope phoebe priya rachel rebecca renee rita roberta rosa rose rosemary ruby ruth sabrina sally
    samantha sandra sara sarah savannah selena serena shannon sharon sheila shirley silvia simone sofia sonia sophia
    sophie stacy stella stephanie sue susan suzanne sylvia tamara tanya tara teresa tessa theresa tiffany tina tracy
    valentina valerie vanessa vera veronica victoria violet virginia vivian wanda wendy yolanda yvonne zoe
""")
_MALE_NAMES = word_set("""
    aaron abraham adam adrian ahmed alan albert alejandro alexander alfred ali allen alvin andre andreas andrew andy
    anthony antonio arnold arthur ben benjamin bernard bill billy bob bobby boris brad bradley brandon brendan brian
    bruce bryan byron caleb calvin carl carlos cedric charles charlie chris christian christopher clark claude
    clifford clint colin conor craig curtis dale damian dan daniel danny dario darren dave david dean dennis derek
    diego dominic don donald douglas duncan dwight dylan earl eddie edgar edmund eduardo edward edwin eli elias
    elijah elliot emil emmanuel enrique eric erik ernest ethan eugene evan felix fernando francis francisco frank
    franklin fred frederick gabriel garrett gary gavin geoffrey george gerald gilbert giovanni glen gordon graham
    greg gregory guillermo gustav guy hank hans harold harry harvey hassan hector henry herbert herman howard hugh
    hugo ian igor isaac ivan jack jacob jake jakob james jamie jan jared jason javier jay jeff jeffrey jeremy jerome
    jerry jesse jim jimmy joe joel johan john johnny jon jonas jonathan jorge jose joseph joshua juan julian julio
    justin karl keith ken kenneth kevin klaus kurt kyle larry lars laurence lawrence leo leon leonard leonardo lewis
    liam lloyd logan lorenzo louis luca lucas luis luke marc marcel marco marcus mario mark martin marvin mason
    mateo matt matteo matthew maurice max maxwell melvin michael miguel mike milo mitchell mohamed mohammed morgan
    moses nathan nathaniel neil nicholas nick nicolas nigel noah noel norman oliver omar oscar otto owen pablo
    patrick paul pedro perry pete peter phil philip pierre rafael rajesh ralph ramon randy raul ray raymond ricardo
    richard rick rob robert roberto rodney roger roland roman ron ronald ross roy russell ryan sam samuel scott sean
    sebastian sergio seth shane sidney simon spencer stanley stefan stephen steve steven stewart stuart ted terence
    terry theo theodore thomas tim timothy tobias toby todd tom tommy tony travis trevor tyler ulrich victor vincent
    vladimir wade wallace walter warren wayne wesley wilhelm will william winston xavier yusuf zach zachary
""")
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

_HAS_HAN = lazy_regex(rf"[{HAN}]")
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
    i i'm i'll i've i'd monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december spring summer autumn winter christmas god ok hi hello hey thanks
    am pm tv english chinese french german spanish italian japanese american british european
""")
_NO_ACRONYM = word_set("OK AM PM LOL OMG BTW FYI ASAP TBD NB PS IDK IMO DIY AKA FAQ TODO I")


def mentions(text: str) -> list[Mention]:
    """Return the names of a text in order; where two overlap, the longer one, and what is said outright first."""
    found = [*_marked(text), *_capitalised(text)]
    if _HAS_HAN.search(text):
        found += [Mention(one.start, one.end, one.text, one.kind, one.text, one.gender) for one in chinese_names(text)]
    taken = OccupiedSpans()
    ordered = sorted(found, key=lambda one: (_rank(one), one.start - one.end))
    return sorted((one for one in ordered if taken.take(one)), key=lambda one: one.start)


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
    """Yield what signs mark as a name: a handle, a title in 《》, something quoted, capitals only."""
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
        yield from _name(text, first, end, _title(text, first))


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


def _title(text: str, start: int) -> str:
    """Return the title that stands right before a name: "Dr.", "Mrs."; empty without one."""
    found = _TITLE_BEFORE.search(text, max(0, start - 12), start)
    return found["title"].lower() if found else ""


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
    if kind == "name":
        kind = _kind_by_place(text, first)
    yield Mention(first, last, name, kind, name_key(name), gender)


def _may_stand_at_an_end(word: str, *, alone: bool) -> bool:
    """Tell whether a word may begin or end a name."""
    return word[0].isupper() and not _is_idle(word, alone=alone)


def _kind_by_place(text: str, start: int) -> MentionKind:
    """Return what kind of name it is by the words before it: "lives in", "works at"."""
    if _WHERE.search(text, max(0, start - 30), start):
        return "place"
    return "organisation" if _AT.search(text, max(0, start - 30), start) else "name"


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
