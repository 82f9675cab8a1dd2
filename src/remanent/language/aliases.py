"""Short names for ids, so that a model can neither misspell one nor name one that it was not shown."""

import re
from collections.abc import Sequence

from remanent.errors import Refused

_BEFORE = re.compile(r"[\s\[\](){}<>\"'“”‘’`#]*")
_AFTER = re.compile(r"[\s\[\](){}<>\"'“”‘’`#.,:;]*")


class Aliases:
    """The names n1, n2 … of the ids that are shown, in their order."""

    def __init__(self, ids: Sequence[str], *, prefix: str = "n") -> None:
        self._named = {f"{prefix}{number}": real for number, real in enumerate(ids, 1)}

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in the order of the ids."""
        return tuple(self._named)

    def real(self, name: str) -> str:
        """Return the id behind a name, or refuse one that was not shown."""
        bare = _AFTER.sub("", _BEFORE.sub("", name, count=1)[::-1], count=1)[::-1].lower()
        if bare not in self._named:
            shown = ", ".join(self._named) or "none"
            raise Refused(f"{name[:40]!r} was not shown; use only these names: {shown}")
        return self._named[bare]


def check_numbers(numbers: Sequence[int], *, shown: int, what: str = "passage") -> None:
    """Refuse numbers that were not shown."""
    for number in numbers:
        if not 1 <= number <= shown:
            raise Refused(f"{what} {number} was not shown; the numbers are 1 to {shown}")
