"""What an agent does in its workspace, and which of the things that are shared there are meant for it first."""

from enum import StrEnum

from remanent.model import Record, Scope, SharedData, SharedSort
from remanent.stores import Store

ROLE = "cognition.role"
"""The state that says what an agent's role in its workspace is."""


class AgentRole(StrEnum):
    """What an agent does in its workspace: the design's table of section 2.4.1."""

    COORDINATOR = "coordinator"
    ARCHITECT = "architect"
    DEVELOPER = "developer"
    REVIEWER = "reviewer"
    TESTER = "tester"
    OPERATIONS = "operations"


_READERS: dict[SharedSort, frozenset[AgentRole]] = {
    SharedSort.DECISION_RECORD: frozenset({AgentRole.DEVELOPER, AgentRole.TESTER}),
    SharedSort.CONVENTION: frozenset({AgentRole.DEVELOPER}),
    SharedSort.KNOWN_ISSUE: frozenset({AgentRole.DEVELOPER, AgentRole.OPERATIONS}),
}
"""Whom a sort is meant for, by the same table; those that are not here are for all. Everyone may read everything."""


async def role_of(store: Store, scope: Scope) -> AgentRole | None:
    """Return an agent's role, if it has one."""
    role = await store.state(scope, ROLE)
    return AgentRole(role) if isinstance(role, str) else None


def is_meant_for(role: AgentRole | None, record: Record | None) -> bool:
    """Tell whether something shared is meant for an agent with this role; without one all is."""
    if role is None or record is None or not isinstance(record.data, SharedData):
        return True
    return role in _READERS.get(record.data.sort, (role,))
