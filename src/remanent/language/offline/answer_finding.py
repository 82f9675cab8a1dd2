"""Answers out of texts, without a model: the sentence that holds what is asked for, or that it is not there.

A question is answered by one sentence, or by two that belong together: one names what the other, or its text, is about
(two hops). How well they answer is the share of the question's words, rare ones counting more, that they cover with the
titles of their texts; they must have a name that the question has, and the words beside what it asks for choose among
them. What is asked of two things is answered by what is said of both. The figures are in docs/figures.md.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache

from remanent.bilingual import Bilingual
from remanent.language.offline.claims import TokenKind, read_claim
from remanent.language.offline.comparison import attributes_of, name_runs
from remanent.language.offline.headings import is_source_heading
from remanent.language.offline.judgement import CONFLICT, DatedStatement, judge_statements
from remanent.language.offline.lexicon import lexicon
from remanent.language.offline.office_holders import holders, tells_former_only
from remanent.language.offline.questions import AnswerType, answer_type, is_of_another, is_question, other_meal, sought
from remanent.language.offline.salience import summary_statements
from remanent.language.offline.values import amounts_of, case_told, cases_of, holding, old_values, tells_value
from remanent.language.shapes import shortened
from remanent.lightweight import dataclass
from remanent.text.chinese import tagged
from remanent.text.keywords import content_words
from remanent.text.markdown import with_rows_read
from remanent.text.mentions import mentions
from remanent.text.regex import lazy_regex
from remanent.text.scripts import working_language
from remanent.text.spans import excerpt
from remanent.text.terms import query_terms

_MAX_SENTENCES = 2_000
"""Sentences of all texts together; bounds what one question over a large document costs. Chosen by hand."""
_HEADS = 12
"""Sentences from which a second one is looked for: the best by themselves. Chosen by hand."""
_FITTING = 0.1
"""What a sentence gains by holding a value of the sort that is asked for, beside what the question says itself. Chosen
by hand."""
_WORDING = 0.12
"""What a sentence gains by the question's own verb and preposition: "built of" is not "built for". Chosen by hand."""
_VERB_PREPOSITION = re.compile(r"\b([a-z]{3,} (?:of|in|for|by|at|on|from|to|with|as|after|into))\b", re.IGNORECASE)
_LONGEST_TITLE = 60
"""Characters of a sentence that may be a title: shorter than the 80 of encyclopedias (`claims.py`), since a first
sentence that is taken for one answers nothing. Chosen by hand."""
_TOLD_OF = 2 / 3
"""Of the names in a question, the share that texts which answer it must speak of more than. Of 60 questions whose
documents were removed 23 were answered from what speaks of another name, with it 13; with the documents there 55 as
before."""
_NAMED_TAGS = frozenset({"nr", "nt", "nz", "ns", "en"})
"""The segmenter's tags of people, bodies, other names, places and foreign words."""
_SPELT_ALIKE, _LEAST_SPELT = 0.8, 6
"""How alike two words are, by the letters they have in common, of which one is the other misspelt; and their length.
Chosen by hand."""
_ASKED_FOR = re.compile(r"\b(?:what|which|whose)\s+$", re.IGNORECASE)
_UNNAMED = re.compile(r"\bwhich of (?:the|these|those) (?:two|three)\b", re.IGNORECASE)
_CODE = re.compile(r"(?<![a-z0-9])[a-z]{1,3}-?[0-9]{1,4}(?![a-z0-9])")
"""What a thing is called by that is told from others by a letter or a figure: L2, q17."""
_CAPITAL = re.compile(r"\b[^\W_a-z][\w'’]*")
_BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
_TOLD_APART = re.compile(r"\s*[(（][^()（）]*[)）]|(?<=\w), .*")
_LISTED_AS = re.compile(r"\A\d{1,3}\.\s*\[[^\]\n]*\]\s*(?P<title>\S.*)\n")
"""The line with the title of a text in what a search gave."""
_LONGEST_NAME = 2
"""Terms of a sentence that may be a name and no more. Chosen by hand."""
_BESIDE, _AFTER, _ASKED = 5, 8, 0.3
"""Words on either side of the one that asks, and what a sentence that has them is preferred by. It says which of the
sentences answers, not whether one does. Chosen by hand."""
_ALIKE = 1e-6
"""How little two answers may differ to be as good as each other. Chosen by hand."""
_NAMELESS = 0.4
"""What sentences lose that have none of the names in a question: they speak of another hall, singer or airline. Chosen
by hand; with what else came with it, 26 public two-hop questions without their evidence were all told to be
unanswerable, where 92 % had been."""
_OF_REST = 0.1
"""The least share of a question's other words that what answers it speaks of. Chosen by hand."""
_UNDECIDED = 0.9
"""How well what is said of both of two things answers which of them is so: whoever reads it can tell. Chosen by
hand."""
_MANY = 60
"""Sentences after the best that are looked through for a second hop. Chosen by hand."""
LONGEST_ANSWER = 200
"""Characters: an answer that is longer is a text to search, not an answer. The figures of docs/figures.md look for the
gold answer within as many."""
_GOOD = 0.6
"""From this share of the question on it is answered. Chosen on every other one of 50 public questions; on the rest it
does the same."""
_CLAUSE = re.compile(r"[,;，；。]\s*|\s(?=[(（])")
"""Where a part of a long sentence may begin."""
_LEAST_WEIGHT = 0.6
"""Of few texts all have most words: what they agree on must weigh something beside a word that none has. Chosen by
hand."""
_VALUES = frozenset({TokenKind.NAME, TokenKind.AMOUNT, TokenKind.TIME})
_PARTS = {
    AnswerType.NUMBER: frozenset({TokenKind.AMOUNT, TokenKind.TIME}),
    AnswerType.TIME: frozenset({TokenKind.AMOUNT, TokenKind.TIME}),
    AnswerType.PERSON: frozenset({TokenKind.NAME}),
    AnswerType.PLACE: frozenset({TokenKind.NAME}),
}
_TOPIC = re.compile(r"[《「“]?[\w·\-/ ]{1,40}?(?=[》」”]|\s*[(（,，]|\s(?:is|was|are|were)\b|[是为于在])")
"""The subject of a sentence as encyclopaedias and policies begin with one."""
_ABOUT = re.compile(
    r"(?:The )?([A-Z][\w'’.&-]+(?: (?:of |the |de |van |von )?[A-Z][\w'’.&-]*)+)|"
    r"([A-Z][\w'’-]{3,})(?=,| (?:is|was|has)\b)|([\w·]{2,10}?)(?=，|[由被是为于在]|出?生于|的)"
)
"""The name that a sentence begins with."""
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
    said: tuple[str, ...] = ()
    """How each sentence is told: the part of a long one that answers, under the name of what it speaks of."""
    sources: tuple[int, ...] = ()
    """The places from 0 of the texts that the sentences stand in: a shortened one cannot be looked up there."""
    onward: str = ""
    """What to search for where they name somebody of whom the rest may be asked: that name, and what they leave out."""

    @property
    def text(self) -> str:
        """What to say: the sentences, as they are told."""
        between = "" if working_language(*self.sentences) == "zh" else " "
        return between.join(self.said or self.sentences)

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
    heading: str = ""
    """That title as it is written."""
    about: str = ""
    """The name that the sentence itself begins with."""

    @property
    def all(self) -> frozenset[str]:
        return self.terms | self.title

    def names(self, other: "_Sentence") -> bool:
        """Tell whether it speaks of what another sentence's text is about."""
        return bool(other.name) and other.name <= self.terms


_WHO_IS = lazy_regex(
    r"^\s*who(?:['’]s| is)(?! (?:it|he|she) )(?!.*\b(?:who|that|which|where|when)\b)|[是由]谁(?![^？?。]*的)|谁是",
    re.IGNORECASE,
)
"""How a question begins that asks who holds an office now."""


_ASKS_OF_BEFORE = lazy_regex(
    r"\b(?:original(?:ly)?|before|former(?:ly)?|previous(?:ly)?|old|earlier|first|used to|initial(?:ly)?|instead|"
    r"chang\w+)\b|原|之前|以前|最初|本来|起初|改|变",
    re.IGNORECASE,
)
"""What asks of what was so before something changed, or of the change."""
_APART = lazy_regex(r"(?<![A-Za-z0-9])[A-Z](?![A-Za-z0-9'’])|\d+(?:\.\d+)*|[一二三四五六七八九十]+(?=号)")


def _weights(asked: Iterable[str], sentences: Sequence[_Sentence]) -> dict[str, float]:
    """Return how much each word that is asked for tells: more, the fewer of the sources have it."""
    said: dict[int, set[str]] = defaultdict(set)
    for one in sentences:
        said[one.source].update(one.all)
    spread = Counter(term for terms in said.values() for term in terms)
    count = max(1, len(said))
    return {term: _LEAST_WEIGHT + math.log(1 + (count - spread[term] + 0.5) / (spread[term] + 0.5)) for term in asked}


class _AnswerReader:
    """A question and the sentences that may answer it."""

    def __init__(self, question: str, sentences: Sequence[_Sentence]) -> None:
        self.kind = answer_type(question)
        self.question = question
        # 山有 in 凯尔特山有多高 is no word that a sentence could have.
        words = _terms(" ".join(_words(question)) or question)
        terms = [term for term in words if not (term.endswith("有") and f"{term}多" in question)]
        # A short Chinese question gives its characters, too, which a sentence does not.
        said = frozenset(
            term
            for term in terms
            if (len(term) > 1 or term.isascii()) and not term.startswith(("哪", "几", "谁", "何"))
        )
        happens = _HAPPENS.search(question)
        outcome = _terms(happens["word"]) if happens else ()  # what comes of something: no sentence need say so
        self.asked = said.difference(_sorts(), outcome) or said or frozenset(terms)
        self.deeds = _deeds(question)
        # Where words end is a guess: 10天年假 holds 年假, whatever the segmenter makes of it, and so does 年休假.
        han = [term for term in self.asked if not term.isascii()]
        if han:
            deeds = [one.text for one in tagged(question) if one.tag[:1] in "vl" and len(one.text) == 3]
            wordings = {term: _wordings(term, deeds) for term in han}
            sentences = [
                replace(
                    one,
                    terms=one.terms.union(
                        t
                        for t in han
                        if any(all(part in one.text for part in parts) for parts in wordings[t])
                        or _is_short_for_one(t, one.all)
                    ),
                )
                for one in sentences
            ]
        self.amounts = amounts_of(question)
        if self.amounts:
            sentences = [replace(one, terms=one.terms | self._amounts_told(one)) for one in sentences]
        # What says nothing that the question does not say, as a title does, only answers whether it is so.
        if self.kind is not AnswerType.WHETHER:
            own = frozenset(_terms(question))
            sentences = [one for one in sentences if len(one.terms) > _LONGEST_NAME or one.terms - own]
        self.sentences = sentences
        self.weights = _weights(self.asked, sentences)
        self.whole = sum(self.weights.values()) or 1.0
        self.unit = _unit_asked_for(question)
        self.sought = sought(question)
        self.told: dict[str, bool] = {}
        self.phrases = tuple(f"{found.lower()} " for found in _VERB_PREPOSITION.findall(question))
        known = frozenset[str]().union(*(one.all for one in sentences))
        self.named = _names_of(question, known)
        self.beside = _beside_what_is_asked(question, frozenset[str]().union(*self.named)) & self.asked
        claim = read_claim(question)
        self.attributes = {
            name: frozenset(_terms(token.text))
            for token in claim.tokens
            for name in lexicon(claim.language).attributes.get(token.key, ())
        }

    @cached_property
    def _changes(self) -> list[tuple[_Sentence, tuple[str, ...]]]:
        """Return the sentences on what is asked that say what something was before, with that."""
        if _ASKS_OF_BEFORE.search(self.question):
            return []
        changed = ((one, old_values(one.text)) for one in self.sentences if one.terms & self.asked)
        return [(self.spoken(one), values) for one, values in changed if values][:_MANY]

    def _amounts_told(self, one: _Sentence) -> frozenset[str]:
        """Return the terms of the amounts in a question that a sentence tells, however written, or has the case of."""
        told = {(same.base_value, same.base_unit) for same in amounts_of(one.text)}
        return frozenset(
            term
            for amount in self.amounts
            if (amount.base_value, amount.base_unit) in told or holding(amount.base_value, cases_of(amount, one.text))
            for term in _terms(amount.text)
        )

    def spoken(self, one: _Sentence, *, beside: bool = False) -> _Sentence:
        """Return a sentence with the question's words for what it speaks of: who moved to Lisbon lives there.

        One that has none of the others speaks of something else, unless it stands beside one that has them.
        """
        claim = read_claim(one.text)
        names = {"duration"} if _FROM_TO.search(one.text) else set[str]()
        names |= attributes_of(claim.tokens, claim.language)
        words = [terms for name, terms in self.attributes.items() if name in names]
        return replace(one, terms=one.terms.union(*words)) if words and (beside or one.terms & self.asked) else one

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
        beside = self.sought is not None and self.sought.is_beside(one.text)
        return _FITTING * self.fits(one) + _WORDING * (worded + beside)

    def is_other_case(self, one: _Sentence) -> bool:
        """Tell whether a sentence gives the cases of an amount that is asked of, and none of them is its case.

        A sentence with one case gives one of several only where others of its text give more.
        """
        for asked in self.amounts:
            cases = cases_of(asked, one.text)
            if cases and not holding(asked.base_value, cases):
                beside = (other for other in self.sentences if other.source == one.source and other != one)
                return len(cases) > 1 or any(cases_of(asked, other.text) for other in beside)
        return False

    def may_tell(self, one: _Sentence) -> bool:
        """Tell whether a sentence is of the case asked of, and has a figure of the thing if one is asked for."""
        if (told := self.told.get(one.text)) is None:
            told = (
                not self.held_before(one.text)
                and not self.is_superseded(one)
                and not self.is_other_case(one)
                and (self.sought is None or self.sought.is_told(one.text, self.spoken(one).all, one.heading))
            )
            self.told[one.text] = told
        return told

    def is_superseded(self, one: _Sentence) -> bool:
        """Tell whether another sentence on the same says that what this one tells was so before.

        It is on the same where it has the words that both the question and this one have, but for one in three, and the
        capital letters and figures of them that tell one thing from another.
        """
        both = one.all & self.asked
        apart = frozenset(_APART.findall(self.question)) & frozenset(_APART.findall(one.text))
        return any(
            other.text != one.text
            and len(both & other.all) >= _TOLD_OF * len(both)
            and apart <= frozenset(_APART.findall(other.text))
            and any(tells_value(one.text, value) for value in values)
            and not any(tells_value(other.text, value) for value in old_values(one.text))
            for other, values in self._changes
        )

    def is_of_another(self, *told: _Sentence) -> bool:
        """Tell whether sentences, under the names of their texts, are on another one of the kind that is asked of."""
        return is_of_another(self.question, "\n".join(f"{one.heading}\n{one.text}" for one in told))

    def held_before(self, text: str) -> bool:
        """Tell whether a text tells only who held before what the question asks the present holder of."""
        return _WHO_IS.search(self.question) is not None and tells_former_only(self.question, text)

    def only_does_so(self, held: frozenset[str]) -> bool:
        """Tell whether words have of a question only what somebody does: who sends a plan sends no requests."""
        return bool(self.deeds) and self.asked & held <= self.deeds and not self.asked <= self.deeds

    def told_further(self, head: _Sentence) -> list[_Sentence]:
        """Return the sentences on whom or what another one names that tell what is asked and it does not."""
        named = [one for one in self.sentences if one.about and one.about in head.text and one.text != head.text]
        further = [self.spoken(one, beside=True) for one in named if one.about not in self.question]
        return [one for one in further if (one.terms - head.all) & self.asked]

    def onward(self, told: Sequence[_Sentence]) -> str:
        """Return what to search for to learn the rest: a name that was told and not asked of, and what is missing."""
        held = frozenset[str]().union(*(self.spoken(one, beside=True).all for one in told))
        of_word = {word: self.asked.intersection(_terms(word)) for word in content_words(self.question)}
        words = [word for word, terms in of_word.items() if terms and terms.isdisjoint(held)]
        runs = name_runs(read_claim(told[0].text).tokens)
        names = [holder.text for holder in holders(told[0].text)]
        names += [told[0].text[run[0].start : run[-1].end] for run in runs]
        name = next((name for name in names if not self.asked & frozenset(_terms(name))), "")
        return " ".join([name, *words]) if name and words else ""

    def part_of(self, one: _Sentence) -> str:
        """Return a sentence, of one that is too long for an answer the part that covers most of the question.

        Given whole, a long sentence left the gold answer within 200 characters for 38 % of 50 public questions; by its
        best part 52 % have it.
        """
        text = case_told(self.question, one.text) or one.text
        if len(text) <= LONGEST_ANSWER:
            return text
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
            if self.only_does_so(held) or not self.may_tell(answer) or self.is_of_another(answer, *beside):
                return
            score = self.cover(held) + self.gains(answer) + 0.02 * onward
            if self.named and not any(words <= held for words in self.named):
                score -= _NAMELESS
            found.append((score + _ASKED * self.share(self.beside, answer.terms), score, [answer, *beside]))

        for head in ranked[:_HEADS]:
            add(head)
            for other in ranked:
                if other.source == head.source or not (head.names(other) or other.names(head)):
                    continue
                # What the one names is what the other tells of: there the answer stands.
                onward = head.names(other) and not other.title <= self.asked
                add(*((other, head) if onward else (head, other)), onward=onward)
            for other in self.told_further(head):
                add(other, head, onward=True)
        top = max((one[0] for one in found), default=0.0)
        # Of those that do alike, the one that is about it: "The notice period is …, during probation two weeks" is not.
        tied = [one for one in found if one[0] > top - _ALIKE]
        _, score, told = max(tied, key=lambda one: self.share(self.asked, _opening(one[2][0])), default=(0.0, 0.0, []))
        rows = [one[2][0] for one in tied if told and len(one[2]) == 1 and _is_row_beside(one[2][0], told[0])]
        if len(rows) > 1:
            # Which row is meant they do not tell, so that it is all of them, or none where they are too many.
            fits = sum(len(one.text) + 1 for one in rows) <= LONGEST_ANSWER
            told, score = rows, score if fits else 0.0
        # A sentence that has the names only tells nothing of what is asked of them.
        held = frozenset[str]().union(*(one.all for one in told))
        rest = self.asked - frozenset[str]().union(*self.named)
        return (score if self.share(rest, held) >= _OF_REST else 0.0), told


def _is_row_beside(one: _Sentence, other: _Sentence) -> bool:
    """Tell whether two sentences are rows of one table: they begin with the same head."""
    heads = [_ROW_HEAD.match(row.text) for row in (one, other)]
    return one.source == other.source and heads[0] is not None and heads[1] is not None and heads[0][0] == heads[1][0]


_ROW_HEAD = re.compile(r"[^:：,，.。]{1,40}[:：]")


def _words(question: str) -> list[str]:
    """Return the words that a question is about, characters beside each other as one: 年假 is cut into two."""
    words: list[str] = []
    for word in content_words(question):
        if words and len(word) == 1 and not word.isascii() and words[-1] + word in question and len(words[-1]) == 1:
            words[-1] += word
        else:
            words.append(word)
    return words


_DEED = re.compile(
    r"\b(?:I|you|we|they|he|she|one|somebody|someone|people)\s+(?:(?:can|could|must|should|may|might|will|would|do|don['’]t|"
    r"not|have to|need to|want to|[a-z]+ly)\s+){0,4}(?P<deed>[a-z]+)\b",
    re.IGNORECASE,
)
_HAPPENS = re.compile(r"\bwhat (?:will |would |might |could )?(?P<word>happens?)\b", re.IGNORECASE)


def _deeds(question: str) -> frozenset[str]:
    """Return the terms of what a question says that somebody does."""
    if working_language(question) == "zh":
        return frozenset(term for one in tagged(question) if one.tag == "v" for term in (one.text, *_terms(one.text)))
    return frozenset(term for found in _DEED.finditer(question) for term in _terms(found["deed"]))


def _is_short_for_one(term: str, words: frozenset[str]) -> bool:
    """Tell whether a word of two characters is the first and the last of one of three: 年假, 年休假."""
    return len(term) == 2 and any(len(word) == 3 and word[0] == term[0] and word[-1] == term[1] for word in words)


def _wordings(term: str, deeds: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the parts of which a sentence that has a term has all: of 发工资 also 发 and 工资, of 晚饭 also 晚餐."""
    ways: list[tuple[str, ...]] = [(term,), (other_meal(term),)]
    if len(term) == 2 and term[0] == "一" and term[1] in "天日周月年":
        ways.append(("每" + term[1],))
    # What is done and to what is one word where it is asked, and two where it is told; its beginning is none.
    ways += [(deed[0], deed[1:]) for deed in deeds if term in (deed, deed[:2]) and deed[1:] in query_terms(deed)]
    return ways


def _opening(one: _Sentence) -> frozenset[str]:
    """Return the terms of what a sentence names before its verb: what it is about."""
    return frozenset(term for token in read_claim(one.text).tokens if token.opening for term in _terms(token.text))


_FROM_TO = re.compile(
    r"\b(?:from|began|started)\b[^;]{0,30}\d[^;]{0,40}\b(?:to|until|till|ended|finished)\b[^;]{0,30}\d|"
    r"[从自][^。]{0,10}\d[^。]{0,20}[到至][^。]{0,10}\d|\d[^。]{0,9}开始[^。]{0,20}\d[^。]{0,9}结束",
    re.IGNORECASE,
)
"""How a sentence says how long something took by when it began and ended."""
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
_ASKS_AT_ONCE = re.compile(
    rf"\W*(?:(?:in|at|on|of|for|from|by|to|with|about|during|under|after|since) )?{_WH.pattern}", re.IGNORECASE
)
_STOP = re.compile(r"[,;.]\s")
_RELATIVE = re.compile(rf"[,;.]\s|{_WH.pattern}|\bthat\b", re.IGNORECASE)


def _beside_what_is_asked(question: str, names: frozenset[str]) -> frozenset[str]:
    """Return the terms of the few words around the word that asks, within its clause: "an Earl of which place".

    A question that begins with that word asks for what follows, of things whose names may stand in another sentence.
    """
    asking = [found.start() for found in _WH.finditer(question)]
    if not asking:
        return frozenset()
    if first := _ASKS_AT_ONCE.match(question):
        # The others are relative: "what is the name of the song of the university whose campus is in Lawrence".
        return frozenset(_terms(" ".join(_RELATIVE.split(question[first.end() :])[0].split()[:_AFTER]))) - names
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
        listed = _LISTED_AS.match(text)
        read = with_rows_read(text[listed.end() if listed else 0 :])
        said = _whole(summary_statements(read, most=_MAX_SENTENCES))
        given = titles[source] if titles else listed["title"] if listed else ""
        titled = bool(said) and not given and _may_be_title(said[0])
        # What the first sentence begins with is what the rest speaks of, unless it is long.
        begin = _TOPIC.match(said[0]) if said and not given else None
        topic = given or (said[0] if titled else begin[0] if begin else "")
        named = _named(topic)
        for place, sentence in enumerate(said):
            heads = is_source_heading(sentence) and place + 1 < len(said)
            if heads or (place and titled and sentence[:2] == said[0][:2] and _may_be_title(sentence)):
                # A text that was made of several: what follows "From a blog" is told under that name.
                named = _named(sentence)
            elif (place or not titled) and not is_question(sentence) and not sentence.startswith("#"):
                terms = frozenset(_terms(sentence))
                opening = _ABOUT.match(sentence)
                about = next(filter(None, opening.groups()), "") if opening else ""
                found.setdefault(sentence, _Sentence(sentence, source, terms, *named, about))
        if len(found) >= _MAX_SENTENCES:
            break
    return list(found.values())


def _whole(said: Sequence[str]) -> list[str]:
    """Return sentences with the parts between semicolons put together, as far as an answer has room for them."""
    whole: list[str] = []
    for part in said:
        if whole and whole[-1].endswith("；") and len(whole[-1]) + len(part) <= LONGEST_ANSWER:
            whole[-1] += part
        else:
            whole.append(part)
    return whole


def _named(topic: str) -> tuple[frozenset[str], frozenset[str], str]:
    """Return the words of a title, those of its name, and the name."""
    heading = _TOLD_APART.sub("", topic).strip(" .。#:：")
    title, name = (frozenset(term for term in _terms(text) if len(term) > 1) for text in (topic, heading))
    return title, name, heading


_APPOSED = re.compile(r"[^,]+, (?:the|an?|his|her|our|former|ex)\b[^,]+, [a-z]+(?:s|ed) ")
"""A sentence whose verb stands behind what its subject is: Nils Berg, the former mayor, lives in Bergen."""


_OF_WHOM = re.compile(r"[，,]\s*(?:[男女][，,。]|[^\W\d_]{1,8}[人族](?:[，,。]|\Z))")
"""A Chinese sentence that says without a verb where somebody is from: 陈平，福建人。"""


def _may_be_title(sentence: str) -> bool:
    """Tell whether a sentence only names something; Chinese verbs have no form, so that it goes by each word there."""
    if len(sentence) > _LONGEST_TITLE or sentence.startswith("|"):
        return False
    if working_language(sentence) == "zh":
        tokens = read_claim(sentence).tokens
        if (tokens and tokens[-1].part is TokenKind.AMOUNT) or _OF_WHOM.search(sentence):
            return False  # 黄山海拔1864米 tells without a verb
        return all(word.tag[:1] in _NAMING_TAGS for word in tagged(sentence.rstrip("。. ")))
    return not read_claim(sentence).has_verb and not _APPOSED.match(sentence)


def find_answer(question: str, texts: Sequence[str], *, titles: Sequence[str] = ()) -> AnswerCandidates:
    """Return the sentences of some texts that answer a question best; each text may begin with its title.

    Both parts of a question are answered only where each is known and the second names what it asks about; none of the
    100 public questions asks so, and people do.
    """
    # What a single word is asked of stands in the other half: 谁是首任经理，何时离任.
    halves = [part for part in _SECOND.split(question) if _ASKING.search(part) and len(content_words(part)) > 1]
    found = [find_answer(half, texts, titles=titles) for half in halves] if len(halves) == 2 else []
    if found and all(one.is_good for one in found) and found[0].sentences != found[1].sentences:
        return _joined(*found)
    sentences = _sentences(texts, titles)
    if not sentences or not question.strip():
        return AnswerCandidates((), 0.0)
    reader = _AnswerReader(question, sentences)
    if (told := _of_two(question, reader)) is not None:
        return told
    score, best = reader.best()
    if not _speak_of_it(question, sentences, texts):
        return AnswerCandidates((), 0.0)
    if not best or _of_another_year(question, best, texts):
        return AnswerCandidates((), 0.0)
    said = _told(best, reader)
    kept = best[: len(said)]
    sources = tuple(one.source for one in kept)
    return AnswerCandidates(tuple(one.text for one in kept), score, said, sources, reader.onward(best))


_SECOND = re.compile(
    r",? and (?=(?:how|what|when|where|why|who)\b(?!['’])(?!.*\b(?:it|he|she|they|his|her|their|its)\b))|"
    r"(?<=[?？])\s*(?=\S)|[，；](?:以及|并且?)?(?!.*[它他她其])",
    re.IGNORECASE,
)
"""Where a question asks a second one, of which no pronoun says that only the first tells what it is about."""
_ASKING = re.compile(
    rf"{_ASKS_AT_ONCE.pattern}|\A\W*why\b|谁|什么|多少|哪|几[个位次天年月]|何时|为何|如何|怎", re.IGNORECASE
)


def _joined(first: AnswerCandidates, second: AnswerCandidates) -> AnswerCandidates:
    """Return the answers to two questions as one: the best sentence of either."""
    texts = [one.said[0] if one.said else one.sentences[0] for one in (first, second)]
    half = (LONGEST_ANSWER - 1) // 2
    said = tuple(
        _in_short(text, max(half, 2 * half - len(other))) for text, other in zip(texts, texts[::-1], strict=True)
    )
    sentences = (first.sentences[0], second.sentences[0])
    return AnswerCandidates(sentences, min(first.score, second.score), said, (*first.sources[:1], *second.sources[:1]))


_LEAST_TOLD = 60
"""Characters from which on a part of the sentence beside the answer is worth telling. Chosen by hand."""


def _told(best: Sequence[_Sentence], reader: _AnswerReader) -> tuple[str, ...]:
    """Return how sentences are told in the room of an answer; the first one first, of the others what fits."""
    said = reader.part_of(best[0])
    # Who is mayor now is not told under the name of who was before.
    opened = next((one.text for one in reader.sentences if one.text.startswith(best[0].heading)), "")
    told = [said if reader.held_before(opened) else _under_its_name(best[0], said)]
    for one in best[1:]:
        room = LONGEST_ANSWER - sum(len(part) + 1 for part in told)
        whole = _under_its_name(one, one.text)
        if len(whole) <= room or room >= _LEAST_TOLD:
            told.append(whole if len(whole) <= room else _in_short(whole, room))
    return tuple(told)


def _under_its_name(one: _Sentence, said: str, room: int = LONGEST_ANSWER) -> str:
    """Return what is said of something with its name before it, unless it says that: who "he" is stands before."""
    if not one.heading or one.name <= frozenset(_terms(said)):
        return said
    colon = "：" if working_language(said) == "zh" else ": "
    whole = f"{one.heading}{colon}{said}"
    if len(whole) <= room:
        return whole
    return excerpt(whole, room) if room < LONGEST_ANSWER else said


def _of_two(question: str, reader: _AnswerReader) -> AnswerCandidates | None:
    """Answer what is asked of two things by what speaks of both of them; nothing of a question of another sort."""
    if reader.kind is AnswerType.WHETHER:
        told = _whether(question, reader)
    else:
        told = _earlier_or_later(question, reader) or _either(question, reader)
    if told is None:
        return AnswerCandidates((), 0.0) if reader.kind is AnswerType.WHETHER and _BOTH.search(question) else None
    # Two names that it joins are what it asks of; where it does not, what speaks of two of its names may not be.
    bearing = [one for one in reader.sentences if one.source in told.sources]
    known = [one.text for one in bearing]
    return told if _pair_named(question) or _speak_of_it(question, bearing, known) else AnswerCandidates((), 0.0)


def speak_of_names(question: str, texts: Sequence[str], *, titles: Sequence[str] = ()) -> bool:
    """Tell whether some texts have the names in a question, or nearly all of them: else they tell of something else.

    In Chinese but those of places: a rule for all towns need not name each.
    """
    return _speak_of_it(question, _sentences(texts, titles), [*texts, *titles], tags=_NAMED_TAGS - {"ns"})


def _speak_of_it(
    question: str, sentences: Sequence[_Sentence], texts: Sequence[str], *, tags: frozenset[str] = _NAMED_TAGS
) -> bool:
    """Tell whether a sentence has each of the names in a question, or nearly all of them.

    A sentence on another hall, singer or airline covers most words of a question. Chinese names are cut in one way in a
    question and in another within a sentence, so that they are looked for as they are written, anywhere in the texts.
    """
    told = " ".join([*texts, *(one.heading for one in sentences)]).casefold()
    if not all(re.search(rf"(?<![a-z0-9]){code}(?![a-z0-9])", told) for code in _CODE.findall(question.casefold())):
        return False
    if working_language(question) == "zh":
        named = [one.text.casefold() for one in tagged(question) if one.tag[:2] in tags and len(one.text) > 1]
        held = [name in told for name in named]
    else:
        names = _names_of(question, frozenset[str]().union(*(one.all for one in sentences)))
        if not names and _UNNAMED.search(question):
            return False
        held = [any(words <= one.all and _names(one, words) for one in sentences) for words in names]
    return sum(held) > _TOLD_OF * len(held) or not held


def _names_of(question: str, known: frozenset[str]) -> list[frozenset[str]]:
    """Return the terms of each name in a question, as the texts spell them, but of what it asks for."""
    if working_language(question) == "zh":
        return []
    named = {
        one.key: frozenset(_as_spelt(word, known) for word in _terms(one.text) if len(word) > 2)
        for one in mentions(question)
        if one.kind != "acronym" and not _ASKED_FOR.search(question, 0, one.start)
    }
    return list(named.values())


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
    """Return the sentences under the titles that a question names, by the terms of the names.

    Of several texts on what has a name, the one that is called so and no more tells of it.
    """
    if working_language(question) == "zh":
        held = frozenset(_terms(question))
        names = [one.title for one in reader.sentences if one.title <= held]
    else:
        names = [frozenset(_terms(name)) for name in _pair_named(question) or _NAME.findall(question)]
    told = {}
    for name in filter(None, names):
        about = [one for one in reader.sentences if name <= one.title]
        told[name] = [one for one in about if one.name == name] or (about if len(name) > 1 else [])
    return {name: about for name, about in told.items() if about}


_PAIRED = re.compile(r"\b[A-Z0-9][\w'’.&-]*(?: (?:(?:of|the|de|for|in|a|to|van|von|&) ){0,2}[A-Z0-9][\w'’.&-]*)*")
_JOINING = re.compile(r"[\"”]?,? (?P<by>and|or) (?:the )?[\"“]?(?=[A-Z0-9])")
_OF_BOTH = re.compile(
    r"\A\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\s+(?:both\s+)?(?:the\s+)?|"
    r"\b(?:both|same|in common|share[sd]?)\b",
    re.IGNORECASE,
)


def _pair_named(question: str) -> list[str]:
    """Return the two names between which a question chooses, or of both of which it asks; none of another one."""
    asks = _OF_BOTH.search(question)
    start = asks.end() if asks and asks.start() == 0 else 0
    for found in _JOINING.finditer(question, start):
        before = list(_PAIRED.finditer(question, start, found.start()))
        after = _PAIRED.match(question, found.end())
        if before and before[-1].end() == found.start() and after and (asks or found["by"] == "or"):
            return [before[-1][0], after[0]]
    return []


def _either(question: str, reader: _AnswerReader) -> AnswerCandidates | None:
    """Answer which of two things is so by what is said of both, the likelier first; nothing where one is not known."""
    pair = _pair_named(question)
    told = _told_of_names(question, reader)
    if not pair or _EITHER.search(question) is None:
        return None
    chosen = []
    for name, about in told.items():
        rest = reader.asked - name
        chosen.append(max(about, key=lambda one: sum(reader.weights[term] for term in rest & one.terms)))
    if len({one.source for one in chosen}) != 2:
        return AnswerCandidates((), 0.0)
    chosen.sort(key=lambda one: -reader.cover(one.terms))
    return _of_both(chosen, score=_UNDECIDED)


def _of_both(chosen: Sequence[_Sentence], verdict: str = "", score: float = 1.0) -> AnswerCandidates:
    """Return what is said of two things, in half the room of an answer each, or what the other one leaves."""
    half = (LONGEST_ANSWER - len(verdict) - 1) // 2
    rooms = [max(half, 2 * half - len(_under_its_name(other, other.text))) for other in reversed(chosen)]
    short = [_under_its_name(one, _in_short(one.text, room), room) for one, room in zip(chosen, rooms, strict=True)]
    return AnswerCandidates((verdict + short[0], short[1]), score, sources=tuple(one.source for one in chosen))


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
    return _of_both(chosen)


_ASIDE = re.compile(r"\s*[(（](?![^()（）]*\d{4})[^()（）]*[)）]")
"""What stands in brackets behind a name, unless it says when."""


def _in_short(sentence: str, room: int) -> str:
    """Return a sentence in so many characters: what it says aside goes first, then its end, between words.

    Each half of an answer was cut after 97 characters, wherever that fell: "is a prefe".
    """
    return sentence if len(sentence) <= room else excerpt(_ASIDE.sub("", sentence), room)


def _whether(question: str, reader: _AnswerReader) -> AnswerCandidates | None:
    """Answer whether something holds of two things: yes where it is said of both; nothing where one is not known.

    With the evidence taken away, all of 26 public two-hop questions are told to be unanswerable, and 85 % of 27 that
    nobody had looked at.
    """
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
    return _of_both(chosen, verdict)


_NAMING_TAGS = frozenset("njxmbqs")
"""The segmenter's tags of nouns, short forms, foreign words and symbols, and of what counts and sorts beside them."""
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


def agreeing(found: AnswerCandidates, known: Sequence[str]) -> AnswerCandidates:
    """Return what was found without what contradicts what is known, or a better sentence before it."""
    kept: dict[str, str] = {}
    for sentence, told in zip(found.sentences, found.said or found.sentences, strict=True):
        one, others = DatedStatement(sentence), map(DatedStatement, (*known, *kept))
        if all(judge_statements(one, other).conflict < CONFLICT for other in others):
            kept[sentence] = told
    return AnswerCandidates(tuple(kept), found.score if kept else 0.0, tuple(kept.values()), onward=found.onward)
