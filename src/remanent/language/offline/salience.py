"""What texts tell and share: the sentences that tell most, one by one, and how alike texts are.

Sentences tell most about what is asked, and with names, numbers, dates and denials in them. Texts are alike by their
vectors where there is an embedder, by their words where there is none.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from remanent.bilingual import Language
from remanent.errors import InvalidInput
from remanent.language.offline.claims import TokenKind, read_claim
from remanent.language.offline.questions import is_question
from remanent.language.role import Toolbox
from remanent.language.shapes import keywords as tidied
from remanent.model.entry import chinese_speaker
from remanent.text.keywords import keywords
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN, alphanumeric, working_language
from remanent.text.sentences import sentence_texts
from remanent.text.terms import K1, index_terms, query_terms, rarity, saturation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# All weights of this module were chosen by hand, so that what is asked about outweighs everything else together.
_ABOUT = 3.0
_FIRST = 0.3
"""A text's first sentence mostly says what it is about."""
_QUESTION = 0.8
"""A question tells nothing by itself."""
_READ = 400
"""Characters of a sentence that are read for names and values; reading is the dear part."""
# What a sentence can gain by holding a name, a number, a date, a denial: a summary without them is wrong or empty.
_GAINS = {TokenKind.NAME: 0.5, TokenKind.AMOUNT: 0.6, TokenKind.TIME: 0.6}
_DENIAL = 0.5
_MAX_OF_ONE = 2
"""What a denial gains, and how many names, numbers or dates count: a list of twenty names would outweigh what is told.
"""


def salient_sentences(text: str, *, about: str = "", most: int) -> list[str]:
    """Return at most so many sentences of a text, in its order."""
    sentences = list(dict.fromkeys(sentence_texts(text)))
    weights = sentence_weights(sentences, about=about)
    best = sorted(range(len(sentences)), key=lambda place: (-weights[place], place))[:most]
    return [sentences[place] for place in sorted(best)]


def sentence_weights(sentences: Sequence[str], *, about: str = "") -> list[float]:
    """Return how much each sentence tells, about something if that is given.

    Names, numbers, dates and denials count because a summary without them is wrong or empty; that words come again in
    other sentences, because that is what a text is about.
    """
    if not sentences:
        return []
    terms = [set(query_terms(sentence)) for sentence in sentences]
    spread = Counter(term for one in terms for term in one)
    asked = word_scores(about, list(sentences)) if about.strip() else [0.0] * len(sentences)
    weights = []
    for place, sentence in enumerate(sentences):
        # Words that come again in other sentences are what the text is about.
        central = sum(spread[term] > 1 for term in terms[place]) / (len(terms[place]) + 2)
        weight = central + _information(sentence) + _ABOUT * asked[place]
        weight += _FIRST if place == 0 else 0.0
        weight -= _QUESTION if is_question(sentence) else 0.0
        weights.append(weight)
    return weights


@lru_cache(maxsize=2_000)
def _information(sentence: str) -> float:
    claim = read_claim(sentence[:_READ])
    counts = Counter(token.part for token in claim.tokens)
    gained = sum(gain * min(counts[part], _MAX_OF_ONE) / _MAX_OF_ONE for part, gain in _GAINS.items())
    denied = _DENIAL if any(token.denied for token in claim.tokens) else 0.0
    return gained + denied + 0.2 * min(1.0, len(claim.tokens) / 6)


def key_phrases(text: str, *, most: int) -> tuple[str, ...]:
    """Return at most so many key phrases, best first; none when the text has none."""
    return tidied((found.text for found in keywords(text, limit=most)), most=most)


_BULLET = lazy_regex(r"^\s*(?:[-*+•·▪◦]|\d{1,3}[.)、]|[（(]\d{1,3}[)）])\s*")
_HEADING = lazy_regex(
    r"^\s*(?:#{1,6}\s+.*|[^\n:：]{1,24}[:：])\s*$|^\s*(?:key facts|evidence|reasoning|summary|要点|证据|逻辑|"
    r"摘要)\s*[:：]\s*",
    re.IGNORECASE,
)
_MAX_STATEMENTS = 40
"""Statements that are compared with those of others, each with each; what a memory or a summary has to say is said in
fewer. Chosen by hand."""


# A line that ends so goes on in the next one, if that begins like the middle of a sentence.
_WRAP = lazy_regex(rf"(?<=[\w,，、的])[ \t]*\n(?=[ \t]*(?:[a-z\d]|[{HAN}]))")
_HAN_NEXT = lazy_regex(rf"[ \t]*[{HAN}]")
_LONG_LINE = 12
"""Characters of a Chinese line that is wrapped; a shorter one may be a heading."""


def unwrapped(text: str) -> str:
    """Return a text of the same length without the line breaks inside its sentences."""

    def joined(match: re.Match[str]) -> str:
        before = max(0, match.start() - _LONG_LINE)
        line = text[max(before, text.rfind("\n", before, match.start()) + 1) : match.start()]
        chinese = _HAN_NEXT.match(text, match.end()) is not None
        heading = line.lstrip().startswith(("#", "-", "*", "|")) or (chinese and len(line) < _LONG_LINE)
        return match[0] if heading else match[0].replace("\n", " ")

    return _WRAP.sub(joined, text)


def summary_statements(summary: str, *, most: int = _MAX_STATEMENTS) -> list[str]:
    """Return the statements of a summary in order; of a very long one the first."""
    found: dict[str, str] = {}
    for line in unwrapped(summary).splitlines():
        bare = _HEADING.sub("", _BULLET.sub("", line)).strip()
        for sentence in sentence_texts(bare) if bare else ():
            key = alphanumeric(sentence)
            if key:
                found.setdefault(key, sentence)
        if len(found) >= most:
            break
    return list(found.values())[:most]


def speaker_name(speaker: str, language: Language) -> str:
    """Return a speaker's name in a language; a person's own name is the same in both."""
    if language == "zh":
        return chinese_speaker(speaker)
    return speaker[:1].upper() + speaker[1:]


def without_speaker(text: str) -> str:
    """Return what `with_speaker` made of a text without the name of a role, to tell whether it was said already."""
    return text[len(_role_before(text)[1]) :]


def relabelled(text: str, language: Language) -> str:
    """Return what `with_speaker` made of a text, with the name of a role in another language."""
    role, before = _role_before(text)
    return with_speaker(text[len(before) :], role, language) if role else text


def _role_before(text: str) -> tuple[str, str]:
    """Return the role whose words a text tells, and what stands before them; nothing where none is named."""
    for role in ("user", "assistant", "tool", "system"):
        for before in (f"{speaker_name(role, 'zh')}：", f"{speaker_name(role, 'en')}: "):
            if text.startswith(before):
                return role, before
    return "", ""


def with_speaker(text: str, speaker: str, language: Language | None = None) -> str:
    """Return something that was said with its speaker before it, named in a language: in its own unless told."""
    language = language or working_language(text)
    return f"{speaker_name(speaker, language)}{'：' if language == 'zh' else ': '}{text}"


# Texts are compared by their beginnings; what matters of a longer one is said there. Chosen by hand.
_COMPARED = 2_000
MAX_TEXTS = 8_000
"""Each is compared with every other, so more take gigabytes; a task's node and fifty others have 6,120 statements."""
_BLOCK = 4_096
"""Terms that are multiplied at once. Chosen by hand."""


async def similarity_matrix(texts: Sequence[str], toolbox: Toolbox) -> "NDArray[np.float32]":
    """Return how alike each two of at most `MAX_TEXTS` texts are, from 0 to 1; the same text is alike by 1."""
    import numpy as np

    if len(texts) > MAX_TEXTS:
        raise InvalidInput(f"at most {MAX_TEXTS} texts are compared with each other, not {len(texts)}; give fewer")
    by_words = _cosines(texts)
    if toolbox.embedder is None or not texts:
        return by_words
    vectors = await toolbox.embedder.embed([text[:_COMPARED] for text in texts])
    by_meaning = np.clip(vectors @ vectors.T, 0, 1)
    # Words that are shared count beside the meaning: a name or a number says more than any vector tells. The weights
    # were chosen by hand.
    both = 0.75 * by_meaning + 0.25 * by_words
    return np.asarray(np.maximum(both, np.where(by_words > 0.999, 1, 0)), np.float32)


async def similarities(text: str, others: Sequence[str], toolbox: Toolbox) -> list[float]:
    """Return how alike one text is to each of the others."""
    matrix = await similarity_matrix([text, *others], toolbox)
    return [float(value) for value in matrix[0, 1:]]


def term_overlap(one: str, other: str) -> float:
    """Return the share of the shorter text's terms that the other has, too."""
    first, second = set(query_terms(one)), set(query_terms(other))
    return len(first & second) / min(len(first), len(second)) if first and second else 0.0


def _cosines(texts: Sequence[str]) -> "NDArray[np.float32]":
    """Return the cosines of the texts' terms, those that many of the texts have weighing less."""
    import numpy as np

    counts = [Counter(query_terms(text[:_COMPARED])) for text in texts]
    spread = Counter(term for count in counts for term in count)
    told = [
        {
            term: (1 + math.log(times)) * (1.0 if len(texts) < 3 else math.log(1 + len(texts) / spread[term]))
            for term, times in count.items()
        }
        for count in counts
    ]
    lengths = [math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0 for weights in told]
    # Terms that one text alone has add nothing to its similarity with any other; the rest go in blocks.
    shared = [term for term, times in spread.items() if times > 1]
    same: NDArray[np.float32] = np.zeros((len(texts), len(texts)), np.float32)
    for start in range(0, len(shared), _BLOCK):
        places = {term: place for place, term in enumerate(shared[start : start + _BLOCK])}
        rows = np.zeros((len(texts), len(places)), np.float32)
        for row, weights in enumerate(told):
            for term in weights.keys() & places.keys():
                rows[row, places[term]] = weights[term] / lengths[row]
        same += rows @ rows.T
    same = np.clip(same, 0, 1)
    np.fill_diagonal(same, 1)
    return same


def word_scores(query: str, texts: list[str]) -> list[float]:
    """Return how well each text covers the words of a question: BM25 as a share of the best score possible."""
    asked = query_terms(query)
    counts = [Counter(index_terms(text)) for text in texts]
    if not asked:
        return [0.0] * len(texts)
    spread = {term: sum(term in count for count in counts) for term in asked}
    weights = {term: rarity(found, len(texts)) for term, found in spread.items()}
    average = sum(count.total() for count in counts) / len(counts) or 1.0
    best = sum(weights.values()) * (K1 + 1)
    scores = []
    for count in counts:
        length = count.total() / average
        score = sum(weights[term] * saturation(times, length) for term in asked if (times := count[term]))
        scores.append(min(1.0, score / best) if best else 0.0)
    return scores
