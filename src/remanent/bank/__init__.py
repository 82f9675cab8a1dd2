"""The Agentic Memory Bank: the memory of one long task, which cross-checks what it learns."""
