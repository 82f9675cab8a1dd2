"""How ways of remembering plug in: what a discipline declares, and the parts it is built from."""

from remanent.bilingual import Bilingual
from remanent.context import SessionEnd
from remanent.discipline.journal import Append, Journal
from remanent.discipline.operation import Body, Command, Face, Level, MemoryAct, Operation, Permission, Tool, operation
from remanent.discipline.port import (
    Along,
    AnyAgent,
    AnyMemory,
    Call,
    Discipline,
    OpenDiscipline,
    Parts,
    ProgressStep,
    Report,
)
from remanent.discipline.registry import Disciplines, chosen, registered

__all__ = [
    "Along",
    "AnyAgent",
    "AnyMemory",
    "Append",
    "Bilingual",
    "Body",
    "Call",
    "Command",
    "Discipline",
    "Disciplines",
    "Face",
    "Journal",
    "Level",
    "MemoryAct",
    "OpenDiscipline",
    "Operation",
    "Parts",
    "Permission",
    "ProgressStep",
    "Report",
    "SessionEnd",
    "Tool",
    "chosen",
    "operation",
    "registered",
]
