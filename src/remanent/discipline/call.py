"""What the handler of an operation is given beside its request, as far as a discipline needs it."""

from collections.abc import AsyncIterator, Callable
from typing import Protocol, TypeVar

from remanent.discipline.operation import Permission
from remanent.model import Found, Model, Receipt, Record, Scope
from remanent.model.base import Count, Text
from remanent.model.chat import Messages
from remanent.settings import Settings
from remanent.stores.shelf import Shelf

F = TypeVar("F")


class ProgressStep(Model):
    """How far long work has come."""

    done: Count = 0
    total: Count | None = None
    note: Text = ""


Report = Callable[[ProgressStep], None]
"""Is told of progress; called on the event loop."""


class AnyAgent(Protocol):
    """One agent's memory, as a discipline sees it."""

    @property
    def scope(self) -> Scope:
        """Whose memory this is."""

    def face(self, kind: type[F], /) -> F:
        """Return what a discipline gives an agent."""

    async def remember(self, messages: Messages, *, session: str | None = None, task: str | None = None) -> Receipt:
        """Keep messages for good."""

    async def recall(self, query: str, *, limit: int = 5, session: str | None = None) -> Found:
        """Return what is remembered that answers a question."""

    async def get(self, record_id: str) -> Record:
        """Return a record, whatever its status."""


class AnyMemory(Protocol):
    """An open memory, as a discipline sees it."""

    @property
    def settings(self) -> Settings:
        """The settings in force."""

    @property
    def shelf(self) -> Shelf:
        """What belongs to no agent."""

    def agent(self, agent: str, *, workspace: str | None = None, org: str | None = None) -> AnyAgent:
        """Return an agent's memory."""

    def face(self, kind: type[F], /) -> F:
        """Return what a discipline gives a memory."""


class Caller(Protocol):
    """Who asks."""

    @property
    def name(self) -> str:
        """What logs and the audit log say."""

    @property
    def is_keyless(self) -> bool:
        """Whether it is whoever sits at this machine: a program and the person beside it cannot be told apart."""

    def may(self, permission: Permission) -> bool:
        """Tell whether it is allowed something."""


class Call(Protocol):
    """One call of an operation."""

    @property
    def memory(self) -> AnyMemory:
        """The memory that is open."""

    @property
    def agent(self) -> AnyAgent:
        """The memory of the agent that is meant."""

    @property
    def principal(self) -> Caller:
        """Who asks."""

    @property
    def report(self) -> Report:
        """Is told of progress."""

    @property
    def key(self) -> str | None:
        """The caller's own key for this request, by which it is known when it comes again."""

    def sent(self) -> AsyncIterator[bytes]:
        """Return what was sent beside the request."""
