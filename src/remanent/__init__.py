"""A memory that LLM agents can trust: durable, traceable, searchable, erasable; local first."""

import os
from typing import TYPE_CHECKING, Any

# The runtime of the bundled models tells its maker of a device id, the processor and the path of the interpreter, and
# keeps that under ~/.cache, unless it is forbidden before it is imported by us or any other package.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

if TYPE_CHECKING:
    from remanent._sync import Agent, Memory, open
    from remanent.client.blocking import connect
    from remanent.client.remote import aconnect
    from remanent.errors import RemanentError
    from remanent.memory import AsyncAgent, AsyncMemory, aopen
    from remanent.model import Entry, Found, FoundItem, Message, RecallOptions, Receipt, Record, Scope
    from remanent.settings import Settings

__version__ = "0.1.0"

__all__ = [
    "Agent",
    "AsyncAgent",
    "AsyncMemory",
    "Entry",
    "Found",
    "FoundItem",
    "Memory",
    "Message",
    "RecallOptions",
    "Receipt",
    "Record",
    "RemanentError",
    "Scope",
    "Settings",
    "aconnect",
    "aopen",
    "connect",
    "open",
]

_HOMES = {
    "remanent._sync": ("Agent", "Memory", "open"),
    "remanent.client.blocking": ("connect",),
    "remanent.client.remote": ("aconnect",),
    "remanent.errors": ("RemanentError",),
    "remanent.memory": ("AsyncAgent", "AsyncMemory", "aopen"),
    "remanent.model": ("Entry", "Found", "FoundItem", "Message", "RecallOptions", "Receipt", "Record", "Scope"),
    "remanent.settings": ("Settings",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


if not TYPE_CHECKING:  # else a type checker would believe that every name is here

    def __getattr__(name: str) -> Any:
        """Import a public name when it is first used: `import remanent` itself stays instant."""
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'remanent' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Return the public names."""
    return [*__all__, "__version__"]
