"""Whether two claims contradict each other: what they differ in, weighed by how much else they share."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from remanent.language.offline.claims import Claim, Part, Token
from remanent.language.offline.comparing import MODIFIERS, WEAK, Comparison, Difference, Kind


@dataclass(frozen=True, slots=True)
class Alike:
    """How alike parts of two claims are in meaning, from 0 to 1; unknown where there is no embedder."""

    predicates: float | None = None
    """The words of each that say what is spoken of, without names and values."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """How sure it is that two claims cannot both hold, and why."""

    conflict: float
    difference: Difference | None = None
    is_update: bool = False
    """One of the claims speaks of a change, so the newer takes the place of the older."""
    because: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind | None:
        """In what the claims differ."""
        return self.difference.kind if self.difference else None


_UNKNOWN = Alike()


def judge(comparison: Comparison, alike: Alike = _UNKNOWN) -> Judgement:
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


def _has_names(claim: Claim) -> bool:
    return any(token.part is Part.NAME for token in claim.tokens)


def _weigh(
    comparison: Comparison, difference: Difference, alike: Alike, *, scene: bool
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
    if difference.kind is Kind.OPPOSITE and one.is_until != other.is_until:
        score *= damp(0.3, "up to a time")
    if scene:
        return score, tuple(reasons)
    if _other_subject(comparison, difference):
        score *= damp(0.1, "another subject")
    others = [d for d in comparison.differences if d is not difference and d.kind is not Kind.DENIAL]
    if others and not (difference.kind is Kind.DENIAL and _is_end(difference)):
        score *= damp(0.25, "differs in more than one place")
    score *= _frame(comparison, difference, alike, damp)
    return score, tuple(reasons)


def _past_once(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether just one of the claims holds of a time that is over: lived there in 2010."""
    inside = {id(token) for token in (*difference.one, *difference.other)}

    def over(claim: Claim, tokens: tuple[Token, ...]) -> bool:
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
    if difference.kind is Kind.DENIAL:
        return 0.92 if difference.cover > 0.99 else 0.35 + 0.3 * difference.cover
    if difference.kind is Kind.OPPOSITE:
        return 0.88 if difference.strict else 0.72
    if scene:
        return {Kind.GROUP: 0.85, Kind.AMOUNT: 0.75, Kind.TIME: 0.7}.get(difference.kind, 0.3)
    if difference.kind is Kind.AMOUNT:
        return 0.85
    if difference.kind is Kind.TIME or (difference.kind is Kind.GROUP and _is_time(difference, comparison)):
        return _time_base(comparison, difference)
    single = 0.8 if difference.kind is Kind.WORD else 0.85
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
    fine = difference.kind is Kind.GROUP or all(token.when is not None and token.when.is_fine for token in tokens)
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


def _is_single(comparison: Comparison, difference: Difference) -> bool:
    """Tell whether only one value can hold: both speak of such an attribute, or say so, or say what something is."""
    words = comparison.one.lexicon
    tokens = (*comparison.one.tokens, *comparison.other.tokens)
    said_single = any(one.key in words.single for one, _ in comparison.shared)
    holder = _has_holder(comparison) and any(t.opening for t in (*difference.one, *difference.other))
    if said_single or holder or (comparison.one.is_manner and comparison.other.is_manner):
        return True
    strong = comparison.attributes - WEAK
    if _shares(comparison, words.several) and not (strong and not difference.is_opening):
        return False
    defined = comparison.one.is_definition and comparison.other.is_definition
    if difference.is_opening:
        # Beige is her favourite colour: what stands first is the value of what follows.
        following = [pair for pair in comparison.shared if not pair[0].opening and not pair[1].opening]
        return defined and len(following) > 1 and (difference.kind is not Kind.WORD or bool(comparison.attributes))
    if strong or (comparison.attributes and difference.kind is not Kind.WORD):
        return True
    if not defined or any(token.key in words.several for token in tokens):
        return False
    if difference.kind is not Kind.WORD:
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


def _is_of_the(claim: Claim, tokens: tuple[Token, ...]) -> bool:
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


def _accompanies(token: Token, claim: Claim) -> bool:
    """Tell whether somebody is only there, too: lives there with her brother, 和哥哥一起."""
    return re.search(rf"(?:\bwith (?:\w+ )?|[和跟与同][他她我]?的?){re.escape(token.text)}", claim.text) is not None


def _other_subject(comparison: Comparison, difference: Difference) -> bool:
    words = comparison.one.lexicon
    known = {one.key for one, _ in comparison.shared}
    for claim, left in ((comparison.one, comparison.left_one), (comparison.other, comparison.left_other)):
        # Whoever both speak of is nobody else: my dog, and once more my dog.
        others = [token for token in left if token.key in words.relatives and token.key not in known]
        if any(_is_of_somebody(token, claim) for token in others):
            return True
    if not difference.is_opening or difference.kind not in {Kind.NAME, Kind.GROUP} or _is_time(difference, comparison):
        return False
    if difference.kind is Kind.GROUP and not set(words.groups.get(difference.one[0].key, {})) & MODIFIERS:
        return True
    return not (
        _has_holder(comparison, opening=True) or (comparison.one.is_definition and comparison.other.is_definition)
    )


def _is_of_somebody(token: Token, claim: Claim) -> bool:
    """Tell whether a word for a relative means one who is spoken of: her brother, a colleague of Ada."""
    if _accompanies(token, claim):
        return False
    before = claim.tokens[token.place - 1] if token.place else None
    after = claim.tokens[token.place + 1] if token.place + 1 < len(claim.tokens) else None
    of_before = before is not None and (
        before.part in {Part.NAME, Part.PERSON} or "'s" in before.text or "’s" in before.text
    )
    between = claim.text[before.end : token.start].strip() if before is not None else ""
    of_after = (
        after is not None and claim.text[token.end : after.start].strip().startswith("of") and after.amount is None
    )
    return token.opening or of_after or (of_before and between in {"", "的"}) or between == "的"


def _frame(comparison: Comparison, difference: Difference, alike: Alike, damp: Callable[[float, str], float]) -> float:
    """Return how well what is said beside the difference agrees: the same thing of the same subject."""
    left_one, left_other = beside(comparison, difference)
    if difference.kind is Kind.DENIAL:
        return _denial_frame(comparison, difference, damp)
    factor = 1.0 if comparison.shared else damp(0.2, "nothing in common")
    if difference.kind in {Kind.NAME, Kind.WORD} and _has_amount(left_one) != _has_amount(left_other):
        # The length is so many metres, the river has a name: no value of the one is a value of the other.
        defined = comparison.one.is_definition and comparison.other.is_definition
        factor *= damp(0.3, "another sort of value") if defined else 1.0
    narrower = [any(t.opening and t.part in _NAMING for t in left) for left in (left_one, left_other)]
    # What differs before the verb may be alike in meaning and yet another thing: head office, branch office.
    if all(narrower):
        factor *= damp(0.25, "other subjects")
    elif (
        _naming(left_one) and _naming(left_other) and not (comparison.attributes or _close(left_one, left_other, alike))
    ):
        factor *= damp(0.3, "says something else")
    elif any(narrower):
        factor *= damp(0.6, "narrower subject")
    return factor


def _has_amount(tokens: list[Token]) -> bool:
    return any(token.amount is not None and token.amount.unit for token in tokens)


def _naming(tokens: list[Token]) -> bool:
    return any(token.part in _NAMING for token in tokens)


def _close(one: list[Token], other: list[Token], alike: Alike) -> bool:
    """Tell whether two wordings ask for the same: words that say so are verbs, or stand before them."""
    saying = all(any(token.is_verb or token.opening for token in left) for left in (one, other))
    return saying and alike.predicates is not None and alike.predicates >= SAME_PREDICATE


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
    if any(t.part is Part.TIME for t in left) and not _is_end(difference):
        return damp(0.5, "denied for a time")
    return 1.0 if comparison.shared else damp(0.2, "nothing in common")


_QUANTIFIERS = frozenset("all every both 全部 所有 全".split())
_NAMING = frozenset({Part.WORD, Part.NAME})
# From so alike on, two wordings ask for the same value.
SAME_PREDICATE = 0.55


def beside(comparison: Comparison, difference: Difference) -> tuple[list[Token], list[Token]]:
    """Return the words on each side, beside the difference, that nothing on the other side answers to."""
    inside = {id(token) for token in (*difference.one, *difference.other)}

    def left(tokens: tuple[Token, ...]) -> list[Token]:
        return [
            t
            for t in tokens
            if (not t.denied or t.part is Part.TIME)
            and id(t) not in inside
            and t.part is not Part.PERSON
            and t.key not in _QUANTIFIERS
        ]

    return left(comparison.left_one), left(comparison.left_other)
