"""The prompt of a step: the whole Insight Doc, what memory holds on it, and the pictures that wait to be recognised."""

from collections.abc import Sequence

from remanent.bank.attachments import Upload
from remanent.bank.graph import RetrievedNode
from remanent.bank.insight import InsightDoc
from remanent.bank.node import QueryNode
from remanent.language.roles.planning import PlannedTask, TaskType
from remanent.language.roles.react import Image, ToolDefinition
from remanent.language.tongue import Tongue
from remanent.language.wording import Wording, abridged, block, group
from remanent.model import Conflict, Model
from remanent.model.base import Text
from remanent.model.clock import to_text
from remanent.text.budget import fill
from remanent.text.tokens import ESTIMATE

MEMORY_TOKENS = 24_000
"""Tokens that memory may take in a prompt; what matters less is left out first."""

_LONGEST_UPLOAD = 20_000
_NORMAL: Wording = {
    "zh": "请只执行上面的当前任务，依据已有记忆和工具结果作答。摘要不够详细时，用 deep_retrieval 读取节点原文。",
    "en": "Do the current task above and nothing else, from memory and the results of tools. Where a summary is not "
    "enough, read the words behind its node with deep_retrieval.",
}
_VALIDATE: Wording = {
    "zh": "这是交叉验证：上面的说法互相矛盾。请查阅多个来源，比较其可靠性与时间，"
    "明确写出哪一种说法正确、依据是什么；如果都不正确或无法判断，也请如实说明。",
    "en": "This is a cross-validation: the claims above contradict each other. Look at several sources, compare how "
    "reliable and how recent they are, and say plainly which claim is right and why; if none is, or it cannot be "
    "told, say so.",
}
_RECOGNISE: Wording = {
    "zh": "请识别上面列出的上传内容（图片附在后面），详细描述其中的文字、数字、图表与含义，并写出文件名。",
    "en": "Recognise the uploads listed above (pictures follow): describe the writing, numbers, charts and what they "
    "mean in detail, and name the file.",
}
_NOTHING: Wording = {"zh": "（没有相关记忆）", "en": "(nothing is known yet)"}
_UNRESOLVED: Wording = {"zh": "存在未解决的矛盾", "en": "contradicted, not settled"}
_PROVISIONAL: Wording = {"zh": "待验证", "en": "waits for validation"}


class EnhancedPrompt(Model):
    """What a framework is given for one step; stored text in it cannot leave its tag."""

    insight: InsightDoc
    nodes: tuple[RetrievedNode, ...] = ()
    """What memory holds on the step, newest first, as far as there is room."""
    task: Text
    """`<task>` with the whole Insight Doc."""
    memory: Text
    """`<memory>` with the nodes' summary, context and keywords."""
    matter: Text = ""
    """`<conflict>` or `<uploads>`, when the step is about one."""
    instruction: Text = ""
    uploads: tuple[Upload, ...] = ()
    """What is to be recognised in this step."""
    images: tuple[Image, ...] = ()
    """The pictures among the uploads, in their order."""
    tools: tuple[ToolDefinition, ...] = ()
    """The tools that memory itself offers, as JSON schemas."""

    @property
    def text(self) -> str:
        """The prompt as one text."""
        return "\n".join(part for part in (self.task, self.memory, self.matter, self.instruction) if part)


def task_block(insight: InsightDoc) -> str:
    """Return the Insight Doc in its tag."""
    return block("task", tidy_insight(insight).render())


def tidy_insight(insight: InsightDoc) -> InsightDoc:
    """Return the Insight Doc with each of its values on one line, so that none can pass for another."""
    return insight.replace(
        goal=_one_line(insight.goal),
        completed=tuple(
            task.replace(description=_one_line(task.description), context=_one_line(task.context))
            for task in insight.completed
        ),
        current=insight.current.replace(description=_one_line(insight.current.description))
        if insight.current
        else None,
    )


def memory_block(nodes: Sequence[RetrievedNode], *, tongue: Tongue) -> tuple[tuple[RetrievedNode, ...], str]:
    """Return the nodes that there is room for and their text: candidates first, best first, then their neighbours."""
    worth = sorted(nodes, key=lambda item: (not item.is_candidate, -item.score))
    blocks = {item.node.id: _node_block(item, tongue=tongue) for item in worth}
    filling = fill(list(blocks.values()), MEMORY_TOKENS, separator="\n", counter=ESTIMATE)
    kept = {worth[place].node.id for place in filling.kept}
    shown = tuple(item for item in nodes if item.node.id in kept)
    text = group("memory", [blocks[item.node.id] for item in shown])
    return shown, text or block("memory", _NOTHING[tongue])


def conflict_block(conflict: Conflict) -> str:
    """Return the claims of a conflict, each under the id of its node."""
    claims = [block("claim", claim.text, node=claim.record_id) for claim in conflict.claims]
    return group("conflict", [block("description", conflict.description), *claims], id=conflict.id)


def uploads_block(uploads: Sequence[tuple[Upload, str]]) -> str:
    """Return the list of uploads, each with its words if it has any that need no eyes."""
    return group(
        "uploads",
        [
            block("upload", abridged(words or upload.name, _LONGEST_UPLOAD), id=upload.upload_id, name=upload.name)
            for upload, words in uploads
        ],
    )


def instruction_for(task: PlannedTask | None, *, tongue: Tongue) -> str:
    """Return what is asked of a framework in a step."""
    if task is not None and task.type is TaskType.CROSS_VALIDATE:
        return _VALIDATE[tongue]
    return _RECOGNISE[tongue] if task is not None and task.upload_ids else _NORMAL[tongue]


def _node_block(item: RetrievedNode, *, tongue: Tongue) -> str:
    node = item.node
    parts = [
        block("context", node.context),
        block("keywords", ", ".join(node.keywords)),
        block("summary", node.summary),
    ]
    return group("node", parts, id=node.id, time=to_text(node.timestamp), **_standing(node, tongue))


def _standing(node: QueryNode, tongue: Tongue) -> dict[str, str]:
    if node.unresolved:
        return {"status": _UNRESOLVED[tongue]}
    return {"status": _PROVISIONAL[tongue]} if node.provisional else {}


def _one_line(text: str) -> str:
    return " ".join(text.split())
