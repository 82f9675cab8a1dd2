"""Analysis: a model judges how a new node stands to each candidate, in the order conflict, merge, related.

The rules' contradictions count whatever a model says, so it is not asked about them: asking cost about 700 tokens of
prompt and 240 of answer, two minutes with a model of 1.5 B, for nothing. Such a model found 0 of 21 contradictions when
reading, where the rules found 7 of 9: it puts both statements into one topic, or merges the two.
"""

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidInput, Refused
from remanent.language import shapes
from remanent.language.offline.accounts import account_of, disputed
from remanent.language.offline.claims import ParsedClaim, TokenKind, read_claims
from remanent.language.offline.comparison import Comparison, DifferenceKind, claim_attributes, compare
from remanent.language.offline.headings import is_source_heading
from remanent.language.offline.judgement import CONFLICT, Judgement, judge
from remanent.language.offline.salience import similarities, summary_statements
from remanent.language.prompt_blocks import block, group, node_block
from remanent.language.role import Bounds, Defaults, Role, Toolbox
from remanent.language.shapes import MAX_CONTEXT, MAX_ITEMS, keywords, multi_line, one_line
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.model.base import Share
from remanent.model.ids import Id
from remanent.text.scripts import working_language


class AnalysisPhase(StrEnum):
    """What is judged in one go."""

    ORDERED = "ordered"
    """Everything in one call: conflict before merge before related."""
    CONFLICT_OR_MERGE = "conflict_or_merge"
    """The first of two calls."""
    RELATED = "related"
    """The second of two calls, made when the first found neither conflict nor merge."""


class Relationship(StrEnum):
    """How two nodes stand to each other, in the order of judgement."""

    CONFLICT = "conflict"
    MERGE = "merge"
    RELATED = "related"
    UNRELATED = "unrelated"


class AnalysisRequest(Model):
    """A new node and the candidates to judge it against."""

    new_node: shapes.GraphNode
    candidates: Annotated[tuple[shapes.GraphNode, ...], Field(min_length=1, max_length=50)]
    phase: AnalysisPhase = AnalysisPhase.ORDERED
    task: shapes.Remark = ""

    @model_validator(mode="after")
    def _check_the_ids(self) -> "AnalysisRequest":
        ids = [self.new_node.node_id, *(node.node_id for node in self.candidates)]
        if len(set(ids)) < len(ids):
            raise InvalidInput("a node is given twice; the new node and every candidate need an id of their own")
        return self


class Relation(Model):
    """How the new node stands to one candidate; fields that do not belong to the relationship are empty."""

    existing_node: Id
    relationship: Relationship
    confidence: Share
    reasoning: shapes.Remark = ""
    conflict_description: shapes.Remark = ""
    merge_strategy: shapes.Remark = ""
    context_update_new: shapes.Context = ""
    """The new context of the new node; empty leaves it as it is. The same holds for the three below."""
    context_update_existing: shapes.Context = ""
    keywords_update_new: shapes.Keywords = ()
    keywords_update_existing: shapes.Keywords = ()


class AnalysisResponse(Model):
    """One relation for every candidate, in the order in which they were given."""

    relations: tuple[Relation, ...]

    def found(self, relationship: Relationship) -> tuple[Relation, ...]:
        """Return the relations of one sort."""
        return tuple(relation for relation in self.relations if relation.relationship is relationship)


def second_phase(request: AnalysisRequest, response: AnalysisResponse) -> AnalysisRequest | None:
    """Return the second request of two, or nothing when the first found a conflict or a merge."""
    if request.phase is not AnalysisPhase.CONFLICT_OR_MERGE:
        return None
    if response.found(Relationship.CONFLICT) or response.found(Relationship.MERGE):
        return None
    return request.replace(phase=AnalysisPhase.RELATED)


_NEW = "new"
_ORDER = tuple(Relationship)

_OPENING: Bilingual = Bilingual(
    """
You judge how a new memory node (<new_node>) stands to each existing node (<candidates>). Judge by what the nodes \
say, not by what you know.
Judge every existing node exactly once, in this order, stopping at the first that holds:
""",
    """
你负责判断一个新记忆节点（<new_node>）与每个已有节点（<candidates>）的关系。只依据节点内容判断，不引入外部知识。
每个已有节点恰好判断一次，按下列顺序，命中即停：
""",
)
_CONFLICT_AND_MERGE: Bilingual = Bilingual(
    """conflict: about the same attribute of the same thing, at the same time and under the same conditions, \
the two cannot both be true. A different time, scope or thing, or more detail, is no conflict.
merge: no conflict, and both tell the same thing: equal or mostly overlapping content.
""",
    """conflict（冲突）：对同一对象的同一属性，在同一时间和同一条件下，两者的说法不能同时为真。时间不同、\
范围不同、对象不同、详略不同都不是冲突。
merge（合并）：没有冲突，且两者讲的是同一件事，内容相同或大部分重叠。
""",
)
_RELATED: Bilingual = Bilingual(
    """related: they tell different things, but are tied by meaning, topic or logic.
""",
    """related（相关）：讲的不是同一件事，但在语义、主题或逻辑上有关联。
""",
)
_UNRELATED: Bilingual = Bilingual(
    """unrelated: none of the above.
""",
    """unrelated（无关）：以上都不成立。
""",
)
_FIELDS: Bilingual = Bilingual(
    """Field relations: a list with one item per existing node, each with
existing_node: the node's id, as "n1"; relationship: one of the above; confidence: 0 to 1; reasoning: one sentence \
that cites what each of the two says.
""",
    """字段 relations：列表，每个已有节点一项，含
existing_node：节点编号，如 "n1"；relationship：以上之一；confidence：0 到 1；reasoning：一句话理由，\
引用双方的关键说法。
""",
)
_CONFLICT_FIELDS: Bilingual = Bilingual(
    """A conflict also has conflict_description: the point of contradiction, with what each side says.
A merge also has merge_strategy: how to merge, and what to keep of each.
""",
    """conflict 另写 conflict_description：矛盾点，写明双方各自的说法。
merge 另写 merge_strategy：如何合并，各自保留什么。
""",
)
_RELATED_FIELDS: Bilingual = Bilingual(
    """A related one also has context_update_new and context_update_existing: the one-sentence topic of each \
node, rewritten to show the tie; keywords_update_new and keywords_update_existing: the full updated keywords of each.
""",
    """related 另写 context_update_new、context_update_existing：两个节点各自更新后的一句话主题，\
体现这一关联；keywords_update_new、keywords_update_existing：各自更新后的完整关键词列表。
""",
)
_LANGUAGE: Bilingual = Bilingual("Write in the language of the nodes.\n", "使用节点内容的语言。\n")
_BLANK: Bilingual = Bilingual(
    '"existing_node": "n1", "relationship": "[one of the above]", "confidence": 0.5, "reasoning": "[reason]"',
    '"existing_node": "n1", "relationship": "【关系】", "confidence": 0.5, "reasoning": "【理由】"',
)
_CONFLICT_BLANK: Bilingual = Bilingual(
    ', "conflict_description": "[what contradicts what]", "merge_strategy": "[how to merge]"',
    ', "conflict_description": "【矛盾点】", "merge_strategy": "【如何合并】"',
)
_RELATED_BLANK: Bilingual = Bilingual(
    ', "context_update_new": "[topic of the new node]", "context_update_existing": "[topic of the existing '
    'node]", "keywords_update_new": ["[keyword]"], "keywords_update_existing": ["[keyword]"]',
    ', "context_update_new": "【新节点主题】", "context_update_existing": "【已有节点主题】", '
    '"keywords_update_new": ["【关键词】"], "keywords_update_existing": ["【关键词】"]',
)
_BOUNDS: Bilingual = Bilingual(
    "There are {n} existing nodes: {names}; write one item for each.", "已有节点共 {n} 个：{names}；每个写一项。"
)


class RelationReply(Model):
    """How the new node stands to one existing node."""

    existing_node: shapes.Prose
    relationship: Literal["conflict", "merge", "related", "unrelated"]
    confidence: shapes.Confidence = 0.5
    reasoning: shapes.Prose = ""
    conflict_description: shapes.Prose = ""
    merge_strategy: shapes.Prose = ""
    context_update_new: shapes.Prose = ""
    context_update_existing: shapes.Prose = ""
    keywords_update_new: shapes.Words = ()
    keywords_update_existing: shapes.Words = ()


class AnalysisReply(Model):
    """How the new node stands to the existing ones."""

    relations: Annotated[tuple[RelationReply, ...], Field(max_length=MAX_ITEMS)]


class Analysis(Role[AnalysisRequest, AnalysisReply, AnalysisResponse]):
    """Judge the relations of a new node."""

    name = "analysis"
    defaults = Defaults(temperature=0.4, top_p=0.9)

    def language(self, request: AnalysisRequest) -> Language:
        """Speak the language of the new node."""
        return working_language(request.new_node.summary, *(node.summary for node in request.candidates))

    def told(self, request: AnalysisRequest, *, language: Language) -> str:
        """Tell only what is judged in the phase."""
        early = request.phase is not AnalysisPhase.RELATED
        late = request.phase is not AnalysisPhase.CONFLICT_OR_MERGE
        parts = [
            _OPENING[language],
            _CONFLICT_AND_MERGE[language] if early else "",
            _RELATED[language] if late else "",
            _UNRELATED[language],
            _FIELDS[language],
            _CONFLICT_FIELDS[language] if early else "",
            _RELATED_FIELDS[language] if late else "",
            _LANGUAGE[language],
        ]
        return "".join(parts)

    def material(self, request: AnalysisRequest, *, language: Language) -> list[str]:
        """Show the nodes under short names."""
        names = _aliases(request).names
        nodes = [node_block(node, name=name) for name, node in zip(names, request.candidates, strict=True)]
        return [
            block("task", request.task),
            group("candidates", nodes),
            group("new_node", [node_block(request.new_node, name=_NEW)]),
            _BOUNDS[language].format(n=len(names), names=", ".join(names)),
        ]

    def blank(self, request: AnalysisRequest, *, language: Language) -> str:
        """Show one relation with the fields of the phase."""
        early = _CONFLICT_BLANK[language] if request.phase is not AnalysisPhase.RELATED else ""
        late = _RELATED_BLANK[language] if request.phase is not AnalysisPhase.CONFLICT_OR_MERGE else ""
        return f'{{"relations": [{{{_BLANK[language]}{early}{late}}}]}}'

    def bounds(self, request: AnalysisRequest) -> Bounds:
        """Hold the list to one relation for each candidate, by its name."""
        count = len(request.candidates)
        return {
            "relations": {"minItems": count, "maxItems": count},
            "relations.existing_node": {"enum": list(_aliases(request).names)},
        }

    def read(self, request: AnalysisRequest, reply: AnalysisReply) -> AnalysisResponse:
        """Give every candidate one relation: the first in order of those proposed, unrelated if there is none."""
        aliases = _aliases(request)
        found: dict[str, Relation] = {}
        for proposed in reply.relations:
            node_id = aliases.find(proposed.existing_node)
            if node_id is None:
                continue
            relation = _relation(node_id, proposed, request.phase)
            known = found.setdefault(node_id, relation)
            if _ORDER.index(relation.relationship) < _ORDER.index(known.relationship):
                found[node_id] = relation
        aliases.require(found, named=[proposed.existing_node for proposed in reply.relations])
        for node in request.candidates:
            none = Relation(existing_node=node.node_id, relationship=Relationship.UNRELATED, confidence=0)
            found.setdefault(node.node_id, none)
        return AnalysisResponse(relations=tuple(found[node.node_id] for node in request.candidates))

    async def offline(self, request: AnalysisRequest, toolbox: Toolbox) -> AnalysisResponse:
        """Compare attributes, numbers, dates, negations and entities of the new node and each candidate."""
        sides: list[_Side] = []
        for node in (request.new_node, *request.candidates):
            await asyncio.sleep(0)  # reading many nodes takes a while; others may have their turn
            said = summary_statements(node.summary, most=_MAX_STATEMENTS)
            said = said or [one_line(node.context or " ".join(node.keywords) or node.summary, 300)]
            # What a node is about says of what its statements are: those about "it", and a value alone.
            claims = read_claims(said, context=node.context, said_at=node.timestamp)
            sides.append(_Side(node, said, claims))
        # The bank has embedded these texts already, for its index.
        whole, *others = (node.summary or node.context for node in (request.new_node, *request.candidates))
        alike_as_wholes = await similarities(whole, others, toolbox)
        relations = []
        for side, alike in zip(sides[1:], alike_as_wholes, strict=True):
            await asyncio.sleep(0)
            found = _Evidence(sides[0], side, _near_pairs(sides[0], side), alike)
            if request.phase is not AnalysisPhase.RELATED:
                _judge_pairs(found)
            for pair in found.pairs:  # only of those that may say the same it is worth asking
                if not pair.comparison.differences and len(pair.comparison.shared) > 1:
                    told = side.statements[pair.old]
                    (pair.near,) = await similarities(sides[0].statements[pair.new], [told], toolbox)
            relations.append(_judged(found, request.phase, by_meaning=toolbox.embedder is not None))
        return AnalysisResponse(relations=tuple(relations))


def _aliases(request: AnalysisRequest) -> shapes.IdAliases:
    return shapes.IdAliases([node.node_id for node in request.candidates])


def _relation(node_id: str, proposed: RelationReply, phase: AnalysisPhase) -> Relation:
    relationship = Relationship(proposed.relationship)
    # What a phase did not ask for: two nodes that could be taken for one another have a topic in common.
    if phase is AnalysisPhase.CONFLICT_OR_MERGE and relationship is Relationship.RELATED:
        relationship = Relationship.UNRELATED
    elif phase is AnalysisPhase.RELATED and relationship is not Relationship.UNRELATED:
        relationship = Relationship.RELATED
    reasoning = multi_line(proposed.reasoning)
    conflict = relationship is Relationship.CONFLICT
    related = relationship is Relationship.RELATED
    description = multi_line(proposed.conflict_description) or reasoning if conflict else ""
    if conflict and not description:
        raise Refused("a conflict needs a conflict_description that says what contradicts what")
    return Relation(
        existing_node=node_id,
        relationship=relationship,
        confidence=proposed.confidence,
        reasoning=reasoning,
        conflict_description=description,
        merge_strategy=multi_line(proposed.merge_strategy) if relationship is Relationship.MERGE else "",
        context_update_new=one_line(proposed.context_update_new, MAX_CONTEXT) if related else "",
        context_update_existing=one_line(proposed.context_update_existing, MAX_CONTEXT) if related else "",
        keywords_update_new=keywords(proposed.keywords_update_new) if related else (),
        keywords_update_existing=keywords(proposed.keywords_update_existing) if related else (),
    )


_NEAREST = 5
"""Statements of a candidate that each new statement is compared with: comparing all would take their product. Chosen by
hand."""
# These thresholds were chosen by hand; a wrong merge loses what it merges, so
# statements must be more alike to count as the same than nodes must be to count as related.
_SAME = 0.72
_MERGE_SHARE = 0.6
"""The share of either node's statements that the other must have, too, for a merge."""
_RELATED_BY_MEANING = 0.42
"""The cosine from which on two nodes have a topic in common."""
_RELATED_BY_NAME = 0.22
"""Enough where both name the same thing or share a keyword."""
_RELATED_BY_WORDS = 0.2
"""Without an embedder: cosines of words are far lower than those of vectors."""
_LONGEST_QUOTE = 200
"""Characters of a statement that a reason quotes: two of them and the words around fit a remark."""
_MAX_STATEMENTS = 120
"""Statements of a node that are read: each is laid beside the nearest of every candidate. Chosen by hand."""

_WORDS = {
    "conflict": Bilingual(
        "The new node says “{new}”, the existing one says “{old}”; both cannot hold.",
        "新节点说“{new}”，已有节点说“{old}”，两者不能同时成立。",
    ),
    "update": Bilingual(
        "The new node says “{new}”, which updates “{old}” of the existing one.",
        "新节点说“{new}”，更新了已有节点的“{old}”。",
    ),
    "merge": Bilingual(
        "Both say the same: the existing node has {same} of the new node's {count} statements.",
        "两者讲的是同一件事：新节点的 {count} 条陈述中有 {same} 条已有节点也有。",
    ),
    "strategy": Bilingual(
        "Combine the statements: keep one of each that repeat and all that differ; where one is newer, it prevails.",
        "合并两者的陈述，重复的只留一条，不同的都保留；有先后时以较新的为准。",
    ),
    "related": Bilingual("Both speak of the same people, things or topic.", "两者谈到相同的人、物或话题。"),
    "unrelated": Bilingual("Nothing they have in common was found.", "没有发现共同之处。"),
}


@dataclass(frozen=True, slots=True)
class _Side:
    """A node with its statements, read."""

    node: shapes.GraphNode
    statements: list[str]
    claims: list[ParsedClaim]


_LONGEST_NOTE = 3
"""Statements of a note on something, its title among them. Chosen by hand."""


def _in_one_text(one: _Side, other: _Side) -> bool:
    """Tell whether two nodes are of one text, or of two parts of a work: both begin with the same title.

    What stands under the names of two sources in one text is of two.
    """
    under = {next((said for said in side.statements if is_source_heading(said)), "") for side in (one, other)}
    if len(under) == 2 and "" not in under:
        return False
    title = one.claims[0].title
    return bool(title and title == other.claims[0].title) or not set(one.node.texts).isdisjoint(other.node.texts)


@dataclass(slots=True)
class _Pair:
    """A statement of the new node beside one of a candidate, by their numbers."""

    new: int
    old: int
    comparison: Comparison
    judgement: Judgement = Judgement(0.0)
    near: float = 0.0
    """How alike the two are."""


def _near_pairs(new: _Side, old: _Side) -> list[_Pair]:
    """Return the statements worth laying side by side: for each of the new node's, those that share most words."""
    pairs = []
    keys = [_keys(claim) for claim in old.claims]
    for place, claim in enumerate(new.claims):
        own = _keys(claim)
        shared = [len(own & having) for having in keys]
        ranked = sorted(range(len(keys)), key=lambda number: (-shared[number], number))
        near = [number for number in ranked[:_NEAREST] if shared[number]]
        pairs += [_Pair(place, number, compare(claim, old.claims[number])) for number in near]
    return pairs


def _keys(claim: ParsedClaim) -> frozenset[str]:
    """Return the words of a statement and what it speaks of: of one museum, admission and a ticket's price are nearer
    to each other than either is to its café.
    """
    words = frozenset(token.key for token in claim.tokens if token.part is not TokenKind.PERSON)
    return words | {f"@{name}" for name in claim_attributes(claim)}


def _judge_pairs(found: "_Evidence") -> None:
    """Judge each pair, and what a statement of either node says otherwise than the other tells of what it is about."""
    new, old, pairs = found.new, found.old, found.pairs
    in_one_text = _in_one_text(new, old)
    for pair in pairs:
        judgement = judge(pair.comparison, in_one_text=in_one_text)
        pair.judgement = Judgement(0.0) if _is_agreed(judgement, pair, pairs) else judgement
    for one, other in ((new, old), (old, new)):
        # What goes on under one title is another part of it; a note of a sentence or two tells of it.
        is_part = len(one.claims) > _LONGEST_NOTE and in_one_text
        account = None if is_part or not set(new.node.texts).isdisjoint(old.node.texts) else account_of(other.claims)
        for place, claim in enumerate(one.claims) if account is not None else ():
            if account is not None and (said := disputed(claim, account)) is not None:
                first, second = (place, said[0]) if one is new else (said[0], place)
                pairs.append(_Pair(first, second, compare(new.claims[first], old.claims[second]), said[1]))


def _is_agreed(found: Judgement, pair: _Pair, pairs: Sequence[_Pair]) -> bool:
    """Tell whether the value that contradicts one sentence is what another one says, in no fewer of the same words."""
    difference, comparison = found.difference, pair.comparison
    if difference is None or difference.kind not in _VALUES or found.conflict < CONFLICT:
        return False
    for side, value, claim in ((0, difference.one, comparison.one), (1, difference.other, comparison.other)):
        shown = claim.text[value[0].start : value[-1].end].lstrip("由被是为")  # which the segmenter glues to a name
        for other in pairs:
            beside = other.comparison
            is_beside = other.old == pair.old if side else other.new == pair.new
            if not is_beside or other is pair or len(beside.shared) < len(comparison.shared):
                continue
            said = [tokens[side] for tokens in beside.shared]
            told = shown in (beside.one if side else beside.other).text or all(token in said for token in value)
            if told and sum(token not in value for token in said) >= len(comparison.shared):
                return True
    return False


_VALUES = frozenset({DifferenceKind.AMOUNT, DifferenceKind.TIME, DifferenceKind.NAME})


# ── one candidate ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Evidence:
    """All that was found out about the new node and one candidate."""

    new: _Side
    old: _Side
    pairs: list[_Pair]
    whole: float
    """How alike the two are as wholes."""

    def said(self, name: str, **values: str | int) -> str:
        """Return a remark in the language of the nodes."""
        language = working_language(self.new.node.summary, self.old.node.summary)
        return _WORDS[name][language].format(**values)

    def relation(self, relationship: Relationship, confidence: float, **about: Any) -> Relation:
        """Return a relation to the candidate."""
        node_id = self.old.node.node_id
        return Relation(existing_node=node_id, relationship=relationship, confidence=round(confidence, 3), **about)


def _judged(found: _Evidence, phase: AnalysisPhase, *, by_meaning: bool) -> Relation:
    if phase is not AnalysisPhase.RELATED:
        worst = max(found.pairs, key=lambda pair: pair.judgement.conflict, default=None)
        if worst is not None and worst.judgement.conflict >= CONFLICT:
            return _conflict(found, worst)
        same = [pair for pair in found.pairs if _says_the_same(pair.comparison, pair.near)]
        same_new, same_old = len({pair.new for pair in same}), len({pair.old for pair in same})
        share = max(same_new / len(found.new.claims), same_old / len(found.old.claims))
        if share >= _MERGE_SHARE:
            reasoning = found.said("merge", same=same_new, count=len(found.new.claims))
            strategy = found.said("strategy")
            return found.relation(
                Relationship.MERGE, min(1.0, 0.5 + share / 2), reasoning=reasoning, merge_strategy=strategy
            )
    related = _relatedness(found, by_meaning=by_meaning)
    if phase is not AnalysisPhase.CONFLICT_OR_MERGE and related > 0:
        new, old = found.new.node, found.old.node
        return found.relation(
            Relationship.RELATED,
            related,
            reasoning=found.said("related"),
            keywords_update_new=_with_common(new, old),
            keywords_update_existing=_with_common(old, new),
        )
    reasoning = found.said("unrelated") if not related else ""
    return found.relation(Relationship.UNRELATED, 1 - found.whole, reasoning=reasoning)


def _conflict(found: _Evidence, worst: _Pair) -> Relation:
    judgement = worst.judgement
    new = one_line(found.new.statements[worst.new], _LONGEST_QUOTE)
    old = one_line(found.old.statements[worst.old], _LONGEST_QUOTE)
    when_new, when_old = found.new.node.timestamp, found.old.node.timestamp
    is_newer = when_new is None or when_old is None or when_new >= when_old
    reasoning = found.said("update" if judgement.is_update and is_newer else "conflict", new=new, old=old)
    described = f"{new} / {old}"
    return found.relation(
        Relationship.CONFLICT, judgement.conflict, reasoning=reasoning, conflict_description=described
    )


def _with_common(node: shapes.GraphNode, other: shapes.GraphNode) -> tuple[str, ...]:
    """Return a node's keywords with those of the other that its own text has, too; nothing when that adds none."""
    text = f"{node.summary}\n{node.context}".casefold()
    known = {word.casefold() for word in node.keywords}
    common = [word for word in other.keywords if word.casefold() not in known and word.casefold() in text]
    return keywords([*node.keywords, *common]) if common else ()


def _says_the_same(comparison: Comparison, near: float) -> bool:
    """Tell whether two statements differ in nothing, and either are alike or leave nothing unanswered."""
    if comparison.differences or len(comparison.shared) < 2:
        return False
    left = [token for token in (*comparison.left_one, *comparison.left_other) if token.part is not TokenKind.PERSON]
    small = len(left) <= 1 and all(token.is_verb for token in left)
    return near >= _SAME or not left or (small and near >= _RELATED_BY_MEANING)


def _relatedness(found: _Evidence, *, by_meaning: bool) -> float:
    """Return how sure it is that the two have a topic in common; 0 when nothing says so."""
    nearest = max([found.whole, *(pair.near for pair in found.pairs)])
    if nearest >= (_RELATED_BY_MEANING if by_meaning else _RELATED_BY_WORDS):
        return min(1.0, 0.4 + nearest / 2)
    names = _names(found.new) & _names(found.old)
    shared = {word.casefold() for word in found.new.node.keywords} & {w.casefold() for w in found.old.node.keywords}
    if (names or shared) and (nearest >= _RELATED_BY_NAME or not by_meaning):
        return 0.5
    return 0.0


def _names(side: _Side) -> set[str]:
    return {token.key for claim in side.claims for token in claim.tokens if token.part is TokenKind.NAME}


ANALYSIS = Analysis()
