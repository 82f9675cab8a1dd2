"""Every operation, declared once: REST routes, tools for models, commands, clients and documents are made from here."""

from remanent.discipline.call import Report, Step
from remanent.discipline.operation import Body, Command, Face, Level, Operation, Said, Tool, operation
from remanent.operations.access.keys import LOCAL, Permission, Place, Principal, Reach
from remanent.operations.call import Call
from remanent.operations.runs import Run, RunState
from remanent.operations.service import CATALOGUE, Catalogue, Service

__all__ = [
    "CATALOGUE",
    "LOCAL",
    "Body",
    "Call",
    "Catalogue",
    "Command",
    "Face",
    "Level",
    "Operation",
    "Permission",
    "Place",
    "Principal",
    "Reach",
    "Report",
    "Run",
    "RunState",
    "Said",
    "Service",
    "Step",
    "Tool",
    "operation",
]
