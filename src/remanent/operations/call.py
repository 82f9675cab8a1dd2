"""What a handler is given beside its request: the memory, the place, who asks, and whom to tell of progress.

It is the discipline's `Call` with more to it: keys and the audit log concern our own operations only.
"""

from collections.abc import AsyncIterator

from remanent.discipline.port import ProgressStep, Report
from remanent.errors import InvalidInput
from remanent.jobs import Progress
from remanent.lightweight import dataclass
from remanent.memory import AsyncAgent, AsyncMemory
from remanent.operations.access.audit import AuditLog
from remanent.operations.access.keys import LOCAL, KeyRing, Principal, Target


async def _nothing() -> AsyncIterator[bytes]:
    yield b""


@dataclass(frozen=True, slots=True)
class ServiceCall:
    """One call of an operation."""

    memory: AsyncMemory
    keys: KeyRing
    audit: AuditLog
    place: Target
    principal: Principal = LOCAL
    report: Report = lambda _: None
    upload: AsyncIterator[bytes] | None = None
    """What was sent beside the request, for operations that read lines or bytes."""
    key: str | None = None
    """The caller's own key for this request, by which it is known when it comes again."""

    @property
    def agent(self) -> AsyncAgent:
        """The memory of the agent that is meant."""
        if self.place.agent is None or self.place.workspace is None:
            raise InvalidInput("name the agent")
        return self.memory.agent(self.place.agent, workspace=self.place.workspace, org=self.place.org)

    def tell(self, progress: Progress) -> None:
        """Report how far the memory's own work has come."""
        self.report(ProgressStep(done=progress.done, total=progress.done + progress.pending))

    def sent(self) -> AsyncIterator[bytes]:
        """Return what was sent beside the request."""
        return _nothing() if self.upload is None else self.upload
