"""Whether work grows with its input or faster: two sizes, measured beside each other in one run."""

import asyncio
import gc
import importlib
import inspect
import math
import os
import pkgutil
from collections import deque
from collections.abc import Callable, Iterator
from time import process_time, thread_time

_TIMES = 4
_NOISE = 0.004
"""Seconds below which the clock tells nothing."""


def grows_no_faster_than_its_input(work: Callable[[str], object], text: str) -> bool:
    """Tell whether four times the text costs well below the sixteen times that squared work would."""
    short = text[: len(text) // _TIMES]
    work(short)
    # A busy machine can only ever make work look dearer than it is: what is squared is so each time it is measured.
    return any(_cost(work, text) <= 2.5 * _TIMES * max(_cost(work, short), _NOISE) for _ in range(_TRIES))


def _cost(work: Callable[[str], object], text: str) -> float:
    costs = []
    for _ in range(3):
        begin = process_time()
        work(text)
        costs.append(process_time() - begin)
    return min(costs)


# ── every function of a package ──────────────────────────────────────────────

Work = Callable[[str], object]
"""What is measured: it takes a text and does all that the function under test does with it."""
EXPONENT = 1.2
"""Work may grow by this power of the input: sorting and halving cost a little more than a straight line."""
_STEP = 4
_TRIES = 6
_TICK = 0.0005
"""Seconds below which two measurements cannot be told apart."""
_DEAR = 0.005
"""Seconds for a sixteenth of the text from which on not every text is measured whole, unless the counts are full."""
_BRIEF = 0.2
"""Seconds for a text up to which one four times as long is measured before it is said that work grows too fast."""
_WHOLE = 2
"""How many texts are measured whole all the same: those with which the work grows fastest up to a quarter of them."""
FULL = os.environ.get("REMANENT_CHAOS") == "full"
LARGE = 100_000
HUGE = 1_000_000
"""Characters of the longer text; the second at full counts only."""


def public_functions(package: str, *modules: str) -> dict[str, Callable[..., object]]:
    """Return the public functions that the modules of a package define, under their full names.

    Without modules, all that are found below it: a new one cannot be forgotten.
    """
    found: dict[str, Callable[..., object]] = {}
    walked = [module.name for module in pkgutil.walk_packages(importlib.import_module(package).__path__)]
    for name in modules or walked:
        module = importlib.import_module(f"{package}.{name}")
        for key, value in vars(module).items():
            function = inspect.unwrap(value) if callable(value) else value
            if inspect.isfunction(function) and not key.startswith("_") and function.__module__ == module.__name__:
                found[f"{module.__name__.removeprefix('remanent.')}.{key}"] = value
    return found


def takes_just_a_text(function: Callable[..., object]) -> bool:
    """Tell whether a function can be called with a text and nothing else."""
    parameters = list(inspect.signature(function).parameters.values())
    return (
        bool(parameters)
        and parameters[0].annotation in {str, "str"}
        and all(other.default is not other.empty for other in parameters[1:])
    )


def exponent(
    work: Work, make: Callable[[int], str], *, large: int = LARGE, measured: dict[int, float] | None = None
) -> float:
    """Return by which power of its input the work grows, by CPU time, from a text to one four times as long.

    A high figure is not believed at once, since a busy machine can only ever make work look dearer than it is: where
    the work takes too little for the clock to tell, a longer text is measured, else the same again, and the least
    counts. What is known of a size, by `measured`, is not measured for a first look, and what was measured is noted.
    """
    took: dict[int, float] = {} if measured is None else measured

    def cost(size: int) -> float:
        found = seconds(work, make(size))
        took[size] = min(found, took.get(size, math.inf))
        return found

    seconds(work, make(200))  # what is loaded once is no part of it
    size = large // _STEP
    short, long = (took[one] if one in took else cost(one) for one in (size, size * _STEP))
    least = math.inf
    for _ in range(_TRIES):
        least = min(least, math.log(max(long, _TICK) / max(short, _TICK), _STEP))
        if least <= EXPONENT:
            break
        if long < _NOISE * _STEP:
            if size * _STEP >= HUGE:
                return 0.0  # so cheap at a million characters that nobody has to wait
            size, short, least = size * _STEP, long, math.inf
        else:
            short = cost(size)
        long = cost(size * _STEP)
    if EXPONENT < least < math.inf and long < _BRIEF:
        # Where a text outgrows a cache it is dearer from there on, once; a power is one further on, too.
        further = min(cost(size * _STEP**2) for _ in range(2))
        least = min(least, math.log(further / max(long, _TICK), _STEP))
    return least


def too_fast(work: Work, makers: dict[str, Callable[[int], str]], *, large: int = LARGE) -> dict[str, float]:
    """Return the texts with which the work grows faster than it may, each with the power that was measured."""
    measured: dict[str, dict[int, float]] = {kind: {} for kind in makers}
    sixteenth = large // _STEP**2
    if not FULL:
        for kind, make in makers.items():
            seconds(work, make(200))
            measured[kind][sixteenth] = seconds(work, make(sixteenth))
    dear = {kind for kind, took in measured.items() if took.get(sixteenth, 0.0) > _DEAR}
    powers = {
        kind: exponent(work, make, large=large // _STEP if kind in dear else large, measured=measured[kind])
        for kind, make in makers.items()
    }
    for kind in sorted(dear, key=powers.__getitem__)[-_WHOLE:]:
        powers[kind] = max(powers[kind], exponent(work, makers[kind], large=large, measured=measured[kind]))
    return {kind: round(power, 2) for kind, power in powers.items() if power > EXPONENT}


def seconds(work: Work, text: str) -> float:
    """Return the CPU time of the work, done to its end whatever it is: a coroutine, a generator, a call."""
    # The garbage of the long text would else be collected while the short one is measured, and make it look dear.
    gc.disable()
    try:
        begin = thread_time()
        done = work(text)
        if isinstance(done, Iterator):
            deque(done, maxlen=0)
        elif inspect.iscoroutine(done):
            asyncio.run(done)
        return thread_time() - begin
    finally:
        gc.enable()
