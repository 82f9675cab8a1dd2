"""Integration: a model writes one node out of several, or says that the validation settles nothing."""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BeforeValidator, Field

from remanent.errors import Refused
from remanent.language.aliases import Aliases
from remanent.language.exchanges.integration import (
    IntegrationRequest,
    IntegrationResponse,
    NeighbourUpdate,
    Outcome,
    Trigger,
)
from remanent.language.exchanges.shapes import LONGEST_CONTEXT, LONGEST_SUMMARY
from remanent.language.replies import MOST_ITEMS, Prose, Words
from remanent.language.role import Defaults, Prompt, Role
from remanent.language.tidying import keywords, line, remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, abridged, block, group, node_block, prompt
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_VALIDATION = 20_000
_MERGE: Wording = {
    "zh": """
你负责把几个讲同一件事的记忆节点（<nodes>）合并成一个新节点。
规则：
1. 各节点独有的内容都要保留，重复的只写一次；数字、日期、名称、否定照原文。
2. 说法有先后时，以时间较新的为准，并注明旧的说法。
3. 不添加节点里没有的内容。
4. 如果它们其实互相矛盾、无法合并，outcome 写 "unresolved"。
""",
    "en": """
You merge memory nodes (<nodes>) that tell the same thing into one new node.
Rules:
1. Keep what each node adds; write what they share once; keep numbers, dates, names and negations as they are.
2. Where a later node updates an earlier one, the later counts; mention the earlier.
3. Add nothing that is not in the nodes.
4. If they contradict each other after all, outcome is "unresolved".
""",
}
_CONFLICT: Wording = {
    "zh": """
你负责解决记忆节点（<nodes>）之间的冲突（<description>），依据是交叉验证的结果（<validation>）。
规则：
1. 验证结果是唯一权威：它肯定的写入新节点，它否定的不再作为事实，可注明“曾被认为……，经验证有误”。
2. 冲突以外的内容，各节点独有的都要保留；有新旧之分时以时间较新的为准。
3. 验证没有明确结论，或者把各方都否定而没有给出正确答案时，outcome 写 "unresolved"，不要替它下结论。
4. 不添加节点和验证结果里没有的内容。
""",
    "en": """
You resolve a conflict (<description>) between memory nodes (<nodes>) by the result of its cross-validation \
(<validation>).
Rules:
1. The validation is the only authority: what it confirms goes into the new node; what it refutes is no fact any \
more, though you may note that it was once believed.
2. Beyond the conflict, keep what each node adds; where there is older and newer, the newer counts.
3. If the validation reaches no clear conclusion, or refutes every side without giving the right answer, outcome is \
"unresolved"; do not decide in its place.
4. Add nothing that is in neither the nodes nor the validation.
""",
}
_FIELDS: Wording = {
    "zh": """字段：
outcome："integrated" 或 "unresolved"。
summary：新节点的结构化详细摘要，含要点和证据。context：一句话主题。keywords：3 到 8 个关键词。
upheld：被验证肯定的节点编号列表，如 ["n1"]；没有则为 []。
neighbor_updates：列表，只列主题表述需要随之改变的邻居（<neighbours>），每项含 node（编号，如 "b1"）、context、\
keywords（完整列表）；没有则为 []。
interaction_tree_description：一到两句话，说明合并了什么、依据是什么；unresolved 时说明为何没有结论。
outcome 为 "unresolved" 时，只写 outcome 和 interaction_tree_description。使用节点内容的语言。
""",
    "en": """Fields:
outcome: "integrated" or "unresolved".
summary: the new node's structured, detailed summary with key facts and evidence. context: its topic in one \
sentence. keywords: 3 to 8 words.
upheld: list of the nodes that the validation confirms, as ["n1"]; [] if none.
neighbor_updates: a list of only those neighbours (<neighbours>) whose topic must now be worded differently; each \
has node (its id, as "b1"), context, keywords (the full list); [] if none.
interaction_tree_description: one or two sentences: what was integrated and on what grounds; for unresolved, why \
there is no conclusion.
With "unresolved", write only outcome and interaction_tree_description. Write in the language of the nodes.
""",
}


def _listed(value: object) -> object:
    """Read {"b1": {…}} as a list of updates that name their node."""
    if isinstance(value, dict) and all(isinstance(part, dict) for part in value.values()):
        return [{"node": name, **part} for name, part in value.items()]
    return value


class NeighbourReply(Model):
    """A neighbour's topic as it is to be worded now."""

    node: Prose
    context: Prose = ""
    keywords: Words = ()


class IntegrationReply(Model):
    """The new node, or that there is none."""

    outcome: Literal["integrated", "unresolved"]
    summary: Prose = ""
    context: Prose = ""
    keywords: Words = ()
    upheld: Words = ()
    neighbor_updates: Annotated[tuple[NeighbourReply, ...], BeforeValidator(_listed), Field(max_length=MOST_ITEMS)] = ()
    interaction_tree_description: Prose = ""


class Integration(Role[IntegrationRequest, IntegrationReply, IntegrationResponse]):
    """Make one node of several."""

    name = "integration"
    defaults = Defaults(temperature=0.2, top_p=0.85)
    request = IntegrationRequest
    reply = IntegrationReply

    def tongue(self, request: IntegrationRequest) -> Tongue:
        """Speak the language of the nodes."""
        return tongue_of(*(node.summary for node in request.nodes))

    def prompt(self, request: IntegrationRequest, *, tongue: Tongue) -> Prompt:
        """Show the nodes, those around them, and the validation."""
        rules = _CONFLICT if request.trigger is Trigger.CONFLICT else _MERGE
        nodes, neighbours = _aliases(request)
        around = [
            group("node", [block("context", near.context), block("keywords", ", ".join(near.keywords))], id=name)
            for name, near in zip(neighbours.names, request.neighbours, strict=True)
        ]
        parts = [
            group("neighbours", around),
            group("nodes", [node_block(node, name=n) for n, node in zip(nodes.names, request.nodes, strict=True)]),
            block("description", request.description),
            block("validation", abridged(request.validation, _LONGEST_VALIDATION)),
        ]
        return prompt(rules[tongue] + _FIELDS[tongue], parts, tongue=tongue)

    def read(self, request: IntegrationRequest, reply: IntegrationReply) -> IntegrationResponse:
        """Check that only what was shown is touched, and that an integrated node says something."""
        upheld, updates = _upheld(request, reply), _updates(request, reply)
        description = remark(reply.interaction_tree_description)
        if reply.outcome == "unresolved":
            fallback = remark(request.validation) or remark(request.description)
            return IntegrationResponse(outcome=Outcome.UNRESOLVED, interaction_tree_description=description or fallback)
        summary = remark(reply.summary, LONGEST_SUMMARY)
        if not summary:
            raise Refused('an integrated node needs a summary; if nothing can be concluded, outcome is "unresolved"')
        return IntegrationResponse(
            outcome=Outcome.INTEGRATED,
            summary=summary,
            context=line(reply.context, LONGEST_CONTEXT) or line(summary, 100),
            keywords=keywords(reply.keywords) or _all_keywords(request),
            neighbour_updates=updates,
            interaction_tree_description=description or line(reply.context, LONGEST_CONTEXT) or line(summary, 200),
            upheld=upheld,
        )

    async def offline(self, request: IntegrationRequest, toolbox: "Toolbox") -> IntegrationResponse:
        """Join the facts of the nodes; let the validation decide between those that contradict each other."""
        from remanent.language.offline.integrating import integrate

        return await integrate(request, toolbox)


def _aliases(request: IntegrationRequest) -> tuple[Aliases, Aliases]:
    """Return the names of the nodes and of their neighbours."""
    nodes = Aliases([node.node_id for node in request.nodes])
    return nodes, Aliases([near.node_id for near in request.neighbours], prefix="b")


def _upheld(request: IntegrationRequest, reply: IntegrationReply) -> tuple[str, ...]:
    aliases, _ = _aliases(request)
    named = tuple(dict.fromkeys(aliases.real(name) for name in reply.upheld))
    return named if request.trigger is Trigger.CONFLICT else ()


def _updates(request: IntegrationRequest, reply: IntegrationReply) -> tuple[NeighbourUpdate, ...]:
    """Return the updates of the neighbours that were shown; what an update leaves blank stays as it is."""
    _, aliases = _aliases(request)
    known = {near.node_id: near for near in request.neighbours}
    updates: dict[str, NeighbourUpdate] = {}
    for proposed in reply.neighbor_updates:
        near = known[aliases.real(proposed.node)]
        context = line(proposed.context, LONGEST_CONTEXT) or near.context
        words = keywords(proposed.keywords) or near.keywords
        if (context, words) != (near.context, near.keywords):
            updates.setdefault(near.node_id, NeighbourUpdate(node_id=near.node_id, context=context, keywords=words))
    return tuple(updates.values())


def _all_keywords(request: IntegrationRequest) -> tuple[str, ...]:
    return keywords(word for node in request.nodes for word in node.keywords)
