"""What a scripted server does next: answers as they should be, and every way in which answers go wrong."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tests.language.scripted.wire import Request, Wire

Act = Callable[[Request, Wire], Awaitable[None]]

CHAT = "/v1/chat/completions"
MESSAGES = "/v1/messages"
EMBEDDINGS = "/v1/embeddings"
INPUT_TOKENS = 12
OUTPUT_TOKENS = 7


@dataclass(frozen=True)
class Step:
    """One exchange: what the server expects to be asked, and what it does then."""

    name: str
    act: Act
    paths: tuple[str, ...] = (CHAT, MESSAGES)
    contains: tuple[str, ...] = ()
    """Texts that the prompt must hold."""
    lacks: tuple[str, ...] = ()

    def expecting(self, *texts: str, without: Sequence[str] = ()) -> "Step":
        return replace(self, contains=(*self.contains, *texts), lacks=(*self.lacks, *without))

    def complaint(self, request: Request) -> str | None:
        """Say how the request differs from what was expected."""
        if request.path not in self.paths:
            return f"{self.name}: {request.path} was asked, not {' or '.join(self.paths)}"
        missing = [text for text in self.contains if text not in request.prompt]
        present = [text for text in self.lacks if text in request.prompt]
        if missing or present:
            return f"{self.name}: the prompt lacks {missing} and should not hold {present}: {request.prompt[:2000]}"
        return None


# ── as it should be ──


def says(text: str, *, finish: str = "stop", pieces: int = 3) -> Step:
    """A plain answer, in one piece or as a stream, in the API that was spoken."""

    async def act(request: Request, wire: Wire) -> None:
        if request.path == MESSAGES:
            await wire.reply_json(message(text, finish=finish, model=request.body["model"]))
        elif request.streams:
            await _stream(wire, _events(request, _parts(text, pieces), finish=finish), ending=b"data: [DONE]\n\n")
        else:
            await wire.reply_json(completion({"content": text}, finish=finish, model=request.body["model"]))

    return Step(f"says {text[:40]!r}", act)


def gives(value: Any) -> Step:
    """The value in the form that was asked for: as text, or as the arguments of the tool."""

    async def act(request: Request, wire: Wire) -> None:
        if request.output != "tool":
            await says(json.dumps(value, ensure_ascii=False)).act(request, wire)
            return
        tool = request.body["tools"][0]
        name = tool.get("name") or tool["function"]["name"]
        await calls(name, value).act(request, wire)

    return Step(f"gives {str(value)[:40]}", act)


def calls(tool: str, arguments: Any) -> Step:
    """A call of a tool and nothing else."""

    async def act(request: Request, wire: Wire) -> None:
        call_id = f"call_{len(request.body['messages'])}"  # a conversation never has the same twice
        if request.path == MESSAGES:
            block = {"type": "tool_use", "id": call_id, "name": tool, "input": arguments}
            await wire.reply_json({**message("", finish="tool_use", model=request.body["model"]), "content": [block]})
            return
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        call = {"id": call_id, "type": "function", "function": {"name": tool, "arguments": text}}
        said = {"content": None, "tool_calls": [call]}
        await wire.reply_json(completion(said, finish="tool_calls", model=request.body["model"]))

    return Step(f"calls {tool}", act)


def embeds(vectors: Callable[[list[str]], list[list[float]]]) -> Step:
    """A vector for each text."""

    async def act(request: Request, wire: Wire) -> None:
        texts = request.body["input"]
        rows = vectors([texts] if isinstance(texts, str) else texts)
        data = [{"object": "embedding", "index": number, "embedding": row} for number, row in enumerate(rows)]
        usage = {"prompt_tokens": INPUT_TOKENS, "total_tokens": INPUT_TOKENS}
        await wire.reply_json({"object": "list", "model": request.body["model"], "data": data, "usage": usage})

    return Step("embeds", act, paths=(EMBEDDINGS,))


# ── as it should not be ──


def fails(status: int, *, body: Any = None, headers: dict[str, str] | None = None) -> Step:
    """An error as the API has it."""
    value = {"error": {"message": f"scripted {status}", "type": "scripted"}} if body is None else body

    async def act(_: Request, wire: Wire) -> None:
        await wire.reply_json(value, status=status, headers=headers)

    return Step(f"fails with {status}", act)


def sends(body: bytes, *, status: int = 200, headers: dict[str, str] | None = None) -> Step:
    """Any bytes as the body."""

    async def act(_: Request, wire: Wire) -> None:
        await wire.reply(status, body, {"Content-Type": "application/json", **(headers or {})})

    return Step(f"sends {body[:40]!r}", act)


def answers_with(value: Any) -> Step:
    """Any JSON as the body of a success."""

    async def act(_: Request, wire: Wire) -> None:
        await wire.reply_json(value)

    return Step(f"answers with {str(value)[:40]}", act)


def stalls(where: Literal["start", "middle", "end"], text: str = '{"value": 1}') -> Step:
    """Silence for ever: before the first byte, in the middle of the body, or before its last byte."""

    async def act(request: Request, wire: Wire) -> None:
        body = json.dumps(completion({"content": text}, model=request.body["model"])).encode()
        if where != "start":
            await wire.head(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
            await wire.send(body[: len(body) // 2] if where == "middle" else body[:-1])
        await wire.wait_for_ever()

    return Step(f"stalls at the {where}", act)


def drips(text: str = '{"value": 1}', *, pause: float = 1.0) -> Step:
    """A good answer, a byte at a time."""

    async def act(request: Request, wire: Wire) -> None:
        body = json.dumps(completion({"content": text}, model=request.body["model"])).encode()
        await wire.head(200, {"Content-Type": "application/json", "Content-Length": str(len(body))})
        for place in range(len(body)):
            await wire.send(body[place : place + 1])
            await asyncio.sleep(pause)

    return Step("drips", act)


def floods(size: int, *, says_so: bool = False) -> Step:
    """A body without end in sight, with or without its length in the head."""

    async def act(_: Request, wire: Wire) -> None:
        length = {"Content-Length": str(size)} if says_so else {}
        await wire.head(200, {"Content-Type": "application/json", **length})
        piece = b" " * 65_536
        for _number in range(size // len(piece)):
            await wire.send(piece)

    return Step(f"floods with {size} bytes", act)


def cuts(text: str, *, after: int, politely: bool = False) -> Step:
    """A stream that ends after some pieces: in the middle of the encoding, or as if it were done."""

    async def act(request: Request, wire: Wire) -> None:
        events = _events(request, _parts(text, after + 2), finish="stop")[: after + 1]
        await _stream(wire, events, ending=None if politely else b"")

    return Step(f"cuts after {after}", act)


def hangs_up() -> Step:
    """Goodbye without a word."""

    async def act(_: Request, wire: Wire) -> None:
        wire.writer.close()

    return Step("hangs up", act)


# ── the forms of the APIs ──


def completion(said: dict[str, Any], *, finish: str = "stop", model: str = "scripted") -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", **said}, "finish_reason": finish}],
        "usage": _usage(),
    }


def message(text: str, *, finish: str = "stop", model: str = "scripted") -> dict[str, Any]:
    reasons = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": reasons.get(finish, finish),
        "stop_sequence": None,
        "usage": {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS},
    }


def _usage() -> dict[str, int]:
    total = INPUT_TOKENS + OUTPUT_TOKENS
    return {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS, "total_tokens": total}


def _parts(text: str, pieces: int) -> list[str]:
    size = max(1, -(-len(text) // pieces))
    return [text[place : place + size] for place in range(0, len(text), size)]


def _events(request: Request, parts: list[str], *, finish: str) -> list[dict[str, Any]]:
    """The chunks of a streamed completion; the first has no text, the last no choice but the usage."""
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": request.body["model"]}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": part} for part in parts)]
    events = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    end = {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
    return [*events, end, {**base, "choices": [], "usage": _usage()}]


async def _stream(wire: Wire, events: list[dict[str, Any]], *, ending: bytes | None) -> None:
    """Send server-sent events in chunks; `None` ends the encoding well but says no goodbye, `b""` breaks it off."""
    await wire.head(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
    for event in events:
        await _chunk(wire, f"data: {json.dumps(event)}\n\n".encode())
    if ending:
        await _chunk(wire, ending)
    if ending != b"":
        await wire.send(b"0\r\n\r\n")


async def _chunk(wire: Wire, data: bytes) -> None:
    await wire.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")
