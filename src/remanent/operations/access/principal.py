"""Who asks, and how far that reaches."""

from typing import Annotated

from pydantic import AfterValidator, Field

from remanent.discipline.operation import Permission
from remanent.errors import InvalidInput
from remanent.model import Model
from remanent.model.scope import check_name

__all__ = ["LOCAL", "Name", "Permission", "Place", "Principal", "Reach"]

Name = Annotated[str, AfterValidator(lambda value: check_name(value, what="name"))]


class Place(Model):
    """Where something is done: an organisation, perhaps one of its workspaces, perhaps one agent there."""

    org: Name
    workspace: Name | None = None
    agent: Name | None = None


class Reach(Model):
    """How far a principal may go: everywhere, or only in one organisation, workspace or agent."""

    org: Name | None = None
    workspace: Name | None = None
    agent: Name | None = None

    def model_post_init(self, _context: object, /) -> None:
        """Refuse a reach with a hole in it."""
        if (self.workspace is not None and self.org is None) or (self.agent is not None and self.workspace is None):
            raise InvalidInput("a workspace is named with its org, and an agent with its workspace")

    def covers(self, place: "Place | Reach") -> bool:
        """Return whether a place, or all that another reach covers, lies within."""
        own = (self.org, self.workspace, self.agent)
        asked = (place.org, place.workspace, place.agent)
        return all(mine is None or mine == theirs for mine, theirs in zip(own, asked, strict=True))


class Principal(Model):
    """Who asks: the holder of a key, or whoever sits at this machine."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    """What logs and the audit log say: the key's id, never its secret."""
    reach: Reach = Field(default_factory=Reach)
    permissions: frozenset[Permission] = frozenset()

    def may(self, permission: Permission) -> bool:
        """Return whether this is allowed within the reach."""
        return Permission.ADMIN in self.permissions or permission in self.permissions


LOCAL = Principal(name="local", permissions=frozenset({Permission.ADMIN}))
"""Whoever can open the files themselves: the command line, and callers of a server on the same machine until
a first key is made."""
