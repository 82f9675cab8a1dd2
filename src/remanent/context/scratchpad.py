"""A scratchpad: a small, durable set of named values that an agent keeps while it works, for a session or for all.

Values are states of the store and not entries of the journal: what an agent has at hand changes with every step and is
nothing that happened.
"""

from collections.abc import Collection, Mapping
from urllib.parse import quote, unquote

from pydantic import JsonValue
from pydantic_core import to_json

from remanent.errors import InvalidInput
from remanent.model import Model, Scope
from remanent.model.base import check_json
from remanent.stores import Store

# A pad is for what an agent has at hand, not for documents: the bounds keep all pads of an agent in one quick read.
# Chosen by hand.
MAX_KEYS = 200
MAX_KEY_CHARACTERS = 200
MAX_VALUE_CHARACTERS = 20_000
"""A pad is read whole and goes into prompts: what is longer is a text to remember, or a file."""
MAX_CHARACTERS = 65_536
"""Characters of all values of an agent as JSON: they are read with the agent's other states."""

PREFIX = "scratchpad/"

# Of the keys that runtimes keep for themselves, as the design names them, those that are read here. The others
# (delegation_result::, __pending_subagent_summaries__, __taskspace_hint__, …) are values like any.
_SUBAGENT_RESULT = "subagent_result::"
SESSION_FACTS = "session_facts"


class SubagentRow(Model):
    """What is known of a sub-agent whose own row is gone: who it was, and what came of its work."""

    id: str
    result: JsonValue


def missing_subagents(pad: Mapping[str, JsonValue], known: Collection[str] = ()) -> list[SubagentRow]:
    """Return rows of the sub-agents that a runtime has none of any more, rebuilt from what their ends left on a pad."""
    ends = {key.removeprefix(_SUBAGENT_RESULT): pad[key] for key in sorted(pad) if key.startswith(_SUBAGENT_RESULT)}
    return [SubagentRow(id=name, result=result) for name, result in ends.items() if name and name not in known]


class Scratchpad:
    """The pad of one agent's session; without a session, the one that belongs to no session.

    Every key is a state of its own, so that two writers of different keys never undo each other's work.
    """

    def __init__(self, store: Store, scope: Scope, *, session: str | None = None) -> None:
        self._store = store
        self._scope = scope.owner
        self._place = f"{PREFIX}{quote(session or '', safe='')}/"

    async def read(self) -> dict[str, JsonValue]:
        """Return all values by key, sorted by key."""
        states = await self._store.states(self._scope, prefix=self._place)
        found = {unquote(name.removeprefix(self._place)): value for name, value in states.items()}
        return dict(sorted(found.items()))

    async def write(self, key: str, value: JsonValue) -> None:
        """Keep a value under a key in place of what was there; `None` removes it. Durable on return."""
        _check_key(key)
        check_json(value)
        if value is not None:
            await self._check_room(key, value)
        async with self._store.transaction(self._scope) as tx:
            tx.state(self._name(key), value)

    async def clear(self) -> None:
        """Remove every value."""
        keys = await self.read()
        if not keys:
            return
        async with self._store.transaction(self._scope) as tx:
            for key in keys:
                tx.state(self._name(key), None)

    async def _check_room(self, key: str, value: JsonValue) -> None:
        """Refuse what would make the pads too large; two writers at once may overshoot by one value each."""
        size = _size(value)
        if size > MAX_VALUE_CHARACTERS:
            raise InvalidInput(
                f"a value of a scratchpad has at most {MAX_VALUE_CHARACTERS} characters, not {size}; `remember` what "
                "is longer"
            )
        own = self._name(key)
        states = await self._store.states(self._scope, prefix=PREFIX)
        others = {name: held for name, held in states.items() if name != own}
        if len(others) >= MAX_KEYS or sum(map(_size, others.values())) + size > MAX_CHARACTERS:
            raise InvalidInput(
                f"the scratchpads of an agent hold at most {MAX_KEYS} values and {MAX_CHARACTERS} characters; remove "
                "what is no longer needed"
            )

    def _name(self, key: str) -> str:
        return f"{self._place}{quote(key, safe='')}"


def _check_key(key: str) -> None:
    if not key.strip() or len(key) > MAX_KEY_CHARACTERS or not key.isprintable():
        raise InvalidInput(f"a key of a scratchpad has 1 to {MAX_KEY_CHARACTERS} printable characters")


def _size(value: JsonValue) -> int:
    return len(to_json(value).decode())
