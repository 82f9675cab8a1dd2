"""For every role a request and a reply that a good model would give to it."""

from typing import Any

from tests.language.roles.cases import CASES

GOOD: dict[str, tuple[str, Any]] = {
    "classification": (
        "classification.en",
        {
            "should_cluster": True,
            "clusters": [
                {"passages": [1, 2, 4], "context": "IBM's quantum chip", "keywords": ["IBM", "Condor", "qubit"]},
                {"passages": [3], "context": "The weather in Leeds", "keywords": ["rain", "Leeds"]},
            ],
        },
    ),
    "structure": (
        "structure.zh",
        {
            "facts": ["IBM 在 2023 年发布了 Condor 芯片", "Condor 有 1121 个量子比特"],
            "evidence": ["它有 1121 个量子比特"],
            "reasoning": "",
        },
    ),
    "analysis": (
        "analysis.zh",
        {
            "relations": [
                {
                    "existing_node": "n1",
                    "relationship": "conflict",
                    "confidence": 0.95,
                    "reasoning": "新节点说 1121，n1 说 433",
                    "conflict_description": "Condor 的量子比特数：1121 / 433",
                },
                {"existing_node": "n2", "relationship": "unrelated", "confidence": 0.9, "reasoning": "天气"},
            ]
        },
    ),
    "integration": (
        "integration.conflict.en",
        {
            "outcome": "integrated",
            "summary": "Condor has 1,121 qubits; 433 was Osprey.",
            "context": "The size of IBM's Condor",
            "keywords": ["IBM", "Condor"],
            "upheld": ["n1"],
            "neighbor_updates": [{"node": "b1", "context": "Error correction on Condor", "keywords": ["Condor"]}],
            "interaction_tree_description": "IBM's own site settles the number.",
        },
    ),
    "planning": (
        "planning.zh",
        {
            "finished": {"status": "failed", "context": "没有找到 Google 芯片的数字。"},
            "current_task": {"type": "CROSS_VALIDATE", "description": "查 IBM 官网核实 1121 与 433", "conflict": "c1"},
        },
    ),
    "react": (
        "react.en",
        '<think>Search first.</think>\n<tool_call>{"name": "search", "arguments": {"query": "Condor"}}</tool_call>',
    ),
    "segmentation": (
        "segmentation.en",
        {
            "segments": [
                {"text": "The user's sister Lily moved to Leeds last Saturday", "sources": [1]},
                {"text": "Lily kept her job", "sources": [2]},
                {"text": "The user wants Lily's address updated by Friday", "sources": [3, 4]},
            ],
            "skipped": [],
        },
    ),
    "annotation": (
        "annotation.compress.zh",
        {"content": "小丽搬到杭州。", "phrase": "小丽上周六搬到杭州居住", "keywords": ["小丽", "杭州", "搬家"]},
    ),
    "relation_naming": ("relation_naming.zh", {"relations": [{"focus": "f1", "relation": "涉及"}]}),
    "extraction": (
        "extraction.zh",
        {
            "facts": [
                {
                    "kind": "preference",
                    "content": "用户希望回答短一点",
                    "reason": "",
                    "importance": 0.8,
                    "confirmed": True,
                    "sources": [4],
                }
            ]
        },
    ),
    "summary": (
        "summary.session.zh",
        {
            "summary": "用户说妹妹小丽搬到了杭州。",
            "decisions": [],
            "todos": ["周五之前更新小丽的地址"],
            "agreements": ["回答短一点"],
        },
    ),
    "intent": ("intent.en", {"intent": "bug_fix", "confidence": 0.9, "target_agent": None}),
    "rewriting": ("rewriting.zh", {"queries": ["更新小丽的地址", "update address"]}),
    "hyde": ("hyde.en", "An index on the columns of the condition lets the database skip most rows."),
    "reranking": ("reranking.en", {"scores": [{"passage": 1, "score": 3}, {"passage": 2, "score": 10}]}),
    "answering": ("answering.en", {"sentences": [{"text": "The filter is cleaned every month.", "passages": [2]}]}),
}

WRONG: dict[str, Any] = {
    "classification": {"clusters": [{"passages": [77]}]},
    "analysis": {"relations": [{"existing_node": "n77", "relationship": "related"}]},
    "relation_naming": {"relations": [{"focus": "f77", "relation": "涉及"}]},
    "reranking": {"scores": [{"passage": 77, "score": 3}]},
    "answering": {"sentences": [{"text": "x", "passages": [77]}]},
}
"""For every role that can do nothing without names or numbers, a reply that names only one that it did not show."""


def request_of(role: str) -> Any:
    return CASES[GOOD[role][0]]
