"""Key phrases and content words of Chinese and English text: what it is about, and whether another text holds it.

Candidates for key phrases are runs of words that no stop word, verb or mark parts. They are weighed by how rare their
words are, how often and how early they come, and how long they are; no model is asked and nothing is learned from other
texts.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property, lru_cache
from itertools import groupby

from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.text.chinese import cut, is_known, rarity, tagged
from remanent.text.markdown import fence_at, fences
from remanent.text.numbers import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, fold, has_han, language_of
from remanent.text.sentences import sentences
from remanent.text.spans import Span
from remanent.text.terms import index_terms, query_terms
from remanent.text.words import (
    CHINESE_FILLERS,
    CHINESE_STOP_WORDS,
    CHINESE_WEAK_WORDS,
    COMMON_RANKS,
    ENGLISH_STOP_WORDS,
    FILLERS,
    NAMING_VERBS,
    VERB_STEMS,
    WEAK_WORDS,
    stem_if_english,
)


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a run: the key under which its forms meet, how much it tells, and whether it may end a phrase."""

    key: str
    text: str
    start: int
    end: int
    weight: float
    pale: bool
    ends: bool = True
    name: bool = False
    """Whether it is written as a name: a capital inside the sentence, or tagged as one."""


_WORD = re.compile(r"[^\W_]+(?:[-'’.&+/][^\W_]+)*(?:\+\+|#)?")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024fα-ωΑ-Ω][\w+#.\-]*")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|[\w.+-]{1,64}@[\w-]+\.\w+")
# A word that the list of common ones does not have tells this much, the most common one half of it.
_RARE = 1.0
_NOUN_TAGS = frozenset("n nr nrt nrfg ns nt nz vn an eng l j nw ng g un s".split(" "))
_NAME_TAGS = frozenset("nr nrt nrfg ns nt nz".split(" "))
_MODIFIER_TAGS = frozenset("a b z vg ag h k x zg".split(" "))
_VERB_TAGS = frozenset("v vd".split(" "))
# The rarity at which a Chinese word begins to tell something, and what it takes to tell as much as a rare English one.
_COMMON, _SPREAD = 5.0, 9.0
_MOST_CHINESE = 1.3
"""What the rarest Chinese word tells, against 1 for a rare English one. Chosen by hand, as the next two lines."""
_LATIN_IN_CHINESE = 0.8
"""What any word of Latin letters within Chinese tells: the dictionary knows no rarity of it."""
_PALE, _PALE_CHINESE, _OF_VERB = 0.35, 0.5, 0.8
"""The share that is left of what an English or a Chinese word tells that is weak, and of a Chinese verb."""


def word_runs(text: str) -> Iterator[list[Term]]:
    """Yield the runs of words, in the order of the text, that no stop word, verb or punctuation parts."""
    blocks = fences(text)
    for span in sentences(text):
        if fence_at(blocks, span.start):
            continue
        sentence = _ADDRESS.sub(lambda found: "\n" * len(found[0]), span.of(text))
        chinese = has_han(sentence) and language_of(sentence) != "en"
        terms = _chinese_terms(sentence, span.start) if chinese else _english_terms(sentence, span.start)
        yield from (list(filter(None, run)) for is_run, run in groupby(terms, key=bool) if is_run)


def _english_terms(sentence: str, offset: int) -> Iterator[Term | None]:
    """Yield English words, and nothing where a run ends: at a mark between two words, or a word that parts phrases."""
    last = 0
    for place, found in enumerate(_WORD.finditer(sentence)):
        if sentence[last : found.start()].strip():
            yield None
        last = found.end()
        word = found[0].replace("’", "'").removesuffix("'s")
        parts = _parts(word.lower(), named=word.istitle() and place > 0)
        yield None if parts else _english_term(word, found, offset, first=place == 0)


def _parts(lowered: str, *, named: bool) -> bool:
    """Tell whether a word parts phrases: a stop word, a verb, an adverb, a bare number."""
    plain = lowered.replace("'", "")
    if plain in ENGLISH_STOP_WORDS or lowered in FILLERS or plain.isdecimal() or len(plain) < 2:
        return True
    if lowered.endswith("ly") and len(lowered) > 4 and not named:
        return True
    return "'" in lowered or (lowered not in NAMING_VERBS and _stem(lowered) in VERB_STEMS)


def _english_term(word: str, found: re.Match[str], offset: int, *, first: bool) -> Term:
    """Return a word with its weight: a rare word tells more than a common one, a weak one little."""
    lowered = word.lower()
    key = _stem(lowered)
    rank = COMMON_RANKS.get(lowered, COMMON_RANKS.get(key))
    weight = _RARE if rank is None else _RARE * (1 + math.log1p(rank) / math.log1p(len(COMMON_RANKS))) / 2
    pale = lowered in WEAK_WORDS
    name = word != lowered and not (first and word.istitle() and rank is not None)
    end = offset + found.start() + len(word)
    return Term(key, word, offset + found.start(), end, weight * (_PALE if pale else 1), pale, name=name)


_stem = lru_cache(maxsize=20_000)(stem_if_english)


def _chinese_terms(sentence: str, offset: int) -> Iterator[Term | None]:
    """Yield Chinese words by their parts of speech, and nothing for those that part phrases."""
    return (_chinese_term(word.text, word.tag, offset + word.start) for word in tagged(sentence))


def _chinese_term(word: str, tag: str, start: int) -> Term | None:
    """Return a word that may be part of a phrase, weighed by how rare it is in general Chinese; None for others."""
    lowered = word.lower()
    if _LATIN.fullmatch(word):
        if len(word) < 2 or lowered in ENGLISH_STOP_WORDS:
            return None
        return Term(_stem(lowered), word, start, start + len(word), _LATIN_IN_CHINESE, pale=False, name=word != lowered)
    if not has_han(word) or word in CHINESE_STOP_WORDS or word in CHINESE_FILLERS:
        return None
    noun = tag in _NOUN_TAGS or (tag == "i" and _is_idiom_of_nouns(word))
    verb = tag in _VERB_TAGS
    if not noun and not ((verb or tag in _MODIFIER_TAGS) and (len(word) > 1 or tag in {"b", "k", "h", "vg", "ag"})):
        return None
    pale = word in CHINESE_WEAK_WORDS
    weight = min(_MOST_CHINESE, max(0.0, rarity(word) - _COMMON) / _SPREAD)
    weight *= (_PALE_CHINESE if pale else 1) * (_OF_VERB if verb else 1)
    return Term(word, word, start, start + len(word), weight, pale, ends=noun, name=tag in _NAME_TAGS)


@lru_cache(maxsize=2_000)
def _is_idiom_of_nouns(word: str) -> bool:
    """Tell a term that the dictionary files under idioms (心力衰竭, 交通拥堵) from a manner of speaking (爱不释手).

    A term is a noun and what it does or is, both words of their own.
    """
    parts = word[:2], word[2:]
    if len(word) != 4 or not all(map(is_known, parts)):
        return False
    first, second = (tagged(part)[0].tag for part in parts)
    return first in {"n", "nz", "vn"} and second in {"n", "v", "vn"}


# In words. Longer phrases are sentences rather than topics.
_LONGEST = 4
# How much a phrase of so many words is worth against one of two.
_ENGLISH_LENGTHS = (0.0, 0.28, 1.0, 0.85, 0.6)
_CHINESE_LENGTHS = (0.0, 0.48, 1.0, 1.0, 0.5)
# In characters; chosen by hand.
_LONGEST_CHINESE = 12
# The weights below are chosen by hand; the rows for key phrases in docs/figures.md say how far they carry.
_REPEATED_WORD = 0.8
_REPEATED_PHRASE = 1.4
"""What comes again is what the text is about, a phrase more surely than a word: by the logarithm of how often."""
_EARLY = 0.6
"""Texts say first what they are about: a phrase at the end counts for e^-0.6 of one at the beginning."""
_NAME = 1.1
_SINGLE_NAME = 0.55
"""Names are topics; one word of a name more often than another single word."""
_PALE_EDGE = 0.5
"""A phrase that begins or ends with a weak word was cut in the wrong place."""
# A single Chinese word that only ever stands inside longer phrases.
_NESTED = 0.75

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A key phrase as the text writes it, how good it is against the best one (1.0), and where it stands."""

    text: str
    score: float
    spans: tuple[Span, ...]


@dataclass(slots=True)
class _Candidate:
    """A phrase that may be a key phrase, with every place where it stands."""

    terms: list[Term]
    order: int
    """How many words stand before its first place."""
    whole: bool = False
    """Whether it is once a run of its own and not only part of longer ones."""
    places: list[list[Term]] = field(default_factory=list)

    @property
    def chinese(self) -> bool:
        """Whether any word of it is Chinese."""
        return any(has_han(term.text) for term in self.terms)


def keywords(text: str, *, limit: int = 5) -> list[Keyword]:
    """Return at most `limit` key phrases, best first; none says what a better one has said."""
    if limit < 1:
        raise InvalidInput(f"ask for at least 1 keyword, not {limit}")
    candidates, words = _candidates(word_runs(text))
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
    """Return every phrase of up to four words inside the runs, and how often each word occurs."""
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
    """Tell whether a phrase may stand alone: it ends in a noun, and is neither one weak word nor one character."""
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
    """Return how well a phrase tells what the text is about; 0 for what only ever stands inside a longer one.

    Repetition counts by its logarithm, and what comes early counts more, as titles and first sentences do.
    """
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
    """Return a phrase in the form in which the text writes it most often."""
    spans = tuple(Span(place[0].start, place[-1].end) for place in one.places)
    written = Counter(" ".join(span.of(text).split()) for span in spans)
    # The most frequent way to write it; of equals the one with fewer capitals, which is not a title's.
    best = max(written, key=lambda way: (written[way], -sum(char.isupper() for char in way)))
    return Keyword(best, round(score, 4), spans)


# ── the words that say what a text is about ──────────────────────────────────

_RUN = lazy_regex(rf"(?P<han>[{HAN}]+)|[A-Za-z0-9À-ɏ][A-Za-z0-9À-ɏ_.+#/@'’-]*")


def content_words(text: str) -> list[str]:
    """Return the words of a text that say what it is about, as they are written, each once."""
    words: dict[str, str] = {}
    for run in _RUN.finditer(text):
        for word in cut(run[0]) if run["han"] else [run[0].rstrip(".-/'’")]:
            key = word.casefold()
            bare = key.replace("'", "").replace("’", "").removesuffix("s") if "'" in key or "’" in key else key
            if (
                not word
                or key in CHINESE_STOP_WORDS
                or bare in ENGLISH_STOP_WORDS
                or key.replace("'", "") in ENGLISH_STOP_WORDS
            ):
                continue
            words.setdefault(key, word)
    return list(words.values())


_MOST = 0.5
"""More than this share of a text's own words must be there: "most" of them, and no more than that, since a good piece
has names in place of pronouns and leaves fillers out. A word with a digit in it is a fact, and none may be missing."""


class WordIndex:
    """The words of a text, to look up those of other texts in.

    Whether what a model wrote still holds what it was made from is looked at before anything is let go.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def share(self, other: str) -> float:
        """Return the share of another text's own words that stand in this one, in whatever form of the word."""
        own = _own_words(other)
        return sum(map(self._has, own)) / len(own) if own else 1.0

    def holds(self, other: str) -> bool:
        """Tell whether this text has most of what another says; one without words of its own is held by any."""
        numbers = (word for word in _own_words(other) if has_digit(word))
        return self.share(other) > _MOST and all(map(self._has, numbers))

    def invents_numbers(self, other: str) -> bool:
        """Tell whether another text has a number that this one has not."""
        return any(not self._has(word) for word in _own_words(other) if has_digit(word))

    def tells(self, answer: str, *, asked: str) -> bool:
        """Tell whether an answer says anything of this text that the question did not, or a number, or only yes or no.

        A number may have been reckoned from what stands here, and "yes" has no words of its own.
        """
        new = WordIndex(asked).news(answer)
        return not _own_words(answer) or any(has_digit(word) or self._has(word) for word in new)

    def news(self, other: str) -> list[str]:
        """Return another text's own words that do not stand in this one."""
        return [word for word in _own_words(other) if not self._has(word)]

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(index_terms(self._text))

    @cached_property
    def _folded(self) -> str:
        return fold(self._text).casefold()

    def _has(self, word: str) -> bool:
        stems = query_terms(word)
        if stems and all(stem in self._terms for stem in stems):
            return True
        # Words of Chinese are cut differently in another sentence; a number inside another one is another number.
        return not word.isascii() and not has_digit(word) and word in self._folded


def _own_words(text: str) -> list[str]:
    """Return the words of a text that say something; numbers as in the index, whatever separates their digits."""
    words = (fold(word).casefold() for word in content_words(text))
    return [*(word for word in words if not has_digit(word)), *filter(has_digit, query_terms(text))]
