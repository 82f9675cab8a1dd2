"""What the model behind the proxy does, where the usual steps say too little."""

import asyncio
import json
from typing import Any

from tests.language.scripted.steps import CHAT, EMBEDDINGS, Step
from tests.language.scripted.wire import Request, Wire


def delta(**said: Any) -> dict[str, Any]:
    finish = said.pop("finish", None)
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"} | {
        "choices": [{"index": said.pop("index", 0), "delta": said, "finish_reason": finish}]
    }


def event(value: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(value)}\n\n".encode()


def streams(*pieces: bytes, headers: dict[str, str] | None = None, path: str = CHAT) -> Step:
    """The pieces as they are, each in a chunk of its own, and an end as it should be."""

    async def act(_: Request, wire: Wire) -> None:
        await _head(wire, headers)
        for piece in pieces:
            await _chunk(wire, piece)
        await wire.send(b"0\r\n\r\n")

    return Step("streams", act, paths=(path,))


class Pausing:
    """Streams some pieces, then says nothing until the client is gone."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = pieces
        self.was_left = asyncio.Event()

    @property
    def step(self) -> Step:
        async def act(_: Request, wire: Wire) -> None:
            await _head(wire, None)
            for piece in self._pieces:
                await _chunk(wire, piece)
            try:
                while True:
                    # A comment: what servers send to keep a connection alive, and what tells them that it is not.
                    await _chunk(wire, b": still thinking\n\n")
                    await asyncio.sleep(0.001)
            except ConnectionError:
                self.was_left.set()
                raise

        return Step("pauses", act)


def sends_raw(status: int, body: bytes, *, path: str = CHAT, headers: dict[str, str] | None = None) -> Step:
    """Any status, headers and bytes."""

    async def act(_: Request, wire: Wire) -> None:
        await wire.reply(status, body, {"Content-Type": "application/json", **(headers or {})})

    return Step(f"sends {status}", act, paths=(path,))


def embeds_raw(body: bytes) -> Step:
    return sends_raw(200, body, path=EMBEDDINGS)


async def _head(wire: Wire, headers: dict[str, str] | None) -> None:
    usual = {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked"}
    await wire.head(200, {**usual, **(headers or {})})


async def _chunk(wire: Wire, data: bytes) -> None:
    await wire.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")
