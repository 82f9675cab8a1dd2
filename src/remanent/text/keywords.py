"""Key phrases of Chinese and English text: names and noun phrases that tell what it is about, best first."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from remanent.errors import InvalidInput
from remanent.text.phrases import Term, runs
from remanent.text.scripts import HAN
from remanent.text.spans import Span

_LONGEST = 4
# How much a phrase of so many words is worth against one of two.
_ENGLISH_LENGTHS = (0.0, 0.28, 1.0, 0.85, 0.6)
_CHINESE_LENGTHS = (0.0, 0.48, 1.0, 1.0, 0.5)
_LONGEST_CHINESE = 12
_REPEATED_WORD = 0.8
_REPEATED_PHRASE = 1.4
_EARLY = 0.6
_NAME = 1.1
_SINGLE_NAME = 0.55
_PALE_EDGE = 0.5
# A single Chinese word that only ever stands inside longer phrases.
_NESTED = 0.75

_HAN = re.compile(rf"[{HAN}]")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A key phrase as the text writes it, how good it is against the best one (1.0), and where it stands."""

    text: str
    score: float
    spans: tuple[Span, ...]


@dataclass(slots=True)
class _Candidate:
    terms: list[Term]
    order: int
    """How many words stand before its first place."""
    whole: bool = False
    """Whether it is once a run of its own and not only part of longer ones."""
    places: list[list[Term]] = field(default_factory=list)

    @property
    def chinese(self) -> bool:
        return any(_HAN.search(term.text) for term in self.terms)


def keywords(text: str, *, limit: int = 5) -> list[Keyword]:
    """Return at most `limit` key phrases, best first; none says what a better one has said."""
    if limit < 1:
        raise InvalidInput(f"ask for at least 1 keyword, not {limit}")
    candidates, words = _candidates(runs(text))
    longest = _longest_containing(candidates)
    total = 1 + sum(words.values())
    ranked = sorted(
        ((_score(one, words, longest.get(key, 0), total), key) for key, one in candidates.items()),
        key=lambda pair: (-pair[0], candidates[pair[1]].order),
    )
    chosen: list[tuple[float, Key]] = []
    for score, key in ranked:
        if score > 0 and not any(_repeats(key, other) for _, other in chosen):
            chosen.append((score, key))
            if len(chosen) == limit:
                break
    return [_keyword(text, candidates[key], score / chosen[0][0]) for score, key in chosen]


def _candidates(found: Iterable[list[Term]]) -> tuple[dict[Key, _Candidate], Counter[str]]:
    candidates: dict[Key, _Candidate] = {}
    words: Counter[str] = Counter()
    order = 0
    for run in found:
        words.update(term.key for term in run)
        for first in range(len(run)):
            for last in range(first + 1, min(len(run), first + _LONGEST) + 1):
                terms = run[first:last]
                if _may_be_key(terms):
                    key = tuple(term.key for term in terms)
                    one = candidates.setdefault(key, _Candidate(terms, order + first))
                    one.places.append(terms)
                    one.whole |= last - first == len(run)
        order += len(run)
    return candidates, words


def _may_be_key(terms: list[Term]) -> bool:
    if not terms[-1].ends or (len(terms) == 1 and terms[0].pale):
        return False
    size = terms[-1].end - terms[0].start
    return size > 1 and (terms[-1].text.isascii() or size <= _LONGEST_CHINESE)


def _longest_containing(candidates: dict[Key, _Candidate]) -> dict[Key, int]:
    """Return for each phrase how often the most frequent longer one occurs that contains it."""
    found: dict[Key, int] = defaultdict(int)
    for key, one in candidates.items():
        for first in range(len(key)):
            for last in range(first + 1, len(key) + 1):
                if last - first < len(key):
                    found[key[first:last]] = max(found[key[first:last]], len(one.places))
    return found


def _score(one: _Candidate, words: Counter[str], containing: int, total: int) -> float:
    count = len(one.places)
    nested = count <= containing
    single = len(one.terms) == 1
    if nested and not (one.whole if not one.chinese else single):
        return 0.0
    if one.chinese and not one.terms[0].ends and count == 1:
        return 0.0  # it begins with a verb or an adjective: a phrase only when the text repeats it
    weight = sum(term.weight * (1 + _REPEATED_WORD * math.log(words[term.key])) for term in one.terms) / len(one.terms)
    named = any(term.name for term in one.terms)
    lengths = _CHINESE_LENGTHS if one.chinese else _ENGLISH_LENGTHS
    weight *= _SINGLE_NAME if single and named else lengths[len(one.terms)]
    weight *= 1 + _REPEATED_PHRASE * math.log(count)
    weight *= math.exp(-_EARLY * one.order / total)
    if not single:
        weight *= (_PALE_EDGE if one.terms[0].pale else 1) * (_PALE_EDGE if one.terms[-1].pale else 1)
    elif nested:
        weight *= _NESTED
    return weight * (_NAME if named else 1)


def _repeats(key: Key, chosen: Key) -> bool:
    """Tell whether a phrase says no more than a chosen one, or says it again with more words around it."""
    if set(key) <= set(chosen) or "".join(key) in "".join(chosen):
        return True
    return len(chosen) > 1 and (set(chosen) <= set(key) or "".join(chosen) in "".join(key))


def _keyword(text: str, one: _Candidate, score: float) -> Keyword:
    spans = tuple(Span(place[0].start, place[-1].end) for place in one.places)
    written = Counter(" ".join(span.of(text).split()) for span in spans)
    # The most frequent way to write it; of equals the one with fewer capitals, which is not a title's.
    best = max(written, key=lambda way: (written[way], -sum(sign.isupper() for sign in way)))
    return Keyword(best, round(score, 4), spans)
