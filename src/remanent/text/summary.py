"""Shortening a text without a model: the sentences that matter, then clauses, then words; never part of a word.

What matters is what carries meaning and was not said yet: terms, names, numbers, dates and negations, each with a
weight. Parts are taken whole from the text, so that a summary says nothing that the text does not.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush
from itertools import accumulate
from math import log, sqrt

from remanent.errors import InvalidInput
from remanent.text.boundaries import first_graphemes, word_boundaries
from remanent.text.dates import find_dates
from remanent.text.keywords import word_runs
from remanent.text.mentions import mentions
from remanent.text.numbers import quantities
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN
from remanent.text.sentences import sentences
from remanent.text.spans import Span, between
from remanent.values import dataclass


@dataclass(frozen=True, slots=True)
class SalientTerm(Span):
    """Something that carries meaning: where it stands, what it is (equal things, equal keys), how much it weighs."""

    key: str
    weight: float

    def times(self, factor: float) -> "SalientTerm":
        """Return the same with so many times its weight."""
        return SalientTerm(self.start, self.end, self.key, factor * self.weight)


_NEGATION = lazy_regex(
    r"\b(?:not|never|no|nobody|nothing|none|neither|nor|cannot|without|hardly|unable|fail(?:s|ed)?|\w+n['’]t)\b"
    r"|(?:并?不(?!过|仅|但|管|论|断|久|同)|没有?|未(?!来)|无法|从不|绝不|别(?!人|的|墅)|非(?!常|洲)|拒绝|禁止)",
    re.IGNORECASE,
)
# Against 1 for a rare word; chosen by hand, as are the numbers further down.
_NAME, _NUMBER, _DATE, _NEGATED, _ABOUT = 1.5, 1.2, 1.2, 1.5, 3.0
_FACT = ("name ", "number ", "date ")
_TOLD = {"name": 2.0, "number": 3.0, "date": 2.0}
# Only places are asked for, and those do not depend on the moment.
_ANY_MOMENT = datetime(2020, 1, 1, tzinfo=UTC)


def _marks(text: str, about: Sequence[str]) -> list[SalientTerm]:
    """Return what carries meaning in a text, in order; marks of different sorts may overlap."""
    found = [*_terms(text), *_facts(text)]
    if about:
        # What is told of a thing is most often a number, a date or a name, and seldom one of its keywords.
        found = [mark.times(_TOLD.get(mark.key.partition(" ")[0], 1.0)) for mark in found]
    for rank, words in enumerate(about):
        weight = _ABOUT / (1 + rank / 4)
        places = re.finditer(re.escape(words), text, re.IGNORECASE)
        found += [SalientTerm(*place.span(), f"about {words}", weight) for place in places]
    return sorted(found, key=lambda mark: (mark.start, mark.end))


def _negations(text: str) -> list[Span]:
    """Return the words that turn a statement into its opposite."""
    return [Span(*found.span()) for found in _NEGATION.finditer(text)]


def _terms(text: str) -> Iterator[SalientTerm]:
    """Yield the words that tell something, weighed by how rare they are and how often they come."""
    terms = [term for run in word_runs(text) for term in run]
    counts = Counter(term.key for term in terms)
    for term in terms:
        yield SalientTerm(term.start, term.end, term.key, term.weight * (1 + log(counts[term.key])))


def _facts(text: str) -> Iterator[SalientTerm]:
    """Yield names, numbers, dates and negations: what a reader would miss first."""
    for name in mentions(text):
        yield SalientTerm(name.start, name.end, f"name {name.key}", _NAME)
    for number in quantities(text):
        yield SalientTerm(number.start, number.end, f"number {number.text.casefold()}", _NUMBER)
    for date in find_dates(text, reference=_ANY_MOMENT):
        yield SalientTerm(date.start, date.end, f"date {date.text.casefold()}", _DATE)
    for negation in _negations(text):
        # Each negation is about something else: none stands for another.
        yield SalientTerm(negation.start, negation.end, f"not {negation.start}", _NEGATED)


def marks_within(found: Sequence[SalientTerm], span: Span) -> list[SalientTerm]:
    """Return those of the marks, which are in order, that lie wholly in a stretch."""
    first = bisect_left(found, span.start, key=lambda mark: mark.start)
    last = bisect_left(found, span.end, lo=first, key=lambda mark: mark.start)
    return [mark for mark in found[first:last] if mark.end <= span.end]


Measure = Callable[[str], int]
"""How long a text is: `len`, or a token counter."""


@dataclass(frozen=True, slots=True)
class ExtractiveSummary:
    """A shortened text and the stretches of the original that it is made of, in their order."""

    text: str
    spans: tuple[Span, ...]


_HAN_THERE = lazy_regex(rf"[{HAN}]")
# Chinese words that did not follow each other are told apart by a space: run together, they would read as a sentence.
_NO_SPACE_BEFORE = lazy_regex(r"[，。！？；：、”’」』）】》,.!?;:)\]}%]")
_NO_SPACE_AFTER = lazy_regex(r"[，。！？；：、“‘「『（【《(\[{$]")
_CLAUSE = lazy_regex(
    r"[，；：;]\s*|[,:](?!\d)\s*|(?<=\w)\s+(?=(?:and|but|because|although|though|while|which|who|so|since|when|after|before|if)\s)"
    r"|\s[-–—]\s|——|(?=但是|因为|所以|而且|虽然|然后|不过)"
)
_LEADING = lazy_regex(
    r"(?:(?:and|but|so\s+that|so|or|then|because|although|though|which|who)\s+|并且|而且|但是|然后|不过|所以|因为)",
    re.IGNORECASE,
)
_TRAILING = " \t，,；;：:、—–-"
_EDGE = ' \t\n\r\u3000，,；;：:、。.-–—[](){}（）【】“”「」"'
_CLAUSE_END = lazy_regex(r"\s*(?:[，；：。！？,;:.!?…)\]）】]|\Z)")
# What it is worth that words in a row begin where a clause does, what it costs that they begin with a word that tells
# nothing, and what each further character is worth.
_WHOLE, _TORN, _FULLER = 0.5, 0.3, 0.02
# Longer stretches lose against two shorter ones of the same worth, but less than their length alone says.
_LENGTH_MATTERS = 0.6
# The first sentence says more often than others what a text is about.
_FIRST = 1.15
# Less than one plain word adds is not worth the room.
_LEAST = 0.7
# Words tried after the first that does not fit: later ones carry less, and each try costs as much as the summary.
_TRIED = 100
# What words in a row and words picked out count for against the same said in sentences.
_ROW = 0.9
_PICKED = {"en": 0.55, "zh": 0.85}
# A question tells little by itself.
_ASKED = 0.5
# A level is good enough when it fills this much of the room; else the next finer one may say more.
_FILLED = 0.55


def summarize(text: str, *, limit: int, measure: Measure = len, about: Sequence[str] = ()) -> ExtractiveSummary:
    """Return the sentences that say most, in their order, within a length; finer parts when no sentence fits.

    Sentences are ranked by the terms, names, numbers, dates and negations that no chosen one has said yet, and before
    all by the words that the text is about, where those are given.
    """
    if limit < 1:
        raise InvalidInput(f"a summary needs room for at least 1, not {limit}")
    if measure(text.strip()) <= limit:
        span = Span(0, len(text)).trimmed(text)
        return ExtractiveSummary(span.of(text), (span,) if span else ())
    found = _marks(text, about)
    spans = sentences(text)
    if about:
        return _made(text, _most_telling(text, spans, found, limit))
    chosen = _choose(text, _trimmed(text, spans), found, limit=limit, measure=measure)
    if chosen and _fills(text, chosen, limit, measure):
        return _made(text, chosen)
    finer = _finer(text, spans, found, limit, measure)
    return _made(text, max((chosen, finer), key=lambda option: _worth(option, found)))


def compress(text: str, target: int, *, about: Sequence[str] = ()) -> str:
    """Return the text in at most `target` characters: whole sentences if they fit, else clauses, else words.

    Never empty unless the text is. Where no single word is short enough, the shortest one is returned.
    """
    return summarize(text, limit=max(1, target), about=about).text


def compress_within(text: str, target: int, *, about: Sequence[str] = ()) -> str:
    """Return the same where longer will not do: as it is when it is short enough, and even a word is cut, at a sign."""
    if len(text) <= target:
        return text
    return first_graphemes(compress(text, target, about=about), target)


# ── which parts ──────────────────────────────────────────────────────────────


def _choose(
    text: str, parts: Sequence[Span], found: Sequence[SalientTerm], *, limit: int, measure: Measure
) -> list[Span]:
    """Take the part that adds most for its length, again and again, until nothing fits any more.

    What is said already only ever lowers a part's gain, so a part whose gain was just counted anew and still leads all
    others is the best one: the others need not be looked at.
    """
    inside = [marks_within(found, part) for part in parts]
    lengths = [max(1, measure(part.of(text))) + _gap(text, part, measure) for part in parts]
    worth = [(_FIRST if place == 0 else 1) / lengths[place] ** _LENGTH_MATTERS for place in range(len(parts))]
    said: set[str] = set()
    chosen: list[int] = []
    left = limit + (max(_gap(text, part, measure) for part in parts) if parts else 0)
    heap = [(-_gain(inside[place], said) * worth[place], place) for place, part in enumerate(parts) if part]
    heapify(heap)
    while heap:
        _, best = heappop(heap)
        added = _gain(inside[best], said)
        gain = added * worth[best]
        if lengths[best] > left or (added < _LEAST and chosen):
            continue
        if heap and -heap[0][0] > gain:
            heappush(heap, (-gain, best))
            continue
        chosen.append(best)
        said |= {mark.key for mark in inside[best]}
        left -= lengths[best]
    return sorted(_longest_fitting(text, [parts[place] for place in chosen], limit, measure))


def _longest_fitting(text: str, parts: Sequence[Span], limit: int, measure: Measure) -> list[Span]:
    """Return as many of the parts, from the first on, as fit together: gaps may take more than was reckoned."""
    if measure(_joined(text, sorted(parts))) <= limit:
        return list(parts)
    fitting = bisect_right(range(1, len(parts)), limit, key=lambda count: measure(_joined(text, sorted(parts[:count]))))
    return list(parts[:fitting])


def _gap(text: str, part: Span, measure: Measure) -> int:
    """Return what the space after a part takes: nothing behind a Chinese mark."""
    return 0 if not part or _NO_SPACE_AFTER.match(text[part.end - 1]) else measure(" ")


def _gain(inside: Sequence[SalientTerm], said: set[str]) -> float:
    """Return what a part adds to what is said already; a term counts once."""
    weights = {mark.key: mark.weight for mark in inside if mark.key not in said}
    return sum(weights.values())


def _worth(chosen: Sequence[Span], found: Sequence[SalientTerm]) -> float:
    """Return what some parts say together; any part is better than none."""
    return _gain([mark for part in chosen for mark in marks_within(found, part)], set()) + (0.01 if chosen else 0)


def _fills(text: str, chosen: Sequence[Span], limit: int, measure: Measure) -> bool:
    """Tell whether the parts use the room well enough."""
    return measure(_joined(text, chosen)) >= _FILLED * limit


def _finer(text: str, spans: Sequence[Span], found: Sequence[SalientTerm], limit: int, measure: Measure) -> list[Span]:
    """Choose among clauses, and where those do not fill the room, among the words of the best sentence."""
    clauses = _trimmed(text, [clause for span in spans for clause in _clauses(text, span)])
    chosen = _choose(text, clauses, found, limit=limit, measure=measure)
    if chosen and _fills(text, chosen, limit, measure):
        return chosen
    best = max(filter(None, _trimmed(text, spans)), key=lambda span: _worth([span], found) / sqrt(len(span) + 1))
    words = _words(text, best, found, limit, measure)
    return max((chosen, words), key=lambda option: _worth(option, found))


def _most_telling(text: str, spans: Sequence[Span], found: Sequence[SalientTerm], limit: int) -> list[Span]:
    """Choose what says most of what a text is about: sentences, clauses, words in a row, or words picked out.

    Words that follow each other still say who did what; picked out one by one they only name things, in Chinese with
    less loss.
    """
    whole = [span for span in _trimmed(text, spans) if span]
    asked = {mark for span in whole if text[span.end - 1] in "?？" for mark in marks_within(found, span)}
    found = [mark.times(_ASKED) if mark in asked else mark for mark in found]
    clauses = _trimmed(text, [clause for span in whole for clause in _clauses(text, span)])
    picked = _PICKED["zh" if _HAN_THERE.search(text) else "en"]
    options = [
        (1.0, _choose(text, whole, found, limit=limit, measure=len)),
        (1.0, _choose(text, clauses, found, limit=limit, measure=len)),
        *((_ROW, _row(text, span, found, limit)) for span in whole),
        *((picked, _words(text, span, found, limit, len)) for span in whole),
    ]
    return max(options, key=lambda option: option[0] * _worth(option[1], found))[1]


def _clauses(text: str, span: Span) -> list[Span]:
    """Return the clauses of a sentence: cut at commas and conjunctions."""
    borders = [border.end() or border.start() for border in _CLAUSE.finditer(text, span.start, span.end)]
    inner = between((border - span.start for border in borders), len(span))
    return [Span(part.start + span.start, part.end + span.start) for part in inner]


def _trimmed(text: str, parts: Sequence[Span]) -> list[Span]:
    return [part.trimmed(text) for part in parts]


# ── which words ──────────────────────────────────────────────────────────────


def _words(text: str, span: Span, found: Sequence[SalientTerm], limit: int, measure: Measure) -> list[Span]:
    """Keep the words of a stretch that carry most; a negation stays with the word that it negates."""
    held = [mark for mark in marks_within(found, span) if measure(text[mark.start : mark.end]) <= limit]
    for units in (_units(text, span, held), _units(text, span, [])):
        chosen = _fitting(text, units, found, limit, measure)
        if chosen:
            return chosen
    # Not one word is short enough: the shortest is the least that can be said.
    return [min(units, key=lambda unit: (len(unit), unit.start))]


def _row(text: str, span: Span, found: Sequence[SalientTerm], limit: int) -> list[Span]:
    """Return the words of a stretch that follow each other, fit and say most, torn off at neither end."""
    units = _units(text, span, [mark for mark in marks_within(found, span) if len(mark) <= limit])
    told = [_worth([unit], found) - 0.01 for unit in units]
    closed = [_CLAUSE_END.match(text, unit.end, span.end) is not None for unit in units]
    ends = [place for place in range(len(units)) if told[place] > 0 or closed[place]]
    said = [0.0, *accumulate(told)]
    best, chosen = 0.0, list[Span]()
    last = 0
    for first, unit in enumerate(units):
        # The end moves on with the beginning, so that each is looked at once.
        while last < len(ends) and units[ends[last]].end - unit.start <= limit:
            last += 1
        if not last or ends[last - 1] < first:
            continue
        end = ends[last - 1]
        opens = first == 0 or closed[first - 1]
        worth = said[end + 1] - said[first] + (_WHOLE if opens else 0.0 if told[first] > 0 else -_TORN)
        worth += _FULLER * (units[end].end - unit.start)
        if worth > best:
            best, chosen = worth, [Span(unit.start, units[end].end)]
    return chosen


def _fitting(
    text: str, units: Sequence[Span], found: Sequence[SalientTerm], limit: int, measure: Measure
) -> list[Span]:
    """Return the words that carry most for their length and fit, in the order of the text."""
    ranked = sorted(units, key=lambda unit: (-_density(unit, found), unit.start))
    telling = [unit for unit in ranked if marks_within(found, unit)]
    chosen = sorted(_longest_fitting(text, telling, limit, measure))
    # What does not fit may be followed by shorter words that do.
    for unit in telling[len(chosen) :][:_TRIED]:
        trial = sorted([*chosen, unit])
        if measure(_joined(text, trial)) <= limit:
            chosen = trial
    if chosen:
        return chosen
    # A word without meaning is better than none.
    dull = [unit for unit in ranked if not marks_within(found, unit)][:_TRIED]
    return next(([unit] for unit in dull if measure(_joined(text, [unit])) <= limit), [])


def _density(unit: Span, found: Sequence[SalientTerm]) -> float:
    """Return how much a word carries for its length."""
    return float(_worth([unit], found) / len(unit) ** _LENGTH_MATTERS)


def _units(text: str, span: Span, held: Sequence[SalientTerm]) -> list[Span]:
    """Return the words of a stretch without punctuation; names, numbers and dates are one, negations take the next.

    A negation takes the word behind it along, so that no shortening turns a sentence into its opposite.
    """
    borders = {span.start, *(span.start + border for border in word_boundaries(span.of(text)))}
    for mark in held:
        if mark.key.startswith((*_FACT, "about ")):
            borders |= {mark.start, mark.end} if _at_words(text, mark) else set()
            borders -= set(range(mark.start + 1, mark.end))
    ordered = sorted(borders)
    following = 0
    for mark in held:
        if mark.key.startswith("not "):
            if mark.end >= following:  # else it lies in what the negation before it took
                place = bisect_right(ordered, mark.end)
                following = ordered[place] if place < len(ordered) else mark.end
            borders -= set(range(mark.start + 1, following))
    units = between((border - span.start for border in borders), len(span))
    bare = (_bare(text, Span(unit.start + span.start, unit.end + span.start)) for unit in units)
    return [unit for unit in bare if unit] or [span]


def _at_words(text: str, mark: SalientTerm) -> bool:
    """Tell whether a mark does not begin or end inside a word that spaces bound."""
    around = text[mark.start - 1 : mark.start + 1], text[mark.end - 1 : mark.end + 1]
    return not any(len(pair) == 2 and pair.isascii() and pair.isalnum() for pair in around)


def _bare(text: str, span: Span) -> Span:
    """Return a stretch without the punctuation at its ends."""
    part = span.of(text)
    left = len(part) - len(part.lstrip(_EDGE))
    return Span(span.start + left, span.start + max(left, len(part.rstrip(_EDGE))))


# ── putting together ─────────────────────────────────────────────────────────


def _made(text: str, chosen: Sequence[Span]) -> ExtractiveSummary:
    """Make the summary, without a conjunction at its beginning or a comma at its end that lead nowhere now."""
    parts = list(chosen)
    if not parts:
        return ExtractiveSummary("", ())
    for place, part in enumerate(parts):
        follows = not text[parts[place - 1].end : part.start].strip() if place else not part.start
        leading = None if follows else _LEADING.match(text, part.start, part.end)
        if leading and leading.end() < part.end and (place == 0 or leading[0].islower()):
            parts[place] = Span(leading.end(), part.end)
    kept = parts[-1].of(text).rstrip(_TRAILING)
    if kept:
        parts[-1] = Span(parts[-1].start, parts[-1].start + len(kept))
    return ExtractiveSummary(_joined(text, parts), tuple(parts))


def _joined(text: str, parts: Sequence[Span]) -> str:
    """Put parts together with what stands between them, or with a space between words."""
    written: list[str] = []
    last: Span | None = None
    for part in parts:
        if last is not None:
            between_them = text[last.end : part.start]
            if not between_them or (between_them.isspace() and "\n" not in between_them):
                written.append(between_them)
            elif not (_NO_SPACE_AFTER.match(written[-1][-1:]) or _NO_SPACE_BEFORE.match(text[part.start])):
                written.append(" ")
        written.append(part.of(text))
        last = part
    return "".join(written)
