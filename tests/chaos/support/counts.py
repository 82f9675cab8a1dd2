"""How often the survival tests do a thing, and from which seed."""

import os

FULL = os.environ.get("REMANENT_CHAOS") == "full"
"""Whether the long counts were asked for (`make chaos`)."""

SEED = int(os.environ.get("REMANENT_CHAOS_SEED", "20260101"))
"""What every random choice comes from; failures name it."""


def times(small: int, *, full: int) -> int:
    """Return the count for an ordinary test run, or the full one when it was asked for."""
    return full if FULL else small
