"""What an agent does, step by step, as those who listen are told."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pydantic import JsonValue

from remanent.model import EntryKind, Origin


@dataclass(frozen=True, slots=True)
class File:
    """A file that came with a step: what a tool found worth keeping whole."""

    name: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that an agent said, called or was told."""

    kind: EntryKind
    role: str
    text: str
    origin: Origin
    metadata: dict[str, JsonValue] = field(default_factory=dict)
    files: tuple[File, ...] = ()


Listener = Callable[[Step], Awaitable[None]]
"""Is told every step when it happens, before the next one is taken."""
