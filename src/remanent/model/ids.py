"""Time-ordered identifiers (UUID version 7) from passed-in time and randomness.

Rising with time, so that rows of one moment lie together and an order is there without asking the clock; from passed-in
randomness, so that a test can set every id.
"""

import os
import random
import secrets
import threading
import time
from collections.abc import Callable
from typing import Annotated

from pydantic import StringConstraints

from remanent.model.clock import Clock, system_clock, to_millis

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
"""An identifier: ours are UUIDv7, imported ones may be any short ASCII word."""

NewId = Callable[[], str]
"""Returns a fresh identifier; every part that makes ids is given one."""


def id_source(clock: Clock = system_clock, *, seed: int | None = None) -> NewId:
    """Return a maker of ids that rise strictly, even within one millisecond."""
    # Not the system's randomness for every id: asking for it lets other threads in, which costs more than the id.
    source = random.Random(secrets.randbits(128) if seed is None else seed)
    if seed is None and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: source.seed(secrets.randbits(128)))
    bits = source.getrandbits
    millis_now = _system_millis if clock is system_clock else lambda: to_millis(clock())
    lock = threading.Lock()
    last = [-1, 0]

    def new_id() -> str:
        with lock:
            millis = max(millis_now(), last[0])
            # The lower bits count up within a millisecond, so that order is kept; half the range is left to count in.
            tail = bits(73) if millis != last[0] else last[1] + 1 + bits(16)
            last[:] = [millis, tail]
        return uuid7(millis, tail)

    return new_id


def _system_millis() -> int:
    return time.time_ns() // 1_000_000


def uuid7(millis: int, random_bits: int) -> str:
    """Return the UUIDv7 of milliseconds since the epoch and 74 random bits."""
    first, second = millis >> 16 & 0xFFFF_FFFF, millis & 0xFFFF
    third, fourth = 0x7000 | random_bits >> 62 & 0xFFF, 0x8000 | random_bits >> 48 & 0x3FFF
    return f"{first:08x}-{second:04x}-{third:04x}-{fourth:04x}-{random_bits & 0xFFFF_FFFF_FFFF:012x}"
