"""Asking for language work: roles, and the engines that run them."""

from remanent.language.engine import Answer, Engine, Listener, Usage
from remanent.language.role import ChatMessage, Defaults, Form, Prompt, Role, TextReply, Tier

__all__ = [
    "Answer",
    "ChatMessage",
    "Defaults",
    "Engine",
    "Form",
    "Language",
    "Listener",
    "Prompt",
    "Role",
    "TextReply",
    "Tier",
    "Usage",
]
