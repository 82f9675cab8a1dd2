"""Shortening texts and talk without a model: the sentences that matter, then clauses, then words; never part of a word.

What matters is what carries meaning and was not said yet: terms, names, numbers, dates and negations, each with a
weight. Parts are taken whole from the text, so that a summary says nothing that the text does not.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush
from itertools import accumulate, chain
from math import log, sqrt

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.text.dates import find_dates
from remanent.text.keywords import word_runs
from remanent.text.mentions import mentions
from remanent.text.numbers import quantities
from remanent.text.regex import lazy_regex
from remanent.text.scripts import has_han
from remanent.text.sentences import sentence_texts, sentences
from remanent.text.spans import Span, between, first_graphemes, word_boundaries
from remanent.text.talk import says_nothing_alone
from remanent.text.terms import index_terms
from remanent.text.words import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS


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
    for negation in _NEGATION.finditer(text):
        # Each negation turns another statement into its opposite: none stands for another.
        yield SalientTerm(*negation.span(), f"not {negation.start()}", _NEGATED)


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
    """Return the same where longer will not do: a short text as it is; even a word is cut, between two graphemes."""
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
    inside = marks_within(found, best)
    units = _units(text, best, [mark for mark in inside if measure(text[mark.start : mark.end]) <= limit])
    words = _words(text, best, units, inside, limit=limit, measure=measure)
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
    picked = _PICKED["zh" if has_han(text) else "en"]
    # For the words of a sentence its own marks are looked through, and not those of all the text.
    held = [marks_within(found, span) for span in whole]
    cut = [_units(text, span, [mark for mark in held[n] if len(mark) <= limit]) for n, span in enumerate(whole)]
    options = [
        (1.0, _choose(text, whole, found, limit=limit, measure=len)),
        (1.0, _choose(text, clauses, found, limit=limit, measure=len)),
        *((_ROW, _row(text, span, units, inside, limit)) for span, units, inside in zip(whole, cut, held, strict=True)),
        *(
            (picked, _words(text, span, units, inside, limit=limit, measure=len))
            for span, units, inside in zip(whole, cut, held, strict=True)
        ),
    ]
    return max(options, key=lambda option: option[0] * _worth(option[1], found))[1]


def _clauses(text: str, span: Span) -> list[Span]:
    """Return the clauses of a sentence: cut at commas and conjunctions."""
    borders = [border.end() or border.start() for border in _CLAUSE.finditer(text, span.start, span.end)]
    return between(borders, span.end, start=span.start)


def _trimmed(text: str, parts: Sequence[Span]) -> list[Span]:
    return [part.trimmed(text) for part in parts]


# ── which words ──────────────────────────────────────────────────────────────


def _words(
    text: str, span: Span, units: Sequence[Span], inside: Sequence[SalientTerm], *, limit: int, measure: Measure
) -> list[Span]:
    """Keep the words of a stretch that carry most; a negation stays with the word that it negates."""
    if chosen := _fitting(text, units, inside, limit, measure):
        return chosen
    plain = _units(text, span, [])
    # If not one word is short enough, the shortest is the least that can be said.
    return _fitting(text, plain, inside, limit, measure) or [min(plain, key=lambda unit: (len(unit), unit.start))]


def _row(text: str, span: Span, units: Sequence[Span], inside: Sequence[SalientTerm], limit: int) -> list[Span]:
    """Return the words of a stretch that follow each other, fit and say most, torn off at neither end."""
    told = [_worth([unit], inside) - 0.01 for unit in units]
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
    # By how much a word carries for its length.
    density = {unit: _worth([unit], found) / len(unit) ** _LENGTH_MATTERS for unit in units}
    ranked = sorted(units, key=lambda unit: (-density[unit], unit.start))
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
    units = [_bare(text, unit) for unit in between(borders, span.end, start=span.start)]
    return [unit for unit in units if unit] or [span]


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


# ── conversations ────────────────────────────────────────────────────────────
# Every message gives the sentence that tells most, telling ones first. A summary of the joined text keeps what the talk
# is about as a whole. Whoever goes on with a conversation asks for its particulars, and those lie one in a message:
# who, what, when, once. Measured on public talk at a fifth of its characters, sentences that later questions need
# survived like this (any / all of a question's):
# LoCoMo, 240 questions: .72 / .51, by the summary of the joined text .45 / .25; BEAM, 144: 1.0 / .93 against .53 / .12.

# All four were chosen on one half of the two sets and held on the other.
_MAIN = 4.0
"""What the most telling sentence of a message counts for, against its others."""
_OWN = 1.3
"""A sentence on oneself tells more often what is asked for later."""
_ASKING = 0.3
"""A sentence that only asks tells little that is asked for later."""
_LENGTH = 0.6
"""Longer sentences lose against two shorter ones that tell as much, but less than their length alone says."""
_LONGEST = 400
"""Characters of one sentence; what has none of its borders is cut here."""

_SELF = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|my|me|we|we're|we've|our|us)\b|[我咱俺]", re.IGNORECASE)
_QUESTION = re.compile(r"[?？]\s*[\"'”’)）]*\s*$")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
"""A block of code has no sentences, and pieces of it are of no use."""
_UNIT = re.compile(r"[\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+")
"""A word, or a Chinese character; numbers are none."""
_ALIKE, _MOST_ALIKE, _LONG = 2, 4, 14
"""How many sentences count that differ in their numbers only ("Looked at lines 40 to 80"), and how many that differ in
one word, where they have so many Chinese characters or half as many words; more wait for room. Chosen by hand."""
_TELLING = 3
"""Words that a decision in a list has at least, its speaker's name among them. Chosen by hand."""
_CLOSING = re.compile(
    r"(?:(?:i |wow,? |yeah,? )?can['’]?t wait|long time,? no (?:talk|see|chat)|so true|bye for now|talk (?:to you "
    r")?soon|(?:wow,? |yeah,? )?(?:that(?:['’]s| is)|(?:that )?(?:sounds|looks)) (?:so |really )?(?:awesome|great|"
    r"amazing|cool|nice|wonderful|fantastic|lovely|good|fun)(?:, [A-Z]\w+)?|好久不见|(?:真|太|好|很)?期待|迫不及待了?|"
    r"(?:太|真)(?:好|棒)了?|good luck|(?:happy|enjoy(?: your)?) \w+ing|certainly|of course|absolutely|sure(?: thing)?|"
    r"great question|(?:please )?(?:let me know if|feel free to (?:ask|reach out))\b.{0,80}|i hope (?:this|that|it) "
    r"helps\b.{0,40}|(?:here|below) (?:is|are)\b.{0,60}:|希望[^。！!]{0,20}(?:有所?帮助|帮到[你您])|祝[^。！!]{0,12}|"
    r"当然(?:可以)?|(?:如果|若|如)[^。！!]{0,12}(?:问题|疑问|需要|帮助)[^。！!]{0,16}(?:告诉我|问我|"
    r"联系我))[.!:。！：\s]*",
    re.IGNORECASE,
)
"""What opens or ends a reply, whatever it is about, and what only cheers it."""
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]{1,80}\*\*:?\s*$")
"""A heading names what its sentences say; they are there themselves."""


def without_code(text: str) -> str:
    """Return a text without its blocks of code."""
    return _CODE.sub("\n", text)


def is_heading(sentence: str) -> bool:
    """Tell whether a line is a heading of Markdown, or bold words alone."""
    return _HEADING.match(sentence.lstrip()) is not None


_ENDED = re.compile(r"[.!?;:,。！？；：，…—][\s\"'”’)）」\]]*$")
_HAN_END = re.compile(r"[\u3400-\u9fff]$")
_NO_SPACE = re.compile(r"([。！？；…”」]) ")
_STOP_WORDS = ENGLISH_STOP_WORDS | CHINESE_STOP_WORDS


@dataclass(frozen=True, slots=True)
class DialogueSentence:
    """One sentence of a message, with what is needed to weigh it against others."""

    message: int
    """The number of its message."""
    place: int
    """Which sentence of the message it is."""
    text: str
    terms: frozenset[str]
    factor: float
    """How much its form makes it count: more where it is of oneself, less where it only asks."""


def statements(text: str, *, message: int = 0) -> list[DialogueSentence]:
    """Return the sentences of a message that say anything."""
    found: list[DialogueSentence] = []
    for sentence in sentence_texts(without_code(text)):
        short = " ".join(sentence.split())[:_LONGEST]
        if is_heading(short) or _CLOSING.fullmatch(short) or says_nothing_alone(short):
            continue
        terms = frozenset(index_terms(short)) - _STOP_WORDS
        if terms:
            factor = (_OWN if _SELF.search(short) else 1.0) * (_ASKING if _QUESTION.search(short) else 1.0)
            found.append(DialogueSentence(message, len(found), short, terms, factor))
    return found


def joined(sentences: Iterable[str]) -> str:
    """Return sentences in one line; what has no end of its own, as lines of output, is set apart from the next."""
    said = list(sentences)
    apart = [one if _ENDED.search(one) else f"{one}{'；' if _HAN_END.search(one) else ';'}" for one in said[:-1]]
    return _NO_SPACE.sub(r"\1", " ".join([*apart, *said[-1:]]))


def tells(sentence: str) -> bool:
    """Tell whether a sentence says by itself what it is about: "I love it" and "I'll do that" do not."""
    return len(frozenset(index_terms(sentence)) - _STOP_WORDS) >= _TELLING


def ranked(said: Sequence[DialogueSentence]) -> list[int]:
    """Return the places of statements, those that tell most first."""
    rarity = _rarity(said)
    # Summed exactly: a set has no order, and sums that differ in their last digit would choose otherwise each time.
    worth = [math.fsum(rarity[term] for term in one.terms) for one in said]
    main: dict[int, int] = {}
    for number, one in enumerate(said):
        if one.message not in main or len(one.text) > len(said[main[one.message]].text):
            main[one.message] = number
    weights = [-worth[number] * one.factor / len(one.text) ** _LENGTH for number, one in enumerate(said)]
    weights = [weight * (_MAIN if main[said[number].message] == number else 1) for number, weight in enumerate(weights)]
    return sorted(range(len(said)), key=lambda number: (weights[number], number))


def telling(
    said: Sequence[DialogueSentence],
    *,
    limit: int,
    measure: Callable[[str], int],
    order: Sequence[int] | None = None,
    alike: bool = True,
) -> list[DialogueSentence]:
    """Return the statements that tell most within a length, in their order; nothing is told twice in the same words.

    `measure` says how long a text is; one more is reckoned for what joins it to the next. `order` is that of `ranked`
    where it is known already. Of sentences that are nearly the same, more than a few wait until the others have room;
    with `alike` false they are left out.
    """
    chosen: list[int] = []
    seen: set[str] = set()
    for number in _unlike_first(said, ranked(said) if order is None else order, alike=alike):
        if limit <= 1:
            break
        text = said[number].text
        length = measure(text) + 1
        if length <= limit and text.casefold() not in seen:
            seen.add(text.casefold())
            chosen.append(number)
            limit -= length
    return [said[number] for number in sorted(chosen, key=lambda number: (said[number].message, said[number].place))]


def _unlike_first(said: Sequence[DialogueSentence], order: Iterable[int], *, alike: bool) -> Iterator[int]:
    """Yield the places in their order, those that are nearly as some before behind all others or not at all.

    Of a coding agent's chat 22 calls that differ in their numbers only were kept, and not the request.
    """
    shapes = Counter[int]()
    waiting: list[int] = []
    for number in order:
        units = _UNIT.findall(said[number].text.casefold())
        words = [hash(unit) for unit in units]
        whole = sum(words)
        # A sum over the words, and the same without each of them: no sentence is compared with every other.
        but_one = {whole - word for word in words} if sum(min(2, len(unit)) for unit in units) >= _LONG else set()
        if shapes[whole] < _ALIKE and all(shapes[shape] < _MOST_ALIKE for shape in but_one):
            yield number
        else:
            waiting.append(number)
        shapes.update(but_one | {whole})
    if alike:
        yield from waiting


def _rarity(said: Iterable[DialogueSentence]) -> dict[str, float]:
    """Return how much each term tells: the fewer messages hold it, the more."""
    messages: dict[int, set[str]] = {}
    for one in said:
        messages.setdefault(one.message, set()).update(one.terms)
    held = Counter(chain.from_iterable(messages.values()))
    worth = {count: math.log(1 + len(messages) / count) for count in set(held.values())}
    return {term: worth[count] for term, count in held.items()}
