"""The one way in: whoever asks, through whatever interface, an operation is allowed, done and noted here.

What lies outside of a key's reach is answered as if it did not exist, so that nobody learns of other tenants by asking.
What changes something is refused while it could not be noted: there is no deed without its trace.
"""

import hmac
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from threading import RLock
from typing import Any, Self

from remanent.discipline import registry
from remanent.discipline.operation import Operation
from remanent.discipline.port import Report
from remanent.errors import AuditFailed, InvalidInput, NotAuthenticated, NotFound, NotPermitted, RemanentError
from remanent.memory import AsyncMemory
from remanent.model import Clock, Model, system_clock
from remanent.operations import journal
from remanent.operations.access.audit import open_audit
from remanent.operations.access.chain import AuditEvent
from remanent.operations.access.keys import LOCAL, MAKE_ONE, Permission, Principal, Target, open_keys
from remanent.operations.call import ServiceCall
from remanent.operations.runs import MAX_KEPT, Run, RunFiles, Runs
from remanent.stores import acting_for


class Catalogue(Mapping[str, Operation[Any, Any]]):
    """Operations by name, in order; what `more` returns is loaded, one after the other, until a name is at hand."""

    def __init__(
        self,
        operations: Iterable[Operation[Any, Any]],
        *,
        more: Iterable[Callable[[], Iterable[Operation[Any, Any]]]] = (),
    ) -> None:
        self._at_hand: dict[str, Operation[Any, Any]] = {}
        self._routes: dict[tuple[str, str, str], str] = {}
        self._more = list(more)
        self._loading = RLock()
        self._add(operations)

    def _add(self, operations: Iterable[Operation[Any, Any]]) -> None:
        """Take operations in; two that share a name or a route are refused, since one could never be called."""
        for operation in operations:
            if operation.name in self._at_hand:
                raise ValueError(f"two operations are called {operation.name}")
            route = (operation.level, operation.method, operation.path)
            if route in self._routes:
                raise ValueError(f"{self._routes[route]} and {operation.name} have the same route {' '.join(route)}")
            self._routes[route] = operation.name
            self._at_hand[operation.name] = operation

    def _load(self, name: str | None = None) -> dict[str, Operation[Any, Any]]:
        """Load until a name is at hand, or everything."""
        with self._loading:
            while self._more and name not in self._at_hand:
                self._add(self._more.pop(0)())
        return self._at_hand

    def __getitem__(self, name: str) -> Operation[Any, Any]:
        return self._at_hand[name] if name in self._at_hand else self._load(name)[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._load())

    def __len__(self) -> int:
        return len(self._load())

    def with_more(self, operations: Iterable[Operation[Any, Any]]) -> "Catalogue":
        """Return a catalogue that holds others too."""
        return Catalogue([*self.values(), *operations])


def _others() -> Iterator[Operation[Any, Any]]:
    """Yield what is declared here beside `journal`, in the order in which people are shown it."""
    from remanent.operations import administration, context, maintenance, records

    for module in (records, context, maintenance, administration):
        yield from module.OPERATIONS


CATALOGUE = Catalogue(journal.OPERATIONS, more=(_others, registry.operations))
"""What can be done here; who remembers or recalls waits for nothing else, and others not for those of disciplines."""


_SUBJECT = ("_id", "_ids")
"""Fields whose names end so hold ids, which the audit log names as what was acted on."""
_MAX_SUBJECTS = 100
"""Ids that a line of the audit log names: a page of it must stay readable."""


class Service:
    """Operations over one open memory, with its keys and its audit log."""

    def __init__(self, memory: AsyncMemory, *, catalogue: Catalogue = CATALOGUE, clock: Clock = system_clock) -> None:
        self.memory = memory
        self.catalogue = catalogue
        self.keys = open_keys(memory.shelf, memory.settings, clock=clock)
        self.audit = open_audit(memory.shelf, memory.settings, clock=clock)
        self.runs = Runs(RunFiles(memory.shelf, most=MAX_KEPT), memory.notes, clock=clock)
        self.clock = clock
        self.local_token: str | None = None
        """A word that opens this process to commands on the machine; a file that only its owner can read tells it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """End long work and finish the audit log; the memory itself stays open."""
        await self.runs.close()
        await self.audit.close()

    async def authenticate(self, token: str | None, *, is_local: bool = False) -> Principal:
        """Return who holds a token; until a first key was made, whoever calls from this machine needs none."""
        if token is not None:
            known = self.local_token
            if known is not None and is_local and hmac.compare_digest(token.encode(), known.encode()):
                return LOCAL
            return await self.memory.shelf.call(self.keys.principal, token)
        if await self.memory.shelf.call(lambda: self.keys.was_ever_used):
            raise NotAuthenticated(f"a key is required: Authorization: Bearer …; if you have none, {MAKE_ONE}")
        if not is_local:
            raise NotAuthenticated(
                f"without a key, only direct requests from the server's own machine are accepted; {MAKE_ONE}"
            )
        return LOCAL

    async def recognise(self, proof: str, *, is_local: bool = False) -> Principal:
        """Return whom a proof stands for (`KeyRing.proof`), as long as the token that it was made of opens anything."""
        known = self.local_token
        if known is not None and is_local and hmac.compare_digest(proof.encode(), self.keys.proof(known).encode()):
            return LOCAL
        return await self.memory.shelf.call(self.keys.recognise, proof)

    async def perform(
        self,
        name: str,
        request: Model | Mapping[str, Any],
        *,
        place: Target,
        principal: Principal = LOCAL,
        report: Report = lambda _: None,
        upload: AsyncIterator[bytes] | None = None,
        key: str | None = None,
    ) -> Any:
        """Do an operation and return its answer, long ones included; what it changes is noted in the audit log."""
        operation, asked = await self._admitted(name, request, place=place, principal=principal)
        call = ServiceCall(self.memory, self.keys, self.audit, place, principal, report, upload, key)
        return await self._noted(operation, asked, call)

    async def stream(
        self, name: str, request: Model | Mapping[str, Any], *, place: Target, principal: Principal = LOCAL
    ) -> AsyncGenerator[str, None]:
        """Return the lines of an operation that answers with lines; it is allowed before the first of them."""
        operation, asked = await self._admitted(name, request, place=place, principal=principal)
        if _is_noted(operation):
            await self._note(operation, asked, place=place, principal=principal, outcome="ok")
        lines: AsyncGenerator[str, None] = operation.handler(  # type: ignore[assignment]
            ServiceCall(self.memory, self.keys, self.audit, place, principal), asked
        )
        return lines

    async def start(
        self, name: str, request: Model | Mapping[str, Any], *, place: Target, principal: Principal = LOCAL
    ) -> Run:
        """Begin long work and return how it stands; follow it, fetch it and cancel it by the run's id."""
        operation, asked = await self._admitted(name, request, place=place, principal=principal)
        if _is_noted(operation):
            await self.audit.require(_audited_org(place, principal))

        async def work(report: Report) -> Any:
            return await self._noted(
                operation, asked, ServiceCall(self.memory, self.keys, self.audit, place, principal, report)
            )

        return await self.runs.start(operation, work, place=place)

    async def admit(
        self, operation: Operation[Any, Any], asked: Model | None, *, place: Target, principal: Principal
    ) -> None:
        """Refuse what the principal may not do; what lies outside of its reach is as if it did not exist."""
        # Of the place it sees no further than its level.
        names = {name: getattr(place, name) for name in operation.level.names}
        if None in names.values():
            raise InvalidInput(f"{operation.name} needs to be told the {operation.level}")
        try:
            if names and not principal.reach.covers(Target.checked_in_part(**names)):
                raise NotFound("not found")
            if not principal.may(operation.permission):
                raise NotPermitted(f"this key has no {operation.permission} permission here")
        except RemanentError as error:
            await self._note(operation, asked, place=place, principal=principal, outcome=type(error).__name__)
            raise

    async def _admitted(
        self, name: str, request: Model | Mapping[str, Any], *, place: Target, principal: Principal
    ) -> tuple[Operation[Any, Any], Model]:
        """Return an operation and what is asked of it, once it is known that the principal may."""
        operation = self.catalogue[name]
        asked = request if isinstance(request, Model) else operation.request.model_validate(dict(request))
        await self.admit(operation, asked, place=place, principal=principal)
        return operation, asked

    async def _noted(self, operation: Operation[Any, Any], asked: Model, call: ServiceCall) -> Any:
        """Do an operation, and note who did it and how it ended, even when it failed or was cancelled."""
        if not _is_noted(operation):
            return await operation.handler(call, asked)  # type: ignore[misc]
        # Before anything is done: what was stored and cannot be noted would be there without a trace of who did it.
        await self.audit.require(_audited_org(call.place, call.principal))
        note = partial(self._note, operation, asked, place=call.place, principal=call.principal)
        try:
            with acting_for(call.principal.name):
                answer = await operation.handler(call, asked)  # type: ignore[misc]
        except BaseException as error:
            with suppress(RemanentError):  # it is owed; what went wrong first is what is told
                await note(outcome=type(error).__name__ if isinstance(error, Exception) else "cancelled")
            raise
        try:
            await note(outcome="ok")
        except RemanentError as error:
            if not operation.changes:
                raise
            raise AuditFailed(
                f"{operation.name} was done, but could not be recorded in the audit log: {error}"
            ) from error
        return answer

    async def _note(
        self, operation: Operation[Any, Any], asked: Model | None, *, place: Target, principal: Principal, outcome: str
    ) -> None:
        """Note an event in the audit log: ids and names, never a word of a memory."""
        deed = AuditEvent(
            who=principal.name,
            what=operation.name,
            org=place.org,
            workspace=place.workspace,
            agent=place.agent,
            subjects=tuple(_subjects(asked))[:_MAX_SUBJECTS],
            outcome=outcome,
        )
        await self.audit.note(deed, org=_audited_org(place, principal))


def _is_noted(operation: Operation[Any, Any]) -> bool:
    """Whether it is noted who does this: whatever changes something, and what only few may see."""
    return operation.changes or operation.permission in {Permission.APPROVE, Permission.ADMIN}


def _audited_org(place: Target, principal: Principal) -> str:
    """Return the organisation whose log tells of a deed: where it is done, or else the one whose key was refused.

    Nobody can fill another's log, nor make one for a name that he thought of.
    """
    return place.org if principal.reach.org is None else principal.reach.org


def _subjects(asked: Model | None) -> Iterator[str]:
    """Yield the ids that a request names."""
    for name in type(asked).model_fields if asked is not None else ():
        value = getattr(asked, name)
        if name.endswith(_SUBJECT) and value:
            yield from [value] if isinstance(value, str) else value
