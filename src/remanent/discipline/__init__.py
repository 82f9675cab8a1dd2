"""The joint that ways of remembering fit in: what a discipline declares, and the parts it is built from."""

from remanent.bilingual import Bilingual
from remanent.discipline.call import AnyAgent, AnyMemory, Call, Report, Step
from remanent.discipline.journal import Append, Journal
from remanent.discipline.operation import Body, Command, Face, Level, MemoryAct, Operation, Tool, operation
from remanent.discipline.parts import Parts
from remanent.discipline.permission import Permission
from remanent.discipline.port import Discipline, OpenDiscipline
from remanent.discipline.registry import Disciplines, chosen, registered

__all__ = [
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
    "Report",
    "Step",
    "Tool",
    "chosen",
    "operation",
    "registered",
]
