"""What evidence says of claims: whether a sentence supports or contradicts one, and which of two most sources hold.

A sentence supports what it has the words of, unless one of the two denies or forbids what the other says. Where they
agree in all else, such a sentence contradicts the claim, as one with another figure or name in its place does.

Of two claims that contradict each other, whoever speaks of now, or tells of a change, knows more than who does not;
else the one holds that more sources bear out by contradicting the other. Where they are even nothing is decided. A
model of 1.5 B left a contradiction open whose validation said which side is wrong; so code decides what a finding
leaves open, and most of the sources settle it.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise, takewhile

from remanent.bilingual import Bilingual, in_language
from remanent.language.offline.claims import NAMING, ParsedClaim, Token, TokenKind, read_claim
from remanent.language.offline.comparison import MEASURES, Comparison, DifferenceKind, compare, is_defined
from remanent.language.offline.judgement import (
    CONFLICT,
    EXCEPTED,
    DatedStatement,
    Judgement,
    excluded,
    judge,
    judge_statements,
)
from remanent.language.offline.office_holders import tells_former_only
from remanent.language.offline.salience import summary_statements
from remanent.language.offline.values import Form
from remanent.lightweight import dataclass
from remanent.text.chinese import tagged
from remanent.text.numbers import has_digit, measures, quantities, with_numbers_of
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.terms import query_terms

UNSUPPORTED = Bilingual("[unsupported]", "［无依据］")
"""What stands behind a sentence of an answer that nothing bears out."""

_SUPPORTED = 0.85
"""The share of a sentence's words from which on another says the same, if it has all names and figures of it."""
_ALIKE = 0.7
"""The share of the words that are no names and figures from which on two sentences speak of the same."""
_RECIPROCAL = 0.4
"""The share of the evidence's own words that the sentence must have, so that a clause of a long sentence about
something else contradicts nobody. These three were chosen by hand."""
_VALUE = re.compile(r"\d[\d.,:]*|(?<![.!?。]\s)(?<!^)\b[A-Z][\w'’-]+")
"""Figures, and words written as names within a sentence."""
_LABEL = re.compile(r"[A-Z]")
_COMMON = re.compile(r"(?:[^s]s|ing)$")
"""How a first word ends that stands without an article and yet is no name: "Filters are", "Sailing is"."""


def bearing(claim: str, evidence: str, *, title: str = "") -> tuple[float, str]:
    """Return how much of a claim a sentence covers, and whether it supports or contradicts it, or neither.

    A claim of several things told with one verb holds where each of them does.
    """
    parts = [part.text for part in _elliptic(claim)]
    if len(parts) > 1:
        held = [bearing(part, evidence, title=title) for part in parts]
        verdicts = {verdict for _, verdict in held}
        verdict = "contradicted" if "contradicted" in verdicts else verdicts.pop() if len(verdicts) == 1 else ""
        return min(coverage for coverage, _ in held), verdict
    evidence, title = _of_one_item(claim, evidence), _of_one_item(claim, title)
    coverage, verdict = _bearing(claim, evidence, title)
    if not verdict:
        return coverage, ""
    supported = verdict == "supported"
    if supported and (_in_other_order(claim, evidence) or tells_former_only(claim, evidence)):
        return coverage, ""
    if supported and (_has_figure_of_another(claim, evidence) or _is_of_another_kind(claim, evidence)):
        return coverage, ""
    own = _of_its_subject(claim, evidence)
    said = verdict if own == evidence else _bearing(claim, own, title)[1]
    return coverage, said if supported or said == "supported" else verdict


def _bearing(claim: str, evidence: str, title: str) -> tuple[float, str]:
    claim, evidence = _plainly(claim), _plainly(_as_it_holds(evidence, claim))
    evidence = with_numbers_of(_with_periods_of(evidence, claim), claim)
    comparison = compare(read_claim(evidence), read_claim(claim))
    evidence = _with_times_of(evidence, comparison)
    asked, values = _terms(claim)
    said, others = _terms(evidence)
    if not asked or not said:
        return 0.0, ""
    known = said | frozenset(query_terms(title))
    coverage = len(asked & known) / len(asked)
    lacking = values - known
    plain = asked - values
    alike = len(plain & known) / len(plain) if plain else 0.0
    mutual = len(asked & said) / len(said)
    parted = _parted(comparison)
    judgement = judge(comparison)
    conflict = judgement.conflict >= CONFLICT
    # A title adds what a sentence is about; by itself, or where it denies the claim, it supports nothing.
    by_title = not asked & said or (title and _parted(compare(read_claim(_plainly(title)), comparison.other)))
    whole = coverage >= _SUPPORTED or _is_held(comparison)
    if not lacking and whole and not parted and not conflict and not by_title:
        return coverage, "supported"
    bare = claim.rstrip(" .。")
    if evidence.startswith(bare) and _CLAUSE.match(evidence, len(bare)):
        return coverage, "supported"  # its first clauses, word for word
    if parted and _may_both_hold(comparison, parted):
        return coverage, ""
    if excluded(comparison.one, comparison.other) or (not lacking and _denies(comparison, parted)):
        return coverage, "contradicted"
    if _excludes(comparison, judgement, title):
        return coverage, "contradicted"
    if alike < _ALIKE or mutual < _RECIPROCAL:
        return coverage, ""
    # The same is said with another figure or another name in the place of one; not only in another writing.
    alike_in_value = {
        term for _, token in comparison.shared if token.part in MEASURES for term in query_terms(token.text)
    }
    lacking -= alike_in_value
    replaced = any(any(has_digit(one) == has_digit(other) for other in others - values - asked) for one in lacking)
    return coverage, "contradicted" if replaced or conflict else ""


_SCORE = lazy_regex(r"\s*(?:[a-z]+\s+|票)?(?:to|against|比|对|[-–:：])\s*", re.IGNORECASE)
_BESIDE = lazy_regex(r"[，,；;。.]\s*(?:(?:and|but|while|whereas)\s+)?|\s(?:and|but|while|whereas)\s", re.IGNORECASE)
"""What may stand between two clauses; a point within a name leaves a part without a verb."""


def _in_other_order(claim: str, evidence: str) -> bool:
    """Tell whether a claim has two figures the other way round: 9 votes to 3, not 3 to 9."""

    def scores(text: str) -> set[tuple[float, float]]:
        found = quantities(text)
        return {(a.value, b.value) for a, b in pairwise(found) if _SCORE.fullmatch(text, a.end, b.start)}

    said, told = scores(claim), scores(evidence)
    return any((b, a) in told for a, b in said - told)


_PERIOD = lazy_regex(
    r"每个?(?P<zh>季度?|[年月周日天]|小时|星期)|\b(?:(?:every|each|per|an?) (?P<en>hour|day|week|month|quarter|year)\b|"
    r"(?P<ly>hour|dai|week|month|quarter|year|annual)ly\b)",
    re.IGNORECASE,
)
_DAYS = {
    word: days
    for words, days in (
        ("小时 hour", 1 / 24),
        ("天 日 day dai", 1.0),
        ("周 星期 week", 7.0),
        ("月 month", 30.44),
        ("季 季度 quarter", 91.31),
        ("年 year annual", 365.24),
    )
    for word in words.split()
}
_EVERY = lazy_regex(r"(?:每|\b(?:every|each) )\Z", re.IGNORECASE)
_EVERY_SOME = lazy_regex(r"每|\b(?:every|each)\b", re.IGNORECASE)
_BY_ARTICLE = lazy_regex(r"an? ", re.IGNORECASE)
_LITTLE = lazy_regex(
    r"[的了是在于为须需应可以能有和与及要\W\d_]|[不未]?(?:超过|多于|少于|高于|低于|大于|小于)|[至最][多少高低大小]"
)
"""What says nothing of what a Chinese figure is of."""
_PART = lazy_regex(r"[，；;。：、]|,(?!\d)|[.:]\s|\s(?:and|but|while|whereas|or)\s", re.IGNORECASE)
_AS_GOOD_AS = 0.02
"""By what share of itself a span of time may differ to be the same: 30 days, a month."""


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure with the words of its clause before it and behind it."""

    start: int
    end: int
    value: float
    dimension: str
    before: frozenset[str]
    behind: frozenset[str]

    def is_same(self, other: "_Figure") -> bool:
        return abs(self.value - other.value) <= _AS_GOOD_AS * abs(other.value)

    def closeness(self, asked: "_Figure", elsewhere: frozenset[str]) -> int:
        """Return how well it is of what another is of: by the words that both have, and that it alone has before it."""
        words = asked.before | asked.behind
        return len(words & (self.before | self.behind)) - 2 * len(self.before - words - elsewhere)


def _has_figure_of_another(claim: str, evidence: str) -> bool:
    """Tell whether a figure of a claim stands in the evidence of something else only: 150 a day for others.

    So it is where a figure of that sort stands in a clause that is nearer to the claim's own words, and is another one.
    """
    if claim.rstrip(" .。") in evidence or max(len(claim), len(evidence)) > _LONGEST:
        return False
    told = _figures(_as_it_holds(evidence, claim))
    others = frozenset(word for one in _figures(claim) for word in one.before | one.behind)
    for asked in _figures(claim):
        alike = [one for one in told if one.dimension == asked.dimension]
        same = [one.closeness(asked, others) for one in alike if one.is_same(asked)]
        other = [one.closeness(asked, others) for one in alike if not one.is_same(asked)]
        if other and (not same or max(same) < max(other)):
            return True
    return False


@lru_cache(maxsize=1_024)
def _figures(text: str) -> tuple[_Figure, ...]:
    """Return the amounts of a text, and how often something is as the span of time between."""
    amounts = [(one, _EVERY.search(text, max(0, one.start - 8), one.start)) for one in measures(text)]
    spots = [
        (often.start() if often else one.start, one.end, one.base_value, "every" if often else one.base_unit)
        for one, often in amounts
        if one.dimension != "number" and not (one.dimension == "count" and one.value == 1)
        and not (len(one.text.rstrip("年")) == 4 and one.text[:4].isdecimal())
    ]  # fmt: skip
    for found in _PERIOD.finditer(text):
        days = _DAYS[(found["zh"] or found["en"] or found["ly"]).casefold()]
        spots.append((*found.span(), 86_400 * days, "every"))
    ends = [0, *(found.start() for found in _PART.finditer(text)), len(text)]
    figures = []
    for start, end, value, dimension in spots:
        at = bisect_right(ends, start, hi=len(ends) - 1)
        before, behind = (_signs(text[slice(*span)]) for span in ((ends[at - 1], start), (end, ends[at])))
        figures.append(_Figure(start, end, value, dimension, before, behind))
    return tuple(figures)


def _with_periods_of(evidence: str, claim: str) -> str:
    """Return a sentence with the words of a claim for how often something is: annually for every 12 months."""
    if max(len(claim), len(evidence)) > _LONGEST or not (_PERIOD.search(claim) or _EVERY_SOME.search(claim)):
        return evidence
    asked = [one for one in _figures(claim) if one.dimension == "every"]
    for told in sorted(_figures(evidence), key=lambda one: -one.start):
        same = next((one for one in asked if told.dimension == "every" and told.is_same(one)), None)
        if same is not None and not _BY_ARTICLE.match(evidence, told.start):
            evidence = evidence[: told.start] + claim[same.start : same.end] + evidence[told.end :]
    return evidence


def _signs(text: str) -> frozenset[str]:
    """Return the words of a text; of Chinese the characters, since where words end there is a guess."""
    if working_language(text) == "zh":
        return frozenset(_LITTLE.sub("", text).replace("日", "天"))
    return frozenset(query_terms(text))


_KIND = lazy_regex(
    r"是(?:一[名位个])?(?P<zh>[^\W\d_]{3,12})\Z|\b(?:is|was) an? (?P<en>[a-z]+(?: [a-z]+){1,4})\Z", re.IGNORECASE
)
_OF_WHAT = frozenset("of for in at on by with from to and or that who which than as".split())


def _is_of_another_kind(claim: str, evidence: str) -> bool:
    """Tell whether a claim says of what kind something is, and the evidence has the words in no clause in that order.

    The finalist of the French Open is a tennis player, and not a French tennis player.
    """
    found = _KIND.search(claim.rstrip(" .。"))
    if found is None or "的" in (found["zh"] or "") or _OF_WHAT & set((found["en"] or "").casefold().split()):
        return False
    words = [one.text for one in tagged(found["zh"])] if found["zh"] else query_terms(found["en"])
    parts = [query_terms(part) if found["en"] else part for part in _PART.split(evidence)]
    return not any(_stand_in_order(words, part) for part in parts)


def _stand_in_order(words: Sequence[str], part: str | Sequence[str]) -> bool:
    at = 0
    for word in words:
        if word not in part[at:]:
            return False
        at = part.index(word, at) + 1
    return True


def _of_its_subject(claim: str, evidence: str) -> str:
    """Return a sentence without the clauses that say of another one what the claim says of its own.

    "The pump is serviced daily, the fan is serviced weekly" has each word of "The pump is serviced weekly". A clause
    with a subject of its own is left out where another one, alike in what it says, is about what the claim names.
    """
    clauses = [read_claim(text) for text in _clauses(evidence)] if _is_whole(claim) else []
    if len(_clauses(claim)) > 1:
        return evidence  # it names its subjects itself
    asked = {token.key for token in read_claim(claim).tokens}
    foreign = [other for other in clauses if any(one is not other and _is_beside(one, other, asked) for one in clauses)]
    return " ".join(one.text for one in clauses if one not in foreign) if foreign else evidence


def _clauses(text: str) -> list[str]:
    """Return the clauses of a sentence that have a subject and a verb, each with what follows and has none."""
    if not _BESIDE.search(text) or len(text) > _LONGEST:
        return [text]
    clauses: list[tuple[int, int]] = []
    start = 0
    for end, following in [*(found.span() for found in _BESIDE.finditer(text)), (len(text), len(text))]:
        if clauses and not (_is_whole(text[start:end]) and _is_whole(text[slice(*clauses[-1])])):
            start = clauses.pop()[0]
        clauses.append((start, end))
        start = following
    return [text[slice(*clause)] for clause in clauses]


# ── several things told with one verb ────────────────────────────────────────

_PARTED = lazy_regex(r"(?:[,;]\s+|[，；、]\s*)(?:(?:and|but|while|whereas)\s+|[而和])?|\s(?:and|but|while|whereas)\s")
_ARTICLE = lazy_regex(r"\A(?:the|an?)\s+(?=\w+\s)", re.IGNORECASE)
_PREPOSITIONS = frozenset("at in on by for from to with under over above below of per until after before".split())
_CHINESE_ITEM = lazy_regex(
    r"(?P<label>[A-Za-z]{1,2}\d*|\d+|[甲乙丙丁戊己庚辛东南西北上下左右前后内外大小新旧老早中晚]|"
    r"[一二三四五六七八九十]+)(?P<kind>[号#]?[^\W\d_a-zA-Z周每零第约为是有在由一二三四五六七八九十]{0,3})"
)
"""What a thing is called by that is told from its like by one character, and as much as may be its kind."""
_CHINESE_VALUE = lazy_regex(
    r"(?:零下|[-+−]|约|每|周|星期|第)?(?:\d[\d.,:：]*|[零一二两三四五六七八九十百千万半日]+)\S*|每[^，。；]+"
)
_SPOT = lazy_regex(
    r"每个?(?:季度|半?年|[月周天日晚])|(?:零下|[-+−])?\d[\d.,:：]*(?:\s*[-–~～至到]\s*\d[\d.,:：]*)?|(?:周|星期)[一二三四五六日天]|"
    r"[零一二两三四五六七八九十百千万半]+(?=[月日点个次台名人元米度天年])"
)
"""Where in what is told of the first thing the value stands that another one has in its place."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One of several things that a sentence tells of with one verb, and what it tells of it in full."""

    name: str
    text: str

    def is_named(self, claim: str) -> bool:
        """Tell whether a claim names it: line B is no line B2, and 一号仓 no 十一号仓."""
        end = r"(?![A-Za-z0-9])" if self.name[-1].isascii() else ""
        bounded = rf"(?<![A-Za-z0-9一二三四五六七八九十]){re.escape(self.name)}{end}"
        return re.search(bounded, claim, re.IGNORECASE) is not None


def _of_one_item(claim: str, evidence: str) -> str:
    """Return what a sentence tells of the one of several things that a claim names, else the sentence.

    "Line A runs at 5 bar, line B at 9 bar" has each word of "Line A runs at 9 bar".
    """
    named = [one for one in _elliptic(evidence) if one.is_named(claim)]
    return named[0].text if len(named) == 1 else evidence


@lru_cache(maxsize=1_024)
def _elliptic(text: str) -> tuple[_Item, ...]:
    """Return the things that a sentence tells of with the verb of the first; none where each clause has its own.

    A part goes on so where it begins with a thing like the first: of one kind with another label or word before or
    behind it, another name, or one with an article; and then has a value in the place of that of the first.
    """
    if len(text) > _LONGEST or not _PARTED.search(text):
        return ()
    head, *parts = _PARTED.split(text.rstrip(" .。！!"))
    chinese = working_language(text) == "zh"
    name = ""
    found: list[_Item] = []
    for part in parts:
        item = _chinese_item(head, part) if chinese else _english_item(head, part)
        if item is not None:
            name, other = item
            found.append(other)
        elif found:
            found[-1] = replace(found[-1], text=f"{found[-1].text}, {part}")
        else:
            return ()
    return (_Item(name, head), *found) if found else ()


def _english_item(head: str, part: str) -> tuple[str, _Item] | None:
    """Return what the first thing is called and the one that a part tells of, None where it tells of none."""
    first, second = (_ARTICLE.sub("", text, count=1).split() for text in (head, part))
    length = _length_of_name(head, part, first, second)
    predicate, value = first[length:], second[length:]
    if not length or len(predicate) < 2 or not value:
        return None
    told = _with_value(predicate, value, part)
    name, other = " ".join(first[:length]), " ".join(second[:length])
    return (name, _Item(other, f"{other} {' '.join(told)}")) if told else None


def _length_of_name(head: str, part: str, first: Sequence[str], second: Sequence[str]) -> int:
    """Return of how many words two names are that tell two things of one sort apart, 0 where they do not."""
    plain, other = ([word.casefold() for word in words] for words in (first, second))
    if len(plain) < 2 or len(other) < 2 or plain[0] in _PREPOSITIONS or plain[:2] == other[:2]:
        return 0
    if plain[0] == other[0] or plain[1] == other[1]:
        length = 2
        while plain[length : length + 1] == other[length : length + 1] != []:
            length += 1
        return length
    if first[0][0].isupper() and second[0][0].isupper() and not _ARTICLE.match(part):
        runs = [next((at for at, word in enumerate(words) if not word[0].isupper()), 0) for words in (first, second)]
        return runs[0] if runs[0] == runs[1] else min(filter(None, runs), default=0)
    if first[0].endswith("s") and second[0].endswith("s") and has_digit(second[1]):
        return 1  # visitors pay 20 euros, residents 10
    if all(text[:4].casefold() == "the " for text in (head, part)):
        return next((at for at, token in enumerate(read_claim(head).tokens) if not token.opening), 0)
    return 0


def _with_value(predicate: Sequence[str], value: Sequence[str], part: str) -> list[str]:
    """Return what is told of a thing with the value of another in the place of its own; empty where it has no place."""
    if value[0] in _PREPOSITIONS:
        return [*predicate[: predicate.index(value[0])], *value] if value[0] in predicate else []
    if has_digit(value[0]):
        at = next((at for at, word in enumerate(predicate) if has_digit(word)), None)
        if at is None:
            return []
        rest = predicate[at + 1 :] if len(value) == 1 else predicate[at + len(value) :]
        return [*predicate[:at], *value, *rest]
    if read_claim(part).has_verb:
        return []
    return [*predicate[: max(1, len(predicate) - len(value))], *value]


def _chinese_item(head: str, part: str) -> tuple[str, _Item] | None:
    """Return what the first thing is called and the one that a part tells of, None where it tells of none."""
    names = _chinese_names(head, part)
    if names is None:
        return None
    name, other = names
    predicate, value = head[len(name) :], part[len(other) :]
    if _CHINESE_VALUE.match(value) and (spot := _SPOT.search(predicate)):
        tail, own = predicate[spot.end() :], _SPOT.match(value)
        # 每季度一次 in the place of 每月 in 每月保养一次.
        whole = f"{own[0]}{tail}" if own and value[own.end() :] in tail else value
        return name, _Item(other, f"{other}{predicate[: spot.start()]}{whole}")
    verb = next((one for one in tagged(predicate) if one.tag[:1] == "v"), None)
    if verb is None or any(one.tag[:1] == "v" for one in tagged(value)):
        return None
    return name, _Item(other, f"{other}{predicate[: verb.start + len(verb.text)]}{value}")


def _chinese_names(head: str, part: str) -> tuple[str, str] | None:
    """Return what two clauses begin with that tells two things of one sort apart: A线, B线; 北京, 上海."""
    one, two = _CHINESE_ITEM.match(head), _CHINESE_ITEM.match(part)
    if one and two and one["label"] != two["label"]:
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(one["kind"], two["kind"], strict=False))
        if kind := "".join(char for char, _ in pairs):
            name, other = one["label"] + kind, two["label"] + kind
            return (name, other) if len(part) > len(other) else None
    first, second = tagged(head)[:1], tagged(part)[:1]
    if not first or not second or first[0].text == second[0].text or len(second[0].text) == len(part):
        return None
    if not all(one.tag[:1] == "n" and one.start == 0 and len(one.text) > 1 for one in (first[0], second[0])):
        return None
    name, other = first[0].text, second[0].text  # and what both are: 成人票, 学生票
    behind = head[len(name) :][:1], part[len(other) :][:1]
    if behind[0] == behind[1] and behind[0] not in "为是有":
        return name + behind[0], other + behind[0]
    return name + behind[0] * (behind[0] == other[-1]), other + behind[1] * (behind[1] == name[-1])


def _is_whole(clause: str) -> bool:
    read = read_claim(clause)
    opening = [token for token in read.tokens if token.opening and token.part in NAMING]
    return read.has_verb and bool(opening) and any(not token.opening for token in read.tokens)


def _is_beside(one: ParsedClaim, other: ParsedClaim, asked: set[str]) -> bool:
    """Tell whether a clause is on what a claim names, and another, alike in its words, on what the claim does not."""
    first, second = ([token.key for token in clause.tokens if token.opening] for clause in (one, other))
    own = next((key for key in first if key not in second), "")
    foreign = next((key for key in second if key not in first), "")
    alike = {t.key for t in one.tokens if not t.opening} & {t.key for t in other.tokens if not t.opening}
    return own in asked and bool(foreign) and foreign not in asked and bool(alike)


def bears_out(claim: str, text: str, *, title: str = "") -> bool:
    """Tell whether a sentence of a text, or two that follow each other, say the same as a claim."""
    said = sentence_texts(text)
    pairs = (f"{one} {other}" for one, other in pairwise(said))
    # What is said again bears out no more than before.
    return any(bearing(claim, one, title=title)[1] == "supported" for one in dict.fromkeys((*said, *pairs)))


def values_in(text: str) -> list[str]:
    """Return the figures and names of a text; a first word, which is always capitalised, where it reads as a name."""
    names = [token.text for token in read_claim(text).tokens if token.part is TokenKind.NAME]
    return [*_VALUE.findall(text), *(name for name in names if not _COMMON.search(name))]


@lru_cache(maxsize=256)
def _terms(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the terms of a sentence, and those of its figures and names; kept, since a claim is held against many."""
    # The A of line A is no article, and tells it from line B.
    labels = frozenset(
        token.key for token in read_claim(text).tokens if token.part is TokenKind.NAME and _LABEL.fullmatch(token.text)
    )
    terms = frozenset(query_terms(text)) | labels
    # Of one word alone even "On" and "US" give terms, which the sentence that holds it does not have.
    return terms, labels | (terms & {term for value in set(values_in(text)) for term in query_terms(value)})


# ── what holds now, and in the case that is spoken of ────────────────────────

_FORMER = lazy_regex(
    r"[由从](?P<former>[^，,；;。由从]{1,20}?)(?=(?:推迟|延[后期长迟]|提[前高升]|顺延|改|调[整高低]|更[换改]|变更|换|升|降|增|减|涨|搬|迁)"
    r"[^，,；;。]{0,3}?[到至为成])"
)
_OF_BEFORE = lazy_regex(r"原|曾|之前|以前|过去|本来|起初|最初")
_COUNT = r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_CASE = lazy_regex(
    rf"(?P<rule>[^,;]*?)\b(?P<value>{_COUNT})(?P<unit>\s+[a-z]+)(?P<rest>[^,;]*),\s+(?P<case>(?:in|for|on|at|during|"
    rf"outside)\s+[^,;\d]{{2,40}}?)\s+(?:(?:only|up to|at least|at most)\s+)*(?P<other>{_COUNT})(?P<own>\s+[a-z]+)?\.?",
    re.IGNORECASE,
)
"""A rule and the case with another figure: refunded up to 140 euros a night, in London up to 210."""

_LONGEST = 400
"""Characters; what is longer is no rule with its case."""


def _as_it_holds(evidence: str, claim: str) -> str:
    """Return a sentence without the value that something was changed from, and with that of the case of a claim."""
    if not _FORMER.search(claim) and not _OF_BEFORE.search(claim):
        evidence = _FORMER.sub("", evidence)
    case = _CASE.fullmatch(evidence) if len(evidence) <= _LONGEST else None
    if not case or not set(query_terms(case["case"])) <= set(query_terms(claim)):
        return evidence
    return f"{case['rule']}{case['other'].rstrip('.')}{case['own'] or case['unit']}{case['rest']} {case['case']}."


# ── what one denies and the other says ───────────────────────────────────────

_PLAINER = (
    (lazy_regex(r"未成年"), "幼年"),
    (lazy_regex(r"严禁|禁止|不得(?!不)|不许|不准|不予|不允许|不可以|不适用于?|无权|切勿|请勿|概不|暂停"), "不能"),
    (lazy_regex(r"无[需须]|不需要?"), "不必"),
    (lazy_regex(r"不就是"), "就是"),
    (lazy_regex(r"(?<=[^\x00-\x7f])0(?=\d[:：][0-5]\d(?!\d))"), ""),
    (lazy_regex(r"免(?=[交缴收付])"), "不用"),
    # What was not done is the condition of what may be done then, and a clause of its own.
    (lazy_regex(r"([未没][^，,；;。]{1,6}?)(?=可以|必须|应|须|不能)"), r"\1，"),
    (lazy_regex(r" and (?=(?:can|may|must|will|should|is|are|was|were|has|have|does|do|did)\b)"), ", "),
    (lazy_regex(r"\b(?:strictly |always )?(?:forbidden|prohibited|banned)\b", re.IGNORECASE), "not allowed"),
    (lazy_regex(r"\bout of (?:order|service)\b", re.IGNORECASE), "not working"),
)
"""Ways to forbid and to deny, each with the one that claims are read by."""
_CLAUSE = lazy_regex(r"[，,；;。:：]")
_NEED_NOT = lazy_regex(
    r"\b(?:need not|needn['’]t|(?:do|does)(?: not|n['’]t) (?:need|have to))\b|不必|不用|无需|不需", re.IGNORECASE
)
_NEED = lazy_regex(r"\b(?:must|needs?|has to|have to|required?)\b|必须|需|须|应|要", re.IGNORECASE)
_ASKED = lazy_regex(r"\b(?:until|some|others)\b|吗|难道|岂|直到|有的|有些", re.IGNORECASE)
"""What says that a sentence asks, though it may go on, or that it holds up to a time or of some only."""
_EMPTY = frozenset("permit allow need 允许 适用 必须 需要 需 须 要 能".split())
"""Words that say only that something may or must be."""
_OF_CLAIM = 0.8
_OF_CLAUSE = 0.75
"""The shares of a claim's words, and of the clause that denies them, that both must have. Chosen on one half of the
pairs of the inference sets."""


def _plainly(text: str) -> str:
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    return text


def _with_times_of(evidence: str, comparison: Comparison) -> str:
    """Return a sentence with the times of day that a claim has, too, in that one's writing: 9 p.m. as 21:00."""
    for said, asked in sorted(comparison.shared, key=lambda pair: -pair[0].start):
        one, other = said.when, asked.when
        if one and other and one.form is other.form is Form.CLOCK and one.begin == other.begin:
            evidence = evidence[: one.start] + asked.text + evidence[one.end :]
    return evidence


def _parted(comparison: Comparison) -> list[tuple[Token, Token]]:
    """Return the words that one side denies and the other says, unless it says them before it denies the same.

    Smoking is not allowed here: guests are not allowed to smoke here.
    """
    either = {(token.key, token.denied) for token in comparison.one.tokens}
    both = [pair for pair in comparison.shared if pair[0].denied and pair[1].denied and not pair[0].former]

    def is_before(told: Token, side: int) -> bool:
        of = comparison.one if side == 0 else comparison.other
        return any(
            told.place < pair[side].place and _clause_of(told, of) == _clause_of(pair[side], of) for pair in both
        )

    return [
        (said, asked)
        for said, asked in comparison.shared
        if said.part is not TokenKind.PERSON
        and said.denied != asked.denied
        and (said.key, asked.denied) not in either
        and not (is_before(asked, 1) if said.denied else is_before(said, 0))
    ]


def _may_both_hold(comparison: Comparison, parted: Sequence[tuple[Token, Token]]) -> bool:
    """Tell whether one only need not be what the other says, excepts it, or denies its condition, too."""
    evidence, claim = comparison.one, comparison.other
    needless = [_NEED_NOT.search(one.text) is not None for one in (evidence, claim)]
    if needless[0] != needless[1] and not _NEED.search((claim if needless[0] else evidence).text):
        return True
    if (EXCEPTED.search(evidence.text) is None) != (EXCEPTED.search(claim.text) is None):
        return True
    return len({_clause_of(said, evidence) for said, _ in parted if said.denied}) > 1


def _denies(comparison: Comparison, parted: Sequence[tuple[Token, Token]]) -> bool:
    """Tell whether a clause of the evidence says the opposite of a claim, of the same and under no other condition."""
    evidence, claim = comparison.one, comparison.other
    opposite = [found for found in comparison.differences if found.kind is DifferenceKind.OPPOSITE]
    against = [*(said for said, _ in parted), *(token for found in opposite for token in found.one)]
    if not against or evidence.is_past != claim.is_past or evidence.language != claim.language:
        return False
    if any(one.is_conditional or one.is_question or _ASKED.search(one.text) for one in (evidence, claim)):
        return False
    clauses = {_clause_of(token, evidence) for token in against}
    if len(clauses) > 1 or EXCEPTED.search(evidence.text):
        return False
    agreed = {id(token) for pair in comparison.shared for token in pair}
    agreed |= {id(token) for found in opposite for token in (*found.one, *found.other)}
    own = [token for token in evidence.tokens if _clause_of(token, evidence) in clauses]
    strange = [token for token in own if id(token) not in agreed]
    if any(token.part not in {TokenKind.WORD, TokenKind.PERSON} for token in strange) or len(comparison.shared) < 2:
        return False
    return _share(claim.tokens, agreed) >= _OF_CLAIM and _share(own, agreed) >= _OF_CLAUSE


def _excludes(comparison: Comparison, judgement: Judgement, title: str) -> bool:
    """Tell whether the evidence with its title has what a claim says, but for the value in which they differ.

    What is denied has rules of its own (`_denies`), and words that differ are most often two things that are both so:
    they exclude each other where the evidence says nothing but what it is: the owner of it is Bo.
    """
    difference = judgement.difference
    if judgement.conflict < CONFLICT or difference is None or difference.kind is DifferenceKind.DENIAL:
        return False
    agreed = {id(token) for pair in comparison.shared for token in pair}
    agreed |= {id(token) for found in comparison.differences for token in (*found.one, *found.other)}
    told = _share(comparison.one.tokens, agreed)
    if difference.kind is DifferenceKind.WORD and (told < 1 or not is_defined(difference.one[0], comparison.one)):
        return False
    agreed |= {id(token) for token in comparison.other.tokens if token.text in title}
    least = _ALIKE if told == 1 else _OF_CLAIM
    return told >= _RECIPROCAL and _share(comparison.other.tokens, agreed) >= least


_WHICH = lazy_regex(r"[一二三四五六七八九十]+(?=(?:车间|年级|[号楼期组班队区层部线库仓厅室])(?!之))")
_OFTEN = lazy_regex(
    r"每.{0,2}?(?:季|年|[月周天日晚]|小时)|\b(?:every|each|per|an?) (?:hour|day|week|month|quarter|year)\b|"
    r"\b(?:hour|dai|week|month|quarter|year|annual)ly\b",
    re.IGNORECASE,
)
_SPANS = {"dai": "day", "ann": "yea"}


def _how_often(text: str) -> set[str]:
    """Return what a sentence says of how often, a week as weekly."""
    said = (found[0].casefold() for found in _OFTEN.finditer(text))
    return {_SPANS.get(span := one.split()[-1][:3], span) for one in said}


def _is_held(comparison: Comparison) -> bool:
    """Tell whether the evidence has each word of a claim: 每周四打款 gives terms that 每周四集中打款 has not."""
    agreed = {id(token) for pair in comparison.shared for token in pair}
    tokens = comparison.other.tokens
    # How often, and of which number (二车间), are no tokens.
    if not _how_often(comparison.other.text) <= _how_often(comparison.one.text):
        return False
    if not set(_WHICH.findall(comparison.other.text)) <= set(_WHICH.findall(comparison.one.text)):
        return False
    return len(tokens) > 2 and not comparison.differences and all(id(token) in agreed for token in tokens)


def _share(tokens: Sequence[Token], agreed: set[int]) -> float:
    told = [token for token in tokens if token.part is not TokenKind.PERSON and token.key not in _EMPTY]
    return sum(id(token) in agreed for token in told) / len(told) if told else 0.0


def _clause_of(token: Token, claim: ParsedClaim) -> int:
    return len(_CLAUSE.findall(claim.text[: token.start]))


_CONFLICT = re.compile(r"<conflict\b[^<>]*>")
_MAX_STATEMENTS = 2_000
"""Statements of all sources together that are weighed. Chosen by hand."""
_BETWEEN = " / "
_MAX_PER_SOURCE = 200
"""Statements of one source: one long document must not use up what all of them may have. Chosen by hand."""
# Whoever speaks of now knows of an earlier state; this tells more than that it was said later.
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|these days|lately|no longer|any ?more|from now on|since then)\b|"
    r"现在|如今|目前|眼下|不再|改为|改成|改用",
    re.IGNORECASE,
)
UNDECIDED = re.compile(
    r"\b(?:inconclusive|undecided|unclear|uncertain|unverified|cannot be (?:verified|confirmed|determined)|could not "
    r"(?:be )?(?:verif(?:y|ied)|confirm(?:ed)?|determine[d]?|find)|no (?:reliable |clear )?(?:evidence|source|"
    r"conclusion)|sources (?:disagree|differ|conflict)|not enough (?:evidence|information)|no agreement)\b|无法(?:确认|"
    r"确定|验证|判断|核实)|没有(?:定论|结论|证据|可靠来源)|证据不足|说法不一|各执一词|未能(?:确认|证实|验证)|不确定|"
    r"尚无定论|存疑|信息不足",
    re.IGNORECASE,
)
"""What says that a validation came to nothing."""
_JUDGED = re.compile(
    r"\b(?:in)?(?:correct|accurate)\b|\b(?:right|wrong|true|false|mistaken|outdated|reliable|authoritative|error|actual(?:ly)?|"
    r"should be|confirm\w*|support\w*|refut\w*|prov(?:es|en|ed))\b|"
    r"正确|准确|属实|证实|确认|支持|应为|应该是|为准|有误|错误|不实|不对|可靠|可信|权威|过时|实际|采信|成立",
    re.IGNORECASE,
)
# A source is what stands behind one number or heading of a result.
_SOURCE = re.compile(r"^(?:\d{1,3}\.\s*\[[^\]\n]*\]|#\s).*$", re.MULTILINE)

_VERDICTS = {
    "changed": Bilingual(
        "{right} That is how it is since. “{wrong}” is outdated.", "{right} 这是后来的情况。“{wrong}”已过时。"
    ),
    "more": Bilingual(
        "{right} Most sources say so. “{wrong}” is wrong.", "{right} 多数来源支持这一说法。“{wrong}”有误。"
    ),
    "open": Bilingual(
        "It cannot be determined which is right; sources disagree: “{one}” / “{other}”",
        "无法确认哪一种说法正确：各来源说法不一。“{one}” / “{other}”",
    ),
}


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two statements of which one at most holds; the first was said later."""

    newer: str
    older: str

    @property
    def query(self) -> str:
        """What to search for: what both speak of."""
        return f"{self.newer} {self.older}"


def contradiction_in(task: str) -> Contradiction | None:
    """Return what a cross-validation is about, when the task says it as two statements."""
    found = _CONFLICT.search(task)
    _, opened, rest = task[found.end() :].partition("<description>") if found else ("", "", "")
    said, closed, rest = rest.partition("</description>")
    parts = [part.strip() for part in said.strip().split(_BETWEEN)]
    is_whole = opened and closed and "</conflict>" in rest and len(parts) == 2 and all(parts)
    return Contradiction(*parts) if is_whole else None


def leaves_open(matter: Contradiction, finding: str) -> bool:
    """Tell whether a finding settles nothing: it says so, or it tells what both statements say and judges neither.

    A finding that only tells both sides is none, whatever it is called.
    """
    if UNDECIDED.search(finding):
        return True
    one, other, told = (set(query_terms(text)) for text in (matter.newer, matter.older, finding))
    return bool(one - other) and bool(other - one) and (one ^ other) <= told and not _JUDGED.search(finding)


def settle_contradiction(matter: Contradiction, results: Sequence[str]) -> str:
    """Return a verdict in words: which statement holds, or that it cannot be told."""
    said = in_language(_VERDICTS, working_language(matter.newer, matter.older))
    one, other = DatedStatement(matter.newer), DatedStatement(matter.older)
    if _NOW.search(matter.newer) and not _NOW.search(matter.older):
        return said["changed"].format(right=matter.newer, wrong=matter.older)
    if judge_statements(one, other).is_update:
        # Whoever tells of a change knows both states; the one who tells of none knows the earlier one only.
        changed = one.read().is_change or not other.read().is_change
        right, wrong = (matter.newer, matter.older) if changed else (matter.older, matter.newer)
        return said["changed"].format(right=right, wrong=wrong)
    parts = [part.strip() for result in results for part in _SOURCE.split(result)]  # each source once
    for_one, for_other = _support(matter, list(dict.fromkeys(part for part in parts if part)))
    if for_one == for_other:
        return said["open"].format(one=matter.newer, other=matter.older)
    right, wrong = (matter.newer, matter.older) if for_one > for_other else (matter.older, matter.newer)
    return said["more"].format(right=right, wrong=wrong)


_NUMBERED = re.compile(r"^(?=\d{1,3}\.\s*\[|#\s)", re.MULTILINE)
_BY_ID = re.compile(r"\A\d{1,3}\.\s*\[[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}\].*\n")


def source_texts(result: str) -> list[str]:
    """Return the texts of a result, one of each source, with what stands on its first line, unless that is an id."""
    return [part for piece in _NUMBERED.split(result) if (part := _BY_ID.sub("", piece).strip())]


def _support(matter: Contradiction, sources: Sequence[str]) -> tuple[int, int]:
    """Return how many sources contradict the second statement and not the first, and the other way round.

    A source that contradicts both sides speaks for neither.
    """
    told = [
        (place, text)
        for place, source in enumerate(sources)
        for text in summary_statements(source, most=_MAX_PER_SOURCE)
    ]
    for_one: set[int] = set()
    for_other: set[int] = set()
    for place, text in told[:_MAX_STATEMENTS]:
        against_one, against_other = (
            judge_statements(DatedStatement(text), DatedStatement(side)).conflict >= CONFLICT
            for side in (matter.newer, matter.older)
        )
        if against_other and not against_one:
            for_one.add(place)
        elif against_one and not against_other:
            for_other.add(place)
    return len(for_one - for_other), len(for_other - for_one)
