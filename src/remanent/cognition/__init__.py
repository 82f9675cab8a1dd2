"""Tiered cognition: what is said becomes facts, preferences, episodes and procedures, with source and history."""

from typing import TYPE_CHECKING

from remanent.late import exports

if TYPE_CHECKING:
    from remanent.cognition.discipline import TieredCognition
    from remanent.cognition.face import AsyncCognition
    from remanent.cognition.model import INSTRUCTION, Briefing, CleanReport, MemoryHealth, Why
else:
    __getattr__ = exports(
        __name__,
        discipline="TieredCognition",
        face="AsyncCognition",
        model="INSTRUCTION Briefing CleanReport MemoryHealth Why",
    )

__all__ = ["INSTRUCTION", "AsyncCognition", "Briefing", "CleanReport", "MemoryHealth", "TieredCognition", "Why"]
