"""Every operation, declared once: REST routes, tools for models, commands, clients and documents are made from here."""

from remanent.bilingual import Bilingual
from remanent.discipline.call import Report, Step
from remanent.discipline.operation import Body, Command, Face, Level, Operation, Tool, operation
from remanent.operations.access.keys import LOCAL, Permission, Principal, Reach, Target
from remanent.operations.call import ServiceCall
from remanent.operations.runs import Run, RunState
from remanent.operations.service import CATALOGUE, Catalogue, Service

__all__ = [
    "CATALOGUE",
    "LOCAL",
    "Bilingual",
    "Body",
    "Catalogue",
    "Command",
    "Face",
    "Level",
    "Operation",
    "Permission",
    "Principal",
    "Reach",
    "Report",
    "Run",
    "RunState",
    "Service",
    "ServiceCall",
    "Step",
    "Target",
    "Tool",
    "operation",
]
