"""How a new node stands to others: conflict before merge before related, told from the statements of both."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from remanent.language.exchanges.analysis import AnalysisRequest, AnalysisResponse, Phase, Relation, Relationship
from remanent.language.exchanges.shapes import Node
from remanent.language.offline.claims import Claim, Part, Token
from remanent.language.offline.comparing import Comparison, compare
from remanent.language.offline.judging import Judgement
from remanent.language.offline.likeness import likeness
from remanent.language.offline.statements import statements
from remanent.language.offline.toolbox import Toolbox
from remanent.language.offline.verdicts import CONFLICT, Statement, judge_comparisons
from remanent.language.tidying import keywords, line
from remanent.language.tongue import Tongue, tongue_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Statements below this likeness are not even laid side by side, unless they share a name or a number.
_NEAR = 0.2
_NEAREST = 5
_SAME = 0.72
_MERGE_SHARE = 0.6
_RELATED = 0.42
_RELATED_BY_NAME = 0.22
_RELATED_BY_WORDS = 0.2
_LONGEST_QUOTE = 200
_MOST_STATEMENTS = 120
# A name that so many statements of a node have is something that the node tells of.
_TOLD_OF = 2

_WORDS: dict[Tongue, dict[str, str]] = {
    "zh": {
        "conflict": "新节点说“{new}”，已有节点说“{old}”，两者不能同时成立。",
        "update": "新节点说“{new}”，更新了已有节点的“{old}”。",
        "description": "{new} / {old}",
        "merge": "两者讲的是同一件事：新节点的 {count} 条陈述中有 {same} 条已有节点也有。",
        "strategy": "合并两者的陈述，重复的只留一条，不同的都保留；有先后时以较新的为准。",
        "related": "两者谈到相同的人、物或话题。",
        "unrelated": "没有发现共同之处。",
    },
    "en": {
        "conflict": "The new node says “{new}”, the existing one says “{old}”; both cannot hold.",
        "update": "The new node says “{new}”, which updates “{old}” of the existing one.",
        "description": "{new} / {old}",
        "merge": "Both tell the same: the existing node has {same} of the new node's {count} statements.",
        "strategy": "Join the statements, keep one of those that repeat and all that differ; where one is newer, "
        "it counts.",
        "related": "Both speak of the same people, things or topic.",
        "unrelated": "Nothing was found that they have in common.",
    },
}


@dataclass(frozen=True, slots=True)
class _Side:
    """A node with its statements, read."""

    node: Node
    statements: list[str]
    claims: list[Claim]
    first: int
    """The row of its first statement in the table of likeness."""
    subjects: list[str]
    """Of each statement, what the node tells of in it and in others; empty where nothing comes again."""


async def analyse(request: AnalysisRequest, toolbox: Toolbox) -> AnalysisResponse:
    """Judge the new node against each candidate."""
    sides: list[_Side] = []
    rows = 0
    for node in (request.new_node, *request.candidates):
        await asyncio.sleep(0)  # reading many nodes takes a while; others may have their turn
        said = statements(node.summary, most=_MOST_STATEMENTS)
        said = said or [line(node.context or " ".join(node.keywords) or node.summary, 300)]
        claims = [Statement(text, node.timestamp).read() for text in said]
        sides.append(_Side(node, said, claims, rows, _subjects(claims)))
        rows += len(said)
    table = await likeness([text for side in sides for text in side.statements], toolbox)
    whole = await likeness([_whole(side.node) for side in sides], toolbox)
    relations = []
    for number, side in enumerate(sides[1:], 1):
        await asyncio.sleep(0)
        pairs = _near_pairs(sides[0], side, table)
        comparisons = [compare(sides[0].claims[one], side.claims[other]) for one, other in pairs]
        judgements = await judge_comparisons(comparisons, toolbox) if request.phase is not Phase.RELATED else []
        near = [float(table[sides[0].first + one, side.first + other]) for one, other in pairs]
        tongue = tongue_of(sides[0].node.summary, side.node.summary)
        found = _Found(sides[0], side, pairs, comparisons, judgements, near, float(whole[0, number]), tongue)
        relations.append(_relation(found, request.phase, by_meaning=toolbox.embedder is not None))
    return AnalysisResponse(relations=tuple(relations))


def _subjects(claims: list[Claim]) -> list[str]:
    """Return of each statement the name that most statements of the node have; nothing where none is in several."""
    found = []
    for claim in claims:
        counts: dict[str, int] = {}
        for run in _runs(claim):
            # The longest beginning counts that comes again: 远航物流 of 远航物流总部.
            for end in range(len(run), 0, -1):
                name = claim.text[run[0].start : run[end - 1].end].casefold()
                times = sum(name in other.text.casefold() for other in claims)
                if times >= _TOLD_OF:
                    counts[name] = times
                    break
        found.append(max(counts, key=lambda name: counts[name]) if counts else "")
    return found


def _runs(claim: Claim) -> list[list[Token]]:
    """Return the names of a claim, those of several words as one; in Chinese also what stands before the verb."""
    runs: list[list[Token]] = []
    for token in claim.tokens:
        naming = token.part is Part.NAME or (
            claim.tongue == "zh" and token.part is Part.WORD and token.opening and not token.is_verb
        )
        if not naming:
            continue
        if runs and runs[-1][-1].place + 1 == token.place and token.start - runs[-1][-1].end <= (claim.tongue != "zh"):
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _whole(node: Node) -> str:
    return f"{node.context}\n{' '.join(node.keywords)}\n{node.summary}"


def _near_pairs(one: _Side, other: _Side, table: "NDArray[np.float32]") -> list[tuple[int, int]]:
    """Return the statements worth laying side by side: for each of the new node's, the nearest few of the other's."""
    pairs = []
    for place, claim in enumerate(one.claims):
        row = table[one.first + place, other.first : other.first + len(other.claims)]
        ranked = sorted(range(len(other.claims)), key=lambda number: (-float(row[number]), number))
        pairs += [
            (place, number)
            for number in ranked[:_NEAREST]
            if row[number] >= _NEAR or _tokens_of(claim) & _tokens_of(other.claims[number])
        ]
    return pairs


def _tokens_of(claim: Claim) -> frozenset[str]:
    return frozenset(token.key for token in claim.tokens if token.part is not Part.PERSON)


# ── one candidate ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Found:
    """All that was found out about the new node and one candidate."""

    new: _Side
    old: _Side
    pairs: list[tuple[int, int]]
    comparisons: list[Comparison]
    judgements: list[Judgement]
    near: list[float]
    whole: float
    tongue: Tongue

    def said(self, name: str, **values: str | int) -> str:
        """Return a remark in the language of the nodes."""
        return _WORDS[self.tongue][name].format(**values)


def _relation(found: _Found, phase: Phase, *, by_meaning: bool) -> Relation:
    if phase is not Phase.RELATED:
        told = [number for number in range(len(found.judgements)) if not _of_other_things(found, number)]
        worst = max(told, key=lambda number: found.judgements[number].conflict, default=None)
        if worst is not None and found.judgements[worst].conflict >= CONFLICT:
            return _conflict(found, worst)
        same_new, same_old = _same(found)
        share = max(same_new / len(found.new.claims), same_old / len(found.old.claims))
        if share >= _MERGE_SHARE:
            return _merge(found, same_new, share)
    related = _relatedness(found, by_meaning=by_meaning)
    if phase is not Phase.CONFLICT_OR_MERGE and related > 0:
        return _related(found, related)
    return Relation(
        existing_node=found.old.node.node_id,
        relationship=Relationship.UNRELATED,
        confidence=round(1 - found.whole, 3),
        reasoning=found.said("unrelated") if not related else "",
    )


def _of_other_things(found: _Found, number: int) -> bool:
    """Tell whether two statements are of different things that their nodes tell of: one bridge and another bridge.

    What a node tells of is named in several of its statements; a value mostly in one.
    """
    one, other = found.pairs[number]
    new, old = found.new.subjects[one], found.old.subjects[other]
    return bool(new) and bool(old) and new not in old and old not in new


def _conflict(found: _Found, worst: int) -> Relation:
    judgement = found.judgements[worst]
    one, other = found.pairs[worst]
    new = line(found.new.statements[one], _LONGEST_QUOTE)
    old = line(found.old.statements[other], _LONGEST_QUOTE)
    reasoning = found.said("update" if judgement.is_update and _is_newer(found) else "conflict", new=new, old=old)
    return Relation(
        existing_node=found.old.node.node_id,
        relationship=Relationship.CONFLICT,
        confidence=round(judgement.conflict, 3),
        reasoning=reasoning,
        conflict_description=found.said("description", new=new, old=old),
    )


def _is_newer(found: _Found) -> bool:
    new, old = found.new.node.timestamp, found.old.node.timestamp
    return new is None or old is None or new >= old


def _merge(found: _Found, same: int, share: float) -> Relation:
    return Relation(
        existing_node=found.old.node.node_id,
        relationship=Relationship.MERGE,
        confidence=round(min(1.0, 0.5 + share / 2), 3),
        reasoning=found.said("merge", same=same, count=len(found.new.claims)),
        merge_strategy=found.said("strategy"),
    )


def _related(found: _Found, confidence: float) -> Relation:
    new, old = found.new.node, found.old.node
    return Relation(
        existing_node=old.node_id,
        relationship=Relationship.RELATED,
        confidence=round(confidence, 3),
        reasoning=found.said("related"),
        keywords_update_new=_with_common(new, old),
        keywords_update_existing=_with_common(old, new),
    )


def _with_common(node: Node, other: Node) -> tuple[str, ...]:
    """Return a node's keywords with those of the other that its own text has, too; nothing when that adds none."""
    text = f"{node.summary}\n{node.context}".casefold()
    known = {word.casefold() for word in node.keywords}
    common = [word for word in other.keywords if word.casefold() not in known and word.casefold() in text]
    return keywords([*node.keywords, *common]) if common else ()


def _same(found: _Found) -> tuple[int, int]:
    """Return how many statements of the new node the other has, too, and the other way round."""
    new: set[int] = set()
    old: set[int] = set()
    for (one, other), comparison, near in zip(found.pairs, found.comparisons, found.near, strict=True):
        if _says_the_same(comparison, near):
            new.add(one)
            old.add(other)
    return len(new), len(old)


def _says_the_same(comparison: Comparison, near: float) -> bool:
    """Tell whether two statements differ in nothing, and either are alike or leave nothing unanswered."""
    if comparison.differences or comparison.is_scoped or len(comparison.shared) < 2:
        return False
    left = [token for token in (*comparison.left_one, *comparison.left_other) if token.part is not Part.PERSON]
    small = len(left) <= 1 and all(token.is_verb for token in left)
    return near >= _SAME or not left or (small and near >= _RELATED)


def _relatedness(found: _Found, *, by_meaning: bool) -> float:
    """Return how sure it is that the two have a topic in common; 0 when nothing says so."""
    nearest = max([found.whole, *found.near])
    if nearest >= (_RELATED if by_meaning else _RELATED_BY_WORDS):
        return min(1.0, 0.4 + nearest / 2)
    names = _names(found.new) & _names(found.old)
    shared = {word.casefold() for word in found.new.node.keywords} & {w.casefold() for w in found.old.node.keywords}
    if (names or shared) and (nearest >= _RELATED_BY_NAME or not by_meaning):
        return 0.5
    return 0.0


def _names(side: _Side) -> set[str]:
    return {token.key for claim in side.claims for token in claim.tokens if token.part is Part.NAME}
