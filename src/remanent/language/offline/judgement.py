"""Whether two claims contradict each other: what they differ in, weighed by how much else they share.

A difference has a base score by its kind: how often two claims that differ so cannot both hold. Whatever lets both
hold (another time, another subject, a condition) multiplies it by a factor below one, and the strongest difference
decides. Bases and factors were set by hand and held against three sets: 600 English and 600 Chinese sentence pairs of
public inference sets, generated memories, and the hand-written pairs of the tests. They buy precision with recall: a
wrong conflict stops a task for a validation, a missed one leaves two statements side by side.

On those sets (precision, recall): English 88 and 32 %, Chinese 88 and 16 %, generated memories 100 and 91 %. Many
rules for single wordings changed none of these figures and were taken out. Those for who holds a post change them
neither, but without them statements from documents of public multi-hop questions are called contradictory more often
(78 instead of 70 of 3,600 pairs), so they stay.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from remanent.language.offline.claims import ParsedClaim, Token, TokenKind, read_claim
from remanent.language.offline.comparison import (
    MODIFIERS,
    WEAK,
    Comparison,
    Difference,
    DifferenceKind,
    compare,
    named,
)
from remanent.language.offline.lexicon import LONGEST_SENTENCE
from remanent.language.role import Toolbox


@dataclass(frozen=True, slots=True)
class Similarity:
    """How alike parts of two claims are in meaning, from 0 to 1; unknown where there is no embedder."""

    predicates: float | None = None
    """The words of each that say what is spoken of, without names and values."""
    frames: float | None = None
    """The claims as they stand, without the values in which they differ."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How sure it is that two claims cannot both hold, and why."""

    conflict: float
    difference: Difference | None = None
    is_update: bool = False
    """One of the claims speaks of a change, so the newer takes the place of the older."""
    because: tuple[str, ...] = ()

    @property
    def kind(self) -> DifferenceKind | None:
        """In what the claims differ."""
        return self.difference.kind if self.difference else None


_UNKNOWN = Similarity()


def judge(comparison: Comparison, alike: Similarity = _UNKNOWN) -> Judgement:
    """Weigh the differences; the strongest decides."""
    one, other = comparison.one, comparison.other
    if one.is_question or other.is_question or one.tongue != other.tongue or one.text == other.text:
        return Judgement(0.0)
    scene = (one.is_scene or other.is_scene) and not _has_names(one) and not _has_names(other)
    best = Judgement(0.0)
    for difference in comparison.differences:
        score, reasons = _weigh(comparison, difference, alike, scene=scene)
        if score > best.conflict:
            best = Judgement(score, difference, one.is_change or other.is_change, reasons)
    return best


def _has_names(claim: ParsedClaim) -> bool:
    return any(token.part is TokenKind.NAME for token in claim.tokens)


def _weigh(
    comparison: Comparison, difference: Difference, alike: Similarity, *, scene: bool
) -> tuple[float, tuple[str, ...]]:
    reasons: list[str] = []

    def damp(factor: float, reason: str) -> float:
        reasons.append(reason)
        return factor

    score = _base(comparison, difference, scene=scene)
    one, other = comparison.one, comparison.other
    if one.is_conditional or other.is_conditional:
        score *= damp(0.4, "condition")
    past = one.is_past != other.is_past or _past_once(comparison, difference)
    if past and not (one.is_change or other.is_change):
        score *= damp(0.4, "another time")
    if difference.is_adjunct:
        score *= damp(0.15, "another scope")
    if comparison.is_scoped:
        score *= damp(0.2, "another scope")
    if difference.kind is DifferenceKind.OPPOSITE and one.is_until != other.is_until:
        score *= damp(0.3, "up to a time")
    if scene:
        return score, tuple(reasons)
    if _other_subject(comparison, difference):
        score *= damp(0.1, "another subject")
    others = [d for d in comparison.differences if d is not difference and d.kind is not DifferenceKind.DENIAL]
    if others and not (difference.kind is DifferenceKind.DENIAL and _is_end(difference)):
        score *= damp(0.25, "differs in more than one place")
    score *= _frame(comparison, difference, alike, damp)
    return score, tuple(reasons)


def _past_once(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether just one of the claims holds of a time that is over: lived there in 2010."""
    inside = {id(token) for token in (*difference.one, *difference.other)}

    def over(claim: ParsedClaim, tokens: tuple[Token, ...]) -> bool:
        return any(
            token.when is not None
            and id(token) not in inside
            and not token.when.is_fine
            and (claim.said_at is None or token.when.finish <= claim.said_at)
            for token in tokens
        )

    return over(comparison.one, comparison.left_one) != over(comparison.other, comparison.left_other)


def _is_end(difference: Difference) -> bool:
    return any(token.former for token in (*difference.one, *difference.other))


def _base(comparison: Comparison, difference: Difference, *, scene: bool) -> float:
    if difference.kind is DifferenceKind.DENIAL:
        return 0.92 if difference.cover > 0.99 else 0.35 + 0.3 * difference.cover
    if difference.kind is DifferenceKind.OPPOSITE:
        return 0.88 if difference.strict else 0.72
    if scene:
        return {DifferenceKind.GROUP: 0.85, DifferenceKind.AMOUNT: 0.75, DifferenceKind.TIME: 0.7}.get(
            difference.kind, 0.3
        )
    if difference.kind is DifferenceKind.AMOUNT:
        return 0.85
    if difference.kind is DifferenceKind.TIME or (
        difference.kind is DifferenceKind.GROUP and _is_time(difference, comparison)
    ):
        return _time_base(comparison, difference)
    single = 0.8 if difference.kind is DifferenceKind.WORD else 0.85
    return single if _is_single(comparison, difference) else 0.35


def _time_base(comparison: Comparison, difference: Difference) -> float:
    """Return how sure it is that something has one time only: a date that is named, or the hour of an event."""
    words = comparison.one.lexicon
    if any(one.key in words.single or one.key in words.once for one, _ in comparison.shared):
        return 0.85
    if _shares(comparison, words.several):
        return 0.35
    if comparison.attributes or (comparison.one.is_definition and comparison.other.is_definition):
        return 0.85
    tokens = (*difference.one, *difference.other)
    fine = difference.kind is DifferenceKind.GROUP or all(
        token.when is not None and token.when.is_fine for token in tokens
    )
    return 0.75 if fine else 0.35


def _shares(comparison: Comparison, verbs: frozenset[str], *, opening: bool = False) -> bool:
    """Tell whether both claims are made with one of these verbs; before the verb they are nouns."""
    return any(
        one.key in verbs and (opening or not (one.opening and other.opening)) for one, other in comparison.shared
    )


_PASSIVE = re.compile(r"\b(?:am|is|are|was|were|be|been|being|got)\s+(?:\w+ly\s+)?\Z", re.IGNORECASE)


def _has_holder(comparison: Comparison, *, opening: bool = False) -> bool:
    """Tell whether both say who does what only one can do; of what was founded there are many."""
    verbs = comparison.one.lexicon.unique_holder
    return any(
        one.key in verbs
        and (opening or not (one.opening and other.opening))
        and not _PASSIVE.search(comparison.one.text[: one.start])
        and not _PASSIVE.search(comparison.other.text[: other.start])
        for one, other in comparison.shared
    )


# Who does it, or is it, stands right after these.
_AGENT = re.compile(
    r"(?:\b(?:by|is|was|are|were|became|named|called)|[由是为叫])\s*(?:the\s+|its\s+)?\Z", re.IGNORECASE
)


def _roots(comparison: Comparison) -> list[tuple[Token, Token]]:
    """Return the words that both have for what one does, or is, and no other: design, director, 馆长."""
    holders = comparison.one.lexicon.unique_holder
    return [(one, other) for one, other in comparison.shared if one.key in holders or other.key in holders]


def _of_holders(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether both say who does, or is, what only one can: designed by A; B is the designer; C designed it."""
    roots = _roots(comparison)
    objects = [pair for pair in comparison.shared if pair not in roots]
    others = [
        any(token.part in _NAMING and not token.is_verb for token in left) for left in beside(comparison, difference)
    ]
    counted = any(one.amount is not None for one, _ in comparison.shared)  # whoever has so many, others may have, too
    if not roots or not objects or counted or all(others):
        return False
    sides = ((comparison.one, difference.one, 0), (comparison.other, difference.other, 1))
    return all(_is_holder(claim, tokens, [pair[side] for pair in roots]) for claim, tokens, side in sides)


def _is_holder(claim: ParsedClaim, tokens: tuple[Token, ...], roots: list[Token]) -> bool:
    if all(token.opening for token in tokens):
        after = [root for root in roots if root.place > tokens[-1].place and not root.opening]
        return bool(after) and not any(_PASSIVE.search(claim.text[: root.start]) for root in after)
    if any(token.opening for token in tokens):
        return False
    first = tokens[0]
    before = _AGENT.search(claim.text[: first.start])
    if before is not None:
        # 顾明川是海港博物馆的馆长: what stands between is whose head he is.
        return before[0].lower().startswith(("by", "由")) or not any(root.place > first.place for root in roots)
    return any(root.place == first.place - 1 and first.start - root.end <= 1 and not root.is_verb for root in roots)


# Parts of one house: who leads one of them leads no other.
_DEPARTMENTS = ("部", "组", "科", "处", "队", "department", "division", "team")


def _holds_several(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether both say of one what they lead or made: who heads one house may head another, too."""
    chinese = comparison.one.tongue == "zh"
    if difference.kind is not DifferenceKind.NAME and not (chinese and difference.kind is DifferenceKind.WORD):
        return False
    roots = _roots(comparison)
    within = any(token.key.endswith(_DEPARTMENTS) for token in difference.one)
    return (
        bool(roots)
        and not within
        and any(
            one.part is TokenKind.NAME
            and _is_holder(comparison.one, (one,), [root for root, _ in roots])
            and _is_holder(comparison.other, (other,), [root for _, root in roots])
            for one, other in comparison.shared
        )
    )


_DEFINITE = re.compile(
    r"\s*(?:(?:is|was|are|were|became|remains) (?:now )?"
    r"(?:the|my|our|your|his|her|their|its|\w+['’]s)\b|[是为]|成为|担任)",
    re.IGNORECASE,
)


def _subjects_differ(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether two claims say the same of different things.

    What stands first is a value only where what follows means just one: Beige is her favourite colour.
    """
    if difference.kind not in {DifferenceKind.NAME, DifferenceKind.WORD}:
        return False
    if any(one.amount is not None and one.amount.unit for one, _ in comparison.shared):
        return True  # both have the same value: 755 metres, 35 people
    if not difference.is_opening:
        return False
    if any(one.opening and other.opening and one.part in _NAMING for one, other in comparison.shared):
        return True
    sides = ((comparison.one, difference.one), (comparison.other, difference.other))
    return not _has_holder(comparison) and not all(
        _DEFINITE.match(claim.text[tokens[-1].end :]) for claim, tokens in sides
    )


def _is_single(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether only one value can hold: both speak of such an attribute, or say so, or say what something is."""
    words = comparison.one.lexicon
    if _of_holders(comparison, difference):
        return True
    if _holds_several(comparison, difference) or _subjects_differ(comparison, difference):
        return False
    said_single = any(one.key in words.single for one, _ in comparison.shared)
    counted = any(one.amount is not None for one, _ in comparison.shared)
    holder = _has_holder(comparison) and any(t.opening for t in (*difference.one, *difference.other)) and not counted
    if said_single or holder or (comparison.one.is_manner and comparison.other.is_manner):
        return True
    return _means_one(comparison, difference)


def _means_one(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether what both speak of has one value, or both say what something is."""
    words = comparison.one.lexicon
    tokens = (*comparison.one.tokens, *comparison.other.tokens)
    attributes = named(comparison.attributes)
    strong = attributes - WEAK
    if _shares(comparison, words.several) and not (strong and not difference.is_opening):
        return False
    defined = comparison.one.is_definition and comparison.other.is_definition
    if difference.is_opening:
        # Beige is her favourite colour: what stands first is the value of what follows.
        following = [pair for pair in comparison.shared if not pair[0].opening and not pair[1].opening]
        return defined and len(following) > 1 and (difference.kind is not DifferenceKind.WORD or bool(attributes))
    if strong or (attributes and difference.kind is not DifferenceKind.WORD):
        return True
    if not defined or any(token.key in words.several for token in tokens):
        return False
    if difference.kind is not DifferenceKind.WORD:
        return True
    # She is a doctor, and a mother, too; but her doctor is one person, and an engineer works for one company.
    opening = [pair for pair in comparison.shared if pair[0].opening and pair[1].opening]
    alike = difference.one[-1].part is difference.other[-1].part
    return (len(opening) > 1 and alike) or _has_one_head(comparison, difference)


def _has_one_head(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether the values only complete the same noun: an engineer at Acme, 阿里巴巴的工程师, on the free plan."""
    chinese = comparison.one.tongue == "zh"
    sides = ((comparison.one, difference.one), (comparison.other, difference.other))
    if not chinese and all(_is_of_the(claim, tokens) for claim, tokens in sides):
        return True
    value = difference.one[-1] if chinese else difference.one[0]
    heads = [
        one
        for one, other in comparison.shared
        if not one.opening and not other.opening and (one.place > value.place if chinese else one.place < value.place)
    ]
    return bool(heads) and not any(head.key in comparison.one.lexicon.members for head in heads)


def _is_of_the(claim: ParsedClaim, tokens: tuple[Token, ...]) -> bool:
    """Tell whether words stand between "the" and a noun: the free plan."""
    following = claim.text[tokens[-1].end :]
    return (
        claim.text[: tokens[0].start].lower().endswith(" the ")
        and re.match(r" [a-z]", following) is not None
        and (re.match(r" (?:of|in|on|at|for|to|and|or|with|by|from)\b", following) is None)
    )


# Values of these kinds are no subjects even at the beginning of a sentence.
_NO_SUBJECTS = frozenset("weekday day_part season 星期 时段 季节".split())


def _is_time(difference: Difference, comparison: Comparison) -> bool:
    groups = comparison.one.lexicon.groups
    return any(set(groups.get(token.key, {})) & _NO_SUBJECTS for token in difference.one)


def _other_subject(comparison: Comparison, difference: Difference) -> bool:
    words = comparison.one.lexicon
    known = {one.key for one, _ in comparison.shared}
    for claim, left in ((comparison.one, comparison.left_one), (comparison.other, comparison.left_other)):
        # Whoever both speak of is nobody else: my dog, and once more my dog.
        others = [token for token in left if token.key in words.relatives and token.key not in known]
        if any(_is_of_somebody(token, claim) for token in others):
            return True
    if (
        not difference.is_opening
        or difference.kind not in {DifferenceKind.NAME, DifferenceKind.GROUP}
        or _is_time(difference, comparison)
    ):
        return False
    if difference.kind is DifferenceKind.GROUP and not set(words.groups.get(difference.one[0].key, {})) & MODIFIERS:
        return True
    defined = comparison.one.is_definition and comparison.other.is_definition
    return not (defined or _has_holder(comparison, opening=True) or _of_holders(comparison, difference))


def _is_of_somebody(token: Token, claim: ParsedClaim) -> bool:
    """Tell whether a word for a relative means one who is spoken of: her brother, a colleague of Ada."""
    before = claim.tokens[token.place - 1] if token.place else None
    after = claim.tokens[token.place + 1] if token.place + 1 < len(claim.tokens) else None
    of_before = before is not None and (
        before.part in {TokenKind.NAME, TokenKind.PERSON} or "'s" in before.text or "’s" in before.text
    )
    between = claim.text[before.end : token.start].strip() if before is not None else ""
    of_after = (
        after is not None and claim.text[token.end : after.start].strip().startswith("of") and after.amount is None
    )
    return token.opening or of_after or (of_before and between in {"", "的"}) or between == "的"


def _frame(
    comparison: Comparison, difference: Difference, alike: Similarity, damp: Callable[[float, str], float]
) -> float:
    """Return how well what is said beside the difference agrees: the same thing of the same subject."""
    left_one, left_other = beside(comparison, difference)
    if difference.kind is DifferenceKind.DENIAL:
        return _denial_frame(comparison, difference, damp)
    factor = 1.0 if comparison.shared else damp(0.2, "nothing in common")
    narrower = [any(t.opening and t.part in _NAMING for t in left) for left in (left_one, left_other)]
    same = (
        comparison.attributes or _close(left_one, left_other, difference, alike) or _of_holders(comparison, difference)
    )
    # What differs before the verb may be alike in meaning and yet another thing: head office, branch office.
    if all(narrower) or _face_each_other(left_one, left_other, comparison):
        factor *= damp(0.25, "other subjects")
    elif _naming(left_one) and _naming(left_other) and not same:
        factor *= damp(0.3, "says something else")
    elif any(narrower) and not _as_wide(comparison, difference, alike):
        factor *= damp(0.6, "narrower subject")
    return factor


def _as_wide(comparison: Comparison, difference: Difference, alike: Similarity) -> bool:
    """Tell whether a word more before the verb makes nothing else of what is measured: the rent of my flat, my rent."""
    least = _NARROW_FRAME_OF_ONE if comparison.attributes else _NARROW_FRAME
    return difference.kind is DifferenceKind.AMOUNT and alike.frames is not None and alike.frames >= least


def _face_each_other(one: list[Token], other: list[Token], comparison: Comparison) -> bool:
    """Tell whether two names, or two words beside the same word, stand for different things: 青石|大桥, 听涛|大桥."""
    if any(token.part is TokenKind.NAME for token in one) and any(token.part is TokenKind.NAME for token in other):
        return True
    first, second = ([token for token in left if token.part in _NAMING] for left in (one, other))
    if len(first) != 1 or len(second) != 1 or first[0].is_verb or second[0].is_verb:
        return False
    places = {(a.place, b.place) for a, b in comparison.shared}
    return any((first[0].place + step, second[0].place + step) in places for step in (-1, 1))


# From so alike on, what is said beside two values is the same; of amounts the unit says much already. Cosines of
# the bundled multilingual embedder, chosen by hand.
_SAME_FRAME = {DifferenceKind.AMOUNT: 0.75, DifferenceKind.TIME: 0.8, DifferenceKind.GROUP: 0.8}
_SAME_WORDS = 0.9
_NARROW_FRAME, _NARROW_FRAME_OF_ONE = 0.85, 0.6


def _same_frame(difference: Difference, alike: Similarity) -> bool:
    return alike.frames is not None and alike.frames >= _SAME_FRAME.get(difference.kind, _SAME_WORDS)


def _naming(tokens: list[Token]) -> bool:
    return any(token.part in _NAMING for token in tokens)


def _close(one: list[Token], other: list[Token], difference: Difference, alike: Similarity) -> bool:
    """Tell whether two wordings ask for the same: words that say so are verbs, or stand before them."""
    saying = all(any(token.is_verb or token.opening for token in left) for left in (one, other))
    if difference.kind in {DifferenceKind.NAME, DifferenceKind.WORD} and alike.frames is not None:
        # Any two verbs are somewhat alike, and a name may be the value of either.
        return saying and _same_frame(difference, alike)
    near = alike.predicates is not None and alike.predicates >= SAME_PREDICATE
    return saying and (near or _same_frame(difference, alike))


def _denial_frame(comparison: Comparison, difference: Difference, damp: Callable[[float, str], float]) -> float:
    """Return how well the claim that is denied is made: what is denied of less, or for a time, may hold of the rest."""
    sides = beside(comparison, difference)
    narrower = [any(t.opening and t.part in _NAMING for t in left) for left in sides]
    if all(narrower):
        return damp(0.25, "other subjects")
    denying = 0 if any(token.denied for token in difference.one) else 1
    tokens = difference.one if denying == 0 else difference.other
    clauses = {token.clause for token in tokens if token.denied}
    left = [token for token in sides[denying] if token.clause in clauses]
    if any(t.opening and t.part in _NAMING for t in left):
        return damp(0.6, "narrower subject")
    if any(t.part is TokenKind.TIME for t in left) and not _is_end(difference):
        return damp(0.5, "denied for a time")
    return 1.0 if comparison.shared else damp(0.2, "nothing in common")


_NAMING = frozenset({TokenKind.WORD, TokenKind.NAME})
# From so alike on, two wordings ask for the same value.
SAME_PREDICATE = 0.55


def beside(comparison: Comparison, difference: Difference) -> tuple[list[Token], list[Token]]:
    """Return the words on each side, beside the difference, that nothing on the other side answers to."""
    inside = {id(token) for token in (*difference.one, *difference.other)}

    def left(tokens: tuple[Token, ...]) -> list[Token]:
        return [
            t
            for t in tokens
            if (not t.denied or t.part is TokenKind.TIME) and id(t) not in inside and t.part is not TokenKind.PERSON
        ]

    return left(comparison.left_one), left(comparison.left_other)


CONFLICT = 0.6
"""From so sure on, two statements are called a conflict. Chosen for precision: `bench language` draws the curve."""


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that was said, and when if that is known."""

    text: str
    said_at: datetime | None = None

    def read(self) -> ParsedClaim:
        """Return it as a claim."""
        return read_claim(self.text, said_at=self.said_at)


async def judge_statements(pairs: Sequence[tuple[Statement, Statement]], toolbox: Toolbox) -> list[Judgement]:
    """Judge each pair of statements."""
    claims = {statement: statement.read() for pair in pairs for statement in pair}
    comparisons = [compare(claims[one], claims[other]) for one, other in pairs]
    return await judge_comparisons(comparisons, toolbox)


async def judge_comparisons(comparisons: Sequence[Comparison], toolbox: Toolbox) -> list[Judgement]:
    """Judge each comparison; where two ask for a value in different words, ask the embedder whether it is the same."""
    judgements = [judge(comparison) for comparison in comparisons]
    if toolbox.embedder is None:
        return judgements
    asked = [
        (number, _phrases(comparison, difference), _frames(comparison, difference))
        for number, comparison in enumerate(comparisons)
        for difference in comparison.differences
        if judge(comparison, _ALIKE).conflict > judgements[number].conflict
    ]
    texts = list(dict.fromkeys(text for _, phrases, frames in asked for text in (*phrases, *frames) if text))
    vectors = await toolbox.embedder.embed(texts)
    rows = dict(zip(texts, vectors, strict=True))

    def nearness(pair: tuple[str, str]) -> float | None:
        return float(rows[pair[0]] @ rows[pair[1]]) if all(pair) else None

    for number, phrases, frames in asked:
        known = judge(comparisons[number], Similarity(predicates=nearness(phrases), frames=nearness(frames)))
        if known.conflict > judgements[number].conflict:
            judgements[number] = known
    return judgements


_ALIKE = Similarity(predicates=1.0, frames=1.0)
"""As alike as can be: where even that changes nothing, nothing needs to be embedded."""


def _phrases(comparison: Comparison, difference: Difference) -> tuple[str, str]:
    one, other = beside(comparison, difference)
    return _phrase(one, comparison), _phrase(other, comparison)


def _frames(comparison: Comparison, difference: Difference) -> tuple[str, str]:
    return _without(comparison.one, difference.one), _without(comparison.other, difference.other)


def _without(claim: ParsedClaim, tokens: Sequence[Token]) -> str:
    """Return the words of a claim without those of a value."""
    text = claim.text[:LONGEST_SENTENCE]
    for start, end in sorted({(token.start, token.end) for token in tokens}, reverse=True):
        text = text[:start] + text[end:]
    return text.strip(" .。")


def _phrase(tokens: Sequence[Token], comparison: Comparison) -> str:
    return ("" if comparison.one.tongue == "zh" else " ").join(token.text for token in tokens)
