"""Making one node of several: every statement once, the newer before the older, and a validation above all of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from remanent.language.exchanges.integration import IntegrationRequest, IntegrationResponse, Outcome, Trigger
from remanent.language.exchanges.shapes import LONGEST_CONTEXT, LONGEST_REMARK, Node
from remanent.language.exchanges.structure import render
from remanent.language.offline.claims import Claim, Token, read_claim
from remanent.language.offline.comparing import Comparison, compare
from remanent.language.offline.judging import Judgement
from remanent.language.offline.likeness import likeness
from remanent.language.offline.statements import statements
from remanent.language.offline.toolbox import Toolbox
from remanent.language.offline.verdicts import CONFLICT, judge_comparisons
from remanent.language.tidying import keywords, line, remark
from remanent.language.tongue import Tongue, tongue_of

_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
_SAME = 0.85
_MOST_QUOTES = 3
_MOST_STATEMENTS = 200
_LONGEST_QUOTE = 300
_MOST_PAIRS = 20_000
"""Pairs of statements that are laid side by side: all of two nodes of a hundred statements each. Beyond, only those
that say nearly the same words are looked at for repetition."""

_UNDECIDED = re.compile(
    r"\b(?:inconclusive|undecided|unclear|uncertain|unverified|cannot be (?:verified|confirmed|determined)|"
    r"could not (?:be )?(?:verif(?:y|ied)|confirm(?:ed)?|determine[d]?|find)|no (?:reliable |clear )?(?:evidence|"
    r"source|conclusion)|"
    r"sources (?:disagree|differ|conflict)|not enough (?:evidence|information)|no agreement)\b|"
    r"无法(?:确认|确定|验证|判断|核实)|没有(?:定论|结论|证据|可靠来源)|证据不足|说法不一|各执一词|未能(?:确认|证实|"
    r"验证)|不确定|尚无定论|存疑|信息不足",
    re.IGNORECASE,
)
_WRONG = re.compile(
    r"\b(?:wrong|incorrect|false|inaccurate|mistaken|outdated|not (?:true|correct|right|accurate)|refuted|an error)\b|"
    r"错误|有误|不正确|不准确|不实|不对|已过时|不成立|是错的|被否定",
    re.IGNORECASE,
)
_SAID_OF_QUOTE = re.compile(r"""[”"’'』」》][^.。!！?？\n]{0,60}""")
_CLOSING = ("”", "’", '"', "」", "』", "》")
_QUOTE_END = 4
"""How far behind a quote the judgement on it begins at most, in characters."""
_PART = re.compile(r"\s*[;；]\s*")
_SAID: dict[Tongue, dict[str, str]] = {
    "zh": {
        "merged": "合并了 {count} 个节点的陈述，重复的只保留一条。",
        "newer": "较新的说法取代了较早的说法：{old}",
        "earlier": "{new}（此前的说法：{old}）",
        "validated": "依据交叉验证的结果整合：{quote}",
        "dropped": "经验证有误，不再作为事实：{old}",
        "undecided": "验证没有得出结论，各方都保留：{quote}",
        "refuted": "验证没有支持任何一方，各方都保留：{quote}",
        "clash": "两个节点互相矛盾，又分不出先后，需要先做交叉验证：{one} / {other}",
    },
    "en": {
        "merged": "Joined the statements of {count} nodes, one of each that repeat.",
        "newer": "Newer statements took the place of older ones: {old}",
        "earlier": "{new} (earlier: {old})",
        "validated": "Integrated by the result of the cross-validation: {quote}",
        "dropped": "No longer a fact, the validation refuted it: {old}",
        "undecided": "The validation reached no conclusion, so all nodes stay: {quote}",
        "refuted": "The validation upheld none of the nodes, so all of them stay: {quote}",
        "clash": "The nodes contradict each other and neither is newer; validate first: {one} / {other}",
    },
}


@dataclass(frozen=True, slots=True)
class _Fact:
    """A statement of a node, read."""

    text: str
    claim: Claim
    node: int


@dataclass(frozen=True, slots=True)
class _Matter:
    """Nodes, newest first, and all that they state."""

    nodes: Sequence[Node]
    facts: Sequence[_Fact]
    tongue: Tongue


@dataclass(frozen=True, slots=True)
class _Clash:
    """Two statements that contradict each other, by their numbers."""

    one: int
    other: int
    comparison: Comparison
    judgement: Judgement


async def integrate(request: IntegrationRequest, toolbox: Toolbox) -> IntegrationResponse:
    """Integrate nodes, newest first."""
    nodes = sorted(request.nodes, key=lambda node: node.timestamp or _LONG_AGO, reverse=True)
    facts = [
        _Fact(text, read_claim(text, said_at=node.timestamp), number)
        for number, node in enumerate(nodes)
        for text in statements(node.summary, most=_MOST_STATEMENTS)
    ]
    clashes = await _clashes(facts, toolbox)
    matter = _Matter(nodes, facts, tongue_of(*(node.summary for node in nodes)))
    if request.trigger is Trigger.CONFLICT:
        return await _by_validation(request.validation, matter, clashes, toolbox)
    return await _merged(matter, clashes, toolbox)


async def _clashes(facts: Sequence[_Fact], toolbox: Toolbox) -> list[_Clash]:
    """Return the statements of different nodes that contradict each other."""
    pairs = list(islice(_near(facts), _MOST_PAIRS))
    comparisons = [compare(facts[one].claim, facts[other].claim) for one, other in pairs]
    judgements = await judge_comparisons(comparisons, toolbox)
    return [
        _Clash(one, other, comparison, judgement)
        for (one, other), comparison, judgement in zip(pairs, comparisons, judgements, strict=True)
        if judgement.conflict >= CONFLICT
    ]


def _near(facts: Sequence[_Fact]) -> Iterator[tuple[int, int]]:
    """Yield the statements of different nodes that have a word in common, in their order."""
    having: dict[str, list[int]] = {}
    keys = [_keys(fact.claim) for fact in facts]
    for number, words in enumerate(keys):
        for word in words:
            having.setdefault(word, []).append(number)
    for one, words in enumerate(keys):
        others = {other for word in words for other in having[word] if other > one}
        yield from ((one, other) for other in sorted(others) if facts[one].node != facts[other].node)


def _keys(claim: Claim) -> set[str]:
    return {token.key for token in claim.tokens}


# ── merging ──────────────────────────────────────────────────────────────────


async def _merged(matter: _Matter, clashes: Sequence[_Clash], toolbox: Toolbox) -> IntegrationResponse:
    nodes, facts, said = matter.nodes, matter.facts, _SAID[matter.tongue]
    earlier: dict[int, str] = {}
    gone: set[int] = set()
    for clash in clashes:
        newer, older = facts[clash.one], facts[clash.other]
        if (nodes[newer.node].timestamp or _LONG_AGO) == (nodes[older.node].timestamp or _LONG_AGO):
            described = said["clash"].format(one=newer.text, other=older.text)
            return IntegrationResponse(
                outcome=Outcome.UNRESOLVED, interaction_tree_description=remark(described, LONGEST_REMARK)
            )
        earlier[clash.one] = older.text
        gone.add(clash.other)
    gone |= await _repeated(facts, gone, toolbox)
    kept = [
        said["earlier"].format(new=fact.text, old=earlier[number]) if number in earlier else fact.text
        for number, fact in enumerate(facts)
        if number not in gone
    ]
    notes = [said["merged"].format(count=len(nodes))]
    notes += [said["newer"].format(old="; ".join(earlier.values()))] if earlier else []
    return _node(matter, kept, " ".join(notes))


async def _repeated(facts: Sequence[_Fact], gone: set[int], toolbox: Toolbox) -> set[int]:
    """Return the statements that say what one before them says, and nothing beyond it."""
    table = await likeness([fact.text for fact in facts], toolbox)
    repeated: set[int] = set()
    left = _MOST_PAIRS
    for number, fact in enumerate(facts):
        for before in range(number):
            if before in gone or before in repeated or number in gone:
                continue
            if left == 0 and table[before, number] < _SAME:
                continue
            left = max(0, left - 1)
            comparison = compare(facts[before].claim, fact.claim)
            nothing_new = bool(comparison.shared) and not comparison.left_other and not comparison.left_one
            if not comparison.differences and (nothing_new or table[before, number] >= _SAME):
                repeated.add(number)
                break
    return repeated


def _node(
    matter: _Matter,
    kept: Sequence[str],
    description: str,
    *,
    evidence: Sequence[str] = (),
    upheld: tuple[str, ...] = (),
) -> IntegrationResponse:
    contexts = (node.context for node in matter.nodes if node.context.strip())
    return IntegrationResponse(
        outcome=Outcome.INTEGRATED,
        summary=render(facts=kept, evidence=evidence, reasoning="", tongue=matter.tongue),
        context=next(contexts, "") or line(kept[0], LONGEST_CONTEXT),
        keywords=keywords(word for node in matter.nodes for word in node.keywords),
        interaction_tree_description=remark(description, LONGEST_REMARK),
        upheld=upheld,
    )


# ── resolving ────────────────────────────────────────────────────────────────


async def _by_validation(
    validation: str, matter: _Matter, clashes: Sequence[_Clash], toolbox: Toolbox
) -> IntegrationResponse:
    nodes, facts, said = matter.nodes, matter.facts, _SAID[matter.tongue]
    quote = line(validation, _LONGEST_QUOTE)
    if _UNDECIDED.search(validation):
        return _unresolved(said["undecided"].format(quote=quote))
    findings = [read_claim(part) for text in _whole(statements(validation)) for part in _PART.split(text) if part]
    refuted: set[int] = set()
    upheld: set[int] = set()
    for clash in clashes:
        for number in (clash.one, clash.other):
            verdict = _verbatim(facts[number].text, validation)
            verdict = verdict or await _verdict(facts[number].claim, _values(clash, number), findings, toolbox)
            if verdict > 0:
                upheld.add(number)
            elif verdict < 0:
                refuted.add(number)
    right = {facts[number].node for number in upheld} - {facts[number].node for number in refuted}
    wrong = {facts[number].node for number in refuted}
    settled = bool(right or wrong) and len(right) < len(nodes) and len(wrong) < len(nodes)
    if not settled:
        return _unresolved(said["refuted"].format(quote=quote))
    # What contradicts a statement that was upheld is refuted with it.
    refuted |= {clash.other for clash in clashes if clash.one in upheld} | {
        clash.one for clash in clashes if clash.other in upheld
    }
    refuted -= {number for number in upheld if facts[number].node not in wrong}
    gone = refuted | await _repeated(facts, refuted, toolbox)
    kept = [fact.text for number, fact in enumerate(facts) if number not in gone]
    notes = [said["validated"].format(quote=quote)]
    notes += (
        [said["dropped"].format(old="; ".join(facts[number].text for number in sorted(refuted)))] if refuted else []
    )
    # What was refuted stands in the history; here it would be taken for a fact again.
    about = {key for fact in facts for key in _keys(fact.claim)}
    telling = [found for found in findings if not _WRONG.search(found.text) and len(_keys(found) & about) > 1]
    evidence = [line(finding.text, _LONGEST_QUOTE) for finding in telling[:_MOST_QUOTES]]
    ids = tuple(nodes[number].node_id for number in sorted(right))
    return _node(matter, kept or evidence or [quote], " ".join(notes), evidence=evidence, upheld=ids)


def _whole(texts: Sequence[str]) -> list[str]:
    """Return statements with the judgement on a quote joined to it: the quote's own end mark parts them."""
    joined: list[str] = []
    for text in texts:
        wrong = _WRONG.search(text)
        if joined and wrong is not None and wrong.start() <= _QUOTE_END and joined[-1].endswith(_CLOSING):
            joined[-1] += text
        else:
            joined.append(text)
    return joined


def _unresolved(description: str) -> IntegrationResponse:
    return IntegrationResponse(
        outcome=Outcome.UNRESOLVED, interaction_tree_description=remark(description, LONGEST_REMARK)
    )


def _values(clash: _Clash, number: int) -> tuple[Token, ...]:
    difference = clash.judgement.difference
    assert difference is not None, "a conflict has a difference"
    return difference.one if number == clash.one else difference.other


def _verbatim(statement: str, validation: str) -> int:
    """Return 1 when a validation says a statement word for word, -1 when it quotes it as wrong, 0 when it does not."""
    place = validation.find(statement)
    if place < 0:
        return 0
    said_of_it = _SAID_OF_QUOTE.match(validation, place + len(statement))
    return -1 if said_of_it is not None and _WRONG.search(said_of_it[0]) else 1


async def _verdict(claim: Claim, values: Sequence[Token], findings: Sequence[Claim], toolbox: Toolbox) -> int:
    """Return 1 when the findings uphold a claim, -1 when they refute it, 0 when they say nothing of it."""
    comparisons = [compare(finding, claim) for finding in findings]
    judgements = await judge_comparisons(comparisons, toolbox)
    upheld = False
    for finding, comparison, judgement in zip(findings, comparisons, judgements, strict=True):
        if judgement.conflict >= CONFLICT:
            return -1
        pairs = [(one, other) for one, other in comparison.shared if any(other is value for value in values)]
        if not pairs or len(comparison.shared) < 2:
            continue
        agrees = all(one.denied == other.denied for one, other in pairs)
        if _WRONG.search(finding.text) is not None:
            return -1
        if not agrees:
            return -1
        upheld = upheld or not comparison.differences
    return 1 if upheld else 0
