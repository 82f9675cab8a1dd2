"""Banks on a server: the API of `memory.bank`, as far as it works over HTTP.

Written by hand, because a bank here is an object with a life and there a name in a request: what is read as a property
where the bank is open has to be asked for (`state`), and files, frameworks and tools of the caller cannot be sent.
The bank's types are imported for type checkers only: the client works where that discipline was taken out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from remanent.errors import InvalidInput, NotFound
from remanent.operations import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from remanent.agents.deep_retrieval import DeepRetrieved
    from remanent.bank.bank import Observed
    from remanent.bank.graph import BankFound
    from remanent.bank.operations import BankAnswer, BankState
    from remanent.bank.planner import InsightDoc
    from remanent.bank.run import RunResult
    from remanent.client.connection import Connection
    from remanent.jobs import Progress
    from remanent.model import Conflict


class AsyncRemoteBanks:
    """Opens banks on a server: called with a task, it returns the bank of that task."""

    def __init__(self, connection: Connection, *, org: str, workspace: str) -> None:
        self._connection = connection
        self._org = org
        self._workspace = workspace

    def __call__(
        self,
        task: str = "",
        *,
        context: str = "",
        sources: Mapping[str, str] | None = None,
        bank_id: str | None = None,
        agent: str = "bank",
        workspace: str | None = None,
        org: str | None = None,
    ) -> AsyncRemoteBank:
        """Return the bank of one long task: it reads the context, cross-checks what it learns, and works on the task.

        `sources` are texts, by name, that its agent can search and that are not read in. With a `bank_id` the server
        keeps the bank under that name; without one it lives only as long as `run`.
        """
        place = Target(org=org or self._org, workspace=workspace or self._workspace, agent=agent)
        given = {"task": task, "context": context, "sources": dict(sources or {}), "bank_id": bank_id}
        return AsyncRemoteBank(self._connection, place, given)


class AsyncRemoteBank:
    """The memory of one long task on a server, and the run that works on it."""

    def __init__(self, connection: Connection, place: Target, given: dict[str, Any]) -> None:
        self._connection = connection
        self._place = place
        self._given = given

    @property
    def bank_id(self) -> str:
        """The name under which the server keeps the bank."""
        name = self._given["bank_id"]
        if name is None:
            raise InvalidInput("a bank without a name lives only as long as its run; open it with a bank_id")
        return str(name)

    async def run(self, *, keep: bool = False, on_progress: Callable[[Progress], None] | None = None) -> RunResult:
        """Work on the task until it is done; a bank that the server has under its name goes on where it is.

        At the end everything is cleared unless it is kept.
        """
        if keep:
            _ = self.bank_id  # without a name there would be nothing to come back to
        is_kept = self._given["bank_id"] is not None
        if is_kept and await self.is_stored():
            name, given = "bank.resume", {"bank_id": self.bank_id}
        else:
            name, given = "bank.run", self._given
        answer: BankAnswer = await self._connection.do(name, given, place=self._place, on_progress=on_progress)
        if is_kept and not keep:
            await self.clear()
        return answer.result

    async def state(self) -> BankState:
        """Return how the bank stands: the Insight Doc, what each node is about, the edges, the contradictions."""
        state: BankState = await self._do("bank.get")
        return state

    async def observe(self, text: str) -> Observed:
        """Take a text into the bank: kept word for word, then sorted by topics, summarised and related."""
        observed: Observed = await self._do("bank.observe", text=text)
        return observed

    async def search(self, query: str, *, k: int | None = None, alpha: float | None = None) -> BankFound:
        """Return the nodes that matter for a question and those beside them, newest first."""
        found: BankFound = await self._do("bank.search", query=query, k=k, alpha=alpha)
        return found

    async def resolve(self, conflict_id: str, finding: str) -> Conflict:
        """Settle a contradiction by what you know: the finding is the authority, and the key's name stands for it."""
        conflict: Conflict = await self._do("bank.resolve", conflict_id=conflict_id, finding=finding)
        return conflict

    async def undo(self, change_id: str) -> None:
        """Take back a merge (by its event's id) or a verdict (by its conflict's id)."""
        await self._do("bank.undo", change_id=change_id)

    async def deep_retrieval(
        self,
        node_id: str,
        *,
        attachment_id: str | None = None,
        offset: int = 0,
        limit: int | None = None,
        query: str = "",
    ) -> DeepRetrieved:
        """Return every entry behind a node with the contents of its files, or of one of them.

        A long tree can be read in pages of `limit` characters; with a `query`, only its sentences about that are given.
        """
        found: DeepRetrieved = await self._do(
            "bank.deep_retrieval",
            node_id=node_id,
            attachment_id=attachment_id,
            offset=offset,
            limit=limit,
            query=query,
        )
        return found

    async def export(self) -> str:
        """Return the whole bank as JSON; files that wait to be recognised are not in it."""
        given = {"bank_id": self.bank_id}
        return "\n".join([line async for line in self._connection.lines("bank.export", given, place=self._place)])

    async def load(self, text: str | bytes) -> InsightDoc:
        """Take in an export; the server must have no bank of this name."""
        upload = text.encode() if isinstance(text, str) else text
        insight: InsightDoc = await self._do("bank.import", upload=upload)
        return insight

    async def is_stored(self) -> bool:
        """Tell whether the server has a bank of this name."""
        try:
            await self._do("bank.get")
        except NotFound:
            return False
        return True

    async def clear(self) -> None:
        """Forget everything that the task brought, files included."""
        await self._do("bank.clear")

    async def _do(self, name: str, *, upload: bytes | None = None, **given: Any) -> Any:
        fields = {"bank_id": self.bank_id, **given}
        return await self._connection.do(name, fields, place=self._place, upload=upload)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave it as it is: what is kept stays, and the server has cleared what is not."""
