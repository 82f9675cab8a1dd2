"""The engine that needs no model: every role does its own work here, the same way each time."""

from remanent.language.engine import Answer, Engine
from remanent.language.offline.toolbox import Toolbox
from remanent.language.role import ReplyT, RequestT, ResponseT, Role
from remanent.model import Maker


class OfflineEngine(Engine):
    """Runs roles without a model: simpler than with one, never out of reach, and free."""

    name = "offline"

    def __init__(self, toolbox: Toolbox | None = None) -> None:
        self._toolbox = toolbox or Toolbox()

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        """Return the response of a role's offline counterpart."""
        value = await role.offline(request, self._toolbox)
        return Answer(value, Maker(role=role.name, engine=self.name, version=role.version))

    async def close(self) -> None:
        """Nothing is held open; the embedder belongs to whoever made it."""
