"""Asking for language work: roles, and the engines that run them."""

from remanent.language.engine import Answer, Engine
from remanent.language.role import Role

__all__ = [
    "Answer",
    "Engine",
    "Role",
]
