"""Asking for language work: roles, and the engines that run them."""

from remanent.language.engine import Answer, Engine, Listener, Usage
from remanent.language.role import Defaults, Form, Prompt, Role, Tier
from remanent.language.tongue import Tongue

__all__ = [
    "Answer",
    "Defaults",
    "Engine",
    "Form",
    "Listener",
    "Prompt",
    "Role",
    "Said",
    "TextReply",
    "Tier",
    "Tongue",
    "Usage",
]
