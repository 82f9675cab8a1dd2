"""The Agentic Memory Bank: the memory of one long task, which cross-checks what it learns."""

from typing import TYPE_CHECKING

from remanent.late import exports

if TYPE_CHECKING:
    from remanent.agents.deep_retrieval import TreeEntry
    from remanent.bank.bank import MemoryBank, Observed, open_bank
    from remanent.bank.graph import BankFound, QueryGraph, RetrievedNode
    from remanent.bank.ledger import InteractionTree
    from remanent.bank.node import QueryNode
    from remanent.bank.planning import InsightDoc
    from remanent.bank.runtime import BankEvent, EventKind, EventListener
else:
    __getattr__ = exports(
        __name__,
        bank="MemoryBank Observed open_bank",
        graph="QueryGraph BankFound RetrievedNode",
        ledger="InteractionTree TreeEntry",
        node="QueryNode",
        planning="InsightDoc",
        runtime="BankEvent EventKind EventListener",
    )

__all__ = [
    "BankEvent",
    "BankFound",
    "EventKind",
    "EventListener",
    "InsightDoc",
    "InteractionTree",
    "MemoryBank",
    "Observed",
    "QueryGraph",
    "QueryNode",
    "RetrievedNode",
    "TreeEntry",
    "open_bank",
]
