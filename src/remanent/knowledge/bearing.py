"""How a sentence of a document bears on a claim: whether it supports or contradicts it, or neither.

A sentence supports what it has the words of, unless one of the two denies or forbids what the other says. Where they
agree in all else, such a sentence contradicts the claim, as one with another figure or name in its place does.
"""

import re
from collections.abc import Sequence

from remanent.language.offline.claims import ParsedClaim, Token, TokenKind, read_claim
from remanent.language.offline.comparison import Comparison, DifferenceKind, compare
from remanent.language.offline.judgement import CONFLICT, EXCEPTED, excluded, judge
from remanent.text.numerals import has_digit
from remanent.text.regex import lazy_regex
from remanent.text.terms import query_terms

_SUPPORTED = 0.85
"""The share of a sentence's words from which on another says the same, if it has all names and figures of it."""
_ALIKE = 0.7
"""The share of the words that are no names and figures from which on two sentences speak of the same."""
_RECIPROCAL = 0.4
"""The share of the evidence's own words that the sentence must have, so that a clause of a long sentence about
something else contradicts nobody. These three were chosen by hand."""
_VALUE = re.compile(r"\d[\d.,:]*|(?<![.!?。]\s)(?<!^)\b[A-Z][\w'’-]+")
"""Figures, and words written as names within a sentence."""
_COMMON = re.compile(r"(?:[^s]s|ing)$")
"""How a first word ends that stands without an article and yet is no name: "Filters are", "Sailing is"."""


def bearing(claim: str, evidence: str, *, title: str = "") -> tuple[float, str]:
    """Return how much of a claim a sentence covers, and whether it supports or contradicts it, or neither."""
    claim, evidence = _plainly(claim), _plainly(_as_it_holds(evidence, claim))
    asked, said = frozenset(query_terms(claim)), frozenset(query_terms(evidence))
    if not asked or not said:
        return 0.0, ""
    known = said | frozenset(query_terms(title))
    coverage = len(asked & known) / len(asked)
    # Of one word alone even "On" and "US" give terms, which the sentence that holds it does not have.
    values, others = _values(claim) & asked, _values(evidence) & said
    lacking = values - known
    plain = asked - values
    alike = len(plain & known) / len(plain) if plain else 0.0
    mutual = len(asked & said) / len(said)
    comparison = compare(read_claim(evidence), read_claim(claim))
    parted = _parted(comparison)
    conflict = judge(comparison).conflict >= CONFLICT
    # A title adds what a sentence is about; by itself, or where it denies the claim, it supports nothing.
    by_title = not asked & said or (title and _parted(compare(read_claim(_plainly(title)), comparison.other)))
    if not lacking and coverage >= _SUPPORTED and not parted and not conflict and not by_title:
        return coverage, "supported"
    if parted and _may_both_hold(comparison, parted):
        return coverage, ""
    if excluded(comparison.one, comparison.other) or (not lacking and _denies(comparison, parted)):
        return coverage, "contradicted"
    if alike < _ALIKE or mutual < _RECIPROCAL:
        return coverage, ""
    # The same is said with another figure or another name in the place of one.
    replaced = any(any(has_digit(one) == has_digit(other) for other in others - values - asked) for one in lacking)
    return coverage, "contradicted" if replaced or conflict else ""


def _values(text: str) -> frozenset[str]:
    """Return the terms of figures and names; of a first word, which is always capitalised, where it reads as a name."""
    names = [token.text for token in read_claim(text).tokens if token.part is TokenKind.NAME]
    told = [*_VALUE.findall(text), *(name for name in names if not _COMMON.search(name))]
    return frozenset(term for value in told for term in query_terms(value))


# ── what holds now, and in the case that is spoken of ────────────────────────

_FORMER = lazy_regex(
    r"[由从](?P<former>[^，,；;。由从]{1,20}?)(?=(?:推迟|延[后期长迟]|提[前高升]|顺延|改|调[整高低]|更[换改]|变更|换|升|降|增|减|涨|搬|迁)"
    r"[^，,；;。]{0,3}?[到至为成])"
)
_OF_BEFORE = lazy_regex(r"原|曾|之前|以前|过去|本来|起初|最初")
_COUNT = r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_CASE = lazy_regex(
    rf"(?P<rule>[^,;]*?)\b(?P<value>{_COUNT})(?P<unit>\s+[a-z]+)(?P<rest>[^,;]*),\s+"
    rf"(?P<case>(?:in|for|on|at|during|outside)\s+[^,;\d]{{2,40}}?)\s+(?:(?:only|up to|at least|at most)\s+)*"
    rf"(?P<other>{_COUNT})(?P<own>\s+[a-z]+)?\.?",
    re.IGNORECASE,
)
"""A rule and the case with another figure: refunded up to 140 euros a night, in London up to 210."""

_LONGEST = 400
"""Characters; what is longer is no rule with its case."""


def _as_it_holds(evidence: str, claim: str) -> str:
    """Return a sentence without the value that something was changed from, and with that of the case of a claim."""
    if not _FORMER.search(claim) and not _OF_BEFORE.search(claim):
        evidence = _FORMER.sub("", evidence)
    case = _CASE.fullmatch(evidence) if len(evidence) <= _LONGEST else None
    if not case or not set(query_terms(case["case"])) <= set(query_terms(claim)):
        return evidence
    return f"{case['rule']}{case['other'].rstrip('.')}{case['own'] or case['unit']}{case['rest']} {case['case']}."


# ── what one denies and the other says ───────────────────────────────────────

_PLAINER = (
    (lazy_regex(r"未成年"), "幼年"),
    (lazy_regex(r"严禁|禁止|不得(?!不)|不许|不准|不予|不允许|不可以|不适用于?|无权|切勿|请勿|概不|暂停"), "不能"),
    (lazy_regex(r"无[需须]|不需要?"), "不必"),
    (lazy_regex(r"不就是"), "就是"),
    (lazy_regex(r"免(?=[交缴收付])"), "不用"),
    # What was not done is the condition of what may be done then, and a clause of its own.
    (lazy_regex(r"([未没][^，,；;。]{1,6}?)(?=可以|必须|应|须|不能)"), r"\1，"),
    (lazy_regex(r" and (?=(?:can|may|must|will|should|is|are|was|were|has|have|does|do|did)\b)"), ", "),
    (lazy_regex(r"\b(?:strictly |always )?(?:forbidden|prohibited|banned)\b", re.IGNORECASE), "not allowed"),
    (lazy_regex(r"\bout of (?:order|service)\b", re.IGNORECASE), "not working"),
)
"""Ways to forbid and to deny, each with the one that claims are read by."""
_CLAUSE = lazy_regex(r"[，,；;。:：]")
_NEED_NOT = lazy_regex(
    r"\b(?:need not|needn['’]t|(?:do|does)(?: not|n['’]t) (?:need|have to))\b|不必|不用|无需|不需", re.IGNORECASE
)
_NEED = lazy_regex(r"\b(?:must|needs?|has to|have to|required?)\b|必须|需|须|应|要", re.IGNORECASE)
_ASKED = lazy_regex(r"\b(?:until|some|others)\b|吗|难道|岂|直到|有的|有些", re.IGNORECASE)
"""What says that a sentence asks, though it may go on, or that it holds up to a time or of some only."""
_EMPTY = frozenset("permit allow need 允许 适用 必须 需要 需 须 要 能".split())
"""Words that say only that something may or must be."""
_OF_CLAIM = 0.8
_OF_CLAUSE = 0.75
"""The shares of a claim's words, and of the clause that denies them, that both must have. Chosen on one half of the
pairs of the inference sets."""


def _plainly(text: str) -> str:
    for pattern, plain in _PLAINER:
        text = pattern.sub(plain, text)
    return text


def _parted(comparison: Comparison) -> list[tuple[Token, Token]]:
    """Return the words that one side denies and the other says, unless it says them before it denies the same.

    Smoking is not allowed here: guests are not allowed to smoke here.
    """
    either = {(token.key, token.denied) for token in comparison.one.tokens}
    both = [pair for pair in comparison.shared if pair[0].denied and pair[1].denied and not pair[0].former]

    def is_before(told: Token, side: int) -> bool:
        of = comparison.one if side == 0 else comparison.other
        return any(
            told.place < pair[side].place and _clause_of(told, of) == _clause_of(pair[side], of) for pair in both
        )

    return [
        (said, asked)
        for said, asked in comparison.shared
        if said.part is not TokenKind.PERSON
        and said.denied != asked.denied
        and (said.key, asked.denied) not in either
        and not (is_before(asked, 1) if said.denied else is_before(said, 0))
    ]


def _may_both_hold(comparison: Comparison, parted: Sequence[tuple[Token, Token]]) -> bool:
    """Tell whether one only need not be what the other says, excepts it, or denies its condition, too."""
    evidence, claim = comparison.one, comparison.other
    needless = [_NEED_NOT.search(one.text) is not None for one in (evidence, claim)]
    if needless[0] != needless[1] and not _NEED.search((claim if needless[0] else evidence).text):
        return True
    if (EXCEPTED.search(evidence.text) is None) != (EXCEPTED.search(claim.text) is None):
        return True
    return len({_clause_of(said, evidence) for said, _ in parted if said.denied}) > 1


def _denies(comparison: Comparison, parted: Sequence[tuple[Token, Token]]) -> bool:
    """Tell whether a clause of the evidence says the opposite of a claim, of the same and under no other condition."""
    evidence, claim = comparison.one, comparison.other
    opposite = [found for found in comparison.differences if found.kind is DifferenceKind.OPPOSITE]
    against = [*(said for said, _ in parted), *(token for found in opposite for token in found.one)]
    if not against or evidence.is_past != claim.is_past or evidence.language != claim.language:
        return False
    if any(one.is_conditional or one.is_question or _ASKED.search(one.text) for one in (evidence, claim)):
        return False
    clauses = {_clause_of(token, evidence) for token in against}
    if len(clauses) > 1 or EXCEPTED.search(evidence.text):
        return False
    agreed = {id(token) for pair in comparison.shared for token in pair}
    agreed |= {id(token) for found in opposite for token in (*found.one, *found.other)}
    own = [token for token in evidence.tokens if _clause_of(token, evidence) in clauses]
    strange = [token for token in own if id(token) not in agreed]
    if any(token.part not in {TokenKind.WORD, TokenKind.PERSON} for token in strange) or len(comparison.shared) < 2:
        return False
    return _share(claim.tokens, agreed) >= _OF_CLAIM and _share(own, agreed) >= _OF_CLAUSE


def _share(tokens: Sequence[Token], agreed: set[int]) -> float:
    told = [token for token in tokens if token.part is not TokenKind.PERSON and token.key not in _EMPTY]
    return sum(id(token) in agreed for token in told) / len(told) if told else 0.0


def _clause_of(token: Token, claim: ParsedClaim) -> int:
    return len(_CLAUSE.findall(claim.text[: token.start]))
