"""Measuring this machine, as an operation: started, followed and fetched like all long work."""

import asyncio
import tempfile
from pathlib import Path
from typing import Annotated, Literal

from remanent.evaluation.figures import Figure, Report
from remanent.evaluation.language import run_language_bench
from remanent.evaluation.store import run_store_bench
from remanent.model import Word
from remanent.operations import Call, Level, Permission, Step, operation
from remanent.operations.shapes import about


class Evaluate(Word):
    """What to measure."""

    what: Annotated[
        Literal["store", "language"],
        about("The store, or language work without a model.", "存储，或不用模型的语言任务。"),
    ]


class Figures(Word):
    """What was measured, each figure beside what was promised."""

    figures: tuple[Figure, ...]


@operation(
    "evaluate",
    zh="测量本机的性能，并与承诺的数值对照。",
    permission=Permission.ADMIN,
    level=Level.ORG,
    route="POST evaluations",
    changes=False,
    long=True,
    examples=({"what": "language"},),
    command=None,
)
async def evaluate(call: Call, request: Evaluate) -> Figures:
    """Measure this machine and set the figures beside what was promised."""
    loop = asyncio.get_running_loop()
    count = 0

    def tell(note: str) -> None:
        nonlocal count
        count += 1
        loop.call_soon_threadsafe(call.report, Step(done=count, note=note))

    return Figures(figures=tuple(await asyncio.to_thread(_measure, request.what, tell)))


def _measure(what: str, report: Report) -> list[Figure]:
    if what == "language":
        return run_language_bench(None, report)
    with tempfile.TemporaryDirectory(prefix="remanent-bench-") as folder:
        return run_store_bench(Path(folder), report=report)


OPERATIONS = (evaluate,)
