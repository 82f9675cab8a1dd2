"""One HTTP exchange as a server sees it, down to the single bytes, so that anything can go wrong in it."""

import asyncio
import json
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any


@dataclass(frozen=True)
class Request:
    """What a client asked for."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    data: bytes = b""
    """The body as it came."""

    @property
    def streams(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def turns(self) -> list[tuple[str, str]]:
        """Who says what, the instructions included, whichever API is spoken."""
        system = self.body.get("system")
        first = [("system", _text(system))] if system else []
        return first + [(turn["role"], _text(turn.get("content"))) for turn in self.body.get("messages", [])]

    @property
    def prompt(self) -> str:
        return "\n\n".join(text for _, text in self.turns)

    @property
    def output(self) -> str:
        """How a structured answer was asked for."""
        form = (self.body.get("response_format") or {}).get("type", "")
        if form == "json_schema" or "output_config" in self.body or "output_format" in self.body:
            return "schema"
        if self.body.get("tools"):
            return "tool"
        return "json" if form == "json_object" else "text"

    @property
    def schema(self) -> dict[str, Any]:
        if self.output == "tool":
            tool = self.body["tools"][0]
            parameters: dict[str, Any] = tool.get("input_schema") or tool["function"]["parameters"]
            return parameters
        schema: dict[str, Any] = self.body["response_format"]["json_schema"]["schema"]
        return schema


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


@dataclass
class Wire:
    """The way back to the client."""

    writer: asyncio.StreamWriter
    sent: int = field(default=0)

    async def head(self, status: int, headers: dict[str, str] | None = None) -> None:
        lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()
        self.sent += len(data)

    async def reply(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        await self.head(status, {"Content-Length": str(len(body)), **headers})
        await self.send(body)

    async def reply_json(self, value: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(value).encode()
        await self.reply(status, body, {"Content-Type": "application/json", **(headers or {})})

    async def wait_for_ever(self) -> None:
        """Say nothing more; the server's end ends it."""
        await asyncio.Event().wait()


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """Return the request, or None when the client left without one."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    data = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method=method, path=path, headers=headers, body=_object(data), data=data)


def _object(data: bytes) -> dict[str, Any]:
    """The body as an object; one that is none is for the step to look at as it came."""
    try:
        value = json.loads(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
