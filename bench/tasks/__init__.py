"""Generated long tasks with known answers: research, long documents, long dialogues, in Chinese and English."""

from bench.tasks.generator import Passage, TaskCase, TaskKind, task_cases

__all__ = ["Passage", "TaskCase", "TaskKind", "task_cases"]
