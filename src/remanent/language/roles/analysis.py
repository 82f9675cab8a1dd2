"""Analysis: a model judges how a new node stands to each candidate, in the order conflict, merge, related."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from remanent.errors import Refused
from remanent.language.aliases import Aliases
from remanent.language.exchanges.analysis import (
    AnalysisRequest,
    AnalysisResponse,
    Phase,
    Relation,
    Relationship,
)
from remanent.language.exchanges.shapes import LONGEST_CONTEXT
from remanent.language.replies import MOST_ITEMS, Confidence, Prose, Words
from remanent.language.role import Defaults, Prompt, Role
from remanent.language.tidying import keywords, line, remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, block, group, node_block, prompt
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_NEW = "new"
_ORDER = tuple(Relationship)

_OPENING: Wording = {
    "zh": """
你负责判断一个新记忆节点（<new_node>）与每个已有节点（<candidates>）的关系。只依据节点内容判断，不引入外部知识。
每个已有节点恰好判断一次，按下列顺序，命中即停：
""",
    "en": """
You judge how a new memory node (<new_node>) stands to each existing node (<candidates>). Judge by what the nodes \
say, not by what you know.
Judge every existing node exactly once, in this order, stopping at the first that holds:
""",
}
_CONFLICT_AND_MERGE: Wording = {
    "zh": """conflict（冲突）：对同一对象的同一属性，在同一时间和同一条件下，两者的说法不能同时为真。时间不同、\
范围不同、对象不同、详略不同都不是冲突。
merge（合并）：没有冲突，且两者讲的是同一件事，内容相同或大部分重叠。
""",
    "en": """conflict: about the same attribute of the same thing, at the same time and under the same conditions, \
the two cannot both be true. A different time, scope or thing, or more detail, is no conflict.
merge: no conflict, and both tell the same thing: equal or mostly overlapping content.
""",
}
_RELATED: Wording = {
    "zh": """related（相关）：讲的不是同一件事，但在语义、主题或逻辑上有关联。
""",
    "en": """related: they tell different things, but are tied by meaning, topic or logic.
""",
}
_UNRELATED: Wording = {
    "zh": """unrelated（无关）：以上都不成立。
""",
    "en": """unrelated: none of the above.
""",
}
_FIELDS: Wording = {
    "zh": """字段 relations：列表，每个已有节点一项，含
existing_node：节点编号，如 "n1"；relationship：以上之一；confidence：0 到 1；reasoning：一句话理由，\
引用双方的关键说法。
""",
    "en": """Field relations: a list with one item per existing node, each with
existing_node: the node's id, as "n1"; relationship: one of the above; confidence: 0 to 1; reasoning: one sentence \
that cites what each of the two says.
""",
}
_CONFLICT_FIELDS: Wording = {
    "zh": """conflict 另写 conflict_description：矛盾点，写明双方各自的说法。
merge 另写 merge_strategy：如何合并，各自保留什么。
""",
    "en": """A conflict also has conflict_description: the point of contradiction, with what each side says.
A merge also has merge_strategy: how to merge, and what to keep of each.
""",
}
_RELATED_FIELDS: Wording = {
    "zh": """related 另写 context_update_new、context_update_existing：两个节点各自更新后的一句话主题，\
体现这一关联；keywords_update_new、keywords_update_existing：各自更新后的完整关键词列表。
""",
    "en": """A related one also has context_update_new and context_update_existing: the one-sentence topic of each \
node, rewritten to show the tie; keywords_update_new and keywords_update_existing: the full updated keywords of each.
""",
}
_EXAMPLE: dict[Phase, Wording] = {
    Phase.ORDERED: {
        "zh": """使用节点内容的语言。
示例：{"relations": [{"existing_node": "n1", "relationship": "conflict", "confidence": 0.95, "reasoning": "新节点说 \
CEO 是张三，n1 说是李四", "conflict_description": "CEO 是谁：张三 / 李四"}, {"existing_node": "n2", "relationship": \
"unrelated", "confidence": 0.9, "reasoning": "n2 讲的是天气"}]}
""",
        "en": """Write in the language of the nodes.
Example: {"relations": [{"existing_node": "n1", "relationship": "conflict", "confidence": 0.95, "reasoning": "The \
new node says that Ann is the CEO, n1 says Bob", "conflict_description": "Who is the CEO: Ann or Bob"}, \
{"existing_node": "n2", "relationship": "unrelated", "confidence": 0.9, "reasoning": "n2 is about the weather"}]}
""",
    },
    Phase.CONFLICT_OR_MERGE: {
        "zh": """使用节点内容的语言。
示例：{"relations": [{"existing_node": "n1", "relationship": "conflict", "confidence": 0.95, "reasoning": "新节点说 \
CEO 是张三，n1 说是李四", "conflict_description": "CEO 是谁：张三 / 李四"}]}
""",
        "en": """Write in the language of the nodes.
Example: {"relations": [{"existing_node": "n1", "relationship": "conflict", "confidence": 0.95, "reasoning": "The \
new node says that Ann is the CEO, n1 says Bob", "conflict_description": "Who is the CEO: Ann or Bob"}]}
""",
    },
    Phase.RELATED: {
        "zh": """使用节点内容的语言。
示例：{"relations": [{"existing_node": "n1", "relationship": "unrelated", "confidence": 0.9, "reasoning": "n1 \
讲的是天气，与量子芯片无关"}]}
""",
        "en": """Write in the language of the nodes.
Example: {"relations": [{"existing_node": "n1", "relationship": "unrelated", "confidence": 0.9, "reasoning": "n1 is \
about the weather, not about quantum chips"}]}
""",
    },
}


class RelationReply(Model):
    """How the new node stands to one existing node."""

    existing_node: Prose
    relationship: Literal["conflict", "merge", "related", "unrelated"]
    confidence: Confidence = 0.5
    reasoning: Prose = ""
    conflict_description: Prose = ""
    merge_strategy: Prose = ""
    context_update_new: Prose = ""
    context_update_existing: Prose = ""
    keywords_update_new: Words = ()
    keywords_update_existing: Words = ()


class AnalysisReply(Model):
    """How the new node stands to the existing ones."""

    relations: Annotated[tuple[RelationReply, ...], Field(max_length=MOST_ITEMS)]


class Analysis(Role[AnalysisRequest, AnalysisReply, AnalysisResponse]):
    """Judge the relations of a new node."""

    name = "analysis"
    defaults = Defaults(temperature=0.4, top_p=0.9)
    request = AnalysisRequest
    reply = AnalysisReply

    def tongue(self, request: AnalysisRequest) -> Tongue:
        """Speak the language of the new node."""
        return tongue_of(request.new_node.summary, *(node.summary for node in request.candidates))

    def prompt(self, request: AnalysisRequest, *, tongue: Tongue) -> Prompt:
        """Show the nodes under short names."""
        names = _aliases(request).names
        nodes = [node_block(node, name=name) for name, node in zip(names, request.candidates, strict=True)]
        parts = [
            block("task", request.task),
            group("candidates", nodes),
            group("new_node", [node_block(request.new_node, name=_NEW)]),
        ]
        return prompt(_instructions(request.phase, tongue), parts, tongue=tongue)

    def read(self, request: AnalysisRequest, reply: AnalysisReply) -> AnalysisResponse:
        """Give every candidate one relation: the first in order of those proposed, unrelated if there is none."""
        aliases = _aliases(request)
        found: dict[str, Relation] = {}
        for proposed in reply.relations:
            relation = _relation(aliases.real(proposed.existing_node), proposed, request.phase)
            known = found.get(relation.existing_node)
            if known is None or _rank(relation) < _rank(known):
                found[relation.existing_node] = relation
        missing = (
            Relation(existing_node=node.node_id, relationship=Relationship.UNRELATED, confidence=0)
            for node in request.candidates
            if node.node_id not in found
        )
        found |= {relation.existing_node: relation for relation in missing}
        return AnalysisResponse(relations=tuple(found[node.node_id] for node in request.candidates))

    async def offline(self, request: AnalysisRequest, toolbox: "Toolbox") -> AnalysisResponse:
        """Compare attributes, numbers, dates, negations and entities."""
        from remanent.language.offline.relations import analyse

        return await analyse(request, toolbox)


def _aliases(request: AnalysisRequest) -> Aliases:
    return Aliases([node.node_id for node in request.candidates])


def _instructions(phase: Phase, tongue: Tongue) -> str:
    early = phase is not Phase.RELATED
    late = phase is not Phase.CONFLICT_OR_MERGE
    parts = [
        _OPENING[tongue],
        _CONFLICT_AND_MERGE[tongue] if early else "",
        _RELATED[tongue] if late else "",
        _UNRELATED[tongue],
        _FIELDS[tongue],
        _CONFLICT_FIELDS[tongue] if early else "",
        _RELATED_FIELDS[tongue] if late else "",
        _EXAMPLE[phase][tongue],
    ]
    return "".join(parts)


def _rank(relation: Relation) -> int:
    return _ORDER.index(relation.relationship)


def _relation(node_id: str, proposed: RelationReply, phase: Phase) -> Relation:
    relationship = _within(Relationship(proposed.relationship), phase)
    reasoning = remark(proposed.reasoning)
    conflict = relationship is Relationship.CONFLICT
    related = relationship is Relationship.RELATED
    description = remark(proposed.conflict_description) or reasoning if conflict else ""
    if conflict and not description:
        raise Refused("a conflict needs a conflict_description that says what contradicts what")
    return Relation(
        existing_node=node_id,
        relationship=relationship,
        confidence=proposed.confidence,
        reasoning=reasoning,
        conflict_description=description,
        merge_strategy=remark(proposed.merge_strategy) if relationship is Relationship.MERGE else "",
        context_update_new=line(proposed.context_update_new, LONGEST_CONTEXT) if related else "",
        context_update_existing=line(proposed.context_update_existing, LONGEST_CONTEXT) if related else "",
        keywords_update_new=keywords(proposed.keywords_update_new) if related else (),
        keywords_update_existing=keywords(proposed.keywords_update_existing) if related else (),
    )


def _within(relationship: Relationship, phase: Phase) -> Relationship:
    """Return what a judgement counts for in a phase that did not ask for it."""
    if phase is Phase.CONFLICT_OR_MERGE and relationship is Relationship.RELATED:
        return Relationship.UNRELATED
    if phase is Phase.RELATED and relationship in {Relationship.CONFLICT, Relationship.MERGE}:
        # The first phase found neither, and two nodes that could be taken for either have a topic in common.
        return Relationship.RELATED
    return relationship
