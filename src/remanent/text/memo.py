"""Keeping what was found out about a text for the next time that it is looked at, and nothing of the text itself.

The same memories are candidates of one question after another: what is told of their words alone need not be worked
out for each. By hashes, so that what is erased is not found in the process either: Python's own, which it works out
once for a text, as a dozen things are asked of each candidate.
"""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")

_MOST = 4096
"""Texts of which something is kept for certain; of as many before them while nobody asks for new ones. Some 150 bytes
each."""


def memoized_by_hash(tell: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Return a function that remembers what it said of texts; what it says must hold none of their words.

    Whatever else it goes by is handed to it.
    """
    lately: dict[Hashable, T] = {}
    before: dict[Hashable, T] = {}

    @wraps(tell)
    def told(text: str, /, *more: P.args, **named: P.kwargs) -> T:
        nonlocal lately, before
        name = hash(text), len(text), *more, *named.items()
        new, old = lately, before  # another thread may change places meanwhile
        if name in new:
            return new[name]
        found = old[name] if name in old else tell(text, *more, **named)
        if len(new) >= _MOST and new is lately:
            before, lately = lately, {}
        lately[name] = found
        return found

    return told
