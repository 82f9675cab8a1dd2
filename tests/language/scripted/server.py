"""An OpenAI-compatible server that follows a script, over real HTTP, and complains when the script is left."""

import asyncio
from types import TracebackType
from typing import Self

from tests.language.scripted.steps import Step
from tests.language.scripted.wire import Request, Wire, read_request

_UNEXPECTED = 418
"""Nothing retries it."""


class ScriptedServer:
    """Plays its steps in order, one per request; `forever` is played when they are used up.

    Leaving it raises when a request came that no step expected, or a step was left over.
    """

    def __init__(self, *steps: Step, forever: Step | None = None) -> None:
        self.requests: list[Request] = []
        self.wires: list[Wire] = []
        self.complaints: list[str] = []
        self.was_asked = asyncio.Event()
        self._steps = list(steps)
        self._forever = forever
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=1024 * 1024)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if kind is None:
            self.check()

    @property
    def origin(self) -> str:
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"http://{host}:{port}"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    def check(self) -> None:
        """Raise when the script was left."""
        unused = [step.name for step in self._steps]
        assert not self.complaints, "; ".join(self.complaints)
        assert not unused, f"steps that were not used: {', '.join(unused)}"

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._serve(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            # The client hung up, or the script is over; a cancelled handler must not reach the loop's own handler.
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        if request is None:
            return
        wire = Wire(writer)
        self.requests.append(request)
        self.wires.append(wire)
        self.was_asked.set()
        step = self._steps.pop(0) if self._steps else self._forever
        complaint = step.complaint(request) if step else f"a request that no step expects: {request.prompt[:2000]}"
        if step is None or complaint:
            self.complaints.append(complaint or "")
            await wire.reply_json({"error": {"message": complaint}}, status=_UNEXPECTED)
            return
        await step.act(request, wire)
