"""What is known of long work after the process that did it has ended: how it stood, and not what it said."""

import fcntl
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import Field

from remanent.durability import make_folder, write_durably
from remanent.errors import InvalidInput, StorageError
from remanent.model import Model
from remanent.operations.access.keys import FOLDER
from remanent.operations.access.principal import Permission, Place
from remanent.operations.run import Run

_TIDY_EVERY = 100


class RunFile(Model):
    """A run as it is written down: without its answer and without its words."""

    run: Run
    place: Place
    permission: Permission
    process: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class RunFiles:
    """A file for each run under the home folder, and a lock for each process that has some.

    A run that stands as running although nobody holds the lock of its process was interrupted.
    """

    def __init__(self, home: Path, *, most: int) -> None:
        self.process = secrets.token_hex(8)
        self._folder = home / FOLDER / "runs"
        self._most = most
        self._lock: IO[Any] | None = None
        self._written = 0

    def write(self, run: Run, *, place: Place, permission: Permission) -> None:
        """Write down how a run stands; on return that survives a power cut."""
        told = run.replace(response=None, message="", step=run.step.replace(note=""))
        content = RunFile(run=told, place=place, permission=permission, process=self.process).to_json().encode()
        try:
            self._begin()
            write_durably(self._folder / f"{run.run_id}.json", content)
            self._written += 1
            if self._written % _TIDY_EVERY == 1:
                self._tidy()
        except OSError as error:
            raise StorageError(f"nothing can be written to {self._folder}: {error.strerror}") from error

    def read(self, run_id: str) -> RunFile | None:
        """Return a run as it was last written down."""
        if not (run_id.isascii() and run_id.isalnum()):
            return None
        try:
            return RunFile.from_json((self._folder / f"{run_id}.json").read_bytes())
        except (OSError, InvalidInput):
            return None

    def all(self) -> Iterator[RunFile]:
        """Yield every run that is written down, oldest first."""
        for file in self._files():
            found = self.read(file.stem)
            if found is not None:
                yield found

    def is_alive(self, process: str) -> bool:
        """Return whether a process that wrote runs down is still there."""
        if process == self.process:
            return True
        try:
            with (self._folder / f"{process}.lock").open("r+") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def close(self) -> None:
        """Say that this process is gone."""
        if self._lock is not None:
            (self._folder / f"{self.process}.lock").unlink(missing_ok=True)
            self._lock.close()
            self._lock = None

    def _begin(self) -> None:
        if self._lock is None:
            make_folder(self._folder)
            self._lock = (self._folder / f"{self.process}.lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def _files(self) -> list[Path]:
        found = []
        for file in self._folder.glob("*.json"):
            with suppress(OSError):
                found.append((file.stat().st_mtime_ns, file))
        return [file for _, file in sorted(found)]

    def _tidy(self) -> None:
        for file in self._files()[: -self._most]:
            file.unlink(missing_ok=True)
        for lock in self._folder.glob("*.lock"):
            if not self.is_alive(lock.stem):
                lock.unlink(missing_ok=True)
