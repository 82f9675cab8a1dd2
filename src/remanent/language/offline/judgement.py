"""Whether two claims contradict each other: one subject, one attribute, and values that exclude each other.

`comparison.py` lays them side by side. They can only contradict each other where both have a subject, the subjects are
the same, and what else they say is mostly the same, too (or speaks of one attribute). Then one difference decides. Who
says too much that the other does not speak of speaks of something else. Rules were made by looking at one half of the
texts that `bench.language_texts` reads; docs/figures.md has what they reach on the other.

Each family of rules was switched off by itself on 1,200 public sentence pairs, 400 generated memories and 465 pairs
written by hand; twelve that changed none of the figures by a tenth of a point are gone. Those for holders of posts
stay: without them, 78 of 3,600 pairs of statements from documents of public questions are called conflicts, not 64.

One sentence said again with another value ("the bridge was opened in 1938", "… in 1940") needs neither an attribute nor
a subject that is named: words in the same order are the strongest sign there is that two sentences speak of one thing.
A second generator of contradictions (other leads, number words, changed units, moved dates) showed that the rules of
subject and attribute had learned the wording of the first one: of its values, dates, names and denials they found .39
to .46, and .16 to .44 where a text repeats the title of the one that it contradicts.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from itertools import pairwise

from remanent.language.offline.claims import ADVERBIAL, NAMING, ParsedClaim, Token, TokenKind, read_claim, read_claims
from remanent.language.offline.comparison import (
    MEASURED,
    MEASURES,
    SHORT,
    Comparison,
    Difference,
    DifferenceKind,
    are_alike,
    are_of_two_rates,
    are_opposites,
    attributes_of,
    compare,
    differ_in_time,
    is_counted,
    is_defined,
    is_equal,
    is_land,
)
from remanent.language.offline.lexicon import RELATIVES, Lexicon, lexicon
from remanent.language.offline.office_holders import JOINT, are_two_deeds, holds_another, rivals
from remanent.language.offline.values import PEOPLE, Form
from remanent.lightweight import dataclass
from remanent.text.regex import lazy_regex

CONFLICT = 0.6
"""From so sure on, two statements are called a conflict. Chosen by hand."""
_DEFINITE = lazy_regex(
    r"\s*(?:(?:is|was|are|were|became|remains) (?:now )?(?:the|my|our|your|his|her|their|its|\w+['’]s)\b"
    r"|[是为]|成为|担任)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """How sure it is that two claims cannot both hold, and in what they differ."""

    conflict: float
    difference: Difference | None = None
    is_update: bool = False
    """One of the claims speaks of a change, so the newer takes the place of the older."""

    @property
    def kind(self) -> DifferenceKind | None:
        """In what the claims differ."""
        return self.difference.kind if self.difference else None


@dataclass(frozen=True, slots=True)
class DatedStatement:
    """Something that was said, and when if that is known."""

    text: str
    said_at: datetime | None = None

    def read(self) -> ParsedClaim:
        """Return what was said as a claim."""
        return read_claim(self.text, said_at=self.said_at)


def judge_statements(one: DatedStatement, other: DatedStatement) -> Judgement:
    """Judge two statements as they were said."""
    return judge(compare(one.read(), other.read()))


_MOST_SENTENCES = 80
"""Sentences of one text that are laid side by side: their number is squared. Chosen by hand."""
_NEAREST = 5
"""Sentences before one that it is held against: those that share most words, of the latest with each of them. With all
of them the work would grow with the square of the text. Chosen by hand."""
_LONGEST_SENTENCE = 400
"""Characters; what is longer is no single statement, and comparing it would cost the square of its words."""


def contradictions(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Return the sentences of one text, by their places, that contradict one before them, and that one.

    Sentences of one text are judged more strictly (`in_one_text`): of 45 real tasks 22 had a false conflict, every one
    between sentences of one text, and none has since; on the 55 that nobody had looked at 4 had one.
    """
    claims = read_claims([text if len(text) <= _LONGEST_SENTENCE else "" for text in texts[:_MOST_SENTENCES]])
    found = []
    holders: dict[str, deque[int]] = {}
    for later, claim in enumerate(claims):
        keys = {token.key for token in claim.tokens if token.part in NAMING}
        shared = Counter(earlier for key in keys for earlier in holders.get(key, ()))
        for earlier in sorted(place for place, count in shared.most_common(_NEAREST) if count > 1):
            if judge(compare(claim, claims[earlier]), in_one_text=True).conflict >= CONFLICT:
                found.append((later, earlier))
                break
        for key in keys:
            holders.setdefault(key, deque(maxlen=_NEAREST)).append(later)
    return found


# The share of what the shorter claim says that the other must say, too; less where both speak of one attribute.
_COVER = {
    DifferenceKind.DENIAL: 0.6,
    DifferenceKind.OPPOSITE: 0.6,
    DifferenceKind.GROUP: 0.6,
    DifferenceKind.AMOUNT: 0.5,
    DifferenceKind.TIME: 0.6,
    DifferenceKind.NAME: 0.7,
    DifferenceKind.WORD: 0.7,
}
_COVER_OF_ONE = 0.34
"""The same for short claims that name the attribute they speak of: a third of their words is then enough. Chosen by
hand."""
# From this share on, two claims have the same words beside what they differ in. Chosen by hand.
_WHOLE = 0.8
# A thing has many years and many names; where no attribute says otherwise, so many words must agree beside them. Chosen
# by hand.
_AGREEING = 4


def judge(comparison: Comparison, *, in_one_text: bool = False) -> Judgement:
    """Weigh the differences of a newer claim and an older one; the strongest decides.

    Who writes a text does not contradict himself: there, only what somebody else is reported to say can, what a speaker
    says has changed, or a statement that comes again in the same words. On 45 real tasks, every false conflict was one
    between sentences of one text.
    """
    one, other = comparison.one, comparison.other
    flat = _bans(one) or _bans(other)
    if (
        not (one.has_verb and other.has_verb)
        and not flat
        and not _is_scene(comparison)
        and not _are_measured(comparison)
    ):
        return Judgement(0.0)
    if one.is_question or other.is_question or one.language != other.language or one.text == other.text:
        return Judgement(0.0)
    if _have_other_topics(one, other) or are_two_deeds(one.text, other.text) or _is_planned(one) != _is_planned(other):
        return Judgement(0.0)
    restated = restated_value(comparison)
    written = in_one_text and not one.is_reported and not (one.speaker and one.is_change)
    if written and (restated is None or _is_dated(one, restated)):
        return Judgement(0.0)
    best = Judgement(0.0)
    if restated is not None and not _is_of_another_case(comparison, restated):
        best = Judgement(_RESTATED, restated, one.is_change or other.is_change)
    if (ruled_out := excluded(one, other)) is not None:
        best = Judgement(_EXCLUDED, ruled_out, one.is_change or other.is_change)
    for difference in comparison.differences:
        if _may_both_hold(comparison, difference):
            continue
        score = _scene(comparison, difference) if _is_scene(comparison) else _weigh(comparison, difference)
        if score > best.conflict:
            best = Judgement(score, difference, one.is_change or other.is_change)
    return best


def _are_measured(comparison: Comparison) -> bool:
    """Tell whether two lines without a verb give one thing two measures: metformin 500 mg per dose."""
    amounts = [found for found in comparison.differences if found.kind is DifferenceKind.AMOUNT]
    rest = comparison.left_one or comparison.left_other or len(amounts) != len(comparison.differences)
    told = any(first.part is TokenKind.NAME for first, _ in comparison.shared)
    measured = all(
        token.amount is not None and token.amount.unit and token.amount.dimension not in _COUNTED
        for found in amounts
        for token in (*found.one, *found.other)
    )
    return bool(amounts) and measured and told and not rest


def _is_of_a_thing(claim: ParsedClaim) -> bool:
    """Tell whether a sentence names what it is about, so that whoever says it means the same: not I, you, or nobody."""
    return bool(claim.subject) and not any(token.part is TokenKind.PERSON for token in claim.subject)


_EXCLUDED = 0.85
"""How sure a contradiction is where a short denial rules out what is said. Whole sentences laid side by side ask for
more words than "No deploys on Fridays" has: with this and the reading of holders 12 of 20 contradictions not looked at
before were found, and 4 without."""
_BAN = lazy_regex(r"\b(?:is|are) (?:strictly |always )?(?:forbidden|prohibited|banned)\b|禁止|严禁", re.IGNORECASE)
EXCEPTED = lazy_regex(r"\b(?:except|but|unless|without|only)\b|(?<![删解排消清开扣废免去])除|只|仅", re.IGNORECASE)
_MAY = lazy_regex(r"\b(?:can|may|allowed|permitted)\b|可以?|允许|能", re.IGNORECASE)
# Verbs that only say that something is so, or may be.
_EMPTY_VERBS = frozenset(
    "happen permit allow forbid forbidden prohibited ban get exist have possible serve available take "
    "禁止 严禁 允许 可以 有 不得".split()
)


def _bans(claim: ParsedClaim) -> bool:
    """Tell whether a short claim denies or forbids all that it speaks of: no deploys on Fridays; 周五禁止上线."""
    if not 1 < len(claim.tokens) <= SHORT or EXCEPTED.search(claim.text) or claim.text.rstrip().endswith((":", "：")):
        return False
    return any(token.denied for token in claim.tokens) or _BAN.search(claim.text) is not None


def excluded(one: ParsedClaim, other: ParsedClaim) -> Difference | None:
    """Return in what two claims exclude each other whatever else they say: one holder, or a ban and what it bans.

    It is asked beside the comparison, because a short denial has too few words for it.
    """
    if any(claim.is_conditional or claim.is_question for claim in (one, other)):
        return None
    # Who says so is not what it is about, and the segmenter may glue a word to a name, or drop it.
    spoken = [
        claim.text[claim.tokens[0].start :] if claim.is_reported and claim.tokens else claim.text
        for claim in (one, other)
    ]
    if (names := rivals(spoken[0], spoken[1])) is not None:
        named = [
            tuple(token for token in claim.tokens if token.text in name or name in token.text) or claim.tokens
            for claim, name in zip((one, other), names, strict=True)
        ]
        return Difference(DifferenceKind.NAME, named[0], named[1])
    if one.is_past != other.is_past or _bans(one) == _bans(other) or max(len(one.tokens), len(other.tokens)) > SHORT:
        return None
    ban, said = (one, other) if _bans(one) else (other, one)
    matter, told = ([token for token in claim.tokens if token.key not in _EMPTY_VERBS] for claim in (ban, said))
    if len(matter) < 2 or any(t.denied for t in told) or not all(any(are_alike(t, s) for s in told) for t in matter):
        return None
    left = [token for token in told if not any(are_alike(token, banned) for banned in matter)]
    if len(left) > (_MAY.search(said.text) is not None) or any(token.part in MEASURES for token in left):
        return None
    return Difference(DifferenceKind.DENIAL, one.tokens, other.tokens)


def _is_of_another_case(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether a sentence said again holds under another condition, or of another part or time."""
    conditional = [claim.is_conditional for claim in (comparison.one, comparison.other)]
    if conditional[0] != conditional[1] or (any(conditional) and difference.kind is DifferenceKind.DENIAL):
        return True
    if difference.kind is DifferenceKind.OPPOSITE:
        return _other_scope(comparison, difference)
    return _is_of_another_part(comparison, difference)


def _may_both_hold(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether each of two tellers may name another one of several, or tell of another part or year."""
    joint = JOINT.search(comparison.one.text) or JOINT.search(comparison.other.text)
    if joint and difference.kind in {DifferenceKind.NAME, DifferenceKind.WORD}:
        return True
    if difference.kind is DifferenceKind.WORD and _measure_different_things(comparison):
        return True
    if difference.kind is DifferenceKind.GROUP and _stand_at_one_height(comparison, difference):
        return True
    return _is_of_another_part(comparison, difference)


def _measure_different_things(comparison: Comparison) -> bool:
    """Tell whether both tell amounts or times, and none of one sort: what a firm earns is no other number of staff."""
    sorts = [
        {"time" if token.amount is None else token.amount.dimension for token in claim.tokens if token.part in MEASURES}
        for claim in (comparison.one, comparison.other)
    ]
    return all(sorts) and sorts[0].isdisjoint(sorts[1])


def _stand_at_one_height(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether both only say where something is: at 3,090 metres a house stands as it lies; three men do not."""
    groups = lexicon(comparison.one.language).groups
    postures = all({"posture", "姿势"} & groups.get(t.key, {}).keys() for t in (*difference.one, *difference.other))
    measured = (
        any(token.amount is not None and token.amount.dimension not in _COUNTED for token in claim.tokens)
        for claim in (comparison.one, comparison.other)
    )
    return postures and all(measured)


_COUNTED = frozenset({"count", "number", "money", "percent"})
"""What is counted, and no size of a thing: staff, prices."""


def _is_of_another_part(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether two values are of two parts of a thing, amounts as two years' reports have them, or names of which
    each is one of many: volunteers help in this museum and in that one.
    """
    one, other = comparison.one, comparison.other
    if difference.kind is DifferenceKind.NAME and _is_general(one) and _is_general(other):
        return True
    values = (difference.one[0], difference.other[0])
    if difference.kind is DifferenceKind.NAME and all(token.slot in _MAKING for token in values):
        return True
    several = any(first.key in _SEVERAL and not first.opening for first, _ in comparison.shared)
    if difference.kind is DifferenceKind.NAME and difference.is_opening and several:
        return True  # Ann is my colleague, Bob is my colleague
    if difference.kind is DifferenceKind.NAME and holds_another(one.text, other.text):
        return not (one.is_change or other.is_change)
    if difference.kind in _VALUES and _parts(one) != _parts(other):
        return True
    if difference.kind is DifferenceKind.AMOUNT and (
        are_of_two_rates(*values, one, other) or _count_two_fates(comparison, *values)
    ):
        return True
    return are_of_two_periods(one, other, difference)


def _count_two_fates(comparison: Comparison, one: Token, other: Token) -> bool:
    """Tell whether people are counted of whom different things are said: 12 were killed, 30 injured."""
    claims = (comparison.one, comparison.other)
    if comparison.attributes or any(token.amount is None or token.amount.unit not in PEOPLE for token in (one, other)):
        return False
    left = {id(token) for token in (*comparison.left_one, *comparison.left_other)}
    beside = []
    for token, claim in ((one, claims[0]), (other, claims[1])):
        step = 1 if claim.language == "zh" else -1
        near = [found for found in claim.tokens if found.place == token.place + step and id(found) in left]
        beside.append([found for found in near if found.is_verb or claim.language == "zh"])
    return all(beside)


def are_of_two_periods(one: ParsedClaim, other: ParsedClaim, difference: Difference) -> bool:
    """Tell whether two reports tell of two years, each of what was so then; what is once, as a founding, and how large
    a thing is stay the same, as does what both say of one time.
    """
    if "" in {one.as_of, other.as_of} or one.as_of == other.as_of:
        return False
    # 截至年末 is of the year of its report.
    times = [[token for token in claim.tokens if token.when and _YEAR.search(token.text)] for claim in (one, other)]
    if any(is_equal(first, second) for first in times[0] for second in times[1]):
        return False
    if difference.kind is DifferenceKind.TIME:
        spoken = [attributes_of(claim.tokens, claim.language) for claim in (one, other)]
        return not spoken[0] & spoken[1] & _ONCE
    amount = difference.one[0].amount
    return difference.kind is not DifferenceKind.AMOUNT or amount is None or amount.dimension not in _LASTING


_YEAR = lazy_regex(r"[12]\d{3}")
_LASTING = frozenset({"area", "length"})
"""What a thing keeps from year to year: of a height, reports of two years must say the same."""


_SEVERAL = RELATIVES - frozenset(
    "mother father husband wife boss partner predecessor successor rival "
    "母亲 父亲 丈夫 妻子 爱人 上司 老板 对手".split()
)
"""Of whom one may have several; what is said of two of them is said of two."""
_MAKING = frozenset({"让", "使", "令"})
"""What makes one thing so may make another one so, too."""
_HABITUAL = lazy_regex(
    r"\b(?:often|usually|sometimes|frequently|generally|typically|regularly|(?-i:can|may))\b|"
    r"常常|经常|往往|时常|不时|有时|通常",
    re.IGNORECASE,
)
"""What happens again and again, or may; May is a month."""
_SOME = frozenset("many most some several few other all".split()) | {""}
"""What stands before those who are meant in general; "the volunteers" are certain ones."""


def _is_general(claim: ParsedClaim) -> bool:
    """Tell whether a sentence says what happens again and again, or what any of many do: tourists visit Rome."""
    if _HABITUAL.search(claim.text):
        return True
    if claim.language != "en" or not claim.tokens or claim.tokens[0].slot not in _SOME:
        return False
    return any(
        noun.text.endswith("s")
        and noun.text.casefold() != noun.key
        and verb.is_verb
        and verb.slot == noun.text.casefold()
        and verb.text in {verb.key, f"{verb.key}e"}
        for noun, verb in zip(claim.tokens[:2], claim.tokens[1:3], strict=False)
    )


_VALUES = frozenset({DifferenceKind.AMOUNT, DifferenceKind.TIME, DifferenceKind.NAME})
_PLANNED = lazy_regex(
    r"\b(?:(?:was|were|had been) (?:\w+ly |first )?(?:planned|meant|intended|supposed|expected|projected|scheduled|"
    r"proposed|due)\b|(?:was|were) to (?:be|have)\b|original plans?\b)|原(?:计划|定(?!居)|拟|本|设计|预[计算])|最初",
    re.IGNORECASE,
)
"""What says that something was meant to be so, which what it came to be does not contradict."""
_PART = lazy_regex(
    r"\b(?:(?:north|south)(?:-?(?:east|west))?|east|west|upper|lower|inner|outer)(?:ern)?\b|\b(?:branch|section|"
    r"stretch|segment|wing|annexe?|extension|department|division|subsidiary|chapter|phase|part|portion|floor|building|"
    r"chapel|entrance)(?= of\b)|[东南西北中新旧老主副分支子附](?:校区|园区|厂区|城区|区|公司|店|馆|校|院|部|行|楼|桥|"
    r"塔|翼|殿|厅|门(?!子)|段|岸|侧|站)|[东南西北]配殿|引桥|阅览室|展厅|事业部|[一二三四五首]期"
)
"""What names a part of something: the north campus of a university, 北校区; its size is not that of the whole."""


def _is_planned(claim: ParsedClaim) -> bool:
    return _PLANNED.search(claim.text) is not None


def _parts(claim: ParsedClaim) -> frozenset[str]:
    """Return the parts of a thing that a claim is about, by the words before its verb and by its topic."""
    own = [token for token in claim.subject if token.slot != "@"]
    topic = "".join(f" {token.text}" for token in claim.subject if token.slot == "@")
    said = (claim.text[own[0].start : own[-1].end] if own else "") + topic
    return frozenset(found[0].casefold().removesuffix("ern") for found in _PART.finditer(said))


def _have_other_topics(one: ParsedClaim, other: ParsedClaim) -> bool:
    """Tell whether texts with different titles speak of different things: one of them of its own, the other not of it;
    or two speakers each of themselves.

    Whoever speaks of what another text is about names it in full: a shared word makes no Nelson a Nelson Mandela.
    """
    if one.speaker != other.speaker and "" not in {one.speaker, other.speaker}:
        return not (_is_of_a_thing(one) and _is_of_a_thing(other))
    if not one.title or not other.title or one.title == other.title:
        return False
    sides = ((one, other), (other, one))
    own = [claim for claim, _ in sides if {token.key for token in claim.subject} <= claim.title]
    if len(own) == 2:
        return True
    return any(
        not claim.title_name <= {token.key for token in facing.subject} for claim, facing in sides if claim in own
    )


_RESTATED = 0.8
"""How sure a contradiction is where one sentence is the other said again with another value; below a flat denial.
Chosen by hand."""


def _is_dated(claim: ParsedClaim, difference: Difference) -> bool:
    """Tell whether it is the date that a sentence begins with: a life is told so, one post after the other."""
    first = next(token for token in claim.tokens if token.slot != "@")
    return difference.kind is DifferenceKind.TIME and first in difference.one


def _is_scene(comparison: Comparison) -> bool:
    """Tell whether one of the claims describes what is seen ("A man is riding a horse") and neither names anybody:
    captions of pictures, as public inference pairs are made of. Of one picture everything that is said must hold.
    """
    claims = (comparison.one, comparison.other)
    named = any(token.part is TokenKind.NAME or token.key in _SPEAKING for claim in claims for token in claim.tokens)
    return (comparison.one.is_scene or comparison.other.is_scene) and not named


_SPEAKING = frozenset({"@first", "@second"})
"""Who speaks or is spoken to is in no picture."""


_SCENES = {
    DifferenceKind.GROUP: 0.85,
    DifferenceKind.AMOUNT: 0.75,
    DifferenceKind.OPPOSITE: 0.8,
    DifferenceKind.TIME: 0.7,
}


def _scene(comparison: Comparison, difference: Difference) -> float:
    """Return how sure it is that two descriptions are not of one scene: there, everything is said of what is seen.

    Captions ask for less agreement, since both are of the same picture by assumption.
    """
    if difference.kind is DifferenceKind.DENIAL:
        return 0.9 if _covers(comparison, difference)[0] >= _COVER[DifferenceKind.DENIAL] else 0.4
    return _SCENES.get(difference.kind, 0.0)


def _weigh(comparison: Comparison, difference: Difference) -> float:
    """Return how sure one difference is a contradiction, from 0 to 1.

    First what rules it out: another subject, an attribute that has several values, deeds of different makers. Then the
    share of what both say, which carries from .6 up to .95; then what makes it doubtful (a condition, another tense, a
    second difference, another scope), each of which by itself brings the surest below the threshold.
    """
    one, other = comparison.one, comparison.other
    if not same_subject(comparison, difference) or not _has_one_value(comparison, difference):
        return 0.0
    if difference.kind is DifferenceKind.WORD and _are_deeds(comparison, difference):
        return 0.0
    cover = _covers(comparison, difference)[0]
    short = min(len(one.tokens), len(other.tokens)) <= SHORT and max(len(one.tokens), len(other.tokens)) <= 2 * SHORT
    least = _COVER_OF_ONE if comparison.attributes and short else _COVER[difference.kind]
    said = _predicates(comparison, difference) + bool(comparison.attributes)
    if not short and said < 2 and not _is_one_frame(comparison, difference):
        return 0.0
    score = 0.6 + 0.35 * (cover - least) / (1 - least) if cover >= least else 0.5 * cover / least
    if one.is_conditional or other.is_conditional:
        score *= 0.4
    succeeded = difference.kind is DifferenceKind.NAME and difference.is_opening and _WAS.search(one.text + other.text)
    if (one.is_past != other.is_past and not (one.is_change or other.is_change)) or (
        succeeded and _NOW_IS.search(one.text + other.text)
    ):
        score *= 0.4  # another time: he was the mayor, she is
    others = [found for found in comparison.differences if found is not difference]
    kinds = {
        found.kind
        for found in others
        if not _is_told_apart(comparison, difference, found)
        and not (found.kind is DifferenceKind.GROUP and _stand_at_one_height(comparison, found))
    }
    denied_then = {DifferenceKind.DENIAL, DifferenceKind.TIME} <= kinds | {difference.kind}
    if denied_then or (kinds - {DifferenceKind.DENIAL} and difference.kind is not DifferenceKind.DENIAL):
        score *= 0.3  # differs in more than one place: at another time, of another thing
    if _other_scope(comparison, difference):
        score *= 0.3
    return score


def _are_deeds(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether words say what was done by somebody or at a time: a bridge is built by Rehn and opened in 1938.

    "Was opened in 1938" and "was designed by Rehn" were called a contradiction of each other. What both say
    is done by somebody may be two deeds, whatever they speak of; else an attribute of both makes it one.
    """
    deeds = []
    for claim, said in ((comparison.one, difference.one), (comparison.other, difference.other)):
        after = next((token for token in claim.tokens if token.place == said[0].place + 1), None)
        dated = after is not None and after.part is TokenKind.TIME and said[0].text.endswith("ed")
        deeds.append(after is not None and (after.slot == "by" or dated))
    return all(deeds) if comparison.attributes else any(deeds)


_CLAUSES = lazy_regex(r"[，,；;]|\band\b")


_ONCE = frozenset({"founding", "opening", "publication", "birthday", "death"})
"""Attributes of which there is one time: what has another one is told of otherwise, and not of another time."""


def _is_told_apart(comparison: Comparison, difference: Difference, other: Difference) -> bool:
    """Tell whether a time and an amount differ in clauses of their own: opened in 1934, and cost 3 million.

    In "In 1934 it cost 3 million" the time says when the amount was so; of what happens once it does not.
    """
    if {difference.kind, other.kind} != {DifferenceKind.AMOUNT, DifferenceKind.TIME}:
        return False
    words = lexicon(comparison.one.language).attributes
    for claim, value, beside in (
        (comparison.one, difference.one, other.one),
        (comparison.other, difference.other, other.other),
    ):
        when, amount = (value, beside) if difference.kind is DifferenceKind.TIME else (beside, value)
        there = _clause(claim, when[0])
        dated = [token for token in claim.tokens if _clause(claim, token) == there]
        if there == _clause(claim, amount[0]) or not any(words.get(token.key, frozenset()) & _ONCE for token in dated):
            return False
    return True


def _clause(claim: ParsedClaim, token: Token) -> int:
    return len(_CLAUSES.findall(claim.text[: token.start]))


_WAS, _NOW_IS = lazy_regex(r"\bwas\b"), lazy_regex(r"\bis\b")
"""One was, the other is: two holders of one post, one after the other."""
_NOW = lazy_regex(r"\bnow\b|\bcurrently\b|现在|目前|如今")
_BEFORE = lazy_regex(r"\bbefore\b|之前|以前|\bweekdays?\b|工作日", re.IGNORECASE)
# What holds up to a time, or hardly ever, is neither said nor denied.
_UNTIL = lazy_regex(r"\b(?:until|till|rarely|seldom|hardly|scarcely)\b|直到|截至|开到|很少|极少|几乎", re.IGNORECASE)
_AFTER = lazy_regex(r"\bafter\b|之后|以后|\bweekends?\b|周[末六日]", re.IGNORECASE)


def _other_scope(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether the claims hold of different parts or times: in staging, in production; in 2010, now.

    "Closed on weekdays" and "open on weekends" hold side by side, as do a rule and its case: up to 140 euros a night,
    in London up to 210.
    """
    left, right = comparison.left_one, comparison.left_other
    denies = difference.kind in {DifferenceKind.DENIAL, DifferenceKind.OPPOSITE}
    if denies and any(_UNTIL.search(claim.text) for claim in (comparison.one, comparison.other)):
        return True
    if denies and any(
        token.slot == "对" and not token.denied and any(other.denied for other in claim.tokens)
        for tokens, claim in ((left, comparison.one), (right, comparison.other))
        for token in tokens
    ):
        return True  # 对芒果不过敏, 有食物过敏史
    for early, late in ((comparison.one, comparison.other), (comparison.other, comparison.one)):
        if _BEFORE.search(early.text) and _AFTER.search(late.text):
            return True
    if any(
        a.slot == b.slot and a.slot in _SCOPING and a.part in NAMING and b.part in NAMING for a in left for b in right
    ):
        return True
    inside = {id(token) for token in (*difference.one, *difference.other)}
    # Now on 12 April, not on 7 June: one time is what holds instead of the other, not when something else does.
    timed = all(token.when is not None for token in (*difference.one, *difference.other))
    for tokens, own, facing in ((left, difference.one, comparison.other), (right, difference.other, comparison.one)):
        dated = not timed and any(token.when is not None and id(token) not in inside for token in tokens)
        denied_then = difference.kind is DifferenceKind.DENIAL and any(t.denied and not t.former for t in own)
        if dated and (_NOW.search(facing.text) or denied_then):
            return True
    tenses = [(one.text, other.text) for one, other in comparison.shared if one.is_verb and other.is_verb]
    mixed = any(one.endswith("ed") != other.endswith("ed") for one, other in tenses)
    return mixed and any(token.when is not None for token in (*left, *right))


_SCOPING = frozenset("in for at on during within when 在 对 于".split())
"""Prepositions behind which stands where, when or for whom something holds."""


def _covers(comparison: Comparison, difference: Difference) -> tuple[float, float]:
    """Return what share of a claim's words beside the difference the other says, too; first of the shorter one."""
    taken = {id(token) for token in (*difference.one, *difference.other)}
    if difference.kind is DifferenceKind.DENIAL:
        taken = set()
    left = {id(token) for token in (*comparison.left_one, *comparison.left_other)}
    shares = []
    for claim in (comparison.one, comparison.other):
        # The words beside the difference that say of what, and what, is said.
        frame = [token for token in claim.tokens if token.part in NAMING and id(token) not in taken]
        shares.append((len(frame), sum(id(token) not in left for token in frame)))
    shorter, longer = (covered / size if size else 0.0 for size, covered in sorted(shares))
    return shorter, longer


def _predicates(comparison: Comparison, difference: Difference) -> int:
    """Return how many words that say what is said, not of what, both claims have."""
    denies = difference.kind is DifferenceKind.DENIAL
    taken = set() if denies else {id(token) for token in (*difference.one, *difference.other)}
    return sum(one.part is TokenKind.WORD and not one.opening and id(one) not in taken for one, _ in comparison.shared)


def same_subject(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether both claims are about one thing, whichever of them names it first.

    Where it is not named in both, only short claims, or such as agree in nearly all of their words, are taken to be of
    one thing.
    """
    valued = difference.kind in {DifferenceKind.NAME, DifferenceKind.WORD, DifferenceKind.GROUP}
    taken = {id(token) for token in (*difference.one, *difference.other)} if valued else set()
    partner = {id(a) for a, _ in comparison.shared} | {id(b) for _, b in comparison.shared}
    words = lexicon(comparison.one.language)
    sides = [[t for t in claim.subject if id(t) not in taken] for claim in (comparison.one, comparison.other)]
    if difference.kind is DifferenceKind.AMOUNT and not difference.is_opening:
        sides = [
            _without_counted(side, claim, value[0], partner)
            for side, claim, value in zip(
                sides, (comparison.one, comparison.other), (difference.one, difference.other), strict=True
            )
        ]
    bare = [
        [token for token in side if not words.attributes.get(token.key, frozenset()) & comparison.attributes]
        for side in sides
    ]
    sides = bare if all(bare) else sides  # the price of oil is about oil, the price about a price
    if valued and difference.is_opening:
        return not any(sides) and _says_who(comparison, difference)
    if not all(sides):
        return _is_one_unnamed(comparison, difference, [token for side in sides for token in side], partner)
    open_sides = [[token for token in side if id(token) not in partner] for side in sides]
    named = any(token.part is not TokenKind.WORD and token.slot != "@" for left in open_sides for token in left)
    if not named and not all(open_sides) and _is_one_frame(comparison, difference):
        return True
    denies = difference.kind in {DifferenceKind.DENIAL, DifferenceKind.OPPOSITE}
    if denies and comparison.one.language == "zh" and _covers(comparison, difference)[0] == 1.0:
        return not all(open_sides)  # all that the shorter one says, the longer one speaks of
    common = any(one.opening and other.opening for one, other in comparison.shared if id(one) not in taken)
    if not common or all(open_sides):
        return False
    return not any(
        _is_other(side, left, claim, words)
        for side, left, claim in zip(sides, open_sides, (comparison.one, comparison.other), strict=True)
    )


def _without_counted(side: list[Token], claim: ParsedClaim, value: Token, partner: set[int]) -> list[Token]:
    """Return a subject without those who are counted in it: where 67,000 people visit a museum, it is of the museum."""
    if value not in side or value.slot in {"the", "these", "those", "this"}:
        return side
    return [t for t in side if t is not value and (id(t) in partner or not is_counted(t, claim))]


def _is_one_frame(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether two claims say the same of the same in so many words that only the difference parts them."""
    agreeing = sum(one.part in NAMING for one, _ in comparison.shared)
    return agreeing > _AGREEING and min(_covers(comparison, difference)) >= _WHOLE


def _is_other(side: Sequence[Token], left: Sequence[Token], claim: ParsedClaim, words: Lexicon) -> bool:
    """Tell whether what only one claim has in its subject makes it another: her brother, the branch office."""
    if any(token.key in RELATIVES or token.part is TokenKind.AMOUNT for token in left):
        return True
    head = _head(side, claim.text)
    if head.part is TokenKind.PERSON and any(token.part is TokenKind.NAME for token in left):
        return True  # Caroline, for letting me
    if not side[0].text.isascii() and head.part is not TokenKind.NAME:
        return False  # where a Chinese subject ends is a guess
    return head in left and head.key not in words.attributes


def _is_one_unnamed(comparison: Comparison, difference: Difference, side: list[Token], partner: set[int]) -> bool:
    """Tell whether two claims, of which one names no subject or its value first, are about the same.

    Wei owns the bicycle, the bicycle is owned by Tara; 800 euros are set aside for it.
    """
    counted = difference.kind in {DifferenceKind.AMOUNT, DifferenceKind.TIME}
    valued = difference.kind in {DifferenceKind.NAME, DifferenceKind.WORD, DifferenceKind.GROUP}
    if (not side or not valued) and _is_one_frame(comparison, difference):
        return True
    if max(len(comparison.one.tokens), len(comparison.other.tokens)) > SHORT:
        return False
    if not side:
        return counted and len(comparison.shared) > 1
    verbs = any(one.is_verb or other.is_verb for one, other in comparison.shared)
    said = counted or (valued and (verbs or bool(comparison.attributes - MEASURED)))
    return said and side[0].part is not TokenKind.PERSON and all(id(token) in partner for token in side)


def _says_who(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether both say who is the one, or does what one does: Beige is her favourite colour."""
    agreeing = [one for one, _ in comparison.shared if one.part in NAMING]
    sides = ((comparison.one, difference.one), (comparison.other, difference.other))
    definite = all(_DEFINITE.match(claim.text[tokens[-1].end :]) for claim, tokens in sides)
    few = max(len(comparison.one.tokens), len(comparison.other.tokens)) <= SHORT
    return len(agreeing) > 1 and (definite or (few and "leader" in comparison.attributes))


_TOWARDS = lazy_regex(r"\b(?:to|from|under|near|behind|between)\b", re.IGNORECASE)


def _head(side: Sequence[Token], text: str) -> Token:
    """Return the word that says what the subject is: the husband of Elena's husband, the road to the town of a road."""
    for one, following in pairwise(side):
        if "@" not in {one.slot, following.slot} and _TOWARDS.search(text, one.end, following.start):
            return one
    heads = [token for token in side if token.slot not in {"of", "in", "at", "for", "on"}]
    return (heads or side)[-1]


def _has_one_value(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether only one value can hold: a denial excludes what it denies, a measure has one value, a name many.

    Two names in one place are two members of a band more often than two answers to one question; two heights of one
    mountain are always a contradiction.
    """
    if difference.kind is DifferenceKind.AMOUNT:
        return bool(comparison.attributes) or not _are_of_two_measures(comparison, difference)
    if difference.kind not in {DifferenceKind.NAME, DifferenceKind.TIME, DifferenceKind.WORD}:
        return True
    tokens = (*difference.one, *difference.other)
    taken = {id(token) for token in tokens}
    agreeing = [one for one, other in comparison.shared if one.part in NAMING and id(one) not in taken]
    if difference.kind is DifferenceKind.TIME:
        dated = all(token.when is not None and token.when.form is not Form.MOMENT for token in tokens)
        return bool(comparison.attributes) or dated or len(agreeing) >= _AGREEING
    being = is_defined(difference.one[0], comparison.one) and is_defined(difference.other[0], comparison.other)
    named = bool(comparison.attributes - MEASURED) or being or difference.is_opening
    if not _predicates(comparison, difference) and not named:
        return False
    whole = not (comparison.left_one or comparison.left_other)
    predicate = [
        one for one, _ in comparison.shared if one.part in {TokenKind.WORD, TokenKind.AMOUNT} and not one.opening
    ]
    return named or len(agreeing) >= _AGREEING or (whole and len(predicate) > 1)


def _are_of_two_measures(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether both say of what measure an amount is, and not of one: an altitude of 2,240 m, a mirror of 6.5;
    直径3.6米, 海拔2635米.
    """
    before = [
        [token for token in claim.tokens if token.place == amount.place - 1]
        for claim, amount in ((comparison.one, difference.one[0]), (comparison.other, difference.other[0]))
    ]
    if comparison.one.language == "zh":
        told = [attributes_of(tokens, "zh") for tokens in before]
        return all(told) and told[0].isdisjoint(told[1])
    shared = {id(token) for pair in comparison.shared for token in pair}
    of = all(amount.slot == "of" for amount in (difference.one[0], difference.other[0]))
    return of and all(found and id(found[0]) not in shared for found in before)


# ── one sentence said again ──────────────────────────────────────────────────

_LEAST_RESTATED = 5
"""Words in the same order from which on one sentence is taken for the other one said again. Chosen by hand."""
_LEAST_REPEATED = 3
"""The same where no other word differs, and no name: of those a thing may have several. Chosen by hand."""
_LEAST_OF_TOPIC = 1
"""Words that are no names which two sentences must share of what is said of the topic of one's text. By names alone a
song that is called after somebody contradicted what is told of his father: the one false conflict among the documents
of 100 public tasks."""
_LONGEST_SWAP = 4
"""Words on either side of a difference: a value or a name is no longer, and what is longer says something else. Chosen
by hand."""
_CHINESE_SUBJECT = 2
"""Words at the beginning of a Chinese sentence that must be the same. Of names planted into Chinese texts 64 % are
found so, 51 % where the whole subject had to be the same, on the half that nobody looked at (n=74)."""
_LOOSE_WORDS = 0.25
"""The share of the shorter sentence's words that may be others: a synonym here and there. Chosen by hand."""


def restated_value(comparison: Comparison) -> Difference | None:
    """Return in what one sentence differs from the other that it says again: a value, an opposite or a denial.

    The longer one may say more, either may have a word of its own, and a phrase may stand elsewhere (in 1967, …); but
    where a second value differs, or what both are about, they speak of different things.

    That two sentences share names alone makes neither the other said again: a song named after somebody and his father
    contradicted each other, the one false conflict among the documents of 100 public tasks.
    """
    one, other = _spoken(comparison.one, comparison.other), _spoken(comparison.other, comparison.one)
    placed = all(any(t.slot == "@" for t in claim.tokens) for claim in (comparison.one, comparison.other))
    names = [
        {t.key for t in claim.tokens if _opens(t, said) and t.part in NAMING and (placed or t.slot != "@")}
        for claim, said in ((comparison.one, one), (comparison.other, other))
    ]
    if not (names[0] <= names[1] or names[1] <= names[0]):
        return None
    alike = len({token.key for token in one} & {token.key for token in other})
    if alike < _LEAST_REPEATED or alike < (1 - 2 * _LOOSE_WORDS) * min(len(one), len(other)):
        return None
    same, moved, blocks = _laid_out(one, other)
    swaps: list[Difference] = []
    left: list[Token] = []
    right: list[Token] = []
    for first, second in blocks:
        opening = [token for side, said in ((first, one), (second, other)) for token in side if _opens(token, said)]
        kind = _swapped(first, second) if first and second and not opening else None
        if kind is not None:
            swaps.append(Difference(kind, tuple(first), tuple(second)))
        elif any(token.part is not TokenKind.WORD and token.key != "@third" for token in opening):
            return None
        elif min(len(first), len(second)) > 1 and comparison.one.language == "zh":
            return None  # 阅读盛宴, 模型艺术盛宴: where several Chinese words are others, so is what they name
        else:
            left, right = [*left, *first], [*right, *second]
    swaps += _moved_times(left, right)
    odd = (len(left), len(right))
    parted = [pair for pair in same if pair[0].denied != pair[1].denied]
    # What is denied is what follows the denial first, or what is not true.
    firsts = [
        next((token for token in side if token.denied and token.text not in _TRUE), None) for side in (one, other)
    ]
    if any(first in pair for first in firsts for pair in parted) and not swaps:
        odd = (odd[0] + moved, odd[1] + moved)
        swaps = [Difference(DifferenceKind.DENIAL, tuple(a for a, _ in parted), tuple(b for _, b in parted))]
    few = min(odd) <= _LOOSE_WORDS * min(len(one), len(other))
    least = _LEAST_RESTATED
    if not any(odd) and swaps and swaps[0].kind is not DifferenceKind.NAME:
        least = _LEAST_REPEATED
    if len(swaps) != 1 or len(same) < least or not few or _is_of_another(comparison, swaps[0]) or _by_names_alone(same):
        return None
    # A denial of something else in a longer sentence denies nothing of this one.
    whole = len(same) >= (1 - 2 * _LOOSE_WORDS) * max(len(one), len(other))
    return swaps[0] if whole or swaps[0].kind is not DifferenceKind.DENIAL else None


def _by_names_alone(same: Sequence[tuple[Token, Token]]) -> bool:
    """Tell whether only the texts say what two sentences are about, and they say of it nothing alike but names."""
    words = sum(first.part is TokenKind.WORD and not first.opening for first, _ in same)
    return words < _LEAST_OF_TOPIC and any(token.slot == "@" for pair in same for token in pair)


def _spoken(claim: ParsedClaim, facing: ParsedClaim) -> list[Token]:
    """Return what a sentence says itself, and of what its text is about the words that the other one says."""
    said = {token.key for token in facing.tokens if token.slot != "@"}
    return [token for token in claim.tokens if token.slot != "@" or token.key in said]


def _laid_out(
    one: Sequence[Token], other: Sequence[Token]
) -> tuple[list[tuple[Token, Token]], int, list[tuple[list[Token], list[Token]]]]:
    """Return what two sentences say alike in one order, how much elsewhere, and what faces each other between that."""
    steps = SequenceMatcher(None, [t.key for t in one], [t.key for t in other], autojunk=False).get_opcodes()
    same = [pair for tag, a, b, c, d in steps if tag == "equal" for pair in zip(one[a:b], other[c:d], strict=True)]
    moved: set[int] = set()
    blocks = [(list(one[a:b]), list(other[c:d])) for tag, a, b, c, d in steps if tag != "equal"]
    free = [token for _, second in blocks for token in second]
    for token in [token for first, _ in blocks for token in first]:
        match = next((one for one in free if is_equal(token, one)), None)
        if match is not None:
            moved |= {id(token), id(match)}
            free.remove(match)
    rest = [([t for t in a if id(t) not in moved], [t for t in b if id(t) not in moved]) for a, b in blocks]
    return same, len(moved) // 2, rest


def _moved_times(left: list[Token], right: list[Token]) -> Iterator[Difference]:
    """Yield the one time of either sentence that stands in another place than in the other, and take it out."""
    times = [[token for token in side if token.when is not None] for side in (left, right)]
    if [len(side) for side in times] == [1, 1] and differ_in_time(times[0][0], times[1][0]):
        left.remove(times[0][0])
        right.remove(times[1][0])
        yield Difference(DifferenceKind.TIME, (times[0][0],), (times[1][0],))


_TRUE = frozenset("true correct right accurate case fact".split())
_NUMERALS = {ord(char): digit for char, digit in zip("〇零一二两三四五六七八九", "001223456789", strict=True)}


def _is_of_another(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether two sentences that differ in one value are of two things: both have numbers of their own besides
    (one over par, two over par), or names differ and neither says what goes there.

    By the digits of the text, since not everything that people count is known to be a measure.
    """
    own = [token for claim in (comparison.one, comparison.other) for token in claim.subject if token.slot != "@"]
    if difference.kind is DifferenceKind.NAME and not own:
        return True
    sides = ((comparison.one, difference.one), (comparison.other, difference.other))
    rest = []
    for claim, taken in sides:
        chars = list(claim.text)
        for token in taken:
            chars[token.start : token.end] = [""] * (token.end - token.start)
        rest.append(Counter(filter(str.isdecimal, "".join(chars).translate(_NUMERALS))))
    return bool(rest[0] - rest[1] and rest[1] - rest[0])


def _opens(token: Token, said: Sequence[Token]) -> bool:
    """Tell whether a word says what a sentence is about; where a Chinese subject ends is a guess."""
    if not token.opening:
        return False
    is_chinese = token.slot != "@" and token.text[-1:] > "\u2e80"
    if token.when is not None:
        return not is_chinese and token.slot not in ADVERBIAL
    if token.amount is not None and token.amount.dimension != "ordinal":
        # The 20 busiest airports are counted; Route 20 is called so.
        return not token.amount.unit and not any(t.opening and t.place == token.place + 1 for t in said)
    return not is_chinese or token in said[:_CHINESE_SUBJECT]


def _swapped(one: Sequence[Token], other: Sequence[Token]) -> DifferenceKind | None:
    """Return the sort of values that stand against each other in one place, if these do."""
    if max(len(one), len(other)) > _LONGEST_SWAP:
        return None
    if len(one) == len(other) == 1 and one[0].denied == other[0].denied and are_opposites(one[0].key, other[0].key):
        return DifferenceKind.OPPOSITE
    if all(any(token.part is TokenKind.WORD for token in side) for side in (one, other)):
        return None  # formed in Rome, based in Oslo
    names = [[token for token in side if token.part is TokenKind.NAME] for side in (one, other)]
    for part, kind in ((TokenKind.AMOUNT, DifferenceKind.AMOUNT), (TokenKind.TIME, DifferenceKind.TIME)):
        values = [[token for token in side if token.part is part] for side in (one, other)]
        if all(values) and not any(is_equal(a, b) or _is_one_number(a, b) for a in values[0] for b in values[1]):
            # Two of these prizes and three of those are no two counts of one thing.
            return None if all(names) else kind
    # From Los Angeles and based in San Rafael: what stands before a name says what part it has.
    if not all(names) or is_land(names[0]) != is_land(names[1]):
        return None
    return DifferenceKind.NAME if names[0][0].slot == names[1][0].slot else None


def _is_one_number(one: Token, other: Token) -> bool:
    """Tell whether two amounts are one number, whatever is counted: 4 kids, four children."""
    return one.amount is not None and other.amount is not None and one.amount.low == other.amount.low
