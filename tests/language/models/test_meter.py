import asyncio

import pytest

from remanent.errors import LanguageError, ModelRejected, ModelUnavailable, Refused
from remanent.language.models.call import Completion
from remanent.language.models.engine import UsageMeter
from remanent.language.role import Usage
from remanent.model import RoleFigures


class Time:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_what_runs_take_is_added_up_per_role() -> None:
    time = Time()
    meter = UsageMeter(now=time)
    with meter.run("planning") as tally:
        tally.requests = 3
        tally.answers += [Completion("a", input_tokens=10, output_tokens=2, cost=0.5)]
        tally.answers += [Completion("b", input_tokens=20, output_tokens=3, cost=0.25)]
        time.seconds += 2
    assert tally.usage == Usage(requests=3, input_tokens=30, output_tokens=5, cost=0.75)
    with meter.run("planning") as tally:
        tally.requests = 1
        time.seconds += 1
    with meter.run("hyde") as tally:
        tally.requests = 1
    assert meter.figures == (
        RoleFigures(role="hyde", runs=1, requests=1),
        RoleFigures(
            role="planning", runs=2, requests=4, input_tokens=30, output_tokens=5, cost=0.75, failures=0, seconds=3.0
        ),
    )


def test_a_price_that_is_not_known_is_not_taken_for_nothing() -> None:
    meter = UsageMeter(now=Time())
    with meter.run("hyde") as tally:
        tally.answers += [Completion("a", cost=None)]
    assert tally.usage.cost is None
    assert meter.figures[0].cost is None
    with meter.run("hyde") as tally:
        tally.answers += [Completion("a", cost=0.0), Completion("b", cost=None)]
    assert tally.usage.cost is None
    assert meter.figures[0].cost == 0.0


@pytest.mark.parametrize(
    "error",
    [
        ModelUnavailable("x"),
        ModelRejected("x"),
        Refused("x"),
        LanguageError("x"),
        asyncio.CancelledError(),
        ZeroDivisionError(),
    ],
)
def test_a_run_without_an_answer_is_counted(error: BaseException) -> None:
    meter = UsageMeter(now=Time())
    for _ in range(2):
        with pytest.raises(type(error)), meter.run("hyde"):
            raise error
    assert meter.figures == (RoleFigures(role="hyde", runs=2, failures=2),)
