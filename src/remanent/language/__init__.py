"""Asking for language work: roles, and the engines that run them."""

from remanent.language.role import Answer, Engine, Role

__all__ = ["Answer", "Engine", "Role"]
