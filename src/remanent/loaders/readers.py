"""Reading any file: its type by content, its text and structure by the loader of that type.

Our own readers of text run in this process; every other one in a child, because parsers of foreign formats crash, run
on and eat memory. One child serves many files and is replaced after some of them, or when it dies: then the file that
killed it is refused and no other. It is a plain subprocess that is spoken with over a pipe, so nothing of the program
that called us is run again in it, and it ends by itself when that program is gone, when a file takes too long, or when
there is nothing to do.
"""

import asyncio
import atexit
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import Any

from remanent.errors import MissingDependency, UnreadableFile
from remanent.loaders import html, packed, pdf, plain, types
from remanent.loaders.document import DEFAULT_LIMITS, LoadedDocument, LoadLimits, Place, Reading, assemble, refuse

Reader = Callable[[bytes, Reading], LoadedDocument]
PLAIN_READERS: dict[str, Reader] = {
    types.PLAIN: plain.read_text,
    types.MARKDOWN: plain.read_markdown,
    types.CSV: plain.read_csv,
    types.TSV: plain.read_csv,
    types.JSON_LINES: plain.read_chat,
}
"""Our own, of text: no parser of theirs crashes or runs on, so they need no process of their own."""
_READERS: dict[str, Reader] = {
    **PLAIN_READERS,
    types.CODE: plain.read_code,
    types.DOCX: packed.read_docx,
    types.EPUB: packed.read_book,
    types.HTML: html.read,
    types.MAIL: packed.read_mail,
    types.ODS: packed.read_sheets,
    types.PDF: pdf.read,
    types.PPTX: packed.read_slides,
    types.XLS: packed.read_sheets,
    types.XLSX: packed.read_sheets,
}


def read(data: bytes, reading: Reading) -> LoadedDocument:
    """Read a file by the loader of its type."""
    if reading.media_type == types.LOCKED:
        refuse("locked", "this file is protected by a password; remove the password first")
    reader = _READERS.get(reading.media_type)
    if reader is None:
        refuse("unknown_type", f"files of type {reading.media_type} are not supported; save it as PDF, DOCX or text")

    def read_inner(content: bytes, name: str) -> LoadedDocument:
        media_type = types.readable_type_of(content, name)
        return read(content, replace(reading, name=name, media_type=media_type, charset="", depth=reading.depth + 1))

    document = reader(data, replace(reading, read_inner=read_inner))
    if len(document.text) > reading.limits.max_characters:
        refuse("too_large", f"the file has more than {reading.limits.max_characters} characters of text; split it")
    return document


# ── the process beside this one, and how it is spoken with ──

_FILES_PER_CHILD = 500
"""Files after which a child is replaced, because parsers leave something behind."""
_MAX_RESIDENT_KIB = 1_000_000
"""A child that has once been larger is replaced: what parsers leave behind is not given back."""
_IDLE_SECONDS = 60.0
"""Seconds without a file after which a child ends by itself."""
_ENVIRONMENT = ("HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "TMPDIR")
"""What a child is told of ours; no key of any service is among it."""
_PROGRAM = "from remanent.loaders.readers import main; main()"


def _send(there: Connection, head: dict[str, Any], body: bytes = b"") -> None:
    with suppress(OSError):  # that the other side is gone is told by what comes from there
        there.send_bytes(json.dumps(head).encode())
        there.send_bytes(body)


def _receive(there: Connection) -> tuple[dict[str, Any], bytes] | None:
    """Return what the other side says, or None when it is gone. It is bytes alone: nothing is unpickled."""
    try:
        return json.loads(there.recv_bytes()), there.recv_bytes()
    except (EOFError, OSError):
        return None


# ── the side that asks ──


class _Child:
    """One process, while it lives."""

    def __init__(self, program: str, memory: int) -> None:
        self.memory = memory
        paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        self._there, its = Pipe()
        with its:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", program, str(memory), str(its.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
                env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
                | {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTHONUTF8": "1"},
                start_new_session=True,
            )

    def ask(self, data: bytes, reading: Reading) -> tuple[dict[str, Any], bytes] | None:
        """Return what the child makes of a file, or None when it died over it."""
        head = {
            "name": reading.name,
            "media_type": reading.media_type,
            "charset": reading.charset,
            "limits": reading.limits.model_dump(),
            "reads_images": reading.read_image is not None,
        }
        _send(self._there, head, data)
        while (answer := _receive(self._there)) is not None:
            if answer[0]["kind"] != "image" or reading.read_image is None:
                return answer
            _send(self._there, {}, reading.read_image(answer[1]).encode("utf-8", "replace"))
        return None

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> int:
        """Let the child go, and return how it ended."""
        self._there.close()
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


class ReaderProcess:
    """Reads one file after another in a child; safe to use from any thread and any event loop."""

    def __init__(self, program: str = _PROGRAM) -> None:
        self._program = program
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="remanent-loader")
        self._child: _Child | None = None
        self._current: Reading | None = None
        self._guard = threading.Lock()

    async def read(self, data: bytes, reading: Reading) -> LoadedDocument:
        """Read a file; when the caller stops waiting, so does the child."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._read, data, reading)
        except asyncio.CancelledError:
            with self._guard:
                if self._current is reading and self._child is not None:
                    self._child.kill()
            raise

    def close(self) -> None:
        """End the child, if there is one."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def _read(self, data: bytes, reading: Reading) -> LoadedDocument:
        """Ask the child; a new one when the last had gone to rest in the meantime."""
        is_fresh = self._child is None
        while True:
            child = self._ready(reading)
            try:
                answer = child.ask(data, reading)
            except BaseException:
                child.kill()
                self._release(child)
                raise
            finally:
                with self._guard:
                    self._current = None
            if answer is not None:
                if answer[0].get("is_last"):
                    self._release(child)
                return _result(*answer)
            code = self._release(child)
            if code != 0 or is_fresh:
                return _dead(code)
            is_fresh = True

    def _ready(self, reading: Reading) -> _Child:
        memory = reading.limits.memory
        if self._child is not None and self._child.memory != memory:
            self._release(self._child)
        with self._guard:
            self._child = self._child or _Child(self._program, memory)
            self._current = reading
            return self._child

    def _release(self, child: _Child) -> int:
        with self._guard:
            self._child = None
        return child.end()


def _result(head: dict[str, Any], body: bytes) -> LoadedDocument:
    match head["kind"]:
        case "document":
            return LoadedDocument.from_json(body)
        case "missing":
            raise MissingDependency(head["message"])
        case _:
            raise UnreadableFile(head["message"], reason=head["reason"])


def _dead(code: int) -> LoadedDocument:
    if code == -signal.SIGALRM:
        refuse("too_slow", "reading this file took too long; it may be damaged: save it again, or split it")
    refuse("crashed", "the reader for this type of file crashed; the file may be damaged: save it again")


WORKER = ReaderProcess()
atexit.register(WORKER.close)


# ── the child ──


def main() -> None:
    """Serve until the other side is gone, nothing comes for a while, or enough was read.

    It ends by itself: a child that outlives the program which asked would keep its memory for nobody.
    """
    there = Connection(int(sys.argv[2]))
    with suppress(ImportError, ValueError, OSError):
        import resource

        memory = int(sys.argv[1])
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    for served in range(1, _FILES_PER_CHILD + 1):
        if not there.poll(_IDLE_SECONDS) or (request := _receive(there)) is None:
            return
        answer, body = _answered(*request, ask=lambda image: _asked(there, image))
        answer["is_last"] = served == _FILES_PER_CHILD or _resident() > _MAX_RESIDENT_KIB
        _send(there, answer, body)
        if answer["is_last"]:
            return


def _answered(head: dict[str, Any], data: bytes, *, ask: Callable[[bytes], str]) -> tuple[dict[str, Any], bytes]:
    """Return the frame that says what a file holds, or why it is not read."""
    limits = LoadLimits(**head["limits"])
    reading = Reading(head["name"], head["media_type"], limits, head["charset"])
    if head["reads_images"]:
        reading = replace(reading, read_image=ask)
    # A parser in a loop hears no exception; the signal ends the process, whatever it does.
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)
    try:
        return {"kind": "document"}, read(data, reading).to_json().encode()
    except MissingDependency as error:
        return {"kind": "missing", "message": str(error)}, b""
    except UnreadableFile as error:
        return {"kind": "unreadable", "message": str(error), "reason": error.reason}, b""
    except MemoryError:
        message = "reading this file takes more memory than is allowed; split it"
        return {"kind": "unreadable", "message": message, "reason": "too_large"}, b""
    except Exception:  # noqa: BLE001 - the outermost border: parsers fail over damaged files in every way there is
        message = "this file is damaged and cannot be read; use a complete copy, or save it as text"
        return {"kind": "unreadable", "message": message, "reason": "damaged"}, b""
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _asked(there: Connection, image: bytes) -> str:
    """Have the other side read a picture; its time is not counted as the parser's."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    _send(there, {"kind": "image"}, image)
    answer = _receive(there)
    if answer is None:
        raise SystemExit
    signal.setitimer(signal.ITIMER_REAL, left or 1)
    return answer[1].decode()


def _resident() -> int:
    """Return how many kilobytes this process holds: now on Linux, where its peak begins with that of its parent."""
    import resource

    try:
        with open("/proc/self/statm", "rb") as counts:
            return int(counts.read().split()[1]) * resource.getpagesize() // 1024
    except (OSError, IndexError, ValueError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak // 1024 if sys.platform == "darwin" else peak


# ── any file ──

ImageText = Callable[[bytes], Awaitable[str]]
"""Returns what is written in a picture."""
_BLANK = b" \t\r\n\f\v\xef\xbb\xbf"
"""The bytes of blanks, ends of lines and the mark of UTF-8: a file of these alone is empty."""


async def load(
    data: bytes,
    *,
    name: str,
    limits: LoadLimits = DEFAULT_LIMITS,
    media_type: str = "",
    charset: str = "",
    read_image: ImageText | None = None,
) -> LoadedDocument:
    """Return the text of a file and where each part of it stands; `UnreadableFile` says why there is none.

    `media_type` and `charset` are what the sender says of it, if anything; they are taken where they fit. `read_image`
    returns what is written in a picture: of pictures themselves, and of scanned pages.
    """
    if len(data) > limits.max_bytes:
        refuse("too_large", f"the file has {len(data)} bytes, but at most {limits.max_bytes} are read; split it")
    if not data.strip(_BLANK):
        refuse("empty", "the file is empty; choose one with content")
    found = await asyncio.to_thread(types.readable_type_of, data, name, said=media_type)
    if found.startswith("image/"):
        text = (await read_image(data)).strip() if read_image else ""
        return assemble(text, found, places=[plain.FIRST_LINE], unread=[] if read_image else [Place()])
    if found in PLAIN_READERS:
        return await asyncio.to_thread(read, data, Reading(name, found, limits, charset))
    from_thread = partial(_call, asyncio.get_running_loop(), read_image) if read_image else None
    return await WORKER.read(data, Reading(name, found, limits, charset, read_image=from_thread))


def _call(loop: asyncio.AbstractEventLoop, read_image: ImageText, image: bytes) -> str:
    """Have a picture read on the event loop, for the thread that speaks with the child."""

    async def call() -> str:
        return await read_image(image)

    return asyncio.run_coroutine_threadsafe(call(), loop).result()
