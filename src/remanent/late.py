"""What is loaded or made when it is first used: a command has the time for what it needs, not for all there is."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")


def exports(package: str, **homes: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package: for each of its modules, the names that the package offers from it.

    The same names stand in an `if TYPE_CHECKING` block beside it, for type checkers.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        vars(import_module(package))[name] = value
        return value

    return load


class _Class:
    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __get__(self, instance: object, owner: type) -> Any:
        return getattr(import_module(self._module), self._name)


def late_class(module: str, name: str) -> Any:
    """Return what stands for a class as an attribute of another one; it is loaded when the attribute is read."""
    return _Class(module, name)


class Late(Generic[T]):
    """Something that is made when it is first called for, and is the same from then on."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.made: T | None = None
        """What was made, if it was needed at all."""

    def __call__(self) -> T:
        """Return what is made; the first call makes it."""
        if self.made is None:
            self.made = self._make()
        return self.made
