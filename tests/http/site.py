"""A small site on a loopback address that counts its visitors."""

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Self


class Site:
    """Answers each path with the bytes given for it, and counts connections."""

    def __init__(self, pages: Mapping[str, bytes] | None = None, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self.connections = 0
        self.asked: list[str] = []
        self.heads: list[str] = []
        self._pages = dict(pages or {})
        self._host = host
        self._port = port

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, self._host, self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()

    @property
    def port(self) -> int:
        return self._port

    @property
    def origin(self) -> str:
        return f"http://{self._host}:{self._port}"

    def serve(self, path: str, answer: bytes) -> None:
        self._pages[path] = answer

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = head.split(" ")[1]
            self.asked.append(path)
            self.heads.append(head)
            writer.write(self._pages.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


def page(body: str, *, media_type: str = "text/html; charset=utf-8", headers: str = "") -> bytes:
    data = body.encode()
    return (
        f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(data)}\r\n{headers}\r\n".encode() + data
    )


def redirect(target: str, *, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
