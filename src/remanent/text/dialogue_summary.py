"""Shortening a conversation without a model: every message gives the sentence that tells most, telling ones first.

A summary of the joined text (`text.summary`) keeps what the talk is about as a whole. Whoever goes on with a
conversation asks for its particulars, and those lie one in a message: who, what, when, once. Measured on public talk at
a fifth of its characters, sentences that later questions need survived like this (any / all of a question's):
LoCoMo, 240 questions: .72 / .51, by the summary of the joined text .45 / .25; BEAM, 144: 1.0 / .93 against .53 / .12.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from remanent.text.sentences import sentence_texts
from remanent.text.talk import is_small_talk
from remanent.text.terms import index_terms
from remanent.text.wordlists import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from remanent.values import dataclass

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
"""A word, or a Chinese sign; numbers are none."""
_ALIKE, _MOST_ALIKE, _LONG = 2, 4, 14
"""How many sentences count that differ in their numbers only ("Looked at lines 40 to 80"), and how many that differ in
one word, where they have so many Chinese signs or half as many words; more wait for room. Chosen by hand."""
_TELLING = 3
"""Words that a decision in a list has at least, its speaker's name among them. Chosen by hand."""
_CLOSING = re.compile(
    r"(?:good luck|(?:happy|enjoy(?: your)?) \w+ing|certainly|of course|absolutely|sure(?: thing)?|great question|"
    r"(?:please )?(?:let me know if|feel free to (?:ask|reach out))\b.{0,80}|i hope (?:this|that|it) helps\b.{0,40}|"
    r"(?:here|below) (?:is|are)\b.{0,60}:|希望[^。！!]{0,20}(?:有所?帮助|帮到[你您])|祝[^。！!]{0,12}|当然(?:可以)?|"
    r"(?:如果|若|如)[^。！!]{0,12}(?:问题|疑问|需要|帮助)[^。！!]{0,16}(?:告诉我|问我|联系我))[.!:。！：\s]*",
    re.IGNORECASE,
)
"""What opens or ends a reply, whatever it is about."""
_HEADING = re.compile(r"#{1,6}\s|\*\*[^*]{1,80}\*\*:?\s*$")
"""A heading names what its sentences say; they are there themselves."""


def is_heading(sentence: str) -> bool:
    """Tell whether a line is a heading of Markdown, or bold words alone."""
    return _HEADING.match(sentence.lstrip()) is not None


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
    for sentence in sentence_texts(_CODE.sub("\n", text)):
        short = " ".join(sentence.split())[:_LONGEST]
        if is_heading(short) or _CLOSING.fullmatch(short) or is_small_talk(short):
            continue
        terms = frozenset(index_terms(short)) - _STOP_WORDS
        if terms:
            factor = (_OWN if _SELF.search(short) else 1.0) * (_ASKING if _QUESTION.search(short) else 1.0)
            found.append(DialogueSentence(message, len(found), short, terms, factor))
    return found


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
