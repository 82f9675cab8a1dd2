"""Every operation, declared once: REST routes, tools for models, commands, clients and documents are made from here.

A declaration says what is asked and answered, who may, how it is worded in both languages, and how each interface shows
it. `Service` is the one way to do one: it checks the permission, calls the handler, and notes it in the audit log.
"""

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
