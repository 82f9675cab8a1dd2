"""Files and standard input and output, as UTF-8 whatever the locale says.

What is written takes the place of an old file only when it is complete, and is readable by its owner alone: an export
holds everything that an agent knows.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from remanent.cli import words
from remanent.cli.screen import Terminal, standard_output
from remanent.errors import InvalidInput

if TYPE_CHECKING:
    from remanent._sync import Agent

STANDARD = Path("-")
"""The name of standard input and output."""


def waits() -> bool:
    """Return whether something was piped into the command."""
    return not sys.stdin.isatty()


def read_text(file: Path) -> str:
    """Return a whole text without its last line end."""
    return "\n".join(read_lines(file))


def read_bytes(file: Path) -> bytes:
    """Return everything that a file holds."""
    with nullcontext(sys.stdin.buffer) if file == STANDARD else _open(file) as stream:
        return stream.read()


def read_lines(file: Path) -> Iterator[str]:
    """Yield lines without their ends."""
    with nullcontext(sys.stdin.buffer) if file == STANDARD else _open(file) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InvalidInput(f"line {number} of {file} is not UTF-8; convert it first") from error


def read_messages(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield messages as they were written, each with its place: of a JSON list, of a request that holds one, or of
    lines with one each."""
    text = read_text(file)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] == "[":
            raise InvalidInput(f"{file} is no JSON: {error}") from error
    else:
        if isinstance(found, dict):
            found = found.get("messages", [found] if "role" in found else found.get("input", [found]))
        for number, value in enumerate(found if isinstance(found, list) else [found], start=1):
            yield f"message {number} of {file}", value
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield f"line {number} of {file}", json.loads(line)
            except (ValueError, RecursionError) as error:
                told = f"line {number} of {file} is no JSON ({error}); give a list of messages, or one message a line"
                raise InvalidInput(told) from error


def _open(file: Path) -> BinaryIO:
    """Open a file, or say in one line why that is not possible."""
    try:
        return file.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from error


def size_of(file: Path) -> int | None:
    """Return how many bytes there are to read, if that is known beforehand."""
    return file.stat().st_size if file.is_file() else None


def write_export(agent: "Agent", file: Path, screen: Terminal) -> int:
    """Write an agent's lines and return how many they are."""
    count = 0
    with target(file) as stream, screen.meter(words.EXPORTING) as meter:
        for line in agent.export():
            stream.write(line.encode() + b"\n")
            count += 1
            meter.note(f"{count}")
    return count


@contextmanager
def target(file: Path) -> Iterator[BinaryIO]:
    """Give a stream whose content takes the file's place when it is complete, for the user's eyes only."""
    if file == STANDARD:
        yield standard_output()
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".part")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InvalidInput(f"there is no folder {file.parent}; make it first, or write somewhere else") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
