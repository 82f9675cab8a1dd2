"""Answers out of texts, without a model: the sentence that holds what is asked for, or that it is not there.

A question is answered by one sentence, or by two that belong together: one names what the other's text is about (two
hops). How well they answer is the share of the question's words, rare ones counting more, that they cover with the
titles of their texts; they must speak both of what the question names and of what it asks of that. On 25 public two-hop
questions that were not looked at the gold answer stands in an answer of at most 200 characters for 48 %; with the
evidence taken away 76 % are told to be unanswerable, and 12 % with it. On 25 that were: 68, 100 and 8 %.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, lru_cache

from remanent.bilingual import Bilingual, in_language
from remanent.language.offline.claims import TokenKind, read_claim
from remanent.language.offline.judgement import CONFLICT, DatedStatement, judge_statements
from remanent.language.offline.lexicon import lexicon
from remanent.language.offline.questions import AnswerType, answer_type, content_words, is_question
from remanent.language.offline.salience import statements
from remanent.language.role import Toolbox
from remanent.language.tidying import shortened
from remanent.text.boundaries import excerpt
from remanent.text.chinese import tagged
from remanent.text.mentions import mentions
from remanent.text.scripts import working_language
from remanent.text.terms import query_terms
from remanent.values import dataclass

_MAX_SENTENCES = 2_000
_HEADS = 12
"""Sentences from which a second one is looked for: the best by themselves."""
_FITTING = 0.1
"""What a sentence gains by holding a value of the sort that is asked for, beside what the question says itself."""
_WORDING = 0.12
"""What a sentence gains by the question's own verb and preposition: "built of" is not "built for"."""
_VERB_PREPOSITION = re.compile(r"\b([a-z]{3,} (?:of|in|for|by|at|on|from|to|with|as|after|into))\b", re.IGNORECASE)
_LONGEST_TITLE = 60
_TOLD_OF = 2 / 3
"""Of the names in a question, the share that texts which answer it must speak of more than."""
_SPELT_ALIKE, _LEAST_SPELT = 0.8, 6
"""How alike two words are, by the letters they have in common, of which one is the other misspelt; and their length."""
_ASKED_FOR = re.compile(r"\b(?:what|which|whose)\s+$", re.IGNORECASE)
_UNNAMED = re.compile(r"\bwhich of (?:the|these|those) (?:two|three)\b", re.IGNORECASE)
_CAPITAL = re.compile(r"\b[^\W_a-z][\w'’]*")
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_TOLD_APART = re.compile(r"\s*[(（][^()（）]*[)）]|(?<=\w), .*")
_BESIDE, _ASKED = 5, 0.15
"""Words on either side of the one that asks, and what a sentence that has them is preferred by. It says which of the
sentences answers, not whether one does."""
_MANY = 60
"""Sentences after the best that are looked through for a second hop."""
LONGEST_ANSWER = 200
"""Characters: an answer that is longer is a text to search, not an answer."""
_GOOD = 0.6
"""From this share of the question on it is answered. Chosen on every other one of the questions that the figures above
are of; on the rest it does the same."""
_OF_NAMES, _OF_REST, _OF_REST_ALONE = 0.3, 0.2, 0.5
"""The least share of a question's names, and of its other words, that what answers it speaks of; of those more where
hardly a name is spoken of, as in the second of two hops."""
_CLAUSE = re.compile(r"[,;，；。]\s*|\s(?=[(（])")
"""Where a part of a long sentence may begin."""
_LEAST_WEIGHT = 0.6
"""Of few texts all have most words: what they agree on must weigh something beside a word that none has."""
_VALUES = frozenset({TokenKind.NAME, TokenKind.AMOUNT, TokenKind.TIME})
_PARTS = {
    AnswerType.NUMBER: frozenset({TokenKind.AMOUNT, TokenKind.TIME}),
    AnswerType.TIME: frozenset({TokenKind.AMOUNT, TokenKind.TIME}),
    AnswerType.PERSON: frozenset({TokenKind.NAME}),
    AnswerType.PLACE: frozenset({TokenKind.NAME}),
}
_TOPIC = re.compile(r"[《「“]?[\w·\-/ ]{1,40}?(?=[》」”]|\s*[(（,，]|\s(?:is|was|are|were)\b|[是为于在])")
"""The subject of a sentence as encyclopaedias and policies begin with one."""
_SAME = re.compile(r"\b(?:same|in common|share[sd]?)\b|同一|相同|一样", re.IGNORECASE)
_YES, _NO = Bilingual("Yes: ", "是。"), Bilingual("No: ", "不是。")


@cache
def _sorts() -> frozenset[str]:
    """Return the words that say what sort of answer is wanted; the sentence that gives it need not.

    When first needed: the dictionary of Chinese words takes longer to load than all else here.
    """
    words = "year day date month time often soon city country place person name number type kind 时间 地点 名字 年份"
    return frozenset({*query_terms(words), "一年", "一天", "哪年", "哪天", "多久", "多长", "多长时间", "多远", "多大"})


@dataclass(frozen=True, slots=True)
class AnswerCandidates:
    """Sentences that answer a question, best first, and what share of the question they cover."""

    sentences: tuple[str, ...]
    score: float
    brief: str = ""
    """Of a first sentence that is too long for an answer, the part that answers."""
    sources: tuple[int, ...] = ()
    """The places from 0 of the texts that the sentences stand in: a shortened one cannot be looked up there."""

    @property
    def text(self) -> str:
        """What to say: the sentences, or the part of the first one."""
        between = "" if working_language(*self.sentences) == "zh" else " "
        return self.brief if self.brief and self.brief != self.sentences[0] else between.join(self.sentences)

    @property
    def is_good(self) -> bool:
        """Whether they answer, and do not just share a word."""
        return self.score >= _GOOD


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence, the text it is of, and the words by which both are found."""

    text: str
    source: int
    terms: frozenset[str]
    title: frozenset[str]
    name: frozenset[str] = frozenset()
    """The title without what only tells it from others of that name: (singer), West Virginia."""

    @property
    def all(self) -> frozenset[str]:
        return self.terms | self.title

    def names(self, other: "_Sentence") -> bool:
        """Tell whether it speaks of what another sentence's text is about."""
        return bool(other.name) and other.name <= self.terms


class _AnswerReader:
    """A question and the sentences that may answer it."""

    def __init__(self, question: str, sentences: Sequence[_Sentence]) -> None:
        self.kind = answer_type(question)
        self.sentences = sentences
        terms = _terms(" ".join(content_words(question)) or question)
        # A short Chinese question gives its characters, too, which a sentence does not.
        said = frozenset(
            term
            for term in terms
            if (len(term) > 1 or term.isascii()) and not term.startswith(("哪", "几", "谁", "何"))
        )
        self.asked = (said - _sorts()) or said or frozenset(terms)
        # Where words end is a guess: 10天年假 holds 年假, whatever the segmenter makes of it.
        han = [term for term in self.asked if not term.isascii()]
        if han:
            sentences = [replace(one, terms=one.terms.union(t for t in han if t in one.text)) for one in sentences]
            self.sentences = sentences
        sources = {one.source for one in sentences}
        spread: Counter[str] = Counter()
        for source in sources:
            spread.update(frozenset().union(*(one.all for one in sentences if one.source == source)) & self.asked)
        count = max(1, len(sources))
        self.weights = {
            term: _LEAST_WEIGHT + math.log(1 + (count - spread[term] + 0.5) / (spread[term] + 0.5))
            for term in self.asked
        }
        self.whole = sum(self.weights.values()) or 1.0
        self.unit = _unit_asked_for(question)
        self.phrases = tuple(f"{found.lower()} " for found in _VERB_PREPOSITION.findall(question))
        self.beside = _beside_what_is_asked(question) & self.asked
        claim = read_claim(question)
        self.attributes = {
            name: frozenset(_terms(token.text))
            for token in claim.tokens
            for name in lexicon(claim.language).attributes.get(token.key, ())
        }

    def spoken(self, one: _Sentence) -> _Sentence:
        """Return a sentence with the question's words for what it speaks of: who moved to Lisbon lives there."""
        claim = read_claim(one.text)
        names = {name for token in claim.tokens for name in lexicon(claim.language).attributes.get(token.key, ())}
        words = [terms for name, terms in self.attributes.items() if name in names]
        return replace(one, terms=one.terms.union(*words)) if words and one.terms & self.asked else one

    def share(self, part: frozenset[str], terms: frozenset[str]) -> float:
        """Return the share of a part of the question that some words cover, rare ones counting more."""
        whole = sum(self.weights[term] for term in part)
        return sum(self.weights[term] for term in part & terms) / whole if whole else 1.0

    def cover(self, terms: frozenset[str]) -> float:
        """Return the share of the question that some words cover."""
        return sum(self.weights[term] for term in self.asked & terms) / self.whole

    def fits(self, one: _Sentence) -> bool:
        """Tell whether a sentence holds a value of the sort that is asked for and that the question does not say."""
        wanted = _PARTS.get(self.kind, _VALUES)
        return any(
            token.part in wanted and not self.asked & frozenset(_terms(token.text))
            for token in read_claim(one.text).tokens
        )

    def gains(self, one: _Sentence) -> float:
        """Return what a sentence gains beside the words that it covers."""
        said = one.text.lower()
        worded = any(phrase in said for phrase in self.phrases) or (
            self.unit is not None and self.unit.search(said) is not None
        )
        return _FITTING * self.fits(one) + _WORDING * worded

    def is_about(self, question: str, told: Sequence[_Sentence]) -> bool:
        """Tell whether sentences speak of what a question names, and of what it asks of that.

        A rare name outweighs all else: who plays in the film of a book tells nothing of its author's university.
        Of English only: Chinese names are cut in one way in a question and in another within a sentence.
        """
        if working_language(question) == "zh":
            return True
        named = frozenset(t for one in mentions(question) for t in _terms(one.text) if len(t) > 2) & self.asked
        held = frozenset[str]().union(*(one.all for one in told))
        least = _OF_REST if self.share(named, held) >= _OF_NAMES else _OF_REST_ALONE
        return self.share(self.asked - named, held) >= least

    def part_of(self, one: _Sentence) -> str:
        """Return a sentence, of one that is too long for an answer the part that covers most of the question."""
        if len(one.text) <= LONGEST_ANSWER:
            return one.text
        parts = []
        for start in [0, *(found.end() for found in _CLAUSE.finditer(one.text))]:
            head = "… " if start else ""
            said = shortened(one.text[start:], LONGEST_ANSWER - len(head))
            part = _Sentence(head + said, one.source, frozenset(_terms(said)), one.title)
            parts.append((self.cover(part.all) + self.gains(part), -start, part.text))
        return max(parts)[2]

    def best(self) -> tuple[float, list[_Sentence]]:
        """Return the sentence, or the two that belong together, which cover most of the question."""
        ranked = sorted(self.sentences, key=lambda one: -self.cover(one.all))[: _HEADS + _MANY]
        if self.attributes:
            ranked = sorted(map(self.spoken, ranked), key=lambda one: -self.cover(one.all))
        found: list[tuple[float, float, list[_Sentence]]] = []

        def add(answer: _Sentence, *beside: _Sentence, onward: bool = False) -> None:
            held = answer.all.union(*(one.all for one in beside))
            score = self.cover(held) + self.gains(answer) + 0.02 * onward
            found.append((score + _ASKED * self.share(self.beside, answer.terms), score, [answer, *beside]))

        for head in ranked[:_HEADS]:
            add(head)
            for other in ranked:
                if other.source == head.source or not (head.names(other) or other.names(head)):
                    continue
                # What the one names is what the other tells of: there the answer stands.
                onward = head.names(other) and not other.title <= self.asked
                add(*((other, head) if onward else (head, other)), onward=onward)
        _, score, told = max(found, key=lambda one: one[0], default=(0.0, 0.0, []))
        return score, told


_COUNTED = re.compile(
    r"\bhow many (?P<en>[a-z]{3,}?)s?\b|\b(?P<long>how long)\b|"
    r"(?:几|多少)个?(?P<zh>天|周|年|月|小时|分钟|次|元|岁|人|公里|米)|(?P<time>多久|多长时间)",
    re.IGNORECASE,
)
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
_SPANS = {"long": "(?:second|minute|hour|day|week|month|year)", "time": "(?:秒|分钟|小时|天|周|个?月|年)"}


def _unit_asked_for(question: str) -> re.Pattern[str] | None:
    """Return how an amount of what a question counts is written: "how long" by minutes or days, 几天 by 天."""
    found = _COUNTED.search(question)
    if found is None or found.lastgroup is None:
        return None
    unit = _SPANS.get(found.lastgroup) or re.escape(found[found.lastgroup].lower())
    if found["zh"] or found["time"]:
        return re.compile(rf"[\d一二两三四五六七八九十百千万半]\s*个?{unit}")
    return re.compile(rf"\b(?:[\d.,]*\d|{_NUMBERS}|half an?|an?)[- ]{unit}s?\b")


_WH = re.compile(r"\b(?:what|which|who|whom|whose|when|where|how)\b", re.IGNORECASE)
_STOP = re.compile(r"[,;.]\s")


def _beside_what_is_asked(question: str) -> frozenset[str]:
    """Return the terms of the few words around the last word that asks, within its clause: "an Earl of which place"."""
    asking = [found.start() for found in _WH.finditer(question)]
    if not asking:
        return frozenset()
    before = _STOP.split(question[: asking[-1]])[-1].split()[-_BESIDE:]
    after = _STOP.split(question[asking[-1] :])[0].split()[: _BESIDE + 1]
    return frozenset(_terms(" ".join([*before, *after])))


@lru_cache(maxsize=4_096)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(query_terms(text))


def _sentences(texts: Sequence[str], titles: Sequence[str]) -> list[_Sentence]:
    """Return the sentences of some texts; where no title is given, a short one that a text begins with is its title."""
    found: dict[str, _Sentence] = {}
    for source, text in enumerate(texts):
        said = statements(text, most=_MAX_SENTENCES)
        given = titles[source] if titles else ""
        titled = bool(said) and not given and len(said[0]) <= _LONGEST_TITLE and _is_title(said[0])
        topic = given or (said[0] if titled else _topic(said[0]) if said else "")
        title = frozenset(term for term in _terms(topic) if len(term) > 1)
        name = frozenset(term for term in _terms(_TOLD_APART.sub("", topic)) if len(term) > 1)
        for place, sentence in enumerate(said):
            if (place or not titled) and not is_question(sentence) and not sentence.startswith("#"):
                found.setdefault(sentence, _Sentence(sentence, source, frozenset(_terms(sentence)), title, name))
        if len(found) >= _MAX_SENTENCES:
            break
    return list(found.values())


def _is_title(sentence: str) -> bool:
    """Tell whether a sentence only names something; Chinese verbs have no form, so that it goes by each word there."""
    if working_language(sentence) == "zh":
        return all(word.tag[:1] in _NAMING_TAGS for word in tagged(sentence.rstrip("。. ")))
    return not read_claim(sentence).has_verb


def _topic(sentence: str) -> str:
    """Return what the first sentence of a text begins with, which is what the rest speaks of; nothing if it is long."""
    found = _TOPIC.match(sentence)
    return found[0] if found else ""


async def find_answer(
    question: str, texts: Sequence[str], toolbox: Toolbox, *, titles: Sequence[str] = ()
) -> AnswerCandidates:
    """Return the sentences of some texts that answer a question best; each text may begin with its title."""
    sentences = _sentences(texts, titles)
    if not sentences or not question.strip():
        return AnswerCandidates((), 0.0)
    reader = _AnswerReader(question, sentences)
    of_two = _whether if reader.kind is AnswerType.WHETHER else _earlier_or_later
    if (told := of_two(question, reader)) is not None:
        # Whether something holds of two things is told by what speaks of both of them.
        bearing = [one for one in sentences if one.source in told.sources]
        return told if _speak_of_it(question, bearing) else AnswerCandidates((), 0.0)
    if reader.kind is AnswerType.WHETHER and _BOTH.search(question):
        return AnswerCandidates((), 0.0)
    score, best = reader.best()
    if not _speak_of_it(question, sentences):
        return AnswerCandidates((), 0.0)
    if not best or not reader.is_about(question, best) or _of_another_year(question, best, texts):
        return AnswerCandidates((), 0.0)
    kept = [best[0], *(one for one in best[1:] if len(best[0].text) + len(one.text) < LONGEST_ANSWER)]
    return AnswerCandidates(
        tuple(one.text for one in kept), score, reader.part_of(best[0]), tuple(one.source for one in kept)
    )


def _speak_of_it(question: str, sentences: Sequence[_Sentence]) -> bool:
    """Tell whether a sentence has each of the names in a question, or nearly all of them.

    A sentence on another hall, singer or airline covers most words of a question. Of English only: Chinese names are
    cut in one way in a question and in another within a sentence.
    """
    if working_language(question) == "zh":
        return True
    known = frozenset[str]().union(*(one.all for one in sentences))
    named = {
        one.key: frozenset(_as_spelt(word, known) for word in _terms(one.text) if len(word) > 2)
        for one in mentions(question)
        if one.kind != "acronym" and not _ASKED_FOR.search(question, 0, one.start)
    }
    if not named and _UNNAMED.search(question):
        return False
    held = [any(words <= one.all and _names(one, words) for one in sentences) for words in named.values()]
    return sum(held) > _TOLD_OF * len(held) or not held


def _names(one: _Sentence, words: frozenset[str]) -> bool:
    """Tell whether a sentence has a single word as a name: "personal branding" is not of the play "Brand"."""
    if len(words) > 1 or words <= one.title or one.text == one.text.lower():
        return True
    return words <= frozenset(_terms(" ".join(_CAPITAL.findall(one.text))))


def _as_spelt(word: str, known: frozenset[str]) -> str:
    """Return a word as texts spell it: "Gothenberg" is no other town; of a short word one letter makes another."""
    if word in known or len(word) < _LEAST_SPELT:
        return word
    return next(iter(get_close_matches(word, known, 1, _SPELT_ALIKE)), word)


def _of_another_year(question: str, best: Sequence[_Sentence], texts: Sequence[str]) -> bool:
    """Tell whether a year is asked about that nothing here speaks of, while the best sentence speaks of another."""
    years = frozenset(_YEAR.findall(question))
    return bool(years) and _YEAR.search(best[0].text) is not None and years.isdisjoint(_YEAR.findall(" ".join(texts)))


def _told_of_names(question: str, reader: _AnswerReader) -> dict[frozenset[str], list[_Sentence]]:
    """Return the sentences under the titles that a question names, by the terms of the names."""
    if working_language(question) == "zh":
        held = frozenset(_terms(question))
        names = [one.title for one in reader.sentences if one.title <= held]
    else:
        names = [frozenset(_terms(name)) for name in _NAME.findall(question)]
    told = {name: [one for one in reader.sentences if name <= one.title] for name in names if name}
    return {name: about for name, about in told.items() if about}


def _earlier_or_later(question: str, reader: _AnswerReader) -> AnswerCandidates | None:
    """Answer which of two things was first or last, by the years that are said of them; nothing where one has none."""
    order = _ORDER.search(question)
    if order is None or _EITHER.search(question) is None:
        return None
    dated: dict[int, tuple[int, _Sentence]] = {}
    for name, about in _told_of_names(question, reader).items():
        rest = reader.asked - name
        when = [(one, [int(year) for year in _YEAR.findall(one.text)]) for one in about]
        when = [(one, years) for one, years in when if years]
        if when:
            one, years = max(when, key=lambda found: sum(reader.weights[term] for term in rest & found[0].terms))
            dated.setdefault(one.source, (years[-1] if _DEATH.search(question) else years[0], one))
    if len(dated) != 2 or len({year for year, _ in dated.values()}) != 2:
        return None
    chosen = [
        one
        for _, one in sorted(
            dated.values(), key=lambda found: found[0], reverse=bool(order["later"] or order["zh_later"])
        )
    ]
    return AnswerCandidates(
        tuple(_in_short(one.text, (LONGEST_ANSWER - 1) // 2) for one in chosen),
        1.0,
        sources=tuple(one.source for one in chosen),
    )


_ASIDE = re.compile(r"\s*[(（](?![^()（）]*\d{4})[^()（）]*[)）]")
"""What stands in brackets behind a name, unless it says when."""


def _in_short(sentence: str, room: int) -> str:
    """Return a sentence in so many characters: what it says aside goes first, then its end, between words."""
    return sentence if len(sentence) <= room else excerpt(_ASIDE.sub("", sentence), room)


def _whether(question: str, reader: _AnswerReader) -> AnswerCandidates | None:
    """Answer whether something holds of two things: yes where it is said of both; nothing where one is not known."""
    told = _told_of_names(question, reader)
    names = list(told)
    chosen = [max(about, key=lambda one: reader.cover(one.terms)) for about in told.values()]
    if len({one.source for one in chosen}) != 2:
        return None
    rest = reader.asked - frozenset().union(*names)
    if _SAME.search(question):
        said = [
            {
                term
                for token in read_claim(one.text).tokens
                if token.part is TokenKind.NAME and not token.text.isupper()
                for term in _terms(token.text)
            }
            for one in chosen
        ]
        holds = bool((said[0] & said[1]) - reader.asked - _wide())
    else:
        # What is written as a name must be said of both; of other words most.
        named = rest & frozenset(term for word in _NAME.findall(question) for term in _terms(word))
        rest = named or rest
        total = sum(reader.weights[term] for term in rest)
        least = total if named else total / 2
        holds = all(sum(reader.weights[term] for term in rest & one.all) >= least for one in chosen)
    verdict = (_YES if holds else _NO)[working_language(question)]
    shown = [_in_short(one.text, (LONGEST_ANSWER - len(verdict) - 1) // 2) for one in chosen]
    return AnswerCandidates((verdict + shown[0], shown[1]), 1.0, sources=tuple(one.source for one in chosen))


_NAMING_TAGS = frozenset("njxmbqs")
"""The segmenter's tags of nouns, short forms, foreign words and signs, and of what counts and sorts beside them."""
_EITHER = re.compile(r"\bor\b|还是|哪[一]?[个位座部家所本]|谁")
_ORDER = re.compile(
    r"\b(?:(?P<earlier>first|earlier|earliest|older|oldest|before)|"
    r"(?P<later>later|latest|last|younger|youngest|newer|newest|(?:more|most) recent(?:ly)?|after))\b|"
    r"(?P<zh_earlier>[更较最]早|年长|(?<!首)先(?!生))|(?P<zh_later>[更较最]晚|年轻|[更较最]新)",
    re.IGNORECASE,
)
_DEATH = re.compile(r"\b(?:die[ds]?|death|dissolved|closed|ended)\b|去世|逝世|解散|关闭", re.IGNORECASE)
_YEAR = re.compile(r"(?<![\d.,])(1\d{3}|20\d\d)(?!\d|[.,]\d)")
_NAME = re.compile(r"(?<!^)\b[A-Z][\w'’]*(?:[ -](?:of |the |de |& )?[A-Z][\w'’]*)*")


@cache
def _wide() -> frozenset[str]:
    """The terms of places so wide that having one in common says nothing: two things are in no one state for that."""
    return frozenset(_terms("United States America China England Kingdom U.S. USA"))


async def agreeing(found: AnswerCandidates, known: Sequence[str], toolbox: Toolbox) -> AnswerCandidates:
    """Return what was found without what contradicts what is known, or a better sentence before it."""
    kept: list[str] = []
    for sentence in found.sentences:
        pairs = [(DatedStatement(sentence), DatedStatement(other)) for other in (*known, *kept)]
        judgements = await judge_statements(pairs, toolbox)
        if all(judgement.conflict < CONFLICT for judgement in judgements):
            kept.append(sentence)
    brief = found.brief if kept[:1] == list(found.sentences[:1]) else ""
    return AnswerCandidates(tuple(kept), found.score if kept else 0.0, brief)


# ── contradictions ───────────────────────────────────────────────────────────

_CONFLICT = re.compile(r"<conflict\b[^<>]*>")
_MAX_STATEMENTS = 2_000
"""Statements of all sources together that are weighed."""
_BETWEEN = " / "
_MAX_PER_SOURCE = 200
# Whoever speaks of now knows of an earlier state; this tells more than that it was said later.
_NOW = re.compile(
    r"\b(?:now|nowadays|currently|these days|lately|no longer|any ?more|from now on|since then)\b|"
    r"现在|如今|目前|眼下|不再|改为|改成|改用",
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
    parts = _described(task).strip().split(_BETWEEN)
    return Contradiction(parts[0].strip(), parts[1].strip()) if len(parts) == 2 and all(map(str.strip, parts)) else None


def _described(task: str) -> str:
    """Return the description in the first conflict of a task; nothing where there is none that is closed."""
    found = _CONFLICT.search(task)
    _, opened, rest = task[found.end() :].partition("<description>") if found else ("", "", "")
    said, closed, rest = rest.partition("</description>")
    return said if opened and closed and "</conflict>" in rest else ""


async def settle_contradiction(matter: Contradiction, results: Sequence[str], toolbox: Toolbox) -> str:
    """Return a verdict in words: which statement holds, or that it cannot be told."""
    said = in_language(_VERDICTS, working_language(matter.newer, matter.older))
    one, other = DatedStatement(matter.newer), DatedStatement(matter.older)
    (judgement,) = await judge_statements([(one, other)], toolbox)
    if _NOW.search(matter.newer) and not _NOW.search(matter.older):
        return said["changed"].format(right=matter.newer, wrong=matter.older)
    if judgement.is_update:
        # Whoever tells of a change knows both states; the one who tells of none knows the earlier one only.
        changed = one.read().is_change or not other.read().is_change
        right, wrong = (matter.newer, matter.older) if changed else (matter.older, matter.newer)
        return said["changed"].format(right=right, wrong=wrong)
    for_one, for_other = await _support(matter, _sources(results), toolbox)
    if for_one == for_other:
        return said["open"].format(one=matter.newer, other=matter.older)
    right, wrong = (matter.newer, matter.older) if for_one > for_other else (matter.older, matter.newer)
    return said["more"].format(right=right, wrong=wrong)


_NUMBERED = re.compile(r"^(?=\d{1,3}\.\s*\[|#\s)", re.MULTILINE)


def source_texts(result: str) -> list[str]:
    """Return the texts of a result, one of each source, with what stands on its first line."""
    return [part for piece in _NUMBERED.split(result) if (part := piece.strip())]


def _sources(results: Sequence[str]) -> list[str]:
    """Return the texts of results, each source once."""
    parts = [part.strip() for result in results for part in _SOURCE.split(result)]
    return list(dict.fromkeys(part for part in parts if part))


async def _support(matter: Contradiction, sources: Sequence[str], toolbox: Toolbox) -> tuple[int, int]:
    """Return how many sources contradict the second statement and not the first, and the other way round."""
    told = [(place, text) for place, source in enumerate(sources) for text in statements(source, most=_MAX_PER_SOURCE)]
    told = told[:_MAX_STATEMENTS]
    pairs = [(DatedStatement(text), DatedStatement(side)) for _, text in told for side in (matter.newer, matter.older)]
    judged = [judgement.conflict >= CONFLICT for judgement in await judge_statements(pairs, toolbox)]
    for_one: set[int] = set()
    for_other: set[int] = set()
    for number, (place, _) in enumerate(told):
        against_one, against_other = judged[2 * number], judged[2 * number + 1]
        if against_other and not against_one:
            for_one.add(place)
        elif against_one and not against_other:
            for_other.add(place)
    return len(for_one - for_other), len(for_other - for_one)
