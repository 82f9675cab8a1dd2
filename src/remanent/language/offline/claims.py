"""Sentences read as claims: the words that carry them, what is denied, what was before, and under which conditions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from remanent.language.offline import chinese_words, english_words
from remanent.language.offline.lexicon import LONGEST_SENTENCE, Cue, Lexicon, RawWord, lexicon
from remanent.language.offline.values import Amount, Form, When, amounts, whens
from remanent.language.tongue import Tongue, tongue_of
from remanent.text.chinese import is_known


class TokenKind(StrEnum):
    """What sort of thing a token is."""

    WORD = "word"
    NAME = "name"
    PERSON = "person"
    """A pronoun: I, she."""
    AMOUNT = "amount"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Token:
    """One word, name, amount or time of a claim."""

    text: str
    key: str
    """What it is compared by: the stem, brought to the word that stands for all that mean the same."""
    part: TokenKind
    place: int
    """Its place among the tokens, function words left out."""
    clause: int
    start: int = 0
    """Where it stands in the text, and where it ends."""
    end: int = 0
    denied: bool = False
    former: bool = False
    """Held before, as the claim says, and does not any more."""
    opening: bool = False
    """Stands before the verb, at the beginning of its clause."""
    adjunct: bool = False
    """Stands in a clause without a verb that says when or for whom the rest holds."""
    is_verb: bool = False
    is_change: bool = False
    """Only says that something became different: moved, 换成."""
    amount: Amount | None = None
    when: When | None = None


@dataclass(frozen=True, slots=True)
class ParsedClaim:
    """A sentence, read."""

    text: str
    said_at: datetime | None
    tongue: Tongue
    tokens: tuple[Token, ...]
    is_question: bool = False
    is_conditional: bool = False
    is_past: bool = False
    """Speaks of what was, or used to be, not of what is."""
    is_change: bool = False
    """Speaks of something that became different."""
    is_until: bool = False
    """Holds up to a time."""
    is_scene: bool = False
    """Describes something that is seen: its subject is just any (a man, two dogs)."""
    is_definition: bool = False
    """Says what something is, so that only one can hold: the capital is, is called."""
    is_placed: bool = False
    """Says where a thing stands or lies, which says nothing of its posture."""
    is_manner: bool = False
    """Says how, where or in what something is done, which is one way: is written in Spanish, 是用西班牙语写的."""

    @property
    def lexicon(self) -> Lexicon:
        """The word lists of its language."""
        return lexicon(self.tongue)


def read_claim(text: str, *, said_at: datetime | None = None, cuts: frozenset[int] = frozenset()) -> ParsedClaim:
    """Read a sentence, of a very long one the beginning; times in it are taken relative to when it was said.

    Where Chinese words begin and end is a guess: at the cuts, and around amounts and times, it is known.
    """
    whole, text = text, text[:LONGEST_SENTENCE]
    tongue = tongue_of(text)
    words = lexicon(tongue)
    values = _values(text, whens(text, said_at), words)
    if tongue == "zh":
        raws = chinese_words.read(text, cuts | {place for value in values for place in (value.start, value.end)})
    else:
        raws = english_words.read(text)
    clauses = _clauses(raws)
    change = any(raw.has(Cue.CHANGE) for raw in raws) or _then_and_now(raws, clauses)
    if change:
        values = _values(text, whens(text, said_at, apart=True), words)
        # What says that something was before, and now is not, is no part of what was.
        raws = [replace(raw, key="") if raw.has(Cue.BEFORE) and not raw.is_verb else raw for raw in raws]
    tokens = _tokens(text, raws, _marks(raws, clauses, words, change=change), words, values)
    asks = any(raw.has(Cue.QUESTION) for raw in raws) or (tongue == "zh" and chinese_words.asks(text))
    return ParsedClaim(
        text=whole,
        said_at=said_at,
        tongue=tongue,
        tokens=tuple(tokens),
        is_question=asks,
        is_conditional=any(raw.has(Cue.CONDITION) for raw in raws),
        is_past=_is_past(raws, values),
        is_change=change,
        is_until=any(raw.has(Cue.UNTIL) for raw in raws),
        is_scene=tongue == "en" and _is_scene(raws),
        is_definition=any(raw.has(Cue.BE) for raw in raws) or _locates(raws, text),
        is_placed=_STANDS.search(text) is not None,
        is_manner=(_CHINESE_MANNER if tongue == "zh" else _ENGLISH_MANNER).search(text) is not None,
    )


def _then_and_now(raws: Sequence[RawWord], clauses: Sequence[int]) -> bool:
    """Tell whether one clause speaks of before and another of now: 以前是护士，现在是翻译."""
    before = {clause for raw, clause in zip(raws, clauses, strict=True) if raw.has(Cue.BEFORE)}
    now = {clause for raw, clause in zip(raws, clauses, strict=True) if raw.text.lower() in _NOW}
    return bool(before) and bool(now - before)


def _is_past(raws: Sequence[RawWord], values: "Sequence[Amount | When]") -> bool:
    """Tell whether a sentence speaks of what was; an event that has its date is no state that ended."""
    dated = any(isinstance(value, When) and value.form is Form.MOMENT for value in values)
    return any(raw.has(Cue.BEFORE) and not (dated and raw.text.lower() == "was") for raw in raws)


_ENGLISH_MANNER = re.compile(
    r"\b(?:is|are|was|were|be|been) (?:\w+ly )?(?:\w+ed|written|sent|made|built|held|kept|sold|paid|done|run|set) "
    r"(?:in|via|through|from|at|on|into|with|by)\b"
    r"|\b(?:has|have|had) (?:its|their|his|her|my|our|your) \w+(?: \w+)? (?:in|at|on)\b",
    re.IGNORECASE,
)
_CHINESE_MANNER = re.compile(r"是(?:用|在|从|由|坐|乘|通过|以|拿).+的[。.！!]?\s*\Z|\w的是")


_LOCATING = frozenset("在 位于 坐落 建 建在 设 设在 坐落在".split())


_STANDS = re.compile(r"\b(?:stands|lies|sits|stood|lay) (?:in|at|on|near|[\d.,]+ \w+ above)\b", re.IGNORECASE)


def _locates(raws: Sequence[RawWord], text: str) -> bool:
    """Tell whether a sentence only says where something is: 总部在上海, the museum stands in Porto."""
    if _STANDS.search(text) is not None:
        return True
    verbs = [raw.text for raw in raws if raw.is_verb]
    return bool(verbs) and all(verb in _LOCATING for verb in verbs)


_CROWD = frozenset("people men women children kids boys girls person somebody someone nobody".split())


def _is_scene(raws: Sequence[RawWord]) -> bool:
    """Tell whether the first thing that is spoken of is just any one."""
    if not raws:
        return False
    if raws[0].definite is not None:
        return not raws[0].definite
    return raws[0].text.lower() in _CROWD or raws[0].text.isdigit()


# ── what words do to each other ──────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Mark:
    """How a word stands in its sentence."""

    clause: int
    denied: bool
    former: bool
    opening: bool
    adjunct: bool


def _clauses(raws: Sequence[RawWord]) -> list[int]:
    """Return the number of the clause that each word stands in."""
    numbers, number, filled = [], 0, False
    for raw in raws:
        if raw.has(Cue.BREAK) and filled:
            number, filled = number + 1, False
        filled = filled or bool(raw.key)
        numbers.append(number)
    return numbers


def _marks(raws: Sequence[RawWord], clauses: Sequence[int], words: Lexicon, *, change: bool) -> list[_Mark]:
    """Return how each word stands: denied by how many words before it, left behind by a change, before its verb."""
    denials = [0] * len(raws)
    former: set[int] = set()
    for place, raw in enumerate(raws):
        following = [later for later in range(place + 1, len(raws)) if clauses[later] == clauses[place]]
        left: list[int] = []
        if raw.has(Cue.DENY, Cue.END) or (raw.has(Cue.BEFORE) and change):
            left = following
        elif raw.has(Cue.FROM) and change:
            left = _until(raws, following)
        for later in left:
            denials[later] += 1
        if not raw.has(Cue.DENY):
            former.update(left)
    openings = set(_openings(raws, clauses, words))
    with_verb = {clauses[place] for place, raw in enumerate(raws) if raw.is_verb}
    return [
        _Mark(
            clauses[place],
            denials[place] % 2 == 1,
            place in former,
            place in openings,
            bool(with_verb) and clauses[place] not in with_verb,
        )
        for place in range(len(raws))
    ]


def _until(raws: Sequence[RawWord], places: Sequence[int]) -> list[int]:
    """Return the places between "from" and "to", or the verb of leaving, or the end of the clause."""
    for number, place in enumerate(places):
        if number and (raws[place].has(Cue.TO, Cue.LEAVE) or (raws[place].has(Cue.CHANGE) and raws[place].is_verb)):
            return list(places[:number])
    return list(places)


def _openings(raws: Sequence[RawWord], clauses: Sequence[int], words: Lexicon) -> Iterator[int]:
    """Yield the places before the first verb of each clause that has one."""
    for clause in dict.fromkeys(clauses):
        inside = [place for place in range(len(raws)) if clauses[place] == clause]
        verbs = [number for number, place in enumerate(inside) if raws[place].is_verb]
        if len(verbs) > 1 and not words.verbs and _begins_a_name([raws[place] for place in inside], verbs, words):
            verbs = verbs[1:]
        end = verbs[0] if verbs else _likely_verb([raws[place] for place in inside], words)
        yield from (place for place in inside[:end] if not raws[place].is_adverb)


_STATING = frozenset("是 为 位于 坐落 在 有 共有 设 设在 叫".split())


def _begins_a_name(raws: Sequence[RawWord], verbs: Sequence[int], words: Lexicon) -> bool:
    """Tell whether the verb that a Chinese clause begins with is part of its subject: 远航|物流|位于|青岛."""
    first, second = verbs[:2]
    spoken = [place for place, raw in enumerate(raws) if raw.key]
    between = [raw for raw in raws[first + 1 : second] if raw.key]
    states = raws[second].text in _STATING or raws[first].key not in words.known
    return bool(spoken) and spoken[0] == first and len(raws[first].text) > 1 and bool(between) and states


def _likely_verb(raws: Sequence[RawWord], words: Lexicon) -> int:
    """Return the place of a word that may well be the verb of a clause where none is known for one."""
    for place, raw in enumerate(raws):
        if place and raw.key and not raw.is_name and (raw.text.endswith("ed") or raw.key in words.polar):
            return place
    said = [place for place, raw in enumerate(raws) if any(sign.isalnum() for sign in raw.text)]
    return said[-1] if said and not words.verbs else 0  # 她的儿子|十岁: a Chinese sentence needs no verb


# ── tokens ───────────────────────────────────────────────────────────────────


def _values(text: str, times: Sequence[When], words: Lexicon) -> list[Amount | When]:
    """Return the amounts and times of a sentence; what is part of a time is no amount."""
    numbers = [one for one in amounts(text) if not any(one.start < time.end and time.start < one.end for time in times)]
    counted = [replace(one, unit=words.synonyms.get(one.unit, one.unit)) for one in numbers]
    return [*times, *counted]


def _tokens(
    text: str, raws: Sequence[RawWord], marks: Sequence[_Mark], words: Lexicon, values: Sequence[Amount | When]
) -> list[Token]:
    tokens: list[Token] = []
    taken: set[int] = set()
    for raw, mark in zip(raws, marks, strict=True):
        value = next((value for value in values if value.start < raw.end and raw.start < value.end), None)
        if value is not None:
            if value.start not in taken:
                taken.add(value.start)
                if text[value.start : value.end].casefold() not in _NOW:
                    token = replace(_value_token(text, value), start=value.start, end=value.end)
                    tokens.append(_placed(token, len(tokens), mark))
            continue
        after_amount = bool(tokens) and tokens[-1].amount is not None and tokens[-1].amount.end == raw.start - 1
        measured = _MEASURED.get(raw.text.lower()) if after_amount else None
        for token in _word_tokens(replace(raw, key=measured) if measured else raw, words):
            tokens.append(_placed(replace(token, start=raw.start, end=raw.end), len(tokens), mark))
    return tokens


# When nothing else is said, everything is so now.
_NOW = frozenset("now today nowadays currently at the moment 现在 目前 如今 眼下 当前 今天".split())


# 24 years old: the word after an amount says what is measured, not the opposite of new.
_MEASURED = {"old": "age", "tall": "height", "long": "length", "high": "height", "wide": "width", "heavy": "weight"}


def _placed(token: Token, place: int, mark: _Mark) -> Token:
    denied = token.denied != mark.denied
    return replace(
        token,
        place=place,
        clause=mark.clause,
        denied=denied,
        former=mark.former,
        opening=mark.opening,
        adjunct=mark.adjunct,
    )


def _value_token(text: str, value: "Amount | When") -> Token:
    shown = text[value.start : value.end]
    if isinstance(value, Amount):
        return Token(shown, f"{value.shown:g}", TokenKind.AMOUNT, 0, 0, amount=value)
    return Token(shown, shown.casefold(), TokenKind.TIME, 0, 0, when=value)


def _word_tokens(raw: RawWord, words: Lexicon) -> Iterator[Token]:
    """Yield the word, or what it denies by its meaning: a vegetarian does not eat meat."""
    if raw.person:
        yield Token(raw.text, f"@{raw.person}", TokenKind.PERSON, 0, 0)
    if not raw.key:
        return
    key = words.synonyms.get(raw.key, raw.key)
    if key in words.implied:
        for implied in words.implied[key]:
            yield Token(raw.text, implied, TokenKind.WORD, 0, 0, denied=True)
        return
    part = TokenKind.NAME if raw.is_name else TokenKind.WORD
    yield Token(raw.text, key, part, 0, 0, is_verb=raw.is_verb, is_change=raw.has(Cue.CHANGE))


def reread(one: ParsedClaim, other: ParsedClaim) -> tuple[ParsedClaim, ParsedClaim]:
    """Read two Chinese claims again, each with the words of the other in mind: 阿杰|出生 where the other has 阿杰."""
    if one.tongue != "zh" or other.tongue != "zh":
        return one, other
    return _cut_like(one, other), _cut_like(other, one)


def _cut_like(claim: ParsedClaim, model: ParsedClaim) -> ParsedClaim:
    cuts: set[int] = set()
    for token in model.tokens:
        word = token.text
        if (
            token.part not in {TokenKind.WORD, TokenKind.NAME}
            or len(word) < 2
            or any(known.text == word for known in claim.tokens)
        ):
            continue
        place = claim.text.find(word, 0, LONGEST_SENTENCE)
        around = [known for known in claim.tokens if known.start <= place and place + len(word) <= known.end]
        if place >= 0 and all(_may_be_cut(known.text, word) for known in around):
            cuts |= {place, place + len(word)}
    return read_claim(claim.text, said_at=claim.said_at, cuts=frozenset(cuts)) if cuts else claim


def _may_be_cut(word: str, part: str) -> bool:
    """Tell whether a word may be two of which one is the part: 测试环境 is, 数据库 is not."""
    rest = word.replace(part, "", 1)
    return not is_known(word) or (len(rest) > 1 and is_known(rest))
