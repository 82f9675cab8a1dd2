"""Writing a whole agent as JSON lines."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from remanent._sync import Agent
from remanent.cli import words
from remanent.cli.input import STANDARD
from remanent.cli.screen import Screen, standard_output


def write_export(agent: Agent, file: Path, screen: Screen) -> int:
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
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
