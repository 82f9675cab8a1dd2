"""Every operation, declared once: REST routes, tools for models, commands, clients and documents are made from here.

A declaration says what is asked and answered, who may, how it is worded in both languages, and how each interface shows
it. `Service` is the one way to do one: it checks the permission, calls the handler, and notes it in the audit log.
"""

from remanent.discipline.operation import Body, Level, Operation
from remanent.discipline.port import ProgressStep, Report
from remanent.operations.access.keys import LOCAL, Permission, Principal, Target
from remanent.operations.runs import Run, RunState
from remanent.operations.service import CATALOGUE, Catalogue, Service

__all__ = [
    "CATALOGUE",
    "LOCAL",
    "Body",
    "Catalogue",
    "Level",
    "Operation",
    "Permission",
    "Principal",
    "ProgressStep",
    "Report",
    "Run",
    "RunState",
    "Service",
    "Target",
]
