"""Every operation, declared once: REST routes, tools for models, commands, clients and documents are made from here."""

from remanent.discipline.call import ProgressStep, Report
from remanent.discipline.operation import Bilingual, Body, Command, Face, Level, Operation, Tool, operation
from remanent.operations.access.principal import LOCAL, Permission, Place, Principal, Reach
from remanent.operations.call import Call
from remanent.operations.catalogue import CATALOGUE, Catalogue
from remanent.operations.run import Run, RunState
from remanent.operations.service import Service

__all__ = [
    "CATALOGUE",
    "LOCAL",
    "Bilingual",
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
    "ProgressStep",
    "Reach",
    "Report",
    "Run",
    "RunState",
    "Service",
    "Tool",
    "operation",
]
