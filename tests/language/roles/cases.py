"""Requests that the tests of all roles share: at least one in Chinese and one in English for each role and variant."""

from datetime import UTC, datetime
from typing import Any

from remanent.language.role import Role
from remanent.language.roles import all_roles
from remanent.language.roles.analysis import AnalysisPhase, AnalysisRequest
from remanent.language.roles.annotation import AnnotationRequest, RelationNamingRequest
from remanent.language.roles.answering import AnsweringRequest, PassageToRank, RerankingRequest, SourcePassage
from remanent.language.roles.classification import ClassificationRequest
from remanent.language.roles.extraction import ExtractionRequest, FactKind
from remanent.language.roles.integration import IntegrationRequest, Trigger
from remanent.language.roles.next_step import (
    CompletedTask,
    FinishedTask,
    PendingConflict,
    PendingUpload,
    PlanningRequest,
    TaskStatus,
    TaskType,
)
from remanent.language.roles.queries import HydeRequest, IntentRequest, RewritingRequest
from remanent.language.roles.react import ReactRequest, ToolDefinition, ToolResult, Turn, Urgency
from remanent.language.roles.segmentation import SegmentationRequest
from remanent.language.roles.summary import StructureRequest, SummaryLevel, SummaryRequest
from remanent.language.shapes import GraphNode, Neighbour, Utterance
from remanent.model import Model

MORNING = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
EVENING = datetime(2026, 3, 2, 19, 5, tzinfo=UTC)

CHAT_ZH = (
    Utterance(speaker="user", text="早上好！", occurred_at=MORNING),
    Utterance(speaker="user", text="我妹妹小丽上周六搬到了杭州。她没有换工作。", occurred_at=MORNING),
    Utterance(speaker="assistant", text="记下了，她的地址要更新吗？", occurred_at=EVENING),
    Utterance(speaker="user", text="要，周五之前改好。以后回答短一点，请记住。", occurred_at=EVENING),
)
CHAT_EN = (
    Utterance(speaker="user", text="Good morning!", occurred_at=MORNING),
    Utterance(
        speaker="user", text="My sister Lily moved to Leeds last Saturday. She kept her job.", occurred_at=MORNING
    ),
    Utterance(speaker="assistant", text="Noted. Shall I update her address?", occurred_at=EVENING),
    Utterance(speaker="user", text="Yes, by Friday. And keep your answers short, remember that.", occurred_at=EVENING),
)
NODE_ZH = GraphNode(
    node_id="018f-zh-new",
    summary="IBM 的 Condor 芯片有 1121 个量子比特。",
    context="IBM 量子芯片",
    keywords=("IBM", "量子芯片"),
    timestamp=EVENING,
)
OTHERS_ZH = (
    GraphNode(
        node_id="018f-zh-a",
        summary="IBM 的 Condor 芯片有 433 个量子比特。",
        context="IBM 芯片规模",
        keywords=("IBM",),
        timestamp=MORNING,
    ),
    GraphNode(node_id="018f-zh-b", summary="杭州三月多雨。", context="杭州天气", keywords=("天气",)),
)
NODE_EN = GraphNode(
    node_id="018f-en-new",
    summary="IBM's Condor chip has 1,121 qubits.",
    context="IBM's quantum chip",
    keywords=("IBM", "quantum chip"),
    timestamp=EVENING,
)
OTHERS_EN = (
    GraphNode(
        node_id="018f-en-a",
        summary="IBM's Condor chip has 433 qubits.",
        context="The size of IBM's chip",
        keywords=("IBM",),
        timestamp=MORNING,
    ),
    GraphNode(
        node_id="018f-en-b", summary="It rains a lot in Leeds.", context="Weather in Leeds", keywords=("weather",)
    ),
)
TOOLS = (
    ToolDefinition(
        name="search",
        description="Search the web <b>now</b>.",
        parameters={"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    ),
    ToolDefinition(name="clock", description="Tell the time."),
)
TEXT_ZH = (
    "# 量子计算\n\nIBM 在 2023 年发布了 Condor 芯片。\n\n它有 1121 个量子比特。\n\n杭州三月多雨。\n\n谁的芯片最大？"
)
TEXT_EN = (
    "# Quantum computing\n\nIBM presented the Condor chip in 2023.\n\nIt has 1,121 qubits.\n\n"
    "It rains a lot in Leeds.\n\nWhose chip is the largest?"
)

CASES: dict[str, Model] = {
    "classification.zh": ClassificationRequest(text=TEXT_ZH, task="比较量子芯片"),
    "classification.en": ClassificationRequest(text=TEXT_EN, task="Compare quantum chips"),
    "classification.question.zh": ClassificationRequest(text=TEXT_ZH, find_question=True),
    "classification.question.en": ClassificationRequest(text=TEXT_EN, find_question=True),
    "structure.zh": StructureRequest(
        content=TEXT_ZH, context="量子芯片", keywords=("IBM", "Condor"), task="比较量子芯片"
    ),
    "structure.en": StructureRequest(content=TEXT_EN, context="Quantum chips", keywords=("IBM", "Condor")),
    "analysis.zh": AnalysisRequest(new_node=NODE_ZH, candidates=OTHERS_ZH, task="比较量子芯片"),
    "analysis.en": AnalysisRequest(new_node=NODE_EN, candidates=OTHERS_EN),
    "analysis.first.zh": AnalysisRequest(new_node=NODE_ZH, candidates=OTHERS_ZH, phase=AnalysisPhase.CONFLICT_OR_MERGE),
    "analysis.first.en": AnalysisRequest(new_node=NODE_EN, candidates=OTHERS_EN, phase=AnalysisPhase.CONFLICT_OR_MERGE),
    "analysis.second.zh": AnalysisRequest(new_node=NODE_ZH, candidates=OTHERS_ZH, phase=AnalysisPhase.RELATED),
    "analysis.second.en": AnalysisRequest(new_node=NODE_EN, candidates=OTHERS_EN, phase=AnalysisPhase.RELATED),
    "integration.merge.zh": IntegrationRequest(
        nodes=(NODE_ZH, OTHERS_ZH[0]),
        neighbours=(Neighbour(node_id="018f-zh-c", context="量子纠错", keywords=("纠错",)),),
        description="保留较新的数字",
    ),
    "integration.merge.en": IntegrationRequest(nodes=(NODE_EN, OTHERS_EN[0]), description="Keep the newer figure"),
    "integration.conflict.zh": IntegrationRequest(
        nodes=(NODE_ZH, OTHERS_ZH[0]),
        trigger=Trigger.CONFLICT,
        description="量子比特数：1121 / 433",
        validation="IBM 官网：Condor 有 1121 个量子比特，433 是 Osprey。",
    ),
    "integration.conflict.en": IntegrationRequest(
        nodes=(NODE_EN, OTHERS_EN[0]),
        neighbours=(Neighbour(node_id="018f-en-c", context="Error correction", keywords=("correction",)),),
        trigger=Trigger.CONFLICT,
        description="Number of qubits: 1,121 or 433",
        validation="IBM's site: Condor has 1,121 qubits; 433 is Osprey.",
    ),
    "planning.zh": PlanningRequest(
        goal="哪家公司的量子芯片最大？",
        completed=(
            CompletedTask(
                type=TaskType.NORMAL,
                description="搜索 IBM 的芯片",
                status=TaskStatus.SUCCESS,
                context="Condor 有 1121 个量子比特。",
            ),
        ),
        finished=FinishedTask(description="搜索 Google 的芯片", result="没有找到数字。", failed=True),
        new_nodes=(NODE_ZH,),
        conflicts=(PendingConflict(conflict_id="018f-c", node_ids=("a", "b"), description="1121 还是 433"),),
        notices=("节点甲与节点乙已合并",),
        uploads=(PendingUpload(upload_id="018f-u", name="芯片.png", media_type="image/png"),),
    ),
    "planning.en": PlanningRequest(
        goal="Whose quantum chip is the largest?",
        finished=FinishedTask(description="Search for Google's chip", result="Willow has 105 qubits."),
        new_nodes=(NODE_EN,),
    ),
    "react.zh": ReactRequest(task="<task>\n目标：谁的芯片最大？\n</task>", tools=TOOLS),
    "react.en": ReactRequest(
        task="<task>\nGoal: whose chip is the largest?\n</task>",
        tools=TOOLS,
        turns=(
            Turn(
                said='<think>Look it up.</think>\n<tool_call>{"name": "search", "arguments": {}}</tool_call>',
                results=(
                    ToolResult(name="search", content="Condor: 1,121 qubits"),
                    ToolResult(name="clock", content="no clock", failed=True),
                ),
            ),
            Turn(said="I think that it is Condor."),
        ),
        urgency=Urgency.SOON,
    ),
    "react.now.zh": ReactRequest(task="谁的芯片最大？", urgency=Urgency.NOW),
    "react.now.en": ReactRequest(task="Whose chip is the largest?", urgency=Urgency.NOW),
    "segmentation.zh": SegmentationRequest(utterances=CHAT_ZH[1:], earlier=CHAT_ZH[:1]),
    "segmentation.en": SegmentationRequest(utterances=CHAT_EN[1:], earlier=CHAT_EN[:1]),
    "annotation.zh": AnnotationRequest(text="小丽上周六搬到了杭州，没有换工作。"),
    "annotation.en": AnnotationRequest(text="Lily moved to Leeds last Saturday and kept her job."),
    "annotation.compress.zh": AnnotationRequest(text="小丽上周六搬到了杭州，没有换工作。", target_length=12),
    "annotation.compress.en": AnnotationRequest(
        text="Lily moved to Leeds last Saturday and kept her job.", target_length=30
    ),
    "relation_naming.zh": RelationNamingRequest(node="小丽搬到了杭州", focuses=("小丽的工作", "杭州的天气")),
    "relation_naming.en": RelationNamingRequest(node="Lily moved to Leeds", focuses=("Lily's job", "Weather in Leeds")),
    "extraction.zh": ExtractionRequest(utterances=CHAT_ZH),
    "extraction.en": ExtractionRequest(utterances=CHAT_EN),
    "extraction.facts.zh": ExtractionRequest(
        utterances=CHAT_ZH, kinds=(FactKind.FACT, FactKind.REQUEST, FactKind.COMPLETION), limit=8
    ),
    "extraction.facts.en": ExtractionRequest(
        utterances=CHAT_EN, kinds=(FactKind.FACT, FactKind.REQUEST, FactKind.COMPLETION), limit=8
    ),
    "summary.segment.zh": SummaryRequest(utterances=CHAT_ZH),
    "summary.segment.en": SummaryRequest(utterances=CHAT_EN),
    "summary.session.zh": SummaryRequest(
        level=SummaryLevel.SESSION, earlier=("[摘要] 用户介绍了家人。",), utterances=CHAT_ZH
    ),
    "summary.session.en": SummaryRequest(
        level=SummaryLevel.SESSION, earlier=("[summary] The user spoke of the family.",), utterances=CHAT_EN
    ),
    "summary.compaction.zh": SummaryRequest(level=SummaryLevel.COMPACTION, utterances=CHAT_ZH),
    "summary.compaction.en": SummaryRequest(level=SummaryLevel.COMPACTION, utterances=CHAT_EN, max_tokens=120),
    "intent.zh": IntentRequest(message="登录页报错了，帮我修一下", earlier=CHAT_ZH[2:], agents=("前端", "测试")),
    "intent.en": IntentRequest(message="The login page fails, fix it", earlier=CHAT_EN[2:], agents=("frontend", "qa")),
    "rewriting.zh": RewritingRequest(query="她的地址怎么改", earlier=CHAT_ZH[3:]),
    "rewriting.en": RewritingRequest(query="how do I change her address", count=2),
    "hyde.zh": HydeRequest(question="如何优化数据库查询性能？"),
    "hyde.en": HydeRequest(question="How are database queries made faster?"),
    "reranking.zh": RerankingRequest(
        query="小丽住在哪里？",
        passages=(
            PassageToRank(passage_id="018f-p", text="杭州多雨。"),
            PassageToRank(passage_id="018f-q", text="小丽搬到了杭州。"),
        ),
    ),
    "reranking.en": RerankingRequest(
        query="Where does Lily live?",
        passages=(
            PassageToRank(passage_id="018f-p", text="It rains in Leeds."),
            PassageToRank(passage_id="018f-q", text="Lily moved to Leeds."),
        ),
    ),
    "answering.zh": AnsweringRequest(
        question="滤网多久清洗一次？",
        passages=(
            SourcePassage(title="水泵手册", text="水泵把水送到花园。"),
            SourcePassage(title="水泵手册", text="滤网每月清洗一次。"),
        ),
    ),
    "answering.en": AnsweringRequest(
        question="How often is the filter cleaned?",
        passages=(
            SourcePassage(title="Pump", text="The pump moves water."),
            SourcePassage(title="Pump", text="The filter is cleaned every month."),
        ),
    ),
}
"""By name: the role, the variant if it has any, the language."""


def role_of(case: str) -> Role[Any, Any, Any]:
    """Return the role that a case is of."""
    return all_roles()[case.partition(".")[0]]
