"""The operations of knowledge bases."""

from typing import Any

from remanent.discipline.operation import Operation

OPERATIONS: tuple[Operation[Any, Any], ...] = ()
