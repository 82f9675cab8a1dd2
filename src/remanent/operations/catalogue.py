"""All operations by name: those of every memory, then those that the installed disciplines bring."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from remanent.discipline import registry
from remanent.discipline.operation import Operation
from remanent.operations import care, evaluation, journal, keys, language, records, scratchpad

MODULES = (journal, records, scratchpad, care, evaluation, language, keys)
"""Every module here that declares operations, in the order in which people are shown them."""


class Catalogue(Mapping[str, Operation[Any, Any]]):
    """Operations by name, in order."""

    def __init__(self, operations: Iterable[Operation[Any, Any]]) -> None:
        self._operations: dict[str, Operation[Any, Any]] = {}
        routes: dict[tuple[str, str, str], str] = {}
        for operation in operations:
            if operation.name in self._operations:
                raise ValueError(f"two operations are called {operation.name}")
            route = (operation.level, operation.method, operation.path)
            if route in routes:
                raise ValueError(f"{routes[route]} and {operation.name} have the same route {' '.join(route)}")
            routes[route] = operation.name
            self._operations[operation.name] = operation

    def __getitem__(self, name: str) -> Operation[Any, Any]:
        return self._operations[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._operations)

    def __len__(self) -> int:
        return len(self._operations)

    def with_more(self, operations: Iterable[Operation[Any, Any]]) -> "Catalogue":
        """Return a catalogue that holds others too."""
        return Catalogue([*self.values(), *operations])


CATALOGUE = Catalogue([*(one for module in MODULES for one in module.OPERATIONS), *registry.operations()])
"""What can be done here."""
