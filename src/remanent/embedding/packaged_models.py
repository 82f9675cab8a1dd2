"""What local models have in common: their files inside installed packages, and the threads that they work on.

A package of the same name with other bytes would give other vectors under the same name, and every comparison with
those kept before would be wrong without a sign of it; so every byte is checked, once for as long as the file is not
touched.

Threads have a low priority. Batches are small and taken in turn, so that whoever asks waits for one of them and not for
an import.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import file_digest
from pathlib import Path
from typing import Any, TypeVar

from remanent.durability import write_durably
from remanent.errors import IntegrityError, MissingDependency, StorageError
from remanent.lightweight import dataclass


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """One file of one version of a package, known by its hash."""

    package: str
    version: str
    name: str
    sha256: str

    def find(self) -> Path:
        """Return where the file should be; the package itself must be installed."""
        from importlib.metadata import PackageNotFoundError, distribution

        try:
            package = distribution(self.package)
        except PackageNotFoundError as error:
            raise MissingDependency(
                f"this model needs the package {self.package}: pip install {self.package}=={self.version}"
            ) from error
        return Path(str(package.locate_file(self.name)))

    def check(self) -> Path:
        """Return the file, after every byte of it was found to be the expected one."""
        path = self.find()
        try:
            sound = CHECKS.holds(path, self.sha256)
            if not sound:
                with path.open("rb") as file:
                    sound = file_digest(file, "sha256").hexdigest() == self.sha256
                if sound:
                    CHECKS.add(path, self.sha256)
        except OSError:
            sound = False
        if not sound:
            raise IntegrityError(
                f"the model file {path} is missing, damaged or from another version; repair it with: pip "
                f"install --force-reinstall --no-deps {self.package}=={self.version}"
            )
        return path


class CheckNotes:
    """Which files were checked lately, for programs that end soon: a tenth of a second of CPU for each model.

    Kept in a file that only its owner can write, who can write the models as well. A file that was touched since, in
    whatever way, is checked again, and so is one that was checked long ago: disks lose bits without telling.
    """

    LASTS = 7 * 86_400
    """Seconds. By hand."""

    def __init__(self) -> None:
        self.file: Path | None = None
        """Where it is noted; nothing is, unless a program says where."""

    def holds(self, path: Path, sha256: str) -> bool:
        """Tell whether a file was found sound and is as it was."""
        match self._read().get(str(path)):
            case [int(checked_at), *state] if state == _state(path, sha256):
                return 0 <= time.time() - checked_at < self.LASTS
        return False

    def add(self, path: Path, sha256: str) -> None:
        """Note that a file was found sound; where that cannot be noted, it is checked again the next time."""
        if self.file is not None:
            noted = {**self._read(), str(path): [int(time.time()), *_state(path, sha256)]}
            with contextlib.suppress(OSError, StorageError):
                write_durably(self.file, json.dumps(noted).encode())

    def _read(self) -> dict[str, Any]:
        try:
            noted = {} if self.file is None else json.loads(self.file.read_bytes())
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) else {}


def _state(path: Path, sha256: str) -> list[object]:
    about = path.stat()
    return [sha256, about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino]


CHECKS = CheckNotes()


def require(*modules: str) -> None:
    """Refuse when a package that runs the models cannot be imported."""
    from importlib.util import find_spec

    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingDependency(f"local models need {' and '.join(missing)}: pip install {' '.join(missing)}")


T = TypeVar("T")

# Chosen by hand: behind interactive work, ahead of what runs at 19.
_NICENESS = 5


class Background:
    """Threads that are started by the first pieces of work and started anew in a forked child.

    They have a low priority, unless somebody waits for what they do.
    """

    def __init__(self, name: str, *, threads: int = 1, awaited: bool = False) -> None:
        self.threads = threads
        self._begin = None if awaited else _step_back
        self._name = name
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    async def run(self, work: Callable[[], T]) -> T:
        """Do a piece of work there, behind what waits already."""
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(self.threads, self._name, initializer=self._begin)
            executor = self._executor
        return await asyncio.get_running_loop().run_in_executor(executor, work)

    async def run_each(self, works: Sequence[Callable[[], T]]) -> list[T]:
        """Do pieces of work, as many at once as there are threads; others' work comes in between."""
        results: dict[int, T] = {}
        turns = iter(range(len(works)))

        async def take_turns() -> None:
            for turn in turns:
                results[turn] = await self.run(works[turn])

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self.threads, len(works))):
                group.create_task(take_turns())
        return [results[turn] for turn in range(len(works))]

    def _after_fork(self) -> None:
        # A child has no copy of the threads.
        self._lock = threading.Lock()
        self._executor = None


def _step_back() -> None:
    """Lower the priority of this thread; Linux alone gives each thread one of its own."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + _NICENESS)
