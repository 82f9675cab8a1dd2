"""The border between memory and a chat: whatever goes wrong on this side of it stays on this side."""

import logging
from types import TracebackType
from typing import Self

_logger = logging.getLogger(__name__)


class Tolerated:
    """A block that may fail in any way, even by a mistake of ours: it is logged, and what stands behind it goes on.

    The error's own words are not logged: they may hold what somebody said.
    """

    def __init__(self, what: str, *, level: int = logging.WARNING) -> None:
        self._what = what
        self._level = level
        self.error: Exception | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        self.error = error
        _logger.log(self._level, "%s: %s", self._what, type(error).__name__)
        return True
