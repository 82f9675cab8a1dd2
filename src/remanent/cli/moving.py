"""`export` and `import`: a whole agent as JSON lines."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from remanent._sync import Agent
from remanent.cli import words
from remanent.cli.input import STANDARD, read_lines, size_of
from remanent.cli.place import Place
from remanent.cli.remembering import settle
from remanent.cli.screen import Meter, Screen, begin, standard_output


def export(place: Place, file: Path) -> None:
    """Write an agent to a file, whole or not at all, or to standard output."""
    screen, settings = begin(place)
    with place.open(settings) as memory:
        count = write_export(place.agent_of(memory), file, screen)
    if file == STANDARD:
        return
    if place.as_json:
        screen.give({"file": str(file), "lines": count})
    else:
        screen.tell(words.EXPORTED, lines=count, path=file)


def write_export(agent: Agent, file: Path, screen: Screen) -> int:
    """Write an agent's lines and return how many they are."""
    count = 0
    with _target(file) as target, screen.meter(words.EXPORTING) as meter:
        for line in agent.export():
            target.write(line.encode() + b"\n")
            count += 1
            meter.note(f"{count}")
    return count


@contextmanager
def _target(file: Path) -> Iterator[BinaryIO]:
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


def load(place: Place, file: Path, *, wait: bool) -> None:
    """Fill an agent from an export, then wait for what of its index is missing."""
    screen, settings = begin(place)
    with place.open(settings) as memory:
        with screen.meter(words.IMPORTING, total=size_of(file)) as meter:
            counts = place.agent_of(memory).load(_counted(file, meter))
        if place.as_json:
            screen.give(counts)
        else:
            named = ", ".join(f"{sort} {count}" for sort, count in counts.items() if count)
            screen.tell(words.IMPORTED, agent=place.agent, counts=named or "0")
        if wait:
            settle(screen, memory)


def _counted(file: Path, meter: Meter) -> Iterator[str]:
    for line in read_lines(file):
        meter.advance(len(line.encode()) + 1)
        yield line
